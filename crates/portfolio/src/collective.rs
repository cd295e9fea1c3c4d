//! Names of masters with helpers (Haltermann2020: J. Haltermann, H. Wehrheim, *Cooperative
//! Verification via Collective Invariant Generation*, 2020, section 5.2), as `kInd-UA-VA-100-wait-200`:
//! the master, its helpers, `timerM` in seconds of 900, `wait` if the others are waited for when
//! one has found something (`termAfterFirstInv` is false), and `timeoutH` behind it. In any case.

use crate::helpers;
use cooperation::master::Terms;
use runner::suggestion::suggestion;
use std::fmt::Write;

/// A master: its name, and its part of a configuration.
struct Master {
    name: &'static str,
    text: &'static str,
}

/// Whoever proves candidates runs beside those that use facts; the predicate analysis takes them as
/// predicates.
const MASTERS: &[Master] = &[
    Master {
        name: "kInd",
        text: "parallel = [{ engine = \"invariants\" }, { engine = \"k-induction\" }, { engine = \"candidates\" }]",
    },
    Master {
        name: "pred",
        text: "engine = \"predicate\"\noptions = { use-precision = true }",
    },
    Master {
        name: "ic3",
        text: "parallel = [{ engine = \"ic3cfa\" }, { engine = \"candidates\" }]",
    },
    Master {
        name: "traces",
        text: "parallel = [{ engine = \"trace-abstraction\" }, { engine = \"candidates\" }]",
    },
];

/// What stands between the times.
const WAIT: &str = "wait";

/// Does the name begin with a master?
pub fn is_meant(name: &str) -> bool {
    let master = name.split('-').next().unwrap_or_default();
    MASTERS
        .iter()
        .any(|it| it.name.eq_ignore_ascii_case(master))
}

/// What a name says.
#[derive(Debug, PartialEq)]
struct Combination<'a> {
    master: &'static str,
    helpers: Vec<&'a str>,
    timer: Option<u32>,
    waits: bool,
    timeout: Option<u32>,
}

fn parse(name: &str) -> Result<Combination<'_>, String> {
    let mut parts = parts_of(name).into_iter();
    let (_, first) = parts.next().unwrap_or_default();
    let master = MASTERS
        .iter()
        .find(|it| it.name.eq_ignore_ascii_case(first));
    let Some(master) = master else {
        let hint = suggestion(first, MASTERS.iter().map(|it| it.name));
        return Err(format!("{name}: there is no master '{first}'{hint}"));
    };
    let mut found = Combination {
        master: master.text,
        helpers: Vec::new(),
        timer: None,
        waits: false,
        timeout: None,
    };
    let number = |part: &str| -> Result<Option<u32>, String> {
        if !part.bytes().all(|byte| byte.is_ascii_digit()) || part.is_empty() {
            return Ok(None);
        }
        match part.parse::<u32>() {
            Ok(seconds) if f64::from(seconds) <= Terms::WHOLE => Ok(Some(seconds)),
            _ => Err(format!(
                "{name}: {part} is more than the {} seconds that times are parts of",
                Terms::WHOLE
            )),
        }
    };
    // Names of helpers may have dashes: the longest that there is counts.
    let rest: Vec<(usize, &str)> = parts.collect();
    let is_wait = |part: &str| part.eq_ignore_ascii_case(WAIT);
    let mut at = 0;
    while let Some(&(_, part)) = rest.get(at)
        && number(part)?.is_none()
        && !is_wait(part)
    {
        let (helper, count) = helper_at(name, &rest[at..])?;
        found.helpers.push(helper);
        at += count;
    }
    if found.helpers.is_empty() {
        return Err(format!("{name}: there is no helper"));
    }
    if let Some((_, part)) = rest.get(at)
        && let Some(seconds) = number(part)?
    {
        found.timer = Some(seconds);
        at += 1;
    }
    if rest.get(at).is_some_and(|(_, part)| is_wait(part)) {
        found.waits = true;
        at += 1;
        if let Some((_, part)) = rest.get(at)
            && let Some(seconds) = number(part)?
        {
            found.timeout = Some(seconds);
            at += 1;
        }
    }
    match rest.get(at) {
        None => Ok(found),
        Some((_, part)) => {
            let hint = suggestion(part, [WAIT].into_iter());
            Err(format!(
                "{name}: '{part}' says nothing here{hint} (helpers come first, then seconds, 'wait' and seconds)"
            ))
        }
    }
}

/// What stands between the dashes, and where.
fn parts_of(name: &str) -> Vec<(usize, &str)> {
    let mut from = 0;
    let parts = name.split('-').map(|part| {
        let at = from;
        from += part.len() + 1;
        (at, part)
    });
    parts.collect()
}

/// The helper that the first parts name, and how many of them do.
fn helper_at<'a>(name: &'a str, parts: &[(usize, &'a str)]) -> Result<(&'a str, usize), String> {
    let Some(&(begin, first)) = parts.first() else {
        return Err(format!("{name}: there is no helper"));
    };
    for count in (1..=parts.len()).rev() {
        let (at, last) = parts[count - 1];
        let text = &name[begin..at + last.len()];
        if helpers::named(text).is_ok() {
            return Ok((text, count));
        }
    }
    let wrong = helpers::named(first).err().unwrap_or_default();
    Err(format!("{name}: {wrong}"))
}

/// The configuration that a name stands for, as the text of a file. The name of a master alone is
/// that of the master without help.
pub fn configuration(name: &str) -> Result<String, String> {
    let alone = MASTERS.iter().find(|it| it.name.eq_ignore_ascii_case(name));
    if let Some(master) = alone {
        return Ok(format!(
            "summary = \"the master {} without helpers\"\npaper = \"Haltermann2020, section 5.2\"\n\n{}\n",
            master.name, master.text
        ));
    }
    let said = parse(name)?;
    let mut text = format!(
        "summary = \"a master that asks helpers for invariants: {name}\"\n\
         paper = \"Haltermann2020, section 5.2\"\n\n[master]\n{}\n\n[help]\nhelpers = {:?}\n\
         restart-master = true\nterm-after-first-inv = {}\n",
        said.master, said.helpers, !said.waits
    );
    for (key, seconds) in [("timer-m", said.timer), ("timeout-h", said.timeout)] {
        if let Some(seconds) = seconds {
            let _ = writeln!(text, "{key} = {seconds}.0");
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::named;
    use crate::plan::Step;

    fn terms(name: &str) -> (Vec<String>, Terms) {
        let plan = named(name).unwrap().plan;
        let Step::Helped(help, _) = plan.step() else {
            panic!("{name}: {plan}")
        };
        let names = help
            .helpers
            .iter()
            .map(|helper| helper.short_name().to_owned());
        (names.collect(), help.terms)
    }

    /// Table 3, table 6 and the two of all three helpers.
    #[test]
    fn the_combinations_of_the_paper_have_their_names() {
        let sets = ["SH", "UA", "VA", "SH-UA", "SH-VA", "UA-VA", "SH-UA-VA"];
        let mut count = 0;
        for master in ["kInd", "pred"] {
            for set in sets {
                let name = format!("{master}-{set}");
                let expected: Vec<&str> = set.split('-').collect();
                for name in [
                    name.clone(),
                    name.to_ascii_lowercase(),
                    format!("{name}-50"),
                ] {
                    let (helpers, terms) = terms(&name);
                    assert_eq!(helpers, expected);
                    assert_eq!(terms, Terms::default());
                }
                count += 1;
            }
        }
        assert_eq!(count, 14);
    }

    #[test]
    fn times_and_waiting_are_in_the_name() {
        let (helpers, terms) = terms("kInd-UA-VA-100-wait-200");
        assert_eq!(helpers, ["UA", "VA"]);
        let expected = Terms {
            restart_master: true,
            first_only: false,
            timer: 100.0 / 900.0,
            timeout: 200.0 / 900.0,
        };
        assert_eq!(terms, expected);
        let (_, terms) = self::terms("pred-sh-ua-WAIT-100");
        assert_eq!((terms.first_only, terms.timer), (false, 50.0 / 900.0));
        assert_eq!(terms.timeout, 100.0 / 900.0);
        let (helpers, _) = self::terms("ic3-frama-c-eva-text-0");
        assert_eq!(helpers, ["EVA", "text"]);
    }

    #[test]
    fn a_master_alone_has_its_name() {
        for name in ["kInd", "KIND", "pred", "ic3"] {
            let plan = named(name).unwrap().plan;
            assert!(!matches!(plan.step(), Step::Helped(..)), "{name}: {plan}");
        }
    }

    #[test]
    fn what_says_nothing_is_an_error_that_names_the_nearest() {
        for (name, wanted) in [
            ("kInd-UAA-50", "did you mean `UA`"),
            ("kInd-UA-50-weit-3", "did you mean `wait`"),
            ("kInd-50", "no helper"),
            ("kInd-UA-5000", "5000 is more"),
            ("kInd-UA-50-50", "'50' says nothing"),
            ("pred-UA-", "no helper ''"),
            ("kind-", "no helper"),
            ("kInt-UA-50", "there is no analysis"),
        ] {
            let error = named(name).unwrap_err();
            assert!(error.contains(wanted), "{name}: {error}");
        }
    }
}
