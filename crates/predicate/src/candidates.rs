//! The atoms that proofs about a path may be made of, place by place.

use super::addresses::Pointers;
use super::predicates::Predicates;
use super::samples::Sample;
use super::stores::Stores;
use super::trace::Trace;
use cfa::expr::{BinOp, ExprId, ExprPool, VarId};
use cfa::op::Op;
use cfa::program::{FuncId, Program};
use cfa::value::Ty;
use domains::affine::AffineEqualities;
use domains::lattice::Lattice;
use domains::linear::Constraint;
use domains::numeric::NumericDomain;
use encoding::back::Leaf;
use encoding::vocabulary::{self, Extent, Ingredients};
use induction::graph::PlaceId;
use induction::solver_graph::SolverGraph;
use logic::{Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the program itself says: its conditions and constants, function by function, and its
/// stores.
pub struct ProgramText {
    conditions: FxHashMap<FuncId, Vec<ExprId>>,
    constants: FxHashMap<FuncId, Vec<i128>>,
    stores: Stores,
    pub pointers: Pointers,
}

impl ProgramText {
    pub fn new(program: &Program) -> ProgramText {
        let mut text = ProgramText {
            conditions: FxHashMap::default(),
            constants: FxHashMap::default(),
            stores: Stores::new(program),
            pointers: Pointers::of(program),
        };
        for edge in &program.edges {
            let function = program.location(edge.source).function;
            let op = program.op(edge.op);
            if let Op::Assume(condition) = op {
                let list = text.conditions.entry(function).or_default();
                if !list.contains(condition) {
                    list.push(*condition);
                }
            }
            let constants = text.constants.entry(function).or_default();
            for expr in op.expressions() {
                vocabulary::constants_of(&program.pool, expr, constants);
            }
        }
        for list in text.constants.values_mut() {
            list.sort_unstable();
            list.dedup();
        }
        text
    }
}

/// The variables among leaves.
pub fn variables(graph: &mut SolverGraph<'_>, leaves: &[Term]) -> Vec<VarId> {
    let mut variables = Vec::new();
    for &leaf in leaves {
        if let Some(start) = graph.leaf(leaf)
            && let Leaf::Var(var) = start.leaf
            && !variables.contains(&var)
        {
            variables.push(var);
        }
    }
    variables
}

/// Conditions of the path moved backwards over its blocks: weakest preconditions of its atoms at
/// each cut. Entry `k` is about the beginning of block `k`.
pub fn moved_back(
    graph: &mut SolverGraph<'_>,
    exprs: &mut ExprPool,
    trace: &Trace,
    conditions: &[Vec<Term>],
) -> Vec<Vec<ExprId>> {
    let count = trace.blocks.len();
    let mut found: Vec<Vec<ExprId>> = vec![Vec::new(); count];
    let mut moving: FxHashSet<Term> = FxHashSet::default();
    for step in (1..count).rev() {
        for &condition in &conditions[step] {
            for atom in atoms_of_term(graph.pool(), condition) {
                moving.insert(atom);
            }
        }
        let mut ordered: Vec<Term> = moving.iter().copied().collect();
        ordered.sort_unstable();
        ordered.retain(|&term| graph.pool().dag_size(term) <= MAX_TERMS_OF_ATOM);
        ordered.truncate(MAX_MOVED);
        let place = trace.place(graph, step);
        {
            let meaning = graph.meaning(place);
            for &term in &ordered {
                if let Some(expr) = meaning.say(exprs, term) {
                    for atom in vocabulary::atoms_of(exprs, expr) {
                        if !found[step].contains(&atom) {
                            found[step].push(atom);
                        }
                    }
                }
            }
        }
        let map: FxHashMap<Term, Term> = trace.ends[step - 1].iter().copied().collect();
        moving.clear();
        for term in ordered {
            let mut memo = map.clone();
            let moved = graph.pool().substitute_memo(term, &mut memo);
            for atom in atoms_of_term(graph.pool(), moved) {
                moving.insert(atom);
            }
        }
    }
    found
}

const MAX_TERMS_OF_ATOM: usize = 40;
const MAX_MOVED: usize = 60;

/// The atoms of a boolean term.
pub fn atoms_of_term(pool: &TermPool, root: Term) -> Vec<Term> {
    let mut atoms = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![root];
    while let Some(term) = work.pop() {
        if !seen.insert(term) || pool.is_const(term) {
            continue;
        }
        use logic::Op as T;
        match pool.op(term) {
            T::Not | T::And => work.extend(pool.args(term)),
            T::Ite if pool.sort(term) == logic::Sort::Bool => work.extend(pool.args(term)),
            T::Eq if pool.sort(pool.args(term)[0]) == logic::Sort::Bool => {
                work.extend(pool.args(term));
            }
            _ => atoms.push(term),
        }
    }
    atoms.sort_unstable();
    atoms
}

/// The integers that occur in terms, as signed numbers and as they are.
pub fn constants_of_terms(pool: &TermPool, terms: &[Term]) -> Vec<i128> {
    let mut constants = Vec::new();
    for term in pool.postorder(terms) {
        if let Some(value) = pool.as_u128(term) {
            let width = pool.width(term);
            if (8..=64).contains(&width) {
                constants.push(arith::int::to_signed(value, width));
            }
        }
    }
    constants.sort_unstable();
    constants.dedup();
    constants
}

/// Everything that atoms at a place are made from.
pub struct Source<'a> {
    pub text: &'a ProgramText,
    /// The most important first.
    pub variables: &'a [VarId],
    pub constants: &'a [i128],
    /// Cells of memory that are compared as variables are.
    pub cells: &'a [ExprId],
    pub extent: Extent,
}

/// Atoms at a place, those that generalise best first.
pub fn at_place(
    graph: &SolverGraph<'_>,
    predicates: &mut Predicates,
    place: PlaceId,
    source: &Source<'_>,
) -> Vec<ExprId> {
    let program = graph.program();
    let location = graph.place(place).location;
    let function = program.location(location).function;
    let is_active = |&var: &VarId| {
        let function = program.var(var).function;
        function.is_none_or(|function| graph.is_active(place, function))
    };
    let stores = &source.text.stores;
    let mut active: Vec<VarId> = source.variables.iter().copied().filter(is_active).collect();
    // What a store was made with need not be what the path reads it with: a caller's pointer.
    let of_stores = stores.variables(&predicates.exprs);
    let of_stores = of_stores.into_iter().filter(is_active);
    let of_stores: Vec<VarId> = of_stores.filter(|var| !active.contains(var)).collect();
    let front = active.len().min(MAX_BEFORE_STORES);
    active.splice(front..front, of_stores);
    let among: FxHashSet<VarId> = active.iter().copied().collect();
    let mut conditions = Vec::new();
    for &condition in source.text.conditions.get(&function).into_iter().flatten() {
        let variables = vocabulary::variables_of(&predicates.exprs, condition);
        if !variables.is_empty() && variables.iter().all(|var| among.contains(var)) {
            conditions.push(condition);
        }
    }
    conditions.extend(stores.atoms(program, &mut predicates.exprs, &active));
    let mut constants = source.constants.to_vec();
    if source.extent.bounds
        && let Some(own) = source.text.constants.get(&function)
        && own.len() <= 16
    {
        constants.extend(own);
    }
    let given = Ingredients {
        variables: active.clone(),
        conditions,
        values: cells_at(graph, predicates, place, source),
        constants,
    };
    vocabulary::atoms(program, &mut predicates.exprs, &given, &source.extent)
}

/// The cells that can be spoken of at the place, as far as the extent goes.
fn cells_at(
    graph: &SolverGraph<'_>,
    predicates: &Predicates,
    place: PlaceId,
    source: &Source<'_>,
) -> Vec<ExprId> {
    if source.extent.constants == 0 {
        return Vec::new();
    }
    let sayable = |&&cell: &&ExprId| predicates.is_about(graph, place, cell);
    let cells = source.cells.iter().filter(sayable).copied();
    cells.take(MAX_CELLS).collect()
}

const MAX_CELLS: usize = 6;
/// Variables that are more important than those of stores.
const MAX_BEFORE_STORES: usize = 4;

/// Affine equations (and congruences) modulo a power of two that all sampled states satisfy.
pub fn affine(
    program: &Program,
    exprs: &mut ExprPool,
    samples: &[Sample],
    variables: &[VarId],
) -> Vec<ExprId> {
    let mut found = Vec::new();
    let widths: FxHashSet<u16> = variables
        .iter()
        .map(|&var| program.var(var).ty)
        .filter(|ty| ty.is_int() && ty.width() <= 64)
        .map(Ty::width)
        .collect();
    let mut widths: Vec<u16> = widths.into_iter().collect();
    widths.sort_unstable();
    for width in widths {
        let chosen: Vec<VarId> = variables
            .iter()
            .copied()
            .filter(|&var| program.var(var).ty.is_int() && program.var(var).ty.width() == width)
            .filter(|var| samples.iter().all(|sample| sample.contains_key(var)))
            .take(10)
            .collect();
        let Some(top) = AffineEqualities::top(u32::from(width)) else {
            continue;
        };
        let mut hull: Option<AffineEqualities> = None;
        for sample in samples {
            let mut point = top.clone();
            let mut complete = true;
            for (number, var) in chosen.iter().enumerate() {
                match sample.get(var) {
                    Some(&value) => {
                        let variable = domains::linear::VarId(number as u32);
                        let value = arith::int::to_signed(value, u32::from(width));
                        point.assume_equality(&[(variable, 1)], -value, u32::from(width));
                    }
                    None => complete = false,
                }
            }
            if !complete {
                continue;
            }
            hull = Some(match hull {
                Some(hull) => hull.join(&point),
                None => point,
            });
        }
        let Some(hull) = hull else { continue };
        for constraint in hull.constraints() {
            let Constraint::Multiple {
                terms,
                constant,
                modulus,
            } = constraint
            else {
                continue;
            };
            if let Some(expr) = equation(program, exprs, &chosen, &terms, constant, modulus, width)
            {
                found.push(expr);
            }
        }
    }
    found
}

/// `Σ cᵢ·xᵢ + constant` is a multiple of the modulus, a power of two of at most the width.
fn equation(
    program: &Program,
    exprs: &mut ExprPool,
    chosen: &[VarId],
    terms: &[(domains::linear::VarId, i128)],
    constant: i128,
    modulus: i128,
    width: u16,
) -> Option<ExprId> {
    let ty = Ty::unsigned(width);
    if terms.is_empty() || terms.len() > 4 || terms.iter().any(|(_, c)| c.unsigned_abs() > 64) {
        return None;
    }
    let mut sides: [Option<ExprId>; 2] = [None, None];
    for &(variable, coefficient) in terms {
        let var = *chosen.get(variable.0 as usize)?;
        let value = exprs.variable(var, program.var(var).ty);
        let mut value = exprs.convert(value, ty);
        if coefficient.unsigned_abs() != 1 {
            let factor = exprs.constant(coefficient.unsigned_abs(), ty);
            value = exprs.mul(value, factor);
        }
        let side = &mut sides[usize::from(coefficient < 0)];
        *side = Some(match *side {
            Some(sum) => exprs.add(sum, value),
            None => value,
        });
    }
    let zero = exprs.zero(ty);
    let (left, right) = (sides[0].unwrap_or(zero), sides[1].unwrap_or(zero));
    let magnitude = exprs.constant(constant.unsigned_abs(), ty);
    let (left, right) = match constant.signum() {
        0 => (left, right),
        1 => (exprs.add(left, magnitude), right),
        _ => (left, exprs.add(right, magnitude)),
    };
    if width < 127 && modulus == 1i128 << width {
        return Some(exprs.eq(left, right));
    }
    let difference = exprs.sub(left, right);
    let mask = exprs.constant((modulus - 1) as u128, ty);
    let low = exprs.binary(BinOp::And, difference, mask);
    Some(exprs.eq(low, zero))
}
