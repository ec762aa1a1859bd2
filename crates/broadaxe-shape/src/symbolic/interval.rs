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

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec::Vec};

    use super::*;

    #[test]
    fn texts() {
        let cases = [
            ("3", Some("3")),
            ("0", Some("0")),
            ("2..9", Some("2..9")),
            ("2 .. 9", Some("2..9")),
            ("2..2", Some("2")),
            ("2..", Some("2..")),
            ("..9", Some("0..9")),
            ("..", Some("?")),
            ("0..", Some("?")),
            ("?", Some("?")),
            ("9..2", None),
            ("-1", None),
            ("-1..2", None),
            ("1..-2", None),
            ("", None),
            ("n", None),
            ("1...3", None),
            ("1.5", None),
            ("9223372036854775808", None),
        ];
        for (text, want) in cases {
            assert_eq!(interval(text).map(|read| read.to_string()).as_deref(), want, "{text}");
        }
    }

    /// Compares intervals with the sets of sizes that they stand for, up to an end that none of them reaches.
    #[test]
    fn sets() {
        let ends = (0..4).flat_map(|low| (low..4).chain([usize::MAX]).map(move |high| Interval { low, high }));
        let all: Vec<Interval> = ends.collect();
        let sizes = |interval: Interval| (0..6).filter(|&size| interval.has(size)).collect::<Vec<usize>>();
        for &x in &all {
            assert_eq!(x.single(), (sizes(x).len() == 1).then(|| sizes(x)[0]), "{x}");
            for &y in &all {
                let both: Vec<usize> = sizes(x).into_iter().filter(|&size| y.has(size)).collect();
                assert_eq!(x.meet(y).map(sizes).unwrap_or_default(), both, "{x} and {y}");
                let joined = x.join(y);
                assert!(sizes(x).iter().chain(&sizes(y)).all(|&size| joined.has(size)), "{x} or {y}");
                let ends = (x.low.min(y.low), x.high.max(y.high));
                assert_eq!((joined.low, joined.high), ends, "{x} or {y}: the hull is no larger");
            }
        }
    }
}
