//! A layer whose results are asked for: its parameters, and the extents that it reads.

use std::cell::Cell;

use broadaxe_shape::symbolic::Dim;

use super::Blob;
use crate::{
    graph::{Attribute, Node},
    infer::Size,
};

/// The shapes of a layer's results, or why they are not known.
pub(super) type Made = Result<Vec<Vec<Size>>, String>;

/// A layer with what is known of its inputs.
pub(super) struct Call<'a> {
    pub(super) node: &'a Node,
    pub(super) inputs: Vec<Result<&'a Blob, &'a str>>,
    pub(super) open: &'a Cell<u32>,
}

/// Makes the size of a dim, with a number of its own where it has no name.
pub(super) fn size(dim: &Dim, open: &Cell<u32>) -> Size {
    let mut number = open.get();
    let size = Size::of(dim, &mut number);
    open.set(number);
    size
}

/// Makes a known extent.
pub(super) fn n(size: i64) -> Size {
    Size::known(size)
}

impl Call<'_> {
    /// Returns a parameter that is a whole number.
    pub(super) fn int(&self, number: &str, otherwise: i64) -> i64 {
        match self.node.attribute(number) {
            Some(Attribute::Int(value)) => *value,
            // ncnn reads the bits of what it asks for; a float where a whole number belongs is 0 at best.
            Some(Attribute::Float(value)) => *value as i64,
            _ => otherwise,
        }
    }

    /// Returns a parameter that is a number.
    pub(super) fn float(&self, number: &str, otherwise: f64) -> f64 {
        match self.node.attribute(number) {
            Some(Attribute::Int(value)) => *value as f64,
            Some(Attribute::Float(value)) => *value,
            _ => otherwise,
        }
    }

    /// Returns a parameter that is a list of whole numbers; empty without it.
    pub(super) fn ints(&self, number: &str) -> &[i64] {
        self.node.attribute(number).and_then(Attribute::ints).unwrap_or(&[])
    }

    /// Returns how many numbers a list has.
    pub(super) fn count(&self, number: &str) -> i64 {
        match self.node.attribute(number) {
            Some(Attribute::Ints(values)) => values.len() as i64,
            Some(Attribute::Floats(values)) => values.len() as i64,
            _ => 0,
        }
    }

    /// Returns a parameter that is a text.
    pub(super) fn text(&self, number: &str) -> Option<&str> {
        self.node.attribute(number).and_then(Attribute::text).filter(|text| !text.is_empty())
    }

    /// Returns the extents of input `k`.
    pub(super) fn dims(&self, k: usize) -> Result<&[Size], String> {
        match self.inputs.get(k) {
            Some(Ok(blob)) if (1..=4).contains(&blob.dims.len()) => Ok(&blob.dims),
            Some(Ok(blob)) => {
                Err(format!("{} reads a blob of rank {}; ncnn has ranks 1 to 4", self.node.op, blob.dims.len()))
            }
            Some(Err(why)) => Err((*why).to_owned()),
            None => Err(format!("{} has no input {k}", self.node.op)),
        }
    }

    /// Returns w, h, d and c of input `k`; 1 for those that it does not have.
    pub(super) fn whdc(&self, k: usize) -> Result<[Size; 4], String> {
        Ok(whdc(self.dims(k)?))
    }

    /// Returns how many samples input `k` has.
    pub(super) fn samples(&self, k: usize) -> Size {
        self.inputs.get(k).and_then(|input| input.ok()).map_or_else(|| n(1), |blob| blob.samples.clone())
    }

    /// Makes an extent of which nothing is known.
    pub(super) fn open(&self) -> Size {
        size(&Dim::unknown(), self.open)
    }

    /// Returns a size, or an unknown one where it cannot be said.
    pub(super) fn or_open(&self, size: Option<Size>) -> Size {
        size.unwrap_or_else(|| self.open())
    }

    /// Multiplies.
    pub(super) fn product(&self, sizes: &[Size]) -> Size {
        self.or_open(sizes.iter().try_fold(n(1), |product, size| product.times(size)))
    }

    /// Makes a reason that begins with the layer's type.
    pub(super) fn refuse<T>(&self, why: &str) -> Result<T, String> {
        Err(format!("{}: {why}", self.node.op))
    }

    /// Returns an axis of a rank; one from the end is negative.
    pub(super) fn axis(&self, axis: i64, rank: usize) -> Result<usize, String> {
        let counted = if axis < 0 { axis + rank as i64 } else { axis };
        match usize::try_from(counted) {
            Ok(counted) if counted < rank => Ok(counted),
            _ => self.refuse(&format!("there is no axis {axis} of rank {rank}")),
        }
    }
}

/// Returns w, h, d and c of a row-major shape.
pub(super) fn whdc(dims: &[Size]) -> [Size; 4] {
    let at = |k: usize| dims.get(k).cloned().unwrap_or_else(|| n(1));
    match dims.len() {
        1 => [at(0), n(1), n(1), n(1)],
        2 => [at(1), at(0), n(1), n(1)],
        3 => [at(2), at(1), n(1), at(0)],
        _ => [at(3), at(2), at(1), at(0)],
    }
}
