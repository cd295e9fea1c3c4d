//! Where an execution gets the values from that the program does not determine.

use arith::float::{self, RoundingMode};
use arith::int;
use cfa::expr::{ExprId, Node};
use cfa::memory::ObjectId;
use cfa::op::{Input, InputId, InputKind};
use cfa::outside;
use cfa::program::Program;
use cfa::value::Ty;
use syntax::types::DataModel;

/// Laws: the interpreter asks once for each input that the execution consumes, in order; `None`
/// ends the execution. Bits beyond the type are cut off.
pub trait InputSource {
    fn next(&mut self, input: &Input, ty: Ty) -> Option<u128>;

    /// As `next`, for those that tell inputs apart.
    fn next_of(&mut self, _id: InputId, input: &Input, ty: Ty) -> Option<u128> {
        self.next(input, ty)
    }

    /// The value of memory that was never given one, `offset` bytes into an object.
    fn next_in_memory(
        &mut self,
        input: &Input,
        _object: ObjectId,
        _offset: u64,
        ty: Ty,
    ) -> Option<u128> {
        self.next(input, ty)
    }

    /// An object comes to life whose memory has no value yet.
    fn begins(&mut self, _object: ObjectId) {}
}

/// A pointer that the program is started with.
pub fn started_with(input: &Input, ty: Ty) -> Option<u128> {
    let models = [DataModel::Ilp32, DataModel::Lp64];
    let mut models = models.into_iter();
    let model = models.find(|model| ty == Ty::unsigned(model.pointer_bits()))?;
    let is_argument = matches!(input.kind, InputKind::Argument(_));
    is_argument.then(|| outside::address(model).into())
}

/// The same value whenever anything is asked for, except for pointers that the program is started
/// with: they lead outside, as C promises of `argv`.
pub struct ConstantInputs(pub u128);

impl InputSource for ConstantInputs {
    fn next(&mut self, input: &Input, ty: Ty) -> Option<u128> {
        Some(started_with(input, ty).unwrap_or(self.0))
    }
}

/// The inputs of an earlier execution.
pub struct RecordedInputs<'a> {
    rest: std::slice::Iter<'a, (InputId, Ty, u128)>,
}

impl<'a> RecordedInputs<'a> {
    pub fn new(inputs: &'a [(InputId, Ty, u128)]) -> RecordedInputs<'a> {
        RecordedInputs {
            rest: inputs.iter(),
        }
    }
}

impl InputSource for RecordedInputs<'_> {
    fn next(&mut self, _: &Input, _: Ty) -> Option<u128> {
        self.rest.next().map(|&(_, _, bits)| bits)
    }
}

/// A line of an input file that is no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadInputLine {
    pub line: usize,
    pub text: String,
}

impl std::fmt::Display for BadInputLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "line {}: '{}' is not a value; expected a decimal or hexadecimal integer, a floating-point number, or bits:0x…",
            self.line, self.text
        )
    }
}

impl std::error::Error for BadInputLine {}

#[derive(Clone, PartialEq, Debug)]
enum Written {
    Integer {
        negative: bool,
        magnitude: u128,
    },
    /// A floating literal, perhaps signed; kept as text until its format is known.
    Real(String),
    Bits(u128),
}

/// Values written down by people or tools: one per line, decimal or hexadecimal integers,
/// floating-point numbers as in C, `inf` and `nan`, or `bits:0x…` for an exact pattern. Empty lines
/// and what follows `#` are left out.
#[derive(Clone, Debug)]
pub struct ListedInputs {
    values: std::vec::IntoIter<Written>,
}

impl ListedInputs {
    pub fn parse(text: &str) -> Result<ListedInputs, BadInputLine> {
        let mut values = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let value = line.split('#').next().unwrap_or_default().trim();
            if value.is_empty() {
                continue;
            }
            values.push(read_value(value).ok_or_else(|| BadInputLine {
                line: index + 1,
                text: value.to_owned(),
            })?);
        }
        Ok(ListedInputs {
            values: values.into_iter(),
        })
    }
}

fn read_value(text: &str) -> Option<Written> {
    if let Some(bits) = text.strip_prefix("bits:") {
        let bits = bits.strip_prefix("0x").or(bits.strip_prefix("0X"))?;
        return u128::from_str_radix(bits, 16).ok().map(Written::Bits);
    }
    let (negative, body) = match text.strip_prefix('-') {
        Some(body) => (true, body),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = match body.strip_prefix("0x").or(body.strip_prefix("0X")) {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None if body.starts_with(|c: char| c.is_ascii_digit()) => body.parse().ok(),
        None => None,
    };
    if let Some(magnitude) = magnitude {
        return Some(Written::Integer {
            negative,
            magnitude,
        });
    }
    read_float(float::FloatFormat::Double, text)?;
    Some(Written::Real(text.to_owned()))
}

fn read_float(format: float::FloatFormat, text: &str) -> Option<u128> {
    let (negative, body) = match text.strip_prefix('-') {
        Some(body) => (true, body),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = match body {
        "inf" | "infinity" => float::infinity(format, false),
        "nan" => float::nan(format),
        _ => float::parse(format, body).ok()?,
    };
    Some(if negative {
        float::neg(format, magnitude)
    } else {
        magnitude
    })
}

fn written_bits(value: &Written, ty: Ty) -> u128 {
    match (value, ty) {
        (Written::Bits(bits), _) => *bits,
        (
            Written::Integer {
                negative,
                magnitude,
            },
            Ty::Float(format),
        ) => {
            let positive =
                float::from_int(format, RoundingMode::NearestEven, *magnitude, 128, false);
            if *negative {
                float::neg(format, positive)
            } else {
                positive
            }
        }
        (
            Written::Integer {
                negative,
                magnitude,
            },
            _,
        ) => {
            let value = if *negative {
                magnitude.wrapping_neg()
            } else {
                *magnitude
            };
            if ty == Ty::Bool {
                u128::from(value != 0)
            } else {
                value
            }
        }
        (Written::Real(text), Ty::Float(format)) => read_float(format, text).unwrap_or(0),
        (Written::Real(text), _) => {
            let format = float::FloatFormat::Quad;
            let bits = read_float(format, text).unwrap_or(0);
            float::to_int_x86(format, bits, u32::from(ty.width()).max(8), true)
        }
    }
}

impl InputSource for ListedInputs {
    fn next(&mut self, _: &Input, ty: Ty) -> Option<u128> {
        self.values.next().map(|value| written_bits(&value, ty))
    }
}

/// A consumed value as [`ListedInputs`] reads it back, exactly.
pub fn write_value(ty: Ty, bits: u128) -> String {
    match ty {
        Ty::Bool => bits.to_string(),
        Ty::Int { width, signed } => {
            if signed {
                int::to_signed(bits, width.into()).to_string()
            } else {
                bits.to_string()
            }
        }
        Ty::Float(format) => {
            let text = match float::hex_literal(format, bits) {
                Some(literal) => literal,
                None if float::is_inf(format, bits) && float::sign_bit(format, bits) => {
                    "-inf".to_owned()
                }
                None if float::is_inf(format, bits) => "inf".to_owned(),
                None => String::new(),
            };
            // NaNs have bits of their own, and odd x87 patterns stand for numbers that others stand
            // for too.
            match read_float(format, &text) {
                Some(read) if read == bits => text,
                _ => format!("bits:{bits:#x}"),
            }
        }
    }
}

/// Random values that favour those on which programs branch: small ones, the ends of the type's
/// range, powers of two, and the program's own constants with their neighbours. The seed determines
/// them all.
#[derive(Clone, Debug)]
pub struct RandomInputs {
    state: u64,
    constants: Vec<u128>,
}

impl RandomInputs {
    pub fn new(seed: u64, program: &Program) -> RandomInputs {
        RandomInputs::with_constants(seed, constants(program))
    }

    /// For many executions of one program: the constants of [`constants`] are found once.
    pub fn with_constants(seed: u64, constants: Vec<u128>) -> RandomInputs {
        RandomInputs {
            state: seed,
            constants,
        }
    }

    /// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.random() % bound.max(1)
    }

    fn bits(&mut self) -> u128 {
        u128::from(self.random()) << 64 | u128::from(self.random())
    }

    fn integer(&mut self, width: u32) -> u128 {
        match self.below(8) {
            0 | 1 => self.below(4).into(),
            2 => (i128::from(self.below(33)) - 16) as u128,
            3 => match self.below(4) {
                0 => int::signed_min(width),
                1 => int::signed_max(width),
                _ => u128::MAX,
            },
            4 => {
                let power = 1u128 << self.below(u64::from(width));
                let near = i128::from(self.below(3)) - 1;
                power.wrapping_add(near as u128)
            }
            5 | 6 if !self.constants.is_empty() => {
                let index = self.below(self.constants.len() as u64) as usize;
                let near = i128::from(self.below(3)) - 1;
                self.constants[index].wrapping_add(near as u128)
            }
            _ => self.bits(),
        }
    }
}

impl InputSource for RandomInputs {
    fn next(&mut self, input: &Input, ty: Ty) -> Option<u128> {
        if let Some(pointer) = started_with(input, ty) {
            return Some(pointer);
        }
        Some(match ty {
            _ if input.is_bool => self.below(2).into(),
            Ty::Bool => self.below(2).into(),
            Ty::Int { width, .. } => self.integer(width.into()),
            Ty::Float(format) => match self.below(8) {
                0 => float::infinity(format, self.below(2) == 1),
                1 => float::nan(format),
                2 => float::zero(format, self.below(2) == 1),
                3 | 4 => self.bits(),
                _ => {
                    let value = self.integer(64);
                    let value = float::from_int(format, RoundingMode::NearestEven, value, 64, true);
                    let half = float::from_int(format, RoundingMode::NearestEven, 2, 8, true);
                    if self.below(2) == 0 {
                        value
                    } else {
                        float::div(format, RoundingMode::NearestEven, value, half)
                    }
                }
            },
        })
    }
}

/// The distinct integer constants that the program's expressions hold.
pub fn constants(program: &Program) -> Vec<u128> {
    let pool = &program.pool;
    let mut found: Vec<u128> = (0..pool.len())
        .map(|index| ExprId(index as u32))
        .filter(|&id| pool.ty(id).is_int())
        .filter_map(|id| match (pool.node(id), pool.ty(id)) {
            (Node::Const(bits), Ty::Int { width, signed }) => {
                Some(int::resize(bits, width.into(), signed, 128))
            }
            _ => None,
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use arith::float::FloatFormat;
    use cfa::op::InputKind;
    use proptest::prelude::*;
    use syntax::span::Span;

    fn any_input() -> Input {
        Input {
            kind: InputKind::Assembly,
            is_bool: false,
            span: Span::NONE,
        }
    }

    #[test]
    fn lines_are_read_in_the_type_that_is_asked_for() {
        let text = "5\n-1 # comment\n\n0xff\n1.5\n-0x1p3\nbits:0x7fc00001\n3\ninf\n";
        let mut list = ListedInputs::parse(text).expect("all lines are values");
        let single = Ty::Float(FloatFormat::Single);
        let f = |value: f32| Some(u128::from(value.to_bits()));
        let input = any_input();
        assert_eq!(list.next(&input, Ty::I32), Some(5));
        assert_eq!(list.next(&input, Ty::I32), Some(u128::MAX));
        assert_eq!(list.next(&input, Ty::U8), Some(255));
        assert_eq!(list.next(&input, single), f(1.5));
        assert_eq!(list.next(&input, single), f(-8.0));
        assert_eq!(list.next(&input, single), Some(0x7fc0_0001));
        assert_eq!(list.next(&input, single), f(3.0));
        assert_eq!(list.next(&input, single), f(f32::INFINITY));
        assert_eq!(list.next(&input, Ty::I32), None);
    }

    #[test]
    fn other_text_is_refused_with_its_line() {
        let error = ListedInputs::parse("1\ntwo\n").expect_err("the second line is no value");
        assert_eq!(error.line, 2);
        assert!(error.to_string().contains("'two'"));
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(bits: u128, which in 0usize..8) {
            let ty = [
                Ty::I32,
                Ty::U64,
                Ty::signed(128),
                Ty::unsigned(128),
                Ty::Float(FloatFormat::Single),
                Ty::Float(FloatFormat::Double),
                Ty::Float(FloatFormat::X87),
                Ty::Float(FloatFormat::Quad),
            ][which];
            let bits = int::truncate(bits, ty.width().into());
            let text = write_value(ty, bits);
            let mut list = ListedInputs::parse(&text).expect("written by us");
            let read = list.next(&any_input(), ty).expect("one value");
            prop_assert_eq!(int::truncate(read, ty.width().into()), bits, "{}", text);
        }
    }
}
