//! Random programs with known verdicts: all their inputs are enumerated here.

use crate::common::run;
use absint::invariants::InvariantOptions;
use absint::numeric::choice::Domain;
use facts::certificate::Certificate;
use facts::engine::Outcome;
use induction::cuts::BlockOperator;
use testing::Random;
use traces::Options;
use traces::options::Enhancement;

/// Statements over three variables of eight bits.
enum Statement {
    Add(usize, u8),
    Copy(usize, usize),
    Xor(usize, usize),
    Choose(usize, u8, Vec<Statement>, Vec<Statement>),
    Loop(u8, Vec<Statement>),
}

const NAMES: [&str; 3] = ["a", "b", "c"];

fn statements(random: &mut Random, depth: u32) -> Vec<Statement> {
    let count = 1 + random.below(3);
    (0..count).map(|_| statement(random, depth)).collect()
}

fn statement(random: &mut Random, depth: u32) -> Statement {
    let var = |random: &mut Random| random.below(3) as usize;
    match random.below(if depth == 0 { 3 } else { 5 }) {
        0 => Statement::Add(var(random), random.below(256) as u8),
        1 => Statement::Copy(var(random), var(random)),
        2 => Statement::Xor(var(random), var(random)),
        3 => Statement::Choose(
            var(random),
            random.below(256) as u8,
            statements(random, depth - 1),
            statements(random, depth - 1),
        ),
        _ => Statement::Loop(random.below(4) as u8, statements(random, depth - 1)),
    }
}

fn text(list: &[Statement], depth: usize) -> String {
    let each = list.iter().map(|statement| match statement {
        Statement::Add(var, by) => format!("{0} = {0} + {by};", NAMES[*var]),
        Statement::Copy(var, from) => format!("{} = {};", NAMES[*var], NAMES[*from]),
        Statement::Xor(var, with) => format!("{0} = {0} ^ {1};", NAMES[*var], NAMES[*with]),
        Statement::Choose(var, limit, yes, no) => format!(
            "if ({} < {limit}) {{ {} }} else {{ {} }}",
            NAMES[*var],
            text(yes, depth),
            text(no, depth)
        ),
        Statement::Loop(times, body) => format!(
            "{{ int i{depth} = 0; while (i{depth} < {times}) {{ i{depth}++; {} }} }}",
            text(body, depth + 1)
        ),
    });
    each.collect::<Vec<_>>().join(" ")
}

fn execute(list: &[Statement], values: &mut [u8; 3]) {
    for statement in list {
        match statement {
            Statement::Add(var, by) => values[*var] = values[*var].wrapping_add(*by),
            Statement::Copy(var, from) => values[*var] = values[*from],
            Statement::Xor(var, with) => values[*var] ^= values[*with],
            Statement::Choose(var, limit, yes, no) => {
                let chosen = if values[*var] < *limit { yes } else { no };
                execute(chosen, values);
            }
            Statement::Loop(times, body) => (0..*times).for_each(|_| execute(body, values)),
        }
    }
}

fn settings(number: u64) -> Options {
    let domain = [Domain::Interval, Domain::Octagon, Domain::OctagonCongruence];
    let enhanced = [Enhancement::Off, Enhancement::Abstract, Enhancement::Solver];
    Options {
        blocks: [
            BlockOperator::LoopHeads,
            BlockOperator::Sbe,
            BlockOperator::Ways(32),
        ][number as usize % 3],
        interpretations: vec![InvariantOptions {
            domain: domain[number as usize % 3],
            ..InvariantOptions::default()
        }],
        enhanced: enhanced[number as usize / 3 % 3],
        relevant: number.is_multiple_of(5),
        ..Options::default()
    }
}

#[test]
fn verdicts_are_those_of_all_executions() {
    let mut random = Random(20);
    let mut decided = 0;
    for number in 0..30 {
        let body = statements(&mut random, 2);
        let forbidden = match random.below(2) {
            0 => random.below(256) as u8,
            _ => {
                let mut values = [random.below(4) as u8, 0, 1];
                execute(&body, &mut values);
                values[0]
            }
        };
        let is_reached = (0..4).any(|input| {
            let mut values = [input, 0, 1];
            execute(&body, &mut values);
            values[0] == forbidden
        });
        let program = format!(
            "int main(void) {{ unsigned char a = __VERIFIER_nondet_uint() % 4, b = 0, c = 1;
             {} if (a == {forbidden}) reach_error(); return 0; }}",
            text(&body, 0)
        );
        let (outcome, _) = run(&program, &settings(number), 20);
        match &outcome {
            Outcome::Answer(Certificate::Inputs(_)) => assert!(is_reached, "{program}"),
            Outcome::Answer(_) => assert!(!is_reached, "{program}"),
            Outcome::Unknown(_) => continue,
        }
        decided += 1;
    }
    assert!(decided >= 25, "{decided} of 30 programs were decided");
}
