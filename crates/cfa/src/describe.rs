//! Places as text for messages.

use crate::program::Program;
use syntax::span::Span;

impl Program {
    /// `file:line:column` of the place in the original file, or "generated code".
    pub fn describe(&self, span: Span) -> String {
        if span.is_none() {
            return "generated code".into();
        }
        match self.sources.original(span.lo) {
            Some(place) => format!("{}:{}:{}", place.file, place.line, place.column),
            None => "generated code".into(),
        }
    }
}
