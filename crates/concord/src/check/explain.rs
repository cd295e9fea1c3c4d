//! `--explain`: what the lines of an answer mean, for whoever reads one for the first time.

use super::message::{Judgement, Report, Verdict};
use crate::paint;

/// Letters of a line.
const WIDTH: usize = 96;

pub fn print(report: &Report) {
    paint::say!("\n{}:", paint::text(paint::TITLE, "What this means"));
    for (line, meaning) in meanings(report) {
        paint::say!("  {}", paint::text(paint::PLACE, line));
        for part in wrapped(&meaning) {
            paint::say!("    {part}");
        }
    }
}

/// Each kind of line that is there, in its order, and its meaning.
fn meanings(report: &Report) -> Vec<(String, String)> {
    let mut list = Vec::new();
    let mut add = |line: &str, meaning: &str| list.push((line.to_owned(), meaning.to_owned()));
    match (&report.validation, report.verdict) {
        (Some(validation), _) => match validation.judgement {
            Judgement::Confirmed => add("Witness: CONFIRMED", "The witness shows what it claims."),
            Judgement::Refuted => add(
                "Witness: REFUTED",
                "What the witness describes cannot happen, or does not hold.",
            ),
            Judgement::Unknown => add(
                "Witness: UNKNOWN",
                "The witness could be neither confirmed nor refuted.",
            ),
        },
        (None, Verdict::True) => add(
            "Verdict: TRUE",
            "No execution violates the property, for any input. This holds under what is listed as \
             assumed below, and only if the program does nothing that C leaves undefined and that \
             the list names.",
        ),
        (None, Verdict::False) => add(
            &format!("Verdict: FALSE ({})", report.property),
            "There is an execution that violates the property in brackets. It is shown, and it was \
             repeated step by step before it was printed.",
        ),
        (None, Verdict::Unknown) => add(
            "Verdict: UNKNOWN",
            "The property was neither proved nor refuted; the reason is in brackets. It says \
             nothing about the program being right or wrong. More time (--timeout), another \
             analysis (--analysis) or a stub for what is not supported (--replace) may help.",
        ),
    }
    if report.engine.is_some() {
        add(
            "Found by …; certificate: …",
            "The engine that had the answer, what it handed over as evidence, and how that was \
             checked by code that knows no engine. `inputs` is an execution; everything else is a \
             proof.",
        );
    }
    if let Some(how) = &report.certified
        && how.contains("compiled")
    {
        let meaning = match how.contains("not confirmed") {
            true => {
                "The execution is certain as far as Concord's own reading of C goes, but the \
                 compiled program was not seen to fail; the reason stands beside it. `concord \
                 doctor` says whether a tool is missing."
            }
            false => {
                "The program was also compiled with the C compiler and run with these inputs, and \
                 failed in the same way."
            }
        };
        add("… the compiled program", meaning);
    }
    if !report.checks.is_empty() {
        add(
            "Checks: …",
            "Each assertion, access, division, … has a verdict of its own. violated: an execution \
             violates it before any other check. proved: no execution violates it unless it has \
             violated another check before. unreachable: no execution comes to it. unknown: not \
             decided, for the reason below it.",
        );
    }
    if report.vacuous.is_some() {
        add(
            "Note: …",
            "The proof is right but says little: no execution comes to anything that is checked. \
             Look at the entry function and at the assertions.",
        );
    }
    if report.restarted.is_some() {
        add(
            "Restarted once",
            "An engine brought the working process down; the others were started again without it.",
        );
    }
    if !report.checks.is_empty() {
        add(
            "Checks",
            "Each place where something can go wrong, with a verdict of its own: violated (an \
             execution does it), unknown, proved (no execution does it) or unreachable (no \
             execution comes there). A violated check ends its execution: the others are about \
             executions that come to them. --verbose shows the executions.",
        );
    } else if let Some(counterexample) = &report.counterexample {
        if !counterexample.inputs.is_empty() {
            add(
                "Inputs",
                "The values that the program reads from outside, in the order in which it reads \
                 them, each with the place that reads it.",
            );
        }
        add(
            "Execution",
            "The lines that are executed, indented by calls; behind // the values that a line \
             gives to variables, or how a branch decides. Lines without influence on the violation \
             are left out unless --verbose is given.",
        );
        add("Violated at", "The place where the property does not hold.");
    }
    if !report.invariants.is_empty() && report.verdict != Verdict::False {
        let meaning = match report.verdict {
            Verdict::Unknown => {
                "What is known to hold whenever an execution comes to this loop. It did not \
                 suffice for an answer, but may show you what is missing."
            }
            _ => {
                "What holds whenever an execution comes to this loop, as a C expression: the heart \
                 of the proof. Only what is listed as certified was checked again."
            }
        };
        add("Loop invariants, Proved so far", meaning);
    }
    if !report.alarms.is_empty() {
        add(
            "Internal inconsistencies",
            "Concord contradicts itself. The answer that is printed passed all checks, but \
             something in Concord is wrong; please report it.",
        );
    }
    if report.verdict == Verdict::Unknown && !report.gave_up.is_empty() {
        add(
            "Progress of the engines",
            "For each engine, how far it came or why it gave up.",
        );
    }
    for (is_there, line, meaning) in [
        (
            !report.warnings.is_empty(),
            "Warnings",
            "What is odd about the text of the program, such as a call of a function that is not \
             declared. --strict makes them errors.",
        ),
        (
            !report.assumptions.is_empty(),
            "Assumed",
            "What was taken for granted about code that is not there. Give a body with --replace \
             FUNCTION=FILE, or allow more with --external-writes; --strict gives no answer that \
             rests on an assumption.",
        ),
        (
            !report.not_proved.is_empty(),
            "Assumed of the program, not proved",
            "What C demands and this proof did not check. --property all checks it.",
        ),
        (
            !report.unsupported.is_empty() && report.verdict != Verdict::False,
            "Not supported",
            "Constructs that Concord does not understand. An execution that may reach one gets no \
             answer.",
        ),
    ] {
        if is_there {
            add(line, meaning);
        }
    }
    list
}

/// The words in lines that fit.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let needed = lines[last].chars().count() + 1 + word.chars().count();
        if !lines[last].is_empty() && needed > WIDTH {
            lines.push(word.to_owned());
            continue;
        }
        if !lines[last].is_empty() {
            lines[last].push(' ');
        }
        lines[last].push_str(word);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_are_there_are_explained() {
        let report = Report::unknown("unreach-call", "out of time");
        let lines: Vec<String> = meanings(&report)
            .into_iter()
            .map(|(line, _)| line)
            .collect();
        assert_eq!(lines, ["Verdict: UNKNOWN"]);
        let report = Report {
            verdict: Verdict::True,
            engine: Some("bmc".into()),
            certified: Some("not confirmed by the compiled program".into()),
            ..report
        };
        let all = meanings(&report);
        assert_eq!(all.len(), 3);
        assert!(all[2].1.contains("concord doctor"), "{all:?}");
    }

    #[test]
    fn lines_fit_and_lose_no_word() {
        let text = "word ".repeat(60);
        let lines = wrapped(&text);
        assert!(lines.len() > 2 && lines.iter().all(|line| line.len() <= WIDTH));
        assert_eq!(lines.join(" "), text.trim_end());
    }
}
