//! What the engines said and when, in a bounded number of events however often they speak.

use super::message::Event;

/// More events make neither the timeline nor the log clearer.
const MOST: usize = 2000;

pub struct Timeline {
    events: Vec<Event>,
    /// Seconds within which events that differ in their numbers only are one.
    gap: f64,
}

impl Timeline {
    pub fn new() -> Timeline {
        Timeline {
            events: Vec::new(),
            gap: 0.05,
        }
    }

    pub fn add(&mut self, event: Event) {
        push(&mut self.events, event, self.gap);
        while self.events.len() > MOST {
            // The longer the run, the coarser the picture; the gap grows until something falls
            // together, or all that is left are events of different kinds, of which the first are
            // kept.
            self.gap *= 2.0;
            let mut thinner = Vec::with_capacity(MOST);
            for event in self.events.drain(..) {
                push(&mut thinner, event, self.gap);
            }
            self.events = thinner;
            if self.gap > 1e6 {
                self.events.truncate(MOST);
            }
        }
    }

    pub fn into_events(self) -> Vec<Event> {
        self.events
    }
}

/// Adds the event, or lets the engine's last one say what it says.
fn push(events: &mut Vec<Event>, event: Event, gap: f64) {
    let last = events
        .iter_mut()
        .rev()
        .take(64)
        .find(|known| known.engine == event.engine);
    match last {
        Some(last)
            if event.seconds - last.seconds < gap && kind(&last.phase) == kind(&event.phase) =>
        {
            last.phase = event.phase;
        }
        _ => events.push(event),
    }
}

/// The phase without its numbers.
fn kind(phase: &str) -> String {
    phase.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_much_is_said_the_whole_run_is_shown() {
        let mut timeline = Timeline::new();
        for number in 0..200_000u32 {
            timeline.add(Event {
                seconds: f64::from(number) / 100.0,
                engine: if number % 3 == 0 { "a" } else { "b" }.into(),
                phase: format!("bound {number}"),
            });
        }
        timeline.add(Event {
            seconds: 2000.0,
            engine: "a".into(),
            phase: "certifying".into(),
        });
        let events = timeline.into_events();
        assert!(
            events.len() > MOST / 4 && events.len() <= MOST,
            "{}",
            events.len()
        );
        let times: Vec<f64> = events.iter().map(|event| event.seconds).collect();
        assert!(times[0] < 1.0 && times.is_sorted());
        assert_eq!(events[events.len() - 1].phase, "certifying");
        let longest = times
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .fold(0.0, f64::max);
        assert!(longest < 20.0, "nothing for {longest} s");
    }
}
