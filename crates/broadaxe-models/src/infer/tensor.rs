//! Holds what is known of a tensor during inference: extents, elements and batch.

use std::rc::Rc;

use broadaxe::{DType, bf16, f16};
use broadaxe_shape::symbolic::SymbolicShape;

use super::{Size, number::Number};
use crate::graph::{Constant, Element, Model};

/// The most elements of a tensor that is followed.
pub(crate) const FOLLOWED: usize = 1024;

/// The most floats of a constant that are followed: scales are few, and weights are none of them.
const FLOATS: usize = 64;

/// The elements of a tensor, each if it is known, in row-major order.
pub(crate) type Values = Rc<[Option<Number>]>;

/// The extents of a tensor, and its elements where they are followed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tensor {
    /// The extents, if the rank is known.
    pub(crate) dims: Option<Vec<Size>>,
    /// The elements, if they are followed.
    pub(crate) values: Option<Values>,
    /// The number of samples, where it is no axis; one where it is not given.
    pub(crate) batch: Option<Size>,
}

impl Tensor {
    /// Makes a tensor of these extents.
    pub(crate) fn of(dims: Vec<Size>) -> Self {
        Self { dims: Some(dims), ..Self::default() }
    }

    /// Makes a tensor of these extents, given as numbers.
    pub(crate) fn known(dims: &[usize]) -> Self {
        Self::of(dims.iter().map(|&dim| Size::known(i64::try_from(dim).unwrap_or(i64::MAX))).collect())
    }

    /// Makes a list of these elements.
    pub(crate) fn list(values: Vec<Option<Number>>) -> Self {
        let tensor = Self::known(&[values.len()]);
        tensor.with(Some(values))
    }

    /// Adds elements, if there are as many as the extents say, not too many, and one is known.
    pub(crate) fn with(mut self, values: Option<Vec<Option<Number>>>) -> Self {
        let fits = |values: &Vec<_>| self.count().is_some_and(|count| count == values.len() && count <= FOLLOWED);
        self.values = values.filter(fits).filter(|values| values.iter().any(Option::is_some)).map(Rc::from);
        self
    }

    /// Counts the elements, if all extents are known.
    pub(crate) fn count(&self) -> Option<usize> {
        count(self.dims.as_deref()?)
    }

    /// Returns the shape to show.
    pub(crate) fn shape(&self) -> SymbolicShape {
        match &self.dims {
            Some(dims) => SymbolicShape::new(dims.iter().map(Size::dim).collect::<Vec<_>>()),
            None => SymbolicShape::unknown_rank(),
        }
    }
}

/// Counts the elements of a tensor of these extents, if all are numbers.
pub(crate) fn count(dims: &[Size]) -> Option<usize> {
    dims.iter().try_fold(1usize, |count, size| count.checked_mul(size.extent()?))
}

/// Returns the extents as numbers, if all are, and if there are not too many elements to follow.
pub(crate) fn small(dims: &[Size]) -> Option<Vec<usize>> {
    count(dims).filter(|&count| count <= FOLLOWED)?;
    dims.iter().map(Size::extent).collect()
}

/// Returns the distances of neighbours on each axis.
pub(crate) fn strides(dims: &[usize]) -> Vec<i64> {
    let mut strides = vec![1; dims.len()];
    for axis in (1..dims.len()).rev() {
        strides[axis - 1] = strides[axis] * dims[axis] as i64;
    }
    strides
}

/// Picks elements at equal distances: a tensor of these extents, from the first on.
pub(crate) fn strided(
    values: &[Option<Number>],
    first: i64,
    strides: &[i64],
    dims: &[usize],
) -> Option<Vec<Option<Number>>> {
    let total: usize = dims.iter().product();
    let mut index = vec![0usize; dims.len()];
    let mut picked = Vec::with_capacity(total);
    for _ in 0..total {
        let at: i64 = first + index.iter().zip(strides).map(|(&i, stride)| i as i64 * stride).sum::<i64>();
        picked.push(values.get(usize::try_from(at).ok()?)?.clone());
        for axis in (0..dims.len()).rev() {
            index[axis] += 1;
            if index[axis] < dims[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    Some(picked)
}

/// Returns the strides that stretch a tensor to these extents, aligned at the last axis.
pub(crate) fn stretched(from: &[usize], to: &[usize]) -> Option<Vec<i64>> {
    let before = to.len().checked_sub(from.len())?;
    let own = strides(from).into_iter().zip(from).map(|(stride, &dim)| if dim == 1 { 0 } else { stride });
    Some(std::iter::repeat_n(0, before).chain(own).collect())
}

/// Multiplies extents, if that can be said.
pub(crate) fn product<'a>(dims: impl IntoIterator<Item = &'a Size>) -> Option<Size> {
    dims.into_iter().try_fold(Size::known(1), |product, size| product.times(size))
}

/// Reads the elements of a constant, if there are few.
pub(crate) fn read(model: &Model, constant: &Constant) -> Option<Values> {
    let count = constant.shape.iter().try_fold(1usize, |count, &dim| count.checked_mul(dim))?;
    let most = |dtype: &DType| if dtype.is_float() { FLOATS } else { FOLLOWED };
    let dtype = constant.element.dtype().filter(|dtype| count <= most(dtype))?;
    let bytes = model.elements(constant, count * dtype.size()).ok()??;
    let elements = bytes.chunks_exact(dtype.size());
    (elements.len() == count).then(|| elements.map(|bytes| decode(dtype, bytes)).collect())
}

fn decode(dtype: DType, bytes: &[u8]) -> Option<Number> {
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    let whole = match dtype {
        DType::Bool => i64::from(bits != 0),
        DType::I8 => i64::from(bits as i8),
        DType::I16 => i64::from(bits as i16),
        DType::I32 => i64::from(bits as i32),
        DType::I64 => bits as i64,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => i64::try_from(bits).ok()?,
        DType::F16 => return Some(Number::float(f64::from(f16::from_bits(bits as u16)))),
        DType::BF16 => return Some(Number::float(f64::from(bf16::from_bits(bits as u16)))),
        DType::F32 => return Some(Number::float(f64::from(f32::from_bits(bits as u32)))),
        DType::F64 => return Some(Number::float(f64::from_bits(bits))),
    };
    Some(Number::from(whole))
}

/// Returns the width of a float in bits, if it is one.
pub(crate) fn float_bits(element: Option<&Element>) -> Option<u32> {
    let dtype = element?.dtype()?;
    dtype.is_float().then(|| 8 * dtype.size() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements() {
        let cases: [(DType, &[u8], Option<f64>); 9] = [
            (DType::I8, &[0xff], Some(-1.0)),
            (DType::U8, &[0xff], Some(255.0)),
            (DType::I32, &[0xfe, 0xff, 0xff, 0xff], Some(-2.0)),
            (DType::I64, &[0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], Some(-3.0)),
            (DType::U64, &[0xff; 8], None),
            (DType::Bool, &[7], Some(1.0)),
            (DType::F16, &[0, 0x3e], Some(1.5)),
            (DType::BF16, &[0xc0, 0x3f], Some(1.5)),
            (DType::F32, &[0, 0, 0x20, 0x40], Some(2.5)),
        ];
        for (dtype, bytes, want) in cases {
            assert_eq!(decode(dtype, bytes).and_then(|number| number.value()), want, "{dtype}");
        }
    }

    #[test]
    fn elements_that_do_not_fit_are_left_out() {
        let one = || Some(Number::from(1));
        assert!(Tensor::known(&[2]).with(Some(vec![one()])).values.is_none());
        assert!(Tensor::known(&[1]).with(Some(vec![None])).values.is_none());
        assert!(Tensor::known(&[2000]).with(Some(vec![one(); 2000])).values.is_none());
        assert!(Tensor::known(&[2]).with(Some(vec![one(), None])).values.is_some());
    }
}
