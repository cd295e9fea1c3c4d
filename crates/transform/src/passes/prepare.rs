//! What analyses see: the program simplified, with the ways back that their answers take.
//!
//! The given program is instrumented for its property, and its memory is split. Engines run on
//! [`Prepared::program`]; their answers are certified on the given one:
//! - a violation by [`Prepared::inputs_before`]: the given program, executed with the engine's
//!   inputs;
//! - a proof by [`Prepared::statements_before`]: the engine's statements about locations, with what
//!   the passes knew.

use super::annotation::Stage;
use super::{Back, Optimised, Pipeline, Settings};
use cfa::expr::{ExprPool, VarId};
use cfa::memory::ObjectId;
use cfa::op::{Input, InputId};
use cfa::place::Invariant;
use cfa::program::{LocId, Program};
use cfa::value::Ty;
use interpreter::{InputSource, Interpreter, Options, Run};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::time::Instant;

/// A simplified program and the ways back.
pub struct Prepared {
    pub program: Program,
    pub back: Back,
    /// The passes that did something, in order.
    pub applied: Vec<&'static str>,
    stages: Vec<Stage>,
}

/// Simplifies a program before an analysis by those of the passes that there are.
pub fn prepare(given: &Program, passes: &[&str], settings: &Settings) -> Prepared {
    let passes = passes
        .iter()
        .filter_map(|name| super::by_name(name, settings));
    let pipeline = Pipeline::new(passes.collect(), settings.rounds);
    let mut stages = Vec::new();
    let optimised = pipeline.run_with(given, |before, passed| {
        stages.push(Stage::of(before, passed))
    });
    let Optimised {
        program,
        back,
        applied,
        ..
    } = optimised;
    Prepared {
        program,
        back,
        applied,
        stages,
    }
}

impl Prepared {
    /// Where the given program is when the prepared one is at a location.
    pub fn locations_before(&self, location: LocId) -> &[LocId] {
        &self.back.locations[location.0 as usize]
    }

    pub fn var_before(&self, var: VarId) -> Option<VarId> {
        self.back.vars[var.0 as usize]
    }

    /// Executes the given program with the inputs of an execution of the prepared one;
    /// [`Run::inputs`] are those of the given one. Inputs that the passes dropped matter to nothing
    /// and are zero.
    pub fn inputs_before(
        &self,
        given: &Program,
        inputs: &[(InputId, Ty, u128)],
        deadline: Option<Instant>,
    ) -> Run {
        let mut source = ByInput {
            first_of_memory: given.inputs.len() as u32,
            values: FxHashMap::default(),
        };
        for &(input, _, bits) in inputs {
            source.values.entry(input).or_default().push_back(bits);
        }
        let options = Options {
            deadline,
            ..Options::default()
        };
        Interpreter::new(given).run(&options, &mut source, &mut std::io::sink())
    }

    /// Statements about the given program from those that were proved of the prepared one, with the
    /// pool that holds them. Statements about places where control does not join are left out: they
    /// follow from the others.
    ///
    /// Law: if the statements are inductive for the prepared program and exclude its errors, these
    /// are and do so for the given one.
    pub fn statements_before(
        &self,
        pool: &ExprPool,
        statements: &[Invariant],
    ) -> (ExprPool, Vec<Invariant>) {
        let mut current = (pool.clone(), statements.to_vec());
        for stage in self.stages.iter().rev() {
            current = stage.before(&current.0, &current.1);
        }
        current
    }
}

/// Values by the input that asks for them, each in the order in which it was asked before; zero if
/// there is none.
///
/// Each operation that takes an input either stays wherever executions to an error pass it or goes
/// altogether, so the order is the same before and after.
struct ByInput {
    first_of_memory: u32,
    values: FxHashMap<InputId, VecDeque<u128>>,
}

impl ByInput {
    fn take(&mut self, id: InputId) -> Option<u128> {
        let values = self.values.get_mut(&id);
        Some(values.and_then(VecDeque::pop_front).unwrap_or(0))
    }
}

impl InputSource for ByInput {
    fn next(&mut self, _: &Input, _: Ty) -> Option<u128> {
        Some(0)
    }

    fn next_of(&mut self, id: InputId, _: &Input, _: Ty) -> Option<u128> {
        self.take(id)
    }

    fn next_in_memory(&mut self, _: &Input, object: ObjectId, _: u64, _: Ty) -> Option<u128> {
        self.take(InputId(self.first_of_memory + object.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PlacedInputs, lowered, programs};
    use super::super::{Keep, SIMPLIFY, replace_variable};
    use super::*;
    use cfa::op::Op;
    use cfa::place::CallPattern;
    use cfa::program::{EdgeId, LocationKind};
    use interpreter::Outcome;

    const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void); int mode = 3; int log_level;\n\
         void note(int n) { if (n > 2) log_level = n; else log_level = __VERIFIER_nondet_int(); }\n\
         int main(void) { int noise = __VERIFIER_nondet_int(), x = __VERIFIER_nondet_int(), step = 2, n = 0;\n\
         if (noise) note(noise); else note(4);\n\
         while (n < 10) { int more = __VERIFIER_nondet_int(); n = n + step; if (more == mode) noise = n; note(more); }\n\
         int y = __VERIFIER_nondet_int(); if (x == 17 && y == n + mode) reach_error();\n\
         while (x < y) x++; return 0; }";

    fn execute(program: &Program, seed: u64) -> Run {
        let options = Options {
            max_steps: 20_000,
            ..Options::default()
        };
        let mut inputs = PlacedInputs::new(seed);
        Interpreter::new(program).run(&options, &mut inputs, &mut std::io::sink())
    }

    #[test]
    fn violations_are_carried_back() {
        let mut found = 0;
        for text in programs().chain([TEXT.to_owned()]) {
            let given = lowered(&text);
            let prepared = prepare(&given, &SIMPLIFY, &Settings::default());
            for seed in 0..400 {
                let run = execute(&prepared.program, seed);
                let Outcome::Error(location) = run.outcome else {
                    continue;
                };
                found += 1;
                let before = prepared.inputs_before(&given, &run.inputs, None);
                let Outcome::Error(here) = before.outcome else {
                    panic!("{text}\nseed {seed}: {:?}, not an error", before.outcome);
                };
                assert!(prepared.locations_before(location).contains(&here));
            }
        }
        assert!(found > 100, "only {found} violations");
    }

    #[test]
    fn what_does_not_matter_is_not_asked_for() {
        let given = lowered(TEXT);
        let prepared = prepare(&given, &SIMPLIFY, &Settings::default());
        let names: Vec<&str> = prepared
            .program
            .vars
            .iter()
            .map(|var| var.name.as_str())
            .collect();
        for gone in ["noise", "log_level", "more", "step", "mode"] {
            assert!(!names.contains(&gone), "{gone} in {names:?}");
        }
        let havocs = |program: &Program| {
            let edges = program.edges.iter();
            edges
                .filter(|edge| matches!(program.op(edge.op), Op::Havoc(..)))
                .count()
        };
        assert_eq!(havocs(&prepared.program), 2);
    }

    /// The value of an expression in a state of an execution.
    struct Here<'a, 'v>(&'a interpreter::View<'v>);

    impl cfa::concrete::State for Here<'_, '_> {
        type Error = cfa::concrete::Undefined;

        fn variable(&mut self, var: VarId, _: Ty) -> Result<u128, Self::Error> {
            Ok(self.0.variable(var).unwrap_or(0))
        }

        fn address(&mut self, _: ObjectId) -> Result<u128, Self::Error> {
            Err(cfa::concrete::Undefined::IllTyped)
        }

        fn load(&mut self, _: u128, _: Ty) -> Result<u128, Self::Error> {
            Err(cfa::concrete::Undefined::IllTyped)
        }
    }

    /// Looks at the statements wherever an execution passes.
    struct Watch<'a> {
        program: &'a Program,
        pool: &'a ExprPool,
        statements: &'a [Invariant],
        seen: usize,
    }

    impl interpreter::Observer for Watch<'_> {
        fn edge(
            &mut self,
            edge: EdgeId,
            change: interpreter::Change,
            view: &interpreter::View<'_>,
        ) {
            if let interpreter::Change::Call(_) = change {
                return;
            }
            let here = self.program.edge(edge).target;
            for statement in self
                .statements
                .iter()
                .filter(|statement| statement.location == here)
            {
                let mut state = Here(view);
                let algebra = &mut cfa::concrete::Concrete(&mut state);
                match cfa::algebra::evaluate(self.pool, statement.holds, algebra) {
                    Ok(value) => assert_eq!(value, 1, "at {here:?}"),
                    Err(cfa::concrete::Undefined::IllTyped) => continue,
                    Err(other) => panic!("{other}"),
                }
                self.seen += 1;
            }
        }
    }

    /// What is carried back with nothing proved is what the passes knew; executions must agree with
    /// it.
    #[test]
    fn what_passes_knew_holds() {
        let (mut seen, mut statements) = (0, 0);
        for text in programs().chain([TEXT.to_owned()]) {
            let given = lowered(&text);
            for keep in [Keep::Errors, Keep::Behaviour] {
                let settings = Settings {
                    keep,
                    ..Settings::default()
                };
                let prepared = prepare(&given, &SIMPLIFY, &settings);
                let mut pool = ExprPool::default();
                let holds = pool.bool_constant(true);
                let nothing: Vec<Invariant> = (0..prepared.program.locations.len() as u32)
                    .map(|number| Invariant {
                        calls: CallPattern::Any,
                        location: LocId(number),
                        holds,
                    })
                    .collect();
                let (pool, before) = prepared.statements_before(&pool, &nothing);
                statements += before
                    .iter()
                    .filter(|one| pool.as_bool(one.holds).is_none())
                    .count();
                for seed in 0..20 {
                    let mut watch = Watch {
                        program: &given,
                        pool: &pool,
                        statements: &before,
                        seen: 0,
                    };
                    let options = Options {
                        max_steps: 3_000,
                        ..Options::default()
                    };
                    Interpreter::new(&given).run_with(
                        &options,
                        &mut PlacedInputs::new(seed),
                        &mut std::io::sink(),
                        &mut std::io::sink(),
                        Some(&mut watch),
                    );
                    seen += watch.seen;
                }
            }
        }
        assert!(
            seen > 1_000 && statements > 20,
            "{seen} times, {statements} statements"
        );
    }

    /// `n` even at the loop, proved of the prepared program, where the step is a constant, says so
    /// of the given one.
    #[test]
    fn a_proof_is_carried_back_with_what_it_needs() {
        let given = lowered(TEXT);
        let prepared = prepare(&given, &SIMPLIFY, &Settings::default());
        let program = &prepared.program;
        let n = program
            .vars
            .iter()
            .position(|var| var.name == "n")
            .expect("it is needed");
        let head = program
            .locations
            .iter()
            .position(|at| at.kind == LocationKind::LoopHead);
        let head = LocId(head.expect("the loop stays") as u32);
        let mut pool = program.pool.clone();
        let value = pool.variable(VarId(n as u32), Ty::I32);
        let (one, zero) = (pool.integer(1, Ty::I32), pool.integer(0, Ty::I32));
        let bit = pool.binary(cfa::expr::BinOp::And, value, one);
        let even = pool.eq(bit, zero);
        let statement = Invariant {
            calls: CallPattern::Any,
            location: head,
            holds: even,
        };
        let (mut pool, before) = prepared.statements_before(&pool, &[statement]);
        let var = |name: &str| {
            let found = given.vars.iter().position(|var| var.name == name);
            VarId(found.expect("it is declared") as u32)
        };
        let is_head = |at: LocId| prepared.locations_before(head).contains(&at);
        let carried = before
            .iter()
            .find(|one| is_head(one.location))
            .expect("it is a join");
        // It says that the step is two: with another one it is false.
        let (three, two) = (pool.integer(3, Ty::I32), pool.integer(2, Ty::I32));
        let wrong = replace_variable(&mut pool, carried.holds, var("step"), three);
        assert_eq!(pool.as_bool(wrong), Some(false));
        let right = replace_variable(&mut pool, carried.holds, var("step"), two);
        assert_ne!(pool.as_bool(right), Some(false));
        // The second loop leads to no error: there anything may hold.
        assert!(
            before
                .iter()
                .any(|one| !is_head(one.location) && pool.as_bool(one.holds) != Some(false))
        );
    }
}
