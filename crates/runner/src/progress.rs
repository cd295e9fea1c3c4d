//! Progress of a benchmark run for a person who watches.

use crate::bench::{Observer, Record, Tally};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A bar on the terminal: done, solved, unknown, wrong, time left. Draws nothing when there is no
/// terminal.
pub struct Bar {
    bar: ProgressBar,
    tally: Mutex<Tally>,
}

impl Default for Bar {
    fn default() -> Self {
        let style =
            ProgressStyle::with_template("[{elapsed}] {wide_bar} {pos}/{len}  {msg}  {eta} left");
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        Self {
            bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
            tally: Mutex::default(),
        }
    }
}

fn counts(tally: &Tally) -> String {
    let mut text = format!(
        "{} solved, {} unknown, {} wrong",
        tally.correct, tally.unsolved, tally.wrong
    );
    if tally.unjudged > 0 {
        text += &format!(", {} not judged", tally.unjudged);
    }
    text
}

impl Observer for Bar {
    fn begin(&self, total: usize, known: &[Record]) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        *tally = Tally::of(known);
        self.bar.set_length(total as u64);
        self.bar.set_position(known.len() as u64);
        // What was done before took no time now.
        self.bar.reset_eta();
        self.bar.set_message(counts(&tally));
        self.bar.enable_steady_tick(Duration::from_secs(1));
    }

    fn finished(&self, record: &Record) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.add(record.class());
        self.bar.set_message(counts(&tally));
        self.bar.inc(1);
    }

    fn end(&self) {
        self.bar.abandon();
    }
}

/// A line every so often, for logs of continuous integration.
pub struct Lines<W> {
    state: Mutex<State<W>>,
    every: Duration,
}

struct State<W> {
    out: W,
    tally: Tally,
    total: usize,
    known: usize,
    done: usize,
    begin: Instant,
    last: Option<Instant>,
}

impl<W: Write + Send> Lines<W> {
    pub fn new(out: W, every: Duration) -> Self {
        let begin = Instant::now();
        let state = State {
            out,
            tally: Tally::default(),
            total: 0,
            known: 0,
            done: 0,
            begin,
            last: None,
        };
        Self {
            state: Mutex::new(state),
            every,
        }
    }
}

impl<W: Write> State<W> {
    fn say(&mut self) {
        let now = self.done - self.known;
        let left = match now {
            0 => String::new(),
            _ => {
                let each = self.begin.elapsed().as_secs_f64() / now as f64;
                format!(
                    ", about {:.0} s left",
                    each * (self.total - self.done) as f64
                )
            }
        };
        // That nobody reads the progress is no reason to stop.
        let _ = writeln!(
            self.out,
            "{}/{}: {}{left}",
            self.done,
            self.total,
            counts(&self.tally)
        );
        self.last = Some(Instant::now());
    }
}

impl<W: Write + Send> Observer for Lines<W> {
    fn begin(&self, total: usize, known: &[Record]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.tally = Tally::of(known);
        (state.total, state.known, state.done) = (total, known.len(), known.len());
        state.begin = Instant::now();
        state.say();
    }

    fn finished(&self, record: &Record) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.tally.add(record.class());
        state.done += 1;
        if state.done == state.total || state.last.is_none_or(|last| last.elapsed() >= self.every) {
            state.say();
        }
    }
}
