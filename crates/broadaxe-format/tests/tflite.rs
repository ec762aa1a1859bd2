//! TFLite models: read, written back, changed, and rejected when broken. `make_tflite.py` made them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use broadaxe_format::{
    self as format, Attribute, Edit, ErrorKind, Model, NodeId, Source, Use, ValueId,
    edit::{File, NewNode, Scalar, Wire, Written},
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

/// A value by its name, in the first graph that has it.
fn named(model: &Model, name: &str) -> ValueId {
    let found = model.values.iter().position(|value| value.name == name);
    ValueId(found.unwrap_or_else(|| panic!("there is no {name}")) as u32)
}

/// Makes changes, and reads what is written.
fn changed(model: &Model, edits: &[Edit]) -> (Vec<u8>, Model) {
    let written = format::write(model, edits).unwrap_or_else(|error| panic!("{error}: {edits:?}"));
    let found = bytes(model, &written);
    let again = format::read(&Source::memory(found.as_slice(), None)).unwrap();
    assert_eq!(again.values.len(), format::changed(model, &written).unwrap().values.len());
    (found, again)
}

fn shape_of(model: &Model, name: &str) -> Vec<usize> {
    model.value(named(model, name)).constant.as_ref().unwrap().shape.clone()
}

/// The shape of a constant changes by one vector behind the file and the four bytes of an offset.
#[test]
fn a_constant_changes_in_place() {
    let model = open(FILES[1]);
    let edit =
        |name: &str, shape: &[usize]| Edit::ReshapeConstant { value: named(&model, name), shape: shape.to_vec() };
    let old = fs::read(path(FILES[1])).unwrap();
    for (name, shape) in [("step", &[1, 2]), ("w", &[2, 1])] {
        let (new, again) = changed(&model, &[edit(name, shape)]);
        assert_eq!(shape_of(&again, name), shape);
        assert_eq!(new.len(), old.len().next_multiple_of(4) + 12);
        let differ: Vec<usize> = (0..old.len()).filter(|&at| old[at] != new[at]).collect();
        assert!((1..=4).contains(&differ.len()) && differ[differ.len() - 1] - differ[0] < 4, "{name}: {differ:?}");
    }
    let (new, again) = changed(&model, &[edit("step", &[2, 1]), edit("w", &[2, 1])]);
    assert_eq!((shape_of(&again, "step"), shape_of(&again, "w")), (vec![2, 1], vec![2, 1]));
    assert!(new.len() < old.len() + 32);
}

/// What cannot change in place is a front of a multiple of 16 bytes, behind which the file follows as it was.
#[test]
fn a_front_leaves_the_file_untouched() {
    let open = |k: usize| (open(FILES[k]), fs::read(path(FILES[k])).unwrap());
    let (small, looped) = (&open(0), &open(1));
    let reshape = |(model, _): &(Model, Vec<u8>), name: &str, shape: &[usize]| Edit::ReshapeConstant {
        value: named(model, name),
        shape: shape.to_vec(),
    };
    let at = |node, input| Use { node: NodeId(node), input };
    let cases = [
        // A ZIP is behind this model, and stays last.
        (small, reshape(small, "bias", &[1, 3])),
        // The scales of this constant belong to an axis, and the result of the next one gets another shape.
        (looped, reshape(looped, "kernel", &[1, 2, 2])),
        (looped, reshape(looped, "one", &[1])),
        (looped, Edit::Unsqueeze { at: at(4, 0), axes: vec![0] }),
        (looped, Edit::Expand { at: at(5, 1), shape: vec![2, 2] }),
    ];
    for ((model, old), edit) in cases {
        let (new, _) = changed(model, std::slice::from_ref(&edit));
        assert!(new.ends_with(old) && (new.len() - old.len()) % 16 == 0, "{edit:?}");
        assert!(new.len() - old.len() < 1024, "{edit:?}: {} bytes", new.len() - old.len());
        assert_eq!(&new[4..8], b"TFL3");
    }
}

#[test]
fn quantization_follows_an_axis() {
    let model = open(FILES[1]);
    let kernel = named(&model, "kernel");
    let reshape = |shape: &[usize]| Edit::ReshapeConstant { value: kernel, shape: shape.to_vec() };
    for (shape, axis) in [(&[1, 2, 2][..], 1), (&[2, 1, 2], 0), (&[1, 1, 2, 2], 2)] {
        let (_, again) = changed(&model, &[reshape(shape)]);
        let quantization = again.value(kernel).quantization.as_ref().unwrap();
        assert_eq!((quantization.axis, quantization.scales.as_slice()), (axis, &[0.5, 0.25][..]), "{shape:?}");
    }
    let error = format::write(&model, &[reshape(&[4])]).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Edit, "kernel has scales for each entry of axis 0, which the new shape does not have")
    );
    // A tensor with one scale keeps it in every shape, and so do the tensors of new operators.
    let at = Use { node: NodeId(1), input: 0 };
    let (_, again) = changed(
        &model,
        &[Edit::Reshape { at, shape: vec![1, 2, 2] }, Edit::ReshapeResult { node: NodeId(1), shape: vec![2, 2] }],
    );
    let scales: Vec<_> = ["q", "q/reshape", "r", "r/data"]
        .iter()
        .map(|name| again.value(named(&again, name)).quantization.clone())
        .collect();
    assert_eq!((&scales[0], &scales[2]), (&scales[1], &scales[3]));
    assert!(scales[0] != scales[2] && scales[0].is_some());
}

/// Tensors keep their numbers, which signatures name, and the result of a model its name.
#[test]
fn results_keep_number_and_name() {
    let model = open(FILES[0]);
    let (_, again) = changed(&model, &[Edit::ReshapeResult { node: NodeId(4), shape: vec![24] }]);
    assert_eq!(model.main().outputs, again.main().outputs);
    let output = again.main().outputs[0];
    assert_eq!((again.nodes.len(), again.value(output).name.as_str()), (6, "y"));
    assert_eq!(again.value(output).declared.as_ref().map(ToString::to_string).as_deref(), Some("(24,)"));
}

/// New operators have constants of the dtype of what they read, and options from their attributes.
#[test]
fn operators_replace_one() {
    let model = open(FILES[0]);
    let node = model.node(NodeId(1));
    let (a, scale, b) = (node.inputs[0].unwrap(), node.inputs[1].unwrap(), node.outputs[0].unwrap());
    let fused = |word: &str| vec![("fused_activation_function".to_owned(), Scalar::Text(word.to_owned()))];
    let new = |op: &str, inputs, output, attributes| NewNode { op: op.to_owned(), inputs, output, attributes };
    let with = vec![
        new("MAXIMUM", vec![Wire::Old(a), Wire::Number(0.5)], Wire::New("m".to_owned()), vec![]),
        new("GREATER", vec![Wire::Old(a), Wire::Number(0.0)], Wire::New("g".to_owned()), vec![]),
        new(
            "SELECT_V2",
            vec![Wire::New("g".to_owned()), Wire::New("m".to_owned()), Wire::Old(a)],
            Wire::New("s".to_owned()),
            vec![],
        ),
        new("MUL", vec![Wire::New("s".to_owned()), Wire::Old(scale)], Wire::Old(b), fused("RELU6")),
    ];
    let (_, again) = changed(&model, &[Edit::Replace { node: NodeId(1), with }]);
    let lines: Vec<String> = again.walk().into_iter().skip(1).take(4).map(|id| line(&again, id)).collect();
    assert_eq!(
        lines,
        [
            "MAXIMUM(a (1, 2, 4, 3), b/maximum/number []) -> b/maximum (1, 2, 4, 3)",
            "GREATER(a (1, 2, 4, 3), b/greater/number []) -> b/greater (1, 2, 4, 3)",
            "SELECT_V2(b/greater (1, 2, 4, 3), b/maximum (1, 2, 4, 3), a (1, 2, 4, 3)) -> b/select_v2 (1, 2, 4, 3)",
            "MUL(b/select_v2 (1, 2, 4, 3), scale [4, 3]) -> b (1, 2, 4, 3)",
        ]
    );
    let elements: Vec<String> = ["b/maximum/number", "b/greater", "b/select_v2"]
        .iter()
        .map(|name| again.value(named(&again, name)).element.as_ref().unwrap().to_string())
        .collect();
    assert_eq!(elements, ["f32", "bool", "f32"]);
    let held = again.value(named(&again, "b/maximum/number")).constant.as_ref().unwrap();
    assert_eq!(again.elements(held, 4).unwrap().unwrap(), 0.5_f32.to_le_bytes());
    let activation = again.node(NodeId(4)).attribute("fused_activation_function").and_then(Attribute::text);
    assert_eq!(activation, Some("RELU6"));
}
