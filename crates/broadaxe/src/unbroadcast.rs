//! Unbroadcasting: the reverse of a broadcast, for gradients.
//!
//! Where an operand was repeated, each of its elements went into several of the result's, and the gradient with respect to it
//! is the sum of theirs. The alignment has those axes under every rule.

use broadaxe_kernels::Reduction;
use broadaxe_shape::{Alignment, Rule, Shape};

use crate::{
    array::Array,
    error::{Error, ErrorKind},
    eval::{Evaluation, Options},
    graph::Graph,
    view::View,
};

/// Sums a gradient of a result back to an operand of this shape, which broadcast to the gradient's under the rule.
///
/// The operand counts as the second of two, the first of which has the gradient's shape; under a rule with a target it is the
/// only one. The result has the gradient's dtype. Where the rule aligns more operands, see [`unbroadcast_operand`].
///
/// # Errors
/// [`ErrorKind::Shape`] when the shape does not broadcast to that of the gradient; as [`Evaluation::run`] otherwise.
///
/// ```
/// use broadaxe::{Array, Rule, unbroadcast};
/// let gradient = Array::from_vec([2, 3], vec![1_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let bias = unbroadcast(&gradient.view(), &[3], &Rule::numpy())?;
/// assert_eq!((bias.shape(), bias.as_slice()), (&[3][..], Some(&[5_f32, 7.0, 9.0][..])));
/// let rows = unbroadcast(&gradient.view(), &[2], &Rule::pdpd(0))?;
/// assert_eq!(rows.as_slice(), Some(&[6_f32, 15.0][..]));
/// # Ok::<(), broadaxe::Error>(())
/// ```
pub fn unbroadcast(gradient: &View, shape: &[usize], rule: &Rule) -> Result<Array, Error> {
    let (alignment, operand) = aligned(gradient.shape(), shape, rule)?;
    unbroadcast_operand(gradient, &alignment, operand, Options::default())
}

/// Lists the axes of a gradient of this shape that [`unbroadcast`] sums over, in order.
///
/// # Errors
/// As [`unbroadcast`] for shapes; [`ErrorKind::Shape`] where the operand is tiled.
///
/// ```
/// use broadaxe::{Rule, unbroadcast_axes};
/// assert_eq!(unbroadcast_axes(&[2, 3, 4], &[3, 1], &Rule::numpy())?, [0, 2]);
/// # Ok::<(), broadaxe::Error>(())
/// ```
pub fn unbroadcast_axes(gradient: &[usize], shape: &[usize], rule: &Rule) -> Result<Vec<usize>, Error> {
    let (alignment, operand) = aligned(gradient, shape, rule)?;
    if alignment.is_tiled() {
        let text = format!(
            "{} is tiled to {} under {rule}: whole axes of the gradient are not what its elements are summed over",
            Shape::from(shape),
            alignment.shape()
        );
        return Err(Error::new(ErrorKind::Shape, text));
    }
    Ok(repeated(&alignment, operand))
}

/// Aligns an operand with the result that its gradient has the shape of; returns its number too.
fn aligned(gradient: &[usize], shape: &[usize], rule: &Rule) -> Result<(Alignment, usize), Error> {
    let (alignment, operand) =
        if rule.def().target { (rule.align(&[shape])?, 0) } else { (rule.align(&[gradient, shape])?, 1) };
    if alignment.shape().dims() == gradient {
        return Ok((alignment, operand));
    }
    let text = format!(
        "{} broadcasts to {} under {rule}, and the gradient is {}; they must be equal",
        Shape::from(shape),
        alignment.shape(),
        Shape::from(gradient)
    );
    Err(Error::new(ErrorKind::Shape, text))
}

/// Lists the axes of the result, split where an operand is tiled, along which an operand repeats.
fn repeated(alignment: &Alignment, operand: usize) -> Vec<usize> {
    if alignment.is_tiled() {
        let (loops, strides) = (alignment.loop_shape(), alignment.strides(operand));
        return (0..loops.len()).filter(|&axis| loops[axis] != 1 && strides[axis] == 0).collect();
    }
    let (result, placed) = (alignment.shape(), &alignment.operands()[operand]);
    let own = |axis: usize| placed.axes().iter().position(|&at| at == axis).map(|i| placed.shape()[i]);
    (0..result.len()).filter(|&axis| own(axis) != Some(result[axis])).collect()
}

/// Sums a gradient of an alignment's result back to the shape of operand `operand`.
///
/// # Errors
/// [`ErrorKind::Argument`] when the gradient does not have the result's shape, or the operand does not exist; as [`Evaluation::run`]
/// otherwise.
pub fn unbroadcast_operand(
    gradient: &View,
    alignment: &Alignment,
    operand: usize,
    options: Options,
) -> Result<Array, Error> {
    let result = alignment.shape();
    let Some(placed) = alignment.operands().get(operand).filter(|_| result.dims() == gradient.shape()) else {
        let text = format!(
            "operand {operand} of {} with a gradient {}; there are that many operands, and the result is {result}",
            alignment.operands().len(),
            Shape::from(gradient.shape())
        );
        return Err(Error::new(ErrorKind::Argument, text));
    };
    let cut = |(&dim, &axis): (&usize, &usize)| dim != 1 && dim != result[axis];
    if result.contains(&0) && placed.shape().iter().zip(placed.axes()).any(cut) {
        return Array::zeros(gradient.dtype(), placed.shape().clone());
    }
    let repeated: Vec<i64> = repeated(alignment, operand).into_iter().map(|axis| axis as i64).collect();
    let mut graph = Graph::new();
    let loops = alignment.loop_shape();
    let node = graph.input(gradient.dtype(), &loops)?;
    let split = alignment.split(gradient.strides());
    let gradient = View::from_input(gradient.dtype(), gradient.input(), &loops, &split)?;
    let sum = if repeated.is_empty() { node } else { graph.reduce(Reduction::Sum, node, Some(&repeated), false)? };
    let sum = graph.cast(sum, gradient.dtype());
    let array = Evaluation::new(&graph, sum, vec![gradient.clone()], options)?.run()?;
    Ok(array.reshaped(placed.shape().clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use broadaxe_shape::{Params, RULES};

    /// Draws numbers below a bound.
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, bound: u64) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) % bound) as usize
        }

        fn shape(&mut self) -> Vec<usize> {
            (0..self.below(4))
                .map(|_| [1, 1, 2, 3, 4, 0][self.below(if self.0.is_multiple_of(8) { 6 } else { 5 })])
                .collect()
        }
    }

    /// Sums element by element.
    fn naive(gradient: &[f32], alignment: &Alignment, operand: usize) -> Vec<f32> {
        let (shape, strides) = (&alignment.loop_shape(), alignment.strides(operand));
        let mut sums = vec![0.0; alignment.operands()[operand].shape().iter().product()];
        for (number, &x) in gradient.iter().enumerate() {
            let (mut rest, mut at) = (number, 0);
            for axis in (0..shape.len()).rev() {
                at += rest % shape[axis] * strides[axis] as usize;
                rest /= shape[axis];
            }
            sums[at] += x;
        }
        sums
    }

    #[test]
    fn gradients_are_summed_under_every_rule() {
        let mut draw = Draw(5);
        for def in RULES {
            let (mut repeated, mut tries) = (0, 0);
            while repeated < 20 {
                tries += 1;
                assert!(tries < 100_000, "{} broadcasts nothing", def.name);
                let mut params = Params::default();
                if def.target {
                    params.target = Some(draw.shape().into());
                }
                if !matches!(def.axis, broadaxe_shape::AxisParam::None) && draw.below(2) == 0 {
                    params.axis = Some(draw.below(4) as i64 - 1);
                }
                if def.axes {
                    params.axes = Some((0..4).filter(|_| draw.below(2) == 0).collect());
                }
                if !def.modes.is_empty() {
                    params.mode = Some(def.modes[draw.below(def.modes.len() as u64)]);
                }
                let Ok(rule) = Rule::new(def.name, params) else { continue };
                let count = def.operands.0 + draw.below((def.operands.1.min(3) - def.operands.0.min(3) + 1) as u64);
                let shapes: Vec<Vec<usize>> = (0..count).map(|_| draw.shape()).collect();
                let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
                let Ok(alignment) = rule.align(&shapes) else { continue };
                let elements: usize = alignment.shape().iter().product();
                let values: Vec<f32> = (0..elements).map(|_| draw.below(100) as f32).collect();
                let gradient = Array::from_vec(alignment.shape().clone(), values.clone()).expect("small");
                for operand in 0..alignment.operands().len() {
                    let got = unbroadcast_operand(&gradient.view(), &alignment, operand, Options::default());
                    let got = got.unwrap_or_else(|error| panic!("{rule} of {shapes:?}: {error}"));
                    let want = naive(&values, &alignment, operand);
                    let shape = alignment.operands()[operand].shape();
                    assert_eq!((got.shape(), got.as_slice()), (shape.dims(), Some(&want[..])), "{rule} of {shapes:?}");
                    repeated += usize::from(!alignment.is_identity(operand) || def.name == "none");
                }
            }
        }
    }

    #[test]
    fn gradients_of_other_shapes_are_refused() {
        let gradient = Array::zeros(crate::DType::F32, [2, 1]).expect("small");
        let error = unbroadcast(&gradient.view(), &[3], &Rule::numpy()).expect_err("grows");
        assert_eq!(
            error.to_string(),
            "(3,) broadcasts to (2, 3) under numpy, and the gradient is (2, 1); they must be equal"
        );
        let alignment = Rule::numpy().align(&[&[2, 1], &[1]]).expect("fits");
        let error = unbroadcast_operand(&gradient.view(), &alignment, 2, Options::default()).expect_err("no such one");
        assert_eq!(error.kind(), ErrorKind::Argument);
    }
}
