//! What functions outside the program write, under `--external-writes`: every global with linkage,
//! and every object that they can reach ([`super::reached`]), wherever it lies.
//!
//! Objects that do not live all the time need to be known to live: a variable for each says so, and
//! for allocations where the object lies and how large it is. Where one allocation may have made
//! several objects that live, or a function with such a local calls itself, reaching the call is
//! not supported. Nor is it what a function of the program does that code outside was given and may
//! call.

use super::context::{Context, Home, Shape};
use super::graph::{Action, ENTRY, Graph, Node};
use super::reached::reached;
use super::units::Origin;
use cfa::expr::{ExprId, VarId};
use cfa::memory::{Object, ObjectId, ObjectKind, RegionId};
use cfa::op::{Contents, Halt, InputKind, Op};
use cfa::outside;
use cfa::program::{FuncId, Variable, VariableKind};
use cfa::value::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::span::{Name, Span};
use syntax::typed;

/// How it is known whether an object that can be reached lives.
#[derive(Clone, Copy)]
enum Life {
    Always,
    /// The variable is 1 while it does.
    While(VarId),
    /// The variable is 1 once it did.
    Once(VarId),
    Allocated(Allocated),
}

#[derive(Clone, Copy)]
struct Allocated {
    /// Where the last one lies; null if it is gone.
    address: VarId,
    size: VarId,
    /// 1 once a second one was made while the first one lived.
    several: VarId,
}

/// Adds to each function outside the program what it writes.
pub(crate) fn settle(context: &mut Context) {
    let writers: Vec<FuncId> = (0..context.units.len() as u32)
        .map(FuncId)
        .filter(|&function| is_writer(context, function))
        .collect();
    if writers.is_empty() {
        return;
    }
    let (mut variables, roots) = named_outside(context);
    let mut objects: Vec<ObjectId> = reached(context, &writers, &variables, &roots)
        .into_iter()
        .collect();
    objects.sort_unstable();
    let callbacks: Vec<FuncId> = objects
        .iter()
        .filter_map(|object| match context.objects[object.0 as usize].kind {
            ObjectKind::Function(function) if has_effect(context, function) => Some(function),
            _ => None,
        })
        .collect();
    variables.retain(|&var| {
        let ty = context.vars[var.0 as usize].c_type;
        !ty.is_some_and(|ty| context.types.qualifiers(ty).0)
    });
    objects.retain(|&object| is_writable(context, object));
    let recursive = super::graph::recursive_functions(&context.units);
    let lives: Vec<(ObjectId, Life)> = objects
        .into_iter()
        .map(|object| (object, life(context, object, &recursive)))
        .collect();
    watch(context, &lives);
    for writer in writers {
        let unit = context.unit(writer);
        let (name, span) = (unit.name, unit.span);
        let Some(mut graph) = context.units[writer.0 as usize].graph.take() else {
            continue;
        };
        let start = graph.new_node();
        for edge in &mut graph.edges {
            if edge.source == ENTRY {
                edge.source = start;
            }
        }
        let mut writing = Writing {
            context,
            graph: &mut graph,
            function: writer,
            name,
            at: ENTRY,
            span,
        };
        for &var in &variables {
            writing.any_value(var);
        }
        for &(object, life) in &lives {
            writing.object(object, life);
        }
        writing.outside();
        for &callback in &callbacks {
            writing.may_call(callback);
        }
        let at = writing.at;
        writing.connect(at, start, Op::Skip);
        context.units[writer.0 as usize].graph = Some(graph);
    }
}

/// A function that is not there; of the library's it is known what they write.
fn is_writer(context: &Context, function: FuncId) -> bool {
    let unit = context.unit(function);
    matches!(unit.origin, Origin::Stub { returns: true })
        && context.library_unit(function).is_none()
}

/// The globals that code outside the program can name: variables and objects.
fn named_outside(context: &Context) -> (Vec<VarId>, Vec<ObjectId>) {
    let (mut variables, mut objects) = (Vec::new(), Vec::new());
    for (number, variable) in context.typed.vars.iter().enumerate() {
        if !variable.has_linkage {
            continue;
        }
        match context.known_home(typed::VarId(number as u32)) {
            Some(Home::Variable(var)) => variables.push(var),
            Some(Home::Object(object)) => objects.push(object),
            _ => {}
        }
    }
    (variables, objects)
}

/// Whether a call from outside the program could make a difference: anything but reading, and
/// computing with the function's own variables.
fn has_effect(context: &Context, function: FuncId) -> bool {
    let mut open = vec![function];
    let mut seen: FxHashSet<FuncId> = open.iter().copied().collect();
    while let Some(function) = open.pop() {
        if is_writer(context, function) {
            continue;
        }
        let Some(graph) = &context.unit(function).graph else {
            return true;
        };
        for edge in &graph.edges {
            let is_own = |var: &VarId| {
                let variable = &context.vars[var.0 as usize];
                !matches!(variable.kind, VariableKind::Global)
            };
            let has_effect = match &edge.action {
                Action::Op(Op::Skip | Op::Assume(_) | Op::Begin { .. } | Op::End(_))
                | Action::Forget(_) => false,
                Action::Op(Op::Assign(var, _) | Op::Havoc(var, _)) => !is_own(var),
                Action::Op(Op::Call {
                    function, result, ..
                }) => {
                    if seen.insert(*function) {
                        open.push(*function);
                    }
                    result.as_ref().is_some_and(|var| !is_own(var))
                }
                _ => true,
            };
            if has_effect {
                return true;
            }
        }
    }
    false
}

fn is_writable(context: &Context, id: ObjectId) -> bool {
    let object = &context.objects[id.0 as usize];
    let is_const = object
        .c_type
        .is_some_and(|ty| context.types.qualifiers(ty).0);
    let has_bytes = object.size != Some(0);
    let kind = matches!(
        object.kind,
        ObjectKind::Global
            | ObjectKind::Local(_)
            | ObjectKind::Heap
            | ObjectKind::StackAllocation(_)
    );
    kind && has_bytes && !object.read_only && !is_const
}

fn life(context: &mut Context, id: ObjectId, recursive: &[bool]) -> Life {
    let object = &context.objects[id.0 as usize];
    let (kind, name, span) = (object.kind, object.name.clone(), object.span);
    let pointer = context.pointer;
    let mut ghost = |what: &str, ty: Ty| {
        context.new_variable(Variable {
            name: format!("{name}_{what}"),
            ty,
            c_type: None,
            function: None,
            kind: VariableKind::Global,
            span,
        })
    };
    match kind {
        ObjectKind::Local(function) if recursive[function.0 as usize] => {
            Life::Once(ghost("lived", Ty::U8))
        }
        ObjectKind::Local(_) => Life::While(ghost("lives", Ty::U8)),
        ObjectKind::Heap | ObjectKind::StackAllocation(_) => Life::Allocated(Allocated {
            address: ghost("place", pointer),
            size: ghost("size", pointer),
            several: ghost("several", Ty::U8),
        }),
        _ => Life::Always,
    }
}

/// Keeps the variables that say which objects live.
fn watch(context: &mut Context, lives: &[(ObjectId, Life)]) {
    let known: FxHashMap<ObjectId, Life> = lives.iter().copied().collect();
    let allocated: Vec<Allocated> = lives
        .iter()
        .filter_map(|(_, life)| match life {
            Life::Allocated(allocated) => Some(*allocated),
            _ => None,
        })
        .collect();
    for number in 0..context.units.len() {
        let Some(mut graph) = context.units[number].graph.take() else {
            continue;
        };
        for edge in 0..graph.edges.len() {
            let Action::Op(op) = graph.edges[edge].action.clone() else {
                continue;
            };
            let (before, after) = notes(context, &known, &allocated, &op);
            insert(&mut graph, edge, before, after);
        }
        if matches!(context.units[number].origin, Origin::Start) {
            begin(context, &mut graph, lives);
        }
        context.units[number].graph = Some(graph);
    }
}

/// What is to be noted before and after an operation.
fn notes(
    context: &mut Context,
    known: &FxHashMap<ObjectId, Life>,
    allocated: &[Allocated],
    op: &Op,
) -> (Vec<Op>, Vec<Op>) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let pointer = context.pointer;
    let gone = |context: &mut Context, released: ExprId| -> Vec<Op> {
        let forget = |entry: &Allocated| {
            let place = context.pool.variable(entry.address, pointer);
            let is_it = context.pool.eq(place, released);
            let null = context.pool.zero(pointer);
            Op::Assign(entry.address, context.pool.ite(is_it, null, place))
        };
        allocated.iter().map(forget).collect()
    };
    match op {
        Op::Begin { object, .. } => {
            if let Some(Life::While(var) | Life::Once(var)) = known.get(object) {
                after.push(Op::Assign(*var, context.pool.constant(1, Ty::U8)));
            }
        }
        Op::End(object) => match known.get(object) {
            Some(Life::While(var)) => after.push(Op::Assign(*var, context.pool.zero(Ty::U8))),
            Some(Life::Allocated(entry)) => {
                after.push(Op::Assign(entry.address, context.pool.zero(pointer)));
            }
            _ => {}
        },
        Op::Release(address) => before.extend(gone(context, *address)),
        Op::Allocate {
            target,
            object,
            size,
            ..
        }
        | Op::Reallocate {
            target,
            object,
            size,
            ..
        } => {
            if let Op::Reallocate { address, .. } = op {
                before.extend(gone(context, *address));
            }
            if let Some(Life::Allocated(entry)) = known.get(object) {
                let place = context.pool.variable(entry.address, pointer);
                let lives = context.pool.truth(place);
                let one = context.pool.constant(1, Ty::U8);
                let several = context.pool.variable(entry.several, Ty::U8);
                let several = context.pool.ite(lives, one, several);
                before.push(Op::Assign(entry.several, several));
                before.push(Op::Assign(entry.size, *size));
                let target = context.pool.variable(*target, pointer);
                after.push(Op::Assign(entry.address, target));
            }
        }
        _ => {}
    }
    (before, after)
}

fn insert(graph: &mut Graph, edge: usize, before: Vec<Op>, after: Vec<Op>) {
    let span = graph.edges[edge].span;
    let connect = |graph: &mut Graph, source, target, op| {
        graph.connect(source, target, Action::Op(op), span);
    };
    for op in before {
        let (source, next) = (graph.edges[edge].source, graph.new_node());
        graph.edges[edge].source = next;
        connect(graph, source, next, op);
    }
    let target = graph.edges[edge].target;
    let count = after.len();
    for (index, op) in after.into_iter().enumerate() {
        let from = match index {
            0 => {
                let node = graph.new_node();
                graph.edges[edge].target = node;
                node
            }
            _ => graph.nodes.len() as Node - 1,
        };
        let to = match index + 1 == count {
            true => target,
            false => graph.new_node(),
        };
        connect(graph, from, to, op);
    }
}

/// Nothing lives at first.
fn begin(context: &mut Context, graph: &mut Graph, lives: &[(ObjectId, Life)]) {
    let vars = lives.iter().flat_map(|(_, life)| match *life {
        Life::Always => Vec::new(),
        Life::While(var) | Life::Once(var) => vec![var],
        Life::Allocated(entry) => vec![entry.address, entry.size, entry.several],
    });
    for var in vars.collect::<Vec<VarId>>() {
        let next = graph.new_node();
        for edge in &mut graph.edges {
            if edge.source == ENTRY {
                edge.source = next;
            }
        }
        let zero = context.pool.zero(context.vars[var.0 as usize].ty);
        let assign = Action::Op(Op::Assign(var, zero));
        graph.connect(ENTRY, next, assign, Span::NONE);
    }
}

/// The automaton of a function outside the program while it gets what it writes.
struct Writing<'a, 't> {
    context: &'a mut Context<'t>,
    graph: &'a mut Graph,
    function: FuncId,
    name: Name,
    at: Node,
    span: Span,
}

impl Writing<'_, '_> {
    fn connect(&mut self, source: Node, target: Node, op: Op) {
        self.graph
            .connect(source, target, Action::Op(op), self.span);
    }

    fn emit(&mut self, op: Op) {
        let next = self.graph.new_node();
        self.connect(self.at, next, op);
        self.at = next;
    }

    fn any_value(&mut self, var: VarId) {
        let c_type = self.context.vars[var.0 as usize].c_type;
        let is_bool = c_type.is_some_and(|ty| self.context.is_c_bool(ty));
        let kind = InputKind::Library(self.name);
        let input = self.context.new_input(kind, is_bool, self.span);
        self.emit(Op::Havoc(var, input));
    }

    /// Goes on where the variable is not zero; the node to come back to.
    fn enter_if(&mut self, var: VarId) -> Node {
        let ty = self.context.vars[var.0 as usize].ty;
        let value = self.context.pool.variable(var, ty);
        let holds = self.context.pool.truth(value);
        let fails = self.context.pool.not(holds);
        let (then, after) = (self.graph.new_node(), self.graph.new_node());
        self.connect(self.at, then, Op::Assume(holds));
        self.connect(self.at, after, Op::Assume(fails));
        self.at = then;
        after
    }

    fn refuse(&mut self, why: &str, object: ObjectId) {
        let name = &self.context.objects[object.0 as usize].name;
        let function = self.context.names.get(self.name);
        let text = format!("`{function}` may write `{name}`, {why}");
        let stop = self.graph.new_node();
        self.connect(self.at, stop, Op::Halt(Halt::Unsupported(text)));
    }

    /// A function of the program that code outside knows: that it is not called is one possibility,
    /// and what happens if it is called is not supported.
    fn may_call(&mut self, callback: FuncId) {
        let choice = self.context.temporary(self.function, Ty::U8, self.span);
        self.any_value(choice);
        let after = self.enter_if(choice);
        let callback = self.context.names.get(self.context.unit(callback).name);
        let function = self.context.names.get(self.name);
        let text = format!("`{function}` may call `{callback}`, whose address it may know");
        let stop = self.graph.new_node();
        self.connect(self.at, stop, Op::Halt(Halt::Unsupported(text)));
        self.at = after;
    }

    fn object(&mut self, object: ObjectId, life: Life) {
        match life {
            Life::Always => self.overwrite(object),
            Life::While(var) => {
                let after = self.enter_if(var);
                self.overwrite(object);
                self.connect(self.at, after, Op::Skip);
                self.at = after;
            }
            Life::Once(var) => {
                let after = self.enter_if(var);
                self.refuse("a local of a function that calls itself", object);
                self.at = after;
            }
            Life::Allocated(entry) => {
                let after = self.enter_if(entry.several);
                self.refuse("one of several objects of one allocation", object);
                self.at = after;
                let after = self.enter_if(entry.address);
                let pointer = self.context.pointer;
                let target = self.context.pool.variable(entry.address, pointer);
                let size = self.context.pool.variable(entry.size, pointer);
                let has_bytes = self.context.pool.truth(size);
                let empty = self.context.pool.not(has_bytes);
                let then = self.graph.new_node();
                self.connect(self.at, after, Op::Assume(empty));
                self.connect(self.at, then, Op::Assume(has_bytes));
                self.at = then;
                self.overwrite_bytes(target, size);
                self.connect(self.at, after, Op::Skip);
                self.at = after;
            }
        }
    }

    fn overwrite(&mut self, id: ObjectId) {
        let object = &self.context.objects[id.0 as usize];
        let (size, c_type, align) = (object.size, object.c_type, object.align);
        let Some(size) = size else {
            self.refuse("whose size is not known", id);
            self.at = self.graph.new_node();
            return;
        };
        let address = self.context.object_address(id);
        if let Some(ty) = c_type
            && let Shape::Scalar(scalar) = self.context.shape(ty)
        {
            let value = self.context.temporary(self.function, scalar, self.span);
            self.context.vars[value.0 as usize].c_type = Some(ty);
            let is_bool = self.context.is_c_bool(ty);
            let kind = InputKind::Library(self.name);
            let input = self.context.new_input(kind, is_bool, self.span);
            self.emit(Op::Havoc(value, input));
            let value = self.context.pool.variable(value, scalar);
            self.emit(Op::Store {
                region: RegionId::WHOLE,
                address,
                value,
            });
            return;
        }
        self.overwrite_with(address, size, align);
    }

    /// So many bytes become those of a new object.
    fn overwrite_with(&mut self, target: ExprId, size: u64, align: u64) {
        let object = self.context.new_object(Object {
            name: "arbitrary".to_owned(),
            kind: ObjectKind::Local(self.function),
            size: Some(size),
            align,
            c_type: None,
            read_only: false,
            unique: true,
            span: self.span,
        });
        let contents = Contents::Outside;
        self.emit(Op::Begin { object, contents });
        let source = self.context.object_address(object);
        let size = self
            .context
            .pool
            .constant(size.into(), self.context.pointer);
        self.copy(target, source, size);
        self.emit(Op::End(object));
    }

    /// As many bytes as a variable says.
    fn overwrite_bytes(&mut self, target: ExprId, size: ExprId) {
        let pointer = self.context.pointer;
        let source = self.context.temporary(self.function, pointer, self.span);
        let object = self.context.new_object(Object {
            name: "arbitrary".to_owned(),
            kind: ObjectKind::Heap,
            size: None,
            align: 16,
            c_type: None,
            read_only: false,
            unique: false,
            span: self.span,
        });
        self.emit(Op::Allocate {
            target: source,
            object,
            size,
            contents: Contents::Outside,
        });
        let source = self.context.pool.variable(source, pointer);
        self.copy(target, source, size);
        self.emit(Op::Release(source));
    }

    fn copy(&mut self, target: ExprId, source: ExprId, size: ExprId) {
        self.emit(Op::Copy {
            target_region: RegionId::WHOLE,
            target,
            source_region: RegionId::WHOLE,
            source,
            size,
        });
    }

    /// Memory that pointers from outside point to.
    fn outside(&mut self) {
        if !self.context.has_pointers_from_outside {
            return;
        }
        let start = u128::from(outside::address(self.context.types.model));
        let target = self.context.pool.constant(start, self.context.pointer);
        self.overwrite_with(target, outside::BYTES, 4096);
    }
}
