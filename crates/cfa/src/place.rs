//! Places of executions: a location, and the calls that lead to it.

use crate::expr::ExprId;
use crate::op::Op;
use crate::program::{EdgeId, FuncId, LocId, Program};
use serde::{Deserialize, Serialize};

/// Where an execution is: the call edges of the activations below the running one, outermost first,
/// and the location in the running function. The entry function's activation has no call edge.
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

/// Call strings of a whole program beyond which they are not told apart.
const MAX_CALL_STRINGS: usize = 2_000;

/// For each function all call strings that lead to it; `None` if there is no end of them, or too
/// many.
pub fn call_strings(program: &Program) -> Option<Vec<Vec<Vec<EdgeId>>>> {
    let mut calls: Vec<Vec<(EdgeId, FuncId)>> = vec![Vec::new(); program.functions.len()];
    for (edge, number) in program.edges.iter().zip(0..) {
        if let Op::Call { function, .. } = program.op(edge.op) {
            let caller = program.location(edge.source).function;
            calls[caller.0 as usize].push((EdgeId(number), *function));
        }
    }
    let mut found = vec![Vec::new(); program.functions.len()];
    let mut count = 0;
    let mut work = vec![(program.entry, Vec::new())];
    while let Some((function, string)) = work.pop() {
        count += 1;
        // A string that is longer than there are functions goes round.
        if count > MAX_CALL_STRINGS || string.len() > program.functions.len() {
            return None;
        }
        for &(edge, callee) in &calls[function.0 as usize] {
            work.push((callee, [&string[..], &[edge]].concat()));
        }
        found[function.0 as usize].push(string);
    }
    Some(found)
}

/// A statement about a place: what analyses prove, passes carry back and the checker reads. Its
/// expression lies in the pool that comes with it.
///
/// What several of them say together is for their owner to say: those of an inductive map all hold,
/// of the nodes of a certificate at one place one does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    pub calls: CallPattern,
    pub location: LocId,
    /// Truth-valued.
    pub holds: ExprId,
}

/// Which calls a statement about a location holds under.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
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
