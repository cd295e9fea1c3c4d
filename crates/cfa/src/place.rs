//! Places of executions: a location, and the calls that lead to it.

use crate::op::Op;
use crate::program::{EdgeId, FuncId, LocId, Program};

/// Where an execution is: the call edges of the activations below the running one, outermost first, and the
/// location in the running function. The entry function's activation has no call edge.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    pub calls: Vec<EdgeId>,
    pub location: LocId,
}

impl Place {
    /// Where executions start.
    pub fn entry(program: &Program) -> Place {
        Place {
            calls: Vec::new(),
            location: program.function(program.entry).entry,
        }
    }

    /// Do the calls lead from the entry function to the location's?
    pub fn is_possible(&self, program: &Program) -> bool {
        let mut function = program.entry;
        for &call in &self.calls {
            if call.0 as usize >= program.edges.len() {
                return false;
            }
            let source = program.location(program.edge(call).source).function;
            match callee(program, call) {
                Some(next) if source == function => function = next,
                _ => return false,
            }
        }
        (self.location.0 as usize) < program.locations.len()
            && program.location(self.location).function == function
    }
}

/// The function that a call edge leads to.
pub fn callee(program: &Program, edge: EdgeId) -> Option<FuncId> {
    match program.edge_op(edge) {
        Op::Call { function, .. } => Some(*function),
        _ => None,
    }
}

/// Which calls a statement about a location holds under.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CallPattern {
    /// However the execution came there.
    Any,
    /// With exactly these calls.
    Exactly(Vec<EdgeId>),
}

impl CallPattern {
    pub fn matches(&self, calls: &[EdgeId]) -> bool {
        match self {
            CallPattern::Any => true,
            CallPattern::Exactly(these) => these == calls,
        }
    }
}
