//! Reading, rejecting and changing texts of ncnn.

use broadaxe_testing::random::Random;

use super::NCNN;
use crate::{
    edit::{Edit, NewNode, Scalar, Wire, Written},
    graph::{Data, Model, NodeId, Use, ValueId},
    source::Source,
};

fn read(text: &str) -> Result<Model, crate::Error> {
    (NCNN.read)(&Source::memory(text.as_bytes().to_vec(), None))
}

/// Returns the text that was written.
fn text(model: &Model, written: &Written) -> String {
    let mut bytes = Vec::new();
    written.files[0].write(model, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn changed(before: &str, edits: &[Edit]) -> Result<String, crate::Error> {
    let model = read(before)?;
    let after = text(&model, &crate::write(&model, edits)?);
    // What is written can be read, and says the same when nothing more is changed.
    let again = read(&after).unwrap_or_else(|error| panic!("{after}\n{error}"));
    assert_eq!(text(&again, &crate::write(&again, &[]).unwrap()), after);
    Ok(after)
}

const SMALL: &str = "7767517\n4 4\nInput            data   0 1 data 0=4 1=3\nMemoryData  m 0 1 m 0=4   1=1 21=1\n\
    BinaryOp  sum  2 1 data m out  0=1\nReLU r 1 1 out last\n";

#[test]
fn graph() {
    let model = read(SMALL).unwrap();
    let names: Vec<_> = model.values.iter().map(|value| value.name.as_str()).collect();
    assert_eq!(names, ["data", "m", "out", "last"]);
    assert_eq!(model.value(ValueId(0)).declared.as_ref().unwrap().to_string(), "(3, 4)");
    assert_eq!(model.value(ValueId(1)).constant.as_ref().unwrap().shape, [1, 4]);
    assert_eq!(model.main().inputs, [ValueId(0)]);
    assert_eq!(model.main().outputs, [ValueId(3)]);
    assert_eq!(model.node(NodeId(2)).attribute("0").unwrap().int(), Some(1));
    assert_eq!(model.node(NodeId(2)).place, "line 5");
    assert_eq!((model.node(NodeId(2)).number, model.node(NodeId(2)).line), (5, Some(5)));
}

#[test]
fn parameters() {
    let line = "7767517\n1 1\nInput d 0 1 d 0=-3 1=1.5e-2 2=abc 3=\"a b, c\" -23304=2,1,2 -23305=2,1,2.5 6=7,8 -23307=0 8=1,2.0,\n";
    let model = read(line).unwrap();
    let shown: Vec<_> = model.nodes[0].attributes.iter().map(|(name, value)| format!("{name} {value:?}")).collect();
    let want = [
        "0 Int(-3)",
        "1 Float(0.015)",
        "2 Text(\"abc\")",
        "3 Text(\"a b, c\")",
        "4 Ints([1, 2])",
        "5 Floats([1.0, 2.5])",
        "6 Ints([7, 8])",
        "7 Ints([])",
        "8 Floats([1.0, 2.0])",
    ];
    assert_eq!(shown, want);
}

#[test]
fn recorded_shapes() {
    let line = "7767517\n2 3\nInput d 0 1 d -23330=4,3,8,9,2\nSplit s 1 2 d a b -23330=10,3,8,9,1,2,4,8,9,5,2\n";
    let model = read(line).unwrap();
    let shapes: Vec<_> = model.values.iter().map(|value| value.declared.as_ref().unwrap().to_string()).collect();
    assert_eq!(shapes, ["(2, 9, 8)", "(2, 9, 8)", "(2, 5, 9, 8)"]);
}

#[test]
fn rejected() {
    // The text after the mark, and the expected error.
    let cases = [
        ("", "counts of layers and blobs"),
        ("-1 1\nInput d 0 1 d\n", "line 2: -1 layers cannot be"),
        ("1 -1\nInput d 0 1 d\n", "line 2: -1 blobs cannot be"),
        ("0 1\n", "line 2: 0 layers cannot be"),
        ("99999999999999999999 1\n", "cannot be"),
        ("2147483647 2147483647\nInput d 0 1 d\n", "cannot be"),
        ("1\nInput d 0 1 d\n", "two counts"),
        ("2 1\nInput d 0 1 d\n", "the text has 1 layers, but line 2 says 2"),
        ("2 1\nInput d 0 1 d\nReLU r 1 1 d e\n", "line 2 says 1 blobs, but the layers make 2"),
        ("1 1\nInput d 0 -1 d\n", "line 3: -1 outputs cannot be"),
        ("1 1\nInput d -2 1 d\n", "line 3: -2 inputs cannot be"),
        ("1 1\nInput d 0 1000000000 d\n", "1000000000 outputs cannot be"),
        ("1 1\nInput d 3 3 d\n", "3 inputs and 3 outputs, but 1 words follow"),
        ("1 1\nInput d\n", "has 2 words"),
        ("1 1\nInput d 0 1 d 32=1\n", "unknown parameter 32"),
        ("1 1\nInput d 0 1 d -1=1\n", "unknown parameter -1"),
        ("1 1\nInput d 0 1 d -23332=1,1\n", "unknown parameter -23332"),
        ("1 1\nInput d 0 1 d -23300=-1\n", "it has -1 values, but 0 follow"),
        ("1 1\nInput d 0 1 d -23300=1000000000,1\n", "it has 1000000000 values, but 1 follow"),
        ("1 1\nInput d 0 1 d -23300=1,1,2\n", "it has 1 values, but 2 follow"),
        ("1 1\nInput d 0 1 d 0=1 0=2\n", "given twice"),
        ("1 1\nInput d 0 1 d 0=4294967296\n", "not a number of 32 bits"),
        ("1 1\nInput d 0 1 d 0=1e\n", "'1e' is not a number"),
        ("1 1\nInput d 0 1 d zero\n", "'zero' is not a parameter"),
        ("1 1\nInput d 0 1 d =\n", "unknown parameter"),
        ("2 2\nInput d 0 1 d\nInput e 0 1 d\n", "line 4: Input e makes d, which an earlier layer makes"),
        ("1 2\nSplit s 1 2 d d d\n", "its own output"),
        ("1 1\nReLU r 1 1 d d\n", "line 3: ReLU r reads d, its own output"),
        ("1 1\nReLU r 1 1 x d\n", "line 3: ReLU r reads x, which no layer computes"),
        ("2 2\nReLU a 1 1 x y\nReLU b 1 1 y x\n", "line 3: ReLU a reads x, which line 4 computes"),
        ("1 1\nMemoryData m 0 1 m 0=-4\n", "[-4]"),
        ("1 1\nMemoryData m 0 1 m 0=2 2=3\n", "[3, 0, 2]"),
        ("1 1\nMemoryData m 0 1 m 0=2147483647 1=2147483647 11=2147483647 2=2147483647\n", "can be counted"),
    ];
    let mut wrong = Vec::new();
    for (body, want) in cases {
        match read(&format!("7767517\n{body}")) {
            Ok(_) => wrong.push(format!("{body}: read")),
            Err(error) if error.to_string().contains(want) => {}
            Err(error) => wrong.push(format!("{body}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for text in ["", "7767516\n1 1\n", "\u{1}\u{2}", "77675171\n"] {
        assert!(read(text).is_err(), "{text}");
    }
    let long = format!("7767517\n1 1\nInput {} 0 1 d\n", "n".repeat(256));
    assert!(read(&long).unwrap_err().to_string().contains("256 bytes"));
}

#[test]
fn layers_beyond_the_count() {
    let text = "7767517\n1 2\nInput d 0 1 d\nwhatever this may be\n";
    let model = read(text).unwrap();
    assert_eq!((model.nodes.len(), model.remarks.len()), (1, 2), "{:?}", model.remarks);
    let edit = Edit::Attribute { node: NodeId(0), name: "0".into(), value: Some(Scalar::Int(5)) };
    assert_eq!(changed(text, &[edit]).unwrap(), "7767517\n1 2\nInput d 0 1 d 0=5\nwhatever this may be\n");
}

fn at(node: u32, input: usize) -> Use {
    Use { node: NodeId(node), input }
}

#[test]
fn changes() {
    let node = NodeId(2);
    let slope = |op: &str, inputs, output| NewNode { op: op.into(), inputs, output, attributes: vec![] };
    let (old, new) = (Wire::Old, |word: &str| Wire::New(word.into()));
    // The change, and the lines of SMALL after it, with the counts.
    let cases: Vec<(Edit, &str)> = vec![
        (
            Edit::ReshapeConstant { value: ValueId(1), shape: vec![2, 1, 2] },
            "4 4\nD\nMemoryData  m 0 1 m 0=2   1=1 21=1 2=2\nB\nR",
        ),
        (Edit::ReshapeConstant { value: ValueId(1), shape: vec![4] }, "4 4\nD\nMemoryData  m 0 1 m 0=4 21=1\nB\nR"),
        (
            Edit::Reshape { at: at(2, 1), shape: vec![4, -1] },
            "5 5\nD\nM\nReshape reshape_m_for_sum 1 1 m m_for_sum 0=-1 1=4\nBinaryOp  sum  2 1 data m_for_sum out  0=1\nR",
        ),
        (
            Edit::CopyConstant { value: ValueId(1), shape: vec![4, 1], uses: vec![at(2, 1)] },
            "5 5\nD\nM\nReshape reshape_m_for_sum 1 1 m m_for_sum 0=1 1=4\nBinaryOp  sum  2 1 data m_for_sum out  0=1\nR",
        ),
        (
            Edit::Unsqueeze { at: at(2, 0), axes: vec![1] },
            "5 5\nD\nM\nExpandDims expanddims_data_for_sum 1 1 data data_for_sum -23303=1,1\n\
             BinaryOp  sum  2 1 data_for_sum m out  0=1\nR",
        ),
        (
            Edit::Expand { at: at(2, 1), shape: vec![2, 3, 4] },
            "5 5\nD\nM\nTile tile_m_for_sum 1 1 m m_for_sum -23302=3,2,3,1\nBinaryOp  sum  2 1 data m_for_sum out  0=1\nR",
        ),
        (Edit::Swap { node, op: "BinaryOp".into() }, "4 4\nD\nM\nBinaryOp  sum  2 1 m data out  0=7\nR"),
        (
            Edit::Attribute { node, name: "op_type".into(), value: Some(Scalar::Int(2)) },
            "4 4\nD\nM\nBinaryOp  sum  2 1 data m out  0=2\nR",
        ),
        (Edit::Attribute { node, name: "0".into(), value: None }, "4 4\nD\nM\nBinaryOp  sum  2 1 data m out\nR"),
        (
            Edit::Attribute { node: NodeId(3), name: "slope".into(), value: Some(Scalar::Float(0.25)) },
            "4 4\nD\nM\nB\nReLU r 1 1 out last 0=2.5e-1",
        ),
        (
            Edit::ReshapeResult { node, shape: vec![1, 3, 4] },
            "5 5\nD\nM\nBinaryOp  sum  2 1 data m out_before_reshape  0=1\n\
             Reshape reshape_out 1 1 out_before_reshape out 0=4 1=3 2=1\nR",
        ),
        (
            Edit::Replace {
                node: NodeId(3),
                with: vec![
                    slope("ReLU", vec![old(ValueId(2))], new("p")),
                    slope("BinaryOp", vec![old(ValueId(2)), Wire::Number(2.0)], new("n")),
                    slope("BinaryOp", vec![new("p"), new("n")], old(ValueId(3))),
                ],
            },
            "7 8\nD\nM\nB\nSplit split_out 1 2 out out_split_0 out_split_1\nReLU r_relu 1 1 out_split_0 r_p\n\
             BinaryOp r_binaryop 1 1 out_split_1 r_n 1=1 2=2e0\nBinaryOp r 2 1 r_p r_n last",
        ),
    ];
    let mut lines: Vec<&str> = SMALL.lines().skip(2).collect();
    lines.reverse();
    let [r, b, m, d] = lines[..] else { panic!() };
    let mut wrong = Vec::new();
    for (edit, want) in cases {
        let got = changed(SMALL, std::slice::from_ref(&edit)).unwrap_or_else(|error| error.to_string());
        let whole = |line| match line {
            "D" => d,
            "M" => m,
            "B" => b,
            "R" => r,
            line => line,
        };
        let want: String =
            ["7767517"].into_iter().chain(want.lines().map(whole)).map(|l| l.to_owned() + "\n").collect();
        // Columns of new lines are filled up with spaces.
        let squeeze = |text: &str| -> Vec<String> {
            let kept = |line: &&str| SMALL.contains(*line);
            let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
            text.lines().map(|line| if kept(&line) { line.to_owned() } else { words(line) }).collect()
        };
        if squeeze(&got) != squeeze(&want) {
            wrong.push(format!("{edit:?}\n{got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn spaces_of_a_changed_line_stay() {
    let edit = Edit::Swap { node: NodeId(2), op: "BinaryOp".into() };
    let want = SMALL.replace("BinaryOp  sum  2 1 data m out  0=1", "BinaryOp  sum  2 1 m data out  0=7");
    assert_eq!(changed(SMALL, &[edit]).unwrap(), want);
}

#[test]
fn inputs_count_as_they_were_before_an_exchange() {
    let node = NodeId(2);
    let swap = Edit::Swap { node, op: "BinaryOp".into() };
    let front = Edit::Unsqueeze { at: Use { node, input: 0 }, axes: vec![0] };
    let after = changed(SMALL, &[swap.clone(), front.clone()]).unwrap();
    assert_eq!(after, changed(SMALL, &[front, swap]).unwrap());
    assert!(after.contains(" data data_for_sum -23303=1,0\n") && after.contains(" m data_for_sum out "), "{after}");
}

#[test]
fn changes_that_cannot_be() {
    let prelu = "7767517\n2 2\nInput d 0 1 d\nPReLU p 1 1 d e 0=8\n";
    let relu =
        |output| vec![NewNode { op: "ReLU".into(), inputs: vec![Wire::Old(ValueId(0))], output, attributes: vec![] }];
    let cases = [
        (SMALL, Edit::Opset(7), "no versions"),
        (SMALL, Edit::ReshapeConstant { value: ValueId(1), shape: vec![5] }, "cannot become"),
        (SMALL, Edit::ReshapeConstant { value: ValueId(1), shape: vec![1, 1, 1, 1, 4] }, "ranks 1 to 4"),
        (SMALL, Edit::ReshapeConstant { value: ValueId(0), shape: vec![12] }, "data is not a constant"),
        (SMALL, Edit::Reshape { at: at(2, 7), shape: vec![1] }, "has no input 7"),
        (SMALL, Edit::Reshape { at: at(99, 0), shape: vec![1] }, "no node 99"),
        (SMALL, Edit::Swap { node: NodeId(99), op: "BinaryOp".into() }, "no node 99"),
        (SMALL, Edit::ReshapeConstant { value: ValueId(99), shape: vec![1] }, "no such value"),
        (SMALL, Edit::Unsqueeze { at: at(2, 0), axes: vec![1, 1] }, "ascending"),
        (SMALL, Edit::Reshape { at: at(2, 0), shape: vec![-1, -1] }, "one -1"),
        (SMALL, Edit::Expand { at: at(3, 0), shape: vec![2] }, "only if its shape is recorded"),
        (SMALL, Edit::Expand { at: at(2, 1), shape: vec![2, 5] }, "axis 1 is not 1"),
        (SMALL, Edit::Swap { node: NodeId(3), op: "ReLU".into() }, "two inputs"),
        (SMALL, Edit::Attribute { node: NodeId(3), name: "alpha".into(), value: None }, "no known parameter alpha"),
        (SMALL, Edit::Attribute { node: NodeId(3), name: "32".into(), value: None }, "no known parameter 32"),
        (
            SMALL,
            Edit::Replace { node: NodeId(3), with: relu(Wire::New("x".into())) },
            "last is not computed by any layer",
        ),
        (prelu, Edit::Replace { node: NodeId(1), with: relu(Wire::Old(ValueId(1))) }, "reads the file of weights"),
    ];
    let mut wrong = Vec::new();
    for (before, edit, want) in cases {
        match changed(before, std::slice::from_ref(&edit)) {
            Err(error) if error.kind() == crate::ErrorKind::Edit && error.to_string().contains(want) => {}
            got => wrong.push(format!("{edit:?}: {got:?}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A `PReLU` becomes `relu(x) - slope * relu(-x)`, with its slopes as a constant in the file of weights.
#[test]
fn prelu() {
    let before = "7767517\n2 2\nInput d 0 1 d 0=5 1=5 2=8\nPReLU p 1 1 d e 0=8\n";
    let node = |op: &str, inputs, output, attributes: &[(&str, i64)]| NewNode {
        op: op.into(),
        inputs,
        output,
        attributes: attributes.iter().map(|&(name, value)| (name.into(), Scalar::Int(value))).collect(),
    };
    let (new, x) = (|word: &str| Wire::New(word.into()), Wire::Old(ValueId(0)));
    let with = vec![
        node("MemoryData", vec![], new("slope"), &[("0", 1), ("1", 1), ("2", 8)]),
        node("ReLU", vec![x.clone()], new("above"), &[]),
        node("UnaryOp", vec![x], new("negated"), &[("op_type", 1)]),
        node("ReLU", vec![new("negated")], new("below"), &[]),
        node("BinaryOp", vec![new("slope"), new("below")], new("scaled"), &[("op_type", 2)]),
        node("BinaryOp", vec![new("above"), new("scaled")], Wire::Old(ValueId(1)), &[("op_type", 1)]),
    ];
    let after = changed(before, &[Edit::Replace { node: NodeId(1), with }]).unwrap();
    let model = read(&after).unwrap();
    let ops: Vec<_> = model.nodes.iter().map(|node| node.op.as_str()).collect();
    assert_eq!(ops, ["Input", "MemoryData", "Split", "ReLU", "UnaryOp", "ReLU", "BinaryOp", "BinaryOp"], "{after}");
    assert_eq!(model.nodes[7].name, "p");
    assert!(after.starts_with("7767517\n8 9\nInput d 0 1 d 0=5 1=5 2=8\n"), "{after}");
}

#[test]
fn constants_behind_a_split() {
    let before = "7767517\n4 5\nMemoryData m 0 1 m 0=4\nSplit s 1 2 m a b\nReLU x 1 1 a c\nReLU y 1 1 b d\n";
    let model = read(before).unwrap();
    assert_eq!(model.value(ValueId(2)).constant.as_ref().unwrap().shape, [4]);
    let edit = |value, shape: &[usize]| Edit::ReshapeConstant { value: ValueId(value), shape: shape.to_vec() };
    // Both readers want one shape: the constant has it.
    let both = changed(before, &[edit(1, &[4, 1]), edit(2, &[4, 1])]).unwrap();
    assert_eq!(both, before.replace("0=4", "0=1 1=4"));
    // One of them does: a reshape behind the split.
    let one = changed(before, &[edit(1, &[4, 1])]).unwrap();
    assert!(one.contains("a_before_reshape b\nReshape ") && one.contains("a_before_reshape a 0=1 1=4\n"), "{one}");
}

#[test]
fn weights() {
    let text = "7767517\n5 5\nInput d 0 1 d\nInnerProduct i 1 1 d e 0=2 1=1 2=4\nMemoryData m 0 1 m 0=3\n\
        Strange s 1 1 e f\nMemoryData n 0 1 n 0=3\n";
    let path = broadaxe_testing::temporary::path("ncnn-weights.bin");
    let mut bytes = vec![0x47, 0x6B, 0x30, 0x01];
    bytes.extend([0; 8]);
    bytes.extend([0; 8]);
    bytes.extend([1f32, 2.0, 3.0].iter().flat_map(|x| x.to_le_bytes()));
    std::fs::write(&path, bytes).unwrap();
    let source = Source::memory(text.as_bytes().to_vec(), Some(path.with_extension("param")));
    let model = (NCNN.read)(&source).unwrap();
    std::fs::remove_file(&path).unwrap();
    let data = |id: usize| &model.values[id].constant.as_ref().unwrap().data;
    assert!(matches!(data(2), Data::Span { at: 20, len: 12 }), "{:?}", data(2));
    assert_eq!(
        model.elements(model.values[2].constant.as_ref().unwrap(), 12).unwrap().unwrap()[4..8],
        2f32.to_le_bytes()
    );
    let Data::Absent(why) = data(4) else { panic!("{:?}", data(4)) };
    assert_eq!(why, "the size of the weights of Strange s is not known");
}

/// No slightly damaged file makes the reader or the writer panic.
#[test]
fn mutations() {
    let mut generator = Random::new(1);
    let mut random = |below: usize| generator.below(below);
    let seeds = [SMALL, "7767517\n2 3\nInput d 0 1 d -23330=4,3,8,9,2\nSplit s 1 2 d a b 6=\"0w,1h\"\n"];
    let pieces = [
        "-1",
        "0",
        "99999999999",
        "=",
        ",",
        " ",
        "\n",
        "\"",
        "-23300=",
        "-23330=4,",
        "2147483647",
        "\u{fffd}",
        "\0",
        "d",
    ];
    let (mut read_ones, mut written) = (0, 0);
    for round in 0..4000 {
        let mut bytes = seeds[round % seeds.len()].as_bytes().to_vec();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            match random(3) {
                0 => bytes.truncate(at.max(8)),
                1 => bytes[at] = random(256) as u8,
                _ => drop(bytes.splice(at..at, pieces[random(pieces.len())].bytes())),
            }
        }
        let Ok(model) = (NCNN.read)(&Source::memory(bytes, None)) else { continue };
        read_ones += 1;
        let node = NodeId(random(model.nodes.len()) as u32);
        for edit in [
            Edit::Swap { node, op: "BinaryOp".into() },
            Edit::Reshape { at: Use { node, input: random(2) }, shape: vec![0, -1] },
            Edit::ReshapeResult { node, shape: vec![1, -1] },
            Edit::Attribute { node, name: "3".into(), value: Some(Scalar::Ints(vec![1, 2])) },
        ] {
            if let Ok(after) = crate::write(&model, &[edit]) {
                written += 1;
                let after = text(&model, &after);
                read(&after).unwrap_or_else(|error| panic!("{error}\n{after}"));
            }
        }
    }
    assert!(read_ones > 300 && written > 500, "{read_ones} {written}");
}
