//! Infers the shapes of layers after a change from those of their inputs.

use broadaxe_frameworks::{Attribute, Attributes, Kind, System, newest};

use super::{AXIS, rank::keeps_rank};
use crate::{edit::rejected, error::Error, result_shape::ResultShape};

/// The settings of a layer, as its row asks for them.
struct LayerSettings<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Attributes for LayerSettings<'_> {
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
pub(super) fn result_shape(
    kind: &str,
    count: usize,
    setting: &dyn Fn(&str) -> Option<String>,
) -> Result<ResultShape, Error> {
    let row = newest(System::Openvino, kind);
    match row.map(|row| (row, row.kind())) {
        Some((_, Kind::Slope)) => Ok(ResultShape::First),
        Some((row, Kind::Binary | Kind::Select | Kind::Many | Kind::Quantize)) if count > 1 => {
            row.rule_by().rule(&LayerSettings(setting)).map(ResultShape::Broadcast).map_err(rejected)
        }
        _ if count == 1 && keeps_rank(kind) => Ok(ResultShape::First),
        _ => Ok(ResultShape::Unknown),
    }
}

/// Says whether an operator has the attribute `auto_broadcast`.
pub(super) fn broadcasts(kind: &str) -> bool {
    newest(System::Openvino, kind).is_some_and(|row| row.attribute("auto_broadcast").is_some())
}
