//! LLVM's intermediate language as text, as far as invariants of loops need it.

use rustc_hash::FxHashMap;

#[derive(Clone, Debug, Default)]
pub struct Module {
    pub functions: Vec<Function>,
    /// Metadata by its number, as it is written behind `=`.
    metadata: FxHashMap<u32, String>,
}

#[derive(Clone, Debug)]
pub struct Function {
    /// As the module calls it.
    pub name: String,
    /// As the C program calls it.
    pub source_name: String,
    pub blocks: Vec<Block>,
}

#[derive(Clone, Debug)]
pub struct Block {
    pub name: String,
    pub instructions: Vec<Instruction>,
    pub successors: Vec<String>,
    /// The numbers of the debug location and of the loop of its last instruction.
    location: Option<u32>,
    of_loop: Option<u32>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Instruction {
    pub result: Option<String>,
    pub what: What,
}

#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// The values that come from the blocks before.
    Phi(Vec<String>),
    /// Its operator in C, the width, and its operands; whether they are signed, if that matters.
    Pair(&'static str, u32, Option<bool>, String, String),
    /// A conversion of this operand from a width to another; whether with its sign.
    Cast(String, u32, u32, bool),
    Choice(String, String, String),
    Copy(String),
    /// From here on the C variable has this value.
    Named {
        variable: String,
        value: String,
    },
    Other,
}

/// A place of the C program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct At {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// Operations in C; whether the sign of operands matters.
const PAIRS: &[(&str, &str, Option<bool>)] = &[
    ("add", "+", None),
    ("sub", "-", None),
    ("mul", "*", None),
    ("and", "&", None),
    ("or", "|", None),
    ("xor", "^", None),
    ("shl", "<<", None),
    ("lshr", ">>", Some(false)),
    ("ashr", ">>", Some(true)),
    ("udiv", "/", Some(false)),
    ("sdiv", "/", Some(true)),
    ("urem", "%", Some(false)),
    ("srem", "%", Some(true)),
];
const COMPARISONS: &[(&str, &str, Option<bool>)] = &[
    ("eq", "==", None),
    ("ne", "!=", None),
    ("ult", "<", Some(false)),
    ("ule", "<=", Some(false)),
    ("ugt", ">", Some(false)),
    ("uge", ">=", Some(false)),
    ("slt", "<", Some(true)),
    ("sle", "<=", Some(true)),
    ("sgt", ">", Some(true)),
    ("sge", ">=", Some(true)),
];
/// Words that say more about an operation.
const FLAGS: &[&str] = &[
    "nsw", "nuw", "exact", "inbounds", "tail", "musttail", "notail",
];

pub fn read(text: &str) -> Module {
    let mut module = Module::default();
    // Debug information stands behind the functions that it is about.
    for line in text.lines().filter(|line| line.starts_with('!')) {
        if let Some((number, said)) = line[1..].split_once(" = ")
            && let Ok(number) = number.parse()
        {
            module.metadata.insert(number, said.to_owned());
        }
    }
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(head) = line.strip_prefix("define ") {
            let body = lines.by_ref().take_while(|line| *line != "}");
            let body: Vec<&str> = body.collect();
            module.functions.extend(function(head, &body, &module));
        }
    }
    module
}

fn function(head: &str, body: &[&str], module: &Module) -> Option<Function> {
    let (_, rest) = head.split_once('@')?;
    let (name, _) = rest.split_once('(')?;
    let name = name.trim_matches('"').to_owned();
    let about = metadata_of(head, "!dbg");
    let source_name = about
        .and_then(|number| module.field(number, "name"))
        .unwrap_or_else(|| name.clone());
    let mut blocks = vec![Block::new("entry")];
    for (number, line) in body.iter().enumerate() {
        let code = line.split(';').next().unwrap_or_default().trim_end();
        if let Some(label) = code.strip_suffix(':').filter(|_| !line.starts_with(' ')) {
            let label = label.trim_matches('"');
            if number == 0 || blocks.len() == 1 && blocks[0].is_empty() {
                blocks[0].name = label.to_owned();
            } else {
                blocks.push(Block::new(label));
            }
            continue;
        }
        let block = blocks.last_mut()?;
        block.add(code.trim(), module);
    }
    Some(Function {
        name,
        source_name,
        blocks,
    })
}

/// The number behind a word such as `!dbg !24`.
fn metadata_of(line: &str, word: &str) -> Option<u32> {
    let at = line.find(&format!("{word} !"))?;
    number_in(&line[at + word.len() + 2..])
}

fn number_in(text: &str) -> Option<u32> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    text[..digits].parse().ok()
}

/// `i32` is 32.
fn width(word: &str) -> Option<u32> {
    word.strip_prefix('i')?.parse().ok()
}

impl Block {
    fn new(name: &str) -> Block {
        Block {
            name: name.to_owned(),
            instructions: Vec::new(),
            successors: Vec::new(),
            location: None,
            of_loop: None,
        }
    }

    fn is_empty(&self) -> bool {
        self.instructions.is_empty() && self.successors.is_empty()
    }

    fn add(&mut self, line: &str, module: &Module) {
        let (result, code) = match line.split_once(" = ") {
            Some((result, code)) if result.starts_with('%') => (Some(result), code),
            _ => (None, line),
        };
        if code.starts_with("br ") || code.starts_with("switch ") {
            let targets = code.split("label %").skip(1);
            self.successors = targets
                .map(|target| {
                    let end = target.find([',', ' ', ']']).unwrap_or(target.len());
                    target[..end].trim_matches('"').to_owned()
                })
                .collect();
            self.location = metadata_of(code, "!dbg");
            self.of_loop = metadata_of(code, "!llvm.loop");
            return;
        }
        let what = named(code, module).or_else(|| computed(code));
        self.instructions.push(Instruction {
            result: result.map(|name| register(name).to_owned()),
            what: what.unwrap_or(What::Other),
        });
    }
}

/// A name without its sign.
fn register(name: &str) -> &str {
    name.trim_start_matches('%').trim_matches('"')
}

/// `call void @llvm.dbg.value(metadata i32 %x, metadata !16, metadata !DIExpression())`
fn named(code: &str, module: &Module) -> Option<What> {
    let (_, arguments) = code.split_once("@llvm.dbg.value(")?;
    let mut arguments = arguments.split(", ");
    let value = arguments.next()?.strip_prefix("metadata ")?;
    let variable = arguments.next()?.strip_prefix("metadata !")?;
    // An expression says that the value is another one than that of the variable.
    if !arguments.next()?.starts_with("metadata !DIExpression()") {
        return None;
    }
    Some(What::Named {
        variable: module.field(number_in(variable)?, "name")?,
        value: value.split(' ').next_back()?.to_owned(),
    })
}

fn computed(code: &str) -> Option<What> {
    // Debug information and attributes come behind the operands.
    let code = code.split(", !").next().unwrap_or(code);
    let mut words = code.split_whitespace().filter(|word| !FLAGS.contains(word));
    let operation = words.next()?;
    let clean = |word: &str| word.trim_end_matches(',').to_owned();
    let pair = |words: &mut dyn Iterator<Item = &str>, in_c, sign| {
        let width = width(words.next()?)?;
        let (left, right) = (clean(words.next()?), clean(words.next()?));
        Some(What::Pair(in_c, width, sign, left, right))
    };
    if let Some((_, in_c, sign)) = PAIRS.iter().find(|(name, ..)| *name == operation) {
        return pair(&mut words, in_c, *sign);
    }
    match operation {
        "icmp" => {
            let which = words.next()?;
            let (_, in_c, sign) = COMPARISONS.iter().find(|(name, ..)| *name == which)?;
            pair(&mut words, in_c, *sign)
        }
        "phi" => {
            let parts = code.split('[').skip(1);
            let values = parts.filter_map(|part| part.trim().split(',').next());
            Some(What::Phi(
                values.map(|value| value.trim().to_owned()).collect(),
            ))
        }
        "zext" | "sext" | "trunc" => {
            let from = width(words.next()?)?;
            let value = clean(words.next()?);
            let to = words.nth(1).and_then(width)?;
            Some(What::Cast(value, from, to, operation == "sext"))
        }
        "select" => {
            // select i1 %c, i32 %a, i32 %b
            let mut operands = code.split(", ").map(|part| part.split(' ').next_back());
            let mut next = || operands.next().flatten().map(clean);
            Some(What::Choice(next()?, next()?, next()?))
        }
        "freeze" | "bitcast" => {
            width(words.next()?)?;
            Some(What::Copy(clean(words.next()?)))
        }
        _ => None,
    }
}

impl Function {
    pub fn block(&self, name: &str) -> Option<&Block> {
        self.blocks.iter().find(|block| block.name == name)
    }

    /// What defines a register.
    pub fn definition(&self, register: &str) -> Option<&What> {
        let all = self.blocks.iter().flat_map(|block| &block.instructions);
        let mut found = all.filter(|it| it.result.as_deref() == Some(register));
        found.next().map(|it| &it.what)
    }

    /// The loop of the C program whose head the block is: as the branch back to it says.
    pub fn loop_at(&self, name: &str, module: &Module) -> Option<At> {
        self.block(name)?;
        let reached = self.reached_from(name);
        let latch = self.blocks.iter().find(|block| {
            block.successors.iter().any(|to| to == name) && reached.contains(&block.name.as_str())
        })?;
        let of_loop = latch.of_loop.and_then(|number| module.loop_begin(number));
        of_loop.or_else(|| module.place(latch.location?))
    }

    /// The blocks that a way from a block leads to, itself included.
    fn reached_from<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        let mut found = vec![name];
        let mut next = 0;
        while let Some(&at) = found.get(next) {
            next += 1;
            let successors = self.block(at).map_or(&[][..], |block| &block.successors);
            for to in successors {
                if !found.contains(&to.as_str()) {
                    found.push(to);
                }
            }
        }
        found
    }
}

impl Module {
    /// A field of metadata, as `name: "x"` or `line: 5`.
    fn field(&self, number: u32, name: &str) -> Option<String> {
        let said = self.metadata.get(&number)?;
        let inside = said.split_once('(')?.1;
        let wanted = format!("{name}: ");
        let mut parts = inside.split(", ");
        let part = parts.find_map(|part| part.strip_prefix(wanted.as_str()))?;
        Some(part.trim_end_matches(')').trim_matches('"').to_owned())
    }

    /// The place that a debug location names; those of generated code have none.
    fn place(&self, number: u32) -> Option<At> {
        let line: u32 = self.field(number, "line")?.parse().ok()?;
        let column = self.field(number, "column");
        let mut scope = number_in(self.field(number, "scope")?.strip_prefix('!')?);
        // Scopes lie inside one another; the file is said somewhere.
        for _ in 0..64 {
            if let Some(file) = self.field(scope?, "file") {
                let file = self.field(number_in(file.strip_prefix('!')?)?, "filename")?;
                return (line > 0).then_some(At {
                    file,
                    line,
                    column: column.and_then(|column| column.parse().ok()).unwrap_or(0),
                });
            }
            scope = number_in(self.field(scope?, "scope")?.strip_prefix('!')?);
        }
        None
    }

    /// `distinct !{!28, !24, !29, …}`: the first location is where the loop begins.
    fn loop_begin(&self, number: u32) -> Option<At> {
        let said = self.metadata.get(&number)?;
        let inside = said.split_once('{')?.1;
        let parts = inside.split(", ").filter_map(|part| part.strip_prefix('!'));
        parts
            .filter_map(number_in)
            .filter(|&part| part != number)
            .find_map(|part| {
                let is_place = self.metadata.get(&part)?.contains("DILocation(");
                is_place.then(|| self.place(part)).flatten()
            })
    }
}
