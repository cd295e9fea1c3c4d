//! Lowering and what comes behind it answer every text, never with a panic, and soon.
//!
//! `CONCORD_FUZZ_SECONDS=600 cargo test -p lowering --test fuzz` looks for ten minutes.

#[path = "../../syntax/tests/support/texts.rs"]
mod texts;

use interpreter::{ConstantInputs, Interpreter, Options};
use lowering::{LowerOptions, load_text};
use printing::emit_c::{Inputs, emit_c};
use std::time::Duration;
use syntax::driver::{self, on_large_stack};
use syntax::types::DataModel;
use texts::{Random, mutated, processor_time, seeds, soup, varied};

/// Texts in an ordinary run.
const TEXTS: u64 = 300;

/// Whether the text was a program.
fn try_text(text: &str, model: DataModel) -> bool {
    let front = driver::Options {
        data_model: model,
        ..driver::Options::default()
    };
    let options = LowerOptions {
        // Nothing of the text is left out.
        all_functions: true,
        ..LowerOptions::default()
    };
    let Ok(loaded) = load_text("fuzz.c", text, &front, &options) else {
        return false;
    };
    let program = loaded.program;
    let split = transform::regions::split_memory(&program);
    let _places = transform::regions::observed_addresses(&program);
    let _text = emit_c(&program, Inputs::Calls);
    let options = Options {
        max_steps: 20_000,
        ..Options::default()
    };
    for program in [&program, &split] {
        Interpreter::new(program).run(&options, &mut ConstantInputs(1), &mut std::io::sink());
    }
    true
}

#[test]
fn no_text_makes_lowering_panic_or_hang() {
    let makers: [fn(&mut Random) -> Vec<u8>; 4] = [varied, mutated, varied, soup];
    let (mut tried, mut programs) = (0, 0);
    on_large_stack(|| {
        for seed in seeds(TEXTS) {
            let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let text = makers[seed as usize % makers.len()](&mut random);
            let text = String::from_utf8_lossy(&text).into_owned();
            let model = [DataModel::Ilp32, DataModel::Lp64][random.below(2)];
            let start = processor_time();
            let outcome = std::panic::catch_unwind(|| try_text(&text, model));
            let time = processor_time() - start;
            let Ok(is_program) = outcome else {
                panic!("seed {seed} panics in {model:?} on:\n{text}");
            };
            assert!(
                time < Duration::from_secs(10),
                "seed {seed}: {time:?}\n{text}"
            );
            tried += 1;
            programs += u64::from(is_program);
        }
    });
    println!("{tried} texts, {programs} of them programs");
    assert!(
        programs * 10 > tried,
        "only {programs} of {tried} are programs"
    );
}
