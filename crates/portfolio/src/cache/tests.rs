use super::*;
use crate::assembly;
use crate::configuration;
use crate::decide::{Decision, decide};
use facts::certificate::UnrollingBounds;
use facts::engine::NoBoard;
use std::time::Duration;

const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);
    int main(void) { unsigned x = 0;
    while (__VERIFIER_nondet_int()) if (x < 1000) x++;
    if (x > 1000) reach_error(); return 0; }";

fn case(text: &str) -> Arc<Case> {
    Arc::new(Case::of_text(text).expect("a correct program"))
}

fn decided(case: &Arc<Case>, earlier: Earlier) -> (String, Certificate) {
    let plan = configuration::named("kInduction")
        .expect("it is there")
        .plan;
    let engines = assembly::make_after(&plan, case, earlier.answers, earlier.candidates);
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let board = Arc::new(NoBoard);
    let engines = engines.expect("the plan has engines");
    match decide(engines, case, &board, &budget, &mut |_| ()) {
        Decision::Certified(conclusion) => (conclusion.engine, conclusion.certificate),
        Decision::Contradicted(why) => panic!("{why}"),
        Decision::Unknown(why) => panic!("{why}"),
    }
}

fn entry_of(text: &str) -> Entry {
    let case = case(text);
    let (_, certificate) = decided(&case, Earlier::default());
    Entry::of(&case, Some(&certificate), &Facts::default()).expect("it can be kept")
}

#[test]
fn an_unchanged_program_is_answered_by_its_certificate() {
    let entry = entry_of(TEXT);
    let text = entry.text().expect("it can be written");
    let entry = Entry::read(text.as_bytes()).expect("it was written");
    let case = case(TEXT);
    let (engine, certificate) = decided(&case, Earlier::of(&case, &[entry]));
    assert_eq!(engine, CACHE);
    assert!(certificate.claims_safety());
}

#[test]
fn an_edit_elsewhere_leaves_the_proof_a_proof() {
    let entry = entry_of(TEXT);
    let edited = TEXT.replace("unsigned x = 0;", "unsigned x = 0; int y = 3; y = y + 4;");
    let case = case(&edited);
    let (engine, certificate) = decided(&case, Earlier::of(&case, &[entry]));
    assert_eq!(engine, CACHE);
    assert!(certificate.claims_safety());
}

#[test]
fn an_edit_that_breaks_the_program_is_found_and_no_alarm_is_raised() {
    let entry = entry_of(TEXT);
    let edited = TEXT.replace("x < 1000) x++", "x < 1000) x += 700");
    let case = case(&edited);
    let (engine, certificate) = decided(&case, Earlier::of(&case, &[entry]));
    assert_ne!(engine, CACHE);
    assert!(!certificate.claims_safety());
    assert!(case.alarms.list().is_empty());
}

#[test]
fn a_violation_is_found_again_behind_an_edit() {
    let broken = TEXT.replace("x > 1000", "x > 2");
    let entry = entry_of(&broken);
    let edited = broken.replace("unsigned x = 0;", "unsigned y = 7, x = 0; y++;");
    let case = case(&edited);
    let (engine, certificate) = decided(&case, Earlier::of(&case, &[entry]));
    assert_eq!(engine, CACHE);
    assert!(!certificate.claims_safety());
}

/// Whatever somebody writes into a file: the verdict is that of the program.
#[test]
fn forged_entries_change_no_verdict() {
    let broken = TEXT.replace("x > 1000", "x > 2");
    let text = entry_of(TEXT).text().expect("it can be written");
    let forged = [
        // A proof of another program, under the name of this one.
        Some(text.clone()),
        // Less than that.
        Some(text.replace("\"Induction\"", "\"Annotation\"")),
        Some(text.replace("1000", "7")),
        serde_json::to_string(&Entry {
            answer: Some(Answer::Run { steps: 3 }),
            ..entry_of(TEXT)
        })
        .ok(),
        serde_json::to_string(&Entry {
            answer: Some(Answer::Unrolling(UnrollingBounds {
                iterations: 1,
                recursion: 1,
                steps: 100,
            })),
            ..entry_of(TEXT)
        })
        .ok(),
        serde_json::to_string(&Entry {
            answer: Some(Answer::Annotation(Statements::default())),
            ..entry_of(TEXT)
        })
        .ok(),
        serde_json::to_string(&Entry {
            answer: Some(Answer::Values(vec![(Ty::I32, 0)])),
            ..entry_of(TEXT)
        })
        .ok(),
    ];
    for forged in forged.into_iter().flatten() {
        let entry = Entry::read(forged.as_bytes());
        for (program, is_safe) in [(TEXT, true), (broken.as_str(), false)] {
            let case = case(program);
            let entries: Vec<Entry> = entry.iter().cloned().collect();
            let (_, certificate) = decided(&case, Earlier::of(&case, &entries));
            assert_eq!(certificate.claims_safety(), is_safe, "{forged}");
            assert!(case.alarms.list().is_empty());
        }
    }
}

/// Files end in the middle, and bits flip: nothing of that may end the process.
#[test]
fn damaged_entries_are_no_entries() {
    let text = entry_of(TEXT).text().expect("it can be written");
    let case = case(TEXT);
    for length in (0..text.len()).step_by(17) {
        assert!(Entry::read(&text.as_bytes()[..length]).is_none());
    }
    let mut random = 12345u64;
    for _ in 0..300 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..3 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let at = (random >> 33) as usize % bytes.len();
            // A digit becomes another digit: what is read is well-formed, and means something else.
            if bytes[at].is_ascii_digit() {
                bytes[at] = b'0' + (random >> 20) as u8 % 10;
            }
        }
        if let Some(entry) = Entry::read(&bytes) {
            Earlier::of(&case, &[entry]);
        }
    }
}
