//! Variables that control what a program does next: compared with many constants, or set to them.
//!
//! Protocol states, program counters of simulated threads and the like need one predicate for each
//! of their values. Interpolants bring them one by one, each after one more iteration of the loop.
//! So as soon as one value of a variable matters somewhere, all values that the program gives to it
//! or compares it with are tracked there; and abstract states are told apart by the variable with
//! most values, which keeps each of them small: from one value a loop goes on to few others.

use super::predicates::{PredicateId, Predicates};
use cfa::expr::{ExprId, ExprPool, Node};
use cfa::op::Op;
use cfa::program::Program;
use cfa::value::Ty;
use encoding::vocabulary;
use logic::bdd::{Bdd, BddPool};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Values of one variable that are tracked together.
const MOST: usize = 48;
/// A variable with so many values controls the program.
const CONTROLLING: usize = 4;

/// Of each controlling value the comparisons with its constants.
#[derive(Default)]
pub struct Families(BTreeMap<ExprId, Vec<ExprId>>);

/// What is compared with a constant by an equality.
fn subject(exprs: &ExprPool, atom: ExprId) -> Option<ExprId> {
    exprs
        .compared_with_constant(atom)
        .map(|(subject, _)| subject)
}

/// A variable or a cell of memory, as the subject of atoms.
fn holder(exprs: &mut ExprPool, expr: ExprId) -> Option<ExprId> {
    if !exprs.ty(expr).is_int() {
        return None;
    }
    match exprs.node(expr) {
        Node::Var(_) => Some(expr),
        Node::Load { region, address } => {
            let ty = Ty::Int {
                width: exprs.ty(expr).width(),
                signed: false,
            };
            Some(exprs.load(region, address, ty))
        }
        _ => None,
    }
}

/// What is written to a variable or cell, as far as it is a constant or a copy.
#[derive(Default)]
struct Written {
    constants: BTreeMap<ExprId, Vec<ExprId>>,
    copies: Vec<(ExprId, ExprId)>,
}

impl Written {
    fn write(&mut self, exprs: &mut ExprPool, to: ExprId, value: ExprId) {
        let Some(to) = holder(exprs, to) else {
            return;
        };
        let ty = exprs.ty(to);
        if exprs.ty(value).width() != ty.width() || !exprs.ty(value).is_int() {
            return;
        }
        if let Some(bits) = exprs.as_constant(value) {
            let constant = exprs.constant(bits, ty);
            self.constants.entry(to).or_default().push(constant);
        } else if let Some(from) = holder(exprs, value) {
            self.copies.push((to, from));
        }
    }

    /// What is copied has the values of what it is copied from; two steps of that are enough.
    fn spread(&mut self, exprs: &mut ExprPool) {
        for _ in 0..2 {
            for &(to, from) in &self.copies {
                let ty = exprs.ty(to);
                for value in self.constants.get(&from).cloned().unwrap_or_default() {
                    if let Some(bits) = exprs.as_constant(value) {
                        let constant = exprs.constant(bits, ty);
                        self.constants.entry(to).or_default().push(constant);
                    }
                }
            }
            for list in self.constants.values_mut() {
                list.sort_unstable();
                list.dedup();
            }
        }
    }
}

impl Families {
    pub fn new(program: &Program, exprs: &mut ExprPool) -> Families {
        let mut written = Written::default();
        for edge in &program.edges {
            match *program.op(edge.op) {
                Op::Assume(condition) => {
                    for atom in vocabulary::atoms_of(exprs, condition) {
                        if let Some((subject, constant)) = exprs.compared_with_constant(atom) {
                            written.constants.entry(subject).or_default().push(constant);
                        }
                    }
                }
                Op::Store {
                    region,
                    address,
                    value,
                } => {
                    let cell = exprs.load(region, address, exprs.ty(value));
                    written.write(exprs, cell, value);
                }
                Op::Assign(var, value) => {
                    let to = exprs.variable(var, program.var(var).ty);
                    written.write(exprs, to, value);
                }
                _ => {}
            }
        }
        written.spread(exprs);
        let mut families = BTreeMap::new();
        for (subject, list) in written.constants {
            if list.len() <= MOST {
                let atoms = list.into_iter().map(|value| exprs.eq(subject, value));
                families.insert(subject, atoms.collect());
            }
        }
        Families(families)
    }

    /// The comparisons of cells of memory with the constants that the program writes there or
    /// compares them with.
    pub fn of_cells(&self, exprs: &ExprPool) -> impl Iterator<Item = (ExprId, &[ExprId])> {
        let is_cell = |expr: ExprId| matches!(exprs.node(expr), Node::Load { .. });
        let families = self.0.iter();
        families
            .filter(move |(subject, _)| is_cell(**subject))
            .map(|(&subject, atoms)| (subject, atoms.as_slice()))
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

/// The abstract state in parts, by the values of what most predicates are about; as a whole if
/// there is no such thing.
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
