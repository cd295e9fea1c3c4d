//! Values of expressions where they are known, by the concrete meaning of every operator.

use super::memory;
use super::store::{Known, Value};
use cfa::concrete;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::memory::{ObjectId, ObjectKind, RegionId};
use cfa::program::Program;
use cfa::value::Ty;
use rustc_hash::FxHashMap;

/// What expressions read.
pub trait Reader {
    fn variable(&self, var: VarId) -> Value;
    fn load(&self, region: RegionId, object: ObjectId, offset: i64, ty: Ty) -> Value;
}

/// No execution gets past the evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ends;

/// A part of an expression; its children are positions of earlier parts.
struct Part {
    node: Node,
    ty: Ty,
    operand: Ty,
    count: Ty,
}

/// Evaluates expressions; keeps them laid out in a line.
pub struct Evaluator<'p> {
    operators: Operators<'p>,
    laid_out: Vec<Option<Box<[Part]>>>,
    values: Vec<Value>,
}

/// What operators make of known values.
#[derive(Clone, Copy)]
struct Operators<'p> {
    program: &'p Program,
}

impl<'p> Evaluator<'p> {
    pub fn new(program: &'p Program) -> Evaluator<'p> {
        Evaluator {
            operators: Operators { program },
            laid_out: std::iter::repeat_with(|| None)
                .take(program.pool.len())
                .collect(),
            values: Vec::new(),
        }
    }

    pub fn evaluate(&mut self, root: ExprId, read: &impl Reader) -> Result<Value, Ends> {
        let pool = &self.operators.program.pool;
        match pool.node(root) {
            Node::Const(bits) => return Ok(Some(Known::Bits(bits))),
            Node::Var(var) => return Ok(read.variable(var)),
            _ => {}
        }
        let parts = self.laid_out[root.0 as usize].get_or_insert_with(|| lay_out(pool, root));
        let values = &mut self.values;
        values.clear();
        for part in parts.iter() {
            let value = self.operators.part(part, values, read)?;
            values.push(value);
        }
        Ok(values.last().copied().flatten())
    }
}

impl Operators<'_> {
    #[inline]
    fn part(&self, part: &Part, values: &[Value], read: &impl Reader) -> Result<Value, Ends> {
        let at = |id: ExprId| values[id.0 as usize];
        Ok(match part.node {
            Node::Const(bits) => Some(Known::Bits(bits)),
            Node::Var(var) => read.variable(var),
            Node::Address(object) => {
                memory::has_known_address(self.program, object).then_some(Known::Address(object, 0))
            }
            Node::Unary(op, a) => self.unary(op, part.operand, at(a))?,
            Node::Binary(op, a, b) => self.binary(op, part, at(a), at(b))?,
            Node::Ite(c, a, b) => match at(c) {
                Some(Known::Bits(bits)) => at(if bits != 0 { a } else { b }),
                _ if at(a) == at(b) => at(a),
                _ => None,
            },
            Node::Fma(a, b, c) => match (at(a), at(b), at(c)) {
                (Some(Known::Bits(a)), Some(Known::Bits(b)), Some(Known::Bits(c))) => {
                    concrete::fma(part.ty, a, b, c).ok().map(Known::Bits)
                }
                _ => None,
            },
            Node::Load { region, address } => match at(address) {
                Some(Known::Address(object, offset)) => read.load(region, object, offset, part.ty),
                _ => None,
            },
        })
    }

    fn unary(&self, op: UnOp, ty: Ty, a: Value) -> Result<Value, Ends> {
        Ok(match (op, a) {
            (_, Some(Known::Bits(bits))) => concrete::unary(op, ty, bits).ok().map(Known::Bits),
            // An integer of the same width holds the same address.
            (UnOp::Convert(to) | UnOp::Reinterpret(to), address)
                if to.is_int() && to.width() == ty.width() =>
            {
                address
            }
            _ => None,
        })
    }

    fn binary(&self, op: BinOp, part: &Part, a: Value, b: Value) -> Result<Value, Ends> {
        use Known::{Address, Bits};
        let zero = Some(Bits(0));
        Ok(match (op, a, b) {
            (BinOp::Div | BinOp::Rem, _, Some(Bits(0))) if part.operand.is_int() => {
                return Err(Ends);
            }
            (_, Some(Bits(x)), Some(Bits(y))) => {
                match concrete::binary(op, part.operand, part.count, x, y) {
                    Ok(bits) => Some(Bits(bits)),
                    Err(
                        concrete::Undefined::DivisionByZero
                        | concrete::Undefined::DivisionOverflows,
                    ) => return Err(Ends),
                    Err(concrete::Undefined::IllTyped) => None,
                }
            }
            (BinOp::BoolAnd, value, _) | (BinOp::BoolAnd, _, value) if value == zero => zero,
            (BinOp::BoolOr, value, _) | (BinOp::BoolOr, _, value) if value == Some(Bits(1)) => {
                value
            }
            (BinOp::Mul | BinOp::And, value, _) | (BinOp::Mul | BinOp::And, _, value)
                if value == zero && part.operand.is_int() =>
            {
                zero
            }
            (BinOp::Add, Some(Address(object, at)), Some(Bits(by)))
            | (BinOp::Add, Some(Bits(by)), Some(Address(object, at))) => {
                self.moved(object, at, self.signed(by, part.operand))
            }
            (BinOp::Sub, Some(Address(object, at)), Some(Bits(by))) => {
                let by = self.signed(by, part.operand).and_then(i64::checked_neg);
                self.moved(object, at, by)
            }
            (BinOp::Sub, Some(Address(x, at)), Some(Address(y, from))) if x == y => {
                let difference = i128::from(at) - i128::from(from);
                let width = u32::from(part.operand.width());
                Some(Bits(arith::int::truncate(difference as u128, width)))
            }
            (BinOp::Eq | BinOp::Ne, Some(x), Some(y)) => {
                let equal = self.same_address(x, y);
                equal.map(|equal| Bits(u128::from(equal == (op == BinOp::Eq))))
            }
            (BinOp::Lt | BinOp::Le, Some(Address(x, i)), Some(Address(y, j)))
                if x == y && self.is_inside(x, i) && self.is_inside(y, j) =>
            {
                let holds = if op == BinOp::Lt { i < j } else { i <= j };
                Some(Bits(u128::from(holds)))
            }
            _ => None,
        })
    }

    fn signed(&self, bits: u128, ty: Ty) -> Option<i64> {
        i64::try_from(arith::int::to_signed(bits, u32::from(ty.width()))).ok()
    }

    fn moved(&self, object: ObjectId, at: i64, by: Option<i64>) -> Value {
        let at = at.checked_add(by?)?;
        // Far from its object an address may be anything.
        self.is_inside(object, at)
            .then_some(Known::Address(object, at))
    }

    /// Within the object or just behind it.
    fn is_inside(&self, object: ObjectId, at: i64) -> bool {
        let size = self.program.object(object).size.unwrap_or(0);
        at >= 0 && at as u64 <= size
    }

    fn same_address(&self, x: Known, y: Known) -> Option<bool> {
        use Known::{Address, Bits};
        match (x, y) {
            // An object that begins anew may lie where it did, or elsewhere.
            (Address(a, _), Address(b, _))
                if !memory::is_permanent(self.program, a)
                    || !memory::is_permanent(self.program, b) =>
            {
                None
            }
            (Address(a, i), Address(b, j)) if a == b => Some(i == j),
            (Address(a, i), Address(b, j)) => {
                // Just behind one object another may begin; objects themselves do not overlap.
                let within = |object: ObjectId, at: i64| {
                    let object = self.program.object(object);
                    match object.kind {
                        ObjectKind::Function(_) => at == 0,
                        // Equal literals may share their bytes.
                        ObjectKind::StringLiteral => false,
                        _ => at >= 0 && (at as u64) < object.size.unwrap_or(0),
                    }
                };
                (within(a, i) && within(b, j)).then_some(false)
            }
            (Address(..), Bits(0)) | (Bits(0), Address(..)) => Some(false),
            _ => None,
        }
    }
}

fn lay_out(pool: &ExprPool, root: ExprId) -> Box<[Part]> {
    let mut found = rustc_hash::FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if found.insert(id) {
            stack.extend(pool.node(id).children());
        }
    }
    let mut order: Vec<ExprId> = found.into_iter().collect();
    // A child's number is smaller than its parent's.
    order.sort_unstable();
    let position: FxHashMap<ExprId, ExprId> = order
        .iter()
        .enumerate()
        .map(|(position, &id)| (id, ExprId(position as u32)))
        .collect();
    let parts = order.iter().map(|&id| {
        let node = pool.node(id);
        let first = node.children().next();
        let second = node.children().nth(1);
        let ty = pool.ty(id);
        let moved = match node {
            Node::Const(_) | Node::Var(_) | Node::Address(_) => node,
            Node::Unary(op, a) => Node::Unary(op, position[&a]),
            Node::Binary(op, a, b) => Node::Binary(op, position[&a], position[&b]),
            Node::Ite(a, b, c) => Node::Ite(position[&a], position[&b], position[&c]),
            Node::Fma(a, b, c) => Node::Fma(position[&a], position[&b], position[&c]),
            Node::Load { region, address } => Node::Load {
                region,
                address: position[&address],
            },
        };
        Part {
            node: moved,
            ty,
            operand: first.map_or(ty, |id| pool.ty(id)),
            count: second.map_or(ty, |id| pool.ty(id)),
        }
    });
    parts.collect()
}
