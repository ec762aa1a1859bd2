//! Shapes of single operators and of small graphs, as LiteRT makes them.

use super::*;

type Options = &'static [(&'static str, Setting)];

/// The value of an option.
#[derive(Clone, Copy)]
enum Setting {
    Int(i64),
    Ints(&'static [i64]),
    Text(&'static str),
}

use Setting::{Int, Ints, Text};

impl Setting {
    fn attribute(self) -> Attribute {
        match self {
            Int(value) => int(value),
            Ints(values) => ints(values),
            Text(value) => text(value),
        }
    }
}

fn maker() -> Maker {
    Maker::of("tflite", System::Tflite, 1)
}

/// Adds an operand: `=1,2` is a constant list, `#3` a constant number, and `_` is left out; else it is the shape of an input.
fn operand(maker: &mut Maker, k: usize, text: &str) -> String {
    let name = format!("i{k}");
    let numbers = |text: &str| text.split(',').filter_map(|number| number.parse::<i32>().ok()).collect::<Vec<_>>();
    let bytes = |numbers: &[i32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    match (text.strip_prefix('='), text.strip_prefix('#')) {
        (Some(list), _) => {
            let list = numbers(list);
            maker.constant(&name, DType::I32, &[list.len()], bytes(&list));
        }
        (_, Some(number)) => drop(maker.constant(&name, DType::I32, &[], bytes(&numbers(number)))),
        _ if text == "_" => return "_".into(),
        _ => drop(maker.input(&name, DType::F32, text)),
    }
    name
}

/// Infers one operator; its results, or why they are not known.
fn operator(op: &str, operands: &[&str], outputs: usize, options: Options) -> String {
    let mut maker = maker();
    let names: Vec<String> = operands.iter().enumerate().map(|(k, text)| operand(&mut maker, k, text)).collect();
    let results: Vec<String> = (0..outputs).map(|k| format!("o{k}")).collect();
    let options: Vec<_> = options.iter().map(|(name, value)| (*name, value.attribute())).collect();
    maker.node(&format!("{op} {} -> {}", names.join(","), results.join(",")), &options);
    results.iter().map(|name| maker.shape(name)).collect::<Vec<_>>().join(" ")
}

const VALID: (&str, Setting) = ("padding", Text("VALID"));
const SAME: (&str, Setting) = ("padding", Text("SAME"));
const STRIDES: [(&str, Setting); 2] = [("stride_h", Int(2)), ("stride_w", Int(1))];
const KEEP: Options = &[("keep_dims", Int(1))];

// Operator, operands, results, options, and the shapes of the results.
type Case = (&'static str, &'static [&'static str], usize, Options, &'static str);

fn check(cases: &[Case]) {
    let mut wrong = Vec::new();
    for (op, operands, outputs, options, want) in cases {
        let got = operator(op, operands, *outputs, options);
        if got != *want {
            wrong.push(format!("{op} of {operands:?}: {got}, not {want}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn images() {
    check(&[
        ("CONV_2D", &["n,9,9,3", "8,3,3,3"], 1, &[SAME, STRIDES[0], STRIDES[1]], "(n, 5, 9, 8)"),
        ("CONV_2D", &["n,h,9,3", "8,3,3,3"], 1, &[VALID, STRIDES[0], STRIDES[1]], "(n, (h + 1)//2 - 1, 7, 8)"),
        (
            "CONV_2D",
            &["1,9,9,3", "8,3,2,3"],
            1,
            &[VALID, STRIDES[0], STRIDES[1], ("dilation_h_factor", Int(2)), ("dilation_w_factor", Int(3))],
            "(1, 3, 6, 8)",
        ),
        (
            "CONV_2D",
            &["1,9,9,3", "8,3,3,3"],
            1,
            &[SAME],
            "CONV_2D: a window cannot have stride 0 and dilation 1 (node 0)",
        ),
        ("CONV_2D", &["9,9,3", "8,3,3,3"], 1, &[SAME], "CONV_2D: input 0 has rank 3, but needs 4 (node 0)"),
        (
            "CONV_2D",
            &["1,9,9,4", "8,3,3,3"],
            1,
            &[SAME, STRIDES[0], STRIDES[1]],
            "CONV_2D: 4 cannot be divided by 3 (node 0)",
        ),
        ("DEPTHWISE_CONV_2D", &["n,8,8,4", "1,3,3,8"], 1, &[SAME, STRIDES[0], STRIDES[1]], "(n, 4, 8, 8)"),
        ("TRANSPOSE_CONV", &["=2,8,4,5", "5,2,2,3", "2,4,4,3"], 1, &[SAME, STRIDES[0], STRIDES[1]], "(2, 8, 4, 5)"),
        (
            "TRANSPOSE_CONV",
            &["=2,9,4,5", "5,2,2,3", "2,4,4,3"],
            1,
            &[SAME, STRIDES[0], STRIDES[1]],
            "TRANSPOSE_CONV: extents 5 and 4 must be equal (node 0)",
        ),
        ("TRANSPOSE_CONV", &["4", "5,2,2,3", "2,4,4,3"], 1, &[SAME, STRIDES[0], STRIDES[1]], "(?, ?, ?, ?)"),
        (
            "CONV_3D",
            &["1,6,9,9,2", "3,2,2,2,7"],
            1,
            &[VALID, ("stride_d", Int(1)), STRIDES[0], STRIDES[1]],
            "(1, 4, 4, 8, 7)",
        ),
        (
            "CONV_3D_TRANSPOSE",
            &["=1,6,9,9,2", "3,2,2,2,7", "1,3,5,9,7"],
            1,
            &[SAME, ("stride_d", Int(2)), STRIDES[0], STRIDES[1]],
            "(1, 6, 9, 9, 2)",
        ),
        (
            "MAX_POOL_2D",
            &["n,9,9,3"],
            1,
            &[VALID, STRIDES[0], STRIDES[1], ("filter_height", Int(2)), ("filter_width", Int(3))],
            "(n, 4, 7, 3)",
        ),
        (
            "AVERAGE_POOL_2D",
            &["n,1,9,3"],
            1,
            &[VALID, STRIDES[0], STRIDES[1], ("filter_height", Int(5)), ("filter_width", Int(3))],
            "AVERAGE_POOL_2D: the window is larger than the image on axis 1 (node 0)",
        ),
        (
            "L2_POOL_2D",
            &["n,9,9,3"],
            1,
            &[SAME, STRIDES[0], STRIDES[1], ("filter_height", Int(2)), ("filter_width", Int(3))],
            "(n, 5, 9, 3)",
        ),
        ("RESIZE_BILINEAR", &["n,4,4,3", "=8,6"], 1, &[], "(n, 8, 6, 3)"),
        ("RESIZE_NEAREST_NEIGHBOR", &["n,4,4,3", "2"], 1, &[], "(n, ?, ?, 3)"),
        ("SPACE_TO_DEPTH", &["n,4,6,3"], 1, &[("block_size", Int(2))], "(n, 2, 3, 12)"),
        (
            "SPACE_TO_DEPTH",
            &["n,5,6,3"],
            1,
            &[("block_size", Int(2))],
            "SPACE_TO_DEPTH: 5 cannot be divided by 2 (node 0)",
        ),
        ("DEPTH_TO_SPACE", &["n,h,3,12"], 1, &[("block_size", Int(2))], "(n, 2*h, 6, 3)"),
        ("SPACE_TO_BATCH_ND", &["n,4,6,3", "=2,3", "=0,0,1,2"], 1, &[], "(6*n, 2, 3, 3)"),
        ("BATCH_TO_SPACE_ND", &["6,2,3,3", "=2,3", "=0,0,1,2"], 1, &[], "(1, 4, 6, 3)"),
        ("BATCH_TO_SPACE_ND", &["5,2,3", "=2", "=0,0"], 1, &[], "BATCH_TO_SPACE_ND: 5 cannot be divided by 2 (node 0)"),
        ("LOCAL_RESPONSE_NORMALIZATION", &["n,4,4,3"], 1, &[], "(n, 4, 4, 3)"),
        ("L2_NORMALIZATION", &["n,4"], 1, &[], "(n, 4)"),
        ("SOFTMAX", &["n,4"], 1, &[], "(n, 4)"),
        ("LOG_SOFTMAX", &["n,4"], 1, &[], "(n, 4)"),
    ]);
}

#[test]
fn layers() {
    check(&[
        ("FULLY_CONNECTED", &["n,3,8", "5,8", "5"], 1, &[("keep_num_dims", Int(1))], "(n, 3, 5)"),
        ("FULLY_CONNECTED", &["n,3,8", "5,8", "_"], 1, &[("keep_num_dims", Int(0))], "(3*n, 5)"),
        ("FULLY_CONNECTED", &["2,3,4", "5,8", "_"], 1, &[], "(3, 5)"),
        ("FULLY_CONNECTED", &["2,3", "5,4", "_"], 1, &[], "(1, 5)"),
        (
            "FULLY_CONNECTED",
            &["n,3", "5,4"],
            1,
            &[("keep_num_dims", Int(1))],
            "FULLY_CONNECTED: extents 3 and 4 must be equal (node 0)",
        ),
        ("BATCH_MATMUL", &["n,1,4,6", "3,5,6"], 1, &[("adj_x", Int(0)), ("adj_y", Int(1))], "(n, 3, 4, 5)"),
        ("EMBEDDING_LOOKUP", &["n", "50,4,8"], 1, &[], "(n, 4, 8)"),
        (
            "UNIDIRECTIONAL_SEQUENCE_LSTM",
            &["n,7,6", "_", "_", "_", "_", "_", "_", "_", "4,5"],
            1,
            &[("time_major", Int(0))],
            "(n, 7, 5)",
        ),
        ("LSTM", &["n,6", "_", "_", "_", "_", "_", "_", "_", "4,5"], 1, &[("kernel_type", Text("FULL"))], "(n, 5)"),
        (
            "LSTM",
            &["n,6", "n,5", "20,11", "20", "n,5"],
            4,
            &[("kernel_type", Text("BASIC"))],
            "(n, 5) (n, 5) (n, 11) (n, 20)",
        ),
        ("UNIDIRECTIONAL_SEQUENCE_RNN", &["n,7,6", "5,6", "5,5", "5", "n,5"], 1, &[], "(n, 7, 5)"),
        ("RNN", &["n,6", "5,6", "5,5", "5", "n,5"], 1, &[], "(n, 5)"),
        ("SVDF", &["n,6", "8,6", "8,3", "_", "n,24"], 1, &[("rank", Int(2))], "(n, 4)"),
    ]);
}

#[test]
fn reductions() {
    check(&[
        ("MEAN", &["n,4,6", "=1,-1"], 1, KEEP, "(n, 1, 1)"),
        ("SUM", &["n,4,6", "#-1"], 1, &[], "(n, 4)"),
        ("REDUCE_MAX", &["n,4,6", "="], 1, &[], "(n, 4, 6)"),
        ("REDUCE_MIN", &["n,4,6", "=1,-2"], 1, &[], "(n, 6)"),
        ("REDUCE_PROD", &["n,4,6", "1"], 1, &[], "(?, ?)"),
        ("REDUCE_PROD", &["n,4,6", "2"], 1, &[], "REDUCE_PROD: its axes are not known (node 0)"),
        ("REDUCE_ANY", &["n,4,6", "2"], 1, KEEP, "(?, ?, ?)"),
        ("REDUCE_ALL", &["n,4,6", "=0,1,2"], 1, &[], "()"),
        ("ARG_MAX", &["n,4,6", "#-1"], 1, &[], "(n, 4)"),
        ("MEAN", &["()", "#0"], 1, KEEP, "()"),
        ("MEAN", &["n,4", "0"], 1, &[], "(n, 4)"),
        ("ARG_MAX", &["n,4,6", "1"], 1, &[], "(?, ?)"),
        ("ARG_MIN", &["n,4,6", "=3"], 1, &[], "ARG_MIN: axis 3 is out of range for rank 3 (node 0)"),
        (
            "TOPK_V2",
            &["n,4", "#5"],
            2,
            &[],
            "TOPK_V2: 5 elements are more than the axis has (node 0) TOPK_V2: 5 elements are more than the axis has (node 0)",
        ),
        ("TOPK_V2", &["n,4,6", "#2"], 2, &[], "(n, 4, 2) (n, 4, 2)"),
        ("CUMSUM", &["n,4", "#1"], 1, &[], "(n, 4)"),
        ("REVERSE_V2", &["n,4", "=1"], 1, &[], "(n, 4)"),
        ("SEGMENT_SUM", &["n,4", "n"], 1, &[], "(count(o0), 4)"),
        ("UNSORTED_SEGMENT_SUM", &["n,3,4", "n,3", "#7"], 1, &[], "(7, 4)"),
    ]);
}

#[test]
fn changes() {
    check(&[
        ("RESHAPE", &["n,4,6", "=-1,24"], 1, &[], "(n, 24)"),
        ("RESHAPE", &["n,4,6"], 1, &[("new_shape", Ints(&[-1, 8, 3]))], "(n, 8, 3)"),
        ("RESHAPE", &["n,4,6", "=-1,2"], 1, &[("new_shape", Ints(&[7, 8, 3]))], "(12*n, 2)"),
        ("RESHAPE", &["1,1"], 1, &[("new_shape", Ints(&[0]))], "()"),
        ("RESHAPE", &["2,3", "=0,3"], 1, &[], "RESHAPE: 6 elements do not go into a shape of 0 (node 0)"),
        ("RESHAPE", &["2,3", "2"], 1, &[], "(?, ?)"),
        ("EXPAND_DIMS", &["n,4", "#-1"], 1, &[], "(n, 4, 1)"),
        ("EXPAND_DIMS", &["n,4", "()"], 1, &[], "(?, ?, ?)"),
        ("SQUEEZE", &["n,1,4,1"], 1, &[("squeeze_dims", Ints(&[-1]))], "(n, 1, 4)"),
        ("SQUEEZE", &["3,1,4,1"], 1, &[], "(3, 4)"),
        ("TRANSPOSE", &["n,4,6", "=2,0,1"], 1, &[], "(6, n, 4)"),
        ("TRANSPOSE", &["n,4,6", "3"], 1, &[], "(?, ?, ?)"),
        ("CONCATENATION", &["n,4", "n,3", "n,1"], 1, &[("axis", Int(-1))], "(n, 8)"),
        ("PACK", &["n,4", "n,4", "n,4"], 1, &[("axis", Int(-1)), ("values_count", Int(3))], "(n, 4, 3)"),
        ("PACK", &["n,4", "n,5"], 1, &[("axis", Int(0))], "PACK: extents 4 and 5 must be equal (node 0)"),
        ("UNPACK", &["n,2"], 2, &[("axis", Int(1)), ("num", Int(2))], "(n,) (n,)"),
        ("SPLIT", &["#1", "n,6"], 2, &[("num_splits", Int(2))], "(n, 3) (n, 3)"),
        ("SPLIT", &["()", "n,6"], 2, &[], "(?, ?) (?, ?)"),
        ("SPLIT_V", &["n,6", "2", "()"], 2, &[], "(?, ?) (?, ?)"),
        ("SPLIT_V", &["n,6", "=1,-1,2", "#1"], 3, &[], "(n, 1) (n, 3) (n, 2)"),
        ("GATHER", &["n,4,6", "2,3"], 1, &[("axis", Int(1))], "(n, 2, 3, 6)"),
        ("GATHER", &["2,4,6", "2,3"], 1, &[("axis", Int(1)), ("batch_dims", Int(1))], "(2, 3, 6)"),
        ("GATHER_ND", &["n,4,6", "5,2"], 1, &[], "(5, 6)"),
        ("SLICE", &["n,4,6", "=0,1,2", "=-1,-1,3"], 1, &[], "(n, 3, 3)"),
        ("SLICE", &["n,4,6", "3", "=-1,2,3"], 1, &[], "(?, 2, 3)"),
        ("SLICE", &["4,6", "=0,4", "=-1,3"], 1, &[], "SLICE: a range ends at 7, beyond its axis (node 0)"),
        ("TILE", &["n,4", "=3,2"], 1, &[], "(3*n, 8)"),
        ("PAD", &["n,4", "=0,0,1,2"], 1, &[], "(n, 7)"),
        ("PADV2", &["n,4", "=1,1,0,0", "#0"], 1, &[], "(n + 2, 4)"),
        ("MIRROR_PAD", &["n,4", "2,2"], 1, &[], "(?, ?)"),
        ("MATRIX_DIAG", &["n,4"], 1, &[], "(n, 4, 4)"),
        ("DYNAMIC_UPDATE_SLICE", &["n,4", "1,2", "2"], 1, &[], "(n, 4)"),
        ("SCATTER_ND", &["n,1", "n,4", "=9,4"], 1, &[], "(9, 4)"),
        ("SPARSE_TO_DENSE", &["n", "=9", "n", "#0"], 1, &[], "(9,)"),
        ("BROADCAST_TO", &["n,1", "=2,5,4"], 1, &[], "(2, 5, 4)"),
        (
            "BROADCAST_TO",
            &["n,3", "=2,5,4"],
            1,
            &[],
            "BROADCAST_TO: broadcast of a (2, 5, 4) with b (n, 3) under unidirectional: axis 2 is 4 in a and 3 in b; b must be 4 or 1 there (node 0)",
        ),
        ("BROADCAST_ARGS", &["=5,1", "=2,1,4"], 1, &[], "(3,)"),
        ("CAST", &["n,4"], 1, &[], "(n, 4)"),
        ("QUANTIZE", &["n,4"], 1, &[], "(n, 4)"),
        ("DEQUANTIZE", &["n,4"], 1, &[], "(n, 4)"),
    ]);
}

#[test]
fn made() {
    check(&[
        ("SHAPE", &["n,4"], 1, &[], "(2,)"),
        ("RANK", &["n,4"], 1, &[], "()"),
        ("FILL", &["=3,4", "#1"], 1, &[], "(3, 4)"),
        ("FILL", &["=3,-4", "#1"], 1, &[], "FILL: -4 is no extent (node 0)"),
        ("RANGE", &["#1", "#8", "#3"], 1, &[], "(3,)"),
        ("ONE_HOT", &["n,4", "#5", "#1", "#0"], 1, &[("axis", Int(-1))], "(n, 4, 5)"),
        ("WHERE", &["n,4"], 1, &[], "(count(o0), 2)"),
        ("WHERE", &["=0,3,1"], 1, &[], "(2, 1)"),
        ("UNIQUE", &["n"], 2, &[], "(count(o0),) (n,)"),
        ("NON_MAX_SUPPRESSION_V4", &["9,4", "9", "#3", "#0", "#0"], 2, &[], "(3,) ()"),
        ("NON_MAX_SUPPRESSION_V5", &["9,4", "9", "#3", "#0", "#0", "#0"], 3, &[], "(3,) (3,) ()"),
        ("MULTINOMIAL", &["n,4", "#5"], 1, &[], "(n, 5)"),
        ("RANDOM_UNIFORM", &["=3,4"], 1, &[], "(3, 4)"),
        ("RFFT2D", &["n,8,8", "=6,8"], 1, &[], "(n, 6, 5)"),
        ("SELECT_V2", &["n,1", "1,4", "()"], 1, &[], "(n, 4)"),
        ("SELECT", &["n", "n,4", "n,4"], 1, &[], "(n, 4)"),
        ("ADD_N", &["n,4", "n,4", "n,4"], 1, &[], "(n, 4)"),
        ("READ_VARIABLE", &["1"], 1, &[], "the operator READ_VARIABLE is not known here (node 0)"),
        ("custom.MEAN", &["1", "=0"], 1, &[], "the operator custom.MEAN is not known here (node 0)"),
    ]);
}

#[test]
fn masks() {
    let slice = |begin: &str, end: &str, step: &str, masks: &[(&str, i64)]| {
        let mut maker = maker();
        maker.input("x", DType::F32, "n,4,6");
        for (k, list) in [begin, end, step].iter().enumerate() {
            operand(&mut maker, k, list);
        }
        let masks: Vec<_> = masks.iter().map(|(name, bits)| (*name, int(*bits))).collect();
        maker.node("STRIDED_SLICE x,i0,i1,i2 -> y", &masks).shape("y")
    };
    // begins, ends, steps, masks, the shape of the slice of (n, 4, 6)
    type Masked = (&'static str, &'static str, &'static str, &'static [(&'static str, i64)], &'static str);
    let cases: [Masked; 12] = [
        ("=0,-9", "=0,-9", "=1,-1", &[("end_mask", 1)], "(n, 0, 6)"),
        ("=0,1,0", "=0,3,6", "=1,1,2", &[("end_mask", 1)], "(n, 2, 3)"),
        ("=0,1", "=0,0", "=1,1", &[("begin_mask", 1), ("end_mask", 3)], "(n, 3, 6)"),
        ("=0,-1", "=0,0", "=1,1", &[("end_mask", 1), ("shrink_axis_mask", 2)], "(n, 6)"),
        ("=0,0,0", "=0,0,0", "=1,1,-1", &[("begin_mask", 7), ("end_mask", 7)], "(n, 4, 6)"),
        ("=0,5", "=0,1", "=1,-2", &[("ellipsis_mask", 1)], "(n, 4, 2)"),
        ("=0,0,0", "=0,0,2", "=1,1,1", &[("ellipsis_mask", 1), ("new_axis_mask", 2)], "(n, 4, 1, 2)"),
        (
            "=0,0",
            "=0,0",
            "=1,1",
            &[("ellipsis_mask", 3)],
            "STRIDED_SLICE: more than one range has an ellipsis (node 0)",
        ),
        ("=0,1", "=1,2", "=1,1", &[("offset", 1)], "(min(1, n), 2, 6)"),
        ("=0,0,0,0", "=1,1,1,1", "=1,1,1,1", &[], "STRIDED_SLICE: there are more ranges than axes (node 0)"),
        ("2", "2", "=1,1", &[("begin_mask", 1), ("end_mask", 1)], "(n, ?, 6)"),
        ("=0,0", "=1", "=1,1", &[], "STRIDED_SLICE: begin, end and strides must have the same length (node 0)"),
    ];
    let mut wrong = Vec::new();
    for (begin, end, step, masks, want) in cases {
        let got = slice(begin, end, step, masks);
        if got != want {
            wrong.push(format!("{begin} {end} {step} {masks:?}: {got}, not {want}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn computed_shapes() {
    // How exporters write reshapes of open dims.
    let mut maker = maker();
    maker.input("x", DType::F32, "n,s,64");
    for (k, list) in ["=0", "=1", "=1", "#4", "#16", "=2", "#0", "#2", "#1"].iter().enumerate() {
        operand(&mut maker, k, list);
    }
    let first = [("shrink_axis_mask", int(1))];
    maker.node("SHAPE x -> shape", &[]).node("STRIDED_SLICE shape,i0,i1,i2 -> n", &first);
    maker.node("STRIDED_SLICE shape,i1,i5,i2 -> s", &first);
    maker.node("PACK n,s,i3,i4 -> target", &[("axis", int(0))]).node("RESHAPE x,target -> split", &[]);
    maker.node("UNPACK target -> a,b,c,d", &[("axis", int(0))]).node("MUL c,d -> width", &[]);
    maker.node("PACK a,b,width -> back", &[("axis", int(0))]).node("RESHAPE split,back -> merged", &[]);
    maker.node("RANGE i6,s,i7 -> range", &[]).node("CAST shape -> wide", &[]).declare("wide", DType::I64, "3");
    maker.node("GATHER wide,i1 -> picked", &[("axis", int(0))]).node("FILL picked,i8 -> filled", &[]);
    maker.node("BROADCAST_ARGS shape,i1 -> common", &[]).node("BROADCAST_TO i1,common -> stretched", &[]);
    maker.node("REDUCE_PROD shape,i0 -> count", &[]).node("EXPAND_DIMS count,i6 -> list", &[]);
    maker.node("RESHAPE x,list -> flat", &[]);
    let cases = [
        ("split", "(n, s, 4, 16)"),
        ("merged", "(n, s, 64)"),
        ("range", "((s + 1)//2,)"),
        ("filled", "(s,)"),
        ("stretched", "(n, s, 64)"),
        ("flat", "(64*n*s,)"),
    ];
    for (name, want) in cases {
        assert_eq!(maker.shape(name), want, "{name}");
    }
}

#[test]
fn declared_and_inferred() {
    let known = |maker: &Maker, name: &str| {
        let at = maker.model.values.iter().position(|value| value.name == name).unwrap();
        let known = maker.infer().of[at].clone();
        (known.shape.to_string(), known.origin)
    };
    let mut maker = maker();
    maker.input("x", DType::F32, "1,4").declare("state", DType::F32, "1,9");
    maker.node("custom.Fancy x -> y", &[]).declare("y", DType::F32, "1,7");
    maker.node("RELU y -> z", &[]).declare("z", DType::F32, "1,8");
    // What is not known is as the file says, variables too; elsewhere the interpreter goes by the inputs.
    assert_eq!(known(&maker, "y"), ("(1, 7)".into(), Origin::Declared));
    assert_eq!(known(&maker, "state"), ("(1, 9)".into(), Origin::Declared));
    assert_eq!(known(&maker, "z"), ("(1, 7)".into(), Origin::Inferred(NodeId(1))));
    let wrong = (NodeId(1), "z: its shape is (1, 7), the file says (1, 8)".to_string());
    assert_eq!(maker.infer().contradictions, [wrong]);
    // A choice between single elements keeps the recorded shape.
    let mut one = Maker::of("tflite", System::Tflite, 1);
    one.input("c", DType::Bool, "1,1").input("x", DType::F32, "1").declare("y", DType::F32, "()");
    one.node("SELECT_V2 c,x,x -> y", &[]);
    assert_eq!(known(&one, "y").0, "()");
    assert!(one.infer().contradictions.is_empty());
    // With another input shape, the shapes that the file records for results no longer hold.
    let given = infer(&maker.model, &[("x".into(), vec![Dim::known(3), Dim::known(4)])]).unwrap();
    let shapes: Vec<String> = given.of.iter().map(|known| known.shape.to_string()).collect();
    assert_eq!(shapes, ["(3, 4)", "(1, 9)", "(...)", "(...)"]);
    assert!(given.contradictions.is_empty());
}

#[test]
fn subgraphs() {
    let mut maker = maker();
    maker.input("x", DType::F32, "n,4").input("c", DType::Bool, "()");
    let (yes, no) = (maker.body(&["p"], &["a"]), maker.body(&["q"], &["b"]));
    maker.node_in(yes, "RELU p -> a", &[]).node_in(no, "CONCATENATION q,q -> b", &[("axis", int(1))]);
    let branches = [("then_subgraph_index", Attribute::Graph(yes)), ("else_subgraph_index", Attribute::Graph(no))];
    maker.node("IF c,x -> either", &branches);
    // One state grows, one stays.
    let (cond, body) = (maker.body(&["u", "v"], &["go"]), maker.body(&["grows", "stays"], &["longer", "same"]));
    maker.node_in(cond, "SHAPE u -> sizes", &[]).node_in(cond, "REDUCE_ANY u,sizes -> go", &[]);
    maker.node_in(body, "CONCATENATION grows,stays -> longer", &[("axis", int(0))]).node_in(
        body,
        "NEG stays -> same",
        &[],
    );
    let bodies = [("cond_subgraph_index", Attribute::Graph(cond)), ("body_subgraph_index", Attribute::Graph(body))];
    maker.node("WHILE x,x -> last,kept", &bodies).node("RELU kept -> after", &[]);
    let inner = maker.body(&["i"], &["o"]);
    maker.node_in(inner, "RELU i -> o", &[]);
    maker.node("STABLEHLO_COMPOSITE x -> called", &[("decomposition_subgraph_index", Attribute::Graph(inner))]);
    // A subgraph that nothing names is run by itself.
    let free = maker.body(&["r"], &["t"]);
    maker.declare("r", DType::F32, "5,6");
    maker.node_in(free, "RELU r -> t", &[]);
    let cases = [
        ("a", "(n, 4)"),
        ("b", "(n, 8)"),
        ("either", "(n, ?)"),
        ("last", "(?, 4)"),
        ("kept", "(n, 4)"),
        ("after", "(n, 4)"),
        ("u", "(?, 4)"),
        ("v", "(n, 4)"),
        ("called", "(n, 4)"),
        ("t", "(5, 6)"),
    ];
    for (name, want) in cases {
        assert_eq!(maker.shape(name), want, "{name}");
    }
}

#[test]
fn extreme_numbers_are_no_panic() {
    let extremes = [i64::MIN, i64::from(i32::MIN), -1, 0, 1, 3, i64::from(i32::MAX), i64::MAX];
    let names = [
        "axis",
        "batch_dims",
        "begin_mask",
        "block_size",
        "dilation_h_factor",
        "dilation_w_factor",
        "ellipsis_mask",
        "end_mask",
        "filter_height",
        "filter_width",
        "keep_num_dims",
        "new_axis_mask",
        "new_shape",
        "num",
        "num_splits",
        "offset",
        "rank",
        "shrink_axis_mask",
        "squeeze_dims",
        "stride_d",
        "stride_h",
        "stride_w",
    ];
    let mut asked = 0;
    for row in crate::infer::tflite::TFLITE_ROWS {
        for shape in ["()", "n", "2,3", "2,3,4,5", "9223372036854775807,9223372036854775807,3,3", "n,?,0,1,2"] {
            for extreme in extremes {
                let mut maker = maker();
                maker.input("x", DType::F32, shape).ints("i", &[extreme; 4]).int("s", extreme);
                let options: Vec<_> = names.iter().map(|name| (*name, int(extreme))).collect();
                for operands in ["x,x,x", "x,i,i,i", "i,x,x", "x,s,s", "s,x", "i,i,i", "x"] {
                    maker.node(&format!("{} {operands} -> y{asked},z{asked}", row.name), &options);
                    asked += 1;
                }
                maker.infer();
            }
        }
    }
    assert!(asked > 10_000);
}
