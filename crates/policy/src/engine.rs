//! The analysis of whole programs: rounds of policy iteration with more and more templates.

use crate::PolicyOptions;
use crate::iteration::{Iteration, Known, NAME, map_of};
use crate::templates::{TemplateKind, Templates};
use absint::importance;
use absint::publication;
use cfa::expr::VarId;
use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::{AnnotatedGraph, Certificate};
use facts::engine::{Board, Engine, Outcome, Reason};
use induction::graph::{BlockGraph, BlockId, PlaceId, Target};
use induction::relevant::relevant_variables;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Places that are worth the time.
const MAX_PLACES: usize = 200;

/// Local policy iteration: the least bounds of linear expressions at loop heads, by maximisation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct EngineOptions {
    /// Iterations one after the other; each starts from what the ones before have found.
    pub rounds: Vec<PolicyOptions>,
}

impl Default for EngineOptions {
    fn default() -> Self {
        let round = |templates: &[TemplateKind]| PolicyOptions {
            templates: templates.to_vec(),
            ..PolicyOptions::default()
        };
        use TemplateKind::{Bounds, Octagons, Program, Rich};
        EngineOptions {
            rounds: vec![
                round(&[Bounds, Program]),
                round(&[Octagons, Program]),
                round(&[Octagons, Program, Rich]),
            ],
        }
    }
}

/// The engine.
#[derive(Default)]
pub struct PolicyEngine {
    pub options: EngineOptions,
}

impl Engine for PolicyEngine {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        match rounds(program, &self.options, board, budget) {
            Ok(certificate) => Outcome::Answer(certificate),
            Err(reason) => Outcome::Unknown(reason),
        }
    }
}

/// The first round whose bounds prove the property; why there is none.
fn rounds(
    program: &Program,
    options: &EngineOptions,
    board: &dyn Board,
    budget: &Budget,
) -> Result<Certificate, Reason> {
    let mut graph = BlockGraph::between_loop_heads(program);
    graph.explore(MAX_PLACES, &budget.stop)?;
    let (blocks, ends) = blocks(&graph);
    let variables = variables(&mut graph);
    let places: Vec<PlaceId> = graph.places().skip(1).collect();
    let mut known = Known::new();
    let mut reason = Reason::from("the configuration has no rounds");
    for (number, round) in options.rounds.iter().enumerate() {
        board.progress(NAME, &format!("round {number}: {:?}", round.templates));
        let templates = Templates::new(program, &round.templates);
        let at = |place: PlaceId| templates.over(program, &variables[place.0 as usize]);
        let mut iteration = Iteration::new(&mut graph, &blocks, at, &known, round, budget);
        iteration.solve()?;
        board.count(NAME, "rounds", number as u64 + 1);
        board.count(NAME, "improvements", iteration.counts.improvements);
        board.count(NAME, "determinations", iteration.counts.determinations);
        let open = open_ends(&mut iteration, &ends)?;
        let found = iteration.bounds();
        known = united(known, found);
        let (map, lost) = map_of(&graph, &places, &known);
        match open {
            // Nothing can be said of what comes behind, and it may come back.
            Some(Target::Beyond(why)) => {
                let why = why.describe(program);
                let text = format!("some executions cannot be encoded: {why}");
                return Err(Reason::Unsupported(text));
            }
            Some(Target::Error(location)) => {
                let place = program.describe(program.location(location).span);
                reason = format!("{place}: the bounds do not exclude the violation").into();
                publication::publish(program, map, lost, board, budget);
            }
            _ => {
                let certificate = Certificate::Graph(AnnotatedGraph::from(map));
                if publication::is_promising(program, &certificate, lost, budget) {
                    return Ok(certificate);
                }
                reason = publication::NOT_SAID.into();
            }
        }
    }
    Err(reason)
}

/// The blocks between places, and those that end executions.
fn blocks(graph: &BlockGraph<'_>) -> (Vec<BlockId>, Vec<BlockId>) {
    let all = graph.general_blocks().into_iter();
    all.partition(|&id| matches!(graph.block(id).target, Target::Place(_)))
}

/// For each place the integer variables that matter there, those that conditions read most first.
fn variables(graph: &mut BlockGraph<'_>) -> Vec<Vec<VarId>> {
    let order = importance::by_flow(graph.program());
    let at = |relevant: FxHashSet<VarId>| {
        let mut found: Vec<VarId> = order.clone();
        found.retain(|var| relevant.contains(var));
        found
    };
    relevant_variables(graph).into_iter().map(at).collect()
}

/// Where executions that the bounds allow end; what is not followed counts more than a violation.
fn open_ends(
    iteration: &mut Iteration<'_, '_>,
    ends: &[BlockId],
) -> Result<Option<Target>, Reason> {
    let mut found: Option<Target> = None;
    for &end in ends {
        let target = iteration.target(end);
        let is_beyond = matches!(target, Target::Beyond(_));
        if (found.is_none() || is_beyond) && iteration.can_pass(end)? {
            found = Some(target);
            if is_beyond {
                break;
            }
        }
    }
    Ok(found)
}

/// Both together, of the places that the later ones reach; of two bounds of one template the less.
fn united(before: Known, mut now: Known) -> Known {
    for (place, bounds) in before {
        let Some(here) = now.get_mut(&place) else {
            continue;
        };
        for (template, value) in bounds {
            match here.iter_mut().find(|(known, _)| *known == template) {
                Some((_, known)) => *known = value.min(*known),
                None => here.push((template, value)),
            }
        }
    }
    now
}
