//! Path programs: all that the edges of one path can do, the path's loops included.
//!
//! M. Greitschus, D. Dietsch, A. Podelski: Loop invariants from counterexamples, SAS 2017, section
//! 3; after D. Beyer, T. Henzinger, R. Majumdar, A. Rybalchenko: Path invariants, PLDI 2007.
//!
//! | there | here |
//! |---|---|
//! | trace `τ = s_0 s_1 …` | a path: edges from the program's entry on |
//! | path program `P#` | [`Passed::program`] |
//! | `Loc#`, `δ#` | the locations and edges that the path passes; [`Passed::back`] says which they are |
//!
//! Deviations: statements are edges, so that a statement that the program has in two places is in
//! the path program only where the path passes it. Paths go through calls: behind a call's edge
//! come those of the callee, and the path program has one automaton for each function on the path.
//! Where a path does not end in an error location, its end gets one, behind an edge that does
//! nothing.

use super::{Draft, DraftEdge, DraftLocation, Passed};
use cfa::op::Op;
use cfa::program::{EdgeId, ErrorKind, LocId, LocationKind, Program};
use rustc_hash::FxHashSet;

/// Why a list of edges is no path of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotAPath {
    /// The position in the list of the first edge that cannot be passed there.
    pub position: usize,
}

impl std::fmt::Display for NotAPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "edge {} of the path does not start where the previous one ends",
            self.position
        )
    }
}

impl std::error::Error for NotAPath {}

/// The program that has the path's edges and nothing else. An error location of it is reached
/// exactly if the place where the path ends is reached over the path's edges, as often and in
/// whatever order they can be passed.
///
/// The path begins at the entry of the program. Returns are not written: behind the last edge of a
/// callee comes one that leaves the call's target.
pub fn path_program(program: &Program, path: &[EdgeId]) -> Result<Passed, NotAPath> {
    let end = end_of(program, path)?;
    let kept: FxHashSet<EdgeId> = path.iter().copied().collect();
    let mut draft = Draft::of(program);
    for number in 0..program.edges.len() as u32 {
        if !kept.contains(&EdgeId(number)) {
            draft.remove(EdgeId(number));
        }
    }
    if !program.is_error(end) {
        let location = program.location(end);
        let error = draft.new_location(DraftLocation {
            function: location.function,
            kind: LocationKind::Error,
            span: location.span,
            error: Some(ErrorKind::ErrorCall),
            stands_for: Vec::new(),
        });
        draft.new_edge(DraftEdge {
            source: end,
            target: error,
            op: Op::Skip,
            span: location.span,
            branch: None,
            steps: Vec::new(),
            calls: Vec::new(),
        });
    }
    Ok(draft.finish())
}

/// Where the path ends.
fn end_of(program: &Program, path: &[EdgeId]) -> Result<LocId, NotAPath> {
    let mut here = program.function(program.entry).entry;
    // Where the open calls return to.
    let mut returns = Vec::new();
    for (position, &id) in path.iter().enumerate() {
        let no_path = NotAPath { position };
        let edge = program.edges.get(id.0 as usize).ok_or(no_path)?;
        if edge.source != here {
            return Err(no_path);
        }
        here = match program.op(edge.op) {
            Op::Halt(_) => return Err(no_path),
            Op::Call { function, .. } => {
                returns.push(edge.target);
                program.function(*function).entry
            }
            _ => edge.target,
        };
        while program.function(program.location(here).function).exit == here
            && let Some(next) = returns.pop()
        {
            here = next;
        }
    }
    Ok(here)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{lowered, trace, well_formed};
    use super::*;
    use cfa::order::Order;
    use cfa::program::FuncId;

    /// The first example of the paper, with what its second trace passes and does not pass.
    const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);\n\
         int main(void) { int x = 0, y = 42; while (x < 100) { x = x + 1; if (y <= 0) y = 7; }\n\
         if (x != 100 || y != 42) reach_error(); return 0; }";

    fn loops(program: &Program) -> usize {
        let functions = (0..program.functions.len() as u32).map(FuncId);
        functions.map(|id| Order::of(program, id).loops.len()).sum()
    }

    #[test]
    fn the_loops_of_the_path_stay_loops() {
        let program = lowered(TEXT);
        let path = trace(&program, 0);
        let passed = path_program(&program, &path).expect("executions pass paths");
        well_formed(&passed.program).expect("the result is a program");
        assert_eq!(loops(&passed.program), 1);
        assert!(passed.program.vars.iter().any(|var| var.name == "y"));
        let seven = passed.program.edges.iter().any(|edge| {
            matches!(passed.program.op(edge.op), Op::Assign(_, value)
                if passed.program.pool.as_constant(*value) == Some(7))
        });
        assert!(!seven, "no execution passes the assignment");
    }

    #[test]
    fn the_end_of_the_path_is_the_error() {
        let program = lowered(TEXT);
        let path = trace(&program, 0);
        for length in 0..path.len() {
            let passed =
                path_program(&program, &path[..length]).expect("a path's beginning is one");
            let [(error, _)] = passed.program.errors[..] else {
                panic!("{length}: {:?}", passed.program.errors);
            };
            let [last] = passed.program.location(error).incoming[..] else {
                panic!("{length}: one edge enters the error");
            };
            assert_eq!(*passed.program.edge_op(last), Op::Skip);
            let end = passed.program.edge(last).source;
            let before = &passed.back.locations[end.0 as usize];
            assert_eq!(
                before[0].location,
                end_of(&program, &path[..length]).expect("it is one")
            );
        }
    }

    #[test]
    fn edges_stand_for_those_of_the_path() {
        let text = "int __VERIFIER_nondet_int(void); void reach_error(void);\n\
             int f(int x) { if (x > 3) return x - 1; return x + 1; }\n\
             int main(void) { int n = 0; for (int i = 0; i < 6; i++) n += f(i); if (n == 21) reach_error(); return 0; }";
        let program = lowered(text);
        let path = trace(&program, 0);
        let passed = path_program(&program, &path).expect("executions pass paths");
        well_formed(&passed.program).expect("the result is a program");
        let kept: FxHashSet<_> = passed.back.edges.iter().flatten().cloned().collect();
        let passed_edges: FxHashSet<_> = path
            .iter()
            .map(|&edge| super::super::Step::Edge(edge))
            .collect();
        assert_eq!(kept, passed_edges);
        // Its own execution is the one that it was made from.
        let again = trace(&passed.program, 0);
        let back: Vec<_> = passed.back.path(&again);
        let whole: Vec<_> = path
            .iter()
            .map(|&edge| super::super::Step::Edge(edge))
            .collect();
        assert!(back.starts_with(&whole[..whole.len().min(back.len())]));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        let program = lowered(TEXT);
        let path = trace(&program, 0);
        let mut broken = path.clone();
        broken.remove(3);
        assert_eq!(
            path_program(&program, &broken).err(),
            Some(NotAPath { position: 3 })
        );
        let far = [EdgeId(u32::MAX)];
        assert_eq!(
            path_program(&program, &far).err(),
            Some(NotAPath { position: 0 })
        );
    }
}
