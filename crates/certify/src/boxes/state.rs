//! What is known where a path is: ranges of variables and names of their values, and what
//! conditions make of them.

use crate::names::{Name, Relation, Value, Values};
use crate::ranges::{NoRange, Range};
use cfa::algebra::evaluate;
use cfa::expr::{BinOp, ExprId, Node, UnOp, VarId};
use cfa::place::Place;
use cfa::program::Program;
use cfa::value::Ty;
use rustc_hash::FxHashMap;

/// Where a path is, with the ranges of all variables (`None`: those of types without ranges).
#[derive(Clone)]
pub(super) struct State {
    pub place: Place,
    pub ranges: Vec<Option<Range>>,
    /// The names of their values; empty if nothing is said about two variables anywhere.
    pub names: Vec<Option<Name>>,
    /// The next name that no value has.
    pub next_symbol: u32,
    /// The path has come to a loop that the annotation leaves out: it may be followed to its end,
    /// but the check does not find out by itself what the loop does.
    pub is_in_left_out_loop: bool,
}

impl State {
    /// Gives a variable a value that is not known.
    pub fn forget(&mut self, program: &Program, var: VarId) {
        let ty = program.var(var).ty;
        self.ranges[var.0 as usize] = Range::all(ty);
        if let Some(name) = self.names.get_mut(var.0 as usize) {
            *name = fresh(&mut self.next_symbol, ty);
        }
    }

    pub fn set(&mut self, program: &Program, var: VarId, value: Value) {
        self.ranges[var.0 as usize] = Some(value.range);
        if let Some(name) = self.names.get_mut(var.0 as usize) {
            let bits = u32::from(program.var(var).ty.width());
            *name = match value.name.filter(|name| name.bits == bits) {
                // A known value needs no name.
                _ if value.range.is_single() => None,
                None => fresh(&mut self.next_symbol, program.var(var).ty),
                name => name,
            };
        }
    }

    /// Gives the values of two variables the same name, as far apart as the relation says.
    pub fn relate(&mut self, relation: &Relation) {
        let (left, right) = (relation.left.0 as usize, relation.right.0 as usize);
        let (Some(old), Some(new)) = (self.names[left], self.names[right]) else {
            return;
        };
        // old.symbol + old.offset ≡ new.symbol + new.offset + offset
        let shift = new
            .offset
            .wrapping_add(relation.offset)
            .wrapping_sub(old.offset);
        for name in self.names.iter_mut().flatten() {
            if name.symbol == old.symbol && old.symbol != new.symbol {
                name.symbol = new.symbol;
                name.offset = name.offset.wrapping_add(shift);
            }
        }
    }

    /// Everything that is known, in one order: variables with their bounds, then variables whose
    /// distance to the first one with the same unknown value is known, with that and the distance.
    pub fn facts(&self, program: &Program) -> Box<[u64]> {
        let mut facts = Vec::with_capacity(3 * self.ranges.len());
        for (number, (range, info)) in self.ranges.iter().zip(&program.vars).enumerate() {
            if *range != Range::all(info.ty)
                && let Some(range) = *range
            {
                // Values of one type are told apart by 64 bits.
                facts.extend([number as u64, range.low as u64, range.high as u64]);
            }
        }
        facts.push(u64::MAX);
        let mut first: FxHashMap<u32, (VarId, Name)> = FxHashMap::default();
        for (number, name) in self.names.iter().enumerate() {
            let var = VarId(number as u32);
            if let Some(name) = *name {
                let &mut (root, of_root) = first.entry(name.symbol).or_insert((var, name));
                if root != var
                    && let Some((apart, _)) = name.minus(of_root)
                {
                    facts.extend([number as u64, root.0.into(), apart]);
                }
            }
        }
        facts.into()
    }

    pub fn satisfies(&self, relation: &Relation) -> bool {
        let (left, right) = (relation.left.0 as usize, relation.right.0 as usize);
        relation.holds(self.names[left], self.names[right])
            || self.ranges[left]
                .zip(self.ranges[right])
                .is_some_and(|(left, right)| relation.holds_between(left, right))
    }

    pub fn value(&self, program: &Program, expr: ExprId) -> Result<Value, NoRange> {
        let mut values = Values {
            ranges: &self.ranges,
            names: &self.names,
        };
        evaluate(&program.pool, expr, &mut values)
    }

    pub fn range(&self, program: &Program, expr: ExprId) -> Result<Range, NoRange> {
        self.value(program, expr).map(|value| value.range)
    }

    /// Restricts variables to what a condition that may hold says of them; `false` if it does not
    /// hold after all.
    pub fn narrow(
        &mut self,
        program: &Program,
        condition: ExprId,
        holds: bool,
        depth: u32,
    ) -> bool {
        let pool = &program.pool;
        match (pool.node(condition), holds) {
            _ if depth == 0 => true,
            (Node::Unary(UnOp::Not, inner), _) => self.narrow(program, inner, !holds, depth - 1),
            (Node::Binary(BinOp::BoolAnd, a, b), true)
            | (Node::Binary(BinOp::BoolOr, a, b), false) => {
                self.narrow(program, a, holds, depth - 1)
                    && self.narrow(program, b, holds, depth - 1)
            }
            (Node::Binary(BinOp::BoolAnd, a, b), false)
            | (Node::Binary(BinOp::BoolOr, a, b), true) => {
                let mut other = self.clone();
                match (
                    self.narrow(program, a, holds, depth - 1),
                    other.narrow(program, b, holds, depth - 1),
                ) {
                    (true, true) => {
                        for (range, other) in self.ranges.iter_mut().zip(other.ranges) {
                            *range = range.zip(other).map(|(range, other)| range.hull(other));
                        }
                        true
                    }
                    (true, false) => true,
                    (false, may_hold) => {
                        *self = other;
                        may_hold
                    }
                }
            }
            _ => self.narrow_by_comparison(program, condition, holds),
        }
    }

    fn narrow_by_comparison(&mut self, program: &Program, comparison: ExprId, holds: bool) -> bool {
        let Node::Binary(op, a, b) = program.pool.node(comparison) else {
            return true;
        };
        let (Ok(left), Ok(right)) = (self.range(program, a), self.range(program, b)) else {
            return true;
        };
        match (op, holds) {
            (BinOp::Lt, true) => self.narrow_to_order(program, (a, left), (b, right), 1),
            (BinOp::Le, true) => self.narrow_to_order(program, (a, left), (b, right), 0),
            (BinOp::Lt, false) => self.narrow_to_order(program, (b, right), (a, left), 0),
            (BinOp::Le, false) => self.narrow_to_order(program, (b, right), (a, left), 1),
            (BinOp::Eq, true) | (BinOp::Ne, false) => {
                self.restrict(program, a, right) && self.restrict(program, b, left)
            }
            (BinOp::Eq, false) | (BinOp::Ne, true) => {
                self.exclude(program, (a, left), right) && self.exclude(program, (b, right), left)
            }
            _ => true,
        }
    }

    /// The first is less than the second by at least the difference.
    fn narrow_to_order(
        &mut self,
        program: &Program,
        (small, less): (ExprId, Range),
        (large, more): (ExprId, Range),
        difference: i128,
    ) -> bool {
        let below = Range {
            low: less.low,
            high: more.high - difference,
        };
        let above = Range {
            low: less.low + difference,
            high: more.high,
        };
        self.restrict(program, small, below) && self.restrict(program, large, above)
    }

    /// The expression is not the other's only value.
    fn exclude(&mut self, program: &Program, (id, range): (ExprId, Range), other: Range) -> bool {
        let mut rest = range;
        if other.is_single() {
            rest.low += i128::from(other.low == range.low);
            rest.high -= i128::from(other.low == range.high);
        }
        self.restrict(program, id, rest)
    }

    /// If the expression is a variable: it lies in the range, too; `false` if there is no such
    /// value.
    fn restrict(&mut self, program: &Program, id: ExprId, to: Range) -> bool {
        let Node::Var(var) = program.pool.node(id) else {
            return true;
        };
        let known = &mut self.ranges[var.0 as usize];
        match known.and_then(|now| now.meet(to)) {
            Some(both) => {
                *known = Some(both);
                true
            }
            None => known.is_none(),
        }
    }
}

/// A name that nothing else has; only integers have one.
pub(super) fn fresh(next: &mut u32, ty: Ty) -> Option<Name> {
    *next += 1;
    ty.is_int().then_some(Name {
        symbol: *next,
        offset: 0,
        bits: u32::from(ty.width()),
    })
}
