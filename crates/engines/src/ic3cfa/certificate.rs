//! The frames at the fixpoint as an annotation of the loop heads.
//!
//! Only of those: from one loop head to the next the frames of the places between follow, because
//! every step between two places does, and whoever checks follows blocks from loop head to loop
//! head. So facts, which are about loop heads too, can be handed over with the frames that used
//! them.

use super::Search;
use super::graph::ERROR;
use cfa::expr::ExprId;
use cfa::place::{CallPattern, Place};
use facts::certificate::{AnnotatedGraph, AnnotatedNode, Certificate};
use logic::Cube;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

impl Search<'_> {
    /// The frames of a level that are those of the next one.
    pub(super) fn certificate(&mut self, level: u32) -> Certificate {
        self.annotation(&mut |search, node| {
            let cubes: Vec<_> = search.frames[node].at(level).cloned().collect();
            search.outside(node, &cubes)
        })
    }

    /// What is known at each loop head, and what `holds` says of its node if it has one.
    pub(super) fn annotation(
        &mut self,
        holds: &mut dyn FnMut(&mut Self, usize) -> ExprId,
    ) -> Certificate {
        let nodes = (ERROR + 1..self.nodes.len()).filter_map(|node| {
            let place = self.nodes[node].place.clone()?;
            Some((place, node))
        });
        let nodes: FxHashMap<Place, usize> = nodes.collect();
        let maps: BTreeSet<usize> = (0..self.known.maps().len()).collect();
        let mut annotated = Vec::new();
        for place in self.heads.clone() {
            let known = self.known.statement(&mut self.exprs, &maps, &place);
            let mut invariant = known.unwrap_or_else(|| self.exprs.bool_constant(true));
            if let Some(&node) = nodes.get(&place) {
                let own = holds(self, node);
                invariant = self.exprs.and(invariant, own);
            }
            annotated.push(AnnotatedNode {
                calls: CallPattern::Exactly(place.calls.clone()),
                location: place.location,
                invariant,
            });
        }
        Certificate::Graph(AnnotatedGraph {
            pool: self.exprs.clone(),
            nodes: annotated,
        })
    }

    /// States at the node that are in none of the cubes.
    pub(super) fn outside(&mut self, node: usize, cubes: &[Cube]) -> ExprId {
        let mut formula = self.exprs.bool_constant(true);
        for cube in cubes {
            let inside = self.say_cube(node, cube);
            let outside = self.exprs.not(inside);
            formula = self.exprs.and(formula, outside);
        }
        formula
    }

    /// The cube as one expression about states at the node.
    pub(super) fn say_cube(&mut self, node: usize, cube: &Cube) -> ExprId {
        let mut inside = self.exprs.bool_constant(true);
        for &literal in cube.literals() {
            // Cubes hold only what can be said.
            if let Some(said) = self.say(node, literal) {
                inside = self.exprs.and(inside, said);
            }
        }
        inside
    }
}
