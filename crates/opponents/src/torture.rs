//! gcc's execute torture tests, from Debian's package of gcc's source; nothing of them is copied
//! into the project.
//!
//! Each test ends with status 0, or it aborts where the compiler is wrong. Three questions about
//! each:
//! - `concord run` must print what gcc's program prints, and end as it does;
//! - with `abort` as the error call the property holds: `concord check` must not say FALSE;
//! - with the test's end as the error call it is violated: `concord check` must not say TRUE.

use crate::gcc::{self, Ended, Model, compile, execute};
use crate::tally::{Tally, construct};
use crate::verifier::{Answer, Verdict, Verifier};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How long gcc's program and the interpreter may take.
const SECONDS: u64 = 10;
/// What a program ends with when it calls the error function.
const REACHED: i32 = 42;

/// Stands for the function that must not be called, where gcc's program is asked.
const ERROR_CALL: &str = "#include <unistd.h>\nvoid reach_error(void) { _exit(42); }\n";

pub struct Test {
    pub name: String,
    files: Vec<PathBuf>,
    /// gcc's options that the test itself asks for.
    options: Vec<String>,
}

/// What came of executing a test.
#[derive(Debug)]
pub enum Execution {
    Equal,
    Differ(String),
    /// The construct that is not supported.
    Unsupported(String),
    Slow,
    /// Not a fair test here: gcc refuses it, or its own program fails.
    NotHere(String),
}

/// The newest packed source of gcc on this machine.
pub fn packed_source() -> Option<PathBuf> {
    let folders = std::fs::read_dir("/usr/src").ok()?;
    let gcc = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("gcc-")
    };
    let mut found: Vec<PathBuf> = folders
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(gcc)
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(gcc)
        .filter(|path| path.to_string_lossy().ends_with(".tar.xz"))
        .collect();
    found.sort();
    found.pop()
}

/// Unpacks the tests below `cache` unless they are there already; the folder of the tests.
pub fn unpack(cache: &Path) -> Result<PathBuf, String> {
    let packed = packed_source().ok_or("Debian's package gcc-12-source is not installed")?;
    let name = packed.file_stem().unwrap_or_default();
    let folder = cache.join(name);
    let done = folder.join("complete");
    if !done.exists() {
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let output = Command::new("tar")
            .arg("-xf")
            .arg(&packed)
            .arg("-C")
            .arg(&folder)
            .args(["--strip-components=4", "--wildcards"])
            .arg("*/gcc.c-torture/execute/*")
            .output()
            .map_err(|error| format!("tar: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        std::fs::write(&done, "").map_err(failed)?;
    }
    Ok(folder.join("execute"))
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// All tests. Those about built-in functions come with a library of their own, and a common `main`.
pub fn tests(root: &Path) -> Result<Vec<Test>, String> {
    let mut all = Vec::new();
    for folder in ["", "ieee", "builtins"] {
        for source in sources(&root.join(folder))? {
            let stem = source.file_stem().unwrap_or_default();
            let stem = stem.to_string_lossy().into_owned();
            let mut files = vec![source.clone()];
            if folder == "builtins" {
                let library = source.with_file_name(format!("{stem}-lib.c"));
                if !library.exists() {
                    continue;
                }
                files.push(library);
                files.push(root.join("builtins/lib/main.c"));
            }
            let text = std::fs::read(&source).map_err(|error| error.to_string())?;
            all.push(Test {
                name: Path::new(folder).join(stem).display().to_string(),
                options: options(&String::from_utf8_lossy(&text)),
                files,
            });
        }
    }
    Ok(all)
}

/// Options that change what the program means, in lines such as `{ dg-options "-fgnu89-inline" }`.
fn options(text: &str) -> Vec<String> {
    let asks = |line: &&str| line.contains("dg-options") || line.contains("dg-additional-options");
    let meant = |word: &&str| {
        let meanings = ["-std=", "-fgnu89-inline", "-finput-charset"];
        meanings.iter().any(|start| word.starts_with(start))
    };
    text.lines()
        .filter(asks)
        .flat_map(|line| line.split(['"', ' ']))
        .filter(meant)
        .map(str::to_owned)
        .collect()
}

pub struct Torture<'a> {
    pub verifier: &'a Verifier,
    pub work: PathBuf,
    pub model: Model,
}

impl Torture<'_> {
    fn gcc(&self, files: &[&Path], test: &Test, more: &[&str]) -> Result<Ended, String> {
        let binary = self.work.join("torture");
        let mut options: Vec<&str> = test.options.iter().map(String::as_str).collect();
        options.extend(more);
        compile(files, &binary, self.model, &options).map_err(|_| "gcc refuses it".to_owned())?;
        execute(&binary, &[], &self.work, SECONDS).ok_or("gcc's program is slow".to_owned())
    }

    /// Executes a test both ways.
    pub fn execute(&self, test: &Test) -> Result<Execution, String> {
        let files: Vec<&Path> = test.files.iter().map(PathBuf::as_path).collect();
        let expected = match self.gcc(&files, test, &[]) {
            Ok(expected) if expected.status == 0 => expected,
            Ok(ended) => {
                let text = format!("gcc's program ends with {}", ended.status);
                return Ok(Execution::NotHere(text));
            }
            Err(why) => return Ok(Execution::NotHere(why)),
        };
        let limit = format!("{SECONDS}s");
        let ran = self
            .verifier
            .run(&files, self.model, &["--timeout", &limit])?;
        let execution = match ran.status {
            Some(0) if ran.output == expected.output => Execution::Equal,
            Some(0) => Execution::Differ("it prints something else".to_owned()),
            Some(2) => Execution::Unsupported(construct(&ran.message)),
            Some(3) if ran.message.contains("time") && !ran.message.contains("support") => {
                Execution::Slow
            }
            Some(3) => Execution::Unsupported(construct(&ran.message)),
            _ => Execution::Differ(ran.message.lines().last().unwrap_or_default().to_owned()),
        };
        if !matches!(execution, Execution::Differ(_)) {
            return Ok(execution);
        }
        if let Some(note) = not_computed(&ran.message) {
            return Ok(Execution::Unsupported(note));
        }
        let again = execute(&self.work.join("torture"), &[], &self.work, SECONDS);
        Ok(match again {
            Some(again) if again.output == expected.output => execution,
            _ => Execution::NotHere("gcc's program prints something else each time".to_owned()),
        })
    }

    /// Both questions about a test.
    pub fn check(&self, test: &Test, timeout: &str, tally: &mut Tally) -> Result<(), String> {
        self.check_abort(test, timeout, tally)?;
        self.check_end(test, timeout, tally)
    }

    fn check_abort(&self, test: &Test, timeout: &str, tally: &mut Tally) -> Result<(), String> {
        let question = Question {
            name: format!("{} with abort as the error call", test.name),
            files: test.files.clone(),
            renamed: [
                "-D",
                "abort=reach_error",
                "-D",
                "__builtin_abort=reach_error",
            ],
            holds: true,
        };
        self.ask(test, &question, timeout, tally)
    }

    fn check_end(&self, test: &Test, timeout: &str, tally: &mut Tally) -> Result<(), String> {
        let end = gcc::helper(&self.work, "end.c", &end_call(&test.files)?)?;
        let question = Question {
            name: format!("{} with its end as the error call", test.name),
            files: test.files.iter().cloned().chain([end]).collect(),
            renamed: ["-D", "main=tested_main", "-D", "exit=tested_exit"],
            holds: false,
        };
        self.ask(test, &question, timeout, tally)
    }

    fn ask(
        &self,
        test: &Test,
        question: &Question,
        timeout: &str,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let mut files: Vec<&Path> = question.files.iter().map(PathBuf::as_path).collect();
        let options = [&question.renamed[..], &["--timeout", timeout]].concat();
        let answer = self.verifier.check(&files, self.model, &options)?;
        let contradicts = answer.verdict
            == if question.holds {
                Verdict::False
            } else {
                Verdict::True
            };
        if contradicts && question.holds && self.fails_with_arguments(test, question, &answer)? {
            tally.unusable("gcc's program aborts too with so many arguments");
            return Ok(());
        }
        if contradicts {
            // The new names may have changed the test: gcc's program must still do what the
            // question expects.
            let error_call = gcc::helper(&self.work, "error_call.c", ERROR_CALL)?;
            files.push(&error_call);
            let expected = if question.holds { 0 } else { REACHED };
            match self.gcc(&files, test, &question.renamed) {
                Ok(ended) if ended.status == expected => {}
                Ok(_) => {
                    tally.unusable("gcc's program behaves otherwise with the new names");
                    return Ok(());
                }
                Err(why) => {
                    tally.unusable(&why);
                    return Ok(());
                }
            }
        }
        tally.count(&question.name, &answer, question.holds);
        Ok(())
    }
}

impl Torture<'_> {
    /// Whether gcc's program reaches the error call with the number of arguments that the answer
    /// names: the tests are about one.
    fn fails_with_arguments(
        &self,
        test: &Test,
        question: &Question,
        answer: &Answer,
    ) -> Result<bool, String> {
        let mut inputs = answer.inputs.iter();
        let Some((_, count)) = inputs.find(|(what, _)| what.ends_with("argc")) else {
            return Ok(false);
        };
        let text = format!(
            "#undef main\nint tested_main();\n\
             int main(void) {{ return tested_main({count}, (char **)0); }}\n"
        );
        let start = gcc::helper(&self.work, "start.c", &text)?;
        let error_call = gcc::helper(&self.work, "error_call.c", ERROR_CALL)?;
        let mut files: Vec<&Path> = question.files.iter().map(PathBuf::as_path).collect();
        files.extend([start.as_path(), &error_call]);
        let options = [&question.renamed[..], &["-D", "main=tested_main"]].concat();
        let ended = self.gcc(&files, test, &options);
        Ok(ended.is_ok_and(|ended| ended.status == REACHED))
    }
}

/// What the execution rests on that Concord does not compute: it is not gcc's program then.
fn not_computed(message: &str) -> Option<String> {
    let note = message.lines().find(|line| line.contains(": note: "))?;
    note.contains("is not computed").then(|| construct(note))
}

/// A test as a question whose answer is known.
struct Question {
    name: String,
    files: Vec<PathBuf>,
    renamed: [&'static str; 4],
    holds: bool,
}

/// A `main` that calls the renamed one of the test, and the error function behind it.
fn end_call(files: &[PathBuf]) -> Result<String, String> {
    let main = files.last().ok_or("a test without files")?;
    let text = std::fs::read(main).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&text);
    let declared = text.split("main").find_map(|behind| {
        let (inside, _) = behind.trim_start().strip_prefix('(')?.split_once(')')?;
        Some(inside.trim())
    });
    let arguments = match declared {
        None | Some("" | "void") => "",
        Some(_) => "1, names",
    };
    // Many call `exit` without a declaration: then it returns an int.
    let words: Vec<&str> = text.split([' ', '\n', '\t', '(']).collect();
    let declared = text.contains("stdlib.h") || words.windows(2).any(|two| two == ["void", "exit"]);
    let result = if declared { "void" } else { "int" };
    Ok(format!(
        "#undef main\n#undef exit\n\
         void reach_error(void);\n\
         void _exit(int);\n\
         int tested_main();\n\
         static char *names[] = {{ \"test\", 0 }};\n\
         {result} tested_exit(int status) {{ if (status == 0) reach_error(); _exit(status); }}\n\
         int main(void) {{ tested_main({arguments}); reach_error(); return 0; }}\n"
    ))
}

/// How the executions of many tests ended.
#[derive(Default)]
pub struct Executions {
    pub equal: u64,
    pub differ: Vec<String>,
    pub slow: Vec<String>,
    pub unsupported: BTreeMap<String, Vec<String>>,
    pub not_here: BTreeMap<String, Vec<String>>,
}

impl Executions {
    pub fn count(&mut self, test: &Test, execution: Execution) {
        let name = test.name.clone();
        match execution {
            Execution::Equal => self.equal += 1,
            Execution::Differ(text) => {
                println!("DIFFERENT: {name}: {text}");
                self.differ.push(format!("{name}: {text}"));
            }
            Execution::Slow => self.slow.push(name),
            Execution::Unsupported(what) => self.unsupported.entry(what).or_default().push(name),
            Execution::NotHere(why) => self.not_here.entry(why).or_default().push(name),
        }
    }

    /// The table of the documentation: counts, and what is unsupported by construct.
    pub fn table(&self) -> String {
        let sum = |by: &BTreeMap<String, Vec<String>>| by.values().map(Vec::len).sum::<usize>();
        let mut text = format!(
            "{} equal, {} differ, {} slow, {} unsupported, {} not fair here\n",
            self.equal,
            self.differ.len(),
            self.slow.len(),
            sum(&self.unsupported),
            sum(&self.not_here)
        );
        for (title, by) in [
            ("unsupported", &self.unsupported),
            ("not fair", &self.not_here),
        ] {
            let mut rows: Vec<_> = by.iter().collect();
            rows.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
            for (what, names) in rows {
                let some = names.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
                text.push_str(&format!("{:5}  {title}: {what} ({some}…)\n", names.len()));
            }
        }
        for name in &self.slow {
            text.push_str(&format!("       slow: {name}\n"));
        }
        text
    }
}
