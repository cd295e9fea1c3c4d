//! Classes of objects of which numbers may know how far they lie apart.

use super::sources::{At, Source, gcd, reduce, wrapped};
use transform::regions::power_of_two;

/// Union-find over objects, with the distance of each from its representative, known modulo the
/// class's stride.
pub struct Classes {
    parent: Vec<Source>,
    shift: Vec<i64>,
    stride: Vec<i64>,
    /// How many objects of the program the class has, and how many sources in all.
    real: Vec<u32>,
    size: Vec<u32>,
    /// Two of the class may lie so far apart that places of one go round the address space in the
    /// frame of the other.
    far: Vec<bool>,
    pointer_bits: u16,
    pub changed: bool,
}

impl Classes {
    /// `real` objects of the program; stand-ins may be added.
    pub fn new(real: usize, pointer_bits: u16) -> Classes {
        Classes {
            parent: (0..real as u32).collect(),
            shift: vec![0; real],
            stride: vec![0; real],
            real: vec![1; real],
            size: vec![1; real],
            far: vec![false; real],
            pointer_bits,
            changed: false,
        }
    }

    /// A stand-in, which has no bytes of the program.
    pub fn add(&mut self) -> Source {
        let id = self.parent.len() as u32;
        self.parent.push(id);
        self.shift.push(0);
        self.stride.push(0);
        self.real.push(0);
        self.size.push(1);
        self.far.push(false);
        id
    }

    pub fn root(&self, source: Source) -> Source {
        let mut at = source;
        while self.parent[at as usize] != at {
            at = self.parent[at as usize];
        }
        at
    }

    /// The class has an object of the program.
    pub fn is_real(&self, source: Source) -> bool {
        self.real[self.root(source) as usize] > 0
    }

    /// The class has one object of the program, and its places are known exactly.
    pub fn is_single(&self, source: Source) -> bool {
        let root = self.root(source) as usize;
        self.real[root] == 1 && self.stride[root] == 0
    }

    /// The place as one in the frame of the class's representative.
    pub fn place(&self, at: At) -> At {
        let (mut root, mut residue) = (at.source, at.residue);
        while self.parent[root as usize] != root {
            residue = residue.wrapping_add(self.shift[root as usize]);
            root = self.parent[root as usize];
        }
        let mut stride = gcd(at.stride, self.stride[root as usize]);
        if self.far[root as usize] {
            stride = power_of_two(stride);
        }
        At {
            source: root,
            residue: reduce(residue, stride, self.pointer_bits),
            stride,
        }
    }

    /// The two places may be one address.
    pub fn relate(&mut self, a: At, b: At) {
        let (mut a, mut b) = (self.place(a), self.place(b));
        if self.size[b.source as usize] > self.size[a.source as usize] {
            (a, b) = (b, a);
        }
        let stride = gcd(a.stride, b.stride);
        if a.source != b.source {
            let (from, to) = (b.source as usize, a.source as usize);
            self.parent[from] = a.source;
            let shift = wrapped(a.residue.wrapping_sub(b.residue), self.pointer_bits);
            self.shift[from] = shift;
            let is_far = shift.unsigned_abs() >= 1 << (self.pointer_bits - 2);
            self.far[to] |= self.far[from] || is_far;
            let stride = gcd(self.stride[from], stride);
            self.stride[to] = gcd(self.stride[to], stride);
            self.real[to] += self.real[from];
            self.size[to] += self.size[from];
            self.changed = true;
        } else {
            let apart = wrapped(a.residue.wrapping_sub(b.residue), self.pointer_bits);
            self.fold(a.source, gcd(stride, apart));
        }
    }

    /// Distances in the class are known modulo the stride only.
    pub fn fold(&mut self, source: Source, stride: i64) {
        let root = self.root(source) as usize;
        let folded = gcd(self.stride[root], stride);
        if folded != self.stride[root] {
            self.stride[root] = folded;
            self.changed = true;
        }
    }
}
