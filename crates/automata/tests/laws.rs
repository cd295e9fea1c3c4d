//! The laws of all operations, against an enumeration of all words up to a length.
//!
//! The oracle shares no code with the library: an automaton is a list of edges, and the states that
//! a word leads to are the bits of a number.

use automata::{
    Absorbing, Automaton, Determinised, Dfa, Difference, Image, Letter, Nfa, Post, Product, Search,
    State, Union, Watched, accepts, are_equivalent, explore, missing_word, reduce, search, trim,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::convert::Infallible;

const LETTERS: u32 = 2;
/// All words up to this length are enumerated.
const LENGTH: usize = 7;

/// An automaton as its edges, and sets of states as bits.
#[derive(Clone, Debug)]
struct Raw {
    states: u32,
    initial: u32,
    accepting: u32,
    edges: Vec<(u32, u32, u32)>,
}

impl Raw {
    fn nfa(&self) -> Nfa {
        let mut builder = Nfa::builder();
        builder.states(self.states as usize);
        for state in 0..self.states {
            if self.initial >> state & 1 == 1 {
                builder.initial(State(state));
            }
            if self.accepting >> state & 1 == 1 {
                builder.accepting(State(state));
            }
        }
        for &(source, letter, target) in &self.edges {
            builder.edge(State(source), Letter(letter), State(target));
        }
        builder.build()
    }

    fn post(&self, set: u32, letter: u32) -> u32 {
        let mut next = 0;
        for &(source, by, target) in &self.edges {
            if by == letter && set >> source & 1 == 1 {
                next |= 1 << target;
            }
        }
        next
    }

    fn accepts(&self, word: &[Letter]) -> bool {
        let set = (word.iter()).fold(self.initial, |set, letter| self.post(set, letter.0));
        set & self.accepting != 0
    }

    /// The states of the least complete deterministic automaton: the sets that words lead to, told
    /// apart round by round (Moore). Also says whether from one of them no word is accepted.
    fn residuals(&self) -> (usize, bool) {
        let mut sets = vec![self.initial];
        let mut next = 0;
        while next < sets.len() {
            for letter in 0..LETTERS {
                let set = self.post(sets[next], letter);
                if !sets.contains(&set) {
                    sets.push(set);
                }
            }
            next += 1;
        }
        let mut class: BTreeMap<u32, usize> = (sets.iter())
            .map(|&set| (set, usize::from(set & self.accepting != 0)))
            .collect();
        for _ in 0..sets.len() {
            let mut numbers = BTreeMap::new();
            let refined = (sets.iter())
                .map(|&set| {
                    let row: Vec<usize> = (0..LETTERS)
                        .map(|letter| class[&self.post(set, letter)])
                        .collect();
                    let count = numbers.len();
                    (set, *numbers.entry((class[&set], row)).or_insert(count))
                })
                .collect();
            class = refined;
        }
        let is_dead = |&set: &u32| {
            let mut reached = vec![set];
            let mut next = 0;
            while next < reached.len() {
                for letter in 0..LETTERS {
                    let set = self.post(reached[next], letter);
                    if !reached.contains(&set) {
                        reached.push(set);
                    }
                }
                next += 1;
            }
            reached.iter().all(|set| set & self.accepting == 0)
        };
        let count = class.values().max().expect("a set") + 1;
        (count, sets.iter().any(is_dead))
    }
}

fn raw(most_states: u32) -> impl Strategy<Value = Raw> {
    (1..=most_states).prop_flat_map(|states| {
        let edge = (0..states, 0..LETTERS, 0..states);
        let most_edges = (states * LETTERS * 2) as usize;
        (
            0..1u32 << states,
            0..1u32 << states,
            prop::collection::vec(edge, 0..=most_edges),
        )
            .prop_map(move |(initial, accepting, edges)| Raw {
                states,
                initial,
                accepting,
                edges,
            })
    })
}

/// All words up to the length, by length and then by letters.
fn words() -> Vec<Vec<Letter>> {
    let mut all: Vec<Vec<Letter>> = vec![Vec::new()];
    let mut next = 0;
    while all[next].len() < LENGTH {
        for letter in (0..LETTERS).map(Letter) {
            all.push([&all[next][..], &[letter]].concat());
        }
        next += 1;
    }
    all
}

/// The automaton accepts exactly the words that it should.
fn has_language<P: Post>(mut source: P, should: impl Fn(&[Letter]) -> bool)
where
    P::Error: std::fmt::Debug,
{
    for word in words() {
        let mut set = source.first().expect("no error");
        for &letter in &word {
            set.sort();
            set.dedup();
            set = source.post(&set, letter).expect("no error");
        }
        set.sort();
        set.dedup();
        let is_accepted = source.accepts(&set).expect("no error");
        assert_eq!(is_accepted, should(&word), "{word:?}");
    }
}

/// The laws of [`Automaton`], on all reachable states.
fn keeps_laws<A: Automaton<Error = Infallible>>(mut automaton: A)
where
    A::State: std::fmt::Debug,
{
    let Ok(explored) = explore(&mut automaton);
    let states = explored.states;
    let Ok(initial) = automaton.initial();
    is_set(&initial);
    for state in &states {
        let Ok(letters) = automaton.letters(state);
        assert!(letters.windows(2).all(|pair| pair[0] < pair[1]));
        for letter in (0..LETTERS).map(Letter) {
            let Ok(next) = automaton.successors(state, letter);
            let Ok(again) = automaton.successors(state, letter);
            assert_eq!(next, again);
            is_set(&next);
            assert!(next.is_empty() || letters.contains(&letter));
        }
    }
    // The states of the explicit automaton are those of the other one.
    let from = |state: usize| {
        let mut builder = Nfa::builder();
        builder.initial(State(state as u32));
        for state in explored.nfa.states() {
            if explored.nfa.accepts_at(state) {
                builder.accepting(state);
            }
            for &(letter, target) in explored.nfa.edges(state) {
                builder.edge(state, letter, target);
            }
        }
        builder.build()
    };
    for (p, general) in states.iter().enumerate() {
        assert!(automaton.subsumes(general, general));
        for (q, special) in states.iter().enumerate() {
            if p != q && automaton.subsumes(general, special) {
                assert_eq!(automaton.bucket(general), automaton.bucket(special));
                let (general, special) = (from(p), from(q));
                assert_eq!(missing_word(&special, &general), Ok(None));
            }
        }
    }
}

fn is_set<S: Ord + Clone>(states: &[S]) {
    let mut distinct = states.to_vec();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), states.len());
}

/// The search finds the least word with a run, or a closed set of states.
fn search_is_right<A: Automaton<Error = Infallible>>(
    automaton: &mut A,
    should: impl Fn(&[Letter]) -> bool,
) where
    A::State: std::fmt::Debug,
{
    let least = words().into_iter().find(|word| should(word));
    let Ok(found) = search(automaton);
    match found {
        Search::Accepts(run) => {
            assert!(should(&run.word));
            match least {
                Some(least) => assert_eq!(run.word, least),
                None => assert!(run.word.len() > LENGTH),
            }
            assert_eq!(run.states.len(), run.word.len() + 1);
            assert_eq!(
                automaton.initial().map(|s| s.contains(&run.states[0])),
                Ok(true)
            );
            for (step, &letter) in run.word.iter().enumerate() {
                let Ok(next) = automaton.successors(&run.states[step], letter);
                assert!(next.contains(&run.states[step + 1]));
            }
            let last = run.states.last().expect("one more than letters");
            assert_eq!(automaton.is_accepting(last), Ok(true));
        }
        Search::Empty(closed) => {
            assert_eq!(least, None);
            let Ok(mut within) = automaton.initial();
            for state in &closed {
                assert_eq!(automaton.is_accepting(state), Ok(false));
                for letter in (0..LETTERS).map(Letter) {
                    let Ok(next) = automaton.successors(state, letter);
                    within.extend(next);
                }
            }
            for state in within {
                assert!((closed.iter()).any(|general| automaton.subsumes(general, &state)));
            }
        }
    }
}

/// The map of states leads each transition to a transition.
fn is_image(image: &Image, before: &Nfa) {
    assert_eq!(image.states.len(), before.len());
    for state in before.states() {
        let Some(source) = image.states[state.0 as usize] else {
            continue;
        };
        assert!(!before.accepts_at(state) || image.nfa.accepts_at(source));
        for &(letter, target) in before.edges(state) {
            if let Some(target) = image.states[target.0 as usize] {
                assert!(image.nfa.edges(source).contains(&(letter, target)));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn explicit_automata(a in raw(5)) {
        let nfa = a.nfa();
        has_language(&nfa, |word| a.accepts(word));
        keeps_laws(&nfa);
        search_is_right(&mut &nfa, |word| a.accepts(word));
        has_language(&nfa.reversed(), |word| {
            a.accepts(&word.iter().rev().copied().collect::<Vec<_>>())
        });
        prop_assert_eq!(nfa.reversed().reversed(), nfa.clone());
        for word in words().iter().step_by(17) {
            prop_assert_eq!(accepts(&nfa, word), Ok(a.accepts(word)));
        }
    }

    #[test]
    fn products(a in raw(4), b in raw(4)) {
        let (left, right) = (a.nfa(), b.nfa());
        let should = |word: &[Letter]| a.accepts(word) && b.accepts(word);
        has_language(Product::new(&left, &right), should);
        keeps_laws(Product::new(&left, &right));
        search_is_right(&mut Product::new(&left, &right), should);
    }

    #[test]
    fn unions(a in raw(3), b in raw(3), c in raw(3)) {
        let parts = [a.nfa(), b.nfa(), c.nfa()];
        let should = |word: &[Letter]| a.accepts(word) || b.accepts(word) || c.accepts(word);
        let union = || parts.iter().collect::<Union<&Nfa>>();
        has_language(union(), should);
        keeps_laws(union());
        search_is_right(&mut union(), should);
        has_language(Union::<&Nfa>::default(), |_| false);
    }

    #[test]
    fn determinisation(a in raw(4)) {
        let nfa = a.nfa();
        has_language(Determinised::new(&nfa), |word| a.accepts(word));
        keeps_laws(Determinised::new(&nfa));
        let Ok(explored) = explore(&mut Determinised::new(&nfa));
        prop_assert!(explored.nfa.is_deterministic());
        has_language(&explored.nfa, |word| a.accepts(word));
    }

    #[test]
    fn differences(a in raw(4), b in raw(4)) {
        let (minuend, subtrahend) = (a.nfa(), b.nfa());
        let should = |word: &[Letter]| a.accepts(word) && !b.accepts(word);
        has_language(Difference::new(&minuend, &subtrahend), should);
        keeps_laws(Difference::new(&minuend, &subtrahend));
        search_is_right(&mut Difference::new(&minuend, &subtrahend), should);
        // Without subsumption the same word is found.
        let Ok(explored) = explore(&mut Difference::new(&minuend, &subtrahend));
        search_is_right(&mut &explored.nfa, should);
    }

    #[test]
    fn differences_of_combinations(a in raw(3), b in raw(3), c in raw(3)) {
        let [one, two, three] = [a.nfa(), b.nfa(), c.nfa()];
        let should = |word: &[Letter]| a.accepts(word) && !b.accepts(word) && !c.accepts(word);
        let twice = || Difference::new(Difference::new(&one, &two), &three);
        let at_once = || Difference::new(&one, [&two, &three].into_iter().collect::<Union<_>>());
        has_language(twice(), should);
        keeps_laws(twice());
        search_is_right(&mut twice(), should);
        search_is_right(&mut at_once(), should);
        prop_assert_eq!(are_equivalent(twice(), at_once()), Ok(true));
        let both = |word: &[Letter]| should(word) && word.len().is_multiple_of(2);
        let mut even = Nfa::builder();
        even.initial(State(0)).accepting(State(0));
        for letter in (0..LETTERS).map(Letter) {
            even.edge(State(0), letter, State(1)).edge(State(1), letter, State(0));
        }
        let even = even.build();
        keeps_laws(Product::new(twice(), &even));
        search_is_right(&mut Product::new(twice(), &even), both);
    }

    /// Sets by a function: as if the absorbing state had a loop with every letter.
    #[test]
    fn functions(a in raw(4), b in raw(4)) {
        let minuend = a.nfa();
        let last = b.states - 1;
        let mut looped = b.clone();
        looped.accepting = 1 << last;
        looped.edges.extend((0..LETTERS).map(|letter| (last, letter, last)));
        let first: Vec<State> = (0..b.states).filter(|s| b.initial >> s & 1 == 1).map(State).collect();
        let mut asked = Vec::new();
        let post = |set: &[State], letter: Letter| {
            assert!(!set.contains(&State(last)), "nobody looks beyond it");
            asked.push((set.to_vec(), letter));
            let bits = set.iter().fold(0, |bits, state| bits | 1 << state.0);
            let next = b.post(bits, letter.0);
            Ok::<_, Infallible>((0..b.states).rev().filter(|s| next >> s & 1 == 1).map(State).collect())
        };
        let should = |word: &[Letter]| a.accepts(word) && !looped.accepts(word);
        let mut difference = Difference::new(&minuend, Absorbing::new(first, State(last), post));
        search_is_right(&mut difference, should);
        drop(difference);
        let questions = asked.len();
        asked.sort();
        asked.dedup();
        prop_assert_eq!(asked.len(), questions, "no question is asked twice");
    }

    /// Each question may be the one that fails; the error comes out, and an answer found before it
    /// is the same as without it.
    #[test]
    fn errors(a in raw(4), b in raw(4), most in 0..20u32) {
        #[derive(PartialEq, Debug)]
        struct Stopped;
        impl From<Infallible> for Stopped {
            fn from(never: Infallible) -> Stopped {
                match never {}
            }
        }
        let (minuend, subtrahend) = (a.nfa(), b.nfa());
        let mut left = most;
        let mut check = || match left.checked_sub(1) {
            Some(fewer) => {
                left = fewer;
                Ok(())
            }
            None => Err(Stopped),
        };
        let Ok(whole) = search(&mut Difference::new(&minuend, &subtrahend));
        let post = |set: &[State], letter: Letter| {
            check()?;
            let all = set.iter().flat_map(|&state| subtrahend.edges_with(state, letter));
            Ok(all.map(|edge| edge.1).collect())
        };
        let first = subtrahend.initial_states().to_vec();
        // No state of this number exists.
        let source = Absorbing::new(first.clone(), State(99), post);
        let found = search(&mut Difference::new(&minuend, source));
        prop_assert!(found.is_ok() || found.err() == Some(Stopped));
        let mut left = most;
        let watched = Watched::new(Difference::new(&minuend, &subtrahend), || {
            left = left.checked_sub(1).ok_or(Stopped)?;
            Ok::<_, Stopped>(())
        });
        match search(&mut { watched }) {
            Ok(found) => prop_assert_eq!(found, whole),
            Err(error) => prop_assert_eq!(error, Stopped),
        }
    }

    #[test]
    fn trimming(a in raw(6)) {
        let nfa = a.nfa();
        let trimmed = trim(&nfa);
        has_language(&trimmed.nfa, |word| a.accepts(word));
        is_image(&trimmed, &nfa);
        prop_assert_eq!(trim(&trimmed.nfa).nfa, trimmed.nfa.clone());
        // From each state that is left a word is accepted, and each is reached.
        for state in trimmed.nfa.states() {
            let mut to = Nfa::builder();
            trimmed.nfa.initial_states().iter().for_each(|&state| { to.initial(state); });
            let mut from = Nfa::builder();
            from.initial(state);
            to.accepting(state);
            for source in trimmed.nfa.states() {
                if trimmed.nfa.accepts_at(source) {
                    from.accepting(source);
                }
                for &(letter, target) in trimmed.nfa.edges(source) {
                    from.edge(source, letter, target);
                    to.edge(source, letter, target);
                }
            }
            for nfa in [from.build(), to.build()] {
                prop_assert!(matches!(search(&mut &nfa), Ok(Search::Accepts(_))));
            }
        }
    }

    #[test]
    fn reduction(a in raw(6)) {
        let nfa = a.nfa();
        let reduced = reduce(&nfa);
        has_language(&reduced.nfa, |word| a.accepts(word));
        prop_assert_eq!(are_equivalent(&reduced.nfa, &nfa), Ok(true));
        is_image(&reduced, &nfa);
        prop_assert!(reduced.nfa.len() <= nfa.len());
        prop_assert_eq!(reduce(&reduced.nfa).nfa, reduced.nfa);
    }

    /// Deterministic automata are reduced to the least one.
    #[test]
    fn minimisation(a in raw(4)) {
        let (classes, has_dead) = a.residuals();
        let nfa = a.nfa();
        let Ok(dfa) = Dfa::new(&nfa, LETTERS);
        has_language(&dfa.to_nfa(), |word| a.accepts(word));
        let least = dfa.minimised();
        has_language(&least.to_nfa(), |word| a.accepts(word));
        prop_assert_eq!(least.state_count(), classes);
        prop_assert_eq!(least.minimised(), least.clone());
        has_language(&least.clone().complement().to_nfa(), |word| !a.accepts(word));
        prop_assert_eq!(least.clone().complement().minimised(), least.clone().complement());
        let Ok(explored) = explore(&mut Determinised::new(&nfa));
        for partial in [explored.nfa, dfa.to_nfa()] {
            let reduced = reduce(&partial).nfa;
            prop_assert!(reduced.is_deterministic());
            prop_assert_eq!(reduced.len(), classes - usize::from(has_dead));
            prop_assert_eq!(reduce(&reduced).nfa, reduced.clone());
            let Ok(again) = Dfa::new(&reduced, LETTERS);
            prop_assert_eq!(again.minimised(), least.clone());
        }
    }

    /// Equality of minimal automata is equality of languages.
    #[test]
    fn equivalence(a in raw(3), b in raw(3)) {
        let (one, other) = (a.nfa(), b.nfa());
        let Ok(left) = Dfa::new(&one, LETTERS);
        let Ok(right) = Dfa::new(&other, LETTERS);
        let is_equal = left.minimised() == right.minimised();
        prop_assert_eq!(are_equivalent(&one, &other), Ok(is_equal));
        // Three states make eight sets, and pairs of them need words of at most 14 letters; most
        // differences are shorter.
        if is_equal {
            prop_assert!(words().iter().all(|word| a.accepts(word) == b.accepts(word)));
        }
    }
}
