//! Random records: sizes, alignments and member positions against gcc, for both data models.

#[path = "support/checked.rs"]
mod checked;
#[path = "support/gcc.rs"]
mod gcc;

use arith::random::Random;
use checked::{INTEGERS, checked};
use std::fmt::Write as _;
use syntax::names::Names;
use syntax::typed::TypedProgram;
use syntax::types::{DataModel, TypeId};

/// How many sets of 400 records each model is tried with.
const SEEDS: u64 = 2;

/// A member that the test asks about: how it is reached, and whether it is a bit-field.
struct Asked {
    path: String,
    bit_field: bool,
}

// A vector of 8 bytes is aligned to 8 in a record with `-msse2`, as assumed, and to 4 without.
const PRELUDE: &str = "
enum small { SMALL_A, SMALL_B };
enum negative { NEGATIVE_A = -1, NEGATIVE_B = 5 };
enum packed_enum { PACKED_A, PACKED_B = 200 } __attribute__((packed));
enum wide { WIDE_A = 0x100000000LL };
typedef int int16aligned __attribute__((aligned(16)));
typedef long long loose __attribute__((aligned(2)));
typedef double double8 __attribute__((aligned(8)));
typedef unsigned int byte_aligned __attribute__((aligned(1)));
typedef int quarter __attribute__((mode(DI)));
typedef short shorts16 __attribute__((vector_size(16)));
typedef float floats16 __attribute__((vector_size(16)));
typedef double doubles32 __attribute__((vector_size(32)));
";

/// Beside the integer types.
const SCALARS: &[&str] = &[
    "float",
    "double",
    "long double",
    "void *",
    "enum small",
    "enum packed_enum",
    "enum wide",
    "int16aligned",
    "loose",
    "double8",
    "byte_aligned",
    "quarter",
    "__float128",
    "_Complex char",
    "_Complex int",
    "_Complex long long",
    "_Complex float",
    "_Complex double",
    "_Complex long double",
    "shorts16",
    "floats16",
    "doubles32",
];

/// Types of bit-fields, with their width.
const BIT_TYPES: &[(&str, u64)] = &[
    ("char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("int", 32),
    ("unsigned", 32),
    ("long long", 64),
    ("unsigned long long", 64),
    ("_Bool", 1),
    ("enum small", 32),
    ("enum negative", 32),
    ("byte_aligned", 32),
    ("int16aligned", 32),
    ("quarter", 64),
];

struct Generator {
    random: Random,
    text: String,
    /// Tags of the records made so far, with `struct` or `union`.
    records: Vec<String>,
    asked: Vec<Vec<Asked>>,
    counter: u32,
}

impl Generator {
    fn attributes(&mut self) -> String {
        let mut text = String::new();
        if self.random.chance(15) {
            text.push_str(" __attribute__((packed))");
        }
        if self.random.chance(10) {
            let align = 1 << self.random.below(6);
            let _ = write!(text, " __attribute__((aligned({align})))");
        }
        text
    }

    fn record(&mut self) {
        let number = self.records.len();
        let keyword = if self.random.chance(20) {
            "union"
        } else {
            "struct"
        };
        let mut asked = Vec::new();
        let tag = format!("{keyword} r{number}");
        let mut body = String::new();
        let count = self.random.below(9);
        self.members(&mut body, &mut asked, "", count, 0, keyword == "struct");
        let attributes = self.attributes();
        // On lines of their own: the record's line is what a failure shows, with the limit behind
        // it.
        let limit = self.random.chance(30).then(|| 1 << self.random.below(5));
        if let Some(limit) = limit {
            let _ = writeln!(self.text, "#pragma pack(push, {limit})");
        }
        let _ = writeln!(
            self.text,
            "{tag} {{{body}}}{attributes}; // pack {}",
            limit.unwrap_or(0)
        );
        if limit.is_some() {
            self.text.push_str("#pragma pack(pop)\n");
        }
        self.records.push(tag);
        self.asked.push(asked);
    }

    fn members(
        &mut self,
        body: &mut String,
        asked: &mut Vec<Asked>,
        prefix: &str,
        count: u64,
        depth: u32,
        flexible: bool,
    ) {
        for index in 0..count {
            self.counter += 1;
            let name = format!("m{}", self.counter);
            let path = format!("{prefix}{name}");
            match self.random.below(100) {
                0..45 => {
                    let (ty, width) = BIT_TYPES[self.random.below(BIT_TYPES.len() as u64) as usize];
                    if self.random.chance(10) {
                        let _ = write!(body, " {ty} : 0;");
                    } else {
                        let bits = if self.random.chance(25) {
                            width
                        } else {
                            1 + self.random.below(width)
                        };
                        if self.random.chance(12) {
                            let _ = write!(body, " {ty} : {bits};");
                        } else {
                            let attributes = self.attributes();
                            let _ = write!(body, " {ty} {name} : {bits}{attributes};");
                            asked.push(Asked {
                                path,
                                bit_field: true,
                            });
                        }
                    }
                }
                45..60 if depth < 2 => {
                    let keyword = if self.random.chance(40) {
                        "union"
                    } else {
                        "struct"
                    };
                    let inner = self.random.below(5);
                    let mut text = String::new();
                    if self.random.chance(50) {
                        self.members(&mut text, asked, prefix, inner, depth + 1, false);
                        let attributes = self.attributes();
                        let _ = write!(body, " {keyword} {{{text}}}{attributes};");
                    } else {
                        let prefix = format!("{path}.");
                        self.members(&mut text, asked, &prefix, inner, depth + 1, false);
                        let attributes = self.attributes();
                        let _ = write!(body, " {keyword} {{{text}}}{attributes} {name};");
                        asked.push(Asked {
                            path,
                            bit_field: false,
                        });
                    }
                }
                60..70 if !self.records.is_empty() => {
                    let which = self.random.below(self.records.len() as u64) as usize;
                    let attributes = self.attributes();
                    let tag = self.records[which].clone();
                    let length = if self.random.chance(30) { "[3]" } else { "" };
                    let _ = write!(body, " {tag} {name}{length}{attributes};");
                    asked.push(Asked {
                        path,
                        bit_field: false,
                    });
                }
                _ => {
                    let ty = self.random.pick(&[INTEGERS, SCALARS].concat());
                    let aligned_more = matches!(ty, "int16aligned");
                    let length = match self.random.below(10) {
                        0 if !aligned_more => "[3]",
                        1 if !aligned_more => "[0]",
                        2 if !aligned_more => "[2][5]",
                        3 if flexible
                            && index + 1 == count
                            && !asked.is_empty()
                            && !aligned_more =>
                        {
                            "[]"
                        }
                        _ => "",
                    };
                    let attributes = self.attributes();
                    let _ = write!(body, " {ty} {name}{length}{attributes};");
                    asked.push(Asked {
                        path,
                        bit_field: false,
                    });
                }
            }
        }
    }
}

/// What is to be compared, one line for each question, as gcc's program prints it.
fn questions(generator: &Generator) -> String {
    let mut text = String::from(
        "#include <stdio.h>\n#include <stddef.h>\n#include <string.h>\n\
         static void bits(const unsigned char *p, size_t n) {\n\
           long first = -1, count = 0;\n\
           for (size_t i = 0; i < n * 8; i++)\n\
             if (p[i / 8] >> (i % 8) & 1) { if (first < 0) first = i; count++; }\n\
           printf(\"%ld %ld\\n\", first, count); }\n",
    );
    for (number, (tag, asked)) in generator.records.iter().zip(&generator.asked).enumerate() {
        let _ = writeln!(text, "static void ask{number}(void) {{");
        let _ = writeln!(
            text,
            "printf(\"%zu %zu %zu\\n\", sizeof({tag}), _Alignof({tag}), __alignof__({tag}));"
        );
        for Asked { path, bit_field } in asked {
            let _ = if *bit_field {
                writeln!(
                    text,
                    "{{ {tag} v; memset(&v, 0, sizeof v); v.{path} = -1; \
                     bits((void *)&v, sizeof v); }}"
                )
            } else {
                writeln!(text, "printf(\"%zu\\n\", offsetof({tag}, {path}));")
            };
        }
        text.push_str("}\n");
    }
    text.push_str("int main(void) {\n");
    for number in 0..generator.records.len() {
        let _ = writeln!(text, "ask{number}();");
    }
    text.push_str("return 0; }\n");
    text
}

/// The answers of the table of types.
fn answers(program: &TypedProgram, names: &Names, generator: &Generator) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, asked) in generator.asked.iter().enumerate() {
        let name = names
            .find(&format!("v{number}"))
            .expect("the text declares it");
        let var = program
            .vars
            .iter()
            .find(|var| var.name == name)
            .expect("it is a variable");
        let layout = program
            .types
            .layout_of(var.ty)
            .expect("records are complete");
        let align = program
            .types
            .align_of(var.ty)
            .expect("records are complete");
        lines.push(format!("{} {} {}", layout.size, align, layout.align));
        for Asked { path, .. } in asked {
            let mut ty = var.ty;
            let mut offset = 0;
            let mut bits = None;
            for step in path.split('.') {
                (ty, bits) = member(program, names, ty, step, &mut offset);
            }
            lines.push(match bits {
                None => offset.to_string(),
                Some((shift, width)) => format!("{} {width}", offset * 8 + shift),
            });
        }
    }
    lines
}

/// Steps into a member, also one of an anonymous member: adds to the offset, gives type and bits.
fn member(
    program: &TypedProgram,
    names: &Names,
    ty: TypeId,
    name: &str,
    offset: &mut u64,
) -> (TypeId, Option<(u64, u64)>) {
    find_member(program, names, ty, name, offset).unwrap_or_else(|| panic!("no member {name}"))
}

fn find_member(
    program: &TypedProgram,
    names: &Names,
    ty: TypeId,
    name: &str,
    offset: &mut u64,
) -> Option<(TypeId, Option<(u64, u64)>)> {
    let record = program.types.record(program.types.record_id(ty)?);
    let layout = record.layout.as_ref()?;
    for field in &layout.fields {
        match field.name {
            Some(found) if names.get(found) == name => {
                *offset += field.offset;
                let bits = field.bits.map(|bits| {
                    assert!(u32::from(bits.shift) + u32::from(bits.width) <= 128);
                    assert!(bits.shift + bits.width <= bits.container_bytes * 8);
                    assert!(field.offset + u64::from(bits.container_bytes) <= layout.size);
                    (u64::from(bits.shift), u64::from(bits.width))
                });
                return Some((field.ty, bits));
            }
            None if field.bits.is_none() => {
                let mut inner = *offset + field.offset;
                if let Some(found) = find_member(program, names, field.ty, name, &mut inner) {
                    *offset = inner;
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

fn compare(model: DataModel, flag: &str, seed: u64, count: usize) {
    if gcc::is_missing(flag, "layout") {
        return;
    }
    let mut generator = Generator {
        random: Random(seed),
        text: PRELUDE.to_owned(),
        records: Vec::new(),
        asked: Vec::new(),
        counter: 0,
    };
    while generator.records.len() < count {
        generator.record();
    }
    let mut ours = generator.text.clone();
    for (number, tag) in generator.records.iter().enumerate() {
        let _ = writeln!(ours, "extern {tag} v{number};");
    }
    let (program, names) = checked("records.i", ours, model);
    let ours = answers(&program, &names, &generator);
    let program = generator.text.clone() + &questions(&generator);
    let name = format!("layout-{seed}");
    let (_, theirs) = gcc::compiled(&program, flag, &name).expect("gcc accepts the records");
    assert_eq!(ours.len(), theirs.len());
    let mut line = 0;
    for ((number, tag), asked) in generator.records.iter().enumerate().zip(&generator.asked) {
        let definition = generator
            .text
            .lines()
            .find(|text| text.starts_with(&format!("{tag} {{")))
            .unwrap_or_default();
        assert_eq!(
            ours[line], theirs[line],
            "size and alignment of {number}: {definition}"
        );
        line += 1;
        for Asked { path, .. } in asked {
            assert_eq!(ours[line], theirs[line], "{path} of {definition}");
            line += 1;
        }
    }
}

#[test]
fn records_lie_as_gcc_lays_them_out_on_x86_64() {
    for seed in 1..=SEEDS {
        compare(DataModel::Lp64, "-m64", seed * 20_240_701, 400);
    }
}

#[test]
fn records_lie_as_gcc_lays_them_out_on_i386() {
    for seed in 1..=SEEDS {
        compare(DataModel::Ilp32, "-m32", seed * 987_654_321, 400);
    }
}
