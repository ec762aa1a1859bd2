//! Reads arbitrary bytes as a text of ncnn or pnnx: nothing panics, shapes can be asked for, and a changed text can be read.

#![no_main]

use broadaxe_models::{Edit, Model, NodeId, Source, Use, edit::Piece, format, infer::infer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(model) = format::read(&Source::memory(bytes, Some("no/such/model.param".into()))) else { return };
    assert_eq!(written(&model, &[]).expect("a text without changes can be written"), bytes);
    let shapes = infer(&model, &[]).expect("nothing was given that could be wrong");
    assert_eq!(shapes.of.len(), model.values.len());
    let node = NodeId((bytes.len() % model.nodes.len()) as u32);
    let at = Use { node, input: 0 };
    for edit in [
        Edit::Unsqueeze { at, axes: vec![0] },
        Edit::Reshape { at, shape: vec![0, -1] },
        Edit::Expand { at, shape: vec![2, 3] },
        Edit::ReshapeResult { node, shape: vec![-1] },
        Edit::Swap { node, op: String::from("BinaryOp") },
        Edit::Attribute { node, name: String::from("3"), value: None },
    ] {
        // What is taken away from a text of pnnx may be what it is known by.
        if let (Ok(after), "ncnn") = (written(&model, &[edit]), model.format) {
            format::read(&Source::memory(after, Some("no/such/model.param".into()))).expect("a changed text can be read");
        }
    }
});

/// Returns the changed text.
fn written(model: &Model, edits: &[Edit]) -> Result<Vec<u8>, broadaxe_models::Error> {
    let mut bytes = Vec::new();
    for piece in &format::write(model, edits)?.files[0].pieces {
        match piece {
            Piece::Kept { at, len } => bytes.extend(model.source.read(*at, *len as usize)?),
            Piece::New(new) => bytes.extend(new),
        }
    }
    Ok(bytes)
}
