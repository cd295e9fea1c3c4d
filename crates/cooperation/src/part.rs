//! Who takes part in a combination, and parts of it.

use facts::budget::Budget;
use facts::engine::{Board, Reason};

/// Somebody who looks for an answer: an engine whose answers are certified, or a combination of
/// such.
///
/// An answer is kept where it was certified. Whoever lets participants run hears only that there is
/// one, so that nobody else can hand on an answer. Which program is looked at is an affair of the
/// participant, too.
pub trait Participant: Send {
    fn name(&self) -> &str;
    /// Does it only let others run, who speak for themselves?
    fn is_combination(&self) -> bool {
        false
    }
    /// As [`facts::engine::Engine::serves_others`].
    fn serves_others(&self) -> bool {
        false
    }
    /// As [`facts::engine::Engine::can_help`].
    fn can_help(&self, _board: &dyn Board) -> Result<(), String> {
        Ok(())
    }
    fn run(&mut self, board: &dyn Board, budget: &Budget) -> Ended;
}

/// A participant that lets another one run under a rule of its own: it speaks with that one's voice.
pub trait Wrapper: Send {
    fn inner(&self) -> &dyn Participant;
    fn inner_can_help(&self, board: &dyn Board) -> Result<(), String> {
        self.inner().can_help(board)
    }
    fn run_inner(&mut self, board: &dyn Board, budget: &Budget) -> Ended;
}

impl<W: Wrapper> Participant for W {
    fn name(&self) -> &str {
        self.inner().name()
    }

    fn is_combination(&self) -> bool {
        self.inner().is_combination()
    }

    fn serves_others(&self) -> bool {
        self.inner().serves_others()
    }

    fn can_help(&self, board: &dyn Board) -> Result<(), String> {
        self.inner_can_help(board)
    }

    fn run(&mut self, board: &dyn Board, budget: &Budget) -> Ended {
        self.run_inner(board, budget)
    }
}

/// How a participant ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// With a certified answer.
    Answered,
    Unknown(Reason),
}

pub struct Part {
    pub participant: Box<dyn Participant>,
    /// The part of the combination's processor time that it gets.
    ///
    /// In a sequence, `None` is all that is left. Side by side, `None` is an equal share of what
    /// there is, as the operating system deals it out; with a limit it is stopped where it has used
    /// so much, together with all that it starts. What a part with a limit leaves over goes to the
    /// others that have limits, in equal shares: the thesis aims at "approximately" half of the
    /// time for each of two analyses (Stieglmaier2016, section 6.1), and time that nobody uses
    /// helps nobody.
    pub limit: Option<f64>,
}

impl From<Box<dyn Participant>> for Part {
    /// Without a limit.
    fn from(participant: Box<dyn Participant>) -> Part {
        Part {
            participant,
            limit: None,
        }
    }
}
