//! `generalize` of figures 4 and 5: from an infeasible trace to a data automaton that has it.
//!
//! | in this order | states |
//! |---|---|
//! | abstract interpretation of the path program (figure 6) | its fixpoint |
//! | atoms that are inductive over the path program, if they refute the trace | those that are needed |
//! | interpolants of the trace, from one source after the other | their conjuncts |

use crate::data::{DataAutomaton, Transitions};
use crate::engine::Abstraction;
use automata::Letter;
use cfa::expr::ExprId;
use facts::certificate::Certificate;
use facts::engine::Reason;
use facts::invariants::{CandidateMap, conjuncts};
use facts::words::count;
use induction::graph::BlockId;
use predicate::inductive::Candidates;
use predicate::options::InterpolantSource;
use predicate::path_candidates::Known;
use predicate::refutation::Infeasible;

/// Interpolants of one trace that take more questions to the solver are expensive.
const EXPENSIVE: u64 = 500;

/// What became of an infeasible trace.
pub enum Generalised {
    Automaton(DataAutomaton),
    /// On the way an execution was met that violates the property.
    Violated(Certificate),
    /// Longer traces may still be feasible: there is no proof without this one.
    Nothing(Reason),
}

/// What the search for formulas that loops keep has found.
enum Kept {
    Done(Generalised),
    /// Not enough, but it holds in the path program.
    Known(Candidates),
}

impl Abstraction<'_, '_> {
    /// The data automaton of an infeasible trace: from its path program, or else from interpolants
    /// (figure 5); or why it has none.
    pub(crate) fn generalise(
        &mut self,
        word: &[Letter],
        trace: &[BlockId],
        why: &Infeasible,
    ) -> Result<Generalised, Reason> {
        if self.iterations.len() as u64 >= self.options.most_refinements {
            let done = count(self.iterations.len(), "refinement");
            return Err(format!("no proof with {done}").into());
        }
        if let Some(automaton) = self.interpret(word, trace)? {
            return Ok(Generalised::Automaton(automaton));
        }
        if let Some(why) = self.is_hopeless() {
            return Ok(Generalised::Nothing(why));
        }
        let known = match self.keep_loops(word, trace, why)? {
            Kept::Known(known) => known,
            Kept::Done(generalised) => return Ok(generalised),
        };
        let prefix = self.refuter.prefix(self.options.prefixes, why);
        let why = prefix.as_ref().unwrap_or(why);
        let mut reasons: Vec<String> = Vec::new();
        let before = self.refuter.graph().solving.checks();
        for source in self.sources() {
            if self.budget.is_exhausted() {
                return Err(self.out_of_time());
            }
            match self.interpolate(source, word, why, &known)? {
                Ok(automaton) => {
                    let questions = self.refuter.graph().solving.checks() - before;
                    self.most_questions = self.most_questions.max(questions);
                    self.note(trace, &automaton, false, source_name(source));
                    return Ok(Generalised::Automaton(automaton));
                }
                Err(reason) => reasons.push(reason),
            }
        }
        if self.budget.is_exhausted() {
            return Err(self.out_of_time());
        }
        let length = count(trace.len(), "statement");
        let text = format!(
            "no interpolants for an infeasible trace of {length}: {}",
            reasons.join("; ")
        );
        Ok(Generalised::Nothing(text.into()))
    }

    /// The automaton of the trace's path program, if abstract interpretation proves it.
    fn interpret(
        &mut self,
        word: &[Letter],
        trace: &[BlockId],
    ) -> Result<Option<DataAutomaton>, Reason> {
        let proved = self.path_programs.interpret(
            self.refuter,
            &self.program,
            (trace, self.constants),
            &mut self.triples.counts,
            self.options,
            self.budget,
        );
        let Some(proved) = proved else {
            return Ok(None);
        };
        if !self.accepts(&proved.automaton, word)? {
            return Ok(None);
        }
        if !self.is_alone {
            self.board.propose(CandidateMap(proved.map));
        }
        self.note(trace, &proved.automaton, true, proved.domain);
        Ok(Some(proved.automaton))
    }

    /// Looks for formulas that the loops of the trace's path program keep.
    fn keep_loops(
        &mut self,
        word: &[Letter],
        trace: &[BlockId],
        why: &Infeasible,
    ) -> Result<Kept, Reason> {
        let has_loop = trace.iter().any(|&block| self.program.is_in_loop(block));
        if !self.options.inductive || !has_loop {
            return Ok(Kept::Known(Candidates::new()));
        }
        let blocks = self.program.path_program(trace);
        Ok(match self.refuter.inductive(why, &blocks) {
            Known::Nothing => Kept::Known(Candidates::new()),
            Known::Violated(certificate) => Kept::Done(Generalised::Violated(certificate)),
            Known::Holds(known) => Kept::Known(known),
            Known::Refuted(known) => {
                let automaton = self.on_demand(known.values().flatten().copied().collect());
                match self.accepts(&automaton, word)? {
                    true => {
                        self.note(trace, &automaton, false, "inductive".into());
                        Kept::Done(Generalised::Automaton(automaton))
                    }
                    false => Kept::Known(known),
                }
            }
        })
    }

    /// Why no interpolants are looked for: the last traces had none, and the searches become rarer.
    fn is_hopeless(&self) -> Option<Reason> {
        let next = self.traces_set_aside + 1;
        let is_tried = next.is_power_of_two();
        self.beyond.clone().filter(|_| !is_tried)
    }

    /// Where interpolants come from, in order.
    ///
    /// Once interpolants count through a loop and are expensive, the loop is being unrolled, and
    /// the cheapest source unrolls it best. The others are tried first less and less often.
    fn sources(&mut self) -> Vec<InterpolantSource> {
        let mut sources = self.options.interpolants.clone();
        if let Some(first) = self.options.when_diverging
            && self.most_questions > EXPENSIVE
            && self.refuter.divergence().is_some()
        {
            self.diverging += 1;
            if !self.diverging.is_power_of_two()
                && let Some(position) = sources.iter().position(|&source| source == first)
            {
                sources[..=position].rotate_right(1);
            }
        }
        sources
    }

    /// The automaton whose states are the interpolants of one source, and what they rely on; or why
    /// it has none.
    fn interpolate(
        &mut self,
        source: InterpolantSource,
        word: &[Letter],
        why: &Infeasible,
        known: &Candidates,
    ) -> Result<Result<DataAutomaton, String>, Reason> {
        let sequence = match self.refuter.interpolants(source, why, known) {
            Ok(sequence) => sequence,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut predicates: Vec<ExprId> = match self.options.split {
            true => {
                let exprs = &self.refuter.parts().1.exprs;
                let parts = sequence.iter().map(|&formula| conjuncts(exprs, formula));
                parts.flatten().collect()
            }
            false => sequence,
        };
        predicates.extend(known.values().flatten());
        let automaton = self.on_demand(predicates);
        Ok(match self.accepts(&automaton, word)? {
            true => Ok(automaton),
            false => Err("the triples of the interpolants were not decided".into()),
        })
    }

    /// The automaton with these formulas, whose transitions are all valid triples.
    fn on_demand(&self, mut predicates: Vec<ExprId>) -> DataAutomaton {
        predicates.push(self.constants.falsity);
        predicates.retain(|&predicate| predicate != self.constants.truth);
        predicates.sort_unstable();
        predicates.dedup();
        DataAutomaton {
            predicates,
            transitions: Transitions::OnDemand,
        }
    }

    /// Does the automaton have the word? Every automaton is asked before it is used: otherwise the
    /// trace would come again.
    fn accepts(&mut self, automaton: &DataAutomaton, word: &[Letter]) -> Result<bool, Reason> {
        let falsity = self.constants.falsity;
        let mut set = vec![self.constants.truth];
        let mut asking = self.asking();
        for &letter in word {
            set = asking.post(automaton, &set, letter)?;
        }
        Ok(set.contains(&falsity))
    }
}

/// As configurations write it.
fn source_name(source: InterpolantSource) -> String {
    let name = match source {
        InterpolantSource::Vocabulary => "vocabulary",
        InterpolantSource::WeakestPrecondition => "weakest-precondition",
        InterpolantSource::StrongestPostcondition => "strongest-postcondition",
        InterpolantSource::Proof => "proof",
    };
    name.to_owned()
}
