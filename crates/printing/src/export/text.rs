//! Expressions and operations as short text, close to C, for people to read.

use arith::float::{self, RoundingMode};
use arith::int;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp};
use cfa::op::{Contents, Halt, Op, PrintKind};
use cfa::program::Program;
use cfa::value::Ty;
use rustc_hash::FxHashMap;

/// Longer texts are cut: shared parts would make them exponentially long.
const LONGEST: usize = 400;

pub(super) fn type_text(ty: Ty) -> String {
    match ty {
        Ty::Bool => "bool".to_owned(),
        Ty::Int { width, signed } => format!("{}{width}", if signed { 'i' } else { 'u' }),
        Ty::Float(format) => format!("f{}", format.width()),
    }
}

fn constant(bits: u128, ty: Ty) -> String {
    match ty {
        Ty::Bool if bits == 0 => "false".to_owned(),
        Ty::Bool => "true".to_owned(),
        Ty::Int {
            width,
            signed: true,
        } => int::to_signed(bits, width.into()).to_string(),
        Ty::Int { .. } => bits.to_string(),
        Ty::Float(format) => float::c_expression(format, bits),
    }
}

pub(super) fn unary_name(op: UnOp) -> String {
    match op {
        UnOp::Neg => "-".to_owned(),
        UnOp::BitNot => "~".to_owned(),
        UnOp::Not => "!".to_owned(),
        UnOp::Abs => "abs".to_owned(),
        UnOp::Sqrt => "sqrt".to_owned(),
        UnOp::Round(mode) => match mode {
            RoundingMode::NearestEven => "rint",
            RoundingMode::NearestAway => "round",
            RoundingMode::TowardPositive => "ceil",
            RoundingMode::TowardNegative => "floor",
            RoundingMode::TowardZero => "trunc",
        }
        .to_owned(),
        UnOp::IsNan => "isnan".to_owned(),
        UnOp::IsInf => "isinf".to_owned(),
        UnOp::IsZero => "iszero".to_owned(),
        UnOp::IsNormal => "isnormal".to_owned(),
        UnOp::IsSubnormal => "issubnormal".to_owned(),
        UnOp::SignBit => "signbit".to_owned(),
        UnOp::Clz => "clz".to_owned(),
        UnOp::Ctz => "ctz".to_owned(),
        UnOp::Popcount => "popcount".to_owned(),
        UnOp::Bswap => "bswap".to_owned(),
        UnOp::Reinterpret(to) => format!("bits_as_{}", type_text(to)),
        UnOp::Convert(to) => type_text(to),
    }
}

pub(super) fn binary_name(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Div => "/",
        BinOp::Rem => "%",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
        BinOp::Shl => "<<",
        BinOp::Shr => ">>",
        BinOp::Eq => "==",
        BinOp::Ne => "!=",
        BinOp::Lt => "<",
        BinOp::Le => "<=",
        BinOp::BoolAnd => "&&",
        BinOp::BoolOr => "||",
        BinOp::AddOverflows => "add_overflows",
        BinOp::SubOverflows => "sub_overflows",
        BinOp::MulOverflows => "mul_overflows",
        BinOp::FRem => "fmod",
        BinOp::Remainder => "remainder",
        BinOp::FMin => "fmin",
        BinOp::FMax => "fmax",
        BinOp::CopySign => "copysign",
    }
}

/// The expression, close to C; parts of a very long one are left out.
pub fn expression_text(program: &Program, root: ExprId) -> String {
    expression_text_in(program, &program.pool, root)
}

/// As [`expression_text`], for an expression of a pool that extends the program's.
pub fn expression_text_in(program: &Program, pool: &ExprPool, root: ExprId) -> String {
    let mut texts: FxHashMap<ExprId, String> = FxHashMap::default();
    for id in pool.parts_first(root) {
        let mut text = node_text(program, pool, id, &texts);
        if text.chars().count() > LONGEST {
            text = "…".to_owned();
        }
        texts.insert(id, text);
    }
    let text = texts.remove(&root).unwrap_or_default();
    // The outermost brackets say nothing.
    match text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    {
        Some(inner) if matches!(pool.node(root), Node::Binary(..)) => inner.to_owned(),
        _ => text,
    }
}

fn node_text(
    program: &Program,
    pool: &ExprPool,
    id: ExprId,
    texts: &FxHashMap<ExprId, String>,
) -> String {
    let part = |id: ExprId| texts[&id].as_str();
    match pool.node(id) {
        Node::Const(bits) => constant(bits, pool.ty(id)),
        Node::Var(var) => program.var(var).name.clone(),
        Node::Address(object) => format!("&{}", program.object(object).name),
        Node::Unary(op @ (UnOp::Neg | UnOp::BitNot | UnOp::Not), a) => {
            format!("{}{}", unary_name(op), part(a))
        }
        Node::Unary(op @ UnOp::Convert(_), a) => format!("({}){}", unary_name(op), part(a)),
        Node::Unary(op, a) => format!("{}({})", unary_name(op), part(a)),
        Node::Binary(op, a, b) => {
            let name = binary_name(op);
            if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                format!("{name}({}, {})", part(a), part(b))
            } else {
                format!("({} {name} {})", part(a), part(b))
            }
        }
        Node::Ite(c, a, b) => format!("({} ? {} : {})", part(c), part(a), part(b)),
        Node::Fma(a, b, c) => format!("fma({}, {}, {})", part(a), part(b), part(c)),
        Node::Load { address, .. } => {
            format!("*({} *){}", type_text(pool.ty(id)), part(address))
        }
    }
}

/// The operation in one line.
pub fn operation_text(program: &Program, op: &Op) -> String {
    let text = |id: ExprId| expression_text(program, id);
    let var = |id: cfa::expr::VarId| program.var(id).name.as_str();
    let object = |id: cfa::memory::ObjectId| program.object(id).name.as_str();
    let list = |ids: &[ExprId]| {
        ids.iter()
            .map(|&id| text(id))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let contents = |contents: &Contents| match contents {
        Contents::Arbitrary => "arbitrary",
        Contents::Outside => "from outside",
        Contents::Zero => "zero",
    };
    match op {
        Op::Skip => String::new(),
        Op::Assume(condition) => format!("[{}]", text(*condition)),
        Op::Assign(target, value) => format!("{} = {}", var(*target), text(*value)),
        Op::Havoc(target, input) => format!("{} = input {}", var(*target), input.0),
        Op::Store { address, value, .. } => {
            let ty = type_text(program.pool.ty(*value));
            format!("*({ty} *)({}) = {}", text(*address), text(*value))
        }
        Op::Begin {
            object: id,
            contents: with,
        } => format!("begin {} ({})", object(*id), contents(with)),
        Op::End(id) => format!("end {}", object(*id)),
        Op::Allocate {
            target,
            object: id,
            size,
            contents: with,
        } => format!(
            "{} = allocate {} of {} bytes ({})",
            var(*target),
            object(*id),
            text(*size),
            contents(with)
        ),
        Op::Reallocate {
            target,
            address,
            size,
            ..
        } => format!(
            "{} = realloc({}, {})",
            var(*target),
            text(*address),
            text(*size)
        ),
        Op::Release(address) => format!("free({})", text(*address)),
        Op::Copy {
            target,
            source,
            size,
            ..
        } => format!(
            "memmove({}, {}, {})",
            text(*target),
            text(*source),
            text(*size)
        ),
        Op::Fill {
            target, byte, size, ..
        } => format!(
            "memset({}, {}, {})",
            text(*target),
            text(*byte),
            text(*size)
        ),
        Op::Call {
            function,
            args,
            result,
        } => {
            let call = format!("{}({})", program.function_name(*function), list(args));
            match result {
                Some(result) => format!("{} = {call}", var(*result)),
                None => call,
            }
        }
        Op::Print(print) => match &print.kind {
            PrintKind::Format(format) => {
                let format = String::from_utf8_lossy(format);
                format!("print {format:?} {}", list(&print.args))
            }
            PrintKind::UnknownFormat => format!("print {}", list(&print.args)),
            PrintKind::Char => format!("print character {}", list(&print.args)),
            PrintKind::Line => format!("print line {}", list(&print.args)),
            PrintKind::Text => format!("print text {}", list(&print.args)),
        },
        Op::Halt(Halt::Exit(status)) => format!("exit({})", text(*status)),
        Op::Halt(Halt::Abort) => "abort()".to_owned(),
        Op::Halt(Halt::Undefined(what)) => format!("undefined: {what}"),
        Op::Halt(Halt::Unsupported(what)) => format!("unsupported: {what}"),
    }
}
