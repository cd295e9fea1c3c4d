//! Relative inductiveness of a cube with respect to an edge, in the two forms of the thesis.
//!
//! | thesis | here |
//! |---|---|
//! | `relInd(F, e, c)`, definition 4.2.1 | [`Search::by_transition`]: partial commands at once |
//! | `relIndAlt(F, e, c)`, definition 5.3.1 | [`Search::by_preconditions`]: those that are open, cached |
//! | lemma 5.5.1 | [`Search::blocked_precondition`] |
//!
//! Where the edge leads from a place to itself, the negation of the cube is assumed before it; then
//! a refutation that used it says nothing about a cube with fewer literals, which has a weaker
//! negation.

use super::Search;
use super::graph::START;
use super::implied::Pinned;
use super::joined::JOINED;
use super::options::Inductiveness;
use super::wep::Precondition;
use facts::engine::Reason;
use logic::{Answer, Cube, Term};
use rustc_hash::FxHashMap;
use std::time::Instant;

/// Why no partial command of an edge leads into a cube.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Refutation {
    /// Literals that are enough, if the negation was not used.
    pub(super) needed: Cube,
    /// Was it used that the cube is blocked before the edge, too?
    pub(super) uses_negation: bool,
}

impl Default for Refutation {
    fn default() -> Self {
        Refutation {
            needed: Cube::empty(),
            uses_negation: false,
        }
    }
}

impl Refutation {
    fn add(&mut self, other: &Refutation) {
        self.needed = self.needed.union(&other.needed);
        self.uses_negation |= other.uses_negation;
    }
}

/// A partial command that leads into a cube.
pub(super) struct Predecessor {
    pub(super) link: usize,
    pub(super) partial: usize,
    /// From where; at [`START`], from everywhere.
    pub(super) cube: Cube,
}

pub(super) enum Consecution {
    Inductive(Refutation),
    Not(Vec<Predecessor>),
}

/// Why a partial command does not lead into a cube; otherwise its precondition.
type Refuted = Result<Result<Refutation, Cube>, Reason>;

impl Search<'_> {
    /// Is the frame of the node empty at this level, as far as it is known without asking?
    pub(super) fn is_bottom(&self, node: usize, level: u32) -> bool {
        if node == START {
            return false;
        }
        level == 0 || self.options.section_5_1_distances && level < self.nodes[node].distance
    }

    /// The index of the frame before an edge, where that behind it has this one.
    pub(super) fn before(&self, link: usize, level: u32) -> u32 {
        level.saturating_sub(self.links[link].cost)
    }

    /// Asks the node's solver, with the frame of the level.
    fn ask(&mut self, node: usize, level: u32, conditions: &[Term]) -> Result<Answer, Reason> {
        self.check_budget()?;
        self.statistics.asked();
        self.ask_uncounted(node, level, conditions)
    }

    pub(super) fn ask_uncounted(
        &mut self,
        node: usize,
        level: u32,
        more: &[Term],
    ) -> Result<Answer, Reason> {
        let mut conditions = Vec::with_capacity(more.len() + 1);
        if node != START {
            conditions.push(self.switch(level));
        }
        conditions.extend(more);
        self.answer(node, &conditions)
    }

    /// Asks the node's solver, with the frames that the conditions switch on.
    pub(super) fn ask_under(&mut self, node: usize, conditions: &[Term]) -> Result<Answer, Reason> {
        self.check_budget()?;
        self.statistics.asked();
        self.answer(node, conditions)
    }

    pub(super) fn answer(&mut self, node: usize, conditions: &[Term]) -> Result<Answer, Reason> {
        self.prepare_solver(node);
        let solver = self.solvers[node].as_mut().expect("it was prepared");
        let started = Instant::now();
        let answer = solver.check(&mut self.encoder.pool, conditions);
        self.statistics.solver_time += started.elapsed();
        match answer {
            Answer::Unknown(why) => Err(Reason::of_solver(self.budget, &why)),
            answer => Ok(answer),
        }
    }

    /// What the latest refutation of the node's solver used of these conditions.
    fn core(&self, node: usize, of: &Cube) -> Cube {
        let core = self.solvers[node]
            .as_ref()
            .map_or(&[][..], |solver| solver.core());
        of.filtered(|literal| core.contains(&literal))
    }

    fn used(&self, node: usize, term: Term) -> bool {
        let mut solver = self.solvers[node].iter();
        solver.any(|solver| solver.core().contains(&term))
    }

    /// That the cube is blocked before the edge, where that may be assumed.
    pub(super) fn negation(&mut self, link: usize, cube: &Cube) -> Option<Term> {
        let is_loop = self.links[link].source == self.links[link].target;
        is_loop.then(|| cube.negation(&mut self.encoder.pool))
    }

    /// Is the cube, to be blocked at the level, inductive relative to the edge?
    pub(super) fn inductive(
        &mut self,
        link: usize,
        cube: &Cube,
        level: u32,
    ) -> Result<Option<Refutation>, Reason> {
        if self.is_bottom(self.links[link].source, self.before(link, level)) {
            return Ok(Some(Refutation::default()));
        }
        match self.options.section_5_3_inductiveness {
            Inductiveness::Transitions => self.by_transition(link, cube, level),
            Inductiveness::Preconditions => self.by_preconditions(link, cube, level),
        }
    }

    pub(super) fn by_transition(
        &mut self,
        link: usize,
        cube: &Cube,
        level: u32,
    ) -> Result<Option<Refutation>, Reason> {
        let source = self.links[link].source;
        let before = self.before(link, level);
        self.join_partials(link);
        let Some(joined) = &self.links[link].joined else {
            return Ok(Some(Refutation::default()));
        };
        let path = joined.path.term(&mut self.encoder.pool);
        let mut conditions = vec![path];
        let negation = self.negation(link, cube);
        conditions.extend(negation);
        for &literal in cube.literals() {
            conditions.extend(&self.image(link, JOINED, literal)[..]);
        }
        if !self.ask(source, before, &conditions)?.is_unsat() {
            return Ok(None);
        }
        let uses_negation = negation.is_some_and(|term| self.used(source, term));
        let mut needed = Vec::new();
        for &literal in cube.literals() {
            let image = self.image(link, JOINED, literal);
            if image.iter().any(|&term| self.used(source, term)) {
                needed.push(literal);
            }
        }
        Ok(Some(Refutation {
            needed: needed.into_iter().collect(),
            uses_negation,
        }))
    }

    pub(super) fn by_preconditions(
        &mut self,
        link: usize,
        cube: &Cube,
        level: u32,
    ) -> Result<Option<Refutation>, Reason> {
        let (mut all, open) = self.settle(link, cube, level)?;
        if !open.is_empty() && self.is_entered(link, &open, cube, level) {
            self.statistics.saved("models", 1);
            self.check_entered(link, &open, cube, level)?;
            return Ok(None);
        }
        let answer = match &open[..] {
            [] => return Ok(Some(all)),
            [(partial, precondition)] => self.ask_one(link, *partial, cube, level, precondition)?,
            open => self.ask_together(link, open, cube, level)?,
        };
        if answer.is_none() {
            self.remember_state(link, &open);
        }
        Ok(answer.map(|refutation| {
            all.add(&refutation);
            all
        }))
    }

    /// Refutes the partial commands that need no question; the others, with their preconditions.
    fn settle(
        &mut self,
        link: usize,
        cube: &Cube,
        level: u32,
    ) -> Result<(Refutation, Vec<(usize, Cube)>), Reason> {
        let mut all = Refutation::default();
        let mut open = Vec::new();
        for partial in 0..self.links[link].partials.len() {
            match self.without_question(link, partial, cube, level)? {
                Ok(refutation) => all.add(&refutation),
                Err(precondition) => open.push((partial, precondition)),
            }
        }
        Ok((all, open))
    }

    /// Why the partial command does not lead into the cube, if that shows without a question;
    /// otherwise its precondition.
    fn without_question(
        &mut self,
        link: usize,
        partial: usize,
        cube: &Cube,
        level: u32,
    ) -> Refuted {
        let precondition = match self.precondition(link, partial, cube) {
            Precondition::Never(needed) => {
                self.statistics.saved_in_main_loop();
                return Ok(Ok(Refutation {
                    needed,
                    uses_negation: false,
                }));
            }
            Precondition::Cube(precondition) => precondition,
        };
        let source = self.links[link].source;
        let before = self.before(link, level);
        if self.options.section_5_5_predecessor_cubes
            && let Some(blocked) = self.blocked_precondition(source, &precondition, before)
        {
            self.statistics.saved("5.5", 1);
            self.statistics.saved_in_main_loop();
            let needed = self.inverse(link, partial, cube, &blocked);
            self.check_law(link, partial, cube, level, "5.5")?;
            return Ok(Ok(Refutation {
                needed,
                uses_negation: false,
            }));
        }
        Ok(Err(precondition))
    }

    /// An earlier refutation of the question, unless the frame became weaker since.
    fn refuted_before(&mut self, source: usize, question: &Cube, level: u32) -> Option<Cube> {
        if self.options.section_5_3_inductiveness == Inductiveness::Transitions {
            return None;
        }
        let (known, core) = self.refuted.get(&(source, question.clone()))?;
        let is_valid = source == START || *known >= level;
        let core = is_valid.then(|| core.clone())?;
        self.statistics.saved("5.3", 1);
        self.statistics.saved_in_main_loop();
        Some(core)
    }

    /// Why the partial command with this precondition does not lead into the cube; otherwise the
    /// source's solver has a model of the precondition then.
    fn ask_one(
        &mut self,
        link: usize,
        partial: usize,
        cube: &Cube,
        level: u32,
        precondition: &Cube,
    ) -> Result<Option<Refutation>, Reason> {
        let source = self.links[link].source;
        let before = self.before(link, level);
        let negation = self.negation(link, cube);
        let question = match negation {
            Some(negation) => precondition.union(&Cube::from_iter([negation])),
            None => precondition.clone(),
        };
        if let Some(core) = self.refuted_before(source, &question, before) {
            return Ok(Some(self.refutation(link, partial, cube, negation, &core)));
        }
        if !self.ask(source, before, question.literals())?.is_unsat() {
            return Ok(None);
        }
        let core = self.core(source, &question);
        let refutation = self.refutation(link, partial, cube, negation, &core);
        if self.options.section_5_3_inductiveness == Inductiveness::Preconditions {
            self.refuted.insert((source, question), (before, core));
        }
        Ok(Some(refutation))
    }

    /// Why none of the partial commands leads into the cube, by one question: `wep(cmd, c)` is the
    /// disjunction of their preconditions, and [`chosen`](Search::chosen) says which one holds.
    fn ask_together(
        &mut self,
        link: usize,
        open: &[(usize, Cube)],
        cube: &Cube,
        level: u32,
    ) -> Result<Option<Refutation>, Reason> {
        let source = self.links[link].source;
        let before = self.before(link, level);
        let (mut question, images) = self.question_together(link, open, cube);
        let negation = self.negation(link, cube);
        question.extend(negation);
        let question = Cube::from_iter(question);
        let core = match self.refuted_before(source, &question, before) {
            Some(core) => core,
            None => {
                if !self.ask(source, before, question.literals())?.is_unsat() {
                    return Ok(None);
                }
                let core = self.core(source, &question);
                self.refuted
                    .insert((source, question), (before, core.clone()));
                core
            }
        };
        let needed = images
            .into_iter()
            .filter(|&(_, image)| core.contains(image));
        Ok(Some(Refutation {
            needed: needed.map(|(literal, _)| literal).collect(),
            uses_negation: negation.is_some_and(|term| core.contains(term)),
        }))
    }

    /// Why the partial command does not lead into the cube; otherwise its precondition, of which
    /// the source's solver has a model then.
    fn refute(&mut self, link: usize, partial: usize, cube: &Cube, level: u32) -> Refuted {
        let precondition = match self.without_question(link, partial, cube, level)? {
            Ok(refutation) => return Ok(Ok(refutation)),
            Err(precondition) => precondition,
        };
        let answer = self.ask_one(link, partial, cube, level, &precondition)?;
        Ok(answer.ok_or(precondition))
    }

    fn refutation(
        &mut self,
        link: usize,
        partial: usize,
        cube: &Cube,
        negation: Option<Term>,
        core: &Cube,
    ) -> Refutation {
        let uses_negation = negation.is_some_and(|term| core.contains(term));
        let images = core.filtered(|literal| Some(literal) != negation);
        Refutation {
            needed: self.inverse(link, partial, cube, &images),
            uses_negation,
        }
    }

    /// A cube that the frame blocks and that blocks the precondition (lemma 5.5.1).
    pub(super) fn blocked_precondition(
        &self,
        source: usize,
        precondition: &Cube,
        level: u32,
    ) -> Option<Cube> {
        let known = self.blocked_preconditions(source, precondition, level);
        known.into_iter().min_by_key(Cube::len)
    }

    /// All cubes that the frame blocks and that block the precondition, as parts of it.
    pub(super) fn blocked_preconditions(
        &self,
        source: usize,
        precondition: &Cube,
        level: u32,
    ) -> Vec<Cube> {
        if source == START {
            return Vec::new();
        }
        let extended = self.with_implied(source, precondition);
        let known = self.frames[source].at(level);
        let known = known.filter(|known| known.subsumes(&extended));
        if extended.len() == precondition.len() {
            return known.cloned().collect();
        }
        // What is implied stands for the equalities that imply it.
        let pool = &self.encoder.pool;
        let pinned = Pinned::of(pool, precondition.literals());
        let said = |&literal: &Term| match precondition.contains(literal) {
            true => vec![literal],
            false => pinned
                .decide(pool, literal)
                .map_or_else(Vec::new, |decided| decided.because),
        };
        let known = known.map(|known| known.literals().iter().flat_map(said).collect());
        known.collect()
    }

    /// Whether the cube is inductive relative to the edge, and if not, from where it is entered.
    pub(super) fn consecution(
        &mut self,
        link: usize,
        cube: &Cube,
        level: u32,
    ) -> Result<Consecution, Reason> {
        let source = self.links[link].source;
        if self.is_bottom(source, self.before(link, level)) {
            return Ok(Consecution::Inductive(Refutation::default()));
        }
        match self.options.section_5_3_inductiveness {
            Inductiveness::Transitions => self.consecution_by_transition(link, cube, level),
            Inductiveness::Preconditions => self.consecution_by_preconditions(link, cube, level),
        }
    }

    fn consecution_by_transition(
        &mut self,
        link: usize,
        cube: &Cube,
        level: u32,
    ) -> Result<Consecution, Reason> {
        if let Some(refutation) = self.by_transition(link, cube, level)? {
            return Ok(Consecution::Inductive(refutation));
        }
        let mut all = Refutation::default();
        let mut found = Vec::new();
        for partial in 0..self.links[link].partials.len() {
            match self.refute(link, partial, cube, level)? {
                Ok(refutation) => all.add(&refutation),
                Err(precondition) => found.push(self.predecessor(link, partial, &precondition)),
            }
        }
        Ok(match found.is_empty() {
            true => Consecution::Inductive(all),
            false => Consecution::Not(found),
        })
    }

    /// One question finds at least one predecessor, or that there are no more.
    fn consecution_by_preconditions(
        &mut self,
        link: usize,
        cube: &Cube,
        level: u32,
    ) -> Result<Consecution, Reason> {
        let (mut all, mut open) = self.settle(link, cube, level)?;
        let mut found: Vec<Predecessor> = Vec::new();
        let mut lifted = None;
        while !open.is_empty() {
            if let [(partial, precondition)] = &open[..] {
                let (partial, precondition) = (*partial, precondition.clone());
                match self.ask_one(link, partial, cube, level, &precondition)? {
                    Some(refutation) => all.add(&refutation),
                    None => {
                        let weaker = self.lift(link, partial, cube, precondition, &mut lifted);
                        found.push(self.predecessor(link, partial, &weaker));
                    }
                }
                break;
            }
            if let Some(refutation) = self.ask_together(link, &open, cube, level)? {
                all.add(&refutation);
                break;
            }
            let before = open.len();
            for (partial, precondition) in std::mem::take(&mut open) {
                if self.is_chosen(link, partial) {
                    let weaker = self.lift(link, partial, cube, precondition, &mut lifted);
                    found.push(self.predecessor(link, partial, &weaker));
                } else {
                    open.push((partial, precondition));
                }
            }
            // From all states of these the command leads into the cube, if by another way.
            if self.options.lifting && self.links[link].source != START {
                let known = |one: &Cube| found.iter().any(|known| known.cube.subsumes(one));
                let left = open.len();
                open.retain(|(partial, precondition)| {
                    self.links[link].partials[*partial].beyond.is_some() || !known(precondition)
                });
                self.statistics.saved("lifting", (left - open.len()) as u64);
            }
            if open.len() == before {
                return Err("a model chooses no partial command, please report this".into());
            }
        }
        for weaker in lifted.into_iter().flat_map(FxHashMap::into_values) {
            self.check_lifted(link, &weaker, cube)?;
        }
        // Errors come before what has no formula, as the partial commands do.
        found.sort_by_key(|predecessor| predecessor.partial);
        Ok(match found.is_empty() {
            true => Consecution::Inductive(all),
            false => Consecution::Not(found),
        })
    }

    pub(super) fn predecessor(
        &mut self,
        link: usize,
        partial: usize,
        precondition: &Cube,
    ) -> Predecessor {
        let cube = match self.links[link].source {
            START => Cube::empty(),
            source => self.predecessor_cube(source, precondition),
        };
        Predecessor {
            link,
            partial,
            cube,
        }
    }
}
