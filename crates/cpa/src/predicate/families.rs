//! Variables that control what a program does next: compared with many constants, or set to them.
//!
//! Protocol states, program counters of simulated threads and the like need one predicate for each of their values.
//! Interpolants bring them one by one, each after one more iteration of the loop. So as soon as one value of a variable
//! matters somewhere, all values that the program gives to it or compares it with are tracked there; and abstract states
//! are told apart by the variable with most values, which keeps each of them small: from one value a loop goes on to few
//! others.

use super::predicates::{PredicateId, Predicates};
use cfa::expr::{BinOp, ExprId, ExprPool, Node};
use cfa::op::Op;
use cfa::program::Program;
use encoding::vocabulary;
use logic::bdd::{Bdd, BddPool};
use rustc_hash::FxHashMap;

/// Values of one variable that are tracked together.
const MOST: usize = 48;
/// A variable with so many values controls the program.
const CONTROLLING: usize = 4;

/// Of each controlling value the comparisons with its constants.
#[derive(Default)]
pub struct Families(FxHashMap<ExprId, Vec<ExprId>>);

/// What is compared with a constant by an equality.
fn subject(exprs: &ExprPool, atom: ExprId) -> Option<ExprId> {
    let Node::Binary(BinOp::Eq, a, b) = exprs.node(atom) else {
        return None;
    };
    match (exprs.as_constant(a), exprs.as_constant(b)) {
        (None, Some(_)) => Some(a),
        (Some(_), None) => Some(b),
        _ => None,
    }
}

impl Families {
    pub fn new(program: &Program, exprs: &mut ExprPool) -> Families {
        let mut values: FxHashMap<ExprId, Vec<ExprId>> = FxHashMap::default();
        let mut copies: Vec<(ExprId, ExprId)> = Vec::new();
        for edge in &program.edges {
            match program.op(edge.op) {
                &Op::Assume(condition) => {
                    for atom in vocabulary::atoms_of(exprs, condition) {
                        if let Node::Binary(BinOp::Eq, a, b) = exprs.node(atom)
                            && let Some(subject) = subject(exprs, atom)
                        {
                            let constant = if subject == a { b } else { a };
                            values.entry(subject).or_default().push(constant);
                        }
                    }
                }
                &Op::Store {
                    region,
                    address,
                    value,
                } if exprs.as_constant(value).is_some() && exprs.ty(value).is_int() => {
                    let cell = exprs.load(region, address, exprs.ty(value));
                    let equal = exprs.eq(cell, value);
                    let (atom, _) = vocabulary::atom(exprs, equal);
                    if let Node::Binary(BinOp::Eq, cell, value) = exprs.node(atom) {
                        values.entry(cell).or_default().push(value);
                    }
                }
                &Op::Assign(var, value) => {
                    let subject = exprs.variable(var, program.var(var).ty);
                    if exprs.as_constant(value).is_some() {
                        values.entry(subject).or_default().push(value);
                    } else if let Node::Var(_) = exprs.node(value) {
                        copies.push((subject, value));
                    }
                }
                _ => {}
            }
        }
        // What is copied has the values of what it is copied from; two steps of that are enough.
        for _ in 0..2 {
            for &(to, from) in &copies {
                if exprs.ty(to) == exprs.ty(from)
                    && let Some(list) = values.get(&from).cloned()
                {
                    values.entry(to).or_default().extend(list);
                }
            }
            for list in values.values_mut() {
                list.sort_unstable();
                list.dedup();
            }
        }
        let mut families = FxHashMap::default();
        for (subject, list) in values {
            if list.len() <= MOST {
                let atoms = list.into_iter().map(|value| exprs.eq(subject, value));
                families.insert(subject, atoms.collect());
            }
        }
        Families(families)
    }

    /// The atoms that belong together with this one.
    pub fn of(&self, exprs: &ExprPool, atom: ExprId) -> &[ExprId] {
        subject(exprs, atom)
            .and_then(|subject| self.0.get(&subject))
            .map_or(&[], Vec::as_slice)
    }
}

/// Does the literal give one of few values to something? Its negation says almost nothing.
pub fn is_point(families: &Families, exprs: &ExprPool, atom: ExprId) -> bool {
    subject(exprs, atom).is_some() && families.of(exprs, atom).len() < CONTROLLING
}

/// The abstract state in parts, by the values of what most predicates are about; as a whole if there is no such thing.
pub fn parts(
    predicates: &Predicates,
    bdds: &mut BddPool,
    precision: &[PredicateId],
    psi: Bdd,
) -> Vec<Bdd> {
    let mut subjects: FxHashMap<ExprId, Vec<PredicateId>> = FxHashMap::default();
    for &predicate in precision {
        if let Some(subject) = subject(&predicates.exprs, predicates.expression(predicate)) {
            subjects.entry(subject).or_default().push(predicate);
        }
    }
    let Some((_, values)) = subjects
        .into_iter()
        .max_by_key(|(subject, list)| (list.len(), std::cmp::Reverse(*subject)))
    else {
        return vec![psi];
    };
    if values.len() < CONTROLLING {
        return vec![psi];
    }
    let mut rest = psi;
    let mut parts = Vec::new();
    for value in values {
        let is_value = bdds.cube(&[(value.0, true)]);
        let part = bdds.and(rest, is_value);
        if part != Bdd::FALSE {
            parts.push(part);
            let others = bdds.not(is_value);
            rest = bdds.and(rest, others);
        }
    }
    if rest != Bdd::FALSE {
        parts.push(rest);
    }
    parts
}
