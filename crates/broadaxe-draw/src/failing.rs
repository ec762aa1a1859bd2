//! Draws a broadcast that fails: the axes as the rule aligns them, the sizes that clash, and shapes that would fit.

use broadaxe_shape::Rule;

use crate::{
    drawing::{Drawing, Layout, Operand, question},
    order::Order,
    words::letter,
};

/// How many shapes are proposed for an operand.
const PROPOSED: usize = 4;
/// The largest rank for which shapes are searched.
const MAX_RANK: usize = 8;

impl Drawing {
    /// Draws operands that do not broadcast: the axes on which sizes clash, and shapes that would fit. Returns nothing where the
    /// shapes broadcast, and where the rule does not even align them.
    ///
    /// ```
    /// use broadaxe_draw::{Drawing, Order};
    /// use broadaxe_shape::Rule;
    /// let drawing = Drawing::failed(&Rule::numpy(), &[&[2, 3], &[4]], Order::ROW_MAJOR).unwrap();
    /// assert_eq!((drawing.clashes.as_slice(), drawing.notes[0].as_str()), (&[1][..], "axis 1: 3 and 4 differ, and neither is 1"));
    /// ```
    pub fn failed(rule: &Rule, shapes: &[&[usize]], order: Order) -> Option<Self> {
        rule.align(shapes).err()?;
        let placement = rule.place(&shapes).ok().filter(|placement| placement.count() == shapes.len())?;
        let rank = placement.rank();
        let fed = |k: usize, axis: usize| placement.axes(k).iter().position(|&at| at == axis).map(|at| shapes[k][at]);
        let sizes = |axis: usize| (0..shapes.len()).filter_map(move |k| fed(k, axis));
        let clash = |axis: usize| -> Option<(usize, usize)> {
            let one = sizes(axis).find(|&size| size != 1)?;
            sizes(axis).find(|&size| size != 1 && size != one).map(|other| (one, other))
        };
        let result = |axis: usize| match clash(axis) {
            Some(_) => None,
            None => Some(sizes(axis).find(|&size| size != 1).unwrap_or(1)),
        };
        let stretched = |k: usize, axis: usize| (fed(k, axis)? != result(axis)?).then_some(None);
        let operand = |k: usize| Operand {
            name: letter(k),
            shape: order.shape(shapes[k]),
            sizes: shapes[k].iter().map(ToString::to_string).collect(),
            axes: placement.axes(k),
            repeats: String::new(),
        };
        let drawing = Layout {
            title: question(shapes.iter().map(|shape| order.shape(shape)), rule) + ": rejected",
            rank,
            order,
            operands: (0..shapes.len()).map(operand).collect(),
            result: (0..rank).map(|axis| result(axis).map(|size| size.to_string())).collect(),
            stretched: &stretched,
        }
        .drawing();
        let columns = order.list(&(0..rank).collect::<Vec<_>>());
        let found = columns.iter().enumerate().filter_map(|(at, &axis)| Some((at, clash(axis)?)));
        let found: Vec<_> = found.collect();
        let notes = found.iter().map(differ).chain(proposals(rule, shapes, order)).collect();
        // A rule may reject sizes that do not clash, such as a stretch of the wrong operand.
        Some(Self { result: None, clashes: found.iter().map(|&(at, _)| at).collect(), notes, ..drawing })
    }
}

fn differ(&(axis, (one, other)): &(usize, (usize, usize))) -> String {
    format!("axis {axis}: {one} and {other} differ, and neither is 1")
}

/// Says which shapes would fit.
fn proposals(rule: &Rule, shapes: &[&[usize]], order: Order) -> Vec<String> {
    let mut said = Vec::new();
    for k in (0..shapes.len()).rev() {
        let fits = fitting(rule, shapes, k);
        if !fits.is_empty() {
            said.push(format!("{} would fit as {}", letter(k), either(&fits, order)));
        }
    }
    said.extend(inserted(rule, shapes, order));
    said
}

/// Joins shapes: `(3,), (1,) or (2, 3)`.
fn either(shapes: &[Vec<usize>], order: Order) -> String {
    let mut words: Vec<String> = shapes.iter().map(|shape| order.shape(shape)).collect();
    let last = words.pop().unwrap_or_default();
    if words.is_empty() { last } else { format!("{} or {last}", words.join(", ")) }
}

/// Says whether the shapes broadcast with another one for operand `k`.
fn fits(rule: &Rule, shapes: &[&[usize]], k: usize, shape: &[usize]) -> bool {
    let mut changed = shapes.to_vec();
    changed[k] = shape;
    rule.align(&changed).is_ok()
}

/// Finds shapes for operand `k` near its own: its sizes replaced by those of the others or by 1, and the shapes of the others.
fn fitting(rule: &Rule, shapes: &[&[usize]], k: usize) -> Vec<Vec<usize>> {
    let own = shapes[k];
    let others = || shapes.iter().enumerate().filter(|(at, _)| *at != k).map(|(_, shape)| *shape);
    let mut tries: Vec<Vec<usize>> = Vec::new();
    for other in others() {
        for axis in 0..own.len() {
            let sizes = other.iter().rev().copied().chain([1]).filter(|&size| size != own[axis]);
            tries.extend(
                sizes.map(|size| own.iter().enumerate().map(|(at, &n)| if at == axis { size } else { n }).collect()),
            );
        }
        for axis in 0..other.len() {
            let shape = |kept: fn(usize, usize) -> bool| {
                other.iter().enumerate().map(|(at, &n)| if kept(at, axis) { n } else { 1 }).collect()
            };
            tries.push(shape(|at, axis| at < axis + 1));
        }
        tries.push(other.to_vec());
    }
    let mut found: Vec<Vec<usize>> = Vec::new();
    for shape in tries {
        if found.len() < PROPOSED && !found.contains(&shape) && fits(rule, shapes, k, &shape) {
            found.push(shape);
        }
    }
    found
}

/// Finds axes of 1 whose insertion into one operand makes the shapes broadcast, and says what results: the smallest result that can be
/// had, with the fewest axes.
fn inserted(rule: &Rule, shapes: &[&[usize]], order: Order) -> Option<String> {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    type Found = (usize, Vec<usize>, String);
    let mut best: Option<((u128, usize), Found)> = None;
    for (k, own) in shapes.iter().enumerate() {
        // Several axes go in together, at one place.
        for count in 1..=rank.saturating_sub(own.len()).max(1) {
            for axis in (0..=own.len()).rev().filter(|_| own.len() + count <= MAX_RANK) {
                let shape = [&own[..axis], &vec![1; count], &own[axis..]].concat();
                let mut changed = shapes.to_vec();
                changed[k] = &shape;
                let Ok(alignment) = rule.align(&changed) else { continue };
                let size = alignment.shape().iter().fold(1_u128, |size, &dim| size.saturating_mul(dim as u128));
                if best.as_ref().is_none_or(|(known, ..)| (size, count) < *known) {
                    best = Some(((size, count), (k, shape, order.shape(alignment.shape()))));
                }
            }
        }
    }
    best.map(|((_, count), (k, shape, result))| {
        let axes = if count == 1 { "a new axis" } else { "new axes" };
        format!("with {axes} of 1, {} as {}, the result is {result}", letter(k), order.shape(&shape))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings() {
        type Case = (&'static str, &'static [&'static [usize]], Option<(&'static str, &'static [&'static str])>);
        let cases: [Case; 5] = [
            (
                "numpy",
                &[&[2, 3], &[4]],
                Some((
                    "  axis     0  1\n  a        2  3\n  b     .->2  4\n              ^\n",
                    &[
                        "axis 1: 3 and 4 differ, and neither is 1",
                        "b would fit as (3,), (1,), (2, 1) or (2, 3)",
                        "a would fit as (2, 4), (2, 1) or (4,)",
                        "with a new axis of 1, a as (2, 3, 1), the result is (2, 3, 4)",
                    ],
                )),
            ),
            ("numpy", &[&[2, 3], &[3]], None),
            ("numpy", &[], None),
            (
                "numpy",
                &[&[0], &[2]],
                Some((
                    "  axis  0\n  a     0\n  b     2\n        ^\n",
                    &[
                        "axis 0: 0 and 2 differ, and neither is 1",
                        "b would fit as (0,) or (1,)",
                        "a would fit as (2,) or (1,)",
                        "with a new axis of 1, a as (0, 1), the result is (0, 2)",
                    ],
                )),
            ),
            (
                "unidirectional",
                &[&[1], &[2]],
                Some(("  axis     0\n  a     1->2\n  b        2\n", &["b would fit as (1,)", "a would fit as (2,)"])),
            ),
        ];
        for (rule, shapes, want) in cases {
            let rule: Rule = rule.parse().unwrap();
            let drawn = Drawing::failed(&rule, shapes, Order::ROW_MAJOR);
            let want = want.map(|(text, notes)| (text.to_owned(), notes.iter().map(|&note| note.to_owned()).collect()));
            assert_eq!(drawn.map(|drawn| (drawn.text(true), drawn.notes)), want, "{rule} {shapes:?}");
        }
    }

    /// Whatever is proposed fits.
    #[test]
    fn proposals_fit() {
        let sizes = [0, 1, 2, 3];
        for rule in ["numpy", "onnx", "pdpd axis=1", "ncnn"].map(|rule| rule.parse::<Rule>().unwrap()) {
            for [a, b, c] in (0..64).map(|n| [sizes[n % 4], sizes[n / 4 % 4], sizes[n / 16]]) {
                let shapes: [&[usize]; 2] = [&[a, b], &[c]];
                for k in 0..2 {
                    for shape in fitting(&rule, &shapes, k) {
                        assert!(fits(&rule, &shapes, k, &shape), "{rule} {shapes:?} {shape:?}");
                    }
                }
            }
        }
    }
}
