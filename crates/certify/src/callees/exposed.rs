//! Which functions numbers may be the addresses of.

use super::{Flow, Value};
use cfa::expr::{BinOp, ExprId, Node, UnOp};
use cfa::memory::ObjectKind;
use cfa::op::{InputKind, Op};
use cfa::outside;
use cfa::program::{EdgeId, FuncId, LocId};

impl Flow<'_> {
    /// Marks every function whose address may become a number. The flow of values is complete.
    pub(super) fn expose(&mut self) {
        let writers = self.writers_outside();
        if writers.iter().any(|&writes| writes) {
            // What is written there may be the address of any function that is known outside.
            self.exposed.fill(true);
            return;
        }
        for number in self.computed() {
            self.expose_operands(number);
        }
        for number in 0..self.program.edges.len() as u32 {
            self.expose_by_operation(EdgeId(number));
        }
    }

    fn mark(&mut self, value: Value) {
        for at in self.sets.get(value.functions) {
            self.exposed[at.source as usize] = true;
        }
    }

    /// The expressions that are evaluated, except for the conditions of calls through pointers.
    fn computed(&self) -> Vec<ExprId> {
        let program = self.program;
        let mut open = Vec::new();
        for location in (0..program.locations.len() as u32).map(LocId) {
            let outgoing = &program.location(location).outgoing;
            match self.called_pointer(outgoing) {
                Some(pointer) => open.push(pointer),
                None => {
                    let ops = outgoing.iter().map(|&edge| program.edge_op(edge));
                    open.extend(ops.flat_map(Op::expressions));
                }
            }
        }
        let mut seen = vec![false; program.pool.len()];
        let mut computed = Vec::new();
        while let Some(expr) = open.pop() {
            if !std::mem::replace(&mut seen[expr.0 as usize], true) {
                computed.push(expr);
                open.extend(program.pool.node(expr).children());
            }
        }
        computed
    }

    /// The pointer, if the edges are the choice of a call through one. No other operation asks
    /// whether a pointer leads outside.
    fn called_pointer(&self, outgoing: &[EdgeId]) -> Option<ExprId> {
        let pool = &self.program.pool;
        let mut pointer = None;
        let mut asks_outside = false;
        let mut open = Vec::new();
        for &edge in outgoing {
            match self.program.edge_op(edge) {
                Op::Assume(condition) if self.program.edge(edge).branch.is_none() => {
                    open.push(*condition);
                }
                _ => return None,
            }
        }
        while let Some(condition) = open.pop() {
            let node = pool.node(condition);
            if let Some(asked) = outside::question(pool, node, self.program.model) {
                asks_outside = true;
                if *pointer.get_or_insert(asked) != asked {
                    return None;
                }
                continue;
            }
            match node {
                Node::Binary(BinOp::BoolAnd | BinOp::BoolOr, a, b) => open.extend([a, b]),
                Node::Unary(UnOp::Not, a) => open.push(a),
                Node::Binary(BinOp::Eq | BinOp::Ne, a, b) => {
                    let asked = match (self.is_function(a), self.is_function(b)) {
                        (true, false) => b,
                        (false, true) => a,
                        _ => return None,
                    };
                    if *pointer.get_or_insert(asked) != asked {
                        return None;
                    }
                }
                Node::Const(_) => {}
                _ => return None,
            }
        }
        pointer.filter(|_| asks_outside)
    }

    fn is_function(&self, expr: ExprId) -> bool {
        match self.program.pool.node(expr) {
            Node::Address(object) => {
                matches!(self.program.object(object).kind, ObjectKind::Function(_))
            }
            _ => false,
        }
    }

    /// Operations that do more than copying expose what they compute with.
    fn expose_operands(&mut self, expr: ExprId) {
        let program = self.program;
        let node = program.pool.node(expr);
        match node {
            Node::Binary(BinOp::Eq | BinOp::Ne, a, b) => {
                let (x, y) = (self.get(a), self.get(b));
                if y.number {
                    self.mark(x);
                }
                if x.number {
                    self.mark(y);
                }
            }
            Node::Unary(UnOp::Convert(to), a) if self.keeps_bits(a, to) => {}
            // The choice is made by its condition, which is computed by itself.
            Node::Ite(..) | Node::Const(_) | Node::Var(_) | Node::Address(_) => {}
            Node::Unary(..) | Node::Binary(..) | Node::Fma(..) | Node::Load { .. } => {
                for child in node.children() {
                    self.mark(self.get(child));
                }
                if let Node::Load { region, .. } = node
                    && !self.is_pointer_wide(expr)
                {
                    self.mark(self.stored(region));
                }
            }
        }
    }

    fn expose_by_operation(&mut self, edge: EdgeId) {
        let program = self.program;
        let op = program.edge_op(edge);
        match op {
            Op::Fill { byte, .. } => self.mark(self.get(*byte)),
            Op::Print(print) => {
                for &arg in &print.args {
                    self.mark(self.get(arg));
                }
            }
            _ => {}
        }
        for address in op.addresses() {
            self.mark(self.get(address));
        }
    }

    /// For each function: it stands for one outside the program that writes to memory
    /// (`--external-writes`).
    fn writers_outside(&self) -> Vec<bool> {
        let program = self.program;
        let mut is_outside = vec![false; program.functions.len()];
        let mut writes = vec![false; program.functions.len()];
        for edge in &program.edges {
            let FuncId(function) = program.location(edge.source).function;
            match program.op(edge.op) {
                Op::Havoc(_, input) => {
                    let kind = &program.inputs[input.0 as usize].kind;
                    is_outside[function as usize] |= matches!(kind, InputKind::External(_));
                }
                Op::Store { .. } | Op::Fill { .. } | Op::Copy { .. } => {
                    writes[function as usize] = true;
                }
                Op::Assign(var, _) if program.var(*var).function.is_none() => {
                    writes[function as usize] = true;
                }
                _ => {}
            }
        }
        let both = is_outside.into_iter().zip(writes);
        both.map(|(is_outside, writes)| is_outside && writes)
            .collect()
    }
}
