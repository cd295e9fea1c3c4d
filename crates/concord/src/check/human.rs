//! The answer for people.

use super::iterations::{self, Line};
use super::message::{
    AlarmKind, CheckShown, CheckStatus, Counterexample, Invariant, Judgement, Note, Report, Step,
    Validation, Verdict,
};
use super::notes;
use crate::paint;

/// What is printed here has colours where they are wanted.
macro_rules! println {
    ($($arg:tt)*) => { paint::say!($($arg)*) };
}

/// Notes of one kind that are shown before the rest is only counted.
const MAX_NOTES: usize = 20;
/// Steps of an execution that are shown from its beginning and from its end; the report has more.
const FIRST_STEPS: usize = 20;
const LAST_STEPS: usize = 40;
/// Letters of an invariant: those that machines found may be long, and the witness has them as they
/// are.
const MAX_LETTERS: usize = 300;
/// Letters of a line of the program.
const LONGEST_CODE: usize = 72;
/// Checks that are all listed one by one.
const MAX_CHECKS: usize = 60;
/// Lines that are named of those that are not.
const MAX_LINES: usize = 12;
/// Values of one step: the elements of an array are cut.
const MAX_VALUES: usize = 6;

/// `limit` says which limit ended the search.
pub fn print(report: &Report, limit: Option<&str>, quiet: bool, verbose: bool) {
    match report.verdict {
        _ if report.validation.is_some() => print_validation(report),
        Verdict::True => println!("Verdict: {}", paint::text(paint::GOOD, "TRUE")),
        Verdict::False => {
            let word = paint::text(paint::BAD, "FALSE");
            println!("Verdict: {word} ({})", report.property);
        }
        Verdict::Unknown => {
            let word = paint::text(paint::OPEN, "UNKNOWN");
            println!(
                "Verdict: {word} ({})",
                report.reason.as_deref().unwrap_or("no reason")
            );
        }
    }
    if quiet {
        for note in &report.warnings {
            let text = format!("{}: warning: {}", note.place, note.text);
            anstream::eprintln!("{}", paint::diagnostic(&text));
        }
        return;
    }
    if let (Some(engine), Some(kind), Some(how)) =
        (&report.engine, &report.certificate, &report.certified)
    {
        println!("Found by {engine}; certificate: {kind}, {how}.");
    } else if let Some(how) = &report.certified {
        println!("Certified: {how}.");
    }
    if let (Some(limit), Verdict::Unknown) = (limit, report.verdict) {
        println!("Limit: {limit}.");
    }
    if let Some(note) = &report.vacuous {
        println!("Note: {}: {}.", note.place, note.text);
    }
    if let Some(why) = &report.restarted {
        println!("Restarted once: {why}.");
    }
    if report.checks.is_empty() {
        if let Some(counterexample) = &report.counterexample {
            print_counterexample(counterexample, verbose);
        }
    } else {
        print_checks(&report.checks, verbose);
    }
    if !report.alarms.is_empty() {
        println!(
            "\n{}",
            title("Internal inconsistencies; please report them")
        );
        for alarm in &report.alarms {
            println!("  {}: {}", alarm.kind.name(), alarm.text);
        }
    }
    print_invariants(report);
    if report.verdict == Verdict::Unknown || verbose {
        print_progress(report);
    }
    print_notes("Warnings", &report.warnings);
    print_notes("Assumed", &report.assumptions);
    print_notes("Assumed of the program, not proved", &report.not_proved);
    if report.verdict == Verdict::True && report.property == "unreach-call" {
        let is_memory = |note: &Note| note.text.starts_with("memory accesses");
        if report.not_proved.iter().any(is_memory) {
            println!("  (--property memory-safety checks the accesses, --property all everything)");
        }
    }
    if report.verdict != Verdict::False {
        print_notes("Not supported", &report.unsupported);
    }
    if verbose {
        print_statistics(report);
    }
}

fn print_validation(report: &Report) {
    let Some(Validation { judgement, reason }) = &report.validation else {
        return;
    };
    let word = match judgement {
        Judgement::Confirmed => paint::text(paint::GOOD, "CONFIRMED"),
        Judgement::Refuted => paint::text(paint::BAD, "REFUTED"),
        Judgement::Unknown => paint::text(paint::OPEN, "UNKNOWN"),
    };
    println!("Witness: {word} ({reason})");
}

/// A heading, which says with its colon that something follows.
fn title(text: &str) -> String {
    format!("{}:", paint::text(paint::TITLE, text))
}

fn print_notes(heading: &str, notes: &[Note]) {
    if notes.is_empty() {
        return;
    }
    let listing = notes::listing(notes);
    match listing.file {
        Some(file) => println!("\n{}", title(&format!("{heading}, in {file}"))),
        None => println!("\n{}", title(heading)),
    }
    for line in listing.lines {
        println!("{}", paint::place_first(&line));
    }
}

fn print_invariants(report: &Report) {
    if report.invariants.is_empty() || report.verdict == Verdict::False {
        return;
    }
    let (certified, open): (Vec<&Invariant>, Vec<&Invariant>) =
        report.invariants.iter().partition(|one| one.certified);
    let heading = match report.verdict {
        Verdict::Unknown => "Proved so far",
        _ => "Loop invariants",
    };
    for (heading, list) in [
        (heading.to_owned(), certified),
        (format!("{heading} by the engines, not certified"), open),
    ] {
        if list.is_empty() {
            continue;
        }
        println!("\n{}", title(&heading));
        for invariant in list.iter().take(MAX_NOTES) {
            let place = format!("{}:{}", invariant.file, invariant.line);
            let place = paint::text(paint::PLACE, place);
            println!(
                "  {place}: {}",
                paint::c(&cut(&invariant.text, MAX_LETTERS))
            );
        }
        print_rest(list.len());
    }
}

fn cut(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text.into(),
    }
}

/// What has become of those that have no answer.
fn print_progress(report: &Report) {
    if !report.gave_up.is_empty() {
        println!("\n{}", title("Progress of the engines"));
        for (engine, reason) in &report.gave_up {
            println!("  {engine}: {reason}");
        }
    }
}

fn print_rest(all: usize) {
    if all > MAX_NOTES {
        println!("  … and {} more", all - MAX_NOTES);
    }
}

/// Every check, by function. Of the good ones only the lines are named where there are many.
fn print_checks(checks: &[CheckShown], verbose: bool) {
    let counts: Vec<String> = CheckStatus::ALL
        .iter()
        .map(|&status| (status, count_of(checks, status)))
        .filter(|(_, count)| *count > 0)
        .map(|(status, count)| format!("{count} {}", status.name()))
        .collect();
    println!("\n{} {}", title("Checks"), counts.join(", "));
    let lists_all = verbose || checks.len() <= MAX_CHECKS;
    for checks in checks.chunk_by(|one, other| one.function == other.function) {
        let name = match checks[0].function.as_str() {
            "" => "the program",
            name => name,
        };
        println!("\n{}", title(name));
        for check in checks {
            let is_bad = check.status <= CheckStatus::Unknown;
            if is_bad || lists_all {
                print_check(check, verbose);
            }
        }
        if !lists_all {
            print_good(checks);
        }
    }
}

fn count_of(checks: &[CheckShown], status: CheckStatus) -> usize {
    checks.iter().filter(|check| check.status == status).count()
}

/// What is known of a check, as wide as the widest.
fn status(status: CheckStatus) -> String {
    let style = match status {
        CheckStatus::Violated => paint::BAD,
        CheckStatus::Unknown => paint::OPEN,
        CheckStatus::Proved => paint::GOOD,
        CheckStatus::Unreachable => paint::FAINT,
    };
    paint::padded(style, status.name(), 11)
}

fn print_check(check: &CheckShown, verbose: bool) {
    let CheckShown {
        place, claim, text, ..
    } = check;
    let status = status(check.status);
    let place = paint::text(paint::PLACE, place);
    println!("  {status} {place}: {claim}: {}", paint::c(text));
    if let Some(reason) = &check.reason {
        println!("              {reason}");
    }
    if let Some(found) = &check.counterexample {
        if found.violation.place != check.place {
            println!(
                "              at {}: {}",
                found.violation.place, found.violation.text
            );
        }
        if let Some(why) = &found.why {
            println!("              {why}");
        }
        let inputs: Vec<String> = found
            .inputs
            .iter()
            .take(MAX_VALUES)
            .map(|input| format!("{} = {}", input.what, input.value))
            .collect();
        if !inputs.is_empty() {
            let more = found.inputs.len().saturating_sub(MAX_VALUES);
            let more = match more {
                0 => String::new(),
                more => format!(", … {more} more"),
            };
            println!("              with {}{more}", inputs.join(", "));
        }
        if verbose {
            print_counterexample(found, verbose);
        }
    }
    if let (true, Some(how)) = (verbose, &check.certified) {
        let engine = check
            .engine
            .as_deref()
            .unwrap_or("the graph of the program");
        println!("              by {engine}: {how}");
    }
}

/// How many are good, in which lines.
fn print_good(checks: &[CheckShown]) {
    for wanted in [CheckStatus::Proved, CheckStatus::Unreachable] {
        let lines = checks.iter().filter(|check| check.status == wanted);
        let line = |check: &CheckShown| check.place.rsplit(':').nth(1).map(str::to_owned);
        let mut lines: Vec<String> = lines.filter_map(line).collect();
        let all = count_of(checks, wanted);
        lines.dedup();
        if all > 0 {
            let more = match lines.len() > MAX_LINES {
                true => ", …",
                false => "",
            };
            lines.truncate(MAX_LINES);
            let lines = match lines.is_empty() {
                true => String::new(),
                false => format!(" in lines {}{more}", lines.join(", ")),
            };
            println!(
                "  {} {}{lines}",
                status(wanted),
                facts::words::count(all, "check")
            );
        }
    }
}

fn print_counterexample(counterexample: &Counterexample, verbose: bool) {
    let inputs = &counterexample.inputs;
    let most_inputs = if verbose { usize::MAX } else { MAX_NOTES };
    if !inputs.is_empty() {
        println!("\n{}", title("Inputs"));
        for line in notes::inputs(inputs, most_inputs) {
            println!("{}", paint::place_first(&line));
        }
    }
    let steps: Vec<&Step> = counterexample
        .steps
        .iter()
        .filter(|step| !step.values.is_empty() || step.branch.is_some())
        .filter(|step| step.matters && !is_other_case(step) || verbose)
        .collect();
    if !steps.is_empty() {
        let all = if verbose {
            ""
        } else {
            " (relevant steps; --verbose shows all)"
        };
        println!("\n{}{all}:", paint::text(paint::TITLE, "Execution"));
        print_steps(&steps, counterexample, verbose);
    }
    let violation = &counterexample.violation;
    println!(
        "\n{} at {}: {}",
        paint::text(paint::BAD, "Violated"),
        paint::text(paint::PLACE, &violation.place),
        paint::c(&violation.text)
    );
    if let Some(why) = &counterexample.why {
        println!("  {why}");
    }
}

/// A label that the value of a `switch` is compared with in vain.
fn is_other_case(step: &Step) -> bool {
    step.values.is_empty() && step.decided == "not taken" && step.text.starts_with("case ")
}

fn print_steps(steps: &[&Step], counterexample: &Counterexample, verbose: bool) {
    let left_out = counterexample.left_out;
    let (first, last) = if verbose {
        (10 * FIRST_STEPS, 10 * LAST_STEPS)
    } else {
        (FIRST_STEPS, LAST_STEPS)
    };
    let keys: Vec<(&str, u32, u32, Option<bool>)> = steps
        .iter()
        .map(|step| (step.file.as_str(), step.line, step.depth, step.branch))
        .collect();
    let lines = iterations::fold(&keys);
    let skipped = match lines.len() {
        all if all > first + last => all - first - last,
        _ => 0,
    };
    let width = steps.iter().map(|step| step.line.to_string().len()).max();
    let width = width.unwrap_or(1);
    // The program's own start is no call that a reader knows.
    let base = steps.iter().map(|step| step.depth).min().unwrap_or(0);
    let mut file = "";
    for (number, line) in lines.iter().enumerate() {
        if number == first && skipped > 0 {
            let missing = left_out_text(skipped as u64 + left_out);
            println!("  {:>width$} | ({missing} omitted)", "…");
        }
        if skipped > 0 && (first..first + skipped).contains(&number) {
            continue;
        }
        let step = match *line {
            Line::Step(number) => steps[number],
            Line::Again { steps, times } => {
                let what = if steps == 1 { "this" } else { "these" };
                println!("  {:>width$} | ({what} repeated {times} times)", "…");
                continue;
            }
        };
        if step.file != file {
            println!("  {}:", paint::text(paint::PLACE, &step.file));
            file = &step.file;
        }
        let indent = "  ".repeat((step.depth - base).min(20) as usize);
        let line = cut(&format!("{indent}{}", step.text), LONGEST_CODE);
        let number = paint::text(paint::FAINT, format!("{:>width$}", step.line));
        // Blanks are counted before the colours are there.
        let blanks = " ".repeat(40_usize.saturating_sub(line.chars().count()));
        let effect = paint::text(paint::EFFECT, format!("// {}", effect(step)));
        println!("  {number} | {}{blanks}  {effect}", paint::c(&line));
    }
    if counterexample.unfinished {
        println!(
            "  {:>width$} | (and so on: the execution is too long to show)",
            "…"
        );
    } else if skipped == 0 && left_out > 0 {
        println!("  ({} omitted in the middle)", left_out_text(left_out));
    }
}

fn left_out_text(steps: u64) -> String {
    match steps {
        1 => "1 step is".into(),
        _ => format!("{steps} steps are"),
    }
}

/// What a step did: the values it gave, or how it branched.
fn effect(step: &Step) -> String {
    if step.values.is_empty() {
        return step.decided.clone();
    }
    let values = step.values.iter().take(MAX_VALUES);
    let mut notes: Vec<String> = values
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if step.values.len() > MAX_VALUES {
        notes.push(format!("… {} more", step.values.len() - MAX_VALUES));
    }
    // Where a line branches several times, it is said how.
    if step.decided.contains(") ") {
        notes.push(step.decided.clone());
    }
    notes.join(", ")
}

fn print_statistics(report: &Report) {
    println!("\n{}", title("Statistics"));
    for (engine, counts) in &report.statistics {
        for (what, value) in counts {
            println!("  {engine}: {what} {value}");
        }
    }
    for kind in AlarmKind::ALL {
        let alarms = report.alarms.iter();
        let count = alarms.filter(|alarm| alarm.kind == kind).count();
        if count > 0 {
            println!("  alarms: {} {count}", kind.name());
        }
    }
    if let (Some(cpu), Some(wall), Some(memory)) =
        (report.cpu_seconds, report.wall_seconds, report.peak_memory)
    {
        println!(
            "  CPU {cpu:.2} s, wall {wall:.2} s, memory {} MB",
            memory / 1_000_000
        );
    }
}
