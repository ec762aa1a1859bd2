//! What can be asked about model files and rules. Every request can be read from JSON, and what it leaves out has its usual value.

use std::{num::NonZeroUsize, ops::RangeInclusive, path::PathBuf};

use serde::{Deserialize, Serialize};

/// A request, which names itself in JSON: `{"request": "check", "models": ["a.onnx"], "targets": ["ncnn"]}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "lowercase")]
pub enum Request {
    /// What broadcasting nodes mean on other runtimes.
    Check(CheckRequest),
    /// The fewest changes after which a model means the same on other runtimes.
    Fix(FixRequest),
    /// A model of an old opset as one of opset 7.
    Upgrade(UpgradeRequest),
    /// A node as a model of its own.
    Extract(ExtractRequest),
    /// How many nodes broadcast, by operator and pattern.
    Census(CensusRequest),
    /// The sizes of an open dim that a model accepts.
    Sizes(SizesRequest),
    /// The nodes of a model.
    List(ListRequest),
    /// What the nodes of two models mean.
    Diff(DiffRequest),
    /// What every rule says to the same shapes.
    Compare(CompareRequest),
    /// The shape that a rule broadcasts shapes to.
    Shape(ShapeRequest),
    /// How shapes are aligned, and which loops compute the result.
    Explain(ExplainRequest),
}

/// The shapes of inputs that a model leaves open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Inputs {
    /// Shapes by the names of inputs: `image:1,3,224,224`.
    pub input_shapes: Vec<String>,
    /// Shapes from a configuration, for those of its inputs that a model has.
    #[serde(skip)]
    pub configured: Vec<String>,
}

impl Inputs {
    /// Makes the shapes that a caller gives.
    pub fn new(input_shapes: &[String]) -> Self {
        Self { input_shapes: input_shapes.to_vec(), configured: Vec::new() }
    }
}

/// The configuration of a project that is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Config {
    /// None.
    #[default]
    None,
    /// That of the current folder or of one above it.
    Find,
    /// This file.
    File(PathBuf),
}

/// A verdict that can make a check fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum FailOn {
    /// The target differs: it computes other values and reports no error
    Differs,
    /// The target refuses the node
    Refused,
    /// The node depends on size: the target computes the same only for some sizes of open dims
    Guarded,
    /// The target does not support the operator
    Unsupported,
    /// What the target does is unknown
    Unknown,
}

impl FailOn {
    /// Every such verdict.
    pub const ALL: [Self; 5] = [Self::Differs, Self::Refused, Self::Guarded, Self::Unsupported, Self::Unknown];

    /// Returns the verdict as findings name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Differs => "differs",
            Self::Refused => "refused",
            Self::Guarded => "guarded",
            Self::Unsupported => "unsupported",
            Self::Unknown => "unknown",
        }
    }

    /// Finds a verdict by its name.
    ///
    /// # Errors
    /// When there is no such verdict, or a check cannot fail by it.
    pub fn named(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|verdict| verdict.name() == text);
        found.ok_or_else(|| format!("'{text}' is not a verdict that can fail; write {}", names()))
    }

    /// Says whether a finding has this verdict.
    pub fn is(self, verdict: &str) -> bool {
        self.name() == verdict
    }
}

/// Asks engines that the user has installed what they compute; each runs in a process of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AskRequest {
    /// The engines, such as `litert-gpu@2.1.3,2.3.0`.
    pub engines: Vec<String>,
    /// Folders with the Python environments of engines, before those of the variable `BROADAXE_ENGINES`.
    pub folders: Vec<PathBuf>,
    /// Whether an engine is asked again what it answered before.
    pub again: bool,
    /// Whether each node is asked about alone, with numbers of its own, and not the model as a whole.
    pub nodes: bool,
    /// The folder that small models are written to, which show what an engine computes wrongly.
    pub save: Option<PathBuf>,
    /// How long a model may run, or with `nodes` one question: from 1 second to a day.
    pub seconds: u64,
    /// Whether answers are neither read from the user's cache nor kept there.
    pub no_cache: bool,
}

impl AskRequest {
    /// How long a model may run, in seconds.
    pub const SECONDS: RangeInclusive<u64> = 1..=86_400;
}

impl Default for AskRequest {
    fn default() -> Self {
        Self {
            engines: Vec::new(),
            folders: Vec::new(),
            again: false,
            nodes: false,
            save: None,
            seconds: 60,
            no_cache: false,
        }
    }
}

/// Asks what the broadcasting nodes of models mean on other runtimes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub struct CheckRequest {
    /// The models.
    pub models: Vec<PathBuf>,
    /// Whether folders and patterns among the models stand for the models in them.
    pub search: bool,
    /// Whether files that are not models are skipped.
    pub skip_others: bool,
    /// The targets; where there are none, those of the configuration, or else of the model's format.
    pub targets: Vec<String>,
    /// The engines that are asked; where there are some, no target is checked for unless it is named here.
    pub ask: Option<AskRequest>,
    /// The shapes of inputs.
    pub input_shapes: Inputs,
    /// The verdicts that fail; where there are none, those of the configuration, or else the usual ones.
    pub fail_on: Vec<FailOn>,
    /// Whether nothing fails.
    pub exit_zero: bool,
    /// The configuration.
    pub config: Config,
    /// A file with findings that do not fail.
    pub baseline: Option<PathBuf>,
    /// The file that the findings that fail are written to.
    pub write_baseline: Option<PathBuf>,
    /// Whether repairs are planned.
    pub repairs: bool,
    /// How many models are checked at a time; by default one per core.
    pub jobs: Option<NonZeroUsize>,
    /// Identifies the program whose results are kept in the user's cache and used again.
    #[serde(skip)]
    pub program: Option<String>,
}

impl Default for CheckRequest {
    fn default() -> Self {
        Self {
            models: Vec::new(),
            search: false,
            skip_others: false,
            targets: Vec::new(),
            ask: None,
            input_shapes: Inputs::default(),
            fail_on: Vec::new(),
            exit_zero: false,
            config: Config::None,
            baseline: None,
            write_baseline: None,
            repairs: true,
            jobs: None,
            program: None,
        }
    }
}

/// Where a changed model goes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Out {
    /// To no file: the changes are listed, and the caller gets the model.
    #[default]
    Nowhere,
    /// To no file, but to the caller, who wants no model with changes left to make.
    Returned,
    /// Over the model, atomically.
    InPlace,
    /// To this file.
    File(PathBuf),
    /// To a file that the caller forgot to name, which is an error.
    #[serde(skip)]
    Unnamed,
}

/// Asks for the fewest changes after which a model means the same on other runtimes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FixRequest {
    /// The model.
    pub model: PathBuf,
    /// The targets, as in [`CheckRequest`].
    pub targets: Vec<String>,
    /// The shapes of inputs.
    pub input_shapes: Inputs,
    /// The configuration.
    pub config: Config,
    /// The engines that are asked about the changed model; their targets are used where none are named here or in a configuration.
    pub ask: Option<AskRequest>,
    /// What operands are meant for that can be read in several ways: `channels`.
    pub intend: Option<String>,
    /// Where the changed model goes.
    pub out: Out,
    /// Whether the changes are not verified.
    pub no_verify: bool,
}

/// Asks for a model of an old opset as one of opset 7.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UpgradeRequest {
    /// The model.
    pub model: PathBuf,
    /// Where the changed model goes.
    pub out: Out,
    /// Whether the changes are not verified.
    pub no_verify: bool,
}

/// Asks for a node of an ONNX model as a model of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractRequest {
    /// The model.
    pub model: PathBuf,
    /// The node: its name, the name of an output, its number as `#452`, or a pattern.
    pub node: String,
    /// Whether the elements of inputs are stored in the new model.
    pub inline: bool,
    /// The seed of the inputs' elements.
    pub seed: u64,
    /// The file of the new model; those of the arrays are named after it.
    pub output: Option<PathBuf>,
    /// The shapes of inputs.
    pub input_shapes: Inputs,
}

/// Asks how the nodes of models broadcast.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CensusRequest {
    /// The models.
    pub models: Vec<PathBuf>,
    /// Whether folders and patterns among the models stand for the models in them.
    pub search: bool,
    /// The shapes of inputs.
    pub input_shapes: Inputs,
}

/// Asks which sizes of an open dim a model accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SizesRequest {
    /// The model.
    pub model: PathBuf,
    /// The dim and its sizes: `height=1..512`.
    pub sweep: String,
    /// The shapes of inputs.
    pub input_shapes: Inputs,
}

/// Asks for the nodes of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ListRequest {
    /// The model.
    pub model: PathBuf,
    /// Only nodes of operators that match one of these patterns.
    pub ops: Vec<String>,
    /// Only nodes with this name, output or number, or those that a pattern matches.
    pub node: Option<String>,
    /// The targets whose verdicts are listed.
    pub targets: Vec<String>,
    /// Only nodes with one of these verdicts for one of the targets.
    pub verdicts: Vec<String>,
    /// Whether nodes that do not broadcast are listed too.
    pub all: bool,
    /// The shapes of inputs.
    pub input_shapes: Inputs,
}

/// Asks how two models compare.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiffRequest {
    /// The model to compare.
    pub a: PathBuf,
    /// The model to compare it with.
    pub b: PathBuf,
    /// The shapes of inputs.
    pub input_shapes: Inputs,
}

/// Asks what every rule says to the same shapes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CompareRequest {
    /// The shapes, row-major: `2,3,4`, `()` or `n,3`.
    pub shapes: Vec<String>,
}

/// Chooses a rule and its parameters. In JSON, these are fields of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RuleRequest {
    /// The name of the rule, or one of its aliases; by default NumPy's.
    pub rule: String,
    /// The axis that the first axis of the smaller operand is aligned with.
    pub axis: Option<i64>,
    /// The axes that the axes of the operand are aligned with: `0,2`.
    pub axes: Option<String>,
    /// The shape to broadcast to.
    pub target: Option<String>,
    /// The mode of a rule that has several.
    pub mode: Option<String>,
}

impl Default for RuleRequest {
    fn default() -> Self {
        Self { rule: "numpy".to_owned(), axis: None, axes: None, target: None, mode: None }
    }
}

/// Asks for the shape that a rule broadcasts shapes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShapeRequest {
    /// The rule.
    #[serde(flatten)]
    pub rule: RuleRequest,
    /// Whether shapes are row-major under ncnn's rule too.
    pub row_major: bool,
    /// The shapes.
    pub shapes: Vec<String>,
}

/// Asks how shapes are aligned, and which loops compute the result; or what a finding code means.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExplainRequest {
    /// The rule; with a node, that of the node is used and none is given here.
    #[serde(flatten)]
    pub rule: RuleRequest,
    /// The dtypes of the operands: one for all or one for each; where there are none, f32.
    pub dtypes: Vec<String>,
    /// The node of a model: its name, the name of an output, its number as `#452`, or a pattern.
    pub node: Option<String>,
    /// The shapes of the model's inputs.
    pub input_shapes: Inputs,
    /// The shapes, row-major; with a node the model file; or a finding code such as `BX101`.
    pub shapes: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::{CompareRequest, ExplainRequest, Request, RuleRequest, ShapeRequest};

    #[test]
    fn requests_about_rules_are_read_from_json() {
        let shapes = || vec!["2,3".to_owned(), "n".to_owned()];
        let pdpd = RuleRequest { rule: "pdpd".to_owned(), axis: Some(0), ..RuleRequest::default() };
        let cases = [
            (r#"{"request": "compare"}"#, Some(Request::Compare(CompareRequest::default()))),
            (
                r#"{"request": "compare", "shapes": ["2,3", "n"]}"#,
                Some(Request::Compare(CompareRequest { shapes: shapes() })),
            ),
            (
                r#"{"request": "shape", "shapes": ["2,3", "n"], "rule": "pdpd", "axis": 0, "row_major": true}"#,
                Some(Request::Shape(ShapeRequest { rule: pdpd.clone(), row_major: true, shapes: shapes() })),
            ),
            (
                r#"{"request": "explain", "axis": 0, "rule": "pdpd", "dtypes": ["f16"], "shapes": ["2,3", "n"]}"#,
                Some(Request::Explain(ExplainRequest {
                    rule: pdpd,
                    dtypes: vec!["f16".to_owned()],
                    shapes: shapes(),
                    ..ExplainRequest::default()
                })),
            ),
            (r#"{"request": "compare", "rule": "pdpd"}"#, None),
            (r#"{"request": "shape", "rules": "pdpd"}"#, None),
            (r#"{"request": "shape", "axis": "1"}"#, None),
            (r#"{"request": "explain", "dtype": "f16"}"#, None),
        ];
        for (text, want) in cases {
            let read: Option<Request> = serde_json::from_str(text).ok();
            assert_eq!(read, want, "{text}");
        }
    }
}
