//! Rows of the tables of operators: a shape function, and the types of the results.

use broadaxe_kernels::DType;

use super::call::Function;

/// An operator: its shape function, and the types of its outputs' elements.
pub(crate) struct ShapeRow {
    pub(crate) name: &'static str,
    pub(crate) infer: Function,
    /// One per output; the last holds for the rest.
    pub(crate) types: &'static [Type],
}

/// Where the type of an output's elements is from.
#[derive(Clone, Copy)]
pub(crate) enum Type {
    /// That of this input.
    Same(usize),
    /// Always this one.
    Is(DType),
    /// Named by an attribute; without it, this one.
    Named(&'static str, DType),
    /// Named by an attribute; without it, that of this input.
    NamedOr(&'static str, usize),
    /// That of the zero point, the third input; else named by `output_dtype`, else u8.
    Quantized,
    /// What the constant in an attribute has, else f32.
    Held(&'static str),
    /// Not known from the node.
    Open,
}

/// The type of the first input's elements.
pub(crate) const SAME: &[Type] = &[Type::Same(0)];
/// 64-bit integers.
pub(crate) const I64: &[Type] = &[Type::Is(DType::I64)];
/// Truth values.
pub(crate) const BOOL: &[Type] = &[Type::Is(DType::Bool)];

/// Makes a row.
pub(crate) const fn row(name: &'static str, infer: Function, types: &'static [Type]) -> ShapeRow {
    ShapeRow { name, infer, types }
}
