//! Expressions given as text, in the scope of a place.

use super::super::{ScopePlace, check, check_expression_in_scope};
use crate::driver::{parse, parse_expression};
use crate::names::Names;
use crate::source::{Origin, Source, SourceMap};
use crate::type_name::type_name;
use crate::typed::{Expr, ExprKind, PlaceKind, TypedProgram, VarKind};
use crate::types::DataModel;

const TEXT: &str = "
typedef unsigned short word;
int x;
static int f(int n, word w) {
  int x = n;
  /*before*/ for (long i = 0; i < n; i++) {
    char x = i;
    struct local { int m; } s = { x };
    /*inside*/ s.m++;
    { static double x; /*deep*/ x += later(); }
  }
  /*after*/ return x;
}
int later_global;
enum { LIMIT = 7 };
int main(void) { /*main*/ return f(1, 2); }
";

struct Fixture {
    program: TypedProgram,
    names: Names,
    map: SourceMap,
}

fn fixture() -> Fixture {
    let mut map = SourceMap::new();
    let mut names = Names::new();
    let source = Source {
        name: "a.i".to_owned(),
        text: TEXT.into(),
        origin: Origin::Given,
    };
    let unit = parse(&mut map, &mut names, source).expect("the text is right");
    let program = check(vec![unit], &mut names, DataModel::Lp64)
        .expect("it is right")
        .program;
    Fixture {
        program,
        names,
        map,
    }
}

impl Fixture {
    fn offset(&self, mark: &str) -> u32 {
        let mark = format!("/*{mark}*/");
        let at = TEXT.find(&mark).expect("the mark is in the text") + mark.len();
        let blanks = TEXT[at..].len() - TEXT[at..].trim_start().len();
        // The text is the first one in the space of offsets.
        let base = self.program.functions[0].span.lo as usize
            - TEXT.find("f(int").expect("the function is in the text");
        (base + at + blanks) as u32
    }

    fn expression(&mut self, text: &str, place: ScopePlace) -> Result<Expr, String> {
        let typedefs = self.names.find("word").into_iter().collect::<Vec<_>>();
        let parsed = parse_expression(text, &mut self.names, &mut self.map, &typedefs)
            .expect("expressions of this test are right");
        check_expression_in_scope(&mut self.program, &mut self.names, &parsed, place)
            .map_err(|problem| problem.message)
    }

    fn type_at(&mut self, text: &str, mark: &str) -> String {
        let place = ScopePlace::Before(self.offset(mark));
        match self.expression(text, place) {
            Ok(expr) => type_name(&self.program.types, &self.names, expr.ty),
            Err(message) => message,
        }
    }
}

/// An expression, a place, and the type or the message there.
const TYPES_AT_PLACES: &str = "\
x | before | int
x | inside | char
x | deep | double
x | after | int
x | main | int
w | deep | unsigned short
i | inside | long
s.m | inside | int
(struct local *)0 | inside | struct local *
(word)3 | main | unsigned short
LIMIT | main | int
x + w * 2ul | inside | unsigned long
&x | inside | char *
i | before | 'i' undeclared here (not in a function)
s | after | 's' undeclared here (not in a function)
later_global | after | 'later_global' undeclared here (not in a function)
later_global | main | int
n | main | 'n' undeclared here (not in a function)
f(1, 2) | main | int
no_such_function() | main | 'no_such_function' undeclared at this place";

#[test]
fn the_innermost_visible_declaration_counts() {
    let mut fixture = fixture();
    for case in TYPES_AT_PLACES.lines() {
        let parts: Vec<&str> = case.split(" | ").collect();
        let &[text, mark, wanted] = &parts[..] else {
            panic!("{case}: not three parts")
        };
        assert_eq!(fixture.type_at(text, mark), wanted, "{text} at {mark}");
    }
}

#[test]
fn a_loop_head_sees_what_the_loop_declares() {
    let mut fixture = fixture();
    let at = fixture.offset("before");
    assert!(
        fixture
            .expression("i <= n", ScopePlace::Before(at))
            .is_err()
    );
    let expr = fixture
        .expression("i", ScopePlace::LoopHead(at))
        .expect("it is visible");
    let ExprKind::Load(place) = &expr.kind else {
        panic!("{expr:?}")
    };
    let PlaceKind::Var(var) = place.kind else {
        panic!("{place:?}")
    };
    assert_eq!(fixture.program.vars[var.0 as usize].kind, VarKind::Local);
}

#[test]
fn the_program_stays_as_it_was() {
    let mut fixture = fixture();
    let before = format!("{:?}", fixture.program.functions);
    let vars = fixture.program.vars.len();
    for mark in ["before", "inside", "deep", "after", "main"] {
        fixture.type_at("x + nonsense", mark);
        fixture.type_at("x == LIMIT || x > 3", mark);
    }
    assert_eq!(format!("{:?}", fixture.program.functions), before);
    assert_eq!(fixture.program.vars.len(), vars);
}
