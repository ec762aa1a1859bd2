//! Reads and prints axes in the order of a rule: ncnn counts them from the fastest.

use broadaxe_shape::SymbolicShape;

use crate::words::{join, tuple};

/// The order in which axes are read and printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Whether axes are read from the last one, as ncnn counts them.
    pub reversed: bool,
}

impl Order {
    /// The order of all rules but ncnn's: the slowest axis first.
    pub const ROW_MAJOR: Self = Self { reversed: false };

    /// Returns values of axes in this order.
    pub fn list<T: Clone>(self, values: &[T]) -> Vec<T> {
        let mut values = values.to_vec();
        if self.reversed {
            values.reverse();
        }
        values
    }

    /// Returns a shape in this order.
    pub fn symbolic(self, shape: &SymbolicShape) -> SymbolicShape {
        shape.dims().map_or_else(SymbolicShape::unknown_rank, |dims| SymbolicShape::new(self.list(dims)))
    }

    /// Returns the axes of a result of this rank as they are counted in this order.
    pub fn axes(self, axes: &[usize], rank: usize) -> Vec<usize> {
        let axes = self.list(axes);
        if self.reversed { axes.into_iter().map(|axis| rank - 1 - axis).collect() } else { axes }
    }

    /// Writes a shape: `(2, 3)`, or `[3, 2]` where the order is reversed.
    pub fn shape<T: Clone + std::fmt::Display>(self, dims: &[T]) -> String {
        let dims = self.list(dims);
        if self.reversed { format!("[{}]", join(&dims, ", ")) } else { tuple(&dims) }
    }
}
