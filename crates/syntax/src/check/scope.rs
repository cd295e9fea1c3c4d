//! Which declaration a name stands for.
//!
//! While a unit is checked, [`Scopes`] answers by one array access per name: each name has a chain
//! of the declarations that it currently stands for, innermost first, and leaving a scope unlinks
//! what it declared. Everything declared is also written to a [`ScopeTable`], which stays with the
//! program and answers the same question later for any place ("which `x` is visible at this
//! offset?").

use crate::span::{Name, Span};
use crate::typed::{FuncId, VarId};
use crate::types::{EnumId, RecordId, TypeId};

/// What an ordinary identifier stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    Typedef(TypeId),
    Var(VarId),
    Func(FuncId),
    /// An index into [`ScopeTable::enumerators`].
    Enumerator(u32),
}

/// What the name after `struct`, `union` or `enum` stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

/// A region of text whose declarations are visible inside only.
#[derive(Clone, Copy, Debug)]
struct Region {
    parent: Option<u32>,
    span: Span,
    /// The region of a `for` statement with a declaration.
    is_loop: bool,
}

#[derive(Clone, Copy, Debug)]
struct Declared<T> {
    region: u32,
    name: Name,
    what: T,
    /// Visible from this offset on.
    from: u32,
}

/// All scopes of a program and what they declare. Regions and declarations are in the order of the
/// text, unit by unit.
#[derive(Clone, Debug, Default)]
pub struct ScopeTable {
    regions: Vec<Region>,
    declared: Vec<Declared<Binding>>,
    tags: Vec<Declared<Tag>>,
    /// Type and bit pattern of each enumeration constant.
    pub enumerators: Vec<(TypeId, u128)>,
}

/// A place at which an expression is to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScopePlace {
    /// Just before the text at this offset.
    Before(u32),
    /// At the head of the loop that begins at this offset: as before, but what a `for` declares is
    /// visible.
    LoopHead(u32),
}

/// What can be named at a place; a name that hides another comes after it.
pub(super) struct Visible {
    names: Vec<(Name, Binding)>,
    tags: Vec<(Name, Tag)>,
}

impl Visible {
    /// What each name stands for, in the order of the names.
    pub(super) fn innermost(mut self) -> Vec<(Name, Binding)> {
        // Stable, so that what hides stays behind what is hidden.
        self.names.sort_by_key(|&(name, _)| name);
        let mut innermost: Vec<(Name, Binding)> = Vec::new();
        for (name, binding) in self.names {
            match innermost.last_mut() {
                Some(last) if last.0 == name => last.1 = binding,
                _ => innermost.push((name, binding)),
            }
        }
        innermost
    }
}

impl ScopeTable {
    /// The typedefs outside of functions: names, what they stand for, and their places.
    pub fn file_typedefs(&self) -> impl Iterator<Item = (Name, TypeId, u32)> + '_ {
        let is_outside = |region: u32| self.regions[region as usize].parent.is_none();
        self.declared
            .iter()
            .filter_map(move |declared| match declared.what {
                Binding::Typedef(ty) if is_outside(declared.region) => {
                    Some((declared.name, ty, declared.from))
                }
                _ => None,
            })
    }

    /// The regions around a place, outermost first.
    fn regions_at(&self, place: ScopePlace) -> Vec<u32> {
        let at = match place {
            ScopePlace::Before(at) | ScopePlace::LoopHead(at) => at,
        };
        // Of the regions that contain the place, the last one is the innermost: regions are
        // numbered when they are entered.
        let mut innermost = None;
        for (index, region) in self.regions.iter().enumerate() {
            let inside = region.span.lo < at && at < region.span.hi
                || matches!(place, ScopePlace::LoopHead(_))
                    && region.is_loop
                    && region.span.lo == at;
            if inside {
                innermost = Some(index as u32);
            }
        }
        let mut chain = Vec::new();
        while let Some(region) = innermost {
            chain.push(region);
            innermost = self.regions[region as usize].parent;
        }
        chain.reverse();
        chain
    }

    /// Declarations visible at the place, an inner one after those that it hides.
    pub(super) fn visible(&self, place: ScopePlace) -> Visible {
        let regions = self.regions_at(place);
        let (at, is_head) = match place {
            ScopePlace::Before(at) => (at, false),
            ScopePlace::LoopHead(at) => (at, true),
        };
        let head = regions.iter().copied().find(|&region| {
            let region = &self.regions[region as usize];
            is_head && region.is_loop && region.span.lo == at
        });
        Visible {
            names: shown(&self.declared, &regions, at, head),
            tags: shown(&self.tags, &regions, at, head),
        }
    }

    /// How much is recorded; see [`ScopeTable::forget_since`].
    pub(super) fn mark(&self) -> [usize; 4] {
        [
            self.regions.len(),
            self.declared.len(),
            self.tags.len(),
            self.enumerators.len(),
        ]
    }

    /// Removes what was recorded after the mark.
    pub(super) fn forget_since(&mut self, mark: [usize; 4]) {
        self.regions.truncate(mark[0]);
        self.declared.truncate(mark[1]);
        self.tags.truncate(mark[2]);
        self.enumerators.truncate(mark[3]);
    }
}

/// What is declared in the regions before the offset, or anywhere in the region `head`; in the
/// order of the regions.
fn shown<T: Copy>(
    all: &[Declared<T>],
    regions: &[u32],
    at: u32,
    head: Option<u32>,
) -> Vec<(Name, T)> {
    let mut by_region = vec![Vec::new(); regions.len()];
    for declared in all {
        if let Some(depth) = regions.iter().position(|&region| region == declared.region)
            && (declared.from <= at || Some(declared.region) == head)
        {
            by_region[depth].push((declared.name, declared.what));
        }
    }
    by_region.concat()
}

#[derive(Clone, Copy, Debug)]
struct Entry<T> {
    name: Name,
    what: T,
    span: Span,
    level: u32,
    /// The entry hidden by this one, plus one.
    hidden: u32,
}

/// One name space: for each name the innermost declaration, for each declaration the one that it
/// hides.
#[derive(Debug)]
struct Space<T> {
    /// By name: index of the innermost entry plus one; zero if undeclared.
    innermost: Vec<u32>,
    entries: Vec<Entry<T>>,
}

impl<T: Copy> Space<T> {
    fn new() -> Space<T> {
        Space {
            innermost: Vec::new(),
            entries: Vec::new(),
        }
    }

    #[inline]
    fn find(&self, name: Name) -> Option<&Entry<T>> {
        match self.innermost.get(name.0 as usize) {
            None | Some(0) => None,
            Some(&index) => Some(&self.entries[index as usize - 1]),
        }
    }

    fn insert(&mut self, name: Name, what: T, span: Span, level: u32) {
        let slot = name.0 as usize;
        if slot >= self.innermost.len() {
            self.innermost.resize((slot + 1).next_power_of_two(), 0);
        }
        let hidden = self.innermost[slot];
        self.entries.push(Entry {
            name,
            what,
            span,
            level,
            hidden,
        });
        self.innermost[slot] = self.entries.len() as u32;
    }

    fn truncate(&mut self, length: usize) {
        while self.entries.len() > length {
            if let Some(entry) = self.entries.pop() {
                self.innermost[entry.name.0 as usize] = entry.hidden;
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Level {
    names: usize,
    tags: usize,
    region: u32,
}

/// The scopes that are open while a unit is checked.
#[derive(Debug)]
pub(super) struct Scopes {
    names: Space<Binding>,
    tags: Space<Tag>,
    levels: Vec<Level>,
    pub(super) table: ScopeTable,
}

impl Scopes {
    pub(super) fn new(table: ScopeTable) -> Scopes {
        Scopes {
            names: Space::new(),
            tags: Space::new(),
            levels: Vec::new(),
            table,
        }
    }

    /// Opens a scope for a region of text.
    pub(super) fn enter(&mut self, span: Span, is_loop: bool) {
        let parent = self.levels.last().map(|level| level.region);
        let region = self.table.regions.len() as u32;
        self.table.regions.push(Region {
            parent,
            span,
            is_loop,
        });
        self.levels.push(Level {
            names: self.names.entries.len(),
            tags: self.tags.entries.len(),
            region,
        });
    }

    pub(super) fn leave(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.names.truncate(level.names);
            self.tags.truncate(level.tags);
        }
    }

    /// One for the file, more inside.
    pub(super) fn depth(&self) -> u32 {
        self.levels.len() as u32
    }

    #[inline]
    pub(super) fn find(&self, name: Name) -> Option<Binding> {
        self.names.find(name).map(|entry| entry.what)
    }

    /// The declaration in the current scope itself, with its place.
    pub(super) fn find_here(&self, name: Name) -> Option<(Binding, Span)> {
        let entry = self.names.find(name)?;
        (entry.level == self.depth()).then_some((entry.what, entry.span))
    }

    pub(super) fn find_tag(&self, name: Name) -> Option<Tag> {
        self.tags.find(name).map(|entry| entry.what)
    }

    pub(super) fn find_tag_here(&self, name: Name) -> Option<(Tag, Span)> {
        let entry = self.tags.find(name)?;
        (entry.level == self.depth()).then_some((entry.what, entry.span))
    }

    /// Declares a name in the current scope; `from` is the offset behind its declarator.
    pub(super) fn declare(&mut self, name: Name, what: Binding, span: Span, from: u32) {
        let level = self.depth();
        self.names.insert(name, what, span, level);
        if let Some(level) = self.levels.last() {
            let region = level.region;
            self.table.declared.push(Declared {
                region,
                name,
                what,
                from,
            });
        }
    }

    pub(super) fn declare_tag(&mut self, name: Name, what: Tag, span: Span) {
        let level = self.depth();
        self.tags.insert(name, what, span, level);
        if let Some(level) = self.levels.last() {
            let region = level.region;
            self.table.tags.push(Declared {
                region,
                name,
                what,
                from: span.lo,
            });
        }
    }

    /// Makes names visible that an earlier check recorded, without recording them again.
    pub(super) fn reopen(&mut self, visible: Visible) {
        self.levels.push(Level {
            names: 0,
            tags: 0,
            region: 0,
        });
        for (name, what) in visible.names {
            self.names.insert(name, what, Span::NONE, 1);
        }
        for (name, what) in visible.tags {
            self.tags.insert(name, what, Span::NONE, 1);
        }
    }
}
