//! Executions beside the annotations of an analysis.

use cfa::algebra::evaluate;
use cfa::concrete::{Concrete, State, Undefined};
use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::memory::ObjectId;
use cfa::op::Op;
use cfa::place::CallPattern;
use cfa::program::{EdgeId, LocId, Program};
use cfa::value::Ty;
use facts::invariants::InvariantMap;
use interpreter::{
    Change, ConstantInputs, InputSource, Interpreter, Observer, Options, RandomInputs, View,
};
use lowering::property::{Property, instrument};
use std::collections::HashMap;
use transform::regions::split_memory;

/// As analyses see it.
pub fn load(program: &Program) -> Program {
    split_memory(&instrument(program, &Property::assertions()))
}

/// What an analysis says of places: one of the expressions holds whenever an execution is there.
pub struct Annotations {
    pub pool: ExprPool,
    pub index: HashMap<(Vec<EdgeId>, LocId), Vec<ExprId>>,
    /// A place without annotation is one that no execution reaches.
    pub complete: bool,
}

impl Annotations {
    pub fn of(map: &InvariantMap) -> Annotations {
        let mut index: HashMap<_, Vec<_>> = HashMap::new();
        for entry in &map.entries {
            if let CallPattern::Exactly(calls) = &entry.calls {
                let key = (calls.clone(), entry.location);
                index.entry(key).or_default().push(entry.holds);
            }
        }
        Annotations {
            pool: map.pool.clone(),
            index,
            // Deeper activations of a recursion have no invariants, and the analysis says that it
            // did not follow them.
            complete: false,
        }
    }
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
    annotations: &'a Annotations,
    calls: Vec<EdgeId>,
    checked: u64,
    failure: Option<String>,
}

impl Checker<'_> {
    fn at(&mut self, location: LocId, view: &View<'_>) {
        if self.failure.is_some() {
            return;
        }
        let place = (self.calls.clone(), location);
        let Some(states) = self.annotations.index.get(&place) else {
            if self.annotations.complete {
                let place = self.program.describe(self.program.location(location).span);
                self.failure = Some(format!("{place}: reached, although nothing reaches it"));
            }
            return;
        };
        self.checked += 1;
        let pool = &self.annotations.pool;
        let mut values = Values(view);
        let holds = states
            .iter()
            .any(|&state| evaluate(pool, state, &mut Concrete(&mut values)) == Ok(1));
        if !holds {
            self.failure = Some(self.describe(location, states, view));
        }
    }

    fn describe(&self, location: LocId, states: &[ExprId], view: &View<'_>) -> String {
        let place = self.program.describe(self.program.location(location).span);
        let mut extended = self.program.clone();
        extended.pool = self.annotations.pool.clone();
        let mut text = place;
        let mut seen = Vec::new();
        for &state in states {
            text.push_str("\n  ");
            text.push_str(&printing::export::expression_text(&extended, state));
            let mut stack = vec![state];
            while let Some(id) = stack.pop() {
                match extended.pool.node(id) {
                    cfa::expr::Node::Var(var) => {
                        let name = &self.program.var(var).name;
                        let entry = format!("{name} = {:?}", view.variable(var));
                        if !seen.contains(&entry) {
                            seen.push(entry);
                        }
                    }
                    node => stack.extend(node.children()),
                }
            }
        }
        format!("{text}\n{seen:?}")
    }
}

impl Observer for Checker<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        if let Change::Call(_) = change {
            self.calls.push(edge);
        } else if !matches!(self.program.edge_op(edge), Op::Halt(_)) {
            self.at(self.program.edge(edge).target, view);
        }
    }

    fn leave(&mut self, call: EdgeId, _: Change, view: &View<'_>) {
        self.calls.pop();
        self.at(self.program.edge(call).target, view);
    }
}

/// Runs the program with several inputs; gives the number of states that were checked.
pub fn watch(program: &Program, annotations: &Annotations, seeds: u64) -> Result<u64, String> {
    let mut checked = 0;
    for seed in 0..seeds {
        let mut checker = Checker {
            program,
            annotations,
            calls: Vec::new(),
            checked: 0,
            failure: None,
        };
        let mut source: Box<dyn InputSource> = if seed == 0 {
            Box::new(ConstantInputs(0))
        } else {
            Box::new(RandomInputs::new(seed, program))
        };
        let options = Options {
            max_steps: 3000,
            ..Options::default()
        };
        let mut interpreter = Interpreter::new(program);
        let (out, err) = (&mut std::io::sink(), &mut std::io::sink());
        interpreter.run_with(&options, &mut *source, out, err, Some(&mut checker));
        checked += checker.checked;
        if let Some(failure) = checker.failure {
            return Err(failure);
        }
    }
    Ok(checked)
}
