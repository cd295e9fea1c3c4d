//! Which locals a pointer may outlive until they live again.
//!
//! Two pointers into a local are pointers into one object if none of them is left from an earlier
//! life. When the object begins, a value that may be its address can only be such a rest.

use super::carried::{Carried, Origin};
use super::points_to::PointsTo;
use super::shape::NodeId;
use cfa::expr::VarId;
use cfa::live::Live;
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::Op;
use cfa::program::{FuncId, LocId, Program};
use rustc_hash::FxHashMap;

/// What may hold an address, and where that leads.
struct Holder {
    /// Nothing: in memory.
    var: Option<VarId>,
    node: Option<NodeId>,
    origin: Origin,
}

impl Holder {
    fn may_hold(&self, object: ObjectId, node: NodeId) -> bool {
        match self.origin {
            Origin::One(only) => only == object,
            Origin::Several | Origin::None => self.node.is_none_or(|led| led == node),
        }
    }
}

/// By object: pointers into it are pointers into one object at any time.
pub(super) fn objects_of_one_life(
    program: &Program,
    points_to: &mut PointsTo,
    carried: &Carried,
) -> Vec<bool> {
    let mut begins: FxHashMap<ObjectId, Vec<LocId>> = FxHashMap::default();
    for edge in &program.edges {
        if let Op::Begin { object, .. } = program.op(edge.op) {
            begins.entry(*object).or_default().push(edge.source);
        }
    }
    let holders = holders(points_to, carried);
    let callers = Callers::of(program);
    let mut live: FxHashMap<FuncId, Live> = FxHashMap::default();
    let mut is_one_life = |id: ObjectId| {
        let function = match program.object(id).kind {
            _ if points_to.lives().is_one(id) => return true,
            ObjectKind::Local(function) if program.object(id).unique => function,
            _ => return false,
        };
        let object = points_to.object(id);
        let node = points_to.shapes.find(object).node;
        let places = begins.get(&id).map_or(&[][..], Vec::as_slice);
        let live = live
            .entry(function)
            .or_insert_with(|| Live::of(program, function));
        let outlives = |holder: &Holder| match holder.var {
            // What lies in memory may lie there for long.
            None => true,
            Some(var) => match program.var(var).function {
                Some(owner) if owner == function => places.iter().any(|&at| live.is_live(at, var)),
                // A function that is not active when the object begins holds nothing.
                Some(owner) => callers.may_call(owner, function),
                None => true,
            },
        };
        let mut holders = holders.iter();
        !holders.any(|holder| holder.may_hold(id, node) && outlives(holder))
    };
    (0..program.objects.len() as u32)
        .map(|number| is_one_life(ObjectId(number)))
        .collect()
}

fn holders(points_to: &mut PointsTo, carried: &Carried) -> Vec<Holder> {
    let mut holders = Vec::new();
    for (number, traits) in carried.variables().iter().enumerate() {
        if traits.address {
            let var = VarId(number as u32);
            let pointer = points_to.variable(var);
            holders.push(Holder {
                var: Some(var),
                node: pointer.map(|pointer| points_to.shapes.find(pointer).node),
                origin: traits.origin,
            });
        }
    }
    for (place, traits) in carried.cells() {
        if traits.address {
            let target = points_to.shapes.contents(place);
            let target = target.and_then(|cell| cell.target);
            holders.push(Holder {
                var: None,
                node: target.map(|pointer| points_to.shapes.find(pointer).node),
                origin: traits.origin,
            });
        }
    }
    holders
}

/// Which functions may be active while another one runs.
struct Callers {
    called: Vec<Vec<usize>>,
}

impl Callers {
    fn of(program: &Program) -> Callers {
        let mut called: Vec<Vec<usize>> = vec![Vec::new(); program.functions.len()];
        for edge in &program.edges {
            if let Op::Call { function, .. } = program.op(edge.op) {
                let caller = program.location(edge.source).function;
                called[caller.0 as usize].push(function.0 as usize);
            }
        }
        for list in &mut called {
            list.sort_unstable();
            list.dedup();
        }
        Callers { called }
    }

    fn may_call(&self, caller: FuncId, callee: FuncId) -> bool {
        let mut seen = vec![false; self.called.len()];
        let mut work = vec![caller.0 as usize];
        while let Some(function) = work.pop() {
            if std::mem::replace(&mut seen[function], true) {
                continue;
            }
            if self.called[function].contains(&(callee.0 as usize)) {
                return true;
            }
            work.extend(&self.called[function]);
        }
        false
    }
}
