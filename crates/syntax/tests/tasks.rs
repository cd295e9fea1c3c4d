//! The verification tasks that lie beside the project, if they do, are all read; and how fast.

use std::path::{Path, PathBuf};
use std::time::Duration;
use syntax::driver::{self, Options, on_large_stack};
use syntax::names::Names;
use syntax::source::{Origin, Source, SourceMap};
use syntax::types::DataModel;

/// Every C text below a folder, in a fixed order.
fn c_texts(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            c_texts(&path, into);
        } else if path
            .extension()
            .is_some_and(|ending| ending == "c" || ending == "i")
        {
            into.push(path);
        }
    }
}

fn tasks() -> Vec<PathBuf> {
    let mut paths = Vec::new();
    c_texts(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench"),
        &mut paths,
    );
    if paths.is_empty() {
        println!("SKIPPED: there are no tasks beside the project");
    }
    paths
}

#[test]
fn all_tasks_are_parsed() {
    let mut wrong = String::new();
    for path in tasks() {
        for data_model in [DataModel::Ilp32, DataModel::Lp64] {
            let options = Options {
                data_model,
                ..Options::default()
            };
            let outcome = on_large_stack(|| {
                driver::parse_files(std::slice::from_ref(&path), &options).map(|_| ())
            });
            if let Err(failure) = outcome {
                wrong += &failure.to_string();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The time that this thread has really run, without that of others on the same processor.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// `cargo test --release -p syntax --test tasks -- --ignored --nocapture` measures.
#[test]
#[ignore = "a measurement: meaningful only in release mode"]
fn speed_over_the_largest_tasks() {
    let mut texts: Vec<Vec<u8>> = tasks()
        .iter()
        .filter_map(|path| std::fs::read(path).ok())
        .collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    texts.truncate(25);
    let bytes: usize = texts.iter().map(Vec::len).sum();
    on_large_stack(|| {
        let rounds = 5;
        let mut parsing = Duration::ZERO;
        let mut checking = Duration::ZERO;
        for text in std::iter::repeat_n(&texts, rounds).flatten() {
            let text = text.clone();
            let Some(start) = processor_time() else {
                return;
            };
            let (mut map, mut names) = (SourceMap::new(), Names::new());
            let source = Source {
                name: "task.c".into(),
                text,
                origin: Origin::Given,
            };
            let unit = driver::parse(&mut map, &mut names, source);
            let Some(middle) = processor_time() else {
                return;
            };
            if let Ok(unit) = unit {
                let checked = syntax::check::check(vec![unit], &mut names, DataModel::Ilp32);
                let Some(end) = processor_time() else { return };
                drop(checked);
                parsing += middle - start;
                checking += end - middle;
            }
        }
        let speed = |time: Duration| (rounds * bytes) as f64 / 1e6 / time.as_secs_f64();
        println!(
            "{bytes} bytes: lexing and parsing {:.1} MB/s, checking {:.1} MB/s, together {:.1} MB/s",
            speed(parsing),
            speed(checking),
            speed(parsing + checking)
        );
    });
}
