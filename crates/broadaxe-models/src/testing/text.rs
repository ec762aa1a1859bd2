//! Models written as text: `x(1,4,2,3); c=const(3); a=Mul(x,c); y=Conv(a,w) pads=1,1,1,1`.
//!
//! `opset 6;`, or `ir;`, `ncnn;`, `paddle;`, `pnnx;` or `tflite;` for another format than ONNX, comes first. `x(2,n)` is an input, and `x(2,n=3)` the same, with the size that an engine ran it
//! with; `q,s,z=DynamicQuantizeLinear(x)` has several results; `y=com.microsoft.Gelu(x)` is a node of another domain; `c=const(3)` is a constant whose elements count up, `c=const()=2` one that is 2 everywhere; `:i64` behind `const`
//! or a name is its type. Values that no node reads are outputs. `conformance/laws` reads the same text for the engines.

use broadaxe_frameworks::{CONTRIB, System};
use broadaxe_kernels::DType;

use super::Sample;
use crate::{
    check::check,
    graph::{Attribute, Element, Model, ValueId},
    infer::{Shapes, infer},
};

/// The words for other formats than ONNX, and the version of their nodes.
const FORMATS: &[(&str, (&str, System), i64)] = &[
    ("ir", ("openvino", System::Openvino), 1),
    ("ncnn", ("ncnn", System::Ncnn), 0),
    ("paddle", ("paddle", System::Paddle), 0),
    ("pnnx", ("pnnx", System::Pnnx), 0),
    ("tflite", ("tflite", System::Tflite), 0),
];

/// Makes a model of a text, and infers its shapes.
pub(crate) fn model(text: &str) -> (Model, Shapes) {
    let parts: Vec<&str> = text.split(';').map(str::trim).filter(|part| !part.is_empty()).collect();
    let opset = parts.iter().find_map(|part| part.strip_prefix("opset ")).map_or(18, |text| text.parse().expect(text));
    let mut sample = match FORMATS.iter().find(|(word, ..)| parts.contains(word)) {
        Some((_, format, version)) => Sample::of(*format, *version),
        None => Sample::new(opset),
    };
    for part in parts.iter().filter(|part| part.contains('(')) {
        statement(&mut sample, part);
    }
    let Sample { mut model, .. } = sample;
    let read: Vec<ValueId> = model.nodes.iter().flat_map(|node| node.inputs.iter().flatten().copied()).collect();
    let ids = (0..model.values.len() as u32).map(ValueId);
    let outputs = ids.filter(|id| model.value(*id).producer.is_some() && !read.contains(id)).collect();
    model.graphs[0].outputs = outputs;
    let shapes = infer(&model, &[]).expect(text);
    (model, shapes)
}

/// Adds an input, a constant or a node.
fn statement(sample: &mut Sample, text: &str) {
    let (head, rest) = text.split_once('(').expect(text);
    let (inside, behind) = rest.split_once(')').expect(text);
    let Some((name, what)) = head.split_once('=') else {
        let (name, kind) = head.split_once(':').unwrap_or((head, "f32"));
        let dims: Vec<&str> = inside.split(',').map(|dim| dim.split_once('=').map_or(dim, |(name, _)| name)).collect();
        let shape = format!("({})", dims.join(","));
        let id = sample.typed(name, &shape, element(kind).dtype().unwrap_or(DType::U8));
        sample.model.values[id.0 as usize].element = Some(element(kind));
        sample.model.values[id.0 as usize].declared = Some(shape.parse().expect(text));
        return;
    };
    if let Some(kind) = what.strip_prefix("const") {
        return constant(sample, name, kind.strip_prefix(':').unwrap_or("f32"), inside, behind.strip_prefix('='));
    }
    let names = inside.split(',').map(str::trim).filter(|name| !name.is_empty());
    let inputs = names.map(|name| if name == "_" { None } else { sample.find(name) }).collect();
    let attributes = behind.split_whitespace().map(|pair| attribute(pair, sample.model.system)).collect();
    let (domain, op) = what.rsplit_once('.').filter(|(domain, _)| *domain == CONTRIB).unwrap_or(("", what));
    let mut results = name.split(',');
    let name = results.next().unwrap_or(name);
    let output = sample.call((name, name), op, inputs, attributes, "...");
    for (k, result) in results.enumerate() {
        sample.more(result, k + 1);
    }
    if let (true, Some(node)) = (domain == CONTRIB, sample.model.nodes.last_mut()) {
        (node.domain, node.version) = (domain.to_owned(), 1);
    }
    sample.model.values[output.0 as usize].element = None;
}

fn element(name: &str) -> Element {
    match name {
        "uint4" | "int4" => Element::Other(name.to_owned(), 4),
        "float8e4m3fn" => Element::Other(name.to_owned(), 8),
        _ => Element::Known(DType::ALL.iter().copied().find(|known| known.name() == name).expect(name)),
    }
}

fn constant(sample: &mut Sample, name: &str, kind: &str, inside: &str, given: Option<&str>) {
    let shape: Vec<usize> =
        inside.split(',').filter(|dim| !dim.is_empty()).map(|dim| dim.parse().expect(dim)).collect();
    let given: Vec<f64> = given.unwrap_or_default().split(',').filter_map(|number| number.parse().ok()).collect();
    let number = |k: usize| match given.len() {
        0 => k as f64 + 2.0,
        1 => given[0],
        count => given[k % count],
    };
    let bytes = |k: usize| match kind {
        "i64" => (number(k) as i64).to_le_bytes().to_vec(),
        "u32" => (number(k) as u32).to_le_bytes().to_vec(),
        "i32" => (number(k) as i32).to_le_bytes().to_vec(),
        "f64" => number(k).to_le_bytes().to_vec(),
        // No test reads their elements.
        "f16" => vec![0, 0],
        "i16" | "u16" => (number(k) as i16).to_le_bytes().to_vec(),
        "i8" | "u8" | "bool" => vec![number(k) as u8],
        _ => (number(k) as f32).to_le_bytes().to_vec(),
    };
    let bytes = (0..shape.iter().product()).flat_map(bytes).collect();
    let element = element(kind);
    let id = sample.bytes(name, &shape, element.dtype().unwrap_or(DType::U8), bytes);
    if let (None, Some(constant)) = (element.dtype(), sample.model.values[id.0 as usize].constant.as_mut()) {
        // No test reads their elements.
        constant.element = element;
    }
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

/// Returns the names of the nodes that a target does not compute as the model means, with the verdicts.
fn verdicts(text: &str, target: &str) -> Vec<(String, &'static str)> {
    let (model, shapes) = model(text);
    let report = check(&model, &shapes, &[target.parse().expect(target)]);
    let other = report.findings.iter().filter(|finding| finding.verdict.name() != "same");
    other.map(|finding| (model.node(finding.node).name.clone(), finding.verdict.name())).collect()
}

/// Asks for the verdicts on models, and reports every one that is wrong: `a differs, y refused`; `same` for none.
pub(crate) fn judge(target: &str, cases: &[(&str, &str)]) {
    let found = |text: &str| {
        let words: Vec<String> =
            verdicts(text, target).iter().map(|(node, verdict)| format!("{node} {verdict}")).collect();
        if words.is_empty() { "same".to_string() } else { words.join(", ") }
    };
    report(cases.iter().map(|(text, want)| (*text, (*want).to_string(), found(text))));
}

/// Parts of the models of [`answers`] that engines make one operator of.
pub(crate) const FUSED_PARTS: &[(&str, &str)] = &[
    ("[gelu]", "a=Div(x,d); e=Erf(a); p=Add(e,o); m=Mul(x,p); y=Mul(m,h)"),
    ("[gelu2]", "a=Mul(x,d); e=Erf(a); p=Add(e,o); m=Mul(x,h); y=Mul(m,p)"),
    ("[hswish]", "a=Add(x,o); k=Clip(a,l,u); m=Mul(x,k); y=Div(m,h)"),
    ("[hsig]", "a=Add(x,o); r=Relu(a); k=Min(r,u); y=Div(k,h)"),
    ("[softplus]", "e=Exp(x); a=Add(e,o); y=Log(a)"),
    ("[swish]", "m=Mul(x,b); g=Sigmoid(m); y=Mul(x,g)"),
    ("[swishr]", "m=Mul(x,b); g=Sigmoid(m); y=Mul(g,x)"),
    ("[swish3]", "n=Neg(x); e=Exp(n); a=Add(e,o); y=Div(x,a)"),
    (
        "[mvn]",
        "m=ReduceMean(x,ax) keepdims=1; s=Sub(x,m); q=Pow(s,t); v=ReduceMean(q,ax) keepdims=1; a=Add(v,e); r=Sqrt(a); y=Div(s,r)",
    ),
    ("[rms]", "q=Pow(x,t); v=ReduceMean(q,ax) keepdims=1; a=Add(v,e); r=Sqrt(a); d=Div(x,r); y=Mul(d,g)"),
];

/// Verdicts, the gravest first.
const VERDICTS: &[&str] = &["differs", "refused", "unsupported", "guarded", "unknown"];

/// Returns the gravest verdict on the nodes of a model.
pub(crate) fn gravest(text: &str, target: &str) -> &'static str {
    let found = verdicts(text, target);
    VERDICTS.iter().find(|word| found.iter().any(|(_, verdict)| verdict == *word)).copied().unwrap_or("same")
}

/// Compares verdicts on whole models with what the engine of a target did: `same`, `differs` or `refused`.
///
/// Where Broadaxe says another word than the engine, it comes second: `differs, unknown`. It may never be `same`. Words in
/// brackets stand for parts that many models share.
pub(crate) fn answers(target: &str, words: &[(&str, &str)], cases: &[(&str, &str)]) {
    let gravest = |text: &str| {
        let text = words.iter().fold(text.to_string(), |text, (word, part)| text.replace(word, part));
        gravest(&text, target)
    };
    report(cases.iter().map(|(text, want)| {
        let (engine, ours) = want.split_once(", ").unwrap_or((want, want));
        assert!(["same", "differs", "refused"].contains(&engine), "{text}: the engine says {engine}");
        assert!(engine == "same" || ours != "same", "{text}: a false same");
        (*text, ours.to_string(), gravest(text).to_string())
    }));
}

fn report<'a>(rows: impl Iterator<Item = (&'a str, String, String)>) {
    let wrong = rows.filter(|(_, want, found)| want != found);
    let wrong: Vec<String> = wrong.map(|(text, want, found)| format!("{text}: {found}, not {want}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
