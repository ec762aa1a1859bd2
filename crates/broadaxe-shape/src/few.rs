//! A list that stores its first few items inline, so that small calls do not allocate.

use alloc::vec::Vec;
use core::{
    fmt,
    hash::{Hash, Hasher},
    mem,
    ops::{Deref, DerefMut},
    slice,
};

/// The rank up to which shapes and axes need no allocation.
pub(crate) const FEW_AXES: usize = 8;

/// The number of operands up to which lists of them need no allocation.
pub(crate) const FEW_OPERANDS: usize = 4;

/// A list of numbers, one per axis.
pub(crate) type PerAxis = Few<usize, FEW_AXES>;

/// A list of items, one per operand.
pub(crate) type PerOperand<T> = Few<T, FEW_OPERANDS>;

/// A type with a value that costs nothing to make, for the places of a list that are not used.
pub(crate) trait Empty {
    const EMPTY: Self;
}

impl Empty for usize {
    const EMPTY: Self = 0;
}

/// A list of items, up to `N` of which are stored inline.
#[derive(Clone)]
pub(crate) struct Few<T, const N: usize>(Slots<T, N>);

#[derive(Clone)]
enum Slots<T, const N: usize> {
    Inline { items: [T; N], len: usize },
    Heap(Vec<T>),
}

impl<T: Empty, const N: usize> Few<T, N> {
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        match &mut self.0 {
            Slots::Inline { items, len } if *len < N => {
                items[*len] = item;
                *len += 1;
            }
            Slots::Inline { items, .. } => {
                let mut all = Vec::with_capacity(2 * N);
                all.extend(items.iter_mut().map(|item| mem::replace(item, T::EMPTY)));
                all.push(item);
                self.0 = Slots::Heap(all);
            }
            Slots::Heap(items) => items.push(item),
        }
    }

    pub(crate) fn into_vec(self) -> Vec<T> {
        match self.0 {
            Slots::Inline { items, len } => items.into_iter().take(len).collect(),
            Slots::Heap(items) => items,
        }
    }
}

impl<T: Empty, const N: usize> Empty for Few<T, N> {
    const EMPTY: Self = Self(Slots::Inline { items: [const { T::EMPTY }; N], len: 0 });
}

impl<T: Empty, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match &self.0 {
            Slots::Inline { items, len } => &items[..*len],
            Slots::Heap(items) => items,
        }
    }
}

impl<T, const N: usize> DerefMut for Few<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Slots::Inline { items, len } => &mut items[..*len],
            Slots::Heap(items) => items,
        }
    }
}

impl<T: Empty, const N: usize> FromIterator<T> for Few<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut few = Self::default();
        for item in items {
            few.push(item);
        }
        few
    }
}

impl<T: Copy + Empty, const N: usize> From<&[T]> for Few<T, N> {
    fn from(items: &[T]) -> Self {
        if items.len() > N {
            return Self(Slots::Heap(items.to_vec()));
        }
        let mut inline = [T::EMPTY; N];
        inline[..items.len()].copy_from_slice(items);
        Self(Slots::Inline { items: inline, len: items.len() })
    }
}

impl<T: Copy + Empty, const N: usize> From<Vec<T>> for Few<T, N> {
    fn from(items: Vec<T>) -> Self {
        if items.len() > N { Self(Slots::Heap(items)) } else { items.as_slice().into() }
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a Few<T, N> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;
    fn into_iter(self) -> slice::Iter<'a, T> {
        self.iter()
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Few<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq, const N: usize> Eq for Few<T, N> {}

impl<T: Hash, const N: usize> Hash for Few<T, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for Few<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::String, vec::Vec};
    use core::hash::{BuildHasher, BuildHasherDefault, Hasher};

    use super::{Empty, Few};

    impl Empty for String {
        const EMPTY: Self = Self::new();
    }

    #[derive(Default)]
    struct Sum(u64);

    impl Hasher for Sum {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, bytes: &[u8]) {
            for &byte in bytes {
                self.0 = self.0.wrapping_mul(31).wrapping_add(u64::from(byte));
            }
        }
    }

    /// However a list is made, it equals, hashes and shows as the vector of the same items.
    #[test]
    fn is_a_list() {
        let hash = BuildHasherDefault::<Sum>::default();
        for len in 0..9 {
            let vec: Vec<usize> = (10..10 + len).collect();
            let mut pushed = Few::<usize, 3>::default();
            for &item in &vec {
                pushed.push(item);
            }
            let unhinted: Few<usize, 3> = vec.iter().copied().filter(|&item| item > 0).collect();
            let made = [pushed, unhinted, vec.iter().copied().collect(), vec.as_slice().into(), vec.clone().into()];
            for few in made {
                assert_eq!(*few, vec[..]);
                assert_eq!(few, Few::from(vec.clone()));
                assert_eq!(hash.hash_one(&few), hash.hash_one(&vec));
                assert_eq!(format!("{few:?}"), format!("{vec:?}"));
                assert_eq!(few.into_vec(), vec);
            }
        }
    }

    #[test]
    fn items_that_own_memory() {
        for count in 0..6 {
            let mut few: Few<String, 2> = (0..count).map(|_| String::from("x")).collect();
            few.push("y".into());
            few[0].push('z');
            assert_eq!(few.len(), count + 1);
            assert_eq!(few[0], if count == 0 { "yz" } else { "xz" });
            assert_eq!(few[count], if count == 0 { "yz" } else { "y" });
        }
    }
}
