//! Puts findings into words, the same for every report. Names from files are escaped.

use broadaxe_draw::words::{escaped, quoted, tuple};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    CheckRecord, CounterexampleRecord, DimRecord, FindingRecord, LawRecord, RepairRecord, TargetRecord, fold,
    group::Group, node_name,
};
use crate::{
    code::{self, Code},
    fix::{Left, LeftKind},
    graph::Model,
    profiles::{EvidenceKind, Reach, Target},
    upgrade::OPSET,
};

/// Where the pages of the targets are.
const PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/reference/targets");
/// How many operands are listed of a node that has more: the first, and those that are read otherwise.
const LISTED_OPERANDS: usize = 16;

/// Says how many broadcasting nodes a model has.
pub fn nodes(record: &CheckRecord) -> String {
    let nodes = if record.nodes == 1 { "node" } else { "nodes" };
    let unknown = if record.unknown == 0 { String::new() } else { format!(", {} of unknown shape", record.unknown) };
    format!("{} broadcasting {nodes}{unknown}", record.nodes)
}

/// Says how many other nodes were skipped; nothing where there are none.
pub fn others(record: &CheckRecord) -> Option<String> {
    let (nodes, were) = if record.others == 1 { ("node does not", "was") } else { ("nodes do not", "were") };
    (record.others > 0).then(|| format!("{} other {nodes} broadcast and {were} skipped", record.others))
}

/// Counts the verdicts for a target, with how many kinds of findings they are.
pub fn counts(target: &TargetRecord, found: &[Group<'_>]) -> String {
    let parts = [
        (target.differs, if target.differs == 1 { "differs" } else { "differ" }, "differs"),
        (target.refused, "refused", "refused"),
        (target.unsupported, "unsupported", "unsupported"),
        (target.guarded, if target.guarded == 1 { "depends on size" } else { "depend on size" }, "guarded"),
        (target.unknown, "unknown", "unknown"),
        (target.same, "same", "same"),
    ];
    let kinds = |verdict: &str| {
        let is =
            |group: &&Group<'_>| group.sample().verdict == verdict && group.targets.contains(&target.name.as_str());
        found.iter().filter(is).count()
    };
    let said = parts.iter().filter(|(n, ..)| *n > 0).map(|&(n, word, verdict)| match kinds(verdict) {
        kinds @ 2.. => format!("{n} {word} ({kinds} kinds)"),
        _ => format!("{n} {word}"),
    });
    let said: Vec<String> = said.collect();
    if said.is_empty() { "no broadcasting nodes".to_owned() } else { said.join(", ") }
}

/// Says what the verdicts for a target are from: the engines that were tested, or documents; nothing where no law speaks of the model.
pub fn basis(target: &TargetRecord, record: &CheckRecord) -> Option<String> {
    let known: Target = target.name.parse().ok()?;
    if !target.engines.is_empty() {
        return Some(format!("{}: {}", known.tested(), target.engines.join(", ")));
    }
    let documented = known.profile().laws.iter().any(|law| law.evidence.kind == EvidenceKind::Documented);
    let reached = !matches!(known.reach(&record.format), Reach::Unreached(_));
    (documented && reached).then(|| "documents".to_owned())
}

/// Says what the verdicts for a target assume of a model in this format, which the runtime does not read itself, or that there are none.
pub fn assumption(target: &TargetRecord, record: &CheckRecord) -> Option<String> {
    match target.name.parse::<Target>().ok()?.reach(&record.format) {
        Reach::Read => None,
        Reach::Assumed(said) | Reach::Unreached(said) => Some(said),
    }
}

/// Says with which numbers nodes that are the same on a target are not: `on 3 nodes, computes 64-bit integers in 32 bits: ...`.
pub fn caveats(target: &TargetRecord) -> impl Iterator<Item = String> {
    target.caveats.iter().map(|caveat| {
        let nodes = if caveat.nodes == 1 { "node" } else { "nodes" };
        format!("on {} {nodes}, {}", caveat.nodes, caveat.text)
    })
}

/// Says how many nodes have no verdict on what they compute: `No known problem; 38 of 123 nodes unknown on coreml, 5 on ncnn`, or
/// `3 of 20 nodes unsupported on ncnn`; nothing where all have one.
pub fn undecided(record: &CheckRecord) -> Option<String> {
    type Count = fn(&TargetRecord) -> usize;
    let nodes = if record.nodes == 1 { "node" } else { "nodes" };
    let mut said: Vec<String> = Vec::new();
    let rows: [(Count, &str, &str); 2] =
        [(|target| target.unknown, "unknown ", "on"), (|target| target.unsupported, "unsupported ", "on")];
    for (count, what, on) in rows {
        let mut counts: Vec<(usize, Vec<&str>)> = Vec::new();
        for target in record.targets.iter().filter(|target| count(target) > 0) {
            match counts.iter_mut().find(|(known, _)| *known == count(target)) {
                Some((_, names)) => names.push(&target.name),
                None => counts.push((count(target), vec![&target.name])),
            }
        }
        for (at, (count, names)) in counts.iter().enumerate() {
            let of = if said.is_empty() { format!("of {} {nodes} ", record.nodes) } else { String::new() };
            let what = if at == 0 { what } else { "" };
            said.push(format!("{count} {of}{what}{on} {}", names.join(", ")));
        }
    }
    let passes = record.attention() == 0 && record.targets.iter().all(|target| target.unsupported == 0);
    let head = if passes { "No known problem; " } else { "" };
    (!said.is_empty()).then(|| format!("{head}{}", said.join("; ")))
}

/// Names nodes of the largest group that is unknown, and of the largest that is unsupported, on a target, and says why:
/// `unknown: m (Mul) and 3 more: coreml is neither tested nor documented for this node`. The groups are those that a report leaves out.
pub fn undecided_groups(target: &TargetRecord, record: &CheckRecord, hidden: &[Group<'_>]) -> Vec<String> {
    let is_unreached = |target: Target| matches!(target.reach(&record.format), Reach::Unreached(_));
    if target.name.parse().is_ok_and(is_unreached) {
        return Vec::new(); // The assumption says why.
    }
    let first = |verdict: &str| {
        let is = |group: &&Group<'_>| group.sample().verdict == verdict && group.targets.contains(&&*target.name);
        let group = hidden.iter().find(is)?;
        let (sample, others, why) = (group.sample(), group.members.len() - 1, group.why());
        let more = if others == 0 { String::new() } else { format!(" and {others} more") };
        let why = if sample.reason.ends_with(why) { sample.reason.clone() } else { format!("{} {why}", target.name) };
        Some(format!("{verdict}: {} ({}){more}: {}", quoted(&sample.node), quoted(&sample.op), escaped(&why)))
    };
    ["unknown", "unsupported"].into_iter().filter_map(first).collect()
}

/// Says what happens, with the targets that it happens on.
pub fn consequence(finding: &FindingRecord, targets: &[&str]) -> String {
    let on = targets.join(", ");
    match finding.verdict.as_str() {
        "same" if finding.code.as_deref() == Some(code::DEFAULT_AXIS.id) => "another axis fits as well".to_owned(),
        verdict if finding.code.as_deref().and_then(code::find).is_some_and(Code::is_of_model) => {
            let does = match verdict {
                _ if finding.cause.is_empty() => String::new(),
                "differs" => format!(", and computed by {on} all the same"),
                "refused" => format!(", and refused by {on}"),
                _ => format!(", and unknown on {on}"),
            };
            format!("invalid in the model itself{does}")
        }
        "differs" => format!("differs on {on}"),
        "refused" => format!("refused by {on}"),
        "unsupported" => format!("unsupported on {on}"),
        "guarded" => format!("depends on size on {on}"),
        "same" => format!("the same on {on}, although its laws say otherwise"),
        _ => format!("unknown on {on}"),
    }
}

/// Chooses the operands that are listed, in their order: all, or of many some of the first and those that differ.
fn listed(count: usize, example: Option<&CounterexampleRecord>) -> Vec<usize> {
    if count <= LISTED_OPERANDS {
        return (0..count).collect();
    }
    let differs = |k: &usize| example.is_some_and(|example| example.target_reads.get(*k) != example.reads.get(*k));
    let first = LISTED_OPERANDS / 2;
    (0..first).chain((first..count).filter(differs).take(LISTED_OPERANDS - first)).collect()
}

/// Says what happens and why, in one line.
pub fn title(finding: &FindingRecord) -> String {
    let what = consequence(finding, &[&finding.target]);
    if finding.reason.is_empty() { what } else { format!("{what}: {}", escaped(&finding.reason)) }
}

/// Names the node of a finding, its operator and its place: `bias1 (Add), #3`.
pub fn node(finding: &FindingRecord) -> String {
    let counted = finding.line.is_none() && !finding.inner;
    let place = if counted { format!("#{}", finding.number) } else { quoted(&finding.place) };
    format!("{} ({}), {place}", quoted(&fused(&finding.node)), quoted(&finding.op))
}

/// A line about an operand, or about the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReportRow {
    /// The tensor; the name of a fused one in short.
    pub name: String,
    /// Its shape.
    pub shape: String,
    /// Where the shape is known from.
    pub origin: String,
    /// Whether all its dims are numbers.
    pub is_known: bool,
    /// What is read of it, where the two read different elements.
    pub label: Option<String>,
}

/// Lists the operands of a node and its result; of many operands, some of the first and those that are read otherwise.
pub fn rows(finding: &FindingRecord) -> Vec<ReportRow> {
    let listed = listed(finding.operands.len(), finding.counterexample.as_deref());
    let row = |&k: &usize| {
        let operand = &finding.operands[k];
        let is_size = |dim: &DimRecord| matches!(dim, DimRecord::Size(_));
        let is_known = operand.shape.as_ref().is_some_and(|dims| dims.iter().all(is_size));
        let (shape, origin) = (shape(operand.shape.as_deref()), escaped(&short(finding, &operand.origin)));
        ReportRow { name: fused(&operand.tensor), shape, origin, is_known, label: label(finding, k) }
    };
    let mut rows: Vec<ReportRow> = listed.iter().map(row).collect();
    let bare = |name: &str, shape| ReportRow {
        name: name.to_owned(),
        shape,
        origin: String::new(),
        is_known: true,
        label: None,
    };
    let left = finding.operands.len() - listed.len();
    if left > 0 {
        rows.push(bare("...", format!("{left} more")));
    }
    rows.push(bare("result", shape(finding.result.as_deref())));
    rows
}

fn shape(dims: Option<&[DimRecord]>) -> String {
    let word = |dim: &DimRecord| match dim {
        DimRecord::Size(size) => size.to_string(),
        DimRecord::Open(name) => quoted(name),
    };
    dims.map_or_else(|| "of unknown rank".to_owned(), |dims| tuple(&dims.iter().map(word).collect::<Vec<_>>()))
}

/// Says what is read of operand `k`, where the two read different elements.
fn label(finding: &FindingRecord, k: usize) -> Option<String> {
    let example = finding.counterexample.as_ref()?;
    let (here, there) = (example.reads.get(k)?, example.target_reads.get(k)?);
    let name = quoted(&fused(&finding.operands.get(k)?.tensor));
    let (here, there) = (index(here), index(there));
    (here != there).then(|| format!("this model reads {name}{here}, {} reads {name}{there}", finding.target))
}

/// Writes the index of an element: `[0, 1]`.
fn index(at: &[usize]) -> String {
    format!("[{}]", at.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))
}

/// Says what else is known of a finding, each with a label: values, sizes near those of the model, the condition, the evidence.
pub fn notes(finding: &FindingRecord) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    if let Some(example) = &finding.counterexample {
        notes.extend(numbers(finding, example).map(|text| ("value", text)));
    }
    if let Some(near) = &finding.near {
        let chosen = listed(near.shapes.len(), Some(&near.counterexample));
        let mut shapes: Vec<String> = chosen.iter().map(|&k| tuple(&near.shapes[k])).collect();
        if chosen.len() < near.shapes.len() {
            shapes.push(format!("{} more", near.shapes.len() - chosen.len()));
        }
        let example = numbers(finding, &near.counterexample).unwrap_or_default();
        let text = format!("operands of shapes {} would differ without an error: {example}", shapes.join(" and "));
        notes.push(("near", text));
    }
    if let Some(invalid) = finding.invalid.as_ref().filter(|invalid| !finding.reason.contains(*invalid)) {
        notes.push(("model", format!("wrong by its own rule: {invalid}")));
    }
    if let Some(condition) = &finding.condition {
        notes.push(("if", format!("the same if {condition}")));
    }
    if let (Some(evidence), Some(source)) = (&finding.evidence, &finding.source) {
        notes.push(("known", known(&finding.target, evidence, source)));
    }
    notes.extend(finding.law.as_ref().map(|it| ("law", law(it))));
    notes.into_iter().map(|(label, text)| (label, short(finding, &text))).collect()
}

/// Says how a law is known. What was tested is an engine; the laws of the target name the tests.
fn known(target: &str, evidence: &str, source: &str) -> String {
    let how = match evidence {
        "run here" => {
            let (engine, _) = source.split_once("; ").unwrap_or((source, ""));
            let target = target.split(['@', '/', ' ']).next().unwrap_or(target);
            return format!("tested with {engine} (see 'broadaxe targets {target}')");
        }
        "documented" => "documented in".to_owned(),
        "by definition" => "by definition,".to_owned(),
        asked => format!("{asked},"),
    };
    format!("{how} {source}")
}

/// Returns the address of the page with the laws of the target of a finding that names its evidence; nothing for an engine that was asked.
pub fn evidence_page(finding: &FindingRecord) -> Option<String> {
    let is_of_law = matches!(finding.evidence.as_deref(), Some("run here" | "documented" | "by definition"));
    let target: Target = finding.target.parse().ok().filter(|_| is_of_law)?;
    Some(format!("{PAGES}/{}", target.profile().page()))
}

/// Says what a group of findings has in common, with the names of fused tensors in short.
pub fn why(group: &Group<'_>) -> String {
    short(group.sample(), group.why())
}

/// Writes the names of fused tensors of a finding in short: TFLite's converter joins the names of all operators that it fuses, with `;`
/// between them.
fn short(finding: &FindingRecord, text: &str) -> String {
    let names = finding.operands.iter().map(|operand| operand.tensor.as_str()).chain([finding.node.as_str()]);
    let mut names: Vec<&str> = names.filter(|name| name.contains(';')).collect();
    // A name may be the beginning of another.
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names.iter().fold(text.to_owned(), |text, name| text.replace(name, &fused(name)))
}

/// Writes the name of a fused tensor in short: the first name, and the end of the last, `block/conv;…/relu`.
///
/// ```
/// use broadaxe_models::report::words::fused;
/// assert_eq!(fused("block/conv;block/bn;block/relu"), "block/conv;…/relu");
/// assert_eq!(fused("a;b"), "a;b");
/// ```
pub fn fused(name: &str) -> String {
    let Some((first, rest)) = name.split_once(';') else { return name.to_owned() };
    let last = rest.rsplit(['/', ';']).next().unwrap_or(rest);
    let short = format!("{first};…/{last}");
    if short.chars().count() < name.chars().count() { short } else { name.to_owned() }
}

/// Says that the laws of a target say otherwise than the engine.
pub fn law(law: &LawRecord) -> String {
    let what = match law.verdict.as_str() {
        "same" => "it computes the same",
        "differs" => "it differs",
        "refused" => "it refuses the node",
        _ => "it does not support the node",
    };
    let LawRecord { target, reason, .. } = law;
    let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    if law.alone {
        format!("the laws of {target} say otherwise: {what}{reason}")
    } else {
        format!("the engine ran the node alone; in this model, the laws of {target} say: {what}{reason}")
    }
}

/// Says of nodes that a fix leaves as they are why it does, those with the same reason together; one line each.
pub fn left(model: &Model, left: &[Left]) -> Vec<String> {
    let mut reasons: Vec<((LeftKind, &str), Vec<String>)> = Vec::new();
    for left in left {
        let (key, name) = ((left.kind, &*left.reason), node_name(model, left.node));
        match reasons.iter_mut().find(|(known, _)| *known == key) {
            Some((_, names)) => names.push(name),
            None => reasons.push((key, vec![name])),
        }
    }
    reasons.sort_by_key(|((kind, _), _)| *kind);
    let line = |((kind, reason), names): ((LeftKind, &str), Vec<String>)| {
        let what = match kind {
            LeftKind::Finding => "not fixed",
            LeftKind::Unsupported => "unsupported",
            LeftKind::Unknown => "unknown",
        };
        let folded: Vec<String> = fold(names.iter().map(String::as_str)).iter().map(|(name, _)| quoted(name)).collect();
        let (shown, more) = folded.split_at(folded.len().min(NAMED_NODES));
        let more = if more.is_empty() { String::new() } else { format!(", and {} more", more.len()) };
        let count = if names.len() == 1 { String::new() } else { format!("{} nodes: ", names.len()) };
        format!("{what}: {count}{}{more}: {}", shown.join(", "), escaped(reason))
    };
    reasons.into_iter().map(line).collect()
}

/// How many nodes a note names.
pub const NAMED_NODES: usize = 8;

/// Names the other nodes of a class.
pub fn same_class(others: &[&FindingRecord]) -> Option<String> {
    let named: Vec<String> = others.iter().take(NAMED_NODES).map(|finding| quoted(&finding.node)).collect();
    let more = others.len().saturating_sub(NAMED_NODES);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    (!others.is_empty()).then(|| format!("the same in nodes of the same class: {}{more}", named.join(", ")))
}

/// Says whether the result of an example has another shape than in the model.
fn has_other_shape(finding: &FindingRecord, example: &CounterexampleRecord) -> bool {
    let asked = finding.is_asked();
    let known = |dim: &DimRecord| if let DimRecord::Size(size) = dim { Some(*size) } else { None };
    let own: Option<Vec<usize>> = finding.result.as_ref().and_then(|dims| dims.iter().map(known).collect());
    example.target_reads.is_empty() && !(asked && own.as_ref() == Some(&example.target_shape))
}

/// Writes which elements of the operands an element is computed from, where no numbers are computed.
fn places(finding: &FindingRecord, example: &CounterexampleRecord) -> String {
    let element = index(&example.element);
    let read = |reads: &[Vec<usize>]| {
        let count = reads.len().min(finding.operands.len());
        let chosen = listed(count, Some(example));
        let mut parts: Vec<String> =
            chosen.iter().map(|&k| quoted(&finding.operands[k].tensor) + &index(&reads[k])).collect();
        if chosen.len() < count {
            parts.push(format!("{} more", count - chosen.len()));
        }
        parts.join(" and ")
    };
    if example.target_reads.is_empty() {
        return format!("element {element} is not computed as in this model on {}", finding.target);
    }
    let (here, there) = (read(&example.reads), read(&example.target_reads));
    if example.reads.is_empty() {
        let shape = tuple(&example.target_shape);
        return format!(
            "element {element} of a result of shape {shape} is computed from {there} on {}",
            finding.target
        );
    }
    format!("element {element} is computed from {here} in this model and from {there} on {}", finding.target)
}

/// Writes the numbers of the operands at an element, and both results; nothing where no element is known to differ.
pub fn numbers(finding: &FindingRecord, example: &CounterexampleRecord) -> Option<String> {
    let elements = example.element.iter().zip(&example.target_shape);
    if example.numbers.is_empty() {
        if example.reads.is_empty() && example.target_reads.is_empty() {
            return None;
        }
        return (example.target_shape.len() >= example.element.len()).then(|| places(finding, example));
    }
    let exists = !example.element.is_empty() && { elements }.all(|(at, dim)| at < dim);
    let count = example.numbers.len().min(example.reads.len()).min(finding.operands.len());
    let chosen = listed(count, Some(example));
    let held = |&k: &usize| {
        let (tensor, read) = (quoted(&fused(&finding.operands[k].tensor)), index(&example.reads[k]));
        format!("{tensor}{read} = {}", value(example.numbers[k]))
    };
    let mut held: Vec<String> = chosen.iter().map(held).collect();
    if chosen.len() < count {
        held.push(format!("{} more numbers", count - chosen.len()));
    }
    let held = held.join(", ");
    let other = has_other_shape(finding, example);
    let there = if other && exists && example.target_shape.len() == example.element.len() {
        format!("{} reads past an operand's end there", finding.target)
    } else if other {
        format!("the result has shape {} on {}", tuple(&example.target_shape), finding.target)
    } else {
        result_there(finding, example, &chosen)
    };
    Some(format!(
        "with {held}, element {} is {} in this model and {there}",
        index(&example.element),
        value(example.here)
    ))
}

/// Writes the result of the target, and the numbers of the chosen operands that it reads elsewhere.
fn result_there(finding: &FindingRecord, example: &CounterexampleRecord, chosen: &[usize]) -> String {
    let elsewhere = |k: &usize| example.target_reads.get(*k).is_some_and(|read| *read != example.reads[*k]);
    let read = chosen.iter().copied().filter(elsewhere).filter_map(|k| {
        let number = value(*example.target_numbers.get(k)?);
        Some(format!("{}{} = {number}", quoted(&fused(&finding.operands[k].tensor)), index(&example.target_reads[k])))
    });
    let read: Vec<String> = read.collect();
    let read = if read.is_empty() { String::new() } else { format!(", which reads {}", read.join(", ")) };
    format!("{} on {}{read}", value(example.there), finding.target)
}

fn value(value: Option<f64>) -> String {
    value.map_or_else(|| "no finite number".to_owned(), |value| value.to_string())
}

/// Says how a finding is fixed, and what that costs.
pub fn fix(repair: &RepairRecord) -> String {
    let cost = copies(repair).unwrap_or_else(|| "no run-time copy".to_owned());
    format!("{}; {cost}", escaped(&repair.text))
}

/// Says what a repair copies each time the model runs; nothing where it copies nothing.
pub fn copies(repair: &RepairRecord) -> Option<String> {
    let copied = &repair.copied;
    (!copied.parts().is_empty()).then(|| format!("copies {copied} each time the model runs"))
}

/// Says how many findings can be fixed, `13 of 26 findings`, and of which targets and what that needs:
/// ` (all of ncnn, none of coreml), with an upgrade from opset 6 to 7`, or an empty text; nothing where no finding needs a fix.
pub fn fixable_share(record: &CheckRecord) -> Option<[String; 2]> {
    let (all, fixed) = (record.repairable(), record.fixable());
    let findings = if all == 1 { "finding" } else { "findings" };
    let old = record.opset.filter(|&opset| fixed > 0 && record.format == "onnx" && opset < OPSET);
    let upgrade = old.map_or_else(String::new, |opset| format!(", with an upgrade from opset {opset} to {OPSET}"));
    let shares = record.targets.iter().map(|target| (target.name.as_str(), record.share_of(Some(&target.name))));
    let mut shares: Vec<_> = shares.filter(|(_, (_, all))| *all > 0).collect();
    shares.sort_by_key(|&(_, (fixed, all))| (fixed < all, fixed == 0));
    let said = shares.iter().map(|&(name, (fixed, all))| match fixed {
        0 => format!("none of {name}"),
        _ if fixed == all => format!("all of {name}"),
        _ => format!("{fixed} of {all} of {name}"),
    });
    let said: Vec<String> = said.collect();
    let is_told = fixed > 0 && fixed < all && said.len() > 1;
    let said = if is_told { format!(" ({})", said.join(", ")) } else { String::new() };
    let needed: Vec<String> = record.needed_inputs.iter().map(|name| quoted(name)).collect();
    let needed = if fixed == 0 || needed.is_empty() {
        String::new()
    } else {
        format!(", once --input-shape gives the shape of {}", needed.join(", "))
    };
    (all > 0).then(|| [format!("{fixed} of {all} {findings}"), said + &upgrade + &needed])
}

/// Says how many findings can be fixed: `13 of 26 findings can be fixed (all of ncnn, none of coreml)`; nothing where none needs a fix.
pub fn fixable(record: &CheckRecord) -> Option<String> {
    let [share, how] = fixable_share(record)?;
    Some(format!("{share} can be fixed{how}"))
}

#[cfg(test)]
mod tests;
