//! Results made up for the tests of this module and those below it.

use super::diff::{Threshold, diff};
use super::*;
use process::Limits;
use runner::tasks::{DataModel, Kind, Task};
use runner::verdict::{Expected, Verdict};
use std::collections::BTreeMap;
use std::time::Duration;

/// What matters about a made-up result.
pub struct Made {
    pub task: &'static str,
    pub tool: &'static str,
    pub analysis: &'static str,
    pub answer: &'static str,
    pub expected: &'static str,
    pub cpu_s: f64,
    pub memory: u64,
}

impl Default for Made {
    fn default() -> Self {
        Self {
            task: "t",
            tool: "Concord",
            analysis: "a",
            answer: "true",
            expected: "true",
            cpu_s: 1.0,
            memory: 10_000_000,
        }
    }
}

pub fn record(made: Made) -> Record {
    let expected = match made.expected {
        "true" => Some(Expected::True),
        "false" => Some(Expected::False(None)),
        _ => None,
    };
    let task = Task {
        name: made.task.into(),
        files: Vec::new(),
        kind: Kind::UnreachCall,
        property: None,
        expected,
        data_model: DataModel::Ilp32,
        category: None,
        columns: BTreeMap::new(),
    };
    let limits = Limits {
        cpu: Some(Duration::from_secs(10)),
        ..Limits::default()
    };
    let mut record = Record::new(
        &task,
        made.tool,
        made.analysis,
        &limits,
        Verdict::parse(made.answer).unwrap(),
    );
    (record.cpu_s, record.wall_s, record.memory_bytes) = (made.cpu_s, made.cpu_s, made.memory);
    record
}

#[test]
fn a_comparison_finds_what_was_won_and_lost() {
    let run = |answers: [(&'static str, &'static str, f64); 6]| {
        answers.map(|(task, answer, cpu_s)| {
            record(Made {
                task,
                answer,
                cpu_s,
                ..Made::default()
            })
        })
    };
    let before = run([
        ("won", "TIMEOUT", 10.0),
        ("lost", "true", 1.0),
        ("slower", "true", 1.0),
        ("faster", "true", 8.0),
        ("noise", "true", 0.1),
        ("mended", "false", 1.0),
    ]);
    let after = run([
        ("won", "true", 2.0),
        ("lost", "unknown", 1.0),
        ("slower", "true", 3.0),
        ("faster", "true", 1.0),
        ("noise", "true", 0.4),
        ("mended", "unknown", 1.0),
    ]);
    let result = diff(&before, &after, Threshold::default());
    let tasks = |pairs: &[super::diff::Pair<'_>]| {
        pairs
            .iter()
            .map(|pair| pair.after.task.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(tasks(&result.won), ["won"]);
    assert_eq!(tasks(&result.lost), ["lost"]);
    assert_eq!(tasks(&result.slower), ["slower"]);
    assert_eq!(tasks(&result.faster), ["faster"]);
    assert_eq!(tasks(&result.mended), ["mended"]);
    assert!(!result.is_worse());
    let text = result.markdown();
    assert!(
        text.starts_with(
            "6 compared: 0 became wrong, 1 lost, 1 won, 1 mended, 1 slower, 1 faster, 0 otherwise."
        ),
        "{text}"
    );
    // Backwards, the mended one becomes wrong.
    let back = diff(&after, &before, Threshold::default());
    assert!(back.is_worse());
    assert!(
        back.markdown()
            .contains("| mended | Concord/a | true | unknown | false | 1.00 | 1.00 |")
    );
}

#[test]
fn two_single_analyses_are_compared_whatever_they_are_called() {
    let one = [record(Made {
        analysis: "x",
        answer: "TIMEOUT",
        ..Made::default()
    })];
    let two = [record(Made {
        analysis: "y",
        ..Made::default()
    })];
    assert_eq!(diff(&one, &two, Threshold::default()).won.len(), 1);
    let several = [
        two[0].clone(),
        record(Made {
            analysis: "x",
            ..Made::default()
        }),
        record(Made {
            task: "u",
            ..Made::default()
        }),
    ];
    let result = diff(&one, &several, Threshold::default());
    assert_eq!(
        (
            result.compared,
            result.won.len(),
            result.only_before,
            result.only_after
        ),
        (1, 1, 0, 2)
    );
}

#[test]
fn groups_are_named_as_briefly_as_possible() {
    let labels = |records: &[Record]| {
        groups(records)
            .into_iter()
            .map(|group| group.label)
            .collect::<Vec<_>>()
    };
    let made = |tool, analysis| {
        record(Made {
            tool,
            analysis,
            ..Made::default()
        })
    };
    assert_eq!(
        labels(&[made("T", "x"), made("T", "y"), made("T", "x")]),
        ["x", "y"]
    );
    assert_eq!(
        labels(&[made("T", "x"), made("U", "default")]),
        ["T x", "U"]
    );
    let mut longer = made("T", "x");
    longer.limits.cpu_s = Some(20.0);
    assert_eq!(
        labels(&[made("T", "x"), longer]),
        ["x (10 s CPU)", "x (20 s CPU)"]
    );
}

fn sample() -> Vec<Record> {
    let mut records = vec![
        record(Made {
            task: "dir/a<b>.c",
            analysis: "x",
            ..Made::default()
        }),
        record(Made {
            task: "dir/a<b>.c",
            analysis: "y",
            answer: "false(unreach-call)",
            cpu_s: 2.0,
            ..Made::default()
        }),
        record(Made {
            task: "dir/c,\"d\".c",
            analysis: "x",
            answer: "TIMEOUT",
            cpu_s: 10.0,
            ..Made::default()
        }),
    ];
    records[0].log = Some("logs/a#b c.log".into());
    records[0].category = Some("Loops".into());
    records[0].statistics.insert("refinements".into(), 3.0);
    records[2].verdict.reason = Some("CPU 'time'".into());
    records
}

#[test]
fn csv_has_a_line_per_result_and_quotes_what_needs_it() {
    let text = String::from_utf8(export::csv(&sample()).unwrap()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(
        lines[0].starts_with("task,property,data_model")
            && lines[0].ends_with("tool_version,alarms,stat:refinements")
    );
    assert!(lines[1].starts_with(
        "dir/a<b>.c,unreach-call,ILP32,Loops,true,Concord,x,true,correct,2,1.000,1.000,10000000,10,"
    ));
    assert!(lines[3].starts_with("\"dir/c,\"\"d\"\".c\","));
}

#[test]
fn json_has_summaries_and_results_with_class_and_score() {
    let value: serde_json::Value = serde_json::from_str(&export::json(&sample()).unwrap()).unwrap();
    assert_eq!(value["contenders"][0]["summary"]["correct_true"], 1);
    assert_eq!(value["contenders"][1]["summary"]["score"], -16);
    assert_eq!(value["results"][1]["class"], "wrong");
    assert_eq!(value["results"][1]["status"], "false");
    assert_eq!(value["results"][0]["statistics"]["refinements"], 3.0);
}

#[test]
fn the_page_escapes_links_and_stands_alone() {
    let page = page::html("A <run>", &sample());
    assert!(page.contains("<h1>A &lt;run&gt;</h1>"));
    assert!(
        page.contains("<td class='of-0 correct'><a href='logs/a%23b%20c.log'>true</a></td>"),
        "{page}"
    );
    assert!(
        page.contains("data-classes='correct,wrong'") && page.contains("data-classes='timeout,'")
    );
    assert!(page.contains("title='CPU &#39;time&#39;'"));
    assert!(!page.contains("<b>.c"));
    // The folder that all tasks are in is named once.
    assert!(page.contains("Tasks in dir/</p>"));
    assert!(page.contains("<td title='dir/a&lt;b&gt;.c'>a&lt;b&gt;.c</td>"));
    let namespaces = page.matches("http://www.w3.org/2000/svg").count();
    assert_eq!(
        page.matches("http").count(),
        namespaces,
        "no address of another host"
    );
    assert!(
        !page.contains("src=") && !page.contains("@import"),
        "nothing is loaded from elsewhere"
    );
    assert_eq!(
        page.matches("<figure").count(),
        2,
        "a quantile plot and one scatter plot"
    );
    for tag in ["table", "tr", "td", "th", "section", "figure", "svg", "div"] {
        let (open, close) = (
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count(),
            page.matches(&format!("</{tag}>")).count(),
        );
        assert_eq!(open, close, "{tag}");
    }
}

#[test]
fn everything_is_written() {
    let directory = std::env::temp_dir().join(format!("report-bench-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    write_all(&directory, "title", &sample()).unwrap();
    for name in ["results.csv", "results.json", "report.html", "tables.md"] {
        assert!(
            directory.join(name).metadata().unwrap().len() > 100,
            "{name}"
        );
    }
    std::fs::remove_dir_all(directory).unwrap();
}
