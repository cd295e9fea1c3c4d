//! Programs that are right.

use super::accepted;

#[test]
fn a_small_program() {
    let (checked, names) =
        accepted("int f(int x) { return x + 1; } int main(void) { return f(2); }");
    let program = checked.program;
    assert_eq!(program.functions.len(), 2);
    assert_eq!(names.get(program.functions[1].name), "main");
    assert!(checked.warnings.is_empty());
}
