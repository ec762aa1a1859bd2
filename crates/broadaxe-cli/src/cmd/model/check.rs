//! `broadaxe check`: checks what a model's broadcasts mean on other runtimes.

use std::{
    env,
    io::{BufWriter, Write},
};

use broadaxe_models::{
    Target,
    profiles::{Law, PROFILES, Profile},
    report::Shown,
};
use broadaxe_session::{
    check::{Check, Findings},
    inputs::Unusable,
    request::CheckRequest,
    stamp::Stamp,
};
use serde_json::{Value, json};

use super::{
    Open, open,
    progress::Progress,
    report::{Asked, CheckReport, ModelText, View, left_out, report},
};
use crate::{
    answer::{Answer, Checked, Json, Report, table, write_texts},
    args::{CheckArgs, ReportFormat, SchemaOf, TargetsArgs},
    error::Error,
    file::write::Whole,
    terminal, tips,
};

/// Answers a request with the report that the command prints without options.
///
/// # Errors
/// When a target is unknown, or an argument is malformed.
pub(super) fn told(request: &CheckRequest, shown: Shown, open: Open<'_>) -> Result<Answer, Error> {
    let check = Check::new(request)?;
    let (inputs, format) = (check.inputs(), ReportFormat::default());
    let is_batch = inputs.len() > 1;
    let Findings { mut found, asked, fails, unusable, skipped } = check.run(inputs, open, &());
    check.write_baseline(&mut found)?;
    let view = View { shown, accepted: "", is_batch, quiet: false };
    let texts = texts(&check, &found, asked, (format, view));
    let mut text = String::new();
    let _ = report(&mut text, format, &found, &texts, shown);
    let errors = unusable.into_iter().map(|one| *one.error).collect();
    let notes = skipped.into_iter().chain(found.notes.iter().cloned()).collect();
    let answer = Answer::judged(text, Value::Null, fails);
    Ok(Answer { json: Json::Checked(found), errors, notes, ..answer })
}

/// Checks the models that the command line names; fails when a finding has a verdict that fails. A file that cannot be used is an error
/// of the answer, and the others are still judged.
///
/// # Errors
/// When a target is unknown, or an argument is malformed.
pub fn run(args: &CheckArgs, json: bool) -> Result<Answer, Error> {
    if json && !matches!(args.format, ReportFormat::Grouped | ReportFormat::Json) {
        let text = "--json and --format ask for different reports; write --format json, or leave --json out";
        return Err(Error::usage(text));
    }
    let request = CheckRequest { program: program().filter(|_| !args.work.no_cache), ..args.request() };
    let check = Check::new(&request)?;
    let inputs = check.inputs();
    let is_batch = inputs.len() > 1;
    let progress = Progress::new(inputs.len(), !json && !args.quiet);
    let Findings { mut found, asked, fails, unusable, skipped } = check.run(inputs, &open, &progress);
    let shown = Shown { all: args.all };
    let view = View { shown, accepted: "", is_batch, quiet: args.quiet };
    let texts = texts(&check, &found, asked, (args.format, view));
    let mut errors: Vec<Error> = unusable.into_iter().map(|one| tipped(one, args)).collect();
    for format in args.outputs.iter().map(|output| output.format).chain([args.format]) {
        let left_out = left_out(format, &found, shown)?;
        found.notes.extend(left_out);
    }
    errors.extend(check.write_baseline(&mut found).err());
    let report = reports(args, &found, texts, &mut errors);
    let notes = skipped.into_iter().chain(found.notes.iter().cloned()).collect();
    let report: Option<Box<dyn Report>> = Some(Box::new(report));
    let answer = Answer::judged(String::new(), Value::Null, fails);
    Ok(Answer { report, json: Json::Checked(found), errors, notes, ..answer })
}

/// Describes for people what was found in each model.
fn texts(
    check: &Check<'_>,
    found: &Checked,
    asked: Vec<Asked>,
    (format, view): (ReportFormat, View<'_>),
) -> Vec<ModelText> {
    let described = |(record, asked)| {
        let accepted = check.accepted(record).iter().fold(String::new(), |text, line| text + "  " + line + "\n");
        ModelText::new(format, record, asked, View { accepted: &accepted, ..view })
    };
    found.models.iter().zip(asked).map(described).collect()
}

/// Adds to the error of a file that does not exist what may have been meant.
fn tipped(Unusable { path, error }: Unusable, args: &CheckArgs) -> Error {
    let tip = if path.exists() { None } else { tips::target(&path, &args.targets.targets) };
    match tip {
        Some(tip) => error.with_detail(format!("  {tip}")),
        None => *error,
    }
}

/// Writes the reports that go to files, and returns the one that the command line asks for.
fn reports(args: &CheckArgs, found: &Checked, texts: Vec<ModelText>, errors: &mut Vec<Error>) -> CheckReport {
    let shown = Shown { all: args.all };
    for output in &args.outputs {
        let written = Whole::create(&output.path).and_then(|whole| {
            whole.save(|to| {
                let mut to = BufWriter::new(anstream::StripStream::new(to));
                write_texts(&mut to, |to| report(to, output.format, found, &texts, shown))?;
                to.flush()
            })
        });
        errors.extend(written.err());
    }
    CheckReport { format: args.format, statistics: args.statistics, texts, shown }
}

/// Identifies this program; another one may judge differently. Nothing where it is part of another program, and was built from an unknown
/// commit.
fn program() -> Option<String> {
    let commit = option_env!("BROADAXE_BUILT_FROM");
    let path = env::current_exe().ok();
    let own = path.filter(|path| path.file_stem().is_some_and(|name| name == "broadaxe"));
    let stamp = own.and_then(|path| Stamp::of(&path));
    if commit.is_none() && stamp.is_none() {
        return None;
    }
    Some(format!("{} {commit:?} {stamp:?}", env!("CARGO_PKG_VERSION")))
}

/// Lists the targets, or describes some with their laws.
///
/// # Errors
/// When a name is not that of a target.
pub fn targets(args: &TargetsArgs) -> Result<Answer, Error> {
    let named: Vec<&'static Profile> = args
        .names
        .iter()
        .flat_map(|names| names.split(','))
        // `rank<=N` is the name of a profile, and not that of a target.
        .map(|name| match PROFILES.iter().find(|profile| profile.name == name) {
            Some(profile) => Ok(*profile),
            None => Ok(name.parse::<Target>()?.profile()),
        })
        .collect::<Result<_, Error>>()?;
    let shown: Vec<&'static Profile> = if named.is_empty() { PROFILES.to_vec() } else { named.clone() };
    let rows = shown.iter().map(|target| {
        let list = |what: &str, names: &[&str]| match names {
            [] => String::new(),
            _ => format!("; {what}: {}", names.join(", ")),
        };
        let (aliases, versions) = (list("other names", target.aliases), list("versions", target.versions));
        let reads = match target.route.reads {
            Some([]) => format!("; reads none of these formats: {}", target.route.evidence.source),
            reads => list("reads", reads.unwrap_or_default()),
        };
        vec![target.name.to_owned(), format!("{}{aliases}{versions}{reads}", target.summary)]
    });
    let mut text = table(&["target", "meaning"], true, rows);
    if named.is_empty() {
        text += "\n'broadaxe targets NAME' says what one does with each kind of node, and how that\nis known.\n";
    }
    for target in named {
        text += &format!("\n{}, by the first law that matches a node:\n", target.name);
        for law in target.laws {
            let recorded = target.recorded(law).map(|tables| format!("; recorded: {tables}")).unwrap_or_default();
            let (kind, source) = (law.evidence.kind.word(), law.evidence.source);
            let said = format!("{}: {} ({kind}: {source}{recorded})", law.nodes(), law.text);
            text += &terminal::wrap("  - ", &said, 4, terminal::prose());
        }
    }
    let json: Vec<Value> = shown.iter().map(|target| described(target)).collect();
    Ok(Answer::new(text, json!({ "targets": json })))
}

fn described(target: &Profile) -> Value {
    let law = |law: &Law| {
        let when: Vec<String> = law.clauses().collect();
        json!({
            "text": law.text,
            "when": when,
            "evidence": law.evidence.kind.text(),
            "source": law.evidence.source,
            "recorded": target.recorded(law),
        })
    };
    let laws: Vec<Value> = target.laws.iter().map(law).collect();
    json!({
        "name": target.name,
        "title": target.title,
        "deployment": target.deployment.name(),
        "aliases": target.aliases,
        "versions": target.versions,
        "summary": target.summary,
        "reads": target.route.reads,
        "laws": laws,
    })
}

/// Prints the JSON schema of what `check` prints as JSON, or of the settings that it reads.
pub fn schema(of: SchemaOf) -> Answer {
    let schema = match of {
        SchemaOf::Report => schemars::schema_for!(Checked).to_value(),
        SchemaOf::Config => broadaxe_session::config::schema(),
    };
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
    Answer::new(text, schema)
}
