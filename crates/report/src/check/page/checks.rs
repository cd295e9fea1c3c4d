//! Every check with its verdict: as a table, and beside the lines of the program.

use super::super::result::{CheckShown, CheckStatus};
use super::{MAX_ROWS, line_data, more_rows};
use crate::html::escape;
use std::collections::BTreeMap;

/// Good checks beside one line that are shown one by one.
const MAX_MARKS: usize = 6;

/// All checks, those of a function together.
pub fn table(checks: &[CheckShown]) -> String {
    if checks.is_empty() {
        return String::new();
    }
    let counts: Vec<String> = CheckStatus::ALL
        .iter()
        .map(|&status| {
            (
                status,
                checks.iter().filter(|one| one.status == status).count(),
            )
        })
        .filter(|(_, count)| *count > 0)
        .map(|(status, count)| format!("{count} {}", status.name()))
        .collect();
    let mut rows = String::new();
    let mut function = None;
    for check in checks.iter().take(MAX_ROWS) {
        if function != Some(&check.function) {
            function = Some(&check.function);
            let name = match check.function.as_str() {
                "" => "the program",
                name => name,
            };
            rows += &format!("<tr><th colspan=5>{}</th></tr>", escape(name));
        }
        rows += &format!(
            "<tr{}><td><span class=\"check {}\">{}</span></td><td>{}</td><td>{}</td><td><code>{}</code></td><td>{}</td></tr>",
            line_data(check.at),
            check.status.name(),
            check.status.name(),
            escape(&check.place),
            escape(&check.claim),
            escape(&check.text),
            escape(&remark(check)),
        );
    }
    rows += &more_rows(checks.len());
    format!(
        "<h3>Checks: {}</h3><table class=list>{rows}</table>",
        counts.join(", ")
    )
}

/// Why a check is not decided, what is wrong in its execution, or how it was proved.
fn remark(check: &CheckShown) -> String {
    let Some(found) = &check.counterexample else {
        let said = check.reason.as_ref().or(check.certified.as_ref());
        return said.cloned().unwrap_or_default();
    };
    let inputs = found.inputs.iter().take(MAX_MARKS);
    let inputs: Vec<String> = inputs
        .map(|input| format!("{} = {}", input.what, input.value))
        .collect();
    let mut text = found.why.clone().unwrap_or_default();
    if !inputs.is_empty() {
        let with = if text.is_empty() { "with" } else { "; with" };
        text += &format!("{with} {}", inputs.join(", "));
        if found.inputs.len() > inputs.len() {
            text += ", …";
        }
    }
    text
}

/// What stands behind lines of the program, by file and line.
pub fn marks(checks: &[CheckShown]) -> BTreeMap<(u32, u32), String> {
    let mut by_line: BTreeMap<(u32, u32), Vec<&CheckShown>> = BTreeMap::new();
    for check in checks {
        if let Some(at) = check.at {
            by_line.entry((at.file, at.line)).or_default().push(check);
        }
    }
    let marks = by_line.into_iter().map(|(at, mut checks)| {
        checks.sort_by_key(|check| check.status);
        let shown = checks
            .iter()
            .enumerate()
            .filter(|(number, check)| *number < MAX_MARKS || check.status <= CheckStatus::Unknown);
        let mark = shown.map(|(_, check)| {
            format!(
                "<span class=\"check {}\" title=\"{}: {} ({})\">{} {}</span>",
                check.status.name(),
                escape(&check.claim),
                escape(&check.text),
                escape(&remark(check)),
                match check.status {
                    CheckStatus::Violated => "✗",
                    CheckStatus::Unknown => "?",
                    CheckStatus::Proved => "✓",
                    CheckStatus::Unreachable => "∅",
                },
                escape(&check.property),
            )
        });
        (at, mark.collect())
    });
    marks.collect()
}
