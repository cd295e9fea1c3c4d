//! The loop of figures 4 and 5.

use crate::annotation::{annotation, as_map};
use crate::data::{Asking, Constants, DataAutomaton};
use crate::execution;
use crate::generalise::Generalised;
use crate::interpretation::PathPrograms;
use crate::knowledge::Facts;
use crate::options::Options;
use crate::program::ProgramAutomaton;
use crate::reuse::Reused;
use crate::triples::Triples;
use absint::publication;
use automata::{Letter, Search, reduce, search};
use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::{AnnotatedGraph, Certificate};
use facts::engine::{Board, Engine, Outcome, Reason, View};
use facts::words::count;
use induction::graph::{BlockId, Target};
use predicate::analysis::Analysis;
use predicate::refutation::{Looked, Refuter, options as refuter_options};

pub(crate) const NAME: &str = "trace-abstraction";

/// The engine.
#[derive(Clone, Debug)]
pub struct TraceAbstraction {
    pub options: Options,
    /// The form of the program that it works on.
    view: View,
}

impl Default for TraceAbstraction {
    fn default() -> Self {
        TraceAbstraction::new(Options::default())
    }
}

impl TraceAbstraction {
    pub fn new(options: Options) -> TraceAbstraction {
        TraceAbstraction {
            options,
            view: View::Prepared,
        }
    }
}

impl Engine for TraceAbstraction {
    fn name(&self) -> &str {
        NAME
    }

    fn view(&self) -> View {
        self.view
    }

    /// An execution may end early at an access that passes have removed, or the split of memory.
    fn retry_after_rejection(&mut self, rejected: &Certificate) -> bool {
        let next = match self.view {
            View::Prepared => View::Split,
            View::Split => View::Original,
            View::Original => return false,
        };
        let is_execution = matches!(rejected, Certificate::Inputs(_));
        if is_execution {
            self.view = next;
        }
        is_execution
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let options = refuter_options(&predicate::Options {
            blocks: self.options.blocks,
            interpolants: self.options.interpolants.clone(),
            ..predicate::Options::default()
        });
        let mut refuter = Refuter::new(Analysis::new(program, &options, NAME, board, budget));
        let abstraction = Abstraction::new(&mut refuter, &self.options, board, budget);
        let result = abstraction.and_then(|mut abstraction| {
            // What is on the board is about the simplified program.
            abstraction.is_alone = self.view != View::Prepared;
            let result = abstraction.run();
            abstraction.tell();
            abstraction.keep();
            result
        });
        match result {
            Ok(certificate) => Outcome::Answer(certificate),
            Err(reason) => Outcome::Unknown(reason),
        }
    }
}

/// One iteration, for whoever wants to see how it went.
#[derive(Clone, Debug)]
pub struct Iteration {
    pub trace: Vec<BlockId>,
    pub automaton: DataAutomaton,
    /// Was the automaton made by abstract interpretation?
    pub is_interpreted: bool,
    /// The domain, or the source of interpolants.
    pub origin: String,
}

pub struct Abstraction<'x, 'a> {
    pub(crate) refuter: &'x mut Refuter<'a>,
    pub(crate) options: &'x Options,
    pub(crate) board: &'x dyn Board,
    pub(crate) budget: &'x Budget,
    pub(crate) constants: Constants,
    pub(crate) program: ProgramAutomaton,
    pub(crate) triples: Triples,
    pub(crate) path_programs: PathPrograms,
    pub(crate) facts: Facts,
    pub(crate) reused: Vec<Reused>,
    /// Refinements since interpolants were seen to count through a loop.
    pub(crate) diverging: u64,
    /// The most questions that interpolants of one trace took.
    pub(crate) most_questions: u64,
    /// Infeasible traces without interpolants.
    pub(crate) traces_set_aside: u64,
    pub iterations: Vec<Iteration>,
    /// Takes nothing from the board, and tells it no more than numbers.
    pub is_alone: bool,
    /// Why no proof is possible any more: the first reason met.
    pub(crate) beyond: Option<Reason>,
}

impl<'x, 'a> Abstraction<'x, 'a> {
    pub fn new(
        refuter: &'x mut Refuter<'a>,
        options: &'x Options,
        board: &'x dyn Board,
        budget: &'x Budget,
    ) -> Result<Abstraction<'x, 'a>, Reason> {
        let program = ProgramAutomaton::of(refuter.graph(), budget)?;
        let exprs = &mut refuter.parts().1.exprs;
        let constants = Constants {
            truth: exprs.bool_constant(true),
            falsity: exprs.bool_constant(false),
        };
        board.count(NAME, "places", program.nfa.len() as u64 - 1);
        board.count(NAME, "statements", program.letters().count() as u64);
        Ok(Abstraction {
            refuter,
            options,
            board,
            budget,
            constants,
            program,
            triples: Triples::default(),
            path_programs: PathPrograms::default(),
            facts: Facts::default(),
            reused: Vec::new(),
            diverging: 0,
            most_questions: 0,
            traces_set_aside: 0,
            iterations: Vec::new(),
            is_alone: false,
            beyond: None,
        })
    }

    /// Removes infeasible traces until one is feasible or none is left.
    pub fn run(&mut self) -> Result<Certificate, Reason> {
        // What is left of the program's words: `A_P \ A_D`.
        let mut rest = reduce(&self.program.nfa).nfa;
        self.read_facts();
        rest = self.without_reused(rest)?;
        loop {
            self.read_facts();
            let Ok(Search::Accepts(run)) = search(&mut &rest) else {
                return self.prove();
            };
            let trace = self.trace_of(&run.word)?;
            rest = match self.refuter.look_at(&trace) {
                Looked::Undecided(why) => return Err(self.undecided(&why)),
                Looked::Feasible => match self.beyond_of(&trace) {
                    Some(why) => self.without_ends(&rest, &run.word, why),
                    None => match self.execute(&trace)? {
                        Ok(certificate) => return Ok(certificate),
                        Err(why) => self.without_trace(&rest, &run.word, why),
                    },
                },
                Looked::Infeasible(why) => match self.generalise(&run.word, &trace, &why)? {
                    Generalised::Automaton(automaton) => self.subtract(&rest, &automaton)?,
                    Generalised::Violated(certificate) => return Ok(certificate),
                    Generalised::Nothing(why) => {
                        self.traces_set_aside += 1;
                        self.without_trace(&rest, &run.word, why)
                    }
                },
            };
        }
    }

    fn trace_of(&mut self, word: &[Letter]) -> Result<Vec<BlockId>, Reason> {
        let trace = self.program.path(word);
        let trace =
            trace.ok_or_else(|| Reason::Failed("a trace does not belong to the program".into()))?;
        let text = format!(
            "iteration {}: a trace of {}",
            self.iterations.len() + 1,
            count(trace.len(), "statement")
        );
        self.board.progress(NAME, &text);
        Ok(trace)
    }

    fn read_facts(&mut self) {
        let (refuter, program) = (&mut *self.refuter, &self.program);
        if !self.is_alone && self.facts.read(refuter, program, self.board, self.budget) {
            self.triples
                .rely_on(self.facts.of_letters(refuter, program));
            self.board.count(NAME, "facts", self.facts.len() as u64);
        }
    }

    pub(crate) fn asking(&mut self) -> Asking<'_, 'a> {
        Asking {
            refuter: self.refuter,
            program: &self.program,
            triples: &mut self.triples,
            constants: self.constants,
            budget: self.budget,
        }
    }

    /// No trace is left.
    fn prove(&mut self) -> Result<Certificate, Reason> {
        if let Some(why) = &self.beyond {
            return Err(why.clone());
        }
        self.board.progress(NAME, "no trace is left");
        let reused = self.reused.iter().map(|one| &one.automaton);
        let new = self.iterations.iter().map(|one| &one.automaton);
        let automata: Vec<DataAutomaton> = reused.chain(new).cloned().collect();
        let facts = std::mem::take(&mut self.facts);
        let proof = annotation(&mut self.asking(), &automata, &facts);
        self.facts = facts;
        let proof = proof?;
        self.publish(&proof);
        Ok(Certificate::Graph(proof))
    }

    /// Tells the others what the proof says, checked first.
    fn publish(&mut self, proof: &AnnotatedGraph) {
        if self.is_alone || self.path_programs.proved == 0 {
            return;
        }
        let program = self.refuter.graph().program();
        publication::publish(program, as_map(NAME, proof), true, self.board, self.budget);
    }

    /// The execution along a feasible trace; or why its models are none.
    fn execute(&mut self, trace: &[BlockId]) -> Result<Result<Certificate, Reason>, Reason> {
        match execution::inputs(self.refuter.graph(), trace, self.budget) {
            Ok(certificate) => Ok(Ok(certificate)),
            Err(_) if self.budget.is_exhausted() => Err(self.out_of_time()),
            Err(how) => {
                let why =
                    format!("the model of a trace is not an execution of the program ({how})");
                Ok(Err(why.into()))
            }
        }
    }

    /// Why the trace is no error trace, if it ends where formulas do.
    fn beyond_of(&mut self, trace: &[BlockId]) -> Option<String> {
        let graph = self.refuter.graph();
        match &graph.block(*trace.last()?).target {
            Target::Beyond(why) => Some(why.describe(graph.program())),
            _ => None,
        }
    }

    pub(crate) fn out_of_time(&self) -> Reason {
        let mut text = format!(" after {}", count(self.iterations.len(), "refinement"));
        if let Some(divergence) = self.refuter.divergence() {
            text = format!("{text}; {divergence}");
        }
        Reason::OutOfTime(text)
    }

    fn undecided(&self, why: &str) -> Reason {
        match self.budget.is_exhausted() {
            true => self.out_of_time(),
            false => Reason::Undecided(format!("a trace was not decided: {why}")),
        }
    }
}
