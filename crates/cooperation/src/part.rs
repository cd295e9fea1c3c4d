//! Parts of a combination.

use facts::engine::Engine;

pub struct Part {
    pub engine: Box<dyn Engine>,
    /// The part of the combination's processor time that it gets.
    ///
    /// In a sequence, `None` is all that is left. Side by side, `None` is an equal share of what there is, as the operating
    /// system deals it out; with a limit it is stopped where it has used so much, together with all that it starts. What a
    /// part with a limit leaves over goes to the others that have limits, in equal shares: the thesis aims at
    /// "approximately" half of the time for each of two analyses (000, section 6.1), and time that nobody uses helps nobody.
    pub limit: Option<f64>,
}

impl From<Box<dyn Engine>> for Part {
    /// Without a limit.
    fn from(engine: Box<dyn Engine>) -> Part {
        Part {
            engine,
            limit: None,
        }
    }
}
