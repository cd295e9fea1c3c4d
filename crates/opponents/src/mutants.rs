//! Programs of which one operator or constant was changed, against executions of what gcc makes of
//! them.
//!
//! TRUE contradicts an execution that calls the error function; FALSE is confirmed by an execution
//! of gcc's program with the inputs of the answer. A sanitizer ends executions at accesses outside
//! of objects, as the verifier does.

use crate::gcc::{self, Ended, Model, compile, execute};
use crate::random::Random;
use crate::tally::{Tally, keep};
use crate::verifier::{Verdict, Verifier};
use std::path::{Path, PathBuf};

const EXECUTIONS: &str = include_str!("../c/executions.c");
/// What a program ends with when it calls the error function.
const REACHED: i32 = 42;
const SECONDS: u64 = 20;

/// A program with the place and the text of one change.
pub struct Mutant {
    pub program: PathBuf,
    pub model: Model,
    pub line: usize,
    pub before: String,
    pub after: String,
    pub text: String,
}

impl Mutant {
    pub fn name(&self) -> String {
        let stem = self.program.file_stem().unwrap_or_default();
        let (stem, line) = (stem.to_string_lossy(), self.line);
        format!("{stem}:{line} {} -> {}", self.before, self.after)
    }
}

/// What an operator may become.
fn others(operator: &str) -> &'static [&'static str] {
    match operator {
        "+" => &["-"],
        "-" => &["+"],
        "*" => &["+"],
        "/" => &["*"],
        "%" => &["/"],
        "<" => &["<=", ">"],
        "<=" => &["<", "=="],
        ">" => &[">=", "<"],
        ">=" => &[">", "=="],
        "==" => &["!="],
        "!=" => &["=="],
        "&&" => &["||"],
        "||" => &["&&"],
        "&" => &["|"],
        "|" => &["&"],
        "^" => &["|"],
        "<<" => &[">>"],
        ">>" => &["<<"],
        "++" => &["--"],
        "--" => &["++"],
        "+=" => &["-="],
        "-=" => &["+="],
        "*=" => &["+="],
        "<<=" => &[">>="],
        ">>=" => &["<<="],
        _ => &[],
    }
}

/// Operators, longest first, so that each is read whole; those without a mutation are there to be
/// skipped.
const OPERATORS: [&str; 35] = [
    "<<=", ">>=", "...", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "+", "-", "*", "/", "%", "<", ">", "&", "|", "^",
    "=", "!", "~",
];

/// All changes of one token: where it is, how long, and what it becomes.
fn changes(text: &str) -> Vec<(usize, usize, String)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut begins_line) = (0, true);
    while at < bytes.len() {
        let rest = &text[at..];
        let skip = |end: &str, from: usize| {
            let behind = rest[from..].find(end);
            behind.map_or(rest.len(), |length| from + length + end.len())
        };
        let byte = bytes[at];
        let length = if byte == b'\n' {
            begins_line = true;
            at += 1;
            continue;
        } else if byte == b'#' && begins_line {
            // A directive, with the lines that continue it: what it says is for all its uses.
            let mut end = skip("\n", 0);
            while rest[..end].ends_with("\\\n") {
                end += rest[end..].find('\n').map_or(rest.len() - end, |n| n + 1);
            }
            at += end;
            continue;
        } else if rest.starts_with("/*") {
            skip("*/", 2)
        } else if rest.starts_with("//") {
            skip("\n", 0) - 1
        } else if byte == b'"' || byte == b'\'' {
            literal(bytes, at) - at
        } else if byte.is_ascii_digit() {
            let word = rest.len()
                - rest
                    .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '.')
                    .len();
            found.extend(neighbours(&rest[..word]).map(|after| (at, word, after)));
            word
        } else if byte.is_ascii_alphabetic() || byte == b'_' {
            rest.len()
                - rest
                    .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')
                    .len()
        } else if let Some(operator) = OPERATORS.iter().find(|one| rest.starts_with(**one)) {
            // Declarations have stars and ampersands too: only with a blank on both sides they are
            // operators.
            let spaced = at > 0 && bytes[at - 1] == b' ' && rest[operator.len()..].starts_with(' ');
            if spaced || !["*", "&"].contains(operator) {
                let each = others(operator).iter();
                found.extend(each.map(|after| (at, operator.len(), after.to_string())));
            }
            operator.len()
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        begins_line &= byte.is_ascii_whitespace();
        at += length;
    }
    found
}

/// Behind a literal that begins here.
fn literal(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != bytes[start] && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// Decimal integers one greater and one less.
fn neighbours(constant: &str) -> impl Iterator<Item = String> + use<> {
    let digits = constant.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = constant[digits.len()..].to_owned();
    let octal = digits.len() > 1 && digits.starts_with('0');
    let value: Option<u64> = if octal { None } else { digits.parse().ok() };
    let near = value
        .into_iter()
        .flat_map(|value| [value.checked_sub(1), value.checked_add(1)]);
    near.flatten().map(move |value| format!("{value}{suffix}"))
}

/// All mutants of a program.
pub fn mutants(program: &Path, model: Model) -> Result<Vec<Mutant>, String> {
    let text = std::fs::read_to_string(program)
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let mutant = |(at, length, after): (usize, usize, String)| Mutant {
        program: program.to_owned(),
        model,
        line: text[..at].matches('\n').count() + 1,
        before: text[at..at + length].to_owned(),
        text: format!("{}{after}{}", &text[..at], &text[at + length..]),
        after,
    };
    Ok(changes(&text).into_iter().map(mutant).collect())
}

/// The programs of a folder with their data models, by the task definitions beside them.
pub fn programs(folder: &Path) -> Result<Vec<(PathBuf, Model)>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let definition = entry.map_err(failed)?.path();
        let source = definition.with_extension("c");
        if definition
            .extension()
            .is_none_or(|extension| extension != "yml")
            || !source.exists()
        {
            continue;
        }
        let text = std::fs::read_to_string(&definition).map_err(failed)?;
        let property = text.contains("unreach-call.prp");
        if property {
            let narrow = text.contains("ILP32");
            found.push((source, if narrow { Model::Ilp32 } else { Model::Lp64 }));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

/// The mutants of all programs below the folder, in an order that the seed determines.
pub fn all(root: &Path, folders: &[&str], seed: u64) -> Result<Vec<Mutant>, String> {
    let mut found = Vec::new();
    for folder in folders {
        for (program, model) in programs(&root.join(folder))? {
            found.extend(mutants(&program, model)?);
        }
    }
    let mut random = Random::new(seed, "mutants");
    for last in (1..found.len()).rev() {
        found.swap(last, random.below(last + 1));
    }
    Ok(found)
}

pub struct Mutants<'a> {
    pub verifier: &'a Verifier,
    pub work: PathBuf,
    pub kept: PathBuf,
    pub timeout: String,
    pub analysis: String,
    /// Random executions of each mutant.
    pub executions: u32,
}

impl Mutants<'_> {
    pub fn fight(&self, mutant: &Mutant, tally: &mut Tally) -> Result<(), String> {
        let harness = gcc::helper(&self.work, "executions.c", EXECUTIONS)?;
        let source = gcc::helper(&self.work, "mutant.c", &mutant.text)?;
        tally.programs += 1;
        let timeout = ["--timeout", &self.timeout, "--property", "unreach-call"];
        let analysis = ["--analysis", &self.analysis];
        let options = [timeout.as_slice(), &analysis].concat();
        let answer = self.verifier.check(&[&source], mutant.model, &options)?;
        let findings = tally.findings.len();
        let binary = self.work.join("mutant");
        let options: [&str; 3] = [
            "-Dmain=program_main",
            "-fsanitize=address",
            "-Wl,--allow-multiple-definition",
        ];
        let answers = matches!(answer.verdict, Verdict::True | Verdict::False);
        let compiled = |more: &[&str]| {
            let options = [&options, more].concat();
            compile(&[&harness, &source], &binary, mutant.model, &options)
        };
        if answers && compiled(&[]).is_err() {
            tally.unusable("gcc refuses it");
            return Ok(());
        }
        if answers && gcc::has_code_on_the_stack(&binary) {
            compiled(&["-DCODE_ON_THE_STACK"])?;
        }
        match answer.verdict {
            Verdict::True => {
                let number = self.executions.to_string();
                let ended = execute(&binary, &[&number, "1"], &self.work, SECONDS);
                let fails = ended.filter(|ended| ended.status == REACHED);
                tally.count(&mutant.name(), &answer, fails.is_none());
                if let Some(Ended { output, .. }) = fails {
                    let inputs = String::from_utf8_lossy(&output).into_owned();
                    tally.find(format!("  gcc's program fails with {}", inputs.trim_end()));
                }
            }
            Verdict::False => self.confirm(mutant, &answer, &binary, tally),
            _ => {
                tally.count(&mutant.name(), &answer, true);
            }
        }
        if tally.findings.len() > findings {
            let name = mutant
                .name()
                .replace([' ', '/', ':', '>', '<', '|', '&', '*'], "_");
            let kept = keep(&self.kept, &format!("mutant-{name}.c"), &source)?;
            println!(
                "  {} ({}): {}",
                kept.display(),
                mutant.model.name(),
                answer.reason
            );
        }
        Ok(())
    }

    /// Executes gcc's program with the inputs of a violation.
    fn confirm(
        &self,
        mutant: &Mutant,
        answer: &crate::verifier::Answer,
        binary: &Path,
        tally: &mut Tally,
    ) {
        if answer
            .inputs
            .iter()
            .any(|(what, _)| !what.starts_with("__VERIFIER_nondet_"))
        {
            tally.unusable("its violation takes inputs that gcc's program cannot be given");
            return;
        }
        let values = answer.inputs.iter().map(|(_, value)| value.as_str());
        let arguments: Vec<&str> = ["="].into_iter().chain(values).collect();
        let ended = execute(binary, &arguments, &self.work, SECONDS);
        let fails = ended.as_ref().is_some_and(|ended| ended.status == REACHED);
        tally.count(&mutant.name(), answer, !fails);
        if !fails {
            let status = ended.map(|ended| ended.status);
            let inputs = arguments[1..].join(" ");
            tally.find(format!("  gcc's program ends with {status:?} for {inputs}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_is_changed_and_nothing_else() {
        let text =
            "#define A 1 + 2\nint *p; // 1 + 1\nint f(int a) { return a->b <= '1' + 07 + 9u; }\n";
        let after: Vec<String> = changes(text)
            .into_iter()
            .map(|(at, length, after)| format!("{} {after}", &text[at..at + length]))
            .collect();
        assert_eq!(after, ["<= <", "<= ==", "+ -", "+ -", "9u 8u", "9u 10u"]);
    }
}
