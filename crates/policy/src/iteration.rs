//! The iteration: blocks improve bounds and policies until no block leaves the bounds.

use crate::PolicyOptions;
use crate::determination;
use crate::maximise::maximise;
use crate::templates::Template;
use absint::numeric::express::Writer;
use absint::numeric::translate::dimension;
use cfa::place::CallPattern;
use domains::linear::{Constraint, VarId as Dimension};
use facts::budget::{Budget, SolverBudget};
use facts::engine::Reason;
use facts::invariants::{Invariant, InvariantMap};
use induction::graph::{BlockGraph, BlockId, PlaceId, ROOT, Target};
use induction::hoare::{HoareChecker, Solvers, Step, Validity};
use logic::{Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// When a block is looked at.
type Order = (Reverse<usize>, Reverse<PlaceId>);

/// The name of what is found.
pub(crate) const NAME: &str = "policy";

/// What a template's value is at most at a place.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub value: i128,
    /// What gave the value.
    pub policy: Rc<Policy>,
    changes: u32,
}

/// One way through a block.
#[derive(Debug)]
pub(crate) struct Policy {
    pub block: BlockId,
    /// The atoms of the block's formulas, each as it is on the way.
    pub literals: Vec<Term>,
}

/// A template at a place.
pub(crate) type Unknown = (PlaceId, usize);

/// Bounds that hold already, by place.
pub type Known = BTreeMap<PlaceId, Vec<(Template, i128)>>;

/// What was done, for statistics.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub improvements: u64,
    pub determinations: u64,
}

pub struct Iteration<'g, 'p> {
    pub(crate) graph: &'g mut BlockGraph<'p>,
    pub(crate) options: &'g PolicyOptions,
    pub(crate) budget: &'g Budget,
    templates: FxHashMap<PlaceId, Rc<[Template]>>,
    known: &'g Known,
    outgoing: FxHashMap<PlaceId, Vec<BlockId>>,
    /// The places that blocks lead to from a place.
    reach: FxHashMap<PlaceId, FxHashSet<PlaceId>>,
    /// Absent: not reached so far.
    pub(crate) states: BTreeMap<PlaceId, Vec<Option<Bound>>>,
    starts: FxHashMap<PlaceId, Rc<[Term]>>,
    ends: FxHashMap<BlockId, Rc<[Term]>>,
    checker: HoareChecker,
    pub counts: Counts,
}

impl<'g, 'p> Iteration<'g, 'p> {
    /// Follows these blocks and no others, all of which lead to places.
    pub fn new(
        graph: &'g mut BlockGraph<'p>,
        blocks: &[BlockId],
        templates: impl Fn(PlaceId) -> Vec<Template>,
        known: &'g Known,
        options: &'g PolicyOptions,
        budget: &'g Budget,
    ) -> Iteration<'g, 'p> {
        let mut outgoing: FxHashMap<PlaceId, Vec<BlockId>> = FxHashMap::default();
        let mut next: FxHashMap<PlaceId, Vec<PlaceId>> = FxHashMap::default();
        let mut at: FxHashMap<PlaceId, Rc<[Template]>> = FxHashMap::default();
        for &id in blocks {
            let block = graph.block(id);
            if let Target::Place(target) = block.target {
                outgoing.entry(block.source).or_default().push(id);
                next.entry(block.source).or_default().push(target);
                at.entry(target).or_insert_with(|| templates(target).into());
            }
        }
        let places = next.keys().chain(at.keys()).copied();
        let reach = places.map(|place| (place, reached(&next, place))).collect();
        let solvers = budget.clone();
        let checker = HoareChecker::new(Solvers::PerStep, &budget.stop, move || {
            solvers.make_solver(0)
        });
        Iteration {
            graph,
            options,
            budget,
            templates: at,
            known,
            outgoing,
            reach,
            states: BTreeMap::new(),
            starts: FxHashMap::default(),
            ends: FxHashMap::default(),
            checker,
            counts: Counts::default(),
        }
    }

    /// Finds bounds that no block leaves.
    pub fn solve(&mut self) -> Result<(), Reason> {
        let mut queue: BTreeSet<(Order, BlockId)> = BTreeSet::new();
        self.enqueue(ROOT, &mut queue);
        while let Some((_, block)) = queue.pop_first() {
            if self.budget.is_exhausted() {
                return Err(Reason::out_of_time());
            }
            let Some(improved) = self.improve(block)? else {
                continue;
            };
            let mut changed = determination::determine(self, &improved)?;
            if let Target::Place(target) = self.graph.block(block).target {
                changed.insert(target);
            }
            for place in changed {
                self.enqueue(place, &mut queue);
            }
        }
        Ok(())
    }

    fn enqueue(&self, place: PlaceId, queue: &mut BTreeSet<(Order, BlockId)>) {
        for &block in self.outgoing.get(&place).into_iter().flatten() {
            if let Target::Place(target) = self.graph.block(block).target {
                queue.insert((self.order(target), block));
            }
        }
    }

    /// What comes later is looked at later; of the places that lead to one another those that were
    /// met last are first, which inner loops are.
    fn order(&self, target: PlaceId) -> Order {
        let after = self.reach.get(&target).map_or(0, FxHashSet::len);
        (Reverse(after), Reverse(target))
    }

    /// Do both places lie on one loop?
    pub(crate) fn is_cycle(&self, one: PlaceId, other: PlaceId) -> bool {
        let leads = |from: PlaceId, to: PlaceId| {
            let reach = self.reach.get(&from);
            reach.is_some_and(|reach| reach.contains(&to))
        };
        leads(one, other) && leads(other, one)
    }

    pub(crate) fn templates(&self, place: PlaceId) -> Rc<[Template]> {
        self.templates.get(&place).cloned().unwrap_or_default()
    }

    /// The values of the templates of a place in the state in which blocks from it begin.
    pub(crate) fn at_start(&mut self, place: PlaceId) -> Rc<[Term]> {
        if let Some(terms) = self.starts.get(&place) {
            return terms.clone();
        }
        let state = self.graph.start(place);
        let templates = self.templates(place);
        let encoder = self.graph.encoder();
        let terms = templates.iter().map(|each| each.value(encoder, &state));
        let terms: Rc<[Term]> = terms.collect();
        self.starts.insert(place, terms.clone());
        terms
    }

    /// The values of the templates of the block's target where the block ends.
    pub(crate) fn at_end(&mut self, block: BlockId, target: PlaceId) -> Result<Rc<[Term]>, Reason> {
        if let Some(terms) = self.ends.get(&block) {
            return Ok(terms.clone());
        }
        let mut terms = Vec::new();
        for template in self.templates(target).iter() {
            let end = |encoder: &mut _, state: &_| Some(template.value(encoder, state));
            let value = self.graph.at_end(block, end);
            terms.push(value.ok_or("a block has no end")?);
        }
        let terms: Rc<[Term]> = terms.into();
        self.ends.insert(block, terms.clone());
        Ok(terms)
    }

    /// What is known where blocks from the place begin, without what `unless` says.
    pub(crate) fn assumed(&mut self, place: PlaceId, unless: impl Fn(usize) -> bool) -> Vec<Term> {
        let mut assumed = Vec::new();
        for (template, value) in self.known.get(&place).into_iter().flatten() {
            let state = self.graph.start(place);
            let encoder = self.graph.encoder();
            let term = template.value(encoder, &state);
            assumed.push(at_most(&mut encoder.pool, term, *value));
        }
        let (terms, templates) = (self.at_start(place), self.templates(place));
        let bounds = self.states.get(&place).cloned().unwrap_or_default();
        for (number, bound) in bounds.into_iter().enumerate() {
            let Some(bound) = bound else { continue };
            if bound.value < templates[number].highest() && !unless(number) {
                assumed.push(at_most(self.graph.pool(), terms[number], bound.value));
            }
        }
        assumed
    }

    /// Raises the bounds at the block's target that executions of it leave, each to the greatest
    /// value that it gives: the templates whose policy has changed. `None` if nothing changes.
    fn improve(&mut self, id: BlockId) -> Result<Option<Vec<Unknown>>, Reason> {
        let block = self.graph.block(id);
        let (source, path) = (block.source, block.path.clone());
        let Target::Place(target) = block.target else {
            return Ok(None);
        };
        let (ends, templates) = (self.at_end(id, target)?, self.templates(target));
        let assumed = self.assumed(source, |_| false);
        let step = Step {
            key: id.0,
            path: &path,
        };
        let is_new = !self.states.contains_key(&target);
        if is_new {
            if !self.is_possible(step, &assumed, TermPool::TRUE)? {
                return Ok(None);
            }
            self.states.insert(target, vec![None; templates.len()]);
        }
        let mut improved: BTreeSet<usize> = BTreeSet::new();
        loop {
            let leaving = self.leaving(target, &ends);
            let any = leaving.iter().map(|&(_, leaves)| leaves);
            let any = self.graph.pool().or_all(any);
            if any == TermPool::FALSE || !self.is_possible(step, &assumed, any)? {
                break;
            }
            // An execution leaves the bounds: these, with these values.
            let mut found: Vec<(usize, i128)> = Vec::new();
            for (number, leaves) in leaving {
                let pool = self.graph.pool();
                if self.checker.holds(pool, id.0, leaves) == Some(true) {
                    found.push((number, self.value(id, ends[number])?));
                }
            }
            if found.is_empty() {
                return Err("the solver has no model of a block".into());
            }
            for (number, known) in found {
                let highest = templates[number].highest();
                let value = self.greatest(step, &assumed, ends[number], known, highest)?;
                let literals = self.resolve(step, &assumed, ends[number], value)?;
                let policy = Rc::new(Policy {
                    block: id,
                    literals,
                });
                self.raise((target, number), value, Some(policy));
                improved.insert(number);
            }
        }
        self.counts.improvements += improved.len() as u64;
        let changed = is_new || !improved.is_empty();
        let improved = improved.into_iter().map(|number| (target, number));
        Ok(changed.then(|| improved.collect()))
    }

    /// For each template of the place: what says that its value is above the bound, unless none is.
    fn leaving(&mut self, place: PlaceId, values: &[Term]) -> Vec<(usize, Term)> {
        let templates = self.templates(place);
        let bounds = self.states.get(&place).cloned().unwrap_or_default();
        let mut found = Vec::new();
        for (number, bound) in bounds.iter().enumerate() {
            let leaves = match bound {
                None => TermPool::TRUE,
                Some(bound) if bound.value >= templates[number].highest() => continue,
                Some(bound) => {
                    let pool = self.graph.pool();
                    let within = at_most(pool, values[number], bound.value);
                    pool.not(within)
                }
            };
            found.push((number, leaves));
        }
        found
    }

    /// Raises a bound. With a policy it is that policy's; without, it stays the one of before.
    pub(crate) fn raise(
        &mut self,
        (place, number): Unknown,
        value: i128,
        policy: Option<Rc<Policy>>,
    ) {
        let highest = self.templates(place)[number].highest();
        let Some(slot) = (self.states.get_mut(&place)).and_then(|bounds| bounds.get_mut(number))
        else {
            return;
        };
        match (slot.as_mut(), policy) {
            (Some(bound), policy) => {
                bound.changes += 1;
                bound.policy = policy.unwrap_or_else(|| bound.policy.clone());
                bound.value = match bound.changes > self.options.patience {
                    true => highest,
                    false => value,
                };
            }
            (None, Some(policy)) => {
                *slot = Some(Bound {
                    value,
                    policy,
                    changes: 0,
                });
            }
            (None, None) => {}
        }
    }

    /// Can the block be passed so that the condition holds?
    fn is_possible(
        &mut self,
        step: Step<'_>,
        assumed: &[Term],
        condition: Term,
    ) -> Result<bool, Reason> {
        let pool = self.graph.pool();
        let otherwise = pool.not(condition);
        match self.checker.ask(pool, step, assumed, otherwise) {
            Validity::Valid => Ok(false),
            Validity::Invalid => Ok(true),
            Validity::Unknown(why) => Err(Reason::of_solver(self.budget, &why)),
        }
    }

    /// The value of a term in the execution of the block that was just found.
    fn value(&mut self, block: BlockId, term: Term) -> Result<i128, Reason> {
        let value = self.checker.value(self.graph.pool(), block.0, term);
        value
            .and_then(|value| value.as_bv()?.to_i128())
            .ok_or_else(|| "the solver has no value of a template".into())
    }

    /// The greatest value that the term has where the block ends.
    fn greatest(
        &mut self,
        step: Step<'_>,
        assumed: &[Term],
        term: Term,
        known: i128,
        highest: i128,
    ) -> Result<i128, Reason> {
        if self.graph.pool().is_const(term) {
            return Ok(known);
        }
        let (pool, checker) = (self.graph.pool(), &mut self.checker);
        let found = maximise(
            |least| {
                let below = at_most(pool, term, least - 1);
                match checker.ask(pool, step, assumed, below) {
                    Validity::Valid => Ok(None),
                    Validity::Invalid => {
                        let value = checker.value(pool, step.key, term);
                        Ok(value.and_then(|value| value.as_bv()?.to_i128()))
                    }
                    Validity::Unknown(why) => Err(why),
                }
            },
            known,
            highest,
        );
        found.map_err(|why| Reason::of_solver(self.budget, &why))
    }

    /// A way through the block on which the term gets the value: the atoms of the path and of the
    /// term as they are on it.
    fn resolve(
        &mut self,
        step: Step<'_>,
        assumed: &[Term],
        term: Term,
        value: i128,
    ) -> Result<Vec<Term>, Reason> {
        let mut roots = step.path.to_vec();
        roots.push(term);
        let atoms = atoms(self.graph.pool(), &roots);
        if atoms.is_empty() {
            return Ok(Vec::new());
        }
        let below = at_most(self.graph.pool(), term, value - 1);
        let reached = self.graph.pool().not(below);
        if !self.is_possible(step, assumed, reached)? {
            return Err("the solver has lost an execution".into());
        }
        let mut literals = Vec::new();
        for atom in atoms {
            let pool = self.graph.pool();
            match self.checker.holds(pool, step.key, atom) {
                Some(true) => literals.push(atom),
                Some(false) => literals.push(pool.not(atom)),
                None => {}
            }
        }
        Ok(literals)
    }

    /// Where a block leads.
    pub fn target(&self, id: BlockId) -> Target {
        self.graph.block(id).target.clone()
    }

    /// Can the block be passed from within the bounds?
    pub fn can_pass(&mut self, id: BlockId) -> Result<bool, Reason> {
        let block = self.graph.block(id);
        let (source, path) = (block.source, block.path.clone());
        if source != ROOT && !self.states.contains_key(&source) {
            return Ok(false);
        }
        let assumed = self.assumed(source, |_| false);
        let step = Step {
            key: id.0,
            path: &path,
        };
        self.is_possible(step, &assumed, TermPool::TRUE)
    }

    /// The bounds that say more than the types do; nothing of places that are not reached.
    pub fn bounds(&self) -> Known {
        let mut found = Known::new();
        for (&place, bounds) in &self.states {
            let templates = self.templates(place);
            let bounds = templates.iter().zip(bounds);
            let said = bounds.filter_map(|(template, bound)| {
                let value = bound.as_ref()?.value;
                (value < template.highest()).then(|| (template.clone(), value))
            });
            found.insert(place, said.collect());
        }
        found
    }
}

/// What the bounds say of each place, as facts; whether something could not be said. Of places that
/// were met and have no bounds: that they are not reached.
pub fn map_of(graph: &BlockGraph<'_>, places: &[PlaceId], known: &Known) -> (InvariantMap, bool) {
    let mut writer = Writer::new(graph.program());
    let mut entries = Vec::new();
    for &place in places {
        let holds = match known.get(&place) {
            None => writer.pool.bool_constant(false),
            Some(bounds) => {
                let said = constraints(bounds);
                let said = said.iter().filter_map(|each| writer.constraint(each));
                let said: Vec<_> = said.collect();
                writer.all(said)
            }
        };
        let at = graph.place(place);
        entries.push(Invariant {
            calls: CallPattern::Exactly(at.calls.clone()),
            location: at.location,
            holds,
        });
    }
    let lost = writer.take_lost();
    let map = InvariantMap {
        by: NAME.into(),
        pool: writer.pool,
        entries,
    };
    (map, lost)
}

/// The bounds as constraints; two opposite ones that meet are one equation.
fn constraints(bounds: &[(Template, i128)]) -> Vec<Constraint> {
    let mut found = Vec::new();
    for (number, (template, value)) in bounds.iter().enumerate() {
        let is_opposite =
            |(other, bound): &(Template, i128)| *bound == -value && other.is_opposite(template);
        let terms: Vec<(Dimension, i128)> = (template.terms().iter())
            .map(|&(var, factor)| (dimension(var), factor))
            .collect();
        let constant = -value;
        if bounds[..number].iter().any(is_opposite) {
            continue;
        }
        found.push(match bounds[number + 1..].iter().any(is_opposite) {
            true => Constraint::Zero { terms, constant },
            false => Constraint::AtMostZero { terms, constant },
        });
    }
    found
}

/// `term <= value`, also for values that the term cannot have.
pub(crate) fn at_most(pool: &mut TermPool, term: Term, value: i128) -> Term {
    let half = 1i128 << (pool.width(term) - 1);
    if value < -half || value >= half {
        return pool.bool(value > 0);
    }
    let value = pool.bv_signed(pool.width(term), value);
    pool.sle(term, value)
}

/// The conditions that terms are made of: all of them that are not made of others by negation,
/// conjunction and choice.
fn atoms(pool: &TermPool, roots: &[Term]) -> Vec<Term> {
    let mut found = pool.postorder(roots);
    found.retain(|&term| {
        let is_made = matches!(pool.op(term), Op::True | Op::Not | Op::And | Op::Ite);
        pool.sort(term) == Sort::Bool && !is_made
    });
    found
}

/// What blocks lead to from a place.
fn reached(next: &FxHashMap<PlaceId, Vec<PlaceId>>, from: PlaceId) -> FxHashSet<PlaceId> {
    let mut found = FxHashSet::default();
    let mut work = vec![from];
    while let Some(place) = work.pop() {
        for &target in next.get(&place).into_iter().flatten() {
            if found.insert(target) {
                work.push(target);
            }
        }
    }
    found
}
