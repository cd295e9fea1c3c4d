//! The files of `--cache DIR`: what earlier runs have found about a program and its versions.
//!
//! A program is a directory, named after its first file, the function that it starts at and the
//! property; a version of it is a file there, named by its key ([`portfolio::cache::key`]). Nothing
//! in a file is believed, so a file that cannot be read, or is of another program, does no harm.

use crate::cli::CheckArgs;
use crate::load::Task;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const ENDING: &str = "json";
/// Versions of a program that are kept, the last ones used.
const MAX_VERSIONS: usize = 8;
/// Versions whose answers and facts a new one begins with.
const MAX_TRIED: usize = 2;
/// Larger files are not read.
const MAX_BYTES: u64 = 64 << 20;

pub struct Cache {
    /// The directory of the program.
    dir: PathBuf,
}

impl Cache {
    pub fn open(dir: &Path, args: &CheckArgs, task: &Task) -> Cache {
        let names = task.files.iter().map(|file| {
            let name = file.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        });
        let names: Vec<String> = names.collect();
        let entry = args.input.entry.as_deref().unwrap_or("main");
        let property = format!("{:?}", task.property);
        let each = args.decides_each();
        let whole = format!("{names:?} {entry} {property} {:?} {each}", task.model);
        let first = names.first().map_or("program", String::as_str);
        let readable = format!("{first}.{entry}.{}", task.property_name);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let readable: String = readable
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .take(120)
            .collect();
        let hash = witness::hash_of(whole.as_bytes());
        Cache {
            dir: dir.join(format!("{readable}.{}", &hash[..16])),
        }
    }

    fn file(&self, key: &str) -> PathBuf {
        self.dir.join(key).with_extension(ENDING)
    }

    /// The files of versions, the last used first.
    fn versions(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let files = entries.filter_map(|entry| {
            let path = entry.path();
            let time = entry.metadata().and_then(|data| data.modified()).ok()?;
            (path.extension()? == ENDING).then_some((time, path))
        });
        let mut files: Vec<(SystemTime, PathBuf)> = files.collect();
        files.sort();
        files.into_iter().rev().map(|(_, path)| path).collect()
    }

    /// What is known of the version with this key, or else of those that were checked last; and
    /// whether it is that of the version. `read` says what a file holds, if it is one of ours.
    pub fn entries<T>(&self, key: &str, read: impl Fn(&[u8]) -> Option<T>) -> (Vec<T>, bool) {
        let content = |file: &Path| read(&bytes(file)?);
        if let Some(entry) = content(&self.file(key)) {
            return (vec![entry], true);
        }
        let others = self.versions().into_iter();
        let found = others.filter_map(|file| content(&file));
        (found.take(MAX_TRIED).collect(), false)
    }

    /// Keeps what was found about a version.
    pub fn keep(&self, key: &str, text: &str) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.dir.display());
        std::fs::create_dir_all(&self.dir).map_err(failed)?;
        // Two runs may write at once: each file is that of one of them.
        let mut file = tempfile::NamedTempFile::new_in(&self.dir).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        file.persist(self.file(key))
            .map_err(|error| failed(error.error))?;
        for old in self.versions().into_iter().skip(MAX_VERSIONS) {
            // Whoever else cleans up here may have been faster.
            let _ = std::fs::remove_file(old);
        }
        Ok(())
    }

    /// Notes that the version was used now.
    pub fn touch(&self, key: &str) {
        let file = std::fs::File::options().append(true).open(self.file(key));
        // Where that fails it is forgotten earlier than it might be.
        let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
    }
}

fn bytes(file: &Path) -> Option<Vec<u8>> {
    if std::fs::metadata(file).ok()?.len() > MAX_BYTES {
        return None;
    }
    std::fs::read(file).ok()
}
