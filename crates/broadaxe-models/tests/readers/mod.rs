//! Properties of the readers on any bytes. The fuzz targets call these functions with new bytes, and the test `corpus`
//! calls them with the bytes that fuzzing has kept.

use std::path::PathBuf;

use broadaxe_models::{
    Edit, Model, NodeId, Source, Target, Use, ValueId, Written, census::census, check::check, edit::File, fix::plan,
    format, graph::Graph, infer::infer, upgrade::upgrade,
};

/// A fuzz target.
pub(crate) struct Reader {
    /// Its name, which is also that of its folder in the corpus.
    pub(crate) name: &'static str,
    /// What the file with the bytes is called, in a folder that does not exist.
    pub(crate) file: &'static str,
    /// The formats whose models are looked at further.
    pub(crate) formats: &'static [&'static str],
    /// What must hold of a model that was read.
    pub(crate) holds: fn(&Model, &[u8]) -> Fixed,
}

/// The files of a fixed model, the model first; none where there was nothing to fix.
pub(crate) type Fixed = Option<Vec<Vec<u8>>>;

/// All of them. The last looks at what is said of a model, the others at how it is read and written.
pub(crate) static READERS: &[Reader] = &[
    Reader { name: "onnx_model", file: "model.onnx", formats: &["onnx"], holds: read_and_write },
    Reader { name: "openvino_ir", file: "model.xml", formats: &["openvino"], holds: read_and_write },
    Reader { name: "paddle_model", file: "model.json", formats: &["paddle"], holds: read_and_write },
    Reader { name: "ncnn_param", file: "model.param", formats: &["ncnn", "pnnx"], holds: read_and_write },
    Reader { name: "tflite_model", file: "model.tflite", formats: &["tflite"], holds: read_and_write },
    Reader {
        name: "model_check",
        file: "model",
        formats: &["onnx", "openvino", "paddle", "ncnn", "pnnx", "tflite"],
        holds: said,
    },
];

/// The most changes that are made at once.
const CHANGES: usize = 16;
/// The targets that models are checked for.
const TARGETS: &[&str] = &[
    "onnx",
    "onnx6",
    "openvino",
    "ncnn",
    "ncnn-param",
    "paddle",
    "litert",
    "litert-gpu",
    "numpy",
    "equal-rank",
    "rank<=2",
    "none",
];
/// The targets that models are fixed for.
const FIXED_FOR: &[&[&str]] = &[&["openvino", "ncnn"], &["equal-rank"], &["litert", "litert-gpu"]];

/// Reads bytes as the target of this name does, and panics where something does not hold.
pub(crate) fn holds(name: &str, bytes: &[u8]) {
    let path = PathBuf::from("no/such").join(reader(name).file);
    seen(name, &Source::memory(bytes, Some(path)), bytes);
}

/// Does the same with bytes that have a name and files of weights. Returns the fixed model, or nothing where the bytes are rejected.
pub(crate) fn seen(name: &str, source: &Source, bytes: &[u8]) -> Option<Fixed> {
    let reader = reader(name);
    match format::read(source) {
        Ok(model) if reader.formats.contains(&model.format) => Some((reader.holds)(&model, bytes)),
        Ok(_) => Some(None),
        Err(error) => {
            assert!(!error.message().is_empty());
            None
        }
    }
}

fn reader(name: &str) -> &'static Reader {
    READERS.iter().find(|reader| reader.name == name).expect("a target that is in the table")
}

/// What is read hangs together, no change writes it as it was, and what is changed can be read.
fn read_and_write(model: &Model, bytes: &[u8]) -> Fixed {
    hangs_together(model);
    assert!(written(model, &[]).expect("a model without changes can be written") == bytes, "nothing was changed");
    // One change may be impossible; those that are possible are made together.
    let possible = |edit: &Edit| format::write(model, std::slice::from_ref(edit)).is_ok();
    let edits: Vec<Edit> = changes(model).into_iter().take(4 * CHANGES).filter(possible).take(CHANGES).collect();
    repaired(model, &edits);
    None
}

/// Shapes are inferred and verdicts given, one for each value and for each node and target; repairs can be made.
fn said(model: &Model, _: &[u8]) -> Fixed {
    let shapes = infer(model, &[]).ok()?;
    assert_eq!(shapes.of.len(), model.values.len());
    let targets: Vec<Target> = TARGETS.iter().map(|name| name.parse().expect("a target that is known")).collect();
    let report = check(model, &shapes, &targets);
    assert_eq!(report.findings.len(), report.nodes * targets.len());
    assert!(report.unknown <= report.nodes && report.nodes <= model.nodes.len());
    assert!(census(model, &shapes).entries.len() <= model.nodes.len());
    let mut fixed = None;
    for targets in FIXED_FOR {
        let targets: Vec<Target> = targets.iter().map(|name| name.parse().expect("a target that is known")).collect();
        if let Ok(fix) = plan(model, &shapes, &targets) {
            let written = repaired(model, &fix.edits);
            fixed = fixed.or(written.filter(|_| !fix.edits.is_empty()));
        }
    }
    if let Ok(fix) = upgrade(model, &shapes) {
        repaired(model, &fix.edits);
    }
    fixed.map(|written| written.files.iter().map(|file| bytes_of(model, file)).collect())
}

/// A repaired model can be read, if it can be written.
fn repaired(model: &Model, edits: &[Edit]) -> Option<Written> {
    let written = format::write(model, edits).ok()?;
    let changed = format::changed(model, &written).unwrap_or_else(|error| panic!("{error} after {edits:?}"));
    hangs_together(&changed);
    Some(written)
}

/// Follows every id of a model: each names something, and a node comes after what it reads.
fn hangs_together(model: &Model) {
    let mut made = vec![false; model.values.len()];
    let order = model.walk();
    assert_eq!(order.len(), model.nodes.len(), "a node is in no graph, or in two");
    for id in order {
        let node = model.node(id);
        for &input in node.inputs.iter().flatten() {
            let late = model.value(input).producer.is_some() && !made[input.0 as usize];
            assert!(!late, "{} reads {}, which is made later", node.place, model.value(input).name);
        }
        for (k, output) in node.outputs.iter().enumerate() {
            let Some(output) = output else { continue };
            made[output.0 as usize] = true;
            assert_eq!(model.value(*output).producer, Some((id, k)), "{} makes it", node.place);
        }
    }
    let known = |id: &ValueId| (id.0 as usize) < model.values.len();
    assert!(model.graphs.iter().all(|Graph { inputs, outputs, .. }| inputs.iter().chain(outputs).all(known)));
    for value in &model.values {
        if let Some(constant) = &value.constant {
            let _ = model.elements(constant, 1 << 20);
        }
    }
}

/// Lists changes of all kinds, few for each node.
fn changes(model: &Model) -> Vec<Edit> {
    let uses = model.uses();
    let constants = model.values.iter().enumerate().filter_map(|(k, value)| {
        let mut shape = value.constant.as_ref()?.shape.clone();
        shape.insert(0, 1);
        let value = ValueId(k as u32);
        Some(match uses.of(value).first() {
            Some(&at) if k % 2 == 1 => Edit::CopyConstant { value, shape, uses: vec![at] },
            _ => Edit::ReshapeConstant { value, shape },
        })
    });
    let nodes = model.nodes.iter().enumerate().filter(|(_, node)| !node.inputs.is_empty()).map(|(k, node)| {
        let node_id = NodeId(k as u32);
        let at = Use { node: node_id, input: k % node.inputs.len() };
        match k % 6 {
            0 => Edit::Reshape { at, shape: vec![-1, 1] },
            1 => Edit::Unsqueeze { at, axes: vec![0, 2] },
            2 => Edit::Swap { node: node_id, op: node.op.clone() },
            3 => Edit::ReshapeResult { node: node_id, shape: vec![0, -1] },
            4 => Edit::Expand { at, shape: vec![2, 3] },
            _ => Edit::Attribute { node: node_id, name: "axis".into(), value: None },
        }
    });
    let mut all: Vec<Edit> = constants.take(2 * CHANGES).chain(nodes).collect();
    // Another version may ask for other numbers of inputs, but not among those that are known.
    if model.opsets.iter().any(|(domain, version)| domain.is_empty() && (1..=28).contains(version)) {
        all.insert(0, Edit::Opset(18));
    }
    all
}

/// Returns the bytes of a changed model, without those of its weights.
fn written(model: &Model, edits: &[Edit]) -> Result<Vec<u8>, broadaxe_models::Error> {
    Ok(bytes_of(model, &format::write(model, edits)?.files[0]))
}

fn bytes_of(model: &Model, file: &File) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.write(model, &mut bytes).expect("the model can be read");
    bytes
}
