//! The algorithm over locations alone: what it reaches, and what it does again.

use super::*;
use crate::composite::{places, whole};
use crate::loop_bound::LoopBoundCpa;
use cfa::program::Program;
use testing;

const PROGRAM: &str = "
    int g;
    void count(void) { g++; }
    int main(void) {
        int n = __VERIFIER_nondet_int();
        while (n > 0) { count(); n--; }
        if (g > 3) { reach_error(); }
        return 0;
    }";

fn explore<C: Cpa>(program: &Program, inner: C, options: AlgorithmOptions) -> (Ended, usize, C)
where
    C::State: std::fmt::Debug,
{
    let automaton = Automaton::new(program, 3);
    let mut algorithm = CpaAlgorithm::new(automaton, whole(program, inner), options);
    let mut exploration = algorithm.start();
    let ended = algorithm.run(&mut exploration, &Budget::unlimited());
    (ended, exploration.reached.len(), algorithm.cpa.second)
}

#[test]
fn locations_alone_reach_every_place_once() {
    let program = testing::program(PROGRAM);
    let options = AlgorithmOptions {
        collect_targets: true,
        ..AlgorithmOptions::default()
    };
    let (ended, reached, _) = explore(&program, places(&program), options.clone());
    assert_eq!(ended, Ended::Complete);
    let orders = [
        WaitlistOrder::Bfs,
        WaitlistOrder::Dfs,
        WaitlistOrder::CallStack,
        WaitlistOrder::Random(3),
    ];
    for order in orders {
        let options = AlgorithmOptions {
            order,
            ..options.clone()
        };
        let again = explore(&program, places(&program), options);
        assert_eq!((again.0, again.1), (Ended::Complete, reached), "{order:?}");
    }
}

#[test]
fn bounded_loops_are_cut_and_say_so() {
    let program = testing::program(PROGRAM);
    let options = AlgorithmOptions {
        collect_targets: true,
        ..AlgorithmOptions::default()
    };
    let mut sizes = Vec::new();
    for bound in [0, 1, 2] {
        let bounded = LoopBoundCpa::new(&program, bound);
        let (ended, reached, inner) = explore(&program, bounded, options.clone());
        assert_eq!(ended, Ended::Complete);
        assert!(inner.was_exceeded());
        sizes.push(reached);
    }
    assert_eq!(sizes[2] - sizes[1], sizes[1] - sizes[0]);
}

#[test]
fn a_removed_subtree_is_explored_again() {
    let program = testing::program(PROGRAM);
    let automaton = Automaton::new(&program, 3);
    let options = AlgorithmOptions::default();
    let mut algorithm = CpaAlgorithm::new(automaton, whole(&program, places(&program)), options);
    let mut exploration = algorithm.start();
    let Ended::Target(target) = algorithm.run(&mut exploration, &Budget::unlimited()) else {
        panic!("the error location is reached");
    };
    let path = algorithm.path(&exploration, target);
    let (first, last) = (path[0].1, path[path.len() - 1].1);
    assert_eq!(first.source, algorithm.automaton.entry());
    assert!(program.is_error(last.target.location));
    for pair in path.windows(2) {
        assert_eq!(pair[0].1.target, pair[1].1.source);
    }
    let (before, middle) = (exploration.reached.len(), path[path.len() / 2].0);
    algorithm.remove_subtrees(&mut exploration, &[middle]);
    assert!(exploration.reached.len() < before);
    let again = algorithm.run(&mut exploration, &Budget::unlimited());
    assert!(matches!(again, Ended::Target(_)));
    assert_eq!(exploration.reached.len(), before);
}

#[test]
fn the_graph_can_be_exported() {
    let program = testing::program(PROGRAM);
    let automaton = Automaton::new(&program, 3);
    let options = AlgorithmOptions::default();
    let mut algorithm = CpaAlgorithm::new(automaton, whole(&program, places(&program)), options);
    let mut exploration = algorithm.start();
    algorithm.run(&mut exploration, &Budget::unlimited());
    let dot = crate::export::to_dot(&program, &exploration.reached, &|_| "state".into());
    assert!(dot.contains("color=red") && dot.contains("style=solid"));
    let stacks = &algorithm.automaton.stacks;
    let json = crate::export::to_json(&program, stacks, &exploration.reached, &|_| String::new());
    let nodes = json["nodes"].as_array().map(Vec::len);
    assert_eq!(nodes, Some(exploration.reached.len()));
}
