//! Walks over terms: variables, size, substitution. All iterative; formulas are deep.

use super::{Op, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

impl TermPool {
    /// Every distinct subterm of the roots, arguments before the terms over them.
    pub fn postorder(&self, roots: &[Term]) -> Vec<Term> {
        // Arguments are older than terms over them, so the order of creation is a postorder.
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut stack: Vec<Term> = Vec::new();
        let mut order = Vec::new();
        for &root in roots {
            if seen.insert(root) {
                stack.push(root);
            }
        }
        while let Some(term) = stack.pop() {
            order.push(term);
            for &arg in self.args(term) {
                if seen.insert(arg) {
                    stack.push(arg);
                }
            }
        }
        order.sort_unstable();
        order
    }

    /// The variables of a term, in the order of their creation.
    pub fn free_vars(&self, term: Term) -> Vec<Term> {
        self.free_vars_of(&[term])
    }

    /// The variables of several terms, in the order of their creation.
    pub fn free_vars_of(&self, terms: &[Term]) -> Vec<Term> {
        let mut order = self.postorder(terms);
        order.retain(|&term| matches!(self.op(term), Op::Var(_)));
        order
    }

    /// Number of distinct subterms.
    pub fn dag_size(&self, term: Term) -> usize {
        self.postorder(&[term]).len()
    }

    /// The term with other terms in place of some of its subterms (usually variables), all at once:
    /// what is put in is not looked at again.
    pub fn substitute(&mut self, term: Term, map: &FxHashMap<Term, Term>) -> Term {
        let mut memo = map.clone();
        self.substitute_memo(term, &mut memo)
    }

    /// Like [`TermPool::substitute`], with a memory that several calls share. Initially it holds
    /// the substitution.
    pub fn substitute_memo(&mut self, term: Term, memo: &mut FxHashMap<Term, Term>) -> Term {
        let mut stack = vec![term];
        let mut args = Vec::new();
        while let Some(&current) = stack.last() {
            if memo.contains_key(&current) {
                stack.pop();
                continue;
            }
            let pending = stack.len();
            for &arg in self.args(current) {
                if !memo.contains_key(&arg) {
                    stack.push(arg);
                }
            }
            if stack.len() > pending {
                continue;
            }
            stack.pop();
            args.clear();
            args.extend(self.args(current).iter().map(|arg| memo[arg]));
            let result = if args == self.args(current) {
                current
            } else {
                self.rebuild(current, &args)
            };
            memo.insert(current, result);
        }
        memo[&term]
    }

    /// The operator of a term over other arguments of the same sorts, simplified again.
    pub fn rebuild(&mut self, term: Term, args: &[Term]) -> Term {
        let sort = self.sort(term);
        let width = sort.width().unwrap_or(0);
        match self.op(term) {
            Op::Var(_) | Op::True | Op::BvConst(_) => term,
            Op::Not => self.not(args[0]),
            Op::And => self.and_all(args.iter().copied()),
            Op::Eq => self.eq(args[0], args[1]),
            Op::Ite => self.ite(args[0], args[1], args[2]),
            Op::BvNot => self.bv_not(args[0]),
            Op::BvAnd => self.fold_args(args, TermPool::bv_and),
            Op::BvOr => self.fold_args(args, TermPool::bv_or),
            Op::BvXor => self.fold_args(args, TermPool::bv_xor),
            Op::BvAdd => self.fold_args(args, TermPool::bv_add),
            Op::BvMul => self.bv_mul(args[0], args[1]),
            Op::BvUdiv => self.bv_udiv(args[0], args[1]),
            Op::BvUrem => self.bv_urem(args[0], args[1]),
            Op::BvSdiv => self.bv_sdiv(args[0], args[1]),
            Op::BvSrem => self.bv_srem(args[0], args[1]),
            Op::BvShl => self.bv_shl(args[0], args[1]),
            Op::BvLshr => self.bv_lshr(args[0], args[1]),
            Op::BvAshr => self.bv_ashr(args[0], args[1]),
            Op::Ult => self.ult(args[0], args[1]),
            Op::Slt => self.slt(args[0], args[1]),
            Op::Extract { high, low } => self.extract(args[0], high, low),
            Op::Concat => self.concat_all(args),
            Op::SignExtend => {
                let by = width - self.width(args[0]);
                self.sign_extend(args[0], by)
            }
            Op::Select => self.select(args[0], args[1]),
            Op::Store => self.store(args[0], args[1], args[2]),
            Op::ConstArray => {
                let super::Sort::Array { index, .. } = sort else {
                    unreachable!("a constant array has an array sort")
                };
                self.const_array(index, args[0])
            }
            Op::FpFromBits => self.fp_from_bits(sort, args[0]),
            Op::FpToBits => self.fp_to_bits(args[0]),
            Op::FpAdd(rm) => self.fp_add(rm, args[0], args[1]),
            Op::FpSub(rm) => self.fp_sub(rm, args[0], args[1]),
            Op::FpMul(rm) => self.fp_mul(rm, args[0], args[1]),
            Op::FpDiv(rm) => self.fp_div(rm, args[0], args[1]),
            Op::FpFma(rm) => self.fp_fma(rm, args[0], args[1], args[2]),
            Op::FpSqrt(rm) => self.fp_sqrt(rm, args[0]),
            Op::FpRoundToIntegral(rm) => self.fp_round_to_integral(rm, args[0]),
            Op::FpRem => self.fp_rem(args[0], args[1]),
            Op::FpMin => self.fp_min(args[0], args[1]),
            Op::FpMax => self.fp_max(args[0], args[1]),
            Op::FpAbs => self.fp_abs(args[0]),
            Op::FpNeg => self.fp_neg(args[0]),
            Op::FpEq => self.fp_eq(args[0], args[1]),
            Op::FpLt => self.fp_lt(args[0], args[1]),
            Op::FpLe => self.fp_le(args[0], args[1]),
            Op::FpIsNan => self.fp_is_nan(args[0]),
            Op::FpIsInfinite => self.fp_is_infinite(args[0]),
            Op::FpIsZero => self.fp_is_zero(args[0]),
            Op::FpIsNormal => self.fp_is_normal(args[0]),
            Op::FpIsSubnormal => self.fp_is_subnormal(args[0]),
            Op::FpIsNegative => self.fp_is_negative(args[0]),
            Op::FpIsPositive => self.fp_is_positive(args[0]),
            Op::FpToFp(rm) => self.fp_to_fp(rm, sort, args[0]),
            Op::FpFromSigned(rm) => self.fp_from_signed(rm, sort, args[0]),
            Op::FpFromUnsigned(rm) => self.fp_from_unsigned(rm, sort, args[0]),
            Op::FpToSigned(rm) => self.fp_to_signed(rm, width, args[0]),
            Op::FpToUnsigned(rm) => self.fp_to_unsigned(rm, width, args[0]),
        }
    }

    fn fold_args(&mut self, args: &[Term], combine: fn(&mut TermPool, Term, Term) -> Term) -> Term {
        let mut result = args[0];
        for &arg in &args[1..] {
            result = combine(self, result, arg);
        }
        result
    }
}
