//! Numeric domains by name.

use super::limited::LimitedOctagon;
use domains::affine::AffineEqualities;
use domains::congruence::Congruence;
use domains::constant::Constant;
use domains::environment::Environment;
use domains::expression_map::ExpressionMap;
use domains::interval::Interval;
use domains::interval_set::IntervalSet;
use domains::numeric::NumericDomain;
use domains::offsets::Offsets;
use domains::polyhedra::Polyhedra;
use domains::product::Product;
use domains::scalar::Scalar;
use serde::{Deserialize, Serialize};

/// The domain of an analysis (in place of the list of Stieglmaier2014, section 4.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Domain {
    /// One known value.
    Constant,
    /// Intervals.
    Interval,
    /// Bounded disjunctions of intervals.
    IntervalSet,
    /// Congruences.
    Congruence,
    /// Intervals, congruences and known bits, each sharpening the others.
    Scalar,
    /// Octagons.
    #[default]
    Octagon,
    /// Convex polyhedra over few related variables.
    Polyhedra,
    /// Affine equalities modulo 2^64, exact under wrap-around.
    AffineEqualities,
    /// Disjunctions of intervals and expressions over other variables, two operators deep.
    ExpressionMap,
    /// Octagons with congruences.
    OctagonCongruence,
    /// Octagons with `scalar`.
    OctagonScalar,
    /// `scalar` with affine equalities.
    ScalarAffine,
    /// Intervals with differences of variables modulo powers of two.
    IntervalOffsets,
    /// Octagons, `scalar` and affine equalities.
    All,
}

/// How far apart two variables may be for their difference to be kept: states that differ only in
/// it are kept apart, and a program that compares the difference with something compares it with a
/// small number.
const FARTHEST: u64 = 255;

/// Something to be done with whichever domain was chosen.
pub trait WithDomain {
    type Output;
    fn run<D: NumericDomain + 'static>(self, top: D) -> Self::Output;
}

impl Domain {
    pub fn with<W: WithDomain>(self, task: W) -> W::Output {
        let affine =
            || AffineEqualities::top(64).expect("64 is one of the widths of the affine equalities");
        let scalar = Environment::<Scalar>::new;
        match self {
            Domain::Constant => task.run(Environment::<Constant>::new()),
            Domain::Interval => task.run(Environment::<Interval>::new()),
            Domain::IntervalSet => task.run(Environment::<IntervalSet>::new()),
            Domain::Congruence => task.run(Environment::<Congruence>::new()),
            Domain::Scalar => task.run(scalar()),
            Domain::Octagon => task.run(LimitedOctagon::top()),
            Domain::Polyhedra => task.run(Polyhedra::top()),
            Domain::AffineEqualities => task.run(affine()),
            Domain::ExpressionMap => task.run(ExpressionMap::new(2)),
            Domain::OctagonCongruence => task.run(Product::new(
                LimitedOctagon::top(),
                Environment::<Congruence>::new(),
            )),
            Domain::OctagonScalar => task.run(Product::new(LimitedOctagon::top(), scalar())),
            Domain::ScalarAffine => task.run(Product::new(scalar(), affine())),
            Domain::IntervalOffsets => task.run(Product::new(
                Environment::<Interval>::new(),
                Offsets::top(FARTHEST),
            )),
            Domain::All => task.run(Product::new(
                Product::new(LimitedOctagon::top(), scalar()),
                affine(),
            )),
        }
    }
}
