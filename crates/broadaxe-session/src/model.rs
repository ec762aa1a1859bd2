//! Reads a model, and writes a changed one.

use std::path::{Path, PathBuf};

use broadaxe_draw::words::join;
use broadaxe_models::{
    Model, Source, ValueId,
    example::{self, Example},
    format,
    infer::{Shapes, infer},
};
use broadaxe_shape::{Dim, SymbolicShape};

use crate::{
    error::{Error, quoted},
    request::Inputs,
};

/// A model with its shapes.
#[derive(Debug)]
pub struct Loaded {
    /// Its file.
    pub path: PathBuf,
    /// The model.
    pub model: Model,
    /// The shapes of its values.
    pub shapes: Shapes,
}

/// Where the bytes of a model are from: its file, or memory that a caller holds.
pub type Open<'a> = &'a (dyn Fn(&Path) -> Result<Source, Error> + Sync);

/// Reads a model.
///
/// # Errors
/// When it cannot be read.
pub fn read(path: &Path, open: Open<'_>) -> Result<Model, Error> {
    read_source(path, &open(path)?)
}

/// As [`read()`], from a source.
///
/// # Errors
/// As [`read()`].
pub fn read_source(path: &Path, source: &Source) -> Result<Model, Error> {
    format::read(source).map_err(|error| Error::from(error).of(path))
}

/// Reads a model and infers its shapes.
///
/// # Errors
/// When it cannot be read, or a shape of an input is malformed.
pub fn load(path: &Path, inputs: &Inputs, open: Open<'_>) -> Result<Loaded, Error> {
    load_source(path, &open(path)?, inputs)
}

/// As [`load`], from a source.
///
/// # Errors
/// As [`load`].
pub fn load_source(path: &Path, source: &Source, inputs: &Inputs) -> Result<Loaded, Error> {
    let model = read_source(path, source)?;
    let given = given_for(&model, inputs)?;
    let shapes = infer(&model, &given).map_err(|error| Error::from(error).of(path))?;
    Ok(Loaded { path: path.to_path_buf(), model, shapes })
}

/// Reads the shapes of the command line: `image:1,3,224,224`, one per input.
///
/// # Errors
/// When one is malformed.
pub fn given(inputs: &Inputs) -> Result<Vec<(String, Vec<Dim>)>, Error> {
    inputs.input_shapes.iter().map(|text| input_shape(text)).collect()
}

/// Reads the shapes for a model: those of the command line, and of the configured ones those for inputs that it has.
///
/// # Errors
/// As [`given`].
pub fn given_for(model: &Model, inputs: &Inputs) -> Result<Vec<(String, Vec<Dim>)>, Error> {
    let mut all = given(inputs)?;
    let has = |name: &str| model.main().inputs.iter().any(|&id| model.value(id).name == name);
    for text in &inputs.configured {
        let (name, dims) = input_shape(text)?;
        if has(&name) {
            all.push((name, dims));
        }
    }
    Ok(all)
}

fn input_shape(text: &str) -> Result<(String, Vec<Dim>), Error> {
    let wrong = || Error::usage(format!("--input-shape '{text}' should be NAME:SHAPE, such as image:1,3,224,224"));
    let (name, shape) = text.rsplit_once(':').filter(|(name, _)| !name.is_empty()).ok_or_else(wrong)?;
    let shape: SymbolicShape = shape.parse()?;
    Ok((name.to_owned(), shape.dims().ok_or_else(wrong)?.to_vec()))
}

/// Makes the error of values whose shapes are open: it shows shapes of inputs that settle them. Nothing where all are known.
pub fn open_sizes(loaded: &Loaded, values: &[ValueId]) -> Option<Error> {
    let Example { open, inputs } = example::settling(&loaded.model, &loaded.shapes, values)?;
    let is = if open.len() == 1 { "is" } else { "are" };
    let given = inputs.iter().map(|(name, dims)| {
        let dims: Vec<String> = dims.iter().map(ToString::to_string).collect();
        format!("--input-shape {name}:{}", dims.join(","))
    });
    let given: Vec<String> = given.collect();
    let add = if given.is_empty() {
        "give the shapes of the model's inputs with --input-shape NAME:SHAPE".to_owned()
    } else {
        format!("add {}", given.join(" "))
    };
    let open: Vec<String> = open.iter().map(|name| quoted(name)).collect();
    Some(Error::usage(format!("{} {is} open: {add}", join(&open, " and "))).of(&loaded.path))
}
