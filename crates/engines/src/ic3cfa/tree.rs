//! TreeIC3: frames along the paths of an abstract reachability tree.
//!
//! After A. Cimatti, A. Griggio, Software model checking via IC3, CAV 2012, as the thesis compares
//! itself with it (section 6.2).
//!
//! | paper | here |
//! |---|---|
//! | abstract reachability tree | [`Tree`]: vertices, each with the link from its parent |
//! | formula of a vertex | its blocked cubes |
//! | `Block-and-Generalize` along a path | [`Search::strengthen`] |
//! | forward propagation of clauses | [`Search::stays_covered`] |
//! | covering `F(v) ⊨ F(w)` | [`Search::is_implied`] |
//!
//! Deviations:
//! - Only a vertex without children is covered, and only by one that has been expanded. So a vertex
//!   that covers others is never covered itself, and the proof is the disjunction of the expanded
//!   vertices of each place.
//! - Places, partial commands, literals, inputs and solvers are those of IC3CFA, as is the way to
//!   generalise (section 4.3, with what the refutation used).

use super::counterexample::Trace;
use super::graph::{ERROR, START};
use super::relative::Refutation;
use super::wep::Precondition;
use super::{NAME, Search};
use cfa::expr::ExprId;

use facts::certificate::Certificate;
use facts::engine::Reason;
use logic::{Cube, Sort, Term};
use std::collections::BTreeSet;

struct Vertex {
    node: usize,
    /// And the link that leads here from there; the root has none.
    parent: Option<(usize, usize)>,
    /// What its formula excludes.
    blocked: Vec<Cube>,
    is_expanded: bool,
    covered_by: Option<usize>,
}

/// The abstract reachability tree.
struct Tree {
    vertices: Vec<Vertex>,
    waiting: Vec<usize>,
}

/// A cube to be blocked at a vertex of a path, with the partial command that leads on from it.
struct Goal {
    /// The number on the path.
    at: usize,
    cube: Cube,
    partial: Option<usize>,
}

impl Tree {
    fn add(&mut self, node: usize, parent: Option<(usize, usize)>) -> usize {
        self.vertices.push(Vertex {
            node,
            parent,
            blocked: Vec::new(),
            is_expanded: false,
            covered_by: None,
        });
        self.vertices.len() - 1
    }

    /// The vertices from the root, and the links between them.
    fn path(&self, last: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut vertices, mut links) = (vec![last], Vec::new());
        let mut here = last;
        while let Some((parent, link)) = self.vertices[here].parent {
            vertices.push(parent);
            links.push(link);
            here = parent;
        }
        vertices.reverse();
        links.reverse();
        (vertices, links)
    }

    fn blocks(&self, vertex: usize, cube: &Cube) -> bool {
        let mut blocked = self.vertices[vertex].blocked.iter();
        blocked.any(|known| known.subsumes(cube))
    }

    /// Has the vertex, or one before it, the formula `false`?
    fn is_dead(&self, vertex: usize) -> bool {
        let (path, _) = self.path(vertex);
        path.into_iter().any(|one| self.blocks(one, &Cube::empty()))
    }
}

impl Search<'_> {
    /// Explores the tree depth first; paths to an error strengthen the vertices on them.
    pub(super) fn run_tree(&mut self) -> Result<Certificate, Reason> {
        self.learn_facts();
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (number, link) in self.links.iter().enumerate() {
            out[link.source].push(number);
        }
        let mut tree = Tree {
            vertices: Vec::new(),
            waiting: Vec::new(),
        };
        let root = tree.add(START, None);
        tree.waiting.push(root);
        while let Some(vertex) = tree.waiting.pop() {
            self.check_budget()?;
            self.board
                .count(NAME, "vertices", tree.vertices.len() as u64);
            if tree.is_dead(vertex) || self.cover(&mut tree, vertex)? {
                continue;
            }
            tree.vertices[vertex].is_expanded = true;
            let node = tree.vertices[vertex].node;
            // Errors first: their refutation says what to keep apart.
            let links = out[node].iter().copied();
            let (errors, others): (Vec<_>, Vec<_>) =
                links.partition(|&link| self.links[link].target == ERROR);
            for link in errors {
                if let Some(trace) = self.strengthen(&mut tree, vertex, link)? {
                    return self.counterexample(&trace);
                }
            }
            for link in others {
                let child = tree.add(self.links[link].target, Some((vertex, link)));
                tree.waiting.push(child);
            }
        }
        Ok(self.tree_certificate(&tree))
    }

    /// Covers the vertex by one at the same place, if there is one that it implies.
    fn cover(&mut self, tree: &mut Tree, vertex: usize) -> Result<bool, Reason> {
        let node = tree.vertices[vertex].node;
        for other in 0..vertex {
            let candidate = &tree.vertices[other];
            if candidate.node == node
                && candidate.is_expanded
                && self.stays_covered(tree, vertex, other)?
            {
                tree.vertices[vertex].covered_by = Some(other);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Does the vertex imply the other, if need be with clauses of the other that hold here, too?
    fn stays_covered(
        &mut self,
        tree: &mut Tree,
        vertex: usize,
        other: usize,
    ) -> Result<bool, Reason> {
        for cube in tree.vertices[other].blocked.clone() {
            if tree.blocks(vertex, &cube) || self.is_implied(tree, vertex, &cube)? {
                continue;
            }
            let Some((parent, link)) = tree.vertices[vertex].parent else {
                return Ok(false);
            };
            if self.refute_from(tree, parent, link, &cube)?.is_err() {
                return Ok(false);
            }
            self.block_at(tree, vertex, &cube);
        }
        Ok(true)
    }

    /// Does the formula of the vertex exclude the cube?
    fn is_implied(&mut self, tree: &Tree, vertex: usize, cube: &Cube) -> Result<bool, Reason> {
        if tree.vertices[vertex].blocked.is_empty() {
            return Ok(false);
        }
        let switch = self.vertex_switch(vertex);
        let node = tree.vertices[vertex].node;
        let question: Vec<Term> = cube.literals().iter().copied().chain([switch]).collect();
        Ok(self.ask_under(node, &question)?.is_unsat())
    }

    /// Holds where the formula of the vertex is assumed.
    fn vertex_switch(&mut self, vertex: usize) -> Term {
        let name = format!("ic3cfa-vertex!{vertex}");
        self.encoder.pool.var(&name, Sort::Bool)
    }

    fn block_at(&mut self, tree: &mut Tree, vertex: usize, cube: &Cube) {
        let node = tree.vertices[vertex].node;
        let blocked = &mut tree.vertices[vertex].blocked;
        blocked.retain(|known| !cube.subsumes(known));
        blocked.push(cube.clone());
        self.prepare_solver(node);
        let switch = self.vertex_switch(vertex);
        let outside = cube.negation(&mut self.encoder.pool);
        let clause = self.encoder.pool.implies(switch, outside);
        self.assert(node, clause);
    }

    /// Why the link does not lead from the vertex into the cube; otherwise a partial command that
    /// does, and from where.
    fn refute_from(
        &mut self,
        tree: &Tree,
        vertex: usize,
        link: usize,
        cube: &Cube,
    ) -> Result<Result<Refutation, (usize, Cube)>, Reason> {
        let node = tree.vertices[vertex].node;
        let mut all = Refutation::default();
        let mut open = Vec::new();
        for partial in 0..self.links[link].partials.len() {
            match self.precondition(link, partial, cube) {
                Precondition::Never(needed) => all.needed = all.needed.union(&needed),
                Precondition::Cube(precondition) => open.push((partial, precondition)),
            }
        }
        if open.is_empty() {
            return Ok(Ok(all));
        }
        let (mut question, images) = self.question_together(link, &open, cube);
        question.push(self.vertex_switch(vertex));
        if self.ask_under(node, &question)?.is_unsat() {
            let solver = self.solvers[node].as_ref();
            let core = solver.map_or(&[][..], |solver| solver.core());
            let used = images.into_iter().filter(|(_, image)| core.contains(image));
            let used = used.map(|(literal, _)| literal).collect();
            all.needed = all.needed.union(&used);
            return Ok(Ok(all));
        }
        for (partial, precondition) in open {
            if self.is_chosen(link, partial) {
                let found = self.predecessor(link, partial, &precondition);
                return Ok(Err((partial, found.cube)));
            }
        }
        Err("a model chooses no partial command, please report this".into())
    }

    /// Excludes the error behind the vertex along its path, or finds an execution to it.
    fn strengthen(
        &mut self,
        tree: &mut Tree,
        vertex: usize,
        error: usize,
    ) -> Result<Option<Trace>, Reason> {
        let (vertices, mut links) = tree.path(vertex);
        links.push(error);
        let deepest = vertices.len() as u64;
        self.level = self.level.max(deepest as u32);
        self.board.count(NAME, "level", u64::from(self.level));
        let mut stronger: BTreeSet<usize> = BTreeSet::new();
        let mut goals = vec![Goal {
            at: vertices.len(),
            cube: Cube::empty(),
            partial: None,
        }];
        while let Some(goal) = goals.last() {
            let (at, cube) = (goal.at, goal.cube.clone());
            if at < vertices.len() && tree.blocks(vertices[at], &cube) {
                goals.pop();
                continue;
            }
            let (before, link) = (vertices[at - 1], links[at - 1]);
            match self.refute_from(tree, before, link, &cube)? {
                Ok(refutation) => {
                    goals.pop();
                    if at < vertices.len() {
                        let general = self.generalise_from(tree, before, link, &refutation)?;
                        self.block_at(tree, vertices[at], &general);
                        stronger.insert(vertices[at]);
                    }
                }
                Err((partial, predecessor)) => {
                    let goal = Goal {
                        at: at - 1,
                        cube: predecessor,
                        partial: Some(partial),
                    };
                    goals.push(goal);
                    if at == 1 {
                        return Ok(Some(self.trace_of(&goals, &links)));
                    }
                }
            }
        }
        self.uncover(tree, &stronger)?;
        Ok(None)
    }

    /// The words of the goals, from the root on.
    fn trace_of(&self, goals: &[Goal], links: &[usize]) -> Trace {
        let chosen = goals.iter().rev();
        let words = chosen.filter_map(|goal| {
            let partial = goal.partial?;
            Some((links[goal.at], partial, Cube::empty()))
        });
        Trace {
            steps: words.collect(),
        }
    }

    /// Section 4.3, on what the refutation used.
    fn generalise_from(
        &mut self,
        tree: &Tree,
        before: usize,
        link: usize,
        refutation: &Refutation,
    ) -> Result<Cube, Reason> {
        self.statistics.is_generalising = true;
        let mut general = refutation.needed.clone();
        for &literal in refutation.needed.literals() {
            let fewer = general.without(literal);
            match self.refute_from(tree, before, link, &fewer) {
                Ok(Ok(found)) => general = fewer.intersection(&found.needed),
                Ok(Err(_)) => {}
                Err(reason) => {
                    self.statistics.is_generalising = false;
                    return Err(reason);
                }
            }
        }
        self.statistics.is_generalising = false;
        Ok(general)
    }

    /// Looks again at what the vertices that became stronger cover.
    fn uncover(&mut self, tree: &mut Tree, stronger: &BTreeSet<usize>) -> Result<(), Reason> {
        for vertex in 0..tree.vertices.len() {
            let Some(other) = tree.vertices[vertex].covered_by else {
                continue;
            };
            if stronger.contains(&other) && !self.stays_covered(tree, vertex, other)? {
                tree.vertices[vertex].covered_by = None;
                tree.waiting.push(vertex);
            }
        }
        Ok(())
    }

    /// At each loop head one of its expanded vertices holds.
    fn tree_certificate(&mut self, tree: &Tree) -> Certificate {
        self.annotation(&mut |search, node| search.some_vertex(tree, node))
    }

    fn some_vertex(&mut self, tree: &Tree, node: usize) -> ExprId {
        let mut some = self.exprs.bool_constant(false);
        for vertex in &tree.vertices {
            if vertex.node != node || !vertex.is_expanded {
                continue;
            }
            let formula = self.outside(node, &vertex.blocked);
            some = self.exprs.or(some, formula);
        }
        some
    }
}
