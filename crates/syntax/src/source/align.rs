//! Finding a column again behind macro expansion.
//!
//! The preprocessor keeps a token's line, and its column too as long as no macro was expanded
//! before it in that line. Otherwise the two lines, as read and as original, are compared token by
//! token: the longest common subsequence says which tokens are the same. A token that only the
//! expansion knows stands where its macro stands.

/// A token of a line, roughly: a word, a quoted literal, or one other byte.
fn words(line: &[u8]) -> Vec<(usize, &[u8])> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
    let mut words = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let start = at;
        let b = line[at];
        at += 1;
        if b.is_ascii_whitespace() {
            continue;
        }
        if is_word(b) {
            while at < line.len() && is_word(line[at]) {
                at += 1;
            }
        } else if b == b'"' || b == b'\'' {
            while at < line.len() && line[at] != b {
                at += if line[at] == b'\\' { 2 } else { 1 };
            }
            at = (at + 1).min(line.len());
        }
        words.push((start, &line[start..at]));
    }
    words
}

/// Comparing longer lines than this (product of the token counts) is not worth the time.
const MAX_CELLS: usize = 1 << 20;

/// What the tokens of a line correspond to in the original line.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    /// In the order of the line that was read. Empty if nothing is known: then columns stay.
    pairs: Vec<Pair>,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    /// The column of the token in the line that was read.
    read: usize,
    /// The column of the same token in the original, or of the macro that it came from.
    original: usize,
    /// The length of the token if it is the same, zero if it came from a macro.
    length: usize,
}

impl Alignment {
    pub(super) fn new(read: &[u8], original: &[u8]) -> Alignment {
        if read == original {
            return Alignment::default();
        }
        let (ours, theirs) = (words(read), words(original));
        let Some(partners) = common_subsequence(&ours, &theirs) else {
            return Alignment::default();
        };
        let mut is_partner = vec![false; theirs.len()];
        for partner in partners.iter().flatten() {
            is_partner[*partner] = true;
        }
        // The places without a partner are those of macros.
        let alone = |j: &usize| !is_partner[*j];
        let mut next = 0;
        let mut pairs = Vec::with_capacity(ours.len());
        for (&(start, word), partner) in ours.iter().zip(partners) {
            let (original, length) = match partner {
                Some(partner) => {
                    next = partner + 1;
                    (theirs[partner].0, word.len())
                }
                None => {
                    let here = next.min(theirs.len() - 1);
                    let found = Some(here)
                        .filter(alone)
                        .or_else(|| (0..here).rev().find(alone))
                        .or_else(|| (here..theirs.len()).find(alone));
                    (theirs[found.unwrap_or(here)].0, 0)
                }
            };
            pairs.push(Pair {
                read: start,
                original,
                length,
            });
        }
        Alignment { pairs }
    }

    /// The column (from 0) in the original of what stands at a column of the line that was read.
    pub(super) fn column(&self, read: usize) -> usize {
        let behind = self.pairs.partition_point(|pair| pair.read <= read);
        match behind.checked_sub(1) {
            Some(index) => {
                let pair = self.pairs[index];
                pair.original + (read - pair.read).min(pair.length)
            }
            None => read,
        }
    }

    /// A column of the line that was read from which [`Alignment::column`] leads to the given one:
    /// of the token itself if there is one, else of the first that its macro made, else behind a
    /// token.
    pub(super) fn inverse(&self, original: usize) -> Option<usize> {
        if self.pairs.is_empty() {
            return Some(original);
        }
        let same = |pair: &&Pair| (pair.original..pair.original + pair.length).contains(&original);
        if let Some(pair) = self.pairs.iter().find(same) {
            return Some(pair.read + original - pair.original);
        }
        let expanded = |pair: &&Pair| pair.length == 0 && pair.original == original;
        let ends = |pair: &&Pair| pair.length > 0 && pair.original + pair.length == original;
        let expanded = self.pairs.iter().find(expanded).map(|pair| pair.read);
        expanded.or_else(|| {
            self.pairs
                .iter()
                .find(ends)
                .map(|pair| pair.read + pair.length)
        })
    }
}

/// For every word of ours its partner in theirs, in a longest common subsequence. None if theirs is
/// empty or the lines are too long.
fn common_subsequence(
    ours: &[(usize, &[u8])],
    theirs: &[(usize, &[u8])],
) -> Option<Vec<Option<usize>>> {
    let (rows, columns) = (ours.len(), theirs.len());
    if columns == 0 || rows.checked_mul(columns)? > MAX_CELLS {
        return None;
    }
    // lengths[i][j]: how much ours[i..] and theirs[j..] have in common.
    let width = columns + 1;
    let mut lengths = vec![0u32; (rows + 1) * width];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            lengths[i * width + j] = if ours[i].1 == theirs[j].1 {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let mut partners = vec![None; rows];
    let (mut i, mut j) = (0, 0);
    while i < rows && j < columns {
        if ours[i].1 == theirs[j].1 {
            partners[i] = Some(j);
            (i, j) = (i + 1, j + 1);
        } else if lengths[i * width + j + 1] >= lengths[(i + 1) * width + j] {
            j += 1;
        } else {
            i += 1;
        }
    }
    Some(partners)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The column of the `nth` occurrence of a word in `read`, looked up in `original`.
    fn column(read: &str, word: &str, nth: usize, original: &str) -> usize {
        let (at, _) = read.match_indices(word).nth(nth).unwrap();
        let alignment = Alignment::new(read.as_bytes(), original.as_bytes());
        let column = alignment.column(at);
        let back = alignment
            .inverse(column)
            .expect("a column that was mapped to");
        assert_eq!(alignment.column(back), column);
        column
    }

    #[test]
    fn equal_lines_keep_their_columns() {
        assert_eq!(column("  x = y + z;", "z", 0, "  x = y + z;"), 10);
    }

    #[test]
    fn tokens_behind_an_expansion_are_found() {
        let original = "  a = MAX + b; c();";
        let read = "  a = (1 << 31) + b; c();";
        for word in ["+", "b", ";", "c"] {
            assert_eq!(
                column(read, word, 0, original),
                original.find(word).unwrap(),
                "{word}"
            );
        }
    }

    #[test]
    fn tokens_of_an_expansion_stand_at_the_macro() {
        let original = "  a = MAX + b;";
        let read = "  a = (1 << 31) + b;";
        for word in ["(", "1", "<<", "31", ")"] {
            assert_eq!(
                column(read, word, 0, original),
                original.find("MAX").unwrap(),
                "{word}"
            );
        }
    }

    #[test]
    fn arguments_of_a_macro_are_found_where_they_are_written() {
        let original = "assert(x > y); z = 1;";
        let read = "((x > y) ? (void)0 : fail(\"x > y\")); z = 1;";
        assert_eq!(column(read, "x", 0, original), original.find('x').unwrap());
        assert_eq!(column(read, "z", 0, original), original.find('z').unwrap());
        assert_eq!(column(read, "fail", 0, original), 0);
    }

    #[test]
    fn nothing_in_common_is_no_panic() {
        assert_eq!(Alignment::new(b"a b c", b"").column(2), 2);
        assert_eq!(Alignment::new(b"", b"x").column(0), 0);
        assert_eq!(Alignment::new(b"a", b"b").column(40), 0);
        assert_eq!(Alignment::new(b"a", b"b").inverse(7), None);
    }
}
