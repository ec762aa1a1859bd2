//! Writes findings as node data of Model Explorer, which colours the nodes of a model that it draws.

use std::{borrow::Cow, collections::HashSet};

use broadaxe_models::{
    code::{self, Code, Severity},
    report::{CheckRecord, FindingRecord, Shown},
};
use serde::{Serialize, Serializer};

use crate::answer::Checked;

/// The data of one graph, which Model Explorer lays over the graph that it shows: a text and a colour per node.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Overlay<'a> {
    name: &'static str,
    #[serde(serialize_with = "results")]
    results: Vec<Marked<'a>>,
    // The texts are no numbers, so that tables of sums and means would be empty.
    hide_in_aggregated_stats_table: bool,
    hide_in_children_stats_table: bool,
}

/// A finding: the key of its node, its kind, and its target.
type Marked<'a> = (Cow<'a, str>, &'static Code, &'a str);

/// Makes the data of the graph.
pub(super) fn overlay(found: &Checked, shown: Shown) -> Overlay<'_> {
    let mut said = Vec::new();
    for record in &found.models {
        let ambiguous = ambiguous(record);
        said.extend(
            reported(record, shown)
                .filter_map(|(finding, code)| Some((key(record, finding, &ambiguous)?, code, &*finding.target))),
        );
    }
    // The most severe kind is first; targets stay in their order.
    said.sort_by(|one: &Marked<'_>, other| {
        (&one.0, one.1.severity, one.1.id).cmp(&(&other.0, other.1.severity, other.1.id))
    });
    Overlay {
        name: "broadaxe",
        results: said,
        hide_in_aggregated_stats_table: true,
        hide_in_children_stats_table: true,
    }
}

fn results<S: Serializer>(said: &[Marked<'_>], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(said.chunk_by(|one, other| one.0 == other.0).map(|kinds| (&kinds[0].0, result(kinds))))
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
fn key<'a>(record: &CheckRecord, finding: &'a FindingRecord, ambiguous: &HashSet<&str>) -> Option<Cow<'a, str>> {
    if finding.inner {
        return None;
    }
    let is_ambiguous = renamed(&finding.node).is_some() || ambiguous.contains(finding.node.as_str());
    let by_number = is_ambiguous && record.format == "tflite";
    Some(if by_number { finding.number.to_string().into() } else { finding.node.as_str().into() })
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

/// What Model Explorer shows on a node.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shade {
    value: String,
    bg_color: &'static str,
    text_color: &'static str,
}

/// Writes what was found on a node, such as `BX101 wrong-axis: ncnn, onnx`, in the colour of the most severe kind.
fn result(kinds: &[Marked<'_>]) -> Shade {
    let said = kinds.chunk_by(|one, other| one.1.id == other.1.id).map(|alike| {
        let targets: Vec<&str> = alike.iter().map(|(_, _, target)| *target).collect();
        format!("{} {}: {}", alike[0].1.id, alike[0].1.name, targets.join(", "))
    });
    let value = said.collect::<Vec<String>>().join("; ");
    let (bg_color, text_color) = match kinds.first().map_or(Severity::Note, |(_, code, _)| code.severity) {
        Severity::Error => ("#d93025", "#ffffff"),
        Severity::Warning => ("#f9ab00", "#1f1f1f"),
        Severity::Note => ("#bdc1c6", "#1f1f1f"),
    };
    Shade { value, bg_color, text_color }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{super::sample, *};

    fn overlay(found: &Checked) -> Value {
        serde_json::to_value(super::overlay(found, sample::SHOWN)).expect("JSON")
    }

    #[test]
    fn nodes_have_a_text_and_a_colour() {
        let found = sample::checked();
        let data = overlay(&found);
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
                let result = overlay(&found)["results"]["one"].clone();
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
        assert_eq!(overlay(&found)["results"], json!({}));
        assert!(left_out(&found, sample::SHOWN).unwrap().starts_with("1 finding is not"));
    }
}
