//! The formats of `printf` and `scanf`, taken apart.

use arith::float::FloatFormat;
use cfa::value::Ty;

/// A part of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// Bytes of the format that stand for themselves: where they start, and how many they are.
    Text {
        start: usize,
        length: usize,
    },
    Conversion(Conversion),
}

/// A width or a precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Amount {
    None,
    Number(i32),
    /// `*`: the next argument.
    Argument,
}

/// Flags of a conversion, as the models in `format.c` have them.
const CAPITALS: i32 = 32;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Conversion {
    pub flags: i32,
    pub width: Amount,
    pub precision: Amount,
    /// In `scanf`: read, but stored nowhere.
    pub suppressed: bool,
    pub size: Size,
    pub letter: u8,
}

/// How large the converted value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Size {
    Char,
    Short,
    Int,
    Long,
    LongLong,
    /// `size_t`, `ptrdiff_t`.
    Pointer,
    LongDouble,
}

impl Conversion {
    pub fn bits(&self, pointer: Ty) -> u16 {
        match self.size {
            Size::Char => 8,
            Size::Short => 16,
            Size::Int => 32,
            Size::Long | Size::Pointer => pointer.width(),
            Size::LongLong | Size::LongDouble => 64,
        }
    }

    /// The type in which `printf` reads the value: after C's promotions.
    pub fn printed(&self, pointer: Ty) -> Option<Ty> {
        let width = self.bits(pointer).max(32);
        Some(match self.letter {
            b'd' | b'i' => Ty::signed(width),
            b'u' | b'o' | b'x' | b'X' => Ty::unsigned(width),
            b'c' => Ty::I32,
            b's' | b'p' => pointer,
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                Ty::Float(if self.size == Size::LongDouble {
                    FloatFormat::X87
                } else {
                    FloatFormat::Double
                })
            }
            _ => return None,
        })
    }

    /// The type of the object that `scanf` stores a number in; `None` if it is no number.
    pub fn scanned(&self, pointer: Ty) -> Option<Ty> {
        let width = self.bits(pointer);
        Some(match self.letter {
            b'd' | b'i' => Ty::signed(width),
            b'u' | b'o' | b'x' | b'X' => Ty::unsigned(width),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => Ty::Float(match self.size {
                Size::LongDouble => FloatFormat::X87,
                Size::Long => FloatFormat::Double,
                _ => FloatFormat::Single,
            }),
            _ => return None,
        })
    }
}

/// Reads the rest of a conversion, from behind its `%`.
struct Reader<'f> {
    format: &'f [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.format.get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn number(&mut self) -> Option<i32> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if start == self.at {
            return None;
        }
        // Longer ones are no widths of anything.
        let digits = std::str::from_utf8(&self.format[start..self.at]).ok()?;
        Some(digits.parse().unwrap_or(i32::MAX))
    }

    fn amount(&mut self) -> Amount {
        if self.take(b'*') {
            return Amount::Argument;
        }
        self.number().map_or(Amount::None, Amount::Number)
    }

    fn size(&mut self) -> Size {
        match self.peek() {
            Some(b'h') => {
                self.at += 1;
                if self.take(b'h') {
                    Size::Char
                } else {
                    Size::Short
                }
            }
            Some(b'l') => {
                self.at += 1;
                if self.take(b'l') {
                    Size::LongLong
                } else {
                    Size::Long
                }
            }
            Some(b'q' | b'j') => {
                self.at += 1;
                Size::LongLong
            }
            Some(b'L') => {
                self.at += 1;
                Size::LongDouble
            }
            Some(b'z' | b't') => {
                self.at += 1;
                Size::Pointer
            }
            _ => Size::Int,
        }
    }
}

/// Takes a format apart; `None` if a conversion is not complete. `%%` is text.
pub(crate) fn pieces(format: &[u8], scanning: bool) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let text = |start: usize, end: usize, pieces: &mut Vec<Piece>| {
        if start < end {
            let length = end - start;
            pieces.push(Piece::Text { start, length });
        }
    };
    let mut start = 0;
    let mut reader = Reader { format, at: 0 };
    while let Some(byte) = reader.peek() {
        if byte != b'%' {
            reader.at += 1;
            continue;
        }
        text(start, reader.at, &mut pieces);
        reader.at += 1;
        if reader.peek() == Some(b'%') {
            // The second one stands for itself.
            start = reader.at;
            reader.at += 1;
            continue;
        }
        let (mut flags, mut suppressed) = (0, false);
        if scanning {
            suppressed = reader.take(b'*');
        } else {
            while let Some(at) = reader
                .peek()
                .and_then(|byte| b"-+ #0'".iter().position(|&flag| flag == byte))
            {
                // The apostrophe groups digits, which the "C" locale does not.
                flags |= if at < 5 { 1 << at } else { 0 };
                reader.at += 1;
            }
        }
        let width = match scanning {
            true => reader.number().map_or(Amount::None, Amount::Number),
            false => reader.amount(),
        };
        let mut precision = Amount::None;
        if !scanning && reader.take(b'.') {
            precision = match reader.amount() {
                Amount::None => Amount::Number(0),
                given => given,
            };
        }
        let size = reader.size();
        let letter = reader.peek()?;
        reader.at += 1;
        if scanning && letter == b'[' {
            // A `]` that comes first belongs to the set.
            reader.take(b'^');
            reader.take(b']');
            while !reader.take(b']') {
                reader.peek()?;
                reader.at += 1;
            }
        }
        start = reader.at;
        if letter.is_ascii_uppercase() {
            flags |= CAPITALS;
        }
        pieces.push(Piece::Conversion(Conversion {
            flags,
            width,
            precision,
            suppressed,
            size,
            letter,
        }));
    }
    text(start, format.len(), &mut pieces);
    Some(pieces)
}

/// Whether a format of `printf` has `%n`, which stores how many characters there are so far.
pub(crate) fn counts_characters(format: &[u8]) -> bool {
    let end = format.iter().position(|&byte| byte == 0);
    let pieces = pieces(&format[..end.unwrap_or(format.len())], false);
    let is_count =
        |piece: &Piece| matches!(piece, Piece::Conversion(conversion) if conversion.letter == b'n');
    pieces.is_some_and(|pieces| pieces.iter().any(is_count))
}

/// The types that the conversions of a `printf` format read, in order; `None` if it has one that
/// cannot be shown.
pub(crate) fn conversions(format: &[u8], pointer: Ty) -> Option<Vec<Ty>> {
    let mut types = Vec::new();
    for piece in pieces(format, false)? {
        let Piece::Conversion(conversion) = piece else {
            continue;
        };
        for amount in [conversion.width, conversion.precision] {
            if amount == Amount::Argument {
                types.push(Ty::I32);
            }
        }
        if conversion.letter != b'm' {
            types.push(conversion.printed(pointer)?);
        }
    }
    Some(types)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_say_which_types_they_read() {
        let types = |text: &str| conversions(text.as_bytes(), Ty::U64);
        assert_eq!(types("a %d %5u%%"), Some(vec![Ty::I32, Ty::U32]));
        assert_eq!(types("%-*.*lx"), Some(vec![Ty::I32, Ty::I32, Ty::U64]));
        assert_eq!(types("%s %zu"), Some(vec![Ty::U64, Ty::U64]));
        assert_eq!(types("%Lf"), Some(vec![Ty::Float(FloatFormat::X87)]));
        assert_eq!(types("%hhd %m"), Some(vec![Ty::I32]));
        assert_eq!(types("%n"), None);
        assert_eq!(types("%"), None);
    }

    #[test]
    fn counts_are_found() {
        assert!(counts_characters(b"ab%d%5ln\0"));
        assert!(!counts_characters(b"%%n\0%n"));
        assert!(!counts_characters(b"%dn"));
    }

    #[test]
    fn pieces_cover_the_text() {
        let found = pieces(b"ab%%c%-05.3ldx", false).expect("a good format");
        let text = |start, length| Piece::Text { start, length };
        assert_eq!(found[..2], [text(0, 2), text(3, 2)]);
        let Piece::Conversion(conversion) = &found[2] else {
            panic!("{found:?}");
        };
        assert_eq!(conversion.flags, 1 | 16);
        assert_eq!(conversion.width, Amount::Number(5));
        assert_eq!(conversion.precision, Amount::Number(3));
        assert_eq!((conversion.size, conversion.letter), (Size::Long, b'd'));
        assert_eq!(found[3], text(13, 1));
    }

    #[test]
    fn sets_of_scanf_end_where_they_end() {
        let found = pieces(b"%*d%20[^]x]%c", true).expect("a good format");
        let letters: Vec<(u8, bool)> = found
            .iter()
            .filter_map(|piece| match piece {
                Piece::Conversion(conversion) => Some((conversion.letter, conversion.suppressed)),
                Piece::Text { .. } => None,
            })
            .collect();
        assert_eq!(letters, [(b'd', true), (b'[', false), (b'c', false)]);
        assert_eq!(pieces(b"%[", true), None);
    }
}
