//! Operands: arrays that are borrowed or owned.

use broadaxe_kernels::{DType, Input};

use crate::{
    array::Array,
    view::{View, ViewMut, byte_strides},
};

/// An array that an operator reads: a view of one, or an array whose memory the result may take.
#[derive(Debug)]
pub enum Operand<'a> {
    /// Borrowed.
    View(View<'a>),
    /// Given away.
    Array(Array),
}

impl<'a> From<View<'a>> for Operand<'a> {
    fn from(view: View<'a>) -> Self {
        Self::View(view)
    }
}

impl<'a> From<&'a Array> for Operand<'a> {
    fn from(array: &'a Array) -> Self {
        Self::View(array.view())
    }
}

impl From<Array> for Operand<'_> {
    fn from(array: Array) -> Self {
        Self::Array(array)
    }
}

impl Operand<'_> {
    /// Returns a view of the elements.
    pub fn view(&self) -> View<'_> {
        match self {
            Self::View(view) => view.clone(),
            Self::Array(array) => array.view(),
        }
    }

    /// Returns the dtype.
    pub fn dtype(&self) -> DType {
        match self {
            Self::View(view) => view.dtype(),
            Self::Array(array) => array.dtype(),
        }
    }

    /// Returns the dims, the slowest first.
    pub fn shape(&self) -> &[usize] {
        match self {
            Self::View(view) => view.shape(),
            Self::Array(array) => array.shape(),
        }
    }

    pub(crate) fn strides(&self) -> Vec<isize> {
        match self {
            Self::View(view) => view.strides().to_vec(),
            Self::Array(array) => byte_strides(array.dtype(), array.shape()),
        }
    }

    pub(crate) fn input(&self) -> Input<'_> {
        match self {
            Self::View(view) => view.input(),
            Self::Array(array) => Input::new(array.as_bytes(), 0),
        }
    }
}
/// Where a result is written: an array, or memory with any strides.
///
/// Functions that take one are called with a `&mut Array` or a [`ViewMut`].
#[derive(Debug)]
pub enum Destination<'a> {
    /// An array of the result's dtype and shape.
    Array(&'a mut Array),
    /// Memory of the caller's, which may be that of an operand.
    View(ViewMut<'a>),
}

impl<'a> From<&'a mut Array> for Destination<'a> {
    fn from(array: &'a mut Array) -> Self {
        Self::Array(array)
    }
}

impl<'a> From<ViewMut<'a>> for Destination<'a> {
    fn from(view: ViewMut<'a>) -> Self {
        Self::View(view)
    }
}
