//! Promotes dtypes as NumPy 2 does.
//!
//! The dtypes form a lattice: bool below everything, integers by width and sign, floats by width. [`promote`] goes to
//! the least dtype above both, as when a NumPy operator chooses its loop. bf16 follows `ml_dtypes`:
//! with bool and the integers of 8 bits it stays bf16, with wider integers it goes where f16 would go.
//!
//! A number written in an expression is *weak* ([`Literal`]): it accepts the dtype of the arrays and only pulls it
//! up when its own kind (bool, integer, float) is higher. Which dtype an operator then computes in is its
//! [`Promotion`] class, a fact of its row recorded from NumPy 2.4 with `ml_dtypes` 0.6; [`dtype`] applies it.

use broadaxe_op::{DType, Promotion};

/// Returns the dtype in which NumPy's operators join operands of these two dtypes.
///
/// ```
/// use broadaxe_frameworks::promote::promote;
/// use broadaxe_op::DType;
/// assert_eq!(promote(DType::I8, DType::U8), DType::I16);
/// assert_eq!(promote(DType::I64, DType::U64), DType::F64);
/// assert_eq!(promote(DType::F16, DType::BF16), DType::F32);
/// ```
pub fn promote(a: DType, b: DType) -> DType {
    match (a, b) {
        (a, b) if a == b => a,
        (DType::Bool, other) | (other, DType::Bool) => other,
        (a, b) if a.is_float() && b.is_float() => wider(a, b),
        (DType::BF16, int) | (int, DType::BF16) if int.size() == 1 => DType::BF16,
        (float, int) | (int, float) if float.is_float() => promote(float, float_of(int)),
        (a, b) if a.is_signed() == b.is_signed() => wider(a, b),
        (signed, unsigned) | (unsigned, signed) if signed.is_signed() => match unsigned {
            unsigned if unsigned.size() < signed.size() => signed,
            DType::U8 => DType::I16,
            DType::U16 => DType::I32,
            DType::U32 => DType::I64,
            _ => DType::F64,
        },
        (a, _) => a,
    }
}

/// Returns the wider of two different dtypes of one kind; f16 and bf16 meet in f32.
fn wider(a: DType, b: DType) -> DType {
    match a.size().cmp(&b.size()) {
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Equal => DType::F32,
        std::cmp::Ordering::Greater => a,
    }
}

/// Returns the least float that holds every value of this dtype's width: `i8` gives f16, `i16` f32, `i32` f64.
///
/// Floats come back as they are. This is the dtype in which NumPy computes `sqrt` and its like.
pub fn float_of(dtype: DType) -> DType {
    match dtype {
        DType::Bool | DType::I8 | DType::U8 => DType::F16,
        DType::I16 | DType::U16 => DType::F32,
        float if float.is_float() => float,
        _ => DType::F64,
    }
}

/// Holds a number written in an expression; it has a kind but no width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// `True` or `False`.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// A number with a point or an exponent.
    Float(f64),
}

impl Literal {
    /// Returns the dtype of this number as the only operand: bool, i64 or f64, and u64 for integers from 2^63.
    pub fn default_dtype(self) -> DType {
        match self {
            Self::Int(value) if value > i128::from(i64::MAX) => DType::U64,
            other => other.kind_dtype(),
        }
    }

    /// Returns the dtype of numbers of this kind.
    fn kind_dtype(self) -> DType {
        match self {
            Self::Bool(_) => DType::Bool,
            Self::Int(_) => DType::I64,
            Self::Float(_) => DType::F64,
        }
    }

    /// Returns the dtype of an operation on an array of `dtype` and this number.
    ///
    /// bf16 with a float gives f32, as in `ml_dtypes`: Python's floats know only NumPy's own dtypes.
    pub fn promoted_with(self, dtype: DType) -> DType {
        match (self, dtype) {
            (Self::Int(_), DType::Bool) => DType::I64,
            (Self::Float(_), DType::BF16) => DType::F32,
            (Self::Float(_), other) if !other.is_float() => DType::F64,
            _ => dtype,
        }
    }

    /// Returns this number as Python's `float` has it.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Bool(value) => f64::from(u8::from(value)),
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

impl std::fmt::Display for Literal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
        }
    }
}

/// One operand as promotion sees it: an array's dtype, or a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Typed {
    /// An array, or anything else that has a dtype of its own.
    Strong(DType),
    /// A number of the text.
    Weak(Literal),
}

/// Returns the dtype that these operands share: the promotion of the arrays, then of the numbers.
///
/// With floats, each integer counts by its own width: i8, u8 and f16 share f16, although i8 and u8 alone would meet in
/// i16. A number alone has its default dtype; of several numbers only the kinds count. `None` for no operand at all.
pub fn common(operands: &[Typed]) -> Option<DType> {
    let strong = operands.iter().filter_map(|operand| match operand {
        Typed::Strong(dtype) => Some(*dtype),
        Typed::Weak(_) => None,
    });
    let weak = operands.iter().filter_map(|operand| match operand {
        Typed::Strong(_) => None,
        Typed::Weak(literal) => Some(*literal),
    });
    match (join(strong), operands) {
        (Some(dtype), _) => Some(weak.fold(dtype, |dtype, literal| literal.promoted_with(dtype))),
        (None, [Typed::Weak(literal)]) => Some(literal.default_dtype()),
        (None, _) => weak.map(Literal::kind_dtype).reduce(promote),
    }
}

/// Joins dtypes, floats first.
fn join(dtypes: impl Iterator<Item = DType> + Clone) -> Option<DType> {
    let floats = dtypes.clone().filter(|dtype| dtype.is_float()).reduce(promote);
    match floats {
        Some(float) => Some(dtypes.fold(float, promote)),
        None => dtypes.reduce(promote),
    }
}

/// Returns the dtype in which an operator of this promotion class computes on these operands.
///
/// `None` where NumPy rejects: bits of floats, `-` of bool, no operand.
pub fn dtype(promotion: Promotion, operands: &[Typed]) -> Option<DType> {
    let joined = common(operands)?;
    match promotion {
        Promotion::Truth => Some(DType::Bool),
        Promotion::Choose => common(operands.get(1..)?),
        Promotion::NotBool => (joined != DType::Bool).then_some(joined),
        Promotion::Bits => (!joined.is_float()).then_some(joined),
        Promotion::Integer => joined.is_integer().then_some(joined),
        Promotion::Widest => Some(DType::F64),
        Promotion::Exponent => of_base(operands),
        Promotion::Shift if joined.is_float() => None,
        Promotion::Number | Promotion::Shift if joined == DType::Bool => Some(DType::I8),
        Promotion::Divided if !joined.is_float() => Some(DType::F64),
        Promotion::Float if !joined.is_float() => {
            let promoted = |dtype| {
                operands.iter().fold(dtype, |dtype, operand| match operand {
                    Typed::Strong(_) => dtype,
                    Typed::Weak(literal) => literal.promoted_with(dtype),
                })
            };
            let strong = operands.iter().filter_map(|operand| match operand {
                Typed::Strong(dtype) => Some(float_of(promoted(*dtype))),
                Typed::Weak(_) => None,
            });
            Some(strong.reduce(promote).unwrap_or(float_of(joined)))
        }
        _ => Some(joined),
    }
}

/// Returns the dtype in which a float is multiplied by powers of two, whose exponents are the second operand.
///
/// bf16 does not hold all exponents that it needs, so that it is f32. `None` for exponents that are no integers, or u64, which NumPy
/// rejects.
fn of_base(operands: &[Typed]) -> Option<DType> {
    let [base, exponent] = operands else { return None };
    match exponent {
        Typed::Strong(dtype) if dtype.is_float() || *dtype == DType::U64 => return None,
        Typed::Weak(Literal::Float(_)) => return None,
        _ => {}
    }
    let base = match (*base, *exponent) {
        // An integer literal with a bool is i64. With an exponent of any other dtype, NumPy chooses the smallest float for it.
        (Typed::Weak(Literal::Int(_)), Typed::Strong(dtype)) if dtype != DType::Bool => Typed::Strong(DType::I8),
        (base, _) => base,
    };
    dtype(Promotion::Float, &[base]).map(|dtype| if dtype == DType::BF16 { DType::F32 } else { dtype })
}

#[cfg(test)]
mod tests;
