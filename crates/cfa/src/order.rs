//! Weak topological order of a function's automaton (F. Bourdoncle, Efficient chaotic iteration
//! strategies with widenings, FMPA 1993): locations in a line such that every cycle passes through
//! the head of a component, natural and irreducible loops alike.
//!
//! | Bourdoncle | here |
//! |---|---|
//! | component `(h …)` | [`Loop`] |
//! | head | [`Loop::head`] |
//! | position in the order | [`Order::position`] |
//!
//! Deviation: the search is iterative, because automata may be deep.

use crate::program::{EdgeId, FuncId, LocId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// Number of a loop within its [`Order`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LoopId(pub u32);

/// A component of the order: the locations of a loop, nested loops included.
#[derive(Clone, Debug)]
pub struct Loop {
    pub head: LocId,
    pub parent: Option<LoopId>,
}

/// The order of one function's locations.
///
/// Laws: along every edge the position grows, except along edges to the head of a loop that
/// contains the edge's source (feedback edges). Locations that the entry does not reach have no
/// position.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// The locations in order.
    pub line: Vec<LocId>,
    pub loops: Vec<Loop>,
    positions: FxHashMap<LocId, Place>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    position: u32,
    /// The innermost loop that contains the location (its own loop for a head).
    innermost: Option<LoopId>,
}

/// The heads of all loops of a program.
pub fn loop_heads(program: &Program) -> FxHashSet<LocId> {
    let functions = 0..program.functions.len() as u32;
    let loops = functions.flat_map(|number| Order::of(program, FuncId(number)).loops);
    loops.map(|found| found.head).collect()
}

impl Order {
    pub fn of(program: &Program, function: FuncId) -> Order {
        Builder::new(program).run(program.function(function).entry)
    }

    pub fn position(&self, location: LocId) -> Option<u32> {
        self.positions.get(&location).map(|place| place.position)
    }

    pub fn innermost(&self, location: LocId) -> Option<LoopId> {
        self.positions
            .get(&location)
            .and_then(|place| place.innermost)
    }

    /// The loop that the location is the head of.
    pub fn loop_of_head(&self, location: LocId) -> Option<LoopId> {
        let id = self.innermost(location)?;
        (self.loops[id.0 as usize].head == location).then_some(id)
    }

    /// The loops that contain the location, from the outermost in.
    pub fn nest(&self, location: LocId) -> Vec<LoopId> {
        let mut nest = Vec::new();
        let mut current = self.innermost(location);
        while let Some(id) = current {
            nest.push(id);
            current = self.loops[id.0 as usize].parent;
        }
        nest.reverse();
        nest
    }

    /// Does the edge lead back to the head of a loop that it lies in?
    pub fn is_feedback(&self, program: &Program, edge: EdgeId) -> bool {
        let edge = program.edge(edge);
        match (self.position(edge.source), self.position(edge.target)) {
            (Some(from), Some(to)) => to <= from,
            _ => false,
        }
    }
}

/// An element of the order under construction, as a list from the back.
enum Element {
    Vertex(LocId),
    Component(LocId, Vec<Element>),
}

struct Builder<'p> {
    program: &'p Program,
    number: FxHashMap<LocId, u32>,
    next: u32,
    stack: Vec<LocId>,
}

const DONE: u32 = u32::MAX;

/// One call of Bourdoncle's recursive `visit` or `component`.
enum Frame {
    Visit {
        vertex: LocId,
        head: u32,
        is_loop: bool,
        next_edge: usize,
        /// Where to put the results when the visit ends.
        partition: Vec<Element>,
    },
    Component {
        vertex: LocId,
        next_edge: usize,
        partition: Vec<Element>,
    },
}

impl<'p> Builder<'p> {
    fn new(program: &'p Program) -> Self {
        Builder {
            program,
            number: FxHashMap::default(),
            next: 0,
            stack: Vec::new(),
        }
    }

    fn dfn(&self, vertex: LocId) -> u32 {
        self.number.get(&vertex).copied().unwrap_or(0)
    }

    fn begin(&mut self, vertex: LocId, partition: Vec<Element>) -> Frame {
        self.next += 1;
        self.number.insert(vertex, self.next);
        self.stack.push(vertex);
        Frame::Visit {
            vertex,
            head: self.next,
            is_loop: false,
            next_edge: 0,
            partition,
        }
    }

    fn run(mut self, entry: LocId) -> Order {
        let mut frames = vec![self.begin(entry, Vec::new())];
        // What the frame that just ended hands to the one below: its partition and its head number.
        let mut returned: Option<(Vec<Element>, Option<u32>)> = None;
        while let Some(frame) = frames.last_mut() {
            match frame {
                Frame::Visit {
                    vertex,
                    head,
                    is_loop,
                    next_edge,
                    partition,
                } => {
                    if let Some((elements, min)) = returned.take() {
                        *partition = elements;
                        match min {
                            Some(min) if min <= *head => {
                                *head = min;
                                *is_loop = true;
                            }
                            // `component` has ended: the visit is complete.
                            None => {
                                let elements = std::mem::take(partition);
                                let head = *head;
                                frames.pop();
                                returned = Some((elements, Some(head)));
                                continue;
                            }
                            _ => {}
                        }
                    }
                    let outgoing = &self.program.location(*vertex).outgoing;
                    if let Some(&edge) = outgoing.get(*next_edge) {
                        *next_edge += 1;
                        let target = self.program.edge(edge).target;
                        let number = self.number.get(&target).copied().unwrap_or(0);
                        if number == 0 {
                            let partition = std::mem::take(partition);
                            let frame = self.begin(target, partition);
                            frames.push(frame);
                        } else if number <= *head {
                            *head = number;
                            *is_loop = true;
                        }
                        continue;
                    }
                    let vertex = *vertex;
                    if *head == self.dfn(vertex) {
                        self.number.insert(vertex, DONE);
                        let mut element = self.stack.pop().expect("the vertex is on the stack");
                        if *is_loop {
                            while element != vertex {
                                self.number.insert(element, 0);
                                element = self.stack.pop().expect("the vertex is on the stack");
                            }
                            frames.push(Frame::Component {
                                vertex,
                                next_edge: 0,
                                partition: Vec::new(),
                            });
                            continue;
                        }
                        partition.push(Element::Vertex(vertex));
                    }
                    let elements = std::mem::take(partition);
                    let head = *head;
                    frames.pop();
                    returned = Some((elements, Some(head)));
                }
                Frame::Component {
                    vertex,
                    next_edge,
                    partition,
                } => {
                    if let Some((elements, _)) = returned.take() {
                        *partition = elements;
                    }
                    let outgoing = &self.program.location(*vertex).outgoing;
                    if let Some(&edge) = outgoing.get(*next_edge) {
                        *next_edge += 1;
                        let target = self.program.edge(edge).target;
                        if self.number.get(&target).copied().unwrap_or(0) == 0 {
                            let partition = std::mem::take(partition);
                            let frame = self.begin(target, partition);
                            frames.push(frame);
                        }
                        continue;
                    }
                    let element = Element::Component(*vertex, std::mem::take(partition));
                    frames.pop();
                    let Some(Frame::Visit { partition, .. }) = frames.last_mut() else {
                        unreachable!("a component is begun by a visit");
                    };
                    let mut elements = std::mem::take(partition);
                    elements.push(element);
                    returned = Some((elements, None));
                }
            }
        }
        let elements = returned.map(|(elements, _)| elements).unwrap_or_default();
        number_elements(elements)
    }
}

/// Lays the elements (kept from the back) out in a line.
fn number_elements(elements: Vec<Element>) -> Order {
    let mut order = Order::default();
    let mut work: Vec<(Vec<Element>, Option<LoopId>)> = vec![(elements, None)];
    while let Some((mut elements, parent)) = work.pop() {
        // The list is from the back, so the next in order is the last.
        let Some(element) = elements.pop() else {
            continue;
        };
        work.push((elements, parent));
        match element {
            Element::Vertex(location) => order.place(location, parent),
            Element::Component(head, body) => {
                let id = LoopId(order.loops.len() as u32);
                order.loops.push(Loop { head, parent });
                order.place(head, Some(id));
                work.push((body, Some(id)));
            }
        }
    }
    order
}

impl Order {
    fn place(&mut self, location: LocId, innermost: Option<LoopId>) {
        let position = self.line.len() as u32;
        self.line.push(location);
        self.positions.insert(
            location,
            Place {
                position,
                innermost,
            },
        );
    }
}
