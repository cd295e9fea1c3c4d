//! What is asked of a harness.

/// What globals hold when the entry is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Globals {
    /// What their initialisers say.
    #[default]
    Initialised,
    /// Anything.
    Any,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Request {
    pub entry: String,
    /// What single pointers lead to: `buf[len]`, `text[]`, `*p`.
    pub arguments: Vec<String>,
    /// C expressions over parameters and globals that hold when the entry is called.
    pub assume: Vec<String>,
    pub globals: Globals,
}

/// What a pointer leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Pointee {
    /// One object; not null.
    One,
    /// An array with so many elements.
    Array(String),
    /// Characters with a zero behind them.
    Text,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    /// As it was given.
    pub text: String,
    /// The pointer, without blanks: `q->buf`.
    pub path: String,
    pub leads: Pointee,
    pub is_used: bool,
}

impl Request {
    pub(super) fn shapes(&self) -> Result<Vec<Shape>, String> {
        self.arguments.iter().map(|text| shape(text)).collect()
    }

    /// Whether an expression that must hold, or a length, looks behind the pointer.
    pub(super) fn looks_behind(&self, path: &str) -> bool {
        let mut lengths = self.arguments.iter().map(|text| {
            let (_, length) = text.split_once('[').unwrap_or_default();
            length
        });
        let looks = |text: &str| {
            let text: String = text.split_whitespace().collect();
            text.match_indices(path).any(|(at, _)| {
                let (before, rest) = (&text[..at], &text[at + path.len()..]);
                let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || "_>.".contains(c));
                let is_star = before.ends_with('*') && !rest.starts_with(is_of_word);
                is_word && (rest.starts_with("->") || rest.starts_with('[') || is_star)
            })
        };
        let reaches = |text: &String| {
            let text: String = text.split_whitespace().collect();
            text.trim_start_matches('*')
                .starts_with(&format!("{path}->"))
        };
        self.assume.iter().any(|text| looks(text))
            || lengths.any(looks)
            || self.arguments.iter().any(reaches)
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Reads `buf[len]`, `text[]` or `*p`.
fn shape(text: &str) -> Result<Shape, String> {
    let whole: String = text.split_whitespace().collect();
    let (path, leads) = if let Some(path) = whole.strip_prefix('*') {
        (path, Pointee::One)
    } else if let Some((path, rest)) = whole.split_once('[')
        && rest.ends_with(']')
    {
        let (_, length) = text.split_once('[').unwrap_or_default();
        let length = length.trim_end();
        let length = length.strip_suffix(']').unwrap_or(length).trim();
        match length.is_empty() {
            true => (path, Pointee::Text),
            false => (path, Pointee::Array(length.to_owned())),
        }
    } else {
        ("", Pointee::One)
    };
    let is_path = |c: char| is_of_word(c) || "->.".contains(c);
    if path.is_empty() || !path.chars().all(is_path) {
        return Err(format!(
            "--argument '{text}': write 'buf[len]' for an array of len elements, 'text[]' for a \
             string, or '*p' for a pointer that is not null"
        ));
    }
    Ok(Shape {
        text: text.to_owned(),
        path: path.to_owned(),
        leads,
        is_used: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read() {
        let leads = |text: &str| shape(text).map(|shape| (shape.path, shape.leads));
        let array = |length: &str| Pointee::Array(length.into());
        assert_eq!(leads("buf[len]"), Ok(("buf".into(), array("len"))));
        let nested = leads("q->buf[q->size + a[1]]");
        assert_eq!(nested, Ok(("q->buf".into(), array("q->size + a[1]"))));
        assert_eq!(leads("text[]"), Ok(("text".into(), Pointee::Text)));
        assert_eq!(leads("*p"), Ok(("p".into(), Pointee::One)));
        for wrong in ["p", "", "*", "p[1", "f(x)[2]"] {
            assert!(leads(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn assumptions_look_behind_pointers() {
        let request = Request {
            assume: vec!["q->size > 1 && xq < 3 && n == *p".into()],
            ..Request::default()
        };
        assert!(request.looks_behind("q") && request.looks_behind("p"));
        assert!(!request.looks_behind("x") && !request.looks_behind("n"));
    }
}
