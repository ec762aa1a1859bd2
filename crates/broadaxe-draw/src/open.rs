//! Draws shapes with dims that are not known: where axes go, what may repeat, and the conditions.

use broadaxe_shape::{Dim, Inferred, Rule, SymbolicShape};

use crate::{
    drawing::{Drawing, Layout, Operand, question, repeats_along},
    order::Order,
    words::letter,
};

/// The dims of an operand, and the axes of the result that they feed.
type Placed<'a> = (Vec<Dim>, &'a [usize]);

/// Lists what repeats in a broadcast of shapes that are not known.
#[derive(Clone, Copy, Debug)]
pub struct Open<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// The operands.
    pub shapes: &'a [SymbolicShape],
    /// What the rule infers of them.
    pub inferred: &'a Inferred,
}

/// An axis of the result along which an operand repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat<'a> {
    /// The axis.
    pub axis: usize,
    /// How often.
    pub times: &'a Dim,
    /// The condition under which it repeats, if there is one.
    pub when: Option<String>,
}

impl<'a> Open<'a> {
    /// Draws the operands. The drawing has no columns where the sizes decide which axes go together.
    ///
    /// `under` is the rule with its parameters, as text.
    pub fn drawing(&self, under: &str, order: Order) -> Drawing {
        let shape = |shape: &SymbolicShape| shape.dims().map_or_else(|| "(...)".to_owned(), |dims| order.shape(dims));
        let title = question(self.shapes.iter().map(shape), &under);
        let mut drawing = match self.placed() {
            Some((result, operands)) => {
                let all: Vec<Vec<Repeat<'_>>> = (0..operands.len()).map(|k| self.repeats(k)).collect();
                let stretched = |k: usize, axis: usize| {
                    all[k].iter().find(|repeat| repeat.axis == axis).map(|repeat| repeat.when.clone())
                };
                let operand = |(k, (dims, axes)): (usize, &Placed<'a>)| Operand {
                    name: letter(k),
                    shape: shape(&self.shapes[k]),
                    sizes: dims.iter().map(ToString::to_string).collect(),
                    axes,
                    repeats: repeats_text(&all[k], result.len(), order),
                };
                Layout {
                    title,
                    rank: result.len(),
                    order,
                    operands: operands.iter().enumerate().map(operand).collect(),
                    result: result.iter().map(|dim| Some(dim.to_string())).collect(),
                    stretched: &stretched,
                }
                .drawing()
            }
            None => Drawing { notes: vec!["The sizes decide where the axes go".to_owned()], ..Drawing::empty(title) },
        };
        let guards = self.guards().into_iter().enumerate();
        drawing.notes.extend(guards.map(|(i, guard)| format!("{} {guard}", if i == 0 { "if" } else { "and" })));
        if !self.inferred.guard().is_exact() {
            let text = "The rank of an operand is not known, so there may be further conditions";
            drawing.notes.push(text.to_owned());
        }
        drawing
    }

    /// Lists the conditions under which the shapes broadcast.
    pub fn guards(&self) -> Vec<String> {
        guards(self.inferred)
    }

    /// Returns the result, and each operand with the axes that it feeds, where that is the same for all sizes.
    pub fn placed(&self) -> Option<(&'a [Dim], Vec<Placed<'a>>)> {
        let (result, placement) = (self.inferred.shape().dims()?, self.inferred.placement()?);
        let operands = self.shapes.iter().take(placement.count()).enumerate();
        let operands = operands.map(|(k, shape)| Some((shape.dims()?.to_vec(), placement.axes(k))));
        Some((result, operands.collect::<Option<_>>()?))
    }

    /// Lists the result axes along which operand `k` repeats or may repeat.
    pub fn repeats(&self, k: usize) -> Vec<Repeat<'a>> {
        let Some((result, operands)) = self.placed() else { return Vec::new() };
        let (own, axes) = (self.shapes[k].dims().unwrap_or_default(), operands[k].1);
        let repeat = |axis: usize, times: &'a Dim| {
            let Some(at) = axes.iter().position(|&fed| fed == axis) else {
                return Some(Repeat { axis, times, when: None });
            };
            let dim = &own[at];
            let same = times.size() == Some(1) || !dim.names().is_empty() && dim.names() == times.names();
            if same || !dim.allows(1) || self.feeds_alone(&operands, k, axis) {
                return None;
            }
            if dim.size().is_some() {
                return Some(Repeat { axis, times, when: None });
            }
            let name = dim.name().map_or_else(|| format!("{}[{at}]", letter(k)), ToOwned::to_owned);
            let refused = self.inferred.guard().holds(&[(name.as_str(), 1)]) == Some(false);
            (!refused).then(|| Repeat { axis, times, when: Some(format!("{name} == 1")) })
        };
        result.iter().enumerate().filter_map(|(axis, times)| repeat(axis, times)).collect()
    }

    /// Returns whether no other operand has more than 1 along an axis of the result, so that it has the size of operand `k`.
    fn feeds_alone(&self, operands: &[Placed<'_>], k: usize, axis: usize) -> bool {
        let one = |(dims, axes): &Placed<'_>| {
            axes.iter().position(|&fed| fed == axis).is_none_or(|at| dims[at].size() == Some(1))
        };
        !self.rule.def().target && operands.iter().enumerate().all(|(other, operand)| other == k || one(operand))
    }
}

/// Lists the conditions under which an inferred shape is right.
pub fn guards(inferred: &Inferred) -> Vec<String> {
    inferred.guard().clauses().into_iter().map(|(_, text)| text).collect()
}

fn repeats_text(repeats: &[Repeat<'_>], rank: usize, order: Order) -> String {
    let along = repeats.iter().map(|repeat| {
        let when = repeat.when.as_ref().map_or_else(String::new, |when| format!(" if {when}"));
        format!("{} times along axis {}{when}", repeat.times, order.axes(&[repeat.axis], rank)[0])
    });
    repeats_along(&along.collect::<Vec<_>>())
}
