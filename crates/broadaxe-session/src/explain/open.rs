//! Explains a broadcast of symbolic shapes: where axes go, what may be repeated, and the conditions.

use broadaxe_draw::{
    Open,
    record::{dim, dims},
};
use broadaxe_shape::{Inferred, Rule, SymbolicShape};
use serde_json::{Value, json};

use crate::{error::Error, json::value};

/// A broadcast of shapes of which not all dims are known.
#[derive(Debug)]
pub struct OpenBroadcast {
    /// The rule.
    pub rule: Rule,
    /// The rule with its parameters, as text.
    pub under: String,
    /// The shapes of the operands.
    pub shapes: Vec<SymbolicShape>,
    /// The shape of the result, and when it holds.
    pub inferred: Inferred,
}

impl OpenBroadcast {
    /// Infers the result; `target` is in place of the parameter of the rule.
    pub(super) fn new(rule: Rule, shapes: Vec<SymbolicShape>, target: Option<SymbolicShape>) -> Result<Self, Error> {
        let inferred = match &target {
            Some(target) => rule.infer_to(&shapes, target)?,
            None => rule.infer(&shapes)?,
        };
        // The parameter of the rule is a stand-in where the target is open.
        let under = match target {
            Some(target) => format!("{} target={}", rule.name(), target),
            None => rule.to_string(),
        };
        Ok(Self { rule, under, shapes, inferred })
    }

    /// Returns the parts that decide what repeats.
    pub fn open(&self) -> Open<'_> {
        Open { rule: &self.rule, shapes: &self.shapes, inferred: &self.inferred }
    }

    pub(super) fn record(&self) -> Value {
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
