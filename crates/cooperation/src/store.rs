//! Where published facts lie, with candidates, precisions, and what has become of every analysis.
//!
//! Readers get a consistent version that later publications do not change (see
//! [`crate::versions`]).

use crate::said::Said;
use crate::versions::Versions;
use facts::engine::{Knowledge, Reporter, Status};
use facts::invariants::{CandidateMap, Facts, InvariantMap};
use facts::precision::PrecisionMap;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

#[derive(Debug)]
pub struct FactStore {
    begin: Instant,
    facts: Versions<Known>,
    candidates: Versions<Proposed>,
    precisions: Mutex<Vec<Arc<PrecisionMap>>>,
    kept: Mutex<Option<Kept>>,
    status: Mutex<BTreeMap<String, Status>>,
}

/// Facts, and what each of the maps says.
#[derive(Clone, Debug, Default)]
struct Known {
    facts: Facts,
    said: Vec<Arc<Said>>,
}

/// Candidates, and what each of the maps says.
#[derive(Clone, Debug, Default)]
struct Proposed {
    maps: Vec<Arc<CandidateMap>>,
    said: Vec<Arc<Said>>,
}

/// Texts of analyses by name: those of an earlier version of the program, and those for a later
/// one.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    pub earlier: BTreeMap<String, Arc<str>>,
    pub later: BTreeMap<String, String>,
}

impl Default for FactStore {
    fn default() -> Self {
        FactStore {
            begin: Instant::now(),
            facts: Versions::new(Known::default()),
            candidates: Versions::new(Proposed::default()),
            precisions: Mutex::default(),
            kept: Mutex::default(),
            status: Mutex::default(),
        }
    }
}

impl FactStore {
    /// Adds a proved map, unless it says nothing new: nothing that is not true anyway and was not
    /// said before, by whomever.
    ///
    /// Returns whether it was added. A map of which only a part is new stays whole: without the
    /// rest it might not be inductive by itself, which is the law of maps.
    pub fn publish(&self, mut map: InvariantMap) -> bool {
        map.entries
            .retain(|entry| map.pool.node(entry.holds) != cfa::expr::Node::Const(1));
        let said = Arc::new(Said::of(&map));
        let map = Arc::new(map);
        self.facts.replace(|known| {
            if said.is_known(known.said.iter().map(|said| &**said)) {
                return None;
            }
            let mut next = known.clone();
            next.facts.push(map.clone(), self.begin.elapsed());
            next.said.push(said.clone());
            Some(next)
        })
    }

    pub fn facts(&self) -> Facts {
        self.facts.read().facts.clone()
    }

    /// How many maps there are.
    pub fn version(&self) -> usize {
        self.facts.number()
    }

    /// Adds candidates, unless there is nothing to be checked: all of them are facts, or were
    /// proposed together before. (Those that are left of a set after a check are the most that hold
    /// together, so a part of the set leaves no more.)
    ///
    /// Returns whether they were added.
    pub fn propose(&self, candidates: CandidateMap) -> bool {
        let said = Arc::new(Said::of(&candidates.0));
        let candidates = Arc::new(candidates);
        let facts = self.facts.read();
        if said.is_known(facts.said.iter().map(|said| &**said)) {
            return false;
        }
        self.candidates.replace(|known| {
            let mut before = known.said.iter();
            if before.any(|before| said.is_known(std::iter::once(&**before))) {
                return None;
            }
            let mut next = known.clone();
            next.maps.push(candidates.clone());
            next.said.push(said.clone());
            Some(next)
        })
    }

    pub fn candidates(&self) -> Vec<Arc<CandidateMap>> {
        self.candidates.read().maps.clone()
    }

    /// How often candidates were added.
    pub fn proposals(&self) -> usize {
        self.candidates.number()
    }

    pub fn publish_precision(&self, map: PrecisionMap) {
        held(&self.precisions).push(Arc::new(map));
    }

    pub fn precisions(&self) -> Vec<Arc<PrecisionMap>> {
        held(&self.precisions).clone()
    }

    /// From now on texts of analyses are kept; these are of an earlier version of the program.
    pub fn start_keeping(&self, earlier: BTreeMap<String, Arc<str>>) {
        let later = BTreeMap::new();
        *held(&self.kept) = Some(Kept { earlier, later });
    }

    /// What analyses have kept for a later version.
    pub fn kept_for_later(&self) -> BTreeMap<String, String> {
        let kept = held(&self.kept);
        kept.as_ref()
            .map(|kept| kept.later.clone())
            .unwrap_or_default()
    }

    pub fn begins(&self, engine: &str) {
        held(&self.status).insert(engine.into(), Status::Running);
    }

    /// If nothing was said of how, it has ended with an answer.
    pub fn ended(&self, engine: &str) {
        if let Some(status @ Status::Running) = held(&self.status).get_mut(engine) {
            *status = Status::Answered;
        }
    }

    pub fn gave_up(&self, engine: &str, reason: &str) {
        held(&self.status).insert(engine.into(), Status::GaveUp(reason.into()));
    }

    pub fn skipped(&self, engine: &str, reason: &str) {
        held(&self.status).insert(engine.into(), Status::Skipped(reason.into()));
    }

    /// What has become of every analysis, by name; of several with one name, the last.
    pub fn status(&self) -> Vec<(String, Status)> {
        let status = held(&self.status);
        let status = status
            .iter()
            .map(|(name, status)| (name.clone(), status.clone()));
        status.collect()
    }
}

/// A board for those who need not see what is going on.
impl Knowledge for FactStore {
    fn publish(&self, map: InvariantMap) {
        FactStore::publish(self, map);
    }

    fn facts(&self) -> Facts {
        FactStore::facts(self)
    }

    fn version(&self) -> usize {
        FactStore::version(self)
    }

    fn propose(&self, candidates: CandidateMap) {
        FactStore::propose(self, candidates);
    }

    fn candidates(&self) -> Vec<Arc<CandidateMap>> {
        FactStore::candidates(self)
    }

    fn proposals(&self) -> usize {
        FactStore::proposals(self)
    }

    fn publish_precision(&self, map: PrecisionMap) {
        FactStore::publish_precision(self, map);
    }

    fn precisions(&self) -> Vec<Arc<PrecisionMap>> {
        FactStore::precisions(self)
    }

    fn wants_kept(&self) -> bool {
        held(&self.kept).is_some()
    }

    fn keep(&self, engine: &str, text: String) {
        if let Some(kept) = held(&self.kept).as_mut() {
            kept.later.insert(engine.into(), text);
        }
    }

    fn kept(&self, engine: &str) -> Option<Arc<str>> {
        let kept = held(&self.kept);
        kept.as_ref()?.earlier.get(engine).cloned()
    }
}

impl Reporter for FactStore {
    fn begins(&self, engine: &str) {
        FactStore::begins(self, engine);
    }

    fn ended(&self, engine: &str) {
        FactStore::ended(self, engine);
    }

    fn gave_up(&self, engine: &str, reason: &str) {
        FactStore::gave_up(self, engine, reason);
    }

    fn skipped(&self, engine: &str, reason: &str) {
        FactStore::skipped(self, engine, reason);
    }

    fn status(&self) -> Vec<(String, Status)> {
        FactStore::status(self)
    }
}

/// Whoever panicked while holding the lock left nothing half done: all that is done under these
/// locks is a single step.
fn held<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use cfa::expr::{ExprPool, Node};
    use cfa::place::CallPattern;
    use cfa::program::LocId;
    use cfa::value::Ty;
    use facts::invariants::Invariant;

    pub(crate) fn map(by: &str, location: u32, value: u128) -> InvariantMap {
        let mut pool = ExprPool::default();
        let holds = pool.intern(Node::Const(value), Ty::Bool);
        InvariantMap {
            by: by.into(),
            pool,
            entries: vec![Invariant {
                calls: CallPattern::Any,
                location: LocId(location),
                holds,
            }],
        }
    }

    #[test]
    fn the_store_keeps_the_laws_of_knowledge() {
        let maps = (1..5).map(|location| map("a", location, 0));
        testing::assert_knowledge_laws(&FactStore::default(), maps.collect());
    }

    #[test]
    fn trivial_and_repeated_facts_are_dropped() {
        let store = FactStore::default();
        assert!(!store.publish(map("a", 1, 1)));
        assert!(store.publish(map("a", 1, 0)));
        assert!(!store.publish(map("a", 1, 0)));
        assert!(!store.publish(map("b", 1, 0)), "somebody else said it");
        assert!(store.publish(map("a", 2, 0)));
        assert_eq!(store.version(), 2);
    }

    /// The variable is at most each of the bounds, in one statement about each of the places.
    fn at_most(bounds: &[u128], places: &[(CallPattern, u32)]) -> InvariantMap {
        let mut pool = ExprPool::default();
        let ty = Ty::unsigned(32);
        let variable = pool.variable(cfa::expr::VarId(0), ty);
        let mut holds = pool.bool_constant(true);
        for &bound in bounds {
            let bound = pool.constant(bound, ty);
            let part = pool.le(variable, bound);
            holds = pool.and(holds, part);
        }
        let entries = places.iter().map(|(calls, location)| Invariant {
            calls: calls.clone(),
            location: LocId(*location),
            holds,
        });
        InvariantMap {
            by: "a".into(),
            entries: entries.collect(),
            pool,
        }
    }

    #[test]
    fn the_same_numbers_in_different_pools_are_no_repetition() {
        let store = FactStore::default();
        let anyhow = [(CallPattern::Any, 1)];
        assert!(store.publish(at_most(&[9], &anyhow)));
        assert!(store.publish(at_most(&[5], &anyhow)));
        assert!(!store.publish(at_most(&[9], &anyhow)));
    }

    #[test]
    fn a_map_is_dropped_if_all_of_it_is_known_and_kept_whole_otherwise() {
        let store = FactStore::default();
        let (anyhow, called) = (
            CallPattern::Any,
            CallPattern::Exactly(vec![cfa::program::EdgeId(3)]),
        );
        assert!(store.publish(at_most(&[9], &[(anyhow.clone(), 1)])));
        assert!(store.publish(at_most(&[5], &[(called.clone(), 1)])));
        // Several maps together say it; what holds anyhow holds after a call.
        assert!(!store.publish(at_most(&[5, 9], &[(called.clone(), 1)])));
        // What holds after a call need not hold otherwise, nor elsewhere.
        assert!(store.publish(at_most(&[5], &[(anyhow.clone(), 1)])));
        assert!(store.publish(at_most(&[9], &[(anyhow.clone(), 1), (anyhow, 2)])));
        let facts = store.facts();
        assert_eq!(facts.version(), 4);
        assert_eq!(facts.maps[3].entries.len(), 2, "a part is missing");
        let times: Vec<_> = facts.findings().map(|finding| finding.after).collect();
        assert!(times.is_sorted() && facts.findings().all(|finding| finding.size > 2));
    }

    #[test]
    fn candidates_are_no_facts_and_are_proposed_once() {
        let store = FactStore::default();
        let anyhow = [(CallPattern::Any, 1)];
        let propose = |bounds: &[u128]| store.propose(CandidateMap(at_most(bounds, &anyhow)));
        assert!(propose(&[1, 2]) && propose(&[2, 3]));
        assert!(!propose(&[2]), "it was proposed with others");
        assert!(propose(&[1, 3]), "they were not proposed together");
        assert!(!propose(&[]), "nothing is proposed");
        assert_eq!((store.version(), store.proposals()), (0, 3));
        assert_eq!(store.candidates().len(), 3);
        assert!(store.publish(at_most(&[7], &anyhow)));
        assert!(!propose(&[7]), "it is a fact");
    }

    #[test]
    fn the_status_of_every_analysis_can_be_read() {
        let store = FactStore::default();
        for engine in ["answers", "gives up", "runs", "comes again"] {
            store.begins(engine);
        }
        store.gave_up("gives up", "too hard");
        for engine in ["answers", "gives up", "comes again"] {
            store.ended(engine);
        }
        store.begins("comes again");
        store.skipped("left out", "no precision");
        let expected = [
            ("answers", Status::Answered),
            ("comes again", Status::Running),
            ("gives up", Status::GaveUp("too hard".into())),
            ("left out", Status::Skipped("no precision".into())),
            ("runs", Status::Running),
        ];
        assert_eq!(
            store.status(),
            expected.map(|(name, status)| (name.to_owned(), status))
        );
    }

    #[test]
    fn a_version_stays_while_others_publish() {
        let store = FactStore::default();
        std::thread::scope(|scope| {
            for thread in 0..4u32 {
                let store = &store;
                scope.spawn(move || {
                    for number in 0..100 {
                        store.publish(map(&format!("t{thread}"), 1000 * thread + number, 0));
                    }
                });
            }
            for _ in 0..200 {
                let facts = store.facts();
                let before = facts.version();
                assert!(store.version() >= before);
                assert_eq!(facts.maps.len(), before);
            }
        });
        assert_eq!(store.version(), 400);
    }
}
