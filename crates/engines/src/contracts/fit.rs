//! Equations between numbers that were seen: linear algebra over the rationals.

/// A rational number; the denominator is positive, and both have no common divisor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Rational {
    over: i128,
    under: i128,
}

fn divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

impl Rational {
    const ZERO: Rational = Rational { over: 0, under: 1 };

    fn of(over: i128) -> Rational {
        Rational { over, under: 1 }
    }

    fn new(over: i128, under: i128) -> Option<Rational> {
        let common = divisor(over, under);
        let sign = if under < 0 { -1 } else { 1 };
        (under != 0).then(|| Rational {
            over: sign * (over / common),
            under: sign * (under / common),
        })
    }

    fn minus_product(self, a: Rational, b: Rational) -> Option<Rational> {
        let product = Rational::new(a.over.checked_mul(b.over)?, a.under.checked_mul(b.under)?)?;
        let left = self.over.checked_mul(product.under)?;
        let right = product.over.checked_mul(self.under)?;
        Rational::new(
            left.checked_sub(right)?,
            self.under.checked_mul(product.under)?,
        )
    }

    fn divided_by(self, by: Rational) -> Option<Rational> {
        Rational::new(
            self.over.checked_mul(by.under)?,
            self.under.checked_mul(by.over)?,
        )
    }
}

/// A common multiple of denominators beyond which an equation is no guess worth making.
const MAX_DENOMINATOR: i128 = 1000;

/// Whole numbers `c` and `d > 0` for which `c · row = d · value` in all rows, if there are more rows
/// than needed to find them. What depends on numbers before it in the rows is left out.
pub fn combination(rows: &[(Vec<i128>, i128)]) -> Option<(Vec<i128>, i128)> {
    let width = rows.first()?.0.len();
    let mut solved: Vec<(usize, Vec<Rational>)> = Vec::new();
    let mut confirmed = false;
    for (row, value) in rows {
        let mut row: Vec<Rational> = row
            .iter()
            .chain([value])
            .map(|&number| Rational::of(number))
            .collect();
        for (pivot, known) in &solved {
            let factor = row[*pivot];
            if factor != Rational::ZERO {
                row = eliminated(&row, factor, known)?;
            }
        }
        let Some(pivot) = row[..width].iter().position(|&one| one != Rational::ZERO) else {
            if row[width] != Rational::ZERO {
                return None;
            }
            confirmed = true;
            continue;
        };
        let leading = row[pivot];
        let row = row.into_iter().map(|one| one.divided_by(leading));
        let row = row.collect::<Option<Vec<Rational>>>()?;
        for (_, known) in &mut solved {
            let factor = known[pivot];
            if factor != Rational::ZERO {
                *known = eliminated(known, factor, &row)?;
            }
        }
        solved.push((pivot, row));
    }
    if !confirmed {
        return None;
    }
    let mut under = 1i128;
    for (_, row) in &solved {
        let last = row[width].under;
        under = under.checked_mul(last / divisor(under, last))?;
        if under > MAX_DENOMINATOR {
            return None;
        }
    }
    let mut factors = vec![0; width];
    for (pivot, row) in &solved {
        factors[*pivot] = row[width].over.checked_mul(under / row[width].under)?;
    }
    Some((factors, under))
}

fn eliminated(row: &[Rational], factor: Rational, by: &[Rational]) -> Option<Vec<Rational>> {
    let both = row.iter().zip(by);
    both.map(|(one, other)| one.minus_product(factor, *other))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::combination;

    #[test]
    fn sums_have_their_formula() {
        let rows = (0..8i128).map(|n| (vec![1, n, n * n], n * (n + 1) / 2));
        let rows: Vec<_> = rows.collect();
        assert_eq!(combination(&rows), Some((vec![0, 1, 1], 2)));
    }

    #[test]
    fn too_little_or_too_much_is_no_equation() {
        let rows = |count: i128| -> Vec<_> { (0..count).map(|n| (vec![1, n], n * n)).collect() };
        assert_eq!(combination(&rows(2)), None);
        assert_eq!(combination(&rows(5)), None);
        let rows: Vec<_> = (0..5i128).map(|n| (vec![1, 0, n, 2 * n], 3 * n)).collect();
        assert_eq!(combination(&rows), Some((vec![0, 0, 3, 0], 1)));
        assert_eq!(combination(&[]), None);
    }
}
