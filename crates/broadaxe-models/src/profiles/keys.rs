//! Says which recorded answers of an engine each law decides.

use super::{Law, Profile};

/// A line for each law that decides some: `target | nodes | law | table rows, table rows`. The tables are the files next to it; a test
/// writes it.
const DECIDED_ROWS: &str = include_str!("tests/recorded/keys.txt");

impl Profile {
    /// Returns the tables of recorded answers that a law decides, each with how many: `mnn_models 12, mnn_laws 3`. A test compares
    /// every row of them with what the laws say.
    pub fn recorded(&self, law: &Law) -> Option<&'static str> {
        let key = key(self, law);
        DECIDED_ROWS.lines().find_map(|line| line.strip_prefix(key.as_str())?.strip_prefix(" | "))
    }
}

/// Names a law: its target, the nodes that it speaks of, and its text.
fn key(profile: &Profile, law: &Law) -> String {
    format!("{} | {} | {}", profile.name, law.nodes(), law.text)
}

#[cfg(test)]
thread_local! {
    /// The keys of the laws that decided something on this thread.
    static DECIDED: std::cell::RefCell<std::collections::BTreeSet<String>> = const {
        std::cell::RefCell::new(std::collections::BTreeSet::new())
    };
}

/// Notes a law that decides.
#[cfg(test)]
pub(super) fn note(profile: &Profile, law: Option<&Law>) {
    if let Some(law) = law {
        DECIDED.with(|decided| decided.borrow_mut().insert(key(profile, law)));
    }
}

/// Returns the keys of the laws that decided since this was called last.
#[cfg(test)]
pub(super) fn decided() -> Vec<String> {
    DECIDED.with(|decided| std::mem::take(&mut *decided.borrow_mut()).into_iter().collect())
}
