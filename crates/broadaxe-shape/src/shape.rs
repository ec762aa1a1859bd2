//! Shapes: reads, writes and counts them.

use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};
use core::{fmt, ops::Deref, str::FromStr};

use crate::{
    error::{Error, ErrorKind},
    few::PerAxis,
};

/// The largest rank that any operand or result may have.
pub const MAX_RANK: usize = 64;

/// Holds the extents of an array, slowest axis first.
///
/// Displays as Python writes a tuple: `()`, `(3,)`, `(2, 3)`. Parses `2,3,4`, `(2, 3, 4)`, `[2,3,4]` and `()`. Up to
/// rank 8 the dims need no memory of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape(pub(crate) PerAxis);

impl Shape {
    /// Makes a shape of these dims.
    pub fn new(dims: impl Into<Vec<usize>>) -> Self {
        Self(dims.into().into())
    }

    /// Returns the dims, slowest first.
    pub fn dims(&self) -> &[usize] {
        &self.0
    }

    /// Returns the dims as a vector.
    pub fn into_dims(self) -> Vec<usize> {
        self.0.into_vec()
    }

    /// Returns the shape with its axes in the opposite order.
    ///
    /// ncnn writes shapes fastest axis first: `[w, h, c]` is the reverse of the row-major `(c, h, w)`.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self(self.0.iter().rev().copied().collect())
    }
}

/// Writes numbers as parameters are given: `2,3,4`, or `()` when there is none.
pub(crate) fn list<T: ToString>(values: &[T]) -> String {
    if values.is_empty() { "()".into() } else { values.iter().map(T::to_string).collect::<Vec<_>>().join(",") }
}

/// Makes the error about a rank above [`MAX_RANK`].
pub(crate) fn too_many_axes(rank: usize) -> Error {
    Error::later(ErrorKind::Rank, move |f| write!(f, "rank {rank} is above the largest rank, {MAX_RANK}"))
}

/// Counts the elements of an array of these dims.
///
/// # Errors
/// [`ErrorKind::Overflow`] when the product of the dims that are not 0 exceeds `isize::MAX`: an array of no elements
/// must still have strides that can be written down. [`ErrorKind::Rank`] above [`MAX_RANK`].
pub fn elements(dims: &[usize]) -> Result<usize, Error> {
    if dims.len() > MAX_RANK {
        return Err(too_many_axes(dims.len()));
    }
    let mut count: usize = 1;
    for &dim in dims.iter().filter(|&&dim| dim != 0) {
        count = count.checked_mul(dim).filter(|&n| isize::try_from(n).is_ok()).ok_or_else(|| {
            let shape = Shape::from(dims);
            Error::later(ErrorKind::Overflow, move |f| write!(f, "{shape} has more elements than an address can count"))
        })?;
    }
    Ok(if dims.contains(&0) { 0 } else { count })
}

/// Returns the strides of a contiguous row-major array of these dims, in elements; the last is 1.
///
/// A stride is the plain product of the dims after its axis, so it is 0 in front of a dim of 0, where no element is.
pub fn contiguous_strides(dims: &[usize]) -> Vec<isize> {
    let mut strides = vec![1isize; dims.len()];
    for axis in (1..dims.len()).rev() {
        strides[axis - 1] = strides[axis].wrapping_mul(dims[axis] as isize);
    }
    strides
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl From<&[usize]> for Shape {
    fn from(dims: &[usize]) -> Self {
        Self(dims.into())
    }
}

impl From<Vec<usize>> for Shape {
    fn from(dims: Vec<usize>) -> Self {
        Self(dims.into())
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(dims: [usize; N]) -> Self {
        Self(dims[..].into())
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (i, dim) in self.0.iter().enumerate() {
            write!(f, "{}{dim}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str(if self.0.len() == 1 { ",)" } else { ")" })
    }
}

impl FromStr for Shape {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let inner = text.trim();
        let bare = inner
            .strip_prefix('(')
            .and_then(|t| t.strip_suffix(')'))
            .or_else(|| inner.strip_prefix('[').and_then(|t| t.strip_suffix(']')));
        let list = bare.unwrap_or(inner).trim();
        if list.is_empty() {
            return match bare {
                Some(_) => Ok(Self::default()),
                None => Err(Error::new(ErrorKind::Parse, "an empty text is not a shape; rank 0 is written ()")),
            };
        }
        let list = list.strip_suffix(',').unwrap_or(list);
        let dims = list.split(',').map(|part| {
            let part = part.trim();
            part.parse::<usize>().map_err(|_| {
                let hint = "write whole numbers, such as 2,3,4 or ()";
                Error::new(ErrorKind::Parse, format!("'{part}' in '{text}' {}; {hint}", no_dim(part)))
            })
        });
        Ok(Self(dims.collect::<Result<_, _>>()?))
    }
}

/// Says why a text is no dim.
pub(crate) fn no_dim(text: &str) -> &'static str {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if text.strip_prefix('-').is_some_and(digits) {
        "is negative"
    } else if digits(text) {
        "is more than an address can count"
    } else if text.contains(char::is_whitespace) {
        "has a blank, which separates operands"
    } else {
        "is not a dim"
    }
}
