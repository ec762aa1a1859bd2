//! Shapes of operators that create tensors: constants, ranges, random numbers, windows and spectra.

use broadaxe::DType;

use super::{
    Size,
    call::{Call, Made, Stop, because},
    number::{Binary, Number, Unary},
    reshape::target,
    row::{I64, SAME, ShapeRow, Type, row},
    slice::like,
    tensor::{FOLLOWED, Tensor, count, product, read},
};
use crate::graph::{Attribute, Element};

const FLOAT: &[Type] = &[Type::Named("dtype", DType::F32)];
const WINDOW: &[Type] = &[Type::Named("output_datatype", DType::F32)];

pub(crate) static MAKE_ROWS: &[ShapeRow] = &[
    row("Shape", shape, I64),
    row("Size", size, I64),
    row("Range", range, SAME),
    row("ConstantOfShape", filled, &[Type::Held("value")]),
    row("Constant", constant, &[Type::Held("value")]),
    row("EyeLike", like, &[Type::NamedOr("dtype", 0)]),
    row("RandomNormal", random, FLOAT),
    row("RandomUniform", random, FLOAT),
    row("RandomNormalLike", like, &[Type::NamedOr("dtype", 0)]),
    row("RandomUniformLike", like, &[Type::NamedOr("dtype", 0)]),
    row("Bernoulli", like, &[Type::NamedOr("dtype", 0)]),
    row("Multinomial", multinomial, &[Type::Named("dtype", DType::I32)]),
    row("BlackmanWindow", window, WINDOW),
    row("HammingWindow", window, WINDOW),
    row("HannWindow", window, WINDOW),
    row("MelWeightMatrix", mel, WINDOW),
    row("DFT", dft, SAME),
    row("STFT", stft, SAME),
    row("TfIdfVectorizer", tfidf, &[Type::Is(DType::F32)]),
    row("ImageDecoder", decoded, &[Type::Is(DType::U8)]),
];

/// Infers the shape of the input as a list; from opset 15 on, a part of it.
pub(crate) fn shape(call: &Call<'_>) -> Made {
    let Ok(dims) = call.dims(0) else { return Err(Stop::Input(0)) };
    let place = |at: i64| {
        let from_front = if at < 0 { at.saturating_add(dims.len() as i64) } else { at };
        from_front.clamp(0, dims.len() as i64) as usize
    };
    let (start, end) = (place(call.int("start").unwrap_or(0)), place(call.int("end").unwrap_or(i64::MAX)));
    let part = dims.get(start..end.max(start)).unwrap_or_default();
    Ok(vec![Tensor::list(part.iter().map(|size| Some(Number::Whole(size.clone()))).collect())])
}

fn size(call: &Call<'_>) -> Made {
    let total = call.dims(0).ok().and_then(product).map(Number::Whole);
    Ok(vec![Tensor::of(Vec::new()).with(Some(vec![total]))])
}

/// Infers numbers at equal distances: max(ceil((limit - start) / step), 0) of them.
pub(crate) fn range(call: &Call<'_>) -> Made {
    let floats = call.floats(0);
    let one = |k: usize| match call.values(k)? {
        [Some(value)] => Some(value.clone()),
        _ => None,
    };
    let (start, step) = (one(0), one(2));
    let whole = || {
        let (start, limit, step) = (start.as_ref()?, one(1)?, step.as_ref()?);
        let way = Number::binary(Binary::Sub, &limit, start, floats.or(Some(64)))?;
        let steps = Number::binary(Binary::Div, &way, step, floats.or(Some(64)))?.unary(Unary::Ceil)?;
        steps.size()?.max(&Size::known(0))
    };
    let count = whole();
    let values = || {
        let count = count.as_ref()?.extent().filter(|&count| count <= FOLLOWED && floats.is_none())?;
        let (start, step) = (start.as_ref()?, step.as_ref()?);
        let at = |i: i64| {
            let way = Number::binary(Binary::Mul, &Number::from(i), step, None)?;
            Number::binary(Binary::Add, start, &way, None)
        };
        Some((0..count as i64).map(at).collect())
    };
    let values = values();
    let tensor = Tensor::of(vec![count.unwrap_or_else(|| call.counted())]);
    Ok(vec![tensor.with(values)])
}

/// Infers a tensor of a shape, filled with one number.
pub(crate) fn filled(call: &Call<'_>) -> Made {
    let dims: Vec<Size> = target(call, 0)?.into_iter().map(|size| call.or_open(size)).collect();
    if let Some(size) = dims.iter().find(|size| size.high().is_some_and(|high| high < 0)) {
        return because(format!("ConstantOfShape: {size} is no extent"));
    }
    let value = match call.node.attribute("value") {
        Some(Attribute::Tensor(constant)) => read(call.model, constant).and_then(|values| values.first()?.clone()),
        Some(_) => None,
        None => Some(Number::from(0)),
    };
    let values = count(&dims).filter(|&count| count <= FOLLOWED).map(|count| vec![value; count]);
    Ok(vec![Tensor::of(dims).with(values)])
}

/// Infers a constant from the attribute that it has.
fn constant(call: &Call<'_>) -> Made {
    let list = |numbers: Vec<Number>| Ok(vec![Tensor::list(numbers.into_iter().map(Some).collect())]);
    let one = |number: Number| Ok(vec![Tensor::of(Vec::new()).with(Some(vec![Some(number)]))]);
    for (name, attribute) in &call.node.attributes {
        match (name.as_str(), attribute) {
            ("value", Attribute::Tensor(constant)) => {
                let values = read(call.model, constant).map(|values| values.to_vec());
                return Ok(vec![Tensor::known(&constant.shape).with(values)]);
            }
            ("value_int", Attribute::Int(value)) => return one(Number::from(*value)),
            ("value_float", Attribute::Float(value)) => return one(Number::float(*value)),
            ("value_ints", Attribute::Ints(values)) => return list(values.iter().copied().map(Number::from).collect()),
            ("value_floats", Attribute::Floats(values)) => {
                return list(values.iter().copied().map(Number::float).collect());
            }
            ("value_string", _) => return Ok(vec![Tensor::of(Vec::new())]),
            ("value_strings", Attribute::Texts(texts)) => return Ok(vec![Tensor::known(&[texts.len()])]),
            _ => {}
        }
    }
    because("Constant: its value is of a kind that is not read")
}

/// Returns the type of what an attribute holds, f32 without it.
pub(crate) fn held(call: &Call<'_>, name: &str) -> Option<Element> {
    let known = |dtype| Some(Element::Known(dtype));
    let has = |name: &str| call.node.attribute(name).is_some();
    match call.node.attribute(name) {
        Some(Attribute::Tensor(constant)) => Some(constant.element.clone()),
        _ if has("value_int") || has("value_ints") => known(DType::I64),
        _ if has("value_string") || has("value_strings") => Some(Element::Other("string".into(), 0)),
        Some(_) => None,
        None if has("sparse_value") => None,
        None => known(DType::F32),
    }
}

fn random(call: &Call<'_>) -> Made {
    match call.ints("shape") {
        Some(shape) => Ok(vec![Tensor::of(shape.into_iter().map(Size::known).collect())]),
        None => because(format!("{} has no shape", call.node.op)),
    }
}

fn multinomial(call: &Call<'_>) -> Made {
    let [batch, _] = call.ranked::<2>(0)?;
    Ok(vec![Tensor::of(vec![batch.clone(), Size::known(call.int("sample_size").unwrap_or(1))])])
}

fn window(call: &Call<'_>) -> Made {
    Ok(vec![Tensor::of(vec![call.scalar(0).unwrap_or_else(|| call.counted())])])
}

/// Half of a spectrum: floor(n / 2) + 1.
fn half(size: &Size) -> Option<Size> {
    size.floor(&Size::known(2))?.more(1)
}

fn mel(call: &Call<'_>) -> Made {
    let bins = call.or_open(call.scalar(1).and_then(|length| half(&length)));
    Ok(vec![Tensor::of(vec![bins, call.or_open(call.scalar(0))])])
}

fn dft(call: &Call<'_>) -> Made {
    let mut dims = call.least(0, 2)?.to_vec();
    let axis = match (call.version() < 20, call.has(2)) {
        (true, _) => call.int("axis").or(Some(1)),
        (false, true) => call.scalar(2).and_then(|axis| axis.number()),
        (false, false) => Some(-2),
    };
    let Some(axis) = axis else { return Ok(vec![Tensor::of(call.opens(dims.len()))]) };
    let axis = call.axis(axis, dims.len())?;
    if call.has(1) {
        dims[axis] = call.or_open(call.scalar(1));
    }
    let (onesided, inverse) = (call.flag("onesided"), call.flag("inverse"));
    if onesided && !inverse {
        dims[axis] = call.or_open(half(&dims[axis]));
    } else if onesided && !call.has(1) {
        // The way back from a half: 2 * (n - 1).
        dims[axis] = call.or_open(dims[axis].more(-1).and_then(|size| size.times(&Size::known(2))));
    }
    if let Some(last) = dims.last_mut() {
        *last = Size::known(if onesided && inverse { 1 } else { 2 });
    }
    Ok(vec![Tensor::of(dims)])
}

fn stft(call: &Call<'_>) -> Made {
    let dims = call.least(0, 2)?;
    let length = if call.has(3) { call.scalar(3) } else { call.dims(2)?.first().cloned() };
    let frames = || dims[1].minus(length.as_ref()?)?.floor(&call.scalar(1)?)?.more(1);
    let bins = match (&length, call.int("onesided").unwrap_or(1) != 0) {
        (Some(length), true) => half(length),
        (length, _) => length.clone(),
    };
    let out = vec![dims[0].clone(), call.or_open(frames()), call.or_open(bins), Size::known(2)];
    Ok(vec![Tensor::of(out)])
}

fn tfidf(call: &Call<'_>) -> Made {
    let mut dims = call.least(0, 1)?.to_vec();
    let Some(greatest) = call.ints("ngram_indexes").and_then(|indexes| indexes.into_iter().max()) else {
        return because("TfIdfVectorizer has no ngram_indexes");
    };
    if let Some(last) = dims.last_mut() {
        *last = call.or_open(greatest.checked_add(1).map(Size::known));
    }
    Ok(vec![Tensor::of(dims)])
}

fn decoded(call: &Call<'_>) -> Made {
    let channels = if call.text("pixel_format") == Some("Grayscale") { 1 } else { 3 };
    let mut dims = call.opens(2);
    dims.push(Size::known(channels));
    Ok(vec![Tensor::of(dims)])
}
