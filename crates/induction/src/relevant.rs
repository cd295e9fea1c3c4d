//! The variables that decide, directly or through later blocks, whether a violation is reached.
//!
//! Law: two states at a place that agree on its relevant variables, on memory and on all inputs go
//! the same way from block to block, as far as errors and what is not followed are concerned.

use crate::graph::{BlockGraph, BlockId, PlaceId, Target};
use cfa::expr::VarId;
use logic::Term;
use rustc_hash::{FxHashMap, FxHashSet};

/// The relevant variables of each place of an explored graph.
pub fn relevant_variables(graph: &mut BlockGraph<'_>) -> Vec<FxHashSet<VarId>> {
    let named: Vec<FxHashMap<Term, VarId>> = (graph.places())
        .map(|place| variables_by_term(graph, place))
        .collect();
    let mut relevant: Vec<FxHashSet<VarId>> = vec![FxHashSet::default(); named.len()];
    let program = graph.program();
    let mut changed = true;
    while changed {
        changed = false;
        for number in 0..graph.block_count() as u32 {
            let block = graph.block(BlockId(number));
            let source = block.source.0 as usize;
            let mut terms = block.path.clone();
            if let (Target::Place(target), Some(state)) = (&block.target, block.state.clone()) {
                let target = &relevant[target.0 as usize];
                if target.is_empty() {
                    continue;
                }
                let encoder = graph.encoder();
                for &var in target {
                    terms.push(state.value(program, &encoder.slots, &mut encoder.pool, var));
                }
            }
            for term in graph.pool().free_vars_of(&terms) {
                if let Some(&var) = named[source].get(&term) {
                    changed |= relevant[source].insert(var);
                }
            }
        }
    }
    relevant
}

/// What the variables of the functions that are active at the place are called there.
fn variables_by_term(graph: &mut BlockGraph<'_>, place: PlaceId) -> FxHashMap<Term, VarId> {
    let program = graph.program();
    let mut functions: FxHashSet<_> = FxHashSet::default();
    functions.insert(program.entry);
    for &call in &graph.place(place).calls {
        functions.extend(cfa::place::callee(program, call));
    }
    let state = graph.start(place);
    let encoder = graph.encoder();
    let mut found = FxHashMap::default();
    for (number, var) in program.vars.iter().enumerate() {
        let function = var.function;
        if function.is_none_or(|function| functions.contains(&function)) {
            let id = VarId(number as u32);
            let term = state.value(program, &encoder.slots, &mut encoder.pool, id);
            found.insert(term, id);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{load, var};
    use control::StopToken;

    #[test]
    fn what_decides_later_is_relevant_and_the_rest_is_not() {
        let program = load(
            "unsigned a, b, c, d; int main(void) { while (n()) { a = b; d = d + c; }
            while (n()) { if (a > 3) reach_error(); a = a + 1; } return 0; }",
        );
        let mut graph = BlockGraph::between_loop_heads(&program);
        assert_eq!(graph.explore(9, &StopToken::new()), Ok(()));
        let relevant = relevant_variables(&mut graph);
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| var(&program, name));
        assert!(relevant[1].contains(&a) && relevant[1].contains(&b));
        assert!(!relevant[1].contains(&c) && !relevant[1].contains(&d));
        assert!(relevant[2].contains(&a) && !relevant[2].contains(&b));
    }
}
