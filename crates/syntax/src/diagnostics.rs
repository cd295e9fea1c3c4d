//! What the front end has to say about a text: errors, warnings, and constructs that it does not
//! support.

mod render;

pub use render::render;

use crate::span::Span;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    Error,
    Warning,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The text is not C (or not the dialect that is read).
    Syntax,
    /// The text breaks a constraint of C (types, scopes, constants).
    Constraint,
    /// Right C that Concord does not handle; the construct has a short name.
    Unsupported(String),
    /// A file cannot be read, the preprocessor failed.
    Input,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub kind: Kind,
    pub span: Span,
    pub message: String,
    /// Further places with their own text ("previous definition is here").
    pub notes: Vec<(Span, String)>,
}

impl Diagnostic {
    pub fn new(kind: Kind, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            kind,
            span,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Constraint, span, message)
    }

    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(span, message)
        }
    }

    /// What is wrong with a file as a whole.
    pub fn input(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Input, Span::NONE, message)
    }

    pub fn unsupported(span: Span, construct: impl Into<String>) -> Diagnostic {
        let construct = construct.into();
        let message = format!("{construct} is not supported");
        Diagnostic::new(Kind::Unsupported(construct), span, message)
    }

    pub fn with_note(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.notes.push((span, text.into()));
        self
    }
}
