//! The effect of one operation on a symbolic state (strongest postcondition, as a function).

mod writes;

use crate::algebra::{TermAlgebra, Unsupported, sort_of};
use crate::layout::Layout;
use crate::memory;
use crate::path::Path;
use crate::persistent::PVec;
use crate::state::{Origin, Slots, State};
use cfa::algebra::evaluate;
use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::memory::{ObjectId, RegionId};
use cfa::op::{Halt, InputId, Op};
use cfa::place::callee;
use cfa::program::{EdgeId, FuncId, Program};
use cfa::value::Ty;
use logic::{Term, TermPool};
use rustc_hash::FxHashMap;

/// Whatever is new each time that an operation is executed: input values and addresses. The names
/// must be the same each time that the same execution of the operation is encoded.
pub trait Instances {
    /// The value that an input gives to a variable of the type.
    fn input(&mut self, pool: &mut TermPool, input: InputId, ty: Ty) -> Term;
    /// A value that nothing is known of and that no execution needs to be told.
    fn unknown(&mut self, pool: &mut TermPool, ty: Ty) -> Term;
    /// The address of a new instance of an object.
    fn address(&mut self, layout: &mut Layout, size: u64, align: u64) -> Option<u64>;
}

/// What comes after an operation.
#[derive(Debug)]
pub enum After {
    /// The state after it, if the path condition is not already false.
    State(State),
    /// No execution gets past it.
    Nothing,
    /// Executions that get here leave what formulas can say; the path condition says which.
    Beyond(crate::path::Path, Unsupported),
    /// Both: a state, and executions that leave what formulas can say.
    Both(State, crate::path::Path, Unsupported),
}

/// How far formulas say that accesses outside every object end the execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryChecks {
    /// Only where the address is a constant: costs nothing and ends hopeless paths early.
    Constant,
    /// Everywhere.
    All,
}

/// What formulas say of writes that have no exact one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writes {
    /// Nothing: executions that come to them are beyond formulas.
    Exact,
    /// They leave anything in the memory that they write. Right for proofs only: there are more
    /// executions then.
    Approximate,
}

/// Where the instances of objects lie.
#[derive(Clone, Debug, Default)]
pub struct Instanced {
    /// For each object: address and number of bytes of each instance.
    pub of_object: Vec<Vec<(u64, Term)>>,
}

/// Encodes operations of one program into one pool of terms.
pub struct Encoder<'p> {
    pub program: &'p Program,
    pub pool: TermPool,
    pub slots: Slots,
    pub layout: Layout,
    /// For each object: the regions that hold its cells.
    regions_of: Vec<Vec<RegionId>>,
    pub memory_checks: MemoryChecks,
    pub writes: Writes,
    /// Executions that ended at an access outside every object, since somebody last took them from
    /// here. C leaves open what they do, so no proof may rest on their ending.
    pub invalid: Vec<Path>,
    instanced: Instanced,
    /// Addresses of the latest instances in arbitrary states.
    arbitrary_bases: Option<PVec<Term>>,
    /// In arbitrary states, where the outermost, second, … activation of its function has an
    /// object.
    activation_bases: FxHashMap<(ObjectId, usize), Term>,
}

impl<'p> Encoder<'p> {
    /// The state after `function` has returned to the call that is the operation of `call`.
    pub fn return_from(&mut self, function: FuncId, call: EdgeId, state: &mut State) {
        let program = self.program;
        let result = program.function(function).result;
        let returned = result.and_then(|result| match state.origin {
            // Falling off the end of a function leaves the value open.
            Origin::Start => state.assigned(&self.slots, result),
            Origin::Arbitrary(_) => Some(state.value(program, &self.slots, &mut self.pool, result)),
        });
        state.leave();
        if let Op::Call {
            result: Some(result),
            ..
        } = program.edge_op(call)
        {
            let sort = self.sort_of_var(*result);
            let value = returned.unwrap_or_else(|| self.pool.fresh_var("unset-result", sort));
            state.set(&self.slots, *result, value);
        }
    }

    pub fn new(program: &'p Program) -> Encoder<'p> {
        let mut regions_of = vec![Vec::new(); program.objects.len()];
        for (number, region) in program.regions.iter().enumerate() {
            for object in &region.objects {
                regions_of[object.0 as usize].push(RegionId(number as u32));
            }
        }
        let mut encoder = Encoder {
            program,
            pool: TermPool::new(),
            slots: Slots::new(program),
            layout: Layout::new(program),
            regions_of,
            memory_checks: MemoryChecks::Constant,
            writes: Writes::Exact,
            invalid: Vec::new(),
            instanced: Instanced {
                of_object: vec![Vec::new(); program.objects.len()],
            },
            arbitrary_bases: None,
            activation_bases: FxHashMap::default(),
        };
        for number in 0..program.objects.len() {
            let object = ObjectId(number as u32);
            if let (Some(address), Some(size)) =
                (encoder.layout.fixed(object), program.object(object).size)
            {
                let bits = u32::from(program.model.pointer_bits());
                let size = encoder.pool.bv(bits, u128::from(size));
                encoder.instanced.of_object[number].push((address, size));
            }
        }
        encoder
    }

    /// Some state at a place with these calls: every variable and region has a value of its own,
    /// named after the origin, and the latest instance of every object an address that no other
    /// has. Of the objects that activations have for themselves each activation's is such an
    /// instance.
    ///
    /// That these addresses are constants loses nothing: a program that cannot observe addresses
    /// behaves the same wherever its objects lie, so each of its states has one like it among
    /// these.
    pub fn arbitrary(&mut self, origin: &str, calls: &[EdgeId]) -> State {
        let bases = self.arbitrary_bases();
        let mut state = State::of(Origin::Arbitrary(origin.into()), bases);
        let mut active: FxHashMap<FuncId, usize> = FxHashMap::default();
        let called = calls.iter().filter_map(|&call| callee(self.program, call));
        for function in std::iter::once(self.program.entry).chain(called) {
            state.enter(function);
            let below = active.entry(function).or_default();
            for object in self.slots.objects_of(function).to_vec() {
                if let Some(base) = self.activation_base(object, *below) {
                    state.set_base(&self.slots, object, base);
                }
            }
            *below += 1;
        }
        state
    }

    fn arbitrary_bases(&mut self) -> PVec<Term> {
        if let Some(bases) = &self.arbitrary_bases {
            return bases.clone();
        }
        let mut bases = PVec::default();
        for number in 0..self.program.objects.len() {
            let object = ObjectId(number as u32);
            if self.layout.fixed(object).is_some() || self.slots.is_of_activation(object) {
                continue;
            }
            if let Some(base) = self.reserve_base(object) {
                bases.set(number, base);
            }
        }
        self.arbitrary_bases = Some(bases.clone());
        bases
    }

    /// Where an object of an activation lies in arbitrary states, if so many activations of its
    /// function are below.
    fn activation_base(&mut self, object: ObjectId, below: usize) -> Option<Term> {
        if let Some(&known) = self.activation_bases.get(&(object, below)) {
            return Some(known);
        }
        let base = self.reserve_base(object)?;
        self.activation_bases.insert((object, below), base);
        Some(base)
    }

    /// A new address for an instance of an object.
    fn reserve_base(&mut self, object: ObjectId) -> Option<Term> {
        let bits = u32::from(self.program.model.pointer_bits());
        let info = self.program.object(object);
        let size = info.size.unwrap_or(self.layout.unknown_size());
        let address = self.layout.reserve(size, info.align)?;
        let size = self.pool.bv(bits, u128::from(size));
        self.note_instance(object, address, size);
        Some(self.pool.bv(bits, u128::from(address)))
    }

    /// Where arbitrary states have the latest instance of the object, if there has been one.
    fn arbitrary_base(&self, object: ObjectId) -> Option<u64> {
        let bases = self.arbitrary_bases.as_ref()?;
        let address = self.pool.as_u128(bases.get(object.0 as usize)?)?;
        u64::try_from(address).ok()
    }

    /// The formula that a truth-valued expression of the given pool is as a statement about a
    /// state.
    ///
    /// Law: it is a function of the state, also where evaluating the expression would fail: memory
    /// outside of every object is what the array of its region has there, and what is divided by
    /// zero is what the logic says. So of a statement and its negation one holds always, and a
    /// proof may tell the two cases apart.
    pub fn holds(
        &mut self,
        state: &State,
        pool: &ExprPool,
        expr: ExprId,
    ) -> Result<Term, Unsupported> {
        let (value, ..) = self.evaluate(state, pool, expr)?;
        Ok(value)
    }

    /// The value, the conditions under which evaluation does not fail, and those under which
    /// accesses hit.
    fn evaluate(
        &mut self,
        state: &State,
        pool: &ExprPool,
        expr: ExprId,
    ) -> Result<(Term, Vec<Term>, Vec<Term>), Unsupported> {
        let mut algebra = TermAlgebra {
            program: self.program,
            slots: &self.slots,
            state,
            pool: &mut self.pool,
            layout: &self.layout,
            instanced: &self.instanced,
            memory_checks: self.memory_checks,
            defined: Vec::new(),
            valid: Vec::new(),
        };
        let value = evaluate(pool, expr, &mut algebra)?;
        Ok((value, algebra.defined, algebra.valid))
    }

    /// The state that is either (see [`State::join`]).
    #[must_use]
    pub fn join(&mut self, left: &State, right: &State) -> State {
        left.join(right, self.program, &self.slots, &mut self.pool)
    }

    /// The value of an expression, and the path under which its evaluation does not fail; `None` if
    /// it always fails.
    pub fn value(&mut self, state: &mut State, expr: ExprId) -> Result<Option<Term>, Unsupported> {
        let program = self.program;
        let (value, defined, valid) = self.evaluate(state, &program.pool, expr)?;
        for condition in defined {
            match state.path.and(&mut self.pool, condition) {
                Some(path) => state.path = path,
                None => return Ok(None),
            }
        }
        for condition in valid {
            if !self.require_valid(state, condition) {
                return Ok(None);
            }
        }
        Ok(Some(value))
    }

    /// Goes on only where an access hits an object; executions where it does not are put aside in
    /// `invalid`. `false` if there are no others.
    fn require_valid(&mut self, state: &mut State, valid: Term) -> bool {
        let fails = self.pool.not(valid);
        if let Some(path) = state.path.and(&mut self.pool, fails) {
            self.invalid.push(path);
        }
        match state.path.and(&mut self.pool, valid) {
            Some(path) => {
                state.path = path;
                true
            }
            None => false,
        }
    }

    /// The state under one more condition.
    pub fn assume(&mut self, mut state: State, condition: Term) -> Option<State> {
        state.path = state.path.and(&mut self.pool, condition)?;
        Some(state)
    }

    /// The state after an operation that is no call.
    pub fn apply(&mut self, state: &State, op: &Op, instances: &mut dyn Instances) -> After {
        let path = state.path.clone();
        match self.try_apply(state.clone(), op, instances) {
            Ok(after) => after,
            Err(reason) => After::Beyond(path, reason),
        }
    }

    fn try_apply(
        &mut self,
        mut state: State,
        op: &Op,
        instances: &mut dyn Instances,
    ) -> Result<After, Unsupported> {
        // Evaluates an expression, or ends: no execution gets past a failing evaluation.
        macro_rules! value {
            ($expr:expr) => {
                match self.value(&mut state, $expr)? {
                    Some(term) => term,
                    None => return Ok(After::Nothing),
                }
            };
        }
        match *op {
            Op::Skip => {}
            Op::Assume(condition) => {
                let condition = value!(condition);
                match self.assume(state, condition) {
                    Some(after) => state = after,
                    None => return Ok(After::Nothing),
                }
            }
            Op::Assign(var, expr) => {
                let value = value!(expr);
                state.set(&self.slots, var, value);
            }
            Op::Havoc(var, input) => {
                let ty = self.program.var(var).ty;
                let value = instances.input(&mut self.pool, input, ty);
                state.set(&self.slots, var, value);
                if self.program.inputs[input.0 as usize].is_bool && ty.is_int() {
                    let one = self.pool.bv(u32::from(ty.width()), 1);
                    let fits = self.pool.ule(value, one);
                    match self.assume(state, fits) {
                        Some(after) => state = after,
                        None => return Ok(After::Nothing),
                    }
                }
            }
            Op::Store {
                region,
                address,
                value,
            } => {
                let address = value!(address);
                let ty = self.program.pool.ty(value);
                let mut value = value!(value);
                if ty == Ty::Bool {
                    return Err(Unsupported("store of a truth value".into()));
                }
                let bits = u32::from(ty.width());
                if !bits.is_multiple_of(8) {
                    value = self.pool.resize(value, bits.next_multiple_of(8), false);
                }
                let valid = memory::is_valid(
                    self.program,
                    &mut self.pool,
                    (self.memory_checks, &self.instanced),
                    region,
                    address,
                    ty.bytes(),
                );
                if memory::is_null(&self.pool, address) || !self.require_valid(&mut state, valid) {
                    return Ok(After::Nothing);
                }
                let contents = memory::contents(self.program, &mut self.pool, &state, region);
                let after = memory::store(
                    self.program,
                    &mut self.pool,
                    region,
                    contents,
                    address,
                    value,
                )?;
                state.set_region(region, after);
            }
            Op::Begin { object, contents } => {
                return self.begin(state, object, contents, instances);
            }
            Op::End(_) | Op::Release(_) => {
                if let Op::Release(address) = *op {
                    value!(address);
                }
            }
            Op::Allocate {
                target,
                object,
                size,
                contents,
            } => {
                let size = value!(size);
                return self.allocate(state, target, object, size, contents, instances);
            }
            Op::Reallocate {
                target,
                object,
                address,
                size,
            } => {
                let old = value!(address);
                let size = value!(size);
                return self.reallocate(state, (target, object), old, size, instances);
            }
            Op::Copy {
                target_region,
                target,
                source_region,
                source,
                size,
            } => {
                let target = value!(target);
                let source = value!(source);
                let size = value!(size);
                let Some(bytes) = self.pool.as_u128(size) else {
                    let reach = memory::reach(self.program, target_region);
                    let from =
                        memory::contents(self.program, &mut self.pool, &state, source_region);
                    let source = (source_region, from, source);
                    let values = memory::read_cells(
                        self.program,
                        &mut self.pool,
                        target_region,
                        source,
                        reach.cells,
                    );
                    let values = match values {
                        Err(_) if self.writes == Writes::Approximate => {
                            let after = self.any_contents(target_region);
                            state.set_region(target_region, after);
                            return Ok(After::State(state));
                        }
                        values => values?,
                    };
                    let beyond = "copy of a variable number of bytes";
                    return Ok(self.write_some(
                        state,
                        (target_region, target),
                        &values,
                        size,
                        beyond,
                    ));
                };
                if bytes > 0 {
                    let (program, pool) = (self.program, &mut self.pool);
                    let into = memory::contents(program, pool, &state, target_region);
                    let from = memory::contents(program, pool, &state, source_region);
                    let after = memory::copy(
                        program,
                        pool,
                        (target_region, into, target),
                        (source_region, from, source),
                        u64::try_from(bytes).unwrap_or(u64::MAX),
                    );
                    let after = self.written(target_region, after)?;
                    state.set_region(target_region, after);
                }
            }
            Op::Fill {
                region,
                target,
                byte,
                size,
            } => {
                let target = value!(target);
                let byte = value!(byte);
                let size = value!(size);
                let Some(bytes) = self.pool.as_u128(size) else {
                    let beyond = "filling a variable number of bytes";
                    return Ok(self.fill_some(state, (region, target), byte, size, beyond));
                };
                self.fill(&mut state, region, target, byte, bytes)?;
            }
            Op::Print(ref print) => {
                for &arg in &print.args {
                    value!(arg);
                }
                if let Some(result) = print.result {
                    let ty = self.program.var(result).ty;
                    let value = instances.unknown(&mut self.pool, ty);
                    state.set(&self.slots, result, value);
                }
            }
            Op::Halt(Halt::Unsupported(ref what)) => return Err(Unsupported(what.clone())),
            Op::Halt(_) => return Ok(After::Nothing),
            Op::Call { .. } => return Err(Unsupported("call".into())),
        }
        Ok(After::State(state))
    }

    /// The sort of a variable's values.
    pub fn sort_of_var(&self, var: VarId) -> logic::Sort {
        sort_of(self.program.var(var).ty)
    }
}
