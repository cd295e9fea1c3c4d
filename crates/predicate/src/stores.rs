//! What stores leave behind: a cell that holds a value, and an index where a search for it ends.
//!
//! `a[n] = q; while (a[i] != q) i++;` stops at `n` because of what was written before the loop:
//! `a[n] == q` and `i <= n` are inductive together, and neither is a condition of the program.

use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::memory::RegionId;
use cfa::op::Op;
use cfa::program::Program;
use cfa::value::Ty;
use encoding::vocabulary;
use rustc_hash::FxHashSet;

/// A program with more stores than this is not about single cells.
const MAX_STORES: usize = 24;
/// Stores with more variables than this do not bring theirs.
const MAX_VARIABLES: usize = 4;
/// Variables that an index is compared with.
const MAX_INDICES: usize = 8;

struct Store {
    region: RegionId,
    address: ExprId,
    value: ExprId,
}

/// The stores of a program that are worth remembering.
#[derive(Default)]
pub struct Stores(Vec<Store>);

impl Stores {
    pub fn new(program: &Program) -> Stores {
        let mut stores = Vec::new();
        for edge in &program.edges {
            if let Op::Store {
                region,
                address,
                value,
            } = *program.op(edge.op)
            {
                stores.push(Store {
                    region,
                    address,
                    value,
                });
            }
        }
        if stores.len() > MAX_STORES {
            stores.clear();
        }
        let is_simple = |store: &Store| {
            let parts = vocabulary::cells_of(&program.pool, &[store.value, store.address]);
            program.pool.ty(store.value).is_int() && parts.is_empty()
        };
        stores.retain(is_simple);
        Stores(stores)
    }

    /// The variables that addresses and values are made of, if they are few.
    pub fn variables(&self, exprs: &ExprPool) -> Vec<VarId> {
        let mut variables = Vec::new();
        for store in &self.0 {
            for expr in [store.address, store.value] {
                for var in vocabulary::variables_of(exprs, expr) {
                    if !variables.contains(&var) {
                        variables.push(var);
                    }
                }
            }
        }
        if variables.len() > MAX_VARIABLES {
            variables.clear();
        }
        variables
    }

    /// Atoms over the variables, the most important of which are first.
    pub fn atoms(
        &self,
        program: &Program,
        exprs: &mut ExprPool,
        variables: &[VarId],
    ) -> Vec<ExprId> {
        let among: FxHashSet<VarId> = variables.iter().copied().collect();
        let mut atoms = Vec::new();
        for store in &self.0 {
            let says = [store.address, store.value]
                .map(|expr| vocabulary::variables_of(exprs, expr))
                .concat();
            if !says.iter().all(|var| among.contains(var)) {
                continue;
            }
            let ty = exprs.ty(store.value);
            let cell = exprs.load(store.region, store.address, ty);
            atoms.push(exprs.eq(cell, store.value));
            let Some(index) = index(exprs, store.address, ty) else {
                continue;
            };
            for &var in variables.iter().take(MAX_INDICES) {
                let own = program.var(var).ty;
                if own.is_int() && own.width() >= 32 && !says.contains(&var) {
                    let (value, index) = (exprs.variable(var, own), exprs.convert(index, own));
                    let one = exprs.constant(1, own);
                    let behind = exprs.add(index, one);
                    atoms.extend([
                        exprs.le(value, index),
                        exprs.le(index, value),
                        exprs.le(behind, value),
                    ]);
                }
            }
        }
        atoms
    }
}

/// Of which element of an array the address is, if the address says so and it is not just a
/// variable.
fn index(exprs: &mut ExprPool, address: ExprId, element: Ty) -> Option<ExprId> {
    let bytes = u128::from(element.width() / 8);
    let (mut open, mut offset, mut found) = (vec![address], 0u128, None);
    while let Some(id) = open.pop() {
        match exprs.node(id) {
            Node::Binary(BinOp::Add, a, b) => open.extend([a, b]),
            Node::Const(bits) => offset = offset.wrapping_add(bits),
            Node::Binary(BinOp::Mul, a, b) => {
                let factor = exprs.as_constant(b).or(exprs.as_constant(a))?;
                if factor != bytes || found.is_some() {
                    return None;
                }
                found = Some(if exprs.as_constant(b).is_some() { a } else { b });
            }
            _ => {}
        }
    }
    let Some(mut index) = found else {
        // A constant index is part of the offset.
        let ty = exprs.ty(address);
        return (offset % bytes == 0).then(|| exprs.constant(offset / bytes, ty));
    };
    if offset != 0 {
        return None;
    }
    while let Node::Unary(UnOp::Convert(_), inner) = exprs.node(index) {
        index = inner;
    }
    (!matches!(exprs.node(index), Node::Var(_) | Node::Const(_))).then_some(index)
}
