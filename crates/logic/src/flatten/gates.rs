//! Gates with structural hashing: the same gate over the same inputs is one literal.
//!
//! A gate is only noted here. Its clauses are written when somebody asks for them
//! ([`Gates::emit`]), and for each propositional solver anew: a solver gets the cone of what it is
//! asked about, not all that was ever flattened. Both directions of a definition are written, so a
//! gate may be used in any polarity and shared freely.

use crate::sat::{ClauseSink, Lit};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Definition {
    /// Unknown: a bit of a variable. Also the constant, variable 1.
    Input,
    /// An input that was found to be another literal.
    Alias(Lit),
    And(Lit, Lit),
    /// Conjunction of many: a range of `wide_inputs`.
    WideAnd {
        start: u32,
        count: u32,
    },
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
    Xor3(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// The table of gates.
pub struct Gates {
    /// By variable number; number 0 does not exist.
    definitions: Vec<Definition>,
    table: FxHashMap<Definition, Lit>,
    wide: FxHashMap<Box<[Lit]>, Lit>,
    wide_inputs: Vec<Lit>,
}

impl Default for Gates {
    fn default() -> Self {
        Gates {
            definitions: vec![Definition::Input, Definition::Input],
            table: FxHashMap::default(),
            wide: FxHashMap::default(),
            wide_inputs: Vec::new(),
        }
    }
}

impl Gates {
    /// Number of variables: inputs and gates.
    pub fn variables(&self) -> usize {
        self.definitions.len() - 1
    }

    fn define(&mut self, definition: Definition) -> Lit {
        let variable = i32::try_from(self.definitions.len()).expect("fewer than 2^31 gates");
        self.definitions.push(definition);
        Lit(variable)
    }

    fn gate(&mut self, definition: Definition) -> Lit {
        if let Some(&gate) = self.table.get(&definition) {
            return gate;
        }
        let gate = self.define(definition);
        self.table.insert(definition, gate);
        gate
    }

    /// An unknown bit.
    pub fn input(&mut self) -> Lit {
        self.define(Definition::Input)
    }

    /// Says that an input is the same as a literal whose cone does not contain it.
    pub fn alias(&mut self, input: Lit, target: Lit) {
        self.definitions[input.var() as usize] = Definition::Alias(target.negate_if(input.0 < 0));
    }

    /// The literal behind aliases.
    fn resolve(&self, mut literal: Lit) -> Lit {
        while let Definition::Alias(target) = self.definitions[literal.var() as usize] {
            literal = target.negate_if(literal.0 < 0);
        }
        literal
    }

    /// The literal under the sink's name, if it has one.
    #[inline]
    pub fn name_of(&self, names: &Names, literal: Lit) -> Option<Lit> {
        names
            .of(literal)
            .or_else(|| names.of(self.resolve(literal)))
    }

    /// Conjunction of two.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
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
        self.gate(Definition::And(a, b))
    }

    /// Disjunction of two.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Conjunction of any number.
    pub fn and_all(&mut self, mut inputs: Vec<Lit>) -> Lit {
        inputs.retain(|&input| input != Lit::TRUE);
        inputs.sort_unstable_by_key(|input| (input.var(), input.0));
        inputs.dedup();
        if inputs.contains(&Lit::FALSE) || inputs.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Lit::FALSE;
        }
        match inputs.as_slice() {
            [] => return Lit::TRUE,
            [single] => return *single,
            [a, b] => return self.and(*a, *b),
            _ => {}
        }
        if let Some(&gate) = self.wide.get(inputs.as_slice()) {
            return gate;
        }
        let start = u32::try_from(self.wide_inputs.len()).expect("fewer than 2^32 inputs");
        self.wide_inputs.extend_from_slice(&inputs);
        let count = inputs.len() as u32;
        let gate = self.define(Definition::WideAnd { start, count });
        self.wide.insert(inputs.into_boxed_slice(), gate);
        gate
    }

    /// Exclusive disjunction of two.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let negative = (a.0 < 0) != (b.0 < 0);
        let (a, b) = (Lit(a.var().min(b.var())), Lit(a.var().max(b.var())));
        if a == b {
            return Lit::FALSE.negate_if(negative);
        }
        if a == Lit::TRUE {
            return (!b).negate_if(negative);
        }
        self.gate(Definition::Xor(a, b)).negate_if(negative)
    }

    /// `then` where `condition` holds, `otherwise` where not.
    pub fn mux(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        if then == otherwise || condition == Lit::TRUE {
            return then;
        }
        if condition == Lit::FALSE {
            return otherwise;
        }
        if condition.0 < 0 {
            return self.mux(!condition, otherwise, then);
        }
        if then == !otherwise {
            return self.xor(condition, otherwise);
        }
        if then == Lit::TRUE || then == condition {
            return self.or(condition, otherwise);
        }
        if then == Lit::FALSE || then == !condition {
            return self.and(!condition, otherwise);
        }
        if otherwise == Lit::TRUE || otherwise == !condition {
            return self.or(!condition, then);
        }
        if otherwise == Lit::FALSE || otherwise == condition {
            return self.and(condition, then);
        }
        let negative = then.0 < 0;
        let (then, otherwise) = (then.negate_if(negative), otherwise.negate_if(negative));
        self.gate(Definition::Mux(condition, then, otherwise))
            .negate_if(negative)
    }

    /// Exclusive disjunction of three: the sum bit of a full adder.
    pub fn xor3(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
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
            return self.xor(b, c).negate_if(!negative);
        }
        self.gate(Definition::Xor3(a, b, c)).negate_if(negative)
    }

    /// At least two of three: the carry of a full adder.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
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
            return self.or(b, c).negate_if(negative);
        }
        self.gate(Definition::Majority(a, b, c)).negate_if(negative)
    }

    /// Are two vectors equal?
    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same = a.iter().zip(b).map(|(&x, &y)| !self.xor(x, y)).collect();
        self.and_all(same)
    }

    /// Writes the clauses of the cone of a literal, as far as `names` does not have them yet, and
    /// returns the literal under the sink's name.
    pub fn emit(&self, sink: &mut impl ClauseSink, names: &mut Names, literal: Lit) -> Lit {
        if let Some(name) = self.name_of(names, literal) {
            return name;
        }
        let literal = self.resolve(literal);
        names.name(sink, literal.var());
        let mut stack = vec![literal.var()];
        while let Some(variable) = stack.pop() {
            if names.is_time_to_look() && sink.is_stopped() {
                names.is_torn = true;
                break;
            }
            self.emit_gate(sink, names, variable, &mut stack);
        }
        names.of(literal).expect("just named")
    }

    /// Writes one gate whose output has a name; inputs without a name get one and go onto the
    /// stack.
    fn emit_gate(
        &self,
        sink: &mut impl ClauseSink,
        names: &mut Names,
        variable: i32,
        stack: &mut Vec<i32>,
    ) {
        let gate = names.of(Lit(variable)).expect("named before");
        let mut input = |sink: &mut _, literal: Lit| match self.name_of(names, literal) {
            Some(name) => name,
            None => {
                let literal = self.resolve(literal);
                stack.push(literal.var());
                names.name(sink, literal.var()).negate_if(literal.0 < 0)
            }
        };
        match self.definitions[variable as usize] {
            Definition::Input | Definition::Alias(_) => {}
            Definition::And(a, b) => {
                let (a, b) = (input(sink, a), input(sink, b));
                sink.add_clause(&[!gate, a]);
                sink.add_clause(&[!gate, b]);
                sink.add_clause(&[gate, !a, !b]);
            }
            Definition::WideAnd { start, count } => {
                let inputs = &self.wide_inputs[start as usize..(start + count) as usize];
                let mut clause = Vec::with_capacity(inputs.len() + 1);
                clause.push(gate);
                for &literal in inputs {
                    let literal = input(sink, literal);
                    sink.add_clause(&[!gate, literal]);
                    clause.push(!literal);
                }
                sink.add_clause(&clause);
            }
            Definition::Xor(a, b) => {
                let (a, b) = (input(sink, a), input(sink, b));
                sink.add_clause(&[!gate, a, b]);
                sink.add_clause(&[!gate, !a, !b]);
                sink.add_clause(&[gate, !a, b]);
                sink.add_clause(&[gate, a, !b]);
            }
            Definition::Mux(condition, then, otherwise) => {
                let condition = input(sink, condition);
                let (then, otherwise) = (input(sink, then), input(sink, otherwise));
                sink.add_clause(&[!condition, !then, gate]);
                sink.add_clause(&[!condition, then, !gate]);
                sink.add_clause(&[condition, !otherwise, gate]);
                sink.add_clause(&[condition, otherwise, !gate]);
                // Redundant, but lets equal branches propagate before the condition is known.
                sink.add_clause(&[!then, !otherwise, gate]);
                sink.add_clause(&[then, otherwise, !gate]);
            }
            Definition::Xor3(a, b, c) => {
                let (a, b, c) = (input(sink, a), input(sink, b), input(sink, c));
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
            }
            Definition::Majority(a, b, c) => {
                let (a, b, c) = (input(sink, a), input(sink, b), input(sink, c));
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    sink.add_clause(&[!x, !y, gate]);
                    sink.add_clause(&[x, y, !gate]);
                }
            }
        }
    }
}

/// Names that one sink has given to variables of the gate table.
#[derive(Default)]
pub struct Names {
    /// By variable; 0: none yet.
    names: Vec<i32>,
    given: Vec<i32>,
    gates: u32,
    /// The sink was stopped while gates were written: some names have no clauses.
    pub is_torn: bool,
}

impl Names {
    /// After so many gates the sink is asked whether it wants more.
    const LOOK_EVERY: u32 = 4096;

    fn is_time_to_look(&mut self) -> bool {
        self.gates = self.gates.wrapping_add(1);
        self.gates.is_multiple_of(Self::LOOK_EVERY)
    }

    /// The literal under the sink's name, if it has one.
    #[inline]
    pub fn of(&self, literal: Lit) -> Option<Lit> {
        if literal.is_const() {
            return Some(literal);
        }
        match self.names.get(literal.var() as usize) {
            Some(&name) if name != 0 => Some(Lit(name).negate_if(literal.0 < 0)),
            _ => None,
        }
    }

    fn name(&mut self, sink: &mut impl ClauseSink, variable: i32) -> Lit {
        let name = sink.new_var();
        self.set(variable, name);
        name
    }

    /// Gives a variable a name that exists already.
    pub fn set(&mut self, variable: i32, name: Lit) {
        let place = variable as usize;
        if place >= self.names.len() {
            self.names.resize(place + 1, 0);
        }
        self.names[place] = name.0;
        self.given.push(variable);
    }

    /// Number of variables with a name.
    pub fn len(&self) -> usize {
        self.given.len()
    }

    /// Has no variable a name?
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Forgets all names.
    pub fn clear(&mut self) {
        for &variable in &self.given {
            self.names[variable as usize] = 0;
        }
        self.given.clear();
        self.is_torn = false;
    }
}
