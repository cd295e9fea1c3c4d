//! Random C programs in which pointers go unusual ways: through integers, tables, unions, bytes,
//! comparisons.
//!
//! Each program takes an object, sends its address through a chain of routes that give it back
//! unchanged, accesses the object by the result and by its name in turn, and sums up what it reads,
//! so that the sum depends on its inputs `n` and `m` only, never on where objects lie. All of it is
//! defined in C with the usual conversions between pointers and integers. The inputs are few, so
//! that all executions can be enumerated: the program for [`Ending::Show`] prints the sum, that for
//! [`Ending::Expect`] compares it with those that the executions had.

use std::fmt::Write;
use testing::Random;

/// The values of `n`, and of `m`.
pub const CHOICES: u32 = 3;

#[derive(Clone, Copy)]
#[allow(dead_code)]
pub enum Ending<'a> {
    /// Prints the sum.
    Show,
    /// The error is reached unless the sum of the inputs `n` and `m` is entry `n * CHOICES + m`.
    Expect(&'a [u32]),
}

/// What every program begins with.
const PRELUDE: &str = "\
int printf(const char *, ...);
void *malloc(__SIZE_TYPE__);
void *calloc(__SIZE_TYPE__, __SIZE_TYPE__);
void *realloc(void *, __SIZE_TYPE__);
void free(void *);
void *memcpy(void *, const void *, __SIZE_TYPE__);
void *memmove(void *, const void *, __SIZE_TYPE__);
void *memset(void *, int, __SIZE_TYPE__);
int memcmp(const void *, const void *, __SIZE_TYPE__);
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);
typedef unsigned long W;
enum { BITS = 8 * sizeof(W) };
#if __SIZEOF_POINTER__ == 8
typedef unsigned __int128 D;
typedef long double F;
#define SWAP __builtin_bswap64
#else
typedef unsigned long long D;
typedef double F;
#define SWAP __builtin_bswap32
#endif
struct trio { int a, b, c; };
struct box { char tag; void *data; int id; };
struct __attribute__((packed)) tight { char tag; void *data; };
struct many { int id; void *data[3]; };
struct node { struct node *next; void *data; };
struct halves { W low : BITS / 2; W high : BITS / 2; };
union word { void *p; W w; unsigned short s[sizeof(W) / 2]; unsigned char b[sizeof(W)]; };
struct tail { int count; int cells[]; };
static int other, others[4], third;
static W kept;
static void *kept_pointer;
static W same_word(W a) { return a; }
static void *same(void *p) { return p; }
static W deep_word(W a, unsigned depth) { return depth ? deep_word(a + 5, depth - 1) - 5 : a; }
static void *deep(char *p, unsigned depth) { return depth ? (char *)deep(p + 1, depth - 1) - 1 : p; }
static W last_word(int count, ...)
{
    __builtin_va_list list;
    W a = 0;
    __builtin_va_start(list, count);
    for (int i = 0; i < count; i++)
        a = __builtin_va_arg(list, W);
    __builtin_va_end(list);
    return a;
}
static void put(void **to, void *p) { *to = p; }
static void copy_bytes(void *to, const void *from, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}
static void swap_bytes(unsigned char *b, unsigned size)
{
    for (unsigned i = 0; i < size / 2; i++) {
        unsigned char c = b[i];
        b[i] = b[size - 1 - i];
        b[size - 1 - i] = c;
    }
}
static unsigned char depth_of(unsigned char c) { return c ? depth_of(c - 1) + 1 : 0; }
static void add_to(int *p, int by) { *p += by; }
";

/// An object to access: by name, and by pointers to it.
struct Target {
    /// Its type.
    ty: &'static str,
    /// What names it directly.
    name: String,
    /// What lies beside it, read at the end.
    beside: Vec<String>,
}

pub struct Writer {
    pub(super) random: Random,
    globals: String,
    pub(super) functions: String,
    body: String,
    pub(super) end: String,
    next: u32,
}

/// The program of a seed.
pub fn program(seed: u64, ending: Ending<'_>) -> String {
    let mut writer = Writer {
        random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        globals: String::new(),
        functions: String::new(),
        body: String::new(),
        end: String::new(),
        next: 0,
    };
    let gadgets = 1 + writer.random.below(3);
    for _ in 0..gadgets {
        writer.gadget();
    }
    let finish = match ending {
        Ending::Show => "    printf(\"%u\\n\", sum);\n".to_owned(),
        Ending::Expect(sums) => {
            let mut text = String::new();
            for (index, sum) in (0u32..).zip(sums) {
                let (n, m) = (index / CHOICES, index % CHOICES);
                let _ = writeln!(
                    text,
                    "    if (n == {n} && m == {m} && sum != {sum}u)\n        reach_error();"
                );
            }
            text
        }
    };
    format!(
        "{PRELUDE}{}{}int main(void)\n{{\n    unsigned n = __VERIFIER_nondet_uint(), \
         m = __VERIFIER_nondet_uint(), sum = 0;\n    if (n >= {CHOICES} || m >= {CHOICES})\n        \
         return 0;\n{}{}    sum = sum * 3 + other + others[0] + others[3] + third;\n{finish}    \
         return 0;\n}}\n",
        writer.globals, writer.functions, writer.body, writer.end
    )
}

impl Writer {
    pub(super) fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "    {text}");
    }

    fn small(&mut self) -> u64 {
        1 + self.random.below(90)
    }

    /// An index below a limit of at least [`CHOICES`], often one that the inputs decide.
    pub(super) fn index(&mut self, limit: u64) -> String {
        match self.random.below(8) {
            0 => self.random.below(limit).to_string(),
            1 => "n".into(),
            2 => "m".into(),
            3 => format!("({} - n)", limit - 1),
            // Three times the inverse of three: the product wraps.
            4 => "(n * 2863311531u * 3u)".into(),
            5 => format!("((n + m) % {limit})"),
            6 => format!("((n * {}u + m) % {limit}u)", 1 + self.random.below(9)),
            _ => format!("(m > 0 ? n : {})", self.random.below(limit)),
        }
    }

    // ---- what is accessed ----

    fn target(&mut self) -> Target {
        let k = self.number();
        let beside = |names: &[String]| names.to_vec();
        match self.random.below(14) {
            0 => {
                let _ = writeln!(self.globals, "static int g{k} = 4;");
                Target {
                    ty: "int",
                    name: format!("g{k}"),
                    beside: Vec::new(),
                }
            }
            1 => {
                self.line(&format!("int x{k} = 2;"));
                Target {
                    ty: "int",
                    name: format!("x{k}"),
                    beside: Vec::new(),
                }
            }
            2 | 3 => {
                let index = self.index(4);
                let _ = writeln!(self.globals, "static int t{k}[4] = {{1, 2, 3, 4}};");
                Target {
                    ty: "int",
                    name: format!("t{k}[{index}]"),
                    beside: beside(&[format!("t{k}[0]"), format!("t{k}[2]"), format!("t{k}[n]")]),
                }
            }
            4 | 5 => {
                let (index, field) = (self.index(3), self.random.pick(&["a", "b", "c"]));
                self.line(&format!(
                    "struct trio r{k}[3] = {{{{1, 2, 3}}, {{4, 5, 6}}, {{7, 8, 9}}}};"
                ));
                Target {
                    ty: "int",
                    name: format!("r{k}[{index}].{field}"),
                    beside: beside(&[
                        format!("r{k}[0].b"),
                        format!("r{k}[1].a"),
                        format!("r{k}[n].c"),
                    ]),
                }
            }
            6 => {
                let index = self.index(3);
                self.line(&format!(
                    "int *h{k} = malloc(3 * sizeof(int)); h{k}[0] = 3; h{k}[1] = 5; h{k}[2] = 7;"
                ));
                let _ = writeln!(self.end, "    free(h{k});");
                Target {
                    ty: "int",
                    name: format!("h{k}[{index}]"),
                    beside: beside(&[format!("h{k}[1]"), format!("h{k}[m]")]),
                }
            }
            7 => {
                let index = self.index(3);
                self.line(&format!(
                    "struct tail *f{k} = malloc(sizeof(struct tail) + 3 * sizeof(int)); \
                     f{k}->count = 3; for (int i = 0; i < 3; i++) f{k}->cells[i] = i;"
                ));
                let _ = writeln!(self.end, "    free(f{k});");
                Target {
                    ty: "int",
                    name: format!("f{k}->cells[{index}]"),
                    beside: beside(&[format!("f{k}->count"), format!("f{k}->cells[1]")]),
                }
            }
            8 => {
                let (row, column) = (self.index(3), self.index(3));
                let _ = writeln!(self.globals, "static int d{k}[3][3];");
                Target {
                    ty: "int",
                    name: format!("d{k}[{row}][{column}]"),
                    beside: beside(&[format!("d{k}[1][0]"), format!("d{k}[0][n]")]),
                }
            }
            9 => {
                let index = self.index(4);
                self.line(&format!(
                    "union {{ int i; short s[2]; unsigned char b[4]; }} u{k}; u{k}.i = 0x01020304;"
                ));
                let (ty, name) = match self.random.below(3) {
                    0 => ("unsigned char", format!("u{k}.b[{index}]")),
                    1 => ("short", format!("u{k}.s[m & 1]")),
                    _ => ("int", format!("u{k}.i")),
                };
                Target {
                    ty,
                    name,
                    beside: beside(&[
                        format!("u{k}.b[1]"),
                        format!("u{k}.s[1]"),
                        format!("u{k}.i"),
                    ]),
                }
            }
            10 => {
                let index = self.index(8);
                let _ = writeln!(self.globals, "static unsigned char c{k}[8] = \"abcdefg\";");
                Target {
                    ty: "unsigned char",
                    name: format!("c{k}[{index}]"),
                    beside: beside(&[format!("c{k}[0]"), format!("c{k}[5]")]),
                }
            }
            11 => {
                let _ = writeln!(
                    self.globals,
                    "static struct {{ char c; struct trio in; short s; }} w{k};"
                );
                let (ty, name) = match self.random.below(3) {
                    0 => ("int", format!("w{k}.in.b")),
                    1 => ("short", format!("w{k}.s")),
                    _ => ("int", format!("w{k}.in.c")),
                };
                Target {
                    ty,
                    name,
                    beside: beside(&[format!("w{k}.c"), format!("w{k}.in.a"), format!("w{k}.s")]),
                }
            }
            12 => {
                self.line(&format!(
                    "short q{k}[6] = {{1, 2, 3, 4, 5, 6}}; struct trio z{k} = {{1, 2, 3}};"
                ));
                let index = self.index(6);
                Target {
                    ty: "short",
                    name: format!("q{k}[{index}]"),
                    beside: beside(&[format!("q{k}[2]"), format!("z{k}.a"), format!("z{k}.c")]),
                }
            }
            _ => {
                let index = self.index(3);
                self.line(&format!(
                    "struct trio *l{k} = calloc(2, sizeof *l{k}); l{k} = realloc(l{k}, 3 * sizeof *l{k}); \
                     memset(&l{k}[2], 1, sizeof *l{k});"
                ));
                let _ = writeln!(self.end, "    free(l{k});");
                Target {
                    ty: "int",
                    name: format!("l{k}[{index}].b"),
                    beside: beside(&[format!("l{k}[2].a"), format!("l{k}[0].b")]),
                }
            }
        }
    }

    // ---- what is done with it ----

    fn gadget(&mut self) {
        if self.random.below(4) == 0 {
            return self.offset_gadget();
        }
        let target = self.target();
        let mut pointer = format!("&{}", target.name);
        let routes = 1 + self.random.below(3);
        for _ in 0..routes {
            pointer = self.route(target.ty, &pointer);
        }
        let (first, second) = (self.small(), self.small());
        let name = &target.name;
        match self.random.below(8) {
            0 => {
                self.line(&format!("{name} = {first};"));
                self.line(&format!("sum = sum * 3 + *{pointer};"));
            }
            1 => {
                self.line(&format!("*{pointer} = {second};"));
                self.line(&format!("sum = sum * 3 + {name};"));
            }
            2 => {
                self.line(&format!("*({pointer}) += {second};"));
                self.line(&format!("sum = sum * 3 + {name};"));
                self.line(&format!("{name} += {first};"));
                self.line(&format!("sum = sum * 3 + *({pointer});"));
            }
            3 => {
                self.line(&format!("*(unsigned char *)({pointer}) = {second};"));
                self.line(&format!("sum = sum * 3 + {name};"));
            }
            4 if target.ty == "int" => {
                self.line(&format!("add_to({pointer}, {first});"));
                self.line(&format!("sum = sum * 3 + {name};"));
            }
            5 if target.ty != "unsigned char" => {
                let k = self.number();
                self.line(&format!("unsigned char v{k} = {first};"));
                self.line(&format!("memcpy((char *)({pointer}) + 1, &v{k}, 1);"));
                self.line(&format!("sum = sum * 3 + {name};"));
                self.line(&format!("{name} = {second};"));
                self.line(&format!("memcpy(&v{k}, {pointer}, 1);"));
                self.line(&format!("sum = sum * 3 + v{k};"));
            }
            6 => {
                self.line(&format!("memset({pointer}, {second}, 1);"));
                self.line(&format!("sum = sum * 3 + {name};"));
                self.line(&format!(
                    "memset({pointer}, {first}, n < sizeof *({pointer}) ? n : 1);"
                ));
                self.line(&format!("sum = sum * 3 + {name};"));
            }
            _ => {
                let k = self.number();
                let ty = target.ty;
                self.line(&format!("{ty} v{k} = {first};"));
                self.line(&format!("memcpy({pointer}, &v{k}, sizeof v{k});"));
                self.line(&format!("sum = sum * 3 + {name};"));
                self.line(&format!("{name} = {second};"));
                self.line(&format!("memcpy(&v{k}, {pointer}, sizeof v{k});"));
                self.line(&format!("sum = sum * 3 + v{k};"));
            }
        }
        for beside in target.beside {
            self.line(&format!("sum = sum * 3 + {beside};"));
        }
    }

    /// An array that is accessed at a computed distance from its start, if that is inside of it:
    /// products wrap, bits are masked and cut off.
    fn offset_gadget(&mut self) {
        let k = self.number();
        let (first, second) = (self.small(), self.small());
        let place = self.random.below(6);
        // Multiplied by three and by five these are 1, modulo 2^32, 2^16 and 2^8.
        let (factor, inverse) = match self.random.below(4) {
            0 => (3, "2863311531u"),
            1 => (5, "3435973837u"),
            2 => (3, "43691u"),
            _ => (3, "171u"),
        };
        let index = match inverse {
            "43691u" => format!("(unsigned short)(i{k} * {factor}u)"),
            "171u" => format!("(unsigned char)(i{k} * {factor}u)"),
            _ => format!("(i{k} * {factor}u)"),
        };
        let bytes = match inverse {
            "43691u" => format!("(unsigned short)(i{k} * {}u)", factor * 4),
            "171u" => format!("(unsigned char)(i{k} * {}u)", factor * 4),
            _ => format!("(i{k} * {}u)", factor * 4),
        };
        let _ = writeln!(
            self.globals,
            "static int o{k}[12] = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};"
        );
        self.line(&format!("unsigned i{k} = (n + {place}) * {inverse};"));
        let random = self.expression(k, 3);
        let (limit, place) = match self.random.below(7) {
            0 => (format!("{index} < 12"), format!("o{k}[{index}]")),
            1 => (
                format!("{bytes} < 48"),
                format!("*(int *)((char *)o{k} + {bytes})"),
            ),
            2 => (
                format!("{bytes} < 48"),
                format!("*(int *)((W)o{k} + {bytes})"),
            ),
            3 => (
                format!("{bytes} < 40"),
                format!("((struct trio *)((W)o{k} + {bytes}))->b"),
            ),
            4 => (format!("(W)({random}) < 12"), format!("o{k}[{random}]")),
            5 => (
                format!("(W)({random}) < 4"),
                format!("((struct trio *)o{k})[{random}].c"),
            ),
            _ => (
                format!("(W)({random}) < 45"),
                format!("*(int *)((char *)o{k} + (({random}) & ~3u))"),
            ),
        };
        self.line(&format!("if ({limit}) {place} = {first};"));
        let read = self.index(12);
        self.line(&format!("sum = sum * 3 + o{k}[{read}];"));
        for at in 0..12 {
            self.line(&format!("sum = sum * 3 + o{k}[{at}];"));
        }
        self.line(&format!("o{k}[{read}] = {second};"));
        self.line(&format!("if ({limit}) sum = sum * 3 + {place};"));
    }

    /// An expression of unsigned integers over `n`, `m` and `i{k}`.
    fn expression(&mut self, k: u32, depth: u32) -> String {
        let leaf = match self.random.below(4) {
            0 => "n".to_owned(),
            1 => "m".to_owned(),
            2 => format!("i{k}"),
            _ => format!("{}u", self.random.below(20)),
        };
        if depth == 0 {
            return leaf;
        }
        let a = self.expression(k, depth - 1);
        let factors = [
            "3",
            "4",
            "12",
            "24",
            "2863311532",
            "1431655766",
            "1073741824",
            "2147483652",
        ];
        let masks = ["12", "3", "60", "4294967292", "63", "7"];
        let factor = self.random.pick(&factors);
        let mask = self.random.pick(&masks);
        match self.random.below(13) {
            0 | 1 => format!("({a} * {factor}u)"),
            2 => format!("({a} << {})", self.random.below(32)),
            3 => format!("({a} & {mask}u)"),
            4 => format!("({a} | {mask}u)"),
            5 => format!("({a} ^ {mask}u)"),
            6 => format!("({a} + {leaf})"),
            7 => format!("({a} - {leaf})"),
            8 => format!("({a} % {}u)", 1 + self.random.below(50)),
            9 => format!("({a} / {}u)", 1 + self.random.below(5)),
            10 => format!("(unsigned char){a}"),
            11 => format!("({a} > {mask}u ? {leaf} : {a})"),
            _ => format!(
                "(unsigned)(((unsigned long long){a} * {factor}u) >> {})",
                self.random.below(33)
            ),
        }
    }
}
