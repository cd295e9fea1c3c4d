//! The harness that every pass is held against: the interpreter before and after, on programs and
//! inputs.

use super::*;
use crate::regions::split_memory;
use cfa::memory::ObjectId;
use cfa::op::{Input, InputKind, Op};
use cfa::program::{EdgeId, LocId};
use cfa::value::Ty;
use interpreter::{Change, InputSource, Interpreter, Observer, Options, Outcome, View};
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};
use syntax::driver;

pub(crate) fn lowered(text: &str) -> Program {
    let front = driver::Options::default();
    match load_text("test.c", text, &front, &LowerOptions::default()) {
        Ok(loaded) => split_memory(&instrument(&loaded.program, &Property::assertions())),
        Err(failure) => panic!("{failure}"),
    }
}

/// Values that depend on the place that asks and how often it did, not on what else is asked for:
/// the same before and after a pass that leaves inputs out.
pub(super) struct PlacedInputs {
    seed: u64,
    asked: FxHashMap<u64, u64>,
}

impl PlacedInputs {
    pub fn new(seed: u64) -> PlacedInputs {
        PlacedInputs {
            seed,
            asked: FxHashMap::default(),
        }
    }

    fn value(&mut self, key: impl Hash, is_bool: bool) -> u128 {
        let mut hasher = rustc_hash::FxHasher::default();
        key.hash(&mut hasher);
        let place = hasher.finish();
        let count = self.asked.entry(place).or_default();
        *count += 1;
        let mut hasher = rustc_hash::FxHasher::default();
        (self.seed, place, *count).hash(&mut hasher);
        let random = hasher.finish();
        match random % 8 {
            _ if is_bool => u128::from(random >> 9 & 1),
            0 => random.into(),
            1 => -((random >> 8) as i128 & 15) as u128,
            2 => u128::from(random >> 8 & 255),
            _ => u128::from(random >> 8 & 15),
        }
    }
}

impl InputSource for PlacedInputs {
    fn next(&mut self, input: &Input, _: Ty) -> Option<u128> {
        let name = match &input.kind {
            InputKind::Uninitialised(name) | InputKind::Argument(name) => name.clone(),
            kind => format!("{kind:?}"),
        };
        Some(self.value((name, input.span), input.is_bool))
    }

    fn next_in_memory(&mut self, input: &Input, _: ObjectId, offset: u64, _: Ty) -> Option<u128> {
        let InputKind::Uninitialised(name) = &input.kind else {
            return None;
        };
        Some(self.value((name.clone(), offset), input.is_bool))
    }
}

#[derive(Default)]
struct Trace {
    edges: Vec<EdgeId>,
}

impl Observer for Trace {
    fn edge(&mut self, edge: EdgeId, _: Change, _: &View<'_>) {
        self.edges.push(edge);
    }
}

/// What an execution shows.
#[derive(PartialEq, Debug)]
struct Shown {
    outcome: String,
    error: Option<LocId>,
    output: Vec<u8>,
    inputs: Vec<(Ty, u128)>,
    path: Vec<EdgeId>,
    is_conclusive: bool,
}

fn run(program: &Program, seed: u64) -> Shown {
    let mut inputs = PlacedInputs::new(seed);
    let options = Options {
        max_steps: 20_000,
        ..Options::default()
    };
    let (mut output, mut trace) = (Vec::new(), Trace::default());
    let run = Interpreter::new(program).run_with(
        &options,
        &mut inputs,
        &mut output,
        &mut std::io::sink(),
        Some(&mut trace),
    );
    let error = match run.outcome {
        Outcome::Error(location) => Some(location),
        _ => None,
    };
    let outcome = match &run.outcome {
        Outcome::Error(_) => "error".to_owned(),
        Outcome::InvalidAccess(access) => format!("invalid {:?} {:?}", access.kind, access.fault),
        other => format!("{other:?}"),
    };
    Shown {
        outcome,
        error,
        output,
        inputs: run.inputs.iter().map(|&(_, ty, bits)| (ty, bits)).collect(),
        path: trace.edges,
        is_conclusive: run.outcome.is_conclusive(),
    }
}

/// Does the path of the result, mapped back, lie in the path of the given program, in order and
/// without a gap that is not told?
fn follows(back: &Back, after: &[EdgeId], before: &[EdgeId]) -> bool {
    let mut rest = before;
    let mut gap = false;
    for step in back.path(after) {
        let found = match step {
            Step::Untold => {
                gap = true;
                continue;
            }
            Step::Edge(edge) => rest.iter().position(|&other| other == edge),
        };
        match found {
            Some(0) => rest = &rest[1..],
            Some(number) if gap => rest = &rest[number + 1..],
            _ => return false,
        }
        gap = false;
    }
    true
}

/// What is wrong with a result, if anything.
fn difference(given: &Program, passed: &Passed, keep: Keep) -> Option<String> {
    for seed in 0..12 {
        let (before, after) = (run(given, seed), run(&passed.program, seed));
        if !before.is_conclusive || !after.is_conclusive {
            if before.error.is_some() != after.error.is_some() && before.is_conclusive {
                return Some(format!(
                    "seed {seed}: {} and {}",
                    before.outcome, after.outcome
                ));
            }
            continue;
        }
        let same_error = match (before.error, after.error) {
            (Some(before), Some(after)) => {
                passed.back.locations[after.0 as usize].contains(&before)
            }
            (None, None) => true,
            _ => false,
        };
        let same = keep == Keep::Errors
            || (&before.outcome, &before.output, &before.inputs)
                == (&after.outcome, &after.output, &after.inputs);
        if !same_error || !same {
            return Some(format!("seed {seed}: {before:?}\nand {after:?}"));
        }
        if !follows(&passed.back, &after.path, &before.path) {
            return Some(format!(
                "seed {seed}: {:?} stands for {:?}, not {:?}",
                after.path,
                passed.back.path(&after.path),
                before.path
            ));
        }
    }
    None
}

/// Every part is where it says it is.
pub(super) fn well_formed(program: &Program) -> Result<(), String> {
    for (number, location) in program.locations.iter().enumerate() {
        for &edge in &location.outgoing {
            if program.edge(edge).source.0 as usize != number {
                return Err(format!("{edge:?} does not leave location {number}"));
            }
        }
        for &edge in &location.incoming {
            if program.edge(edge).target.0 as usize != number {
                return Err(format!("{edge:?} does not enter location {number}"));
            }
        }
        let is_error = program
            .errors
            .iter()
            .any(|(error, _)| error.0 as usize == number);
        if program.is_error(LocId(number as u32)) != is_error
            || is_error && !location.outgoing.is_empty()
        {
            return Err(format!("location {number} is no proper error location"));
        }
    }
    for edge in &program.edges {
        let op = program.op(edge.op);
        if let Op::Call { function, args, .. } = op
            && args.len() != program.function(*function).params.len()
        {
            return Err(format!("{op:?} has a wrong number of arguments"));
        }
        let (from, to) = (program.location(edge.source), program.location(edge.target));
        if from.function != to.function {
            return Err(format!("{edge:?} leaves its function"));
        }
    }
    Ok(())
}

/// Holds a pass against the interpreter on one text.
pub(super) fn check(pass: &dyn Pass, keep: Keep, text: &str) {
    let given = lowered(text);
    let Some(passed) = pass.apply(&given) else {
        return;
    };
    if let Err(problem) = well_formed(&passed.program) {
        panic!("{}: {problem}\n{text}", pass.name());
    }
    if let Some(difference) = difference(&given, &passed, keep) {
        panic!("{} changes {text}\n{difference}", pass.name());
    }
}

const HEAD: &str = "int __VERIFIER_nondet_int(void); unsigned char __VERIFIER_nondet_uchar(void);\n\
    void __VERIFIER_assume(int); void reach_error(void); int printf(const char *, ...); void exit(int); void abort(void);\n\
    void *malloc(unsigned long); void free(void *);\n";

const BODIES: [&str; 20] = [
    "int main(void) { int x = __VERIFIER_nondet_int(); if (x == 3) reach_error(); return x & 7; }",
    "int main(void) { int n = __VERIFIER_nondet_int() & 15, s = 0; for (int i = 0; i < n; i++) s += i; printf(\"%d\\n\", s); return s > 20; }",
    "int g = 4; int k = 7; void add(int d) { g += d; } int main(void) { add(k); add(__VERIFIER_nondet_int() & 3); if (g == 13) reach_error(); printf(\"%d %d\\n\", g, k); return 0; }",
    "int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); } int main(void) { int n = __VERIFIER_nondet_int() & 7; int f = fact(n); printf(\"%d\\n\", f); if (f == 24) reach_error(); return 0; }",
    "int main(void) { int a[8]; int n = __VERIFIER_nondet_int() & 7; for (int i = 0; i < 8; i++) a[i] = i * n; int s = 0; for (int i = 7; i >= 0; i--) s = s * 3 + a[i]; printf(\"%d\\n\", s); if (a[n] == 9) reach_error(); return 0; }",
    "int max(int a, int b) { if (a > b) return a; return b; } int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); int m = max(x, y); if (m < x || m < y) reach_error(); printf(\"%d\\n\", max(m, 3)); return 0; }",
    "int main(void) { int x = __VERIFIER_nondet_int(); switch (x) { case 1: printf(\"one\"); break; case 2: printf(\"two\"); case 3: printf(\"three\"); break; case 9: reach_error(); break; default: exit(3); } return 1; }",
    "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 2 && x < 12); int q = y / (x - 5); printf(\"%d\", q); if (q == 1) reach_error(); return 0; }",
    "struct p { int x, y; }; int sum(struct p *p) { return p->x + p->y; } int main(void) { struct p a = {1, 2}, b = a; b.x = __VERIFIER_nondet_int(); int s = sum(&a) + sum(&b); printf(\"%d\\n\", s); if (s == 8) reach_error(); return 0; }",
    "int main(void) { int *p = malloc(4 * sizeof(int)); if (!p) abort(); for (int i = 0; i < 4; i++) p[i] = __VERIFIER_nondet_int(); int m = p[0]; for (int i = 1; i < 4; i++) if (p[i] > m) m = p[i]; free(p); printf(\"%d\", m); if (m == 7) reach_error(); return 0; }",
    "int odd(int n); int even(int n) { if (n == 0) return 1; return odd(n - 1); } int odd(int n) { if (n == 0) return 0; return even(n - 1); } int main(void) { int n = __VERIFIER_nondet_int() & 15; if (even(n) && n == 5) reach_error(); printf(\"%d\", even(n)); return odd(n); }",
    "int main(void) { int x = __VERIFIER_nondet_int() & 31, y = 0, z = 5; while (x != 1 && y < 50) { if (x % 2) x = 3 * x + 1; else x = x / 2; y++; z = z; } printf(\"%d\\n\", y); if (y == 7) reach_error(); return z; }",
    "int f(int x) { static int calls; calls++; return x + calls; } int main(void) { int x = __VERIFIER_nondet_int(); int a = f(x); int b = f(a); int c = f(f(b)); printf(\"%d %d %d\\n\", a, b, c); return c == 17; }",
    "double half(double x) { return x / 2; } int main(void) { double d = __VERIFIER_nondet_int(); d = half(d) + 0.5; printf(\"%f\\n\", d); if (d == 2.0) reach_error(); float f = (float)d; return f > 3.0f; }",
    "int apply(int (*f)(int), int x) { return f(x); } int inc(int x) { return x + 1; } int dbl(int x) { return 2 * x; } int main(void) { int x = __VERIFIER_nondet_int() & 7; int r = apply(x > 3 ? inc : dbl, x); printf(\"%d\", r); if (r == 6) reach_error(); return 0; }",
    "int main(void) { int i, j, n = 0; for (i = 0; i < 4; i++) for (j = i; j < 4; j++) { if ((i ^ j) == 3) continue; if (n > 6) goto out; n += j; } out: printf(\"%d %d %d\\n\", i, j, n); return n == __VERIFIER_nondet_int(); }",
    "int main(void) { int dead = 3, x = __VERIFIER_nondet_int(); if (x > 5) { dead = 4; dead++; } else dead = x; int y; if (x < 3) y = 1; if (dead > 100) dead = 0; if (x == 11) reach_error(); return y == 1 ? 2 : 3; }",
    "void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; } int main(void) { int a[5]; for (int i = 0; i < 5; i++) a[i] = __VERIFIER_nondet_int(); for (int i = 0; i < 5; i++) for (int j = 0; j + 1 < 5 - i; j++) if (a[j] > a[j + 1]) swap(&a[j], &a[j + 1]); for (int i = 0; i < 4; i++) if (a[i] > a[i + 1]) reach_error(); printf(\"%d %d\\n\", a[0], a[4]); return 0; }",
    "int depth; void visit(int n) { int here[2]; here[0] = n; here[1] = depth; depth++; if (n > 0) { visit(n - 1); if (here[0] != n) reach_error(); if (here[1] == 3) printf(\"%d\", n); } } int main(void) { visit(__VERIFIER_nondet_uchar() & 7); if (depth == 6) reach_error(); return depth; }",
    "int main(void) { unsigned char c = __VERIFIER_nondet_uchar(); unsigned n = 0; do { n += c & 1; c >>= 1; } while (c); int *p = 0; if (n == 5) return *p; while (n == 4) ; if (n == 3) reach_error(); return n; }",
];

pub(super) fn programs() -> impl Iterator<Item = String> {
    BODIES.iter().map(|body| format!("{HEAD}{body}"))
}

#[test]
fn every_pass_keeps_the_behaviour() {
    let settings = Settings {
        keep: Keep::Behaviour,
        ..Settings::default()
    };
    for text in programs() {
        for name in SIMPLIFY {
            let pass = by_name(name, &settings).expect("every name has a pass");
            check(&*pass, Keep::Behaviour, &text);
        }
    }
}

#[test]
fn every_pass_keeps_the_errors() {
    for text in programs() {
        for name in SIMPLIFY {
            let pass = by_name(name, &Settings::default()).expect("every name has a pass");
            check(&*pass, Keep::Errors, &text);
        }
    }
}

/// A whole pipeline as one pass.
struct Whole(Pipeline);

impl Pass for Whole {
    fn name(&self) -> &'static str {
        "pipeline"
    }

    fn apply(&self, program: &Program) -> Option<Passed> {
        let Optimised { program, back, .. } = self.0.run(program);
        Some(Passed {
            program,
            back,
            facts: Facts::default(),
        })
    }
}

#[test]
fn passes_keep_the_meaning_together() {
    for keep in [Keep::Behaviour, Keep::Errors] {
        let settings = Settings {
            keep,
            ..Settings::default()
        };
        let pipeline = Pipeline::named(&SIMPLIFY, &settings).expect("the names are right");
        let whole = Whole(pipeline);
        for text in programs() {
            check(&whole, keep, &text);
        }
    }
}

#[test]
fn a_fixpoint_is_found() {
    let pipeline = Pipeline::named(&SIMPLIFY, &Settings::default()).expect("the names are right");
    for text in programs() {
        let result = pipeline.run(&lowered(&text));
        assert!(result.is_fixpoint, "{:?} of {text}", result.applied);
    }
}

#[test]
fn unknown_names_are_refused() {
    let error = Pipeline::named(&["chains", "chain"], &Settings::default()).err();
    assert_eq!(error, Some(UnknownPass("chain".to_owned())));
}

/// Wrong on purpose: it forgets the first condition that it meets.
struct ForgetsCondition;

impl Pass for ForgetsCondition {
    fn name(&self) -> &'static str {
        "forgets condition"
    }

    fn apply(&self, program: &Program) -> Option<Passed> {
        let mut draft = Draft::of(program);
        let main = program.location(program.errors.first()?.0).function;
        let id = (0..program.edges.len() as u32).map(EdgeId).find(|&id| {
            matches!(program.edge_op(id), Op::Assume(_))
                && program.location(program.edge(id).source).function == main
        })?;
        draft.set_op(id, Op::Skip);
        Some(draft.finish())
    }
}

/// Wrong on purpose: the result is right, its map back is not.
struct LosesEdges;

impl Pass for LosesEdges {
    fn name(&self) -> &'static str {
        "loses edges"
    }

    fn apply(&self, program: &Program) -> Option<Passed> {
        let mut passed = Draft::of(program).finish();
        let count = passed.back.edges.len();
        passed.back.edges[count / 2..].rotate_left(1);
        Some(passed)
    }
}

#[test]
fn wrong_passes_are_caught() {
    let wrong: [&dyn Pass; 2] = [&ForgetsCondition, &LosesEdges];
    for pass in wrong {
        for keep in [Keep::Errors, Keep::Behaviour] {
            let caught = programs().any(|text| {
                let given = lowered(&text);
                pass.apply(&given)
                    .is_some_and(|passed| difference(&given, &passed, keep).is_some())
            });
            assert!(caught, "{} under {keep:?}", pass.name());
        }
    }
}

#[test]
fn maps_back_compose() {
    let mut compared = 0;
    for text in programs() {
        let program = lowered(&text);
        let identity = Back::identity(&program);
        let Some(first) = Chains.apply(&program) else {
            continue;
        };
        assert_eq!(first.back.after(&identity), first.back);
        let unit = Back::identity(&first.program);
        assert_eq!(unit.after(&first.back), first.back);
        let Some(second) = (Constants).apply(&first.program) else {
            continue;
        };
        let keep = Keep::Errors;
        let Some(third) = (Needed { keep }).apply(&second.program) else {
            continue;
        };
        compared += 1;
        let left = third.back.after(&second.back).after(&first.back);
        let right = third.back.after(&second.back.after(&first.back));
        assert_eq!(left, right);
    }
    assert!(compared > 3, "{compared} programs");
}
