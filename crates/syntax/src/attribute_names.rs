//! What gcc's attributes mean for the meaning of a program.
//!
//! Every attribute is understood, or known to change nothing that a verdict speaks about, or not
//! supported. Nothing is forgotten: what is not listed here is not supported.

/// What becomes of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    Packed,
    Aligned,
    Mode,
    TransparentUnion,
    Noreturn,
    /// `returns_nonnull`: gcc compares no result of such a function with null.
    ReturnsNonnull,
    VectorSize,
    GnuInline,
    Weak,
    /// `#pragma pack`, which the parser writes as an attribute.
    Pack,
    Constructor,
    Destructor,
    Cleanup,
    Alias,
    Section,
    /// `scalar_storage_order`: harmless if it names the order that the machine has.
    ByteOrder,
    /// `target` and `optimize`: harmless unless they change what floats are computed to.
    CodeGeneration,
    /// Changes nothing; the lists below say why.
    Harmless,
    Unsupported,
}

/// Promises of the programmer, from which the compiler derives warnings and faster code. Breaking
/// one is undefined, and gcc's code without optimisation does what it would have done without the
/// promise; so do we.
const PROMISES: &[&str] = &[
    "access",
    "alloc_align",
    "alloc_size",
    "assume",
    "assume_aligned",
    "const",
    "counted_by",
    "leaf",
    "malloc",
    "may_alias",
    "no_dangling",
    "nonnull",
    "nonnull_if_nonzero",
    "nothrow",
    "null_terminated_string_arg",
    "pure",
    "reproducible",
    "simd",
    "strict_flex_array",
    "unsequenced",
];

/// Only warnings and errors of the compiler come from them.
const WARNINGS: &[&str] = &[
    "deprecated",
    "designated_init",
    "diagnose_as_builtin",
    "error",
    "expected_throw",
    "fallthrough",
    "fd_arg",
    "fd_arg_read",
    "fd_arg_write",
    "flag_enum",
    "format",
    "format_arg",
    "maybe_unused",
    "nodiscard",
    "noescape",
    "nonstring",
    "sentinel",
    "tainted_args",
    "unavailable",
    "unused",
    "warn_if_not_aligned",
    "warn_unused_result",
    "warning",
];

/// How the compiler writes the code: what is inlined, where it lies, what it is measured or
/// hardened with.
const CODE: &[&str] = &[
    "always_inline",
    "artificial",
    "cf_check",
    "cold",
    "flatten",
    "fentry_name",
    "fentry_section",
    "force_align_arg_pointer",
    "function_return",
    "hot",
    "indirect_branch",
    "musttail",
    "no_address_safety_analysis",
    "no_icf",
    "no_instrument_function",
    "no_profile_instrument_function",
    "no_reorder",
    "no_sanitize",
    "no_sanitize_address",
    "no_sanitize_coverage",
    "no_sanitize_thread",
    "no_sanitize_undefined",
    "no_split_stack",
    "no_stack_limit",
    "no_stack_protector",
    "nocf_check",
    "noclone",
    "noinline",
    "noipa",
    "noplt",
    "optnone",
    "patchable_function_entry",
    "stack_protect",
    "uninitialized",
    "unroll",
    "zero_call_used_regs",
];

/// How symbols appear to the linker; one program has one definition of each anyway.
const LINKING: &[&str] = &[
    "common",
    "dllexport",
    "dllimport",
    "externally_visible",
    "nocommon",
    "nodirect_extern_access",
    "retain",
    "tls_model",
    "used",
    "visibility",
];

/// How arguments are passed: caller and callee agree, because a call fits its function's type. And
/// the layout that gcc uses anyway.
const CONVENTIONS: &[&str] = &[
    "cdecl",
    "fastcall",
    "gcc_struct",
    "regparm",
    "sseregparm",
    "stdcall",
    "sysv_abi",
    "thiscall",
];

pub(crate) fn meaning(name: &str) -> Meaning {
    match name {
        "packed" => Meaning::Packed,
        "aligned" => Meaning::Aligned,
        "mode" => Meaning::Mode,
        "transparent_union" => Meaning::TransparentUnion,
        "noreturn" | "_Noreturn" => Meaning::Noreturn,
        "returns_nonnull" => Meaning::ReturnsNonnull,
        "vector_size" => Meaning::VectorSize,
        "gnu_inline" => Meaning::GnuInline,
        "weak" => Meaning::Weak,
        "pragma pack" => Meaning::Pack,
        "constructor" => Meaning::Constructor,
        "destructor" => Meaning::Destructor,
        "cleanup" => Meaning::Cleanup,
        "alias" => Meaning::Alias,
        "section" => Meaning::Section,
        "scalar_storage_order" => Meaning::ByteOrder,
        "target" | "optimize" => Meaning::CodeGeneration,
        _ => {
            let lists = [PROMISES, WARNINGS, CODE, LINKING, CONVENTIONS];
            match lists.iter().any(|list| list.contains(&name)) {
                true => Meaning::Harmless,
                false => Meaning::Unsupported,
            }
        }
    }
}

/// Sections whose contents are run or called without being mentioned.
pub(crate) fn is_run_section(name: &str) -> bool {
    let plain = name.split_once(',').map_or(name, |(plain, _)| plain);
    matches!(plain, ".init" | ".fini")
        || [
            ".init_array",
            ".fini_array",
            ".preinit_array",
            ".ctors",
            ".dtors",
        ]
        .iter()
        .any(|section| plain.starts_with(section))
}

/// Options of `target` and `optimize` that leave results alone. Others may contract or reorder
/// operations on floats, or compute them elsewhere.
pub(crate) fn is_harmless_option(option: &str) -> bool {
    option.split(',').all(|option| {
        matches!(
            option
                .trim()
                .trim_start_matches("-f")
                .trim_start_matches('-'),
            "0" | "1"
                | "2"
                | "3"
                | "s"
                | "g"
                | "O0"
                | "O1"
                | "O2"
                | "O3"
                | "Os"
                | "Og"
                | "Oz"
                | "no-tree-vectorize"
                | "tree-vectorize"
                | "no-inline"
                | "unroll-loops"
                | "no-unroll-loops"
                | "omit-frame-pointer"
                | "no-omit-frame-pointer"
                | "no-stack-protector"
                | "no-tree-loop-distribute-patterns"
                | "no-builtin"
                | "wrapv"
                | "no-strict-aliasing"
                | "mmx"
                | "sse"
                | "sse2"
                | "sse3"
                | "ssse3"
                | "sse4"
                | "sse4.1"
                | "sse4.2"
                | "popcnt"
                | "bmi"
                | "bmi2"
                | "lzcnt"
                | "aes"
                | "pclmul"
                | "avx"
                | "avx2"
                | "default"
        )
    })
}
