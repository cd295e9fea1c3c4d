//! Programs that cannot tell where their objects lie.
//!
//! Where an address is observed ([`super::observed`]), what comes of it depends on the placement. If anything may come of
//! it, a proof for one placement is one for all of them.

use super::observed::{Observation, observing_edges};
use crate::op::{Input, InputId, InputKind, Op};
use crate::program::Program;
use crate::property::Rewriter;
use syntax::span::Span;

/// The program with any outcome wherever addresses are observed: both branches are possible, and what is computed from
/// an address is any value. Locations, edges and variables keep their numbers. An error is the first place where an
/// observation decides something else, such as which cell is written.
///
/// Law: if no execution of the result reaches an error with one placement of the objects, then none of `program` does
/// with any placement. (For an execution of `program` the result has one that goes along the same edges and whose
/// values are the same up to the places of objects: what does not observe addresses commutes with moving them, and for
/// the rest the result may choose.)
pub fn with_any_placement(program: &Program) -> Result<Program, (Span, Observation)> {
    let mut rewriter = Rewriter::new(program.clone());
    for (edge, how) in observing_edges(program) {
        let span = program.edge(edge).span;
        let op = match *program.edge_op(edge) {
            Op::Assume(_) => Op::Assume(rewriter.program.pool.bool_constant(true)),
            Op::Assign(var, _) => {
                let inputs = &mut rewriter.program.inputs;
                let input = InputId(inputs.len() as u32);
                inputs.push(Input {
                    kind: InputKind::Uninitialised("an address".into()),
                    is_bool: false,
                    span,
                });
                Op::Havoc(var, input)
            }
            _ => return Err((span, how)),
        };
        let op = rewriter.op(op);
        rewriter.program.edges[edge.0 as usize].op = op;
    }
    Ok(rewriter.program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::{LowerOptions, load_text};
    use crate::regions::{observed_addresses, split_memory};
    use syntax::driver::Options;

    fn split(body: &str) -> Program {
        let text = format!("int input(void); int cells[8]; int main(void) {{ {body} return 0; }}");
        let loaded = load_text("a.i", &text, &Options::default(), &LowerOptions::default());
        let loaded = loaded.unwrap_or_else(|failure| panic!("{failure}"));
        split_memory(&loaded.program)
    }

    #[test]
    fn nothing_is_observed_any_more() {
        for body in [
            "int a, b; if (&a < &b) return 1;",
            "int a; unsigned h = (unsigned long)&a % 3; if (h == 2) return 1; return h;",
            "int a; int *p = &a; unsigned char c = *(unsigned char *)&p; return c == 7;",
        ] {
            let program = split(body);
            assert!(!observed_addresses(&program).is_empty(), "{body}");
            let Ok(blind) = with_any_placement(&program) else {
                panic!("{body} can be rewritten")
            };
            assert_eq!(observed_addresses(&blind), [], "{body}");
            assert_eq!(blind.locations.len(), program.locations.len());
            assert_eq!(blind.edges.len(), program.edges.len());
        }
    }

    #[test]
    fn what_decides_which_cell_is_written_stays() {
        let program = split("cells[((unsigned long)&cells[1] >> 4) % 8] = input();");
        assert!(with_any_placement(&program).is_err());
    }

    #[test]
    fn what_observes_nothing_stays_as_it_is() {
        let program = split("int a = input(); int *p = &a; if (p && *p > 3) return a;");
        let Ok(same) = with_any_placement(&program) else {
            panic!("there is nothing to rewrite")
        };
        assert_eq!(same.ops, program.ops);
    }
}
