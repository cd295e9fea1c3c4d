//! Where an invariant of a witness has to hold.

use super::places::Places;
use super::steps::{Steps, lines_exist};
use crate::{Edge, Invariant, InvariantKind};
use cfa::program::{EdgeId, LocId, Program};
use lowering::monitor::Moment;
use lowering::property::Property;

/// Where an invariant is read and has to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    Head(LocId),
    Before(LocId),
    Behind(EdgeId),
}

/// Where the invariant has to hold; several points if the program has the statement several times.
/// `Err` says what is wrong with it, a note why it cannot be checked.
pub fn points(
    places: &Places,
    property: &Property,
    invariant: &Invariant,
    note: &mut Option<String>,
) -> Result<Vec<Point>, String> {
    let Invariant { place, steps, .. } = invariant;
    if steps.is_empty() {
        return Ok(match invariant.kind {
            InvariantKind::Loop => {
                let heads = places.loop_heads(place)?;
                heads.into_iter().map(Point::Head).collect()
            }
            InvariantKind::Location | InvariantKind::Behind => {
                let statements = places.statements(place)?;
                statements.into_iter().map(Point::Before).collect()
            }
        });
    }
    let program = &places.program;
    let mut found = Vec::new();
    for step in steps {
        lines_exist(places, step)?;
        let steps = Steps::of(places, step, property, false)?;
        match invariant.kind {
            InvariantKind::Loop => {
                let heads = steps.loop_heads(places, step);
                if heads.len() > 1 {
                    note.get_or_insert(format!("several loops begin at line {}", place.line));
                } else {
                    found.extend(heads.into_iter().map(Point::Head));
                }
            }
            _ => match last_step(program, step, &steps) {
                Some(edges) => found.extend(edges.into_iter().map(Point::Behind)),
                None => {
                    let why = format!("its place after line {} is ambiguous", place.line);
                    note.get_or_insert(why);
                }
            },
        }
    }
    let function = |point: &Point| {
        let location = match *point {
            Point::Head(location) | Point::Before(location) => location,
            Point::Behind(edge) => program.edge(edge).source,
        };
        program.function_name(program.location(location).function)
    };
    if let Some(scope) = place.function.as_deref().filter(|name| !name.is_empty())
        && let Some(other) = found.iter().find(|point| function(point) != scope)
    {
        let there = function(other);
        return Err(format!(
            "line {} is in '{there}', not in '{scope}'",
            place.line
        ));
    }
    if found.is_empty() {
        note.get_or_insert(format!("there is no loop at or after line {}", place.line));
    }
    let mut distinct = Vec::new();
    for point in found {
        if !distinct.contains(&point) {
            distinct.push(point);
        }
    }
    Ok(distinct)
}

/// The last of the steps, if there is one: the sides of a branch, or the only one that leaves the
/// others behind.
fn last_step(program: &Program, step: &Edge, steps: &Steps) -> Option<Vec<EdgeId>> {
    if steps.is_uncertain || step.enter_function.is_some() || step.return_from.is_some() {
        return None;
    }
    let edges: Option<Vec<EdgeId>> = steps
        .moments
        .iter()
        .map(|(moment, _)| match *moment {
            Moment::After(edge) => Some(edge),
            Moment::At(_) => None,
        })
        .collect();
    let edges = edges?;
    if step.control.is_some() {
        return Some(edges);
    }
    let goes_on = |&id: &EdgeId| {
        let target = program.edge(id).target;
        edges
            .iter()
            .any(|&other| program.edge(other).source == target)
    };
    let last: Vec<EdgeId> = edges.iter().copied().filter(|id| !goes_on(id)).collect();
    (last.len() == 1).then_some(last)
}
