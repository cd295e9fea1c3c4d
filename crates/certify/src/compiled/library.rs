//! Functions that a compiled program may call as they are: they compute, allocate, print or end the
//! program, and do nothing to the world outside it. Every other name that the program does not
//! define is defined by the harness.

/// Is it safe to call, and does it mean what Concord takes it to mean?
pub(super) fn is_harmless(symbol: &str) -> bool {
    HARMLESS
        .iter()
        .any(|list| list.split_ascii_whitespace().any(|known| known == symbol))
        || is_math(symbol)
        || is_of_the_compiler(symbol)
}

/// Does the library determine what the function gives, so that the result in the compiled program
/// is the only one? What is printed may get lost, and memory may run out.
pub(super) fn is_determined(function: &str) -> bool {
    const OPEN: &str = "printf puts putchar fprintf fputs fputc putc vprintf vfprintf fwrite fflush perror \
        _IO_putc putchar_unlocked fputs_unlocked fputc_unlocked putc_unlocked malloc calloc realloc aligned_alloc \
        posix_memalign memalign valloc reallocarray strdup strndup asprintf vasprintf __errno_location __printf_chk \
        __fprintf_chk __vfprintf_chk strerror strcoll mktime strftime";
    let is_open = OPEN.split_ascii_whitespace().any(|open| open == function);
    // Parts of models of functions that are called as they are; the others are not called at all.
    function.starts_with("__concord") || is_harmless(function) && !is_open
}

const HARMLESS: [&str; 8] = [
    // string.h
    "memcpy memmove memset memcmp memchr memrchr rawmemchr mempcpy __mempcpy memccpy memmem bcopy bzero bcmp \
     strlen strnlen strcpy strncpy stpcpy stpncpy __stpcpy strcat strncat strcmp strncmp strcasecmp strncasecmp \
     strchr strchrnul strrchr strstr strcasestr strspn strcspn strpbrk strtok strtok_r strsep strdup strndup \
     __strdup __strndup strcoll strerror strverscmp index rindex ffs ffsl ffsll",
    // ctype.h
    "isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit \
     tolower toupper toascii __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc",
    // stdlib.h
    "malloc calloc realloc free aligned_alloc posix_memalign memalign valloc reallocarray cfree abort exit _exit \
     _Exit quick_exit abs labs llabs div ldiv lldiv qsort bsearch atoi atol atoll atof strtol strtoul strtoll \
     strtoull strtoq strtouq strtod strtof strtold strtoimax strtoumax imaxabs imaxdiv __strtol_internal \
     __strtoul_internal __strtod_internal __isoc23_strtol __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull",
    // stdio.h, as far as it writes to what is open already
    "printf puts putchar fprintf fputs fputc putc vprintf vfprintf fwrite fflush perror sprintf snprintf vsprintf \
     vsnprintf asprintf vasprintf sscanf __isoc99_sscanf __isoc23_sscanf _IO_putc putchar_unlocked fputs_unlocked \
     fputc_unlocked putc_unlocked __overflow stdin stdout stderr _IO_2_1_stdout_ _IO_2_1_stderr_",
    // unistd.h: variables with values that lowering knows
    "optind opterr optopt optarg",
    // assert.h, errno.h, arpa/inet.h and what the linker knows
    "__assert_fail __assert __assert_perror_fail __errno_location htonl htons ntohl ntohs _GLOBAL_OFFSET_TABLE_ \
     __stack_chk_fail __stack_chk_fail_local __tls_get_addr ___tls_get_addr __memcpy_chk __memmove_chk __memset_chk \
     __strcpy_chk __strncpy_chk __strcat_chk __strncat_chk __sprintf_chk __snprintf_chk __vsnprintf_chk __printf_chk \
     __fprintf_chk __vfprintf_chk",
    // time.h, as far as it only computes
    "difftime mktime gmtime strftime asctime",
    // wchar.h
    "wcslen wcscmp wcsncmp wcschr wcsrchr wcsstr wmemcmp wmemchr wcscpy wcsncpy wcscat wcsncat wmemcpy wmemmove \
     wmemset",
];

/// `math.h`: each for `double`, `float` and `long double`.
fn is_math(symbol: &str) -> bool {
    const MATH: &str = "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 \
        fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb \
        lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh \
        sqrt tan tanh tgamma trunc exp10 pow10 sincos drem significand finite isinf isnan j0 j1 y0 y1 \
        __fpclassify __signbit __isnan __isinf __finite __issignaling __iseqsig fpclassify signbit isnormal isfinite";
    let is = |name: &str| MATH.split_ascii_whitespace().any(|known| known == name);
    is(symbol) || symbol.strip_suffix(['f', 'l']).is_some_and(is)
}

/// Helpers that the compiler calls of its own accord, such as `__udivdi3` for 64 bits on a 32-bit
/// machine.
fn is_of_the_compiler(symbol: &str) -> bool {
    let Some(name) = symbol.strip_prefix("__") else {
        return false;
    };
    const WORDS: [&str; 30] = [
        "addv", "subv", "mulv", "negv", "absv", "div", "mod", "udiv", "umod", "divmod", "udivmod",
        "mul", "ashl", "ashr", "lshr", "neg", "cmp", "ucmp", "fix", "fixuns", "float", "floatun",
        "floatuns", "extend", "trunc", "clz", "ctz", "ffs", "popcount", "bswap",
    ];
    const MODES: [&str; 11] = [
        "si", "di", "ti", "sf", "df", "xf", "tf", "hf", "sc", "dc", "xc",
    ];
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let Some(rest) = WORDS
        .iter()
        .filter_map(|word| name.strip_prefix(word))
        .min_by_key(|rest| rest.len())
    else {
        return false;
    };
    // What is left are the modes of the operands, two letters each.
    let is_mode = |mode: &[u8]| MODES.iter().any(|known| known.as_bytes() == mode);
    !rest.is_empty() && rest.as_bytes().chunks(2).all(is_mode)
}

#[cfg(test)]
mod tests {
    use super::is_harmless;

    #[test]
    fn what_reaches_the_world_outside_is_not_harmless() {
        for name in [
            "system",
            "unlink",
            "remove",
            "rename",
            "fopen",
            "open",
            "creat",
            "write",
            "kill",
            "raise",
            "fork",
            "execve",
            "socket",
            "connect",
            "popen",
            "dlsym",
            "syscall",
            "mmap",
            "mprotect",
            "truncate",
            "rmdir",
            "chmod",
            "atexit",
            "signal",
            "gets",
            "fgets",
            "scanf",
            "read",
            "getenv",
            "rand",
            "time",
            "freopen",
            "__VERIFIER_nondet_int",
            "reach_error",
            "fclose",
            "ptrace",
            "setrlimit",
            "abc",
            "__foo",
            "__divide",
        ] {
            assert!(!is_harmless(name), "{name}");
        }
    }

    #[test]
    fn what_computes_is() {
        for name in [
            "memcpy",
            "strlen",
            "printf",
            "malloc",
            "sqrtf",
            "powl",
            "fabs",
            "__udivdi3",
            "__divti3",
            "__fixunsdfdi",
            "__floatundidf",
            "__popcountdi2",
            "__mulxc3",
            "__extendsfdf2",
            "__addvsi3",
            "qsort",
            "abort",
            "stdout",
            "__isnanf",
        ] {
            assert!(is_harmless(name), "{name}");
        }
    }
}
