//! The forms of one program: as it was lowered, with its memory split, and made smaller by passes;
//! and what proofs on them are worth.

use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::order::loop_heads;
use cfa::place::CallPattern;
use cfa::program::{LocId, Program};
use facts::carried::carry_facts;
use facts::engine::View;
use facts::invariants::{CandidateMap, Facts, Invariant, InvariantMap};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use transform::features::Features;
use transform::passes::{Prepared, Settings, copy_expr, prepare};

pub struct Views {
    /// As it was lowered.
    pub original: Program,
    /// With its memory split into regions and variables: what proofs are certified on.
    pub split: Program,
    /// Which part of memory the split gave each access.
    homes: transform::regions::Homes,
    /// Whether these parts keep memory apart: proofs on the split program count only then.
    split_is_justified: OnceLock<Result<(), certify::Rejection>>,
    /// The split program made smaller by passes, if the analysis wants that.
    prepared: Option<Prepared>,
    observed: OnceLock<Option<String>>,
    /// The split program with any outcome where it can tell where its objects lie.
    blind: OnceLock<Program>,
}

impl Views {
    /// `passes` are those that make the program smaller for those who run on [`View::Prepared`].
    pub fn new(original: Program, passes: &[&str]) -> Views {
        let transform::regions::Split {
            program: split,
            homes,
        } = transform::regions::split_with_homes(&original);
        let split = certify::without_impossible_callees(&split);
        let prepared = (!passes.is_empty()).then(|| prepare(&split, passes, &Settings::default()));
        Views {
            original,
            split,
            homes,
            split_is_justified: OnceLock::new(),
            prepared,
            observed: OnceLock::new(),
            blind: OnceLock::new(),
        }
    }

    pub fn program(&self, view: View) -> &Program {
        match view {
            View::Original => &self.original,
            View::Split => &self.split,
            View::Prepared => self
                .prepared
                .as_ref()
                .map_or(&self.split, |prepared| &prepared.program),
        }
    }

    /// The passes' result with its ways back, if there were passes.
    pub fn prepared(&self) -> Option<&Prepared> {
        self.prepared.as_ref()
    }

    /// What the prepared program is made of.
    pub fn features(&self) -> Features {
        Features::of(self.program(View::Prepared))
    }

    /// What is known of the prepared program, said of the split one.
    pub fn facts_before(&self, facts: Facts) -> Facts {
        match &self.prepared {
            None => facts,
            Some(prepared) => carry_facts(prepared, &facts),
        }
    }

    /// Statements about locations of the split program, said of the prepared one, as far as they can
    /// be said there; of those that cannot, how many there are. Facts are used at loop heads, so
    /// what stands elsewhere is left out if something stands there.
    pub fn candidates(
        &self,
        by: &str,
        mut pool: ExprPool,
        list: &[(LocId, ExprId)],
    ) -> (CandidateMap, usize) {
        let split = list.iter().map(|&(location, read)| {
            let after = transform::regions::expression_after_split(&self.split, &mut pool, read)?;
            Some((location, after))
        });
        let split: Vec<(LocId, ExprId)> = split.flatten().collect();
        let lost = list.len() - split.len();
        let (pool, mut found) = self.after_passes(pool, &split);
        let heads = loop_heads(self.program(View::Prepared));
        if found.iter().any(|(location, _)| heads.contains(location)) {
            found.retain(|(location, _)| heads.contains(location));
        }
        let entries = found.into_iter().map(|(location, holds)| Invariant {
            calls: CallPattern::Any,
            location,
            holds,
        });
        let map = InvariantMap {
            by: by.to_owned(),
            entries: entries.collect(),
            pool,
        };
        (CandidateMap(map), lost)
    }

    /// Expressions at locations of the split program, said of the prepared one where it has both.
    pub fn after_passes(
        &self,
        pool: ExprPool,
        list: &[(LocId, ExprId)],
    ) -> (ExprPool, Vec<(LocId, ExprId)>) {
        let Some(prepared) = &self.prepared else {
            return (pool, list.to_vec());
        };
        let mut vars: FxHashMap<VarId, VarId> = FxHashMap::default();
        for number in 0..prepared.program.vars.len() as u32 {
            if let Some(before) = prepared.var_before(VarId(number)) {
                vars.entry(before).or_insert(VarId(number));
            }
        }
        let mut after = prepared.program.pool.clone();
        let mut copies = FxHashMap::default();
        let mut found = Vec::new();
        for number in 0..prepared.program.locations.len() as u32 {
            for &before in prepared.locations_before(LocId(number)) {
                for &(_, holds) in list.iter().filter(|(at, _)| *at == before) {
                    let rename = |var| vars.get(&var).copied();
                    let copied = copy_expr(&pool, &mut after, holds, &mut copies, rename);
                    found.extend(copied.map(|holds| (LocId(number), holds)));
                }
            }
        }
        (after, found)
    }

    /// Proofs are about the split program: they count only if the split keeps what may meet
    /// together.
    pub fn justified_split(&self) -> Result<(), certify::Rejection> {
        let check = || certify::check_split(&self.original, &self.homes);
        self.split_is_justified.get_or_init(check).clone()
    }

    /// Where the program can tell where its objects lie, if it can: proofs fix their addresses, so
    /// there they prove nothing. Passes may leave such places out, but nobody checks passes.
    pub fn observed_address(&self) -> Option<&str> {
        let program = &self.split;
        let find = || {
            let &(span, how) = transform::regions::observed_addresses(program).first()?;
            Some(format!("{}: {}", program.describe(span), how.text()))
        };
        self.observed.get_or_init(find).as_deref()
    }

    /// What a proof is to be checked on, so that it is one for every placement of the objects.
    pub fn for_proofs(&self) -> &Program {
        match self.observed_address() {
            None => &self.split,
            Some(_) => {
                let blind = || transform::regions::with_any_placement(&self.split);
                self.blind.get_or_init(blind)
            }
        }
    }
}
