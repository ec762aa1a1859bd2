//! Evaluates expressions and compares with what NumPy, or the reference evaluator of ONNX, computed for the same text:
//! `expression ; dtype ; shape ; values`.

use broadaxe_kernels::{Element, bf16, f16};

use super::*;
use crate::{
    array::Array,
    eval::{Evaluation, Options},
};

const NUMPY: &str = include_str!("numpy.txt");
const ONNX: &str = include_str!("onnx.txt");

/// Makes the array of a name: its dtype's values, of the shape (2, 3), or (3,) with a `_`.
fn array(name: &str) -> Array {
    let dtype = DType::from_name(name.trim_end_matches('_')).unwrap();
    let (shape, values): (&[usize], &[f64]) = match (name.ends_with('_'), dtype) {
        (false, DType::Bool) => (&[2, 3], &[0.0, 1.0, 1.0, 0.0, 1.0, 0.0]),
        (false, int) if int.is_signed() => (&[2, 3], &[-7.0, -2.0, -1.0, 1.0, 3.0, 100.0]),
        (false, int) if int.is_unsigned() => (&[2, 3], &[1.0, 2.0, 3.0, 7.0, 100.0, 250.0]),
        (false, _) => (&[2, 3], &[-2.5, -1.0, -0.25, 0.5, 1.5, 7.0]),
        (true, DType::Bool) => (&[3], &[1.0, 0.0, 1.0]),
        (true, int) if int.is_signed() => (&[3], &[2.0, -3.0, 5.0]),
        (true, int) if int.is_unsigned() => (&[3], &[2.0, 3.0, 5.0]),
        (true, _) => (&[3], &[0.5, -2.0, 3.0]),
    };
    let scalars = values.iter().map(|value| crate::Scalar::from_f64(dtype, *value).bytes());
    let bytes: Vec<u8> = scalars.flat_map(|bytes| bytes[..dtype.size()].to_vec()).collect();
    Array::from_bytes(dtype, shape, &bytes).unwrap()
}

fn words<T: Element>(array: &Array, word: impl Fn(T) -> String) -> Vec<String> {
    array.as_slice::<T>().unwrap().iter().map(|value| word(*value)).collect()
}

/// Writes the elements as Python does: whole numbers, or floats in f64.
fn elements(array: &Array) -> Vec<String> {
    let float = |value: f64| format!("{value:?}");
    match array.dtype() {
        DType::Bool => array.as_bytes().iter().map(|byte| u8::from(*byte != 0).to_string()).collect(),
        DType::I8 => words::<i8>(array, |v| v.to_string()),
        DType::I16 => words::<i16>(array, |v| v.to_string()),
        DType::I32 => words::<i32>(array, |v| v.to_string()),
        DType::I64 => words::<i64>(array, |v| v.to_string()),
        DType::U8 => words::<u8>(array, |v| v.to_string()),
        DType::U16 => words::<u16>(array, |v| v.to_string()),
        DType::U32 => words::<u32>(array, |v| v.to_string()),
        DType::U64 => words::<u64>(array, |v| v.to_string()),
        DType::F16 => words::<f16>(array, |v| float(v.to_f64())),
        DType::BF16 => words::<bf16>(array, |v| float(v.to_f64())),
        DType::F32 => words::<f32>(array, |v| float(f64::from(v))),
        DType::F64 => words::<f64>(array, float),
    }
}

fn evaluate(text: &str) -> Result<Array, Error> {
    let expr = Expr::parse(text)?;
    let arrays: Vec<Array> = expr.names().iter().map(|name| array(name)).collect();
    let mut graph = Graph::new();
    let mut names = Vec::new();
    for (name, array) in expr.names().iter().zip(&arrays) {
        names.push((name.as_str(), graph.input(array.dtype(), array.shape())?));
    }
    let root = expr.lower(&mut graph, &names, &Rule::numpy())?;
    let views = arrays.iter().map(Array::view).collect();
    Evaluation::new(&graph, root, views, Options::default())?.run()
}

/// Says whether two words are one value: equal, both NaN, or floats within a few roundings of the dtype.
fn alike(dtype: DType, got: &str, want: &str) -> bool {
    let near = match dtype {
        DType::F16 => 2e-3,
        DType::BF16 => 1.6e-2,
        DType::F32 => 5e-7,
        DType::F64 => 1e-15,
        _ => return got == want,
    };
    let python = |word: &str| word.replace("inf", "infinity").parse::<f64>().unwrap();
    let (got, want) = (python(got), python(want));
    got == want || (got.is_nan() && want.is_nan()) || (got - want).abs() <= near * want.abs()
}

#[test]
fn values_are_numpys() {
    compare(NUMPY);
}

#[test]
fn values_are_those_of_onnx() {
    compare(ONNX);
}

/// Worked out by hand from the specifications.
const OTHERS: &str = "\
openvino.Divide(i32, i32_) ; i32 ; 2,3 ; -4 0 -1 0 -1 20
openvino.Divide(i32, i32_, m_pythondiv=False) ; i32 ; 2,3 ; -3 0 0 0 -1 20
openvino.Mod(i32, i32_) ; i32 ; 2,3 ; -1 -2 -1 1 0 0
openvino.FloorMod(i32, i32_) ; i32 ; 2,3 ; 1 -2 4 1 0 0
openvino.Power(i32, i32_) ; i32 ; 2,3 ; 49 0 -1 1 0 1410065408
openvino.BitwiseLeftShift(i32, 33) ; i32 ; 2,3 ; -14 -4 -2 2 6 200
openvino.Round(f32, mode=\"half_away_from_zero\") ; f32 ; 2,3 ; -3.0 -1.0 0.0 1.0 2.0 7.0
openvino.Round(f32) ; f32 ; 2,3 ; -2.0 -1.0 0.0 0.0 2.0 7.0
openvino.FakeQuantize(f32, 1, 1, -1, 2, levels=4) ; f32 ; 2,3 ; -1.0 -1.0 -1.0 -1.0 2.0 2.0
openvino.Clamp(i32, min=-1.5, max=2.5) ; i32 ; 2,3 ; -1 -1 -1 1 2 2
onnx.Shrink(i32, lambd=1.5, bias=1.5) ; i32 ; 2,3 ; -5 0 0 0 1 98
onnx.Erf(i32, opset=9) ; i32 ; 2,3 ; -1 0 0 0 0 1
onnx.Clip(f32 / 0, opset=6) ; f32 ; 2,3 ; -3.4028234663852886e38 -3.4028234663852886e38 -3.4028234663852886e38 3.4028234663852886e38 3.4028234663852886e38 3.4028234663852886e38
openvino.HSigmoid(f32) ; f32 ; 2,3 ; 0.083333336 0.33333334 0.45833334 0.5833333 0.75 1.0
openvino.FakeQuantize(f32, -1, 3, -1, 3, levels=5) ; f32 ; 2,3 ; -1.0 -1.0 0.0 1.0 1.0 3.0
openvino.FakeQuantize(f32, 3, -1, 0, 8, levels=5) ; f32 ; 2,3 ; 0.0 0.0 6.0 4.0 4.0 8.0
openvino.Select(bool, f32, f32_) ; f32 ; 2,3 ; 0.5 -1.0 -0.25 0.5 1.5 3.0
ncnn.BinaryOp(f32, 1, op_type=7) ; f32 ; 2,3 ; 3.5 2.0 1.25 0.5 -0.5 -6.0
ncnn.BinaryOp(f32, op_type=13, with_scalar=1, b=2.0) ; f32 ; 2,3 ; 2.0 0.0 0.0 0.0 0.5 2.0
ncnn.BinaryOp(f32, op_type=15, with_scalar=1, b=2.0) ; f32 ; 2,3 ; -2.0 -1.0 -1.0 0.0 0.0 3.0
ncnn.BinaryOp(f32, op_type=17, with_scalar=1, b=2.0) ; f32 ; 2,3 ; -0.5 -1.0 -0.25 0.5 -0.5 -1.0
paddle.elementwise_div(i32, i32_) ; i32 ; 2,3 ; -3 0 0 0 -1 20
paddle.elementwise_floordiv(i32, i32_) ; i32 ; 2,3 ; -4 0 -1 0 -1 20
paddle.elementwise_mod(i32, i32_) ; i32 ; 2,3 ; 1 -2 4 1 0 0
paddle.divide(i32, i32_) ; f32 ; 2,3 ; -3.5 0.6666667 -0.2 0.5 -1.0 20.0";

#[test]
fn values_are_those_of_the_specifications() {
    compare(OTHERS);
}

fn compare(table: &str) {
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [text, dtype, shape, values] = line.split(" ; ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        match evaluate(text) {
            Err(error) => wrong.push(format!("{line}\n  {error}")),
            Ok(array) => {
                let got = elements(&array);
                let dims: Vec<String> = array.shape().iter().map(usize::to_string).collect();
                let same = got.len() == values.split(' ').count()
                    && got.iter().zip(values.split(' ')).all(|(got, want)| alike(array.dtype(), got, want));
                if array.dtype().name() != dtype || dims.join(",") != shape || !same {
                    wrong.push(format!("{line}\n  {} {} {}", array.dtype(), dims.join(","), got.join(" ")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), table.lines().count(), wrong.join("\n"));
}
