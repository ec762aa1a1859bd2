//! Loops over the row-major elements of a result, and the positions that they read.

use broadaxe_shape::{Alignment, contiguous_strides};

/// Loops, the slowest first: an extent, and how far a step moves in the row-major elements of a tensor.
///
/// No extent is 1, and no two neighbours could be one loop. A function from the elements of a result to positions has at
/// most one such form: the last stride is how far the first step moves, the last extent is the first multiple of it at
/// which the positions do not go on evenly, and the same holds for the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Nest(Vec<(usize, usize)>);

impl Nest {
    fn new(loops: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut nest: Vec<(usize, usize)> = Vec::new();
        for (extent, stride) in loops.into_iter().filter(|(extent, _)| *extent != 1) {
            if extent == 0 {
                return Self(vec![(0, 0)]);
            }
            match nest.last_mut() {
                Some((outer, step)) if extent.checked_mul(stride) == Some(*step) => {
                    *outer *= extent;
                    *step = stride;
                }
                _ => nest.push((extent, stride)),
            }
        }
        Self(nest)
    }

    /// Reads the operand of an alignment.
    pub(super) fn of(alignment: &Alignment, operand: usize) -> Self {
        let strides = alignment.strides(operand);
        let loops = alignment.loop_shape();
        Self::new(loops.iter().copied().zip(strides.into_iter().map(isize::unsigned_abs)))
    }

    /// Reads all elements of a tensor in their order.
    pub(super) fn whole(dims: &[usize]) -> Self {
        let strides = contiguous_strides(dims).into_iter().map(isize::unsigned_abs);
        Self::new(dims.iter().copied().zip(strides))
    }

    /// Reads the tensor that another nest reads for the elements of this one's tensor; nothing where that is not a nest.
    ///
    /// The loops of the inner nest are digits of a position. A loop of this one counts in one digit, or through several.
    pub(super) fn through(&self, inner: &Self) -> Option<Self> {
        if self.0 == [(0, 0)] {
            return Some(self.clone());
        }
        let mut weight = 1;
        let mut digits = Vec::new();
        for &(extent, stride) in inner.0.iter().rev() {
            digits.push((weight, extent, stride));
            weight = usize::checked_mul(weight, extent)?;
        }
        let mut largest = vec![0; digits.len()];
        let mut loops = Vec::new();
        for &(mut extent, mut stride) in &self.0 {
            let mut parts = Vec::new();
            if stride == 0 {
                parts.push((extent, 0));
                extent = 1;
            }
            while extent > 1 {
                let at = digits.iter().rposition(|(weight, ..)| *weight <= stride)?;
                let (weight, count, inside) = digits[at];
                let step = stride / weight;
                if stride % weight != 0 || count % step != 0 {
                    return None;
                }
                let part = extent.min(count / step);
                if part < 2 || extent % part != 0 {
                    return None;
                }
                largest[at] += (part - 1) * step;
                parts.push((part, step * inside));
                extent /= part;
                stride *= part;
            }
            loops.extend(parts.into_iter().rev());
        }
        // Two loops that count in one digit must not carry.
        digits.iter().zip(&largest).all(|((_, count, _), largest)| largest < count).then(|| Self::new(loops))
    }

    /// Lists the positions that are read, for tests.
    #[cfg(test)]
    fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0];
        for &(extent, stride) in &self.0 {
            positions = positions.iter().flat_map(|at| (0..extent).map(move |k| at + k * stride)).collect();
        }
        positions
    }
}

#[cfg(test)]
mod tests {
    use broadaxe_shape::Rule;

    use super::*;

    /// All small shapes.
    fn shapes() -> Vec<Vec<usize>> {
        let extents = [1, 2, 3, 4];
        let mut all: Vec<Vec<usize>> = vec![vec![]];
        for rank in 1..=3 {
            let longer: Vec<Vec<usize>> = all
                .iter()
                .filter(|shape| shape.len() == rank - 1)
                .flat_map(|shape| extents.iter().map(|&extent| [shape.as_slice(), &[extent]].concat()))
                .collect();
            all.extend(longer);
        }
        all
    }

    fn stretches() -> Vec<(Vec<usize>, Vec<usize>, Nest)> {
        let shapes = shapes();
        let mut found = Vec::new();
        for (from, to) in shapes.iter().flat_map(|from| shapes.iter().map(move |to| (from, to))) {
            if let Ok(alignment) = Rule::broadcast_to(to.as_slice()).align(&[from]) {
                found.push((from.clone(), to.clone(), Nest::of(&alignment, 0)));
            }
        }
        found
    }

    #[test]
    fn nests_are_equal_exactly_where_their_positions_are() {
        let stretches = stretches();
        let mut by_positions = std::collections::HashMap::new();
        let mut by_nest = std::collections::HashMap::new();
        for (_, _, nest) in &stretches {
            let positions = nest.positions();
            assert_eq!(by_positions.entry(positions.clone()).or_insert_with(|| nest.clone()), nest);
            assert_eq!(*by_nest.entry(nest.0.clone()).or_insert_with(|| positions.clone()), positions);
        }
        assert!(stretches.len() > 500, "{}", stretches.len());
    }

    #[test]
    fn one_nest_through_another_reads_its_positions() {
        let stretches = stretches();
        let mut composed = 0;
        for (own, _, outer) in &stretches {
            let count: usize = own.iter().product();
            for (_, made, inner) in stretches.iter().filter(|(_, made, _)| made.iter().product::<usize>() == count) {
                let Some(both) = outer.through(inner) else {
                    // Without a reshape between them, stretches always compose.
                    assert!(own != made, "{own:?}");
                    continue;
                };
                composed += 1;
                let inner = inner.positions();
                let want: Vec<usize> = outer.positions().iter().map(|&at| inner[at]).collect();
                assert_eq!(both.positions(), want, "{outer:?} through {inner:?}");
            }
        }
        assert!(composed > 5000, "{composed}");
    }
}
