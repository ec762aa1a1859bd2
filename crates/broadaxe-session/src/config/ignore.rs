//! The entries `[[ignore]]` of a configuration: findings that do not count, each with a reason.

use broadaxe_models::{profiles::Target, report::FindingRecord};
use toml::Spanned;

use super::{
    pattern::{NamePattern, PathPattern},
    place::Document,
    raw::RawIgnore,
};
use crate::{error::Error, request::FailOn};

/// An entry `[[ignore]]`: what a finding must be so that it does not count.
#[derive(Clone, Debug)]
pub struct Ignore {
    /// The line in the configuration file.
    pub line: usize,
    /// Why such findings do not count.
    pub reason: String,
    code: Option<String>,
    op: Option<String>,
    node: Option<NamePattern>,
    model: Option<PathPattern>,
    target: Option<Target>,
    verdict: Option<FailOn>,
    /// The selectors, for notes.
    shown: String,
}

impl Ignore {
    /// Reads an entry.
    pub(super) fn new(document: &Document, entry: Spanned<RawIgnore>) -> Result<Self, Error> {
        let (span, mut raw) = (entry.span(), entry.into_inner());
        let fail = |text: &Spanned<String>| {
            let span = text.span();
            move |message: String| document.error(span, message)
        };
        let reason = raw.reason.take().filter(|reason| !reason.get_ref().trim().is_empty()).ok_or_else(|| {
            document.error(span.clone(), "this [[ignore]] needs a reason, such as reason = \"batch is always 1\"")
        })?;
        let shown = shown(&raw);
        if shown.is_empty() {
            let text =
                "this [[ignore]] ignores everything; give at least one of code, op, node, model, target, verdict";
            return Err(document.error(span, text));
        }
        if let Some(code) = raw.code.as_ref().filter(|code| !is_code(code.get_ref())) {
            let text = format!("'{}' is not the code of a finding such as BX101, nor its beginning", code.get_ref());
            return Err(document.error(code.span(), text));
        }
        let target = raw
            .target
            .as_ref()
            .map(|name| name.get_ref().parse::<Target>().map_err(|error| document.error(name.span(), error.message())));
        Ok(Self {
            line: document.line(&span),
            reason: reason.into_inner().trim().to_owned(),
            code: raw.code.map(Spanned::into_inner),
            op: raw.op.map(Spanned::into_inner),
            node: raw.node.as_ref().map(|t| NamePattern::new(t.get_ref()).map_err(fail(t))).transpose()?,
            model: raw.model.as_ref().map(|t| PathPattern::new(t.get_ref()).map_err(fail(t))).transpose()?,
            target: target.transpose()?,
            verdict: raw.verdict.as_ref().map(|t| FailOn::named(t.get_ref()).map_err(fail(t))).transpose()?,
            shown,
        })
    }

    /// Returns the selectors as the file has them, for people.
    pub fn selectors(&self) -> &str {
        &self.shown
    }

    /// Says whether the entry is about this model, which is named as seen from the folder of the configuration.
    pub(super) fn is_about(&self, model: &str) -> bool {
        self.model.as_ref().is_none_or(|pattern| pattern.matches(model))
    }

    /// Says whether the entry is about findings for this target.
    pub fn is_for(&self, target: &str) -> bool {
        self.target.is_none_or(|wanted| is_of(wanted, target))
    }

    /// Says whether a finding on a model that the entry is about has all that it asks for.
    pub fn matches(&self, finding: &FindingRecord, code: &str) -> bool {
        self.code.as_ref().is_none_or(|begin| code.starts_with(begin.as_str()))
            && self.op.as_ref().is_none_or(|op| *op == finding.op)
            && self.verdict.is_none_or(|verdict| verdict.is(&finding.verdict))
            && self.is_for(&finding.target)
            && self.node.as_ref().is_none_or(|pattern| pattern.matches(&finding.node))
    }
}

/// Writes the selectors of an entry: `op = 'Add', target = 'ncnn'`.
fn shown(raw: &RawIgnore) -> String {
    let RawIgnore { reason: _, code, op, node, model, target, verdict } = raw;
    let selectors =
        [("code", code), ("op", op), ("node", node), ("model", model), ("target", target), ("verdict", verdict)];
    let given = selectors.iter().filter_map(|(key, text)| Some(format!("{key} = '{}'", text.as_ref()?.get_ref())));
    given.collect::<Vec<_>>().join(", ")
}

/// Says whether a text is a code such as `BX101`, or the beginning of one.
fn is_code(text: &str) -> bool {
    text.strip_prefix("BX").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Says whether a finding is for a target. One without a version is that of every version, and of an engine that was asked.
fn is_of(wanted: Target, target: &str) -> bool {
    let wanted = wanted.to_string();
    let name = target.split(['@', ' ']).next().unwrap_or(target);
    wanted == target || name.parse::<Target>().is_ok_and(|plain| plain.to_string() == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        let cases = [
            ("openvino", "openvino", true),
            ("ort", "onnx", true),
            ("onnx", "onnxruntime 1.20.1", true),
            ("litert-gpu", "litert-gpu@2.1.3", true),
            ("litert-gpu", "litert-gpu 2.1.3", true),
            ("litert-gpu@2.1.3", "litert-gpu@2.1.3", true),
            ("litert-gpu@2.1.3", "litert-gpu", false),
            ("ncnn", "openvino", false),
            ("rank<=4", "rank<=4", true),
            ("rank<=4", "rank<=5", false),
        ];
        for (wanted, target, want) in cases {
            assert_eq!(is_of(wanted.parse().unwrap(), target), want, "{wanted} {target}");
        }
    }

    #[test]
    fn codes() {
        let cases = [("BX101", true), ("BX1", true), ("BX", true), ("bx101", false), ("", false), ("BXone", false)];
        for (text, want) in cases {
            assert_eq!(is_code(text), want, "{text}");
        }
    }
}
