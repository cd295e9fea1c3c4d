//! Small programs through the whole front end.

mod accepted;
mod laws;
mod mutants;
mod places;
mod programs;
mod rejected;
mod units;

use super::{Checked, check};
use crate::diagnostics::Diagnostic;
use crate::driver::parse;
use crate::names::Names;
use crate::source::{Origin, Source, SourceMap};
use crate::types::DataModel;

/// Several texts as one program.
fn checked(texts: &[&str], model: DataModel) -> (Result<Checked, Vec<Diagnostic>>, Names) {
    let mut map = SourceMap::new();
    let mut names = Names::new();
    let units = texts
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let name = format!("unit{index}.i");
            let source = Source {
                name,
                text: (*text).into(),
                origin: Origin::Given,
            };
            parse(&mut map, &mut names, source).expect("test programs are syntactically right")
        })
        .collect();
    (check(units, &mut names, model), names)
}

fn accepted(text: &str) -> (Checked, Names) {
    let (result, names) = checked(&[text], DataModel::Lp64);
    match result {
        Ok(checked) => (checked, names),
        Err(problems) => panic!("{text}: {:?}", messages(&problems)),
    }
}

fn messages(problems: &[Diagnostic]) -> Vec<&str> {
    problems
        .iter()
        .map(|problem| problem.message.as_str())
        .collect()
}
