//! Reading and writing regions as arrays of cells.
//!
//! Law of regions: cells of an object start at multiples of the cell's size from the object's first
//! byte, and every access covers whole cells.

use crate::algebra::Unsupported;
use crate::state::{Origin, State, region_sort};
use crate::step::{Instanced, MemoryChecks};
use cfa::memory::RegionId;
use cfa::outside;
use cfa::program::Program;
use cfa::value::Ty;
use logic::{Sort, Term, TermPool};

/// The largest number of cells that one operation is spelled out for.
pub const MAX_CELLS: u64 = 1 << 14;

pub fn cell_bits(program: &Program, region: RegionId) -> u32 {
    program
        .regions
        .get(region.0 as usize)
        .map_or(8, |region| u32::from(region.cell_bits))
}

/// Does all that lies in the region begin with zeros (and live as long as the program)?
pub fn begins_as_zero(program: &Program, region: RegionId) -> bool {
    let region = program.regions.get(region.0 as usize);
    region.is_some_and(|region| region.begins_with_zeros)
}

/// The array of a region.
pub fn contents(program: &Program, pool: &mut TermPool, state: &State, region: RegionId) -> Term {
    state
        .region(region)
        .unwrap_or_else(|| original_contents(program, pool, &state.origin, region))
}

/// What a region holds before anything is written.
pub fn original_contents(
    program: &Program,
    pool: &mut TermPool,
    origin: &Origin,
    region: RegionId,
) -> Term {
    let sort = region_sort(program, region);
    if matches!(origin, Origin::Start)
        && begins_as_zero(program, region)
        && let Sort::Array { index, element } = sort
    {
        let zero = pool.bv(element, 0);
        return pool.const_array(index, zero);
    }
    pool.var(&origin.region(region), sort)
}

fn cells(program: &Program, region: RegionId, bits: u32) -> Result<u32, Unsupported> {
    let cell = cell_bits(program, region);
    if bits == 0 || !bits.is_multiple_of(cell) {
        return Err(Unsupported(format!(
            "access of {bits} bits in a region of {cell}-bit cells"
        )));
    }
    Ok(bits / cell)
}

fn at(pool: &mut TermPool, address: Term, bytes: u64) -> Term {
    let offset = pool.bv(pool.width(address), u128::from(bytes));
    pool.bv_add(address, offset)
}

/// The value of the type at the address (little-endian).
pub fn load(
    program: &Program,
    pool: &mut TermPool,
    region: RegionId,
    contents: Term,
    ty: Ty,
    address: Term,
) -> Result<Term, Unsupported> {
    let count = cells(program, region, u32::from(ty.width()))?;
    let step = u64::from(cell_bits(program, region) / 8);
    let mut parts = Vec::with_capacity(count as usize);
    for cell in (0..u64::from(count)).rev() {
        let place = at(pool, address, cell * step);
        parts.push(pool.select(contents, place));
    }
    Ok(pool.concat_all(&parts))
}

/// The array after a value was written at the address.
pub fn store(
    program: &Program,
    pool: &mut TermPool,
    region: RegionId,
    contents: Term,
    address: Term,
    value: Term,
) -> Result<Term, Unsupported> {
    let cell = cell_bits(program, region);
    let count = cells(program, region, pool.width(value))?;
    let mut contents = contents;
    for index in 0..count {
        let part = pool.extract(value, (index + 1) * cell - 1, index * cell);
        let place = at(pool, address, u64::from(index * (cell / 8)));
        contents = pool.store(contents, place, part);
    }
    Ok(contents)
}

/// The number of cells that `bytes` bytes cover.
fn whole_cells(program: &Program, region: RegionId, bytes: u64) -> Result<u64, Unsupported> {
    let step = u64::from(cell_bits(program, region) / 8);
    let count = bytes / step;
    if !bytes.is_multiple_of(step) || count > MAX_CELLS {
        return Err(Unsupported(format!(
            "operation on {bytes} bytes of memory at once"
        )));
    }
    Ok(count)
}

/// `memmove` of a constant number of bytes.
pub fn copy(
    program: &Program,
    pool: &mut TermPool,
    target: (RegionId, Term, Term),
    source: (RegionId, Term, Term),
    bytes: u64,
) -> Result<Term, Unsupported> {
    let (target_region, mut contents, target) = target;
    let (source_region, source_contents, source) = source;
    let cell = cell_bits(program, target_region);
    let source_cell = cell_bits(program, source_region);
    let (step, count) = (
        u64::from(cell / 8),
        whole_cells(program, target_region, bytes)?,
    );
    if cell < source_cell {
        return Err(Unsupported("copy from wide cells to narrow ones".into()));
    }
    let ty = Ty::unsigned(cell as u16);
    for index in 0..count {
        let from = at(pool, source, index * step);
        let to = at(pool, target, index * step);
        let value = load(program, pool, source_region, source_contents, ty, from)?;
        contents = pool.store(contents, to, value);
    }
    Ok(contents)
}

/// `memset` of a constant number of bytes, from the beginning of a cell on. It may end within one.
pub fn fill(
    program: &Program,
    pool: &mut TermPool,
    region: RegionId,
    contents: Term,
    target: Term,
    byte: Term,
    bytes: u64,
) -> Result<Term, Unsupported> {
    let cell = cell_bits(program, region);
    let step = u64::from(cell / 8);
    let rest = bytes % step;
    let count = whole_cells(program, region, bytes - rest)?;
    let value = pool.concat_all(&vec![byte; step as usize]);
    let mut contents = contents;
    for index in 0..count {
        let place = at(pool, target, index * step);
        contents = pool.store(contents, place, value);
    }
    if rest > 0 {
        let place = at(pool, target, count * step);
        let old = pool.select(contents, place);
        let kept = pool.extract(old, cell - 1, rest as u32 * 8);
        let mut parts = vec![kept];
        parts.extend(vec![byte; rest as usize]);
        let value = pool.concat_all(&parts);
        contents = pool.store(contents, place, value);
    }
    Ok(contents)
}

/// The largest number of cells that an operation of variable size is spelled out for.
pub const MAX_VARIABLE_CELLS: u64 = 128;

/// How far an operation of variable size in a region can reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    /// So many cells are spelled out.
    pub cells: u64,
    /// No object of the region has more bytes.
    pub largest: Option<u64>,
}

/// As far as the largest object goes, or as far as formulas spell out.
pub fn reach(program: &Program, region: RegionId) -> Reach {
    let step = u64::from(cell_bits(program, region) / 8);
    let objects = program.regions.get(region.0 as usize);
    let largest = objects.filter(|region| !region.reaches_outside);
    let largest = largest.and_then(|region| {
        let sizes = region
            .objects
            .iter()
            .map(|&object| program.object(object).size);
        sizes.collect::<Option<Vec<u64>>>()?.into_iter().max()
    });
    let cells = largest.map_or(MAX_VARIABLE_CELLS, |largest| {
        largest.div_ceil(step).min(MAX_VARIABLE_CELLS)
    });
    Reach { cells, largest }
}

/// The array after `values` (one for each cell from the address on) are written as far as `bytes`
/// says.
pub fn write_some(
    program: &Program,
    pool: &mut TermPool,
    region: RegionId,
    contents: Term,
    target: Term,
    values: &[Term],
    bytes: Term,
) -> Term {
    let step = u64::from(cell_bits(program, region) / 8);
    let width = pool.width(bytes);
    let mut after = contents;
    for (index, &value) in values.iter().enumerate() {
        let start = index as u64 * step;
        let place = at(pool, target, start);
        let start = pool.bv(width, u128::from(start));
        let is_written = pool.ult(start, bytes);
        let old = pool.select(contents, place);
        let new = pool.ite(is_written, value, old);
        after = pool.store(after, place, new);
    }
    after
}

/// The cells from an address of one region on, in the width of another's.
pub fn read_cells(
    program: &Program,
    pool: &mut TermPool,
    target_region: RegionId,
    source: (RegionId, Term, Term),
    count: u64,
) -> Result<Vec<Term>, Unsupported> {
    let (source_region, contents, source) = source;
    let cell = cell_bits(program, target_region);
    if cell < cell_bits(program, source_region) {
        return Err(Unsupported("copy from wide cells to narrow ones".into()));
    }
    let ty = Ty::unsigned(cell as u16);
    (0..count)
        .map(|index| {
            let from = at(pool, source, index * u64::from(cell / 8));
            load(program, pool, source_region, contents, ty, from)
        })
        .collect()
}

/// Is the address a constant in the page that is never mapped?
pub fn is_null(pool: &TermPool, address: Term) -> bool {
    pool.as_u128(address).is_some_and(|address| address < 4096)
}

/// More instances than this are not told apart: the access counts as valid, which a replay
/// corrects.
const MAX_INSTANCES: usize = 48;

/// The condition under which an access hits an object of its region. That an object is still alive
/// is not part of it: a formula may allow more than the program does.
pub fn is_valid(
    program: &Program,
    pool: &mut TermPool,
    (checks, instanced): (MemoryChecks, &Instanced),
    region: RegionId,
    address: Term,
    bytes: u64,
) -> Term {
    let Some(info) = program.regions.get(region.0 as usize) else {
        return TermPool::TRUE;
    };
    let constant = pool.as_u128(address);
    let is_checked = checks == MemoryChecks::All || constant.is_some() && !info.reaches_outside;
    if !is_checked {
        return TermPool::TRUE;
    }
    let width = pool.width(address);
    let outside = outside::object(program).filter(|_| info.reaches_outside);
    let instances = info
        .objects
        .iter()
        .chain(&outside)
        .map(|object| &instanced.of_object[object.0 as usize]);
    let instances: Vec<(u64, Term)> = instances.flatten().copied().collect();
    if constant.is_none() && instances.len() > MAX_INSTANCES {
        return TermPool::TRUE;
    }
    let mut hits = Vec::new();
    for (base, size) in instances {
        // In unsigned arithmetic: bytes <= size and address - base <= size - bytes.
        let base = pool.bv(width, u128::from(base));
        let count = pool.bv(width, u128::from(bytes));
        let offset = pool.bv_sub(address, base);
        let room = pool.bv_sub(size, count);
        let large_enough = pool.ule(count, size);
        let inside = pool.ule(offset, room);
        let hit = pool.and(large_enough, inside);
        if hit == TermPool::TRUE {
            return hit;
        }
        hits.push(hit);
    }
    pool.or_all(hits)
}
