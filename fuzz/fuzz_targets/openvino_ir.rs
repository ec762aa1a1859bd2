//! Reads arbitrary bytes as an IR: nothing panics, what is read hangs together, and no change writes it as it was.

#![no_main]

use broadaxe_models::{Edit, Model, NodeId, Source, Use, edit::Piece, format};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = Source::memory(bytes, Some("model.xml".into()));
    let Ok(model) = format::read(&source) else { return };
    let written = format::write(&model, &[]).expect("a model without changes can be written");
    assert_eq!(written.files[0].pieces, [Piece::Kept { at: 0, len: bytes.len() as u64 }]);
    whole(&model);
    let at = Use { node: NodeId(0), input: 0 };
    for edit in [
        Edit::Unsqueeze { at, axes: vec![0] },
        Edit::Reshape { at, shape: vec![0, -1] },
        Edit::ReshapeResult { node: NodeId(0), shape: vec![-1] },
        Edit::Swap { node: NodeId(0), op: String::from("Add") },
    ] {
        let _ = format::write(&model, &[edit]);
    }
});

/// Follows every id of a model.
fn whole(model: &Model) {
    let mut made = vec![false; model.values.len()];
    for id in model.walk() {
        let node = model.node(id);
        for input in node.inputs.iter().flatten() {
            let value = model.value(*input);
            assert!(value.producer.is_none() || made[input.0 as usize], "a node comes before what it reads");
        }
        node.outputs.iter().flatten().for_each(|output| made[output.0 as usize] = true);
    }
    for graph in &model.graphs {
        assert!(graph.inputs.iter().chain(&graph.outputs).all(|id| (id.0 as usize) < model.values.len()));
    }
}
