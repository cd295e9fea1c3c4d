//! Contracts: a program whose calls do what a contract says, beside a run of each function that
//! has one.
//!
//! Hoare1971: C. A. R. Hoare: Procedures and parameters: an axiomatic approach, 1971, the rule of
//! recursive invocation.
//!
//! | there | here |
//! |---|---|
//! | precondition, postcondition | [`Contract::requires`], [`Contract::ensures`] |
//! | `old(g)` | the variable of [`before`] |
//! | modified globals | all that the function, or one that it calls, may write: found here |
//! | a call | check what is required, forget what may be written, assume what is ensured |
//! | a procedure's correctness | a run from arbitrary arguments and globals, chosen by an input |
//!
//! Deviation: functions with contracts, and all that they call, touch no memory.
//!
//! Law: whatever the contracts say, the result reaches an error location if the given program does.
//!
//! Why: take an execution of the given program that comes to an error location. Consider the first
//! moment at which it is there, a call of a function does not have what is required, or a return not
//! what is ensured. Of all activations of functions with contracts that have not returned before
//! (the one that returns among them), take the innermost, or the whole program if there is none.
//! From its beginning to that moment all that is required and ensured holds. So the result can do
//! the same: it begins with the same arguments and globals, which are inputs; takes for each call
//! that returned what it returned, which is ensured; and comes to an error location at that moment.

use super::substitute::{Substitution, variables};
use super::{Draft, DraftEdge, DraftLocation, Passed};
use crate::regions::places::recursive_functions;
use cfa::expr::{ExprId, ExprPool, Node, VarId};
use cfa::op::{Halt, Input, InputId, InputKind, Op};
use cfa::place::callee;
use cfa::program::{
    EdgeId, ErrorKind, FuncId, LocId, LocationKind, Program, Variable, VariableKind,
};
use cfa::value::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a function requires and ensures. The expressions lie in the pool of [`Contracts`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contract {
    pub function: FuncId,
    /// About the parameters and the globals when the function is called.
    pub requires: ExprId,
    /// About the parameters as they were passed, the result, the globals when the function
    /// returns, and those before it was called ([`before`]).
    pub ensures: ExprId,
}

#[derive(Clone, Debug)]
pub struct Contracts {
    /// The pool of the program, extended.
    pub pool: ExprPool,
    pub list: Vec<Contract>,
}

/// The variable that stands, in what a contract ensures, for the value of a global before the call.
pub fn before(program: &Program, global: VarId) -> VarId {
    VarId(program.vars.len() as u32 + global.0)
}

/// What the result is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Does the program, or a contract, go wrong?
    Proof,
    /// Does a contract go wrong? What is wrong with the program does not count.
    ContractsAlone,
    /// Nothing: calls stay calls, and the program notes what is passed and returned.
    Notes,
}

/// Where the result notes what a call passes and returns: in global variables, by their numbers in
/// the result.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Set last: twice the number of the contract, and one more if the call has returned.
    pub which: Option<VarId>,
    /// For each contract the variables of the result, by those that contracts speak of.
    pub of: Vec<FxHashMap<VarId, VarId>>,
}

#[derive(Clone, Debug)]
pub struct Contracted {
    pub passed: Passed,
    pub notes: Notes,
}

/// Why there can be no such contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoContract {
    /// The function touches memory, or a variable of another one.
    Memory,
    /// An expression that may fail, is no condition, or is about something else.
    Condition,
    /// Two contracts for one function, one for the entry function or for none, no contract, or a
    /// call without all arguments.
    Function,
    /// Memory is watched.
    Watched,
}

impl std::fmt::Display for NoContract {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NoContract::Memory => "a function with a contract touches memory",
            NoContract::Condition => "a contract speaks of what is not known at the call",
            NoContract::Function => "a contract is of no function, or of one that has another",
            NoContract::Watched => "there are no contracts where memory is watched",
        })
    }
}

impl std::error::Error for NoContract {}

/// What a function, with all that it calls, does with globals.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Globals {
    /// In the order of their numbers.
    pub written: Vec<VarId>,
    /// Those read or written.
    pub touched: Vec<VarId>,
}

/// The functions that may be called while they run.
pub fn recursive(program: &Program) -> Vec<FuncId> {
    let mut found: Vec<FuncId> = recursive_functions(program).into_iter().collect();
    found.sort_unstable();
    found
}

/// What the function and all that it calls do with globals, if they touch no memory.
pub fn globals(program: &Program, function: FuncId) -> Result<Globals, NoContract> {
    let mut edges: FxHashMap<FuncId, Vec<EdgeId>> = FxHashMap::default();
    for (edge, number) in program.edges.iter().zip(0..) {
        let function = program.location(edge.source).function;
        edges.entry(function).or_default().push(EdgeId(number));
    }
    let (mut written, mut touched) = (FxHashSet::default(), FxHashSet::default());
    let mut seen = FxHashSet::default();
    let mut work = vec![function];
    while let Some(function) = work.pop() {
        if !seen.insert(function) {
            continue;
        }
        for &edge in edges.get(&function).into_iter().flatten() {
            let op = program.edge_op(edge);
            work.extend(callee(program, edge));
            match op {
                Op::Skip
                | Op::Assume(_)
                | Op::Assign(..)
                | Op::Havoc(..)
                | Op::Call { .. }
                | Op::Print(_)
                | Op::Halt(_) => {}
                Op::Store { .. }
                | Op::Begin { .. }
                | Op::End(_)
                | Op::Allocate { .. }
                | Op::Reallocate { .. }
                | Op::Release(_)
                | Op::Copy { .. }
                | Op::Fill { .. } => return Err(NoContract::Memory),
            }
            let expressions = op.expressions();
            for &root in &expressions {
                let parts = program.pool.parts_first(root);
                let is_memory = |node| matches!(node, Node::Load { .. } | Node::Address(_));
                if parts.iter().any(|&part| is_memory(program.pool.node(part))) {
                    return Err(NoContract::Memory);
                }
            }
            let read = variables(&program.pool, expressions);
            let writes = op.written_variable();
            for var in read.into_iter().chain(writes) {
                match program.var(var).function {
                    None => {
                        touched.insert(var);
                    }
                    // What was a piece of memory may belong to another activation.
                    Some(_) if matches!(program.var(var).kind, VariableKind::Piece { .. }) => {
                        return Err(NoContract::Memory);
                    }
                    Some(owner) if owner == function => {}
                    Some(_) => return Err(NoContract::Memory),
                }
            }
            written.extend(writes.filter(|&var| program.var(var).function.is_none()));
        }
    }
    let sorted = |set: FxHashSet<VarId>| {
        let mut list: Vec<VarId> = set.into_iter().collect();
        list.sort_unstable();
        list
    };
    Ok(Globals {
        written: sorted(written),
        touched: sorted(touched),
    })
}

/// Is a condition about nothing but what may be known, and does its evaluation never fail?
fn is_condition(pool: &ExprPool, root: ExprId, known: &FxHashMap<VarId, Ty>) -> bool {
    if root.0 as usize >= pool.len() || pool.ty(root) != Ty::Bool || pool.can_fail(root) {
        return false;
    }
    pool.parts_first(root)
        .into_iter()
        .all(|part| match pool.node(part) {
            Node::Var(var) => known.get(&var) == Some(&pool.ty(part)),
            Node::Load { .. } | Node::Address(_) => false,
            _ => true,
        })
}

fn checked(
    program: &Program,
    contracts: &Contracts,
    contract: &Contract,
) -> Result<Globals, NoContract> {
    if contract.function.0 as usize >= program.functions.len() || contract.function == program.entry
    {
        return Err(NoContract::Function);
    }
    let globals = globals(program, contract.function)?;
    let function = program.function(contract.function);
    let of_program = function.params.iter().copied().chain(program.globals());
    let mut known: FxHashMap<VarId, Ty> =
        of_program.map(|var| (var, program.var(var).ty)).collect();
    if !is_condition(&contracts.pool, contract.requires, &known) {
        return Err(NoContract::Condition);
    }
    known.extend(function.result.map(|var| (var, program.var(var).ty)));
    for global in program.globals() {
        known.insert(before(program, global), program.var(global).ty);
    }
    match is_condition(&contracts.pool, contract.ensures, &known) {
        true => Ok(globals),
        false => Err(NoContract::Condition),
    }
}

/// The variables of one contract in the result.
struct Frame {
    /// The parameters, globals before the call that may be written, and the result, as the call
    /// that was noted last has them.
    noted: Vec<(VarId, VarId)>,
    /// The same, of the function's own run.
    own: Vec<(VarId, VarId)>,
    globals: Globals,
}

/// The program in which calls of the functions do what their contracts say, and each of the
/// functions is run to see whether it does.
pub fn contracted(
    program: &Program,
    contracts: &Contracts,
    purpose: Purpose,
) -> Result<Contracted, NoContract> {
    if program.watched.is_some() {
        return Err(NoContract::Watched);
    }
    let mut numbers = FxHashMap::default();
    for (number, contract) in contracts.list.iter().enumerate() {
        if numbers.insert(contract.function, number).is_some() {
            return Err(NoContract::Function);
        }
    }
    if numbers.is_empty() {
        return Err(NoContract::Function);
    }
    let called = program.edges.iter().map(|edge| program.op(edge.op));
    let lacks_arguments = called.into_iter().any(|op| match op {
        Op::Call { function, args, .. } => {
            let params = program.function(*function).params.len();
            numbers.contains_key(function) && args.len() != params
        }
        _ => false,
    });
    if lacks_arguments {
        return Err(NoContract::Function);
    }
    let globals = contracts.list.iter();
    let globals = globals.map(|contract| checked(program, contracts, contract));
    let globals = globals.collect::<Result<Vec<Globals>, NoContract>>()?;
    let mut making = Making {
        program,
        contracts,
        purpose,
        draft: Draft::of(program),
        which: VarId(0),
        frames: Vec::new(),
    };
    making.which = making.new_global("contract".to_owned(), Ty::U32);
    for (number, globals) in globals.into_iter().enumerate() {
        let frame = making.frame(number, globals);
        making.frames.push(frame);
    }
    if purpose == Purpose::ContractsAlone {
        making.forgive();
    }
    making.replace_calls(&numbers);
    if purpose != Purpose::Notes {
        making.run_functions();
    }
    Ok(making.finish())
}

struct Making<'p> {
    program: &'p Program,
    contracts: &'p Contracts,
    purpose: Purpose,
    draft: Draft<'p>,
    which: VarId,
    frames: Vec<Frame>,
}

impl Making<'_> {
    fn new_global(&mut self, name: String, ty: Ty) -> VarId {
        self.draft.new_var(Variable {
            name,
            ty,
            c_type: None,
            function: None,
            kind: VariableKind::Temporary,
            span: self.program.function(self.program.entry).span,
        })
    }

    fn frame(&mut self, number: usize, globals: Globals) -> Frame {
        let program = self.program;
        let function = program.function(self.contracts.list[number].function);
        let mut of: Vec<(VarId, VarId)> = function
            .params
            .iter()
            .chain(&function.result)
            .map(|&var| (var, var))
            .collect();
        let written = globals.written.iter();
        of.extend(written.map(|&global| (before(program, global), global)));
        let name = program.names.get(function.name).to_owned();
        let mut made = |what: &str| -> Vec<(VarId, VarId)> {
            let each = of.iter().map(|&(meant, like)| {
                let like = program.var(like);
                let name = format!("{name}: {what}{}", like.name);
                (meant, self.new_global(name, like.ty))
            });
            each.collect()
        };
        Frame {
            noted: made(""),
            own: made("own "),
            globals,
        }
    }

    fn location(&mut self, like: LocId, error: bool) -> LocId {
        let like = self.draft.locations[like.0 as usize].clone();
        self.draft.new_location(DraftLocation {
            kind: match error {
                true => LocationKind::Error,
                false => LocationKind::Ordinary,
            },
            error: error.then_some(ErrorKind::ErrorCall),
            ..like
        })
    }

    fn edge(&mut self, source: LocId, target: LocId, op: Op) {
        let span = self.draft.locations[source.0 as usize].span;
        self.draft.new_edge(DraftEdge {
            source,
            target,
            op,
            span,
            branch: None,
            steps: Vec::new(),
            call: None,
        });
    }

    /// An operation behind a location, and where it leads.
    fn then(&mut self, at: LocId, op: Op) -> LocId {
        let next = self.location(at, false);
        self.edge(at, next, op);
        next
    }

    /// Goes on where the condition holds; otherwise this is an error, or the end.
    fn only_if(&mut self, at: LocId, condition: ExprId, is_error: bool) -> LocId {
        let not = self.draft.pool.not(condition);
        if is_error {
            let error = self.location(at, true);
            self.edge(at, error, Op::Assume(not));
        } else {
            let end = self.then(at, Op::Assume(not));
            self.end(end);
        }
        self.then(at, Op::Assume(condition))
    }

    fn end(&mut self, at: LocId) {
        let function = self.draft.locations[at.0 as usize].function;
        let exit = self.draft.functions[function.0 as usize].exit;
        self.edge(at, exit, Op::Halt(Halt::Abort));
    }

    fn assign(&mut self, at: LocId, target: VarId, value: ExprId) -> LocId {
        self.then(at, Op::Assign(target, value))
    }

    fn copy(&mut self, at: LocId, target: VarId, source: VarId) -> LocId {
        let value = self.variable(source);
        self.assign(at, target, value)
    }

    fn variable(&mut self, var: VarId) -> ExprId {
        let ty = self.draft.vars[var.0 as usize].ty;
        self.draft.pool.variable(var, ty)
    }

    fn forget(&mut self, at: LocId, var: VarId) -> LocId {
        let known = &self.draft.vars[var.0 as usize];
        let input = Input {
            kind: InputKind::Uninitialised(known.name.clone()),
            is_bool: false,
            span: known.span,
        };
        self.draft.inputs.push(input);
        let input = InputId(self.draft.inputs.len() as u32 - 1);
        self.then(at, Op::Havoc(var, input))
    }

    /// A condition of a contract, about the variables that were noted.
    fn condition(&mut self, root: ExprId, frame: &[(VarId, VarId)]) -> ExprId {
        let stands: FxHashMap<VarId, VarId> = frame.iter().copied().collect();
        let count = self.program.vars.len() as u32;
        let vars: Vec<Ty> = self.draft.vars.iter().map(|var| var.ty).collect();
        let root = self.draft.pool.import(&self.contracts.pool, root);
        let leaf = |pool: &mut ExprPool, node| {
            let Node::Var(var) = node else { return None };
            // A global that is never written was before the call what it is after it.
            let global = || VarId(var.0.checked_sub(count).unwrap_or(var.0));
            let new = stands.get(&var).copied().unwrap_or_else(global);
            Some(pool.variable(new, vars[new.0 as usize]))
        };
        Substitution::default().apply(&mut self.draft.pool, root, leaf)
    }

    fn note(&mut self, at: LocId, number: usize, returned: bool) -> LocId {
        let value = 2 * number as i128 + i128::from(returned);
        let value = self.draft.pool.integer(value, Ty::U32);
        self.assign(at, self.which, value)
    }

    /// The program's own errors are ends.
    fn forgive(&mut self) {
        for &(error, _) in &self.program.errors {
            let location = &mut self.draft.locations[error.0 as usize];
            location.kind = LocationKind::Ordinary;
            location.error = None;
            self.end(error);
        }
    }

    fn replace_calls(&mut self, numbers: &FxHashMap<FuncId, usize>) {
        for id in (0..self.program.edges.len() as u32).map(EdgeId) {
            let Op::Call {
                function,
                args,
                result,
            } = self.program.edge_op(id)
            else {
                continue;
            };
            let Some(&number) = numbers.get(function) else {
                continue;
            };
            let edge = self.program.edge(id).clone();
            let contract = self.contracts.list[number];
            // The edge stays in its place among those that leave the location.
            let mut at = self.location(edge.source, false);
            if let Some(replaced) = self.draft.edge_mut(id) {
                replaced.op = Op::Skip;
                replaced.target = at;
                replaced.call = None;
            }
            let noted = self.frames[number].noted.clone();
            let written = self.frames[number].globals.written.clone();
            for ((_, target), &arg) in noted.iter().zip(args) {
                at = self.assign(at, *target, arg);
            }
            let called = self.program.function(contract.function);
            let kept = called.params.len() + called.result.iter().count();
            for (&(_, target), &global) in noted[kept..].iter().zip(&written) {
                at = self.copy(at, target, global);
            }
            at = self.note(at, number, false);
            let returns = called.result.map(|_| noted[called.params.len()].1);
            if self.purpose == Purpose::Notes {
                let args = noted[..called.params.len()].iter();
                let args = args.map(|&(_, var)| var).collect::<Vec<VarId>>();
                let args = args.into_iter().map(|var| self.variable(var)).collect();
                let function = contract.function;
                let op = Op::Call {
                    function,
                    args,
                    result: returns,
                };
                at = self.then(at, op);
                at = self.note(at, number, true);
            } else {
                let requires = self.condition(contract.requires, &noted);
                at = self.only_if(at, requires, true);
                for var in written.into_iter().chain(returns) {
                    at = self.forget(at, var);
                }
                let ensures = self.condition(contract.ensures, &noted);
                at = self.only_if(at, ensures, false);
            }
            let last = match (*result, returns) {
                (Some(target), Some(value)) => Op::Assign(target, self.variable(value)),
                _ => Op::Skip,
            };
            self.edge(at, edge.target, last);
        }
    }

    /// Puts a choice in front of the program: the run of one of the functions, or of the program.
    fn run_functions(&mut self) {
        let start = self.program.function(self.program.entry).entry;
        let begin = self.location(start, false);
        for edge in self.draft.edges.iter_mut().flatten() {
            if edge.source == start {
                edge.source = begin;
            }
        }
        let unknown = self.unknown();
        let choice = self.new_global("function to run".to_owned(), Ty::U32);
        let mut at = self.forget(start, choice);
        for number in 0..self.frames.len() {
            let chosen = self.variable(choice);
            let this = self.draft.pool.integer(number as i128, Ty::U32);
            let is_this = self.draft.pool.eq(chosen, this);
            let run = self.then(at, Op::Assume(is_this));
            let other = self.draft.pool.not(is_this);
            at = self.then(at, Op::Assume(other));
            self.run_function(number, run, &unknown);
        }
        self.edge(at, begin, Op::Skip);
    }

    /// The globals that a function with a contract touches or that a contract speaks of: in the
    /// middle of the program they have any value.
    fn unknown(&self) -> Vec<VarId> {
        let count = self.program.vars.len() as u32;
        let touched = self.frames.iter();
        let touched = touched.flat_map(|frame| frame.globals.touched.iter().copied());
        let conditions = self.contracts.list.iter();
        let conditions = conditions.flat_map(|one| [one.requires, one.ensures]);
        let mentioned = variables(&self.contracts.pool, conditions).into_iter();
        let mentioned = mentioned
            .map(|var| VarId(var.0.checked_sub(count).unwrap_or(var.0)))
            .filter(|&var| self.program.var(var).function.is_none());
        let mut unknown: Vec<VarId> = touched.chain(mentioned).collect();
        unknown.sort_unstable();
        unknown.dedup();
        unknown
    }

    fn run_function(&mut self, number: usize, mut at: LocId, unknown: &[VarId]) {
        let contract = self.contracts.list[number];
        let called = self.program.function(contract.function);
        let (params, kept) = (
            called.params.len(),
            called.params.len() + called.result.iter().count(),
        );
        let (noted, own) = (
            self.frames[number].noted.clone(),
            self.frames[number].own.clone(),
        );
        let globals = self.frames[number].globals.clone();
        for &var in unknown {
            at = self.forget(at, var);
        }
        for &(_, var) in &own[..params] {
            at = self.forget(at, var);
        }
        for (&(_, target), &global) in own[kept..].iter().zip(&globals.written) {
            at = self.copy(at, target, global);
        }
        let requires = self.condition(contract.requires, &own);
        at = self.only_if(at, requires, false);
        let args = own[..params].iter().map(|&(_, var)| var);
        let args: Vec<VarId> = args.collect();
        let args = args.into_iter().map(|var| self.variable(var)).collect();
        let op = Op::Call {
            function: contract.function,
            args,
            result: called.result.map(|_| own[params].1),
        };
        at = self.then(at, op);
        for (&(_, target), &(_, source)) in noted.iter().zip(&own) {
            at = self.copy(at, target, source);
        }
        at = self.note(at, number, true);
        let ensures = self.condition(contract.ensures, &own);
        at = self.only_if(at, ensures, true);
        self.end(at);
    }

    fn finish(self) -> Contracted {
        let (which, program) = (self.which, self.program);
        let frames = self.frames;
        // What the pass makes up keeps its order, and so do the variables of the program; those
        // that nothing mentions are left out.
        let made = self.draft.vars[program.vars.len()..].to_vec();
        let passed = self.draft.finish();
        let mut given = FxHashMap::default();
        let mut new = Vec::new();
        for (number, before) in passed.back.vars.iter().enumerate() {
            let var = VarId(number as u32);
            match before {
                Some(before) => {
                    given.insert(*before, var);
                }
                None => new.push(var),
            }
        }
        // Names of what was made up are unique but for parameters with one name, so the match is
        // by order among equal names.
        let mut number_of = FxHashMap::default();
        let mut rest = new.into_iter().peekable();
        for (number, var) in made.iter().enumerate() {
            let made = VarId((program.vars.len() + number) as u32);
            if let Some(&found) = rest.peek()
                && passed.program.var(found).name == var.name
            {
                number_of.insert(made, found);
                rest.next();
            }
        }
        let globals = program.globals();
        let of = frames.iter().map(|frame| {
            let globals = globals.iter();
            let globals = globals.filter_map(|var| Some((*var, *given.get(var)?)));
            let noted = frame.noted.iter();
            let noted = noted.filter_map(|(var, made)| Some((*var, *number_of.get(made)?)));
            globals.chain(noted).collect()
        });
        let of = of.collect();
        let notes = Notes {
            which: number_of.get(&which).copied(),
            of,
        };
        Contracted { passed, notes }
    }
}
