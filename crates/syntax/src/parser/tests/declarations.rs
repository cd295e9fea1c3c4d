use super::{items, last};

#[test]
fn declarators_are_read_from_the_name_outwards() {
    assert_eq!(last("int *a[3];"), "(a: [3] * Int)");
    assert_eq!(last("int (*a)[3];"), "(a: * [3] Int)");
    assert_eq!(last("int *const *p;"), "(p: * *const Int)");
    assert_eq!(
        last("char *(*(*f(int))[5])(void);"),
        "(f: (_: Int,) * [5] * (void) * Char)"
    );
    assert_eq!(
        last("void (*signal(int s, void (*f)(int)))(int);"),
        "(signal: (s: Int, f: * (_: Int,) Void,) * (_: Int,) Void)"
    );
    assert_eq!(last("int ((x)), *y;"), "(x: Int) (y: * Int)");
    assert_eq!(
        last("int f(), g(void), h(int, ...);"),
        "(f: () Int) (g: (void) Int) (h: (_: Int, ...) Int)"
    );
    assert_eq!(
        last("void f(int a[static const 3], int b[*], int c[restrict]);"),
        "(f: (a: [static const3] Int, b: [*] Int, c: [restrict] Int,) Void)"
    );
}

#[test]
fn type_keywords_combine_in_any_order() {
    for (text, ty) in [
        ("unsigned", "UInt"),
        ("long unsigned int long", "ULongLong"),
        ("char signed", "SChar"),
        ("short", "Short"),
        ("unsigned short int", "UShort"),
        ("int long", "Long"),
        ("double long", "LongDouble"),
        ("_Bool", "Bool"),
        ("unsigned __int128", "UInt128"),
        ("__signed__ char", "SChar"),
        ("_Float128", "Float128"),
        ("__float128", "Float128"),
        ("float _Complex", "ComplexFloat"),
        ("_Complex _Float32", "ComplexFloat"),
        ("_Complex", "ComplexDouble"),
        ("unsigned _Complex short", "ComplexUShort"),
        ("__int128_t", "Int128"),
        ("__builtin_va_list", "VaList"),
        ("_Float64x", "LongDouble"),
        ("_Float32", "Float"),
        ("_Float32x", "Double"),
        ("__uint128_t", "UInt128"),
        ("void", "Void"),
    ] {
        assert_eq!(last(&format!("{text} x;")), format!("(x: {ty})"), "{text}");
    }
    assert_eq!(
        last("const volatile int long static extern_;"),
        "(extern_: static const volatile Long)"
    );
    assert_eq!(last("_Atomic(int) a;"), "(a: atomic typeof(Int))");
    assert_eq!(last("_Atomic int a;"), "(a: atomic Int)");
    assert_eq!(
        last("_Thread_local static int t; "),
        "(t: static thread Int)"
    );
    assert_eq!(
        last("static inline _Noreturn void f(void);"),
        "(f: (void) static inline noreturn Void)"
    );
    assert_eq!(
        last("_Alignas(16) _Alignas(long) char c;"),
        "(c: alignas(16) alignas(Long) Char)"
    );
    assert_eq!(last("__typeof__(1 + 2) x; "), "(x: typeof((Add 1 2)))");
    assert_eq!(last("typeof(int *) x;"), "(x: typeof(* Int))");
}

#[test]
fn typedef_names_are_types_until_hidden() {
    assert_eq!(last("typedef int T; T x;"), "(x: T)");
    assert_eq!(last("typedef int T; unsigned T;"), "(T: UInt)");
    assert_eq!(
        last("typedef int T; int f(T), g(T T), h(int (T));"),
        "(f: (_: T,) Int) (g: (T: T,) Int) (h: (_: (_: T,) Int,) Int)"
    );
    assert_eq!(
        last("typedef int T; struct s { T T; T t : 3; T : 2; unsigned T : 1; };"),
        "(declare struct s{(T: T) (t: T :3) (_: T :2) (T: UInt :1)})"
    );
    assert_eq!(last("typedef int T, *P; const P p;"), "(p: const P)");
    assert_eq!(last("typedef int T; void f(int T) { T++; } T x;"), "(x: T)");
    assert_eq!(
        last("typedef int T; enum { T2 }; f() { enum { T }; return T * T2; }"),
        "(function f: () ? {(declare enum _{T}) (return (Mul T T2))})"
    );
    // Headers for compilers without the type declare it themselves.
    assert_eq!(last("typedef float _Float32; _Float32 x;"), "(x: Float)");
}

#[test]
fn structs_unions_and_enums() {
    assert_eq!(
        last("struct s { int (*f)(struct s { int x; }); };"),
        "(declare struct s{(f: * (_: struct s{(x: Int)},) Int)})"
    );
    assert_eq!(
        last("struct s { int a, *b; union { char c; }; ; int d[]; } x;"),
        "(x: struct s{(a: Int) (b: * Int) (union _{(c: Char)}) (d: [] Int)})"
    );
    assert_eq!(last("struct { } e;"), "(e: struct _{})");
    assert_eq!(last("struct s { int a }; "), "(declare struct s{(a: Int)})");
    assert_eq!(
        last("enum e { A, B = 3, C, };"),
        "(declare enum e{A B=3 C})"
    );
    assert_eq!(last("enum e x;"), "(x: enum e)");
    assert_eq!(
        last("struct s { _Static_assert(1, \"x\"); __extension__ int y; };"),
        "(declare struct s{(static_assert 1) (y: Int)})"
    );
}

#[test]
fn attributes_in_every_position() {
    assert_eq!(
        last("struct __attribute__((packed)) s { int x; } __attribute__((aligned(8))) y;"),
        "(y: struct s{(x: Int)} @packed @aligned(8))"
    );
    assert_eq!(
        last("struct s __attribute__((__packed__)) { int x; };"),
        "(declare struct s{(x: Int)} @packed)"
    );
    assert_eq!(
        last("struct s __attribute__((aligned(8))) x;"),
        "(x: struct s @aligned(8))"
    );
    assert_eq!(
        last("struct s { int x __attribute__((aligned(4))), y : 3 __attribute__((packed)); };"),
        "(declare struct s{(x: Int @aligned(4)) (y: Int :3 @packed)})"
    );
    assert_eq!(
        last(
            "int __attribute__((cdecl)) f(int x __attribute__((unused))) __attribute__((const, nothrow));"
        ),
        "(f: (x: Int @unused,) Int @cdecl @const @nothrow)"
    );
    assert_eq!(
        last("int (__attribute__((stdcall)) *fp)(int);"),
        "(fp: * (_: Int,) Int @stdcall)"
    );
    assert_eq!(
        last("int * __attribute__((aligned(2))) const p;"),
        "(p: *const Int @aligned(2))"
    );
    assert_eq!(
        last("int a, __attribute__((unused)) b;"),
        "(a: Int) (b: Int @unused)"
    );
    assert_eq!(
        last("void f(int (__attribute__((x)) *)(void));"),
        "(f: (_: * (void) Int @x,) Void)"
    );
    assert_eq!(
        last("typedef int SI __attribute__((mode(SI), aligned(sizeof(int))));"),
        "(SI: typedef Int @mode(SI) @aligned((sizeof type Int)))"
    );
    assert_eq!(
        last("int x asm(\"y\") __attribute__((used)) = 3;"),
        "(x: Int @used asm:y = 3)"
    );
    assert_eq!(
        last("enum __attribute__((packed)) e { A __attribute__((deprecated)) = 1 };"),
        "(declare enum e{A=1} @packed)"
    );
    assert_eq!(
        last("int x __attribute__(()), y __attribute__((,a,,b,));"),
        "(x: Int) (y: Int @a @b)"
    );
    assert_eq!(
        last("int printf(const char *, ...) __attribute__((__format__(__printf__, 1, 2)));"),
        "(printf: (_: * const Char, ...) Int @format(__printf__ 1 2))"
    );
    assert_eq!(
        last("extern __inline __attribute__((__gnu_inline__)) int f(void) { return 1; }"),
        "(function f: (void) extern inline Int @gnu_inline {(return 1)})"
    );
}

#[test]
fn pragma_pack_is_an_attribute_of_the_records_it_covers() {
    assert_eq!(
        items(
            "#pragma pack(push, 1)\nstruct a { int x; };\n#pragma pack(pop)\nstruct b { int x; };"
        ),
        [
            "(declare struct a{(x: Int)} @pragma pack(1))",
            "(declare struct b{(x: Int)})"
        ]
    );
}

#[test]
fn functions_of_every_style() {
    assert_eq!(
        last("int f(int a, char b) { }"),
        "(function f: (a: Int, b: Char,) Int {})"
    );
    assert_eq!(
        last("f(a, b) int a; char *b; { }"),
        "(function f: (a b) ? (a: Int) (b: * Char) {})"
    );
    assert_eq!(last("main() { }"), "(function main: () ? {})");
    assert_eq!(
        last("int (*f(void))(int) { }"),
        "(function f: (void) * (_: Int,) Int {})"
    );
    assert_eq!(last("static x, *y;"), "(x: static ?) (y: * static ?)");
}

#[test]
fn initialisers() {
    assert_eq!(
        last("int a[] = { 1, [3] = 4, [5 ... 7] = 8, { 9 }, };"),
        "(a: [] Int = {1 [3]=4 [5...7]=8 {9}})"
    );
    assert_eq!(
        last("struct s x = { .a = 1, .b.c[2] = 3, d: 4 };"),
        "(x: struct s = {.a=1 .b.c[2]=3 .d=4})"
    );
    assert_eq!(last("int a[3] = { [1] 5 };"), "(a: [3] Int = {[1]=5})");
    assert_eq!(last("struct s x = {};"), "(x: struct s = {})");
    assert_eq!(last("char s[] = \"a\" \"b\";"), "(s: [] Char = \"ab\")");
}

#[test]
fn odd_corners_of_the_top_level() {
    assert_eq!(items(";;int x;;").len(), 1);
    assert_eq!(items("_Static_assert(sizeof(int) == 4, \"int\");").len(), 1);
    assert_eq!(items("_Static_assert(1);").len(), 1);
    assert_eq!(
        last("__extension__ typedef struct { int q; } div_t;"),
        "(div_t: typedef struct _{(q: Int)})"
    );
    assert_eq!(last("int $a$b;"), "($a$b: Int)");
    assert_eq!(
        last("int f(int n; int a[n], int n);"),
        "(f: (a: [n] Int, n: Int,) Int)"
    );
    assert_eq!(last("int f(...);"), "(f: ( ...) Int)");
}
