//! What is left is the greatest inductive subset: all subsets are looked at.

use super::*;
use crate::graph::{BlockGraph, BlockId, PlaceId, ROOT, Target};
use crate::hoare::Solvers;
use crate::statements::Statements;
use crate::testing::{Random, bound, load, var};
use cfa::expr::{ExprId, ExprPool};
use control::StopToken;
use logic::{SolverChoice, SolverOptions};

const PROGRAMS: [&str; 4] = [
    "unsigned x, y; int main(void) { x = 1; y = 2; while (n()) { x = y; y = x; } return 0; }",
    "unsigned x, y; int main(void) { x = 0; y = 9; while (n()) { if (x < 7) x = x + 1; y = x + 2; } return 0; }",
    "unsigned x, y; int main(void) { x = 3; while (n()) { x = x + y; if (x > 9) x = 9; }
        while (n()) { if (y > x) y = x; else x = y; } return 0; }",
    "unsigned x, y; int main(void) { x = 3; while (n()) { y = 0; while (n()) { y = y + 1; if (y > x) y = x; } x = y; } return 0; }",
];

/// Candidates at places.
struct Guessed<'p> {
    graph: BlockGraph<'p>,
    pool: ExprPool,
    statements: Statements,
    list: Vec<(PlaceId, ExprId)>,
}

impl Candidates for Guessed<'_> {
    fn pool(&mut self) -> &mut TermPool {
        self.graph.pool()
    }

    fn assumed(&mut self, step: u32, candidate: Candidate) -> Option<Term> {
        let source = self.graph.block(BlockId(step)).source;
        let (_, said) = self.list[candidate];
        (self.statements).at_start(&mut self.graph, &self.pool, source, said)
    }

    fn claimed(&mut self, step: u32, candidate: Candidate) -> Option<Term> {
        let (_, said) = self.list[candidate];
        (self.statements).at_end(&mut self.graph, &self.pool, BlockId(step), said)
    }

    fn is_near(&mut self, assumed: Candidate, claimed: Candidate) -> bool {
        (assumed + claimed).is_multiple_of(2)
    }
}

fn checker(sharing: Solvers) -> HoareChecker {
    HoareChecker::new(sharing, &StopToken::new(), || {
        SolverChoice::Native.make(SolverOptions::default())
    })
}

fn obligations(guessed: &mut Guessed<'_>) -> Vec<Obligation> {
    let mut found = Vec::new();
    for number in 0..guessed.graph.block_count() as u32 {
        let block = guessed.graph.block(BlockId(number));
        let Target::Place(target) = block.target else {
            continue;
        };
        let at = |place: PlaceId| {
            let list = guessed.list.iter().enumerate();
            let list = list.filter(move |(_, (at, _))| *at == place && place != ROOT);
            list.map(|(candidate, _)| candidate).collect::<Vec<_>>()
        };
        found.push(Obligation {
            key: number,
            path: block.path.clone(),
            before: at(block.source),
            after: at(target),
        });
    }
    found
}

fn is_inductive(
    guessed: &mut Guessed<'_>,
    obligations: &[Obligation],
    subset: u32,
    checker: &mut HoareChecker,
) -> bool {
    let is_in = |candidate: &Candidate| subset & (1 << *candidate) != 0;
    obligations.iter().all(|obligation| {
        let key = obligation.key;
        let before: Vec<Term> = (obligation.before.iter().copied())
            .filter(is_in)
            .filter_map(|each| guessed.assumed(key, each))
            .collect();
        let path = &obligation.path;
        obligation.after.iter().copied().filter(is_in).all(|each| {
            let post = guessed.claimed(key, each).expect("it has a formula");
            let step = Step { key, path };
            checker
                .check(guessed.graph.pool(), step, &before, post)
                .is_valid()
        })
    })
}

/// The blocks of a program, without candidates.
fn nothing_guessed(program: &cfa::program::Program) -> Guessed<'_> {
    let mut graph = BlockGraph::between_loop_heads(program);
    assert_eq!(graph.explore(9, &StopToken::new()), Ok(()));
    Guessed {
        pool: program.pool.clone(),
        statements: Statements::default(),
        list: Vec::new(),
        graph,
    }
}

#[test]
fn what_is_left_is_the_greatest_inductive_subset() {
    let mut random = Random(3);
    let mut lefts = BTreeSet::new();
    for text in PROGRAMS {
        let program = load(text);
        for _ in 0..6 {
            let mut guessed = nothing_guessed(&program);
            for _ in 0..7 {
                let place = 1 + random.below(guessed.graph.place_count() as u64 - 1) as u32;
                let name = ["x", "y"][random.below(2) as usize];
                let limit = [0, 1, 2, 3, 7, 9, 11][random.below(7) as usize];
                let variable = var(&program, name);
                let upper = random.below(3) > 0;
                let said = bound(&program, &mut guessed.pool, variable, upper, limit);
                guessed.list.push((PlaceId(place), said));
            }
            let obligations = obligations(&mut guessed);
            // Inductive sets have a greatest one: their union.
            let mut expected = 0;
            let mut exact = checker(Solvers::PerStep);
            for subset in 0..1u32 << guessed.list.len() {
                if is_inductive(&mut guessed, &obligations, subset, &mut exact) {
                    expected |= subset;
                }
            }
            for questions in [Questions::Together, Questions::Alone] {
                for sharing in [Solvers::Shared, Solvers::PerStep] {
                    let mut houdini = Houdini::new(questions, Undecided::EndsTheSearch);
                    for _ in 0..guessed.list.len() {
                        houdini.add_candidate();
                    }
                    for obligation in &obligations {
                        houdini.add_obligation(obligation.clone());
                    }
                    let mut checker = checker(sharing);
                    assert_eq!(houdini.run(&mut guessed, &mut checker), Ok(()));
                    let left = (0..guessed.list.len()).filter(|&each| houdini.is_left(each));
                    let left: u32 = left.map(|each| 1 << each).sum();
                    assert_eq!(left, expected, "{text}: {questions:?} {sharing:?}");
                }
            }
            lefts.insert(expected.count_ones());
        }
    }
    assert!(lefts.len() > 3, "{lefts:?}");
}

#[test]
fn a_stopped_search_says_so() {
    let program = load(PROGRAMS[0]);
    let mut guessed = nothing_guessed(&program);
    let variable = var(&program, "x");
    let said = bound(&program, &mut guessed.pool, variable, true, 2);
    guessed.list.push((PlaceId(1), said));
    let stop = StopToken::new();
    stop.stop();
    for questions in [Questions::Together, Questions::Alone] {
        for undecided in [Undecided::Falls, Undecided::EndsTheSearch] {
            let mut houdini = Houdini::new(questions, undecided);
            houdini.add_candidate();
            for obligation in obligations(&mut guessed) {
                houdini.add_obligation(obligation);
            }
            let mut checker = checker(Solvers::Shared);
            checker.limit(&stop, None);
            let result = houdini.run(&mut guessed, &mut checker);
            assert_eq!(result, Err(Unfinished::Stopped));
        }
    }
}
