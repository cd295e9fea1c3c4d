//! Headers that let `cc -m32 -E` work where only the 64-bit development files are installed.
//!
//! glibc's `gnu/stubs.h` includes `gnu/stubs-32.h` for 32-bit programs. That file only lists functions
//! that are not implemented, so an empty one serves as well.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Where Debian's compilers keep the headers that 32-bit programs share but do not search.
const SHARED_HEADERS: &str = "/usr/include/x86_64-linux-gnu";

/// A temporary folder with the stub headers; it goes away with the value.
pub(super) struct StubHeaders {
    folder: PathBuf,
}

impl StubHeaders {
    pub(super) fn write() -> std::io::Result<StubHeaders> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("concord-headers-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        // The folder must be ours: one that somebody else made could hold anything.
        std::fs::create_dir(&folder)?;
        let stubs = StubHeaders { folder };
        let gnu = stubs.folder.join("gnu");
        std::fs::create_dir(&gnu)?;
        std::fs::write(gnu.join("stubs-32.h"), "/* nothing is missing */\n")?;
        Ok(stubs)
    }

    /// The folders to be searched behind all others.
    pub(super) fn search_path(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.folder.clone()];
        if Path::new(SHARED_HEADERS).is_dir() {
            folders.push(SHARED_HEADERS.into());
        }
        folders
    }
}

impl Drop for StubHeaders {
    fn drop(&mut self) {
        // Nothing can be done about a folder that cannot be removed, and nothing depends on it.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_there_and_then_gone() {
        let stubs = StubHeaders::write().unwrap();
        let folder = stubs.search_path()[0].clone();
        assert!(folder.join("gnu/stubs-32.h").is_file());
        drop(stubs);
        assert!(!folder.exists());
    }
}
