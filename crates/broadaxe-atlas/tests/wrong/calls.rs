//! A question as the code under test sees it, and placements to answer it with.

use broadaxe_atlas::Question;

/// The shape of a result, and for each operand the element that each of its elements comes from.
pub(crate) type Elements = (Vec<usize>, Vec<Vec<usize>>);

/// What an engine knows of a question.
pub(crate) struct Call {
    pub(crate) family: &'static str,
    /// The shapes that broadcast; for `expand` the target is the last.
    pub(crate) shapes: Vec<Vec<usize>>,
    pub(crate) constants: Vec<bool>,
    pub(crate) axis: i64,
    values: Vec<Vec<i64>>,
    right: Option<Elements>,
}

impl Call {
    pub(crate) fn of(question: &Question<'_>) -> Self {
        let case = question.case();
        let family = case.id.subject.family().name;
        let operands = question.operands();
        let params = case.rule.params();
        let mut shapes = case.operands.clone();
        shapes.extend(params.target.as_ref().map(|target| target.dims().to_vec()));
        let own = if family == "gemm" { &operands[1..] } else { &operands[..] };
        let mut values: Vec<Vec<i64>> = own.iter().map(|operand| operand.values.clone()).collect();
        if family == "gemm" {
            values[0] = vec![0; shapes[0].iter().product()];
        }
        Self {
            family,
            constants: own.iter().map(|operand| operand.constant).collect(),
            axis: params.axis.unwrap_or(-1),
            right: crate::support::asked(case),
            shapes,
            values,
        }
    }

    /// Returns the answer of the oracle.
    pub(crate) fn right(&self) -> Option<Elements> {
        self.right.clone()
    }

    /// Returns the result of the operator for one element from each operand.
    pub(crate) fn result(&self, elements: impl Iterator<Item = usize>) -> f64 {
        let values: Vec<i64> =
            elements.zip(&self.values).map(|(i, own)| own.get(i).copied().unwrap_or(i64::MAX >> 20)).collect();
        let result = match (self.family, &values[..]) {
            ("sub", &[a, b]) => a - b,
            ("prelu", &[a, b]) => a * b,
            ("select", &[a, b, c]) => {
                if a != 0 {
                    b
                } else {
                    c
                }
            }
            (_, values) => values.iter().sum(),
        };
        result as f64
    }

    pub(crate) fn a(&self) -> &[usize] {
        &self.shapes[0]
    }

    pub(crate) fn b(&self) -> &[usize] {
        &self.shapes[1]
    }

    pub(crate) fn rank(&self) -> usize {
        self.shapes.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Puts each operand's axes at these places, and merges the extents.
    pub(crate) fn placed(&self, place: impl Fn(usize, usize) -> usize, merge: Merge) -> Option<Elements> {
        let rank = self.rank();
        let put = |k: usize| {
            let mut dims = vec![1; rank];
            for (i, &dim) in self.shapes[k].iter().enumerate() {
                *dims.get_mut(place(k, i))? = dim;
            }
            Some(dims)
        };
        let all: Vec<Vec<usize>> = (0..self.shapes.len()).map(put).collect::<Option<_>>()?;
        merged(&all, merge).map(|(shape, elements)| (shape, elements[..self.values.len()].to_vec()))
    }

    /// Aligns to the right.
    pub(crate) fn to_the_right(&self, merge: Merge) -> Option<Elements> {
        self.placed(|k, i| i + self.rank() - self.shapes[k].len(), merge)
    }
}

/// Returns the extent of the result on an axis from those of the operands, or nothing where they do not fit.
pub(crate) type Merge = fn(&[usize], usize) -> Option<usize>;

/// Every operand may stretch.
pub(crate) fn both(extents: &[usize], _: usize) -> Option<usize> {
    extents
        .iter()
        .try_fold(1, |all, &extent| if all == extent || extent == 1 { Some(all) } else { (all == 1).then_some(extent) })
}

/// Only the operands after the first may stretch.
pub(crate) fn into_first(extents: &[usize], _: usize) -> Option<usize> {
    extents.iter().all(|&extent| extent == extents[0] || extent == 1).then(|| extents[0])
}

/// Merges shapes of one rank; an operand that is shorter than the result on an axis repeats from its start there.
pub(crate) fn merged(all: &[Vec<usize>], merge: Merge) -> Option<Elements> {
    let rank = all[0].len();
    let extents = |axis: usize| all.iter().map(|dims| dims[axis]).collect::<Vec<_>>();
    let shape: Vec<usize> = (0..rank).map(|axis| merge(&extents(axis), axis)).collect::<Option<_>>()?;
    let elements =
        all.iter().map(|dims| crate::support::indices(&shape).map(|index| flat(dims, &index)).collect()).collect();
    Some((shape, elements))
}

/// Returns the row-major number of an index, in which every entry wraps at its dim.
pub(crate) fn flat(dims: &[usize], index: &[usize]) -> usize {
    dims.iter().zip(index).fold(0, |at, (&dim, &i)| at * dim + i % dim.max(1))
}
