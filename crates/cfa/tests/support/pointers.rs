//! Random C programs in which pointers go unusual ways: through integers, tables, unions, bytes, comparisons.
//!
//! Each program takes an object, sends its address through a chain of routes that give it back unchanged, accesses the
//! object by the result and by its name in turn, and sums up what it reads, so that the sum depends on its inputs `n`
//! and `m` only, never on where objects lie. All of it is defined in C with the usual conversions between pointers and
//! integers. The inputs are few, so that all executions can be enumerated: the program for [`Ending::Show`] prints the
//! sum, that for [`Ending::Expect`] compares it with those that the executions had.

use super::random::Random;
use std::fmt::Write;

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

struct Writer {
    random: Random,
    globals: String,
    functions: String,
    body: String,
    end: String,
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
    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "    {text}");
    }

    fn small(&mut self) -> u64 {
        1 + self.random.below(90)
    }

    /// An index below a limit of at least [`CHOICES`], often one that the inputs decide.
    fn index(&mut self, limit: u64) -> String {
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
        let target = self.target();
        let mut pointer = format!("&{}", target.name);
        let routes = 1 + self.random.below(3);
        for _ in 0..routes {
            pointer = self.route(target.ty, &pointer);
        }
        let (first, second) = (self.small(), self.small());
        let name = &target.name;
        match self.random.below(6) {
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

    /// Sends a pointer some way; the name of what arrives.
    fn route(&mut self, ty: &str, pointer: &str) -> String {
        let k = self.number();
        let arrived = format!("p{k}");
        if self.random.below(3) == 0 {
            let text = self.pointer_route(k, ty, pointer);
            for line in text.lines() {
                self.line(line.trim());
            }
            return arrived;
        }
        self.line(&format!("W a{k} = (W)({pointer});"));
        self.line(&format!("W b{k} = 0;"));
        let text = self.word_route(k);
        for line in text.lines() {
            self.line(line.trim());
        }
        self.line(&format!("{ty} *p{k} = ({ty} *)b{k};"));
        arrived
    }

    /// Statements that declare `p{k}` with the pointer's value.
    fn pointer_route(&mut self, k: u32, ty: &str, pointer: &str) -> String {
        let index = self.index(3);
        match self.random.below(17) {
            0 => format!(
                "struct box x{k} = {{1, {pointer}, 2}}, y{k};\ny{k} = x{k};\n{ty} *p{k} = y{k}.data;"
            ),
            1 => format!(
                "union word u{k}[3] = {{{{&other}}, {{others}}, {{&third}}}}, v{k}[3];\n\
                 u{k}[{index}].p = {pointer};\n\
                 for (unsigned i = 0; i < sizeof(W) / 2; i++) v{k}[m].s[i] = u{k}[{index}].s[i];\n\
                 {ty} *p{k} = v{k}[m].p;"
            ),
            2 => format!(
                "union word u{k}[3];\nu{k}[{index}].p = {pointer};\n\
                 union word v{k} = u{k}[{index}];\n{ty} *p{k} = ({ty} *)v{k}.w;"
            ),
            3 => format!(
                "{ty} *x{k} = {pointer};\n{ty} *p{k};\ncopy_bytes(&p{k}, &x{k}, sizeof p{k});"
            ),
            4 => format!(
                "{ty} *x{k} = {pointer};\nunsigned char b{k}[3 * sizeof(W)];\n\
                 memcpy(b{k} + {index} * sizeof(W), &x{k}, sizeof x{k});\n\
                 memmove(b{k}, b{k} + {index} * sizeof(W), sizeof(W));\n\
                 {ty} *p{k};\nmemcpy(&p{k}, b{k}, sizeof p{k});"
            ),
            5 => format!(
                "struct node e{k} = {{0, {pointer}}}, d{k} = {{&e{k}, &other}};\n\
                 struct node *f{k} = &d{k};\nwhile (f{k}->next) f{k} = f{k}->next;\n\
                 {ty} *p{k} = f{k}->data;"
            ),
            6 => format!(
                "void *t{k}[3] = {{&other, &others[1], &third}};\nt{k}[{index}] = {pointer};\n\
                 {ty} *p{k} = t{k}[{index}];"
            ),
            7 => format!(
                "struct box x{k} = {{1, {pointer}, 2}};\nint *i{k} = &x{k}.id;\n\
                 struct box *o{k} = (struct box *)((char *)i{k} - __builtin_offsetof(struct box, id));\n\
                 {ty} *p{k} = o{k}->data;"
            ),
            8 => format!("void *x{k};\nput(&x{k}, {pointer});\n{ty} *p{k} = x{k};"),
            9 => {
                let _ = writeln!(self.end, "    free(h{k});");
                format!(
                    "void **h{k} = malloc(sizeof *h{k});\n*h{k} = {pointer};\n\
                     h{k} = realloc(h{k}, 3 * sizeof *h{k});\nh{k}[2] = &other;\n{ty} *p{k} = h{k}[0];"
                )
            }
            10 => format!("{ty} *p{k} = ({ty} *)((char *)({pointer}) + sizeof({ty})) - 1;"),
            11 => format!("{ty} *p{k} = same({pointer});"),
            12 => format!("{ty} *p{k} = deep((char *)({pointer}), 1);"),
            13 => format!("kept_pointer = {pointer};\n{ty} *p{k} = kept_pointer;"),
            14 => {
                let _ = writeln!(
                    self.functions,
                    "static void set{k}({ty} **to, {ty} *p, unsigned n)\n{{\n    if (n)\n        \
                     set{k}(to, p, n - 1);\n    else\n        *to = p;\n}}"
                );
                format!("{ty} *p{k};\nset{k}(&p{k}, {pointer}, n);")
            }
            15 => format!(
                "struct {{ int a; union word w[2]; }} s{k}, o{k};\ns{k}.w[n & 1].p = {pointer};\n\
                 memcpy(&o{k}, &s{k}, sizeof s{k});\n{ty} *p{k} = o{k}.w[n & 1].p;"
            ),
            _ => format!(
                "{ty} *x{k} = {pointer};\nswap_bytes((unsigned char *)&x{k}, sizeof x{k});\n\
                 swap_bytes((unsigned char *)&x{k}, sizeof x{k});\n{ty} *p{k} = x{k};"
            ),
        }
    }

    /// Statements that give `b{k}` the value of `a{k}`.
    fn word_route(&mut self, k: u32) -> String {
        let index = self.index(3);
        let key = self.random.below(1 << 30);
        match self.random.below(38) {
            0 => format!("b{k} = (a{k} ^ {key}u) ^ {key}u;"),
            1 => format!("b{k} = a{k} ^ (W)&other;\nb{k} ^= (W)&other;"),
            2 => format!(
                "W l{k} = a{k} & (((W)1 << BITS / 2) - 1), h{k} = a{k} >> BITS / 2;\n\
                 b{k} = h{k} << BITS / 2 | l{k};"
            ),
            3 => format!(
                "unsigned char c{k}[sizeof(W)];\n\
                 for (unsigned i = 0; i < sizeof(W); i++) c{k}[i] = a{k} >> 8 * i;\n\
                 for (unsigned i = 0; i < sizeof(W); i++) b{k} |= (W)c{k}[i] << 8 * i;"
            ),
            4 => {
                format!("for (unsigned i = 0; i < BITS; i++) if (a{k} >> i & 1) b{k} |= (W)1 << i;")
            }
            5 => format!("F f{k} = a{k};\nb{k} = f{k};"),
            6 => format!("F f{k} = a{k};\nf{k} = f{k} * 2 + 2;\nb{k} = f{k} / 2 - 1;"),
            7 => format!("D d{k} = (D)a{k} * 3;\nd{k} /= 3;\nb{k} = d{k};"),
            8 => format!("b{k} = a{k} / 16 * 16;\nb{k} += a{k} % 16;"),
            9 => {
                let by = 3 + 2 * self.random.below(50);
                format!("W q{k} = a{k} / {by}, r{k} = a{k} % {by};\nb{k} = q{k} * {by} + r{k};")
            }
            10 => format!("b{k} = -a{k};\nb{k} = -b{k};"),
            11 => format!("b{k} = ~a{k};\nb{k} = ~b{k};"),
            12 => format!("b{k} = a{k} * 3;\nb{k} *= (W)0xaaaaaaaaaaaaaaabull;"),
            13 => {
                let by = 1 + self.random.below(30);
                format!(
                    "b{k} = a{k} << {by} | a{k} >> (BITS - {by});\n\
                     b{k} = b{k} >> {by} | b{k} << (BITS - {by});"
                )
            }
            14 => format!("b{k} = SWAP(a{k});\nb{k} = SWAP(b{k});"),
            15 => format!(
                "char s{k}[24];\nint z{k} = 0;\nfor (W r = a{k}; r; r /= 10) s{k}[z{k}++] = '0' + r % 10;\n\
                 while (z{k} > 0) b{k} = b{k} * 10 + (s{k}[--z{k}] - '0');"
            ),
            16 => format!(
                "static const unsigned char t{k}[16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};\n\
                 for (unsigned i = 0; i < BITS; i += 4) b{k} |= (W)t{k}[a{k} >> i & 15] << i;"
            ),
            17 => format!(
                "for (W bit = (W)1 << (BITS - 1); bit; bit >>= 1) if ((b{k} | bit) <= a{k}) b{k} |= bit;"
            ),
            18 | 19 => format!(
                "W t{k}[3] = {{(W)&other, 1, (W)&third}};\nt{k}[{index}] = a{k};\nb{k} = t{k}[{index}];"
            ),
            20 => format!("b{k} = deep_word(a{k}, 2);"),
            21 => format!("b{k} = same_word(a{k});"),
            22 => format!("W d{k} = a{k} - (W)&other;\nb{k} = (W)&other + d{k};"),
            23 => format!(
                "W s{k} = a{k} + (W)&other + (W)others;\nb{k} = s{k} - (W)others - (W)&other;"
            ),
            24 => format!(
                "struct halves f{k};\nf{k}.low = a{k};\nf{k}.high = a{k} >> BITS / 2;\n\
                 b{k} = (W)f{k}.high << BITS / 2 | f{k}.low;"
            ),
            25 => format!("b{k} = last_word(2, (W)&other, a{k});"),
            26 | 27 => format!(
                "W guess_at{k} = a{k};\nW g{k} = __VERIFIER_nondet_ulong();\n\
                 if (g{k} == guess_at{k}) b{k} = g{k}; else b{k} = a{k};"
            ),
            28 => format!("kept = a{k} + {key}u;\nb{k} = kept - {key}u;"),
            29 => format!(
                "switch (n) {{\ncase 0: b{k} = a{k} * 5; b{k} -= a{k} * 4; break;\n\
                 case 1: b{k} = a{k} + 7; b{k} -= 7; break;\ndefault: b{k} = a{k}; }}"
            ),
            30 => format!(
                "union word u{k};\nu{k}.w = a{k};\nunsigned short s{k}[sizeof(W) / 2];\n\
                 for (unsigned i = 0; i < sizeof(W) / 2; i++) s{k}[i] = u{k}.s[i];\n\
                 union word v{k};\nfor (unsigned i = 0; i < sizeof(W) / 2; i++) v{k}.s[i] = s{k}[i];\n\
                 b{k} = v{k}.w;"
            ),
            31 => format!(
                "unsigned char c{k}[2 * sizeof(W)];\nmemcpy(c{k} + n, &a{k}, sizeof a{k});\n\
                 memcpy(&b{k}, c{k} + n, sizeof b{k});"
            ),
            32 => format!("b{k} = a{k} + n * 8;\nfor (unsigned i = 0; i < n; i++) b{k} -= 8;"),
            33 => format!(
                "W m{k} = a{k} & (W)0x5555555555555555ull, o{k} = a{k} & (W)0xaaaaaaaaaaaaaaaaull;\n\
                 b{k} = n & 1 ? m{k} + o{k} : m{k} | o{k};"
            ),
            34 => format!("b{k} = (W)(a{k} < (W)&other ? (W)&other - ((W)&other - a{k}) : a{k});"),
            35 => format!(
                "D d{k} = (D)a{k} << BITS | a{k};\nd{k} >>= BITS - 3;\nb{k} = (W)(d{k} >> 3);"
            ),
            36 => format!(
                "long t{k}[3] = {{0}};\nt{k}[m] = (long)(a{k} - {key}u);\nlong s{k} = 0;\n\
                 for (int i = 0; i < 3; i++) s{k} |= t{k}[i];\nb{k} = (W)s{k} + {key}u;"
            ),
            _ => format!(
                "b{k} = a{k} % ((W)1 << BITS / 2);\nb{k} += a{k} / ((W)1 << BITS / 2) * ((W)1 << BITS / 2);"
            ),
        }
    }
}
