//! Evaluates over strided operands, one index after the other.

use crate::oracle::{Outcome, Ty, Value, eval};

/// Where the elements of an array lie in its buffer, counted in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The extents, slowest first.
    pub shape: Vec<usize>,
    /// The steps per axis; 0 and negative ones are ordinary.
    pub strides: Vec<isize>,
    /// The address of the first element.
    pub offset: usize,
}

impl Layout {
    /// Makes the layout of a contiguous row-major array.
    pub fn contiguous(shape: &[usize]) -> Self {
        let mut strides = vec![0; shape.len()];
        let mut step = 1;
        for axis in (0..shape.len()).rev() {
            strides[axis] = step;
            step *= shape[axis] as isize;
        }
        Self { shape: shape.to_vec(), strides, offset: 0 }
    }

    /// Walks the addresses of all elements in row-major order.
    ///
    /// # Panics
    /// While walking, when an address is before the buffer.
    pub fn addresses(&self) -> impl Iterator<Item = usize> {
        let offset = self.offset as isize;
        index_map(&self.shape, &self.strides).map(move |at| {
            usize::try_from(offset + at).unwrap_or_else(|_| panic!("address {} is before the buffer", offset + at))
        })
    }

    /// Returns how long the buffer must be.
    pub fn length(&self) -> usize {
        self.addresses().max().map_or(self.offset, |last| last + 1)
    }

    /// Returns how the elements repeat over a result of this shape, under the rule of NumPy.
    ///
    /// # Panics
    /// When the shape does not broadcast to it.
    #[must_use]
    pub fn broadcast_to(&self, shape: &[usize]) -> Self {
        let new = shape.len().checked_sub(self.shape.len()).expect("a result has the higher rank");
        let mut strides = vec![0; shape.len()];
        for (axis, &dim) in self.shape.iter().enumerate() {
            assert!(dim == shape[new + axis] || dim == 1, "{:?} does not broadcast to {shape:?}", self.shape);
            strides[new + axis] = if dim == 1 { 0 } else { self.strides[axis] };
        }
        Self { shape: shape.to_vec(), strides, offset: self.offset }
    }
}

/// Walks all indices of a shape in row-major order and gives the sum of index times stride of each.
///
/// # Panics
/// When there is not one stride per axis.
pub fn index_map(shape: &[usize], strides: &[isize]) -> impl Iterator<Item = isize> {
    assert_eq!(shape.len(), strides.len(), "one stride per axis");
    let (shape, strides) = (shape.to_vec(), strides.to_vec());
    let count: usize = shape.iter().product();
    (0..count).map(move |mut rest| {
        let mut at = 0;
        for axis in (0..shape.len()).rev() {
            at += (rest % shape[axis]) as isize * strides[axis];
            rest /= shape[axis];
        }
        at
    })
}

/// Evaluates an operator over operands whose layouts all have the result's shape, in row-major order.
///
/// # Panics
/// When the layouts differ in shape, or an address is outside its buffer.
pub fn eval_strided(op: &str, ty: Ty, operands: &[(&[Value], &Layout)]) -> Vec<Outcome> {
    let shapes: Vec<_> = operands.iter().map(|(_, layout)| &layout.shape).collect();
    assert!(shapes.windows(2).all(|pair| pair[0] == pair[1]), "operands of different shapes: {shapes:?}");
    let columns: Vec<Vec<Value>> =
        operands.iter().map(|(buffer, layout)| layout.addresses().map(|at| buffer[at]).collect()).collect();
    let count = columns.first().map_or(0, Vec::len);
    (0..count).map(|i| eval(op, ty, &columns.iter().map(|column| column[i]).collect::<Vec<_>>())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_maps() {
        let cases: &[(&[usize], &[isize], &[isize])] = &[
            (&[], &[], &[0]),
            (&[3], &[2], &[0, 2, 4]),
            (&[2, 3], &[3, 1], &[0, 1, 2, 3, 4, 5]),
            (&[2, 3], &[1, 2], &[0, 2, 4, 1, 3, 5]),
            (&[2, 2], &[0, -1], &[0, -1, 0, -1]),
            (&[2, 0], &[1, 1], &[]),
        ];
        for (shape, strides, want) in cases {
            assert_eq!(index_map(shape, strides).collect::<Vec<_>>(), *want, "{shape:?} {strides:?}");
        }
    }

    #[test]
    fn evaluates_over_layouts() {
        let numbers: Vec<Value> = (0..6).map(Value::Int).collect();
        let column = Layout { shape: vec![2, 1], strides: vec![-3, 7], offset: 3 };
        let row = Layout::contiguous(&[3]);
        let (left, right) = (column.broadcast_to(&[2, 3]), row.broadcast_to(&[2, 3]));
        let got = eval_strided("sub", Ty::I8, &[(&numbers, &left), (&numbers, &right)]);
        let want: Vec<Outcome> = [3, 2, 1, 0, -1, -2].map(|n| Outcome::Exact(Value::Int(n))).to_vec();
        assert_eq!(got, want);
        assert_eq!((left.length(), right.length()), (4, 3));
    }
}
