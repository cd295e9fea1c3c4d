//! What terms about the state at a place say in the program's own words.
//!
//! All places share one arbitrary state for each call string, so a literal that does not change on
//! the way from one place to another is the same term at both.

use cfa::expr::VarId;
use cfa::memory::{ObjectId, RegionId};
use cfa::place::callee;
use cfa::program::{EdgeId, FuncId, Program};
use encoding::back::{Constant, Leaf, Meaning};
use encoding::layout::BELOW;
use encoding::state::State;
use encoding::step::Encoder;
use logic::{Op, Term, TermPool};
use rustc_hash::FxHashMap;

/// What arbitrary states are named after.
const ORIGIN: &str = "s";

/// What a variable of the logic is to the state at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A part of the state that expressions name.
    State(Leaf),
    /// A part that no expression names: of an outer activation of a recursive function.
    Outer,
    /// No part of it: a value from outside, or one that nobody has set.
    Input,
}

/// All states with one call string.
pub(super) struct Activation {
    pub(super) state: State,
    /// For each active function: how many activations are below its innermost one.
    depths: FxHashMap<FuncId, usize>,
    outermost: usize,
    /// Address, size and object of what has an address in these states.
    bases: Vec<(u64, u64, ObjectId)>,
}

impl Activation {
    pub(super) fn new(encoder: &mut Encoder<'_>, calls: &[EdgeId]) -> Activation {
        let program = encoder.program;
        let state = encoder.arbitrary(ORIGIN, calls);
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

    pub(super) fn kind(&self, program: &Program, pool: &TermPool, variable: Term) -> Kind {
        let Some((leaf, depth)) = parse(pool, variable) else {
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

/// The leaf of an arbitrary state that a variable is named after, and the depth of its activation.
fn parse(pool: &TermPool, variable: Term) -> Option<(Leaf, Option<usize>)> {
    let Op::Var(symbol) = pool.op(variable) else {
        return None;
    };
    let name = pool.symbol_name(symbol);
    let rest = name.strip_prefix(ORIGIN)?.strip_prefix('!')?;
    if let Some(region) = rest.strip_prefix('m') {
        return Some((Leaf::Region(RegionId(region.parse().ok()?)), None));
    }
    let rest = rest.strip_prefix('v')?;
    let (var, depth) = match rest.split_once('@') {
        Some((var, depth)) => (var, Some(depth.parse().ok()?)),
        None => (rest, None),
    };
    Some((Leaf::Var(VarId(var.parse().ok()?)), depth))
}

/// The meaning of leaves and addresses to expressions about states with one call string.
pub(super) struct ActivationMeaning<'a> {
    pub(super) activation: &'a Activation,
    pub(super) encoder: &'a Encoder<'a>,
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
        let layout = &self.encoder.layout;
        if !(layout.first_dynamic()..layout.reserved_until()).contains(&value) {
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
