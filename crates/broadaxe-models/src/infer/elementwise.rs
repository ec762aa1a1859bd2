//! Infers element-wise operators: the rule gives the shape, and a table says how followed elements are computed.

use std::collections::HashMap;

use broadaxe_frameworks::{Arithmetic, Kind, Recipe, Row, called, find};
use broadaxe_kernels::DType;
use broadaxe_shape::{
    Rule,
    symbolic::{Dim, SymbolicShape},
};

use super::{
    Size,
    call::{Call, Made, Stop, because},
    number::{Binary, Number, Unary},
    tensor::{Tensor, Values, small, stretched, strided},
};
use crate::{attributes::Written, graph::Attribute};

/// The most names that a dim may be the broadcast of; with more it is unknown, so that time and memory stay linear.
const NAMES: usize = 16;

/// What becomes of followed elements.
#[derive(Clone, Copy)]
enum Follow {
    One(Unary),
    Two(Binary),
    Choose,
    /// Between bounds, which are inputs or attributes and may be left out.
    Clip,
}

/// The operators of ours through which elements are followed, by name.
static FOLLOW: &[(&str, Follow)] = &[
    ("abs", Follow::One(Unary::Abs)),
    ("add", Follow::Two(Binary::Add)),
    ("ceil", Follow::One(Unary::Ceil)),
    ("div", Follow::Two(Binary::Div)),
    ("div_floor", Follow::Two(Binary::DivFloor)),
    ("div_trunc", Follow::Two(Binary::Div)),
    ("equal", Follow::Two(Binary::Equal)),
    ("floor", Follow::One(Unary::Floor)),
    ("greater", Follow::Two(Binary::Greater)),
    ("greater_equal", Follow::Two(Binary::GreaterEqual)),
    ("less", Follow::Two(Binary::Less)),
    ("less_equal", Follow::Two(Binary::LessEqual)),
    ("logical_and", Follow::Two(Binary::And)),
    ("logical_not", Follow::One(Unary::Not)),
    ("logical_or", Follow::Two(Binary::Or)),
    ("logical_xor", Follow::Two(Binary::Xor)),
    ("max", Follow::Two(Binary::Max)),
    ("min", Follow::Two(Binary::Min)),
    ("mod_floor", Follow::Two(Binary::Mod)),
    ("mul", Follow::Two(Binary::Mul)),
    ("neg", Follow::One(Unary::Neg)),
    ("not_equal", Follow::Two(Binary::NotEqual)),
    ("pow", Follow::Two(Binary::Pow)),
    ("pow_trunc", Follow::Two(Binary::Pow)),
    ("relu", Follow::One(Unary::Relu)),
    ("round", Follow::One(Unary::Round)),
    ("sign", Follow::One(Unary::Sign)),
    ("sqrt", Follow::One(Unary::Sqrt)),
    ("sub", Follow::Two(Binary::Sub)),
    ("sum", Follow::Two(Binary::Add)),
    ("where", Follow::Choose),
];

/// Says what becomes of the elements that an operator is applied to, where they are followed.
fn follower(call: &Call<'_>, row: &'static Row, dtype: DType) -> Option<Follow> {
    let arithmetic = row.arithmetic(dtype, &Written::new(call.model, call.node, row)).ok()?.arithmetic;
    let name = match arithmetic {
        Arithmetic::Copy => return Some(Follow::One(Unary::Same)),
        Arithmetic::Recipe(Recipe::Clip | Recipe::Clamp) => return Some(Follow::Clip),
        Arithmetic::Op(op) => op.name(),
        Arithmetic::Recipe(Recipe::Power) => "pow",
        _ => return None,
    };
    FOLLOW.binary_search_by_key(&name, |row| row.0).ok().map(|at| FOLLOW[at].1)
}

/// Finds the row of the element-wise operator of a node; the oldest where none holds at its opset.
pub(crate) fn row(call: &Call<'_>) -> Option<&'static Row> {
    let (system, name) = (call.model.system, call.node.op.as_str());
    find(system, name, call.version()).or_else(|| called(system, name).first().copied())
}

/// Infers an element-wise operator.
pub(crate) fn infer(call: &Call<'_>) -> Made {
    let Some(row) = row(call) else {
        return because(format!("the operator {} is not known", call.node.op));
    };
    let dims = match rule(call, row)? {
        Some(rule) if row.kind() == Kind::Slope => sloped(call, &rule)?,
        Some(rule) => broadcast(call, &rule, call.inputs())?,
        None => data(call)?,
    };
    let values = follow(call, row, &dims);
    Ok(vec![Tensor::of(dims).with(values)])
}

/// Infers a `PRelu`. Where the slope does not broadcast in any way, those that run the node give a result of the data's shape.
fn sloped(call: &Call<'_>, rule: &Rule) -> Result<Vec<Size>, Stop> {
    let own = broadcast(call, rule, call.inputs());
    let stretches = || broadcast(call, &Rule::numpy(), call.inputs()).is_ok();
    if own.is_err() && !stretches() { data(call) } else { own }
}

/// Returns the sizes of the first input.
fn data(call: &Call<'_>) -> Result<Vec<Size>, Stop> {
    Ok(call.dims(0)?.to_vec())
}

/// Returns the rule of a node, if its operands broadcast. Bounds, and the slope of `PRelu` before opset 7, never stretch
/// the data.
fn rule(call: &Call<'_>, row: &'static Row) -> Result<Option<Rule>, Stop> {
    if matches!(row.kind(), Kind::Unary | Kind::Bounds) {
        return Ok(None);
    }
    let rule = row.rule_by().rule(&Written::new(call.model, call.node, row)).map_err(Stop::Because)?;
    Ok((row.kind() != Kind::Slope || rule.name() != Rule::onnx_legacy(None).name()).then_some(rule))
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
    let inner = inner(shapes);
    let sources: HashMap<Dim, &Size> = inner.concat().into_iter().zip(shapes.iter().copied().flatten()).collect();
    let symbolic: Vec<SymbolicShape> = inner.into_iter().map(SymbolicShape::new).collect();
    let inferred = call.inferences.infer(rule, &symbolic, None);
    let inferred = inferred.as_ref().as_ref().map_err(|error| refused(error.clone()))?;
    let Some(dims) = inferred.shape().dims() else {
        return because(format!("{}: the rank of the result depends on sizes", call.node.op));
    };
    let mut sizes: HashMap<Size, Size> = HashMap::new();
    for (dim, &size) in &sources {
        let parts = dim.sizes();
        let is_broadcast = parts.len() > 1;
        sizes.extend(parts.into_iter().map(|part| (part.clone(), if is_broadcast { part } else { size.clone() })));
    }
    Ok(dims.iter().map(|dim| resolve(call, dim, &sources, &sizes)).collect())
}

/// Returns the dims to give a rule. Private names are counted from 1 in each query, so that equal queries have one answer.
fn inner(shapes: &[&[Size]]) -> Vec<Vec<Dim>> {
    let mut names: HashMap<String, String> = HashMap::new();
    let mut renamed = |size: &Size| {
        let dim = size.inner();
        let own = dim.name().filter(|name| name.strip_prefix('?').is_some_and(|rest| rest.parse::<u32>().is_ok()))?;
        let next = format!("?{}", names.len() + 1);
        let name = names.entry(own.to_owned()).or_insert(next);
        Dim::named(name).within(dim.low(), dim.high()).ok()
    };
    shapes.iter().map(|dims| dims.iter().map(|size| renamed(size).unwrap_or_else(|| size.inner())).collect()).collect()
}

/// Finds the size that a dim of the result is, from the operands' sizes and the dims that the rule was given for them.
fn resolve(call: &Call<'_>, dim: &Dim, sources: &HashMap<Dim, &Size>, sizes: &HashMap<Size, Size>) -> Size {
    if dim.size().is_some() {
        return Size::of(dim, &mut 0);
    }
    if let Some(&size) = sources.get(dim) {
        return size.clone();
    }
    let all: Vec<Size> = dim.sizes().iter().filter_map(|size| sizes.get(size).cloned()).collect();
    let mut parts: Vec<&Size> = all.iter().collect();
    // Where x meets the least of x and another size that is not 0, the result is x, whatever the sizes. So it is where x
    // meets the greatest of x and 0, for an extent is not negative.
    let told = |size: &Size| {
        let (least, greatest) = (size.parts(false), size.parts(true));
        let has = |parts: &[Size]| parts.len() > 1 && parts.iter().any(|part| all.contains(part));
        let rest = |part: &Size| all.contains(part);
        has(&least) && least.iter().all(|part| rest(part) || part.low().is_some_and(|low| low > 0))
            || has(&greatest) && greatest.iter().all(|part| rest(part) || part.is(0))
    };
    parts.retain(|size| !told(size));
    match parts.as_slice() {
        [size] => (*size).clone(),
        [] => call.open(),
        // The broadcast of a dim without a name and another has no name.
        parts if parts.iter().any(|size| size.private()) => call.open(),
        parts if parts.len() == all.len() && parts.len() <= NAMES => Size::of(dim, &mut 0),
        _ => call.open(),
    }
}

/// Computes the elements, where those of all inputs are followed.
fn follow(call: &Call<'_>, row: &'static Row, dims: &[Size]) -> Option<Vec<Option<Number>>> {
    let floats = call.floats(usize::from(call.inputs() > 1 && call.has(1)));
    let follow = follower(call, row, if floats.is_some() { DType::F32 } else { DType::I64 })?;
    let small = small(dims)?;
    if !(0..call.inputs()).all(|k| call.followed(k) || !call.has(k)) {
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
    let one = |i: usize| match follow {
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
        Follow::Two(op) => {
            (1..inputs.len()).try_fold(element(0, i)?.clone(), |x, k| Number::binary(op, &x, element(k, i)?, floats))
        }
    };
    Some((0..small.iter().product()).map(one).collect())
}

/// Keeps the elements of the first input in another shape.
pub(crate) fn kept(call: &Call<'_>, dims: Vec<Size>) -> Tensor {
    let values = call.values(0).map(Values::from).map(|values| values.to_vec());
    Tensor::of(dims).with(values)
}
