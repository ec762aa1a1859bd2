//! The shapes that layers have after a change, where they follow from what the layers read.

use broadaxe_frameworks::{Attribute, Attributes, Kind, System, newest};
use broadaxe_shape::symbolic::SymbolicShape;

use super::{
    AXIS,
    draft::{Draft, End},
    rank::keeps_rank,
};
use crate::{edit::refused, error::Error, made::Made};

/// The settings of a layer, as its row asks for them.
struct Settings<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Attributes for Settings<'_> {
    fn get(&self, name: &str) -> Option<Attribute> {
        match name {
            "axis" => self.0(AXIS).and_then(|text| text.trim().parse().ok()).map(Attribute::Int),
            name => self.0(name).map(Attribute::Text),
        }
    }

    fn absent_axis(&self) -> i64 {
        0
    }
}

/// Says how a new layer's shape follows, by its operator and settings.
pub(super) fn made(kind: &str, count: usize, setting: &dyn Fn(&str) -> Option<String>) -> Result<Made, Error> {
    let row = newest(System::Openvino, kind);
    match row.map(|row| (row, row.kind())) {
        Some((_, Kind::Slope)) => Ok(Made::First),
        Some((row, Kind::Binary | Kind::Select | Kind::Many | Kind::Quantize)) if count > 1 => {
            row.rule_by().rule(&Settings(setting)).map(Made::Broadcast).map_err(refused)
        }
        _ if count == 1 && keeps_rank(kind) => Ok(Made::First),
        _ => Ok(Made::Unknown),
    }
}

/// Says whether an operator has the attribute `auto_broadcast`.
pub(super) fn broadcasts(kind: &str) -> bool {
    newest(System::Openvino, kind).is_some_and(|row| row.attribute("auto_broadcast").is_some())
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
    shape.map_err(|error| refused(format!("after this change, {error}")).at(old.place()))
}
