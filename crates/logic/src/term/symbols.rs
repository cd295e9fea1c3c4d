//! Names of variables.
//!
//! A name is a text, or a base name with a number. Numbered names (`x@3`, the third version of `x`)
//! are made and found without formatting text, because encodings make them by the thousand.

use super::{Op, Sort, Symbol, Term, TermPool};
use rustc_hash::FxHashMap;

#[derive(Clone, PartialEq, Eq, Hash)]
enum Name {
    Text(Box<str>),
    Indexed(Symbol, u32),
}

#[derive(Default)]
pub(super) struct Symbols {
    names: Vec<Name>,
    texts: FxHashMap<Box<str>, Symbol>,
    indexed: FxHashMap<(Symbol, u32), Symbol>,
    /// The variable of a symbol, once it has one: a name has one sort.
    variables: Vec<Option<Term>>,
    fresh: FxHashMap<Symbol, u32>,
}

/// `x@3` is `("x", 3)`; numbers with leading zeros are part of the text.
fn split_index(name: &str) -> Option<(&str, u32)> {
    let (base, digits) = name.rsplit_once('@')?;
    let canonical = digits == "0" || digits.starts_with(|c: char| ('1'..='9').contains(&c));
    if base.is_empty() || !canonical || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((base, digits.parse().ok()?))
}

impl Symbols {
    fn push(&mut self, name: Name) -> Symbol {
        let symbol = Symbol(u32::try_from(self.names.len()).expect("fewer than 2^32 names"));
        self.names.push(name);
        self.variables.push(None);
        symbol
    }

    fn text(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.texts.get(text) {
            return symbol;
        }
        let symbol = self.push(Name::Text(text.into()));
        self.texts.insert(text.into(), symbol);
        symbol
    }

    fn indexed(&mut self, base: Symbol, index: u32) -> Symbol {
        if let Some(&symbol) = self.indexed.get(&(base, index)) {
            return symbol;
        }
        let symbol = self.push(Name::Indexed(base, index));
        self.indexed.insert((base, index), symbol);
        symbol
    }
}

impl TermPool {
    /// The symbol of a name. `x@3` is the same symbol as `indexed_symbol(symbol("x"), 3)`, so that
    /// names survive being printed and read.
    pub fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.texts.get(name) {
            return symbol;
        }
        let mut indices = Vec::new();
        let mut rest = name;
        while let Some((base, index)) = split_index(rest) {
            indices.push(index);
            rest = base;
        }
        let mut symbol = self.symbols.text(rest);
        for index in indices.into_iter().rev() {
            symbol = self.symbols.indexed(symbol, index);
        }
        symbol
    }

    /// The symbol of a numbered name.
    pub fn indexed_symbol(&mut self, base: Symbol, index: u32) -> Symbol {
        self.symbols.indexed(base, index)
    }

    /// The base and number of a numbered name.
    pub fn symbol_index(&self, symbol: Symbol) -> Option<(Symbol, u32)> {
        match &self.symbols.names[symbol.0 as usize] {
            Name::Indexed(base, index) => Some((*base, *index)),
            Name::Text(_) => None,
        }
    }

    /// The text of a name.
    pub fn symbol_name(&self, symbol: Symbol) -> String {
        let mut indices = Vec::new();
        let mut current = symbol;
        loop {
            match &self.symbols.names[current.0 as usize] {
                Name::Text(text) => {
                    let mut name = text.to_string();
                    for index in indices.iter().rev() {
                        name.push('@');
                        name.push_str(&u32::to_string(index));
                    }
                    return name;
                }
                Name::Indexed(base, index) => {
                    indices.push(*index);
                    current = *base;
                }
            }
        }
    }

    /// The variable of a name. A name has one sort: asked for with another one, the variable is a
    /// different one whose name carries the sort.
    pub fn var(&mut self, name: &str, sort: Sort) -> Term {
        let symbol = self.symbol(name);
        self.symbol_var(symbol, sort)
    }

    /// The variable of a symbol; see [`TermPool::var`].
    pub fn symbol_var(&mut self, symbol: Symbol, sort: Sort) -> Term {
        let mut symbol = symbol;
        loop {
            match self.symbols.variables[symbol.0 as usize] {
                Some(term) if self.sort(term) == sort => return term,
                Some(_) => {
                    let name = format!("{}:{}", self.symbol_name(symbol), sort);
                    symbol = self.symbols.text(&name);
                }
                None => {
                    let term = self.raw(Op::Var(symbol), sort, &[]);
                    self.symbols.variables[symbol.0 as usize] = Some(term);
                    return term;
                }
            }
        }
    }

    /// The variable that [`TermPool::symbol_var`] would give, if it exists already.
    pub fn find_symbol_var(&self, symbol: Symbol, sort: Sort) -> Option<Term> {
        let mut symbol = symbol;
        loop {
            let term = self.symbols.variables[symbol.0 as usize]?;
            if self.sort(term) == sort {
                return Some(term);
            }
            let name = format!("{}:{}", self.symbol_name(symbol), sort);
            symbol = *self.symbols.texts.get(name.as_str())?;
        }
    }

    /// The variable that a symbol already has.
    pub fn existing_var(&self, symbol: Symbol) -> Option<Term> {
        self.symbols.variables[symbol.0 as usize]
    }

    /// The numbered variable `base@index`.
    pub fn indexed_var(&mut self, base: Symbol, index: u32, sort: Sort) -> Term {
        let symbol = self.symbols.indexed(base, index);
        self.symbol_var(symbol, sort)
    }

    /// A variable that did not exist before.
    pub fn fresh_var(&mut self, prefix: &str, sort: Sort) -> Term {
        let base = self.symbol(prefix);
        loop {
            let count = self.symbols.fresh.entry(base).or_insert(0);
            let index = *count;
            *count += 1;
            let symbol = self.symbols.indexed(base, index);
            if self.symbols.variables[symbol.0 as usize].is_none() {
                return self.symbol_var(symbol, sort);
            }
        }
    }

    /// The symbol of a variable.
    pub fn as_var(&self, term: Term) -> Option<Symbol> {
        match self.op(term) {
            Op::Var(symbol) => Some(symbol),
            _ => None,
        }
    }
}
