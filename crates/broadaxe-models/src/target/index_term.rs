//! Describes which element of an operand an element of the result is computed from, as arithmetic on indices.

/// One term of the position of the element of an operand that an element of the result is computed from.
///
/// At index `i` of its axis it is `stride * (i / step % period)`, and without a period `stride * (i / step)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexTerm {
    /// The axis of the result.
    pub axis: usize,
    /// How many indices give the same.
    pub step: usize,
    /// After how many steps it starts again.
    pub period: Option<usize>,
    /// The elements from one step to the next.
    pub stride: usize,
}

impl IndexTerm {
    /// Makes the term of a stride along an axis.
    pub fn along(axis: usize, stride: usize) -> Self {
        Self { axis, step: 1, period: None, stride }
    }

    /// Returns the term at an index of its axis.
    pub fn at(&self, index: usize) -> usize {
        let steps = index / self.step.max(1);
        self.period.map_or(steps, |period| steps % period.max(1)).wrapping_mul(self.stride)
    }
}
