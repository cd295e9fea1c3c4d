//! Path invariants (Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis with Auxiliary
//! Invariants*, 2016, section 2.4; Beyer2007: D. Beyer, T. Henzinger, R. Majumdar, A. Rybalchenko:
//! Path invariants, PLDI 2007).
//!
//! | Stieglmaier2016 | here |
//! |---|---|
//! | path program | [`edges_of`] the blocks that the infeasible path passes; for policies the blocks themselves |
//! | `CPAInvariantGenerator`, stopped after its first iteration | [`PathProgram::interpret`] |
//! | the same with the Policy CPA (`path-policy`, section 6.3) | `Analysis::by_policies` |
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
use super::path_program::{PathProgram, edges_of, part_of};
use super::trace::Trace;
use absint::invariants::InvariantOptions;
use cfa::expr::{ExprId, VarId};
use cfa::place::{CallPattern, Place};
use control::clock;
use encoding::vocabulary;
use facts::invariants::InvariantMap;
use induction::graph::{BlockId, PlaceId, Target};
use policy::PolicyOptions;
use policy::iteration::{Iteration, Known, map_of};
use policy::templates::{Template, Templates};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

impl Analysis<'_> {
    /// Adds the path program's invariants to the precision, if they are wanted; the first step of
    /// the path at whose place a predicate is new.
    pub(super) fn path_invariants(&mut self, trace: &Trace) -> Option<usize> {
        let options = self.options;
        if options.path_invariants.is_none() && options.path_policy.is_none() {
            return None;
        }
        let places: Vec<PlaceId> = (0..trace.blocks.len())
            .map(|step| trace.place(&self.graph, step))
            .collect();
        let distinct: FxHashSet<PlaceId> = places.iter().copied().collect();
        if distinct.len() == places.len() {
            return None;
        }
        let begin = clock::now();
        let leaves = trace.needed.concat();
        let variables = candidates::variables(&mut self.graph, &leaves);
        let mut maps = Vec::new();
        if let Some(options) = &options.path_invariants {
            maps.extend(self.by_interpretation(trace, options));
        }
        if let Some(options) = &options.path_policy {
            maps.extend(self.by_policies(trace, options, &variables));
        }
        let at = self.at_cuts(&maps);
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

    /// What abstract interpretation finds in the path program; nothing if that takes too long.
    fn by_interpretation(
        &mut self,
        trace: &Trace,
        options: &InvariantOptions,
    ) -> Option<InvariantMap> {
        let edges = edges_of(&self.graph, &trace.blocks)?;
        let most = self.options.time_for_path_invariants();
        let path_program = PathProgram::new(&edges, options, most, self.budget);
        let (found, _) = path_program.interpret(self.graph.program()).ok()?;
        Some(found.map)
    }

    /// What policy iteration finds on the blocks of the path, over the variables that it depends on;
    /// nothing if that takes too long.
    fn by_policies(
        &mut self,
        trace: &Trace,
        options: &PolicyOptions,
        variables: &[VarId],
    ) -> Option<InvariantMap> {
        let program = self.graph.program();
        let budget = part_of(self.budget, self.options.time_for_path_invariants());
        let general = trace.blocks.iter().map(|&block| self.graph.general(block));
        let blocks: BTreeSet<BlockId> = general.collect();
        let blocks: Vec<BlockId> = blocks.into_iter().collect();
        let templates = Templates::new(program, &options.templates);
        let mut over: FxHashMap<PlaceId, Vec<Template>> = FxHashMap::default();
        for &block in &blocks {
            if let Target::Place(target) = self.graph.block(block).target {
                let is_there = |var: &&VarId| {
                    let function = program.var(**var).function;
                    function.is_none_or(|function| self.graph.is_active(target, function))
                };
                let own: Vec<VarId> = variables.iter().filter(is_there).copied().collect();
                over.insert(target, templates.over(program, &own));
            }
        }
        let at = |place: PlaceId| over.get(&place).cloned().unwrap_or_default();
        let nothing = Known::new();
        let mut iteration =
            Iteration::new(&mut self.graph, &blocks, at, &nothing, options, &budget);
        iteration.solve().ok()?;
        let found = iteration.bounds();
        let places: Vec<PlaceId> = found.keys().copied().collect();
        Some(map_of(&self.graph, &places, &found).0)
    }

    /// What the maps say of the places between blocks.
    fn at_cuts(&mut self, maps: &[InvariantMap]) -> FxHashMap<Place, Vec<ExprId>> {
        let mut at: FxHashMap<Place, Vec<ExprId>> = FxHashMap::default();
        for map in maps {
            for entry in &map.entries {
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
                let holds = self.predicates.exprs.import(&map.pool, entry.holds);
                at.entry(place).or_default().push(holds);
            }
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
    use policy::PolicyOptions;
    use policy::templates::TemplateKind;
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
        let path_invariants = domain.map(|domain| InvariantOptions {
            domain,
            ..InvariantOptions::default()
        });
        run_with(text, path_invariants, None, limit)
    }

    fn run_with(
        text: &str,
        path_invariants: Option<InvariantOptions>,
        path_policy: Option<PolicyOptions>,
        limit: u64,
    ) -> (bool, BTreeMap<String, u64>) {
        let program = program(text);
        let budget = Budget::new(Some(Duration::from_secs(limit)), None);
        let options = Options {
            inductive: false,
            interpolants: vec![InterpolantSource::WeakestPrecondition],
            path_invariants,
            path_policy,
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

    #[test]
    fn policies_prove_what_their_templates_can_say() {
        use TemplateKind::{Bounds, Octagons};
        for (text, templates) in [
            (COUNT, Bounds),
            (NESTED, Bounds),
            (PAIR, Octagons),
            (COUNT, Octagons),
        ] {
            let policy = PolicyOptions {
                templates: vec![templates],
                ..PolicyOptions::default()
            };
            let (is_proved, counts) = run_with(text, None, Some(policy), 60);
            assert!(is_proved, "{templates:?}: {text}");
            assert!(counts["refinements"] <= 5, "{templates:?}: {counts:?}");
            assert!(counts["path-invariant successes"] > 0, "{counts:?}");
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
