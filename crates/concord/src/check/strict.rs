//! `--strict`: no answer rests on what had to be assumed, and no warning is passed over.

use super::message::{Note, Report};

/// Warnings are an error in the input. Whether the program can be checked without assumptions; if
/// not, the report says why there is no answer.
pub fn admits(report: &mut Report) -> Result<bool, String> {
    if !report.warnings.is_empty() {
        let lines: Vec<String> = report.warnings.iter().map(line).collect();
        let text = lines.join("\n");
        return Err(format!("{text}\n--strict: warnings are errors"));
    }
    let Some(first) = report.assumptions.first() else {
        return Ok(true);
    };
    let more = match report.assumptions.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    report.reason = Some(format!(
        "--strict allows no assumptions, but {}: {}{more}",
        first.place, first.text
    ));
    Ok(false)
}

fn line(note: &Note) -> String {
    format!("{}: error: {}", note.place, note.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note() -> Note {
        Note {
            place: "a.c:1:2".into(),
            text: "something".into(),
        }
    }

    #[test]
    fn warnings_are_errors_and_assumptions_leave_no_answer() {
        let mut report = Report::unknown("unreach-call", "nothing yet");
        assert_eq!(admits(&mut report), Ok(true));
        report.assumptions = vec![note(), note()];
        assert_eq!(admits(&mut report), Ok(false));
        let reason = report.reason.clone().unwrap_or_default();
        assert!(
            reason.contains("a.c:1:2: something (and 1 more)"),
            "{reason}"
        );
        report.warnings = vec![note()];
        let text = admits(&mut report).unwrap_err();
        assert!(text.starts_with("a.c:1:2: error: something"), "{text}");
    }
}
