//! A data automaton as it is used: the sets of formulas that the letters of a trace lead to.

use crate::data::{Asking, DataAutomaton};
use automata::Letter;
use cfa::expr::ExprId;
use facts::engine::Reason;
use facts::refinement::MAX_STATES;
use rustc_hash::FxHashMap;

/// The part of the determinised automaton that a trace's letters reach.
pub struct Walk {
    /// The sets behind the trace's letters.
    pub behind: Vec<Vec<ExprId>>,
    /// The sets, the first one first.
    pub states: Vec<Vec<ExprId>>,
    /// Source, target, letter; without those back to the first set, where nothing is known, and
    /// those behind the set in which nothing is possible.
    pub edges: Vec<(u32, u32, Letter)>,
}

/// Follows the trace, and from its sets every letter of it.
pub fn walk(
    asking: &mut Asking<'_, '_>,
    automaton: &DataAutomaton,
    word: &[Letter],
) -> Result<Walk, Reason> {
    let (truth, falsity) = (asking.constants.truth, asking.constants.falsity);
    let first = vec![truth];
    let mut walk = Walk {
        behind: Vec::new(),
        states: vec![first.clone()],
        edges: Vec::new(),
    };
    let mut numbers: FxHashMap<Vec<ExprId>, u32> = FxHashMap::from_iter([(first.clone(), 0)]);
    let mut set = first;
    for &letter in word {
        set = asking.post(automaton, &set, letter)?;
        walk.behind.push(set.clone());
        if walk.states.len() < MAX_STATES && !numbers.contains_key(&set) {
            numbers.insert(set.clone(), walk.states.len() as u32);
            walk.states.push(set.clone());
        }
    }
    let mut letters: Vec<Letter> = word.to_vec();
    letters.sort_unstable();
    letters.dedup();
    let mut next = 0;
    while next < walk.states.len() {
        let from = walk.states[next].clone();
        if !from.contains(&falsity) {
            for &letter in &letters {
                // The first statement is that of the start of the program.
                if next > 0 && Some(&letter) == word.first() {
                    continue;
                }
                let to = asking.post(automaton, &from, letter)?;
                if walk.states.len() < MAX_STATES && !numbers.contains_key(&to) {
                    numbers.insert(to.clone(), walk.states.len() as u32);
                    walk.states.push(to.clone());
                }
                if let Some(&to) = numbers.get(&to).filter(|&&to| to != 0) {
                    walk.edges.push((next as u32, to, letter));
                }
            }
        }
        next += 1;
    }
    Ok(walk)
}
