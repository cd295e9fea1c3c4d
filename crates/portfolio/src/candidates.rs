//! Facts and candidates that are checked before anybody uses them: those of a process that has
//! died, and those that analyses propose.

use certify::Rejection;
use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::{Board, Engine, Outcome};
use facts::invariants::{CandidateMap, Invariant, InvariantMap};
use facts::words::count;
use std::time::Duration;

/// What of the candidates the checker of certificates finds to be inductive, as facts of whoever
/// proposed them; `None` if nothing is, or nothing is found to be in the time.
fn what_holds(
    program: &Program,
    candidates: &CandidateMap,
    budget: &Budget,
) -> Option<InvariantMap> {
    let CandidateMap(given) = candidates;
    let is_known = |entry: &&Invariant| {
        (entry.location.0 as usize) < program.locations.len()
            && certify::belongs_to(program, &given.pool, &[entry.holds])
    };
    let entries = given.entries.iter().filter(is_known).cloned();
    let candidates = CandidateMap(InvariantMap {
        by: given.by.clone(),
        entries: entries.collect(),
        pool: given.pool.clone(),
    });
    let left = engines::sieve::inductive_part(program, &candidates, budget).ok()??;
    certify::check_facts(program, &left, budget).ok()?;
    Some(left)
}

/// Publishes those of the maps that the checker of certificates finds to be inductive. It has no
/// answer.
pub struct EarlierFacts {
    /// In the order in which they were found.
    pub maps: Vec<InvariantMap>,
}

const EARLIER: &str = "earlier facts";

impl Engine for EarlierFacts {
    fn name(&self) -> &str {
        EARLIER
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let all = self.maps.len();
        let mut holding = 0u64;
        // Later ones say more.
        for map in std::mem::take(&mut self.maps).into_iter().rev() {
            if budget.is_exhausted() {
                break;
            }
            board.progress(EARLIER, &format!("checking the facts of {}", map.by));
            let holds = match certify::check_facts(program, &map, budget) {
                Ok(_) => Some(map),
                // They may be of a program that was prepared otherwise; some may hold all the same.
                Err(Rejection::Wrong(_)) => what_holds(program, &CandidateMap(map), budget),
                Err(Rejection::Unfinished(_)) => None,
            };
            if let Some(map) = holds {
                holding += 1;
                board.publish(map);
            }
        }
        board.count(EARLIER, "maps that hold", holding);
        Outcome::Unknown(format!("{holding} of {} hold", count(all, "map")).into())
    }
}

/// Checks the candidates that others propose ([`facts::engine::Knowledge::propose`]) and publishes
/// those that hold as facts of whoever proposed them. It has no answer.
///
/// Each proposal is checked for itself, so that what holds of it is a map that needs nothing else.
pub struct Candidates {}

const CANDIDATES: &str = "candidates";

/// How long it sleeps when there is nothing to check.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// The part of the time that is left that may go into one proposal.
const PART_FOR_ONE: f64 = 0.3;

impl Engine for Candidates {
    fn name(&self) -> &str {
        CANDIDATES
    }

    fn serves_others(&self) -> bool {
        true
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let (mut looked_at, mut checked, mut holding) = (0, 0, 0);
        while !budget.is_exhausted() {
            // Asked first: what was proposed before all others had ended is looked at.
            let is_last_look = budget.is_nobody_served();
            if board.proposals() == looked_at {
                if is_last_look {
                    break;
                }
                std::thread::sleep(LOOK_EVERY);
                continue;
            }
            let proposals = board.candidates();
            for candidates in proposals.iter().skip(looked_at) {
                if budget.is_exhausted() {
                    break;
                }
                let by = &candidates.0.by;
                board.progress(CANDIDATES, &format!("checking the candidates of {by}"));
                let said = candidates.0.conjuncts().len();
                checked += said;
                let (part, _limit) = budget.part(PART_FOR_ONE);
                let left = what_holds(program, candidates, &part);
                let proved = left.as_ref().map_or(0, |map| map.conjuncts().len());
                holding += proved;
                if let Some(map) = left {
                    board.publish(map);
                }
                // What does not hold is not told apart from what is true and not inductive.
                board.progress(
                    CANDIDATES,
                    &format!("{proved} of {} of {by} proved", count(said, "candidate")),
                );
                board.count(by, "candidates proved", proved as u64);
                board.count(
                    by,
                    "candidates not proved",
                    said.saturating_sub(proved) as u64,
                );
                board.count(CANDIDATES, "candidates", checked as u64);
                board.count(CANDIDATES, "candidates that hold", holding as u64);
            }
            looked_at = proposals.len();
        }
        let all = count(checked, "candidate");
        Outcome::Unknown(format!("{holding} of {all} hold").into())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::case::Case;
    use crate::certification::Certified;
    use cfa::expr::VarId;
    use cfa::place::CallPattern;
    use cfa::program::LocId;
    use cooperation::parallel::Parallel;
    use cooperation::part::{Ended, Part, Participant};
    use cooperation::store::FactStore;
    use engines::k_induction::KInduction;
    use facts::engine::{Status, View};
    use std::sync::Arc;

    pub(crate) const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);
        int main(void) { unsigned x = 0;
        while (__VERIFIER_nondet_int()) if (x < 10) x++;
        if (x > 10) reach_error(); return 0; }";

    fn case(text: &str) -> Arc<Case> {
        Arc::new(Case::of_text(text).expect("a correct program"))
    }

    fn loop_head(program: &Program) -> LocId {
        let mut locations = (0..program.locations.len() as u32).map(LocId);
        let head =
            locations.find(|&at| program.location(at).kind == cfa::program::LocationKind::LoopHead);
        head.expect("there is a loop")
    }

    /// At the location x is at most each of the bounds, all in one statement.
    fn at_most(program: &Program, by: &str, bounds: &[u128], location: LocId) -> InvariantMap {
        let number = program.vars.iter().position(|var| var.name == "x");
        let x = VarId(number.expect("there is an x") as u32);
        let mut pool = program.pool.clone();
        let ty = program.var(x).ty;
        let variable = pool.variable(x, ty);
        let mut holds = pool.bool_constant(true);
        for &bound in bounds {
            let bound = pool.constant(bound, ty);
            let part = pool.le(variable, bound);
            holds = pool.and(holds, part);
        }
        InvariantMap {
            by: by.into(),
            pool,
            entries: vec![Invariant {
                calls: CallPattern::Any,
                location,
                holds,
            }],
        }
    }

    #[test]
    fn what_does_not_hold_is_not_published() {
        let case = case(TEXT);
        let program = case.views.program(View::Prepared);
        let head = loop_head(program);
        let nowhere = LocId(1_000_000);
        let maps = vec![
            at_most(program, "right", &[10], head),
            at_most(program, "wrong", &[9], head),
            at_most(program, "no place", &[10], nowhere),
            at_most(program, "also right", &[20], head),
            at_most(program, "half right", &[8, 30], head),
        ];
        let board = FactStore::default();
        let mut recheck = EarlierFacts { maps };
        match recheck.run(program, &board, &Budget::unlimited()) {
            Outcome::Unknown(text) => assert_eq!(text.to_string(), "3 of 5 maps hold"),
            Outcome::Answer(_) => panic!("facts are no answer"),
        }
        let facts = board.facts();
        let published: Vec<&str> = facts.maps.iter().map(|map| &*map.by).collect();
        assert_eq!(published, ["half right", "also right", "right"]);
    }

    /// Proposes something every millisecond, and ends before all of it can have been checked.
    struct Proposes(Vec<InvariantMap>);

    impl Engine for Proposes {
        fn name(&self) -> &str {
            "proposes"
        }

        fn run(&mut self, _: &Program, board: &dyn Board, _: &Budget) -> Outcome {
            for map in std::mem::take(&mut self.0) {
                board.propose(CandidateMap(map));
                std::thread::sleep(Duration::from_millis(1));
            }
            Outcome::Unknown("all is proposed".into())
        }
    }

    /// The bounds that facts name at the location.
    fn bounds(program: &Program, board: &FactStore, location: LocId) -> Vec<u128> {
        let mut found: Vec<u128> = Vec::new();
        for map in &board.facts().maps {
            assert!(certify::check_facts(program, map, &Budget::unlimited()).is_ok());
            for part in map.conjuncts() {
                assert_eq!((part.location, &part.calls), (location, &CallPattern::Any));
                let children = map.pool.node(part.holds).children();
                found.extend(children.filter_map(|child| map.pool.as_constant(child)));
            }
        }
        found.sort();
        found.dedup();
        found
    }

    fn certified(engine: impl Engine + 'static, case: &Arc<Case>) -> Part {
        Part {
            participant: Box::new(Certified::new(Box::new(engine), case)),
            limit: None,
        }
    }

    #[test]
    fn wrong_candidates_are_refuted_and_right_ones_become_facts() {
        let case = case(TEXT);
        let program = case.views.program(View::Prepared);
        let head = loop_head(program);
        let mut maps: Vec<InvariantMap> = (0..10)
            .map(|bound| at_most(program, "proposes", &[bound, bound + 100], head))
            .collect();
        maps.push(at_most(program, "proposes", &[10], head));
        maps.push(at_most(program, "proposes", &[3], LocId(1_000_000)));
        let mut all = Parallel {
            name: "parallel".into(),
            parts: vec![
                certified(Candidates {}, &case),
                certified(Proposes(maps), &case),
            ],
        };
        let board = FactStore::default();
        let budget = Budget::new(Some(Duration::from_secs(60)), None);
        let ended = all.run(&board, &budget);
        assert!(matches!(ended, Ended::Unknown(_)), "{ended:?}");
        let right: Vec<u128> = [10].into_iter().chain(100..110).collect();
        assert_eq!(bounds(program, &board, head), right);
        let facts = board.facts();
        assert!(facts.findings().all(|finding| finding.by == "proposes"));
        let told = Status::GaveUp("11 of 22 candidates hold".into());
        assert!(board.status().contains(&("candidates".into(), told)));
    }

    /// A proof that needs a candidate, beside one who proposes many wrong ones that would make
    /// everything provable.
    #[test]
    fn candidates_prove_nothing_before_they_are_checked() {
        let text = |limit: u32| {
            format!(
                "int __VERIFIER_nondet_int(void); void reach_error(void);
                 int main(void) {{ unsigned x = 0, y = 0;
                 while (__VERIFIER_nondet_int()) {{ if (x < 10) {{ x++; y += 2; }} else {{ x = 0; y = 0; }} }}
                 if (x > {limit}) reach_error(); return 0; }}"
            )
        };
        for (limit, is_safe) in [(10, true), (9, false)] {
            let case = case(&text(limit));
            let program = case.views.program(View::Prepared);
            let head = loop_head(program);
            let maps = (0..20).map(|bound| at_most(program, "proposes", &[bound], head));
            let mut all = Parallel {
                name: "parallel".into(),
                parts: vec![
                    certified(KInduction::default(), &case),
                    certified(Proposes(maps.collect()), &case),
                    certified(Candidates {}, &case),
                ],
            };
            let board = FactStore::default();
            let budget = Budget::new(Some(Duration::from_secs(60)), None);
            assert_eq!(all.run(&board, &budget), Ended::Answered);
            let conclusion = case.conclusions.take().expect("they agree");
            let answer = conclusion.expect("there is an answer").certificate;
            assert_eq!(answer.claims_safety(), is_safe);
            let facts = bounds(program, &board, head);
            assert!(facts.iter().all(|&bound| bound >= 10), "{facts:?}");
        }
    }

    #[test]
    fn without_candidates_the_service_does_nothing() {
        let case = case(TEXT);
        let mut service = Candidates {};
        let outcome = service.run(
            &case.views.split,
            &FactStore::default(),
            &Budget::unlimited(),
        );
        assert!(matches!(outcome, Outcome::Unknown(text)
            if text.to_string() == "0 of 0 candidates hold"));
    }
}
