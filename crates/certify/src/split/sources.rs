//! Sets of places that a value may be the address of, interned.

use rustc_hash::FxHashMap;
use transform::regions::power_of_two;

/// An object of the program by number, or one of the stand-ins that [`super::Flow`] adds behind
/// them.
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
        self.modulo(gcd(self.stride, stride))
    }

    /// Known modulo powers of two at most.
    fn rounded(self) -> At {
        self.modulo(power_of_two(self.stride))
    }

    fn modulo(self, stride: i64) -> At {
        let residue = match stride {
            0 => self.residue,
            _ => self.residue.rem_euclid(stride),
        };
        At {
            residue,
            stride,
            ..self
        }
    }

    pub fn moved(self, by: i64, pointer_bits: u16) -> At {
        let residue = self.residue.wrapping_add(by);
        let residue = reduce(residue, self.stride, pointer_bits);
        At { residue, ..self }
    }
}

/// The residue modulo the stride, or as addresses wrap around.
pub fn reduce(residue: i64, stride: i64, pointer_bits: u16) -> i64 {
    if stride > 0 {
        residue.rem_euclid(stride)
    } else {
        wrapped(residue, pointer_bits)
    }
}

/// A distance of addresses, as the signed number that it is modulo 2 to the power of their width.
pub fn wrapped(distance: i64, pointer_bits: u16) -> i64 {
    let bits = u32::from(pointer_bits);
    arith::int::to_signed(arith::int::truncate(distance as u128, bits), bits) as i64
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
    pointer_bits: u16,
}

impl Sets {
    pub fn new(pointer_bits: u16) -> Sets {
        Sets {
            sets: vec![Vec::new()],
            index: [(Vec::new(), SetId::EMPTY)].into_iter().collect(),
            joins: FxHashMap::default(),
            moves: FxHashMap::default(),
            folds: FxHashMap::default(),
            pointer_bits,
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
        let bits = self.pointer_bits;
        let moved = self.get(set).iter().map(|at| at.moved(by, bits)).collect();
        let moved = self.intern(moved);
        self.moves.insert((set, by), moved);
        moved
    }

    /// Every place known modulo powers of two at most.
    pub fn rounded(&mut self, set: SetId) -> SetId {
        let places = self.get(set);
        if places.iter().all(|at| *at == at.rounded()) {
            return set;
        }
        let rounded = places.iter().map(|at| at.rounded()).collect();
        self.intern(rounded)
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
