//! Which tasks of a list to run: a filter, a sample, a shard; always the same for the same seed.

use super::{Kind, Task};
use regex::Regex;
use std::fmt;

#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Kept are tasks whose name or category matches.
    pub filter: Option<Regex>,
    pub property: Option<Kind>,
    pub sample: Option<usize>,
    pub seed: u64,
    pub shard: Option<Shard>,
}

/// Part `index` (from 1) of `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectionError(String);

impl fmt::Display for SelectionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for SelectionError {}

impl std::str::FromStr for Shard {
    type Err = SelectionError;

    /// Reads `i/n`.
    fn from_str(text: &str) -> Result<Self, SelectionError> {
        let numbers = text
            .split_once('/')
            .and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((index, count)) if 1 <= index && index <= count => Ok(Self { index, count }),
            _ => Err(SelectionError(format!(
                "`{text}` is not a shard: write i/n with 1 <= i <= n, for example 2/5"
            ))),
        }
    }
}

impl Selection {
    pub fn with_filter(mut self, pattern: &str) -> Result<Self, SelectionError> {
        let filter = Regex::new(pattern)
            .map_err(|error| SelectionError(format!("filter `{pattern}`: {error}")))?;
        self.filter = Some(filter);
        Ok(self)
    }

    /// The selected tasks, in their order. The shards of a selection are disjoint and together all
    /// of it.
    pub fn of(&self, mut tasks: Vec<Task>) -> Vec<Task> {
        tasks.retain(|task| self.property.is_none_or(|kind| task.kind == kind));
        if let Some(filter) = &self.filter {
            tasks.retain(|task| {
                filter.is_match(&task.name)
                    || task
                        .category
                        .as_deref()
                        .is_some_and(|name| filter.is_match(name))
            });
        }
        if let Some(size) = self.sample {
            let chosen = self.sample_indices(&tasks, size);
            let mut index = 0;
            tasks.retain(|_| {
                index += 1;
                chosen.binary_search(&(index - 1)).is_ok()
            });
        }
        if let Some(shard) = self.shard {
            let mut index = 0;
            tasks.retain(|_| {
                index += 1;
                (index - 1) % shard.count == shard.index - 1
            });
        }
        tasks
    }

    /// Drawn from the tasks in the order of their names, so that the order of the lists does not
    /// matter.
    fn sample_indices(&self, tasks: &[Task], size: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        order.sort_by(|&left, &right| {
            (&tasks[left].name, tasks[left].kind).cmp(&(&tasks[right].name, tasks[right].kind))
        });
        let size = size.min(order.len());
        let mut random = SplitMix(self.seed);
        for position in 0..size {
            let other = position + random.below(order.len() - position);
            order.swap(position, other);
        }
        order.truncate(size);
        order.sort_unstable();
        order
    }
}

/// SplitMix64 (Steele, Lea, Flood, 2014): written here so that a seed means the same sample for
/// ever, whatever a library changes.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// A number below `bound`, which is not 0. The high half of a product: no remainder, no bias
    /// that matters here.
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::DataModel;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn tasks(count: usize) -> Vec<Task> {
        let task = |number: usize| Task {
            name: format!("t{number:03}"),
            files: Vec::new(),
            kind: Kind::UnreachCall,
            property: None,
            expected: None,
            data_model: DataModel::Ilp32,
            category: Some(
                if number.is_multiple_of(2) {
                    "even"
                } else {
                    "odd"
                }
                .to_owned(),
            ),
            columns: BTreeMap::new(),
        };
        (0..count).map(task).collect()
    }

    fn names(tasks: &[Task]) -> Vec<String> {
        tasks.iter().map(|task| task.name.clone()).collect()
    }

    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix(1_234_567);
        assert_eq!(
            [random.next(), random.next()],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
    }

    #[test]
    fn a_filter_looks_at_name_and_category() {
        let selected = |pattern| {
            names(
                &Selection::default()
                    .with_filter(pattern)
                    .unwrap()
                    .of(tasks(4)),
            )
        };
        assert_eq!(selected("^even$"), ["t000", "t002"]);
        assert_eq!(selected("3"), ["t003"]);
        assert!(Selection::default().with_filter("(").is_err());
    }

    #[test]
    fn shards_are_read_strictly() {
        for text in ["0/3", "4/3", "1/0", "1", "a/b", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_sample_does_not_depend_on_the_order_of_the_list(seed: u64, size in 0usize..60) {
            let selection = Selection { sample: Some(size), seed, ..Selection::default() };
            let forwards = names(&selection.of(tasks(50)));
            let mut backwards = tasks(50);
            backwards.reverse();
            let backwards = names(&selection.of(backwards));
            prop_assert_eq!(forwards.len(), size.min(50));
            prop_assert_eq!(BTreeSet::from_iter(&forwards), BTreeSet::from_iter(&backwards));
        }

        #[test]
        fn shards_part_the_selection(seed: u64, count in 1usize..8) {
            let whole = Selection { sample: Some(30), seed, ..Selection::default() };
            let mut parts = Vec::new();
            for index in 1..=count {
                let shard = Some(format!("{index}/{count}").parse().unwrap());
                parts.extend(names(&Selection { shard, ..whole.clone() }.of(tasks(50))));
            }
            parts.sort();
            prop_assert_eq!(parts, names(&whole.of(tasks(50))));
        }
    }
}
