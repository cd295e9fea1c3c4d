//! The name that was probably meant, for errors about names that nobody knows.

/// Serde lists what it expected; the likeliest of these is said first.
pub fn with_suggestion(message: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match quoted.split_first() {
        Some((wrong, known))
            if message.contains("unknown field") || message.contains("unknown variant") =>
        {
            format!(
                "{}{}",
                message.trim_end(),
                suggestion(wrong, known.iter().copied())
            )
        }
        _ => message.trim_end().to_owned(),
    }
}

/// `; did you mean …?` where one of the known names is near, and nothing otherwise.
pub fn suggestion<'text>(wrong: &str, known: impl Iterator<Item = &'text str>) -> String {
    let best = known
        .map(|name| (strsim::damerau_levenshtein(wrong, name), name))
        .min();
    match best {
        Some((distance, name)) if distance <= 1 + name.len() / 3 => {
            format!("; did you mean `{name}`?")
        }
        _ => String::new(),
    }
}
