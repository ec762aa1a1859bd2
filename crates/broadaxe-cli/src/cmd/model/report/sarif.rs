//! Writes findings in SARIF 2.1.0, which code review on the web shows next to a change.

use broadaxe_draw::markdown::{markdown, plain};
use broadaxe_models::{
    code::{CODES, Code},
    report::{CheckRecord, FindingRecord, Shown, drawings},
};
use broadaxe_session::fingerprint::{self, Fingerprints};
use serde::Serialize;
use serde_json::{Value, json};

use super::severity::{self, line, sentence};
use crate::{
    answer::{Checked, Each, FileRecord},
    link,
};

/// The log of one run.
#[derive(Serialize)]
struct Log<R> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<R>; 1],
}

#[derive(Serialize)]
struct Run<R> {
    tool: Value,
    invocations: Value,
    results: R,
}

/// Makes the log of one run over all models. Its results are made while they are written.
pub(super) fn log(found: &Checked, shown: Shown) -> impl Serialize {
    let rules: Vec<Value> = CODES.iter().map(|code| rule(code)).collect();
    let results = Each(move || {
        let mut seen = Fingerprints::default();
        let findings = found.models.iter().flat_map(|record| record.findings.iter().map(move |one| (record, one)));
        let findings = findings.filter(move |(_, finding)| shown.has(finding) || finding.is_suppressed());
        findings.filter_map(move |(record, finding)| result(record, finding, &mut seen))
    });
    let tool = json!({ "driver": {
        "name": "broadaxe",
        "version": env!("CARGO_PKG_VERSION"),
        "informationUri": env!("CARGO_PKG_REPOSITORY"),
        "rules": rules,
    } });
    let invocations = json!([{
        "executionSuccessful": found.errors.is_empty(),
        "toolExecutionNotifications": found.errors.iter().map(notification).collect::<Vec<_>>(),
    }]);
    let schema = "https://json.schemastore.org/sarif-2.1.0.json";
    Log { schema, version: "2.1.0", runs: [Run { tool, invocations, results }] }
}

/// Describes a kind of finding.
fn rule(code: &Code) -> Value {
    json!({
        "id": code.id,
        "name": code.name,
        "shortDescription": { "text": code.meaning },
        "fullDescription": { "text": first_paragraph(code.page) },
        "help": { "text": code.page, "markdown": code.page },
        "helpUri": link::page(code),
        "defaultConfiguration": { "level": code.severity.word() },
    })
}

/// Returns the first paragraph below the first heading of a page.
fn first_paragraph(page: &str) -> &str {
    page.split("\n\n").find(|part| !part.starts_with('#')).unwrap_or_default()
}

fn result(record: &CheckRecord, finding: &FindingRecord, seen: &mut Fingerprints) -> Option<Value> {
    let code = severity::reported(finding)?;
    let mut result = json!({
        "ruleId": code.id,
        "ruleIndex": CODES.iter().position(|one| one.id == code.id),
        "level": code.severity.word(),
        "message": message(finding),
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&record.model, cfg!(windows)) },
                "region": { "startLine": line(finding) },
            },
            "logicalLocations": [{ "name": finding.node, "kind": "member" }],
        }],
        "partialFingerprints": { "broadaxe/v1": seen.next(fingerprint::of(&record.model, finding)) },
        "properties": { "target": finding.target, "verdict": finding.verdict, "fixable": finding.fixable },
    });
    if let Some(repair) = &finding.repair {
        // A model file is binary, so a fix in the form of SARIF, which replaces text, cannot be written.
        result["properties"]["repair"] = json!({ "text": repair.text, "bytes": repair.bytes, "copied": repair.copied });
    }
    if let Some(reason) = &finding.ignored {
        result["suppressions"] = json!([{ "kind": "external", "status": "accepted", "justification": reason }]);
    } else if finding.known {
        result["baselineState"] = "unchanged".into();
        result["suppressions"] =
            json!([{ "kind": "external", "status": "accepted", "justification": "in the baseline" }]);
    }
    Some(result)
}

/// Writes what happens; as Markdown with the drawings of the operands.
fn message(finding: &FindingRecord) -> Value {
    let text = sentence(finding);
    let drawings: Vec<String> = drawings(finding).iter().map(markdown).collect();
    if drawings.is_empty() {
        return json!({ "text": text });
    }
    let markdown = format!("{}\n\n{}", plain(&text), drawings.join("\n"));
    json!({ "text": text, "markdown": markdown })
}

/// Reports a file that could not be judged.
fn notification(error: &FileRecord) -> Value {
    json!({
        "level": "error",
        "message": { "text": error.sentence() },
        "locations": [{
            "physicalLocation": { "artifactLocation": { "uri": uri(&error.file, cfg!(windows)) } },
        }],
    })
}

/// Writes a path as an address of RFC 3986: relative as it was given, or with the scheme `file`.
///
/// All bytes but those that are never special in an address are percent-encoded. On Windows, backslashes separate folders; elsewhere
/// they are part of a name.
fn uri(path: &str, windows: bool) -> String {
    let slashed = if windows { path.replace('\\', "/") } else { path.to_owned() };
    let path = if windows { slashed.strip_prefix("//?/").unwrap_or(&slashed) } else { &slashed };
    let drive = path.split_at_checked(2).filter(|(drive, rest)| {
        windows && rest.starts_with('/') && drive.ends_with(':') && drive.as_bytes()[0].is_ascii_alphabetic()
    });
    match drive {
        Some((drive, rest)) => format!("file:///{drive}{}", encoded(rest)),
        None if windows && path.starts_with("//") => format!("file:{}", encoded(path)),
        None if path.starts_with('/') => format!("file://{}", encoded(path)),
        None => encoded(path),
    }
}

fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let encode = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::sample, *};

    #[test]
    fn addresses() {
        let cases = [
            ("models/a.onnx", false, "models/a.onnx"),
            ("my models/a model.onnx", false, "my%20models/a%20model.onnx"),
            ("100%.onnx", false, "100%25.onnx"),
            ("a%20b.onnx", false, "a%2520b.onnx"),
            ("a#1?b=c&d.onnx", false, "a%231%3Fb%3Dc%26d.onnx"),
            // A colon in the first segment would end a scheme.
            ("a:b,c.onnx", false, "a%3Ab%2Cc.onnx"),
            ("é/模型.onnx", false, "%C3%A9/%E6%A8%A1%E5%9E%8B.onnx"),
            ("\u{1f600}[x]~_-.onnx", false, "%F0%9F%98%80%5Bx%5D~_-.onnx"),
            ("\"<\n>\".onnx", false, "%22%3C%0A%3E%22.onnx"),
            ("../a/./b.onnx", false, "../a/./b.onnx"),
            ("/data/a b.onnx", false, "file:///data/a%20b.onnx"),
            ("a\\b.onnx", false, "a%5Cb.onnx"),
            ("C:\\a.onnx", false, "C%3A%5Ca.onnx"),
            ("a\\b c.onnx", true, "a/b%20c.onnx"),
            ("C:\\data\\100%.onnx", true, "file:///C:/data/100%25.onnx"),
            ("C:a.onnx", true, "C%3Aa.onnx"),
            ("\\\\?\\D:\\a.onnx", true, "file:///D:/a.onnx"),
            ("\\\\server\\share\\é.onnx", true, "file://server/share/%C3%A9.onnx"),
            ("\\a.onnx", true, "file:///a.onnx"),
        ];
        for (path, windows, want) in cases {
            assert_eq!(uri(path, windows), want, "{path}, Windows: {windows}");
        }
    }

    #[test]
    fn each_finding_is_one_result() {
        let found = sample::checked();
        let run = &json!(log(&found, sample::SHOWN))["runs"][0];
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), found.models[0].findings.iter().filter(|one| one.code.is_some()).count());
        for result in results {
            assert_eq!(
                run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize]["id"],
                result["ruleId"]
            );
            assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b.onnx");
        }
        let failed = &run["invocations"][0]["toolExecutionNotifications"][0];
        assert_eq!(failed["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "%3Cno%3E.onnx");
    }
}
