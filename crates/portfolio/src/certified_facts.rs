//! Which of the facts that engines have published the checker of certificates finds to hold.

use crate::call_strings::CallStrings;
use certify::Rejection;
use cfa::expr::ExprPool;
use cfa::place::CallPattern;
use cfa::program::{LocId, Program};
use facts::budget::Budget;
use facts::invariants::{Facts, Invariant, InvariantMap};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Facts by what the checker says of them. Those that it finds not to hold are in neither.
#[derive(Default)]
pub struct Judged {
    pub certified: Facts,
    /// There was no time to check them, or no way.
    pub open: Facts,
}

/// Asks the checker, for no longer than the limit.
pub fn judge(program: &Program, facts: &Facts, limit: Duration, budget: &Budget) -> Judged {
    let whole = budget.within(limit);
    if facts.maps.is_empty() {
        return Judged::default();
    }
    // Together they need only one walk through the program.
    if facts.maps.len() > 1 {
        let all = conjunction(program, facts);
        if certify::check_facts(program, &all, &whole.within(limit / 2)).is_ok() {
            return Judged {
                certified: facts.clone(),
                open: Facts::default(),
            };
        }
    }
    let mut judged = Judged::default();
    // Later ones say more.
    for map in facts.maps.iter().rev() {
        let list = match certify::check_facts(program, map, &whole) {
            Ok(_) => &mut judged.certified,
            Err(Rejection::Unfinished(_)) => &mut judged.open,
            Err(Rejection::Wrong(_)) => continue,
        };
        list.maps.push(Arc::clone(map));
    }
    judged.certified.maps.reverse();
    judged.open.maps.reverse();
    judged
}

/// All maps as one. The checker takes no statements about all calls beside statements about single
/// ones, so where there are both, the former are said of each call.
fn conjunction(program: &Program, facts: &Facts) -> InvariantMap {
    let calls = CallStrings::of(program);
    let entries = || facts.maps.iter().flat_map(|map| &map.entries);
    let exact: BTreeSet<LocId> = entries()
        .filter(|entry| entry.calls != CallPattern::Any)
        .map(|entry| entry.location)
        .collect();
    let mut pool = ExprPool::default();
    let mut all = Vec::new();
    for map in &facts.maps {
        for entry in &map.entries {
            let holds = pool.import(&map.pool, entry.holds);
            let location = entry.location;
            let strings = calls.strings(program, location);
            match (&entry.calls, strings) {
                (CallPattern::Any, Some(strings)) if exact.contains(&location) => {
                    all.extend(strings.iter().map(|string| Invariant {
                        calls: CallPattern::Exactly(string.clone()),
                        location,
                        holds,
                    }));
                }
                (calls, _) => all.push(Invariant {
                    calls: calls.clone(),
                    location,
                    holds,
                }),
            }
        }
    }
    InvariantMap {
        by: "all".into(),
        pool,
        entries: all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::tests::TEXT;
    use crate::case::Case;
    use cfa::expr::VarId;
    use cfa::program::LocationKind;

    fn head(program: &Program) -> LocId {
        (0..program.locations.len() as u32)
            .map(LocId)
            .find(|&at| program.location(at).kind == LocationKind::LoopHead)
            .expect("there is a loop")
    }

    /// The one way to come to the loop.
    fn calls_of_loop(program: &Program) -> CallPattern {
        let calls = CallStrings::of(program);
        let strings = calls.strings(program, head(program));
        CallPattern::Exactly(strings.expect("nothing is recursive")[0].clone())
    }

    fn at_most(program: &Program, bound: u128, calls: CallPattern) -> Arc<InvariantMap> {
        let number = program.vars.iter().position(|var| var.name == "x");
        let x = VarId(number.expect("there is an x") as u32);
        let location = head(program);
        let mut pool = program.pool.clone();
        let ty = program.var(x).ty;
        let (variable, constant) = (pool.variable(x, ty), pool.constant(bound, ty));
        let holds = pool.le(variable, constant);
        Arc::new(InvariantMap {
            by: bound.to_string(),
            pool,
            entries: vec![Invariant {
                calls,
                location,
                holds,
            }],
        })
    }

    fn names(facts: &Facts) -> Vec<&str> {
        facts.maps.iter().map(|map| map.by.as_str()).collect()
    }

    #[test]
    fn what_does_not_hold_is_not_there_and_takes_nothing_else_along() {
        let case = Case::of_text(TEXT).expect("a correct program");
        let program = &case.views.split;
        let (any, exact) = (CallPattern::Any, calls_of_loop(program));
        let right = at_most(program, 10, any);
        let also_right = at_most(program, 20, exact.clone());
        let wrong = at_most(program, 9, exact);
        let time = Duration::from_secs(60);
        let judge = |maps: &[&Arc<InvariantMap>]| {
            let maps = maps.iter().map(|&map| Arc::clone(map)).collect();
            judge(
                program,
                &Facts {
                    maps,
                    ..Facts::default()
                },
                time,
                &Budget::unlimited(),
            )
        };
        let judged = judge(&[&right, &also_right]);
        assert_eq!(names(&judged.certified), ["10", "20"]);
        let judged = judge(&[&right, &wrong, &also_right]);
        assert_eq!(names(&judged.certified), ["10", "20"]);
        assert!(judged.open.maps.is_empty());
    }

    #[test]
    fn without_time_everything_stays_open() {
        let case = Case::of_text(TEXT).expect("a correct program");
        let right = at_most(&case.views.split, 10, CallPattern::Any);
        let facts = Facts {
            maps: vec![right],
            ..Facts::default()
        };
        let judged = judge(
            &case.views.split,
            &facts,
            Duration::ZERO,
            &Budget::unlimited(),
        );
        assert_eq!(names(&judged.open), ["10"]);
        assert!(judged.certified.maps.is_empty());
    }
}
