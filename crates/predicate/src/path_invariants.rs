//! Path invariants (Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis with Auxiliary
//! Invariants*, 2016, section 2.4; Beyer2007: D. Beyer, T. Henzinger, R. Majumdar, A. Rybalchenko:
//! Path invariants, PLDI 2007).
//!
//! | Stieglmaier2016 | here |
//! |---|---|
//! | path program | [`edges_of`] the blocks that the infeasible path passes |
//! | `CPAInvariantGenerator`, stopped after its first iteration | [`PathProgram::interpret`] |
//! | `findPathInvariants` | [`Analysis::path_invariants`] |
//!
//! What holds on the path program need not hold in the program: it goes into the precision and
//! nowhere else, and is not kept.
//!
//! Deviation: a block may hold several paths, and the path program has all of them; the infeasible
//! path is refuted at the granularity at which the analysis works. Without a loop on the path
//! nothing is gained over interpolants, so that only paths that come to a place twice are looked
//! at.

use super::analysis::Analysis;
use super::candidates;
use super::path_program::{PathProgram, edges_of};
use super::trace::Trace;
use absint::invariants::InvariantOptions;
use cfa::expr::{ExprId, VarId};
use cfa::place::{CallPattern, Place};
use control::clock;
use encoding::vocabulary;
use induction::graph::PlaceId;
use rustc_hash::{FxHashMap, FxHashSet};

impl Analysis<'_> {
    /// Adds the path program's invariants to the precision; the first step of the path at whose
    /// place a predicate is new.
    pub(super) fn path_invariants(
        &mut self,
        trace: &Trace,
        options: &InvariantOptions,
    ) -> Option<usize> {
        let places: Vec<PlaceId> = (0..trace.blocks.len())
            .map(|step| trace.place(&self.graph, step))
            .collect();
        let distinct: FxHashSet<PlaceId> = places.iter().copied().collect();
        if distinct.len() == places.len() {
            return None;
        }
        let begin = clock::now();
        let at = self.known_on_path_program(trace, options);
        let leaves = trace.needed.concat();
        let variables = candidates::variables(&mut self.graph, &leaves);
        let variables: FxHashSet<VarId> = variables.into_iter().collect();
        let (mut first, mut has_found) = (None, false);
        for (step, &place) in places.iter().enumerate().skip(1) {
            let Some(known) = at.get(self.graph.place(place)) else {
                continue;
            };
            let mut atoms = Vec::new();
            for &fact in known {
                atoms.extend(vocabulary::atoms_of(&mut self.predicates.exprs, fact));
            }
            has_found |= !atoms.is_empty();
            if self.add_relevant(place, &atoms, &variables) {
                first.get_or_insert(step);
            }
        }
        self.statistics.path_invariants.note(begin, has_found);
        first
    }

    /// What holds at the places between blocks in the path program; nothing if that is not found in
    /// time.
    fn known_on_path_program(
        &mut self,
        trace: &Trace,
        options: &InvariantOptions,
    ) -> FxHashMap<Place, Vec<ExprId>> {
        let mut at: FxHashMap<Place, Vec<ExprId>> = FxHashMap::default();
        let Some(edges) = edges_of(&self.graph, &trace.blocks) else {
            return at;
        };
        let most = self.options.time_for_path_invariants();
        let path_program = PathProgram::new(&edges, options, most, self.budget);
        let Ok((found, _)) = path_program.interpret(self.graph.program()) else {
            return at;
        };
        for entry in &found.map.entries {
            let CallPattern::Exactly(calls) = &entry.calls else {
                continue;
            };
            if !self.graph.is_cut(entry.location) {
                continue;
            }
            let place = Place {
                calls: calls.clone(),
                location: entry.location,
            };
            let holds = (self.predicates.exprs).import(&found.map.pool, entry.holds);
            at.entry(place).or_default().push(holds);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use crate::options::InterpolantSource;
    use crate::{Options, PredicateAnalysis};
    use absint::invariants::InvariantOptions;
    use absint::numeric::choice::Domain;
    use facts::budget::Budget;
    use facts::certificate::Certificate;
    use facts::engine::{Engine, Outcome};
    use std::collections::BTreeMap;
    use std::time::Duration;
    use testing::Counts;
    use testing::program;

    /// Stieglmaier2016, listing 1.
    const COUNT: &str = "int main(void) { int i; for (i = 0; i < 1000000; i++) ;
        if (i != 1000000) reach_error(); return 0; }";
    const NESTED: &str = "int main(void) { unsigned x = 0, y = 0;
        while (x < 1000000) { y = 0; while (y < 1000000) y++; x++; }
        if (x != 1000000) reach_error(); return 0; }";
    const STEPS_OF_FOUR: &str = "int main(void) { unsigned x = 1;
        while (__VERIFIER_nondet_int()) x = x + 4; if (x == 10) reach_error(); return 0; }";
    const PAIR: &str = "int main(void) { int i = 0, j = 0; while (i < 100000) { i++; j++; }
        if (j != 100000) reach_error(); return 0; }";

    /// Conditions moved backwards are the only other source of predicates: all of these loops they
    /// unroll.
    fn run(text: &str, domain: Option<Domain>, limit: u64) -> (bool, BTreeMap<String, u64>) {
        let program = program(text);
        let budget = Budget::new(Some(Duration::from_secs(limit)), None);
        let options = Options {
            inductive: false,
            interpolants: vec![InterpolantSource::WeakestPrecondition],
            path_invariants: domain.map(|domain| InvariantOptions {
                domain,
                ..InvariantOptions::default()
            }),
            ..Options::default()
        };
        let board = Counts::default();
        let is_proved = match (PredicateAnalysis { options }).run(&program, &board, &budget) {
            Outcome::Answer(certificate @ Certificate::Graph(_)) => {
                if let Err(why) = certify::certify(&program, &certificate, &budget) {
                    panic!("{why}");
                }
                true
            }
            Outcome::Answer(other) => panic!("a wrong violation: {other:?}"),
            Outcome::Unknown(_) => false,
        };
        (is_proved, board.all())
    }

    #[test]
    fn without_path_invariants_the_loops_are_unrolled() {
        for text in [COUNT, STEPS_OF_FOUR, PAIR] {
            let (is_proved, counts) = run(text, None, 1);
            assert!(!is_proved, "{text}");
            assert!(counts["refinements"] > 5, "{text}: {counts:?}");
        }
    }

    #[test]
    fn every_domain_proves_what_it_can_say() {
        let relations = [Domain::Octagon, Domain::All];
        let bounds = [Domain::Interval, Domain::IntervalSet, Domain::ExpressionMap];
        let remainders = [
            Domain::Congruence,
            Domain::Scalar,
            Domain::AffineEqualities,
            Domain::All,
        ];
        for (text, domains) in [
            (COUNT, [&bounds[..], &relations].concat()),
            (NESTED, [&bounds[..], &relations].concat()),
            (STEPS_OF_FOUR, remainders.to_vec()),
            (PAIR, relations.to_vec()),
        ] {
            for domain in domains {
                let (is_proved, counts) = run(text, Some(domain), 60);
                assert!(is_proved, "{domain:?}: {text}");
                // Table 7 of Stieglmaier2016 speaks of one to five.
                assert!(counts["refinements"] <= 5, "{domain:?}: {counts:?}");
                assert!(
                    counts["path-invariant successes"] > 0,
                    "{domain:?}: {text}: {counts:?}"
                );
            }
        }
    }

    /// What a domain cannot say is no success, and no predicate either.
    #[test]
    fn remainders_say_nothing_about_a_bound() {
        let (is_proved, counts) = run(COUNT, Some(Domain::Congruence), 1);
        assert!(!is_proved);
        assert!(counts["path-invariant attempts"] > 0);
        assert_eq!(counts["path-invariant successes"], 0);
    }
}
