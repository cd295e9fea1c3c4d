//! What the operators of SMT-LIB mean in our terms, with the sorts checked.

use crate::term::{Op, RoundingMode, Sort, Term, TermPool};

/// An argument: a term, or a rounding mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arg {
    Term(Term),
    Mode(RoundingMode),
}

pub(super) fn rounding_mode(name: &str) -> Option<RoundingMode> {
    Some(match name {
        "RNE" | "roundNearestTiesToEven" => RoundingMode::NearestEven,
        "RNA" | "roundNearestTiesToAway" => RoundingMode::NearestAway,
        "RTP" | "roundTowardPositive" => RoundingMode::TowardPositive,
        "RTN" | "roundTowardNegative" => RoundingMode::TowardNegative,
        "RTZ" | "roundTowardZero" => RoundingMode::TowardZero,
        _ => return None,
    })
}

/// Names that mean something, so that variables of the same name must be quoted. (Quoting does not
/// change the meaning of a symbol, so this only keeps text readable; solvers reject a redefinition,
/// and so do we.)
pub(super) fn is_operator(name: &str) -> bool {
    name.starts_with("bv") || name.starts_with("fp.") || rounding_mode(name).is_some()
}

type Result<T> = std::result::Result<T, String>;

struct Args<'a> {
    pool: &'a TermPool,
    args: &'a [Arg],
}

impl Args<'_> {
    fn term(&self, position: usize) -> Result<Term> {
        match self.args.get(position) {
            Some(Arg::Term(term)) => Ok(*term),
            Some(Arg::Mode(_)) => Err("a rounding mode where a term is expected".into()),
            None => Err("too few arguments".into()),
        }
    }

    fn count(&self, count: usize) -> Result<()> {
        if self.args.len() == count {
            return Ok(());
        }
        Err(format!("{} arguments instead of {count}", self.args.len()))
    }

    fn terms(&self) -> Result<Vec<Term>> {
        (0..self.args.len())
            .map(|position| self.term(position))
            .collect()
    }

    fn bools(&self) -> Result<Vec<Term>> {
        let terms = self.terms()?;
        for &term in &terms {
            self.expect(term, Sort::Bool)?;
        }
        Ok(terms)
    }

    fn expect(&self, term: Term, sort: Sort) -> Result<()> {
        let actual = self.pool.sort(term);
        if actual == sort {
            return Ok(());
        }
        Err(format!("sort {actual} where {sort} is expected"))
    }

    fn bv(&self, position: usize) -> Result<(Term, u32)> {
        let term = self.term(position)?;
        match self.pool.sort(term) {
            Sort::BitVec(width) => Ok((term, width)),
            other => Err(format!("sort {other} where a bit-vector is expected")),
        }
    }

    /// Any number of bit-vectors of one width.
    fn same_bvs(&self) -> Result<Vec<Term>> {
        let (first, _) = self.bv(0)?;
        let terms = self.terms()?;
        for &term in &terms {
            self.expect(term, self.pool.sort(first))?;
        }
        Ok(terms)
    }

    fn two_bvs(&self) -> Result<(Term, Term)> {
        self.count(2)?;
        let terms = self.same_bvs()?;
        Ok((terms[0], terms[1]))
    }

    fn one_bv(&self) -> Result<(Term, u32)> {
        self.count(1)?;
        self.bv(0)
    }

    fn same(&self) -> Result<Vec<Term>> {
        let terms = self.terms()?;
        if terms.len() < 2 {
            return Err("too few arguments".into());
        }
        for &term in &terms {
            self.expect(term, self.pool.sort(terms[0]))?;
        }
        Ok(terms)
    }

    fn floats(&self, from: usize, count: usize) -> Result<Vec<Term>> {
        self.count(from + count)?;
        let terms: Vec<Term> = (from..self.args.len())
            .map(|position| self.term(position))
            .collect::<Result<_>>()?;
        let sort = self.pool.sort(terms[0]);
        if !matches!(sort, Sort::Float { .. }) {
            return Err(format!("sort {sort} where a float is expected"));
        }
        for &term in &terms {
            self.expect(term, sort)?;
        }
        Ok(terms)
    }

    fn mode(&self) -> Result<RoundingMode> {
        match self.args.first() {
            Some(Arg::Mode(mode)) => Ok(*mode),
            _ => Err("rounding mode expected (variables of that sort are not supported)".into()),
        }
    }
}

fn fold(
    pool: &mut TermPool,
    terms: &[Term],
    combine: fn(&mut TermPool, Term, Term) -> Term,
) -> Result<Term> {
    if terms.len() < 2 {
        return Err("too few arguments".into());
    }
    let mut result = terms[0];
    for &term in &terms[1..] {
        result = combine(pool, result, term);
    }
    Ok(result)
}

/// An operator with a plain name.
pub(super) fn apply(pool: &mut TermPool, name: &str, args: &[Arg]) -> Result<Term> {
    let checked = Args { pool, args };
    if let Some(result) = apply_core(&checked, name) {
        return result.and_then(|build| build(pool));
    }
    let checked = Args { pool, args };
    if name.starts_with("fp") {
        return apply_float(&checked, name).and_then(|build| build(pool));
    }
    apply_bv(&checked, name).and_then(|build| build(pool))
}

type Build = Box<dyn FnOnce(&mut TermPool) -> Result<Term>>;

/// Wraps a construction whose arguments were checked.
fn build(construct: impl FnOnce(&mut TermPool) -> Term + 'static) -> Result<Build> {
    Ok(Box::new(move |pool| Ok(construct(pool))))
}

fn apply_core(args: &Args<'_>, name: &str) -> Option<Result<Build>> {
    Some(match name {
        "not" => args
            .count(1)
            .and_then(|()| args.bools())
            .and_then(|terms| build(move |pool| pool.not(terms[0]))),
        "and" => args
            .bools()
            .and_then(|terms| build(move |pool| pool.and_all(terms))),
        "or" => args
            .bools()
            .and_then(|terms| build(move |pool| pool.or_all(terms))),
        "xor" => args.bools().map(|terms| {
            Box::new(move |pool: &mut TermPool| fold(pool, &terms, TermPool::xor)) as Build
        }),
        "=>" => args.bools().and_then(|terms| {
            let Some((&last, premises)) = terms.split_last() else {
                return Err("too few arguments".into());
            };
            let premises = premises.to_vec();
            build(move |pool| {
                let all = pool.and_all(premises);
                pool.implies(all, last)
            })
        }),
        "=" => args.same().and_then(|terms| {
            build(move |pool| {
                let pairs: Vec<Term> = terms
                    .windows(2)
                    .map(|pair| pool.eq(pair[0], pair[1]))
                    .collect();
                pool.and_all(pairs)
            })
        }),
        "distinct" => args
            .same()
            .and_then(|terms| build(move |pool| pool.distinct(&terms))),
        "ite" => args.count(3).and_then(|()| {
            let (condition, then, otherwise) = (args.term(0)?, args.term(1)?, args.term(2)?);
            args.expect(condition, Sort::Bool)?;
            args.expect(otherwise, args.pool.sort(then))?;
            build(move |pool| pool.ite(condition, then, otherwise))
        }),
        "select" => args.count(2).and_then(|()| {
            let (array, index) = (args.term(0)?, args.term(1)?);
            match args.pool.sort(array) {
                Sort::Array { index: width, .. } => args.expect(index, Sort::BitVec(width))?,
                other => return Err(format!("sort {other} where an array is expected")),
            }
            build(move |pool| pool.select(array, index))
        }),
        "store" => args.count(3).and_then(|()| {
            let (array, index, element) = (args.term(0)?, args.term(1)?, args.term(2)?);
            match args.pool.sort(array) {
                Sort::Array {
                    index: index_width,
                    element: element_width,
                } => {
                    args.expect(index, Sort::BitVec(index_width))?;
                    args.expect(element, Sort::BitVec(element_width))?;
                }
                other => return Err(format!("sort {other} where an array is expected")),
            }
            build(move |pool| pool.store(array, index, element))
        }),
        _ => return None,
    })
}

fn apply_bv(args: &Args<'_>, name: &str) -> Result<Build> {
    type Binary = fn(&mut TermPool, Term, Term) -> Term;
    let chained: Option<Binary> = match name {
        "bvand" => Some(TermPool::bv_and),
        "bvor" => Some(TermPool::bv_or),
        "bvxor" => Some(TermPool::bv_xor),
        "bvadd" => Some(TermPool::bv_add),
        "bvmul" => Some(TermPool::bv_mul),
        _ => None,
    };
    if let Some(combine) = chained {
        let terms = args.same_bvs()?;
        return Ok(Box::new(move |pool| fold(pool, &terms, combine)));
    }
    let binary: Option<Binary> = match name {
        "bvsub" => Some(TermPool::bv_sub),
        "bvudiv" => Some(TermPool::bv_udiv),
        "bvurem" => Some(TermPool::bv_urem),
        "bvsdiv" => Some(TermPool::bv_sdiv),
        "bvsrem" => Some(TermPool::bv_srem),
        "bvsmod" => Some(TermPool::bv_smod),
        "bvshl" => Some(TermPool::bv_shl),
        "bvlshr" => Some(TermPool::bv_lshr),
        "bvashr" => Some(TermPool::bv_ashr),
        "bvcomp" => Some(TermPool::bv_comp),
        "bvult" => Some(TermPool::ult),
        "bvule" => Some(TermPool::ule),
        "bvugt" => Some(TermPool::ugt),
        "bvuge" => Some(TermPool::uge),
        "bvslt" => Some(TermPool::slt),
        "bvsle" => Some(TermPool::sle),
        "bvsgt" => Some(TermPool::sgt),
        "bvsge" => Some(TermPool::sge),
        "bvuaddo" => Some(TermPool::uadd_overflow),
        "bvsaddo" => Some(TermPool::sadd_overflow),
        "bvusubo" => Some(TermPool::usub_overflow),
        "bvssubo" => Some(TermPool::ssub_overflow),
        "bvumulo" => Some(TermPool::umul_overflow),
        "bvsmulo" => Some(TermPool::smul_overflow),
        "bvsdivo" => Some(TermPool::sdiv_overflow),
        "bvnand" | "bvnor" | "bvxnor" => {
            let (a, b) = args.two_bvs()?;
            let combine: Binary = match name {
                "bvnand" => TermPool::bv_and,
                "bvnor" => TermPool::bv_or,
                _ => TermPool::bv_xor,
            };
            return build(move |pool| {
                let inner = combine(pool, a, b);
                pool.bv_not(inner)
            });
        }
        _ => None,
    };
    if let Some(combine) = binary {
        let (a, b) = args.two_bvs()?;
        return build(move |pool| combine(pool, a, b));
    }
    match name {
        "bvnot" => args
            .one_bv()
            .and_then(|(a, _)| build(move |pool| pool.bv_not(a))),
        "bvneg" => args
            .one_bv()
            .and_then(|(a, _)| build(move |pool| pool.bv_neg(a))),
        "bvnego" => args
            .one_bv()
            .and_then(|(a, _)| build(move |pool| pool.neg_overflow(a))),
        "concat" => {
            let terms = args.terms()?;
            if terms.is_empty() {
                return Err("too few arguments".into());
            }
            for position in 0..terms.len() {
                args.bv(position)?;
            }
            build(move |pool| pool.concat_all(&terms))
        }
        _ => Err(format!("unknown operator {name}")),
    }
}

fn apply_float(args: &Args<'_>, name: &str) -> Result<Build> {
    type Unary = fn(&mut TermPool, Term) -> Term;
    let unary: Option<Unary> = match name {
        "fp.abs" => Some(TermPool::fp_abs),
        "fp.neg" => Some(TermPool::fp_neg),
        "fp.isNaN" => Some(TermPool::fp_is_nan),
        "fp.isInfinite" => Some(TermPool::fp_is_infinite),
        "fp.isZero" => Some(TermPool::fp_is_zero),
        "fp.isNormal" => Some(TermPool::fp_is_normal),
        "fp.isSubnormal" => Some(TermPool::fp_is_subnormal),
        "fp.isNegative" => Some(TermPool::fp_is_negative),
        "fp.isPositive" => Some(TermPool::fp_is_positive),
        "fp.to_ieee_bv" => Some(TermPool::fp_to_bits),
        _ => None,
    };
    if let Some(construct) = unary {
        let terms = args.floats(0, 1)?;
        return build(move |pool| construct(pool, terms[0]));
    }
    type Binary = fn(&mut TermPool, Term, Term) -> Term;
    let binary: Option<(Binary, bool)> = match name {
        "fp.rem" => Some((TermPool::fp_rem, false)),
        "fp.min" => Some((TermPool::fp_min, false)),
        "fp.max" => Some((TermPool::fp_max, false)),
        "fp.eq" => Some((TermPool::fp_eq, false)),
        "fp.lt" => Some((TermPool::fp_lt, false)),
        "fp.leq" => Some((TermPool::fp_le, false)),
        "fp.gt" => Some((TermPool::fp_lt, true)),
        "fp.geq" => Some((TermPool::fp_le, true)),
        _ => None,
    };
    if let Some((construct, swap)) = binary {
        let terms = args.floats(0, 2)?;
        let (a, b) = if swap {
            (terms[1], terms[0])
        } else {
            (terms[0], terms[1])
        };
        return build(move |pool| construct(pool, a, b));
    }
    type Rounded = fn(&mut TermPool, RoundingMode, Term, Term) -> Term;
    let rounded: Option<Rounded> = match name {
        "fp.add" => Some(TermPool::fp_add),
        "fp.sub" => Some(TermPool::fp_sub),
        "fp.mul" => Some(TermPool::fp_mul),
        "fp.div" => Some(TermPool::fp_div),
        _ => None,
    };
    if let Some(construct) = rounded {
        let (mode, terms) = (args.mode()?, args.floats(1, 2)?);
        return build(move |pool| construct(pool, mode, terms[0], terms[1]));
    }
    match name {
        "fp.sqrt" => {
            let (mode, terms) = (args.mode()?, args.floats(1, 1)?);
            build(move |pool| pool.fp_sqrt(mode, terms[0]))
        }
        "fp.roundToIntegral" => {
            let (mode, terms) = (args.mode()?, args.floats(1, 1)?);
            build(move |pool| pool.fp_round_to_integral(mode, terms[0]))
        }
        "fp.fma" => {
            let (mode, terms) = (args.mode()?, args.floats(1, 3)?);
            build(move |pool| pool.fp_fma(mode, terms[0], terms[1], terms[2]))
        }
        "fp" => {
            args.count(3)?;
            let ((sign, one), (exponent, exponent_width)) = (args.bv(0)?, args.bv(1)?);
            let (fraction, fraction_width) = args.bv(2)?;
            if one != 1 {
                return Err("the sign of a float has one bit".into());
            }
            let sort = float_sort(exponent_width, fraction_width + 1)?;
            build(move |pool| {
                let bits = pool.concat_all(&[sign, exponent, fraction]);
                pool.fp_from_bits(sort, bits)
            })
        }
        _ => Err(format!("unknown operator {name}")),
    }
}

/// A float sort that we support.
pub(super) fn float_sort(exponent: u32, significand: u32) -> Result<Sort> {
    match arith::float::Layout::ieee(exponent, significand) {
        Some(_) => Ok(Sort::Float {
            exponent,
            significand,
        }),
        None => Err(format!(
            "float format {exponent} {significand} is not supported"
        )),
    }
}

/// An operator with numbers, as `(_ extract 7 0)`.
pub(super) fn apply_indexed(
    pool: &mut TermPool,
    name: &str,
    numbers: &[u32],
    args: &[Arg],
) -> Result<Term> {
    let checked = Args { pool, args };
    let number = |position: usize| {
        numbers
            .get(position)
            .copied()
            .ok_or_else(|| format!("{name} needs more numbers"))
    };
    match name {
        "extract" => {
            let (high, low) = (number(0)?, number(1)?);
            let (term, width) = checked.one_bv()?;
            if low > high || high >= width {
                return Err(format!(
                    "bits {high} to {low} of a bit-vector of width {width}"
                ));
            }
            Ok(pool.extract(term, high, low))
        }
        "zero_extend" | "sign_extend" => {
            let by = number(0)?;
            let (term, width) = checked.one_bv()?;
            if by > MAX_WIDTH - width.min(MAX_WIDTH) {
                return Err("bit-vector too wide".into());
            }
            Ok(if name == "zero_extend" {
                pool.zero_extend(term, by)
            } else {
                pool.sign_extend(term, by)
            })
        }
        "rotate_left" | "rotate_right" => {
            let by = number(0)?;
            let (term, width) = checked.one_bv()?;
            let left = if name == "rotate_left" {
                by % width
            } else {
                width - by % width
            };
            Ok(pool.rotate_left_by(term, left))
        }
        "repeat" => {
            let times = number(0)?;
            let (term, width) = checked.one_bv()?;
            if times == 0 || u64::from(times) * u64::from(width) > u64::from(MAX_WIDTH) {
                return Err("repetition out of range".into());
            }
            Ok(pool.concat_all(&vec![term; times as usize]))
        }
        "to_fp" | "to_fp_unsigned" => {
            let sort = float_sort(number(0)?, number(1)?)?;
            if args.len() == 1 && name == "to_fp" {
                let (bits, width) = checked.bv(0)?;
                if sort.width() != Some(width) {
                    return Err("bits of another width than the float's".into());
                }
                return Ok(pool.fp_from_bits(sort, bits));
            }
            checked.count(2)?;
            let (mode, term) = (checked.mode()?, checked.term(1)?);
            match (checked.pool.sort(term), name) {
                (Sort::Float { .. }, "to_fp") => Ok(pool.fp_to_fp(mode, sort, term)),
                (Sort::BitVec(width), _) if width > 128 => {
                    Err("integers of more than 128 bits are not converted to floats".into())
                }
                (Sort::BitVec(_), "to_fp") => Ok(pool.fp_from_signed(mode, sort, term)),
                (Sort::BitVec(_), _) => Ok(pool.fp_from_unsigned(mode, sort, term)),
                (other, _) => Err(format!("sort {other} is not converted to a float")),
            }
        }
        "fp.to_sbv" | "fp.to_ubv" => {
            let width = number(0)?;
            if !(1..=128).contains(&width) {
                return Err("floats are converted to integers of 1 to 128 bits".into());
            }
            let (mode, terms) = (checked.mode()?, checked.floats(1, 1)?);
            Ok(if name == "fp.to_sbv" {
                pool.fp_to_signed(mode, width, terms[0])
            } else {
                pool.fp_to_unsigned(mode, width, terms[0])
            })
        }
        _ => Err(format!("unknown operator (_ {name} …)")),
    }
}

/// Widths beyond this are surely a mistake in the text.
pub(super) const MAX_WIDTH: u32 = 1 << 20;

/// An identifier with numbers that is a constant, as `(_ bv5 8)` or `(_ +oo 8 24)`.
pub(super) fn indexed_constant(
    pool: &mut TermPool,
    name: &str,
    numbers: &[u32],
) -> Option<Result<Term>> {
    if let Some(decimal) = name.strip_prefix("bv")
        && let &[width] = numbers
        && !decimal.is_empty()
        && decimal.bytes().all(|byte| byte.is_ascii_digit())
    {
        if width == 0 || width > MAX_WIDTH {
            return Some(Err(format!("width {width}")));
        }
        let value: num_bigint::BigUint = decimal.parse().ok()?;
        return Some(Ok(
            pool.bv_value(crate::term::BvValue::from_big(width, value))
        ));
    }
    let &[exponent, significand] = numbers else {
        return None;
    };
    let sort = match name {
        "+oo" | "-oo" | "+zero" | "-zero" | "NaN" => match float_sort(exponent, significand) {
            Ok(sort) => sort,
            Err(message) => return Some(Err(message)),
        },
        _ => return None,
    };
    let layout = arith::float::Layout::ieee(exponent, significand)?;
    let bits = match name {
        "+oo" => layout.infinity(false),
        "-oo" => layout.infinity(true),
        "+zero" => layout.zero(false),
        "-zero" => layout.zero(true),
        _ => layout.nan(),
    };
    Some(Ok(pool.fp_const(sort, bits)))
}

/// Is the term a value, i.e. built of constants only?
pub(super) fn is_value(pool: &TermPool, term: Term) -> bool {
    pool.postorder(&[term])
        .iter()
        .all(|&term| !matches!(pool.op(term), Op::Var(_)))
}
