//! What the names at a place stand for, seen from the automaton: its variables and objects by name.

use cfa::expr::VarId;
use cfa::memory::ObjectId;
use rustc_hash::FxHashMap;
use syntax::types::TypeId;

#[derive(Clone, Debug)]
pub struct Named {
    pub name: String,
    pub ty: TypeId,
}

#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub vars: FxHashMap<VarId, Named>,
    pub objects: FxHashMap<ObjectId, Named>,
}
