//! Converts attributes of a node to the kinds that the tables of frameworks use, from any form that a file may have.

use broadaxe_frameworks::{Attribute as Asked, Attributes, Row, System, Values};

use crate::graph::{Attribute, Model, Node};

/// How many bytes of a constant list are read at most.
const LIST_BYTES: usize = 8 * broadaxe_shape::MAX_RANK;

/// Says whether operators of a domain are those of the framework itself.
pub(crate) fn is_standard(system: System, domain: &str) -> bool {
    match system {
        // Some exporters write the name of ONNX's own domain out.
        System::Onnx => matches!(domain, "" | "ai.onnx"),
        System::Openvino => domain.is_empty() || domain.starts_with("opset"),
        System::Tflite => domain.is_empty(),
        _ => true,
    }
}

/// The attributes of a node, read as its row describes them.
pub(crate) struct Written<'a> {
    model: &'a Model,
    node: &'a Node,
    row: &'static Row,
}

impl<'a> Written<'a> {
    pub(crate) fn new(model: &'a Model, node: &'a Node, row: &'static Row) -> Self {
        Self { model, node, row }
    }

    /// Collects the row's own attributes that the file gives.
    pub(crate) fn own(&self) -> Vec<(&'static str, Asked)> {
        let own = self.row.attributes().iter();
        own.filter_map(|attr| Some((attr.name, self.get(attr.name)?))).collect()
    }
}

impl Attributes for Written<'_> {
    fn get(&self, name: &str) -> Option<Asked> {
        let attr = self.row.attribute(name);
        let keys = [attr.map_or("", |attr| attr.key), name];
        let given = keys.iter().filter(|key| !key.is_empty()).find_map(|key| self.node.attribute(key));
        match given {
            Some(given) => convert(self.row.system(), given, attr.map(|attr| attr.values)),
            None if name == "axes_mapping" => self.list(2),
            None => None,
        }
    }

    /// In OpenVINO's files an axis of PDPD that is left out is 0.
    fn absent_axis(&self) -> i64 {
        if self.row.system() == System::Openvino { 0 } else { -1 }
    }
}

impl Written<'_> {
    /// Reads a list that is an input, a constant of 32 or 64 bits.
    fn list(&self, input: usize) -> Option<Asked> {
        let constant = self.model.value(self.node.input(input)?).constant.as_ref()?;
        let size = match constant.element.dtype()?.name() {
            "i64" | "u64" => 8,
            "i32" | "u32" => 4,
            _ => return None,
        };
        let bytes = self.model.elements(constant, LIST_BYTES).ok()??;
        let number = |bytes: &[u8]| {
            let mut wide = [if bytes.last().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 }; 8];
            wide[..bytes.len()].copy_from_slice(bytes);
            i64::from_le_bytes(wide)
        };
        Some(Asked::Ints(bytes.chunks_exact(size).map(number).collect()))
    }
}

/// Converts a value that a file holds, perhaps as text, to the kind that a row asks for.
fn convert(system: System, value: &Attribute, wanted: Option<Values>) -> Option<Asked> {
    Some(match (wanted, value) {
        // OpenVINO ignores case.
        (Some(Values::Words(words)), Attribute::Text(text)) if system == System::Openvino => {
            let known = words.iter().find(|word| word.eq_ignore_ascii_case(text));
            Asked::Text(known.map_or_else(|| text.clone(), ToString::to_string))
        }
        (Some(Values::Flag), Attribute::Text(text)) => match text.as_str() {
            "true" | "True" | "1" => Asked::Bool(true),
            "false" | "False" | "0" => Asked::Bool(false),
            _ => Asked::Text(text.clone()),
        },
        (Some(Values::Int), Attribute::Text(text)) => {
            text.trim().parse().map_or_else(|_| Asked::Text(text.clone()), Asked::Int)
        }
        (Some(Values::Float), Attribute::Text(text)) => {
            text.trim().parse().map_or_else(|_| Asked::Text(text.clone()), Asked::Float)
        }
        (_, Attribute::Int(value)) => Asked::Int(*value),
        (_, Attribute::Float(value)) => Asked::Float(*value),
        (_, Attribute::Text(text)) => Asked::Text(text.clone()),
        (_, Attribute::Ints(values)) => Asked::Ints(values.clone()),
        (Some(Values::Floats), Attribute::Floats(values)) => Asked::Floats(values.clone()),
        _ => return None,
    })
}
