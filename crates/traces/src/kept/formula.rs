//! Formulas as text that can be read again, close to C.
//!
//! ```text
//! ((0 <= main::x) && (main::x <= 100))
//! ```
//!
//! | text | meaning |
//! |---|---|
//! | `main::x`, `::g` | a variable of a function, a global one; `#2` behind it: the second of that name |
//! | `100`, `100:i32` | a constant, of the type of the other operand or of its own |
//! | `(a + b)`, `! a`, `- a`, `~ a` | operators of C; every operation stands in brackets |
//! | `(i64) a` | a conversion |
//! | `ite(c, a, b)` | `c ? a : b` |
//! | `load(i32, region, a)` | what lies at an address |
//! | `address(x)` | the address of an object |
//! | `add_overflows(a, b)` | the mathematical result does not fit |
//!
//! What else an expression may be made of has no text: whoever writes leaves such a formula out.
//! A text is read for whatever program there is, so a name that the program does not have, or that
//! has another type there, is an error, never a guess.

use arith::int;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::memory::{ObjectId, RegionId};
use cfa::program::Program;
use cfa::value::Ty;
use facts::names::unique;
use rustc_hash::FxHashMap;

/// Longer formulas are not written.
const MAX_TEXT: usize = 20_000;
/// Brackets within brackets that are read.
const MAX_DEPTH: usize = 300;

/// The operators between operands.
const INFIX: [(&str, BinOp); 16] = [
    ("+", BinOp::Add),
    ("-", BinOp::Sub),
    ("*", BinOp::Mul),
    ("/", BinOp::Div),
    ("%", BinOp::Rem),
    ("&", BinOp::And),
    ("|", BinOp::Or),
    ("^", BinOp::Xor),
    ("<<", BinOp::Shl),
    (">>", BinOp::Shr),
    ("==", BinOp::Eq),
    ("!=", BinOp::Ne),
    ("<", BinOp::Lt),
    ("<=", BinOp::Le),
    ("&&", BinOp::BoolAnd),
    ("||", BinOp::BoolOr),
];

/// Those written like functions.
const NAMED: [(&str, BinOp); 3] = [
    ("add_overflows", BinOp::AddOverflows),
    ("sub_overflows", BinOp::SubOverflows),
    ("mul_overflows", BinOp::MulOverflows),
];

/// The names of a program's variables, regions and objects, each one's own.
pub struct Names {
    of_var: Vec<String>,
    vars: FxHashMap<String, VarId>,
    of_region: Vec<String>,
    regions: FxHashMap<String, RegionId>,
    of_object: Vec<String>,
    objects: FxHashMap<String, ObjectId>,
}

/// Makes names fit to stand in a text, and unique.
fn written<T: Copy>(
    names: impl Iterator<Item = String>,
    id: impl Fn(u32) -> T,
) -> (Vec<String>, FxHashMap<String, T>) {
    let is_separator = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',');
    unique(names.map(|name| name.replace(is_separator, "_")), id)
}

impl Names {
    pub fn new(program: &Program) -> Names {
        let vars = program.vars.iter().map(|var| {
            let function = var.function.map(|function| program.function_name(function));
            format!("{}::{}", function.unwrap_or_default(), var.name)
        });
        let (of_var, vars) = written(vars, VarId);
        let regions = program.regions.iter().map(|region| region.name.clone());
        let (of_region, regions) = written(regions, RegionId);
        let objects = program.objects.iter().map(|object| object.name.clone());
        let (of_object, objects) = written(objects, ObjectId);
        Names {
            of_var,
            vars,
            of_region,
            regions,
            of_object,
            objects,
        }
    }

    /// The text of a formula; `None` if it has none.
    pub fn text(&self, pool: &ExprPool, root: ExprId) -> Option<String> {
        let mut texts: FxHashMap<ExprId, String> = FxHashMap::default();
        for id in pool.parts_first(root) {
            let text = self.node_text(pool, id, &texts)?;
            if text.len() > MAX_TEXT {
                return None;
            }
            texts.insert(id, text);
        }
        texts.remove(&root)
    }

    fn node_text(
        &self,
        pool: &ExprPool,
        id: ExprId,
        texts: &FxHashMap<ExprId, String>,
    ) -> Option<String> {
        let part = |id: ExprId| texts[&id].as_str();
        let is_constant = |id: ExprId| matches!(pool.node(id), Node::Const(_));
        // Beside an operand of the same type a constant needs no type of its own.
        let bare = |id: ExprId| match part(id).split_once(':') {
            Some((number, _)) if is_constant(id) => number.to_owned(),
            _ => part(id).to_owned(),
        };
        Some(match pool.node(id) {
            Node::Const(bits) => match pool.ty(id) {
                Ty::Bool if bits == 0 => "false".into(),
                Ty::Bool => "true".into(),
                ty @ Ty::Int { width, signed } => {
                    let name = type_name(ty)?;
                    match signed {
                        true => format!("{}:{name}", int::to_signed(bits, width.into())),
                        false => format!("{bits}:{name}"),
                    }
                }
                Ty::Float(_) => return None,
            },
            Node::Var(var) => self.of_var.get(var.0 as usize)?.clone(),
            Node::Address(object) => {
                format!("address({})", self.of_object.get(object.0 as usize)?)
            }
            Node::Unary(UnOp::Not, a) => format!("! {}", part(a)),
            Node::Unary(UnOp::Neg, a) => format!("- {}", part(a)),
            Node::Unary(UnOp::BitNot, a) => format!("~ {}", part(a)),
            Node::Unary(UnOp::Convert(to), a) => format!("({}) {}", type_name(to)?, part(a)),
            Node::Unary(..) | Node::Fma(..) => return None,
            Node::Binary(op, a, b) => {
                if let Some((name, _)) = NAMED.iter().find(|(_, named)| *named == op) {
                    format!("{name}({}, {})", part(a), part(b))
                } else {
                    let (name, _) = INFIX.iter().find(|(_, infix)| *infix == op)?;
                    let is_bare = pool.ty(a) == pool.ty(b);
                    match (is_bare, is_constant(a), is_constant(b)) {
                        (true, true, false) => format!("({} {name} {})", bare(a), part(b)),
                        (true, false, true) => format!("({} {name} {})", part(a), bare(b)),
                        _ => format!("({} {name} {})", part(a), part(b)),
                    }
                }
            }
            Node::Ite(c, a, b) => format!("ite({}, {}, {})", part(c), part(a), part(b)),
            Node::Load { region, address } => {
                let region = self.of_region.get(region.0 as usize)?;
                let ty = type_name(pool.ty(id))?;
                format!("load({ty}, {region}, {})", part(address))
            }
        })
    }

    /// The formula of a text about the program; `None` if it is none.
    pub fn read(&self, program: &Program, pool: &mut ExprPool, text: &str) -> Option<ExprId> {
        let tokens = tokens(text);
        let mut reader = Reader {
            names: self,
            program,
            pool,
            tokens: &tokens,
            next: 0,
            depth: 0,
        };
        let read = reader.operand()?.typed(Some(Ty::Bool), reader.pool)?;
        let is_formula = reader.next == tokens.len() && reader.pool.ty(read) == Ty::Bool;
        is_formula.then_some(read)
    }
}

fn type_name(ty: Ty) -> Option<String> {
    match ty {
        Ty::Bool => Some("bool".into()),
        Ty::Int { width, signed } => Some(format!("{}{width}", if signed { 'i' } else { 'u' })),
        Ty::Float(_) => None,
    }
}

fn type_of(name: &str) -> Option<Ty> {
    let (sign, width) = (name.get(..1)?, name.get(1..)?);
    let width: u16 = width
        .parse()
        .ok()
        .filter(|width| (1..=128).contains(width))?;
    match sign {
        "i" => Some(Ty::signed(width)),
        "u" => Some(Ty::unsigned(width)),
        _ => None,
    }
}

/// Brackets and commas stand for themselves; everything else ends at them and at spaces.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' | ')' | ',' => 1,
            _ => rest
                .find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
                .unwrap_or(rest.len()),
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
}

/// What was read: a constant may wait for its type.
enum Operand {
    Typed(ExprId),
    Number(i128),
}

impl Operand {
    fn typed(self, ty: Option<Ty>, pool: &mut ExprPool) -> Option<ExprId> {
        match self {
            Operand::Typed(id) => Some(id),
            Operand::Number(value) => match ty? {
                ty @ Ty::Int { .. } => Some(pool.integer(value, ty)),
                _ => None,
            },
        }
    }

    fn ty(&self, pool: &ExprPool) -> Option<Ty> {
        match self {
            Operand::Typed(id) => Some(pool.ty(*id)),
            Operand::Number(_) => None,
        }
    }
}

struct Reader<'a> {
    names: &'a Names,
    program: &'a Program,
    pool: &'a mut ExprPool,
    tokens: &'a [&'a str],
    next: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self) -> Option<&'a str> {
        let token = self.tokens.get(self.next).copied();
        self.next += 1;
        token
    }

    fn expect(&mut self, token: &str) -> Option<()> {
        (self.take()? == token).then_some(())
    }

    fn operand(&mut self) -> Option<Operand> {
        self.depth += 1;
        let read = (self.depth <= MAX_DEPTH).then(|| self.operand_within())?;
        self.depth -= 1;
        read
    }

    fn typed_operand(&mut self) -> Option<ExprId> {
        match self.operand()? {
            Operand::Typed(id) => Some(id),
            Operand::Number(_) => None,
        }
    }

    fn operand_within(&mut self) -> Option<Operand> {
        let token = self.take()?;
        let read = match token {
            "true" | "false" => self.pool.bool_constant(token == "true"),
            "!" | "-" | "~" => {
                let of = self.typed_operand()?;
                let ty = self.pool.ty(of);
                let op = match token {
                    "!" if ty == Ty::Bool => UnOp::Not,
                    "-" if ty.is_int() => UnOp::Neg,
                    "~" if ty.is_int() => UnOp::BitNot,
                    _ => return None,
                };
                self.pool.intern(Node::Unary(op, of), ty)
            }
            "(" => match self.tokens.get(self.next).and_then(|name| type_of(name)) {
                Some(to) => self.conversion(to)?,
                None => self.infix()?,
            },
            "ite" => self.choice()?,
            "load" => self.load()?,
            "address" => {
                self.expect("(")?;
                let object = *self.names.objects.get(self.take()?)?;
                self.expect(")")?;
                let ty = self.program.pointer_ty();
                self.pool.intern(Node::Address(object), ty)
            }
            name => match NAMED.iter().find(|(named, _)| *named == name) {
                Some(&(_, op)) => self.call(op)?,
                None => return self.leaf(name),
            },
        };
        Some(Operand::Typed(read))
    }

    fn leaf(&mut self, token: &str) -> Option<Operand> {
        if let Some(&var) = self.names.vars.get(token) {
            let ty = self.program.var(var).ty;
            return Some(Operand::Typed(self.pool.intern(Node::Var(var), ty)));
        }
        match token.split_once(':') {
            Some((number, ty)) => {
                let value: i128 = number.parse().ok()?;
                let constant = self.pool.integer(value, type_of(ty)?);
                Some(Operand::Typed(constant))
            }
            None => token.parse().ok().map(Operand::Number),
        }
    }

    fn conversion(&mut self, to: Ty) -> Option<ExprId> {
        self.next += 1;
        self.expect(")")?;
        let of = self.typed_operand()?;
        let from = self.pool.ty(of);
        let is_converted = from == Ty::Bool || from.is_int();
        is_converted.then(|| self.pool.intern(Node::Unary(UnOp::Convert(to), of), to))
    }

    fn infix(&mut self) -> Option<ExprId> {
        let left = self.operand()?;
        let name = self.take()?;
        let (_, op) = INFIX.iter().find(|(infix, _)| *infix == name)?;
        let right = self.operand()?;
        self.expect(")")?;
        let (of_left, of_right) = (left.ty(self.pool), right.ty(self.pool));
        let left = left.typed(of_right, self.pool)?;
        let right = right.typed(of_left, self.pool)?;
        self.binary(*op, left, right)
    }

    fn call(&mut self, op: BinOp) -> Option<ExprId> {
        self.expect("(")?;
        let left = self.typed_operand()?;
        self.expect(",")?;
        let right = self.typed_operand()?;
        self.expect(")")?;
        self.binary(op, left, right)
    }

    fn binary(&mut self, op: BinOp, left: ExprId, right: ExprId) -> Option<ExprId> {
        let (of_left, of_right) = (self.pool.ty(left), self.pool.ty(right));
        let fits = match op {
            BinOp::BoolAnd | BinOp::BoolOr => of_left == Ty::Bool && of_right == Ty::Bool,
            BinOp::Shl | BinOp::Shr => of_left.is_int() && of_right.is_int(),
            BinOp::Eq | BinOp::Ne => of_left == of_right && !matches!(of_left, Ty::Float(_)),
            _ => of_left == of_right && of_left.is_int(),
        };
        let node = Node::Binary(op, left, right);
        fits.then(|| self.pool.intern(node, op.result(of_left)))
    }

    fn choice(&mut self) -> Option<ExprId> {
        self.expect("(")?;
        let condition = self.typed_operand()?;
        self.expect(",")?;
        let one = self.typed_operand()?;
        self.expect(",")?;
        let other = self.typed_operand()?;
        self.expect(")")?;
        let ty = self.pool.ty(one);
        let fits = self.pool.ty(condition) == Ty::Bool && ty == self.pool.ty(other);
        fits.then(|| self.pool.intern(Node::Ite(condition, one, other), ty))
    }

    fn load(&mut self) -> Option<ExprId> {
        self.expect("(")?;
        let ty = type_of(self.take()?)?;
        self.expect(",")?;
        let region = *self.names.regions.get(self.take()?)?;
        self.expect(",")?;
        let address = self.typed_operand()?;
        self.expect(")")?;
        let cell = self.program.regions.get(region.0 as usize)?.cell_bits;
        let fits = (cell == ty.width() || cell == 8 && ty.width().is_multiple_of(8))
            && self.pool.ty(address) == self.program.pointer_ty();
        fits.then(|| self.pool.intern(Node::Load { region, address }, ty))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::program;

    fn some_program() -> Program {
        program(
            "int g; unsigned char c; int f(int x) { return x + g; }
             int main(void) { int x = 0; long long y = 7; while (x < 100) { x = f(x) + 1; y++; c++; }
             if (y == 3) reach_error(); return 0; }",
        )
    }

    fn read(program: &Program, text: &str) -> Option<String> {
        let names = Names::new(program);
        let mut pool = program.pool.clone();
        let read = names.read(program, &mut pool, text)?;
        names.text(&pool, read)
    }

    #[test]
    fn what_is_written_is_read_again() {
        let program = some_program();
        for text in [
            "true",
            "(main::x <= 100)",
            "((0 <= main::x) && ! (main::y == -7))",
            "(((i64) main::x + 1) < main::y)",
            "((::c >> 3:i32) != 0)",
            "add_overflows(main::x, 1:i32)",
            "(ite((f::x == 0), ::g, main::x) == (- ::g % 8))",
        ] {
            assert_eq!(read(&program, text).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_the_program_has_not_is_refused() {
        let program = some_program();
        for text in [
            "",
            "(main::z == 1)",
            "(main::x == main::y)",
            "(main::x + 1)",
            "(1 == 2)",
            "(main::x == 1",
            "(main::x == 1) true",
            "! main::x",
            "load(i32, nowhere, 1:u64)",
            "((main::x == 1) + true)",
        ] {
            assert_eq!(read(&program, text), None, "{text}");
        }
        let deep = "! ".repeat(10_000) + "true";
        assert_eq!(read(&program, &deep), None);
    }
}
