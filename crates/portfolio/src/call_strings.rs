//! The calls by which executions come to a function.
//!
//! `cfa::place::call_strings` answers this for whole programs, and not at all where anything is
//! recursive. What is shown of a loop needs it of one function: those that no recursion leads to
//! have finitely many call strings, whatever the rest of the program does.

use cfa::place::callee;
use cfa::program::{EdgeId, FuncId, LocId, Program};

/// Call strings of a function beyond which they are not told apart.
const MAX_STRINGS: usize = 500;

/// All call strings of each function.
pub struct CallStrings(Vec<Option<Vec<Vec<EdgeId>>>>);

impl CallStrings {
    pub fn of(program: &Program) -> CallStrings {
        let count = program.functions.len();
        let mut calls: Vec<Vec<(EdgeId, FuncId)>> = vec![Vec::new(); count];
        for edge in (0..program.edges.len() as u32).map(EdgeId) {
            if let Some(function) = callee(program, edge) {
                let caller = program.location(program.edge(edge).source).function;
                calls[caller.0 as usize].push((edge, function));
            }
        }
        let reachable = reachable(program.entry, &calls);
        // Callers before those whom they call. Who calls itself, by whatever way, never has its
        // turn, and nor has anyone whom it calls.
        let mut waits_for = vec![0usize; count];
        for (caller, calls) in calls.iter().enumerate() {
            for (_, function) in calls.iter().filter(|_| reachable[caller]) {
                waits_for[function.0 as usize] += 1;
            }
        }
        let mut found: Vec<Option<Vec<Vec<EdgeId>>>> = reachable
            .iter()
            .map(|&is_reachable| (!is_reachable).then(Vec::new))
            .collect();
        let mut collected: Vec<Vec<Vec<EdgeId>>> = vec![Vec::new(); count];
        collected[program.entry.0 as usize].push(Vec::new());
        let mut ready: Vec<FuncId> = Vec::new();
        if waits_for[program.entry.0 as usize] == 0 {
            ready.push(program.entry);
        }
        while let Some(function) = ready.pop() {
            let strings = std::mem::take(&mut collected[function.0 as usize]);
            if strings.len() > MAX_STRINGS {
                continue;
            }
            for &(edge, called) in &calls[function.0 as usize] {
                let longer = strings.iter().map(|string| [&string[..], &[edge]].concat());
                collected[called.0 as usize].extend(longer);
                waits_for[called.0 as usize] -= 1;
                if waits_for[called.0 as usize] == 0 {
                    ready.push(called);
                }
            }
            found[function.0 as usize] = Some(strings);
        }
        CallStrings(found)
    }

    /// The call strings by which executions may come to a location; `None` if there is no end of
    /// them, or too many.
    pub fn strings(&self, program: &Program, location: LocId) -> Option<&[Vec<EdgeId>]> {
        let function = program.location(location).function;
        self.0[function.0 as usize].as_deref()
    }
}

fn reachable(entry: FuncId, calls: &[Vec<(EdgeId, FuncId)>]) -> Vec<bool> {
    let mut reachable = vec![false; calls.len()];
    let mut open = vec![entry];
    while let Some(function) = open.pop() {
        if !std::mem::replace(&mut reachable[function.0 as usize], true) {
            open.extend(calls[function.0 as usize].iter().map(|&(_, called)| called));
        }
    }
    reachable
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;

    /// How many call strings a function of a program has.
    fn count(program: &Program, name: &str) -> Option<usize> {
        let calls = CallStrings::of(program);
        let functions = (0..program.functions.len() as u32).map(FuncId);
        let mut named = functions.filter(|&function| program.function_name(function) == name);
        let function = named.next().expect("the program has the function");
        let entry = program.function(function).entry;
        calls.strings(program, entry).map(<[_]>::len)
    }

    #[test]
    fn only_those_behind_a_recursion_have_no_end_of_calls() {
        let text = "void reach_error(void); int __VERIFIER_nondet_int(void);
            void leaf(void) { if (__VERIFIER_nondet_int()) reach_error(); }
            void twice(void) { leaf(); leaf(); }
            void behind(void) { }
            void again(int n) { behind(); if (n > 0) again(n - 1); }
            void never(void) { never(); leaf(); }
            int main(void) { twice(); leaf(); twice(); again(3); return 0; }";
        let case = Case::of_text(text).expect("a correct program");
        let program = &case.views.split;
        assert_eq!(count(program, "main"), Some(1));
        assert_eq!(count(program, "twice"), Some(2));
        assert_eq!(count(program, "leaf"), Some(5));
        assert_eq!(count(program, "again"), None);
        assert_eq!(count(program, "behind"), None);
    }

    #[test]
    fn too_many_calls_are_not_told_apart() {
        let mut text = String::from("void reach_error(void); void f0(void) { reach_error(); }\n");
        for number in 1..12 {
            let below = number - 1;
            text += &format!("void f{number}(void) {{ f{below}(); f{below}(); }}\n");
        }
        text += "int main(void) { f11(); return 0; }";
        let case = Case::of_text(&text).expect("a correct program");
        assert_eq!(count(&case.views.split, "f10"), Some(2));
        assert_eq!(count(&case.views.split, "f0"), None);
    }
}
