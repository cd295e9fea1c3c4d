//! One program under check, with all that its engines share.

use crate::alarms::Alarms;
use crate::conclusions::Conclusions;
use crate::helpers::Task;
use crate::memory_shares::MemoryShares;
use crate::views::Views;
use certify::Build;
use cfa::program::Program;
use control::Gate;
use cooperation::store::FactStore;
use facts::budget::Budget;
use logic::SolverChoice;
use std::sync::Arc;

pub struct Case {
    pub views: Views,
    /// What was certified so far.
    pub conclusions: Conclusions,
    /// What must not happen, and did.
    pub alarms: Alarms,
    pub(crate) settings: Settings,
    /// Closed while an answer is certified.
    pub(crate) gate: Arc<Gate>,
    /// Which of the engines that work on it has taken how much memory.
    pub memory: MemoryShares,
    /// What is on the board: facts, candidates and precisions (also of an earlier run) are about
    /// the program of [`facts::engine::View::Prepared`].
    pub store: FactStore,
}

/// How answers about a program are certified.
#[derive(Default)]
pub struct Settings {
    /// What certificates are checked with.
    pub certifier: SolverChoice,
    /// Inline assembly may compute anything that a violation needs.
    pub any_assembly: bool,
    /// How the program is compiled to confirm a violation; absent where its property is not one of
    /// the text alone.
    pub build: Option<Build>,
    /// What helpers are told, where there may be some.
    pub task: Option<Task>,
}

impl Case {
    /// `passes` are those that make the program smaller before it is analysed.
    pub fn new(original: Program, passes: &[&str], settings: Settings) -> Case {
        Case {
            views: Views::new(original, passes),
            conclusions: Conclusions::default(),
            alarms: Alarms::default(),
            settings,
            gate: Arc::default(),
            memory: MemoryShares::default(),
            store: FactStore::default(),
        }
    }

    /// The program of a text with its assertions, as it is. The error says what is wrong with the
    /// text.
    pub fn of_text(text: &str) -> Result<Case, String> {
        let front = syntax::driver::Options::default();
        let options = lowering::LowerOptions::default();
        let loaded = lowering::load_text("text.c", text, &front, &options)
            .map_err(|failure| failure.to_string())?;
        let property = lowering::property::Property::assertions();
        let program = lowering::property::instrument(&loaded.program, &property);
        let settings = Settings {
            build: Some(Build::of(property)),
            ..Settings::default()
        };
        Ok(Case::new(program, &[], settings))
    }

    /// What helpers are told, where there may be some.
    pub fn task(&self) -> Option<&Task> {
        self.settings.task.as_ref()
    }

    /// Helpers may be told of the task from now on.
    pub fn tell_helpers(&mut self, task: Option<Task>) {
        self.settings.task = task;
    }

    /// The budget for engines whose answers are about this case.
    pub fn shared(&self, budget: &Budget) -> Budget {
        budget.behind(&self.gate)
    }
}
