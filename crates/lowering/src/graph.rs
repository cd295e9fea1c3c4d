//! One function's automaton while it is built, and how it moves into the program: unreachable
//! locations go, edges that do nothing are contracted, locations are numbered in an order in which
//! a reader meets them.

use super::indirect::IndirectCall;
use super::units::Unit;
use cfa::expr::VarId;
use cfa::op::{Halt, Op, OpId};
use cfa::program::{
    Assumption, Branch, Edge, EdgeId, FuncId, LocId, Location, LocationKind, Program,
};
use rustc_hash::FxHashMap;
use syntax::span::Span;

/// A location within one graph.
pub(crate) type Node = u32;

#[derive(Clone, Debug)]
pub(crate) struct NodeInfo {
    pub kind: LocationKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Op(Op),
    /// The variable becomes arbitrary, if anyone may look at it: decided when the whole graph is
    /// known.
    Forget(VarId),
    /// A choice over functions: made when all functions whose address is taken are known.
    Indirect(Box<IndirectCall>),
}

#[derive(Clone, Debug)]
pub(crate) struct GraphEdge {
    pub source: Node,
    pub target: Node,
    pub action: Action,
    pub span: Span,
    pub branch: Option<Branch>,
}

#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub nodes: Vec<NodeInfo>,
    pub edges: Vec<GraphEdge>,
}

/// An automaton always has these two.
pub(crate) const ENTRY: Node = 0;
pub(crate) const EXIT: Node = 1;

impl Default for Graph {
    fn default() -> Graph {
        let node = NodeInfo {
            kind: LocationKind::Ordinary,
            span: Span::NONE,
        };
        Graph {
            nodes: vec![node.clone(), node],
            edges: Vec::new(),
        }
    }
}

impl Graph {
    pub fn new_node(&mut self) -> Node {
        self.nodes.push(NodeInfo {
            kind: LocationKind::Ordinary,
            span: Span::NONE,
        });
        self.nodes.len() as Node - 1
    }

    /// An edge that is no branch of the source text.
    pub fn connect(&mut self, source: Node, target: Node, action: Action, span: Span) {
        self.edges.push(GraphEdge {
            source,
            target,
            action,
            span,
            branch: None,
        });
    }

    /// Edge numbers by source.
    pub fn outgoing(&self) -> Vec<Vec<u32>> {
        let mut outgoing = vec![Vec::new(); self.nodes.len()];
        for (index, edge) in self.edges.iter().enumerate() {
            outgoing[edge.source as usize].push(index as u32);
        }
        outgoing
    }

    /// Contracts edges that do nothing and are no branch of the source text.
    fn contract(&mut self) {
        let mut out_degree = vec![0u32; self.nodes.len()];
        let mut only_edge = vec![u32::MAX; self.nodes.len()];
        for (index, edge) in self.edges.iter().enumerate() {
            out_degree[edge.source as usize] += 1;
            only_edge[edge.source as usize] = index as u32;
        }
        let mut forward: Vec<Node> = (0..self.nodes.len() as Node).collect();
        for node in 2..self.nodes.len() {
            if out_degree[node] != 1 || self.nodes[node].kind != LocationKind::Ordinary {
                continue;
            }
            let edge = &self.edges[only_edge[node] as usize];
            if edge.branch.is_none() && matches!(edge.action, Action::Op(Op::Skip)) {
                forward[node] = edge.target;
            }
        }
        // A cycle of such edges keeps one of its nodes.
        const NEW: u8 = 0;
        const ON_CHAIN: u8 = 1;
        const DONE: u8 = 2;
        let mut state = vec![NEW; forward.len()];
        for start in 0..forward.len() {
            let mut chain = Vec::new();
            let mut node = start as Node;
            while state[node as usize] == NEW && forward[node as usize] != node {
                state[node as usize] = ON_CHAIN;
                chain.push(node);
                node = forward[node as usize];
            }
            if state[node as usize] == ON_CHAIN {
                forward[node as usize] = node;
            }
            let end = forward[node as usize];
            for node in chain {
                if forward[node as usize] != node {
                    forward[node as usize] = end;
                }
                state[node as usize] = DONE;
            }
            state[node as usize] = DONE;
        }
        for (node, &target) in forward.iter().enumerate() {
            let target = target as usize;
            if target != node && self.nodes[target].span.is_none() {
                self.nodes[target].span = self.nodes[node].span;
            }
        }
        self.edges.retain_mut(|edge| {
            edge.target = forward[edge.target as usize];
            forward[edge.source as usize] == edge.source
        });
        self.contract_entry();
    }

    /// The entry begins the first statement itself, unless something else leads there too.
    fn contract_entry(&mut self) {
        let mut outgoing = self
            .edges
            .iter()
            .enumerate()
            .filter(|(_, edge)| edge.source == ENTRY);
        let (Some((index, edge)), None) = (outgoing.next(), outgoing.next()) else {
            return;
        };
        let first = edge.target;
        let is_idle = edge.branch.is_none() && matches!(edge.action, Action::Op(Op::Skip));
        let arrivals = self
            .edges
            .iter()
            .filter(|edge| edge.target == first)
            .count();
        let is_ordinary = self.nodes[first as usize].kind == LocationKind::Ordinary;
        if !is_idle || arrivals > 1 || !is_ordinary || first == EXIT {
            return;
        }
        self.edges.remove(index);
        for edge in &mut self.edges {
            if edge.source == first {
                edge.source = ENTRY;
            }
        }
        let span = self.nodes[first as usize].span;
        if !span.is_none() {
            self.nodes[ENTRY as usize].span = span;
        }
    }

    /// Nodes that the entry reaches, in reverse postorder.
    fn order(&self) -> Vec<Node> {
        let outgoing = self.outgoing();
        let mut seen = vec![false; self.nodes.len()];
        let mut postorder = Vec::new();
        let mut stack = vec![(ENTRY, 0)];
        seen[ENTRY as usize] = true;
        while let Some((node, next)) = stack.last_mut() {
            // Later edges first, so that the first branch comes first in the reversed order.
            let edges = &outgoing[*node as usize];
            if *next < edges.len() {
                let edge = edges[edges.len() - 1 - *next];
                *next += 1;
                let target = self.edges[edge as usize].target;
                if !std::mem::replace(&mut seen[target as usize], true) {
                    stack.push((target, 0));
                }
            } else {
                postorder.push(*node);
                stack.pop();
            }
        }
        postorder.reverse();
        postorder
    }

    /// Moves the automaton into the program; gives its entry and exit.
    pub fn into_program(
        mut self,
        program: &mut Program,
        interned: &mut FxHashMap<Op, OpId>,
        function: FuncId,
    ) -> (LocId, LocId) {
        self.contract();
        let mut order = self.order();
        // The exit exists even where no path returns, and reads best at the end.
        order.retain(|&node| node != EXIT);
        order.push(EXIT);
        let mut numbers = vec![None; self.nodes.len()];
        for &node in &order {
            let info = &self.nodes[node as usize];
            numbers[node as usize] = Some(LocId(program.locations.len() as u32));
            program.locations.push(Location {
                function,
                kind: info.kind,
                span: info.span,
                outgoing: Vec::new(),
                incoming: Vec::new(),
            });
        }
        let mut edges = std::mem::take(&mut self.edges);
        // A stable sort keeps the order in which branches were made.
        edges.sort_by_key(|edge| numbers[edge.source as usize]);
        for edge in edges {
            let (Some(source), Some(target)) =
                (numbers[edge.source as usize], numbers[edge.target as usize])
            else {
                continue;
            };
            let op = match edge.action {
                Action::Op(op) => op,
                // Both are settled before; a forgotten value that nobody reads needs no operation.
                Action::Forget(_) => Op::Skip,
                Action::Indirect(_) => Op::Halt(Halt::Undefined(
                    "a call through a pointer that points to no function".to_owned(),
                )),
            };
            if let Op::Halt(Halt::Unsupported(text)) = &op {
                program.unsupported.push(Assumption {
                    text: text.clone(),
                    span: edge.span,
                });
            }
            let op = match interned.get(&op) {
                Some(&id) => id,
                None => {
                    let id = OpId(program.ops.len() as u32);
                    program.ops.push(op.clone());
                    interned.insert(op, id);
                    id
                }
            };
            let id = EdgeId(program.edges.len() as u32);
            program.locations[source.0 as usize].outgoing.push(id);
            program.locations[target.0 as usize].incoming.push(id);
            program.edges.push(Edge {
                source,
                target,
                op,
                span: edge.span,
                branch: edge.branch,
            });
        }
        let number = |node: Node| numbers[node as usize].expect("entry and exit are in the order");
        (number(ENTRY), number(EXIT))
    }
}

/// For each function, whether it can call itself, directly or through others.
pub(crate) fn recursive_functions(units: &[Unit]) -> Vec<bool> {
    let callees: Vec<Vec<u32>> = units
        .iter()
        .map(|unit| {
            let edges = unit.graph.iter().flat_map(|graph| &graph.edges);
            let mut callees: Vec<u32> = edges
                .filter_map(|edge| match &edge.action {
                    Action::Op(Op::Call { function, .. }) => Some(function.0),
                    _ => None,
                })
                .collect();
            callees.sort_unstable();
            callees.dedup();
            callees
        })
        .collect();
    strongly_connected(&callees)
}

/// Tarjan's algorithm, iterative: whether each node lies on a cycle.
fn strongly_connected(successors: &[Vec<u32>]) -> Vec<bool> {
    let count = successors.len();
    let mut cyclic = vec![false; count];
    let mut index = vec![u32::MAX; count];
    let mut low = vec![0u32; count];
    let mut on_stack = vec![false; count];
    let (mut stack, mut next_index) = (Vec::new(), 0);
    for root in 0..count {
        if index[root] != u32::MAX {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some(&mut (node, ref mut next)) = work.last_mut() {
            if *next == 0 {
                index[node] = next_index;
                low[node] = next_index;
                next_index += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&successor) = successors[node].get(*next) {
                *next += 1;
                let successor = successor as usize;
                if index[successor] == u32::MAX {
                    work.push((successor, 0));
                } else if on_stack[successor] {
                    low[node] = low[node].min(index[successor]);
                }
                continue;
            }
            if low[node] == index[node] {
                let start = stack.iter().rposition(|&other| other == node).unwrap_or(0);
                let component = stack.split_off(start);
                let is_cycle = component.len() > 1 || successors[node].contains(&(node as u32));
                for member in component {
                    on_stack[member] = false;
                    cyclic[member] = is_cycle;
                }
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[node]);
            }
        }
    }
    cyclic
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_of_functions_are_found() {
        let successors = vec![vec![1], vec![2, 3], vec![1], vec![3], vec![0]];
        assert_eq!(
            strongly_connected(&successors),
            [false, true, true, true, false]
        );
    }

    #[test]
    fn idle_edges_are_contracted_also_in_cycles() {
        let mut graph = Graph::default();
        let (a, b, c) = (graph.new_node(), graph.new_node(), graph.new_node());
        for (source, target) in [(ENTRY, a), (a, b), (b, c), (c, b)] {
            graph.connect(source, target, Action::Op(Op::Skip), Span::NONE);
        }
        graph.contract();
        // The entry stays, and the empty loop keeps one node with an edge to itself.
        assert_eq!(graph.edges.len(), 2);
        assert_eq!(graph.edges[0].source, ENTRY);
        let kept = graph.edges[0].target;
        assert_eq!((graph.edges[1].source, graph.edges[1].target), (kept, kept));
    }
}
