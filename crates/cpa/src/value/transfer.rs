//! The effect of a step on known values.

use super::dead::Dead;
use super::evaluate::{Ends, Evaluator, Reader};
use super::memory::{self, Cell, Cells, MAX_CELLS};
use super::store::{Group, Known, MapId, Store, Value, groups};
use absint::numeric::transfer::Tracked;
use absint::place::{Step, StepKind};
use cfa::concrete;
use cfa::expr::{BinOp, ExprId, Node, UnOp, VarId};
use cfa::memory::{ObjectId, RegionId};
use cfa::op::{Contents, Op, Print};
use cfa::program::{FuncId, LocId, Program};
use cfa::value::Ty;
use std::cell::RefCell;
use std::rc::Rc;

pub struct ValueTransfer<'p> {
    pub program: &'p Program,
    pub store: Store,
    evaluator: Evaluator<'p>,
    locals_by_leaf: Rc<[Rc<[Group]>]>,
    dead: Dead<'p>,
    /// The last evaluation: the two branches of a condition ask the same.
    last: Option<(MapId, ExprId, Value)>,
    /// Shared between those that must give cells the same numbers.
    pub cells: Rc<RefCell<Cells>>,
}

/// A map, and what is read of it.
struct MapReader<'a> {
    store: &'a Store,
    map: MapId,
    cells: &'a Cells,
    /// The number of the first cell.
    first_cell: u32,
    /// Cells that were read, if somebody wants to know.
    read: Option<&'a RefCell<Vec<VarId>>>,
}

impl Reader for MapReader<'_> {
    fn variable(&self, var: VarId) -> Value {
        self.store.get(self.map, var.0)
    }

    fn load(&self, region: RegionId, object: ObjectId, offset: i64, ty: Ty) -> Value {
        let bytes = cell_bytes(ty)?;
        let cell = Cell {
            region,
            object,
            offset,
            bytes,
        };
        let number = self.first_cell + self.cells.number(&cell)?;
        if let Some(read) = self.read {
            read.borrow_mut().push(VarId(number));
        }
        self.store.get(self.map, number)
    }
}

/// Bytes of a cell that holds a value of the type; `None` if it does not fill its bytes.
fn cell_bytes(ty: Ty) -> Option<u64> {
    let fills = ty != Ty::Bool && ty.width().is_multiple_of(8);
    fills.then(|| ty.bytes())
}

impl<'p> ValueTransfer<'p> {
    pub fn new(program: &'p Program) -> ValueTransfer<'p> {
        let locals: Rc<[Vec<VarId>]> = program.locals().into();
        let by_leaf = locals
            .iter()
            .map(|vars| groups(vars.iter().map(|var| var.0)));
        // A program that never writes memory has no cells.
        let writes_memory = program.ops.iter().any(|op| {
            matches!(
                op,
                Op::Store { .. } | Op::Begin { .. } | Op::Allocate { .. }
            )
        });
        let cells = if writes_memory { MAX_CELLS } else { 0 };
        ValueTransfer {
            program,
            store: Store::new(program.vars.len() + cells),
            evaluator: Evaluator::new(program),
            locals_by_leaf: by_leaf.collect(),
            dead: Dead::new(program, locals),
            last: None,
            cells: Rc::default(),
        }
    }

    /// One that numbers cells as this one does.
    pub fn sharing(&self) -> ValueTransfer<'p> {
        ValueTransfer {
            cells: self.cells.clone(),
            ..ValueTransfer::new(self.program)
        }
    }

    fn first_cell(&self) -> u32 {
        self.program.vars.len() as u32
    }

    /// The cell that a number behind those of the variables stands for.
    pub fn cell(&self, number: u32) -> Option<Cell> {
        let number = number.checked_sub(self.first_cell())?;
        self.cells.borrow().cell(number)
    }

    /// The numbers of all cells so far.
    pub fn all_cells(&self) -> Vec<VarId> {
        let first = self.first_cell();
        let count = self.cells.borrow().len() as u32;
        (0..count).map(|number| VarId(first + number)).collect()
    }

    pub fn value(&mut self, map: MapId, expr: ExprId) -> Result<Value, Ends> {
        if let Some((last_map, last_expr, value)) = self.last
            && (last_map, last_expr) == (map, expr)
        {
            return Ok(value);
        }
        let value = self.evaluate(map, expr)?;
        self.last = Some((map, expr, value));
        Ok(value)
    }

    fn evaluate(&mut self, map: MapId, expr: ExprId) -> Result<Value, Ends> {
        self.evaluate_noting(map, expr, None)
    }

    /// Evaluates, and notes the cells that are read.
    fn evaluate_noting(
        &mut self,
        map: MapId,
        expr: ExprId,
        read: Option<&RefCell<Vec<VarId>>>,
    ) -> Result<Value, Ends> {
        let cells = self.cells.borrow();
        let reader = MapReader {
            store: &self.store,
            map,
            cells: &cells,
            first_cell: self.program.vars.len() as u32,
            read,
        };
        self.evaluator.evaluate(expr, &reader)
    }

    /// The cells that the evaluation of an expression reads.
    pub fn cells_read(&mut self, map: MapId, expr: ExprId) -> Vec<VarId> {
        let read = RefCell::new(Vec::new());
        let _ = self.evaluate_noting(map, expr, Some(&read));
        read.into_inner()
    }

    fn forget_cells(&mut self, mut map: MapId, numbers: &[u32]) -> MapId {
        let first = self.first_cell();
        for &number in numbers {
            map = self.store.set(map, first + number, None);
        }
        map
    }

    fn forget_region(&mut self, map: MapId, region: RegionId) -> MapId {
        let numbers = self.cells.borrow().in_region(region).to_vec();
        self.forget_cells(map, &numbers)
    }

    fn forget_object(&mut self, map: MapId, object: ObjectId) -> MapId {
        let numbers = self.cells.borrow().of_object(object);
        self.forget_cells(map, &numbers)
    }

    fn store_to(
        &mut self,
        map: MapId,
        region: RegionId,
        address: Value,
        (value, ty): (Value, Ty),
        tracked: &impl Tracked,
    ) -> MapId {
        let (Some(Known::Address(object, offset)), Some(bytes)) = (address, cell_bytes(ty)) else {
            return self.forget_region(map, region);
        };
        let cell = Cell {
            region,
            object,
            offset,
            bytes,
        };
        self.write(map, cell, value, tracked)
    }

    fn write(&mut self, map: MapId, cell: Cell, value: Value, tracked: &impl Tracked) -> MapId {
        let overlapping = self.cells.borrow().overlapping(&cell);
        let map = self.forget_cells(map, &overlapping);
        let number = match value {
            Some(_) => self.cells.borrow_mut().make(cell),
            None => self.cells.borrow().number(&cell),
        };
        let Some(number) = number else { return map };
        let number = self.first_cell() + number;
        let value = value.filter(|_| tracked.tracks(VarId(number)));
        self.store.set(map, number, value)
    }

    /// An object comes to life.
    fn begin(
        &mut self,
        map: MapId,
        object: ObjectId,
        contents: Contents,
        tracked: &impl Tracked,
    ) -> MapId {
        let mut map = self.forget_object(map, object);
        if contents == Contents::Zero && memory::has_known_address(self.program, object) {
            for cell in memory::zero_cells(self.program, object) {
                map = self.write(map, cell, Some(Known::Bits(0)), tracked);
            }
        }
        map
    }

    /// The map after a step; `None` if no execution gets there.
    pub fn apply(&mut self, map: MapId, step: &Step, tracked: &impl Tracked) -> Option<MapId> {
        let program = self.program;
        match (step.kind, program.edge_op(step.edge)) {
            (StepKind::Operation, op) => self.operation(map, op, tracked),
            (StepKind::Call, Op::Call { function, args, .. }) => {
                self.call(map, *function, args, tracked)
            }
            (
                StepKind::Return,
                Op::Call {
                    function, result, ..
                },
            ) => {
                let returned = program.function(*function).result;
                let value = returned.and_then(|returned| self.store.get(map, returned.0));
                let mut map = self.forget_locals(map, *function);
                if let Some(result) = result {
                    let same = returned.is_some_and(|returned| {
                        program.var(returned).ty == program.var(*result).ty
                    });
                    let value = value.filter(|_| same && tracked.tracks(*result));
                    map = self.store.set(map, result.0, value);
                }
                Some(map)
            }
            _ => Some(map),
        }
    }

    fn operation(&mut self, map: MapId, op: &Op, tracked: &impl Tracked) -> Option<MapId> {
        Some(match *op {
            Op::Assume(condition) => self.assume(map, condition, true, tracked)?,
            Op::Assign(var, value) => {
                let value = self.value(map, value).ok()?;
                let value = value.filter(|_| tracked.tracks(var));
                self.store.set(map, var.0, value)
            }
            Op::Store {
                region,
                address,
                value,
            } => {
                let ty = self.program.pool.ty(value);
                let address = self.value(map, address).ok()?;
                let value = self.value(map, value).ok()?;
                self.store_to(map, region, address, (value, ty), tracked)
            }
            Op::Begin { object, contents } => self.begin(map, object, contents, tracked),
            Op::Allocate {
                target,
                object,
                contents,
                ..
            } => {
                let map = self.begin(map, object, contents, tracked);
                let known =
                    memory::has_known_address(self.program, object) && tracked.tracks(target);
                let address = known.then_some(Known::Address(object, 0));
                self.store.set(map, target.0, address)
            }
            Op::Copy { target_region, .. } => self.forget_region(map, target_region),
            Op::Fill { region, .. } => self.forget_region(map, region),
            Op::Reallocate { target, object, .. } => {
                let map = self.forget_object(map, object);
                self.store.set(map, target.0, None)
            }
            Op::Havoc(var, _)
            | Op::Print(Print {
                result: Some(var), ..
            }) => self.store.set(map, var.0, None),
            Op::Skip | Op::End(_) | Op::Release(_) | Op::Print(_) | Op::Call { .. } => map,
            Op::Halt(_) => return None,
        })
    }

    /// The map where the condition has the given truth value: variables that must equal known
    /// values become known.
    pub fn assume(
        &mut self,
        mut map: MapId,
        condition: ExprId,
        truth: bool,
        tracked: &impl Tracked,
    ) -> Option<MapId> {
        let pool = &self.program.pool;
        let mut conjuncts = vec![(condition, truth)];
        while let Some((mut id, mut truth)) = conjuncts.pop() {
            while let Node::Unary(UnOp::Not, inner) = pool.node(id) {
                (id, truth) = (inner, !truth);
            }
            match self.value(map, id).ok()? {
                Some(Known::Bits(bits)) if (bits != 0) == truth => continue,
                Some(_) => return None,
                None => {}
            }
            match (pool.node(id), truth) {
                (Node::Binary(BinOp::BoolAnd, a, b), true)
                | (Node::Binary(BinOp::BoolOr, a, b), false) => {
                    conjuncts.push((b, truth));
                    conjuncts.push((a, truth));
                }
                (Node::Binary(BinOp::Eq, a, b), true) | (Node::Binary(BinOp::Ne, a, b), false)
                    if pool.ty(a).is_int() =>
                {
                    for (unknown, known) in [(a, b), (b, a)] {
                        if let Some(value) = self.value(map, known).ok()? {
                            map = self.learn(map, unknown, value, tracked);
                        }
                    }
                }
                // One value less of a type with two.
                (Node::Binary(BinOp::Eq | BinOp::Ne, a, b), _)
                    if matches!(
                        pool.node(a),
                        Node::Unary(UnOp::Convert(_), inner) if pool.ty(inner) == cfa::value::Ty::Bool
                    ) =>
                {
                    if let (
                        Node::Unary(_, inner),
                        Node::Binary(op, ..),
                        Some(Known::Bits(bits @ (0 | 1))),
                    ) = (pool.node(a), pool.node(id), self.value(map, b).ok()?)
                    {
                        let expected = ((op == BinOp::Eq) == truth) == (bits == 1);
                        conjuncts.push((inner, expected));
                    }
                }
                (Node::Var(var), _) if tracked.tracks(var) => {
                    let value = Some(Known::Bits(u128::from(truth)));
                    map = self.store.set(map, var.0, value);
                }
                _ => {}
            }
        }
        Some(map)
    }

    /// An unknown expression has the value: if it is a variable, or one converted without loss, the
    /// variable is known.
    fn learn(&mut self, map: MapId, expr: ExprId, value: Known, tracked: &impl Tracked) -> MapId {
        let pool = &self.program.pool;
        match pool.node(expr) {
            Node::Var(var) if tracked.tracks(var) && self.store.get(map, var.0).is_none() => {
                self.store.set(map, var.0, Some(value))
            }
            Node::Unary(UnOp::Convert(to), inner) => {
                let (Node::Var(var), from) = (pool.node(inner), pool.ty(inner)) else {
                    return map;
                };
                let Known::Bits(bits) = value else { return map };
                if !from.is_int()
                    || !to.is_int()
                    || from.width() > to.width()
                    || !tracked.tracks(var)
                    || self.store.get(map, var.0).is_some()
                {
                    return map;
                }
                let narrow = arith::int::truncate(bits, u32::from(from.width()));
                if concrete::unary(UnOp::Convert(to), from, narrow) == Ok(bits) {
                    return self.store.set(map, var.0, Some(Known::Bits(narrow)));
                }
                map
            }
            _ => map,
        }
    }

    fn call(
        &mut self,
        map: MapId,
        function: FuncId,
        args: &[ExprId],
        tracked: &impl Tracked,
    ) -> Option<MapId> {
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            values.push(self.value(map, arg).ok()?);
        }
        let mut map = self.forget_locals(map, function);
        let program = self.program;
        for (&param, value) in program.function(function).params.iter().zip(values) {
            if tracked.tracks(param) {
                map = self.store.set(map, param.0, value);
            }
        }
        Some(map)
    }

    fn forget_locals(&mut self, map: MapId, function: FuncId) -> MapId {
        let locals = self.locals_by_leaf[function.0 as usize].clone();
        self.store.without(map, &locals)
    }

    /// The map without what no execution from the location on reads.
    pub fn forget_dead(&mut self, map: MapId, location: LocId) -> MapId {
        let dead = self.dead.at(location);
        self.store.without(map, &dead)
    }
}
