use super::*;
use crate::bench::tests::{Made, record};

/// The lines of a table whose title contains a text, as Markdown.
fn lines(paper: &str, title: &str, records: &[Record]) -> Vec<String> {
    let table = tables(paper, records)
        .into_iter()
        .find(|table| table.title.contains(title))
        .unwrap();
    table.markdown().lines().map(str::to_owned).collect()
}

/// A run that ended with an answer within some time.
fn run(
    analysis: &'static str,
    task: &'static str,
    [answer, expected]: [&'static str; 2],
    cpu_s: f64,
) -> Record {
    record(Made {
        task,
        analysis,
        answer,
        expected,
        cpu_s,
        ..Made::default()
    })
}

/// A line of a table.
fn expect(paper: &str, table: &str, records: &[Record], (number, line): (usize, &str)) {
    assert_eq!(lines(paper, table, records)[number], line);
}

#[test]
fn every_table_of_the_papers_is_there_and_without_runs_shows_only_the_papers_figures() {
    let counts: Vec<usize> = PAPERS
        .iter()
        .map(|(paper, _)| tables(paper, &[]).len())
        .collect();
    assert_eq!(counts, [6, 2, 9, 4, 5]);
    for (paper, _) in PAPERS {
        for table in tables(paper, &[]) {
            for row in &table.rows {
                assert_eq!(row.len(), table.header.len(), "{}: {row:?}", table.title);
                let labels = if table.title.contains("figure") { 2 } else { 1 };
                for cell in &row[labels..] {
                    assert!(cell.starts_with('–'), "{}: {row:?}", table.title);
                }
            }
        }
    }
    let document = document(&[]);
    assert!(document.markdown.contains(
        "| base300 | – [1391] | – [553] | – [27] | – | – | – | – [149] | – [26.0] | – [17.8] |"
    ));
    assert!(document.figures.is_empty());
}

#[test]
fn figures_stand_beside_those_of_the_paper() {
    let mut records = Vec::new();
    for analysis in ["base300", "async-abs"] {
        records.push(run(analysis, "a", ["true", "true"], 36.0));
        records.push(run(analysis, "b", ["false", "false"], 360.0));
    }
    // Only one of the two solves this, so it is not among the equal ones.
    records.push(run("base300", "c", ["TIMEOUT", "true"], 3600.0));
    let mut own = run("async-abs", "c", ["true", "true"], 1.0);
    own.found_by = Some("predicate".into());
    records.push(own);
    let table = lines("000", "table 8", &records);
    assert_eq!(
        table[4],
        "| base300 | 1 [1391] | 1 [553] | 0 [0] | 0 [27] | – [1944] | 1.11 [128] | 0.11 [13.8] | 1.11 [149] | 0.11 [20.9] |"
    );
    assert!(
        table[7].starts_with("| abs | 2 [1532] | 1 [572] | 0 [0] | 0 [18] | 1 [1154] | 0.11 [147]"),
        "{}",
        table[7]
    );
    assert!(table[8].starts_with("| path | – [1536]"), "{}", table[8]);
}

#[test]
fn table_1_of_001_counts_what_only_one_setting_solves() {
    let answers = [
        ("traces-Default", "a", "true"),
        ("traces-Default", "b", "TIMEOUT"),
        ("traces-OCT", "a", "ERROR"),
        ("traces-OCT", "b", "TIMEOUT"),
        ("traces-OCT+CON-Enh", "a", "TIMEOUT"),
        ("traces-OCT+CON-Enh", "b", "TIMEOUT"),
        ("traces-Portfolio", "a", "true"),
        ("traces-Portfolio", "b", "unknown"),
    ];
    let records: Vec<Record> = answers
        .map(|(analysis, task, answer)| {
            record(Made {
                task,
                analysis,
                answer,
                expected: "true",
                ..Made::default()
            })
        })
        .into();
    let table = lines("001", "table 1", &records);
    assert_eq!(table[4], "| Default | 1 (1) [97 (3)] | 1 [110] | 0 [7] |");
    assert_eq!(table[6], "| OCT | 0 [100] | 1 [106] | 1 [8] |");
    assert_eq!(table[7], "| OCT+CON Enh. | 0 [101] | 2 [100] | 0 [13] |");
    assert_eq!(table[8], "| OCT+CON | – [103] | – [98] | – [13] |");
    assert_eq!(table[11], "| Portfolio | 1 [108] | 1 [89] | 0 [6] |");
    assert_eq!(table[12], "| Portfolio, one run | 1 | 0 | 1 |");
    let document = document(&records);
    assert_eq!(document.figures.len(), 1, "only the run time is known");
    assert!(
        document
            .markdown
            .contains("![Figure 8](figure-001-8-runtime.svg)")
    );
}

#[test]
fn tables_of_002_score_and_list_each_program() {
    let mut first = record(Made {
        task: "x/a.c",
        analysis: "ic3cfa",
        answer: "true",
        expected: "true",
        cpu_s: 3.25,
        memory: 50_000_000,
        ..Made::default()
    });
    first.columns.insert("doc_status".into(), "true".into());
    first.columns.insert("doc_time_s".into(), "1.5".into());
    first.statistics.insert(statistics::FRAMES.into(), 7.0);
    first.statistics.insert("questions".into(), 345.0);
    let calls = statistics::CALLS_IN_GENERALISATION;
    first.statistics.insert(calls.into(), 20.0);
    let mut old = first.clone();
    old.analysis = "IC3CFAOld".into();
    old.statistics.insert(calls.into(), 900.0);
    let second = record(Made {
        task: "x/b.c",
        analysis: "ic3cfa",
        answer: "true",
        expected: "false",
        ..Made::default()
    });
    let mut records = vec![first, second, old];
    records[1]
        .columns
        .insert("doc_status".into(), "Timeout".into());
    expect(
        "002",
        "table 6.3",
        &records,
        (
            5,
            "| IC3CFA | 1 / 2 [117 / 150] | 3.25 [10700 s] | 2 [194] | 50 [14230 MB] |",
        ),
    );
    let calls = lines("002", "figure 6.1.3", &records);
    assert_eq!(calls[4], "| IC3CFAOld, calls | 900 [24,700,000] |");
    assert_eq!(calls[7], "| factor, mean of the programs | 45 [67] |");
    let ablation = lines("002", "ablation", &records);
    assert_eq!(ablation[4], "| IC3CFA | 1 / 2 | 2 | 3.25 | 345 | 20 |");
    let detail = lines("002", "B.1", &records);
    assert_eq!(
        detail[4],
        "| a.c | true [true] | 3.25 [1.5] | – | 345 | 7 | 50 |"
    );
    assert!(
        detail[5].starts_with("| b.c | true [Timeout] | 1 | –"),
        "{}",
        detail[5]
    );
}

#[test]
fn tables_of_003_count_what_a_helper_adds() {
    let records = [
        ("k-induction", "a"),
        ("kind-va-50", "a"),
        ("kind-va-50", "b"),
    ]
    .map(|(analysis, task)| run(analysis, task, ["true", "true"], 10.0));
    let table = lines("003", "table 3", &records);
    assert_eq!(
        table[4],
        "| k-induction | 1 [146] | 1 [102] | 0 [44] | – | – |"
    );
    assert_eq!(
        table[7],
        "| kInd-VA-50 | 2 [163] | 2 [119] | 0 [44] | +1 [+19] | 0 [0] |"
    );
    expect(
        "003",
        "table 4",
        &records,
        (
            4,
            "| kInd | 10 (10) [491 (50)] | – [489 (63)] | – [477 (68)] | 10 (10) [482 (107)] |",
        ),
    );
    expect(
        "003",
        "table 5",
        &records,
        (
            4,
            "| 50s | – [148] | – [158] | 2 [163] | – [122] | – [132] | – [125] |",
        ),
    );
}

#[test]
fn tables_of_004_keep_to_their_categories() {
    let mut float = run("eva-basic", "f", ["false", "true"], 60.0);
    float.category = Some("Floats".into());
    let mut loops = run("eva-basic", "l", ["true", "true"], 36.0);
    loops.category = Some("Loops".into());
    loops
        .statistics
        .insert(statistics::REACHED_STATES.into(), 120.0);
    let records = [float, loops];
    expect(
        "004",
        "table 5.1",
        &records,
        (
            16,
            "| eva-basic | 1 [1747] | 1 [63] | 0 [0] | 0.0267 [68] | – [–] |",
        ),
    );
    expect(
        "004",
        "table 5.5",
        &records,
        (8, "| eva-basic | 0 [30] | 1 [42] | 0 [0] | 1 [3.4] |"),
    );
    expect(
        "004",
        "table 5.2",
        &records,
        (6, "| eva-basic | 120 [42000] | – [–] | 10 [320] |"),
    );
}

#[test]
fn invariants_are_counted_over_what_all_configurations_solve() {
    let mut records = Vec::new();
    for analysis in ["base300", "path-inv"] {
        for (task, answer) in [("a", "true"), ("b", "true"), ("c", "unknown")] {
            records.push(run(analysis, task, [answer, "true"], 36.0));
        }
    }
    for run in records.iter_mut().filter(|run| run.analysis == "path-inv") {
        // As the analysis counts it, in milliseconds.
        let counts = [("attempts", 4.0), ("successes", 3.0), ("ms", 18_000.0)];
        for (what, value) in counts {
            let name = format!("invariant-{what}");
            run.statistics.insert(name, value);
        }
    }
    let row = lines("000", "table 6", &records)
        .into_iter()
        .find(|line| line.starts_with("| path-inv "))
        .unwrap();
    assert!(
        row.contains("| 0.01 [2.36] | 8 [4719] | 6 [1428] |"),
        "{row}"
    );
}

/// Table 7 has the tasks that the baseline does not solve, with who does.
#[test]
fn a_selection_of_tasks_is_made_from_the_run() {
    let mut records = Vec::new();
    for (analysis, solves) in [
        ("base300", ["a"].as_slice()),
        ("path-inv", &["a", "b"]),
        ("path-policy", &["b", "c"]),
    ] {
        for task in ["a", "b", "c", "d"] {
            let answer = match solves.contains(&task) {
                true => "true",
                false => "unknown",
            };
            records.push(run(analysis, task, [answer, "true"], 1.0));
        }
    }
    let rows = lines("000", "table 7", &records);
    let marks = |task: &str| {
        rows.iter()
            .find(|row| row.starts_with(&format!("| {task} ")))
    };
    assert_eq!(marks("a"), None);
    assert_eq!(marks("b").map(String::as_str), Some("| b | ✓ | ✓ |"));
    assert_eq!(marks("c").map(String::as_str), Some("| c | ✗ | ✓ |"));
    assert_eq!(marks("d"), None);
}
