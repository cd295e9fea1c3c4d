//! The graph that the search is about: cut points of the program, the blocks between them, and what can be said there.

use super::{Cube, NAME, Search};
use ::induction::guide::UntilStopped;
use cfa::expr::{ExprId, VarId};
use cfa::place::Place;
use encoding::blocks::Layer;
use encoding::path::Path;
use encoding::state::State;
use facts::budget::SolverBudget;
use facts::engine::Reason;
use logic::{Solver, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// More places than this are not worth the time.
const MOST_SITES: usize = 300;

/// A cut point, with the blocks that begin there.
pub(super) struct Site {
    pub(super) place: Place,
    pub(super) state: State,
    /// Variables that decide what the blocks do.
    pub(super) relevant: Vec<VarId>,
    /// Statements about them that cubes may use, besides bounds.
    pub(super) vocabulary: Vec<ExprId>,
    pub(super) bad: Vec<Path>,
    /// Where the blocks lead, with the state there.
    pub(super) to: Vec<(usize, State)>,
    /// Sites whose blocks lead here, with the number among their targets.
    pub(super) from: Vec<(usize, usize)>,
    pub(super) blocked: Vec<(Cube, u32)>,
    pub(super) solver: Box<dyn Solver>,
}

impl Search<'_> {
    /// Finds the places and the blocks between them.
    pub(super) fn explore(&mut self) -> Result<(), Reason> {
        let mut numbers: BTreeMap<Place, usize> = BTreeMap::new();
        let start = self.blocks.start().pop_first();
        let (place, state) = start.expect("a layer of one state");
        self.add_site(place, state);
        let mut next = 0;
        while next < self.sites.len() {
            self.check_time()?;
            if self.sites.len() > MOST_SITES {
                return Err("too many places".into());
            }
            let site = &self.sites[next];
            let layer = Layer::from([(site.place.clone(), site.state.clone())]);
            let advance = self
                .blocks
                .advance(&layer, &mut UntilStopped(&self.budget.stop));
            self.check_time()?;
            let errors = advance.errors.into_iter().map(|error| error.path);
            let cuts = advance.cuts.into_iter().map(|cut| cut.path);
            self.sites[next].bad = errors.chain(cuts).collect();
            for (place, state) in advance.next {
                let target = match numbers.get(&place) {
                    Some(&number) => number,
                    None => {
                        let own = self.blocks.anywhere(&place).pop_first();
                        let (_, own) = own.expect("a layer of one state");
                        let number = self.add_site(place.clone(), own);
                        numbers.insert(place, number);
                        number
                    }
                };
                let count = self.sites[next].to.len();
                self.sites[target].from.push((next, count));
                self.sites[next].to.push((target, state));
            }
            next += 1;
        }
        self.board
            .count(NAME, "places", self.sites.len() as u64 - 1);
        Ok(())
    }

    fn add_site(&mut self, place: Place, state: State) -> usize {
        let solver = self.budget.make_solver(0);
        self.sites.push(Site {
            place,
            state,
            relevant: Vec::new(),
            vocabulary: Vec::new(),
            bad: Vec::new(),
            to: Vec::new(),
            from: Vec::new(),
            blocked: Vec::new(),
            solver,
        });
        self.sites.len() - 1
    }

    /// The variables that decide, directly or through later blocks, whether a violation is reached.
    pub(super) fn find_relevant(&mut self) {
        let program = self.program;
        let mut var_of: Vec<FxHashMap<Term, VarId>> = Vec::new();
        for site in &self.sites {
            let mut functions: FxHashSet<_> = FxHashSet::default();
            functions.insert(program.entry);
            for &call in &site.place.calls {
                functions.extend(cfa::place::callee(program, call));
            }
            let encoder = &mut self.blocks.unwinder.encoder;
            let mut terms = FxHashMap::default();
            for (number, var) in program.vars.iter().enumerate() {
                if var
                    .function
                    .is_none_or(|function| functions.contains(&function))
                {
                    let id = VarId(number as u32);
                    let term = site
                        .state
                        .value(program, &encoder.slots, &mut encoder.pool, id);
                    terms.insert(term, id);
                }
            }
            var_of.push(terms);
        }
        let mut relevant: Vec<FxHashSet<VarId>> = vec![FxHashSet::default(); self.sites.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for number in 0..self.sites.len() {
                let site = &self.sites[number];
                let mut terms: Vec<Term> = Vec::new();
                for path in &site.bad {
                    terms.extend(path.conjuncts_after(0));
                }
                for (target, state) in &site.to {
                    if relevant[*target].is_empty() {
                        continue;
                    }
                    terms.extend(state.path.conjuncts_after(0));
                    for &var in &relevant[*target] {
                        let encoder = &mut self.blocks.unwinder.encoder;
                        let value = state.value(program, &encoder.slots, &mut encoder.pool, var);
                        terms.push(value);
                    }
                }
                let free = self.blocks.unwinder.encoder.pool.free_vars_of(&terms);
                for term in free {
                    if let Some(&var) = var_of[number].get(&term) {
                        changed |= relevant[number].insert(var);
                    }
                }
            }
        }
        for (number, relevant) in relevant.iter().enumerate().skip(1) {
            let mut vars: Vec<VarId> = relevant.iter().copied().collect();
            vars.sort_unstable();
            let place = self.sites[number].place.clone();
            let vocabulary = self.candidates.vocabulary(&place, relevant);
            self.sites[number].relevant = vars;
            self.sites[number].vocabulary = vocabulary;
        }
    }
}
