//! The harness of a function: C text that makes its arguments, calls it, and is read by compilers
//! and by people as well as by the analyses.
//!
//! The text is added to the file that defines the function, so that static functions and types
//! without a tag can be named. What is made of each argument is less than everything that a caller
//! could pass (a pointer leads to an object of its own, not into another one), and so every such
//! choice is an assumption of the answer.

mod request;
mod values;

pub use request::{Globals, Request};

use crate::driver::FrontEnd;
use crate::source::SourceId;
use crate::span::Span;
use crate::type_name::declaration;
use crate::typed::{Function, VarKind};
use crate::types::{Type, TypeId};
use request::Shape;
use values::Writer;

/// What the functions of a harness are called.
pub const PREFIX: &str = "concord_harness_";

/// Texts to be added to the files of a program.
#[derive(Clone, Debug, Default)]
pub struct Harness {
    /// The function that calls the entry; it takes no arguments.
    pub function: String,
    /// The number of the file among the program's, and the text. The first one is that of the file
    /// that defines the entry.
    pub additions: Vec<(usize, String)>,
    /// What is assumed of arguments and globals.
    pub assumptions: Vec<String>,
}

/// The name of the function that calls an entry.
pub fn function_name(entry: &str) -> String {
    format!("{PREFIX}{entry}")
}

/// Writes the harness of a function of the program.
pub fn write(front: &FrontEnd, request: &Request) -> Result<Harness, String> {
    let entry = &request.entry;
    let is_entry =
        |function: &&Function| front.names.get(function.name) == entry && function.body.is_some();
    let Some(function) = front.program.functions.iter().find(is_entry) else {
        return Err(format!(
            "the program does not define the function '{entry}'"
        ));
    };
    let unit = unit_of(front, function.span)
        .ok_or_else(|| format!("the file that defines '{entry}' is not known"))?;
    let mut shapes = request.shapes()?;
    let mut writer = Writer::new(front, unit, "", request, &mut shapes);
    let mut arguments = Vec::new();
    for (number, &param) in function.params.iter().enumerate() {
        let variable = &front.program.vars[param.0 as usize];
        let name = match front.names.get(variable.name) {
            "" => format!("argument_{}", number + 1),
            name => name.to_owned(),
        };
        if matches!(front.program.types.shape(variable.ty), Type::VaList) {
            return Err(format!(
                "the parameter `{name}` of '{entry}' is a list of arguments: write a harness"
            ));
        }
        writer.declare(&name, variable.ty)?;
        arguments.push((name, variable.ty));
    }
    for (name, ty) in &arguments {
        writer.value(name, *ty, 0)?;
    }
    writer.lengths_and_assumptions()?;
    let names: Vec<&str> = arguments.iter().map(|(name, _)| name.as_str()).collect();
    let call = format!("{entry}({})", names.join(", "));
    writer.line(&format!("{call};"));
    let own = writer.finish();
    let mut harness = Harness {
        function: function_name(entry),
        assumptions: own.assumptions,
        ..Harness::default()
    };
    let mut calls = String::new();
    let mut declarations = own.declarations;
    if request.globals == Globals::Any {
        for number in 0..front.units {
            let Some(text) = globals(front, number, request, &mut shapes, &mut harness)? else {
                continue;
            };
            let name = format!("concord_globals_{number}");
            declarations += &format!("extern void {name}(void);\n");
            calls += &format!("    {name}();\n");
            harness.additions.push((number, text));
        }
    }
    if let Some(Shape { text, .. }) = shapes.iter().find(|shape| !shape.is_used) {
        return Err(format!(
            "--argument '{text}': no pointer that is made for '{entry}' has this name"
        ));
    }
    let body = own.body;
    let text = format!(
        "{declarations}\nvoid {}(void) {{\n{calls}{body}}}\n",
        harness.function
    );
    let at = harness
        .additions
        .iter()
        .position(|(number, _)| *number == unit);
    match at {
        // Declarations of both stand in one file.
        Some(at) => {
            let (_, globals) = harness.additions.remove(at);
            harness.additions.insert(0, (unit, globals + &text));
        }
        None => harness.additions.insert(0, (unit, text)),
    }
    Ok(harness)
}

/// A function that gives any value to the globals of a file; none if it has none to be changed.
fn globals(
    front: &FrontEnd,
    unit: usize,
    request: &Request,
    shapes: &mut Vec<Shape>,
    harness: &mut Harness,
) -> Result<Option<String>, String> {
    let mut writer = Writer::new(front, unit, &format!("global_{unit}_"), request, shapes);
    for &id in &front.program.globals {
        let variable = &front.program.vars[id.0 as usize];
        let name = front.names.get(variable.name).to_owned();
        let (is_const, _) = front.program.types.qualifiers(variable.ty);
        if unit_of(front, variable.span) != Some(unit) || variable.external || is_const {
            continue;
        }
        match variable.kind {
            VarKind::Global => writer.value(&name, variable.ty, 1)?,
            VarKind::StaticLocal => {
                let text = format!(
                    "the static variable `{name}` of a function starts as it is initialised"
                );
                writer.assume(text);
            }
            _ => {}
        }
    }
    let own = writer.finish();
    harness.assumptions.extend(own.assumptions);
    Ok((!own.body.is_empty()).then(|| {
        format!(
            "{}\nvoid concord_globals_{unit}(void) {{\n{}}}\n",
            own.declarations, own.body
        )
    }))
}

/// The number of the file in which something stands.
fn unit_of(front: &FrontEnd, span: Span) -> Option<usize> {
    let SourceId(number) = front.sources.source_of(span.lo)?;
    let number = number as usize;
    (number < front.units).then_some(number)
}

/// A declaration of `name`, with types that can be written at the end of a file.
fn spelled(front: &FrontEnd, unit: usize, ty: TypeId, name: &str) -> Result<String, String> {
    let types = &front.program.types;
    let text = declaration(types, &front.names, ty, name);
    let no_name =
        || format!("the type of `{name}` has no name, so no harness can be written for it");
    if text.contains("[*]") {
        return Err(format!(
            "the type of `{name}` has a variable size: write a harness for it"
        ));
    }
    if !text.contains("<anonymous>") {
        return Ok(text);
    }
    // One name can be put in their place.
    let mut without_tag = Vec::new();
    add_without_tag(front, ty, &mut without_tag);
    let [base] = without_tag[..] else {
        return Err(no_name());
    };
    let mut typedefs = front.program.scopes.file_typedefs();
    let alias = typedefs.find(|&(_, to, at)| {
        types.without_qualifiers(to) == (base, false, false)
            && unit_of(front, Span { lo: at, hi: at }) == Some(unit)
    });
    let text = match alias {
        Some((alias, _, _)) => {
            let alias = front.names.get(alias);
            ["struct", "union", "enum"].iter().fold(text, |text, kind| {
                text.replace(&format!("{kind} <anonymous>"), alias)
            })
        }
        None => text,
    };
    match text.contains("<anonymous>") {
        true => Err(no_name()),
        false => Ok(text),
    }
}

/// Adds the records and enumerations without a tag that a type is derived from.
fn add_without_tag(front: &FrontEnd, ty: TypeId, found: &mut Vec<TypeId>) {
    let types = &front.program.types;
    let tag = match types.shape(ty) {
        Type::Pointer(to) => return add_without_tag(front, *to, found),
        Type::Array { element, .. } => return add_without_tag(front, *element, found),
        Type::Function(function) => {
            let parts = function.params.iter().chain([&function.result]);
            return parts.for_each(|&part| add_without_tag(front, part, found));
        }
        Type::Record(id) => types.record(*id).tag,
        Type::Enum(id) => types.enum_def(*id).tag,
        _ => return,
    };
    let ty = types.unqualified(ty);
    if tag.is_none() && !found.contains(&ty) {
        found.push(ty);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Options, front_end};
    use crate::types::DataModel;

    /// The harness of `f`, which must be C that the front end reads in its place.
    fn harness(text: &str, arguments: &[&str], assume: &[&str], globals: Globals) -> Harness {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.c");
        std::fs::write(&file, text).expect("a file");
        let mut options = Options {
            data_model: DataModel::Lp64,
            ..Options::default()
        };
        let own = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect();
        let request = Request {
            entry: "f".into(),
            arguments: own(arguments),
            assume: own(assume),
            globals,
        };
        let front = front_end(std::slice::from_ref(&file), &options).expect("a program");
        let harness = write(&front, &request).expect("a harness");
        options.additions.clone_from(&harness.additions);
        if let Err(failure) = front_end(&[file], &options) {
            panic!("{failure}\n{}", harness.additions[0].1);
        }
        harness
    }

    #[test]
    fn harnesses_are_c() {
        let text = "struct bits { int i : 3; const struct bits *p; int j; };\n\
                    typedef struct ring { unsigned char *buf; unsigned long size; struct ring *next; \
                    const int fixed; union { int a; char b[9]; }; enum { A, B } e : 2; \
                    struct { char *name; } items[3]; void (*call)(int); } ring;\n\
                    typedef struct { int x; } plain; static plain p; static int count; int *here; \
                    union { int i; float f; } u; extern int outside; const int constant = 1;\n\
                    static int f(ring *ring, const char *const s, const void *data, int n, plain v, \
                    char **list, int m[3], struct unknown *o, \
                    const struct bits *c, const int *z, _Bool b, double (*g)(plain)) \
                    { static int calls; return calls + outside; }";
        let made = harness(
            text,
            &["ring->buf[ring->size]", "data[n]", "*m"],
            &["ring->size > 2", "ring->buf[0] == 1", "n > 0"],
            Globals::Any,
        );
        let body = &made.additions[0].1;
        let at = |wanted: &str| {
            body.find(wanted)
                .unwrap_or_else(|| panic!("{wanted}: {body}"))
        };
        assert!(at("assume(ring->size > 2)") < at("ring->buf = malloc"));
        assert!(at("ring->buf = malloc") < at("assume(ring->buf[0] == 1)"));
        assert!(!body.contains("ring_is_there()"), "{body}");
        assert!(
            made.assumptions
                .contains(&"`ring->next->next` is null".to_owned()),
            "{made:?}"
        );
        assert!(
            !body.contains("outside =") && !body.contains("constant ="),
            "{body}"
        );
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.c");
        std::fs::write(&file, "int f(int *p, __builtin_va_list l) { return *p; }").expect("a file");
        let front = front_end(&[file], &Options::default()).expect("a program");
        let write = |entry: &str, argument: &str| {
            let request = Request {
                entry: entry.into(),
                arguments: vec![argument.into()],
                ..Request::default()
            };
            write(&front, &request).expect_err("an error")
        };
        assert!(write("g", "*p").contains("does not define the function 'g'"));
        assert!(write("f", "*p").contains("list of arguments"));
    }
}
