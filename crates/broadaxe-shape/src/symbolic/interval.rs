//! Intervals of sizes.

use core::fmt;

/// Holds the sizes a dim may have, both ends included; `usize::MAX` as high end means no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Interval {
    pub(crate) low: usize,
    pub(crate) high: usize,
}

impl Interval {
    pub(crate) const ANY: Self = Self { low: 0, high: usize::MAX };

    pub(crate) fn one(size: usize) -> Self {
        Self { low: size, high: size }
    }

    pub(crate) fn has(self, size: usize) -> bool {
        self.low <= size && size <= self.high
    }

    pub(crate) fn single(self) -> Option<usize> {
        (self.low == self.high).then_some(self.low)
    }

    pub(crate) fn meet(self, other: Self) -> Option<Self> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high).then_some(Self { low, high })
    }

    pub(crate) fn join(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low, self.high) {
            (0, usize::MAX) => f.write_str("?"),
            (low, usize::MAX) => write!(f, "{low}.."),
            (low, high) if low == high => write!(f, "{low}"),
            (low, high) => write!(f, "{low}..{high}"),
        }
    }
}

/// Reads `3`, `2..9`, `2..`, `..9` and `?`.
pub(crate) fn interval(text: &str) -> Option<Interval> {
    if text == "?" {
        return Some(Interval::ANY);
    }
    let Some((low, high)) = text.split_once("..") else {
        return size(text).map(Interval::one);
    };
    let (low, high) = (low.trim(), high.trim());
    let low = if low.is_empty() { 0 } else { size(low)? };
    let high = if high.is_empty() { usize::MAX } else { size(high)? };
    (low <= high).then_some(Interval { low, high })
}

/// Reads a whole number that an address can count.
fn size(text: &str) -> Option<usize> {
    text.parse().ok().filter(|&size: &usize| isize::try_from(size).is_ok())
}
