use super::*;
use crate::lexer::lex;
use crate::names::Names;

fn add(map: &mut SourceMap, name: &str, text: &str, origin: Origin) -> SourceId {
    let source = Source {
        name: name.into(),
        text: text.into(),
        origin,
    };
    let id = map.add(source).unwrap();
    let bytes = map.shared_bytes(id);
    let markers = lex(&bytes, map.base(id), &mut Names::new()).markers;
    map.set_markers(id, markers);
    id
}

fn offset(map: &SourceMap, source: SourceId, needle: &str) -> u32 {
    let text = std::str::from_utf8(map.bytes(source)).unwrap();
    map.base(source) + text.find(needle).unwrap() as u32
}

fn place(place: Option<Position<'_>>) -> String {
    place.map(|place| place.to_string()).unwrap_or_default()
}

#[test]
fn places_count_from_one_in_every_text() {
    let mut map = SourceMap::new();
    let first = add(&mut map, "a.c", "int x;\n  int y;\n", Origin::Given);
    let second = add(&mut map, "b.c", "z", Origin::Given);
    assert_eq!(place(map.place(offset(&map, first, "int x"))), "a.c:1:1");
    assert_eq!(place(map.place(offset(&map, first, "y;"))), "a.c:2:7");
    assert_eq!(
        place(map.place(map.base(first) + 16)),
        "a.c:3:1",
        "the end of the text"
    );
    assert_eq!(place(map.place(map.base(second))), "b.c:1:1");
    assert_eq!(map.place(0), None, "no text stands for Span::NONE");
    assert_eq!(map.place(1000), None);
    assert_eq!(
        map.line_text(offset(&map, first, "y;")),
        Some(&b"  int y;"[..])
    );
}

#[test]
fn markers_name_the_original_and_keep_the_file_given() {
    let mut map = SourceMap::new();
    let text =
        "int a;\n# 10 \"orig.c\"\nint b;\n\nint c;\n#line 3\nint d;\n# 1 \"h.h\" 1\nint e;\n";
    let id = add(&mut map, "x.i", text, Origin::Given);
    let both = |needle: &str| {
        let at = offset(&map, id, needle);
        (place(map.place(at)), place(map.original(at)))
    };
    assert_eq!(both("a;"), ("x.i:1:5".into(), "x.i:1:5".into()));
    assert_eq!(both("b;"), ("x.i:3:5".into(), "orig.c:10:5".into()));
    assert_eq!(both("c;"), ("x.i:5:5".into(), "orig.c:12:5".into()));
    assert_eq!(both("d;"), ("x.i:7:5".into(), "orig.c:3:5".into()));
    assert_eq!(both("e;"), ("x.i:9:5".into(), "h.h:1:5".into()));
}

#[test]
fn a_preprocessed_text_is_named_by_its_markers() {
    let mut map = SourceMap::new();
    let text = "# 1 \"no-such-file.c\"\n\n int f;\n";
    let id = add(&mut map, "no-such-file.c", text, Origin::Preprocessed);
    assert_eq!(
        place(map.place(offset(&map, id, "f;"))),
        "no-such-file.c:2:6"
    );
    assert_eq!(map.line_text(offset(&map, id, "f;")), Some(&b" int f;"[..]));
}

#[test]
fn places_are_found_again() {
    let mut map = SourceMap::new();
    let text = "# 5 \"dir/orig.c\"\nint a;\n# 5 \"dir/orig.c\"\n  int b;\n# 20 \"other.c\"\nint c;";
    let id = add(&mut map, "./work/x.i", text, Origin::Given);
    let at = |needle: &str| offset(&map, id, needle);
    assert_eq!(map.find("x.i", 2, 5), Some(at("a;")));
    assert_eq!(map.find("work/x.i", 4, 7), Some(at("b;")));
    assert_eq!(map.find("orig.c", 5, 7), Some(at("b;")));
    assert_eq!(map.find("orig.c", 20, 5), None);
    assert_eq!(map.find("/abs/other.c", 20, 5), Some(at("c;")));
    assert_eq!(
        map.find("rig.c", 5, 1),
        None,
        "only whole names of a path count"
    );
    assert_eq!(map.find_line("orig.c", 5).len(), 2);
    assert_eq!(map.find("x.i", 99, 1), None);
    assert_eq!(map.find("x.i", 2, 99), None);
    assert_eq!(map.find("x.i", 0, 0), None);
}
