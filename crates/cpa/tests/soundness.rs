//! Invariants against executions: whatever the interpreter does, the invariant of the place that it is at holds.

use cfa::algebra::evaluate;
use cfa::concrete::{Concrete, State, Undefined};
use cfa::expr::{ExprId, VarId};
use cfa::interpreter::{
    Change, ConstantInputs, InputSource, Interpreter, Observer, Options, RandomInputs, View,
};
use cfa::lower::{LowerOptions, load_program};
use cfa::memory::ObjectId;
use cfa::place::CallPattern;
use cfa::program::{EdgeId, LocId, Program};
use cfa::property::{Property, instrument};
use cfa::regions::split_memory;
use cfa::value::Ty;
use cpa::invariants::{InvariantOptions, generate};
use cpa::numeric::choice::Domain;
use facts::budget::Budget;
use facts::invariants::InvariantMap;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs");
    let mut files = Vec::new();
    for folder in ["features", "undefined", "verdicts", "precision"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
            continue;
        };
        files.extend(
            entries
                .filter_map(Result::ok)
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "c")),
        );
    }
    files.sort();
    files
}

fn load(path: &Path) -> Option<Program> {
    let front = syntax::driver::Options::default();
    let paths = [path.to_path_buf()];
    let loaded = load_program(&paths, &front, &LowerOptions::default()).ok()?;
    Some(split_memory(&instrument(
        &loaded.program,
        &Property::assertions(),
    )))
}

struct Values<'a, 'b>(&'a View<'b>);

impl State for Values<'_, '_> {
    type Error = Undefined;

    fn variable(&mut self, var: VarId, _: Ty) -> Result<u128, Undefined> {
        Ok(self.0.variable(var).unwrap_or(0))
    }

    fn address(&mut self, _: ObjectId) -> Result<u128, Undefined> {
        Err(Undefined::IllTyped)
    }

    fn load(&mut self, _: u128, _: Ty) -> Result<u128, Undefined> {
        Err(Undefined::IllTyped)
    }
}

struct Checker<'a> {
    program: &'a Program,
    map: &'a InvariantMap,
    index: HashMap<(Vec<EdgeId>, LocId), ExprId>,
    calls: Vec<EdgeId>,
    checked: u64,
    /// Deeper activations of a recursion have no invariants, and the analysis says that it did not follow them.
    failure: Option<String>,
}

impl Checker<'_> {
    fn at(&mut self, location: LocId, view: &View<'_>) {
        if self.failure.is_some() {
            return;
        }
        let Some(&holds) = self.index.get(&(self.calls.clone(), location)) else {
            return;
        };
        self.checked += 1;
        let mut values = Values(view);
        let value = evaluate(&self.map.pool, holds, &mut Concrete(&mut values));
        if value != Ok(1) {
            let place = self.program.describe(self.program.location(location).span);
            let mut extended = self.program.clone();
            extended.pool = self.map.pool.clone();
            let text = cfa::export::expression_text(&extended, holds);
            let mut seen = Vec::new();
            let mut stack = vec![holds];
            while let Some(id) = stack.pop() {
                match self.map.pool.node(id) {
                    cfa::expr::Node::Var(var) => {
                        let name = &self.program.var(var).name;
                        let value = view.variable(var);
                        let entry = format!("{name} = {value:?}");
                        if !seen.contains(&entry) {
                            seen.push(entry);
                        }
                    }
                    node => stack.extend(node.children()),
                }
            }
            self.failure = Some(format!("{place}: {value:?}: {text}\n{seen:?}"));
        }
    }
}

impl Observer for Checker<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        if let Change::Call(_) = change {
            self.calls.push(edge);
        } else {
            self.at(self.program.edge(edge).target, view);
        }
    }

    fn leave(&mut self, call: EdgeId, _: Change, view: &View<'_>) {
        self.calls.pop();
        self.at(self.program.edge(call).target, view);
    }
}

fn check(domain: Domain) {
    let mut checked = 0;
    let mut analysed = 0;
    let mut failures = Vec::new();
    for path in programs() {
        let Some(program) = load(&path) else { continue };
        let options = InvariantOptions {
            domain,
            everywhere: true,
            ..InvariantOptions::default()
        };
        let budget = Budget::new(Some(Duration::from_millis(1500)), None);
        let Ok(invariants) = generate(&program, &options, &budget) else {
            continue;
        };
        analysed += 1;
        let index = invariants
            .map
            .entries
            .iter()
            .filter_map(|entry| match &entry.calls {
                CallPattern::Exactly(calls) => Some(((calls.clone(), entry.location), entry.holds)),
                CallPattern::Any => None,
            })
            .collect::<HashMap<_, _>>();
        for seed in 0..6 {
            let mut checker = Checker {
                program: &program,
                map: &invariants.map,
                index: index.clone(),
                calls: Vec::new(),
                checked: 0,
                failure: None,
            };
            let mut source: Box<dyn InputSource> = if seed == 0 {
                Box::new(ConstantInputs(0))
            } else {
                Box::new(RandomInputs::new(seed, &program))
            };
            let options = Options {
                max_steps: 3000,
                ..Options::default()
            };
            let mut interpreter = Interpreter::new(&program);
            let (out, err) = (&mut std::io::sink(), &mut std::io::sink());
            interpreter.run_with(&options, &mut *source, out, err, Some(&mut checker));
            checked += checker.checked;
            if let Some(failure) = checker.failure {
                failures.push(format!("{}: {failure}", path.display()));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(analysed >= 60, "only {analysed} programs were analysed");
    assert!(checked >= 8_000, "only {checked} states were checked");
}

#[test]
fn intervals() {
    check(Domain::Interval);
}

#[test]
fn octagons() {
    check(Domain::Octagon);
}

#[test]
fn affine_equalities() {
    check(Domain::AffineEqualities);
}

#[test]
fn scalars() {
    check(Domain::Scalar);
}

#[test]
fn products() {
    check(Domain::All);
}
