//! Ghost variables: which objects live, where they begin and how large they are.

use super::library::closes_stream;
use cfa::expr::{ExprPool, VarId};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::Op;
use cfa::program::{EdgeId, FuncId, LocId, Program, Variable, VariableKind};
use cfa::value::Ty;
use lowering::property::Rewriter;
use rustc_hash::FxHashSet;
use syntax::span::Span;

/// So many objects of one allocation that live at the same time are told apart.
pub(super) const SLOTS: usize = 8;

/// One live object of several that have one id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Its first byte; null if there is none.
    pub base: VarId,
    /// Where its size is not constant.
    pub size: Option<VarId>,
}

/// What is known of the objects of one id.
#[derive(Clone, Debug)]
pub(super) enum Ghost {
    /// Lives as long as the program.
    Always,
    /// There is one at most; the variable is not zero while it lives.
    Once(VarId),
    Several(Vec<Slot>),
    /// Without bytes.
    Never,
}

pub(super) struct Ghosts {
    pub of_object: Vec<Ghost>,
    /// Allocations that happen once at most: their slot is empty before.
    pub single: FxHashSet<EdgeId>,
    /// Not zero once a stream was closed, in programs that close any.
    pub stream_closed: Option<VarId>,
    vars: Vec<VarId>,
}

impl Ghosts {
    pub fn of(rewriter: &mut Rewriter) -> Ghosts {
        let single = single_allocations(&rewriter.program);
        let mut ghosts = Ghosts {
            of_object: Vec::new(),
            single,
            stream_closed: None,
            vars: Vec::new(),
        };
        let program = &rewriter.program;
        if program.ops.iter().any(|op| closes_stream(program, op)) {
            let closed = ghosts.var(rewriter, "a stream is closed".into(), Ty::U8);
            ghosts.stream_closed = Some(closed);
        }
        let once: FxHashSet<ObjectId> = ghosts
            .single
            .iter()
            .filter_map(|&edge| allocated(rewriter.program.edge_op(edge)))
            .collect();
        for number in 0..rewriter.program.objects.len() {
            let object = rewriter.program.objects[number].clone();
            let ghost = match object.kind {
                ObjectKind::Global | ObjectKind::StringLiteral => Ghost::Always,
                ObjectKind::Function(_) | ObjectKind::External => Ghost::Never,
                ObjectKind::Local(_) if object.unique && object.size.is_some() => {
                    Ghost::Once(ghosts.var(rewriter, format!("{} lives", object.name), Ty::U8))
                }
                ObjectKind::Local(_) | ObjectKind::Heap | ObjectKind::StackAllocation(_) => {
                    let is_single = once.contains(&ObjectId(number as u32));
                    let count = if is_single { 1 } else { SLOTS };
                    let pointer = rewriter.program.pointer_ty();
                    let slots = (0..count).map(|slot| Slot {
                        base: ghosts.var(
                            rewriter,
                            format!("start of {} {slot}", object.name),
                            pointer,
                        ),
                        size: object.size.is_none().then(|| {
                            let name = format!("size of {} {slot}", object.name);
                            ghosts.var(rewriter, name, pointer)
                        }),
                    });
                    Ghost::Several(slots.collect())
                }
            };
            ghosts.of_object.push(ghost);
        }
        ghosts
    }

    /// All variables, so that they can be given their first values.
    pub fn all(&self) -> Vec<VarId> {
        self.vars.clone()
    }

    fn var(&mut self, rewriter: &mut Rewriter, name: String, ty: Ty) -> VarId {
        let var = new_variable(rewriter, name, ty);
        self.vars.push(var);
        var
    }

    pub fn slots(&self, object: ObjectId) -> &[Slot] {
        match &self.of_object[object.0 as usize] {
            Ghost::Several(slots) => slots,
            _ => &[],
        }
    }
}

pub(super) fn new_variable(rewriter: &mut Rewriter, name: String, ty: Ty) -> VarId {
    let var = VarId(rewriter.program.vars.len() as u32);
    rewriter.program.vars.push(Variable {
        name,
        ty,
        c_type: None,
        function: None,
        kind: VariableKind::Temporary,
        span: Span::NONE,
    });
    var
}

/// The object that an operation allocates.
pub(super) fn allocated(op: &Op) -> Option<ObjectId> {
    match op {
        Op::Allocate { object, .. } | Op::Reallocate { object, .. } => Some(*object),
        _ => None,
    }
}

/// Edges with an allocation that no execution passes twice.
fn single_allocations(program: &Program) -> FxHashSet<EdgeId> {
    let once = called_once(program);
    let edges = (0..program.edges.len() as u32).map(EdgeId);
    let allocations = edges.filter(|&edge| allocated(program.edge_op(edge)).is_some());
    allocations
        .filter(|&edge| {
            let source = program.edge(edge).source;
            let function = program.location(source).function;
            once[function.0 as usize] && !is_in_cycle(program, source)
        })
        .collect()
}

/// Functions that no execution enters twice.
fn called_once(program: &Program) -> Vec<bool> {
    let mut calls: Vec<Vec<LocId>> = vec![Vec::new(); program.functions.len()];
    for edge in &program.edges {
        if let Op::Call { function, .. } = program.op(edge.op) {
            calls[function.0 as usize].push(edge.source);
        }
    }
    let mut once = vec![false; program.functions.len()];
    once[program.entry.0 as usize] = calls[program.entry.0 as usize].is_empty();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for number in 0..once.len() {
            if once[number] {
                continue;
            }
            let [call] = calls[number][..] else {
                continue;
            };
            let caller: FuncId = program.location(call).function;
            if once[caller.0 as usize] && !is_in_cycle(program, call) {
                once[number] = true;
                changed = true;
            }
        }
    }
    once
}

/// Whether a location is reached from itself within its function.
fn is_in_cycle(program: &Program, location: LocId) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![location];
    while let Some(at) = open.pop() {
        for &edge in &program.location(at).outgoing {
            let target = program.edge(edge).target;
            if target == location {
                return true;
            }
            if seen.insert(target) {
                open.push(target);
            }
        }
    }
    false
}

/// Whether a variable is not null or zero.
pub(super) fn is_set(pool: &mut ExprPool, var: VarId, ty: Ty) -> cfa::expr::ExprId {
    let value = pool.variable(var, ty);
    let zero = pool.zero(ty);
    pool.ne(value, zero)
}
