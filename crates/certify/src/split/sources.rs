//! Sets of places that a value may be the address of, interned.

use rustc_hash::FxHashMap;

/// An object of the program by number, or one of the stand-ins that [`super::Flow`] adds behind them.
pub type Source = u32;

/// A place in an object: at `residue`, known modulo `stride` (zero: exactly).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct At {
    pub source: Source,
    pub residue: i64,
    pub stride: i64,
}

impl At {
    pub fn start(source: Source) -> At {
        At {
            source,
            residue: 0,
            stride: 0,
        }
    }

    fn join(self, other: At) -> At {
        let apart = self.residue.wrapping_sub(other.residue);
        At::folded(self, gcd(gcd(self.stride, other.stride), apart))
    }

    /// Known modulo `stride` at most.
    fn folded(self, stride: i64) -> At {
        let stride = gcd(self.stride, stride);
        let residue = reduce(self.residue, stride);
        At {
            residue,
            stride,
            ..self
        }
    }

    pub fn moved(self, by: i64) -> At {
        let residue = reduce(self.residue.wrapping_add(by), self.stride);
        At { residue, ..self }
    }
}

pub fn reduce(residue: i64, stride: i64) -> i64 {
    if stride > 0 {
        residue.rem_euclid(stride)
    } else {
        residue
    }
}

pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

/// A set, by number. Equal sets have equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SetId(u32);

impl SetId {
    pub const EMPTY: SetId = SetId(0);
}

/// The sets made so far; each has at most one place for each source, in the order of the sources.
pub struct Sets {
    sets: Vec<Vec<At>>,
    index: FxHashMap<Vec<At>, SetId>,
    joins: FxHashMap<(SetId, SetId), SetId>,
    moves: FxHashMap<(SetId, i64), SetId>,
    folds: FxHashMap<(SetId, i64), SetId>,
}

impl Sets {
    pub fn new() -> Sets {
        Sets {
            sets: vec![Vec::new()],
            index: [(Vec::new(), SetId::EMPTY)].into_iter().collect(),
            joins: FxHashMap::default(),
            moves: FxHashMap::default(),
            folds: FxHashMap::default(),
        }
    }

    pub fn get(&self, set: SetId) -> &[At] {
        &self.sets[set.0 as usize]
    }

    fn intern(&mut self, set: Vec<At>) -> SetId {
        if let Some(&id) = self.index.get(&set) {
            return id;
        }
        let id = SetId(self.sets.len() as u32);
        self.index.insert(set.clone(), id);
        self.sets.push(set);
        id
    }

    pub fn single(&mut self, at: At) -> SetId {
        self.intern(vec![at])
    }

    pub fn join(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId::EMPTY {
            return a;
        }
        if a == SetId::EMPTY {
            return b;
        }
        let key = (SetId(a.0.min(b.0)), SetId(a.0.max(b.0)));
        if let Some(&known) = self.joins.get(&key) {
            return known;
        }
        let (x, y) = (self.get(a), self.get(b));
        let mut both = Vec::with_capacity(x.len() + y.len());
        let (mut i, mut j) = (0, 0);
        while i < x.len() || j < y.len() {
            match (x.get(i), y.get(j)) {
                (Some(p), Some(q)) if p.source == q.source => {
                    both.push(p.join(*q));
                    (i, j) = (i + 1, j + 1);
                }
                (Some(p), q) if q.is_none_or(|q| p.source < q.source) => {
                    both.push(*p);
                    i += 1;
                }
                (_, Some(q)) => {
                    both.push(*q);
                    j += 1;
                }
                _ => break,
            }
        }
        let joined = self.intern(both);
        self.joins.insert(key, joined);
        joined
    }

    /// Every place moved by a known distance.
    pub fn moved(&mut self, set: SetId, by: i64) -> SetId {
        if by == 0 || set == SetId::EMPTY {
            return set;
        }
        if let Some(&known) = self.moves.get(&(set, by)) {
            return known;
        }
        let moved = self.get(set).iter().map(|at| at.moved(by)).collect();
        let moved = self.intern(moved);
        self.moves.insert((set, by), moved);
        moved
    }

    /// Every place moved by any multiple of the stride.
    pub fn folded(&mut self, set: SetId, stride: i64) -> SetId {
        if stride == 0 || set == SetId::EMPTY {
            return set;
        }
        if let Some(&known) = self.folds.get(&(set, stride)) {
            return known;
        }
        let folded = self.get(set).iter().map(|at| at.folded(stride)).collect();
        let folded = self.intern(folded);
        self.folds.insert((set, stride), folded);
        folded
    }
}
