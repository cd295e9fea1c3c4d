//! The greatest value of a term, by questions to a solver.
//!
//! Bits are exact, so there is no linear program to solve: the value is found by bisection. Every
//! model moves the lower end up to the value that it has, and steps grow as long as they succeed, so
//! that an optimum near the first model costs few questions.

use logic::UnknownReason;

/// The greatest value between `known`, which is one, and `highest`. `ask` gives some value that is
/// at least its argument, if there is any.
pub fn maximise(
    mut ask: impl FnMut(i128) -> Result<Option<i128>, UnknownReason>,
    known: i128,
    highest: i128,
) -> Result<i128, UnknownReason> {
    // What nothing bounds is the most frequent case.
    if known >= highest || ask(highest)?.is_some() {
        return Ok(highest);
    }
    let (mut low, mut high) = (known, highest - 1);
    let mut step = Some(1i128);
    while low < high {
        let probe = match step {
            Some(step) => low.saturating_add(step).min(high),
            None => high - (high - low) / 2,
        };
        match ask(probe)? {
            Some(value) => {
                low = value.clamp(probe, high);
                step = step.map(|step| step.saturating_mul(4));
            }
            None => {
                high = probe - 1;
                step = None;
            }
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_greatest_member_is_found(
            mut members in prop::collection::vec(-5000i128..5000, 1..20),
            above in 0i128..100,
            which: usize,
        ) {
            members.sort_unstable();
            let greatest = members[members.len() - 1];
            let known = members[which % members.len()];
            let mut questions = 0;
            let found = maximise(
                |least| {
                    questions += 1;
                    Ok(members.iter().copied().find(|&member| member >= least))
                },
                known,
                greatest + above,
            );
            prop_assert_eq!(found, Ok(greatest));
            prop_assert!(questions < 40, "{} questions", questions);
        }
    }

    #[test]
    fn a_solver_that_gives_up_ends_the_search() {
        let found = maximise(|_| Err(UnknownReason::Stopped), 0, 9);
        assert_eq!(found, Err(UnknownReason::Stopped));
    }
}
