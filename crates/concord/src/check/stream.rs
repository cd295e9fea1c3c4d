//! What the working process tells the supervising one while it works.

use super::message::Message;
use super::program_report::Files;
use super::{frames, proof, reachability};
use cfa::program::LocId;
use facts::engine::{Knowledge, Reporter, Status, View};
use facts::frames::Frames;
use facts::invariants::{CandidateMap, Facts, InvariantMap};
use facts::precision::PrecisionMap;
use facts::reachability::ReachabilityGraph;
use facts::refinement::Refinement;
use portfolio::case::Case;
use process::last_words::thread_number;
use report::check::RefinementShown;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};
use syntax::span::Span;

pub fn send(message: &Message) {
    if let Ok(line) = serde_json::to_string(message) {
        let mut out = std::io::stdout().lock();
        // If nobody listens any more, the guard ends us.
        let _ = writeln!(out, "{line}");
        let _ = out.flush();
    }
}

/// Passes progress on to the supervising process, and keeps the numbers for the report.
pub struct StreamBoard {
    pub counts: Mutex<BTreeMap<String, BTreeMap<String, u64>>>,
    case: Arc<Case>,
    /// If the program is shown, facts are told as text too, and abstract states.
    files: Option<Arc<Files>>,
}

/// Entries of one published map that are told.
const MAX_ENTRIES: usize = 20;

impl StreamBoard {
    pub fn new(case: &Arc<Case>, files: Option<&Arc<Files>>) -> StreamBoard {
        StreamBoard {
            counts: Mutex::default(),
            case: Arc::clone(case),
            files: files.cloned(),
        }
    }

    fn tell(&self, map: &InvariantMap) {
        let program = self.case.views.program(View::Prepared);
        for entry in map.entries.iter().take(MAX_ENTRIES) {
            let span = program
                .locations
                .get(entry.location.0 as usize)
                .map_or(Span::NONE, |location| location.span);
            send(&Message::Fact {
                engine: map.by.to_string(),
                place: program.describe(span),
                text: proof::statement(program, &map.pool, entry.holds),
            });
        }
    }
}

impl Knowledge for StreamBoard {
    fn publish(&self, map: InvariantMap) {
        if self.files.is_some() {
            self.tell(&map);
        }
        let stored = facts::stored::write(&map);
        if self.case.store.publish(map)
            && let Some(map) = stored
        {
            send(&Message::Proved { map });
        }
    }

    fn facts(&self) -> Facts {
        self.case.store.facts()
    }

    fn version(&self) -> usize {
        self.case.store.version()
    }

    fn propose(&self, candidates: CandidateMap) {
        self.case.store.propose(candidates);
    }

    fn candidates(&self) -> Vec<Arc<CandidateMap>> {
        self.case.store.candidates()
    }

    fn proposals(&self) -> usize {
        self.case.store.proposals()
    }

    fn publish_precision(&self, map: PrecisionMap) {
        self.case.store.publish_precision(map);
    }

    fn precisions(&self) -> Vec<Arc<PrecisionMap>> {
        self.case.store.precisions()
    }

    fn wants_kept(&self) -> bool {
        self.case.store.wants_kept()
    }

    fn keep(&self, engine: &str, text: String) {
        self.case.store.keep(engine, text);
    }

    fn kept(&self, engine: &str) -> Option<Arc<str>> {
        self.case.store.kept(engine)
    }
}

impl Reporter for StreamBoard {
    fn begins(&self, engine: &str) {
        let thread = thread_number();
        self.case.memory.begins(engine, thread);
        send(&Message::Begins {
            engine: engine.into(),
            thread,
        });
        self.case.store.begins(engine);
    }

    fn ended(&self, engine: &str) {
        let thread = thread_number();
        self.case.memory.ended(thread);
        send(&Message::Ended { thread });
        self.case.store.ended(engine);
    }

    fn progress(&self, engine: &str, phase: &str) {
        send(&Message::Progress {
            engine: engine.into(),
            phase: phase.into(),
        });
    }

    fn count(&self, engine: &str, what: &str, value: u64) {
        if let Ok(mut counts) = self.counts.lock() {
            counts
                .entry(engine.into())
                .or_default()
                .insert(what.into(), value);
        }
        send(&Message::Count {
            engine: engine.into(),
            what: what.into(),
            value,
        });
    }

    fn explored(&self, _: &str, locations: &[LocId]) {
        send(&Message::Explored {
            locations: locations.iter().map(|location| location.0).collect(),
        });
    }

    fn wants_graphs(&self) -> bool {
        self.files.is_some()
    }

    fn graph(&self, graph: ReachabilityGraph) {
        if let Some(files) = &self.files {
            let graph = Box::new(reachability::shown(&self.case, files, &graph));
            send(&Message::Graph { graph });
        }
    }

    fn refinement(&self, refinement: Refinement) {
        if self.files.is_some() {
            let Refinement { by, number, .. } = refinement;
            let refinement = Box::new(RefinementShown {
                engine: by,
                number,
                origin: refinement.origin,
                interpreted: refinement.is_interpreted,
                steps: refinement.steps,
                states: refinement.states,
                edges: refinement.edges,
            });
            send(&Message::Refinement { refinement });
        }
    }

    fn frames(&self, frames: Frames) {
        if let Some(files) = &self.files {
            let frames = Box::new(frames::shown(&self.case, files, &frames));
            send(&Message::Frames { frames });
        }
    }

    fn gave_up(&self, engine: &str, reason: &str) {
        self.case.store.gave_up(engine, reason);
    }

    fn skipped(&self, engine: &str, reason: &str) {
        self.case.store.skipped(engine, reason);
    }

    fn status(&self) -> Vec<(String, Status)> {
        self.case.store.status()
    }
}
