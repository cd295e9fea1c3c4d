//! Generated programs that nobody here wrote, against gcc, in both data models: what the
//! interpreter prints and what the written C prints must be what the compiled program prints.
//!
//! `cargo run --release -p interpreter --example csmith_duel -- --from 1 --count 1000` does the
//! same for many more.

#[path = "support/duel.rs"]
mod duel;

use duel::{Duel, Verdict, gcc_model};
use opponents::{csmith, gcc, skip};
use std::path::PathBuf;
use syntax::types::DataModel;

const PROGRAMS: u32 = 25;

fn duels(model: DataModel, name: &str) {
    let work = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&work).expect("cargo gives a folder that can be written");
    let Some(csmith_include) = csmith::include() else {
        return skip("csmith is not installed");
    };
    if !gcc::works(&work, gcc_model(model)) {
        return skip(&format!("gcc does not make {name} programs here"));
    }
    let duel = Duel {
        work,
        model,
        csmith_include,
    };
    let (mut fought, mut seed) = (0, 1);
    while fought < PROGRAMS {
        let source = csmith::generate(&duel.work, seed, &[]).expect("csmith runs");
        match duel.fight_file(&source) {
            Verdict::Agree => fought += 1,
            Verdict::Replaced(_) => {}
            Verdict::Differ(text) => panic!("seed {seed}: {text}"),
        }
        seed += 1;
        assert!(seed < 200, "hardly any generated program ends in time");
    }
}

#[test]
fn generated_programs_agree_with_gcc_ilp32() {
    duels(DataModel::Ilp32, "ilp32");
}

#[test]
fn generated_programs_agree_with_gcc_lp64() {
    duels(DataModel::Lp64, "lp64");
}
