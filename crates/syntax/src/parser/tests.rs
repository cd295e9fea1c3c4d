use crate::driver;
use crate::names::Names;
use crate::source::{Origin, Source, SourceMap};

#[test]
fn thin() {
    let mut map = SourceMap::new();
    let mut names = Names::new();
    let source = Source {
        name: "t.c".into(),
        text: b"typedef int T; T *f(T x) { return &x + 1; }".to_vec(),
        origin: Origin::Given,
    };
    let unit = driver::parse(&mut map, &mut names, source).unwrap();
    assert_eq!(unit.items.len(), 2);
}
