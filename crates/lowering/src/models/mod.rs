//! Library functions that a program calls and does not define.
//!
//! Those that are one operation or expression of the automaton are expanded where they are called
//! ([`Intrinsic`]); those that are little programs are written in C ([`PRELUDE`]) and become part
//! of the program when they are needed. A definition in the program itself always wins.

mod complex;
mod format;
mod library;
mod math;
mod memory;
mod options;
mod print;
mod scan;
mod tables;
mod text;
mod transcendent;
mod verifier;

use crate::{Actual, FunctionLowering};
use arith::float::FloatFormat;
use cfa::expr::{ExprId, VarId};
use cfa::op::{Halt, InputKind, Op};
use cfa::value::Ty;
pub(crate) use format::counts_characters;
pub(crate) use library::{Class, Entry, library};
pub use library::{is_a_guess, is_library};
use math::Math;
use memory::Memory;
pub use print::{FILE_OUTPUT, prints};
pub(crate) use print::{PrintFunction, literal};
pub(crate) use scan::ScanFunction;
use std::sync::LazyLock;
use syntax::foreign::{self, Foreign};
use syntax::span::{Name, Span};
use syntax::types::TypeId;
pub(crate) use text::TextFunction;

/// The models written in C. Each function's name carries [`PREFIX`].
pub static PRELUDE: LazyLock<String> = LazyLock::new(|| {
    let mut text = include_str!("string.c").to_owned();
    text += &tables::tables();
    text += include_str!("ctype.c");
    text += include_str!("environment.c");
    text += include_str!("foreign.c");
    text += include_str!("text.c");
    text += include_str!("number.c");
    text += &transcendent::models();
    text += &complex::models();
    text += include_str!("format.c");
    text += include_str!("wide.c");
    text
});

/// How the prelude is called where a file name is expected.
pub const PRELUDE_NAME: &str = "<library models>";

/// Before the name of the function that a model in C stands for.
pub const PREFIX: &str = "__concord_model_";

/// A function that is expanded where it is called.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Intrinsic {
    /// `__VERIFIER_nondet_X` and other tools' names for it.
    Nondet,
    Assume,
    /// `__VERIFIER_assert` and the like without a definition.
    Assert,
    /// Something that only threads or other tools notice.
    Nothing,
    Exit,
    Abort,
    Memory(Memory),
    Math(Math, FloatFormat),
    Print(PrintFunction),
    Text(TextFunction),
    Scan(ScanFunction),
    /// `swprintf`.
    WideText,
    /// `getopt` and its kin.
    Options,
    /// `__concord_any_X` in the models: a value that the environment gives to the function that
    /// calls it.
    Any,
    /// `__concord_unsupported` in the models: their function is not modelled for these arguments.
    Unmodelled,
    /// `__concord_unusual` in the models: 0 if the function that calls it returns what glibc's
    /// does, 1 for whatever else C allows.
    Unusual,
    SetJump,
    LongJump,
    /// See [`Foreign::Uninterpreted`].
    Uninterpreted,
    Unsupported(&'static str),
}

/// What reaching a `setjmp` or `longjmp` says.
pub(crate) const JUMPS: &str = "setjmp and longjmp";

impl Intrinsic {
    /// Evaluating a call changes nothing that another expression may read.
    pub fn is_pure(self) -> bool {
        matches!(
            self,
            Intrinsic::Nondet | Intrinsic::Any | Intrinsic::Unusual | Intrinsic::Math(..)
        )
    }
}

/// A call of an intrinsic whose arguments are evaluated.
pub(crate) struct IntrinsicCall {
    pub name: Name,
    pub args: Vec<Actual>,
    /// The type of the call.
    pub ty: TypeId,
    pub dest: Option<VarId>,
    pub span: Span,
}

/// What a name that the program does not define means.
pub(crate) fn intrinsic(name: &str) -> Option<Intrinsic> {
    if let Some(meaning) = foreign::meaning(name) {
        return Some(match meaning {
            Foreign::Assert => Intrinsic::Assert,
            Foreign::Assume => Intrinsic::Assume,
            Foreign::Nondet => Intrinsic::Nondet,
            Foreign::Uninterpreted => Intrinsic::Uninterpreted,
            Foreign::Nothing => Intrinsic::Nothing,
            Foreign::Unsupported => {
                Intrinsic::Unsupported("a function that only another verifier defines")
            }
        });
    }
    if name.starts_with("__concord_any_") {
        return Some(Intrinsic::Any);
    }
    match name {
        "__concord_unusual" => return Some(Intrinsic::Unusual),
        "__concord_unsupported" => return Some(Intrinsic::Unmodelled),
        "__concord_two_activations" => {
            return Some(Intrinsic::Unsupported(
                "pointers to a nested function from two activations at once",
            ));
        }
        _ => {}
    }
    Some(match name {
        "exit" | "_exit" | "_Exit" | "quick_exit" => Intrinsic::Exit,
        "abort" => Intrinsic::Abort,
        "swprintf" => Intrinsic::WideText,
        "getopt" | "getopt_long" | "getopt_long_only" => Intrinsic::Options,
        "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" => Intrinsic::SetJump,
        "longjmp" | "_longjmp" | "siglongjmp" => Intrinsic::LongJump,
        _ => {
            if let Some(memory) = Memory::named(name) {
                Intrinsic::Memory(memory)
            } else if let Some(print) = PrintFunction::named(name) {
                Intrinsic::Print(print)
            } else if let Some(text) = TextFunction::named(name) {
                Intrinsic::Text(text)
            } else if let Some(scan) = ScanFunction::named(name) {
                Intrinsic::Scan(scan)
            } else {
                let (math, format) = Math::named(name)?;
                Intrinsic::Math(math, format)
            }
        }
    })
}

/// Functions without a body that never return; they stay calls, so that a property can name them.
pub(crate) fn ends_the_program(name: &str) -> bool {
    matches!(
        name,
        "__assert_fail"
            | "__assert"
            | "__assert_func"
            | "__assert_rtn"
            | "__assert_perror_fail"
            | "__VERIFIER_error"
            | "reach_error"
    )
}

/// Functions of the library that never return, also where the program's own declaration does not
/// say so.
pub(crate) fn never_returns(name: &str) -> bool {
    let names = ["err", "errx", "verr", "verrx", "pthread_exit", "thrd_exit"];
    names.contains(&name)
}

impl FunctionLowering<'_, '_> {
    /// Expands a call; the value is of the call's type.
    pub(crate) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        call: IntrinsicCall,
    ) -> Option<ExprId> {
        match intrinsic {
            Intrinsic::Nondet => self.nondet(call),
            Intrinsic::Uninterpreted => self.uninterpreted(&call),
            Intrinsic::Assume => {
                self.assume(&call);
                None
            }
            Intrinsic::Assert => {
                self.verifier_assert(&call);
                None
            }
            Intrinsic::Nothing => {
                let ty = self.context.value_ty(call.ty);
                Some(self.context.pool.zero(ty))
            }
            Intrinsic::Exit => {
                let status = match call.args.first() {
                    Some(actual) => self.context.pool.convert(actual.value, Ty::I32),
                    None => self.nothing(),
                };
                // Only `exit` runs what is registered for the end.
                match self.context.names.get(call.name) {
                    "exit" => self.exit(status, call.span),
                    _ => self.halt(Halt::Exit(status), call.span),
                }
                None
            }
            Intrinsic::Abort => {
                self.halt(Halt::Abort, call.span);
                None
            }
            Intrinsic::Memory(memory) => self.memory_call(memory, call),
            Intrinsic::Math(math, format) => self.math(math, format, &call),
            Intrinsic::Print(print) => self.print_values(print, &call),
            Intrinsic::Text(text) => self.write_text(text, &call, None),
            Intrinsic::Scan(scan) => self.scan(scan, &call, None),
            Intrinsic::WideText => self.write_wide_text(&call),
            Intrinsic::Options => Some(self.read_options(&call)),
            Intrinsic::Any => {
                let name = self.context.unit(self.frame.function).name;
                let ty = self.context.value_ty(call.ty);
                let var = match call.dest {
                    Some(var) if self.context.vars[var.0 as usize].ty == ty => var,
                    _ => self.temporary(ty, call.span),
                };
                self.havoc(var, InputKind::Library(name), false, call.span);
                Some(self.read(var))
            }
            Intrinsic::Unusual => {
                let name = self.context.unit(self.frame.function).name;
                let value = self.unusual(name, call.span);
                Some(self.convert_to(value, call.ty))
            }
            Intrinsic::Unmodelled => {
                let name = self.context.unit(self.frame.function).name;
                let name = self.context.names.get(name);
                let name = name.strip_prefix("__concord_").unwrap_or(name).to_owned();
                self.unsupported(&format!("`{name}` with these arguments"), call.span);
                None
            }
            Intrinsic::SetJump => {
                self.context.uses_setjmp |= !self.is_dead();
                self.unsupported(JUMPS, call.span);
                Some(self.nothing())
            }
            Intrinsic::LongJump => {
                self.unsupported(JUMPS, call.span);
                None
            }
            Intrinsic::Unsupported(what) => {
                let name = self.context.names.get(call.name).to_owned();
                self.unsupported(&format!("{what} (`{name}`)"), call.span);
                Some(self.context.pool.zero(self.context.value_ty(call.ty)))
            }
        }
    }

    /// Calls a model written in C with arguments in the order of its parameters.
    pub(crate) fn call_model(&mut self, name: &str, args: &[ExprId], span: Span) -> Option<ExprId> {
        let Some(function) = self.context.demand_model(name) else {
            self.unsupported(&format!("the missing model `{name}`"), span);
            return None;
        };
        let unit = self.context.unit(function);
        let params = unit.params.clone();
        let result = unit.result;
        let args = params
            .iter()
            .zip(args)
            .map(|(&param, &arg)| {
                let ty = self.context.vars[param.0 as usize].ty;
                self.context.pool.convert(arg, ty)
            })
            .collect();
        let result = result.map(|result| {
            let ty = self.context.vars[result.0 as usize].ty;
            self.temporary(ty, span)
        });
        let op = Op::Call {
            function,
            args,
            result,
        };
        self.emit(op, span);
        result.map(|result| self.read(result))
    }

    /// 0 if a function returns what glibc's does, 1 for whatever else C allows.
    pub(crate) fn unusual(&mut self, name: Name, span: Span) -> ExprId {
        let var = self.temporary(Ty::U8, span);
        self.havoc(var, InputKind::Unusual(name), true, span);
        self.read(var)
    }

    /// An argument as a value of the given type; zero if it is missing.
    pub(crate) fn argument_as(&mut self, call: &IntrinsicCall, index: usize, ty: Ty) -> ExprId {
        match call.args.get(index) {
            Some(actual) => self.context.pool.convert(actual.value, ty),
            None => self.context.pool.zero(ty),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_meaning() {
        assert_eq!(intrinsic("__VERIFIER_nondet_uint"), Some(Intrinsic::Nondet));
        assert_eq!(
            intrinsic("sqrtf"),
            Some(Intrinsic::Math(Math::Sqrt, FloatFormat::Single))
        );
        assert_eq!(
            intrinsic("sqrt"),
            Some(Intrinsic::Math(Math::Sqrt, FloatFormat::Double))
        );
        assert_eq!(
            intrinsic("fmal"),
            Some(Intrinsic::Math(Math::Fma, FloatFormat::X87))
        );
        assert_eq!(intrinsic("some_function"), None);
        assert!(ends_the_program("reach_error"));
    }

    #[test]
    fn every_model_in_c_carries_the_prefix() {
        let heads = PRELUDE
            .lines()
            .filter(|line| line.starts_with("static") && line.contains('('));
        let mut count = 0;
        for head in heads {
            assert!(head.contains(PREFIX), "{head}");
            count += 1;
        }
        assert!(count > 20);
    }

    /// The models, compiled, give what glibc's functions give.
    #[test]
    fn models_in_c_agree_with_glibc() {
        let folder = std::env::temp_dir().join(format!("concord-models-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let (source, binary) = (folder.join("compare.c"), folder.join("compare"));
        std::fs::write(folder.join("prelude.inc"), PRELUDE.as_str()).expect("a temporary file");
        std::fs::write(&source, include_str!("compare.c")).expect("a temporary file");
        let compiled = std::process::Command::new("gcc")
            .args(["-w", "-O1", "-fno-builtin", "-o"])
            .args([&binary, &source])
            .arg("-lm")
            .output();
        let run = compiled.ok().filter(|output| output.status.success());
        let run = run.map(|_| std::process::Command::new(&binary).output());
        let _ = std::fs::remove_dir_all(&folder);
        match run {
            None => {
                assert!(
                    std::env::var_os("CONCORD_CI").is_none(),
                    "no gcc with glibc"
                );
                println!("SKIPPED: no gcc with glibc");
            }
            Some(output) => {
                let output = output.expect("what was compiled can be started");
                let text = String::from_utf8_lossy(&output.stdout);
                assert!(output.status.success(), "{text}");
            }
        }
    }
}
