//! Shapes of single layers and of small texts, as ncnn makes them.

use broadaxe_shape::symbolic::{Dim, SymbolicShape};

use crate::{
    format,
    infer::{Origin, Shapes, infer},
    source::Source,
};

fn shapes(text: &str, given: &[(String, Vec<Dim>)]) -> Shapes {
    let lines = text.lines().count();
    let model = format::read(&Source::memory(format!("7767517\n{lines} 12\n{text}").into_bytes(), None));
    infer(&model.unwrap_or_else(|error| panic!("{error}\n{text}")), given).unwrap()
}

/// Infers one layer whose inputs have these shapes; its results, or why they are not known.
fn layer(op: &str, inputs: &[&str], outputs: usize, parameters: &str) -> String {
    let mut text = String::new();
    let mut given = Vec::new();
    for (k, shape) in inputs.iter().enumerate() {
        text = format!("{text}Input i{k} 0 1 i{k}\n");
        if *shape != "?" {
            let shape: SymbolicShape = shape.parse().unwrap();
            given.push((format!("i{k}"), shape.dims().unwrap().to_vec()));
        }
    }
    let names: Vec<String> =
        (0..inputs.len()).map(|k| format!("i{k}")).chain((0..outputs).map(|k| format!("o{k}"))).collect();
    text = format!("{text}{op} x {} {outputs} {} {parameters}\n", inputs.len(), names.join(" "));
    let shapes = shapes(&text, &given);
    let result = shapes.of[inputs.len()..].iter().map(|known| match &known.origin {
        Origin::Unknown(why) => why.clone(),
        _ => known.shape.to_string(),
    });
    result.collect::<Vec<_>>().join(" ")
}

#[test]
fn layers() {
    // Layer, inputs, results, parameters, and the shapes of the results.
    type Case = (&'static str, &'static [&'static str], usize, &'static str, &'static str);
    let cases: &[Case] = &[
        ("ReLU", &["3,4"], 1, "", "(3, 4)"),
        ("Split", &["3,n"], 2, "", "(3, n) (3, n)"),
        ("BinaryOp", &["4,3,2", "4,3"], 1, "0=0", "(4, 3, 2)"),
        ("BinaryOp", &["3,3", "3"], 1, "0=0", "(3, 3)"),
        ("BinaryOp", &["4,3,2"], 1, "0=0 1=1 2=2.0", "(4, 3, 2)"),
        ("BinaryOp", &["4,h,w", "4,1,1"], 1, "0=0", "(4, h, w)"),
        ("Convolution", &["3,224,224"], 1, "0=64 1=7 3=2 4=3 6=9408", "(64, 112, 112)"),
        ("Convolution", &["3,9,20"], 1, "0=8 1=3 11=5 3=2 13=1 4=1 14=0 15=2 16=1 2=2 12=1", "(8, 6, 10)"),
        ("Convolution", &["3,10,11"], 1, "0=8 1=3 3=2 4=-233", "(8, 5, 6)"),
        ("Convolution", &["64"], 1, "0=8 1=1 6=512", "(8,)"),
        ("Convolution", &["3,h,w"], 1, "0=8 1=3 4=1", "(8, h, w)"),
        ("Convolution", &["3,h,w"], 1, "0=8 1=3 4=1 3=2", "(8, (h + 1)//2, (w + 1)//2)"),
        ("Convolution", &["?"], 1, "0=8 1=3", "(8, ?, ?)"),
        ("Convolution", &["?"], 1, "0=8 1=1 6=512", "the file does not say the shape of the input i0"),
        ("Convolution", &["3,2,2"], 1, "0=8 1=3", "Convolution makes an extent of 0 (x)"),
        ("Convolution", &["3,9,9", "16,3,5,3"], 1, "19=1 1=1", "(16, 5, 7)"),
        ("Convolution1D", &["16,50"], 1, "0=32 1=5 3=2 4=2", "(32, 25)"),
        ("Convolution3D", &["3,4,8,8"], 1, "0=6 1=3 21=1 4=1 24=0", "(6, 4, 8, 8)"),
        ("Deconvolution", &["8,5,6"], 1, "0=4 1=4 3=2 4=1", "(4, 10, 12)"),
        ("DeconvolutionDepthWise", &["8,5,6"], 1, "0=8 1=3 3=2 18=1 7=8", "(8, 12, 14)"),
        ("Deconvolution", &["8,5,6"], 1, "0=4 1=3 3=2 4=-233 20=12 21=10", "(4, 10, 12)"),
        ("Pooling", &["64,112,112"], 1, "0=0 1=3 2=2", "(64, 56, 56)"),
        ("Pooling", &["64,112,112"], 1, "0=0 1=3 2=2 5=1", "(64, 55, 55)"),
        ("Pooling", &["64,111,112"], 1, "0=0 1=3 2=2 5=2", "(64, 56, 56)"),
        ("Pooling", &["64,7,7"], 1, "0=1 4=1", "(64,)"),
        ("Pooling", &["64,7,9"], 1, "0=1 7=1 8=3 18=-233", "(64, 7, 3)"),
        ("Pooling1D", &["64,9"], 1, "0=1 1=2 2=2 5=1", "(64, 4)"),
        ("InnerProduct", &["64,7,7"], 1, "0=10 2=31360", "(10,)"),
        ("InnerProduct", &["17,64"], 1, "0=10 2=640", "(17, 10)"),
        ("InnerProduct", &["10,64"], 1, "0=5 2=3200", "(5,)"),
        ("Embed", &["16"], 1, "0=32", "(16, 32)"),
        ("MatMul", &["2,3,4", "2,4,5"], 1, "", "(2, 3, 5)"),
        ("MatMul", &["2,3,4", "5,4"], 1, "0=1", "(2, 3, 5)"),
        ("MatMul", &["6,2,3,4", "2,4,5"], 1, "", "(6, 2, 3, 5)"),
        ("MatMul", &["4", "4,5"], 1, "", "(5,)"),
        ("MatMul", &["2,3,4", "4"], 1, "", "(2, 3)"),
        ("Gemm", &["7,64"], 1, "3=1 5=1 6=1 8=32 9=64 10=4", "(7, 32)"),
        ("Gemm", &["7,64", "32,64"], 1, "3=1 14=1", "(32, 7)"),
        ("MultiHeadAttention", &["50,64"], 1, "0=64 1=4 2=4096", "(50, 64)"),
        ("MultiHeadAttention", &["7,64", "64,5", "64,5"], 3, "0=64 1=4 2=4096 7=1", "(7, 64) (64, 12) (64, 12)"),
        ("SDPA", &["8,7,64", "2,7,64", "2,7,32"], 1, "", "(8, 7, 32)"),
        ("SDPA", &["8,7,64", "2,7,64", "2,7,32", "2,5,64", "2,5,32"], 3, "7=1", "(8, 7, 32) (2, 12, 64) (2, 12, 32)"),
        ("LSTM", &["50,16"], 3, "0=32 1=8192 2=2", "(50, 64) (2, 32) (2, 32)"),
        ("Reshape", &["4,6"], 1, "0=-1", "(24,)"),
        ("Reshape", &["4,6"], 1, "0=2 1=0 2=-1", "(3, 4, 2)"),
        ("Reshape", &["4,n"], 1, "0=2 1=-1", "(2*n, 2)"),
        ("Reshape", &["4,6"], 1, "0=5 1=5", "Reshape: 24 elements cannot be given a shape of 25 (x)"),
        ("Reshape", &["4,6"], 1, "0=1 1=1 2=1 6=\"0h,/(0w,2),2\"", "(2, 3, 4)"),
        ("Reshape", &["17,2304"], 1, "12=233 13=1 6=\"768,3,1,17,1\"", "(1, 1, 3, 768)"),
        ("Reshape", &["4,6"], 1, "0=6 1=4 12=233 13=0", "(6,)"),
        ("Reshape", &["4,6"], 1, "0=0 1=-1 2=4", "(4, 1, 6)"),
        ("Permute", &["2,3,4"], 1, "0=3", "(3, 4, 2)"),
        ("Permute", &["2,3"], 1, "0=1", "(3, 2)"),
        ("Permute", &["2,3,4,5"], 1, "0=23", "(5, 4, 3, 2)"),
        ("Permute", &["2,3"], 1, "0=5", "Permute: there is no order 5 of rank 2 (x)"),
        ("Concat", &["2,3,4", "5,3,4"], 1, "0=0", "(7, 3, 4)"),
        ("Concat", &["2,3", "2,n"], 1, "0=-1", "(2, n + 3)"),
        ("Slice", &["7,3"], 3, "-23300=3,2,-233,-233 1=0", "(2, 3) (2, 3) (3, 3)"),
        ("Slice", &["7,3"], 2, "-23302=1,-2", "(5, 3) (2, 3)"),
        ("Slice", &["7,3"], 1, "", "Slice: it has 1 results, but not as many numbers (x)"),
        ("Crop", &["4,9,9"], 1, "-23309=1,2 -23310=1,-233 -23311=1,1", "(4, 7, 9)"),
        ("Crop", &["4,9,9"], 1, "0=1 1=2 2=0 3=3 4=-233 5=-233 7=1", "(4, 6, 3)"),
        ("Crop", &["4,9,9", "2,5,6"], 1, "0=1", "(2, 5, 6)"),
        ("Padding", &["4,9,9"], 1, "0=1 1=2 2=3 3=4 7=1", "(5, 12, 16)"),
        ("Interp", &["4,9,9"], 1, "0=2 1=2.0 2=1.5", "(4, 18, 13)"),
        ("Interp", &["4,9,9"], 1, "0=1 3=5 4=6", "(4, 5, 6)"),
        ("Interp", &["4"], 1, "0=1 3=5 4=6", "(4, 5, 6)"),
        ("Flatten", &["4,9,9"], 1, "", "(324,)"),
        ("Reduction", &["4,9,8"], 1, "0=3 1=0 -23303=2,1,2 4=0 5=1", "(4,)"),
        ("Reduction", &["4,9,8"], 1, "0=3 1=0 -23303=1,-1 4=1 5=1", "(4, 9, 1)"),
        ("Reduction", &["4,9,8"], 1, "0=3", "(1,)"),
        ("ExpandDims", &["4,9"], 1, "-23303=2,0,-1", "(1, 4, 9, 1)"),
        ("Squeeze", &["1,4,1"], 1, "-23303=1,0", "(4, 1)"),
        ("Squeeze", &["1,4,1"], 1, "0=1 2=1", "(4,)"),
        ("Tile", &["2,3"], 1, "-23302=3,4,1,2", "(4, 2, 6)"),
        ("Tile", &["2,3"], 1, "0=1 1=5", "(2, 15)"),
        ("PixelShuffle", &["16,3,4"], 1, "0=2", "(4, 6, 8)"),
        ("Reorg", &["4,6,8"], 1, "0=2", "(16, 3, 4)"),
        ("PriorBox", &["512,19,19"], 1, "-23300=1,60.0 -23302=1,2.0 9=300 10=300", "(2, 4332)"),
        ("DetectionOutput", &["8664", "45486", "2,8664"], 1, "0=21", "(?, 6)"),
        ("Einsum", &["2,3", "3,4"], 1, "-23300=8,105,106,44,106,107,45,62,105", "(2,)"),
        ("GLU", &["8,5"], 1, "0=0", "(4, 5)"),
        ("Unfold", &["3,8,8"], 1, "1=3 4=1", "(27, 64)"),
        ("Fold", &["27,64"], 1, "1=3 4=1 20=8", "(3, 8, 8)"),
        ("Strange", &["1"], 1, "", "the operator Strange is not known here (x)"),
        ("ReLU", &["1,1,1,1,1"], 1, "", "ReLU: input 0 has rank 5; ncnn has ranks 1 to 4 (x)"),
    ];
    let mut wrong = Vec::new();
    for (op, inputs, outputs, parameters, want) in cases {
        let got = layer(op, inputs, *outputs, parameters);
        if got != *want {
            wrong.push(format!("{op} {inputs:?} {parameters}: {got}, not {want}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn samples_go_with_every_layer() {
    let text = "Input d 0 1 d 0=6 1=4\nReshape r 1 1 d e 0=6 1=4 12=233 13=0\nReLU a 1 1 e f\nReshape s 1 1 f g 0=6 1=-1 12=0 13=233";
    let shapes = shapes(text, &[]);
    let shapes: Vec<_> = shapes.of.iter().map(|known| known.shape.to_string()).collect();
    assert_eq!(shapes, ["(4, 6)", "(6,)", "(6,)", "(4, 6)"]);
}

#[test]
fn recorded_shapes() {
    let text = "Input d 0 1 d 0=6 1=4 2=3\nStrange s 1 1 d e -23330=4,1,7,1,1\nReLU a 1 1 d f -23330=4,3,9,9,9\nReLU b 1 1 e g";
    let known = shapes(text, &[]);
    let names: Vec<_> = known.of.iter().map(|known| known.shape.to_string()).collect();
    assert_eq!(names, ["(3, 4, 6)", "(7,)", "(3, 4, 6)", "(7,)"]);
    assert_eq!((&known.of[1].origin, known.remarks.len()), (&Origin::Declared, 1), "{:?}", known.remarks);
    // Recorded shapes are those of the recorded input.
    let other = vec![("d".to_owned(), ["3", "8", "8"].map(|dim| dim.parse().unwrap()).to_vec())];
    let known = shapes(text, &other);
    let names: Vec<_> = known.of.iter().map(|known| known.shape.to_string()).collect();
    assert_eq!(names, ["(3, 8, 8)", "(...)", "(3, 8, 8)", "(...)"]);
}

/// Returns the number of a parameter, of an array too.
fn key(word: &str) -> i64 {
    let number: i64 = word.split('=').next().unwrap().parse().unwrap();
    if number < -200 { -23300 - number } else { number }
}

/// Every blob has a shape or a reason, for any parameters.
#[test]
fn strange_parameters() {
    let ops = [
        "ArgMax",
        "BinaryOp",
        "Concat",
        "Convolution",
        "Convolution1D",
        "Convolution3D",
        "Crop",
        "Deconvolution",
        "Deconvolution3D",
        "Diag",
        "Einsum",
        "Embed",
        "ExpandDims",
        "Fold",
        "GLU",
        "Gemm",
        "GridSample",
        "InnerProduct",
        "Interp",
        "InverseSpectrogram",
        "LSTM",
        "MatMul",
        "MultiHeadAttention",
        "PSROIPooling",
        "Padding",
        "Permute",
        "PixelShuffle",
        "Pooling",
        "Pooling1D",
        "PriorBox",
        "Proposal",
        "Reduction",
        "Reorg",
        "Reshape",
        "SDPA",
        "Slice",
        "Spectrogram",
        "Squeeze",
        "StatisticsPooling",
        "Tile",
        "Unfold",
    ];
    let values = [
        "0=0",
        "0=-1",
        "0=2147483647",
        "0=-2147483648",
        "1=0",
        "1=-2147483648",
        "2=-2147483648",
        "3=2147483647",
        "4=1",
        "4=-233",
        "5=-2147483648",
        "6=\"//(0w,0)\"",
        "6=\"*(0w,*(0w,0w)),-(,\"",
        "7=1",
        "-23303=2,0,0",
        "-23302=3,2147483647,2147483647,2147483647",
        "-23300=2,-5,7",
        "12=0 13=5",
        "12=0 13=-9",
        "19=1",
        "11=0",
        "8=2147483647",
    ];
    let shapes = ["4", "3,4", "2147483647,2147483647", "2,3,n", "?", "1,2,3,4"];
    let mut count = 0;
    for op in ops {
        for (k, value) in values.iter().enumerate() {
            for (m, shape) in shapes.iter().enumerate() {
                let more = values[(k * 7 + m) % values.len()];
                let same = key(more) == key(value) || value.contains("12=") || more.contains("12=");
                let parameters = if same { (*value).to_owned() } else { format!("{value} {more}") };
                let other = shapes[(k + m) % shapes.len()];
                for inputs in [&[*shape][..], &[*shape, other]] {
                    assert!(!layer(op, inputs, 2, &parameters).is_empty());
                    count += 1;
                }
            }
        }
    }
    assert!(count > 10_000, "{count}");
}
