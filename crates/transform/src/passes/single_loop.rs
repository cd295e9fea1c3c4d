//! Single-loop form: a program counter, and one loop that does a step of whichever loop it is in.
//!
//! For analyses that like one loop (k-induction, IC3): every way into the head of a loop notes
//! which head it is and goes to the one head, which goes on where the counter says. Since every
//! cycle passes the head of a component of [`Order`], the one head is all that is left of loops,
//! nested and irreducible ones alike. What leads from outside to a place between the loops goes
//! over the one head too, so that it is the only way in. A function with no more than one loop
//! stays as it is; programs with one loop in all are those that were inlined before.
//!
//! The one head stands for the places that it goes on to: what holds there holds at each of them
//! when the counter has its number.

use super::{Draft, DraftEdge, DraftLocation, Pass, Passed};
use cfa::expr::VarId;
use cfa::op::Op;
use cfa::order::Order;
use cfa::program::{EdgeId, FuncId, LocId, LocationKind, Program, Variable, VariableKind};
use cfa::value::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

pub struct SingleLoop;

/// The counter's name; no name of C's.
const COUNTER: &str = "pc$";
const COUNTER_TYPE: Ty = Ty::U32;

impl Pass for SingleLoop {
    fn name(&self) -> &'static str {
        "single-loop"
    }

    fn apply(&self, program: &Program) -> Option<Passed> {
        let mut draft = Draft::of(program);
        let mut changed = false;
        for number in 0..program.functions.len() as u32 {
            let order = Order::of(program, FuncId(number));
            if order.loops.len() > 1 {
                let heads: Vec<LocId> = order.loops.iter().map(|one| one.head).collect();
                join_loops(program, &mut draft, FuncId(number), &heads);
                changed = true;
            }
        }
        changed.then(|| draft.finish())
    }
}

fn join_loops(program: &Program, draft: &mut Draft<'_>, function: FuncId, heads: &[LocId]) {
    let inside = between(program, heads);
    let comes_from_outside = |location: LocId| {
        let incoming = &program.location(location).incoming;
        let mut sources = incoming.iter().map(|&edge| program.edge(edge).source);
        location == program.function(function).entry
            || sources.any(|source| !inside.contains(&source))
    };
    let mut places = heads.to_vec();
    let others = (0..program.locations.len() as u32).map(LocId);
    let others = others.filter(|location| inside.contains(location) && !heads.contains(location));
    places.extend(others.filter(|&location| comes_from_outside(location)));
    let span = program.location(heads[0]).span;
    let mut joiner = Joiner {
        counter: draft.new_var(
            Variable {
                name: COUNTER.to_owned(),
                ty: COUNTER_TYPE,
                c_type: None,
                function: Some(function),
                kind: VariableKind::Temporary,
                span,
            },
            None,
        ),
        one_head: draft.new_location(DraftLocation {
            function,
            kind: LocationKind::LoopHead,
            span,
            error: None,
            stands_for: Vec::new(),
        }),
        draft,
    };
    // Doors for what comes from outside are not inside themselves, so that the one head is met
    // first.
    let (mut outer, mut inner) = (FxHashMap::default(), FxHashMap::default());
    for (number, &place) in places.iter().enumerate() {
        if heads.contains(&place) {
            inner.insert(place, joiner.door(place, number));
        }
        if comes_from_outside(place) {
            outer.insert(place, joiner.door(place, number));
        }
    }
    for edge in program
        .edges
        .iter()
        .zip(0..)
        .filter(|(edge, _)| inside.contains(&edge.target))
    {
        let (edge, id) = (edge.0, EdgeId(edge.1));
        let doors = if inside.contains(&edge.source) {
            &inner
        } else {
            &outer
        };
        if let (Some(&door), Some(edge)) = (doors.get(&edge.target), joiner.draft.edge_mut(id)) {
            edge.target = door;
        }
    }
    let entry = &mut joiner.draft.functions[function.0 as usize].entry;
    if let Some(&door) = outer.get(entry) {
        *entry = door;
    }
    for (number, &place) in places.iter().enumerate() {
        joiner.go_on(place, number);
    }
}

/// The locations on ways from one head to another, or round.
fn between(program: &Program, heads: &[LocId]) -> FxHashSet<LocId> {
    let reach = |next: &dyn Fn(LocId) -> Vec<LocId>| {
        let mut seen = FxHashSet::default();
        let mut work = heads.to_vec();
        while let Some(location) = work.pop() {
            if seen.insert(location) {
                work.extend(next(location));
            }
        }
        seen
    };
    let forward = reach(&|at| {
        let edges = program.location(at).outgoing.iter();
        edges.map(|&edge| program.edge(edge).target).collect()
    });
    let backward = reach(&|at| {
        let edges = program.location(at).incoming.iter();
        edges.map(|&edge| program.edge(edge).source).collect()
    });
    forward.intersection(&backward).copied().collect()
}

struct Joiner<'d, 'p> {
    draft: &'d mut Draft<'p>,
    counter: VarId,
    one_head: LocId,
}

impl Joiner<'_, '_> {
    /// A new way to the place: over the one head.
    fn door(&mut self, place: LocId, number: usize) -> LocId {
        let mut door = self.draft.locations[place.0 as usize].clone();
        door.kind = LocationKind::Ordinary;
        let door = self.draft.new_location(door);
        let number = self.draft.pool.constant(number as u128, COUNTER_TYPE);
        self.edge(door, self.one_head, Op::Assign(self.counter, number));
        door
    }

    /// From the one head to the place, which is no head any more.
    fn go_on(&mut self, place: LocId, number: usize) {
        let old = &mut self.draft.locations[place.0 as usize];
        if old.kind == LocationKind::LoopHead {
            old.kind = LocationKind::Ordinary;
        }
        let points = old.stands_for.clone();
        self.draft.locations[self.one_head.0 as usize]
            .stands_for
            .extend(points);
        let pool = &mut self.draft.pool;
        let number = pool.constant(number as u128, COUNTER_TYPE);
        let value = pool.variable(self.counter, COUNTER_TYPE);
        let condition = pool.eq(value, number);
        self.edge(self.one_head, place, Op::Assume(condition));
    }

    fn edge(&mut self, source: LocId, target: LocId, op: Op) {
        let span = self.draft.locations[target.0 as usize].span;
        self.draft.new_edge(DraftEdge {
            source,
            target,
            op,
            span,
            branch: None,
            steps: Vec::new(),
            calls: Vec::new(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, lowered};
    use super::super::{Keep, Pipeline, Settings};
    use super::*;

    const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void); int printf(const char *, ...);\n\
         int sum(int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = i; j; j--) s += j; return s; }\n\
         int main(void) { int n = __VERIFIER_nondet_int() & 7, k = 0;\n\
         if (n == 6) goto late; if (n == 5) goto inside; while (k < n) { k += 2; inside: k--; if (k > 40) break; k++; }\n\
         late: do { k++; while (k % 3) { k++; if (k == 17) goto out; } } while (k < 12);\n\
         out: printf(\"%d %d\\n\", k, sum(n)); if (sum(n) == 20) reach_error(); return 0; }";

    fn loops(program: &Program) -> Vec<usize> {
        let functions = (0..program.functions.len() as u32).map(FuncId);
        let loops = functions.map(|id| Order::of(program, id).loops.len());
        loops.filter(|&count| count > 0).collect()
    }

    #[test]
    fn one_loop_is_left_in_a_function() {
        let program = lowered(TEXT);
        assert!(loops(&program).iter().sum::<usize>() > 4);
        let passed = SingleLoop
            .apply(&program)
            .expect("there is something to do");
        assert_eq!(loops(&passed.program), [1, 1]);
        assert!(SingleLoop.apply(&passed.program).is_none());
    }

    #[test]
    fn one_loop_is_left_of_an_inlined_program() {
        let pipeline = Pipeline::named(&["inline", "single-loop"], &Settings::default());
        let single = pipeline.expect("the names are right").run(&lowered(TEXT));
        assert_eq!(loops(&single.program), [1]);
    }

    #[test]
    fn meaning_stays() {
        for keep in [Keep::Errors, Keep::Behaviour] {
            check(&SingleLoop, keep, TEXT);
        }
    }
}
