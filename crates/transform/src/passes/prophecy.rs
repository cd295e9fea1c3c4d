//! Prophecies: a program that knows from its start which index the violation will be about.
//!
//! M. Mann, A. Irfan, A. Griggio, O. Padon, C. Barrett: Counterexample-guided prophecy for model
//! checking modulo the theory of arrays, TACAS 2021; after Abadi1991: M. Abadi, L. Lamport: The
//! existence of refinement mappings, TCS 82, 1991.
//!
//! | there | here |
//! |---|---|
//! | prophecy variable | a variable `k` that is an input at the start and never written again |
//! | what it foretells | the value of an index at the [`Site`] that an execution passes last |
//!
//! Deviation: sites are chosen once, from the program, and not from counterexamples; history
//! variables are not needed because the site is where the cell is read.
//!
//! For each prophecy the result has `k` and a flag. The flag is true at the start; a site sets it
//! to whether its index is `k`; an execution comes to an error location only with all flags true.
//!
//! Law: whatever the sites are, the result reaches an error location exactly if the given program
//! does. An execution of the result is one of the given program with more assignments and
//! conditions. For an execution of the given program that comes to an error take as `k` the index
//! at the last site that it passes (anything if it passes none): then the flag is true at the end.
//!
//! Why: a statement about `k` without a quantifier, such as `!(0 <= k && k < i) || a[k] == 0`, says
//! of the given program what needs one.

use super::substitute::variables;
use super::{Draft, DraftEdge, DraftLocation, Passed};
use cfa::expr::{ExprId, VarId};
use cfa::op::{Input, InputKind, Op};
use cfa::program::{LocId, LocationKind, Program, Variable, VariableKind};
use cfa::value::Ty;
use rustc_hash::FxHashSet;

/// A place of the program and an index: an integer expression over what is visible there that
/// cannot fail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    pub location: LocId,
    /// In the pool of the program.
    pub index: ExprId,
}

/// The sites that one variable foretells, at most one for each location; their indices have one
/// type.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Prophecy {
    pub sites: Vec<Site>,
}

/// The program with its prophecies, and the variables that hold them, in order.
#[derive(Clone, Debug)]
pub struct Prophesied {
    pub passed: Passed,
    pub indices: Vec<VarId>,
}

/// Why something is no site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoSite {
    /// Nothing goes on from there: no location of the program, an error, or where a function
    /// returns.
    Location,
    /// No integer, not visible there, or its evaluation may fail.
    Index,
    /// Indices of several types, several of one location, or none at all.
    Several,
}

impl std::fmt::Display for NoSite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NoSite::Location => "a prophecy stands at a location without outgoing edges",
            NoSite::Index => "an index of a prophecy cannot be evaluated at its location",
            NoSite::Several => "the indices of a prophecy do not match",
        })
    }
}

impl std::error::Error for NoSite {}

/// The type of the prophecy's indices.
fn index_type(program: &Program, prophecy: &Prophecy) -> Result<Ty, NoSite> {
    let mut locations = FxHashSet::default();
    let mut found = None;
    for site in &prophecy.sites {
        let location = program.locations.get(site.location.0 as usize);
        let location = location.ok_or(NoSite::Location)?;
        // Executions that are at the exit of a function return from there.
        if location.outgoing.is_empty()
            || location.kind == LocationKind::Error
            || program.function(location.function).exit == site.location
        {
            return Err(NoSite::Location);
        }
        let pool = &program.pool;
        if site.index.0 as usize >= pool.len() {
            return Err(NoSite::Index);
        }
        let ty = pool.ty(site.index);
        let is_visible = |var: &VarId| {
            let owner = program.var(*var).function;
            owner.is_none_or(|owner| owner == location.function)
        };
        // An index whose evaluation fails would end executions that go on in the given program.
        if !ty.is_int()
            || pool.can_fail(site.index)
            || !variables(pool, [site.index]).iter().all(is_visible)
        {
            return Err(NoSite::Index);
        }
        if *found.get_or_insert(ty) != ty || !locations.insert(site.location) {
            return Err(NoSite::Several);
        }
    }
    found.ok_or(NoSite::Several)
}

/// The program in which the prophecies come true or no error is reached.
pub fn prophesy(program: &Program, prophecies: &[Prophecy]) -> Result<Prophesied, NoSite> {
    let types = prophecies
        .iter()
        .map(|prophecy| index_type(program, prophecy));
    let types = types.collect::<Result<Vec<Ty>, NoSite>>()?;
    let mut draft = Draft::of(program);
    let start = program.function(program.entry).entry;
    let mut all_true = draft.pool.bool_constant(true);
    for (number, (prophecy, ty)) in prophecies.iter().zip(types).enumerate() {
        let name = match number {
            0 => "prophecy".to_owned(),
            _ => format!("prophecy_{}", number + 1),
        };
        let index = new_global(&mut draft, program, name.clone(), ty);
        let flag = new_global(&mut draft, program, format!("{name}_came_true"), Ty::U8);
        draft.inputs.push(Input {
            kind: InputKind::Uninitialised(name),
            is_bool: false,
            span: program.location(start).span,
        });
        let input = cfa::op::InputId(draft.inputs.len() as u32 - 1);
        let foretold = draft.pool.variable(index, ty);
        for site in &prophecy.sites {
            let is_it = draft.pool.eq(site.index, foretold);
            let is_it = draft.pool.convert(is_it, Ty::U8);
            insert(&mut draft, site.location, Op::Assign(flag, is_it));
        }
        let one = draft.pool.integer(1, Ty::U8);
        insert(&mut draft, start, Op::Assign(flag, one));
        insert(&mut draft, start, Op::Havoc(index, input));
        let flag = draft.pool.variable(flag, Ty::U8);
        let came_true = draft.pool.truth(flag);
        all_true = draft.pool.and(all_true, came_true);
    }
    for &(error, kind) in &program.errors {
        let location = &mut draft.locations[error.0 as usize];
        location.kind = LocationKind::Ordinary;
        location.error = None;
        let new = DraftLocation {
            kind: LocationKind::Error,
            error: Some(kind),
            ..location.clone()
        };
        let span = new.span;
        let target = draft.new_location(new);
        draft.new_edge(DraftEdge {
            source: error,
            target,
            op: Op::Assume(all_true),
            span,
            branch: None,
            steps: Vec::new(),
            call: None,
        });
    }
    let passed = draft.finish();
    // What the pass made up comes last: an index and a flag for each prophecy.
    let first = passed.program.vars.len() - 2 * prophecies.len();
    let indices = (0..prophecies.len()).map(|number| VarId((first + 2 * number) as u32));
    Ok(Prophesied {
        indices: indices.collect(),
        passed,
    })
}

fn new_global(draft: &mut Draft<'_>, program: &Program, name: String, ty: Ty) -> VarId {
    let span = program.function(program.entry).span;
    let var = Variable {
        name,
        ty,
        c_type: None,
        function: None,
        kind: VariableKind::Temporary,
        span,
    };
    draft.new_var(var)
}

/// Puts an operation in front of all that leave a location.
fn insert(draft: &mut Draft<'_>, location: LocId, op: Op) {
    let here = draft.locations[location.0 as usize].clone();
    let span = here.span;
    let behind = draft.new_location(DraftLocation {
        kind: LocationKind::Ordinary,
        ..here
    });
    for edge in draft.edges.iter_mut().flatten() {
        if edge.source == location {
            edge.source = behind;
        }
    }
    draft.new_edge(DraftEdge {
        source: location,
        target: behind,
        op,
        span,
        branch: None,
        steps: Vec::new(),
        call: None,
    });
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PlacedInputs, lowered, programs, well_formed};
    use super::*;
    use cfa::concrete::{Concrete, Undefined};
    use cfa::memory::{ObjectId, ObjectKind};
    use cfa::op::InputId;
    use cfa::program::EdgeId;
    use interpreter::{Change, InputSource, Interpreter, Observer, Options, Outcome, Run, View};

    /// The inputs of the given program, and what is foretold.
    struct Foretelling {
        inputs: PlacedInputs,
        first: u32,
        foretold: Vec<u128>,
    }

    impl InputSource for Foretelling {
        fn next(&mut self, input: &Input, ty: Ty) -> Option<u128> {
            self.inputs.next(input, ty)
        }

        fn next_of(&mut self, id: InputId, input: &Input, ty: Ty) -> Option<u128> {
            match id.0.checked_sub(self.first) {
                Some(number) if (number as usize) < self.foretold.len() => {
                    Some(self.foretold[number as usize])
                }
                _ => self.inputs.next_of(id, input, ty),
            }
        }

        fn next_in_memory(
            &mut self,
            input: &Input,
            object: ObjectId,
            offset: u64,
            ty: Ty,
        ) -> Option<u128> {
            self.inputs.next_in_memory(input, object, offset, ty)
        }
    }

    struct Here<'a, 'v>(&'a View<'v>);

    impl cfa::concrete::State for Here<'_, '_> {
        type Error = Undefined;

        fn variable(&mut self, var: VarId, _: Ty) -> Result<u128, Undefined> {
            Ok(self.0.variable(var).unwrap_or(0))
        }

        fn address(&mut self, object: ObjectId) -> Result<u128, Undefined> {
            Ok(self.0.address_of(object).unwrap_or(0).into())
        }

        fn load(&mut self, _: u128, _: Ty) -> Result<u128, Undefined> {
            Err(Undefined::IllTyped)
        }
    }

    /// Notes the index at the last site of each prophecy that an execution passes.
    struct Last<'a> {
        program: &'a Program,
        indices: &'a [VarId],
        last: Vec<u128>,
    }

    impl Observer for Last<'_> {
        fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
            let (Change::Variable(var, _), Op::Assign(_, value)) =
                (change, self.program.edge_op(edge))
            else {
                return;
            };
            let flags = self.indices.iter().map(|index| VarId(index.0 + 1));
            let Some(number) = flags.clone().position(|flag| flag == var) else {
                return;
            };
            // The operation is `flag = index == k`.
            let pool = &self.program.pool;
            let mut work = vec![*value];
            while let Some(id) = work.pop() {
                let node = pool.node(id);
                let foretold = cfa::expr::Node::Var(self.indices[number]);
                // The index may be a comparison itself.
                if let cfa::expr::Node::Binary(cfa::expr::BinOp::Eq, a, b) = node
                    && (pool.node(a) == foretold || pool.node(b) == foretold)
                {
                    let index = if pool.node(a) == foretold { b } else { a };
                    let mut state = Here(view);
                    let algebra = &mut Concrete(&mut state);
                    let value = cfa::algebra::evaluate(pool, index, algebra);
                    self.last[number] = value.expect("an index cannot fail");
                }
                work.extend(node.children());
            }
        }
    }

    fn execute(program: &Program, inputs: &mut dyn InputSource) -> Run {
        let options = Options {
            max_steps: 20_000,
            ..Options::default()
        };
        Interpreter::new(program).run(&options, inputs, &mut std::io::sink())
    }

    fn execute_prophesied(
        given: &Program,
        prophesied: &Prophesied,
        seed: u64,
        foretold: &[u128],
    ) -> (Run, Vec<u128>) {
        let program = &prophesied.passed.program;
        let mut inputs = Foretelling {
            inputs: PlacedInputs::new(seed),
            first: given.inputs.len() as u32,
            foretold: foretold.to_vec(),
        };
        let mut last = Last {
            program,
            indices: &prophesied.indices,
            last: foretold.to_vec(),
        };
        let options = Options {
            max_steps: 40_000,
            ..Options::default()
        };
        let run = Interpreter::new(program).run_with(
            &options,
            &mut inputs,
            &mut std::io::sink(),
            &mut std::io::sink(),
            Some(&mut last),
        );
        (run, last.last)
    }

    /// All sites of a program, in order.
    fn all_sites(program: &Program) -> Vec<Site> {
        let locations = (0..program.locations.len() as u32).map(LocId);
        let sites = locations.flat_map(|location| {
            let indices = (0..program.pool.len() as u32).map(ExprId);
            indices.map(move |index| Site { location, index })
        });
        let is_site = |site: &Site| {
            let sites = vec![*site];
            // Where an object lies that comes and goes is not known before it lives.
            let mut parts = program.pool.parts_first(site.index).into_iter();
            let comes_and_goes = |object: ObjectId| {
                let kind = &program.object(object).kind;
                !matches!(kind, ObjectKind::Global | ObjectKind::StringLiteral)
            };
            let is_address = |part| {
                let node = program.pool.node(part);
                matches!(node, cfa::expr::Node::Address(object) if comes_and_goes(object))
            };
            index_type(program, &Prophecy { sites }).is_ok() && !parts.any(is_address)
        };
        sites.filter(is_site).collect()
    }

    /// Some prophecies, the same for the same seed.
    fn some_prophecies(program: &Program, sites: &[Site], seed: u64) -> Vec<Prophecy> {
        let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut prophecies = Vec::new();
        for _ in 0..1 + seed % 2 {
            let mut prophecy = Prophecy::default();
            for _ in 0..1 + seed % 4 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let site = sites[(random % sites.len() as u64) as usize];
                prophecy.sites.push(site);
                if index_type(program, &prophecy).is_err() {
                    prophecy.sites.pop();
                }
            }
            prophecies.push(prophecy);
        }
        prophecies
    }

    #[test]
    fn errors_are_reached_exactly_if_they_were() {
        let (mut errors, mut others, mut missed) = (0, 0, 0);
        for text in programs() {
            let given = lowered(&text);
            let sites = all_sites(&given);
            for seed in 0..60 {
                let prophecies = some_prophecies(&given, &sites, seed);
                let prophesied = prophesy(&given, &prophecies).expect("these are sites");
                let program = &prophesied.passed.program;
                well_formed(program).expect("the result is a program");
                let before = execute(&given, &mut PlacedInputs::new(seed));
                let anything = vec![u128::from(seed % 5); prophecies.len()];
                let (first, last) = execute_prophesied(&given, &prophesied, seed, &anything);
                let (second, _) = execute_prophesied(&given, &prophesied, seed, &last);
                match before.outcome {
                    Outcome::Error(error) => {
                        let Outcome::Error(here) = second.outcome else {
                            panic!("{text}\n{prophecies:?}: {:?}", second.outcome);
                        };
                        let points = &prophesied.passed.back.locations[here.0 as usize];
                        assert_eq!(points[0], error);
                        errors += 1;
                        missed += usize::from(!matches!(first.outcome, Outcome::Error(_)));
                    }
                    _ => {
                        for run in [&first, &second] {
                            assert!(!matches!(run.outcome, Outcome::Error(_)), "{text}");
                        }
                        others += 1;
                    }
                }
            }
        }
        // A wrong prophecy hides errors: otherwise the flags would be for nothing.
        assert!(
            errors > 50 && others > 100 && missed > 20,
            "{errors} errors, {others} others, {missed} hidden"
        );
    }

    #[test]
    fn what_is_no_site_is_refused() {
        let program = lowered(
            "void reach_error(void); int a[9]; int get(int i) { return a[i]; }
            int main(void) { int n = 3; if (get(n) / n) reach_error(); return 0; }",
        );
        let pool = &program.pool;
        let expressions = || (0..pool.len() as u32).map(ExprId);
        let local = |function: &str| {
            let found = expressions().find(|&id| match pool.node(id) {
                cfa::expr::Node::Var(var) => {
                    let owner = program.var(var).function;
                    owner.is_some_and(|owner| program.function_name(owner) == function)
                }
                _ => false,
            });
            found.expect("it has variables")
        };
        let entry = |function: &str| {
            let mut functions = program.functions.iter();
            let found = functions.find(|info| program.names.get(info.name) == function);
            found.expect("it is there")
        };
        let refused = |location: LocId, index: ExprId| {
            let sites = vec![Site { location, index }];
            prophesy(&program, &[Prophecy { sites }]).err()
        };
        let (main, get) = (entry("main"), entry("get"));
        assert_eq!(refused(main.entry, local("main")), None);
        assert_eq!(refused(get.entry, local("main")), Some(NoSite::Index));
        assert_eq!(refused(main.exit, local("main")), Some(NoSite::Location));
        let error = program.errors[0].0;
        assert_eq!(refused(error, local("main")), Some(NoSite::Location));
        let far = LocId(u32::MAX);
        assert_eq!(refused(far, local("main")), Some(NoSite::Location));
        assert_eq!(refused(main.entry, ExprId(u32::MAX)), Some(NoSite::Index));
        let load = expressions().find(|&id| pool.reads_memory(id));
        let load = load.expect("the array is read");
        assert_eq!(refused(get.entry, load), Some(NoSite::Index));
        let site = Site {
            location: main.entry,
            index: local("main"),
        };
        let twice = Prophecy {
            sites: vec![site, site],
        };
        let none = Prophecy::default();
        for wrong in [twice, none] {
            let refused = prophesy(&program, &[wrong]).err();
            assert_eq!(refused, Some(NoSite::Several));
        }
    }
}
