//! Conditions of conditional model checking, as CPAchecker writes them: assumption automata
//! (`AssumptionAutomaton.txt`), read and written, and what their statements mean in a program.
//!
//! ```text
//! OBSERVER AUTOMATON AssumptionAutomaton
//! INITIAL STATE ARG0;
//! STATE __TRUE :
//!     TRUE -> GOTO __TRUE;
//! STATE USEFIRST ARG0 :
//!     MATCH "[x > 0]" -> ASSUME {x < 10} GOTO ARG0;
//!     MATCH "reach_error();" && EVAL(location, "lineno") == 7 -> GOTO __TRUE;
//! END AUTOMATON
//! ```
//!
//! In `__TRUE` all that follows is claimed to be safe, in `__FALSE` nothing is. An automaton of somebody
//! else reads other edges than ours: statements that this program has no edge for (declarations,
//! labels) are passed over, and edges of this program are not read where no statement begins, or
//! none that the automaton names anywhere (unless it names none at all). So a
//! condition may mean more or less here than it did there. That is no harm: what it claims is never
//! believed ([`transform::condition`]).

mod meaning;
mod text;

pub use meaning::{Labels, meaning, written};
pub use text::read;

/// The state in which all that follows is claimed to be safe.
pub const TRUE: &str = "__TRUE";
/// The state in which nothing is claimed.
pub const FALSE: &str = "__FALSE";

/// An assumption automaton as a file says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    pub initial: String,
    pub states: Vec<State>,
    /// Comments that begin with `concord`, without that word: proofs of what it claims.
    pub notes: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub name: String,
    pub transitions: Vec<Transition>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    pub trigger: Trigger,
    /// A C expression.
    pub assume: Option<String>,
    pub to: String,
    /// The number behind `// part` on its line.
    pub part: u32,
}

/// When a transition is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trigger {
    True,
    False,
    /// The text of a statement, or of a condition in brackets.
    Match(String),
    /// The edge stands in this line.
    Line(u32),
    /// It calls this function.
    Call(String),
    Not(Box<Trigger>),
    And(Box<Trigger>, Box<Trigger>),
    Or(Box<Trigger>, Box<Trigger>),
}

impl Trigger {
    /// What it asks of an edge, taken apart.
    fn atoms(&self) -> Vec<&Trigger> {
        match self {
            Trigger::True | Trigger::False => Vec::new(),
            Trigger::Match(_) | Trigger::Line(_) | Trigger::Call(_) => vec![self],
            Trigger::Not(inner) => inner.atoms(),
            Trigger::And(a, b) | Trigger::Or(a, b) => [a.atoms(), b.atoms()].concat(),
        }
    }

    /// The texts that it asks for.
    fn texts(&self) -> Vec<&str> {
        let atoms = self.atoms().into_iter();
        let texts = atoms.filter_map(|atom| match atom {
            Trigger::Match(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}
