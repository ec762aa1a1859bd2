//! Computes the value of a node with the engine, from numbers that tell the elements apart.
//!
//! Operands hold codes, in the simplest case the position of each element and 1. Where an operator hides the difference
//! (the greater of two numbers, the truth of a comparison) other codes are tried.

use broadaxe::{Array, DType, Evaluation, Graph, OpId, View, eval::Options, ops};

use crate::meaning::{Kind, Meaning, Operator};

/// How many sets of codes are tried; fewer where there are many operands.
const TRIES: usize = 100;
const FEWEST: usize = 4;
/// How many codes are tried in all, but for the fewest sets.
const OPERATOR_CODES: usize = 1 << 13;
/// The largest position that is a code itself; every code is exact in f32.
const EXACT: usize = 1 << 22;
/// How many operands one evaluation has where an operator folds any number of them.
const BLOCK: usize = 1 << 8;

/// How many operands a scale and a bias make with their data.
const SCALE_AND_BIAS: usize = 3;

/// The numbers that are read in two ways, and the results of the node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Computed {
    pub(super) numbers: Vec<f64>,
    /// The numbers that are read there.
    pub(super) target_numbers: Vec<f64>,
    pub(super) here: f64,
    pub(super) there: Option<f64>,
}

/// Computes the results of a node from the elements at these positions here and there, with codes on which they differ.
///
/// Where no codes do, the two values are equal: the operator cannot tell the elements apart.
pub(super) fn values(meaning: &Meaning, here: &[usize], there: Option<&[usize]>) -> Option<Computed> {
    // The mean and the variance are no operands of the sum, and zero points are none of the product.
    let many = meaning.kind == Kind::Lengths && meaning.operands.len() > SCALE_AND_BIAS;
    // So is what an operator of ONNX Runtime's own does before and after.
    if many || meaning.is_of_integers() || meaning.kind == Kind::Contrib {
        return None;
    }
    let mut found = None;
    let tries = (OPERATOR_CODES / here.len().max(1)).clamp(FEWEST, TRIES) as u64;
    for seed in 0..tries {
        let dtype = dtype(meaning)?;
        let read = |positions: &[usize]| -> Vec<f64> {
            positions.iter().enumerate().map(|(k, &at)| code(meaning.kind, dtype, (k, at), seed)).collect()
        };
        let numbers = read(here);
        let results: Option<Vec<f64>> = [Some(here), there]
            .into_iter()
            .flatten()
            .map(|positions| compute(meaning, dtype, &read(positions)))
            .collect();
        let Some(results) = results else { continue };
        let target_numbers = there.map(read).unwrap_or_default();
        let values = Computed { numbers, target_numbers, here: results[0], there: results.get(1).copied() };
        let plain = results.iter().all(|value| value.is_finite());
        if plain && (there.is_none() || results[0] != results[1]) {
            return Some(values);
        }
        if plain || found.is_none() {
            found = Some(values);
        }
    }
    found
}

/// Returns the dtype to compute in: one that the operator accepts, in which codes are exact.
fn dtype(meaning: &Meaning) -> Option<DType> {
    let accepted: Vec<DType> = match &meaning.op {
        Operator::Copy => vec![DType::F32],
        Operator::Own(ops) => ops.first()?.op().dtypes().collect(),
        Operator::Call { row, .. } => row.dtypes().to_vec(),
    };
    let wanted = [DType::F32, DType::F64, DType::I64, DType::I32, DType::U64, DType::U32, DType::Bool];
    // The condition of a `where` is not among its operands' dtypes.
    wanted.into_iter().find(|dtype| accepted.contains(dtype)).or(accepted.first().copied())
}

/// Returns what operand `k` holds at a position.
fn code(kind: Kind, dtype: DType, (k, at): (usize, usize), seed: u64) -> f64 {
    let mixed = mix(seed ^ mix(at as u64 ^ mix(k as u64)));
    if dtype == DType::Bool || (kind == Kind::Select && k == 0) {
        return (mixed & 1) as f64;
    }
    let plain = match seed {
        0 if at < EXACT => at as f64 + 1.0,
        0..4 => (mixed % 997) as f64 + 1.0,
        4..20 => (mixed % 5) as f64 + 1.0,
        // With 0 the truth of a number shows too, with both signs the sign.
        20..60 => (mixed % 3) as f64,
        _ if dtype.is_float() => (mixed % 5) as f64 - 2.0,
        _ => (mixed % 3) as f64,
    };
    match (kind, k) {
        // Only below 0 does a slope show.
        (Kind::Slope | Kind::Channel, 0) | (Kind::Select, 2) => -plain,
        (Kind::Quantize, 0) => (mixed % 5) as f64,
        (Kind::Quantize, 1 | 3) => -((mixed % 7) as f64) - 1.0,
        (Kind::Quantize, _) => (mixed % 11) as f64 + 6.0,
        _ => plain,
    }
}

/// Stirs the bits of a number (the finaliser of splitmix64).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Computes the operator on one element per operand.
///
/// An evaluation needs some kilobytes per operand. Where an operator folds many from the left, they are given to it in
/// blocks, each behind the result of those before it, which rounds as one evaluation does.
fn compute(meaning: &Meaning, dtype: DType, elements: &[f64]) -> Option<f64> {
    let fold = meaning.op.id().filter(|id| meaning.kind == Kind::Many && id.op().is_variadic());
    let (Some(fold), true) = (fold, elements.len() > BLOCK) else {
        return evaluate(&meaning.op, meaning.kind, dtype, elements);
    };
    let average = fold.op().is_average();
    let run = |op: OpId, elements: &[f64]| {
        let op = Operator::Own(vec![op; elements.len() - 1]);
        evaluate(&op, meaning.kind, dtype, elements)
    };
    let mut result = *elements.first()?;
    for block in elements[1..].chunks(BLOCK) {
        result = run(if average { ops::SUM } else { fold }, &[&[result], block].concat())?;
    }
    if average { run(ops::DIV, &[result, elements.len() as f64]) } else { Some(result) }
}

/// Evaluates an operator on one element per operand.
fn evaluate(op: &Operator, kind: Kind, dtype: DType, elements: &[f64]) -> Option<f64> {
    if matches!(op, Operator::Copy) {
        return elements.first().copied();
    }
    let mut graph = Graph::new();
    let (mut nodes, mut arrays) = (Vec::new(), Vec::new());
    for (k, element) in elements.iter().enumerate() {
        let own = if kind == Kind::Select && k == 0 { DType::Bool } else { dtype };
        nodes.push(graph.input(own, &[1]).ok()?);
        arrays.push(Array::from_bytes(own, [1], &bytes(own, *element)).ok()?);
    }
    let root = op.build(&mut graph, &nodes).ok()?;
    let views: Vec<View<'_>> = arrays.iter().map(Array::view).collect();
    let options = Options { threads: Some(1), ..Options::default() };
    let result = Evaluation::new(&graph, root, views, options).ok()?.run().ok()?;
    number(&result)
}

/// Writes a number as the dtype holds it.
fn bytes(dtype: DType, number: f64) -> Vec<u8> {
    match dtype {
        DType::Bool => vec![u8::from(number != 0.0)],
        DType::F64 => number.to_ne_bytes().to_vec(),
        DType::F32 => (number as f32).to_ne_bytes().to_vec(),
        DType::I64 | DType::U64 => (number as i64).to_ne_bytes().to_vec(),
        DType::I32 | DType::U32 => (number as i32).to_ne_bytes().to_vec(),
        DType::I16 | DType::U16 => (number as i16).to_ne_bytes().to_vec(),
        DType::I8 | DType::U8 => (number as i8).to_ne_bytes().to_vec(),
        other => vec![0; other.size()],
    }
}

/// Reads the first element of an array.
fn number(array: &Array) -> Option<f64> {
    Some(match array.dtype() {
        DType::F64 => *array.as_slice::<f64>()?.first()?,
        DType::F32 => f64::from(*array.as_slice::<f32>()?.first()?),
        DType::I64 => *array.as_slice::<i64>()?.first()? as f64,
        DType::U64 => *array.as_slice::<u64>()?.first()? as f64,
        DType::I32 => f64::from(*array.as_slice::<i32>()?.first()?),
        DType::U32 => f64::from(*array.as_slice::<u32>()?.first()?),
        DType::Bool => f64::from(u8::from(*array.as_bytes().first()? != 0)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use broadaxe_frameworks::{Attr, Attribute, System, Values as Accepts, known};
    use broadaxe_kernels::id;
    use broadaxe_shape::Rule;

    use super::*;
    use crate::meaning::Source;

    /// Every operator of every framework with two operands or more tells two elements of each operand apart.
    #[test]
    fn every_operator_shows_a_difference() {
        let mut count = 0;
        // No file names operators of NumPy.
        for row in System::ALL.into_iter().filter(|system| *system != System::Numpy).flat_map(known) {
            let (_, most) = row.operands();
            if most < 2
                || matches!(row.kind(), Kind::Unary | Kind::Bounds | Kind::Affine | Kind::Lengths | Kind::Contrib)
            {
                continue;
            }
            let operands = if most == usize::MAX { 3 } else { most };
            let given = |attr: &Attr| match (attr.name, attr.values) {
                ("levels", _) => Some(("levels", Attribute::Int(16))),
                ("fmod", _) => Some(("fmod", Attribute::Int(1))),
                (name, Accepts::Words(words)) if attr.default.is_empty() => {
                    Some((name, Attribute::Text(words[0].to_string())))
                }
                _ => None,
            };
            let attributes = row.attributes().iter().filter_map(given).collect();
            let op = Operator::Call { row, opset: row.since(), attributes };
            let sources = (0..operands).map(Source::Input).collect();
            let meaning = Meaning { kind: row.kind(), op, rule: Rule::numpy(), operands: sources };
            let here = vec![7; operands];
            for k in 0..operands {
                let mut there = here.clone();
                there[k] = 8;
                let values = values(&meaning, &here, Some(&there));
                let values = values.unwrap_or_else(|| panic!("{row:?} cannot be computed"));
                assert_ne!(Some(values.here), values.there, "{row:?}, operand {k}");
                count += 1;
            }
        }
        assert!(count > 250, "{count} operands were tried");
    }

    #[test]
    fn own_operators_are_applied_in_turn() {
        let op = Operator::Own(vec![id("mul"), id("add")]);
        let operands = (0..3).map(Source::Input).collect();
        let meaning = Meaning { kind: Kind::Affine, op, rule: Rule::unidirectional(), operands };
        let found = values(&meaning, &[4, 1, 0], Some(&[4, 2, 0]));
        let (numbers, target_numbers) = (vec![5.0, 2.0, 1.0], vec![5.0, 3.0, 1.0]);
        assert_eq!(found, Some(Computed { numbers, target_numbers, here: 11.0, there: Some(16.0) }));
    }
    /// Blocks give what one evaluation gives, to the bit, also where the sum rounds.
    #[test]
    fn blocks_of_operands_round_as_one_evaluation() {
        for name in ["Max", "Min", "Sum", "Mean"] {
            let row = known(System::Onnx).find(|row| row.name() == name).expect("ONNX has it");
            let op = Operator::Call { row, opset: row.since(), attributes: Vec::new() };
            for count in [2, BLOCK, BLOCK + 1, BLOCK + 2, 3 * BLOCK + 5] {
                let operands = (0..count).map(Source::Input).collect();
                let meaning = Meaning { kind: row.kind(), op: op.clone(), rule: Rule::numpy(), operands };
                let elements: Vec<f64> = (0..count as u64).map(|k| (mix(k) % EXACT as u64) as f64 + 1.0).collect();
                let whole = evaluate(&op, meaning.kind, DType::F32, &elements);
                assert!(whole.is_some_and(f64::is_finite));
                assert_eq!(compute(&meaning, DType::F32, &elements), whole, "{name} of {count}");
            }
        }
    }
}
