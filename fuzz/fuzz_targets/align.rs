//! Aligns arbitrary shapes under every rule: nothing panics, and no stride of an alignment leads out of its operand.

#![no_main]

use broadaxe_shape::{Alignment, AxisParam, Params, RULES, Rule, RuleDef, elements};
use libfuzzer_sys::{
    arbitrary::{Result, Unstructured},
    fuzz_target,
};

/// Extents that shapes are made of: the ones where rules differ, and those whose products overflow.
const EXTENTS: &[usize] = &[0, 1, 1, 2, 3, 4, 7, 1 << 31, usize::MAX / 2, usize::MAX];
const MOST_OPERANDS: usize = 5;
const MOST_AXES: usize = 6;

fn shape(bytes: &mut Unstructured<'_>) -> Result<Vec<usize>> {
    let rank = bytes.int_in_range(0..=MOST_AXES)?;
    (0..rank).map(|_| bytes.choose(EXTENTS).copied()).collect()
}

/// Chooses parameters that the rule accepts, with values that it may reject.
fn params(def: &RuleDef, bytes: &mut Unstructured<'_>) -> Result<Params> {
    let mut axis = || bytes.int_in_range(-8..=8i64);
    let axes = if def.axes { Some((0..axis()?.unsigned_abs()).map(|_| axis()).collect::<Result<_>>()?) } else { None };
    let axis =
        if def.axis == AxisParam::None || bytes.arbitrary()? { None } else { Some(bytes.arbitrary::<i8>()?.into()) };
    let target = if def.target { Some(shape(bytes)?.into()) } else { None };
    let mode = if def.modes.is_empty() { None } else { Some((*bytes.choose(def.modes)?).to_owned()) };
    Ok(Params { axis, axes, target, mode })
}

/// Panics when the alignment contradicts itself.
fn check(rule: &Rule, alignment: &Alignment) {
    let (result, loops) = (alignment.shape(), alignment.loop_shape());
    let count = elements(result).expect("a result that cannot be counted is an error");
    assert!(rule.name() == "ggml" || loops == *result, "{rule} tiles: {alignment:?}");
    for (k, operand) in alignment.operands().iter().enumerate() {
        assert_eq!(operand.axes().len(), operand.shape().len());
        assert!(operand.axes().windows(2).all(|pair| pair[0] < pair[1]), "axes in another order: {alignment:?}");
        for (&axis, &extent) in operand.axes().iter().zip(operand.shape().dims()) {
            let tiled = rule.name() == "ggml" && (count == 0 || extent != 0 && result[axis] % extent == 0);
            assert!(extent == result[axis] || extent == 1 || tiled, "operand {k} is cut: {alignment:?}");
        }
        let strides = alignment.strides(k);
        assert_eq!(strides.len(), loops.len());
        if count == 0 {
            continue;
        }
        let reach = strides.iter().zip(loops.dims()).map(|(&stride, &extent)| stride as u128 * (extent as u128 - 1));
        let own = elements(operand.shape()).expect("an operand that cannot be counted is an error");
        assert!(reach.sum::<u128>() < own as u128, "operand {k} is left: {alignment:?}");
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Unstructured::new(bytes);
    let mut attempt = || -> Result<()> {
        let def = *bytes.choose(RULES)?;
        let params = params(def, &mut bytes)?;
        let count = bytes.int_in_range(0..=MOST_OPERANDS)?;
        let shapes = (0..count).map(|_| shape(&mut bytes)).collect::<Result<Vec<_>>>()?;
        let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
        if let Ok(rule) = Rule::new(def.name, params)
            && let Ok(alignment) = rule.align(&shapes)
        {
            check(&rule, &alignment);
        }
        Ok(())
    };
    // Bytes that end too early say nothing more.
    let _ = attempt();
});
