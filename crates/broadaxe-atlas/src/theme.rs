//! Choices of sizes for the letters of a pattern.

use std::{fmt, str::FromStr};

use crate::{error::Error, pattern::Pattern};

/// Says which sizes the letters of a pattern have.
///
/// A rule answers alike for all of them. Engines do not: kernels pack channels, and branches compare counts of elements.
/// Displays as the end of an id: `pack8.0`, `zero.a`; [`Theme::Small`] as nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Theme {
    /// The smallest primes, and then other small numbers.
    #[default]
    Small,
    /// One axis of the first operand is a multiple of this number of lanes, the others are small.
    Pack(usize, usize),
    /// The last axis of the first operand has more elements than a vector, and a remainder.
    Wide,
    /// Every size divides the next one: 2, 4, 8, ...
    Divide,
    /// The first two shapes have equally many elements.
    Count,
    /// The letter with this number, counted from 0, is 0.
    Zero(usize),
}

/// The numbers of elements that kernels pack.
pub const LANES: [usize; 3] = [4, 8, 16];

/// The sizes of letters: primes while there are few.
const SMALL: [usize; 24] = [2, 3, 5, 7, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25];

impl Theme {
    /// Returns the sizes of a pattern's letters, or nothing where the theme does not suit the pattern.
    pub fn sizes(self, pattern: &Pattern) -> Option<Vec<usize>> {
        let letters = pattern.letters();
        let small = || SMALL[..letters].to_vec();
        match self {
            Self::Small => Some(small()),
            Self::Pack(lanes, axis) => around(pattern, axis, lanes),
            Self::Wide => around(pattern, pattern.operand(0).len().checked_sub(1)?, 35),
            Self::Divide => (2..=8).contains(&letters).then(|| (1..=letters).map(|power| 1 << power).collect()),
            Self::Count => counts(pattern),
            Self::Zero(letter) => (letter < letters).then(|| {
                let mut sizes = small();
                sizes[letter] = 0;
                sizes
            }),
        }
    }
}

/// Gives a size to the letter on an axis of the first operand, and other small sizes to the rest.
fn around(pattern: &Pattern, axis: usize, size: usize) -> Option<Vec<usize>> {
    let letter = (*pattern.operand(0).get(axis)? as usize).checked_sub(1)?;
    let mut others = SMALL.into_iter().filter(|&other| other != size);
    (0..pattern.letters()).map(|own| if own == letter { Some(size) } else { others.next() }).collect()
}

/// Finds the smallest sizes with which two different shapes have equally many elements.
fn counts(pattern: &Pattern) -> Option<Vec<usize>> {
    const MOST: usize = 9;
    let letters = pattern.letters();
    if pattern.ranks().len() < 2 || !(1..=3).contains(&letters) || pattern.operand(0) == pattern.operand(1) {
        return None;
    }
    let base: usize = MOST - 1;
    let mut sizes = vec![0; letters];
    let mut best: Option<Vec<usize>> = None;
    for number in 0..base.pow(letters as u32) {
        for (letter, size) in sizes.iter_mut().enumerate() {
            *size = 2 + number / base.pow((letters - 1 - letter) as u32) % base;
        }
        let distinct = (1..letters).all(|at| !sizes[..at].contains(&sizes[at]));
        if distinct && elements(pattern.operand(0), &sizes) == elements(pattern.operand(1), &sizes) {
            let smaller = |best: &Vec<usize>| sizes.iter().product::<usize>() < best.iter().product();
            if best.as_ref().is_none_or(smaller) {
                best = Some(sizes.clone());
            }
        }
    }
    best
}

/// Counts the elements of an operand.
fn elements(labels: &[u8], sizes: &[usize]) -> usize {
    labels.iter().map(|&label| if label == 0 { 1 } else { sizes[label as usize - 1] }).product()
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Small => Ok(()),
            Self::Pack(lanes, axis) => write!(f, "pack{lanes}.{axis}"),
            Self::Wide => f.write_str("wide"),
            Self::Divide => f.write_str("divide"),
            Self::Count => f.write_str("count"),
            Self::Zero(letter) => write!(f, "zero.{}", char::from(b'a' + *letter as u8)),
        }
    }
}

impl FromStr for Theme {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let unknown =
            || Error::new(format!("'{text}' is not a choice of sizes; they are pack4.0, wide, divide, count, zero.a"));
        Ok(match text.split_once('.') {
            None => match text {
                "" | "small" => Self::Small,
                "wide" => Self::Wide,
                "divide" => Self::Divide,
                "count" => Self::Count,
                _ => return Err(unknown()),
            },
            Some(("zero", letter)) => match letter.as_bytes() {
                [letter @ b'a'..=b'z'] => Self::Zero((letter - b'a') as usize),
                _ => return Err(unknown()),
            },
            Some((pack, axis)) => {
                let lanes = pack.strip_prefix("pack").and_then(|lanes| lanes.parse().ok());
                match (lanes.filter(|lanes| LANES.contains(lanes)), axis.parse()) {
                    (Some(lanes), Ok(axis)) => Self::Pack(lanes, axis),
                    _ => return Err(unknown()),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let table: [(&str, &str, Option<&[usize]>); 12] = [
            ("a1b,cb", "", Some(&[2, 3, 5])),
            ("a1b,cb", "pack8.0", Some(&[8, 2, 3])),
            ("a1b,cb", "pack4.2", Some(&[2, 4, 3])),
            ("a1b,cb", "pack4.1", None),
            ("a1b,cb", "wide", Some(&[2, 35, 3])),
            ("a1,ba", "divide", Some(&[2, 4])),
            ("a1,ba", "count", None),
            ("ab,c", "count", Some(&[2, 3, 6])),
            ("ab,ba", "count", Some(&[2, 3])),
            ("ab,ab", "count", None),
            ("a1b,cb", "zero.c", Some(&[2, 3, 0])),
            ("a1b,cb", "zero.d", None),
        ];
        for (pattern, theme, want) in table {
            let pattern: Pattern = pattern.parse().unwrap();
            let sizes = theme.parse::<Theme>().unwrap().sizes(&pattern);
            assert_eq!(sizes.as_deref(), want, "{pattern} {theme}");
            if let Some(sizes) = sizes {
                let shapes = pattern.shapes(&sizes);
                let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
                assert_eq!(Pattern::of(&shapes), pattern, "{theme}");
            }
        }
    }

    #[test]
    fn texts() {
        for text in ["", "pack16.3", "wide", "divide", "count", "zero.b"] {
            assert_eq!(text.parse::<Theme>().unwrap().to_string(), text);
        }
        for text in ["pack5.0", "pack4", "zero", "zero.A", "pack.0", "tall"] {
            text.parse::<Theme>().unwrap_err();
        }
    }
}
