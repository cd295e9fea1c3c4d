//! A table of texts, and how it looks in Markdown.

use std::fmt::Write;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    pub title: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    pub notes: Vec<String>,
}

impl Table {
    /// The first column is text and stands to the left; the others are figures and stand to the
    /// right.
    pub fn markdown(&self) -> String {
        let mut out = format!("**{}**\n\n", escape(&self.title));
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        out += &line(&self.header);
        out += "|";
        for column in 0..self.header.len() {
            out += if column == 0 { ":--|" } else { "--:|" };
        }
        out += "\n";
        for row in &self.rows {
            out += &line(row);
        }
        for note in &self.notes {
            // Writing to a string does not fail.
            let _ = write!(out, "\n{}\n", escape(note));
        }
        out
    }
}

/// What would end a cell or start a tag.
fn escape(text: &str) -> String {
    text.replace('|', "\\|")
        .replace('<', "&lt;")
        .replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_in_markdown() {
        let table = Table {
            title: "Title".into(),
            header: vec!["name".into(), "n".into()],
            rows: vec![vec!["a|b".into(), "1".into()]],
            notes: vec!["note".into()],
        };
        assert_eq!(
            table.markdown(),
            "**Title**\n\n| name | n |\n|:--|--:|\n| a\\|b | 1 |\n\nnote\n"
        );
    }
}
