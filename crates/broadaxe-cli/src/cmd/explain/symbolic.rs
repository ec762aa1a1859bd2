//! Draws symbolic shapes: where axes go, what may be repeated, and the conditions.

use broadaxe_shape::{Dim, Inferred, Rule, SymbolicShape};
use serde_json::{Value, json};

use super::drawn;
use crate::{
    answer::{join, letter},
    error::{Error, escaped},
};

/// A broadcast of shapes that are not known.
pub(super) struct SymbolicDrawing<'a> {
    rule: Rule,
    /// The rule with its parameters, as text.
    under: String,
    shapes: &'a [SymbolicShape],
    inferred: Inferred,
}

/// The dims of an operand, and the axes of the result that they feed.
type Placed<'a> = (Vec<Dim>, &'a [usize]);

/// An axis of the result along which an operand repeats: how often, and the condition where it may not.
struct Repeat<'a> {
    axis: usize,
    times: &'a Dim,
    when: Option<String>,
}

impl<'a> SymbolicDrawing<'a> {
    /// Infers the result; `target` is in place of the parameter of the rule.
    pub(super) fn new(rule: Rule, shapes: &'a [SymbolicShape], target: Option<&SymbolicShape>) -> Result<Self, Error> {
        let inferred = match target {
            Some(target) => rule.infer_to(shapes, target)?,
            None => rule.infer(shapes)?,
        };
        // The parameter of the rule is a stand-in where the target is open.
        let under = match target {
            Some(target) => format!("{} target={}", rule.name(), target),
            None => rule.to_string(),
        };
        Ok(Self { rule, under, shapes, inferred })
    }

    pub(super) fn show(&self) -> String {
        let mut text = format!("{} under {}\n\n", self.inferred.shape(), self.under);
        match self.placed() {
            Some((result, operands)) => {
                text += &drawn(result, &operands);
                text += "\n";
                for (k, (_, axes)) in operands.iter().enumerate() {
                    text += &format!("  {}\n", self.repeats_text(k, result, axes));
                }
            }
            None => text += "  The sizes decide where the axes go.\n",
        }
        for (i, guard) in self.guards().into_iter().enumerate() {
            text += &format!("{}  {} {guard}\n", if i == 0 { "\n" } else { "" }, if i == 0 { "if" } else { "and" });
        }
        if !self.inferred.guard().is_exact() {
            text += "\nThe rank of an operand is not known, so there may be further conditions.\n";
        }
        text += "\nLoops and bytes depend on the sizes; give numbers to see them.\n";
        text.lines().map(|line| escaped(line) + "\n").collect()
    }

    pub(super) fn describe(&self) -> Value {
        let placed = self.placed();
        let operands = self.shapes.iter().enumerate().map(|(k, shape)| {
            let mut json = json!({ "shape": dims(shape) });
            if let Some((result, operands)) = &placed {
                let repeats = self.repeats(k, result, operands[k].1).into_iter();
                let repeats = repeats.map(|r| json!({ "axis": r.axis, "times": size(r.times), "when": r.when }));
                json["axes"] = json!(operands[k].1);
                json["repeats"] = repeats.collect();
            }
            json
        });
        json!({
            "rule": self.under,
            "shape": dims(self.inferred.shape()),
            "operands": operands.collect::<Vec<_>>(),
            "guards": self.guards(),
            "exact": self.inferred.guard().is_exact(),
        })
    }

    fn guards(&self) -> Vec<String> {
        self.inferred.guard().clauses().into_iter().map(|(_, text)| text).collect()
    }

    /// Returns the result, and each operand with the axes that it feeds, where that is the same for all sizes.
    fn placed(&self) -> Option<(&[Dim], Vec<Placed<'_>>)> {
        let (result, placement) = (self.inferred.shape().dims()?, self.inferred.placement()?);
        let operands = self.shapes.iter().take(placement.count()).enumerate();
        let operands = operands.map(|(k, shape)| Some((shape.dims()?.to_vec(), placement.axes(k))));
        Some((result, operands.collect::<Option<_>>()?))
    }

    /// Lists the result axes along which operand `k` repeats or may repeat.
    fn repeats<'r>(&self, k: usize, result: &'r [Dim], axes: &[usize]) -> Vec<Repeat<'r>> {
        let own = self.shapes[k].dims().unwrap_or_default();
        let repeat = |axis: usize, times: &'r Dim| {
            let Some(at) = axes.iter().position(|&fed| fed == axis) else {
                return Some(Repeat { axis, times, when: None });
            };
            let dim = &own[at];
            let same = times.size() == Some(1) || !dim.names().is_empty() && dim.names() == times.names();
            if same || !dim.allows(1) || self.feeds_alone(k, axis) {
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

    /// Says whether no other operand has more than 1 along an axis of the result, so that it has the size of operand `k`.
    fn feeds_alone(&self, k: usize, axis: usize) -> bool {
        let operands = self.placed().map_or_else(Vec::new, |(_, operands)| operands);
        let target = self.rule.def().target;
        let one = |(dims, axes): &Placed<'_>| {
            axes.iter().position(|&fed| fed == axis).is_none_or(|at| dims[at].size() == Some(1))
        };
        !target && operands.iter().enumerate().all(|(other, operand)| other == k || one(operand))
    }

    fn repeats_text(&self, k: usize, result: &[Dim], axes: &[usize]) -> String {
        let (name, shape) = (letter(k), &self.shapes[k]);
        let along = self.repeats(k, result, axes).into_iter().map(|repeat| {
            let when = repeat.when.map_or_else(String::new, |when| format!(" if {when}"));
            format!("{} times along axis {}{when}", repeat.times, repeat.axis)
        });
        match along.collect::<Vec<_>>().as_slice() {
            [] => format!("{name} {shape} does not repeat"),
            along => format!("{name} {shape} is repeated {}", join(along, " and ")),
        }
    }
}

/// Returns the dims of a shape as numbers and texts; null where the rank is not known.
pub(in crate::cmd) fn dims(shape: &SymbolicShape) -> Value {
    shape.dims().map_or(Value::Null, |dims| dims.iter().map(size).collect())
}

fn size(dim: &Dim) -> Value {
    dim.size().map_or_else(|| json!(dim.to_string()), |size| json!(size))
}
