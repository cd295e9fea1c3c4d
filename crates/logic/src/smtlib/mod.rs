//! SMT-LIB 2: terms as text and text as terms.

mod operators;
mod parse;
mod print;
mod sexpr;

pub use parse::{Command, Script, parse_script, parse_term, parse_value};
pub use print::{Definitions, quote_symbol, script_text, term_text};
pub use sexpr::{SExpr, SExprs};

use std::fmt;

/// Text that is not a formula we understand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmtError {
    /// Line in the text, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for SmtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for SmtError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_terms::{Random, RandomTerms, Shape};
    use crate::term::{Evaluator, Sort, TermPool, Value};

    #[test]
    fn printed_terms_read_back_with_the_same_values() {
        let shape = Shape {
            widths: vec![1, 3, 8, 32, 130],
            floats: vec![Sort::FLOAT32, Sort::FLOAT80],
            steps: 60,
            ..Shape::default()
        };
        for seed in 0..200 {
            let mut random = Random::new(seed + 31);
            let mut terms = RandomTerms::generate(&mut random, shape.clone());
            for number in 0..terms.entries.len() {
                let entry = terms.entries[number].clone();
                let text = term_text(&terms.pool, entry.term);
                let again = parse_term(&mut terms.pool, &text)
                    .unwrap_or_else(|error| panic!("seed {seed}: {error} in {text}"));
                for (model, value) in terms.models.iter().zip(&entry.values) {
                    let actual = Evaluator::new(model).value(&terms.pool, again);
                    let same = match (&actual, value) {
                        (Value::Array(a), Value::Array(b)) => a.same_function(b),
                        (a, b) => a == b,
                    };
                    assert!(same, "seed {seed}: {text}");
                }
            }
        }
    }

    #[test]
    fn text_stays_linear_in_the_size_of_the_term() {
        let mut pool = TermPool::new();
        let mut x = pool.var("x", Sort::BitVec(32));
        for _ in 0..20_000 {
            let square = pool.bv_mul(x, x);
            x = pool.bv_xor(square, x);
        }
        let text = term_text(&pool, x);
        assert!(text.len() < 20_000 * 200);
        let again = parse_term(&mut pool, &text).expect("our own text");
        assert_eq!(again, x);
    }

    #[test]
    fn odd_names_are_quoted() {
        let mut pool = TermPool::new();
        for name in ["x@3", "main::i", "a b", "let", "1x", "x!y"] {
            let x = pool.var(name, Sort::Bool);
            let text = term_text(&pool, x);
            assert_eq!(parse_term(&mut pool, &text), Ok(x), "{text}");
        }
    }

    #[test]
    fn broken_text_is_an_error_with_its_line() {
        let mut pool = TermPool::new();
        for text in [
            "(declare-const x (_ BitVec 8))\n(assert (bvadd x #x0001))",
            "(declare-const x (_ BitVec 8))\n(assert (= x y))",
            "(declare-const x (_ BitVec 0))",
            "(assert (and true",
            "(assert ((_ extract 9 0) #x00))",
            "(assert (ite true #x00 #x00))",
            ")",
        ] {
            let error = parse_script(&mut pool, text).expect_err(text);
            assert!(error.line >= 1 && error.line <= 2, "{error}");
        }
    }

    #[test]
    fn scripts_read_back() {
        let text = "(set-logic QF_ABV)\n\
            (declare-fun x () (_ BitVec 8))\n\
            (declare-const a (Array (_ BitVec 8) (_ BitVec 8)))\n\
            (define-fun y () (_ BitVec 8) (bvadd x #x01))\n\
            (define-fun twice ((z (_ BitVec 8))) (_ BitVec 8) (bvadd z z))\n\
            (assert (= (select a y) (twice x))) ; comment\n\
            (push 1)\n(assert (bvult x (_ bv5 8)))\n(check-sat)\n(pop 1)\n(exit)";
        let mut pool = TermPool::new();
        let script = parse_script(&mut pool, text).expect("a script");
        assert_eq!(script.assertions().len(), 2);
        let printed = script_text(&pool, &script.assertions());
        let again = parse_script(&mut pool, &printed).expect("our own text");
        assert_eq!(again.assertions(), script.assertions());
    }
}
