//! The laws of expressions, on what lowering makes.

use cfa::expr::ExprId;
use cfa::value::Ty;
use lowering::{LowerOptions, load_text};

/// Whatever lowering makes keeps the laws; what changes a type breaks them.
#[test]
fn lowered_programs_keep_the_laws() {
    let text = "int __VERIFIER_nondet_int(void); double sqrt(double); unsigned long g; int a[4];
        int main(void) { int n = __VERIFIER_nondet_int(); double d = n * 0.5; char c = (char)n;
          int *p = &a[n & 3]; *p = n << 2 | c; g = ~g >> (n % 7); float f = (float)sqrt(d);
          if (n < 3 && f >= 1.0f || !n) return -n / 3; return p == a ? *p ^ 5 : (int)d; }";
    let front = syntax::driver::Options::default();
    let program = match load_text("test.c", text, &front, &LowerOptions::default()) {
        Ok(loaded) => loaded.program,
        Err(failure) => panic!("{failure}"),
    };
    let pool = &program.pool;
    let mut refused = 0;
    for id in (0..pool.len() as u32).map(ExprId) {
        let (node, ty) = (pool.node(id), pool.ty(id));
        assert!(pool.allows(node, ty), "{node:?} of type {ty:?}");
        let other = if ty == Ty::Bool { Ty::I64 } else { Ty::Bool };
        refused += usize::from(!pool.allows(node, other));
    }
    assert!(refused > pool.len() / 2, "{refused} of {}", pool.len());
}
