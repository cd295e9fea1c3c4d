//! Colours of the terminal. What is written through [`say!`] has them where they are wanted: on a
//! terminal, unless `NO_COLOR` is set, and everywhere if `CLICOLOR_FORCE` is.

use anstyle::{AnsiColor, Style};

/// As `println!`, with colours or without; that nobody reads the output is no reason to fail.
macro_rules! say {
    ($($arg:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(anstream::stdout().lock(), $($arg)*);
    }};
}
pub(crate) use say;

pub const GOOD: Style = AnsiColor::Green.on_default().bold();
pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const OPEN: Style = AnsiColor::Yellow.on_default().bold();
pub const TITLE: Style = Style::new().bold();
pub const PLACE: Style = AnsiColor::Cyan.on_default();
pub const FAINT: Style = Style::new().dimmed();
const KEYWORD: Style = AnsiColor::Blue.on_default();
const LITERAL: Style = AnsiColor::Magenta.on_default();
/// What an execution did at a line.
pub const EFFECT: Style = AnsiColor::Green.on_default();

/// The text in a style.
pub fn text(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The text in a style, and blanks behind it up to the width.
pub fn padded(style: Style, text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(text.chars().count());
    format!("{style}{text}{style:#}{}", " ".repeat(blanks))
}

/// A place `file:line:column` at the beginning of a line, if there is one.
pub fn place_first(line: &str) -> String {
    let blanks = line.len() - line.trim_start().len();
    let (indent, rest) = line.split_at(blanks);
    match rest.split_once(": ") {
        Some((place, text)) if is_place(place) => {
            format!("{indent}{PLACE}{place}{PLACE:#}: {text}")
        }
        _ => line.to_owned(),
    }
}

fn is_place(text: &str) -> bool {
    let mut parts = text.rsplitn(3, ':');
    let mut number = || {
        let part = parts.next();
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    number() && (number() || text.matches(':').count() == 1)
}

const KEYWORDS: [&str; 34] = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "union", "unsigned", "void", "volatile", "while",
];

/// A line of C: keywords, numbers, texts and remarks in their colours. Only what is seen depends on
/// it, so a line inside of a longer remark may be taken for code.
pub fn c(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let (length, style) = token(rest, first);
        let (word, behind) = rest.split_at(length);
        match style {
            Some(style) => out.push_str(&text(style, word)),
            None => out.push_str(word),
        }
        rest = behind;
    }
    out
}

/// The length of the first token, and its style.
fn token(rest: &str, first: char) -> (usize, Option<Style>) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let run = |belongs: &dyn Fn(char) -> bool| {
        let end = rest.char_indices().find(|(_, c)| !belongs(*c));
        end.map_or(rest.len(), |(end, _)| end)
    };
    match first {
        '"' | '\'' => (quoted(rest, first), Some(LITERAL)),
        '/' if rest.starts_with("//") => (rest.len(), Some(FAINT)),
        '/' if rest.starts_with("/*") => {
            let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
            (end, Some(FAINT))
        }
        _ if first.is_ascii_digit() => (run(&|c| is_word(c) || c == '.'), Some(LITERAL)),
        _ if is_word(first) => {
            let length = run(&is_word);
            let style = KEYWORDS.contains(&&rest[..length]).then_some(KEYWORD);
            (length, style)
        }
        _ => (first.len_utf8(), None),
    }
}

/// The length of a text in quotes, or of the rest of the line if it does not end.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (index, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return index + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

/// A message for standard error, whose words `error:` and `warning:` are coloured.
pub fn diagnostic(message: &str) -> String {
    let lines = message.lines().map(|line| {
        for (word, style) in [("error:", BAD), ("warning:", OPEN)] {
            if let Some((before, after)) = line.split_once(word) {
                return format!("{TITLE}{before}{TITLE:#}{style}{word}{style:#}{after}");
            }
        }
        line.to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn words_of_c_have_colours() {
        let line = "if (x == 0x10) return \"if \\\" 1\"; // if 3";
        let painted = c(line);
        assert_eq!(plain(&painted), line);
        assert!(painted.starts_with(&text(KEYWORD, "if")));
        assert!(painted.contains(&text(LITERAL, "0x10")));
        assert!(painted.contains(&text(LITERAL, "\"if \\\" 1\"")));
        assert!(painted.ends_with(&text(FAINT, "// if 3")));
        assert_eq!(c("iffy"), "iffy");
    }

    #[test]
    fn places_are_told_from_other_words() {
        assert!(place_first("  a.c:3:4: text").contains(&text(PLACE, "a.c:3:4")));
        assert!(place_first("a.c:3: text").contains(&text(PLACE, "a.c:3")));
        for line in ["note: text", "a:b: text", "no place", ""] {
            assert_eq!(place_first(line), line);
        }
    }

    proptest! {
        /// Whatever is painted stays what it is without its colours.
        #[test]
        fn painting_adds_only_colours(line in "[ -~äé…]{0,60}") {
            prop_assert_eq!(plain(&c(&line)), line.clone());
            prop_assert_eq!(plain(&place_first(&line)), line.clone());
            prop_assert_eq!(plain(&diagnostic(&line)), line.clone());
        }
    }
}
