//! Expressions given as text.

use interpreter::{ConstantInputs, Interpreter, Options as RunOptions, Outcome};
use syntax::check::ScopePlace;
use syntax::types::DataModel;

#[test]
fn expressions_are_read_in_the_scope_of_a_place() {
    let text = "typedef unsigned char byte; struct s { int a; struct s *p; int v[3]; } g = {5}; \
        static int n = 2; int unused;\n\
        int main(void) { int x = 3; { long x = 4; for (int i = 0; i < 3; i++) g.a += x; } return x + n; }";
    let (program, mut tree) = testing::with_tree(text, DataModel::Lp64);
    let program = &program;
    let mut pool = program.pool.clone();
    let offset = |part: &str| {
        let base = program
            .sources
            .base(program.sources.sources().next().expect("one text"));
        base + text.find(part).expect("it is there") as u32
    };
    let (outer, inner, loop_head) = (
        ScopePlace::Before(offset("return x")),
        ScopePlace::Before(offset("for (int")),
        ScopePlace::LoopHead(offset("for (int")),
    );
    let mut ask = |text: &str, place| tree.condition(program, &mut pool, text, place);
    let at_outer = ask("x == 3 && n > 1", outer).expect("it is fine");
    let at_inner = ask("x == 4", inner).expect("it is fine");
    assert_ne!(at_outer, at_inner);
    assert!(ask("g.a >= 5 && i <= 3", loop_head).is_ok());
    for fine in [
        "i <= 3 && g.a >= 5",
        "g.p && g.p->a == 5",
        "!g.p || *(byte *)g.p->p->v == 3",
        "n ? g.v[i] / n : (byte)i",
        "(long)sizeof(struct s) > _Alignof(byte) + (int)sizeof g.v[n]",
        "&g.v[i] < &g.v[0] + 3 && &g.a == (int *)&g",
        "g.a ?: g.v[1]",
    ] {
        let found = ask(fine, loop_head);
        assert!(found.is_ok(), "{fine}: {found:?}");
    }
    let specification = ask("x == \\old(x)", outer);
    assert!(
        matches!(&specification, Err(problem) if problem.message.contains("\\old")),
        "{specification:?}"
    );
    assert!(ask("&x == 0", outer).is_err(), "it has no address");
    assert_eq!(ask("x == 3 && n > 1", outer), Ok(at_outer));
    assert!(ask("g", outer).is_err(), "a record");
    assert!(ask("n && x++", outer).is_err(), "a side effect");
    assert!(ask("i == 0", outer).is_err(), "not in scope");
    assert!(ask("x = 3", outer).is_err(), "an assignment");
    assert!(ask("unused == 0", outer).is_err(), "not in the program");
    assert!(ask("x ==", outer).is_err(), "no expression");
    // The program is as it was.
    let mut output = Vec::new();
    let run =
        Interpreter::new(program).run(&RunOptions::default(), &mut ConstantInputs(0), &mut output);
    assert_eq!(run.outcome, Outcome::Finished(5));
}
