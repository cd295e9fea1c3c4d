//! Lists where programs observe addresses: `observed [--32|--64] FILE…`.

use lowering::{LowerOptions, load_program};
use std::time::Instant;
use syntax::driver;
use syntax::types::DataModel;

fn main() {
    let mut model = DataModel::Ilp32;
    for arg in std::env::args().skip(1) {
        match arg.as_str() {
            "--32" => model = DataModel::Ilp32,
            "--64" => model = DataModel::Lp64,
            file => {
                let front = driver::Options {
                    data_model: model,
                    ..driver::Options::default()
                };
                let Ok(loaded) = load_program(&[file.into()], &front, &LowerOptions::default())
                else {
                    println!("{file}: does not load");
                    continue;
                };
                let start = Instant::now();
                let places = transform::regions::observed_addresses(&loaded.program);
                let time = start.elapsed().as_secs_f64();
                println!("{file}: {} places, {time:.3} s", places.len());
                for (span, how) in places {
                    println!("  {}: {}", loaded.program.describe(span), how.text());
                }
            }
        }
    }
}
