//! Public verification tasks beside the repository go through all stages, if they are there. All of
//! them: `cargo run --release -p transform --example stages -- FOLDER`.

#[path = "support/stages.rs"]
mod stages;

use std::path::Path;

const SAMPLE: usize = 60;

#[test]
fn a_sample_of_tasks_goes_through_all_stages() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench");
    let Some(tasks) = stages::tasks(&root) else {
        println!("SKIPPED: no benchmark tasks beside the repository");
        return;
    };
    let mut failures = Vec::new();
    let step = tasks.len().div_ceil(SAMPLE).max(1);
    // From the second on, so that not only the first of each kind are taken.
    for (file, model) in tasks.iter().skip(1).step_by(step) {
        match stages::through_all_stages(file, *model) {
            Err(text) => failures.push(format!("{}: {text}", file.display())),
            Ok(found) => {
                let edges = found.prepared.edges as u64;
                assert!(found.prepared.edges <= found.split.edges);
                assert!(found.commands <= 40 * edges + 100, "{}", file.display());
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
