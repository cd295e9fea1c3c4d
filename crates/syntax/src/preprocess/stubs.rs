//! Headers that let `cc -m32 -E` work where only the 64-bit development files are installed.
//!
//! glibc's `gnu/stubs.h` includes `gnu/stubs-32.h` for 32-bit programs. That file only lists
//! functions that are not implemented, so an empty one serves as well.

use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where Debian's compilers keep the headers that 32-bit programs share but do not search.
const SHARED_HEADERS: &str = "/usr/include/x86_64-linux-gnu";

/// A temporary folder with the stub headers; it goes away with the value.
pub(super) struct StubHeaders {
    folder: TempDir,
}

impl StubHeaders {
    pub(super) fn write() -> std::io::Result<StubHeaders> {
        let folder = tempfile::Builder::new()
            .prefix("concord-headers-")
            .tempdir()?;
        let gnu = folder.path().join("gnu");
        std::fs::create_dir(&gnu)?;
        std::fs::write(gnu.join("stubs-32.h"), "/* nothing is missing */\n")?;
        Ok(StubHeaders { folder })
    }

    /// The folders to be searched behind all others.
    pub(super) fn search_path(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.folder.path().to_path_buf()];
        if Path::new(SHARED_HEADERS).is_dir() {
            folders.push(SHARED_HEADERS.into());
        }
        folders
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
