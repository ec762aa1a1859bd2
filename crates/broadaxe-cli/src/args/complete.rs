//! Completes words of the command line for a shell: targets, operators, and the nodes of a model.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    path::Path,
    sync::OnceLock,
};

use broadaxe_frameworks as frameworks;
use broadaxe_kernels::{OPS, Op, OpId, Reduction};
use broadaxe_models::{Model, PROFILES, Source, Value, code::CODES, format, report::node_name};
use clap::CommandFactory;
use clap_complete::{CompleteEnv, CompletionCandidate, PathCompleter, engine::ValueCompleter};

use crate::error::{Error, escaped};

/// The variable that a shell's script sets when it asks for completions.
pub(crate) const VARIABLE: &str = "COMPLETE";

/// The most completions of one word.
const MAX_CANDIDATES: usize = 1000;
/// How many files of the command line are looked into.
const MAX_MODELS: usize = 2;

/// The words of the command line that is completed.
static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Answers a shell that asks for completions; says whether one did.
///
/// # Errors
/// When the shell is not known, or the answer cannot be written.
pub(crate) fn answered(args: &[OsString], factory: fn() -> clap::Command) -> Result<bool, Error> {
    if std::env::var_os(VARIABLE).is_none() {
        return Ok(false);
    }
    // A process answers once.
    let _ = WORDS.set(args.to_vec());
    let folder = std::env::current_dir().ok();
    let answered = CompleteEnv::with_factory(factory).var(VARIABLE).try_complete(args, folder.as_deref());
    answered.map_err(|error| Error::usage(format!("cannot complete: {}", error.to_string().trim())))
}

/// Lists the names of targets, without those that the option `--for` has already; behind a `@`, those with a version.
pub(crate) fn target(current: &OsStr) -> Vec<CompletionCandidate> {
    let Some(current) = current.to_str() else { return Vec::new() };
    let given = given("--for");
    let mut named = Vec::new();
    for profile in PROFILES {
        let name = profile.name.replace("<=N", "4");
        let aliases = profile.aliases.iter().map(|alias| (*alias).to_owned());
        let names: Vec<String> = [name].into_iter().chain(aliases).collect();
        if names.iter().any(|name| given.contains(name) && name != current) {
            continue;
        }
        if let Some((name, _)) = current.split_once('@') {
            let is_own = names.iter().any(|own| own.eq_ignore_ascii_case(name));
            let versions = profile.versions.iter().filter(|_| is_own);
            named.extend(versions.map(|version| candidate(&format!("{name}@{version}"), profile.summary)));
        } else {
            named.extend(names.iter().map(|name| candidate(name, profile.summary)));
        }
    }
    named.retain(|candidate| candidate.get_value().to_str().is_some_and(|name| name.starts_with(current)));
    named
}

/// Lists what an option of the command line has before the last comma.
fn given(option: &str) -> Vec<String> {
    let words = WORDS.get().into_iter().flatten().map(|word| word.to_string_lossy().into_owned());
    let (mut given, mut is_value) = (Vec::new(), false);
    for word in words {
        let own = word.strip_prefix(option).and_then(|rest| rest.strip_prefix('='));
        if let Some(list) = own.or_else(|| is_value.then_some(word.as_str())) {
            given.extend(list.rsplit(',').skip(1).map(str::to_owned));
        }
        is_value = word == option;
    }
    given
}

/// Lists the subcommands.
pub(crate) fn subcommands(current: &OsStr) -> Vec<CompletionCandidate> {
    let command = super::Cli::command();
    starting(command.get_subcommands().map(|command| command.get_name().to_owned()).collect(), current)
}

/// Lists finding codes, and files.
pub(crate) fn codes(current: &OsStr) -> Vec<CompletionCandidate> {
    let mut found = starting(CODES.iter().map(|code| code.id.to_owned()).collect(), current);
    found.extend(PathCompleter::any().complete(current));
    found
}

/// Lists the inputs of the model that the command line names.
pub(crate) fn input_shapes(current: &OsStr) -> Vec<CompletionCandidate> {
    let models = models();
    let names = models.iter().flat_map(|model| inputs(model).map(|input| format!("{}:", input.name)));
    starting(names.collect(), current)
}

/// Lists the open dims of the inputs of the model that the command line names.
pub(crate) fn dims(current: &OsStr) -> Vec<CompletionCandidate> {
    let models = models();
    let dims = models.iter().flat_map(inputs).filter_map(|input| input.declared.as_ref()?.dims()).flatten();
    let names = dims.flat_map(|dim| dim.names().into_iter().map(|name| format!("{name}=")));
    starting(names.collect(), current)
}

fn inputs(model: &Model) -> impl Iterator<Item = &Value> {
    model.main().inputs.iter().map(|&input| model.value(input)).filter(|value| value.constant.is_none())
}

/// Lists operators as `broadaxe ops` finds them.
pub(crate) fn operators(current: &OsStr) -> Vec<CompletionCandidate> {
    let elsewhere =
        |op: &Op| OpId::find(op.name()).map(|id| frameworks::names(id).collect::<Vec<_>>()).unwrap_or_default();
    let foreign = OPS.iter().flat_map(|op| elsewhere(op).into_iter().map(|name| name.name.to_owned()));
    let own = OPS.iter().map(|op| op.name().to_owned());
    let reductions = Reduction::EVERY.into_iter().map(|reduction| reduction.name().to_owned());
    starting(own.chain(reductions).chain(foreign).collect(), current)
}

/// Lists the operators of the model that the command line names.
pub(crate) fn model_operators(current: &OsStr) -> Vec<CompletionCandidate> {
    let models = models();
    let names = models.iter().flat_map(|model| model.nodes.iter().map(|node| node.op.clone()));
    starting(names.collect(), current)
}

/// Lists the nodes of the model that the command line names.
pub(crate) fn nodes(current: &OsStr) -> Vec<CompletionCandidate> {
    let models = models();
    let names = models.iter().flat_map(|model| model.walk().into_iter().map(|id| node_name(model, id)));
    starting(names.collect(), current)
}

/// Reads the model files among the words of the command line.
fn models() -> Vec<Model> {
    let files =
        WORDS.get().into_iter().flatten().map(Path::new).filter(|path| path.extension().is_some() && path.is_file());
    let read = |path: &Path| format::read(&Source::open(path).ok()?).ok();
    files.filter_map(read).take(MAX_MODELS).collect()
}

/// Makes candidates of the names that begin so; names that a terminal must not see are left out.
pub(super) fn starting(names: BTreeSet<String>, current: &OsStr) -> Vec<CompletionCandidate> {
    let Some(current) = current.to_str() else { return Vec::new() };
    let fits = |name: &String| name.starts_with(current) && escaped(name) == *name;
    names.into_iter().filter(fits).take(MAX_CANDIDATES).map(CompletionCandidate::new).collect()
}

fn candidate(name: &str, summary: &'static str) -> CompletionCandidate {
    CompletionCandidate::new(name).help(Some(summary.into()))
}
