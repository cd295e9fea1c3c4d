use crate::model::*;
use crate::{Format, read, write};
use proptest::prelude::*;

fn metadata() -> Metadata {
    Metadata {
        producer: "Concord".into(),
        producer_version: "0.1.0".into(),
        creation_time: "2023-11-21T10:29:38Z".into(),
        uuid: "c66c3ee7-e0de-4bae-87f0-fd48fc7b961e".into(),
        files: vec![("./x.c".into(), Some("ab".repeat(32)))],
        specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )".into(),
        data_model: Some(DataModel::Ilp32),
    }
}

fn place(line: u32) -> SourcePlace {
    SourcePlace {
        file: "./x.c".into(),
        line,
        column: Some(3),
        function: Some("main".into()),
    }
}

fn waypoints() -> impl Strategy<Value = Waypoint> {
    let kind = prop_oneof![
        "[ -~]{1,12}".prop_map(WaypointKind::Assumption),
        Just(WaypointKind::Branching("true".into())),
        Just(WaypointKind::FunctionEnter),
        "\\\\result == [0-9]{1,5}".prop_map(WaypointKind::FunctionReturn),
    ];
    (kind, 1u32..1000).prop_map(|(kind, line)| Waypoint {
        kind,
        place: place(line),
        callee: None,
    })
}

fn sequences() -> impl Strategy<Value = Vec<Segment>> {
    let segment = (prop::collection::vec(waypoints(), 0..3), waypoints())
        .prop_map(|(avoid, follow)| Segment { avoid, follow });
    prop::collection::vec(segment, 0..5).prop_map(|mut segments| {
        segments.push(Segment {
            avoid: Vec::new(),
            follow: Waypoint {
                kind: WaypointKind::Target,
                place: place(7),
                callee: None,
            },
        });
        segments
    })
}

fn invariants() -> impl Strategy<Value = Vec<Invariant>> {
    let invariant =
        ("[ -~]{1,20}", 1u32..1000, any::<bool>()).prop_map(|(value, line, is_loop)| Invariant {
            kind: if is_loop {
                InvariantKind::Loop
            } else {
                InvariantKind::Location
            },
            place: place(line),
            value: value.trim().to_string(),
            steps: Vec::new(),
        });
    prop::collection::vec(invariant, 0..5)
}

proptest! {
    #[test]
    fn yaml_is_read_back(segments in sequences(), list in invariants()) {
        for content in [Content::Sequence(segments), Content::Invariants(list.into())] {
            let witness = Witness { metadata: metadata(), content };
            let text = write(&witness, Format::Yaml);
            prop_assert_eq!(read(&text).expect("written by us"), witness, "{}", text);
        }
    }

    #[test]
    fn invariants_in_graphml_are_read_back(list in invariants()) {
        let witness = Witness { metadata: metadata(), content: Content::Invariants(list.clone().into()) };
        let text = write(&witness, Format::GraphMl);
        let read = read(&text).expect("written by us");
        let Content::Invariants(found) = read.content else { panic!("{text}") };
        let key = |list: &[Invariant]| -> Vec<_> {
            list.iter().map(|it| (it.kind, it.place.line, it.value.clone())).collect()
        };
        // The place of a statement is a line, and what is said behind it.
        let list: Vec<Invariant> = list
            .into_iter()
            .filter(|it| !matches!(it.value.as_str(), "true" | "1" | "(1)"))
            .map(|it| Invariant {
                kind: match it.kind {
                    InvariantKind::Loop => InvariantKind::Loop,
                    _ => InvariantKind::Behind,
                },
                ..it
            })
            .collect();
        prop_assert_eq!(key(&found.list), key(&list));
        prop_assert_eq!(read.metadata.files, witness.metadata.files);
        prop_assert_eq!(read.metadata.data_model, witness.metadata.data_model);
    }

    #[test]
    fn graphs_are_read_back(segments in sequences()) {
        let witness = Witness { metadata: metadata(), content: Content::Sequence(segments) };
        let once = read(&write(&witness, Format::GraphMl)).expect("written by us");
        let twice = read(&write(&once, Format::GraphMl)).expect("written by us");
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}", cut in 0usize..2000) {
        let _ = read(&text);
        let _ = read(&format!("<graphml>{text}"));
        let witness = Witness { metadata: metadata(), content: Content::Invariants(Invariants::default()) };
        for format in [Format::Yaml, Format::GraphMl] {
            let whole = write(&witness, format);
            let cut = (0..=cut.min(whole.len())).rev().find(|&at| whole.is_char_boundary(at));
            let _ = read(&whole[..cut.unwrap_or(0)]);
        }
    }
}

#[test]
fn what_other_tools_write_is_read() {
    let text = r#"
- entry_type: violation_sequence
  metadata:
    format_version: 2.0
    uuid: x
    creation_time: "2023-11-21T10:29:38+01:00"
    producer: {name: "Other", version: 1.0, configuration: "a"}
    task:
      input_files: for.c
      input_file_hashes: {for.c: "abc"}
      specification: "G ! call(reach_error())"
      data_model: LP64
      language: C
  content:
  - segment:
    - waypoint: {type: "branching", action: "avoid", constraint: {value: "true"}, location: {file_name: "for.c", line: 20, column: 9}}
    - waypoint: {type: "branching", action: "follow", constraint: {value: false}, location: {file_name: "for.c", line: 24, column: 5}}
  - segment:
    - waypoint: {type: "function_return", action: "follow", constraint: {value: "\\result == 20", format: "ext_c_expression"}, location: {file_name: "for.c", line: 27, column: 41}}
  - segment:
    - waypoint: {type: "target", action: "follow", location: {file_name: "for.c", line: 28}}
"#;
    let witness = read(text).expect("a witness");
    let Content::Sequence(segments) = &witness.content else {
        panic!("{witness:?}")
    };
    assert_eq!(segments.len(), 3);
    assert_eq!(segments[0].avoid.len(), 1);
    assert_eq!(
        segments[0].follow.kind,
        WaypointKind::Branching("false".into())
    );
    assert_eq!(segments[2].follow.place.column, None);
    assert_eq!(
        witness.metadata.files,
        [("for.c".into(), Some("abc".into()))]
    );
}

#[test]
fn older_invariants_count_columns_from_zero() {
    let text = r#"
- entry_type: loop_invariant
  metadata:
    format_version: 0.1
    producer: {name: CPAchecker, version: 2.2}
    task: {input_files: [x.c], input_file_hashes: {}, specification: "G ! call(reach_error())", data_model: 32bit, language: C}
  location: {file_name: x.c, file_hash: abc, line: 5, column: 2, function: main}
  loop_invariant: {string: "i <= n", type: assertion, format: C}
"#;
    // What is not understood is not passed over.
    let unknown = format!("{text}- entry_type: something_else\n  metadata: {{}}\n");
    assert!(read(&unknown).is_err());
    let witness = read(text).expect("a witness");
    let Content::Invariants(list) = &witness.content else {
        panic!("{witness:?}")
    };
    assert_eq!(list.list[0].place.column, Some(3));
    assert_eq!(list.list[0].value, "i <= n");
    assert_eq!(witness.metadata.data_model, Some(DataModel::Ilp32));
}

#[test]
fn keys_may_be_numbered_and_have_defaults() {
    let text = r#"<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
 <key id="k0" attr.name="witness-type" for="graph"/>
 <key id="producer" attr.name="producer" for="graph"><default>Somebody</default></key>
 <graph edgedefault="directed">
  <data key="k0">violation_witness</data>
  <data key="sourcecodelang">C</data><data key="architecture">64bit</data>
  <data key="specification">CHECK( init(main()), LTL(G ! call(reach_error())) )</data>
  <data key="programfile">x.c</data>
  <node id="a"><data key="entry">true</data></node>
  <node id="b"><data key="violation">true</data></node>
  <edge source="a" target="b"><data key="startline">3</data><data key="assumption">x &lt; 5;</data>
   <data key="control">condition-true</data></edge>
 </graph>
</graphml>"#;
    let witness = read(text).expect("a witness");
    assert_eq!(witness.metadata.producer, "Somebody");
    let Content::Graph(graph) = &witness.content else {
        panic!("{witness:?}")
    };
    assert_eq!(graph.edges[0].assumption.as_deref(), Some("x < 5;"));
    assert_eq!(graph.edges[0].control, Some(Control::True));
}

#[test]
fn what_is_wrong_is_said() {
    let refused = |text: &str, wanted: &str| {
        let message = read(text).expect_err(text).to_string();
        assert!(message.contains(wanted), "{message}");
    };
    refused("- entry_type: [", "broken YAML");
    refused("[]", "no entry");
    refused("- {}", "no entry_type");
    refused("- entry_type: ghost", "ghost");
    refused("<a>", "broken XML");
    refused("<a></a>", "no <graph>");
    refused("<graphml><graph></graph></graphml>", "witness-type");
    let witness = Witness {
        metadata: metadata(),
        content: Content::Sequence(Vec::new()),
    };
    refused(&write(&witness, Format::Yaml), "no target");
    let text = write(&witness, Format::Yaml).replace("'2.0'", "'9.0'");
    refused(&text, "9.0");
}
