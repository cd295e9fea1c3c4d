//! Properties: what is asked about a program.
//!
//! The text of a property file is exact and is handed on as it is; what is read from it is which
//! property it states and, for `call(…)`, the function.

use std::fmt;
use std::path::{Path, PathBuf};

/// The properties that have a name in the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    UnreachCall,
    NoOverflow,
    ValidMemsafety,
    ValidMemcleanup,
    Termination,
    NoDataRace,
}

impl Kind {
    pub const ALL: [Self; 6] = [
        Self::UnreachCall,
        Self::NoOverflow,
        Self::ValidMemsafety,
        Self::ValidMemcleanup,
        Self::Termination,
        Self::NoDataRace,
    ];

    /// The name, which is also that of its property file and that in a verdict.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnreachCall => "unreach-call",
            Self::NoOverflow => "no-overflow",
            Self::ValidMemsafety => "valid-memsafety",
            Self::ValidMemcleanup => "valid-memcleanup",
            Self::Termination => "termination",
            Self::NoDataRace => "no-data-race",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The property that a part belongs to: names of programs and verdicts may state the part.
    pub fn of_part(name: &str) -> Option<Self> {
        match name {
            "valid-deref" | "valid-free" | "valid-memtrack" => Some(Self::ValidMemsafety),
            _ => Self::named(name),
        }
    }

    /// The text of its property file; `function` is the one that must not be called.
    pub fn text(self, function: &str) -> String {
        let line = |formula: &str| format!("CHECK( init(main()), LTL({formula}) )\n");
        match self {
            Self::UnreachCall => line(&format!("G ! call({function}())")),
            Self::NoOverflow => line("G ! overflow"),
            Self::ValidMemsafety => ["G valid-free", "G valid-deref", "G valid-memtrack"]
                .map(line)
                .concat(),
            Self::ValidMemcleanup => line("G valid-memcleanup"),
            Self::Termination => line("F end"),
            Self::NoDataRace => line("G ! data-race"),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// A property file as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    pub kind: Kind,
    /// The function in `call(…)`.
    pub function: Option<String>,
    pub text: String,
    pub file: Option<PathBuf>,
}

#[derive(Debug)]
pub enum PropertyError {
    Unreadable(PathBuf, std::io::Error),
    /// A line that states no property known here, e.g. one about coverage.
    Unknown {
        file: PathBuf,
        line: usize,
        text: String,
    },
    Empty(PathBuf),
}

impl fmt::Display for PropertyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(file, error) => {
                write!(out, "cannot read property file {}: {error}", file.display())
            }
            Self::Unknown { file, line, text } => {
                write!(out, "{}:{line}: unknown property: {text}", file.display())
            }
            Self::Empty(file) => write!(out, "{}: the file contains no property", file.display()),
        }
    }
}

impl std::error::Error for PropertyError {}

impl Property {
    pub fn read(file: &Path) -> Result<Self, PropertyError> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| PropertyError::Unreadable(file.into(), error))?;
        let mut property: Option<Self> = None;
        for (index, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
        {
            let Some((kind, function)) = parse_line(line) else {
                return Err(PropertyError::Unknown {
                    file: file.into(),
                    line: index + 1,
                    text: line.to_owned(),
                });
            };
            // The three lines of memory safety state one property; apart from them a file has one
            // line.
            match &property {
                Some(known) if known.kind != kind => {
                    let text = format!("{line} (besides {})", known.kind);
                    return Err(PropertyError::Unknown {
                        file: file.into(),
                        line: index + 1,
                        text,
                    });
                }
                Some(_) => {}
                None => {
                    property = Some(Self {
                        kind,
                        function,
                        text: text.clone(),
                        file: Some(file.into()),
                    })
                }
            }
        }
        property.ok_or_else(|| PropertyError::Empty(file.into()))
    }
}

/// `CHECK( init(main()), LTL(G ! call(f())) )`: spaces are free, the rest is not.
pub fn parse_line(line: &str) -> Option<(Kind, Option<String>)> {
    let dense: String = line
        .chars()
        .filter(|character| !character.is_whitespace())
        .collect();
    let formula = dense
        .strip_prefix("CHECK(init(main()),LTL(")?
        .strip_suffix("))")?;
    if let Some(call) = formula.strip_prefix("G!call(") {
        let function = call.strip_suffix("())")?;
        let is_name = |name: &str| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        return is_name(function).then(|| (Kind::UnreachCall, Some(function.to_owned())));
    }
    let kind = match formula {
        "G!overflow" => Kind::NoOverflow,
        "Gvalid-free" | "Gvalid-deref" | "Gvalid-memtrack" => Kind::ValidMemsafety,
        "Gvalid-memcleanup" => Kind::ValidMemcleanup,
        "Fend" => Kind::Termination,
        "G!data-race" => Kind::NoDataRace,
        _ => return None,
    };
    Some((kind, None))
}

/// Verdicts that a program's name states, as was the custom until 2018:
/// `x_true-unreach-call_false-termination.c`.
pub fn verdicts_in_name(file_name: &str) -> Vec<(Kind, crate::verdict::Expected)> {
    use crate::verdict::Expected;
    let mut verdicts = Vec::new();
    for piece in file_name.split(['_', '.']) {
        let (answer, name) = match piece.split_once('-') {
            Some(("true", name)) => (true, name),
            Some(("false", name)) => (false, name),
            _ => continue,
        };
        // Numbers follow the name where several programs would otherwise be called the same.
        let name = name.trim_end_matches(|character: char| character.is_ascii_digit());
        let Some(kind) = Kind::of_part(name) else {
            continue;
        };
        let part = (kind.name() != name).then(|| name.to_owned());
        verdicts.push((
            kind,
            if answer {
                Expected::True
            } else {
                Expected::False(part)
            },
        ));
    }
    verdicts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Expected;

    #[test]
    fn the_texts_of_the_table_are_read_back() {
        for kind in Kind::ALL {
            for line in kind.text("some_function").lines() {
                let function = (kind == Kind::UnreachCall).then(|| "some_function".to_owned());
                assert_eq!(parse_line(line), Some((kind, function)), "{line}");
            }
        }
    }

    #[test]
    fn the_function_is_read_and_not_assumed() {
        let function = |text| parse_line(text).and_then(|(_, function)| function);
        assert_eq!(
            function("CHECK( init(main()), LTL(G ! call(reach_error())) )").unwrap(),
            "reach_error"
        );
        assert_eq!(
            function("CHECK(init(main()),LTL(G !call(__VERIFIER_error())))").unwrap(),
            "__VERIFIER_error"
        );
        assert_eq!(function("CHECK( init(main()), LTL(G ! call(())) )"), None);
        assert_eq!(
            function("COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )"),
            None
        );
    }

    #[test]
    fn names_carry_verdicts() {
        assert_eq!(
            verdicts_in_name("abc_true-unreach-call_false-termination.cil.c"),
            [
                (Kind::UnreachCall, Expected::True),
                (Kind::Termination, Expected::False(None))
            ]
        );
        assert_eq!(
            verdicts_in_name("abc_false-unreach-call2_x.i"),
            [(Kind::UnreachCall, Expected::False(None))]
        );
        assert_eq!(
            verdicts_in_name("abc_false-valid-deref.c"),
            [(
                Kind::ValidMemsafety,
                Expected::False(Some("valid-deref".into()))
            )]
        );
        assert_eq!(verdicts_in_name("plain.c"), []);
        assert_eq!(verdicts_in_name("not_true-at-all.c"), []);
    }
}
