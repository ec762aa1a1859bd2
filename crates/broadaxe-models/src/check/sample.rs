//! Models for tests, written as text: `x(1,4,2,3); c=const(3); a=Mul(x,c); y=Conv(a,w) pads=1,1,1,1`.
//!
//! `opset 6;` and `ir;` come first. `x(2,n)` is an input, `c=const(3)` a constant whose elements count up, `c=const()=2` one
//! that is 2 everywhere; `:i64` behind `const` or a name is its type. Values that no node reads are outputs.

use broadaxe::{DType, System};

use crate::{
    graph::{Attribute, Constant, Data, Element, GraphId, Model, Node, NodeId, Value, ValueId},
    infer::{Shapes, infer},
    source::Source,
};

/// Makes a model of a text, and infers its shapes.
pub(crate) fn sample(text: &str) -> (Model, Shapes) {
    let mut model = Model::new("onnx", System::Onnx, Source::memory(Vec::new(), None));
    let mut opset = 18;
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        if part == "ir" {
            (model.format, model.system, opset) = ("openvino", System::Openvino, 1);
        } else if let Some(number) = part.strip_prefix("opset ") {
            opset = number.parse().expect(part);
        } else {
            statement(&mut model, part, opset);
        }
    }
    model.opsets.push((String::new(), opset));
    let read: Vec<ValueId> = model.nodes.iter().flat_map(|node| node.inputs.iter().flatten().copied()).collect();
    let ids = (0..model.values.len() as u32).map(ValueId);
    let outputs = ids.filter(|id| model.value(*id).producer.is_some() && !read.contains(id)).collect();
    model.graphs[0].outputs = outputs;
    let shapes = infer(&model, &[]).expect(text);
    (model, shapes)
}

/// Adds an input, a constant or a node.
fn statement(model: &mut Model, text: &str, opset: i64) {
    let (head, rest) = text.split_once('(').expect(text);
    let (inside, behind) = rest.split_once(')').expect(text);
    let Some((name, what)) = head.split_once('=') else {
        let (name, dtype) = head.split_once(':').unwrap_or((head, "f32"));
        let id = value(model, name, dtype);
        model.values[id.0 as usize].declared = Some(format!("({inside})").parse().expect(text));
        model.graphs[0].inputs.push(id);
        return;
    };
    if let Some(dtype) = what.strip_prefix("const") {
        let dtype = dtype.strip_prefix(':').unwrap_or("f32");
        return constant(model, name, dtype, inside, behind.strip_prefix('='));
    }
    let find = |name: &str| model.values.iter().position(|value| value.name == name).map(|at| ValueId(at as u32));
    let inputs = inside.split(',').map(str::trim).filter(|name| !name.is_empty()).map(find).collect();
    let attributes = behind.split_whitespace().map(|pair| attribute(pair, model.system)).collect();
    let id = NodeId(model.nodes.len() as u32);
    let output = value(model, name, "");
    model.values[output.0 as usize].producer = Some((id, 0));
    model.nodes.push(Node {
        name: name.to_string(),
        graph: GraphId(0),
        domain: if model.system == System::Openvino { "opset1".into() } else { String::new() },
        op: what.to_string(),
        version: opset,
        attributes,
        inputs,
        outputs: vec![Some(output)],
        bodies: vec![],
        place: format!("node {}", id.0),
    });
    model.graphs[0].nodes.push(id);
}

fn value(model: &mut Model, name: &str, dtype: &str) -> ValueId {
    let id = ValueId(model.values.len() as u32);
    let element = DType::ALL.iter().copied().find(|known| known.name() == dtype).map(Element::Known);
    let (name, graph) = (name.to_string(), GraphId(0));
    model.values.push(Value { name, graph, element, declared: None, constant: None, producer: None });
    id
}

fn constant(model: &mut Model, name: &str, dtype: &str, inside: &str, given: Option<&str>) {
    let shape: Vec<usize> =
        inside.split(',').filter(|dim| !dim.is_empty()).map(|dim| dim.parse().expect(dim)).collect();
    let given: Vec<f64> = given.unwrap_or_default().split(',').filter_map(|number| number.parse().ok()).collect();
    let number = |k: usize| match given.len() {
        0 => k as f64 + 2.0,
        1 => given[0],
        _ => given[k],
    };
    let bytes = |k: usize| match dtype {
        "i64" => (number(k) as i64).to_le_bytes().to_vec(),
        "i8" | "bool" => vec![number(k) as u8],
        _ => (number(k) as f32).to_le_bytes().to_vec(),
    };
    let data = Data::Held((0..shape.iter().product()).flat_map(bytes).collect::<Vec<u8>>().into());
    let id = value(model, name, dtype);
    let element = model.values[id.0 as usize].element.clone().expect(name);
    model.values[id.0 as usize].constant = Some(Constant { element, shape, data });
}

fn attribute(pair: &str, system: System) -> (String, Attribute) {
    let (name, text) = pair.split_once('=').expect(pair);
    let value = if system == System::Openvino && name != "axis" {
        Attribute::Text(text.to_string())
    } else if name == "axes" || text.contains(',') {
        Attribute::Ints(text.split(',').filter_map(|part| part.parse().ok()).collect())
    } else if let Ok(number) = text.parse::<i64>() {
        Attribute::Int(number)
    } else if let Ok(number) = text.parse::<f64>() {
        Attribute::Float(number)
    } else {
        Attribute::Text(text.to_string())
    };
    (name.to_string(), value)
}

/// Writes what a target says of every element-wise node that is not the same: `a differs, y refused`; `same` for none.
pub(crate) fn verdicts(text: &str, target: &str) -> String {
    let (model, shapes) = sample(text);
    let report = crate::check::check(&model, &shapes, &[target.parse().expect(target)]);
    let other = report.findings.iter().filter(|finding| finding.verdict.name() != "same");
    let words: Vec<String> =
        other.map(|finding| format!("{} {}", model.node(finding.node).name, finding.verdict.name())).collect();
    if words.is_empty() { "same".to_string() } else { words.join(", ") }
}

/// Asks for the verdicts on models, and reports every one that is wrong.
pub(crate) fn judge(target: &str, cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, want)| {
            let found = verdicts(text, target);
            (found != *want).then(|| format!("{text}: {found}, not {want}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
