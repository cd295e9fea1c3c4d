//! Questions about the words that automata accept.

use crate::alphabet::Letter;
use crate::automaton::Automaton;
use crate::difference::Difference;
use crate::post::Post;
use crate::search::{Search, search};
use crate::subsets::Subsets;

/// Say whether a word is accepted.
pub fn accepts<P: Post>(source: P, word: &[Letter]) -> Result<bool, P::Error> {
    let mut subsets = Subsets::new(source);
    let mut set = subsets.first()?;
    for &letter in word {
        set = subsets.post(set, letter)?;
    }
    subsets.accepts(set)
}

/// Find the least word that the first automaton accepts and the second does not; none if the second
/// accepts all words of the first.
pub fn missing_word<A: Automaton, P: Post>(
    small: A,
    large: P,
) -> Result<Option<Vec<Letter>>, P::Error>
where
    A::Error: Into<P::Error>,
{
    match search(&mut Difference::new(small, large))? {
        Search::Accepts(run) => Ok(Some(run.word)),
        Search::Empty(_) => Ok(None),
    }
}

/// Say whether both accept the same words.
pub fn are_equivalent<A: Automaton, B: Automaton<Error = A::Error>>(
    mut one: A,
    mut other: B,
) -> Result<bool, A::Error> {
    Ok(missing_word(&mut one, &mut other)?.is_none()
        && missing_word(&mut other, &mut one)?.is_none())
}
