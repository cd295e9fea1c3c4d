use syntax::driver::{Options, on_large_stack, parse_files};
use syntax::types::DataModel;
fn main() {
    let mut options = Options::default();
    let mut quiet = false;
    for arg in std::env::args().skip(1) {
        if arg == "-64" {
            options.data_model = DataModel::Lp64;
            continue;
        }
        if arg == "-32" {
            options.data_model = DataModel::Ilp32;
            continue;
        }
        if arg == "-q" {
            quiet = true;
            continue;
        }
        on_large_stack(|| {
            let t0 = std::time::Instant::now();
            match parse_files(&[arg.clone().into()], &options) {
                Err(f) => println!("PARSE {arg}\n{f}"),
                Ok(mut p) => {
                    let t1 = std::time::Instant::now();
                    match syntax::check::check(p.units, &mut p.names, options.data_model) {
                        Ok(c) => {
                            let t2 = std::time::Instant::now();
                            if !quiet {
                                println!(
                                    "ok {arg} parse {:?} check {:?} functions {} vars {} warnings {}",
                                    t1 - t0,
                                    t2 - t1,
                                    c.program.functions.len(),
                                    c.program.vars.len(),
                                    c.warnings.len()
                                );
                                for w in c.warnings.iter().take(if std::env::var("W").is_ok() {
                                    1000
                                } else {
                                    0
                                }) {
                                    println!(
                                        "{}",
                                        syntax::diagnostics::render(
                                            &p.sources,
                                            std::slice::from_ref(w)
                                        )
                                    );
                                }
                                if std::env::var("DUMP").is_ok() {
                                    println!("{:#?}", c.program.functions);
                                    println!("{:#?}", c.program.vars);
                                }
                            }
                        }
                        Err(d) => println!(
                            "FAIL {arg}\n{}",
                            syntax::diagnostics::render(&p.sources, &d[..d.len().min(5)])
                        ),
                    }
                }
            }
        });
    }
}
