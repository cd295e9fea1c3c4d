//! What is printed, read again at the same place, has the same value in every state.

use super::{Printer, scope_of};
use arith::float::FloatFormat;
use cfa::algebra::{Algebra, evaluate};
use cfa::concrete::{self, Undefined};
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::memory::{ObjectId, RegionId};
use cfa::program::{Program, VariableKind};
use cfa::value::Ty;
use lowering::Tree;
use proptest::prelude::*;
use syntax::check::ScopePlace;
use syntax::types::DataModel;
use transform::regions::split_memory;

/// Every variable and member is used, so that it is there.
const TEXT: &str = "
typedef unsigned char byte;
struct inner { short s; byte c; long long w; };
struct record { int f; struct inner in; int *p; struct record *next; int v[4]; double d; union { int i; float x; }; };
struct record g, table[3]; int array[5]; unsigned matrix[2][3];
unsigned u; long l; char c; short s; unsigned long ul; long long ll; unsigned long long ull; float x; double y;
byte b; unsigned short us; int *pointer; struct record *list; _Bool flag;
int use(struct record *r, int n) { return r->f + r->in.s + r->in.c + (int)r->in.w + *r->p + r->next->f + r->v[n] + (int)r->d + r->i + (int)r->x; }
int main(void)
{
    int i = 3, j = 4;
    unsigned local[4];
    local[i & 3] = array[j] + matrix[1][2];
    g.f = table[1].f + g.in.s;
    u += l + c + s + ul + ll + ull + x + y + b + us + flag + *pointer;
    list->f = i;
    return use(&g, i) + use(&table[i], j) + use(list, 1);
}
";

/// Expressions that others are made of.
const LEAVES: &[&str] = &[
    "u",
    "l",
    "c",
    "s",
    "ul",
    "ll",
    "ull",
    "x",
    "y",
    "b",
    "us",
    "flag",
    "i",
    "j",
    "g.f",
    "g.in.s",
    "g.in.c",
    "g.in.w",
    "g.v[2]",
    "g.v[i]",
    "g.d",
    "g.i",
    "g.x",
    "table[1].f",
    "table[i].v[j]",
    "array[3]",
    "array[u]",
    "array[s + 1]",
    "matrix[i][j]",
    "matrix[1][u]",
    "local[i]",
    "*pointer",
    "pointer[i]",
    "pointer[-2]",
    "list->f",
    "list->next->in.c",
    "list->v[j]",
    "list[i].in.w",
    "*list->p",
    "pointer",
    "list->next",
    "&g.in.s",
    "&array[2]",
    "(int *)&list->v[1]",
];

struct Subject {
    program: Program,
    split: Program,
    tree: Tree,
    place: ScopePlace,
    leaves: Vec<ExprId>,
    pool: ExprPool,
}

fn subject(model: DataModel) -> Subject {
    let (program, mut tree) = testing::with_tree(TEXT, model);
    let source = program.sources.sources().next().expect("one text");
    let offset = TEXT.find("return use(&g").expect("it is there") as u32;
    let place = ScopePlace::Before(program.sources.base(source) + offset);
    let mut pool = program.pool.clone();
    let leaves = LEAVES.iter().map(|text| {
        let leaf = tree.value(&program, &mut pool, text, place);
        leaf.unwrap_or_else(|problem| panic!("{text}: {problem:?}"))
    });
    let leaves = leaves.collect();
    let split = split_memory(&program);
    Subject {
        program,
        split,
        tree,
        place,
        leaves,
        pool,
    }
}

/// A state in which every variable and every byte has some value.
struct State<'a> {
    program: &'a Program,
    seed: u64,
}

impl State<'_> {
    fn random(&self, what: u64) -> u64 {
        let mut bits = (what ^ self.seed.rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits ^= bits >> 29;
        bits = bits.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits ^ bits >> 32
    }

    fn bytes(&self, address: u128, count: u64) -> u128 {
        (0..count).fold(0, |bits, at| {
            let address = address.wrapping_add(at.into()) as u64;
            let byte = match self.random(address >> 3) % 3 {
                // Small numbers are the interesting ones.
                0 => u128::from(address & 7 == 0) * u128::from(self.random(address) % 5),
                _ => u128::from(self.random(address) as u8),
            };
            bits | byte << (8 * at)
        })
    }

    fn object(&self, object: ObjectId) -> u128 {
        0x1_0000 + u128::from(object.0) * 0x1000
    }
}

impl Algebra for State<'_> {
    type Value = u128;
    type Error = Undefined;

    fn constant(&mut self, bits: u128, _: Ty) -> Result<u128, Undefined> {
        Ok(bits)
    }

    fn variable(&mut self, var: VarId, ty: Ty) -> Result<u128, Undefined> {
        if let VariableKind::Piece { object, offset } = self.program.var(var).kind {
            let bits = self.bytes(self.object(object) + u128::from(offset), ty.bytes());
            return Ok(arith::int::truncate(bits, ty.width().into()));
        }
        let bits = match self.random(u64::from(var.0) + 77) % 3 {
            0 => u128::from(self.random(var.0.into()) % 7).wrapping_sub(3),
            _ => u128::from(self.random(var.0.into())),
        };
        Ok(arith::int::truncate(bits, ty.width().into()))
    }

    fn address(&mut self, object: ObjectId, _: Ty) -> Result<u128, Undefined> {
        Ok(self.object(object))
    }

    fn unary(&mut self, op: UnOp, ty: Ty, a: u128) -> Result<u128, Undefined> {
        concrete::unary(op, ty, a)
    }

    fn binary(
        &mut self,
        op: BinOp,
        ty: Ty,
        count: Ty,
        a: u128,
        b: u128,
    ) -> Result<u128, Undefined> {
        concrete::binary(op, ty, count, a, b)
    }

    fn ite(&mut self, _: Ty, c: u128, a: u128, b: u128) -> Result<u128, Undefined> {
        Ok(if c != 0 { a } else { b })
    }

    fn fma(&mut self, _: Ty, _: u128, _: u128, _: u128) -> Result<u128, Undefined> {
        Err(Undefined::IllTyped)
    }

    fn load(&mut self, _: RegionId, ty: Ty, address: u128) -> Result<u128, Undefined> {
        let bits = self.bytes(address, ty.bytes());
        Ok(arith::int::truncate(bits, ty.width().into()))
    }
}

/// The number that the bits stand for; of floats their bits, with one NaN for all.
fn number(bits: u128, ty: Ty) -> i128 {
    match ty {
        Ty::Int {
            width,
            signed: true,
        } => arith::int::to_signed(bits, width.into()),
        Ty::Float(format) if arith::float::is_nan(format, bits) => -1,
        _ => bits as i128,
    }
}

const INTS: &[Ty] = &[
    Ty::I32,
    Ty::U32,
    Ty::I64,
    Ty::U64,
    Ty::U8,
    Ty::signed(8),
    Ty::signed(16),
    Ty::unsigned(16),
    Ty::signed(5),
    Ty::unsigned(11),
    Ty::signed(40),
    Ty::unsigned(37),
];

/// Makes an expression of numbers: the same numbers give the same expression.
struct Maker<'a> {
    pool: &'a mut ExprPool,
    leaves: &'a [ExprId],
    numbers: std::slice::Iter<'a, u32>,
}

impl Maker<'_> {
    fn pick(&mut self, bound: usize) -> usize {
        self.numbers
            .next()
            .map_or(0, |number| *number as usize % bound)
    }

    fn leaf(&mut self, ty: Ty) -> ExprId {
        if self.pick(4) == 0 {
            let bits = match self.pick(3) {
                0 => self.pick(300) as u128,
                1 => (self.pick(300) as u128).wrapping_neg(),
                _ => (self.pick(1 << 31) as u128).wrapping_mul(0x1_0000_8001),
            };
            return self.pool.constant(bits, ty);
        }
        let leaf = self.leaves[self.pick(self.leaves.len())];
        self.pool.convert(leaf, ty)
    }

    fn value(&mut self, ty: Ty, depth: u32) -> ExprId {
        if depth == 0 || self.pick(5) == 0 {
            return self.leaf(ty);
        }
        if let Ty::Float(_) = ty {
            let (a, b) = (self.value(ty, depth - 1), self.value(ty, depth - 1));
            let op = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div][self.pick(4)];
            return self.pool.binary(op, a, b);
        }
        match self.pick(14) {
            0 => {
                let from = INTS[self.pick(INTS.len())];
                let inner = self.value(from, depth - 1);
                self.pool.convert(inner, ty)
            }
            1 => {
                let truth = self.truth(depth - 1);
                self.pool.convert(truth, ty)
            }
            2 => {
                let format = [FloatFormat::Single, FloatFormat::Double][self.pick(2)];
                let inner = self.value(Ty::Float(format), depth - 1);
                self.pool.convert(inner, ty)
            }
            3 => {
                let inner = self.value(ty, depth - 1);
                let op = [UnOp::Neg, UnOp::BitNot][self.pick(2)];
                self.pool.unary(op, inner)
            }
            4 => {
                let test = self.truth(depth - 1);
                let (a, b) = (self.value(ty, depth - 1), self.value(ty, depth - 1));
                self.pool.ite(test, a, b)
            }
            5 => {
                let op = [BinOp::Shl, BinOp::Shr][self.pick(2)];
                let value = self.value(ty, depth - 1);
                let count = INTS[self.pick(INTS.len())];
                let count = self.value(count, depth - 1);
                self.pool.binary(op, value, count)
            }
            _ => {
                use BinOp::*;
                let op = [Add, Sub, Mul, Div, Rem, And, Or, Xor, Add, Sub][self.pick(10)];
                let (a, b) = (self.value(ty, depth - 1), self.value(ty, depth - 1));
                self.pool.binary(op, a, b)
            }
        }
    }

    fn truth(&mut self, depth: u32) -> ExprId {
        let inner = depth.saturating_sub(1);
        match self.pick(6) {
            0 if depth > 0 => {
                let (a, b) = (self.truth(inner), self.truth(inner));
                self.pool.and(a, b)
            }
            1 if depth > 0 => {
                let (a, b) = (self.truth(inner), self.truth(inner));
                self.pool.or(a, b)
            }
            2 if depth > 0 => {
                let a = self.truth(inner);
                self.pool.not(a)
            }
            _ => {
                let mut ty = INTS[self.pick(INTS.len())];
                if self.pick(8) == 0 {
                    ty = Ty::Float([FloatFormat::Single, FloatFormat::Double][self.pick(2)]);
                }
                let (a, b) = (self.value(ty, inner), self.value(ty, inner));
                let op = [BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Le][self.pick(4)];
                self.pool.binary(op, a, b)
            }
        }
    }
}

/// Prints, reads, and compares values. Says whether there was anything to compare.
fn round_trip(subject: &mut Subject, program: &Program, pool: &ExprPool, expr: ExprId) -> bool {
    let printer = Printer::new(&subject.tree, program, subject.place);
    let Some(text) = printer.print(pool, expr) else {
        return false;
    };
    let mut again = subject.pool.clone();
    let read = subject
        .tree
        .value(&subject.program, &mut again, &text, subject.place);
    let read = read.unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
    for seed in 0..12 {
        let mut state = State { program, seed };
        let Ok(expected) = evaluate(pool, expr, &mut state) else {
            continue;
        };
        let found = evaluate(&again, read, &mut state);
        let found = found.map(|bits| number(bits, again.ty(read)));
        let expected = number(expected, pool.ty(expr));
        assert_eq!(
            found,
            Ok(expected),
            "state {seed}: {text}\n{:?}",
            pool.node(expr)
        );
    }
    true
}

fn compare_random(model: DataModel, cases: u32) {
    let mut subject = subject(model);
    let (mut printed, mut made) = (0, 0);
    let numbers = proptest::collection::vec(any::<u32>(), 120);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(5),
        ..ProptestConfig::default()
    });
    let cell = std::cell::RefCell::new((&mut subject, &mut printed, &mut made));
    let result = runner.run(&numbers, |numbers| {
        let mut borrowed = cell.borrow_mut();
        let (subject, printed, made) = &mut *borrowed;
        let mut pool = subject.pool.clone();
        let leaves = subject.leaves.clone();
        let mut maker = Maker {
            pool: &mut pool,
            leaves: &leaves,
            numbers: numbers.iter(),
        };
        let expr = match maker.pick(2) {
            0 => maker.truth(3),
            _ => {
                let ty = INTS[maker.pick(8)];
                maker.value(ty, 3)
            }
        };
        let program = subject.program.clone();
        **made += 1;
        **printed += u32::from(round_trip(subject, &program, &pool, expr));
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    // What is not: floats converted to integers of a width that C does not have.
    assert!(printed * 10 > made * 8, "{printed} of {made} are printed");
}

#[test]
fn printing_and_reading_keep_the_value_with_32_bits() {
    compare_random(DataModel::Ilp32, 600);
}

#[test]
fn printing_and_reading_keep_the_value_with_64_bits() {
    compare_random(DataModel::Lp64, 600);
}

#[test]
fn leaves_are_printed_as_they_were_written() {
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        let mut subject = subject(model);
        let program = subject.program.clone();
        for (number, text) in LEAVES.iter().enumerate() {
            let pool = subject.pool.clone();
            let leaf = subject.leaves[number];
            assert!(round_trip(&mut subject, &program, &pool, leaf), "{text}");
            let printer = Printer::new(&subject.tree, &program, subject.place);
            let printed = printer.print(&pool, leaf);
            // The second name of a union's bytes, and a cast that means nothing.
            let odd = matches!(*text, "(int *)&list->v[1]" | "array[s + 1]");
            assert!(
                odd || printed.as_deref() == Some(text),
                "{text}: {printed:?}"
            );
        }
    }
}

#[test]
fn variables_that_stand_for_parts_of_objects_are_those_parts() {
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        let mut subject = subject(model);
        let split = subject.split.clone();
        let mut pool = split.pool.clone();
        let mut pieces = 0;
        for (number, var) in split.vars.iter().enumerate() {
            if let VariableKind::Piece { .. } = var.kind {
                let expr = pool.variable(VarId(number as u32), var.ty);
                assert!(
                    round_trip(&mut subject, &split, &pool, expr),
                    "{}",
                    var.name
                );
                pieces += 1;
            }
        }
        assert!(pieces > 0);
        // Expressions of the split program itself, loads included.
        let mut printed = 0;
        for number in 0..split.pool.len() {
            let expr = ExprId(number as u32);
            if !matches!(split.pool.node(expr), Node::Const(_)) {
                printed += u32::from(round_trip(&mut subject, &split, &split.pool, expr));
            }
        }
        assert!(printed > 30, "{printed}");
    }
}

#[test]
fn texts_are_as_a_user_would_write_them() {
    let mut subject = subject(DataModel::Lp64);
    let mut wrong = Vec::new();
    for text in [
        "i <= 10 && j == 2 * i",
        "u > 5 || (c == 3 && s < c)",
        "l == i + 1",
        "2 * u <= ul",
        "list != 0 && list->next == list",
        "pointer == &array[2]",
        "!flag",
        "b + 3 * us < s - 1",
        "i == 0 || j / i < 3",
        "list != 0 && list->next != 0 && list->next->v[i] == 3",
        "j == (list != 0 ? list->f : 0)",
        "(u & 255) == 7",
        "x < 0x1.8p+0f",
        "(unsigned char)i == b",
        "ll < -9223372036854775807L",
        "g.v[i] == table[j].f",
    ] {
        let mut pool = subject.pool.clone();
        let expr = subject
            .tree
            .condition(&subject.program, &mut pool, text, subject.place);
        let expr = expr.unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
        let printer = Printer::new(&subject.tree, &subject.program, subject.place);
        let printed = printer.print(&pool, expr);
        let expected = if text == "!flag" { "flag == 0" } else { text };
        if printed.as_deref() != Some(expected) {
            wrong.push(format!("{text}: {printed:?}"));
        }
        let program = subject.program.clone();
        assert!(round_trip(&mut subject, &program, &pool, expr));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_visible_is_not_printed() {
    let subject = subject(DataModel::Lp64);
    let program = &subject.program;
    let mut pool = program.pool.clone();
    // A parameter of another function.
    let hidden = program.vars.iter().position(|var| var.name == "n");
    let hidden = hidden.expect("it is a variable");
    let expr = pool.variable(VarId(hidden as u32), program.vars[hidden].ty);
    let printer = Printer::new(&subject.tree, program, subject.place);
    assert_eq!(printer.print(&pool, expr), None);
    let main = program
        .function_index
        .iter()
        .find(|(name, _)| program.names.get(**name) == "main");
    let (_, main) = main.expect("it is there");
    let exit = program.function(*main).entry;
    assert!(scope_of(program, exit).is_some());
}
