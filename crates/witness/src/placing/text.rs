//! Characters of a file that was given, as graphs name them: counted from the beginning.

use std::path::Path;

/// A file that was given.
pub struct Text {
    pub name: String,
    bytes: Vec<u8>,
    /// Where lines begin.
    lines: Vec<usize>,
}

/// Characters from one to another, both of them included.
pub struct Stretch<'a> {
    pub text: &'a Text,
    first: usize,
    last: usize,
}

/// Does something begin there: not white space, not inside a word, nothing that only ends what came
/// before?
pub fn begins_something(text: &[u8], at: usize) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let Some(&byte) = text.get(at) else {
        return false;
    };
    let before = at.checked_sub(1).map(|at| text[at]);
    let is_inside_word = is_word(byte) && before.is_some_and(is_word);
    !byte.is_ascii_whitespace() && !is_inside_word && !b";,)]}".contains(&byte)
}

impl Text {
    /// The text of a file; of one that cannot be read again nothing is known.
    pub fn read(file: &Path) -> Text {
        Text::new(
            file.display().to_string(),
            std::fs::read(file).unwrap_or_default(),
        )
    }

    fn new(name: String, bytes: Vec<u8>) -> Text {
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let lines = std::iter::once(0)
            .chain(ends.map(|(at, _)| at + 1))
            .collect();
        Text { name, bytes, lines }
    }

    /// The line of a byte; lines count from one.
    fn line(&self, at: usize) -> u32 {
        self.lines.partition_point(|&start| start <= at) as u32
    }

    fn offset(&self, (line, column): (u32, u32)) -> Option<usize> {
        let start = self.lines.get((line as usize).checked_sub(1)?)?;
        Some(start + (column as usize).checked_sub(1)?)
    }

    /// Some tool wrote where the lines came from: nobody knows what offsets count.
    fn has_markers(&self) -> bool {
        let mut lines = self.bytes.split(|&byte| byte == b'\n');
        lines.any(|line| line.starts_with(b"# ") && line.get(2).is_some_and(u8::is_ascii_digit))
    }

    /// The characters that a witness names; none if they cannot be looked up, an error if they are
    /// none of the lines, or no beginning of anything.
    pub fn stretch(
        &self,
        (first, last): (u32, Option<u32>),
        lines: Option<(u32, u32)>,
    ) -> Result<Option<Stretch<'_>>, String> {
        if self.bytes.is_empty() || self.has_markers() {
            return Ok(None);
        }
        let counted = (first as usize, last.unwrap_or(first) as usize);
        let bytes = self.checked(counted, lines);
        // Tools count characters or bytes.
        let text = std::str::from_utf8(&self.bytes).ok();
        let other = text.filter(|text| !text.is_ascii()).and_then(|text| {
            let byte_of = |at: usize| text.char_indices().nth(at).map(|(byte, _)| byte);
            Some((byte_of(counted.0)?, byte_of(counted.1)?))
        });
        match (bytes, other) {
            (Err(_), Some(other)) => self.checked(other, lines).map(Some),
            (result, _) => result.map(Some),
        }
    }

    fn checked(
        &self,
        (first, last): (usize, usize),
        lines: Option<(u32, u32)>,
    ) -> Result<Stretch<'_>, String> {
        if first >= self.bytes.len() || last > self.bytes.len() {
            return Err(format!("{} has no character {last}", self.name));
        }
        if !begins_something(&self.bytes, first) {
            return Err(format!(
                "nothing begins at character {first} of {}",
                self.name
            ));
        }
        if let Some((from, to)) = lines {
            let is_outside = |at: &usize| !(from..=to).contains(&self.line(*at));
            if let Some(at) = [first, last].into_iter().find(is_outside) {
                return Err(format!(
                    "character {at} of {} is in line {}, not in line {from}",
                    self.name,
                    self.line(at)
                ));
            }
        }
        Ok(Stretch {
            text: self,
            first,
            last,
        })
    }
}

impl Stretch<'_> {
    /// Does it touch the statement or condition around a text, from one place to another (line and
    /// column)?
    pub fn touches(&self, lo: (u32, u32), hi: (u32, u32)) -> bool {
        let (Some(lo), Some(hi)) = (self.text.offset(lo), self.text.offset(hi)) else {
            return true;
        };
        let bytes = &self.text.bytes;
        let ends = |byte: &u8| b";{}".contains(byte);
        let head = bytes.get(..lo).unwrap_or(bytes);
        let begin = head.iter().rposition(&ends).map_or(0, |at| at + 1);
        let tail = bytes.get(hi..).unwrap_or(&[]);
        let end = tail.iter().position(ends).map_or(bytes.len(), |at| hi + at);
        self.first <= end && begin <= self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_begin_something_on_their_lines() {
        let text = Text::new("x.c".into(), b"int a;\n int bc = 5;\n".to_vec());
        let is_fine = |offsets, lines| text.stretch(offsets, lines).is_ok();
        assert!(is_fine((0, Some(5)), Some((1, 1))));
        assert!(is_fine((8, None), Some((2, 2))));
        assert!(is_fine((12, Some(18)), None));
        for (offsets, lines) in [
            ((8, None), Some((1, 1))),
            ((6, None), Some((1, 1))),
            ((7, None), Some((2, 2))),
            ((9, None), Some((2, 2))),
            ((13, None), None),
            ((0, Some(8)), Some((1, 1))),
            ((2000, None), None),
            ((0, Some(2000)), None),
        ] {
            assert!(!is_fine(offsets, lines), "{offsets:?} {lines:?}");
        }
    }

    #[test]
    fn characters_or_bytes_are_counted() {
        let text = Text::new("x.c".into(), "char *s = \"\u{e4}\u{f6}\";\nint a;\n".into());
        assert!(text.stretch((18, None), Some((2, 2))).is_ok());
        assert!(text.stretch((16, None), Some((2, 2))).is_ok());
        assert!(text.stretch((17, None), Some((2, 2))).is_err());
    }

    #[test]
    fn statements_are_touched() {
        let text = Text::new("x.c".into(), b"int a = f(1); g(a);\n".to_vec());
        let stretch = |first| text.stretch((first, None), None).ok().flatten();
        let touches =
            |first, lo, hi| stretch(first).is_some_and(|stretch| stretch.touches((1, lo), (1, hi)));
        assert!(touches(0, 5, 13));
        assert!(touches(8, 5, 13));
        assert!(!touches(0, 15, 19));
        assert!(touches(14, 15, 19));
        assert!(!touches(14, 5, 13));
    }
}
