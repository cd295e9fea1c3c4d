//! Stieglmaier2014: T. Stieglmaier, *Octagon-Based Software Verification with CPAchecker*, 2014,
//! tables 5.1 to 5.5: 2310 tasks, 500 s, 32 GB; memory in units of 1000.

use super::measure::{Measure, Over, Unit};
use super::spec::{Column, Spec};
use super::statistics::{ALARMS_REJECTED, REACHED_STATES, REFINEMENTS, SUCCESSORS};

const FLOATS: &[&str] = &["Floats"];
const PAGAI: &[&str] = &["Simple", "ControlFlowInteger"];

pub fn specs() -> Vec<Spec> {
    vec![table_1(), table_2(), table_3(), table_4(), table_5()]
}

fn performance(time: &'static str, unit: Unit) -> Vec<Column> {
    vec![
        ("#correct", Measure::Correct),
        ("#false alarms", Measure::WrongAlarms),
        ("#false proofs", Measure::WrongProofs),
        (time, Measure::CpuSum(Over::All, unit)),
    ]
}

fn spec(title: &'static str, columns: &[Column], text: &'static str) -> Spec {
    Spec::of(title, "Configuration", columns, text)
}

fn table_1() -> Spec {
    let mut columns = performance("Time (h)", Unit::Hours);
    let rejected = Measure::StatisticSum(ALARMS_REJECTED, Over::All, Unit::Plain);
    columns.push(("#alarms rejected", rejected));
    let text = "
        apronSep         | apronSep         | 703  1162 1 46 –
        oadlSep          | oadlSep          | 1506 57   0 90 –
        oadlJoin         | oadlJoin         | 1577 188  0 61 –
        oadlJoin-cex     | oadlJoin-cex     | 1433 35   0 77 –
        oadlJoin-LH      | oadlJoin-LH      | 1247 20   0 120 –
        oadlWidening     | oadlWidening     | 1714 276  0 40 –
        oadlWidening-cex | oadlWidening-cex | 1507 19   0 53 –
        oadlWidening-LH  | oadlWidening-LH  | 1352 23   0 95 –
        oadl-refiner     | oadl-refiner     | 1801 50   0 52 –
        oadl-seq-J-R     | oadl-seq-J-R     | 1549 37   0 83 –
        oadl-seq-W-R-100 | oadl-seq-W-R-100 | 1870 51   0 50 –
        oadl-seq-W-R-250 | oadl-seq-W-R-250 | 1842 51   0 56 –
        eva-basic        | eva-basic        | 1747 63   0 68 –
        eva-refiner      | eva-refiner      | 1812 62   0 50 –
        predicate        | predicate        | 1994 11   1 33 –";
    Spec {
        note: "Alarms rejected are those that a check of the path found spurious; the paper has no such column.",
        ..spec(
            "table 5.1: overall performance of the analyses",
            &columns,
            text,
        )
    }
}

fn table_2() -> Spec {
    let columns = [
        (
            "∅ #reached states",
            Measure::StatisticMean(REACHED_STATES, Over::Correct),
        ),
        (
            "∅ #refinements",
            Measure::StatisticMean(REFINEMENTS, Over::Correct),
        ),
        ("∅ memory (MB)", Measure::MemoryMean(Over::Correct)),
    ];
    let text = "
        oadlSep      | oadlSep      | 15000 – 1200
        oadl-refiner | oadl-refiner | 11000 6.0 630
        eva-basic    | eva-basic    | 42000 – 320
        eva-refiner  | eva-refiner  | 16000 14 560";
    spec(
        "table 5.2: averages over successfully analysed tasks",
        &columns,
        text,
    )
}

fn table_3() -> Spec {
    let sum = |statistic| Measure::StatisticSum(statistic, Over::All, Unit::Plain);
    let columns = [
        ("#reached states", sum(REACHED_STATES)),
        ("#successors", sum(SUCCESSORS)),
        ("∅ memory (MB)", Measure::MemoryMean(Over::All)),
    ];
    let text = "
        oadlSep          | oadlSep          | 109592186 113575288 5700
        oadlJoin         | oadlJoin         | 53446165  336858179 4400
        oadlWidening     | oadlWidening     | 25248833  190570792 2000
        oadlJoin-cex     | oadlJoin-cex     | 57508907  356710324 5700
        oadlWidening-cex | oadlWidening-cex | 24585622  210071521 3300
        oadlJoin-LH      | oadlJoin-LH      | 112254046 118817033 7300
        oadlWidening-LH  | oadlWidening-LH  | 105635978 260048702 7200";
    spec(
        "table 5.3: created states and average memory",
        &columns,
        text,
    )
}

fn table_4() -> Spec {
    let text = "
        oadlSep          | oadlSep          | 632 45 0  15
        oadl-seq-W-R-100 | oadl-seq-W-R-100 | 619 35 0  28
        PAGAI            | PAGAI            | 322 0  11 30";
    Spec {
        categories: PAGAI,
        note: "Tasks of the categories Simple and ControlFlowInteger only, as in the paper.",
        ..spec(
            "table 5.4: compared with PAGAI",
            &performance("Time (h)", Unit::Hours),
            text,
        )
    }
}

fn table_5() -> Spec {
    let text = "
        apronSep               | apronSep                               | 27 44 0 3.7
        oadlSep-float          | oadlSep-float                          | 24 48 0 3.5
        oadl-refiner-float     | oadl-refiner-float                     | 24 48 0 3.7
        oadl-seq-W-R-250-float | oadl-seq-W-R-250-float                 | 24 48 0 3.6
        eva-basic              | eva-basic                              | 30 42 0 3.4
        eva-refiner            | eva-refiner                            | 30 42 0 3.6
        predicate              | predicate                              | 23 49 0 3.7";
    Spec {
        categories: FLOATS,
        note: "Tasks of the category Floats only; the paper has 74 files.",
        ..spec(
            "table 5.5: programs with floating-point numbers",
            &performance("Time (min)", Unit::Minutes),
            text,
        )
    }
}
