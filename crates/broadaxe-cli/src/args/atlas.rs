//! Declares the arguments of `broadaxe atlas`.

use std::path::PathBuf;

use broadaxe_atlas::{FORMATS, Format, LEVELS, Level, Pattern};
use broadaxe_shape::Shape;
use clap::{Args, Subcommand, builder::TypedValueParser};

pub(super) const ATLAS_EXAMPLES: &str = "\
Examples:
  broadaxe atlas run --ask './mine'
  broadaxe atlas run --ask 'python adapter.py' --rule numpy --known known.txt
  broadaxe atlas show add-numpy-r2-0034
  broadaxe atlas find --shapes 2,3 3
  broadaxe atlas write --level full -o full.jsonl.gz";

/// Arguments of `broadaxe atlas`.
#[derive(Args, Clone, Debug)]
#[command(disable_help_subcommand = true)]
pub struct AtlasArgs {
    /// What to do
    #[command(subcommand)]
    pub command: AtlasCommand,
}

/// The subcommands of `broadaxe atlas`.
#[derive(Clone, Debug, Subcommand)]
pub enum AtlasCommand {
    /// Ask a program about cases, and report the answers that differ from those of the rule
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Show a case, with a drawing of its broadcast
    #[command(after_help = "Example:\n  broadaxe atlas show add-numpy-r2-0034")]
    Show(ShowArgs),
    /// Find the cases of some shapes, a pattern, or ranks
    #[command(after_help = FIND_EXAMPLES)]
    Find(FindArgs),
    /// Write the cases of a level as JSON Lines
    #[command(after_help = "Example:\n  broadaxe atlas write --level full -o full.jsonl.gz")]
    Write(WriteArgs),
    /// Write a model of one node for each question of a level
    #[command(after_help = "Example:\n  broadaxe atlas models --format onnx -o models")]
    Models(ModelsArgs),
}

const RUN_EXAMPLES: &str = "\
The program reads questions from standard input and writes answers to standard
output, each a line of JSON:

  {\"id\":\"add-numpy-r1-0006:ii\",\"op\":\"add\",\"rule\":\"numpy\",\"dtype\":\"f32\",
   \"operands\":[{\"shape\":[2],\"constant\":false,\"values\":[0,1]},
               {\"shape\":[1],\"constant\":false,\"values\":[0]}],\"shape\":[2]}
  {\"id\":\"add-numpy-r1-0006:ii\",\"shape\":[2],\"values\":[0,1]}

An answer can also have \"reject\": \"why\" in place of a result, where the runtime
rejects the shapes, or \"skip\": \"why\", where it does not support the operator.

A line of the file of known failures is an id, or a pattern with *, and a reason
after #. A question that it names must fail.

Examples:
  broadaxe atlas run --ask './mine'
  broadaxe atlas run --ask './mine' --rule numpy,unidirectional --junit out.xml
  broadaxe atlas run --ask './mine' --write-known known.txt
  broadaxe atlas run --ask './mine' --known known.txt";

const FIND_EXAMPLES: &str = "\
A pattern has a letter for each axis, and 1 for a dim of 1: a1b,cb. Equal letters
are equal sizes. Write () for rank 0.

Examples:
  broadaxe atlas find --shapes 2,3 3
  broadaxe atlas find --pattern ab,b --rule numpy,ncnn
  broadaxe atlas find --ranks 4,2 --family add --rule numpy";

/// Arguments of `broadaxe atlas run`.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// The program to ask, with its arguments
    #[arg(long, value_name = "COMMAND")]
    pub ask: String,

    #[command(flatten)]
    pub(crate) cases: CasesArgs,

    /// Ask only the questions whose id matches this pattern: 'add-numpy-r3-*:ic'
    #[arg(long, value_name = "GLOB")]
    pub only: Option<String>,

    /// Expect the failures that this file lists, and no others
    #[arg(long, value_name = "FILE")]
    pub known: Option<PathBuf>,

    /// Write all failures of this run to FILE, as known failures
    #[arg(long, value_name = "FILE", conflicts_with = "known")]
    pub write_known: Option<PathBuf>,

    /// Write the results to FILE as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// The seconds that the program has for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
}

/// Which cases.
#[derive(Args, Clone, Debug)]
pub(crate) struct CasesArgs {
    /// How many cases: core (494), full (every pattern up to rank 4), deep (ranks 5 to 8)
    #[arg(long, value_name = "LEVEL", default_value = "core", value_parser = level())]
    pub(crate) level: Level,

    /// Only these families of operators: add, sub, sum, select, prelu, expand, gemm
    #[arg(long, value_name = "FAMILIES", value_delimiter = ',')]
    pub(crate) family: Vec<String>,

    /// Only these rules, named as in ids: numpy, ncnn, pdpd1
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub(crate) rule: Vec<String>,
}

fn level() -> impl TypedValueParser<Value = Level> {
    let names = clap::builder::PossibleValuesParser::new(LEVELS.map(|(name, _)| name));
    names.map(|name| LEVELS.into_iter().find(|(level, _)| *level == name).map_or(Level::Core, |(_, level)| level))
}

/// Arguments of `broadaxe atlas show`.
#[derive(Args, Clone, Debug)]
pub struct ShowArgs {
    /// The id of a case or of a question
    #[arg(value_name = "ID")]
    pub id: String,
}

/// Arguments of `broadaxe atlas find`.
#[derive(Args, Clone, Debug)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["shapes", "pattern", "ranks"]))]
pub struct FindArgs {
    /// The cases of these shapes, row-major
    #[arg(long, value_name = "SHAPE", num_args = 1..=3)]
    pub shapes: Vec<Shape>,

    /// The cases of this pattern
    #[arg(long, value_name = "PATTERN")]
    pub pattern: Option<Pattern>,

    /// The cases of operands of these ranks
    #[arg(long, value_name = "RANKS", value_delimiter = ',')]
    pub ranks: Vec<usize>,

    /// Only these families of operators
    #[arg(long, value_name = "FAMILIES", value_delimiter = ',')]
    pub family: Vec<String>,

    /// Only these rules, named as in ids
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub rule: Vec<String>,

    /// List at most N cases
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub limit: usize,
}

/// Arguments of `broadaxe atlas write`.
#[derive(Args, Clone, Debug)]
pub struct WriteArgs {
    #[command(flatten)]
    pub(crate) cases: CasesArgs,

    /// Write to OUT, or to standard output (-); a name that ends in .gz is compressed
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
}

/// Arguments of `broadaxe atlas models`.
#[derive(Args, Clone, Debug)]
pub struct ModelsArgs {
    #[command(flatten)]
    pub(crate) cases: CasesArgs,

    /// The format of the models
    #[arg(long, value_name = "FORMAT", value_parser = format())]
    pub(crate) format: Format,

    /// The folder to write to
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
}

fn format() -> impl TypedValueParser<Value = Format> {
    let names = clap::builder::PossibleValuesParser::new(FORMATS.iter().map(|format| format.name()));
    names.try_map(|name| name.parse::<Format>())
}
