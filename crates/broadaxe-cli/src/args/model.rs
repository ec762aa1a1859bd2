//! Declares the arguments of the subcommands that read model files.

use std::{
    ffi::OsStr,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    str::FromStr,
};

use broadaxe_session::request::{
    AskRequest, CensusRequest, CheckRequest, Config, DiffRequest, ExtractRequest, FailOn, FixRequest, Inputs,
    ListRequest, Out, SizesRequest, UpgradeRequest,
};
use clap::{Args, ValueEnum};
use clap_complete::{ArgValueCompleter, CompletionCandidate, PathCompleter, engine::ValueCompleter};

use super::complete;

/// Names the targets and fixes what the model leaves open.
#[derive(Args, Clone, Debug)]
pub struct TargetArgs {
    /// The runtimes to check for; `broadaxe targets` explains each [default: onnx,openvino,ncnn; litert,litert-gpu for TFLite]
    #[arg(
        long = "for",
        value_name = "TARGET,...",
        value_delimiter = ',',
        add = ArgValueCompleter::new(complete::target)
    )]
    pub targets: Vec<String>,

    #[command(flatten)]
    pub(crate) inputs: InputArgs,
}

/// Arguments of `broadaxe targets`.
#[derive(Args, Clone, Debug)]
pub struct TargetsArgs {
    /// Show these targets only, with what is known of each
    #[arg(value_name = "TARGET", add = ArgValueCompleter::new(complete::target))]
    pub names: Vec<String>,
}

/// Fixes the shapes of inputs that the model leaves open.
#[derive(Args, Clone, Debug, Default)]
pub struct InputArgs {
    /// The shape of an input, such as image:1,3,224,224 (dims can be names or ?)
    #[arg(long = "input-shape", value_name = "NAME:SHAPE", add = ArgValueCompleter::new(complete::input_shapes))]
    pub input_shapes: Vec<String>,
}

impl InputArgs {
    /// Returns what requests are given.
    pub(crate) fn inputs(&self) -> Inputs {
        Inputs::new(&self.input_shapes)
    }
}

/// Chooses the configuration of a project.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ConfigArgs {
    /// Read settings from FILE [default: broadaxe.toml, or pyproject.toml with a table tool.broadaxe, in this folder or one above it]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Ignore configuration files
    #[arg(long, conflicts_with = "config")]
    pub no_config: bool,
}

impl ConfigArgs {
    /// Returns what requests are given.
    fn config(&self) -> Config {
        match &self.config {
            _ if self.no_config => Config::None,
            Some(path) => Config::File(path.clone()),
            None => Config::Find,
        }
    }
}

/// Chooses the findings that do not fail.
#[derive(Args, Clone, Debug, Default)]
pub struct AcceptArgs {
    /// End with exit code 0 whatever is found; a file that cannot be read is still an error
    #[arg(long)]
    pub exit_zero: bool,

    /// Findings that FILE lists do not fail
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// List the findings that fail in FILE, for `--baseline`
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
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
    /// For continuous integration: test results in JUnit XML
    Junit,
    /// For comments and issues: Markdown
    Markdown,
    /// For people without a terminal: a page, in one file
    Html,
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
        let (format, path) = split.ok_or_else(|| format!("write FORMAT=FILE, such as {}", likely(text)))?;
        let formats = ReportFormat::value_variants().iter().filter_map(ReportFormat::to_possible_value);
        let names: Vec<String> = formats.map(|value| value.get_name().to_owned()).collect();
        let format = ReportFormat::from_str(format, false)
            .map_err(|_| format!("'{format}' is not a format; the formats are {}", names.join(", ")))?;
        Ok(Self { format, path: path.into() })
    }
}

/// Puts the format in front of the name of a file that was given without one.
fn likely(file: &str) -> String {
    let extension = Path::new(file).extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    let format = match extension.as_str() {
        "html" | "htm" => "html",
        "json" => "json",
        "md" => "markdown",
        "sarif" => "sarif",
        "xml" => "junit",
        _ => return "sarif=findings.sarif".to_owned(),
    };
    format!("{format}={file}")
}

/// Lists the formats of reports, and files behind a format.
fn reports(current: &OsStr) -> Vec<CompletionCandidate> {
    let Some((format, path)) = current.to_str().and_then(|text| text.split_once('=')) else {
        let formats = ReportFormat::value_variants().iter().filter_map(ReportFormat::to_possible_value);
        return complete::starting(formats.map(|format| format!("{}=", format.get_name())).collect(), current);
    };
    let files = PathCompleter::any().complete(OsStr::new(path));
    files.into_iter().map(|file| file.add_prefix(format!("{format}="))).collect()
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

    /// Ask about each node alone, with numbers of its own, not about the model as a whole
    #[arg(long, requires = "ask")]
    pub ask_nodes: bool,

    /// Write what an engine computes wrongly as small models into DIR, with the inputs and the right result
    #[arg(long, value_name = "DIR", requires = "ask", conflicts_with = "ask_nodes")]
    pub ask_save: Option<PathBuf>,

    /// Time limit for a model, or with --ask-nodes for one question
    #[arg(long, value_name = "SECONDS", requires = "ask", default_value_t = 60, value_parser = clap::value_parser!(u64).range(AskRequest::SECONDS))]
    pub ask_seconds: u64,
}

impl AskArgs {
    /// Returns what is asked; nothing where no engine is named.
    fn request(&self, no_cache: bool) -> Option<AskRequest> {
        let request = AskRequest {
            engines: self.ask.clone(),
            folders: self.engines.clone(),
            again: self.ask_again,
            nodes: self.ask_nodes,
            save: self.ask_save.clone(),
            seconds: self.ask_seconds,
            no_cache,
        };
        Some(request).filter(|request| !request.engines.is_empty())
    }
}

/// Says how the work on several models is done.
#[derive(Args, Clone, Debug)]
pub(crate) struct WorkArgs {
    /// How many models are checked at a time; by default one per core
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,

    /// Check also unchanged models, and keep no results
    #[arg(long)]
    pub no_cache: bool,
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
    #[arg(long = "output", value_name = "FORMAT=FILE", add = ArgValueCompleter::new(reports))]
    pub outputs: Vec<ReportFile>,

    /// Skip files that are not models, such as other .json and .xml files, with a note
    #[arg(long)]
    pub skip_others: bool,

    /// Print one line per model
    #[arg(short, long)]
    pub quiet: bool,

    /// Print all groups and names, also of unknown and unsupported nodes
    #[arg(short, long, conflicts_with = "quiet")]
    pub all: bool,

    /// Print only a table that counts the findings by kind and target
    #[arg(long, conflicts_with_all = ["quiet", "format"])]
    pub statistics: bool,

    /// Check again when a model or the configuration changes; Ctrl-C ends it
    #[arg(long)]
    pub watch: bool,

    /// The verdicts that end with exit code 1; add unsupported and unknown to fail on those too [default: differs,refused,guarded]
    #[arg(long, value_enum, value_name = "VERDICT,...", value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,

    #[command(flatten)]
    pub(crate) accept: AcceptArgs,

    #[command(flatten)]
    pub(crate) config: ConfigArgs,

    #[command(flatten)]
    pub(crate) asking: AskArgs,

    #[command(flatten)]
    pub(crate) work: WorkArgs,

    /// Models (.onnx, .xml, .param, .tflite, .json, .pdmodel, .litertlm; also .gz), folders, patterns such as 'models/*.onnx', or - for standard input
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<PathBuf>,
}

impl CheckArgs {
    /// Returns the request.
    pub(crate) fn request(&self) -> CheckRequest {
        CheckRequest {
            models: self.models.clone(),
            search: true,
            skip_others: self.skip_others,
            targets: self.targets.targets.clone(),
            ask: self.asking.request(self.work.no_cache),
            input_shapes: self.targets.inputs.inputs(),
            fail_on: self.fail_on.clone(),
            exit_zero: self.accept.exit_zero,
            config: self.config.config(),
            baseline: self.accept.baseline.clone(),
            write_baseline: self.accept.write_baseline.clone(),
            repairs: !self.quiet,
            jobs: self.work.jobs,
            program: None,
        }
    }
}

/// Where a changed model goes.
#[derive(Args, Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct OutArgs {
    /// Write the changed model to OUT, which ends as MODEL does; with `.gz` at the end, it is compressed
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Replace the model file, atomically
    #[arg(long, conflicts_with = "output")]
    pub in_place: bool,

    /// Print the changes and write nothing
    #[arg(long, conflicts_with_all = ["output", "in_place"])]
    pub dry_run: bool,

    /// Do not compute the element-wise nodes before and after the change
    #[arg(long)]
    pub no_verify: bool,

    /// Print how many changes there are, without a table of them
    #[arg(short, long)]
    pub quiet: bool,

    /// The model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
}

impl OutArgs {
    fn out(&self) -> Out {
        match &self.output {
            _ if self.dry_run => Out::Nowhere,
            _ if self.in_place => Out::InPlace,
            Some(path) => Out::File(path.clone()),
            None => Out::Unnamed,
        }
    }
}

/// Arguments of `broadaxe fix`.
#[derive(Args, Clone, Debug)]
pub struct FixArgs {
    #[command(flatten)]
    pub(crate) targets: TargetArgs,

    #[command(flatten)]
    pub(crate) config: ConfigArgs,

    #[command(flatten)]
    pub(crate) out: OutArgs,

    #[command(flatten)]
    pub(crate) asking: AskArgs,

    /// What operands are meant for that can be read in several ways: `channels` for lists of one number per channel, such as slopes
    #[arg(long, value_name = "MEANING", value_parser = ["channels"])]
    pub intend: Option<String>,

    /// Has no effect: fixes are verified unless `--no-verify` is given
    #[arg(long, hide = true, conflicts_with = "no_verify")]
    pub verify: bool,
}

impl FixArgs {
    /// Returns the request.
    pub(crate) fn request(&self) -> FixRequest {
        FixRequest {
            model: self.out.model.clone(),
            targets: self.targets.targets.clone(),
            input_shapes: self.targets.inputs.inputs(),
            config: self.config.config(),
            ask: self.asking.request(false),
            intend: self.intend.clone(),
            out: self.out.out(),
            no_verify: self.out.no_verify,
        }
    }
}

/// Arguments of `broadaxe upgrade`.
#[derive(Args, Clone, Debug)]
pub struct UpgradeArgs {
    #[command(flatten)]
    pub(crate) out: OutArgs,
}

impl UpgradeArgs {
    /// Returns the request.
    pub(crate) fn request(&self) -> UpgradeRequest {
        let OutArgs { model, no_verify, .. } = &self.out;
        UpgradeRequest { model: model.clone(), out: self.out.out(), no_verify: *no_verify }
    }
}

/// Arguments of `broadaxe census`.
#[derive(Args, Clone, Debug)]
pub struct CensusArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// Models, folders, patterns such as 'models/*.onnx', or - for standard input
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<PathBuf>,
}

impl CensusArgs {
    /// Returns the request.
    pub(crate) fn request(&self) -> CensusRequest {
        CensusRequest { models: self.models.clone(), search: true, input_shapes: self.inputs.inputs() }
    }
}

/// Arguments of `broadaxe sizes`.
#[derive(Args, Clone, Debug)]
pub struct SizesArgs {
    /// The open dim and the sizes to try, such as height=1..512
    #[arg(long, required = true, value_name = "DIM=LOW..HIGH", add = ArgValueCompleter::new(complete::dims))]
    pub sweep: String,

    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// The model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
}

impl SizesArgs {
    /// Returns the request.
    pub(crate) fn request(&self) -> SizesRequest {
        SizesRequest { model: self.model.clone(), sweep: self.sweep.clone(), input_shapes: self.inputs.inputs() }
    }
}

/// Arguments of `broadaxe list`.
#[derive(Args, Clone, Debug)]
pub struct ListArgs {
    /// Only nodes of these operators, in upper or lower case; * and ? stand for any characters
    #[arg(
        long = "op",
        value_name = "PATTERN,...",
        value_delimiter = ',',
        add = ArgValueCompleter::new(complete::model_operators)
    )]
    pub ops: Vec<String>,

    /// Only the nodes with this name, output or number (#452), or those that a pattern such as '*/Add' matches
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(complete::nodes))]
    pub node: Option<String>,

    /// Add a column with the verdict for each of these runtimes; `broadaxe targets` explains each
    #[arg(long = "for", value_name = "TARGET,...", value_delimiter = ',', add = ArgValueCompleter::new(complete::target))]
    pub targets: Vec<String>,

    /// Only nodes with one of these verdicts for one of the runtimes [--for then has the same default as in `check`]
    #[arg(
        long = "verdict",
        value_name = "VERDICT,...",
        value_delimiter = ',',
        value_parser = ["same", "differs", "refused", "guarded", "unsupported", "unknown"]
    )]
    pub verdicts: Vec<String>,

    /// List nodes that do not broadcast too
    #[arg(short, long)]
    pub all: bool,

    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// The model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
}

impl ListArgs {
    /// Returns the request.
    pub(crate) fn request(&self) -> ListRequest {
        ListRequest {
            model: self.model.clone(),
            ops: self.ops.clone(),
            node: self.node.clone(),
            targets: self.targets.clone(),
            verdicts: self.verdicts.clone(),
            all: self.all,
            input_shapes: self.inputs.inputs(),
        }
    }
}

/// Arguments of `broadaxe diff`.
#[derive(Args, Clone, Debug)]
pub struct DiffArgs {
    /// List also the nodes that are written differently and mean the same
    #[arg(short, long)]
    pub all: bool,

    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// The model file to compare
    #[arg(value_name = "A")]
    pub a: PathBuf,

    /// The model file to compare it with
    #[arg(value_name = "B")]
    pub b: PathBuf,
}

impl DiffArgs {
    /// Returns the request.
    pub(crate) fn request(&self) -> DiffRequest {
        DiffRequest { a: self.a.clone(), b: self.b.clone(), input_shapes: self.inputs.inputs() }
    }
}

/// Arguments of `broadaxe extract`.
#[derive(Args, Clone, Debug)]
pub struct ExtractArgs {
    /// The node: its name, the name of an output, its number as #452, or a pattern such as '*/act'
    #[arg(long, required = true, value_name = "NAME", add = ArgValueCompleter::new(complete::nodes))]
    pub node: String,

    /// The file for the model of one node; its inputs go to OUT.0.npy, OUT.1.npy and so on, and its result to OUT.out.npy
    #[arg(short, long, required = true, value_name = "OUT.onnx")]
    pub output: PathBuf,

    /// Store the elements of inputs in the new model, not in separate files
    #[arg(long)]
    pub inline: bool,

    /// The seed of the inputs' elements: multiples of 1/16 from -4 to 4, or whole numbers from 1 to 7
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,

    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// The model file; only ONNX models have nodes that can be extracted
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
}

impl ExtractArgs {
    /// Returns the request.
    pub fn request(&self) -> ExtractRequest {
        ExtractRequest {
            model: self.model.clone(),
            node: self.node.clone(),
            inline: self.inline,
            seed: self.seed,
            output: Some(self.output.clone()),
            input_shapes: self.inputs.inputs(),
        }
    }
}
