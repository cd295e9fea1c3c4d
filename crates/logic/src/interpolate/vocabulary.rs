//! Interpolants without proofs: clauses over a given vocabulary of atoms.
//!
//! For a cut with prefix A and suffix B: take a model of B and of what was found so far; the
//! vocabulary's atoms, with their values in that model, form a cube; A with the cube is
//! unsatisfiable, its core is a small cube; drop literals while it stays so; the cube's negation is
//! one more clause. Repeat until B contradicts the clauses. As A take the previous interpolant and
//! one block, and the sequence is inductive.

use super::{InterpolationError, Interpolator};
use crate::solver::{Answer, NativeSolver, Solver};
use crate::term::{Term, TermPool};
use control::StopToken;
use rustc_hash::FxHashSet;

/// Search over atoms. See the module's text.
#[derive(Clone, Debug)]
pub struct VocabularyInterpolator {
    /// The atoms allowed at each cut, the preferred ones first; if there are fewer lists than cuts,
    /// the last one serves the rest. Atoms over variables that are not shared at a cut are left out
    /// there.
    pub atoms: Vec<Vec<Term>>,
    /// How many clauses an interpolant may have.
    pub max_clauses: usize,
}

impl VocabularyInterpolator {
    /// The same atoms at every cut.
    pub fn new(atoms: Vec<Term>) -> VocabularyInterpolator {
        VocabularyInterpolator {
            atoms: vec![atoms],
            max_clauses: 200,
        }
    }

    /// Different atoms at different cuts.
    pub fn per_cut(atoms: Vec<Vec<Term>>) -> VocabularyInterpolator {
        VocabularyInterpolator {
            atoms,
            max_clauses: 200,
        }
    }

    fn shared_atoms(&self, pool: &mut TermPool, blocks: &[Term], cut: usize) -> Vec<Term> {
        let prefix: FxHashSet<Term> = pool.free_vars_of(&blocks[..cut]).into_iter().collect();
        let suffix: FxHashSet<Term> = pool.free_vars_of(&blocks[cut..]).into_iter().collect();
        let Some(atoms) = self.atoms.get(cut - 1).or(self.atoms.last()) else {
            return Vec::new();
        };
        let mut known: FxHashSet<Term> = FxHashSet::default();
        atoms
            .iter()
            .copied()
            .filter(|&atom| {
                !pool.is_const(atom)
                    && pool
                        .free_vars(atom)
                        .iter()
                        .all(|variable| prefix.contains(variable) && suffix.contains(variable))
            })
            .map(|atom| pool.strip_not(atom).0)
            .filter(|&atom| known.insert(atom))
            .collect()
    }

    /// One interpolant between two formulas over atoms of shared variables. The solver holds
    /// nothing: both sides are assumptions, so that one solver serves all cuts and encodes every
    /// block once.
    fn between(
        &self,
        pool: &mut TermPool,
        solver: &mut NativeSolver,
        prefix: &[Term],
        suffix: &[Term],
        atoms: &[Term],
    ) -> Result<Term, InterpolationError> {
        let mut clauses: Vec<Term> = Vec::new();
        loop {
            let mut assumptions = suffix.to_vec();
            assumptions.extend(&clauses);
            match solver.check(pool, &assumptions) {
                Answer::Unsat => break,
                Answer::Unknown(reason) => return Err(InterpolationError::Unknown(reason)),
                Answer::Sat => {}
            }
            if clauses.len() >= self.max_clauses {
                return Err(InterpolationError::Declined("too many clauses".into()));
            }
            let mut cube = Vec::with_capacity(atoms.len());
            for &atom in atoms {
                let holds = solver.holds(pool, atom) == Some(true);
                cube.push(if holds { atom } else { pool.not(atom) });
            }
            let mut assumptions = prefix.to_vec();
            assumptions.extend(&cube);
            let mut core = match solver.check(pool, &assumptions) {
                Answer::Unsat => solver.core().to_vec(),
                Answer::Unknown(reason) => return Err(InterpolationError::Unknown(reason)),
                Answer::Sat => {
                    return Err(InterpolationError::Declined(
                        "the vocabulary does not separate the blocks".into(),
                    ));
                }
            };
            core.retain(|literal| !prefix.contains(literal));
            // What is preferred is tried last to be dropped.
            core.sort_by_cached_key(|literal| {
                std::cmp::Reverse(cube.iter().position(|other| other == literal))
            });
            self.shrink(pool, solver, prefix, &mut core);
            let cube = pool.and_all(core);
            clauses.push(pool.not(cube));
        }
        // Only the clauses that the refutation of the suffix used.
        let mut used = solver.core().to_vec();
        used.retain(|clause| clauses.contains(clause));
        Ok(pool.and_all(used))
    }

    /// Drops literals while the cube stays impossible.
    fn shrink(
        &self,
        pool: &mut TermPool,
        solver: &mut NativeSolver,
        prefix: &[Term],
        core: &mut Vec<Term>,
    ) {
        let mut position = 0;
        while position < core.len() {
            let dropped = core.remove(position);
            let mut assumptions = prefix.to_vec();
            assumptions.extend(core.iter());
            if solver.check(pool, &assumptions) == Answer::Unsat {
                let smaller = solver.core().to_vec();
                core.retain(|literal| smaller.contains(literal));
                // Literals before `position` are all needed, so they are still there.
            } else {
                core.insert(position, dropped);
                position += 1;
            }
        }
    }
}

impl Interpolator for VocabularyInterpolator {
    fn interpolate(
        &mut self,
        pool: &mut TermPool,
        blocks: &[Term],
        stop: &StopToken,
    ) -> Result<Vec<Term>, InterpolationError> {
        let mut solver = NativeSolver::default();
        solver.set_stop(stop.clone());
        match solver.check(pool, blocks) {
            Answer::Sat => return Err(InterpolationError::Satisfiable),
            Answer::Unknown(reason) => return Err(InterpolationError::Unknown(reason)),
            Answer::Unsat => {}
        }
        let mut result = Vec::new();
        let mut previous = TermPool::TRUE;
        for cut in 1..blocks.len() {
            let atoms = self.shared_atoms(pool, blocks, cut);
            let prefix = [previous, blocks[cut - 1]];
            previous = self.between(pool, &mut solver, &prefix, &blocks[cut..], &atoms)?;
            if cfg!(debug_assertions) {
                // The sequence is inductive by construction; that it is costs one question more.
                let fails = pool.not(previous);
                let answer = solver.check(pool, &[prefix[0], prefix[1], fails]);
                debug_assert!(!answer.is_sat(), "no interpolant at cut {cut}");
            }
            result.push(previous);
        }
        Ok(result)
    }
}
