//! Values of variables in models, as terms' values: from the SAT solver's bits, or from a model
//! that was remembered.

use super::arrays::ArrayLemmas;
use super::cnf::Cnf;
use super::memory::StoredModel;
use crate::flatten::Flattener;
use crate::sat::Lit;
use crate::term::{BvValue, Sort, Term, TermPool, Value, canonical_float, default_value};

/// The value of a variable in a remembered model.
pub(super) fn remembered_value(model: &StoredModel, pool: &TermPool, variable: Term) -> Value {
    let sort = pool.sort(variable);
    let known = match sort {
        Sort::Array { .. } => model.arrays.get(&variable).cloned().map(Value::Array),
        Sort::Float { .. } => pattern_variable(pool, variable)
            .and_then(|pattern| model.variables.get(&pattern)?.as_bv().cloned())
            .map(|bits| canonical_float(sort, bits)),
        _ => model.variables.get(&variable).cloned(),
    };
    known.unwrap_or_else(|| default_value(sort))
}

/// The bit-vector variable that stands for a float variable, if there is one.
fn pattern_variable(pool: &TermPool, variable: Term) -> Option<Term> {
    let width = pool.sort(variable).width()?;
    pool.find_symbol_var(pool.as_var(variable)?, Sort::BitVec(width))
}

/// The bits of a flattened term in the current model; those that no clause mentions are zero.
pub(super) fn read_bits(flat: &Flattener, cnf: &mut Cnf, bits: &[Lit]) -> BvValue {
    let width = bits.len() as u32;
    let mut bit = |literal: Lit| cnf.value(flat.gates(), literal).unwrap_or(false);
    if width <= 128 {
        let number = bits
            .iter()
            .rev()
            .fold(0u128, |acc, &literal| acc << 1 | u128::from(bit(literal)));
        return BvValue::new(width, number);
    }
    let mut value = BvValue::zero(width);
    for (position, &literal) in bits.iter().enumerate() {
        if bit(literal) {
            value = value.or(&BvValue::one(width).shl_by(position as u32));
        }
    }
    value
}

/// The value of a variable in the current model; any, if nothing is said of it.
pub(super) fn variable_value(
    flat: &Flattener,
    cnf: &mut Cnf,
    arrays: &ArrayLemmas,
    pool: &TermPool,
    variable: Term,
) -> Value {
    let sort = pool.sort(variable);
    match (sort, flat.known(pool, variable)) {
        (Sort::Bool, Some(bits)) => Value::Bool(cnf.value(flat.gates(), bits[0]).unwrap_or(false)),
        (Sort::BitVec(_), Some(bits)) => Value::Bv(read_bits(flat, cnf, bits)),
        (Sort::Array { .. }, _) => arrays
            .variable_value(variable)
            .map_or_else(|| default_value(sort), Value::Array),
        (Sort::Float { .. }, _) => {
            match pattern_variable(pool, variable).and_then(|pattern| flat.known(pool, pattern)) {
                Some(bits) => canonical_float(sort, read_bits(flat, cnf, bits)),
                None => default_value(sort),
            }
        }
        _ => default_value(sort),
    }
}
