//! Trace abstraction, refined by abstract interpretation on path programs.
//!
//! Greitschus2017: M. Greitschus, D. Dietsch, A. Podelski: Refining Trace Abstraction using
//! Abstract Interpretation, 2017; after M. Heizmann, J. Hoenicke, A. Podelski: Refinement of Trace
//! Abstraction, SAS 2009, and Software Model Checking for People Who Love Automata, CAV 2013.
//!
//! | there | here |
//! |---|---|
//! | program `P`, locations `Loc` | [`induction::solver_graph`]: call strings, locations |
//! | statements `Stmt`, alphabet `Σ` | [`statements`]: the relations of blocks, interned |
//! | program automaton `A_P` | [`program::ProgramAutomaton`] |
//! | data automaton `A_D` | a list of [`data::DataAutomaton`], subtracted one by one |
//! | Floyd–Hoare automaton, `φ_q` | a state is its formula, an expression of the program |
//! | Hoare triple `{φ} st {φ'}` | [`triples`] |
//! | trace `τ`, is it feasible? | [`predicate::refutation`] |
//! | the loop of figures 4 and 5 | [`engine`] |
//! | `generalize` | `generalise` |
//! | the abstract interpretation module, figure 6 | [`interpretation`] |
//! | path program `P#_τ` | [`predicate::path_program`] |
//! | its fixpoints | [`absint::invariants`] |
//! | `A_AI`, section 3.1; enhanced, figure 7 | [`interpretation`] |
//! | an execution of a feasible trace | [`execution`] |
//! | the proof | [`annotation`] |
//!
//! Deviations:
//! - A statement is the relation of a block as a formula, so that equal statements of different
//!   places are one letter, however they are written; how large blocks are is an option.
//! - Functions are followed into by call strings. Where a recursion goes deeper than they are
//!   followed, and where an operation has no formula, a word of the program automaton ends and is
//!   accepted like an error trace: if it is feasible, there is no proof, and the answer says why.
//! - What a fixpoint says beside the point may be left out before it becomes an automaton
//!   ([`relevance`], an option).
//! - The states of the data automaton that a word leads to are looked at together: a triple's
//!   precondition is the conjunction of their formulas.

pub mod annotation;
pub mod data;
pub mod draw;
pub mod engine;
pub mod execution;
mod generalise;
pub mod interpretation;
pub mod kept;
pub mod knowledge;
mod left;
pub mod options;
pub mod program;
pub mod relevance;
mod reuse;
mod showing;
pub mod statements;
pub mod triples;

pub use engine::TraceAbstraction;
pub use options::Options;
