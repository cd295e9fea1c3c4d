//! Assertions about values that a program was seen to have.

use crate::random::Random;

/// A condition in C about `A` and `B` (both `long long`), and whether it holds for a pair.
pub struct Assertion {
    pub text: String,
    pub holds: bool,
}

struct Candidate {
    text: String,
    test: Box<dyn Fn(i64, i64) -> bool>,
}

fn number(value: i64) -> String {
    if value == i64::MIN {
        "(-9223372036854775807LL-1)".to_owned()
    } else {
        format!("({value}LL)")
    }
}

fn candidate(random: &mut Random, seen: &[(i64, i64)]) -> Candidate {
    let &(a, b) = random.pick(seen);
    // The extreme values make the assertions that only just hold.
    let highest = seen.iter().map(|pair| pair.0).max().unwrap_or(a);
    let lowest = seen.iter().map(|pair| pair.0).min().unwrap_or(a);
    let near = random.between(-1, 1);
    let off = |value: i64| value.wrapping_add(near);
    match random.below(10) {
        0 | 1 => {
            let limit = off(highest);
            Candidate {
                text: format!("A <= {}", number(limit)),
                test: Box::new(move |a, _| a <= limit),
            }
        }
        2 => {
            let limit = off(lowest);
            Candidate {
                text: format!("A >= {}", number(limit)),
                test: Box::new(move |a, _| a >= limit),
            }
        }
        3 => {
            let value = off(a);
            Candidate {
                text: format!("A != {}", number(value)),
                test: Box::new(move |a, _| a != value),
            }
        }
        4 => {
            let sum = off(a.wrapping_add(b));
            Candidate {
                text: format!("A + B != {}", number(sum)),
                test: Box::new(move |a, b| a.wrapping_add(b) != sum),
            }
        }
        5 => {
            let mask = *random.pick(&[1, 2, 3, 4, 6, 7]);
            let bits = a & mask;
            Candidate {
                text: format!("(A & {mask}) == {bits}"),
                test: Box::new(move |a, _| a & mask == bits),
            }
        }
        6 => {
            let (first, second) = (off(a), b);
            Candidate {
                text: format!("A != {} || B != {}", number(first), number(second)),
                test: Box::new(move |a, b| a != first || b != second),
            }
        }
        7 => Candidate {
            text: "A <= B".to_owned(),
            test: Box::new(|a, b| a <= b),
        },
        8 => Candidate {
            text: "A != B".to_owned(),
            test: Box::new(|a, b| a != b),
        },
        _ => {
            let bound = random.pick(seen).1;
            let limit = seen.iter().filter(|pair| pair.1 >= bound);
            let limit = off(limit.map(|pair| pair.0).max().unwrap_or(a));
            Candidate {
                text: format!("B < {} || A <= {}", number(bound), number(limit)),
                test: Box::new(move |a, b| b < bound || a <= limit),
            }
        }
    }
}

/// One assertion that holds for all pairs and one that does not, where they are found soon.
pub fn choose(random: &mut Random, seen: &[(i64, i64)]) -> Vec<Assertion> {
    let mut chosen: Vec<Assertion> = Vec::new();
    if seen.is_empty() {
        return chosen;
    }
    for _ in 0..40 {
        let candidate = candidate(random, seen);
        let holds = seen.iter().all(|&(a, b)| (candidate.test)(a, b));
        if chosen.iter().all(|other| other.holds != holds) {
            chosen.push(Assertion {
                text: candidate.text,
                holds,
            });
        }
    }
    chosen
}
