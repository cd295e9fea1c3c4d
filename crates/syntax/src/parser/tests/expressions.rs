use super::expr;

#[test]
fn operators_bind_as_in_c() {
    assert_eq!(expr("a + b * c - d"), "(Sub (Add a (Mul b c)) d)");
    assert_eq!(
        expr("a || b && c | d ^ e & f == g < h << i"),
        "(Or a (And b (BitOr c (BitXor d (BitAnd e (Eq f (Lt g (Shl h i))))))))"
    );
    assert_eq!(
        expr("a = b += c ? d : e, f"),
        "(, (= a (Add= b (? c d e))) f)"
    );
    assert_eq!(expr("a ? b, c : d ? e : f"), "(? a (, b c) (? d e f))");
    assert_eq!(expr("a ?: b"), "(? a _ b)");
    assert_eq!(expr("-a++ - --b"), "(Sub (Minus (PostInc a)) (PreDec b))");
    assert_eq!(
        expr("!*p->q.r[1](2, 3)"),
        "(Not (Deref (call (index (. (-> p q) r) 1) 2 3)))"
    );
    assert_eq!(
        expr("&a[i] && ~b"),
        "(And (AddressOf (index a i)) (BitNot b))"
    );
    assert_eq!(expr("a % b / c"), "(Div (Rem a b) c)");
    assert_eq!(expr("a >= b != c <= d"), "(Ne (Ge a b) (Le c d))");
    for (sign, op) in [
        ("*", "Mul"),
        ("/", "Div"),
        ("%", "Rem"),
        ("+", "Add"),
        ("-", "Sub"),
        ("<<", "Shl"),
        (">>", "Shr"),
        ("&", "BitAnd"),
        ("^", "BitXor"),
        ("|", "BitOr"),
    ] {
        assert_eq!(expr(&format!("a {sign}= b")), format!("({op}= a b)"));
        assert_eq!(expr(&format!("a {sign} b")), format!("({op} a b)"));
    }
}

#[test]
fn types_in_parentheses_are_casts() {
    assert_eq!(expr("(T)x + 1"), "(Add (cast T: x) 1)");
    assert_eq!(expr("(x)(y)"), "(call x y)");
    assert_eq!(expr("(T)(y)"), "(cast T: y)");
    assert_eq!(expr("(T *(*)(void))-x"), "(cast * (void) * T: (Minus x))");
    assert_eq!(
        expr("(const char *)(unsigned long)p"),
        "(cast * const Char: (cast ULong: p))"
    );
    assert_eq!(expr("(__extension__ (long long)x)"), "(cast LongLong: x)");
}

#[test]
fn sizes_of_types_and_expressions() {
    assert_eq!(expr("sizeof(T) * 2"), "(Mul (sizeof type T) 2)");
    assert_eq!(expr("sizeof(x) + 1"), "(Add (sizeof x) 1)");
    assert_eq!(expr("sizeof -x"), "(sizeof (Minus x))");
    assert_eq!(
        expr("sizeof (T){1} + 2"),
        "(Add (sizeof (literal T: {1})) 2)"
    );
    assert_eq!(
        expr("sizeof (T[]){1, 2}[0]"),
        "(sizeof (index (literal [] T: {1 2}) 0))"
    );
    assert_eq!(expr("sizeof sizeof (T)"), "(sizeof (sizeof type T))");
    assert_eq!(expr("_Alignof(T[3])"), "(alignof type [3] T)");
    assert_eq!(expr("__alignof__ x"), "(alignof x)");
}

#[test]
fn literals_have_their_values() {
    assert_eq!(
        expr("0x10 + 010 + 0b11 + 7ull"),
        "(Add (Add (Add 16 8) 3) 7ull)"
    );
    assert_eq!(expr("1.5f + 0x1p3"), "(Add 1.5Float 0x1p3Double)");
    assert_eq!(expr("'a' + L'b' + '\\xff'"), "(Add (Add '97' 'L98') '-1')");
    assert_eq!(expr(r#""a" "b\n" L"c""#), r#"L"ab\nc""#);
    assert_eq!(expr(r#"u8"x" "y""#), r#"u8"xy""#);
    // Wide pieces make the others wide before they are decoded.
    assert_eq!(expr(r#"L"" "é""#), r#"L"é""#);
    assert_eq!(expr(r#""\1" "1""#), "\"\\u{1}1\"");
}

#[test]
fn gnu_expressions() {
    assert_eq!(
        expr("({ int a = 1; a + 1; })"),
        "({(a: Int = 1) (Add a 1);})"
    );
    assert_eq!(expr("&&out"), "(&& out)");
    assert_eq!(expr("a && b"), "(And a b)");
    assert_eq!(expr("__real__ z + __imag__ z"), "(Add (Real z) (Imag z))");
    assert_eq!(expr("__extension__ 0x1ll"), "1ll");
    assert_eq!(
        expr("(T){.x = 1}.x++"),
        "(PostInc (. (literal T: {.x=1}) x))"
    );
    assert_eq!(expr("(struct s){}"), "(literal struct s: {})");
}

#[test]
fn builtins_that_take_types() {
    assert_eq!(expr("__builtin_va_arg(ap, T *)"), "(va_arg ap * T)");
    assert_eq!(
        expr("__builtin_offsetof(struct s, a.b[3].c)"),
        "(offsetof struct s .a.b[3].c)"
    );
    assert_eq!(
        expr("__builtin_types_compatible_p(int, T[])"),
        "(compatible Int | [] T)"
    );
    assert_eq!(expr("__builtin_choose_expr(1, a, b)"), "(choose 1 a b)");
    assert_eq!(
        expr("__builtin_expect(!!x, 0)"),
        "(call __builtin_expect (Not (Not x)) 0)"
    );
    assert_eq!(
        expr("_Generic(x, int: 1, T *: 2, default: 3)"),
        "(generic x Int:1 * T:2 default:3)"
    );
}

#[test]
fn a_local_name_hides_a_type() {
    assert_eq!(
        super::body("int T = 2; x = (T)*3;"),
        "(T: Int = 2) (= x (Mul T 3));"
    );
    assert_eq!(
        super::body("{ int T; } (T)*p;"),
        "{(T: Int)} (cast T: (Deref p));"
    );
}

#[test]
fn parentheses_belong_to_the_place() {
    let text = "(a) + b";
    let (mut map, mut names) = (crate::source::SourceMap::new(), crate::names::Names::new());
    let expr = crate::driver::parse_expression(text, &mut names, &mut map, &[]).unwrap();
    assert_eq!(map.snippet(expr.span), b"(a) + b");
}
