//! Checks the model that is open, and fixes it.

use std::cell::RefCell;

use broadaxe_draw::{Drawing, ask::drawn};
use broadaxe_models::{
    Model, NodeId, PROFILES, Source, Target, check_model,
    edit::Piece,
    extract::extract,
    fix::Fix,
    format,
    infer::{Shapes, infer},
    meaning,
    report::{CheckRecord, DimRecord, FindingRecord, Shown, grouped, node_name},
    upgrade,
    verify::verify,
};
use serde_json::{Value, json};

use crate::{files, one_node};

/// The model that is open, and what was found in it.
struct Open {
    name: String,
    model: Model,
    shapes: Shapes,
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
            "aliases": profile.aliases,
            "versions": profile.versions,
            "summary": profile.summary,
        })
    };
    PROFILES.iter().map(target).collect()
}

fn opened(request: &Value) -> Result<Value, String> {
    let list = request["files"].as_array().map(Vec::as_slice).unwrap_or_default();
    let (name, source) = files::source(list, request["main"].as_u64().unwrap_or(0) as usize)?;
    let model = read(&source)?;
    let shapes = infer(&model, &[]).map_err(|error| error.to_string())?;
    let given = |wanted: &str| list.iter().any(|file| file["name"].as_str() == Some(wanted));
    let wanted = source.consulted();
    let wanted = wanted.iter().map(|path| path.display().to_string()).filter(|path| !given(path));
    let opset = model.opsets.iter().find(|(domain, _)| domain.is_empty()).map(|(_, opset)| *opset);
    let about = json!({
        "name": name,
        "format": model.format,
        "opset": opset,
        "nodes": model.nodes.len(),
        "files_wanted": wanted.collect::<Vec<_>>(),
    });
    OPEN.set(Some(Open { name, model, shapes, targets: Vec::new(), record: None }));
    Ok(about)
}

fn read(source: &Source) -> Result<Model, String> {
    match format::detect(source) {
        Ok(None) => Err(format::unreadable(source).to_string()),
        _ => format::read(source).map_err(|error| error.to_string()),
    }
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
        let mut record = check_model(self.name.as_ref(), &self.model, &self.shapes, &self.targets)
            .map_err(|error| error.to_string())?;
        for finding in &mut record.findings {
            finding.fails = finding.needs_attention();
        }
        let report = grouped(&record, Shown { all: false });
        let mut groups = json!(report);
        let samples = report.groups.iter().filter_map(|group| record.findings.get(*group.members.first()?));
        for (group, sample) in groups["groups"].as_array_mut().into_iter().flatten().zip(samples) {
            group["drawing"] = drawing(sample);
        }
        let answer = json!({ "record": record, "grouped": groups });
        self.record = Some(record);
        Ok(answer)
    }

    fn finding(&self, request: &Value) -> Result<Value, String> {
        let at = request["index"].as_u64().and_then(|at| usize::try_from(at).ok());
        let record = self.record.as_ref().ok_or("the model was not checked")?;
        let finding = at.and_then(|at| record.findings.get(at)).ok_or("there is no such finding")?;
        let sample = broadaxe_models::report::GroupedSample::new(finding);
        let mut value = json!(sample);
        value["drawing"] = drawing(finding);
        Ok(value)
    }

    fn nodes(&self) -> Value {
        let shape = |id: broadaxe_models::ValueId| {
            self.shapes.of.get(id.0 as usize).map_or_else(|| "?".to_owned(), |known| known.shape.to_string())
        };
        let row = |id: NodeId| {
            let node = self.model.node(id);
            meaning(&self.model, id)?;
            let shapes: Vec<String> = node.inputs.iter().flatten().map(|&value| shape(value)).collect();
            Some(json!({
                "number": id.0,
                "name": node_name(&self.model, id),
                "op": node.op,
                "place": node.place,
                "shapes": shapes.join(" "),
                "result": node.output(0).map(shape),
            }))
        };
        self.model.walk().into_iter().filter_map(row).collect()
    }

    /// Fixes the model for the targets that it was checked for, and verifies the changed one.
    fn fix(&self) -> Result<Value, String> {
        let say = |error: broadaxe_models::Error| error.to_string();
        let (upgraded, plan) = upgrade::plan(&self.model, &self.shapes, &self.targets).map_err(say)?;
        let (model, upgrade) =
            upgraded.as_ref().map_or((&self.model, None), |upgraded| (&upgraded.model, Some(&upgraded.changes)));
        if plan.edits.is_empty() && upgrade.is_none() {
            return Ok(json!({ "changes": [], "left": left(model, &plan), "files": [] }));
        }
        let written = format::write(model, &plan.edits).map_err(say)?;
        let after = format::changed(model, &written).map_err(say)?;
        let after_shapes = infer(&after, &[]).map_err(say)?;
        let verified = verify(&self.model, &self.shapes, &after, &after_shapes).map_err(say)?;
        if let Some(difference) = &verified.difference {
            return Err(format!("the changed model is not the same: {difference}"));
        }
        let files = written.files.iter().map(|file| {
            let pieces = file.original_pieces(model).map_err(say)?;
            let number = usize::from(!file.extension.is_empty());
            let pieces: Vec<Value> = pieces.iter().map(|piece| self.piece(piece, number)).collect();
            Ok(json!({ "name": self.fixed_name(file.extension), "pieces": pieces }))
        });
        Ok(json!({
            "upgrade": upgrade.map_or_else(Vec::new, |upgrade| changes(&self.model, upgrade)),
            "changes": changes(model, &plan),
            "left": left(model, &plan),
            "verified": (verified.nodes > 0).then(|| verified.to_string()),
            "files": files.collect::<Result<Vec<_>, String>>()?,
        }))
    }

    fn piece(&self, piece: &Piece, file: usize) -> Value {
        match piece {
            Piece::Kept { at, len } => json!({ "kept": { "weights": file == 1, "at": at, "len": len } }),
            Piece::New(bytes) => json!({ "new": base64(bytes) }),
        }
    }

    fn fixed_name(&self, extension: &str) -> String {
        let (stem, own) = self.name.rsplit_once('.').unwrap_or((&self.name, "onnx"));
        format!("{stem}-fixed.{}", if extension.is_empty() { own } else { extension })
    }

    fn extract(&self, request: &Value) -> Result<Value, String> {
        let number = request["number"].as_u64().and_then(|number| u32::try_from(number).ok());
        let id = NodeId(number.ok_or("give the number of a node")?);
        let one = extract(&self.model, &self.shapes, id, 0, false).map_err(|error| error.to_string())?;
        let name: String =
            node_name(&self.model, id).chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        Ok(json!({ "name": format!("{name}.onnx"), "bytes": base64(&one.model), "remarks": one.remarks }))
    }
}

fn changes(model: &Model, plan: &Fix) -> Vec<Value> {
    let change = |step: &broadaxe_models::fix::Step| {
        let node = model.node(step.node);
        json!({ "node": node_name(model, step.node), "op": node.op, "change": step.text, "copied": step.copied })
    };
    plan.steps.iter().map(change).collect()
}

fn left(model: &Model, plan: &Fix) -> Vec<Value> {
    let left = plan.left.iter();
    left.map(|left| json!({ "node": node_name(model, left.node), "reason": left.reason, "kind": left.kind })).collect()
}

/// Says what every target does with an ONNX Add of two shapes.
fn runtimes(request: &Value) -> Result<Value, String> {
    let list = |name: &str| request[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let shapes = list("shapes").iter().filter_map(Value::as_str);
    let shapes = shapes.map(|text| text.parse().map_err(|error: broadaxe_shape::Error| error.to_string()));
    let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
    let constants: Vec<bool> = list("constants").iter().filter_map(Value::as_bool).collect();
    let model = read(&Source::memory(one_node::add(&shapes, &constants)?, None))?;
    let shapes = infer(&model, &[]).map_err(|error| error.to_string())?;
    let targets = PROFILES.iter().filter_map(|profile| profile.name.parse().ok()).collect::<Vec<Target>>();
    let record = check_model("add.onnx".as_ref(), &model, &shapes, &targets).map_err(|error| error.to_string())?;
    let row = |finding: &FindingRecord| {
        let versions = PROFILES.iter().find(|profile| profile.name == finding.target).map(|profile| profile.versions);
        json!({
            "target": finding.target,
            "versions": versions,
            "verdict": finding.verdict,
            "reason": finding.reason,
            "evidence": finding.evidence,
            "source": finding.source,
            "counterexample": finding.counterexample,
        })
    };
    Ok(json!({ "rows": record.findings.iter().map(row).collect::<Vec<_>>() }))
}

/// Draws a finding: what the model means and, where the target places operands by another rule, what it reads.
fn drawing(finding: &FindingRecord) -> Value {
    let drawings = finding_drawings(finding);
    let drawn = (!drawings.is_empty()).then(|| drawn(&drawings).to_string());
    drawn.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn finding_drawings(finding: &FindingRecord) -> Vec<Drawing> {
    let word = |dim: &DimRecord| match dim {
        DimRecord::Size(size) => size.to_string(),
        DimRecord::Open(name) => broadaxe_draw::words::quoted(name),
    };
    let words = |dims: &Vec<DimRecord>| dims.iter().map(word).collect::<Vec<String>>();
    let draw = |title: String, axes: &[Vec<usize>], result: &[String], reads: &[Vec<usize>]| {
        let operands = finding.operands.iter().zip(axes).map(|(operand, axes)| {
            let dims = operand.shape.as_ref().map(words).unwrap_or_default();
            (dims.len() == axes.len()).then(|| (operand.tensor.clone(), dims, axes.clone()))
        });
        let operands: Vec<_> = operands.collect::<Option<_>>()?;
        let drawing = Drawing::placed(title, &operands, result);
        let element = finding.counterexample.as_ref().map(|example| example.element.clone());
        Some(match element {
            Some(element) if element.len() == result.len() && reads.len() == operands.len() => {
                drawing.reading(&element, axes, reads)
            }
            _ => drawing,
        })
    };
    let Some(axes) = finding.axes.as_ref() else { return Vec::new() };
    let Some(result) = finding.result.as_ref().map(words) else { return Vec::new() };
    let example = finding.counterexample.as_ref();
    let (reads, there) = example.map_or((&[][..], &[][..]), |example| (&example.reads, &example.target_reads));
    let own = draw("in this model".to_owned(), axes, &result, reads);
    let target = finding.target_axes.as_ref().and_then(|axes| {
        let shape = example.map(|example| example.target_shape.iter().map(ToString::to_string).collect::<Vec<_>>());
        draw(format!("on {}", finding.target), axes, &shape.filter(|shape| !shape.is_empty()).unwrap_or(result), there)
    });
    own.into_iter().chain(target).collect()
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
