//! TFLite models: read, written back, changed, and rejected when broken. `make_tflite.py` made them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use broadaxe_format::{
    self as format, Attribute, Edit, ErrorKind, Model, NodeId, Source, Use, ValueId,
    edit::{File, Written},
    graph::Quantization,
};
use broadaxe_testing::random::Random;

const FILES: [&str; 2] = ["tflite_small.tflite", "tflite_loop.tflite"];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

fn open(name: &str) -> Model {
    format::open(&path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn bytes(model: &Model, written: &Written) -> Vec<u8> {
    let mut bytes = Vec::new();
    let [file]: &[File; 1] = written.files.as_slice().try_into().unwrap();
    file.write(model, &mut bytes).unwrap();
    bytes
}

/// Says what a node is: `MUL(a (1, 2, 4, 3), scale [4, 3]) -> b (1, 2, 4, 3)`.
fn line(model: &Model, id: NodeId) -> String {
    let node = model.node(id);
    let value = |id: &Option<ValueId>| {
        let Some(value) = id.map(|id| model.value(id)) else { return "-".to_owned() };
        match (&value.constant, &value.declared) {
            (Some(constant), _) => format!("{} {:?}", value.name, constant.shape),
            (None, Some(shape)) => format!("{} {shape}", value.name),
            (None, None) => format!("{} ?", value.name),
        }
    };
    let list = |ids: &[Option<_>]| ids.iter().map(value).collect::<Vec<_>>().join(", ");
    format!("{}({}) -> {}", node.op, list(&node.inputs), list(&node.outputs))
}

#[test]
fn models_are_read_and_written_back_as_they_were() {
    let lines: [&[&str]; 2] = [
        &[
            "ADD(x (?, 2, 4, 3), bias [3]) -> a (1, 2, 4, 3)",
            "MUL(a (1, 2, 4, 3), scale [4, 3]) -> b (1, 2, 4, 3)",
            "PRELU(b (1, 2, 4, 3), slope [1, 1, 3]) -> b#6 (1, 2, 4, 3)",
            "RESHAPE(b#6 (1, 2, 4, 3), shape [2]) -> d (1, 24)",
            "SUB(d (1, 24), half []) -> y (1, 24)",
        ],
        &[
            "WHILE(i [], x (2, 2)) -> i_2 (), x_2 (2, 2)",
            "LESS(i (), most []) -> less ()",
            "ADD(i (), one []) -> i_2 ()",
            "ADD(x (2, 2), step [2]) -> x_2 (2, 2)",
            "ADD(q (2, 2), w [2]) -> r (2, 2)",
            "FULLY_CONNECTED(r (2, 2), kernel [2, 2], -) -> f (2, 2)",
        ],
    ];
    for (name, want) in FILES.into_iter().zip(lines) {
        let model = open(name);
        assert_eq!((model.format, model.remarks.as_slice()), ("tflite", &[][..]), "{name}");
        let written = format::write(&model, &[]).unwrap();
        assert_eq!(bytes(&model, &written), fs::read(path(name)).unwrap(), "{name}");
        let got: Vec<String> = model.walk().into_iter().map(|id| line(&model, id)).collect();
        assert_eq!(got, want, "{name}");
    }
}

#[test]
fn attributes_bodies_and_quantization() {
    let model = open(FILES[0]);
    let fused = |node: u32| model.node(NodeId(node)).attribute("fused_activation_function").and_then(Attribute::text);
    assert_eq!([fused(0), fused(1), fused(2), fused(4)], [Some("RELU"), Some("NONE"), None, Some("RELU6")]);
    let shape = model.node(NodeId(3)).attribute("new_shape").and_then(Attribute::ints);
    assert_eq!(shape, Some(&[1, 24][..]));
    let slope = model.values.iter().find(|value| value.name == "slope").unwrap().constant.as_ref().unwrap();
    let numbers: Vec<u8> = [0.25_f32, 0.5, -1.0].iter().flat_map(|number| number.to_le_bytes()).collect();
    assert_eq!(model.elements(slope, 12).unwrap().unwrap(), numbers);
    let model = open(FILES[1]);
    let names: Vec<&str> = model.graphs.iter().map(|graph| graph.name.as_str()).collect();
    assert_eq!(names, ["main", "cond", "body"]);
    assert_eq!(model.node(NodeId(0)).bodies.len(), 2);
    assert_eq!(
        model.graphs.iter().map(|graph| graph.owner).collect::<Vec<_>>(),
        [None, Some(NodeId(0)), Some(NodeId(0))]
    );
    let kernel = model.values.iter().find(|value| value.name == "kernel").unwrap();
    let want = Quantization { scales: vec![0.5, 0.25], zero_points: vec![0, 0], axis: 0 };
    assert_eq!(kernel.quantization.as_deref(), Some(&want));
    let quantized: Vec<bool> = model.nodes.iter().map(|node| model.is_quantized(node)).collect();
    assert_eq!(quantized, [false, true, true, false, false, false]);
}

/// The number of weights does not matter, nor that the file has more than 32 bits can count: only tables are read.
#[test]
fn weights_behind_the_model_are_not_read() {
    let name = "tflite_small.tflite";
    let whole = fs::read(path(name)).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tflite_large");
    fs::create_dir_all(&folder).unwrap();
    let large = folder.join(name);
    fs::write(&large, &whole).unwrap();
    fs::File::options().write(true).open(&large).unwrap().set_len(5 << 30).unwrap();
    let model = format::open(&large).unwrap();
    assert_eq!((model.nodes.len(), model.source.len()), (5, 5 << 30));
    fs::remove_file(&large).unwrap();
}

#[test]
fn no_cut_and_no_flip_panics() {
    let mut random = Random::new(1);
    let read = |bytes: &[u8], name: &str| format::read(&Source::memory(bytes, Some(name.into())));
    for name in FILES {
        let whole = fs::read(path(name)).unwrap();
        for len in 0..whole.len() {
            if let Err(error) = read(&whole[..len], name) {
                assert_eq!(error.kind(), ErrorKind::Format, "{name}, {len} bytes: {error}");
            }
        }
        let mut errors = 0;
        for turn in 0..4000 {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                match turn % 3 {
                    0 => bytes[at] = random.below(256) as u8,
                    1 => bytes[at] ^= 1 << random.below(8),
                    _ => {
                        let at = at.min(bytes.len() - 4) / 4 * 4;
                        let number = [0, 1, u32::MAX, 1 << 31, random.below(bytes.len()) as u32][random.below(5)];
                        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
                    }
                }
            }
            match read(&bytes, name) {
                Ok(model) if !model.nodes.is_empty() && !model.nodes[0].inputs.is_empty() => {
                    let at = Use { node: NodeId(0), input: 0 };
                    _ = format::write(&model, &[Edit::Unsqueeze { at, axes: vec![0] }]);
                }
                Ok(_) => {}
                Err(error) => errors += usize::from(!error.to_string().is_empty()),
            }
        }
        assert!(errors > 200, "{name}: {errors}");
    }
}
