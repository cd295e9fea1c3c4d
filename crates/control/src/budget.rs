//! What an analysis may use: time and memory.

use crate::clock;
use crate::cpu_limit::{Account, AtWork, CpuLimit};
use crate::{Gate, StopToken};
use std::sync::Arc;
use std::time::Duration;

/// Shared between an analysis and whoever started it. Copies belong together: stopping one stops
/// all.
///
/// `Means` is what the work is to be done with. It travels along, and nothing here looks at it.
#[derive(Clone, Debug, Default)]
pub struct Budget<Means = ()> {
    pub stop: StopToken,
    /// Bytes that the analysis should stay within.
    pub memory: Option<u64>,
    pub means: Means,
    /// Processor time that the whole process may use.
    processor_time: Option<Duration>,
    /// How many others share what is left of it.
    rivals: u32,
    /// What this budget is a part of, for what may take longer than the part.
    whole: Option<StopToken>,
    /// What the threads that work with it use, where there is a limit of that.
    account: Option<Arc<Account>>,
    /// How many others share what is left of the account.
    sharers: u32,
    /// Set when all have ended whom a service was started for.
    served: Option<StopToken>,
}

impl<Means: Clone + Default> Budget<Means> {
    pub fn new(limit: Option<Duration>, memory: Option<u64>) -> Self {
        let stop = StopToken::new();
        let stop = limit.map_or(stop.clone(), |limit| stop.with_timeout(limit));
        Budget {
            stop,
            memory,
            ..Budget::default()
        }
    }

    /// No limit but the token.
    pub fn unlimited() -> Self {
        Budget::default()
    }
}

impl<Means: Clone> Budget<Means> {
    /// The same, to be worked with by other means.
    #[must_use]
    pub fn with_means(&self, means: Means) -> Self {
        Budget {
            means,
            ..self.clone()
        }
    }

    /// The same with a limit of the whole process's processor time; whoever sets it ends the work
    /// there.
    #[must_use]
    pub fn with_processor_time(&self, limit: Duration) -> Self {
        Budget {
            processor_time: Some(limit),
            ..self.clone()
        }
    }

    /// The same token with a deadline that comes no later than `limit` from now.
    #[must_use]
    pub fn within(&self, limit: Duration) -> Self {
        Budget {
            stop: self.stop.with_timeout(limit),
            ..self.clone()
        }
    }

    /// The same token with a part of the time that is left; without a limit or a proper part, an
    /// hour of it.
    #[must_use]
    pub fn fraction(&self, part: f64) -> Self {
        match self.left() {
            Some(left) if part > 0.0 && part < 1.0 => self.within(left.mul_f64(part)),
            _ => self.within(Duration::from_secs(3600)),
        }
    }

    /// For several analyses that race: stopping the race stops all of them but not this budget's
    /// other users, and whoever stops this budget stops the race.
    #[must_use]
    pub fn raced(&self, count: usize) -> Self {
        let racing = |others: u32| (others + 1).saturating_mul(count.max(1) as u32) - 1;
        Budget {
            stop: self.stop.child(),
            rivals: racing(self.rivals),
            sharers: racing(self.sharers),
            whole: None,
            served: None,
            ..self.clone()
        }
    }

    /// The same for a service, which may go on until the token is set.
    #[must_use]
    pub fn serving(&self, served: &StopToken) -> Self {
        Budget {
            served: Some(served.clone()),
            ..self.clone()
        }
    }

    /// Is there nobody that a service could work for any more, or has it been started for nobody in
    /// particular?
    pub fn is_nobody_served(&self) -> bool {
        self.served.as_ref().is_none_or(StopToken::is_stopped)
    }

    /// A thread that works with this budget says so; it does as long as what it gets exists.
    #[must_use]
    pub fn at_work(&self) -> AtWork {
        AtWork::begin(self.account.as_ref())
    }

    /// For a part of the work that may use so much processor time.
    pub fn account(&self, limit: Duration) -> Arc<Account> {
        Account::new(limit, self.account.clone())
    }

    /// The processor time that the calling thread may expect to get of what is left; `None` without
    /// a limit.
    pub fn own_time(&self) -> Option<Duration> {
        let used = clock::counted().unwrap_or_else(|| cpu_time::ProcessTime::now().as_duration());
        let of_processors = self.processor_time.map(|all| all.saturating_sub(used));
        let least = [self.left(), of_processors].into_iter().flatten().min();
        match &self.account {
            // The limit is the share of all whom the account is for, whatever others do.
            Some(account) => {
                let share = account.left() / (self.sharers + 1);
                Some(least.map_or(share, |least| least.min(share)))
            }
            None => least.map(|least| least / (self.rivals + 1)),
        }
    }

    /// A part of this budget that ends when the calling thread, and those that work for it
    /// ([`Budget::at_work`]), have used so much processor time; it lasts as long as the limit is
    /// kept.
    #[must_use]
    pub fn within_own_time(&self, limit: Duration) -> (Self, CpuLimit) {
        if clock::counted().is_some() {
            let budget = Budget {
                stop: self.stop.child().with_timeout(limit),
                whole: Some(self.whole().stop),
                ..self.clone()
            };
            return (budget, CpuLimit::by_deadline());
        }
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
        let rivals = f64::from(self.rivals + 1);
        // How long it will take if nothing else uses the machine, and as much again.
        let expected = limit.mul_f64((rivals / processors as f64).max(1.0));
        let (mut part, watch) = self.on_account(&self.account(limit));
        part.stop = part.stop.with_timeout(expected * 2);
        (part, watch)
    }

    /// A part of this budget that ends when the account is used up; it lasts as long as the limit
    /// is kept.
    #[must_use]
    pub fn on_account(&self, account: &Arc<Account>) -> (Self, CpuLimit) {
        let stop = self.stop.child();
        let watch = CpuLimit::start(account, stop.clone());
        let budget = Budget {
            stop,
            whole: Some(self.whole().stop),
            account: Some(account.clone()),
            sharers: 0,
            ..self.clone()
        };
        (budget, watch)
    }

    /// A part of the calling thread's time, as long as the limit is kept; all of it without a
    /// limit.
    #[must_use]
    pub fn part(&self, fraction: f64) -> (Self, Option<CpuLimit>) {
        match self.own_time() {
            Some(own) if fraction < 1.0 => {
                let (part, limit) = self.within_own_time(own.mul_f64(fraction.max(0.0)));
                (part, Some(limit))
            }
            _ => (self.clone(), None),
        }
    }

    /// The budget that this one is a part of, as far as parts of processor time go.
    #[must_use]
    pub fn whole(&self) -> Self {
        Budget {
            stop: self.whole.as_ref().unwrap_or(&self.stop).clone(),
            ..self.clone()
        }
    }

    /// A token of its own (stopping it does not stop this one) under the same deadline.
    #[must_use]
    pub fn detached(&self) -> Self {
        let stop = StopToken::new();
        let stop = match self.stop.deadline() {
            Some(deadline) => stop.with_deadline(deadline),
            None => stop,
        };
        Budget {
            stop,
            ..self.clone()
        }
    }

    /// The same for those who wait while the gate is closed.
    #[must_use]
    pub fn behind(&self, gate: &Arc<Gate>) -> Self {
        Budget {
            stop: self.stop.with_gate(gate),
            ..self.clone()
        }
    }

    /// The same for whoever the others wait for.
    #[must_use]
    pub fn first_in_line(&self) -> Self {
        Budget {
            stop: self.stop.without_gate(),
            ..self.clone()
        }
    }

    pub fn is_exhausted(&self) -> bool {
        self.stop.is_stopped()
    }

    /// Time left; `None` without a deadline.
    pub fn left(&self) -> Option<Duration> {
        self.stop.time_left()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Budget = super::Budget<()>;

    #[test]
    fn stopping_reaches_copies_but_not_detached_ones() {
        let budget = Budget::unlimited();
        let (copy, shorter, detached) = (
            budget.clone(),
            budget.within(Duration::from_secs(60)),
            budget.detached(),
        );
        budget.stop.stop();
        assert!(copy.is_exhausted() && shorter.is_exhausted() && !detached.is_exhausted());
    }

    #[test]
    fn a_race_is_stopped_from_above_and_not_upwards() {
        let budget = Budget::unlimited();
        let (first, second) = (budget.raced(2), budget.raced(2));
        first.stop.stop();
        assert!(first.is_exhausted() && !second.is_exhausted() && !budget.is_exhausted());
        budget.stop.stop();
        assert!(second.within(Duration::from_secs(9)).is_exhausted());
    }

    #[test]
    fn the_limit_of_a_part_is_shared_by_those_who_race_in_it() {
        let budget = Budget::new(Some(Duration::from_secs(1000)), None);
        let about = |budget: &Budget, seconds: u64| {
            let own = budget.own_time().expect("there is a limit").as_secs_f64();
            let expected = seconds as f64;
            assert!(own > expected * 0.9 && own <= expected, "{own}");
        };
        about(&budget.raced(4), 250);
        let (part, _limit) = budget.raced(4).within_own_time(Duration::from_secs(200));
        about(&part, 200);
        about(&part.raced(2), 100);
        // What comes after the limit is not of the part.
        assert!(part.whole().left() > Some(Duration::from_secs(900)));
    }

    #[test]
    fn a_deadline_is_never_extended() {
        let budget = Budget::new(Some(Duration::ZERO), None);
        assert!(budget.within(Duration::from_secs(60)).is_exhausted());
    }
}
