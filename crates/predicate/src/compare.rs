//! The sources of interpolants side by side, on the infeasible paths that an analysis meets.

use super::analysis::Analysis;
use super::options::{InterpolantSource, Options};
use super::trace::Trace;
use super::tree::NodeId;
use cfa::expr::ExprId;
use cfa::program::Program;
use control::clock;
use facts::budget::Budget;
use facts::engine::{Board, Outcome};
use logic::Term;
use rustc_hash::FxHashSet;
use std::time::Duration;

pub const SOURCES: [InterpolantSource; 3] = [
    InterpolantSource::Vocabulary,
    InterpolantSource::WeakestPrecondition,
    InterpolantSource::Proof,
];

/// What one source said about one path.
#[derive(Clone, Debug)]
pub struct SourceRecord {
    pub source: InterpolantSource,
    /// Which of the analysis's paths, and how long it is.
    pub path: usize,
    pub blocks: usize,
    pub time: Duration,
    /// The predicates at all cuts and the nodes of their expressions; `None` if there is no
    /// sequence of interpolants.
    pub found: Option<(usize, usize)>,
}

/// Runs the analysis and asks every source about each of the first `most` paths that it refutes.
pub fn run(
    program: &Program,
    options: &Options,
    board: &dyn Board,
    budget: &Budget,
    most: usize,
) -> (Outcome, Vec<SourceRecord>) {
    let mut analysis = Analysis::new(program, options, options.stage.name(), board, budget);
    analysis.compared = Some((most, Vec::new()));
    let outcome = analysis.run();
    let records = analysis.compared.map_or(Vec::new(), |(_, records)| records);
    (outcome, records)
}

impl Analysis<'_> {
    /// Notes what each source says about the path; changes nothing of the precision.
    pub(super) fn compare_sources(&mut self, nodes: &[NodeId], trace: &Trace, core: &[Vec<Term>]) {
        let Some((most, mut records)) = self.compared.take() else {
            return;
        };
        let path = records.len() / SOURCES.len();
        if path < most {
            for source in SOURCES {
                let begin = clock::now();
                let stop = self.time_for(source);
                let found = self.predicates_from(source, nodes, trace, core, &stop);
                let time = clock::since(begin);
                let found = found.ok().map(|cuts| {
                    let atoms: Vec<ExprId> =
                        cuts.into_iter().flat_map(|(_, atoms)| atoms).collect();
                    (atoms.len(), self.size_of(&atoms))
                });
                records.push(SourceRecord {
                    source,
                    path,
                    blocks: trace.blocks.len(),
                    time,
                    found,
                });
            }
        }
        self.compared = Some((most, records));
    }

    /// The nodes of the expressions, shared ones once.
    fn size_of(&self, roots: &[ExprId]) -> usize {
        let exprs = &self.predicates.exprs;
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut work = roots.to_vec();
        while let Some(expr) = work.pop() {
            if seen.insert(expr) {
                work.extend(exprs.node(expr).children());
            }
        }
        seen.len()
    }
}
