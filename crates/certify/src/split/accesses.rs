//! All accesses that may hit bytes of one class of objects, and whether different parts stay apart.

use super::classes::Classes;
use super::sources::{At, Source, gcd};
use crate::Rejection;
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::{Contents, Op};
use cfa::program::{Program, VariableKind};
use rustc_hash::FxHashMap;
use syntax::span::Span;
use transform::regions::{Home, Homes, PartId, Range};

/// So many bytes from a place on belong to the part, says some access.
struct Access {
    at: At,
    len: i64,
    part: PartId,
    span: Span,
}

/// How many bytes a copy or fill touches.
#[derive(Clone, Copy, Debug)]
pub enum Size {
    Bytes(i64),
    /// Not known, but a multiple of this.
    MultipleOf(i64),
}

impl Size {
    fn bytes(self) -> Option<i64> {
        match self {
            Size::Bytes(bytes) => Some(bytes),
            Size::MultipleOf(_) => None,
        }
    }
}

/// A copy or fill touches so many bytes from a place on.
struct Extent {
    at: At,
    size: Size,
    /// What it writes to; nothing if it only reads.
    written: Option<Vec<PartId>>,
    span: Span,
}

pub struct Accesses<'a> {
    homes: &'a Homes,
    pointer_bits: u16,
    accesses: Vec<Access>,
    extents: Vec<Extent>,
    /// Places that are accessed without any part.
    homeless: Vec<(At, Span)>,
    /// A load of a part whose writes are left out.
    unwritten: bool,
}

impl<'a> Accesses<'a> {
    pub fn new(homes: &'a Homes, pointer_bits: u16) -> Accesses<'a> {
        Accesses {
            homes,
            pointer_bits,
            accesses: Vec::new(),
            extents: Vec::new(),
            homeless: Vec::new(),
            unwritten: false,
        }
    }

    fn is_read(&self, part: PartId) -> bool {
        let part = self.homes.parts.get(part.0 as usize);
        part.is_none_or(|part| part.is_read)
    }

    pub fn load(&mut self, hit: &[At], len: i64, part: Option<PartId>) {
        self.unwritten |= part.is_some_and(|part| !self.is_read(part));
        self.store(hit, len, part, Span::NONE);
    }

    pub fn store(&mut self, hit: &[At], len: i64, part: Option<PartId>, span: Span) {
        for &at in hit {
            match part {
                Some(part) => self.accesses.push(Access {
                    at,
                    len,
                    part,
                    span,
                }),
                None => self.homeless.push((at, span)),
            }
        }
    }

    pub fn range(&mut self, hit: &[At], size: Size, ranges: &[Range], span: Span) {
        if size.bytes() == Some(0) {
            return;
        }
        for &at in hit {
            let parts = ranges.iter().map(|range| range.target).collect();
            self.extents.push(Extent {
                at,
                size,
                written: Some(parts),
                span,
            });
            for range in ranges {
                if let Some((distance, len)) = range.extent {
                    self.accesses.push(Access {
                        at: at.moved(distance, self.pointer_bits),
                        len,
                        part: range.target,
                        span,
                    });
                }
            }
        }
    }

    pub fn copied_from(&mut self, hit: &[At], size: Size, ranges: &[Range], span: Span) {
        let is_extent = |range: &Range| range.source.is_some() && range.extent.is_none();
        if ranges.iter().any(is_extent) && size.bytes() != Some(0) {
            let read = hit.iter().map(|&at| Extent {
                at,
                size,
                written: None,
                span,
            });
            self.extents.extend(read);
        }
        for range in ranges {
            let Some(part) = range.source else { continue };
            self.unwritten |= !self.is_read(part);
            let Some((distance, len)) = range.extent else {
                continue;
            };
            for at in hit {
                self.accesses.push(Access {
                    at: at.moved(distance, self.pointer_bits),
                    len,
                    part,
                    span,
                });
            }
        }
    }

    /// Checks that no byte is accessed through two parts. Where pointers from outside or numbers
    /// lead (`outside`), there may also be memory that is none of the program's.
    pub fn check(
        &self,
        program: &Program,
        classes: &Classes,
        outside: [Source; 2],
    ) -> Result<(), Rejection> {
        let refuse = |why: &str, span: Span| {
            let place = if span == Span::NONE {
                String::new()
            } else {
                format!("{}: ", program.describe(span))
            };
            Rejection::Unfinished(format!(
                "{place}the checker rejects the partition of memory into regions ({why}); please report this"
            ))
        };
        if self.unwritten {
            return Err(refuse(
                "writes to memory that is read were omitted",
                Span::NONE,
            ));
        }
        for (at, span) in &self.homeless {
            if classes.is_real(at.source) {
                return Err(refuse("an access has no region", *span));
            }
        }
        for access in &self.accesses {
            if let Some(why) = self.leaves_variable(classes, access) {
                return Err(refuse(why, access.span));
            }
        }
        let outside = outside.map(|source| classes.root(source));
        let others = begin_otherwise(program);
        for access in &self.accesses {
            let part = self.homes.parts.get(access.part.0 as usize);
            let is_outside = outside.contains(&classes.root(access.at.source));
            if is_outside && part.is_none_or(|part| !part.reaches_outside) {
                return Err(refuse("a region leaves out the outside", access.span));
            }
            let is_zero = part.is_some_and(|part| part.begins_with_zeros);
            let meets = |&object: &ObjectId| may_hit(program, classes, access, object);
            if is_zero && (is_outside || others.iter().any(meets)) {
                return Err(refuse("a region does not begin with zeros", access.span));
            }
        }
        let mut by_class: FxHashMap<Source, (Vec<&Access>, Vec<&Extent>)> = FxHashMap::default();
        for access in &self.accesses {
            let root = classes.root(access.at.source);
            by_class.entry(root).or_default().0.push(access);
        }
        for extent in &self.extents {
            let root = classes.root(extent.at.source);
            by_class.entry(root).or_default().1.push(extent);
        }
        let mut roots: Vec<Source> = by_class.keys().copied().collect();
        roots.sort_unstable();
        for root in roots.into_iter().filter(|&root| classes.is_real(root)) {
            let (accesses, extents) = &by_class[&root];
            let bytes = Bytes::of(classes, accesses, extents);
            if let Some(span) = bytes.shared(accesses) {
                return Err(refuse("two regions may share a byte", span));
            }
            if let Some(span) = self.divided(&bytes, accesses, extents) {
                return Err(refuse("a part that is whole may be divided", span));
            }
            for extent in extents {
                if bytes.leaves(extent, accesses, |part| self.is_read(part)) {
                    return Err(refuse("a copy or fill omits a region", extent.span));
                }
            }
        }
        Ok(())
    }

    /// Where a part that is said to be whole is accessed otherwise: values in it must have its
    /// length, begin at equal places or not overlap, and copies and fills must begin and end
    /// between them.
    fn divided(&self, bytes: &Bytes, accesses: &[&Access], extents: &[&Extent]) -> Option<Span> {
        let whole = |part: PartId| {
            let part = self.homes.parts.get(part.0 as usize)?;
            part.is_whole.then_some(part.len)
        };
        let mut starts: FxHashMap<PartId, Vec<(i64, Span)>> = FxHashMap::default();
        for access in accesses {
            let Some(len) = whole(access.part) else {
                continue;
            };
            if access.len != len || bytes.modulus > 0 && len > bytes.modulus {
                return Some(access.span);
            }
            let start = (bytes.start(access.at), access.span);
            starts.entry(access.part).or_default().push(start);
        }
        for (&part, starts) in &mut starts {
            let Some(len) = whole(part) else { continue };
            starts.sort_unstable_by_key(|(start, _)| *start);
            starts.dedup_by_key(|(start, _)| *start);
            let apart = starts
                .windows(2)
                .map(|pair| (pair[1].0.abs_diff(pair[0].0), pair[1].1));
            if let Some((_, span)) = apart.into_iter().find(|(by, _)| *by < len.unsigned_abs()) {
                return Some(span);
            }
            // The first lies behind the last too, one modulus further.
            if let [first, .., last] = starts[..]
                && bytes.modulus > 0
                && bytes.modulus - (last.0 - first.0) < len
            {
                return Some(last.1);
            }
        }
        for extent in extents {
            let from = bytes.start(extent.at);
            for (&part, starts) in &starts {
                let Some(len) = whole(part) else { continue };
                let divides = |&(start, _): &(i64, Span)| match extent.size {
                    Size::Bytes(size) if bytes.modulus == 0 => {
                        let (end, to) = (start.saturating_add(len), from.saturating_add(size));
                        let is_touched = from < end && start < to;
                        is_touched && (start < from || end > to)
                    }
                    Size::Bytes(step) | Size::MultipleOf(step) => {
                        let is_aligned = start.wrapping_sub(from) % len == 0;
                        !is_aligned || step % len != 0 || bytes.modulus % len != 0
                    }
                };
                if starts.iter().any(divides) {
                    return Some(extent.span);
                }
            }
        }
        None
    }

    /// A part that became a variable is one place of one object: whoever accesses it can mean
    /// nothing else.
    fn leaves_variable(&self, classes: &Classes, access: &Access) -> Option<&'static str> {
        let part = self.homes.parts.get(access.part.0 as usize)?;
        let Home::Variable(var) = part.home else {
            return None;
        };
        // The variable is new: the program before the split ends before its number.
        let piece = self.homes.pieces.get(&var);
        let Some(&VariableKind::Piece { object, offset }) = piece else {
            return Some("a variable has no place in memory");
        };
        let Ok(residue) = i64::try_from(offset) else {
            return Some("a variable lies outside its object");
        };
        let own = At::start(object.0).moved(residue, self.pointer_bits);
        let is_there =
            classes.is_single(object.0) && classes.place(access.at) == classes.place(own);
        // A pointer that leads to no object hits nothing.
        if is_there || !classes.is_real(access.at.source) {
            None
        } else {
            Some("a pointer to a variable may point elsewhere")
        }
    }
}

/// The objects that begin with anything but zeros, or do not live as long as the program.
fn begin_otherwise(program: &Program) -> Vec<ObjectId> {
    let mut others = vec![false; program.objects.len()];
    for (object, other) in program.objects.iter().zip(&mut others) {
        let lives_for_ever = [ObjectKind::Global, ObjectKind::StringLiteral].contains(&object.kind);
        *other = !lives_for_ever && !matches!(object.kind, ObjectKind::Function(_));
    }
    for edge in &program.edges {
        if let Op::Begin { object, contents } = program.op(edge.op)
            && *contents != Contents::Zero
        {
            others[object.0 as usize] = true;
        }
    }
    let objects = (0..others.len() as u32).map(ObjectId);
    objects.filter(|id| others[id.0 as usize]).collect()
}

/// Whether the access may hit bytes of the object.
fn may_hit(program: &Program, classes: &Classes, access: &Access, object: ObjectId) -> bool {
    if classes.root(access.at.source) != classes.root(object.0) {
        return false;
    }
    let (at, start) = (classes.place(access.at), classes.place(At::start(object.0)));
    let size = program.object(object).size;
    let size = size.and_then(|size| i64::try_from(size).ok());
    match size {
        Some(size) if at.stride == 0 && start.stride == 0 => {
            at.residue < start.residue.saturating_add(size)
                && start.residue < at.residue.saturating_add(access.len)
        }
        _ => true,
    }
}

/// The bytes of a class, told apart modulo what all accesses together are known modulo.
struct Bytes<'a> {
    classes: &'a Classes,
    modulus: i64,
    /// Beginnings, ends and numbers of accesses; in the order of the beginnings, and not longer
    /// than the modulus.
    spans: Vec<(i64, i64, usize)>,
}

impl<'a> Bytes<'a> {
    fn of(classes: &'a Classes, accesses: &[&Access], extents: &[&Extent]) -> Bytes<'a> {
        let mut modulus = 0;
        for access in accesses {
            modulus = gcd(modulus, classes.place(access.at).stride);
        }
        for extent in extents {
            modulus = gcd(modulus, classes.place(extent.at).stride);
        }
        let mut bytes = Bytes {
            classes,
            modulus,
            spans: Vec::new(),
        };
        for (number, access) in accesses.iter().enumerate() {
            for (start, end) in bytes.pieces(access.at, Some(access.len)) {
                bytes.spans.push((start, end, number));
            }
        }
        bytes.spans.sort_unstable();
        bytes
    }

    /// Where the place is, modulo the modulus.
    fn start(&self, at: At) -> i64 {
        let residue = self.classes.place(at).residue;
        match self.modulus {
            0 => residue,
            modulus => residue.rem_euclid(modulus),
        }
    }

    /// The bytes as intervals; those that run over the border of the modulus are two.
    fn pieces(&self, at: At, len: Option<i64>) -> Vec<(i64, i64)> {
        let start = self.start(at);
        let len = len.unwrap_or(i64::MAX);
        let end = start.saturating_add(len);
        if self.modulus == 0 {
            return vec![(start, end)];
        }
        if len >= self.modulus {
            vec![(0, self.modulus)]
        } else if end > self.modulus {
            vec![(0, end - self.modulus), (start, self.modulus)]
        } else {
            vec![(start, end)]
        }
    }

    /// Where a byte belongs to two parts.
    fn shared(&self, accesses: &[&Access]) -> Option<Span> {
        // The longest reach so far of one part, and the longest of any other.
        let mut first: Option<(i64, PartId)> = None;
        let mut other: Option<(i64, PartId)> = None;
        for &(start, end, number) in &self.spans {
            let access = accesses[number];
            for known in [first, other].into_iter().flatten() {
                if known.1 != access.part && known.0 > start {
                    return Some(access.span);
                }
            }
            match first {
                Some((reach, part)) if part == access.part => first = Some((reach.max(end), part)),
                Some(known) => {
                    if known.0 < end {
                        other = first;
                        first = Some((end, access.part));
                    } else if other.is_none_or(|other| other.0 < end) {
                        other = Some((end, access.part));
                    }
                }
                None => first = Some((end, access.part)),
            }
        }
        None
    }

    /// Does the operation touch a byte of a part that it does nothing to, and that somebody reads?
    fn leaves(
        &self,
        extent: &Extent,
        accesses: &[&Access],
        is_read: impl Fn(PartId) -> bool,
    ) -> bool {
        let Some(written) = &extent.written else {
            return false;
        };
        let pieces = self.pieces(extent.at, extent.size.bytes());
        self.spans.iter().any(|&(start, end, number)| {
            let part = accesses[number].part;
            let touched = pieces.iter().any(|&(from, to)| from < end && start < to);
            touched && is_read(part) && !written.contains(&part)
        })
    }
}
