//! C text with its words marked for colouring, line by line.

use crate::html::escape_into;

const KEYWORDS: &[&str] = &[
    "_Bool", "auto", "break", "case", "char", "const", "continue", "default", "do", "double",
    "else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "union", "unsigned", "void", "volatile", "while",
];

/// Reads lines one after the other; a comment may go on from one to the next.
#[derive(Default)]
pub struct Highlighter {
    in_comment: bool,
}

impl Highlighter {
    /// The line as HTML.
    pub fn line(&mut self, line: &str, out: &mut String) {
        let bytes = line.as_bytes();
        let mut at = 0;
        if !self.in_comment && line.trim_start().starts_with('#') {
            mark("p", line, out);
            return;
        }
        while at < bytes.len() {
            let rest = &line[at..];
            let length = if self.in_comment {
                let end = rest.find("*/").map(|end| end + 2);
                self.in_comment = end.is_none();
                let end = end.unwrap_or(rest.len());
                mark("c", &rest[..end], out);
                end
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let end = comment.find("*/").map(|end| end + 4);
                self.in_comment = end.is_none();
                let end = end.unwrap_or(rest.len());
                mark("c", &rest[..end], out);
                end
            } else if rest.starts_with("//") {
                mark("c", rest, out);
                rest.len()
            } else if bytes[at] == b'"' || bytes[at] == b'\'' {
                let end = quoted(rest.as_bytes());
                mark("s", &rest[..end], out);
                end
            } else if bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_' {
                let end = rest
                    .bytes()
                    .position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_')
                    .unwrap_or(rest.len());
                let word = &rest[..end];
                if bytes[at].is_ascii_digit() {
                    mark("d", word, out);
                } else if KEYWORDS.binary_search(&word).is_ok() {
                    mark("k", word, out);
                } else {
                    escape_into(word, out);
                }
                end
            } else {
                let end = rest
                    .char_indices()
                    .find(|&(_, c)| c.is_ascii_alphanumeric() || "_\"'/".contains(c))
                    .map_or(rest.len(), |(end, _)| end);
                // A slash that begins no comment is a character as any other.
                let end = match end {
                    0 => rest.chars().next().map_or(1, char::len_utf8),
                    end => end,
                };
                escape_into(&rest[..end], out);
                end
            };
            at += length;
        }
    }
}

/// The length of a literal, its quotes included; up to the end of the line if it is not closed.
fn quoted(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            byte if byte == text[0] => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

fn mark(class: &str, text: &str, out: &mut String) {
    out.push_str("<i class=");
    out.push_str(class);
    out.push('>');
    escape_into(text, out);
    out.push_str("</i>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> Vec<String> {
        let mut highlighter = Highlighter::default();
        text.lines()
            .map(|line| {
                let mut out = String::new();
                highlighter.line(line, &mut out);
                out
            })
            .collect()
    }

    #[test]
    fn words_are_marked_and_comments_go_on() {
        assert!(KEYWORDS.is_sorted());
        assert_eq!(
            html("int x = 1 / 2; /* a\nb */ if (x < \"\\\"y\")"),
            [
                "<i class=k>int</i> x = <i class=d>1</i> / <i class=d>2</i>; <i class=c>/* a</i>",
                "<i class=c>b */</i> <i class=k>if</i> (x &lt; <i class=s>&quot;\\&quot;y&quot;</i>)"
            ]
        );
    }

    #[test]
    fn no_text_is_lost_whatever_it_is() {
        for text in [
            "'",
            "\"\\",
            "é/ü*/",
            "/",
            "a'b\\é'c",
            "#if \"",
            "0xffU",
            "/**/x//*",
        ] {
            let plain: String = html(text)
                .concat()
                .replace("</i>", "")
                .split("<i class=")
                .enumerate()
                .map(|(i, part)| if i == 0 { part } else { &part[2..] }.to_owned())
                .collect();
            let expected = crate::html::escape(text);
            assert_eq!(plain, expected, "{text}");
        }
    }
}
