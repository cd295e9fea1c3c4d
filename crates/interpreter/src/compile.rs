//! Compiling the automata of a program to one flat list of instructions.
//!
//! Locations are laid out along chains of edges, so that most edges cost no jump. A location that
//! is reached from elsewhere too begins a new count of steps. A jump back to the head of a loop
//! whose code is a single conditional jump becomes the opposite conditional jump: one instruction
//! for both.

use super::code::*;
use super::expressions::halves;
use super::memory::Memory;
use super::places::Places;
use cfa::expr::{BinOp, ExprId, Node, UnOp, VarId};
use cfa::memory::ObjectId;
use cfa::op::Op;
use cfa::program::{EdgeId, FuncId, LocId, LocationKind, Program};
use cfa::value::Ty;
use rustc_hash::FxHashMap;

/// Where a jump leads, until the instruction numbers are known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Location(LocId),
    /// A piece of code beside the locations' own.
    Stub(usize),
}

#[derive(Clone, Copy)]
enum Stub {
    /// Nothing leads on from the location; its edges are refused.
    Stuck(LocId, Option<EdgeId>),
    /// Reports the edge, then goes to its target.
    Mark(EdgeId),
}

pub(super) struct Compiler<'a> {
    pub(super) program: &'a Program,
    pub(super) code: Code,
    places: &'a Places,
    pub(super) memory: &'a mut Memory,
    /// Whether every edge is reported.
    pub(super) traced: bool,
    /// Edges that enter each location (from other functions too: call edges do not).
    entering: Vec<u32>,

    // Tables over the whole program.
    constants: FxHashMap<(u128, bool), Reg>,
    /// The values of registers that hold constants of one word.
    pub(super) constant_registers: FxHashMap<Reg, u64>,
    /// For values of one and of two registers; they live no longer than an operation.
    temporaries: [Vec<Reg>; 2],
    unary_index: FxHashMap<(UnOp, Ty), u16>,
    binary_index: FxHashMap<(BinOp, Ty, Ty), u16>,
    type_index: FxHashMap<Ty, u16>,

    // The function at hand.
    pub(super) function: FuncId,
    positions: FxHashMap<LocId, Pc>,
    open: Vec<LocId>,
    stubs: Vec<(Stub, Option<Pc>)>,
    /// Jumps whose target is not known yet, by instruction.
    jumps: FxHashMap<usize, Target>,
    /// Likewise tables.
    tables: Vec<(u32, Vec<(u64, Target)>)>,
    /// Values that stay: registers of expressions in this operation, marked with its number.
    values: Vec<(u32, Reg)>,
    operation: u32,
    /// How many temporaries this operation uses.
    used: [usize; 2],
    // Where we are.
    edge: Option<EdgeId>,
    location: LocId,
    pub(super) uncounted: u32,
}

pub(super) fn compile(
    program: &Program,
    places: &Places,
    memory: &mut Memory,
    traced: bool,
) -> Code {
    let mut entering = vec![0; program.locations.len()];
    for edge in &program.edges {
        entering[edge.target.0 as usize] += 1;
    }
    let mut compiler = Compiler {
        program,
        code: Code {
            registers: vec![0; places.registers],
            ..Code::default()
        },
        places,
        memory,
        traced,
        entering,
        constants: FxHashMap::default(),
        constant_registers: FxHashMap::default(),
        temporaries: [Vec::new(), Vec::new()],
        unary_index: FxHashMap::default(),
        binary_index: FxHashMap::default(),
        type_index: FxHashMap::default(),
        function: program.entry,
        positions: FxHashMap::default(),
        open: Vec::new(),
        stubs: Vec::new(),
        jumps: FxHashMap::default(),
        tables: Vec::new(),
        values: vec![(0, 0); program.pool.len()],
        operation: 0,
        used: [0, 0],
        edge: None,
        location: LocId(0),
        uncounted: 0,
    };
    for index in 0..program.functions.len() {
        compiler.function(FuncId(index as u32));
    }
    compiler.code
}

impl Compiler<'_> {
    // ---- registers and tables ----

    pub(super) fn emit(&mut self, instr: Instr) -> usize {
        self.code.instrs.push(instr);
        self.code.origins.push(Origin {
            edge: self.edge,
            location: self.location,
            uncounted: self.uncounted,
        });
        self.code.instrs.len() - 1
    }

    fn here(&self) -> Pc {
        self.code.instrs.len() as Pc
    }

    pub(super) fn known(&self, id: ExprId) -> Option<Reg> {
        let (operation, reg) = self.values[id.0 as usize];
        (operation == self.operation).then_some(reg)
    }

    pub(super) fn remember(&mut self, id: ExprId, reg: Reg) {
        self.values[id.0 as usize] = (self.operation, reg);
    }

    /// Values computed so far are out of date from here on.
    pub(super) fn next_operation(&mut self) {
        self.operation += 1;
        self.used = [0, 0];
    }

    fn new_register(&mut self, words: [u64; 2], wide: bool) -> Reg {
        let reg = self.code.registers.len() as Reg;
        let words = &words[..if wide { 2 } else { 1 }];
        self.code.registers.extend(words);
        reg
    }

    pub(super) fn temporary(&mut self, wide: bool) -> Reg {
        let kind = usize::from(wide);
        if self.used[kind] == self.temporaries[kind].len() {
            let reg = self.new_register([0, 0], wide);
            self.temporaries[kind].push(reg);
        }
        self.used[kind] += 1;
        self.temporaries[kind][self.used[kind] - 1]
    }

    pub(super) fn constant(&mut self, bits: u128, wide: bool) -> Reg {
        if let Some(&reg) = self.constants.get(&(bits, wide)) {
            return reg;
        }
        let reg = self.new_register(halves(bits), wide);
        self.constants.insert((bits, wide), reg);
        if !wide {
            self.constant_registers.insert(reg, bits as u64);
        }
        reg
    }

    pub(super) fn register_of(&self, var: VarId) -> Reg {
        self.places.vars[var.0 as usize]
    }

    /// A fixed address, or the register that holds the object's present one.
    pub(super) fn address_of(&self, object: ObjectId) -> Result<u64, Reg> {
        match self.places.fixed[object.0 as usize] {
            Some(address) => Ok(address),
            None => Err(self.places.objects[object.0 as usize]),
        }
    }

    pub(super) fn unary_index(&mut self, entry: UnaryEntry) -> u16 {
        let table = &mut self.code.unary;
        *self
            .unary_index
            .entry((entry.op, entry.ty))
            .or_insert_with(|| push_limited(table, entry))
    }

    pub(super) fn binary_index(&mut self, entry: BinaryEntry) -> u16 {
        let table = &mut self.code.binary;
        *self
            .binary_index
            .entry((entry.op, entry.ty, entry.count))
            .or_insert_with(|| push_limited(table, entry))
    }

    pub(super) fn type_index(&mut self, ty: Ty) -> u16 {
        let table = &mut self.code.types;
        *self
            .type_index
            .entry(ty)
            .or_insert_with(|| push_limited(table, ty))
    }

    pub(super) fn text(&mut self, text: String) -> u32 {
        self.code.texts.push(text);
        (self.code.texts.len() - 1) as u32
    }

    // ---- functions and locations ----

    fn function(&mut self, id: FuncId) {
        let function = self.program.function(id);
        self.function = id;
        self.positions.clear();
        self.stubs.clear();
        self.jumps.clear();
        self.open = vec![function.entry];
        let entry = self.here();
        while let Some(location) = self.open.pop() {
            if !self.positions.contains_key(&location) {
                self.chain(location);
            }
            self.emit_stubs();
        }
        for (at, target) in std::mem::take(&mut self.jumps) {
            let pc = self.resolve(target);
            set_target(&mut self.code.instrs[at], pc);
        }
        for (table, cases) in std::mem::take(&mut self.tables) {
            let targets = cases
                .into_iter()
                .map(|(value, target)| (value, self.resolve(target)))
                .collect();
            self.code.switches[table as usize].targets = targets;
        }
        self.code.functions.push(FunctionCode {
            entry,
            own: self.places.functions[id.0 as usize].clone(),
            objects: self.places.addresses[id.0 as usize].clone(),
        });
    }

    fn resolve(&self, target: Target) -> Pc {
        match target {
            Target::Location(location) => self.positions[&location],
            Target::Stub(stub) => self.stubs[stub]
                .1
                .expect("all stubs are emitted with the last location"),
        }
    }

    fn emit_stubs(&mut self) {
        let mut next = 0;
        while next < self.stubs.len() {
            if self.stubs[next].1.is_none() {
                self.stubs[next].1 = Some(self.here());
                self.uncounted = 0;
                match self.stubs[next].0 {
                    Stub::Stuck(location, edge) => {
                        (self.location, self.edge) = (location, edge);
                        self.emit(Instr::Stuck);
                    }
                    Stub::Mark(edge) => {
                        let target = self.program.edge(edge).target;
                        (self.location, self.edge) = (target, Some(edge));
                        self.emit(Instr::Mark(edge));
                        self.jump_to(target);
                    }
                }
            }
            next += 1;
        }
    }

    fn stub(&mut self, stub: Stub) -> Target {
        self.stubs.push((stub, None));
        Target::Stub(self.stubs.len() - 1)
    }

    fn jump(&mut self, at: usize, target: Target) {
        if let Target::Location(location) = target {
            self.open.push(location);
        }
        self.jumps.insert(at, target);
    }

    /// Where a jump along the edge leads.
    fn along(&mut self, edge: EdgeId) -> Target {
        if self.traced {
            self.stub(Stub::Mark(edge))
        } else {
            Target::Location(self.program.edge(edge).target)
        }
    }

    /// The count for an instruction that transfers control, `more` edges further on.
    pub(super) fn steps(&mut self, more: u32) -> u16 {
        if self.uncounted + more > u32::from(u16::MAX) {
            self.flush_steps();
        }
        (self.uncounted + more) as u16
    }

    fn flush_steps(&mut self) {
        while self.uncounted > 0 {
            let now = self.uncounted.min(u32::from(u16::MAX));
            self.emit(Instr::Steps(now as u16));
            self.uncounted -= now;
        }
    }

    fn jump_to(&mut self, location: LocId) {
        let steps = self.steps(0);
        if !self.traced
            && let Some(&head) = self.positions.get(&location)
            && let Some((opposite, further, target)) = self.loop_head(head as usize)
            && let Some(exit_steps) = steps.checked_add(further)
        {
            let mut opposite = opposite;
            set_steps(&mut opposite, steps);
            set_target(&mut opposite, head + 1);
            match self.fuse(opposite) {
                Some(fused) => {
                    // It takes the place of the addition before.
                    let last = self.code.instrs.len() - 1;
                    self.code.instrs[last] = fused;
                }
                None => {
                    self.emit(opposite);
                }
            }
            let exit = self.emit(Instr::Jump(exit_steps, 0));
            self.jump(exit, target);
            return;
        }
        let at = self.emit(Instr::Jump(steps, 0));
        self.jump(at, Target::Location(location));
    }

    /// An addition just emitted and a jump on its result as one instruction. (Nothing leads in
    /// between: a location that is reached from elsewhere begins with a count of steps.)
    fn fuse(&self, jump: Instr) -> Option<Instr> {
        let Instr::Add32(dst, a, b) = *self.code.instrs.last()? else {
            return None;
        };
        let constant = self.constant_registers.get(&b)?;
        let delta = i8::try_from(*constant as i32).ok()?;
        if dst != a {
            return None;
        }
        match jump {
            Instr::JumpLtU(n, x, y, to) if x == dst && y != dst => {
                Some(Instr::AddJumpLtU(delta, n, x, y, to))
            }
            Instr::JumpLtS32(n, x, y, to) if x == dst && y != dst => {
                Some(Instr::AddJumpLtS32(delta, n, x, y, to))
            }
            Instr::JumpLeS32(n, x, y, to) if x == dst && y != dst => {
                Some(Instr::AddJumpLeS32(delta, n, x, y, to))
            }
            Instr::JumpNe(n, x, y, to) if x == dst && y != dst => {
                Some(Instr::AddJumpNe(delta, n, x, y, to))
            }
            _ => None,
        }
    }

    /// If the instruction is a conditional jump of this function: the jump on the opposite
    /// condition, its steps and its target.
    fn loop_head(&self, at: usize) -> Option<(Instr, u16, Target)> {
        let target = *self.jumps.get(&at)?;
        let (opposite, steps) = match self.code.instrs[at] {
            Instr::JumpIf(n, a, _) => (Instr::JumpIfNot(0, a, 0), n),
            Instr::JumpIfNot(n, a, _) => (Instr::JumpIf(0, a, 0), n),
            Instr::JumpEq(n, a, b, _) => (Instr::JumpNe(0, a, b, 0), n),
            Instr::JumpNe(n, a, b, _) => (Instr::JumpEq(0, a, b, 0), n),
            Instr::JumpLtU(n, a, b, _) => (Instr::JumpLeU(0, b, a, 0), n),
            Instr::JumpLeU(n, a, b, _) => (Instr::JumpLtU(0, b, a, 0), n),
            Instr::JumpLtS32(n, a, b, _) => (Instr::JumpLeS32(0, b, a, 0), n),
            Instr::JumpLeS32(n, a, b, _) => (Instr::JumpLtS32(0, b, a, 0), n),
            Instr::JumpLtS64(n, a, b, _) => (Instr::JumpLeS64(0, b, a, 0), n),
            Instr::JumpLeS64(n, a, b, _) => (Instr::JumpLtS64(0, b, a, 0), n),
            _ => return None,
        };
        Some((opposite, steps, target))
    }

    /// Emits code from the location on, until it ends or joins code that exists.
    fn chain(&mut self, first: LocId) {
        let mut next = Some(first);
        self.uncounted = 0;
        while let Some(location) = next {
            self.edge = None;
            self.location = location;
            self.next_operation();
            if self.positions.contains_key(&location) {
                self.jump_to(location);
                return;
            }
            if self.entering[location.0 as usize] > 1 {
                self.flush_steps();
            }
            self.positions.insert(location, self.here());
            next = self.leave(location);
        }
    }

    /// Emits what happens at a location; the location to go on with.
    fn leave(&mut self, id: LocId) -> Option<LocId> {
        let program = self.program;
        let location = program.location(id);
        if location.kind == LocationKind::Error {
            self.emit(Instr::ReachError(id));
            return None;
        }
        if id == program.function(self.function).exit {
            let steps = self.steps(0);
            self.emit(Instr::Return(steps));
            return None;
        }
        let edges = location.outgoing.as_slice();
        let done = self.switch(edges);
        let mut refused: Vec<ExprId> = edges[..done]
            .iter()
            .filter_map(|&edge| assumed(program.edge_op(edge)))
            .collect();
        for &edge in &edges[done..] {
            self.edge = Some(edge);
            let Op::Assume(condition) = *program.edge_op(edge) else {
                return self.operate(edge);
            };
            let is_last = Some(&edge) == edges.last();
            let certain = program.pool.node(condition) == Node::Const(1)
                || is_last && self.is_rest(condition, &refused);
            if certain {
                return Some(self.pass(edge));
            }
            refused.push(condition);
            if is_last {
                // A single condition: go on if it holds.
                let steps = self.steps(0);
                let at = self.jump_on(condition, false, steps);
                let stuck = self.stub(Stub::Stuck(id, Some(edge)));
                self.jump(at, stuck);
                return Some(self.pass(edge));
            }
            if let [_, other] = edges
                && let Op::Assume(opposite) = *program.edge_op(*other)
                && self.is_rest(opposite, &refused)
            {
                let steps = self.steps(1);
                let at = self.jump_on(condition, false, steps);
                let target = self.along(*other);
                self.jump(at, target);
                return Some(self.pass(edge));
            }
            let steps = self.steps(1);
            let at = self.jump_on(condition, true, steps);
            let target = self.along(edge);
            self.jump(at, target);
        }
        self.emit(Instr::Stuck);
        None
    }

    /// Goes along an edge whose operation is done.
    pub(super) fn pass(&mut self, edge: EdgeId) -> LocId {
        if self.traced {
            self.emit(Instr::Mark(edge));
        }
        self.uncounted += 1;
        self.program.edge(edge).target
    }

    /// Emits one table for leading edges that compare the same expression with constants; how many.
    fn switch(&mut self, edges: &[EdgeId]) -> usize {
        let mut subject = None;
        let mut targets: FxHashMap<u64, EdgeId> = FxHashMap::default();
        let mut count = 0;
        for &edge in edges {
            let Some((compared, constant)) = self.compared_with_constant(edge) else {
                break;
            };
            if *subject.get_or_insert(compared) != compared {
                break;
            }
            targets.entry(constant).or_insert(edge);
            count += 1;
        }
        let Some(subject) = subject.filter(|_| count >= 4) else {
            return 0;
        };
        self.edge = Some(edges[0]);
        let a = self.operand(subject);
        let steps = self.steps(1);
        let mut cases: Vec<_> = targets.into_iter().collect();
        cases.sort_unstable();
        let cases = cases
            .into_iter()
            .map(|(value, edge)| (value, self.along(edge)))
            .collect::<Vec<_>>();
        for (_, target) in &cases {
            if let Target::Location(location) = target {
                self.open.push(*location);
            }
        }
        self.code.switches.push(SwitchTable::default());
        let table = (self.code.switches.len() - 1) as u32;
        self.emit(Instr::Switch { steps, a, table });
        self.tables.push((table, cases));
        count
    }

    /// The parts of an assumption that an integer of at most 64 bits is equal to a constant.
    fn compared_with_constant(&self, edge: EdgeId) -> Option<(ExprId, u64)> {
        let pool = &self.program.pool;
        let Node::Binary(BinOp::Eq, a, b) = pool.node(assumed(self.program.edge_op(edge))?) else {
            return None;
        };
        if pool.ty(a).is_float() || is_wide(pool.ty(a)) {
            return None;
        }
        match (pool.node(a), pool.node(b)) {
            (_, Node::Const(bits)) => Some((a, bits as u64)),
            (Node::Const(bits), _) => Some((b, bits as u64)),
            _ => None,
        }
    }

    /// Whether the condition must hold once all the others were refused: the last way that is left.
    /// (Its parts were evaluated with them, so it cannot fail either.)
    fn is_rest(&self, condition: ExprId, refused: &[ExprId]) -> bool {
        let pool = &self.program.pool;
        let mut stack = vec![(condition, true)];
        while let Some((id, value)) = stack.pop() {
            if refused.iter().any(|&other| self.opposite(id, value, other)) {
                continue;
            }
            match (pool.node(id), value) {
                (Node::Unary(UnOp::Not, inner), _) => stack.push((inner, !value)),
                (Node::Binary(BinOp::BoolAnd, a, b), true)
                | (Node::Binary(BinOp::BoolOr, a, b), false) => {
                    stack.extend([(a, value), (b, value)]);
                }
                _ => return false,
            }
        }
        true
    }

    /// Whether `id` has the value exactly if the other condition does not hold.
    fn opposite(&self, id: ExprId, value: bool, other: ExprId) -> bool {
        let pool = &self.program.pool;
        if id == other {
            return !value;
        }
        match (pool.node(id), pool.node(other)) {
            (Node::Unary(UnOp::Not, a), _) if a == other => value,
            (_, Node::Unary(UnOp::Not, b)) if b == id => value,
            (Node::Binary(op, a, b), Node::Binary(other, x, y)) if value => match (op, other) {
                (BinOp::Ne, BinOp::Eq) | (BinOp::Eq, BinOp::Ne) => (a, b) == (x, y),
                (BinOp::Lt, BinOp::Le) | (BinOp::Le, BinOp::Lt) => {
                    (a, b) == (y, x) && !pool.ty(a).is_float()
                }
                _ => false,
            },
            _ => false,
        }
    }
}

fn assumed(op: &Op) -> Option<ExprId> {
    match op {
        Op::Assume(condition) => Some(*condition),
        _ => None,
    }
}

/// There are far fewer combinations of operators and types than the index can count.
fn push_limited<T>(table: &mut Vec<T>, entry: T) -> u16 {
    table.push(entry);
    u16::try_from(table.len() - 1).expect("fewer than 65536 combinations of operator and type")
}

fn set_target(instr: &mut Instr, pc: Pc) {
    match instr {
        Instr::Jump(_, target)
        | Instr::JumpIf(_, _, target)
        | Instr::JumpIfNot(_, _, target)
        | Instr::JumpEq(_, _, _, target)
        | Instr::JumpNe(_, _, _, target)
        | Instr::JumpLtU(_, _, _, target)
        | Instr::JumpLeU(_, _, _, target)
        | Instr::JumpLtS32(_, _, _, target)
        | Instr::JumpLeS32(_, _, _, target)
        | Instr::JumpLtS64(_, _, _, target)
        | Instr::JumpLeS64(_, _, _, target) => *target = pc,
        _ => {}
    }
}

fn set_steps(instr: &mut Instr, count: u16) {
    match instr {
        Instr::Jump(steps, _)
        | Instr::JumpIf(steps, ..)
        | Instr::JumpIfNot(steps, ..)
        | Instr::JumpEq(steps, ..)
        | Instr::JumpNe(steps, ..)
        | Instr::JumpLtU(steps, ..)
        | Instr::JumpLeU(steps, ..)
        | Instr::JumpLtS32(steps, ..)
        | Instr::JumpLeS32(steps, ..)
        | Instr::JumpLtS64(steps, ..)
        | Instr::JumpLeS64(steps, ..) => *steps = count,
        _ => {}
    }
}
