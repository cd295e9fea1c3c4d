//! Leaping over the rounds of loops that only count.
//!
//! A loop such as `while (x < n) { x += 2; s += x; }` does nothing for millions of rounds but add.
//! From time to time, at a jump, the machine asks whether the present loop is of this kind. If so,
//! many rounds are done at once, and the state is exactly the one after them: registers, place and
//! number of steps.
//!
//! An attempt at instruction `pc` goes like this.
//!
//! 1. Two rounds, from `pc` to `pc` in the same activation, are executed on a copy of the
//!    registers. Only instructions on registers are known here: memory, inputs, output,
//!    floating-point numbers end the attempt.
//! 2. The values before, between and after them suggest for each register the [`Progression`] that
//!    it follows from here on. This is a guess, nothing more.
//! 3. One more round is executed on progressions, which makes sure (law of [`Horizon`]) that for
//!    all `t < rounds`: if each register that is read holds in the beginning of round `t` what its
//!    guess says for `t`, then round `t` takes this same path, and each register that is written
//!    ends with what its progression says for `t`.
//! 4. For each register that was read before it was written, or not written at all, the end of the
//!    round must be the guess one round later: the same coefficients as those of `guess(t + 1)`.
//!
//! By 2. the guesses hold for `t = 0`; by 3. and 4., if they hold for `t < rounds`, they hold for
//! `t + 1`. So all rounds up to `rounds` take this path, and before round `t` the registers that
//! are read first hold `guess(t)`. The others that are written depend on these only. So the state
//! before the last round but one is computed from the guesses, and this round is executed as it is
//! (with plain values), which gives every other register its value. Each round counts the same
//! steps, because they depend on the path only. A leap ends before the limit of steps, so that a
//! run which meets the limit does so where it would have anyway.
//!
//! Where a loop does something every second or third time (`if (x % 2)`), several rounds together
//! are taken for one.

use super::code::*;
use super::machine::Activation;
use super::progression::{Horizon, Irregular, MAX_ROUNDS, Progression};
use cfa::concrete;
use cfa::expr::{BinOp, UnOp};
use cfa::program::FuncId;
use cfa::value::Ty;
use rustc_hash::FxHashMap;

/// Fewer rounds than this are left to the machine.
const WORTHWHILE: u64 = 64;
/// Instructions looked at in one attempt.
const EFFORT: u32 = 4000;
/// How many times the loop may come back to the instruction in what is taken for one round.
const MAX_LAPS: u32 = 6;
/// Steps never leap beyond this, so that they can always be counted on.
const MAX_STEPS: u64 = 1 << 62;

/// Steps until the first attempt, and the most between two.
const INTERVAL: u64 = 1 << 13;
/// Steps until the next attempt after a leap: the next loop may be near.
const SOON: u64 = 1 << 6;
/// How many steps of the program pay for looking at one instruction: it takes some ten times as
/// long as a step.
const STEPS_PER_EFFORT: u64 = 1 << 10;
/// What an attempt costs beside the instructions it looks at.
const BASE_EFFORT: u32 = 16;
/// Effort that can be saved up: a few milliseconds.
const MAX_CREDIT: i64 = 1 << 15;

/// Why an attempt ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Refusal {
    /// The loop does more than count, or is too long.
    Unknown,
    /// The guess was wrong. It may be right for several rounds at once.
    Irregular,
    /// The loop is left, or changes its path, after so many rounds.
    Short(u64),
    /// The function is left: it may be part of the round of a loop outside.
    Left,
}

impl From<Irregular> for Refusal {
    fn from(_: Irregular) -> Refusal {
        Refusal::Irregular
    }
}

/// What an attempt has to know about the machine.
pub(super) struct Surroundings<'a> {
    pub code: &'a Code,
    pub frame: &'a mut [u64],
    pub activations: &'a [Activation],
    /// How many activations each function has.
    pub active: &'a [u32],
    pub max_depth: usize,
    pub max_steps: u64,
}

/// When to try, and what attempts need to remember.
#[derive(Debug)]
pub(super) struct Leaps {
    /// The number of steps at which the next attempt is due.
    pub due: u64,
    /// Steps to wait after the next attempt that fails.
    interval: u64,
    /// Effort that may be spent, so that attempts take a small part of the time only.
    credit: i64,
    /// The number of steps when the credit was last looked at.
    credited: u64,
    /// Instructions where attempts failed: not before this many steps again, and how often it
    /// happened.
    refused: FxHashMap<Pc, (u64, u32)>,
    round: Round,
}

impl Leaps {
    pub fn new(enabled: bool) -> Leaps {
        Leaps {
            due: if enabled { INTERVAL } else { u64::MAX },
            interval: INTERVAL,
            credit: i64::from(EFFORT),
            credited: 0,
            refused: FxHashMap::default(),
            round: Round::default(),
        }
    }

    /// To be called at the target of a jump when an attempt is due. Changes the registers to those
    /// after some rounds of a loop, and says how many steps these take; zero rounds and steps if
    /// there is no such loop.
    pub fn attempt(&mut self, mut around: Surroundings<'_>, pc: Pc, steps: u64) -> u64 {
        let earned = (steps - self.credited) / STEPS_PER_EFFORT;
        self.credited += earned * STEPS_PER_EFFORT;
        self.credit = self.credit.saturating_add_unsigned(earned).min(MAX_CREDIT);
        if self.credit < 0 {
            self.due = steps + STEPS_PER_EFFORT * self.credit.unsigned_abs();
            return 0;
        }
        if let Some(&(until, _)) = self.refused.get(&pc)
            && steps < until
        {
            self.wait(steps);
            return 0;
        }
        self.round.effort = 0;
        let mut result = Err(Refusal::Irregular);
        for laps in 1..=MAX_LAPS {
            result = self.round.leap(&mut around, pc, steps, laps);
            if !matches!(result, Err(Refusal::Irregular | Refusal::Short(1..=4))) {
                break;
            }
        }
        self.credit -= i64::from(self.round.effort + BASE_EFFORT);
        match result {
            Ok(leapt) => {
                self.refused.remove(&pc);
                self.interval = SOON;
                self.due = steps + leapt + SOON;
                leapt
            }
            Err(Refusal::Short(_)) => {
                self.wait(steps);
                0
            }
            Err(Refusal::Left) => {
                // The next jump may be in the caller.
                self.refuse(pc, steps);
                self.due = steps;
                0
            }
            Err(Refusal::Irregular | Refusal::Unknown) => {
                self.refuse(pc, steps);
                self.wait(steps);
                0
            }
        }
    }

    fn refuse(&mut self, pc: Pc, steps: u64) {
        let (until, times) = self.refused.entry(pc).or_default();
        *until = steps + (INTERVAL << (*times).min(10));
        *times += 1;
    }

    fn wait(&mut self, steps: u64) {
        self.due = steps + self.interval;
        self.interval = (2 * self.interval).min(INTERVAL);
    }
}

/// One round, executed on progressions.
#[derive(Debug, Default)]
struct Round {
    /// What registers hold that the round has read or written.
    values: FxHashMap<Reg, Progression>,
    /// The registers after the first and the second plain round, as far as these wrote them.
    after: [FxHashMap<Reg, Progression>; 2],
    /// What was said of registers that were read before they were written, in this order.
    guesses: Vec<(Reg, Progression)>,
    /// Whether values change in this round, or are plain.
    guessing: bool,
    /// Functions called in this round that have not returned: function, where to go on, entry of
    /// the call table.
    calls: Vec<(FuncId, Pc, u32)>,
    effort: u32,
}

impl Round {
    /// The steps that were leapt over.
    fn leap(
        &mut self,
        around: &mut Surroundings<'_>,
        pc: Pc,
        steps: u64,
        laps: u32,
    ) -> Result<u64, Refusal> {
        self.guessing = false;
        self.values.clear();
        let mut before = self.execute(around, pc, laps)?;
        self.after[0].clone_from(&self.values);
        before += self.execute(around, pc, laps)?;
        std::mem::swap(&mut self.after[1], &mut self.values);

        self.guessing = true;
        self.values.clear();
        self.guesses.clear();
        let mut horizon = Horizon { rounds: MAX_ROUNDS };
        let round_steps = self.execute_within(around, pc, laps, &mut horizon)?;
        for (reg, guess) in &self.guesses {
            if !self.values[reg].is_same(guess.later()) {
                return Err(Refusal::Irregular);
            }
        }
        if round_steps == 0 {
            return Err(Refusal::Unknown);
        }
        // So many rounds may be passed that less than the limit is reached.
        let left = around.max_steps.min(MAX_STEPS);
        let left = left.saturating_sub(steps + before + 1) / round_steps;
        let rounds = horizon.rounds.min(left);
        if rounds < WORTHWHILE {
            return Err(Refusal::Short(rounds));
        }

        // One round less than is known, the last of them plainly.
        self.guessing = false;
        std::mem::swap(&mut self.after[1], &mut self.values);
        for &(reg, guess) in &self.guesses {
            let value = Progression::constant(guess.at(rounds - 2));
            self.values.insert(reg, value);
        }
        let last_steps = self.execute(around, pc, laps)?;
        debug_assert_eq!(last_steps, round_steps, "the path is the same");
        for (&reg, value) in &self.values {
            around.frame[reg as usize] = value.first;
        }
        Ok(before + (rounds - 1) * round_steps)
    }

    /// A plain round.
    fn execute(&mut self, around: &Surroundings<'_>, pc: Pc, laps: u32) -> Result<u64, Refusal> {
        let mut horizon = Horizon { rounds: MAX_ROUNDS };
        self.execute_within(around, pc, laps, &mut horizon)
    }

    fn get(&mut self, around: &Surroundings<'_>, reg: Reg) -> Progression {
        if let Some(&value) = self.values.get(&reg) {
            return value;
        }
        let in_frame = around.frame[reg as usize];
        if !self.guessing {
            return Progression::constant(in_frame);
        }
        let guess = match self.after[1].get(&reg) {
            None => Progression::constant(in_frame),
            Some(now) => {
                let between = self.after[0]
                    .get(&reg)
                    .map_or(in_frame, |value| value.first);
                Progression::through([in_frame, between], now.first, now.width)
            }
        };
        self.guesses.push((reg, guess));
        self.values.insert(reg, guess);
        guess
    }

    /// Executes from `pc` until it comes back there for the given time; the steps that this takes.
    fn execute_within(
        &mut self,
        around: &Surroundings<'_>,
        start: Pc,
        laps: u32,
        horizon: &mut Horizon,
    ) -> Result<u64, Refusal> {
        let code = around.code;
        let (mut pc, mut steps, mut laps_left) = (start, 0u64, laps);
        self.calls.clear();

        macro_rules! get {
            ($reg:expr) => {
                self.get(around, $reg)
            };
        }
        macro_rules! set {
            ($dst:expr, $value:expr) => {{
                let value = $value;
                self.values.insert($dst, value);
            }};
        }
        // An operator of the horizon on registers, and whatever else it wants to know.
        macro_rules! operate {
            ($dst:expr, $operator:ident($($reg:expr),*) $(, $more:expr)*) => {{
                let value = horizon.$operator($(get!($reg)),* $(, $more)*)?;
                self.values.insert($dst, value);
            }};
        }
        macro_rules! truth {
            ($dst:expr, $value:expr) => {{
                let value = $value;
                set!($dst, Progression::constant(value.into()))
            }};
        }
        // Operators that are known for values that do not change.
        macro_rules! fold {
            ($dst:expr, $a:expr, $b:expr, $value:expr) => {{
                let (a, b) = (plain(get!($a))?, plain(get!($b))?);
                let value: fn(u64, u64) -> u64 = $value;
                set!($dst, Progression::constant(value(a, b)))
            }};
        }
        macro_rules! jump_if {
            ($condition:expr, $steps:expr, $target:expr) => {
                if $condition {
                    steps += u64::from($steps);
                    pc = $target;
                }
            };
        }
        macro_rules! is_zero {
            ($a:expr) => {
                horizon.is_zero(get!($a))?
            };
        }
        macro_rules! equal {
            ($a:expr, $b:expr) => {
                horizon.equal(get!($a), get!($b))?
            };
        }
        macro_rules! less {
            ($a:expr, $b:expr) => {
                horizon.less(get!($a), get!($b))?
            };
        }
        macro_rules! less_signed {
            ($a:expr, $b:expr, $width:expr) => {
                horizon.less_signed(get!($a), get!($b), $width)?
            };
        }
        macro_rules! add_small {
            ($a:expr, $delta:expr) => {{
                let delta = Progression::constant(u64::from($delta as u32));
                let sum = horizon.add(get!($a), delta, 32)?;
                set!($a, sum)
            }};
        }
        macro_rules! shift {
            ($dst:expr, $a:expr, $count:expr, $width:literal, $operator:ident $(, $signed:literal)?) => {{
                let count = (plain(get!($count))? % $width) as u8;
                let value = horizon.$operator(get!($a), count, $width $(, $signed)?)?;
                set!($dst, value)
            }};
        }

        loop {
            self.effort += 1;
            if self.effort > EFFORT {
                return Err(Refusal::Unknown);
            }
            let instr = code.instrs[pc as usize];
            pc += 1;
            match instr {
                Instr::Move(dst, a) => set!(dst, get!(a)),

                Instr::Add32(dst, a, b) => operate!(dst, add(a, b), 32),
                Instr::Sub32(dst, a, b) => operate!(dst, sub(a, b), 32),
                Instr::Mul32(dst, a, b) => operate!(dst, mul(a, b), 32),
                Instr::Add64(dst, a, b) => operate!(dst, add(a, b), 64),
                Instr::Sub64(dst, a, b) => operate!(dst, sub(a, b), 64),
                Instr::Mul64(dst, a, b) => operate!(dst, mul(a, b), 64),
                Instr::And(dst, a, b) => operate!(dst, and(a, b)),
                Instr::Or(dst, a, b) => fold!(dst, a, b, |a, b| a | b),
                Instr::Xor(dst, a, b) => fold!(dst, a, b, |a, b| a ^ b),
                Instr::Shl32(dst, a, b) => shift!(dst, a, b, 32, shift_left),
                Instr::Shl64(dst, a, b) => shift!(dst, a, b, 64, shift_left),
                Instr::ShrU32(dst, a, b) => shift!(dst, a, b, 32, shift_right, false),
                Instr::ShrU64(dst, a, b) => shift!(dst, a, b, 64, shift_right, false),
                Instr::ShrS32(dst, a, b) => shift!(dst, a, b, 32, shift_right, true),
                Instr::ShrS64(dst, a, b) => shift!(dst, a, b, 64, shift_right, true),
                Instr::DivU(dst, a, b) => operate!(dst, divide(a, b)),
                Instr::RemU(dst, a, b) => operate!(dst, remainder(a, b)),
                Instr::DivS32(dst, a, b) => operate!(dst, divide_signed(a, b), 32),
                Instr::RemS32(dst, a, b) => operate!(dst, remainder_signed(a, b), 32),
                Instr::DivS64(dst, a, b) => operate!(dst, divide_signed(a, b), 64),
                Instr::RemS64(dst, a, b) => operate!(dst, remainder_signed(a, b), 64),
                Instr::Eq(dst, a, b) => truth!(dst, equal!(a, b)),
                Instr::Ne(dst, a, b) => truth!(dst, !equal!(a, b)),
                Instr::LtU(dst, a, b) => truth!(dst, less!(a, b)),
                Instr::LeU(dst, a, b) => truth!(dst, !less!(b, a)),
                Instr::LtS32(dst, a, b) => truth!(dst, less_signed!(a, b, 32)),
                Instr::LeS32(dst, a, b) => truth!(dst, !less_signed!(b, a, 32)),
                Instr::LtS64(dst, a, b) => truth!(dst, less_signed!(a, b, 64)),
                Instr::LeS64(dst, a, b) => truth!(dst, !less_signed!(b, a, 64)),
                Instr::Neg32(dst, a) => operate!(dst, negate(a), 32),
                Instr::Neg64(dst, a) => operate!(dst, negate(a), 64),
                Instr::Not32(dst, a) => operate!(dst, complement(a), 32),
                Instr::Not64(dst, a) => operate!(dst, complement(a), 64),
                Instr::BoolNot(dst, a) => {
                    let value = plain(get!(a))?;
                    set!(dst, Progression::constant(value ^ 1))
                }
                Instr::Truncate { drop, dst, a } => operate!(dst, truncate(a), 64 - drop),
                Instr::Extend { from, drop, dst, a } => {
                    operate!(dst, extend(a), 64 - from, 64 - drop)
                }
                Instr::Index64(shift, dst, base, index) => {
                    let index = horizon.shift_left(get!(index), shift, 64)?;
                    let sum = horizon.add(get!(base), index, 64)?;
                    set!(dst, sum)
                }
                Instr::Index32(shift, dst, base, index) => {
                    let index = horizon.shift_left(get!(index), shift, 32)?;
                    let sum = horizon.add(get!(base), index, 32)?;
                    set!(dst, sum)
                }
                Instr::IndexSigned(shift, dst, base, index) => {
                    let index = horizon.extend(get!(index), 32, 64)?;
                    let index = horizon.shift_left(index, shift, 64)?;
                    let sum = horizon.add(get!(base), index, 64)?;
                    set!(dst, sum)
                }
                Instr::MoveIf(dst, c, a) => {
                    if !is_zero!(c) {
                        set!(dst, get!(a));
                    }
                }
                Instr::Unary { op, dst, a } => {
                    let entry = &code.unary[op as usize];
                    if entry.wide || entry.wide_result {
                        return Err(Refusal::Unknown);
                    }
                    let a = get!(a);
                    let value = match (entry.op, entry.ty) {
                        (UnOp::Convert(Ty::Bool), Ty::Bool | Ty::Int { .. }) => {
                            Progression::constant((!horizon.is_zero(a)?).into())
                        }
                        _ => {
                            let value = concrete::unary(entry.op, entry.ty, plain(a)?.into());
                            let value = value.map_err(|_| Refusal::Unknown)?;
                            Progression::constant(value as u64)
                        }
                    };
                    set!(dst, value)
                }
                Instr::Binary { op, dst, a, b } => {
                    let entry = &code.binary[op as usize];
                    if entry.wide || entry.wide_count || entry.wide_result {
                        return Err(Refusal::Unknown);
                    }
                    let (a, b) = (get!(a), get!(b));
                    let value = match (entry.op, entry.ty) {
                        (BinOp::Lt, Ty::Int { width, signed }) if signed => {
                            horizon.less_signed(a, b, width as u8)?.into()
                        }
                        (BinOp::Le, Ty::Int { width, signed }) if signed => {
                            (!horizon.less_signed(b, a, width as u8)?).into()
                        }
                        (op, ty) => {
                            let (a, b) = (plain(a)?.into(), plain(b)?.into());
                            let value = concrete::binary(op, ty, entry.count, a, b);
                            value.map_err(|_| Refusal::Unknown)? as u64
                        }
                    };
                    set!(dst, Progression::constant(value))
                }

                Instr::Jump(n, to) => jump_if!(true, n, to),
                Instr::Steps(n) => steps += u64::from(n),
                Instr::JumpIf(n, a, to) => jump_if!(!is_zero!(a), n, to),
                Instr::JumpIfNot(n, a, to) => jump_if!(is_zero!(a), n, to),
                Instr::JumpEq(n, a, b, to) => jump_if!(equal!(a, b), n, to),
                Instr::JumpNe(n, a, b, to) => jump_if!(!equal!(a, b), n, to),
                Instr::JumpLtU(n, a, b, to) => jump_if!(less!(a, b), n, to),
                Instr::JumpLeU(n, a, b, to) => jump_if!(!less!(b, a), n, to),
                Instr::JumpLtS32(n, a, b, to) => jump_if!(less_signed!(a, b, 32), n, to),
                Instr::JumpLeS32(n, a, b, to) => jump_if!(!less_signed!(b, a, 32), n, to),
                Instr::JumpLtS64(n, a, b, to) => jump_if!(less_signed!(a, b, 64), n, to),
                Instr::JumpLeS64(n, a, b, to) => jump_if!(!less_signed!(b, a, 64), n, to),
                Instr::AddJumpLtU(delta, n, a, b, to) => {
                    add_small!(a, delta);
                    jump_if!(less!(a, b), n, to)
                }
                Instr::AddJumpLtS32(delta, n, a, b, to) => {
                    add_small!(a, delta);
                    jump_if!(less_signed!(a, b, 32), n, to)
                }
                Instr::AddJumpLeS32(delta, n, a, b, to) => {
                    add_small!(a, delta);
                    jump_if!(!less_signed!(b, a, 32), n, to)
                }
                Instr::AddJumpNe(delta, n, a, b, to) => {
                    add_small!(a, delta);
                    jump_if!(!equal!(a, b), n, to)
                }
                Instr::Switch { steps: n, a, table } => {
                    let value = plain(get!(a))?;
                    if let Some(&to) = code.switches[table as usize].targets.get(&value) {
                        jump_if!(true, n, to)
                    }
                }
                Instr::Call(n, index) => {
                    steps += u64::from(n);
                    let call = &code.calls[index as usize];
                    let callee = &code.functions[call.function.0 as usize];
                    let depth = around.activations.len() + self.calls.len();
                    if around.active[call.function.0 as usize] > 0
                        || self.calls.iter().any(|&(id, ..)| id == call.function)
                        || !callee.objects.is_empty()
                        || depth >= around.max_depth
                    {
                        return Err(Refusal::Unknown);
                    }
                    for &(from, to) in &call.args {
                        set!(to, get!(from));
                    }
                    self.calls.push((call.function, pc, index));
                    pc = callee.entry;
                }
                Instr::Return(n) => {
                    steps += u64::from(n);
                    let Some((_, return_to, index)) = self.calls.pop() else {
                        return Err(Refusal::Left);
                    };
                    for &(from, to) in &code.calls[index as usize].result {
                        set!(to, get!(from));
                    }
                    pc = return_to;
                }

                Instr::AddF64(..)
                | Instr::SubF64(..)
                | Instr::MulF64(..)
                | Instr::Fma(_)
                | Instr::Load8(..)
                | Instr::Load16(..)
                | Instr::Load32(..)
                | Instr::Load64(..)
                | Instr::Load { .. }
                | Instr::Store8(..)
                | Instr::Store16(..)
                | Instr::Store32(..)
                | Instr::Store64(..)
                | Instr::Store { .. }
                | Instr::Initialise { .. }
                | Instr::Havoc(_)
                | Instr::Begin(_)
                | Instr::End(_)
                | Instr::Allocate(_)
                | Instr::Reallocate(_)
                | Instr::Release(_)
                | Instr::Copy { .. }
                | Instr::Fill { .. }
                | Instr::Print(_)
                | Instr::Exit(_)
                | Instr::Abort
                | Instr::Undefined(_)
                | Instr::Unsupported(_)
                | Instr::ReachError(_)
                | Instr::Stuck
                | Instr::Mark(_) => return Err(Refusal::Unknown),
            }
            if pc == start && self.calls.is_empty() {
                laps_left -= 1;
                if laps_left == 0 {
                    return Ok(steps);
                }
            }
        }
    }
}

/// The value, if it is the same in all rounds.
fn plain(a: Progression) -> Result<u64, Irregular> {
    if a.is_constant() {
        Ok(a.first)
    } else {
        Err(Irregular)
    }
}
