//! Output: `printf` and its kin become [`Print`] operations.

use super::IntrinsicCall;
use super::format::conversions;
use crate::{Actual, FunctionLowering};
use cfa::expr::ExprId;
use cfa::memory::RegionId;
use cfa::op::{InputKind, Op, Print, PrintKind};
use cfa::value::Ty;
use syntax::span::{Name, Span};
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
const SLOT_BYTES: i128 = crate::SLOT_BYTES as i128;

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

/// The model that marks output to a file.
pub const FILE_OUTPUT: &str = "__concord_file_output";

/// A call that prints.
struct Printing {
    function: PrintFunction,
    name: Name,
    stream: Stream,
    /// Somebody looks at the result.
    wanted: bool,
    span: Span,
}

impl<'t> FunctionLowering<'_, 't> {
    /// A direct call: file and format are looked at before the arguments are evaluated.
    pub(crate) fn print_call(
        &mut self,
        function: PrintFunction,
        name: Name,
        args: &'t [Expr],
        expr: &'t Expr,
        wanted: bool,
    ) -> Option<ExprId> {
        let stream = match function.file() {
            Some(at) => args.get(at).map_or(Stream::Other, |file| self.stream(file)),
            None => Stream::Output,
        };
        let literal = function.format().and_then(|at| literal(args.get(at)?));
        if !wanted {
            self.refuse_other_output(function, literal, expr.span);
        }
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
        let printing = Printing {
            function,
            name,
            stream,
            wanted,
            span: expr.span,
        };
        let value = self.print(&printing, &actuals, literal);
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
        let printing = Printing {
            function,
            name: call.name,
            stream,
            wanted: true,
            span: call.span,
        };
        let value = self.print(&printing, &actuals, None);
        Some(self.convert_to(value, call.ty))
    }

    fn print(
        &mut self,
        printing: &Printing,
        actuals: &[Option<Actual>],
        literal: Option<StringId>,
    ) -> ExprId {
        let (function, span) = (printing.function, printing.span);
        let argument = |at: usize| actuals.get(at).copied().flatten();
        let usual = match function {
            PrintFunction::Format { .. } | PrintFunction::List { .. } => {
                self.print_format(printing, actuals, literal)
            }
            PrintFunction::Line | PrintFunction::Text => {
                let text = argument(0).map(|actual| actual.value);
                let text = text.unwrap_or_else(|| self.context.pool.zero(self.context.pointer));
                let text = self.save_if_read(text, span);
                let is_line = function == PrintFunction::Line;
                let kind = match is_line {
                    true => PrintKind::Line,
                    false => PrintKind::Text,
                };
                self.show(printing, kind, vec![text]);
                self.any_success(printing, is_line.then_some(text))
            }
            PrintFunction::Char { .. } => {
                let character = argument(0).map(|actual| actual.value);
                let character = character.unwrap_or_else(|| self.nothing());
                let character = self.context.pool.convert(character, Ty::I32);
                let character = self.save(character, span);
                self.show(printing, PrintKind::Char, vec![character]);
                // `putchar` returns what it wrote.
                let byte = self.context.pool.convert(character, Ty::U8);
                self.context.pool.convert(byte, Ty::I32)
            }
        };
        self.touch_errno(printing.name, None, span);
        if !printing.wanted {
            return usual;
        }
        // No output is certain: a disk may be full, a pipe closed.
        let fails = self.temporary(Ty::U8, span);
        self.havoc(fails, InputKind::Library(printing.name), true, span);
        let fails = self.read(fails);
        let fails = self.context.pool.truth(fails);
        let failure = self.context.pool.integer(-1, Ty::I32);
        self.context.pool.ite(fails, failure, usual)
    }

    /// `printf`; the value is the number of characters.
    fn print_format(
        &mut self,
        printing: &Printing,
        actuals: &[Option<Actual>],
        literal: Option<StringId>,
    ) -> ExprId {
        let (function, span) = (printing.function, printing.span);
        let at = function.format().unwrap_or(0);
        if literal.is_none() {
            let name = self.context.names.get(printing.name);
            let text = format!("the format of `{name}` has no `%n`");
            self.context.assume(text, span);
        }
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
        // What the format has no place for is evaluated all the same.
        let placed = values.as_ref().map_or(0, Vec::len);
        for actual in rest.iter().skip(placed) {
            self.evaluate(actual.value, span);
        }
        match (conversions, values) {
            (Some((_, text)), Some(values)) => {
                self.show(printing, PrintKind::Format(text), values);
            }
            _ => {
                let format = actuals.get(at).copied().flatten();
                let format = match (format, literal) {
                    (Some(format), _) => format.value,
                    (None, Some(id)) => {
                        let object = self.context.string_object(id);
                        self.context.object_address(object)
                    }
                    (None, None) => self.context.pool.zero(self.context.pointer),
                };
                let mut args = vec![format];
                args.extend(rest.iter().map(|actual| actual.value));
                self.show(printing, PrintKind::UnknownFormat, args);
            }
        }
        if !printing.wanted {
            return self.nothing();
        }
        let list = matches!(function, PrintFunction::List { .. });
        let length = self.text_length(list, printing.name, literal, &rest, span);
        length.unwrap_or_else(|| self.nothing())
    }

    /// A number that is not negative: glibc's is the length of the line, or 1.
    fn any_success(&mut self, printing: &Printing, line: Option<ExprId>) -> ExprId {
        let one = self.context.pool.integer(1, Ty::I32);
        if !printing.wanted {
            return one;
        }
        let span = printing.span;
        let length = line.and_then(|text| self.call_model("strlen", &[text], span));
        let usual = match length {
            Some(length) => {
                let length = self.context.pool.convert(length, Ty::I32);
                self.context.pool.add(length, one)
            }
            None => one,
        };
        let unusual = self.unusual(printing.name, span);
        let other = self.temporary(Ty::I32, span);
        self.havoc(other, InputKind::Library(printing.name), false, span);
        let other = self.read(other);
        let pool = &mut self.context.pool;
        let zero = pool.zero(Ty::I32);
        let possible = pool.le(zero, other);
        self.emit(Op::Assume(possible), span);
        let pool = &mut self.context.pool;
        let unusual = pool.truth(unusual);
        pool.ite(unusual, other, usual)
    }

    fn show(&mut self, printing: &Printing, kind: PrintKind, args: Vec<ExprId>) {
        let span = printing.span;
        if printing.stream == Stream::Other {
            // Evaluated, shown nowhere. Whether the file is open and the texts end is not asked.
            self.call_model(FILE_OUTPUT, &[], span);
            for arg in args {
                self.evaluate(arg, span);
            }
            return;
        }
        let to_stderr = printing.stream == Stream::Error;
        self.emit(
            Op::Print(Print {
                kind,
                args,
                result: None,
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

/// Whether a library function writes output, so that it may fail.
pub fn prints(name: &str) -> bool {
    PrintFunction::named(name).is_some()
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
