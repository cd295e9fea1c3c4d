//! The abstract interpretation module (figure 6), and the data automaton that it makes (section
//! 3.1).
//!
//! | figure 6 | here |
//! |---|---|
//! | does `τ` contain a loop? | [`ProgramAutomaton::is_in_loop`] of one of its blocks |
//! | path program `P#_τ` | [`ProgramAutomaton::path_program`] |
//! | is `P#_τ` new? | [`PathPrograms::seen`] |
//! | fixpoint | [`PathProgram::interpret`] |
//! | safe: `A_AI` | `automaton`; enhanced (figure 7): `enhance` |
//! | unknown | no automaton: the caller generalises the trace itself |

use crate::data::{Constants, DataAutomaton, Transitions};
use crate::options::{Enhancement, Options};
use crate::program::ProgramAutomaton;
use crate::relevance::Relevance;
use crate::triples::Counts;
use absint::invariants::{AbstractStates, InvariantOptions, Invariants, Posts, Way};
use automata::Letter;
use cfa::expr::ExprId;
use cfa::place::{CallPattern, Place};
use facts::budget::Budget;
use facts::invariants::InvariantMap;
use induction::graph::{BlockId, Target};
use predicate::path_program::{PathProgram, edges_of};
use predicate::refutation::Refuter;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The path programs that were met.
#[derive(Default)]
pub struct PathPrograms {
    /// Each by its blocks.
    seen: FxHashSet<BTreeSet<BlockId>>,
    /// Path programs that were given to an abstract interpretation.
    pub interpreted: u64,
    /// Those that one has proved.
    pub proved: u64,
}

/// A path program that is proved.
pub struct Proved {
    pub automaton: DataAutomaton,
    /// What holds in it where blocks meet: with luck it holds in the program too.
    pub map: InvariantMap,
    /// The domain that proved it.
    pub domain: String,
}

type Given = FxHashMap<(ExprId, Letter), Vec<ExprId>>;

impl PathPrograms {
    /// The automaton of all traces of the path program, if it is new, has a loop, and is proved
    /// safe.
    pub fn interpret(
        &mut self,
        refuter: &mut Refuter<'_>,
        program: &ProgramAutomaton,
        (path, constants): (&[BlockId], Constants),
        counts: &mut Counts,
        options: &Options,
        budget: &Budget,
    ) -> Option<Proved> {
        if options.interpretations.is_empty()
            || !path.iter().any(|&block| program.is_in_loop(block))
        {
            return None;
        }
        let blocks = program.path_program(path);
        if !self.seen.insert(blocks.clone()) {
            return None;
        }
        let list: Vec<BlockId> = blocks.iter().copied().collect();
        let edges = edges_of(refuter.graph(), &list)?;
        self.interpreted += 1;
        let most = Duration::try_from_secs_f64(options.interpretation_time).unwrap_or_default();
        for interpretation in &options.interpretations {
            let path_program = PathProgram::new(&edges, interpretation, most, budget);
            let budget = &path_program.budget;
            let found = path_program.interpret(refuter.graph().program());
            let Ok((found, states)) = found else { continue };
            if !found.is_proof {
                continue;
            }
            self.proved += 1;
            let mut fixpoint = Fixpoint::new(refuter, &found, constants);
            let is_checked = options.relevant && fixpoint.weaken(refuter, &blocks, budget);
            let given = fixpoint.transitions(refuter, program, &blocks);
            // Where formulas say less than the states did, their triples are to be checked.
            let transitions = match options.enhanced {
                Enhancement::Off if is_checked || !found.lost => Transitions::Given(given),
                Enhancement::Abstract if !is_checked && !found.lost => {
                    let given = fixpoint.enhance(refuter, program, given, &*states, counts, budget);
                    Transitions::Given(given)
                }
                _ => Transitions::OnDemand,
            };
            return Some(Proved {
                automaton: fixpoint.automaton(transitions),
                map: at_cuts(refuter, &found),
                domain: domain_name(interpretation),
            });
        }
        None
    }
}

/// As configurations write it.
fn domain_name(interpretation: &InvariantOptions) -> String {
    let options = serde_json::to_value(interpretation).unwrap_or_default();
    let domain = options.get("domain").and_then(|domain| domain.as_str());
    domain.unwrap_or("abstract interpretation").to_owned()
}

/// The entries of places where blocks meet.
fn at_cuts(refuter: &mut Refuter<'_>, found: &Invariants) -> InvariantMap {
    let mut map = found.map.clone();
    map.entries
        .retain(|entry| refuter.graph().is_cut(entry.location));
    map
}

/// The formulas of a fixpoint: the states of its automaton.
struct Fixpoint {
    constants: Constants,
    /// Those of the entries.
    of_entry: Vec<ExprId>,
    of_place: FxHashMap<Place, ExprId>,
    states: BTreeSet<ExprId>,
}

impl Fixpoint {
    fn new(refuter: &mut Refuter<'_>, found: &Invariants, constants: Constants) -> Fixpoint {
        let exprs = &mut refuter.parts().1.exprs;
        let (mut of_entry, mut of_place) = (Vec::new(), FxHashMap::default());
        for entry in &found.map.entries {
            let holds = exprs.import(&found.map.pool, entry.holds);
            of_entry.push(holds);
            if let CallPattern::Exactly(calls) = &entry.calls {
                let place = Place {
                    calls: calls.clone(),
                    location: entry.location,
                };
                of_place.insert(place, holds);
            }
        }
        Fixpoint {
            constants,
            of_entry,
            of_place,
            states: BTreeSet::from([constants.falsity]),
        }
    }

    /// What the fixpoint has no state for is not reached.
    fn at(&self, place: &Place) -> ExprId {
        let known = self.of_place.get(place).copied();
        known.unwrap_or(self.constants.falsity)
    }

    /// Keeps of the formulas what the proof needs; `false` if the solver does not confirm it.
    fn weaken(
        &mut self,
        refuter: &mut Refuter<'_>,
        blocks: &BTreeSet<BlockId>,
        budget: &Budget,
    ) -> bool {
        let falsity = self.constants.falsity;
        let mut relevance = Relevance::new(refuter, blocks, |place| self.at(place));
        if !relevance.find(refuter, blocks, falsity, budget) {
            return false;
        }
        for &block in blocks {
            let source = refuter.graph().block(block).source;
            let formula = relevance.formula(refuter, source);
            let place = refuter.graph().place(source).clone();
            self.of_place.insert(place, formula);
        }
        true
    }

    /// The transitions of the path program.
    fn transitions(
        &mut self,
        refuter: &mut Refuter<'_>,
        program: &ProgramAutomaton,
        blocks: &BTreeSet<BlockId>,
    ) -> Given {
        let graph = refuter.graph();
        let mut transitions = Given::default();
        for &block in blocks {
            let from = self.at(graph.place(graph.block(block).source));
            let to = match graph.block(block).target {
                Target::Place(place) => self.at(graph.place(place)),
                Target::Error(_) | Target::Beyond(_) => self.constants.falsity,
            };
            self.states.extend([from, to]);
            let targets = transitions
                .entry((from, program.letter(block)))
                .or_default();
            if !targets.contains(&to) {
                targets.push(to);
            }
        }
        transitions
    }

    /// All triples that abstract post finds valid, over all letters of the program; as many as
    /// there is time for.
    fn enhance(
        &self,
        refuter: &mut Refuter<'_>,
        program: &ProgramAutomaton,
        mut transitions: Given,
        states: &dyn AbstractStates,
        counts: &mut Counts,
        budget: &Budget,
    ) -> Given {
        // One entry for each state of the automaton; nothing is known in the first one.
        let mut entries: BTreeMap<ExprId, Option<usize>> = BTreeMap::new();
        for (number, &formula) in self.of_entry.iter().enumerate() {
            if self.states.contains(&formula) {
                entries.entry(formula).or_insert(Some(number));
            }
        }
        entries.entry(self.constants.truth).or_insert(None);
        for letter in program.letters() {
            let (graph, block) = (refuter.graph(), program.block(letter));
            let to = match graph.block(block).target {
                Target::Place(place) => Some(graph.place(place)),
                Target::Error(_) => None,
                Target::Beyond(_) => continue,
            };
            let Some(edges) = edges_of(graph, &[block]) else {
                continue;
            };
            let way = Way {
                from: graph.place(graph.block(block).source),
                to,
                edges: &edges,
            };
            for (&formula, &entry) in &entries {
                if budget.is_exhausted() {
                    return transitions;
                }
                let Ok(posts) = states.post(entry, &way) else {
                    continue;
                };
                counts.abstract_post += entries.len() as u64;
                let targets = transitions.entry((formula, letter)).or_default();
                match posts {
                    Posts::Nothing => *targets = vec![self.constants.falsity],
                    Posts::Within(_) if way.to.is_none() => {}
                    Posts::Within(numbers) => {
                        let formulas = numbers.into_iter().map(|number| self.of_entry[number]);
                        targets.extend(formulas.filter(|formula| entries.contains_key(formula)));
                        targets.sort_unstable();
                        targets.dedup();
                    }
                }
            }
        }
        transitions
    }

    fn automaton(self, transitions: Transitions) -> DataAutomaton {
        let Fixpoint {
            constants,
            mut states,
            ..
        } = self;
        states.remove(&constants.truth);
        DataAutomaton {
            predicates: states.into_iter().collect(),
            transitions,
        }
    }
}
