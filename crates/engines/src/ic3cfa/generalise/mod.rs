//! Generalisation: from a blocked cube to one with fewer literals, and so more states, that is
//! blocked as well.
//!
//! Laws: what comes out is inductive relative to every edge into the place, and every state of the
//! cube is one of it.

mod assumes;
mod context;
mod counterexamples;
mod drop;
mod interpolate;
mod new;
mod predecessors;

pub(super) use self::context::Contexts;

use super::Search;
use super::graph::ERROR;
use super::options::Generalisation;
use super::relative::Refutation;
use facts::engine::Reason;
use logic::Cube;

impl Search<'_> {
    /// The cube to block at the place up to the level, where `cube` can be blocked because of these
    /// refutations.
    pub(super) fn generalise(
        &mut self,
        node: usize,
        cube: &Cube,
        level: u32,
        refutations: &[(usize, Refutation)],
    ) -> Result<Cube, Reason> {
        if node == ERROR || self.options.generalisation == Generalisation::None {
            return Ok(cube.clone());
        }
        self.statistics.is_generalising = true;
        let general = self.all_edges(node, cube, level, refutations);
        self.statistics.is_generalising = false;
        let general = general?;
        self.check_covers(node, &general, cube)?;
        Ok(general)
    }

    /// Algorithms 4.3.1 and 5.12.1: the union of what the edges need.
    fn all_edges(
        &mut self,
        node: usize,
        cube: &Cube,
        level: u32,
        refutations: &[(usize, Refutation)],
    ) -> Result<Cube, Reason> {
        let mut general = Cube::empty();
        for (link, refutation) in refutations {
            // Loops at the place come last.
            let source = self.links[*link].source;
            if self.is_bottom(source, self.before(*link, level)) {
                continue;
            }
            let part = match self.options.generalisation {
                Generalisation::New => self.of_edge(*link, cube, level, refutation, &general)?,
                _ => self.drop_literals(*link, cube, level, &Cube::empty())?,
            };
            self.check_inductive(*link, &part, level, "5.12")?;
            general = general.union(&part);
            let is_union_new = source == node && general != part;
            if is_union_new && self.inductive(*link, &general, level)?.is_none() {
                return Ok(cube.clone());
            }
        }
        for &(link, _) in refutations {
            self.check_inductive(link, &general, level, "5.12")?;
        }
        Ok(general)
    }
}
