//! What the algorithm tells of its refinements: numbers, drawings, and automata as text.

use crate::data::{Constants, DataAutomaton, Transitions};
use crate::draw;
use crate::engine::{Abstraction, Iteration, NAME};
use crate::statements;
use automata::Letter;
use cfa::expr::ExprId;
use facts::engine::Reason;
use facts::invariants::conjuncts;
use facts::refinement::{self, Refinement};
use induction::graph::BlockId;

impl Abstraction<'_, '_> {
    pub(crate) fn note(
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
    pub(crate) fn tell(&self) {
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
}
