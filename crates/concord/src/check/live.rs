//! A sign of life: on a terminal one line that changes, otherwise a line every half minute.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

pub struct Live {
    quiet: bool,
    is_terminal: bool,
    started: Instant,
    shown: Option<Instant>,
    has_line: bool,
}

impl Live {
    pub fn new(quiet: bool) -> Live {
        Live {
            quiet,
            is_terminal: std::io::stderr().is_terminal(),
            started: Instant::now(),
            shown: None,
            has_line: false,
        }
    }

    pub fn show(&mut self, phases: &BTreeMap<String, String>) {
        let pause = if self.is_terminal {
            Duration::from_millis(100)
        } else {
            Duration::from_secs(30)
        };
        let since = self.shown.unwrap_or(self.started);
        if self.quiet || since.elapsed() < pause {
            return;
        }
        self.shown = Some(Instant::now());
        let parts: Vec<String> = phases
            .iter()
            .map(|(engine, phase)| format!("{engine}: {phase}"))
            .collect();
        let text = format!(
            "[{:.0} s] {}",
            self.started.elapsed().as_secs_f64(),
            parts.join(" · ")
        );
        let mut err = std::io::stderr().lock();
        if self.is_terminal {
            let text: String = text.chars().take(150).collect();
            let _ = write!(err, "\r\x1b[2K{text}");
            self.has_line = true;
        } else {
            let _ = writeln!(err, "{text}");
        }
        let _ = err.flush();
    }

    /// Takes the changing line away before the answer is printed.
    pub fn clear(&mut self) {
        if self.has_line {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "\r\x1b[2K");
            let _ = err.flush();
            self.has_line = false;
        }
    }
}
