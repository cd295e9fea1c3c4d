//! Forged witnesses: what cannot be evaluated, found or read in the program is not valid, whatever
//! it is said of.

mod common;

use common::{Scratch, concord};
use std::path::{Path, PathBuf};

/// The property is violated for one input of the loop's bound.
const UNSAFE: &str = "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int t[4]; static int twice(int a) { return 2 * a; }
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  unsigned i = 0;
  int s = 0, *p = &s;
  while (i < n) {
    int inner = 3;
    i++;
    s = twice(inner) + t[i & 3];
  }
  if (i == 8)
    reach_error();
  return *p;
}
";

fn safe() -> String {
    UNSAFE.replace("i == 8", "i < n")
}

fn head(program: &Path) -> String {
    let bytes = std::fs::read(program).expect("it was just written");
    let hash = witness::hash_of(&bytes);
    format!(
        r#"  metadata:
    format_version: "2.0"
    uuid: c66c3ee7-e0de-4bae-87f0-fd48fc7b961e
    creation_time: "2023-11-21T10:29:38+01:00"
    producer: {{name: Other, version: "1"}}
    task:
      input_files: ["./program.c"]
      input_file_hashes: {{"./program.c": "{hash}"}}
      specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )"
      data_model: LP64
      language: C
"#
    )
}

fn invariant(program: &Path, line: u32, column: u32, value: &str) -> String {
    let head = head(program);
    format!(
        r#"- entry_type: invariant_set
{head}  content:
    - invariant:
        type: loop_invariant
        location: {{file_name: "./program.c", line: {line}, column: {column}, function: main}}
        value: "{value}"
        format: c_expression
"#
    )
}

/// A sequence of one waypoint and the target.
fn sequence(program: &Path, waypoint: &str) -> String {
    let head = head(program);
    format!(
        r#"- entry_type: violation_sequence
{head}  content:
    - segment:
        - waypoint: {waypoint}
    - segment:
        - waypoint: {{type: target, action: follow, location: {{file_name: "./program.c", line: 14, column: 5}}}}
"#
    )
}

struct Forger {
    scratch: Scratch,
    program: PathBuf,
    failures: Vec<String>,
}

impl Forger {
    fn new(name: &str, text: &str) -> Forger {
        let scratch = Scratch::new(name);
        let program = scratch.file("program.c", text.as_bytes());
        Forger {
            scratch,
            program,
            failures: Vec::new(),
        }
    }

    /// Expects the exit code and a part of the output.
    fn expect(&mut self, name: &str, witness: &str, code: i32, wanted: &str) {
        let file = self.scratch.file(name, witness.as_bytes());
        let (status, text) = concord(&["validate", "--timeout", "20s"], &[&file, &self.program]);
        if status != Some(code) || !text.contains(wanted) || text.contains("panicked") {
            let expected = format!("{code} {wanted:?}");
            self.failures.push(format!(
                "{witness}\nexpected {expected}, is {status:?}: {text}"
            ));
        }
    }

    fn finish(self) {
        assert!(self.failures.is_empty(), "{}", self.failures.join("\n\n"));
    }
}

/// Evaluating them must not end the executions that violate the property.
#[test]
fn invariants_without_a_value_are_refuted() {
    for (name, text) in [
        ("forged-unsafe", UNSAFE.to_owned()),
        ("forged-safe", safe()),
    ] {
        let mut forger = Forger::new(name, &text);
        for value in [
            "1/(i-i) == 1",
            "1/(i-i) != 1",
            "s/(s-s) == 1 || 1",
            "7 % (int)(i & 0) == 0",
            "*(int*)0 == 0",
            "*(int*)8 == *(int*)8",
            "t[4] == 0 || t[4] != 0",
            "t[-1] == t[-1]",
            "t[i] == 0",
            "2147483647 + s > 0 || 1",
            "(1 << (s + 31)) != 1",
            "-2147483647 - 2 < 0",
            // The same either way, and of no value.
            "(int)1e30 == (int)1e30",
            "(unsigned)-3.5 == (unsigned)-3.5 || 1",
            "(1u << 40) == (1u << 40)",
            "(i >> 32) * 0 == 0",
            "s / 0.0 == s / 0.0 || 1",
            "1.0 / 0.0 > 0",
            "i ? 1 : 1/(i-i)",
        ] {
            let witness = invariant(&forger.program, 8, 3, value);
            forger.expect("w.yml", &witness, 1, "REFUTED");
        }
        forger.finish();
    }
}

/// Whether a pointer's object lives is not known: nothing is confirmed, and an unsafe program is
/// still found unsafe.
#[test]
fn invariants_that_read_through_pointers_are_not_confirmed() {
    let mut forger = Forger::new("forged-pointer-unsafe", UNSAFE);
    let witness = invariant(&forger.program, 8, 3, "*p == *p");
    forger.expect("w.yml", &witness, 1, "violates the property");
    forger.finish();
    let mut forger = Forger::new("forged-pointer-safe", &safe());
    let witness = invariant(&forger.program, 8, 3, "*p == *p");
    forger.expect("w.yml", &witness, 3, "reads through a pointer");
    // Nor whether arithmetic on pointers leaves an object, or their order has a meaning.
    for value in [
        "t + 100 == t + 100",
        "&t[9] == &t[9]",
        "p + 1 > p",
        "p <= &t[1] || 1",
    ] {
        let witness = invariant(&forger.program, 8, 3, value);
        forger.expect("w.yml", &witness, 3, "not checked");
    }
    // What an expression names is there.
    let witness = invariant(&forger.program, 8, 3, "t[0] == 0 && t[i & 3] == 0");
    forger.expect("w.yml", &witness, 0, "CONFIRMED");
    let witness = invariant(&forger.program, 8, 3, "i == 0 || 10 / i >= 0u");
    forger.expect("w.yml", &witness, 0, "CONFIRMED");
    forger.finish();
}

/// A variable without a value has none to speak of.
#[test]
fn invariants_about_nothing_are_not_confirmed() {
    let text = safe()
        .replace("int s = 0", "int u, s = 0")
        .replace("i++;", "u = i++; s = u;");
    let mut forger = Forger::new("forged-uninitialised", &text);
    for value in ["u == u", "u == 0 || u != 0", "u == 0"] {
        let witness = invariant(&forger.program, 8, 3, value);
        forger.expect("w.yml", &witness, 3, "may be uninitialised");
    }
    let witness = invariant(&forger.program, 8, 3, "s == s && i <= n");
    forger.expect("w.yml", &witness, 0, "CONFIRMED");
    forger.finish();
    // Nor has a member or element where only others have one.
    let text = safe().replace(
        "int s = 0",
        "struct { int a, b; } r; int v[3]; r.a = v[0] = v[1] = 1; int s = r.a - v[1]",
    );
    let mut forger = Forger::new("forged-uninitialised-parts", &text);
    for value in ["r.b == r.b", "v[2] == v[2]", "v[i % 3] == v[i % 3]"] {
        let witness = invariant(&forger.program, 8, 3, value);
        forger.expect("w.yml", &witness, 3, "may be uninitialised");
    }
    let witness = invariant(&forger.program, 8, 3, "r.a == 1 && v[1] == v[0]");
    forger.expect("w.yml", &witness, 0, "CONFIRMED");
    forger.finish();
}

/// The lines of a table: parts behind one another, separated by ` => `; `\n` is a new line.
fn table<const N: usize>(text: &str) -> Vec<[String; N]> {
    let row = |line: &str| {
        let parts = line.split(" =>").enumerate();
        let part = |(number, part): (usize, &str)| {
            let part = if number == 0 {
                part
            } else {
                part.strip_prefix(' ').unwrap_or(part)
            };
            part.replace("\\n", "\n")
        };
        let parts: Vec<String> = parts.map(part).collect();
        parts
            .try_into()
            .unwrap_or_else(|_| panic!("{line}: not {N} parts"))
    };
    text.lines().map(row).collect()
}

/// Changes of a good witness, and what is said of each: FROM => TO => MESSAGE.
const SLIPS: &str = r#"function: main => function: nowhere => is not in 'nowhere'
loop_invariant => function_contract => is not complete
loop_invariant => wish => not a known type
format: c_expression => format: prose => not a known format
invariant_set => wishes => not a known entry_type
    - invariant: =>     - contract: => unknown field `contract`
init(main()) => init(other()) => start in 'other'
call(reach_error()) => call(somebody()) => somebody
G ! call(reach_error()) => G something => not a property
"./program.c": " => "./other.c": " => not an input file
"./program.c": " => "./program.c": "0 => not a SHA-256
LP64 => LP65 => data model
      data_model: LP64\n =>  => no data_model
      language: C\n =>  => no language
value: "i <= n" => value: ["i <= n"] =>
value: "i <= n"\n => value: "i <= n"\n        value: "i > n"\n =>
line: 8 => line: eight =>
line: 8 => line: -8 =>
file_name: "./program.c" => file_name: other.c => other.c
format_version: "2.0" => format_version: "9" => format version
  content: =>   contents: => contents"#;

/// The same for a sequence.
const SLIPS_OF_SEQUENCES: &str = r#"action: follow, constraint => action: wish, constraint => a known action
type: target => type: branching =>
language: C => language: Java => language C
== 8"} => == 8", format: prose} => not a known format
== 8"} => == 8", unless: never} => unless
line: 5, => line: 5, function: twice, => not in 'twice'
column: 5} => column: 1} => nothing at
column: 5} => column: 6} => nothing begins
column: 5} => column: 18} => nothing begins
type: target, action: follow => type: target, action: follow, constraint: {value: zz} => has no constraint
line: 14 => line: 1400 => no line 1400"#;

#[test]
fn invariants_that_are_none_are_refused() {
    let mut forger = Forger::new("forged-invariants", &safe());
    for (line, column, value, wanted) in [
        (8, 3, "zz == 1", "'zz'"),
        (
            8,
            3,
            "(struct nope *)p == p",
            "a type that the program does not have",
        ),
        (8, 3, "(nope)i == i", ""),
        (8, 3, "\\\\result == 0", "specification language"),
        (8, 3, "\\\\old(i) == i", "specification language"),
        (8, 3, "({ i = 0; 1; })", ""),
        (8, 4, "i <= n", "nothing begins"),
        (8, 15, "i <= n", "nothing begins"),
        (8, 3, "inner == 3", "'inner'"),
        (8, 3, "i ==== 8 )", ""),
        (8, 3, "", ""),
        (8, 3, "i = 3", "side effects"),
        (8, 3, "i++ == 3", "side effects"),
        (8, 3, "__VERIFIER_nondet_uint() == 0", ""),
        (8, 3, "i == 0; reach_error()", ""),
        (9, 5, "i <= n", "there is no loop"),
        (800, 3, "i <= n", "no line 800"),
        (0, 3, "i <= n", "no line 0"),
        (8, 300, "i <= n", "no column 300"),
    ] {
        let witness = invariant(&forger.program, line, column, value);
        forger.expect("w.yml", &witness, 2, wanted);
    }
    let good = invariant(&forger.program, 8, 3, "i <= n");
    forger.expect("w.yml", &good, 0, "CONFIRMED");
    for [from, to, wanted] in table(SLIPS) {
        assert!(good.contains(&from), "{from}");
        forger.expect("w.yml", &good.replace(&from, &to), 2, &wanted);
    }
    // A second entry is about the same task, or there is none.
    let other = good.replace("LP64", "ILP32");
    forger.expect("w.yml", &format!("{good}{other}"), 2, "another task");
    // Nothing said is nothing to check, and the program is proved all the same.
    let head = head(&forger.program);
    let empty = format!("- entry_type: invariant_set\n{head}  content: []\n");
    forger.expect("w.yml", &empty, 0, "CONFIRMED");
    forger.finish();
    let mut forger = Forger::new("forged-empty", UNSAFE);
    let head = self::head(&forger.program);
    let empty = format!("- entry_type: invariant_set\n{head}  content: []\n");
    forger.expect("w.yml", &empty, 1, "REFUTED");
    forger.finish();
}

/// Waypoints that are none: kind, value, line, column, what is said. The last are columns where
/// nothing is or something else, calls, which have effects, and functions, which have no values.
const NO_WAYPOINTS: &str = r#"assumption => zz == 1 => 13 => 3 => 'zz'
assumption => n ==== 8 ) => 13 => 3 => cannot be used
assumption =>  => 13 => 3 => cannot be used
assumption => n = 8 => 13 => 3 => side effects
assumption => n == 8 => 130 => 3 => no line 130
assumption => n == 8 => 13 => 300 => no column 300
assumption => inner == 3 => 13 => 3 => 'inner'
branching => perhaps => 13 => 3 => not a branch
branching => true => 10 => 5 => no branch
function_return => n ==== 8 ) => 5 => 39 => \result
function_return => \\result == zz => 5 => 39 => \result
function_return => \\result == 8 => 10 => 5 => no call
function_return => \\result == 8 => 9 => 5 => no call
function_return => \\result == 0.5 => 5 => 39 => no such value
function_return => \\result == 8 => 14 => 17 => no result
function_enter => true => 10 => 5 => has no constraint
assumption => n == 8 => 13 => 1 => nothing at
assumption => n == 8 => 4 => 1 => no statement
assumption => n == 8 => 12 => 3 => nothing begins
branching => true => 13 => 1 => nothing at
function_return => \\result == 8 => 5 => 1 => nothing at
function_return => \\result == 8 => 5 => 12 => no call
function_return => \\result == 8ull0 => 5 => 39 => \result
function_return => \\result == -4294967288 => 5 => 39 => no such value
assumption => twice(n) == 8 => 13 => 3 => side effects
assumption => main => 13 => 3 => cannot be used
wish => true => 13 => 3 => not a known type"#;

#[test]
fn waypoints_that_are_none_are_refused() {
    let mut forger = Forger::new("forged-waypoints", UNSAFE);
    let at = |kind: &str, value: &str, line: u32, column: u32| {
        format!(
            "{{type: {kind}, action: follow, constraint: {{value: \"{value}\"}}, \
             location: {{file_name: \"./program.c\", line: {line}, column: {column}}}}}"
        )
    };
    let good = sequence(
        &forger.program,
        &at("function_return", "\\\\result == 8", 5, 39),
    );
    forger.expect("w.yml", &good, 0, "CONFIRMED");
    for [kind, value, line, column, wanted] in table(NO_WAYPOINTS) {
        let place = (
            line.parse().expect("a line"),
            column.parse().expect("a column"),
        );
        let witness = sequence(&forger.program, &at(&kind, &value, place.0, place.1));
        forger.expect("w.yml", &witness, 2, &wanted);
    }
    for (kind, value, line, column) in [
        ("assumption", "n == 9", 13, 3),
        ("assumption", "1 / (s - s) == 1", 13, 3),
        ("assumption", "(int)1e30 == (int)1e30", 13, 3),
        ("assumption", "(1u << 40) == (1u << 40)", 13, 3),
        ("assumption", "*(int*)0 == 0", 13, 3),
        // It overflows in every execution that violates the property.
        ("assumption", "2147483640 + (int)n > 0 || 1", 13, 3),
        ("function_return", "\\\\result == 9", 5, 39),
        ("branching", "false", 13, 3),
    ] {
        let witness = sequence(&forger.program, &at(kind, value, line, column));
        forger.expect("w.yml", &witness, 1, "REFUTED");
    }
    // What is to be avoided has no value in every execution that violates the property.
    let segment = "    - segment:\n        - waypoint: {type: target";
    assert!(good.contains(segment));
    for value in ["2147483640 + (int)n < 0", "(int)1e30 == 3", "1u << 40 == 7"] {
        let avoid = at("assumption", value, 13, 3).replace("follow", "avoid");
        let avoided = good.replace(
            segment,
            &segment.replace(
                "waypoint: ",
                &format!("waypoint: {avoid}\n        - waypoint: "),
            ),
        );
        forger.expect("w.yml", &avoided, 1, "REFUTED");
    }
    // The same waypoint twice, where executions pass it once.
    let segment = format!(
        "    - segment:\n        - waypoint: {}\n",
        at("function_return", "\\\\result == 8", 5, 39)
    );
    assert!(good.contains(&segment));
    let twice = good.replace(&segment, &segment.repeat(2));
    forger.expect("w.yml", &twice, 1, "REFUTED");
    // A declaration begins with its type.
    let declared = sequence(&forger.program, &at("assumption", "n == 8", 6, 3));
    forger.expect("w.yml", &declared, 0, "CONFIRMED");
    for [from, to, wanted] in table(SLIPS_OF_SEQUENCES) {
        forger.expect("w.yml", &good.replace(&from, &to), 2, &wanted);
    }
    let elsewhere = good.replace("line: 14, column: 5", "line: 13, column: 3");
    forger.expect("w.yml", &elsewhere, 1, "nothing at the witness's target");
    let head = head(&forger.program);
    let empty = format!("- entry_type: violation_sequence\n{head}  content: []\n");
    forger.expect("w.yml", &empty, 2, "no target");
    forger.finish();
}

/// The same in the older format.
#[test]
fn edges_and_nodes_that_are_none_are_refused() {
    let mut forger = Forger::new("forged-graph", UNSAFE);
    let hash = witness::hash_of(UNSAFE.as_bytes());
    let good = format!(
        r#"<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">
<data key="witness-type">violation_witness</data><data key="sourcecodelang">C</data><data key="producer">Other</data>
<data key="specification">CHECK( init(main()), LTL(G ! call(reach_error())) )</data>
<data key="programfile">program.c</data><data key="programhash">{hash}</data><data key="architecture">64bit</data>
<node id="a"><data key="entry">true</data></node><node id="b"/><node id="c"><data key="violation">true</data></node>
<edge source="a" target="b"><data key="startline">5</data><data key="assumption">n == 8;</data></edge>
<edge source="b" target="c"><data key="startline">14</data></edge>
</graph></graphml>"#
    );
    forger.expect("w.graphml", &good, 0, "CONFIRMED");
    let offsets = |line: u32, text: &str| {
        let at = UNSAFE.find(text).expect("it stands there");
        format!("<data key=\"startline\">{line}</data><data key=\"startoffset\">{at}</data>")
    };
    let right = good.replace(
        "<data key=\"startline\">5</data>",
        &offsets(5, "unsigned n ="),
    );
    forger.expect("w.graphml", &right, 0, "CONFIRMED");
    // No loop begins there: nobody can say what is meant.
    let entering = "<data key=\"enterLoopHead\">true</data><data key=\"assumption\">";
    let entering = good.replace("<data key=\"assumption\">", entering);
    forger.expect("w.graphml", &entering, 3, "no loop begins");
    // The same side of a branch five hundred times is five hundred steps.
    let mut chain = String::new();
    for number in 0..500 {
        chain += &format!(
            "<node id=\"n{number}\"/><edge source=\"n{number}\" target=\"n{}\">\
             <data key=\"startline\">8</data><data key=\"control\">condition-true</data></edge>",
            number + 1
        );
    }
    chain += "<node id=\"n500\"/><edge source=\"a\" target=\"n0\"><data key=\"startline\">5</data>\
              <data key=\"assumption\">n == 8;</data></edge><edge source=\"n500\" target=\"c\">\
              <data key=\"startline\">14</data></edge>";
    let first = good.find("<edge").expect("there are edges");
    let last = good.find("</graph>").expect("there is a graph");
    let long = format!("{}{chain}{}", &good[..first], &good[last..]);
    forger.expect("w.graphml", &long, 1, "REFUTED");
    for (from, to, wanted) in [
        ("n == 8;", "zz == 1;", "'zz'"),
        ("n == 8;", "n ==== 8 )", "cannot be used"),
        ("n == 8;", "\\result ==== 8", "\\result"),
        ("n == 8;", "n = 8;", "side effects"),
        ("startline\">5<", "startline\">500<", "no line 500"),
        ("startline\">14<", "startline\">1400<", "no line 1400"),
        ("startline\">5<", "startline\">0<", "no line 0"),
        ("startline\">5<", "startline\">five<", "not a number"),
        ("source=\"b\"", "source=\"z\"", "'z'"),
        ("node id=\"b\"", "node id=\"a\"", "two nodes"),
        (
            "true</data></node><node id=\"b\"/>",
            "false</data></node><node id=\"b\"/>",
            "entry",
        ),
        (&hash[..8], "00000000", "another program"),
        (&hash[..], "", "no hash"),
        (&hash[..], "1234", "not a SHA-256"),
        ("violation\">true", "violation\">false", "violation"),
        ("64bit", "65bit", "architecture"),
        ("lang\">C<", "lang\">Java<", "language C"),
        (
            "violation\">true",
            "violation\">perhaps",
            "not a truth value",
        ),
        (
            "<data key=\"assumption\">",
            "<data key=\"assumption\">zz == 1</data><data key=\"assumption\">",
            "given twice",
        ),
        (
            "<data key=\"assumption\">",
            "<data key=\"assumption.scope\">twice</data><data key=\"assumption\">",
            "no step",
        ),
        (
            "<data key=\"assumption\">",
            "<data key=\"enterFunction\">nowhere</data><data key=\"assumption\">",
            "no step",
        ),
        (
            "<data key=\"startline\">14</data>",
            "<data key=\"startline\">14</data><data key=\"control\">condition-true</data>",
            "no step",
        ),
        (
            "<data key=\"startline\">14</data>",
            "<data key=\"startline\">14</data><data key=\"endline\">3</data>",
            "to line 3",
        ),
        (
            "<edge source=\"b\"",
            "<edge source=\"b\" target=\"b\"><data key=\"assumption\">zz == 1</data></edge><edge source=\"b\"",
            "'zz'",
        ),
        ("</graph>", "</graph><graph/>", "more than one"),
        (
            "<node id=\"b\"/>",
            "<node id=\"b\"><data key=\"invariant\">i == 9</data></node>",
            "has an invariant",
        ),
        (
            "entry\">true</data>",
            "entry\">true</data><data key=\"violation\">true</data>",
            "before the first step",
        ),
        (
            "<node id=\"b\"/>",
            "<node id=\"b\"><data key=\"sink\">true</data></node>",
            "leaves the sink",
        ),
        (
            "source=\"a\" target=\"b\"",
            "source=\"b\" target=\"b\"",
            "no way leads",
        ),
        (
            "<data key=\"sourcecodelang\">C</data>",
            "",
            "sourcecodelang",
        ),
        (
            "<data key=\"architecture\">64bit</data>",
            "",
            "architecture",
        ),
        // Offsets outside the file or its line, inside a word, before the step, the wrong way
        // round.
        (
            "<data key=\"startline\">5</data>",
            "<data key=\"startline\">5</data><data key=\"startoffset\">99999</data>",
            "no character",
        ),
        (
            "<data key=\"startline\">5</data>",
            "<data key=\"startline\">5</data><data key=\"startoffset\">0</data>",
            "is in line 1",
        ),
        (
            "<data key=\"startline\">5</data>",
            "<data key=\"startline\">5</data><data key=\"startoffset\">-1</data>",
            "not a number",
        ),
        (
            "<data key=\"startline\">5</data>",
            &offsets(5, "nsigned n"),
            "nothing begins",
        ),
        (
            "<data key=\"startline\">5</data>",
            &offsets(5, "unsigned i ="),
            "is in line 6",
        ),
        (
            "<data key=\"startline\">14</data>",
            &offsets(14, ";\n  return"),
            "nothing begins",
        ),
        (
            "<data key=\"startline\">14</data>",
            "<data key=\"startline\">14</data><data key=\"startoffset\">9</data><data key=\"endoffset\">8</data>",
            "to character 8",
        ),
        ("reach_error", "somebody", "somebody"),
    ] {
        assert!(good.contains(from), "{from}");
        forger.expect("w.graphml", &good.replace(from, to), 2, wanted);
    }
    // Only one of the steps on the line enters a loop, and no execution of the witness passes it.
    let jumps = "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), g = 0;
  switch (n) {
    case 1: g = 7; break;
    default: g = 8;
  }
  while (g > n) g--;
  if (n == 2 && g == 2)
    reach_error();
  return 0;
}
";
    let mut entering = Forger::new("forged-enters-loop", jumps);
    let good_here = good
        .replace(&hash, &witness::hash_of(jumps.as_bytes()))
        .replace("startline\">5<", "startline\">4<")
        .replace("n == 8;", "n == 2;")
        .replace("startline\">14<", "startline\">11<");
    entering.expect("w.graphml", &good_here, 0, "CONFIRMED");
    let enters = |line: u32| {
        let step = format!(
            "<node id=\"x\"/><edge source=\"b\" target=\"x\"><data key=\"startline\">{line}</data>\
             <data key=\"enterLoopHead\">true</data></edge><edge source=\"x\""
        );
        good_here.replace("<edge source=\"b\"", &step)
    };
    entering.expect("w.graphml", &enters(7), 0, "CONFIRMED");
    entering.expect("w.graphml", &enters(6), 1, "REFUTED");
    entering.finish();
    for (from, to) in [
        ("n == 8;", "n == 9;"),
        ("n == 8;", "1/(n-n) == 1;"),
        ("startline\">14<", "startline\">13<"),
        (
            "<data key=\"startline\">14</data>",
            "<data key=\"startline\">14</data><data key=\"assumption\">i == 9;</data>",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        forger.expect("w.graphml", &good.replace(from, to), 1, "REFUTED");
    }
    forger.finish();
}

#[test]
fn invariants_in_graphs_have_a_place() {
    let text = safe();
    let mut forger = Forger::new("forged-graph-invariants", &text);
    let hash = witness::hash_of(text.as_bytes());
    let good = format!(
        r#"<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">
<data key="witness-type">correctness_witness</data><data key="sourcecodelang">C</data><data key="producer">Other</data>
<data key="specification">CHECK( init(main()), LTL(G ! call(reach_error())) )</data>
<data key="programfile">program.c</data><data key="programhash">{hash}</data><data key="architecture">64bit</data>
<node id="a"><data key="entry">true</data></node>
<node id="b"><data key="invariant">i &lt;= n</data><data key="invariant.scope">main</data></node>
<edge source="a" target="b"><data key="startline">8</data><data key="enterLoopHead">true</data></edge>
</graph></graphml>"#
    );
    forger.expect("w.graphml", &good, 0, "CONFIRMED");
    for (from, to, wanted) in [
        ("i &lt;= n", "zz == 1", "'zz'"),
        ("i &lt;= n", "i ==== n )", ""),
        ("startline\">8<", "startline\">800<", "no line 800"),
        ("<data key=\"startline\">8</data>", "", "has no place"),
        ("target=\"b\"", "target=\"z\"", "'z'"),
    ] {
        assert!(good.contains(from), "{from}");
        forger.expect("w.graphml", &good.replace(from, to), 2, wanted);
    }
    // Nothing there enters a loop: nobody knows where it is to hold.
    for line in ["9", "13"] {
        let witness = good.replace("startline\">8<", &format!("startline\">{line}<"));
        forger.expect("w.graphml", &witness, 3, "no loop");
    }
    for (from, to, wanted) in [
        ("scope\">main", "scope\">twice", "not in 'twice'"),
        (
            "<node id=\"a\">",
            "<node id=\"x\"><data key=\"sink\">true</data></node><node id=\"a\">",
            "a sink",
        ),
        ("entry\">true", "entry\">false", "entry"),
    ] {
        assert!(good.contains(from), "{from}");
        forger.expect("w.graphml", &good.replace(from, to), 2, wanted);
    }
    for value in [
        "1/(s-s) == 1",
        "*(int*)0 == 0",
        "i == 0",
        "(int)1e30 == (int)1e30",
    ] {
        let witness = good.replace("i &lt;= n", value);
        forger.expect("w.graphml", &witness, 1, "REFUTED");
    }
    forger.finish();
}

/// What the program never uses is not there to be spoken of.
#[test]
fn invariants_about_unused_things_end_in_unknown() {
    let text = "int unused;\nint *pointer;\nint main(void)\n{\n    int i = 0;\n    \
                while (i < 3)\n        i++;\n    return 0;\n}\n";
    let mut forger = Forger::new("forged-unused", text);
    let program = forger.program.clone();
    for (number, value) in [
        "unused == 0",
        "pointer == 0",
        "*pointer == i",
        "'a'[pointer] == 0",
    ]
    .into_iter()
    .chain([r#"\"a\" == \"b\""#])
    .enumerate()
    {
        let witness = invariant(&program, 6, 5, value);
        forger.expect(&format!("{number}.yml"), &witness, 3, "is not checked");
    }
    forger.finish();
}
