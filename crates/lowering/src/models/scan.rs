//! `scanf` and its kin: every conversion may find any value, and any number of them may find none.

use super::IntrinsicCall;
use super::format::{Amount, Piece, Size, pieces};
use crate::FunctionLowering;
use cfa::op::{InputKind, Op};
use cfa::value::Ty;
use syntax::typed::StringId;

/// The largest text that an unlimited `%s` reads; longer ones overflow what real programs give it.
const LONGEST: i128 = 131_072;

/// Which function, by where its format stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScanFunction {
    format: u8,
    /// The text comes from the program, so that not every outcome is possible.
    from_text: bool,
}

impl ScanFunction {
    pub fn named(name: &str) -> Option<ScanFunction> {
        let name = name
            .strip_prefix("__isoc99_")
            .or_else(|| name.strip_prefix("__isoc23_"))
            .unwrap_or(name);
        let (format, from_text) = match name {
            "scanf" => (0, false),
            "fscanf" => (1, false),
            "sscanf" => (1, true),
            _ => return None,
        };
        Some(ScanFunction { format, from_text })
    }

    /// Where the format stands among the arguments.
    pub fn format(self) -> usize {
        self.format.into()
    }
}

/// What one conversion stores.
enum Stored {
    Number(Ty),
    /// So many characters.
    Characters(i128),
    /// A word of at most so many.
    Word(i128),
    /// A terminated text of at most so many, of characters in a set.
    Set(i128),
    /// A number of at most so many decimal digits and a sign.
    Short(Ty, i128),
}

impl FunctionLowering<'_, '_> {
    pub(crate) fn scan(
        &mut self,
        function: ScanFunction,
        call: &IntrinsicCall,
        literal: Option<StringId>,
    ) -> Option<cfa::expr::ExprId> {
        let span = call.span;
        let name = self.context.names.get(call.name).to_owned();
        let Some(stored) = literal.and_then(|id| self.stored(id)) else {
            let what = format!("`{name}` with a format that is not understood");
            self.unsupported(&what, span);
            return Some(self.nothing());
        };
        let targets = call.args.len().saturating_sub(function.format() + 1);
        if targets < stored.len() {
            self.unsupported(&format!("`{name}` with too few arguments"), span);
            return Some(self.nothing());
        }
        if function.from_text {
            let text = format!("`{name}` reads any values that its format allows");
            self.context.assume(text, span);
        }
        let found = self.temporary(Ty::I32, span);
        let kind = InputKind::Library(call.name);
        self.havoc(found, kind.clone(), false, span);
        let count = self.read(found);
        let pool = &mut self.context.pool;
        let (least, most) = (
            pool.integer(-1, Ty::I32),
            pool.integer(stored.len() as i128, Ty::I32),
        );
        let (above, below) = (pool.le(least, count), pool.le(count, most));
        let possible = pool.and(above, below);
        self.emit(Op::Assume(possible), span);
        let done = self.new_node();
        for (index, what) in stored.into_iter().enumerate() {
            let number = self.context.pool.integer(index as i128, Ty::I32);
            let reached = self.context.pool.lt(number, count);
            let next = self.new_node();
            self.branch_on(reached, next, done, span);
            self.enter(next);
            let at = function.format() + 1 + index;
            let target = self.argument_as(call, at, self.context.pointer);
            match what {
                Stored::Number(ty) => {
                    let value = self.temporary(ty, span);
                    self.havoc(value, kind.clone(), false, span);
                    let value = self.read(value);
                    self.store(target, value, span);
                }
                Stored::Characters(count) => {
                    let count = self.context.pool.integer(count, self.context.pointer);
                    self.call_model("__concord_any_bytes", &[target, count], span);
                }
                Stored::Word(most) => {
                    let most = self.context.pool.integer(most, self.context.pointer);
                    self.call_model("__concord_any_word", &[target, most], span);
                }
                Stored::Set(most) => {
                    let most = self.context.pool.integer(most, self.context.pointer);
                    self.call_model("__concord_guess_scanf", &[target, most], span);
                }
                Stored::Short(ty, digits) => {
                    let value = self.temporary(ty, span);
                    self.havoc(value, kind.clone(), false, span);
                    let value = self.read(value);
                    let pool = &mut self.context.pool;
                    let power = |digits: i128| 10_i128.pow(digits as u32) - 1;
                    // The sign takes the place of a digit.
                    let (least, most) = (
                        pool.integer(-power(digits - 1), ty),
                        pool.integer(power(digits), ty),
                    );
                    let (above, below) = (pool.le(least, value), pool.le(value, most));
                    let possible = pool.and(above, below);
                    self.emit(Op::Assume(possible), span);
                    self.store(target, value, span);
                }
            }
        }
        self.go(done, span);
        self.enter(done);
        Some(self.convert_to(count, call.ty))
    }

    /// What the conversions of a format store; `None` if one of them is not understood.
    fn stored(&self, id: StringId) -> Option<Vec<Stored>> {
        let format = self.context.literal(id);
        let mut stored = Vec::new();
        for piece in pieces(&format, true)? {
            let Piece::Conversion(conversion) = piece else {
                continue;
            };
            let width = match conversion.width {
                Amount::Number(width) => Some(i128::from(width)),
                _ => None,
            };
            let what = match conversion.letter {
                b'c' if conversion.size == Size::Int => Stored::Characters(width.unwrap_or(1)),
                b's' if conversion.size == Size::Int => Stored::Word(width.unwrap_or(LONGEST)),
                b'[' if conversion.size == Size::Int => Stored::Set(width.unwrap_or(LONGEST)),
                letter => {
                    let ty = conversion.scanned(self.context.pointer)?;
                    match (letter, width) {
                        (_, None) => Stored::Number(ty),
                        // Which numbers have so few digits is told of whole ones only.
                        (b'd', Some(width @ 1..)) if ty.is_signed() => {
                            let digits = i128::from(ty.width()) * 3 / 10;
                            match width < digits {
                                true => Stored::Short(ty, width),
                                false => Stored::Number(ty),
                            }
                        }
                        _ => return None,
                    }
                }
            };
            if !conversion.suppressed {
                stored.push(what);
            }
        }
        Some(stored)
    }
}
