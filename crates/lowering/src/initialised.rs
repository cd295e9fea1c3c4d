//! Has a variable got a value when control comes to a location? What is said of one that has none
//! says nothing.

use crate::undefined::named_place;
use cfa::expr::{ExprId, Node, VarId};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::{Contents, InputKind, Op};
use cfa::program::{EdgeId, LocId, Program, VariableKind};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Bytes of an object; all of them if it is not known which.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    pub object: ObjectId,
    pub bytes: Option<Range<u64>>,
}

/// Something that holds a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holder {
    Var(VarId),
    Object(Part),
}

/// What an operation does to a holder.
enum Done {
    Nothing,
    GivesValue,
    TakesValue,
}

/// May control come to the location before the holder has got a value? Only holders of the
/// location's own function are looked at. An object whose address is handed on counts as written
/// there; bytes that are written at a place which depends on an index do not.
pub fn may_lack_value(program: &Program, at: LocId, holder: &Holder) -> bool {
    let function = program.location(at).function;
    match holder {
        Holder::Var(var) => {
            let variable = program.var(*var);
            let is_own =
                variable.function == Some(function) && variable.kind == VariableKind::Local;
            is_own && is_reached(program, at, |op| done_to_variable(program, op, *var))
        }
        Holder::Object(part) => {
            let object = &program.objects[part.object.0 as usize];
            if object.kind != ObjectKind::Local(function) {
                return false;
            }
            let writes = Writes::to(program, part.object);
            let bytes = part.bytes.clone().unwrap_or(0..object.size.unwrap_or(1));
            let mut pieces = writes.pieces(bytes);
            pieces.any(|piece| is_reached(program, at, |op| writes.done(op, &piece)))
        }
    }
}

/// Is the location reached from where the value is taken (or from the beginning of the function,
/// where a variable may have begun) without one being given?
fn is_reached(program: &Program, at: LocId, done: impl Fn(EdgeId) -> Done) -> bool {
    let entry = program.function(program.location(at).function).entry;
    let mut seen = vec![false; program.locations.len()];
    let mut open = vec![at];
    while let Some(location) = open.pop() {
        if std::mem::replace(&mut seen[location.0 as usize], true) {
            continue;
        }
        if location == entry {
            return true;
        }
        for &edge in &program.location(location).incoming {
            match done(edge) {
                Done::Nothing => open.push(program.edge(edge).source),
                Done::GivesValue => {}
                Done::TakesValue => return true,
            }
        }
    }
    false
}

fn done_to_variable(program: &Program, edge: EdgeId, var: VarId) -> Done {
    match program.edge_op(edge) {
        Op::Havoc(target, input) if *target == var => {
            match program.inputs.get(input.0 as usize).map(|it| &it.kind) {
                Some(InputKind::Uninitialised(_)) => Done::TakesValue,
                _ => Done::GivesValue,
            }
        }
        op if op.written_variable() == Some(var) => Done::GivesValue,
        _ => Done::Nothing,
    }
}

/// What is written to an object, as far as operations say so by its name.
struct Writes<'a> {
    program: &'a Program,
    object: ObjectId,
    bytes: FxHashMap<EdgeId, Range<u64>>,
}

impl<'a> Writes<'a> {
    fn to(program: &'a Program, object: ObjectId) -> Writes<'a> {
        let mut pool = program.pool.clone();
        let mut bytes = FxHashMap::default();
        for number in 0..program.edges.len() as u32 {
            let edge = EdgeId(number);
            let (address, size) = match program.edge_op(edge) {
                Op::Store { address, value, .. } => {
                    (*address, Some(program.pool.ty(*value).bytes()))
                }
                Op::Copy { target, size, .. } | Op::Fill { target, size, .. } => {
                    let size = program.pool.as_constant(*size);
                    (*target, size.and_then(|size| u64::try_from(size).ok()))
                }
                _ => continue,
            };
            let offset = named_place(&mut pool, address)
                .filter(|&(named, _)| named == object)
                .and_then(|(_, offset)| u64::try_from(pool.as_constant(offset)?).ok());
            let end = offset.and_then(|offset| offset.checked_add(size?));
            if let (Some(from), Some(to)) = (offset, end) {
                bytes.insert(edge, from..to);
            }
        }
        Writes {
            program,
            object,
            bytes,
        }
    }

    /// The bytes in pieces that each operation writes either wholly or not at all.
    fn pieces(&self, bytes: Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let ends = self.bytes.values().flat_map(|it| [it.start, it.end]);
        let mut cuts: Vec<u64> = ends.filter(|cut| bytes.contains(cut)).collect();
        cuts.extend([bytes.start, bytes.end]);
        cuts.sort_unstable();
        cuts.dedup();
        let pairs: Vec<Range<u64>> = cuts.windows(2).map(|pair| pair[0]..pair[1]).collect();
        pairs.into_iter()
    }

    fn done(&self, edge: EdgeId, piece: &Range<u64>) -> Done {
        let handed_on = |expr: ExprId| names(self.program, expr, self.object);
        let op = self.program.edge_op(edge);
        let gives_value = match op {
            Op::Begin { object, contents } if *object == self.object => match contents {
                Contents::Arbitrary => return Done::TakesValue,
                Contents::Outside | Contents::Zero => true,
            },
            Op::Store { value: handed, .. } | Op::Fill { byte: handed, .. } => {
                self.covers(edge, piece) || handed_on(*handed)
            }
            Op::Copy { .. } => self.covers(edge, piece),
            Op::Assume(_) | Op::Skip | Op::Halt(_) | Op::Release(_) => false,
            op => op.expressions().into_iter().any(handed_on),
        };
        match gives_value {
            true => Done::GivesValue,
            false => Done::Nothing,
        }
    }

    fn covers(&self, edge: EdgeId, piece: &Range<u64>) -> bool {
        let written = self.bytes.get(&edge);
        written.is_some_and(|bytes| bytes.start <= piece.start && piece.end <= bytes.end)
    }
}

fn names(program: &Program, expr: ExprId, object: ObjectId) -> bool {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        let node = program.pool.node(expr);
        if node == Node::Address(object) {
            return true;
        }
        // What is read is not handed on.
        if !matches!(node, Node::Load { .. }) {
            open.extend(node.children());
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LowerOptions, load_text};
    use cfa::program::LocationKind;

    /// Whether `u` may lack a value at the loop's head.
    fn lacks(declarations: &str) -> bool {
        lack("u = c;", declarations, None)
    }

    /// The same for some bytes of it, in a loop with this body.
    fn lack(body: &str, declarations: &str, bytes: Option<Range<u64>>) -> bool {
        let text = format!(
            "int __VERIFIER_nondet_int(void); void f(int *);\n\
             int main(void) {{ int c = __VERIFIER_nondet_int(); {declarations}\n\
             while (c) {{ {body} c = c - 1; }} return 0; }}"
        );
        let options = syntax::driver::Options::default();
        let program = match load_text("test.c", &text, &options, &LowerOptions::default()) {
            Ok(loaded) => loaded.program,
            Err(failure) => panic!("{failure}"),
        };
        let head = program
            .locations
            .iter()
            .position(|it| it.kind == LocationKind::LoopHead);
        let head = LocId(head.expect("there is a loop") as u32);
        let var = program.vars.iter().position(|it| it.name == "u");
        let object = program.objects.iter().position(|it| it.name == "u");
        let holder = match (var, object) {
            (_, Some(object)) => Holder::Object(Part {
                object: ObjectId(object as u32),
                bytes,
            }),
            (Some(var), None) => Holder::Var(VarId(var as u32)),
            (None, None) => panic!("there is no u"),
        };
        may_lack_value(&program, head, &holder)
    }

    #[test]
    fn values_come_from_assignments_and_calls() {
        for (declarations, wanted) in [
            ("int u;", true),
            ("int u = 3;", false),
            ("int u; u = c;", false),
            ("int u; if (c > 5) u = 1;", true),
            ("int u; if (c > 5) u = 1; else u = 2;", false),
            ("int u; int *p = &u; f(p);", false),
            ("int u; if (c > 5) f(&u);", true),
            ("int u = 1; f(&u);", false),
        ] {
            assert_eq!(lacks(declarations), wanted, "{declarations}");
        }
    }

    #[test]
    fn each_byte_needs_its_value() {
        const HEAD: &str = "struct S { int a, b; } u, v; int t[4]; v.a = v.b = 0;";
        for (declarations, bytes, wanted) in [
            ("u.a = 1;", 0..4, false),
            ("u.a = 1;", 4..8, true),
            ("u.a = 1;", 0..8, true),
            ("u.a = u.b = 1;", 0..8, false),
            ("u = v;", 0..8, false),
            ("int *p = &u.b; *p = 3;", 4..8, false),
            ("((int *)&u)[c & 1] = 3;", 0..4, true),
            ("u.a = u.b = 1; ((int *)&u)[c & 1] = 3;", 0..4, false),
        ] {
            let declarations = format!("{HEAD} {declarations}");
            let found = lack("u.a = 5;", &declarations, Some(bytes));
            assert_eq!(found, wanted, "{declarations}");
        }
    }
}
