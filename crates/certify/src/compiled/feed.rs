//! From the inputs of an execution to what a compiled program can be given.
//!
//! Results of functions without a body, variables that are defined nowhere and memory outside the
//! program are given as they are. Local variables and the heap can be filled with one byte and
//! nothing else, so an execution that takes other values from them is tried once more with such a
//! filling. What is left is missing.

use super::library::is_determined;
use arith::int;
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::{Input, InputId, InputKind, Op};
use cfa::outside;
use cfa::program::{EdgeId, Program, VariableKind};
use cfa::value::Ty;
use facts::budget::Budget;
use facts::certificate::InputValue;
use interpreter::{
    Change, InputSource, Interpreter, Observer, Options, Outcome, Relevance, Run, View,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// How long one repetition of the execution may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// More values than this make a text that no compiler should be asked to read.
const MAX_VALUES: usize = 1_000_000;

/// What compilers fill uninitialised variables with, if they are told to: zeros or a pattern.
pub(super) const PATTERN: u8 = 0xfe;

/// What the program is given.
#[derive(Default)]
pub(super) struct Feed {
    /// What functions without a body return, call by call.
    pub calls: BTreeMap<String, Vec<(Ty, u128)>>,
    /// First values of variables that are defined nowhere.
    pub variables: BTreeMap<String, (Ty, u128)>,
    /// First bytes of objects that are defined nowhere.
    pub objects: BTreeMap<String, BTreeMap<u64, u8>>,
    /// Bytes of the memory outside the program that pointers from outside point into.
    pub outside: BTreeMap<u64, u8>,
    pub points_outside: bool,
    /// Functions without a body return what may be a pointer, to memory of which the program knows
    /// more than we do.
    pub given_pointers: bool,
    /// The byte that local variables and the heap are filled with.
    pub filling: u8,
    /// Arguments of the entry function, in order.
    pub arguments: Vec<(Ty, u128)>,
    /// What the execution takes and the program cannot be given, in words.
    pub missing: Option<String>,
    /// Results that only functions of the harness can give: which input, and of which function.
    results: Vec<(InputId, String)>,
    /// The same, of values that the violation need not depend on.
    pub perhaps_missing: Vec<(InputId, String)>,
    /// The inputs of the execution that the program is given.
    pub values: Vec<InputValue>,
}

/// A value that an execution took; of memory also where it lies.
#[derive(Clone, Copy)]
struct Taken {
    input: InputId,
    ty: Ty,
    bits: u128,
    place: Option<(ObjectId, u64)>,
}

impl Feed {
    pub fn new(program: &Program, values: &[InputValue], is_main: bool, budget: &Budget) -> Feed {
        let too_many = values.len() > MAX_VALUES;
        let given = &values[..values.len().min(MAX_VALUES)];
        let mut feed = Feed::of(program, given, is_main, budget);
        if too_many {
            let why = format!("more than {MAX_VALUES} inputs");
            feed.missing.get_or_insert(why);
        }
        feed
    }

    fn of(program: &Program, values: &[InputValue], is_main: bool, budget: &Budget) -> Feed {
        let kinds = Kinds::of(program);
        let plain: Vec<Taken> = values
            .iter()
            .map(|value| {
                let input = program.inputs.get(value.input.0 as usize);
                let bits = int::truncate(value.bits, value.ty.width().into());
                Taken {
                    input: value.input,
                    ty: value.ty,
                    bits: match input.is_some_and(|input| input.is_bool) {
                        true => u128::from(bits != 0),
                        false => bits,
                    },
                    place: None,
                }
            })
            .collect();
        let takes_memory = |taken: &Taken| taken.input.0 as usize >= program.inputs.len();
        let (first, missing) = match plain.iter().any(takes_memory) {
            false => (plain, None),
            true => match repeated(program, Source::recorded(values), budget) {
                Some(taken) => (taken, None),
                None => (
                    plain.into_iter().filter(|one| !takes_memory(one)).collect(),
                    Some(
                        "the initial contents of memory, which take too long to determine"
                            .to_owned(),
                    ),
                ),
            },
        };
        let is_filled = |one: &Taken, byte| {
            !kinds.can_be_filled(program, one) || one.bits == filled(byte, one.ty)
        };
        let (filling, taken) = if first.iter().all(|one| is_filled(one, 0)) {
            (0, first)
        } else {
            let again = |byte| {
                let source = Source::filling(program, &kinds, &first, byte);
                Some((byte, repeated(program, source, budget)?))
            };
            [0, PATTERN]
                .into_iter()
                .find_map(again)
                .unwrap_or((0, first))
        };
        let mut feed = Feed {
            missing,
            filling,
            ..Feed::default()
        };
        for one in &taken {
            feed.take(program, &kinds, one, is_main);
        }
        feed.values = taken
            .iter()
            .map(|one| InputValue {
                input: one.input,
                ty: one.ty,
                bits: one.bits,
            })
            .collect();
        feed
    }

    fn take(&mut self, program: &Program, kinds: &Kinds, one: &Taken, is_main: bool) {
        let name = |name| program.names.get(name).to_owned();
        let begin = u128::from(outside::address(program.model));
        if (begin..begin + u128::from(outside::BYTES)).contains(&one.bits) {
            self.points_outside = true;
        }
        let Some(input) = program.inputs.get(one.input.0 as usize) else {
            return self.take_memory(program, one, is_main);
        };
        let missing = match &input.kind {
            InputKind::Nondet(function) => {
                let calls = self.calls.entry(name(*function)).or_default();
                calls.push((one.ty, one.bits));
                return;
            }
            InputKind::External(symbol) if kinds.variables.contains(&one.input) => {
                self.variables.insert(name(*symbol), (one.ty, one.bits));
                return;
            }
            InputKind::External(function) => {
                self.given_pointers |= one.bits != 0 && one.ty == program.pointer_ty();
                self.results.push((one.input, name(*function)));
                let calls = self.calls.entry(name(*function)).or_default();
                calls.push((one.ty, one.bits));
                return;
            }
            InputKind::Uninitialised(_)
                if one.bits == filled(self.filling, one.ty)
                    && kinds.locals.contains(&one.input) =>
            {
                return;
            }
            InputKind::Uninitialised(what) if what.contains(' ') => what.clone(),
            InputKind::Uninitialised(what) => format!("the uninitialised value of `{what}`"),
            InputKind::Argument(what) => {
                self.arguments.push((one.ty, one.bits));
                if is_main && !is_ordinary_argument(self.arguments.len(), one) {
                    let what = format!("the argument `{what}` of `main`");
                    self.perhaps_missing.push((one.input, what));
                }
                return;
            }
            InputKind::Library(function) => {
                // The compiled program calls functions that compute: their results are what they
                // are.
                let function = name(*function);
                if !is_determined(&function) {
                    let what = format!("the result of `{function}`");
                    self.perhaps_missing.push((one.input, what));
                }
                return;
            }
            // The compiled program shows what the compiler chose.
            InputKind::Replaced(_) => return,
            // The compiled program calls glibc's function.
            InputKind::Unusual(_) if one.bits == 0 => return,
            InputKind::Unusual(function) => {
                format!("a result of `{}` that glibc never returns", name(*function))
            }
            InputKind::Volatile(_) => "the values of volatile objects".into(),
            InputKind::Assembly => "the result of inline assembly".into(),
            InputKind::Asked { .. } => "the answer to a question about memory".into(),
        };
        self.missing.get_or_insert(missing);
    }

    fn take_memory(&mut self, program: &Program, one: &Taken, is_main: bool) {
        let Some((id, offset)) = one.place else {
            return;
        };
        let object = program.object(id);
        let bytes = (0..one.ty.bytes()).map(|at| (offset + at, (one.bits >> (8 * at)) as u8));
        let missing = match object.kind {
            ObjectKind::External if is_main && !self.arguments.is_empty() => {
                "what the arguments of `main` point to".into()
            }
            ObjectKind::External => {
                self.points_outside = true;
                self.outside.extend(bytes);
                return;
            }
            ObjectKind::Global => {
                let object = self.objects.entry(object.name.clone()).or_default();
                object.extend(bytes);
                return;
            }
            ObjectKind::Local(_) | ObjectKind::Heap | ObjectKind::StackAllocation(_)
                if one.bits == filled(self.filling, one.ty) =>
            {
                return;
            }
            _ => format!("the initial contents of `{}`", object.name),
        };
        self.missing.get_or_insert(missing);
    }

    /// What the program cannot be given, or was not by a harness that defines these functions,
    /// although the violation depends on it.
    pub fn relevant(
        &self,
        program: &Program,
        defined: &BTreeSet<String>,
        budget: &Budget,
    ) -> Option<String> {
        if let Some(missing) = &self.missing {
            return Some(missing.clone());
        }
        let results = self.results.iter();
        let results = results.filter(|(_, function)| !defined.contains(function));
        let results =
            results.map(|(input, function)| (*input, format!("the result of `{function}`")));
        let perhaps_missing: Vec<(InputId, String)> = self
            .perhaps_missing
            .iter()
            .cloned()
            .chain(results)
            .collect();
        let (_, first) = perhaps_missing.first()?;
        let mut watch = Watch {
            relevance: Relevance::new(program.executed()),
            edges: Vec::new(),
        };
        let budget = budget.within(PATIENCE);
        let run = crate::replay(program, &self.values, &budget, Some(&mut watch));
        let matters = match run.outcome {
            Outcome::Error(_) => watch.relevance.steps_that_matter(),
            _ => None,
        };
        let Some(matters) = matters else {
            return Some(first.clone());
        };
        let steps = watch.edges.iter().zip(matters);
        let needed: FxHashSet<InputId> = steps
            .filter(|&(_, matters)| matters)
            .filter_map(|(&edge, _)| match program.edge_op(edge) {
                Op::Havoc(_, input) => Some(*input),
                _ => None,
            })
            .collect();
        let mut missing = perhaps_missing.iter();
        missing
            .find(|(input, _)| needed.contains(input))
            .map(|(_, what)| what.clone())
    }
}

/// `argc` is given by the number of arguments that the program is started with.
fn is_ordinary_argument(number: usize, one: &Taken) -> bool {
    number == 1 && (1..=MAX_ARGUMENTS).contains(&one.bits)
}

/// Arguments that a program is started with at most.
pub(super) const MAX_ARGUMENTS: u128 = 1000;

/// Edges beside what matters of them.
struct Watch<'p> {
    relevance: Relevance<'p>,
    edges: Vec<EdgeId>,
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        self.relevance.edge(edge, change, view);
        self.edges.push(edge);
    }

    fn leave(&mut self, call: EdgeId, change: Change, view: &View<'_>) {
        self.relevance.leave(call, change, view);
        self.edges.push(call);
    }
}

/// What the variables are that take inputs.
struct Kinds {
    /// Inputs of local variables, which a compiler can fill.
    locals: FxHashSet<InputId>,
    /// Inputs of variables that are defined nowhere.
    variables: FxHashSet<InputId>,
}

impl Kinds {
    fn of(program: &Program) -> Kinds {
        let mut kinds = Kinds {
            locals: FxHashSet::default(),
            variables: FxHashSet::default(),
        };
        for op in &program.ops {
            if let Op::Havoc(var, input) = op {
                match program.var(*var).kind {
                    VariableKind::Local => kinds.locals.insert(*input),
                    VariableKind::Global => kinds.variables.insert(*input),
                    _ => continue,
                };
            }
        }
        kinds
    }

    /// Is it one that a compiled program can be given as a filling, and only as that?
    fn can_be_filled(&self, program: &Program, one: &Taken) -> bool {
        match program.inputs.get(one.input.0 as usize) {
            Some(input) => {
                matches!(input.kind, InputKind::Uninitialised(_))
                    && self.locals.contains(&one.input)
            }
            None => one
                .place
                .is_some_and(|(object, _)| is_filled(program, object)),
        }
    }
}

/// Does the compiler or the harness fill the object?
fn is_filled(program: &Program, object: ObjectId) -> bool {
    matches!(
        program.object(object).kind,
        ObjectKind::Local(_) | ObjectKind::Heap | ObjectKind::StackAllocation(_)
    )
}

/// A value all of whose bytes are this one.
fn filled(byte: u8, ty: Ty) -> u128 {
    let all = u128::from_ne_bytes([byte; 16]);
    int::truncate(all, ty.width().into())
}

/// Executes the program; what it took, if that ends in a violation.
fn repeated(program: &Program, mut source: Source<'_>, budget: &Budget) -> Option<Vec<Taken>> {
    let budget = budget.within(PATIENCE);
    let options = Options {
        stop: Some(&budget.stop),
        ..Options::default()
    };
    let (out, err) = (&mut std::io::sink(), &mut std::io::sink());
    let run: Run = Interpreter::new(program).run_with(&options, &mut source, out, err, None);
    if !matches!(run.outcome, Outcome::Error(_)) {
        return None;
    }
    let taken = run.inputs.iter().zip(source.places);
    let taken = taken.map(|(&(input, ty, bits), place)| Taken {
        input,
        ty,
        bits,
        place,
    });
    Some(taken.collect())
}

/// So many of `main`'s arguments are known not to be null.
const TOLD_ARGUMENTS: u128 = 8;

/// Whether an execution takes one of the texts that `main` is given for null, which none is.
pub fn takes_null_argument(program: &Program, values: &[InputValue], budget: &Budget) -> bool {
    let is_argument = |value: &&InputValue| {
        let input = program.inputs.get(value.input.0 as usize);
        input.is_some_and(|input| matches!(input.kind, InputKind::Argument(_)))
    };
    let arguments: Vec<&InputValue> = values.iter().filter(is_argument).collect();
    let &[count, texts, ..] = arguments.as_slice() else {
        return false;
    };
    let (pointer, outside) = (program.pointer_ty(), outside::object(program));
    let mut functions = program.functions.iter();
    let has_main = functions.any(|function| program.names.get(function.name) == "main");
    let is_pair = has_main && count.ty == Ty::I32 && texts.ty == pointer;
    if !is_pair || count.bits <= TOLD_ARGUMENTS || outside.is_none() {
        return false;
    }
    let start = u128::from(outside::address(program.model));
    let end = texts.bits + count.bits * u128::from(pointer.bytes());
    let is_null = |one: &Taken| {
        let place = one.place.filter(|&(object, _)| Some(object) == outside);
        let address = place.map(|(_, offset)| start + u128::from(offset));
        let is_text = address.is_some_and(|address| texts.bits <= address && address < end);
        is_text && one.ty == pointer && one.bits == 0
    };
    match repeated(program, Source::recorded(values), budget) {
        Some(taken) => taken.iter().any(is_null),
        None => true,
    }
}

/// Gives inputs and notes who took them.
struct Source<'a> {
    inputs: Inputs<'a>,
    /// For each input that was taken, which memory it is of.
    places: Vec<Option<(ObjectId, u64)>>,
}

enum Inputs<'a> {
    /// In their order.
    Recorded(std::slice::Iter<'a, InputValue>),
    /// Each input from its own list; memory by its place; the filling where the program can be
    /// given nothing else.
    Filling {
        byte: u8,
        filled: FxHashSet<InputId>,
        lists: FxHashMap<InputId, VecDeque<u128>>,
        memory: FxHashMap<(ObjectId, u64), u128>,
        /// Objects that are never filled.
        others: FxHashSet<ObjectId>,
    },
}

impl<'a> Source<'a> {
    fn recorded(values: &'a [InputValue]) -> Source<'a> {
        Source {
            inputs: Inputs::Recorded(values.iter()),
            places: Vec::new(),
        }
    }

    fn filling(program: &Program, kinds: &Kinds, first: &[Taken], byte: u8) -> Source<'a> {
        let mut filled = FxHashSet::default();
        let mut lists: FxHashMap<InputId, VecDeque<u128>> = FxHashMap::default();
        let mut memory = FxHashMap::default();
        let objects = (0..program.objects.len() as u32).map(ObjectId);
        let others = objects.filter(|&id| !is_filled(program, id)).collect();
        for one in first {
            if kinds.can_be_filled(program, one) {
                filled.insert(one.input);
            } else if let Some(place) = one.place {
                memory.insert(place, one.bits);
            } else {
                lists.entry(one.input).or_default().push_back(one.bits);
            }
        }
        let inputs = Inputs::Filling {
            byte,
            filled,
            lists,
            memory,
            others,
        };
        Source {
            inputs,
            places: Vec::new(),
        }
    }
}

impl InputSource for Source<'_> {
    /// Whoever asks in this way cannot be told from others.
    fn next(&mut self, _: &Input, _: Ty) -> Option<u128> {
        None
    }

    fn next_of(&mut self, id: InputId, _: &Input, ty: Ty) -> Option<u128> {
        self.places.push(None);
        match &mut self.inputs {
            Inputs::Recorded(rest) => rest.next().map(|value| value.bits),
            Inputs::Filling {
                filled: own, byte, ..
            } if own.contains(&id) => Some(filled(*byte, ty)),
            Inputs::Filling { lists, .. } => lists.get_mut(&id)?.pop_front(),
        }
    }

    fn next_in_memory(&mut self, _: &Input, object: ObjectId, offset: u64, ty: Ty) -> Option<u128> {
        let place = (object, offset);
        self.places.push(Some(place));
        match &mut self.inputs {
            Inputs::Recorded(rest) => rest.next().map(|value| value.bits),
            Inputs::Filling {
                byte,
                memory,
                others,
                ..
            } => Some(match memory.get(&place) {
                Some(bits) => *bits,
                None if others.contains(&object) => 0,
                None => filled(*byte, ty),
            }),
        }
    }
}
