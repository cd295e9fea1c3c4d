//! SARIF 2.1.0: the result for code scanning services and editors.
//!
//! A violation is a result with the execution as its code flow. A proof is a run without results,
//! unless every check was decided by itself: then each of them is one. What was assumed, what is not
//! supported and why there is no answer are notifications of the run. The verdict itself stands in
//! the run's properties.

use super::positions;
use super::result::{CheckShown, CheckStatus, Counterexample, Note, Report, Step, Verdict};
use serde_json::{Value, json};

/// Places of a code flow that are kept: viewers stop at a thousand.
const FIRST: usize = 100;
const LAST: usize = 899;

struct Rule {
    id: &'static str,
    name: &'static str,
    short: &'static str,
    full: &'static str,
}

const RULES: [Rule; 9] = [
    Rule {
        id: "unreach-call",
        name: "AssertionCanFail",
        short: "An assertion can fail.",
        full: "An execution calls the error function, or an assertion does not hold in it.",
    },
    Rule {
        id: "no-overflow",
        name: "SignedOverflow",
        short: "A signed operation can overflow.",
        full: "There is an execution in which the result of a signed operation does not fit its type, which C leaves \
               undefined.",
    },
    Rule {
        id: "valid-deref",
        name: "InvalidAccess",
        short: "An access to memory can be invalid.",
        full: "An execution reads or writes memory that lies in no live object, or writes what is read-only.",
    },
    Rule {
        id: "valid-free",
        name: "InvalidFree",
        short: "What is freed may be no live memory of the heap.",
        full: "An execution passes `free` or `realloc` what is neither null nor the start of a live object of the heap.",
    },
    Rule {
        id: "valid-memtrack",
        name: "MemoryLeak",
        short: "Memory can be lost.",
        full: "An execution ends, and memory of the heap is neither freed nor reachable.",
    },
    Rule {
        id: "valid-memcleanup",
        name: "MemoryNotFreed",
        short: "Memory may not be freed at the end.",
        full: "An execution ends before all memory of the heap is freed.",
    },
    Rule {
        id: "no-division-by-zero",
        name: "DivisionByZero",
        short: "An integer can be divided by zero.",
        full: "There is an execution in which the divisor of a division or remainder of integers is zero.",
    },
    Rule {
        id: "valid-shift",
        name: "InvalidShift",
        short: "A shift can be too far.",
        full: "There is an execution in which a value is shifted by a negative count, or by its width or more.",
    },
    Rule {
        id: "no-float-overflow",
        name: "FloatOverflow",
        short: "Arithmetic on floats can overflow.",
        full: "There is an execution in which an operation on finite floats gives an infinity.",
    },
];

/// The report as a SARIF log.
pub fn sarif(report: &Report) -> Value {
    let configuration = report.configuration.as_ref();
    let version = configuration.map_or(env!("CARGO_PKG_VERSION"), |known| known.version.as_str());
    let results: Vec<Value> = match &report.checks[..] {
        [] => {
            let found = report.counterexample.iter();
            let found = found.filter(|_| report.verdict == Verdict::False);
            found
                .map(|found| violation(&report.property, found))
                .collect()
        }
        checks => checks.iter().map(of_check).collect(),
    };
    let mut notifications: Vec<Value> = Vec::new();
    if let Some(reason) = &report.reason {
        notifications.push(json!({
            "level": "warning",
            "descriptor": {"id": "no-answer"},
            "message": {"text": format!("No answer: {reason}")},
        }));
    }
    let note = |note: &Note, id: &str, level: &str| {
        let mut value = json!({
            "level": level,
            "descriptor": {"id": id},
            "message": {"text": note.text},
        });
        if let Some(location) = place(&note.place) {
            value["locations"] = json!([location]);
        }
        value
    };
    notifications.extend(
        report
            .warnings
            .iter()
            .map(|text| note(text, "program-warning", "warning")),
    );
    notifications.extend(
        report
            .vacuous
            .iter()
            .map(|text| note(text, "nothing-checked", "warning")),
    );
    notifications.extend(
        report
            .assumptions
            .iter()
            .map(|text| note(text, "assumption", "note")),
    );
    notifications.extend(
        report
            .unsupported
            .iter()
            .map(|text| note(text, "unsupported", "warning")),
    );
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| {
            json!({
                "id": rule.id,
                "name": rule.name,
                "shortDescription": {"text": rule.short},
                "fullDescription": {"text": rule.full},
                "defaultConfiguration": {"level": "error"},
                "properties": {"precision": "very-high", "tags": ["correctness"]},
            })
        })
        .collect();
    let descriptors = json!([
        {"id": "no-answer", "shortDescription": {"text": "The property was neither proved nor refuted."}},
        {"id": "program-warning", "shortDescription": {"text": "A warning about the program text."}},
        {"id": "nothing-checked", "shortDescription": {"text": "No execution reaches an assertion."}},
        {"id": "assumption", "shortDescription": {"text": "An assumption about code outside the program."}},
        {"id": "unsupported", "shortDescription": {"text": "A construct that Concord does not support."}},
    ]);
    let mut invocation = json!({
        "executionSuccessful": true,
        "exitCode": match report.verdict { Verdict::True => 0, Verdict::False => 1, Verdict::Unknown => 3 },
        "toolExecutionNotifications": notifications,
    });
    if let Some(known) = configuration {
        invocation["arguments"] = json!(known.command_line.iter().skip(1).collect::<Vec<_>>());
    }
    let mut properties = json!({
        "verdict": report.verdict,
        "property": report.property,
    });
    for (name, value) in [
        ("engine", &report.engine),
        ("certificate", &report.certificate),
        ("certified", &report.certified),
    ] {
        if let Some(value) = value {
            properties[name] = json!(value);
        }
    }
    let files = configuration.map_or(&[][..], |known| &known.files);
    let mut log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "Concord",
                "version": version,
                "semanticVersion": version,
                "rules": rules,
                "notifications": descriptors,
            }},
            "invocations": [invocation],
            "artifacts": files
                .iter()
                .map(|file| json!({"location": artifact(file), "sourceLanguage": "c"}))
                .collect::<Vec<_>>(),
            "results": results,
            "columnKind": "unicodeCodePoints",
            "properties": properties,
        }],
    });
    if let Some(home) = home(env!("CARGO_PKG_REPOSITORY")) {
        log["runs"][0]["tool"]["driver"]["informationUri"] = json!(home);
    }
    positions::complete(&mut log, report.program.as_ref());
    log
}

/// Where one reads about the tool: the home that the packages name, if they name one.
fn home(repository: &str) -> Option<&str> {
    Some(repository).filter(|address| address.contains("://"))
}

/// A check with its verdict: what is no violation has no level.
fn of_check(check: &CheckShown) -> Value {
    if let (CheckStatus::Violated, Some(found)) = (check.status, &check.counterexample) {
        return violation(&check.property, found);
    }
    let (kind, level) = match check.status {
        CheckStatus::Violated => ("fail", "error"),
        CheckStatus::Unknown => ("open", "none"),
        CheckStatus::Proved => ("pass", "none"),
        CheckStatus::Unreachable => ("notApplicable", "none"),
    };
    let mut text = format!("{}: {} ({})", check.status.name(), check.claim, check.text);
    for more in [&check.reason, &check.certified].into_iter().flatten() {
        text += &format!(". {more}");
    }
    let mut result = json!({
        "ruleId": check.property,
        "level": level,
        "kind": kind,
        "message": {"text": text},
        "locations": place(&check.place).into_iter().collect::<Vec<_>>(),
    });
    if let Some(index) = RULES.iter().position(|rule| rule.id == check.property) {
        result["ruleIndex"] = json!(index);
    }
    result
}

fn violation(property: &str, counterexample: &Counterexample) -> Value {
    let known = RULES.iter().position(|rule| rule.id == property);
    let inputs: Vec<String> = counterexample
        .inputs
        .iter()
        .take(8)
        .map(|input| format!("{} = {}", input.what, input.value))
        .collect();
    let short = known.map_or("The property is violated.", |index| RULES[index].short);
    let with = match (&inputs[..], counterexample.inputs.len()) {
        ([], _) => String::new(),
        (inputs, all) if all > inputs.len() => format!(" Inputs: {}, …", inputs.join(", ")),
        (inputs, _) => format!(" Inputs: {}.", inputs.join(", ")),
    };
    let steps = &counterexample.steps;
    let shown: Vec<&Step> = if steps.len() > FIRST + LAST {
        steps[..FIRST]
            .iter()
            .chain(&steps[steps.len() - LAST..])
            .collect()
    } else {
        steps.iter().collect()
    };
    let mut flow: Vec<Value> = shown
        .iter()
        .enumerate()
        .map(|(order, step)| flow_location(order + 1, step))
        .collect();
    let end = place(&counterexample.violation.place);
    if let (Some(end), false) = (&end, steps.last().is_some_and(|step| step.violates)) {
        let mut location = end.clone();
        location["message"] = json!({"text": "the property is violated here"});
        flow.push(json!({
            "executionOrder": flow.len() + 1,
            "location": location,
            "importance": "essential",
        }));
    }
    let mut result = json!({
        "ruleId": property,
        "level": "error",
        "kind": "fail",
        "message": {"text": format!("{short}{}{with}", why(counterexample))},
        "locations": end.into_iter().collect::<Vec<_>>(),
        "partialFingerprints": {"concordViolation/v1": fingerprint(property, counterexample)},
    });
    if let Some(index) = known {
        result["ruleIndex"] = json!(index);
    }
    if !flow.is_empty() {
        result["codeFlows"] = json!([{
            "message": {"text": "An execution that violates the property"},
            "threadFlows": [{"locations": flow}],
        }]);
    }
    result
}

/// What is wrong, as a sentence behind another.
fn why(counterexample: &Counterexample) -> String {
    let why = counterexample.why.as_ref();
    why.map_or_else(String::new, |why| format!(" In this execution: {why}."))
}

fn flow_location(order: usize, step: &Step) -> Value {
    let mut notes: Vec<String> = step
        .values
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if notes.is_empty() && !step.decided.is_empty() {
        notes.push(step.decided.clone());
    }
    if step.violates {
        notes.push("the property is violated here".into());
    }
    let mut location = location(&step.file, step.line, None);
    location["message"] = json!({"text": notes.join(", ")});
    let state: serde_json::Map<String, Value> = step
        .values
        .iter()
        .map(|(name, value)| (name.clone(), json!({"text": value})))
        .collect();
    json!({
        "executionOrder": order,
        "nestingLevel": step.depth,
        "location": location,
        "importance": match (step.violates, step.matters) {
            (true, _) => "essential",
            (_, true) => "important",
            _ => "unimportant",
        },
        "state": state,
    })
}

fn location(file: &str, line: u32, column: Option<u32>) -> Value {
    let mut region = json!({"startLine": line.max(1)});
    if let Some(column) = column.filter(|column| *column > 0) {
        region["startColumn"] = json!(column);
    }
    json!({"physicalLocation": {"artifactLocation": artifact(file), "region": region}})
}

/// `file:line:column` as a location; none for generated code.
fn place(place: &str) -> Option<Value> {
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some(location(file, line.parse().ok()?, column.parse().ok()))
}

pub(super) fn artifact(file: &str) -> Value {
    let file = file.strip_prefix("./").unwrap_or(file);
    let mut uri = String::new();
    for &byte in file.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    if file.starts_with('/') {
        json!({"uri": format!("file://{uri}")})
    } else {
        json!({"uri": uri, "uriBaseId": "%SRCROOT%"})
    }
}

/// The same for the same violation after lines have moved: rule, file, functions that are active,
/// and the text of the line, without its blanks.
fn fingerprint(property: &str, counterexample: &Counterexample) -> String {
    let mut stack: Vec<(u32, &str)> = Vec::new();
    for step in &counterexample.steps {
        stack.retain(|&(depth, _)| depth < step.depth);
        stack.push((step.depth, &step.function));
    }
    let file = counterexample.violation.place.rsplitn(3, ':').nth(2);
    let text: String = counterexample.violation.text.split_whitespace().collect();
    let active: Vec<&str> = stack.iter().map(|&(_, function)| function).collect();
    let parts = [property, file.unwrap_or_default(), &active.join(">"), &text];
    // FNV-1a: a hash that stays the same for ever and needs no library.
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in parts.join("\0").bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_is_a_home() {
        assert_eq!(home(""), None);
        assert_eq!(home("https://example.org/x"), Some("https://example.org/x"));
    }
}
