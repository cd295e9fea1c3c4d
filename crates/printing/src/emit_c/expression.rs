//! Expressions as C.
//!
//! A value of the automaton is a C value of the unsigned type that holds its bits, zero-extended
//! (floats are C floats). So every operator says itself how it looks at the sign, and nothing
//! depends on C's promotions.

use arith::float::{self, FloatFormat, RoundingMode};
use cfa::expr::{BinOp, ExprId, Node, UnOp};
use cfa::memory::ObjectId;
use cfa::value::Ty;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Longer texts get a name of their own, so that lines stay readable and compilers quick.
const LONGEST: usize = 160;

/// What expressions need to know about the program around them.
pub(super) trait Names {
    fn node(&self, id: ExprId) -> Node;
    fn ty(&self, id: ExprId) -> Ty;
    fn variable(&self, var: cfa::expr::VarId) -> String;
    fn address(&self, object: ObjectId) -> String;
    /// Whether the target has integers of more than 64 bits.
    fn has_int128(&self) -> bool;
}

/// The C type of a value.
pub(super) fn type_name(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool => "u8",
        Ty::Int { width, .. } => match width {
            ..=8 => "u8",
            9..=16 => "u16",
            17..=32 => "u32",
            33..=64 => "u64",
            _ => "wide",
        },
        Ty::Float(FloatFormat::Half) => "_Float16",
        Ty::Float(FloatFormat::Single) => "float",
        Ty::Float(FloatFormat::Double) => "double",
        Ty::Float(FloatFormat::X87) => "long double",
        Ty::Float(FloatFormat::Quad) => "__float128",
    }
}

/// A value with all bits zero.
pub(super) fn zero(ty: Ty) -> &'static str {
    if is_wide(ty) { "wide_of(0, 0)" } else { "0" }
}

fn is_wide(ty: Ty) -> bool {
    matches!(ty, Ty::Int { width, .. } if width > 64)
}

/// Bits of the C type.
fn container(width: u16) -> u16 {
    match width {
        ..=8 => 8,
        9..=16 => 16,
        17..=32 => 32,
        33..=64 => 64,
        _ => 128,
    }
}

/// A literal of the type.
pub(super) fn constant(bits: u128, ty: Ty) -> String {
    match ty {
        // The sign of a negative number must not meet another one.
        Ty::Float(format) => format!("({})", float::c_expression(format, bits)),
        _ if is_wide(ty) => format!(
            "wide_of({:#x}ull, {:#x}ull)",
            (bits >> 64) as u64,
            bits as u64
        ),
        Ty::Int { width, .. } if width > 32 => format!("{bits:#x}ull"),
        _ => format!("{bits}u"),
    }
}

/// The text of an integer of at most 64 bits as C's `i64`, extended as its type says.
pub(super) fn extended(text: &str, ty: Ty) -> String {
    match ty {
        Ty::Int {
            width,
            signed: true,
        } => format!("(i64){}", signed(text, width)),
        _ => format!("(i64){text}"),
    }
}

/// The text as a signed C integer of the same value.
fn signed(text: &str, width: u16) -> String {
    let bits = container(width);
    if bits == width {
        return format!("(i{bits}){text}");
    }
    // Narrow types are promoted by C: use one that is not.
    let bits = bits.max(32);
    let shift = bits - width;
    format!("((i{bits})((u{bits}){text} << {shift}) >> {shift})")
}

/// Cuts a result that was computed in 32 or 64 bits down to the width.
fn cut(text: &str, width: u16) -> String {
    let bits = container(width);
    if bits == width {
        return format!("(u{bits})({text})");
    }
    let mask = (1u64 << width) - 1;
    format!("(u{bits})(({text}) & {mask:#x}ull)")
}

/// Expressions of one operation: parts that are used often or grow long become named values.
pub(super) struct Expressions<'a, N> {
    names: &'a N,
    values: FxHashMap<ExprId, String>,
    /// Definitions of named values, to be written before the operation.
    pub definitions: String,
    next: &'a mut u32,
}

impl<'a, N: Names> Expressions<'a, N> {
    pub fn new(names: &'a N, next: &'a mut u32) -> Expressions<'a, N> {
        Expressions {
            names,
            values: FxHashMap::default(),
            definitions: String::new(),
            next,
        }
    }

    /// The expression as C text that can stand as an operand of anything.
    pub fn text(&mut self, root: ExprId) -> String {
        let uses = self.uses(root);
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.values.contains_key(&id) {
                stack.pop();
                continue;
            }
            let node = self.names.node(id);
            let before = stack.len();
            let open = node.children();
            stack.extend(open.filter(|child| !self.values.contains_key(child)));
            if stack.len() > before {
                stack[before..].reverse();
                continue;
            }
            stack.pop();
            let ty = self.names.ty(id);
            let mut text = self.node(node, ty);
            let leaf = node.children().next().is_none();
            if !leaf && (uses[&id] > 1 || text.len() > LONGEST) {
                let name = format!("t{}", self.next);
                *self.next += 1;
                // Writing to a string does not fail.
                let _ = writeln!(
                    self.definitions,
                    "        {} {name} = {text};",
                    type_name(ty)
                );
                text = name;
            }
            self.values.insert(id, text);
        }
        self.values[&root].clone()
    }

    /// How often each part is an operand.
    fn uses(&self, root: ExprId) -> FxHashMap<ExprId, u32> {
        let mut uses = FxHashMap::default();
        uses.insert(root, 1);
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            for child in self.names.node(id).children() {
                let count = uses.entry(child).or_insert(0);
                *count += 1;
                if *count == 1 {
                    stack.push(child);
                }
            }
        }
        uses
    }

    fn node(&self, node: Node, ty: Ty) -> String {
        let part = |id: ExprId| self.values[&id].as_str();
        match node {
            Node::Const(bits) => constant(bits, ty),
            Node::Var(var) => self.names.variable(var),
            Node::Address(object) => self.names.address(object),
            Node::Unary(op, a) => self.unary(op, self.names.ty(a), part(a)),
            Node::Binary(op, a, b) => {
                self.binary(op, self.names.ty(a), self.names.ty(b), part(a), part(b))
            }
            Node::Ite(c, a, b) => format!("({} ? {} : {})", part(c), part(a), part(b)),
            Node::Fma(a, b, c) => {
                let suffix = suffix(ty);
                format!(
                    "__builtin_fma{suffix}({}, {}, {})",
                    part(a),
                    part(b),
                    part(c)
                )
            }
            Node::Load { address, .. } => load(ty, part(address)),
        }
    }

    fn unary(&self, op: UnOp, ty: Ty, a: &str) -> String {
        match (op, ty) {
            (UnOp::Not, _) => format!("!{a}"),
            (UnOp::Convert(to), _) => self.convert(ty, to, a),
            (UnOp::Reinterpret(to), _) => {
                let (from_name, to_name) = (type_name(ty), type_name(to));
                if from_name == to_name {
                    a.to_owned()
                } else {
                    format!("same_bits({from_name}, {to_name}, {a})")
                }
            }
            (_, Ty::Float(_)) => float_unary(op, ty, a),
            (_, Ty::Int { width, .. }) if width > 64 => match op {
                UnOp::Neg => format!("wide_zero_extend(wide_sub(wide_of(0, 0), {a}), {width})"),
                UnOp::BitNot => format!("wide_zero_extend(wide_not({a}), {width})"),
                _ => unsupported(ty, "an operator on wide integers"),
            },
            (_, Ty::Int { width, .. }) => int_unary(op, width, a),
            (_, Ty::Bool) => unsupported(ty, "an operator on truth values"),
        }
    }

    fn convert(&self, from: Ty, to: Ty, a: &str) -> String {
        match (from, to) {
            (Ty::Int { width, signed: s }, Ty::Int { width: to, .. }) => {
                match (width > 64, to > 64) {
                    (false, false) if to <= width || !s => cut(&format!("(u64){a}"), to),
                    (false, false) => cut(&format!("(u64){}", extended(a, from)), to),
                    (false, true) => {
                        let sign = if s { "i64" } else { "u64" };
                        let value = format!("wide_from_{sign}({})", extended(a, from));
                        format!("wide_zero_extend({value}, {to})")
                    }
                    (true, false) => cut(&format!("wide_low({a})"), to),
                    (true, true) if s && to > width => {
                        format!("wide_zero_extend(wide_sign_extend({a}, {width}), {to})")
                    }
                    (true, true) => format!("wide_zero_extend({a}, {to})"),
                }
            }
            (Ty::Bool, Ty::Int { width, .. }) if width > 64 => format!("wide_from_u64({a})"),
            (Ty::Bool, _) => format!("({}){a}", type_name(to)),
            (Ty::Int { width, signed: s }, Ty::Float(_)) if width > 64 => {
                let value = if s {
                    format!("(iwide)wide_sign_extend({a}, {width})")
                } else {
                    a.to_owned()
                };
                self.only_with_int128(to, format!("({})({value})", type_name(to)))
            }
            (Ty::Int { width, signed: s }, Ty::Float(_)) => {
                let value = if s { signed(a, width) } else { a.to_owned() };
                format!("({})({value})", type_name(to))
            }
            (Ty::Float(_), Ty::Int { width, signed: s }) if width > 64 => {
                let sign = if s { "iwide" } else { "wide" };
                let text = format!("wide_zero_extend((wide)({sign})({a}), {width})");
                self.only_with_int128(to, text)
            }
            (Ty::Float(_), Ty::Int { width, signed: s }) => {
                let (sign, bits) = (if s { 'i' } else { 'u' }, container(width));
                cut(&format!("(u64)({sign}{bits})({a})"), width)
            }
            (Ty::Float(_), Ty::Float(_)) => format!("({})({a})", type_name(to)),
            (_, Ty::Bool) => unsupported(to, "a conversion to a truth value"),
        }
    }

    fn only_with_int128(&self, ty: Ty, text: String) -> String {
        if self.names.has_int128() {
            text
        } else {
            unsupported(ty, "128-bit integers as floats on a 32-bit platform")
        }
    }

    fn binary(&self, op: BinOp, ty: Ty, count: Ty, a: &str, b: &str) -> String {
        match ty {
            Ty::Bool => match op {
                BinOp::BoolAnd | BinOp::And => format!("({a} & {b})"),
                BinOp::BoolOr | BinOp::Or => format!("({a} | {b})"),
                BinOp::Eq => format!("({a} == {b})"),
                BinOp::Ne | BinOp::Xor => format!("({a} != {b})"),
                _ => unsupported(Ty::Bool, "an operator on truth values"),
            },
            Ty::Float(_) => float_binary(op, ty, a, b),
            Ty::Int { width, signed } => {
                let count = match count {
                    Ty::Int { width, .. } if width > 64 => format!("(u32)wide_low({b})"),
                    _ => format!("(u32){}", extended(b, count)),
                };
                if width > 64 {
                    self.wide_binary(op, width, signed, &count, a, b)
                } else {
                    int_binary(op, width, signed, &count, a, b)
                }
            }
        }
    }

    fn wide_binary(
        &self,
        op: BinOp,
        width: u16,
        signed: bool,
        count: &str,
        a: &str,
        b: &str,
    ) -> String {
        let fit = |text: String| format!("wide_zero_extend({text}, {width})");
        let view = |text: &str| {
            if signed {
                format!("wide_sign_extend({text}, {width})")
            } else {
                text.to_owned()
            }
        };
        let sign = if signed { 's' } else { 'u' };
        match op {
            BinOp::Add => fit(format!("wide_add({a}, {b})")),
            BinOp::Sub => fit(format!("wide_sub({a}, {b})")),
            BinOp::Mul => fit(format!("wide_mul({a}, {b})")),
            BinOp::And => format!("wide_and({a}, {b})"),
            BinOp::Or => format!("wide_or({a}, {b})"),
            BinOp::Xor => format!("wide_xor({a}, {b})"),
            BinOp::Shl => fit(format!("wide_shl({a}, {count})")),
            BinOp::Shr if signed => fit(format!("wide_ashr({}, {count})", view(a))),
            BinOp::Shr => format!("wide_lshr({a}, {count})"),
            BinOp::Eq => format!("wide_eq({a}, {b})"),
            BinOp::Ne => format!("!wide_eq({a}, {b})"),
            BinOp::Lt => format!("wide_{sign}lt({}, {})", view(a), view(b)),
            BinOp::Le => format!("!wide_{sign}lt({}, {})", view(b), view(a)),
            BinOp::Div => fit(format!("wide_{sign}div({}, {})", view(a), view(b))),
            BinOp::Rem => fit(format!("wide_{sign}rem({}, {})", view(a), view(b))),
            BinOp::AddOverflows | BinOp::SubOverflows | BinOp::MulOverflows => {
                let cast = if signed { "(iwide)" } else { "" };
                let shift = 128 - width;
                let up = |text: &str| format!("{cast}wide_shl({text}, {shift})");
                // One factor at the top of the word: the product overflows there exactly if it does
                // here.
                let right = if op == BinOp::MulOverflows {
                    format!("{cast}{}", view(b))
                } else {
                    up(b)
                };
                let text = format!(
                    "__builtin_{}_overflow_p({}, {right}, {cast}wide_of(0, 0))",
                    overflow_name(op),
                    up(a)
                );
                self.only_with_int128(Ty::Bool, text)
            }
            _ => unsupported(Ty::unsigned(width), "an operator on wide integers"),
        }
    }
}

fn overflow_name(op: BinOp) -> &'static str {
    match op {
        BinOp::AddOverflows => "add",
        BinOp::SubOverflows => "sub",
        _ => "mul",
    }
}

fn int_unary(op: UnOp, width: u16, a: &str) -> String {
    let bits = container(width).max(32);
    let long = if bits == 64 { "ll" } else { "" };
    match op {
        UnOp::Neg => cut(&format!("-(u{bits}){a}"), width),
        UnOp::BitNot => cut(&format!("~(u{bits}){a}"), width),
        UnOp::Clz => {
            let more = bits - width;
            cut(
                &format!("{a} ? __builtin_clz{long}({a}) - {more} : {width}"),
                width,
            )
        }
        UnOp::Ctz => cut(&format!("{a} ? __builtin_ctz{long}({a}) : {width}"), width),
        UnOp::Popcount => cut(&format!("__builtin_popcount{long}({a})"), width),
        UnOp::Bswap => match width {
            8 => a.to_owned(),
            // Bytes beyond the width are zero and end up below; shift them out.
            _ => cut(
                &format!("__builtin_bswap{bits}({a}) >> {}", bits - width),
                width,
            ),
        },
        _ => unsupported(Ty::unsigned(width), "an operator on integers"),
    }
}

fn int_binary(op: BinOp, width: u16, is_signed: bool, count: &str, a: &str, b: &str) -> String {
    // C would promote narrower types to `int`.
    let bits = container(width).max(32);
    let plain = |operator: &str| cut(&format!("(u{bits}){a} {operator} (u{bits}){b}"), width);
    let compare = |operator: &str, a: &str, b: &str| {
        if is_signed {
            format!("({} {operator} {})", signed(a, width), signed(b, width))
        } else {
            format!("({a} {operator} {b})")
        }
    };
    let divide = |name: &str| {
        let (a, b) = (signed(a, width), signed(b, width));
        cut(&format!("{name}_i{bits}({a}, {b})"), width)
    };
    match op {
        BinOp::Add => plain("+"),
        BinOp::Sub => plain("-"),
        BinOp::Mul => plain("*"),
        BinOp::And => plain("&"),
        BinOp::Or => plain("|"),
        BinOp::Xor => plain("^"),
        BinOp::Div if is_signed => divide("div"),
        BinOp::Rem if is_signed => divide("rem"),
        BinOp::Div => plain("/"),
        BinOp::Rem => plain("%"),
        BinOp::Shl => cut(&format!("(u{bits}){a} << ({count} & {})", bits - 1), width),
        BinOp::Shr => {
            let a = if is_signed {
                format!("(i{bits}){}", signed(a, width))
            } else {
                format!("(u{bits}){a}")
            };
            cut(&format!("{a} >> ({count} & {})", bits - 1), width)
        }
        BinOp::Eq => format!("({a} == {b})"),
        BinOp::Ne => format!("({a} != {b})"),
        BinOp::Lt => compare("<", a, b),
        BinOp::Le => compare("<=", a, b),
        BinOp::AddOverflows | BinOp::SubOverflows | BinOp::MulOverflows => {
            let sign = if is_signed { 'i' } else { 'u' };
            let shift = bits - width;
            let up = |text: &str| format!("({sign}{bits})((u{bits}){text} << {shift})");
            // One factor at the top of the word: the product overflows there exactly if it does
            // here.
            let right = match (op, is_signed) {
                (BinOp::MulOverflows, true) => signed(b, width),
                (BinOp::MulOverflows, false) => format!("(u{bits}){b}"),
                _ => up(b),
            };
            format!(
                "__builtin_{}_overflow_p({}, ({sign}{bits}){right}, ({sign}{bits})0)",
                overflow_name(op),
                up(a)
            )
        }
        _ => unsupported(Ty::unsigned(width), "an operator on integers"),
    }
}

/// The suffix of gcc's mathematical builtins.
fn suffix(ty: Ty) -> &'static str {
    match ty {
        Ty::Float(FloatFormat::Half | FloatFormat::Single) => "f",
        Ty::Float(FloatFormat::X87) => "l",
        Ty::Float(FloatFormat::Quad) => "f128",
        _ => "",
    }
}

fn float_unary(op: UnOp, ty: Ty, a: &str) -> String {
    let suffix = suffix(ty);
    let call = |name: &str| format!("__builtin_{name}{suffix}({a})");
    match op {
        UnOp::Neg => format!("(-{a})"),
        UnOp::Abs => call("fabs"),
        UnOp::Sqrt => call("sqrt"),
        UnOp::Round(mode) => call(match mode {
            RoundingMode::NearestEven => "rint",
            RoundingMode::NearestAway => "round",
            RoundingMode::TowardPositive => "ceil",
            RoundingMode::TowardNegative => "floor",
            RoundingMode::TowardZero => "trunc",
        }),
        UnOp::IsNan => format!("!!__builtin_isnan({a})"),
        UnOp::IsInf => format!("!!__builtin_isinf({a})"),
        UnOp::IsZero => format!("({a} == 0)"),
        UnOp::IsNormal => format!("!!__builtin_isnormal({a})"),
        UnOp::IsSubnormal => {
            format!("({a} != 0 && !__builtin_isnormal({a}) && __builtin_isfinite({a}))")
        }
        UnOp::SignBit => format!("!!__builtin_signbit({a})"),
        _ => unsupported(ty, "an operator on floats"),
    }
}

fn float_binary(op: BinOp, ty: Ty, a: &str, b: &str) -> String {
    let suffix = suffix(ty);
    let name = type_name(ty);
    let call = |function: &str| format!("__builtin_{function}{suffix}({a}, {b})");
    // The cast drops excess precision.
    let plain = |operator: &str| format!("({name})({a} {operator} {b})");
    match op {
        BinOp::Add => plain("+"),
        BinOp::Sub => plain("-"),
        BinOp::Mul => plain("*"),
        BinOp::Div => plain("/"),
        BinOp::Eq => format!("({a} == {b})"),
        BinOp::Ne => format!("({a} != {b})"),
        BinOp::Lt => format!("({a} < {b})"),
        BinOp::Le => format!("({a} <= {b})"),
        BinOp::FRem => call("fmod"),
        BinOp::Remainder => call("remainder"),
        BinOp::FMin => call("fmin"),
        BinOp::FMax => call("fmax"),
        BinOp::CopySign => call("copysign"),
        _ => unsupported(ty, "an operator on floats"),
    }
}

/// The value of a type at an address.
fn load(ty: Ty, address: &str) -> String {
    let name = type_name(ty);
    let bytes = ty.bytes();
    match (ty, bytes) {
        (Ty::Int { .. }, 1 | 2 | 4 | 8) if u64::from(ty.width()) == 8 * bytes => {
            format!("load_{name}({address})")
        }
        (Ty::Int { width, .. }, ..=8) if u64::from(width) < 8 * bytes => {
            cut(&format!("load_some({name}, {address}, {bytes})"), width)
        }
        _ => format!("load_some({name}, {address}, {bytes})"),
    }
}

/// Stands where a value of the type should, and ends the program when it is evaluated.
fn unsupported(ty: Ty, what: &str) -> String {
    format!("(ends(\"unsupported: {what}\", 3), {})", zero(ty))
}
