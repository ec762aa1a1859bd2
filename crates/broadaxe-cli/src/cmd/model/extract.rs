//! `broadaxe extract`: a node of a model as a model of its own.

use std::{io::Write, path::PathBuf};

use broadaxe_models::{extract::extract, report::node_name};
use serde_json::json;

use super::{find, load, open};
use crate::{
    answer::{Answer, tuple},
    args::ExtractArgs,
    error::{Error, quoted},
    file::{
        Place,
        write::{Output, Plain, Whole},
    },
};

/// Writes a model of one node, and what its inputs may be given as `OUT.0.npy`, `OUT.1.npy`, ...
///
/// # Errors
/// When the model cannot be read, has no such node, shapes of the node are open, or a file cannot be written.
pub fn run(args: &ExtractArgs) -> Result<Answer, Error> {
    let loaded = load(&args.model, &args.inputs, &open)?;
    let id = find(&loaded.model, &args.node)?;
    let one = extract(&loaded.model, &loaded.shapes, id, args.seed, args.inline);
    let one = one.map_err(|error| Error::from(error).of(&args.model))?;
    Whole::create(&args.output)?.save(|file| file.write_all(&one.model))?;
    let (name, op) = (node_name(&loaded.model, id), &loaded.model.node(id).op);
    let mut text = format!("{}: {} ({op}), {} bytes\n", args.output.display(), quoted(&name), one.model.len());
    let mut inputs = Vec::new();
    for (number, input) in one.inputs.iter().enumerate().filter(|_| !args.inline) {
        let path: PathBuf = args.output.with_extension(format!("{number}.npy"));
        let plain = Plain { dtype: input.dtype, shape: &input.shape, bytes: &input.data };
        Output::create(&Place::new(&path.display().to_string()))?.save(&plain)?;
        let (tensor, dtype, shape) = (quoted(&input.name), input.dtype.name(), tuple(&input.shape));
        text += &format!("{}: {tensor}, {dtype} {shape}\n", path.display());
        inputs.push(json!({ "file": path.display().to_string(), "tensor": input.name }));
    }
    for remark in &one.remarks {
        text += &format!("{remark}\n");
    }
    let json = json!({
        "output": args.output.display().to_string(),
        "node": name,
        "op": op,
        "inputs": inputs,
        "remarks": one.remarks,
    });
    Ok(Answer::new(text, json))
}
