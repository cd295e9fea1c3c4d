//! Where variables and objects live while a program runs: addresses of static objects, registers of
//! local variables, slots of global ones.

use super::code::{Reg, is_wide};
use super::memory::Memory;
use cfa::memory::{Object, ObjectId, ObjectKind};
use cfa::outside;
use cfa::owners::Owners;
use cfa::program::Program;
use std::ops::Range;
use syntax::types::DataModel;

/// The part of the address space where functions lie, 16 bytes each, and that of everything else.
/// Both are far from null, so that an access to a member of a null structure is found however large
/// the structure is.
pub(super) struct Space {
    pub functions: u64,
    pub data: u64,
    pub data_size: u64,
}

pub(super) fn space_of(model: DataModel) -> Space {
    match model {
        DataModel::Ilp32 => Space {
            functions: 0x0400_0000,
            data: outside::address(DataModel::Ilp32),
            data_size: 0xd000_0000,
        },
        // Beyond 32 bits, so that a pointer squeezed through an `int` is found.
        DataModel::Lp64 => Space {
            functions: 0x5500_0000_0000,
            data: outside::address(DataModel::Lp64),
            data_size: 1 << 37,
        },
    }
}

/// A static object with the address that it has in every run.
pub(super) struct Static {
    pub object: ObjectId,
    pub address: u64,
    pub size: u64,
    pub read_only: bool,
    pub arbitrary: bool,
}

pub(super) struct Places {
    /// The first register of each variable.
    pub vars: Vec<Reg>,
    /// Fixed addresses, of static objects and functions.
    pub fixed: Vec<Option<u64>>,
    /// For the others, the register that holds their present address.
    pub objects: Vec<Reg>,
    pub statics: Vec<Static>,
    /// The registers of each function's activations: its variables, then addresses of its objects.
    pub functions: Vec<Range<usize>>,
    /// The second part of them.
    pub addresses: Vec<Range<usize>>,
    /// All registers used so far.
    pub registers: usize,
    /// The space that static objects take; dynamic ones come after it.
    pub static_space: u64,
    /// A static object that found no room.
    pub too_large: Option<ObjectId>,
}

fn has_fixed_address(object: &Object) -> bool {
    matches!(
        object.kind,
        ObjectKind::Global
            | ObjectKind::StringLiteral
            | ObjectKind::Function(_)
            | ObjectKind::External
    )
}

impl Places {
    pub fn new(program: &Program, memory: &mut Memory) -> Places {
        let owners = Owners::of(program);
        // Things in the order of their owners, those that exist once first.
        let vars = owners.vars.iter().enumerate();
        let vars = vars.map(|(index, &owner)| (owner, true, index));
        let objects = owners.objects.iter().enumerate();
        let objects = objects.map(|(index, &owner)| (owner, false, index));
        let mut things: Vec<_> = vars.chain(objects).collect();
        things.sort_by_key(|&(owner, ..)| owner);
        let mut places = Places {
            vars: vec![0; program.vars.len()],
            fixed: vec![None; program.objects.len()],
            objects: vec![0; program.objects.len()],
            statics: Vec::new(),
            functions: vec![0..0; program.functions.len()],
            addresses: vec![0..0; program.functions.len()],
            registers: 0,
            static_space: 0,
            too_large: None,
        };
        for (owner, is_var, index) in things {
            let register = places.registers;
            if is_var {
                places.vars[index] = register as Reg;
                places.registers += if is_wide(program.vars[index].ty) {
                    2
                } else {
                    1
                };
            } else if !has_fixed_address(&program.objects[index]) {
                places.objects[index] = register as Reg;
                places.registers += 1;
            }
            if let Some(owner) = owner {
                let own = &mut places.functions[owner.0 as usize];
                if own.start == own.end {
                    own.start = register;
                    places.addresses[owner.0 as usize].start = register;
                }
                own.end = places.registers;
                let addresses = &mut places.addresses[owner.0 as usize];
                addresses.end = places.registers;
                if is_var {
                    addresses.start = places.registers;
                }
            }
        }
        places.place_objects(program, memory);
        places
    }

    fn place_objects(&mut self, program: &Program, memory: &mut Memory) {
        // First, so that it lies where others expect it.
        if let Some(outside) = outside::object(program) {
            self.place_static(outside, program.object(outside), memory);
            debug_assert_eq!(
                self.fixed[outside.0 as usize],
                Some(outside::address(program.model))
            );
        }
        let mut next_function = space_of(program.model).functions;
        for (index, object) in program.objects.iter().enumerate() {
            if let ObjectKind::Function(_) = object.kind {
                self.fixed[index] = Some(next_function);
                next_function += 16;
            } else if has_fixed_address(object) && self.fixed[index].is_none() {
                self.place_static(ObjectId(index as u32), object, memory);
            }
        }
        self.static_space = memory.used_space();
    }

    fn place_static(&mut self, id: ObjectId, object: &Object, memory: &mut Memory) {
        let external = object.kind == ObjectKind::External;
        let size = object.size.unwrap_or(0);
        match memory.place_static(size, object.align) {
            Ok(address) => {
                self.fixed[id.0 as usize] = Some(address);
                self.statics.push(Static {
                    object: id,
                    address,
                    size,
                    read_only: object.read_only,
                    arbitrary: external,
                });
            }
            Err(_) => self.too_large = self.too_large.or(Some(id)),
        }
    }
}
