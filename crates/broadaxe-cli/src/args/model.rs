//! Declares the arguments of the subcommands that read model files.

use std::{path::PathBuf, str::FromStr};

use clap::{Args, ValueEnum, builder::ArgPredicate};

/// Names the targets and fixes what the model leaves open.
#[derive(Args, Clone, Debug)]
pub struct TargetArgs {
    /// The runtimes to check for; `broadaxe targets` explains each
    #[arg(
        long = "for",
        value_name = "TARGET,...",
        value_delimiter = ',',
        default_value = "onnx,openvino,ncnn",
        // `check --ask` alone only asks.
        default_value_if("ask", ArgPredicate::IsPresent, None)
    )]
    pub targets: Vec<String>,

    #[command(flatten)]
    pub(crate) inputs: InputArgs,
}

/// Fixes the shapes of inputs that the model leaves open.
#[derive(Args, Clone, Debug)]
pub struct InputArgs {
    /// The shape of an input, such as image:1,3,224,224 (dims can be names or ?)
    #[arg(long = "input-shape", value_name = "NAME:SHAPE")]
    pub input_shapes: Vec<String>,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people: findings with the same cause are shown once
    #[default]
    #[value(alias = "text")]
    Grouped,
    /// For people: every finding is drawn
    Full,
    /// A line per finding, for grep and editors
    Concise,
    /// For programs; `broadaxe schema` prints its schema
    Json,
    /// For code review on the web: SARIF 2.1.0
    Sarif,
    /// For GitHub: workflow commands, which its runner shows as annotations
    Github,
    /// For GitLab: a Code Quality report
    Gitlab,
    /// For continuous integration: tests as `JUnit` writes them
    Junit,
    /// For comments and issues: Markdown
    Markdown,
    /// For Model Explorer: node data, which colours the nodes of one model
    ModelExplorer,
}

/// A report that goes to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    /// The format of the report.
    pub format: ReportFormat,
    /// The file.
    pub path: PathBuf,
}

impl FromStr for ReportFile {
    type Err = String;

    /// Reads `sarif=findings.sarif`.
    fn from_str(text: &str) -> Result<Self, String> {
        let split = text.split_once('=').filter(|(_, path)| !path.is_empty());
        let (format, path) = split.ok_or("write FORMAT=FILE, such as sarif=findings.sarif")?;
        let formats = ReportFormat::value_variants().iter().filter_map(ReportFormat::to_possible_value);
        let names: Vec<String> = formats.map(|value| value.get_name().to_owned()).collect();
        let format = ReportFormat::from_str(format, false)
            .map_err(|_| format!("'{format}' is not a format; the formats are {}", names.join(", ")))?;
        Ok(Self { format, path: path.into() })
    }
}

/// A verdict that can make a check fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// The target computes something else and reports no error
    Differs,
    /// The target rejects the node
    Refused,
    /// The target computes the same only under a condition on open sizes
    Guarded,
    /// The target does not have the operator
    Unsupported,
    /// What the target does is not known
    Unknown,
}

impl FailOn {
    /// Says whether a finding has this verdict.
    pub(crate) fn is(self, verdict: &str) -> bool {
        self.to_possible_value().is_some_and(|value| value.get_name() == verdict)
    }
}

/// Names engines that are asked.
#[derive(Args, Clone, Debug)]
pub struct AskArgs {
    /// Ask installed engines what they compute, such as litert-gpu@2.1.3,2.3.0; may be repeated
    #[arg(long, value_name = "RUNTIME[@VERSION,...]")]
    pub ask: Vec<String>,

    /// Look for engines in the Python environments in DIR; the variable `BROADAXE_ENGINES` names such folders too
    #[arg(long, value_name = "DIR", requires = "ask")]
    pub engines: Vec<PathBuf>,

    /// Ask also what was answered before
    #[arg(long, requires = "ask")]
    pub ask_again: bool,

    /// How long an engine may take for one question
    #[arg(long, value_name = "SECONDS", requires = "ask", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86400))]
    pub ask_seconds: u64,
}

/// Arguments of `broadaxe check`.
// Each flag is an option of the command line.
#[allow(clippy::struct_excessive_bools)]
#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub(crate) targets: TargetArgs,

    /// The format of the report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: ReportFormat,

    /// Also write a report to FILE, such as sarif=findings.sarif; may be repeated
    #[arg(long = "output", value_name = "FORMAT=FILE")]
    pub outputs: Vec<ReportFile>,

    /// Skip files that are not models, such as other .json and .xml files, with a note
    #[arg(long)]
    pub skip_others: bool,

    /// Print one line per model
    #[arg(short, long)]
    pub quiet: bool,

    /// Print all groups and names, also of undecided findings
    #[arg(short, long, conflicts_with = "quiet")]
    pub all: bool,

    /// Print only a table that counts the findings by kind and target
    #[arg(long, conflicts_with_all = ["quiet", "format"])]
    pub statistics: bool,

    /// The verdicts that end with exit code 1
    #[arg(
        long,
        value_enum,
        value_name = "VERDICT,...",
        value_delimiter = ',',
        default_value = "differs,refused,guarded"
    )]
    pub fail_on: Vec<FailOn>,

    #[command(flatten)]
    pub(crate) asking: AskArgs,

    /// Model files: .onnx, .xml, .param, .tflite, .json, .pdmodel
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<PathBuf>,
}

/// Where a changed model goes.
#[derive(Args, Clone, Debug)]
pub struct OutArgs {
    /// Write the changed model to OUT
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Replace the model file, atomically
    #[arg(long, conflicts_with = "output")]
    pub in_place: bool,

    /// Print the changes and write nothing
    #[arg(long, conflicts_with_all = ["output", "in_place"])]
    pub dry_run: bool,

    /// The model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
}

/// Arguments of `broadaxe fix`.
#[derive(Args, Clone, Debug)]
pub struct FixArgs {
    #[command(flatten)]
    pub(crate) targets: TargetArgs,

    #[command(flatten)]
    pub(crate) out: OutArgs,

    /// Do not compute the element-wise nodes before and after the change
    #[arg(long)]
    pub no_verify: bool,

    /// Has no effect: fixes are verified unless `--no-verify` is given
    #[arg(long, hide = true, conflicts_with = "no_verify")]
    pub verify: bool,
}

/// Arguments of `broadaxe upgrade`.
#[derive(Args, Clone, Debug)]
pub struct UpgradeArgs {
    #[command(flatten)]
    pub(crate) out: OutArgs,
}

/// Arguments of `broadaxe census`.
#[derive(Args, Clone, Debug)]
pub struct CensusArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// Model files
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<PathBuf>,
}

/// Arguments of `broadaxe sizes`.
#[derive(Args, Clone, Debug)]
pub struct SizesArgs {
    /// The open dim and the sizes to try, such as height=1..512
    #[arg(long, required = true, value_name = "DIM=LOW..HIGH")]
    pub sweep: String,

    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// The model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
}

/// Arguments of `broadaxe extract`.
#[derive(Args, Clone, Debug)]
pub struct ExtractArgs {
    /// The node, by its name or by the name of one of its outputs
    #[arg(long, required = true, value_name = "NAME")]
    pub node: String,

    /// The file for the model of one node
    #[arg(short, long, required = true, value_name = "OUT.onnx")]
    pub output: PathBuf,

    /// Store the elements of inputs in the new model, not in separate files
    #[arg(long)]
    pub inline: bool,

    /// The seed of the inputs' elements
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,

    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// The model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
}
