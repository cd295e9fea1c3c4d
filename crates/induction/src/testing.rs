//! Small programs for tests.

use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::program::Program;
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
use transform::regions::split_memory;

/// A program with an input function `n`.
pub fn load(body: &str) -> Program {
    let text = format!(
        "int __VERIFIER_nondet_int(void); void reach_error(void);
        int n(void) {{ return __VERIFIER_nondet_int(); }} {body}"
    );
    match load_text(
        "test.c",
        &text,
        &Default::default(),
        &LowerOptions::default(),
    ) {
        Ok(loaded) => split_memory(&instrument(&loaded.program, &Property::assertions())),
        Err(failure) => panic!("{failure}"),
    }
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

/// xorshift64* (Vigna 2016); the seed is not zero.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }
}
