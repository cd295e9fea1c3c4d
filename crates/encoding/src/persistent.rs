//! A sparse vector that is cheap to copy: copies share what they do not change, and comparing two
//! copies visits only what differs. States of an unwinding fork at every branch and meet again soon
//! after, mostly unchanged.

use std::rc::Rc;

const BITS: u32 = 4;
const FAN: usize = 1 << BITS;

#[derive(Debug)]
enum Node<T> {
    Leaf([Option<T>; FAN]),
    Inner([Option<Rc<Node<T>>>; FAN]),
}

/// Laws: `get` after `set(i, v)` is `v` at `i` and unchanged elsewhere; the vector copied from is
/// unchanged.
#[derive(Debug)]
pub struct PVec<T> {
    root: Option<Rc<Node<T>>>,
    /// Levels of inner nodes above the leaves.
    height: u32,
}

impl<T> Clone for PVec<T> {
    fn clone(&self) -> Self {
        PVec {
            root: self.root.clone(),
            height: self.height,
        }
    }
}

impl<T> Default for PVec<T> {
    fn default() -> Self {
        PVec {
            root: None,
            height: 0,
        }
    }
}

impl<T: Copy + PartialEq> PVec<T> {
    pub fn get(&self, index: usize) -> Option<T> {
        if index >> (BITS * (self.height + 1)) != 0 {
            return None;
        }
        let mut node = self.root.as_ref()?;
        let mut level = self.height;
        loop {
            let slot = (index >> (BITS * level)) & (FAN - 1);
            match &**node {
                Node::Leaf(values) => return values[slot],
                Node::Inner(children) => node = children[slot].as_ref()?,
            }
            level -= 1;
        }
    }

    pub fn set(&mut self, index: usize, value: T) {
        while index >> (BITS * (self.height + 1)) != 0 {
            self.height += 1;
            if let Some(root) = self.root.take() {
                let mut children: [Option<Rc<Node<T>>>; FAN] = Default::default();
                children[0] = Some(root);
                self.root = Some(Rc::new(Node::Inner(children)));
            }
        }
        self.root = Some(set(self.root.as_ref(), self.height, index, value));
    }

    /// Calls `visit` for each index at which the two may differ, with both values.
    pub fn differences(&self, other: &PVec<T>, visit: &mut dyn FnMut(usize, Option<T>, Option<T>)) {
        let height = self.height.max(other.height);
        let left = raise(self.root.clone(), self.height, height);
        let right = raise(other.root.clone(), other.height, height);
        differ(left.as_ref(), right.as_ref(), height, 0, visit);
    }
}

fn raise<T>(mut root: Option<Rc<Node<T>>>, mut from: u32, to: u32) -> Option<Rc<Node<T>>> {
    while from < to {
        from += 1;
        if let Some(node) = root.take() {
            let mut children: [Option<Rc<Node<T>>>; FAN] = Default::default();
            children[0] = Some(node);
            root = Some(Rc::new(Node::Inner(children)));
        }
    }
    root
}

fn set<T: Copy>(node: Option<&Rc<Node<T>>>, level: u32, index: usize, value: T) -> Rc<Node<T>> {
    let slot = (index >> (BITS * level)) & (FAN - 1);
    if level == 0 {
        let mut values = match node.map(|node| &**node) {
            Some(Node::Leaf(values)) => *values,
            _ => [None; FAN],
        };
        values[slot] = Some(value);
        return Rc::new(Node::Leaf(values));
    }
    let mut children = match node.map(|node| &**node) {
        Some(Node::Inner(children)) => children.clone(),
        _ => Default::default(),
    };
    children[slot] = Some(set(children[slot].as_ref(), level - 1, index, value));
    Rc::new(Node::Inner(children))
}

fn differ<T: Copy + PartialEq>(
    left: Option<&Rc<Node<T>>>,
    right: Option<&Rc<Node<T>>>,
    level: u32,
    base: usize,
    visit: &mut dyn FnMut(usize, Option<T>, Option<T>),
) {
    match (left, right) {
        (None, None) => return,
        (Some(a), Some(b)) if Rc::ptr_eq(a, b) => return,
        _ => {}
    }
    for slot in 0..FAN {
        let index = base + (slot << (BITS * level));
        if level == 0 {
            let value = |node: Option<&Rc<Node<T>>>| match node.map(|node| &**node) {
                Some(Node::Leaf(values)) => values[slot],
                _ => None,
            };
            let (a, b) = (value(left), value(right));
            if a != b {
                visit(index, a, b);
            }
        } else {
            differ(
                child(left, slot),
                child(right, slot),
                level - 1,
                index,
                visit,
            );
        }
    }
}

fn child<T>(node: Option<&Rc<Node<T>>>, slot: usize) -> Option<&Rc<Node<T>>> {
    match node.map(|node| &**node) {
        Some(Node::Inner(children)) => children[slot].as_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn behaves_as_a_map(
            first in proptest::collection::vec((0usize..5000, 0u32..4), 0..60),
            second in proptest::collection::vec((0usize..90_000, 0u32..4), 0..60),
        ) {
            let mut vector = PVec::default();
            let mut map = BTreeMap::new();
            for (index, value) in first {
                vector.set(index, value);
                map.insert(index, value);
            }
            let (old, old_map) = (vector.clone(), map.clone());
            for (index, value) in second {
                vector.set(index, value);
                map.insert(index, value);
            }
            for (index, value) in &map {
                prop_assert_eq!(vector.get(*index), Some(*value));
            }
            let mut different = BTreeMap::new();
            old.differences(&vector, &mut |index, a, b| {
                different.insert(index, (a, b));
            });
            for (index, value) in &map {
                let before = old_map.get(index).copied();
                prop_assert_eq!(old.get(*index), before);
                prop_assert_eq!(different.contains_key(index), before != Some(*value));
            }
        }
    }
}
