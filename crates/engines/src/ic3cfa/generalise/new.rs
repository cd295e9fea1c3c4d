//! Algorithm 5.12.1: what one edge needs, first by syntactic checks, then by questions.
//!
//! The lower bound is what earlier edges need (section 5.9, [`all_edges`](Search::all_edges)) and
//! what every generalisation of the cube has needed under a stronger frame (section 5.7).

use super::context::added;
use crate::ic3cfa::Search;
use crate::ic3cfa::relative::Refutation;
use facts::engine::Reason;
use logic::Cube;

impl Search<'_> {
    /// `genEdge`: a cube inductive relative to the edge that the given one implies; `previous` is
    /// what earlier edges need.
    pub(super) fn of_edge(
        &mut self,
        link: usize,
        cube: &Cube,
        level: u32,
        refutation: &Refutation,
        previous: &Cube,
    ) -> Result<Cube, Reason> {
        let source = self.links[link].source;
        // Before the start nothing is assumed, whatever the index.
        let frame_level = self.before(link, level);
        let mut start = None;
        if let Some((general, is_final)) = self.without_asking(link, cube, level, previous) {
            self.check_inductive(link, &general, level, "5.5 or 5.6")?;
            if is_final {
                return Ok(general);
            }
            start = Some(general);
        }
        let mut necessary = Cube::empty();
        if self.options.section_5_9_earlier_edges {
            necessary = previous.clone();
            let spared = cube.intersection(previous).len();
            self.statistics.saved("5.9", spared as u64);
        }
        if self.options.section_5_7_minimal {
            let minimal = self
                .contexts
                .minimal(link, cube, (&self.frames[source], frame_level));
            let more = minimal.filtered(|literal| !necessary.contains(literal));
            self.statistics.saved("5.7", more.len() as u64);
            necessary = necessary.union(&more);
        }
        let mut candidates = start
            .as_ref()
            .unwrap_or(cube)
            .filtered(|literal| !necessary.contains(literal));
        if self.options.section_5_4_assumes {
            let left = self.without_assumed(link, &candidates);
            self.statistics
                .saved("5.4", (candidates.len() - left.len()) as u64);
            self.check_inductive(link, &left.union(&necessary), level, "5.4")?;
            candidates = left;
        }
        if self.options.cores && start.is_none() {
            candidates = self.without_unused(link, candidates, level, refutation, &necessary)?;
        }
        let mut general = self.drop_literals(link, &candidates, level, &necessary)?;
        if self.options.section_5_10_interpolation {
            // What other edges need is theirs to say.
            let own = general.filtered(|literal| !previous.contains(literal));
            if let Some(interpolant) = self.interpolated(link, &own, level)? {
                let semantic = interpolant.union(&general.intersection(previous));
                let is_loop = source == self.links[link].target;
                if !is_loop || self.inductive(link, &semantic, level)?.is_some() {
                    general = semantic;
                    self.check_inductive(link, &general, level, "5.10")?;
                }
            }
        }
        let snapshot = self.frames[source].snapshot(frame_level);
        self.contexts.add(link, cube, snapshot, &general);
        Ok(general)
    }

    /// Sections 5.5 and 5.6: what needs no question, and the smaller where both have an answer; and
    /// whether that is the end of it.
    fn without_asking(
        &mut self,
        link: usize,
        cube: &Cube,
        level: u32,
        previous: &Cube,
    ) -> Option<(Cube, bool)> {
        let source = self.links[link].source;
        let frame_level = self.before(link, level);
        let form = self.options.section_5_6_context;
        let frames = (&self.frames[source], frame_level);
        let earlier = self.contexts.find((link, form), cube, previous, frames);
        let earlier = earlier.map(|general| (general, true, "5.6"));
        let blocked = match self.options.section_5_5_predecessor_cubes {
            true => self.by_predecessors(link, cube, previous, level),
            false => None,
        };
        let blocked = blocked.map(|found| (found.general, found.is_one, "5.5"));
        let found = earlier.into_iter().chain(blocked);
        let found =
            found.min_by_key(|(general, is_final, _)| (!is_final, added(general, previous)));
        let (general, is_final, section) = found?;
        let spared = if is_final {
            cube.len()
        } else {
            cube.len() - general.len().min(cube.len())
        };
        self.statistics.saved(section, spared as u64);
        Some((general, is_final))
    }

    /// Without the candidates that the refutation of the whole cube did not use.
    fn without_unused(
        &mut self,
        link: usize,
        candidates: Cube,
        level: u32,
        refutation: &Refutation,
        necessary: &Cube,
    ) -> Result<Cube, Reason> {
        let used = candidates.intersection(&refutation.needed);
        if used.len() == candidates.len() {
            return Ok(candidates);
        }
        // A refutation that used the negation is about the whole cube.
        let fewer = used.union(necessary);
        let holds = !refutation.uses_negation || self.inductive(link, &fewer, level)?.is_some();
        Ok(if holds { used } else { candidates })
    }
}
