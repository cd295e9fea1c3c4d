//! IC3CFA (see the bibliography), tables 6.1 to 6.6: 150 tasks (100 safe), 1800 s, 4 GB; and what
//! each section is worth, of which the thesis has no table.

use super::measure::{Measure, Over, Unit};
use super::spec::Spec;
use super::statistics::{CALLS_IN_GENERALISATION, SOLVER_QUERIES};

/// The last row of each table.
const OWN: &str = "IC3CFA | IC3CFA/ic3cfa-new | 117_/_150 10700_s 194 14230_MB";

/// Other names of the thesis' own algorithm.
pub const IC3CFA: &str = "IC3CFA/ic3cfa-new";

pub fn specs() -> Vec<Spec> {
    let tables = [
        (
            "table 6.1: comparison with IC3CFAOld",
            "IC3CFAOld | IC3CFAOld         | 101_/_150 29200_s 165 30820_MB",
        ),
        (
            "table 6.2: comparison with IC3CFA without generalisation",
            "IC3CFANoGen | IC3CFANoGen       | 65_/_150  4630_s  101 8620_MB",
        ),
        (
            "table 6.3: comparison with TreeIC3",
            "TreeIC3 | TreeIC3           | 96_/_150  17400_s 153 10360_MB",
        ),
        (
            "table 6.4: comparison with BMC",
            "BMC    | BMC               | 28_/_150  150_s   34  2980_MB",
        ),
        (
            "table 6.5: comparison with CEGAR",
            "CEGAR  | CEGAR/predicate-sbe/predicate | 55_/_150  11500_s 79  7380_MB",
        ),
        (
            "table 6.6: comparison with CPAchecker",
            "CPAchecker | CPAchecker        | 120_/_150 12680_s 193 44000_MB",
        ),
    ];
    let columns = [
        ("# solved", Measure::SolvedOf),
        (
            "t solved (s)",
            Measure::CpuSum(Over::Correct, Unit::Seconds),
        ),
        ("score", Measure::SimpleScore),
        ("memory (MB)", Measure::MemorySum(Over::Correct)),
    ];
    let spec = |(title, rival)| {
        let [mut spec, own] = [rival, OWN].map(|text| Spec::of(title, "Algorithm", &columns, text));
        spec.rows.extend(own.rows);
        spec
    };
    tables.into_iter().map(spec).chain([ablation()]).collect()
}

/// IC3CFA without one section at a time.
fn ablation() -> Spec {
    let text = "
        IC3CFA       | IC3CFA/ic3cfa-new   | . . . . .
        without 5.1  | IC3CFA-without-5.1  | . . . . .
        without 5.3  | IC3CFA-without-5.3  | . . . . .
        without 5.4  | IC3CFA-without-5.4  | . . . . .
        without 5.5  | IC3CFA-without-5.5  | . . . . .
        without 5.6  | IC3CFA-without-5.6  | . . . . .
        without 5.7  | IC3CFA-without-5.7  | . . . . .
        without 5.8  | IC3CFA-without-5.8  | . . . . .
        without 5.9  | IC3CFA-without-5.9  | . . . . .
        without 5.10 | IC3CFA-without-5.10 | . . . . .
        with 5.11    | IC3CFA-with-5.11    | . . . . .";
    let equal = |name| Measure::StatisticSum(name, Over::Equal, Unit::Plain);
    let columns = [
        ("# solved", Measure::SolvedOf),
        ("score", Measure::SimpleScore),
        ("t (s)", Measure::CpuSum(Over::Equal, Unit::Seconds)),
        ("calls", equal(SOLVER_QUERIES)),
        ("calls in generalisation", equal(CALLS_IN_GENERALISATION)),
    ];
    Spec {
        note: "Time and calls are those of the programs that all of them solve.",
        ..Spec::of(
            "ablation: what each section saves",
            "Algorithm",
            &columns,
            text,
        )
    }
}
