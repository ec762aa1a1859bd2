//! The IR of OpenVINO: layers and edges in XML, and the constants in a `.bin`.
//!
//! `auto_broadcast` names the rule of element-wise operators and of `Select`; the axis of `pdpd` has an attribute of its
//! own, whose default in files is 0, so it is always written.
//!
//! Source: OpenVINO, "IR format" and the operator specifications; OpenVINO 2026.4.

use std::fmt::Write;

use broadaxe_shape::Mode;

use super::{Call, File, RESULT, Unsupported};

/// An operator: its type, its opset, and its attributes as they are in the file.
struct Operator {
    kind: &'static str,
    opset: u32,
    data: String,
}

/// Writes the model.
pub(super) fn write(call: &Call<'_>) -> Result<Vec<File>, Unsupported> {
    let operator = operator(call)?;
    let mut net = Net::default();
    let mut inputs = Vec::new();
    for (name, operand) in call.named() {
        let shape: Vec<i64> = operand.shape.iter().map(|&dim| dim as i64).collect();
        let element = if call.is_condition(name) { ("boolean", "BOOL") } else { ("f32", "FP32") };
        let bytes = operand.constant.then(|| call.bytes(name, operand));
        inputs.push(net.source(name, element, &shape, bytes));
    }
    if call.family == "expand" {
        let (target, axes) = (call.target(), call.rule.params().axes.clone());
        for (name, numbers) in [("target_shape", Some(target)), ("axes_mapping", axes)] {
            let Some(numbers) = numbers else { continue };
            let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            inputs.push(net.source(name, ("i64", "I64"), &[numbers.len() as i64], Some(bytes)));
        }
    }
    let result: Vec<i64> = call.dims().iter().map(|dim| dim.map_or(-1, |dim| dim as i64)).collect();
    net.operator(&operator, &inputs, &result);
    let mut files = vec![File { extension: ".xml", bytes: net.finish().into_bytes() }];
    if net.constants > 0 {
        // OpenVINO finds no constants, not even empty ones, in a file without bytes.
        let bytes = if net.weights.is_empty() { vec![0; 8] } else { net.weights };
        files.push(File { extension: ".bin", bytes });
    }
    Ok(files)
}

/// Returns the operator with the rule of a call.
fn operator(call: &Call<'_>) -> Result<Operator, Unsupported> {
    let auto = |mode: &str, axis: i64| match mode {
        "pdpd" => format!("auto_broadcast=\"pdpd\" auto_broadcast.auto_broadcast_axis=\"{axis}\""),
        mode => format!("auto_broadcast=\"{mode}\""),
    };
    let rule = call.rule.name();
    let (kind, opset, data) = match call.key() {
        ("add", "numpy" | "none" | "pdpd") => ("Add", 1, auto(rule, call.axis())),
        ("sub", "numpy" | "none" | "pdpd") => ("Subtract", 1, auto(rule, call.axis())),
        ("select", "openvino-select") => {
            let mode = call.rule.params().mode.map_or("numpy", Mode::name);
            ("Select", 1, auto(mode, call.axis()))
        }
        ("prelu", "openvino-prelu") => ("PReLU", 1, String::new()),
        ("expand", "broadcast-to") => ("Broadcast", 3, "mode=\"numpy\"".to_owned()),
        ("expand", "bidirectional" | "explicit") => ("Broadcast", 3, format!("mode=\"{rule}\"")),
        _ => return Err(call.unsupported("OpenVINO")),
    };
    Ok(Operator { kind, opset, data })
}

/// Where an operand is from: its layer, and its port in the file.
struct PortSource {
    layer: usize,
    precision: &'static str,
    dims: String,
}

/// The layers and edges so far, and the bytes of the constants.
#[derive(Default)]
struct Net {
    layers: String,
    edges: String,
    count: usize,
    weights: Vec<u8>,
    constants: usize,
}

/// Writes a port.
fn port(id: usize, precision: &str, names: &str, dims: &str) -> String {
    let names = if names.is_empty() { String::new() } else { format!(" names=\"{names}\"") };
    format!("<port id=\"{id}\" precision=\"{precision}\"{names}>{dims}</port>")
}

fn dims(shape: &[i64]) -> String {
    shape.iter().fold(String::new(), |text, dim| text + &format!("<dim>{dim}</dim>"))
}

impl Net {
    /// Adds a layer.
    fn layer(&mut self, name: &str, kind: &str, opset: u32, body: &str) -> usize {
        let id = self.count;
        let _ = writeln!(
            self.layers,
            "<layer id=\"{id}\" name=\"{name}\" type=\"{kind}\" version=\"opset{opset}\">{body}</layer>"
        );
        self.count += 1;
        id
    }

    /// Adds an input, or a constant of these bytes.
    fn source(
        &mut self,
        name: &str,
        (element, precision): (&str, &'static str),
        shape: &[i64],
        bytes: Option<Vec<u8>>,
    ) -> PortSource {
        let list = shape.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        let dims = dims(shape);
        let output = |names: &str| format!("<output>{}</output>", port(0, precision, names, &dims));
        let layer = match bytes {
            None => {
                let body = format!("<data shape=\"{list}\" element_type=\"{element}\"/>{}", output(name));
                self.layer(name, "Parameter", 1, &body)
            }
            Some(bytes) => {
                let (offset, size) = (self.weights.len(), bytes.len());
                self.weights.extend(bytes);
                self.constants += 1;
                let body = format!(
                    "<data element_type=\"{element}\" shape=\"{list}\" offset=\"{offset}\" size=\"{size}\"/>{}",
                    output("")
                );
                self.layer(name, "Const", 1, &body)
            }
        };
        PortSource { layer, precision, dims }
    }

    /// Adds the operator and the result.
    fn operator(&mut self, operator: &Operator, inputs: &[PortSource], result: &[i64]) {
        let node = self.count;
        let mut ports = String::new();
        for (k, input) in inputs.iter().enumerate() {
            ports += &port(k, input.precision, "", &input.dims);
            self.edge((input.layer, 0), (node, k));
        }
        let last = inputs.len();
        let dims = dims(result);
        let data = if operator.data.is_empty() { String::new() } else { format!("<data {}/>", operator.data) };
        let body = format!("{data}<input>{ports}</input><output>{}</output>", port(last, "FP32", RESULT, &dims));
        self.layer(RESULT, operator.kind, operator.opset, &body);
        let body = format!("<input>{}</input>", port(0, "FP32", "", &dims));
        let sink = self.layer("result", "Result", 1, &body);
        self.edge((node, last), (sink, 0));
    }

    fn edge(&mut self, from: (usize, usize), to: (usize, usize)) {
        let _ = writeln!(
            self.edges,
            "<edge from-layer=\"{}\" from-port=\"{}\" to-layer=\"{}\" to-port=\"{}\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    /// Returns the text.
    fn finish(&self) -> String {
        let Self { layers, edges, .. } = self;
        format!(
            "<?xml version=\"1.0\"?>\n<net name=\"atlas\" version=\"11\">\n<layers>\n{layers}</layers>\n<edges>\n{edges}</edges>\n</net>\n"
        )
    }
}
