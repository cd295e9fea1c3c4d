//! Checks with their verdicts, as the report shows them, and the verdict of all of them together.

use super::counterexample::line_text;
use super::message::{CheckShown, CheckStatus, Counterexample, Report, Verdict};
use super::program_report::Files;
use cfa::program::{ErrorKind, Program};
use facts::words::count;
use portfolio::each::{Found, Status};
use std::collections::BTreeMap;
use syntax::span::Span;
use transform::checks::Check;

/// Letters of a statement.
const LONGEST_TEXT: usize = 80;

/// A check with what is known of it.
pub fn shown(
    program: &Program,
    files: Option<&Files>,
    check: &Check,
    status: &Status,
    counterexample: Option<&Counterexample>,
) -> CheckShown {
    let function = program.function(check.function);
    let name = program.function_name(check.function);
    let name = name.strip_prefix("__concord_model_").unwrap_or(name);
    let is_at_end = matches!(check.kind, ErrorKind::Lost | ErrorKind::NotFreed);
    let is_library = function.is_library_model && !is_at_end;
    let (place, text) = match check.kind {
        _ if is_at_end => (
            "the end of the program".to_owned(),
            "every way to end it".to_owned(),
        ),
        // There is nothing to see in a model.
        _ if is_library => (
            "the library".to_owned(),
            format!("what `{name}` does with what it is given"),
        ),
        _ => (program.describe(check.span), statement(program, check.span)),
    };
    let (kind, found, reason) = match status {
        Status::Violated { found, .. } => (CheckStatus::Violated, Some(found), None),
        Status::Proved(found) => (CheckStatus::Proved, Some(found), None),
        Status::Unreachable(found) => (CheckStatus::Unreachable, Some(found), None),
        Status::Unknown(why) => (CheckStatus::Unknown, None, Some(why.clone())),
    };
    let at = files.and_then(|files| files.line(program, check.span));
    CheckShown {
        status: kind,
        property: check.kind.property().into(),
        claim: claim(check.kind).into(),
        function: match is_library {
            true => format!("{name} (library)"),
            false if is_at_end => String::new(),
            false => name.to_owned(),
        },
        place,
        text,
        at: at.filter(|_| !is_library && !is_at_end),
        reason,
        engine: found.and_then(|found: &Found| found.engine.clone()),
        certificate: found.map(|found| found.certificate.into()),
        certified: found.map(|found| found.how.clone()),
        counterexample: counterexample.cloned(),
    }
}

/// What is to hold, in words.
fn claim(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::ErrorCall => "the assertion holds",
        ErrorKind::SignedOverflow => "signed arithmetic does not overflow",
        ErrorKind::DivisionByZero => "the divisor is not zero",
        ErrorKind::Shift => "the shift count is in range",
        ErrorKind::FloatOverflow => "float arithmetic does not overflow",
        ErrorKind::InvalidAccess => "memory is accessed inside live objects",
        ErrorKind::InvalidFree => "what is freed is allocated memory",
        ErrorKind::Lost => "no allocated memory is lost",
        ErrorKind::NotFreed => "all allocated memory is freed",
    }
}

/// The statement at a place, in one line.
fn statement(program: &Program, span: Span) -> String {
    let text = String::from_utf8_lossy(program.sources.snippet(span)).into_owned();
    // What the preprocessor says of lines is no part of it.
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let text = words.join(" ");
    // What a macro was expanded to is not what its user wrote.
    let text = match text.is_empty() || text.contains("__assert_fail") {
        true => line_text(program, span.lo),
        false => text,
    };
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Puts checks into the report, and the verdict that they are together.
pub fn conclude(report: &mut Report, mut list: Vec<CheckShown>) {
    // Nothing was asked, so nothing is known.
    if list.is_empty() {
        return;
    }
    sort(&mut list);
    let undecided = |check: &&CheckShown| check.status == CheckStatus::Unknown;
    let open = list.iter().filter(undecided).count();
    if let Some(worst) = list
        .first()
        .filter(|one| one.status == CheckStatus::Violated)
    {
        report.verdict = Verdict::False;
        report.reason = None;
        report.property = worst.property.clone();
        report.engine = worst.engine.clone();
        report.certificate = worst.certificate.clone();
        report.certified = worst.certified.clone();
        report.counterexample = worst.counterexample.clone();
    } else if let Some(first) = list.iter().find(undecided) {
        report.verdict = Verdict::Unknown;
        let why = first.reason.as_deref().unwrap_or("no reason is known");
        report.reason = Some(match list.len() {
            1 => why.to_owned(),
            all => format!(
                "{open} of {} not decided; the first: {why}",
                count(all, "check")
            ),
        });
    } else {
        report.verdict = Verdict::True;
        report.reason = None;
        report.certified = Some(proofs(&list));
    }
    report.checks = list;
}

/// By whom how many checks were proved.
fn proofs(list: &[CheckShown]) -> String {
    let mut by: BTreeMap<String, usize> = BTreeMap::new();
    for check in list {
        let certificate = check.certificate.clone().unwrap_or_default();
        let name = match &check.engine {
            Some(engine) => format!("{engine} ({certificate})"),
            None => certificate,
        };
        *by.entry(name).or_default() += 1;
    }
    let mut by: Vec<(String, usize)> = by.into_iter().collect();
    by.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let by: Vec<String> = by
        .into_iter()
        .map(|(name, count)| format!("{count} by {name}"))
        .collect();
    format!("{}: {}", count(list.len(), "check"), by.join(", "))
}

/// By function, those with the worst checks first; in a function the worst first, then by place.
fn sort(list: &mut [CheckShown]) {
    let mut functions: BTreeMap<String, (CheckStatus, (u32, u32))> = BTreeMap::new();
    for check in list.iter() {
        let line = line_of(&check.place);
        let known = functions.entry(check.function.clone());
        let (worst, first) = known.or_insert((check.status, line));
        (*worst, *first) = (check.status.min(*worst), line.min(*first));
    }
    list.sort_by_key(|check| {
        let function = check.function.clone();
        let (worst, first) = functions[&function];
        let is_library = function.contains(' ');
        let line = line_of(&check.place);
        (worst, is_library, first, function, check.status, line)
    });
}

/// Line and column of a place.
fn line_of(place: &str) -> (u32, u32) {
    let mut parts = place.rsplit(':').map(|part| part.parse().unwrap_or(0));
    let column = parts.next().unwrap_or(0);
    (parts.next().unwrap_or(0), column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(function: &str, place: &str, status: CheckStatus) -> CheckShown {
        CheckShown {
            status,
            property: "valid-deref".into(),
            claim: String::new(),
            function: function.into(),
            place: place.into(),
            text: String::new(),
            at: None,
            reason: (status == CheckStatus::Unknown).then(|| "out of time".into()),
            engine: Some("bmc".into()),
            certificate: Some("inputs".into()),
            certified: Some("replayed".into()),
            counterexample: None,
        }
    }

    fn concluded(list: Vec<CheckShown>) -> Report {
        let mut report = Report::unknown("all", "nothing was done");
        conclude(&mut report, list);
        report
    }

    #[test]
    fn one_violation_is_enough_and_bad_checks_come_first() {
        use CheckStatus::{Proved, Unknown, Unreachable, Violated};
        let report = concluded(vec![
            check("f", "a.c:3:1", Proved),
            check("g", "a.c:12:1", Unreachable),
            check("g", "a.c:13:1", Violated),
            check("f", "a.c:2:7", Proved),
            check("h", "a.c:20:1", Unknown),
        ]);
        assert_eq!(report.verdict, Verdict::False);
        assert_eq!(report.property, "valid-deref");
        let order: Vec<&str> = report.checks.iter().map(|one| one.place.as_str()).collect();
        assert_eq!(
            order,
            ["a.c:13:1", "a.c:12:1", "a.c:20:1", "a.c:2:7", "a.c:3:1"]
        );
    }

    #[test]
    fn all_checks_must_be_decided_for_a_proof() {
        use CheckStatus::{Proved, Unknown, Unreachable};
        let report = concluded(vec![
            check("f", "a.c:3:1", Proved),
            check("f", "a.c:4:1", Unknown),
        ]);
        assert_eq!(report.verdict, Verdict::Unknown);
        assert_eq!(
            report.reason.as_deref(),
            Some("1 of 2 checks not decided; the first: out of time")
        );
        let report = concluded(vec![
            check("f", "a.c:3:1", Proved),
            check("f", "a.c:4:1", Unreachable),
        ]);
        assert_eq!(report.verdict, Verdict::True);
        assert_eq!(concluded(Vec::new()).verdict, Verdict::Unknown);
    }
}
