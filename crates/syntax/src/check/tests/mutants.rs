//! Programs with a few tokens changed: whatever comes out, the checker answers, and what it accepts
//! is lawful.

use super::laws::assert_lawful;
use crate::check::check;
use crate::driver::{on_large_stack, parse};
use crate::names::Names;
use crate::source::{Origin, Source, SourceMap};
use crate::types::DataModel;
use arith::random::xorshift;

/// How many mutants are made of each text.
const MUTANTS: u64 = 500;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        (xorshift(&mut self.0) >> 11) as usize % bound
    }
}

/// Words, numbers, strings, and every other character alone; blanks belong to what they follow.
fn pieces(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            byte if is_word(byte) => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
            }
            _ => at += 1,
        }
        while at < bytes.len() && bytes[at].is_ascii_whitespace() {
            at += 1;
        }
        pieces.push(&text[start..at.min(bytes.len())]);
    }
    pieces
}

fn mutant(pieces: &[&str], random: &mut Random) -> String {
    let mut changed: Vec<String> = pieces.iter().map(|&piece| piece.to_owned()).collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(changed.len());
        let other = pieces[random.below(pieces.len())].to_owned();
        match random.below(6) {
            0 => changed[at].clear(),
            1 => {
                let twice = changed[at].repeat(2);
                changed[at] = twice;
            }
            2 => changed[at].push_str(&other),
            _ => changed[at] = other + " ",
        }
    }
    changed.concat()
}

#[test]
fn mutants_are_answered_and_what_is_accepted_is_lawful() {
    let texts = [
        include_str!("features.i"),
        include_str!("declarations.i"),
        include_str!("addresses.i"),
    ];
    let mut accepted = 0;
    for (number, text) in texts.into_iter().enumerate() {
        let pieces = pieces(text);
        assert_eq!(pieces.concat(), text);
        for seed in 1..=MUTANTS {
            let mut random = Random(seed * 0x9E37_79B9 + number as u64);
            let text = mutant(&pieces, &mut random);
            let model = if seed % 2 == 0 {
                DataModel::Lp64
            } else {
                DataModel::Ilp32
            };
            accepted += u64::from(on_large_stack(|| answered(&text, model)));
        }
    }
    assert!(
        accepted > MUTANTS / 20,
        "only {accepted} mutants were right"
    );
}

/// Whether the text is a program.
fn answered(text: &str, model: DataModel) -> bool {
    let mut map = SourceMap::new();
    let mut names = Names::new();
    let source = Source {
        name: "mutant.i".to_owned(),
        text: text.into(),
        origin: Origin::Given,
    };
    let Ok(unit) = parse(&mut map, &mut names, source) else {
        return false;
    };
    match check(vec![unit], &mut names, model) {
        Ok(checked) => {
            assert_lawful(&checked.program);
            true
        }
        Err(problems) => {
            assert!(!problems.is_empty());
            false
        }
    }
}
