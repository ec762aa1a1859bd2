//! Upgrades ONNX models from before opset 7 to opset 7.
//!
//! Until opset 7 an operand was stretched only where the attribute `broadcast` said so, and `axis` said along which axes
//! of the first operand the second one covers. From opset 7 on shapes are aligned at the last axis. So the second operand
//! gets an axis of 1 for every axis of the first one that comes after its own, and the attributes go. Converters that
//! only drop the attributes change the meaning wherever `axis` was not the last place that fits.
//!
//! The list `RULES` has whatever else changed between opsets 1 and 7. Where the old text leaves a choice, nothing is
//! chosen: the node is named, with what would have to be said in the model.
//!
//! Source: the schemas of the operators in ONNX, all versions up to 7.

mod legacy;
mod rules;

use std::collections::BTreeSet;

use crate::{
    copied::Copied,
    edit::Edit,
    error::{Error, ErrorKind},
    fix::{self, Fix, Intent, Left, LeftKind, Step, Want, emit_edits},
    format,
    graph::{GraphId, Model, NodeId},
    infer::{Shapes, given, infer},
    profiles::Target,
};

use self::rules::{RULES, Rule, UNCHANGED};

/// The opset that models are brought to.
pub const OPSET: i64 = 7;

/// Says whether a model is ONNX of an opset before 7.
pub fn is_old(model: &Model) -> bool {
    let opset = model.opsets.iter().find(|(domain, _)| domain.is_empty()).map(|(_, opset)| *opset);
    model.format == "onnx" && opset.is_some_and(|opset| opset < OPSET)
}

/// What becomes of one node.
#[derive(Default)]
struct Turn {
    edits: Vec<Edit>,
    wants: Vec<Want>,
    texts: Vec<String>,
}

/// Finds the changes after which a model of an opset before 7 means the same under opset 7.
///
/// There are none for a model of opset 7 or later. Nodes in [`Fix::left`] have no exact counterpart, or their shapes would
/// have to be known; while there are such nodes, there are no edits, as what does not change would mean something else then.
///
/// # Errors
/// [`ErrorKind::Edit`] when the model is not ONNX.
pub fn upgrade(model: &Model, shapes: &Shapes) -> Result<Fix, Error> {
    if model.format != "onnx" {
        let text = format!("only ONNX models have old opsets; this one is {}", model.format);
        return Err(Error::new(ErrorKind::Edit, text));
    }
    let mut fix = Fix::default();
    let opset = model.opsets.iter().find(|(domain, _)| domain.is_empty()).map_or(1, |(_, version)| *version);
    if opset >= OPSET {
        return Ok(fix);
    }
    let mut wants = Vec::new();
    for id in (0..model.nodes.len()).map(|index| NodeId(index as u32)) {
        let node = model.node(id);
        if !node.domain.is_empty() {
            continue;
        }
        match turn(&Case { model, shapes, id }, opset) {
            Ok(turn) => {
                fix.steps.extend(turn.texts.into_iter().map(|text| Step { node: id, text, copied: Copied::default() }));
                fix.edits.extend(turn.edits);
                wants.extend(turn.wants);
            }
            Err(reason) => {
                let reason = format!("{} of opset {opset}: {reason}", node.op);
                fix.left.push(Left { node: id, reason: reason.into(), kind: LeftKind::Finding });
            }
        }
    }
    let (edits, steps) = emit_edits(model, &wants);
    fix.edits.extend(edits);
    fix.steps.extend(steps);
    fix.edits.push(Edit::Opset(OPSET));
    if !fix.left.is_empty() {
        fix.edits.clear();
    }
    Ok(fix)
}

/// A model that was brought to opset 7 in memory.
#[derive(Debug)]
pub struct Upgraded {
    /// What was changed for that.
    pub changes: Fix,
    /// The model of opset 7.
    pub model: Model,
    /// Its shapes.
    pub shapes: Shapes,
}

/// Plans a repair as [`fix::plan`] does, and brings a model of an old opset to opset 7 first where that leaves fewer
/// nodes on some targets, and more on none.
///
/// The repair is then one of the upgraded model.
///
/// # Errors
/// As [`fix::plan`], and what reading the upgraded model gives.
pub fn plan(
    model: &Model,
    shapes: &Shapes,
    targets: &[Target],
    intent: Intent,
) -> Result<(Option<Upgraded>, Fix), Error> {
    let plan = fix::plan_as(model, shapes, targets, intent)?;
    if plan.left.is_empty() || !is_old(model) {
        return Ok((None, plan));
    }
    let changes = upgrade(model, shapes)?;
    if !changes.left.is_empty() {
        return Ok((None, plan));
    }
    let upgraded = format::changed(model, &format::write(model, &changes.edits)?)?;
    let shapes = infer(&upgraded, &given(model, shapes))?;
    let better = fix::plan_as(&upgraded, &shapes, targets, intent)?;
    // An upgrade may change what a node means on a target that has the old rule.
    let (before, after) = (remains(model, &plan), remains(&upgraded, &better));
    if after.len() >= before.len() || !after.is_subset(&before) {
        return Ok((None, plan));
    }
    Ok((Some(Upgraded { changes, model: upgraded, shapes }), better))
}

/// Names what a fix leaves by results, which keep their names: each with the target.
fn remains<'a>(model: &'a Model, fix: &'a Fix) -> BTreeSet<(GraphId, &'a str, &'a str)> {
    let result = |id: NodeId| model.node(id).outputs.iter().flatten().next().map(|&value| model.value(value));
    let named = fix.remains.iter().filter_map(|(id, target)| Some((result(*id)?, target)));
    named.map(|(value, target)| (value.graph, value.name.as_str(), &**target)).collect()
}

/// Applies all rules for a node, or says why there is none.
fn turn(case: &Case<'_>, opset: i64) -> Result<Turn, String> {
    let node = case.model.node(case.id);
    let mut turn = Turn::default();
    let known = UNCHANGED.contains(&node.op.as_str()) || RULES.iter().any(|rule| rule.op == node.op);
    if !known {
        return Err(format!("there is no operator {} before opset {OPSET}", node.op));
    }
    for Rule { op, before, apply } in RULES {
        if *op == node.op && opset < *before {
            apply(case, &mut turn)?;
        }
    }
    let replaced = turn.edits.iter().any(|edit| matches!(edit, Edit::Replace { .. }));
    if node.attribute("consumed_inputs").is_some() && !replaced {
        turn.set(case.id, "consumed_inputs", None);
    }
    Ok(turn)
}

/// A node to be turned.
struct Case<'a> {
    model: &'a Model,
    shapes: &'a Shapes,
    id: NodeId,
}

impl Turn {
    /// Sets an attribute, or removes it.
    fn set(&mut self, node: NodeId, name: &str, value: Option<crate::edit::Scalar>) {
        let text = match &value {
            None => format!("remove the attribute {name}"),
            Some(value) => format!("set the attribute {name} to {value}"),
        };
        self.texts.push(text);
        self.edits.push(Edit::Attribute { node, name: name.to_string(), value });
    }
}

#[cfg(test)]
mod tests;
