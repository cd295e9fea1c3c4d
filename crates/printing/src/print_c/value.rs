//! Operators as C writes them.

use super::Writer;
use super::operand::{
    CType, INT, Operand, cast, common, constant, float_constant, level, range, typed_constant,
};
use cfa::expr::{BinOp, ExprId, Node, UnOp};
use cfa::program::VariableKind;
use cfa::value::Ty;
use syntax::types::{DataModel, Type};

impl Writer<'_> {
    fn model(&self) -> DataModel {
        self.program.model
    }

    fn cast(&self, operand: &Operand, to: CType) -> Option<Operand> {
        cast(operand, to, self.model())
    }

    /// The unsigned integer type that holds addresses.
    fn address_type(&self) -> CType {
        CType::Int {
            width: self.model().pointer_bits(),
            signed: false,
        }
    }

    pub(super) fn node(&self, id: ExprId) -> Option<Operand> {
        let ty = self.pool.ty(id);
        match self.pool.node(id) {
            Node::Const(bits) => self.constant(bits, ty),
            Node::Var(var) => {
                if let Some(named) = self.scope.vars.get(&var) {
                    let c_type = CType::declared(&self.program.types, named.ty)?;
                    return self
                        .adapted(Operand::new(named.name.clone(), level::POSTFIX, c_type), ty);
                }
                let VariableKind::Piece { object, offset } =
                    self.program.vars.get(var.0 as usize)?.kind
                else {
                    return None;
                };
                match self.place_in(object, offset, Some(ty)) {
                    Some((place, _)) => self.adapted(place, ty),
                    None => {
                        let base = self.object_address(object)?;
                        let base = self.cast(&base, self.address_type())?;
                        let offset =
                            typed_constant(offset.into(), self.address_type(), self.model())?;
                        let address = Operand::new(
                            format!("{} + {}", base.at(level::SUM), offset.text),
                            level::SUM,
                            self.address_type(),
                        );
                        self.dereferenced(&address, ty)
                    }
                }
            }
            Node::Address(object) => self.object_address(object),
            Node::Load { address, .. } => match self.place(address, Some(ty)) {
                Some((place, _)) => self.adapted(place, ty),
                None => self.dereferenced(self.part(address)?, ty),
            },
            Node::Unary(op, a) => self.unary(op, a, ty),
            Node::Binary(op, a, b) => self.binary(id, op, a, b, ty),
            Node::Ite(c, a, b) => self.selection(c, a, b, ty),
            Node::Fma(..) => None,
        }
    }

    fn constant(&self, bits: u128, ty: Ty) -> Option<Operand> {
        match ty {
            Ty::Float(format) => Some(float_constant(format, bits)),
            Ty::Bool => constant(i128::from(bits != 0), true, self.model()),
            Ty::Int { width, signed } => {
                let value = if signed {
                    arith::int::to_signed(bits, width.into())
                } else {
                    i128::try_from(bits).ok()?
                };
                constant(value, signed, self.model())
            }
        }
    }

    fn object_address(&self, object: cfa::memory::ObjectId) -> Option<Operand> {
        let named = self.scope.objects.get(&object)?;
        let types = &self.program.types;
        Some(match *types.shape(named.ty) {
            // Arrays are their address.
            Type::Array { element, .. } => Operand::new(
                named.name.clone(),
                level::POSTFIX,
                CType::Pointer(types.unqualified(element)),
            ),
            _ => Operand::new(
                format!("&{}", named.name),
                level::PREFIX,
                CType::Pointer(types.unqualified(named.ty)),
            ),
        })
    }

    /// What lies at an address that has no name of its own.
    fn dereferenced(&self, address: &Operand, ty: Ty) -> Option<Operand> {
        let c_type = CType::of(ty).filter(|_| ty != Ty::Bool)?;
        let name = c_type.name(self.model())?;
        let text = format!("*({name} *){}", address.at(level::PREFIX));
        Some(Operand::new(text, level::PREFIX, c_type))
    }

    /// A variable or member seen in the automaton's type, whose bits it has.
    fn adapted(&self, operand: Operand, ty: Ty) -> Option<Operand> {
        match (operand.ty, ty) {
            (
                CType::Int { width, signed },
                Ty::Int {
                    width: w,
                    signed: s,
                },
            ) if width == w => {
                if signed == s {
                    Some(operand)
                } else {
                    self.cast(&operand, CType::of(ty)?)
                }
            }
            (CType::Pointer(_), Ty::Int { width, signed })
                if width == self.model().pointer_bits() =>
            {
                if signed {
                    self.cast(&operand, CType::of(ty)?)
                } else {
                    Some(operand)
                }
            }
            (CType::Float(format), Ty::Float(wanted)) if format == wanted => Some(operand),
            _ => None,
        }
    }

    /// As an integer: pointers by a cast.
    fn number(&self, id: ExprId) -> Option<Operand> {
        let operand = self.part(id)?;
        match operand.ty {
            CType::Pointer(_) => self.cast(operand, self.address_type()),
            _ => Some(operand.clone()),
        }
    }

    /// The type in which C computes for the automaton's type.
    fn computed(ty: Ty) -> Option<CType> {
        match ty {
            Ty::Bool => Some(INT),
            Ty::Int { width, signed } => Some(match width {
                ..32 => INT,
                32 => CType::Int { width: 32, signed },
                33..=64 => CType::Int { width: 64, signed },
                _ => CType::Int { width: 128, signed },
            }),
            Ty::Float(format) => Some(CType::Float(format)),
        }
    }

    /// A result that was computed in a wider type, cut to the automaton's.
    fn wrapped(&self, operand: Operand, ty: Ty) -> Option<Operand> {
        let Ty::Int { width, signed } = ty else {
            return Some(operand);
        };
        if let Some(exact) = CType::of(ty) {
            return self.cast(&operand, exact);
        }
        let CType::Int { width: wide, .. } = operand.ty.promoted() else {
            return None;
        };
        let unsigned = CType::Int {
            width: wide,
            signed: false,
        };
        if !signed {
            let mask = typed_constant((1i128 << width) - 1, operand.ty.promoted(), self.model())?;
            let text = format!("{} & {}", operand.at(level::BIT_AND), mask.text);
            return Some(Operand::new(text, level::BIT_AND, operand.ty.promoted()));
        }
        let shift = wide - width;
        let bits = self.cast(&operand, unsigned)?;
        let shifted = Operand::new(
            format!("{} << {shift}", bits.at(level::SHIFT)),
            level::SHIFT,
            unsigned,
        );
        let signed = self.cast(
            &shifted,
            CType::Int {
                width: wide,
                signed: true,
            },
        )?;
        let text = format!("{} >> {shift}", signed.at(level::SHIFT));
        Some(Operand::new(text, level::SHIFT, signed.ty))
    }

    fn unary(&self, op: UnOp, a: ExprId, ty: Ty) -> Option<Operand> {
        let from = self.pool.ty(a);
        match op {
            UnOp::Not => {
                let operand = self.part(a)?;
                Some(Operand::new(
                    format!("!{}", operand.at(level::PREFIX)),
                    level::PREFIX,
                    INT,
                ))
            }
            UnOp::Neg | UnOp::BitNot => {
                let sign = if op == UnOp::Neg { '-' } else { '~' };
                let computed = Self::computed(ty)?;
                let operand = match computed {
                    CType::Int { .. } => {
                        let candidates = self.candidates(a, ty);
                        let mut candidates = candidates.into_iter();
                        let fitting = candidates.find(|found| found.ty.promoted() == computed);
                        match fitting {
                            Some(operand) => operand,
                            None => self.cast(&self.number(a)?, computed)?,
                        }
                    }
                    _ => self.cast(self.part(a)?, computed)?,
                };
                // Two signs in a row would be one operator.
                let text = match operand.text.starts_with(sign) {
                    true => format!("{sign}({})", operand.text),
                    false => format!("{sign}{}", operand.at(level::PREFIX)),
                };
                let result = Operand::new(text, level::PREFIX, computed);
                self.narrowed(result, ty)
            }
            UnOp::Convert(to) => self.conversion(a, from, to),
            UnOp::IsNan => self.test(a, |x| format!("{x} != {x}")),
            UnOp::IsZero => self.test(a, |x| format!("{x} == 0")),
            UnOp::IsInf => self.classified("__builtin_isinf", a),
            UnOp::IsNormal => self.classified("__builtin_isnormal", a),
            UnOp::SignBit => self.classified("__builtin_signbit", a),
            UnOp::IsSubnormal
            | UnOp::Abs
            | UnOp::Sqrt
            | UnOp::Round(_)
            | UnOp::Clz
            | UnOp::Ctz
            | UnOp::Popcount
            | UnOp::Bswap
            | UnOp::Reinterpret(_) => None,
        }
    }

    fn test(&self, a: ExprId, text: impl Fn(&str) -> String) -> Option<Operand> {
        let operand = self.part(a)?.at(level::ORDER);
        Some(Operand::new(text(&operand), level::EQUAL, INT))
    }

    fn classified(&self, function: &str, a: ExprId) -> Option<Operand> {
        let operand = self.part(a)?;
        let text = format!("{function}({}) != 0", operand.text);
        Some(Operand::new(text, level::EQUAL, INT))
    }

    /// A result of C's arithmetic in the automaton's type.
    fn narrowed(&self, operand: Operand, ty: Ty) -> Option<Operand> {
        match ty {
            Ty::Int { .. } if CType::of(ty) != Some(operand.ty) => self.wrapped(operand, ty),
            _ => Some(operand),
        }
    }

    fn conversion(&self, a: ExprId, from: Ty, to: Ty) -> Option<Operand> {
        let operand = self.part(a)?.clone();
        match (from, to) {
            (Ty::Bool, Ty::Int { .. }) => Some(operand),
            (
                Ty::Int { width, signed },
                Ty::Int {
                    width: wide,
                    signed: sign,
                },
            ) => {
                let (low, high) = range(width, signed);
                let (least, most) = range(wide, sign);
                if least <= low && high <= most && !(width == 128 && !signed && sign) {
                    return self.number(a);
                }
                if let CType::Pointer(_) = operand.ty {
                    let number = self.number(a)?;
                    return self.wrapped(number, to);
                }
                self.wrapped(operand, to)
            }
            (Ty::Float(_), Ty::Int { .. }) => self.cast(&operand, CType::of(to)?),
            (Ty::Int { .. }, Ty::Float(_)) => self.cast(&self.number(a)?, CType::of(to)?),
            (Ty::Bool | Ty::Float(_), Ty::Float(_)) => self.cast(&operand, CType::of(to)?),
            (_, Ty::Bool) => None,
        }
    }

    /// Texts for an operand of an operator in the type: where a conversion to that type stands at
    /// the top, C may do it by itself.
    fn candidates(&self, id: ExprId, ty: Ty) -> Vec<Operand> {
        let mut found = Vec::new();
        if let Node::Unary(UnOp::Convert(to), inner) = self.pool.node(id)
            && to == ty
            && to.width() >= 32
            && CType::of(to).is_some()
            && (self.pool.ty(inner).is_int() || self.pool.ty(inner) == Ty::Bool)
        {
            found.extend(self.number(inner));
        }
        found.extend(self.number(id));
        found
    }

    /// Operands such that C computes in the type `wanted`.
    fn operands(&self, a: ExprId, b: ExprId, ty: Ty, wanted: CType) -> Option<(Operand, Operand)> {
        let (left, right) = (self.candidates(a, ty), self.candidates(b, ty));
        for x in &left {
            for y in &right {
                if common(x.ty, y.ty) == Some(wanted) {
                    return Some((x.clone(), y.clone()));
                }
            }
        }
        let (x, y) = (self.number(a)?, self.number(b)?);
        let fits = |x: &Operand, y: &Operand| common(x.ty, y.ty) == Some(wanted);
        if let Some(value) = y.constant
            && let Some(y) = typed_constant(value, wanted, self.model())
            && let Some(x) = left.iter().find(|x| fits(x, &y))
        {
            return Some((x.clone(), y));
        }
        if let Some(value) = x.constant
            && let Some(x) = typed_constant(value, wanted, self.model())
            && let Some(y) = right.iter().find(|y| fits(&x, y))
        {
            return Some((x, y.clone()));
        }
        let x = self.cast(&x, wanted)?;
        match fits(&x, &y) {
            true => Some((x, y)),
            false => Some((x, self.cast(&y, wanted)?)),
        }
    }

    fn joined(&self, operator: &str, level: u8, x: &Operand, y: &Operand, ty: CType) -> Operand {
        // Operators of one level go from left to right; mixed bits and shifts are easier read
        // apart.
        let (left, right) = match level {
            level::BIT_AND | level::BIT_OR | level::BIT_XOR | level::SHIFT => {
                let inner = |operand: &Operand| match operand.level == level {
                    true => level,
                    false => level::PREFIX,
                };
                (inner(x), level::PREFIX)
            }
            level::EQUAL | level::ORDER => (level::SHIFT, level::SHIFT),
            _ => (level, level + 1),
        };
        let text = format!("{} {operator} {}", x.at(left), y.at(right));
        Operand::new(text, level, ty)
    }

    fn binary(&self, id: ExprId, op: BinOp, a: ExprId, b: ExprId, ty: Ty) -> Option<Operand> {
        let operands = self.pool.ty(a);
        match op {
            BinOp::BoolAnd | BinOp::BoolOr => {
                let (operator, level) = match op {
                    BinOp::BoolAnd => ("&&", level::AND),
                    _ => ("||", level::OR),
                };
                let (x, y) = (self.part(a)?, self.part(b)?);
                // Both associate either way; `&&` inside `||` reads better in parentheses.
                let inner = match op {
                    BinOp::BoolAnd => level::AND,
                    _ => level::OR,
                };
                let side =
                    |operand: &Operand| match operand.level == level::AND && inner == level::OR {
                        true => operand.at(level::BIT_OR),
                        false => operand.at(inner),
                    };
                let text = format!("{} {operator} {}", side(x), side(y));
                Some(Operand::new(text, level, INT))
            }
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => self.comparison(op, a, b, operands),
            BinOp::Add | BinOp::Sub if ty.is_int() => {
                if let Some(address) = self.address_inside(id) {
                    return Some(address);
                }
                self.arithmetic(op, a, b, ty)
            }
            BinOp::Shl | BinOp::Shr => self.shift(op, a, b, ty),
            BinOp::Add
            | BinOp::Sub
            | BinOp::Mul
            | BinOp::Div
            | BinOp::Rem
            | BinOp::And
            | BinOp::Or
            | BinOp::Xor => self.arithmetic(op, a, b, ty),
            BinOp::AddOverflows
            | BinOp::SubOverflows
            | BinOp::MulOverflows
            | BinOp::FRem
            | BinOp::Remainder
            | BinOp::FMin
            | BinOp::FMax
            | BinOp::CopySign => None,
        }
    }

    /// `&s.f` for an address inside something that has a name.
    fn address_inside(&self, id: ExprId) -> Option<Operand> {
        if CType::of(self.pool.ty(id)) != Some(self.address_type()) {
            return None;
        }
        let (place, ty) = self.place(id, None)?;
        let text = format!("&{}", place.at(level::POSTFIX));
        let target = self.program.types.unqualified(ty);
        Some(Operand::new(text, level::PREFIX, CType::Pointer(target)))
    }

    fn arithmetic(&self, op: BinOp, a: ExprId, b: ExprId, ty: Ty) -> Option<Operand> {
        let (operator, level, stays) = match op {
            BinOp::Add => ("+", level::SUM, false),
            BinOp::Sub => ("-", level::SUM, false),
            BinOp::Mul => ("*", level::PRODUCT, false),
            BinOp::Div => ("/", level::PRODUCT, false),
            BinOp::Rem => ("%", level::PRODUCT, true),
            BinOp::And => ("&", level::BIT_AND, true),
            BinOp::Or => ("|", level::BIT_OR, true),
            BinOp::Xor => ("^", level::BIT_XOR, true),
            _ => return None,
        };
        let mut wanted = Self::computed(ty)?;
        if let CType::Float(_) = wanted {
            if stays {
                return None;
            }
            let (x, y) = (
                self.cast(self.part(a)?, wanted)?,
                self.cast(self.part(b)?, wanted)?,
            );
            return Some(self.joined(operator, level, &x, &y, wanted));
        }
        if op == BinOp::Mul
            && matches!(
                ty,
                Ty::Int {
                    width: 16..32,
                    signed: false
                }
            )
        {
            // The product of two of them does not fit `int`.
            wanted = CType::Int {
                width: 32,
                signed: false,
            };
        }
        let (mut x, mut y) = self.operands(a, b, ty, wanted)?;
        if op == BinOp::Mul && y.constant.is_some() {
            std::mem::swap(&mut x, &mut y);
        }
        let result = self.joined(operator, level, &x, &y, wanted);
        match stays && ty.width() < 32 || ty == Ty::Bool {
            true => Some(result),
            false => self.narrowed(result, ty),
        }
    }

    /// The count is taken modulo the width, as x86 does; C leaves larger ones open.
    fn shift(&self, op: BinOp, a: ExprId, b: ExprId, ty: Ty) -> Option<Operand> {
        let operator = if op == BinOp::Shl { "<<" } else { ">>" };
        let wanted = Self::computed(ty)?;
        let CType::Int { width, .. } = wanted else {
            return None;
        };
        // Odd widths above 32 bits would need a count modulo the odd width.
        if ty.width() > 32 && ty.width() != width {
            return None;
        }
        let modulus = i128::from(width) - 1;
        let mut left = self.candidates(a, ty).into_iter();
        let x = match left.find(|x| x.ty.promoted() == wanted) {
            Some(x) => x,
            None => self.cast(&self.number(a)?, wanted)?,
        };
        let count = self.number(b)?;
        let count = match count.constant {
            Some(count) => constant(count & modulus, true, self.model())?,
            None => {
                let modulus = constant(modulus, true, self.model())?;
                let masked =
                    self.joined("&", level::BIT_AND, &count, &modulus, count.ty.promoted());
                Operand::new(format!("({})", masked.text), level::POSTFIX, masked.ty)
            }
        };
        let result = self.joined(operator, level::SHIFT, &x, &count, wanted);
        match op {
            BinOp::Shl => self.narrowed(result, ty),
            _ => Some(result),
        }
    }

    /// The values that the operand may have.
    fn values(&self, operand: &Operand, ty: Ty) -> Option<(i128, i128)> {
        if let Some(value) = operand.constant {
            return Some((value, value));
        }
        let (low, high) = operand.ty.range()?;
        let (least, most) = match ty {
            Ty::Int { width, signed } => range(width, signed),
            _ => (0, 1),
        };
        Some((low.max(least), high.min(most)))
    }

    fn comparison(&self, op: BinOp, a: ExprId, b: ExprId, ty: Ty) -> Option<Operand> {
        let (mut operator, level) = match op {
            BinOp::Eq => ("==", level::EQUAL),
            BinOp::Ne => ("!=", level::EQUAL),
            BinOp::Lt => ("<", level::ORDER),
            _ => ("<=", level::ORDER),
        };
        let (mut x, mut y) = match ty {
            Ty::Float(_) => {
                let c_type = CType::of(ty)?;
                (
                    self.cast(self.part(a)?, c_type)?,
                    self.cast(self.part(b)?, c_type)?,
                )
            }
            _ => self.compared(op, a, b, ty)?,
        };
        // Variables stand on the left of constants.
        if x.constant.is_some() && y.constant.is_none() {
            std::mem::swap(&mut x, &mut y);
            operator = match operator {
                "<" => ">",
                "<=" => ">=",
                same => same,
            };
        }
        Some(self.joined(operator, level, &x, &y, INT))
    }

    fn compared(&self, op: BinOp, a: ExprId, b: ExprId, ty: Ty) -> Option<(Operand, Operand)> {
        let (p, q) = (self.part(a)?, self.part(b)?);
        let is_equality = matches!(op, BinOp::Eq | BinOp::Ne);
        match (p.ty, q.ty) {
            (CType::Pointer(s), CType::Pointer(t)) if s == t => {
                return Some((p.clone(), q.clone()));
            }
            (CType::Pointer(_), _) if is_equality && q.constant == Some(0) => {
                return Some((p.clone(), q.clone()));
            }
            (_, CType::Pointer(_)) if is_equality && p.constant == Some(0) => {
                return Some((p.clone(), q.clone()));
            }
            _ => {}
        }
        // As they are, if both values survive the conversion to the common type.
        let (x, y) = (self.number(a)?, self.number(b)?);
        let both = common(x.ty, y.ty)?;
        if both.range()? != range(128, false) && self.both_survive([&x, &y], ty, both) {
            return Some(self.without_casts(a, b, ty).unwrap_or((x, y)));
        }
        self.operands(a, b, ty, Self::computed(ty)?)
    }

    /// Do both keep their values if they are converted to their common type?
    fn both_survive(&self, operands: [&Operand; 2], ty: Ty, common: CType) -> bool {
        let Some((low, high)) = common.range() else {
            return false;
        };
        operands.into_iter().all(|operand| {
            let values = self.values(operand, ty);
            values.is_some_and(|(least, most)| low <= least && most <= high)
        })
    }

    /// Operands whose conversions to the type C does by itself.
    fn without_casts(&self, a: ExprId, b: ExprId, ty: Ty) -> Option<(Operand, Operand)> {
        let wanted = CType::of(ty).filter(|c_type| c_type.promoted() == *c_type)?;
        let (left, right) = (self.candidates(a, ty), self.candidates(b, ty));
        if left.len() < 2 && right.len() < 2 {
            return None;
        }
        for x in &left {
            for y in &right {
                if common(x.ty, y.ty) == Some(wanted) {
                    return Some((x.clone(), y.clone()));
                }
            }
        }
        None
    }

    fn selection(&self, c: ExprId, a: ExprId, b: ExprId, ty: Ty) -> Option<Operand> {
        let test = self.part(c)?.at(level::OR);
        let (p, q) = (self.part(a)?, self.part(b)?);
        let (x, y, c_type) = match (p.ty, q.ty) {
            (CType::Pointer(s), CType::Pointer(t)) if s == t => (p.clone(), q.clone(), p.ty),
            _ if ty.is_float() => {
                let c_type = CType::of(ty)?;
                (self.cast(p, c_type)?, self.cast(q, c_type)?, c_type)
            }
            _ => {
                let (x, y) = (self.number(a)?, self.number(b)?);
                let both = common(x.ty, y.ty)?;
                both.range()?;
                if self.both_survive([&x, &y], ty, both) {
                    (x, y, both)
                } else {
                    let wanted = Self::computed(ty)?;
                    (self.cast(&x, wanted)?, self.cast(&y, wanted)?, wanted)
                }
            }
        };
        let text = format!(
            "{test} ? {} : {}",
            x.at(level::OR),
            y.at(level::CONDITIONAL)
        );
        Some(Operand::new(text, level::CONDITIONAL, c_type))
    }
}
