//! Processor times, for measurements.

/// Seconds of processor time in user mode: of this process, and of its children that have ended.
pub fn times() -> Option<(f64, f64)> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let seconds = |index: usize| Some(fields.get(index)?.parse::<f64>().ok()? / 100.0);
    // `utime` is field 14 of the file, the third after the name is field 5.
    Some((seconds(11)?, seconds(13)?))
}
