//! Vocabularies: program-level atoms that interpolants and invariants may be made of.
//!
//! In order of how well they generalise, which is the order in which searches should prefer them:
//! the program's own conditions, comparisons of two variables, comparisons with constants of the
//! program (and one off), sums and differences of two variables, small congruences.

use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::program::Program;
use cfa::value::Ty;
use rustc_hash::FxHashSet;

/// What atoms are made from.
#[derive(Clone, Debug, Default)]
pub struct Ingredients {
    /// The most important first.
    pub variables: Vec<VarId>,
    /// Truth-valued expressions.
    pub conditions: Vec<ExprId>,
    /// Values of cells and the like, to be compared as variables are.
    pub values: Vec<ExprId>,
    pub constants: Vec<i128>,
}

/// How much of everything.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub variables: usize,
    /// Variables that are compared with one another.
    pub related: usize,
    pub constants: usize,
    /// Constants one off too, and all comparisons with them; otherwise equalities with the
    /// constants alone.
    pub bounds: bool,
    pub congruences: bool,
    pub sums: bool,
}

impl Default for Extent {
    fn default() -> Self {
        Extent {
            variables: 24,
            related: 12,
            constants: 24,
            bounds: true,
            congruences: true,
            sums: true,
        }
    }
}

/// The atom that stands for a literal: without negation, comparisons in one direction only. `true`
/// if the literal is the atom's negation.
pub fn atom(exprs: &mut ExprPool, literal: ExprId) -> (ExprId, bool) {
    match exprs.node(literal) {
        Node::Unary(UnOp::Not, inner) => {
            let (inner, negated) = atom(exprs, inner);
            (inner, !negated)
        }
        Node::Binary(BinOp::Ne, a, b) => {
            let equal = exprs.eq(a, b);
            (atom(exprs, equal).0, true)
        }
        Node::Binary(BinOp::Eq, a, b) => (unsigned_cell(exprs, a, b).unwrap_or(literal), false),
        Node::Binary(BinOp::Lt, a, b) if exprs.ty(a).is_int() => (exprs.le(b, a), true),
        _ => (literal, false),
    }
}

/// Whether a cell equals a constant does not depend on its sign: one of the two ways to say it is
/// enough.
fn unsigned_cell(exprs: &mut ExprPool, a: ExprId, b: ExprId) -> Option<ExprId> {
    let bits = exprs.as_constant(b)?;
    let Ty::Int {
        width,
        signed: true,
    } = exprs.ty(a)
    else {
        return None;
    };
    let Node::Load { region, address } = exprs.node(a) else {
        return None;
    };
    let ty = Ty::Int {
        width,
        signed: false,
    };
    let cell = exprs.load(region, address, ty);
    let constant = exprs.constant(bits, ty);
    Some(exprs.eq(cell, constant))
}

/// The cells of memory that expressions read.
pub fn cells_of(exprs: &ExprPool, roots: &[ExprId]) -> Vec<ExprId> {
    let mut cells = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work: Vec<ExprId> = roots.iter().rev().copied().collect();
    while let Some(expr) = work.pop() {
        if seen.insert(expr) {
            if let Node::Load { .. } = exprs.node(expr)
                && exprs.ty(expr).is_int()
            {
                cells.push(expr);
            }
            work.extend(exprs.node(expr).children());
        }
    }
    cells
}

/// The atoms of a truth-valued expression.
pub fn atoms_of(exprs: &mut ExprPool, root: ExprId) -> Vec<ExprId> {
    let mut atoms = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![root];
    while let Some(expr) = work.pop() {
        if !seen.insert(expr) {
            continue;
        }
        match exprs.node(expr) {
            Node::Unary(UnOp::Not, inner) => work.push(inner),
            Node::Binary(BinOp::BoolAnd | BinOp::BoolOr, a, b) => work.extend([a, b]),
            Node::Binary(BinOp::Eq | BinOp::Ne, a, b) if exprs.ty(a) == Ty::Bool => {
                work.extend([a, b]);
            }
            Node::Ite(c, a, b) => work.extend([c, a, b]),
            Node::Const(_) => {}
            _ => {
                let (atom, _) = atom(exprs, expr);
                if exprs.as_bool(atom).is_none() && !atoms.contains(&atom) {
                    atoms.push(atom);
                }
            }
        }
    }
    atoms
}

/// The variables of an expression.
pub fn variables_of(exprs: &ExprPool, root: ExprId) -> Vec<VarId> {
    let mut variables = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![root];
    while let Some(expr) = work.pop() {
        if seen.insert(expr) {
            if let Node::Var(var) = exprs.node(expr) {
                variables.push(var);
            }
            work.extend(exprs.node(expr).children());
        }
    }
    variables.sort_unstable();
    variables.dedup();
    variables
}

/// The integers that occur in an expression.
pub fn constants_of(exprs: &ExprPool, root: ExprId, into: &mut Vec<i128>) {
    let mut seen = FxHashSet::default();
    let mut work = vec![root];
    while let Some(expr) = work.pop() {
        if seen.insert(expr) {
            if let Some(value) = exprs.as_integer(expr) {
                into.push(value);
            }
            work.extend(exprs.node(expr).children());
        }
    }
}

/// Does a constant fit a type, so that the comparison means what it says?
fn fits(value: i128, ty: Ty) -> bool {
    let Ty::Int { width, signed } = ty else {
        return false;
    };
    if width >= 127 {
        return value >= 0 || signed;
    }
    let (low, high) = match signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    (low..=high).contains(&value)
}

/// Atoms made from the ingredients, the ones that generalise best first.
pub fn atoms(
    program: &Program,
    exprs: &mut ExprPool,
    given: &Ingredients,
    extent: &Extent,
) -> Vec<ExprId> {
    let mut list = List::default();
    for &condition in &given.conditions {
        for atom in atoms_of(exprs, condition) {
            list.add(exprs, atom);
        }
    }
    let mut values: Vec<ExprId> = Vec::new();
    for &var in given.variables.iter().take(extent.variables) {
        let ty = program.var(var).ty;
        if ty == Ty::Bool {
            let expr = exprs.variable(var, ty);
            list.add(exprs, expr);
        } else if ty.is_int() {
            values.push(exprs.variable(var, ty));
        }
    }
    values.extend(given.values.iter().copied());
    // Pairs.
    let related = &values[..values.len().min(extent.related)];
    for (number, &x) in related.iter().enumerate() {
        for &y in &related[number + 1..] {
            let ty = exprs.ty(x);
            if ty != exprs.ty(y) {
                // Of one width the signs do not matter to equality.
                if ty.width() == exprs.ty(y).width() && ty.is_int() && exprs.ty(y).is_int() {
                    let y = exprs.convert(y, ty);
                    let equal = exprs.eq(x, y);
                    list.add(exprs, equal);
                }
                continue;
            }
            for atom in [exprs.eq(x, y), exprs.le(x, y), exprs.le(y, x)] {
                list.add(exprs, atom);
            }
        }
    }
    // Constants, near zero first.
    let mut constants: Vec<i128> = given.constants.clone();
    constants.sort_unstable_by_key(|value| (value.unsigned_abs(), *value < 0));
    constants.dedup();
    constants.truncate(extent.constants);
    let mut near = Vec::new();
    for &constant in &constants {
        let off = i128::from(extent.bounds);
        for value in [constant, constant - off, constant + off] {
            if !near.contains(&value) {
                near.push(value);
            }
        }
    }
    for &x in &values {
        let ty = exprs.ty(x);
        for &constant in &near {
            if !fits(constant, ty) {
                continue;
            }
            let value = exprs.integer(constant, ty);
            let equal = exprs.eq(x, value);
            list.add(exprs, equal);
            if extent.bounds {
                for atom in [exprs.le(x, value), exprs.le(value, x)] {
                    list.add(exprs, atom);
                }
            }
        }
    }
    if extent.sums {
        sums(exprs, related, &mut list);
    }
    if extent.congruences {
        for &x in &values {
            let ty = exprs.ty(x);
            for (modulus, remainders) in [(2u128, 2u128), (4, 4)] {
                for remainder in 0..remainders {
                    let mask = exprs.constant(modulus - 1, ty);
                    let low = exprs.binary(BinOp::And, x, mask);
                    let remainder = exprs.constant(remainder, ty);
                    let equal = exprs.eq(low, remainder);
                    list.add(exprs, equal);
                }
            }
        }
    }
    list.atoms
}

/// `x <= y + c` for small `c`, `x == y + c`, and `x == z + y`.
fn sums(exprs: &mut ExprPool, related: &[ExprId], list: &mut List) {
    for &x in related {
        for &y in related {
            let ty = exprs.ty(x);
            if x == y || ty != exprs.ty(y) {
                continue;
            }
            let one = exprs.constant(1, ty);
            let more = exprs.add(y, one);
            for atom in [exprs.eq(x, more), exprs.le(x, more), exprs.le(more, x)] {
                list.add(exprs, atom);
            }
        }
    }
    let few = &related[..related.len().min(6)];
    for &x in few {
        for (number, &y) in few.iter().enumerate() {
            for &z in &few[number + 1..] {
                let ty = exprs.ty(x);
                if x == y || x == z || ty != exprs.ty(y) || ty != exprs.ty(z) {
                    continue;
                }
                let sum = exprs.add(y, z);
                for atom in [exprs.eq(x, sum), exprs.le(x, sum), exprs.le(sum, x)] {
                    list.add(exprs, atom);
                }
            }
        }
    }
}

#[derive(Default)]
struct List {
    atoms: Vec<ExprId>,
    known: FxHashSet<ExprId>,
}

impl List {
    fn add(&mut self, exprs: &mut ExprPool, literal: ExprId) {
        let (atom, _) = atom(exprs, literal);
        if exprs.as_bool(atom).is_none() && self.known.insert(atom) {
            self.atoms.push(atom);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_atom_and_its_negation_are_one() {
        let mut exprs = ExprPool::default();
        let x = exprs.variable(VarId(0), Ty::I32);
        let five = exprs.integer(5, Ty::I32);
        let less = exprs.lt(x, five);
        let not_less = exprs.not(less);
        let (a, negated) = atom(&mut exprs, less);
        let (b, same) = atom(&mut exprs, not_less);
        assert_eq!(a, b);
        assert!(negated && !same);
    }

    #[test]
    fn a_cell_equals_a_constant_whatever_its_sign() {
        let mut exprs = ExprPool::default();
        let pointer = exprs.variable(VarId(0), Ty::U32);
        let region = cfa::memory::RegionId(1);
        let atoms = [Ty::I32, Ty::U32].map(|ty| {
            let cell = exprs.load(region, pointer, ty);
            let minus = exprs.constant(0xffff_fff0, ty);
            let differs = exprs.ne(cell, minus);
            atom(&mut exprs, differs)
        });
        assert_eq!(atoms[0], atoms[1]);
        assert!(atoms[0].1);
        assert_eq!(cells_of(&exprs, &[atoms[0].0]).len(), 1);
    }

    #[test]
    fn constants_beyond_the_type_are_left_out() {
        assert!(fits(127, Ty::signed(8)) && !fits(128, Ty::signed(8)));
        assert!(fits(255, Ty::U8) && !fits(-1, Ty::U8));
    }
}
