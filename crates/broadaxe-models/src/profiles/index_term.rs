//! Describes which element of an operand an element of the result is computed from, as arithmetic on indices.

use broadaxe_shape::Alignment;

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

    /// Returns the terms by which an aligned operand is read; an axis of which every index reads the same has none.
    pub(crate) fn all_of(alignment: &Alignment, operand: usize) -> Vec<Self> {
        let term = |((axis, &(stride, period)), &dim): ((usize, &(isize, usize)), &usize)| {
            let period = Some(period).filter(|period| (2..dim).contains(period));
            Self { period, ..Self::along(axis, stride.unsigned_abs()) }
        };
        let steps = alignment.steps(operand);
        let terms = steps.iter().enumerate().zip(alignment.shape().dims()).map(term);
        terms.filter(|term| term.stride != 0).collect()
    }

    /// Returns the term at an index of its axis.
    pub fn at(&self, index: usize) -> usize {
        let steps = index / self.step.max(1);
        self.period.map_or(steps, |period| steps % period.max(1)).wrapping_mul(self.stride)
    }
}
