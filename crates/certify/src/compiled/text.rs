//! The harness: a C file that is linked with the user's own files and gives the program its inputs.
//!
//! It says how the program ends by a line on standard error, and by its status where the property
//! is violated.

use super::c::{c_type, is_identifier, literal, quoted};
use super::feed::Feed;
use super::library::is_harmless;
use super::tools::{INLINE_DEFINES, Symbols, compile_options, link_options, own_files};
use super::{Build, CANNOT, OTHER_WAY, VIOLATED, VIOLATED_STATUS};
use cfa::memory::ObjectKind;
use cfa::op::{InputKind, Op};
use cfa::outside;
use cfa::program::{FuncId, Program};
use cfa::value::Ty;
use interpreter::write_value;
use lowering::property::Check;
use std::collections::BTreeSet;
use std::fmt::Write;
use syntax::types::Type;

/// Writing to a string does not fail, so the result says nothing.
macro_rules! line {
    ($out:expr, $($text:tt)*) => {{
        let _ = writeln!($out, $($text)*);
    }};
}

pub(super) use line;

/// The text, and the options that its functions need when it is linked.
pub(super) struct Text {
    pub c: String,
    pub link: Vec<String>,
    /// The functions and variables that the harness defines.
    pub defined: BTreeSet<String>,
}

/// Writes the harness; an error says why the program cannot be linked with one.
pub(super) fn write(
    program: &Program,
    build: &Build,
    feed: &Feed,
    symbols: &Symbols,
) -> Result<Text, String> {
    let mut writer = Writer {
        program,
        build,
        feed,
        symbols,
        out: String::new(),
        wrapped: Vec::new(),
        defined: BTreeSet::new(),
    };
    writer.check()?;
    writer.helpers();
    writer.counter();
    writer.outside();
    writer.error_functions();
    writer.verifier_functions();
    writer.memory_functions();
    writer.inputs()?;
    writer.entry()?;
    writer.rest();
    let link = link_options(program.model, &build.property, &writer.wrapped);
    let c = format!("{}{}", writer.head(&link), writer.out);
    Ok(Text {
        c,
        link,
        defined: writer.defined,
    })
}

pub(super) struct Writer<'a> {
    pub(super) program: &'a Program,
    pub(super) build: &'a Build,
    pub(super) feed: &'a Feed,
    pub(super) symbols: &'a Symbols,
    pub(super) out: String,
    /// Functions of the library that are called through the harness.
    pub(super) wrapped: Vec<&'static str>,
    pub(super) defined: BTreeSet<String>,
}

const HELPERS: &str = r#"
extern long write(int, const void *, unsigned long);
extern void _exit(int);

static void harness_say(const char *text)
{
    unsigned long length = 0;
    while (text[length])
        length++;
    write(2, text, length);
}
"#;

/// The processor says when a float overflows. (The layout is glibc's `struct sigaction`, which is
/// the same for 32 and 64 bits; the code of the signal is the third word of what comes with it.)
const FLOAT_OVERFLOW: &str = r#"
struct harness_action {
    void (*handler)(int, void *, void *);
    unsigned char mask[128];
    int flags;
    void (*restorer)(void);
};
extern int sigaction(int, const void *, void *);

static void harness_float(int signal, void *what, void *context)
{
    if (((int *)what)[2] == 4)
        harness_violated("a floating-point operation overflows");
    harness_cannot("it divides by zero");
}

__attribute__((constructor)) static void harness_watch_floats(void)
{
    static struct harness_action action = { .handler = harness_float, .flags = 4 };
    sigaction(8, &action, 0);
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x400u);
}

/* The unit for long double would tell it late, and not write the number: it keeps a flag. */
__attribute__((destructor)) static void harness_check_floats(void)
{
    unsigned short status;
    __asm__ volatile ("fnstsw %0" : "=m"(status));
    if (status & 8)
        harness_violated("a floating-point operation overflows");
}
"#;

impl Writer<'_> {
    /// Does the program leave the names alone that the harness needs?
    fn check(&self) -> Result<(), String> {
        for name in ["write", "_exit", "mmap", "calloc"] {
            if self.symbols.is_defined(name) {
                return Err(format!(
                    "the program defines `{name}`, which the harness needs"
                ));
            }
        }
        let all = self.symbols.undefined.iter();
        let mut strange = all.filter(|name| !is_identifier(name));
        match strange.next() {
            Some(name) => Err(format!("`{name}` is not an identifier of C")),
            None => Ok(()),
        }
    }

    fn head(&self, link: &[String]) -> String {
        let property = &self.build.property;
        let options = compile_options(self.program.model, property, self.feed.filling).join(" ");
        let given = self.build.flags.iter();
        let given = given.fold(String::new(), |all, one| format!("{all} {}", quoted(one)));
        let sources = &self.program.sources;
        let files = own_files(self.program).into_iter();
        let files: Vec<String> = files.map(|id| quoted(sources.name(id))).collect();
        let inline = &self.symbols.inline;
        let object = |number: usize| format!("program{number}.o");
        let mut objects: Vec<usize> = (0..files.len()).collect();
        objects.sort_by_key(|number| inline.contains(number));
        let objects: Vec<String> = objects.into_iter().map(object).collect();
        let mut out = String::from(
            "/* A test harness: with the inputs below the program violates its property. To see it, compile the\n * program and \
             link it with this file, which must come first:\n *\n",
        );
        for (number, file) in files.iter().enumerate() {
            let more = match inline.contains(&number) {
                true => format!(" {INLINE_DEFINES}"),
                false => String::new(),
            };
            let object = object(number);
            let line = format!("cc {options}{more}{given} -c {file} -o {object}");
            line!(out, " *   {}", line.replace("*/", "* /"));
        }
        line!(
            out,
            " *   cc {} harness.c {} -o harness -lm",
            link.join(" "),
            objects.join(" ")
        );
        let arguments = self.program_arguments();
        let arguments = arguments.iter().map(|_| " \"\"").collect::<String>();
        line!(out, " *   ./harness{arguments}; echo $?\n *");
        line!(
            out,
            " * It says `{VIOLATED}` and ends with status {VIOLATED_STATUS}. Functions of the library that reach the world\n \
             * outside the program are not called: they are defined here. */"
        );
        out
    }

    /// What `main` is started with behind its own name.
    fn program_arguments(&self) -> Vec<String> {
        super::program_arguments(self.build, self.feed)
    }

    fn helpers(&mut self) {
        self.out.push_str(HELPERS);
        line!(
            self.out,
            "\n/* The property is violated. */\nstatic void harness_violated(const char *how)\n{{\n    harness_say(\"{VIOLATED}\");\n    \
             harness_say(how);\n    harness_say(\"\\n\");\n    _exit({VIOLATED_STATUS});\n}}"
        );
        line!(
            self.out,
            "\n/* The program does not do what these inputs are for. */\nstatic void harness_other_way(const char *how)\n{{\n    \
             harness_say(\"{OTHER_WAY}\");\n    harness_say(how);\n    harness_say(\"\\n\");\n    _exit({});\n}}",
            VIOLATED_STATUS + 1
        );
        line!(
            self.out,
            "\n/* The program needs what cannot be given here. */\nstatic void harness_cannot(const char *why)\n{{\n    \
             harness_say(\"{CANNOT}\");\n    harness_say(why);\n    harness_say(\"\\n\");\n    _exit({});\n}}",
            VIOLATED_STATUS + 2
        );
        if self.build.property.has(Check::FloatOverflow) {
            self.out.push_str(FLOAT_OVERFLOW);
        }
    }

    /// What the functions of the harness know of each other.
    fn counter(&mut self) {
        if self.counts_objects() {
            line!(
                self.out,
                "\n/* Live objects of the heap. */\nstatic long harness_objects;\n\
                 static void harness_count(void);"
            );
        }
    }

    /// The memory that pointers from outside the program point into.
    fn outside(&mut self) {
        if !self.feed.points_outside {
            return;
        }
        let begin = outside::address(self.program.model);
        line!(
            self.out,
            "\n/* Memory outside the program, for pointers that the program is given. */\n\
             extern void *mmap(void *, unsigned long, int, int, int, long);\n\n\
             __attribute__((constructor)) static void harness_memory_outside(void)\n{{\n    \
             unsigned char *begin = (unsigned char *){begin:#x}ul;\n    \
             if (mmap(begin, {}, 3, 0x32, -1, 0) != (void *)begin)\n        \
             harness_cannot(\"the memory outside the program cannot be mapped\");",
            outside::BYTES
        );
        for (offset, byte) in &self.feed.outside {
            line!(self.out, "    begin[{offset}] = {byte};");
        }
        line!(self.out, "}}");
    }

    /// Is the name to be defined here? Each is asked for once.
    pub(super) fn takes(&mut self, name: &str) -> bool {
        self.symbols.undefined.contains(name) && self.defined.insert(name.to_owned())
    }

    fn error_functions(&mut self) {
        let names = self.build.property.error_functions();
        line!(self.out, "");
        for name in names {
            // A definition of the program's own loses against this one, which is linked first.
            let is_there =
                self.symbols.undefined.contains(name) || self.symbols.global.contains(name);
            if is_there && is_identifier(name) && self.defined.insert(name.clone()) {
                line!(
                    self.out,
                    "void {name}(void) {{ harness_violated(\"{name} is called\"); }}"
                );
            }
        }
        let property = &self.build.property;
        if property.has(Check::Overflow) {
            self.overflow_handlers();
        }
        if property.has(Check::DivisionByZero) && !property.has(Check::Overflow)
            || property.has(Check::Shift) && !property.has(Check::Overflow)
        {
            self.other_handlers();
        }
        // Without the property these only end the program.
        for name in ["reach_error", "__VERIFIER_error"] {
            if self.takes(name) {
                let count = match self.build.property.has(Check::Memcleanup) {
                    true => "harness_count(); ",
                    false => "",
                };
                line!(
                    self.out,
                    "void {name}(void) {{ {count}harness_other_way(\"{name} is called\"); }}"
                );
            }
        }
    }

    /// What the compiler calls where arithmetic leaves its type (`-fsanitize`).
    fn overflow_handlers(&mut self) {
        self.out.push_str(
            r#"
struct harness_place { const char *file; unsigned line, column; };
struct harness_type { unsigned short kind, info; char name[1]; };
struct harness_shift { struct harness_place at; const struct harness_type *left, *right; };

static void harness_overflow(const struct harness_place *at)
{
    char digits[12];
    int first = sizeof digits - 1;
    unsigned line = at->line;
    digits[first] = 0;
    do
        digits[--first] = '0' + line % 10;
    while (line /= 10);
    harness_say("overflow in line ");
    harness_say(digits + first);
    harness_say("\n");
    harness_violated("signed arithmetic leaves its type");
}

/* Shifts of unsigned types do not count. */
static void harness_shifted(const struct harness_shift *shift)
{
    if (shift->left->kind == 0 && (shift->left->info & 1))
        harness_overflow(&shift->at);
}

void __ubsan_handle_shift_out_of_bounds(const struct harness_shift *shift) { harness_shifted(shift); }
void __ubsan_handle_shift_out_of_bounds_abort(const struct harness_shift *shift) { harness_shifted(shift); }
"#,
        );
        self.defined
            .insert("__ubsan_handle_shift_out_of_bounds".into());
        self.defined
            .insert("__ubsan_handle_shift_out_of_bounds_abort".into());
        for what in ["add", "sub", "mul", "negate", "divrem"] {
            for end in ["", "_abort"] {
                let name = format!("__ubsan_handle_{what}_overflow{end}");
                line!(
                    self.out,
                    "void {name}(const struct harness_place *at) {{ harness_overflow(at); }}"
                );
                self.defined.insert(name);
            }
        }
    }

    /// The same for divisions by zero and shifts that are too far.
    fn other_handlers(&mut self) {
        let names = [
            ("divrem_overflow", "a division by zero"),
            ("shift_out_of_bounds", "a shift that is too far"),
        ];
        line!(self.out, "");
        for (name, what) in names {
            for end in ["", "_abort"] {
                let name = format!("__ubsan_handle_{name}{end}");
                line!(
                    self.out,
                    "void {name}(void) {{ harness_violated(\"{what}\"); }}"
                );
                self.defined.insert(name);
            }
        }
    }

    fn verifier_functions(&mut self) {
        for name in [
            "__VERIFIER_assume",
            "__CPROVER_assume",
            "__ESBMC_assume",
            "klee_assume",
        ] {
            if self.takes(name) {
                line!(
                    self.out,
                    "void {name}(int holds)\n{{\n    if (!holds)\n        harness_other_way(\"an assumption does not hold\");\n}}"
                );
            }
        }
        let then = match &self.build.property {
            property
                if property
                    .error_functions()
                    .iter()
                    .any(|name| name == "reach_error") =>
            {
                "harness_violated"
            }
            _ => "harness_other_way",
        };
        for name in [
            "assert",
            "__VERIFIER_assert",
            "__CPROVER_assert",
            "__ESBMC_assert",
            "__goblint_check",
        ] {
            if self.takes(name) {
                line!(
                    self.out,
                    "void {name}(int holds)\n{{\n    if (!holds)\n        {then}(\"an assertion does not hold\");\n}}"
                );
            }
        }
    }

    /// What functions and variables that are defined nowhere give.
    fn inputs(&mut self) -> Result<(), String> {
        for (name, values) in &self.feed.calls {
            let is_real = is_harmless(name) && !name.starts_with("__VERIFIER");
            if is_real || !self.takes(name) {
                continue;
            }
            let ty = values[0].0;
            if values.iter().any(|(other, _)| *other != ty) {
                return Err(format!("the declarations of `{name}` disagree"));
            }
            let c_type = c_type(ty, self.program.model)
                .ok_or_else(|| format!("the type of `{name}` has no name in C"))?;
            let count = values.len();
            let bits: Vec<String> = values
                .iter()
                .map(|(ty, bits)| literal(*ty, *bits))
                .collect();
            let shown: Vec<String> = values
                .iter()
                .map(|(ty, bits)| write_value(*ty, *bits))
                .collect();
            let (element, value) = match ty {
                Ty::Float(_) => (
                    "struct { unsigned long long low, high; }",
                    format!(
                        "{c_type} value = 0;\n    __builtin_memcpy(&value, &values[taken++], {});\n    return value;",
                        ty.bytes()
                    ),
                ),
                _ => (c_type, "return values[taken++];".to_owned()),
            };
            let comment = match ty {
                Ty::Float(_) => format!("\n    /* {} */", shown.join(", ")),
                _ => String::new(),
            };
            line!(
                self.out,
                "\n{c_type} {name}(void)\n{{{comment}\n    static const {element} values[] = {{{}}};\n    \
                 static unsigned taken;\n    if (taken >= {count})\n        \
                 harness_other_way(\"{name} is called more often than {count} times\");\n    {value}\n}}",
                bits.join(", ")
            );
        }
        for (name, (ty, bits)) in &self.feed.variables {
            if is_harmless(name) || !self.takes(name) {
                continue;
            }
            let c_type = c_type(*ty, self.program.model)
                .ok_or_else(|| format!("the type of `{name}` has no name in C"))?;
            match ty {
                Ty::Float(_) => {
                    let bytes = (0..ty.bytes()).map(|at| ((bits >> (8 * at)) as u8).to_string());
                    let bytes: Vec<String> = bytes.collect();
                    line!(
                        self.out,
                        "\n/* {} */\n__attribute__((aligned(16))) unsigned char {name}[16] = {{{}}};",
                        write_value(*ty, *bits),
                        bytes.join(", ")
                    );
                }
                _ => line!(self.out, "\n{c_type} {name} = {};", literal(*ty, *bits)),
            }
        }
        let program = self.program;
        for object in &program.objects {
            let name = &object.name;
            if object.kind != ObjectKind::Global || is_harmless(name) || !self.takes(name) {
                continue;
            }
            let bytes = self.feed.objects.get(name);
            let bytes = bytes.into_iter().flatten();
            let bytes: Vec<String> = bytes.map(|(at, byte)| format!("[{at}] = {byte}")).collect();
            line!(
                self.out,
                "\n__attribute__((aligned({}))) unsigned char {name}[{}] = {{{}}};",
                object.align.clamp(1, 4096),
                object.size.unwrap_or(1).max(1),
                bytes.join(", ")
            );
        }
        Ok(())
    }

    /// Calls the function that the program starts with, if it is not `main`.
    fn entry(&mut self) -> Result<(), String> {
        let Some(entry) = self.build.entry.as_deref().filter(|entry| *entry != "main") else {
            return Ok(());
        };
        if !self.symbols.global.contains(entry) {
            return Err(format!(
                "`{entry}` is static, so the harness cannot call it"
            ));
        }
        let functions = (0..self.program.functions.len() as u32).map(FuncId);
        let mut named = functions.filter(|&id| self.program.function_name(id) == entry);
        let Some(function) = named.next().map(|id| self.program.function(id)) else {
            return Err(format!("the program does not define `{entry}`"));
        };
        let model = self.program.model;
        let type_of = |var| c_type(self.program.var(var).ty, model).unwrap_or("int");
        let result = function.result.map_or("void", type_of);
        let params: Vec<&str> = function.params.iter().map(|&var| type_of(var)).collect();
        if params.len() != self.feed.arguments.len() {
            return Err(format!(
                "the arguments of `{entry}` are not only numbers and pointers"
            ));
        }
        let args = self.feed.arguments.iter().map(|(ty, bits)| match ty {
            Ty::Float(_) => "0".into(),
            _ => literal(*ty, *bits),
        });
        let args: Vec<String> = args.collect();
        if self
            .feed
            .arguments
            .iter()
            .any(|(ty, bits)| ty.is_float() && *bits != 0)
        {
            return Err(format!("an argument of `{entry}` is not an integer"));
        }
        let params = if params.is_empty() {
            "void".into()
        } else {
            params.join(", ")
        };
        line!(
            self.out,
            "\nextern {result} {entry}({params});\n\nint main(void)\n{{\n    {entry}({});\n    return 0;\n}}",
            args.join(", ")
        );
        Ok(())
    }

    /// What is called nevertheless, and what nobody calls.
    fn rest(&mut self) {
        let left: Vec<String> = self.symbols.undefined.iter().cloned().collect();
        let mut is_first = true;
        for name in left {
            // The sanitizer's own functions come with it.
            let is_sanitizer = name.starts_with("__asan_");
            if is_sanitizer || is_harmless(&name) || !self.takes(&name) || name == "main" {
                continue;
            }
            if is_first {
                line!(
                    self.out,
                    "\n/* Functions that the execution does not call, or calls for nothing. */"
                );
                is_first = false;
            }
            let gives_nothing = self.gives_nothing(&name);
            if gives_nothing && !self.build.external_writes {
                line!(self.out, "void {name}(void) {{}}");
            } else {
                let how = match name.starts_with("__VERIFIER_nondet") {
                    true => "harness_other_way",
                    false => "harness_cannot",
                };
                line!(
                    self.out,
                    "void {name}(void) {{ {how}(\"{name} is called\"); }}"
                );
            }
        }
    }

    /// Is it a function without a body whose calls do nothing?
    fn gives_nothing(&self, name: &str) -> bool {
        let program = self.program;
        let mut functions = program.function_index.iter();
        let Some((&symbol, &id)) = functions.find(|(known, _)| program.names.get(**known) == name)
        else {
            return false;
        };
        let function = program.function(id);
        let returns_nothing = match function.c_type.map(|ty| program.types.shape(ty)) {
            Some(Type::Function(ty)) => matches!(program.types.shape(ty.result), Type::Void),
            _ => false,
        };
        let of_function = |edge: &&cfa::program::Edge| program.location(edge.source).function == id;
        let ops = || {
            program
                .edges
                .iter()
                .filter(of_function)
                .map(|edge| program.op(edge.op))
        };
        // A body that was left out looks so, or sets `errno`.
        let sets_errno = |op: &Op| match op {
            Op::Havoc(_, input) => program
                .inputs
                .get(input.0 as usize)
                .is_some_and(|input| input.kind == InputKind::Library(symbol)),
            _ => false,
        };
        returns_nothing
            && !function.is_library_model
            && (ops().all(|op| *op == Op::Skip) || ops().any(sets_errno))
    }
}
