//! CaDiCaL with a proof: which clauses each learned clause follows from.

use super::cadical::{SatAnswer, Watch};
use super::{ClauseSink, Lit};
use cadical_sys::{CaDiCal, ProofTracer, Status};
use control::StopToken;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A step of a proof.
#[derive(Clone, Debug)]
pub struct ProofStep {
    /// The clause.
    pub clause: Vec<i32>,
    /// The block that the clause belongs to; none for derived clauses.
    pub label: Option<u32>,
    /// For a derived clause the steps that it follows from by unit propagation, in the order of
    /// propagation.
    pub antecedents: Vec<u32>,
}

/// A refutation: its last step is the empty clause.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// Steps, each after those it follows from.
    pub steps: Vec<ProofStep>,
}

#[derive(Default)]
struct Trace {
    steps: Vec<ProofStep>,
    by_id: FxHashMap<i64, u32>,
    label: u32,
    empty: Option<u32>,
    /// A step that is no resolution (or names unknown clauses) was seen; the proof is of no use.
    unusable: bool,
}

impl Trace {
    fn push(&mut self, id: i64, step: ProofStep) {
        let number = self.steps.len() as u32;
        if step.clause.is_empty() && self.empty.is_none() {
            self.empty = Some(number);
        }
        self.steps.push(step);
        self.by_id.insert(id, number);
    }

    fn derive(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        let known: Option<Vec<u32>> = antecedents
            .iter()
            .map(|antecedent| self.by_id.get(antecedent).copied())
            .collect();
        match known {
            Some(antecedents) => self.push(
                id,
                ProofStep {
                    clause: clause.to_vec(),
                    label: None,
                    antecedents,
                },
            ),
            None => self.unusable = true,
        }
    }
}

struct Tracer(Arc<Mutex<Trace>>);

fn lock(trace: &Mutex<Trace>) -> MutexGuard<'_, Trace> {
    trace.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ProofTracer for Tracer {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        let mut trace = lock(&self.0);
        // A restored clause was traced before, under the same number.
        if restored && trace.by_id.contains_key(&id) {
            return;
        }
        let label = Some(trace.label);
        let step = ProofStep {
            clause: clause.to_vec(),
            label,
            antecedents: Vec::new(),
        };
        trace.push(id, step);
    }

    fn add_derived_clause(
        &mut self,
        id: i64,
        _redundant: bool,
        witness: i32,
        clause: &[i32],
        antecedents: &[i64],
    ) {
        let mut trace = lock(&self.0);
        trace.unusable |= witness != 0;
        trace.derive(id, clause, antecedents);
    }

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        lock(&self.0).derive(id, clause, antecedents);
    }

    fn delete_clause(&mut self, _: i64, _: bool, _: &[i32]) {}
    fn weaken_minus(&mut self, _: i64, _: &[i32]) {}
    fn strengthen(&mut self, _: i64) {}
    fn finalize_clause(&mut self, _: i64, _: &[i32]) {}
    fn add_assumption(&mut self, _: i32) {}
    fn add_constraint(&mut self, _: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn conclude_sat(&mut self, _: i32, _: &[i32]) {}
    fn conclude_unsat(&mut self, _: i32, _: &[i64]) {}
    fn conclude_unknown(&mut self, _: &[i32]) {}
}

/// A solver that is asked once and can say why there is no model.
pub struct ProofSolver {
    solver: CaDiCal,
    trace: Arc<Mutex<Trace>>,
    variables: i32,
}

impl ProofSolver {
    /// A solver without clauses. Only techniques whose steps are resolutions are used.
    pub fn new(stop: &StopToken) -> ProofSolver {
        let mut solver = CaDiCal::new();
        solver.configure("plain");
        for (option, value) in [("quiet", 1), ("factor", 0)] {
            if CaDiCal::is_valid_option(option) {
                solver.set(option, value);
            }
        }
        let trace = Arc::new(Mutex::new(Trace::default()));
        solver.connect_proof_tracer1(Tracer(Arc::clone(&trace)), true, false);
        solver.connect_terminator(Watch::new(stop.clone(), None));
        // Variable 1 is reserved for the constant; constants never reach the clauses here.
        ProofSolver {
            solver,
            trace,
            variables: 1,
        }
    }

    /// Sets the block that the following clauses belong to.
    pub fn set_label(&mut self, label: u32) {
        lock(&self.trace).label = label;
    }

    /// Is there a model?
    pub fn solve(&mut self) -> SatAnswer {
        match self.solver.solve() {
            Status::SATISFIABLE => SatAnswer::Sat,
            Status::UNSATISFIABLE => SatAnswer::Unsat,
            Status::UNKNOWN => SatAnswer::Interrupted,
        }
    }

    /// The refutation, after `Unsat`, reduced to the steps that the empty clause needs. `None` if
    /// the solver did not give a usable one.
    pub fn proof(&mut self) -> Option<Proof> {
        self.solver.conclude();
        let trace = lock(&self.trace);
        if trace.unusable {
            return None;
        }
        let empty = trace.empty?;
        let mut needed = vec![false; empty as usize + 1];
        needed[empty as usize] = true;
        for number in (0..=empty as usize).rev() {
            if needed[number] {
                for &antecedent in &trace.steps[number].antecedents {
                    needed[antecedent as usize] = true;
                }
            }
        }
        let mut renumbered = vec![0u32; needed.len()];
        let mut proof = Proof::default();
        for (number, step) in trace.steps[..=empty as usize].iter().enumerate() {
            if !needed[number] {
                continue;
            }
            renumbered[number] = proof.steps.len() as u32;
            let mut step = step.clone();
            for antecedent in &mut step.antecedents {
                *antecedent = renumbered[*antecedent as usize];
            }
            proof.steps.push(step);
        }
        Some(proof)
    }
}

impl ClauseSink for ProofSolver {
    fn new_var(&mut self) -> Lit {
        self.variables += 1;
        Lit(self.variables)
    }

    fn push_clause(&mut self, literals: &[Lit]) {
        for literal in literals.iter().filter(|literal| **literal != Lit::FALSE) {
            self.solver.add(literal.0);
        }
        self.solver.add(0);
    }
}
