//! Reachability over calls and returns.

use cfa::op::{Halt, Op};
use cfa::program::{Edge, LocId, Program};

/// An edge that no execution passes, as its operation shows.
pub(super) fn is_blocked(program: &Program, edge: &Edge) -> bool {
    matches!(program.op(edge.op), Op::Assume(condition) if program.pool.as_bool(*condition) == Some(false))
}

/// The locations that executions may reach. Behind a call is reached only if the callee may return.
pub(super) fn reached(program: &Program) -> Vec<bool> {
    let mut reached = vec![false; program.locations.len()];
    // Where control goes when the function returns.
    let mut waiting: Vec<Vec<LocId>> = vec![Vec::new(); program.functions.len()];
    let mut work = vec![program.function(program.entry).entry];
    while let Some(location) = work.pop() {
        if std::mem::replace(&mut reached[location.0 as usize], true) {
            continue;
        }
        let here = program.location(location);
        if program.function(here.function).exit == location {
            work.extend(&waiting[here.function.0 as usize]);
        }
        for &edge in &here.outgoing {
            let edge = program.edge(edge);
            match program.op(edge.op) {
                Op::Halt(_) => {}
                Op::Call { function, .. } => {
                    let callee = program.function(*function);
                    work.push(callee.entry);
                    waiting[function.0 as usize].push(edge.target);
                    if reached[callee.exit.0 as usize] {
                        work.push(edge.target);
                    }
                }
                _ if is_blocked(program, edge) => {}
                _ => work.push(edge.target),
            }
        }
    }
    reached
}

/// The locations from which an error, or something unsupported, may be reached: in the function, in
/// one that it calls, or behind a return to any caller.
pub fn leads_to_error(program: &Program) -> Vec<bool> {
    let mut leads = vec![false; program.locations.len()];
    let mut entered: Vec<Vec<LocId>> = vec![Vec::new(); program.functions.len()];
    let mut returning: Vec<Vec<LocId>> = vec![Vec::new(); program.locations.len()];
    let mut work: Vec<LocId> = program
        .errors
        .iter()
        .map(|&(location, _)| location)
        .collect();
    for edge in &program.edges {
        match program.op(edge.op) {
            Op::Halt(Halt::Unsupported(_)) => work.push(edge.source),
            Op::Call { function, .. } => {
                entered[function.0 as usize].push(edge.source);
                let exit = program.function(*function).exit;
                returning[edge.target.0 as usize].push(exit);
            }
            _ => {}
        }
    }
    while let Some(location) = work.pop() {
        if std::mem::replace(&mut leads[location.0 as usize], true) {
            continue;
        }
        let here = program.location(location);
        if program.function(here.function).entry == location {
            work.extend(&entered[here.function.0 as usize]);
        }
        work.extend(&returning[location.0 as usize]);
        for &edge in &here.incoming {
            let edge = program.edge(edge);
            if !matches!(program.op(edge.op), Op::Call { .. } | Op::Halt(_)) {
                work.push(edge.source);
            }
        }
    }
    leads
}
