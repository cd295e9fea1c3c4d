//! The propositional solver underneath: literals, clauses, and CaDiCaL.

mod cadical;
mod proof;

pub use cadical::{Cadical, Effort, SatAnswer};
pub use proof::{Proof, ProofSolver, ProofStep};

use std::ops::Not;

/// A literal: a positive or negative variable number, never zero.
///
/// Variable 1 is true by convention, so constants are literals like all others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Lit(pub i32);

impl Lit {
    /// The literal that is always true.
    pub const TRUE: Lit = Lit(1);
    /// The literal that is always false.
    pub const FALSE: Lit = Lit(-1);

    /// Is the literal a constant?
    #[inline]
    pub fn is_const(self) -> bool {
        self.0 == 1 || self.0 == -1
    }

    /// The literal, or its negation.
    #[inline]
    pub fn negate_if(self, condition: bool) -> Lit {
        if condition { !self } else { self }
    }

    /// The literal's variable.
    #[inline]
    pub fn var(self) -> i32 {
        self.0.abs()
    }
}

impl Not for Lit {
    type Output = Lit;

    #[inline]
    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

impl From<bool> for Lit {
    fn from(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }
}

/// Where variables come from and clauses go.
pub trait ClauseSink {
    /// A variable that was not used before.
    fn new_var(&mut self) -> Lit;
    /// Adds a clause. Constants among the literals are allowed.
    fn add_clause(&mut self, literals: &[Lit]) {
        if !literals.contains(&Lit::TRUE) {
            self.push_clause(literals);
        }
    }
    /// Adds a clause that does not hold anyway.
    fn push_clause(&mut self, literals: &[Lit]);
    /// Is no further clause wanted?
    fn is_stopped(&self) -> bool {
        false
    }
}
