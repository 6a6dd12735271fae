//! The exact-number rule.
//!
//! Let *s* be the ECMAScript text of the double nearest to a number token. If *s* denotes exactly
//! the token's decimal value, the canonical text is *s* (RFC 8785, section 3.2.2.3); else it is the
//! token's own significant digits in the same ECMAScript layout. So `1.0`, `1` and `10e-1` are one
//! number, while `9007199254740993` and `9007199254740992` stay two.
//!
//! Both branches come to the same text, so no double is computed: where *s* denotes the token's
//! value, it has the token's significant digits (the shortest form of a double ends in no zero),
//! and the layout depends on nothing else.

use std::borrow::Cow;

/// The canonical text of a JSON number token.
pub fn canonical(token: &str) -> Cow<'_, str> {
    if is_plain_integer(token) {
        Cow::Borrowed(token)
    } else {
        Cow::Owned(Decimal::parse(token).ecmascript())
    }
}

/// An integer of up to 21 digits without exponent or fraction is its own canonical text.
fn is_plain_integer(token: &str) -> bool {
    let digits = token.strip_prefix('-').unwrap_or(token).as_bytes();
    digits.len() <= 21 && digits.iter().all(u8::is_ascii_digit) && token != "-0"
}

/// An exact decimal number, `0.DIGITS × 10^exponent`, without leading or trailing zeros in
/// `DIGITS`; zero has no digits and is never negative.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// The value of a JSON number token.
    ///
    /// Exponents beyond `±10^17` saturate: the parser records them as a defect, so that no digest
    /// rests on one.
    pub fn parse(token: &str) -> Self {
        let (negative, unsigned) = match token.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, token),
        };
        let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
            Some(i) => (&unsigned[..i], parse_exponent(&unsigned[i + 1..])),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = [whole, fraction].concat();
        digits.truncate(digits.trim_end_matches('0').len());
        let leading = digits.len() - digits.trim_start_matches('0').len();
        digits.drain(..leading);
        if digits.is_empty() {
            return Decimal {
                negative: false,
                digits,
                exponent: 0,
            };
        }
        Decimal {
            negative,
            digits,
            exponent: exponent.saturating_add(to_i64(whole.len()) - to_i64(leading)),
        }
    }

    /// The value in the layout of ECMAScript's `Number::toString` (ECMA-262, section 6.1.6.1.20).
    pub fn ecmascript(&self) -> String {
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        let sign = if self.negative { "-" } else { "" };
        let (digits, k, n) = (&self.digits, to_i64(self.digits.len()), self.exponent);
        if k <= n && n <= 21 {
            format!("{sign}{digits}{}", zeros(n - k))
        } else if 0 < n && n <= 21 {
            let (whole, fraction) = digits.split_at(usize::try_from(n).unwrap_or(0));
            format!("{sign}{whole}.{fraction}")
        } else if -6 < n && n <= 0 {
            format!("{sign}0.{}{digits}", zeros(-n))
        } else {
            let e = n - 1;
            let plus = if e < 0 { "-" } else { "+" };
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            format!("{sign}{first}{point}{rest}e{plus}{}", e.unsigned_abs())
        }
    }
}

fn zeros(count: i64) -> String {
    "0".repeat(usize::try_from(count).unwrap_or(0))
}

fn to_i64(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn parse_exponent(text: &str) -> i64 {
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    let value = digits
        .parse::<i64>()
        .unwrap_or(i64::MAX / 4)
        .min(i64::MAX / 4);
    if negative { -value } else { value }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_number_in_many_spellings_has_one_text() {
        for token in ["1", "1.0", "10e-1", "0.1e1", "1E0", "1e+0", "100000e-5"] {
            assert_eq!(canonical(token), "1", "{token}");
        }
        for token in ["0", "-0", "0.0", "-0.0e9", "0e400"] {
            assert_eq!(canonical(token), "0", "{token}");
        }
    }

    #[test]
    fn numbers_that_a_double_cannot_hold_keep_their_digits() {
        for (token, text) in [
            ("9007199254740993", "9007199254740993"),
            ("9007199254740992", "9007199254740992"),
            ("1e400", "1e+400"),
            ("-1.50E400", "-1.5e+400"),
            ("1e-400", "1e-400"),
            (
                "0.1000000000000000055511151231257827",
                "0.1000000000000000055511151231257827",
            ),
            (
                "123456789012345678901234567890",
                "1.2345678901234567890123456789e+29",
            ),
            ("123456789012345678901", "123456789012345678901"),
            ("1234567890123456789012", "1.234567890123456789012e+21"),
        ] {
            assert_eq!(canonical(token), text, "{token}");
        }
    }

    #[test]
    fn what_a_double_holds_is_written_as_jcs_does() {
        for (token, text) in [
            ("0.1", "0.1"),
            ("1e21", "1e+21"),
            ("1000000000000000000000", "1e+21"),
            ("100000000000000000000", "100000000000000000000"),
            ("1e-7", "1e-7"),
            ("0.000001", "0.000001"),
            ("4.50", "4.5"),
            ("-12.340e2", "-1234"),
        ] {
            assert_eq!(canonical(token), text, "{token}");
        }
    }

    #[test]
    fn the_largest_exponents_that_are_no_defect_stay_apart() {
        assert_eq!(canonical("1e99999999999999999"), "1e+99999999999999999");
        assert_eq!(canonical("1e-99999999999999999"), "1e-99999999999999999");
        assert_eq!(canonical("12e99999999999999999"), "1.2e+100000000000000000");
    }

    /// Digits without zeros at the ends, a sign, and the power of ten of the last digit.
    fn decimals() -> impl Strategy<Value = (bool, String, i64)> {
        (any::<bool>(), "[1-9]([0-9]{0,24}[1-9])?", -340_i64..340)
    }

    /// A token of the value `DIGITS × 10^power`: `point` digits stand after the decimal point,
    /// more zeros follow, and the exponent makes up for both.
    fn spell(negative: bool, digits: &str, power: i64, point: usize, more: usize) -> String {
        let padded = format!("{}{digits}{}", "0".repeat(point), "0".repeat(more));
        let (whole, fraction) = padded.split_at(padded.len() - point);
        let whole = match whole.trim_start_matches('0') {
            "" => "0",
            rest => rest,
        };
        let dot = if fraction.is_empty() { "" } else { "." };
        let exponent = power + to_i64(point) - to_i64(more);
        let sign = if negative { "-" } else { "" };
        format!("{sign}{whole}{dot}{fraction}e{exponent}")
    }

    proptest! {
        #[test]
        fn a_number_that_is_spelled_in_another_way_keeps_its_text(
            (negative, digits, power) in decimals(),
            (p1, m1, p2, m2) in (0_usize..30, 0_usize..9, 0_usize..30, 0_usize..9),
        ) {
            let one = spell(negative, &digits, power, p1, m1);
            let two = spell(negative, &digits, power, p2, m2);
            prop_assert_eq!(canonical(&one), canonical(&two), "{} {}", one, two);
        }

        #[test]
        fn two_different_numbers_never_have_one_text(
            (negative, digits, power) in decimals(),
            (other_negative, other_digits, other_power) in decimals(),
            near in any::<bool>(),
        ) {
            // Half of the pairs differ in the power of ten alone.
            let (other_negative, other_digits, other_power) = if near {
                (negative, digits.clone(), power + 1)
            } else {
                (other_negative, other_digits, other_power)
            };
            prop_assume!((negative, &digits, power) != (other_negative, &other_digits, other_power));
            let one = spell(negative, &digits, power, 0, 0);
            let two = spell(other_negative, &other_digits, other_power, 0, 0);
            prop_assert_ne!(canonical(&one), canonical(&two), "{} {}", one, two);
        }

        #[test]
        fn the_text_of_a_number_is_a_number_of_the_same_value((negative, digits, power) in decimals()) {
            let token = spell(negative, &digits, power, 3, 1);
            let text = canonical(&token).into_owned();
            prop_assert_eq!(Decimal::parse(&text), Decimal::parse(&token));
            prop_assert_eq!(canonical(&text), text.as_str());
            prop_assert!(crate::json::parse(text.as_bytes(), &crate::json::Limits::default()).is_ok());
        }

        /// The claim at the head of this file, against an independent writer of doubles.
        #[test]
        fn a_double_has_the_text_that_ecmascript_gives_it(bits in any::<u64>(), zeros in 0_usize..4) {
            let double = f64::from_bits(bits);
            prop_assume!(double.is_finite());
            let mut buffer = ryu_js::Buffer::new();
            let text = buffer.format_finite(double);
            prop_assert_eq!(canonical(text), text);
            let exact = Decimal::parse(text);
            let power = exact.exponent - to_i64(exact.digits.len());
            let other = spell(exact.negative, &exact.digits, power, zeros, 3 - zeros.min(3));
            prop_assert_eq!(canonical(&other), text, "{}", other);
        }
    }
}
