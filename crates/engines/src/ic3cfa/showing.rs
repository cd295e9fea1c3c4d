//! Frames for people who look at the report.

use super::graph::ERROR;
use super::{NAME, Search};
use cfa::expr::ExprPool;
use facts::frames::{Frames, FramesOfPlace, MAX_CLAUSES, MAX_ITERATIONS};
use logic::Cube;

impl Search<'_> {
    /// Shows the frames of the iteration that has just ended, if somebody is going to look at them.
    pub(super) fn show_frames(&mut self) {
        if !self.board.wants_graphs() || self.level as usize >= MAX_ITERATIONS {
            return;
        }
        let mut pool = ExprPool::default();
        let mut places = Vec::new();
        for node in ERROR + 1..self.nodes.len() {
            let Some(place) = self.nodes[node].place.clone() else {
                continue;
            };
            let all = self.frames[node].all();
            let left_out = all.len().saturating_sub(MAX_CLAUSES);
            let shown: Vec<(u32, Cube)> = all
                .into_iter()
                .take(MAX_CLAUSES)
                .map(|(level, cube)| (level, cube.clone()))
                .collect();
            let mut clauses = Vec::with_capacity(shown.len());
            for (level, cube) in shown {
                let inside = self.say_cube(node, &cube);
                let inside = pool.import(&self.exprs, inside);
                clauses.push((level, pool.not(inside)));
            }
            places.push(FramesOfPlace {
                place,
                first: self.nodes[node].distance,
                clauses,
                left_out,
            });
        }
        self.board.frames(Frames {
            by: NAME.into(),
            iteration: self.level,
            pool,
            places,
        });
    }
}
