//! Precisions in files, for reuse by a later run (Stieglmaier2016: T. Stieglmaier, *Augmenting
//! Predicate Analysis with Auxiliary Invariants*, 2016, section 5.2.2): which predicates were worth
//! tracking where, as C expressions.
//!
//! ```toml
//! [[predicate]]
//! file = "x.c"
//! line = 4
//! column = 3
//! value = "x <= 10"
//! ```
//!
//! Nothing in a precision claims to hold, so a file for another version of the program does no
//! harm: what cannot be read at its place any more is left out. So is, on writing, what C cannot
//! say there (temporaries, variables of callers).

use super::message::Message;
use super::stream::send;
use cfa::expr::{ExprId, VarId};
use cfa::program::LocId;
use facts::precision::PrecisionMap;
use lowering::Tree;
use portfolio::case::Case;
use printing::print_c;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::path::Path;
use transform::passes::copy_expr;

#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    predicate: Vec<Entry>,
}

/// A predicate and where its place begins in the text; columns count from one.
#[derive(Serialize, Deserialize, PartialEq, Eq, Hash, Clone, Debug)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    line: u32,
    column: u32,
    value: String,
}

/// Writes the last precision that an analysis of this run handed on.
pub fn write(file: &Path, tree: &Tree, case: &Case) -> Result<(), String> {
    let mut entries = Vec::new();
    if let Some(map) = case.store.precisions().last() {
        entries = entries_of(tree, case, map);
    }
    let text = toml::to_string(&File { predicate: entries })
        .map_err(|error| format!("cannot write the precision: {error}"))?;
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

fn entries_of(tree: &Tree, case: &Case, map: &PrecisionMap) -> Vec<Entry> {
    let split = &case.views.split;
    let mut pool = split.pool.clone();
    let mut copies = FxHashMap::default();
    let mut known: FxHashSet<Entry> = FxHashSet::default();
    let mut entries = Vec::new();
    for &(location, predicate) in &map.predicates {
        let rename = |var: VarId| match case.views.prepared() {
            None => Some(var),
            Some(prepared) => prepared.var_before(var),
        };
        let Some(value) = copy_expr(&map.pool, &mut pool, predicate, &mut copies, rename) else {
            continue;
        };
        let places: Vec<LocId> = match case.views.prepared() {
            None => vec![location],
            Some(prepared) => prepared.locations_before(location).to_vec(),
        };
        for place in places {
            let Some(scope) = print_c::scope_of(split, place) else {
                continue;
            };
            let at = split.sources.place(split.location(place).span.lo);
            let text = print_c::Printer::new(tree, split, scope).print(&pool, value);
            if let (Some(at), Some(value)) = (at, text) {
                let entry = Entry {
                    file: at.file.into(),
                    line: at.line,
                    column: at.column,
                    value,
                };
                if known.insert(entry.clone()) {
                    entries.push(entry);
                }
            }
        }
    }
    entries
}

/// The precision in a file, about the program that analyses see.
pub fn read(file: &Path, tree: &mut Tree, case: &Case) -> Result<PrecisionMap, String> {
    let text =
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let given: File =
        toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let split = &case.views.split;
    let mut pool = split.pool.clone();
    let mut found: Vec<(LocId, ExprId)> = Vec::new();
    let mut left_out = 0;
    for entry in &given.predicate {
        let read = read_entry(tree, case, &mut pool, entry);
        left_out += usize::from(read.is_empty());
        found.extend(read);
    }
    if left_out > 0 {
        send(&Message::Progress {
            engine: "precision".into(),
            phase: match left_out {
                1 => "1 predicate of the file does not apply to this program".into(),
                _ => format!("{left_out} predicates of the file do not apply to this program"),
            },
        });
    }
    // From the program before the passes to the one behind them.
    let (pool, predicates) = case.views.after_passes(pool, &found);
    Ok(PrecisionMap {
        by: file.display().to_string(),
        pool,
        predicates,
    })
}

/// The predicate at each location that begins at its place.
fn read_entry(
    tree: &mut Tree,
    case: &Case,
    pool: &mut cfa::expr::ExprPool,
    entry: &Entry,
) -> Vec<(LocId, ExprId)> {
    let split = &case.views.split;
    let name = entry.file.rsplit('/').next().unwrap_or(&entry.file);
    let Some(offset) = split.sources.find(name, entry.line, entry.column) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (number, location) in split.locations.iter().enumerate() {
        let at = LocId(number as u32);
        if location.span.is_none() || location.span.lo != offset {
            continue;
        }
        let Some(scope) = print_c::scope_of(split, at) else {
            continue;
        };
        if let Ok(read) = tree.condition(split, pool, &entry.value, scope)
            && let Some(predicate) = transform::regions::expression_after_split(split, pool, read)
        {
            found.push((at, predicate));
        }
    }
    found
}
