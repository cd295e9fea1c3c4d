//! Smaller automata with the same words.
//!
//! For deterministic automata this is minimisation (J. Hopcroft, 1971). The least nondeterministic
//! automaton is PSPACE-hard to find; there, states that are bisimilar forwards, then backwards, are
//! merged until nothing changes.

use crate::nfa::{Nfa, State};
use crate::partition::coarsest;
use crate::trim::{Image, trim};

/// Trim the automaton and merge equivalent states.
///
/// Laws: the same words are accepted. The result has no more states, and reducing it again changes
/// nothing. A deterministic automaton stays deterministic, and no deterministic one (in which words
/// may have no run) with the same words has fewer states.
pub fn reduce(nfa: &Nfa) -> Image {
    let trimmed = trim(nfa);
    let is_deterministic = trimmed.nfa.is_deterministic();
    let mut image = merged(trimmed, coarsest);
    if is_deterministic {
        return image;
    }
    loop {
        let count = image.nfa.len();
        // States that the same words lead to can be one, too.
        image = merged(image, |nfa| coarsest(&nfa.reversed()));
        image = merged(image, coarsest);
        if image.nfa.len() == count {
            return image;
        }
    }
}

/// Merge the states of each class.
fn merged(image: Image, classes: impl Fn(&Nfa) -> Vec<State>) -> Image {
    let classes = classes(&image.nfa);
    let count = classes.iter().map(|class| class.index() + 1).max();
    let states = classes.into_iter().map(Some).collect();
    let next = Image::new(&image.nfa, count.unwrap_or(0), states);
    image.then(next)
}
