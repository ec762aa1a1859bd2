//! Computes where LiteRT's GPU delegate places a tensor on its four axes, and which elements a node then reads.
//!
//! The delegate knows the axes batch, height, width and channels. It places each tensor alone, by its own rank, and a
//! constant elsewhere than a tensor that is computed. Source: `ExtractTensorShape` in
//! `tflite/delegates/gpu/common/model_builder_helper.cc` and `ParseInputsWithConstTensorImpl` in `model_builder.cc`.

use crate::profiles::IndexTerm;

/// The axes of the delegate: batch, height, width, channels.
const AXES: usize = 4;
const BATCH: usize = 0;
const WIDTH: usize = 2;
const CHANNELS: usize = 3;

/// A tensor on the four axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    /// Its extents.
    pub(super) dims: [usize; AXES],
    /// Which of its own axes is on each.
    own: [Option<usize>; AXES],
}

impl Placed {
    fn new(dims: &[usize], slots: &[usize]) -> Self {
        let mut placed = Self { dims: [1; AXES], own: [None; AXES] };
        for (axis, &slot) in slots.iter().enumerate() {
            placed.own[slot] = Some(axis);
            placed.dims[slot] = dims[axis];
        }
        placed
    }

    /// Places a tensor that is computed; nothing where its rank is above 4.
    pub(super) fn computed(dims: &[usize]) -> Option<Self> {
        let slots: &[usize] = match dims.len() {
            0 => &[],
            1 => &[BATCH],
            2 => &[BATCH, CHANNELS],
            3 => &[BATCH, WIDTH, CHANNELS],
            4 => &[0, 1, 2, 3],
            _ => return None,
        };
        Some(Self::new(dims, slots))
    }

    /// Places a constant; nothing where its rank is above 4.
    pub(super) fn constant(dims: &[usize]) -> Option<Self> {
        let (last, others) = dims.split_last()?;
        if dims.len() > AXES {
            return None;
        }
        if others.iter().all(|&dim| dim == 1) {
            let mut placed = Self::new(&[], &[]);
            placed.dims[CHANNELS] = *last;
            return Some(placed);
        }
        let slots: Vec<usize> = (AXES - dims.len()..AXES).collect();
        Some(Self::new(dims, &slots))
    }

    fn strides(&self) -> [usize; AXES] {
        let mut strides = [1; AXES];
        for slot in (1..AXES).rev() {
            strides[slot - 1] = strides[slot] * self.dims[slot];
        }
        strides
    }

    /// Returns the terms of the position that each element of a result reads in this tensor.
    ///
    /// Along an axis of extent 1, and along a batch that is not the result's, entry 0 is read.
    pub(super) fn read_by(&self, result: &Self) -> Vec<IndexTerm> {
        let strides = self.strides();
        let runs = |slot: usize| self.dims[slot] != 1 && (slot != BATCH || self.dims[slot] == result.dims[slot]);
        let term = |slot: usize| Some(IndexTerm::along(result.own[slot]?, strides[slot]));
        sorted((0..AXES).filter(|&slot| runs(slot)).filter_map(term).collect())
    }

    /// Returns the terms where the delegate reads the batch of a constant as a part of the width: at width `w` it reads
    /// width `w / batch` and batch `w % batch`.
    pub(super) fn read_in_width(&self, result: &Self) -> Vec<IndexTerm> {
        let strides = self.strides();
        let batch = self.dims[BATCH];
        let mut terms = Vec::new();
        for slot in [1, CHANNELS] {
            terms.extend(
                result.own[slot].filter(|_| self.dims[slot] != 1).map(|axis| IndexTerm::along(axis, strides[slot])),
            );
        }
        if let Some(axis) = result.own[WIDTH].filter(|_| self.dims[WIDTH] != 1) {
            terms.push(IndexTerm { axis, step: batch, period: None, stride: strides[WIDTH] });
            terms.push(IndexTerm { axis, step: 1, period: Some(batch), stride: strides[BATCH] });
        }
        sorted(terms)
    }

    /// Says whether a result reads batches that the tensor does not have.
    pub(super) fn is_overrun_by(&self, result: &Self) -> bool {
        self.dims[BATCH] != 1 && result.dims[BATCH] > self.dims[BATCH]
    }
}

fn sorted(mut terms: Vec<IndexTerm>) -> Vec<IndexTerm> {
    terms.sort_by_key(|term| (term.axis, std::cmp::Reverse(term.stride)));
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists the positions that the elements of a result read.
    fn positions(result: &[usize], terms: &[IndexTerm]) -> Vec<usize> {
        let count: usize = result.iter().product();
        let index = |mut at: usize, axis: usize| {
            for (other, dim) in result.iter().enumerate().rev() {
                if other == axis {
                    return at % dim;
                }
                at /= dim;
            }
            0
        };
        (0..count).map(|at| terms.iter().map(|term| term.at(index(at, term.axis))).sum()).collect()
    }

    /// The examples that LiteRT 2.1.3, 2.1.6, 2.2.0 and 2.3.0 gave on WebGPU.
    #[test]
    fn what_constants_are_read_as() {
        type Case<'a> = (&'a [usize], &'a [usize], &'a [usize]);
        let cases: &[Case<'_>] = &[
            (&[2, 2], &[2, 2], &[0, 1, 0, 1]),
            (&[3], &[3], &[0, 0, 0]),
            (&[2, 3], &[2, 3], &[0, 1, 2, 0, 1, 2]),
            (&[2, 3, 4], &[4], &[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]),
            (&[2, 2], &[1, 1, 2], &[0, 1, 0, 1]),
        ];
        for (result, constant, want) in cases {
            let placed = Placed::constant(constant).expect("rank 4 at most");
            let terms = placed.read_by(&Placed::computed(result).expect("rank 4 at most"));
            assert_eq!(positions(result, &terms), *want, "{constant:?} in {result:?}");
        }
        let (result, constant) = ([2, 2, 2, 2], [2, 2, 2, 2]);
        let placed = Placed::constant(&constant).expect("rank 4");
        let terms = placed.read_in_width(&Placed::computed(&result).expect("rank 4"));
        let half = [0, 1, 8, 9, 4, 5, 12, 13];
        assert_eq!(positions(&result, &terms), [half, half].concat());
    }
}
