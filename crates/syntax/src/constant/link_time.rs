//! Values that are known once the program is linked: numbers, and addresses relative to objects and
//! functions.

use super::{
    Constant, DEPTH, Format, binary, compare, convert, format, int_value, leaf, truth, unary,
};
use crate::typed::{
    BinaryOp, CompareOp, ElementSize, Expr, ExprKind, FuncId, LabelId, Place, PlaceKind, StringId,
    UnaryOp, VarId,
};
use crate::types::{TypeId, TypeTable};
use arith::int;

/// What an address constant is relative to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressBase {
    Var(VarId),
    String(StringId),
    Function(FuncId),
}

/// A value that is known once the program is linked (C11 6.6 paragraphs 7 to 9).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkTime {
    Number(Constant),
    /// An object with static storage or a function, and bytes from its start.
    Address(AddressBase, i128),
}

/// What the linker knows about names.
pub trait Symbols {
    fn has_static_storage(&self, var: VarId) -> bool;
    /// The value of a label's address; see [`ExprKind::LabelAddress`].
    fn label_number(&self, label: LabelId) -> Option<u128>;
}

/// Evaluates what may initialise an object with static storage.
pub fn link_time(types: &TypeTable, expr: &Expr, symbols: &dyn Symbols) -> Option<LinkTime> {
    Linker { types, symbols }.value(expr, DEPTH)
}

struct Linker<'a> {
    types: &'a TypeTable,
    symbols: &'a dyn Symbols,
}

impl Linker<'_> {
    fn value(&self, expr: &Expr, depth: u32) -> Option<LinkTime> {
        use LinkTime::{Address, Number};
        let depth = depth.checked_sub(1)?;
        let types = self.types;
        let truth_of = |value: bool| Some(Number(Constant::Int(u128::from(value))));
        match &expr.kind {
            ExprKind::FunctionAddress(id) => Some(Address(AddressBase::Function(*id), 0)),
            ExprKind::LabelAddress(id) => {
                Some(Number(Constant::Int(self.symbols.label_number(*id)?)))
            }
            ExprKind::AddressOf(place) => self.place(place, depth),
            ExprKind::Convert(inner) => match self.value(inner, depth)? {
                Number(value) => Some(Number(convert(types, inner.ty, expr.ty, value)?)),
                address => match format(types, expr.ty)? {
                    Format::Bool => truth_of(true),
                    Format::Int { bits, .. } if bits >= u32::from(types.model.pointer_bits()) => {
                        Some(address)
                    }
                    _ => None,
                },
            },
            ExprKind::PointerOffset {
                pointer,
                index,
                element,
                subtract,
            } => {
                let Number(Constant::Int(bits)) = self.value(index, depth)? else {
                    return None;
                };
                let ElementSize::Bytes(size) = element else {
                    return None;
                };
                let bytes = int_value(types, index.ty, bits).checked_mul(i128::from(*size))?;
                let bytes = if *subtract {
                    bytes.checked_neg()?
                } else {
                    bytes
                };
                self.moved(self.value(pointer, depth)?, bytes)
            }
            ExprKind::PointerDifference {
                left,
                right,
                element,
            } => {
                let ElementSize::Bytes(size) = element else {
                    return None;
                };
                let bytes = self.distance(left, right, depth)?;
                let elements = bytes.checked_div(i128::from(*size))?;
                let (width, _) = types.int_bits(expr.ty)?;
                Some(Number(Constant::Int(int::from_signed(elements, width))))
            }
            ExprKind::Binary(op, left, right) => {
                match (op, self.value(left, depth)?, self.value(right, depth)?) {
                    (op, Number(a), Number(b)) => Some(Number(binary(types, *op, expr.ty, a, b)?)),
                    (BinaryOp::Add, Address(base, offset), Number(Constant::Int(bits)))
                    | (BinaryOp::Add, Number(Constant::Int(bits)), Address(base, offset)) => {
                        let bytes = signed_value(types, expr.ty, bits)?;
                        Some(Address(base, offset.checked_add(bytes)?))
                    }
                    (BinaryOp::Sub, Address(base, offset), Number(Constant::Int(bits))) => {
                        let bytes = signed_value(types, expr.ty, bits)?;
                        Some(Address(base, offset.checked_sub(bytes)?))
                    }
                    (BinaryOp::Sub, Address(a, x), Address(b, y)) if a == b => {
                        let (width, _) = types.int_bits(expr.ty)?;
                        Some(Number(Constant::Int(int::from_signed(
                            x.checked_sub(y)?,
                            width,
                        ))))
                    }
                    _ => None,
                }
            }
            ExprKind::Compare(op, left, right) => {
                match (self.value(left, depth)?, self.value(right, depth)?) {
                    (Number(a), Number(b)) => truth_of(compare(types, *op, left.ty, a, b)?),
                    (Address(a, x), Address(b, y)) if a == b => truth_of(match op {
                        CompareOp::Eq => x == y,
                        CompareOp::Ne => x != y,
                        CompareOp::Lt => x < y,
                        CompareOp::Le => x <= y,
                        CompareOp::Gt => x > y,
                        CompareOp::Ge => x >= y,
                    }),
                    (Address(..), Number(Constant::Int(0)))
                    | (Number(Constant::Int(0)), Address(..)) => match op {
                        CompareOp::Eq => truth_of(false),
                        CompareOp::Ne => truth_of(true),
                        _ => None,
                    },
                    _ => None,
                }
            }
            ExprKind::Unary(op, inner) => match (op, self.value(inner, depth)?) {
                (_, Number(value)) => Some(Number(unary(types, *op, inner.ty, value)?)),
                (UnaryOp::Not, Address(..)) => truth_of(false),
                _ => None,
            },
            ExprKind::And(left, right) => {
                truth_of(self.truth(left, depth)? && self.truth(right, depth)?)
            }
            ExprKind::Or(left, right) => {
                truth_of(self.truth(left, depth)? || self.truth(right, depth)?)
            }
            ExprKind::Conditional(condition, then, otherwise) => self.value(
                if self.truth(condition, depth)? {
                    then
                } else {
                    otherwise
                },
                depth,
            ),
            ExprKind::Elvis { value, otherwise } => {
                if self.truth(value, depth)? {
                    self.value(value, depth)
                } else {
                    self.value(otherwise, depth)
                }
            }
            _ => Some(Number(leaf(expr)?)),
        }
    }

    fn truth(&self, expr: &Expr, depth: u32) -> Option<bool> {
        match self.value(expr, depth)? {
            LinkTime::Number(value) => truth(self.types, expr.ty, value),
            LinkTime::Address(..) => Some(true),
        }
    }

    fn moved(&self, value: LinkTime, bytes: i128) -> Option<LinkTime> {
        match value {
            LinkTime::Address(base, offset) => {
                Some(LinkTime::Address(base, offset.checked_add(bytes)?))
            }
            LinkTime::Number(Constant::Int(bits)) => {
                let width = u32::from(self.types.model.pointer_bits());
                let bits = int::add(bits, int::from_signed(bytes, width), width);
                Some(LinkTime::Number(Constant::Int(bits)))
            }
            LinkTime::Number(Constant::Float(_)) => None,
        }
    }

    fn distance(&self, left: &Expr, right: &Expr, depth: u32) -> Option<i128> {
        match (self.value(left, depth)?, self.value(right, depth)?) {
            (LinkTime::Address(a, x), LinkTime::Address(b, y)) if a == b => x.checked_sub(y),
            (LinkTime::Number(Constant::Int(a)), LinkTime::Number(Constant::Int(b))) => {
                let width = u32::from(self.types.model.pointer_bits());
                Some(int::to_signed(int::sub(a, b, width), width))
            }
            _ => None,
        }
    }

    /// The address of a place.
    fn place(&self, place: &Place, depth: u32) -> Option<LinkTime> {
        let mut place = place;
        let mut bytes = 0i128;
        loop {
            let base = match &place.kind {
                PlaceKind::Var(var) if self.symbols.has_static_storage(*var) => {
                    AddressBase::Var(*var)
                }
                PlaceKind::String(string) => AddressBase::String(*string),
                PlaceKind::Deref(pointer) => return self.moved(self.value(pointer, depth)?, bytes),
                PlaceKind::Field { base, field } => {
                    bytes += i128::from(field_offset(self.types, base.ty, *field)?);
                    place = base;
                    continue;
                }
                _ => return None,
            };
            return Some(LinkTime::Address(base, bytes));
        }
    }
}

/// Whether an expression is made of addresses, offsets and conversions only.
pub fn is_plain_address(expr: &Expr) -> bool {
    let mut work = vec![expr];
    while let Some(expr) = work.pop() {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::FunctionAddress(_) | ExprKind::LabelAddress(_) => {}
            ExprKind::AddressOf(place) => {
                let mut place = &**place;
                while let PlaceKind::Field { base, .. } = &place.kind {
                    place = base;
                }
                if let PlaceKind::Deref(pointer) = &place.kind {
                    work.push(pointer);
                }
            }
            ExprKind::Convert(inner) => work.push(inner),
            ExprKind::PointerOffset { pointer, index, .. } => work.extend([&**pointer, &**index]),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                work.extend([&**left, &**right]);
            }
            _ => return false,
        }
    }
    true
}

/// Bytes from the start of a record to one of its members.
pub fn field_offset(types: &TypeTable, record: TypeId, field: u32) -> Option<u64> {
    let layout = types.record(types.record_id(record)?).layout.as_ref()?;
    Some(layout.fields.get(field as usize)?.offset)
}

/// A pattern read as a signed number, whatever its type: an offset may be negative.
fn signed_value(types: &TypeTable, ty: TypeId, bits: u128) -> Option<i128> {
    let (width, _) = types.int_bits(ty)?;
    Some(int::to_signed(bits, width))
}
