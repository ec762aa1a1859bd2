//! Shared by the subcommands about model files: reads a model, finds its parts, writes a changed one.

mod stream;
mod skip;
mod inputs;
mod store;
mod census;
mod find;
mod extract;

mod total;
mod fingerprint;
mod baseline;
mod suppress;
mod report;
mod ask;
mod results;
mod parallel;
mod progress;
mod check;
mod explain;
mod fix;
mod sizes;
mod list;
mod diff;

use std::path::{Path, PathBuf};

use broadaxe_models::{
    Edit, Model, Source, ValueId, Written,
    example::{self, Example},
    format,
    infer::{Shapes, infer},
};
use broadaxe_shape::{Dim, SymbolicShape};

use self::find::find;
pub use self::{
    census::{run as census, run_inputs as census_inputs},
    check::{run as check, run_inputs as check_inputs, schema, targets},
    diff::run as diff,
    explain::run as explain,
    extract::{extracted, run as extract},
    fix::{fix, fixed, upgrade, upgraded},
    list::run as list,
    sizes::{run as sizes, run_shown as sizes_shown},
};
use crate::{
    answer::join,
    args::{InputArgs, OutArgs},
    error::{Error, quoted},
    file::write::{Lock, Whole},
};

/// A model with its shapes.
struct Loaded {
    path: PathBuf,
    model: Model,
    shapes: Shapes,
}

/// Where the bytes of a model named on the command line are from: its file, or memory that a caller holds.
pub type Open<'a> = &'a (dyn Fn(&Path) -> Result<Source, Error> + Sync);

/// Opens the file of a model; one whose name ends with `.gz` is decompressed, and `-` is standard input.
///
/// # Errors
/// When it cannot be opened, is no regular file, or is too large to be decompressed.
pub fn open(path: &Path) -> Result<Source, Error> {
    stream::open(path)
}

/// Reads a model.
fn read(path: &Path, open: Open<'_>) -> Result<Model, Error> {
    read_source(path, &open(path)?)
}

fn read_source(path: &Path, source: &Source) -> Result<Model, Error> {
    format::read(source).map_err(|error| Error::from(error).of(path))
}

/// Reads a model and infers its shapes.
fn load(path: &Path, inputs: &InputArgs, open: Open<'_>) -> Result<Loaded, Error> {
    load_source(path, &open(path)?, inputs)
}

fn load_source(path: &Path, source: &Source, inputs: &InputArgs) -> Result<Loaded, Error> {
    let model = read_source(path, source)?;
    let given = given_for(&model, inputs)?;
    let shapes = infer(&model, &given).map_err(|error| Error::from(error).of(path))?;
    Ok(Loaded { path: path.to_path_buf(), model, shapes })
}

/// Reads the shapes of the command line: `image:1,3,224,224`, one per input.
fn given(inputs: &InputArgs) -> Result<Vec<(String, Vec<Dim>)>, Error> {
    inputs.input_shapes.iter().map(|text| input_shape(text)).collect()
}

/// Reads the shapes for a model: those of the command line, and of the configured ones those for inputs that it has.
fn given_for(model: &Model, inputs: &InputArgs) -> Result<Vec<(String, Vec<Dim>)>, Error> {
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
fn open_sizes(loaded: &Loaded, values: &[ValueId]) -> Option<Error> {
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

/// Where a changed model goes: to OUT, or over the model itself.
struct Destination<'a> {
    args: &'a OutArgs,
    /// That of a model which is replaced.
    lock: Option<Lock>,
}

impl<'a> Destination<'a> {
    /// Locks the model if it is replaced; it is read after that.
    ///
    /// # Errors
    /// When another one cannot be written next to it.
    fn new(args: &'a OutArgs) -> Result<Self, Error> {
        let is_replaced = args.in_place && !args.dry_run && args.model.is_file();
        Ok(Self { args, lock: is_replaced.then(|| Lock::of(&args.model)).transpose()? })
    }

    /// Returns the file that is written, if one is.
    ///
    /// # Errors
    /// When the command line names none, or one that a changed model does not go to.
    fn path(&self, model: &Model) -> Result<Option<PathBuf>, Error> {
        destination(self.args, model)
    }

    /// Writes a changed model: its files are all there before the first of them gets its name.
    fn save(&self, model: &Model, edits: &[Edit], out: &Path) -> Result<Written, Error> {
        let written = format::write(model, edits).map_err(Error::from)?;
        // The files of two runs would not fit together.
        let several = (self.lock.is_none() && written.files.len() > 1).then(|| Lock::of(out)).transpose()?;
        let plain = stream::plain_name(out);
        let path =
            |extension: &str| if extension.is_empty() { out.to_path_buf() } else { plain.with_extension(extension) };
        // The second file only ever grows, so that the old model reads it too, should the run end between the two names.
        let mut files = Vec::new();
        for file in written.files.iter().rev() {
            let path = path(file.extension);
            files.push((Whole::create(&path)?, path, file));
        }
        for (whole, path, file) in files {
            let lock = self.lock.as_ref().filter(|_| file.extension.is_empty());
            stream::save((whole, lock), &path, |to| file.write(model, to))?;
        }
        drop(several);
        Ok(written)
    }
}

/// Returns the file that a changed model is written to, if it is.
fn destination(args: &OutArgs, model: &Model) -> Result<Option<PathBuf>, Error> {
    if args.dry_run {
        return Ok(None);
    }
    if args.in_place && (stream::is_compressed(&args.model) || stream::is_standard_input(&args.model)) {
        return Err(Error::usage(
            "--in-place replaces an uncompressed file; write the changed model to another one with -o OUT",
        ));
    }
    if args.in_place {
        return Ok(Some(args.model.clone()));
    }
    let Some(out) = &args.output else {
        return Err(Error::usage(
            "give the file for the changed model with -o OUT; --in-place replaces the model, --dry-run writes nothing",
        ));
    };
    let same = match (out.canonicalize(), args.model.canonicalize()) {
        (Ok(out), Ok(model)) => out == model,
        _ => false,
    };
    if same {
        return Err(Error::usage("OUT is the model itself; write --in-place to replace it"));
    }
    let of_format = format::FORMATS.iter().find(|format| format.name == model.format);
    let of_format = of_format.map_or(&[][..], |format| format.extensions);
    let (own, of_format) = (extension(&args.model), of_format.iter().map(|&extension| extension.to_owned()));
    // Files of one format may differ in form, as those of Paddle do.
    let accepted: Vec<String> = match own {
        Some(own) if of_format.clone().any(|extension| extension == own) => vec![own],
        own => of_format.chain(own).collect(),
    };
    checked_output(out, "the changed model is of the same format as MODEL", &accepted)?;
    Ok(Some(out.clone()))
}

/// Returns the extension of a model's file, without `.gz`, in lower case.
fn extension(path: &Path) -> Option<String> {
    stream::plain_name(path).extension().map(|extension| extension.to_string_lossy().to_lowercase())
}

/// Checks the name of a model that is written: it has one of these extensions, or none.
///
/// # Errors
/// When it has another one, or is `-`.
fn checked_output(out: &Path, why: &str, accepted: &[String]) -> Result<(), Error> {
    let example = accepted.first().map_or("onnx", String::as_str);
    if stream::is_standard_input(out) {
        let text = format!("a model is written to a file, not to standard output; name one, such as -o out.{example}");
        return Err(Error::usage(text));
    }
    match extension(out) {
        Some(extension) if !accepted.contains(&extension) => {
            let extension = quoted(&extension);
            Err(Error::usage(format!("OUT ends with .{extension}, and {why}; end OUT with .{example}")).of(out))
        }
        _ => Ok(()),
    }
}
