//! `concord check --each-function`: every function of the program is the entry of a check of its
//! own, with arbitrary arguments; the answers are one table.

use crate::cli::{CheckArgs, Format};
use crate::exit;
use crate::load;
use crate::standard_input::StandardInput;
use control::StopToken;
use process::CommandLine;
use process::helper::{self, HelperLimits, Listen};
use runner::bench::Stop;
use runner::cluster::{self, Array, Engine};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// What is told about one function.
#[derive(Serialize)]
struct Row {
    function: String,
    /// As in the result of a check; absent if there is none.
    verdict: Option<String>,
    seconds: f64,
    /// Why there is no answer, or what is violated where.
    note: String,
    result: Value,
}

/// Checks all functions, one after the other, each in a process of its own under the limits of the
/// command line. `words` is the command line without the executable.
pub fn check(args: &CheckArgs, words: &[OsString], stdin: Option<&StandardInput>) -> ExitCode {
    let shown = |text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        stdin.map_or(text.to_string(), |stdin| stdin.shown(&text))
    };
    if args.input.entry.is_some() {
        return exit::bad_input("--each-function starts at every function: leave out --entry");
    }
    if args.on.is_some() && stdin.is_some() {
        return exit::bad_input("--on reads files: standard input is on this machine only");
    }
    let functions = match load::functions(args) {
        Ok(functions) if functions.is_empty() => {
            return exit::bad_input("the files define no function");
        }
        Ok(functions) => functions,
        Err(text) => return exit::bad_input(shown(text.as_bytes())),
    };
    table(args, functions, words, &shown)
}

/// Checks the entries of a project in the same way. `words` does not have the settings yet: each
/// entry has its own.
pub fn check_entries(args: &CheckArgs, entries: Vec<String>, words: &[OsString]) -> ExitCode {
    let shown = |text: &[u8]| String::from_utf8_lossy(text).to_string();
    table(args, entries, words, &shown)
}

fn table(
    args: &CheckArgs,
    functions: Vec<String>,
    words: &[OsString],
    shown: &dyn Fn(&[u8]) -> String,
) -> ExitCode {
    if args.format == Format::Sarif {
        return exit::bad_input("several entries are printed as text or JSON, not as SARIF");
    }
    if args.output.is_some() || args.witness.is_some() || args.harness.is_some() {
        return exit::bad_input(
            "--output, --witness and --harness are for one entry: choose it with --entry",
        );
    }
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            return exit::bad_input(format!("cannot find Concord's own executable: {error}"));
        }
    };
    let mut rows = Vec::new();
    let width = functions.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or(0).max("function".len());
    let shows_text = args.format == Format::Human;
    if shows_text {
        println!("{:width$}  verdict   CPU time  note", "function");
    }
    let mut show = |row: Row| {
        if shows_text {
            let verdict = row.verdict.as_deref().unwrap_or("error");
            println!(
                "{:width$}  {verdict:8}  {:6.1} s  {}",
                row.function, row.seconds, row.note
            );
        }
        rows.push(row);
    };
    let own = without_ours(words);
    match args.on {
        Some(engine) => {
            let done = on_cluster(engine, args, &program, &own, &functions, &mut show);
            if let Err(problem) = done {
                return exit::bad_input(problem);
            }
        }
        None => {
            for function in functions {
                let command = CommandLine::new(program.clone())
                    .arguments(&own)
                    .arguments(["--format", "json", "--entry"])
                    .argument(&function);
                let limits = HelperLimits::default();
                let told = helper::run(&command, &limits, Listen::Both, &StopToken::new());
                show(match told {
                    Ok(output) => row(function, &shown(&output.stdout), &shown(&output.stderr)),
                    Err(error) => Row {
                        function,
                        verdict: None,
                        seconds: 0.0,
                        note: format!("cannot be checked: {error}"),
                        result: Value::Null,
                    },
                });
            }
        }
    }
    if args.format == Format::Json {
        match serde_json::to_string_pretty(&rows) {
            Ok(text) => println!("{text}"),
            Err(error) => return exit::bad_input(error),
        }
    }
    let any = |wanted: Option<&str>| rows.iter().any(|row| row.verdict.as_deref() == wanted);
    exit::code(match () {
        () if any(Some("false")) => exit::FALSE,
        () if any(None) => exit::BAD_INPUT,
        () if any(Some("unknown")) => exit::UNKNOWN,
        () => exit::TRUE,
    })
}

/// What an element of the array may take besides the check itself.
const SLACK: Duration = Duration::from_secs(60);
const MEMORY_SLACK: u64 = 200_000_000;

/// Checks each function in an element of an array of jobs; shows the rows in their order, as soon as
/// those before them are known.
fn on_cluster(
    engine: Engine,
    args: &CheckArgs,
    program: &Path,
    own: &[OsString],
    functions: &[String],
    show: &mut dyn FnMut(Row),
) -> Result<(), String> {
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    // All machines see this directory, as they see the files.
    let directory = tempfile::Builder::new()
        .prefix(".concord-functions-")
        .tempdir_in(&here)
        .map_err(|error| format!("{}: {error}", here.display()))?;
    let list = directory.path().join("functions");
    let names: String = functions.iter().map(|name| format!("{name}\n")).collect();
    std::fs::write(&list, names).map_err(|error| format!("{}: {error}", list.display()))?;
    let quoted = |path: &Path| cluster::quoted(&path.display().to_string());
    let words: Vec<String> = own
        .iter()
        .map(|word| cluster::quoted(&word.to_string_lossy()))
        .collect();
    // The last step is one that happens or does not.
    let script = format!(
        "cd {here} || exit\nresult={place}/$ELEMENT\n\
         {program} {words} --format json --entry \"$(sed -n $((ELEMENT + 1))p {list})\" \
         > $result.out 2> $result.err\nmv $result.out $result.json",
        here = quoted(&here),
        place = quoted(directory.path()),
        program = quoted(program),
        words = words.join(" "),
        list = quoted(&list),
    );
    let array = Array {
        name: "concord-check".into(),
        directory: directory.path().to_owned(),
        script,
        processors: 1,
        memory: args.memory + MEMORY_SLACK,
        time: args.wall() + SLACK,
    };
    let stop = Stop::on_signals().map_err(|error| error.to_string())?;
    let mut found: BTreeMap<usize, Row> = BTreeMap::new();
    let mut shown = 0;
    let ended = cluster::run(
        engine,
        &array,
        &mut || {
            for (element, function) in functions.iter().enumerate().skip(shown) {
                let file = |ending: &str| directory.path().join(format!("{element}.{ending}"));
                if found.contains_key(&element) {
                    continue;
                }
                if let Ok(output) = std::fs::read_to_string(file("json")) {
                    let errors = std::fs::read_to_string(file("err")).unwrap_or_default();
                    found.insert(element, row(function.clone(), &output, &errors));
                }
            }
            while let Some(row) = found.remove(&shown) {
                show(row);
                shown += 1;
            }
            let open = (shown..functions.len()).filter(|element| !found.contains_key(element));
            open.map(|element| (element, 1)).collect()
        },
        &stop,
    );
    ended.map_err(|error| error.to_string())
}

/// The words for the check of one function: without what is said of all, and without the format,
/// which is ours to choose.
fn without_ours(words: &[OsString]) -> Vec<OsString> {
    let is_ours = |word: &OsString| {
        let bytes = word.as_encoded_bytes();
        bytes.starts_with(b"--format=") || bytes.starts_with(b"--on=")
    };
    let mut own = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--format" || word == "--on" {
            words.next();
        } else if word != "--each-function" && !is_ours(word) {
            own.push(word.clone());
        }
    }
    own
}

fn row(function: String, output: &str, errors: &str) -> Row {
    let result: Value = serde_json::from_str(output).unwrap_or(Value::Null);
    let text = |key: &str| result.get(key).and_then(Value::as_str).map(str::to_owned);
    let verdict = text("verdict").map(|verdict| verdict.to_ascii_lowercase());
    let first_line = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let note = match verdict.as_deref() {
        None => first_line(errors),
        Some("false") => violation(&result),
        _ => first_line(&text("reason").unwrap_or_default()),
    };
    let seconds = result.get("cpu_seconds").and_then(Value::as_f64);
    Row {
        function,
        verdict,
        seconds: seconds.unwrap_or(0.0),
        note,
        result,
    }
}

/// Where the property is violated, and by what.
fn violation(result: &Value) -> String {
    let text = |key: &str| {
        let found = result.pointer(&format!("/counterexample/violation/{key}"));
        found.and_then(Value::as_str).unwrap_or_default()
    };
    format!("{}: {}", text("place"), text("text"))
}
