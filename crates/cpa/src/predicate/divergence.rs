//! Refinements that unroll a loop: they bring the same predicate again and again, with constants that count.
//!
//! `i == 1`, `i == 2`, `i == 3`, … each refute one more iteration, and no number of them is a proof. Whoever reads the
//! report, or helps with invariants, should know where.

use cfa::program::LocId;
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

/// The text with `#` in place of its only number, and the number; numbers in names do not count.
fn shape(text: &str) -> Option<(String, i128)> {
    let mut shape = String::new();
    let mut number: Option<i128> = None;
    let mut rest = text.chars().peekable();
    let mut previous = ' ';
    while let Some(next) = rest.next() {
        let in_name = previous.is_alphanumeric() || previous == '_';
        if next.is_ascii_digit() && !in_name {
            let mut digits = String::from(next);
            while let Some(&digit) = rest.peek()
                && digit.is_ascii_digit()
            {
                digits.push(digit);
                rest.next();
            }
            if number.is_some() {
                return None;
            }
            let is_negative = previous == '-';
            let value: i128 = digits.parse().ok()?;
            if is_negative {
                shape.pop();
            }
            number = Some(if is_negative { -value } else { value });
            shape.push('#');
            previous = '#';
        } else {
            shape.push(next);
            previous = next;
        }
    }
    Some((shape, number?))
}

impl Divergence {
    /// A refinement brought a predicate; the series that counts since then, when it begins to.
    pub fn note(&mut self, place: LocId, text: &str) -> Option<Counting> {
        let (shape, number) = shape(text)?;
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

    /// All series that count.
    pub fn found(&self) -> &[Counting] {
        &self.found
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
    fn repeated_predicates_and_several_numbers_are_no_series() {
        let mut divergence: Divergence = Divergence::default();
        for number in [3, 3, 3, 3, 3, 3] {
            assert_eq!(divergence.note(LocId(0), &format!("x == {number}")), None);
            assert_eq!(
                divergence.note(LocId(0), &format!("x + 1 == {number}")),
                None
            );
        }
    }
}
