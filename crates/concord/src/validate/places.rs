//! From places in witnesses to locations and edges of the automaton.

use cfa::expr::{ExprId, ExprPool};
use cfa::lower::Tree;
use cfa::program::{EdgeId, LocId, LocationKind, Program};
use syntax::check::ScopePlace;
use syntax::span::Span;
use witness::Place;

/// The lowered program, and the means to find places in it and to read expressions there.
pub struct Places {
    pub program: Program,
    /// The program's pool, extended by what was read.
    pub pool: ExprPool,
    tree: Tree,
}

/// Where a place lies in the text: exactly, or on a line.
pub struct Spot {
    pub offset: Option<u32>,
    lines: Vec<Span>,
}

impl Spot {
    /// Does a text begin there, as exactly as the witness says?
    fn holds(&self, at: u32) -> bool {
        self.offset == Some(at)
    }

    /// The stretches of text on the line.
    pub fn lines(&self) -> &[Span] {
        &self.lines
    }

    fn is_on_line(&self, at: u32) -> bool {
        self.lines.iter().any(|line| line.lo <= at && at <= line.hi)
    }
}

impl Places {
    pub fn new(program: Program, tree: Tree) -> Places {
        let pool = program.pool.clone();
        Places {
            program,
            pool,
            tree,
        }
    }

    /// The program with all that was read in its pool.
    pub fn into_program(self) -> Program {
        Program {
            pool: self.pool,
            ..self.program
        }
    }

    /// Witnesses name files as their makers saw them: only the last part of the path counts.
    fn file_name(name: &str) -> &str {
        name.rsplit('/').next().unwrap_or(name)
    }

    /// The line of a span, if it is in the file of that name.
    pub fn is_in_lines(&self, span: Span, file: Option<&str>, lines: (u32, u32)) -> bool {
        if span.is_none() {
            return false;
        }
        let Some(place) = self.program.sources.place(span.lo) else {
            return false;
        };
        let right_file =
            file.is_none_or(|file| Self::file_name(file) == Self::file_name(place.file));
        right_file && lines.0 <= place.line && place.line <= lines.1
    }

    /// The texts of a line of a file, or of any file of the program if none is named.
    pub fn lines(&self, file: Option<&str>, line: u32) -> Vec<Span> {
        let sources = &self.program.sources;
        match file {
            Some(file) => sources.find_line(Self::file_name(file), line),
            None => {
                let files = self.program.functions.iter();
                let places = files.filter_map(|function| sources.place(function.span.lo));
                let mut names: Vec<String> = places
                    .map(|place| Self::file_name(place.file).to_owned())
                    .collect();
                names.sort();
                names.dedup();
                names
                    .iter()
                    .flat_map(|name| sources.find_line(name, line))
                    .collect()
            }
        }
    }

    pub fn spot(&self, place: &Place) -> Result<Spot, String> {
        let file = Self::file_name(&place.file);
        let sources = &self.program.sources;
        let lines = sources.find_line(file, place.line);
        if lines.is_empty() {
            return Err(format!("there is no line {} in {file}", place.line));
        }
        let offset = place
            .column
            .and_then(|column| sources.find(file, place.line, column));
        if let (Some(column), None) = (place.column, offset) {
            let line = place.line;
            return Err(format!("line {line} of {file} has no column {column}"));
        }
        Ok(Spot { offset, lines })
    }

    /// Only what is in the function that the place names, if it names one.
    fn in_its_function(&self, place: &Place, found: Vec<LocId>) -> Result<Vec<LocId>, String> {
        let Some(wanted) = place.function.as_deref().filter(|name| !name.is_empty()) else {
            return Ok(found);
        };
        let is_inside = |at: &LocId| {
            let function = self.program.location(*at).function;
            self.program.function_name(function) == wanted
        };
        let (inside, outside): (Vec<LocId>, Vec<LocId>) = found.into_iter().partition(is_inside);
        match (inside.is_empty(), outside.is_empty()) {
            (true, false) => Err(format!("{} is not in '{wanted}'", Self::text(place))),
            _ => Ok(inside),
        }
    }

    fn text(place: &Place) -> String {
        let column = place
            .column
            .map_or(String::new(), |column| format!(":{column}"));
        format!("{}:{}{column}", Self::file_name(&place.file), place.line)
    }

    /// The things that begin at the spot; if none does, those that begin on its line.
    fn at_or_on_line<T: Copy>(spot: &Spot, all: impl Iterator<Item = (u32, T)>) -> Vec<T> {
        let all: Vec<(u32, T)> = all.collect();
        let exact: Vec<T> = all
            .iter()
            .filter(|(at, _)| spot.holds(*at))
            .map(|(_, thing)| *thing)
            .collect();
        if !exact.is_empty() {
            return exact;
        }
        all.iter()
            .filter(|(at, _)| spot.is_on_line(*at))
            .map(|(_, thing)| *thing)
            .collect()
    }

    fn locations(&self) -> impl Iterator<Item = (LocId, &cfa::program::Location)> {
        let numbered = self.program.locations.iter().enumerate();
        numbered.map(|(index, location)| (LocId(index as u32), location))
    }

    pub fn edges(&self) -> impl Iterator<Item = (EdgeId, &cfa::program::Edge)> {
        let numbered = self.program.edges.iter().enumerate();
        numbered.map(|(index, edge)| (EdgeId(index as u32), edge))
    }

    /// The heads of the loop at the place.
    pub fn loop_heads(&self, place: &Place) -> Result<Vec<LocId>, String> {
        let spot = self.spot(place)?;
        let heads = self
            .locations()
            .filter(|(_, location)| location.kind == LocationKind::LoopHead)
            .filter(|(_, location)| !location.span.is_none())
            .map(|(id, location)| (location.span.lo, id));
        let found = Self::at_or_on_line(&spot, heads);
        let found = self.in_its_function(place, found)?;
        match found.len() {
            0 => Err(format!("there is no loop at {}", Self::text(place))),
            _ => Ok(found),
        }
    }

    /// The locations where the statement at the place begins.
    pub fn statements(&self, place: &Place) -> Result<Vec<LocId>, String> {
        let spot = self.spot(place)?;
        let begins = |id: &LocId| {
            let location = self.program.location(*id);
            // Only where control comes to it: a statement may have several locations.
            location.incoming.is_empty()
                || location.incoming.iter().any(|&edge| {
                    let source = self.program.edge(edge).source;
                    self.program.location(source).span != location.span
                })
        };
        let all = self
            .locations()
            .filter(|(_, location)| !location.span.is_none())
            .map(|(id, location)| (location.span.lo, id));
        let found: Vec<LocId> = Self::at_or_on_line(&spot, all)
            .into_iter()
            .filter(begins)
            .collect();
        let found = self.in_its_function(place, found)?;
        match found.len() {
            0 => Err(format!("no statement begins at {}", Self::text(place))),
            _ => Ok(found),
        }
    }

    /// The edges of calls (and of what stands for them) whose closing parenthesis is at the place.
    pub fn calls(&self, place: &Place) -> Result<Vec<EdgeId>, String> {
        use cfa::op::{InputKind, Op};
        let spot = self.spot(place)?;
        let calls = self.edges().filter_map(|(id, edge)| {
            let span = match self.program.edge_op(id) {
                Op::Call { .. } => edge.span,
                // What is not initialised takes an input too, and returns from nowhere.
                Op::Havoc(_, input) => {
                    let input = self.program.inputs.get(input.0 as usize)?;
                    match input.kind {
                        InputKind::Nondet(_) | InputKind::External(_) | InputKind::Library(_) => {
                            input.span
                        }
                        _ => return None,
                    }
                }
                _ => return None,
            };
            (!span.is_none()).then(|| (span.hi.saturating_sub(1), id))
        });
        let found = Self::at_or_on_line(&spot, calls);
        match found.len() {
            0 => Err(format!("no call ends at {}", Self::text(place))),
            _ => Ok(found),
        }
    }

    /// The edges that take (or skip) the branch at the place.
    pub fn branches(&self, place: &Place, taken: bool) -> Result<Vec<EdgeId>, String> {
        let spot = self.spot(place)?;
        let branches = self.edges().filter_map(|(id, edge)| {
            let branch = edge.branch?;
            (branch.taken == taken && !branch.statement.is_none())
                .then_some((branch.statement.lo, id))
        });
        Ok(Self::at_or_on_line(&spot, branches))
    }

    /// A C expression, read as at the head of the loop at the place.
    pub fn at_loop(&mut self, text: &str, at: LocId) -> Result<ExprId, String> {
        let offset = self.program.location(at).span.lo;
        self.condition(text, ScopePlace::LoopHead(offset))
    }

    pub fn before(&mut self, text: &str, at: LocId) -> Result<ExprId, String> {
        let offset = self.program.location(at).span.lo;
        self.condition(text, ScopePlace::Before(offset))
    }

    /// As after a step: what it declares is known.
    pub fn after(&mut self, text: &str, edge: EdgeId) -> Result<ExprId, String> {
        let offset = self.program.edge(edge).span.hi;
        self.condition(text, ScopePlace::Before(offset))
    }

    fn condition(&mut self, text: &str, place: ScopePlace) -> Result<ExprId, String> {
        self.tree
            .condition(&self.program, &mut self.pool, text, place)
            .map_err(|problem| format!("'{text}': {}", problem.message))
    }
}
