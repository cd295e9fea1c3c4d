//! What the working process has said so far.

use super::live::Live;
use super::message::{
    CheckShown, Configuration, Event, FactShown, Invariant, Message, Note, Report,
};
use super::timeline::Timeline;
use report::check::{FramesShown, ProgramShown, ReachabilityShown, RefinementShown};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Mutex;
use std::time::Instant;

/// Facts that the report shows.
const MAX_FACTS: usize = 2000;

/// Bytes of facts that are kept for a second process; the latest.
const MAX_PROVED: usize = 8 << 20;

pub struct Received {
    started: Instant,
    pub report: Option<Report>,
    pub bad_input: Option<String>,
    pub phases: BTreeMap<String, String>,
    pub counts: BTreeMap<String, BTreeMap<String, u64>>,
    loaded: Option<Loaded>,
    explored: BTreeSet<u32>,
    timeline: Timeline,
    facts: Vec<FactShown>,
    /// The latest of each engine.
    graphs: BTreeMap<String, ReachabilityShown>,
    refinements: Vec<RefinementShown>,
    frames: Vec<FramesShown>,
    /// The engines at work, by thread.
    at_work: BTreeMap<i32, String>,
    /// The engine in whose thread the process died.
    pub died_in: Option<String>,
    /// The engine that has taken most of the memory.
    pub largest: Option<String>,
    /// The engine that last said what it does.
    pub last: Option<String>,
    /// Facts for a second process.
    pub proved: VecDeque<String>,
    /// The same for people.
    pub invariants: Vec<Invariant>,
    /// What is known of each check.
    pub checks: Vec<CheckShown>,
}

/// What was checked; known before any engine starts.
struct Loaded {
    configuration: Box<Configuration>,
    program: Option<ProgramShown>,
    assumptions: Vec<Note>,
    warnings: Vec<Note>,
    unsupported: Vec<Note>,
}

impl Received {
    pub fn new() -> Received {
        Received {
            started: Instant::now(),
            report: None,
            bad_input: None,
            phases: BTreeMap::new(),
            counts: BTreeMap::new(),
            loaded: None,
            explored: BTreeSet::new(),
            timeline: Timeline::new(),
            facts: Vec::new(),
            graphs: BTreeMap::new(),
            refinements: Vec::new(),
            frames: Vec::new(),
            at_work: BTreeMap::new(),
            died_in: None,
            largest: None,
            last: None,
            proved: VecDeque::new(),
            invariants: Vec::new(),
            checks: Vec::new(),
        }
    }

    fn seconds(&self) -> f64 {
        // To the millisecond: more is noise.
        (self.started.elapsed().as_secs_f64() * 1e3).round() / 1e3
    }

    /// Adds to the report what it does not know of itself.
    pub fn complete(&mut self, report: &mut Report) {
        if let Some(loaded) = self.loaded.take() {
            report.configuration = Some(*loaded.configuration);
            report.program = loaded.program;
            if report.assumptions.is_empty() && report.unsupported.is_empty() {
                report.warnings = loaded.warnings;
                report.assumptions = loaded.assumptions;
                report.unsupported = loaded.unsupported;
            }
        }
        report.explored = std::mem::take(&mut self.explored).into_iter().collect();
        report.timeline = std::mem::replace(&mut self.timeline, Timeline::new()).into_events();
        report.facts = std::mem::take(&mut self.facts);
        let graphs = std::mem::take(&mut self.graphs);
        report.reachability = graphs.into_values().collect();
        report.refinements = std::mem::take(&mut self.refinements);
        report.frames = std::mem::take(&mut self.frames);
        let answering = report.engine.as_ref();
        report
            .reachability
            .sort_by_key(|graph| Some(&graph.engine) != answering);
    }

    /// The working process has died and another one is going to speak.
    pub fn restarts(&mut self) {
        self.report = None;
        self.at_work.clear();
        (self.died_in, self.largest, self.last) = (None, None, None);
    }

    fn happens(&mut self, engine: &str, phase: &str, live: &Mutex<Live>) {
        let event = Event {
            seconds: self.seconds(),
            engine: engine.into(),
            phase: phase.into(),
        };
        self.timeline.add(event);
        if let Ok(live) = live.lock() {
            live.phase(engine, phase);
        }
        self.phases.insert(engine.into(), phase.into());
    }
}

/// Takes up one message of the working process.
pub fn receive(line: &str, received: &Mutex<Received>, live: &Mutex<Live>) {
    let (Ok(message), Ok(mut received)) = (serde_json::from_str(line), received.lock()) else {
        return;
    };
    match message {
        Message::Progress { engine, phase } => {
            received.happens(&engine, &phase, live);
            if received.at_work.values().any(|at_work| *at_work == engine) {
                received.last = Some(engine);
            }
        }
        Message::Count {
            engine,
            what,
            value,
        } => {
            received
                .counts
                .entry(engine)
                .or_default()
                .insert(what, value);
        }
        Message::Fact {
            engine,
            place,
            text,
        } => {
            if received.facts.len() < MAX_FACTS {
                let seconds = received.seconds();
                received.facts.push(FactShown {
                    seconds,
                    engine,
                    place,
                    text,
                });
            }
        }
        Message::Proved { map } => {
            received.proved.push_back(map);
            let mut size: usize = received.proved.iter().map(String::len).sum();
            while size > MAX_PROVED
                && let Some(oldest) = received.proved.pop_front()
            {
                size -= oldest.len();
            }
        }
        Message::Invariants { list } => received.invariants = list,
        Message::Checks { list } => received.checks = list,
        Message::Explored { locations } => received.explored.extend(locations),
        Message::Graph { graph } => {
            received.graphs.insert(graph.engine.clone(), *graph);
        }
        Message::Refinement { refinement } => received.refinements.push(*refinement),
        Message::Frames { frames } => received.frames.push(*frames),
        Message::Begins { engine, thread } => {
            received.at_work.insert(thread, engine);
        }
        Message::Ended { thread } => {
            if let Some(engine) = received.at_work.remove(&thread)
                && received.largest == Some(engine)
            {
                // Whoever has most now is said when it takes more.
                received.largest = None;
            }
        }
        Message::Largest { engine } => received.largest = Some(engine),
        Message::Died { thread } => received.died_in = received.at_work.get(&thread).cloned(),
        Message::Loaded {
            configuration,
            program,
            assumptions,
            warnings,
            unsupported,
        } => {
            // A second process is told other limits than the user.
            received.loaded.get_or_insert(Loaded {
                configuration,
                program,
                assumptions,
                warnings,
                unsupported,
            });
        }
        Message::BadInput { text } => received.bad_input = Some(text),
        Message::Report { report } => received.report = Some(*report),
    }
}
