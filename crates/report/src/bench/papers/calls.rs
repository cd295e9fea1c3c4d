//! IC3CFA, figure 6.1.3: the solver's calls in generalisation, old against new, over the programs
//! that both solve.

use super::matching::find;
use super::measure::significant;
use super::paper002::IC3CFA;
use super::spec::beside;
use super::statistics::{CALLS_IN_GENERALISATION, reported};
use crate::bench::group::Group;
use crate::bench::table::Table;
use runner::verdict::Class;

/// For each program that both solve: the calls of the old and of the new generalisation.
fn pairs(groups: &[Group<'_>]) -> Option<Vec<(f64, f64)>> {
    let old = find(groups, "002", "IC3CFAOld")?.by_question();
    let new = find(groups, "002", IC3CFA)?.by_question();
    let solved = old.iter().filter_map(|(question, old)| {
        let new = new.get(question)?;
        let both = old.class() == Class::Correct && new.class() == Class::Correct;
        let calls = |run| reported(run, CALLS_IN_GENERALISATION);
        both.then(|| Some((calls(old)?, calls(new)?))).flatten()
    });
    Some(solved.collect())
}

pub fn figure_613(groups: &[Group<'_>]) -> Table {
    let pairs = pairs(groups).filter(|pairs| !pairs.is_empty());
    let sum = |calls: fn(&(f64, f64)) -> f64| pairs.iter().flatten().map(calls).sum::<f64>();
    let (old, new) = (sum(|pair| pair.0), sum(|pair| pair.1));
    // Where the old one asks nothing there is nothing to save.
    let asked = pairs.iter().flatten().filter(|(old, _)| *old > 0.0);
    let factors: Vec<f64> = asked.map(|(old, new)| old / new.max(1.0)).collect();
    let mean = factors.iter().sum::<f64>() / factors.len() as f64;
    let least = factors.iter().copied().reduce(f64::min);
    let most = factors.iter().copied().reduce(f64::max);
    let known = |value: f64, digits| pairs.is_some().then(|| significant(value, digits));
    let rows = [
        ("IC3CFAOld, calls", known(old, 12), "24,700,000"),
        ("IC3CFA, calls", known(new, 12), "249,000"),
        ("factor, all programs", known(old / new.max(1.0), 3), "99"),
        (
            "factor, mean of the programs",
            known(mean, 3).filter(|_| !factors.is_empty()),
            "67",
        ),
        (
            "factor, least",
            least.map(|value| significant(value, 3)),
            "2",
        ),
        (
            "factor, greatest",
            most.map(|value| significant(value, 3)),
            "306",
        ),
        (
            "programs that both solve",
            pairs.as_ref().map(|pairs| pairs.len().to_string()),
            "",
        ),
    ];
    Table {
        title: "002, figure 6.1.3: calls of the solver in generalisation".to_owned(),
        header: ["", "over the programs that both solve"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows
            .map(|(label, ours, paper)| vec![label.to_owned(), beside(ours.as_deref(), paper)])
            .to_vec(),
        notes: Vec::new(),
    }
}
