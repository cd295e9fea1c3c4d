//! Remembering answers: models as bit-parallel vectors, and cores.
//!
//! Verification asks the same solver very many small questions over the same literals. A
//! conjunction that some earlier model satisfies is satisfiable; one that contains an earlier core
//! is not. Both are found here without the solver.

use crate::Cube;
use crate::term::{ArrayValue, Op, Term, TermPool, Value};
use rustc_hash::FxHashMap;

const WORDS: usize = 4;
/// How many models are kept; the oldest makes room for the newest.
pub(super) const MAX_MODELS: usize = WORDS * 64;
/// How many atoms the models are kept for; when there are more, those asked about long ago are
/// forgotten.
const MAX_ATOMS: usize = 2_000;
/// How many cores are kept.
const MAX_CORES: usize = 50_000;

/// One bit per remembered model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Mask([u64; WORDS]);

impl Mask {
    fn set(&mut self, model: usize, value: bool) {
        let bit = 1u64 << (model % 64);
        if value {
            self.0[model / 64] |= bit;
        } else {
            self.0[model / 64] &= !bit;
        }
    }

    fn combine(self, other: Mask, f: impl Fn(u64, u64) -> u64) -> Mask {
        let mut result = [0; WORDS];
        for (word, (a, b)) in result.iter_mut().zip(self.0.into_iter().zip(other.0)) {
            *word = f(a, b);
        }
        Mask(result)
    }

    fn and(self, other: Mask) -> Mask {
        self.combine(other, |a, b| a & b)
    }

    fn or(self, other: Mask) -> Mask {
        self.combine(other, |a, b| a | b)
    }

    fn is_empty(self) -> bool {
        self.0 == [0; WORDS]
    }

    fn first(self) -> Option<usize> {
        self.0.iter().enumerate().find_map(|(number, &word)| {
            (word != 0).then(|| number * 64 + word.trailing_zeros() as usize)
        })
    }
}

/// In which models a boolean term is surely true, and in which surely false. In the others it is
/// not known.
#[derive(Clone, Copy, Default)]
struct Truth {
    yes: Mask,
    no: Mask,
}

/// Values of the variables in a remembered model.
#[derive(Default)]
pub(super) struct StoredModel {
    pub variables: FxHashMap<Term, Value>,
    pub arrays: FxHashMap<Term, ArrayValue>,
}

/// Earlier models.
pub(super) struct ModelMemory {
    /// Number of an atom in `atoms` and `truths`.
    numbers: FxHashMap<Term, u32>,
    atoms: Vec<Term>,
    truths: Vec<Truth>,
    /// When an atom was last asked about, as a number of questions.
    used: Vec<u64>,
    questions: u64,
    models: Vec<StoredModel>,
    next: usize,
    /// Models that satisfy all assertions of the frames up to each one; the last entry is for all
    /// open frames.
    valid: Vec<Mask>,
}

impl Default for ModelMemory {
    fn default() -> Self {
        ModelMemory {
            numbers: FxHashMap::default(),
            atoms: Vec::new(),
            truths: Vec::new(),
            used: Vec::new(),
            questions: 0,
            models: Vec::new(),
            next: 0,
            valid: vec![Mask::default()],
        }
    }
}

/// Boolean structure deeper than this is not looked through.
const MAX_DEPTH: u32 = 3;

impl ModelMemory {
    pub fn push(&mut self) {
        let last = *self
            .valid
            .last()
            .expect("one mask per frame and one for none");
        self.valid.push(last);
    }

    pub fn pop(&mut self) {
        if self.valid.len() > 1 {
            self.valid.pop();
        }
    }

    /// Notes an assertion in the newest frame: models that do not surely satisfy it are not used
    /// there.
    pub fn assert(&mut self, pool: &TermPool, term: Term) {
        let last = *self
            .valid
            .last()
            .expect("one mask per frame and one for none");
        if last.is_empty() {
            return;
        }
        let truth = self.truth(pool, term, MAX_DEPTH);
        *self.valid.last_mut().expect("as above") = last.and(truth.yes);
    }

    /// A model that surely satisfies all of the terms.
    pub fn find(&self, pool: &TermPool, terms: &[Term]) -> Option<usize> {
        let mut candidates = *self
            .valid
            .last()
            .expect("one mask per frame and one for none");
        for &term in terms {
            if candidates.is_empty() {
                return None;
            }
            candidates = candidates.and(self.truth(pool, term, MAX_DEPTH).yes);
        }
        candidates.first()
    }

    pub fn model(&self, number: usize) -> &StoredModel {
        &self.models[number]
    }

    fn truth(&self, pool: &TermPool, term: Term, depth: u32) -> Truth {
        match pool.op(term) {
            Op::True => {
                let all = Mask([u64::MAX; WORDS]);
                Truth {
                    yes: all,
                    no: Mask::default(),
                }
            }
            Op::Not => {
                let inner = self.truth(pool, pool.args(term)[0], depth);
                Truth {
                    yes: inner.no,
                    no: inner.yes,
                }
            }
            Op::And if depth > 0 => {
                let mut yes = Mask([u64::MAX; WORDS]);
                let mut no = Mask::default();
                for &arg in pool.args(term) {
                    let truth = self.truth(pool, arg, depth - 1);
                    yes = yes.and(truth.yes);
                    no = no.or(truth.no);
                }
                Truth { yes, no }
            }
            _ => match self.numbers.get(&term) {
                Some(&number) => self.truths[number as usize],
                None => Truth::default(),
            },
        }
    }

    /// Makes the atoms of a question known, so that future models say what they are.
    pub fn track(&mut self, pool: &TermPool, terms: &[Term]) {
        self.questions += 1;
        let mut work: Vec<(Term, u32)> = terms.iter().map(|&term| (term, MAX_DEPTH)).collect();
        while let Some((term, depth)) = work.pop() {
            match pool.op(term) {
                Op::True => {}
                Op::Not => work.push((pool.args(term)[0], depth)),
                Op::And if depth > 0 => {
                    work.extend(pool.args(term).iter().map(|&arg| (arg, depth - 1)));
                }
                _ => {
                    let next = self.atoms.len() as u32;
                    let number = *self.numbers.entry(term).or_insert(next);
                    if number == next {
                        self.atoms.push(term);
                        self.truths.push(Truth::default());
                        self.used.push(0);
                    }
                    self.used[number as usize] = self.questions;
                }
            }
        }
        if self.atoms.len() > MAX_ATOMS {
            self.forget_old_atoms();
        }
    }

    /// Keeps the half of the atoms that was asked about last.
    fn forget_old_atoms(&mut self) {
        let mut order = self.used.clone();
        order.sort_unstable();
        let oldest = order[order.len() / 2];
        self.numbers.clear();
        let mut kept = 0;
        for number in 0..self.atoms.len() {
            if self.used[number] > oldest {
                self.numbers.insert(self.atoms[number], kept as u32);
                self.atoms[kept] = self.atoms[number];
                self.truths[kept] = self.truths[number];
                self.used[kept] = self.used[number];
                kept += 1;
            }
        }
        self.atoms.truncate(kept);
        self.truths.truncate(kept);
        self.used.truncate(kept);
    }

    /// Takes the newest model, which satisfies all assertions of open frames. `value` says what it
    /// makes of an atom, where it says anything.
    pub fn record(&mut self, model: StoredModel, mut value: impl FnMut(Term) -> Option<bool>) {
        let place = self.next;
        self.next = (self.next + 1) % MAX_MODELS;
        if place < self.models.len() {
            self.models[place] = model;
        } else {
            self.models.push(model);
        }
        for (&atom, truth) in self.atoms.iter().zip(&mut self.truths) {
            let value = value(atom);
            truth.yes.set(place, value == Some(true));
            truth.no.set(place, value == Some(false));
        }
        for valid in &mut self.valid {
            valid.set(place, true);
        }
    }
}

/// Earlier cores.
#[derive(Default)]
pub(super) struct CoreMemory {
    /// Cores by their smallest literal.
    by_literal: FxHashMap<Term, Vec<u32>>,
    cores: Vec<Cube>,
    /// How many cores there were when each open frame was opened.
    frames: Vec<usize>,
}

impl CoreMemory {
    pub fn push(&mut self) {
        self.frames.push(self.cores.len());
    }

    /// Cores found in a frame may depend on its assertions.
    pub fn pop(&mut self) {
        let Some(count) = self.frames.pop() else {
            return;
        };
        for core in self.cores.drain(count..) {
            if let Some(&smallest) = core.literals().first()
                && let Some(numbers) = self.by_literal.get_mut(&smallest)
            {
                numbers.retain(|&number| (number as usize) < count);
            }
        }
    }

    pub fn record(&mut self, core: Cube) {
        // Without literals the assertions alone are contradictory, which the solver sees at once.
        let Some(&smallest) = core.literals().first() else {
            return;
        };
        if self.cores.len() >= MAX_CORES {
            return;
        }
        let numbers = self.by_literal.entry(smallest).or_default();
        numbers.push(self.cores.len() as u32);
        self.cores.push(core);
    }

    /// An earlier core that the literals contain.
    pub fn find(&self, literals: &Cube) -> Option<&Cube> {
        if self.cores.is_empty() {
            return None;
        }
        literals
            .literals()
            .iter()
            .filter_map(|literal| self.by_literal.get(literal))
            .flatten()
            .map(|&number| &self.cores[number as usize])
            .find(|core| core.is_subset(literals))
    }
}
