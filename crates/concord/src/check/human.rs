//! The answer for people.

use super::message::{Counterexample, Judgement, Note, Report, Validation, Verdict};

/// Notes of one kind that are shown before the rest is only counted.
const MOST_NOTES: usize = 20;
/// Steps of an execution that are shown from its beginning and from its end; the report has more.
const FIRST_STEPS: usize = 40;
const LAST_STEPS: usize = 160;

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
        return;
    }
    if let (Some(engine), Some(kind), Some(how)) =
        (&report.engine, &report.certificate, &report.certified)
    {
        println!("Found by {engine}; certificate: {kind}, {how}.");
    } else if let Some(how) = &report.certified {
        println!("Certified: {how}.");
    }
    if let Some(counterexample) = &report.counterexample {
        print_counterexample(counterexample);
    }
    if !report.invariants.is_empty() && report.verdict != Verdict::False {
        let title = match report.verdict {
            Verdict::Unknown => "Proved so far",
            _ => "Loop invariants",
        };
        println!("\n{title}:");
        for invariant in &report.invariants {
            let (file, line) = (&invariant.file, invariant.line);
            println!("  {file}:{line}: {}", invariant.text);
        }
    }
    if report.verdict == Verdict::Unknown && !report.gave_up.is_empty() {
        println!("\nHow far the engines came:");
        for (engine, reason) in &report.gave_up {
            println!("  {engine}: {reason}");
        }
    }
    print_notes("Assumed", &report.assumptions);
    print_notes("Taken for granted, not proved", &report.not_proved);
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
    println!("\n{title}:");
    for note in notes.iter().take(MOST_NOTES) {
        println!("  {}: {}", note.place, note.text);
    }
    if notes.len() > MOST_NOTES {
        println!("  … and {} more", notes.len() - MOST_NOTES);
    }
}

fn print_counterexample(counterexample: &Counterexample) {
    if !counterexample.inputs.is_empty() {
        println!("\nInputs:");
        for input in &counterexample.inputs {
            println!("  {}: {} = {}", input.place, input.what, input.value);
        }
    }
    println!("\nExecution:");
    let width = counterexample
        .steps
        .iter()
        .map(|step| step.line.to_string().len())
        .max()
        .unwrap_or(1);
    let mut file = String::new();
    let steps = &counterexample.steps;
    let cut = steps.len() > FIRST_STEPS + LAST_STEPS;
    let skipped = if cut {
        steps.len() - FIRST_STEPS - LAST_STEPS
    } else {
        0
    };
    for (number, step) in steps.iter().enumerate() {
        let is_skipped = cut && (FIRST_STEPS..FIRST_STEPS + skipped).contains(&number);
        let is_bare = step.values.is_empty() && step.branch.is_none();
        if is_skipped || is_bare {
            continue;
        }
        if step.file != file {
            println!("  {}:", step.file);
            file = step.file.clone();
        }
        let indent = "  ".repeat(step.depth.min(20) as usize);
        let mut notes: Vec<String> = step
            .values
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        if let (Some(taken), true) = (step.branch, notes.is_empty()) {
            notes.push(if taken {
                "taken".into()
            } else {
                "not taken".into()
            });
        }
        println!(
            "  {:>width$} | {indent}{}    // {}",
            step.line,
            step.text,
            notes.join(", ")
        );
    }
    let left_out = counterexample.left_out + skipped as u64;
    if left_out > 0 {
        println!("  ({left_out} steps in the middle are left out)");
    }
    println!(
        "\nViolated at {}: {}",
        counterexample.violation.place, counterexample.violation.text
    );
}

fn print_statistics(report: &Report) {
    println!("\nStatistics:");
    for (engine, counts) in &report.statistics {
        for (what, value) in counts {
            println!("  {engine}: {what} {value}");
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
