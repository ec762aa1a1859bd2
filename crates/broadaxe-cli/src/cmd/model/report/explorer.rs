//! Writes findings as node data of Model Explorer, which colours the nodes of a model that it draws.

use std::collections::{BTreeMap, HashSet};

use broadaxe_models::{
    code::{self, Code, Severity},
    report::{CheckRecord, FindingRecord, Shown},
};
use serde_json::{Value, json};

use crate::answer::Checked;

/// The findings on one node: each kind, with the targets that have it. The most severe kind is first.
type Kinds<'a> = BTreeMap<(Severity, &'static str), (&'static Code, Vec<&'a str>)>;

/// Makes the data of one graph, which Model Explorer lays over the graph that it shows: a text and a colour per node.
pub(super) fn overlay(found: &Checked, shown: Shown) -> Value {
    let mut nodes: BTreeMap<String, Kinds<'_>> = BTreeMap::new();
    for record in &found.models {
        let ambiguous = ambiguous(record);
        for (finding, code) in reported(record, shown) {
            let Some(key) = key(record, finding, &ambiguous) else { continue };
            let (_, targets) =
                nodes.entry(key).or_default().entry((code.severity, code.id)).or_insert((code, Vec::new()));
            targets.push(&finding.target);
        }
    }
    let results: serde_json::Map<String, Value> = nodes.into_iter().map(|(key, kinds)| (key, result(&kinds))).collect();
    // The texts are no numbers, so that tables of sums and means would be empty.
    json!({
        "name": "broadaxe",
        "results": results,
        "hideInAggregatedStatsTable": true,
        "hideInChildrenStatsTable": true,
    })
}

/// Counts the findings that are left out, since Model Explorer draws their nodes in other graphs, and says so.
pub(super) fn left_out(found: &Checked, shown: Shown) -> Option<String> {
    let all = found.models.iter().flat_map(|record| reported(record, shown));
    let count = all.filter(|(finding, _)| finding.inner).count();
    let findings = if count == 1 { "finding is" } else { "findings are" };
    (count > 0).then(|| {
        format!(
            "{count} {findings} not in the report for Model Explorer: it draws the bodies of loops, branches and functions \
             as graphs of their own, and colours one graph"
        )
    })
}

fn reported(record: &CheckRecord, shown: Shown) -> impl Iterator<Item = (&FindingRecord, &'static Code)> {
    let findings = record.findings.iter().filter(move |finding| shown.has(finding));
    findings.filter_map(|finding| Some((finding, code::find(finding.code.as_deref()?)?)))
}

/// Returns the key of a node: its name in ONNX files, and the name of its first output in TFLite files, whose operators have no names.
///
/// Where outputs of a TFLite file share a name, the key is the number of the operator.
fn key(record: &CheckRecord, finding: &FindingRecord, ambiguous: &HashSet<&str>) -> Option<String> {
    if finding.inner {
        return None;
    }
    let is_ambiguous = renamed(&finding.node).is_some() || ambiguous.contains(finding.node.as_str());
    Some(if is_ambiguous && record.format == "tflite" { finding.number.to_string() } else { finding.node.clone() })
}

/// Lists the names that several nodes share.
fn ambiguous(record: &CheckRecord) -> HashSet<&str> {
    record.findings.iter().filter_map(|finding| renamed(&finding.node)).collect()
}

/// Returns the name that a tensor has in its file, if it was renamed from `b` to `b#6` because another one has the same name.
fn renamed(name: &str) -> Option<&str> {
    let (base, number) = name.rsplit_once('#')?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(base)
}

/// Writes what was found on a node, such as `BX101 wrong-axis: ncnn, onnx`, in the colour of the most severe kind.
fn result(kinds: &Kinds<'_>) -> Value {
    let said = kinds.values().map(|(code, targets)| format!("{} {}: {}", code.id, code.name, targets.join(", ")));
    let said: Vec<String> = said.collect();
    let worst = kinds.keys().next().map_or(Severity::Note, |(severity, _)| *severity);
    let (background, text) = match worst {
        Severity::Error => ("#d93025", "#ffffff"),
        Severity::Warning => ("#f9ab00", "#1f1f1f"),
        Severity::Note => ("#bdc1c6", "#1f1f1f"),
    };
    json!({ "value": said.join("; "), "bgColor": background, "textColor": text })
}

#[cfg(test)]
mod tests {
    use super::{super::sample, *};

    #[test]
    fn nodes_have_a_text_and_a_colour() {
        let found = sample::checked();
        let data = overlay(&found, sample::SHOWN);
        let results = data["results"].as_object().unwrap();
        let names: HashSet<&str> =
            found.models[0].findings.iter().filter(|one| one.code.is_some()).map(|one| one.node.as_str()).collect();
        assert_eq!(results.keys().map(String::as_str).collect::<HashSet<_>>(), names);
        let want = json!({ "value": "BX101 wrong-axis: onnx, ncnn", "bgColor": "#d93025", "textColor": "#ffffff" });
        assert_eq!(results[sample::NAME], want);
        assert_eq!(left_out(&found, sample::SHOWN), None);
    }

    #[test]
    fn the_colour_is_that_of_the_worst_kind() {
        let mut found = sample::checked();
        let record = &mut found.models[0];
        record.findings.truncate(3);
        for (finding, id) in record.findings.iter_mut().zip(["BX502", "BX301", "BX401"]) {
            (finding.node, finding.code, finding.verdict) = ("one".into(), Some(id.into()), "differs".into());
            finding.target = "t".into();
        }
        let colours: Vec<(String, String)> = [3, 2, 1]
            .map(|count| {
                found.models[0].findings.truncate(count);
                let result = overlay(&found, sample::SHOWN)["results"]["one"].clone();
                let text = |key: &str| result[key].as_str().unwrap().to_owned();
                (text("value"), text("bgColor"))
            })
            .into();
        assert!(colours[0].0.starts_with("BX301 ") && colours[0].0.contains("; BX401 "), "{colours:?}");
        assert!(colours[0].0.contains("; BX502 "), "{colours:?}");
        assert_eq!([&colours[0].1, &colours[1].1, &colours[2].1], ["#f9ab00", "#f9ab00", "#bdc1c6"]);
    }

    #[test]
    fn keys_are_those_of_model_explorer() {
        let cases = [
            ("onnx", "conv/Add", (7, false), Some("conv/Add")),
            ("onnx", "a#3", (7, false), Some("a#3")),
            ("onnx", "a", (0, true), None),
            ("tflite", "sum;relu", (4, false), Some("sum;relu")),
            ("tflite", "b#6", (2, false), Some("2")),
            ("tflite", "b", (1, false), Some("1")),
            ("tflite", "c#", (3, false), Some("c#")),
            ("tflite", "a", (0, true), None),
        ];
        let mut found = sample::checked();
        let record = &mut found.models[0];
        let ambiguous = HashSet::from(["b"]);
        for (format, node, (number, inner), want) in cases {
            record.format = format.into();
            let mut finding = record.findings[0].clone();
            (finding.node, finding.number, finding.inner) = (node.into(), number, inner);
            assert_eq!(key(record, &finding, &ambiguous).as_deref(), want, "{format} {node} {number}");
        }
        record.findings[0].node = "b#6".into();
        assert!(super::ambiguous(record).contains("b"));
        record.findings.truncate(1);
        record.findings[0].inner = true;
        assert_eq!(overlay(&found, sample::SHOWN)["results"], json!({}));
        assert!(left_out(&found, sample::SHOWN).unwrap().starts_with("1 finding is not"));
    }
}
