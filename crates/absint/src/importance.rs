//! Which variables matter most: the order in which precisions take them in.

use crate::precision::Variables;
use cfa::expr::{ExprId, VarId};
use cfa::live;
use cfa::op::Op;
use cfa::program::{Binding, Program};

/// Integer variables that conditions read, those that are read most often first.
pub fn by_conditions(program: &Program) -> Vec<VarId> {
    let mut order = in_conditions(program);
    order.retain(|&var| !program.var(var).ty.is_float());
    order
}

fn in_conditions(program: &Program) -> Vec<VarId> {
    let mut read = vec![0u32; program.vars.len()];
    for edge in &program.edges {
        if let Op::Assume(condition) = program.op(edge.op) {
            for var in live::variables(program, *condition) {
                read[var.0 as usize] += 1;
            }
        }
    }
    let mut order: Vec<VarId> = (0..program.vars.len() as u32)
        .map(VarId)
        .filter(|&var| read[var.0 as usize] > 0)
        .collect();
    order.sort_by_key(|var| (std::cmp::Reverse(read[var.0 as usize]), var.0));
    order
}

/// All variables: first those of conditions, then those whose values flow into them, the nearest
/// first, then the others.
pub fn by_flow(program: &Program) -> Vec<VarId> {
    let sources = sources(program);
    let mut order = in_conditions(program);
    let mut listed = vec![false; program.vars.len()];
    for var in &order {
        listed[var.0 as usize] = true;
    }
    let mut next = 0;
    while let Some(&var) = order.get(next) {
        next += 1;
        for &source in &sources[var.0 as usize] {
            if !std::mem::replace(&mut listed[source.0 as usize], true) {
                order.push(source);
            }
        }
    }
    let others = (0..program.vars.len() as u32).map(VarId);
    order.extend(others.filter(|var| !listed[var.0 as usize]));
    order
}

/// For each variable those that are read where it gets a value.
fn sources(program: &Program) -> Vec<Vec<VarId>> {
    let mut sources = vec![Vec::new(); program.vars.len()];
    let mut flows = |target: VarId, value: ExprId| {
        sources[target.0 as usize].extend(live::variables(program, value));
    };
    let mut results = Vec::new();
    for edge in &program.edges {
        match program.op(edge.op) {
            Op::Assign(target, value) => flows(*target, *value),
            op @ Op::Call { .. } => {
                for (target, binding) in program.bindings(op) {
                    match binding {
                        Binding::Argument(arg) => flows(target, arg),
                        Binding::Result(from) => results.push((target, from)),
                    }
                }
            }
            _ => {}
        }
    }
    for (target, returned) in results {
        sources[target.0 as usize].push(returned);
    }
    sources
}

/// So many variables, those that matter most.
pub fn most_important(program: &Program, count: usize) -> Variables {
    let mut order = by_flow(program);
    if count >= order.len() {
        return Variables::All;
    }
    order.truncate(count);
    Variables::none(program.vars.len()).with(&order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing;

    #[test]
    fn conditions_come_first_and_then_what_flows_into_them() {
        let program = testing::program(
            "int other, far;
            int twice(int a) { return a + a; }
            int main(void) {
                int near = far, x = 0;
                while (x < 10 && x != 7) { x = x + near; other = x; }
                return twice(other);
            }",
        );
        let names: Vec<&str> = by_flow(&program)
            .into_iter()
            .map(|var| program.var(var).name.as_str())
            .collect();
        assert_eq!(names.len(), program.vars.len());
        let position = |name| names.iter().position(|&other| other == name);
        assert_eq!(position("x"), Some(0), "{names:?}");
        assert!(position("x") < position("near"), "{names:?}");
        assert!(position("near") < position("far"), "{names:?}");
        assert!(position("far") < position("other"), "{names:?}");
        assert_eq!(most_important(&program, 2).count(), Some(2));
        assert_eq!(most_important(&program, names.len()), Variables::All);
    }
}
