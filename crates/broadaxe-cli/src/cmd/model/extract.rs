//! `broadaxe extract`: writes a node of a model as a model of its own.

use std::path::{Path, PathBuf};

use broadaxe_models::{
    ValueId,
    extract::{Extract, Input, check_format, extract},
    meaning,
    report::node_name,
};
use serde_json::{Value, json};

use super::{
    Open, checked_output, find, load, open, open_sizes,
    stream::{plain_name, save},
};
use crate::{
    answer::{Answer, tuple},
    args::ExtractArgs,
    error::{Error, escaped, quoted},
    file::{
        Place,
        write::{Output, Plain, Whole},
    },
};

/// A node as a model of its own, and what is said of it.
#[derive(Debug)]
pub struct Extracted {
    /// The model, and what its inputs may be given.
    pub one: Extract,
    node: String,
    op: String,
}

/// Extracts a node of a model, and writes nothing.
///
/// # Errors
/// When the model cannot be read, has no such node, or shapes of the node are open.
pub fn extracted(args: &ExtractArgs, open: Open<'_>) -> Result<Extracted, Error> {
    let loaded = load(&args.model, &args.inputs, open)?;
    let of = |error: broadaxe_models::Error| Error::from(error).of(&args.model);
    check_format(&loaded.model).map_err(of)?;
    let id = find(&loaded.model, &args.node)?;
    let node = loaded.model.node(id);
    let mut values: Vec<ValueId> = node.inputs.iter().flatten().copied().collect();
    // What a node stretches to is the shape of its result.
    values.extend(node.output(0).filter(|_| meaning(&loaded.model, id).is_some()));
    if let Some(error) = open_sizes(&loaded, &values) {
        return Err(error);
    }
    let one = extract(&loaded.model, &loaded.shapes, id, args.seed, args.inline).map_err(of)?;
    Ok(Extracted { one, node: node_name(&loaded.model, id), op: loaded.model.node(id).op.clone() })
}

/// Writes a model of one node, what its inputs may be given as `OUT.0.npy`, `OUT.1.npy`, ..., and what it computes of them as
/// `OUT.out.npy`.
///
/// # Errors
/// As [`extracted`]; when a file cannot be written.
pub fn run(args: &ExtractArgs) -> Result<Answer, Error> {
    extracted(args, &open)?.save(args)
}

impl Extracted {
    /// Writes the files.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn save(&self, args: &ExtractArgs) -> Result<Answer, Error> {
        let one = &self.one;
        checked_output(&args.output, "a node is written as an ONNX model", &["onnx".to_owned()])?;
        let (name, op) = (quoted(&self.node), quoted(&self.op));
        let mut text = format!("{}: {name} ({op}), {} bytes\n", args.output.display(), one.model.len());
        let mut json = self.json();
        json["output"] = args.output.display().to_string().into();
        for (path, array) in write(one, &args.output, args.inline)? {
            let (tensor, dtype, shape) = (quoted(&array.name), array.dtype.name(), tuple(&array.shape));
            let is_result = one.result.as_ref().is_some_and(|result| std::ptr::eq(result, array));
            let role = if is_result { ", the result by the definition of ONNX" } else { "" };
            text += &format!("{}: {tensor}, {dtype} {shape}{role}\n", path.display());
            let file = json!({ "file": path.display().to_string(), "tensor": array.name });
            if is_result {
                json["result"] = file;
            } else if let Some(inputs) = json["inputs"].as_array_mut() {
                inputs.push(file);
            }
        }
        for remark in &one.remarks {
            text += &format!("{}\n", escaped(remark));
        }
        Ok(Answer::new(text, json))
    }

    /// Says what was taken out, without files.
    pub fn answer(&self) -> Answer {
        let (name, op, one) = (quoted(&self.node), quoted(&self.op), &self.one);
        let mut text = format!("{name} ({op}), {} bytes\n", one.model.len());
        for remark in &one.remarks {
            text += &format!("{}\n", escaped(remark));
        }
        Answer::new(text, self.json())
    }

    fn json(&self) -> Value {
        json!({ "output": null, "node": self.node, "op": self.op, "inputs": [], "result": null, "remarks": self.one.remarks })
    }
}

/// Writes a small model; its inputs as `OUT.0.npy`, `OUT.1.npy`, ..., unless they are constants of the model, and its result as
/// `OUT.out.npy`. Returns the files of arrays.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn write<'a>(one: &'a Extract, output: &Path, inline: bool) -> Result<Vec<(PathBuf, &'a Input)>, Error> {
    let stem = plain_name(output);
    let whole = Whole::create(output)?;
    let inputs = one.inputs.iter().enumerate().filter(|_| !inline);
    let inputs = inputs.map(|(number, input)| (number.to_string(), input));
    let arrays = inputs.chain(one.result.iter().map(|one| ("out".to_owned(), one)));
    let mut files = Vec::new();
    for (part, array) in arrays {
        let path = stem.with_extension(format!("{part}.npy"));
        files.push((Output::create(&Place::file(&path))?, path, array));
    }
    save((whole, None), output, |to| to.write_all(&one.model))?;
    let mut written = Vec::with_capacity(files.len());
    for (output, path, array) in files {
        output.save(&Plain { dtype: array.dtype, shape: &array.shape, bytes: &array.data })?;
        written.push((path, array));
    }
    Ok(written)
}
