//! Definitions of variables that no linear constraint says, as truth-valued program expressions.
//!
//! The domains' expressions compute with mathematical integers, program expressions modulo a power
//! of two. Sums, products and bit operations of numbers that are right modulo a power of two are so
//! again; only where an operator needs its operands themselves (quotients, shifts to the right,
//! comparisons, the result) their values have to lie in the type. So an expression is written in
//! the narrowest type in which they do, first of all in that of the variable: it then looks like
//! the assignment that it comes from.

use super::NumericState;
use super::express::Writer;
use super::translate::range;
use cfa::expr::{BinOp, ExprId, UnOp, VarId};
use cfa::program::Program;
use cfa::value::Ty;
use domains::expression::{BinaryOperator, Expression, Node, UnaryOperator};
use domains::interval::Interval;
use domains::linear::{Bounds, VarId as Dimension};
use domains::numeric::NumericDomain;

/// Products and quotients of wider numbers than this cost whoever reads them more than they help.
const WIDEST_PRODUCT: u16 = 64;

/// What a state and the types say of variables.
struct Typed<'a, D> {
    program: &'a Program,
    state: &'a D,
}

impl<D: NumericDomain> Bounds for Typed<'_, D> {
    fn interval(&self, variable: Dimension) -> Interval {
        let known = self.state.interval(variable);
        match self.program.vars.get(variable.0 as usize) {
            Some(var) => known.intersect(range(var.ty)),
            None => known,
        }
    }
}

impl Writer<'_> {
    /// `variable` is the value of the expression; `None` if that cannot be said.
    ///
    /// In states in which what the domain knows of single variables does not hold, it may be
    /// anything.
    pub(super) fn definition<D: NumericDomain>(
        &mut self,
        state: &NumericState<D>,
        variable: Dimension,
        expression: &Expression,
    ) -> Option<ExprId> {
        let bounds = Typed {
            program: self.program,
            state: &state.integers,
        };
        let intervals = expression.intervals(&bounds);
        let own = self.program.vars.get(variable.0 as usize)?.ty;
        let exactly = needed_exactly(expression);
        let candidates = [own, Ty::I32, Ty::I64, Ty::signed(128)];
        let ty = candidates.into_iter().find(|&ty| {
            ty.is_int()
                && range(own).is_subset_of(range(ty))
                && is_exact_in(expression, &intervals, &exactly, ty)
        })?;
        let value = self.value_in(expression, &intervals, ty)?;
        let defined = self.pool.variable(VarId(variable.0), own);
        let defined = self.pool.convert(defined, ty);
        Some(self.pool.eq(defined, value))
    }

    fn value_in(
        &mut self,
        expression: &Expression,
        intervals: &[Interval],
        ty: Ty,
    ) -> Option<ExprId> {
        let mut written: Vec<ExprId> = Vec::with_capacity(expression.nodes().len());
        for node in expression.nodes() {
            let at = |index: u32| written[index as usize];
            let value = match *node {
                // Which of several values it is cannot be said.
                Node::Constant(values) => self.pool.integer(values.as_constant()?, ty),
                Node::Variable(variable) => {
                    let from = self.program.vars.get(variable.0 as usize)?.ty;
                    if from.is_float() {
                        return None;
                    }
                    let variable = self.pool.variable(VarId(variable.0), from);
                    self.pool.convert(variable, ty)
                }
                Node::Unary(UnaryOperator::Negate, a) => self.pool.neg(at(a)),
                Node::Unary(UnaryOperator::BitNot, a) => self.pool.unary(UnOp::BitNot, at(a)),
                Node::Wrap(to, a) => {
                    let to = Ty::Int {
                        width: to.width() as u16,
                        signed: to.is_signed(),
                    };
                    let wrapped = self.pool.convert(at(a), to);
                    self.pool.convert(wrapped, ty)
                }
                Node::Binary(operator, a, b) => {
                    let known = intervals[b as usize].as_constant();
                    let op = written_as(operator, known, ty)?;
                    let right = match known {
                        Some(value) => self.pool.integer(value, ty),
                        None => at(b),
                    };
                    let result = self.pool.binary(op, at(a), right);
                    // Truth values are numbers here.
                    self.pool.convert(result, ty)
                }
            };
            written.push(value);
        }
        written.pop()
    }
}

/// The program's operator; `None` where the statement would cost too much, or would have no value
/// in some state because the right operand is not known to be another number than zero and -1.
fn written_as(operator: BinaryOperator, right: Option<i128>, ty: Ty) -> Option<BinOp> {
    use BinaryOperator::*;
    Some(match operator {
        Add => BinOp::Add,
        Subtract => BinOp::Sub,
        Multiply if right.is_some() || ty.width() <= WIDEST_PRODUCT => BinOp::Mul,
        Divide | Remainder if right.is_none_or(|divisor| matches!(divisor, 0 | -1)) => return None,
        Divide if ty.width() <= WIDEST_PRODUCT => BinOp::Div,
        Remainder if ty.width() <= WIDEST_PRODUCT => BinOp::Rem,
        Multiply | Divide | Remainder => return None,
        ShiftLeft => BinOp::Shl,
        ShiftRight => BinOp::Shr,
        BitAnd => BinOp::And,
        BitOr => BinOp::Or,
        BitXor => BinOp::Xor,
        Less => BinOp::Lt,
        AtMost => BinOp::Le,
        Equal => BinOp::Eq,
        NotEqual => BinOp::Ne,
    })
}

/// The nodes whose values must be right, not only modulo a power of two.
fn needed_exactly(expression: &Expression) -> Vec<bool> {
    use BinaryOperator::*;
    let nodes = expression.nodes();
    let mut exactly = vec![false; nodes.len()];
    if let Some(root) = exactly.last_mut() {
        *root = true;
    }
    for node in nodes {
        if let Node::Binary(operator, a, b) = *node {
            match operator {
                Add | Subtract | Multiply | BitAnd | BitOr | BitXor => {}
                ShiftLeft => exactly[b as usize] = true,
                Divide | Remainder | ShiftRight | Less | AtMost | Equal | NotEqual => {
                    exactly[a as usize] = true;
                    exactly[b as usize] = true;
                }
            }
        }
    }
    exactly
}

/// The numbers of a type; of those that intervals cannot hold all of, some.
fn numbers(ty: Ty) -> Interval {
    range(ty).intersect(Interval::finite(-(1 << 126), 1 << 126))
}

fn is_exact_in(expression: &Expression, intervals: &[Interval], exactly: &[bool], ty: Ty) -> bool {
    let nodes = expression.nodes().iter().enumerate();
    let mut fits = nodes.map(|(position, node)| {
        let in_type = !exactly[position] || intervals[position].is_subset_of(numbers(ty));
        let as_program = match *node {
            Node::Wrap(to, _) => to.width() <= u32::from(ty.width()),
            // Longer shifts are taken modulo the width.
            Node::Binary(BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight, _, b) => {
                let amounts = Interval::finite(0, i128::from(ty.width()) - 1);
                intervals[b as usize].is_subset_of(amounts)
            }
            _ => true,
        };
        in_type && as_program
    });
    fits.all(|fits| fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::algebra::evaluate;
    use cfa::concrete::{Concrete, State, Undefined};
    use cfa::memory::ObjectId;
    use domains::expression_map::ExpressionMap;
    use domains::machine::MachineInt;
    use testing;

    struct Values(Vec<u128>);

    impl State for Values {
        type Error = Undefined;

        fn variable(&mut self, var: VarId, _: Ty) -> Result<u128, Undefined> {
            Ok(self.0[var.0 as usize])
        }

        fn address(&mut self, _: ObjectId) -> Result<u128, Undefined> {
            Err(Undefined::IllTyped)
        }

        fn load(&mut self, _: u128, _: Ty) -> Result<u128, Undefined> {
            Err(Undefined::IllTyped)
        }
    }

    fn numbered(program: &Program, name: &str) -> VarId {
        let named = program.vars.iter().position(|var| var.name == name);
        VarId(named.expect("the program has it") as u32)
    }

    /// Every operator on values at the ends of types: the statement holds for the value that the
    /// expression has, and for no other.
    #[test]
    fn a_definition_holds_for_the_value_of_its_expression_only() {
        use BinaryOperator::*;
        let program = testing::program(
            "int main(void) { unsigned char b = 0; int x = 0; unsigned u = 0; long long r = 0; while (1) { b++; x++; u++; r++; } }",
        );
        let [b, x, u, r] = ["b", "x", "u", "r"].map(|name| numbered(&program, name));
        let at = |var: VarId| Expression::variable(Dimension(var.0));
        let byte = MachineInt::new(8, true).expect("8 bits");
        let word = MachineInt::new(32, false).expect("32 bits");
        let mut expressions = Vec::new();
        for operator in [
            Add, Subtract, Multiply, BitAnd, BitOr, BitXor, Less, AtMost, Equal, NotEqual,
        ] {
            expressions.push(Expression::binary(operator, at(x), at(u)));
        }
        for (operator, right) in [
            (Divide, 7),
            (Remainder, -3),
            (ShiftLeft, 5),
            (ShiftRight, 3),
        ] {
            expressions.push(Expression::binary(
                operator,
                at(x),
                Expression::constant(right),
            ));
        }
        let square = Expression::binary(Multiply, at(u), at(u));
        expressions.push(Expression::wrap(word, square.clone()));
        expressions.push(Expression::binary(
            ShiftRight,
            Expression::wrap(word, square),
            Expression::constant(2),
        ));
        let sum = Expression::binary(Add, at(b), at(x));
        expressions.push(Expression::wrap(
            byte,
            Expression::unary(UnaryOperator::BitNot, sum),
        ));
        let top = NumericState::new(ExpressionMap::new(4));
        let mut checked = 0;
        for expression in expressions {
            let mut writer = Writer::new(&program);
            let said = writer.definition(&top, Dimension(r.0), &expression);
            let said = said.unwrap_or_else(|| panic!("{expression:?} cannot be said"));
            for (bv, xv, uv) in [
                (0, 0, 0),
                (255, -1, 1),
                (7, i32::MIN, u32::MAX),
                (128, i32::MAX, 1 << 31),
                (3, -100, 77),
            ] {
                let number = |var: Dimension| match var.0 {
                    n if n == b.0 => i128::from(bv),
                    n if n == x.0 => i128::from(xv),
                    _ => i128::from(uv),
                };
                let value = expression
                    .value(number)
                    .expect("nothing is divided by zero");
                let Ok(value) = i64::try_from(value) else {
                    continue;
                };
                for (result, expected) in [(value, 1), (value ^ 1, 0)] {
                    let mut values = Values(vec![0; program.vars.len()]);
                    values.0[b.0 as usize] = bv as u128;
                    values.0[x.0 as usize] = u128::from(xv as u32);
                    values.0[u.0 as usize] = u128::from(uv);
                    values.0[r.0 as usize] = u128::from(result as u64);
                    let holds = evaluate(&writer.pool, said, &mut Concrete(&mut values));
                    assert_eq!(
                        holds,
                        Ok(expected),
                        "{expression:?} at {bv} {xv} {uv}: {result}"
                    );
                    checked += 1;
                }
            }
        }
        assert!(checked > 120, "{checked}");
    }

    #[test]
    fn what_may_have_no_value_is_not_said() {
        let program =
            testing::program("int main(void) { int x = 0, y = 0; while (1) { x++; y++; } }");
        let [x, y] = ["x", "y"].map(|name| Dimension(numbered(&program, name).0));
        let mut writer = Writer::new(&program);
        let mut state = NumericState::new(ExpressionMap::new(4));
        let quotient = Expression::binary(
            BinaryOperator::Divide,
            Expression::constant(100),
            Expression::variable(x),
        );
        assert_eq!(writer.definition(&state, y, &quotient), None);
        state.integers.assume_interval(x, Interval::constant(7));
        assert!(writer.definition(&state, y, &quotient).is_some());
        let any = Expression::binary(
            BinaryOperator::Multiply,
            Expression::variable(x),
            Expression::any_of(Interval::finite(1, 2)),
        );
        assert_eq!(writer.definition(&state, y, &any), None);
    }
}
