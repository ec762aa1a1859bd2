//! Prints what inference knows of every value of some models, a line of JSON each.
//!
//! `shapes [--undeclared] [--input-shape name:1,3,224,224]... MODEL...`. The last line of a model has its figures, or its
//! error. With `--undeclared`, the shapes that a file records for results of nodes are ignored.

use std::{
    io::{self, Write},
    path::Path,
    time::Instant,
};

use broadaxe_models::{
    format,
    graph::Model,
    infer::{Known, Origin, infer},
};
use broadaxe_shape::symbolic::{Dim, SymbolicShape};

fn main() -> io::Result<()> {
    let (mut given, mut models, mut undeclared) = (Vec::new(), Vec::new(), false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--input-shape" => given.extend(words.next().as_deref().and_then(input_shape)),
            "--undeclared" => undeclared = true,
            _ => models.push(word),
        }
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    for path in models {
        if let Err(error) = one(&mut out, &path, &given, undeclared)? {
            writeln!(out, "{{\"file\": {}, \"error\": {}}}", quoted(&path), quoted(&error.to_string()))?;
        }
    }
    out.flush()
}

/// Reads `name:1,3,n`.
fn input_shape(text: &str) -> Option<(String, Vec<Dim>)> {
    let (name, shape) = text.rsplit_once(':')?;
    let shape: SymbolicShape = if shape.is_empty() { "()" } else { shape }.parse().ok()?;
    Some((name.to_string(), shape.dims()?.to_vec()))
}

fn one(
    out: &mut impl Write,
    path: &str,
    given: &[(String, Vec<Dim>)],
    undeclared: bool,
) -> io::Result<Result<(), broadaxe_models::Error>> {
    let start = Instant::now();
    let mut model = match format::open(Path::new(path)) {
        Ok(model) => model,
        Err(error) => return Ok(Err(error)),
    };
    let read = start.elapsed();
    if undeclared {
        model.values.iter_mut().filter(|value| value.producer.is_some()).for_each(|value| value.declared = None);
    }
    let given: Vec<_> = given
        .iter()
        .filter(|(name, _)| model.main().inputs.iter().any(|&id| model.value(id).name == *name))
        .cloned()
        .collect();
    let shapes = match infer(&model, &given) {
        Ok(shapes) => shapes,
        Err(error) => return Ok(Err(error)),
    };
    let inferred = start.elapsed().saturating_sub(read);
    for (value, known) in model.values.iter().zip(&shapes.of) {
        let (origin, why) = origin(&model, known);
        let element = known.element.as_ref().map_or_else(|| "null".into(), |element| quoted(&element.to_string()));
        writeln!(
            out,
            "{{\"file\": {}, \"name\": {}, \"graph\": {}, \"dims\": {}, \"element\": {element}, \"origin\": \"{origin}\", \"why\": {}}}",
            quoted(path),
            quoted(&value.name),
            value.graph.0,
            dims(&known.shape),
            quoted(&why),
        )?;
    }
    let micros = |time: std::time::Duration| time.as_micros();
    writeln!(
        out,
        "{{\"file\": {}, \"nodes\": {}, \"values\": {}, \"contradictions\": {}, \"read_us\": {}, \"infer_us\": {}}}",
        quoted(path),
        model.nodes.len(),
        model.values.len(),
        shapes.contradictions.len(),
        micros(read),
        micros(inferred)
    )?;
    Ok(Ok(()))
}

fn origin(model: &Model, known: &Known) -> (&'static str, String) {
    match &known.origin {
        Origin::Given => ("given", String::new()),
        Origin::Declared => ("declared", String::new()),
        Origin::Constant => ("constant", String::new()),
        Origin::Inferred(node) => ("inferred", model.node(*node).op.clone()),
        Origin::Unknown(why) => ("unknown", why.clone()),
    }
}

/// Writes numbers as such, names as texts and everything else as nothing.
fn dims(shape: &SymbolicShape) -> String {
    let Some(dims) = shape.dims() else { return "null".into() };
    let text = |dim: &Dim| match (dim.size(), dim.names().as_slice()) {
        (Some(size), _) => size.to_string(),
        (None, []) => "null".into(),
        (None, _) => quoted(&dim.to_string()),
    };
    format!("[{}]", dims.iter().map(text).collect::<Vec<_>>().join(", "))
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.extend(format!("\\u{:04x}", c as u32).chars()),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
