//! `asm("name")`: functions that the linker knows by another name.

use super::linkage::{Declared, Symbol};
use super::scope::Binding;
use super::{Checker, Outcome};
use crate::span::{Name, Span};
use crate::typed::FuncId;

impl Checker<'_> {
    /// The symbol that `asm("label")` behind a function's name means, if it is another one. The
    /// library gives its own functions such labels for other versions of the same thing; those keep
    /// their name.
    pub(super) fn symbol(&mut self, name: Name, label: &[u8], span: Span) -> Option<Name> {
        let label = String::from_utf8_lossy(label);
        let symbol = self.names.intern(&label);
        if same_function(self.text(name), &label) {
            if symbol != name {
                self.linkage.versions.push((symbol, span));
            }
            return None;
        }
        Some(symbol)
    }

    /// `int name() asm("symbol");`: the name stands for the function that the linker knows as
    /// `symbol`.
    pub(super) fn declare_renamed(&mut self, declared: Declared, symbol: Name) -> Outcome<FuncId> {
        let (name, ty, span) = (declared.name, declared.ty, declared.span);
        let known = match self.scopes.find_here(name) {
            Some((Binding::Func(id), _)) => Some(id),
            Some((_, earlier)) => return self.different_kind(name, span, earlier),
            None => None,
        };
        // A function of the unit itself, also a static one, or one of any other unit.
        let target = match (self.scopes.find(symbol), self.linkage.symbols.get(&symbol)) {
            (Some(Binding::Func(id)), _) => Some(id),
            (_, Some(&Symbol::Func(id))) => Some(id),
            (_, Some(&Symbol::Var(_))) => return self.unsupported(span, "a label of a variable"),
            (_, None) => None,
        };
        let id = match target {
            Some(id) if self.compatible(self.program.functions[id.0 as usize].ty, ty) => {
                self.merge_function(id, ty, span)?;
                id
            }
            Some(id) => {
                // Seen with another type under this name, which only a function of the library may
                // be.
                let own = self.new_function(name, ty, true, span);
                self.redirect(own, id, span);
                own
            }
            None => {
                let id = self.new_function(symbol, ty, declared.internal, span);
                self.linkage.functions[id.0 as usize].labelled = true;
                id
            }
        };
        if let Some(known) = known {
            // Declared without the label before: from now on it is another name of the function.
            if known != id {
                self.merge_function(known, ty, span)?;
                self.program.functions[known.0 as usize].alias = Some(id);
                if self.is_replaceable(name, ty) {
                    self.refuse_late_label(name, span)?;
                    self.linkage.labelled(name, known, id);
                }
                let state = &mut self.linkage.functions[known.0 as usize];
                state.mentions.push(id);
                state.relabelled = Some((span, self.unit));
            }
            return Ok(known);
        }
        let id = match self.is_replaceable(name, ty) {
            true => self.label_builtin(name, id, ty, span)?,
            false => id,
        };
        self.scopes
            .declare(name, Binding::Func(id), span, declared.end);
        Ok(id)
    }
}

/// Whether a label of the C library means the function that it is given to: a version with 64-bit
/// offsets or times, one of a newer standard, one that checks sizes.
fn same_function(name: &str, label: &str) -> bool {
    if name == label {
        return true;
    }
    let plain = label.strip_prefix("__").unwrap_or(label);
    let prefixes = ["isoc99_", "isoc23_", "xpg_", "nldbl_"];
    let newer = prefixes
        .iter()
        .find_map(|prefix| plain.strip_prefix(prefix));
    let others = ["64", "_chk", "_time64"].map(|suffix| plain.strip_suffix(suffix));
    newer
        .into_iter()
        .chain(others.into_iter().flatten())
        .any(|plain| plain == name)
}
