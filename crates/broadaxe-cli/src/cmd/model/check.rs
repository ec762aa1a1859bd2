//! `broadaxe check`: checks what a model's broadcasts mean on other runtimes.

use std::{collections::HashSet, io::Write, path::Path};

use broadaxe_models::{
    Model,
    check::check,
    check_model,
    report::{CheckRecord, FindingRecord, TargetRecord},
    target::{Law, PROFILES, Profile, Target},
    upgrade::OPSET,
};
use serde_json::{Value, json};

use super::{
    Open,
    ask::{Asked, Asking},
    github, gitlab, given, load, sarif, skip,
    suppress::{self, Suppress},
    text,
};
use crate::{
    answer::{Answer, Checked, FileRecord, Json, table},
    args::{CheckArgs, FailOn, ReportFormat},
    config::{ModelSettings, Settings},
    error::Error,
    file::write::Whole,
};

/// How many findings of a model are shown in full unless all are asked for.
const SHOWN: usize = 5;

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
    let refused = suppress.fails(&found.models);
    found.notes = suppress.notes(&found.models);
    match suppress.write(&found.models) {
        Ok(written) => found.notes.extend(written),
        Err(error) => errors.push(error),
    }
    let notes = skip::note(&skipped).into_iter().chain(found.notes.iter().cloned()).collect();
    let texts = texts.join("\n");
    for output in &args.outputs {
        let text = report(output.format, &found, &texts);
        let text = anstream::adapter::strip_str(&text).to_string();
        let written = Whole::create(&output.path).and_then(|whole| whole.save(|to| to.write_all(text.as_bytes())));
        errors.extend(written.err());
    }
    let text = if json { String::new() } else { report(args.format, &found, &texts) };
    Ok(Answer { text, json: Json::Checked(found), refused, errors, notes })
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
    let ModelSettings { targets, inputs, fail_on } = suppress.settings.for_model(path);
    let loaded = load(path, &inputs, open)?;
    let (path, model, targets) = (&loaded.path, &loaded.model, &targets[..]);
    let (mut record, fixed) = if args.quiet {
        (CheckRecord::new(&path.display().to_string(), model, &check(model, &loaded.shapes, targets)), 0)
    } else {
        check_model(path, model, &loaded.shapes, targets).map_err(|error| Error::from(error).of(path))?
    };
    let asked = asking.map_or_else(|| Ok(Asked::default()), |asking| asking.ask(model, &loaded.shapes, &mut record));
    let asked = asked.map_err(|error| if error.file_name().is_none() { error.of(path) } else { error })?;
    suppress.mark(&mut record);
    let hint = if args.quiet || suppress::all(&record) { String::new() } else { hint(model, &record, fixed) };
    let text = show(&record, &asked, args, &fail_on) + &suppress.counts(&record) + &asked.text + &hint;
    Ok((record, text))
}

/// Writes a report; `texts` is the one for people.
fn report(format: ReportFormat, found: &Checked, texts: &str) -> String {
    let line = |value: &Value| format!("{value}\n");
    match format {
        ReportFormat::Text => texts.to_owned(),
        ReportFormat::Json => serde_json::to_string(found).unwrap_or_default() + "\n",
        ReportFormat::Sarif => line(&sarif::log(found)),
        ReportFormat::Github => github::commands(found),
        ReportFormat::Gitlab => line(&gitlab::issues(found)),
    }
}

fn show(record: &CheckRecord, asked: &Asked, args: &CheckArgs, fail_on: &[FailOn]) -> String {
    let mut out = String::new();
    let wanted = |finding: &FindingRecord| match finding.verdict.as_str() {
        // If a law depends on neighbours, the engine's answer about the node alone does not contradict it.
        "same" => finding.law.as_ref().is_some_and(|law| law.alone || args.all),
        _ if finding.is_suppressed() => false,
        "unknown" | "unsupported" => args.all || fail_on.iter().any(|fails| fails.is(&finding.verdict)),
        _ => true,
    };
    let groups = asked.alike.iter().filter(|(at, _)| !record.findings[**at].is_suppressed());
    let repeated: HashSet<usize> = groups.flat_map(|(_, others)| others).copied().collect();
    let numbered = record.findings.iter().enumerate().filter(|(at, _)| !repeated.contains(at));
    let mut findings: Vec<(usize, &FindingRecord)> = numbered.filter(|(_, finding)| wanted(finding)).collect();
    findings.sort_by_key(|(_, finding)| !finding.law.as_ref().is_some_and(|law| law.alone));
    let most = if args.quiet {
        0
    } else if args.all {
        findings.len()
    } else {
        SHOWN
    };
    for (at, finding) in findings.iter().take(most) {
        let alike = asked.alike.get(at).map_or(&[][..], Vec::as_slice);
        out += &text::finding(record, finding, alike);
        out += "\n";
    }
    if !args.quiet && findings.len() > most {
        out += &format!("... and {} more; --all shows them, --json lists them\n\n", findings.len() - most);
    }
    out += &summary(record);
    out
}

/// Says what to do next, if anything can be done.
fn hint(model: &Model, record: &CheckRecord, fixed: usize) -> String {
    let all = record.repairable();
    if all == 0 {
        return String::new();
    }
    let opset = model.opsets.iter().find(|(domain, _)| domain.is_empty()).map(|(_, opset)| *opset);
    if let Some(opset) = opset.filter(|&opset| model.format == "onnx" && opset < OPSET) {
        let name = &record.model;
        return format!(
            "opset {opset} places operands in old ways; 'broadaxe upgrade {name} -o OUT' spells them out\n"
        );
    }
    let names: Vec<&str> = record.targets.iter().map(|target| target.name.as_str()).collect();
    let findings = if all == 1 { "finding" } else { "findings" };
    if fixed == 0 {
        return format!("0 of {all} {findings} can be fixed by 'broadaxe fix'\n");
    }
    let (model, names) = (&record.model, names.join(","));
    format!("{fixed} of {all} {findings} can be fixed: broadaxe fix {model} --for {names} -o OUT\n")
}

/// Says in a line or two how many nodes were looked at and what was found for each target.
fn summary(record: &CheckRecord) -> String {
    let nodes = match record.nodes {
        1 => "1 element-wise node".to_owned(),
        n => format!("{n} element-wise nodes"),
    };
    let unknown = if record.unknown == 0 {
        "all shapes known".to_owned()
    } else {
        format!("{} of unknown shape", record.unknown)
    };
    let mut text = format!("{}: {nodes}, {unknown}\n", record.model);
    for target in &record.targets {
        text += &format!("  {}: {}\n", target.name, counts(target));
        let assumed = target.name.parse::<Target>().ok().and_then(|target| target.assumption(&record.format));
        text += &assumed.map_or_else(String::new, |text| format!("    {text}\n"));
    }
    if record.others > 0 {
        let (nodes, were) = if record.others == 1 { ("node", "was") } else { ("nodes", "were") };
        text += &format!("  element-wise nodes only; {} other {nodes} {were} not judged\n", record.others);
    }
    text
}

fn counts(target: &TargetRecord) -> String {
    let parts = [
        (target.differs, "differ"),
        (target.refused, "refused"),
        (target.unsupported, "unsupported"),
        (target.guarded, "under a condition"),
        (target.unknown, "unknown"),
        (target.same, "same"),
    ];
    let said: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    if said.is_empty() { "nothing to look at".to_owned() } else { said.join(", ") }
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
