//! From a witness to GraphML text.

use crate::model::{
    Content, Control, DataModel, Edge, Graph, Invariant, InvariantKind, Node, Segment, SourcePlace,
    WaypointKind, Witness,
};
use quick_xml::escape::escape;
use std::fmt::Write;

const KEYS: &[(&str, &str, &str)] = &[
    ("witness-type", "graph", "string"),
    ("sourcecodelang", "graph", "string"),
    ("producer", "graph", "string"),
    ("specification", "graph", "string"),
    ("programfile", "graph", "string"),
    ("programhash", "graph", "string"),
    ("architecture", "graph", "string"),
    ("creationtime", "graph", "string"),
    ("entry", "node", "boolean"),
    ("sink", "node", "boolean"),
    ("violation", "node", "boolean"),
    ("invariant", "node", "string"),
    ("invariant.scope", "node", "string"),
    ("originfile", "edge", "string"),
    ("assumption", "edge", "string"),
    ("assumption.scope", "edge", "string"),
    ("assumption.resultfunction", "edge", "string"),
    ("control", "edge", "string"),
    ("startline", "edge", "int"),
    ("endline", "edge", "int"),
    ("enterLoopHead", "edge", "boolean"),
    ("enterFunction", "edge", "string"),
    ("returnFrom", "edge", "string"),
];

struct Text(String);

impl Text {
    fn line(&mut self, depth: usize, line: &str) {
        // Writing to a String does not fail.
        let _ = writeln!(self.0, "{:1$}{line}", "", 2 * depth);
    }

    fn data(&mut self, depth: usize, key: &str, value: &str) {
        let value = escape(value);
        self.line(depth, &format!("<data key=\"{key}\">{value}</data>"));
    }

    fn element(&mut self, head: &str, name: &str, data: &[(&str, String)]) {
        if data.is_empty() {
            self.line(2, &format!("<{head}/>"));
            return;
        }
        self.line(2, &format!("<{head}>"));
        for (key, value) in data {
            self.data(3, key, value);
        }
        self.line(2, &format!("</{name}>"));
    }
}

/// The witness as GraphML 1.0.
pub fn write(witness: &Witness) -> String {
    let metadata = &witness.metadata;
    let mut text = Text(String::new());
    text.line(
        0,
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>",
    );
    text.line(
        0,
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">",
    );
    for (id, owner, kind) in KEYS {
        let line =
            format!("<key id=\"{id}\" attr.name=\"{id}\" for=\"{owner}\" attr.type=\"{kind}\"/>");
        text.line(1, &line);
    }
    text.line(1, "<graph edgedefault=\"directed\">");
    let kind = if witness.claims_safety() {
        "correctness_witness"
    } else {
        "violation_witness"
    };
    let (file, hash) = match metadata.files.first() {
        Some((file, hash)) => (file.as_str(), hash.as_deref()),
        None => ("", None),
    };
    let architecture = match metadata.data_model {
        Some(DataModel::Ilp32) => "32bit",
        _ => "64bit",
    };
    for (key, value) in [
        ("witness-type", kind),
        ("sourcecodelang", "C"),
        ("producer", metadata.producer.as_str()),
        ("specification", metadata.specification.as_str()),
        ("programfile", file),
        ("programhash", hash.unwrap_or_default()),
        ("architecture", architecture),
        ("creationtime", metadata.creation_time.as_str()),
    ] {
        text.data(2, key, value);
    }
    match &witness.content {
        Content::Invariants(invariants) => write_invariants(&mut text, &invariants.list),
        Content::Sequence(segments) => write_graph(&mut text, &chain(segments)),
        Content::Graph(graph) => write_graph(&mut text, graph),
    }
    text.line(1, "</graph>");
    text.line(0, "</graphml>");
    text.0
}

fn write_invariants(text: &mut Text, list: &[Invariant]) {
    text.element("node id=\"start\"", "node", &[("entry", "true".into())]);
    for (number, invariant) in list.iter().enumerate() {
        let mut data = vec![("invariant", invariant.value.clone())];
        if let Some(function) = &invariant.place.function {
            data.push(("invariant.scope", function.clone()));
        }
        text.element(&format!("node id=\"at{number}\""), "node", &data);
        let mut data = place_data(&invariant.place);
        if invariant.kind == InvariantKind::Loop {
            data.push(("enterLoopHead", "true".into()));
        }
        let head = format!("edge source=\"start\" target=\"at{number}\"");
        text.element(&head, "edge", &data);
    }
}

fn place_data(place: &SourcePlace) -> Vec<(&'static str, String)> {
    vec![
        ("originfile", place.file.clone()),
        ("startline", place.line.to_string()),
        ("endline", place.line.to_string()),
    ]
}

/// The automaton of a sequence. What is to be avoided leads into the sink.
fn chain(segments: &[Segment]) -> Graph {
    let node = |name: String| Node {
        name,
        ..Node::default()
    };
    let mut nodes: Vec<Node> = (0..=segments.len())
        .map(|i| node(format!("n{i}")))
        .collect();
    nodes[segments.len()].is_violation = true;
    let sink = nodes.len();
    let mut edges = Vec::new();
    for (number, segment) in segments.iter().enumerate() {
        let avoided = segment.avoid.iter().map(|waypoint| (waypoint, sink));
        for (waypoint, target) in avoided.chain([(&segment.follow, number + 1)]) {
            let place = &waypoint.place;
            let mut edge = Edge {
                source: number,
                target,
                file: Some(place.file.clone()),
                lines: Some((place.line, place.line)),
                ..Edge::default()
            };
            match &waypoint.kind {
                WaypointKind::Assumption(value) => edge.assumption = Some(value.clone()),
                WaypointKind::Branching(value) => {
                    edge.control = match value.as_str() {
                        "true" => Some(Control::True),
                        "false" => Some(Control::False),
                        _ => None,
                    }
                }
                WaypointKind::FunctionReturn(value) => {
                    edge.assumption = Some(value.clone());
                    edge.scope = place.function.clone();
                    edge.result_function = waypoint.callee.clone();
                }
                WaypointKind::FunctionEnter | WaypointKind::Target => {}
            }
            edges.push(edge);
        }
    }
    if edges.iter().any(|edge| edge.target == sink) {
        nodes.push(Node {
            is_sink: true,
            ..node("sink".into())
        });
    }
    Graph {
        nodes,
        edges,
        entry: 0,
    }
}

fn write_graph(text: &mut Text, graph: &Graph) {
    for (number, node) in graph.nodes.iter().enumerate() {
        let mut data = Vec::new();
        for (is, key) in [
            (number == graph.entry, "entry"),
            (node.is_violation, "violation"),
            (node.is_sink, "sink"),
        ] {
            if is {
                data.push((key, "true".to_string()));
            }
        }
        text.element(
            &format!("node id=\"{}\"", escape(&node.name)),
            "node",
            &data,
        );
    }
    for edge in &graph.edges {
        let name = |node: usize| escape(graph.nodes[node].name.as_str());
        let head = format!(
            "edge source=\"{}\" target=\"{}\"",
            name(edge.source),
            name(edge.target)
        );
        let mut data = Vec::new();
        let mut put = |key, value: &Option<String>| {
            if let Some(value) = value {
                data.push((key, value.clone()));
            }
        };
        put("originfile", &edge.file);
        put("startline", &edge.lines.map(|(first, _)| first.to_string()));
        put("endline", &edge.lines.map(|(_, last)| last.to_string()));
        put(
            "control",
            &edge.control.map(|control| match control {
                Control::True => "condition-true".to_string(),
                Control::False => "condition-false".to_string(),
            }),
        );
        put("enterFunction", &edge.enter_function);
        put("returnFrom", &edge.return_from);
        put("assumption", &edge.assumption);
        put("assumption.scope", &edge.scope);
        put("assumption.resultfunction", &edge.result_function);
        text.element(&head, "edge", &data);
    }
}
