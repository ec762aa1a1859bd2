//! Infers the shapes that follow from a change: of inserted nodes and of the nodes that read them.

use broadaxe_shape::Rule;
use broadaxe_shape::symbolic::{Dim, SymbolicShape};

use crate::{
    edit::{ShapeOp, list, rejected},
    error::Error,
    graph::Model,
};

/// Checks that a file that is read again still holds the same model.
pub(super) fn same(model: &Model, again: &Model) -> Result<(), Error> {
    if (again.nodes.len(), again.values.len()) == (model.nodes.len(), model.values.len()) {
        return Ok(());
    }
    Err(rejected("the file of the model changed since it was read; read it again"))
}

/// How the shape of a result follows from those of the inputs.
pub(super) enum ResultShape {
    /// This shape.
    Known(SymbolicShape),
    /// The recorded shape, unless it contradicts the elements of the first input in a shape as for `Reshape`.
    Recorded(SymbolicShape, Vec<i64>),
    /// The elements of the first input in another shape; 0 keeps an extent, -1 follows from the others.
    Reshape(Vec<i64>),
    /// The first input with axes of extent 1, counted in the result.
    Unsqueeze(Vec<i64>),
    /// The first input and this shape, broadcast together.
    Expand(Vec<i64>),
    /// All inputs, broadcast by a rule.
    Broadcast(Rule),
    /// The shape of the first input.
    First,
    /// Unknown.
    Unknown,
}

impl ResultShape {
    /// Returns how the shape of an inserted node follows.
    pub(super) fn of(does: ShapeOp, numbers: &[i64]) -> Self {
        match does {
            ShapeOp::Reshape => Self::Reshape(numbers.to_vec()),
            ShapeOp::Unsqueeze => Self::Unsqueeze(numbers.to_vec()),
            ShapeOp::Expand => Self::Expand(numbers.to_vec()),
        }
    }

    /// Returns how the shape of a node after a result follows: readers of the result expect the recorded shape, if it fits. Runtimes
    /// that infer shapes ignore a recorded shape that is wrong, but not a node that gives a result this shape.
    pub(super) fn behind(recorded: Option<SymbolicShape>, does: ShapeOp, numbers: &[i64]) -> Self {
        let known = recorded.filter(|known| known.rank() == Some(numbers.len()));
        known.map_or_else(|| Self::of(does, numbers), |known| Self::Recorded(known, numbers.to_vec()))
    }

    /// Returns the shape, if it is known.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Edit`] where the inputs do not allow it.
    pub(super) fn shape(&self, inputs: &[Option<SymbolicShape>]) -> Result<Option<SymbolicShape>, Error> {
        let first = || inputs.first().and_then(Option::as_ref).filter(|shape| shape.rank().is_some());
        match self {
            Self::Known(shape) => Ok(Some(shape.clone())),
            Self::Recorded(recorded, target) => match reshaped(first(), target) {
                Ok(made) if contradicts(recorded, &made) => Ok(Some(made)),
                _ => Ok(Some(recorded.clone())),
            },
            Self::Reshape(target) => reshaped(first(), target).map(Some),
            Self::Unsqueeze(axes) => first().map(|shape| unsqueezed(shape, axes)).transpose(),
            Self::Expand(target) => {
                let target: Option<Vec<usize>> = target.iter().map(|&dim| usize::try_from(dim).ok()).collect();
                let target = target.ok_or_else(|| rejected("a shape to broadcast to must have extents from 0 on"))?;
                let target = SymbolicShape::from(target.as_slice());
                first().map(|shape| broadcast(&Rule::numpy(), &[shape.clone(), target])).transpose()
            }
            Self::Broadcast(rule) => {
                let known: Option<Vec<SymbolicShape>> = inputs.iter().cloned().collect();
                let known = known.filter(|shapes| shapes.iter().all(|shape| shape.rank().is_some()));
                known.map(|shapes| broadcast(rule, &shapes)).transpose()
            }
            Self::First => Ok(first().cloned()),
            Self::Unknown => Ok(None),
        }
    }
}

/// Says whether a recorded shape agrees with an inferred one.
pub(super) fn compatible(recorded: &SymbolicShape, inferred: &SymbolicShape) -> bool {
    match (recorded.dims(), inferred.dims()) {
        (Some(recorded), Some(inferred)) => {
            let same = |(x, y): (&Dim, &Dim)| y.size().is_none() || x.size() == y.size();
            recorded.len() == inferred.len() && recorded.iter().zip(inferred).all(same)
        }
        _ => false,
    }
}

/// Says whether two shapes of one rank have an axis of two known sizes.
fn contradicts(recorded: &SymbolicShape, made: &SymbolicShape) -> bool {
    let axes = recorded.dims().unwrap_or_default().iter().zip(made.dims().unwrap_or_default());
    axes.map(|(x, y)| (x.size(), y.size())).any(|sizes| matches!(sizes, (Some(x), Some(y)) if x != y))
}

/// Returns the extents of a shape as files record them, -1 for an unknown one.
pub(super) fn extents(shape: &SymbolicShape) -> Vec<i64> {
    let extent = |dim: &Dim| dim.size().and_then(|size| i64::try_from(size).ok()).unwrap_or(-1);
    shape.dims().unwrap_or_default().iter().map(extent).collect()
}

fn broadcast(rule: &Rule, shapes: &[SymbolicShape]) -> Result<SymbolicShape, Error> {
    let inferred = rule.infer(shapes).map_err(|error| rejected(error.to_string()))?;
    Ok(inferred.shape().clone())
}

fn reshaped(input: Option<&SymbolicShape>, target: &[i64]) -> Result<SymbolicShape, Error> {
    let written = list(target);
    let dims = input.and_then(SymbolicShape::dims);
    let mut result = Vec::with_capacity(target.len());
    for (axis, &extent) in target.iter().enumerate() {
        result.push(match (extent, dims) {
            (0, Some(dims)) => dims.get(axis).cloned().ok_or_else(|| {
                let own = SymbolicShape::new(dims);
                rejected(format!("the shape {written} keeps axis {axis}, but {own} does not have that axis"))
            })?,
            (0 | -1, _) => Dim::unknown(),
            (extent, _) => usize::try_from(extent).map(Dim::known).map_err(|_| {
                rejected(format!("the shape {written} has the extent {extent}; it can be -1, 0 or a size"))
            })?,
        });
    }
    let open: Vec<usize> = (0..target.len()).filter(|&axis| target[axis] == -1).collect();
    if open.len() > 1 {
        return Err(rejected(format!("the shape {written} has more than one -1")));
    }
    let kept: Vec<Dim> =
        (0..target.len()).filter(|axis| !open.contains(axis)).map(|axis| result[axis].clone()).collect();
    let (Some(have), Some(rest)) = (dims.and_then(product), product(&kept)) else {
        return Ok(SymbolicShape::new(result));
    };
    let fits = match open.first() {
        Some(&axis) if rest > 0 && have % rest == 0 => {
            result[axis] = Dim::known(have / rest);
            true
        }
        Some(_) => false,
        None => rest == have,
    };
    if !fits {
        return Err(rejected(format!("{have} elements do not fit into the shape {written}")));
    }
    Ok(SymbolicShape::new(result))
}

fn product(dims: &[Dim]) -> Option<usize> {
    dims.iter().try_fold(1_usize, |product, dim| product.checked_mul(dim.size()?))
}

fn unsqueezed(shape: &SymbolicShape, axes: &[i64]) -> Result<SymbolicShape, Error> {
    let old = shape.dims().unwrap_or_default();
    let rank = old.len() + axes.len();
    let wrong = || rejected(format!("the axes {} are not {} of {rank}", list(axes), axes.len()));
    let mut new = vec![false; rank];
    for &axis in axes {
        let axis = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
        let place = usize::try_from(axis).ok().and_then(|axis| new.get_mut(axis)).ok_or_else(wrong)?;
        if std::mem::replace(place, true) {
            return Err(wrong());
        }
    }
    let mut old = old.iter().cloned();
    let dims: Vec<Dim> = new.iter().filter_map(|&one| if one { Some(Dim::known(1)) } else { old.next() }).collect();
    Ok(SymbolicShape::new(dims))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Option<SymbolicShape> {
        let dims = text.strip_prefix('(')?.strip_suffix(')')?;
        let dims = dims.split(',').map(str::trim).filter(|dim| !dim.is_empty());
        Some(SymbolicShape::new(dims.map(|dim| dim.parse().unwrap()).collect::<Vec<Dim>>()))
    }

    #[test]
    fn shapes_of_results() {
        let reshape = |target: &[i64]| ResultShape::of(ShapeOp::Reshape, target);
        let unsqueeze = |axes: &[i64]| ResultShape::of(ShapeOp::Unsqueeze, axes);
        let expand = |target: &[i64]| ResultShape::of(ShapeOp::Expand, target);
        let numpy = || ResultShape::Broadcast(Rule::numpy());
        // How the shape follows, the inputs ("-" is unknown), and the result or a part of the error.
        let cases: Vec<(ResultShape, &[&str], &str)> = vec![
            (reshape(&[6]), &["(2, 3)"], "(6,)"),
            (reshape(&[-1]), &["(2, 3)"], "(6,)"),
            (reshape(&[0, -1]), &["(2, 3, 4)"], "(2, 12)"),
            (reshape(&[3, 0]), &["(2, 3)"], "6 elements do not fit into the shape 3, 0"),
            (reshape(&[3, 2]), &["-"], "(3, 2)"),
            (reshape(&[-1, 2]), &["-"], "(?, 2)"),
            (reshape(&[-1, 2]), &["(?, 2)"], "(?, 2)"),
            (reshape(&[0, 0]), &["(n, 2)"], "(n, 2)"),
            (reshape(&[4]), &["(2, 3)"], "6 elements do not fit into the shape 4"),
            (reshape(&[4, -1]), &["(2, 3)"], "6 elements do not fit"),
            (reshape(&[-1, -1]), &["(2, 3)"], "more than one -1"),
            (reshape(&[0, 0, 0]), &["(2, 3)"], "keeps axis 2, but (2, 3) does not have that axis"),
            (reshape(&[-2]), &["(2, 3)"], "has the extent -2"),
            (reshape(&[0, 5]), &["(0, 7)"], "(0, 5)"),
            (reshape(&[]), &["(1, 1)"], "()"),
            (unsqueeze(&[0]), &["(2, 3)"], "(1, 2, 3)"),
            (unsqueeze(&[1, 3]), &["(2, 3)"], "(2, 1, 3, 1)"),
            (unsqueeze(&[-1]), &["(2,)"], "(2, 1)"),
            (unsqueeze(&[0]), &["()"], "(1,)"),
            (unsqueeze(&[0]), &["-"], "-"),
            (unsqueeze(&[3]), &["(2,)"], "the axes 3 are not 1 of 2"),
            (unsqueeze(&[0, -3]), &["(2,)"], "are not 2 of 3"),
            (unsqueeze(&[i64::MIN]), &["(2,)"], "are not 1 of 2"),
            (expand(&[2, 3]), &["(3,)"], "(2, 3)"),
            (expand(&[1, 1]), &["(2, 3)"], "(2, 3)"),
            (expand(&[4, 1, 3]), &["(n, 1)"], "(4, n, 3)"),
            (expand(&[2]), &["-"], "-"),
            (expand(&[-1]), &["(2,)"], "extents from 0 on"),
            (expand(&[4]), &["(3,)"], "3"),
            (numpy(), &["(2, 1)", "(3,)"], "(2, 3)"),
            (numpy(), &["(2, 1)", "-"], "-"),
            (numpy(), &["(2,)", "(3,)"], "3"),
            (ResultShape::First, &["(2, n)", "(3,)"], "(2, n)"),
            (ResultShape::First, &["-", "(3,)"], "-"),
            (ResultShape::First, &[], "-"),
            (ResultShape::Unknown, &["(2,)"], "-"),
            (ResultShape::Known(shape("(7,)").unwrap()), &["(2,)"], "(7,)"),
            (ResultShape::behind(shape("(2, 3)"), ShapeOp::Reshape, &[-1, 3]), &["(6,)"], "(2, 3)"),
            (ResultShape::behind(shape("(6,)"), ShapeOp::Reshape, &[-1, 3]), &["(6,)"], "(2, 3)"),
            (ResultShape::behind(shape("(n, 3)"), ShapeOp::Reshape, &[-1, 3]), &["(6,)"], "(n, 3)"),
            (ResultShape::behind(shape("(0, 3)"), ShapeOp::Reshape, &[-1, 3]), &["(6,)"], "(2, 3)"),
            (ResultShape::behind(shape("(2, 65535)"), ShapeOp::Reshape, &[2, 3]), &["-"], "(2, 3)"),
            (ResultShape::behind(None, ShapeOp::Unsqueeze, &[0]), &["(6,)"], "(1, 6)"),
        ];
        let mut wrong = Vec::new();
        for (k, (follows, inputs, want)) in cases.iter().enumerate() {
            let inputs: Vec<_> = inputs.iter().map(|text| shape(text)).collect();
            let got = follows.shape(&inputs).map(|shape| shape.map_or("-".to_owned(), |shape| shape.to_string()));
            let fits = got.as_ref().map_or_else(|error| error.to_string().contains(want), |got| got == want);
            if !fits {
                wrong.push(format!("case {k}: {got:?}, not {want}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn recorded_shapes_that_stay() {
        let cases = [
            ("(2, 3)", "(2, 3)", true),
            ("(2, 3)", "(2, n)", true),
            ("(2, n)", "(2, 3)", false),
            ("(2, 3)", "(2, 4)", false),
            ("(2, 3)", "(2,)", false),
            ("()", "()", true),
        ];
        for (recorded, inferred, want) in cases {
            assert_eq!(compatible(&shape(recorded).unwrap(), &shape(inferred).unwrap()), want, "{recorded} {inferred}");
        }
        assert!(!compatible(&SymbolicShape::unknown_rank(), &shape("()").unwrap()));
        assert_eq!(extents(&shape("(2, n, 3)").unwrap()), [2, -1, 3]);
        assert!(extents(&SymbolicShape::unknown_rank()).is_empty());
    }
}
