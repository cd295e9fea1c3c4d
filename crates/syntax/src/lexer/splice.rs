//! Lines continued by a backslash (C11 5.1.1.2, phase 2).
//!
//! They may stand anywhere, even inside a token, and hardly ever do. So the lexer reads a copy of
//! the text without them when there are any, and places are mapped back.

use std::borrow::Cow;

/// The map from offsets in the spliced text back to the text as read.
#[derive(Clone, Debug, Default)]
pub struct Splices {
    /// (offset in the spliced text, bytes removed up to there), ascending.
    cuts: Vec<(u32, u32)>,
}

impl Splices {
    /// Where the token that starts at `offset` starts in the text as read.
    #[inline]
    pub fn start(&self, offset: u32) -> u32 {
        if self.cuts.is_empty() {
            return offset;
        }
        self.shift(offset, self.cuts.partition_point(|&(at, _)| at <= offset))
    }

    /// Where the token that ends before `offset` ends in the text as read: a continuation right
    /// behind a token does not belong to it.
    #[inline]
    pub fn end(&self, offset: u32) -> u32 {
        if self.cuts.is_empty() {
            return offset;
        }
        self.shift(offset, self.cuts.partition_point(|&(at, _)| at < offset))
    }

    fn shift(&self, offset: u32, cuts_before: usize) -> u32 {
        match cuts_before.checked_sub(1) {
            Some(last) => offset + self.cuts[last].1,
            None => offset,
        }
    }
}

/// The text without its continuations.
pub fn splice(text: &[u8]) -> (Cow<'_, [u8]>, Splices) {
    let Some(first) = find_continuation(text, 0) else {
        return (Cow::Borrowed(text), Splices::default());
    };
    let mut out = Vec::with_capacity(text.len());
    let mut cuts = Vec::new();
    let mut removed = 0;
    let mut copied = 0;
    let mut next = Some(first);
    while let Some((at, length)) = next {
        out.extend_from_slice(&text[copied..at]);
        removed += length as u32;
        cuts.push((out.len() as u32, removed));
        copied = at + length;
        next = find_continuation(text, copied);
    }
    out.extend_from_slice(&text[copied..]);
    (Cow::Owned(out), Splices { cuts })
}

/// Place and length of the next backslash and line end.
fn find_continuation(text: &[u8], mut from: usize) -> Option<(usize, usize)> {
    loop {
        from += memchr::memchr(b'\\', &text[from..])?;
        match text[from + 1..] {
            [b'\n', ..] => return Some((from, 2)),
            [b'\r', b'\n', ..] => return Some((from, 3)),
            _ => from += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_map_back_over_continuations() {
        let (text, map) = splice(b"ab\\\ncd \\\r\n e\\n");
        assert_eq!(&*text, b"abcd  e\\n");
        assert_eq!(map.start(0), 0);
        assert_eq!(map.start(3), 5, "d");
        assert_eq!(map.end(2), 2, "an end before the continuation stays there");
        assert_eq!(map.start(2), 4, "c");
        assert_eq!(map.start(6), 11, "e");
    }

    #[test]
    fn without_continuation_nothing_is_copied() {
        let (text, _) = splice(b"a \\n b \\");
        assert!(matches!(text, Cow::Borrowed(_)));
    }
}
