//! What combinations promise about time, services, and parts that cannot help.

use crate::parallel::Parallel;
use crate::part::{Ended, Part, Participant};
use crate::sequence::Sequence;
use crate::store::FactStore;
use crate::tests::{Answers, GivesUp, HandsOn, NeedsPrecision, Panics, Serves, Spins, Works};
use facts::budget::Budget;
use facts::engine::{NoBoard, Status};
use std::time::Duration;

fn part(participant: impl Participant + 'static, limit: Option<f64>) -> Part {
    Part {
        participant: Box::new(participant),
        limit,
    }
}

fn parallel(parts: Vec<Part>) -> Parallel {
    Parallel {
        name: "parallel".into(),
        parts,
    }
}

fn sequence(parts: Vec<Part>) -> Sequence {
    Sequence {
        name: "sequence".into(),
        parts,
    }
}

fn seconds(number: f64) -> Duration {
    Duration::from_secs_f64(number)
}

/// Is it so in one of several tries? What others do on the machine may spoil some.
fn in_some_try<T: std::fmt::Debug>(try_once: impl Fn() -> Result<(), T>) {
    let mut last = None;
    for _ in 0..5 {
        match try_once() {
            Ok(()) => return,
            Err(what) => last = Some(what),
        }
    }
    panic!("{last:?}");
}

#[test]
fn parts_side_by_side_use_their_limits() {
    in_some_try(|| {
        let works = Works::default();
        let mut both = parallel(vec![
            part(works.clone(), Some(0.001)),
            part(works.clone(), Some(0.003)),
        ]);
        let budget = Budget::new(Some(seconds(100.0)), None);
        assert!(matches!(both.run(&NoBoard, &budget), Ended::Unknown(_)));
        let mut used = works.used();
        used.sort();
        // Where it is stopped is seen a little later.
        let is_right = matches!(used[..], [one, two]
            if one >= seconds(0.09) && one < seconds(0.2)
            && two >= seconds(0.28) && two < seconds(0.45));
        if is_right { Ok(()) } else { Err(used) }
    });
}

#[test]
fn what_a_part_leaves_over_goes_to_the_others() {
    in_some_try(|| {
        let works = Works::default();
        let mut both = parallel(vec![
            part(GivesUp, Some(0.004)),
            part(works.clone(), Some(0.001)),
        ]);
        both.run(&NoBoard, &Budget::new(Some(seconds(100.0)), None));
        let used = works.used();
        let is_right = matches!(used[..], [used] if used >= seconds(0.45) && used < seconds(0.75));
        if is_right { Ok(()) } else { Err(used) }
    });
}

#[test]
fn all_threads_of_a_part_of_a_sequence_count() {
    in_some_try(|| {
        let works = Works::default();
        let four = (0..4).map(|_| part(works.clone(), None)).collect();
        let mut all = sequence(vec![
            part(parallel(four), Some(0.004)),
            part(Answers(Duration::ZERO), None),
        ]);
        let outcome = all.run(&NoBoard, &Budget::new(Some(seconds(100.0)), None));
        assert_eq!(outcome, Ended::Answered);
        let used: Duration = works.used().iter().sum();
        match used >= seconds(0.36) && used < seconds(0.6) {
            true => Ok(()),
            false => Err(used),
        }
    });
}

#[test]
fn six_analyses_get_about_the_same() {
    in_some_try(|| {
        let works = Works::default();
        let six = (0..6).map(|_| part(works.clone(), None)).collect();
        parallel(six).run(&NoBoard, &Budget::new(Some(seconds(1.5)), None));
        let used = works.used();
        let mean = used.iter().sum::<Duration>() / 6;
        let is_fair = |each: &Duration| *each >= mean.mul_f64(0.5) && *each <= mean.mul_f64(1.7);
        match used.len() == 6 && used.iter().all(is_fair) {
            true => Ok(()),
            false => Err(used),
        }
    });
}

/// The outcome of a race is the same in whatever order its parts stand and however late each of
/// them is.
#[test]
fn an_answer_does_not_depend_on_the_order() {
    let delays = [0, 3, 9];
    for first in 0..4 {
        for second in 0..4 {
            for delay in delays {
                let mut parts: Vec<Part> = vec![
                    part(Panics, None),
                    part(GivesUp, None),
                    part(Spins, None),
                    part(Answers(Duration::from_millis(delay)), None),
                ];
                parts.swap(0, first);
                parts.swap(1, second);
                let outcome = parallel(parts).run(&NoBoard, &Budget::unlimited());
                assert_eq!(outcome, Ended::Answered, "{first} {second}");
            }
        }
    }
}

#[test]
fn a_service_ends_with_those_it_serves() {
    let budget = Budget::new(Some(seconds(60.0)), None);
    let with = |parts: Vec<Part>| parallel(parts).run(&NoBoard, &budget);
    let outcome = with(vec![part(Serves, None), part(GivesUp, None)]);
    assert!(matches!(outcome, Ended::Unknown(why) if why.to_string().contains("nobody is left")));
    // Alone, and after the others.
    with(vec![part(Serves, None)]);
    with(vec![part(
        sequence(vec![part(GivesUp, None), part(Serves, None)]),
        None,
    )]);
    // As long as somebody works there is somebody to serve.
    let outcome = with(vec![
        part(Serves, None),
        part(Answers(Duration::from_millis(50)), None),
    ]);
    assert_eq!(outcome, Ended::Answered);
    assert!(!budget.is_exhausted());
}

#[test]
fn a_part_that_cannot_help_is_not_started() {
    let board = FactStore::default();
    let mut all = sequence(vec![part(NeedsPrecision, None), part(GivesUp, None)]);
    match all.run(&board, &Budget::unlimited()) {
        Ended::Unknown(why) => assert_eq!(
            why.to_string(),
            "needs-precision: no earlier analysis provided a precision; gives-up: too hard"
        ),
        Ended::Answered => panic!("nobody answers"),
    }
    let status = [
        ("gives-up", Status::GaveUp("too hard".into())),
        (
            "needs-precision",
            Status::Skipped("no earlier analysis provided a precision".into()),
        ),
    ];
    let expected = status.map(|(name, status)| (name.to_owned(), status));
    assert_eq!(board.status(), expected);
    // With what it needs it is.
    let board = FactStore::default();
    let mut all = sequence(vec![part(HandsOn, None), part(NeedsPrecision, None)]);
    let outcome = all.run(&board, &Budget::unlimited());
    assert_eq!(outcome, Ended::Answered);
    let answered = ("needs-precision".to_owned(), Status::Answered);
    assert!(board.status().contains(&answered));
}

#[test]
fn a_panic_is_a_status_too() {
    let board = FactStore::default();
    parallel(vec![part(Panics, None)]).run(&board, &Budget::unlimited());
    match &board.status()[..] {
        [(name, Status::GaveUp(why))] => {
            assert!(name == "panics" && why.contains("please report"));
        }
        other => panic!("{other:?}"),
    }
}
