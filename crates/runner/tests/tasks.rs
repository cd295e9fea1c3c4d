//! Task lists of every kind, written to a directory and read back.

use runner::tasks::{DataModel, Kind, Task, load};
use runner::verdict::Expected;
use std::fs;
use std::path::{Path, PathBuf};

/// A directory that goes away with the test.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("runner-tasks-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const UNREACH: &str = "CHECK( init(main()), LTL(G ! call(my_error())) )\n";
const DEFINITION: &str = "format_version: '2.0'\ninput_files: 'a.c'\nproperties:\n\
    - property_file: ../properties/unreach-call.prp\n  expected_verdict: false\n\
    - property_file: ../properties/valid-memsafety.prp\n  expected_verdict: false\n  subproperty: valid-deref\n\
    - property_file: ../properties/coverage.prp\n\
    options: {language: C, data_model: LP64}\n";

fn with_definition(name: &str) -> Directory {
    let directory = Directory::new(name);
    directory.file("properties/unreach-call.prp", UNREACH);
    directory.file(
        "properties/coverage.prp",
        "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )\n",
    );
    directory.file(
        "properties/valid-memsafety.prp",
        "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\n\
        CHECK( init(main()), LTL(G valid-memtrack) )\n",
    );
    directory.file("x/a.c", "int main() {}");
    directory.file("x/a.yml", DEFINITION);
    directory.file("x/b_true-unreach-call.i", "int main() {}");
    directory
}

fn brief(task: &Task) -> (Kind, Option<Expected>, DataModel) {
    (task.kind, task.expected.clone(), task.data_model)
}

#[test]
fn a_definition_gives_a_task_for_each_property_with_a_verdict() {
    let directory = with_definition("definition");
    let tasks = load(&[directory.0.join("x/a.yml")], DataModel::Ilp32).unwrap();
    assert_eq!(tasks.len(), 2);
    assert_eq!(
        brief(&tasks[0]),
        (
            Kind::UnreachCall,
            Some(Expected::False(None)),
            DataModel::Lp64
        )
    );
    assert_eq!(
        tasks[0].property.as_ref().unwrap().function.as_deref(),
        Some("my_error")
    );
    assert_eq!(tasks[0].property.as_ref().unwrap().text, UNREACH);
    assert_eq!(
        tasks[1].expected,
        Some(Expected::False(Some("valid-deref".into())))
    );
    assert_eq!(tasks[0].files, [directory.0.join("x/a.c")]);
}

#[test]
fn a_directory_is_searched_and_defined_programs_count_once() {
    let directory = with_definition("directory");
    directory.file("x/other.yml", "- entry_type: invariant_set\n");
    directory.file("y/c.c", "int main() {}");
    let tasks = load(std::slice::from_ref(&directory.0), DataModel::Ilp32).unwrap();
    let names: Vec<_> = tasks
        .iter()
        .map(|task| Path::new(&task.name).file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(names, ["a.yml", "a.yml", "b_true-unreach-call.i", "c.c"]);
    assert_eq!(
        brief(&tasks[2]),
        (Kind::UnreachCall, Some(Expected::True), DataModel::Ilp32)
    );
    assert_eq!(
        brief(&tasks[3]),
        (Kind::UnreachCall, None, DataModel::Ilp32)
    );
    assert_eq!(tasks[3].category.as_deref(), Some("y"));
}

#[test]
fn a_set_file_has_patterns_and_an_architecture() {
    let directory = with_definition("set");
    let set = directory.file("Some.set", "# comment\nx/*.yml\n\nx/*_true*.i\nx/*.i\n");
    directory.file("Some.cfg", "Description: text\nArchitecture: 64 bit\n");
    let tasks = load(&[set], DataModel::Ilp32).unwrap();
    assert_eq!(tasks.len(), 3);
    assert!(
        tasks
            .iter()
            .all(|task| task.category.as_deref() == Some("Some"))
    );
    assert_eq!(tasks[2].data_model, DataModel::Lp64);
    let missing = directory.file("Missing.set", "x/missing.yml\n");
    let error = load(&[missing], DataModel::Ilp32).unwrap_err().to_string();
    assert!(
        error.contains("line 1: x/missing.yml does not exist"),
        "{error}"
    );
}

#[test]
fn a_csv_list_keeps_its_further_columns() {
    let directory = with_definition("csv");
    let list = directory.file(
        "lists/one.csv",
        "file,property,expected,data_model,size_bytes,category,doc_status\n\
        x/a.c,unreach-call,false,ILP32,12,Loops,true\n\
        x/b_true-unreach-call.i,no-overflow,,LP64,12,,\n\
        x/b_true-unreach-call.i,unreach-call,,LP64,12,,\n",
    );
    let tasks = load(&[list], DataModel::Ilp32).unwrap();
    assert_eq!(tasks.len(), 3);
    assert_eq!(tasks[0].name, "x/a.c");
    assert_eq!(
        brief(&tasks[0]),
        (
            Kind::UnreachCall,
            Some(Expected::False(None)),
            DataModel::Ilp32
        )
    );
    assert_eq!(tasks[0].category.as_deref(), Some("Loops"));
    assert_eq!(tasks[0].columns["doc_status"], "true");
    assert_eq!(
        tasks[0].property.as_ref().unwrap().function.as_deref(),
        Some("my_error")
    );
    assert_eq!(brief(&tasks[1]), (Kind::NoOverflow, None, DataModel::Lp64));
    assert_eq!(
        brief(&tasks[2]),
        (Kind::UnreachCall, Some(Expected::True), DataModel::Lp64)
    );
}

#[test]
fn the_same_task_in_two_lists_is_one_task() {
    let directory = with_definition("twice");
    let one = directory.file("one.csv", "file,expected,a\nx/a.c,true,1\n");
    let two = directory.file("two.csv", "file,expected,a,b\nx/a.c,true,9,2\n");
    let tasks = load(&[one, two], DataModel::Ilp32).unwrap();
    assert_eq!(tasks.len(), 1);
    assert_eq!(
        (&*tasks[0].columns["a"], &*tasks[0].columns["b"]),
        ("1", "2")
    );
}

#[test]
fn slips_are_reported_with_their_place() {
    let directory = with_definition("slips");
    let message = |name: &str, text: &str| {
        load(&[directory.file(name, text)], DataModel::Ilp32)
            .unwrap_err()
            .to_string()
    };
    for (name, text, expected) in [
        (
            "a.csv",
            "name\nx\n",
            "header: the list has no column `file`",
        ),
        (
            "b.csv",
            "file\nnowhere.c\n",
            "line 2: nowhere.c does not exist",
        ),
        (
            "c.csv",
            "file,expected\nx/a.c,perhaps\n",
            "`perhaps` is not an expected verdict",
        ),
        (
            "d.csv",
            "file,data_model\nx/a.c,ILP64\n",
            "ILP64 is neither",
        ),
        ("e.csv", "file,property\nx/a.c,beauty\n", "beauty"),
        ("f.csv", "file,expected\nx/a.c\n", "record"),
        (
            "g.yml",
            "format_version: '9.0'\ninput_files: a.c\n",
            "9.0 is not supported",
        ),
        ("h.yml", "input_files: a.c\n", "format_version"),
        (
            "i.yml",
            "format_version: '2.0'\ninput_files: []\n",
            "no program",
        ),
    ] {
        let error = message(name, text);
        assert!(error.contains(expected), "{error}");
    }
    assert!(load(&[directory.0.join("none.c")], DataModel::Ilp32).is_err());
}
