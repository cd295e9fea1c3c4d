//! Proofs with contracts of functions: the program with the contracts is made here again, and its
//! proof checked.

use crate::{Accepted, Rejection, certify};
use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::{Certificate, UnderContracts};
use facts::words::count;
use transform::passes::contracts::{Purpose, contracted};

pub(crate) fn check(
    program: &Program,
    claim: &UnderContracts,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    if !matches!(
        claim.proof,
        Certificate::CompleteUnrolling(_)
            | Certificate::Graph(_)
            | Certificate::KInduction(_)
            | Certificate::NoWay
    ) {
        return Err(Rejection::Wrong(format!(
            "'{}' is not a proof with contracts",
            claim.proof.name()
        )));
    }
    let made = contracted(program, &claim.contracts, Purpose::Proof)
        .map_err(|reason| Rejection::Wrong(reason.to_string()))?;
    let accepted = certify(&made.passed.program, &claim.proof, budget)?;
    Ok(Accepted {
        how: format!(
            "with contracts of {}: {}",
            count(claim.contracts.list.len(), "function"),
            accepted.how
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::program;
    use cfa::expr::{ExprId, ExprPool, VarId};
    use cfa::program::FuncId;
    use facts::certificate::UnrollingBounds;
    use transform::passes::contracts::{Contract, Contracts, before};

    const BOUNDS: UnrollingBounds = UnrollingBounds {
        iterations: 4,
        recursion: 4,
        steps: 10_000,
    };

    fn function(program: &Program, name: &str) -> FuncId {
        let mut functions = (0..program.functions.len() as u32).map(FuncId);
        let found = functions.find(|&function| program.function_name(function) == name);
        found.expect("the program has the function")
    }

    /// What a contract may speak of.
    struct Said<'a> {
        program: &'a Program,
        pool: ExprPool,
        function: FuncId,
    }

    impl Said<'_> {
        fn argument(&mut self) -> ExprId {
            let var = self.program.function(self.function).params[0];
            self.pool.variable(var, self.program.var(var).ty)
        }

        fn result(&mut self) -> ExprId {
            let var = self.program.function(self.function).result;
            let var = var.expect("the function returns something");
            self.pool.variable(var, self.program.var(var).ty)
        }

        fn global(&mut self, name: &str) -> (ExprId, ExprId) {
            let vars = self.program.vars.iter();
            let number = vars.clone().position(|var| var.name == name);
            let var = VarId(number.expect("there is such a global") as u32);
            let ty = self.program.var(var).ty;
            let old = before(self.program, var);
            (self.pool.variable(old, ty), self.pool.variable(var, ty))
        }

        fn number(&mut self, number: i128, like: ExprId) -> ExprId {
            let ty = self.pool.ty(like);
            self.pool.integer(number, ty)
        }
    }

    /// Is the program proved by complete unrolling, with this contract of `f`?
    fn result(
        program: &Program,
        say: impl FnOnce(&mut Said<'_>) -> (ExprId, ExprId),
    ) -> Result<(), Rejection> {
        let mut said = Said {
            program,
            pool: program.pool.clone(),
            function: function(program, "f"),
        };
        let (requires, ensures) = say(&mut said);
        let list = vec![Contract {
            function: said.function,
            requires,
            ensures,
        }];
        let contracts = Contracts {
            pool: said.pool,
            list,
        };
        let proof = Certificate::CompleteUnrolling(BOUNDS);
        let claim = UnderContracts { contracts, proof };
        let certificate = Certificate::Contracts(Box::new(claim));
        certify(program, &certificate, &Budget::unlimited()).map(|_| ())
    }

    fn is_wrong(result: Result<(), Rejection>) -> bool {
        matches!(result, Err(Rejection::Wrong(_)))
    }

    fn identity(first: &str) -> Program {
        program(&format!(
            "int f(int n) {{ if (n == 0) return {first}; return f(n - 1) + 1; }}
            int main(void) {{ int n = __VERIFIER_nondet_int();
            if (n >= 0 && f(n) != n) reach_error(); return 0; }}"
        ))
    }

    fn returns_its_argument(said: &mut Said<'_>) -> (ExprId, ExprId) {
        let (n, result) = (said.argument(), said.result());
        let ensures = said.pool.eq(result, n);
        (said.pool.bool_constant(true), ensures)
    }

    #[test]
    fn an_inductive_contract_is_a_proof() {
        assert_eq!(result(&identity("0"), returns_its_argument), Ok(()));
    }

    #[test]
    fn a_contract_that_the_function_does_not_keep_is_wrong() {
        assert!(is_wrong(result(&identity("1"), returns_its_argument)));
        let never_returns = |said: &mut Said<'_>| {
            let nothing = said.pool.bool_constant(true);
            (nothing, said.pool.bool_constant(false))
        };
        assert!(is_wrong(result(&identity("1"), never_returns)));
        assert!(is_wrong(result(&identity("0"), never_returns)));
    }

    #[test]
    fn what_callers_do_not_keep_is_wrong() {
        let small = |said: &mut Said<'_>| {
            let (n, result) = (said.argument(), said.result());
            let ten = said.number(10, n);
            let requires = said.pool.lt(n, ten);
            (requires, said.pool.eq(result, n))
        };
        assert!(is_wrong(result(&identity("0"), small)));
        let never_called = |said: &mut Said<'_>| {
            let never = said.pool.bool_constant(false);
            (never, never)
        };
        assert!(is_wrong(result(&identity("1"), never_called)));
    }

    #[test]
    fn an_error_within_the_function_counts() {
        let text = |last: &str| {
            format!(
                "void f(int n) {{ if (n == {last}) reach_error(); if (n > 0) f(n - 1); }}
                int main(void) {{ int n = __VERIFIER_nondet_int(); if (n >= 0) f(n); return 0; }}"
            )
        };
        let not_negative = |said: &mut Said<'_>| {
            let n = said.argument();
            let zero = said.number(0, n);
            (said.pool.ge(n, zero), said.pool.bool_constant(true))
        };
        assert_eq!(result(&program(&text("-1")), not_negative), Ok(()));
        assert!(is_wrong(result(&program(&text("3")), not_negative)));
    }

    #[test]
    fn globals_that_a_call_writes_are_forgotten() {
        let text = |step: &str| {
            format!(
                "int g; void f(int n) {{ g = g + {step}; if (n > 0) f(n - 1); }}
                int main(void) {{ int n = __VERIFIER_nondet_int(); g = 7; if (n >= 0) f(n);
                if (g < 0 && n < 100) reach_error(); return 0; }}"
            )
        };
        let unchanged = |said: &mut Said<'_>| {
            let (before, after) = said.global("g");
            (said.pool.bool_constant(true), said.pool.eq(before, after))
        };
        assert_eq!(result(&program(&text("0")), unchanged), Ok(()));
        assert!(is_wrong(result(&program(&text("-1")), unchanged)));
        // Of what the call leaves nothing is known but what is ensured.
        let nothing = |said: &mut Said<'_>| {
            let nothing = said.pool.bool_constant(true);
            (nothing, nothing)
        };
        assert!(is_wrong(result(&program(&text("-1")), nothing)));
    }

    #[test]
    fn contracts_about_memory_or_what_is_not_known_are_wrong() {
        let nothing = |said: &mut Said<'_>| {
            let nothing = said.pool.bool_constant(true);
            (nothing, nothing)
        };
        let memory = program(
            "int a[3]; void f(int n) { a[n & 1] = 1; if (n > 0) f(n - 1); }
            int main(void) { f(__VERIFIER_nondet_int()); if (a[2]) reach_error(); return 0; }",
        );
        assert!(is_wrong(result(&memory, nothing)));
        // The result is not known when the function is called.
        let too_early = |said: &mut Said<'_>| {
            let (n, result) = (said.argument(), said.result());
            (said.pool.eq(result, n), said.pool.bool_constant(true))
        };
        assert!(is_wrong(result(&identity("0"), too_early)));
        // An evaluation that fails would end the execution.
        let fails = |said: &mut Said<'_>| {
            let (n, result) = (said.argument(), said.result());
            let quotient = said.pool.binary(cfa::expr::BinOp::Div, result, n);
            let ensures = said.pool.eq(quotient, result);
            (said.pool.bool_constant(true), ensures)
        };
        assert!(is_wrong(result(&identity("0"), fails)));
        let no_condition = |said: &mut Said<'_>| {
            let n = said.argument();
            (n, n)
        };
        assert!(is_wrong(result(&identity("0"), no_condition)));
    }
}
