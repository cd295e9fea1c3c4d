//! Names that programs bring along from verification tools. What they mean where a program does not
//! define them is written down in `docs/foreign-names.md`.

/// What a call of such a name does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Foreign {
    /// The first argument must not be zero.
    Assert,
    /// Only executions count in which the first argument is not zero.
    Assume,
    /// Any value of the result's type.
    Nondet,
    /// A function of which nothing is known but that equal arguments give equal results.
    Uninterpreted,
    /// Nothing, in a program of one thread.
    Nothing,
    /// A name of a tool whose meaning is not known here.
    Unsupported,
}

/// Names with one meaning.
const NAMES: &[(&str, Foreign)] = &[
    ("assert", Foreign::Assert),
    ("__VERIFIER_assert", Foreign::Assert),
    ("__CPROVER_assert", Foreign::Assert),
    ("__CPROVER_precondition", Foreign::Assert),
    ("__CPROVER_postcondition", Foreign::Assert),
    ("__ESBMC_assert", Foreign::Assert),
    ("__goblint_check", Foreign::Assert),
    ("__VERIFIER_assume", Foreign::Assume),
    ("__CPROVER_assume", Foreign::Assume),
    ("__ESBMC_assume", Foreign::Assume),
    ("klee_assume", Foreign::Assume),
    ("klee_int", Foreign::Nondet),
    ("__VERIFIER_atomic_begin", Foreign::Nothing),
    ("__VERIFIER_atomic_end", Foreign::Nothing),
    ("__CPROVER_atomic_begin", Foreign::Nothing),
    ("__CPROVER_atomic_end", Foreign::Nothing),
    ("__ESBMC_atomic_begin", Foreign::Nothing),
    ("__ESBMC_atomic_end", Foreign::Nothing),
    ("__CPROVER_cover", Foreign::Nothing),
    ("__CPROVER_input", Foreign::Nothing),
    ("__CPROVER_output", Foreign::Nothing),
    ("__CPROVER_printf", Foreign::Nothing),
    // They write memory: models in C, where they are called with the right arguments.
    ("__VERIFIER_nondet_memory", Foreign::Unsupported),
    ("klee_make_symbolic", Foreign::Unsupported),
    ("__CPROVER_havoc_slice", Foreign::Unsupported),
    ("__CPROVER_havoc_object", Foreign::Unsupported),
];

/// How the names of arbitrary values begin.
const NONDET: &[&str] = &[
    "__VERIFIER_nondet_",
    "__CPROVER_nondet_",
    "__ESBMC_nondet_",
    "nondet_",
];

/// How the names of functions begin that CBMC knows nothing of.
pub(crate) const UNINTERPRETED: &str = "__CPROVER_uninterpreted_";

/// How the types behind them are called.
const TYPES: &[&str] = &[
    "_Bool",
    "bool",
    "char",
    "double",
    "float",
    "int",
    "int128",
    "long",
    "longlong",
    "pointer",
    "short",
    "size_t",
    "uchar",
    "uint",
    "uint128",
    "ulong",
    "ulonglong",
    "unsigned",
    "ushort",
];

/// How the names of tools begin.
const TOOLS: &[&str] = &[
    "__CPROVER_",
    "__ESBMC_",
    "__VERIFIER_",
    "__goblint_",
    "klee_",
];

/// Names that a property speaks about.
const ERRORS: &[&str] = &["reach_error", "__VERIFIER_error"];

/// What the name means in a program that does not define it.
pub fn meaning(name: &str) -> Option<Foreign> {
    if let Some(&(_, meaning)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(meaning);
    }
    if NONDET.iter().any(|prefix| name.starts_with(prefix)) || name == "nondet" {
        return Some(Foreign::Nondet);
    }
    if name.starts_with(UNINTERPRETED) {
        return Some(Foreign::Uninterpreted);
    }
    let tool = TOOLS.iter().any(|prefix| name.starts_with(prefix));
    (tool && !ERRORS.contains(&name)).then_some(Foreign::Unsupported)
}

/// A name with a meaning that is one edit away: what a misspelt one was meant to be.
pub fn meant(name: &str) -> Option<String> {
    // A name that means something is meant.
    let known = meaning(name).is_some_and(|meaning| meaning != Foreign::Unsupported);
    let exact = NONDET.iter().any(|prefix| {
        name.strip_prefix(prefix)
            .is_some_and(|ty| TYPES.contains(&ty))
    });
    if exact || known && !NONDET.iter().any(|prefix| name.starts_with(prefix)) {
        return None;
    }
    let values = NONDET
        .iter()
        .flat_map(|prefix| TYPES.iter().map(move |ty| format!("{prefix}{ty}")));
    let names = NAMES.iter().map(|(known, _)| (*known).to_owned());
    let errors = ERRORS.iter().map(|&known| known.to_owned());
    values
        .chain(names)
        .chain(errors)
        .find(|known| known.len() > 4 && one_edit_apart(known, name))
}

/// Whether one letter inserted, left out or replaced, or two neighbours swapped, make one name of
/// the other.
pub fn one_edit_apart(a: &str, b: &str) -> bool {
    a != b && strsim::damerau_levenshtein(a, b) == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_recognised() {
        for (wrong, right) in [
            ("__VERIFIER_nondt_int", "__VERIFIER_nondet_int"),
            ("__VERIFIER_nondet_unt", "__VERIFIER_nondet_int"),
            ("__VERIFIER_asume", "__VERIFIER_assume"),
            ("__CPROVER_asert", "__CPROVER_assert"),
            ("asert", "assert"),
            ("reach_eror", "reach_error"),
            ("nodnet_int", "nondet_int"),
        ] {
            assert_eq!(meant(wrong).as_deref(), Some(right), "{wrong}");
        }
        for name in [
            "__VERIFIER_nondet_int",
            "assert",
            "f",
            "reach_error",
            "insert",
        ] {
            assert_eq!(meant(name), None, "{name}");
        }
    }

    #[test]
    fn tools_own_their_prefixes() {
        assert_eq!(meaning("__CPROVER_r_ok"), Some(Foreign::Unsupported));
        assert_eq!(meaning("__VERIFIER_error"), None);
        assert_eq!(meaning("nondet_uint"), Some(Foreign::Nondet));
        assert_eq!(meaning("printf"), None);
    }
}
