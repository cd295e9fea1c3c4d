//! Finding a column again behind macro expansion.
//!
//! The preprocessor keeps a token's line, and its column too as long as no macro was expanded before it
//! in that line. Otherwise the two lines, as read and as original, are compared token by token: the
//! longest common subsequence says which tokens are the same. A token that only the expansion knows
//! stands where its macro stands.

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
const MAX_CELLS: usize = 4_000_000;

/// The column (from 0) in `original` of what stands at column `at` of `read`.
pub(super) fn column_in_original(read: &[u8], at: usize, original: &[u8]) -> usize {
    let end = at.min(read.len());
    if original.get(..end) == Some(&read[..end]) && !cut_word(read, original, end) {
        return at;
    }
    let (ours, theirs) = (words(read), words(original));
    let Some(index) = ours.iter().rposition(|&(start, _)| start <= at) else {
        return at;
    };
    let inside = at - ours[index].0;
    match matching(&ours, &theirs, index) {
        Some(Match::Same(found)) => theirs[found].0 + inside.min(theirs[found].1.len()),
        Some(Match::Expanded(found)) => theirs[found].0,
        None => at,
    }
}

/// Do the lines agree up to `end` but go on with different words there?
fn cut_word(read: &[u8], original: &[u8], end: usize) -> bool {
    let word = |line: &[u8]| words(&line[end..]).first().map(|&(_, word)| word.to_vec());
    word(read) != word(original)
}

enum Match {
    /// The same token.
    Same(usize),
    /// The macro that the token came from.
    Expanded(usize),
}

/// What in `theirs` corresponds to `ours[index]`.
fn matching(ours: &[(usize, &[u8])], theirs: &[(usize, &[u8])], index: usize) -> Option<Match> {
    let (rows, columns) = (ours.len(), theirs.len());
    if columns == 0 || rows.checked_mul(columns)? > MAX_CELLS {
        return None;
    }
    // lengths[i][j]: the longest common subsequence of ours[i..] and theirs[j..].
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
    // Walk the pairs; `next` is where in theirs the token in question would have to stand.
    let mut partnered = vec![false; columns];
    let mut next = columns;
    let (mut i, mut j) = (0, 0);
    while i < rows && j < columns {
        if ours[i].1 == theirs[j].1 {
            if i == index {
                return Some(Match::Same(j));
            }
            partnered[j] = true;
            (i, j) = (i + 1, j + 1);
        } else if lengths[i * width + j + 1] >= lengths[(i + 1) * width + j] {
            j += 1;
        } else {
            i += 1;
        }
        if i == index && next == columns {
            next = j;
        }
    }
    let alone = |j: &usize| !partnered[*j];
    let next = next.min(columns - 1);
    let before = partnered[..next].iter().rposition(|&partnered| !partnered);
    let found = Some(next)
        .filter(alone)
        .or(before)
        .or((next..columns).find(alone));
    Some(Match::Expanded(found.unwrap_or(next)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The column of the `nth` occurrence of a word in `read`, looked up in `original`.
    fn column(read: &str, word: &str, nth: usize, original: &str) -> usize {
        let (at, _) = read.match_indices(word).nth(nth).unwrap();
        column_in_original(read.as_bytes(), at, original.as_bytes())
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
        assert_eq!(column_in_original(b"a b c", 2, b""), 2);
        assert_eq!(column_in_original(b"", 0, b"x"), 0);
        assert_eq!(column_in_original(b"a", 40, b"b"), 0);
    }
}
