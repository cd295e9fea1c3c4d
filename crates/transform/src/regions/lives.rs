//! How often objects come to life.
//!
//! A local lies somewhere else in each activation of its function, and where its block is entered
//! again. An address from an earlier life, kept in a variable or as a number, is one of another
//! place than the same expression gives now: their order and distance say where both lie.

use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::Op;
use cfa::program::Program;

/// What is known of the lives of a program's objects, by syntax: edges that no cycle leads to, in
/// functions that one such edge calls.
#[derive(Clone, Debug)]
pub struct Lives {
    once: Vec<bool>,
    mortal: Vec<bool>,
}

impl Lives {
    #[must_use]
    pub fn of(program: &Program) -> Lives {
        let repeats = repeating_locations(program);
        let runs_once = functions_that_run_once(program, &repeats);
        let mut begins = vec![0u32; program.objects.len()];
        let mut again = vec![false; program.objects.len()];
        for edge in &program.edges {
            if let Op::Begin { object, .. } = program.op(edge.op) {
                let function = program.location(edge.source).function;
                let number = object.0 as usize;
                begins[number] += 1;
                again[number] |= repeats[edge.source.0 as usize] || !runs_once[function.0 as usize];
            }
        }
        let mortal: Vec<bool> = program
            .objects
            .iter()
            .map(|object| match object.kind {
                ObjectKind::Global
                | ObjectKind::StringLiteral
                | ObjectKind::Function(_)
                | ObjectKind::External => false,
                ObjectKind::Local(_) | ObjectKind::Heap | ObjectKind::StackAllocation(_) => true,
            })
            .collect();
        let once = program.objects.iter().enumerate().map(|(number, object)| {
            let is_local = matches!(object.kind, ObjectKind::Local(_));
            object.unique && (!mortal[number] || is_local && begins[number] <= 1 && !again[number])
        });
        Lives {
            once: once.collect(),
            mortal,
        }
    }

    /// There is one such object in any execution, from first to last.
    #[must_use]
    pub fn is_one(&self, object: ObjectId) -> bool {
        self.once[object.0 as usize]
    }

    /// Another object may take its place before the program ends.
    #[must_use]
    pub fn is_mortal(&self, object: ObjectId) -> bool {
        self.mortal[object.0 as usize]
    }
}

/// Locations that an activation of their function may pass twice, and some that lie between such
/// ones.
fn repeating_locations(program: &Program) -> Vec<bool> {
    let count = program.locations.len();
    let mut repeats = vec![true; count];
    // What has no predecessor left is passed once; what has no successor left, too.
    for forward in [true, false] {
        let mut open = vec![0u32; count];
        for edge in &program.edges {
            let (from, to) = (edge.source.0 as usize, edge.target.0 as usize);
            if repeats[from] && repeats[to] {
                open[if forward { to } else { from }] += 1;
            }
        }
        let mut work: Vec<usize> = (0..count).filter(|&at| open[at] == 0).collect();
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut repeats[at], false) {
                continue;
            }
            let location = &program.locations[at];
            let edges = match forward {
                true => &location.outgoing,
                false => &location.incoming,
            };
            for &edge in edges {
                let edge = program.edge(edge);
                let next = if forward { edge.target } else { edge.source };
                let next = next.0 as usize;
                if repeats[next] {
                    open[next] -= 1;
                    if open[next] == 0 {
                        work.push(next);
                    }
                }
            }
        }
    }
    repeats
}

fn functions_that_run_once(program: &Program, repeats: &[bool]) -> Vec<bool> {
    let mut calls: Vec<Vec<usize>> = vec![Vec::new(); program.functions.len()];
    let mut called = vec![0u32; program.functions.len()];
    for edge in &program.edges {
        if let Op::Call { function, .. } = program.op(edge.op) {
            called[function.0 as usize] += 1;
            if !repeats[edge.source.0 as usize] {
                let caller = program.location(edge.source).function;
                calls[caller.0 as usize].push(function.0 as usize);
            }
        }
    }
    let mut once = vec![false; program.functions.len()];
    let mut work = vec![program.entry.0 as usize];
    while let Some(function) = work.pop() {
        let most = u32::from(function != program.entry.0 as usize);
        if called[function] == most && !std::mem::replace(&mut once[function], true) {
            work.extend(&calls[function]);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;
    use lowering::{LowerOptions, load_text};
    use syntax::driver::Options;

    fn lives_once(text: &str, name: &str) -> bool {
        let loaded = load_text("a.i", text, &Options::default(), &LowerOptions::default());
        let program = loaded.unwrap_or_else(|failure| panic!("{failure}")).program;
        let number = program
            .objects
            .iter()
            .position(|object| object.name == name);
        Lives::of(&program).is_one(ObjectId(number.expect("it is in memory") as u32))
    }

    #[test]
    fn a_local_lives_as_often_as_its_block_is_entered() {
        let main = |body: &str| {
            format!(
                "int g, *q; void f(void) {{ int l; q = &l; }} int main(void) {{ {body} return 0; }}"
            )
        };
        for (body, name, is_one) in [
            ("f();", "l", true),
            ("f(); f();", "l", false),
            ("while (g) f();", "l", false),
            ("while (g) { int x; q = &x; }", "x", false),
            ("while (g) { g--; } int x; q = &x;", "x", true),
            ("int x; q = &x; while (g) { g--; }", "x", true),
            ("back:; int x; q = &x; if (g) goto back;", "x", true),
            ("back:; { int x; q = &x; } if (g) goto back;", "x", false),
            ("q = &g; while (g) f();", "g", true),
        ] {
            assert_eq!(lives_once(&main(body), name), is_one, "{body}");
        }
    }
}
