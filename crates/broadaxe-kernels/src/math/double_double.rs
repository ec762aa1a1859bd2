//! Double-double arithmetic: sums of two f64, for compositions that would amplify the error of one f64.
//!
//! A number has a high part and a low part, which is at most half a unit in the last place of the high one. The error
//! terms are Dekker's and Knuth's and need no fused multiply-add, so they are the same on every machine.

/// Holds the unevaluated sum of a high and a low part.
#[derive(Clone, Copy)]
pub(super) struct Double {
    /// The sum, rounded.
    pub(super) high: f64,
    /// The rounding error.
    pub(super) low: f64,
}

impl Double {
    /// Adds two f64 exactly, of which the first is the larger.
    const fn ordered(large: f64, small: f64) -> Self {
        let high = large + small;
        Self { high, low: small - (high - large) }
    }

    /// Adds two f64 exactly.
    #[cfg_attr(not(test), allow(dead_code, reason = "unused where the machine has fused operations"))]
    #[inline(always)]
    pub(super) const fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let b_part = high - a;
        Self { high, low: (a - (high - b_part)) + (b - b_part) }
    }

    /// Multiplies two f64 exactly, for products far from overflow and underflow.
    #[inline(always)]
    pub(super) const fn product(a: f64, b: f64) -> Self {
        let ((a_top, a_rest), (b_top, b_rest)) = (halves(a), halves(b));
        let high = a * b;
        let low = ((a_top * b_top - high) + a_top * b_rest + a_rest * b_top) + a_rest * b_rest;
        Self { high, low }
    }

    /// Multiplies two sums.
    pub(super) const fn times(self, other: Self) -> Self {
        let exact = Self::product(self.high, other.high);
        Self::ordered(exact.high, exact.low + (self.high * other.low + self.low * other.high))
    }
}

/// What the tables of `normal.rs` are computed with.
#[cfg(test)]
impl Double {
    /// Multiplies by one number.
    pub(super) fn times_f64(self, other: f64) -> Self {
        self.times(Self { high: other, low: 0.0 })
    }

    /// Adds two sums.
    pub(super) fn plus(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.high, other.high), Self::sum(self.low, other.low));
        let near = Self::ordered(high.high, high.low + low.high);
        Self::ordered(near.high, near.low + low.low)
    }

    /// Divides by one number.
    pub(super) fn over(self, other: f64) -> Self {
        let near = self.high / other;
        let back = Self::product(near, other);
        Self::ordered(near, ((self.high - back.high) - back.low + self.low) / other)
    }
}

/// Splits an f64 into two of at most 26 significant bits each.
#[inline(always)]
const fn halves(x: f64) -> (f64, f64) {
    const CUT: f64 = 134_217_729.0;
    let scaled = CUT * x;
    let top = scaled - (scaled - x);
    (top, x - top)
}
