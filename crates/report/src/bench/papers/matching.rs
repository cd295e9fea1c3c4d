//! Which contender a paper's configuration is.

use crate::bench::group::Group;

/// Letters and digits only, in lower case: papers write `OCT+CON Enh.`, files are called
/// `oct-con-enh`.
fn normal(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_lowercase()
}

/// The first group that goes by one of `names` (separated by `/`): as its analysis, with or without
/// the number of the paper before it, or as its tool. A name with `!` needs the paper's number,
/// because it means something else outside.
pub fn find<'groups, 'records>(
    groups: &'groups [Group<'records>],
    paper: &str,
    names: &str,
) -> Option<&'groups Group<'records>> {
    names.split('/').find_map(|name| {
        let (name, strict) = name
            .strip_prefix('!')
            .map_or((name, false), |name| (name, true));
        let wanted = normal(name);
        groups.iter().find(|group| {
            let analysis = normal(group.analysis);
            analysis == format!("{paper}{wanted}")
                || (!strict && (analysis == wanted || normal(group.tool) == wanted))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner::bench::LimitsRecord;

    #[test]
    fn names_match_however_they_are_written() {
        let group = |tool, analysis| Group {
            tool,
            analysis,
            limits: LimitsRecord::default(),
            label: String::new(),
            records: Vec::new(),
        };
        let groups = [
            group("Concord", "default"),
            group("Concord", "oct-con-enh"),
            group("Concord", "001-default"),
            group("CPAchecker", "predicate"),
        ];
        let found = |names| find(&groups, "001", names).map(|group| (group.tool, group.analysis));
        assert_eq!(found("OCT+CON Enh."), Some(("Concord", "oct-con-enh")));
        assert_eq!(found("!Default"), Some(("Concord", "001-default")));
        assert_eq!(
            found("nothing/CPAchecker"),
            Some(("CPAchecker", "predicate"))
        );
        assert_eq!(found("OCT"), None);
    }
}
