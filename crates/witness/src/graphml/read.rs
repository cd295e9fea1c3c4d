//! From GraphML text to a witness.

use crate::Malformed;
use crate::model::{
    Content, Control, DataModel, Edge, Graph, Invariant, InvariantKind, Invariants, Metadata, Node,
    SourcePlace, Witness,
};
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use std::collections::BTreeMap;

type Data = BTreeMap<String, String>;

/// The elements as they stand in the text.
#[derive(Default)]
struct Raw {
    /// Keys whose ids are not the names that everybody uses.
    keys: BTreeMap<String, String>,
    /// What a key stands for where an element does not say: by name.
    defaults: Data,
    graph: Data,
    nodes: Vec<(String, Data)>,
    edges: Vec<(String, String, Data)>,
}

fn malformed(text: impl Into<String>) -> Malformed {
    Malformed(text.into())
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Result<Option<String>, Malformed> {
    let broken = |error: &dyn std::fmt::Display| malformed(format!("broken XML: {error}"));
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| broken(&error))?;
        if attribute.key.into_inner() == name {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            return Ok(Some(value.map_err(|error| broken(&error))?.into_owned()));
        }
    }
    Ok(None)
}

fn needed(element: &BytesStart<'_>, name: &str) -> Result<String, Malformed> {
    let what = element.name().into_inner().to_string();
    attribute(element, name)?.ok_or_else(|| malformed(format!("<{what}> without '{name}'")))
}

/// Where the `data` element that is being read belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Nobody,
    Graph,
    Node,
    Edge,
}

fn parse(text: &str) -> Result<Raw, Malformed> {
    let mut reader = Reader::from_str(text);
    let mut raw = Raw::default();
    let mut owner = Owner::Nobody;
    let mut has_graph = false;
    let mut key = None;
    let mut default_of = None;
    let mut words = String::new();
    let mut depth = 0usize;
    loop {
        let event = reader.read_event().map_err(|error| {
            let at = (reader.error_position() as usize).min(text.len());
            let line = text.as_bytes()[..at]
                .iter()
                .filter(|&&byte| byte == b'\n')
                .count()
                + 1;
            malformed(format!("broken XML in line {line}: {error}"))
        })?;
        match event {
            Event::Start(ref element) | Event::Empty(ref element) => {
                let is_empty = matches!(event, Event::Empty(_));
                depth += usize::from(!is_empty);
                match element.local_name().into_inner() {
                    "key" => {
                        let id = needed(element, "id")?;
                        let name = attribute(element, "attr.name")?.unwrap_or_default();
                        if !NAMES.contains(&id.as_str()) && NAMES.contains(&name.as_str()) {
                            raw.keys.insert(id.clone(), name);
                        }
                        default_of = (!is_empty).then_some(id);
                    }
                    "graph" | "node" | "edge" if matches!(owner, Owner::Node | Owner::Edge) => {
                        return Err(malformed("an element inside a node or an edge"));
                    }
                    "graph" => {
                        if std::mem::replace(&mut has_graph, true) {
                            return Err(malformed("there is more than one <graph>"));
                        }
                        owner = Owner::Graph;
                    }
                    "node" => {
                        raw.nodes.push((needed(element, "id")?, Data::new()));
                        owner = if is_empty { Owner::Graph } else { Owner::Node };
                    }
                    "edge" => {
                        let (source, target) =
                            (needed(element, "source")?, needed(element, "target")?);
                        raw.edges.push((source, target, Data::new()));
                        owner = if is_empty { Owner::Graph } else { Owner::Edge };
                    }
                    "data" => {
                        key = Some(needed(element, "key")?);
                        words.clear();
                    }
                    "default" => words.clear(),
                    _ => {}
                }
            }
            Event::Text(text) => words.push_str(&text.xml10_content()),
            Event::CData(text) => words.push_str(&text.xml10_content()),
            Event::GeneralRef(entity) => {
                let known = match entity.resolve_char_ref() {
                    Ok(Some(character)) => Some(character.to_string()),
                    _ => quick_xml::escape::resolve_predefined_entity(&entity.xml10_content())
                        .map(str::to_string),
                };
                words.push_str(&known.ok_or_else(|| malformed("an unknown entity"))?);
            }
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                match element.local_name().into_inner() {
                    "key" => default_of = None,
                    "default" => {
                        if let Some(id) = &default_of {
                            let name = raw.keys.get(id).unwrap_or(id).clone();
                            raw.defaults.insert(name, words.trim().to_string());
                        }
                    }
                    "node" | "edge" => owner = Owner::Graph,
                    "graph" => owner = Owner::Nobody,
                    "data" => {
                        let Some(id) = key.take() else { continue };
                        let name = raw.keys.get(&id).cloned().unwrap_or(id);
                        let data = match owner {
                            Owner::Graph => Some(&mut raw.graph),
                            Owner::Node => raw.nodes.last_mut().map(|(_, data)| data),
                            Owner::Edge => raw.edges.last_mut().map(|(_, _, data)| data),
                            Owner::Nobody => None,
                        };
                        if let Some(data) = data {
                            put(data, name, words.trim())?;
                        }
                    }
                    _ => {}
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if depth > 0 {
        return Err(malformed("broken XML: the text ends inside an element"));
    }
    if !has_graph {
        return Err(malformed(
            "there is no <graph>: this is not a GraphML witness",
        ));
    }
    Ok(raw)
}

/// Two values of one key leave open which of them is meant.
fn put(data: &mut Data, name: String, value: &str) -> Result<(), Malformed> {
    match data.get(&name) {
        Some(before) if before != value && NAMES.contains(&name.as_str()) => Err(malformed(
            format!("'{name}' is given twice: '{before}' and '{value}'"),
        )),
        _ => {
            data.insert(name, value.to_string());
            Ok(())
        }
    }
}

/// Ids of keys that the format fixes; some tools number their keys and give these as names.
const NAMES: &[&str] = &[
    "witness-type",
    "sourcecodelang",
    "producer",
    "specification",
    "programfile",
    "programhash",
    "architecture",
    "creationtime",
    "entry",
    "sink",
    "violation",
    "invariant",
    "invariant.scope",
    "assumption",
    "assumption.scope",
    "assumption.resultfunction",
    "control",
    "startline",
    "endline",
    "startoffset",
    "endoffset",
    "enterLoopHead",
    "enterFunction",
    "returnFrom",
    "returnFromFunction",
    "originfile",
];

/// Reads a witness.
pub fn read(text: &str) -> Result<Witness, Malformed> {
    let raw = parse(text)?;
    let needed = |name: &str| {
        let found = raw.graph.get(name).or_else(|| raw.defaults.get(name));
        found.filter(|value| !value.is_empty()).cloned()
    };
    let wanted =
        |name: &str| needed(name).ok_or_else(|| malformed(format!("there is no '{name}'")));
    let kind = wanted("witness-type")?;
    let language = wanted("sourcecodelang")?;
    if !crate::yaml::is_c(&language) {
        return Err(malformed(format!("'{language}' is not the language C")));
    }
    let file = wanted("programfile")?;
    let architecture = wanted("architecture")?;
    let data_model = DataModel::named(&architecture);
    if data_model.is_none() {
        let text = format!("'{architecture}' is not a known architecture");
        return Err(malformed(text));
    }
    let metadata = Metadata {
        producer: wanted("producer")?,
        producer_version: "unknown".into(),
        creation_time: needed("creationtime").unwrap_or_default(),
        uuid: String::new(),
        files: vec![(file.clone(), needed("programhash"))],
        specification: wanted("specification")?,
        data_model,
    };
    truths(&raw)?;
    let content = match kind.as_str() {
        "violation_witness" => Content::Graph(graph(&raw)?),
        "correctness_witness" => Content::Invariants(invariants(&raw, &file)?),
        other => return Err(malformed(format!("'{other}' is not a known witness-type"))),
    };
    Ok(Witness { metadata, content })
}

fn is_true(data: &Data, name: &str) -> bool {
    data.get(name).is_some_and(|value| value == "true")
}

/// What is neither true nor false says nothing.
fn truths(raw: &Raw) -> Result<(), Malformed> {
    let nodes = raw.nodes.iter().map(|(_, data)| data);
    for data in nodes.chain(raw.edges.iter().map(|(_, _, data)| data)) {
        for name in ["entry", "sink", "violation", "enterLoopHead"] {
            if let Some(other) = data.get(name)
                && !matches!(other.as_str(), "true" | "false")
            {
                return Err(malformed(format!("{name} '{other}' is not a truth value")));
            }
        }
        for name in ["startoffset", "endoffset"] {
            number(data, name)?;
        }
    }
    Ok(())
}

fn number(data: &Data, name: &str) -> Result<Option<u32>, Malformed> {
    match data.get(name) {
        None => Ok(None),
        Some(text) => match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(malformed(format!("{name} '{text}' is not a number"))),
        },
    }
}

fn lines(data: &Data) -> Result<Option<(u32, u32)>, Malformed> {
    let first = number(data, "startline")?;
    let last = number(data, "endline")?;
    let Some(first) = first else { return Ok(None) };
    let last = last.unwrap_or(first);
    if last < first {
        return Err(malformed(format!(
            "a step from line {first} to line {last}"
        )));
    }
    Ok(Some((first, last)))
}

fn index_of(raw: &Raw) -> Result<BTreeMap<&str, usize>, Malformed> {
    let mut index = BTreeMap::new();
    for (number, (name, _)) in raw.nodes.iter().enumerate() {
        if index.insert(name.as_str(), number).is_some() {
            return Err(malformed(format!("two nodes are called '{name}'")));
        }
    }
    Ok(index)
}

/// Finds nodes by their names; an edge must not name one that is not there.
fn finder(raw: &Raw) -> Result<impl Fn(&str) -> Result<usize, Malformed>, Malformed> {
    let index = index_of(raw)?;
    Ok(move |name: &str| {
        let found = index.get(name).copied();
        found.ok_or_else(|| {
            malformed(format!(
                "an edge names the node '{name}', which is not there"
            ))
        })
    })
}

/// Exactly one node is the entry.
fn entry(raw: &Raw) -> Result<usize, Malformed> {
    let mut entries = (0..raw.nodes.len()).filter(|&at| is_true(&raw.nodes[at].1, "entry"));
    let entry = entries.next();
    let entry = entry.ok_or_else(|| malformed("no node is the entry"))?;
    match entries.next() {
        Some(_) => Err(malformed("more than one node is the entry")),
        None => Ok(entry),
    }
}

fn edge((source, target): (usize, usize), data: &Data) -> Result<Edge, Malformed> {
    let text = |name: &str| data.get(name).filter(|text| !text.is_empty()).cloned();
    let control = match data.get("control").map(String::as_str) {
        None => None,
        Some("condition-true") => Some(Control::True),
        Some("condition-false") => Some(Control::False),
        Some(other) => return Err(malformed(format!("'{other}' is not a known control"))),
    };
    let (first, last) = (number(data, "startoffset")?, number(data, "endoffset")?);
    let offsets = match (first, last) {
        (None, None) => None,
        (Some(first), Some(last)) if last < first => {
            let text = format!("a step from character {first} to character {last}");
            return Err(malformed(text));
        }
        (Some(first), last) => Some((first, last)),
        (None, Some(last)) => Some((last, Some(last))),
    };
    Ok(Edge {
        source,
        target,
        file: text("originfile"),
        lines: lines(data)?,
        offsets,
        enters_loop: is_true(data, "enterLoopHead"),
        control,
        enter_function: text("enterFunction"),
        return_from: text("returnFrom").or_else(|| text("returnFromFunction")),
        assumption: text("assumption"),
        scope: text("assumption.scope"),
        result_function: text("assumption.resultfunction"),
    })
}

fn graph(raw: &Raw) -> Result<Graph, Malformed> {
    let find = finder(raw)?;
    let nodes: Vec<Node> = raw
        .nodes
        .iter()
        .map(|(name, data)| Node {
            name: name.clone(),
            is_violation: is_true(data, "violation"),
            is_sink: is_true(data, "sink"),
        })
        .collect();
    let said = raw.nodes.iter().find(|(_, data)| {
        let value = data.get("invariant");
        value.is_some_and(|value| !is_trivial(value))
    });
    if let Some((name, _)) = said {
        let text = format!("the node '{name}' of a violation has an invariant");
        return Err(malformed(text));
    }
    let entry = entry(raw)?;
    if nodes[entry].is_violation {
        let name = &nodes[entry].name;
        let text = format!("the entry node '{name}' is a violation before the first step");
        return Err(malformed(text));
    }
    let is_both = |&at: &usize| nodes[at].is_sink && (nodes[at].is_violation || at == entry);
    if let Some(at) = (0..nodes.len()).find(is_both) {
        let name = &nodes[at].name;
        return Err(malformed(format!(
            "the node '{name}' is said to be a sink and not to be one"
        )));
    }
    if !nodes.iter().any(|node| node.is_violation) {
        return Err(malformed("no node is a violation"));
    }
    let mut edges = Vec::new();
    for (source, target, data) in &raw.edges {
        let ends = (find(source)?, find(target)?);
        if nodes[ends.0].is_sink && ends.0 != ends.1 {
            return Err(malformed(format!("an edge leaves the sink '{source}'")));
        }
        edges.push(edge(ends, data)?);
    }
    let graph = Graph {
        nodes,
        edges,
        entry,
    };
    if !graph.has_way_to_violation() {
        return Err(malformed("no way leads from the entry to a violation"));
    }
    Ok(graph)
}

/// Says nothing.
fn is_trivial(invariant: &str) -> bool {
    matches!(invariant.trim(), "true" | "1" | "(1)")
}

fn invariants(raw: &Raw, file: &str) -> Result<Invariants, Malformed> {
    let find = finder(raw)?;
    entry(raw)?;
    let mut edges = Vec::new();
    for (source, target, data) in &raw.edges {
        edges.push(edge((find(source)?, find(target)?), data)?);
    }
    let mut found = Vec::new();
    for (node, (name, data)) in raw.nodes.iter().enumerate() {
        if is_true(data, "violation") || is_true(data, "sink") {
            let text =
                format!("the node '{name}' of a correctness witness is a violation or a sink");
            return Err(malformed(text));
        }
        let value = data.get("invariant").filter(|value| !is_trivial(value));
        let Some(value) = value else {
            continue;
        };
        // The place of a node is behind the steps that come to it.
        let incoming = edges.iter().filter(|edge| edge.target == node);
        let incoming = incoming.filter(|edge| edge.lines.is_some());
        let (entering, others): (Vec<Edge>, Vec<Edge>) =
            incoming.cloned().partition(|edge| edge.enters_loop);
        let (kind, steps) = match entering.is_empty() {
            false => (InvariantKind::Loop, entering),
            true => (InvariantKind::Behind, others),
        };
        let Some((first, (line, _))) = steps.first().and_then(|it| Some((it, it.lines?))) else {
            let text = format!("the invariant of the node '{name}' has no place in the program");
            return Err(malformed(text));
        };
        found.push(Invariant {
            kind,
            place: SourcePlace {
                file: first.file.clone().unwrap_or_else(|| file.to_string()),
                line,
                column: None,
                function: data.get("invariant.scope").cloned(),
            },
            value: value.clone(),
            steps,
        });
    }
    Ok(found.into())
}
