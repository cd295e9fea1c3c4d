//! Templates: linear expressions over program variables whose greatest values are looked for.
//!
//! A template has a value in every state, a mathematical integer: variables count as the numbers
//! that they are under their types, and the term that says it is wide enough for every sum.

use absint::numeric::translate;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::op::Op;
use cfa::program::Program;
use cfa::value::Ty;
use encoding::state::State;
use encoding::step::Encoder;
use logic::Term;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which linear expressions bounds are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TemplateKind {
    /// `x` and `-x`.
    Bounds,
    /// `x - y`.
    Differences,
    /// `x + y` and `-x - y`.
    Sums,
    /// Bounds, differences and sums.
    Octagons,
    /// `±x ±2·y`, and sums and differences of three variables.
    Rich,
    /// The linear expressions that the program compares with zero or assigns.
    Program,
}

/// Variables that pairs are made of, and threes.
const MAX_PAIRED: usize = 8;
const MAX_IN_THREES: usize = 4;
/// Templates at one place.
pub const MAX_TEMPLATES: usize = 160;
/// Variables and the size of factors of a template.
const MAX_TERMS: usize = 6;
const MAX_FACTOR: i128 = 1 << 16;
/// Parts of an expression of the program that is read as a linear one.
const MAX_PARTS: usize = 200;

/// `Σ cᵢ·xᵢ`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Template {
    /// Sorted by variable; no factor is zero.
    terms: Vec<(VarId, i128)>,
    /// Bits that hold every value.
    width: u32,
    /// What the types of the variables allow.
    highest: i128,
}

impl Template {
    /// `None` where the sum is empty, too long, or about something that is no integer.
    pub fn new(
        program: &Program,
        terms: impl IntoIterator<Item = (VarId, i128)>,
    ) -> Option<Template> {
        let mut factors: BTreeMap<VarId, i128> = BTreeMap::new();
        for (var, factor) in terms {
            let sum = factors.entry(var).or_default();
            *sum = sum.checked_add(factor)?;
        }
        factors.retain(|_, factor| *factor != 0);
        if factors.is_empty() || factors.len() > MAX_TERMS {
            return None;
        }
        let (mut lowest, mut highest) = (0i128, 0i128);
        for (&var, &factor) in &factors {
            let ty = program.var(var).ty;
            if !ty.is_int() || ty.width() > 64 || factor.abs() > MAX_FACTOR {
                return None;
            }
            let (low, high) = translate::limits(ty)?;
            let (a, b) = (low * factor, high * factor);
            lowest += a.min(b);
            highest += a.max(b);
        }
        let fits = |width: &u32| -(1i128 << (width - 1)) <= lowest && highest < 1 << (width - 1);
        Some(Template {
            terms: factors.into_iter().collect(),
            width: (1..127).find(fits)?,
            highest,
        })
    }

    pub fn terms(&self) -> &[(VarId, i128)] {
        &self.terms
    }

    /// Every value is at most that, whatever the program does.
    pub fn highest(&self) -> i128 {
        self.highest
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn is_opposite(&self, other: &Template) -> bool {
        let pairs = self.terms.iter().zip(&other.terms);
        self.terms.len() == other.terms.len()
            && pairs.into_iter().all(|(a, b)| a.0 == b.0 && a.1 == -b.1)
    }

    /// Its value in a state, a signed number of [`Template::width`] bits.
    pub fn value(&self, encoder: &mut Encoder<'_>, state: &State) -> Term {
        let program = encoder.program;
        let mut sum = encoder.pool.bv(self.width, 0);
        for &(var, factor) in &self.terms {
            let value = state.value(program, &encoder.slots, &mut encoder.pool, var);
            let signed = matches!(program.var(var).ty, Ty::Int { signed: true, .. });
            let pool = &mut encoder.pool;
            let value = pool.resize(value, self.width, signed);
            let factor = pool.bv_signed(self.width, factor);
            let product = pool.bv_mul(value, factor);
            sum = pool.bv_add(sum, product);
        }
        sum
    }
}

/// Makes the templates of places.
pub struct Templates {
    kinds: Vec<TemplateKind>,
    /// The linear expressions of the program, each without its constant.
    of_program: Vec<Template>,
}

impl Templates {
    pub fn new(program: &Program, kinds: &[TemplateKind]) -> Templates {
        let of_program = match kinds.contains(&TemplateKind::Program) {
            true => of_program(program),
            false => Vec::new(),
        };
        Templates {
            kinds: kinds.to_vec(),
            of_program,
        }
    }

    /// The templates over these variables, those that matter most first.
    pub fn over(&self, program: &Program, variables: &[VarId]) -> Vec<Template> {
        let integers = variables.iter().copied();
        let integers: Vec<VarId> = integers
            .filter(|&var| program.var(var).ty.is_int())
            .collect();
        let mut found = Vec::new();
        for kind in &self.kinds {
            self.add(program, *kind, &integers, &mut found);
        }
        let mut seen = FxHashSet::default();
        found.retain(|template| seen.insert(template.clone()));
        found.truncate(MAX_TEMPLATES);
        found
    }

    fn add(
        &self,
        program: &Program,
        kind: TemplateKind,
        variables: &[VarId],
        found: &mut Vec<Template>,
    ) {
        let mut add =
            |terms: &[(VarId, i128)]| found.extend(Template::new(program, terms.to_vec()));
        match kind {
            TemplateKind::Bounds => {
                for &x in variables {
                    add(&[(x, 1)]);
                    add(&[(x, -1)]);
                }
            }
            TemplateKind::Differences => {
                for (x, y) in pairs(program, variables) {
                    add(&[(x, 1), (y, -1)]);
                    add(&[(x, -1), (y, 1)]);
                }
            }
            TemplateKind::Sums => {
                for (x, y) in pairs(program, variables) {
                    add(&[(x, 1), (y, 1)]);
                    add(&[(x, -1), (y, -1)]);
                }
            }
            TemplateKind::Octagons => {
                for part in [
                    TemplateKind::Bounds,
                    TemplateKind::Differences,
                    TemplateKind::Sums,
                ] {
                    self.add(program, part, variables, found);
                }
            }
            TemplateKind::Rich => {
                for (x, y) in pairs(program, variables) {
                    for (a, b) in [(1, 2), (1, -2), (2, 1), (2, -1)] {
                        add(&[(x, a), (y, b)]);
                        add(&[(x, -a), (y, -b)]);
                    }
                }
                let few = &variables[..variables.len().min(MAX_IN_THREES)];
                for (number, &z) in few.iter().enumerate() {
                    let ty = |var: VarId| program.var(var).ty;
                    let earlier = pairs(program, &few[..number]).into_iter();
                    for (x, y) in earlier.filter(|&(x, _)| ty(x) == ty(z)) {
                        for (a, b) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                            add(&[(z, 1), (x, a), (y, b)]);
                            add(&[(z, -1), (x, -a), (y, -b)]);
                        }
                    }
                }
            }
            TemplateKind::Program => {
                let is_about = |template: &&Template| {
                    let mut own = template.terms.iter();
                    own.all(|(var, _)| variables.contains(var))
                };
                let own = self.of_program.iter().filter(is_about);
                found.extend(own.cloned());
            }
        }
    }
}

/// Variables of one type, two by two.
fn pairs(program: &Program, variables: &[VarId]) -> Vec<(VarId, VarId)> {
    let few = &variables[..variables.len().min(MAX_PAIRED)];
    let mut found = Vec::new();
    for (number, &x) in few.iter().enumerate() {
        let others = few[number + 1..].iter();
        let same = others.filter(|&&y| program.var(x).ty == program.var(y).ty);
        found.extend(same.map(|&y| (x, y)));
    }
    found
}

/// What the program compares, and what it assigns beside the variable that it assigns to; each in
/// both directions.
fn of_program(program: &Program) -> Vec<Template> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut note = |terms: BTreeMap<VarId, i128>| {
        for sign in [1, -1] {
            let terms = terms.iter().map(|(&var, &factor)| (var, sign * factor));
            if let Some(template) = Template::new(program, terms)
                && seen.insert(template.clone())
            {
                found.push(template);
            }
        }
    };
    for edge in &program.edges {
        match program.op(edge.op) {
            Op::Assume(condition) => {
                for (left, right) in comparisons(&program.pool, *condition) {
                    let mut terms = BTreeMap::new();
                    let mut parts = 0;
                    if add_linear(&program.pool, left, 1, &mut terms, &mut parts).is_some()
                        && add_linear(&program.pool, right, -1, &mut terms, &mut parts).is_some()
                    {
                        note(terms);
                    }
                }
            }
            Op::Assign(target, value) => {
                let mut terms = BTreeMap::from([(*target, -1)]);
                let mut parts = 0;
                if add_linear(&program.pool, *value, 1, &mut terms, &mut parts).is_some() {
                    note(terms);
                }
            }
            _ => {}
        }
    }
    found
}

/// The comparisons of integers in a condition.
fn comparisons(pool: &ExprPool, condition: ExprId) -> Vec<(ExprId, ExprId)> {
    let mut found = Vec::new();
    let mut stack = vec![condition];
    while let Some(id) = stack.pop() {
        match pool.node(id) {
            Node::Unary(UnOp::Not, inner) => stack.push(inner),
            Node::Binary(BinOp::BoolAnd | BinOp::BoolOr, a, b) => stack.extend([a, b]),
            Node::Binary(BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le, a, b)
                if pool.ty(a).is_int() =>
            {
                found.push((a, b));
            }
            _ => {}
        }
        if found.len() > MAX_PARTS {
            break;
        }
    }
    found
}

/// Adds `factor` times the expression, as if no operation wrapped; `None` if it is not linear.
/// What a template is worth does not depend on that: its bounds are looked for in any case.
fn add_linear(
    pool: &ExprPool,
    root: ExprId,
    factor: i128,
    terms: &mut BTreeMap<VarId, i128>,
    parts: &mut usize,
) -> Option<()> {
    let constant = |id: ExprId| match pool.node(id) {
        Node::Const(bits) => pool.ty(id).number(bits),
        _ => None,
    };
    let mut stack = vec![(root, factor)];
    while let Some((id, factor)) = stack.pop() {
        *parts += 1;
        if *parts > MAX_PARTS || !pool.ty(id).is_int() || factor.abs() > MAX_FACTOR {
            return None;
        }
        match pool.node(id) {
            Node::Const(_) => {}
            Node::Var(var) => *terms.entry(var).or_default() += factor,
            Node::Unary(UnOp::Neg, a) => stack.push((a, -factor)),
            Node::Unary(UnOp::Convert(_), a) => stack.push((a, factor)),
            Node::Binary(BinOp::Add, a, b) => stack.extend([(a, factor), (b, factor)]),
            Node::Binary(BinOp::Sub, a, b) => stack.extend([(a, factor), (b, -factor)]),
            Node::Binary(BinOp::Mul, a, b) => match (constant(a), constant(b)) {
                (Some(c), _) => stack.push((b, factor.checked_mul(c)?)),
                (_, Some(c)) => stack.push((a, factor.checked_mul(c)?)),
                _ => return None,
            },
            _ => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(program: &Program, template: &Template) -> Vec<(String, i128)> {
        let terms = template.terms().iter();
        terms
            .map(|&(var, factor)| (program.var(var).name.clone(), factor))
            .collect()
    }

    #[test]
    fn kinds_are_what_they_are_called() {
        let program = testing::program(
            "int main(void) { int x = 0, y = 0, z = 1; unsigned char c = 1;
            while (2 * x - y < 3 + z) { x = x + c; y = y + 1; }
            if (x > 10) reach_error(); return 0; }",
        );
        let variables: Vec<VarId> = (0..program.vars.len() as u32)
            .map(VarId)
            .filter(|&var| ["x", "y", "c"].contains(&program.var(var).name.as_str()))
            .collect();
        let over = |kind| Templates::new(&program, &[kind]).over(&program, &variables);
        assert_eq!(over(TemplateKind::Bounds).len(), 6);
        // Of x and y, which have one type.
        assert_eq!(over(TemplateKind::Differences).len(), 2);
        assert_eq!(over(TemplateKind::Sums).len(), 2);
        assert_eq!(over(TemplateKind::Octagons).len(), 10);
        assert_eq!(over(TemplateKind::Rich).len(), 8);
        let all: Vec<VarId> = (0..program.vars.len() as u32).map(VarId).collect();
        let own = Templates::new(&program, &[TemplateKind::Program]).over(&program, &all);
        let own: Vec<_> = own.iter().map(|each| named(&program, each)).collect();
        let wanted = [("x", 2), ("y", -1), ("z", -1)].map(|(name, c)| (name.to_owned(), c));
        let mut sorted: Vec<Vec<_>> = own.clone();
        sorted.iter_mut().for_each(|terms| terms.sort());
        assert!(sorted.contains(&wanted.to_vec()), "{own:?}");
    }

    #[test]
    fn values_have_bits_enough() {
        let program = testing::program(
            "int main(void) { unsigned a = 0; signed char b = 0; while (a < 9) { a++; b++; } return b; }",
        );
        let var = |name: &str| {
            let found = program.vars.iter().position(|var| var.name == name);
            VarId(found.expect("the program has it") as u32)
        };
        let template = |terms: &[(&str, i128)]| {
            let terms = terms.iter().map(|&(name, factor)| (var(name), factor));
            Template::new(&program, terms)
        };
        let highest = |terms| template(terms).map(|it| (it.highest(), it.width()));
        assert_eq!(highest(&[("a", 1)]), Some(((1 << 32) - 1, 33)));
        assert_eq!(highest(&[("a", -1)]), Some((0, 33)));
        assert_eq!(highest(&[("b", -1)]), Some((128, 9)));
        assert_eq!(
            highest(&[("a", 2), ("b", -3)]),
            Some(((1 << 33) - 2 + 384, 35))
        );
        assert_eq!(highest(&[("a", 1), ("a", -1)]), None);
        assert_eq!(highest(&[("a", MAX_FACTOR + 1)]), None);
    }
}
