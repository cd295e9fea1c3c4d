//! Looking for violated instances in one propositional model.

use super::super::values::read_bits;
use super::{ArrayLemmas, Condition, Conflict};
use crate::flatten::Flattener;
use crate::solver::cnf::Cnf;
use crate::term::{BvValue, Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::collections::hash_map::Entry;

/// What the propositional model says about the terms that matter here, read once before clauses are
/// added.
pub(super) struct Assignment {
    indices: FxHashMap<Term, BvValue>,
    truths: FxHashMap<Term, bool>,
    elements: FxHashMap<Term, BvValue>,
    pub false_equalities: Vec<Term>,
}

impl Assignment {
    pub fn read(
        lemmas: &ArrayLemmas,
        pool: &TermPool,
        flat: &Flattener,
        cnf: &mut Cnf,
    ) -> Assignment {
        let mut assignment = Assignment {
            indices: FxHashMap::default(),
            truths: FxHashMap::default(),
            elements: FxHashMap::default(),
            false_equalities: Vec::new(),
        };
        for read in lemmas.reads.iter().filter(|read| read.active) {
            let index = pool.args(read.term)[1];
            if let Some(bits) = flat.known(pool, read.term) {
                // Bits that the solver does not know may have any value; if zero is wrong a lemma
                // will tell it.
                assignment
                    .elements
                    .insert(read.term, read_bits(flat, cnf, bits));
            }
            assignment.read_index(pool, flat, cnf, index);
        }
        for (node, &array) in lemmas.graph.nodes.iter().enumerate() {
            if !lemmas.graph.active[node] {
                continue;
            }
            match *pool.args(array) {
                [_, index, element] if pool.op(array) == Op::Store => {
                    assignment.read_index(pool, flat, cnf, index);
                    assignment.read_element(pool, flat, cnf, element);
                }
                [element] if pool.op(array) == Op::ConstArray => {
                    assignment.read_element(pool, flat, cnf, element);
                }
                [condition, ..] if pool.op(array) == Op::Ite => {
                    let value = flat
                        .known_lit(pool, condition)
                        .and_then(|lit| cnf.value(flat.gates(), lit));
                    assignment.truths.insert(condition, value.unwrap_or(false));
                }
                _ => {}
            }
        }
        for equality in lemmas.equalities.iter().filter(|equality| equality.active) {
            let value = flat
                .known_lit(pool, equality.term)
                .and_then(|lit| cnf.value(flat.gates(), lit));
            if let Some(value) = value {
                assignment.truths.insert(equality.term, value);
                if !value {
                    assignment.false_equalities.push(equality.term);
                }
            }
        }
        assignment
    }

    fn read_index(&mut self, pool: &TermPool, flat: &Flattener, cnf: &mut Cnf, index: Term) {
        if let Entry::Vacant(entry) = self.indices.entry(index)
            && let Some(bits) = flat.known(pool, index)
        {
            entry.insert(read_bits(flat, cnf, bits));
        }
    }

    /// An element counts only if the solver knows all of it.
    fn read_element(&mut self, pool: &TermPool, flat: &Flattener, cnf: &mut Cnf, element: Term) {
        if self.elements.contains_key(&element) {
            return;
        }
        if let Some(value) = pool.as_bv_const(element) {
            self.elements.insert(element, value.clone());
        } else if let Some(bits) = flat.known(pool, element)
            && bits.iter().all(|&bit| cnf.knows(flat.gates(), bit))
        {
            self.elements.insert(element, read_bits(flat, cnf, bits));
        }
    }

    /// Do the elements surely agree? One that the solver does not know could have any value, and
    /// only a lemma ties it.
    fn agree(&self, a: Term, b: Term) -> bool {
        if a == b {
            return true;
        }
        match (self.elements.get(&a), self.elements.get(&b)) {
            (Some(x), Some(y)) => x == y,
            _ => false,
        }
    }

    fn open(&self, condition: Condition, index: &BvValue) -> bool {
        match condition {
            Condition::IndexIsNot(term) => {
                self.indices.get(&term).is_some_and(|other| other != index)
            }
            Condition::Holds(term, value) => self.truths.get(&term) == Some(&value),
            Condition::Defined(_) => true,
        }
    }
}

/// What fixes an element.
#[derive(Clone, Copy)]
struct Source {
    node: u32,
    /// The index term; none for constant arrays.
    index: Option<Term>,
    element: Term,
}

/// How a node was reached: by which source, from where, through which condition.
type Reached = FxHashMap<u32, (usize, Option<(u32, Condition)>)>;

/// The read that answers for a variable at an index value, and how it got there.
type Answered = FxHashMap<(Term, BvValue), (Term, Vec<(Condition, Term)>)>;

/// What a search found.
#[derive(Default)]
pub(super) struct Found {
    pub conflicts: Vec<Conflict>,
    /// Elements of array variables.
    pub entries: Vec<(Term, BvValue, BvValue)>,
    /// What array variables hold at all other places.
    pub defaults: Vec<(Term, BvValue)>,
    /// Elements whose value is needed and not known yet.
    pub missing: Vec<Term>,
}

pub(super) struct Search<'a> {
    lemmas: &'a mut ArrayLemmas,
    pool: &'a mut TermPool,
    assignment: &'a Assignment,
    found: Found,
}

impl Search<'_> {
    pub fn run(lemmas: &mut ArrayLemmas, pool: &mut TermPool, assignment: &Assignment) -> Found {
        let mut near_equality = FxHashSet::default();
        for number in 0..lemmas.equalities.len() {
            let equality = &lemmas.equalities[number];
            if equality.active {
                let node = lemmas.graph.node_of[&pool.args(equality.term)[0]];
                near_equality.insert(lemmas.graph.cluster(node));
            }
        }
        let mut search = Search {
            lemmas,
            pool,
            assignment,
            found: Found::default(),
        };
        search.follow_reads(&near_equality);
        search.flood(&near_equality);
        search.found
    }

    fn active_reads(&self) -> Vec<Term> {
        let reads = self.lemmas.reads.iter();
        reads
            .filter(|read| read.active)
            .map(|read| read.term)
            .collect()
    }

    /// Away from equalities: each read goes down to the write, constant array or variable that
    /// answers it.
    fn follow_reads(&mut self, near_equality: &FxHashSet<u32>) {
        let mut answered = Answered::default();
        for read in self.active_reads() {
            let array = self.pool.args(read)[0];
            let node = self.lemmas.graph.node_of[&array];
            if !near_equality.contains(&self.lemmas.graph.cluster(node)) {
                self.follow_read(read, array, &mut answered);
            }
        }
    }

    fn follow_read(&mut self, read: Term, array: Term, answered: &mut Answered) {
        let index = self.pool.args(read)[1];
        let value = self.assignment.indices[&index].clone();
        let mut path = Vec::new();
        let mut current = array;
        loop {
            let args = self.pool.args(current);
            match self.pool.op(current) {
                Op::Store if self.assignment.indices[&args[1]] == value => {
                    let (written, element) = (args[1], args[2]);
                    if !self.assignment.agree(element, read) {
                        self.found.conflicts.push(Conflict {
                            path,
                            same_index: Some((index, written)),
                            elements: (read, element),
                        });
                    }
                    return;
                }
                Op::Store => {
                    path.push((Condition::IndexIsNot(args[1]), index));
                    current = args[0];
                }
                Op::Ite => {
                    let holds = self.assignment.truths[&args[0]];
                    path.push((Condition::Holds(args[0], holds), index));
                    current = args[if holds { 1 } else { 2 }];
                }
                Op::ConstArray => {
                    if !self.assignment.agree(args[0], read) {
                        self.found.conflicts.push(Conflict {
                            path,
                            same_index: None,
                            elements: (read, args[0]),
                        });
                    }
                    return;
                }
                _ => match self.lemmas.definitions.get(&current) {
                    Some(&definition) => {
                        path.push((Condition::Defined(current), index));
                        current = definition;
                    }
                    None => break,
                },
            }
        }
        match answered.entry((current, value.clone())) {
            Entry::Occupied(entry) => {
                let (other, other_path) = entry.get();
                if !self.assignment.agree(*other, read) {
                    path.extend_from_slice(other_path);
                    self.found.conflicts.push(Conflict {
                        path,
                        same_index: Some((index, self.pool.args(*other)[1])),
                        elements: (read, *other),
                    });
                }
            }
            Entry::Vacant(entry) => {
                let element = self.assignment.elements[&read].clone();
                self.found.entries.push((current, value, element));
                entry.insert((read, path));
            }
        }
    }

    /// Near equalities: for each index value, sources spread over all arrays that agree there.
    fn flood(&mut self, near_equality: &FxHashSet<u32>) {
        if near_equality.is_empty() {
            return;
        }
        let mut clusters: Vec<(Vec<u32>, Vec<Term>)> = Vec::new();
        let mut position: FxHashMap<u32, usize> = FxHashMap::default();
        for node in 0..self.lemmas.graph.nodes.len() as u32 {
            let cluster = self.lemmas.graph.cluster(node);
            if !self.lemmas.graph.active[node as usize] || !near_equality.contains(&cluster) {
                continue;
            }
            let place = *position.entry(cluster).or_insert_with(|| {
                clusters.push((Vec::new(), Vec::new()));
                clusters.len() - 1
            });
            clusters[place].0.push(node);
        }
        for read in self.active_reads() {
            let node = self.lemmas.graph.node_of[&self.pool.args(read)[0]];
            if let Some(&place) = position.get(&self.lemmas.graph.cluster(node)) {
                clusters[place].1.push(read);
            }
        }
        for (nodes, reads) in clusters {
            self.flood_cluster(&nodes, &reads);
        }
    }

    fn flood_cluster(&mut self, nodes: &[u32], reads: &[Term]) {
        let mut sources: Vec<(BvValue, Source)> = Vec::new();
        let mut constants: Vec<Source> = Vec::new();
        for &read in reads {
            let (array, index) = (self.pool.args(read)[0], self.pool.args(read)[1]);
            let source = Source {
                node: self.lemmas.graph.node_of[&array],
                index: Some(index),
                element: read,
            };
            sources.push((self.assignment.indices[&index].clone(), source));
        }
        for &node in nodes {
            let array = self.lemmas.graph.nodes[node as usize];
            match *self.pool.args(array) {
                [_, index, element] if self.pool.op(array) == Op::Store => {
                    let source = Source {
                        node,
                        index: Some(index),
                        element,
                    };
                    sources.push((self.assignment.indices[&index].clone(), source));
                }
                [element] if self.pool.op(array) == Op::ConstArray => constants.push(Source {
                    node,
                    index: None,
                    element,
                }),
                _ => {}
            }
        }
        sources.sort_by(|a, b| a.0.cmp(&b.0));
        let mut used = Vec::new();
        for group in sources.chunk_by(|a, b| a.0 == b.0) {
            let value = &group[0].0;
            let mut group: Vec<Source> = group.iter().map(|entry| entry.1).collect();
            group.extend_from_slice(&constants);
            self.flood_index(value, &group, None);
            used.push(value.clone());
        }
        let array = self.lemmas.graph.nodes[nodes[0] as usize];
        if let Some(other) = unused_value(&used, self.pool, array) {
            let term = self.pool.bv_value(other.clone());
            self.flood_index(&other, &constants, Some(term));
        }
    }

    /// Spreads the sources at one index value. `elsewhere` is the index term when the value stands
    /// for all others.
    fn flood_index(&mut self, value: &BvValue, sources: &[Source], elsewhere: Option<Term>) {
        let mut reached = Reached::default();
        let mut queue = VecDeque::new();
        // One source at a time, so that a path leads back to the source that came first.
        for (number, source) in sources.iter().enumerate() {
            if let Some(&(other, _)) = reached.get(&source.node) {
                self.compare(sources, other, number, &reached, elsewhere);
                continue;
            }
            reached.insert(source.node, (number, None));
            queue.push_back(source.node);
            while let Some(node) = queue.pop_front() {
                for edge in &self.lemmas.graph.edges[node as usize] {
                    if self.lemmas.graph.active[edge.to as usize]
                        && self.assignment.open(edge.condition, value)
                        && let Entry::Vacant(entry) = reached.entry(edge.to)
                    {
                        entry.insert((number, Some((node, edge.condition))));
                        queue.push_back(edge.to);
                    }
                }
            }
        }
        let mut owners: Vec<(u32, usize)> = reached
            .iter()
            .map(|(&node, &(owner, _))| (node, owner))
            .collect();
        owners.sort_unstable();
        for (node, owner) in owners {
            let array = self.lemmas.graph.nodes[node as usize];
            if !matches!(self.pool.op(array), Op::Var(_)) {
                continue;
            }
            let element = sources[owner].element;
            match (self.assignment.elements.get(&element), elsewhere) {
                (None, _) => self.found.missing.push(element),
                (Some(element), Some(_)) => self.found.defaults.push((array, element.clone())),
                (Some(element), None) => {
                    self.found
                        .entries
                        .push((array, value.clone(), element.clone()));
                }
            }
        }
    }

    /// The second source starts at a node that the first one has reached.
    fn compare(
        &mut self,
        sources: &[Source],
        first: usize,
        second: usize,
        reached: &Reached,
        elsewhere: Option<Term>,
    ) {
        let (a, b) = (sources[first], sources[second]);
        if self.assignment.agree(a.element, b.element) {
            return;
        }
        // Of two constant arrays neither has an index; any term of the index value will do.
        let index = a.index.or(b.index).or(elsewhere);
        let Some(index) = index.or_else(|| sources.iter().find_map(|source| source.index)) else {
            return;
        };
        let mut path = Vec::new();
        let mut node = b.node;
        while let Some(&(_, Some((from, condition)))) = reached.get(&node) {
            path.push((condition, index));
            node = from;
        }
        let same_index = match (a.index, b.index) {
            (Some(i), Some(j)) if i != j => Some((i, j)),
            _ => None,
        };
        self.found.conflicts.push(Conflict {
            path,
            same_index,
            elements: (a.element, b.element),
        });
    }
}

/// An index value that no source uses, if there is one. `used` is sorted.
fn unused_value(used: &[BvValue], pool: &TermPool, array: Term) -> Option<BvValue> {
    let Sort::Array { index, .. } = pool.sort(array) else {
        return None;
    };
    let mut candidate = BvValue::zero(index);
    for value in used {
        if *value != candidate {
            break;
        }
        if candidate.is_ones() {
            return None;
        }
        candidate = candidate.add(&BvValue::one(index));
    }
    Some(candidate)
}
