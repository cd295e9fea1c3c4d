//! Operations as C statements.

use super::expression::{Expressions, Names, extended, type_name};
use super::{Emitter, Inputs, line, quote};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::{Contents, InputId, Op, Print, PrintKind};
use cfa::program::LocId;
use cfa::value::Ty;
use interpreter::started_with;
use std::fmt::Write;

impl Emitter<'_> {
    /// Writes an edge: its operation, then the way to its target unless that is what is written
    /// next.
    pub(super) fn operation(&mut self, op: &Op, target: Option<LocId>, next: &mut u32) {
        let mut expressions = Expressions::new(&*self, next);
        let mut operands = Vec::new();
        for id in op.expressions() {
            operands.push(expressions.text(id));
        }
        let definitions = expressions.definitions;
        let is_block = !definitions.is_empty();
        if is_block {
            self.out += "    {\n";
            self.out += &definitions;
        }
        let goto = target.map(|target| format!("goto L{};", target.0));
        match (op, operands.as_slice(), goto) {
            (Op::Assume(_), [condition], Some(goto)) => {
                line!(self.out, "        if ({condition}) {goto}");
            }
            (op, operands, goto) => {
                self.statement(op, operands);
                if let Some(goto) = goto {
                    line!(self.out, "        {goto}");
                }
            }
        }
        if is_block {
            self.out += "    }\n";
        }
    }

    fn statement(&mut self, op: &Op, operands: &[String]) {
        match (op, operands) {
            (Op::Skip, _) => {}
            (Op::Assign(var, _), [value]) => {
                line!(self.out, "        {} = {value};", self.variable(*var));
            }
            (Op::Havoc(var, input), _) => {
                let ty = self.program.var(*var).ty;
                let value = self.input(*input, ty);
                line!(self.out, "        {} = {value};", self.variable(*var));
            }
            (Op::Store { value, .. }, [address, text]) => {
                let ty = self.program.pool.ty(*value);
                let (name, bytes) = (type_name(ty), ty.bytes());
                if ty.is_int() && matches!(bytes, 1 | 2 | 4 | 8) {
                    line!(self.out, "        load_{name}({address}) = {text};");
                } else {
                    line!(
                        self.out,
                        "        store_some({name}, {address}, {bytes}, {text});"
                    );
                }
            }
            (Op::Begin { object, contents }, _) => self.begin(*object, *contents),
            (Op::End(object), _) => {
                if let ObjectKind::StackAllocation(_) = self.program.object(*object).kind {
                    line!(self.out, "        drop_chunks(&chunks_{});", object.0);
                }
            }
            (Op::Allocate { target, object, .. }, [size]) => {
                let target = self.variable(*target);
                let value = self.allocate(*object, size);
                let name = self.object_name(*object);
                line!(self.out, "        {target} = {name} = {value};");
            }
            (Op::Reallocate { target, object, .. }, [address, size]) => {
                let target = self.variable(*target);
                let name = self.object_name(*object);
                line!(
                    self.out,
                    "        {target} = {name} = (uptr)realloc((void *){address}, {size} + 1);"
                );
            }
            (Op::Release(_), [address]) => {
                line!(self.out, "        free((void *){address});");
            }
            (Op::Copy { .. }, [to, from, size]) => {
                line!(self.out, "        copy_bytes({to}, {from}, {size});");
            }
            (Op::Fill { .. }, [to, byte, size]) => {
                line!(self.out, "        fill_bytes({to}, {byte}, {size});");
            }
            (
                Op::Call {
                    function, result, ..
                },
                args,
            ) => {
                let call = format!("{}({})", self.function_name(*function), args.join(", "));
                match result {
                    Some(var) => {
                        line!(self.out, "        {} = {call};", self.variable(*var));
                    }
                    None => line!(self.out, "        {call};"),
                }
            }
            (Op::Print(print), args) => self.print(print, args),
            (Op::Halt(halt), operands) => self.halt(halt, operands.first().cloned()),
            // No operation has other operands.
            _ => {}
        }
    }

    fn begin(&mut self, object: ObjectId, contents: Contents) {
        let info = self.program.object(object);
        let static_storage = matches!(
            info.kind,
            ObjectKind::Global | ObjectKind::StringLiteral | ObjectKind::External
        );
        // C does that itself; the entry function begins them once.
        if static_storage && contents == Contents::Zero {
            return;
        }
        let name = self.object_name(object);
        line!(self.out, "        fill_bytes({name}, 0, sizeof {name});");
    }

    fn allocate(&self, object: ObjectId, size: &str) -> String {
        let info = self.program.object(object);
        if let ObjectKind::StackAllocation(_) = info.kind {
            return format!("push_chunk(&chunks_{}, {size})", object.0);
        }
        let align = info.align.next_power_of_two();
        format!("allocate({size}, {align})")
    }

    fn input(&self, input: InputId, ty: Ty) -> String {
        let is_bool = self.program.inputs[input.0 as usize].is_bool;
        let pointer = started_with(&self.program.inputs[input.0 as usize], ty);
        let value = match self.inputs {
            Inputs::Calls | Inputs::Verifier if pointer.is_some() => {
                format!("{:#x}ull", pointer.unwrap_or_default())
            }
            Inputs::Calls | Inputs::Verifier => format!("{}()", self.nondet_name(input, ty)),
            Inputs::Recorded(_) => match ty {
                // The two words begin with the value's bytes.
                Ty::Float(_) => {
                    format!("load_some({}, next_input(), {})", type_name(ty), ty.bytes())
                }
                Ty::Int { width, .. } if width > 64 => {
                    "load_some(wide, next_input(), 16)".to_owned()
                }
                _ => format!("({})*next_input()", type_name(ty)),
            },
        };
        if is_bool { format!("!!{value}") } else { value }
    }

    fn print(&mut self, print: &Print, args: &[String]) {
        let stream = if print.to_stderr { "stderr" } else { "stdout" };
        let typed: Vec<String> = print
            .args
            .iter()
            .zip(args)
            .map(|(&arg, text)| passed(self.program.pool.ty(arg), text))
            .collect();
        let first = args.first().cloned().unwrap_or_default();
        let call = match &print.kind {
            PrintKind::Format(format) => {
                let mut all = vec![stream.to_owned(), format!("\"{}\"", quote(format))];
                all.extend(typed);
                format!("fprintf({})", all.join(", "))
            }
            PrintKind::UnknownFormat => {
                let rest = typed.iter().skip(1);
                let mut all = vec![stream.to_owned(), format!("(char *)(uptr){first}")];
                all.extend(rest.cloned());
                format!("fprintf({})", all.join(", "))
            }
            PrintKind::Char => format!("fputc((int){first}, {stream})"),
            PrintKind::Line => format!("puts((char *)(uptr){first})"),
            PrintKind::Text => format!("fputs((char *)(uptr){first}, {stream})"),
        };
        match print.result {
            Some(var) => {
                let ty = type_name(self.program.var(var).ty);
                line!(self.out, "        {} = ({ty}){call};", self.variable(var));
            }
            None => line!(self.out, "        {call};"),
        }
    }
}

/// An argument behind `...`, in the C type that its conversion reads.
fn passed(ty: Ty, text: &str) -> String {
    match ty {
        Ty::Bool => format!("(int){text}"),
        Ty::Int { width, .. } if width <= 32 => format!("(int)({})", extended(text, ty)),
        Ty::Int { width, .. } if width <= 64 => format!("(u64)({})", extended(text, ty)),
        Ty::Float(arith::float::FloatFormat::Half | arith::float::FloatFormat::Single) => {
            format!("(double){text}")
        }
        _ => text.to_owned(),
    }
}
