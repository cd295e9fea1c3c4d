//! From places in witnesses to locations and edges of the automaton.

use super::text::{Stretch, Text, begins_something};
use crate::SourcePlace;
use cfa::expr::ExprPool;
use cfa::program::{EdgeId, FuncId, LocId, LocationKind, Program};
use lowering::{Claim, Tree};
use std::path::PathBuf;
use syntax::check::ScopePlace;
use syntax::span::Span;

/// The lowered program, and the means to find places in it and to read expressions there.
pub struct Places {
    pub program: Program,
    /// The program's pool, extended by what was read.
    pub pool: ExprPool,
    tree: Tree,
    /// The files that were given.
    files: Vec<Text>,
}

/// Where a place lies in the text: exactly, or on a line.
pub struct Spot {
    pub offset: Option<u32>,
    /// The line is as it was written: macros make columns uncertain.
    is_plain: bool,
    lines: Vec<Span>,
}

/// Something of the program that a place may mean.
struct Thing<T> {
    /// Where a witness should place it.
    at: u32,
    /// Its text.
    span: Span,
    thing: T,
}

impl Spot {
    /// Does a text begin there, as exactly as the witness says?
    fn holds(&self, at: u32) -> bool {
        self.offset == Some(at)
    }

    /// Is it somewhere in the text, as far as columns can tell?
    fn is_in(&self, span: Span) -> bool {
        match self.offset {
            Some(offset) if self.is_plain => span.lo <= offset && offset < span.hi,
            _ => true,
        }
    }

    fn is_on_line(&self, at: u32) -> bool {
        self.lines.iter().any(|line| line.lo <= at && at <= line.hi)
    }
}

/// Where a violation is to be.
pub struct Target {
    spot: Spot,
    function: Option<String>,
    /// What begins exactly there.
    statements: Vec<Span>,
}

impl Target {
    /// Is it this violation, by the step that leads to it?
    pub fn means(&self, program: &Program, step: EdgeId) -> bool {
        let edge = program.edge(step);
        let function = program.location(edge.source).function;
        let name = program.function_name(function);
        let is_inside = |outer: &Span| outer.lo <= edge.span.lo && edge.span.hi <= outer.hi;
        // The statement ends with a semicolon that belongs to no expression.
        let is_behind = |at: u32| self.spot.is_plain && at > edge.span.hi;
        self.spot.is_on_line(edge.span.lo)
            && self.function.as_ref().is_none_or(|wanted| wanted == name)
            && !self.spot.offset.is_some_and(is_behind)
            && (self.statements.is_empty()
                || self.spot.holds(edge.span.lo)
                || self.statements.iter().any(is_inside))
    }
}

impl Places {
    pub fn new(program: Program, tree: Tree, files: &[PathBuf]) -> Places {
        let pool = program.pool.clone();
        Places {
            program,
            pool,
            tree,
            files: files.iter().map(|file| Text::read(file)).collect(),
        }
    }

    /// The characters that a step of a graph names; an error if nothing of the program can be
    /// there.
    pub fn stretch(&self, step: &crate::Edge) -> Result<Option<Stretch<'_>>, String> {
        let Some(offsets) = step.offsets else {
            return Ok(None);
        };
        let wanted = step.file.as_deref().map(Self::file_name);
        let is_named = |text: &&Text| wanted.is_none_or(|name| Self::file_name(&text.name) == name);
        let mut named = self.files.iter().filter(is_named);
        // What is not said, or stands in a file that is included, cannot be looked up.
        let (Some(text), None) = (named.next(), named.next()) else {
            return Ok(None);
        };
        text.stretch(offsets, step.lines)
    }

    /// Does the text of a step touch the characters, as far as anybody can tell?
    pub fn touches(&self, stretch: &Stretch<'_>, id: EdgeId) -> bool {
        let edge = self.program.edge(id);
        let lo = edge.branch.map_or(edge.span.lo, |it| it.statement.lo);
        let at = |offset: u32| {
            let place = self.program.sources.place(offset)?;
            let is_there = Self::file_name(place.file) == Self::file_name(&stretch.text.name);
            is_there.then_some((place.line, place.column))
        };
        match (at(lo), at(edge.span.hi)) {
            (Some(lo), Some(hi)) => stretch.touches(lo, hi),
            _ => true,
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

    pub fn spot(&self, place: &SourcePlace) -> Result<Spot, String> {
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
        let mut is_plain = true;
        if let (Some(column), Some(offset)) = (place.column, offset) {
            let line = lines
                .iter()
                .find(|line| line.lo <= offset && offset <= line.hi);
            let original = sources.line_text(offset).unwrap_or_default();
            is_plain = line.is_none_or(|line| sources.snippet(*line) == original);
            let character = original.get(column as usize - 1);
            if character.is_none_or(u8::is_ascii_whitespace) {
                return Err(format!("there is nothing at {}", Self::text(place)));
            }
        }
        Ok(Spot {
            offset,
            is_plain,
            lines,
        })
    }

    /// As [`Places::spot`], where something begins.
    fn beginning(&self, place: &SourcePlace) -> Result<Spot, String> {
        let spot = self.spot(place)?;
        if let (Some(column), Some(offset)) = (place.column, spot.offset) {
            let line = self.program.sources.line_text(offset).unwrap_or_default();
            if !begins_something(line, column as usize - 1) {
                return Err(format!("nothing begins at {}", Self::text(place)));
            }
        }
        Ok(spot)
    }

    /// The text of a function, from its name to its last brace; none without a body.
    pub fn extent(&self, function: FuncId) -> Option<Span> {
        let name = self.program.function(function).span;
        if name.is_none() {
            return None;
        }
        let sources = &self.program.sources;
        let source = sources.source_of(name.lo)?;
        let (bytes, base) = (sources.bytes(source), sources.base(source));
        let mut quote = None;
        let mut depth = 0usize;
        let mut at = (name.lo - base) as usize;
        while let Some(&byte) = bytes.get(at) {
            match (byte, quote) {
                (b'\\', Some(_)) => at += 1,
                (_, Some(open)) if byte == open => quote = None,
                (_, Some(_)) => {}
                (b'"' | b'\'', None) => quote = Some(byte),
                (b'{', None) => depth += 1,
                (b'}', None) if depth == 1 => {
                    return Some(Span::new(name.lo, base + at as u32 + 1));
                }
                (b'}', None) => depth = depth.checked_sub(1)?,
                (b';', None) if depth == 0 => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// The lines on which a violation counts, if the place names something there: not behind it,
    /// and not another statement.
    pub fn target(&self, place: &SourcePlace) -> Result<Target, String> {
        let spot = self.beginning(place)?;
        let others = self.locations().filter(|(_, location)| {
            spot.is_plain && !location.span.is_none() && spot.holds(location.span.lo)
        });
        Ok(Target {
            function: place.function.clone().filter(|name| !name.is_empty()),
            statements: others.map(|(_, location)| location.span).collect(),
            spot,
        })
    }

    /// Only what is in the function that the place names, if it names one.
    fn in_its_function<T>(
        &self,
        place: &SourcePlace,
        found: Vec<T>,
        location: impl Fn(&T) -> LocId,
    ) -> Result<Vec<T>, String> {
        let Some(wanted) = place.function.as_deref().filter(|name| !name.is_empty()) else {
            return Ok(found);
        };
        let is_inside = |thing: &T| {
            let function = self.program.location(location(thing)).function;
            self.program.function_name(function) == wanted
        };
        let (inside, outside): (Vec<T>, Vec<T>) = found.into_iter().partition(is_inside);
        match (inside.is_empty(), outside.is_empty()) {
            (true, false) => Err(format!("{} is not in '{wanted}'", Self::text(place))),
            _ => Ok(inside),
        }
    }

    fn text(place: &SourcePlace) -> String {
        let column = place
            .column
            .map_or(String::new(), |column| format!(":{column}"));
        format!("{}:{}{column}", Self::file_name(&place.file), place.line)
    }

    /// The things that are placed at the spot. If none is: the innermost whose text holds it, or,
    /// if nothing says where on the line it is, those that are placed on the line.
    fn at_or_on_line<T>(spot: &Spot, all: impl Iterator<Item = Thing<T>>) -> Vec<T> {
        let all: Vec<Thing<T>> = all.collect();
        let (exact, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|thing| spot.holds(thing.at));
        let mut found = exact;
        if found.is_empty() {
            found = others;
            found.retain(|thing| spot.is_on_line(thing.at) && spot.is_in(thing.span));
        }
        let length = |thing: &Thing<T>| thing.span.hi.saturating_sub(thing.span.lo);
        if spot
            .offset
            .is_some_and(|at| found.iter().all(|thing| thing.at != at))
            && spot.is_plain
        {
            let least = found.iter().map(length).min();
            found.retain(|thing| Some(length(thing)) == least);
        }
        found.into_iter().map(|thing| thing.thing).collect()
    }

    /// A declaration begins with its specifiers, what it does with its first declarator.
    fn behind_specifiers(&self, spot: &Spot, all: &[Thing<LocId>]) -> Vec<LocId> {
        let Some(offset) = spot.offset else {
            return Vec::new();
        };
        let behind = all
            .iter()
            .filter(|it| spot.is_on_line(it.at) && it.at > offset);
        let Some(first) = behind.map(|it| it.at).min() else {
            return Vec::new();
        };
        let between = self.program.sources.snippet(Span::new(offset, first));
        let is_word = |&byte: &u8| byte.is_ascii_alphanumeric() || b"_ \t*".contains(&byte);
        if !between.iter().all(is_word) {
            return Vec::new();
        }
        let first = all.iter().filter(|it| it.at == first);
        first.map(|it| it.thing).collect()
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
    pub fn loop_heads(&self, place: &SourcePlace) -> Result<Vec<LocId>, String> {
        let spot = self.beginning(place)?;
        let heads = self
            .locations()
            .filter(|(_, location)| location.kind == LocationKind::LoopHead)
            .filter(|(_, location)| !location.span.is_none())
            .map(|(id, location)| Thing {
                at: location.span.lo,
                span: location.span,
                thing: id,
            });
        let found = Self::at_or_on_line(&spot, heads);
        let found = self.in_its_function(place, found, |&id| id)?;
        match found.len() {
            0 => Err(format!("there is no loop at {}", Self::text(place))),
            _ => Ok(found),
        }
    }

    /// The locations where the statement at the place begins.
    pub fn statements(&self, place: &SourcePlace) -> Result<Vec<LocId>, String> {
        let spot = self.beginning(place)?;
        let begins = |id: &LocId| {
            let location = self.program.location(*id);
            // Only where control comes to it: a statement may have several locations.
            location.incoming.is_empty()
                || location.incoming.iter().any(|&edge| {
                    let source = self.program.edge(edge).source;
                    self.program.location(source).span != location.span
                })
        };
        // What happens before the first statement is placed at the function's name.
        let is_head = |location: &cfa::program::Location| {
            location.span.lo == self.program.function(location.function).span.lo
        };
        let all = self
            .locations()
            .filter(|(_, location)| !location.span.is_none() && !is_head(location))
            .map(|(id, location)| Thing {
                at: location.span.lo,
                span: location.span,
                thing: id,
            });
        let all: Vec<Thing<LocId>> = all.collect();
        let declared = self.behind_specifiers(&spot, &all);
        let mut found = Self::at_or_on_line(&spot, all.into_iter());
        if found.is_empty() {
            found = declared;
        }
        found.retain(begins);
        let found = self.in_its_function(place, found, |&id| id)?;
        match found.len() {
            0 => Err(format!("no statement begins at {}", Self::text(place))),
            _ => Ok(found),
        }
    }

    /// The edges of calls (and of what stands for them) whose closing parenthesis is at the place.
    pub fn calls(&self, place: &SourcePlace) -> Result<Vec<EdgeId>, String> {
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
            (!span.is_none()).then(|| Thing {
                at: span.hi.saturating_sub(1),
                span,
                thing: id,
            })
        });
        let found = Self::at_or_on_line(&spot, calls);
        let found = self.in_its_function(place, found, |&id| self.program.edge(id).source)?;
        match found.len() {
            0 => Err(format!("no call ends at {}", Self::text(place))),
            _ => Ok(found),
        }
    }

    /// The edges that take (or skip) the branch at the place.
    pub fn branches(&self, place: &SourcePlace, taken: bool) -> Result<Vec<EdgeId>, String> {
        let spot = self.beginning(place)?;
        let branches = self.edges().filter_map(|(id, edge)| {
            let branch = edge.branch?;
            // From its keyword to the end of its condition.
            let span = Span {
                hi: edge.span.hi.max(branch.statement.lo),
                ..branch.statement
            };
            (branch.taken == taken && !branch.statement.is_none()).then_some(Thing {
                at: branch.statement.lo,
                span,
                thing: id,
            })
        });
        let found = Self::at_or_on_line(&spot, branches);
        self.in_its_function(place, found, |&id| self.program.edge(id).source)
    }

    /// A C expression, read as at the head of the loop at the place.
    pub fn at_loop(&mut self, text: &str, at: LocId) -> Result<Claim, String> {
        let offset = self.program.location(at).span.lo;
        self.claim(text, ScopePlace::LoopHead(offset))
    }

    pub fn before(&mut self, text: &str, at: LocId) -> Result<Claim, String> {
        let location = self.program.location(at);
        let offset = match location.span.is_none() {
            // Where a function ends: at its last brace.
            true => {
                let whole = self.extent(location.function);
                whole.map_or(0, |whole| whole.hi - 1)
            }
            false => location.span.lo,
        };
        self.claim(text, ScopePlace::Before(offset))
    }

    /// As after a step: what it declares is known.
    pub fn after(&mut self, text: &str, edge: EdgeId) -> Result<Claim, String> {
        let offset = self.program.edge(edge).span.hi;
        self.claim(text, ScopePlace::Before(offset))
    }

    fn claim(&mut self, text: &str, place: ScopePlace) -> Result<Claim, String> {
        self.tree
            .claim(&self.program, &mut self.pool, text, place)
            .map_err(|problem| format!("'{text}': {}", problem.message))
    }
}
