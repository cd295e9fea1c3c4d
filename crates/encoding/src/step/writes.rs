//! Operations on whole objects and rows of cells: they come to life, are filled, copied and given
//! another size.

use super::{After, Encoder, Instances, MemoryChecks, Writes};
use crate::algebra::Unsupported;
use crate::memory;
use crate::state::{State, region_sort};
use cfa::expr::VarId;
use cfa::memory::{ObjectId, RegionId};
use cfa::op::Contents;
use logic::{Term, TermPool};

impl Encoder<'_> {
    /// Writes as many of the cells as the size says. Executions that write more than is spelled out
    /// are beyond the formula.
    pub(super) fn write_some(
        &mut self,
        mut state: State,
        (region, target): (RegionId, Term),
        values: &[Term],
        size: Term,
        reason: &str,
    ) -> After {
        let reach = memory::reach(self.program, region);
        let step = u64::from(memory::cell_bits(self.program, region) / 8);
        let width = self.pool.width(size);
        let spelled_out = reach.cells * step;
        if let Some(largest) = reach.largest
            && self.memory_checks == MemoryChecks::All
        {
            let largest = self.pool.bv(width, u128::from(largest));
            let inside = self.pool.ule(size, largest);
            if !self.require_valid(&mut state, inside) {
                return After::Nothing;
            }
        }
        // What leaves every object is over; that the formula goes on there does no harm.
        let covers_all = reach.largest.is_some_and(|largest| largest <= spelled_out);
        let mut fits = TermPool::TRUE;
        if !covers_all {
            let most = self.pool.bv(width, u128::from(spelled_out));
            fits = self.pool.ule(size, most);
        }
        if step > 1 {
            // Cells are powers of two bytes wide.
            let mask = self.pool.bv(width, u128::from(step - 1));
            let part = self.pool.bv_and(size, mask);
            let zero = self.pool.bv(width, 0);
            let whole = self.pool.eq(part, zero);
            fits = self.pool.and(fits, whole);
        }
        if self.writes == Writes::Approximate && fits != TermPool::TRUE {
            let (program, pool) = (self.program, &mut self.pool);
            let contents = memory::contents(program, pool, &state, region);
            let exact = memory::write_some(program, pool, region, contents, target, values, size);
            let anything = self.any_contents(region);
            let after = self.pool.ite(fits, exact, anything);
            state.set_region(region, after);
            return After::State(state);
        }
        let does_not = self.pool.not(fits);
        let beyond = state.path.and(&mut self.pool, does_not);
        let reason = Unsupported(reason.into());
        let after = self.assume(state, fits).map(|mut state| {
            let (program, pool) = (self.program, &mut self.pool);
            let contents = memory::contents(program, pool, &state, region);
            let after = memory::write_some(program, pool, region, contents, target, values, size);
            state.set_region(region, after);
            state
        });
        match (after, beyond) {
            (Some(state), Some(beyond)) => After::Both(state, beyond, reason),
            (Some(state), None) => After::State(state),
            (None, Some(beyond)) => After::Beyond(beyond, reason),
            (None, None) => After::Nothing,
        }
    }

    /// What memory holds of which nothing is known.
    pub(super) fn any_contents(&mut self, region: RegionId) -> Term {
        let sort = region_sort(self.program, region);
        self.pool.fresh_var("written", sort)
    }

    /// The result of a write into the region; anything if it has no formula and that is allowed.
    pub(super) fn written(
        &mut self,
        region: RegionId,
        exact: Result<Term, Unsupported>,
    ) -> Result<Term, Unsupported> {
        match exact {
            Err(_) if self.writes == Writes::Approximate => Ok(self.any_contents(region)),
            exact => exact,
        }
    }

    pub(super) fn fill_some(
        &mut self,
        state: State,
        (region, target): (RegionId, Term),
        byte: Term,
        size: Term,
        reason: &str,
    ) -> After {
        let step = memory::cell_bits(self.program, region) / 8;
        let value = self.pool.concat_all(&vec![byte; step as usize]);
        let cells = memory::reach(self.program, region).cells;
        let values = vec![value; cells as usize];
        self.write_some(state, (region, target), &values, size, reason)
    }

    pub(super) fn fill(
        &mut self,
        state: &mut State,
        region: RegionId,
        target: Term,
        byte: Term,
        bytes: u128,
    ) -> Result<(), Unsupported> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        if bytes == 0 {
            return Ok(());
        }
        let (program, pool) = (self.program, &mut self.pool);
        let contents = memory::contents(program, pool, state, region);
        let after = memory::fill(program, pool, region, contents, target, byte, bytes);
        let after = self.written(region, after)?;
        state.set_region(region, after);
        Ok(())
    }

    /// The regions with cells of the object; all of memory before regions are told apart.
    pub(super) fn regions_of(&self, object: ObjectId) -> Vec<RegionId> {
        let regions = &self.regions_of[object.0 as usize];
        if regions.is_empty() && self.program.regions.len() <= 1 {
            return vec![RegionId::WHOLE];
        }
        regions.clone()
    }

    pub(super) fn zero(
        &mut self,
        state: &mut State,
        object: ObjectId,
        address: Term,
        bytes: u64,
    ) -> Result<(), Unsupported> {
        for region in self.regions_of(object) {
            if !memory::begins_as_zero(self.program, region) {
                let zero = self.pool.bv(8, 0);
                self.fill(state, region, address, zero, u128::from(bytes))?;
            }
        }
        Ok(())
    }

    /// Zeros in an object of variable size, as far as formulas spell them out: so many bytes at
    /// most.
    pub(super) fn zero_some(
        &mut self,
        state: &mut State,
        object: ObjectId,
        address: Term,
        size: Term,
    ) -> u64 {
        let mut most = u64::MAX;
        for region in self.regions_of(object) {
            if memory::begins_as_zero(self.program, region) {
                continue;
            }
            let cell = memory::cell_bits(self.program, region);
            let (program, pool) = (self.program, &mut self.pool);
            let zeros = vec![pool.bv(cell, 0); memory::MAX_VARIABLE_CELLS as usize];
            let contents = memory::contents(program, pool, state, region);
            let after = memory::write_some(program, pool, region, contents, address, &zeros, size);
            state.set_region(region, after);
            most = most.min(memory::MAX_VARIABLE_CELLS * u64::from(cell / 8));
        }
        most
    }

    pub(super) fn begin(
        &mut self,
        mut state: State,
        object: ObjectId,
        contents: Contents,
        instances: &mut dyn Instances,
    ) -> Result<After, Unsupported> {
        let info = self.program.object(object);
        let bits = u32::from(self.program.model.pointer_bits());
        let size = info.size;
        let address = match self.layout.fixed(object) {
            Some(address) => address,
            None => {
                let size = size.ok_or_else(|| Unsupported("object of unknown size".into()))?;
                // The first instance of what exists once only lies where arbitrary states have it,
                // so that pointers to it mean the same in formulas that begin there. Later
                // instances lie elsewhere: what they hold at first has nothing to do with what the
                // earlier ones held.
                let known = match info.unique && state.base(&self.slots, object).is_none() {
                    true => self.arbitrary_base(object),
                    false => None,
                };
                let address = known
                    .or_else(|| instances.address(&mut self.layout, size, info.align))
                    .ok_or_else(|| Unsupported("address space used up".into()))?;
                let term = self.pool.bv(bits, u128::from(address));
                state.set_base(&self.slots, object, term);
                let size = self.pool.bv(bits, u128::from(size));
                self.note_instance(object, address, size);
                address
            }
        };
        if contents == Contents::Zero && size != Some(0) {
            let size = size.ok_or_else(|| Unsupported("object of unknown size".into()))?;
            let address = self.pool.bv(bits, u128::from(address));
            self.zero(&mut state, object, address, size)?;
        }
        Ok(After::State(state))
    }

    pub(super) fn allocate(
        &mut self,
        mut state: State,
        target: VarId,
        object: ObjectId,
        size: Term,
        contents: Contents,
        instances: &mut dyn Instances,
    ) -> Result<After, Unsupported> {
        let align = self.program.object(object).align;
        let bits = u32::from(self.program.model.pointer_bits());
        let known = self
            .pool
            .as_u128(size)
            .and_then(|size| u64::try_from(size).ok());
        let mut room = known.unwrap_or(self.layout.unknown_size());
        let address = instances
            .address(&mut self.layout, room, align)
            .ok_or_else(|| Unsupported("address space used up".into()))?;
        let wide = self.pool.resize(size, bits, false);
        self.note_instance(object, address, wide);
        let address = self.pool.bv(bits, u128::from(address));
        state.set(&self.slots, target, address);
        state.set_base(&self.slots, object, address);
        if let Some(known) = known {
            if contents == Contents::Zero {
                self.zero(&mut state, object, address, known)?;
            }
            return Ok(After::State(state));
        }
        if contents == Contents::Zero {
            room = room.min(self.zero_some(&mut state, object, address, wide));
        }
        // Larger objects than there is room for are beyond the formula.
        let room = self.pool.bv(self.pool.width(size), u128::from(room));
        let fits = self.pool.ule(size, room);
        let too_large = self.pool.not(fits);
        let beyond = state.path.and(&mut self.pool, too_large);
        let reason = Unsupported("allocation of too much memory".into());
        Ok(match (self.assume(state, fits), beyond) {
            (Some(state), Some(beyond)) => After::Both(state, beyond, reason),
            (Some(state), None) => After::State(state),
            (None, Some(beyond)) => After::Beyond(beyond, reason),
            (None, None) => After::Nothing,
        })
    }

    /// A new object with what the old one held. Only where the old address is one known constant:
    /// then its size is known, and so is what is copied.
    pub(super) fn reallocate(
        &mut self,
        state: State,
        (target, object): (VarId, ObjectId),
        old: Term,
        size: Term,
        instances: &mut dyn Instances,
    ) -> Result<After, Unsupported> {
        let unknown = || Unsupported("realloc of an unknown pointer".into());
        let copied = self.bytes_kept(old, size);
        if copied.is_none() && self.writes == Writes::Exact {
            return Err(unknown());
        }
        let after = self.allocate(state, target, object, size, Contents::Arbitrary, instances)?;
        let After::State(mut state) = after else {
            return Ok(after);
        };
        let Some(copied) = copied else {
            for region in self.regions_of(object) {
                let after = self.any_contents(region);
                state.set_region(region, after);
            }
            return Ok(After::State(state));
        };
        let new = state.assigned(&self.slots, target).ok_or_else(unknown)?;
        for region in self.regions_of(object) {
            if copied > 0 {
                let contents = memory::contents(self.program, &mut self.pool, &state, region);
                let (to, from) = ((region, contents, new), (region, contents, old));
                let after = memory::copy(self.program, &mut self.pool, to, from, copied)?;
                state.set_region(region, after);
            }
        }
        Ok(After::State(state))
    }

    /// How many bytes a reallocation keeps, if that is known.
    pub(super) fn bytes_kept(&self, old: Term, size: Term) -> Option<u64> {
        let old = self.pool.as_u128(old)?;
        let new_size = self.pool.as_u128(size)?;
        if old == 0 {
            return Some(0);
        }
        let mut all = self.instanced.of_object.iter().flatten();
        let (_, old_size) = all.find(|(address, _)| u128::from(*address) == old)?;
        Some(self.pool.as_u128(*old_size)?.min(new_size) as u64)
    }

    pub(super) fn note_instance(&mut self, object: ObjectId, address: u64, size: Term) {
        let instances = &mut self.instanced.of_object[object.0 as usize];
        if !instances
            .iter()
            .rev()
            .any(|known| *known == (address, size))
        {
            instances.push((address, size));
        }
    }
}
