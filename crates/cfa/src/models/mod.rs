//! Library functions that a program calls and does not define.
//!
//! Those that are one operation or expression of the automaton are expanded where they are called
//! ([`Intrinsic`]); those that are little programs are written in C ([`PRELUDE`]) and become part of the
//! program when they are needed. A definition in the program itself always wins.

mod math;
mod memory;
mod print;
mod verifier;

use crate::expr::{ExprId, VarId};
use crate::lower::{Actual, FunctionLowering};
use crate::op::Halt;
use crate::value::Ty;
use arith::float::FloatFormat;
use math::Math;
use memory::Memory;
pub(crate) use print::PrintFunction;
use syntax::span::{Name, Span};
use syntax::types::TypeId;

/// The models written in C. Each function's name carries [`PREFIX`].
pub const PRELUDE: &str = concat!(include_str!("string.c"), include_str!("ctype.c"));

/// How the prelude is called where a file name is expected.
pub const PRELUDE_NAME: &str = "<library models>";

/// Before the name of the function that a model in C stands for.
pub const PREFIX: &str = "__concord_model_";

/// A function that is expanded where it is called.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Intrinsic {
    /// `__VERIFIER_nondet_X`.
    Nondet,
    Assume,
    /// `__VERIFIER_assert` without a definition.
    Assert,
    Exit,
    Abort,
    Memory(Memory),
    Math(Math, FloatFormat),
    Print(PrintFunction),
    SetJump,
    LongJump,
    Unsupported(&'static str),
}

/// What reaching a `setjmp` or `longjmp` says.
pub(crate) const JUMPS: &str = "setjmp and longjmp";

impl Intrinsic {
    /// Evaluating a call changes nothing that another expression may read.
    pub fn is_pure(self) -> bool {
        matches!(self, Intrinsic::Nondet | Intrinsic::Math(..))
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
    if name.starts_with("__VERIFIER_nondet_") {
        return Some(Intrinsic::Nondet);
    }
    Some(match name {
        "__VERIFIER_assume" => Intrinsic::Assume,
        "__VERIFIER_assert" => Intrinsic::Assert,
        "exit" | "_exit" | "_Exit" | "quick_exit" => Intrinsic::Exit,
        "abort" => Intrinsic::Abort,
        "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" => Intrinsic::SetJump,
        "longjmp" | "_longjmp" | "siglongjmp" => Intrinsic::LongJump,
        "signal" | "sigaction" | "__sysv_signal" => Intrinsic::Unsupported("signal handlers"),
        "pthread_create" | "thrd_create" | "fork" | "vfork" | "clone" => {
            Intrinsic::Unsupported("threads and processes")
        }
        _ => {
            if let Some(memory) = Memory::named(name) {
                Intrinsic::Memory(memory)
            } else if let Some(print) = PrintFunction::named(name) {
                Intrinsic::Print(print)
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

impl FunctionLowering<'_, '_> {
    /// Expands a call; the value is of the call's type.
    pub(crate) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        call: IntrinsicCall,
    ) -> Option<ExprId> {
        match intrinsic {
            Intrinsic::Nondet => self.nondet(call),
            Intrinsic::Assume => {
                self.assume(&call);
                None
            }
            Intrinsic::Assert => {
                self.verifier_assert(&call);
                None
            }
            Intrinsic::Exit => {
                let status = match call.args.first() {
                    Some(actual) => self.context.pool.convert(actual.value, Ty::I32),
                    None => self.nothing(),
                };
                self.halt(Halt::Exit(status), call.span);
                None
            }
            Intrinsic::Abort => {
                self.halt(Halt::Abort, call.span);
                None
            }
            Intrinsic::Memory(memory) => self.memory_call(memory, call),
            Intrinsic::Math(math, format) => self.math(math, format, &call),
            Intrinsic::Print(print) => self.print_values(print, &call),
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
}
