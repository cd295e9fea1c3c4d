//! What the parts of a program are called in a file that later versions read: numbers change with
//! every edit, names and the statements around a place mostly do not.

use cfa::expr::{ExprId, Node, VarId};
use cfa::memory::{ObjectId, RegionId};
use cfa::op::{Halt, Op, Print};
use cfa::program::{EdgeId, LocId, Program, VariableKind};
use facts::names::unique;
use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

/// Pairs of locations that are compared to align two versions of a function; larger functions are
/// aligned at their beginning and end only.
const MAX_COMPARED: usize = 4_000_000;

/// A location: the number of its function in [`Shape::functions`], and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct At(pub u32, pub u32);

/// An edge: the location that it leaves, and which of those it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Leaving(pub At, pub u32);

/// What a program looks like from outside: for each function its name, and for each of its
/// locations a hash of the statements that leave it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shape {
    pub functions: Vec<(String, Vec<u64>)>,
}

/// The names of a program's variables, objects and regions, and the numbers of its locations
/// within their functions.
pub struct Names<'p> {
    pub program: &'p Program,
    of_var: Vec<String>,
    vars: FxHashMap<String, VarId>,
    of_object: Vec<String>,
    objects: FxHashMap<String, ObjectId>,
    of_region: Vec<String>,
    regions: FxHashMap<String, RegionId>,
    /// For each function its locations, in their order.
    locations: Vec<Vec<LocId>>,
    /// For each location its number in its function.
    ordinals: Vec<u32>,
}

/// The name of a variable without what an edit elsewhere would change: temporaries are numbered
/// over the whole program.
fn base_name(program: &Program, var: VarId) -> &str {
    let var = program.var(var);
    match var.kind {
        VariableKind::Temporary => var.name.trim_end_matches(|c: char| c.is_ascii_digit()),
        _ => &var.name,
    }
}

impl<'p> Names<'p> {
    pub fn of(program: &'p Program) -> Names<'p> {
        let vars = (0..program.vars.len() as u32).map(|number| {
            let function = program.var(VarId(number)).function;
            let function = function.map(|function| program.function_name(function));
            let name = base_name(program, VarId(number));
            format!("{}::{name}", function.unwrap_or_default())
        });
        let (of_var, vars) = unique(vars, VarId);
        let objects = program.objects.iter().map(|object| object.name.clone());
        let (of_object, objects) = unique(objects, ObjectId);
        let regions = program.regions.iter().map(|region| region.name.clone());
        let (of_region, regions) = unique(regions, RegionId);
        let mut locations = vec![Vec::new(); program.functions.len()];
        let mut ordinals = Vec::with_capacity(program.locations.len());
        for (number, location) in program.locations.iter().enumerate() {
            let list = &mut locations[location.function.0 as usize];
            ordinals.push(list.len() as u32);
            list.push(LocId(number as u32));
        }
        Names {
            program,
            of_var,
            vars,
            of_object,
            objects,
            of_region,
            regions,
            locations,
            ordinals,
        }
    }

    pub fn of_var(&self, var: VarId) -> Option<&str> {
        self.of_var.get(var.0 as usize).map(String::as_str)
    }

    pub fn of_object(&self, object: ObjectId) -> Option<&str> {
        self.of_object.get(object.0 as usize).map(String::as_str)
    }

    pub fn of_region(&self, region: RegionId) -> Option<&str> {
        self.of_region.get(region.0 as usize).map(String::as_str)
    }

    pub fn var(&self, name: &str) -> Option<VarId> {
        self.vars.get(name).copied()
    }

    pub fn object(&self, name: &str) -> Option<ObjectId> {
        self.objects.get(name).copied()
    }

    pub fn region(&self, name: &str) -> Option<RegionId> {
        self.regions.get(name).copied()
    }

    pub fn at(&self, location: LocId) -> Option<At> {
        let &ordinal = self.ordinals.get(location.0 as usize)?;
        Some(At(self.program.location(location).function.0, ordinal))
    }

    pub fn leaving(&self, edge: EdgeId) -> Option<Leaving> {
        let source = self.program.edges.get(edge.0 as usize)?.source;
        let mut outgoing = self.program.location(source).outgoing.iter();
        let number = outgoing.position(|&other| other == edge)?;
        Some(Leaving(self.at(source)?, number as u32))
    }

    pub fn shape(&self) -> Shape {
        let mut signatures = Signatures {
            program: self.program,
            expressions: FxHashMap::default(),
        };
        let functions = self.program.functions.iter().zip(&self.locations);
        let functions = functions.map(|(function, locations)| {
            let name = self.program.names.get(function.name).to_owned();
            let signed = locations.iter().map(|&at| signatures.location(at));
            (name, signed.collect())
        });
        Shape {
            functions: functions.collect(),
        }
    }

    /// What the whole program is, as one number: equal for programs that differ in comments,
    /// layout, or code that is never called.
    pub fn key(&self, shape: &Shape) -> String {
        let mut text = format!("{:?}\n{:?}\n", self.program.model, shape);
        for edge in &self.program.edges {
            text += &format!("{:?} {:?};", self.at(edge.source), self.at(edge.target));
        }
        for (location, kind) in &self.program.errors {
            text += &format!("{:?} {kind:?};", self.at(*location));
        }
        for (var, name) in self.program.vars.iter().zip(&self.of_var) {
            text += &format!("{name} {:?};", var.ty);
        }
        for object in &self.program.objects {
            text += &format!("{} {:?} {};", object.name, object.size, object.align);
        }
        witness::hash_of(text.as_bytes())
    }
}

/// Hashes of statements without the numbers of the program that they stand in.
struct Signatures<'p> {
    program: &'p Program,
    expressions: FxHashMap<ExprId, u64>,
}

impl Signatures<'_> {
    fn location(&mut self, at: LocId) -> u64 {
        let location = self.program.location(at);
        let mut hasher = FxHasher::default();
        location.kind.hash(&mut hasher);
        for &edge in &location.outgoing {
            self.operation(self.program.edge_op(edge), &mut hasher);
        }
        hasher.finish()
    }

    fn operation(&mut self, op: &Op, hasher: &mut FxHasher) {
        std::mem::discriminant(op).hash(hasher);
        let program = self.program;
        if let Some(var) = op.written_variable() {
            base_name(program, var).hash(hasher);
        }
        for part in op.expressions() {
            self.expression(part).hash(hasher);
        }
        let mut object = |id: &ObjectId| program.object(*id).name.hash(hasher);
        match op {
            Op::Begin {
                object: id,
                contents,
            }
            | Op::Allocate {
                object: id,
                contents,
                ..
            } => {
                object(id);
                contents.hash(hasher);
            }
            Op::End(id) | Op::Reallocate { object: id, .. } => object(id),
            Op::Call { function, .. } => program.function_name(*function).hash(hasher),
            Op::Print(Print { kind, .. }) => kind.hash(hasher),
            Op::Halt(Halt::Undefined(text) | Halt::Unsupported(text)) => text.hash(hasher),
            Op::Halt(halt) => std::mem::discriminant(halt).hash(hasher),
            _ => {}
        }
    }

    fn expression(&mut self, root: ExprId) -> u64 {
        let pool = &self.program.pool;
        for id in pool.parts_first(root) {
            if self.expressions.contains_key(&id) {
                continue;
            }
            let node = pool.node(id);
            let mut hasher = FxHasher::default();
            std::mem::discriminant(&node).hash(&mut hasher);
            pool.ty(id).hash(&mut hasher);
            match node {
                Node::Const(bits) => bits.hash(&mut hasher),
                Node::Var(var) => base_name(self.program, var).hash(&mut hasher),
                Node::Address(object) => self.program.object(object).name.hash(&mut hasher),
                Node::Unary(op, _) => op.hash(&mut hasher),
                Node::Binary(op, ..) => op.hash(&mut hasher),
                Node::Ite(..) | Node::Fma(..) | Node::Load { .. } => {}
            }
            for child in node.children() {
                self.expressions[&child].hash(&mut hasher);
            }
            self.expressions.insert(id, hasher.finish());
        }
        self.expressions[&root]
    }
}

/// Which location of this program stands for which of another version.
pub struct Alignment {
    functions: Vec<Vec<Option<LocId>>>,
}

impl Alignment {
    pub fn new(old: &Shape, names: &Names<'_>, new: &Shape) -> Alignment {
        let numbers = new.functions.iter().enumerate();
        let numbers: FxHashMap<&str, usize> = numbers
            .map(|(number, (name, _))| (name.as_str(), number))
            .collect();
        let functions = old.functions.iter().map(|(name, before)| {
            let Some(&number) = numbers.get(name.as_str()) else {
                return vec![None; before.len()];
            };
            let locations = &names.locations[number];
            let found = aligned(before, &new.functions[number].1);
            let found = found.into_iter();
            found.map(|at| at.map(|at| locations[at])).collect()
        });
        Alignment {
            functions: functions.collect(),
        }
    }

    pub fn location(&self, at: At) -> Option<LocId> {
        let function = self.functions.get(at.0 as usize)?;
        *function.get(at.1 as usize)?
    }

    pub fn edge(&self, program: &Program, edge: Leaving) -> Option<EdgeId> {
        let source = self.location(edge.0)?;
        let outgoing = &program.location(source).outgoing;
        outgoing.get(edge.1 as usize).copied()
    }
}

/// For each element of the first list its partner in the second: a longest common subsequence.
fn aligned(old: &[u64], new: &[u64]) -> Vec<Option<usize>> {
    let mut found = vec![None; old.len()];
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    for (number, partner) in found[..same].iter_mut().enumerate() {
        *partner = Some(number);
    }
    let (old_rest, new_rest) = (&old[same..], &new[same..]);
    let ends = old_rest.iter().rev().zip(new_rest.iter().rev());
    let end = ends.take_while(|(a, b)| a == b).count();
    for back in 1..=end {
        found[old.len() - back] = Some(new.len() - back);
    }
    let old_rest = &old_rest[..old_rest.len() - end];
    let new_rest = &new_rest[..new_rest.len() - end];
    if old_rest.len().saturating_mul(new_rest.len()) > MAX_COMPARED {
        return found;
    }
    // The length of the longest common subsequence of what is left from each pair on.
    let width = new_rest.len() + 1;
    let mut lengths = vec![0u32; (old_rest.len() + 1) * width];
    for i in (0..old_rest.len()).rev() {
        for j in (0..new_rest.len()).rev() {
            lengths[i * width + j] = match old_rest[i] == new_rest[j] {
                true => lengths[(i + 1) * width + j + 1] + 1,
                false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old_rest.len() && j < new_rest.len() {
        if old_rest[i] == new_rest[j] {
            found[same + i] = Some(same + j);
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;

    #[test]
    fn lists_are_aligned_around_what_changed() {
        let some = |list: &[usize]| list.iter().map(|&at| Some(at)).collect::<Vec<_>>();
        assert_eq!(aligned(&[1, 2, 3], &[1, 2, 3]), some(&[0, 1, 2]));
        assert_eq!(aligned(&[1, 2, 3], &[1, 9, 2, 3]), some(&[0, 2, 3]));
        assert_eq!(
            aligned(&[1, 5, 2, 6, 3], &[1, 2, 8, 3]),
            [Some(0), None, Some(1), None, Some(3)]
        );
        assert_eq!(aligned(&[1], &[]), [None]);
        assert_eq!(aligned(&[], &[1]), []);
        assert_eq!(aligned(&[1, 1], &[1]), [Some(0), None]);
    }

    fn key(text: &str) -> String {
        let case = Case::of_text(text).expect("a correct program");
        let names = Names::of(&case.views.split);
        names.key(&names.shape())
    }

    #[test]
    fn the_key_changes_with_what_is_executed_and_with_nothing_else() {
        let text = "int nondet(void); void reach_error(void);
            int twice(int x) { return x > 100 ? 0 : 2 * x; }
            int main(void) { int x = twice(nondet()); if (x == 7) reach_error(); return 0; }";
        let uncalled = "int never_called(int y) { return y ? y++ : 3; } int twice";
        for same in ["/* doubles */\n\nint  twice", uncalled] {
            let same = text.replace("int twice", same);
            assert_eq!(key(text), key(&same), "{same}");
        }
        let turned = "if (x == 7) return 0; reach_error();";
        for (from, to) in [
            ("x == 7", "x == 8"),
            ("2 * x", "2 + x"),
            ("x > 100", "x >= 100"),
            ("int x = twice", "long long x = twice"),
            ("if (x == 7) reach_error(); return 0;", turned),
        ] {
            let other = text.replace(from, to);
            assert_ne!(key(text), key(&other), "{other}");
        }
    }
}
