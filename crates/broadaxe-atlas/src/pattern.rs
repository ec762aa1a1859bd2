//! Equality patterns of dims: which dims are 1, and which are equal.
//!
//! A rule that compares dims only with each other and with 1 answers alike for all shapes of one pattern. The patterns of
//! `n` dims are the ways to divide `n` dims and the number 1 into groups of equal size, so there are Bell(n + 1) of them.
//! They are listed in one fixed order, and the place in that order is a part of the id of a case.

use std::{fmt, str::FromStr};

use crate::error::Error;

/// The highest rank of an operand of a pattern.
pub const MAX_RANK: usize = 8;

/// The most operands of a pattern.
pub const MAX_OPERANDS: usize = 3;

/// Holds which dims of some operands are 1, and which are equal.
///
/// Displays as a letter for each axis, `1` for a dim of 1, and `()` for rank 0: `a1b,cb`. Equal letters are equal sizes,
/// different letters are different sizes, and no letter is 1. Letters are in the order in which they first occur.
///
/// ```
/// use broadaxe_atlas::Pattern;
/// let pattern = Pattern::of(&[&[2, 1, 3], &[5, 3]]);
/// assert_eq!(pattern.to_string(), "a1b,cb");
/// assert_eq!("a1b,cb".parse(), Ok(pattern));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern {
    /// For each axis 0 if its dim is 1, and the number of its letter otherwise, counted from 1.
    operands: Vec<Vec<u8>>,
}

impl Pattern {
    /// Returns the pattern of shapes.
    pub fn of(shapes: &[&[usize]]) -> Self {
        let mut sizes = Vec::new();
        let label = |&dim: &usize| {
            if dim == 1 {
                return 0;
            }
            let found = sizes.iter().position(|&size| size == dim).unwrap_or_else(|| {
                sizes.push(dim);
                sizes.len() - 1
            });
            found as u8 + 1
        };
        let mut label = label;
        Self { operands: shapes.iter().map(|shape| shape.iter().map(&mut label).collect()).collect() }
    }

    /// Returns the rank of every operand.
    pub fn ranks(&self) -> Vec<usize> {
        self.operands.iter().map(Vec::len).collect()
    }

    /// Returns the number of letters.
    pub fn letters(&self) -> usize {
        self.labels().max().unwrap_or(0) as usize
    }

    /// Returns the labels of an operand's axes: 0 for a dim of 1, and letters from 1.
    ///
    /// # Panics
    /// When there is no operand `k`.
    pub fn operand(&self, k: usize) -> &[u8] {
        &self.operands[k]
    }

    /// Returns the shapes in which the first letter has the first size, and so on.
    ///
    /// # Panics
    /// When there are fewer sizes than letters.
    pub fn shapes(&self, sizes: &[usize]) -> Vec<Vec<usize>> {
        let dim = |&label: &u8| if label == 0 { 1 } else { sizes[label as usize - 1] };
        self.operands.iter().map(|labels| labels.iter().map(dim).collect()).collect()
    }

    fn labels(&self) -> impl Iterator<Item = u8> + '_ {
        self.operands.iter().flatten().copied()
    }

    /// Lists all patterns of operands of these ranks, in order.
    pub fn all(ranks: &[usize]) -> impl Iterator<Item = Self> + use<> {
        let ranks = ranks.to_vec();
        let first = Self { operands: ranks.iter().map(|&rank| vec![0; rank]).collect() };
        std::iter::successors(Some(first), move |pattern| {
            let mut labels: Vec<u8> = pattern.labels().collect();
            let at = (0..labels.len()).rev().find(|&at| {
                let before = labels[..at].iter().copied().max().unwrap_or(0);
                labels[at] <= before
            })?;
            labels[at] += 1;
            labels[at + 1..].fill(0);
            Some(Self::split(&ranks, &labels))
        })
    }

    fn split(ranks: &[usize], mut labels: &[u8]) -> Self {
        let operand = |&rank: &usize| {
            let (own, rest) = labels.split_at(rank);
            labels = rest;
            own.to_vec()
        };
        Self { operands: ranks.iter().map(operand).collect() }
    }

    /// Returns the place of this pattern among all patterns of as many operands whose highest rank is the same.
    pub fn number(&self) -> u128 {
        let ranks = self.ranks();
        let before: u128 = before(&ranks).map(|ranks| count(ranks.iter().sum())).sum();
        let labels: Vec<u8> = self.labels().collect();
        let mut letters = 0;
        let mut number = before;
        for (at, &label) in labels.iter().enumerate() {
            let rest = labels.len() - at - 1;
            number += u128::from(label) * completions(rest, letters);
            letters = letters.max(label as usize);
        }
        number
    }

    /// Returns the pattern with this number among all patterns of `operands` operands of which the highest rank is `rank`.
    pub fn numbered(operands: usize, rank: usize, mut number: u128) -> Option<Self> {
        if rank > MAX_RANK || !(1..=MAX_OPERANDS).contains(&operands) {
            return None;
        }
        let ranks = tuples(operands, rank).find(|ranks| {
            let own = count(ranks.iter().sum());
            let here = number < own;
            number -= if here { 0 } else { own };
            here
        })?;
        let total: usize = ranks.iter().sum();
        let (mut labels, mut letters) = (Vec::new(), 0);
        for at in 0..total {
            let each = completions(total - at - 1, letters);
            let label = usize::try_from(number / each).ok()?.min(letters + 1);
            number -= label as u128 * each;
            letters = letters.max(label);
            labels.push(label as u8);
        }
        Some(Self::split(&ranks, &labels))
    }
}

/// Counts the patterns of `dims` dims: Bell(dims + 1).
pub fn count(dims: usize) -> u128 {
    completions(dims, 0)
}

/// Counts the ways to label `rest` more dims after `letters` letters.
fn completions(rest: usize, letters: usize) -> u128 {
    // Row by row: with r dims left and k letters, k + 1 labels add no letter and one adds a letter.
    let mut row = vec![1_u128; rest + letters + 1];
    for _ in 0..rest {
        for k in 0..row.len() - 1 {
            row[k] = (k as u128 + 1) * row[k] + row[k + 1];
        }
        row.pop();
    }
    row[letters]
}

/// Lists the ranks of `operands` operands of which the highest is `rank`, in order.
pub fn tuples(operands: usize, rank: usize) -> impl Iterator<Item = Vec<usize>> {
    let every = (rank + 1).pow(operands as u32);
    (0..every)
        .map(move |number| {
            let digit = |k: usize| number / (rank + 1).pow((operands - k - 1) as u32) % (rank + 1);
            (0..operands).map(digit).collect::<Vec<_>>()
        })
        .filter(move |ranks| ranks.iter().max() == Some(&rank))
}

/// Lists the ranks that come before these.
fn before(ranks: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let own = ranks.to_vec();
    tuples(ranks.len(), ranks.iter().copied().max().unwrap_or(0)).take_while(move |ranks| *ranks != own)
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, labels) in self.operands.iter().enumerate() {
            if k > 0 {
                f.write_str(",")?;
            }
            if labels.is_empty() {
                f.write_str("()")?;
            }
            for &label in labels {
                write!(f, "{}", if label == 0 { '1' } else { char::from(b'a' + label - 1) })?;
            }
        }
        Ok(())
    }
}

impl FromStr for Pattern {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong =
            |why: &str| Error::new(format!("'{text}' is not a pattern: {why}; write 'a1b,cb', with '()' for rank 0"));
        let mut shapes = Vec::new();
        for part in text.split(',').map(str::trim) {
            let axes = if part == "()" { "" } else { part };
            if axes.is_empty() != (part == "()") {
                return Err(wrong("an operand is missing"));
            }
            let dim = |axis: char| match axis {
                '1' => Ok(1),
                'a'..='z' => Ok(axis as usize),
                other => Err(wrong(&format!("{other:?} is not a letter from a to z, nor 1"))),
            };
            shapes.push(axes.chars().map(dim).collect::<Result<Vec<_>, _>>()?);
        }
        if shapes.len() > MAX_OPERANDS {
            return Err(wrong(&format!("it has more than {MAX_OPERANDS} operands")));
        }
        if shapes.iter().any(|shape| shape.len() > MAX_RANK) {
            return Err(wrong(&format!("an operand has more than {MAX_RANK} axes")));
        }
        let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
        Ok(Self::of(&shapes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_bell_numbers() {
        let bell: [u128; 11] = [1, 1, 2, 5, 15, 52, 203, 877, 4140, 21147, 115_975];
        for dims in 0..=9 {
            assert_eq!(count(dims), bell[dims + 1], "{dims} dims");
        }
        // Three operands of rank 8: the largest number there is.
        assert_eq!(count(24), 4_638_590_332_229_999_353);
    }

    #[test]
    fn all_in_the_order_of_their_numbers() {
        for operands in 1..=3 {
            for rank in 0..=if operands == 3 { 2 } else { 3 } {
                let mut number = 0;
                for ranks in tuples(operands, rank) {
                    for pattern in Pattern::all(&ranks) {
                        assert_eq!(pattern.number(), number, "{pattern}");
                        assert_eq!(Pattern::numbered(operands, rank, number), Some(pattern));
                        number += 1;
                    }
                }
                assert_eq!(Pattern::numbered(operands, rank, number), None);
            }
        }
    }

    #[test]
    fn texts() {
        for text in ["a1b,cb", "(),a", "ab,ab,ab", "1,1", "abcdefgh,abcdefgh", "()"] {
            assert_eq!(text.parse::<Pattern>().unwrap().to_string(), text);
        }
        assert_eq!("zx,x".parse::<Pattern>().unwrap().to_string(), "ab,b");
        for text in ["", "a,", "a,b,c,d", "abcdefghi", "a2", "A"] {
            text.parse::<Pattern>().unwrap_err();
        }
    }

    #[test]
    fn the_last_number_of_rank_8() {
        let last = Pattern::all(&[8, 8]).next().unwrap();
        let end = tuples(2, 8).map(|ranks| count(ranks.iter().sum())).sum::<u128>();
        let pattern = Pattern::numbered(2, 8, end - 1).unwrap();
        assert_eq!(pattern.to_string(), "abcdefgh,ijklmnop");
        assert_eq!(pattern.number(), end - 1);
        assert_eq!(Pattern::numbered(2, 8, last.number()), Some(last));
    }
}
