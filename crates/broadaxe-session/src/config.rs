//! Reads the settings of a project: `broadaxe.toml`, or the table `tool.broadaxe` of `pyproject.toml`.
//!
//! The command line has precedence over the file. Within the file, `[[models]]` has precedence over the top level, and a later entry
//! over an earlier one. Patterns of model files are relative to the folder of the file.

mod pattern;
mod place;
mod schema;
mod raw;
mod ignore;

use std::path::{Path, PathBuf};

use broadaxe_models::profiles::Target;
use toml::Spanned;

pub use self::{
    ignore::Ignore,
    pattern::{absolute, relative},
};
use self::{
    pattern::PathPattern,
    place::Document,
    raw::{RawChoice, RawSettings},
};
use crate::{
    error::Error,
    request::{CheckRequest, Config, FailOn, FixRequest, Inputs},
};

/// Returns the JSON schema of `broadaxe.toml`, which is also that of the table `tool.broadaxe` of `pyproject.toml`.
pub fn schema() -> serde_json::Value {
    schema::schema::<RawSettings>()
}

/// The verdicts that fail where nothing names others.
const USUAL_FAIL_ON: [FailOn; 3] = [FailOn::Differs, FailOn::Refused, FailOn::Guarded];

/// The settings of a run: those of the command line and of a configuration file.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The configuration file, relative to the current directory where it was found; nothing without one.
    pub file: Option<PathBuf>,
    /// Its folder; absolute.
    folder: PathBuf,
    general: Choice,
    models: Vec<(PathPattern, Choice)>,
    /// The entries `[[ignore]]`, in the order of the file.
    pub ignores: Vec<Ignore>,
    /// The baseline that the configuration file names.
    pub baseline: Option<PathBuf>,
    /// What the command line says.
    line: Choice,
}

/// The settings of one model.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    /// The targets to check for; nothing for those of the model's format.
    pub targets: Option<Vec<Target>>,
    /// The shapes of inputs.
    pub inputs: Inputs,
    /// The verdicts that fail.
    pub fail_on: Vec<FailOn>,
    /// Whether the configuration file names them.
    is_configured: bool,
}

impl ModelSettings {
    /// Says whether findings with this verdict would fail if the configuration file did not name the verdicts that do.
    pub fn lets_pass(&self, verdict: &str) -> bool {
        let is_in = |list: &[FailOn]| list.iter().any(|fails| fails.is(verdict));
        self.is_configured && is_in(&USUAL_FAIL_ON) && !is_in(&self.fail_on)
    }
}

/// Settings of one source; nothing where it leaves them to others.
#[derive(Clone, Debug, Default)]
struct Choice {
    targets: Option<Vec<Target>>,
    /// As on the command line: `image:1,3,224,224`.
    input_shapes: Vec<String>,
    fail_on: Option<Vec<FailOn>>,
}

impl ModelSettings {
    /// Returns the targets to check a model in this format for.
    pub fn targets_of(&self, format: &str) -> Vec<Target> {
        self.targets.clone().unwrap_or_else(|| Target::usual(format))
    }
}

impl Settings {
    /// Returns the settings of `broadaxe check`.
    ///
    /// # Errors
    /// When the configuration file cannot be read or has an error, or a target on the command line is unknown.
    pub fn of_check(request: &CheckRequest) -> Result<Self, Error> {
        let mut line = given(&request.targets, &request.input_shapes)?;
        // `check --ask` without `--for` only asks.
        if line.targets.is_none() && request.ask.is_some() {
            line.targets = Some(Vec::new());
        }
        line.fail_on = Some(request.fail_on.clone()).filter(|verdicts| !verdicts.is_empty());
        Ok(Self { line, ..Self::load(&request.config)? })
    }

    /// Returns the settings of `broadaxe fix`.
    ///
    /// # Errors
    /// As for [`Settings::of_check`].
    pub fn of_fix(request: &FixRequest) -> Result<Self, Error> {
        let line = given(&request.targets, &request.input_shapes)?;
        Ok(Self { line, ..Self::load(&request.config)? })
    }

    /// Finds and reads the configuration file.
    fn load(config: &Config) -> Result<Self, Error> {
        let document = match config {
            Config::None => return Ok(Self::default()),
            Config::File(path) => Some(Document::read(path)?),
            Config::Find => Document::find(&absolute(Path::new(".")))?,
        };
        document.map_or_else(|| Ok(Self::default()), |document| Self::read(&document))
    }

    /// Reads a configuration file.
    fn read(document: &Document) -> Result<Self, Error> {
        let raw = RawSettings::read(document)?;
        let general = Choice::new(document, &raw.choice())?;
        let mut models = Vec::new();
        for entry in raw.models {
            let pattern = PathPattern::new(entry.path.get_ref());
            let pattern = pattern.map_err(|message| document.error(entry.path.span(), message))?;
            models.push((pattern, Choice::new(document, &entry.choice())?));
        }
        let ignores = raw.ignore.into_iter().map(|entry| Ignore::new(document, entry)).collect::<Result<_, _>>()?;
        let shown = document.path.parent().unwrap_or(Path::new(""));
        Ok(Self {
            file: Some(document.path.clone()),
            folder: absolute(&document.path).parent().unwrap_or(Path::new("")).to_path_buf(),
            general,
            models,
            ignores,
            baseline: raw.baseline.map(|path| shown.join(path)),
            line: Choice::default(),
        })
    }

    /// Returns the settings of a model.
    pub fn for_model(&self, path: &Path) -> ModelSettings {
        let name = if self.models.is_empty() { String::new() } else { relative(path, &self.folder) };
        let matching = self.models.iter().filter(|(pattern, _)| pattern.matches(&name)).map(|(_, choice)| choice);
        let (mut file, line) = (self.general.clone(), &self.line);
        for choice in matching {
            file.targets = choice.targets.clone().or(file.targets);
            file.fail_on = choice.fail_on.clone().or(file.fail_on);
            overlay(&mut file.input_shapes, &choice.input_shapes);
        }
        file.input_shapes.retain(|one| line.input_shapes.iter().all(|other| input(one) != input(other)));
        let is_configured = line.fail_on.is_none() && file.fail_on.is_some();
        ModelSettings {
            is_configured,
            targets: line.targets.clone().or(file.targets).map(Target::distinct),
            inputs: Inputs { input_shapes: line.input_shapes.clone(), configured: file.input_shapes },
            fail_on: line.fail_on.clone().or(file.fail_on).unwrap_or_else(|| USUAL_FAIL_ON.to_vec()),
        }
    }

    /// Lists the entries `[[ignore]]` that are about a model, with their numbers.
    pub fn ignores_of(&self, path: &Path) -> Vec<(usize, &Ignore)> {
        let name = if self.ignores.is_empty() { String::new() } else { relative(path, &self.folder) };
        self.ignores.iter().enumerate().filter(|(_, ignore)| ignore.is_about(&name)).collect()
    }
}

/// Reads what the request says of targets and inputs.
fn given(targets: &[String], inputs: &Inputs) -> Result<Choice, Error> {
    let targets = targets.iter().map(|name| name.parse()).collect::<Result<Vec<Target>, _>>()?;
    let targets = Some(targets).filter(|targets| !targets.is_empty());
    Ok(Choice { targets, input_shapes: inputs.input_shapes.clone(), fail_on: None })
}

/// Returns the name of the input in `image:1,3,224,224`.
fn input(shape: &str) -> Option<&str> {
    shape.rsplit_once(':').map(|(name, _)| name)
}

/// Adds shapes to a list; they replace those of the same inputs.
fn overlay(list: &mut Vec<String>, shapes: &[String]) {
    list.retain(|one| shapes.iter().all(|other| input(one) != input(other)));
    list.extend_from_slice(shapes);
}

impl Choice {
    fn new(document: &Document, raw: &RawChoice<'_>) -> Result<Self, Error> {
        let target = |name: &Spanned<String>| {
            let target = name.get_ref().parse::<Target>();
            target.map_err(|error| document.error(name.span(), error.message()))
        };
        let verdict = |name: &Spanned<String>| {
            FailOn::named(name.get_ref()).map_err(|message| document.error(name.span(), message))
        };
        let targets = raw.targets.map(|names| names.iter().map(target).collect::<Result<Vec<_>, _>>());
        let fail_on = raw.fail_on.map(|names| names.iter().map(verdict).collect::<Result<Vec<_>, _>>());
        let mut input_shapes: Vec<String> = Vec::new();
        for shape in raw.input_shapes.unwrap_or_default() {
            shape_of(shape.get_ref()).map_err(|message| document.error(shape.span(), message))?;
            if input_shapes.iter().any(|other| input(other) == input(shape.get_ref())) {
                let name = input(shape.get_ref()).unwrap_or_default();
                return Err(document.error(shape.span(), format!("the shape of '{name}' is given twice")));
            }
            input_shapes.push(shape.get_ref().clone());
        }
        Ok(Self { targets: targets.transpose()?, input_shapes, fail_on: fail_on.transpose()? })
    }
}

/// Says whether a text such as `image:1,3,224,224` has a name and a shape.
fn shape_of(text: &str) -> Result<(), String> {
    let wrong = || format!("'{text}' should be NAME:SHAPE, such as image:1,3,224,224");
    let (_, shape) = text.rsplit_once(':').filter(|(name, _)| !name.is_empty()).ok_or_else(wrong)?;
    let shape: broadaxe_shape::SymbolicShape =
        shape.parse().map_err(|error: broadaxe_shape::Error| error.to_string())?;
    shape.dims().map(|_| ()).ok_or_else(wrong)
}

#[cfg(test)]
mod tests;
