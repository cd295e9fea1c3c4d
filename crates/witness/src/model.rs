//! What witnesses say, whatever their format.

/// Sizes of C's types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataModel {
    Ilp32,
    Lp64,
}

impl DataModel {
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }

    /// `ILP32`, `LP64`, and GraphML's `32bit`, `64bit`.
    pub fn named(name: &str) -> Option<DataModel> {
        match name.trim().to_ascii_uppercase().as_str() {
            "ILP32" | "32BIT" => Some(DataModel::Ilp32),
            "LP64" | "64BIT" => Some(DataModel::Lp64),
            _ => None,
        }
    }
}

/// Who says it, and about what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metadata {
    pub producer: String,
    pub producer_version: String,
    pub creation_time: String,
    pub uuid: String,
    /// Each input file with the SHA-256 of its bytes, where the witness states it.
    pub files: Vec<(String, Option<String>)>,
    /// As in a property file: `CHECK( init(main()), LTL(…) )`; some tools write only the formula.
    pub specification: String,
    pub data_model: Option<DataModel>,
}

impl Metadata {
    /// The same files, property and data model.
    pub fn is_about_the_same(&self, other: &Metadata) -> bool {
        let about = |it: &Metadata| (it.files.clone(), it.specification.clone(), it.data_model);
        about(self) == about(other)
    }
}

/// A place in the source text; lines and columns count from one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SourcePlace {
    pub file: String,
    pub line: u32,
    pub column: Option<u32>,
    pub function: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvariantKind {
    /// At the head of the loop that begins at the place.
    Loop,
    /// Just before the statement that begins at the place.
    Location,
    /// Behind the steps of a graph that come to it.
    Behind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    pub kind: InvariantKind,
    pub place: SourcePlace,
    /// A C expression.
    pub value: String,
    /// In a graph: the steps that come to the invariant's node; for a loop they enter it.
    pub steps: Vec<Edge>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WaypointKind {
    /// The C expression is true just before the place.
    Assumption(String),
    /// The branching statement at the place decides so: `true`, `false`, a case's value or
    /// `default`.
    Branching(String),
    /// The call that ends at the place enters its function.
    FunctionEnter,
    /// The call that ends at the place returns, with a constraint on `\result`.
    FunctionReturn(String),
    /// The property is violated by the statement at the place.
    Target,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    pub kind: WaypointKind,
    pub place: SourcePlace,
    /// The function that is called there, where somebody knows it.
    pub callee: Option<String>,
}

/// Executions come to `follow` without passing any of `avoid` before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    pub avoid: Vec<Waypoint>,
    pub follow: Waypoint,
}

/// What a branch decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    True,
    False,
}

/// An automaton over the program's steps. A step that no edge of the current node matches changes
/// nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Index into `nodes`.
    pub entry: usize,
}

impl Graph {
    /// Is there a way through the graph from its entry to a violation?
    pub fn has_way_to_violation(&self) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = vec![self.entry];
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            if self.nodes[node].is_violation {
                return true;
            }
            let leaving = self.edges.iter().filter(|edge| edge.source == node);
            open.extend(leaving.map(|edge| edge.target));
        }
        false
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Node {
    pub name: String,
    pub is_violation: bool,
    pub is_sink: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edge {
    pub source: usize,
    pub target: usize,
    pub file: Option<String>,
    /// First and last line of the step.
    pub lines: Option<(u32, u32)>,
    /// First and last character of the step, counted from the beginning of the file.
    pub offsets: Option<(u32, Option<u32>)>,
    /// The step leads to the head of a loop.
    pub enters_loop: bool,
    pub control: Option<Control>,
    pub enter_function: Option<String>,
    pub return_from: Option<String>,
    /// A C expression that holds after the step; `\result` is what `result_function` returned.
    pub assumption: Option<String>,
    /// The function whose names the assumption uses.
    pub scope: Option<String>,
    pub result_function: Option<String>,
}

/// What holds where.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invariants {
    pub list: Vec<Invariant>,
    /// Something right that is said besides and that nobody here checks.
    pub unchecked: Option<String>,
}

impl From<Vec<Invariant>> for Invariants {
    fn from(list: Vec<Invariant>) -> Invariants {
        Invariants {
            list,
            unchecked: None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// The property holds, and these help to prove it.
    Invariants(Invariants),
    /// The property is violated by executions that pass these segments; the last one ends in the
    /// target.
    Sequence(Vec<Segment>),
    /// The property is violated by executions that the automaton accepts.
    Graph(Graph),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    pub metadata: Metadata,
    pub content: Content,
}

impl Witness {
    pub fn claims_safety(&self) -> bool {
        matches!(self.content, Content::Invariants(_))
    }
}
