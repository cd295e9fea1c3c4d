//! Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis with Auxiliary Invariants*,
//! 2016: predicate analysis with auxiliary invariants; 3488 tasks (2413 safe, 1075 unsafe), 8 GB.

use super::matching::find;
use super::measure::{Measure, Over, Unit, solved};
use super::spec::{Column, Spec};
use super::statistics::{
    ANALYSES, INVARIANT_ATTEMPTS, INVARIANT_SUCCESSES, INVARIANT_TIME, STAGE_TIMES,
};
use crate::bench::group::{Group, Question};
use crate::bench::table::Table;
use std::collections::BTreeSet;

const PROOFS: Column = ("correct proof", Measure::CorrectProofs);
const ALARMS: Column = ("correct alarm", Measure::CorrectAlarms);
const NO_PROOFS: Column = ("wrong proof", Measure::WrongProofs);
const NO_ALARMS: Column = ("wrong alarm", Measure::WrongAlarms);
/// What searching for invariants took.
const INVARIANT_H: Column = ("inv. time (h)", equal(INVARIANT_TIME, Unit::Hours));
const ATTEMPTS: Column = ("inv. attempts", TRIES.1);
/// As [`ATTEMPTS`], which some tables of the paper call so.
const TRIES: Column = ("inv. tries", equal(INVARIANT_ATTEMPTS, Unit::Plain));
const SUCCESSES: Column = ("inv. succ", equal(INVARIANT_SUCCESSES, Unit::Plain));
const CPU_ALL: Column = ("CPU all (h)", Measure::CpuSum(Over::All, Unit::Hours));
const CPU_CORRECT: Column = (
    "CPU correct (h)",
    Measure::CpuSum(Over::Correct, Unit::Hours),
);
const CPU_EQUAL: Column = ("CPU equal (h)", Measure::CpuSum(Over::Equal, Unit::Hours));
const WALL_ALL: Column = ("wall all (h)", Measure::WallSum(Over::All, Unit::Hours));
const WALL_CORRECT: Column = (
    "wall correct (h)",
    Measure::WallSum(Over::Correct, Unit::Hours),
);
const WALL_EQUAL: Column = ("wall equal (h)", Measure::WallSum(Over::Equal, Unit::Hours));

/// The verdicts, and what searching for invariants and all of it took.
fn with_effort(verdicts: &[Column], attempts: Column) -> Vec<Column> {
    let effort = [
        INVARIANT_H,
        attempts,
        SUCCESSES,
        CPU_ALL,
        CPU_CORRECT,
        CPU_EQUAL,
    ];
    [verdicts, &effort].concat()
}

const fn equal(statistic: &'static str, unit: Unit) -> Measure {
    Measure::StatisticSum(statistic, Over::Equal, unit)
}

const fn stage(number: usize) -> Measure {
    equal(STAGE_TIMES[number - 1], Unit::Hours)
}

pub fn specs() -> Vec<Spec> {
    vec![table_2(), table_4(), table_6(), table_8(), table_9()]
}

fn table_2() -> Spec {
    Spec::of(
        "table 2: lightweight heuristics for auxiliary invariants and their baseline",
        "",
        &with_effort(&[PROOFS, ALARMS, NO_ALARMS], ATTEMPTS),
        "
        base300         | base300         | 1391 553 27 .     .    .    149 26.0 17.8
        weakening-path  | weakening-path  | 1379 534 27 1.71  5920 0    151 26.2 19.7
        path-policy     | path-policy     | 1337 529 27 3.52  3950 1498 161 31.4 25.7
        int-check-prec  | int-check-prec  | 1334 483 23 6.59  5978 1253 165 29.4 27.5
        conj-check-path | conj-check-path | 1384 543 27 0.674 5920 0    147 26.5 19.0",
    )
}

fn table_4() -> Spec {
    Spec::of(
        "table 4: checking interpolants on invariance and the baseline",
        "int-check-",
        &with_effort(&[PROOFS, ALARMS, NO_PROOFS, NO_ALARMS], TRIES),
        "
        base300       | base300                 | 1391 553 0 27 .    .    .    149 26.0 17.8
        abs           | int-check-abs           | 1339 482 1 23 6.76 6197 1011 164 28.6 27.0
        path          | int-check-path          | 1341 490 1 23 6.76 6218 1007 164 29.2 27.1
        prec          | int-check-prec          | 1334 483 0 23 7.09 6455 1272 165 29.4 27.9
        prec-path     | int-check-prec-path     | 1335 485 1 23 6.72 6348 1172 164 29.0 27.5
        abs-path      | int-check-abs-path      | 1342 489 1 23 6.80 6229 1011 164 29.2 27.1
        prec-abs      | int-check-prec-abs      | 1333 481 1 23 6.70 6293 1162 165 28.5 27.4
        prec-abs-path | int-check-prec-abs-path | 1336 486 1 23 6.69 6364 1174 165 29.2 27.5",
    )
}

fn table_6() -> Spec {
    Spec::of(
        "table 6: path invariants and the baseline",
        "",
        &with_effort(&[PROOFS, ALARMS, NO_ALARMS], TRIES),
        "
        base300     | base300     | 1391 553 27 .    .    .    149 26.0 21.3
        path-inv    | path-inv    | 1327 519 27 2.36 4719 1428 162 31.0 30.5
        path-policy | path-policy | 1337 529 27 3.84 4600 1611 161 31.4 29.8
        400s-inv    | 400s-inv    | 1364 575 27 .    .    .    196 35.6 .
        400s-policy | 400s-policy | 1371 576 27 .    .    .    196 34.7 .",
    )
}

/// A selection of tasks, as the paper makes it: those that the baseline does not solve and one of the
/// two with path invariants does. Which these are, the run says.
pub fn table_7(groups: &[Group<'_>]) -> Table {
    let of = |name: &str| find(groups, "000", name).map(solved).unwrap_or_default();
    let columns = ["path-inv", "path-policy"];
    let (baseline, by) = (of("base300"), columns.map(of));
    let mut tasks: Vec<_> = by.iter().flatten().copied().collect();
    tasks.sort_unstable();
    tasks.dedup();
    tasks.retain(|task| !baseline.contains(task));
    let row = |task: Question<'_>| {
        let mark = |column: &BTreeSet<Question<'_>>| match column.contains(&task) {
            true => "✓".to_owned(),
            false => "✗".to_owned(),
        };
        let name = std::iter::once(task.0.to_owned());
        name.chain(by.iter().map(mark)).collect()
    };
    Table {
        title: "000, table 7: tasks that path invariants solve and the baseline does not".to_owned(),
        header: ["file name", columns[0], columns[1]].map(str::to_owned).to_vec(),
        rows: tasks.into_iter().map(row).collect(),
        notes: vec![
            "The paper selects seven tasks: path-inv solves four of them, path-policy the other three."
                .to_owned(),
        ],
    }
}

fn table_8() -> Spec {
    // The main analysis of all of them.
    let main = ("main succ correct", Measure::FoundBy("predicate"));
    Spec::of(
        "table 8: parallel analyses with invariants and their baselines",
        "async-",
        &[
            PROOFS, ALARMS, NO_PROOFS, NO_ALARMS, main, WALL_ALL, WALL_EQUAL, CPU_ALL, CPU_EQUAL,
        ],
        "
        base300       | base300             | 1391 553 0 27 1944 128 13.8 149 20.9
        base600       | base600             | 1434 588 0 27 2022 240 13.9 262 21.1
        basePar       | basePar             | 1509 541 0 18 1109 152 15.6 281 39.9
        abs           | async-abs           | 1532 572 0 18 1154 147 14.4 276 38.2
        path          | async-path          | 1536 561 1 17 1148 146 14.2 274 37.9
        prec          | async-prec          | 1526 549 0 18 1108 149 15.3 279 39.6
        prec-path     | async-prec-path     | 1525 561 1 17 1111 148 15.1 278 39.4
        abs-path      | async-abs-path      | 1528 568 1 18 1148 146 14.4 275 38.4
        prec-abs      | async-prec-abs      | 1526 557 0 18 1110 149 15.2 279 39.4
        prec-abs-path | async-prec-abs-path | 1531 551 1 18 1106 148 15.0 278 39.5",
    )
}

fn table_9() -> Spec {
    Spec::of(
        "table 9: sequential combinations with invariants and their baselines",
        "seq-",
        &[
            PROOFS,
            ALARMS,
            NO_ALARMS,
            ("∅ analyses", Measure::StatisticMean(ANALYSES, Over::All)),
            ("Alg1 (h)", stage(1)),
            ("Alg2 (h)", stage(2)),
            ("Alg3 (h)", stage(3)),
            WALL_ALL,
            WALL_CORRECT,
            WALL_EQUAL,
        ],
        "
        base300       | base300           | 1391 553 27 1.00 .    .    .    128 17.9 14.5
        base600       | base600           | 1434 588 27 1.00 .    .    .    240 26.7 14.7
        restart2      | seq-restart2/restart2 | 1420 612 27 1.97 12.3 8.84 . 182 29.1 22.7
        abs           | seq-abs           | 1415 557 27 2.38 12.3 3.35 8.73 201 32.3 25.9
        path          | seq-path          | 1416 547 28 2.38 12.3 3.39 8.65 200 30.9 25.9
        prec          | seq-prec          | 1409 550 27 2.38 12.3 3.33 9.15 202 31.7 26.3
        prec-path     | seq-prec-path     | 1409 557 28 2.38 12.3 3.40 8.89 201 31.7 26.1
        abs-path      | seq-abs-path      | 1414 555 28 2.38 12.3 3.35 8.66 200 31.5 25.9
        prec-abs      | seq-prec-abs      | 1407 555 27 2.38 12.3 3.36 9.21 202 32.0 26.4
        prec-abs-path | seq-prec-abs-path | 1414 552 26 2.38 12.3 3.35 9.13 201 31.8 26.3",
    )
}
