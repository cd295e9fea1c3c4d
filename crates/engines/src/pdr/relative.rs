//! Induction relative to facts, for whoever has a cube that it wants to be unreachable: one level, and no frames.

use super::sites::Site;
use super::{Cube, OWN, Search};
use cfa::expr::{ExprId, ExprPool, Node, VarId};
use cfa::place::Place;
use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::{NoBoard, Reason};
use facts::invariants::InvariantMap;
use rustc_hash::FxHashSet;

/// A level whose blocks may begin at any site.
const LEVEL: u32 = 2;

pub(crate) struct Relative<'a>(Search<'a>);

impl<'a> Relative<'a> {
    pub(crate) fn new(program: &'a Program, budget: &'a Budget) -> Result<Relative<'a>, Reason> {
        let mut search = Search::new(program, &NoBoard, budget, u64::MAX);
        search.explore()?;
        search.find_relevant();
        Ok(Relative(search))
    }

    fn site(&self, place: &Place) -> Option<usize> {
        let mut sites = self.0.sites.iter().skip(1);
        sites.position(|site| site.place == *place).map(|at| at + 1)
    }

    /// The loop heads and call strings.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Place> {
        self.0.sites.iter().skip(1).map(|site| &site.place)
    }

    /// Where the statements of this lie.
    pub(crate) fn pool(&self) -> &ExprPool {
        &self.0.candidates.pool
    }

    pub(crate) fn negation(&mut self, statement: ExprId) -> ExprId {
        self.0.candidates.pool.not(statement)
    }

    /// The variables that decide what happens after a place.
    pub(crate) fn relevant(&self, place: &Place) -> Vec<VarId> {
        let site = self.site(place);
        site.map_or_else(Vec::new, |site| self.0.sites[site].relevant.clone())
    }

    /// What might be said of these variables there.
    pub(crate) fn statements(&mut self, place: &Place) -> Vec<ExprId> {
        let Some(site) = self.site(place) else {
            return Vec::new();
        };
        let Site {
            relevant,
            vocabulary,
            ..
        } = &self.0.sites[site];
        let relevant: FxHashSet<VarId> = relevant.iter().copied().collect();
        let mut statements = vocabulary.clone();
        let guessed = self.0.candidates.at(place);
        let pool = &self.0.candidates.pool;
        statements.extend(guessed.into_iter().filter(|&id| {
            let mut variables = variables(pool, id).into_iter();
            variables.all(|var| relevant.contains(&var))
        }));
        statements
    }

    /// That a variable has a value.
    pub(crate) fn bounds(&mut self, var: VarId, bits: u128) -> Vec<ExprId> {
        let ty = self.0.program.var(var).ty;
        self.0.candidates.bounds(var, ty, bits)
    }

    /// Takes a map for granted.
    pub(crate) fn learn(&mut self, map: &InvariantMap) {
        self.0.learn(map);
    }

    /// A statement that excludes the cube and holds whenever an execution is at the place, given what was learned; from
    /// now on it is among that.
    pub(crate) fn excluded(&mut self, place: &Place, cube: Cube) -> Result<Option<ExprId>, Reason> {
        let Some(site) = self.site(place) else {
            return Ok(None);
        };
        let search = &mut self.0;
        let mut cube = cube;
        cube.retain(|&literal| search.literal((site, OWN), literal).is_some());
        cube.sort_unstable();
        cube.dedup();
        if search.is_unreachable(site, &cube, LEVEL)?.is_none() {
            return Ok(None);
        }
        let cube = search.generalise(site, cube, LEVEL)?;
        let terms: Option<Vec<_>> = cube
            .iter()
            .map(|&literal| search.literal((site, OWN), literal))
            .collect();
        let pool = &mut search.blocks.unwinder.encoder.pool;
        let inside = pool.and_all(terms.unwrap_or_default());
        let outside = pool.not(inside);
        search.sites[site].solver.assert(pool, outside);
        let pool = &mut search.candidates.pool;
        let all = pool.bool_constant(true);
        let inside = cube.iter().fold(all, |all, &part| pool.and(all, part));
        Ok(Some(pool.not(inside)))
    }
}

fn variables(pool: &ExprPool, root: ExprId) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    let (mut seen, mut stack) = (FxHashSet::default(), vec![root]);
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            let node = pool.node(id);
            if let Node::Var(var) = node {
                found.insert(var);
            }
            stack.extend(node.children());
        }
    }
    found
}
