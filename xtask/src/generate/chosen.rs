//! Cases of alignment where the truth records engines and the answer is chosen here.
//!
//! The answers are worked out from the text of the rule, naively, for the few placements that these operators use.

use serde_json::Value;

use super::text::{Ints, Want, field, ints, note, shape, shapes, string, want};

/// Where engines accept what the rule refuses, or refuse what it allows.
#[rustfmt::skip]
static NOTES: &[(&str, &str)] = &[
    ("openvino_select_fq_prelu-0015", "the CPU plugin loses the axis"),
    ("openvino_select_fq_prelu-0023", "OpenVINO accepts it and ignores the limit's shape"),
    ("openvino_select_fq_prelu-0047", "OpenVINO accepts a slope of higher rank"),
    ("onnx_other_ops-0031", "the reference evaluator puts the slope on the first axis it matches"),
    ("onnx_other_ops-0036", "the reference evaluator puts the slope on the first axis it matches"),
    ("onnx_other_ops-0043", "engines give the slope's rank"),
    ("onnx_other_ops-0044", "engines give the slope's rank"),
    ("onnx_other_ops-0047", "engines give the slope's shape"),
    ("onnx_other_ops-0071", "ONNX Runtime accepts bounds of shape (1)"),
];

fn reason(id: &str) -> &'static str {
    NOTES.iter().find(|(at, _)| *at == id).map_or("", |&(_, why)| why)
}

/// Writes the cases of OpenVINO's Select, `FakeQuantize` and `PReLU`.
pub(super) fn openvino(_file: &str, cases: &[Value]) -> Result<Vec<String>, String> {
    cases.iter().map(openvino_line).collect()
}

fn openvino_line(case: &Value) -> Result<String, String> {
    let (id, op) = (string(case, "id")?, string(case, "rule")?);
    let args = field(case, "args")?.as_array().ok_or("args is not a list")?;
    let given: Vec<Ints> = args.iter().filter(|a| a.is_array()).map(ints).collect::<Result<_, _>>()?;
    let mode = args.iter().find_map(Value::as_str);
    let axis = args.iter().find_map(Value::as_i64);
    let (rule, answer) = match (op, mode.unwrap_or("numpy")) {
        ("Select", "numpy") => ("openvino-select", merged(&given)),
        ("FakeQuantize", "numpy") => ("openvino-fake-quantize", one_way(&given, 0, None)),
        ("Select", "none") => ("openvino-select", identical(&given)),
        ("Select", "pdpd") => ("openvino-select", one_way(&given, 1, axis)),
        ("FakeQuantize", "none") => ("none", identical(&given)),
        ("FakeQuantize", "pdpd") => ("pdpd", one_way(&given, 0, axis)),
        ("PRelu", "numpy") => ("openvino-prelu", openvino_prelu(&given)),
        _ => return Err(format!("{id}: no known operator")),
    };
    if rule == "pdpd" {
        // Each limit is placed on the data by itself; here they are all alike.
        let pair = [given[0].clone(), given[1].clone()];
        if given[2..].iter().any(|limit| *limit != given[1]) {
            return Err(format!("{id}: limits of different shapes"));
        }
        let answer = want(&one_way(&pair, 0, axis));
        return Ok(format!("{id} pdpd axis={}{}{answer}{}", axis.unwrap_or(-1), shapes(&pair), note(&[op])));
    }
    let mode = if rule == "none" { None } else { mode };
    let mode = mode.map_or_else(String::new, |m| format!(" mode={m}"));
    let axis = axis.map_or_else(String::new, |a| format!(" axis={a}"));
    Ok(format!("{id} {rule}{mode}{axis}{}{}{}", shapes(&given), want(&answer), note(&[op, reason(id)])))
}

/// All shapes must be the same.
fn identical(given: &[Ints]) -> Want {
    given.iter().all(|s| *s == given[0]).then(|| merged(given)).flatten()
}

/// A slope of rank 1 goes to axis 1 if it fits there, and one-way to the right otherwise.
fn openvino_prelu(given: &[Ints]) -> Want {
    let channel = given[1].len() == 1 && given[0].get(1) == given[1].first();
    one_way(given, 0, if channel { Some(1) } else { None })
}

/// Writes the cases of ONNX operators with rules of their own.
pub(super) fn onnx(_file: &str, cases: &[Value]) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    for case in cases {
        onnx_lines(case, &mut lines)?;
    }
    Ok(lines)
}

fn onnx_lines(case: &Value, lines: &mut Vec<String>) -> Result<(), String> {
    let (id, named) = (string(case, "id")?, string(case, "rule")?);
    let list = field(case, "case")?.as_array().ok_or("case is not a list")?;
    let op = named.split(' ').next().unwrap_or(named);
    let given: Vec<Ints> = if op == "Gemm" {
        vec![gemm_result(named)?, ints(field(case, "case")?)?]
    } else {
        list.iter().filter(|v| !v.is_null()).map(ints).collect::<Result<_, _>>()?
    };
    let mut push = |id: &str, rule: &str, given: &[Ints], answer: &Want| {
        lines.push(format!("{id} {rule}{}{}{}", shapes(given), want(answer), note(&[named, reason(id)])));
    };
    match op {
        "Where" => push(id, "numpy", &given, &merged(&given)),
        "PRelu" => push(id, "unidirectional", &given, &one_way(&given, 0, None)),
        "Gemm" => push(id, "gemm-c", &given, &one_way(&given, 0, None)),
        "LayerNormalization" | "RMSNormalization" => {
            // One line for the scale, one for the bias.
            for (k, name) in (1..given.len()).zip(["scale", "bias"]) {
                let pair = [given[0].clone(), given[k].clone()];
                push(&format!("{id}.{name}"), "unidirectional", &pair, &one_way(&pair, 0, None));
            }
        }
        "Clip" => {
            // The bounds do not broadcast: they must be scalars.
            let mut bounds = given;
            bounds[0] = Vec::new();
            push(id, "none", &bounds, &identical(&bounds));
        }
        "Expand" => {
            let target = format!("bidirectional target={}", shape(&given[1]));
            let answer = if given[1].iter().any(|&d| d < 0) { None } else { merged(&given) };
            let answer = answer.map(|(dims, list)| (dims, list[..1].to_vec()));
            push(id, &target, &given[..1], &answer);
        }
        _ => return Err(format!("{id}: no known operator '{named}'")),
    }
    Ok(())
}

/// Reads the shape of the product from `Gemm 2x3*3x4 +`.
fn gemm_result(named: &str) -> Result<Ints, String> {
    let fail = || format!("'{named}' gives no sizes of a product");
    let sizes = named.split(' ').nth(1).ok_or_else(fail)?;
    let numbers: Vec<i64> = sizes.split(['x', '*']).map_while(|n| n.parse().ok()).collect();
    let [m, _, _, n] = numbers[..] else { return Err(fail()) };
    Ok(vec![m, n])
}

/// Aligns to the right; all may stretch.
fn merged(given: &[Ints]) -> Want {
    let rank = given.iter().map(Vec::len).max()?;
    let mut dims = vec![1; rank];
    for (axis, dim) in dims.iter_mut().enumerate() {
        for extent in given.iter().filter_map(|s| (axis + s.len()).checked_sub(rank).map(|i| s[i])) {
            if *dim != extent && *dim != 1 && extent != 1 {
                return None;
            }
            *dim = if *dim == 1 { extent } else { *dim };
        }
    }
    let list = given.iter().map(|s| spread(s, rank - s.len(), &dims)).collect();
    Some((dims, list))
}

/// Places all operands at `axis` of operand `base`, or to the right; `base` has the result's shape.
fn one_way(given: &[Ints], base: usize, axis: Option<i64>) -> Want {
    let dims = &given[base];
    let mut list = Vec::new();
    for (k, operand) in given.iter().enumerate() {
        let free = dims.len().checked_sub(operand.len())?;
        let start = match axis {
            Some(axis) if k != base && axis != -1 => usize::try_from(axis).ok().filter(|&s| s <= free)?,
            _ => free,
        };
        if operand.iter().zip(&dims[start..]).any(|(&own, &dim)| own != dim && own != 1) {
            return None;
        }
        list.push(spread(operand, start, dims));
    }
    Some((dims.clone(), list))
}

/// Spreads a contiguous operand's strides over the result: its first axis is result axis `start`.
fn spread(operand: &[i64], start: usize, dims: &[i64]) -> Ints {
    let mut strides = vec![0; dims.len()];
    let mut step = 1;
    for axis in (0..operand.len()).rev() {
        if operand[axis] != 1 && dims[start + axis] != 1 {
            strides[start + axis] = step;
        }
        step *= operand[axis];
    }
    strides
}
