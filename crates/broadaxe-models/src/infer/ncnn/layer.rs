//! Reads the parameters of a layer by number, and the extents of a blob as w, h, d and c.

use crate::{
    graph::Attribute,
    infer::{
        Size,
        call::{Call, Made, Stop, because},
        tensor::{Tensor, product},
    },
};

/// Makes a known extent.
pub(crate) fn n(size: i64) -> Size {
    Size::known(size)
}

/// Returns one result of these extents.
pub(crate) fn one(dims: Vec<Size>) -> Made {
    Ok(vec![Tensor::of(dims)])
}

impl<'a> Call<'a> {
    /// Returns a parameter that is a whole number.
    pub(crate) fn param(&self, number: &str, otherwise: i64) -> i64 {
        match self.node.attribute(number) {
            Some(Attribute::Int(value)) => *value,
            // ncnn reinterprets the bits; a float that should be a whole number is 0 at best.
            Some(Attribute::Float(value)) => *value as i64,
            _ => otherwise,
        }
    }

    /// Returns a parameter that is a number.
    pub(crate) fn real(&self, number: &str, otherwise: f64) -> f64 {
        match self.node.attribute(number) {
            Some(Attribute::Int(value)) => *value as f64,
            Some(Attribute::Float(value)) => *value,
            _ => otherwise,
        }
    }

    /// Returns a parameter that is a list of whole numbers; empty without it.
    pub(crate) fn list(&self, number: &str) -> &'a [i64] {
        self.node.attribute(number).and_then(Attribute::ints).unwrap_or(&[])
    }

    /// Returns the length of a list of numbers.
    pub(crate) fn count(&self, number: &str) -> i64 {
        match self.node.attribute(number) {
            Some(Attribute::Ints(values)) => values.len() as i64,
            Some(Attribute::Floats(values)) => values.len() as i64,
            _ => 0,
        }
    }

    /// Returns a parameter that is a text, unless it is empty.
    pub(crate) fn expression(&self, number: &str) -> Option<&'a str> {
        self.text(number).filter(|text| !text.is_empty())
    }

    /// Returns the extents of an input, which must have a rank that ncnn supports.
    pub(crate) fn blob(&self, k: usize) -> Result<&'a [Size], Stop> {
        match self.dims(k)? {
            dims if (1..=4).contains(&dims.len()) => Ok(dims),
            dims => self.refuse(&format!("input {k} has rank {}; ncnn has ranks 1 to 4", dims.len())),
        }
    }

    /// Returns w, h, d and c of an input; 1 for axes that it does not have.
    pub(crate) fn whdc(&self, k: usize) -> Result<[Size; 4], Stop> {
        Ok(whdc(self.blob(k)?))
    }

    /// Returns the product, or an unknown extent.
    pub(crate) fn product(&self, sizes: &[Size]) -> Size {
        self.or_open(product(sizes))
    }

    /// Returns an error that begins with the type of the layer.
    pub(crate) fn refuse<T>(&self, why: &str) -> Result<T, Stop> {
        because(format!("{}: {why}", self.node.op))
    }
}

/// Returns w, h, d and c of a row-major shape.
pub(crate) fn whdc(dims: &[Size]) -> [Size; 4] {
    let at = |k: usize| dims.get(k).cloned().unwrap_or_else(|| n(1));
    match dims.len() {
        1 => [at(0), n(1), n(1), n(1)],
        2 => [at(1), at(0), n(1), n(1)],
        3 => [at(2), at(1), n(1), at(0)],
        _ => [at(3), at(2), at(1), at(0)],
    }
}
