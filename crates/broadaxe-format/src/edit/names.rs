//! Makes names that are unique in a file.

use std::collections::{HashMap, HashSet};

/// The names of a file. Names with the same base get numbers, from `second` on.
#[derive(Debug)]
pub(crate) struct Names {
    used: HashSet<String>,
    second: usize,
    /// The first number that may be free, for bases that were used before. Names are not freed.
    next: HashMap<String, usize>,
}

impl Names {
    /// Collects the names of a file.
    pub(crate) fn new<'a>(used: impl IntoIterator<Item = &'a String>, second: usize) -> Self {
        Self { used: used.into_iter().cloned().collect(), second, next: HashMap::new() }
    }

    /// Returns this name, or this name with a number, and reserves it.
    pub(crate) fn unique(&mut self, base: &str) -> String {
        if self.used.insert(base.to_owned()) {
            return base.to_owned();
        }
        let number = self.next.entry(base.to_owned()).or_insert(self.second);
        loop {
            let name = format!("{base}_{number}");
            *number += 1;
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let used = ["a", "a_2", "b_1"].map(str::to_owned);
        for (second, want) in [(1, ["a_1", "b", "b_2", "c"]), (2, ["a_3", "b", "b_2", "c"])] {
            let mut names = Names::new(&used, second);
            assert_eq!(["a", "b", "b", "c"].map(|base| names.unique(base)), want);
        }
    }

    /// Each name costs the same, however many have its base.
    #[test]
    fn many_names_of_one_base() {
        let mut names = Names::new(&[], 1);
        let made: HashSet<String> = (0..200_000).map(|_| names.unique("a")).collect();
        assert_eq!((made.len(), made.contains("a_199999")), (200_000, true));
    }
}
