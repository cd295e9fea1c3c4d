//! YAML 2.0: `invariant_set` and `violation_sequence`. Read too: single invariants as entries of
//! their own (format 0.1, whose columns count from zero).

use crate::Malformed;
use crate::model::{
    Content, DataModel, Invariant, InvariantKind, Invariants, Metadata, Segment, SourcePlace,
    Waypoint, WaypointKind, Witness,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    entry_type: String,
    metadata: Head,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<Vec<Item>>,
    /// Format 0.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    location: Option<At>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    loop_invariant: Option<OldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    location_invariant: Option<OldValue>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OldValue {
    string: String,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    format_version: Scalar,
    #[serde(default)]
    uuid: String,
    #[serde(default)]
    creation_time: String,
    producer: Producer,
    task: Task,
}

/// Some tools write versions as numbers.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Number(f64),
}

impl Scalar {
    fn text(&self) -> String {
        match self {
            Scalar::Text(text) => text.clone(),
            Scalar::Number(number) => format!("{number:.1}"),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Producer {
    name: String,
    #[serde(default = "unknown_version")]
    version: Scalar,
}

fn unknown_version() -> Scalar {
    Scalar::Text("unknown".into())
}

#[derive(Serialize, Deserialize)]
struct Task {
    input_files: Files,
    input_file_hashes: BTreeMap<String, String>,
    specification: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data_model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    language: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Files {
    One(String),
    Many(Vec<String>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    invariant: Option<InvariantItem>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    segment: Option<Vec<WaypointItem>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InvariantItem {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    location: Option<At>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    /// Of a contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    requires: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ensures: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<String>,
}

/// A constraint such as `true` or `1` may stand without quotes.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Value {
    Text(String),
    Truth(bool),
    Number(i64),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Truth(truth) => truth.to_string(),
            Value::Number(number) => number.to_string(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct At {
    file_name: String,
    /// Format 0.1; the metadata says the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file_hash: Option<String>,
    line: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    function: Option<String>,
}

impl At {
    fn of(place: &SourcePlace) -> At {
        At {
            file_name: place.file.clone(),
            file_hash: None,
            line: place.line,
            column: place.column,
            function: place.function.clone(),
        }
    }

    fn place(self) -> SourcePlace {
        SourcePlace {
            file: self.file_name,
            line: self.line,
            column: self.column,
            function: self.function,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaypointItem {
    waypoint: WaypointBody,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaypointBody {
    #[serde(rename = "type")]
    kind: String,
    action: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    constraint: Option<Constraint>,
    location: At,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Constraint {
    value: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<String>,
}

fn malformed(text: impl Into<String>) -> Malformed {
    Malformed(text.into())
}

/// Reads all entries of the file. What is not known here is an error: nobody could confirm what it
/// says.
pub fn read(text: &str) -> Result<Witness, Malformed> {
    let entries: Vec<serde_norway::Value> =
        serde_norway::from_str(text).map_err(|error| malformed(format!("broken YAML: {error}")))?;
    let mut metadata = None;
    let mut invariants: Option<Invariants> = None;
    let mut sequence = None;
    for (number, entry) in entries.into_iter().enumerate() {
        let place = format!("entry {}", number + 1);
        let kind = entry.get("entry_type").and_then(|kind| kind.as_str());
        let kind = kind
            .ok_or_else(|| malformed(format!("{place} has no entry_type")))?
            .to_string();
        if !matches!(
            kind.as_str(),
            "invariant_set" | "violation_sequence" | "loop_invariant" | "location_invariant"
        ) {
            return Err(malformed(format!(
                "{place}: '{kind}' is not a known entry_type"
            )));
        }
        let entry: Entry = serde_norway::from_value(entry)
            .map_err(|error| malformed(format!("{place} ({kind}): {error}")))?;
        let head = read_head(&entry.metadata)
            .map_err(|error| malformed(format!("{place} ({kind}): {error}")))?;
        let first = metadata.get_or_insert_with(|| head.clone());
        if !first.is_about_the_same(&head) {
            return Err(malformed(format!(
                "{place} ({kind}) is about another task than the entries before it"
            )));
        }
        match kind.as_str() {
            "violation_sequence" => {
                if sequence.is_some() {
                    return Err(malformed("more than one violation_sequence"));
                }
                let content = entry.content.ok_or_else(|| without_content(&place))?;
                sequence = Some(read_sequence(content)?);
            }
            "invariant_set" => {
                let read = invariants.get_or_insert_default();
                for item in entry.content.ok_or_else(|| without_content(&place))? {
                    match read_invariant(item)? {
                        Statement::Checked(invariant) => read.list.push(invariant),
                        Statement::Unchecked(why) => {
                            read.unchecked.get_or_insert(why);
                        }
                    }
                }
            }
            _ => {
                let read = invariants.get_or_insert_default();
                read.list.push(
                    read_old(entry, &kind).map_err(|why| malformed(format!("{place}: {why}")))?,
                );
            }
        }
    }
    let metadata = metadata.ok_or_else(|| malformed("there is no entry"))?;
    let content = match (sequence, invariants) {
        (Some(_), Some(_)) => {
            return Err(malformed("both a violation_sequence and invariants"));
        }
        (Some(sequence), None) => Content::Sequence(sequence),
        (None, invariants) => Content::Invariants(invariants.unwrap_or_default()),
    };
    Ok(Witness { metadata, content })
}

/// Is it the language of the programs?
pub(crate) fn is_c(language: &str) -> bool {
    language.trim().eq_ignore_ascii_case("c")
}

fn without_content(place: &str) -> Malformed {
    malformed(format!("{place} has no content"))
}

fn read_head(head: &Head) -> Result<Metadata, String> {
    let version = head.format_version.text();
    if !matches!(version.as_str(), "0.1" | "2.0" | "2.1") {
        return Err(format!(
            "format version {version} is not known (0.1, 2.0 and 2.1 are)"
        ));
    }
    let task = &head.task;
    let names = match &task.input_files {
        Files::One(name) => vec![name.clone()],
        Files::Many(names) => names.clone(),
    };
    if names.is_empty() {
        return Err("input_files is empty".into());
    }
    if let Some(name) = task.input_file_hashes.keys().find(|it| !names.contains(it)) {
        return Err(format!(
            "there is a hash of '{name}', which is not an input file"
        ));
    }
    if version != "0.1" {
        let missing = [
            ("data_model", task.data_model.is_none()),
            ("language", task.language.is_none()),
        ];
        if let Some((name, _)) = missing.iter().find(|(_, is_missing)| *is_missing) {
            return Err(format!("the task has no {name}"));
        }
    }
    if let Some(language) = task.language.as_ref().filter(|it| !is_c(it)) {
        return Err(format!("'{language}' is not the language C"));
    }
    let files = names.into_iter().map(|name| {
        let hash = task.input_file_hashes.get(&name).cloned();
        (name, hash)
    });
    let data_model = match &task.data_model {
        Some(name) => Some(
            DataModel::named(name).ok_or_else(|| format!("'{name}' is not a known data model"))?,
        ),
        None => None,
    };
    Ok(Metadata {
        producer: head.producer.name.clone(),
        producer_version: head.producer.version.text(),
        creation_time: head.creation_time.clone(),
        uuid: head.uuid.clone(),
        files: files.collect(),
        specification: task.specification.clone(),
        data_model,
    })
}

/// What stands among invariants.
enum Statement {
    Checked(Invariant),
    /// It may be right, and is not checked here: why.
    Unchecked(String),
}

fn read_invariant(item: Item) -> Result<Statement, Malformed> {
    let Some(item) = item.invariant else {
        return Err(malformed(match item.segment {
            Some(_) => "a segment among invariants",
            None => "an invariant_set contains something that is not an invariant",
        }));
    };
    let kind = match item.kind.as_str() {
        "loop_invariant" => InvariantKind::Loop,
        "location_invariant" => InvariantKind::Location,
        "loop_transition_invariant" | "transition_loop_invariant" | "function_contract" => {
            return read_unchecked(item);
        }
        other => {
            return Err(malformed(format!(
                "'{other}' is not a known type of invariant"
            )));
        }
    };
    if item.requires.is_some() || item.ensures.is_some() {
        return Err(malformed(format!("'{}' is not a contract", item.kind)));
    }
    if let Some(format) = &item.format
        && !is_c_expression(format)
    {
        return Err(malformed(format!(
            "'{format}' is not a known format of invariants"
        )));
    }
    let location = item
        .location
        .ok_or_else(|| malformed("an invariant without location"))?;
    let value = item.value.as_ref().map(Value::text);
    Ok(Statement::Checked(Invariant {
        kind,
        place: location.place(),
        value: value.ok_or_else(|| malformed("an invariant without value"))?,
        steps: Vec::new(),
    }))
}

/// Contracts and invariants of transitions (format 2.1): they must be complete, and are not
/// checked.
fn read_unchecked(item: InvariantItem) -> Result<Statement, Malformed> {
    let is_contract = item.kind == "function_contract";
    let is_complete = match is_contract {
        true => item.value.is_none() && (item.requires.is_some() || item.ensures.is_some()),
        false => item.value.is_some() && item.requires.is_none() && item.ensures.is_none(),
    };
    if !is_complete || item.location.is_none() || item.format.is_none() {
        return Err(malformed(format!("'{}' is not complete", item.kind)));
    }
    let why = format!("'{}' cannot be checked here", item.kind);
    Ok(Statement::Unchecked(why))
}

fn is_c_expression(format: &str) -> bool {
    matches!(format, "c_expression" | "ext_c_expression" | "C")
}

fn read_old(entry: Entry, kind: &str) -> Result<Invariant, String> {
    let location = entry.location.ok_or("the invariant has no location")?;
    let hashes = &entry.metadata.task.input_file_hashes;
    if let Some(hash) = &location.file_hash
        && !hashes.is_empty()
        && !hashes
            .values()
            .any(|known| known.eq_ignore_ascii_case(hash))
    {
        return Err(format!("'{hash}' is the hash of no input file"));
    }
    let (kind, value) = match kind {
        "loop_invariant" => (InvariantKind::Loop, entry.loop_invariant),
        _ => (InvariantKind::Location, entry.location_invariant),
    };
    let value = value.ok_or("the invariant has no value")?;
    let is_assertion = value.kind.as_deref().is_none_or(|it| it == "assertion");
    let is_c = value.format.as_deref().is_none_or(is_c_expression);
    if !is_assertion || !is_c {
        return Err("the invariant is not a C expression".into());
    }
    let value = value.string;
    let mut place = location.place();
    place.column = place.column.map(|column| column.saturating_add(1));
    Ok(Invariant {
        kind,
        place,
        value,
        steps: Vec::new(),
    })
}

fn read_waypoint(body: WaypointBody) -> Result<(bool, Waypoint), Malformed> {
    let at = format!("line {}", body.location.line);
    let constraint = body.constraint.as_ref().map(|it| it.value.text());
    let wanted = || {
        malformed(format!(
            "a waypoint '{}' without constraint at {at}",
            body.kind
        ))
    };
    if let Some(format) = body.constraint.as_ref().and_then(|it| it.format.as_deref()) {
        let is_known = is_c_expression(format)
            || format == "acsl_expression" && body.kind == "function_return";
        if !is_known {
            return Err(malformed(format!(
                "'{format}' is not a known format of a constraint of '{}' ({at})",
                body.kind
            )));
        }
    }
    if matches!(body.kind.as_str(), "target" | "function_enter") && constraint.is_some() {
        return Err(malformed(format!(
            "a waypoint '{}' has no constraint ({at})",
            body.kind
        )));
    }
    let kind = match body.kind.as_str() {
        "assumption" => WaypointKind::Assumption(constraint.ok_or_else(wanted)?),
        "branching" => WaypointKind::Branching(constraint.ok_or_else(wanted)?),
        "function_enter" => WaypointKind::FunctionEnter,
        "function_return" => WaypointKind::FunctionReturn(constraint.ok_or_else(wanted)?),
        "target" => WaypointKind::Target,
        other => {
            return Err(malformed(format!(
                "'{other}' is not a known type of waypoint ({at})"
            )));
        }
    };
    let follows = match body.action.as_str() {
        "follow" => true,
        "avoid" => false,
        other => return Err(malformed(format!("'{other}' is not a known action ({at})"))),
    };
    let place = body.location.place();
    let callee = None;
    Ok((
        follows,
        Waypoint {
            kind,
            place,
            callee,
        },
    ))
}

fn read_sequence(items: Vec<Item>) -> Result<Vec<Segment>, Malformed> {
    let mut segments = Vec::new();
    for item in items {
        let waypoints = item.segment.ok_or_else(|| {
            malformed("a violation_sequence contains something that is not a segment")
        })?;
        let mut avoid = Vec::new();
        let mut follow = None;
        for item in waypoints {
            let (follows, waypoint) = read_waypoint(item.waypoint)?;
            if follow.is_some() {
                return Err(malformed("a segment goes on after its waypoint to follow"));
            }
            if follows {
                follow = Some(waypoint);
            } else if waypoint.kind == WaypointKind::Target {
                return Err(malformed("a target cannot be avoided"));
            } else {
                avoid.push(waypoint);
            }
        }
        let follow = follow.ok_or_else(|| malformed("a segment without a waypoint to follow"))?;
        segments.push(Segment { avoid, follow });
    }
    let is_target = |segment: &Segment| segment.follow.kind == WaypointKind::Target;
    match segments.iter().position(is_target) {
        Some(at) if at + 1 == segments.len() => Ok(segments),
        Some(_) => Err(malformed("the target is not in the last segment")),
        None => Err(malformed("there is no target")),
    }
}

/// The witness as YAML 2.0.
pub fn write(witness: &Witness) -> String {
    let metadata = &witness.metadata;
    let names: Vec<String> = metadata
        .files
        .iter()
        .map(|(name, _)| name.clone())
        .collect();
    let hashes = metadata
        .files
        .iter()
        .filter_map(|(name, hash)| Some((name.clone(), hash.clone()?)));
    let head = Head {
        format_version: Scalar::Text("2.0".into()),
        uuid: metadata.uuid.clone(),
        creation_time: metadata.creation_time.clone(),
        producer: Producer {
            name: metadata.producer.clone(),
            version: Scalar::Text(metadata.producer_version.clone()),
        },
        task: Task {
            input_files: Files::Many(names),
            input_file_hashes: hashes.collect(),
            specification: metadata.specification.clone(),
            data_model: metadata.data_model.map(|model| model.name().into()),
            language: Some("C".into()),
        },
    };
    let (entry_type, content) = match &witness.content {
        Content::Invariants(invariants) => (
            "invariant_set",
            invariants.list.iter().map(write_invariant).collect(),
        ),
        Content::Sequence(list) => (
            "violation_sequence",
            list.iter().map(write_segment).collect(),
        ),
        Content::Graph(_) => ("violation_sequence", Vec::new()),
    };
    let entry = Entry {
        entry_type: entry_type.into(),
        metadata: head,
        content: Some(content),
        location: None,
        loop_invariant: None,
        location_invariant: None,
    };
    // Texts and numbers under text keys: nothing here that YAML cannot say.
    serde_norway::to_string(&[entry]).unwrap_or_default()
}

fn write_invariant(invariant: &Invariant) -> Item {
    let kind = match invariant.kind {
        InvariantKind::Loop => "loop_invariant",
        InvariantKind::Location | InvariantKind::Behind => "location_invariant",
    };
    Item {
        invariant: Some(InvariantItem {
            kind: kind.into(),
            location: Some(At::of(&invariant.place)),
            value: Some(Value::Text(invariant.value.clone())),
            requires: None,
            ensures: None,
            format: Some("c_expression".into()),
        }),
        segment: None,
    }
}

fn write_segment(segment: &Segment) -> Item {
    let mut waypoints: Vec<WaypointItem> = segment
        .avoid
        .iter()
        .map(|waypoint| write_waypoint(waypoint, "avoid"))
        .collect();
    waypoints.push(write_waypoint(&segment.follow, "follow"));
    Item {
        invariant: None,
        segment: Some(waypoints),
    }
}

fn write_waypoint(waypoint: &Waypoint, action: &str) -> WaypointItem {
    let constraint = |value: &str, format: Option<&str>| {
        Some(Constraint {
            value: Value::Text(value.into()),
            format: format.map(str::to_string),
        })
    };
    let (kind, constraint) = match &waypoint.kind {
        WaypointKind::Assumption(value) => ("assumption", constraint(value, Some("c_expression"))),
        WaypointKind::Branching(value) => ("branching", constraint(value, None)),
        WaypointKind::FunctionEnter => ("function_enter", None),
        WaypointKind::FunctionReturn(value) => (
            "function_return",
            constraint(value, Some("acsl_expression")),
        ),
        WaypointKind::Target => ("target", None),
    };
    WaypointItem {
        waypoint: WaypointBody {
            kind: kind.into(),
            action: action.into(),
            constraint,
            location: At::of(&waypoint.place),
        },
    }
}
