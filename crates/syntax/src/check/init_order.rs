//! The order in which the items of an initialiser are evaluated, where C leaves it open
//! (C11 6.7.9).
//!
//! As gcc does it: in the order of the members, whatever the order of the designators. An item that
//! a later one overrides is not evaluated at all; a record of which a later item overrides a part
//! is left out as a whole, and its other parts are zero. Of a string that is overridden in part the
//! other characters stay.

use super::Checker;
use crate::typed::{Expr, ExprKind, InitItem, InitValue, Place, PlaceKind, VarId};

/// The bits of an item: first, and behind the last.
type Bits = (u64, u64);

impl Checker<'_> {
    pub(super) fn in_order_of_members(&self, items: Vec<InitItem>) -> Vec<InitItem> {
        let mut kept: Vec<(Bits, InitItem)> = Vec::with_capacity(items.len());
        let (mut end, mut is_sorted) = (0, true);
        for item in items {
            let bits = self.bits_of(&item);
            if bits.0 < end {
                is_sorted = false;
                override_with(&mut kept, bits, &item);
            }
            end = end.max(bits.1);
            kept.push((bits, item));
        }
        if !is_sorted {
            kept.sort_by_key(|&((start, _), _)| start);
        }
        kept.into_iter().map(|(_, item)| item).collect()
    }

    fn bits_of(&self, item: &InitItem) -> Bits {
        let start = item.offset * 8;
        match (&item.value, item.bits) {
            (_, Some(bits)) => {
                let start = start + u64::from(bits.shift);
                (start, start + u64::from(bits.width))
            }
            (InitValue::String { length, .. }, None) => (start, start + length * 8),
            (InitValue::Expr(value), None) => {
                let size = self.types().size_of(value.ty).unwrap_or(0);
                (start, start + size * 8)
            }
        }
    }
}

/// Removes what the new item overrides.
fn override_with(kept: &mut Vec<(Bits, InitItem)>, (start, end): Bits, new: &InitItem) {
    let is_overridden = |&((from, to), ref item): &(Bits, InitItem)| {
        let overlaps = from < end && start < to;
        let covers = start <= from && to <= end;
        overlaps && (covers || !matches!(item.value, InitValue::String { .. }))
    };
    let is_read = |var: VarId, item: &InitItem| match &item.value {
        InitValue::Expr(value) => reads(value) == Some(var),
        InitValue::String { .. } => false,
    };
    while let Some(at) = kept.iter().position(is_overridden) {
        let (_, item) = kept.remove(at);
        // A value that is computed once for several elements: the next one computes it.
        let InitValue::Expr(value) = item.value else {
            continue;
        };
        let Some(var) = writes(&value) else {
            continue;
        };
        if let Some((_, heir)) = kept.iter_mut().find(|(_, item)| is_read(var, item))
            && !is_read(var, new)
        {
            heir.value = InitValue::Expr(value);
        }
    }
}

fn variable(place: &Place) -> Option<VarId> {
    match place.kind {
        PlaceKind::Var(var) => Some(var),
        _ => None,
    }
}

fn writes(value: &Expr) -> Option<VarId> {
    match &value.kind {
        ExprKind::Assign(place, _) => variable(place),
        _ => None,
    }
}

fn reads(value: &Expr) -> Option<VarId> {
    match &value.kind {
        ExprKind::Load(place) => variable(place),
        _ => None,
    }
}
