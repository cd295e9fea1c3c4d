//! Output: `printf` and its kin become [`Print`] operations.

use super::IntrinsicCall;
use super::format::conversions;
use crate::expr::{ExprId, VarId};
use crate::lower::{Actual, FunctionLowering};
use crate::memory::RegionId;
use crate::op::{InputKind, Op, Print, PrintKind};
use crate::value::Ty;
use syntax::span::Span;
use syntax::typed::{Expr, ExprKind, PlaceKind, StringId};
use syntax::types::Type;

/// What is printed, and where the arguments stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PrintFunction {
    /// `printf(format, …)`.
    Format {
        to_file: bool,
    },
    /// `vprintf(format, list)`.
    List {
        to_file: bool,
    },
    Line,
    /// `fputs(text, file)`.
    Text,
    /// `putchar(c)`, `fputc(c, file)`.
    Char {
        to_file: bool,
    },
}

/// Bytes from one argument behind `...` to the next.
const SLOT_BYTES: i128 = crate::lower::SLOT_BYTES as i128;

impl PrintFunction {
    pub fn named(name: &str) -> Option<PrintFunction> {
        Some(match name {
            "printf" => PrintFunction::Format { to_file: false },
            "fprintf" => PrintFunction::Format { to_file: true },
            "vprintf" => PrintFunction::List { to_file: false },
            "vfprintf" => PrintFunction::List { to_file: true },
            "puts" => PrintFunction::Line,
            "fputs" => PrintFunction::Text,
            "putchar" | "putchar_unlocked" => PrintFunction::Char { to_file: false },
            "fputc" | "putc" | "_IO_putc" => PrintFunction::Char { to_file: true },
            _ => return None,
        })
    }

    /// Where the file stands among the arguments.
    fn file(self) -> Option<usize> {
        match self {
            PrintFunction::Format { to_file: true } | PrintFunction::List { to_file: true } => {
                Some(0)
            }
            PrintFunction::Text | PrintFunction::Char { to_file: true } => Some(1),
            _ => None,
        }
    }

    /// Where the format stands.
    fn format(self) -> Option<usize> {
        match self {
            PrintFunction::Format { to_file } | PrintFunction::List { to_file } => {
                Some(usize::from(to_file))
            }
            _ => None,
        }
    }
}

/// Where output goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stream {
    Output,
    Error,
    /// Some file: nothing is shown.
    Other,
}

impl<'t> FunctionLowering<'_, 't> {
    /// A direct call: file and format are looked at before the arguments are evaluated.
    pub(crate) fn print_call(
        &mut self,
        function: PrintFunction,
        args: &'t [Expr],
        expr: &'t Expr,
        wanted: bool,
    ) -> Option<ExprId> {
        let stream = match function.file() {
            Some(at) => args.get(at).map_or(Stream::Other, |file| self.stream(file)),
            None => Stream::Output,
        };
        let literal = function.format().and_then(|at| literal(args.get(at)?));
        let skipped = |index: usize| {
            Some(index) == function.file() && stream != Stream::Other
                || Some(index) == function.format() && literal.is_some()
        };
        let evaluated: Vec<(usize, &'t Expr)> = args
            .iter()
            .enumerate()
            .filter(|&(index, _)| !skipped(index))
            .rev()
            .collect();
        let exprs: Vec<&'t Expr> = evaluated.iter().map(|&(_, arg)| arg).collect();
        let values = self.sequence(&exprs);
        let mut actuals: Vec<Option<Actual>> = vec![None; args.len()];
        for (&(index, arg), value) in evaluated.iter().zip(values) {
            actuals[index] = Some(Actual { value, ty: arg.ty });
        }
        let result = wanted.then(|| self.temporary(Ty::I32, expr.span));
        let value = self.print(function, &actuals, literal, stream, result, expr.span);
        Some(self.convert_to(value, expr.ty))
    }

    /// A call through a pointer: nothing is known about format and file.
    pub(super) fn print_values(
        &mut self,
        function: PrintFunction,
        call: &IntrinsicCall,
    ) -> Option<ExprId> {
        let actuals: Vec<Option<Actual>> = call.args.iter().copied().map(Some).collect();
        let stream = if function.file().is_some() {
            Stream::Other
        } else {
            Stream::Output
        };
        let result = Some(self.temporary(Ty::I32, call.span));
        let value = self.print(function, &actuals, None, stream, result, call.span);
        Some(self.convert_to(value, call.ty))
    }

    fn print(
        &mut self,
        function: PrintFunction,
        actuals: &[Option<Actual>],
        literal: Option<StringId>,
        stream: Stream,
        result: Option<VarId>,
        span: Span,
    ) -> ExprId {
        let argument = |at: usize| actuals.get(at).copied().flatten();
        let (kind, args) = match function {
            PrintFunction::Format { .. } | PrintFunction::List { .. } => {
                let at = function.format().unwrap_or(0);
                let conversions = literal.and_then(|id| {
                    let bytes = &self.context.typed.strings[id.0 as usize].bytes;
                    let text = bytes.strip_suffix(&[0]).unwrap_or(bytes).to_vec();
                    Some((conversions(&text, self.context.pointer)?, text))
                });
                let rest: Vec<Actual> = actuals.iter().skip(at + 1).copied().flatten().collect();
                let values = conversions.as_ref().and_then(|(types, _)| match function {
                    PrintFunction::List { .. } => self.listed(types, rest.first()?),
                    _ => self.given(types, &rest),
                });
                match (conversions, values) {
                    (Some((_, text)), Some(values)) => (PrintKind::Format(text), values),
                    _ => {
                        let format = argument(at).map(|actual| actual.value);
                        let format = match (format, literal) {
                            (Some(format), _) => format,
                            (None, Some(id)) => {
                                let object = self.context.string_object(id);
                                self.context.object_address(object)
                            }
                            (None, None) => self.context.pool.zero(self.context.pointer),
                        };
                        let mut args = vec![format];
                        args.extend(rest.iter().map(|actual| actual.value));
                        (PrintKind::UnknownFormat, args)
                    }
                }
            }
            PrintFunction::Line | PrintFunction::Text => {
                let text = argument(0).map(|actual| actual.value);
                let text = text.unwrap_or_else(|| self.context.pool.zero(self.context.pointer));
                let is_line = function == PrintFunction::Line;
                (
                    if is_line {
                        PrintKind::Line
                    } else {
                        PrintKind::Text
                    },
                    vec![text],
                )
            }
            PrintFunction::Char { .. } => {
                let character = argument(0).map(|actual| actual.value);
                let character = character.unwrap_or_else(|| self.nothing());
                let character = self.context.pool.convert(character, Ty::I32);
                let character = self.save(character, span);
                self.show(PrintKind::Char, vec![character], None, stream, span);
                // `putchar` returns what it wrote.
                let byte = self.context.pool.convert(character, Ty::U8);
                return self.context.pool.convert(byte, Ty::I32);
            }
        };
        self.show(kind, args, result, stream, span);
        match result {
            Some(result) => self.read(result),
            None => self.nothing(),
        }
    }

    fn show(
        &mut self,
        kind: PrintKind,
        args: Vec<ExprId>,
        result: Option<VarId>,
        stream: Stream,
        span: Span,
    ) {
        if stream == Stream::Other {
            // Evaluated, shown nowhere; how much was written is anybody's guess.
            for arg in args {
                if self.context.pool.can_fail(arg) {
                    let var = self.temporary(self.context.pool.ty(arg), span);
                    self.emit(Op::Assign(var, arg), span);
                }
            }
            if let Some(result) = result {
                let name = self.context.names.intern("fprintf");
                self.havoc(result, InputKind::External(name), false, span);
            }
            return;
        }
        let to_stderr = stream == Stream::Error;
        self.emit(
            Op::Print(Print {
                kind,
                args,
                result,
                to_stderr,
            }),
            span,
        );
    }

    /// Each argument in the type that its conversion reads; none if arguments are missing.
    pub(super) fn given(&mut self, types: &[Ty], actuals: &[Actual]) -> Option<Vec<ExprId>> {
        if types.len() > actuals.len() {
            return None;
        }
        let pairs = types.iter().zip(actuals);
        let pool = &mut self.context.pool;
        Some(
            pairs
                .map(|(&ty, actual)| pool.convert(actual.value, ty))
                .collect(),
        )
    }

    /// The arguments that lie behind a `va_list`.
    pub(super) fn listed(&mut self, types: &[Ty], list: &Actual) -> Option<Vec<ExprId>> {
        let cursor = match self.context.types.shape(list.ty) {
            Type::VaList if self.context.pointer.width() == 32 => list.value,
            _ => self.argument_cursor(list.value),
        };
        let mut values = Vec::new();
        for (index, &ty) in types.iter().enumerate() {
            let address = self.context.pool.offset(cursor, index as i128 * SLOT_BYTES);
            values.push(self.context.pool.load(RegionId::WHOLE, address, ty));
        }
        Some(values)
    }

    /// `stdout` and `stderr` by the names of their variables.
    fn stream(&self, file: &Expr) -> Stream {
        match &file.kind {
            ExprKind::Convert(inner) => self.stream(inner),
            ExprKind::Load(place) => match &place.kind {
                PlaceKind::Var(id) => {
                    let variable = self.context.variable(*id);
                    match self.context.names.get(variable.name) {
                        "stdout" if variable.external => Stream::Output,
                        "stderr" if variable.external => Stream::Error,
                        _ => Stream::Other,
                    }
                }
                _ => Stream::Other,
            },
            _ => Stream::Other,
        }
    }
}

/// The literal that an argument is, through conversions.
pub(crate) fn literal(expr: &Expr) -> Option<StringId> {
    match &expr.kind {
        ExprKind::Convert(inner) => literal(inner),
        ExprKind::AddressOf(place) => match place.kind {
            PlaceKind::String(id) => Some(id),
            _ => None,
        },
        _ => None,
    }
}
