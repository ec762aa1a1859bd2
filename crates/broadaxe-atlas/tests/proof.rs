//! Proves that the patterns are all classes there are: a rule answers alike for all shapes of a pattern.
//!
//! Two tests show it. The first asks every rule about dims that can only be compared with each other and with a number, and
//! records the numbers: they are 1, and 0 under ncnn and TOSA, which have no empty arrays. The merge of extents, which follows, compares dims with each other
//! and with 1 only. The second compares the answer for every pair of shapes of dims 0 to 3 up to rank 4 with that of its class.
#![allow(clippy::print_stdout, reason = "the counts are the test's report")]

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use broadaxe_atlas::{Case, Id, Pattern, Subject, Theme, count, tuples};
use broadaxe_shape::{Alignment, Error, Extents, Rule};

/// Dims that keep which numbers they are compared with.
struct Asked {
    shapes: Vec<Vec<usize>>,
    numbers: RefCell<BTreeSet<usize>>,
}

impl Extents for Asked {
    fn count(&self) -> usize {
        self.shapes.len()
    }
    fn rank(&self, k: usize) -> usize {
        self.shapes[k].len()
    }
    fn is(&self, k: usize, axis: usize, extent: usize) -> Result<bool, Error> {
        self.numbers.borrow_mut().insert(extent);
        Ok(self.shapes[k][axis] == extent)
    }
    fn same(&self, (k, i): (usize, usize), (l, j): (usize, usize)) -> Result<bool, Error> {
        Ok(self.shapes[k][i] == self.shapes[l][j])
    }
    fn show(&self, k: usize) -> String {
        format!("{:?}", self.shapes[k])
    }
}

#[test]
fn rules_compare_dims_with_1_only() {
    for subject in Subject::all() {
        let rank = if subject.operands() == 3 { 2 } else { 3 };
        let mut numbers = BTreeSet::new();
        for ranks in (0..=rank).flat_map(|rank| tuples(subject.operands(), rank)) {
            for pattern in Pattern::all(&ranks) {
                let shapes = pattern.shapes(&[2, 3, 5, 7, 11, 13]);
                let rule = subject.rule(shapes.last().map_or(&[], Vec::as_slice));
                let asked = Asked { shapes, numbers: RefCell::default() };
                // Some placements fail for their ranks.
                let _ = rule.place(&asked);
                numbers.extend(asked.numbers.into_inner());
            }
        }
        let allowed: BTreeSet<usize> = if EMPTY_REJECTED.contains(&subject.label()) { [0].into() } else { [1].into() };
        assert!(numbers.is_subset(&allowed), "{} asks whether a dim is one of {numbers:?}", subject.label());
    }
}

/// The rules that reject empty arrays, whatever their pattern.
const EMPTY_REJECTED: [&str; 2] = ["ncnn", "tosa"];

/// All shapes of dims 0 to 3 up to a rank.
fn shapes(rank: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    let mut last: Vec<Vec<usize>> = all.clone();
    for _ in 0..rank {
        last = last.iter().flat_map(|dims| (0..4).map(|dim| [&dims[..], &[dim]].concat())).collect();
        all.extend_from_slice(&last);
    }
    all
}

/// The answer of a rule: the dims of the result, and where the axes of the operands are.
type Answer = Option<(Vec<usize>, Vec<Vec<usize>>)>;

fn answer(rule: &Rule, operands: &[&[usize]]) -> Answer {
    let found: Alignment = rule.align(operands).ok()?;
    let axes = found.operands().iter().map(|operand| operand.axes().to_vec()).collect();
    Some((found.shape().dims().to_vec(), axes))
}

/// Returns the answer of the class of these shapes, with the sizes of the shapes in place of those of the class.
fn of_class(subject: &'static Subject, given: &[&[usize]], classes: &mut BTreeMap<Pattern, Answer>) -> Answer {
    let pattern = Pattern::of(given);
    let class = classes.entry(pattern.clone()).or_insert_with(|| {
        let case = Case::new(Id { subject, pattern: pattern.clone(), theme: Theme::Small }).unwrap();
        let operands: Vec<&[usize]> = case.operands.iter().map(Vec::as_slice).collect();
        answer(&case.rule, &operands)
    });
    let (dims, axes) = class.clone()?;
    let sizes = Theme::Small.sizes(&pattern).unwrap();
    let labels = (0..given.len()).flat_map(|k| pattern.operand(k).iter().zip(given[k]));
    let own: BTreeMap<u8, usize> = labels.map(|(&label, &dim)| (label, dim)).collect();
    let size = |dim: usize| sizes.iter().position(|&size| size == dim).map_or(1, |letter| own[&(letter as u8 + 1)]);
    Some((dims.into_iter().map(size).collect(), axes))
}

#[test]
fn every_pair_of_shapes_answers_as_its_class() {
    let all = shapes(4);
    for subject in Subject::all().iter().filter(|subject| subject.operands() == 2 && subject.is_determined()) {
        let (mut classes, mut pairs, mut accepted) = (BTreeMap::new(), 0, 0);
        for a in &all {
            for b in all.iter().filter(|b| subject.has_ranks(&[a.len(), b.len()])) {
                if EMPTY_REJECTED.contains(&subject.label()) && (a.contains(&0) || b.contains(&0)) {
                    assert!(subject.rule(&[]).align(&[a, b]).is_err());
                    continue;
                }
                let operands: &[&[usize]] = if subject.has_target() { &[a] } else { &[a, b] };
                let own = answer(&subject.rule(b), operands);
                assert_eq!(own, of_class(subject, &[a, b], &mut classes), "{a:?} {b:?} under {}", subject.label());
                pairs += 1;
                accepted += usize::from(own.is_some());
            }
        }
        let (family, label) = (subject.family().name, subject.label());
        println!("{family}-{label}: {pairs} pairs, {accepted} broadcast, {} classes", classes.len());
        assert!(pairs > 300 && accepted > 0);
    }
}

/// Compares the patterns of all pairs of shapes with dims 0 to 3 with the list. Three sizes differ from 1, so they have up to three letters.
#[test]
fn the_patterns_are_the_classes_of_all_pairs() {
    let all = shapes(4);
    let mut found: BTreeMap<Vec<usize>, BTreeSet<Pattern>> = BTreeMap::new();
    for a in &all {
        for b in &all {
            found.entry(vec![a.len(), b.len()]).or_default().insert(Pattern::of(&[a, b]));
        }
    }
    let mut total = 0;
    for (ranks, patterns) in &found {
        let listed: BTreeSet<Pattern> = Pattern::all(ranks).filter(|pattern| pattern.letters() <= 3).collect();
        assert_eq!(*patterns, listed, "{ranks:?}");
        total += count(ranks.iter().sum());
    }
    // Bell numbers: 1, 2 of 1 dim, ..., 21,147 of 8 dims.
    assert_eq!(total, 33_210);
}
