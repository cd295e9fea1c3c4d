//! The page of a report: nothing in a program can break it, and nothing makes it too large.

use report::check::{
    CheckShown, CheckStatus, Counterexample, EdgeShown, Event, FactShown, FramesShown,
    FunctionShown, InputShown, LocationKind, LocationShown, Note, PlaceFrames, ProgramShown,
    Report, SourceFile, SourceLine, Step, Verdict, page,
};

fn step(line: u32, text: &str, locations: Vec<u32>) -> Step {
    Step {
        depth: 1,
        file: "a.c".into(),
        line,
        text: text.into(),
        values: vec![("x".into(), "</script>".into())],
        branch: None,
        decided: String::new(),
        function: "main".into(),
        globals: Vec::new(),
        at: Some(SourceLine { file: 0, line }),
        locations,
        folded: Vec::new(),
        violates: false,
        matters: true,
    }
}

fn violation(text: String, steps: Vec<Step>, functions: Vec<FunctionShown>) -> Report {
    Report {
        verdict: Verdict::False,
        reason: None,
        counterexample: Some(Counterexample {
            why: None,
            inputs: Vec::new(),
            steps,
            left_out: 0,
            left_out_after: 0,
            unfinished: false,
            violation: Note {
                place: "a.c:1:1".into(),
                text: "<b>".into(),
            },
        }),
        program: Some(ProgramShown {
            files: vec![SourceFile {
                name: "a<b>.c".into(),
                text,
            }],
            functions,
        }),
        ..Report::unknown("unreach-call", "")
    }
}

#[test]
fn a_program_cannot_break_out_of_its_page() {
    let text = "char *x = \"</script><img src=x onerror=alert(1)>\"; <!-- ' & \"\n".to_owned();
    let steps = vec![step(1, "</script><img src=x>", vec![1])];
    let html = page(&violation(text, steps, Vec::new()));
    assert_eq!(
        html.matches("</script").count(),
        2,
        "ours end, and no other"
    );
    assert!(!html.contains("<img"));
    // Nothing is fetched from anywhere.
    for address in ["src=\"http", "href=\"http", "url(http", "@import"] {
        assert!(!html.contains(address), "{address}");
    }
}

#[test]
fn whatever_the_size_a_page_stays_below_five_megabytes() {
    let count = 40_000u32;
    let functions = (0..200)
        .map(|number| {
            let first = number * 200;
            FunctionShown {
                name: format!("function_with_a_long_name_{number}"),
                at: Some(SourceLine {
                    file: 0,
                    line: first + 1,
                }),
                entry: first,
                exit: first + 199,
                locations: (first..first + 200)
                    .map(|number| LocationShown {
                        number,
                        kind: LocationKind::Ordinary,
                        at: Some(SourceLine {
                            file: 0,
                            line: number + 1,
                        }),
                    })
                    .collect(),
                edges: (first..first + 199)
                    .flat_map(|source| {
                        [1, 2].map(|distance| EdgeShown {
                            source,
                            target: source + distance,
                            text: "[some_condition_that_is_long < another_one]".into(),
                            at: None,
                        })
                    })
                    .collect(),
            }
        })
        .collect();
    let steps = (0..4000)
        .map(|line| step(line + 1, &"y".repeat(120), (0..200).collect()))
        .collect();
    let mut report = violation(
        "x = x + 1; /* 1 */\n".repeat(count as usize),
        steps,
        functions,
    );
    report.explored = (0..count).collect();
    report.facts = (0..2000)
        .map(|number| FactShown {
            seconds: f64::from(number),
            engine: "invariants".into(),
            place: "a.c:1:1".into(),
            text: "x ".repeat(200),
        })
        .collect();
    report.timeline = (0..2000)
        .map(|number| Event {
            seconds: f64::from(number),
            engine: "bmc".into(),
            phase: format!("bound {number}"),
        })
        .collect();
    report.assumptions = vec![
        Note {
            place: "a.c:1:1".into(),
            text: "no body".into()
        };
        20_000
    ];
    if let Some(found) = &mut report.counterexample {
        found.inputs = vec![
            InputShown {
                place: "a.c:1:1".into(),
                what: "nondet".into(),
                value: "1".into(),
                at: None,
            };
            50_000
        ];
    }
    let size = page(&report).len();
    assert!(size < 5_000_000, "{size} bytes");
}

#[test]
fn frames_are_grouped_by_their_last_index() {
    let frames = |iteration, clauses: &[(u32, &str)]| FramesShown {
        engine: "ic3cfa".into(),
        iteration,
        places: vec![PlaceFrames {
            function: "main".into(),
            at: Some(SourceLine { file: 0, line: 3 }),
            first: 1,
            clauses: clauses
                .iter()
                .map(|&(index, text)| (index, text.to_owned()))
                .collect(),
            left_out: iteration as usize,
            ..PlaceFrames::default()
        }],
    };
    let clauses = [(2, "x < 3"), (1, "y != 0"), (1, "x <= y")];
    let report = Report {
        frames: vec![frames(0, &[]), frames(1, &clauses)],
        ..violation("int x;\n".into(), Vec::new(), Vec::new())
    };
    let html = page(&report);
    assert!(html.contains("<summary>ic3cfa, iteration 0: 0 clauses at 1 place</summary>"));
    assert!(html.contains("nothing is known"));
    assert!(html.contains("<td class=num>up to 2</td><td><code>x &lt; 3</code></td>"));
    assert!(html.contains("<code>y != 0</code><br><code>x &lt;= y</code>"));
    assert!(html.contains("<td>main, line 3</td><td class=num>0</td>"));
    assert!(html.contains("… and 1 more"));
    // Keys lead to the tab, and it can be read without a script.
    assert!(html.contains("title=\"Frames (key 4)\"") && html.contains("<kbd>5</kbd>"));
}

#[test]
fn checks_stand_in_a_table_and_beside_their_lines() {
    let check = |status, line, text: &str| CheckShown {
        status,
        property: "valid-deref".into(),
        claim: "memory is accessed inside live objects".into(),
        function: "main".into(),
        place: format!("a.c:{line}:1"),
        text: text.into(),
        at: Some(SourceLine { file: 0, line }),
        reason: None,
        engine: None,
        certificate: None,
        certified: None,
        counterexample: None,
    };
    let text = "int a[2];\na[2] = 1;\na[1] = 1;\n".to_owned();
    let mut report = violation(text, Vec::new(), Vec::new());
    report.checks = vec![
        check(CheckStatus::Violated, 2, "a[2] = \"<\""),
        check(CheckStatus::Proved, 3, "a[1] = 1"),
    ];
    let html = page(&report);
    assert!(html.contains("Checks: 1 violated, 1 proved"));
    let line = |number: u32| {
        let begin = html.find(&format!("id=L0-{number}>")).expect("the line");
        let end = html[begin..].find("</div>").expect("its end");
        &html[begin..begin + end]
    };
    assert!(!line(1).contains("class=\"check"));
    assert!(line(2).contains("check violated") && line(2).contains("&lt;"));
    assert!(line(3).contains("check proved"));
}

#[test]
fn what_an_answer_rests_on_stands_in_one_box_and_no_tab_is_empty() {
    let note = |text: &str| {
        vec![Note {
            place: "a.c:1:1".into(),
            text: text.into(),
        }]
    };
    let mut report = violation("int x;\n".into(), Vec::new(), Vec::new());
    report.verdict = Verdict::True;
    report.counterexample = None;
    report.warnings = note("implicit declaration");
    report.assumptions = note("no body");
    report.not_proved = note("no overflow");
    let html = page(&report);
    let begin = html.find("<div class=rests>").expect("the box");
    let end = html[begin..].find("</div>").expect("its end");
    let text = &html[begin..begin + end];
    for wanted in [
        "What this proof rests on",
        "implicit declaration",
        "no body",
        "no overflow",
        "--property all",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(!text.contains("Not supported"));
    for id in ["counterexample", "automaton", "configuration", "log"] {
        assert!(!html.contains(&format!("id=tab-{id}")), "{id}");
    }
}
