//! What the names at a place stand for, seen from the automaton: its variables and objects by name.

use crate::expr::VarId;
use crate::memory::ObjectId;
use rustc_hash::FxHashMap;
use syntax::types::TypeId;

#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub name: String,
    pub ty: TypeId,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub vars: FxHashMap<VarId, Named>,
    pub objects: FxHashMap<ObjectId, Named>,
}
