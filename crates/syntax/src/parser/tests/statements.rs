use super::{body, last};

#[test]
fn control_flow() {
    assert_eq!(body("if (a) if (b) x; else y;"), "(if a (if b x; else y;))");
    assert_eq!(
        body("while (a) { b; continue; }"),
        "(while a {b; continue})"
    );
    assert_eq!(body("do x++; while (x < 3);"), "(do (PostInc x); (Lt x 3))");
    assert_eq!(
        body("for (int i = 0; i < 3; i++) ;"),
        "(for (i: Int = 0) (Lt i 3) (PostInc i) ;)"
    );
    assert_eq!(
        body("for (i = 0, j = 1;;) break;"),
        "(for (, (= i 0) (= j 1)) _ _ break)"
    );
    assert_eq!(body("for (;;) {}"), "(for _ _ _ {})");
    assert_eq!(body("return; return a, b;"), "(return _) (return (, a b))");
    assert_eq!(body("goto out; out: ;"), "(goto out) (out: ;)");
    assert_eq!(
        body("void *p = &&l; goto *p; l: return;"),
        "(p: * Void = (&& l)) (goto *p) (l: (return _))"
    );
}

#[test]
fn switches_and_labels() {
    assert_eq!(
        body("switch (x) { case 1: case 2 ... 5: a; default: b; }"),
        "(switch x {(case 1 (case 2...5 a;)) (default b;)})"
    );
    assert_eq!(body("switch (x) { case 1: }"), "(switch x {(case 1 ;)})");
    assert_eq!(body("{ l: }"), "{(l: ;)}");
    assert_eq!(body("l: int x = 1; x;"), "(l: ;) (x: Int = 1) x;");
    assert_eq!(
        body("switch (1) { case 1: T y; default: T z; }"),
        "(switch 1 {(case 1 ;) (y: T) (default ;) (z: T)})"
    );
    assert_eq!(body("T: ; goto T;"), "(T: ;) (goto T)");
    assert_eq!(body("l: __attribute__((unused)); x;"), "(l: ;) x;");
    assert_eq!(body("__label__ a, b; a: b: ;"), "(labels a b) (a: (b: ;))");
    assert_eq!(
        body("switch (x) { case 1: a; __attribute__((fallthrough)); case 2: b; }"),
        "(switch x {(case 1 a;) ; (case 2 b;)})"
    );
}

#[test]
fn scopes_of_for_and_blocks() {
    assert_eq!(
        body("for (int T = 0; T < 3; T++) T; T x;"),
        "(for (T: Int = 0) (Lt T 3) (PostInc T) T;) (x: T)"
    );
    assert_eq!(
        body("{ typedef char U; U u; } U * u;"),
        "{(U: typedef Char) (u: U)} (Mul U u);"
    );
}

#[test]
fn assembler() {
    assert_eq!(body("asm(\"nop\");"), "(asm nop||||)");
    assert_eq!(
        body(
            "__asm__ volatile (\"a\" \"b\" : \"=r\"(x), [n] \"+m\" (*p) : \"0\"(y) : \"memory\", \"cc\");"
        ),
        "(asm ab|=rx +m(Deref p)|0y|memory cc|)"
    );
    assert_eq!(
        body("asm goto (\"jmp %l0\" :::: out); out:;"),
        "(asm jmp %l0||||out) (out: ;)"
    );
    assert_eq!(
        body("asm volatile(\"\" ::: \"memory\");"),
        "(asm |||memory|)"
    );
    assert_eq!(last("asm(\".globl x\");"), "(asm)");
}

#[test]
fn declarations_among_statements() {
    assert_eq!(
        body("x; int y; z; _Static_assert(1, \"\");"),
        "x; (y: Int) z; (static_assert 1)"
    );
    assert_eq!(body("static z = 3;"), "(z: static ? = 3)");
    assert_eq!(
        body("__extension__ int e; __extension__ e++;"),
        "(e: Int) (PostInc e);"
    );
    assert_eq!(body("__attribute__((unused)) T u;"), "(u: T @unused)");
    assert_eq!(body("__auto_type a = 1;"), "(a: auto_type = 1)");
    assert_eq!(
        body("int g(int x) { return x; } g(1);"),
        "(function g: (x: Int,) Int {(return x)}) (call g 1);"
    );
    assert_eq!(
        body("T (*fp)(T) = 0; T(y);"),
        "(fp: * (_: T,) T = 0) (y: T)"
    );
}
