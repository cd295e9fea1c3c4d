//! Names for things that are written to files.

use rustc_hash::FxHashMap;

/// Makes names unique by numbers behind those that are taken: a name for each thing, and the thing
/// of each name.
pub fn unique<T: Copy>(
    names: impl Iterator<Item = String>,
    id: impl Fn(u32) -> T,
) -> (Vec<String>, FxHashMap<String, T>) {
    let mut list = Vec::new();
    let mut known: FxHashMap<String, T> = FxHashMap::default();
    let mut taken: FxHashMap<String, u32> = FxHashMap::default();
    for (number, base) in names.enumerate() {
        let count = taken.entry(base.clone()).or_insert(0);
        *count += 1;
        let name = match *count {
            1 => base,
            count => format!("{base}#{count}"),
        };
        known.entry(name.clone()).or_insert(id(number as u32));
        list.push(name);
    }
    (list, known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let names = ["x", "y", "x"].map(str::to_owned);
        let (list, known) = unique(names.into_iter(), |number| number);
        assert_eq!(list, ["x", "y", "x#2"]);
        assert_eq!(known["x#2"], 2);
    }
}
