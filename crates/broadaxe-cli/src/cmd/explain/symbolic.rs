//! Draws symbolic shapes: where axes go, what may be repeated, and the conditions.

use broadaxe_draw::{
    Drawing, Open, Order,
    record::{dim, dims},
};
use broadaxe_shape::{Inferred, Rule, SymbolicShape};
use serde_json::{Value, json};

use broadaxe_session::json::value;

use crate::error::Error;

/// A broadcast of shapes that are not known.
pub(super) struct SymbolicDrawing<'a> {
    rule: Rule,
    /// The rule with its parameters, as text.
    under: String,
    shapes: &'a [SymbolicShape],
    inferred: Inferred,
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

    pub(super) fn drawing(&self) -> Drawing {
        self.open().drawing(&self.under, Order::ROW_MAJOR)
    }

    fn open(&self) -> Open<'_> {
        Open { rule: &self.rule, shapes: self.shapes, inferred: &self.inferred }
    }

    pub(super) fn show(&self) -> String {
        let drawing = self.drawing();
        let mut text = format!("{} under {}\n\n", self.inferred.shape(), self.under);
        if drawing.rows.is_empty() {
            text += "  The sizes decide where the axes go.\n";
        } else {
            text += &super::above(&drawing);
        }
        for (i, guard) in self.open().guards().into_iter().enumerate() {
            text += &format!("{}  {} {guard}\n", if i == 0 { "\n" } else { "" }, if i == 0 { "if" } else { "and" });
        }
        if !self.inferred.guard().is_exact() {
            text += "\nThe rank of an operand is not known, so there may be further conditions.\n";
        }
        text += "\nLoops and bytes depend on the sizes; give numbers to see them.\n";
        super::escaped_lines(&text)
    }

    pub(super) fn describe(&self) -> Value {
        let open = self.open();
        let placed = open.placed();
        let operands = self.shapes.iter().enumerate().map(|(k, shape)| {
            let mut json = json!({ "shape": value(dims(shape)) });
            if let Some((_, operands)) = &placed {
                let repeats = open.repeats(k).into_iter();
                let repeats = repeats.map(|r| json!({ "axis": r.axis, "times": value(dim(r.times)), "when": r.when }));
                json["axes"] = json!(operands[k].1);
                json["repeats"] = repeats.collect();
            }
            json
        });
        json!({
            "rule": self.under,
            "shape": value(dims(self.inferred.shape())),
            "operands": operands.collect::<Vec<_>>(),
            "guards": open.guards(),
            "exact": self.inferred.guard().is_exact(),
        })
    }
}
