//! An automaton as a C program that gcc compiles and that behaves the same.
//!
//! Locations become labels, edges become statements and `goto`s. Variables are C variables of
//! unsigned types that hold their bits; objects in memory are aligned arrays of bytes, those of a
//! function its C locals, so that recursion works as it should. Memory is accessed through
//! addresses only. Compile the result with `gcc -w -fwrapv -fno-strict-aliasing`, `-m32` for ILP32,
//! and `-lm` where it computes with floats.
//!
//! Deliberate differences to an execution by the interpreter: invalid accesses do what the machine
//! does, and memory without a value is zero when its object begins.

mod expression;
mod operation;
#[cfg(test)]
mod tests;

use cfa::expr::{ExprId, Node, VarId};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::{Halt, InputId, InputKind, Op};
use cfa::outside;
use cfa::owners::Owners;
use cfa::program::{EdgeId, FuncId, LocId, LocationKind, Program};
use cfa::value::Ty;
use expression::{Names, type_name, zero};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::fmt::Write;
use syntax::types::DataModel;

/// Where the program gets its inputs from.
#[derive(Clone, Copy, Debug)]
pub enum Inputs<'a> {
    /// Functions named `__VERIFIER_nondet_…`, which return zero unless they are defined elsewhere.
    Calls,
    /// Functions named `__VERIFIER_nondet_…` that a verifier knows; the property is that
    /// `reach_error` is not called.
    Verifier,
    /// The inputs of a run, in order.
    Recorded(&'a [(InputId, Ty, u128)]),
}

/// The program as C text.
pub fn emit_c(program: &Program, inputs: Inputs<'_>) -> String {
    let mut emitter = Emitter {
        program,
        owners: Owners::of(program),
        inputs,
        out: String::new(),
    };
    emitter.program();
    emitter.out
}

struct Emitter<'a> {
    program: &'a Program,
    owners: Owners,
    inputs: Inputs<'a>,
    out: String,
}

/// A name as far as C's letters allow.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
        .take(40)
        .collect()
}

/// Writing to a string does not fail, so the result says nothing.
macro_rules! line {
    ($out:expr, $($text:tt)*) => {{
        let _ = writeln!($out, $($text)*);
    }};
}
use line;

impl Names for Emitter<'_> {
    fn node(&self, id: ExprId) -> Node {
        self.program.pool.node(id)
    }

    fn ty(&self, id: ExprId) -> Ty {
        self.program.pool.ty(id)
    }

    fn variable(&self, var: VarId) -> String {
        format!("v{}_{}", var.0, plain(&self.program.var(var).name))
    }

    fn address(&self, object: ObjectId) -> String {
        match self.program.object(object).kind {
            ObjectKind::Function(function) => format!("(uptr)&{}", self.function_name(function)),
            ObjectKind::Heap | ObjectKind::StackAllocation(_) => self.object_name(object),
            _ => format!("(uptr){}", self.object_name(object)),
        }
    }

    fn has_int128(&self) -> bool {
        self.program.model == DataModel::Lp64
    }
}

impl Emitter<'_> {
    fn function_name(&self, function: FuncId) -> String {
        let name = plain(self.program.function_name(function));
        format!("f{}_{name}", function.0)
    }

    fn object_name(&self, object: ObjectId) -> String {
        let name = plain(&self.program.object(object).name);
        format!("o{}_{name}", object.0)
    }

    fn program(&mut self) {
        let bits = self.program.model.pointer_bits();
        self.out += include_str!("runtime.h");
        line!(
            self.out,
            "_Static_assert(sizeof(void *) == {}, \"compile with -m{bits}\");",
            bits / 8
        );
        if self.program.model == DataModel::Ilp32 {
            // The x87 unit would round differently.
            line!(self.out, "#pragma GCC target(\"sse2,fpmath=sse\")");
        }
        self.input_sources();
        for index in 0..self.program.objects.len() {
            let id = ObjectId(index as u32);
            if self.owners.objects[index].is_none() {
                self.declare_object(id, "static ");
            }
        }
        for (index, var) in self.program.vars.iter().enumerate() {
            if self.owners.vars[index].is_none() {
                let name = self.variable(VarId(index as u32));
                line!(self.out, "static {} {name};", type_name(var.ty));
            }
        }
        let functions = (0..self.program.functions.len()).map(|index| FuncId(index as u32));
        for function in functions.clone() {
            let signature = self.signature(function);
            line!(self.out, "{signature};");
        }
        for function in functions {
            self.function(function);
        }
        let entry = self.function_name(self.program.entry);
        let result = self.program.function(self.program.entry).result.is_some();
        let call = if result {
            format!("return (int){entry}();")
        } else {
            format!("{entry}();\n    return 0;")
        };
        line!(self.out, "\nint main(void)\n{{");
        // A verifier has no pages to map.
        let is_run = !matches!(self.inputs, Inputs::Verifier);
        if is_run && outside::object(self.program).is_some() {
            let at = format!("{:#x}ull", outside::address(self.program.model));
            let size = outside::BYTES.to_string();
            line!(self.out, "        map_outside({at}, {size});");
        }
        line!(self.out, "    {call}\n}}");
    }

    fn declare_object(&mut self, id: ObjectId, storage: &str) {
        let object = self.program.object(id);
        let name = self.object_name(id);
        match object.kind {
            ObjectKind::Function(_) => {}
            // Its address is a value, and so is the list of what an activation has allocated.
            ObjectKind::Heap => line!(self.out, "{storage}uptr {name};"),
            ObjectKind::StackAllocation(_) => {
                line!(self.out, "{storage}uptr {name} = 0;");
                line!(self.out, "{storage}struct chunk *chunks_{} = 0;", id.0);
            }
            ObjectKind::External => {}
            _ => {
                let size = object.size.unwrap_or(0).max(1);
                let align = object.align.max(1);
                line!(
                    self.out,
                    "{storage}u8 {name}[{size}] __attribute__((aligned({align})));"
                );
            }
        }
    }

    /// The functions or the list that inputs come from.
    fn input_sources(&mut self) {
        match self.inputs {
            Inputs::Calls | Inputs::Verifier => {
                let mut functions = BTreeMap::new();
                for op in &self.program.ops {
                    if let Op::Havoc(var, input) = op {
                        let ty = self.program.var(*var).ty;
                        functions.entry(self.nondet_name(*input, ty)).or_insert(ty);
                    }
                }
                let for_verifier = matches!(self.inputs, Inputs::Verifier);
                if for_verifier {
                    line!(self.out, "extern void reach_error(void);");
                }
                for (name, ty) in functions {
                    let ty_name = type_name(ty);
                    if for_verifier {
                        line!(self.out, "extern {ty_name} {name}(void);");
                        continue;
                    }
                    let value = zero(ty);
                    line!(
                        self.out,
                        "__attribute__((weak)) {ty_name} {name}(void) {{ return {value}; }}"
                    );
                }
            }
            Inputs::Recorded(values) => {
                // Memory without a value has none to be asked for here.
                let own = values
                    .iter()
                    .filter(|(id, ..)| (id.0 as usize) < self.program.inputs.len());
                let words: Vec<String> = own
                    .map(|(_, _, bits)| {
                        format!("{{{:#x}ull, {:#x}ull}}", *bits as u64, (*bits >> 64) as u64)
                    })
                    .collect();
                let count = words.len();
                line!(
                    self.out,
                    "static const u64 recorded[{}][2] = {{{}}};",
                    count.max(1),
                    words.join(", ")
                );
                line!(
                    self.out,
                    "static const u64 *next_input(void)\n{{\n    static u32 next;\n    if (next >= {count}) \
                     ends(\"no more inputs\", 3);\n    return recorded[next++];\n}}"
                );
            }
        }
    }

    fn nondet_name(&self, input: InputId, ty: Ty) -> String {
        match &self.program.inputs[input.0 as usize].kind {
            InputKind::Nondet(name) => plain(self.program.names.get(*name)),
            InputKind::External(name) => {
                format!(
                    "__VERIFIER_nondet_result_{}",
                    plain(self.program.names.get(*name))
                )
            }
            _ => format!("__VERIFIER_nondet_{}", type_name(ty).replace(' ', "_")),
        }
    }

    fn signature(&self, id: FuncId) -> String {
        let function = self.program.function(id);
        let result = match function.result {
            Some(var) => type_name(self.program.var(var).ty),
            None => "void",
        };
        let params: Vec<String> = function
            .params
            .iter()
            .map(|&param| {
                let ty = type_name(self.program.var(param).ty);
                // A parameter that other functions mention too is a static variable, assigned on
                // entry.
                let own = self.owners.vars[param.0 as usize].is_some();
                let given = if own { "" } else { "given_" };
                format!("{ty} {given}{}", self.variable(param))
            })
            .collect();
        let params = if params.is_empty() {
            "void".to_owned()
        } else {
            params.join(", ")
        };
        format!("static {result} {}({params})", self.function_name(id))
    }

    fn function(&mut self, id: FuncId) {
        let program = self.program;
        let function = program.function(id);
        let signature = self.signature(id);
        line!(self.out, "\n{signature}\n{{");
        for (index, var) in program.vars.iter().enumerate() {
            let var_id = VarId(index as u32);
            if self.owners.vars[index] == Some(id) && !function.params.contains(&var_id) {
                let (ty, name) = (type_name(var.ty), self.variable(var_id));
                line!(self.out, "    {ty} {name} = {};", zero(var.ty));
            }
        }
        for index in 0..program.objects.len() {
            if self.owners.objects[index] == Some(id) {
                self.declare_object(ObjectId(index as u32), "    ");
            }
        }
        for &param in &function.params {
            if self.owners.vars[param.0 as usize].is_none() {
                let name = self.variable(param);
                line!(self.out, "    {name} = given_{name};");
            }
        }
        self.body(id);
        line!(self.out, "}}");
    }

    /// Locations in the order of their numbers. Where the way on is to the next one there is no
    /// `goto`, and only what is jumped to has a label: C compilers look at all labels of a function
    /// at the end of each of its blocks.
    fn body(&mut self, id: FuncId) {
        let program = self.program;
        let function = program.function(id);
        let own = |index: &usize| program.locations[*index].function == id;
        let order: Vec<LocId> = (0..program.locations.len())
            .filter(own)
            .map(|index| LocId(index as u32))
            .collect();
        let following = |place: usize| order.get(place).copied();
        let mut labels = FxHashSet::default();
        if following(0) != Some(function.entry) {
            labels.insert(function.entry);
            line!(self.out, "    goto L{};", function.entry.0);
        }
        for (place, &at) in order.iter().enumerate() {
            let edges = self.written_edges(id, at);
            let jumps = edges
                .iter()
                .filter(|&&edge| self.is_jump(edge, following(place + 1)));
            labels.extend(jumps.map(|&edge| program.edge(edge).target));
        }
        let mut next_temporary = 0;
        for (place, &at) in order.iter().enumerate() {
            if labels.contains(&at) {
                line!(self.out, "L{}:;", at.0);
            }
            if program.location(at).kind == LocationKind::Error {
                if matches!(self.inputs, Inputs::Verifier) {
                    line!(self.out, "    reach_error();");
                }
                line!(self.out, "    ends(\"the property is violated\", 134);");
                continue;
            }
            if at == function.exit {
                self.leave(id);
                continue;
            }
            let edges = self.written_edges(id, at);
            for &edge in &edges {
                let is_jump = self.is_jump(edge, following(place + 1));
                let target = is_jump.then_some(program.edge(edge).target);
                let op = match program.repeats_copy(edge) {
                    true => &Op::Skip,
                    false => program.edge_op(edge),
                };
                self.operation(op, target, &mut next_temporary);
            }
            let last = edges.last().map(|&edge| program.edge_op(edge));
            if matches!(last, None | Some(Op::Assume(_))) {
                line!(self.out, "    ends(\"an assumption does not hold\", 0);");
            }
        }
    }

    /// Whether an edge needs a `goto` where `next` is the location that is written next.
    fn is_jump(&self, edge: EdgeId, next: Option<LocId>) -> bool {
        match self.program.edge_op(edge) {
            Op::Assume(_) => true,
            Op::Halt(_) => false,
            _ => Some(self.program.edge(edge).target) != next,
        }
    }

    /// The edges of a location that have a meaning in C: its assumptions, up to the first edge that
    /// is none.
    fn written_edges(&self, id: FuncId, at: LocId) -> Vec<EdgeId> {
        let location = self.program.location(at);
        if location.kind == LocationKind::Error || at == self.program.function(id).exit {
            return Vec::new();
        }
        let is_assumption = |&edge: &EdgeId| matches!(self.program.edge_op(edge), Op::Assume(_));
        let before = location
            .outgoing
            .iter()
            .take_while(|edge| is_assumption(edge));
        let end = before.count() + 1;
        location.outgoing.iter().take(end).copied().collect()
    }

    fn leave(&mut self, id: FuncId) {
        for index in 0..self.program.objects.len() {
            let allocated = matches!(
                self.program.objects[index].kind,
                ObjectKind::StackAllocation(_)
            );
            if allocated && self.owners.objects[index] == Some(id) {
                line!(self.out, "    drop_chunks(&chunks_{index});");
            }
        }
        match self.program.function(id).result {
            Some(var) => line!(self.out, "    return {};", self.variable(var)),
            None => line!(self.out, "    return;"),
        }
    }

    fn halt(&mut self, halt: &Halt, value: Option<String>) {
        match halt {
            Halt::Exit(_) => line!(
                self.out,
                "        exit((int){});",
                value.unwrap_or_default()
            ),
            Halt::Abort => line!(self.out, "        abort();"),
            Halt::Undefined(text) => {
                line!(
                    self.out,
                    "        ends(\"undefined: {}\", 132);",
                    quote(text.as_bytes())
                );
            }
            Halt::Unsupported(text) => {
                line!(
                    self.out,
                    "        ends(\"unsupported: {}\", 3);",
                    quote(text.as_bytes())
                );
            }
        }
    }
}

/// Bytes as they stand inside a C string literal.
fn quote(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => {
                text.push('\\');
                text.push(byte as char);
            }
            b'\n' => text += "\\n",
            // Three octal digits cannot swallow what follows; `?` could begin a trigraph.
            b'?' | 0..=31 | 127.. => {
                let _ = write!(text, "\\{byte:03o}");
            }
            _ => text.push(byte as char),
        }
    }
    text
}
