//! Views: borrowed arrays with any strides.

use std::fmt;

use broadaxe_kernels::{DType, Element, Input, Output, tile};
use broadaxe_shape::{Shape, contiguous_strides, elements};

use crate::error::{Error, ErrorKind};

/// An array in borrowed memory: a dtype, a shape and the bytes from one element to the next along each axis.
///
/// Strides may be negative or 0 and need not be multiples of the element's size. Every address that shape and strides can reach
/// was checked when the view was made.
///
/// ```
/// use broadaxe::{Array, DType, View};
/// let bytes: Vec<u8> = (0..6).collect();
/// // The columns of a (2, 3) array as rows, the last column first.
/// let view = View::new(DType::U8, &bytes, &[3, 2], &[-1, 3], 2)?;
/// assert_eq!(Array::from_view(&view)?.as_bytes(), [2, 5, 1, 4, 0, 3]);
/// # Ok::<(), broadaxe::Error>(())
/// ```
#[derive(Clone)]
pub struct View<'a> {
    dtype: DType,
    shape: Shape,
    strides: Vec<isize>,
    input: Input<'a>,
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        layout(f, "View", self.dtype, &self.shape, &self.strides)
    }
}

impl fmt::Debug for ViewMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        layout(f, "ViewMut", self.dtype, &self.shape, &self.strides)
    }
}

/// Writes the layout of a view and none of its elements.
fn layout(f: &mut fmt::Formatter<'_>, name: &str, dtype: DType, shape: &Shape, strides: &[isize]) -> fmt::Result {
    f.debug_struct(name).field("dtype", &dtype).field("shape", shape).field("strides", &strides).finish_non_exhaustive()
}

impl<'a> View<'a> {
    /// Makes a view of these bytes; the element of all-zero index is `offset` bytes in, strides are in bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Layout`] when an element would lie outside the bytes, [`ErrorKind::Shape`] when the shape cannot be counted.
    pub fn new(
        dtype: DType,
        bytes: &'a [u8],
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Self, Error> {
        Self::from_input(dtype, Input::new(bytes, offset), shape, strides)
    }

    /// Makes a view of a row-major array in these bytes, which it fills from the first.
    ///
    /// # Errors
    /// As for [`View::new`].
    pub fn contiguous(dtype: DType, bytes: &'a [u8], shape: &[usize]) -> Result<Self, Error> {
        elements(shape)?;
        Self::new(dtype, bytes, shape, &byte_strides(dtype, shape), 0)
    }

    /// Makes a view of elements in a slice; strides are in elements, and the element of all-zero index is number `offset`.
    ///
    /// See [`apply_into_with`](crate::apply_into_with) for an example.
    ///
    /// # Errors
    /// As for [`View::new`].
    pub fn from_slice<T: Element>(
        elements: &'a [T],
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Self, Error> {
        let offset = offset.saturating_mul(T::DTYPE.size());
        Self::from_input(T::DTYPE, Input::new(tile::bytes(elements), offset), shape, &in_bytes(T::DTYPE, strides))
    }

    /// Makes a view of memory that others may write, as [`Input`] holds it.
    ///
    /// # Errors
    /// As for [`View::new`].
    pub fn from_input(dtype: DType, input: Input<'a>, shape: &[usize], strides: &[isize]) -> Result<Self, Error> {
        check(dtype, shape, strides, (input.offset(), input.len()))?;
        Ok(Self { dtype, shape: shape.into(), strides: strides.to_vec(), input })
    }

    /// Returns the dtype.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the dims, the slowest first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the strides in bytes.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Returns the same elements with the axes in the reverse order.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut view = self.clone();
        view.shape = self.shape.iter().rev().copied().collect::<Vec<_>>().into();
        view.strides.reverse();
        view
    }

    /// Makes a view of no memory, for decisions that depend on how elements lie and not on where.
    pub(crate) fn of_nothing(dtype: DType, shape: &[usize]) -> Self {
        Self { dtype, shape: shape.into(), strides: byte_strides(dtype, shape), input: Input::new(&[], 0) }
    }

    /// Makes a view of no memory with this layout.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the shape cannot be counted, [`ErrorKind::Layout`] when there is not one stride per axis.
    pub(crate) fn of_layout(dtype: DType, shape: &[usize], strides: &[isize]) -> Result<Self, Error> {
        elements(shape)?;
        one_per_axis(shape, strides)?;
        Ok(Self { dtype, shape: shape.into(), strides: strides.to_vec(), input: Input::new(&[], 0) })
    }

    pub(crate) fn input(&self) -> Input<'a> {
        self.input
    }
}

/// An array in borrowed memory that is written; as [`View`] otherwise.
///
/// ```
/// use broadaxe::{Array, DType, Rule, ViewMut, apply_into, ops};
/// let a = Array::from_vec([2, 2], vec![1_u8, 2, 3, 4])?;
/// // The result goes into every second byte, the last row first.
/// let mut bytes = [0; 8];
/// let out = ViewMut::new(DType::U8, &mut bytes, &[2, 2], &[-4, 2], 4)?;
/// apply_into(ops::NEG, &Rule::numpy(), &[a.view()], out)?;
/// assert_eq!(bytes.map(|byte| byte as i8), [-3, 0, -4, 0, -1, 0, -2, 0]);
/// # Ok::<(), broadaxe::Error>(())
/// ```
pub struct ViewMut<'a> {
    dtype: DType,
    shape: Shape,
    strides: Vec<isize>,
    output: Output<'a>,
}

impl<'a> ViewMut<'a> {
    /// Makes a view of these bytes; the element of all-zero index is `offset` bytes in, strides are in bytes.
    ///
    /// # Errors
    /// As for [`View::new`]. Whether elements share memory is found when the view is written.
    pub fn new(
        dtype: DType,
        bytes: &'a mut [u8],
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Self, Error> {
        Self::from_output(dtype, Output::new(bytes, offset), shape, strides)
    }

    /// Makes a view of elements in a slice; strides are in elements, and the element of all-zero index is number `offset`.
    ///
    /// See [`apply_into_with`](crate::apply_into_with) for an example.
    ///
    /// # Errors
    /// As for [`ViewMut::new`].
    pub fn from_slice<T: Element>(
        elements: &'a mut [T],
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Self, Error> {
        let offset = offset.saturating_mul(T::DTYPE.size());
        Self::from_output(T::DTYPE, Output::new(tile::bytes_mut(elements), offset), shape, &in_bytes(T::DTYPE, strides))
    }

    /// Makes a view of memory that inputs may share, as [`Output`] holds it.
    ///
    /// # Errors
    /// As for [`ViewMut::new`].
    pub fn from_output(dtype: DType, output: Output<'a>, shape: &[usize], strides: &[isize]) -> Result<Self, Error> {
        check(dtype, shape, strides, (output.offset(), output.len()))?;
        Ok(Self { dtype, shape: shape.into(), strides: strides.to_vec(), output })
    }

    /// Returns the dtype.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the dims, the slowest first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the strides in bytes.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    pub(crate) fn into_output(self) -> Output<'a> {
        self.output
    }
}

/// Checks that every element of an array that begins at byte `offset` is inside its buffer.
fn check(dtype: DType, shape: &[usize], strides: &[isize], (offset, len): (usize, usize)) -> Result<(), Error> {
    let count = elements(shape)?;
    one_per_axis(shape, strides)?;
    let (mut low, mut high) = (offset as i128, offset as i128 + dtype.size() as i128);
    for (&dim, &stride) in shape.iter().zip(strides).filter(|&(&dim, _)| dim > 1) {
        let span = (dim as i128 - 1) * stride as i128;
        low += span.min(0);
        high += span.max(0);
    }
    if count > 0 && (low < 0 || high > len as i128) {
        let text = format!(
            "an array of {dtype} {} with strides {strides:?} reaches bytes {low} to {high} of a buffer of {len}",
            Shape::from(shape),
        );
        return Err(Error::new(ErrorKind::Layout, text));
    }
    Ok(())
}

fn one_per_axis(shape: &[usize], strides: &[isize]) -> Result<(), Error> {
    if strides.len() == shape.len() {
        return Ok(());
    }
    let text = format!("{} strides for a shape of rank {}; there must be one per axis", strides.len(), shape.len());
    Err(Error::new(ErrorKind::Layout, text))
}

/// Returns strides in bytes. One that is too large stays too large for any memory.
fn in_bytes(dtype: DType, strides: &[isize]) -> Vec<isize> {
    strides.iter().map(|stride| stride.saturating_mul(dtype.size() as isize)).collect()
}

/// Returns the strides in bytes of a row-major array; the shape was counted before.
pub(crate) fn byte_strides(dtype: DType, shape: &[usize]) -> Vec<isize> {
    contiguous_strides(shape).iter().map(|stride| stride.wrapping_mul(dtype.size() as isize)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        let bytes = [0u8; 24];
        let cases: &[(&[usize], &[isize], usize, bool)] = &[
            (&[2, 3], &[12, 4], 0, true),
            (&[2, 3], &[12, 4], 1, false),
            (&[2, 3], &[-12, -4], 20, true),
            (&[2, 3], &[-12, -4], 16, false),
            (&[1000], &[0], 20, true),
            (&[0, 1 << 40], &[1 << 50, 4], 0, true),
            (&[2, 2], &[isize::MAX, 4], 0, false),
            (&[2], &[isize::MIN], 0, false),
            (&[2], &[4, 4], 0, false),
            (&[1 << 40, 1 << 40], &[0, 0], 0, false),
            (&[], &[], 20, true),
            (&[], &[], 21, false),
            (&[], &[], usize::MAX, false),
        ];
        for &(shape, strides, offset, good) in cases {
            let view = View::new(DType::F32, &bytes, shape, strides, offset);
            assert_eq!(view.is_ok(), good, "{shape:?} {strides:?} at {offset}");
        }
    }

    /// Slices count in elements what bytes count in bytes, and reject what is outside them.
    #[test]
    fn slices_are_counted_in_elements() {
        let mut floats = [0.0_f32; 6];
        let cases: &[(&[usize], &[isize], usize, bool)] = &[
            (&[2, 3], &[3, 1], 0, true),
            (&[2, 3], &[3, 1], 1, false),
            (&[2, 3], &[-3, -1], 5, true),
            (&[2, 3], &[-3, -1], 4, false),
            (&[1000], &[0], 5, true),
            (&[1], &[isize::MAX], 5, true),
            (&[2], &[isize::MAX], 0, false),
            (&[2], &[isize::MIN], 5, false),
            (&[2], &[], 0, false),
            (&[], &[], 6, false),
            (&[], &[], usize::MAX, false),
            (&[0], &[1], usize::MAX, true),
        ];
        for &(shape, strides, offset, good) in cases {
            let view = View::from_slice(&floats, shape, strides, offset);
            assert_eq!(view.is_ok(), good, "{shape:?} {strides:?} at {offset}");
            let view = ViewMut::from_slice(&mut floats, shape, strides, offset);
            assert_eq!(view.is_ok(), good, "{shape:?} {strides:?} at {offset}, to write");
        }
        let view = View::from_slice(&floats, &[2, 3], &[-3, 1], 3).expect("fits");
        assert_eq!((view.dtype(), view.strides()), (DType::F32, &[-12, 4][..]));
    }
}
