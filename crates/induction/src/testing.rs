//! Small programs for tests.

use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::program::Program;

pub use ::testing::Random;

/// A program with an input function `n`.
pub fn load(body: &str) -> Program {
    let text = format!("int n(void) {{ return __VERIFIER_nondet_int(); }} {body}");
    ::testing::program(&text)
}

/// The variable of this name.
pub fn var(program: &Program, name: &str) -> VarId {
    let number = program.vars.iter().position(|var| &*var.name == name);
    VarId(number.expect("the program has it") as u32)
}

/// `var <= bound` or `var >= bound`.
pub fn bound(
    program: &Program,
    pool: &mut ExprPool,
    var: VarId,
    upper: bool,
    bound: u32,
) -> ExprId {
    let ty = program.var(var).ty;
    let value = pool.variable(var, ty);
    let bound = pool.constant(u128::from(bound), ty);
    match upper {
        true => pool.le(value, bound),
        false => pool.le(bound, value),
    }
}
