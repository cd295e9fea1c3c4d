//! What a command writes, kept within bounds: the beginning and the end of it, and each line as it
//! comes.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

/// Where output goes besides being kept in memory.
#[derive(Clone, Debug, Default)]
pub enum Sink {
    #[default]
    Memory,
    /// The same text as in memory is written to this file; the beginning of it at once.
    File(PathBuf),
}

#[derive(Clone, Debug)]
pub struct OutputPolicy {
    pub sink: Sink,
    /// Bytes kept of the beginning, and as many of the end.
    pub keep: usize,
    /// Longer lines reach a line callback cut to this many bytes.
    pub longest_line: usize,
}

impl Default for OutputPolicy {
    fn default() -> Self {
        Self {
            sink: Sink::Memory,
            keep: 1 << 20,
            longest_line: 1 << 24,
        }
    }
}

impl OutputPolicy {
    pub fn keep(bytes: usize) -> Self {
        Self {
            keep: bytes,
            ..Self::default()
        }
    }

    pub fn to_file(self, path: impl Into<PathBuf>) -> Self {
        Self {
            sink: Sink::File(path.into()),
            ..self
        }
    }
}

/// The beginning and the end of a stream. What lies between is counted only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    pub head: Vec<u8>,
    pub tail: Vec<u8>,
    pub left_out: u64,
}

impl Captured {
    pub fn total(&self) -> u64 {
        self.head.len() as u64 + self.tail.len() as u64 + self.left_out
    }

    /// The text, with a line in place of what was left out.
    pub fn text(&self) -> String {
        let mut bytes = self.head.clone();
        bytes.extend(self.gap().into_bytes());
        bytes.extend(&self.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn gap(&self) -> String {
        match self.left_out {
            0 => String::new(),
            bytes => format!("\n[{bytes} bytes left out]\n"),
        }
    }
}

/// Takes a stream piece by piece.
pub struct Recorder {
    keep: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
    file: Option<File>,
    lines: Option<LineSplitter>,
}

impl Recorder {
    pub fn new(policy: &OutputPolicy, on_line: Option<LineCallback>) -> io::Result<Self> {
        let file = match &policy.sink {
            Sink::Memory => None,
            Sink::File(path) => Some(File::create(path)?),
        };
        let lines = on_line.map(|callback| LineSplitter::new(policy.longest_line, callback));
        Ok(Self {
            keep: policy.keep,
            head: Vec::new(),
            tail: VecDeque::new(),
            left_out: 0,
            file,
            lines,
        })
    }

    /// A full disk must not end the run: what the file misses is still in memory.
    pub fn take(&mut self, piece: &[u8]) {
        if let Some(lines) = &mut self.lines {
            lines.take(piece);
        }
        let (first, rest) = piece.split_at(piece.len().min(self.keep - self.head.len()));
        self.head.extend(first);
        if let Some(file) = &mut self.file
            && file.write_all(first).is_err()
        {
            self.file = None;
        }
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(self.keep);
        self.tail.drain(..surplus);
        self.left_out += surplus as u64;
    }

    pub fn finish(mut self) -> Captured {
        if let Some(lines) = self.lines {
            lines.finish();
        }
        let captured = Captured {
            head: self.head,
            tail: self.tail.into(),
            left_out: self.left_out,
        };
        if let Some(file) = &mut self.file {
            // See `take`: the outcome carries the same text.
            let _ = file
                .write_all(captured.gap().as_bytes())
                .and_then(|()| file.write_all(&captured.tail));
        }
        captured
    }
}

/// Called with each complete line, without its end, in the order written.
pub type LineCallback = Box<dyn FnMut(&str) + Send>;

struct LineSplitter {
    callback: LineCallback,
    longest: usize,
    partial: Vec<u8>,
}

impl LineSplitter {
    fn new(longest: usize, callback: LineCallback) -> Self {
        Self {
            callback,
            longest,
            partial: Vec::new(),
        }
    }

    fn take(&mut self, piece: &[u8]) {
        for part in piece.split_inclusive(|&byte| byte == b'\n') {
            let (text, ends) = part
                .strip_suffix(b"\n")
                .map_or((part, false), |text| (text, true));
            let room = self.longest.saturating_sub(self.partial.len());
            self.partial.extend(&text[..text.len().min(room)]);
            if ends {
                self.deliver();
            }
        }
    }

    fn deliver(&mut self) {
        let line = std::mem::take(&mut self.partial);
        (self.callback)(String::from_utf8_lossy(&line).trim_end_matches('\r'));
    }

    fn finish(mut self) {
        if !self.partial.is_empty() {
            self.deliver();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::{Arc, Mutex};

    fn record(keep: usize, longest_line: usize, pieces: &[Vec<u8>]) -> (Captured, Vec<String>) {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&lines);
        let policy = OutputPolicy {
            keep,
            longest_line,
            ..OutputPolicy::default()
        };
        let callback: LineCallback =
            Box::new(move |line| seen.lock().unwrap().push(line.to_owned()));
        let mut recorder = Recorder::new(&policy, Some(callback)).unwrap();
        for piece in pieces {
            recorder.take(piece);
        }
        let captured = recorder.finish();
        (
            captured,
            Arc::try_unwrap(lines).unwrap().into_inner().unwrap(),
        )
    }

    proptest! {
        #[test]
        fn how_the_stream_is_cut_does_not_matter(
            pieces in proptest::collection::vec(proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..20), 0..20),
            keep in 0usize..40,
        ) {
            let whole = pieces.concat();
            let (captured, lines) = record(keep, 1000, &pieces);
            prop_assert_eq!(&(captured.clone(), lines), &record(keep, 1000, std::slice::from_ref(&whole)));
            prop_assert_eq!(captured.total(), whole.len() as u64);
            prop_assert!(whole.starts_with(&captured.head) && whole.ends_with(&captured.tail));
            prop_assert!(captured.head.len() <= keep && captured.tail.len() <= keep);
        }
    }

    #[test]
    fn lines_come_whole_and_the_last_one_without_its_end() {
        let (_, lines) = record(
            10,
            1000,
            &[b"on".to_vec(), b"e\r\ntwo\n\nthr".to_vec(), b"ee".to_vec()],
        );
        assert_eq!(lines, ["one", "two", "", "three"]);
    }

    #[test]
    fn a_long_line_is_cut() {
        let (captured, lines) = record(4, 5, &[b"123456789\nok\n".to_vec()]);
        assert_eq!(lines, ["12345", "ok"]);
        assert_eq!(captured.text(), "1234\n[5 bytes left out]\n\nok\n");
    }
}
