//! Section 5.4: a literal whose precondition the command assumes anyway says nothing.

use crate::ic3cfa::Search;
use logic::{Cube, Term};

/// Theorem 5.4.2 for one partial command: `wep(cmd', p) ⊆ wep(cmd', true)`.
pub(super) fn is_assumed(image: &[Term], assumes: &Cube) -> bool {
    image.iter().all(|&term| assumes.contains(term))
}

impl Search<'_> {
    /// The literals that are not assumed by all partial commands of the edge.
    pub(in crate::ic3cfa) fn without_assumed(&mut self, link: usize, cube: &Cube) -> Cube {
        let mut left = Vec::new();
        for &literal in cube.literals() {
            let is_assumed = (0..self.links[link].partials.len()).all(|partial| {
                let image = self.image(link, partial, literal);
                is_assumed(&image, &self.links[link].partials[partial].assumes)
            });
            if !is_assumed {
                left.push(literal);
            }
        }
        left.into_iter().collect()
    }
}
