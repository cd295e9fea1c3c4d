//! The automaton: places and the words that lead from one to the next.
//!
//! | thesis | here |
//! |---|---|
//! | location `l` | a node: a call string and a cut point |
//! | `l_init` | [`START`]: before the program's first operation |
//! | `l_E` | [`ERROR`]: all error locations, and what has no formula |
//! | `split(cmd)` (definition 5.2.4) | [`Link::words`]: one for each resolution of the choices |
//!
//! Calls are call strings, as in all other engines: certificates name places by them, and a
//! function that is called from two places has two sets of frames, which is what inlining would
//! give, without a copy of the program. A call stands alone in its block, so a block ends wherever
//! a function is called. Those ends are taken out again: the words before are put before the words
//! behind, as long as no edge gets more than the limit of partial commands. So calls cost no
//! frames, and no edge has more words than the limit, where a large block can have exponentially
//! many.
//!
//! Deviation: the thesis minimises the automaton by bisimulation first (section 4.4). Blocks leave
//! next to nothing of it to gain: on the thesis's 67 programs 9 of 2795 blocks went. So it is not
//! done.

use cfa::op::Op;
use cfa::order::loop_heads;
use cfa::place::{Place, callee};
use cfa::program::{EdgeId, LocId, Program};
use facts::engine::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use transform::blocks::{End, GuardedBlocks};

pub(super) const START: usize = 0;
pub(super) const ERROR: usize = 1;

/// Places and words beyond which a program is not worth the time.
const MAX_PLACES: usize = 6_000;
const MAX_STEPS: usize = 400_000;
/// Activations of one function at a time; what goes deeper has no formula.
const MAX_RECURSION: usize = 3;

/// One step of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Step {
    /// An operation, or into a function.
    Edge(EdgeId),
    /// Out of the running function.
    Return,
    /// A call that is not followed: the function is active too often.
    TooDeep(EdgeId),
}

pub(super) type Word = Rc<[Step]>;

#[derive(Clone, Debug)]
pub(super) struct Node {
    /// [`ERROR`] has none; that of [`START`] is the program's entry.
    pub(super) place: Option<Place>,
    /// Links that lead here, those from here to here last.
    pub(super) into: Vec<usize>,
    /// The smallest index at which it can be reached from [`START`].
    pub(super) distance: u32,
    /// Does each way to it add to the index?
    pub(super) counts: bool,
    /// The longest way from a place that counts.
    pub(super) rank: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) words: Vec<Word>,
}

#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) links: Vec<Link>,
    /// All loop heads that may be reached, also those that lead to no error.
    pub(super) heads: Vec<Place>,
}

impl Graph {
    /// The automaton; with `by_loops` only loop heads count for the index.
    pub(super) fn of(
        program: &Program,
        most_words: usize,
        by_loops: bool,
    ) -> Result<Graph, Reason> {
        let mut draft = Draft::explore(program, most_words)?;
        draft.take_out(most_words);
        Ok(draft.finish(by_loops))
    }
}

/// The graph while nodes are taken out.
struct Draft {
    places: Vec<Option<Place>>,
    is_head: Vec<bool>,
    words: BTreeMap<(usize, usize), Vec<Word>>,
    into: Vec<BTreeSet<usize>>,
    out: Vec<BTreeSet<usize>>,
    steps: usize,
}

impl Draft {
    fn add_node(&mut self, place: Option<Place>, is_head: bool) -> usize {
        self.places.push(place);
        self.is_head.push(is_head);
        self.into.push(BTreeSet::new());
        self.out.push(BTreeSet::new());
        self.places.len() - 1
    }

    fn add(&mut self, source: usize, target: usize, word: Word) {
        self.steps += word.len();
        self.out[source].insert(target);
        self.into[target].insert(source);
        self.words.entry((source, target)).or_default().push(word);
    }

    fn explore(program: &Program, most_words: usize) -> Result<Draft, Reason> {
        let blocks = GuardedBlocks::with_few_ways(program, most_words as u64);
        let heads = loop_heads(program);
        let mut draft = Draft {
            places: Vec::new(),
            is_head: Vec::new(),
            words: BTreeMap::new(),
            into: Vec::new(),
            out: Vec::new(),
            steps: 0,
        };
        let entry = Place::entry(program);
        draft.add_node(Some(entry.clone()), false);
        draft.add_node(None, false);
        let mut numbers: FxHashMap<Place, usize> = FxHashMap::default();
        let mut waiting = vec![(START, Rc::from([]), entry)];
        while let Some((source, word, place)) = waiting.pop() {
            if let Some(&known) = numbers.get(&place) {
                draft.add(source, known, word);
                continue;
            }
            let node = draft.add_node(Some(place.clone()), heads.contains(&place.location));
            if node > MAX_PLACES || draft.steps > MAX_STEPS {
                return Err("too many places".into());
            }
            numbers.insert(place.clone(), node);
            draft.add(source, node, word);
            for (word, next) in words_from(program, &blocks, &place) {
                match next {
                    Some(next) => waiting.push((node, word, next)),
                    None => draft.add(node, ERROR, word),
                }
            }
        }
        Ok(draft)
    }

    fn count(&self, source: usize, target: usize) -> usize {
        self.words.get(&(source, target)).map_or(0, Vec::len)
    }

    /// How many words come in and go out.
    fn counts(&self, node: usize) -> (usize, usize) {
        let ins = self.into[node].iter().map(|&from| self.count(from, node));
        let outs = self.out[node].iter().map(|&to| self.count(node, to));
        (ins.sum(), outs.sum())
    }

    /// Takes out the nodes that no loop needs, those first that cost the fewest words.
    fn take_out(&mut self, most_words: usize) {
        let cost = |draft: &Draft, node: usize| {
            let (ins, outs) = draft.counts(node);
            ins * outs
        };
        let mut costs: Vec<usize> = (0..self.places.len())
            .map(|node| cost(self, node))
            .collect();
        let mut queue: BTreeSet<(usize, usize)> = (ERROR + 1..self.places.len())
            .map(|node| (costs[node], node))
            .collect();
        while let Some((_, node)) = queue.pop_first() {
            if self.is_head[node] || !self.may_go(node, most_words) {
                continue;
            }
            let neighbours: BTreeSet<usize> =
                self.into[node].union(&self.out[node]).copied().collect();
            self.bridge(node);
            for neighbour in neighbours {
                if queue.remove(&(costs[neighbour], neighbour)) {
                    costs[neighbour] = cost(self, neighbour);
                    queue.insert((costs[neighbour], neighbour));
                }
            }
        }
    }

    fn may_go(&self, node: usize, most_words: usize) -> bool {
        let (ins, outs) = self.counts(node);
        if self.into[node].contains(&node) || ins * outs > (ins + outs).max(most_words) {
            return false;
        }
        self.into[node].iter().all(|&from| {
            self.out[node].iter().all(|&to| {
                let more = self.count(from, node) * self.count(node, to);
                more == 1 && self.count(from, to) == 0 || self.count(from, to) + more <= most_words
            })
        })
    }

    /// Puts the words into a node before the words out of it.
    fn bridge(&mut self, node: usize) {
        let into = std::mem::take(&mut self.into[node]);
        let out = std::mem::take(&mut self.out[node]);
        for &to in &out {
            self.into[to].remove(&node);
            let behind = self.words.remove(&(node, to)).unwrap_or_default();
            for &from in &into {
                for before in self.words.get(&(from, node)).cloned().unwrap_or_default() {
                    for behind in &behind {
                        self.add(from, to, [&before[..], behind].concat().into());
                    }
                }
            }
        }
        for &from in &into {
            self.out[from].remove(&node);
            self.words.remove(&(from, node));
        }
    }

    /// Keeps what leads from the start to an error.
    fn finish(self, by_loops: bool) -> Graph {
        let is_head = self.is_head;
        let heads = (self.places.iter().zip(&is_head))
            .filter(|(_, is_head)| **is_head)
            .filter_map(|(place, _)| place.clone());
        let heads = heads.collect();
        let back = distances(&self.into, ERROR);
        let distance = distances(&self.out, START);
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut nodes = Vec::new();
        for (node, place) in self.places.into_iter().enumerate() {
            let is_needed = distance[node].is_some() && back[node].is_some();
            if is_needed || node <= ERROR {
                numbers.insert(node, nodes.len());
                nodes.push(Node {
                    place,
                    into: Vec::new(),
                    distance: u32::MAX,
                    counts: !by_loops || node <= ERROR || is_head[node],
                    rank: 0,
                });
            }
        }
        let mut links: Vec<Link> = Vec::new();
        for ((source, target), words) in self.words {
            if let (Some(&source), Some(&target)) = (numbers.get(&source), numbers.get(&target)) {
                nodes[target].into.push(links.len());
                links.push(Link {
                    source,
                    target,
                    words,
                });
            }
        }
        for (number, node) in nodes.iter_mut().enumerate() {
            node.into.sort_by_key(|&link| links[link].source == number);
        }
        let mut graph = Graph {
            nodes,
            links,
            heads,
        };
        graph.rank();
        graph.measure();
        graph
    }
}

/// What a link adds to the index.
pub(super) fn cost(nodes: &[Node], source: usize, target: usize) -> u32 {
    u32::from(source == START || nodes[target].counts)
}

/// For each node the fewest steps from one of them.
fn distances(next: &[BTreeSet<usize>], from: usize) -> Vec<Option<u32>> {
    let mut found = vec![None; next.len()];
    found[from] = Some(0);
    let (mut here, mut distance) = (vec![from], 0);
    while !here.is_empty() {
        distance += 1;
        let mut there = Vec::new();
        for node in here {
            for &other in &next[node] {
                if found[other].is_none() {
                    found[other] = Some(distance);
                    there.push(other);
                }
            }
        }
        here = there;
    }
    found
}

/// The words from a cut point, with the place that each leads to; `None` for an error.
fn words_from(
    program: &Program,
    blocks: &GuardedBlocks,
    place: &Place,
) -> Vec<(Word, Option<Place>)> {
    let at = |location: LocId| Place {
        calls: place.calls.clone(),
        location,
    };
    let function = program.location(place.location).function;
    if let Some((&call, outer)) = place.calls.split_last()
        && place.location == program.function(function).exit
    {
        let back = Place {
            calls: outer.to_vec(),
            location: program.edge(call).target,
        };
        return vec![(Rc::from([Step::Return]), Some(back))];
    }
    let mut found = Vec::new();
    for &id in blocks.from(place.location) {
        let block = blocks.block(id);
        for word in blocks.words(block.command) {
            if let [call] = word[..]
                && let Op::Call { .. } = program.edge_op(call)
            {
                found.push(call_word(program, place, call));
                continue;
            }
            let next = match block.end {
                End::Location(location) => Some(at(location)),
                End::Error | End::Unsupported => None,
            };
            found.push((word.into_iter().map(Step::Edge).collect(), next));
        }
    }
    found
}

fn call_word(program: &Program, place: &Place, call: EdgeId) -> (Word, Option<Place>) {
    let called = callee(program, call);
    let active = place
        .calls
        .iter()
        .filter(|&&edge| callee(program, edge) == called);
    match called {
        Some(function) if active.count() < MAX_RECURSION => {
            let inside = Place {
                calls: [&place.calls[..], &[call]].concat(),
                location: program.function(function).entry,
            };
            (Rc::from([Step::Edge(call)]), Some(inside))
        }
        _ => (Rc::from([Step::TooDeep(call)]), None),
    }
}

impl Graph {
    /// Gives places that do not count their ranks, behind all that leads to them. What is on a
    /// cycle without a loop head counts after all.
    fn rank(&mut self) {
        let mut open: BTreeSet<usize> = (0..self.nodes.len())
            .filter(|&node| !self.nodes[node].counts)
            .collect();
        loop {
            let left = open.len();
            let (waiting, ready) = open.iter().partition::<BTreeSet<usize>, _>(|&&node| {
                let mut sources = self.nodes[node].into.iter();
                sources.any(|&link| open.contains(&self.links[link].source))
            });
            for node in ready {
                let sources = self.nodes[node].into.iter();
                let ranks = sources.map(|&link| self.nodes[self.links[link].source].rank);
                self.nodes[node].rank = ranks.max().unwrap_or(0) + 1;
            }
            open = waiting;
            if open.is_empty() || open.len() == left {
                break;
            }
        }
        for node in open {
            self.nodes[node].counts = true;
        }
    }

    /// Measures the distances: links that add nothing to the index come first.
    fn measure(&mut self) {
        let mut waiting = VecDeque::from([(START, 0)]);
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for link in &self.links {
            out[link.source].push(link.target);
        }
        while let Some((node, distance)) = waiting.pop_front() {
            if self.nodes[node].distance <= distance {
                continue;
            }
            self.nodes[node].distance = distance;
            for &target in &out[node] {
                match cost(&self.nodes, node, target) {
                    0 => waiting.push_front((target, distance)),
                    more => waiting.push_back((target, distance + more)),
                }
            }
        }
    }

    /// The largest distance from the start: from there on every place has a frame of its own.
    pub(super) fn eccentricity(&self) -> u32 {
        let nodes = self.nodes.iter().enumerate();
        let reached = nodes.filter(|(number, node)| *number != ERROR && node.distance < u32::MAX);
        reached.map(|(_, node)| node.distance).max().unwrap_or(0)
    }

    /// The call strings of all nodes, each once.
    pub(super) fn call_strings(&self) -> Vec<Vec<EdgeId>> {
        let mut seen: FxHashSet<&[EdgeId]> = FxHashSet::default();
        let places = self.nodes.iter().filter_map(|node| node.place.as_ref());
        let calls = places
            .map(|place| &place.calls[..])
            .filter(|&calls| seen.insert(calls));
        calls.map(<[EdgeId]>::to_vec).collect()
    }
}
