//! From what witnesses say of the text to places of the program.

mod places;
mod points;
mod steps;
mod text;

pub use places::{Places, Target};
pub use points::{Point, points};
pub use steps::{Steps, conjunction, is_error_function, lines_exist};
