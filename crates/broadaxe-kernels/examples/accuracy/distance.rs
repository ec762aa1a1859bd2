//! Distances in units in the last place, from each kind of reference.

use astro_float::BigFloat;

use crate::{
    double::Exact,
    wide::{add, big, sub},
};

/// Multiplies by 2^n, exactly where the result is normal.
fn shift(x: f64, n: i32) -> f64 {
    let power = |n: i32| 2f64.powi(n);
    let near = n.clamp(-1000, 1000);
    let rest = (n - near).clamp(-1000, 1000);
    x * power(near) * power(rest) * power((n - near - rest).clamp(-1000, 1000))
}

/// Returns the largest power of two that is at most |x|, for a normal x.
fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// Measures how far `ours` is from the exact result, in units of f64.
///
/// Both are brought near 1 first. An infinity counts as 2^1024.
pub(crate) fn from_double(ours: f64, exact: Exact) -> f64 {
    let Exact { value, power } = exact;
    if value.high == 0.0 {
        return ours.abs() / 5e-324;
    }
    if !value.high.is_finite() {
        let same = ours == value.high || value.high.is_nan() && ours.to_bits() == f64::NAN.to_bits();
        return if same { 0.0 } else { f64::INFINITY };
    }
    let own = exponent(value.high);
    let below = value.high.abs() == 2f64.powi(own) && (value.low < 0.0) == (value.high > 0.0) && value.low != 0.0;
    let size = own + power - i32::from(below);
    if size >= 1024 {
        return if ours.is_infinite() && (ours > 0.0) == (value.high > 0.0) { 0.0 } else { f64::INFINITY };
    }
    if ours.is_nan() {
        return f64::INFINITY;
    }
    let (high, low) = (shift(value.high, -own), shift(value.low, -own));
    let near =
        if ours.is_infinite() { shift(1f64.copysign(ours), 1024 - own - power) } else { shift(ours, -own - power) };
    let unit = size.max(-1022) - 52 - own - power;
    shift(((near - high) - low).abs(), -unit)
}

/// Measures how far `ours` is from the exact result, in units of f64.
pub(crate) fn from_wide(ours: f64, exact: &BigFloat) -> f64 {
    if exact.is_nan() {
        return if ours.to_bits() == f64::NAN.to_bits() { 0.0 } else { f64::INFINITY };
    }
    let exponent = exact.exponent().map_or(-2000, |exponent| exponent - 1);
    if exact.is_inf() || exponent >= 1024 {
        let limit = if exact.is_negative() { f64::NEG_INFINITY } else { f64::INFINITY };
        return if ours == limit { 0.0 } else { f64::INFINITY };
    }
    if ours.is_nan() {
        return f64::INFINITY;
    }
    let mut wide = if ours.is_infinite() { big(f64::MAX.copysign(ours)) } else { big(ours) };
    if ours.is_infinite() {
        wide = add(&wide, &big(2f64.powi(971).copysign(ours)));
    }
    let difference = sub(&wide, exact);
    let Some(top) = difference.mantissa_digits().and_then(|digits| digits.last().copied()) else { return 0.0 };
    if difference.is_zero() {
        return 0.0;
    }
    let places = difference.exponent().unwrap_or(0) - 64 - (exponent.max(-1022) - 52);
    (top as f64) * 2f64.powi(places.max(-1000))
}

/// Measures how far `ours` is from the exact result, known as a f64, in units of f32.
pub(crate) fn narrow(ours: f32, exact: f64) -> f64 {
    const TWO_128: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;
    if exact.is_nan() {
        return if ours.to_bits() == f32::NAN.to_bits() { 0.0 } else { f64::INFINITY };
    }
    if ours.is_nan() {
        return f64::INFINITY;
    }
    let ours = if ours.is_infinite() { TWO_128.copysign(ours.into()) } else { ours.into() };
    let exact = exact.clamp(-TWO_128, TWO_128);
    let unit = exponent(exact).clamp(-126, 127) - 23;
    (ours - exact).abs() * 2f64.powi(-unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::double::Double;

    #[test]
    fn counts_units() {
        // ours, high, low, power, units
        let cases = [
            (1.0, 1.0, 0.0, 0, 0.0),
            (1.0, 1.0, 2f64.powi(-53), 0, 0.5),
            (1.0, 1.0, -2f64.powi(-54), 0, 0.5),
            (5e-324, 1.5, 0.0, -1074, 0.5),
            (0.0, 1.0, 0.0, -1075, 0.5),
            (f64::MAX, 1.0, 2f64.powi(-60), 1024, f64::INFINITY),
            (f64::INFINITY, f64::MAX, 0.0, 0, 1.0),
            (-3.0, 3.0, 0.0, 0, 6.0 * 2f64.powi(51)),
        ];
        for (ours, high, low, power, units) in cases {
            let far = from_double(ours, Exact { value: Double { high, low }, power });
            assert_eq!(far, units, "{ours:e} from {high:e} + {low:e}, 2^{power}");
            if power == 0 {
                assert_eq!(from_wide(ours, &add(&big(high), &big(low))), units, "{ours:e} from {high:e} + {low:e}");
            }
        }
        assert_eq!([narrow(1.0, 1.0 + 2f64.powi(-24)), narrow(0.0, 2f64.powi(-150))], [0.5, 0.5]);
    }
}
