//! The smallest program on top of the library: guards runs.

fn main() {
    runner::process::guard::enter_if_guard();
}
