//! Levels: how many of the cases a run asks.

use std::collections::BTreeSet;

use crate::{
    case::{Case, Expected, Id},
    pattern::{Pattern, tuples},
    subject::Subject,
    theme::{LANES, Theme},
};

/// The ids of the level `core`.
static CORE: &str = include_str!("core.txt");

/// Says which cases a run asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Level {
    /// About 300 cases, for every run of a test suite.
    Core,
    /// Every pattern of two operands up to rank 4 and of three up to rank 3, and other sizes for those that broadcast.
    Full,
    /// Patterns of ranks 5 to 8, drawn with a fixed seed.
    Deep,
}

/// The levels and their names.
pub const LEVELS: [(&str, Level); 3] = [("core", Level::Core), ("full", Level::Full), ("deep", Level::Deep)];

impl Level {
    /// Returns the name: `core`, `full` or `deep`.
    pub fn name(self) -> &'static str {
        LEVELS.iter().find(|(_, level)| *level == self).map_or("core", |(name, _)| name)
    }

    /// Calls a function with each case, in the order of the files.
    ///
    /// # Errors
    /// With the first error of the function.
    pub fn try_each<E>(self, ask: impl FnMut(Case) -> Result<(), E>) -> Result<(), E> {
        self.try_each_of(|_| true, ask)
    }

    /// Calls a function with each case of some subjects, in the order of the files.
    ///
    /// # Errors
    /// With the first error of the function.
    pub fn try_each_of<E>(
        self,
        wanted: impl Fn(&Subject) -> bool,
        mut ask: impl FnMut(Case) -> Result<(), E>,
    ) -> Result<(), E> {
        let subjects = Subject::all().iter().filter(|subject| wanted(subject));
        match self {
            Self::Core => core(wanted).try_for_each(ask),
            Self::Full => subjects.filter(|subject| is_in_full(subject)).try_for_each(|subject| {
                let rank = if subject.operands() == 3 { 3 } else { 4 };
                (0..=rank).try_for_each(|rank| full(subject, rank).try_for_each(&mut ask))
            }),
            Self::Deep => {
                subjects.filter(|subject| DEEP.contains(&(subject.family().name, subject.label()))).try_for_each(
                    |subject| (5..=8).try_for_each(|rank| deep(subject, rank).into_iter().try_for_each(&mut ask)),
                )
            }
        }
    }
}

/// Says whether the level `full` has a subject: one whose rule no other subject of as many operands has.
fn is_in_full(subject: &Subject) -> bool {
    let repeats = ["openvino-select.numpy", "openvino-select.pdpd0"].contains(&subject.label());
    subject.family().name != "sub" && !repeats
}

/// Makes the cases of the list of the core.
fn core(wanted: impl Fn(&Subject) -> bool) -> impl Iterator<Item = Case> {
    let lines = CORE.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let ids = lines.map(|id| id.parse::<Id>().expect("the tests read every id of the list"));
    let ids = ids.filter(move |id| wanted(id.subject));
    ids.map(|id| Case::new(id).expect("the tests make every case of the list"))
}

/// Makes the cases of all patterns of one rank.
fn full(subject: &'static Subject, rank: usize) -> impl Iterator<Item = Case> {
    let ranks = tuples(subject.operands(), rank).filter(|ranks| subject.has_ranks(ranks));
    ranks.flat_map(|ranks| Pattern::all(&ranks)).flat_map(move |pattern| {
        let small = Case::new(Id { subject, pattern, theme: Theme::Small }).ok();
        let others = small.as_ref().map(others).unwrap_or_default();
        small.into_iter().chain(others)
    })
}

/// Makes the cases of a class with other sizes than the smallest.
fn others(small: &Case) -> Vec<Case> {
    let Id { subject, pattern, .. } = &small.id;
    let accepted = matches!(small.expected, Expected::Result { .. });
    let rank = pattern.ranks().into_iter().max().unwrap_or(0);
    let mut themes = vec![];
    if accepted {
        themes.extend((0..pattern.letters()).map(Theme::Zero));
        themes.push(Theme::Divide);
        if rank <= 3 && subject.operands() == 2 {
            let mut axes = vec![0];
            axes.extend((pattern.operand(0).len() > 1).then(|| pattern.operand(0).len() - 1));
            themes.extend(axes.iter().flat_map(|&axis| LANES.map(|lanes| Theme::Pack(lanes, axis))));
            themes.push(Theme::Wide);
        }
    }
    if rank <= 3 {
        themes.push(Theme::Count);
    }
    themes.into_iter().filter_map(|theme| Case::new(Id { subject, pattern: pattern.clone(), theme }).ok()).collect()
}

/// The subjects of the level `deep`: those without a limit of ranks below 5.
const DEEP: [(&str, &str); 13] = [
    ("add", "numpy"),
    ("add", "none"),
    ("add", "tosa"),
    ("add", "pdpd"),
    ("add", "pdpd1"),
    ("add", "paddle"),
    ("add", "paddle1"),
    ("sum", "numpy"),
    ("select", "numpy"),
    ("prelu", "unidirectional"),
    ("prelu", "openvino-prelu"),
    ("expand", "bidirectional"),
    ("expand", "broadcast-to"),
];

/// How many cases of a subject and a rank the level `deep` has.
const DRAWN: usize = 150;

/// The most elements of a result of the level `deep`.
const MOST: usize = 2048;

/// Draws cases of one rank, two of three of which broadcast.
fn deep(subject: &'static Subject, rank: usize) -> Vec<Case> {
    let mut random = Random(rank as u64);
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    let mut rejected = 0;
    // Under some rules few patterns exist, so the attempts are bounded.
    for _ in 0..DRAWN * 400 {
        if found.len() == DRAWN {
            break;
        }
        let shapes = random.shapes(subject.operands(), rank);
        let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
        let pattern = Pattern::of(&shapes);
        if !subject.has_ranks(&pattern.ranks()) || seen.contains(&pattern) {
            continue;
        }
        let Ok(case) = Case::new(Id { subject, pattern: pattern.clone(), theme: Theme::Small }) else { continue };
        match &case.expected {
            Expected::Result { shape, .. } if shape.iter().product::<usize>() > MOST => continue,
            Expected::Result { .. } => (),
            Expected::Rejected(_) if rejected * 3 >= DRAWN => continue,
            Expected::Rejected(_) => rejected += 1,
        }
        seen.insert(pattern);
        found.push(case);
    }
    found.sort_by_key(|case| case.id.pattern.number());
    found
}

/// Draws numbers: `SplitMix64` of Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % end as u64) as usize
    }

    /// Draws shapes of which one has this rank: parts of one shape, in which some dims become 1, and few another size.
    fn shapes(&mut self, operands: usize, rank: usize) -> Vec<Vec<usize>> {
        let whole: Vec<usize> = (0..rank).map(|_| [1, 1, 2, 2, 3, 3, 5][self.below(7)]).collect();
        let longest = self.below(operands);
        let wrong = self.below(3) == 0;
        let mut one = |k: usize| {
            let own = if k == longest { rank } else { self.below(rank + 1) };
            let front = self.below(4) == 0;
            let part = if front { &whole[..own] } else { &whole[rank - own..] };
            let mut shape: Vec<usize> = part.iter().map(|&dim| if self.below(3) == 0 { 1 } else { dim }).collect();
            if wrong && own > 0 && self.below(2) == 0 {
                shape[self.below(own)] = 2 + self.below(2);
            }
            shape
        };
        (0..operands).map(&mut one).collect()
    }
}
