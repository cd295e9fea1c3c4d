//! What a program is made of, as far as it tells which analyses are worth their time.

use crate::regions::places::recursive_functions;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp};
use cfa::op::{Contents, Op};
use cfa::order::Order;
use cfa::program::{FuncId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// Something that a program may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Feature {
    /// A loop, or recursion.
    Loops,
    Recursion,
    /// Anything that is not determined by the program: inputs, or memory with arbitrary contents.
    Inputs,
    Floats,
    /// Writes to memory.
    Memory,
    /// A variable or cell that is compared with many constants (a state, a program counter), or a
    /// program that does hardly anything else than to compare variables with constants.
    States,
}

impl Feature {
    pub const ALL: [(&'static str, Feature); 6] = [
        ("loops", Feature::Loops),
        ("recursion", Feature::Recursion),
        ("inputs", Feature::Inputs),
        ("floats", Feature::Floats),
        ("memory", Feature::Memory),
        ("states", Feature::States),
    ];
}

/// With so many constants that it is compared with, something is a state.
const MANY_STATES: usize = 6;
/// So many conditions that only compare variables with constants make a program one that reacts to
/// states, if they are so large a part of all of its conditions.
const MANY_REACTIONS: usize = 100;
const PART_OF_REACTIONS: f64 = 0.8;

/// The features of a program.
#[derive(Clone, Debug, Default)]
pub struct Features(FxHashSet<Feature>);

impl Features {
    pub fn of(program: &Program) -> Features {
        let pool = &program.pool;
        let mut found = FxHashSet::default();
        if !recursive_functions(program).is_empty() {
            found.extend([Feature::Recursion, Feature::Loops]);
        }
        let mut functions = (0..program.functions.len()).map(|number| FuncId(number as u32));
        if functions.any(|function| !Order::of(program, function).loops.is_empty()) {
            found.insert(Feature::Loops);
        }
        if program.vars.iter().any(|var| var.ty.is_float()) {
            found.insert(Feature::Floats);
        }
        let mut compared: FxHashMap<ExprId, FxHashSet<ExprId>> = FxHashMap::default();
        let (mut conditions, mut reactions) = (0usize, 0usize);
        for edge in &program.edges {
            match program.op(edge.op) {
                Op::Havoc(..) => {
                    found.insert(Feature::Inputs);
                }
                Op::Begin { contents, .. } | Op::Allocate { contents, .. }
                    if *contents != Contents::Zero =>
                {
                    found.insert(Feature::Inputs);
                }
                Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } => {
                    found.insert(Feature::Memory);
                }
                Op::Assume(condition) => {
                    conditions += 1;
                    reactions += usize::from(is_reaction(pool, *condition));
                    if let Some((subject, constant)) = pool.compared_with_constant(*condition)
                        && matches!(pool.node(subject), Node::Var(_) | Node::Load { .. })
                    {
                        compared.entry(subject).or_default().insert(constant);
                    }
                }
                _ => {}
            }
        }
        let reacts = reactions >= MANY_REACTIONS
            && reactions as f64 >= conditions as f64 * PART_OF_REACTIONS;
        let mut constants = compared.values().map(FxHashSet::len);
        if reacts || constants.any(|constants| constants >= MANY_STATES) {
            found.insert(Feature::States);
        }
        Features(found)
    }

    pub fn has(&self, feature: Feature) -> bool {
        self.0.contains(&feature)
    }
}

/// Does the condition only compare variables with constants?
fn is_reaction(pool: &ExprPool, condition: ExprId) -> bool {
    let mut open = vec![condition];
    while let Some(id) = open.pop() {
        match pool.node(id) {
            Node::Unary(UnOp::Not, inner) => open.push(inner),
            Node::Binary(BinOp::BoolAnd | BinOp::BoolOr, a, b) => open.extend([a, b]),
            _ if pool.variable_against_constant(id).is_some() => {}
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::lowered;

    fn features(text: &str) -> Vec<Feature> {
        let found = Features::of(&lowered(text));
        let all = Feature::ALL.map(|(_, feature)| feature);
        all.into_iter()
            .filter(|&feature| found.has(feature))
            .collect()
    }

    #[test]
    fn what_programs_are_made_of() {
        assert_eq!(features("int main(void) { return 1 + 2; }"), []);
        assert_eq!(
            features("int main(void) { int i = 0; while (i < 3) i++; return i; }"),
            [Feature::Loops]
        );
        assert_eq!(
            features("int f(int n) { return n ? f(n - 1) : 0; } int main(void) { return f(3); }"),
            [Feature::Loops, Feature::Recursion]
        );
        let inputs = "extern int __VERIFIER_nondet_int(void); int main(void) {
            double d = __VERIFIER_nondet_int(); return d > 1.0; }";
        assert_eq!(features(inputs), [Feature::Inputs, Feature::Floats]);
    }

    #[test]
    fn many_constants_are_states() {
        let cases = |count: usize| {
            let cases =
                (0..count).map(|number| format!("case {number}: s = {}; break;", number + 1));
            let cases: Vec<String> = cases.collect();
            format!(
                "int main(void) {{ int s = 0; while (s >= 0) switch (s) {{ {} }} return s; }}",
                cases.join(" ")
            )
        };
        assert!(features(&cases(8)).contains(&Feature::States));
        assert!(!features(&cases(3)).contains(&Feature::States));
    }

    #[test]
    fn many_reactions_are_states() {
        let rules = |count: usize| {
            let rules =
                (0..count).map(|number| format!("if (a == {} && b > 2) a = b;", number % 3));
            let rules: Vec<String> = rules.collect();
            format!(
                "int a, b; int main(void) {{ {} return 0; }}",
                rules.join(" ")
            )
        };
        assert!(features(&rules(60)).contains(&Feature::States));
        assert!(!features(&rules(10)).contains(&Feature::States));
    }
}
