//! Loops in an execution: what is done again and again is shown a few times and then counted.

/// One line of what is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    /// The step with this number.
    Step(usize),
    /// So many steps more, as often as this.
    Again { steps: usize, times: usize },
}

/// Steps of an iteration.
const LONGEST_ITERATION: usize = 40;
/// Iterations that are shown from the beginning; the last one is shown too.
const FIRST_ITERATIONS: usize = 2;
/// Fewer than this many are shown one by one.
const MANY: usize = FIRST_ITERATIONS + 3;

/// Steps with equal keys do the same.
pub fn fold<K: PartialEq>(keys: &[K]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut next = 0;
    while next < keys.len() {
        match iterations(&keys[next..]) {
            Some((length, times)) => {
                let end = next + length * times;
                lines.extend((next..next + FIRST_ITERATIONS * length).map(Line::Step));
                lines.push(Line::Again {
                    steps: length,
                    times: times - FIRST_ITERATIONS - 1,
                });
                lines.extend((end - length..end).map(Line::Step));
                next = end;
            }
            None => {
                lines.push(Line::Step(next));
                next += 1;
            }
        }
    }
    lines
}

/// How many steps the list begins with that are repeated at once, and how often they are there.
fn iterations<K: PartialEq>(keys: &[K]) -> Option<(usize, usize)> {
    for length in 1..=LONGEST_ITERATION.min(keys.len() / MANY) {
        let first = &keys[..length];
        let times = keys
            .chunks_exact(length)
            .take_while(|part| *part == first)
            .count();
        if times >= MANY {
            return Some((length, times));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn loops_are_counted() {
        let text: Vec<char> = "a(bc)".chars().chain("xyxyxyxyxyxyz".chars()).collect();
        let lines = fold(&text);
        let shown: String = lines
            .iter()
            .map(|line| match line {
                Line::Step(number) => text[*number].to_string(),
                Line::Again { steps, times } => format!("[{steps}*{times}]"),
            })
            .collect();
        assert_eq!(shown, "a(bc)xyxy[2*3]xyz");
    }

    #[test]
    fn a_few_iterations_are_shown() {
        assert!(
            fold(&[1, 1, 1, 1])
                .iter()
                .all(|line| matches!(line, Line::Step(_)))
        );
    }

    proptest! {
        /// Nothing is lost: written out again, the lines are the steps.
        #[test]
        fn every_step_is_shown_or_counted(keys in prop::collection::vec(0..3u8, 0..120)) {
            let mut written: Vec<u8> = Vec::new();
            for line in fold(&keys) {
                match line {
                    Line::Step(number) => written.push(keys[number]),
                    Line::Again { steps, times } => {
                        for _ in 0..times {
                            written.extend_from_within(written.len() - steps..);
                        }
                    }
                }
            }
            prop_assert_eq!(written, keys);
        }
    }
}
