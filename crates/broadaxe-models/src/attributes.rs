//! Converts attributes of a node to the kinds that the tables of frameworks use, from any form that a file may have.

use std::borrow::Cow;

use broadaxe_frameworks::{Attribute as Asked, Attributes, CONTRIB, Row, System, Values};

use crate::graph::{Attribute, Constant, Model, Node, ValueId};

/// How many bytes of a constant list are read at most.
const LIST_BYTES: usize = 8 * broadaxe_shape::MAX_RANK;

/// How many bytes of whole numbers are read at most.
const WHOLE_BYTES: usize = 4096;

/// Says whether operators of a domain are those of the framework itself.
pub(crate) fn is_standard(system: System, domain: &str) -> bool {
    match system {
        // Some exporters write the name of ONNX's own domain out.
        System::Onnx => domain.is_empty() || domain == "ai.onnx",
        System::Openvino => domain.is_empty() || domain.starts_with("opset"),
        System::Tflite => domain.is_empty(),
        _ => true,
    }
}

/// Returns the name that tables have for the operator of a node; nothing for one of another domain.
pub(crate) fn listed(system: System, node: &Node) -> Option<Cow<'_, str>> {
    let own = node.domain == CONTRIB && system == System::Onnx;
    let contrib = || own.then(|| Cow::Owned(format!("{CONTRIB}.{}", node.op)));
    if is_standard(system, &node.domain) { Some(Cow::Borrowed(&node.op)) } else { contrib() }
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

/// Returns the whole numbers in a constant, if there are few.
pub(crate) fn whole_numbers(model: &Model, value: ValueId) -> Option<Vec<i64>> {
    let constant = model.value(value).constant.as_ref()?;
    let bytes = model.elements(constant, WHOLE_BYTES).ok()??;
    decoded(constant, &bytes)
}

/// Decodes whole numbers, which the first opsets gave as floats too.
fn decoded(constant: &Constant, bytes: &[u8]) -> Option<Vec<i64>> {
    use broadaxe::DType;
    let dtype = constant.element.dtype()?;
    let each = bytes.chunks_exact(dtype.size().max(1));
    match dtype {
        DType::I64 => each.map(|raw| raw.try_into().ok().map(i64::from_le_bytes)).collect(),
        DType::I32 => each.map(|raw| raw.try_into().ok().map(i32::from_le_bytes).map(i64::from)).collect(),
        DType::F32 => {
            let floats = each.map(|raw| raw.try_into().ok().map(f32::from_le_bytes));
            floats.map(|value| value.filter(|value| value.fract() == 0.0).map(|value| value as i64)).collect()
        }
        _ => None,
    }
}
