//! Gates with structural hashing: the same gate over the same inputs is one literal.
//!
//! Clauses are given away as soon as a gate is made. Both directions of each definition are written, so a gate may be
//! used in any polarity and shared freely.

use crate::sat::{ClauseSink, Lit};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    And,
    Xor,
    Mux,
    Xor3,
    Majority,
}

/// The table of gates.
#[derive(Default)]
pub struct Gates {
    table: FxHashMap<(Kind, i32, i32, i32), Lit>,
    wide: FxHashMap<Box<[Lit]>, Lit>,
}

impl Gates {
    /// Number of gates.
    pub fn len(&self) -> usize {
        self.table.len() + self.wide.len()
    }

    /// Is there no gate?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Conjunction of two.
    pub fn and(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if a == b || b == Lit::TRUE {
            return a;
        }
        if a == Lit::TRUE {
            return b;
        }
        if a == !b || a == Lit::FALSE || b == Lit::FALSE {
            return Lit::FALSE;
        }
        let key = (Kind::And, a.0, b.0, 0);
        if let Some(&gate) = self.table.get(&key) {
            return gate;
        }
        let gate = sink.new_var();
        sink.add_clause(&[!gate, a]);
        sink.add_clause(&[!gate, b]);
        sink.add_clause(&[gate, !a, !b]);
        self.table.insert(key, gate);
        gate
    }

    /// Disjunction of two.
    pub fn or(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit) -> Lit {
        !self.and(sink, !a, !b)
    }

    /// Conjunction of any number.
    pub fn and_all(&mut self, sink: &mut impl ClauseSink, mut inputs: Vec<Lit>) -> Lit {
        inputs.retain(|&input| input != Lit::TRUE);
        inputs.sort_unstable_by_key(|input| (input.var(), input.0));
        inputs.dedup();
        if inputs.contains(&Lit::FALSE) || inputs.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Lit::FALSE;
        }
        match inputs.as_slice() {
            [] => return Lit::TRUE,
            [single] => return *single,
            [a, b] => return self.and(sink, *a, *b),
            _ => {}
        }
        if let Some(&gate) = self.wide.get(inputs.as_slice()) {
            return gate;
        }
        let gate = sink.new_var();
        let mut clause = Vec::with_capacity(inputs.len() + 1);
        clause.push(gate);
        for &input in &inputs {
            sink.add_clause(&[!gate, input]);
            clause.push(!input);
        }
        sink.add_clause(&clause);
        self.wide.insert(inputs.into_boxed_slice(), gate);
        gate
    }

    /// Exclusive disjunction of two.
    pub fn xor(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit) -> Lit {
        let negative = (a.0 < 0) != (b.0 < 0);
        let (a, b) = (Lit(a.var().min(b.var())), Lit(a.var().max(b.var())));
        if a == b {
            return Lit::FALSE.negate_if(negative);
        }
        if a == Lit::TRUE {
            return (!b).negate_if(negative);
        }
        let key = (Kind::Xor, a.0, b.0, 0);
        if let Some(&gate) = self.table.get(&key) {
            return gate.negate_if(negative);
        }
        let gate = sink.new_var();
        sink.add_clause(&[!gate, a, b]);
        sink.add_clause(&[!gate, !a, !b]);
        sink.add_clause(&[gate, !a, b]);
        sink.add_clause(&[gate, a, !b]);
        self.table.insert(key, gate);
        gate.negate_if(negative)
    }

    /// `then` where `condition` holds, `otherwise` where not.
    pub fn mux(
        &mut self,
        sink: &mut impl ClauseSink,
        condition: Lit,
        then: Lit,
        otherwise: Lit,
    ) -> Lit {
        if then == otherwise || condition == Lit::TRUE {
            return then;
        }
        if condition == Lit::FALSE {
            return otherwise;
        }
        if condition.0 < 0 {
            return self.mux(sink, !condition, otherwise, then);
        }
        if then == !otherwise {
            return self.xor(sink, condition, otherwise);
        }
        if then == Lit::TRUE || then == condition {
            return self.or(sink, condition, otherwise);
        }
        if then == Lit::FALSE || then == !condition {
            return self.and(sink, !condition, otherwise);
        }
        if otherwise == Lit::TRUE || otherwise == !condition {
            return self.or(sink, !condition, then);
        }
        if otherwise == Lit::FALSE || otherwise == condition {
            return self.and(sink, condition, then);
        }
        let negative = then.0 < 0;
        let (then, otherwise) = (then.negate_if(negative), otherwise.negate_if(negative));
        let key = (Kind::Mux, condition.0, then.0, otherwise.0);
        if let Some(&gate) = self.table.get(&key) {
            return gate.negate_if(negative);
        }
        let gate = sink.new_var();
        sink.add_clause(&[!condition, !then, gate]);
        sink.add_clause(&[!condition, then, !gate]);
        sink.add_clause(&[condition, !otherwise, gate]);
        sink.add_clause(&[condition, otherwise, !gate]);
        // Redundant, but lets equal branches propagate before the condition is known.
        sink.add_clause(&[!then, !otherwise, gate]);
        sink.add_clause(&[then, otherwise, !gate]);
        self.table.insert(key, gate);
        gate.negate_if(negative)
    }

    /// Exclusive disjunction of three: the sum bit of a full adder.
    pub fn xor3(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit, c: Lit) -> Lit {
        let negative = (a.0 < 0) ^ (b.0 < 0) ^ (c.0 < 0);
        let mut inputs = [a.var(), b.var(), c.var()];
        inputs.sort_unstable();
        let [a, b, c] = inputs.map(Lit);
        if a == b {
            return c.negate_if(negative);
        }
        if b == c {
            return a.negate_if(negative);
        }
        if a == Lit::TRUE {
            return self.xor(sink, b, c).negate_if(!negative);
        }
        let key = (Kind::Xor3, a.0, b.0, c.0);
        if let Some(&gate) = self.table.get(&key) {
            return gate.negate_if(negative);
        }
        let gate = sink.new_var();
        for signs in 0..8u32 {
            let sign = |bit: u32| signs >> bit & 1 == 1;
            let parity = signs.count_ones() % 2 == 1;
            // With the inputs of this row, the gate has this row's parity.
            sink.add_clause(&[
                a.negate_if(sign(0)),
                b.negate_if(sign(1)),
                c.negate_if(sign(2)),
                gate.negate_if(!parity),
            ]);
        }
        self.table.insert(key, gate);
        gate.negate_if(negative)
    }

    /// At least two of three: the carry of a full adder.
    pub fn majority(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable_by_key(|input| (input.var(), input.0));
        let negative = inputs[0].0 < 0;
        let [a, b, c] = inputs.map(|input| input.negate_if(negative));
        if a == b {
            return a.negate_if(negative);
        }
        if b == c {
            return b.negate_if(negative);
        }
        if a == !b {
            return c.negate_if(negative);
        }
        if b == !c {
            return a.negate_if(negative);
        }
        if a == Lit::TRUE {
            return self.or(sink, b, c).negate_if(negative);
        }
        let key = (Kind::Majority, a.0, b.0, c.0);
        if let Some(&gate) = self.table.get(&key) {
            return gate.negate_if(negative);
        }
        let gate = sink.new_var();
        for (x, y) in [(a, b), (a, c), (b, c)] {
            sink.add_clause(&[!x, !y, gate]);
            sink.add_clause(&[x, y, !gate]);
        }
        self.table.insert(key, gate);
        gate.negate_if(negative)
    }

    /// Are two vectors equal?
    pub fn equal(&mut self, sink: &mut impl ClauseSink, a: &[Lit], b: &[Lit]) -> Lit {
        let same = a
            .iter()
            .zip(b)
            .map(|(&x, &y)| !self.xor(sink, x, y))
            .collect();
        self.and_all(sink, same)
    }
}
