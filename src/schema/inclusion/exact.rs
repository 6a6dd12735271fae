//! Exact decimal arithmetic for bounds and `multipleOf`.
//!
//! Never floats: 3 is a multiple of 0.3, and 1.1 divides 3.3. A number that does not fit 36
//! significant digits has no `Exact`, and whoever asked must say "not decided".

use std::cmp::Ordering;

use crate::canonical::number::Decimal;

/// `mantissa × 10^exponent`; the mantissa does not end in 0, zero is `0 × 10^0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Exact {
    mantissa: i128,
    exponent: i32,
}

/// Mantissas stay below this, so that two of one magnitude can always be aligned.
const LIMIT: u128 = 10u128.pow(37);
/// Exponents beyond this are refused: nothing that compares them exactly stays small.
const EXPONENT_LIMIT: i32 = 2_000;

impl Exact {
    pub(crate) const ZERO: Exact = Exact {
        mantissa: 0,
        exponent: 0,
    };
    pub(crate) const ONE: Exact = Exact {
        mantissa: 1,
        exponent: 0,
    };

    fn new(mut mantissa: i128, mut exponent: i32) -> Option<Self> {
        if mantissa == 0 {
            return Some(Exact::ZERO);
        }
        while mantissa % 10 == 0 {
            mantissa /= 10;
            exponent += 1;
        }
        (mantissa.unsigned_abs() < LIMIT && exponent.abs() < EXPONENT_LIMIT)
            .then_some(Exact { mantissa, exponent })
    }

    /// The value of a JSON number token; none when it has too many digits.
    pub(crate) fn parse(token: &str) -> Option<Self> {
        let (mantissa, exponent) = match token.find(['e', 'E']) {
            Some(i) => (&token[..i], token[i + 1..].parse::<i32>().ok()?),
            None => (token, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits: i128 = [whole, fraction].concat().parse().ok()?;
        Exact::new(
            digits,
            exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?,
        )
    }

    /// From a whole number.
    pub(crate) fn integer(value: i128) -> Option<Self> {
        Exact::new(value, 0)
    }

    /// A canonical JSON number token with this value.
    pub(crate) fn token(self) -> String {
        Decimal::parse(&format!("{}e{}", self.mantissa, self.exponent)).ecmascript()
    }

    pub(crate) fn is_integer(self) -> bool {
        self.exponent >= 0
    }

    pub(crate) fn is_positive(self) -> bool {
        self.mantissa > 0
    }

    /// Whole and fractional digits of both over one exponent.
    fn aligned(self, other: Exact) -> Option<(i128, i128, i32)> {
        let exponent = self.exponent.min(other.exponent);
        let scale = |n: Exact| {
            let shift = u32::try_from(n.exponent - exponent).ok()?;
            10i128.checked_pow(shift)?.checked_mul(n.mantissa)
        };
        Some((scale(self)?, scale(other)?, exponent))
    }

    pub(crate) fn add(self, other: Exact) -> Option<Self> {
        let (a, b, exponent) = self.aligned(other)?;
        Exact::new(a.checked_add(b)?, exponent)
    }

    pub(crate) fn negate(self) -> Self {
        Exact {
            mantissa: -self.mantissa,
            exponent: self.exponent,
        }
    }

    pub(crate) fn times(self, factor: i128) -> Option<Self> {
        Exact::new(self.mantissa.checked_mul(factor)?, self.exponent)
    }

    /// A tenth of it, ten times repeated: `10^-power` times the value.
    pub(crate) fn shifted(self, power: i32) -> Option<Self> {
        Exact::new(self.mantissa, self.exponent.checked_sub(power)?)
    }

    pub(crate) fn half(self) -> Option<Self> {
        Exact::new(self.mantissa.checked_mul(5)?, self.exponent - 1)
    }

    /// The largest whole `k` with `k × divisor ≤ self`, for a positive divisor.
    pub(crate) fn floor_div(self, divisor: Exact) -> Option<i128> {
        let (a, b, _) = self.aligned(divisor)?;
        (b > 0).then(|| a.div_euclid(b))
    }

    /// Whether it is a whole multiple of a positive divisor.
    pub(crate) fn is_multiple_of(self, divisor: Exact) -> Option<bool> {
        if self.mantissa == 0 {
            return Some(true);
        }
        if let Some((a, b, _)) = self.aligned(divisor) {
            return (b > 0).then(|| a % b == 0);
        }
        if self.exponent < divisor.exponent {
            // It has more decimals than any multiple.
            return Some(false);
        }
        let modulus = u128::try_from(divisor.mantissa).ok().filter(|m| *m > 0)?;
        let mut power = u32::try_from(self.exponent - divisor.exponent).ok()?;
        let (mut rest, mut square) = (self.mantissa.unsigned_abs() % modulus, 10 % modulus);
        while power > 0 {
            if power & 1 == 1 {
                rest = multiply(rest, square, modulus);
            }
            square = multiply(square, square, modulus);
            power >>= 1;
        }
        Some(rest == 0)
    }

    /// The least common multiple of two positive numbers.
    pub(crate) fn lcm(self, other: Exact) -> Option<Self> {
        let (a, b, exponent) = self.aligned(other)?;
        let (mut x, mut y) = (a, b);
        while y != 0 {
            (x, y) = (y, x % y);
        }
        Exact::new((a / x).checked_mul(b)?, exponent)
    }

    fn magnitude(self) -> i64 {
        let digits = self.mantissa.unsigned_abs().checked_ilog10().unwrap_or(0);
        i64::from(digits) + i64::from(self.exponent)
    }
}

/// `a × b` modulo `modulus`, which is below `LIMIT`, as are both factors.
fn multiply(a: u128, mut b: u128, modulus: u128) -> u128 {
    let (mut product, mut double) = (0, a);
    while b > 0 {
        if b & 1 == 1 {
            product = (product + double) % modulus;
        }
        double = (double + double) % modulus;
        b >>= 1;
    }
    product
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_sign = self.mantissa.signum().cmp(&other.mantissa.signum());
        if by_sign != Ordering::Equal || self.mantissa == 0 {
            return by_sign;
        }
        let size = self.magnitude().cmp(&other.magnitude());
        let size = if self.mantissa < 0 {
            size.reverse()
        } else {
            size
        };
        size.then_with(|| {
            self.aligned(*other)
                .map_or(Ordering::Equal, |(a, b, _)| a.cmp(&b))
        })
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exact(token: &str) -> Exact {
        Exact::parse(token).unwrap()
    }

    #[test]
    fn decimal_multiples_are_exact() {
        assert_eq!(exact("3").is_multiple_of(exact("0.3")), Some(true));
        assert_eq!(exact("3.3").is_multiple_of(exact("1.1")), Some(true));
        assert_eq!(exact("0.35").is_multiple_of(exact("0.1")), Some(false));
        assert_eq!(exact("1e308").is_multiple_of(exact("0.5")), Some(true));
        assert_eq!(
            exact("1e308").is_multiple_of(exact("0.123456789")),
            Some(false)
        );
        assert_eq!(exact("1e-308").is_multiple_of(exact("2")), Some(false));
        assert_eq!(exact("0.4").lcm(exact("0.6")), Some(exact("1.2")));
        assert_eq!(exact("-7").floor_div(exact("2")), Some(-4));
    }

    #[test]
    fn far_apart_magnitudes_compare_without_overflow() {
        assert!(exact("1e308") > exact("123456789012345678901234567890"));
        assert!(exact("-1e308") < exact("1e-300"));
        assert!(exact("1e-300") > Exact::ZERO);
        assert_eq!(exact("1.50"), exact("15e-1"));
    }

    proptest! {
        #[test]
        fn order_and_multiples_agree_with_integers(a in -10_000i32..10_000, b in 1i32..500, p in 0i32..4) {
            let x = Exact::new(i128::from(a), -p).unwrap();
            let y = Exact::new(i128::from(b), -p).unwrap();
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(x.is_multiple_of(y), Some(a % b == 0));
            prop_assert_eq!(x.floor_div(y), Some(i128::from(a.div_euclid(b))));
            prop_assert_eq!(exact(&x.token()), x);
        }
    }
}
