//! Interpolants from the refutation of the propositional solver.
//!
//! After McMillan, "Interpolation and SAT-Based Model Checking" (CAV 2003), Pudlák, "Lower Bounds
//! for Resolution" (JSL 1997), and for what they have in common D'Silva et al., "Interpolant
//! Strength" (VMCAI 2010).
//!
//! Each block is flattened on its own, so that a gate belongs to one block and only the bits of
//! variables are shared. For one cut between blocks (A before, B after) a partial interpolant is
//! computed for each step of the proof:
//!
//! | step | McMillan | Pudlák | inverse McMillan |
//! |---|---|---|---|
//! | clause of A | its shared literals, disjoined | false | false |
//! | clause of B | true | true | its shared literals, negated, conjoined |
//! | resolution on a variable only of A | or | or | or |
//! | on a variable only of B | and | and | and |
//! | on a shared variable | and | choice by the variable | or |
//!
//! All cuts use the same proof, which makes the sequence inductive. Arrays: the instances of the
//! array axioms that make the blocks unsatisfiable are found first; each must fit into one block,
//! otherwise this interpolator declines.

use super::{InterpolationError, Interpolator};
use crate::flatten::{Flattener, Names};
use crate::float::FloatLowering;
use crate::sat::{ClauseSink, Lit, Proof, ProofSolver, SatAnswer};
use crate::solver::{Answer, NativeSolver, Solver, SolverOptions, UnknownReason};
use crate::term::{Sort, Term, TermPool};
use control::StopToken;
use rustc_hash::{FxHashMap, FxHashSet};

/// Which of the possible interpolants of one proof is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Labelling {
    /// The strongest.
    McMillan,
    /// In the middle.
    #[default]
    Pudlak,
    /// The weakest.
    InverseMcMillan,
}

/// Interpolants from proofs. See the module's text.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProofInterpolator {
    /// Which interpolants of a proof to take.
    pub labelling: Labelling,
}

/// Proof steps times cuts beyond this would take too long, and the interpolants would be of no use.
const MAX_WORK: usize = 20_000_000;

/// In which blocks a propositional variable occurs: the first and the last.
#[derive(Clone, Copy)]
struct Range {
    first: u32,
    last: u32,
}

impl Interpolator for ProofInterpolator {
    fn interpolate(
        &mut self,
        pool: &mut TermPool,
        blocks: &[Term],
        stop: &StopToken,
    ) -> Result<Vec<Term>, InterpolationError> {
        let lowered = lower(pool, blocks)?;
        let with_lemmas = add_array_lemmas(pool, &lowered, stop)?;
        let mut encoded = Encoded::new(pool, &with_lemmas, stop)?;
        let proof = match encoded.contradiction {
            Some(block) => {
                // One block is false by itself.
                let interpolants = (1..blocks.len()).map(|cut| pool.bool(cut <= block));
                return Ok(interpolants.collect());
            }
            None => encoded.refute()?,
        };
        let result = encoded.interpolants(pool, &proof, blocks.len(), self.labelling, stop)?;
        let result = restore_floats(pool, blocks, &result);
        debug_assert_eq!(
            super::check_interpolants(pool, blocks, &result, stop),
            Ok(())
        );
        Ok(result)
    }
}

fn lower(pool: &mut TermPool, blocks: &[Term]) -> Result<Vec<Term>, InterpolationError> {
    if !pool.has_floats() {
        return Ok(blocks.to_vec());
    }
    let mut lowering = FloatLowering::new();
    blocks
        .iter()
        .map(|&block| {
            lowering
                .lower(pool, block)
                .map_err(|error| InterpolationError::Declined(error.to_string()))
        })
        .collect()
}

/// Patterns of float variables become the bits of those variables again.
fn restore_floats(pool: &mut TermPool, blocks: &[Term], terms: &[Term]) -> Vec<Term> {
    if !pool.has_floats() {
        return terms.to_vec();
    }
    let mut map = FxHashMap::default();
    for variable in pool.free_vars_of(blocks) {
        if let Some(pattern) = FloatLowering::pattern_of(pool, variable) {
            let bits = pool.fp_to_bits(variable);
            map.insert(pattern, bits);
        }
    }
    terms
        .iter()
        .map(|&term| pool.substitute(term, &map))
        .collect()
}

/// The blocks, each with the array lemmas that fit into it, unsatisfiable without further array
/// reasoning.
fn add_array_lemmas(
    pool: &mut TermPool,
    blocks: &[Term],
    stop: &StopToken,
) -> Result<Vec<Term>, InterpolationError> {
    let has_arrays = pool
        .postorder(blocks)
        .iter()
        .any(|&term| matches!(pool.sort(term), Sort::Array { .. }));
    if !has_arrays {
        return Ok(blocks.to_vec());
    }
    let mut solver = NativeSolver::new(SolverOptions {
        record_array_lemmas: true,
        ..SolverOptions::default()
    });
    solver.set_stop(stop.clone());
    for &block in blocks {
        solver.assert(pool, block);
    }
    match solver.check(pool, &[]) {
        Answer::Sat => return Err(InterpolationError::Satisfiable),
        Answer::Unknown(reason) => return Err(InterpolationError::Unknown(reason)),
        Answer::Unsat => {}
    }
    let mut symbols: Vec<FxHashSet<Term>> = blocks
        .iter()
        .map(|&block| pool.free_vars(block).into_iter().collect())
        .collect();
    let mut known: FxHashSet<Term> = symbols.iter().flatten().copied().collect();
    let mut result: Vec<Vec<Term>> = blocks.iter().map(|&block| vec![block]).collect();
    for &lemma in solver.array_lemmas() {
        let variables = pool.free_vars(lemma);
        let fits = |symbols: &FxHashSet<Term>| {
            variables
                .iter()
                .all(|variable| symbols.contains(variable) || !known.contains(variable))
        };
        let Some(block) = symbols.iter().position(fits) else {
            return Err(InterpolationError::Declined(
                "an array lemma mixes blocks".into(),
            ));
        };
        // Witnesses are new; from here on they belong to the block that they were made for.
        for &variable in &variables {
            known.insert(variable);
            symbols[block].insert(variable);
        }
        result[block].push(lemma);
    }
    Ok(result
        .into_iter()
        .map(|terms| pool.and_all(terms))
        .collect())
}

/// The blocks as clauses.
struct Encoded {
    solver: ProofSolver,
    /// Bits that blocks share, and the terms and positions that they stand for.
    inputs: FxHashMap<Term, Vec<Lit>>,
    /// The first block that flattens to falsity.
    contradiction: Option<usize>,
}

impl Encoded {
    fn new(
        pool: &mut TermPool,
        blocks: &[Term],
        stop: &StopToken,
    ) -> Result<Encoded, InterpolationError> {
        let mut encoded = Encoded {
            solver: ProofSolver::new(stop),
            inputs: FxHashMap::default(),
            contradiction: None,
        };
        for (number, &block) in blocks.iter().enumerate() {
            encoded.solver.set_label(number as u32);
            let mut flat = Flattener::new();
            let mut roots = Vec::new();
            for conjunct in pool.conjuncts(block) {
                roots.push(flat.lit(pool, conjunct).map_err(|error| {
                    let words = format!("{:?} cannot be flattened", pool.op(error.0));
                    InterpolationError::Unknown(UnknownReason::Unsupported(words))
                })?);
            }
            let mut names = encoded.share_inputs(pool, &flat);
            for root in roots {
                let literal = flat.gates().emit(&mut encoded.solver, &mut names, root);
                if literal == Lit::FALSE {
                    encoded.contradiction.get_or_insert(number);
                } else {
                    encoded.solver.add_clause(&[literal]);
                }
            }
        }
        Ok(encoded)
    }

    /// Names for the bits of variables, reads and array equalities: the same in all blocks.
    fn share_inputs(&mut self, pool: &TermPool, flat: &Flattener) -> Names {
        let mut names = Names::default();
        for &term in flat.variables().iter().chain(flat.array_atoms()) {
            let bits = flat.known(pool, term).unwrap_or_default();
            let solver = &mut self.solver;
            let shared = self
                .inputs
                .entry(term)
                .or_insert_with(|| bits.iter().map(|_| solver.new_var()).collect());
            for (bit, &name) in bits.iter().zip(shared.iter()) {
                names.set(bit.var(), name);
            }
        }
        names
    }

    fn refute(&mut self) -> Result<Proof, InterpolationError> {
        match self.solver.solve() {
            SatAnswer::Sat => Err(InterpolationError::Satisfiable),
            SatAnswer::Interrupted | SatAnswer::LimitReached => {
                Err(InterpolationError::Unknown(UnknownReason::Stopped))
            }
            SatAnswer::Unsat => self.solver.proof().ok_or_else(|| {
                InterpolationError::Declined("the proof has steps that are not resolutions".into())
            }),
        }
    }

    fn interpolants(
        &self,
        pool: &mut TermPool,
        proof: &Proof,
        blocks: usize,
        labelling: Labelling,
        stop: &StopToken,
    ) -> Result<Vec<Term>, InterpolationError> {
        let work: usize = proof
            .steps
            .iter()
            .map(|step| step.antecedents.len() + 1)
            .sum();
        if work.saturating_mul(blocks) > MAX_WORK {
            return Err(InterpolationError::Declined("the proof is too long".into()));
        }
        let ranges = ranges(proof);
        let resolutions = Resolutions::of(proof)?;
        let bits = self.bit_terms();
        let mut result = Vec::with_capacity(blocks.saturating_sub(1));
        for cut in 0..blocks.saturating_sub(1) as u32 {
            if stop.is_stopped() {
                return Err(InterpolationError::Unknown(UnknownReason::Stopped));
            }
            let mut partial = Partial {
                pool,
                ranges: &ranges,
                bits: &bits,
                cut,
                labelling,
            };
            result.push(partial.interpolant(proof, &resolutions)?);
        }
        Ok(result)
    }

    /// The term and position of each shared variable.
    fn bit_terms(&self) -> FxHashMap<i32, (Term, u32)> {
        self.inputs
            .iter()
            .flat_map(|(&term, bits)| {
                let bits = bits.iter().enumerate();
                bits.map(move |(position, bit)| (bit.var(), (term, position as u32)))
            })
            .collect()
    }
}

fn ranges(proof: &Proof) -> FxHashMap<i32, Range> {
    let mut ranges: FxHashMap<i32, Range> = FxHashMap::default();
    for step in &proof.steps {
        let Some(label) = step.label else { continue };
        for literal in &step.clause {
            let range = ranges.entry(literal.abs()).or_insert(Range {
                first: label,
                last: label,
            });
            range.first = range.first.min(label);
            range.last = range.last.max(label);
        }
    }
    ranges
}

/// For each derived step the pivots: resolve the last antecedent with the others in reverse order,
/// each on its pivot.
struct Resolutions {
    pivots: Vec<Vec<Option<i32>>>,
}

impl Resolutions {
    /// Replays unit propagation: the negated clause, then each antecedent becomes unit; what it
    /// propagates is its pivot, if the resolvent (built from the end) contains the opposite
    /// literal.
    fn of(proof: &Proof) -> Result<Resolutions, InterpolationError> {
        let broken = || InterpolationError::Declined("the proof cannot be replayed".into());
        let mut value: FxHashMap<i32, bool> = FxHashMap::default();
        let mut resolvent: FxHashSet<i32> = FxHashSet::default();
        let mut pivots = Vec::with_capacity(proof.steps.len());
        for step in &proof.steps {
            if step.label.is_some() {
                pivots.push(Vec::new());
                continue;
            }
            value.clear();
            for &literal in &step.clause {
                value.insert(literal.abs(), literal < 0);
            }
            let clause = |antecedent: &u32| &proof.steps[*antecedent as usize].clause;
            let mut propagated = vec![None; step.antecedents.len()];
            let mut conflict = None;
            for (number, antecedent) in step.antecedents.iter().enumerate() {
                let mut open = clause(antecedent)
                    .iter()
                    .filter(|literal| value.get(&literal.abs()) != Some(&(**literal < 0)));
                match (open.next(), open.next()) {
                    (None, _) => {
                        conflict = Some(number);
                        break;
                    }
                    // Already true: nothing is propagated, and the antecedent is not needed.
                    (Some(literal), None) if value.get(&literal.abs()) == Some(&(*literal > 0)) => {
                    }
                    (Some(&literal), None) => {
                        value.insert(literal.abs(), literal > 0);
                        propagated[number] = Some(literal);
                    }
                    (Some(_), Some(_)) => return Err(broken()),
                }
            }
            let conflict = conflict.ok_or_else(broken)?;
            resolvent.clear();
            resolvent.extend(clause(&step.antecedents[conflict]));
            let mut chosen = vec![None; conflict + 1];
            for number in (0..conflict).rev() {
                let Some(literal) = propagated[number] else {
                    continue;
                };
                if !resolvent.remove(&-literal) {
                    continue;
                }
                chosen[number] = Some(literal);
                let others = clause(&step.antecedents[number]).iter();
                resolvent.extend(others.filter(|other| **other != literal));
            }
            pivots.push(chosen);
        }
        Ok(Resolutions { pivots })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    OnlyA,
    OnlyB,
    Shared,
}

struct Partial<'a> {
    pool: &'a mut TermPool,
    ranges: &'a FxHashMap<i32, Range>,
    bits: &'a FxHashMap<i32, (Term, u32)>,
    /// Blocks up to this one are A.
    cut: u32,
    labelling: Labelling,
}

impl Partial<'_> {
    fn side(&self, variable: i32) -> Side {
        match self.ranges.get(&variable) {
            Some(range) if range.last <= self.cut => Side::OnlyA,
            Some(range) if range.first > self.cut => Side::OnlyB,
            _ => Side::Shared,
        }
    }

    /// A shared literal as a term.
    fn literal(&mut self, literal: i32) -> Result<Term, InterpolationError> {
        let Some(&(term, position)) = self.bits.get(&literal.abs()) else {
            return Err(InterpolationError::Declined(
                "a gate is shared between blocks".into(),
            ));
        };
        let bit = match self.pool.sort(term) {
            Sort::Bool => term,
            _ => self.pool.bit(term, position),
        };
        Ok(if literal > 0 { bit } else { self.pool.not(bit) })
    }

    fn leaf(&mut self, clause: &[i32], label: u32) -> Result<Term, InterpolationError> {
        let of_a = label <= self.cut;
        match (self.labelling, of_a) {
            (Labelling::McMillan, true) => {
                let mut literals = Vec::new();
                for &literal in clause {
                    if self.side(literal.abs()) == Side::Shared {
                        literals.push(self.literal(literal)?);
                    }
                }
                Ok(self.pool.or_all(literals))
            }
            (Labelling::InverseMcMillan, false) => {
                let mut literals = Vec::new();
                for &literal in clause {
                    if self.side(literal.abs()) == Side::Shared {
                        literals.push(self.literal(-literal)?);
                    }
                }
                Ok(self.pool.and_all(literals))
            }
            (Labelling::Pudlak | Labelling::InverseMcMillan, true) => Ok(TermPool::FALSE),
            (Labelling::Pudlak | Labelling::McMillan, false) => Ok(TermPool::TRUE),
        }
    }

    /// Resolves on `pivot`, which `with` contains positively as it stands and `without` negated.
    fn resolve(
        &mut self,
        pivot: i32,
        with: Term,
        without: Term,
    ) -> Result<Term, InterpolationError> {
        Ok(match (self.side(pivot.abs()), self.labelling) {
            (Side::OnlyA, _) | (Side::Shared, Labelling::InverseMcMillan) => {
                self.pool.or(with, without)
            }
            (Side::OnlyB, _) | (Side::Shared, Labelling::McMillan) => self.pool.and(with, without),
            (Side::Shared, Labelling::Pudlak) => {
                let literal = self.literal(pivot)?;
                self.pool.ite(literal, without, with)
            }
        })
    }

    fn interpolant(
        &mut self,
        proof: &Proof,
        resolutions: &Resolutions,
    ) -> Result<Term, InterpolationError> {
        let mut partial: Vec<Term> = Vec::with_capacity(proof.steps.len());
        for (step, pivots) in proof.steps.iter().zip(&resolutions.pivots) {
            let term = match step.label {
                Some(label) => self.leaf(&step.clause, label)?,
                None => {
                    let Some(conflict) = pivots.len().checked_sub(1) else {
                        return Err(InterpolationError::Declined("an empty step".into()));
                    };
                    let mut term = partial[step.antecedents[conflict] as usize];
                    for number in (0..conflict).rev() {
                        if let Some(pivot) = pivots[number] {
                            let other = partial[step.antecedents[number] as usize];
                            term = self.resolve(pivot, other, term)?;
                        }
                    }
                    term
                }
            };
            partial.push(term);
        }
        partial
            .last()
            .copied()
            .ok_or_else(|| InterpolationError::Declined("an empty proof".into()))
    }
}
