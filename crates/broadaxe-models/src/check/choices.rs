//! Chooses sizes that represent all sizes which a node's operands leave open.
//!
//! A rule looks at sizes in two ways only: whether two are equal, and whether one is 1. So a size is 1, or a number that
//! the shapes mention, or as long as another open size, or unlike all of them; every combination of these under which
//! the operands broadcast by the node's own rule is a choice. Where there are too many, those that coincide least often
//! are taken first.
//!
//! A dim that is the broadcast of several names has no variable of its own: its size follows from those of the names.

use broadaxe_shape::{Dim, Inferred, Placement, SymbolicShape};

/// How many sizes may be open at one node, and how many dims its operands may have in all.
const VARIABLES: usize = 12;
const DIMS: usize = 1024;
/// How many choices are made, and how many are tried in search of them.
const CHOICES: usize = 400;
const TRIED: usize = 8000;
/// Sizes that shapes seldom mention.
const UNCOMMON: [usize; 16] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];

/// A size that the model leaves open.
pub(super) struct Variable {
    pub(super) name: String,
    low: usize,
    high: usize,
}

/// A dim of an operand: a number, or the broadcast of variables within an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Extent {
    Size(usize),
    Of { variables: Vec<usize>, low: usize, high: usize },
}

/// The sizes that the shapes of some operands leave open.
pub(super) struct Sizes {
    pub(super) variables: Vec<Variable>,
    /// The operands' dims.
    shapes: Vec<Vec<Extent>>,
    /// The sizes above 1 that the shapes mention, each once.
    pub(super) mentioned: Vec<usize>,
    /// For each axis of the result the dims that meet on it.
    axes: Vec<Vec<(usize, usize)>>,
}

impl Sizes {
    /// Gathers the open sizes of shapes; nothing when a rank is unknown or too many sizes are. The result of the
    /// node's own rule says which dims meet.
    pub(super) fn of(
        shapes: &[SymbolicShape],
        own: Option<&Inferred>,
        operand_name: &dyn Fn(usize) -> String,
    ) -> Option<Self> {
        let mut variables: Vec<Variable> = Vec::new();
        let mut extents = Vec::new();
        if shapes.iter().filter_map(SymbolicShape::rank).sum::<usize>() > DIMS {
            return None;
        }
        for (k, shape) in shapes.iter().enumerate() {
            let dims = shape.dims()?.iter().enumerate();
            extents.push(
                dims.map(|(axis, dim)| gather(&mut variables, dim, &|| format!("{}[{axis}]", operand_name(k))))
                    .collect::<Option<_>>()?,
            );
        }
        let mut mentioned: Vec<usize> =
            shapes.iter().filter_map(SymbolicShape::dims).flatten().filter_map(Dim::size).collect();
        // Where two intervals overlap, the greater of their low ends is in both.
        mentioned.extend(variables.iter().map(|variable| variable.low));
        mentioned.retain(|size| *size > 1);
        mentioned.sort_unstable();
        mentioned.dedup();
        let placement = own.and_then(Inferred::placement);
        let meet = |axis: usize| placement.map_or_else(Vec::new, |placement| placement.feeding(axis).collect());
        let axes = (0..placement.map_or(0, Placement::rank)).map(meet).collect();
        Some(Self { variables, shapes: extents, mentioned, axes })
    }

    /// Lists the choices that meet on every axis of the result, the plainest first.
    pub(super) fn choices(&self) -> Vec<Vec<usize>> {
        let mut search = Search { sizes: self, choices: Vec::new(), tried: 0, most: usize::MAX };
        search.follow(&mut Vec::new(), 0);
        if search.tried < TRIED && search.choices.len() < CHOICES {
            return search.choices;
        }
        // Those with few coincidences: one after the other, until there are enough.
        let mut search = Search { sizes: self, choices: Vec::new(), tried: 0, most: 0 };
        while search.most <= self.variables.len() && search.choices.len() < CHOICES && search.tried < TRIED {
            search.follow(&mut Vec::new(), 0);
            search.most += 1;
        }
        search.choices
    }

    /// Fills a choice into operand `k`; nothing if a dim that is the broadcast of others cannot be so.
    pub(super) fn shape(&self, k: usize, choice: &[usize]) -> Option<Vec<usize>> {
        self.shapes[k].iter().map(|extent| extent.size(choice)).collect()
    }

    /// Lists what guards may speak of: the variables, and the dims that are the broadcast of several.
    pub(super) fn terms(&self) -> Vec<Term> {
        let alone = |v: usize| Term { name: self.variables[v].name.clone(), variables: vec![v] };
        let mut terms: Vec<Term> = (0..self.variables.len()).map(alone).collect();
        for extent in self.shapes.iter().flatten() {
            let Extent::Of { variables, .. } = extent else { continue };
            if variables.len() > 1 && !terms.iter().any(|term| term.variables == *variables) {
                let names: Vec<&str> = variables.iter().map(|&v| self.variables[v].name.as_str()).collect();
                let name = format!("broadcast({})", names.join(", "));
                terms.push(Term { name, variables: variables.clone() });
            }
        }
        terms
    }
}

/// A size that a guard may speak of.
pub(super) struct Term {
    pub(super) name: String,
    variables: Vec<usize>,
}

impl Term {
    /// Returns the size under a choice.
    pub(super) fn size(&self, choice: &[usize]) -> Option<usize> {
        united(self.variables.iter().map(|&v| choice[v]))
    }
}

impl Extent {
    /// Returns the size under a choice of the first variables: nothing where it cannot be.
    fn size(&self, choice: &[usize]) -> Option<usize> {
        match self {
            Self::Size(size) => Some(*size),
            Self::Of { variables, low, high } => {
                let size = united(variables.iter().map(|&v| choice[v]))?;
                (*low <= size && size <= *high).then_some(size)
            }
        }
    }

    /// Says whether all variables are among the first `count`.
    fn is_decided(&self, count: usize) -> bool {
        match self {
            Self::Size(_) => true,
            Self::Of { variables, .. } => variables.iter().all(|&v| v < count),
        }
    }
}

/// Returns the broadcast of sizes.
fn united(sizes: impl Iterator<Item = usize>) -> Option<usize> {
    let mut sizes = sizes.filter(|size| *size != 1);
    let first = sizes.next().unwrap_or(1);
    sizes.all(|size| size == first).then_some(first)
}

/// The choices found so far.
struct Search<'a> {
    sizes: &'a Sizes,
    choices: Vec<Vec<usize>>,
    tried: usize,
    /// How many sizes may coincide; more than there are for all choices.
    most: usize,
}

impl Search<'_> {
    /// Chooses a size for the next variable, and goes on with each; `coincident` of those before are not plain.
    fn follow(&mut self, choice: &mut Vec<usize>, coincident: usize) {
        self.tried += 1;
        if self.tried > TRIED || self.choices.len() >= CHOICES {
            return;
        }
        let exactly = self.most == usize::MAX || coincident == self.most;
        let Some(variable) = self.sizes.variables.get(choice.len()) else {
            if exactly {
                self.choices.push(choice.clone());
            }
            return;
        };
        for (size, plain) in self.sizes.options(variable, choice) {
            let coincident = coincident + usize::from(!plain);
            choice.push(size);
            if coincident <= self.most && self.sizes.meets(choice) {
                self.follow(choice, coincident);
            }
            choice.pop();
        }
    }
}

impl Sizes {
    /// Lists the sizes to try for a variable, given those chosen so far. Its own size, and one that it must have because it
    /// meets that size on an axis, are plain.
    fn options(&self, variable: &Variable, choice: &[usize]) -> Vec<(usize, bool)> {
        let fits = |size: &usize| variable.low <= *size && *size <= variable.high;
        let taken = |size: &usize| self.mentioned.contains(size) || choice.contains(size);
        let nearby = variable.low..variable.high.min(variable.low.saturating_add(64));
        let own = UNCOMMON.into_iter().chain(nearby).filter(fits).find(|size| *size > 1 && !taken(size));
        let mut others: Vec<usize> = Vec::new();
        for &size in choice.iter().chain(&self.mentioned).chain([&1]) {
            if fits(&size) && !others.contains(&size) {
                others.push(size);
            }
        }
        let mut options: Vec<(usize, bool)> = own.map(|own| (own, true)).into_iter().collect();
        let wanted = self.wanted(choice);
        options.extend(others.into_iter().map(|size| (size, wanted == Some(size))));
        if wanted.is_some() {
            // Its own size would not broadcast.
            options.sort_by_key(|(size, _)| wanted != Some(*size));
        }
        if options.is_empty() {
            options.push((variable.low.max(1), true));
        }
        options
    }

    /// Returns the size above 1 that the next variable meets on an axis, if there is one.
    fn wanted(&self, choice: &[usize]) -> Option<usize> {
        let next = choice.len();
        let reads = |extent: &Extent| matches!(extent, Extent::Of { variables, .. } if variables.contains(&next));
        self.axes.iter().filter(|axis| axis.iter().any(|&(k, at)| reads(&self.shapes[k][at]))).find_map(|axis| {
            let known = axis.iter().map(|&(k, at)| &self.shapes[k][at]).filter(|extent| extent.is_decided(next));
            known.filter_map(|extent| extent.size(choice)).find(|size| *size > 1)
        })
    }

    /// Says whether what the chosen sizes decide broadcasts: on each axis all sizes are equal, or 1.
    fn meets(&self, choice: &[usize]) -> bool {
        let decided = |extent: &&Extent| extent.is_decided(choice.len());
        let sound = self.shapes.iter().flatten().filter(decided).all(|extent| extent.size(choice).is_some());
        sound
            && self.axes.iter().all(|axis| {
                let known = axis.iter().map(|&(k, at)| &self.shapes[k][at]).filter(decided);
                united(known.filter_map(|extent| extent.size(choice))).is_some()
            })
    }
}

/// Notes the variables of a dim; nothing where there are too many in all.
fn gather(variables: &mut Vec<Variable>, dim: &Dim, place_name: &dyn Fn() -> String) -> Option<Extent> {
    if let Some(size) = dim.size() {
        return Some(Extent::Size(size));
    }
    let (low, high) = (dim.low().max(1), dim.high().unwrap_or(usize::MAX).max(1));
    let single = dim.names().len() < 2;
    let (least, most) = if single { (low, high) } else { (1, usize::MAX) };
    let mut names: Vec<String> = dim.names().into_iter().map(ToString::to_string).collect();
    if names.is_empty() {
        names.push(place_name());
    }
    let mut found = Vec::new();
    for name in names {
        let at = variables.iter().position(|variable| variable.name == name).unwrap_or_else(|| {
            variables.push(Variable { name, low: 1, high: usize::MAX });
            variables.len() - 1
        });
        if variables.len() > VARIABLES {
            return None;
        }
        let variable = &mut variables[at];
        (variable.low, variable.high) = (variable.low.max(least), variable.high.min(most).max(variable.low.max(least)));
        found.push(at);
    }
    found.sort_unstable();
    Some(Extent::Of { variables: found, low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_is_a_choice() {
        for (shapes, want) in [
            ("n", "[2]; [1]"),
            ("n ; m", "[2, 2]; [2, 1]; [1, 2]; [1, 1]"),
            ("n,3", "[2]; [3]; [1]"),
            ("n,m", "[2, 3]; [2, 2]; [2, 1]; [1, 2]; [1, 1]"),
            ("2..3,2..9", "[3, 5]; [3, 3]; [3, 2]; [2, 3]; [2, 2]"),
            ("n ; 4", "[4]; [1]"),
            ("broadcast(n, m) ; 8", "[8, 8]; [8, 1]; [1, 8]; [1, 1]"),
        ] {
            let shapes: Vec<SymbolicShape> = shapes.split(';').map(|text| text.parse().expect("a shape")).collect();
            let own = broadaxe_shape::Rule::numpy().infer(&shapes).expect("they broadcast");
            let sizes = Sizes::of(&shapes, Some(&own), &|k| k.to_string()).expect("few sizes");
            let got: Vec<String> = sizes.choices().iter().map(|choice| format!("{choice:?}")).collect();
            assert_eq!(got.join("; "), want, "{shapes:?}");
        }
    }

    #[test]
    fn many_sizes_are_no_choice() {
        let shapes = |count: usize, name: fn(usize) -> String| -> Vec<SymbolicShape> {
            (0..count).map(|k| SymbolicShape::new([Dim::named(&name(k))])).collect()
        };
        let apart = |k| format!("n{k}");
        for (shapes, some) in [
            (shapes(VARIABLES, apart), true),
            (shapes(VARIABLES + 1, apart), false),
            (shapes(DIMS, |_| "n".into()), true),
            (shapes(DIMS + 1, |_| "n".into()), false),
        ] {
            assert_eq!(Sizes::of(&shapes, None, &|k| k.to_string()).is_some(), some, "{}", shapes.len());
        }
    }
}
