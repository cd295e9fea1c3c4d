//! The journal: one JSON object per line, written to disk before the next run counts as started.
//!
//! A line is complete when its newline is there. Whoever is killed while writing leaves at most one
//! incomplete line at the end; opening the journal again cuts it off, and that run is done anew.

use super::record::{Key, Record};
use std::collections::BTreeSet;
use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub enum JournalError {
    Io(PathBuf, io::Error),
    /// Another process writes to it.
    InUse(PathBuf),
    /// A complete line that is no result: not our file, or damaged by somebody else.
    Malformed {
        file: PathBuf,
        line: usize,
        problem: String,
    },
}

impl fmt::Display for JournalError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(file, error) => write!(out, "{}: {error}", file.display()),
            Self::InUse(file) => write!(out, "{}: another run writes to it", file.display()),
            Self::Malformed {
                file,
                line,
                problem,
            } => write!(out, "{}:{line}: {problem}", file.display()),
        }
    }
}

impl std::error::Error for JournalError {}

pub struct Journal {
    path: PathBuf,
    file: File,
    known: BTreeSet<Key>,
}

impl Journal {
    /// Opens or creates it for writing; returns the results that are in it.
    pub fn open(path: &Path) -> Result<(Self, Vec<Record>), JournalError> {
        let failed = |error| JournalError::Io(path.into(), error);
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        lock(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let (records, complete) = parse(path, &bytes)?;
        if complete < bytes.len() {
            file.set_len(complete as u64).map_err(failed)?;
        }
        file.seek(SeekFrom::Start(complete as u64))
            .map_err(failed)?;
        let known = records.iter().map(Record::key).collect();
        Ok((
            Self {
                path: path.into(),
                file,
                known,
            },
            records,
        ))
    }

    pub fn contains(&self, key: &Key) -> bool {
        self.known.contains(key)
    }

    /// Stores a result. One that is there already is not stored again: false then.
    pub fn append(&mut self, record: &Record) -> Result<bool, JournalError> {
        if !self.known.insert(record.key()) {
            return Ok(false);
        }
        let failed = |error| JournalError::Io(self.path.clone(), error);
        let mut line = serde_json::to_vec(record).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        self.file
            .write_all(&line)
            .and_then(|()| self.file.sync_data())
            .map_err(failed)?;
        Ok(true)
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Closing alone would leave the lock to a process that another thread is just starting,
        // until it has closed what it inherited.
        let _ = self.file.unlock();
    }
}

/// Whoever held the lock and was killed may be outlived for a moment by what it was starting, so
/// try for a while.
fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    let deadline = Instant::now() + Duration::from_secs(1);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse(path.into())),
            Err(TryLockError::Error(error)) => return Err(JournalError::Io(path.into(), error)),
        }
    }
}

/// The results in a journal, each once; also while somebody writes to it.
pub fn read(path: &Path) -> Result<Vec<Record>, JournalError> {
    let bytes = std::fs::read(path).map_err(|error| JournalError::Io(path.into(), error))?;
    parse(path, &bytes).map(|(records, _)| records)
}

/// The results of several journals (of shards, say) as one. The first of two with the same key
/// counts.
pub fn read_all(paths: &[PathBuf]) -> Result<Vec<Record>, JournalError> {
    let mut records = Vec::new();
    for path in paths {
        records.extend(read(path)?);
    }
    Ok(distinct(records))
}

fn distinct(mut records: Vec<Record>) -> Vec<Record> {
    let mut seen = BTreeSet::new();
    records.retain(|record| seen.insert(record.key()));
    records
}

/// The results and the length of the part that is complete.
fn parse(path: &Path, bytes: &[u8]) -> Result<(Vec<Record>, usize), JournalError> {
    let mut records = Vec::new();
    let mut complete = 0;
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    for (index, line) in lines.iter().enumerate() {
        let is_last = index + 1 == lines.len();
        if !line.ends_with(b"\n") {
            break;
        }
        match serde_json::from_slice(line) {
            Ok(record) => records.push(record),
            Err(_) if line.iter().all(u8::is_ascii_whitespace) => {}
            // After a power failure the last line may have its end but not its middle.
            Err(_) if is_last => break,
            Err(error) => {
                let problem = error.to_string();
                return Err(JournalError::Malformed {
                    file: path.into(),
                    line: index + 1,
                    problem,
                });
            }
        }
        complete += line.len();
    }
    Ok((distinct(records), complete))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{DataModel, Kind, Task};
    use crate::verdict::{Expected, Status, Verdict};
    use process::Limits;
    use std::collections::BTreeMap;

    fn record(number: usize) -> Record {
        let task = Task {
            name: format!("task-{number}.c"),
            files: Vec::new(),
            kind: Kind::UnreachCall,
            property: None,
            expected: Some(Expected::False(Some("part".into()))),
            data_model: DataModel::Lp64,
            category: None,
            columns: BTreeMap::from([("doc_status".to_owned(), "true".to_owned())]),
        };
        let limits = Limits {
            cpu: Some(std::time::Duration::from_millis(12_345)),
            ..Limits::default()
        };
        let verdict = Verdict::with_reason(Status::Unknown, "line one\nline two");
        Record {
            cpu_s: 0.1 + 0.2,
            ..Record::new(&task, "T", "a", &limits, verdict)
        }
    }

    fn scratch(name: &str) -> PathBuf {
        let path =
            std::env::temp_dir().join(format!("runner-journal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    #[test]
    fn records_come_back_as_they_were() {
        let path = scratch("same");
        let (mut journal, before) = Journal::open(&path).unwrap();
        assert!(before.is_empty());
        assert!(journal.append(&record(1)).unwrap());
        assert!(
            !journal.append(&record(1)).unwrap(),
            "the same result does not count twice"
        );
        assert!(journal.append(&record(2)).unwrap());
        assert_eq!(read(&path).unwrap(), [record(1), record(2)]);
        assert!(matches!(Journal::open(&path), Err(JournalError::InUse(_))));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn wherever_the_last_line_is_torn_everything_before_it_is_kept() {
        let path = scratch("torn");
        let (mut journal, _) = Journal::open(&path).unwrap();
        journal.append(&record(1)).unwrap();
        journal.append(&record(2)).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        let first = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for length in first..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut journal, records) = Journal::open(&path).unwrap();
            assert_eq!(records, [record(1)]);
            assert!(!journal.contains(&record(2).key()));
            journal.append(&record(3)).unwrap();
            assert_eq!(read(&path).unwrap(), [record(1), record(3)]);
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_damaged_middle_is_an_error_and_a_damaged_end_is_not() {
        let path = scratch("damaged");
        let line = serde_json::to_string(&record(1)).unwrap();
        std::fs::write(&path, format!("{line}\n\0\0\0\n")).unwrap();
        assert_eq!(Journal::open(&path).unwrap().1, [record(1)]);
        std::fs::write(&path, format!("nonsense\n{line}\n")).unwrap();
        assert!(matches!(
            read(&path),
            Err(JournalError::Malformed { line: 1, .. })
        ));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn shards_are_read_as_one() {
        let (one, two) = (scratch("one"), scratch("two"));
        Journal::open(&one).unwrap().0.append(&record(1)).unwrap();
        let (mut second, _) = Journal::open(&two).unwrap();
        second.append(&record(1)).unwrap();
        second.append(&record(2)).unwrap();
        assert_eq!(
            read_all(&[one.clone(), two.clone()]).unwrap(),
            [record(1), record(2)]
        );
        std::fs::remove_file(one).unwrap();
        std::fs::remove_file(two).unwrap();
    }
}
