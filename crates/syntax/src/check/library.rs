//! What gcc knows about library functions: the types in which `__builtin_memcpy` and its kin are
//! called, and in which a library function is called that nobody declared.

use super::Checker;
use crate::span::{Name, Span};
use crate::typed::FuncId;
use crate::types::{DataModel, FunctionType, Type, TypeId};

/// Name and type: the result first, then the parameters. `v` void, `p` void pointer, `P` pointer to
/// const void, `c` and `C` the same of char, `i` int, `u` unsigned int, `l` long, `L` long long, `j` intmax_t,
/// `s` size_t, `I` pointer to int, `V` va_list, `.` an ellipsis.
const SIGNATURES: &[(&str, &str)] = &[
    ("_exit", "vi"),
    ("abort", "v"),
    ("abs", "ii"),
    ("alloca", "ps"),
    ("atoi", "iC"),
    ("atol", "lC"),
    ("bcmp", "iPPs"),
    ("bcopy", "vPps"),
    ("bzero", "vps"),
    ("calloc", "pss"),
    ("exit", "vi"),
    ("ffs", "ii"),
    ("ffsl", "il"),
    ("ffsll", "iL"),
    ("fprintf", "ipC."),
    ("fprintf_unlocked", "ipC."),
    ("fputc", "iip"),
    ("fputc_unlocked", "iip"),
    ("fputs", "iCp"),
    ("fputs_unlocked", "iCp"),
    ("free", "vp"),
    ("fwrite", "sPssp"),
    ("fwrite_unlocked", "sPssp"),
    ("imaxabs", "jj"),
    ("index", "cCi"),
    ("isalnum", "ii"),
    ("isalpha", "ii"),
    ("isblank", "ii"),
    ("iscntrl", "ii"),
    ("isdigit", "ii"),
    ("isgraph", "ii"),
    ("islower", "ii"),
    ("isprint", "ii"),
    ("ispunct", "ii"),
    ("isspace", "ii"),
    ("isupper", "ii"),
    ("isxdigit", "ii"),
    ("labs", "ll"),
    ("llabs", "LL"),
    ("malloc", "ps"),
    ("memchr", "pPis"),
    ("memcmp", "iPPs"),
    ("memcpy", "ppPs"),
    ("memmove", "ppPs"),
    ("mempcpy", "ppPs"),
    ("memset", "ppis"),
    ("printf", "iC."),
    ("printf_unlocked", "iC."),
    ("putchar", "ii"),
    ("putchar_unlocked", "ii"),
    ("puts", "iC"),
    ("puts_unlocked", "iC"),
    ("rand", "i"),
    ("realloc", "pps"),
    ("rindex", "cCi"),
    ("scanf", "iC."),
    ("snprintf", "icsC."),
    ("sprintf", "icC."),
    ("srand", "vu"),
    ("sscanf", "iCC."),
    ("stpcpy", "ccC"),
    ("stpncpy", "ccCs"),
    ("strcasecmp", "iCC"),
    ("strcat", "ccC"),
    ("strchr", "cCi"),
    ("strcmp", "iCC"),
    ("strcpy", "ccC"),
    ("strcspn", "sCC"),
    ("strdup", "cC"),
    ("strlen", "sC"),
    ("strncasecmp", "iCCs"),
    ("strncat", "ccCs"),
    ("strncmp", "iCCs"),
    ("strncpy", "ccCs"),
    ("strndup", "cCs"),
    ("strnlen", "sCs"),
    ("strpbrk", "cCC"),
    ("strrchr", "cCi"),
    ("strspn", "sCC"),
    ("strstr", "cCC"),
    ("tolower", "ii"),
    ("toupper", "ii"),
    ("vfprintf", "ipCV"),
    ("vprintf", "iCV"),
    ("vsnprintf", "icsCV"),
    ("vsprintf", "icCV"),
];

/// Mathematical functions come in three types, with the suffixes `f` and `l`. `x` stands for the
/// type, `X` for a pointer to it.
const MATHEMATICS: &[(&str, &str)] = &[
    ("acos", "xx"),
    ("acosh", "xx"),
    ("asin", "xx"),
    ("asinh", "xx"),
    ("atan", "xx"),
    ("atan2", "xxx"),
    ("atanh", "xx"),
    ("cbrt", "xx"),
    ("ceil", "xx"),
    ("copysign", "xxx"),
    ("cos", "xx"),
    ("cosh", "xx"),
    ("erf", "xx"),
    ("erfc", "xx"),
    ("exp", "xx"),
    ("exp10", "xx"),
    ("exp2", "xx"),
    ("expm1", "xx"),
    ("fabs", "xx"),
    ("fdim", "xxx"),
    ("floor", "xx"),
    ("fma", "xxxx"),
    ("fmax", "xxx"),
    ("fmin", "xxx"),
    ("fmod", "xxx"),
    ("frexp", "xxI"),
    ("hypot", "xxx"),
    ("ilogb", "ix"),
    ("ldexp", "xxi"),
    ("lgamma", "xx"),
    ("llrint", "Lx"),
    ("llround", "Lx"),
    ("log", "xx"),
    ("log10", "xx"),
    ("log1p", "xx"),
    ("log2", "xx"),
    ("logb", "xx"),
    ("lrint", "lx"),
    ("lround", "lx"),
    ("modf", "xxX"),
    ("nearbyint", "xx"),
    ("nextafter", "xxx"),
    ("pow", "xxx"),
    ("remainder", "xxx"),
    ("rint", "xx"),
    ("round", "xx"),
    ("roundeven", "xx"),
    ("scalbln", "xxl"),
    ("scalbn", "xxi"),
    ("significand", "xx"),
    ("sin", "xx"),
    ("sinh", "xx"),
    ("sqrt", "xx"),
    ("tan", "xx"),
    ("tanh", "xx"),
    ("tgamma", "xx"),
    ("trunc", "xx"),
];

/// Whether gcc knows a library function of this name.
pub(super) fn is_known(text: &str) -> bool {
    known_names().any(|known| known == text)
}

/// The names of library functions with more than three letters.
pub(super) fn known_names() -> impl Iterator<Item = &'static str> {
    let names = SIGNATURES.iter().chain(MATHEMATICS).map(|&(name, _)| name);
    names.filter(|name| name.len() > 3)
}

/// Whether it is a mathematical function, in any of its three types.
pub(super) fn is_mathematical(text: &str) -> bool {
    let is = |text: &str| {
        MATHEMATICS
            .binary_search_by_key(&text, |&(name, _)| name)
            .is_ok()
    };
    is(text) || text.strip_suffix(['f', 'l']).is_some_and(is)
}

impl Checker<'_> {
    /// The type of a library function, if gcc knows it too.
    pub(super) fn library_type(&mut self, name: Name) -> Option<TypeId> {
        let text = self.names.get(name);
        if let Ok(index) = SIGNATURES.binary_search_by_key(&text, |&(name, _)| name) {
            return Some(self.function_of(SIGNATURES[index].1, TypeId::DOUBLE));
        }
        let find = |text: &str| {
            let index = MATHEMATICS
                .binary_search_by_key(&text, |&(name, _)| name)
                .ok()?;
            Some(MATHEMATICS[index].1)
        };
        let (signature, scalar) = match find(text) {
            Some(signature) => (signature, TypeId::DOUBLE),
            None => match text.as_bytes().last() {
                Some(b'f') => (find(&text[..text.len() - 1])?, TypeId::FLOAT),
                Some(b'l') => (find(&text[..text.len() - 1])?, TypeId::LONG_DOUBLE),
                _ => return None,
            },
        };
        Some(self.function_of(signature, scalar))
    }

    /// The library function behind `__builtin_name`, declared if need be.
    pub(super) fn library_builtin(&mut self, name: Name, span: Span) -> Option<FuncId> {
        let plain = self.names.get(name).strip_prefix("__builtin_")?.to_owned();
        // The checking variants are called by the names that the library gives them.
        let plain = match plain.strip_suffix("_chk") {
            Some(_) => format!("__{plain}"),
            None => plain,
        };
        let plain = self.names.intern(&plain);
        let ty = self.library_type(plain)?;
        if let Some(labelled) = self.linkage.mention_builtin(plain) {
            return Some(labelled);
        }
        Some(self.function_by_name(plain, ty, span))
    }

    fn function_of(&mut self, signature: &str, scalar: TypeId) -> TypeId {
        let mut parts = signature.chars();
        let result = parts
            .next()
            .map_or(TypeId::VOID, |code| self.coded_type(code, scalar));
        let mut params = Vec::new();
        let mut variadic = false;
        for code in parts {
            match code {
                '.' => variadic = true,
                _ => params.push(self.coded_type(code, scalar)),
            }
        }
        self.program.types.intern(Type::Function(FunctionType {
            result,
            params,
            variadic,
            prototyped: true,
        }))
    }

    fn coded_type(&mut self, code: char, scalar: TypeId) -> TypeId {
        let types = &mut self.program.types;
        match code {
            'p' => TypeId::VOID_POINTER,
            'P' => {
                let target = types.qualified(TypeId::VOID, true, false);
                types.pointer_to(target)
            }
            'c' => TypeId::CHAR_POINTER,
            'C' => {
                let target = types.qualified(TypeId::CHAR, true, false);
                types.pointer_to(target)
            }
            'i' => TypeId::INT,
            'u' => TypeId::UINT,
            'l' => TypeId::LONG,
            'L' => TypeId::LONG_LONG,
            'j' => match types.model {
                DataModel::Lp64 => TypeId::LONG,
                DataModel::Ilp32 => TypeId::LONG_LONG,
            },
            's' => types.size_type(),
            'x' => scalar,
            'X' => types.pointer_to(scalar),
            'I' => types.pointer_to(TypeId::INT),
            'V' => self.adjusted(TypeId::VA_LIST),
            _ => TypeId::VOID,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(SIGNATURES.is_sorted_by(|a, b| a.0 < b.0));
        assert!(MATHEMATICS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
