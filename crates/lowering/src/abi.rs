//! How gcc's code hands arguments over where the type of a call and the function that it reaches
//! disagree.
//!
//! C leaves such calls undefined; gcc's code runs them. An argument that nobody takes is lost, a
//! parameter that nobody passes has whatever lies in its place. With 64-bit pointers numbers and
//! floats travel in registers of their own, each kind in its order; with 32-bit pointers everything
//! lies on the stack, one behind the other.

use super::context::{Context, Shape};
use arith::float::FloatFormat;
use cfa::value::Ty;
use syntax::types::{Type, TypeId};

/// Registers for numbers and for floats.
const NUMBERS: usize = 6;
const FLOATS: usize = 8;

/// Records of more bytes are passed and returned in memory.
const LARGEST_IN_REGISTERS: u64 = 16;

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// This argument (or the result), converted.
    Value(usize),
    /// The low half is this one, the rest is whatever the register held.
    LowHalf(usize),
    /// Whatever lies there.
    Nothing,
}

/// Of each parameter where its value comes from; `None` if that is not told here. Shapes come with
/// the C type; `old_style` is a definition without a prototype, which expects promoted arguments.
pub(crate) fn parameters(
    context: &Context,
    args: &[(Shape, TypeId)],
    params: &[(Shape, TypeId)],
    result: Shape,
    old_style: bool,
) -> Option<Vec<Source>> {
    if args
        .iter()
        .zip(params)
        .all(|(&arg, &param)| alike(context, arg, param, old_style))
    {
        let passed = (0..params.len().min(args.len())).map(Source::Value);
        let missing = params.get(args.len()..).unwrap_or(&[]);
        // A record that is not there would have to be made up.
        let scalars = missing
            .iter()
            .all(|(shape, _)| matches!(shape, Shape::Scalar(_)));
        return scalars.then(|| {
            passed
                .chain(missing.iter().map(|_| Source::Nothing))
                .collect()
        });
    }
    if context.pointer.width() == 32 {
        return None;
    }
    let hidden = matches!(result, Shape::Record { size, .. } if size > LARGEST_IN_REGISTERS);
    let most = (NUMBERS - usize::from(hidden), FLOATS);
    let (numbers, floats) = registers(args, most)?;
    registers(params, most)?;
    let (mut numbers, mut floats) = (numbers.into_iter(), floats.into_iter());
    let mut sources = Vec::new();
    for &(shape, _) in params {
        let Shape::Scalar(ty) = shape else {
            return None;
        };
        let from = match ty.is_float() {
            true => floats.next(),
            false => numbers.next(),
        };
        sources.push(match from {
            None => Source::Nothing,
            Some((index, given)) if ty.is_float() => {
                if given != ty && !(old_style && given.width() > ty.width()) {
                    return None;
                }
                Source::Value(index)
            }
            Some((index, given)) if is_wide(ty) && !is_wide(given) => Source::LowHalf(index),
            Some((index, _)) => Source::Value(index),
        });
    }
    Some(sources)
}

/// Where the caller's result comes from; `None` if that is not told here.
pub(crate) fn result(
    context: &Context,
    wanted: (Shape, TypeId),
    given: (Shape, TypeId),
) -> Option<Source> {
    match (wanted.0, given.0) {
        (Shape::Void, Shape::Scalar(_)) | (Shape::Void, Shape::Void) => Some(Source::Value(0)),
        (Shape::Scalar(_), Shape::Void) => Some(Source::Nothing),
        (Shape::Scalar(a), Shape::Scalar(b)) => match (a.is_float(), b.is_float()) {
            (true, true) => (a == b).then_some(Source::Value(0)),
            (false, false) if is_wide(a) && !is_wide(b) => Some(Source::LowHalf(0)),
            (false, false) => (a.width() <= 64 && b.width() <= 64 || a.width() == b.width())
                .then_some(Source::Value(0)),
            // The other kind of register.
            _ => Some(Source::Nothing),
        },
        (Shape::Record { .. }, Shape::Record { .. }) => {
            alike(context, wanted, given, false).then_some(Source::Value(0))
        }
        _ => None,
    }
}

/// The arguments in registers for numbers and for floats, by index; `None` if some lie elsewhere.
#[allow(clippy::type_complexity)]
fn registers(
    all: &[(Shape, TypeId)],
    most: (usize, usize),
) -> Option<(Vec<(usize, Ty)>, Vec<(usize, Ty)>)> {
    let (mut numbers, mut floats) = (Vec::new(), Vec::new());
    for (index, &(shape, _)) in all.iter().enumerate() {
        match shape {
            Shape::Scalar(ty @ Ty::Float(FloatFormat::Single | FloatFormat::Double)) => {
                floats.push((index, ty));
            }
            Shape::Scalar(ty) if !ty.is_float() && ty.width() <= 64 => numbers.push((index, ty)),
            _ => return None,
        }
    }
    (numbers.len() <= most.0 && floats.len() <= most.1).then_some((numbers, floats))
}

fn is_wide(ty: Ty) -> bool {
    ty.width() > 32
}

/// Whether both lie in the same place and have the same bytes.
fn alike(context: &Context, a: (Shape, TypeId), b: (Shape, TypeId), old_style: bool) -> bool {
    match (a.0, b.0) {
        (Shape::Scalar(a), Shape::Scalar(b)) => match (a.is_float(), b.is_float()) {
            (true, true) => a == b || old_style && a.width() > b.width() && b.width() == 32,
            (false, false) => a.width() == b.width() || !is_wide(a) && !is_wide(b),
            _ => false,
        },
        (Shape::Record { size: x, .. }, Shape::Record { size: y, .. }) => {
            x == y
                && (context.types.unqualified(a.1) == context.types.unqualified(b.1)
                    || x > LARGEST_IN_REGISTERS
                    || context.pointer.width() == 32
                    || has_floats(context, a.1) == Some(false)
                        && has_floats(context, b.1) == Some(false))
        }
        (Shape::Void, Shape::Void) => true,
        _ => false,
    }
}

/// Whether a part of the type is a float; `None` for types that only their declarations understand.
fn has_floats(context: &Context, ty: TypeId) -> Option<bool> {
    match *context.types.shape(ty) {
        Type::Float(_) => Some(true),
        Type::Array { element, .. } => has_floats(context, element),
        Type::Record(id) => {
            let record = context.types.record(id);
            let layout = record.layout.as_ref()?;
            if record.tuple.is_some() {
                return None;
            }
            let mut found = false;
            for field in &layout.fields {
                found |= has_floats(context, field.ty)?;
            }
            Some(found)
        }
        _ => Some(false),
    }
}
