//! What a helper is asked about.

use lowering::Tree;
use lowering::property::Property;
use process::Guard;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use syntax::types::DataModel;

/// Reads the program's text once more, for expressions of others.
pub type Read = Box<dyn Fn() -> Result<Tree, String> + Send + Sync>;

/// The verification task, as programs outside are told of it.
pub struct Task {
    pub files: Vec<PathBuf>,
    /// As the competition writes it.
    pub specification: String,
    pub property: Property,
    pub data_model: DataModel,
    pub read: Read,
    /// Who watches over the helpers.
    pub guard: Guard,
    /// Processor time of helpers that have ended.
    pub spent: Spent,
}

/// Processor time that others have used for us.
#[derive(Default)]
pub struct Spent(Mutex<Duration>);

impl Spent {
    pub fn add(&self, time: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += time;
    }

    pub fn total(&self) -> Duration {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
