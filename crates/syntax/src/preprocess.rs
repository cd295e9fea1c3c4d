//! Calling the C preprocessor where a text needs it.
//!
//! A `.i` file is preprocessed already. A `.c` file is given to `cc -E` (or what the environment
//! variable `CC` names) if it has directives or uses predefined macros; otherwise it is read as it
//! is and no compiler needs to be installed.

pub mod flags;
mod messages;
mod stubs;

use crate::diagnostics::{Diagnostic, Kind};
use crate::lexer;
use crate::names::Names;
use crate::source::{Origin, Source, SourceMap};
use crate::types::DataModel;
use control::StopToken;
use flags::Flags;
use memchr::memmem;
use process::CommandLine;
use process::helper::{self, HelperLimits, HelperOutcome, Listen};
use std::ffi::OsString;
use std::path::Path;
use stubs::StubHeaders;

/// What the preprocessor is told.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub data_model: DataModel,
    pub flags: Flags,
    /// The compiler with its own options; if absent, what `CC` names, and else `cc`.
    pub compiler: Option<String>,
}

/// Does a text need the preprocessor?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
    /// Read it as it is.
    No,
    /// It uses names that a compiler predefines; without one it is read as it is.
    Predefined,
    /// It has directives, the first at this offset, or macros were defined on the command line.
    Yes { directive: Option<u32> },
}

/// Turns the text of the file at `path` into one that can be parsed. The map is needed to speak
/// about places in files that the preprocessor complains about.
pub fn preprocess(
    path: &Path,
    text: Vec<u8>,
    settings: &Settings,
    map: &mut SourceMap,
) -> Result<Source, Vec<Diagnostic>> {
    let name = path.display().to_string();
    let given = |text| Source {
        name: name.clone(),
        text,
        origin: Origin::Given,
    };
    let need = match path.extension() {
        Some(ending) if ending == "i" => Need::No,
        _ => need(&text, settings),
    };
    if need == Need::No {
        return Ok(given(text));
    }
    let output = match run(path, settings) {
        Ok(output) => output,
        Err(_) if need == Need::Predefined => return Ok(given(text)),
        Err(problem) => {
            let mut error = Diagnostic::input(format!(
                "{name} needs the C preprocessor, but the compiler cannot be run: {problem}; \
                 install cc, set CC, or give a preprocessed file (.i)"
            ));
            if let Need::Yes {
                directive: Some(offset),
            } = need
                && let Some(id) = map.add(given(text))
            {
                let lo = map.base(id) + offset;
                error.span = crate::span::Span::new(lo, lo + 1);
            }
            return Err(vec![error]);
        }
    };
    if output.success() {
        refuse_old_inline(&name, &output.stdout, settings)?;
        return Ok(Source {
            name,
            text: output.stdout,
            origin: Origin::Preprocessed,
        });
    }
    let mut errors = messages::diagnostics(&output.stderr, map);
    if errors.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("it printed no message");
        errors.push(Diagnostic::input(format!(
            "the preprocessor failed on {name}: {said}"
        )));
    }
    for error in &mut errors {
        error.kind = Kind::Input;
    }
    Err(errors)
}

/// Before C99, `inline` has another meaning for the linker, which is not supported.
fn refuse_old_inline(name: &str, text: &[u8], settings: &Settings) -> Result<(), Vec<Diagnostic>> {
    let standard = settings.flags.standard.as_deref();
    let Some(standard) = standard.filter(|standard| flags::is_old_standard(standard)) else {
        return Ok(());
    };
    if !memmem::find_iter(text, b"inline").any(|at| is_inline_keyword(text, at)) {
        return Ok(());
    }
    Err(vec![Diagnostic::input(format!(
        "{name} has inline functions, which are linked by other rules in the standard {standard} \
         than from c99 on; give a later standard"
    ))])
}

/// Is it `inline`, `__inline` or `__inline__`, and not a part of another word?
fn is_inline_keyword(text: &[u8], at: usize) -> bool {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let begin = text[..at]
        .iter()
        .rposition(|b| !is_word(b))
        .map_or(0, |at| at + 1);
    let length = text[at..].iter().position(|b| !is_word(b));
    let end = length.map_or(text.len(), |length| at + length);
    matches!(&text[begin..end], b"inline" | b"__inline" | b"__inline__")
}

fn need(text: &[u8], settings: &Settings) -> Need {
    if settings.flags.change_every_text() {
        return Need::Yes { directive: None };
    }
    if may_have_directives(text) {
        // The quick look knows nothing of comments; the lexer does.
        if let Some(span) = lexer::lex(text, 0, &mut Names::new()).directive {
            return Need::Yes {
                directive: Some(span.lo),
            };
        }
    }
    if uses_predefined_macros(text) {
        Need::Predefined
    } else {
        Need::No
    }
}

/// Is there a line that begins with `#` and a directive other than line markers and pragmas?
fn may_have_directives(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some(hash) = memchr::memchr(b'#', rest) {
        rest = &rest[hash + 1..];
        let word = rest.trim_ascii_start();
        let harmless: [&[u8]; 3] = [b"line ", b"pragma", b"ident"];
        if word.first().is_some_and(u8::is_ascii_alphabetic)
            && !harmless.iter().any(|harmless| word.starts_with(harmless))
        {
            return true;
        }
    }
    memmem::find(text, b"%:").is_some()
}

/// Is there a word such as `__LINE__` or `__INT_MAX__`? (`__FUNCTION__` is none of the
/// preprocessor's.)
fn uses_predefined_macros(text: &[u8]) -> bool {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    memmem::find_iter(text, b"__").any(|start| {
        if !text.get(start + 2).is_some_and(u8::is_ascii_uppercase) {
            return false;
        }
        let rest = &text[start..];
        let length = rest.iter().position(|&b| !is_word(b));
        let word = &rest[..length.unwrap_or(rest.len())];
        let begins = start == 0 || !is_word(text[start - 1]);
        begins
            && word.len() > 4
            && word.ends_with(b"__")
            && !word.iter().any(u8::is_ascii_lowercase)
            && !matches!(word, b"__FUNCTION__" | b"__PRETTY_FUNCTION__")
    })
}

fn run(path: &Path, settings: &Settings) -> std::io::Result<HelperOutcome> {
    let named = settings
        .compiler
        .clone()
        .or_else(|| std::env::var("CC").ok());
    let compiler = named
        .filter(|name| !name.trim().is_empty())
        .unwrap_or_else(|| "cc".into());
    let mut words = compiler.split_whitespace();
    let mut command = CommandLine::new(words.next().unwrap_or("cc"))
        .arguments(words)
        .arguments(["-E", "-std=gnu11", "-w", "-x", "c"])
        .arguments(settings.flags.words());
    // Kept alive until the compiler has finished.
    let mut stubs = None;
    if settings.data_model == DataModel::Ilp32 {
        command = command.argument("-m32");
        stubs = StubHeaders::write().ok();
    }
    for folder in stubs.iter().flat_map(StubHeaders::search_path) {
        command = command.argument("-idirafter").argument(folder);
    }
    let command = command
        .argument(not_an_option(path))
        // The messages are read by a program: no translation, no typographic quotes.
        .variable("LC_ALL", "C");
    let (limits, stop) = (HelperLimits::default(), StopToken::new());
    let output = helper::run(&command, &limits, Listen::Both, &stop);
    drop(stubs);
    output
}

/// A path that begins with a dash would be taken for an option.
fn not_an_option(path: &Path) -> OsString {
    if path.as_os_str().as_encoded_bytes().starts_with(b"-") {
        return Path::new(".").join(path).into_os_string();
    }
    path.as_os_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need_of(text: &str) -> Need {
        need(text.as_bytes(), &Settings::default())
    }

    #[test]
    fn plain_texts_need_no_preprocessor() {
        assert_eq!(need_of("int main(void) { return 0; }"), Need::No);
        assert_eq!(
            need_of("# 1 \"a.c\"\n#line 3\n#pragma once\n#ident \"x\"\n#\nint x;"),
            Need::No
        );
        assert_eq!(
            need_of("/*\n#include <stdio.h>\n*/ // #define\nint x; char *s = \"#if\";"),
            Need::No
        );
        assert_eq!(
            need_of("void __VERIFIER_error(); char *f = __FUNCTION__; int A__X__;"),
            Need::No
        );
    }

    #[test]
    fn directives_and_macros_need_it() {
        assert_eq!(
            need_of("int x;\n # include <a.h>"),
            Need::Yes { directive: Some(8) }
        );
        assert_eq!(need_of("%:define X"), Need::Yes { directive: Some(0) });
        assert_eq!(need_of("int x = __LINE__;"), Need::Predefined);
        assert_eq!(need_of("int x = __INT_MAX__;"), Need::Predefined);
        let settings = Settings {
            flags: Flags::defining(["X=1"]),
            ..Settings::default()
        };
        assert_eq!(
            need(b"int x = X;", &settings),
            Need::Yes { directive: None }
        );
    }
}
