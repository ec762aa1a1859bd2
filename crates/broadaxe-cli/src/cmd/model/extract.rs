//! `broadaxe extract`: writes a node of a model as a model of its own.

use std::{io::Write, path::PathBuf};

use broadaxe_models::{
    extract::{Extract, extract},
    report::node_name,
};
use serde_json::{Value, json};

use super::{Open, find, load, open};
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
    let id = find(&loaded.model, &args.node)?;
    let one = extract(&loaded.model, &loaded.shapes, id, args.seed, args.inline);
    let one = one.map_err(|error| Error::from(error).of(&args.model))?;
    Ok(Extracted { one, node: node_name(&loaded.model, id), op: loaded.model.node(id).op.clone() })
}

/// Writes a model of one node, and what its inputs may be given as `OUT.0.npy`, `OUT.1.npy`, ...
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
        Whole::create(&args.output)?.save(|file| file.write_all(&one.model))?;
        let (name, op) = (quoted(&self.node), quoted(&self.op));
        let mut text = format!("{}: {name} ({op}), {} bytes\n", args.output.display(), one.model.len());
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
            text += &format!("{}\n", escaped(remark));
        }
        let mut json = self.json();
        json["output"] = args.output.display().to_string().into();
        json["inputs"] = inputs.into();
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
        json!({ "output": null, "node": self.node, "op": self.op, "inputs": [], "remarks": self.one.remarks })
    }
}
