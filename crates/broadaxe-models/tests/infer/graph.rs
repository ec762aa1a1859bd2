//! Makes graphs of one node from cases.

use broadaxe::DType;
use broadaxe_frameworks::System;
use broadaxe_models::{
    Attribute, Constant, Element, GraphId, Model, Node, NodeId, Source, Value, ValueId, format,
    graph::Data,
    infer::{Known, infer},
};
use broadaxe_shape::symbolic::{Dim, SymbolicShape};

use crate::case::{Case, Operand, What};

/// Reads the name of a type, or returns the default.
fn element(name: &str, otherwise: DType) -> Element {
    match name {
        "" => Element::Known(otherwise),
        name => DType::from_name(name).map_or_else(|| Element::Other(name.into(), 0), Element::Known),
    }
}

/// Encodes a number, little-endian.
fn bytes(text: &str, dtype: DType) -> Vec<u8> {
    let (whole, real) = (text.parse::<i64>(), text.parse::<f64>().unwrap());
    match dtype {
        DType::F32 => (real as f32).to_le_bytes().to_vec(),
        DType::F64 => real.to_le_bytes().to_vec(),
        dtype => whole.unwrap().to_le_bytes()[..dtype.size()].to_vec(),
    }
}

/// Makes a constant of elements in words.
fn constant(name: &str, shape: &[usize], values: &[&str]) -> Constant {
    let element = element(name, DType::I64);
    let dtype = element.dtype().unwrap();
    let data: Vec<u8> = values.iter().flat_map(|value| bytes(value, dtype)).collect();
    Constant { element, shape: shape.to_vec(), data: Data::Held(data.into()) }
}

fn held(operand: &Operand) -> Option<Constant> {
    match &operand.what {
        What::Matrix(rows) => Some(constant(operand.element, &[rows.len(), rows[0].len()], &rows.concat())),
        What::List(values) => Some(constant(operand.element, &[values.len()], values)),
        What::Number(value) => Some(constant(operand.element, &[], &[value])),
        What::Omitted | What::Shape(..) => None,
    }
}

/// Makes the value of an operand: with names, or with numbers in their place.
fn value(operand: &Operand, named: bool) -> Value {
    let constant = held(operand);
    let (ranked, dims) = match &operand.what {
        What::Shape(dims, ranked) => (*ranked, dims.as_slice()),
        _ => (true, &[][..]),
    };
    let dim = |(name, size): &(&str, i64)| match (named, *name) {
        (true, "?") => Dim::unknown(),
        (true, name) => name.parse().unwrap(),
        (false, _) => Dim::known(*size as usize),
    };
    let known = constant.is_none() && (ranked || !named) && !matches!(operand.element, "seq" | "opt");
    let declared = known.then(|| SymbolicShape::new(dims.iter().map(dim).collect::<Vec<_>>()));
    let element = constant.as_ref().map_or_else(|| element(operand.element, DType::F32), |held| held.element.clone());
    Value { element: Some(element), declared, constant, ..Value::default() }
}

/// Reads an attribute: numbers, lists of them in brackets, `f32{1.0}` for a tensor, anything else a text.
fn attribute(system: System, text: &str) -> Attribute {
    let list = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if system == System::Openvino {
        return Attribute::Text(list.unwrap_or(text).replace(',', ", "));
    }
    let Some(list) = list else {
        return match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(value), _) => Attribute::Int(value),
            (_, Ok(value)) if text.contains('.') => Attribute::Float(value),
            _ if text.ends_with('}') => {
                Operand::parse(text).and_then(|operand| held(&operand)).map(Attribute::Tensor).unwrap()
            }
            _ => Attribute::Text(text.into()),
        };
    };
    let parts: Vec<&str> = list.split(',').filter(|part| !part.is_empty()).collect();
    let whole: Option<Vec<i64>> = parts.iter().map(|part| part.parse().ok()).collect();
    let real: Option<Vec<f64>> = parts.iter().map(|part| part.parse().ok()).collect();
    match (whole, real) {
        (Some(whole), _) => Attribute::Ints(whole),
        (None, Some(real)) => Attribute::Floats(real),
        _ => Attribute::Texts(parts.into_iter().map(str::to_owned).collect()),
    }
}

/// Infers the results of a case's node.
pub(crate) fn results(system: System, default: i64, case: &Case, named: bool) -> Vec<Known> {
    let version = case.version.unwrap_or(default);
    let (domain, op) = case.op.rsplit_once('.').unwrap_or(("", case.op));
    let mut model = Model::new("", system, Source::memory(Vec::new(), None));
    let domain = if system == System::Openvino { format!("opset{version}") } else { domain.into() };
    model.opsets.push((domain.clone(), version));
    let mut node = Node { domain, op: op.into(), version, place: "x".into(), ..Node::default() };
    for (k, operand) in case.operands.iter().enumerate() {
        if matches!(operand.what, What::Omitted) {
            node.inputs.push(None);
            continue;
        }
        let id = ValueId(model.values.len() as u32);
        let value = Value { name: format!("i{k}"), ..value(operand, named) };
        if value.constant.is_none() {
            model.graphs[0].inputs.push(id);
        }
        model.values.push(value);
        node.inputs.push(Some(id));
    }
    let first = model.values.len();
    for k in 0..case.outputs {
        node.outputs.push(Some(ValueId((first + k) as u32)));
        let producer = Some((NodeId(0), k));
        model.values.push(Value { name: format!("o{k}"), graph: GraphId(0), producer, ..Value::default() });
    }
    let attributes = case.attributes.iter();
    node.attributes = attributes.map(|(name, text)| ((*name).to_owned(), attribute(system, text))).collect();
    model.nodes.push(node);
    model.graphs[0].nodes.push(NodeId(0));
    infer(&model, &[]).unwrap().of[first..].to_vec()
}

/// Infers the results of a layer of ncnn.
pub(crate) fn layer(case: &Case, named: bool) -> Vec<Known> {
    let count = case.operands.len();
    let mut lines = vec!["7767517".to_owned(), format!("{} {}", count + 1, count + case.outputs)];
    let mut given = Vec::new();
    for (k, operand) in case.operands.iter().enumerate() {
        lines.push(format!("Input i{k} 0 1 i{k}"));
        let shape = value(operand, named).declared;
        given.extend(shape.map(|shape| (format!("i{k}"), shape.dims().unwrap().to_vec())));
    }
    let blobs: Vec<String> =
        (0..count).map(|k| format!("i{k}")).chain((0..case.outputs).map(|k| format!("o{k}"))).collect();
    let parameters: Vec<String> = case.attributes.iter().map(|(key, value)| format!("{key}={value}")).collect();
    lines.push(format!("{} x {count} {} {} {}\n", case.op, case.outputs, blobs.join(" "), parameters.join(" ")));
    let model =
        format::read(&Source::memory(lines.join("\n").into_bytes(), None)).unwrap_or_else(|error| panic!("{error}"));
    let of = infer(&model, &given).unwrap().of;
    of[of.len() - case.outputs..].to_vec()
}
