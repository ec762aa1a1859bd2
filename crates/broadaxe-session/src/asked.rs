//! What engines that were asked about a model answered.

use std::collections::BTreeMap;

/// What engines that were asked about a model answered, beyond the findings.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// What was asked, for people.
    pub text: String,
    /// For a finding that holds for all nodes of a class: the numbers of the findings on the others.
    pub alike: BTreeMap<usize, Vec<usize>>,
}
