//! The front end answers every text: with a tree or with errors, never with a panic, and soon.
//!
//! `CONCORD_FUZZ_SECONDS=600 cargo test -p syntax --test fuzz` looks for ten minutes.

#[path = "support/texts.rs"]
mod texts;

use std::time::Duration;
use syntax::check;
use syntax::diagnostics;
use syntax::driver::{self, on_large_stack};
use syntax::names::Names;
use syntax::source::{Origin, Source, SourceMap};
use syntax::types::DataModel;
use texts::{PROGRAM, Random, bytes, mutated, processor_time, seeds, soup, varied};

/// Reads a text and shows what is wrong with it; the time it took.
fn try_text(text: Vec<u8>) -> Duration {
    let start = processor_time();
    let (mut map, mut names) = (SourceMap::new(), Names::new());
    let source = Source {
        name: "fuzz.c".into(),
        text,
        origin: Origin::Given,
    };
    let outcome = driver::parse(&mut map, &mut names, source)
        .and_then(|unit| check::check(vec![unit], &mut names, DataModel::Lp64));
    if let Err(errors) = outcome {
        assert!(!errors.is_empty(), "a failure must say why");
        let shown = diagnostics::render(&map, &errors);
        assert!(shown.contains("fuzz.c:"), "{shown}");
    }
    processor_time() - start
}

/// Texts in an ordinary run.
const TEXTS: u64 = 6000;

#[test]
fn no_text_makes_the_front_end_panic_or_hang() {
    let makers: [fn(&mut Random) -> Vec<u8>; 4] = [soup, mutated, bytes, varied];
    on_large_stack(|| {
        for seed in seeds(TEXTS) {
            let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let text = makers[seed as usize % makers.len()](&mut random);
            let shown = String::from_utf8_lossy(&text).into_owned();
            let outcome = std::panic::catch_unwind(|| try_text(text));
            match outcome {
                Ok(time) => assert!(
                    time < Duration::from_secs(5),
                    "seed {seed}: {time:?}\n{shown}"
                ),
                Err(_) => panic!("seed {seed} panics on:\n{shown}"),
            }
        }
    });
}

#[test]
fn every_beginning_of_a_program_gets_an_answer() {
    on_large_stack(|| {
        for end in 0..PROGRAM.len() {
            try_text(PROGRAM.as_bytes()[..end].to_vec());
        }
    });
}

#[test]
fn the_sample_itself_is_right() {
    let (mut map, mut names) = (SourceMap::new(), Names::new());
    let source = Source {
        name: "sample.c".into(),
        text: PROGRAM.into(),
        origin: Origin::Given,
    };
    let outcome = driver::parse(&mut map, &mut names, source)
        .and_then(|unit| check::check(vec![unit], &mut names, DataModel::Lp64));
    if let Err(errors) = outcome {
        panic!("{}", diagnostics::render(&map, &errors));
    }
}
