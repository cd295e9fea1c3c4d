//! Where a program can tell which addresses its objects got.
//!
//! C promises of addresses only that live objects do not overlap, are aligned and not null (and no
//! object lies in the first or last page of the address space: see `docs/undefined-behaviour.md`).
//! Formulas choose one placement of all objects, so a proof by formulas is one for all placements
//! only if no value of the program depends on the choice. This analysis lists the places where one
//! may: the order of pointers into different objects, their distance, arithmetic on the bits of an
//! address, equality of an address and a number, comparison and distance of pointers of which one
//! may have outlived its object while a new one took its place, equality of string literals, which
//! may share their bytes, and of the end of one object with another object, and operations on as
//! many bytes as an address says.
//!
//! What may hold an address is what the points-to analysis says. An address that is moved by a
//! number stays inside its object: pointer arithmetic that leaves it is undefined, and so is not
//! counted.

use super::carried::{Carried, Origin, PAGE, is_outside_all_objects};
use super::kin::Kin;
use super::outlived::objects_of_one_life;
use super::points_to::{PointsTo, alignment};
use super::reuse::ReusedNodes;
use super::shape::{NodeId, Pointer};
use super::tested::When;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::outside;
use cfa::program::{EdgeId, Program};
use rustc_hash::FxHashSet;
use syntax::span::Span;

/// How a place depends on the choice of addresses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Observation {
    Order,
    Distance,
    Arithmetic,
    Number,
    Reused,
    Literals,
    Adjacent,
}

impl Observation {
    pub fn text(self) -> &'static str {
        match self {
            Observation::Order => "the order of addresses is compared",
            Observation::Distance => "pointers to different objects are subtracted",
            Observation::Arithmetic => "the program computes with the bits of an address",
            Observation::Number => "an address is compared with a number",
            Observation::Reused => {
                "a dangling pointer is compared, and a new object may have the same address"
            }
            Observation::Adjacent => {
                "a pointer one past the end of an object is compared with a pointer to another object"
            }
            Observation::Literals => "addresses of string literals are compared",
        }
    }
}

/// The places where the program may observe addresses, in the order of their first occurrence.
#[must_use]
pub fn observed_addresses(program: &Program) -> Vec<(Span, Observation)> {
    let mut seen = FxHashSet::default();
    let found = observing_operands(program).into_iter();
    let places = found.map(|found| (program.edge(found.edge).span, found.how));
    places.filter(|place| seen.insert(*place)).collect()
}

/// An expression of an operation in which addresses may be observed.
pub(super) struct ObservingOperand {
    pub(super) edge: EdgeId,
    pub(super) expr: ExprId,
    pub(super) how: Observation,
    /// Only if one of these pointers is null; if there is none, always.
    pub(super) if_null: Vec<ExprId>,
}

/// All of them, in the order of the edges.
pub(super) fn observing_operands(program: &Program) -> Vec<ObservingOperand> {
    let mut observer = Observer::of(program);
    let mut reused = ReusedNodes::of(program, &mut observer.points_to);
    observer.operands(&mut reused)
}

/// Of truth-valued expressions of another pool about states of the program: may it depend on the
/// choice of addresses whether they hold? A proof by induction gives objects other addresses in its
/// hypothesis than they have where executions begin, so such an expression must not be part of it.
#[must_use]
pub fn observing_claims(program: &Program, pool: &ExprPool, claims: &[ExprId]) -> Vec<bool> {
    let mut program = program.clone();
    let claims: Vec<ExprId> = claims
        .iter()
        .map(|&claim| program.pool.import(pool, claim))
        .collect();
    let observer = Observer::of(&program);
    claims
        .iter()
        .map(|&claim| {
            observer.found[claim.0 as usize].is_some()
                || observer.relates(claim)
                || tells_distance(&program.pool, claim)
        })
        .collect()
}

/// Distances from the start of an object that no two objects have: formulas place those of a
/// program that watches its memory farther apart.
const NO_DISTANCE: u128 = 1 << 16;

/// Whether a claim compares the distance of a pointer from the start of an object with what may be
/// the distance of two objects.
fn tells_distance(pool: &ExprPool, claim: ExprId) -> bool {
    let (mut is_about_offsets, mut is_far) = (false, false);
    let mut open = vec![claim];
    let mut seen = FxHashSet::default();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        is_about_offsets |= pool.is_object_offset(id);
        let node = pool.node(id);
        if let Node::Const(bits) = node {
            let width = u32::from(pool.ty(id).width());
            let negated = arith::int::truncate(bits.wrapping_neg(), width);
            is_far |= bits.min(negated) >= NO_DISTANCE;
        }
        open.extend(node.children());
    }
    is_about_offsets && is_far
}

fn pointers_to_objects(
    program: &Program,
    points_to: &mut PointsTo,
    carried: &Carried,
) -> Vec<Option<Pointer>> {
    let pointer = |number| {
        let id = ExprId(number);
        let traits = carried.value(id);
        if !traits.address || program.pool.is_object_offset(id) {
            return None;
        }
        let pointer = points_to.address(id);
        // What only the outside points to has no place that we chose.
        let has_objects = !points_to.shapes.node(pointer.node).objects.is_empty();
        (has_objects || traits.function).then_some(pointer)
    };
    (0..program.pool.len() as u32).map(pointer).collect()
}

pub(super) struct Observer<'a> {
    pub(super) program: &'a Program,
    pub(super) points_to: PointsTo,
    pub(super) carried: Carried,
    /// Where in which objects an expression's value may be an address.
    pointers: Vec<Option<Pointer>>,
    /// The first observation in the tree under each expression.
    pub(super) found: Vec<Option<Observation>>,
    /// Nodes whose pointers to objects that may have died are compared for equality in the
    /// tree under each expression.
    compared: Vec<Option<Vec<(NodeId, NodeId)>>>,
    /// Which values are computed from observations of addresses. A pointer that such a number moves
    /// may leave its object for another one, and where it arrives there depends on the placement.
    pub(super) derived: Vec<bool>,
    /// By object, see [`objects_of_one_life`].
    one_life: Vec<bool>,
    /// Addresses that were moved from the same parameter.
    kin: Kin,
    /// Nodes of which an integer was compared with an address, and what came of it is open.
    met: FxHashSet<NodeId>,
}

impl<'a> Observer<'a> {
    /// Knows all observations in the program's expressions.
    fn of(program: &'a Program) -> Observer<'a> {
        let mut points_to = PointsTo::of(program);
        let carried = Carried::of(program, &mut points_to);
        let pointers = pointers_to_objects(program, &mut points_to, &carried);
        let one_life = objects_of_one_life(program, &mut points_to, &carried);
        let kin = Kin::of(program, &carried);
        let mut observer = Observer {
            program,
            kin,
            one_life,
            points_to,
            carried,
            pointers,
            found: vec![None; program.pool.len()],
            compared: vec![None; program.pool.len()],
            derived: vec![false; program.pool.len()],
            met: FxHashSet::default(),
        };
        observer.look_at_expressions();
        observer.find_derived();
        observer.find_met();
        observer.look_at_expressions();
        observer
    }

    /// Finds the nodes of which an integer was compared with an address, where the outcome is open.
    fn find_met(&mut self) {
        let mut again = FxHashSet::default();
        for number in 0..self.program.pool.len() {
            let node = self.program.pool.node(ExprId(number as u32));
            let Node::Binary(op, a, b) = node else {
                continue;
            };
            let is_integer = |expr| self.carried.value(expr).integer;
            if let (Some(p), Some(q)) = (self.node(a), self.node(b))
                && !self.program.pool.is_object_offset(ExprId(number as u32))
                && (op.is_comparison() || op == BinOp::Sub)
                && (is_integer(a) || is_integer(b))
            {
                if self.observation(ExprId(number as u32), node).is_some() {
                    self.met.extend([p, q]);
                }
                again.insert((p, q));
            }
        }
        let mut reused = ReusedNodes::of(self.program, &mut self.points_to);
        for edge in &self.program.edges {
            for expr in self.program.op(edge.op).expressions() {
                for &(p, q) in self.compared[expr.0 as usize].iter().flatten() {
                    if again.contains(&(p, q)) && reused.at(edge.source, p, q) {
                        self.met.extend([p, q]);
                    }
                }
            }
        }
    }

    /// Where the integer leads depends on which objects it was found to be an address of: a new one
    /// may lie where its own was, or behind it. (A pointer leads to its own object, or C gives the
    /// access no meaning.)
    fn leads_elsewhere(&self, address: ExprId) -> bool {
        let node = self.node(address);
        self.carried.value(address).integer && node.is_some_and(|node| self.met.contains(&node))
    }

    fn node(&self, expr: ExprId) -> Option<NodeId> {
        Some(self.pointers[expr.0 as usize]?.node)
    }

    fn look_at_expressions(&mut self) {
        for number in 0..self.program.pool.len() {
            let id = ExprId(number as u32);
            let node = self.program.pool.node(id);
            let below = node
                .children()
                .find_map(|child| self.found[child.0 as usize]);
            self.found[number] = below.or_else(|| self.observation(id, node));
            let mut compared: Vec<(NodeId, NodeId)> = Vec::new();
            for child in node.children() {
                let inner = self.compared[child.0 as usize].iter().flatten();
                compared.extend(inner);
            }
            if let Node::Binary(BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Sub, a, b) =
                node
                && let (Some(p), Some(q)) = (self.node(a), self.node(b))
                && self.carried.value(a).mortal
                && self.carried.value(b).mortal
                // Where memory is watched, a dangling pointer points into no object, whatever lies
                // there now.
                && !self.program.pool.is_object_offset(id)
                && !self.in_one_object(a, b)
            {
                compared.push((p, q));
            }
            if !compared.is_empty() {
                compared.sort_unstable();
                compared.dedup();
                self.compared[number] = Some(compared);
            }
        }
    }

    /// Whether a moved pointer is compared with one into another object, somewhere in the
    /// expression: programs do not get there, claims may.
    fn relates(&self, expr: ExprId) -> bool {
        let pool = &self.program.pool;
        let mut open = vec![expr];
        let mut seen = FxHashSet::default();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = pool.node(id);
            if let Node::Binary(BinOp::Eq | BinOp::Ne, a, b) = node
                && self.node(a).is_some()
                && self.node(b).is_some()
                && (self.carried.value(a).moved || self.carried.value(b).moved)
                && !self.in_one_object(a, b)
            {
                return true;
            }
            open.extend(node.children());
        }
        false
    }

    /// Whatever is not known to come to the same with every placement is an observation.
    pub(super) fn observation(&self, id: ExprId, node: Node) -> Option<Observation> {
        if self.program.pool.is_object_offset(id) {
            return None;
        }
        let carries = |expr: ExprId| self.node(expr).is_some();
        // The negation asks the same.
        let asked = match node {
            Node::Binary(BinOp::Le, a, b) => Node::Binary(BinOp::Lt, b, a),
            node => node,
        };
        if let Some(pointer) = outside::question(&self.program.pool, asked, self.program.model) {
            let is_lost = carries(pointer) && self.carried.value(pointer).wandered;
            return is_lost.then_some(Observation::Order);
        }
        let partial = |expr: ExprId| {
            let traits = self.carried.value(expr);
            carries(expr) && (traits.partial || traits.mixed)
        };
        // Where a part of an address leads depends on the address. (A mixture is none, unless by
        // chance.)
        let is_part = |expr: ExprId| carries(expr) && self.carried.value(expr).partial;
        let pointer_bits = self.program.model.pointer_bits();
        let is_int = |expr: ExprId| self.program.pool.ty(expr).is_int();
        let derived = |expr: ExprId| self.derived[expr.0 as usize];
        match node {
            Node::Unary(op, a) if carries(a) => match op {
                UnOp::Convert(ty) if ty.is_int() && is_int(a) => None,
                UnOp::Reinterpret(_) => None,
                _ => Some(Observation::Arithmetic),
            },
            Node::Load { address, .. }
                if is_part(address) || derived(address) || self.leads_elsewhere(address) =>
            {
                Some(Observation::Arithmetic)
            }
            Node::Fma(a, b, c) if [a, b, c].into_iter().any(carries) => {
                Some(Observation::Arithmetic)
            }
            // In another width than that of pointers nothing wraps around where addresses do.
            Node::Binary(op, a, b)
                if (carries(a) || carries(b))
                    && (!is_int(a) || self.program.pool.ty(a).width() != pointer_bits) =>
            {
                Some(match op {
                    BinOp::Lt | BinOp::Le => Observation::Order,
                    _ => Observation::Arithmetic,
                })
            }
            Node::Binary(op, a, b) if carries(a) || carries(b) => match op {
                BinOp::Add if carries(a) && carries(b) => Some(Observation::Arithmetic),
                BinOp::Add | BinOp::Sub if derived(a) || derived(b) => {
                    Some(Observation::Arithmetic)
                }
                BinOp::Add => None,
                BinOp::Sub if partial(a) || partial(b) => Some(Observation::Arithmetic),
                BinOp::Sub if carries(a) && carries(b) => {
                    // The distance of null is an address turned round. (That from null is an
                    // address itself.)
                    let is_null = self.carried.value(a).near.is_possible();
                    let is_distance =
                        self.in_one_object(a, b) && !self.may_be_number(a, b) && !is_null;
                    (!is_distance).then_some(Observation::Distance)
                }
                BinOp::Sub if carries(a) => None,
                BinOp::And | BinOp::Rem if !derived(a) && self.is_low_part(op, a, b) => None,
                BinOp::Eq | BinOp::Ne => self.equality(a, b),
                BinOp::Lt | BinOp::Le => self.order(a, b),
                _ => Some(Observation::Arithmetic),
            },
            _ => None,
        }
    }

    /// Bits of an address that its object's alignment leaves to the distance from the object's start.
    fn is_low_part(&self, op: BinOp, a: ExprId, b: ExprId) -> bool {
        let traits = self.carried.value(a);
        let Some(node) = self.node(a) else {
            return false;
        };
        let is_whole = !traits.partial && !traits.mixed && !traits.function;
        is_whole && is_low_part(self.program, &self.points_to, node, (op, a, b))
    }

    fn equality(&self, a: ExprId, b: ExprId) -> Option<Observation> {
        let carried = &self.carried;
        let (x, y) = (carried.value(a), carried.value(b));
        if x.partial || y.partial || (x.mixed || y.mixed) && !self.is_null(a) && !self.is_null(b) {
            return Some(Observation::Arithmetic);
        }
        let has_wandered = x.wandered || y.wandered;
        match (self.node(a), self.node(b)) {
            // That a number is the address of a function by chance is not counted, as for calls.
            // What another address was moved by is no chance.
            (Some(_), Some(_)) if self.is_function(a) || self.is_function(b) => {
                (x.moved || y.moved).then_some(Observation::Distance)
            }
            (Some(_), Some(_)) if self.may_be_number(a, b) => Some(Observation::Number),
            // How far the objects lie apart.
            (Some(_), Some(_)) if has_wandered && !self.in_one_object(a, b) => {
                Some(Observation::Distance)
            }
            (Some(_), Some(_)) => {
                let literals = carried.value(a).literal && carried.value(b).literal;
                if literals && !self.in_one_object(a, b) {
                    return Some(Observation::Literals);
                }
                self.one_behind_another(a, b)
            }
            (Some(_), None) => (has_wandered || y.may_be_number()).then_some(Observation::Number),
            (None, _) => (has_wandered || x.may_be_number()).then_some(Observation::Number),
        }
    }

    fn is_function(&self, expr: ExprId) -> bool {
        match self.program.pool.node(expr) {
            Node::Address(object) => {
                matches!(self.program.object(object).kind, ObjectKind::Function(_))
            }
            _ => false,
        }
    }

    fn is_null(&self, expr: ExprId) -> bool {
        self.program.pool.as_constant(expr) == Some(0)
    }

    /// The place behind an object may be the beginning of the next one.
    fn one_behind_another(&self, a: ExprId, b: ExprId) -> Option<Observation> {
        if self.in_one_object(a, b) {
            return None;
        }
        (self.is_behind(a, b) || self.is_behind(b, a)).then_some(Observation::Adjacent)
    }

    /// The one value may be the place behind an object, the other the beginning of another object.
    fn is_behind(&self, end: ExprId, start: ExprId) -> bool {
        let (Some(p), Some(q)) = (
            self.pointers[end.0 as usize],
            self.pointers[start.0 as usize],
        ) else {
            return false;
        };
        let is_moved = self.carried.value(end).moved;
        let at = |pointer: Pointer, offset: i64| {
            let apart = pointer.offset.wrapping_sub(offset);
            match self.points_to.shapes.node(pointer.node).stride {
                0 => apart == 0,
                stride => apart % stride == 0,
            }
        };
        let object = |id| self.program.object(id);
        let ends = self.objects_of(end, p.node).into_iter();
        let ends = ends.filter(|&(id, base)| match object(id).size {
            // Nothing has to be moved to be behind an empty object.
            Some(size) => (is_moved || size == 0) && at(p, base.saturating_add_unsigned(size)),
            None => is_moved,
        });
        let starts = self.objects_of(start, q.node).into_iter();
        let starts: Vec<_> = starts.filter(|&(_, base)| at(q, base)).collect();
        ends.into_iter().any(|(first, _)| {
            starts.iter().any(|&(second, _)| {
                let is_other = first != second || !self.one_life[first.0 as usize];
                is_other && self.may_be_adjacent(first, second)
            })
        })
    }

    /// The second may begin where the first ends, by size and alignment. Nothing is said of
    /// functions: they are no objects.
    fn may_be_adjacent(&self, first: ObjectId, second: ObjectId) -> bool {
        let is_function = |id| matches!(self.program.object(id).kind, ObjectKind::Function(_));
        if is_function(first) || is_function(second) {
            return false;
        }
        let aligns = [first, second].map(|id| alignment(self.program, id).unsigned_abs());
        let common = aligns[0].min(aligns[1]);
        let size = self.program.object(first).size;
        !common.is_power_of_two() || size.is_none_or(|size| size % common == 0)
    }

    /// The objects that the value may be an address of, and where they begin in the node.
    fn objects_of(&self, expr: ExprId, node: NodeId) -> Vec<(ObjectId, i64)> {
        let objects = self.points_to.shapes.node(node).objects.iter().copied();
        match self.carried.value(expr).origin {
            Origin::One(only) => objects.filter(|(object, _)| *object == only).collect(),
            _ => objects.collect(),
        }
    }

    fn order(&self, a: ExprId, b: ExprId) -> Option<Observation> {
        let carried = &self.carried;
        let (x, y) = (carried.value(a), carried.value(b));
        let partial = x.partial || y.partial || x.mixed || y.mixed || x.wandered || y.wandered;
        match (self.node(a), self.node(b)) {
            (Some(_), Some(_))
                if !partial && self.in_one_object(a, b) && !self.may_be_number(a, b) =>
            {
                None
            }
            (Some(_), None) if !partial && self.is_bound(b) => None,
            (None, Some(_)) if !partial && self.is_bound(a) => None,
            _ => Some(Observation::Order),
        }
    }

    /// One of the values may be a number instead of an address.
    pub(super) fn may_be_number(&self, a: ExprId, b: ExprId) -> bool {
        self.carried.value(a).may_be_number() || self.carried.value(b).may_be_number()
    }

    /// All addresses lie on the same side of the constant.
    fn is_bound(&self, constant: ExprId) -> bool {
        let pool = &self.program.pool;
        let Some(bits) = pool.as_constant(constant) else {
            return false;
        };
        let ty = pool.ty(constant);
        let model = self.program.model;
        let is_bound = is_outside_all_objects(bits, ty, model) || bits == PAGE;
        // As signed numbers, addresses of the upper half of a small address space are negative.
        is_bound && (!ty.is_signed() || ty.width() > 32)
    }

    /// Both are addresses of the same object, in the same life.
    pub(super) fn in_one_object(&self, a: ExprId, b: ExprId) -> bool {
        if self.node(a).is_none() || self.node(b).is_none() {
            return false;
        }
        match (self.carried.value(a).origin, self.carried.value(b).origin) {
            (Origin::One(p), Origin::One(q)) => p == q && self.one_life[p.0 as usize],
            _ => a == b || self.kin.are_kin(a, b),
        }
    }

    fn operands(self, reused: &mut ReusedNodes<'_>) -> Vec<ObservingOperand> {
        let mut operands = Vec::new();
        for (number, edge) in self.program.edges.iter().enumerate() {
            let op = self.program.op(edge.op);
            let addresses = op.addresses();
            for expr in op.expressions() {
                let compared = self.compared[expr.0 as usize].iter().flatten();
                let mut compared = compared.copied();
                let again = compared.any(|(p, q)| reused.at(edge.source, p, q));
                let mut if_null = Vec::new();
                let found = match self.found[expr.0 as usize] {
                    Some(Observation::Distance) => {
                        match self.observed_at(EdgeId(number as u32), expr) {
                            When::Never => None,
                            When::Always(how) => Some(how),
                            When::Null(pointers) => {
                                if_null = pointers;
                                None
                            }
                        }
                    }
                    found => found,
                };
                let is_partial = self.node(expr).is_some() && self.carried.value(expr).partial;
                let is_partial = is_partial || self.derived[expr.0 as usize];
                let is_partial = is_partial || self.leads_elsewhere(expr);
                let is_partial = is_partial && addresses.contains(&expr);
                let found = found.or(is_partial.then_some(Observation::Arithmetic));
                let found = found.or(again.then_some(Observation::Reused));
                // Whether so many bytes are there tells how large the number is.
                let is_count = self.node(expr).is_some() && op.counts().contains(&expr);
                let found = found.or(is_count.then_some(Observation::Arithmetic));
                let found = match found {
                    Some(_) => {
                        if_null.clear();
                        found
                    }
                    None => (!if_null.is_empty()).then_some(Observation::Distance),
                };
                operands.extend(found.map(|how| ObservingOperand {
                    edge: EdgeId(number as u32),
                    expr,
                    how,
                    if_null,
                }));
            }
        }
        operands
    }
}

/// Whether an operation looks only at bits of an address that are the same with every placement: a
/// start of an object is a multiple of the object's alignment.
pub(super) fn is_low_part(
    program: &Program,
    points_to: &PointsTo,
    node: NodeId,
    (op, a, b): (BinOp, ExprId, ExprId),
) -> bool {
    let pool = &program.pool;
    let ty = pool.ty(a);
    let Some(number) = pool.as_constant(b) else {
        return false;
    };
    let multiple = match op {
        BinOp::And => number
            .checked_add(1)
            .and_then(u128::checked_next_power_of_two),
        BinOp::Rem => (number.is_power_of_two() && !ty.is_signed()).then_some(number),
        _ => None,
    };
    let Some(multiple) = multiple else {
        return false;
    };
    let is_aligned = |object: ObjectId| {
        let is_function = matches!(program.object(object).kind, ObjectKind::Function(_));
        let align = u128::from(alignment(program, object).unsigned_abs());
        !is_function && align.is_power_of_two() && align >= multiple
    };
    let mut objects = points_to.shapes.node(node).objects.iter();
    ty.is_int()
        && ty.width() == program.model.pointer_bits()
        && objects.all(|&(object, _)| is_aligned(object))
}

#[cfg(test)]
mod tests;
