//! Which values may be addresses of the program's objects: flows from where addresses are taken,
//! along assignments, stores, copies and calls, whatever their order. The points-to analysis says
//! which accesses meet; it unites what a pointer may point to, so whether a value is an address at
//! all is asked here anew.

use super::near::Near;
use super::observed::is_low_part;
use super::points_to::PointsTo;
use super::shape::{NodeId, Pointer};
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::{InputKind, Op};
use cfa::program::{Binding, Program, VariableKind};
use cfa::value::Ty;
use rustc_hash::FxHashMap;
use syntax::types::DataModel;

/// No object lies below this address, nor so near to the end of the address space.
pub(super) const PAGE: u128 = 4096;

/// Pointers of one cell that are told apart by their distance from the beginning of the object.
const MAX_TOLD_APART: usize = 64;

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Traits {
    /// It may be an address of an object of the program, or be computed from one.
    pub address: bool,
    /// It may be a part of an address only: some of its bytes, or cut off.
    pub partial: bool,
    /// It may be a mixture of bytes of an address and of other values.
    pub mixed: bool,
    /// It may be the address of a function.
    pub function: bool,
    /// It may be the address of a string literal.
    pub literal: bool,
    /// It may be the address of an object that does not live as long as the program.
    pub mortal: bool,
    /// It may be an address that was moved from where its object begins.
    pub moved: bool,
    /// It may have left its object as an integer, and so gone round the address space.
    pub wandered: bool,
    /// It may be an address that was an integer of the program on its way.
    pub integer: bool,
    /// It may be a number that is no address and not null.
    pub number: bool,
    /// It may have no value yet: any number, unless it is used as an address that it may be
    /// instead.
    pub unset: bool,
    /// It may be null or the like.
    pub near: Near,
    /// Of which object it is an address, if it is one.
    pub origin: Origin,
    /// How far from the beginning of its object it lies, if it is an address.
    offset: Offset,
}

/// Distances from the beginning of an object, whichever object it is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Offset {
    #[default]
    None,
    At(i64),
    Any,
}

impl Offset {
    fn or(self, other: Offset) -> Offset {
        match (self, other) {
            (Offset::None, known) | (known, Offset::None) => known,
            (a, b) if a == b => a,
            _ => Offset::Any,
        }
    }

    fn moved(self, by: Option<i64>) -> Offset {
        match (self, by) {
            (Offset::None, _) => Offset::None,
            (Offset::At(at), Some(by)) => at.checked_add(by).map_or(Offset::Any, Offset::At),
            _ => Offset::Any,
        }
    }
}

/// The objects that an address may be one of.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Origin {
    #[default]
    None,
    One(ObjectId),
    Several,
}

impl Origin {
    fn or(self, other: Origin) -> Origin {
        match (self, other) {
            (Origin::None, known) | (known, Origin::None) => known,
            (a, b) if a == b => a,
            _ => Origin::Several,
        }
    }
}

impl Traits {
    fn or(self, other: Traits) -> Traits {
        Traits {
            address: self.address || other.address,
            partial: self.partial || other.partial,
            mixed: self.mixed || other.mixed,
            function: self.function || other.function,
            literal: self.literal || other.literal,
            mortal: self.mortal || other.mortal,
            moved: self.moved || other.moved,
            wandered: self.wandered || other.wandered,
            integer: self.integer || other.integer,
            number: self.number || other.number,
            unset: self.unset || other.unset,
            near: self.near.or(other.near),
            origin: self.origin.or(other.origin),
            offset: self.offset.or(other.offset),
        }
    }

    /// It may be a number that the program has made, or one that happens to be in a place without a
    /// value.
    pub fn may_be_number(self) -> bool {
        self.number || self.unset && !self.address
    }

    /// An address that is moved (by a constant or something else) stays one. If it is null instead,
    /// it is the distance.
    fn moved_by(self, by: Option<i64>) -> Traits {
        let (near, is_number) = self.near.moved(by);
        Traits {
            moved: true,
            number: self.number || is_number,
            near,
            offset: self.offset.moved(by),
            ..self
        }
    }

    /// How far from the beginning of its object an access at this address lies, if that is always
    /// the same. An address that was an integer leads wherever its value is one.
    fn exact(self) -> Option<i64> {
        let is_pointer = self.address
            && !(self.partial || self.mixed || self.function)
            && !(self.wandered || self.integer);
        match self.offset {
            Offset::At(at) if is_pointer => Some(at),
            _ => None,
        }
    }
}

/// Values in memory that are told apart: those of one cell, whatever the types that they are
/// written and read in; and within a cell, in which all elements of an array lie or all bytes of a
/// record that is walked over, those that are written at one distance from the beginning of their
/// object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Slot {
    node: NodeId,
    start: i64,
    /// Which bytes of their object, if that is known.
    bytes: Option<Bytes>,
}

impl Slot {
    fn anywhere(node: NodeId, start: i64) -> Slot {
        let bytes = None;
        Slot { node, start, bytes }
    }
}

/// So many bytes, so far from the beginning of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Bytes {
    first: i64,
    count: i64,
}

impl Bytes {
    /// Bytes that meet no others.
    const NONE: Bytes = Bytes { first: 0, count: 0 };

    fn shifted(self, by: i64) -> Option<Bytes> {
        let first = self.first.checked_add(by)?;
        first.checked_add(self.count)?;
        Some(Bytes { first, ..self })
    }

    /// Of an access in the width of a type.
    fn of(address: Traits, ty: Ty) -> Option<Bytes> {
        let first = address.exact()?;
        let count = i64::from(ty.width()).checked_add(7)? / 8;
        first.checked_add(count)?;
        Some(Bytes { first, count })
    }

    fn meets(self, other: Bytes) -> bool {
        let is_empty = self.count == 0 || other.count == 0;
        let begins = self.first.max(other.first);
        !is_empty && begins < self.first + self.count && begins < other.first + other.count
    }
}

/// The traits of all values: flows along assignments, stores, copies and calls, whatever their
/// order.
pub(super) struct Carried {
    values: Vec<Traits>,
    vars: Vec<Traits>,
    slots: FxHashMap<Slot, Traits>,
    /// The bytes that are told apart in each cell.
    told_apart: FxHashMap<(NodeId, i64), Vec<Bytes>>,
    /// Accesses through what is no address count too, as accesses anywhere in the cell. Before all
    /// addresses are known they would tell nothing apart.
    knows_addresses: bool,
    changed: bool,
}

impl Carried {
    pub fn of(program: &Program, points_to: &mut PointsTo) -> Carried {
        let mut carried = Carried {
            values: vec![Traits::default(); program.pool.len()],
            vars: vec![Traits::default(); program.vars.len()],
            slots: FxHashMap::default(),
            told_apart: FxHashMap::default(),
            knows_addresses: false,
            changed: true,
        };
        carried.run(program, points_to);
        carried.knows_addresses = true;
        carried.changed = true;
        carried.run(program, points_to);
        // What was not known to be an address yet counted as a number. Now that addresses are
        // known, numbers and what is near null are collected anew.
        let known = carried.vars.iter_mut().chain(carried.slots.values_mut());
        known.for_each(|traits| {
            traits.number = false;
            traits.near = Near::NEVER;
        });
        carried.changed = true;
        carried.run(program, points_to);
        carried
    }

    fn run(&mut self, program: &Program, points_to: &mut PointsTo) {
        while std::mem::take(&mut self.changed) {
            for number in 0..program.pool.len() {
                let id = ExprId(number as u32);
                self.values[number] = self.value_of(program, points_to, id);
            }
            for edge in &program.edges {
                self.operation(program, points_to, program.op(edge.op));
            }
        }
    }

    pub fn value(&self, expr: ExprId) -> Traits {
        self.values[expr.0 as usize]
    }

    /// Of each variable.
    pub fn variables(&self) -> &[Traits] {
        &self.vars
    }

    /// Of what lies in memory, by place.
    pub fn cells(&self) -> impl Iterator<Item = (Pointer, Traits)> {
        self.slots.iter().map(|(slot, &traits)| {
            let place = Pointer {
                node: slot.node,
                offset: slot.start,
            };
            (place, traits)
        })
    }

    fn value_of(&self, program: &Program, points_to: &mut PointsTo, id: ExprId) -> Traits {
        let pool = &program.pool;
        let ty = pool.ty(id);
        let plain_number = Traits {
            number: true,
            ..Traits::default()
        };
        let moved = |from: Traits, by| Traits {
            wandered: from.wandered || pool.is_sum_of_integers(id) && points_to.is_wandered(id),
            ..from.moved_by(by)
        };
        let mut traits = match pool.node(id) {
            Node::Const(bits) if is_outside_all_objects(bits, ty, program.model) => Traits {
                near: if bits == 0 {
                    Near::NULL
                } else {
                    Near::LIKE_NULL
                },
                ..Traits::default()
            },
            Node::Const(_) => plain_number,
            Node::Var(var) => self.vars[var.0 as usize],
            Node::Address(object) => Traits {
                address: true,
                origin: Origin::One(object),
                offset: Offset::At(0),
                function: matches!(program.object(object).kind, ObjectKind::Function(_)),
                literal: program.object(object).kind == ObjectKind::StringLiteral,
                mortal: matches!(program.object(object).kind, ObjectKind::Local(_)),
                ..Traits::default()
            },
            Node::Load { address, .. } if self.waits_for(address) => Traits::default(),
            Node::Load { address, .. } => {
                let pointer = points_to.address(address);
                let bytes = Bytes::of(self.value(address), ty);
                let mut traits = self.read(points_to, pointer, bytes);
                traits.mixed |= traits.address && !is_whole(program, points_to, pointer);
                traits
            }
            Node::Unary(UnOp::Convert(_) | UnOp::Reinterpret(_), a) => self.value(a),
            Node::Ite(_, a, b) => self.value(a).or(self.value(b)),
            Node::Binary(BinOp::Add, a, b) => match (self.value(a), self.value(b)) {
                (from, by) if from.address && !by.address => moved(from, distance(pool, b)),
                (by, from) if from.address && !by.address => moved(from, distance(pool, a)),
                (a, b) => a.or(b).or(plain_number),
            },
            Node::Binary(..) if pool.is_object_offset(id) => Traits {
                near: Near::LIKE_NULL,
                ..Traits::default()
            },
            Node::Binary(BinOp::Sub, a, b) => match (self.value(a), self.value(b)) {
                (from, by) if from.address && !by.address => {
                    let back = distance(pool, b).and_then(i64::checked_neg);
                    let offset = from.offset.moved(back);
                    let traits = moved(from, distance(pool, b));
                    Traits { offset, ..traits }
                }
                // An address, if the other one is null.
                (from, by) if from.address && by.near.is_possible() => {
                    moved(from, None).or(plain_number)
                }
                // The distance of two pointers is a number.
                _ => plain_number,
            },
            Node::Binary(op, ..) if op.is_comparison() => plain_number,
            Node::Binary(BinOp::And, a, b) if self.is_low_part(program, points_to, a, b) => {
                plain_number
            }
            Node::Binary(BinOp::And | BinOp::Or | BinOp::Xor, a, b) => {
                self.value(a).or(self.value(b)).or(plain_number)
            }
            Node::Binary(BinOp::Shl | BinOp::Shr, a, _) | Node::Unary(_, a) => {
                self.value(a).or(plain_number)
            }
            Node::Binary(..) | Node::Fma(..) => plain_number,
        };
        if ty == Ty::Bool {
            traits = plain_number;
        }
        traits.partial |= traits.address && ty.width() < program.model.pointer_bits();
        let is_kept = match pool.node(id) {
            Node::Binary(op, ..) => matches!(op, BinOp::Add | BinOp::Sub),
            Node::Unary(op, _) => matches!(op, UnOp::Convert(_) | UnOp::Reinterpret(_)),
            _ => true,
        };
        if !is_kept && traits.address {
            traits.offset = Offset::Any;
        }
        traits
    }

    /// The access may turn out to be one through an address.
    fn waits_for(&self, address: ExprId) -> bool {
        !self.knows_addresses && !self.value(address).address
    }

    /// See [`is_low_part`].
    fn is_low_part(
        &self,
        program: &Program,
        points_to: &mut PointsTo,
        a: ExprId,
        mask: ExprId,
    ) -> bool {
        let traits = self.value(a);
        if !traits.address || traits.partial || traits.mixed || traits.function {
            return false;
        }
        let node = points_to.address(a).node;
        is_low_part(program, points_to, node, (BinOp::And, a, mask))
    }

    /// What an access at the place may see, which is to these bytes of its object if that is known.
    fn read(&self, points_to: &mut PointsTo, pointer: Pointer, bytes: Option<Bytes>) -> Traits {
        let mut traits = Traits::default();
        if let Some((node, start)) = points_to.shapes.cell_at(pointer) {
            let told_apart = self.told_apart.get(&(node, start)).into_iter().flatten();
            let met = told_apart.filter(|other| bytes.is_none_or(|bytes| bytes.meets(**other)));
            for bytes in met.copied().map(Some).chain([None]) {
                let slot = Slot { node, start, bytes };
                traits = traits.or(self.slots.get(&slot).copied().unwrap_or_default());
            }
        }
        let (zeroed, unset) = points_to.initially(pointer);
        traits.near = traits
            .near
            .or(if zeroed { Near::NULL } else { Near::NEVER });
        // Where pointers lie, what has no value is not taken for null: the distances of all
        // pointers in memory would be numbers.
        traits.unset |= unset;
        traits
    }

    fn write(
        &mut self,
        points_to: &mut PointsTo,
        pointer: Pointer,
        bytes: Option<Bytes>,
        traits: Traits,
    ) {
        if let Some((node, start)) = points_to.shapes.cell_at(pointer) {
            // What is no address is told apart nowhere, so that few bytes are.
            let bytes = bytes.filter(|_| traits.address);
            let told_apart = self.told_apart.entry((node, start)).or_default();
            let new = bytes.filter(|bytes| !told_apart.contains(bytes));
            let (bytes, new) = match new {
                Some(_) if told_apart.len() >= MAX_TOLD_APART => (None, None),
                new => (bytes, new),
            };
            told_apart.extend(new);
            self.add(Slot { node, start, bytes }, traits);
        }
    }

    fn add(&mut self, slot: Slot, traits: Traits) {
        let known = self.slots.entry(slot).or_default();
        let both = known.or(traits);
        self.changed |= both != *known;
        *known = both;
    }

    fn assign(&mut self, var: VarId, traits: Traits) {
        let known = &mut self.vars[var.0 as usize];
        let both = known.or(traits);
        self.changed |= both != *known;
        *known = both;
    }

    fn operation(&mut self, program: &Program, points_to: &mut PointsTo, op: &Op) {
        match op {
            Op::Assign(var, value) => {
                let mut traits = self.value(*value);
                traits.integer |= traits.address && is_integer(program, *var);
                self.assign(*var, traits);
            }
            Op::Havoc(var, input) => {
                // A pointer from outside is no number that the program has made.
                let kind = &program.inputs[input.0 as usize].kind;
                let is_outside = !matches!(kind, InputKind::Uninitialised(_));
                let is_pointer = super::points_to::is_pointer(program, *var);
                // As for memory, see `read`.
                let is_piece = matches!(program.var(*var).kind, VariableKind::Piece { .. });
                let traits = Traits {
                    number: is_outside && !is_pointer,
                    unset: !is_outside,
                    near: if is_piece { Near::NEVER } else { Near::NULL },
                    ..Traits::default()
                };
                self.assign(*var, traits);
            }
            Op::Allocate { target, object, .. } | Op::Reallocate { target, object, .. } => {
                let traits = Traits {
                    address: true,
                    origin: Origin::One(*object),
                    offset: Offset::At(0),
                    mortal: true,
                    ..Traits::default()
                };
                self.assign(*target, traits);
            }
            Op::Store { address, .. } if self.waits_for(*address) => {}
            Op::Store { address, value, .. } => {
                let pointer = points_to.address(*address);
                let bytes = Bytes::of(self.value(*address), program.pool.ty(*value));
                self.write(points_to, pointer, bytes, self.value(*value));
            }
            Op::Copy { target, source, .. } => {
                let (to, from) = (points_to.address(*target), points_to.address(*source));
                let exact = [*target, *source].map(|address| self.value(address).exact());
                let shift = match exact {
                    [Some(to), Some(from)] => to.checked_sub(from),
                    _ => None,
                };
                if !self.waits_for(*target) && !self.waits_for(*source) {
                    self.copy(points_to, (to, from), shift);
                }
            }
            Op::Fill { target, byte, .. } => {
                let node = points_to.address(*target).node;
                let mut traits = self.value(*byte);
                traits.number |= program.pool.as_constant(*byte) != Some(0);
                for start in cells_of(points_to, node) {
                    self.add(Slot::anywhere(node, start), traits);
                }
            }
            Op::Call { .. } => {
                for (var, binding) in program.bindings(op) {
                    let mut traits = match binding {
                        Binding::Argument(arg) => self.value(arg),
                        Binding::Result(from) => self.vars[from.0 as usize],
                    };
                    traits.integer |= traits.address && is_integer(program, var);
                    self.assign(var, traits);
                }
            }
            Op::Print(print) => {
                if let Some(var) = print.result {
                    let traits = Traits {
                        number: true,
                        ..Traits::default()
                    };
                    self.assign(var, traits);
                }
            }
            Op::Skip
            | Op::Assume(_)
            | Op::Begin { .. }
            | Op::End(_)
            | Op::Release(_)
            | Op::Halt(_) => {}
        }
    }

    /// Cells of the target are as those of the source that lie at the same distance. If it is known
    /// where in their objects the two begin, bytes that are told apart are so in the target, too.
    fn copy(
        &mut self,
        points_to: &mut PointsTo,
        (to, from): (Pointer, Pointer),
        shift: Option<i64>,
    ) {
        if to.node == from.node {
            // Which cell goes where is not known.
            let inside = self.slots.iter().filter(|(slot, _)| slot.node == to.node);
            let mut all = inside.fold(Traits::default(), |all, (_, traits)| all.or(*traits));
            let (zeroed, unset) = points_to.initially(from);
            all.near = all.near.or(if zeroed { Near::NULL } else { Near::NEVER });
            all.unset |= unset;
            for start in cells_of(points_to, to.node) {
                self.add(Slot::anywhere(to.node, start), all);
            }
            return;
        }
        for start in cells_of(points_to, to.node) {
            let other = Pointer {
                node: from.node,
                offset: from.offset.wrapping_add(start.wrapping_sub(to.offset)),
            };
            let source = points_to.shapes.cell_at(other);
            let told_apart = source.and_then(|cell| self.told_apart.get(&cell)).cloned();
            let (Some(source), Some(told_apart), Some(shift)) = (source, told_apart, shift) else {
                let traits = self.read(points_to, other, None);
                self.add(Slot::anywhere(to.node, start), traits);
                continue;
            };
            let rest = self.read(points_to, other, Some(Bytes::NONE));
            self.add(Slot::anywhere(to.node, start), rest);
            for bytes in told_apart {
                let slot = Slot {
                    node: source.0,
                    start: source.1,
                    bytes: Some(bytes),
                };
                let traits = self.slots.get(&slot).copied().unwrap_or_default();
                let target = Pointer {
                    node: to.node,
                    offset: start,
                };
                self.write(points_to, target, bytes.shifted(shift), traits);
            }
        }
    }
}

/// The variable was declared, and not as a pointer.
fn is_integer(program: &Program, var: VarId) -> bool {
    program.var(var).c_type.is_some() && !super::points_to::is_pointer(program, var)
}

/// Values of pointers' width lie undivided at the place.
fn is_whole(program: &Program, points_to: &mut PointsTo, pointer: Pointer) -> bool {
    let bytes = i64::from(program.model.pointer_bits() / 8);
    let cell = points_to.shapes.contents(pointer);
    cell.is_some_and(|cell| cell.is_whole(bytes))
}

/// How far a constant moves.
fn distance(pool: &ExprPool, by: ExprId) -> Option<i64> {
    let bits = pool.as_constant(by)?;
    Some(arith::int::to_signed(bits, u32::from(pool.ty(by).width())) as i64)
}

fn cells_of(points_to: &PointsTo, node: NodeId) -> Vec<i64> {
    points_to.shapes.node(node).cells.keys().copied().collect()
}

/// Null, or a number so near to null or to the end of the address space that no object lies there.
pub fn is_outside_all_objects(bits: u128, ty: Ty, model: DataModel) -> bool {
    let pointer_bits = u32::from(model.pointer_bits());
    if !ty.is_int() {
        return false;
    }
    let address = arith::int::truncate(bits, pointer_bits);
    address < PAGE || address >= (1u128 << pointer_bits) - PAGE
}
