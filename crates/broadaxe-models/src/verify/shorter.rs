//! Shortens the lengths of a node that is too large to be run.

use std::collections::{BTreeMap, BTreeSet};

/// The most elements of an operand or a result that is run.
const MOST_ELEMENTS: usize = 1 << 22;
/// Lengths that take the place of longer ones: few factors, so that no two of them make a third.
const SHORTER: &[usize] = &[61, 59, 53, 47, 43, 41, 37, 31, 29, 23, 19, 17, 13, 11, 7, 5, 3];

/// Says which lengths are run as shorter ones: equal ones stay equal, others stay different, and 1 stays 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shorter(BTreeMap<usize, usize>);

impl Shorter {
    /// Shortens the longest lengths of these shapes until none has too many elements.
    pub(super) fn new(shapes: &[&[usize]]) -> Self {
        let mut own = Self::default();
        let mut lengths: BTreeSet<usize> = shapes.iter().copied().flatten().copied().collect();
        let large = |own: &Self| {
            !shapes.iter().all(|dims| broadaxe_shape::elements(&own.of(dims)).is_ok_and(|count| count <= MOST_ELEMENTS))
        };
        while large(&own) {
            let Some(longest) = lengths.iter().rev().find(|length| !own.0.values().any(|known| known == *length))
            else {
                break;
            };
            let Some(shorter) = SHORTER.iter().find(|&short| short < longest && !lengths.contains(short)) else {
                break;
            };
            own.0.insert(*longest, *shorter);
            lengths.insert(*shorter);
            lengths.retain(|length| !own.0.contains_key(length));
        }
        own
    }

    /// Says whether all lengths stay as they are.
    pub(super) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the lengths as which these are run.
    pub(super) fn of(&self, dims: &[usize]) -> Vec<usize> {
        dims.iter().map(|dim| self.0.get(dim).copied().unwrap_or(*dim)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_too_large_gets_shorter() {
        for (shapes, expected) in [
            (vec![&[2, 3][..], &[3]], vec![vec![2, 3], vec![3]]),
            (vec![&[2, 16_646_147], &[2, 1]], vec![vec![2, 61], vec![2, 1]]),
            (vec![&[64, 4096, 4096], &[4096, 1]], vec![vec![64, 61, 61], vec![61, 1]]),
            (vec![&[1, 64, 2160, 3840], &[64]], vec![vec![1, 64, 59, 61], vec![64]]),
            (vec![&[61, 1 << 30, 1 << 20], &[]], vec![vec![61, 59, 53], vec![]]),
            (vec![&[0, 1 << 40], &[1 << 40]], vec![vec![0, 61], vec![61]]),
            (vec![&[1; 9], &[7; 9]], vec![vec![1; 9], vec![5; 9]]),
        ] {
            let shorter = Shorter::new(&shapes);
            let found: Vec<Vec<usize>> = shapes.iter().map(|dims| shorter.of(dims)).collect();
            assert_eq!(found, expected, "{shapes:?}");
        }
    }
}
