//! The answer for people.

use super::iterations::{self, Line};
use super::message::{
    AlarmKind, Counterexample, Invariant, Judgement, Note, Report, Step, Validation, Verdict,
};
use super::notes;

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
/// Values of one step: the elements of an array are cut.
const MAX_VALUES: usize = 6;

pub fn print(report: &Report, quiet: bool, verbose: bool) {
    match report.verdict {
        _ if report.validation.is_some() => print_validation(report),
        Verdict::True => println!("Verdict: TRUE"),
        Verdict::False => println!("Verdict: FALSE ({})", report.property),
        Verdict::Unknown => {
            println!(
                "Verdict: UNKNOWN ({})",
                report.reason.as_deref().unwrap_or("no reason")
            );
        }
    }
    if quiet {
        for note in &report.warnings {
            eprintln!("{}: warning: {}", note.place, note.text);
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
    if let Some(note) = &report.vacuous {
        println!("Note: {}: {}.", note.place, note.text);
    }
    if let Some(why) = &report.restarted {
        println!("Restarted once: {why}.");
    }
    if let Some(counterexample) = &report.counterexample {
        print_counterexample(counterexample, verbose);
    }
    if !report.alarms.is_empty() {
        println!("\nInternal inconsistencies; please report them:");
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
        Judgement::Confirmed => "CONFIRMED",
        Judgement::Refuted => "REFUTED",
        Judgement::Unknown => "UNKNOWN",
    };
    println!("Witness: {word} ({reason})");
}

fn print_notes(title: &str, notes: &[Note]) {
    if notes.is_empty() {
        return;
    }
    let listing = notes::listing(notes);
    match listing.file {
        Some(file) => println!("\n{title}, in {file}:"),
        None => println!("\n{title}:"),
    }
    for line in listing.lines {
        println!("{line}");
    }
}

fn print_invariants(report: &Report) {
    if report.invariants.is_empty() || report.verdict == Verdict::False {
        return;
    }
    let (certified, open): (Vec<&Invariant>, Vec<&Invariant>) =
        report.invariants.iter().partition(|one| one.certified);
    let title = match report.verdict {
        Verdict::Unknown => "Proved so far",
        _ => "Loop invariants",
    };
    for (title, list) in [
        (title.to_owned(), certified),
        (format!("{title} by the engines, not certified"), open),
    ] {
        if list.is_empty() {
            continue;
        }
        println!("\n{title}:");
        for invariant in list.iter().take(MAX_NOTES) {
            let (file, line) = (&invariant.file, invariant.line);
            println!("  {file}:{line}: {}", cut(&invariant.text, MAX_LETTERS));
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
        println!("\nProgress of the engines:");
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

fn print_counterexample(counterexample: &Counterexample, verbose: bool) {
    let inputs = &counterexample.inputs;
    let most_inputs = if verbose { usize::MAX } else { MAX_NOTES };
    if !inputs.is_empty() {
        println!("\nInputs:");
        for line in notes::inputs(inputs, most_inputs) {
            println!("{line}");
        }
    }
    let steps: Vec<&Step> = counterexample
        .steps
        .iter()
        .filter(|step| !step.values.is_empty() || step.branch.is_some())
        .filter(|step| step.matters || verbose)
        .collect();
    if !steps.is_empty() {
        let all = if verbose {
            ""
        } else {
            " (relevant steps; --verbose shows all)"
        };
        println!("\nExecution{all}:");
        print_steps(&steps, counterexample, verbose);
    }
    println!(
        "\nViolated at {}: {}",
        counterexample.violation.place, counterexample.violation.text
    );
    if let Some(why) = &counterexample.why {
        println!("  {why}");
    }
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
            println!("  {}:", step.file);
            file = &step.file;
        }
        let indent = "  ".repeat((step.depth - base).min(20) as usize);
        let line = cut(&format!("{indent}{}", step.text), LONGEST_CODE);
        println!("  {:>width$} | {line:<40}  // {}", step.line, effect(step));
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
    notes.join(", ")
}

fn print_statistics(report: &Report) {
    println!("\nStatistics:");
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
