//! Programs that cannot tell where their objects lie.
//!
//! Where an address is observed ([`super::observed`]), what comes of it depends on the placement.
//! If anything may come of it, a proof for one placement is one for all of them.

use super::observed::observing_operands;
use crate::passes::map_op;
use cfa::expr::{BinOp, ExprId, VarId};
use cfa::op::{Input, InputId, InputKind, Op};
use cfa::program::{Edge, EdgeId, FuncId, LocationKind, Program, Variable, VariableKind};
use cfa::value::Ty;
use lowering::property::Rewriter;
use rustc_hash::FxHashMap;
use syntax::span::Span;

/// The program with any outcome wherever addresses are observed: both branches are possible, and
/// what is computed from an address is any value. Locations, edges and variables keep their
/// numbers; what is new comes behind them.
///
/// A distance that is one from null only if a pointer is null stays as it is where the pointer is not.
///
/// Law: if no execution of the result reaches an error with one placement of the objects, then none
/// of `program` does with any placement. (For an execution of `program` the result has one that
/// goes along the same edges and whose values are the same up to the places of objects: what does
/// not observe addresses commutes with moving them, and for the rest the result may choose.)
#[must_use]
pub fn with_any_placement(program: &Program) -> Program {
    let mut blind = Blind {
        rewriter: Rewriter::new(program.clone()),
        chosen: FxHashMap::default(),
    };
    for found in observing_operands(program).chunk_by(|a, b| a.edge == b.edge) {
        let observed: Vec<ExprId> = found.iter().map(|operand| operand.expr).collect();
        let edge = found[0].edge;
        if found.iter().all(|operand| !operand.if_null.is_empty()) {
            let pointers = found.iter().flat_map(|operand| operand.if_null.clone());
            blind.exact_unless_null(edge, pointers.collect());
        }
        blind.edge(edge, &observed);
    }
    blind.rewriter.program
}

struct Blind {
    rewriter: Rewriter,
    /// Variables for arbitrary values, and how often an operation uses them: one of several needs
    /// its own.
    chosen: FxHashMap<(FuncId, Ty, usize), VarId>,
}

impl Blind {
    fn edge(&mut self, edge: EdgeId, observed: &[ExprId]) {
        let span = self.rewriter.program.edge(edge).span;
        let op = match *self.rewriter.program.edge_op(edge) {
            Op::Assume(_) => Op::Assume(self.rewriter.program.pool.bool_constant(true)),
            Op::Assign(var, _) => self.any_value(var, span),
            ref op => {
                let op = op.clone();
                self.operands(edge, &op, observed)
            }
        };
        let op = self.rewriter.op(op);
        self.rewriter.program.edges[edge.0 as usize].op = op;
    }

    /// Another way to the target of an edge, with the operation as it is, on which none of the pointers
    /// is null. The edge itself is left for the case that one of them is.
    fn exact_unless_null(&mut self, edge: EdgeId, mut pointers: Vec<ExprId>) {
        pointers.sort_unstable();
        pointers.dedup();
        let Edge {
            source,
            target,
            op,
            span,
            ..
        } = *self.rewriter.program.edge(edge);
        let function = self.rewriter.program.location(source).function;
        let pool = &mut self.rewriter.program.pool;
        let mut none_is_null = pool.bool_constant(true);
        for pointer in pointers {
            let null = pool.constant(0, pool.ty(pointer));
            let is_not_null = pool.binary(BinOp::Ne, pointer, null);
            none_is_null = pool.and(none_is_null, is_not_null);
        }
        let one_is_null = pool.not(none_is_null);
        let outgoing = &mut self.rewriter.program.locations[source.0 as usize].outgoing;
        outgoing.retain(|&other| other != edge);
        let [exact, open] = [none_is_null, one_is_null].map(|condition| {
            let here = self
                .rewriter
                .location(function, LocationKind::Ordinary, span);
            let ask = Op::Assume(condition);
            self.rewriter.edge(source, here, ask, span);
            here
        });
        let op = self.rewriter.program.op(op).clone();
        self.rewriter.edge(exact, target, op, span);
        let program = &mut self.rewriter.program;
        program.edges[edge.0 as usize].source = open;
        program.locations[open.0 as usize].outgoing.push(edge);
    }

    /// The operation on arbitrary values, which are chosen on the way to it.
    fn operands(&mut self, edge: EdgeId, op: &Op, observed: &[ExprId]) -> Op {
        let span = self.rewriter.program.edge(edge).span;
        let source = self.rewriter.program.edge(edge).source;
        let function = self.rewriter.program.location(source).function;
        let outgoing = &mut self.rewriter.program.locations[source.0 as usize].outgoing;
        outgoing.retain(|&other| other != edge);
        let mut here = source;
        let mut values = FxHashMap::default();
        for (number, &expr) in observed.iter().enumerate() {
            let ty = self.rewriter.program.pool.ty(expr);
            let var = self.chosen(function, ty, number, span);
            let choose = self.any_value(var, span);
            let next = self
                .rewriter
                .location(function, LocationKind::Ordinary, span);
            self.rewriter.edge(here, next, choose, span);
            values.insert(expr, self.rewriter.program.pool.variable(var, ty));
            here = next;
        }
        let program = &mut self.rewriter.program;
        program.edges[edge.0 as usize].source = here;
        program.locations[here.0 as usize].outgoing.push(edge);
        map_op(op, |expr| *values.get(&expr).unwrap_or(&expr), |var| var)
    }

    fn any_value(&mut self, var: VarId, span: Span) -> Op {
        let inputs = &mut self.rewriter.program.inputs;
        let input = InputId(inputs.len() as u32);
        inputs.push(Input {
            kind: InputKind::Uninitialised("an address".into()),
            is_bool: false,
            span,
        });
        Op::Havoc(var, input)
    }

    fn chosen(&mut self, function: FuncId, ty: Ty, number: usize, span: Span) -> VarId {
        let vars = &mut self.rewriter.program.vars;
        *self
            .chosen
            .entry((function, ty, number))
            .or_insert_with(|| {
                vars.push(Variable {
                    name: format!("any_placement_{number}"),
                    ty,
                    c_type: None,
                    function: Some(function),
                    kind: VariableKind::Temporary,
                    span,
                });
                VarId(vars.len() as u32 - 1)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regions::{observed_addresses, split_memory};
    use lowering::{LowerOptions, load_text};
    use syntax::driver::Options;

    fn split(body: &str) -> Program {
        let text = format!(
            "int input(void); int cells[8]; \
             int f(unsigned a, int *b) {{ return a; }} int main(void) {{ {body} return 0; }}"
        );
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
            "cells[((unsigned long)&cells[1] >> 4) % 8] = input(); return cells[input() & 7];",
            "int a; cells[((unsigned long)&a >> 4) % 8] = (unsigned long)&cells[1] % 5; return cells[input() & 7];",
            "int a; return f((unsigned long)&a % 7, &a);",
            "char a[4]; char *c = input() ? &a[1] : 0; if (c - a > 2) return 1;",
            "char a[4]; char *c = input() ? &a[1] : 0; long n = c - a; return n;",
            "char a[4]; char *c = input() ? &a[1] : 0; return f(c - a, 0);",
            "struct { char *c; } s; char a[4]; s.c = input() ? &a[1] : 0; return s.c - a > 2;",
        ] {
            let program = split(body);
            assert!(!observed_addresses(&program).is_empty(), "{body}");
            let blind = with_any_placement(&program);
            assert_eq!(observed_addresses(&blind), [], "{body}");
            for (edge, before) in blind.edges.iter().zip(&program.edges) {
                assert_eq!(edge.target, before.target);
            }
            for (number, location) in blind.locations.iter().enumerate() {
                for &edge in &location.outgoing {
                    assert_eq!(blind.edge(edge).source.0 as usize, number);
                }
                for &edge in &location.incoming {
                    assert_eq!(blind.edge(edge).target.0 as usize, number);
                }
            }
        }
    }

    #[test]
    fn what_observes_nothing_stays_as_it_is() {
        let program = split("int a = input(); int *p = &a; if (p && *p > 3) return a;");
        assert_eq!(with_any_placement(&program).ops, program.ops);
    }
}
