//! Lists of notes and inputs for people: what is said of many is said once, and a file is named
//! once.

use super::message::{InputShown, Note};
use super::values::HARNESS;

/// Names and values that are listed before the rest is only counted.
const MAX_LISTED: usize = 20;
/// Groups of notes before the rest is only counted.
const MAX_GROUPS: usize = 20;
/// Letters of a line of names.
const WIDTH: usize = 100;

/// The lines below a title, which say `where` the notes are if they are all in one file.
pub struct Listing {
    pub file: Option<String>,
    pub lines: Vec<String>,
}

/// Notes that say the same of different functions.
struct Group<'a> {
    /// What they say, without the name.
    text: String,
    /// Each name with its places.
    names: Vec<(&'a str, Vec<&'a str>)>,
    /// The first note, in its own words.
    first: &'a Note,
}

pub fn listing(notes: &[Note]) -> Listing {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for note in notes {
        let (text, name) = without_name(&note.text);
        let place = note.place.as_str();
        let known = groups.iter_mut().find(|group| group.text == text);
        let Some(group) = known else {
            groups.push(Group {
                text,
                names: vec![(name, vec![place])],
                first: note,
            });
            continue;
        };
        match group.names.iter_mut().find(|(known, _)| *known == name) {
            Some((_, places)) => places.push(place),
            None => group.names.push((name, vec![place])),
        }
    }
    let file = common_file(notes);
    let mut lines = Vec::new();
    for group in groups.iter().take(MAX_GROUPS) {
        describe(group, file.is_some(), &mut lines);
    }
    if groups.len() > MAX_GROUPS {
        lines.push(format!("  … and {} more", groups.len() - MAX_GROUPS));
    }
    Listing { file, lines }
}

/// The text with the name in it replaced, and the name; names stand in backquotes.
fn without_name(text: &str) -> (String, &str) {
    let mut parts = text.splitn(3, '`');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(before), Some(name), Some(after)) => {
            let before = match before
                .trim_end()
                .strip_prefix("the ")
                .filter(|kind| kind.bytes().all(|byte| byte.is_ascii_alphabetic()))
            {
                Some(kind) => format!("each of these {kind}s"),
                None => format!("{before}…"),
            };
            (format!("{before}{after}"), name)
        }
        _ => (text.to_owned(), ""),
    }
}

/// A place is a file, a line and a column.
fn split(place: &str) -> Option<(&str, &str)> {
    let (rest, _column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    line.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some((file, line))
}

/// The file that all notes are in, if there are several of them and it is worth while to name it
/// once.
fn common_file(notes: &[Note]) -> Option<String> {
    let (file, _) = split(&notes.first()?.place)?;
    let is_common = notes
        .iter()
        .all(|note| split(&note.place).is_some_and(|(other, _)| other == file));
    (is_common && notes.len() > 2).then(|| file.to_owned())
}

fn describe(group: &Group<'_>, file_is_known: bool, lines: &mut Vec<String>) {
    let shown = |place: &str| match split(place) {
        Some((_, line)) if file_is_known => format!("line {line}"),
        _ => place.to_owned(),
    };
    let with_rest = |places: &[&str]| {
        let first = places.first().copied().unwrap_or_default();
        match places.len() {
            0 | 1 => shown(first),
            2 => format!("{} and one more place", shown(first)),
            count => format!("{} and {} more places", shown(first), count - 1),
        }
    };
    if let [(_, places)] = &group.names[..] {
        lines.push(format!("  {}: {}", with_rest(places), group.first.text));
        return;
    }
    lines.push(format!("  {}:", group.text));
    let names = group.names.iter().take(MAX_LISTED);
    let mut items: Vec<String> = names
        .map(|(name, places)| format!("{name} ({})", with_rest(places)))
        .collect();
    if group.names.len() > MAX_LISTED {
        items.push(format!("and {} more", group.names.len() - MAX_LISTED));
    }
    wrap(&items, lines);
}

/// The items, separated by commas, in lines that fit.
fn wrap(items: &[String], lines: &mut Vec<String>) {
    let mut line = String::from("   ");
    for (number, item) in items.iter().enumerate() {
        if !line.trim().is_empty() && line.chars().count() + item.chars().count() > WIDTH {
            lines.push(std::mem::replace(&mut line, "   ".into()));
        }
        line.push(' ');
        line.push_str(item);
        if number + 1 < items.len() {
            line.push(',');
        }
    }
    lines.push(line);
}

/// A line for each place that inputs are taken at in a row, with all that were taken there.
pub fn inputs(inputs: &[InputShown], most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let shown = &inputs[..inputs.len().min(most)];
    for run in shown.chunk_by(|a, b| a.place == b.place && a.what == b.what) {
        let values: Vec<String> = run.iter().map(|input| input.value.clone()).collect();
        let mut wrapped = Vec::new();
        wrap(&values, &mut wrapped);
        // What the harness makes is known by its name alone.
        let head = match run[0].place.starts_with(HARNESS) {
            true => format!("  {} =", run[0].what),
            false => format!("  {}: {} =", run[0].place, run[0].what),
        };
        match &wrapped[..] {
            [line] => lines.push(format!("{head} {}", line.trim_start())),
            _ => {
                lines.push(head);
                lines.append(&mut wrapped);
            }
        }
    }
    if inputs.len() > most {
        lines.push(format!("  … and {} more", inputs.len() - most));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(place: &str, text: &str) -> Note {
        Note {
            place: place.into(),
            text: text.into(),
        }
    }

    #[test]
    fn what_is_said_of_many_functions_is_said_once() {
        let nothing = |name: &str| format!("the function `{name}` has no body; it is silent");
        let notes = [
            note("dir/a.c:7:3", &nothing("one")),
            note("dir/a.c:9:3", &nothing("two")),
            note("dir/a.c:11:3", &nothing("one")),
            note("dir/a.c:12:3", &nothing("one")),
            note("dir/a.c:4:1", "inline assembly does nothing"),
        ];
        let listing = listing(&notes);
        assert_eq!(listing.file.as_deref(), Some("dir/a.c"));
        assert_eq!(
            listing.lines,
            [
                "  each of these functions has no body; it is silent:",
                "    one (line 7 and 2 more places), two (line 9)",
                "  line 4: inline assembly does nothing",
            ]
        );
    }

    #[test]
    fn a_single_note_keeps_its_words_and_its_place() {
        let text = "the function `f` has no body; it changes nothing";
        let listing = listing(&[note("a.c:7:3", text)]);
        assert_eq!(listing.file, None);
        assert_eq!(listing.lines, [format!("  a.c:7:3: {text}")]);
        let (text, name) = without_name("the variable `v` is not defined");
        assert_eq!(text, "each of these variables is not defined");
        assert_eq!(name, "v");
        // What is no place is shown as it is.
        let odd = super::listing(&[note("somewhere", "x"), note("a.c:1:2", "y")]);
        assert_eq!(odd.lines, ["  somewhere: x", "  a.c:1:2: y"]);
    }

    #[test]
    fn long_lists_are_wrapped_and_cut() {
        let notes: Vec<Note> = (0..50)
            .map(|number| {
                let text = format!("the function `name_of_function_{number}` is silent");
                note(&format!("a.c:{number}:1"), &text)
            })
            .collect();
        let lines = listing(&notes).lines;
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH + 2));
        assert!(
            lines
                .last()
                .is_some_and(|line| line.ends_with("and 30 more"))
        );
        assert!(lines.len() < 12, "{lines:?}");
    }

    #[test]
    fn inputs_taken_at_one_place_share_a_line() {
        let input = |place: &str, value: &str| InputShown {
            place: place.into(),
            what: "f()".into(),
            value: value.into(),
            at: None,
        };
        let list = [
            input("a.c:1:1", "3"),
            input("a.c:1:1", "-1"),
            input("a.c:2:1", "0"),
        ];
        assert_eq!(
            super::inputs(&list, 20),
            ["  a.c:1:1: f() = 3, -1", "  a.c:2:1: f() = 0"]
        );
        assert_eq!(super::inputs(&list, 1)[1], "  … and 2 more");
    }
}
