//! Computes one element-wise node with the engine, from operands that are stretched by their strides.

use broadaxe::{Array, DType, Evaluation, Graph, View, eval::Options};
use broadaxe_shape::Alignment;

use crate::{
    graph::ValueId,
    infer::Shapes,
    meaning::{Kind, Meaning, Operator},
};

/// The largest array that is made.
const MOST_BYTES: usize = 1 << 28;

/// Draws an operand: numbers of its dtype, small and not 0.
pub(super) fn drawn(
    meaning: &Meaning,
    shapes: &Shapes,
    (k, value): (usize, ValueId),
    dims: &[usize],
    seed: u64,
) -> Result<Array, String> {
    let element = shapes.of.get(value.0 as usize).and_then(|known| known.element.as_ref());
    let usual = if meaning.kind == Kind::Select && k == 0 { DType::Bool } else { DType::F32 };
    let dtype = match element {
        None => usual,
        Some(element) => {
            element.dtype().ok_or_else(|| format!("elements of the type {element} cannot be computed with"))?
        }
    };
    let count = broadaxe_shape::elements(dims).map_err(|error| error.to_string())?;
    if count.checked_mul(dtype.size()).is_none_or(|bytes| bytes > MOST_BYTES) {
        return Err(format!("an operand of {count} elements is larger than is run here"));
    }
    let mut state = seed ^ u64::from(value.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bytes: Vec<u8> = (0..count).flat_map(|_| number(dtype, next(&mut state))).collect();
    Array::from_bytes(dtype, dims, &bytes).map_err(|error| error.to_string())
}

/// Draws 64 bits (xorshift, multiplied).
fn next(state: &mut u64) -> u64 {
    *state |= 1 << 63;
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
}

/// Makes a number of these bits: a float between 0.25 and 4 of either sign, a whole number from 1 to 100.
fn number(dtype: DType, bits: u64) -> Vec<u8> {
    let whole = bits % 100 + 1;
    match dtype {
        DType::Bool => vec![(bits & 1) as u8],
        DType::F64 => {
            let exponent = 1021 + (bits & 3);
            ((bits & 1 << 63) | (exponent << 52) | (bits >> 8 & ((1 << 52) - 1))).to_le_bytes().to_vec()
        }
        DType::F32 => {
            let exponent = 125 + (bits as u32 & 3);
            (((bits >> 32) as u32 & 1 << 31) | (exponent << 23) | ((bits >> 8) as u32 & 0x7f_ffff))
                .to_le_bytes()
                .to_vec()
        }
        DType::F16 => {
            let exponent = 13 + (bits as u16 & 3);
            (((bits >> 48) as u16 & 1 << 15) | (exponent << 10) | ((bits >> 8) as u16 & 0x3ff)).to_le_bytes().to_vec()
        }
        DType::BF16 => {
            let exponent = 125 + (bits as u16 & 3);
            (((bits >> 48) as u16 & 1 << 15) | (exponent << 7) | ((bits >> 8) as u16 & 0x7f)).to_le_bytes().to_vec()
        }
        _ => whole.to_le_bytes()[..dtype.size()].to_vec(),
    }
}

/// Computes a node whose operands lie as the alignment says.
pub(crate) fn compute(meaning: &Meaning, alignment: &Alignment, operands: &[&Array]) -> Result<Array, String> {
    let fail = |error: broadaxe::Error| error.to_string();
    let mut graph = Graph::new();
    let (mut nodes, mut views) = (Vec::new(), Vec::new());
    let loops = alignment.loop_shape();
    for (k, operand) in operands.iter().enumerate() {
        let size = operand.dtype().size() as isize;
        let strides: Vec<isize> = alignment.strides(k).iter().map(|stride| stride * size).collect();
        nodes.push(graph.input(operand.dtype(), &loops).map_err(fail)?);
        views.push(View::new(operand.dtype(), operand.as_bytes(), &loops, &strides, 0).map_err(fail)?);
    }
    if matches!(meaning.op, Operator::Copy) {
        return Array::from_view(views.first().ok_or("it has no operand")?).map_err(fail);
    }
    let root = meaning.op.build(&mut graph, &nodes).map_err(fail)?;
    Evaluation::new(&graph, root, views, Options::default()).and_then(|evaluation| evaluation.run()).map_err(fail)
}

/// Writes an element, with its bits where it is a float.
pub(super) fn text(dtype: DType, bytes: &[u8]) -> String {
    match (dtype, bytes) {
        (DType::F32, &[a, b, c, d]) => format!("{:?}", f32::from_le_bytes([a, b, c, d])),
        (DType::F64, bytes) if bytes.len() == 8 => {
            let mut own = [0; 8];
            own.copy_from_slice(bytes);
            format!("{:?}", f64::from_le_bytes(own))
        }
        (_, bytes) => {
            let mut own = [0; 8];
            own.iter_mut().zip(bytes).for_each(|(own, byte)| *own = *byte);
            format!("{} {:#x}", dtype.name(), u64::from_le_bytes(own))
        }
    }
}
