//! Conversions from and to arrays of the crate [ndarray](https://docs.rs/ndarray), without a copy.
//!
//! A [`View`] borrows an `Array`, an `ArrayView` or any other array of ndarray, with any number of axes and any strides, and a
//! [`ViewMut`] borrows one to write it. An [`Array`] lends itself as an `ArrayView` or an `ArrayViewMut`. All conversions are
//! `TryFrom`. The elements are of any type that implements [`Element`]; convert arrays of `bool` with
//! `mapv(broadaxe::Bool::from)`.
//!
//! ```
//! use broadaxe::{Rule, View, ViewMut, apply_into, ops};
//! use ndarray::{Array2, array, s};
//! let image = array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
//! let column = array![[10.0_f32], [20.0]];
//! let mut out = Array2::<f32>::zeros((2, 2));
//! let operands = [View::try_from(image.slice(s![.., ..;-2]))?, View::try_from(&column)?];
//! apply_into(ops::ADD, &Rule::numpy(), &operands, ViewMut::try_from(&mut out)?)?;
//! assert_eq!(out, array![[13.0, 11.0], [26.0, 24.0]]);
//! # Ok::<(), broadaxe::Error>(())
//! ```
//!
//! [`apply`](crate::apply()) returns an [`Array`]. It owns memory that ndarray cannot free, so ndarray borrows it:
//!
//! ```
//! use broadaxe::{Rule, View, apply, ops};
//! use ndarray::{ArrayView2, array};
//! let a = array![[1, 2], [3, 4]];
//! let row = array![10, 20];
//! let sum = apply(ops::ADD, &Rule::numpy(), &[View::try_from(&a)?, View::try_from(&row)?])?;
//! let sum = ArrayView2::<i32>::try_from(&sum)?;
//! assert_eq!(sum, array![[11, 22], [13, 24]]);
//! # Ok::<(), broadaxe::Error>(())
//! ```
//!
//! A [`View`] does not become an `ArrayView`: its memory may be unaligned, and others may write it.

use ::ndarray::{ArrayBase, ArrayRef, ArrayView, ArrayViewMut, Data, DataMut, Dimension, IxDyn, ShapeError};
use broadaxe_kernels::{DType, Element, Input, Output};
use broadaxe_shape::Shape;

use crate::{
    array::Array,
    error::{Error, ErrorKind},
    view::{View, ViewMut},
};

/// Where the elements of an array are: its strides in bytes, how many bytes there are from the first element in memory to
/// the end of the last, and how many of them precede the element of all-zero index.
struct Extent {
    strides: Vec<isize>,
    len: usize,
    offset: usize,
}

impl Extent {
    /// Measures an array of ndarray, all of whose elements are in one allocation.
    ///
    /// The stride of an axis with no step is arbitrary in ndarray, and 0 here.
    fn of<A: Element>(shape: &[usize], strides: &[isize]) -> Self {
        if shape.contains(&0) {
            return Self { strides: vec![0; shape.len()], len: 0, offset: 0 };
        }
        let size = size_of::<A>();
        let (mut before, mut after) = (0, 0);
        let in_bytes = |(&dim, &stride): (&usize, &isize)| {
            let stride = if dim > 1 { stride * size as isize } else { 0 };
            let span = stride.unsigned_abs() * (dim - 1);
            *(if stride < 0 { &mut before } else { &mut after }) += span;
            stride
        };
        let strides = shape.iter().zip(strides).map(in_bytes).collect();
        Self { strides, len: before + after + size, offset: before }
    }
}

impl<'a, A: Element, D: Dimension> TryFrom<ArrayView<'a, A, D>> for View<'a> {
    type Error = Error;

    /// Borrows the elements of a view.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] above the largest rank.
    fn try_from(array: ArrayView<'a, A, D>) -> Result<Self, Error> {
        let Extent { strides, len, offset } = Extent::of::<A>(array.shape(), array.strides());
        let base = array.as_ptr().cast::<u8>().wrapping_sub(offset);
        // SAFETY: ndarray promises that the elements of the view, the first and last of which bound these bytes, are in one
        // allocation, which is borrowed for `'a`. The bytes between elements may be written by others, and are not read.
        let input = unsafe { Input::from_raw(base, len, offset) };
        Self::from_input(A::DTYPE, input, array.shape(), &strides)
    }
}

impl<'a, A: Element, S: Data<Elem = A>, D: Dimension> TryFrom<&'a ArrayBase<S, D>> for View<'a> {
    type Error = Error;

    /// Borrows the elements of an array.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] above the largest rank.
    fn try_from(array: &'a ArrayBase<S, D>) -> Result<Self, Error> {
        Self::try_from(array.view())
    }
}

impl<'a, A: Element, D: Dimension> TryFrom<&'a ArrayRef<A, D>> for View<'a> {
    type Error = Error;

    /// Borrows the elements of an array.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] above the largest rank.
    fn try_from(array: &'a ArrayRef<A, D>) -> Result<Self, Error> {
        Self::try_from(array.view())
    }
}

impl<'a, A: Element, D: Dimension> TryFrom<ArrayViewMut<'a, A, D>> for ViewMut<'a> {
    type Error = Error;

    /// Borrows the elements of a view to write them.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] above the largest rank.
    fn try_from(mut array: ArrayViewMut<'a, A, D>) -> Result<Self, Error> {
        let Extent { strides, len, offset } = Extent::of::<A>(array.shape(), array.strides());
        let base = array.as_mut_ptr().cast::<u8>().wrapping_sub(offset);
        // SAFETY: as for `View`, and the elements are borrowed exclusively. The bytes between them are not written.
        let output = unsafe { Output::from_raw(base, len, offset) };
        Self::from_output(A::DTYPE, output, array.shape(), &strides)
    }
}

impl<'a, A: Element, S: DataMut<Elem = A>, D: Dimension> TryFrom<&'a mut ArrayBase<S, D>> for ViewMut<'a> {
    type Error = Error;

    /// Borrows the elements of an array to write them.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] above the largest rank.
    fn try_from(array: &'a mut ArrayBase<S, D>) -> Result<Self, Error> {
        Self::try_from(array.view_mut())
    }
}

impl<'a, A: Element, D: Dimension> TryFrom<&'a mut ArrayRef<A, D>> for ViewMut<'a> {
    type Error = Error;

    /// Borrows the elements of an array to write them.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] above the largest rank.
    fn try_from(array: &'a mut ArrayRef<A, D>) -> Result<Self, Error> {
        Self::try_from(array.view_mut())
    }
}

impl<'a, A: Element, D: Dimension> TryFrom<&'a Array> for ArrayView<'a, A, D> {
    type Error = Error;

    /// Borrows the elements of an array.
    ///
    /// # Errors
    /// [`ErrorKind::DType`] when they are not of type `A`; [`ErrorKind::Argument`] when `D` is of another rank.
    fn try_from(array: &'a Array) -> Result<Self, Error> {
        let (dtype, shape) = (array.dtype(), Shape::from(array.shape()));
        let elements = array.as_slice::<A>().ok_or_else(|| other_dtype::<A>(dtype, &shape))?;
        let view = ArrayView::from_shape(IxDyn(&shape), elements).map_err(|error| rejected(dtype, &shape, &error))?;
        view.into_dimensionality().map_err(|_| other_rank::<D>(dtype, &shape))
    }
}

impl<'a, A: Element, D: Dimension> TryFrom<&'a mut Array> for ArrayViewMut<'a, A, D> {
    type Error = Error;

    /// Borrows the elements of an array to write them.
    ///
    /// # Errors
    /// [`ErrorKind::DType`] when they are not of type `A`; [`ErrorKind::Argument`] when `D` is of another rank.
    fn try_from(array: &'a mut Array) -> Result<Self, Error> {
        let (dtype, shape) = (array.dtype(), Shape::from(array.shape()));
        let elements = array.as_mut_slice::<A>().ok_or_else(|| other_dtype::<A>(dtype, &shape))?;
        let view =
            ArrayViewMut::from_shape(IxDyn(&shape), elements).map_err(|error| rejected(dtype, &shape, &error))?;
        view.into_dimensionality().map_err(|_| other_rank::<D>(dtype, &shape))
    }
}

fn other_dtype<A: Element>(dtype: DType, shape: &Shape) -> Error {
    let text = format!("an array of {dtype} {shape} cannot be viewed as {}; ask for elements of {dtype}", A::DTYPE);
    Error::new(ErrorKind::DType, text)
}

fn other_rank<D: Dimension>(dtype: DType, shape: &Shape) -> Error {
    let rank = D::NDIM.map_or_else(String::new, |rank| format!(" with {rank} axes"));
    let text =
        format!("an array of {dtype} {shape} cannot be viewed{rank}; use an ArrayViewD or a rank of {}", shape.len());
    Error::new(ErrorKind::Argument, text)
}

fn rejected(dtype: DType, shape: &Shape, error: &ShapeError) -> Error {
    Error::new(ErrorKind::Layout, format!("an array of {dtype} {shape} cannot be viewed by ndarray: {error}"))
}
