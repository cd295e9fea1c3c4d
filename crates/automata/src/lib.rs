//! Finite automata over interned letters, explicit or computed on demand.
//!
//! The library knows no program: a letter is a number, and what it stands for lies in an
//! [`Alphabet`]. It has what trace abstraction asks of automata (Heizmann2009: M. Heizmann, J.
//! Hoenicke, A. Podelski: Refinement of Trace Abstraction, SAS 2009; Heizmann2013: the same,
//! Software Model Checking for People Who Love Automata, CAV 2013):
//!
//! | trace abstraction | here |
//! |---|---|
//! | statements `Stmt` | the [`Letter`]s of an [`Alphabet`] |
//! | program automaton `A_P` | an [`Nfa`]; the error locations are accepting |
//! | data automaton `A_D` | an [`Nfa`], a [`Union`], or a [`Post`]: Hoare triples on demand |
//! | `L(A_P) ⊆ L(A_D)`, or a trace that shows the contrary | [`search()`] of a [`Difference`] |
//! | the difference that is kept between iterations | [`explore()`], then [`reduce()`] |
//!
//! Start reading at [`Automaton`]: it has the laws that all the rest keeps.
//!
//! # Example
//!
//! A loop counts to two. Its statements are letters, and the automaton of the program accepts the
//! traces to the error. A Floyd–Hoare automaton with the predicates `true`, `x <= 2` and `false`
//! accepts only infeasible traces. No trace is left: the program is correct.
//!
//! ```
//! use automata::{Alphabet, Difference, Nfa, Search, State, search};
//!
//! let mut statements = Alphabet::default();
//! let init = statements.intern("x := 0");
//! let stay = statements.intern("x < 2");
//! let step = statements.intern("x := x + 1");
//! let leave = statements.intern("x >= 2");
//! let wrong = statements.intern("x > 2");
//!
//! let [entry, head, body, behind, error] = [0, 1, 2, 3, 4].map(State);
//! let mut program = Nfa::builder();
//! program.initial(entry).accepting(error);
//! program.edge(entry, init, head).edge(head, stay, body).edge(body, step, head);
//! program.edge(head, leave, behind).edge(behind, wrong, error);
//! let program = program.build();
//!
//! // The first trace to the error is the shortest one.
//! let Ok(Search::Accepts(run)) = search(&mut &program) else { panic!("no trace") };
//! assert_eq!(run.word, [init, leave, wrong]);
//!
//! // {true} x := 0 {x <= 2}, {x <= 2} x < 2 {x <= 1}, …, {x <= 2} x > 2 {false}
//! let [truth, two, one, falsity] = [0, 1, 2, 3].map(State);
//! let mut data = Nfa::builder();
//! data.initial(truth).accepting(falsity);
//! data.edge(truth, init, two).edge(two, stay, one).edge(one, step, two);
//! data.edge(two, leave, two).edge(two, wrong, falsity);
//! let data = data.build();
//!
//! let mut rest = Difference::new(&program, &data);
//! let Ok(found) = search(&mut rest);
//! assert!(matches!(found, Search::Empty(_)));
//! ```
//!
//! # Deliberately absent
//!
//! - Nested words (letters that call and return): whether trace abstraction here follows calls by
//!   nested words or by call strings in the states is a later decision.
//! - Infinite words, weights, regular expressions.
//! - An enumeration of further words: after the shortest one the automaton changes.

mod alphabet;
mod automaton;
mod dfa;
mod difference;
mod explore;
mod interner;
mod language;
mod nfa;
mod partition;
mod post;
mod product;
mod reduce;
mod search;
mod subsets;
mod trim;
mod union;
mod watched;

pub use alphabet::{Alphabet, Letter};
pub use automaton::Automaton;
pub use dfa::Dfa;
pub use difference::Difference;
pub use explore::{Explored, explore};
pub use interner::Interner;
pub use language::{accepts, are_equivalent, missing_word};
pub use nfa::{Builder, Nfa, State};
pub use post::{Absorbing, Post};
pub use product::Product;
pub use reduce::reduce;
pub use search::{Run, Search, search};
pub use subsets::{Determinised, SetId, Subsets};
pub use trim::{Image, trim};
pub use union::Union;
pub use watched::Watched;
