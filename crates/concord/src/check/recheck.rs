//! Facts of a process that has died, checked again before anybody uses them.

use super::case::{Case, View};
use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::{Board, Engine, Outcome};
use facts::invariants::InvariantMap;
use facts::words::count;
use std::sync::Arc;

/// Publishes those of the maps that the checker of certificates finds to be inductive. It has no answer.
pub struct Recheck {
    /// In the order in which they were found.
    pub maps: Vec<InvariantMap>,
    pub case: Arc<Case>,
}

const NAME: &str = "earlier facts";

impl Engine for Recheck {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&mut self, _: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let program = self.case.program(View::Prepared);
        let all = self.maps.len();
        let mut holding = 0u64;
        // Later ones say more.
        for map in std::mem::take(&mut self.maps).into_iter().rev() {
            if budget.is_exhausted() {
                break;
            }
            board.progress(NAME, &format!("checking those of {}", map.by));
            if certify::check_facts(program, &map, budget).is_ok() {
                holding += 1;
                board.publish(map);
            }
        }
        board.count(NAME, "maps that hold", holding);
        Outcome::Unknown(format!("{holding} of {} hold", count(all, "map")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::expr::VarId;
    use cfa::place::CallPattern;
    use cfa::program::LocId;
    use facts::invariants::{Facts, Invariant};
    use std::sync::Mutex;

    #[derive(Default)]
    struct Published(Mutex<Vec<String>>);

    impl Board for Published {
        fn progress(&self, _: &str, _: &str) {}

        fn count(&self, _: &str, _: &str, _: u64) {}

        fn publish(&self, map: InvariantMap) {
            self.0.lock().expect("nobody panics").push(map.by);
        }

        fn facts(&self) -> Facts {
            Facts::default()
        }
    }

    const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);
        int main(void) { unsigned x = 0;
        while (__VERIFIER_nondet_int()) if (x < 10) x++;
        if (x > 10) reach_error(); return 0; }";

    #[test]
    fn what_does_not_hold_is_not_published() {
        let case = Arc::new(Case::for_test(TEXT));
        let program = case.program(View::Prepared);
        let number = program.vars.iter().position(|var| var.name == "x");
        let x = VarId(number.expect("there is an x") as u32);
        let head = (0..program.locations.len() as u32)
            .map(LocId)
            .find(|&at| program.location(at).kind == cfa::program::LocationKind::LoopHead);
        let head = head.expect("there is a loop");
        let at_most = |by: &str, bound: u128, location: LocId| {
            let mut pool = program.pool.clone();
            let ty = program.var(x).ty;
            let (variable, bound) = (pool.variable(x, ty), pool.constant(bound, ty));
            let holds = pool.le(variable, bound);
            InvariantMap {
                by: by.into(),
                pool,
                entries: vec![Invariant {
                    calls: CallPattern::Any,
                    location,
                    holds,
                }],
            }
        };
        let nowhere = LocId(1_000_000);
        let maps = vec![
            at_most("right", 10, head),
            at_most("wrong", 9, head),
            at_most("no place", 10, nowhere),
            at_most("also right", 20, head),
        ];
        let board = Published::default();
        let mut recheck = Recheck {
            maps,
            case: case.clone(),
        };
        match recheck.run(&case.split, &board, &Budget::unlimited()) {
            Outcome::Unknown(text) => assert_eq!(text, "2 of 4 maps hold"),
            Outcome::Answer(_) => panic!("facts are no answer"),
        }
        let published = board.0.lock().expect("nobody panics");
        assert_eq!(*published, ["also right", "right"]);
    }
}
