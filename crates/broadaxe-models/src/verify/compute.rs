//! Computes one element-wise node with the engine, from operands that are stretched by their strides.

use broadaxe::{Array, DType, Evaluation, Graph, View, eval::Options};
use broadaxe_shape::Alignment;

use crate::{
    graph::ValueId,
    infer::Shapes,
    meaning::{Kind, Meaning, Operator},
};

/// The largest array that is made.
const MOST_BYTES: usize = 1 << 26;

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
        return Err(format!("an operand of {count} elements is too large to compute here"));
    }
    let mut state = seed ^ u64::from(value.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut bytes = Vec::with_capacity(count * dtype.size());
    (0..count).for_each(|_| bytes.extend_from_slice(&number(dtype, next(&mut state)).to_le_bytes()[..dtype.size()]));
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

/// Makes a number of random bits: a float between 0.25 and 4 of either sign, a whole number from 1 to 100. Returns its own
/// bits, lowest first.
fn number(dtype: DType, bits: u64) -> u64 {
    // Of a float, the sign comes from the highest bit, the exponent from the two lowest, and the fraction from those above 8.
    let float = |width: u32, fraction: u32, exponent: u64| {
        let sign = bits >> 63 << (width - 1);
        sign | (exponent + (bits & 3)) << fraction | (bits >> 8 & ((1 << fraction) - 1))
    };
    match dtype {
        DType::Bool => bits & 1,
        DType::F64 => float(64, 52, 1021),
        DType::F32 => float(32, 23, 125),
        DType::F16 => float(16, 10, 13),
        DType::BF16 => float(16, 7, 125),
        _ => bits % 100 + 1,
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
