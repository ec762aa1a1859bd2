//! Describes sizes as residue classes: the shortest way to say which of a range are accepted.
//!
//! A model that halves its input five times accepts the multiples of 32, and perhaps 1 and 2. So the sizes are described as
//! "those with one of these remainders, but for these exceptions", with the period for which that is shortest. A period
//! must be seen three times, or it says nothing.

use std::fmt;

/// Which sizes of a range are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// The first and the last size that were looked at.
    pub range: (usize, usize),
    /// The period; 1 where all sizes, or none, are taken.
    pub period: usize,
    /// The remainders of sizes that are taken, ascending.
    pub remainders: Vec<usize>,
    /// Sizes that are taken although their remainder is not listed.
    pub also: Vec<usize>,
    /// Sizes that are not taken although their remainder is listed.
    pub but: Vec<usize>,
}

/// How often a period has to be seen.
const MIN_REPEATS: usize = 3;

impl Classes {
    /// Finds the shortest way to say which sizes are taken; `taken[0]` is about the size `from`.
    pub fn of(from: usize, taken: &[bool]) -> Self {
        let mut best: Option<(usize, Self)> = None;
        for period in 1..=(taken.len() / MIN_REPEATS).max(1) {
            let classes = Self::with_period(from, taken, period);
            let cost = classes.remainders.len() + 2 * (classes.also.len() + classes.but.len());
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, classes));
            }
        }
        best.map_or_else(|| Self::with_period(from, taken, 1), |(_, classes)| classes)
    }

    /// Says it with this period: a remainder is listed if most of its sizes are taken, the last one deciding a draw.
    fn with_period(from: usize, taken: &[bool], period: usize) -> Self {
        let mut counts = vec![(0_usize, 0_usize, false); period];
        for (index, &is) in taken.iter().enumerate() {
            let count = &mut counts[(from + index) % period];
            *count = (count.0 + usize::from(is), count.1 + 1, is);
        }
        let listed: Vec<bool> =
            counts.iter().map(|&(yes, all, last)| 2 * yes > all || (2 * yes == all && last)).collect();
        let apart = |want: bool| {
            let odd = |&(size, &is): &(usize, &bool)| is == want && listed[size % period] != want;
            (from..).zip(taken).filter(odd).map(|(size, _)| size).collect::<Vec<_>>()
        };
        let (also, but) = (apart(true), apart(false));
        let remainders = (0..period).filter(|&remainder| listed[remainder]).collect();
        Self { range: (from, from + taken.len().saturating_sub(1)), period, remainders, also, but }
    }

    /// Says whether a size is taken.
    pub fn accepts(&self, size: usize) -> bool {
        if self.also.contains(&size) {
            return true;
        }
        self.remainders.contains(&(size % self.period)) && !self.but.contains(&size)
    }
}

impl Classes {
    /// Returns the ends of the range without its exceptions, where they are all at its ends.
    fn one_run(&self) -> Option<(usize, usize)> {
        let (from, to) = self.range;
        let is_but = |size: &usize| self.but.binary_search(size).is_ok();
        let (first, last) = ((from..=to).find(|size| !is_but(size))?, (from..=to).rev().find(|size| !is_but(size))?);
        (!self.but.is_empty() && self.but.len() + (last - first + 1) == to - from + 1).then_some((first, last))
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = self.range;
        match (self.period, &self.remainders[..]) {
            (_, []) if self.also.is_empty() => return write!(f, "none from {from} to {to}"),
            (_, []) => return write!(f, "only {} from {from} to {to}", list(&self.also)),
            (1, _) if self.also.is_empty() && self.one_run().is_some() => {
                let (first, last) = self.one_run().unwrap_or((from, to));
                let runs: Vec<usize> = (first..=last).collect();
                return write!(f, "{}, of {from} to {to}", list(&runs));
            }
            (1, _) => write!(f, "all from {from} to {to}")?,
            (period, [0]) => write!(f, "multiples of {period} from {from} to {to}")?,
            (period, [one]) => write!(f, "multiples of {period} plus {one} from {from} to {to}")?,
            (period, several) => write!(f, "sizes from {from} to {to} that leave {} of {period}", list(several))?,
        }
        if !self.but.is_empty() {
            write!(f, ", but not {}", list(&self.but))?;
        }
        if !self.also.is_empty() {
            write!(f, ", and {}", list(&self.also))?;
        }
        Ok(())
    }
}

/// Writes ascending numbers, runs of three and more as `4 to 9`.
pub(super) fn list(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let text = |&(from, to): &(usize, usize)| match to - from {
        0 => from.to_string(),
        1 => format!("{from}, {to}"),
        _ => format!("{from} to {to}"),
    };
    runs.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(from: usize, to: usize, taken: impl Fn(usize) -> bool) -> Classes {
        let taken: Vec<bool> = (from..=to).map(taken).collect();
        let classes = Classes::of(from, &taken);
        for (size, &is) in (from..).zip(&taken) {
            assert_eq!(classes.accepts(size), is, "{size}: {classes:?}");
        }
        classes
    }

    #[test]
    fn shortest() {
        struct Case {
            range: (usize, usize),
            taken: fn(usize) -> bool,
            want: &'static str,
        }
        let cases = [
            Case { range: (1, 512), taken: |_| true, want: "all from 1 to 512" },
            Case { range: (1, 512), taken: |_| false, want: "none from 1 to 512" },
            Case { range: (1, 512), taken: |n| n % 32 == 0, want: "multiples of 32 from 1 to 512" },
            Case { range: (3, 99), taken: |n| n % 4 == 1, want: "multiples of 4 plus 1 from 3 to 99" },
            Case { range: (1, 512), taken: |n| n == 224, want: "only 224 from 1 to 512" },
            Case { range: (1, 64), taken: |n| n >= 7, want: "7 to 64, of 1 to 64" },
            Case { range: (1, 128), taken: |n| n % 8 == 0 || n == 1, want: "multiples of 8 from 1 to 128, and 1" },
            Case {
                range: (1, 96),
                taken: |n| n % 8 == 7 || n % 8 == 0,
                want: "sizes from 1 to 96 that leave 0, 7 of 8",
            },
            Case { range: (1, 1), taken: |_| true, want: "all from 1 to 1" },
            Case { range: (1, 2), taken: |n| n == 2, want: "2, of 1 to 2" },
        ];
        for case in cases {
            assert_eq!(of(case.range.0, case.range.1, case.taken).to_string(), case.want);
        }
    }
}
