//! Frames of IC3 for the report, in the words of the program that the user gave.

use super::program_report::Files;
use super::proof::statement;
use cfa::place::callee;
use control::clock;
use facts::engine::View;
use facts::frames::{Frames, FramesOfPlace};
use facts::reachability::{DESCRIPTION, LONGEST_DESCRIPTION};
use portfolio::case::Case;
use report::check::{FramesShown, PlaceFrames};
use std::time::Instant;

/// The frames of an analysis that saw the program of [`View::Prepared`].
pub fn shown(case: &Case, files: &Files, frames: &Frames) -> FramesShown {
    let begin = clock::now();
    let mut places: Vec<PlaceFrames> = Vec::with_capacity(frames.places.len());
    for of_place in &frames.places {
        places.push(of_one(case, files, frames, of_place, begin));
    }
    places.sort_by(|a, b| (a.at, &a.function, &a.calls).cmp(&(b.at, &b.function, &b.calls)));
    FramesShown {
        engine: frames.by.clone(),
        iteration: frames.iteration,
        places,
    }
}

fn of_one(
    case: &Case,
    files: &Files,
    frames: &Frames,
    of_place: &FramesOfPlace,
    begin: Instant,
) -> PlaceFrames {
    let program = case.views.program(View::Prepared);
    let place = &of_place.place;
    let location = program.location(place.location);
    let mut clauses = Vec::new();
    for &(index, clause) in &of_place.clauses {
        clock::tick(DESCRIPTION);
        if clock::since(begin) >= LONGEST_DESCRIPTION {
            break;
        }
        clauses.push((index, statement(program, &frames.pool, clause)));
    }
    let calls = place.calls.iter().filter_map(|&call| callee(program, call));
    PlaceFrames {
        function: program.function_name(location.function).to_owned(),
        calls: calls
            .map(|function| program.function_name(function).to_owned())
            .collect(),
        at: files.line(program, location.span),
        first: of_place.first,
        left_out: of_place.left_out + of_place.clauses.len() - clauses.len(),
        clauses,
    }
}
