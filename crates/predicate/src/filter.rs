//! Invariants that do more harm than good are left out (Stieglmaier2016: T.
//! Stieglmaier, *Augmenting Predicate Analysis with Auxiliary Invariants*, 2016, sections 6.4.1
//! and 8.2).
//!
//! Stieglmaier2016 found that proved invariants can make an analysis slower, and asks for those to
//! be ignored that are known to. Two kinds can be told from the invariant alone:
//!
//! - A predicate with a constant that counts (`i <= 7` after `i <= 6` …) forces a loop to be
//!   unrolled. It does not enter the precision: [`Analysis::add_invariant_atoms`].
//! - A remainder or a product of unknowns makes every formula hard that it is part of. It enters no
//!   formula before it is known to be needed: [`Analysis::is_left_out`],
//!   [`Analysis::admit_hard_facts`](super::injection).
//!
//! Which constants count, [`super::divergence`] knows: from the analysis's own predicates and from
//! those that invariants brought. Leaving out what holds is always sound.
//! [`super::Options::filter_invariants`] switches all of this off, so that its effect can be
//! measured.

use super::analysis::Analysis;
use cfa::expr::ExprId;
use cfa::program::LocId;
use induction::graph::PlaceId;
use rustc_hash::{FxHashMap, FxHashSet};

/// What was found out about invariants.
#[derive(Default)]
pub struct Filter {
    /// Expressions, and whether they are hard.
    hard: FxHashMap<ExprId, bool>,
    /// Predicates that would have unrolled a loop.
    counting: FxHashSet<(LocId, ExprId)>,
    left_out: FxHashSet<ExprId>,
}

impl Analysis<'_> {
    /// Is the invariant too hard for formulas?
    pub(super) fn is_left_out(&mut self, invariant: ExprId) -> bool {
        let is_hard = self.options.filter_invariants
            && facts::easier::is_hard(&self.predicates.exprs, invariant, &mut self.filter.hard);
        if is_hard && self.filter.left_out.insert(invariant) {
            self.statistics.hard_invariants += 1;
        }
        is_hard
    }

    /// Does the predicate go on a series of constants that counts?
    fn unrolls(&mut self, location: LocId, atom: ExprId) -> bool {
        // Texts are not for nothing.
        if !self.options.filter_invariants || self.divergence.found().is_empty() {
            return false;
        }
        let unrolls = self.divergence.counts(location, &self.text_of(atom));
        if unrolls && self.filter.counting.insert((location, atom)) {
            self.statistics.counting_predicates += 1;
        }
        unrolls
    }

    /// Atoms of invariants become predicates, at most so many and none that unrolls a loop; `true`
    /// if one is new.
    pub(super) fn add_invariant_atoms(
        &mut self,
        place: PlaceId,
        atoms: impl IntoIterator<Item = ExprId>,
        most: usize,
    ) -> bool {
        let location = self.graph.place(place).location;
        let mut new = Vec::new();
        for atom in atoms {
            if new.len() == most {
                break;
            }
            if !self.unrolls(location, atom) && self.add_predicate(place, atom) {
                new.push(self.text_of(atom));
            }
        }
        for counting in self.divergence.note_together(location, &new) {
            self.tell_counting(&counting);
        }
        !new.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use cfa::expr::BinOp;
    use cfa::value::Ty;
    use facts::budget::Budget;
    use facts::engine::NoBoard;
    use testing::program;

    const TEXT: &str =
        "unsigned x; int main(void) { while (__VERIFIER_nondet_int()) x++; return 0; }";

    /// Which of `x == 0`, `x == 1`, … the precision takes from invariants that bring them one after
    /// the other.
    fn taken(filter_invariants: bool) -> (Vec<bool>, u64) {
        let program = program(TEXT);
        let options = Options {
            filter_invariants,
            ..Options::default()
        };
        let budget = Budget::unlimited();
        let mut analysis = Analysis::new(&program, &options, "test", &NoBoard, &budget);
        let place = induction::graph::ROOT;
        let mut taken = Vec::new();
        let x = cfa::expr::VarId(0);
        let ty = program.var(x).ty;
        for number in 0..8 {
            let exprs = &mut analysis.predicates.exprs;
            let (x, value) = (exprs.variable(x, ty), exprs.constant(number, ty));
            let atom = exprs.eq(x, value);
            taken.push(analysis.add_invariant_atoms(place, [atom], 16));
        }
        (taken, analysis.statistics.counting_predicates)
    }

    #[test]
    fn predicates_of_invariants_that_count_are_rejected() {
        let (with_filter, rejected) = taken(true);
        assert_eq!(
            with_filter,
            [true, true, true, true, true, false, false, false]
        );
        assert_eq!(rejected, 3);
        assert_eq!(taken(false), (vec![true; 8], 0));
    }

    #[test]
    fn products_and_remainders_are_hard_unless_nobody_minds() {
        let program = program(TEXT);
        for filter_invariants in [true, false] {
            let options = Options {
                filter_invariants,
                ..Options::default()
            };
            let budget = Budget::unlimited();
            let mut analysis = Analysis::new(&program, &options, "test", &NoBoard, &budget);
            let exprs = &mut analysis.predicates.exprs;
            let ty = Ty::unsigned(32);
            let x = exprs.variable(cfa::expr::VarId(0), ty);
            let mut by = |number| {
                let (divisor, zero) = (exprs.constant(number, ty), exprs.constant(0, ty));
                let rest = exprs.binary(BinOp::Rem, x, divisor);
                exprs.eq(rest, zero)
            };
            let (even, by_three) = (by(2), by(3));
            assert!(!analysis.is_left_out(even));
            assert_eq!(analysis.is_left_out(by_three), filter_invariants);
            assert_eq!(
                analysis.statistics.hard_invariants,
                u64::from(filter_invariants)
            );
        }
    }
}
