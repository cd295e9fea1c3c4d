//! Expressions of the automaton as C, for the scope of a place: the inverse of [`Tree::condition`]
//! and [`Tree::value`].
//!
//! ```text
//! // or ScopePlace::Before(sources.find(file, line, column)?)
//! let place = print_c::scope_of(&program, location)?;
//! let printer = Printer::new(&tree, &program, place);
//! let text = printer.print(&pool, invariant)?;             // "x <= 10 && y == 2 * x"
//! // the same value in every state
//! let again = tree.condition(&program, &mut pool, &text, place)?;
//! ```
//!
//! The program may be the lowered one or the one after [`transform::regions::split_memory`]; `pool`
//! is its pool or an extension of it. A variable that stands for a part of an object is written as
//! that part (`s.f`, `a[3]`).
//!
//! Laws:
//! - The text, read at the place, has the value of the expression in every state in which that has
//!   one (of truth values: 0 or 1). It is computed as `docs/undefined-behaviour.md` says: signed
//!   `+`, `-` and `*` are written as they are, and wrap there.
//! - Only names that are visible at the place occur; where the expression needs others
//!   (temporaries, a callee's variables, what another declaration hides), or an operator that C
//!   does not have, there is no text.
//! - A cast is written only where C's own conversions do not give the value anyway.
//!
//! | file | idea |
//! |---|---|
//! | [`operand`] | a piece of text with its C type; constants, casts, C's conversions |
//! | [`value`] | operators |
//! | `unguarded` | guards that C's conditional evaluation makes needless |
//! | [`place`] | members and elements: from an address to `p->f[i]` |

mod operand;
mod place;
#[cfg(test)]
mod tests;
mod unguarded;
mod value;

use cfa::expr::{ExprId, ExprPool};
use cfa::program::{LocId, LocationKind, Program};
use lowering::{Scope, Tree};
use operand::Operand;
use rustc_hash::FxHashMap;
use syntax::check::ScopePlace;
use unguarded::unguarded;

/// Longer texts are of no use to anybody.
const LONGEST: usize = 1 << 16;

/// Where an expression about a location is to be read; `None` for generated code.
pub fn scope_of(program: &Program, location: LocId) -> Option<ScopePlace> {
    let location = program.location(location);
    if location.span.is_none() {
        return None;
    }
    Some(match location.kind {
        LocationKind::LoopHead => ScopePlace::LoopHead(location.span.lo),
        _ => ScopePlace::Before(location.span.lo),
    })
}

/// Writes expressions for one place.
pub struct Printer<'a> {
    program: &'a Program,
    scope: Scope,
}

impl<'a> Printer<'a> {
    /// Writes expressions as C for a place of the program.
    pub fn new(tree: &Tree, program: &'a Program, place: ScopePlace) -> Printer<'a> {
        let scope = tree.scope(place);
        Printer { program, scope }
    }

    /// The expression as C text, if it can be said at the place.
    pub fn print(&self, pool: &ExprPool, expr: ExprId) -> Option<String> {
        let copy;
        let (pool, expr) = if pool.can_fail(expr) {
            copy = unguarded(pool, expr);
            (&copy.0, copy.1)
        } else {
            (pool, expr)
        };
        let mut writer = Writer {
            program: self.program,
            scope: &self.scope,
            pool,
            done: FxHashMap::default(),
        };
        Some(writer.write(expr)?.text)
    }
}

/// One expression being written: each shared part once.
struct Writer<'a> {
    program: &'a Program,
    scope: &'a Scope,
    pool: &'a ExprPool,
    /// What has no text by itself (an address inside an object) may still be part of something that
    /// has.
    done: FxHashMap<ExprId, Option<Operand>>,
}

impl Writer<'_> {
    fn write(&mut self, root: ExprId) -> Option<Operand> {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.done.contains_key(&id) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let node = self.pool.node(id);
            stack.extend(
                node.children()
                    .filter(|child| !self.done.contains_key(child)),
            );
            if stack.len() > before {
                continue;
            }
            let text = self.node(id).filter(|found| found.text.len() <= LONGEST);
            self.done.insert(id, text);
        }
        self.done[&root].clone()
    }

    /// The text of a part that is written already.
    fn part(&self, id: ExprId) -> Option<&Operand> {
        self.done.get(&id)?.as_ref()
    }
}
