//! Unwinding: all executions of a program up to a bound, as symbolic states that fork at branches
//! and meet again after them.
//!
//! Points of the unwinding are handled in an order in which every execution passes them: loops
//! iteration by iteration, calls before what follows them. So all states that come to one point are
//! there before the point is left, and the number of states is linear in the unwound program, not
//! in its paths.

mod run;

use self::run::Run;
use crate::algebra::Unsupported;
use crate::layout::Layout;
use crate::path::Path;
use crate::state::State;
use crate::step::{Encoder, Instances};
use cfa::memory::ObjectId;
use cfa::op::InputId;
use cfa::order::{LoopId, Order};
use cfa::place::{Place, callee};
use cfa::program::{EdgeId, FuncId, LocId, Program};
use cfa::value::Ty;
use logic::{Term, TermPool};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// A point of the unwinding, ordered as executions pass them: for each activation the loops around
/// the place with their iterations, the place itself, and the call that leads into the next
/// activation.
pub type Point = Rc<[u32]>;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Iterations of a loop whose course the inputs decide.
    pub iterations: u32,
    /// Activations of one function at a time.
    pub recursion: u32,
    /// Operations in all.
    pub steps: u64,
}

/// Why executions were not followed further.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CutReason {
    Iterations(LocId),
    Recursion(FuncId),
    Steps,
    Beyond(Unsupported, EdgeId),
    Stopped,
}

impl CutReason {
    /// In words for users, with the place.
    pub fn describe(&self, program: &Program) -> String {
        match self {
            CutReason::Beyond(what, edge) => {
                let place = program.describe(program.edge(*edge).span);
                format!("{place}: {} cannot be encoded", what.0)
            }
            CutReason::Recursion(function) => {
                format!("recursion of {}", program.function_name(*function))
            }
            CutReason::Iterations(location) => {
                let place = program.describe(program.location(*location).span);
                format!("{place}: a loop inside a block")
            }
            CutReason::Steps => "a block is too large".into(),
            CutReason::Stopped => "out of time".into(),
        }
    }
}

/// Executions that the unwinding does not contain.
#[derive(Clone, Debug)]
pub struct Cut {
    pub reason: CutReason,
    pub path: Path,
}

/// Executions that end in an error location.
#[derive(Clone, Debug)]
pub struct ErrorPoint {
    pub location: LocId,
    pub path: Path,
}

/// An input value taken somewhere in the unwinding.
#[derive(Clone, Debug)]
pub struct InputPoint {
    pub point: Point,
    pub input: InputId,
    pub ty: Ty,
    pub value: Term,
    /// Executions that take it.
    pub path: Path,
}

/// An object that comes to life somewhere in the unwinding.
#[derive(Clone, Debug)]
pub struct InstancePoint {
    pub object: ObjectId,
    pub address: u64,
    /// Bytes of room; the object may be smaller.
    pub size: u64,
    pub path: Path,
}

#[derive(Debug, Default)]
pub struct Unwinding {
    pub errors: Vec<ErrorPoint>,
    pub cuts: Vec<Cut>,
    /// In the order in which every execution takes them.
    pub inputs: Vec<InputPoint>,
    pub instances: Vec<InstancePoint>,
    pub steps: u64,
    /// Locations that some state came to.
    pub visited: Vec<bool>,
    /// Executions that came to a place where the unwinding was to stop.
    pub arrivals: Vec<Arrival>,
}

/// Executions that came to a place where the unwinding was to stop, with their state there.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub place: Place,
    pub state: State,
}

/// Says where an unwinding stops.
pub type StopsAt<'a> = &'a dyn Fn(&[EdgeId], LocId) -> bool;

/// Decides on the way whether a path can be taken at all. To say "yes" is always right.
pub trait Guide {
    /// Asked when a loop begins another iteration that inputs decide on.
    fn is_feasible(&mut self, pool: &mut TermPool, path: &Path) -> bool;
    /// Asked now and then; no further work is wanted after a "yes".
    fn must_stop(&mut self) -> bool;
}

/// Follows everything.
pub struct Everything;

impl Guide for Everything {
    fn is_feasible(&mut self, _: &mut TermPool, _: &Path) -> bool {
        true
    }

    fn must_stop(&mut self) -> bool {
        false
    }
}

/// One activation on the call stack.
struct Activation {
    function: FuncId,
    /// The call edges that lead to it.
    calls: Vec<EdgeId>,
    /// What the points of this activation begin with.
    prefix: Vec<u32>,
    /// The call edge and the activation that it lies in.
    caller: Option<(Rc<Activation>, EdgeId, Vec<Iteration>)>,
    depth: u32,
}

/// Where execution is in a loop.
#[derive(Clone, Debug)]
struct Iteration {
    id: LoopId,
    number: u32,
    /// How many of the iterations inputs decided on; one less where the unwinding began inside the
    /// loop, because the first arrival at the head only completes the iteration that it began in.
    charged: i64,
    /// The path at the beginning of the iteration.
    path: Path,
}

struct Item {
    location: LocId,
    activation: Rc<Activation>,
    loops: Vec<Iteration>,
    state: State,
}

/// Names and addresses that stay the same from one unwinding of a program to a longer one.
#[derive(Default)]
pub struct Memo {
    addresses: FxHashMap<(Point, u64), u64>,
    /// Inputs whose values are given, in the order in which executions take them.
    given: FxHashMap<InputId, VecDeque<u128>>,
}

struct PointInstances<'a> {
    point: &'a Point,
    edge: EdgeId,
    memo: &'a mut Memo,
    taken: Option<(InputId, Ty, Term)>,
    placed: Option<(u64, u64)>,
}

impl PointInstances<'_> {
    fn name(&self, prefix: &str) -> String {
        use std::fmt::Write;
        let mut name = format!("{prefix}!{}", self.edge.0);
        for part in self.point.iter() {
            let _ = write!(name, ".{part}");
        }
        name
    }
}

impl Instances for PointInstances<'_> {
    fn input(&mut self, pool: &mut TermPool, input: InputId, ty: Ty) -> Term {
        let given = self.memo.given.get_mut(&input);
        let value = match (given.and_then(VecDeque::pop_front), ty) {
            (Some(bits), Ty::Bool) => pool.bool(bits & 1 == 1),
            (Some(bits), _) => pool.bv(u32::from(ty.width()), bits),
            (None, _) => pool.var(&self.name("input"), crate::algebra::sort_of(ty)),
        };
        self.taken = Some((input, ty, value));
        value
    }

    fn unknown(&mut self, pool: &mut TermPool, ty: Ty) -> Term {
        pool.var(&self.name("unknown"), crate::algebra::sort_of(ty))
    }

    fn address(&mut self, layout: &mut Layout, size: u64, align: u64) -> Option<u64> {
        let key = (self.point.clone(), (u64::from(self.edge.0) << 32) ^ size);
        let address = match self.memo.addresses.get(&key) {
            Some(&address) => address,
            None => {
                let address = layout.reserve(size, align)?;
                self.memo.addresses.insert(key, address);
                address
            }
        };
        self.placed = Some((address, size));
        Some(address)
    }
}

/// Unwinds programs; keeps what a longer unwinding can use again.
pub struct Unwinder<'p> {
    pub encoder: Encoder<'p>,
    orders: FxHashMap<FuncId, Rc<Order>>,
    memo: Memo,
}

impl<'p> Unwinder<'p> {
    pub fn new(encoder: Encoder<'p>) -> Unwinder<'p> {
        Unwinder {
            encoder,
            orders: FxHashMap::default(),
            memo: Memo::default(),
        }
    }

    /// Follows the execution with these input values instead of all executions: each place that
    /// takes an input gets the next value that was given for it.
    pub fn give_inputs(&mut self, values: impl IntoIterator<Item = (InputId, u128)>) {
        self.memo.given.clear();
        for (input, bits) in values {
            self.memo.given.entry(input).or_default().push_back(bits);
        }
    }

    fn order(&mut self, function: FuncId) -> Rc<Order> {
        let program = self.encoder.program;
        self.orders
            .entry(function)
            .or_insert_with(|| Rc::new(Order::of(program, function)))
            .clone()
    }

    /// All executions from the start of the program within the limits.
    pub fn unwind(&mut self, limits: &Limits, guide: &mut dyn Guide) -> Unwinding {
        let program = self.encoder.program;
        let start = Start {
            place: &Place::entry(program),
            state: State::initial(program),
            tag: None,
        };
        self.unwind_from(start, &|_, _| false, limits, guide)
    }

    /// All executions from a state at a place until they come to a place where `stops` says so.
    pub fn unwind_from(
        &mut self,
        start: Start<'_>,
        stops: StopsAt<'_>,
        limits: &Limits,
        guide: &mut dyn Guide,
    ) -> Unwinding {
        let program = self.encoder.program;
        let mut activation = Rc::new(Activation {
            function: program.entry,
            calls: Vec::new(),
            prefix: start.tag.into_iter().collect(),
            caller: None,
            depth: 1,
        });
        for &call in &start.place.calls {
            let Some(function) = callee(program, call) else {
                continue;
            };
            let source = program.edge(call).source;
            let order = self.order(activation.function);
            let loops = enter_loops(&order, source, &start.state.path);
            let mut prefix = point_of(&order, &activation.prefix, &loops, source);
            prefix.push(call.0);
            let mut calls = activation.calls.clone();
            calls.push(call);
            activation = Rc::new(Activation {
                function,
                calls,
                prefix,
                depth: activation.depth + 1,
                caller: Some((activation, call, loops)),
            });
        }
        let mut run = Run {
            unwinder: self,
            limits: *limits,
            guide,
            stops,
            starting: true,
            queue: BTreeMap::new(),
            result: Unwinding {
                visited: vec![false; program.locations.len()],
                ..Unwinding::default()
            },
        };
        run.arrive(
            start.place.location,
            activation,
            Vec::new(),
            None,
            start.state,
        );
        run.work();
        run.result
    }
}

/// Where an unwinding begins.
pub struct Start<'a> {
    pub place: &'a Place,
    pub state: State,
    /// Tells the inputs and objects of this unwinding from those of others with the same encoder.
    pub tag: Option<u32>,
}

/// The loops around a location, in their first iterations.
fn enter_loops(order: &Order, location: LocId, path: &Path) -> Vec<Iteration> {
    let nest = order.nest(location).into_iter();
    nest.map(|id| {
        let is_head = order.loops[id.0 as usize].head == location;
        Iteration {
            id,
            number: 0,
            charged: if is_head { 0 } else { -1 },
            path: path.clone(),
        }
    })
    .collect()
}

fn point_of(order: &Order, prefix: &[u32], loops: &[Iteration], location: LocId) -> Vec<u32> {
    let mut point = prefix.to_vec();
    for at in loops {
        let head = order.loops[at.id.0 as usize].head;
        point.push(order.position(head).unwrap_or(0));
        point.push(at.number);
    }
    point.push(order.position(location).unwrap_or(0));
    point
}
