//! Section 5.11: counterexamples to generalisation.
//!
//! Z. Hassan, A. Bradley, F. Somenzi, Better generalization in IC3, FMCAD 2013. A cube with one
//! literal less that is not inductive is entered from some states of the source; if those can be
//! blocked in the frame before at once, it is.

use crate::ic3cfa::Search;
use crate::ic3cfa::graph::START;
use crate::ic3cfa::relative::Consecution;
use facts::engine::Reason;
use logic::Cube;

/// Counterexamples that are tried for one literal.
const MAX_TRIES: usize = 3;

impl Search<'_> {
    /// Algorithm 5.11.1, lines 7 to 18: blocks what enters the cube over the edge, if that is
    /// possible without looking further.
    pub(super) fn repair(&mut self, link: usize, cube: &Cube, level: u32) -> Result<bool, Reason> {
        let source = self.links[link].source;
        let before = self.before(link, level);
        if before == 0 || source == START {
            return Ok(false);
        }
        for _ in 0..MAX_TRIES {
            let entering = match self.consecution(link, cube, level)? {
                Consecution::Inductive(_) => return Ok(true),
                Consecution::Not(entering) => entering,
            };
            for predecessor in entering {
                if !self.block_at_once(source, &predecessor.cube, before)? {
                    return Ok(false);
                }
            }
        }
        Ok(self.inductive(link, cube, level)?.is_some())
    }

    /// Blocks the cube if it is inductive relative to all edges, without predecessors.
    fn block_at_once(&mut self, node: usize, cube: &Cube, level: u32) -> Result<bool, Reason> {
        if self.frames[node].blocks(cube, level) {
            return Ok(true);
        }
        let mut general = Cube::empty();
        for link in self.nodes[node].into.clone() {
            let Some(refutation) = self.inductive(link, cube, level)? else {
                return Ok(false);
            };
            let is_loop = self.links[link].source == node;
            general = match is_loop && refutation.uses_negation {
                true => cube.clone(),
                false => general.union(&refutation.needed),
            };
        }
        // The union may be too large for a loop that used the negation of the whole.
        let loops = self.nodes[node].into.clone().into_iter();
        for link in loops
            .filter(|&link| self.links[link].source == node)
            .collect::<Vec<_>>()
        {
            if general != *cube && self.inductive(link, &general, level)?.is_none() {
                general = cube.clone();
            }
        }
        self.add_blocked(node, &general, level);
        Ok(true)
    }
}
