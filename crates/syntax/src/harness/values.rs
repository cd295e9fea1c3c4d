//! Any value for an object, as C statements.

use super::request::{Pointee, Request, Shape};
use super::spelled;
use crate::ast::RecordKind;
use crate::driver::FrontEnd;
use crate::types::{ArrayLen, IntKind, Type, TypeId};
use std::collections::BTreeSet;

/// Pointers in objects that pointers lead to are null beyond this depth.
const MAX_DEPTH: u32 = 2;

/// What a function of the harness is made of.
pub(super) struct Written {
    pub declarations: String,
    pub body: String,
    pub assumptions: Vec<String>,
}

pub(super) struct Writer<'a> {
    front: &'a FrontEnd,
    unit: usize,
    request: &'a Request,
    shapes: &'a mut Vec<Shape>,
    declarations: Vec<String>,
    body: String,
    indent: usize,
    loops: usize,
    /// Arrays whose lengths are known when all else is: path, type and length.
    arrays: Vec<(String, TypeId, String)>,
    assumptions: Vec<String>,
    /// What the names of declared functions begin with, so that those of two texts differ.
    prefix: String,
    names: BTreeSet<String>,
    /// Parameters that were declared without the `const` of what they lead to.
    plain: BTreeSet<String>,
    /// Members of constant objects are being given their values.
    is_constant: bool,
}

impl<'a> Writer<'a> {
    pub fn new(
        front: &'a FrontEnd,
        unit: usize,
        prefix: &str,
        request: &'a Request,
        shapes: &'a mut Vec<Shape>,
    ) -> Writer<'a> {
        Writer {
            front,
            unit,
            prefix: prefix.to_owned(),
            request,
            shapes,
            declarations: Vec::new(),
            body: String::new(),
            indent: 1,
            loops: 0,
            arrays: Vec::new(),
            assumptions: Vec::new(),
            names: BTreeSet::new(),
            plain: BTreeSet::new(),
            is_constant: false,
        }
    }

    pub fn finish(self) -> Written {
        let mut declarations = self.declarations;
        if self.body.contains("malloc(") {
            declarations.insert(0, "extern void *malloc(__typeof__(sizeof 0));".into());
        }
        if self.body.contains("__VERIFIER_assume(") {
            declarations.insert(0, "extern void __VERIFIER_assume(int);".into());
        }
        let declarations: Vec<String> = declarations
            .iter()
            .map(|line| format!("{line}\n"))
            .collect();
        Written {
            declarations: declarations.concat(),
            body: self.body,
            assumptions: self.assumptions,
        }
    }

    pub fn line(&mut self, text: &str) {
        self.body += &"    ".repeat(self.indent);
        self.body += text;
        self.body.push('\n');
    }

    pub fn assume(&mut self, text: String) {
        if !self.assumptions.contains(&text) {
            self.assumptions.push(text);
        }
    }

    /// A variable for a parameter.
    pub fn declare(&mut self, name: &str, ty: TypeId) -> Result<(), String> {
        let types = &self.front.program.types;
        let ty = types.unqualified(ty);
        let mut text = spelled(self.front, self.unit, ty, name)?;
        // The harness writes what it points to.
        let is_simple = |to| !types.is_pointer(to) && types.function(to).is_none();
        if types.pointee(ty).is_some_and(is_simple)
            && let Some(rest) = text.strip_prefix("const ")
        {
            text = rest.to_owned();
            self.plain.insert(name.to_owned());
        }
        // What it leads to is not lost when the harness ends.
        let storage = match self.front.program.types.shape(ty) {
            Type::Pointer(_) => "static ",
            _ => "",
        };
        self.line(&format!("{storage}{text};"));
        Ok(())
    }

    /// Gives any value to the object that the path names.
    pub fn value(&mut self, path: &str, ty: TypeId, depth: u32) -> Result<(), String> {
        let front = self.front;
        let types = &front.program.types;
        match types.shape(ty) {
            Type::Int(_) | Type::Float(_) | Type::Enum(_) => {
                // An enumeration may have no name.
                let number = types.int_kind(ty).map_or(ty, IntKind::ty);
                let value = self.any(path, number)?;
                self.assign(path, ty, &value)
            }
            Type::Pointer(to) => self.pointer(path, ty, *to, depth),
            Type::Array { element, len } => match len {
                ArrayLen::Fixed(count) => {
                    let count = count.to_string();
                    self.elements(path, &count, *element, depth)
                }
                _ => {
                    self.assume(format!("`{path}`, an array without a length, is empty"));
                    Ok(())
                }
            },
            Type::Record(id) => {
                let record = types.record(*id);
                let Some(layout) = &record.layout else {
                    return Ok(());
                };
                if record.kind == RecordKind::Union || record.tuple.is_some() {
                    return self.bytes(path);
                }
                for field in &layout.fields {
                    let Some(name) = field.name else {
                        // Members of an anonymous member are named like its neighbours.
                        if field.bits.is_none() {
                            self.anonymous(path, field.ty, depth)?;
                        }
                        continue;
                    };
                    let inner = member(path, front.names.get(name));
                    // Memory that was just allocated holds any value; a bit-field of a constant
                    // cannot be written.
                    if self.is_constant && field.bits.is_some() {
                        continue;
                    }
                    self.value(&inner, field.ty, depth)?;
                }
                Ok(())
            }
            _ => Err(format!("`{path}` cannot be given any value by a harness")),
        }
    }

    fn anonymous(&mut self, path: &str, ty: TypeId, depth: u32) -> Result<(), String> {
        let types = &self.front.program.types;
        let Some(record) = types.record_id(ty).map(|id| types.record(id)) else {
            return Ok(());
        };
        if record.kind == RecordKind::Struct {
            return self.value(path, ty, depth);
        }
        // Of a union without a name only members can be named; the largest one has most of it.
        let fields = record.layout.iter().flat_map(|layout| &layout.fields);
        let largest = fields.max_by_key(|field| types.size_of(field.ty).unwrap_or(0));
        match largest.and_then(|field| Some((field.name?, field.ty))) {
            Some((name, ty)) => {
                let name = member(path, self.front.names.get(name));
                self.assume(format!(
                    "of the union that has it, `{name}` is the member in use"
                ));
                self.value(&name, ty, depth)
            }
            None => Ok(()),
        }
    }

    /// A call that gives any value of the type.
    fn any(&mut self, path: &str, ty: TypeId) -> Result<String, String> {
        let ty = self.front.program.types.unqualified(ty);
        let name = format!("__VERIFIER_nondet_{}", self.name(path));
        let text = spelled(self.front, self.unit, ty, &format!("{name}(void)"))?;
        self.declarations.push(format!("extern {text};"));
        Ok(format!("{name}()"))
    }

    /// A name for what belongs to a path, which nothing else has.
    fn name(&mut self, path: &str) -> String {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let words: Vec<&str> = path
            .split(|c| !is_word(c))
            .filter(|word| !word.is_empty())
            .collect();
        let base = format!("{}{}", self.prefix, words.join("_"));
        let mut name = base.clone();
        let mut number = 1;
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{base}_{number}");
        }
        name
    }

    fn assign(&mut self, path: &str, ty: TypeId, value: &str) -> Result<(), String> {
        let types = &self.front.program.types;
        let (is_const, _) = types.qualifiers(ty);
        if is_const || self.is_constant {
            let to = spelled(self.front, self.unit, types.unqualified(ty), "*")?;
            self.line(&format!("*({to})&{path} = {value};"));
        } else {
            self.line(&format!("{path} = {value};"));
        }
        Ok(())
    }

    fn pointer(&mut self, path: &str, ty: TypeId, to: TypeId, depth: u32) -> Result<(), String> {
        let front = self.front;
        let types = &front.program.types;
        let shape = self.shapes.iter_mut().find(|shape| shape.path == path);
        let leads = shape.map(|shape| {
            shape.is_used = true;
            shape.leads.clone()
        });
        if let Some(Pointee::Array(length)) = leads {
            self.arrays.push((path.to_owned(), ty, length));
            return Ok(());
        }
        if leads == Some(Pointee::Text) {
            return self.text(path, ty, to);
        }
        let is_there = leads.is_some() || self.request.looks_behind(path);
        if types.function(to).is_some() {
            let name = format!("external_{}", self.name(path));
            let text = spelled(front, self.unit, to, &name)?;
            self.declarations.push(format!("extern {text};"));
            self.assume(format!(
                "`{path}` is null, or a function that changes no variable"
            ));
            let choice = self.choice(path)?;
            return self.assign(path, ty, &format!("{choice} ? {name} : 0"));
        }
        let is_text = types.unqualified(to) == TypeId::CHAR;
        if is_text && leads.is_none() {
            return self.text(path, ty, to);
        }
        if types.is_void(to) || types.size_of(to).is_none() {
            let what = match types.is_void(to) {
                true => "memory whose size is not known; say it with --argument",
                false => "an object of a type that the program does not define",
            };
            self.assume(format!(
                "`{path}` leads to no object of the program: {what}"
            ));
            let value = self.any(path, ty)?;
            return self.assign(path, ty, &value);
        }
        if depth >= MAX_DEPTH {
            self.assume(format!("`{path}` is null"));
            return self.assign(path, ty, "0");
        }
        match is_there {
            true => self.assume(format!("`{path}` leads to one object of its own")),
            false => self.assume(format!(
                "`{path}` is null or leads to one object of its own"
            )),
        }
        if !is_there {
            let choice = self.choice(path)?;
            self.assign(path, ty, "0")?;
            self.line(&format!("if ({choice}) {{"));
            self.indent += 1;
        }
        self.assign(path, ty, &format!("malloc(sizeof(*{path}))"))?;
        self.line(&format!("__VERIFIER_assume({path} != 0);"));
        let whole = match types.shape(to) {
            Type::Record(_) => path.to_owned(),
            _ => format!("(*{path})"),
        };
        let (is_const, _) = types.qualifiers(to);
        let before = self.is_constant;
        self.is_constant = is_const && !self.plain.contains(path);
        let done = self.pointee(path, &whole, to, depth + 1);
        self.is_constant = before;
        done?;
        if !is_there {
            self.indent -= 1;
            self.line("}");
        }
        Ok(())
    }

    /// Any value for what a pointer leads to.
    fn pointee(&mut self, path: &str, whole: &str, to: TypeId, depth: u32) -> Result<(), String> {
        let types = &self.front.program.types;
        match types.shape(to) {
            Type::Record(id) if types.record(*id).kind == RecordKind::Struct => {
                // Members are named by an arrow.
                self.value(&format!("{path}->"), to, depth)
            }
            _ => {
                let whole = match whole == path {
                    true => format!("(*{path})"),
                    false => whole.to_owned(),
                };
                self.value(&whole, to, depth)
            }
        }
    }

    fn choice(&mut self, path: &str) -> Result<String, String> {
        self.any(&format!("{path}_is_there"), TypeId::BOOL)
    }

    /// All elements of an array.
    fn elements(
        &mut self,
        path: &str,
        count: &str,
        element: TypeId,
        depth: u32,
    ) -> Result<(), String> {
        self.loops += 1;
        let index = format!("index_{}", self.loops);
        self.line(&format!(
            "for (__typeof__(sizeof 0) {index} = 0; {index} < {count}; {index}++) {{"
        ));
        self.indent += 1;
        self.value(&format!("{path}[{index}]"), element, depth)?;
        self.indent -= 1;
        self.line("}");
        Ok(())
    }

    fn bytes(&mut self, path: &str) -> Result<(), String> {
        let value = self.any(path, TypeId::UCHAR)?;
        self.loops += 1;
        let index = format!("index_{}", self.loops);
        self.line(&format!(
            "for (__typeof__(sizeof 0) {index} = 0; {index} < sizeof({path}); {index}++) {{"
        ));
        self.line(&format!(
            "    ((unsigned char *)&{path})[{index}] = {value};"
        ));
        self.line("}");
        Ok(())
    }

    /// Arrays whose lengths are known now, and what must hold of all.
    pub fn lengths_and_assumptions(&mut self) -> Result<(), String> {
        let arrays = std::mem::take(&mut self.arrays);
        let mut left: Vec<String> = self.request.assume.clone();
        for first in 0..=arrays.len() {
            // What speaks of an array comes behind it.
            let waiting = &arrays[first..];
            let (later, now): (Vec<String>, Vec<String>) = left.into_iter().partition(|text| {
                let text: String = text.split_whitespace().collect();
                waiting
                    .iter()
                    .any(|(path, _, _)| text.contains(path.as_str()))
            });
            left = later;
            for text in now {
                self.line(&format!("__VERIFIER_assume({text});"));
                self.assume(format!("{text}, as --assume says"));
            }
            if let Some((path, ty, length)) = waiting.first() {
                self.array(path, *ty, length)?;
            }
        }
        Ok(())
    }

    /// Elements of a type that can be written, and how many of them an object has at most: it is
    /// at most half as large as the address space.
    fn cells(&self, path: &str, to: TypeId) -> Result<(String, TypeId, u64), String> {
        let types = &self.front.program.types;
        let element = match types.is_void(to) {
            true => TypeId::UCHAR,
            false => types.unqualified(to),
        };
        let Some(size) = types.size_of(element).filter(|&size| size > 0) else {
            return Err(format!("`{path}` leads to elements without a size"));
        };
        let limit = ((1u64 << (types.model.pointer_bits() - 1)) - 1) / size;
        let (is_const, _) = types.qualifiers(to);
        let is_constant = is_const && !self.plain.contains(path);
        let cells = match (is_constant, types.is_void(to)) {
            (false, false) => path.to_owned(),
            (is_constant, _) => {
                let pointer = spelled(self.front, self.unit, element, "*")?;
                let from = if is_constant { "(void *)" } else { "" };
                format!("(({pointer}){from}{path})")
            }
        };
        Ok((cells, element, limit))
    }

    fn array(&mut self, path: &str, ty: TypeId, length: &str) -> Result<(), String> {
        let Some(to) = self.front.program.types.pointee(ty) else {
            return Ok(());
        };
        let (cells, element, limit) = self.cells(path, to)?;
        let guards = guards(path, self.request);
        if !guards.is_empty() {
            self.line(&format!("if ({}) {{", guards.join(" && ")));
            self.indent += 1;
        }
        self.line(&format!(
            "__VERIFIER_assume(({length}) >= 0 && ({length}) <= {limit}UL);"
        ));
        self.assign(path, ty, &format!("malloc(({length}) * sizeof(*{cells}))"))?;
        self.line(&format!("__VERIFIER_assume({path} != 0);"));
        let count = format!("(__typeof__(sizeof 0))({length})");
        self.elements(&cells, &count, element, MAX_DEPTH)?;
        self.assume(format!("`{path}` leads to {length} elements of its own"));
        if !guards.is_empty() {
            self.indent -= 1;
            self.line("}");
        }
        Ok(())
    }

    /// A string with an end.
    fn text(&mut self, path: &str, ty: TypeId, to: TypeId) -> Result<(), String> {
        let (cells, element, limit) = self.cells(path, to)?;
        let size = self.front.program.types.size_type();
        let length = format!("length_of_{}", self.name(path));
        let any = self.any(&format!("{path}_length"), size)?;
        self.line(&format!("__typeof__(sizeof 0) {length} = {any};"));
        self.line(&format!("__VERIFIER_assume({length} < {limit}UL);"));
        self.assign(
            path,
            ty,
            &format!("malloc(({length} + 1) * sizeof(*{cells}))"),
        )?;
        self.line(&format!("__VERIFIER_assume({path} != 0);"));
        self.elements(&cells, &length, element, MAX_DEPTH)?;
        self.line(&format!("{cells}[{length}] = 0;"));
        self.assume(format!(
            "`{path}` leads to a string of its own, with an end"
        ));
        Ok(())
    }
}

/// A member of what the path names; a path that ends in an arrow names what it points to.
fn member(path: &str, name: &str) -> String {
    match path.ends_with("->") {
        true => format!("{path}{name}"),
        false => format!("{path}.{name}"),
    }
}

/// The pointers on the way to a path that may be null.
fn guards(path: &str, request: &Request) -> Vec<String> {
    let ends = path.match_indices("->").map(|(at, _)| &path[..at]);
    let ends = ends.filter(|end| !request.looks_behind(end));
    let is_named = |end: &&str| {
        let mut named = request.arguments.iter();
        named.any(|text| text.split_whitespace().collect::<String>() == format!("*{end}"))
    };
    ends.filter(|end| !is_named(end))
        .map(str::to_owned)
        .collect()
}
