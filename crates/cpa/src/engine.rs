//! The analyses of thesis 004 as engines: options, and how they are put together.

use crate::algorithm::AlgorithmOptions;
use crate::cegar::{Cegar, CegarOptions, NoRefiner, Strategy};
use crate::formalism::{Merge, Stop};
use crate::numeric::analysis::{NumericCpa, NumericOptions};
use crate::numeric::refine as numeric_refine;
use crate::refiners::{ClassRefiner, DelegatingRefiner, NumericRefiner, ValueRefiner};
use crate::trail::Storage;
use crate::value::analysis::ValueCpa;
use crate::waitlist::WaitlistOrder;
use absint::numeric::choice::{Domain, WithDomain};
use absint::numeric::transfer::Transfer;
use absint::place::Step;
use absint::precision::Variables;
use cfa::program::Program;
use domains::numeric::NumericDomain;
use facts::budget::Budget;
use facts::engine::{Board, Engine, Outcome};
use serde::{Deserialize, Serialize};

/// What abstract states say of variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Analysis {
    /// Known values of variables (section 2.3.3).
    Value,
    /// A numeric domain (section 3.1).
    #[default]
    Numeric,
}

/// Configurable program analyses: values of variables, or a numeric domain. Sections are those of
/// Stieglmaier2014.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct CpaOptions {
    /// The name in statistics and reports.
    pub name: String,
    /// What abstract states say of variables.
    pub analysis: Analysis,
    /// The domain of a numeric analysis.
    pub domain: Domain,
    /// Track floats too (`cpa.octagon.handleFloats`, section 4.1.2).
    pub handle_floats: bool,
    /// The merge operator (`cpa.domain.mergeop.type`, section 4.3.2).
    pub merge: Merge,
    /// Merge at loop heads only (`cpa.domain.mergeop.onlyMergeAtLoopHeads`, section 4.3.2).
    pub merge_only_at_loop_heads: bool,
    /// Widening stops at the program's constants and the bounds of types (section 6.2).
    pub threshold_widening: bool,
    /// The termination check. `join` restarts after a refinement, since several states cover one.
    pub stop: Stop,
    /// States constrain globals and variables of the current function only (section 6.2).
    pub restrict_to_function: bool,
    /// At loop heads, bounds move outwards to the constants that variables are compared with.
    pub classes_at_loop_heads: bool,
    /// Recheck alarms with `merge = "sep"` on the path (`-cex`, section 5.2).
    pub counterexample_check: bool,
    /// Start without tracked variables, and refine (`analysis.algorithm.CEGAR`, section 4.3.2).
    pub cegar: bool,
    /// What a refinement discards of the reached set.
    pub refinement: Strategy,
    /// Time for refuting one path with octagons, as a share of the time left; zero for no limit
    /// (`cpa.domain.refiner.timeForOctagonFeasibilityCheck`).
    pub octagon_check_limit: f64,
    /// The order of exploration.
    pub traversal: WaitlistOrder,
    /// Which states the reached set keeps.
    pub storage: Storage,
    /// Nested activations of one function that are followed.
    pub recursion: u32,
    /// Alarms that may be rejected before the analysis gives up.
    pub alarms: u32,
}

impl Default for CpaOptions {
    fn default() -> Self {
        CpaOptions {
            name: "cpa".into(),
            analysis: Analysis::default(),
            domain: Domain::Octagon,
            handle_floats: false,
            merge: Merge::Sep,
            merge_only_at_loop_heads: false,
            threshold_widening: false,
            stop: Stop::Sep,
            restrict_to_function: false,
            classes_at_loop_heads: false,
            counterexample_check: false,
            cegar: false,
            refinement: Strategy::Lazy,
            octagon_check_limit: 0.0,
            traversal: WaitlistOrder::ReversePostOrder,
            storage: Storage::AtJoins,
            recursion: 50,
            alarms: 100,
        }
    }
}

/// The engine with these options.
pub fn engine(options: CpaOptions) -> Box<dyn Engine> {
    Box::new(CpaEngine { options })
}

struct CpaEngine {
    options: CpaOptions,
}

impl Engine for CpaEngine {
    fn name(&self) -> &str {
        &self.options.name
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        match self.options.analysis {
            Analysis::Value => run_value(&self.options, program, board, budget),
            Analysis::Numeric => self.options.domain.with(NumericRun {
                options: &self.options,
                program,
                board,
                budget,
            }),
        }
    }
}

/// States with more recent siblings than this are compared with the latest of them only.
const COVER_CANDIDATES: usize = 32;
/// Equal states are found without a search; whole classes seldom lie in one another.
const COVER_CANDIDATES_AMONG_CLASSES: usize = 4;

fn cegar_options(options: &CpaOptions) -> CegarOptions {
    CegarOptions {
        name: options.name.clone(),
        algorithm: AlgorithmOptions {
            order: options.traversal,
            collect_targets: false,
            cover_candidates: match options.classes_at_loop_heads {
                true => COVER_CANDIDATES_AMONG_CLASSES,
                false => COVER_CANDIDATES,
            },
            storage: options.storage,
        },
        strategy: match (options.stop, options.refinement) {
            (Stop::Join, Strategy::Lazy) => Strategy::Eager,
            (_, strategy) => strategy,
        },
        recursion: options.recursion.max(1),
        alarms: options.alarms.max(1),
        merges: options.analysis == Analysis::Numeric && options.merge != Merge::Sep,
    }
}

fn precision(options: &CpaOptions, program: &Program) -> Variables {
    if options.cegar {
        Variables::none(program.vars.len())
    } else {
        Variables::All
    }
}

fn run_value(
    options: &CpaOptions,
    program: &Program,
    board: &dyn Board,
    budget: &Budget,
) -> Outcome {
    let precision = precision(options, program);
    let cpa = ValueCpa::new(program, precision.clone());
    let transfer = cpa.transfer.sharing();
    let cegar = cegar_options(options);
    let mut cegar = Cegar::new(program, cpa, precision, cegar, board, budget)
        .with_memory(|cpa, _| cpa.second.transfer.store.bytes());
    if options.cegar {
        let mut refiner = ValueRefiner::sharing(transfer);
        cegar.run(&mut refiner, None)
    } else {
        cegar.run(&mut NoRefiner, None)
    }
}

struct NumericRun<'a> {
    options: &'a CpaOptions,
    program: &'a Program,
    board: &'a dyn Board,
    budget: &'a Budget,
}

impl WithDomain for NumericRun<'_> {
    type Output = Outcome;

    fn run<D: NumericDomain + 'static>(self, top: D) -> Outcome {
        let NumericRun {
            options,
            program,
            board,
            budget,
        } = self;
        let numeric = NumericOptions {
            merge: options.merge,
            merge_only_at_loop_heads: options.merge_only_at_loop_heads,
            handle_floats: options.handle_floats,
            threshold_widening: options.threshold_widening,
            stop: options.stop,
            restrict_to_function: options.restrict_to_function,
            classes_at_loop_heads: options.classes_at_loop_heads,
        };
        let precision = precision(options, program);
        let cpa = NumericCpa::new(program, top.clone(), precision.clone(), numeric);
        let precision = cpa.precision.clone();
        let cegar = cegar_options(options);
        let mut cegar = Cegar::new(program, cpa, precision, cegar, board, budget)
            .with_memory(|cpa, reached| cpa.second.bytes(reached));
        let mut refiner = NumericRefiner {
            classes: options
                .classes_at_loop_heads
                .then(|| ClassRefiner::new(program, top.clone(), options.handle_floats)),
            variables: options.cegar.then(|| {
                let limit = options.octagon_check_limit;
                DelegatingRefiner::new(program, top.clone(), options.handle_floats, limit)
            }),
        };
        let mut transfer = Transfer::new(program, options.handle_floats);
        let mut recheck = |path: &[Step], budget: &Budget| {
            let top = top.clone();
            numeric_refine::contradiction(&mut transfer, top, path, budget).is_none()
        };
        let is_rechecked = !options.cegar && options.counterexample_check;
        cegar.run(&mut refiner, is_rechecked.then_some(&mut recheck))
    }
}
