//! Sizes for the dims that a symbolic case leaves open.

use std::collections::BTreeMap;

use broadaxe_testing::cases::{RuleText, SymbolicCase, SymbolicDim};

/// The most instances of one case and one rank of its shapes of unknown rank.
const INSTANCES: usize = 48;

/// A symbolic case with a size for each dim.
pub(crate) struct Instance {
    pub(crate) rule: RuleText,
    pub(crate) shapes: Vec<Vec<usize>>,
    names: BTreeMap<String, u64>,
}

impl Instance {
    /// Says whether a dim of a result may have this size.
    pub(crate) fn allows(&self, dim: &SymbolicDim, size: u64) -> bool {
        let named = dim.name.as_ref().and_then(|name| self.names.get(name));
        within(dim, size) && named.is_none_or(|&bound| bound == size)
    }
}

fn within(dim: &SymbolicDim, size: u64) -> bool {
    dim.low <= size && dim.high.is_none_or(|high| size <= high)
}

/// Lists instances of a case: small sizes, the bounds of ranges, and the sizes that occur in the case.
pub(crate) fn instances(case: &SymbolicCase) -> Vec<Instance> {
    let mut found = Vec::new();
    for rank in 0..3 {
        let any = SymbolicDim { name: None, low: 0, high: None };
        let open = case.shapes.iter().chain(&case.target);
        let shapes: Vec<Vec<SymbolicDim>> =
            open.clone().map(|shape| shape.clone().unwrap_or_else(|| vec![any.clone(); rank])).collect();
        let fixed: Vec<u64> =
            shapes.iter().flatten().filter(|dim| dim.high == Some(dim.low)).map(|dim| dim.low).collect();
        found.extend((0..INSTANCES).map_while(|number| choose(number, &shapes, &fixed)).flatten().map(
            |(mut sizes, names)| {
                let mut rule = case.rule.clone();
                if case.target.is_some() {
                    rule.target = sizes.pop().map(|target| target.into_iter().map(|size| size as i64).collect());
                }
                Instance { rule, shapes: sizes, names }
            },
        ));
        if open.clone().all(Option::is_some) {
            break;
        }
    }
    found
}

type Chosen = (Vec<Vec<usize>>, BTreeMap<String, u64>);

/// Makes the choice with this number. None: all choices have smaller numbers. It is empty where a name would need two sizes.
fn choose(number: usize, shapes: &[Vec<SymbolicDim>], fixed: &[u64]) -> Option<Vec<Chosen>> {
    let (mut rest, mut names, mut fits) = (number, BTreeMap::new(), true);
    let mut size = |dim: &SymbolicDim| {
        if let Some(&bound) = dim.name.as_ref().and_then(|name| names.get(name)) {
            fits &= within(dim, bound);
            return bound as usize;
        }
        let mut choices: Vec<u64> =
            [dim.low, 1, 2, 3].into_iter().chain(dim.high).chain(fixed.iter().copied()).collect();
        choices.retain(|&size| within(dim, size));
        choices.sort_unstable();
        choices.dedup();
        let size = choices[rest % choices.len()];
        rest /= choices.len();
        names.extend(dim.name.clone().map(|name| (name, size)));
        size as usize
    };
    let sizes: Vec<Vec<usize>> = shapes.iter().map(|shape| shape.iter().map(&mut size).collect()).collect();
    (rest == 0).then(|| if fits { vec![(sizes, names)] } else { Vec::new() })
}
