//! Makes the findings that the reports are tested on.

use std::{fmt, path::Path};

use broadaxe_models::{
    check::check,
    report::{CheckRecord, Shown},
};

use crate::{
    answer::{Checked, FileRecord},
    cmd::model::open,
    error::Error,
};
use broadaxe_session::{model::load, request::Inputs};

/// What the reports show.
pub(super) const SHOWN: Shown = Shown { all: false };

/// The name of a node: with characters that mean something in JSON, XML, Markdown and workflow commands, and two that XML cannot hold.
pub(super) const NAME: &str = "<&\"'|`]]>\n::error::%0A @you #1 \u{1b}[31m\u{202e}\u{ffff}\u{fffe}";

/// Returns what is written.
pub(super) fn written(write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> String {
    let mut text = String::new();
    write(&mut text).unwrap();
    text
}

/// Checks the example: three findings on two nodes, of which the first has a hostile name; and a file that could not be judged.
pub(super) fn checked() -> Checked {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/face.onnx"));
    let loaded = load(path, &Inputs::default(), &|path| open(path)).unwrap();
    let targets = ["onnx", "openvino", "ncnn"].map(|name| name.parse().unwrap());
    let mut record = CheckRecord::new("a b.onnx", &loaded.model, check(&loaded.model, &loaded.shapes, &targets));
    for finding in &mut record.findings {
        finding.fails = finding.code.is_some();
        if finding.node == "bias1" {
            NAME.clone_into(&mut finding.node);
        }
    }
    let error = FileRecord::new("<no>.onnx", &Error::usage("not a model file \u{1b}"));
    Checked { models: vec![record], errors: vec![error], ..Checked::default() }
}
