//! What every named configuration comes to, however its file says it: `plans.txt` has one line for
//! each. A change of that file is a change of what is run;
//! `CONCORD_UPDATE=1 cargo test -p portfolio --test plans` writes it anew.

use portfolio::configuration;
use std::fmt::Write;
use std::path::Path;

#[test]
fn every_name_stands_for_the_plan_that_it_stood_for() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plans.txt");
    let mut found = String::new();
    for named in configuration::all() {
        let (name, analysis) = named.expect("configurations can be read");
        let passes = analysis.passes.join(" ");
        let _ = writeln!(found, "{name} [{passes}] {}", analysis.plan);
    }
    if std::env::var_os("CONCORD_UPDATE").is_some() {
        std::fs::write(&file, &found).expect("the file can be written");
    }
    let expected = std::fs::read_to_string(&file).expect("the file can be read");
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.lines().count(), expected.lines().count());
}
