//! Interned identifiers.

use crate::span::Name;
use rustc_hash::FxHashMap;

/// The names of a program; equal text gives the equal [`Name`].
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Vec<Box<str>>,
    index: FxHashMap<Box<str>, Name>,
}

impl Names {
    pub fn new() -> Names {
        Names::default()
    }

    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(&name) = self.index.get(text) {
            return name;
        }
        let name = Name(self.texts.len() as u32);
        self.texts.push(text.into());
        self.index.insert(text.into(), name);
        name
    }

    /// The name if the text was ever interned.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.index.get(text).copied()
    }

    pub fn get(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }
}
