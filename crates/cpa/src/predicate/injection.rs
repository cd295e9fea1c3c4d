//! Invariants that others proved, put into this analysis (000, sections 5.1 and 5.3).
//!
//! | 000 | here |
//! |---|---|
//! | precision increment, `π ∪ inv` | [`Injection::Precision`]: atoms along the refuted path |
//! | `ψ' = (φ ∧ ψ ∧ inv)^π`, then `φ = inv` | [`Injection::PathFormula`]: at the end and at the start of blocks |
//! | `ψ' = (φ ∧ ψ)^π ∧ inv` | [`Injection::AbstractionFormula`]: at the start of blocks, and when states are compared |
//! | `updateGlobalInvariants` | [`Analysis::take_facts`]: before the first step and in refinements |
//! | `getInvariantFor` | [`Analysis::know_facts_of`] |
//!
//! Between two refinements the analysis sees one version of the board (section 5.3.1). A proof that may have used facts
//! carries all of the maps that they come from, because the maps are inductive as a whole and not fact by fact.
//!
//! Deviations: a map that speaks of places inside blocks is left alone, since the proof could not say it there. Of facts
//! for the precision only those over variables are taken that the refuted path depends on, because each predicate costs
//! time in every abstraction (the harm that sections 6.4.1 and 8.2 report).

use super::analysis::Analysis;
use super::blocks::{PlaceId, ROOT};
use super::candidates;
use super::trace::Trace;
use cfa::expr::{BinOp, ExprId, Node, VarId};
use encoding::vocabulary;
use facts::invariants::InvariantMap;
use logic::{Answer, Solver, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where invariants go (000, section 5.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injection {
    Precision,
    PathFormula,
    AbstractionFormula,
}

/// Predicates that facts bring to one place in one refinement.
const MOST_PREDICATES: usize = 16;

/// The facts in use: one version of the board.
#[derive(Default)]
pub struct Injected {
    /// Publications seen.
    version: usize,
    maps: Vec<Arc<InvariantMap>>,
    /// For places, how many of the maps were put into formulas.
    known: FxHashMap<PlaceId, usize>,
    /// Compares states under the facts of their place.
    solver: Option<Box<dyn Solver>>,
}

impl Analysis<'_> {
    fn injects(&self, where_to: Injection) -> bool {
        self.options.inject.contains(&where_to)
    }

    pub(super) fn injects_formulas(&self) -> bool {
        self.injects(Injection::PathFormula) || self.injects(Injection::AbstractionFormula)
    }

    /// Makes the board's present version the one in use; `true` if it is a newer one.
    pub(super) fn take_facts(&mut self) -> bool {
        if self.options.inject.is_empty() || self.board.version() == self.injected.version {
            return false;
        }
        let facts = self.board.facts();
        let new = facts.maps.iter().skip(self.injected.version);
        let usable: Vec<Arc<InvariantMap>> = new
            .filter(|map| {
                let mut entries = map.entries.iter();
                entries.all(|entry| self.graph.is_cut(entry.location))
            })
            .cloned()
            .collect();
        self.injected.version = facts.version();
        let is_news = !usable.is_empty();
        self.injected.maps.extend(usable);
        is_news
    }

    /// What the maps from the given one on say of a place: conjuncts, in the predicates' pool.
    fn conjuncts_at(&mut self, place: PlaceId, from: usize) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        for map in &self.injected.maps[from..] {
            let at = self.graph.place(place);
            for holds in map.at(&at.calls, at.location) {
                let exprs = &mut self.predicates.exprs;
                let mut work = vec![exprs.import(&map.pool, holds)];
                while let Some(expr) = work.pop() {
                    match exprs.node(expr) {
                        Node::Binary(BinOp::BoolAnd, a, b) => work.extend([b, a]),
                        Node::Const(1) => {}
                        _ if seen.insert(expr) => found.push(expr),
                        _ => {}
                    }
                }
            }
        }
        found
    }

    /// Puts the facts of a place into formulas, as far as they are not there; `true` if there are new ones.
    pub(super) fn know_facts_of(&mut self, place: PlaceId) -> bool {
        if place == ROOT || !self.injects_formulas() {
            return false;
        }
        let count = self.injected.maps.len();
        let from = self.injected.known.insert(place, count).unwrap_or(0);
        if from >= count {
            return false;
        }
        let at_ends = self.injects(Injection::PathFormula);
        let mut any = false;
        for fact in self.conjuncts_at(place, from) {
            let Some(term) = self.predicates.start_term(&mut self.graph, place, fact) else {
                continue;
            };
            if self.is_implied(place, term) {
                continue;
            }
            any |= self
                .abstractions
                .add_fact(place, term, at_ends.then_some(fact));
        }
        any
    }

    /// Do the facts of the place say so already?
    fn is_implied(&mut self, place: PlaceId, term: Term) -> bool {
        let mut question = self.abstractions.facts(place).to_vec();
        if question.is_empty() {
            return false;
        }
        question.push(self.graph.pool().not(term));
        self.is_contradictory(&question)
    }

    /// Under the facts of the place, does the first abstract state imply the second?
    pub(super) fn is_implied_with_facts(
        &mut self,
        place: PlaceId,
        stronger: logic::bdd::Bdd,
        weaker: logic::bdd::Bdd,
    ) -> bool {
        if !self.injects(Injection::AbstractionFormula) || self.abstractions.facts(place).is_empty()
        {
            return false;
        }
        let (graph, predicates) = (&mut self.graph, &mut self.predicates);
        let mut question = self
            .abstractions
            .condition(graph, predicates, place, stronger);
        let weaker = self
            .abstractions
            .condition(graph, predicates, place, weaker);
        let weaker = graph.pool().and_all(weaker);
        question.push(graph.pool().not(weaker));
        self.is_contradictory(&question)
    }

    fn is_contradictory(&mut self, question: &[Term]) -> bool {
        let solving = &self.graph.solving;
        let solver = &mut self.injected.solver;
        let solver = solver.get_or_insert_with(|| solving.solver(&self.budget.stop));
        solver.check(self.graph.pool(), question) == Answer::Unsat
    }

    /// Takes a newer version of the board for an infeasible path; the first step of the path at whose place something
    /// is known now that was not.
    pub(super) fn inject_along(&mut self, trace: &Trace) -> Option<usize> {
        if self.options.inject.is_empty() {
            return None;
        }
        self.take_facts();
        let variables: FxHashSet<VarId> = match self.injects(Injection::Precision) {
            true => {
                let leaves: Vec<Term> = trace.needed.concat();
                let list = candidates::variables(&mut self.graph, &leaves);
                list.into_iter().collect()
            }
            false => FxHashSet::default(),
        };
        let mut first = None;
        let mut seen = FxHashSet::default();
        for step in 1..trace.blocks.len() {
            let place = trace.place(&self.graph, step);
            if !seen.insert(place) {
                continue;
            }
            let mut is_new = self.know_facts_of(place);
            if self.injects(Injection::Precision) {
                let mut atoms = Vec::new();
                for fact in self.conjuncts_at(place, 0) {
                    atoms.extend(vocabulary::atoms_of(&mut self.predicates.exprs, fact));
                }
                is_new |= self.add_relevant(place, &atoms, &variables);
            }
            if is_new {
                first.get_or_insert(step);
            }
        }
        first
    }

    /// An invariant that this analysis proved goes where the configuration says; `true` if it is new there.
    pub(super) fn put(&mut self, place: PlaceId, fact: ExprId) -> bool {
        let mut any = false;
        let at_ends = self.injects(Injection::PathFormula).then_some(fact);
        if self.injects_formulas()
            && let Some(term) = self.predicates.start_term(&mut self.graph, place, fact)
            && self.abstractions.add_fact(place, term, at_ends)
        {
            self.facts.entry(place).or_default().push(fact);
            any = true;
        }
        if self.injects(Injection::Precision) {
            for atom in vocabulary::atoms_of(&mut self.predicates.exprs, fact) {
                any |= self.add_predicate(place, atom);
            }
        }
        any
    }

    /// Atoms over the variables become predicates; `true` if one is new.
    pub(super) fn add_relevant(
        &mut self,
        place: PlaceId,
        atoms: &[ExprId],
        variables: &FxHashSet<VarId>,
    ) -> bool {
        let mut count = 0;
        for &atom in atoms {
            let own = vocabulary::variables_of(&self.predicates.exprs, atom);
            if own.iter().all(|var| variables.contains(var))
                && self.predicates.is_about(&self.graph, place, atom)
                && self.add_predicate(place, atom)
            {
                count += 1;
                if count == MOST_PREDICATES {
                    break;
                }
            }
        }
        count > 0
    }

    /// The facts that a proof must carry: the analysis's own, and all of the maps that it used.
    pub(super) fn facts_of_proof(&mut self) -> FxHashMap<PlaceId, Vec<ExprId>> {
        let mut facts = self.facts.clone();
        if self.injects_formulas() && !self.injected.maps.is_empty() {
            for number in 1..self.graph.place_count() {
                let place = PlaceId(number as u32);
                let more = self.conjuncts_at(place, 0);
                if !more.is_empty() {
                    facts.entry(place).or_default().extend(more);
                }
            }
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::Generator;
    use crate::predicate::{Options, PredicateAnalysis};
    use crate::testing::program;
    use facts::budget::Budget;
    use facts::certificate::Certificate;
    use facts::engine::{Board, Engine, Outcome};
    use facts::invariants::Facts;
    use facts::precision::PrecisionMap;
    use std::sync::Mutex;
    use std::time::Duration;

    #[derive(Default)]
    struct Shared(Mutex<Facts>, Mutex<Vec<Arc<PrecisionMap>>>);

    impl Board for Shared {
        fn progress(&self, _: &str, _: &str) {}

        fn count(&self, _: &str, _: &str, _: u64) {}

        fn publish(&self, map: InvariantMap) {
            self.0.lock().unwrap().maps.push(Arc::new(map));
        }

        fn facts(&self) -> Facts {
            self.0.lock().unwrap().clone()
        }

        fn publish_precision(&self, map: PrecisionMap) {
            self.1.lock().unwrap().push(Arc::new(map));
        }

        fn precisions(&self) -> Vec<Arc<PrecisionMap>> {
            self.1.lock().unwrap().clone()
        }
    }

    const ALL: [Injection; 3] = [
        Injection::Precision,
        Injection::PathFormula,
        Injection::AbstractionFormula,
    ];

    fn subsets() -> Vec<Vec<Injection>> {
        (0..8)
            .map(|mask| {
                let chosen = ALL.iter().enumerate();
                let chosen = chosen.filter(|(bit, _)| mask & (1 << bit) != 0);
                chosen.map(|(_, &each)| each).collect()
            })
            .collect()
    }

    /// An analysis that finds no predicate by itself.
    fn run(text: &str, inject: Vec<Injection>) -> Outcome {
        let program = program(text);
        let board = Shared::default();
        let budget = Budget::new(Some(Duration::from_secs(60)), None);
        Generator::default().run(&program, &board, &budget);
        let options = Options {
            inject,
            interpolants: Vec::new(),
            inductive: false,
            ..Options::default()
        };
        let outcome = PredicateAnalysis { options }.run(&program, &board, &budget);
        if let Outcome::Answer(certificate) = &outcome
            && let Err(why) = certify::certify(&program, certificate, &budget)
        {
            panic!("{why}");
        }
        outcome
    }

    /// The generator cannot prove the product, and the analysis not the bounds: together they can.
    const BOUNDED: &str = "int main(void) { unsigned x = 0, n = __VERIFIER_nondet_uint();
        while (n > 3) { if (x < 1000) x = x + 1; n = __VERIFIER_nondet_uint(); }
        if (x * (2000u - x) > 1000000u) reach_error(); return 0; }";

    #[test]
    fn facts_refute_wherever_they_are_put() {
        for inject in subsets() {
            match run(BOUNDED, inject.clone()) {
                Outcome::Answer(Certificate::Graph(_)) => assert!(!inject.is_empty()),
                Outcome::Unknown(_) => assert!(inject.is_empty(), "{inject:?}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn violations_stay_where_facts_are_used() {
        let text = "int main(void) { unsigned x = 0, n = __VERIFIER_nondet_uint();
            while (n > 3) { if (x < 5) x = x + 1; n = __VERIFIER_nondet_uint(); }
            if (x == 4 && n == 2) reach_error(); return 0; }";
        for inject in subsets() {
            match run(text, inject) {
                Outcome::Answer(Certificate::Graph(_)) => panic!("a wrong proof"),
                Outcome::Answer(_) | Outcome::Unknown(_) => {}
            }
        }
    }

    /// What holds in one call is false in the other.
    #[test]
    fn facts_of_one_call_are_not_used_in_another() {
        let text =
            "int f(int k) { int i = k; while (__VERIFIER_nondet_int()) { if (i < k + 5) i++; }
                return i; }
            int main(void) { int a = f(0); int b = f(100);
            if (b < 50) reach_error(); if (a > 50) reach_error(); return 0; }";
        for inject in subsets() {
            if let Outcome::Answer(Certificate::Inputs(_)) = run(text, inject) {
                panic!("a wrong violation");
            }
        }
        let wrong = text.replace("b < 50", "b > 100");
        for inject in subsets() {
            if let Outcome::Answer(Certificate::Graph(_)) = run(&wrong, inject) {
                panic!("a wrong proof");
            }
        }
    }

    const COUNT: &str = "int main(void) { int i; for (i = 0; i < 1000000; i++) ;
        if (i != 1000000) reach_error(); return 0; }";
    const WRONG: &str = "int main(void) { int i, n = __VERIFIER_nondet_int();
        for (i = 0; i < 3; i++) if (n == 77) n++;
        if (i == 3 && n == 78) reach_error(); return 0; }";

    /// The answers of analyses that run one after the other; answers are certified.
    fn in_sequence(text: &str, stages: Vec<Options>) -> Outcome {
        let program = program(text);
        let board = Shared::default();
        let budget = Budget::new(Some(Duration::from_secs(60)), None);
        let mut reasons = Vec::new();
        for options in stages {
            match (PredicateAnalysis { options }).run(&program, &board, &budget) {
                Outcome::Answer(certificate) => {
                    if let Err(why) = certify::certify(&program, &certificate, &budget) {
                        panic!("{why}");
                    }
                    return Outcome::Answer(certificate);
                }
                Outcome::Unknown(reason) => reasons.push(reason),
            }
        }
        Outcome::Unknown(reasons.join("; "))
    }

    /// 000, listing 1.
    #[test]
    fn path_invariants_prove_a_counting_loop() {
        let options = Options {
            inductive: false,
            path_invariants: Some(crate::invariants::InvariantOptions {
                domain: crate::numeric::choice::Domain::IntervalSet,
                ..Default::default()
            }),
            ..Options::default()
        };
        let proof = in_sequence(COUNT, vec![options.clone()]);
        assert!(
            matches!(proof, Outcome::Answer(Certificate::Graph(_))),
            "{proof:?}"
        );
        let violation = in_sequence(WRONG, vec![options]);
        assert!(
            matches!(violation, Outcome::Answer(Certificate::Inputs(_))),
            "{violation:?}"
        );
    }

    #[test]
    fn heuristics_are_never_wrong() {
        use crate::predicate::heuristics::Heuristic;
        for heuristic in [
            Heuristic::IntCheck,
            Heuristic::Weakening,
            Heuristic::ConjCheck,
        ] {
            for inject in [vec![Injection::AbstractionFormula], ALL.to_vec()] {
                let options = Options {
                    inductive: false,
                    heuristics: vec![heuristic],
                    inject,
                    ..Options::default()
                };
                let proof = in_sequence(COUNT, vec![options.clone()]);
                assert!(!matches!(proof, Outcome::Answer(Certificate::Inputs(_))));
                let violation = in_sequence(WRONG, vec![options]);
                assert!(!matches!(violation, Outcome::Answer(Certificate::Graph(_))));
            }
        }
    }

    #[test]
    fn a_sequence_hands_on_precision_and_reached_set() {
        use crate::predicate::stages::Stage;
        let stage = |stage, inject: &[Injection], use_precision| Options {
            inductive: false,
            stage,
            use_precision,
            inject: inject.to_vec(),
            ..Options::default()
        };
        let seq = vec![
            stage(Stage::Bounded, &[], false),
            stage(Stage::Explore, &[], false),
            stage(Stage::Complete, &ALL, false),
        ];
        let restart = vec![
            stage(Stage::Bounded, &[], false),
            stage(Stage::Complete, &[], true),
        ];
        for stages in [seq, restart] {
            let proof = in_sequence(COUNT, stages.clone());
            assert!(
                matches!(proof, Outcome::Answer(Certificate::Graph(_))),
                "{proof:?}"
            );
            let violation = in_sequence(WRONG, stages);
            assert!(
                matches!(violation, Outcome::Answer(Certificate::Inputs(_))),
                "{violation:?}"
            );
        }
        // A last stage that finds no predicate by itself has nothing but what is handed on.
        let mut last = stage(Stage::Complete, &[], true);
        last.interpolants = Vec::new();
        let bounded = stage(Stage::Bounded, &[], false);
        let turns = "int main(void) { int a = 0, b = 2; while (__VERIFIER_nondet_int()) {
            if (a == 0) { a = 1; b = 5; } else { a = 0; b = 2; } }
            if (a == 1 && b == 2) reach_error(); return 0; }";
        let with = in_sequence(turns, vec![bounded, last.clone()]);
        assert!(matches!(with, Outcome::Answer(_)), "{with:?}");
        let without = in_sequence(turns, vec![last]);
        assert!(matches!(without, Outcome::Unknown(_)), "{without:?}");
    }

    #[test]
    fn an_exploration_cannot_help_without_a_precision() {
        use crate::predicate::stages::Stage;
        let explore = PredicateAnalysis {
            options: Options {
                stage: Stage::Explore,
                ..Options::default()
            },
        };
        let board = Shared::default();
        assert!(explore.can_help(&board).is_err());
        assert!(PredicateAnalysis::default().can_help(&board).is_ok());
        board.publish_precision(PrecisionMap::default());
        assert!(explore.can_help(&board).is_ok());
    }

    /// 000, figure 4 and table 1: `i = 2`, then a condition that `i < 10` does not decide; the precision is `i < 10` and
    /// the invariant before the condition `i = 2`. The new abstract state, and the transitions possible from it.
    #[test]
    fn table_1() {
        use crate::predicate::blocks::{BlockOperator, Target};
        use crate::predicate::predicates::Scope;
        let program = program(
            "int main(void) { int i = 2; if (i < 5) { i = 3; } else { i = 4; } return i; }",
        );
        let budget = Budget::new(Some(Duration::from_secs(60)), None);
        let (condition, variable) = program
            .locations
            .iter()
            .enumerate()
            .find_map(|(number, location)| {
                let [first, _] = location.outgoing[..] else {
                    return None;
                };
                let cfa::op::Op::Assume(test) = program.edge_op(first) else {
                    return None;
                };
                let variable = *vocabulary::variables_of(&program.pool, *test).first()?;
                Some((cfa::program::LocId(number as u32), variable))
            })
            .expect("the program has one condition");
        for inject in subsets() {
            let options = Options {
                inject: inject.clone(),
                blocks: BlockOperator::Sbe,
                scope: Scope::Global,
                ..Options::default()
            };
            let board = Shared::default();
            let mut pool = program.pool.clone();
            let ty = program.var(variable).ty;
            let i = pool.variable(variable, ty);
            let two = pool.constant(2, ty);
            let holds = pool.eq(i, two);
            board.publish(InvariantMap {
                by: "test".into(),
                pool,
                entries: vec![facts::invariants::Invariant {
                    calls: cfa::place::CallPattern::Any,
                    location: condition,
                    holds,
                }],
            });
            let mut analysis = Analysis::new(&program, &options, "test", &board, &budget);
            let exprs = &mut analysis.predicates.exprs;
            let i = exprs.variable(variable, ty);
            let (two, ten) = (exprs.constant(2, ty), exprs.constant(10, ty));
            let (is_two, below_ten) = (exprs.eq(i, two), exprs.lt(i, ten));
            let (tracked, _) = vocabulary::atom(exprs, below_ten);
            analysis.add_predicate(ROOT, tracked);
            // To the condition and beyond.
            let mut place = ROOT;
            let mut path = Vec::new();
            while analysis.graph.place(place).location != condition {
                let block = analysis.graph.outgoing(place)[0];
                let Target::Place(next) = analysis.graph.block(block).target else {
                    panic!("a straight line");
                };
                path.push(block);
                place = next;
            }
            let last = *path.last().expect("the condition is not the first");
            let exits = analysis.graph.outgoing(place);
            let mut whole = path.clone();
            whole.push(exits[0]);
            let trace = Trace::new(&mut analysis.graph, whole, false);
            analysis.inject_along(&trace);
            let precision = {
                let location = analysis.graph.place(place).location;
                analysis.precision.at(&program, location)
            };
            let mut psi = logic::bdd::Bdd::TRUE;
            for &block in &path {
                let precision = match block == last {
                    true => precision.clone(),
                    false => Vec::new(),
                };
                psi = analysis
                    .abstractions
                    .post(
                        &mut analysis.graph,
                        &mut analysis.predicates,
                        block,
                        psi,
                        &precision,
                        &mut analysis.statistics,
                    )
                    .expect("the solver decides");
            }
            let (graph, predicates) = (&mut analysis.graph, &mut analysis.predicates);
            let state = analysis
                .abstractions
                .condition(graph, predicates, place, psi);
            let mut expected: Vec<Term> = Vec::new();
            expected.extend(predicates.start_term(graph, place, below_ten));
            if !inject.is_empty() {
                expected.extend(predicates.start_term(graph, place, is_two));
            }
            let pool = graph.pool();
            let (state, expected) = (pool.and_all(state), pool.and_all(expected));
            let same = pool.eq(state, expected);
            let differ = pool.not(same);
            assert_eq!(
                logic::NativeSolver::default().check(pool, &[differ]),
                Answer::Unsat,
                "{inject:?}"
            );
            let passable = exits
                .iter()
                .filter(|&&exit| {
                    let (graph, predicates) = (&mut analysis.graph, &mut analysis.predicates);
                    let answer = analysis
                        .abstractions
                        .is_passable(graph, predicates, exit, psi);
                    answer.expect("the solver decides")
                })
                .count();
            assert_eq!(
                passable,
                if inject.is_empty() { 2 } else { 1 },
                "{inject:?}"
            );
        }
    }
}
