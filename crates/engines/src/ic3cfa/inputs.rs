//! Inputs inside a block stay out of the cubes of states.
//!
//! A precondition over a state and inputs means: there are inputs with which the command leads into
//! the cube. Quantifiers that go away without a trace are taken out exactly:
//!
//! - an input that equals something without it is that;
//! - an input that occurs in one literal alone, which some value of it satisfies in every state,
//!   takes the literal with it (A. Niemetz and others, Solving quantified bit-vectors using
//!   invertibility conditions, CAV 2018), or leaves its condition behind.
//!
//! The rest get the values of the model that refuted inductiveness. That is fewer states than there
//! are: every state of the cube still leads into the next one, so a chain of cubes from the start
//! to an error is an execution, and the state of the model is among them, so blocking the cube is
//! progress; other values of the input are found by asking again, at the cost of one question for
//! each that generalisation does not cover.

use logic::{Op, Sort, Term, TermPool, Value};
use rustc_hash::FxHashMap;

/// The literals without the inputs; `value` is the model.
pub(super) fn eliminate(
    pool: &mut TermPool,
    mut literals: Vec<Term>,
    is_input: &mut dyn FnMut(&TermPool, Term) -> bool,
    value: &mut dyn FnMut(&TermPool, Term) -> Option<Value>,
) -> Vec<Term> {
    loop {
        literals = literals
            .into_iter()
            .flat_map(|literal| pool.conjuncts(literal))
            .collect();
        let mut occurrences: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
        let mut order: Vec<Term> = Vec::new();
        for (number, &literal) in literals.iter().enumerate() {
            for variable in pool.free_vars(literal) {
                let is_scalar = matches!(pool.sort(variable), Sort::Bool | Sort::BitVec(_));
                if !is_scalar || !is_input(pool, variable) {
                    continue;
                }
                let found = occurrences.entry(variable).or_default();
                if found.is_empty() {
                    order.push(variable);
                }
                found.push(number);
            }
        }
        let Some(&first) = order.first() else {
            return literals;
        };
        let by_definition = order.iter().find_map(|&variable| {
            let mut found = occurrences[&variable].iter();
            let solved =
                found.find_map(|&at| Some((at, definition(pool, literals[at], variable)?)));
            solved.map(|(at, (value, conditions))| (variable, at, value, conditions))
        });
        if let Some((variable, at, value, conditions)) = by_definition {
            literals.swap_remove(at);
            literals.extend(conditions);
            replace(pool, &mut literals, variable, value);
            continue;
        }
        let by_inversion = order
            .iter()
            .find_map(|variable| match occurrences[variable][..] {
                [at] => Some((at, condition(pool, literals[at], *variable)?)),
                _ => None,
            });
        if let Some((at, condition)) = by_inversion {
            literals.swap_remove(at);
            literals.push(condition);
            continue;
        }
        let sort = pool.sort(first);
        let constant = match value(pool, first) {
            Some(value) => pool.value_of_sort(&value, sort),
            // Of no importance to the model.
            None if sort == Sort::Bool => TermPool::FALSE,
            None => pool.bv(pool.width(first), 0),
        };
        replace(pool, &mut literals, first, constant);
    }
}

fn replace(pool: &mut TermPool, literals: &mut [Term], variable: Term, value: Term) {
    let mut memo = FxHashMap::from_iter([(variable, value)]);
    for literal in literals {
        *literal = pool.substitute_memo(*literal, &mut memo);
    }
}

fn mentions(pool: &TermPool, term: Term, variable: Term) -> bool {
    pool.free_vars(term).contains(&variable)
}

/// If the literal says exactly which value the variable has: that value, and the conditions under
/// which there is one.
fn definition(pool: &mut TermPool, literal: Term, variable: Term) -> Option<(Term, Vec<Term>)> {
    let (atom, positive) = pool.strip_not(literal);
    if atom == variable {
        return Some((pool.bool(positive), Vec::new()));
    }
    if !positive || pool.op(atom) != Op::Eq {
        return None;
    }
    let (a, b) = (pool.args(atom)[0], pool.args(atom)[1]);
    let mut conditions = Vec::new();
    let value = match (mentions(pool, a, variable), mentions(pool, b, variable)) {
        (true, false) => solve(pool, a, b, variable, &mut conditions)?,
        (false, true) => solve(pool, b, a, variable, &mut conditions)?,
        _ => return None,
    };
    Some((value, conditions))
}

/// The only value of the variable with which `left` equals `right`, which does not mention it.
fn solve(
    pool: &mut TermPool,
    left: Term,
    right: Term,
    variable: Term,
    conditions: &mut Vec<Term>,
) -> Option<Term> {
    if left == variable {
        return Some(right);
    }
    if !matches!(pool.sort(left), Sort::BitVec(_)) {
        return None;
    }
    let args = pool.args(left).to_vec();
    let mut with: Vec<Term> = args.clone();
    with.retain(|&arg| mentions(pool, arg, variable));
    let &[inner] = &with[..] else {
        return None;
    };
    match pool.op(left) {
        Op::BvNot => {
            let right = pool.bv_not(right);
            solve(pool, inner, right, variable, conditions)
        }
        Op::BvAdd => {
            let rest = args.iter().filter(|&&arg| arg != inner);
            let right = rest.fold(right, |right, &arg| pool.bv_sub(right, arg));
            solve(pool, inner, right, variable, conditions)
        }
        Op::BvXor => {
            let rest = args.iter().filter(|&&arg| arg != inner);
            let right = rest.fold(right, |right, &arg| pool.bv_xor(right, arg));
            solve(pool, inner, right, variable, conditions)
        }
        Op::BvMul => {
            let [factor, _] = args[..] else { return None };
            let factor = pool.as_u128(factor)?;
            if factor & 1 == 0 {
                return None;
            }
            let inverse = odd_inverse(factor);
            let width = pool.width(left);
            let inverse = pool.bv(width, arith::int::truncate(inverse, width));
            let right = pool.bv_mul(inverse, right);
            solve(pool, inner, right, variable, conditions)
        }
        Op::SignExtend => {
            let low = pool.extract(right, pool.width(inner) - 1, 0);
            let wide = pool.resize(low, pool.width(left), true);
            conditions.push(pool.eq(wide, right));
            solve(pool, inner, low, variable, conditions)
        }
        Op::Concat => {
            let (mut high, mut found) = (pool.width(left), None);
            for &arg in &args {
                let low = high - pool.width(arg);
                let part = pool.extract(right, high - 1, low);
                match arg == inner {
                    true => found = Some(part),
                    false => conditions.push(pool.eq(arg, part)),
                }
                high = low;
            }
            solve(pool, inner, found?, variable, conditions)
        }
        _ => None,
    }
}

/// The inverse of an odd number modulo a power of two, by Newton's iteration.
fn odd_inverse(odd: u128) -> u128 {
    let mut inverse = odd;
    for _ in 0..7 {
        let product = odd.wrapping_mul(inverse);
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(product));
    }
    inverse
}

/// The condition under which some value of the variable, which occurs nowhere else, satisfies the
/// literal.
fn condition(pool: &mut TermPool, literal: Term, variable: Term) -> Option<Term> {
    let (atom, positive) = pool.strip_not(literal);
    let op = pool.op(atom);
    if !matches!(op, Op::Eq | Op::Ult | Op::Slt) {
        return None;
    }
    let (a, b) = (pool.args(atom)[0], pool.args(atom)[1]);
    let (is_left, inner, other) = match (mentions(pool, a, variable), mentions(pool, b, variable)) {
        (true, false) => (true, a, b),
        (false, true) => (false, b, a),
        _ => return None,
    };
    let Sort::BitVec(width) = pool.sort(inner) else {
        return None;
    };
    if op == Op::Eq && positive {
        return multiple(pool, inner, other, variable);
    }
    if !is_onto(pool, inner, variable) {
        return None;
    }
    let top = 1u128.checked_shl(width - 1)?;
    let ones = top | (top - 1);
    let (least, greatest) = match op {
        Op::Slt => (top, top - 1),
        _ => (0, ones),
    };
    Some(match (op, positive, is_left) {
        // Something below the other, or above it.
        (Op::Ult | Op::Slt, true, is_below) => {
            let end = if is_below { least } else { greatest };
            let end = pool.bv(width, end);
            pool.ne(other, end)
        }
        // Another value than the other, or one that is not beyond it.
        _ => TermPool::TRUE,
    })
}

/// Does the term have every value of its sort, whatever its other variables are? The variable
/// occurs in it.
fn is_onto(pool: &TermPool, term: Term, variable: Term) -> bool {
    if term == variable {
        return true;
    }
    let mut with = pool
        .args(term)
        .iter()
        .filter(|&&arg| mentions(pool, arg, variable));
    let (Some(&inner), None) = (with.next(), with.next()) else {
        return false;
    };
    let is_kept = match pool.op(term) {
        Op::BvNot | Op::BvAdd | Op::BvXor | Op::Extract { .. } => true,
        Op::BvMul => {
            let args = pool.args(term);
            args.len() == 2 && pool.as_u128(args[0]).is_some_and(|factor| factor & 1 == 1)
        }
        _ => false,
    };
    is_kept && is_onto(pool, inner, variable)
}

/// When some value makes a sum with a multiple of the variable equal to something.
fn multiple(pool: &mut TermPool, sum: Term, other: Term, variable: Term) -> Option<Term> {
    if is_onto(pool, sum, variable) {
        return Some(TermPool::TRUE);
    }
    let args = match pool.op(sum) {
        Op::BvAdd => pool.args(sum).to_vec(),
        _ => vec![sum],
    };
    let mut with: Vec<Term> = args.clone();
    with.retain(|&arg| mentions(pool, arg, variable));
    let &[product] = &with[..] else {
        return None;
    };
    let [factor, inner] = *pool.args(product) else {
        return None;
    };
    if pool.op(product) != Op::BvMul || !is_onto(pool, inner, variable) {
        return None;
    }
    let zeros = pool
        .as_u128(factor)
        .filter(|&factor| factor != 0)?
        .trailing_zeros();
    let rest = args.iter().filter(|&&arg| arg != product);
    let rest = rest.fold(other, |right, &arg| pool.bv_sub(right, arg));
    let low = pool.extract(rest, zeros.checked_sub(1)?, 0);
    let none = pool.bv(zeros, 0);
    Some(pool.eq(low, none))
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{BvValue, Model};
    use proptest::prelude::*;

    const WIDTH: u32 = 3;

    /// Literals over the states `x`, `y` and the inputs `i`, `j`.
    fn literals(pool: &mut TermPool) -> Vec<Term> {
        let [x, y, i, j] = ["x", "y", "i", "j"].map(|name| pool.var(name, Sort::BitVec(WIDTH)));
        let [two, three, five] = [2, 3, 5].map(|number| pool.bv(WIDTH, number));
        let twice = pool.bv_mul(two, i);
        let thrice = pool.bv_mul(three, j);
        let both = pool.bv_add(i, j);
        let sums = [
            pool.bv_add(x, i),
            pool.bv_sub(y, i),
            pool.bv_add(y, twice),
            pool.bv_add(x, thrice),
            pool.bv_xor(x, j),
            both,
            i,
            j,
        ];
        let mut all = Vec::new();
        for sum in sums {
            for other in [x, y, five] {
                let atoms = [
                    pool.eq(sum, other),
                    pool.ult(sum, other),
                    pool.slt(other, sum),
                ];
                for atom in atoms {
                    all.extend([atom, pool.not(atom)]);
                }
            }
        }
        let wide = pool.resize(i, 2 * WIDTH, true);
        let zeros = pool.resize(j, 2 * WIDTH, false);
        let (wide_x, wide_y) = (pool.resize(x, 2 * WIDTH, true), pool.concat(y, x));
        all.extend([
            pool.eq(wide, wide_x),
            pool.eq(zeros, wide_y),
            pool.ne(wide, wide_y),
        ]);
        all
    }

    fn model(pool: &mut TermPool, values: [u128; 4]) -> Model {
        let mut model = Model::new();
        for (name, bits) in ["x", "y", "i", "j"].into_iter().zip(values) {
            let variable = pool.var(name, Sort::BitVec(WIDTH));
            model.set(variable, Value::Bv(BvValue::new(WIDTH, bits)));
        }
        model
    }

    fn hold(pool: &TermPool, literals: &[Term], model: &Model) -> bool {
        let mut literals = literals.iter();
        literals.all(|&literal| pool.eval(literal, model).as_bool() == Some(true))
    }

    proptest! {
        /// The state of the model is among the result's, and from each of them some inputs satisfy
        /// the literals.
        #[test]
        fn inputs_are_taken_out(chosen in proptest::collection::vec(0usize..200, 1..4), start in 0u128..4096) {
            let mut pool = TermPool::new();
            let all = literals(&mut pool);
            let some: Vec<Term> = chosen.iter().map(|&number| all[number % all.len()]).collect();
            let models = (0..4096u128).map(|number| (number + start) % 4096);
            let parts = |number: u128| [number & 7, number >> 3 & 7, number >> 6 & 7, number >> 9 & 7];
            let mut found = None;
            for number in models {
                let model = model(&mut pool, parts(number));
                if hold(&pool, &some, &model) {
                    found = Some((model, parts(number)));
                    break;
                }
            }
            let Some((found, values)) = found else { return Ok(()) };
            let inputs = ["i", "j"].map(|name| pool.var(name, Sort::BitVec(WIDTH)));
            let result = eliminate(
                &mut pool,
                some.clone(),
                &mut |_, variable| inputs.contains(&variable),
                &mut |_, variable| found.get(variable).cloned(),
            );
            prop_assert!(pool.free_vars_of(&result).iter().all(|variable| !inputs.contains(variable)));
            prop_assert!(hold(&pool, &result, &found));
            for state in 0..64u128 {
                let at = [state & 7, state >> 3, values[2], values[3]];
                let here = model(&mut pool, at);
                if !hold(&pool, &result, &here) {
                    continue;
                }
                let mut reachable = false;
                for inputs in 0..64u128 {
                    let model = model(&mut pool, [at[0], at[1], inputs & 7, inputs >> 3]);
                    reachable |= hold(&pool, &some, &model);
                }
                prop_assert!(reachable, "{some:?} {result:?} {at:?}");
            }
        }
    }

    #[test]
    fn what_is_odd_has_an_inverse() {
        for odd in [1u128, 3, 5, 7, 0xdead_beef, u128::MAX] {
            assert_eq!(odd.wrapping_mul(odd_inverse(odd)), 1);
        }
    }
}
