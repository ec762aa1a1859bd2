//! What a node makes of the elements it reads: the engine is asked, with numbers that tell elements apart.
//!
//! Operands hold codes, in the simplest case the position of each element and 1. Where an operator hides the difference
//! (the greater of two numbers, the truth of a comparison) other codes are tried.

use broadaxe::{
    Array, DType, Evaluation, Graph, Rule, System, View,
    eval::Options,
    find,
    frameworks::{self, Arg, operators},
};

use crate::meaning::{Kind, Meaning, Operator};

/// How many sets of codes are tried.
const TRIES: u64 = 100;
/// The largest position that is a code itself; every code is exact in f32.
const EXACT: usize = 1 << 22;

/// The numbers that are read in two ways, and what the node makes of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    pub(super) numbers: Vec<f64>,
    pub(super) here: f64,
    pub(super) there: Option<f64>,
}

/// Computes what a node makes of the elements at these positions here and there, with codes on which they differ.
///
/// Where no codes do, the two values are equal: the operator cannot tell the elements apart.
pub(super) fn values(meaning: &Meaning, here: &[usize], there: Option<&[usize]>) -> Option<Values> {
    let mut found = None;
    for seed in 0..TRIES {
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
        let values = Values { numbers, here: results[0], there: results.get(1).copied() };
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

/// Returns the dtype to compute in: one that the operator takes, in which codes are exact.
fn dtype(meaning: &Meaning) -> Option<DType> {
    let takes: Vec<DType> = match &meaning.op {
        Operator::Copy => vec![DType::F32],
        Operator::Own(names) => find(names.first()?)?.dtypes().collect(),
        Operator::Call { system, name, attributes } => row(*system, name, attributes)?.dtypes().to_vec(),
    };
    let wanted = [DType::F32, DType::F64, DType::I64, DType::I32, DType::U64, DType::U32, DType::Bool];
    // The condition of a `where` is not among its operands' dtypes.
    wanted.into_iter().find(|dtype| takes.contains(dtype)).or(takes.first().copied())
}

fn row(
    system: System,
    name: &str,
    attributes: &[(&'static str, frameworks::Attribute)],
) -> Option<&'static frameworks::Row> {
    let alone = alone(system, attributes);
    let opset = alone.iter().find_map(|(name, value)| match (*name, value) {
        ("opset", frameworks::Attribute::Int(opset)) => Some(*opset),
        _ => None,
    });
    operators(system).filter(|row| row.name() == name && opset.is_none_or(|opset| row.since() <= opset)).last()
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
        // With 0 the truth of a number shows too.
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
fn compute(meaning: &Meaning, dtype: DType, elements: &[f64]) -> Option<f64> {
    if matches!(meaning.op, Operator::Copy) {
        return elements.first().copied();
    }
    let mut graph = Graph::new();
    let (mut nodes, mut arrays) = (Vec::new(), Vec::new());
    for (k, element) in elements.iter().enumerate() {
        let own = if meaning.kind == Kind::Select && k == 0 { DType::Bool } else { dtype };
        nodes.push(graph.input(own, &[1]).ok()?);
        arrays.push(Array::from_bytes(own, [1], &bytes(own, *element)).ok()?);
    }
    let root = match &meaning.op {
        Operator::Copy => None,
        Operator::Own(names) => {
            let rule = Rule::numpy();
            let mut root = *nodes.first()?;
            let mut rest = nodes[1..].iter();
            for name in names {
                let op = find(name)?;
                let mut args = vec![root];
                args.extend(rest.by_ref().take(op.arity() - 1));
                root = graph.op(op, &rule, &args).ok()?;
            }
            Some(root)
        }
        Operator::Call { system, name, attributes } => {
            let args: Vec<Arg> = nodes.iter().map(|node| Arg::Node(*node)).collect();
            frameworks::call(&mut graph, *system, name, &args, &alone(*system, attributes)).ok()
        }
    }?;
    let views: Vec<View<'_>> = arrays.iter().map(Array::view).collect();
    let options = Options { threads: Some(1), ..Options::default() };
    let result = Evaluation::new(&graph, root, views, options).ok()?.run().ok()?;
    number(&result)
}

/// Leaves out what says how operands broadcast: here their shapes are equal.
fn alone<'a>(
    system: System,
    attributes: &'a [(&'static str, frameworks::Attribute)],
) -> Vec<(&'a str, frameworks::Attribute)> {
    let opset = |value: &frameworks::Attribute| match value {
        // Before opset 7 ONNX has no rule for a slope as large as the data.
        frameworks::Attribute::Int(opset) if system == System::Onnx => frameworks::Attribute::Int((*opset).max(7)),
        other => other.clone(),
    };
    let kept = attributes.iter().filter(|(name, _)| !matches!(*name, "broadcast" | "axis"));
    kept.map(|(name, value)| (*name, if *name == "opset" { opset(value) } else { value.clone() })).collect()
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
    use super::*;
    use crate::meaning::Source;

    /// Every operator of every framework with two operands or more tells two elements of each operand apart.
    #[test]
    fn every_operator_shows_a_difference() {
        let mut count = 0;
        for system in [System::Onnx, System::Openvino, System::Ncnn, System::Paddle] {
            for row in operators(system) {
                let (_, most) = row.operands();
                if most < 2 || row.rule() == "-" || system == System::Onnx && row.since() < 7 {
                    continue;
                }
                let operands = if most == usize::MAX { 3 } else { most };
                let kind = match row.name() {
                    "Where" | "Select" => Kind::Select,
                    "PRelu" | "PReLU" => Kind::Slope,
                    "FakeQuantize" => Kind::Quantize,
                    _ => Kind::Binary,
                };
                let mut attributes = vec![];
                let given = frameworks::Attribute::Int;
                attributes.extend((system == System::Onnx).then(|| ("opset", given(row.since()))));
                attributes.extend((row.name() == "FakeQuantize").then(|| ("levels", given(16))));
                attributes.extend((row.name() == "Mod").then(|| ("fmod", given(1))).filter(|_| system == System::Onnx));
                if row.name() == "BitShift" {
                    attributes.push(("direction", frameworks::Attribute::Text("LEFT".into())));
                }
                let op = Operator::Call { system, name: row.name().into(), attributes };
                let sources = (0..operands).map(Source::Input).collect();
                let meaning = Meaning { kind, op, rule: Rule::numpy(), operands: sources };
                let here = vec![7; operands];
                for k in 0..operands {
                    let mut there = here.clone();
                    there[k] = 8;
                    let values = values(&meaning, &here, Some(&there));
                    let values =
                        values.unwrap_or_else(|| panic!("{} {} cannot be computed", system.name(), row.name()));
                    assert_ne!(Some(values.here), values.there, "{} {}, operand {k}", system.name(), row.name());
                    count += 1;
                }
            }
        }
        assert!(count > 150, "{count} operands were tried");
    }

    #[test]
    fn own_operators_are_applied_in_turn() {
        let op = Operator::Own(vec!["mul", "add"]);
        let operands = (0..3).map(Source::Input).collect();
        let meaning = Meaning { kind: Kind::Affine, op, rule: Rule::unidirectional(), operands };
        let found = values(&meaning, &[4, 1, 0], Some(&[4, 2, 0]));
        assert_eq!(found, Some(Values { numbers: vec![5.0, 2.0, 1.0], here: 11.0, there: Some(16.0) }));
    }
}
