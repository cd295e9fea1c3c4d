//! Which facts an analysis reads, and whether others read its own (Stieglmaier2016: T.
//! Stieglmaier, *Augmenting Predicate Analysis with Auxiliary Invariants*, 2016, section 4.4: some
//! analyses can be excluded as sources).

use crate::part::{Ended, Participant, Wrapper};
use cfa::program::LocId;
use facts::budget::Budget;
use facts::engine::{Board, Knowledge, Reporter, Status};
use facts::frames::Frames;
use facts::invariants::{CandidateMap, Facts, InvariantMap};
use facts::precision::PrecisionMap;
use facts::reachability::ReachabilityGraph;
use facts::refinement::Refinement;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// An analysis, or a combination of several, that sees a part of the board.
pub struct Sharing {
    pub participant: Box<dyn Participant>,
    pub rules: Rules,
}

/// They are about facts and candidates; precisions are handed on as before. What an analysis finds
/// itself it always reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Do others read its facts, and check its candidates?
    pub shares: bool,
    /// The names of those whose facts and candidates it reads; `None`: all.
    pub sources: Option<Vec<String>>,
}

impl Rules {
    fn reads(&self, by: &str) -> bool {
        let sources = self.sources.as_ref();
        sources.is_none_or(|names| names.iter().any(|name| name == by))
    }
}

impl Wrapper for Sharing {
    fn inner(&self) -> &dyn Participant {
        &*self.participant
    }

    fn inner_can_help(&self, board: &dyn Board) -> Result<(), String> {
        let part = PartOfBoard::new(&self.rules, board);
        self.participant.can_help(&part)
    }

    fn run_inner(&mut self, board: &dyn Board, budget: &Budget) -> Ended {
        let part = PartOfBoard::new(&self.rules, board);
        self.participant.run(&part, budget)
    }
}

/// The board as one analysis sees it.
struct PartOfBoard<'a> {
    rules: &'a Rules,
    board: &'a dyn Board,
    begin: Instant,
    read: Mutex<Read>,
}

/// What of the board was read so far, in the order in which it came: it only grows, like the board.
#[derive(Default)]
struct Read {
    facts: Facts,
    /// The facts of the board that were looked at.
    version: usize,
}

impl PartOfBoard<'_> {
    fn new<'a>(rules: &'a Rules, board: &'a dyn Board) -> PartOfBoard<'a> {
        PartOfBoard {
            rules,
            board,
            begin: Instant::now(),
            read: Mutex::default(),
        }
    }

    /// With what has come to the board since the last time.
    fn up_to_date(&self) -> MutexGuard<'_, Read> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if self.board.version() != read.version {
            let all = self.board.facts();
            let times = all.times.iter().copied();
            let times = times.chain(std::iter::repeat(Duration::ZERO));
            for (map, after) in all.maps.iter().zip(times).skip(read.version) {
                if self.rules.reads(&map.by) {
                    read.facts.push(map.clone(), after);
                }
            }
            read.version = all.version();
        }
        read
    }
}

impl Knowledge for PartOfBoard<'_> {
    fn publish(&self, map: InvariantMap) {
        // What comes back over the board need not be kept here.
        if !self.rules.shares || !self.rules.reads(&map.by) {
            let mut read = self.up_to_date();
            let after = self.begin.elapsed();
            read.facts.push(Arc::new(map.clone()), after);
        }
        if self.rules.shares {
            self.board.publish(map);
        }
    }

    fn facts(&self) -> Facts {
        self.up_to_date().facts.clone()
    }

    fn version(&self) -> usize {
        self.up_to_date().facts.version()
    }

    fn propose(&self, candidates: CandidateMap) {
        if self.rules.shares {
            self.board.propose(candidates);
        }
    }

    fn candidates(&self) -> Vec<Arc<CandidateMap>> {
        let mut candidates = self.board.candidates();
        candidates.retain(|map| self.rules.reads(&map.0.by));
        candidates
    }

    fn publish_precision(&self, map: PrecisionMap) {
        self.board.publish_precision(map);
    }

    fn precisions(&self) -> Vec<Arc<PrecisionMap>> {
        self.board.precisions()
    }

    fn wants_kept(&self) -> bool {
        self.board.wants_kept()
    }

    fn keep(&self, engine: &str, text: String) {
        self.board.keep(engine, text);
    }

    fn kept(&self, engine: &str) -> Option<Arc<str>> {
        self.board.kept(engine)
    }
}

impl Reporter for PartOfBoard<'_> {
    fn begins(&self, engine: &str) {
        self.board.begins(engine);
    }

    fn ended(&self, engine: &str) {
        self.board.ended(engine);
    }

    fn progress(&self, engine: &str, phase: &str) {
        self.board.progress(engine, phase);
    }

    fn count(&self, engine: &str, what: &str, value: u64) {
        self.board.count(engine, what, value);
    }

    fn explored(&self, engine: &str, locations: &[LocId]) {
        self.board.explored(engine, locations);
    }

    fn wants_graphs(&self) -> bool {
        self.board.wants_graphs()
    }

    fn graph(&self, graph: ReachabilityGraph) {
        self.board.graph(graph);
    }

    fn refinement(&self, refinement: Refinement) {
        self.board.refinement(refinement);
    }

    fn frames(&self, frames: Frames) {
        self.board.frames(frames);
    }

    fn gave_up(&self, engine: &str, reason: &str) {
        self.board.gave_up(engine, reason);
    }

    fn skipped(&self, engine: &str, reason: &str) {
        self.board.skipped(engine, reason);
    }

    fn status(&self) -> Vec<(String, Status)> {
        self.board.status()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::FactStore;

    fn map(by: &str, location: u32) -> InvariantMap {
        crate::store::tests::map(by, location, 0)
    }

    /// Publishes and proposes one of its own while others do, and notes whose it reads.
    #[derive(Clone, Default)]
    struct Notes(Arc<Mutex<[Vec<String>; 2]>>);

    impl Participant for Notes {
        fn name(&self) -> &str {
            "notes"
        }

        fn run(&mut self, board: &dyn Board, _: &Budget) -> Ended {
            let before = board.facts();
            board.publish(map("notes", 7));
            board.propose(CandidateMap(map("notes", 8)));
            let facts = board.facts();
            assert_eq!(board.version(), facts.version());
            // It only grows.
            let same = |(a, b): (&Arc<InvariantMap>, &Arc<InvariantMap>)| Arc::ptr_eq(a, b);
            assert!(before.maps.iter().zip(&facts.maps).all(same));
            let candidates = board.candidates();
            let authors = facts.maps.iter().map(|map| map.by.clone());
            let proposers = candidates.iter().map(|map| map.0.by.clone());
            let mut notes = self.0.lock().expect("nobody panics");
            *notes = [authors.collect(), proposers.collect()];
            Ended::Unknown("it has no answer".into())
        }
    }

    /// Whose facts and candidates were read, and those on the board afterwards.
    fn under(shares: bool, sources: Option<&[&str]>) -> [Vec<String>; 4] {
        let board = FactStore::default();
        board.publish(map("a", 1));
        board.publish(map("b", 2));
        board.propose(CandidateMap(map("a", 3)));
        board.propose(CandidateMap(map("b", 4)));
        let notes = Notes::default();
        let sources = sources.map(|names| names.iter().map(|name| (*name).into()).collect());
        let mut sharing = Sharing {
            participant: Box::new(notes.clone()),
            rules: Rules { shares, sources },
        };
        sharing.run(&board, &Budget::unlimited());
        let [facts, candidates] = notes.0.lock().expect("nobody panics").clone();
        let published = board
            .facts()
            .maps
            .iter()
            .map(|map| map.by.clone())
            .collect();
        let proposed = board
            .candidates()
            .iter()
            .map(|map| map.0.by.clone())
            .collect();
        [facts, candidates, published, proposed]
    }

    #[test]
    fn sources_are_chosen_and_what_is_private_stays_so() {
        let (all, others) = (["a", "b", "notes"], ["a", "b"]);
        assert_eq!(under(true, None), [&all[..]; 4]);
        assert_eq!(
            under(true, Some(&["b"])),
            [&["b", "notes"][..], &["b"], &all, &all]
        );
        assert_eq!(
            under(true, Some(&["notes"])),
            [&["notes"][..], &["notes"], &all, &all]
        );
        assert_eq!(under(true, Some(&[])), [&["notes"][..], &[], &all, &all]);
        assert_eq!(under(false, None), [&all[..], &others, &others, &others]);
        assert_eq!(
            under(false, Some(&["a"])),
            [&["a", "notes"][..], &["a"], &others, &others]
        );
    }
}
