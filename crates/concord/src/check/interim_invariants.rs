//! What the engines have proved, told to the supervising process while they work: if this process
//! dies, it is still known.

use super::loop_invariants;
use super::message::Message;
use super::stream::send;
use facts::engine::Board;
use facts::invariants::Facts;
use lowering::Tree;
use portfolio::case::Case;
use std::time::{Duration, Instant};

/// Time in which it is found out what follows from the rest.
const SIFTING: Duration = Duration::from_millis(30);
/// Telling takes no more than one part of so many of the time.
const PARTS: u32 = 30;
/// Who looks on does not look more often than this.
const PAUSE: Duration = Duration::from_millis(100);

pub struct InterimInvariants<'a> {
    tree: &'a Tree,
    case: &'a Case,
    /// Facts about the program that proofs are certified on, in the order of their publication.
    carried: Facts,
    /// Publications that were told.
    version: usize,
    next: Instant,
}

impl<'a> InterimInvariants<'a> {
    pub fn new(tree: &'a Tree, case: &'a Case) -> InterimInvariants<'a> {
        InterimInvariants {
            tree,
            case,
            carried: Facts::default(),
            version: 0,
            next: Instant::now(),
        }
    }

    /// Tells what is new, if it is time to.
    pub fn look(&mut self, board: &dyn Board) {
        let begin = Instant::now();
        if begin < self.next || board.version() == self.version {
            return;
        }
        let facts = board.facts();
        self.version = facts.version();
        let facts = self.carried(&facts);
        // Nobody has checked them yet.
        let certified = false;
        let split = &self.case.views.split;
        let list = loop_invariants::of_facts(self.tree, split, &facts, certified, SIFTING);
        send(&Message::Invariants { list });
        self.next = Instant::now() + (begin.elapsed() * PARTS).max(PAUSE);
    }

    /// The facts as statements about the program that proofs are certified on.
    pub fn carried(&mut self, facts: &Facts) -> Facts {
        let new = facts.maps.get(self.carried.maps.len()..);
        if let Some(new) = new.filter(|new| !new.is_empty()) {
            let new = Facts {
                maps: new.to_vec(),
                ..Facts::default()
            };
            self.carried
                .maps
                .extend(self.case.views.facts_before(new).maps);
        }
        self.carried.clone()
    }
}
