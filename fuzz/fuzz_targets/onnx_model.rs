//! Reads arbitrary bytes as an ONNX model, changes it, and reads the result: what is read can be written, and what is
//! written can be read.

#![no_main]

use broadaxe_models::{Edit, NodeId, Source, Use, ValueId, format};
use libfuzzer_sys::fuzz_target;

/// The most changes that are made at once.
const MOST: usize = 16;

fuzz_target!(|bytes: &[u8]| {
    let source = Source::memory(bytes.to_vec(), None);
    let Ok(model) = format::read(&source) else { return };
    if model.format != "onnx" {
        return;
    }
    let same =
        format::write(&model, &[]).and_then(|written| format::changed(&model, &written)).expect("an unchanged model");
    assert_eq!((same.nodes.len(), same.values.len()), (model.nodes.len(), model.values.len()));
    let constants = model.values.iter().enumerate().filter_map(|(k, value)| {
        let mut shape = value.constant.as_ref()?.shape.clone();
        shape.insert(0, 1);
        Some(Edit::ReshapeConstant { value: ValueId(k as u32), shape })
    });
    let inputs = model.nodes.iter().enumerate().filter(|(_, node)| !node.inputs.is_empty()).map(|(k, node)| {
        let node_id = NodeId(k as u32);
        let at = Use { node: node_id, input: k % node.inputs.len() };
        match k % 5 {
            0 => Edit::Reshape { at, shape: vec![-1, 1] },
            1 => Edit::Unsqueeze { at, axes: vec![0, 2] },
            2 => Edit::Swap { node: node_id, op: node.op.clone() },
            3 => Edit::ReshapeResult { node: node_id, shape: vec![0, -1] },
            _ => Edit::Attribute { node: node_id, name: "axis".into(), value: None },
        }
    });
    // One change may be impossible; those that are possible are made together.
    let possible = |edit: &Edit| format::write(&model, std::slice::from_ref(edit)).is_ok();
    let mut edits: Vec<Edit> = constants.chain(inputs).take(4 * MOST).filter(possible).take(MOST).collect();
    // Another version may ask for other numbers of inputs, but not among those that are known.
    if model.opsets.iter().any(|(domain, version)| domain.is_empty() && (1..=28).contains(version)) {
        edits.push(Edit::Opset(18));
    }
    if let Ok(written) = format::write(&model, &edits) {
        let changed = format::changed(&model, &written).expect("a changed model can be read");
        assert!(changed.nodes.len() >= model.nodes.len());
    }
});
