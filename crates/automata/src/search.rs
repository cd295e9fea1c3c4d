//! Emptiness, with the least accepted word or a closed set of states that shows that there is none.
//!
//! A search by layers, one for each length of words. States that [`Automaton::subsumes`] finds
//! covered by one met before are dropped (M. De Wulf, L. Doyen, T. Henzinger, J.-F. Raskin:
//! Antichains: A New Algorithm for Checking Universality of Finite Automata, CAV 2006).
//!
//! Words are ordered by length, then letter by letter. A layer is a list of groups: the states
//! that one word leads to first, the words ascending. So states are met in the order of the least
//! words that lead to them. Dropping `q`, met with `w`, for `p`, met with `u ≤ w`, loses nothing:
//! if `wv` is accepted over `q`, `uv ≤ wv` is accepted over `p`. An antichain that drops states
//! met *before* would find a word too, but not the least one.

use crate::alphabet::Letter;
use crate::automaton::Automaton;
use rustc_hash::FxHashMap;

/// A word with a way to accept it: `states` has one more than `word`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run<S> {
    pub word: Vec<Letter>,
    pub states: Vec<S>,
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Search<S> {
    /// The least accepted word, by length and then by letters.
    Accepts(Run<S>),
    /// No word is accepted. The states prove it: none accepts, and each initial state and each
    /// successor of one of them is subsumed by one of them.
    Empty(Vec<S>),
}

/// Find the least word that the automaton accepts.
pub fn search<A: Automaton>(automaton: &mut A) -> Result<Search<A::State>, A::Error> {
    let mut met = Met::default();
    let mut layer = Vec::new();
    let initial = automaton.initial()?;
    let mut group = Vec::new();
    for state in initial {
        if let Some(node) = met.add(automaton, state, None) {
            if automaton.is_accepting(&met.nodes[node].state)? {
                return Ok(Search::Accepts(met.run(node)));
            }
            group.push(node);
        }
    }
    layer.push(group);
    while !layer.is_empty() {
        let mut next = Vec::new();
        for group in layer {
            let mut ways = Vec::new();
            for node in group {
                let letters = automaton.letters(&met.nodes[node].state)?;
                ways.extend(letters.into_iter().map(|letter| (letter, node)));
            }
            ways.sort_unstable();
            for ways in ways.chunk_by(|one, other| one.0 == other.0) {
                let mut group = Vec::new();
                for &(letter, node) in ways {
                    for state in automaton.successors(&met.nodes[node].state, letter)? {
                        let Some(found) = met.add(automaton, state, Some((node, letter))) else {
                            continue;
                        };
                        if automaton.is_accepting(&met.nodes[found].state)? {
                            return Ok(Search::Accepts(met.run(found)));
                        }
                        group.push(found);
                    }
                }
                if !group.is_empty() {
                    next.push(group);
                }
            }
        }
        layer = next;
    }
    let states = met.nodes.into_iter().map(|node| node.state);
    Ok(Search::Empty(states.collect()))
}

struct Node<S> {
    state: S,
    /// The node before, and the letter between.
    from: Option<(usize, Letter)>,
}

/// The states that were met, and the antichain of those that no other one subsumes.
struct Met<S> {
    nodes: Vec<Node<S>>,
    antichain: FxHashMap<u64, Vec<usize>>,
}

impl<S> Default for Met<S> {
    fn default() -> Self {
        Met {
            nodes: Vec::new(),
            antichain: FxHashMap::default(),
        }
    }
}

impl<S: Clone> Met<S> {
    /// Add a state unless one that was met subsumes it.
    fn add<A: Automaton<State = S>>(
        &mut self,
        automaton: &A,
        state: S,
        from: Option<(usize, Letter)>,
    ) -> Option<usize> {
        let chain = self.antichain.entry(automaton.bucket(&state)).or_default();
        let known = |&node: &usize| &self.nodes[node].state;
        if (chain.iter()).any(|node| automaton.subsumes(known(node), &state)) {
            return None;
        }
        // What the new state subsumes need not be compared any more; it stays to be expanded.
        chain.retain(|node| !automaton.subsumes(&state, known(node)));
        chain.push(self.nodes.len());
        self.nodes.push(Node { state, from });
        Some(self.nodes.len() - 1)
    }

    /// The way on which a node was met.
    fn run(&self, last: usize) -> Run<S> {
        let (mut word, mut states) = (Vec::new(), vec![self.nodes[last].state.clone()]);
        let mut node = last;
        while let Some((before, letter)) = self.nodes[node].from {
            word.push(letter);
            states.push(self.nodes[before].state.clone());
            node = before;
        }
        word.reverse();
        states.reverse();
        Run { word, states }
    }
}
