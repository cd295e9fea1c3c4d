//! Interned identifiers.
//!
//! The keywords come first, in the order of [`crate::lexer::KEYWORDS`], so that one lookup tells
//! the lexer both the name and whether it is a keyword.

use crate::lexer::KEYWORDS;
use crate::span::Name;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The names of a program; equal text gives the equal [`Name`].
///
/// An open-addressing table of our own: the texts lie in one string, and a lookup from the lexer
/// needs neither a check for UTF-8 nor an allocation.
#[derive(Clone, Debug)]
pub struct Names {
    /// All texts, one after the other.
    texts: String,
    /// Where each text ends; it begins where the one before ends.
    ends: Vec<u32>,
    /// Slots of (upper half of the hash, index of the name plus one), zero if free; the length is a
    /// power of two.
    slots: Vec<(u32, u32)>,
}

impl Default for Names {
    fn default() -> Names {
        Names::new()
    }
}

impl Names {
    pub fn new() -> Names {
        let mut names = Names {
            texts: String::with_capacity(1 << 14),
            ends: Vec::with_capacity(1 << 10),
            slots: vec![(0, 0); 1 << 11],
        };
        for (spelling, _) in KEYWORDS {
            names.intern(spelling);
        }
        names
    }

    pub fn intern(&mut self, text: &str) -> Name {
        match self.slot_of(text.as_bytes()) {
            Ok(name) => name,
            Err(vacant) => self.insert(vacant, text),
        }
    }

    /// As [`Names::intern`]; none if the bytes are not UTF-8.
    #[inline]
    pub fn intern_bytes(&mut self, text: &[u8]) -> Option<Name> {
        match self.slot_of(text) {
            Ok(name) => Some(name),
            Err(vacant) => Some(self.insert(vacant, std::str::from_utf8(text).ok()?)),
        }
    }

    /// The name if the text was ever interned.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.slot_of(text.as_bytes()).ok()
    }

    pub fn get(&self, name: Name) -> &str {
        let (start, end) = self.range(name.0);
        &self.texts[start..end]
    }

    /// How many names there are; the names are numbered from zero.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    fn range(&self, index: u32) -> (usize, usize) {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        (start as usize, self.ends[index] as usize)
    }

    /// The name, or where it would go.
    #[inline]
    fn slot_of(&self, text: &[u8]) -> Result<Name, (usize, u32)> {
        let hash = hash(text);
        let tag = (hash >> 32) as u32;
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (found, index) = self.slots[at];
            if index == 0 {
                return Err((at, tag));
            }
            if found == tag {
                let (start, end) = self.range(index - 1);
                if &self.texts.as_bytes()[start..end] == text {
                    return Ok(Name(index - 1));
                }
            }
            at = (at + 1) & mask;
        }
    }

    fn insert(&mut self, (at, tag): (usize, u32), text: &str) -> Name {
        self.texts.push_str(text);
        self.ends.push(self.texts.len() as u32);
        let index = self.ends.len() as u32;
        self.slots[at] = (tag, index);
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        Name(index - 1)
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let mut slots = vec![(0, 0); size];
        for index in 0..self.ends.len() as u32 {
            let (start, end) = self.range(index);
            let hash = hash(&self.texts.as_bytes()[start..end]);
            let mut at = hash as usize & (size - 1);
            while slots[at].1 != 0 {
                at = (at + 1) & (size - 1);
            }
            slots[at] = ((hash >> 32) as u32, index + 1);
        }
        self.slots = slots;
    }
}

#[inline]
fn hash(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_text_gives_the_equal_name_also_after_growing() {
        let mut names = Names::new();
        let first: Vec<Name> = (0..5000)
            .map(|i| names.intern(&format!("name_{i}")))
            .collect();
        for (i, &name) in first.iter().enumerate() {
            let text = format!("name_{i}");
            assert_eq!(names.intern(&text), name);
            assert_eq!(names.find(&text), Some(name));
            assert_eq!(names.intern_bytes(text.as_bytes()), Some(name));
            assert_eq!(names.get(name), text);
        }
        assert_eq!(names.find("name_5000"), None);
    }

    #[test]
    fn keywords_come_first() {
        let names = Names::new();
        for (i, (spelling, _)) in KEYWORDS.iter().enumerate() {
            assert_eq!(
                names.find(spelling),
                Some(Name(i as u32)),
                "{spelling} is listed twice"
            );
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_no_name() {
        assert_eq!(Names::new().intern_bytes(b"a\xff"), None);
    }
}
