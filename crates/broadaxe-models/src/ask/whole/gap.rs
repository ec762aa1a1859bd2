//! Compares what an engine gives with what is right.

use broadaxe::DType;

use super::super::{answer::index, run::Tensor};

/// How far two results may be apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    /// In parts of the element.
    relative: f64,
    /// In parts of the largest element.
    of_largest: f64,
    /// By how many units integers of 8 bits may differ.
    quanta: f64,
}

/// What engines round otherwise in one node.
pub(super) const OF_NODE: Tolerance = Tolerance { relative: 1e-3, of_largest: 1e-4, quanta: 0.0 };
/// In several nodes, whose sums they take in other orders.
pub(super) const OF_NODES: Tolerance = Tolerance { relative: 1e-3, of_largest: 3e-4, quanta: 1.0 };
/// In whole models.
pub(super) const OF_MODEL: Tolerance = Tolerance { relative: 1e-2, of_largest: 2e-3, quanta: 2.0 };

/// How two results differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Discrepancy {
    /// The index of the element that differs most.
    pub element: Vec<usize>,
    /// What is right; nothing where the shapes differ.
    pub here: Option<f64>,
    /// What the engine gives.
    pub there: Option<f64>,
    /// How many elements differ.
    pub wrong: usize,
    /// How many elements there are.
    pub count: usize,
    /// The largest difference, in parts of the largest element.
    pub largest: f64,
    /// The shape that the engine gives, where it is another.
    pub shape: Option<Vec<usize>>,
}

/// Compares two tensors; nothing where they are equal within a tolerance.
pub(super) fn gap(want: &Tensor, got: &Tensor, tolerance: Tolerance) -> Option<Discrepancy> {
    let count: usize = want.shape.iter().product();
    if want.shape != got.shape {
        let (element, shape) = (Vec::new(), Some(got.shape.clone()));
        return Some(Discrepancy {
            element,
            here: None,
            there: None,
            wrong: count,
            count,
            largest: f64::INFINITY,
            shape,
        });
    }
    if want.dtype == got.dtype && want.data == got.data {
        return None;
    }
    let (here, there) = (want.values(), got.values());
    let scale = here.iter().map(|value| value.abs()).filter(|value| value.is_finite()).fold(0.0, f64::max);
    let tolerance = tolerance.of(want.dtype, got.dtype);
    let apart: Vec<f64> = here.iter().zip(&there).map(|(&here, &there)| tolerance.apart(here, there, scale)).collect();
    let wrong = apart.iter().filter(|&&apart| apart > 0.0).count();
    let most = apart.iter().copied().fold(0.0, f64::max);
    let at = apart.iter().position(|&apart| apart > 0.0 && apart == most)?;
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    let largest = if scale > 0.0 { most / scale } else { f64::INFINITY };
    let (here, there) = (finite(here[at]), finite(there[at]));
    Some(Discrepancy { element: index(at, &want.shape), here, there, wrong, count, largest, shape: None })
}

impl Tolerance {
    /// Returns the tolerance of nodes of which none rounds: integers of 8 bits are exact, too.
    pub(super) fn without_quanta(self) -> Self {
        Self { quanta: 0.0, ..self }
    }

    /// Returns the tolerance for elements of these types: integers of more than 8 bits and bool are exact.
    fn of(self, want: DType, got: DType) -> Self {
        let half = |dtype| matches!(dtype, DType::F16 | DType::BF16);
        if want.is_float() && (half(want) || half(got)) {
            return Self { relative: self.relative.max(1e-2), of_largest: self.of_largest.max(4e-3), quanta: 0.0 };
        }
        let quanta = if matches!(want, DType::I8 | DType::U8) { self.quanta } else { 0.0 };
        if want.is_float() { Self { quanta: 0.0, ..self } } else { Self { relative: 0.0, of_largest: 0.0, quanta } }
    }
}

impl Tolerance {
    /// Returns by how much two elements differ, 0 within the tolerance; `scale` is the largest element.
    fn apart(self, here: f64, there: f64, scale: f64) -> f64 {
        // What overflows is no number to compare.
        if here == there || here.is_infinite() || here.is_nan() && there.is_nan() {
            return 0.0;
        }
        let apart = (here - there).abs();
        if apart <= self.relative * here.abs() + self.of_largest * scale + self.quanta {
            0.0
        } else if apart.is_finite() {
            apart
        } else {
            f64::INFINITY
        }
    }
}

impl Discrepancy {
    /// Says whether rounding may explain it: of low precision, or of quantised numbers.
    pub fn is_small(&self) -> bool {
        self.largest < 2e-2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::single::number_bytes;

    fn tensor(dtype: DType, values: &[f64]) -> Tensor {
        let data = values.iter().flat_map(|&value| number_bytes(dtype, value)).collect();
        Tensor { dtype, shape: vec![values.len()], data }
    }

    #[test]
    fn gaps() {
        use DType::{Bool, F16, F32, I32, I64, U8};
        let nan = f64::NAN;
        type Case<'a> = (DType, &'a [f64], DType, &'a [f64], Tolerance, Option<(usize, usize)>);
        let cases: &[Case] = &[
            (F32, &[1.0, 2.0], F32, &[1.0, 2.0], OF_NODE, None),
            (F32, &[1.0, 2.0], F32, &[1.0005, 2.0], OF_NODE, None),
            (F32, &[1.0, 2.0], F32, &[1.0, 2.5], OF_NODE, Some((1, 1))),
            (F32, &[1.0, 2.0], F32, &[9.0, 2.5], OF_NODE, Some((0, 2))),
            (F32, &[nan, 2.0], F32, &[nan, 2.0], OF_NODE, None),
            (F32, &[nan, 2.0], F32, &[1.0, 2.0], OF_NODE, Some((0, 1))),
            (F32, &[f64::INFINITY, 2.0], F32, &[f64::INFINITY, 2.0], OF_NODE, None),
            (F32, &[f64::INFINITY, 2.0], F32, &[9.0, 2.5], OF_NODE, Some((1, 1))),
            // Small next to the largest element.
            (F32, &[1e-9, 2.0], F32, &[2e-9, 2.0], OF_NODE, None),
            (F16, &[1.0, 2.0], F32, &[1.004, 2.0], OF_NODE, None),
            (I64, &[1.0, 2.0], I32, &[1.0, 2.0], OF_NODE, None),
            (I64, &[1000.0, 2.0], I32, &[1001.0, 2.0], OF_MODEL, Some((0, 1))),
            (U8, &[100.0, 2.0], U8, &[101.0, 2.0], OF_NODES, None),
            (U8, &[100.0, 2.0], U8, &[101.0, 2.0], OF_NODE, Some((0, 1))),
            (Bool, &[1.0, 0.0], I32, &[1.0, 0.0], OF_NODE, None),
            (Bool, &[1.0, 0.0], I32, &[1.0, 1.0], OF_NODES, Some((1, 1))),
        ];
        for (k, (one, want, other, got, tolerance, expected)) in cases.iter().enumerate() {
            let found = gap(&tensor(*one, want), &tensor(*other, got), *tolerance);
            let found = found.map(|gap| (gap.element[0], gap.wrong));
            assert_eq!(found, *expected, "case {k}");
        }
        let other = gap(&tensor(F32, &[1.0]), &tensor(F32, &[1.0, 1.0]), OF_MODEL).unwrap();
        assert_eq!(other.shape, Some(vec![2]));
    }
}
