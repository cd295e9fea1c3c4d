//! Programs that are right.

use super::laws::assert_lawful;
use super::{accepted, checked, messages};
use crate::constant::{self, Constant};
use crate::typed::{BinaryOp, ExprKind, InitValue, StmtKind};
use crate::types::{DataModel, TypeId};

#[test]
fn a_small_program() {
    let (checked, names) =
        accepted("int f(int x) { return x + 1; } int main(void) { return f(2); }");
    let program = checked.program;
    assert_eq!(program.functions.len(), 2);
    assert_eq!(names.get(program.functions[1].name), "main");
    assert!(checked.warnings.is_empty());
}

/// Texts that gcc accepts too, in both models.
#[test]
fn many_features() {
    let texts = [
        include_str!("features.i"),
        include_str!("declarations.i"),
        include_str!("addresses.i"),
        include_str!("tuples.i"),
    ];
    for text in texts {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let (result, _) = checked(&[text], model);
            match result {
                Ok(checked) => assert_lawful(&checked.program),
                Err(problems) => panic!("{model:?}: {:?}", messages(&problems)),
            }
        }
    }
}

/// What the checker makes of single expressions, seen in the value of a constant.
#[test]
fn decided_while_checking() {
    let cases = [
        ("sizeof(long double)", 16),
        ("_Alignof(struct { char c; double d; })", 8),
        (
            "__builtin_offsetof(struct { int a; struct { char b, c; } d[4]; }, d[2].c)",
            9,
        ),
        ("_Generic((const int)1, int: 1, default: 2)", 1),
        ("_Generic(&(int){0}, const int *: 1, int *: 2)", 2),
        ("__builtin_types_compatible_p(int[], int[3])", 1),
        ("__builtin_choose_expr(1, 3, (void)0)", 3),
        (
            "__builtin_constant_p(1 + 2) + __builtin_constant_p(\"x\")",
            2,
        ),
        ("__builtin_object_size(0, 2)", 0),
        ("__builtin_popcount(255) + __builtin_clz(1)", 39),
        ("__builtin_bswap32(1)", 0x0100_0000),
        ("sizeof(\"abc\") + sizeof(L\"abc\")", 20),
        ("(int)__builtin_huge_val() == (int)1e300", 1),
        ("sizeof(enum { X = 1LL << 40 })", 8),
        ("(char)300 + (_Bool)0.5", 45),
        ("-1 < 0u", 0),
        ("(unsigned char)255 + 1", 256),
        ("1 ? -1 : 0u", 0xffff_ffff),
        (
            "sizeof(int (*)[3]) + sizeof(void) + sizeof(*(int (*)[3])0)",
            21,
        ),
        ("__builtin_classify_type(1.0)", 8),
    ];
    for (text, wanted) in cases {
        let (checked, _) = accepted(&format!("long x = {text};"));
        let init = checked.program.vars[0]
            .init
            .as_ref()
            .expect("it is initialised");
        let value = constant::initial_value(init);
        assert_eq!(value, Some(Constant::Int(wanted)), "{text}");
    }
}

/// gcc computes with a bit-field wider than `int` in just its width; the wrapping must be in the
/// tree.
#[test]
fn wide_bit_fields_wrap_at_their_width() {
    let (checked, _) = accepted(
        "struct s { unsigned long long a : 40; unsigned b : 20; long long c : 40; } s;
         unsigned long long f(void) { return s.a << 8; }
         int g(void) { return s.b << 8; }
         unsigned long long h(void) { return s.a + 1ull; }
         long long i(void) { return s.c * 3; }",
    );
    assert_lawful(&checked.program);
    let returned = |index: usize| {
        let body = checked.program.functions[index]
            .body
            .as_ref()
            .expect("it is defined");
        match &body.block.items[0].kind {
            StmtKind::Return(Some(expr)) => expr.kind.clone(),
            other => panic!("{other:?}"),
        }
    };
    let ExprKind::Binary(BinaryOp::BitAnd, _, mask) = returned(0) else {
        panic!("not wrapped")
    };
    assert!(matches!(mask.kind, ExprKind::Int(0xff_ffff_ffff)));
    assert!(
        matches!(returned(1), ExprKind::Binary(BinaryOp::Shl, ..)),
        "promoted to int"
    );
    assert!(
        matches!(returned(2), ExprKind::Binary(BinaryOp::Add, ..)),
        "the other type is wider"
    );
    assert!(
        matches!(returned(3), ExprKind::Binary(BinaryOp::Shr, ..)),
        "sign-extended"
    );
}

/// Arguments of a K&R definition arrive promoted and are converted once.
#[test]
fn old_style_parameters_are_received_promoted() {
    let (checked, _) = accepted("int f(c, d) char c; float d; { return c; }");
    let program = checked.program;
    assert_lawful(&program);
    let function = &program.functions[0];
    let types: Vec<TypeId> = function
        .params
        .iter()
        .map(|&param| program.vars[param.0 as usize].ty)
        .collect();
    assert_eq!(types, [TypeId::INT, TypeId::DOUBLE]);
    let body = function.body.as_ref().expect("it is defined");
    let declared = body
        .block
        .items
        .iter()
        .filter(|s| matches!(s.kind, StmtKind::Declare { .. }));
    assert_eq!(declared.count(), 2);
}

#[test]
fn addresses_that_are_taken() {
    let (checked, names) = accepted(
        "void g(int *); int h(void);
         void f(void) {
           int plain = 0, taken, sized, array[3]; volatile int v; struct { int a, b[2]; } s, t;
           g(&taken); plain += sizeof(&sized); array[1] = plain; s.a = 1; t.b[0] = s.a; v = h();
         }
         int k(void) { int (*p)(void) = h; return p(); }",
    );
    let taken: Vec<&str> = checked
        .program
        .vars
        .iter()
        .filter(|var| var.address_taken)
        .map(|var| names.get(var.name))
        .collect();
    assert_eq!(taken, ["taken", "array", "v", "t"]);
    let functions: Vec<&str> = checked
        .program
        .functions
        .iter()
        .filter(|function| function.address_taken)
        .map(|function| names.get(function.name))
        .collect();
    assert_eq!(functions, ["h"]);
}

/// GNU: the initialiser of a flexible array member makes the object larger than its type.
#[test]
fn flexible_arrays_extend_their_object() {
    let (checked, _) = accepted(
        "struct s { int n; short a[]; } x = { 3, { 1, 2, 3 } }, y = { 1 };
         struct t { int n; char text[]; } z = { 4, \"four\" };
         int size = sizeof(x);",
    );
    let extra: Vec<u64> = checked
        .program
        .vars
        .iter()
        .map(|var| var.extra_bytes)
        .collect();
    assert_eq!(extra, [6, 0, 5, 0]);
}

#[test]
fn complex_constants_are_folded_where_nothing_is_rounded() {
    let (checked, _) = accepted("_Complex double z = (1.0 + 2.0i) * (3.0 - 1.0i) / 2;");
    let init = checked
        .program
        .vars
        .iter()
        .find_map(|var| var.init.as_ref());
    let items = &init.expect("it is initialised").items;
    let parts: Vec<(u64, f64)> = items
        .iter()
        .map(|item| match &item.value {
            InitValue::Expr(expr) => match expr.kind {
                ExprKind::Float(bits) => (item.offset, f64::from_bits(bits as u64)),
                _ => panic!("not folded: {expr:?}"),
            },
            InitValue::String { .. } => panic!("a string"),
        })
        .collect();
    assert_eq!(parts, [(0, 2.5), (8, 2.5)]);
}

/// What a header declares and nobody uses may be beyond us.
#[test]
fn unsupported_declarations_that_nobody_uses() {
    let (checked, _) = accepted(
        "_Complex double csqrt(_Complex double);
         typedef float v4 __attribute__((vector_size(16)));
         static inline _Complex int ratio(_Complex int a, _Complex int b) { return a / b; }
         struct holder { v4 v; _Complex float c; };
         int size = sizeof(struct holder);
         int main(void) { return size; }",
    );
    assert!(
        checked
            .program
            .functions
            .iter()
            .filter(|f| f.body.is_some())
            .count()
            == 1
    );
}
