//! The automaton as JSON, complete: expressions are listed once, and everything else refers to them
//! by number.

use super::chosen;
use super::text::{binary_name, expression_text, operation_text, type_text, unary_name};
use cfa::expr::{ExprId, Node};
use cfa::memory::ObjectKind;
use cfa::op::{Contents, Halt, InputKind, Op, PrintKind};
use cfa::program::{FuncId, LocationKind, Program};
use serde_json::{Map, Value, json};
use syntax::types::DataModel;

/// All functions, or one, with the variables, objects, inputs and expressions of the whole program.
pub fn to_json(program: &Program, function: Option<FuncId>) -> String {
    // A value of strings, numbers and lists can always be written.
    serde_json::to_string_pretty(&to_value(program, function)).unwrap_or_default()
}

pub(super) fn to_value(program: &Program, function: Option<FuncId>) -> Value {
    let functions = chosen(program, function);
    json!({
        "data_model": match program.model {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        },
        "entry": program.entry.0,
        "functions": functions.iter().map(|&id| function_value(program, id)).collect::<Vec<_>>(),
        "variables": numbered(&program.vars, |var| json!({
            "name": var.name,
            "type": type_text(var.ty),
            "function": var.function.map(|function| function.0),
        })),
        "objects": numbered(&program.objects, |object| json!({
            "name": object.name,
            "kind": match object.kind {
                ObjectKind::Global => "global",
                ObjectKind::Local(_) => "local",
                ObjectKind::StringLiteral => "string literal",
                ObjectKind::Heap => "heap",
                ObjectKind::StackAllocation(_) => "stack allocation",
                ObjectKind::Function(_) => "function",
                ObjectKind::External => "external",
            },
            "size": object.size,
            "align": object.align,
            "read_only": object.read_only,
        })),
        "inputs": numbered(&program.inputs, |input| {
            let (kind, name) = match &input.kind {
                InputKind::Nondet(name) => ("nondet", program.names.get(*name)),
                InputKind::Uninitialised(name) => ("uninitialised", name.as_str()),
                InputKind::External(name) => ("external", program.names.get(*name)),
                InputKind::Library(name) => ("library", program.names.get(*name)),
                InputKind::Unusual(name) => ("unusual", program.names.get(*name)),
                InputKind::Replaced(name) => ("replaced", program.names.get(*name)),
                InputKind::Argument(name) => ("argument", name.as_str()),
                InputKind::Volatile(name) => ("volatile", name.as_str()),
                InputKind::Assembly => ("assembly", ""),
                InputKind::Asked { .. } => ("asked", ""),
            };
            json!({"kind": kind, "name": name, "place": program.describe(input.span)})
        }),
        "expressions": (0..program.pool.len())
            .map(|index| expression(program, ExprId(index as u32)))
            .collect::<Vec<_>>(),
    })
}

fn numbered<T>(things: &[T], describe: impl Fn(&T) -> Value) -> Vec<Value> {
    let describe = |(index, thing)| {
        let mut value = describe(thing);
        value["id"] = json!(index);
        value
    };
    things.iter().enumerate().map(describe).collect()
}

fn function_value(program: &Program, id: FuncId) -> Value {
    let function = program.function(id);
    let locations = program.locations.iter().enumerate();
    let locations = locations.filter(|(_, location)| location.function == id);
    let edges = program.edges.iter().enumerate();
    let edges = edges.filter(|(_, edge)| program.location(edge.source).function == id);
    json!({
        "id": id.0,
        "name": program.function_name(id),
        "params": function.params.iter().map(|var| var.0).collect::<Vec<_>>(),
        "result": function.result.map(|var| var.0),
        "entry": function.entry.0,
        "exit": function.exit.0,
        "place": program.describe(function.span),
        "locations": locations.map(|(index, location)| json!({
            "id": index,
            "kind": match location.kind {
                LocationKind::Ordinary => "ordinary",
                LocationKind::LoopHead => "loop head",
                LocationKind::Error => "error",
            },
            "place": program.describe(location.span),
        })).collect::<Vec<_>>(),
        "edges": edges.map(|(index, edge)| json!({
            "id": index,
            "source": edge.source.0,
            "target": edge.target.0,
            "operation": operation(program, program.op(edge.op)),
            "text": operation_text(program, program.op(edge.op)),
            "place": program.describe(edge.span),
        })).collect::<Vec<_>>(),
    })
}

/// The parts beside the expressions, which every operation lists in order.
fn operation(program: &Program, op: &Op) -> Value {
    let mut value = Map::new();
    let mut put = |key: &str, part: Value| {
        value.insert(key.to_owned(), part);
    };
    let kind = match op {
        Op::Skip => "skip",
        Op::Assume(_) => "assume",
        Op::Assign(..) => "assign",
        Op::Havoc(_, input) => {
            put("input", json!(input.0));
            "havoc"
        }
        Op::Store { region, .. } => {
            put("region", json!(region.0));
            "store"
        }
        Op::Begin { object, contents }
        | Op::Allocate {
            object, contents, ..
        } => {
            put("object", json!(object.0));
            put("zero", json!(*contents == Contents::Zero));
            if matches!(op, Op::Begin { .. }) {
                "begin"
            } else {
                "allocate"
            }
        }
        Op::End(object) => {
            put("object", json!(object.0));
            "end"
        }
        Op::Reallocate { object, .. } => {
            put("object", json!(object.0));
            "reallocate"
        }
        Op::Release(_) => "release",
        Op::Copy {
            target_region,
            source_region,
            ..
        } => {
            put("region", json!(target_region.0));
            put("source_region", json!(source_region.0));
            "copy"
        }
        Op::Fill { region, .. } => {
            put("region", json!(region.0));
            "fill"
        }
        Op::Call { function, .. } => {
            put("function", json!(function.0));
            "call"
        }
        Op::Print(print) => {
            if let PrintKind::Format(format) = &print.kind {
                put("format", json!(String::from_utf8_lossy(format)));
            }
            "print"
        }
        Op::Halt(halt) => {
            match halt {
                Halt::Exit(_) => put("halt", json!("exit")),
                Halt::Abort => put("halt", json!("abort")),
                Halt::Undefined(text) => put("undefined", json!(text)),
                Halt::Unsupported(text) => put("unsupported", json!(text)),
            }
            "halt"
        }
    };
    put("kind", json!(kind));
    let expressions = op.expressions();
    if !expressions.is_empty() {
        let ids: Vec<u32> = expressions.iter().map(|id| id.0).collect();
        put("expressions", json!(ids));
    }
    if let Some(var) = op.written_variable() {
        put("variable", json!(var.0));
        put("variable_name", json!(program.var(var).name));
    }
    Value::Object(value)
}

fn expression(program: &Program, id: ExprId) -> Value {
    let pool = &program.pool;
    let node = pool.node(id);
    let parts: Vec<u32> = node.children().map(|part| part.0).collect();
    let mut value = json!({"id": id.0, "type": type_text(pool.ty(id))});
    match node {
        Node::Const(_) => value["constant"] = json!(expression_text(program, id)),
        Node::Var(var) => value["variable"] = json!(var.0),
        Node::Address(object) => value["object"] = json!(object.0),
        Node::Unary(op, _) => value["operator"] = json!(unary_name(op)),
        Node::Binary(op, ..) => value["operator"] = json!(binary_name(op)),
        Node::Ite(..) => value["operator"] = json!("?:"),
        Node::Fma(..) => value["operator"] = json!("fma"),
        Node::Load { region, .. } => {
            value["operator"] = json!("load");
            value["region"] = json!(region.0);
        }
    }
    if !parts.is_empty() {
        value["parts"] = json!(parts);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::value::Ty;
    use syntax::types::DataModel;
    use testing::Hand;

    #[test]
    fn what_is_written_can_be_read_and_is_complete() {
        let mut hand = Hand::new(DataModel::Ilp32);
        let main = hand.function("main");
        let x = hand.var("x", Ty::I32, Some(main));
        let (seven, exit) = (hand.int(7), hand.exit(main));
        let entry = hand.entry(main);
        hand.edge(entry, Op::Assign(x, seven), exit);
        let program = hand.finish();
        let value: Value = serde_json::from_str(&to_json(&program, None)).expect("it is JSON");
        assert_eq!(value["data_model"], "ILP32");
        let edge = &value["functions"][0]["edges"][0];
        assert_eq!(edge["text"], "x = 7");
        assert_eq!(edge["operation"]["kind"], "assign");
        let expression = edge["operation"]["expressions"][0].as_u64();
        let index = expression.expect("a number") as usize;
        assert_eq!(value["expressions"][index]["constant"], "7");
    }
}
