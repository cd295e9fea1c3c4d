//! Random programs of csmith, whose checksum or one of whose values becomes an assertion, true and
//! false.

use crate::gcc::{Model, compile, execute};
use crate::random::Random;
use crate::tally::{Tally, keep};
use crate::verifier::{Verdict, Verifier};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How long a program may run when gcc has compiled it; slower ones are replaced.
const NATIVE_SECONDS: u64 = 5;

/// The folder of csmith's headers, if csmith is there.
pub fn include() -> Option<PathBuf> {
    let candidates = ["/usr/include/csmith", "/usr/local/include/csmith"];
    let found = candidates.iter().map(PathBuf::from);
    let found = found
        .into_iter()
        .find(|path| path.join("csmith.h").exists());
    let runs = Command::new("csmith")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    found.filter(|_| runs.is_ok())
}

/// Writes the program of one seed; `None` if csmith fails.
pub fn generate(work: &Path, seed: u64, options: &[&str]) -> Option<PathBuf> {
    let source = work.join(format!("{seed}.c"));
    let generated = Command::new("csmith")
        .args(["--seed", &seed.to_string()])
        .args(options)
        .arg("-o")
        .arg(&source)
        .stdout(Stdio::null())
        .status();
    generated
        .is_ok_and(|status| status.success())
        .then_some(source)
}

/// From programs that are proved within a second to those that csmith makes on its own.
pub const SIZES: [&[&str]; 5] = [
    &[
        "--max-funcs",
        "2",
        "--max-block-depth",
        "2",
        "--max-block-size",
        "2",
        "--max-expr-complexity",
        "4",
        "--max-array-dim",
        "1",
        "--max-array-len-per-dim",
        "4",
    ],
    &[
        "--max-funcs",
        "2",
        "--max-block-depth",
        "2",
        "--max-array-dim",
        "1",
    ],
    &[
        "--max-funcs",
        "3",
        "--max-block-depth",
        "3",
        "--max-block-size",
        "3",
    ],
    &[
        "--max-funcs",
        "5",
        "--max-block-depth",
        "3",
        "--max-array-len-per-dim",
        "4",
    ],
    &[],
];

/// What gcc's program prints: each value that is hashed, and the checksum.
const TELL: &str = "#define transparent_crc(value, name, flag) \
    do { transparent_crc(value, name, flag); printf(\"value %llu\\n\", (unsigned long long)(value)); } while (0)\n";

pub struct Csmith<'a> {
    pub verifier: &'a Verifier,
    pub include: PathBuf,
    pub work: PathBuf,
    pub kept: PathBuf,
    pub timeout: String,
    pub analysis: String,
    /// Which of [`SIZES`]; `None` mixes them.
    pub size: Option<usize>,
}

/// An assertion as definitions of macros behind csmith's header, and whether it holds.
struct Question {
    macros: String,
    holds: bool,
}

/// About the checksum, or about one value at the end.
fn questions(random: &mut Random, printed: &str) -> Vec<Question> {
    let values: Vec<u64> = printed
        .lines()
        .filter_map(|line| line.strip_prefix("value ")?.parse().ok())
        .collect();
    let checksum = printed
        .lines()
        .find_map(|line| u32::from_str_radix(line.strip_prefix("checksum = ")?, 16).ok());
    let Some(checksum) = checksum else {
        return Vec::new();
    };
    let mut ask = |comparison: &str| {
        if values.is_empty() || random.percent(40) {
            return format!(
                "#define platform_main_end(crc, flag) \
                 do {{ if (!((uint32_t)(crc) {comparison} {checksum}u)) reach_error(); }} while (0)\n"
            );
        }
        let index = random.below(values.len());
        let value = values[index];
        format!(
            "static int opponents_index;\n\
             #define transparent_crc(value, name, flag) do {{ unsigned long long found = (value); \
             if (opponents_index++ == {index} && !(found {comparison} {value}u)) reach_error(); \
             }} while (0)\n"
        )
    };
    [("==", true), ("!=", false)]
        .map(|(comparison, holds)| Question {
            macros: ask(comparison),
            holds,
        })
        .into()
}

impl Csmith<'_> {
    /// One program, with a true and a false assertion.
    pub fn fight(&self, seed: u64, tally: &mut Tally) -> Result<(), String> {
        let mut random = Random::new(seed, "csmith");
        let model = *random.pick(&[Model::Ilp32, Model::Lp64]);
        let drawn = random.below(SIZES.len());
        let size = SIZES[self.size.unwrap_or(drawn)];
        let options = [&["--no-argc"], size].concat();
        let generated = generate(&self.work, seed, &options).ok_or("csmith fails")?;
        let text = std::fs::read_to_string(&generated).map_err(|error| error.to_string());
        // What cannot be removed does no harm.
        let _ = std::fs::remove_file(&generated);
        let text = text?;
        tally.programs += 1;
        let source = self.work.join("csmith.c");
        let include = format!("-I{}", self.include.display());
        let binary = self.work.join("csmith");
        write(&source, &text, TELL)?;
        if compile(&[&source], &binary, model, &[&include]).is_err() {
            tally.unusable("gcc refuses it");
            return Ok(());
        }
        let printed = match execute(&binary, &[], &self.work, NATIVE_SECONDS) {
            Some(ended) if ended.status == 0 => ended.output,
            Some(_) => {
                tally.unusable("it crashes");
                return Ok(());
            }
            None => {
                tally.unusable("it does not end in time");
                return Ok(());
            }
        };
        for question in questions(&mut random, &String::from_utf8_lossy(&printed)) {
            write(&source, &text, &question.macros)?;
            let answer = self.verifier.check(
                &[&source],
                model,
                &[
                    &include,
                    "--analysis",
                    &self.analysis,
                    "--timeout",
                    &self.timeout,
                ],
            )?;
            let name = format!("seed {seed}, {}, {}", model.name(), self.analysis);
            let findings = tally.findings.len();
            tally.count(&name, &answer, question.holds);
            if tally.findings.len() > findings || answer.verdict == Verdict::Refused {
                let name = format!("csmith-{seed}-{}.c", question.holds);
                let kept = keep(&self.kept, &name, &source)?;
                println!("  {}: {}", kept.display(), answer.reason.trim_end());
            }
        }
        Ok(())
    }
}

/// The program with definitions behind its header.
fn write(path: &Path, text: &str, macros: &str) -> Result<(), String> {
    let header = "#include \"csmith.h\"\n";
    let text = text.replacen(
        header,
        &format!("{header}void reach_error(void);\n{macros}"),
        1,
    );
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
