//! Memory cells with known addresses, as further variables of the value analysis.
//!
//! A cell is a piece of an object in a region. It gets a number behind those of the variables when
//! it is first written, so that maps and precisions treat it like a variable. Only objects of which
//! at most one exists at any time have known addresses; what is written through an unknown address
//! forgets every cell of its region.

use cfa::memory::{ObjectId, ObjectKind, RegionId};
use cfa::program::Program;
use rustc_hash::FxHashMap;

/// Further cells have unknown values.
pub const MAX_CELLS: usize = 4000;
/// Objects with more cells are not known to be zero when they begin so.
const MAX_ZERO_CELLS: u64 = 64;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    pub region: RegionId,
    pub object: ObjectId,
    pub offset: i64,
    pub bytes: u64,
}

impl Cell {
    fn overlaps(&self, other: &Cell) -> bool {
        self.object == other.object
            && self.offset < other.offset.saturating_add_unsigned(other.bytes)
            && other.offset < self.offset.saturating_add_unsigned(self.bytes)
    }
}

/// The cells that were written, numbered.
#[derive(Debug, Default)]
pub struct Cells {
    cells: Vec<Cell>,
    index: FxHashMap<Cell, u32>,
    of_region: FxHashMap<RegionId, Vec<u32>>,
}

impl Cells {
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    pub fn number(&self, cell: &Cell) -> Option<u32> {
        self.index.get(cell).copied()
    }

    pub fn cell(&self, number: u32) -> Option<Cell> {
        self.cells.get(number as usize).copied()
    }

    /// The number of a cell, a new one if it has none; `None` if there are too many.
    pub fn make(&mut self, cell: Cell) -> Option<u32> {
        if let Some(known) = self.number(&cell) {
            return Some(known);
        }
        if self.cells.len() >= MAX_CELLS {
            return None;
        }
        let number = self.cells.len() as u32;
        self.cells.push(cell);
        self.index.insert(cell, number);
        self.of_region.entry(cell.region).or_default().push(number);
        Some(number)
    }

    pub fn in_region(&self, region: RegionId) -> &[u32] {
        self.of_region.get(&region).map_or(&[], Vec::as_slice)
    }

    /// The other cells that a write to the cell changes.
    pub fn overlapping(&self, cell: &Cell) -> Vec<u32> {
        self.in_region(cell.region)
            .iter()
            .copied()
            .filter(|&number| {
                let other = &self.cells[number as usize];
                other != cell && other.overlaps(cell)
            })
            .collect()
    }

    pub fn of_object(&self, object: ObjectId) -> Vec<u32> {
        (0..self.cells.len() as u32)
            .filter(|&number| self.cells[number as usize].object == object)
            .collect()
    }
}

/// Is the address of the object a value that can be known: is there at most one such object at any
/// time?
pub fn has_known_address(program: &Program, object: ObjectId) -> bool {
    let object = program.object(object);
    match object.kind {
        ObjectKind::Global | ObjectKind::StringLiteral | ObjectKind::Function(_) => true,
        ObjectKind::Local(_) | ObjectKind::Heap | ObjectKind::StackAllocation(_) => object.unique,
        ObjectKind::External => false,
    }
}

/// Does the object live as long as the program, so that its address never changes?
pub fn is_permanent(program: &Program, object: ObjectId) -> bool {
    matches!(
        program.object(object).kind,
        ObjectKind::Global | ObjectKind::StringLiteral | ObjectKind::Function(_)
    )
}

/// The cells of an object that begins with zeros, where all accesses have one width.
pub fn zero_cells(program: &Program, object: ObjectId) -> Vec<Cell> {
    let Some(size) = program.object(object).size else {
        return Vec::new();
    };
    let mut cells = Vec::new();
    for (number, region) in program.regions.iter().enumerate() {
        let bytes = u64::from(region.cell_bits / 8);
        if bytes == 0 || !region.objects.contains(&object) || size / bytes > MAX_ZERO_CELLS {
            continue;
        }
        cells.extend((0..size / bytes).map(|index| Cell {
            region: RegionId(number as u32),
            object,
            offset: (index * bytes) as i64,
            bytes,
        }));
    }
    cells
}
