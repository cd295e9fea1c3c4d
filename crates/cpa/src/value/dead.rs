//! Values that nobody reads any more: states that differ only in them are one.
//!
//! Local variables that are dead at a location where states are stored are forgotten there.

use super::store::{Group, groups};
use cfa::expr::VarId;
use cfa::live::Live;
use cfa::program::{FuncId, LocId, Program};
use std::rc::Rc;

/// In larger functions the search would cost more than it saves.
const MAX_PAIRS: usize = 8_000_000;

pub struct Dead<'p> {
    program: &'p Program,
    locals: Rc<[Vec<VarId>]>,
    /// Locations of each function, for the limit.
    sizes: Vec<usize>,
    live: Vec<Option<Rc<Live>>>,
    at: Vec<Option<Rc<[Group]>>>,
}

impl<'p> Dead<'p> {
    pub fn new(program: &'p Program, locals: Rc<[Vec<VarId>]>) -> Dead<'p> {
        let mut sizes = vec![0; program.functions.len()];
        for location in &program.locations {
            sizes[location.function.0 as usize] += 1;
        }
        Dead {
            program,
            locals,
            sizes,
            live: vec![None; program.functions.len()],
            at: vec![None; program.locations.len()],
        }
    }

    fn live(&mut self, function: FuncId) -> Rc<Live> {
        let program = self.program;
        self.live[function.0 as usize]
            .get_or_insert_with(|| Rc::new(Live::of(program, function)))
            .clone()
    }

    /// The locals that are dead at a location.
    pub fn at(&mut self, location: LocId) -> Rc<[Group]> {
        if let Some(known) = &self.at[location.0 as usize] {
            return known.clone();
        }
        let function = self.program.location(location).function;
        let number = function.0 as usize;
        let pairs = self.sizes[number].saturating_mul(self.locals[number].len());
        let dead: Rc<[Group]> = if pairs > MAX_PAIRS {
            Rc::from([])
        } else {
            let live = self.live(function);
            let locals = self.locals[number].iter();
            groups(
                locals
                    .filter(|&&var| !live.is_live(location, var))
                    .map(|var| var.0),
            )
        };
        self.at[location.0 as usize] = Some(dead.clone());
        dead
    }
}
