//! Arrays that own their memory.

use broadaxe_kernels::{Buffer, DType, Element, Output, Program, Serial, Slot, Step, copy, run, tile};
use broadaxe_shape::{Shape, elements};

use crate::{
    error::{Error, ErrorKind},
    memory,
    plan::Plan,
    view::{View, byte_strides},
};

/// An array of its own: a dtype, a shape, and its elements one after the other, the last axis fastest.
///
/// ```
/// use broadaxe::{Array, DType};
/// let array = Array::from_vec([2, 3], vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!((array.dtype(), array.shape()), (DType::F32, &[2, 3][..]));
/// assert_eq!(array.as_slice::<f32>().map(|s| s[5]), Some(6.0));
/// # Ok::<(), broadaxe::Error>(())
/// ```
#[derive(Debug)]
pub struct Array {
    dtype: DType,
    shape: Shape,
    buffer: Buffer,
}

/// Counts the bytes of an array.
///
/// # Errors
/// [`ErrorKind::Shape`] when they cannot be counted.
pub(crate) fn byte_count(dtype: DType, shape: &[usize]) -> Result<usize, Error> {
    elements(shape)?.checked_mul(dtype.size()).filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(|| {
        Error::new(
            ErrorKind::Memory,
            format!("an array of {dtype} {} has more bytes than an address can count", Shape::from(shape)),
        )
    })
}

impl Array {
    /// Makes an array of zeros.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] when not enough memory for it, [`ErrorKind::Shape`] when its elements cannot be counted.
    pub fn zeros(dtype: DType, shape: impl Into<Shape>) -> Result<Self, Error> {
        Self::made(dtype, shape.into(), Buffer::zeroed)
    }

    /// Makes an array of old memory, for results whose elements are all written before they are read.
    ///
    /// Where one of them is rejected the array must be dropped.
    pub(crate) fn unwritten(dtype: DType, shape: impl Into<Shape>) -> Result<Self, Error> {
        memory::start_keeping()?;
        Self::made(dtype, shape.into(), Buffer::uninit)
    }

    fn made(dtype: DType, shape: Shape, buffer: fn(usize) -> Option<Buffer>) -> Result<Self, Error> {
        let bytes = byte_count(dtype, &shape)?;
        let buffer = buffer(bytes).ok_or_else(|| {
            Error::new(ErrorKind::Memory, format!("no memory for {bytes} bytes, an array of {dtype} {shape}"))
        })?;
        Ok(Self { dtype, shape, buffer })
    }

    /// Copies elements in row-major order.
    ///
    /// # Errors
    /// [`ErrorKind::Layout`] when their number is not the shape's; as [`Array::zeros`] otherwise.
    pub fn from_bytes(dtype: DType, shape: impl Into<Shape>, bytes: &[u8]) -> Result<Self, Error> {
        let shape = shape.into();
        let want = byte_count(dtype, &shape)?;
        if bytes.len() != want {
            let text = format!("an array of {dtype} {shape} has {want} bytes, not {}", bytes.len());
            return Err(Error::new(ErrorKind::Layout, text));
        }
        let mut array = Self::unwritten(dtype, shape)?;
        array.as_bytes_mut().copy_from_slice(bytes);
        Ok(array)
    }

    /// Makes an array of elements in row-major order.
    ///
    /// # Errors
    /// As for [`Array::from_bytes`].
    #[allow(clippy::needless_pass_by_value)] // An owner is what callers have; it may be kept instead of copied one day.
    pub fn from_vec<T: Element>(shape: impl Into<Shape>, elements: Vec<T>) -> Result<Self, Error> {
        Self::from_bytes(T::DTYPE, shape, tile::bytes(&elements))
    }

    /// Copies the elements of a view.
    ///
    /// # Errors
    /// As for [`Array::zeros`].
    pub fn from_view(view: &View<'_>) -> Result<Self, Error> {
        let mut array = Self::unwritten(view.dtype(), view.shape())?;
        let kernel = copy(view.dtype());
        let layout = |text: String| Error::new(ErrorKind::Layout, text);
        let program = Program::new(kernel.inputs().to_vec(), vec![Step::new(kernel, [Slot::Input(0)])]);
        let program = program.ok_or_else(|| layout(String::from("a copy is not a program")))?;
        let plan = Plan::new(view.shape(), &byte_strides(view.dtype(), view.shape()), &[view.strides().to_vec()]);
        let output = Output::new(array.buffer.bytes_mut(), 0);
        run(&program, plan.nest(), &[view.input()], output, &Serial, None)
            .map_err(|failure| layout(format!("{failure:?}")))?;
        Ok(array)
    }

    /// Returns the dtype.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the dims, the slowest first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the same elements in another shape of as many.
    pub(crate) fn reshaped(self, shape: Shape) -> Self {
        debug_assert_eq!(shape.iter().product::<usize>(), self.shape.iter().product::<usize>());
        Self { shape, ..self }
    }

    /// Returns the memory as an array of another dtype of the same size; all elements must be written again.
    pub(crate) fn retyped(self, dtype: DType) -> Self {
        debug_assert_eq!(dtype.size(), self.dtype.size());
        Self { dtype, ..self }
    }

    pub(crate) fn buffer_mut(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// Returns the elements' bytes, in this machine's order.
    pub fn as_bytes(&self) -> &[u8] {
        self.buffer.bytes()
    }

    /// Returns the elements' bytes to write.
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        self.buffer.bytes_mut()
    }

    /// Returns the elements, where they are of type `T`.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        if T::DTYPE == self.dtype { tile::elements(self.as_bytes()) } else { None }
    }

    /// Returns the elements to write, where they are of type `T`.
    pub fn as_mut_slice<T: Element>(&mut self) -> Option<&mut [T]> {
        if T::DTYPE == self.dtype { tile::elements_mut(self.as_bytes_mut()) } else { None }
    }

    /// Returns a view of the whole array.
    pub fn view(&self) -> View<'_> {
        let strides = byte_strides(self.dtype, &self.shape);
        match View::new(self.dtype, self.as_bytes(), &self.shape, &strides, 0) {
            Ok(view) => view,
            Err(error) => unreachable!("an array fills its buffer: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_checked() {
        assert!(Array::from_vec([2, 2], vec![1_i32, 2, 3]).is_err());
        assert_eq!(Array::zeros(DType::F64, [0, 1 << 40]).map(|a| a.as_bytes().len()), Ok(0));
        assert_eq!(Array::zeros(DType::F64, [0, 1 << 62, 4]).map_err(|e| e.kind()).err(), Some(ErrorKind::Shape));
        assert_eq!(Array::zeros(DType::F64, [1 << 61]).map_err(|e| e.kind()).err(), Some(ErrorKind::Memory));
        assert_eq!(Array::zeros(DType::U8, [1 << 60]).map_err(|e| e.kind()).err(), Some(ErrorKind::Memory));
    }

    #[test]
    fn views_are_copied_in_order() {
        let array = Array::from_vec([2, 3], vec![1_i16, 2, 3, 4, 5, 6]).expect("six");
        let copy = Array::from_view(&array.view().transposed()).expect("copy");
        assert_eq!((copy.shape(), copy.as_slice::<i16>()), (&[3, 2][..], Some(&[1, 4, 2, 5, 3, 6][..])));
    }
}
