//! What of somebody's candidates holds: the largest subset that is inductive by itself
//! ([`induction::houdini`]).
//!
//! Candidates lie at any location, not only at loop heads, and blocks lead from one of these places
//! or a loop head to the next. A candidate that cannot be said in a formula, or that the solver
//! cannot decide, is removed.
//!
//! What is left is meant to be checked by `certify` before it is called a fact.

use cfa::order::loop_heads;
use cfa::place::Place;
use cfa::program::{EdgeId, LocId, Program};
use facts::budget::{Budget, SolverBudget};
use facts::engine::Reason;
use facts::invariants::{CandidateMap, Invariant, InvariantMap};
use induction::graph::{BlockGraph, BlockId, ROOT, Target};
use induction::hoare::{HoareChecker, Solvers};
use induction::houdini::{Candidate, Candidates, Houdini, Obligation, Questions, Undecided};
use induction::statements::Statements;
use logic::{Term, TermPool};

/// More places than this are not worth the time.
const MAX_PLACES: usize = 400;
/// The step that does nothing, in the initial state: what is said of the start has to hold there
/// like anywhere else.
const BEGINNING: u32 = u32::MAX;

/// The candidates that hold together, or why that is not known; `None` if nothing is left.
///
/// They must speak of what the program has, with the right types.
pub fn inductive_part(
    program: &Program,
    candidates: &CandidateMap,
    budget: &Budget,
) -> Result<Option<InvariantMap>, Reason> {
    let CandidateMap(given) = candidates;
    let parts = given.conjuncts();
    let (heads, of_parts) = (loop_heads(program), parts.clone());
    let cuts = move |calls: &[EdgeId], location: LocId| {
        let mut parts = of_parts.iter();
        heads.contains(&location) || parts.any(|part| is_about(part, calls, location))
    };
    let mut graph = BlockGraph::new(program, encoding::blocks::LIMITS, cuts);
    graph.explore(MAX_PLACES, &budget.stop)?;
    let mut houdini = Houdini::new(Questions::Together, Undecided::Falls);
    for _ in &parts {
        houdini.add_candidate();
    }
    for obligation in obligations(&graph, &parts) {
        houdini.add_obligation(obligation);
    }
    let mut conjuncts = Conjuncts {
        graph,
        given,
        parts: &parts,
        statements: Statements::default(),
    };
    let solvers = budget.clone();
    let mut checker = HoareChecker::new(Solvers::Shared, &budget.stop, move || {
        solvers.make_solver(0)
    });
    let result = houdini.run(&mut conjuncts, &mut checker);
    result.map_err(|why| why.reason(budget))?;
    let entries = parts.iter().enumerate();
    let entries: Vec<Invariant> = entries
        .filter(|&(number, _)| houdini.is_left(number))
        .map(|(_, part)| part.clone())
        .collect();
    Ok((!entries.is_empty()).then(|| InvariantMap {
        by: given.by.clone(),
        pool: given.pool.clone(),
        entries,
    }))
}

fn is_about(part: &Invariant, calls: &[EdgeId], location: LocId) -> bool {
    part.location == location && part.calls.matches(calls)
}

/// That every block keeps the candidates of its places, and that those of the start hold there.
fn obligations(graph: &BlockGraph<'_>, parts: &[Invariant]) -> Vec<Obligation> {
    let said = |place: &Place| -> Vec<Candidate> {
        let parts = parts.iter().enumerate();
        let parts = parts.filter(|(_, part)| is_about(part, &place.calls, place.location));
        parts.map(|(number, _)| number).collect()
    };
    let mut found = vec![Obligation {
        key: BEGINNING,
        path: Vec::new(),
        before: Vec::new(),
        after: said(graph.place(ROOT)),
    }];
    for number in 0..graph.block_count() as u32 {
        let block = graph.block(BlockId(number));
        if let Target::Place(target) = block.target {
            found.push(Obligation {
                key: number,
                path: block.path.clone(),
                before: match block.source {
                    ROOT => Vec::new(),
                    source => said(graph.place(source)),
                },
                after: said(graph.place(target)),
            });
        }
    }
    found
}

struct Conjuncts<'a> {
    graph: BlockGraph<'a>,
    given: &'a InvariantMap,
    /// The conjuncts of the candidates.
    parts: &'a [Invariant],
    statements: Statements,
}

impl Candidates for Conjuncts<'_> {
    fn pool(&mut self) -> &mut TermPool {
        self.graph.pool()
    }

    fn assumed(&mut self, step: u32, candidate: Candidate) -> Option<Term> {
        let source = self.graph.block(BlockId(step)).source;
        let (pool, said) = (&self.given.pool, self.parts[candidate].holds);
        (self.statements).at_start(&mut self.graph, pool, source, said)
    }

    fn claimed(&mut self, step: u32, candidate: Candidate) -> Option<Term> {
        let (pool, said) = (&self.given.pool, self.parts[candidate].holds);
        match step {
            BEGINNING => (self.statements).at_start(&mut self.graph, pool, ROOT, said),
            step => (self.statements).at_end(&mut self.graph, pool, BlockId(step), said),
        }
    }
}
