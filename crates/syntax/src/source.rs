//! The texts of a run, and what a place in them is called.
//!
//! Every text has a name (the path that was given) and its bytes. A place has two names:
//! - where it stands in the file that was given ([`SourceMap::place`]): what witnesses and
//!   diagnostics speak about;
//! - where line markers say that it came from ([`SourceMap::original`]): for a file that some tool
//!   generated, the file which that tool read.
//!
//! They differ only for files that were given with markers in them. For a text that our own call of
//! the preprocessor made, "the file that was given" is found through the markers, so both are the
//! same.
//!
//! Lines and columns count from 1, columns in bytes.

mod align;

use crate::lexer::LineMarker;
use crate::span::Span;
use align::Alignment;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Where something stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Position<'a> {
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
}

impl std::fmt::Display for Position<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// How a text came to be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// The bytes of the file (or text) that was given.
    Given,
    /// What the preprocessor made of it.
    Preprocessed,
}

/// A text to be added to the map.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as it was given, or a name in brackets for a text without a file.
    pub name: String,
    pub text: Vec<u8>,
    pub origin: Origin,
}

/// The number of a text in its map.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SourceId(pub u32);

/// One text with its lines and markers.
#[derive(Debug)]
struct Text {
    name: String,
    bytes: Arc<[u8]>,
    origin: Origin,
    /// Where it begins in the space of all texts.
    base: u32,
    /// Offsets (without the base) at which lines begin; the first is zero.
    lines: Vec<u32>,
    markers: Vec<Marker>,
    /// The files that markers name.
    files: Vec<MarkedFile>,
    /// The line (by index) that was asked for last, and how it lies on its original: questions come
    /// line by line.
    aligned: Mutex<Option<(u32, Arc<Alignment>)>>,
}

/// From `offset` on, lines count from `line` in the file with index `file`.
#[derive(Clone, Copy, Debug)]
struct Marker {
    offset: u32,
    /// Index in [`Text::lines`] of the line that begins at `offset`.
    line_index: u32,
    line: u32,
    file: u32,
}

#[derive(Debug)]
struct MarkedFile {
    name: String,
    /// Its text, read when it is first asked for; none if it cannot be read.
    content: OnceLock<Option<Content>>,
}

#[derive(Debug)]
struct Content {
    bytes: Vec<u8>,
    lines: Vec<u32>,
}

/// All texts of a run in one space of offsets.
#[derive(Debug, Default)]
pub struct SourceMap {
    texts: Vec<Text>,
    /// Where the next text begins. Offset 0 stays free for [`Span::NONE`].
    next: u32,
}

/// Larger files are not read again for the sake of a better column.
const MAX_ORIGINAL: u64 = 64 << 20;

impl SourceMap {
    pub fn new() -> SourceMap {
        SourceMap {
            texts: Vec::new(),
            next: 1,
        }
    }

    /// Adds a text; none if the space of offsets is exhausted (four gigabytes in all).
    pub fn add(&mut self, source: Source) -> Option<SourceId> {
        let base = self.next.max(1);
        let length = u32::try_from(source.text.len()).ok()?;
        // One more for the end of the text, which is a place of its own.
        self.next = base.checked_add(length)?.checked_add(1)?;
        let lines = line_starts(&source.text);
        self.texts.push(Text {
            name: source.name,
            bytes: source.text.into(),
            origin: source.origin,
            base,
            lines,
            markers: Vec::new(),
            files: Vec::new(),
            aligned: Mutex::new(None),
        });
        Some(SourceId(self.texts.len() as u32 - 1))
    }

    /// Tells the map which line markers the lexer found in a text.
    pub fn set_markers(&mut self, source: SourceId, markers: Vec<LineMarker>) {
        let text = &mut self.texts[source.0 as usize];
        text.markers.clear();
        text.files.clear();
        text.files.push(MarkedFile {
            name: text.name.clone(),
            content: OnceLock::new(),
        });
        let mut file = 0;
        for marker in markers {
            if let Some(name) = marker.file {
                file = match text.files.iter().position(|known| known.name == name) {
                    Some(index) => index as u32,
                    None => {
                        text.files.push(MarkedFile {
                            name,
                            content: OnceLock::new(),
                        });
                        text.files.len() as u32 - 1
                    }
                };
            }
            let line_index = text.line_index(marker.offset);
            text.markers.push(Marker {
                offset: marker.offset,
                line_index,
                line: marker.line,
                file,
            });
        }
    }

    pub fn sources(&self) -> impl Iterator<Item = SourceId> + use<> {
        (0..self.texts.len() as u32).map(SourceId)
    }

    pub fn name(&self, source: SourceId) -> &str {
        &self.texts[source.0 as usize].name
    }

    pub fn origin(&self, source: SourceId) -> Origin {
        self.texts[source.0 as usize].origin
    }

    pub fn bytes(&self, source: SourceId) -> &[u8] {
        &self.texts[source.0 as usize].bytes
    }

    pub(crate) fn shared_bytes(&self, source: SourceId) -> Arc<[u8]> {
        Arc::clone(&self.texts[source.0 as usize].bytes)
    }

    /// Where the text begins in the space of all texts.
    pub fn base(&self, source: SourceId) -> u32 {
        self.texts[source.0 as usize].base
    }

    /// The text that an offset lies in.
    pub fn source_of(&self, offset: u32) -> Option<SourceId> {
        let index = self
            .texts
            .partition_point(|text| text.base <= offset)
            .checked_sub(1)?;
        let text = &self.texts[index];
        (offset - text.base <= text.bytes.len() as u32).then_some(SourceId(index as u32))
    }

    fn text_at(&self, offset: u32) -> Option<(&Text, u32)> {
        let text = &self.texts[self.source_of(offset)?.0 as usize];
        Some((text, offset - text.base))
    }

    /// The bytes at a place; empty if it is nowhere or crosses texts.
    pub fn snippet(&self, span: Span) -> &[u8] {
        let Some((text, lo)) = self.text_at(span.lo) else {
            return b"";
        };
        let hi = span.hi.saturating_sub(text.base) as usize;
        text.bytes.get(lo as usize..hi).unwrap_or(b"")
    }

    /// Where the offset stands in the file that was given.
    pub fn place(&self, offset: u32) -> Option<Position<'_>> {
        let (text, at) = self.text_at(offset)?;
        match text.origin {
            Origin::Given => Some(text.place_in_text(at)),
            Origin::Preprocessed => Some(text.place_by_markers(at)),
        }
    }

    /// Where the offset stands in the file that line markers name; as [`SourceMap::place`] if there
    /// are none.
    pub fn original(&self, offset: u32) -> Option<Position<'_>> {
        let (text, at) = self.text_at(offset)?;
        Some(text.place_by_markers(at))
    }

    /// The line that [`SourceMap::place`] speaks about, without its end.
    pub fn line_text(&self, offset: u32) -> Option<&[u8]> {
        let (text, at) = self.text_at(offset)?;
        if text.origin == Origin::Preprocessed
            && let Some((file, line)) = text.marked_line(at)
            && let Some(line) = text.files[file].line(line, &text.name)
        {
            return Some(line);
        }
        Some(text.line(text.line_index(at)))
    }

    /// All stretches of text that stand on the given line of the given file, by their place in the
    /// file that was given or by markers. Several if a header was included several times.
    ///
    /// A file is known by its name, or by any ending of its path that begins behind a `/`.
    pub fn find_line(&self, file: &str, line: u32) -> Vec<Span> {
        let mut found: Vec<Span> = self
            .lines_called(file, line)
            .filter_map(|(text, index, _)| text.line_span(index))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The offset at a line and column, as [`SourceMap::place`] or [`SourceMap::original`] name it.
    pub fn find(&self, file: &str, line: u32, column: u32) -> Option<u32> {
        let at_column = |(text, index, by_markers): (&Text, u32, bool)| {
            let at = if by_markers {
                text.at_marked_column(index, column)?
            } else {
                text.lines[index as usize].checked_add(column.checked_sub(1)?)?
            };
            let span = text.line_span(index)?;
            let offset = text.base.checked_add(at)?;
            (offset <= span.hi).then_some((offset == span.hi, offset))
        };
        // A line may have been included twice: where the column is the end of the line in one of
        // them, it may be something in another.
        self.lines_called(file, line)
            .filter_map(at_column)
            .min()
            .map(|(_, offset)| offset)
    }

    /// The lines (text, index, whether by markers) that are called so.
    fn lines_called<'a>(
        &'a self,
        file: &'a str,
        line: u32,
    ) -> impl Iterator<Item = (&'a Text, u32, bool)> {
        self.texts.iter().flat_map(move |text| {
            let given = (text.origin == Origin::Given && same_file(&text.name, file))
                .then(|| line.checked_sub(1))
                .flatten()
                .filter(|&index| (index as usize) < text.lines.len())
                .map(|index| (text, index, false));
            given.into_iter().chain(
                text.marked_lines(file, line)
                    .map(move |index| (text, index, true)),
            )
        })
    }
}

impl Text {
    fn line_index(&self, offset: u32) -> u32 {
        self.lines.partition_point(|&start| start <= offset) as u32 - 1
    }

    fn line(&self, index: u32) -> &[u8] {
        line_of(&self.bytes, &self.lines, index as usize).unwrap_or(b"")
    }

    /// The line with this index in the space of all texts, without its end.
    fn line_span(&self, index: u32) -> Option<Span> {
        let start = *self.lines.get(index as usize)?;
        let lo = self.base + start;
        Some(Span::new(lo, lo + self.line(index).len() as u32))
    }

    fn place_in_text(&self, at: u32) -> Position<'_> {
        let index = self.line_index(at);
        let column = at - self.lines[index as usize] + 1;
        Position {
            file: &self.name,
            line: index + 1,
            column,
        }
    }

    fn marker_before(&self, at: u32) -> Option<Marker> {
        let count = self.markers.partition_point(|marker| marker.offset <= at);
        Some(self.markers[count.checked_sub(1)?])
    }

    /// The file (by index) and line that markers give to an offset.
    fn marked_line(&self, at: u32) -> Option<(usize, u32)> {
        let marker = self.marker_before(at)?;
        let line = marker
            .line
            .saturating_add(self.line_index(at) - marker.line_index);
        Some((marker.file as usize, line))
    }

    fn place_by_markers(&self, at: u32) -> Position<'_> {
        let Some((file, line)) = self.marked_line(at) else {
            return self.place_in_text(at);
        };
        let index = self.line_index(at);
        let in_line = (at - self.lines[index as usize]) as usize;
        // Expanding a macro moves what stands behind it: look the token up in the original line.
        let column = self.alignment(index).column(in_line);
        Position {
            file: &self.files[file].name,
            line,
            column: column as u32 + 1,
        }
    }

    /// How the line with this index lies on the original line that markers name.
    fn alignment(&self, index: u32) -> Arc<Alignment> {
        let mut last = self.aligned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, alignment)) = &*last
            && *known == index
        {
            return Arc::clone(alignment);
        }
        let original = self
            .marked_line(self.lines[index as usize])
            .and_then(|(file, line)| self.files[file].line(line, &self.name));
        let alignment = Arc::new(match original {
            Some(original) => Alignment::new(self.line(index), original),
            None => Alignment::default(),
        });
        *last = Some((index, Arc::clone(&alignment)));
        alignment
    }

    /// The offset (without the base) at a column of a line of this text, as markers count columns.
    fn at_marked_column(&self, index: u32, column: u32) -> Option<u32> {
        let in_line = self
            .alignment(index)
            .inverse(column.checked_sub(1)? as usize)?;
        (in_line <= self.line(index).len()).then(|| self.lines[index as usize] + in_line as u32)
    }

    /// The lines (by index) that markers call so.
    fn marked_lines<'a>(&'a self, file: &'a str, line: u32) -> impl Iterator<Item = u32> + 'a {
        let total = self.lines.len() as u32;
        let ends = self
            .markers
            .iter()
            .skip(1)
            .map(|next| next.line_index)
            .chain([total]);
        self.markers
            .iter()
            .zip(ends)
            .filter_map(move |(marker, end)| {
                let index = marker
                    .line_index
                    .checked_add(line.checked_sub(marker.line)?)?;
                let known = &self.files[marker.file as usize].name;
                (index < end && same_file(known, file)).then_some(index)
            })
    }
}

impl MarkedFile {
    /// The line with this number, if the file can be read: from where its name says, or from beside
    /// the text that names it.
    fn line(&self, number: u32, named_by: &str) -> Option<&[u8]> {
        let content = self.content.get_or_init(|| {
            let folder = Path::new(named_by).parent().unwrap_or(Path::new(""));
            let name = Path::new(&self.name);
            read_original(name).or_else(|| read_original(&folder.join(name)))
        });
        let content = content.as_ref()?;
        line_of(
            &content.bytes,
            &content.lines,
            (number as usize).checked_sub(1)?,
        )
    }
}

fn read_original(path: &Path) -> Option<Content> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_ORIGINAL {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let lines = line_starts(&bytes);
    Some(Content { bytes, lines })
}

fn line_starts(bytes: &[u8]) -> Vec<u32> {
    let mut lines = Vec::with_capacity(bytes.len() / 24 + 1);
    lines.push(0);
    lines.extend(memchr::memchr_iter(b'\n', bytes).map(|index| index as u32 + 1));
    lines
}

fn line_of<'a>(bytes: &'a [u8], lines: &[u32], index: usize) -> Option<&'a [u8]> {
    let start = *lines.get(index)? as usize;
    let line = &bytes[start..];
    let length = match lines.get(index + 1) {
        Some(&next) => next as usize - 1 - start,
        None => line.len(),
    };
    let line = &line[..length];
    Some(line.strip_suffix(b"\r").unwrap_or(line))
}

/// Are two paths the same as far as both say? `./a/x.c` and `x.c` are.
fn same_file(known: &str, asked: &str) -> bool {
    let known = known.trim_start_matches("./");
    let asked = asked.trim_start_matches("./");
    let ends = |long: &str, short: &str| {
        !short.is_empty()
            && long
                .strip_suffix(short)
                .is_some_and(|head| head.is_empty() || head.ends_with('/'))
    };
    ends(known, asked) || ends(asked, known)
}

#[cfg(test)]
mod tests;
