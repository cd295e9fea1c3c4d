//! Precisions that say which variables are tracked (Stieglmaier2014: T. Stieglmaier, *Octagon-Based
//! Software Verification with CPAchecker*, 2014, section 3.1: `Π = 2^X`).

use crate::numeric::transfer::Tracked;
use cfa::expr::VarId;
use std::rc::Rc;

/// A set of variables; shared by all states with the same precision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Variables {
    /// Every variable: the static precision of section 4.3.
    All,
    /// One bit for each variable, and for what an analysis numbers behind them; beyond the end
    /// nothing is tracked.
    Some(Rc<[u64]>),
}

impl Variables {
    pub fn none(variables: usize) -> Variables {
        Variables::Some(vec![0; variables.div_ceil(64)].into())
    }

    #[must_use]
    pub fn with(&self, more: &[VarId]) -> Variables {
        match self {
            Variables::All => Variables::All,
            Variables::Some(bits) => {
                let mut bits = bits.to_vec();
                for var in more {
                    if bits.len() <= var.0 as usize / 64 {
                        bits.resize(var.0 as usize / 64 + 1, 0);
                    }
                    bits[var.0 as usize / 64] |= 1 << (var.0 % 64);
                }
                Variables::Some(bits.into())
            }
        }
    }

    /// How many variables are tracked; `None` for all.
    pub fn count(&self) -> Option<u32> {
        match self {
            Variables::All => None,
            Variables::Some(bits) => Some(bits.iter().map(|word| word.count_ones()).sum()),
        }
    }
}

impl Tracked for Variables {
    fn tracks(&self, var: VarId) -> bool {
        match self {
            Variables::All => true,
            Variables::Some(bits) => bits
                .get(var.0 as usize / 64)
                .is_some_and(|word| word >> (var.0 % 64) & 1 == 1),
        }
    }
}
