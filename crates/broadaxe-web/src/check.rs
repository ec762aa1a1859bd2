//! Checks the model that is open, and fixes it.

use std::{cell::RefCell, path::Path};

use broadaxe_draw::{ask::drawn, words::escaped};
use broadaxe_models::{
    FixOutcome, Model, NodeId, PROFILES, Source, Target,
    edit::Piece,
    extract::extract,
    fix::{Fix, Intent, Step},
    format,
    infer::{given, infer},
    meaning,
    profiles::Reach,
    report::{CheckRecord, FindingRecord, GroupedSample, Shown, drawings, grouped, node_name, words},
};
use broadaxe_session::{
    error::Error,
    judge::{fixed, judged},
    model::{Loaded, load_source},
    request::Inputs,
};
use serde_json::{Value, json};

use crate::{files, one_node};

/// How many verdicts are listed. More would not fit into the memory of a tab.
const MOST_VERDICTS: usize = 100_000;

/// The model that is open, and what was found in it.
struct Open {
    name: String,
    /// The names of all files that were given, and which is the model.
    files: Vec<String>,
    main: usize,
    loaded: Loaded,
    targets: Vec<Target>,
    record: Option<CheckRecord>,
}

thread_local! {
    static OPEN: RefCell<Option<Open>> = const { RefCell::new(None) };
}

/// Answers a request about models, with its object of JSON; none if it is not one.
pub(crate) fn answer(word: &str, about: &str) -> Option<Value> {
    let about: Value = serde_json::from_str(about).unwrap_or_default();
    let request = &about;
    let answered = match word {
        "targets" => Ok(targets()),
        "open" => opened(request),
        "check" => with_open(|open| open.check(request)),
        "finding" => with_open(|open| open.finding(request)),
        "nodes" => with_open(|open| Ok(open.nodes())),
        "fix" => with_open(|open| open.fix()),
        "extract" => with_open(|open| open.extract(request)),
        "runtimes" => runtimes(request),
        _ => return None,
    };
    Some(answered.unwrap_or_else(|error| json!({ "error": error })))
}

fn with_open(act: impl FnOnce(&mut Open) -> Result<Value, String>) -> Result<Value, String> {
    OPEN.with_borrow_mut(|open| act(open.as_mut().ok_or("no model is open")?))
}

fn targets() -> Value {
    let target = |profile: &&broadaxe_models::Profile| {
        json!({
            "name": profile.name,
            "title": profile.title,
            "deployment": profile.deployment.name(),
            "aliases": profile.aliases,
            "versions": profile.versions,
            "summary": profile.summary,
        })
    };
    let mut profiles = PROFILES.to_vec();
    profiles.sort_by_key(|profile| profile.deployment);
    profiles.iter().map(target).collect()
}

fn opened(request: &Value) -> Result<Value, String> {
    let list = request["files"].as_array().map(Vec::as_slice).unwrap_or_default();
    let main = request["main"].as_u64().and_then(|main| usize::try_from(main).ok()).unwrap_or(0);
    let (name, source) = files::source(list, main)?;
    let loaded = load(&name, &source)?;
    let model = &loaded.model;
    let files: Vec<String> = list.iter().map(|file| file["name"].as_str().unwrap_or_default().to_owned()).collect();
    let wanted = source.consulted();
    let wanted = wanted.iter().map(|path| path.display().to_string()).filter(|path| !files.contains(path));
    let opset = model.opsets.iter().find(|(domain, _)| domain.is_empty()).map(|(_, opset)| *opset);
    let all = PROFILES.iter().filter_map(|profile| profile.name.parse::<Target>().ok());
    let unreached = all.filter(|target| matches!(target.reach(model.format), Reach::Unreached(_)));
    let about = json!({
        "name": name,
        "format": model.format,
        "unreached": unreached.map(|target| target.to_string()).collect::<Vec<_>>(),
        "opset": opset,
        "nodes": model.nodes.len(),
        "remark": format::remark(model),
        "files_wanted": wanted.collect::<Vec<_>>(),
    });
    OPEN.set(Some(Open { name, files, main, loaded, targets: Vec::new(), record: None }));
    Ok(about)
}

fn load(name: &str, source: &Source) -> Result<Loaded, String> {
    load_source(name.as_ref(), source, &Inputs::default()).map_err(|error| said(&error))
}

/// Says what is wrong with the model that is open; the page names it already.
fn said(error: &Error) -> String {
    let place = error.field_name().map_or_else(String::new, |place| format!("{place}: "));
    place + error.message()
}

fn targets_of(request: &Value) -> Result<Vec<Target>, String> {
    let names = request["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
    let targets = names.iter().filter_map(Value::as_str);
    let targets = targets.map(|name| name.parse().map_err(|error: broadaxe_models::Error| error.to_string()));
    let targets = Target::distinct(targets.collect::<Result<Vec<_>, _>>()?);
    if targets.is_empty() { Err("choose a target, such as openvino".to_owned()) } else { Ok(targets) }
}

impl Open {
    fn check(&mut self, request: &Value) -> Result<Value, String> {
        self.targets = targets_of(request)?;
        let mut record = judged(&self.loaded, &self.targets).map_err(|error| said(&error))?;
        for finding in &mut record.findings {
            finding.fails = finding.needs_attention();
        }
        let left_out = shorten(&mut record);
        let report = grouped(&record, Shown { all: false });
        let groups = report.groups.iter().map(|group| {
            let mut value = group.members.first().and_then(|&at| record.findings.get(at)).map_or(Value::Null, sample);
            value["severity"] = json!(group.severity);
            value["code"] = json!(group.code);
            value["name"] = json!(group.name);
            value["title"] = json!(group.title);
            value["why"] = json!(group.why);
            value["members"] = json!(group.members);
            value["also"] = json!(group.others);
            value
        });
        let grouped = json!({
            "head": { "nodes": report.nodes, "others": report.others, "targets": report.targets },
            "groups": groups.collect::<Vec<_>>(),
            "undecided": report.undecided,
            "hidden": left_out.or(report.hidden),
            "fixable": report.fixable,
        });
        let answer = json!({ "record": record, "grouped": grouped });
        self.record = Some(record);
        Ok(answer)
    }

    fn finding(&self, request: &Value) -> Result<Value, String> {
        let at = request["index"].as_u64().and_then(|at| usize::try_from(at).ok());
        let record = self.record.as_ref().ok_or("the model was not checked")?;
        let finding = at.and_then(|at| record.findings.get(at)).ok_or("there is no such finding")?;
        Ok(sample(finding))
    }

    fn nodes(&self) -> Value {
        let shape = |id: broadaxe_models::ValueId| {
            self.loaded.shapes.of.get(id.0 as usize).map_or_else(|| "?".to_owned(), |known| known.shape.to_string())
        };
        let row = |id: NodeId| {
            let node = self.loaded.model.node(id);
            let judged = meaning(&self.loaded.model, id)?.is_ok();
            let shapes: Vec<String> = node.inputs.iter().flatten().map(|&value| shape(value)).collect();
            Some(json!({
                "number": id.0,
                "name": node_name(&self.loaded.model, id),
                "op": node.op,
                "place": node.place,
                "shapes": shapes.join(" "),
                "result": node.output(0).map(shape),
                "judged": judged,
            }))
        };
        self.loaded.model.walk().into_iter().filter_map(row).collect()
    }

    /// Fixes the model for the targets that it was checked for. The files of a model that is not offered are given too: the page shows
    /// them to those who ask again.
    fn fix(&self) -> Result<Value, String> {
        let say = |error: broadaxe_models::Error| error.to_string();
        let fixed = fixed(&self.loaded, &self.targets, (true, Intent::Unknown)).map_err(|error| said(&error))?;
        let said = fixed.outcome.text();
        if let FixOutcome::Different(_) = fixed.outcome {
            return Err(said.unwrap_or_default());
        }
        let model = fixed.base(&self.loaded.model);
        let upgrade = fixed.upgraded.as_ref().map(|upgraded| changes(&self.loaded.model, &upgraded.changes));
        let summary = [upgrade.unwrap_or_default(), changes(model, &fixed.plan)].concat();
        let (mut files, mut after) = (Vec::new(), Value::Null);
        if !summary.is_empty() {
            let (written, changed) = fixed.changed(&self.loaded.model).map_err(say)?;
            after = self.checked_again(changed)?;
            for file in &written.files {
                let (name, pieces) = (self.fixed_name(file.extension), file.original_pieces(model).map_err(say)?);
                let kept = self.number_of(file.extension);
                let pieces: Vec<Value> = pieces.iter().map(|one| piece(one, kept)).collect();
                files.push(json!({ "name": name, "pieces": pieces }));
            }
        }
        Ok(json!({
            "name": self.fixed_name(""),
            "summary": summary,
            "outcome": said.map(|said| escaped(&said)),
            "offered": fixed.is_offered(),
            "wrong": fixed.is_wrong(),
            "left": words::left(model, &fixed.plan.left),
            "files": files,
            "after": after,
        }))
    }

    /// Checks a changed model for the same targets.
    fn checked_again(&self, model: Model) -> Result<Value, String> {
        let Loaded { path, model: before, shapes } = &self.loaded;
        let shapes = infer(&model, &given(before, shapes)).map_err(|error| error.to_string())?;
        let loaded = Loaded { path: path.clone(), model, shapes };
        let record = judged(&loaded, &self.targets).map_err(|error| said(&error))?;
        let report = grouped(&record, Shown { all: false });
        let left = report.groups.iter().map(|group| group.members.len()).sum::<usize>();
        Ok(json!({ "targets": record.targets, "counts": report.targets, "undecided": report.undecided, "left": left }))
    }

    /// Returns the number of the file that a changed file keeps bytes of.
    fn number_of(&self, extension: &str) -> usize {
        let name = Path::new(&self.name).with_extension(extension);
        let other = self.files.iter().position(|file| Path::new(file) == name);
        if extension.is_empty() { self.main } else { other.unwrap_or(self.main) }
    }

    fn fixed_name(&self, extension: &str) -> String {
        let (stem, own) = self.name.rsplit_once('.').unwrap_or((&self.name, "onnx"));
        format!("{stem}-fixed.{}", if extension.is_empty() { own } else { extension })
    }

    fn extract(&self, request: &Value) -> Result<Value, String> {
        let number = request["number"].as_u64().and_then(|number| u32::try_from(number).ok());
        let id = NodeId(number.ok_or("give the number of a node")?);
        let one = extract(&self.loaded.model, &self.loaded.shapes, id, 0, false).map_err(|error| error.to_string())?;
        let name: String = node_name(&self.loaded.model, id)
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        Ok(json!({ "name": format!("{name}.onnx"), "bytes": base64(&one.model), "remarks": one.remarks }))
    }
}

/// Removes verdicts where there are too many, those of nodes that mean the same first; the counts of the targets stay. Says how many.
fn shorten(record: &mut CheckRecord) -> Option<String> {
    let all = record.findings.len();
    if all <= MOST_VERDICTS {
        return None;
    }
    record.findings.retain(|finding| finding.verdict != "same");
    record.findings.truncate(MOST_VERDICTS);
    Some(format!("not listed: {} of {all} verdicts", all - record.findings.len()))
}

fn piece(piece: &Piece, file: usize) -> Value {
    match piece {
        Piece::Kept { at, len } => json!({ "kept": { "file": file, "at": at, "len": len } }),
        Piece::New(bytes) => json!({ "new": base64(bytes) }),
    }
}

fn changes(model: &Model, plan: &Fix) -> Vec<String> {
    let change = |step: &Step| {
        let name = escaped(&node_name(model, step.node));
        format!("{name} ({}): {}", escaped(&model.node(step.node).op), escaped(&step.text))
    };
    plan.steps.iter().map(change).collect()
}

/// Says of a finding what a report says, with drawings. It speaks of "the runtime", so that runtimes that do the same say the same.
fn sample(finding: &FindingRecord) -> Value {
    let mut neutral = finding.clone();
    neutral.target = "the runtime".into();
    let said = GroupedSample::new(&neutral);
    // The first drawing is that of the model.
    let drawn = drawings(&neutral).into_iter().map(|drawing| drawn(&[drawing]).to_string());
    let drawn: Vec<Value> = drawn.filter_map(|text| serde_json::from_str(&text).ok()).collect();
    json!({
        "node": said.node,
        "rows": said.rows,
        "notes": said.notes.iter().map(|note| json!([note.label, note.text])).collect::<Value>(),
        "fix": said.fix,
        "drawings": drawn,
    })
}

/// Says what every target does with an ONNX Add of two shapes.
fn runtimes(request: &Value) -> Result<Value, String> {
    let list = |name: &str| request[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let shapes = list("shapes").iter().filter_map(Value::as_str);
    let shapes = shapes.map(|text| text.parse().map_err(|error: broadaxe_shape::Error| error.to_string()));
    let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
    let constants: Vec<bool> = list("constants").iter().filter_map(Value::as_bool).collect();
    let loaded = load("add.onnx", &Source::memory(one_node::add(&shapes, &constants)?, None))?;
    let targets = PROFILES.iter().filter_map(|profile| profile.name.parse().ok()).collect::<Vec<Target>>();
    let record = judged(&loaded, &targets).map_err(|error| said(&error))?;
    let row = |finding: &FindingRecord| {
        let profile = PROFILES.iter().find(|profile| *profile.name == *finding.target);
        let (title, versions) = (profile.map(|profile| profile.title), profile.map(|profile| profile.versions));
        json!({
            "target": finding.target,
            "title": title,
            "version": versions.and_then(|versions| versions.last()),
            "verdict": finding.verdict,
            "reason": finding.reason,
            "evidence": finding.evidence,
            "source": finding.source,
            "counterexample": finding.counterexample,
        })
    };
    Ok(json!({ "rows": record.findings.iter().map(row).collect::<Vec<_>>() }))
}

/// Writes bytes in base 64.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let three = chunk.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let at = (three >> (18 - 6 * digit)) as usize & 63;
            text.push(if digit <= chunk.len() { char::from(DIGITS[at]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens a file, checks it for targets, and answers `fix`.
    fn fixed(name: &str, bytes: &[u8], targets: &[&str]) -> Value {
        crate::edge::FILES.set(vec![bytes.to_vec()]);
        let ask = |word: &str, about: Value| answer(word, &about.to_string()).unwrap();
        let requests = [
            ("open", json!({ "files": [{ "name": name, "size": bytes.len() }], "main": 0 })),
            ("check", json!({ "targets": targets })),
        ];
        for (word, about) in requests {
            let answered = ask(word, about);
            assert!(answered["error"].is_null(), "{answered}");
        }
        ask("fix", json!({}))
    }

    /// The page says what the command says, and offers what the command writes.
    #[test]
    fn the_page_does_not_offer_what_the_command_refuses() {
        let open: &[u8] = b"7767517\n6 7\nInput i 0 1 x\nConvolution k 1 1 x e 0=16 1=3 6=432\nSplit s 1 2 e a b\nPooling p 1 1 a c 0=1 4=1\n\
            InnerProduct g 1 1 c d 0=16 1=1 2=256\nBinaryOp m 2 1 d b y 0=2\n";
        let face: &[u8] = include_bytes!("../../../examples/face.onnx");
        let unknown = "not verified: the lengths of its operands are not all known";
        let cases = [
            ("open.param", open, "openvino", false, false, 1, unknown),
            ("face.onnx", face, "none", false, true, 0, "nothing was fixed"),
            ("face.onnx", face, "onnx6", true, false, 0, "no changes needed"),
            ("face.onnx", face, "ncnn", true, false, 1, "verified: 3 comparisons"),
        ];
        for (name, bytes, target, offered, wrong, files, said) in cases {
            let answer = fixed(name, bytes, &[target]);
            assert_eq!((&answer["offered"], &answer["wrong"]), (&json!(offered), &json!(wrong)), "{answer}");
            assert!(answer["outcome"].as_str().is_some_and(|text| text.starts_with(said)), "{answer}");
            assert_eq!(answer["files"].as_array().map(Vec::len), Some(files), "{answer}");
            // A model that was changed was checked again.
            assert_eq!(answer["after"]["left"].as_u64(), (files > 0).then_some(0), "{answer}");
        }
    }
}
