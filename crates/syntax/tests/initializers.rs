//! Random initialisers of static objects: the bytes that they make against gcc's.

#[path = "support/checked.rs"]
mod checked;
#[path = "support/gcc.rs"]
mod gcc;

use arith::random::Random;
use checked::checked;
use std::fmt::Write as _;
use syntax::typed::{ExprKind, InitValue, TypedProgram, Variable};
use syntax::types::DataModel;

#[derive(Clone)]
enum Ty {
    Scalar(&'static str),
    Bits(&'static str, u64),
    Array(Box<Ty>, u64),
    /// An index into the records.
    Record(usize),
}

struct Record {
    /// How a member of this type is declared: `struct r3`, or the whole definition.
    specifier: String,
    anonymous: bool,
    /// The name is empty if the member is anonymous.
    fields: Vec<(String, Ty)>,
}

struct Generator {
    random: Random,
    records: Vec<Record>,
    text: String,
    counter: u32,
}

const SCALARS: &[&str] = &[
    "char",
    "short",
    "int",
    "unsigned",
    "long long",
    "float",
    "double",
    "_Bool",
];

impl Generator {
    fn ty(&mut self, depth: u32) -> Ty {
        let named: Vec<usize> = (0..self.records.len())
            .filter(|&index| !self.records[index].anonymous)
            .collect();
        match self.random.below(10) {
            0..3 if depth > 0 => {
                let element = match self.ty(depth - 1) {
                    Ty::Bits(ty, _) => Ty::Scalar(ty),
                    other => other,
                };
                Ty::Array(Box::new(element), 1 + self.random.below(4))
            }
            3..5 if !named.is_empty() && depth > 0 => Ty::Record(self.random.pick(&named)),
            5 => Ty::Array(Box::new(Ty::Scalar("char")), 1 + self.random.below(6)),
            6 => Ty::Bits("int", 1 + self.random.below(32)),
            7 => Ty::Bits("unsigned char", 1 + self.random.below(8)),
            _ => Ty::Scalar(self.random.pick(SCALARS)),
        }
    }

    fn declared(&self, ty: &Ty, name: &str) -> String {
        match ty {
            Ty::Scalar(ty) => format!("{ty} {name}"),
            Ty::Bits(ty, width) => format!("{ty} {name} : {width}"),
            Ty::Array(element, count) => self.declared(element, &format!("{name}[{count}]")),
            Ty::Record(index) => format!("{} {name}", self.records[*index].specifier),
        }
    }

    /// Makes a record and gives its number; an anonymous one is defined where it is used.
    fn record(&mut self, anonymous: bool) -> usize {
        let count = 1 + self.random.below(5);
        let mut fields = Vec::new();
        let mut body = String::new();
        for _ in 0..count {
            if self.random.chance(10) {
                body.push_str(" int : 3;");
            }
            self.counter += 1;
            let mut name = format!("m{}", self.counter);
            let ty = if !anonymous && self.random.chance(15) {
                name.clear();
                Ty::Record(self.record(true))
            } else {
                self.ty(2)
            };
            let _ = write!(body, " {};", self.declared(&ty, &name));
            fields.push((name, ty));
        }
        let number = self.records.len();
        let keyword = if self.random.chance(25) {
            "union"
        } else {
            "struct"
        };
        let specifier = if anonymous {
            format!("{keyword} {{{body} }}")
        } else {
            let _ = writeln!(self.text, "{keyword} r{number} {{{body} }};");
            format!("{keyword} r{number}")
        };
        self.records.push(Record {
            specifier,
            anonymous,
            fields,
        });
        number
    }

    fn number(&mut self) -> String {
        // A float that does not fit an integer has no value in C.
        match self.random.below(5) {
            0 => "0.5".to_owned(),
            _ => format!(
                "{}",
                self.random.below(1 << 40) as i64 >> self.random.below(40)
            ),
        }
    }

    fn string(&mut self) -> String {
        let length = self.random.below(7);
        let letters: String = (0..length)
            .map(|_| char::from(b'a' + self.random.below(26) as u8))
            .collect();
        format!("\"{letters}\"")
    }

    /// An initialiser that fits the type in braces of its own (or needs none).
    fn value(&mut self, ty: &Ty, depth: u32) -> String {
        match ty {
            Ty::Scalar(_) | Ty::Bits(..) if self.random.chance(10) => {
                format!("{{{}}}", self.number())
            }
            Ty::Scalar(_) | Ty::Bits(..) => self.number(),
            Ty::Array(element, _)
                if matches!(**element, Ty::Scalar("char")) && self.random.chance(60) =>
            {
                let string = self.string();
                if self.random.chance(20) {
                    format!("{{{string}}}")
                } else {
                    string
                }
            }
            _ => self.list(ty, depth),
        }
    }

    fn list(&mut self, ty: &Ty, depth: u32) -> String {
        let mut items = Vec::new();
        for index in 0..self.random.below(7) {
            let item = match self.random.below(10) {
                0..4 if depth > 0 => {
                    let mut designator = String::new();
                    let target = self.designator(ty, &mut designator, 0);
                    format!("{designator} = {}", self.value(&target, depth - 1))
                }
                // Behind the last part gcc takes no braces; the first part is always there.
                4 if index == 0 => {
                    let numbers: Vec<String> = (0..1 + self.random.below(3))
                        .map(|_| self.number())
                        .collect();
                    format!("{{{}}}", numbers.join(", "))
                }
                _ => self.number(),
            };
            items.push(item);
        }
        format!("{{ {} }}", items.join(", "))
    }

    /// Writes a designator for a part of the type and gives the type of that part.
    fn designator(&mut self, ty: &Ty, text: &mut String, depth: u32) -> Ty {
        if depth > 0 && self.random.chance(50) {
            return ty.clone();
        }
        match ty {
            Ty::Array(element, count) => {
                let low = self.random.below(*count);
                if self.random.chance(20) {
                    let high = low + self.random.below(count - low);
                    let _ = write!(text, "[{low} ... {high}]");
                } else {
                    let _ = write!(text, "[{low}]");
                }
                self.designator(element, text, depth + 1)
            }
            Ty::Record(index) => {
                let fields = self.records[*index].fields.clone();
                let (name, field) = self.random.pick(&fields);
                if name.is_empty() {
                    // The members of an anonymous record are named as if they were our own.
                    return self.designator(&field, text, 0);
                }
                let _ = write!(text, ".{name}");
                self.designator(&field, text, depth + 1)
            }
            _ => ty.clone(),
        }
    }
}

const PRINTER: &str = "
#include <stdio.h>
static void show(const void *object, unsigned long size) {
  const unsigned char *bytes = object;
  for (unsigned long i = 0; i < size; i++) printf(\"%02x\", bytes[i]);
  printf(\"\\n\");
}
int main(void) {
";

/// The bytes of a static object.
fn bytes(program: &TypedProgram, var: &Variable) -> String {
    let size = program.types.size_of(var.ty).expect("objects have a size") as usize;
    let mut memory = vec![0u8; size];
    for item in &var.init.as_ref().expect("it is initialised").items {
        let start = item.offset as usize;
        match &item.value {
            InitValue::String { string, length } => {
                let text = &program.strings[string.0 as usize].bytes;
                for index in 0..*length as usize {
                    memory[start + index] = text.get(index).copied().unwrap_or(0);
                }
            }
            InitValue::Expr(expr) => {
                let (ExprKind::Int(value) | ExprKind::Float(value)) = expr.kind else {
                    panic!("not folded: {expr:?}")
                };
                let size = match item.bits {
                    Some(bits) => usize::from(bits.container_bytes),
                    None => program.types.size_of(expr.ty).expect("scalars have a size") as usize,
                };
                let mut container = [0u8; 16];
                container[..size].copy_from_slice(&memory[start..start + size]);
                let value = match item.bits {
                    None => value,
                    Some(bits) => {
                        let mask = ((1u128 << bits.width) - 1) << bits.shift;
                        let old = u128::from_le_bytes(container) & !mask;
                        old | (value << bits.shift & mask)
                    }
                };
                memory[start..start + size].copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
    }
    memory.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn compare(model: DataModel, flag: &str, seed: u64, count: usize) {
    if gcc::is_missing(flag, "initializers") {
        return;
    }
    let mut generator = Generator {
        random: Random(seed),
        records: Vec::new(),
        text: String::new(),
        counter: 0,
    };
    let mut objects = Vec::new();
    let mut printer = PRINTER.to_owned();
    for number in 0..count {
        generator.record(false);
        let last = generator.records.len() - 1;
        let ty = match generator.random.below(4) {
            0 => Ty::Array(Box::new(Ty::Record(last)), 1 + generator.random.below(3)),
            _ => Ty::Record(last),
        };
        let object = format!(
            "{} = {};",
            generator.declared(&ty, &format!("v{number}")),
            generator.list(&ty, 3)
        );
        let _ = writeln!(generator.text, "{object}");
        let _ = writeln!(printer, "show(&v{number}, sizeof v{number});");
        objects.push(object);
    }
    let text = generator.text + &printer + "return 0; }\n";
    let name = format!("initializers-{seed}");
    let (_, theirs) = gcc::compiled(&text, flag, &name).expect("gcc accepts the program");
    let ours = text.split("\n#include").next().expect("a first part");
    let (program, names) = checked("objects.i", ours, model);
    for (number, (object, theirs)) in objects.iter().zip(&theirs).enumerate() {
        let name = names
            .find(&format!("v{number}"))
            .expect("the text declares it");
        let vars = &program.vars;
        let var = vars
            .iter()
            .find(|var| var.name == name)
            .expect("it is a variable");
        let definitions: Vec<&str> = ours
            .lines()
            .filter(|line| line.contains('{') && !line.contains('='))
            .collect();
        assert_eq!(
            &bytes(&program, var),
            theirs,
            "{object}\nwith {}",
            definitions[..=number].join("\n")
        );
    }
}

#[test]
fn objects_are_initialised_as_by_gcc_on_x86_64() {
    for seed in 1..=2 {
        compare(DataModel::Lp64, "-m64", seed * 31_337, 150);
    }
}

#[test]
fn objects_are_initialised_as_by_gcc_on_i386() {
    for seed in 1..=2 {
        compare(DataModel::Ilp32, "-m32", seed * 65_537, 150);
    }
}
