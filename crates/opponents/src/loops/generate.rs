//! Random programs with loops, small inputs, arrays, pointers into them, records, calls and
//! recursion. All loops end, all accesses are inside their objects.

use super::expressions::{Scope, any_type, condition, element, value};
use crate::random::Random;

/// Before every program: what an input and an assertion are for gcc, which tries all inputs, and
/// for the verifier.
const PRELUDE: &str = "#ifdef ENUMERATE
void _exit(int);
long long opponents_choose(long long, long long);
void opponents_observe(long long, long long, int);
#define main program_main
#define INPUT(type, low, high) opponents_choose(low, high)
#define DIVISOR(value) opponents_divisor(value)
/* gcc folds x / x and 0 % x, also for zero. */
static unsigned char opponents_divisor(unsigned char value) { if (!value) _exit(0); return value; }
#define __VERIFIER_assume(holds) do { if (!(holds)) _exit(0); } while (0)
#define CHECK(a, b) do { long long A = (a), B = (b); opponents_observe(A, B, CONDITION); } while (0)
#else
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
void reach_error(void);
#define DIVISOR(value) (unsigned char)(value)
#define INPUT(type, low, high) __VERIFIER_nondet_##type()
#define CHECK(a, b) do { long long A = (a), B = (b); if (!CONDITION) reach_error(); } while (0)
#endif
";

struct Writer<'a> {
    random: &'a mut Random,
    text: String,
    indent: usize,
    scope: Scope,
    /// Scalars that statements may write; counters of loops are not among them.
    written: Vec<String>,
    names: usize,
    loops: usize,
    checked: bool,
    records: bool,
    /// How often inputs inside loops may still multiply the executions.
    choices: usize,
}

/// A program, to be preceded by a definition of CONDITION.
pub fn program(random: &mut Random) -> String {
    let records = random.percent(30);
    let mut writer = Writer {
        random,
        text: PRELUDE.to_owned(),
        indent: 0,
        scope: Scope::default(),
        written: Vec::new(),
        names: 0,
        loops: 0,
        checked: false,
        records,
        choices: 1,
    };
    writer.globals();
    writer.functions();
    writer.main();
    writer.text
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        let indent = "    ".repeat(self.indent);
        self.text.push_str(&format!("{indent}{line}\n"));
    }

    fn name(&mut self, start: &str) -> String {
        self.names += 1;
        format!("{start}{}", self.names)
    }

    fn open(&mut self, line: &str) {
        self.line(&format!("{line} {{"));
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    fn value(&mut self, depth: usize) -> String {
        value(self.random, &self.scope, depth)
    }

    fn globals(&mut self) {
        if self.records {
            let (first, second) = (any_type(self.random), any_type(self.random));
            self.line(&format!("struct pair {{ {first} x; {second} y; }};"));
        }
        for _ in 0..self.random.below(3) {
            let (ty, name) = (any_type(self.random), self.name("g"));
            let start = self.random.below(5);
            self.line(&format!("{ty} {name} = {start};"));
            self.scalar(&name);
        }
        if self.random.percent(30) {
            self.array("");
        }
    }

    fn scalar(&mut self, name: &str) {
        self.scope.scalars.push(name.to_owned());
        self.written.push(name.to_owned());
    }

    fn array(&mut self, storage: &str) {
        let (ty, name) = (any_type(self.random), self.name("a"));
        let length = *self.random.pick(&[2, 3, 4, 5, 8]);
        let start = self.random.below(4);
        self.line(&format!("{storage}{ty} {name}[{length}] = {{ {start} }};"));
        self.scope.arrays.push((name, length));
    }

    fn functions(&mut self) {
        for _ in 0..self.random.below(3) {
            let name = self.name("f");
            match self.random.below(4) {
                0 => self.recursion(&name),
                1 => self.by_pointer(&name),
                _ => self.plain(&name),
            }
            self.scope.functions.push(name);
        }
    }

    /// Without loops and assignments to what the caller's expressions read: the order of evaluation
    /// stays open.
    fn plain(&mut self, name: &str) {
        let (ty, first, second) = (
            any_type(self.random),
            any_type(self.random),
            any_type(self.random),
        );
        self.open(&format!("static {ty} {name}({first} p, {second} q)"));
        let outer = self.inner_scope(&["p", "q"]);
        let (decision, early, late) = (
            condition(self.random, &self.scope, 1),
            self.value(2),
            self.value(2),
        );
        self.line(&format!("if ({decision}) return {early};"));
        self.line(&format!("return {late};"));
        self.scope = outer;
        self.close();
    }

    /// Recursive to a depth of at most 7.
    fn recursion(&mut self, name: &str) {
        let (ty, first) = (any_type(self.random), any_type(self.random));
        self.open(&format!("static {ty} {name}({first} p, unsigned char q)"));
        let outer = self.inner_scope(&["p", "q"]);
        let (end, next, more) = (self.value(1), self.value(1), self.value(1));
        self.line("q &= 7;");
        self.line(&format!("if (q == 0) return {end};"));
        self.line(&format!("{ty} below = {name}({next}, q - 1);"));
        self.line(&format!("return below + {more};"));
        self.scope = outer;
        self.close();
    }

    /// Works on a local behind a pointer, also in an inner call.
    fn by_pointer(&mut self, name: &str) {
        let (ty, first) = (any_type(self.random), any_type(self.random));
        let outer = self.inner_scope(&["q"]);
        let more = self.value(1);
        self.open(&format!("static void {name}_at({ty} *at, {first} q)"));
        self.line(&format!("*at = *at + ({more});"));
        self.close();
        self.open(&format!("static {ty} {name}({first} p, {first} q)"));
        self.line(&format!("{ty} local = p;"));
        self.line(&format!("if (q > 1) {name}_at(&local, q);"));
        self.line("return local;");
        self.scope = outer;
        self.close();
    }

    fn inner_scope(&mut self, names: &[&str]) -> Scope {
        let inner = Scope {
            scalars: names.iter().map(|name| name.to_string()).collect(),
            ..Scope::default()
        };
        std::mem::replace(&mut self.scope, inner)
    }

    fn main(&mut self) {
        self.open("int main(void)");
        for _ in 0..1 + self.random.below(3) {
            self.input();
        }
        for _ in 0..1 + self.random.below(3) {
            let (ty, name) = (any_type(self.random), self.name("v"));
            let start = self.value(1);
            self.line(&format!("{ty} {name} = {start};"));
            self.scalar(&name);
        }
        if self.random.percent(50) {
            self.array("");
        }
        if self.records {
            let (first, second) = (self.value(1), self.value(1));
            self.line(&format!("struct pair r = {{ {first}, {second} }};"));
            self.scalar("r.x");
            self.scalar("r.y");
        }
        self.pointer();
        if self.random.percent(30) {
            self.statement(1);
        }
        self.a_loop(2);
        for _ in 0..self.random.below(3) {
            self.statement(2);
        }
        if !self.checked || self.random.percent(40) {
            self.check();
        }
        self.line("return 0;");
        self.close();
    }

    fn input(&mut self) {
        let name = self.name("x");
        match self.random.below(5) {
            0 => {
                let high = self.random.between(1, 7);
                self.line(&format!("int {name} = INPUT(int, 0, {high});"));
                self.line(&format!(
                    "__VERIFIER_assume({name} >= 0 && {name} <= {high});"
                ));
            }
            1 => {
                let (low, high) = (self.random.between(-4, 0), self.random.between(1, 4));
                self.line(&format!("short {name} = INPUT(short, {low}, {high});"));
                self.line(&format!("if ({name} < {low} || {name} > {high}) return 0;"));
            }
            2 => {
                let mask = *self.random.pick(&[1, 3, 7]);
                self.line(&format!("unsigned char {name} = INPUT(uchar, 0, {mask});"));
                self.line(&format!("{name} &= {mask};"));
            }
            3 => {
                let end = self.random.between(2, 7);
                self.line(&format!(
                    "unsigned {name} = INPUT(uint, 0, {}) % {end}u;",
                    end - 1
                ));
            }
            _ => self.line(&format!("_Bool {name} = INPUT(bool, 0, 1);")),
        }
        self.scalar(&name);
    }

    /// A pointer to an element or a scalar, through which statements read and write.
    fn pointer(&mut self) {
        if !self.random.percent(40) {
            return;
        }
        let target = if self.scope.arrays.is_empty() {
            let scalars: Vec<String> = self.written.clone();
            self.random.pick(&scalars).clone()
        } else {
            element(self.random, &self.scope, 1)
        };
        let name = self.name("p");
        self.line(&format!("__typeof__({target}) *{name} = &{target};"));
        self.scalar(&format!("(*{name})"));
    }

    fn check(&mut self) {
        let (first, second) = (
            self.random.pick(&self.written).clone(),
            self.random.pick(&self.scope.scalars).clone(),
        );
        self.line(&format!("CHECK({first}, {second});"));
        self.checked = true;
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(14) {
            0..=4 => self.assignment(),
            5 if !self.scope.arrays.is_empty() => {
                let (target, value) = (element(self.random, &self.scope, 1), self.value(2));
                self.line(&format!("{target} = {value};"));
            }
            6 | 7 if depth > 0 => {
                let decision = condition(self.random, &self.scope, 2);
                self.open(&format!("if ({decision})"));
                self.statement(depth - 1);
                self.close();
                if self.random.percent(40) {
                    self.open("else");
                    self.statement(depth - 1);
                    self.close();
                }
            }
            8 if depth > 0 && self.loops < 3 => self.a_loop(depth),
            9 if depth > 0 => self.a_switch(depth),
            10 if self.records => {
                self.line("{ struct pair copy = r; r.x = copy.y; r.y = copy.x; }")
            }
            11 if self.random.percent(40) => self.bytes(),
            _ => self.assignment(),
        }
    }

    /// Copies or fills half of an object: the first bytes or the last ones.
    fn bytes(&mut self) {
        let (target, source) = (
            self.random.pick(&self.written).clone(),
            self.random.pick(&self.written).clone(),
        );
        let mut half = |name: &str| match self.random.below(2) {
            0 => format!("&{name}"),
            _ => format!("(char *)&{name} + sizeof {name} / 2"),
        };
        let (to, from) = (half(&target), half(&source));
        let text = if self.random.percent(70) {
            let smaller = format!("sizeof {target} < sizeof {source}");
            let size = format!("({smaller} ? sizeof {target} : sizeof {source}) / 2");
            format!("__builtin_memmove({to}, {from}, {size});")
        } else {
            let byte = self.random.below(256);
            format!("__builtin_memset({to}, {byte}, sizeof {target} / 2);")
        };
        self.line(&text);
    }

    fn assignment(&mut self) {
        let target = self.random.pick(&self.written).clone();
        let text = match self.random.below(6) {
            0 => format!("{target}++;"),
            1 => format!("{target}--;"),
            2 => format!("{target} += {};", self.value(1)),
            3 => format!("{target} -= {};", self.value(1)),
            _ => format!("{target} = {};", self.value(2)),
        };
        self.line(&text);
    }

    fn a_switch(&mut self, depth: usize) {
        let selected = self.value(1);
        self.open(&format!("switch (({selected}) & 3)"));
        for label in ["case 0:", "case 1:", "default:"] {
            self.open(label);
            self.statement(depth - 1);
            self.close();
            if self.random.percent(70) {
                self.line("break;");
            }
        }
        self.line(";");
        self.close();
    }

    fn a_loop(&mut self, depth: usize) {
        self.loops += 1;
        let counter = self.name("i");
        let ty = *self
            .random
            .pick(&["int", "unsigned", "unsigned char", "short", "long"]);
        let many = if self.random.percent(10) { 40 } else { 8 };
        let bound = if self.random.percent(50) {
            format!("(({}) & 7)", self.value(1))
        } else {
            (1 + self.random.below(many)).to_string()
        };
        match self.random.below(5) {
            0 => {
                let decision = if self.choices > 0 && self.random.percent(30) {
                    self.choices -= 1;
                    "INPUT(bool, 0, 1)".to_owned()
                } else {
                    condition(self.random, &self.scope, 1)
                };
                self.line(&format!("{ty} {counter} = 0;"));
                self.open(&format!("while ({counter} < 7 && ({decision}))"));
                self.line(&format!("{counter}++;"));
            }
            1 => {
                self.line(&format!("{ty} {counter} = {bound};"));
                self.open(&format!("while ({counter} > 0)"));
                self.line(&format!("{counter}--;"));
            }
            2 => {
                // The bound is computed anew each time, and a limit makes the loop end.
                let limit = 1 + self.random.below(12);
                self.open(&format!(
                    "for ({ty} {counter} = 0; {counter} < {limit} && {counter} <= {bound}; {counter}++)"
                ));
            }
            _ => {
                let step = 1 + self.random.below(3);
                let bound_name = self.name("n");
                self.line(&format!("const int {bound_name} = {bound};"));
                self.open(&format!(
                    "for ({ty} {counter} = 0; {counter} < {bound_name}; {counter} += {step})"
                ));
            }
        }
        let outside = self.scope.scalars.len();
        self.scope.scalars.push(counter);
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth - 1);
        }
        if self.random.percent(15) {
            let decision = condition(self.random, &self.scope, 1);
            let way = *self.random.pick(&["break", "continue"]);
            self.line(&format!("if ({decision}) {way};"));
            self.assignment();
        }
        if self.random.percent(20) {
            self.check();
        }
        self.scope.scalars.truncate(outside);
        self.close();
    }
}
