//! Two benchmark runs compared: what was won and lost, what became slower and faster.

use super::group::{Question, groups, question};
use super::table::Table;
use runner::bench::Record;
use runner::verdict::Class;
use std::collections::BTreeMap;

/// From when on a difference in time counts.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    pub factor: f64,
    /// Below this difference in seconds it is noise, whatever the factor.
    pub least_s: f64,
}

impl Default for Threshold {
    fn default() -> Self {
        Self {
            factor: 1.5,
            least_s: 0.5,
        }
    }
}

/// The results of both runs for one question and contender.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'records> {
    pub before: &'records Record,
    pub after: &'records Record,
}

#[derive(Clone, Debug, Default)]
pub struct Diff<'records> {
    /// Not solved before, solved now.
    pub won: Vec<Pair<'records>>,
    /// Solved before, no answer now.
    pub lost: Vec<Pair<'records>>,
    /// Wrong now and not before: the one thing that must not happen.
    pub became_wrong: Vec<Pair<'records>>,
    /// Wrong before and not now.
    pub mended: Vec<Pair<'records>>,
    pub slower: Vec<Pair<'records>>,
    pub faster: Vec<Pair<'records>>,
    /// Neither solved nor wrong, in another way than before (unknown instead of timeout, say).
    pub otherwise: Vec<Pair<'records>>,
    pub compared: usize,
    pub only_before: usize,
    pub only_after: usize,
}

/// Compares results for the same question and contender; limits may differ. Where both runs have
/// exactly one contender these are compared whatever they are called: that is how two analyses are
/// compared.
pub fn diff<'records>(
    before: &'records [Record],
    after: &'records [Record],
    threshold: Threshold,
) -> Diff<'records> {
    let by_name = groups(before).len() > 1 || groups(after).len() > 1;
    let index =
        |records: &'records [Record]| -> BTreeMap<(Question<'records>, String), &'records Record> {
            let name = |record: &Record| {
                if by_name {
                    record.contender()
                } else {
                    String::new()
                }
            };
            records
                .iter()
                .map(|record| ((question(record), name(record)), record))
                .collect()
        };
    let (old, new) = (index(before), index(after));
    let mut diff = Diff {
        only_before: old.keys().filter(|key| !new.contains_key(key)).count(),
        only_after: new.keys().filter(|key| !old.contains_key(key)).count(),
        ..Diff::default()
    };
    for (key, before) in &old {
        let Some(after) = new.get(key) else { continue };
        let pair = Pair { before, after };
        diff.compared += 1;
        match (before.class(), after.class()) {
            (Class::Wrong, Class::Wrong) => {}
            (_, Class::Wrong) => diff.became_wrong.push(pair),
            (Class::Correct, Class::Correct) => {
                let (was, is) = (before.cpu_s, after.cpu_s);
                if is > was * threshold.factor && is - was >= threshold.least_s {
                    diff.slower.push(pair);
                } else if was > is * threshold.factor && was - is >= threshold.least_s {
                    diff.faster.push(pair);
                }
            }
            (Class::Wrong, _) => diff.mended.push(pair),
            (_, Class::Correct) => diff.won.push(pair),
            (Class::Correct, _) => diff.lost.push(pair),
            (was, is) if was != is => diff.otherwise.push(pair),
            _ => {}
        }
    }
    diff
}

impl Diff<'_> {
    /// Whether a verdict became wrong.
    pub fn is_worse(&self) -> bool {
        !self.became_wrong.is_empty()
    }

    fn parts(&self) -> [(&'static str, &[Pair<'_>]); 7] {
        [
            ("became wrong", &self.became_wrong),
            ("lost", &self.lost),
            ("won", &self.won),
            ("mended", &self.mended),
            ("slower", &self.slower),
            ("faster", &self.faster),
            ("otherwise", &self.otherwise),
        ]
    }

    pub fn markdown(&self) -> String {
        let counts: Vec<String> = self
            .parts()
            .iter()
            .map(|(name, pairs)| format!("{} {name}", pairs.len()))
            .collect();
        let mut out = format!("{} compared: {}.\n", self.compared, counts.join(", "));
        if self.only_before + self.only_after > 0 {
            out += &format!(
                "Not compared: {} only before, {} only after.\n",
                self.only_before, self.only_after
            );
        }
        for (name, pairs) in self.parts() {
            if pairs.is_empty() {
                continue;
            }
            let header = [
                "task",
                "contender",
                "expected",
                "before",
                "after",
                "CPU before (s)",
                "CPU after (s)",
            ];
            let row = |pair: &Pair<'_>| {
                let expected = pair
                    .after
                    .expected
                    .as_ref()
                    .map_or("–".to_owned(), ToString::to_string);
                vec![
                    pair.after.task.clone(),
                    pair.after.contender(),
                    expected,
                    pair.before.verdict.to_string(),
                    pair.after.verdict.to_string(),
                    format!("{:.2}", pair.before.cpu_s),
                    format!("{:.2}", pair.after.cpu_s),
                ]
            };
            let table = Table {
                title: format!("{name} ({})", pairs.len()),
                header: header.map(str::to_owned).to_vec(),
                rows: pairs.iter().map(row).collect(),
                notes: Vec::new(),
            };
            out += "\n";
            out += &table.markdown();
        }
        out
    }
}
