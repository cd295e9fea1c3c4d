//! Explicit nondeterministic automata: states are small numbers, transitions one flat vector.

use crate::alphabet::Letter;

/// A state of an explicit automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State(pub u32);

impl State {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A nondeterministic automaton without silent transitions.
///
/// Equal automata have equal numbers of states, initial and accepting states and transitions,
/// however they were built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nfa {
    /// Ascending.
    initial: Vec<State>,
    /// For each state, whether it accepts.
    accepting: Vec<bool>,
    /// For each state where its transitions begin in `edges`, and the end behind the last one.
    begins: Vec<u32>,
    /// Letter and target, sorted for each source, none twice.
    edges: Vec<(Letter, State)>,
}

impl Nfa {
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The number of states; they are numbered from 0 on.
    pub fn len(&self) -> usize {
        self.accepting.len()
    }

    pub fn is_empty(&self) -> bool {
        self.accepting.is_empty()
    }

    /// The number of transitions.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// All states, ascending.
    pub fn states(&self) -> impl Iterator<Item = State> + use<> {
        (0..self.accepting.len() as u32).map(State)
    }

    /// The initial states, ascending.
    pub fn initial_states(&self) -> &[State] {
        &self.initial
    }

    /// Say whether a state accepts; one that does not exist does not.
    pub fn accepts_at(&self, state: State) -> bool {
        self.accepting.get(state.index()) == Some(&true)
    }

    /// The transitions of a state, ascending by letter and target.
    pub fn edges(&self, state: State) -> &[(Letter, State)] {
        if state.index() >= self.len() {
            return &[];
        }
        let [begin, end] = [0, 1].map(|next| self.begins[state.index() + next] as usize);
        &self.edges[begin..end]
    }

    /// The transitions of a state with one letter, ascending by target.
    pub fn edges_with(&self, state: State, letter: Letter) -> &[(Letter, State)] {
        let edges = self.edges(state);
        let begin = edges.partition_point(|&(other, _)| other < letter);
        let end = edges.partition_point(|&(other, _)| other <= letter);
        &edges[begin..end]
    }

    /// Say whether each word has at most one run.
    pub fn is_deterministic(&self) -> bool {
        let has_one_target = |state| {
            let edges = self.edges(state);
            edges.windows(2).all(|pair| pair[0].0 != pair[1].0)
        };
        self.initial.len() <= 1 && self.states().all(has_one_target)
    }

    /// Turn every transition round and swap initial and accepting states: the words are accepted
    /// from their end to their beginning.
    pub fn reversed(&self) -> Nfa {
        let mut builder = Nfa::builder();
        builder.states(self.len());
        for &state in &self.initial {
            builder.accepting(state);
        }
        for state in self.states() {
            if self.accepts_at(state) {
                builder.initial(state);
            }
            for &(letter, target) in self.edges(state) {
                builder.edge(target, letter, state);
            }
        }
        builder.build()
    }

    /// Give each state the number that it is mapped to; a state without one is left out with its
    /// transitions.
    pub(crate) fn renumbered(&self, count: usize, number: impl Fn(State) -> Option<State>) -> Nfa {
        let mut builder = Nfa::builder();
        builder.states(count);
        for &state in self.initial.iter() {
            if let Some(state) = number(state) {
                builder.initial(state);
            }
        }
        for state in self.states() {
            let Some(source) = number(state) else {
                continue;
            };
            if self.accepts_at(state) {
                builder.accepting(source);
            }
            for &(letter, target) in self.edges(state) {
                if let Some(target) = number(target) {
                    builder.edge(source, letter, target);
                }
            }
        }
        builder.build()
    }
}

/// An automaton that is being built. A state that is named exists, and all with smaller numbers.
#[derive(Clone, Default, Debug)]
pub struct Builder {
    initial: Vec<State>,
    accepting: Vec<bool>,
    edges: Vec<(State, Letter, State)>,
}

impl Builder {
    /// Add a state.
    pub fn state(&mut self) -> State {
        self.accepting.push(false);
        State(self.accepting.len() as u32 - 1)
    }

    /// Have at least so many states.
    pub fn states(&mut self, count: usize) -> &mut Self {
        if self.accepting.len() < count {
            self.accepting.resize(count, false);
        }
        self
    }

    pub fn initial(&mut self, state: State) -> &mut Self {
        self.initial.push(state);
        self.states(state.index() + 1)
    }

    pub fn accepting(&mut self, state: State) -> &mut Self {
        self.states(state.index() + 1);
        self.accepting[state.index()] = true;
        self
    }

    pub fn edge(&mut self, source: State, letter: Letter, target: State) -> &mut Self {
        self.edges.push((source, letter, target));
        self.states(source.index().max(target.index()) + 1)
    }

    pub fn build(mut self) -> Nfa {
        self.initial.sort_unstable();
        self.initial.dedup();
        self.edges.sort_unstable();
        self.edges.dedup();
        let mut begins = vec![0; self.accepting.len() + 1];
        for &(source, _, _) in &self.edges {
            begins[source.index() + 1] += 1;
        }
        for state in 0..self.accepting.len() {
            begins[state + 1] += begins[state];
        }
        Nfa {
            initial: self.initial,
            accepting: self.accepting,
            begins,
            edges: (self.edges.into_iter())
                .map(|(_, letter, target)| (letter, target))
                .collect(),
        }
    }
}
