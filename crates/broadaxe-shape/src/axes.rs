//! The result axes that an operand's axes feed: a strictly increasing list that rarely allocates.
//!
//! Nearly all such lists are runs of neighbours, and all others up to rank 8 are one of 256 sets. Both are slices of
//! tables that the program holds, so that a list is no more than its place in a table.

use alloc::vec::Vec;
use core::{
    fmt,
    hash::{Hash, Hasher},
    ops::{Deref, Range},
};

use crate::{
    few::{Empty, FEW_AXES},
    shape::MAX_RANK,
};

/// A strictly increasing list of result axes.
#[derive(Clone)]
pub(crate) struct Axes(Which);

#[derive(Clone)]
enum Which {
    /// The axes from one to before another, which is at most [`MAX_RANK`].
    Run {
        start: u8,
        end: u8,
    },
    /// The axes below [`FEW_AXES`] whose bits are set.
    Set(u8),
    Heap(Vec<usize>),
}

/// Every axis there may be.
static ALL: [usize; MAX_RANK] = {
    let mut all = [0; MAX_RANK];
    let mut axis = 0;
    while axis < MAX_RANK {
        all[axis] = axis;
        axis += 1;
    }
    all
};

/// The axes of every set.
static SETS: [[usize; FEW_AXES]; 1 << FEW_AXES] = {
    let mut sets = [[0; FEW_AXES]; 1 << FEW_AXES];
    let mut set = 0;
    while set < sets.len() {
        let (mut axis, mut len) = (0, 0);
        while axis < FEW_AXES {
            if set >> axis & 1 == 1 {
                sets[set][len] = axis;
                len += 1;
            }
            axis += 1;
        }
        set += 1;
    }
    sets
};

impl Empty for Axes {
    const EMPTY: Self = Self(Which::Run { start: 0, end: 0 });
}

impl From<Range<usize>> for Axes {
    fn from(run: Range<usize>) -> Self {
        match (u8::try_from(run.start), u8::try_from(run.end)) {
            (Ok(start), Ok(end)) if start <= end && usize::from(end) <= MAX_RANK => Self(Which::Run { start, end }),
            _ => Self(Which::Heap(run.collect())),
        }
    }
}

impl From<&[usize]> for Axes {
    /// Makes the axes of a strictly increasing list.
    fn from(axes: &[usize]) -> Self {
        match (axes.first(), axes.last()) {
            (Some(&first), Some(&last)) if last - first + 1 == axes.len() => (first..last + 1).into(),
            (_, Some(&last)) if last < FEW_AXES => Self(Which::Set(axes.iter().fold(0, |set, axis| set | 1 << axis))),
            (_, Some(_)) => Self(Which::Heap(axes.to_vec())),
            (_, None) => Self::EMPTY,
        }
    }
}

impl Deref for Axes {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        match &self.0 {
            &Which::Run { start, end } => &ALL[start.into()..end.into()],
            &Which::Set(set) => &SETS[usize::from(set)][..set.count_ones() as usize],
            Which::Heap(axes) => axes,
        }
    }
}

impl PartialEq for Axes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Axes {}

impl Hash for Axes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Axes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{Axes, Which};

    /// Every set of axes below 12 comes back, and needs memory only where an axis is 8 or more and it is no run.
    #[test]
    fn sets() {
        for set in 0..1usize << 12 {
            let list: Vec<usize> = (0..12).filter(|axis| set >> axis & 1 == 1).collect();
            let axes = Axes::from(list.as_slice());
            assert_eq!(*axes, list[..]);
            let run = list.windows(2).all(|pair| pair[0] + 1 == pair[1]);
            assert_eq!(matches!(axes.0, Which::Heap(_)), !run && set >= 1 << 8, "{list:?}");
        }
    }

    #[test]
    fn runs() {
        for start in 0..70 {
            for end in start..70 {
                let axes = Axes::from(start..end);
                assert!(axes.iter().copied().eq(start..end));
                assert_eq!(axes, (start..end).collect::<Vec<_>>().as_slice().into());
                assert_eq!(matches!(axes.0, Which::Heap(_)), end > 64, "{start}..{end}");
            }
        }
        assert!(Axes::from(usize::MAX - 1..usize::MAX).iter().eq(&[usize::MAX - 1]));
    }
}
