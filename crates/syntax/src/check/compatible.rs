//! Compatible and composite types (C11 6.2.7).

use super::Checker;
use crate::types::{ArrayLen, FunctionType, IntKind, RecordId, Type, TypeId, TypeTable};

/// What pointers may lead to in declarations of different units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pointees {
    /// The same but for qualifiers.
    Alike,
    Any,
}

impl Checker<'_> {
    /// Whether two types are compatible, qualifiers included.
    pub(super) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        a == b
            || Comparison {
                checker: self,
                assumed: Vec::new(),
            }
            .compatible(a, b)
    }

    /// As [`Checker::compatible`], without regard to the qualifiers at the top.
    pub(super) fn compatible_unqualified(&self, a: TypeId, b: TypeId) -> bool {
        let types = &self.program.types;
        self.compatible(strip(types, a), strip(types, b))
    }

    /// Whether two types differ in qualifiers only, or in what pointers lead to if that does not
    /// count: so values of them are the same bits.
    pub(super) fn links(&self, a: TypeId, b: TypeId, pointees: Pointees) -> bool {
        let types = &self.program.types;
        match (types.shape(a), types.shape(b)) {
            (&Type::Pointer(x), &Type::Pointer(y)) => match pointees {
                Pointees::Alike => self.links(x, y, pointees),
                Pointees::Any => types.function(x).is_none() && types.function(y).is_none(),
            },
            (&Type::Array { element: x, len: m }, &Type::Array { element: y, len: n }) => {
                let lengths = match (m, n) {
                    (ArrayLen::Fixed(m), ArrayLen::Fixed(n)) => m == n,
                    _ => false,
                };
                lengths && self.links(x, y, Pointees::Alike)
            }
            _ => self.compatible_unqualified(a, b),
        }
    }

    /// Whether the calls of one type fit the other, as far as a linker can tell.
    pub(super) fn functions_link(&self, a: TypeId, b: TypeId) -> bool {
        let types = &self.program.types;
        let (Some(f), Some(g)) = (types.function(a), types.function(b)) else {
            return false;
        };
        f.prototyped
            && g.prototyped
            && f.variadic == g.variadic
            && f.params.len() == g.params.len()
            && self.links(f.result, g.result, Pointees::Alike)
            && f.params
                .iter()
                .zip(&g.params)
                .all(|(&p, &q)| self.links(p, q, Pointees::Any))
    }

    /// What two compatible declarations of one thing say together.
    pub(super) fn composite(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if a == b {
            return a;
        }
        let types = &self.program.types;
        match (types.get(a), types.get(b)) {
            (&Type::Pointer(x), &Type::Pointer(y)) => {
                let target = self.composite(x, y);
                self.program.types.pointer_to(target)
            }
            (&Type::Array { element: x, len: m }, &Type::Array { element: y, len: n }) => {
                let element = self.composite(x, y);
                let len = if matches!(m, ArrayLen::Fixed(_)) {
                    m
                } else {
                    n
                };
                self.program.types.array_of(element, len)
            }
            (Type::Function(f), Type::Function(g)) => {
                let (f, g) = (f.clone(), g.clone());
                let result = self.composite(f.result, g.result);
                let params = match (f.prototyped, g.prototyped) {
                    (true, true) => {
                        let pairs = f.params.iter().zip(&g.params);
                        pairs.map(|(&p, &q)| self.composite(p, q)).collect()
                    }
                    (true, false) => f.params,
                    (false, true) => g.params,
                    (false, false) if f.params.is_empty() => g.params,
                    (false, false) => f.params,
                };
                self.program.types.intern(Type::Function(FunctionType {
                    result,
                    params,
                    variadic: f.variadic || g.variadic,
                    prototyped: f.prototyped || g.prototyped,
                }))
            }
            _ => a,
        }
    }
}

/// The type without qualifiers at the top; alignment does not count for compatibility anyway.
fn strip(types: &TypeTable, ty: TypeId) -> TypeId {
    types.unqualified(ty)
}

struct Comparison<'a, 'n> {
    checker: &'a Checker<'n>,
    /// Pairs of records that are being compared further out.
    assumed: Vec<(RecordId, RecordId)>,
}

impl Comparison<'_, '_> {
    fn compatible(&mut self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        let checker = self.checker;
        let types = &checker.program.types;
        let (shape_a, shape_b) = (types.shape(a), types.shape(b));
        if !matches!(shape_a, Type::Array { .. }) && types.qualifiers(a) != types.qualifiers(b) {
            return false;
        }
        match (shape_a, shape_b) {
            (Type::Pointer(x), Type::Pointer(y)) => self.compatible(*x, *y),
            (Type::Array { element: x, len: m }, Type::Array { element: y, len: n }) => {
                let lengths = match (m, n) {
                    (ArrayLen::Fixed(m), ArrayLen::Fixed(n)) => m == n,
                    _ => true,
                };
                lengths && self.compatible(*x, *y)
            }
            (Type::Function(f), Type::Function(g)) => self.functions(f, g),
            (Type::Enum(e), Type::Enum(f)) => {
                let (d, e_unit) = (types.enum_def(*e), checker.enum_units[e.0 as usize]);
                let (g, f_unit) = (types.enum_def(*f), checker.enum_units[f.0 as usize]);
                e == f || e_unit != f_unit && d.tag == g.tag && d.enumerators == g.enumerators
            }
            (Type::Enum(e), Type::Int(kind)) | (Type::Int(kind), Type::Enum(e)) => {
                types.enum_def(*e).repr.unwrap_or(IntKind::UInt) == *kind
            }
            (Type::Record(r), Type::Record(s)) => self.records(*r, *s),
            (x, y) => x == y,
        }
    }

    fn functions(&mut self, f: &FunctionType, g: &FunctionType) -> bool {
        if !self.compatible(f.result, g.result) {
            return false;
        }
        let checker = self.checker;
        let types = &checker.program.types;
        match (f.prototyped, g.prototyped) {
            (true, true) => {
                f.variadic == g.variadic
                    && f.params.len() == g.params.len()
                    && f.params
                        .iter()
                        .zip(&g.params)
                        .all(|(&p, &q)| self.compatible(strip(types, p), strip(types, q)))
            }
            (false, false) => true,
            (true, false) => self.fits_no_prototype(f, g),
            (false, true) => self.fits_no_prototype(g, f),
        }
    }

    /// A prototype beside a declaration without: no ellipsis, and parameters that the default
    /// argument promotions leave alone. `old` knows its (promoted) parameters if it is a K&R
    /// definition.
    fn fits_no_prototype(&mut self, prototype: &FunctionType, old: &FunctionType) -> bool {
        let checker = self.checker;
        let types = &checker.program.types;
        if prototype.variadic {
            return false;
        }
        if !old.params.is_empty() {
            return prototype.params.len() == old.params.len()
                && prototype.params.iter().zip(&old.params).all(|(&p, &q)| {
                    let (p, q) = (strip(types, p), strip(types, q));
                    self.compatible(p, q) || checker.default_promoted(p) == q
                });
        }
        prototype
            .params
            .iter()
            .all(|&p| checker.default_promoted(p) == types.unqualified(p))
    }

    /// Records of one unit are compatible only if they are the same; those of different units if
    /// they look the same (C11 6.2.7 paragraph 1).
    fn records(&mut self, a: RecordId, b: RecordId) -> bool {
        if a == b || self.assumed.contains(&(a, b)) {
            return true;
        }
        let checker = self.checker;
        let types = &checker.program.types;
        let (r, s) = (types.record(a), types.record(b));
        let same_unit = checker.record_units[a.0 as usize] == checker.record_units[b.0 as usize];
        if same_unit || r.kind != s.kind || r.tag != s.tag || r.tuple != s.tuple {
            return false;
        }
        let (Some(x), Some(y)) = (&r.layout, &s.layout) else {
            return true;
        };
        if x.size != y.size || x.align != y.align || x.fields.len() != y.fields.len() {
            return false;
        }
        self.assumed.push((a, b));
        let fits = x.fields.iter().zip(&y.fields).all(|(f, g)| {
            f.name == g.name
                && f.offset == g.offset
                && f.bits == g.bits
                && self.compatible(f.ty, g.ty)
        });
        // What holds is remembered, or a chain of records would be compared again and again.
        if !fits {
            self.assumed.retain(|&pair| pair != (a, b));
        }
        fits
    }
}
