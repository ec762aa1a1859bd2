//! Extracts a node of a model, as a model of its own.

use std::path::PathBuf;
#[cfg(feature = "files")]
use std::{io::Write, path::Path};

use broadaxe_models::{
    ValueId,
    extract::{Extract, Input, check_format, extract},
    meaning,
    report::node_name,
};
use serde_json::{Value, json};

#[cfg(feature = "files")]
use crate::{
    destination::checked_output,
    npy::npy_header,
    stream::{plain_name, save},
    whole::Whole,
};
use crate::{
    error::Error,
    find::find,
    model::{Open, load, open_sizes},
    request::ExtractRequest,
};

/// A node as a model of its own, and what is said of it.
#[derive(Debug)]
pub struct Extracted {
    /// The model, and what its inputs may be given.
    pub one: Extract,
    /// The name of the node.
    pub node: String,
    /// Its operator.
    pub op: String,
    /// The file of the model, where one is named.
    pub output: Option<PathBuf>,
    /// The files of the arrays.
    pub arrays: Vec<PathBuf>,
    inline: bool,
}

/// Extracts a node of a model.
///
/// # Errors
/// When the model cannot be read, has no such node, or shapes of the node are open.
pub fn extracted(request: &ExtractRequest, open: Open<'_>) -> Result<Extracted, Error> {
    let loaded = load(&request.model, &request.input_shapes, open)?;
    let of = |error: broadaxe_models::Error| Error::from(error).of(&request.model);
    check_format(&loaded.model).map_err(of)?;
    let id = find(&loaded.model, &request.node)?;
    let node = loaded.model.node(id);
    let mut values: Vec<ValueId> = node.inputs.iter().flatten().copied().collect();
    // What a node stretches to is the shape of its result.
    values.extend(node.output(0).filter(|_| meaning(&loaded.model, id).is_some()));
    if let Some(error) = open_sizes(&loaded, &values) {
        return Err(error);
    }
    let one = extract(&loaded.model, &loaded.shapes, id, request.seed, request.inline).map_err(of)?;
    let (node, op) = (node_name(&loaded.model, id), node.op.clone());
    Ok(Extracted { one, node, op, output: None, arrays: Vec::new(), inline: request.inline })
}

/// As [`extracted`]; writes the model to the file that the request names, what its inputs may be given as `OUT.0.npy`, `OUT.1.npy`, ...,
/// and what it computes of them as `OUT.out.npy`.
///
/// # Errors
/// As [`extracted`]; when a file cannot be written.
#[cfg(feature = "files")]
pub fn saved(request: &ExtractRequest, open: Open<'_>) -> Result<Extracted, Error> {
    let mut found = extracted(request, open)?;
    if let Some(output) = &request.output {
        checked_output(output, "a node is written as an ONNX model", &["onnx".to_owned()])?;
        found.arrays = write(&found.one, output, request.inline)?;
        found.output = Some(output.clone());
    }
    Ok(found)
}

impl Extracted {
    /// Lists the arrays that are given and computed, in the order of their files.
    pub fn named(&self) -> impl Iterator<Item = &Input> {
        arrays(&self.one, self.inline).map(|(_, array)| array)
    }

    /// Says whether an array is what the node computes.
    pub fn is_result(&self, array: &Input) -> bool {
        self.one.result.as_ref().is_some_and(|result| std::ptr::eq(result, array))
    }

    /// Returns what is printed as JSON.
    pub fn record(&self) -> Value {
        let (mut inputs, mut result) = (Vec::new(), Value::Null);
        for (path, array) in self.arrays.iter().zip(self.named()) {
            let file = json!({ "file": path.display().to_string(), "tensor": array.name });
            if self.is_result(array) {
                result = file;
            } else {
                inputs.push(file);
            }
        }
        let output = self.output.as_ref().map(|path| path.display().to_string());
        let (node, op, remarks) = (&self.node, &self.op, &self.one.remarks);
        json!({ "output": output, "node": node, "op": op, "inputs": inputs, "result": result, "remarks": remarks })
    }
}

/// Lists the arrays of a small model, each with its part of the name of its file; inputs that are constants of the model have none.
fn arrays(one: &Extract, inline: bool) -> impl Iterator<Item = (String, &Input)> {
    let inputs = one.inputs.iter().enumerate().filter(move |_| !inline);
    let inputs = inputs.map(|(number, input)| (number.to_string(), input));
    inputs.chain(one.result.iter().map(|one| ("out".to_owned(), one)))
}

/// Writes a small model; its inputs as `OUT.0.npy`, `OUT.1.npy`, ..., unless they are constants of the model, and its result as
/// `OUT.out.npy`. Returns the files of arrays.
///
/// # Errors
/// When a file cannot be written.
#[cfg(feature = "files")]
pub fn write(one: &Extract, output: &Path, inline: bool) -> Result<Vec<PathBuf>, Error> {
    let stem = plain_name(output);
    let whole = Whole::create(output)?;
    let mut files = Vec::new();
    for (part, array) in arrays(one, inline) {
        let path = stem.with_extension(format!("{part}.npy"));
        files.push((Whole::create(&path)?, path, array));
    }
    save((whole, None), output, |to| to.write_all(&one.model))?;
    let mut written = Vec::with_capacity(files.len());
    for (whole, path, array) in files {
        whole.save(|to| {
            to.write_all(&npy_header(array.dtype, &array.shape))?;
            to.write_all(&array.data)
        })?;
        written.push(path);
    }
    Ok(written)
}
