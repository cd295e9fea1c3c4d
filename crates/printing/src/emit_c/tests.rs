//! The written C against the interpreter: every operator on every type, in both data models.

use super::{Inputs, emit_c};
use arith::float::FloatFormat;
use cfa::expr::{BinOp, ExprId, Node, UnOp};
use cfa::memory::ObjectKind;
use cfa::op::{Contents, Op, Print, PrintKind};
use cfa::program::{LocId, Program};
use cfa::value::Ty;
use interpreter::{Interpreter, Options, RandomInputs};
use std::path::PathBuf;
use std::process::Command;
use syntax::types::DataModel;
use testing::Hand;

struct Builder {
    hand: Hand,
    at: LocId,
    seen: u32,
}

impl Builder {
    fn new(model: DataModel) -> Builder {
        let mut hand = Hand::new(model);
        let main = hand.function("main");
        let at = hand.entry(main);
        Builder { hand, at, seen: 0 }
    }

    fn add(&mut self, op: Op) {
        self.at = self.hand.then(self.at, op);
    }

    fn input(&mut self, ty: Ty) -> ExprId {
        let main = self.hand.program.entry;
        let var = self.hand.var("x", ty, Some(main));
        let input = self.hand.input();
        self.add(Op::Havoc(var, input));
        self.hand.read(var)
    }

    /// Stores the value in memory and prints its bytes.
    fn show(&mut self, value: ExprId) {
        let pool = &mut self.hand.program.pool;
        let ty = pool.ty(value);
        let (value, ty) = if ty == Ty::Bool {
            (pool.convert(value, Ty::U8), Ty::U8)
        } else {
            (value, ty)
        };
        let main = self.hand.program.entry;
        let object = self.hand.object("buffer", ObjectKind::Local(main), 16);
        self.add(Op::Begin {
            object,
            contents: Contents::Zero,
        });
        let address = self.hand.address(object);
        let store = self.hand.store(address, value);
        self.add(store);
        let pointer = self.hand.program.pointer_ty();
        let mut args = vec![self.hand.int(self.seen.into())];
        for byte in 0..ty.bytes() {
            let offset = self.hand.program.pool.constant(byte.into(), pointer);
            let at = self.hand.program.pool.binary(BinOp::Add, address, offset);
            args.push(self.hand.load(at, Ty::U8));
        }
        let format = format!("%d:{}\n", " %02hhx".repeat(args.len() - 1));
        self.add(Op::Print(Print {
            kind: PrintKind::Format(format.into_bytes()),
            args,
            result: None,
            to_stderr: false,
        }));
        self.add(Op::End(object));
        self.seen += 1;
    }

    fn operator(&mut self, op: BinOp, ty: Ty, count: Ty) {
        let (a, b) = (self.input(ty), self.input(count));
        let pool = &mut self.hand.program.pool;
        let b = if matches!(op, BinOp::Div | BinOp::Rem) && ty.is_int() {
            // Not zero.
            let one = pool.constant(1, ty);
            pool.intern(Node::Binary(BinOp::Or, b, one), ty)
        } else {
            b
        };
        let value = pool.intern(Node::Binary(op, a, b), op.result(ty));
        // A NaN's bits are the processor's own business.
        let value = if op.result(ty).is_float() {
            let nan = pool.intern(Node::Unary(UnOp::IsNan, value), Ty::Bool);
            let one = pool.constant(0, ty);
            pool.intern(Node::Ite(nan, one, value), ty)
        } else {
            value
        };
        self.show(value);
    }

    fn finish(mut self) -> Program {
        let main = self.hand.program.entry;
        let exit = self.hand.exit(main);
        self.hand.edge(self.at, Op::Skip, exit);
        self.hand.finish()
    }
}

fn integer_types() -> impl Iterator<Item = Ty> {
    let widths = [8, 16, 24, 32, 40, 64, 72, 128];
    widths
        .into_iter()
        .flat_map(|width| [Ty::signed(width), Ty::unsigned(width)])
}

fn everything(model: DataModel) -> Program {
    let mut builder = Builder::new(model);
    // The 32-bit platform has no 128-bit type; only the operators of bit-fields are there.
    let wide = model == DataModel::Lp64;
    for ty in integer_types() {
        for op in BinOp::OF_INTEGERS {
            let overflow = matches!(
                op,
                BinOp::AddOverflows | BinOp::SubOverflows | BinOp::MulOverflows
            );
            if overflow && ty.width() > 64 && !wide {
                continue;
            }
            for _ in 0..3 {
                let count = if matches!(op, BinOp::Shl | BinOp::Shr) {
                    Ty::I32
                } else {
                    ty
                };
                builder.operator(op, ty, count);
            }
        }
        for op in [UnOp::Neg, UnOp::BitNot] {
            let a = builder.input(ty);
            let pool = &mut builder.hand.program.pool;
            let value = pool.intern(Node::Unary(op, a), ty);
            builder.show(value);
        }
        if ty.width() <= 64 {
            for op in [UnOp::Clz, UnOp::Ctz, UnOp::Popcount, UnOp::Bswap] {
                let a = builder.input(ty);
                let pool = &mut builder.hand.program.pool;
                let value = pool.intern(Node::Unary(op, a), ty);
                builder.show(value);
            }
        }
        for to in integer_types() {
            let a = builder.input(ty);
            let pool = &mut builder.hand.program.pool;
            let value = pool.intern(Node::Unary(UnOp::Convert(to), a), to);
            builder.show(value);
        }
    }
    let formats = [
        FloatFormat::Single,
        FloatFormat::Double,
        FloatFormat::X87,
        FloatFormat::Quad,
    ];
    for ty in formats.map(Ty::Float) {
        for op in BinOp::OF_FLOATS {
            for _ in 0..4 {
                builder.operator(op, ty, ty);
            }
        }
        for from in integer_types().filter(|from| wide || from.width() <= 64) {
            let a = builder.input(from);
            let pool = &mut builder.hand.program.pool;
            let value = pool.intern(Node::Unary(UnOp::Convert(ty), a), ty);
            builder.show(value);
        }
    }
    builder.finish()
}

fn compare(model: DataModel, width: &str) {
    let folder = std::env::temp_dir().join(format!("written-c-{}{width}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    let (source, binary): (PathBuf, PathBuf) = (folder.join("a.c"), folder.join("a.out"));
    let program = everything(model);
    let mut random = RandomInputs::new(3, &program);
    let mut expected = Vec::new();
    let run = Interpreter::new(&program).run(&Options::default(), &mut random, &mut expected);
    assert_eq!(run.outcome, interpreter::Outcome::Finished(0));
    let text = emit_c(&program, Inputs::Recorded(&run.inputs));
    std::fs::write(&source, text).expect("the folder can be written");
    let gcc = Command::new("gcc")
        .args(["-O0", "-w", "-fwrapv", "-fno-strict-aliasing", width])
        .arg(&source)
        .arg("-o")
        .arg(&binary)
        .arg("-lm")
        .output();
    let gcc = gcc.map(|output| {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), text)
    });
    match gcc {
        Ok((true, _)) => {
            let output = Command::new(&binary).output().expect("it was just made");
            let found = String::from_utf8_lossy(&output.stdout);
            let expected = String::from_utf8_lossy(&expected);
            for (found, expected) in found.lines().zip(expected.lines()) {
                assert_eq!(found, expected);
            }
            assert_eq!(found, expected);
        }
        Ok((false, text))
            if text.contains("cannot find") && std::env::var("CONCORD_CI").is_err() =>
        {
            println!("SKIPPED: gcc cannot link {width} programs here");
        }
        Ok((false, text)) => panic!("the written C does not compile: {text}"),
        Err(error) => {
            assert!(std::env::var("CONCORD_CI").is_err(), "gcc: {error}");
            println!("SKIPPED: gcc is not installed");
        }
    }
    std::fs::remove_dir_all(&folder).expect("it was made above");
}

#[test]
fn every_operator_is_the_interpreters_ilp32() {
    compare(DataModel::Ilp32, "-m32");
}

#[test]
fn every_operator_is_the_interpreters_lp64() {
    compare(DataModel::Lp64, "-m64");
}
