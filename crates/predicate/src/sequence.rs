//! Interpolants along a path of blocks, as clauses over atoms (hard part "interpolants that
//! generalise").
//!
//! For each cut in turn: a model of the rest of the path gives values to the atoms; from the
//! interpolant of the cut before, the block does not lead to these values; of the atoms that are
//! needed to see this, as few as possible are kept, and their negation is a clause. So on until no
//! model of the rest is left. The sequence is inductive by construction.
//!
//! The rest of the path is one formula over copies of the variables; the block before the cut is
//! asked in its own solver, which holds one block only: there are many more questions of that kind.

use super::families::{self, Families};
use super::predicates::Predicates;
use super::trace::Trace;
use cfa::expr::ExprId;
use control::StopToken;
use induction::graph::{BlockId, Target};
use induction::solver_graph::SolverGraph;
use logic::interpolate::InterpolationError;
use logic::{Answer, Solver, Term, TermPool};

/// A disjunction of atoms (`true`) and negated atoms (`false`).
pub type Clause = Vec<(ExprId, bool)>;

/// How many clauses an interpolant may have.
const MAX_CLAUSES: usize = 60;

/// The rest of a path from each of its cuts on.
pub struct Suffixes {
    solver: Box<dyn Solver>,
    /// For each block its relation between copies of variables, as one term.
    relations: Vec<Term>,
}

impl Suffixes {
    /// `relations`: see [`Trace::relations`], with facts at the beginning of each block.
    pub fn new(relations: Vec<Term>, solver: Box<dyn Solver>) -> Suffixes {
        Suffixes { solver, relations }
    }

    /// Is the rest of the path from the block on impossible, if the formulas hold at its beginning?
    pub fn is_impossible(&mut self, pool: &mut TermPool, step: usize, given: &[Term]) -> bool {
        let mut assumptions = self.relations[step..].to_vec();
        assumptions.extend(given);
        self.solver.check(pool, &assumptions) == Answer::Unsat
    }
}

/// An atom at a cut: as the end of the block before sees it, and as the rest of the path does.
struct Literal {
    atom: ExprId,
    /// See [`families::is_point`].
    is_point: bool,
    at_end: Term,
    at_start: Term,
    in_rest: Term,
}

/// Questions to blocks for one sequence.
const MAX_QUESTIONS: usize = 600;

struct Search {
    /// For each cut.
    literals: Vec<Vec<Literal>>,
    /// For each cut the interpolant so far.
    found: Vec<Vec<Clause>>,
    questions: usize,
}

/// What a sequence of interpolants starts from.
pub struct Given {
    /// What is known at the beginning of each block.
    pub facts: Vec<Vec<Term>>,
    /// The block at whose beginning the sequence starts, and what holds there: this and the rest of
    /// the path are a contradiction already.
    pub pivot: usize,
    pub at_pivot: Vec<Term>,
}

pub struct Sequence<'a, 'p> {
    pub graph: &'a mut SolverGraph<'p>,
    pub predicates: &'a mut Predicates,
    pub families: &'a Families,
    pub trace: &'a Trace,
    pub given: &'a Given,
    pub stop: &'a StopToken,
}

fn unknown(reason: logic::UnknownReason) -> InterpolationError {
    InterpolationError::Unknown(reason)
}

impl Sequence<'_, '_> {
    /// Interpolants for all cuts after the pivot; `atoms[k]` are those of the beginning of block
    /// `k`, the preferred ones first.
    pub fn find(
        &mut self,
        suffixes: &mut Suffixes,
        atoms: &[Vec<ExprId>],
    ) -> Result<Vec<Vec<Clause>>, InterpolationError> {
        let count = self.trace.blocks.len();
        let mut search = Search {
            literals: (0..count).map(|_| Vec::new()).collect(),
            found: vec![Vec::new(); count],
            questions: 0,
        };
        for (cut, atoms) in atoms.iter().enumerate().skip(self.given.pivot + 1) {
            search.literals[cut] = self.literals(cut, atoms);
            self.at_cut(suffixes, cut, &mut search)?;
        }
        Ok(search.found)
    }

    fn literals(&mut self, cut: usize, atoms: &[ExprId]) -> Vec<Literal> {
        let block = self.trace.blocks[cut - 1];
        let place = self.trace.place(self.graph, cut);
        let mut literals: Vec<Literal> = Vec::new();
        for &atom in atoms {
            let (Some(at_end), Some(at_start)) = (
                self.predicates.end_term(self.graph, block, atom),
                self.predicates.start_term(self.graph, place, atom),
            ) else {
                continue;
            };
            let in_rest = Trace::term_at(self.graph, at_start, cut);
            if !self.graph.pool().is_const(in_rest) {
                literals.push(Literal {
                    atom,
                    is_point: families::is_point(self.families, &self.predicates.exprs, atom),
                    at_end,
                    at_start,
                    in_rest,
                });
            }
        }
        literals
    }

    fn clause_at_start(&mut self, step: usize, clause: &Clause) -> Term {
        let place = self.trace.place(self.graph, step);
        let mut terms = Vec::new();
        for &(atom, positive) in clause {
            if let Some(term) = self.predicates.start_term(self.graph, place, atom) {
                terms.push(if positive {
                    term
                } else {
                    self.graph.pool().not(term)
                });
            }
        }
        self.graph.pool().or_all(terms)
    }

    fn at_cut(
        &mut self,
        suffixes: &mut Suffixes,
        cut: usize,
        search: &mut Search,
    ) -> Result<(), InterpolationError> {
        let mut clauses: Vec<(Clause, Term)> = Vec::new();
        loop {
            let mut assumptions = suffixes.relations[cut..].to_vec();
            assumptions.extend(clauses.iter().map(|&(_, term)| term));
            let pool = self.graph.pool();
            match suffixes.solver.check(pool, &assumptions) {
                Answer::Unsat => break,
                Answer::Unknown(reason) => return Err(unknown(reason)),
                Answer::Sat => {}
            }
            if clauses.len() >= MAX_CLAUSES {
                return Err(InterpolationError::Declined("too many clauses".into()));
            }
            let literals = &search.literals[cut];
            let signs: Vec<bool> = literals
                .iter()
                .map(|literal| suffixes.solver.holds(pool, literal.in_rest) == Some(true))
                .collect();
            let clause = self.exclude(cut, &signs, search)?;
            let pool = self.graph.pool();
            let literals = &search.literals[cut];
            let mut terms = Vec::new();
            for &(atom, positive) in &clause {
                if let Some(literal) = literals.iter().find(|literal| literal.atom == atom) {
                    let term = literal.in_rest;
                    terms.push(if positive { term } else { pool.not(term) });
                }
            }
            let term = pool.or_all(terms);
            clauses.push((clause, term));
        }
        // Only the clauses that the refutation of the rest used.
        let core = suffixes.solver.core();
        clauses.retain(|(_, term)| core.contains(term) || *term == TermPool::FALSE);
        search.found[cut] = clauses.into_iter().map(|(clause, _)| clause).collect();
        Ok(())
    }

    /// A clause that holds at the cut and excludes the values of its atoms. Where the interpolant
    /// of the cut before does not suffice for it, that one is made stronger first, and so on back
    /// to the pivot (as in IC3).
    fn exclude(
        &mut self,
        cut: usize,
        signs: &[bool],
        search: &mut Search,
    ) -> Result<Clause, InterpolationError> {
        let mut wanted: Vec<(usize, Vec<bool>)> = vec![(cut, signs.to_vec())];
        loop {
            let (at, signs) = wanted.last().cloned().expect("the first is still wanted");
            search.questions += 1;
            if search.questions > MAX_QUESTIONS {
                return Err(InterpolationError::Declined("too many questions".into()));
            }
            let block = self.trace.blocks[at - 1];
            let mut given: Vec<Term> = match at - 1 == self.given.pivot {
                true => self.given.at_pivot.clone(),
                false => self.given.facts[at - 1].clone(),
            };
            for clause in search.found[at - 1].clone() {
                given.push(self.clause_at_start(at - 1, &clause));
            }
            if let Some(clause) = self.block_values(block, &given, &search.literals[at], &signs)? {
                wanted.pop();
                if wanted.is_empty() {
                    return Ok(clause);
                }
                search.found[at].push(clause);
                continue;
            }
            if at - 1 <= self.given.pivot {
                return Err(InterpolationError::Declined(
                    "the vocabulary does not separate the blocks".into(),
                ));
            }
            // The state that leads there is to be excluded first.
            let (solver, pool) = self.graph.solver(block);
            let before: Vec<bool> = search.literals[at - 1]
                .iter()
                .map(|literal| solver.holds(pool, literal.at_start) == Some(true))
                .collect();
            wanted.push((at - 1, before));
        }
    }

    /// A clause that holds at the end of the block and excludes the values; `None` if the block
    /// leads to them (its solver has a model then).
    fn block_values(
        &mut self,
        block: BlockId,
        given: &[Term],
        literals: &[Literal],
        signs: &[bool],
    ) -> Result<Option<Clause>, InterpolationError> {
        let loops_back = self.self_loop(block);
        let (solver, pool) = self.graph.solver(block);
        solver.set_stop(self.stop.clone());
        let mut cube: Vec<(usize, Term)> = Vec::new();
        for (number, (literal, &sign)) in literals.iter().zip(signs).enumerate() {
            let term = literal.at_end;
            cube.push((number, if sign { term } else { pool.not(term) }));
        }
        let ask = |solver: &mut dyn Solver, pool: &mut TermPool, cube: &[(usize, Term)]| {
            let mut assumptions = given.to_vec();
            assumptions.extend(cube.iter().map(|&(_, term)| term));
            match solver.check(pool, &assumptions) {
                Answer::Unsat => {
                    let core = solver.core();
                    let kept = cube.iter().copied().filter(|(_, term)| core.contains(term));
                    Ok(Some(kept.collect::<Vec<_>>()))
                }
                Answer::Sat => Ok(None),
                Answer::Unknown(reason) => Err(unknown(reason)),
            }
        };
        // That something is not one of its other values says more than that it is not this one:
        // without the values that the state happens to have first.
        let is_general =
            |&(number, _): &(usize, Term)| !(literals[number].is_point && signs[number]);
        let general: Vec<(usize, Term)> = cube.iter().copied().filter(is_general).collect();
        let mut first = None;
        if general.len() < cube.len() {
            first = ask(solver, pool, &general)?;
        }
        if first.is_none() {
            first = ask(solver, pool, &cube)?;
        }
        let Some(first) = first else {
            return Ok(None);
        };
        // Two orders of dropping give two clauses; one that its loop preserves is worth more.
        let mut found: Vec<Vec<usize>> = Vec::new();
        for preferred_last in [true, false] {
            let mut core = first.clone();
            if preferred_last {
                core.reverse();
            }
            let mut position = 0;
            while position < core.len() {
                let mut fewer = core.clone();
                fewer.remove(position);
                match ask(solver, pool, &fewer)? {
                    Some(smaller) => core = smaller,
                    None => position += 1,
                }
            }
            let mut kept: Vec<usize> = core.into_iter().map(|(number, _)| number).collect();
            kept.sort_unstable();
            if !found.contains(&kept) {
                found.push(kept);
            }
            if first.len() <= 1 || loops_back.is_none() {
                break;
            }
        }
        let clause = |kept: &[usize]| -> Clause {
            kept.iter()
                .map(|&number| (literals[number].atom, !signs[number]))
                .collect()
        };
        if found.len() > 1
            && let Some(own) = loops_back
        {
            for kept in &found {
                let clause = clause(kept);
                if self.is_preserved(own, &clause) {
                    return Ok(Some(clause));
                }
            }
        }
        Ok(Some(clause(&found[0])))
    }

    /// The block that leads from the end of the given one back to where it begins, without any
    /// place between.
    fn self_loop(&mut self, block: BlockId) -> Option<BlockId> {
        let Target::Place(place) = self.graph.block(block).target else {
            return None;
        };
        let outgoing = self.graph.outgoing(place);
        outgoing
            .iter()
            .copied()
            .find(|&other| self.graph.block(other).target == Target::Place(place))
    }

    /// Does the clause still hold after the block if it holds before?
    fn is_preserved(&mut self, block: BlockId, clause: &Clause) -> bool {
        let place = self.graph.block(block).source;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for &(atom, positive) in clause {
            let (Some(start), Some(end)) = (
                self.predicates.start_term(self.graph, place, atom),
                self.predicates.end_term(self.graph, block, atom),
            ) else {
                return false;
            };
            let pool = self.graph.pool();
            before.push(if positive { start } else { pool.not(start) });
            after.push(if positive { pool.not(end) } else { end });
        }
        after.push(self.graph.pool().or_all(before));
        let (solver, pool) = self.graph.solver(block);
        solver.check(pool, &after) == Answer::Unsat
    }
}
