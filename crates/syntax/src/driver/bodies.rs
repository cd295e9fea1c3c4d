//! Functions whose definitions are to count as declarations: a stub stands in for them, or they are
//! external functions then.
//!
//! The text itself is changed, at equal length: the body becomes a semicolon, `static` becomes
//! `extern`. So everybody who reads the text later, a compiler too, reads the same program, and
//! every place keeps its line and column.

use crate::ast::{Declaration, Derived, FunctionDef, Item, Storage, TranslationUnit};
use crate::diagnostics::Diagnostic;
use crate::names::Names;
use crate::source::{Source, SourceMap};
use crate::span::Span;
use std::collections::BTreeSet;
use std::ops::Range;

/// The text without the bodies of these functions; `removed` gets the names of those that it
/// defines. A text that cannot be parsed stays as it is.
pub(super) fn remove(
    source: Source,
    functions: &[String],
    removed: &mut BTreeSet<String>,
) -> Result<Source, Diagnostic> {
    if functions.is_empty() {
        return Ok(source);
    }
    let mut map = SourceMap::new();
    let mut names = Names::new();
    let Ok(unit) = super::parse(&mut map, &mut names, source.clone()) else {
        return Ok(source);
    };
    let mut edit = Edit {
        text: source.text,
        name: &source.name,
        base: map.sources().next().map_or(0, |id| map.base(id)),
        functions,
        names: &names,
    };
    let done = super::on_large_stack(|| {
        let done = edit.unit(&unit, removed);
        drop(unit);
        done
    });
    let text = edit.text;
    done.map(|()| Source { text, ..source })
}

struct Edit<'a> {
    text: Vec<u8>,
    name: &'a str,
    /// The offset at which spans of the text begin.
    base: u32,
    functions: &'a [String],
    names: &'a Names,
}

impl Edit<'_> {
    fn unit(
        &mut self,
        unit: &TranslationUnit,
        removed: &mut BTreeSet<String>,
    ) -> Result<(), Diagnostic> {
        for item in &unit.items {
            match item {
                Item::Function(function) => {
                    let name = function.declarator.name.as_ref();
                    let Some(name) = name.map(|ident| self.names.get(ident.name)) else {
                        continue;
                    };
                    if !self.functions.iter().any(|one| one == name) {
                        continue;
                    }
                    if !function.old_style_params.is_empty() {
                        return Err(Diagnostic::input(format!(
                            "{}: the body of '{name}' cannot be removed: it is defined in the old \
                             style, without a prototype",
                            self.name
                        )));
                    }
                    removed.insert(name.to_owned());
                    self.definition(function);
                }
                Item::Declaration(declaration) => self.declaration(declaration),
                Item::StaticAssert(_) | Item::Asm(_) => {}
            }
        }
        Ok(())
    }

    fn definition(&mut self, function: &FunctionDef) {
        self.externalise(function.specs.span);
        let body = self.range(function.body.span);
        self.text[body.start] = b';';
        for byte in &mut self.text[body.start + 1..body.end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        let is_meant = declaration.declarators.iter().any(|one| {
            let mut derived = one.declarator.derived.iter();
            let is_function = derived.any(|one| matches!(one, Derived::Function(_)));
            let name = one.declarator.name.as_ref();
            let name = name.map(|ident| self.names.get(ident.name));
            is_function && name.is_some_and(|name| self.functions.iter().any(|one| one == name))
        });
        if is_meant && declaration.specs.storage == Storage::Static {
            self.externalise(declaration.specs.span);
        }
    }

    /// `static inline` becomes `extern`.
    fn externalise(&mut self, specifiers: Span) {
        let range = self.range(specifiers);
        for (word, instead) in [
            (&b"static"[..], &b"extern"[..]),
            (b"__inline__", b"          "),
            (b"__inline", b"        "),
            (b"inline", b"      "),
        ] {
            let mut from = range.start;
            while let Some(at) = find_word(&self.text[from..range.end], word) {
                self.text[from + at..from + at + word.len()].copy_from_slice(instead);
                from += at + word.len();
            }
        }
    }

    fn range(&self, span: Span) -> Range<usize> {
        let place = |offset: u32| offset.saturating_sub(self.base) as usize;
        let end = place(span.hi).min(self.text.len());
        place(span.lo).min(end)..end
    }
}

fn find_word(text: &[u8], word: &[u8]) -> Option<usize> {
    let is_word = |at: Option<&u8>| at.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    memchr::memmem::find_iter(text, word).find(|&at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        !is_word(before) && !is_word(text.get(at + word.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Origin;

    fn without(text: &str, functions: &[&str]) -> (String, Vec<String>) {
        let source = Source {
            name: "a.c".into(),
            text: text.into(),
            origin: Origin::Given,
        };
        let functions: Vec<String> = functions.iter().map(|&one| one.to_owned()).collect();
        let mut removed = BTreeSet::new();
        let source = remove(source, &functions, &mut removed).unwrap();
        let text = String::from_utf8(source.text).unwrap();
        (text, removed.into_iter().collect())
    }

    #[test]
    fn a_body_becomes_a_semicolon_and_places_stay() {
        let (text, removed) = without(
            "static int f(int);\nstatic inline int f(int x)\n{\n  return x;\n}\nint g(void) { return f(1); }",
            &["f", "h"],
        );
        assert_eq!(
            text,
            "extern int f(int);\nextern        int f(int x)\n;\n           \n \nint g(void) { return f(1); }"
        );
        assert_eq!(removed, ["f"]);
    }

    #[test]
    fn other_functions_and_variables_stay() {
        let text = "static int f = 1; static int g(void) { return f; }";
        assert_eq!(without(text, &["f"]).0, text);
    }
}
