//! The exact-number rule.
//!
//! Let *s* be the ECMAScript text of the double nearest to a number token. If *s* denotes exactly
//! the token's decimal value, the canonical text is *s* (RFC 8785, section 3.2.2.3); else it is the
//! token's own significant digits in the same ECMAScript layout. So `1.0`, `1` and `10e-1` are one
//! number, while `9007199254740993` and `9007199254740992` stay two.

use std::borrow::Cow;

/// The canonical text of a JSON number token.
pub fn canonical(token: &str) -> Cow<'_, str> {
    if is_small_integer(token) {
        return Cow::Borrowed(token);
    }
    let exact = Decimal::parse(token);
    if let Ok(double) = token.parse::<f64>()
        && double.is_finite()
    {
        let mut buffer = ryu_js::Buffer::new();
        let text = buffer.format_finite(double);
        if Decimal::parse(text) == exact {
            return Cow::Owned(text.to_owned());
        }
    }
    Cow::Owned(exact.ecmascript())
}

/// A short integer without exponent, fraction or odd zero is its own canonical text.
fn is_small_integer(token: &str) -> bool {
    let digits = token.strip_prefix('-').unwrap_or(token).as_bytes();
    digits.len() <= 15 && digits.iter().all(u8::is_ascii_digit) && token != "-0"
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
        let all: String = [whole, fraction].concat();
        let significant = all.trim_start_matches('0');
        if significant.is_empty() {
            return Decimal {
                negative: false,
                digits: String::new(),
                exponent: 0,
            };
        }
        let leading = all.len() - significant.len();
        let shift = to_i64(whole.len()) - to_i64(leading);
        Decimal {
            negative,
            digits: significant.trim_end_matches('0').to_owned(),
            exponent: exponent.saturating_add(shift),
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
        assert_eq!(canonical("9007199254740993"), "9007199254740993");
        assert_eq!(canonical("9007199254740992"), "9007199254740992");
        assert_eq!(canonical("1e400"), "1e+400");
        assert_eq!(canonical("-1.50E400"), "-1.5e+400");
        assert_eq!(canonical("1e-400"), "1e-400");
        assert_eq!(
            canonical("0.1000000000000000055511151231257827"),
            "0.1000000000000000055511151231257827"
        );
        assert_eq!(
            canonical("123456789012345678901234567890"),
            "1.2345678901234567890123456789e+29"
        );
    }

    #[test]
    fn what_a_double_holds_is_written_as_jcs_does() {
        assert_eq!(canonical("0.1"), "0.1");
        assert_eq!(canonical("1e21"), "1e+21");
        assert_eq!(canonical("100000000000000000000"), "100000000000000000000");
        assert_eq!(canonical("1e-7"), "1e-7");
        assert_eq!(canonical("0.000001"), "0.000001");
        assert_eq!(canonical("4.50"), "4.5");
    }
}
