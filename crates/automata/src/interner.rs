//! Values as small numbers: equal values get one number, in the order in which they come.

use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::hash::Hash;

/// A numbering of values.
///
/// Laws: `intern(a) == intern(b)` exactly if `a == b`; `get(intern(a)) == Some(&a)`; numbers are
/// given from 0 on without gaps, and never change.
#[derive(Clone, Debug)]
pub struct Interner<T> {
    values: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner {
            values: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// Return the value's number, a new one if the value is new.
    pub fn intern(&mut self, value: T) -> u32 {
        if let Some(&number) = self.numbers.get(&value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    /// Return the number of a value that was interned.
    pub fn number<Q: Eq + Hash + ?Sized>(&self, value: &Q) -> Option<u32>
    where
        T: Borrow<Q>,
    {
        self.numbers.get(value).copied()
    }

    /// Return the value that has the number.
    pub fn get(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize)
    }

    /// All values, by their numbers.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Give the values away, by their numbers.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }
}
