//! Refinements that unroll a loop: they bring the same predicate again and again, with constants
//! that count.
//!
//! `i == 1`, `i == 2`, `i == 3`, … each refute one more iteration, and no number of them is a
//! proof. Whoever reads the report, or helps with invariants, should know where.

use super::analysis::Analysis;
use cfa::program::LocId;
use induction::graph::PlaceId;
use rustc_hash::FxHashMap;

/// So many steps of one length are no chance.
const STEPS: usize = 4;

/// The predicates of each place by their shape: their text with holes for constants.
#[derive(Debug, Default)]
pub struct Divergence {
    constants: FxHashMap<(LocId, String), Vec<i128>>,
    found: Vec<Counting>,
}

/// Constants of one shape that count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counting {
    pub place: LocId,
    /// With `#` for the constant.
    pub shape: String,
    pub latest: i128,
    pub step: i128,
}

/// The text with `#` in place of one of its numbers, and the number, for each of them; numbers in
/// names do not count.
fn shapes(text: &str) -> Vec<(String, i128)> {
    let mut numbers: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut previous) = (0, ' ');
    while let Some(next) = text[at..].chars().next() {
        let in_name = previous.is_alphanumeric() || previous == '_';
        let rest = &text[at..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 && !in_name {
            let sign = usize::from(previous == '-');
            numbers.push((at - sign, at + digits));
        }
        previous = match digits {
            0 => next,
            _ => '0',
        };
        at += digits.max(next.len_utf8());
    }
    let shape = |&(from, to): &(usize, usize)| {
        let number = text[from..to].parse().ok()?;
        Some((format!("{}#{}", &text[..from], &text[to..]), number))
    };
    numbers.iter().filter_map(shape).collect()
}

impl Divergence {
    /// A refinement brought a predicate; the series that counts since then, when it begins to.
    pub fn note(&mut self, place: LocId, text: &str) -> Option<Counting> {
        let mut begins = None;
        for (shape, number) in shapes(text) {
            begins = begins.or(self.note_shape(place, shape, number));
        }
        begins
    }

    /// One step brought all of these at once. What differs in a constant only came together and is
    /// no series: all values of a variable, say.
    pub fn note_together(&mut self, place: LocId, texts: &[String]) -> Vec<Counting> {
        let all: Vec<(String, i128)> = texts.iter().flat_map(|text| shapes(text)).collect();
        let mut begins = Vec::new();
        for (shape, number) in &all {
            if all.iter().filter(|(other, _)| other == shape).count() == 1 {
                begins.extend(self.note_shape(place, shape.clone(), *number));
            }
        }
        begins
    }

    fn note_shape(&mut self, place: LocId, shape: String, number: i128) -> Option<Counting> {
        let list = self.constants.entry((place, shape.clone())).or_default();
        if list.contains(&number) {
            return None;
        }
        list.push(number);
        let known = self
            .found
            .iter_mut()
            .find(|known| known.place == place && known.shape == shape);
        if let Some(known) = known {
            known.latest = number;
            return None;
        }
        let latest = &list[list.len().checked_sub(STEPS + 1)?..];
        let step = latest[1] - latest[0];
        if latest.windows(2).any(|pair| pair[1] - pair[0] != step) {
            return None;
        }
        let counting = Counting {
            place,
            shape,
            latest: number,
            step,
        };
        self.found.push(counting.clone());
        Some(counting)
    }

    /// Does the predicate belong to a series that counts?
    pub fn counts(&self, place: LocId, text: &str) -> bool {
        if self.found.iter().all(|known| known.place != place) {
            return false;
        }
        let belongs = |(shape, _): (String, i128)| {
            let mut found = self.found.iter();
            found.any(|known| known.place == place && known.shape == shape)
        };
        shapes(text).into_iter().any(belongs)
    }

    /// All series that count.
    pub fn found(&self) -> &[Counting] {
        &self.found
    }
}

impl Analysis<'_> {
    /// Are there loops that the refinement counts through, or one that has been unrolled again and
    /// again?
    pub(super) fn divergence(&self) -> Option<String> {
        let program = self.graph.program();
        let counting = self.divergence.found().iter().map(|counting| {
            let span = program.location(counting.place).span;
            format!(
                "refinement diverges: it unrolls the loop at {}, where the constants in '{}' grow by {} (now {})",
                program.describe(span),
                counting.shape,
                counting.step,
                counting.latest
            )
        });
        let counting: Vec<String> = counting.take(3).collect();
        if !counting.is_empty() {
            return Some(counting.join("; "));
        }
        let deepest = self.tree.proper().max_by_key(|node| node.depth)?;
        let mut counts: FxHashMap<PlaceId, u32> = FxHashMap::default();
        let mut current = Some(deepest);
        while let Some(node) = current {
            *counts.entry(node.place).or_insert(0) += 1;
            current = node.parent.map(|(parent, _)| self.tree.node(parent));
        }
        let (place, count) = counts.into_iter().max_by_key(|&(place, n)| (n, place))?;
        if count < 8 {
            return None;
        }
        let location = self.graph.place(place).location;
        let span = program.location(location).span;
        Some(format!(
            "refinement diverges: it unrolled the loop at {} {count} times",
            program.describe(span)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_that_count_are_noticed_once() {
        let mut divergence: Divergence = Divergence::default();
        for number in 0..4 {
            assert_eq!(divergence.note(LocId(1), &format!("x1 == {number}")), None);
            assert_eq!(
                divergence.note(LocId(2), &format!("y <= {}", number * number)),
                None
            );
        }
        let found = divergence.note(LocId(1), "x1 == 4").expect("it counts up");
        assert_eq!((found.shape.as_str(), found.step), ("x1 == #", 1));
        assert_eq!(divergence.note(LocId(1), "x1 == 5"), None);
        assert_eq!(divergence.note(LocId(2), "y <= 16"), None);
        assert_eq!(divergence.found().len(), 1);
        assert_eq!(divergence.found()[0].latest, 5);
    }

    #[test]
    fn counting_down_and_negative_numbers_count_too() {
        let mut divergence: Divergence = Divergence::default();
        let found: Vec<_> = (-3..=2)
            .rev()
            .filter_map(|number| divergence.note(LocId(0), &format!("{number} <= i_2")))
            .collect();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].shape.as_str(), found[0].step), ("# <= i_2", -1));
    }

    #[test]
    fn repeated_predicates_are_no_series() {
        let mut divergence: Divergence = Divergence::default();
        for number in [3, 3, 3, 3, 3, 3] {
            assert_eq!(divergence.note(LocId(0), &format!("x == {number}")), None);
        }
    }

    #[test]
    fn what_comes_at_once_is_no_series() {
        let values = |numbers: std::ops::Range<i32>| -> Vec<String> {
            numbers.map(|number| format!("s == {number}")).collect()
        };
        let mut divergence: Divergence = Divergence::default();
        assert_eq!(divergence.note_together(LocId(0), &values(0..9)), []);
        let mut found = Vec::new();
        for number in 20..25 {
            found.extend(divergence.note_together(LocId(0), &values(number..number + 1)));
        }
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].latest, found[0].step), (24, 1));
    }

    #[test]
    fn one_of_several_numbers_may_count() {
        let mut divergence: Divergence = Divergence::default();
        let predicate = |number| format!("200 <= (i32)((u32)c + {number})");
        for number in 1..5 {
            assert_eq!(divergence.note(LocId(0), &predicate(number)), None);
        }
        let found = divergence.note(LocId(0), &predicate(5)).expect("it counts");
        assert_eq!(found.shape, "200 <= (i32)((u32)c + #)");
        assert!(divergence.counts(LocId(0), &predicate(77)));
        assert!(!divergence.counts(LocId(1), &predicate(77)));
        assert!(!divergence.counts(LocId(0), "200 <= c"));
    }
}
