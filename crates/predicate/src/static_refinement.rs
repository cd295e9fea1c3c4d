//! Static refinement: predicates from the program's assumes, before the first path is refuted
//! (Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis with Auxiliary Invariants*,
//! 2016, section 6.3, note 50: "an initial static refinement, which computes certain predicates out
//! of the CFA").
//!
//! Off in the paper's configurations, and here unless a configuration asks for it.

use super::analysis::Analysis;
use super::candidates;
use super::predicates::Scope;
use cfa::expr::ExprId;
use cfa::op::Op;
use encoding::vocabulary;
use induction::graph::{PlaceId, Target};
use serde::{Deserialize, Serialize};

/// Whose conditions become predicates when the first infeasible path is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StaticRefinement {
    /// None.
    #[default]
    Off,
    /// Those on the way to errors within one block, in terms of the values at its beginning.
    ErrorAssumes,
    /// All of the program, in the functions where they stand.
    AllAssumes,
}

impl Analysis<'_> {
    /// Adds the predicates; `false` if there is nothing new.
    pub(super) fn refine_statically(&mut self) -> bool {
        match self.options.static_refinement {
            StaticRefinement::Off => false,
            StaticRefinement::ErrorAssumes => self.add_assumes_of_errors(),
            StaticRefinement::AllAssumes => self.add_all_assumes(),
        }
    }

    fn add_assumes_of_errors(&mut self) -> bool {
        let mut found: Vec<(PlaceId, ExprId)> = Vec::new();
        for id in self.graph.general_blocks() {
            let block = self.graph.block(id);
            if !matches!(block.target, Target::Error(_)) {
                continue;
            }
            let (place, path) = (block.source, block.path.clone());
            for condition in path {
                let terms = candidates::atoms_of_term(self.graph.pool(), condition);
                let meaning = self.graph.meaning(place);
                for term in terms {
                    if let Some(expr) = meaning.say(&mut self.predicates.exprs, term) {
                        let atoms = vocabulary::atoms_of(&mut self.predicates.exprs, expr);
                        found.extend(atoms.into_iter().map(|atom| (place, atom)));
                    }
                }
            }
        }
        let mut is_new = false;
        for (place, atom) in found {
            is_new |= self.add_predicate(place, atom);
        }
        is_new
    }

    fn add_all_assumes(&mut self) -> bool {
        let program = self.graph.program();
        let mut is_new = false;
        for edge in &program.edges {
            if let &Op::Assume(condition) = program.op(edge.op) {
                for atom in vocabulary::atoms_of(&mut self.predicates.exprs, condition) {
                    let predicate = self.predicates.number(atom);
                    is_new |= self
                        .precision
                        .add(program, Scope::Function, edge.source, predicate);
                }
            }
        }
        is_new
    }
}
