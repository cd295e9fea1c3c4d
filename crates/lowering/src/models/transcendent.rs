//! Functions of numbers whose results are not computed: what is certain about them.
//!
//! C leaves the last bits of their results open; glibc's are nearer than the bounds here. All of
//! them may set `errno`. Each family becomes a model in C for every name and for `double` and
//! `float`, and so do the two templates of functions that are computed.

use super::PREFIX;
use std::fmt::Write;

/// Functions of which the same is certain.
struct Family {
    /// The names of the functions of `double`; those of `float` end in `f`.
    names: &'static [&'static str],
    /// `x`, or `x` and `y`.
    parameters: &'static [&'static str],
    /// Arguments and their results, the first that fits: exact.
    given: &'static [(&'static str, &'static str)],
    /// What no result is for other arguments.
    never: &'static str,
}

const NAN: (&str, &str) = ("x != x", "x + x");
/// Infinity has no value, and a number that is none remains one.
const NOT_FINITE: (&str, &str) = ("x - x != 0", "x - x");
/// Zero remains, with its sign.
const ZERO: (&str, &str) = ("x == 0", "x");
const ONE_AT_ZERO: (&str, &str) = ("x == 0", "1");
const OUTSIDE_ONE: (&str, &str) = ("x < -1 || x > 1", "(x - x) / (x - x)");

const FAMILIES: &[Family] = &[
    Family {
        names: &["sin"],
        parameters: &["x"],
        given: &[NOT_FINITE, ZERO],
        never: "!(result >= -1 && result <= 1)",
    },
    Family {
        names: &["cos"],
        parameters: &["x"],
        given: &[NOT_FINITE, ONE_AT_ZERO],
        never: "!(result >= -1 && result <= 1)",
    },
    Family {
        names: &["tan"],
        parameters: &["x"],
        given: &[NOT_FINITE, ZERO],
        never: "result != result",
    },
    Family {
        names: &["tanh"],
        parameters: &["x"],
        given: &[NAN, ZERO],
        never: "!(result >= -1 && result <= 1) || (x > 0 ? result < 0 : result > 0)",
    },
    Family {
        names: &["atan"],
        parameters: &["x"],
        given: &[NAN, ZERO],
        never: "!(result >= -1.58 && result <= 1.58) || (x > 0 ? result < 0 : result > 0)",
    },
    Family {
        names: &["asin"],
        parameters: &["x"],
        given: &[NAN, ZERO, OUTSIDE_ONE],
        never: "!(result >= -1.58 && result <= 1.58) || (x > 0 ? result < 0 : result > 0)",
    },
    Family {
        names: &["acos"],
        parameters: &["x"],
        given: &[NAN, OUTSIDE_ONE, ("x == 1", "0")],
        never: "!(result >= 0 && result <= 3.15)",
    },
    Family {
        names: &["atan2"],
        parameters: &["x", "y"],
        given: &[("x != x || y != y", "x + y")],
        never: "!(result >= -3.15 && result <= 3.15)",
    },
    Family {
        names: &["exp", "exp2"],
        parameters: &["x"],
        given: &[NAN, ONE_AT_ZERO],
        never: "!(result >= 0) || (x > 0 ? result < 1 : result > 1)",
    },
    Family {
        names: &["log", "log2", "log10"],
        parameters: &["x"],
        given: &[
            NAN,
            ("x < 0", "(x - x) / (x - x)"),
            ("x == 0", "-1 / (x * x)"),
            ("x == 1", "0"),
        ],
        never: "result != result || (x > 1 ? result < 0 : result > 0)",
    },
    Family {
        names: &["cosh"],
        parameters: &["x"],
        given: &[NAN, ONE_AT_ZERO],
        never: "!(result >= 1)",
    },
    Family {
        names: &["sinh", "cbrt"],
        parameters: &["x"],
        given: &[NAN, ZERO],
        never: "result != result || (x > 0 ? result < 0 : result > 0)",
    },
    Family {
        names: &["hypot"],
        parameters: &["x", "y"],
        given: &[],
        never: "result < 0 || (result != result && x == x && y == y)",
    },
    Family {
        names: &["__concord_guess_pow"],
        parameters: &["x", "y"],
        given: &[],
        never: "x > 0 && !(result >= 0)",
    },
    Family {
        names: &["erf"],
        parameters: &["x"],
        given: &[NAN, ZERO],
        never: "!(result >= -1 && result <= 1)",
    },
];

/// The models of all families in C.
pub(super) fn models() -> String {
    let mut text = "extern float __concord_any_float(void);\n".to_owned();
    for family in FAMILIES {
        for name in family.names {
            for (ty, suffix) in [("double", ""), ("float", "f")] {
                text += &family.model(&format!("{name}{suffix}"), ty);
            }
        }
    }
    for (ty, suffix, exact) in [
        ("double", "", "9007199254740992.0"),
        ("float", "f", "16777216.0"),
    ] {
        text += &concat!(include_str!("scale.c"), include_str!("power.c"))
            .replace("NUMBER", ty)
            .replace("SUFFIX", suffix)
            .replace("EXACT", exact);
    }
    text
}

impl Family {
    fn model(&self, name: &str, ty: &str) -> String {
        let parameters: Vec<_> = (self.parameters.iter())
            .map(|parameter| format!("{ty} {parameter}"))
            .collect();
        let mut text = format!(
            "\nstatic {ty} {PREFIX}{name}({})\n{{\n    {ty} result = __concord_any_{ty}();\n    \
             __concord_errno = __concord_any_int();\n",
            parameters.join(", ")
        );
        for (condition, result) in self.given {
            let _ = writeln!(text, "    if ({condition})\n        return {result};");
        }
        let _ = writeln!(
            text,
            "    if ({})\n        __builtin_unreachable();\n    return result;\n}}",
            self.never
        );
        text
    }
}
