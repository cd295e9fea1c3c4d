//! The explicit-value analysis as a CPA: `merge^sep`, `stop^sep`.

use super::store::{Known, MapId};
use super::transfer::ValueTransfer;
use crate::formalism::Cpa;
use crate::proof::Expressible;
use absint::numeric::express::Writer;
use absint::place::Step;
use absint::precision::Variables;
use cfa::expr::{ExprId, VarId};
use cfa::program::Program;
use cfa::value::Ty;

pub struct ValueCpa<'p> {
    pub transfer: ValueTransfer<'p>,
    pub precision: Variables,
}

impl<'p> ValueCpa<'p> {
    pub fn new(program: &'p Program, precision: Variables) -> ValueCpa<'p> {
        ValueCpa {
            transfer: ValueTransfer::new(program),
            precision,
        }
    }
}

impl Cpa for ValueCpa<'_> {
    type State = MapId;
    type Precision = Variables;

    fn initial(&mut self) -> (MapId, Variables) {
        (MapId::EMPTY, self.precision.clone())
    }

    fn successors(
        &mut self,
        state: &MapId,
        precision: &Variables,
        step: &Step,
        successors: &mut Vec<MapId>,
    ) {
        successors.extend(self.transfer.apply(*state, step, precision));
    }

    /// Where states are compared, values that nobody reads any more must not keep them apart.
    fn adjust(
        &mut self,
        state: MapId,
        precision: Variables,
        step: &Step,
    ) -> Option<(MapId, Variables)> {
        let target = step.target.location;
        let meet = self.transfer.program.location(target).incoming.len() > 1;
        let state = if meet {
            self.transfer.forget_dead(state, target)
        } else {
            state
        };
        Some((state, precision))
    }

    fn leq(&mut self, small: &MapId, large: &MapId) -> bool {
        self.transfer.store.leq(*small, *large)
    }

    fn identity(&mut self, state: &MapId) -> Option<u64> {
        Some(u64::from(state.0))
    }
}

impl Expressible for ValueCpa<'_> {
    fn express(&self, state: &MapId, writer: &mut Writer<'_>) -> ExprId {
        let program = self.transfer.program;
        let mut conjuncts = Vec::new();
        for (number, value) in self.transfer.store.entries(*state) {
            let (var, ty) = match (
                program.vars.get(number as usize),
                self.transfer.cell(number),
            ) {
                (Some(var), _) => (writer.pool.variable(VarId(number), var.ty), var.ty),
                (None, Some(cell)) => {
                    let ty = Ty::unsigned((cell.bytes * 8) as u16);
                    let address = writer.pool.address(cell.object, program.pointer_ty());
                    let address = writer.pool.offset(address, i128::from(cell.offset));
                    (writer.pool.load(cell.region, address, ty), ty)
                }
                (None, None) => {
                    writer.lose();
                    continue;
                }
            };
            let equal = match value {
                Known::Bits(bits) if ty == Ty::Bool => {
                    if bits != 0 {
                        var
                    } else {
                        writer.pool.not(var)
                    }
                }
                // Equality of floats does not tell zeros apart, and fails for what is no number:
                // compare the bits.
                Known::Bits(bits) if ty.is_float() => {
                    let integer = Ty::unsigned(ty.width());
                    let pattern = writer
                        .pool
                        .unary(cfa::expr::UnOp::Reinterpret(integer), var);
                    let constant = writer.pool.constant(bits, integer);
                    writer.pool.eq(pattern, constant)
                }
                Known::Bits(bits) => {
                    let constant = writer.pool.constant(bits, ty);
                    writer.pool.eq(var, constant)
                }
                Known::Address(object, at) => {
                    let pointer = program.pointer_ty();
                    let address = writer.pool.address(object, pointer);
                    let address = writer.pool.offset(address, i128::from(at));
                    let address = writer.pool.convert(address, ty);
                    writer.pool.eq(var, address)
                }
            };
            conjuncts.push(equal);
        }
        writer.all(conjuncts)
    }
}
