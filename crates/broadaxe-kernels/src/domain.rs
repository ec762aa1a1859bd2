//! The domain of a reduction: the loops that are kept, the loops that are folded, and boxes of them.
//!
//! Both kinds of loops keep the order of their axes: the elements of one result are folded in row-major order, whatever
//! their strides. A range of that order is not always one box of the loops, but always a few consecutive boxes.

/// The loops of a reduction, outermost first, and the strides of each input over them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    pub(crate) kept: Vec<usize>,
    pub(crate) folded: Vec<usize>,
    /// Strides in bytes: over the kept loops, then over the folded ones.
    pub(crate) inputs: Vec<Vec<isize>>,
}

impl Domain {
    /// Makes the domain of a reduction of `shape` over the axes `folded`, from the strides of each input in bytes.
    ///
    /// Axes of one element are dropped. Neighbouring axes of one kind become one loop if every input walks them alike.
    ///
    /// # Panics
    /// If an input does not have one stride per axis.
    pub fn new(shape: &[usize], folded: &[usize], inputs: &[Vec<isize>]) -> Self {
        assert!(inputs.iter().all(|strides| strides.len() == shape.len()), "one stride per axis");
        let mut domain = Self { kept: Vec::new(), folded: Vec::new(), inputs: vec![Vec::new(); inputs.len()] };
        for wanted in [false, true] {
            let mut dims: Vec<usize> = Vec::new();
            let axes = (0..shape.len()).filter(|axis| folded.contains(axis) == wanted && shape[*axis] != 1);
            for axis in axes {
                let dim = shape[axis];
                let continues = |(all, own): (&Vec<isize>, &Vec<isize>)| {
                    all.last().is_some_and(|&outer| own[axis].checked_mul(dim as isize) == Some(outer))
                };
                match dims.last_mut() {
                    Some(last) if domain.inputs.iter().zip(inputs).all(continues) => {
                        *last *= dim;
                        domain.inputs.iter_mut().for_each(|strides| _ = strides.pop());
                    }
                    _ => dims.push(dim),
                }
                domain.inputs.iter_mut().zip(inputs).for_each(|(all, own)| all.push(own[axis]));
            }
            *(if wanted { &mut domain.folded } else { &mut domain.kept }) = dims;
        }
        domain
    }

    /// Returns the dims of the kept loops, then of the folded ones.
    pub fn dims(&self) -> Vec<usize> {
        self.kept.iter().chain(&self.folded).copied().collect()
    }

    /// Counts the results, and the elements of each result. Returns `None` if there are more than an address can count.
    pub(crate) fn counts(&self) -> Option<[usize; 2]> {
        let count =
            |dims: &[usize]| dims.iter().filter(|&&dim| dim > 0).try_fold(1, |n: usize, &dim| n.checked_mul(dim));
        let (kept, folded) = (count(&self.kept)?, count(&self.folded)?);
        kept.checked_mul(folded).filter(|&n| isize::try_from(n).is_ok())?;
        let exact = |dims: &[usize], n| if dims.contains(&0) { 0 } else { n };
        Some([exact(&self.kept, kept), exact(&self.folded, folded)])
    }

    /// Returns an input's strides over one kind of loops.
    pub(crate) fn strides(&self, input: usize, folded: bool) -> &[isize] {
        let (kept, rest) = self.inputs[input].split_at(self.kept.len());
        if folded { rest } else { kept }
    }
}

/// A box of loops: the first round and the number of rounds of each loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SubDomain {
    pub(crate) first: Vec<usize>,
    pub(crate) rounds: Vec<usize>,
    pub(crate) count: usize,
}

impl SubDomain {
    /// Returns the largest box that starts at element `from` of these loops and ends at or before `to`, made of the
    /// loops from `outermost` on.
    pub(crate) fn cut(dims: &[usize], from: usize, to: usize, outermost: usize) -> Self {
        let (mut first, mut rounds) = (vec![0; dims.len()], vec![1; dims.len()]);
        let (mut inner, mut rest, mut count) = (1, from, 1);
        let mut open = true;
        for axis in (0..dims.len()).rev() {
            first[axis] = rest % dims[axis];
            rest /= dims[axis];
            // A loop extends as far as the range does. Outer loops extend only if all inner loops are complete and
            // start at 0.
            if open && axis >= outermost {
                rounds[axis] = (dims[axis] - first[axis]).min((to - from) / inner).max(1);
                count = inner * rounds[axis];
            }
            open &= rounds[axis] == dims[axis];
            inner = inner.saturating_mul(dims[axis]);
        }
        Self { first, rounds, count }
    }

    /// Returns the offset in bytes of this box's first element.
    pub(crate) fn offset(&self, strides: &[isize]) -> isize {
        self.first.iter().zip(strides).map(|(&first, &stride)| first as isize * stride).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_of_a_kind_merge() {
        struct Case(
            &'static [usize],
            &'static [usize],
            &'static [isize],
            &'static [usize],
            &'static [usize],
            &'static [isize],
        );
        let cases = [
            Case(&[2, 3, 4], &[0, 1, 2], &[12, 4, 1], &[], &[24], &[1]),
            Case(&[2, 3, 4], &[2], &[12, 4, 1], &[6], &[4], &[4, 1]),
            Case(&[2, 3, 4], &[0], &[12, 4, 1], &[12], &[2], &[1, 12]),
            Case(&[2, 3, 4], &[1], &[12, 4, 1], &[2, 4], &[3], &[12, 1, 4]),
            Case(&[2, 3, 4], &[0, 2], &[12, 4, 1], &[3], &[2, 4], &[4, 12, 1]),
            Case(&[2, 1, 4], &[0, 2], &[4, 9, 1], &[], &[8], &[1]),
            Case(&[2, 3], &[0, 1], &[1, 2], &[], &[2, 3], &[1, 2]),
            Case(&[2, 3], &[0, 1], &[-3, -1], &[], &[6], &[-1]),
            Case(&[2, 3], &[0, 1], &[0, 0], &[], &[6], &[0]),
        ];
        for Case(shape, axes, own, kept, folded, merged) in cases {
            let want = Domain { kept: kept.to_vec(), folded: folded.to_vec(), inputs: vec![merged.to_vec()] };
            assert_eq!(Domain::new(shape, axes, &[own.to_vec()]), want, "{shape:?} {axes:?}");
        }
    }

    #[test]
    fn boxes_cover_a_range_in_order() {
        let dims = [3, 4, 5];
        for (from, to) in (0..60).flat_map(|from| (from + 1..=60).map(move |to| (from, to))) {
            for outermost in 0..3 {
                let (mut at, mut seen) = (from, Vec::new());
                while at < to {
                    let piece = SubDomain::cut(&dims, at, to, outermost);
                    let [a, b, c] = [0, 1, 2].map(|k| piece.first[k]..piece.first[k] + piece.rounds[k]);
                    for i in a {
                        for j in b.clone() {
                            seen.extend(c.clone().map(|k| piece.offset(&[0, 0, 0]) as usize + (i * 4 + j) * 5 + k));
                        }
                    }
                    assert_eq!(seen.len(), at + piece.count - from, "{piece:?}");
                    at += piece.count;
                }
                assert_eq!(seen, (from..to).collect::<Vec<_>>());
            }
        }
        assert_eq!(SubDomain::cut(&[], 0, 1, 0).count, 1);
        assert_eq!(SubDomain::cut(&dims, 0, 60, 0).rounds, [3, 4, 5]);
    }
}
