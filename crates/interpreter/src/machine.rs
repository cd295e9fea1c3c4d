//! Running compiled code.

use super::Options;
use super::code::*;
use super::input::InputSource;
use super::leap::{Leaps, Surroundings};
use super::memory::Memory;
use super::observe::{Change, Observer, View};
use super::outcome::{self, AccessKind, Outcome, Run};
use super::places::Places;
use cfa::concrete::{self, Undefined};
use cfa::op::{InputId, Op};
use cfa::program::{EdgeId, FuncId, Program};
use cfa::value::Ty;
use control::{StopToken, clock};
use std::io::Write;
use std::time::Duration;

/// Steps between two looks at the clock and the stop token.
const CHECK_EVERY: u64 = 1 << 13;
/// What it takes to begin a run and to end it, where time is counted.
const TIME_OF_START: Duration = Duration::from_micros(5);
/// What so many steps take, where time is counted.
const TIME_OF_CHECKED_STEPS: Duration = Duration::from_micros(40);

pub(super) struct Streams<'a> {
    pub inputs: &'a mut dyn InputSource,
    pub out: &'a mut dyn Write,
    pub err: &'a mut dyn Write,
}

/// A function that has been called and has not returned.
pub(super) struct Activation {
    pub function: FuncId,
    pub return_to: Pc,
    /// Entry of the call table; unused for the entry function.
    pub call: u32,
    /// How many automatic objects were alive before it.
    pub automatic: u32,
    /// Its function was active before, and the registers of that activation are put aside.
    pub put_aside: bool,
}

pub(super) struct Machine<'a> {
    pub program: &'a Program,
    pub code: &'a Code,
    pub places: &'a Places,
    pub memory: &'a mut Memory,
    pub options: &'a Options<'a>,
    pub streams: Streams<'a>,
    pub activations: Vec<Activation>,
    /// How many activations each function has.
    pub active: Vec<u32>,
    /// Registers of activations whose function is active again, innermost last.
    pub aside: Vec<u64>,
    /// Values on their way into a call or out of it.
    pub passing: Vec<u64>,
    /// Slots of live automatic objects, of the outermost activation first.
    pub automatic: Vec<u32>,
    pub recorded: Vec<(InputId, Ty, u128)>,
    /// What the last write to memory changed; kept only while somebody watches.
    pub last_write: (u64, u64),
    leaps: Leaps,
    /// One past the instruction that ends objects.
    pub now: usize,
    /// The number of steps at which the limits are looked at.
    next_limit: u64,
}

pub(super) type Step<T> = Result<T, Outcome>;

#[inline(always)]
pub(super) fn read(frame: &[u64], reg: Reg, wide: bool) -> u128 {
    let low = u128::from(frame[reg as usize]);
    if wide {
        low | u128::from(frame[reg as usize + 1]) << 64
    } else {
        low
    }
}

#[inline(always)]
pub(super) fn write(frame: &mut [u64], reg: Reg, wide: bool, value: u128) {
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
            Undefined::DivisionOverflows => Outcome::DivisionOverflows,
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
            leaps: Leaps::new(false),
            now: 0,
            next_limit: 0,
        }
    }

    pub fn run(mut self, registers: &mut Vec<u64>, observer: Option<&mut dyn Observer>) -> Run {
        clock::tick(TIME_OF_START);
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
            place: outcome::EndPlace {
                location,
                edge,
                span,
                calls: calls.collect(),
            },
            steps: steps + origin.map_or(0, |origin| u64::from(origin.uncounted)),
            inputs: self.recorded,
            fault: None,
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

    /// The loop that everything is about. Ends with the outcome; `pc` is then one past the
    /// instruction that ended it.
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
        // Addresses wrap around as the program's own arithmetic does.
        let address_mask = u64::MAX >> (64 - self.program.model.pointer_bits());
        self.leaps = Leaps::new(!TRACE && self.options.leaps);
        self.next_limit = self.limit_after(0);
        let mut next_check = self.next_check();
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
        macro_rules! check_limits {
            () => {
                if let Some(outcome) = self.limit(steps) {
                    // The steps of this instruction are counted already.
                    let uncounted = u64::from(code.origins[pc - 1].uncounted);
                    steps = steps.saturating_sub(uncounted);
                    end!(outcome);
                }
            };
        }
        macro_rules! count {
            ($count:expr) => {
                steps += u64::from($count);
                if steps >= next_check {
                    check_limits!();
                    // A leap that is due stays so until the next jump.
                    next_check = self.next_check();
                }
            };
        }
        macro_rules! jump {
            ($count:expr, $target:expr) => {
                steps += u64::from($count);
                if steps >= next_check {
                    check_limits!();
                    steps += self.leap(frame, $target, steps);
                    next_check = self.next_check();
                }
                pc = $target as usize;
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
                    jump!($steps, $target);
                }
            };
        }
        macro_rules! load {
            ($n:literal, $ty:expr, $dst:expr, $address:expr, $offset:expr) => {{
                let address = get!($address).wrapping_add($offset as u64) & address_mask;
                let value = match self.memory.load::<$n>(address) {
                    Some(value) => value,
                    None => check!(self.load_slowly(address, code.types[$ty as usize])) as u64,
                };
                set!($dst, value);
            }};
        }
        macro_rules! store {
            ($n:literal, $address:expr, $a:expr, $offset:expr) => {{
                let address = get!($address).wrapping_add($offset as u64) & address_mask;
                let value = get!($a);
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
                    match a.checked_div(b) {
                        Some(value) => set!(dst, (value as u32).into()),
                        None if b == 0 => end!(Outcome::DivisionByZero),
                        None => end!(Outcome::DivisionOverflows),
                    }
                }
                Instr::RemS32(dst, a, b) => {
                    let (a, b) = (get!(a) as i32, get!(b) as i32);
                    match a.checked_rem(b) {
                        Some(value) => set!(dst, (value as u32).into()),
                        None if b == 0 => end!(Outcome::DivisionByZero),
                        None => end!(Outcome::DivisionOverflows),
                    }
                }
                Instr::DivS64(dst, a, b) => {
                    let (a, b) = (get!(a) as i64, get!(b) as i64);
                    match a.checked_div(b) {
                        Some(value) => set!(dst, value as u64),
                        None if b == 0 => end!(Outcome::DivisionByZero),
                        None => end!(Outcome::DivisionOverflows),
                    }
                }
                Instr::RemS64(dst, a, b) => {
                    let (a, b) = (get!(a) as i64, get!(b) as i64);
                    match a.checked_rem(b) {
                        Some(value) => set!(dst, value as u64),
                        None if b == 0 => end!(Outcome::DivisionByZero),
                        None => end!(Outcome::DivisionOverflows),
                    }
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
                Instr::Index64(shift, dst, base, index) => {
                    set!(dst, get!(base).wrapping_add(get!(index) << shift))
                }
                Instr::Index32(shift, dst, base, index) => {
                    let sum = get!(base).wrapping_add(get!(index) << shift);
                    set!(dst, (sum as u32).into());
                }
                Instr::IndexSigned(shift, dst, base, index) => {
                    let index = get!(index) as i32 as i64 as u64;
                    set!(dst, get!(base).wrapping_add(index << shift));
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

                Instr::Load8(ty, dst, a, o) => load!(1, ty, dst, a, o),
                Instr::Load16(ty, dst, a, o) => load!(2, ty, dst, a, o),
                Instr::Load32(ty, dst, a, o) => load!(4, ty, dst, a, o),
                Instr::Load64(ty, dst, a, o) => load!(8, ty, dst, a, o),
                Instr::Load { ty, dst, address } => {
                    let ty = code.types[ty as usize];
                    let value = check!(self.load_slowly(get!(address), ty));
                    write(frame, dst, is_wide(ty), value);
                }
                Instr::Store8(to, a, o) => store!(1, to, a, o),
                Instr::Store16(to, a, o) => store!(2, to, a, o),
                Instr::Store32(to, a, o) => store!(4, to, a, o),
                Instr::Store64(to, a, o) => store!(8, to, a, o),
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
                    jump!(count, target);
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
                Instr::AddJumpLtU(delta, n, a, b, to) => {
                    let sum = (get!(a) as u32).wrapping_add(delta as u32);
                    set!(a, sum.into());
                    jump_if!(u64::from(sum) < get!(b), n, to);
                }
                Instr::AddJumpLtS32(delta, n, a, b, to) => {
                    let sum = (get!(a) as u32).wrapping_add(delta as u32);
                    set!(a, sum.into());
                    jump_if!((sum as i32) < get!(b) as i32, n, to);
                }
                Instr::AddJumpLeS32(delta, n, a, b, to) => {
                    let sum = (get!(a) as u32).wrapping_add(delta as u32);
                    set!(a, sum.into());
                    jump_if!(sum as i32 <= get!(b) as i32, n, to);
                }
                Instr::AddJumpNe(delta, n, a, b, to) => {
                    let sum = (get!(a) as u32).wrapping_add(delta as u32);
                    set!(a, sum.into());
                    jump_if!(u64::from(sum) != get!(b), n, to);
                }
                Instr::Switch { steps: n, a, table } => {
                    let targets = &code.switches[table as usize].targets;
                    if let Some(&target) = targets.get(&get!(a)) {
                        jump!(n, target);
                    }
                }
                Instr::Call(n, index) => {
                    count!(n);
                    let call = &code.calls[index as usize];
                    check!(self.enter(call, index, pc as Pc, frame));
                    pc = code.functions[call.function.0 as usize].entry as usize;
                }
                Instr::Return(n) => {
                    count!(n);
                    let Some(done) = self.activations.pop_if(|done| done.return_to != 0) else {
                        let status = self.entry_status(frame);
                        end!(Outcome::Finished(status));
                    };
                    check!(self.leave(&done, frame));
                    pc = done.return_to as usize;
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
                Instr::End(index) => {
                    self.now = pc;
                    check!(self.end(&code.ends[index as usize], frame));
                }
                Instr::Allocate(index) => {
                    check!(self.allocate(&code.allocations[index as usize], frame));
                }
                Instr::Reallocate(index) => {
                    self.now = pc;
                    check!(self.reallocate(&code.allocations[index as usize], frame));
                }
                Instr::Release(a) => {
                    self.now = pc;
                    check!(self.release(get!(a)));
                }
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

    fn limit_after(&self, steps: u64) -> u64 {
        steps
            .saturating_add(CHECK_EVERY)
            .min(self.options.max_steps)
    }

    /// The number of steps at which to look at limits, or to leap.
    fn next_check(&self) -> u64 {
        self.next_limit.min(self.leaps.due)
    }

    #[cold]
    fn limit(&mut self, steps: u64) -> Option<Outcome> {
        if steps < self.next_limit {
            return None;
        }
        if steps >= self.options.max_steps {
            return Some(Outcome::StepLimit);
        }
        clock::tick(TIME_OF_CHECKED_STEPS);
        if self.options.stop.is_some_and(StopToken::is_stopped) {
            return Some(Outcome::Stopped);
        }
        if let Some(deadline) = self.options.deadline
            && clock::now() >= deadline
        {
            return Some(Outcome::TimeLimit);
        }
        self.next_limit = self.limit_after(steps);
        None
    }

    /// At a jump to the target: does some rounds of the loop at once if it only counts; the steps
    /// that these take.
    #[cold]
    fn leap(&mut self, frame: &mut [u64], target: Pc, steps: u64) -> u64 {
        if steps < self.leaps.due {
            return 0;
        }
        let around = Surroundings {
            code: self.code,
            frame,
            activations: &self.activations,
            active: &self.active,
            max_depth: self.options.max_depth,
            max_steps: self.options.max_steps,
        };
        self.leaps.attempt(around, target, steps)
    }

    fn entry_status(&self, frame: &[u64]) -> i32 {
        match self.program.function(self.program.entry).result {
            Some(var) => frame[self.places.vars[var.0 as usize] as usize] as i32,
            None => 0,
        }
    }
}

/// Code without marks tells nobody.
struct NoObserver;

impl Observer for NoObserver {
    fn edge(&mut self, _: EdgeId, _: Change, _: &View<'_>) {}
}
