//! Writes changed models.

use std::path::{Path, PathBuf};

use broadaxe_models::{Edit, Model, Written, format};

use crate::{
    error::{Error, quoted},
    request::Out,
    stream,
    whole::{Lock, Whole},
};

/// Where a changed model goes: to a file, or over the model itself.
#[derive(Debug)]
pub struct Destination<'a> {
    model: &'a Path,
    out: &'a Out,
    /// That of a model which is replaced.
    lock: Option<Lock>,
}

impl<'a> Destination<'a> {
    /// Locks the model if it is replaced; it is read after that.
    ///
    /// # Errors
    /// When another one cannot be written next to it.
    pub fn new(model: &'a Path, out: &'a Out) -> Result<Self, Error> {
        let is_replaced = *out == Out::InPlace && model.is_file();
        Ok(Self { model, out, lock: is_replaced.then(|| Lock::of(model)).transpose()? })
    }

    /// Returns the file that is written, if one is.
    ///
    /// # Errors
    /// When the caller names none, or one that a changed model does not go to.
    pub fn path(&self, model: &Model) -> Result<Option<PathBuf>, Error> {
        destination((self.model, self.out), model)
    }

    /// Writes a changed model: its files are all there before the first of them gets its name.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn save(&self, model: &Model, edits: &[Edit], out: &Path) -> Result<Written, Error> {
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
fn destination((path, out): (&Path, &Out), model: &Model) -> Result<Option<PathBuf>, Error> {
    let out = match out {
        Out::Nowhere | Out::Returned => return Ok(None),
        Out::InPlace if stream::is_compressed(path) || stream::is_standard_input(path) => {
            return Err(Error::usage(
                "--in-place replaces an uncompressed file; write the changed model to another one with -o OUT",
            ));
        }
        Out::InPlace => return Ok(Some(path.to_path_buf())),
        Out::Unnamed => {
            return Err(Error::usage(
                "give the file for the changed model with -o OUT; --in-place replaces the model, --dry-run writes nothing",
            ));
        }
        Out::File(out) => out,
    };
    let same = match (out.canonicalize(), path.canonicalize()) {
        (Ok(out), Ok(model)) => out == model,
        _ => false,
    };
    if same {
        return Err(Error::usage("OUT is the model itself; write --in-place to replace it"));
    }
    let of_format = format::FORMATS.iter().find(|format| format.name == model.format);
    let of_format = of_format.map_or(&[][..], |format| format.extensions);
    let (own, of_format) = (extension(path), of_format.iter().map(|&extension| extension.to_owned()));
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
pub fn checked_output(out: &Path, why: &str, accepted: &[String]) -> Result<(), Error> {
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
