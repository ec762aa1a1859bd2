//! Element-wise operators: the rule says the shape, and what is done with followed elements is a row in a table.

use std::{collections::HashMap, sync::OnceLock};

use broadaxe::{
    System,
    frameworks::{Row, operators},
};
use broadaxe_shape::{
    Rule,
    symbolic::{Dim, SymbolicShape},
};

use super::{
    call::{Call, Made, Stop, because},
    number::{Binary, Number, Unary},
    size::Size,
    tensor::{Tensor, Values, small, stretched, strided},
};
use crate::graph::Attribute;

/// What becomes of followed elements.
#[derive(Clone, Copy)]
enum Follow {
    One(Unary),
    Two(Binary),
    Choose,
    /// Between bounds, which are inputs or attributes and may be left out.
    Clip,
}

/// The operators through which elements are followed, under the names of all formats.
static FOLLOW: &[(&str, Follow)] = &[
    ("Abs", Follow::One(Unary::Abs)),
    ("Add", Follow::Two(Binary::Add)),
    ("And", Follow::Two(Binary::And)),
    ("Ceil", Follow::One(Unary::Ceil)),
    ("Ceiling", Follow::One(Unary::Ceil)),
    ("Clamp", Follow::Clip),
    ("Clip", Follow::Clip),
    ("Div", Follow::Two(Binary::Div)),
    ("Divide", Follow::Two(Binary::DivFloor)),
    ("Equal", Follow::Two(Binary::Equal)),
    ("Floor", Follow::One(Unary::Floor)),
    ("FloorMod", Follow::Two(Binary::Mod)),
    ("Greater", Follow::Two(Binary::Greater)),
    ("GreaterEqual", Follow::Two(Binary::GreaterEqual)),
    ("GreaterOrEqual", Follow::Two(Binary::GreaterEqual)),
    ("Identity", Follow::One(Unary::Same)),
    ("Less", Follow::Two(Binary::Less)),
    ("LessEqual", Follow::Two(Binary::LessEqual)),
    ("LessOrEqual", Follow::Two(Binary::LessEqual)),
    ("LogicalAnd", Follow::Two(Binary::And)),
    ("LogicalNot", Follow::One(Unary::Not)),
    ("LogicalOr", Follow::Two(Binary::Or)),
    ("LogicalXor", Follow::Two(Binary::Xor)),
    ("Max", Follow::Two(Binary::Max)),
    ("Maximum", Follow::Two(Binary::Max)),
    ("Min", Follow::Two(Binary::Min)),
    ("Minimum", Follow::Two(Binary::Min)),
    ("Mod", Follow::Two(Binary::Mod)),
    ("Mul", Follow::Two(Binary::Mul)),
    ("Multiply", Follow::Two(Binary::Mul)),
    ("Neg", Follow::One(Unary::Neg)),
    ("Negative", Follow::One(Unary::Neg)),
    ("Not", Follow::One(Unary::Not)),
    ("NotEqual", Follow::Two(Binary::NotEqual)),
    ("Or", Follow::Two(Binary::Or)),
    ("Pow", Follow::Two(Binary::Pow)),
    ("Power", Follow::Two(Binary::Pow)),
    ("Relu", Follow::One(Unary::Relu)),
    ("Round", Follow::One(Unary::Round)),
    ("Select", Follow::Choose),
    ("Sign", Follow::One(Unary::Sign)),
    ("Sqrt", Follow::One(Unary::Sqrt)),
    ("Sub", Follow::Two(Binary::Sub)),
    ("Subtract", Follow::Two(Binary::Sub)),
    ("Sum", Follow::Two(Binary::Add)),
    ("Where", Follow::Choose),
    ("Xor", Follow::Two(Binary::Xor)),
];

/// Finds the row of an element-wise operator that holds at a version; the oldest where none does.
pub(crate) fn find(system: System, name: &str, version: i64) -> Option<&'static Row> {
    static ROWS: OnceLock<HashMap<(&'static str, &'static str), Vec<&'static Row>>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| {
        let mut rows: HashMap<_, Vec<&'static Row>> = HashMap::new();
        for system in [System::Onnx, System::Openvino, System::Paddle] {
            for row in operators(system) {
                rows.entry((system.name(), row.name())).or_default().push(row);
            }
        }
        rows
    });
    let rows = rows.get(&(system.name(), name))?;
    let holds = rows.iter().filter(|row| row.since() <= version).max_by_key(|row| row.since());
    holds.or_else(|| rows.first()).copied()
}

/// Infers an element-wise operator.
pub(crate) fn infer(call: &Call<'_>) -> Made {
    let Some(row) = find(call.model.system, &call.node.op, call.version()) else {
        return because(format!("the operator {} is not known", call.node.op));
    };
    let dims = match rule(call, row)? {
        Some(rule) => broadcast(call, &rule, call.inputs())?,
        None => call.dims(0)?.to_vec(),
    };
    let values = follow(call, &dims);
    Ok(vec![Tensor::of(dims).with(values)])
}

/// Returns the rule of a node, if its operands broadcast.
fn rule(call: &Call<'_>, row: &Row) -> Result<Option<Rule>, Stop> {
    let axis = call.int("axis");
    let mode = call.text("auto_broadcast");
    Ok(Some(match row.rule() {
        "numpy" | "bidirectional" => Rule::numpy(),
        "none" => Rule::none(),
        "unidirectional" => Rule::unidirectional(),
        "openvino-prelu" => Rule::openvino_prelu(),
        "openvino-fake-quantize" => Rule::openvino_fake_quantize(),
        "openvino-select" => {
            Rule::openvino_select(mode.unwrap_or("numpy"), axis).map_err(|error| Stop::Because(error.to_string()))?
        }
        // Before opset 7 the slope of PRelu is one number or one per channel.
        "onnx-legacy" => return Ok(None),
        text if text.contains("onnx-legacy") && call.flag("broadcast") => Rule::onnx_legacy(axis),
        text if text.contains("onnx-legacy") => Rule::none(),
        text if text.contains("auto_broadcast") => match mode {
            Some("none" | "explicit") => Rule::none(),
            Some("pdpd") => Rule::pdpd(axis.unwrap_or(-1)),
            _ => Rule::numpy(),
        },
        _ => return Ok(None),
    }))
}

/// Applies a rule to the first inputs.
pub(crate) fn broadcast(call: &Call<'_>, rule: &Rule, operands: usize) -> Result<Vec<Size>, Stop> {
    let shapes: Vec<&[Size]> = (0..operands).map(|k| call.dims(k)).collect::<Result<_, _>>()?;
    united(call, rule, &shapes)
}

/// Applies a rule to shapes.
pub(crate) fn united(call: &Call<'_>, rule: &Rule, shapes: &[&[Size]]) -> Result<Vec<Size>, Stop> {
    let refused = |error: broadaxe_shape::Error| Stop::Because(format!("{}: {error}", call.node.op));
    if let (Some(first), true) = (shapes.first(), shapes.windows(2).all(|pair| pair[0] == pair[1])) {
        return Ok(first.to_vec());
    }
    let known: Option<Vec<Vec<usize>>> =
        shapes.iter().map(|dims| dims.iter().map(Size::extent).collect::<Option<_>>()).collect();
    if let Some(known) = known {
        let known: Vec<&[usize]> = known.iter().map(Vec::as_slice).collect();
        let alignment = rule.align(&known).map_err(refused)?;
        return Ok(Tensor::known(alignment.shape().dims()).dims.unwrap_or_default());
    }
    let symbolic: Vec<SymbolicShape> =
        shapes.iter().map(|dims| SymbolicShape::new(dims.iter().map(Size::inner).collect::<Vec<_>>())).collect();
    let inferred = rule.infer(&symbolic).map_err(refused)?;
    let Some(dims) = inferred.shape().dims() else {
        return because(format!("{}: the rank of the result depends on sizes", call.node.op));
    };
    let sources: HashMap<String, &Size> =
        shapes.iter().flat_map(|dims| dims.iter()).map(|size| (size.to_string(), size)).collect();
    Ok(dims.iter().map(|dim| resolve(call, dim, &sources)).collect())
}

/// Finds the size that a dim of the result stands for.
fn resolve(call: &Call<'_>, dim: &Dim, sources: &HashMap<String, &Size>) -> Size {
    if dim.size().is_some() {
        return Size::of(dim, &mut 0);
    }
    if let Some(size) = sources.values().find(|size| size.inner() == *dim) {
        return (*size).clone();
    }
    let mut parts: Vec<&Size> = dim.names().iter().filter_map(|name| sources.get(name).copied()).collect();
    let all = parts.clone();
    // Where x meets the least of x and another size that is not 0, the result is x, whatever the sizes. So it is where x
    // meets the greatest of x and 0, for an extent is not negative.
    let told = |size: &Size| {
        let (least, greatest) = (size.parts(false), size.parts(true));
        let has = |parts: &[Size]| parts.len() > 1 && parts.iter().any(|part| all.contains(&part));
        let rest = |part: &Size| all.contains(&part);
        has(&least) && least.iter().all(|part| rest(part) || part.low().is_some_and(|low| low > 0))
            || has(&greatest) && greatest.iter().all(|part| rest(part) || part.is(0))
    };
    parts.retain(|size| !told(size));
    match parts.as_slice() {
        [size] => (*size).clone(),
        [] => call.open(),
        // The broadcast of a dim that nobody named with another has no name.
        parts if parts.iter().any(|size| size.private()) => call.open(),
        parts if parts.len() == all.len() => Size::of(dim, &mut 0),
        _ => call.open(),
    }
}

// Long: operands first, then an arm per kind of operator.
/// Computes the elements, where those of all inputs are followed.
fn follow(call: &Call<'_>, dims: &[Size]) -> Option<Vec<Option<Number>>> {
    let at = FOLLOW.binary_search_by_key(&call.node.op.as_str(), |row| row.0).ok()?;
    let small = small(dims)?;
    if !(0..call.inputs()).all(|k| call.followed(k) || !call.has(k)) || call.flag("fmod") {
        return None;
    }
    let mut inputs = Vec::with_capacity(call.inputs());
    for k in 0..call.inputs() {
        if !call.has(k) {
            inputs.push(Vec::new());
            continue;
        }
        let own = super::tensor::small(call.dims(k).ok()?)?;
        inputs.push(strided(call.values(k)?, 0, &stretched(&own, &small)?, &small)?);
    }
    let bound = |k: usize, name: &str, i: usize| match (call.has(k), call.node.attribute(name)) {
        (true, _) => inputs.get(k)?.get(i)?.clone().map(Some),
        (false, Some(Attribute::Float(bound))) => Some(Some(Number::float(*bound))),
        _ => Some(None),
    };
    let element = |k: usize, i: usize| inputs.get(k)?.get(i)?.as_ref();
    let floats = call.floats(usize::from(inputs.len() > 1 && call.has(1)));
    let one = |i: usize| match FOLLOW[at].1 {
        Follow::One(op) => element(0, i)?.unary(op),
        Follow::Clip => {
            let (low, high) = (bound(1, "min", i)?, bound(2, "max", i)?);
            let x = element(0, i)?.clone();
            let x = low.map_or_else(|| Some(x.clone()), |low| Number::binary(Binary::Max, &x, &low, floats))?;
            high.map_or_else(|| Some(x.clone()), |high| Number::binary(Binary::Min, &x, &high, floats))
        }
        Follow::Choose => {
            let chosen = element(0, i)?.truth()?.value()? != 0.0;
            element(if chosen { 1 } else { 2 }, i).cloned()
        }
        Follow::Two(op) => (1..inputs.len()).try_fold(element(0, i)?.clone(), |x, k| {
            let op = if op == Binary::DivFloor && floats.is_some() { Binary::Div } else { op };
            Number::binary(op, &x, element(k, i)?, floats)
        }),
    };
    Some((0..small.iter().product()).map(one).collect())
}

/// Keeps the elements of the first input in another shape.
pub(crate) fn kept(call: &Call<'_>, dims: Vec<Size>) -> Tensor {
    let values = call.values(0).map(Values::from).map(|values| values.to_vec());
    Tensor::of(dims).with(values)
}
