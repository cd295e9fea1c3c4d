//! How the analyses of Stieglmaier2014 (T. Stieglmaier, *Octagon-Based Software Verification with
//! CPAchecker*, 2014, section 4.3.1) are refined: by tracking more variables, or by telling more
//! values apart.

use crate::cegar::{Alarm, Refinement, Refiner};
use crate::numeric::analysis::NumericPrecision;
use crate::numeric::exclude::Along;
use crate::numeric::refine as numeric_refine;
use crate::value::refine as value_refine;
use crate::value::transfer::ValueTransfer;
use absint::numeric::NumericState;
use absint::numeric::classes::Classes;
use absint::numeric::transfer::Transfer;
use absint::place::Step;
use absint::precision::Variables;
use cfa::comparisons::Comparisons;
use cfa::expr::VarId;
use cfa::order::loop_heads;
use cfa::program::{LocId, Program};
use domains::numeric::NumericDomain;
use facts::budget::Budget;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Refinements that track as little as possible. If more are needed, the variables are needed
/// together, and each refinement that leaves some of them out explores more states than all of them
/// would: then all are taken that a path's conditions depend on.
const FEW_REFINEMENTS: u64 = 12;

/// How a path is refuted by tracking more variables.
trait MoreVariables {
    /// Variables that make the path infeasible if they are tracked, and the number of the step from
    /// which on the abstraction changes; `None` if the analysis cannot refute the path whatever it
    /// tracks.
    fn refute(&mut self, path: &[Step], budget: &Budget) -> Option<(Vec<VarId>, usize)>;

    /// Variables that tell a path that was rejected from others to the same place: what its
    /// conditions depend on.
    fn tell_apart(&mut self, path: &[Step]) -> Vec<VarId>;
}

/// [`Refiner::refine`] for sets of variables.
fn track_more(
    refiner: &mut dyn MoreVariables,
    alarm: &Alarm<'_>,
    precision: &Variables,
    budget: &Budget,
) -> Option<Refinement<Variables>> {
    if alarm.is_rejected {
        let finer = precision.with(&refiner.tell_apart(alarm.path));
        return (finer != *precision).then_some(Refinement {
            precision: finer,
            cut: None,
        });
    }
    let (mut variables, mut cut) = refiner.refute(alarm.path, budget)?;
    if alarm.refinements >= FEW_REFINEMENTS {
        variables.extend(refiner.tell_apart(alarm.path));
        cut = 0;
    }
    Some(Refinement {
        precision: precision.with(&variables),
        cut: Some(cut),
    })
}

/// Interpolation of variable assignments.
pub struct ValueRefiner<'p> {
    transfer: ValueTransfer<'p>,
    mentioned: Transfer<'p>,
    /// The analysis tracks memory cells, too.
    memory: bool,
}

impl<'p> ValueRefiner<'p> {
    /// Of an analysis that tracks memory cells, too, and numbers them with this transfer.
    pub fn sharing(transfer: ValueTransfer<'p>) -> ValueRefiner<'p> {
        ValueRefiner {
            mentioned: Transfer::new(transfer.program, false),
            transfer,
            memory: true,
        }
    }
}

impl MoreVariables for ValueRefiner<'_> {
    fn refute(&mut self, path: &[Step], budget: &Budget) -> Option<(Vec<VarId>, usize)> {
        let variables = self.transfer.program.vars.len();
        let best = value_refine::prefixes(&mut self.transfer, path, budget)
            .into_iter()
            .find(|found| {
                let needed = found.variables();
                self.memory || needed.iter().all(|var| (var.0 as usize) < variables)
            })?;
        Some((best.variables().into_iter().collect(), best.cut()))
    }

    fn tell_apart(&mut self, path: &[Step]) -> Vec<VarId> {
        let mut relevant = numeric_refine::relevant(&mut self.mentioned, path);
        if self.memory {
            relevant.extend(self.transfer.all_cells());
        }
        relevant.into_iter().collect()
    }
}

/// The delegating refiner of section 4.3.1: values first; octagons where values cannot refute the
/// path, and after that only octagons.
pub struct DelegatingRefiner<'p, D> {
    value: ValueRefiner<'p>,
    transfer: Transfer<'p>,
    top: D,
    only_numeric: bool,
    limit: f64,
}

impl<'p, D> DelegatingRefiner<'p, D> {
    /// `limit` is the share of the time for refuting one path with the domain.
    pub fn new(program: &'p Program, top: D, floats: bool, limit: f64) -> Self {
        DelegatingRefiner {
            value: ValueRefiner {
                transfer: ValueTransfer::new(program),
                mentioned: Transfer::new(program, false),
                memory: false,
            },
            transfer: Transfer::new(program, floats),
            top,
            only_numeric: false,
            limit,
        }
    }
}

impl<D: NumericDomain> MoreVariables for DelegatingRefiner<'_, D> {
    fn refute(&mut self, path: &[Step], budget: &Budget) -> Option<(Vec<VarId>, usize)> {
        if !self.only_numeric
            && let Some(found) = self.value.refute(path, budget)
        {
            return Some(found);
        }
        let limited = budget.fraction(self.limit);
        let top = self.top.clone();
        let last = numeric_refine::contradiction(&mut self.transfer, top, path, &limited)?;
        self.only_numeric = true;
        let relevant = numeric_refine::relevant(&mut self.transfer, &path[..=last]);
        let first = numeric_refine::first_use(&mut self.transfer, path, &relevant)?;
        Some((relevant.into_iter().collect(), first + 1))
    }

    fn tell_apart(&mut self, path: &[Step]) -> Vec<VarId> {
        self.value.tell_apart(path)
    }
}

impl Refiner<Variables> for ValueRefiner<'_> {
    fn refine(
        &mut self,
        alarm: &Alarm<'_>,
        precision: &Variables,
        budget: &Budget,
    ) -> Option<Refinement<Variables>> {
        track_more(self, alarm, precision, budget)
    }
}

/// More classes of values, by what a path needs (see [`crate::numeric::exclude`]).
pub struct ClassRefiner<'p, D> {
    transfer: Transfer<'p>,
    variables: Classes<'p>,
    heads: FxHashSet<LocId>,
    top: D,
}

impl<'p, D: NumericDomain> ClassRefiner<'p, D> {
    pub fn new(program: &'p Program, top: D, floats: bool) -> Self {
        ClassRefiner {
            transfer: Transfer::new(program, floats),
            variables: Classes::new(program),
            heads: loop_heads(program),
            top,
        }
    }

    fn refine(
        &mut self,
        path: &[Step],
        classes: &Comparisons,
        budget: &Budget,
    ) -> Option<Comparisons> {
        let mut along = Along {
            transfer: &mut self.transfer,
            heads: &self.heads,
            path,
            budget,
        };
        let mut more = classes.clone();
        let start = NumericState::new(self.top.clone());
        along
            .exclude(&mut self.variables, &mut more, start)
            .then_some(more)
    }
}

/// Classes first, then variables, as far as the configuration has them.
pub struct NumericRefiner<'p, D> {
    pub classes: Option<ClassRefiner<'p, D>>,
    pub variables: Option<DelegatingRefiner<'p, D>>,
}

impl<D: NumericDomain> Refiner<NumericPrecision> for NumericRefiner<'_, D> {
    fn refine(
        &mut self,
        alarm: &Alarm<'_>,
        precision: &NumericPrecision,
        budget: &Budget,
    ) -> Option<Refinement<NumericPrecision>> {
        if !alarm.is_rejected
            && let (Some(refiner), Some(classes)) = (&mut self.classes, &precision.classes)
            && let Some(classes) = refiner.refine(alarm.path, classes, budget)
        {
            return Some(Refinement {
                precision: NumericPrecision {
                    classes: Some(Rc::new(classes)),
                    ..precision.clone()
                },
                cut: None,
            });
        }
        let refiner = self.variables.as_mut()?;
        let refined = track_more(refiner, alarm, &precision.variables, budget)?;
        Some(Refinement {
            precision: NumericPrecision {
                variables: refined.precision,
                ..precision.clone()
            },
            cut: refined.cut,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::AlgorithmOptions;
    use crate::cegar::{Cegar, CegarOptions, Strategy};
    use crate::value::analysis::ValueCpa;
    use absint::numeric::transfer::Tracked;
    use cfa::program::EdgeId;
    use facts::engine::{NoBoard, Outcome};

    /// Holds the laws of [`Refiner`] against one whose analysis is always started anew.
    struct Watched<R> {
        refiner: R,
        excluded: Vec<Vec<EdgeId>>,
    }

    impl<R: Refiner<Variables>> Refiner<Variables> for Watched<R> {
        fn refine(
            &mut self,
            alarm: &Alarm<'_>,
            precision: &Variables,
            budget: &Budget,
        ) -> Option<Refinement<Variables>> {
            let path: Vec<EdgeId> = alarm.path.iter().map(|step| step.edge).collect();
            assert!(!self.excluded.contains(&path), "it was excluded");
            let refined = self.refiner.refine(alarm, precision, budget)?;
            let mut variables = (0..64).map(VarId);
            assert!(
                variables.all(|var| !precision.tracks(var) || refined.precision.tracks(var)),
                "what was tracked stays so"
            );
            self.excluded.push(path);
            Some(refined)
        }
    }

    #[test]
    fn refinements_keep_what_is_tracked_and_exclude_their_paths() {
        let program = testing::program(
            "int a, b; int main(void) { a = 1; b = 2; if (a == 3) reach_error();
            if (b == 4) reach_error(); return 0; }",
        );
        let precision = Variables::none(program.vars.len());
        let cpa = ValueCpa::new(&program, precision.clone());
        let mut refiner = Watched {
            refiner: ValueRefiner::sharing(cpa.transfer.sharing()),
            excluded: Vec::new(),
        };
        let options = CegarOptions {
            name: "test".into(),
            algorithm: AlgorithmOptions::default(),
            strategy: Strategy::Eager,
            recursion: 3,
            alarms: 1,
            merges: false,
        };
        let budget = Budget::unlimited();
        let mut cegar = Cegar::new(&program, cpa, precision, options, &NoBoard, &budget);
        let outcome = cegar.run(&mut refiner, None);
        assert!(matches!(outcome, Outcome::Answer(_)), "{outcome:?}");
        assert!(refiner.excluded.len() >= 2, "{:?}", refiner.excluded);
    }
}
