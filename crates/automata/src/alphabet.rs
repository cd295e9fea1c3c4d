//! Letters, and what they stand for.

use crate::interner::Interner;
use std::borrow::Borrow;
use std::hash::Hash;

/// A letter. The order of letters decides between words of the same length.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Letter(pub u32);

/// What the letters stand for: one letter for equal values, in the order in which they come.
#[derive(Clone, Debug)]
pub struct Alphabet<T>(Interner<T>);

impl<T> Default for Alphabet<T> {
    fn default() -> Self {
        Alphabet(Interner::default())
    }
}

impl<T: Clone + Eq + Hash> Alphabet<T> {
    /// Return the value's letter, a new one if the value is new.
    pub fn intern(&mut self, value: T) -> Letter {
        Letter(self.0.intern(value))
    }

    /// Return the letter of a value that was interned.
    pub fn letter<Q: Eq + Hash + ?Sized>(&self, value: &Q) -> Option<Letter>
    where
        T: Borrow<Q>,
    {
        self.0.number(value).map(Letter)
    }

    /// Return what a letter stands for.
    pub fn get(&self, letter: Letter) -> Option<&T> {
        self.0.get(letter.0)
    }

    /// The number of letters.
    pub fn len(&self) -> u32 {
        self.0.values().len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All letters, ascending.
    pub fn letters(&self) -> impl Iterator<Item = Letter> + use<T> {
        (0..self.len()).map(Letter)
    }
}
