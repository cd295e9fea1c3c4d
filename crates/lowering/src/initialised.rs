//! Has a variable got a value when control comes to a location? What is said of one that has none
//! says nothing.

use cfa::expr::{ExprId, Node, VarId};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::{Contents, InputKind, Op};
use cfa::program::{LocId, Program, VariableKind};

/// Something that holds a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holder {
    Var(VarId),
    Object(ObjectId),
}

/// What an operation does to a holder.
enum Done {
    Nothing,
    GivesValue,
    TakesValue,
}

/// May control come to the location before the holder has got a value? Only holders of the
/// location's own function are looked at. An object counts as written as soon as an operation that
/// may write names it.
pub fn may_lack_value(program: &Program, at: LocId, holder: Holder) -> bool {
    let function = program.location(at).function;
    let is_own = match holder {
        Holder::Var(var) => {
            let variable = program.var(var);
            variable.function == Some(function) && variable.kind == VariableKind::Local
        }
        Holder::Object(object) => {
            program.objects[object.0 as usize].kind == ObjectKind::Local(function)
        }
    };
    if !is_own {
        return false;
    }
    let mut seen = vec![false; program.locations.len()];
    let mut open = vec![at];
    while let Some(location) = open.pop() {
        if std::mem::replace(&mut seen[location.0 as usize], true) {
            continue;
        }
        // An object in memory begins by an operation; a variable may have begun here.
        if location == program.function(function).entry && matches!(holder, Holder::Var(_)) {
            return true;
        }
        for &edge in &program.location(location).incoming {
            match done(program, program.edge_op(edge), holder) {
                Done::Nothing => open.push(program.edge(edge).source),
                Done::GivesValue => {}
                Done::TakesValue => return true,
            }
        }
    }
    false
}

fn done(program: &Program, op: &Op, holder: Holder) -> Done {
    match (holder, op) {
        (Holder::Var(var), Op::Havoc(target, input)) if *target == var => {
            match program.inputs.get(input.0 as usize).map(|it| &it.kind) {
                Some(InputKind::Uninitialised(_)) => Done::TakesValue,
                _ => Done::GivesValue,
            }
        }
        (Holder::Var(var), op) if op.written_variable() == Some(var) => Done::GivesValue,
        (Holder::Object(wanted), Op::Begin { object, contents }) if *object == wanted => {
            match contents {
                Contents::Arbitrary => Done::TakesValue,
                Contents::Zero => Done::GivesValue,
            }
        }
        (Holder::Object(object), op) if writes(op) => {
            let mut parts = op.expressions().into_iter();
            match parts.any(|expr| names(program, expr, object)) {
                true => Done::GivesValue,
                false => Done::Nothing,
            }
        }
        _ => Done::Nothing,
    }
}

/// May the operation write memory, or hand an address on to somebody who does?
fn writes(op: &Op) -> bool {
    !matches!(op, Op::Assume(_) | Op::Skip | Op::Halt(_) | Op::Release(_))
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
        let text = format!(
            "int __VERIFIER_nondet_int(void); void f(int *);\n\
             int main(void) {{ int c = __VERIFIER_nondet_int(); {declarations}\n\
             while (c) {{ u = c; c = c - u; }} return u; }}"
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
            (_, Some(object)) => Holder::Object(ObjectId(object as u32)),
            (Some(var), None) => Holder::Var(VarId(var as u32)),
            (None, None) => panic!("there is no u"),
        };
        may_lack_value(&program, head, holder)
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
}
