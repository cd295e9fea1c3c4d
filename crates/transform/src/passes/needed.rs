//! Leaves out variables that nothing needs: no condition, address, output or call, not even through
//! others.
//!
//! An evaluation that may end the execution stays, as a condition that is true of every value.
//! Under [`Keep::Behaviour`] inputs are asked for even if nobody looks at them.

use super::substitute::variables;
use super::{Draft, Keep, Pass, Passed};
use cfa::expr::{ExprId, ExprPool, UnOp, VarId};
use cfa::op::{Op, Print};
use cfa::program::{Binding, EdgeId, Program};

pub struct Needed {
    pub keep: Keep,
}

impl Pass for Needed {
    fn name(&self) -> &'static str {
        "needed"
    }

    fn apply(&self, program: &Program) -> Option<Passed> {
        let needed = self.needed(program);
        let is_needed = |var: VarId| needed[var.0 as usize];
        let mut draft = Draft::of(program);
        let mut changed = false;
        for number in 0..program.edges.len() as u32 {
            let id = EdgeId(number);
            let op = match program.edge_op(id) {
                Op::Assign(var, value) if !is_needed(*var) => evaluation(&mut draft.pool, *value),
                Op::Havoc(var, _) if !is_needed(*var) => Op::Skip,
                Op::Call {
                    function,
                    args,
                    result,
                } => {
                    let args = args.iter().zip(&program.function(*function).params);
                    let args = args.filter(|&(_, &param)| is_needed(param));
                    Op::Call {
                        function: *function,
                        args: args.map(|(&arg, _)| arg).collect(),
                        result: result.filter(|&var| is_needed(var)),
                    }
                }
                Op::Print(print) => Op::Print(Print {
                    result: print.result.filter(|&var| is_needed(var)),
                    ..print.clone()
                }),
                _ => continue,
            };
            if op != *program.edge_op(id) {
                changed = true;
                draft.set_op(id, op);
            }
        }
        for function in &mut draft.functions {
            let before = function.params.len();
            function.params.retain(|&param| is_needed(param));
            changed |= function.params.len() < before;
            if function.result.is_some_and(|var| !is_needed(var)) {
                function.result = None;
                changed = true;
            }
        }
        changed.then(|| draft.finish())
    }
}

impl Needed {
    fn needed(&self, program: &Program) -> Vec<bool> {
        let pool = &program.pool;
        // What a variable's values are made of.
        let mut made_of: Vec<Vec<VarId>> = vec![Vec::new(); program.vars.len()];
        let mut work = Vec::new();
        for edge in &program.edges {
            let op = program.op(edge.op);
            match op {
                Op::Assign(var, value) => {
                    let vars = variables(pool, [*value]);
                    if pool.can_fail(*value) {
                        work.extend(&vars);
                    }
                    made_of[var.0 as usize].extend(vars);
                }
                Op::Havoc(var, _) => {
                    if self.keep == Keep::Behaviour {
                        work.push(*var);
                    }
                }
                Op::Call { .. } => {
                    for (var, binding) in program.bindings(op) {
                        match binding {
                            Binding::Argument(arg) => {
                                if pool.can_fail(arg) {
                                    work.push(var);
                                }
                                made_of[var.0 as usize].extend(variables(pool, [arg]));
                            }
                            Binding::Result(from) => made_of[var.0 as usize].push(from),
                        }
                    }
                }
                Op::Print(Print { args, .. }) => work.extend(variables(pool, args.iter().copied())),
                _ => {
                    work.extend(variables(pool, op.expressions()));
                    work.extend(op.written_variable());
                }
            }
        }
        let mut needed = vec![false; program.vars.len()];
        while let Some(var) = work.pop() {
            if !std::mem::replace(&mut needed[var.0 as usize], true) {
                work.extend(&made_of[var.0 as usize]);
            }
        }
        needed
    }
}

/// An operation that evaluates the expression and does nothing else.
pub(super) fn evaluation(pool: &mut ExprPool, expr: ExprId) -> Op {
    if !pool.can_fail(expr) {
        return Op::Skip;
    }
    // True of every value, and no simplification drops what can fail.
    let always = if pool.ty(expr).is_float() {
        let nan = pool.unary(UnOp::IsNan, expr);
        let number = pool.not(nan);
        pool.or(nan, number)
    } else {
        pool.eq(expr, expr)
    };
    Op::Assume(always)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, lowered};
    use super::*;

    const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void); int printf(const char *, ...);\n\
         int half(int x, int unused) { int sum = 0; sum = sum + unused; return x / 2; }\n\
         int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); int n = 0, m = 0;\n\
         int q = 10 / y; for (int i = 0; i < 5; i++) { n += i; m = n + m; } int h = half(x, n);\n\
         if (h == 4) reach_error(); printf(\"%d\\n\", h); return 0; }";

    fn names(program: &Program) -> Vec<&str> {
        program.vars.iter().map(|var| var.name.as_str()).collect()
    }

    #[test]
    fn variables_that_only_feed_themselves_go() {
        let program = lowered(TEXT);
        let pass = Needed { keep: Keep::Errors };
        let passed = pass.apply(&program).expect("there is something to do");
        let names = names(&passed.program);
        for gone in ["n", "m", "sum", "unused"] {
            assert!(!names.contains(&gone), "{gone} in {names:?}");
        }
        for kept in ["x", "y", "h", "i"] {
            assert!(names.contains(&kept), "{kept} in {names:?}");
        }
        let removed = passed.back.removed.iter();
        let removed: Vec<&str> = removed.map(|&var| program.var(var).name.as_str()).collect();
        assert!(removed.contains(&"m"));
    }

    #[test]
    fn meaning_stays() {
        for keep in [Keep::Errors, Keep::Behaviour] {
            check(&Needed { keep }, keep, TEXT);
        }
    }
}
