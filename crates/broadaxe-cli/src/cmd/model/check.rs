//! `broadaxe check`: checks what a model's broadcasts mean on other runtimes.

use std::{io::Write, path::Path};

use broadaxe_models::{
    check::check,
    check_model,
    report::CheckRecord,
    target::{Law, PROFILES, Profile},
};
use serde_json::{Value, json};

use super::{
    Open,
    ask::Asking,
    given, load,
    report::{self, Asked, Shown, View, full, left_out, report, statistics},
    skip,
    suppress::Suppress,
};
use crate::{
    answer::{Answer, Checked, FileRecord, Json, table},
    args::{CheckArgs, ReportFormat},
    config::{ModelSettings, Settings},
    error::Error,
    file::write::Whole,
};

/// Checks models; fails when a finding has a verdict that fails. A file that cannot be used is an error of the answer, and the others are
/// still judged.
///
/// # Errors
/// When a target is unknown, or an argument is malformed.
pub fn run(args: &CheckArgs, json: bool, open: Open<'_>) -> Result<Answer, Error> {
    let settings = Settings::of_check(args)?;
    given(&args.targets.inputs)?;
    let suppress = Suppress::new(&args.accept, &settings)?;
    let mut asking = Asking::new(&args.asking)?;
    let (mut found, mut texts, mut errors, mut skipped) = (Checked::default(), Vec::new(), Vec::new(), Vec::new());
    for path in &args.models {
        if is_skipped(args, path, open) {
            skipped.push(path.as_path());
            continue;
        }
        match judged(path, args, &suppress, asking.as_mut(), open) {
            Ok((record, text)) => {
                found.models.push(record);
                texts.push(text);
            }
            Err(error) => {
                found.errors.push(FileRecord::new(&path.display().to_string(), &error));
                errors.push(error);
            }
        }
    }
    found.skipped = skipped.iter().map(|path| skip::record(path)).collect();
    let shown = Shown { all: args.all };
    let left_out = notes(args, &found, shown)?;
    let refused = suppress.fails(&found.models);
    found.notes = suppress.notes(&found.models);
    found.notes.extend(left_out);
    match suppress.write(&found.models) {
        Ok(written) => found.notes.extend(written),
        Err(error) => errors.push(error),
    }
    let notes = skip::note(&skipped).into_iter().chain(found.notes.iter().cloned()).collect();
    let texts = texts.join(if args.quiet { "" } else { "\n" });
    for output in &args.outputs {
        let text = report(output.format, &found, &texts, shown);
        let text = anstream::adapter::strip_str(&text).to_string();
        let written = Whole::create(&output.path).and_then(|whole| whole.save(|to| to.write_all(text.as_bytes())));
        errors.extend(written.err());
    }
    let text = match (json, args.statistics) {
        (true, _) => String::new(),
        (false, true) => statistics(&found, shown),
        (false, false) => report(args.format, &found, &texts, shown),
    };
    Ok(Answer { text, json: Json::Checked(found), refused, errors, notes })
}

/// Notes which findings a report leaves out.
fn notes(args: &CheckArgs, found: &Checked, shown: Shown) -> Result<Option<String>, Error> {
    let formats = args.outputs.iter().map(|output| output.format).chain([args.format]);
    let left_out: Vec<_> = formats.map(|format| left_out(format, found, shown)).collect::<Result<_, _>>()?;
    Ok(left_out.into_iter().flatten().next())
}

/// Says whether a file is skipped; what cannot be opened is not.
fn is_skipped(args: &CheckArgs, path: &Path, open: Open<'_>) -> bool {
    let source = args.skip_others.then(|| open(path).ok()).flatten();
    source.is_some_and(|source| skip::is_other(path, &source).unwrap_or(false))
}

/// Checks one model, and describes what was found.
fn judged(
    path: &Path,
    args: &CheckArgs,
    suppress: &Suppress<'_>,
    asking: Option<&mut Asking>,
    open: Open<'_>,
) -> Result<(CheckRecord, String), Error> {
    let ModelSettings { targets, inputs, .. } = suppress.settings.for_model(path);
    let loaded = load(path, &inputs, open)?;
    let (path, model, targets) = (&loaded.path, &loaded.model, &targets[..]);
    let mut record = if args.quiet {
        CheckRecord::new(&path.display().to_string(), model, &check(model, &loaded.shapes, targets))
    } else {
        check_model(path, model, &loaded.shapes, targets).map_err(|error| Error::from(error).of(path))?
    };
    let asked = asking.map_or_else(|| Ok(Asked::default()), |asking| asking.ask(model, &loaded.shapes, &mut record));
    let asked = asked.map_err(|error| if error.file_name().is_none() { error.of(path) } else { error })?;
    suppress.mark(&mut record);
    let accepted = suppress.counts(&record);
    let view = View {
        shown: Shown { all: args.all },
        accepted: &accepted,
        is_batch: args.models.len() > 1,
        quiet: args.quiet,
    };
    let draw = if args.format == ReportFormat::Full { full } else { report::model };
    let text = draw(&record, &asked, view);
    Ok((record, text))
}

/// Lists the targets.
pub fn targets() -> Answer {
    let rows = PROFILES.iter().map(|target| {
        let list = |what: &str, names: &[&str]| match names {
            [] => String::new(),
            _ => format!("; {what}: {}", names.join(", ")),
        };
        let (aliases, versions) = (list("other names", target.aliases), list("versions", target.versions));
        vec![target.name.to_owned(), format!("{}{aliases}{versions}", target.summary)]
    });
    let law =
        |law: &Law| json!({ "text": law.text, "evidence": law.evidence.kind.text(), "source": law.evidence.source });
    let target = |target: &&'static Profile| {
        let laws: Vec<Value> = target.laws.iter().map(law).collect();
        json!({
            "name": target.name,
            "aliases": target.aliases,
            "versions": target.versions,
            "summary": target.summary,
            "laws": laws,
        })
    };
    let json: Vec<Value> = PROFILES.iter().map(target).collect();
    Answer::new(table(&["target", "meaning"], true, rows), json!({ "targets": json }))
}

/// Prints the JSON schema of what `check` prints as JSON.
pub fn schema() -> Answer {
    let schema = schemars::schema_for!(Checked).to_value();
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
    Answer::new(text, schema)
}
