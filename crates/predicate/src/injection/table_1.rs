//! Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis with Auxiliary Invariants*,
//! 2016, figure 4 and table 1: `i = 2`, then a condition that `i < 10` does not decide; the
//! precision is `i < 10` and the invariant before the condition `i = 2`. For each strategy the new
//! abstract state (abstraction formula, path formula) up to equivalence, and the transitions that
//! are possible from it.

use super::tests::Shared;
use super::*;
use crate::Options;
use crate::predicates::Scope;
use cfa::program::{LocId, Program};
use facts::budget::Budget;
use facts::engine::Knowledge;
use facts::invariants::Invariant;
use induction::cuts::BlockOperator;
use induction::graph::{BlockId, Target};
use logic::bdd::Bdd;
use testing::program;

/// Conjuncts of a formula of the table.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Part {
    BelowTen,
    IsTwo,
}

/// A row: where invariants go, the abstraction formula, the path formula, and whether 2 → 4 is
/// possible; 2 → 3 always is.
type Row = (&'static [Injection], &'static [Part], &'static [Part], bool);

#[test]
fn table_1() {
    use Injection::{AbstractionFormula as Abs, PathFormula as Path, Precision as Prec};
    use Part::{BelowTen, IsTwo};
    let rows: [Row; 8] = [
        (&[], &[BelowTen], &[], true),
        (&[Prec], &[IsTwo, BelowTen], &[], false),
        (&[Path], &[BelowTen], &[IsTwo], false),
        (&[Abs], &[BelowTen, IsTwo], &[], false),
        (&[Prec, Path], &[IsTwo, BelowTen], &[IsTwo], false),
        (&[Prec, Abs], &[IsTwo, BelowTen], &[], false),
        (&[Path, Abs], &[BelowTen, IsTwo], &[IsTwo], false),
        (&[Prec, Path, Abs], &[IsTwo, BelowTen], &[IsTwo], false),
    ];
    let program =
        program("int main(void) { int i = 2; if (i < 5) { i = 3; } else { i = 4; } return i; }");
    for row in rows {
        check(&program, row);
    }
}

/// The location of the condition, where it leads if it holds, and its variable.
fn condition_of(program: &Program) -> (LocId, LocId, VarId) {
    let found = (0..program.locations.len() as u32).find_map(|number| {
        let location = LocId(number);
        let edges = &program.location(location).outgoing;
        // The edge on which a condition holds that `i = 2` satisfies is the one with `i < 5`
        // itself.
        let holds = edges.iter().find(|&&edge| {
            let cfa::op::Op::Assume(test) = program.edge_op(edge) else {
                return false;
            };
            printing::export::expression_text(program, *test).contains("i < 5")
        })?;
        let cfa::op::Op::Assume(test) = program.edge_op(*holds) else {
            return None;
        };
        let variable = *vocabulary::variables_of(&program.pool, *test).first()?;
        Some((location, program.edge(*holds).target, variable))
    });
    found.expect("the program has one condition")
}

/// A board with the invariant.
fn board_with_two(program: &Program, location: LocId, variable: VarId) -> Shared {
    let board = Shared::default();
    let mut pool = program.pool.clone();
    let ty = program.var(variable).ty;
    let (i, two) = (pool.variable(variable, ty), pool.constant(2, ty));
    let holds = pool.eq(i, two);
    board.publish(InvariantMap {
        by: "test".into(),
        pool,
        entries: vec![Invariant {
            calls: cfa::place::CallPattern::Any,
            location,
            holds,
        }],
    });
    board
}

fn check(program: &Program, (inject, abstraction, path, is_fourth_possible): Row) {
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let (condition, third, variable) = condition_of(program);
    let board = board_with_two(program, condition, variable);
    let options = Options {
        inject: inject.to_vec(),
        blocks: BlockOperator::Sbe,
        scope: Scope::Global,
        ..Options::default()
    };
    let mut analysis = Analysis::new(program, &options, "test", &board, &budget);
    let exprs = &mut analysis.predicates.exprs;
    let ty = program.var(variable).ty;
    let i = exprs.variable(variable, ty);
    let (two, ten) = (exprs.constant(2, ty), exprs.constant(10, ty));
    let (is_two, below_ten) = (exprs.eq(i, two), exprs.lt(i, ten));
    let (tracked, _) = vocabulary::atom(exprs, below_ten);
    analysis.add_predicate(ROOT, tracked);
    // To the condition and beyond.
    let mut place = ROOT;
    let mut steps = Vec::new();
    while analysis.graph.place(place).location != condition {
        let block = analysis.graph.outgoing(place)[0];
        let Target::Place(next) = analysis.graph.block(block).target else {
            panic!("a straight line");
        };
        steps.push(block);
        place = next;
    }
    let exits = analysis.graph.outgoing(place);
    let mut whole = steps.clone();
    whole.push(exits[0]);
    let trace = Trace::new(&mut analysis.graph, whole, false);
    analysis.inject_along(&trace);
    let precision = analysis.precision.at(program, condition);
    let psi = abstraction_after(&mut analysis, &steps, &precision);
    let of_state = analysis.abstraction_formula(place, psi);
    let (graph, predicates) = (&mut analysis.graph, &mut analysis.predicates);
    let mut of_path = Vec::new();
    for &fact in analysis.abstractions.facts_at_ends(place) {
        of_path.extend(predicates.start_term(graph, place, fact));
    }
    let mut expected = |parts: &[Part]| -> Vec<Term> {
        let exprs = parts.iter().map(|part| match part {
            Part::BelowTen => below_ten,
            Part::IsTwo => is_two,
        });
        exprs
            .map(|expr| {
                let term = predicates.start_term(graph, place, expr);
                term.expect("it has a formula")
            })
            .collect()
    };
    let (state_expected, path_expected) = (expected(abstraction), expected(path));
    let known =
        analysis
            .abstractions
            .condition(&mut analysis.graph, &mut analysis.predicates, place, psi);
    let both = [&of_state[..], &of_path].concat();
    for (what, found, expected) in [
        ("abstraction formula", &of_state, &state_expected),
        ("path formula", &of_path, &path_expected),
        // What blocks are passed with is the two together.
        ("state", &known, &both),
    ] {
        assert!(
            are_equivalent(&mut analysis, found, expected),
            "{what} with {inject:?}"
        );
    }
    for &exit in exits.iter() {
        let Target::Place(target) = analysis.graph.block(exit).target else {
            panic!("no error here");
        };
        let is_third = analysis.graph.place(target).location == third;
        let (graph, predicates) = (&mut analysis.graph, &mut analysis.predicates);
        let passable = analysis
            .abstractions
            .is_passable(graph, predicates, exit, psi);
        assert_eq!(
            passable.expect("the solver decides"),
            is_third || is_fourth_possible,
            "to the third {is_third} with {inject:?}"
        );
    }
    assert_eq!(exits.len(), 2);
}

/// The abstraction of the last of the blocks over the predicates; those before have none.
fn abstraction_after(
    analysis: &mut Analysis<'_>,
    steps: &[BlockId],
    precision: &[crate::predicates::PredicateId],
) -> Bdd {
    let mut psi = Bdd::TRUE;
    for (number, &block) in steps.iter().enumerate() {
        let precision = match number + 1 == steps.len() {
            true => precision,
            false => &[],
        };
        let after = analysis.abstractions.post(
            &mut analysis.graph,
            &mut analysis.predicates,
            block,
            psi,
            precision,
            &mut analysis.statistics,
        );
        psi = after.expect("the solver decides");
    }
    psi
}

fn are_equivalent(analysis: &mut Analysis<'_>, a: &[Term], b: &[Term]) -> bool {
    let pool = analysis.graph.pool();
    let (a, b) = (
        pool.and_all(a.iter().copied()),
        pool.and_all(b.iter().copied()),
    );
    let same = pool.eq(a, b);
    let differ = pool.not(same);
    logic::NativeSolver::default().check(pool, &[differ]) == Answer::Unsat
}
