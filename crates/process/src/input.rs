//! A command's standard input that lies in memory.

use nix::sys::memfd::{MFdFlags, memfd_create};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;

/// A file without a name: nothing is left of it, whatever happens to us.
pub struct InputText(File);

impl InputText {
    pub fn new(text: &str) -> io::Result<InputText> {
        let mut file = File::from(memfd_create(c"input", MFdFlags::MFD_CLOEXEC)?);
        file.write_all(text.as_bytes())?;
        Ok(InputText(file))
    }

    /// Where a process that we start finds it, for [`crate::CommandLine::input`], as long as this
    /// value lives.
    pub fn path(&self) -> PathBuf {
        format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_read_it_from_its_beginning() {
        let text = InputText::new("one\ntwo\n").expect("there is room");
        let output = std::process::Command::new("cat")
            .arg(text.path())
            .output()
            .expect("there is cat");
        assert_eq!(output.stdout, b"one\ntwo\n");
    }
}
