//! Arrays by lemmas on demand.
//!
//! Reads and array equalities start as unknown bits. Given a propositional model, this module looks
//! for places where the array axioms are violated and adds exactly those instances; when none is
//! found the model extends to the arrays. After Brummayer and Biere, "Lemmas on Demand for the
//! Extensional Theory of Arrays" (SMT 2008), in the formulation of Christ and Hoenicke, "Weakly
//! Equivalent Arrays" (FroCoS 2015): fix one index value `n` and connect two arrays where they
//! surely agree at `n`:
//!
//! - a write and the array written to, if the write's index is not `n`;
//! - a choice and its chosen branch;
//! - the two sides of an equality that the model makes true.
//!
//! A *source* fixes the element at `n`: a read at an index of value `n`, a write at an index of
//! value `n`, a constant array. Two sources in one connected part that disagree are a conflict, and
//! the path between them is its reason. Besides the index values of sources, one further value
//! stands for all others, so that constant arrays meet.
//!
//! Without equalities only reads can be wrong, and following each read downwards to its first
//! source is enough.
//!
//! What the propositional solver does not know is left alone: a read is *active* once one of its
//! bits is in the solver.

mod search;

use super::cnf::Cnf;
use crate::flatten::{Flattener, NotFlat};
use crate::sat::Lit;
use crate::term::{ArrayValue, BvValue, Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use search::{Assignment, Search};

/// A read or an equality of arrays, and whether the propositional solver knows it.
struct Atom {
    term: Term,
    active: bool,
}

/// What is known about the arrays that a solver has met.
#[derive(Default)]
pub(super) struct ArrayLemmas {
    /// How many of the flattener's array atoms were looked at.
    registered: usize,
    reads: Vec<Atom>,
    equalities: Vec<Atom>,
    graph: Graph,
    /// Array variables' values in the last model without conflicts.
    values: FxHashMap<Term, ArrayValue>,
    /// Array variables that are other arrays by assertion.
    definitions: FxHashMap<Term, Term>,
    /// Lemmas that the propositional solver has.
    added: FxHashSet<Vec<Lit>>,
    /// Conflicts met before, by the read that was wrong: given again to a new propositional solver.
    remembered: FxHashMap<Term, Vec<Conflict>>,
    /// Where two arrays differ if they do.
    witnesses: FxHashMap<Term, [Lit; 2]>,
    /// Equalities whose witness the propositional solver knows.
    witnessed: FxHashSet<Term>,
    /// The lemmas as terms, if they are wanted.
    recorded: Option<Vec<Term>>,
}

/// Array terms as nodes, and where they agree as edges.
#[derive(Default)]
struct Graph {
    nodes: Vec<Term>,
    node_of: FxHashMap<Term, u32>,
    edges: Vec<Vec<Edge>>,
    /// Nodes whose edges downwards exist.
    expanded: Vec<bool>,
    /// Nodes whose indices and conditions the propositional solver knows.
    active: Vec<bool>,
    /// Connection by any edges, to tell arrays near equalities from others.
    cluster: Vec<u32>,
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
    /// The array variable is defined by an assertion to be its neighbour.
    Defined(Term),
}

/// A violated instance: along the path the arrays agree at the index, so the elements are equal.
#[derive(Clone)]
struct Conflict {
    /// Conditions, each with the index term that it is about.
    path: Vec<(Condition, Term)>,
    same_index: Option<(Term, Term)>,
    elements: (Term, Term),
}

impl Conflict {
    /// The premises as terms.
    fn premises(&self, pool: &mut TermPool) -> Vec<Term> {
        let mut premises = Vec::with_capacity(self.path.len() + 1);
        for &(condition, index) in &self.path {
            premises.push(match condition {
                Condition::IndexIsNot(other) => pool.ne(index, other),
                Condition::Holds(term, true) => term,
                Condition::Holds(term, false) => pool.not(term),
                // Asserted for good.
                Condition::Defined(_) => continue,
            });
        }
        if let Some((a, b)) = self.same_index {
            premises.push(pool.eq(a, b));
        }
        premises
    }

    /// The instance as a valid term.
    fn lemma(&self, pool: &mut TermPool, definitions: &FxHashMap<Term, Term>) -> Term {
        let mut premises = self.premises(pool);
        for (condition, _) in &self.path {
            if let Condition::Defined(variable) = *condition {
                premises.push(pool.eq(variable, definitions[&variable]));
            }
        }
        let premise = pool.and_all(premises);
        let equal = pool.eq(self.elements.0, self.elements.1);
        pool.implies(premise, equal)
    }
}

impl Graph {
    fn node(&mut self, array: Term) -> u32 {
        if let Some(&node) = self.node_of.get(&array) {
            return node;
        }
        let node = self.nodes.len() as u32;
        self.nodes.push(array);
        self.node_of.insert(array, node);
        self.edges.push(Vec::new());
        self.expanded.push(false);
        self.active.push(false);
        self.cluster.push(node);
        node
    }

    fn cluster(&mut self, node: u32) -> u32 {
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
        self.edges[a as usize].push(Edge { to: b, condition });
        self.edges[b as usize].push(Edge { to: a, condition });
        let (root_a, root_b) = (self.cluster(a), self.cluster(b));
        let (low, high) = (root_a.min(root_b), root_a.max(root_b));
        self.cluster[high as usize] = low;
    }

    /// Adds an array and everything below it.
    fn add(&mut self, pool: &TermPool, array: Term) {
        let mut work = vec![array];
        while let Some(array) = work.pop() {
            let node = self.node(array) as usize;
            if std::mem::replace(&mut self.expanded[node], true) {
                continue;
            }
            match *pool.args(array) {
                [inner, index, _] if pool.op(array) == Op::Store => {
                    work.push(inner);
                    self.connect(array, inner, Condition::IndexIsNot(index));
                }
                [condition, then, otherwise] if pool.op(array) == Op::Ite => {
                    work.push(otherwise);
                    work.push(then);
                    self.connect(array, then, Condition::Holds(condition, true));
                    self.connect(array, otherwise, Condition::Holds(condition, false));
                }
                _ => {}
            }
        }
    }
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

    /// The values of array variables in the last model without conflicts.
    pub fn values(&self) -> &FxHashMap<Term, ArrayValue> {
        &self.values
    }

    /// The value of an array variable in the last model without conflicts.
    pub fn variable_value(&self, variable: Term) -> Option<ArrayValue> {
        self.values.get(&variable).cloned()
    }

    /// Did a read or an equality mention the array?
    pub fn has_met(&self, array: Term) -> bool {
        self.graph.node_of.contains_key(&array)
    }

    /// Notes that a variable is another array, which does not contain it, for good.
    pub fn define(&mut self, pool: &TermPool, variable: Term, array: Term) {
        self.graph.add(pool, variable);
        self.graph.add(pool, array);
        self.graph
            .connect(variable, array, Condition::Defined(variable));
        self.definitions.insert(variable, array);
        // Whoever was active has more to know now.
        let node = self.graph.node_of[&variable] as usize;
        if self.graph.active[node] {
            self.start_anew();
        }
    }

    /// The propositional solver was started anew and has forgotten all lemmas.
    pub fn start_anew(&mut self) {
        for atom in self.reads.iter_mut().chain(&mut self.equalities) {
            atom.active = false;
        }
        self.graph.active.fill(false);
        self.added.clear();
        self.witnessed.clear();
    }

    /// Looks at the array atoms that the propositional solver knows: gives it the indices and
    /// conditions on which refinement will depend, and the lemmas that were needed before.
    pub fn activate(
        &mut self,
        pool: &mut TermPool,
        flat: &mut Flattener,
        cnf: &mut Cnf,
    ) -> Result<(), NotFlat> {
        loop {
            self.register(pool, flat);
            let mut changed = false;
            for number in 0..self.reads.len() {
                let Atom { term, active } = self.reads[number];
                if active || !is_known(pool, flat, cnf, term) {
                    continue;
                }
                self.reads[number].active = true;
                changed = true;
                need_bits(pool, flat, cnf, pool.args(term)[1])?;
                self.activate_array(pool, flat, cnf, pool.args(term)[0])?;
                for conflict in self.remembered.get(&term).cloned().unwrap_or_default() {
                    self.give_lemma(pool, flat, cnf, &conflict)?;
                }
            }
            for number in 0..self.equalities.len() {
                let Atom { term, active } = self.equalities[number];
                if active || !is_known(pool, flat, cnf, term) {
                    continue;
                }
                self.equalities[number].active = true;
                changed = true;
                self.activate_array(pool, flat, cnf, pool.args(term)[0])?;
                self.activate_array(pool, flat, cnf, pool.args(term)[1])?;
            }
            if !changed && self.registered == flat.array_atoms().len() {
                return Ok(());
            }
        }
    }

    fn register(&mut self, pool: &TermPool, flat: &Flattener) {
        for &atom in &flat.array_atoms()[self.registered..] {
            let entry = Atom {
                term: atom,
                active: false,
            };
            match (pool.op(atom), pool.args(atom)) {
                (Op::Select, args) => {
                    self.graph.add(pool, args[0]);
                    self.reads.push(entry);
                }
                (_, args) => {
                    self.graph.add(pool, args[0]);
                    self.graph.add(pool, args[1]);
                    self.graph
                        .connect(args[0], args[1], Condition::Holds(atom, true));
                    self.equalities.push(entry);
                }
            }
        }
        self.registered = flat.array_atoms().len();
    }

    fn activate_array(
        &mut self,
        pool: &mut TermPool,
        flat: &mut Flattener,
        cnf: &mut Cnf,
        array: Term,
    ) -> Result<(), NotFlat> {
        let mut work = vec![array];
        while let Some(array) = work.pop() {
            let node = self.graph.node_of[&array] as usize;
            if std::mem::replace(&mut self.graph.active[node], true) {
                continue;
            }
            match *pool.args(array) {
                [inner, index, _] if pool.op(array) == Op::Store => {
                    need_bits(pool, flat, cnf, index)?;
                    work.push(inner);
                }
                [condition, then, otherwise] if pool.op(array) == Op::Ite => {
                    let literal = flat.lit(pool, condition)?;
                    cnf.need(flat.gates(), literal);
                    work.push(otherwise);
                    work.push(then);
                }
                _ => work.extend(self.definitions.get(&array)),
            }
        }
        Ok(())
    }

    /// Different arrays differ somewhere.
    fn give_witness(
        &mut self,
        pool: &mut TermPool,
        flat: &mut Flattener,
        cnf: &mut Cnf,
        equality: Term,
    ) -> Result<(), NotFlat> {
        if !self.witnesses.contains_key(&equality) {
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
            let clause = [flat.lit(pool, equality)?, flat.lit(pool, differ)?];
            self.witnesses.insert(equality, clause);
        }
        cnf.add_valid(flat.gates(), &self.witnesses[&equality]);
        Ok(())
    }

    /// Adds the instances that the current model violates; returns how many. Zero means that the
    /// model extends to the arrays.
    pub fn refine(
        &mut self,
        pool: &mut TermPool,
        flat: &mut Flattener,
        cnf: &mut Cnf,
    ) -> Result<u64, NotFlat> {
        self.values.clear();
        let any_active = self
            .reads
            .iter()
            .chain(&self.equalities)
            .any(|atom| atom.active);
        if !any_active {
            return Ok(0);
        }
        let assignment = Assignment::read(self, pool, flat, cnf);
        let found = Search::run(self, pool, &assignment);
        let mut added = 0;
        for equality in assignment.false_equalities {
            if self.witnessed.insert(equality) {
                self.give_witness(pool, flat, cnf, equality)?;
                added += 1;
            }
        }
        for element in found.missing {
            need_bits(pool, flat, cnf, element)?;
            added += 1;
        }
        if added == 0 && found.conflicts.is_empty() {
            self.build_values(pool, found.entries, found.defaults);
            return Ok(0);
        }
        for conflict in found.conflicts {
            if !self.give_lemma(pool, flat, cnf, &conflict)? {
                continue;
            }
            added += 1;
            if let Some(recorded) = &mut self.recorded {
                recorded.push(conflict.lemma(pool, &self.definitions));
            }
            let (first, second) = conflict.elements;
            let wrong = if pool.op(first) == Op::Select {
                first
            } else {
                second
            };
            self.remembered.entry(wrong).or_default().push(conflict);
        }
        Ok(added)
    }

    fn build_values(
        &mut self,
        pool: &TermPool,
        entries: Vec<(Term, BvValue, BvValue)>,
        defaults: Vec<(Term, BvValue)>,
    ) {
        for &array in &self.graph.nodes {
            if self.definitions.contains_key(&array) {
                continue;
            }
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
    fn give_lemma(
        &mut self,
        pool: &mut TermPool,
        flat: &mut Flattener,
        cnf: &mut Cnf,
        conflict: &Conflict,
    ) -> Result<bool, NotFlat> {
        let mut premises = Vec::new();
        for premise in conflict.premises(pool) {
            premises.push(flat.lit(pool, premise)?);
        }
        // One literal for all premises keeps the clauses per bit short.
        let premise = flat.all(premises);
        let left = flat.bits(pool, conflict.elements.0)?;
        let right = flat.bits(pool, conflict.elements.1)?;
        let mut key = vec![premise];
        key.extend(&left);
        key.extend(&right);
        if !self.added.insert(key) {
            return Ok(false);
        }
        for (&a, &b) in left.iter().zip(&right) {
            cnf.add_valid(flat.gates(), &[!premise, !a, b]);
            cnf.add_valid(flat.gates(), &[!premise, a, !b]);
        }
        Ok(true)
    }
}

/// Does the propositional solver know a bit of the term?
fn is_known(pool: &TermPool, flat: &Flattener, cnf: &Cnf, term: Term) -> bool {
    flat.known(pool, term)
        .is_some_and(|bits| bits.iter().any(|&bit| cnf.knows(flat.gates(), bit)))
}

/// Makes sure that the propositional solver knows all bits of the term.
fn need_bits(
    pool: &mut TermPool,
    flat: &mut Flattener,
    cnf: &mut Cnf,
    term: Term,
) -> Result<(), NotFlat> {
    for bit in flat.bits(pool, term)? {
        cnf.need(flat.gates(), bit);
    }
    Ok(())
}
