//! Analyses as data: named configurations, read from files that are part of the program, or from a
//! file of the user's.
//!
//! A part may be another configuration, by its name (`use = "classes"`); configurations that papers
//! compare are families ([`crate::family`]).

use crate::plan::{Condition, Configured, Help, Plan, Share, Step};
use crate::registry::Registered;
use crate::{collective, family, helpers};
use cooperation::master::Terms;
use cooperation::sharing::Rules;
use runner::suggestion::{suggestion, with_suggestion};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;
use transform::features::Feature;
use transform::passes::SIMPLIFY;

/// A configuration, as its file says it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    /// One line for the list.
    summary: String,
    /// The paper and section that it comes from.
    paper: Option<String>,
    /// The passes that make the program smaller before it is analysed; all of them if nothing is
    /// said.
    passes: Option<Vec<String>>,
    /// Parts of the time that several entries name.
    #[serde(default)]
    limits: BTreeMap<String, f64>,
    engine: Option<&'static Registered>,
    #[serde(rename = "use")]
    used: Option<String>,
    options: Option<toml::Table>,
    parallel: Option<Vec<Entry>>,
    sequence: Option<Vec<Entry>>,
    master: Option<Box<Entry>>,
    help: Option<HelpEntry>,
}

/// Who helps a master, and how (table 1 of Haltermann2020); the paper's defaults where nothing is
/// said.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct HelpEntry {
    /// Names of `concord helpers`, or files (`NAME.toml`).
    helpers: Vec<String>,
    /// Is the master started anew with what was found, or does it go on?
    restart_master: Option<bool>,
    /// Does the first helper that brings something stop the others?
    term_after_first_inv: Option<bool>,
    /// Seconds, where the limit is 900, after which the master asks for help.
    timer_m: Option<f64>,
    /// Seconds, where the limit is 900, that each helper has.
    timeout_h: Option<f64>,
}

impl HelpEntry {
    fn help(self) -> Result<Help, String> {
        let usual = Terms::default();
        let share = |name: &str, seconds: Option<f64>, usual: f64| match seconds {
            None => Ok(usual),
            Some(seconds) if (0.0..=Terms::WHOLE).contains(&seconds) => Ok(seconds / Terms::WHOLE),
            Some(seconds) => Err(format!(
                "{name} = {seconds}: give seconds of {}",
                Terms::WHOLE
            )),
        };
        if self.helpers.is_empty() {
            return Err("'help' needs helpers".into());
        }
        let helpers = self.helpers.iter().map(|name| helpers::named(name));
        Ok(Help {
            helpers: helpers.collect::<Result<_, _>>()?,
            terms: Terms {
                restart_master: self.restart_master.unwrap_or(usual.restart_master),
                first_only: self.term_after_first_inv.unwrap_or(usual.first_only),
                timer: share("timer-m", self.timer_m, usual.timer)?,
                timeout: share("timeout-h", self.timeout_h, usual.timeout)?,
            },
        })
    }
}

/// A part of a combination: an engine with its options, another configuration, or a combination
/// again.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    engine: Option<&'static Registered>,
    /// The configuration that stands here. Options are added to those of its engine.
    #[serde(rename = "use")]
    used: Option<String>,
    options: Option<toml::Table>,
    parallel: Option<Vec<Entry>>,
    sequence: Option<Vec<Entry>>,
    /// Who asks for help, if there is `help`.
    master: Option<Box<Entry>>,
    help: Option<HelpEntry>,
    /// The part of the combination's processor time that it gets: a number, or a name of `limits`.
    limit: Option<toml::Value>,
    /// Seconds of processor time that it gets at most.
    at_most: Option<f64>,
    /// Do others read its facts? They do if nothing is said.
    shares: Option<bool>,
    /// The engines whose facts it reads; all if nothing is said.
    sources: Option<Vec<String>>,
    /// It is left out for programs that do not have all of these features ("no-" in front: that
    /// have it).
    #[serde(default)]
    when: Vec<String>,
}

/// A configuration.
#[derive(Clone, Debug)]
pub struct Analysis {
    pub summary: String,
    pub paper: Option<String>,
    pub plan: Plan,
    /// What makes the program smaller before it is analysed.
    pub passes: Vec<&'static str>,
    /// The file as it was read, for the report.
    pub text: String,
}

/// A condition of a configuration file.
fn condition(text: &str) -> Result<Condition, String> {
    let (name, wanted) = match text.strip_prefix("no-") {
        Some(name) => (name, false),
        None => (text, true),
    };
    match Feature::ALL.iter().find(|(known, _)| *known == name) {
        Some(&(_, feature)) => Ok(Condition { feature, wanted }),
        None => {
            let names = Feature::ALL.map(|(name, _)| name).join(", ");
            Err(format!(
                "there is no feature '{name}' of programs (known: {names})"
            ))
        }
    }
}

/// What the entries of one file have in common.
struct Context<'a> {
    limits: &'a BTreeMap<String, f64>,
    /// The configurations that are being read: this one, and those that use it.
    users: &'a [&'a str],
}

impl Context<'_> {
    /// What an entry of a configuration file says.
    fn plan(&self, mut entry: Entry) -> Result<Plan, String> {
        let when = std::mem::take(&mut entry.when);
        let (shares, sources) = (entry.shares.take(), entry.sources.take());
        let at_most = entry.at_most.take();
        let mut plan = self.unconditional(entry)?;
        if let Some(seconds) = at_most {
            let time = Duration::try_from_secs_f64(seconds)
                .map_err(|_| format!("at-most = {seconds}: give a number of seconds"))?;
            plan = Step::AtMost(time, plan).into();
        }
        if shares.is_some() || sources.is_some() {
            let shares = shares.unwrap_or(true);
            plan = Step::Sharing(Rules { shares, sources }, plan).into();
        }
        if when.is_empty() {
            return Ok(plan);
        }
        let conditions = when.iter().map(|text| condition(text));
        let conditions = conditions.collect::<Result<_, _>>()?;
        Ok(Step::When(conditions, plan).into())
    }

    fn unconditional(&self, mut entry: Entry) -> Result<Plan, String> {
        match (entry.master.take(), entry.help.take()) {
            (Some(master), Some(help)) => {
                let alone = [&entry.parallel, &entry.sequence]
                    .iter()
                    .all(|it| it.is_none());
                if entry.engine.is_some() || entry.used.is_some() || !alone {
                    return Err("a master stands alone, with its 'help'".into());
                }
                return Ok(Step::Helped(help.help()?, self.plan(*master)?).into());
            }
            (None, None) => {}
            _ => return Err("'master' and 'help' belong together".into()),
        }
        let options = entry.options;
        let step = match (entry.engine, entry.used, entry.parallel, entry.sequence) {
            (Some(engine), None, None, None) => Step::Engine(Configured {
                engine,
                options: options.unwrap_or_default(),
            }),
            (None, Some(name), None, None) => return self.used(&name, options),
            _ if options.is_some() => return Err("only an engine has options".into()),
            (None, None, Some(parts), None) => Step::Parallel(self.shares(parts)?),
            (None, None, None, Some(parts)) => Step::Sequence(self.shares(parts)?),
            _ => return Err("give one of 'engine', 'use', 'parallel' and 'sequence'".into()),
        };
        Ok(step.into())
    }

    fn shares(&self, parts: Vec<Entry>) -> Result<Vec<Share<Plan>>, String> {
        if parts.is_empty() {
            return Err("a combination needs parts".into());
        }
        let shares = parts.into_iter().map(|mut entry| {
            let limit = entry.limit.take();
            let limit = limit.map(|limit| self.limit(&limit)).transpose()?;
            let part = self.plan(entry)?;
            Ok(Share { part, limit })
        });
        shares.collect()
    }

    fn limit(&self, given: &toml::Value) -> Result<f64, String> {
        match given {
            toml::Value::Float(part) => Ok(*part),
            toml::Value::Integer(part) => Ok(*part as f64),
            toml::Value::String(name) => self.limits.get(name).copied().ok_or_else(|| {
                let hint = suggestion(name, self.limits.keys().map(String::as_str));
                format!("'limits' has no '{name}'{hint}")
            }),
            other => Err(format!(
                "limit = {other}: give a number or a name of 'limits'"
            )),
        }
    }

    /// The plan of another configuration, with more options.
    fn used(&self, name: &str, options: Option<toml::Table>) -> Result<Plan, String> {
        let plan = named_for(name, self.users)?.plan;
        let Some(more) = options else { return Ok(plan) };
        match plan.step() {
            Step::Engine(engine) => {
                let mut engine = engine.clone();
                engine.options.extend(more);
                Ok(Step::Engine(engine).into())
            }
            _ => Err(format!(
                "{name} combines several engines: it takes no options"
            )),
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/named_analyses.rs"));

/// All named configurations, in the order of their names: those with a file of their own, and the
/// members of families.
static CATALOGUE: LazyLock<Result<Vec<(String, String)>, String>> = LazyLock::new(|| {
    let own = FILES.iter();
    let mut all: Vec<(String, String)> = own
        .map(|&(name, text)| (name.into(), text.into()))
        .collect();
    for (family, text) in FAMILIES {
        let members = family::members(text);
        all.extend(members.map_err(|error| format!("family {family}: {error}"))?);
    }
    all.sort();
    Ok(all)
});

fn catalogue() -> Result<&'static [(String, String)], String> {
    CATALOGUE.as_deref().map_err(Clone::clone)
}

fn read(name: &str, text: &str) -> Result<Analysis, String> {
    read_for(name, text, &[])
}

/// Reads a configuration that others use.
fn read_for(name: &str, text: &str, users: &[&str]) -> Result<Analysis, String> {
    let file: File = toml::from_str(text)
        .map_err(|error| format!("analysis {name}: {}", with_suggestion(&error.to_string())))?;
    let entry = Entry {
        engine: file.engine,
        used: file.used,
        options: file.options,
        parallel: file.parallel,
        sequence: file.sequence,
        master: file.master,
        help: file.help,
        ..Entry::default()
    };
    let passes = match &file.passes {
        None => SIMPLIFY.to_vec(),
        Some(names) => names
            .iter()
            .map(|given| {
                let known = SIMPLIFY.into_iter().find(|known| known == given);
                known.ok_or_else(|| {
                    let all = SIMPLIFY.join(", ");
                    format!("analysis {name}: there is no pass '{given}' (known: {all})")
                })
            })
            .collect::<Result<_, _>>()?,
    };
    let of_analysis = |error: String| format!("analysis {name}: {error}");
    let context = Context {
        limits: &file.limits,
        users: &[users, &[name]].concat(),
    };
    let plan = context.plan(entry).map_err(of_analysis)?;
    plan.check_sources().map_err(of_analysis)?;
    Ok(Analysis {
        passes,
        summary: file.summary,
        paper: file.paper,
        plan,
        text: text.into(),
    })
}

/// What the name of a user's own analysis ends with: it is that of its file.
const FILE: &str = ".toml";

/// An analysis by its name; `NAME-without-ENGINE` is one of them without a part, `NAME.toml` a file
/// of the user's, `MASTER-HELPER…` a master with helpers ([`crate::collective`]).
pub fn named(name: &str) -> Result<Analysis, String> {
    if name.ends_with(FILE) {
        return from_file(Path::new(name));
    }
    named_for(name, &[])
}

/// A configuration of the catalogue, for those that use it.
fn named_for(name: &str, users: &[&str]) -> Result<Analysis, String> {
    if users.contains(&name) {
        return Err(format!(
            "{} uses itself",
            [users, &[name]].concat().join(" > ")
        ));
    }
    let all = catalogue()?;
    let is_known = all.iter().any(|(known, _)| known == name);
    if let Some((whole, left_out)) = name.split_once("-without-").filter(|_| !is_known) {
        let mut analysis = named_for(whole, users)?;
        let rest = analysis.plan.without(left_out);
        let rest =
            rest.ok_or_else(|| format!("no engine is left of {whole} without {left_out}"))?;
        if rest.engines().len() == analysis.plan.engines().len() {
            return Err(format!("{whole} has no engine '{left_out}'"));
        }
        analysis.plan = rest;
        return Ok(analysis);
    }
    match all.iter().find(|(known, _)| known == name) {
        Some((name, text)) => read_for(name, text, users),
        None if collective::is_meant(name) => {
            let text = collective::configuration(name)?;
            read_for(name, &text, users)
        }
        None => {
            let hint = suggestion(name, all.iter().map(|(known, _)| known.as_str()));
            Err(format!(
                "there is no analysis '{name}'{hint} (`concord analyses` lists all)"
            ))
        }
    }
}

pub fn from_file(path: &Path) -> Result<Analysis, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    read(&path.display().to_string(), &text)
}

/// Names as `bench --analysis` takes them: `papers` and `all` stand for several. Each name is there
/// once.
pub fn expand(names: &[String]) -> Result<Vec<String>, String> {
    let mut expanded: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !expanded.iter().any(|known| known == name) {
            expanded.push(name.into());
        }
    };
    for name in names {
        match name.as_str() {
            "all" => catalogue()?.iter().for_each(|(name, _)| add(name)),
            "papers" => {
                for (name, text) in catalogue()? {
                    if read(name, text)?.paper.is_some() {
                        add(name);
                    }
                }
            }
            // Runs have directories of their own.
            name if name.ends_with(FILE) => {
                let file = Path::new(name).canonicalize();
                let file = file.map_err(|error| format!("{name}: {error}"))?;
                add(&file.to_string_lossy());
            }
            name => add(name),
        }
    }
    Ok(expanded)
}

/// All named analyses, in the order of their names.
pub fn all() -> impl Iterator<Item = Result<(&'static str, Analysis), String>> {
    let (all, error) = match catalogue() {
        Ok(all) => (all, None),
        Err(error) => (&[][..], Some(Err(error))),
    };
    let all = all.iter();
    all.map(|(name, text)| Ok((name.as_str(), read(name, text)?)))
        .chain(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use transform::features::Features;

    #[test]
    fn every_named_analysis_can_be_read() {
        for (name, text) in catalogue().unwrap() {
            let analysis = read(name, text).unwrap();
            assert!(!analysis.summary.is_empty(), "{name}");
            // Options are read when an engine is made.
            analysis.plan.check_options().unwrap();
        }
    }

    /// The thesis compares its configurations under the same restrictions (section 6.3).
    #[test]
    fn what_is_compared_with_a_baseline_has_its_passes() {
        let baseline = named("base600").unwrap().passes;
        for (name, text) in catalogue().unwrap() {
            let analysis = read(name, text).unwrap();
            let compared = ["5.2.3", "6.3", "6.4.3"].map(|section| format!(" {section}"));
            let paper = analysis.paper.as_deref().unwrap_or_default();
            if paper.starts_with("Stieglmaier2016")
                && compared.iter().any(|section| paper.ends_with(section))
            {
                assert_eq!(analysis.passes, baseline, "{name}");
            }
        }
    }

    #[test]
    fn a_misspelt_name_gets_a_suggestion() {
        assert!(named("bmx").unwrap_err().contains("did you mean `bmc`"));
    }

    #[test]
    fn a_part_can_be_left_out() {
        let parts = |name: &str| named(name).unwrap().plan.engines().len();
        assert!(parts("default-without-pdr") < parts("default"));
        assert!(
            named("default-without-pdrs")
                .unwrap_err()
                .contains("no engine")
        );
        assert!(
            named("eva-basic-without-eva-basic")
                .unwrap_err()
                .contains("no engine is left")
        );
        assert!(
            named("defalt-without-pdr")
                .unwrap_err()
                .contains("did you mean")
        );
    }

    #[test]
    fn several_analyses_have_short_names() {
        let expand = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).into()).collect();
            expand(&names).unwrap()
        };
        let papers = expand(&["papers"]);
        assert!(papers.contains(&"bmc".into()) && !papers.contains(&"execution".into()));
        let all = expand(&["default", "papers", "all", "bmc"]);
        assert_eq!(all[0], "default");
        assert_eq!(all.len(), catalogue().unwrap().len());
        assert_eq!(expand(&["mine"]), ["mine"]);
    }

    #[test]
    fn a_file_is_an_analysis() {
        let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
        let file = configs.join("bmc.toml").display().to_string();
        assert_eq!(named(&file).unwrap().text, named("bmc").unwrap().text);
        let expanded = expand(&[file]).unwrap();
        assert!(Path::new(&expanded[0]).is_absolute() && !expanded[0].contains(".."));
        assert!(
            expand(&["missing.toml".into()])
                .unwrap_err()
                .contains("missing.toml")
        );
    }

    #[test]
    fn a_part_may_be_another_configuration() {
        let with = |entry: &str| {
            let text = format!(
                "summary = \"\"\nlimits = {{ first = 0.2 }}\nsequence = [{{ engine = \"bmc\" }}, {{ {entry} }}]"
            );
            read("x", &text)
        };
        let plan = |entry: &str| with(entry).unwrap().plan.to_string();
        assert_eq!(
            plan("use = \"eva-basic\", limit = \"first\", options = { alarms = 3 }"),
            "sequence(bmc; 0.2 cpa { alarms = 3, analysis = \"value\", name = \"eva-basic\" })"
        );
        assert_eq!(
            plan("use = \"bmc\", at-most = 1"),
            "sequence(bmc; at most 1 s: parallel(execution; bmc))"
        );
        for (wrong, why) in [
            ("use = \"bmc\", options = { seed = 1 }", "several engines"),
            ("use = \"bmx\"", "did you mean `bmc`"),
            ("use = \"bmc\", engine = \"bmc\"", "give one of"),
            (
                "engine = \"bmc\", limit = \"frist\"",
                "did you mean `first`",
            ),
            ("engine = \"bmc\", limit = []", "give a number"),
        ] {
            let error = with(wrong).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        let error = read_for("a", "summary = \"\"\nuse = \"bmc\"", &["bmc"]).unwrap_err();
        assert!(error.contains("bmc > a > bmc uses itself"), "{error}");
    }

    #[test]
    fn a_part_may_have_an_absolute_limit() {
        let with = |seconds: &str| {
            let text = format!(
                "summary = \"\"\nsequence = [{{ engine = \"bmc\", limit = 0.2, at-most = {seconds} }}]"
            );
            read("x", &text)
        };
        let plan = with("2.5").unwrap().plan;
        let Step::Sequence(parts) = plan.step() else {
            panic!("a sequence");
        };
        assert_eq!((parts.len(), parts[0].limit), (1, Some(0.2)));
        assert!(matches!(parts[0].part.step(), Step::AtMost(time, _)
            if *time == Duration::from_millis(2500)));
        assert!(with("-1").unwrap_err().contains("at-most"));
    }

    #[test]
    fn unknown_keys_are_errors() {
        assert!(read("x", "summary = \"\"\nengine = \"bmc\"").is_ok());
        assert!(read("x", "summary = \"\"\nengine = \"bmc\"\nmotor = 1").is_err());
        assert!(read("x", "summary = \"\"\nengine = \"bmc\"\nparallel = []").is_err());
        for (wrong, meant) in [
            ("pases = []", "`passes`"),
            ("parallel = [{ engine = \"bmx\" }]", "`bmc`"),
        ] {
            let error = read("x", &format!("summary = \"\"\n{wrong}")).unwrap_err();
            assert!(error.contains(&format!("did you mean {meant}?")), "{error}");
        }
    }

    #[test]
    fn sources_are_parts() {
        let with = |rule: &str| {
            let text = format!(
                "summary = \"\"\nparallel = [{{ engine = \"invariants\", shares = false }}, \
                 {{ engine = \"cpa\", options = {{ name = \"mine\" }} }}, \
                 {{ engine = \"predicate\", when = [\"loops\"], limit = 0.5, {rule} }}]"
            );
            read("x", &text)
        };
        let plan = with("sources = [\"invariants\", \"mine\"]").unwrap().plan;
        let Step::Parallel(parts) = plan.step() else {
            panic!("{plan:?}")
        };
        let limits: Vec<bool> = parts.iter().map(|share| share.limit.is_some()).collect();
        assert_eq!(limits, [false, false, true]);
        match (parts[0].part.step(), parts[2].part.step()) {
            (Step::Sharing(first, _), Step::When(_, last)) => {
                assert!(!first.shares && first.sources.is_none());
                assert!(matches!(last.step(), Step::Sharing(rules, _)
                    if rules.shares && rules.sources.as_ref().is_some_and(|list| list.len() == 2)));
            }
            other => panic!("{other:?}"),
        }
        let error = with("sources = [\"invariant\"]").unwrap_err();
        assert!(
            error.contains("'invariant'; did you mean `invariants`?"),
            "{error}"
        );
        assert!(
            with("sorces = []")
                .unwrap_err()
                .contains("did you mean `sources`?")
        );
    }

    /// Each of the two analyses has half of the time (Stieglmaier2016, section 6.3).
    #[test]
    fn analyses_side_by_side_have_the_limits_of_the_thesis() {
        for (name, text) in catalogue().unwrap() {
            if !name.starts_with("async-") && name != "basePar" {
                continue;
            }
            match read(name, text).unwrap().plan.step() {
                Step::Parallel(parts) => {
                    let limits: Vec<_> = parts.iter().map(|share| share.limit).collect();
                    assert_eq!(limits, [Some(0.5); 2], "{name}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }

    #[test]
    fn parts_are_left_out_for_programs_that_they_are_not_meant_for() {
        let text = "summary = \"\"\nsequence = [{ engine = \"execution\", when = [\"no-inputs\"] }, \
                    { parallel = [{ engine = \"pdr\", when = [\"states\", \"loops\"] }] }]";
        let plan = read("x", text).unwrap().plan;
        // No feature at all: no inputs, so it is executed, and nothing else.
        let left = plan.for_program(&Features::default()).expect("one engine");
        match left.step() {
            Step::Sequence(parts) => {
                assert_eq!((parts.len(), parts[0].limit), (1, None));
                assert_eq!(left.names(), ["execution"]);
            }
            other => panic!("{other:?}"),
        }
        let unknown = "summary = \"\"\nparallel = [{ engine = \"bmc\", when = [\"beauty\"] }]";
        assert!(read("x", unknown).unwrap_err().contains("beauty"));
    }
}
