//! Maps from variables to values, hash-consed: equal maps have equal numbers, and maps share what
//! they have in common.
//!
//! A map is a tree with sixteen children at each node; a leaf holds the numbers of sixteen
//! variables' values. A map of a few hundred variables is two or three levels high, so an
//! assignment makes two or three nodes of 64 bytes, or none if the same map was made before.

use cfa::memory::ObjectId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A value that is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Known {
    /// A bit pattern, as in expressions.
    Bits(u128),
    /// So many bytes from the start of an object that lives as long as the program.
    Address(ObjectId, i64),
}

/// `None` if any value of the type is possible.
pub type Value = Option<Known>;

/// A map, by number; the empty map knows no value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MapId(pub u32);

impl MapId {
    pub const EMPTY: MapId = MapId(0);
}

const BITS: u32 = 4;
const FAN: usize = 1 << BITS;
type Node = [u32; FAN];
/// Enough for every 32-bit number.
const MAX_LEVELS: usize = 8;

/// Variables of one leaf, as a mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    first: u32,
    mask: u16,
}

/// Variables by the leaves that hold them.
pub fn groups(variables: impl Iterator<Item = u32>) -> Rc<[Group]> {
    let mut variables: Vec<u32> = variables.collect();
    variables.sort_unstable();
    let mut found: Vec<Group> = Vec::new();
    for variable in variables {
        let (first, bit) = (
            variable & !(FAN as u32 - 1),
            1 << (variable & (FAN as u32 - 1)),
        );
        match found.last_mut() {
            Some(last) if last.first == first => last.mask |= bit,
            _ => found.push(Group { first, mask: bit }),
        }
    }
    found.into()
}

pub struct Store {
    nodes: Vec<Node>,
    /// Numbers of nodes by hash, with open addressing; zero where free.
    table: Vec<u32>,
    values: Vec<Known>,
    value_index: FxHashMap<Known, u32>,
    /// Levels above the leaves, enough for all variables.
    height: u32,
}

/// Two numbers at a time, multiplied and turned: nodes differ in few places, and every place must
/// count.
fn hash(node: &Node) -> usize {
    let mut hash = 0u64;
    for pair in node.chunks_exact(2) {
        let word = u64::from(pair[0]) | u64::from(pair[1]) << 32;
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (hash ^ hash >> 29) as usize
}

impl Store {
    pub fn new(variables: usize) -> Store {
        let mut height = 0;
        while variables >> (BITS * (height + 1)) != 0 {
            height += 1;
        }
        // The way down has as many entries.
        debug_assert!(height < MAX_LEVELS as u32);
        Store {
            // Number zero is the empty map and the empty subtree at every level.
            nodes: vec![[0; FAN]],
            table: vec![0; 1024],
            values: Vec::new(),
            value_index: FxHashMap::default(),
            height,
        }
    }

    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>()
            + self.table.len() * size_of::<u32>()
            + self.values.len() * 3 * size_of::<Known>()
    }

    fn intern(&mut self, node: Node) -> u32 {
        if node == [0; FAN] {
            return 0;
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(&node) & mask;
        loop {
            match self.table[slot] {
                0 => break,
                number if self.nodes[number as usize] == node => return number,
                _ => slot = (slot + 1) & mask,
            }
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(node);
        self.table[slot] = number;
        if self.nodes.len() * 2 > self.table.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        let mut table = vec![0u32; size];
        for (number, node) in self.nodes.iter().enumerate().skip(1) {
            let mut slot = hash(node) & (size - 1);
            while table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            table[slot] = number as u32;
        }
        self.table = table;
    }

    fn number_of(&mut self, value: Value) -> u32 {
        let Some(known) = value else { return 0 };
        let values = &mut self.values;
        *self.value_index.entry(known).or_insert_with(|| {
            values.push(known);
            values.len() as u32
        })
    }

    pub fn get(&self, map: MapId, variable: u32) -> Value {
        let mut node = map.0;
        for level in (0..=self.height).rev() {
            if node == 0 {
                return None;
            }
            let slot = (variable >> (BITS * level)) as usize & (FAN - 1);
            node = self.nodes[node as usize][slot];
        }
        node.checked_sub(1)
            .map(|number| self.values[number as usize])
    }

    #[must_use]
    pub fn set(&mut self, map: MapId, variable: u32, value: Value) -> MapId {
        let value = self.number_of(value);
        // The way down; nodes are changed from the leaf up.
        let mut way = [(0u32, 0usize); MAX_LEVELS];
        let mut node = map.0;
        for level in (0..=self.height).rev() {
            let slot = (variable >> (BITS * level)) as usize & (FAN - 1);
            way[level as usize] = (node, slot);
            node = if node == 0 {
                0
            } else {
                self.nodes[node as usize][slot]
            };
        }
        if node == value {
            return map;
        }
        self.rebuild(&way[..=self.height as usize], value)
    }

    /// The map with another subtree at the end of the way, which leads from below up.
    fn rebuild(&mut self, way: &[(u32, usize)], mut child: u32) -> MapId {
        for &(node, slot) in way {
            let mut changed = self.nodes[node as usize];
            changed[slot] = child;
            child = self.intern(changed);
        }
        MapId(child)
    }

    /// The map without the variables.
    #[must_use]
    pub fn without(&mut self, mut map: MapId, variables: &[Group]) -> MapId {
        for group in variables {
            let mut way = [(0u32, 0usize); MAX_LEVELS];
            let mut node = map.0;
            for level in (1..=self.height).rev() {
                let slot = (group.first >> (BITS * level)) as usize & (FAN - 1);
                way[level as usize - 1] = (node, slot);
                node = self.nodes[node as usize][slot];
            }
            if node == 0 {
                continue;
            }
            let mut leaf = self.nodes[node as usize];
            let mut changed = false;
            for (slot, value) in leaf.iter_mut().enumerate() {
                if group.mask >> slot & 1 == 1 && *value != 0 {
                    *value = 0;
                    changed = true;
                }
            }
            if changed {
                let leaf = self.intern(leaf);
                map = self.rebuild(&way[..self.height as usize], leaf);
            }
        }
        map
    }

    /// Does the smaller map know all that the larger one knows? (It then stands for fewer states.)
    pub fn leq(&self, small: MapId, large: MapId) -> bool {
        self.covers(small.0, large.0, self.height)
    }

    fn covers(&self, small: u32, large: u32, level: u32) -> bool {
        if small == large || large == 0 {
            return true;
        }
        if small == 0 {
            return false;
        }
        let (small, large) = (&self.nodes[small as usize], &self.nodes[large as usize]);
        small.iter().zip(large).all(|(&a, &b)| {
            if level == 0 {
                b == 0 || a == b
            } else {
                self.covers(a, b, level - 1)
            }
        })
    }

    /// The known values, by variable.
    pub fn entries(&self, map: MapId) -> Vec<(u32, Known)> {
        let mut entries = Vec::new();
        let mut stack = vec![(map.0, self.height, 0u32)];
        while let Some((node, level, base)) = stack.pop() {
            if node == 0 {
                continue;
            }
            for (slot, &child) in self.nodes[node as usize].iter().enumerate() {
                let variable = base | (slot as u32) << (BITS * level);
                match (child, level) {
                    (0, _) => {}
                    (value, 0) => entries.push((variable, self.values[value as usize - 1])),
                    (child, _) => stack.push((child, level - 1, variable)),
                }
            }
        }
        entries.sort_unstable_by_key(|&(variable, _)| variable);
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn maps_are_maps(steps in prop::collection::vec((0u32..600, prop::option::of(0u128..4)), 0..60)) {
            let mut store = Store::new(600);
            let mut map = MapId::EMPTY;
            let mut model = BTreeMap::new();
            let mut earlier = Vec::new();
            for (variable, value) in steps {
                earlier.push((map, model.clone()));
                map = store.set(map, variable, value.map(Known::Bits));
                match value {
                    Some(bits) => model.insert(variable, Known::Bits(bits)),
                    None => model.remove(&variable),
                };
                prop_assert_eq!(store.get(map, variable), value.map(Known::Bits));
            }
            let entries: Vec<_> = model.iter().map(|(&v, &k)| (v, k)).collect();
            prop_assert_eq!(store.entries(map), entries);
            // Built again from nothing, it is the same map.
            let mut again = MapId::EMPTY;
            for (&variable, &value) in &model {
                again = store.set(again, variable, Some(value));
            }
            prop_assert_eq!(again, map);
            let gone = groups((0..600).filter(|v| v % 3 == 1));
            let kept: Vec<_> = store.entries(map).into_iter().filter(|(v, _)| v % 3 != 1).collect();
            let without = store.without(map, &gone);
            prop_assert_eq!(store.entries(without), kept);
            for (other, contents) in earlier {
                let covered = contents.iter().all(|(v, k)| model.get(v) == Some(k));
                prop_assert_eq!(store.leq(map, other), covered);
            }
        }
    }
}
