use super::*;
use crate::span::Span;
use std::path::Path;

/// A folder for the files of one test; it goes away with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let name = format!("concord-driver-test-{}-{test}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        Folder(folder)
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The one message that a file gives, without its folder.
fn complaint(folder: &Folder, path: &Path) -> String {
    let failure = parse_files(&[path.to_owned()], &Options::default()).unwrap_err();
    assert_eq!(failure.diagnostics.len(), 1, "{failure}");
    failure
        .to_string()
        .replace(&format!("{}/", folder.0.display()), "")
}

fn has_compiler() -> bool {
    let found = std::process::Command::new("cc")
        .arg("--version")
        .output()
        .is_ok();
    if !found {
        println!("SKIPPED: no C compiler");
    }
    found
}

#[test]
fn bad_input_gives_one_clear_message() {
    let folder = Folder::new("bad");
    let file = |name: &str, text: &[u8]| folder.file(name, text);
    let of = |path: PathBuf| complaint(&folder, &path);
    assert_eq!(of(file("e.c", b"")), "error: e.c is empty\n");
    assert_eq!(of(file("b.c", b" \n\t")), "error: b.c is empty\n");
    assert_eq!(
        of(file("c.i", b"/* only */")),
        "error: c.i declares nothing\n"
    );
    assert_eq!(
        of(file("z.c", b"\x7fELF\x00\x01")),
        "error: z.c is not a C source file: it has a zero byte at offset 4\n"
    );
    assert_eq!(
        of(folder.0.join("missing.c")),
        "error: cannot read missing.c: No such file or directory\n"
    );
    std::fs::create_dir(folder.0.join("d.c")).unwrap();
    assert_eq!(
        of(folder.0.join("d.c")),
        "error: cannot read d.c: it is a directory, not a C file\n"
    );
    assert_eq!(
        of(file("u.c", b"int x;\n/* no end\n")),
        "u.c:2:1: error: comment is not terminated\n    2 | /* no end\n      | ^~\n"
    );
    assert_eq!(
        of(file("l.c", b"int x; int \xe9;\n")),
        "l.c:1:12: error: the file is not UTF-8: byte 0xe9 outside a string or comment\n    \
         1 | int x; int \u{fffd};\n      |            ^\n"
    );
    assert!(of(file("w.c", b"\xff\xfei\x00")).contains("UTF-16"));
    let nothing = parse_files(&[], &Options::default()).unwrap_err();
    assert_eq!(nothing.to_string(), "error: no input file is given\n");
}

#[test]
fn strings_and_comments_may_hold_any_bytes() {
    let folder = Folder::new("latin");
    let path = folder.file("x.c", b"/* \xe9 */ char *s = \"\xe9\"; // \xff\n");
    assert_eq!(
        parse_files(&[path], &Options::default())
            .unwrap()
            .units
            .len(),
        1
    );
}

#[test]
fn without_a_compiler_only_directives_are_a_problem() {
    let folder = Folder::new("compiler");
    let options = Options {
        compiler: Some("no-such-compiler".into()),
        ..Options::default()
    };
    let plain = folder.file("plain.c", "int x = 1; /*\n#define\n*/ int line = __LINE__;");
    assert_eq!(parse_files(&[plain], &options).unwrap().units.len(), 1);
    let path = folder.file("x.c", "int x;\n#define Y 1\n");
    let failure = parse_files(&[path], &options).unwrap_err();
    let shown = failure.to_string();
    assert_eq!(failure.diagnostics.len(), 1);
    assert!(shown.contains("x.c:2:1: error: "), "{shown}");
    assert!(shown.contains("needs the C preprocessor"), "{shown}");
}

#[test]
fn a_missing_include_is_reported_where_it_stands() {
    if !has_compiler() {
        return;
    }
    let folder = Folder::new("include");
    folder.file("inner.h", "\n#include <no-such-header.h>\n");
    let path = folder.file("x.c", "int x;\n#include \"inner.h\"\n");
    assert_eq!(
        complaint(&folder, &path),
        "inner.h:2:10: error: no-such-header.h: No such file or directory\n    \
         2 | #include <no-such-header.h>\n      |          ^\n\
         x.c:2:1: note: included from here\n    2 | #include \"inner.h\"\n      | ^\n"
    );
}

#[test]
fn errors_in_a_preprocessed_file_are_shown_in_the_file_given() {
    if !has_compiler() {
        return;
    }
    let folder = Folder::new("macro");
    let path = folder.file(
        "x.c",
        "#define MANY (1 + 2 + 3)\nint f(void) {\n  return MANY + ;\n}\n",
    );
    assert_eq!(
        complaint(&folder, &path),
        "x.c:3:17: error: expected an expression, found ';'\n    3 |   return MANY + ;\n      \
         |                 ^\n"
    );
}

#[test]
fn every_place_behind_macros_is_found_again() {
    if !has_compiler() {
        return;
    }
    let folder = Folder::new("places");
    let text = "#define SQUARE(x) ((x) * (x))\n#define ONE 1\nint f(int a) {\n  \
                int b = SQUARE(a) + ONE; return ONE + b - SQUARE(b + ONE);\n}\n";
    let path = folder.file("x.c", text);
    let parsed = parse_files(&[path], &Options::default()).unwrap();
    let map = &parsed.sources;
    let id = map.sources().last().unwrap();
    let range = map.base(id)..map.base(id) + map.bytes(id).len() as u32;
    let mut columns = Vec::new();
    for offset in range.filter(|&offset| map.snippet(Span::new(offset, offset + 1)) != b" ") {
        let place = map.place(offset).unwrap();
        if place.line != 4 || !place.file.ends_with("x.c") {
            continue;
        }
        let found = map.find(place.file, place.line, place.column).unwrap();
        assert_eq!(map.place(found).unwrap(), place);
        columns.push(place.column);
    }
    // `return` and what it returns, where they are written.
    for word in ["return", "b - "] {
        let column = text.lines().nth(3).unwrap().find(word).unwrap() as u32 + 1;
        assert!(
            columns.contains(&column),
            "{word} at {column} in {columns:?}"
        );
    }
}

#[test]
fn defines_and_include_folders_reach_the_preprocessor() {
    if !has_compiler() {
        return;
    }
    let folder = Folder::new("options");
    std::fs::create_dir(folder.0.join("inc")).unwrap();
    folder.file("inc/a.h", "typedef WORD T;\n");
    let path = folder.file("x.c", "#include <a.h>\nT x = SIZE;\n");
    let options = Options {
        data_model: DataModel::Ilp32,
        flags: Flags::defining(["WORD=int", "SIZE=sizeof(long)"])
            .then(&Flags::including([folder.0.join("inc")])),
        ..Options::default()
    };
    let parsed = parse_files(&[path], &options).unwrap();
    assert_eq!(parsed.units[0].items.len(), 2);
}

#[test]
fn system_headers_are_read_in_both_data_models() {
    if !has_compiler() {
        return;
    }
    let folder = Folder::new("system");
    let text = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n\
                #include <assert.h>\n#include <stdint.h>\n#include <limits.h>\n#include <ctype.h>\n\
                #include <pthread.h>\n#include <setjmp.h>\n#include <stdarg.h>\n#include <errno.h>\n\
                #include <tgmath.h>\n#include <stdatomic.h>\n#include <signal.h>\n\
                int main(void) { assert(sizeof(int) == 4); return EXIT_SUCCESS; }\n";
    let path = folder.file("x.c", text);
    for data_model in [DataModel::Ilp32, DataModel::Lp64] {
        let options = Options {
            data_model,
            ..Options::default()
        };
        let parsed = parse_files(std::slice::from_ref(&path), &options);
        let parsed = parsed.unwrap_or_else(|failure| panic!("{data_model:?}: {failure}"));
        let main = parsed.units[0].items.last().unwrap();
        let crate::ast::Item::Function(main) = main else {
            panic!("{main:?}")
        };
        let place = parsed.sources.place(main.span.lo).unwrap();
        assert_eq!((place.line, place.column), (16, 1), "{place}");
        assert!(place.file.ends_with("x.c"), "{place}");
    }
}

#[test]
fn files_and_extra_texts_share_names_and_space() {
    let folder = Folder::new("several");
    let paths = [
        folder.file("a.c", "int a;"),
        folder.file("b.i", "int b; int a2;"),
    ];
    let extra = Source {
        name: "<models>".into(),
        text: b"int m(void) { return 1; }".to_vec(),
        origin: Origin::Given,
    };
    let options = Options {
        extra: vec![extra],
        ..Options::default()
    };
    let parsed = parse_files(&paths, &options).unwrap();
    let counts: Vec<usize> = parsed.units.iter().map(|unit| unit.items.len()).collect();
    assert_eq!(counts, [1, 2, 1]);
    assert_eq!(parsed.sources.sources().count(), 3);
}

#[test]
fn expressions_are_parsed_with_their_types() {
    let mut names = Names::new();
    let mut map = SourceMap::new();
    let t = names.intern("T");
    let mut parse = |text: &str, types: &[Name]| {
        parse_expression(text, &mut names, &mut map, types)
            .map_err(|errors| errors[0].message.clone())
    };
    use crate::ast::ExprKind;
    assert!(matches!(
        parse("(T)(x)", &[t]).unwrap().kind,
        ExprKind::Cast(..)
    ));
    assert!(matches!(
        parse("(T)(x)", &[]).unwrap().kind,
        ExprKind::Call(..)
    ));
    assert_eq!(
        parse("a b", &[]).unwrap_err(),
        "expected the end of the expression, found 'b'"
    );
    assert_eq!(
        parse("", &[]).unwrap_err(),
        "expected an expression, found the end of the file"
    );
    assert_eq!(
        parse("\\result == 1", &[]).unwrap_err(),
        "stray '\\' in program"
    );
}

#[test]
fn the_front_end_links_files_into_one_program() {
    let folder = Folder::new("link");
    let paths = [
        folder.file(
            "a.c",
            "int twice(int); static int s = 1; int main(void) { return twice(s); }",
        ),
        folder.file(
            "b.c",
            "static int s = 2; int twice(int x) { return s * x; }",
        ),
    ];
    let linked =
        front_end(&paths, &Options::default()).unwrap_or_else(|failure| panic!("{failure}"));
    let names = |functions: &[crate::typed::Function]| -> Vec<String> {
        functions
            .iter()
            .map(|function| linked.names.get(function.name).to_owned())
            .collect()
    };
    let mut found = names(&linked.program.functions);
    found.sort();
    assert_eq!(found, ["main", "twice"]);
}

#[test]
fn errors_of_the_checker_come_with_their_place() {
    let folder = Folder::new("types");
    let path = folder.file("x.c", "int x;\ndouble x;\n");
    let failure = front_end(&[path], &Options::default()).unwrap_err();
    let shown = failure.to_string();
    assert!(shown.contains("x.c:2:8: error: "), "{shown}");
    assert!(shown.contains("x.c:1:5: note: "), "{shown}");
}
