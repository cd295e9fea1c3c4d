//! All tasks of a folder of sets through all stages:
//! `cargo run --release -p transform --example stages -- FOLDER [EVERY]`. Prints what the passes
//! leave of each task and how long they take; every EVERY-th task only, if given.

#[path = "../tests/support/stages.rs"]
mod stages;

use std::path::PathBuf;

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().map(PathBuf::from);
    let every = args.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    let Some(tasks) = folder.and_then(|folder| stages::tasks(&folder)) else {
        eprintln!("expected a folder that has a folder 'sets'");
        std::process::exit(2);
    };
    let percent = |after: usize, before: usize| 100.0 * after as f64 / before.max(1) as f64;
    println!(
        "locations edges variables: before -> after | cut points blocks commands | prepare ms, blocks ms | file"
    );
    let (mut count, mut failed) = (0, 0);
    let mut sums = [0.0; 3];
    let mut times = Vec::new();
    for (file, model) in tasks.into_iter().step_by(every) {
        match stages::through_all_stages(&file, model) {
            Err(text) => {
                failed += 1;
                println!("FAILED {}: {text}", file.display());
            }
            Ok(found) => {
                count += 1;
                let (before, after) = (found.split, found.prepared);
                sums[0] += percent(after.locations, before.locations);
                sums[1] += percent(after.edges, before.edges);
                sums[2] += percent(after.vars, before.vars);
                times.push(found.prepare_time.as_secs_f64() * 1e3);
                println!(
                    "{} {} {} -> {} {} {} | {} {} {} | {:.1} {:.1} | {}",
                    before.locations,
                    before.edges,
                    before.vars,
                    after.locations,
                    after.edges,
                    after.vars,
                    found.cut_points,
                    found.blocks,
                    found.commands,
                    found.prepare_time.as_secs_f64() * 1e3,
                    found.blocks_time.as_secs_f64() * 1e3,
                    file.display()
                );
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let left = sums.map(|sum| sum / f64::from(count.max(1)));
    println!(
        "{count} tasks, {failed} failed; left on average: {:.0}% of locations, {:.0}% of edges, {:.0}% of variables",
        left[0], left[1], left[2]
    );
    if let (Some(median), Some(most)) = (times.get(times.len() / 2), times.last()) {
        println!("prepared in {median:.1} ms (median), {most:.1} ms (most)");
    }
}
