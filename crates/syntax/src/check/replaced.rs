//! Names of library functions that compilers know, where the program gives them a meaning of its
//! own: by a definition, or by a label that names another function. C leaves open what a call of
//! such a name does (C11 7.1.3). gcc calls the program's function, or computes what the library's
//! function would do, as it likes (`abs` always, `strlen` where the text is known, also without
//! optimisation). So both are possible: each such function comes with the library's, for lowering
//! to choose between the two.

use super::{Checker, Outcome};
use crate::span::{Name, Span};
use crate::typed::FuncId;
use crate::types::TypeId;

/// What gcc replaces by what it knows, besides mathematics. Functions that allocate, end the program
/// or read are called; so are those of `ctype.h` that depend on the locale.
const REPLACED: &[&str] = &[
    "abs",
    "alloca",
    "bcmp",
    "bcopy",
    "bzero",
    "ffs",
    "ffsl",
    "ffsll",
    "finite",
    "finitef",
    "finitel",
    "fprintf",
    "fputc",
    "fputs",
    "fwrite",
    "imaxabs",
    "index",
    "isascii",
    "isdigit",
    "isinf",
    "isinff",
    "isinfl",
    "isnan",
    "isnanf",
    "isnanl",
    "labs",
    "llabs",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "printf",
    "putchar",
    "puts",
    "rindex",
    "snprintf",
    "sprintf",
    "stpcpy",
    "stpncpy",
    "strcasecmp",
    "strcat",
    "strchr",
    "strcmp",
    "strcpy",
    "strcspn",
    "strlen",
    "strncasecmp",
    "strncat",
    "strncmp",
    "strncpy",
    "strnlen",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
    "toascii",
    "vfprintf",
    "vprintf",
    "vsnprintf",
    "vsprintf",
];

impl Checker<'_> {
    /// Whether a compiler may take a function of this name and type for the library's.
    pub(super) fn is_replaceable(&mut self, name: Name, ty: TypeId) -> bool {
        let text = self.names.get(name);
        if REPLACED.binary_search(&text).is_err() && !super::library::is_mathematical(text) {
            return false;
        }
        match self.library_type(name) {
            Some(known) => self.looks_like(ty, known),
            None => true,
        }
    }

    /// Whether gcc accepts the one type as a declaration of a builtin of the other: values of the
    /// same kinds and sizes, whatever the pointers point to.
    fn looks_like(&self, declared: TypeId, known: TypeId) -> bool {
        let types = self.types();
        let (Some(declared), Some(known)) = (types.function(declared), types.function(known))
        else {
            return false;
        };
        let like = |a: TypeId, b: TypeId| {
            types.size_of(a) == types.size_of(b)
                && types.float_kind(a).is_some() == types.float_kind(b).is_some()
        };
        let params = declared.params.iter().zip(&known.params);
        like(declared.result, known.result)
            && (!declared.prototyped
                || declared.params.len() == known.params.len()
                    && params.into_iter().all(|(&a, &b)| like(a, b)))
    }

    /// A name that compilers know, as another name of the function that its label means.
    pub(super) fn label_builtin(
        &mut self,
        name: Name,
        target: FuncId,
        ty: TypeId,
        span: Span,
    ) -> Outcome<FuncId> {
        self.refuse_late_label(name, span)?;
        let own = self.new_function(name, ty, true, span);
        self.program.functions[own.0 as usize].alias = Some(target);
        self.linkage.labelled(name, own, target);
        Ok(own)
    }

    /// The label is that of the builtin too, also in calls before it.
    pub(super) fn refuse_late_label(&mut self, name: Name, span: Span) -> Outcome<()> {
        match self.linkage.is_called_as_builtin(name) {
            true => self.unsupported(span, "an asm label behind a call of the builtin"),
            false => Ok(()),
        }
    }

    /// Adds the library's function to each that a compiler may replace by it.
    pub(super) fn add_library_functions(&mut self) {
        for index in 0..self.program.functions.len() {
            let function = &self.program.functions[index];
            let (name, ty, span) = (function.name, function.ty, function.span);
            let has_meaning = function.body.is_some() || function.alias.is_some();
            // gcc forgets what it knows of a name that is declared `static`.
            let is_hidden =
                function.is_static && !self.linkage.is_labelled_builtin(FuncId(index as u32));
            if !has_meaning || is_hidden || !self.is_replaceable(name, ty) {
                continue;
            }
            let library = self.new_function(name, ty, true, span);
            self.program.functions[index].library = Some(library);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_sorted() {
        assert!(super::REPLACED.is_sorted());
    }
}
