//! Arrays by lemmas on demand.
//!
//! Reads and array equalities start as unknown bits. Given a propositional model, this module looks for places where
//! the array axioms are violated and adds exactly those instances; when none is found the model extends to the arrays.
//! After Brummayer and Biere, "Lemmas on Demand for the Extensional Theory of Arrays" (SMT 2008), in the formulation of
//! Christ and Hoenicke, "Weakly Equivalent Arrays" (FroCoS 2015): fix one index value `n` and connect two arrays where they surely
//! agree at `n`:
//!
//! - a write and the array written to, if the write's index is not `n`;
//! - a choice and its chosen branch;
//! - the two sides of an equality that the model makes true.
//!
//! A *source* fixes the element at `n`: a read at an index of value `n`, a write at an index of value `n`, a constant array.
//! Two sources in one connected part that disagree are a conflict, and the path between them is its reason. Besides the
//! index values of sources, one further value stands for all others, so that constant arrays meet.
//!
//! Without equalities only reads can be wrong, and following each read downwards to its first source is enough.

use super::native::read_bits;
use crate::flatten::{Flattener, NotFlat};
use crate::sat::{Cadical, ClauseSink, Lit};
use crate::term::{ArrayValue, BvValue, Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// What is known about the arrays that a solver has met.
#[derive(Default)]
pub(super) struct ArrayLemmas {
    /// How many of the flattener's array atoms were looked at.
    registered: usize,
    arrays: FxHashSet<Term>,
    /// Array terms in the order in which they were met, each with its neighbours.
    nodes: Vec<Term>,
    node_of: FxHashMap<Term, u32>,
    neighbours: Vec<Vec<Edge>>,
    reads: Vec<Term>,
    equalities: Vec<Term>,
    /// Static connection, to tell arrays near equalities from others.
    cluster: Vec<u32>,
    /// Array variables' values in the last model without conflicts.
    values: FxHashMap<Term, ArrayValue>,
    added: FxHashSet<Vec<Lit>>,
    /// Equalities that have a place where they differ if they do.
    witnessed: FxHashSet<Term>,
    /// The lemmas as terms, if they are wanted.
    recorded: Option<Vec<Term>>,
}

/// Two arrays agree at an index under a condition.
#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    condition: Condition,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Condition {
    /// The index differs from this term.
    IndexIsNot(Term),
    /// The boolean term has this value.
    Holds(Term, bool),
}

/// What fixes an element.
#[derive(Clone, Copy)]
struct Source {
    node: u32,
    /// The index term; none for constant arrays.
    index: Option<Term>,
    element: Term,
}

impl ArrayLemmas {
    pub fn new(record: bool) -> ArrayLemmas {
        ArrayLemmas {
            recorded: record.then(Vec::new),
            ..ArrayLemmas::default()
        }
    }

    /// The lemmas as terms.
    pub fn recorded(&self) -> &[Term] {
        self.recorded.as_deref().unwrap_or_default()
    }

    /// Looks at the array atoms that are new in the flattener: flattens the indices and conditions on which refinement
    /// will depend.
    pub fn register(
        &mut self,
        pool: &mut TermPool,
        flat: &mut Flattener,
        sat: &mut Cadical,
    ) -> Result<(), NotFlat> {
        while self.registered < flat.array_atoms().len() {
            let atom = flat.array_atoms()[self.registered];
            self.registered += 1;
            match pool.op(atom) {
                Op::Select => {
                    let (array, index) = (pool.args(atom)[0], pool.args(atom)[1]);
                    self.reads.push(atom);
                    flat.bits(pool, sat, index)?;
                    self.add_array(pool, flat, sat, array)?;
                }
                _ => {
                    let (left, right) = (pool.args(atom)[0], pool.args(atom)[1]);
                    self.equalities.push(atom);
                    self.add_array(pool, flat, sat, left)?;
                    self.add_array(pool, flat, sat, right)?;
                    self.connect(left, right, Condition::Holds(atom, true));
                }
            }
        }
        Ok(())
    }

    /// Different arrays differ somewhere.
    fn add_witness(
        &mut self,
        pool: &mut TermPool,
        flat: &mut Flattener,
        sat: &mut Cadical,
        equality: Term,
    ) -> Result<(), NotFlat> {
        let (left, right) = (pool.args(equality)[0], pool.args(equality)[1]);
        let Sort::Array { index, .. } = pool.sort(left) else {
            return Ok(());
        };
        let place = pool.fresh_var("array!witness", Sort::BitVec(index));
        let element_left = pool.select(left, place);
        let element_right = pool.select(right, place);
        let differ = pool.ne(element_left, element_right);
        if let Some(recorded) = &mut self.recorded {
            recorded.push(pool.or(equality, differ));
        }
        let differ = flat.lit(pool, sat, differ)?;
        let equal = flat.lit(pool, sat, equality)?;
        sat.add_clause(&[equal, differ]);
        Ok(())
    }

    fn node(&mut self, array: Term) -> u32 {
        if let Some(&node) = self.node_of.get(&array) {
            return node;
        }
        let node = self.nodes.len() as u32;
        self.nodes.push(array);
        self.node_of.insert(array, node);
        self.neighbours.push(Vec::new());
        self.cluster.push(node);
        node
    }

    fn find(&mut self, node: u32) -> u32 {
        let mut root = node;
        while self.cluster[root as usize] != root {
            root = self.cluster[root as usize];
        }
        let mut current = node;
        while self.cluster[current as usize] != root {
            let next = self.cluster[current as usize];
            self.cluster[current as usize] = root;
            current = next;
        }
        root
    }

    fn connect(&mut self, a: Term, b: Term, condition: Condition) {
        let (a, b) = (self.node(a), self.node(b));
        self.neighbours[a as usize].push(Edge { to: b, condition });
        self.neighbours[b as usize].push(Edge { to: a, condition });
        let (root_a, root_b) = (self.find(a), self.find(b));
        let (low, high) = (root_a.min(root_b), root_a.max(root_b));
        self.cluster[high as usize] = low;
    }

    fn add_array(
        &mut self,
        pool: &mut TermPool,
        flat: &mut Flattener,
        sat: &mut Cadical,
        array: Term,
    ) -> Result<(), NotFlat> {
        let mut work = vec![array];
        while let Some(array) = work.pop() {
            if !self.arrays.insert(array) {
                continue;
            }
            self.node(array);
            match pool.op(array) {
                Op::Store => {
                    let (inner, index) = (pool.args(array)[0], pool.args(array)[1]);
                    flat.bits(pool, sat, index)?;
                    self.connect(array, inner, Condition::IndexIsNot(index));
                    work.push(inner);
                }
                Op::Ite => {
                    let &[condition, then, otherwise] = pool.args(array) else {
                        unreachable!("choice has three arguments")
                    };
                    flat.lit(pool, sat, condition)?;
                    self.connect(array, then, Condition::Holds(condition, true));
                    self.connect(array, otherwise, Condition::Holds(condition, false));
                    work.push(otherwise);
                    work.push(then);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The values of array variables in the last model without conflicts.
    pub fn values(&self) -> &FxHashMap<Term, ArrayValue> {
        &self.values
    }

    /// The value of an array variable in the last model without conflicts.
    pub fn variable_value(&self, variable: Term) -> Option<ArrayValue> {
        self.values.get(&variable).cloned()
    }

    /// Adds the instances that the current model violates; returns how many. Zero means that the model extends to
    /// the arrays.
    pub fn refine(
        &mut self,
        pool: &mut TermPool,
        flat: &mut Flattener,
        sat: &mut Cadical,
    ) -> Result<u64, NotFlat> {
        self.values.clear();
        if self.nodes.is_empty() {
            return Ok(0);
        }
        let assignment = Assignment::read(self, pool, flat, sat);
        let mut conflicts = Vec::new();
        let mut near_equality = FxHashSet::default();
        for equality in self.equalities.clone() {
            let node = self.node_of[&pool.args(equality)[0]];
            near_equality.insert(self.find(node));
        }
        let mut search = Search {
            lemmas: self,
            pool,
            assignment: &assignment,
            conflicts: &mut conflicts,
            entries: Vec::new(),
            defaults: Vec::new(),
            missing: Vec::new(),
        };
        search.follow_reads(&near_equality);
        search.flood(&near_equality);
        let (entries, defaults, missing) = (search.entries, search.defaults, search.missing);
        let mut added = 0;
        for equality in self.equalities.clone() {
            if assignment.truths.get(&equality) == Some(&false) && self.witnessed.insert(equality) {
                self.add_witness(pool, flat, sat, equality)?;
                added += 1;
            }
        }
        for element in missing {
            flat.bits(pool, sat, element)?;
            added += 1;
        }
        if added == 0 && conflicts.is_empty() {
            self.build_values(pool, entries, defaults);
            return Ok(0);
        }
        for conflict in conflicts {
            if self.add_lemma(pool, flat, sat, &conflict)? {
                added += 1;
            }
        }
        Ok(added)
    }

    fn build_values(
        &mut self,
        pool: &TermPool,
        entries: Vec<(Term, BvValue, BvValue)>,
        defaults: Vec<(Term, BvValue)>,
    ) {
        for &array in &self.nodes {
            if let (Op::Var(_), Sort::Array { index, element }) = (pool.op(array), pool.sort(array))
            {
                let value = ArrayValue::constant(index, BvValue::zero(element));
                self.values.insert(array, value);
            }
        }
        for (array, default) in defaults {
            if let Some(value) = self.values.get_mut(&array) {
                *value = ArrayValue::constant(value.index_width(), default);
            }
        }
        for (array, index, element) in entries {
            if let Some(value) = self.values.get_mut(&array) {
                value.store(index, element);
            }
        }
    }

    /// Adds `path conditions → elements equal`; `false` if it was there already.
    fn add_lemma(
        &mut self,
        pool: &mut TermPool,
        flat: &mut Flattener,
        sat: &mut Cadical,
        conflict: &Conflict,
    ) -> Result<bool, NotFlat> {
        let mut premises = Vec::new();
        for &(condition, index) in &conflict.path {
            let premise = match condition {
                Condition::IndexIsNot(other) => {
                    let equal = pool.eq(index, other);
                    !flat.lit(pool, sat, equal)?
                }
                Condition::Holds(term, value) => flat.lit(pool, sat, term)?.negate_if(!value),
            };
            premises.push(!premise);
        }
        if let Some((a, b)) = conflict.same_index {
            let equal = pool.eq(a, b);
            premises.push(!flat.lit(pool, sat, equal)?);
        }
        premises.sort_unstable();
        premises.dedup();
        let left = flat.bits(pool, sat, conflict.elements.0)?;
        let right = flat.bits(pool, sat, conflict.elements.1)?;
        let mut key = premises.clone();
        key.extend(&left);
        key.extend(&right);
        if !self.added.insert(key) {
            return Ok(false);
        }
        if let Some(recorded) = &mut self.recorded {
            recorded.push(conflict.lemma(pool));
        }
        // One literal for all premises keeps the clauses per bit short.
        let refuted = match premises.as_slice() {
            [] => Lit::FALSE,
            [single] => *single,
            _ => {
                let refuted = sat.new_var();
                let mut clause = premises.clone();
                clause.push(!refuted);
                sat.add_clause(&clause);
                for &premise in &premises {
                    sat.add_clause(&[refuted, !premise]);
                }
                refuted
            }
        };
        for (&a, &b) in left.iter().zip(&right) {
            sat.add_clause(&[refuted, !a, b]);
            sat.add_clause(&[refuted, a, !b]);
        }
        Ok(true)
    }
}

/// A violated instance: along the path the arrays agree at the index, so the elements are equal.
struct Conflict {
    /// Conditions, each with the index term that it is about.
    path: Vec<(Condition, Term)>,
    same_index: Option<(Term, Term)>,
    elements: (Term, Term),
}

impl Conflict {
    /// The instance as a term.
    fn lemma(&self, pool: &mut TermPool) -> Term {
        let mut premises = Vec::new();
        for &(condition, index) in &self.path {
            premises.push(match condition {
                Condition::IndexIsNot(other) => pool.ne(index, other),
                Condition::Holds(term, true) => term,
                Condition::Holds(term, false) => pool.not(term),
            });
        }
        if let Some((a, b)) = self.same_index {
            premises.push(pool.eq(a, b));
        }
        let premise = pool.and_all(premises);
        let equal = pool.eq(self.elements.0, self.elements.1);
        pool.implies(premise, equal)
    }
}

/// What the propositional model says about the terms that matter here, read once before clauses are added.
struct Assignment {
    indices: FxHashMap<Term, BvValue>,
    truths: FxHashMap<Term, bool>,
    elements: FxHashMap<Term, BvValue>,
}

impl Assignment {
    fn read(
        lemmas: &ArrayLemmas,
        pool: &TermPool,
        flat: &Flattener,
        sat: &mut Cadical,
    ) -> Assignment {
        let mut assignment = Assignment {
            indices: FxHashMap::default(),
            truths: FxHashMap::default(),
            elements: FxHashMap::default(),
        };
        let bits = |sat: &mut Cadical, map: &mut FxHashMap<Term, BvValue>, term: Term| {
            if let Some(bits) = flat.known(pool, term) {
                map.entry(term).or_insert_with(|| read_bits(sat, bits));
            }
        };
        for &read in &lemmas.reads {
            bits(sat, &mut assignment.elements, read);
            bits(sat, &mut assignment.indices, pool.args(read)[1]);
        }
        for &array in &lemmas.nodes {
            match pool.op(array) {
                Op::Store => {
                    bits(sat, &mut assignment.indices, pool.args(array)[1]);
                    bits(sat, &mut assignment.elements, pool.args(array)[2]);
                }
                Op::ConstArray => bits(sat, &mut assignment.elements, pool.args(array)[0]),
                Op::Ite => {
                    let condition = pool.args(array)[0];
                    if let Some(literal) = flat.known_lit(pool, condition) {
                        assignment.truths.insert(condition, sat.value(literal));
                    }
                }
                _ => {}
            }
        }
        for &equality in &lemmas.equalities {
            if let Some(literal) = flat.known_lit(pool, equality) {
                assignment.truths.insert(equality, sat.value(literal));
            }
        }
        assignment
    }

    /// Do the elements surely agree? One that was not flattened yet could have any value, and only a lemma ties it.
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
            Condition::IndexIsNot(term) => self.indices[&term] != *index,
            Condition::Holds(term, value) => self.truths.get(&term) == Some(&value),
        }
    }
}

struct Search<'a> {
    lemmas: &'a mut ArrayLemmas,
    pool: &'a mut TermPool,
    assignment: &'a Assignment,
    conflicts: &'a mut Vec<Conflict>,
    /// Elements of array variables.
    entries: Vec<(Term, BvValue, BvValue)>,
    defaults: Vec<(Term, BvValue)>,
    /// Elements whose value is needed and not known yet.
    missing: Vec<Term>,
}

/// How a node was reached: by which source, from where, through which condition.
type Reached = FxHashMap<u32, (usize, Option<(u32, Condition)>)>;

/// The read that answers for a variable at an index value, and how it got there.
type Answered = FxHashMap<(Term, BvValue), (Term, Vec<(Condition, Term)>)>;

impl Search<'_> {
    /// Away from equalities: each read goes down to the write, constant array or variable that answers it.
    fn follow_reads(&mut self, near_equality: &FxHashSet<u32>) {
        let mut answered = Answered::default();
        for read in self.lemmas.reads.clone() {
            let (array, index) = (self.pool.args(read)[0], self.pool.args(read)[1]);
            let node = self.lemmas.node_of[&array];
            if near_equality.contains(&self.lemmas.find(node)) {
                continue;
            }
            let value = self.assignment.indices[&index].clone();
            let mut path = Vec::new();
            let mut current = array;
            loop {
                let args = self.pool.args(current);
                match self.pool.op(current) {
                    Op::Store if self.assignment.indices[&args[1]] == value => {
                        if !self.assignment.agree(args[2], read) {
                            self.conflicts.push(Conflict {
                                path,
                                same_index: Some((index, args[1])),
                                elements: (read, args[2]),
                            });
                        }
                        break;
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
                            self.conflicts.push(Conflict {
                                path,
                                same_index: None,
                                elements: (read, args[0]),
                            });
                        }
                        break;
                    }
                    _ => {
                        let key = (current, value.clone());
                        match answered.get(&key) {
                            Some((other, other_path)) => {
                                if !self.assignment.agree(*other, read) {
                                    path.extend_from_slice(other_path);
                                    let other_index = self.pool.args(*other)[1];
                                    self.conflicts.push(Conflict {
                                        path,
                                        same_index: Some((index, other_index)),
                                        elements: (read, *other),
                                    });
                                }
                            }
                            None => {
                                let element = self.assignment.elements[&read].clone();
                                self.entries.push((current, value, element));
                                answered.insert(key, (read, path));
                            }
                        }
                        break;
                    }
                }
            }
        }
    }

    /// Near equalities: for each index value, sources spread over all arrays that agree there.
    fn flood(&mut self, near_equality: &FxHashSet<u32>) {
        if near_equality.is_empty() {
            return;
        }
        let mut by_cluster: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut position: FxHashMap<u32, usize> = FxHashMap::default();
        for node in 0..self.lemmas.nodes.len() as u32 {
            let cluster = self.lemmas.find(node);
            if !near_equality.contains(&cluster) {
                continue;
            }
            let place = *position.entry(cluster).or_insert_with(|| {
                by_cluster.push((cluster, Vec::new()));
                by_cluster.len() - 1
            });
            by_cluster[place].1.push(node);
        }
        let mut reads: FxHashMap<u32, Vec<Term>> = FxHashMap::default();
        for read in self.lemmas.reads.clone() {
            let node = self.lemmas.node_of[&self.pool.args(read)[0]];
            let cluster = self.lemmas.find(node);
            reads.entry(cluster).or_default().push(read);
        }
        for (cluster, nodes) in by_cluster {
            let reads = reads.remove(&cluster).unwrap_or_default();
            self.flood_cluster(&nodes, &reads);
        }
    }

    fn flood_cluster(&mut self, nodes: &[u32], reads: &[Term]) {
        let mut sources: Vec<(BvValue, Source)> = Vec::new();
        let mut constants: Vec<Source> = Vec::new();
        for &read in reads {
            let (array, index) = (self.pool.args(read)[0], self.pool.args(read)[1]);
            let source = Source {
                node: self.lemmas.node_of[&array],
                index: Some(index),
                element: read,
            };
            sources.push((self.assignment.indices[&index].clone(), source));
        }
        for &node in nodes {
            let array = self.lemmas.nodes[node as usize];
            let args = self.pool.args(array);
            match self.pool.op(array) {
                Op::Store => {
                    let source = Source {
                        node,
                        index: Some(args[1]),
                        element: args[2],
                    };
                    sources.push((self.assignment.indices[&args[1]].clone(), source));
                }
                Op::ConstArray => constants.push(Source {
                    node,
                    index: None,
                    element: args[0],
                }),
                _ => {}
            }
        }
        sources.sort_by(|a, b| a.0.cmp(&b.0));
        let mut start = 0;
        let mut used = Vec::new();
        while start < sources.len() {
            let value = sources[start].0.clone();
            let mut end = start;
            while end < sources.len() && sources[end].0 == value {
                end += 1;
            }
            let mut group: Vec<Source> = sources[start..end].iter().map(|entry| entry.1).collect();
            group.extend_from_slice(&constants);
            self.flood_index(&value, &group, None);
            used.push(value);
            start = end;
        }
        if let Some(other) = unused_value(&used, self.pool, self.lemmas.nodes[nodes[0] as usize]) {
            let term = self.pool.bv_value(other.clone());
            self.flood_index(&other, &constants, Some(term));
        }
    }

    /// Spreads the sources at one index value. `elsewhere` is the index term when the value stands for all others.
    fn flood_index(&mut self, value: &BvValue, sources: &[Source], elsewhere: Option<Term>) {
        let mut reached = Reached::default();
        let mut queue = VecDeque::new();
        for (number, source) in sources.iter().enumerate() {
            if let Some(&(other, _)) = reached.get(&source.node) {
                self.compare(sources, other, number, &reached, elsewhere);
                continue;
            }
            reached.insert(source.node, (number, None));
            queue.push_back(source.node);
            // One source at a time, so that a path leads back to the source that came first.
            while let Some(node) = queue.pop_front() {
                let owner = reached[&node].0;
                for position in 0..self.lemmas.neighbours[node as usize].len() {
                    let edge = self.lemmas.neighbours[node as usize][position];
                    if !self.assignment.open(edge.condition, value) {
                        continue;
                    }
                    if let std::collections::hash_map::Entry::Vacant(entry) = reached.entry(edge.to)
                    {
                        entry.insert((owner, Some((node, edge.condition))));
                        queue.push_back(edge.to);
                    }
                }
            }
        }
        let mut variables: Vec<(u32, usize)> = reached
            .iter()
            .map(|(&node, &(owner, _))| (node, owner))
            .collect();
        variables.sort_unstable();
        for (node, owner) in variables {
            let array = self.lemmas.nodes[node as usize];
            if !matches!(self.pool.op(array), Op::Var(_)) {
                continue;
            }
            match (
                self.assignment.elements.get(&sources[owner].element),
                elsewhere,
            ) {
                (None, _) => self.missing.push(sources[owner].element),
                (Some(element), Some(_)) => self.defaults.push((array, element.clone())),
                (Some(element), None) => {
                    self.entries.push((array, value.clone(), element.clone()));
                }
            }
        }
    }

    /// Two sources met: one owns the node already, the other starts there.
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
        let index = match (a.index, b.index, elsewhere) {
            (Some(index), _, _) | (None, Some(index), _) | (None, None, Some(index)) => index,
            // Two constant arrays at the index of a third source: the place is any term of that value.
            (None, None, None) => match sources.iter().find_map(|source| source.index) {
                Some(index) => index,
                None => return,
            },
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
        self.conflicts.push(Conflict {
            path,
            same_index,
            elements: (a.element, b.element),
        });
    }
}

/// An index value that no source uses, if there is one.
fn unused_value(used: &[BvValue], pool: &TermPool, array: Term) -> Option<BvValue> {
    let Sort::Array { index, .. } = pool.sort(array) else {
        return None;
    };
    // `used` is sorted: the first gap.
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
