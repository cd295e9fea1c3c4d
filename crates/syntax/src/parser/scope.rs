//! Which names are types at the place being read.

use crate::span::Name;

/// The innermost meaning of every name, with what is needed to go back at the end of a scope.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// Indexed by name: is it a typedef name now?
    is_type: Vec<bool>,
    /// What declarations of the open scopes hid, innermost last.
    hidden: Vec<(Name, bool)>,
    /// Where each open scope begins in `hidden`.
    starts: Vec<usize>,
}

impl Scopes {
    #[inline]
    pub(super) fn is_type(&self, name: Name) -> bool {
        self.is_type.get(name.0 as usize).copied().unwrap_or(false)
    }

    #[inline]
    pub(super) fn declare(&mut self, name: Name, is_type: bool) {
        let index = name.0 as usize;
        if index >= self.is_type.len() {
            if !is_type {
                return;
            }
            self.is_type.resize(index + 1, false);
        }
        let before = std::mem::replace(&mut self.is_type[index], is_type);
        if before != is_type {
            self.hidden.push((name, before));
        }
    }

    /// How many scopes are open.
    pub(super) fn depth(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn open(&mut self) {
        self.starts.push(self.hidden.len());
    }

    pub(super) fn close(&mut self) {
        let start = self.starts.pop().unwrap_or(0);
        for (name, before) in self.hidden.drain(start..).rev() {
            self.is_type[name.0 as usize] = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_a_scope_brings_back_what_it_hid() {
        let (t, x) = (Name(7), Name(900));
        let mut scopes = Scopes::default();
        scopes.declare(t, true);
        scopes.open();
        scopes.declare(t, false);
        scopes.declare(x, true);
        scopes.open();
        scopes.declare(t, true);
        scopes.declare(t, false);
        scopes.declare(t, true);
        assert!(scopes.is_type(t));
        scopes.close();
        assert!(!scopes.is_type(t));
        assert!(scopes.is_type(x));
        scopes.close();
        assert!(scopes.is_type(t));
        assert!(!scopes.is_type(x));
    }
}
