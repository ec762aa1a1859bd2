//! Makes names that are unique in a file.

use std::collections::HashSet;

/// The names of a file. Names with the same base get numbers, from `second` on.
#[derive(Debug)]
pub(crate) struct Names {
    used: HashSet<String>,
    second: usize,
}

impl Names {
    /// Collects the names of a file.
    pub(crate) fn new<'a>(used: impl IntoIterator<Item = &'a String>, second: usize) -> Self {
        Self { used: used.into_iter().cloned().collect(), second }
    }

    /// Returns this name, or this name with a number, and reserves it.
    pub(crate) fn unique(&mut self, base: &str) -> String {
        let (mut name, mut number) = (base.to_owned(), self.second);
        while !self.used.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_unique() {
        let used = ["a", "a_2", "b_1"].map(str::to_owned);
        for (second, want) in [(1, ["a_1", "b", "b_2", "c"]), (2, ["a_3", "b", "b_2", "c"])] {
            let mut names = Names::new(&used, second);
            assert_eq!(["a", "b", "b", "c"].map(|base| names.unique(base)), want);
        }
    }
}
