//! The state while one function is lowered: where control is, which scopes are open, which jumps
//! wait for their target.
//!
//! Control is at one node, or nowhere: behind a jump nothing is reached until a label follows, and
//! operations emitted there vanish.

use super::context::{Context, Home, Shape};
use super::graph::{Action, ENTRY, EXIT, Graph, GraphEdge, Node};
use cfa::expr::{ExprId, VarId};
use cfa::memory::{Object, ObjectId, ObjectKind, RegionId};
use cfa::op::{Contents, Halt, InputKind, Op};
use cfa::program::{Branch, FuncId, Variable, VariableKind};
use cfa::value::Ty;
use syntax::span::Span;
use syntax::typed::{self, LabelId};
use syntax::types::TypeId;

/// A block whose objects live while control is inside.
struct Scope {
    parent: usize,
    /// Begun when the scope is entered, on whatever route.
    begun: Vec<ObjectId>,
    /// Allocated while it is open, and ended with it.
    allocated: Vec<ObjectId>,
}

/// The scope that is the whole function.
const FUNCTION_SCOPE: usize = 0;

/// A jump whose target's scope may not be known yet.
struct Jump {
    source: Node,
    scope: usize,
    /// How many variable-length arrays are declared before it.
    arrays: usize,
    label: LabelId,
    span: Span,
}

#[derive(Clone, Copy)]
struct Label {
    node: Node,
    scope: Option<usize>,
    /// How many variable-length arrays are declared before it.
    arrays: usize,
}

/// Where `break` or `continue` goes.
#[derive(Clone, Copy)]
pub(crate) struct JumpTarget {
    pub node: Node,
    pub scope: usize,
}

/// The part of the state that belongs to the function, so that the generated entry function can be
/// continued whenever another global turns up.
pub(crate) struct Frame<'t> {
    pub function: FuncId,
    pub body: Option<&'t typed::Body>,
    pub graph: Graph,
    pub current: Option<Node>,
    /// How many edges lead to each node.
    arrivals: Vec<u32>,
    scopes: Vec<Scope>,
    pub scope: usize,
    labels: Vec<Option<Label>>,
    jumps: Vec<Jump>,
    /// The variable-length arrays in the order of their declarations, with their scopes.
    arrays: Vec<(usize, ObjectId)>,
    pub breaks: Vec<JumpTarget>,
    pub continues: Vec<JumpTarget>,
    /// Behind the prologue, where the body begins.
    start: Node,
    /// Where `return` goes; the epilogue leads from here to the exit.
    returns: Node,
    /// What happens before the body: objects of the whole function begin, then parameters move to
    /// memory.
    begins: Vec<(Op, Span)>,
    prologue: Vec<(Op, Span)>,
    stop: Option<Node>,
    /// There is no control flow: what C evaluates conditionally is evaluated always, its loads and
    /// divisions kept from failing by their condition.
    pub guards: Option<Guards>,
}

/// What stands in for what is not to be evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guards {
    /// An object that always lives, and its size.
    pub harmless: Option<(ObjectId, u64)>,
    /// Nothing could stand in for some load.
    pub failed: bool,
}

impl<'t> Frame<'t> {
    pub fn new(function: FuncId, body: Option<&'t typed::Body>) -> Frame<'t> {
        let mut graph = Graph::default();
        let start = graph.new_node();
        let returns = graph.new_node();
        Frame {
            function,
            body,
            graph,
            current: Some(start),
            arrivals: Vec::new(),
            scopes: vec![Scope {
                parent: 0,
                begun: Vec::new(),
                allocated: Vec::new(),
            }],
            scope: FUNCTION_SCOPE,
            labels: Vec::new(),
            jumps: Vec::new(),
            arrays: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            start,
            returns,
            begins: Vec::new(),
            prologue: Vec::new(),
            stop: None,
            guards: None,
        }
    }
}

/// A function being lowered, with the program that it becomes part of.
pub(crate) struct FunctionLowering<'a, 't> {
    pub context: &'a mut Context<'t>,
    pub frame: Frame<'t>,
}

impl<'t> FunctionLowering<'_, 't> {
    // Control.

    pub fn new_node(&mut self) -> Node {
        self.frame.graph.new_node()
    }

    pub fn is_dead(&self) -> bool {
        self.frame.current.is_none()
    }

    /// An edge from where control is; control is then nowhere.
    pub fn edge(&mut self, action: Action, target: Node, span: Span, branch: Option<Branch>) {
        if let Some(source) = self.frame.current.take() {
            self.edge_from(source, action, target, span, branch);
        }
    }

    pub fn edge_from(
        &mut self,
        source: Node,
        action: Action,
        target: Node,
        span: Span,
        branch: Option<Branch>,
    ) {
        let arrivals = &mut self.frame.arrivals;
        if arrivals.len() <= target as usize {
            arrivals.resize(target as usize + 1, 0);
        }
        arrivals[target as usize] += 1;
        self.frame.graph.edges.push(GraphEdge {
            source,
            target,
            action,
            span,
            branch,
        });
    }

    pub fn has_arrivals(&self, node: Node) -> bool {
        self.arrivals(node) > 0
    }

    pub fn arrivals(&self, node: Node) -> u32 {
        self.frame.arrivals.get(node as usize).copied().unwrap_or(0)
    }

    /// An operation, and control behind it.
    pub fn emit(&mut self, op: Op, span: Span) {
        self.emit_action(Action::Op(op), span);
    }

    pub fn emit_action(&mut self, action: Action, span: Span) {
        if let Some(source) = self.frame.current {
            let target = self.new_node();
            self.edge_from(source, action, target, span, None);
            self.frame.current = Some(target);
        }
    }

    /// Goes to a node without doing anything.
    pub fn go(&mut self, target: Node, span: Span) {
        self.edge(Action::Op(Op::Skip), target, span, None);
    }

    /// An operation that leads to the node; control is then nowhere.
    pub fn op_to(&mut self, op: Op, target: Node, span: Span) {
        self.edge(Action::Op(op), target, span, None);
    }

    /// Control is at the node if any edge leads there.
    pub fn enter(&mut self, node: Node) {
        self.frame.current = self.has_arrivals(node).then_some(node);
    }

    /// Ends the execution here.
    pub fn halt(&mut self, halt: Halt, span: Span) {
        if self.is_dead() {
            return;
        }
        let stop = self.stop_node();
        self.edge(Action::Op(Op::Halt(halt)), stop, span, None);
    }

    /// The node behind operations that never let control through.
    pub fn stop_node(&mut self) -> Node {
        match self.frame.stop {
            Some(node) => node,
            None => {
                let node = self.new_node();
                self.frame.stop = Some(node);
                node
            }
        }
    }

    pub fn unsupported(&mut self, what: &str, span: Span) {
        self.halt(Halt::Unsupported(what.to_owned()), span);
    }

    // Values.

    pub fn temporary(&mut self, ty: Ty, span: Span) -> VarId {
        self.context.temporary(self.frame.function, ty, span)
    }

    pub fn read(&mut self, var: VarId) -> ExprId {
        let ty = self.context.vars[var.0 as usize].ty;
        self.context.pool.variable(var, ty)
    }

    /// Keeps a value for later, whatever changes in between.
    pub fn save(&mut self, value: ExprId, span: Span) -> ExprId {
        let pool = &self.context.pool;
        if !pool.reads_memory(value) && !pool.reads_variables(value) {
            return value;
        }
        let ty = pool.ty(value);
        let var = self.temporary(ty, span);
        self.emit(Op::Assign(var, value), span);
        self.read(var)
    }

    pub fn havoc(&mut self, var: VarId, kind: InputKind, is_bool: bool, span: Span) {
        if self.is_dead() {
            return;
        }
        let input = self.context.new_input(kind, is_bool, span);
        self.emit(Op::Havoc(var, input), span);
    }

    pub fn store(&mut self, address: ExprId, value: ExprId, span: Span) {
        self.emit(
            Op::Store {
                region: RegionId::WHOLE,
                address,
                value,
            },
            span,
        );
    }

    pub fn copy(&mut self, target: ExprId, source: ExprId, size: u64, span: Span) {
        if size == 0 || target == source {
            return;
        }
        let size = self
            .context
            .pool
            .constant(size.into(), self.context.pointer);
        self.copy_bytes(target, source, size, span);
    }

    pub fn copy_bytes(&mut self, target: ExprId, source: ExprId, size: ExprId, span: Span) {
        let (target_region, source_region) = (RegionId::WHOLE, RegionId::WHOLE);
        self.emit(
            Op::Copy {
                target_region,
                target,
                source_region,
                source,
                size,
            },
            span,
        );
    }

    // Objects and scopes.

    pub fn open_scope(&mut self) -> usize {
        let parent = self.frame.scope;
        self.frame.scopes.push(Scope {
            parent,
            begun: Vec::new(),
            allocated: Vec::new(),
        });
        self.frame.scope = self.frame.scopes.len() - 1;
        self.frame.scope
    }

    /// Ends the current scope's objects and goes back to its parent.
    pub fn close_scope(&mut self, span: Span) {
        let scope = self.frame.scope;
        let parent = self.frame.scopes[scope].parent;
        self.end_scopes(scope, parent, span);
        self.frame.scope = parent;
    }

    /// An object of the current scope, which begins here.
    pub fn begin_in_scope(&mut self, object: ObjectId, span: Span) {
        let scope = self.frame.scope;
        self.frame.scopes[scope].begun.push(object);
        self.emit(
            Op::Begin {
                object,
                contents: Contents::Arbitrary,
            },
            span,
        );
    }

    /// An object that lives as long as the function's activation.
    pub fn begin_in_function(&mut self, object: ObjectId, contents: Contents, span: Span) {
        self.frame.scopes[FUNCTION_SCOPE].begun.push(object);
        self.begin_for_ever(object, contents, span);
    }

    /// An object that begins before the body and never ends.
    pub fn begin_for_ever(&mut self, object: ObjectId, contents: Contents, span: Span) {
        self.frame
            .begins
            .push((Op::Begin { object, contents }, span));
    }

    /// An operation before the body begins.
    pub fn add_to_prologue(&mut self, op: Op, span: Span) {
        self.frame.prologue.push((op, span));
    }

    /// Memory that lasts until the current scope ends.
    pub fn allocated_in_scope(&mut self, object: ObjectId) {
        let scope = self.frame.scope;
        self.frame.scopes[scope].allocated.push(object);
    }

    pub fn allocated_in_function(&mut self, object: ObjectId) {
        self.frame.scopes[FUNCTION_SCOPE].allocated.push(object);
    }

    /// The declaration of a variable-length array is reached: its life begins here.
    pub fn array_declared(&mut self, object: ObjectId) {
        self.frame.arrays.push((self.frame.scope, object));
    }

    /// Ends all objects of the scopes from `from` out to `to`, which stays open.
    fn end_scopes(&mut self, from: usize, to: usize, span: Span) {
        let mut scope = from;
        while scope != to {
            self.end_objects(scope, span);
            scope = self.frame.scopes[scope].parent;
        }
    }

    /// Ends the objects of one scope, the last one first.
    fn end_objects(&mut self, scope: usize, span: Span) {
        let scope = &self.frame.scopes[scope];
        let objects = scope.allocated.iter().rev().chain(scope.begun.iter().rev());
        for object in objects.copied().collect::<Vec<ObjectId>>() {
            self.emit(Op::End(object), span);
        }
    }

    /// The home of a variable of the typed tree.
    pub fn home(&mut self, id: typed::VarId) -> Home {
        if let Some(home) = self.context.known_home(id) {
            return home;
        }
        if self.context.is_static(id) {
            return self.context.static_home(id);
        }
        // A hidden variable that no block lists lives as long as the function's activation.
        self.declare_local(id, true)
    }

    /// Gives a local its home. An object begins here, or with the function.
    pub fn declare_local(&mut self, id: typed::VarId, whole_function: bool) -> Home {
        let variable = self.context.variable(id);
        let name = self.context.names.get(variable.name).to_owned();
        let function = self.frame.function;
        let home = match self.context.shape(variable.ty) {
            Shape::Scalar(ty) if self.context.is_plain(id) => {
                Home::Variable(self.context.new_variable(Variable {
                    name,
                    ty,
                    c_type: Some(variable.ty),
                    function: Some(function),
                    kind: VariableKind::Local,
                    span: variable.span,
                }))
            }
            _ if self.context.types.size_of(variable.ty).is_none() => {
                self.declare_variable_length(variable, name)
            }
            _ => {
                let kind = ObjectKind::Local(function);
                let object = self.context.object_for(id, name, kind);
                if whole_function {
                    self.begin_in_function(object, Contents::Arbitrary, variable.span);
                } else {
                    self.begin_in_scope(object, variable.span);
                }
                Home::Object(object)
            }
        };
        self.context.set_home(id, home);
        home
    }

    fn declare_variable_length(&mut self, variable: &typed::Variable, name: String) -> Home {
        let (function, pointer_ty) = (self.frame.function, self.context.pointer);
        let pointer = self.context.new_variable(Variable {
            name: format!("{name}_address"),
            ty: pointer_ty,
            c_type: None,
            function: Some(function),
            kind: VariableKind::Temporary,
            span: variable.span,
        });
        let object = self.stack_allocation(name, Some(variable.ty), variable.span);
        self.allocated_in_scope(object);
        Home::Allocated { pointer, object }
    }

    pub fn stack_allocation(
        &mut self,
        name: String,
        c_type: Option<TypeId>,
        span: Span,
    ) -> ObjectId {
        self.context.new_object(Object {
            name,
            kind: ObjectKind::StackAllocation(self.frame.function),
            size: None,
            align: 16,
            c_type,
            read_only: false,
            unique: false,
            span,
        })
    }

    /// An object without a name of its own that lives as long as the function's activation.
    pub fn hidden_object(
        &mut self,
        name: &str,
        size: u64,
        align: u64,
        c_type: Option<TypeId>,
        span: Span,
    ) -> ObjectId {
        self.hidden(name, (size, align), c_type, Contents::Arbitrary, span)
    }

    /// The same, for a record that something outside the program hands over.
    pub fn object_from_outside(
        &mut self,
        size: u64,
        align: u64,
        ty: TypeId,
        span: Span,
    ) -> ObjectId {
        let contents = Contents::Outside;
        self.hidden("arbitrary", (size, align), Some(ty), contents, span)
    }

    fn hidden(
        &mut self,
        name: &str,
        (size, align): (u64, u64),
        c_type: Option<TypeId>,
        contents: Contents,
        span: Span,
    ) -> ObjectId {
        let object = self.context.new_object(Object {
            name: name.to_owned(),
            kind: ObjectKind::Local(self.frame.function),
            size: Some(size),
            align,
            c_type,
            read_only: false,
            unique: true,
            span,
        });
        self.begin_in_function(object, contents, span);
        object
    }

    // Jumps.

    fn label(&mut self, id: LabelId) -> Node {
        let index = id.0 as usize;
        if self.frame.labels.len() <= index {
            self.frame.labels.resize(index + 1, None);
        }
        if let Some(label) = self.frame.labels[index] {
            return label.node;
        }
        let node = self.new_node();
        self.frame.labels[index] = Some(Label {
            node,
            scope: None,
            arrays: 0,
        });
        node
    }

    /// Control may arrive here by jumps.
    pub fn place_label(&mut self, id: LabelId, span: Span) {
        let node = self.label(id);
        let scope = self.frame.scope;
        self.frame.labels[id.0 as usize] = Some(Label {
            node,
            scope: Some(scope),
            arrays: self.frame.arrays.len(),
        });
        self.go(node, span);
        self.frame.graph.nodes[node as usize].span = span;
        self.frame.current = Some(node);
    }

    pub fn jump_to_label(&mut self, label: LabelId, span: Span) {
        if let Some(source) = self.frame.current.take() {
            let scope = self.frame.scope;
            self.frame.jumps.push(Jump {
                source,
                scope,
                arrays: self.frame.arrays.len(),
                label,
                span,
            });
        }
    }

    pub fn jump_out(&mut self, target: JumpTarget, span: Span) {
        self.end_scopes(self.frame.scope, target.scope, span);
        self.go(target.node, span);
    }

    pub fn jump_target(&self, node: Node) -> JumpTarget {
        JumpTarget {
            node,
            scope: self.frame.scope,
        }
    }

    /// Leaves the function; the result is assigned already.
    pub fn jump_to_return(&mut self, span: Span) {
        let node = self.frame.returns;
        self.jump_out(
            JumpTarget {
                node,
                scope: FUNCTION_SCOPE,
            },
            span,
        );
    }

    /// From the outermost scope to the given one.
    fn scope_path(&self, mut scope: usize) -> Vec<usize> {
        let mut path = vec![scope];
        while scope != FUNCTION_SCOPE {
            scope = self.frame.scopes[scope].parent;
            path.push(scope);
        }
        path.reverse();
        path
    }

    /// Connects the jumps: leaves the scopes around the source, enters those around the target.
    fn connect_jumps(&mut self) {
        for jump in std::mem::take(&mut self.frame.jumps) {
            let label = self
                .frame
                .labels
                .get(jump.label.0 as usize)
                .copied()
                .flatten();
            self.frame.current = Some(jump.source);
            let Some(Label {
                node,
                scope: Some(target_scope),
                arrays,
            }) = label
            else {
                // The checker reports labels that are nowhere; what is left is code it thought
                // dead.
                self.halt(
                    Halt::Undefined("a jump to an undefined label".to_owned()),
                    jump.span,
                );
                continue;
            };
            let (from, to) = (self.scope_path(jump.scope), self.scope_path(target_scope));
            let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            self.end_scopes(jump.scope, from[common - 1], jump.span);
            // An array of variable length lives from its declaration on: a jump to before it ends it
            // (C11 6.2.4 paragraph 7).
            let passed = self.frame.arrays.get(arrays..jump.arrays).unwrap_or(&[]);
            let passed = passed.iter().rev();
            let open = passed.filter(|(scope, _)| from[..common].contains(scope));
            let ended: Vec<ObjectId> = open.map(|&(_, object)| object).collect();
            for object in ended {
                self.emit(Op::End(object), jump.span);
            }
            for &scope in &to[common..] {
                for object in self.frame.scopes[scope].begun.clone() {
                    self.emit(
                        Op::Begin {
                            object,
                            contents: Contents::Arbitrary,
                        },
                        jump.span,
                    );
                }
            }
            self.go(node, jump.span);
        }
    }

    /// Closes the automaton.
    pub fn finish(mut self, span: Span) {
        self.connect_jumps();
        self.frame.current = Some(ENTRY);
        self.frame.graph.nodes[ENTRY as usize].span = span;
        let begins = std::mem::take(&mut self.frame.begins);
        for (op, span) in begins
            .into_iter()
            .chain(std::mem::take(&mut self.frame.prologue))
        {
            self.emit(op, span);
        }
        let start = self.frame.start;
        self.go(start, span);
        self.enter(self.frame.returns);
        self.end_objects(FUNCTION_SCOPE, span);
        self.go(EXIT, span);
        self.context.units[self.frame.function.0 as usize].graph = Some(self.frame.graph);
    }
}
