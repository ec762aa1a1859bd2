//! Reading, rejecting and changing texts of pnnx.

use super::PNNX;
use crate::{
    edit::{Edit, NewNode, Scalar, Wire},
    graph::{Attribute, Data, Model, NodeId, Use, ValueId},
    source::Source,
};

const SMALL: &str = "7767517\n6 5\n\
    pnnx.Input               pnnx_input_0             0 1 0 #0=(1,3,%n,?)f32\n\
    pnnx.Attribute           w                        0 1 1 @data=(8)f16 #1=(8)f16\n\
    torch.flatten            flat                     1 1 0 2 end_dim=-1 start_dim=1 $input=0 #0=(1,3,%n,?)f32\n\
    torch.sub                sub                      2 1 2 1 3 alpha=1.500000e+00 $input=2 $other=1 #2=(1,8)f32 #1=(8)f16 #3=(1,8)f32\n\
    F.relu                   relu                     1 1 3 4 $input=3 names=(a,b) size=(2,3) flag=True\n\
    pnnx.Output              out                      1 0 4\n";

fn read(text: &str) -> Result<Model, crate::Error> {
    (PNNX.read)(&Source::memory(text.as_bytes().to_vec(), None))
}

fn changed(before: &str, edits: &[Edit]) -> Result<String, crate::Error> {
    let model = read(before)?;
    let mut bytes = Vec::new();
    crate::write(&model, edits)?.files[0].write(&model, &mut bytes).unwrap();
    let after = String::from_utf8(bytes).unwrap();
    read(&after).unwrap_or_else(|error| panic!("{error}\n{after}"));
    Ok(after)
}

#[test]
fn graph() {
    assert!((PNNX.detect)(SMALL.as_bytes()));
    let left = b"7767517\n2 2\nInput in0 0 1 in0\npnnx.Expression e 0 1 2\n";
    assert!(!(PNNX.detect)(left), "ncnn's, in which pnnx left an operator of its own");
    let model = read(SMALL).unwrap();
    let shapes: Vec<_> =
        model.values.iter().map(|value| value.declared.as_ref().map(ToString::to_string).unwrap_or_default()).collect();
    assert_eq!(shapes, ["(1, 3, n, ?)", "(8,)", "(1, 8)", "(1, 8)", ""]);
    assert_eq!(model.value(ValueId(1)).constant.as_ref().unwrap().shape, [8]);
    assert!(matches!(model.value(ValueId(1)).constant.as_ref().unwrap().data, Data::Absent(_)));
    assert_eq!((&model.main().inputs[..], &model.main().outputs[..]), (&[ValueId(0)][..], &[ValueId(4)][..]));
    let node = model.node(NodeId(4));
    assert_eq!(node.attribute("size").unwrap().ints().unwrap(), [2, 3]);
    assert_eq!(node.attribute("flag").unwrap().text(), Some("True"));
    assert!(matches!(node.attribute("names"), Some(Attribute::Texts(names)) if names == &["a", "b"]));
    assert!(matches!(model.node(NodeId(3)).attribute("alpha"), Some(Attribute::Float(1.5))));
    assert!(model.remarks.is_empty(), "{:?}", model.remarks);
}

#[test]
fn rejected() {
    let cases = [
        ("1 1\npnnx.Input a 0 1 0 #1=(1)f32\n", "the shape of a blob that the layer does not have"),
        ("1 1\npnnx.Input a 0 1 0 #0=(-1)f32\n", "is not a shape"),
        ("1 1\npnnx.Input a 0 1 0 #0=(99999999999999999999)f32\n", "is not a shape"),
        ("1 1\npnnx.Input a 0 1 0 #0=1,2\n", "is not a shape"),
        ("1 1\npnnx.Input a 0 1 0 #0=(%)f32\n", "is not a shape"),
        ("1 1\npnnx.Attribute a 0 1 0 @data=(?)f32\n", "not known"),
        ("1 1\npnnx.Attribute a 0 1 0 @data=(2147483647,2147483647,2147483647)f32\n", "can be counted"),
        ("1 1\npnnx.Input a 0 1 0 x=1 x=2\n", "given twice"),
        ("1 1\npnnx.Input a 0 1 0 x\n", "is not a parameter"),
        ("1 1\npnnx.Input a 0 1 0 =x\n", "is not a parameter"),
        ("1 1\nF.relu a 1 1 1 0\n", "which no layer computes"),
    ];
    let mut wrong = Vec::new();
    for (body, want) in cases {
        match read(&format!("7767517\n{body}")) {
            Err(error) if error.to_string().contains(want) && error.place().is_some() => {}
            got => wrong.push(format!("{body}: {:?}", got.map(|_| ()))),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn changes() {
    let node = NodeId(3);
    let at = |input| Use { node, input };
    // The change, a line before, and the lines in its place; columns are filled up with spaces.
    let cases: Vec<(Edit, &str, &str)> = vec![
        (
            Edit::Reshape { at: at(1), shape: vec![0, -1] },
            "torch.sub ",
            "Tensor.reshape Tensor.reshape_1_for_sub 1 1 1 1_for_sub shape=(8,-1) $input=1\n\
             torch.sub sub 2 1 2 1_for_sub 3 alpha=1.500000e+00 $input=2 $other=1_for_sub #2=(1,8)f32 #3=(1,8)f32",
        ),
        (
            Edit::Unsqueeze { at: at(0), axes: vec![0] },
            "torch.sub ",
            "torch.unsqueeze torch.unsqueeze_2_for_sub 1 1 2 2_for_sub dim=0 $input=2\n\
             torch.sub sub 2 1 2_for_sub 1 3 alpha=1.500000e+00 $input=2_for_sub $other=1 #1=(8)f16 #3=(1,8)f32",
        ),
        (
            Edit::Swap { node, op: "torch.rsub".into() },
            "torch.sub ",
            "torch.rsub sub 2 1 1 2 3 alpha=1.500000e+00 $input=1 $other=2 #2=(1,8)f32 #1=(8)f16 #3=(1,8)f32",
        ),
        (
            Edit::Attribute { node: NodeId(4), name: "size".into(), value: Some(Scalar::Ints(vec![4])) },
            "F.relu ",
            "F.relu relu 1 1 3 4 $input=3 names=(a,b) size=(4) flag=True",
        ),
        (
            Edit::ReshapeResult { node, shape: vec![8, 1] },
            "torch.sub ",
            "torch.sub sub 2 1 2 1 3_before_reshape alpha=1.500000e+00 $input=2 $other=1 #2=(1,8)f32 #1=(8)f16\n\
             Tensor.reshape Tensor.reshape_3 1 1 3_before_reshape 3 shape=(8,1) $input=3_before_reshape",
        ),
        (
            Edit::Replace {
                node: NodeId(4),
                with: vec![NewNode {
                    op: "pnnx.Expression".into(),
                    inputs: vec![Wire::Old(ValueId(3))],
                    output: Wire::Old(ValueId(4)),
                    attributes: vec![("expr".into(), Scalar::Text("max(@0,0)".into()))],
                }],
            },
            "F.relu ",
            "pnnx.Expression relu 1 1 3 4 expr=max(@0,0)",
        ),
    ];
    let squeeze = |text: &str| text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut wrong = Vec::new();
    for (edit, line, want) in cases {
        let got = changed(SMALL, std::slice::from_ref(&edit)).unwrap();
        let more = want.lines().count() - 1;
        let line = SMALL.lines().find(|known| known.starts_with(line)).unwrap();
        let want = SMALL.replace(line, want).replace("6 5\n", &format!("{} {}\n", 6 + more, 5 + more));
        if squeeze(&got) != squeeze(&want) {
            wrong.push(format!("{edit:?}\n{got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn inputs_count_as_they_were_before_an_exchange() {
    let node = NodeId(3);
    let swap = Edit::Swap { node, op: "torch.rsub".into() };
    let front = Edit::Unsqueeze { at: Use { node, input: 0 }, axes: vec![0] };
    let after = changed(SMALL, &[swap.clone(), front.clone()]).unwrap();
    assert_eq!(after, changed(SMALL, &[front, swap]).unwrap());
    let far = changed(SMALL, &[Edit::Swap { node: NodeId(99), op: String::new() }]);
    assert!(far.unwrap_err().to_string().contains("no node 99"));
}

#[test]
fn a_constant_changes_wherever_its_shape_stands() {
    let edit = Edit::ReshapeConstant { value: ValueId(1), shape: vec![8, 1] };
    assert_eq!(changed(SMALL, &[edit]).unwrap(), SMALL.replace("(8)f16", "(8,1)f16"));
}

/// Members of the archive: header, name and numbers.
#[test]
fn archive() {
    let path = broadaxe_testing::temporary::path("pnnx-store.bin");
    let source = || Source::memory(SMALL.as_bytes().to_vec(), Some(path.with_extension("param")));
    let member = |method: u8, size: u32, extra: &[u8]| {
        let mut bytes = b"PK\x03\x04\x00\x00\x00\x00".to_vec();
        bytes.extend([method, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(size.to_le_bytes().repeat(2));
        bytes.extend([6, 0, extra.len() as u8, 0]);
        bytes.extend(b"w.data");
        bytes.extend(extra);
        bytes.extend([7; 16]);
        bytes
    };
    let wide = [[1, 0, 16, 0].as_slice(), &16u64.to_le_bytes(), &16u64.to_le_bytes()].concat();
    let cases = [
        (member(0, 16, &[]), Ok(36)),
        (member(0, u32::MAX, &wide), Ok(56)),
        (member(0, u32::MAX, &[]), Err("longer than the file")),
        (member(0, 17, &[]), Err("longer than the file")),
        (member(0, 15, &[]), Err("16 bytes, but 15")),
        (member(8, 16, &[]), Err("compressed")),
        (member(0, 16, &[]).repeat(2), Err("occurs twice")),
        (b"PK\x03\x04".to_vec(), Err("the file ends")),
        (vec![], Ok(0)),
    ];
    let mut wrong = Vec::new();
    for (bytes, want) in cases {
        std::fs::write(&path, &bytes).unwrap();
        let got = (PNNX.read)(&source()).map(|model| match model.values[1].constant.as_ref().unwrap().data {
            Data::Span { at, .. } => at,
            _ => 0,
        });
        let fits = match (&got, want) {
            (Ok(at), Ok(want)) => *at == want,
            (Err(error), Err(want)) => error.to_string().contains(want),
            _ => false,
        };
        if !fits {
            wrong.push(format!("{want:?}: {got:?}"));
        }
    }
    std::fs::remove_file(&path).unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Texts that are cut anywhere or have any byte replaced are read or rejected, and what is read can be changed.
#[test]
fn damaged_texts_are_read_or_rejected() {
    let (mut read_again, mut errors) = (0, 0);
    let mut check = |bytes: Vec<u8>| match (PNNX.read)(&Source::memory(bytes, None)) {
        Ok(model) => {
            read_again += 1;
            for k in 0..model.nodes.len() as u32 {
                let edit = Edit::ReshapeResult { node: NodeId(k), shape: vec![-1] };
                if let Ok(written) = crate::write(&model, &[edit]) {
                    _ = crate::changed(&model, &written);
                }
            }
        }
        Err(error) => {
            assert!(!error.message().is_empty());
            errors += 1;
        }
    };
    for at in 0..SMALL.len() {
        check(SMALL.as_bytes()[..at].to_vec());
        for byte in [b'0', b'9', b'-', b' ', b'\n', b'=', b'(', b'#', b'@', 0xff] {
            let mut bytes = SMALL.as_bytes().to_vec();
            bytes[at] = byte;
            check(bytes);
        }
    }
    assert!(read_again > 100 && errors > 100, "{read_again} {errors}");
}
