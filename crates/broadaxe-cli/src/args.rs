//! Declares the command line.

mod atlas;
pub(crate) mod complete;
mod model;

use std::path::PathBuf;

use broadaxe_session::request::{CompareRequest, ExplainRequest, RuleRequest, ShapeRequest};
use broadaxe_shape::RULES;
use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, Styles, styling::AnsiColor},
};
use clap_complete::ArgValueCompleter;

pub(crate) use self::atlas::CasesArgs;
pub use self::atlas::{AtlasArgs, AtlasCommand, FindArgs, ModelsArgs, RunArgs, ShowArgs, WriteArgs};
pub use self::model::{
    AcceptArgs, AskArgs, CensusArgs, CheckArgs, DiffArgs, ExtractArgs, FixArgs, InputArgs, ListArgs, OutArgs,
    ReportFile, ReportFormat, SizesArgs, TargetArgs, TargetsArgs, UpgradeArgs,
};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Find and fix broadcasts that silently change meaning between runtimes.
///
/// Finds the nodes of a model whose results differ on another runtime, shows values that differ, and fixes the model. Compares the broadcasting rules of NumPy, ONNX, OpenVINO, Paddle and ncnn, and evaluates expressions over
/// array files under any of them.
#[derive(Debug, Parser)]
#[command(name = "broadaxe", bin_name = "broadaxe", version, styles = STYLES, after_long_help = EXAMPLES, after_help = SHORT_EXAMPLES)]
pub struct Cli {
    /// When to print colours; for `auto` also the variables `NO_COLOR` and `FORCE_COLOR` decide
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorWhen,

    /// Print results and errors as JSON
    #[arg(long, global = true)]
    pub json: bool,

    /// With --version: print the commit, the target, the CPU level and the engines behind the verdicts
    #[arg(long, requires = "version")]
    pub verbose: bool,

    /// The subcommand
    #[command(subcommand)]
    pub command: Command,
}

const SHORT_EXAMPLES: &str = "\
Examples:
  broadaxe check model.onnx --for openvino,ncnn
  broadaxe fix model.onnx --for openvino,ncnn -o fixed.onnx
  broadaxe shape 2,3,4 3,1
  broadaxe compare 2,2 2
  broadaxe eval '(x - m) / s' x=image.npy m=mean.npy s=std.npy -o out.npy";

const EXAMPLES: &str = "\
Examples:
  check and fix a model
    broadaxe check model.onnx --for openvino,ncnn
    broadaxe fix model.onnx --for openvino,ncnn -o fixed.onnx
  broadcast two shapes as NumPy does, and as OpenVINO's PDPD does
    broadaxe shape 2,3,4 3,1
    broadaxe shape --rule pdpd --axis 1 2,3,4,5 3,4
  broadcast dims that are names, unknown or ranges
    broadaxe shape n,1,4 3,?,2..9
  compare the rules of frameworks, with values
    broadaxe compare 2,2 2
  draw how a broadcast is computed
    broadaxe explain 8,1,6,1 7,1,5
  compute an expression; without -o, print a preview of the result
    broadaxe eval 'a + b' a=a.npy b=b.npy -o out.npy
    broadaxe eval 'maximum(x, 0)' x=model.safetensors:bias
  list all rules and operators
    broadaxe rules
    broadaxe ops

Write shapes as 2,3,4 or (2, 3, 4), slowest axis first; () is a scalar.
Only 'shape --rule ncnn' reads them as ncnn writes them, fastest axis first.

Exit code:
  0  success, and no findings
  1  findings; shapes do not broadcast; an element is invalid
  2  wrong usage; a file cannot be read or written";

/// When colours are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// In a terminal
    #[default]
    Auto,
    /// Also into files and pipes
    Always,
    /// Not at all
    Never,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find the nodes whose results differ on another runtime, with values that show it
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Change a model as little as possible so that it computes the same on other runtimes
    #[command(after_help = FIX_EXAMPLES)]
    Fix(FixArgs),
    /// Convert an ONNX model from before opset 7 to opset 7, with explicit broadcasts
    #[command(after_help = "Example:\n  broadaxe upgrade old.onnx -o new.onnx")]
    Upgrade(UpgradeArgs),
    /// List the nodes of a model with their shapes, and the verdicts for runtimes
    #[command(after_help = LIST_EXAMPLES)]
    List(ListArgs),
    /// Compare what the element-wise nodes of two models mean
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(DiffArgs),
    /// Count the broadcasting nodes of models by operator and by how they broadcast
    #[command(after_help = "Example:\n  broadaxe census model.onnx other.xml")]
    Census(CensusArgs),
    /// Find the sizes of an open dim that a model accepts, and those it accepts only because a dim became 1
    #[command(after_help = "Example:\n  broadaxe sizes model.onnx --sweep height=1..512")]
    Sizes(SizesArgs),
    /// Write one node as a model of its own, for example for a bug report
    #[command(after_help = EXTRACT_EXAMPLES)]
    Extract(ExtractArgs),
    /// List the runtimes that models can be checked for
    #[command(after_help = "Examples:\n  broadaxe targets\n  broadaxe targets litert-gpu")]
    Targets(TargetsArgs),
    /// Print a JSON schema: of the report of `check --format json`, or of broadaxe.toml
    #[command(after_help = "Examples:\n  broadaxe schema\n  broadaxe schema config > broadaxe.schema.json")]
    Schema(SchemaArgs),
    /// List the broadcast rules
    #[command(after_help = "Examples:\n  broadaxe rules\n  broadaxe rules pdpd")]
    Rules(RulesArgs),
    /// List the operators and reductions, with dtypes and the names in frameworks
    Ops(OpsArgs),
    /// Broadcast shapes under a rule
    #[command(after_help = SHAPE_EXAMPLES)]
    Shape(ShapeArgs),
    /// Broadcast the same shapes under every rule, and show where two rules differ
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// Draw how shapes are aligned, what repeats, and which loops compute the result; or explain a finding code
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// List the arrays of files: .npy, .npz, .safetensors, or the constants of a model
    #[command(after_help = "Example:\n  broadaxe ls model.safetensors layer.npz")]
    Ls(LsArgs),
    /// Compute an expression over array files
    #[command(after_help = EVAL_EXAMPLES, after_long_help = EVAL_LONG)]
    Eval(EvalArgs),
    /// Write the page of the browser, for shapes and models, as one HTML file that works offline
    #[command(after_help = "Example:\n  broadaxe page -o page.html")]
    Page(PageArgs),
    /// Test a runtime with cases that cover every way in which shapes broadcast
    #[command(after_help = atlas::ATLAS_EXAMPLES)]
    Atlas(AtlasArgs),
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page, or write them all
    #[command(after_help = MAN_EXAMPLES)]
    Man(ManArgs),
}

const MAN_EXAMPLES: &str = "\
Examples:
  broadaxe man check | man -l -
  broadaxe man --dir ~/.local/share/man/man1";

const CHECK_EXAMPLES: &str = "\
Examples:
  unsupported and unknown nodes pass, or fail
    broadaxe check model.onnx --for openvino,ncnn
    broadaxe check model.onnx --for openvino,ncnn \\
      --fail-on differs,refused,guarded,unsupported,unknown

  broadaxe check model.onnx --for ncnn --input-shape image:1,3,224,224
  broadaxe check *.onnx --for openvino --quiet       one line per model
  broadaxe check model.xml --for onnx --output sarif=findings.sarif
  broadaxe check model.onnx --output html=report.html    a page to attach
  broadaxe check --skip-others models/*              other files are skipped";

const LIST_EXAMPLES: &str = "\
Examples:
  broadaxe list model.onnx --op PRelu
  broadaxe list model.onnx --op '*pool*' --all
  broadaxe list model.onnx --node '/layer1/*' --op Mul,Add
  broadaxe list model.onnx --for openvino,ncnn --verdict differs,refused";

const DIFF_EXAMPLES: &str = "\
Nodes are matched by their names, then by the names of their first outputs, and
those left over by their order if both models have the same operators left. Two
nodes mean the same if they apply the same function to the same elements of the
same tensors. Reshapes and stretches between a node and a tensor are looked
through. What cannot be proven to mean the same counts as changed. Other nodes
and the numbers of constants are not compared.

The exit code is 0 if all element-wise nodes mean the same, and 1 otherwise.

Example:
  broadaxe diff model.onnx fixed.onnx";

const COMPLETIONS_EXAMPLES: &str = "\
The script asks the command for completions: of targets, rules, operators, and
the nodes of a model on the command line. Load it whenever the shell starts, so
that it always fits the command.

Examples:
  echo 'source <(broadaxe completions bash)' >> ~/.bashrc
  echo 'source <(broadaxe completions zsh)' >> ~/.zshrc
  echo 'broadaxe completions fish | source' > ~/.config/fish/completions/broadaxe.fish";

const FIX_EXAMPLES: &str = "\
Examples:
  broadaxe fix model.onnx --for openvino,ncnn -o fixed.onnx
  broadaxe fix model.onnx --for equal-rank --dry-run";

const EXTRACT_EXAMPLES: &str = "\
Constants keep their elements. The other inputs get random elements, which are
not those of a finding. The result is computed from them by the definition of
ONNX; only element-wise nodes are computed.

Example:
  broadaxe extract model.onnx --node /layer1/PRelu -o one_node.onnx";

const SHAPE_EXAMPLES: &str = "\
Examples:
  broadaxe shape 2,3,4 3,1
  broadaxe shape --rule pdpd --axis 1 2,3,4,5 3,4
  broadaxe shape --rule explicit --axes 1,2 --target 1,50,50,16 50,50
  broadaxe shape --rule ncnn 2,3,4 3,4      as ncnn writes it: w,h,c
  broadaxe shape n,1,4 3,?,2..9             unknown dims";

const COMPARE_EXAMPLES: &str = "\
Write shapes in row-major order (slowest axis first), also for ncnn.
Rules with the same number in the column 'meaning' read the same elements; a
rule with - rejects the shapes. 'broadaxe rules NAME' says what a rule does.

Examples:
  broadaxe compare 2,2 2
  broadaxe compare n,n n                    unknown dims
  broadaxe compare 2,4,4 4 --json";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  broadaxe explain 8,1,6,1 7,1,5
  broadaxe explain --rule pdpd --axis 1 2,3,4,5 3,4 --dtype f16
  broadaxe explain n,1,4 3,1                unknown dims
  broadaxe explain model.onnx --node /layer1/Add";

const EVAL_EXAMPLES: &str = "\
Examples:
  broadaxe eval '(x - m) / s' x=image.npy m=mean.npy s=std.npy -o out.npy
  broadaxe eval 'x + b' --rule pdpd --axis 1 x=net.npz:x b=net.npz:bias
  broadaxe eval 'max(x, low)' x=x.npy low=0.5 --stats
  broadaxe eval 'sum((a - b)**2, axis=-1)' a=a.npy b=b.npy";

const EVAL_LONG: &str = "\
Examples:
  broadaxe eval '(x - m) / s' x=image.npy m=mean.npy s=std.npy -o out.npy
  broadaxe eval 'x + b' --rule pdpd --axis 1 x=net.npz:x b=net.npz:bias
  broadaxe eval 'max(x, low)' x=x.npy low=0.5 --stats
  broadaxe eval 'sum((a - b)**2, axis=-1)' a=a.npy b=b.npy

sum, mean, prod, max, min, any, all, argmax and argmin of one array reduce all
its axes, or some: axis=0, axis=[0, 1]. keepdims=True keeps them as 1.
The reduced array is never stored.

Names are arrays or numbers:
  a=a.npy                   a NumPy array
  a=all.npz:key             one of several; the key is optional for a single one
  a=model.safetensors:key   a tensor
  a=model.onnx:key          a constant of a model; 'broadaxe ls' lists them
  a=0.5                     a number, with the dtype of the arrays

Files are checked strictly: truncated or oversized files, wrong headers and
pickled objects are errors that name the field and the byte. The output file is
written atomically, and may be one of the inputs.

-o OUT.npz:KEY and -o OUT.safetensors:KEY add an array to an existing file, or
replace the array of this name, and keep the other arrays. Without KEY, the name
is 'result', and a file with other arrays is an error, not replaced.

'broadaxe ops' lists the operators that expressions can call by name.";

/// Chooses a rule and its parameters.
#[derive(Args, Clone, Debug)]
pub struct RuleArgs {
    /// The broadcast rule; `broadaxe rules` explains each
    #[arg(long, value_name = "RULE", default_value = "numpy", hide_possible_values = true, value_parser = rule_names())]
    pub rule: String,

    /// The axis that the first axis of the smaller operand is aligned with (pdpd, paddle, ...)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub axis: Option<i64>,

    /// The axes that the axes of the operand are aligned with, such as 0,2 (explicit)
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub axes: Option<String>,

    /// The shape to broadcast to (bidirectional, broadcast-to, explicit)
    #[arg(long, value_name = "SHAPE", allow_hyphen_values = true)]
    pub target: Option<String>,

    /// The mode of a rule that has several
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
}

/// The names and aliases of all rules, for errors and completions.
fn rule_names() -> PossibleValuesParser {
    let values = RULES.iter().map(|def| PossibleValue::new(def.name).aliases(def.aliases).help(def.summary));
    PossibleValuesParser::new(values)
}

impl RuleArgs {
    /// Returns what requests are given.
    pub(crate) fn request(&self) -> RuleRequest {
        let Self { rule, axis, axes, target, mode } = self.clone();
        RuleRequest { rule, axis, axes, target, mode }
    }
}

/// Arguments of `broadaxe man`.
#[derive(Args, Clone, Debug)]
pub struct ManArgs {
    /// Write the pages of the command and of all subcommands to DIR, which must exist
    #[arg(long, value_name = "DIR", conflicts_with = "subcommand")]
    pub dir: Option<PathBuf>,

    /// The subcommand to print the page of; without it, that of the command
    #[arg(value_name = "SUBCOMMAND", add = ArgValueCompleter::new(complete::subcommands))]
    pub subcommand: Option<String>,
}

/// Arguments of `broadaxe ops`.
#[derive(Args, Clone, Debug)]
pub struct OpsArgs {
    /// Filter by a part of the name in Broadaxe or in a framework
    #[arg(add = ArgValueCompleter::new(complete::operators))]
    pub part: Option<String>,
}

/// Arguments of `broadaxe ls`.
#[derive(Args, Clone, Debug)]
pub struct LsArgs {
    /// Array files and model files
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// How the drawing of an answer is written.
#[derive(Args, Clone, Debug, Default)]
pub struct PictureArgs {
    /// Draw as SVG into FILE, or to standard output (-)
    #[arg(long, value_name = "FILE", help_heading = "Drawing")]
    pub svg: Option<PathBuf>,

    /// Draw as PNG into FILE
    #[arg(long, value_name = "FILE", help_heading = "Drawing")]
    pub png: Option<PathBuf>,

    /// Print the drawing as HTML
    #[arg(long, conflicts_with_all = ["markdown", "json"], help_heading = "Drawing")]
    pub html: bool,

    /// Print the drawing as a Markdown table
    #[arg(long, conflicts_with = "json", help_heading = "Drawing")]
    pub markdown: bool,

    /// The colours of SVG, PNG and HTML [default: those of the viewer; for PNG light]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "light|dark|print", help_heading = "Drawing")]
    pub theme: Option<Colours>,

    /// Draw three steps in SVG, PNG and HTML: align, pad, stretch
    #[arg(long, help_heading = "Drawing")]
    pub steps: bool,
}

/// The colours of a picture.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// Dark on white.
    Light,
    /// Light on black.
    Dark,
    /// Black on white, without any other colour.
    Print,
}

impl std::str::FromStr for Colours {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let wrong = |_| format!("'{name}' is not a theme; the themes are light, dark and print");
        <Self as clap::ValueEnum>::from_str(name, false).map_err(wrong)
    }
}

impl PictureArgs {
    /// Returns whether a picture is asked for.
    pub fn is_asked(&self) -> bool {
        self.svg.is_some() || self.png.is_some() || self.html || self.markdown
    }
}

/// Arguments of `broadaxe shape`.
#[derive(Args, Clone, Debug)]
pub struct ShapeArgs {
    #[command(flatten)]
    pub(crate) rule: RuleArgs,

    /// Read and print shapes in row-major order under --rule ncnn too
    #[arg(long)]
    pub row_major: bool,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,

    /// Shapes: 2,3,4 or () or n,3 or ?,4 or 2..9
    #[arg(required = true, value_name = "SHAPE")]
    pub shapes: Vec<String>,
}

impl ShapeArgs {
    /// Returns the request.
    pub(crate) fn request(&self) -> ShapeRequest {
        ShapeRequest { rule: self.rule.request(), row_major: self.row_major, shapes: self.shapes.clone() }
    }
}

/// Arguments of `broadaxe eval`.
#[derive(Args, Clone, Debug)]
pub struct EvalArgs {
    #[command(flatten)]
    pub(crate) rule: RuleArgs,

    /// Write the result to OUT (.npy, .npz, .safetensors, .csv), to OUT:KEY, or as .npy to standard output (-)
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<String>,

    /// Print shape, dtype, plan, time and bytes per second
    #[arg(long)]
    pub stats: bool,

    /// The memory limit for operands and result, such as 2GiB [default: three quarters of the machine's]; mapped files do not count
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub max_bytes: Option<String>,

    /// The number of threads [default: one per CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// The expression, such as '(a - b) * exp(c)'
    #[arg(allow_hyphen_values = true, value_name = "EXPR")]
    pub expression: String,

    /// The arrays and numbers that the names refer to
    #[arg(value_name = "NAME=FILE|NUMBER")]
    pub bindings: Vec<String>,
}

/// Arguments of `broadaxe schema`.
#[derive(Args, Clone, Debug)]
pub struct SchemaArgs {
    /// Of what
    #[arg(value_enum, default_value_t, value_name = "WHAT")]
    pub what: SchemaOf,
}

/// What has a JSON schema.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchemaOf {
    /// The report of `check --format json`
    #[default]
    Report,
    /// broadaxe.toml, and the table tool.broadaxe of pyproject.toml
    Config,
}

/// Arguments of `broadaxe page`.
#[derive(Args, Clone, Debug)]
pub struct PageArgs {
    /// Write the page to OUT, or to standard output (-)
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
}

/// Arguments of `broadaxe rules`.
#[derive(Args, Clone, Debug)]
pub struct RulesArgs {
    /// Show these rules only, with the source of each
    #[arg(value_name = "RULE")]
    pub names: Vec<String>,
}

/// Arguments of `broadaxe compare`.
#[derive(Args, Clone, Debug)]
pub struct CompareArgs {
    #[command(flatten)]
    pub(crate) picture: PictureArgs,

    /// Shapes, row-major: 2,3,4 or () or n,3
    #[arg(required = true, value_name = "SHAPE")]
    pub shapes: Vec<String>,
}

impl CompareArgs {
    /// Returns the request.
    pub(crate) fn request(&self) -> CompareRequest {
        CompareRequest { shapes: self.shapes.clone() }
    }
}

/// Arguments of `broadaxe explain`.
#[derive(Args, Clone, Debug)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub(crate) rule: RuleArgs,

    /// The dtype of the operands, for sizes in bytes: one for all or one for each
    #[arg(long = "dtype", value_name = "DTYPE,...", value_delimiter = ',', default_value = "f32")]
    pub dtypes: Vec<String>,

    /// Explain a node of a model: its name, the name of an output, its number as #452, or a pattern such as '*/Add'
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with_all = ["rule", "axis", "axes", "target", "mode"],
        add = ArgValueCompleter::new(complete::nodes)
    )]
    pub node: Option<String>,

    #[command(flatten)]
    pub(crate) inputs: InputArgs,

    /// Also print how the loops are divided into units of work
    #[arg(long)]
    pub plan: bool,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,

    /// Shapes, row-major: 2,3,4 or () or n,3; with --node the model file; or a finding code such as BX101
    #[arg(required = true, value_name = "SHAPE|MODEL|CODE", add = ArgValueCompleter::new(complete::codes))]
    pub shapes: Vec<String>,
}

impl ExplainArgs {
    /// Returns the request.
    pub(crate) fn request(&self) -> ExplainRequest {
        ExplainRequest {
            rule: self.rule.request(),
            dtypes: self.dtypes.clone(),
            node: self.node.clone(),
            input_shapes: self.inputs.inputs(),
            shapes: self.shapes.clone(),
        }
    }
}
