//! Printing. Every distinct subterm is written once, so the text is linear in the size of the term.

use crate::term::{BvValue, Op, RoundingMode, Sort, Term, TermPool, rounding_mode_name};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// A symbol as SMT-LIB writes it, quoted where its characters or meaning ask for it.
pub fn quote_symbol(name: &str) -> String {
    const RESERVED: [&str; 18] = [
        "let", "forall", "exists", "match", "par", "as", "_", "!", "true", "false", "not", "and",
        "or", "xor", "ite", "distinct", "BINARY", "DECIMAL",
    ];
    let simple = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit() || c == '@' || c == '.')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c))
        && !RESERVED.contains(&name)
        && !super::operators::is_operator(name);
    if simple {
        return name.to_string();
    }
    // A quoted symbol cannot contain these two.
    let content = name.replace('|', "%7C").replace('\\', "%5C");
    format!("|{content}|")
}

/// Names of subterms that were written before.
pub(super) type Names = FxHashMap<Term, String>;

/// Writes one operator over arguments that are names, variables or constants.
fn write_node(out: &mut String, pool: &TermPool, term: Term, names: &Names) {
    let args = pool.args(term);
    let arg = |position: usize| argument(pool, args[position], names);
    match pool.op(term) {
        Op::Var(_) | Op::True | Op::BvConst(_) => out.push_str(&argument(pool, term, names)),
        Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul | Op::Concat => {
            // Left-associative, written as the binary operators of the standard.
            let name = plain_name(pool.op(term));
            for _ in 1..args.len() {
                let _ = write!(out, "({name} ");
            }
            out.push_str(&arg(0));
            for position in 1..args.len() {
                let _ = write!(out, " {})", arg(position));
            }
        }
        Op::Extract { high, low } => {
            let _ = write!(out, "((_ extract {high} {low}) {})", arg(0));
        }
        Op::SignExtend => {
            let by = pool.width(term) - pool.width(args[0]);
            let _ = write!(out, "((_ sign_extend {by}) {})", arg(0));
        }
        Op::ConstArray => {
            let _ = write!(out, "((as const {}) {})", pool.sort(term), arg(0));
        }
        Op::FpFromBits => {
            let _ = write!(out, "({} {})", to_fp(pool.sort(term)), arg(0));
        }
        Op::FpToFp(rm) | Op::FpFromSigned(rm) => {
            let (operator, rm) = (to_fp(pool.sort(term)), rounding_mode_name(rm));
            let _ = write!(out, "({operator} {rm} {})", arg(0));
        }
        Op::FpFromUnsigned(rm) => {
            let operator = to_fp(pool.sort(term)).replace("to_fp", "to_fp_unsigned");
            let _ = write!(out, "({operator} {} {})", rounding_mode_name(rm), arg(0));
        }
        Op::FpToSigned(rm) | Op::FpToUnsigned(rm) => {
            write_to_integer(out, pool, term, rm, &arg(0));
        }
        // The standard leaves the result for two zeros open; ours is the first operand.
        op @ (Op::FpMin | Op::FpMax) => {
            let (a, b, name) = (arg(0), arg(1), plain_name(op));
            let _ = write!(
                out,
                "(ite (and (fp.isZero {a}) (fp.isZero {b})) {a} ({name} {a} {b}))"
            );
        }
        op => {
            let _ = write!(out, "({}", plain_name(op));
            if let Some(rm) = rounding_mode(op) {
                let _ = write!(out, " {}", rounding_mode_name(rm));
            }
            for position in 0..args.len() {
                let _ = write!(out, " {}", arg(position));
            }
            out.push(')');
        }
    }
}

/// The standard leaves the result out of range open; ours is a constant there.
fn write_to_integer(out: &mut String, pool: &TermPool, term: Term, rm: RoundingMode, a: &str) {
    let width = pool.width(term);
    let signed = matches!(pool.op(term), Op::FpToSigned(_));
    let sort = pool.sort(pool.args(term)[0]);
    let rm_name = rounding_mode_name(rm);
    let name = if signed { "fp.to_sbv" } else { "fp.to_ubv" };
    let otherwise = if signed {
        BvValue::min_signed(width)
    } else {
        BvValue::ones(width)
    };
    let bound = if signed { width - 1 } else { width };
    // The rounded number must be at least the smallest integer and below the power of two after the
    // largest, both of which are floats or beyond all floats.
    let layout = crate::term::float_layout(sort);
    let power = |exponent: u32, negative: bool| {
        layout.map(|layout| {
            let number = BvValue::one(128).shl_by(exponent).to_u128();
            let bits = match number {
                Some(number) if exponent < 128 => {
                    arith::float::from_int(layout, RoundingMode::TowardPositive, number, 128, false)
                }
                _ => layout.infinity(false),
            };
            let bits = if negative {
                arith::float::neg(layout, bits)
            } else {
                bits
            };
            format!("({} {})", to_fp(sort), BvValue::new(layout.width(), bits))
        })
    };
    let (Some(above), Some(lowest)) = (power(bound, false), power(bound, true)) else {
        return;
    };
    let rounded = format!("(fp.roundToIntegral {rm_name} {a})");
    let at_least = if signed {
        format!("(fp.leq {lowest} {rounded})")
    } else {
        format!("(fp.isPositive {rounded})")
    };
    let mut text = format!(
        "(ite (and (not (fp.isNaN {a})) (not (fp.isInfinite {a})) {at_least} \
         (fp.lt {rounded} {above})) ((_ {name} {width}) {rm_name} {a}) {otherwise})"
    );
    if !signed {
        // Solvers disagree whether minus zero is in range.
        let zero = BvValue::zero(width);
        text = format!("(ite (fp.isZero {rounded}) {zero} {text})");
    }
    out.push_str(&text);
}

fn to_fp(sort: Sort) -> String {
    match sort {
        Sort::Float {
            exponent,
            significand,
        } => format!("(_ to_fp {exponent} {significand})"),
        other => unreachable!("{other} is no float sort"),
    }
}

fn rounding_mode(op: Op) -> Option<RoundingMode> {
    match op {
        Op::FpAdd(rm)
        | Op::FpSub(rm)
        | Op::FpMul(rm)
        | Op::FpDiv(rm)
        | Op::FpFma(rm)
        | Op::FpSqrt(rm)
        | Op::FpRoundToIntegral(rm) => Some(rm),
        _ => None,
    }
}

fn plain_name(op: Op) -> &'static str {
    match op {
        Op::Not => "not",
        Op::And => "and",
        Op::Eq => "=",
        Op::Ite => "ite",
        Op::BvNot => "bvnot",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::BvAdd => "bvadd",
        Op::BvMul => "bvmul",
        Op::BvUdiv => "bvudiv",
        Op::BvUrem => "bvurem",
        Op::BvSdiv => "bvsdiv",
        Op::BvSrem => "bvsrem",
        Op::BvShl => "bvshl",
        Op::BvLshr => "bvlshr",
        Op::BvAshr => "bvashr",
        Op::Ult => "bvult",
        Op::Slt => "bvslt",
        Op::Concat => "concat",
        Op::Select => "select",
        Op::Store => "store",
        Op::FpToBits => "fp.to_ieee_bv",
        Op::FpAdd(_) => "fp.add",
        Op::FpSub(_) => "fp.sub",
        Op::FpMul(_) => "fp.mul",
        Op::FpDiv(_) => "fp.div",
        Op::FpFma(_) => "fp.fma",
        Op::FpSqrt(_) => "fp.sqrt",
        Op::FpRoundToIntegral(_) => "fp.roundToIntegral",
        Op::FpRem => "fp.rem",
        Op::FpMin => "fp.min",
        Op::FpMax => "fp.max",
        Op::FpAbs => "fp.abs",
        Op::FpNeg => "fp.neg",
        Op::FpEq => "fp.eq",
        Op::FpLt => "fp.lt",
        Op::FpLe => "fp.leq",
        Op::FpIsNan => "fp.isNaN",
        Op::FpIsInfinite => "fp.isInfinite",
        Op::FpIsZero => "fp.isZero",
        Op::FpIsNormal => "fp.isNormal",
        Op::FpIsSubnormal => "fp.isSubnormal",
        Op::FpIsNegative => "fp.isNegative",
        Op::FpIsPositive => "fp.isPositive",
        Op::Var(_)
        | Op::True
        | Op::BvConst(_)
        | Op::Extract { .. }
        | Op::SignExtend
        | Op::ConstArray
        | Op::FpFromBits
        | Op::FpToFp(_)
        | Op::FpFromSigned(_)
        | Op::FpFromUnsigned(_)
        | Op::FpToSigned(_)
        | Op::FpToUnsigned(_) => unreachable!("written in another way"),
    }
}

/// An argument: a constant, a variable, or the name under which it was written before.
fn argument(pool: &TermPool, term: Term, names: &Names) -> String {
    if let Some(name) = names.get(&term) {
        return name.clone();
    }
    match pool.op(term) {
        Op::True => "true".into(),
        Op::Not if term == TermPool::FALSE => "false".into(),
        Op::BvConst(_) => pool.as_bv_const(term).expect("a constant").to_string(),
        Op::Var(symbol) => quote_symbol(&pool.symbol_name(symbol)),
        _ => unreachable!("arguments are written before the terms over them"),
    }
}

fn is_leaf(pool: &TermPool, term: Term) -> bool {
    term == TermPool::FALSE || matches!(pool.op(term), Op::Var(_) | Op::True | Op::BvConst(_))
}

/// The term as one expression. What is used more than once is bound by `let`.
pub fn term_text(pool: &TermPool, term: Term) -> String {
    let order = pool.postorder(&[term]);
    let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
    for &subterm in &order {
        for &arg in pool.args(subterm) {
            *uses.entry(arg).or_insert(0) += 1;
        }
    }
    let repeated = repeated_arguments(pool, &order);
    let mut names = Names::default();
    let mut out = String::new();
    let mut bound = 0usize;
    for &subterm in &order {
        if is_leaf(pool, subterm) || subterm == term {
            continue;
        }
        let mut text = String::new();
        write_node(&mut text, pool, subterm, &names);
        if uses[&subterm] == 1 && text.len() < 60 && !repeated.contains(&subterm) {
            names.insert(subterm, text);
            continue;
        }
        let name = format!("?t{}", subterm.index());
        let _ = write!(out, "(let (({name} {text})) ");
        names.insert(subterm, name);
        bound += 1;
    }
    write_node(&mut out, pool, term, &names);
    out.extend(std::iter::repeat_n(')', bound));
    out
}

/// Arguments of operators whose text writes them several times.
fn repeated_arguments(pool: &TermPool, order: &[Term]) -> FxHashSet<Term> {
    let repeats = |term: &&Term| {
        matches!(
            pool.op(**term),
            Op::FpMin | Op::FpMax | Op::FpToSigned(_) | Op::FpToUnsigned(_)
        )
    };
    order
        .iter()
        .filter(repeats)
        .flat_map(|&term| pool.args(term))
        .copied()
        .collect()
}

/// A script that asserts the terms: declarations, definitions of shared parts, assertions,
/// `check-sat`.
pub fn script_text(pool: &TermPool, assertions: &[Term]) -> String {
    let mut definitions = Definitions::default();
    let mut out = String::from("(set-logic ALL)\n");
    for &assertion in assertions {
        let name = definitions.define(pool, assertion, &mut out);
        let _ = writeln!(out, "(assert {name})");
    }
    out.push_str("(check-sat)\n");
    out
}

/// What was declared and defined in a session with a reader of SMT-LIB: every subterm gets a name
/// once.
#[derive(Default)]
pub struct Definitions {
    names: Names,
    declared: FxHashSet<Term>,
    /// Terms whose names are described by assertions, and everything defined after the first of
    /// them.
    constrained: Vec<Term>,
    serial: u32,
}

impl Definitions {
    /// Was the variable declared?
    pub fn is_declared(&self, variable: Term) -> bool {
        self.declared.contains(&variable)
    }

    /// Forgets names that an assertion describes (and names that may use them): the frame of the
    /// assertion was closed. They are defined again under other names when they are needed.
    pub fn forget_constrained(&mut self) {
        if self.constrained.is_empty() {
            return;
        }
        self.constrained.clear();
        self.names.clear();
        self.serial += 1;
    }

    fn fresh_name(&self, term: Term) -> String {
        match self.serial {
            0 => format!("?t{}", term.index()),
            serial => format!("?t{}!{serial}", term.index()),
        }
    }

    /// Writes what is still missing for a term and returns the text that stands for it.
    pub fn define(&mut self, pool: &TermPool, term: Term, out: &mut String) -> String {
        let mut stack = vec![term];
        while let Some(&current) = stack.last() {
            if self.names.contains_key(&current) || self.declared.contains(&current) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            for &arg in pool.args(current) {
                if !self.names.contains_key(&arg) && !self.declared.contains(&arg) {
                    stack.push(arg);
                }
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            self.define_one(pool, current, out);
        }
        argument(pool, term, &self.names)
    }

    fn define_one(&mut self, pool: &TermPool, term: Term, out: &mut String) {
        let sort = pool.sort(term);
        match pool.op(term) {
            Op::Var(symbol) => {
                let name = quote_symbol(&pool.symbol_name(symbol));
                let _ = writeln!(out, "(declare-fun {name} () {sort})");
                self.declared.insert(term);
            }
            Op::True | Op::BvConst(_) => {
                self.declared.insert(term);
            }
            _ if term == TermPool::FALSE => {
                self.declared.insert(term);
            }
            Op::Not => {
                let mut text = String::new();
                write_node(&mut text, pool, term, &self.names);
                self.names.insert(term, text);
            }
            // No operator of the standard gives the bits of a float; a constant is described by the
            // way back.
            Op::FpToBits => {
                let float = pool.args(term)[0];
                let float_sort = pool.sort(float);
                let argument = argument(pool, float, &self.names);
                let name = self.fresh_name(term);
                self.constrained.push(term);
                let nan = crate::term::float_layout(float_sort).map_or(0, |layout| layout.nan());
                let nan = BvValue::new(pool.width(term), nan);
                let _ = writeln!(out, "(declare-fun {name} () {sort})");
                let _ = writeln!(
                    out,
                    "(assert (= ({} {name}) {argument}))",
                    to_fp(float_sort)
                );
                let _ = writeln!(out, "(assert (=> (fp.isNaN {argument}) (= {name} {nan})))");
                self.names.insert(term, name);
            }
            _ => {
                let mut text = String::new();
                write_node(&mut text, pool, term, &self.names);
                let name = self.fresh_name(term);
                let _ = writeln!(out, "(define-fun {name} () {sort} {text})");
                self.names.insert(term, name);
            }
        }
    }
}
