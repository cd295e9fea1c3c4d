//! What terms about the state at a place say in the program's own words.
//!
//! All places share one arbitrary state for each call string ([`ORIGIN`]), so a formula that does
//! not change on the way from one place to another is the same term at both.

use crate::graph::ORIGIN;
use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::memory::{ObjectId, RegionId};
use cfa::place::callee;
use cfa::program::{EdgeId, FuncId, Program};
use encoding::back::{Constant, Leaf, Meaning};
use encoding::layout::BELOW;
use encoding::state::State;
use encoding::step::Encoder;
use logic::{Op, Term, TermPool};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A variable or region of an arbitrary state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StartLeaf {
    pub leaf: Leaf,
    /// Activations below the variable's own; none for globals and regions.
    pub depth: Option<usize>,
}

/// What a variable of the logic is to the state at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A part of the state that expressions name.
    State(Leaf),
    /// A part that no expression names: of an outer activation of a recursive function.
    Outer,
    /// No part of it: a value from outside, or one that nobody has set.
    Input,
}

/// All states with one call string.
pub struct Activation {
    pub state: Rc<State>,
    /// For each active function: how many activations are below its innermost one.
    depths: FxHashMap<FuncId, usize>,
    outermost: usize,
    /// Address, size and object of what has an address in these states.
    bases: Vec<(u64, u64, ObjectId)>,
}

impl Activation {
    /// The arbitrary state with these calls.
    pub fn arbitrary(encoder: &mut Encoder<'_>, calls: &[EdgeId]) -> Activation {
        let state = Rc::new(encoder.arbitrary(ORIGIN, calls));
        Activation::of(encoder, state, calls)
    }

    /// The given state with these calls: the arbitrary one, or that at the start of the program.
    pub fn of(encoder: &Encoder<'_>, state: Rc<State>, calls: &[EdgeId]) -> Activation {
        let program = encoder.program;
        let mut depths = FxHashMap::from_iter([(program.entry, 0)]);
        for (depth, &call) in calls.iter().enumerate() {
            depths.extend(callee(program, call).map(|function| (function, depth + 1)));
        }
        let mut bases = Vec::new();
        for number in 0..program.objects.len() {
            let object = ObjectId(number as u32);
            if let Some(base) = state.base(&encoder.slots, object)
                && let Some(address) = encoder.pool.as_u128(base)
            {
                let size = program.object(object).size.unwrap_or(1);
                bases.push((address as u64, size, object));
            }
        }
        Activation {
            state,
            depths,
            outermost: calls.len(),
            bases,
        }
    }

    pub fn kind(&self, program: &Program, pool: &TermPool, variable: Term) -> Kind {
        let Some(StartLeaf { leaf, depth }) = start_leaf(pool, variable) else {
            return Kind::Input;
        };
        let Leaf::Var(var) = leaf else {
            return Kind::State(leaf);
        };
        let Some(function) = program.var(var).function else {
            return Kind::State(leaf);
        };
        match depth {
            _ if self.depths.get(&function) == depth.as_ref() => Kind::State(leaf),
            Some(depth) if depth <= self.outermost => Kind::Outer,
            // Of an activation that has not begun: nobody has set it.
            _ => Kind::Input,
        }
    }
}

/// The part of an arbitrary state that a variable of the logic is named after; `None` for inputs
/// and the like.
pub fn start_leaf(pool: &TermPool, variable: Term) -> Option<StartLeaf> {
    let Op::Var(symbol) = pool.op(variable) else {
        return None;
    };
    let name = pool.symbol_name(symbol);
    let rest = name.strip_prefix(ORIGIN)?.strip_prefix('!')?;
    if let Some(region) = rest.strip_prefix('m') {
        return Some(StartLeaf {
            leaf: Leaf::Region(RegionId(region.parse().ok()?)),
            depth: None,
        });
    }
    let rest = rest.strip_prefix('v')?;
    let (var, depth) = match rest.split_once('@') {
        Some((var, depth)) => (var, Some(depth.parse().ok()?)),
        None => (rest, None),
    };
    Some(StartLeaf {
        leaf: Leaf::Var(VarId(var.parse().ok()?)),
        depth,
    })
}

/// May the number be the address of an object that comes and goes? Such addresses differ from state
/// to state, so nothing may be said about them as numbers.
pub fn is_dynamic_address(encoder: &Encoder<'_>, value: u128) -> bool {
    let layout = &encoder.layout;
    (u128::from(layout.first_dynamic())..u128::from(layout.reserved_until())).contains(&value)
}

/// The meaning of leaves and addresses to expressions about states with one call string.
pub struct ActivationMeaning<'a> {
    pub activation: &'a Activation,
    pub encoder: &'a Encoder<'a>,
}

impl ActivationMeaning<'_> {
    /// The expression that says the same about these states.
    pub fn say(&self, exprs: &mut ExprPool, term: Term) -> Option<ExprId> {
        let (program, terms) = (self.encoder.program, &self.encoder.pool);
        encoding::back::expression(program, exprs, terms, self, term)
    }
}

impl Meaning for ActivationMeaning<'_> {
    fn leaf(&self, variable: Term) -> Option<Leaf> {
        let (program, pool) = (self.encoder.program, &self.encoder.pool);
        match self.activation.kind(program, pool, variable) {
            Kind::State(leaf) => Some(leaf),
            Kind::Outer | Kind::Input => None,
        }
    }

    fn constant(&self, value: u64) -> Constant {
        if !is_dynamic_address(self.encoder, value.into()) {
            return Constant::Number;
        }
        // As an offset from an object, also from outside: the number would mean something else in
        // another state.
        let near = self.activation.bases.iter().map(|&(base, size, object)| {
            let last = base.saturating_add(size.max(1) - 1);
            (value.abs_diff(value.clamp(base, last)), base, object)
        });
        match near.min() {
            Some((distance, base, object)) if distance <= BELOW => {
                Constant::Address(object, i128::from(value) - i128::from(base))
            }
            _ => Constant::Unsayable,
        }
    }
}
