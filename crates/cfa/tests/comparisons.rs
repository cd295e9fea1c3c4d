//! Constants that a program written in C compares with.

use cfa::comparisons::Comparisons;
use cfa::expr::VarId;
use lowering::{LowerOptions, load_text};

#[test]
fn classes_begin_at_constants_of_comparisons() {
    let text = "int x, y, z; int main(void) { if (x <= 140) z = 1; if (y == 3 || 7 < y) z = 2; return z + x; }";
    let front = syntax::driver::Options::default();
    let program = match load_text("test.c", text, &front, &LowerOptions::default()) {
        Ok(loaded) => loaded.program,
        Err(_) => panic!("a correct program"),
    };
    let comparisons = Comparisons::of(&program);
    let variable = |name: &str| {
        let number = program.vars.iter().position(|var| var.name == name);
        VarId(number.expect("a variable") as u32)
    };
    let begins = |name: &str| -> Vec<i128> {
        let var = variable(name);
        let begins = |&at: &i128| comparisons.classes_around(var, Some(at), None).0 == Some(at);
        (-1000..1000).filter(begins).collect()
    };
    assert_eq!(begins("x"), [141]);
    assert_eq!(begins("y"), [3, 4, 8]);
    assert!(begins("z").is_empty());
    let is_only_compared = |name: &str| comparisons.is_only_compared(variable(name));
    assert!(is_only_compared("y") && !is_only_compared("x"));
}
