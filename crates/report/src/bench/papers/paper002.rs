//! IC3CFA (see the bibliography), tables 6.1 to 6.6: 150 tasks (100 safe), 1800 s, 4 GB.

use super::measure::{Measure, Over, Unit};
use super::spec::Spec;

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
            "CEGAR  | CEGAR/predicate   | 55_/_150  11500_s 79  7380_MB",
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
    tables.into_iter().map(spec).collect()
}
