//! What becomes of nodes of ONNX for which TFLite has no operator: converters build several in their place.

use broadaxe_shape::Rule;

use super::{ALIGNED, Placed, constant, dims, is_integral, like_computed, own, refused, stored_terms, unknown};
use crate::{
    graph::Attribute,
    profiles::{
        Asked, Does, IndexTerm,
        inside::has_computed_weights,
        litert::{LITERT_TORCH, ONNX2TF},
    },
};

/// Says what becomes of a stretch that onnx2tf writes as a product with ones.
pub(super) fn expand(asked: &Asked<'_>) -> Option<Does> {
    let rank = asked.shape(asked.node.output(0)?)?.rank()?;
    if rank > 4 { refused("supports ranks up to 4; the CPU computes higher ranks") } else { Some(Does::Own) }
}

/// Says what becomes of a normalisation: a product with the scale, and a sum with the bias.
pub(super) fn normalisation(asked: &Asked<'_>) -> Option<Does> {
    let Some((shapes, result)) = dims(asked) else { return Some(Does::Rule(asked.meaning.rule.clone())) };
    let (data, terms) = shapes.split_first()?;
    if data.len() == 1 && asked.comes_via(LITERT_TORCH) {
        return Some(Does::Own);
    }
    let computed = terms.iter().zip(&asked.constants[1..]).any(|(term, stored)| !stored && term.len() < data.len());
    if computed && !asked.at_least(ALIGNED) {
        return unknown("was not tested with computed scales before 2.1.6");
    }
    let (out, placed) = (Placed::computed(&result)?, Placed::computed(data)?);
    let read = |k: usize| {
        if asked.constants[k] { Some(stored_terms(&shapes[k], &placed, &out)) } else { own(asked, &shapes, k) }
    };
    let terms: Option<Vec<_>> = (1..shapes.len()).map(read).collect();
    Some(Does::Reads([vec![own(asked, &shapes, 0)?], terms?].concat()))
}

/// Says what becomes of a node of integers with one constant.
///
/// Converters write quotients as quotients of floats, so that their constant is one of floats. A constant in front is
/// exchanged with the second operand.
pub(super) fn integers(asked: &Asked<'_>, name: &str, shapes: &[Vec<usize>], result: &[usize]) -> Option<Does> {
    let first = asked.constants[0];
    let as_floats = asked.comes_via(LITERT_TORCH) || asked.comes_via(ONNX2TF) && !first;
    if first && asked.comes_via(LITERT_TORCH) && asked.operands.rank(0) > asked.operands.rank(1) {
        return unknown("was tested with too few integer constants of higher rank than the data");
    }
    if first && matches!(name, "LESS" | "LESS_EQUAL" | "GREATER" | "GREATER_EQUAL") && shapes[1] != result {
        return unknown("was tested with too few integer first operands that stretch the data");
    }
    match name {
        "DIV" if as_floats => {
            constant(asked, shapes, result, &super::Pair { constant: usize::from(!first), truths: false })
        }
        "SQUARED_DIFFERENCE" | "POW" | "ATAN2" => unknown("was not tested with integers in this operator"),
        "SUB" | "DIV" | "LESS" | "LESS_EQUAL" | "GREATER" | "GREATER_EQUAL" | "FLOOR_DIV" | "FLOOR_MOD" if first => {
            Some(Does::Garbled("swaps the operands if the first is a constant of integers".into()))
        }
        _ => like_computed(asked, shapes, result, usize::from(!first)),
    }
}

/// Says whether a node of two operands reads computed data and a constant as it should.
fn agrees(data: &[usize], stored: &[usize]) -> Option<bool> {
    let alignment = Rule::numpy().align(&[data, stored]).ok()?;
    let (out, placed) = (Placed::computed(alignment.shape())?, Placed::computed(data)?);
    let own = |k: usize| IndexTerm::all_of(&alignment, k);
    let single = stored.iter().all(|&dim| dim == 1);
    Some(placed.read_by(&out) == own(0) && (single || stored_terms(stored, &placed, &out) == own(1)))
}

/// Says what becomes of a choice that onnx2tf writes: SELECT where all shapes are equal, else, of floats, a product for each
/// branch and their sum.
pub(super) fn choice(asked: &Asked<'_>) -> Option<Does> {
    let Some((shapes, result)) = dims(asked) else { return Some(Does::Rule(asked.meaning.rule.clone())) };
    let [condition, x, y] = &shapes[..] else { return None };
    if is_integral(asked) {
        let mixed = condition == x && y != x && !y.is_empty();
        return if mixed { refused("cannot be reached: onnx2tf writes SELECT of two shapes") } else { None };
    }
    if condition.is_empty() || condition.len() == 1 && x == y && *x == result || condition == x && x == y {
        return None;
    }
    let merged = |a: &[usize], b: &[usize]| Rule::numpy().align(&[a, b]).ok().map(|found| found.shape().to_vec());
    let mut right = true;
    let mut parts = Vec::new();
    for k in [1, 2] {
        right &= match (asked.constants[0], asked.constants[k]) {
            (true, false) => agrees(&shapes[k], condition)?,
            (false, true) => agrees(condition, &shapes[k])?,
            _ => true,
        };
        parts.push((merged(condition, &shapes[k])?, asked.constants[0] && asked.constants[k]));
    }
    right &= match &parts[..] {
        [(data, false), (stored, true)] | [(stored, true), (data, false)] => agrees(data, stored)?,
        _ => true,
    };
    let text = "receives products and a sum from onnx2tf and aligns constants by their own rank";
    Some(if right { Does::Own } else { Does::Garbled(text.into()) })
}

/// Says what becomes of the product and the sum of a `Gemm`.
///
/// `FULLY_CONNECTED` has constant weights and one bias for each column, and is right. onnx2tf writes `BATCH_MATMUL` where C is
/// anything else, and the delegate places constant weights there by their own rank.
pub(super) fn gemm(asked: &Asked<'_>) -> Option<Does> {
    let dropped = asked.node.attribute("beta").and_then(Attribute::float) == Some(0.0);
    let fixed = asked.constants[1];
    let computed_weights = has_computed_weights(asked)?;
    let c = asked.operands.get(1)?.known()?;
    let columns = dropped || c.split_last().is_none_or(|(_, rows)| rows.iter().all(|&dim| dim == 1));
    let number = |name: &str| asked.node.attribute(name).and_then(Attribute::int);
    let turned = number("transA").is_some_and(|on| on != 0);
    let garbled = |text: &'static str| Some(Does::Garbled(text.into()));
    if asked.comes_via(ONNX2TF) {
        return match (computed_weights, fixed) {
            (true, true) => refused("cannot be reached: onnx2tf does not convert Gemm with computed B, constant C"),
            (true, false) => Some(Does::Own),
            (false, true) if columns && !turned => Some(Does::Own),
            (false, _) => garbled("receives BATCH_MATMUL and aligns its constant B by its own rank"),
        };
    }
    match (computed_weights, fixed) {
        (true, true) => garbled("misaligns the constant C of FULLY_CONNECTED if B is computed"),
        (_, true) if !columns => garbled("aligns the constant C by its own rank"),
        (_, false) if c.is_empty() => refused("leaves the node to the CPU if a computed operand is a scalar"),
        _ => Some(Does::Own),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::gravest;

    /// Answers of LiteRT 2.3.0 about models of one node that came through onnx2tf 2.6.9 and litert-torch 0.10.0: the
    /// converters, the model, what the CPU did, what the GPU delegate did on WebGPU, and `unknown` where no law says so.
    const ANSWERS: &str = include_str!("converted.txt");

    /// The same about normalisations, convolutions and attention. Models are left out whose data have one size along all axes, of which
    /// onnx2tf does not find the channels.
    const INSIDE: &str = include_str!("inside.txt");

    /// Returns the word for a verdict where it is not the answer.
    fn fault(text: &str, target: &str, answer: &str) -> Option<String> {
        let wanted = match answer {
            "right" => "same",
            "wrong" => "differs",
            "unknown" => "unknown",
            _ => "refused",
        };
        let found = gravest(text, target);
        let fits = found == wanted || wanted == "refused" && found == "unsupported";
        (!fits).then(|| found.to_owned())
    }

    #[test]
    fn verdicts_are_the_answers() {
        let (mut count, mut faults) = (0, Vec::new());
        for line in ANSWERS.lines().chain(INSIDE.lines()) {
            let parts: Vec<&str> = line.split(" | ").collect();
            let [routes, text, answers] = parts[..] else { panic!("{line}") };
            let answers: Vec<&str> = answers.split(' ').collect();
            for route in routes.split(' ') {
                for (target, answer) in [("litert", answers[0]), ("litert-gpu", answers[answers.len() - 1])] {
                    count += 1;
                    let target = format!("{target}/{route}");
                    faults.extend(fault(text, &target, answer).map(|found| format!("{target}: {found}: {line}")));
                }
            }
        }
        assert!(count > 1500, "{count}");
        assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
    }
}
