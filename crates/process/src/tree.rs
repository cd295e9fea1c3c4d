//! The processes of a run, found and measured through `/proc`.
//!
//! All descendants of a guard belong to its run, and nothing else does: the guard is a subreaper,
//! so an orphan becomes its child. Reading the whole process table costs a millisecond or two; it
//! is read again only when the kernel has handed out a process id since (`/proc/loadavg` names the
//! last one) or after a second.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant};

/// A process id is used again some day; together with its start time it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    pub pid: i32,
    started: u64,
}

#[derive(Clone, Copy, Debug)]
struct Stat {
    identity: Identity,
    parent: i32,
    group: i32,
    zombie: bool,
    /// Own CPU time, and that of children it has waited for, in clock ticks.
    own_ticks: u64,
    waited_ticks: u64,
}

/// The tree at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub alive: Vec<i32>,
    pub groups: BTreeSet<i32>,
    pub memory: u64,
}

pub struct Tree {
    root: i32,
    tick: Duration,
    members: BTreeMap<Identity, Stat>,
    /// Own CPU time of every process ever seen, because a parent that ignores SIGCHLD loses its
    /// children's.
    seen: BTreeMap<Identity, u64>,
    last_pid: Option<u64>,
    table_read: Option<Instant>,
    peak_memory: u64,
}

impl Tree {
    /// The descendants of a process: of a guard, or of a child of ours.
    pub fn below(root: i32) -> Self {
        let per_second = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK)
            .ok()
            .flatten()
            .unwrap_or(100);
        Self {
            root,
            tick: Duration::from_secs(1) / u32::try_from(per_second.max(1)).unwrap_or(100),
            members: BTreeMap::new(),
            seen: BTreeMap::new(),
            last_pid: None,
            table_read: None,
            peak_memory: 0,
        }
    }

    /// Reads the tree again. `limit` decides how exactly memory is measured (see
    /// [`Tree::measure_memory`]).
    pub fn refresh(&mut self, limit: Option<u64>) -> Snapshot {
        let last_pid = last_process_id();
        let stale = self
            .table_read
            .is_none_or(|then| then.elapsed() > Duration::from_secs(1));
        if stale || last_pid.is_none() || last_pid != self.last_pid {
            self.last_pid = last_pid;
            self.table_read = Some(Instant::now());
            self.members = descendants(process_table(), self.root, &self.members);
        } else {
            let pids: Vec<i32> = self.members.keys().map(|identity| identity.pid).collect();
            let now: BTreeMap<Identity, Stat> = pids
                .into_iter()
                .filter_map(read_stat)
                .map(|stat| (stat.identity, stat))
                .collect();
            self.members
                .retain(|identity, _| now.contains_key(identity));
            for (identity, stat) in &mut self.members {
                if let Some(fresh) = now.get(identity) {
                    *stat = *fresh;
                }
            }
        }
        for (identity, stat) in &self.members {
            self.seen.insert(*identity, stat.own_ticks);
        }
        let alive: Vec<i32> = self
            .members
            .values()
            .filter(|stat| !stat.zombie)
            .map(|stat| stat.identity.pid)
            .collect();
        let memory = self.measure_memory(&alive, limit);
        self.peak_memory = self.peak_memory.max(memory);
        let groups = self
            .members
            .values()
            .filter(|stat| !stat.zombie)
            .map(|stat| stat.group)
            .collect();
        Snapshot {
            alive,
            groups,
            memory,
        }
    }

    /// CPU time of everything seen so far. `waited` is what the kernel has credited to the guard
    /// for children it has waited for. Two lower bounds, of which the larger is taken: what the
    /// kernel adds up along `wait`, and what was seen per process.
    pub fn cpu(&self, waited: Duration) -> Duration {
        let kernel: u64 = self
            .members
            .values()
            .map(|stat| stat.own_ticks + stat.waited_ticks)
            .sum();
        let seen: u64 = self.seen.values().sum();
        (waited + self.ticks(kernel)).max(self.ticks(seen))
    }

    pub fn peak_memory(&self) -> u64 {
        self.peak_memory
    }

    fn ticks(&self, ticks: u64) -> Duration {
        self.tick
            .saturating_mul(u32::try_from(ticks).unwrap_or(u32::MAX))
    }

    /// Resident and swapped memory. The sum of the processes' resident sets counts shared pages
    /// several times, the proportional sizes do not but the kernel has to walk all pages for them.
    /// So: the sum, and the exact figure where the sum would matter, as a new peak or beyond the
    /// limit.
    fn measure_memory(&self, alive: &[i32], limit: Option<u64>) -> u64 {
        let upper_bound: u64 = alive.iter().map(|&pid| resident_memory(pid)).sum();
        let matters =
            upper_bound > self.peak_memory || limit.is_some_and(|limit| upper_bound > limit);
        if alive.len() < 2 || !matters {
            return upper_bound;
        }
        alive
            .iter()
            .map(|&pid| proportional_memory(pid).unwrap_or_else(|| resident_memory(pid)))
            .sum()
    }
}

/// The members of the table that descend from `guard`, and those that did so before: while a
/// process dies its child's parent link points nowhere for a moment.
fn descendants(
    table: Vec<Stat>,
    guard: i32,
    before: &BTreeMap<Identity, Stat>,
) -> BTreeMap<Identity, Stat> {
    let mut children: BTreeMap<i32, Vec<Stat>> = BTreeMap::new();
    let mut work: Vec<Stat> = Vec::new();
    for stat in table {
        if before.contains_key(&stat.identity) {
            work.push(stat);
        }
        children.entry(stat.parent).or_default().push(stat);
    }
    work.extend(children.get(&guard).into_iter().flatten());
    let mut found = BTreeMap::new();
    while let Some(stat) = work.pop() {
        if stat.identity.pid != guard && found.insert(stat.identity, stat).is_none() {
            work.extend(children.get(&stat.identity.pid).into_iter().flatten());
        }
    }
    found
}

fn process_table() -> Vec<Stat> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    (entries.flatten())
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(read_stat)
        .collect()
}

fn last_process_id() -> Option<u64> {
    fs::read_to_string("/proc/loadavg")
        .ok()?
        .split_ascii_whitespace()
        .nth(4)?
        .parse()
        .ok()
}

fn read_stat(pid: i32) -> Option<Stat> {
    parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// The program's name stands in parentheses and may itself contain spaces and parentheses: the last
/// `)` ends it.
fn parse_stat(line: &[u8]) -> Option<Stat> {
    let open = line.iter().position(|&byte| byte == b'(')?;
    let close = line.iter().rposition(|&byte| byte == b')')?;
    let pid = std::str::from_utf8(line.get(..open)?)
        .ok()?
        .trim()
        .parse()
        .ok()?;
    let rest = std::str::from_utf8(line.get(close + 1..)?).ok()?;
    // Field 3 of proc_pid_stat(5), the state, is the first of these.
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Stat {
        identity: Identity {
            pid,
            started: number(22)?,
        },
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        zombie: matches!(*fields.first()?, "Z" | "X"),
        own_ticks: number(14)? + number(15)?,
        waited_ticks: number(16)? + number(17)?,
    })
}

fn resident_memory(pid: i32) -> u64 {
    kilobytes(&format!("/proc/{pid}/status"), &["VmRSS:", "VmSwap:"]).unwrap_or(0)
}

fn proportional_memory(pid: i32) -> Option<u64> {
    kilobytes(&format!("/proc/{pid}/smaps_rollup"), &["Pss:", "SwapPss:"])
}

/// The sum, in bytes, of the named lines of the form `Name:   123 kB`.
fn kilobytes(file: &str, names: &[&str]) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let figures = text.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        names
            .contains(&words.next()?)
            .then(|| words.next()?.parse::<u64>().ok())?
    });
    Some(figures.sum::<u64>() * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(pid: i32, parent: i32) -> Stat {
        let identity = Identity { pid, started: 1 };
        Stat {
            identity,
            parent,
            group: pid,
            zombie: false,
            own_ticks: 0,
            waited_ticks: 0,
        }
    }

    #[test]
    fn a_name_with_parentheses_is_skipped() {
        let line = b"42 (a) b (c) S 7 42 42 0 -1 0 0 0 0 0 11 12 13 14 20 0 1 0 999 0 0\n";
        let stat = parse_stat(line).unwrap();
        assert_eq!(
            (stat.identity, stat.parent),
            (
                Identity {
                    pid: 42,
                    started: 999
                },
                7
            )
        );
        assert_eq!((stat.own_ticks, stat.waited_ticks), (23, 27));
    }

    #[test]
    fn nonsense_is_no_process() {
        assert!(parse_stat(b"").is_none());
        assert!(parse_stat(b"1 (x").is_none());
        assert!(parse_stat(b"1 ) (").is_none());
        assert!(parse_stat(b"1 (x) S 1").is_none());
    }

    #[test]
    fn descendants_are_found_through_any_depth_and_order() {
        let table = vec![
            stat(30, 20),
            stat(20, 10),
            stat(10, 1),
            stat(99, 1),
            stat(31, 30),
        ];
        let found: Vec<i32> = descendants(table, 10, &BTreeMap::new())
            .keys()
            .map(|identity| identity.pid)
            .collect();
        assert_eq!(found, [20, 30, 31]);
    }

    #[test]
    fn a_member_stays_one_while_its_parent_link_is_broken() {
        let before = descendants(vec![stat(20, 10), stat(30, 20)], 10, &BTreeMap::new());
        let found = descendants(vec![stat(30, 77), stat(31, 30)], 10, &before);
        assert_eq!(
            found
                .keys()
                .map(|identity| identity.pid)
                .collect::<Vec<_>>(),
            [30, 31]
        );
    }
}
