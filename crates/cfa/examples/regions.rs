//! tmp
#[path = "../tests/support/validated.rs"]
mod validated;
use syntax::types::DataModel;
fn main() {
    for file in std::env::args().skip(1) {
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            match validated::Validated::load(
                file.as_ref(),
                model,
                vec!["/usr/include/csmith".into()],
            ) {
                Err(text) => println!("{file} {model:?}: NOT LOADED {text}"),
                Ok(v) => {
                    let mut bad = None;
                    let mut n = (0, 0, 0, 0);
                    for seed in 1..=20 {
                        match v.run_random(seed, 300_000) {
                            Ok(s) => {
                                n.0 += s.loads;
                                n.1 += s.stores;
                                n.2 += s.ranges;
                                n.3 += s.unknown;
                            }
                            Err(t) => {
                                bad = Some((seed, t));
                                break;
                            }
                        }
                    }
                    match bad {
                        Some((s, t)) => println!("{file} {model:?}: VIOLATION seed {s}: {t}"),
                        None => println!("{file} {model:?}: ok {n:?}"),
                    }
                }
            }
        }
    }
}
