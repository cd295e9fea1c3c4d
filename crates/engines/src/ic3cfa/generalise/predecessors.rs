//! Section 5.5: a cube that the frame before the edge blocks, and the inverse precondition, say
//! what is needed.

use super::context::added;
use crate::ic3cfa::Search;
use crate::ic3cfa::wep::Precondition;
use logic::Cube;

/// What section 5.5 says is enough.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::ic3cfa) struct ByPredecessors {
    pub(in crate::ic3cfa) general: Cube,
    /// Is it what one partial command needs, and the others need no more? That is the theorem's
    /// `ĉ`. A union of several is blocked as well, but far from general.
    pub(in crate::ic3cfa) is_one: bool,
}

impl Search<'_> {
    /// Theorem 5.5.3: literals of the cube whose preconditions the frame blocks, for all partial
    /// commands. Of several, those that add the fewest literals to what earlier edges need.
    pub(in crate::ic3cfa) fn by_predecessors(
        &mut self,
        link: usize,
        cube: &Cube,
        previous: &Cube,
        level: u32,
    ) -> Option<ByPredecessors> {
        let source = self.links[link].source;
        let before = self.before(link, level);
        let mut general = Cube::empty();
        let mut is_any_blocked = false;
        let mut largest = 0;
        for partial in 0..self.links[link].partials.len() {
            let needed = match self.precondition(link, partial, cube) {
                Precondition::Never(needed) => needed,
                Precondition::Cube(precondition) => {
                    is_any_blocked = true;
                    let base = previous.union(&general);
                    let blocked = self.blocked_preconditions(source, &precondition, before);
                    let needed = blocked
                        .iter()
                        .map(|blocked| self.inverse(link, partial, cube, blocked));
                    needed.min_by_key(|needed| added(needed, &base))?
                }
            };
            largest = largest.max(needed.len());
            general = general.union(&needed);
        }
        // What contradicts the command itself owes nothing to the frame.
        is_any_blocked.then(|| ByPredecessors {
            is_one: general.len() <= largest,
            general,
        })
    }
}
