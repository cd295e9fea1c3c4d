//! A benchmark run on a cluster: each element of an array runs a part of the tasks, with a journal
//! of its own; whoever started it merges the journals into that of the run.

use super::journal::{self, Journal};
use super::record::{Key, Record};
use super::run::{BenchError, Plan, blank, check_contenders};
use super::{Observer, Stop};
use crate::cluster::{self, Array, ClusterError, Engine};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What an element has besides its runs: to start, and to write what it has found.
const SLACK: Duration = Duration::from_secs(120);
const MEMORY_SLACK: u64 = 200_000_000;

/// How a run is given to a cluster.
pub struct Distributed {
    pub engine: Engine,
    /// For each element the tasks that are its part, by their places in the plan.
    pub parts: Vec<Vec<usize>>,
    /// The command that runs one part, for `sh`: `$ELEMENT` is its number, from 0.
    pub command: String,
}

impl Distributed {
    /// Where an element keeps its journal, logs and witnesses.
    fn place(&self, element: usize) -> String {
        format!("{}/{element}", Self::directory(self.parts.len()))
    }

    /// The places of so many elements, relative to the directory of the run.
    pub fn directory(count: usize) -> String {
        format!("workers-{count}")
    }
}

/// As [`super::run()`], on a cluster.
pub fn run_on(
    plan: &Plan,
    distributed: &Distributed,
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<Vec<Record>, BenchError> {
    fs::create_dir_all(&plan.directory)
        .map_err(|error| BenchError::Io(plan.directory.clone(), error))?;
    let directory = fs::canonicalize(&plan.directory)
        .map_err(|error| BenchError::Io(plan.directory.clone(), error))?;
    let (journal, stored) = Journal::open(&plan.journal())?;
    check_contenders(plan)?;
    // What is to be known, in the order of the plan, and what each element finds out of it.
    let mut wanted: BTreeMap<Key, usize> = BTreeMap::new();
    let mut keys_of: Vec<BTreeSet<Key>> = Vec::new();
    for part in &distributed.parts {
        let mut keys = BTreeSet::new();
        for &number in part {
            for (place, contender) in plan.contenders.iter().enumerate() {
                let key = blank(&plan.tasks[number], contender, &plan.limits).key();
                wanted.insert(key.clone(), number * plan.contenders.len() + place);
                keys.insert(key);
            }
        }
        keys_of.push(keys);
    }
    let known: Vec<Record> = stored
        .into_iter()
        .filter(|record| wanted.contains_key(&record.key()))
        .collect();
    observer.begin(wanted.len(), &known);
    let mut merge = Merge {
        journal,
        records: known,
        lengths: BTreeMap::new(),
        problem: None,
    };
    let longest = distributed.parts.iter().map(Vec::len).max().unwrap_or(0);
    let runs = (longest * plan.contenders.len()).div_ceil(plan.jobs.max(1)) as u32;
    let jobs = plan.jobs.max(1) as u64;
    let array = Array {
        name: "concord-bench".into(),
        directory: directory.join(Distributed::directory(distributed.parts.len())),
        script: distributed.command.clone(),
        processors: plan.jobs.max(1),
        memory: plan.limits.memory.unwrap_or(4_000_000_000) * jobs + MEMORY_SLACK,
        time: plan.limits.wall.unwrap_or(Duration::from_secs(3600)) * runs.max(1) + SLACK,
    };
    let ended = cluster::run(
        distributed.engine,
        &array,
        &mut || {
            for element in 0..distributed.parts.len() {
                merge.take(&directory, &distributed.place(element), &wanted, observer);
            }
            if merge.problem.is_some() {
                // Nothing more can be kept.
                return BTreeMap::new();
            }
            let open = keys_of.iter().enumerate().map(|(element, keys)| {
                let left = keys.iter().filter(|key| !merge.journal.contains(key));
                (element, left.count())
            });
            open.filter(|(_, left)| *left > 0).collect()
        },
        stop,
    );
    observer.end();
    if let Some(problem) = merge.problem {
        return Err(problem);
    }
    let mut records = merge.records;
    match ended {
        Ok(()) => {}
        Err(ClusterError::Stopped) => {
            return Err(BenchError::Stopped {
                done: records.len(),
                total: wanted.len(),
            });
        }
        Err(error) => return Err(BenchError::Cluster(error)),
    }
    records.sort_by_key(|record| wanted.get(&record.key()).copied());
    Ok(records)
}

/// Takes the results of elements over, each once.
struct Merge {
    journal: Journal,
    records: Vec<Record>,
    /// How long each journal was when it was read.
    lengths: BTreeMap<PathBuf, u64>,
    problem: Option<BenchError>,
}

impl Merge {
    fn take(
        &mut self,
        directory: &Path,
        place: &str,
        wanted: &BTreeMap<Key, usize>,
        observer: &dyn Observer,
    ) {
        let file = directory.join(place).join(Plan::JOURNAL);
        let length = fs::metadata(&file).map_or(0, |data| data.len());
        if self.lengths.get(&file).copied().unwrap_or(0) == length {
            return;
        }
        // An element that writes now is read again at the next look.
        let Ok(records) = journal::read(&file) else {
            return;
        };
        self.lengths.insert(file, length);
        for mut record in records {
            if !wanted.contains_key(&record.key()) {
                continue;
            }
            for path in [&mut record.log, &mut record.witness].into_iter().flatten() {
                *path = format!("{place}/{path}");
            }
            match self.journal.append(&record) {
                Ok(true) => {
                    observer.finished(&record);
                    self.records.push(record);
                }
                Ok(false) => {}
                Err(error) => {
                    self.problem = Some(error.into());
                    return;
                }
            }
        }
    }
}
