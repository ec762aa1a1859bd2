//! The shapes that layers have after a change, where they follow from what the layers read.

use broadaxe::{Rule, System, frameworks};
use broadaxe_shape::symbolic::SymbolicShape;

use super::{
    AXIS,
    draft::{Draft, End},
    rank::RANKED,
};
use crate::{
    error::Error,
    format::made::{Made, refuse},
};

/// Says how a new layer's shape follows, by its operator and settings.
pub(super) fn made(kind: &str, count: usize, setting: &dyn Fn(&str) -> Option<String>) -> Result<Made, Error> {
    let rule = |mode: String| {
        let axis = setting(AXIS).and_then(|text| text.trim().parse().ok()).unwrap_or(0);
        match (mode.to_ascii_lowercase().as_str(), kind) {
            ("numpy", "Select") => Rule::openvino_select("numpy", None).map_err(|error| refuse(error.to_string())),
            ("pdpd", "Select") => Rule::openvino_select("pdpd", Some(axis)).map_err(|error| refuse(error.to_string())),
            ("numpy", _) => Ok(Rule::numpy()),
            ("pdpd", _) => Ok(Rule::pdpd(axis)),
            ("none" | "explicit", _) => Ok(Rule::none()),
            (other, _) => Err(refuse(format!("auto_broadcast cannot be {other}; it can be none, numpy or pdpd"))),
        }
    };
    match setting("auto_broadcast") {
        Some(mode) if count > 1 => rule(mode).map(Made::Broadcast),
        None if count > 1 && broadcasts(kind) => rule("numpy".to_string()).map(Made::Broadcast),
        _ if kind == "PReLU" || count == 1 && RANKED.contains(&kind) => Ok(Made::First),
        _ => Ok(Made::Unknown),
    }
}

/// Says whether an operator has the attribute `auto_broadcast`.
pub(super) fn broadcasts(kind: &str) -> bool {
    let mut rows = frameworks::operators(System::Openvino).filter(|row| row.name() == kind);
    rows.any(|row| row.all_attributes().any(|attribute| attribute.name == "auto_broadcast"))
}

/// Infers the shape of a layer of the file with one output from what it reads now, where that is simple.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] where the operands do not broadcast any more.
pub(super) fn of_layer(draft: &Draft<'_>, net: usize, layer: usize) -> Result<Option<SymbolicShape>, Error> {
    let old = draft.layer(net, layer);
    if old.outputs.len() != 1 {
        return Ok(None);
    }
    let kind = draft.parts[net].kinds.get(&layer).unwrap_or(&old.kind);
    let inputs: Vec<_> = draft.parts[net].sources[layer].iter().map(|&end: &End| draft.shape(net, end)).collect();
    let shape = made(kind, inputs.len(), &|key| draft.setting(net, layer, key)).and_then(|made| made.shape(&inputs));
    shape.map_err(|error| refuse(format!("after this change, {error}")).at(old.place()))
}
