//! Program expressions as expressions of the numeric domains: unbounded integers, with wrap-around
//! where C has it.
//!
//! A value of an integer type stands for the number that it is under the type's signedness, a truth
//! value for 0 or 1. What domains cannot follow (memory, floats, addresses) is any number of its
//! type. A choice (`c ? a : b`) is not an operator of the domains: an expression with few of them
//! is translated once for each way to choose.

use super::placed::Placement;
use cfa::expr::{BinOp, ExprId, ExprPool, Node as ExprNode, UnOp, VarId};
use cfa::value::Ty;
use domains::expression::{BinaryOperator, Expression, Node, UnaryOperator};
use domains::interval::Interval;
use domains::linear::VarId as Dimension;
use domains::machine::MachineInt;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// An expression with more parts than this is any number of its type.
const MAX_NODES: usize = 2000;
/// With more choices, the later ones are any number of their type.
const MAX_CHOICES: usize = 3;

/// The dimension of a domain that holds a variable's value.
pub fn dimension(var: VarId) -> Dimension {
    Dimension(var.0)
}

/// The machine integers of a type; none for floats.
pub fn machine(ty: Ty) -> Option<MachineInt> {
    match ty {
        Ty::Bool => MachineInt::new(1, false),
        Ty::Int { width, signed } => MachineInt::new(u32::from(width), signed),
        Ty::Float(_) => None,
    }
}

/// All numbers that a value of the type can be.
pub fn range(ty: Ty) -> Interval {
    machine(ty).map_or(Interval::TOP, MachineInt::range)
}

/// The least and the greatest number of a type of integers, if the domains have both.
pub fn limits(ty: Ty) -> Option<(i128, i128)> {
    let range = machine(ty)?.range();
    range.lower().zip(range.upper())
}

/// A translated expression.
#[derive(Debug)]
pub struct Translated {
    pub expression: Expression,
    /// The variables that it reads, sorted.
    pub variables: Vec<VarId>,
    /// Positions of numbers that were converted from floats, with the float expression: a float
    /// domain may know more.
    pub converted: Vec<(u32, ExprId)>,
}

impl Translated {
    /// Of an expression that says whether an operation overflows: the exact result.
    pub fn exact_result(&self) -> Option<Expression> {
        let nodes = self.expression.nodes();
        let &Node::Binary(BinaryOperator::BitOr, below, _) = nodes.last()? else {
            return None;
        };
        let &Node::Binary(BinaryOperator::Less, exact, _) = nodes.get(below as usize)? else {
            return None;
        };
        Expression::from_nodes(nodes[..=exact as usize].to_vec())
    }
}

/// Translations by expression and choice, each made once.
#[derive(Default)]
pub struct Translator {
    /// Where objects are taken to lie; anywhere if nothing is said.
    pub placement: Option<Placement>,
    done: FxHashMap<(ExprId, u32), Rc<Translated>>,
    choices: FxHashMap<ExprId, Rc<[ExprId]>>,
    variables: FxHashMap<ExprId, Rc<[VarId]>>,
}

impl Translator {
    /// The choices in an expression of integer or truth type that are made by case distinction.
    pub fn choices(&mut self, pool: &ExprPool, root: ExprId) -> Rc<[ExprId]> {
        if let Some(known) = self.choices.get(&root) {
            return known.clone();
        }
        let mut found: Vec<ExprId> = parts(pool, root)
            .unwrap_or_default()
            .into_iter()
            .filter(|&id| choice_condition(pool, id).is_some())
            .collect();
        found.truncate(MAX_CHOICES);
        let found: Rc<[ExprId]> = found.into();
        self.choices.insert(root, found.clone());
        found
    }

    /// Every variable that the expression reads, sorted.
    pub fn all_variables(&mut self, pool: &ExprPool, root: ExprId) -> Rc<[VarId]> {
        if let Some(known) = self.variables.get(&root) {
            return known.clone();
        }
        let mut seen = rustc_hash::FxHashSet::default();
        let mut variables = Vec::new();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !pool.reads_variables(id) || !seen.insert(id) {
                continue;
            }
            match pool.node(id) {
                ExprNode::Var(var) => variables.push(var),
                node => stack.extend(node.children()),
            }
        }
        variables.sort_unstable();
        variables.dedup();
        let variables: Rc<[VarId]> = variables.into();
        self.variables.insert(root, variables.clone());
        variables
    }

    /// The expression where bit `i` of `chosen` says which branch the `i`-th of its choices takes;
    /// without bits for none (`None`) every choice is any number.
    pub fn translate(
        &mut self,
        pool: &ExprPool,
        root: ExprId,
        chosen: Option<u32>,
    ) -> Rc<Translated> {
        let key = (root, chosen.unwrap_or(u32::MAX));
        if let Some(known) = self.done.get(&key) {
            return known.clone();
        }
        let choices = self.choices(pool, root);
        let translated = Rc::new(translate(pool, root, &choices, chosen, self.placement));
        self.done.insert(key, translated.clone());
        translated
    }
}

/// The parts that matter for an integer value, children first; `None` if there are too many.
fn parts(pool: &ExprPool, root: ExprId) -> Option<Vec<ExprId>> {
    let mut found = rustc_hash::FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if !found.insert(id) {
            continue;
        }
        if found.len() > MAX_NODES {
            return None;
        }
        let node = pool.node(id);
        match node {
            // The address does not tell what lies there.
            ExprNode::Load { .. } => {}
            // The condition is assumed apart.
            ExprNode::Ite(_, a, b) => stack.extend([a, b]),
            _ => stack.extend(node.children().filter(|&child| !pool.ty(child).is_float())),
        }
    }
    let mut found: Vec<ExprId> = found.into_iter().collect();
    // A child's number is smaller than its parent's.
    found.sort_unstable();
    Some(found)
}

/// The condition that decides a part's value: that of an `Ite`, or a truth value that becomes 0 or
/// 1 (domains compare better than they compute with the results of comparisons).
pub fn choice_condition(pool: &ExprPool, id: ExprId) -> Option<ExprId> {
    match pool.node(id) {
        ExprNode::Ite(condition, ..) if !pool.ty(id).is_float() => Some(condition),
        ExprNode::Unary(UnOp::Convert(Ty::Int { .. }), inner) if pool.ty(inner) == Ty::Bool => {
            Some(inner)
        }
        _ => None,
    }
}

struct Nodes {
    list: Vec<Node>,
    converted: Vec<(u32, ExprId)>,
}

impl Nodes {
    fn push(&mut self, node: Node) -> u32 {
        self.list.push(node);
        self.list.len() as u32 - 1
    }

    fn any(&mut self, values: Interval) -> u32 {
        self.push(Node::Constant(values))
    }

    fn constant(&mut self, value: i128) -> u32 {
        self.any(Interval::constant(value))
    }

    fn binary(&mut self, operator: BinaryOperator, a: u32, b: u32) -> u32 {
        self.push(Node::Binary(operator, a, b))
    }

    fn wrap(&mut self, ty: Ty, a: u32) -> u32 {
        match machine(ty) {
            Some(to) => self.push(Node::Wrap(to, a)),
            None => a,
        }
    }
}

fn translate(
    pool: &ExprPool,
    root: ExprId,
    choices: &[ExprId],
    chosen: Option<u32>,
    placement: Option<Placement>,
) -> Translated {
    let Some(parts) = parts(pool, root) else {
        return Translated {
            expression: Expression::any_of(range(pool.ty(root))),
            variables: Vec::new(),
            converted: Vec::new(),
        };
    };
    let mut nodes = Nodes {
        list: Vec::with_capacity(parts.len()),
        converted: Vec::new(),
    };
    let mut at: FxHashMap<ExprId, u32> = FxHashMap::default();
    let mut variables = Vec::new();
    for id in parts {
        let ty = pool.ty(id);
        let number_of_choice = choices.iter().position(|&choice| choice == id);
        let branch = number_of_choice
            .zip(chosen)
            .map(|(n, chosen)| chosen >> n & 1 == 1);
        let position = match pool.node(id) {
            _ if ty.is_float() => continue,
            ExprNode::Unary(UnOp::Convert(_), _) if branch.is_some() => {
                nodes.constant(i128::from(branch == Some(true)))
            }
            ExprNode::Const(bits) => match ty.number(bits) {
                Some(value) => nodes.constant(value),
                None => nodes.any(range(ty)),
            },
            ExprNode::Var(var) => {
                variables.push(var);
                nodes.push(Node::Variable(dimension(var)))
            }
            ExprNode::Address(object) => {
                match placement.and_then(|placement| placement.address(object)) {
                    Some(address) => nodes.constant(address),
                    None => nodes.any(range(ty).where_at_least(Interval::ONE)),
                }
            }
            ExprNode::Unary(op, a) => unary(&mut nodes, op, ty, pool.ty(a), at.get(&a), a),
            ExprNode::Binary(op, a, b) => match (at.get(&a), at.get(&b)) {
                (Some(&x), Some(&y)) => binary(&mut nodes, op, pool.ty(a), x, y),
                _ => nodes.any(range(ty)),
            },
            ExprNode::Ite(_, a, b) => {
                let chosen = branch.map(|taken| if taken { a } else { b });
                match chosen.and_then(|branch| at.get(&branch)) {
                    Some(&position) => position,
                    None => nodes.any(range(ty)),
                }
            }
            ExprNode::Fma(..) | ExprNode::Load { .. } => nodes.any(range(ty)),
        };
        at.insert(id, position);
    }
    // The root comes last, but it may stand for an earlier node (a chosen branch).
    if let Some(&position) = at.get(&root) {
        nodes.list.truncate(position as usize + 1);
    }
    let length = nodes.list.len() as u32;
    nodes.converted.retain(|(position, _)| *position < length);
    variables.sort_unstable();
    variables.dedup();
    Translated {
        expression: Expression::from_nodes(nodes.list)
            .unwrap_or_else(|| Expression::any_of(range(pool.ty(root)))),
        variables,
        converted: nodes.converted,
    }
}

fn unary(
    nodes: &mut Nodes,
    op: UnOp,
    result: Ty,
    operand: Ty,
    a: Option<&u32>,
    source: ExprId,
) -> u32 {
    let Some(&a) = a else {
        // Of a float.
        let position = nodes.any(range(result));
        if matches!(op, UnOp::Convert(_)) {
            nodes.converted.push((position, source));
        }
        return position;
    };
    match op {
        UnOp::Neg => {
            let negated = nodes.push(Node::Unary(UnaryOperator::Negate, a));
            nodes.wrap(operand, negated)
        }
        UnOp::BitNot => {
            let inverted = nodes.push(Node::Unary(UnaryOperator::BitNot, a));
            nodes.wrap(operand, inverted)
        }
        UnOp::Not => {
            let one = nodes.constant(1);
            nodes.binary(BinaryOperator::Subtract, one, a)
        }
        UnOp::Convert(to) | UnOp::Reinterpret(to) => nodes.wrap(to, a),
        UnOp::Clz | UnOp::Ctz | UnOp::Popcount => {
            nodes.any(Interval::finite(0, i128::from(operand.width())))
        }
        _ => nodes.any(range(result)),
    }
}

fn binary(nodes: &mut Nodes, op: BinOp, ty: Ty, a: u32, b: u32) -> u32 {
    use BinaryOperator as To;
    let wrapped = |nodes: &mut Nodes, operator| {
        let result = nodes.binary(operator, a, b);
        nodes.wrap(ty, result)
    };
    // Bounds, and not a comparison with the wrapped result: intervals know nothing of two numbers
    // that are equal.
    let overflows = |nodes: &mut Nodes, operator| {
        let Some((least, greatest)) = limits(ty) else {
            return nodes.any(range(Ty::Bool));
        };
        let exact = nodes.binary(operator, a, b);
        let least = nodes.constant(least);
        let below = nodes.binary(To::Less, exact, least);
        let greatest = nodes.constant(greatest);
        let above = nodes.binary(To::Less, greatest, exact);
        nodes.binary(To::BitOr, below, above)
    };
    // The bits of the count that x86 looks at.
    let count = |nodes: &mut Nodes| {
        let mask = match ty.width() {
            0..=32 => 31,
            33..=64 => 63,
            _ => 127,
        };
        let mask = nodes.constant(mask);
        nodes.binary(To::BitAnd, b, mask)
    };
    match op {
        BinOp::Add => wrapped(nodes, To::Add),
        BinOp::Sub => wrapped(nodes, To::Subtract),
        BinOp::Mul => wrapped(nodes, To::Multiply),
        BinOp::Div => wrapped(nodes, To::Divide),
        BinOp::Rem => nodes.binary(To::Remainder, a, b),
        BinOp::And | BinOp::BoolAnd => nodes.binary(To::BitAnd, a, b),
        BinOp::Or | BinOp::BoolOr => nodes.binary(To::BitOr, a, b),
        BinOp::Xor => nodes.binary(To::BitXor, a, b),
        BinOp::Shl => {
            let count = count(nodes);
            let shifted = nodes.binary(To::ShiftLeft, a, count);
            nodes.wrap(ty, shifted)
        }
        BinOp::Shr => {
            let count = count(nodes);
            nodes.binary(To::ShiftRight, a, count)
        }
        BinOp::Eq => nodes.binary(To::Equal, a, b),
        BinOp::Ne => nodes.binary(To::NotEqual, a, b),
        BinOp::Lt => nodes.binary(To::Less, a, b),
        BinOp::Le => nodes.binary(To::AtMost, a, b),
        BinOp::AddOverflows => overflows(nodes, To::Add),
        BinOp::SubOverflows => overflows(nodes, To::Subtract),
        BinOp::MulOverflows => overflows(nodes, To::Multiply),
        BinOp::FRem | BinOp::Remainder | BinOp::FMin | BinOp::FMax | BinOp::CopySign => {
            nodes.any(range(op.result(ty)))
        }
    }
}
