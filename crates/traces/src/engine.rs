//! The loop of figures 4 and 5.

use crate::annotation::{annotation, as_map};
use crate::data::{Asking, Constants, DataAutomaton, Single, Transitions};
use crate::draw;
use crate::execution;
use crate::interpretation::PathPrograms;
use crate::kept::{self, Named};
use crate::knowledge::Facts;
use crate::options::Options;
use crate::program::ProgramAutomaton;
use crate::statements;
use crate::triples::Triples;
use absint::publication;
use automata::{Difference, Letter, Nfa, Search, Watched, explore, reduce, search};
use cfa::expr::ExprId;
use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::{AnnotatedGraph, Certificate};
use facts::engine::{Board, Engine, Outcome, Reason, View};
use facts::invariants::{CandidateMap, conjuncts};
use facts::refinement::{self, Refinement};
use facts::words::count;
use induction::graph::{BlockId, Target};
use predicate::analysis::Analysis;
use predicate::options::InterpolantSource;
use predicate::refutation::{Infeasible, Looked, Refuter, options as refuter_options};

const NAME: &str = "trace-abstraction";

/// Transitions of one difference that are looked at; beyond, the program is given up.
const MAX_STEPS: usize = 1_000_000;

/// Interpolants of one trace that take more questions to the solver are expensive.
const EXPENSIVE: u64 = 500;

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

/// An automaton of an earlier version of the program.
struct Reused {
    automaton: DataAutomaton,
    origin: String,
    /// Has it removed traces?
    is_useful: bool,
}

pub struct Abstraction<'x, 'a> {
    refuter: &'x mut Refuter<'a>,
    options: &'x Options,
    board: &'x dyn Board,
    budget: &'x Budget,
    constants: Constants,
    program: ProgramAutomaton,
    triples: Triples,
    path_programs: PathPrograms,
    facts: Facts,
    reused: Vec<Reused>,
    /// Refinements since interpolants were seen to count through a loop.
    diverging: u64,
    /// The most questions that interpolants of one trace took.
    most_questions: u64,
    /// Infeasible traces without interpolants.
    set_aside: u64,
    pub iterations: Vec<Iteration>,
    /// Takes nothing from the board, and tells it no more than numbers.
    pub is_alone: bool,
    /// Why no proof is possible any more: the first reason met.
    beyond: Option<Reason>,
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
            set_aside: 0,
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
        rest = self.reuse(rest)?;
        loop {
            self.read_facts();
            let Ok(found) = search(&mut &rest);
            let Search::Accepts(run) = found else {
                return self.prove();
            };
            let trace = self.program.path(&run.word);
            let trace = trace
                .ok_or_else(|| Reason::Failed("a trace does not belong to the program".into()))?;
            self.say_trace(&trace);
            match self.refuter.look_at(&trace) {
                Looked::Undecided(why) => return Err(self.undecided(&why)),
                Looked::Feasible => match self.beyond_of(&trace) {
                    None => match self.execute(&trace)? {
                        Ok(certificate) => return Ok(certificate),
                        Err(why) => {
                            self.beyond.get_or_insert(why);
                            rest = without_word(&rest, &run.word);
                        }
                    },
                    Some(why) => {
                        let why = Reason::Unsupported(why);
                        self.beyond.get_or_insert(why);
                        rest = without(&rest, run.word.last().copied());
                    }
                },
                Looked::Infeasible(why) => {
                    match self.generalise(&run.word, &trace, &why)? {
                        Ok(automaton) => rest = self.subtract(&rest, &automaton)?,
                        // Longer traces may still be feasible.
                        Err(why) => {
                            self.set_aside += 1;
                            self.board.count(NAME, "traces set aside", self.set_aside);
                            self.beyond.get_or_insert(why);
                            rest = without_word(&rest, &run.word);
                        }
                    }
                }
            }
        }
    }

    fn read_facts(&mut self) {
        let (refuter, program) = (&mut *self.refuter, &self.program);
        if !self.is_alone && self.facts.read(refuter, program, self.board, self.budget) {
            self.triples
                .rely_on(self.facts.of_letters(refuter, program));
            self.board.count(NAME, "facts", self.facts.len() as u64);
        }
    }

    /// What is left without the words of automata of an earlier version of the program.
    fn reuse(&mut self, mut rest: Nfa) -> Result<Nfa, Reason> {
        let kept = (!self.is_alone).then(|| self.board.kept(NAME)).flatten();
        let Some(text) = kept else {
            return Ok(rest);
        };
        self.board
            .progress(NAME, "reading automata of an earlier run");
        let falsity = self.constants.falsity;
        for read in kept::read(self.refuter, &self.program, falsity, &text) {
            if rest.is_empty() {
                break;
            }
            let left = self.subtract(&rest, &read.automaton)?;
            self.reused.push(Reused {
                automaton: read.automaton,
                origin: read.origin,
                is_useful: (left.len(), left.edge_count()) != (rest.len(), rest.edge_count()),
            });
            rest = left;
        }
        let useful = self.reused.iter().filter(|one| one.is_useful).count();
        self.board.count(NAME, "reused automata", useful as u64);
        Ok(rest)
    }

    /// Keeps the automata for later versions of the program.
    fn keep(&mut self) {
        if self.is_alone || !self.board.wants_kept() {
            return;
        }
        let useful = self.reused.iter().filter(|one| one.is_useful);
        let useful = useful.map(|one| (&one.automaton, &one.origin));
        let new = self
            .iterations
            .iter()
            .map(|one| (&one.automaton, &one.origin));
        let named = useful
            .chain(new)
            .map(|(automaton, origin)| Named { automaton, origin });
        let named: Vec<Named<'_>> = named.collect();
        let falsity = self.constants.falsity;
        let text = kept::write(self.refuter, &self.program, &self.triples, falsity, &named);
        self.board.keep(NAME, text);
    }

    /// The data automaton of an infeasible trace: from its path program, or else from interpolants
    /// (figure 5); or why it has none.
    fn generalise(
        &mut self,
        word: &[Letter],
        trace: &[BlockId],
        why: &Infeasible,
    ) -> Result<Result<DataAutomaton, Reason>, Reason> {
        if self.iterations.len() as u64 >= self.options.most_refinements {
            let done = count(self.iterations.len(), "refinement");
            return Err(format!("no proof with {done}").into());
        }
        let proved = self.path_programs.interpret(
            self.refuter,
            &self.program,
            (trace, self.constants),
            &mut self.triples.counts,
            self.options,
            self.budget,
        );
        if let Some(proved) = proved
            && self.accepts(&proved.automaton, word)?
        {
            if !self.is_alone {
                self.board.propose(CandidateMap(proved.map));
            }
            self.note(trace, &proved.automaton, true, proved.domain);
            return Ok(Ok(proved.automaton));
        }
        if let Some(why) = self.is_hopeless() {
            return Ok(Err(why));
        }
        let prefix = self.refuter.prefix(self.options.prefixes, why);
        let why = prefix.as_ref().unwrap_or(why);
        let mut reasons: Vec<String> = Vec::new();
        let before = self.refuter.graph().solving.checks();
        for source in self.sources() {
            if self.budget.is_exhausted() {
                return Err(self.out_of_time());
            }
            match self.interpolate(source, word, why)? {
                Ok(automaton) => {
                    let questions = self.refuter.graph().solving.checks() - before;
                    self.most_questions = self.most_questions.max(questions);
                    self.note(trace, &automaton, false, source_name(source));
                    return Ok(Ok(automaton));
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
        Ok(Err(text.into()))
    }

    /// Why no interpolants are looked for: the last traces had none, and the searches become rarer.
    fn is_hopeless(&self) -> Option<Reason> {
        let next = self.set_aside + 1;
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

    /// The automaton whose states are the interpolants of one source; or why it has none.
    fn interpolate(
        &mut self,
        source: InterpolantSource,
        word: &[Letter],
        why: &Infeasible,
    ) -> Result<Result<DataAutomaton, String>, Reason> {
        let sequence = match self.refuter.interpolants(source, why) {
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
        predicates.push(self.constants.falsity);
        predicates.retain(|&predicate| predicate != self.constants.truth);
        predicates.sort_unstable();
        predicates.dedup();
        let automaton = DataAutomaton {
            predicates,
            transitions: Transitions::OnDemand,
        };
        Ok(match self.accepts(&automaton, word)? {
            true => Ok(automaton),
            false => Err("the triples of the interpolants were not decided".into()),
        })
    }

    fn asking(&mut self) -> Asking<'_, 'a> {
        Asking {
            refuter: self.refuter,
            program: &self.program,
            triples: &mut self.triples,
            constants: self.constants,
            budget: self.budget,
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

    /// What is left without the words of the automaton, made small.
    fn subtract(&mut self, rest: &Nfa, automaton: &DataAutomaton) -> Result<Nfa, Reason> {
        let mut asking = self.asking();
        let single = Single {
            asking: &mut asking,
            automaton,
        };
        let mut steps = 0;
        let is_too_large = || {
            steps += 1;
            match steps > MAX_STEPS {
                true => Err(Reason::from("too much is left of the program")),
                false => Ok(()),
            }
        };
        let mut difference = Watched::new(Difference::new(rest, single), is_too_large);
        let explored = explore(&mut difference)?;
        drop(difference);
        let rest = reduce(&explored.nfa).nfa;
        self.board.count(NAME, "states left", rest.len() as u64);
        Ok(rest)
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

    fn note(
        &mut self,
        trace: &[BlockId],
        automaton: &DataAutomaton,
        is_interpreted: bool,
        origin: String,
    ) {
        self.show(trace, automaton, is_interpreted, &origin);
        self.iterations.push(Iteration {
            trace: trace.to_vec(),
            automaton: automaton.clone(),
            is_interpreted,
            origin,
        });
        if cfg!(debug_assertions) {
            // The law of data automata; what the solver gave up on is no error.
            let wrong = self.unconfirmed(automaton);
            debug_assert!(
                wrong.as_ref().is_ok_and(Vec::is_empty) || wrong.is_err(),
                "{wrong:?}"
            );
        }
        self.tell();
    }

    /// The numbers of figure 8, and how triples were decided.
    fn tell(&self) {
        let board = self.board;
        board.count(NAME, "refinements", self.iterations.len() as u64);
        let interpreted = self.path_programs.interpreted;
        board.count(NAME, "path program refinements", interpreted);
        let useful = self
            .iterations
            .iter()
            .filter(|one| one.is_interpreted)
            .count();
        board.count(NAME, "useful path-program refinements", useful as u64);
        self.triples.counts.tell(board, NAME);
    }

    /// Puts the refinement into words, if somebody is going to look at it.
    fn show(
        &mut self,
        trace: &[BlockId],
        automaton: &DataAutomaton,
        is_interpreted: bool,
        by: &str,
    ) {
        let number = self.iterations.len() + 1;
        if number > refinement::MAX_REFINEMENTS || !self.board.wants_graphs() {
            return;
        }
        let mut shown = Refinement {
            by: NAME.into(),
            number,
            origin: by.into(),
            is_interpreted,
            ..Refinement::default()
        };
        let statements = self.text(trace);
        let word: Vec<Letter> = trace
            .iter()
            .map(|&block| self.program.letter(block))
            .collect();
        if let Ok(walk) = draw::walk(&mut self.asking(), automaton, &word) {
            for (statement, set) in statements.iter().zip(&walk.behind) {
                let holds = self.conjunction_text(set);
                shown.steps.push((statement.clone(), holds));
                if shown.steps.len() == refinement::MAX_STEPS {
                    break;
                }
            }
            for set in &walk.states {
                let text = self.conjunction_text(set);
                shown.states.push(text);
            }
            for (from, to, letter) in walk.edges {
                let statement = statements::text(self.refuter.graph(), self.program.block(letter));
                shown.edges.push((from, to, statement));
            }
            self.board.refinement(shown);
        }
    }

    /// The formulas of a set as C.
    fn conjunction_text(&mut self, set: &[ExprId]) -> String {
        let truth = self.constants.truth;
        let exprs = &self.refuter.parts().1.exprs;
        let formulas = set.iter().filter(|&&formula| formula != truth);
        let formulas = formulas.flat_map(|&formula| conjuncts(exprs, formula));
        let formulas: Vec<ExprId> = formulas.collect();
        let texts = formulas
            .into_iter()
            .map(|formula| self.formula_text(formula));
        let texts: Vec<String> = texts.collect();
        match texts.is_empty() {
            true => "true".into(),
            false => texts.join(" && "),
        }
    }

    fn say_trace(&mut self, trace: &[BlockId]) {
        let text = format!(
            "iteration {}: a trace of {}",
            self.iterations.len() + 1,
            count(trace.len(), "statement")
        );
        self.board.progress(NAME, &text);
    }

    /// The transitions of an automaton whose triples the solver does not confirm, as text: none, by
    /// the law of data automata. Triples that cannot be said where the statement begins or ends are
    /// left out.
    pub fn unconfirmed(&mut self, automaton: &DataAutomaton) -> Result<Vec<String>, Reason> {
        let Constants { truth, falsity } = self.constants;
        let Transitions::Given(transitions) = &automaton.transitions else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for (&(from, letter), targets) in transitions {
            let block = self.program.block(letter);
            for &to in targets {
                let (graph, predicates) = self.refuter.parts();
                let source = graph.block(block).source;
                let is_said = predicates.start_term(graph, source, from).is_some()
                    && (to == falsity || predicates.end_term(graph, block, to).is_some());
                if !is_said || from == falsity || to == truth {
                    continue;
                }
                let asked = (&[from][..], letter);
                let (program, budget) = (&self.program, self.budget);
                let after =
                    (self.triples).post(self.refuter, program, asked, &[to], falsity, budget)?;
                if !after.contains(&to) && !after.contains(&falsity) {
                    let statement = statements::text(self.refuter.graph(), block);
                    let (from, to) = (self.formula_text(from), self.formula_text(to));
                    found.push(format!("{{{from}}} {statement} {{{to}}}"));
                }
            }
        }
        Ok(found)
    }

    /// The transitions that an automaton was given, as text: formula, statement, formula.
    pub fn transitions(&mut self, automaton: &DataAutomaton) -> Vec<[String; 3]> {
        let Transitions::Given(transitions) = &automaton.transitions else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (&(from, letter), targets) in transitions {
            let statement = statements::text(self.refuter.graph(), self.program.block(letter));
            for &to in targets {
                let (from, to) = (self.formula_text(from), self.formula_text(to));
                found.push([from, statement.clone(), to]);
            }
        }
        found.sort();
        found
    }

    /// The statements of a trace as C.
    pub fn text(&mut self, trace: &[BlockId]) -> Vec<String> {
        let graph = self.refuter.graph();
        trace
            .iter()
            .map(|&block| statements::text(graph, block))
            .collect()
    }

    /// A formula as C.
    pub fn formula_text(&mut self, formula: ExprId) -> String {
        let (graph, predicates) = self.refuter.parts();
        printing::export::expression_text_in(graph.program(), &predicates.exprs, formula)
    }

    fn out_of_time(&self) -> Reason {
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

/// The automaton without one word.
fn without_word(nfa: &Nfa, word: &[Letter]) -> Nfa {
    let mut builder = Nfa::builder();
    let mut state = builder.state();
    builder.initial(state);
    for &letter in word {
        let next = builder.state();
        builder.edge(state, letter, next);
        state = next;
    }
    builder.accepting(state);
    let single = builder.build();
    let Ok(explored) = explore(&mut Difference::new(nfa, &single));
    reduce(&explored.nfa).nfa
}

/// The automaton without the transitions of a letter.
fn without(nfa: &Nfa, letter: Option<Letter>) -> Nfa {
    let mut builder = Nfa::builder();
    builder.states(nfa.len());
    for &state in nfa.initial_states() {
        builder.initial(state);
    }
    for state in nfa.states() {
        if nfa.accepts_at(state) {
            builder.accepting(state);
        }
        for &(other, target) in nfa.edges(state) {
            if Some(other) != letter {
                builder.edge(state, other, target);
            }
        }
    }
    reduce(&builder.build()).nfa
}
