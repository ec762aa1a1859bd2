//! Shapes of casts, and the element types that attributes name.

use broadaxe::DType;

use super::{
    call::{Call, Made},
    number::Number,
    row::{ShapeRow, Type, row},
    slice::like,
    tensor::Tensor,
};
use crate::{
    format::onnx_element,
    graph::{Attribute, Element},
};

pub(crate) static CAST_ROWS: &[ShapeRow] = &[
    row("Cast", |call| converted(call, named(call, "to").and_then(|to| to.dtype())), &[Type::NamedOr("to", 0)]),
    row("CastLike", |call| converted(call, call.element(1).and_then(Element::dtype)), &[Type::Same(1)]),
    row("BitCast", like, &[Type::NamedOr("to", 0)]),
];

/// Returns the type that an attribute names, by number or in words.
pub(crate) fn named(call: &Call<'_>, name: &str) -> Option<Element> {
    match call.node.attribute(name)? {
        Attribute::Int(number) => onnx_element(*number),
        // The first opsets have the name in capitals.
        Attribute::Text(text) => DType::from_name(&text.to_ascii_lowercase()).map(Element::Known),
        _ => None,
    }
}

/// Infers a conversion to a dtype, and follows the elements.
pub(crate) fn converted(call: &Call<'_>, to: Option<DType>) -> Made {
    let dims = call.dims(0)?;
    let convert = |value: &Option<Number>| {
        let value = value.as_ref()?;
        match to? {
            DType::Bool => value.truth(),
            DType::F32 => match value {
                Number::Float(value) => Some(Number::float(f64::from(*value as f32))),
                value => Some(value.clone()),
            },
            DType::F64 => Some(value.clone()),
            dtype if dtype.is_float() => None,
            dtype => {
                let whole = value.whole()?;
                let bits = 8 * dtype.size() as u32 - u32::from(dtype.is_signed());
                let high = 1i64.checked_shl(bits).filter(|_| bits < 63).map_or(i64::MAX, |end| end - 1);
                let low = if dtype.is_signed() { -high - 1 } else { 0 };
                // What does not fit wraps, which is not followed.
                let fits = whole.size()?.number().is_none_or(|number| (low..=high).contains(&number));
                fits.then_some(whole)
            }
        }
    };
    let values = call.values(0).map(|values| values.iter().map(convert).collect());
    Ok(vec![Tensor::of(dims.to_vec()).with(values)])
}
