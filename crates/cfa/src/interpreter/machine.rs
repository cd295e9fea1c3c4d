//! Running compiled code.

use super::code::*;
use super::input::InputSource;
use super::memory::{Bad, Bytes, Memory, Storage};
use super::observe::{Change, Observer, View};
use super::outcome::{self, AccessKind, InvalidAccess, Outcome, Run};
use super::places::Places;
use super::printf;
use super::{Options, input_of, memory_input};
use crate::concrete::{self, Undefined};
use crate::expr::VarId;
use crate::memory::ObjectId;
use crate::op::{Contents, InputId, Op, PrintKind};
use crate::program::{EdgeId, FuncId, Program};
use crate::value::Ty;
use arith::int;
use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A bad address this close to an object is taken for a slip beside it.
const NEAR: u64 = 1 << 24;

/// Steps between two looks at the clock and the stop token.
const CHECK_EVERY: u64 = 1 << 13;

pub(super) struct Streams<'a> {
    pub inputs: &'a mut dyn InputSource,
    pub out: &'a mut dyn Write,
    pub err: &'a mut dyn Write,
}

/// A function that has been called and has not returned.
struct Activation {
    function: FuncId,
    return_to: usize,
    /// Entry of the call table; unused for the entry function.
    call: u32,
    /// How many automatic objects were alive before it.
    automatic: usize,
    /// Its function was active before, and the registers of that activation are put aside.
    put_aside: bool,
}

pub(super) struct Machine<'a> {
    program: &'a Program,
    code: &'a Code,
    places: &'a Places,
    memory: &'a mut Memory,
    options: &'a Options<'a>,
    streams: Streams<'a>,
    activations: Vec<Activation>,
    /// How many activations each function has.
    active: Vec<u32>,
    /// Registers of activations whose function is active again, innermost last.
    aside: Vec<u64>,
    /// Values on their way into a call or out of it.
    passing: Vec<u64>,
    /// Slots of live automatic objects, of the outermost activation first.
    automatic: Vec<u32>,
    recorded: Vec<(InputId, Ty, u128)>,
    /// What the last write to memory changed; kept only while somebody watches.
    last_write: (u64, u64),
}

type Step<T> = Result<T, Outcome>;

#[inline(always)]
fn read(frame: &[u64], reg: Reg, wide: bool) -> u128 {
    let low = u128::from(frame[reg as usize]);
    if wide {
        low | u128::from(frame[reg as usize + 1]) << 64
    } else {
        low
    }
}

#[inline(always)]
fn write(frame: &mut [u64], reg: Reg, wide: bool, value: u128) {
    frame[reg as usize] = value as u64;
    if wide {
        frame[reg as usize + 1] = (value >> 64) as u64;
    }
}

/// The host's double with the canonical NaN, as crate `arith` gives it.
#[inline(always)]
fn double(value: f64) -> u64 {
    if value.is_nan() {
        arith::float::nan(arith::float::FloatFormat::Double) as u64
    } else {
        value.to_bits()
    }
}

#[inline(always)]
fn real(bits: u64) -> f64 {
    f64::from_bits(bits)
}

impl From<Undefined> for Outcome {
    fn from(undefined: Undefined) -> Outcome {
        match undefined {
            Undefined::DivisionByZero => Outcome::DivisionByZero,
            Undefined::IllTyped => Outcome::Unsupported(undefined.to_string()),
        }
    }
}

impl<'a> Machine<'a> {
    pub fn new(
        program: &'a Program,
        code: &'a Code,
        places: &'a Places,
        memory: &'a mut Memory,
        options: &'a Options<'a>,
        streams: Streams<'a>,
    ) -> Machine<'a> {
        Machine {
            program,
            code,
            places,
            memory,
            options,
            streams,
            activations: Vec::new(),
            active: vec![0; program.functions.len()],
            aside: Vec::new(),
            passing: Vec::new(),
            automatic: Vec::new(),
            recorded: Vec::new(),
            last_write: (0, 0),
        }
    }

    pub fn run(mut self, registers: &mut Vec<u64>, observer: Option<&mut dyn Observer>) -> Run {
        let (mut pc, mut steps) = (0, 0);
        let outcome = match self.start(registers) {
            Err(outcome) => outcome,
            Ok(()) => {
                let result = match observer {
                    None => self.execute::<false>(registers, &mut NoObserver, &mut pc, &mut steps),
                    Some(observer) => {
                        self.execute::<true>(registers, observer, &mut pc, &mut steps)
                    }
                };
                match result {
                    Ok(never) => match never {},
                    Err(outcome) => outcome,
                }
            }
        };
        let origin = self.code.origins.get(pc.saturating_sub(1));
        let program = self.program;
        let location = match origin {
            Some(origin) => origin.location,
            None => program.function(program.entry).entry,
        };
        let edge = origin.and_then(|origin| origin.edge);
        let span = match edge {
            Some(edge) => program.edge(edge).span,
            None => program.location(location).span,
        };
        let calls = self.activations.iter().skip(1);
        let calls = calls.map(|activation| self.code.calls[activation.call as usize].edge);
        Run {
            outcome,
            place: outcome::Place {
                location,
                edge,
                span,
                calls: calls.collect(),
            },
            steps: steps + origin.map_or(0, |origin| u64::from(origin.uncounted)),
            inputs: self.recorded,
        }
    }

    /// Brings static objects to life and enters the entry function.
    fn start(&mut self, registers: &mut Vec<u64>) -> Step<()> {
        self.memory.reset(self.options.max_memory);
        if self.places.too_large.is_some() {
            return Err(Outcome::MemoryLimit);
        }
        self.memory.reserve_up_to(self.places.static_space);
        for object in &self.places.statics {
            self.memory
                .begin_static(
                    object.object.0,
                    object.address,
                    object.size,
                    !object.read_only,
                )
                .and_then(|()| {
                    if object.arbitrary {
                        self.memory
                            .set_contents(object.address, object.size, false, true)
                    } else {
                        Ok(())
                    }
                })
                .map_err(|_| Outcome::MemoryLimit)?;
        }
        let entry = self.program.entry;
        registers.clone_from(&self.code.registers);
        self.active[entry.0 as usize] = 1;
        self.activations.push(Activation {
            function: entry,
            return_to: 0,
            call: 0,
            automatic: 0,
            put_aside: false,
        });
        Ok(())
    }

    /// The loop that everything is about. Ends with the outcome; `pc` is then one past the instruction that
    /// ended it.
    fn execute<const TRACE: bool>(
        &mut self,
        frame: &mut [u64],
        observer: &mut dyn Observer,
        pc_at_end: &mut usize,
        steps_at_end: &mut u64,
    ) -> Step<std::convert::Infallible> {
        let code = self.code;
        let instrs = code.instrs.as_slice();
        let mut steps = 0u64;
        let mut next_check = self.next_check(0);
        let entry = self.program.entry.0 as usize;
        let mut pc = code.functions[entry].entry as usize;

        macro_rules! end {
            ($outcome:expr) => {{
                (*pc_at_end, *steps_at_end) = (pc, steps);
                return Err($outcome);
            }};
        }
        macro_rules! check {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(outcome) => end!(Outcome::from(outcome)),
                }
            };
        }
        macro_rules! count {
            ($count:expr) => {
                steps += u64::from($count);
                if steps >= next_check {
                    if let Some(outcome) = self.limit(steps) {
                        // The steps of this instruction are counted already.
                        let uncounted = u64::from(code.origins[pc - 1].uncounted);
                        steps = steps.saturating_sub(uncounted);
                        end!(outcome);
                    }
                    next_check = self.next_check(steps);
                }
            };
        }

        macro_rules! get {
            ($reg:expr) => {
                frame[$reg as usize]
            };
        }
        macro_rules! set {
            ($dst:expr, $value:expr) => {
                frame[$dst as usize] = $value
            };
        }
        macro_rules! jump_if {
            ($condition:expr, $steps:expr, $target:expr) => {
                if $condition {
                    count!($steps);
                    pc = $target as usize;
                }
            };
        }
        macro_rules! load {
            ($n:literal, $ty:expr, $dst:expr, $address:expr) => {{
                let address = get!($address);
                let value = match self.memory.load::<$n>(address) {
                    Some(value) => value,
                    None => check!(self.load_slowly(address, code.types[$ty as usize])) as u64,
                };
                set!($dst, value);
            }};
        }
        macro_rules! store {
            ($n:literal, $address:expr, $a:expr) => {{
                let (address, value) = (get!($address), get!($a));
                if !self.memory.store::<$n>(address, value) {
                    check!(self.store_slowly(address, $n, value.into(), false));
                }
                if TRACE {
                    self.last_write = (address, $n);
                }
            }};
        }
        loop {
            let instr = instrs[pc];
            pc += 1;
            match instr {
                Instr::Move(dst, a) => set!(dst, get!(a)),

                Instr::Add32(dst, a, b) => {
                    set!(dst, (get!(a) as u32).wrapping_add(get!(b) as u32).into())
                }
                Instr::Sub32(dst, a, b) => {
                    set!(dst, (get!(a) as u32).wrapping_sub(get!(b) as u32).into())
                }
                Instr::Mul32(dst, a, b) => {
                    set!(dst, (get!(a) as u32).wrapping_mul(get!(b) as u32).into())
                }
                Instr::Add64(dst, a, b) => set!(dst, get!(a).wrapping_add(get!(b))),
                Instr::Sub64(dst, a, b) => set!(dst, get!(a).wrapping_sub(get!(b))),
                Instr::Mul64(dst, a, b) => set!(dst, get!(a).wrapping_mul(get!(b))),
                Instr::And(dst, a, b) => set!(dst, get!(a) & get!(b)),
                Instr::Or(dst, a, b) => set!(dst, get!(a) | get!(b)),
                Instr::Xor(dst, a, b) => set!(dst, get!(a) ^ get!(b)),
                Instr::Shl32(dst, a, b) => {
                    set!(dst, (get!(a) as u32).wrapping_shl(get!(b) as u32).into())
                }
                Instr::Shl64(dst, a, b) => set!(dst, get!(a).wrapping_shl(get!(b) as u32)),
                Instr::ShrU32(dst, a, b) => {
                    set!(dst, (get!(a) as u32).wrapping_shr(get!(b) as u32).into())
                }
                Instr::ShrU64(dst, a, b) => set!(dst, get!(a).wrapping_shr(get!(b) as u32)),
                Instr::ShrS32(dst, a, b) => {
                    let value = (get!(a) as i32).wrapping_shr(get!(b) as u32);
                    set!(dst, (value as u32).into());
                }
                Instr::ShrS64(dst, a, b) => {
                    set!(dst, (get!(a) as i64).wrapping_shr(get!(b) as u32) as u64)
                }
                Instr::DivU(dst, a, b) => match get!(a).checked_div(get!(b)) {
                    Some(value) => set!(dst, value),
                    None => end!(Outcome::DivisionByZero),
                },
                Instr::RemU(dst, a, b) => match get!(a).checked_rem(get!(b)) {
                    Some(value) => set!(dst, value),
                    None => end!(Outcome::DivisionByZero),
                },
                Instr::DivS32(dst, a, b) => {
                    let (a, b) = (get!(a) as i32, get!(b) as i32);
                    if b == 0 {
                        end!(Outcome::DivisionByZero);
                    }
                    set!(dst, (a.wrapping_div(b) as u32).into());
                }
                Instr::RemS32(dst, a, b) => {
                    let (a, b) = (get!(a) as i32, get!(b) as i32);
                    if b == 0 {
                        end!(Outcome::DivisionByZero);
                    }
                    set!(dst, (a.wrapping_rem(b) as u32).into());
                }
                Instr::DivS64(dst, a, b) => {
                    let (a, b) = (get!(a) as i64, get!(b) as i64);
                    if b == 0 {
                        end!(Outcome::DivisionByZero);
                    }
                    set!(dst, a.wrapping_div(b) as u64);
                }
                Instr::RemS64(dst, a, b) => {
                    let (a, b) = (get!(a) as i64, get!(b) as i64);
                    if b == 0 {
                        end!(Outcome::DivisionByZero);
                    }
                    set!(dst, a.wrapping_rem(b) as u64);
                }
                Instr::Eq(dst, a, b) => set!(dst, (get!(a) == get!(b)).into()),
                Instr::Ne(dst, a, b) => set!(dst, (get!(a) != get!(b)).into()),
                Instr::LtU(dst, a, b) => set!(dst, (get!(a) < get!(b)).into()),
                Instr::LeU(dst, a, b) => set!(dst, (get!(a) <= get!(b)).into()),
                Instr::LtS32(dst, a, b) => {
                    set!(dst, ((get!(a) as i32) < get!(b) as i32).into())
                }
                Instr::LeS32(dst, a, b) => {
                    set!(dst, (get!(a) as i32 <= get!(b) as i32).into())
                }
                Instr::LtS64(dst, a, b) => {
                    set!(dst, ((get!(a) as i64) < get!(b) as i64).into())
                }
                Instr::LeS64(dst, a, b) => {
                    set!(dst, (get!(a) as i64 <= get!(b) as i64).into())
                }
                Instr::AddF64(dst, a, b) => {
                    set!(dst, double(real(get!(a)) + real(get!(b))))
                }
                Instr::SubF64(dst, a, b) => {
                    set!(dst, double(real(get!(a)) - real(get!(b))))
                }
                Instr::MulF64(dst, a, b) => {
                    set!(dst, double(real(get!(a)) * real(get!(b))))
                }
                Instr::Neg32(dst, a) => set!(dst, (get!(a) as u32).wrapping_neg().into()),
                Instr::Neg64(dst, a) => set!(dst, get!(a).wrapping_neg()),
                Instr::Not32(dst, a) => set!(dst, (!(get!(a) as u32)).into()),
                Instr::Not64(dst, a) => set!(dst, !get!(a)),
                Instr::BoolNot(dst, a) => set!(dst, get!(a) ^ 1),
                Instr::Truncate { drop, dst, a } => {
                    set!(dst, get!(a) << drop >> drop)
                }
                Instr::Extend { from, drop, dst, a } => {
                    let extended = ((get!(a) << from) as i64 >> from) as u64;
                    set!(dst, extended << drop >> drop);
                }
                Instr::MoveIf(dst, c, a) => {
                    if get!(c) != 0 {
                        set!(dst, get!(a));
                    }
                }
                Instr::Unary { op, dst, a } => {
                    let entry = &code.unary[op as usize];
                    let a = read(frame, a, entry.wide);
                    let value = check!(concrete::unary(entry.op, entry.ty, a));
                    write(frame, dst, entry.wide_result, value);
                }
                Instr::Binary { op, dst, a, b } => {
                    let entry = &code.binary[op as usize];
                    let a = read(frame, a, entry.wide);
                    let b = read(frame, b, entry.wide_count);
                    let result = concrete::binary(entry.op, entry.ty, entry.count, a, b);
                    write(frame, dst, entry.wide_result, check!(result));
                }
                Instr::Fma(index) => {
                    let entry = &code.fma[index as usize];
                    let wide = is_wide(entry.ty);
                    let [a, b, c] = entry.parts.map(|part| read(frame, part, wide));
                    let value = check!(concrete::fma(entry.ty, a, b, c));
                    write(frame, entry.dst, wide, value);
                }

                Instr::Load8(ty, dst, address) => load!(1, ty, dst, address),
                Instr::Load16(ty, dst, address) => load!(2, ty, dst, address),
                Instr::Load32(ty, dst, address) => load!(4, ty, dst, address),
                Instr::Load64(ty, dst, address) => load!(8, ty, dst, address),
                Instr::Load { ty, dst, address } => {
                    let ty = code.types[ty as usize];
                    let value = check!(self.load_slowly(get!(address), ty));
                    write(frame, dst, is_wide(ty), value);
                }
                Instr::Store8(address, a) => store!(1, address, a),
                Instr::Store16(address, a) => store!(2, address, a),
                Instr::Store32(address, a) => store!(4, address, a),
                Instr::Store64(address, a) => store!(8, address, a),
                Instr::Store { ty, address, a } | Instr::Initialise { ty, address, a } => {
                    let initialises = matches!(instr, Instr::Initialise { .. });
                    let ty = code.types[ty as usize];
                    let address = get!(address);
                    let value = read(frame, a, is_wide(ty));
                    check!(self.store_slowly(address, ty.bytes(), value, initialises));
                    if TRACE {
                        self.last_write = (address, ty.bytes());
                    }
                }

                Instr::Jump(count, target) => {
                    count!(count);
                    pc = target as usize;
                }
                Instr::Steps(count) => {
                    count!(count);
                }
                Instr::JumpIf(n, a, to) => jump_if!(get!(a) != 0, n, to),
                Instr::JumpIfNot(n, a, to) => jump_if!(get!(a) == 0, n, to),
                Instr::JumpEq(n, a, b, to) => jump_if!(get!(a) == get!(b), n, to),
                Instr::JumpNe(n, a, b, to) => jump_if!(get!(a) != get!(b), n, to),
                Instr::JumpLtU(n, a, b, to) => jump_if!(get!(a) < get!(b), n, to),
                Instr::JumpLeU(n, a, b, to) => jump_if!(get!(a) <= get!(b), n, to),
                Instr::JumpLtS32(n, a, b, to) => {
                    jump_if!((get!(a) as i32) < get!(b) as i32, n, to)
                }
                Instr::JumpLeS32(n, a, b, to) => {
                    jump_if!(get!(a) as i32 <= get!(b) as i32, n, to)
                }
                Instr::JumpLtS64(n, a, b, to) => {
                    jump_if!((get!(a) as i64) < get!(b) as i64, n, to)
                }
                Instr::JumpLeS64(n, a, b, to) => {
                    jump_if!(get!(a) as i64 <= get!(b) as i64, n, to)
                }
                Instr::Switch { steps: n, a, table } => {
                    let targets = &code.switches[table as usize].targets;
                    if let Some(&target) = targets.get(&get!(a)) {
                        count!(n);
                        pc = target as usize;
                    }
                }
                Instr::Call(n, index) => {
                    count!(n);
                    let call = &code.calls[index as usize];
                    check!(self.enter(call, index, pc, frame));
                    pc = code.functions[call.function.0 as usize].entry as usize;
                }
                Instr::Return(n) => {
                    count!(n);
                    let Some(done) = self.activations.pop_if(|done| done.return_to != 0) else {
                        let status = self.entry_status(frame);
                        end!(Outcome::Finished(status));
                    };
                    check!(self.leave(&done, frame));
                    pc = done.return_to;
                    if TRACE {
                        let call = &code.calls[done.call as usize];
                        let change = match self.program.edge_op(call.edge) {
                            Op::Call {
                                result: Some(var), ..
                            } => self.variable_change(*var, frame),
                            _ => Change::Nothing,
                        };
                        observer.leave(call.edge, change, &self.view(frame));
                    }
                }

                Instr::Havoc(index) => {
                    let entry = &code.havocs[index as usize];
                    let value = check!(self.input(entry.input, entry.ty, None));
                    write(frame, entry.target, is_wide(entry.ty), value);
                }
                Instr::Begin(index) => check!(self.begin(&code.begins[index as usize], frame)),
                Instr::End(index) => check!(self.end(&code.ends[index as usize], frame)),
                Instr::Allocate(index) => {
                    check!(self.allocate(&code.allocations[index as usize], frame));
                }
                Instr::Reallocate(index) => {
                    check!(self.reallocate(&code.allocations[index as usize], frame));
                }
                Instr::Release(a) => check!(self.release(get!(a))),
                Instr::Copy {
                    initialises,
                    target,
                    source,
                    size,
                } => {
                    let (target, source, size) = (get!(target), get!(source), get!(size));
                    check!(self.copy(target, source, size, initialises));
                    if TRACE {
                        self.last_write = (target, size);
                    }
                }
                Instr::Fill {
                    initialises,
                    target,
                    byte,
                    size,
                } => {
                    let (target, byte, size) = (get!(target), get!(byte), get!(size));
                    let filled = self.memory.fill(target, size, byte as u8, initialises);
                    check!(filled.map_err(|bad| self.bad(bad, AccessKind::Write)));
                    if TRACE {
                        self.last_write = (target, size);
                    }
                }
                Instr::Print(index) => check!(self.print(&code.prints[index as usize], frame)),

                Instr::Exit(a) => end!(Outcome::Finished(get!(a) as i32)),
                Instr::Abort => end!(Outcome::Aborted),
                Instr::Undefined(text) => {
                    end!(Outcome::Undefined(code.texts[text as usize].clone()))
                }
                Instr::Unsupported(text) => {
                    end!(Outcome::Unsupported(code.texts[text as usize].clone()))
                }
                Instr::ReachError(location) => end!(Outcome::Error(location)),
                Instr::Stuck => end!(Outcome::AssumeFailed),
                Instr::Mark(edge) => {
                    if TRACE {
                        let change = self.change(edge, frame);
                        observer.edge(edge, change, &self.view(frame));
                    }
                }
            }
        }
    }

    // ---- limits ----

    fn next_check(&self, steps: u64) -> u64 {
        steps
            .saturating_add(CHECK_EVERY)
            .min(self.options.max_steps)
    }

    #[cold]
    fn limit(&self, steps: u64) -> Option<Outcome> {
        if steps >= self.options.max_steps {
            return Some(Outcome::StepLimit);
        }
        if let Some(stop) = self.options.stop
            && stop.load(Ordering::Relaxed)
        {
            return Some(Outcome::Stopped);
        }
        match self.options.deadline {
            Some(deadline) if Instant::now() >= deadline => Some(Outcome::TimeLimit),
            _ => None,
        }
    }

    fn entry_status(&self, frame: &[u64]) -> i32 {
        match self.program.function(self.program.entry).result {
            Some(var) => frame[self.places.vars[var.0 as usize] as usize] as i32,
            None => 0,
        }
    }

    // ---- calls ----

    #[inline]
    fn enter(
        &mut self,
        call: &CallEntry,
        index: u32,
        return_to: usize,
        frame: &mut [u64],
    ) -> Step<()> {
        let callee = call.function.0 as usize;
        let own = self.code.functions[callee].own.clone();
        let put_aside = self.active[callee] > 0;
        if self.activations.len() >= self.options.max_depth {
            return Err(Outcome::StackLimit);
        }
        // Arguments may lie in the very registers that are put aside.
        let args = call.args.iter().map(|&(from, _)| frame[from as usize]);
        self.passing.clear();
        self.passing.extend(args);
        let registers = &mut frame[own];
        if put_aside {
            if (self.aside.len() + registers.len()) as u64 > self.options.max_memory / 8 {
                return Err(Outcome::StackLimit);
            }
            self.aside.extend_from_slice(registers);
        }
        registers.fill(0);
        for (&value, &(_, to)) in self.passing.iter().zip(&call.args) {
            frame[to as usize] = value;
        }
        self.active[callee] += 1;
        self.activations.push(Activation {
            function: call.function,
            return_to,
            call: index,
            automatic: self.automatic.len(),
            put_aside,
        });
        Ok(())
    }

    #[inline]
    fn leave(&mut self, done: &Activation, frame: &mut [u64]) -> Step<()> {
        while self.automatic.len() > done.automatic {
            let slot = self.automatic.pop().unwrap_or_default();
            self.end_slot(slot)?;
        }
        let call = &self.code.calls[done.call as usize];
        let results = call.result.iter().map(|&(from, _)| frame[from as usize]);
        self.passing.clear();
        self.passing.extend(results);
        if done.put_aside {
            let own = self.code.functions[done.function.0 as usize].own.clone();
            let from = self.aside.len() - own.len();
            frame[own].copy_from_slice(&self.aside[from..]);
            self.aside.truncate(from);
        }
        self.active[done.function.0 as usize] -= 1;
        for (&value, &(_, to)) in self.passing.iter().zip(&call.result) {
            frame[to as usize] = value;
        }
        Ok(())
    }

    // ---- values ----

    /// Consumes an input; `memory` is the byte that asks for it, where memory does.
    fn input(&mut self, id: InputId, ty: Ty, memory: Option<(ObjectId, u64)>) -> Step<u128> {
        let made;
        let input = match self.program.inputs.get(id.0 as usize) {
            Some(input) => input,
            None => {
                made = input_of(self.program, id);
                &made
            }
        };
        let bits = match memory {
            None => self.streams.inputs.next(input, ty),
            Some((object, offset)) => {
                let inputs = &mut self.streams.inputs;
                inputs.next_in_memory(input, object, offset, ty)
            }
        };
        let Some(bits) = bits else {
            return Err(Outcome::InputsExhausted(id));
        };
        let mut bits = int::truncate(bits, ty.width().into());
        if input.is_bool {
            bits = u128::from(bits != 0);
        }
        self.recorded.push((id, ty, bits));
        Ok(bits)
    }

    // ---- memory ----

    #[cold]
    fn bad(&self, bad: Bad, kind: AccessKind) -> Outcome {
        match bad {
            Bad::Full => Outcome::MemoryLimit,
            Bad::ReadOnly(address) => self.invalid(kind, outcome::Fault::ReadOnly, address),
            Bad::NotLive(address) => {
                let fault = if address < 1 << 16 {
                    outcome::Fault::Null
                } else {
                    match self.memory.nearest(address) {
                        Some((slot, 0)) if !slot.live => outcome::Fault::Dead,
                        Some((_, distance)) if distance < NEAR => outcome::Fault::OutOfBounds,
                        _ => outcome::Fault::Wild,
                    }
                };
                self.invalid(kind, fault, address)
            }
        }
    }

    fn invalid(&self, kind: AccessKind, fault: outcome::Fault, address: u64) -> Outcome {
        let object = match fault {
            outcome::Fault::Null | outcome::Fault::Wild => None,
            _ => self.memory.nearest(address).map(|(slot, _)| {
                let offset = address.wrapping_sub(slot.start) as i64;
                (ObjectId(slot.object), offset)
            }),
        };
        Outcome::InvalidAccess(InvalidAccess {
            kind,
            fault,
            address,
            object,
        })
    }

    #[cold]
    #[inline(never)]
    fn load_slowly(&mut self, address: u64, ty: Ty) -> Step<u128> {
        let count = ty.bytes();
        let found = self.memory.inspect(address, count);
        let value = match found.map_err(|bad| self.bad(bad, AccessKind::Read))? {
            Bytes::Set(value) => value,
            Bytes::Unset => {
                let value = self.memory_value(address, ty)?;
                for i in 0..count {
                    self.fix_byte(address.wrapping_add(i), (value >> (8 * i)) as u8)?;
                }
                value
            }
            Bytes::Partly => {
                let mut value = 0;
                for i in 0..count {
                    value |= u128::from(self.byte_at(address.wrapping_add(i))?) << (8 * i);
                }
                value
            }
        };
        Ok(int::truncate(value, ty.width().into()))
    }

    fn fix_byte(&mut self, address: u64, value: u8) -> Step<()> {
        self.memory
            .fix_byte(address, value)
            .map_err(|_| Outcome::MemoryLimit)
    }

    /// An input for memory that has no value.
    fn memory_value(&mut self, address: u64, ty: Ty) -> Step<u128> {
        let slot = self.memory.nearest(address);
        let (object, offset) = match slot {
            Some((slot, _)) => (ObjectId(slot.object), address - slot.start),
            None => (ObjectId(0), 0),
        };
        let id = memory_input(self.program, object);
        self.input(id, ty, Some((object, offset)))
    }

    fn byte_at(&mut self, address: u64) -> Step<u8> {
        if let Some(value) = self.memory.known_byte(address) {
            return Ok(value);
        }
        if !self.memory.is_live(address) {
            return Err(self.bad(Bad::NotLive(address), AccessKind::Read));
        }
        let value = self.memory_value(address, Ty::U8)? as u8;
        self.fix_byte(address, value)?;
        Ok(value)
    }

    #[cold]
    #[inline(never)]
    fn store_slowly(
        &mut self,
        address: u64,
        count: u64,
        value: u128,
        initialises: bool,
    ) -> Step<()> {
        self.memory
            .store_slowly(address, count, value, initialises)
            .map_err(|bad| self.bad(bad, AccessKind::Write))
    }

    fn copy(&mut self, target: u64, source: u64, size: u64, initialises: bool) -> Step<()> {
        self.memory
            .copy(target, source, size, initialises)
            .map_err(|bad| {
                let address = match bad {
                    Bad::NotLive(address) | Bad::ReadOnly(address) => address,
                    Bad::Full => return Outcome::MemoryLimit,
                };
                let reading =
                    address.wrapping_sub(source) < size && address.wrapping_sub(target) >= size;
                let kind = if reading {
                    AccessKind::Read
                } else {
                    AccessKind::Write
                };
                self.bad(bad, kind)
            })
    }

    fn end_slot(&mut self, slot: u32) -> Step<()> {
        self.memory.end(slot).map_err(|_| Outcome::MemoryLimit)
    }

    /// The live slot of the object in the present activation, taken out of the list.
    fn take_automatic(&mut self, object: ObjectId) -> Option<u32> {
        let from = self.activations.last()?.automatic;
        let own = &self.automatic[from..];
        let position = own
            .iter()
            .rposition(|&slot| self.memory.slot(slot).object == object.0)?;
        Some(self.automatic.remove(from + position))
    }

    fn begin(&mut self, entry: &BeginEntry, frame: &mut [u64]) -> Step<()> {
        let zero = entry.contents == Contents::Zero;
        let place = match entry.address {
            Ok(fixed) => {
                return self
                    .memory
                    .set_contents(fixed, entry.size, zero, !entry.read_only)
                    .map_err(|_| Outcome::MemoryLimit);
            }
            Err(place) => place,
        };
        // A jump back over the declaration: the object of the last round is gone.
        if frame[place as usize] != 0
            && let Some(old) = self.take_automatic(entry.object)
        {
            self.end_slot(old)?;
        }
        let slot = self
            .memory
            .begin(
                entry.object.0,
                entry.class,
                entry.size,
                Storage::Automatic,
                zero,
            )
            .map_err(|_| Outcome::MemoryLimit)?;
        self.automatic.push(slot);
        let start = self.memory.slot(slot).start;
        frame[place as usize] = start;
        Ok(())
    }

    fn end(&mut self, entry: &EndEntry, frame: &mut [u64]) -> Step<()> {
        while let Some(slot) = self.take_automatic(entry.object) {
            self.end_slot(slot)?;
            if !entry.all {
                break;
            }
        }
        if let Some(place) = entry.address {
            frame[place as usize] = 0;
        }
        Ok(())
    }

    fn new_object(&mut self, entry: &AllocateEntry, size: u64) -> Step<u32> {
        let class = self.memory.class_for(size, entry.align);
        let storage = if entry.automatic {
            Storage::Automatic
        } else {
            Storage::Heap
        };
        let slot = self
            .memory
            .begin(entry.object.0, class, size, storage, entry.zero)
            .map_err(|_| Outcome::MemoryLimit)?;
        if entry.automatic {
            self.automatic.push(slot);
        }
        Ok(slot)
    }

    fn allocate(&mut self, entry: &AllocateEntry, frame: &mut [u64]) -> Step<()> {
        let slot = self.new_object(entry, frame[entry.size as usize])?;
        self.allocated(entry, slot, frame);
        Ok(())
    }

    fn allocated(&mut self, entry: &AllocateEntry, slot: u32, frame: &mut [u64]) {
        let start = self.memory.slot(slot).start;
        if let Some(place) = entry.address {
            frame[place as usize] = start;
        }
        frame[entry.target as usize] = start;
    }

    fn reallocate(&mut self, entry: &AllocateEntry, frame: &mut [u64]) -> Step<()> {
        let size = frame[entry.size as usize];
        let old = entry.old.map_or(0, |reg| frame[reg as usize]);
        let old_slot = match old {
            0 => None,
            _ => Some(self.heap_object(old)?),
        };
        let slot = self.new_object(entry, size)?;
        if let Some(old_slot) = old_slot {
            let kept = self.memory.slot(old_slot).size.min(size);
            let start = self.memory.slot(slot).start;
            self.copy(start, old, kept, false)?;
            self.end_slot(old_slot)?;
        }
        self.allocated(entry, slot, frame);
        Ok(())
    }

    fn heap_object(&self, address: u64) -> Step<u32> {
        self.memory.heap_object_at(address).ok_or_else(|| {
            let dead = self
                .memory
                .nearest(address)
                .is_some_and(|(slot, _)| slot.start == address && !slot.live);
            let fault = if dead {
                outcome::Fault::Dead
            } else {
                outcome::Fault::NotAllocated
            };
            self.invalid(AccessKind::Release, fault, address)
        })
    }

    fn release(&mut self, address: u64) -> Step<()> {
        if address == 0 {
            return Ok(());
        }
        let slot = self.heap_object(address)?;
        self.end_slot(slot)
    }

    // ---- printing ----

    fn print(&mut self, entry: &PrintEntry, frame: &mut [u64]) -> Step<()> {
        let args: Vec<(u128, Ty)> = entry
            .args
            .iter()
            .map(|&(reg, ty)| (read(frame, reg, is_wide(ty)), ty))
            .collect();
        let first = args.first().map_or(0, |&(bits, _)| bits);
        let model = self.program.model;
        let (bytes, result) = match &entry.kind {
            PrintKind::Format(format) => {
                let bytes = printf::format(model, format, &args, self)?;
                let count = bytes.len();
                (bytes, count as u128)
            }
            PrintKind::UnknownFormat => {
                let format = printf::string(first as u64, None, self)?;
                let rest = args.get(1..).unwrap_or_default();
                let bytes = printf::format(model, &format, rest, self)?;
                let count = bytes.len();
                (bytes, count as u128)
            }
            PrintKind::Char => (vec![first as u8], first & 0xff),
            PrintKind::Line => {
                let mut bytes = printf::string(first as u64, None, self)?;
                bytes.push(b'\n');
                let count = bytes.len();
                (bytes, count as u128)
            }
            // As glibc's `fputs`.
            PrintKind::Text => (printf::string(first as u64, None, self)?, 1),
        };
        let stream = if entry.to_stderr {
            &mut self.streams.err
        } else {
            &mut self.streams.out
        };
        // Where nobody can read it, output is lost as for any program; the execution is not about it.
        let _ = stream.write_all(&bytes);
        if let Some((place, ty)) = entry.result {
            let value = int::truncate(result, ty.width().into());
            write(frame, place, is_wide(ty), value);
        }
        Ok(())
    }

    // ---- watching ----

    fn view<'b>(&'b self, frame: &'b [u64]) -> View<'b> {
        View {
            program: self.program,
            places: self.places,
            memory: self.memory,
            registers: frame,
            function: self
                .activations
                .last()
                .map_or(self.program.entry, |activation| activation.function),
        }
    }

    fn variable_change(&self, var: VarId, frame: &[u64]) -> Change {
        match self.view(frame).variable(var) {
            Some(value) => Change::Variable(var, value),
            None => Change::Nothing,
        }
    }

    fn change(&self, edge: EdgeId, frame: &[u64]) -> Change {
        match self.program.edge_op(edge) {
            Op::Assign(var, _)
            | Op::Havoc(var, _)
            | Op::Allocate { target: var, .. }
            | Op::Reallocate { target: var, .. } => self.variable_change(*var, frame),
            Op::Print(print) => match print.result {
                Some(var) => self.variable_change(var, frame),
                None => Change::Nothing,
            },
            Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } => Change::Memory {
                address: self.last_write.0,
                size: self.last_write.1,
            },
            Op::Call { function, .. } => Change::Call(*function),
            _ => Change::Nothing,
        }
    }
}

/// Code without marks tells nobody.
struct NoObserver;

impl Observer for NoObserver {
    fn edge(&mut self, _: EdgeId, _: Change, _: &View<'_>) {}
}

impl printf::Strings for Machine<'_> {
    type Error = Outcome;

    fn byte(&mut self, address: u64) -> Step<u8> {
        self.byte_at(address)
    }

    fn store_count(&mut self, address: u64, width: u16, count: u64) -> Step<()> {
        self.store_slowly(address, u64::from(width / 8), count.into(), false)
    }
}
