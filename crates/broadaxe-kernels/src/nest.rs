//! Nests of loops: how operands lie over them, and how they are cut into tiles.

/// The loops that a program runs in, the outermost first; strides in bytes, 0 where an operand repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nest {
    /// The extents.
    pub dims: Vec<usize>,
    /// The strides of the result.
    pub output: Vec<isize>,
    /// The strides of each input.
    pub inputs: Vec<Vec<isize>>,
}

/// Returns the first and the last byte offset that a nest reaches from an offset, the last exclusive.
pub(crate) fn reach(dims: &[usize], strides: &[isize], offset: usize, size: usize) -> (i128, i128) {
    let (mut low, mut high) = (offset as i128, offset as i128 + size as i128);
    for (&dim, &stride) in dims.iter().zip(strides) {
        let span = (dim as i128 - 1) * stride as i128;
        low += span.min(0);
        high += span.max(0);
    }
    (low, high)
}

/// How an input lies over a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    /// One element stands for all.
    Constant,
    /// The elements lie one after the other.
    Dense,
    /// Anything else.
    Strided,
}

pub(crate) fn lie(dims: &[usize], strides: &[isize], size: usize) -> Lie {
    let moves = || dims.iter().zip(strides).filter(|&(&dim, _)| dim > 1);
    if moves().all(|(_, &stride)| stride == 0) {
        return Lie::Constant;
    }
    let mut expected = size as isize;
    for (&dim, &stride) in moves().rev() {
        if stride != expected {
            return Lie::Strided;
        }
        expected *= dim as isize;
    }
    Lie::Dense
}

/// The tile: whole loops after `axis`, and up to `chunk` rounds of `axis`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The loop of which a tile takes a piece.
    pub(crate) axis: usize,
    /// The rounds of that loop in a piece.
    pub(crate) chunk: usize,
    /// The elements of the loops after it.
    pub(crate) inner: usize,
}

/// Rows shorter than this are gathered with their neighbours rather than called one by one.
pub(crate) const SHORT: usize = 128;

/// The elements of a tile that needs no scratch; bounds the time to an answer when asked to stop.
pub(crate) const LONG: usize = 1 << 15;

/// The bytes of scratch that stay in the first-level cache beside the operands.
pub(crate) const SCRATCH: usize = 24 << 10;

/// Chooses the tile of at most `limit` elements that packs the fewest operands, the larger of equals.
///
/// `packed` counts the operands that must be packed for a tile of so many rounds of an axis.
pub(crate) fn cut(dims: &[usize], limit: usize, packed: &dyn Fn(usize, usize) -> usize) -> Cut {
    let mut best: Option<(usize, Cut)> = None;
    let mut inner = 1;
    for axis in (0..dims.len()).rev() {
        let chunk = (limit / inner).clamp(1, dims[axis]);
        let cut = Cut { axis, chunk, inner };
        let count = packed(axis, chunk);
        let better = best.is_none_or(|(fewest, old)| count <= fewest || old.chunk * old.inner < SHORT);
        if better {
            best = Some((count, cut));
        }
        inner = inner.saturating_mul(dims[axis]);
        if inner > limit {
            break;
        }
    }
    best.map_or(Cut { axis: 0, chunk: 1, inner: 1 }, |(_, cut)| cut)
}

/// Says whether no two elements that a nest reaches with these strides share a byte.
pub(crate) fn apart(dims: &[usize], strides: &[isize], size: usize) -> bool {
    let moving = dims.iter().zip(strides).filter(|&(&dim, _)| dim > 1);
    let mut axes: Vec<_> = moving.map(|(&dim, &stride)| (stride.unsigned_abs(), dim)).collect();
    axes.sort_unstable();
    let mut covered = size;
    axes.into_iter().all(|(stride, dim)| {
        let free = stride >= covered;
        covered = covered.saturating_add(stride.saturating_mul(dim - 1));
        free
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_lie_as_their_strides_say() {
        let cases: &[(&[usize], &[isize], Lie)] = &[
            (&[2, 3], &[12, 4], Lie::Dense),
            (&[2, 3], &[0, 0], Lie::Constant),
            (&[2, 3], &[0, 4], Lie::Strided),
            (&[2, 3], &[4, 0], Lie::Strided),
            (&[1, 3], &[99, 4], Lie::Dense),
            (&[2, 1], &[4, 99], Lie::Dense),
            (&[1, 1], &[7, 7], Lie::Constant),
            (&[3], &[-4], Lie::Strided),
        ];
        for &(dims, strides, want) in cases {
            assert_eq!(lie(dims, strides, 4), want, "{dims:?} {strides:?}");
        }
    }

    #[test]
    fn cuts_avoid_packing_long_rows() {
        // A bias along long rows: a tile of one row needs no packing, a tile of several would.
        let bias = |axis: usize, chunk: usize| usize::from(axis == 0 && chunk > 1);
        assert_eq!(cut(&[100, 1000], 4096, &bias), Cut { axis: 1, chunk: 1000, inner: 1 });
        // Short rows are packed together instead.
        assert_eq!(cut(&[1000, 3], 4096, &bias), Cut { axis: 0, chunk: 1000, inner: 3 });
        assert_eq!(cut(&[2000, 3], 4096, &bias), Cut { axis: 0, chunk: 1365, inner: 3 });
        assert_eq!(cut(&[10_000], 4096, &|_, _| 0), Cut { axis: 0, chunk: 4096, inner: 1 });
    }

    #[test]
    fn shared_bytes_are_seen() {
        assert!(apart(&[2, 3], &[12, 4], 4) && apart(&[2, 3], &[4, -8], 4) && apart(&[1, 5], &[0, 4], 4));
        assert!(!apart(&[2], &[0], 4) && !apart(&[2], &[2], 4) && !apart(&[2, 3], &[8, 4], 4));
    }
}
