//! Evaluation under a model: total, iterative, memoised.

use super::build_float::apply_float;
use super::{ArrayValue, BvValue, Op, Sort, Term, TermPool, Value};
use rustc_hash::FxHashMap;

/// Values of variables. A variable without one is false, zero, plus zero, or the array of zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: FxHashMap<Term, Value>,
}

impl Model {
    /// The model without values.
    pub fn new() -> Model {
        Model::default()
    }

    /// Gives a variable a value.
    pub fn set(&mut self, variable: Term, value: Value) {
        self.values.insert(variable, value);
    }

    /// The value given to a variable.
    pub fn get(&self, variable: Term) -> Option<&Value> {
        self.values.get(&variable)
    }

    /// The variables with their values, in the order of the variables' creation.
    pub fn entries(&self) -> Vec<(Term, &Value)> {
        let mut entries: Vec<_> = self
            .values
            .iter()
            .map(|(term, value)| (*term, value))
            .collect();
        entries.sort_unstable_by_key(|entry| entry.0);
        entries
    }

    /// Number of variables with values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Has no variable a value?
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// The value of a sort that variables without a value have.
pub fn default_value(sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(false),
        Sort::BitVec(width) => Value::Bv(BvValue::zero(width)),
        Sort::Float { .. } => Value::Bv(BvValue::zero(sort.width().unwrap_or(1))),
        Sort::Array { index, element } => {
            Value::Array(ArrayValue::constant(index, BvValue::zero(element)))
        }
    }
}

/// Values of subterms already computed.
#[derive(Default)]
pub struct Memo {
    values: FxHashMap<Term, Value>,
}

impl Memo {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// The value of a term, where `variable` gives the values of variables (and must always give
    /// the same ones).
    pub fn eval(
        &mut self,
        pool: &TermPool,
        term: Term,
        variable: impl FnMut(Term) -> Value,
    ) -> Value {
        self.eval_defined(pool, term, |_| None, variable)
    }

    /// Like [`Memo::eval`], but some variables have the value of another term. Definitions have no
    /// cycles.
    pub fn eval_defined(
        &mut self,
        pool: &TermPool,
        term: Term,
        definition: impl Fn(Term) -> Option<Term>,
        mut variable: impl FnMut(Term) -> Value,
    ) -> Value {
        let memo = &mut self.values;
        let mut stack = vec![term];
        let mut values = Vec::new();
        let mut sorts = Vec::new();
        while let Some(&current) = stack.last() {
            if memo.contains_key(&current) {
                stack.pop();
                continue;
            }
            let pending = stack.len();
            for &arg in pool.args(current) {
                if !memo.contains_key(&arg) {
                    stack.push(arg);
                }
            }
            if stack.len() > pending {
                continue;
            }
            stack.pop();
            let value = match pool.op(current) {
                Op::Var(_) => match definition(current) {
                    Some(meaning) => match memo.get(&meaning) {
                        Some(value) => value.clone(),
                        None => {
                            stack.push(current);
                            stack.push(meaning);
                            continue;
                        }
                    },
                    None => variable(current),
                },
                Op::BvConst(_) => Value::Bv(pool.as_bv_const(current).expect("a constant").clone()),
                op => {
                    values.clear();
                    values.extend(pool.args(current).iter().map(|arg| memo[arg].clone()));
                    sorts.clear();
                    sorts.extend(pool.args(current).iter().map(|&arg| pool.sort(arg)));
                    apply(op, pool.sort(current), &sorts, &values)
                }
            };
            memo.insert(current, value);
        }
        memo[&term].clone()
    }
}

/// Evaluates many terms under one model, remembering the values of shared parts.
pub struct Evaluator<'m> {
    model: &'m Model,
    memo: Memo,
}

impl<'m> Evaluator<'m> {
    /// An evaluator with nothing remembered.
    pub fn new(model: &'m Model) -> Evaluator<'m> {
        Evaluator {
            model,
            memo: Memo::default(),
        }
    }

    /// The value of a term.
    pub fn value(&mut self, pool: &TermPool, term: Term) -> Value {
        let model = self.model;
        self.memo
            .eval(pool, term, |variable| match model.get(variable) {
                Some(value) => value.clone(),
                None => default_value(pool.sort(variable)),
            })
    }

    /// The value of a boolean term.
    pub fn is_true(&mut self, pool: &TermPool, term: Term) -> bool {
        self.value(pool, term) == Value::Bool(true)
    }
}

impl TermPool {
    /// The value of a term under a model. For many terms under one model see [`Evaluator`].
    pub fn eval(&self, term: Term, model: &Model) -> Value {
        Evaluator::new(model).value(self, term)
    }
}

/// The value of an operator on values; variables and constants have no operands and are not asked
/// for.
pub(super) fn apply(op: Op, sort: Sort, sorts: &[Sort], values: &[Value]) -> Value {
    let truth = |position: usize| values[position].as_bool().expect("sorts were checked");
    let bits = |position: usize| values[position].as_bv().expect("sorts were checked");
    let fold = |combine: fn(&BvValue, &BvValue) -> BvValue| {
        let mut result = bits(0).clone();
        for position in 1..values.len() {
            result = combine(&result, bits(position));
        }
        Value::Bv(result)
    };
    match op {
        Op::True => Value::Bool(true),
        Op::Not => Value::Bool(!truth(0)),
        Op::And => Value::Bool((0..values.len()).all(truth)),
        Op::Eq => Value::Bool(match (&values[0], &values[1]) {
            (Value::Array(a), Value::Array(b)) => a.same_function(b),
            (a, b) => a == b,
        }),
        Op::Ite => values[if truth(0) { 1 } else { 2 }].clone(),
        Op::BvNot => Value::Bv(bits(0).not()),
        Op::BvAnd => fold(BvValue::and),
        Op::BvOr => fold(BvValue::or),
        Op::BvXor => fold(BvValue::xor),
        Op::BvAdd => fold(BvValue::add),
        Op::BvMul => fold(BvValue::mul),
        Op::BvUdiv => Value::Bv(bits(0).udiv(bits(1))),
        Op::BvUrem => Value::Bv(bits(0).urem(bits(1))),
        Op::BvSdiv => Value::Bv(bits(0).sdiv(bits(1))),
        Op::BvSrem => Value::Bv(bits(0).srem(bits(1))),
        Op::BvShl => Value::Bv(bits(0).shl(bits(1))),
        Op::BvLshr => Value::Bv(bits(0).lshr(bits(1))),
        Op::BvAshr => Value::Bv(bits(0).ashr(bits(1))),
        Op::Ult => Value::Bool(bits(0).ult(bits(1))),
        Op::Slt => Value::Bool(bits(0).slt(bits(1))),
        Op::Extract { high, low } => Value::Bv(bits(0).extract(high, low)),
        Op::Concat => fold(BvValue::concat),
        Op::SignExtend => {
            let by = sort.width().unwrap_or(0) - bits(0).width();
            Value::Bv(bits(0).sign_extend(by))
        }
        Op::Select => {
            let array = values[0].as_array().expect("sorts were checked");
            Value::Bv(array.select(bits(1)).clone())
        }
        Op::Store => {
            let mut array = values[0].as_array().expect("sorts were checked").clone();
            array.store(bits(1).clone(), bits(2).clone());
            Value::Array(array)
        }
        Op::ConstArray => {
            let Sort::Array { index, .. } = sort else {
                unreachable!("a constant array has an array sort")
            };
            Value::Array(ArrayValue::constant(index, bits(0).clone()))
        }
        Op::Var(_) | Op::BvConst(_) => default_value(sort),
        _ => apply_float(op, sort, sorts, values),
    }
}
