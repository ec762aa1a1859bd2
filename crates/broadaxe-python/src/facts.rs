//! Describes an operator as NumPy's ufuncs do: attributes and docstring.

use broadaxe::{
    DType, Op, OpId, Promotion,
    frameworks::names,
    promote::{self, Typed},
};
use broadaxe_kernels::HasKernels;

/// Returns the letter that NumPy has for a dtype; `None` for bfloat16, which it does not know.
fn letter(dtype: DType) -> Option<char> {
    let letter = match dtype {
        DType::Bool => '?',
        DType::I8 => 'b',
        DType::I16 => 'h',
        DType::I32 => 'i',
        DType::I64 => 'l',
        DType::U8 => 'B',
        DType::U16 => 'H',
        DType::U32 => 'I',
        DType::U64 => 'L',
        DType::F16 => 'e',
        DType::BF16 => return None,
        DType::F32 => 'f',
        DType::F64 => 'd',
    };
    Some(letter)
}

/// Returns the dtypes of operands and result of an operator, as NumPy writes them: `ff->f`; without those that it has no letter for.
pub(crate) fn types(op: &Op) -> Vec<String> {
    let text = |(operands, result): (Vec<DType>, DType)| {
        let operands: String = operands.into_iter().map(letter).collect::<Option<_>>()?;
        Some(format!("{operands}->{}", letter(result)?))
    };
    loops(op).filter_map(text).collect()
}

/// Returns the dtypes of operands that are computed without a cast, and the dtype of the result.
///
/// A kernel of a dtype is not enough: `float_power` has one of f32, but promotes f32 to f64.
fn loops(op: &Op) -> impl Iterator<Item = (Vec<DType>, DType)> {
    let promotion = op.promotion();
    let of = move |dtype| {
        let kernel = op.kernel(dtype)?;
        let operands = match promotion {
            // The exponents are read as integers, and only then cast.
            Promotion::Exponent => [DType::I32, DType::I64].map(|exponent| vec![dtype, exponent]).to_vec(),
            _ => vec![kernel.inputs().to_vec()],
        };
        Some(operands.into_iter().map(move |operands| (dtype, operands, kernel.output())))
    };
    DType::ALL.into_iter().filter_map(of).flatten().filter_map(move |(dtype, operands, output)| {
        let typed: Vec<Typed> = operands.iter().copied().map(Typed::Strong).collect();
        (promote::dtype(promotion, &typed) == Some(dtype)).then_some((operands, output))
    })
}

/// Returns what a fold of no elements by an operator gives; only for operators that can be folded in any order, as NumPy has it.
pub(crate) fn identity(op: &Op) -> Option<f64> {
    match op.name() {
        "bitwise_and" => Some(-1.0),
        "hypot" | "gcd" => Some(0.0),
        "logaddexp" => Some(f64::NEG_INFINITY),
        name if name.starts_with("shift_") => None,
        _ => op.identity(),
    }
}

/// Writes the documentation of an operator.
pub(crate) fn documentation(op: &Op) -> String {
    let operands = &["a", "b", "c"][..op.arity()];
    let first = op.meaning();
    let dtypes: Vec<&str> = op.dtypes().map(DType::name).collect();
    let mut text = format!("{}({}, /, out=None, *, where=True, ", op.name(), operands.join(", "));
    text += "casting=\"same_kind\", dtype=None, rule=\"numpy\", axis=None)\n\n";
    text += &format!("Compute {first}, element by element.\n\n");
    text += "The shapes broadcast under `rule`, with its `axis` where it has one; see `broadaxe.rules`. Operands of\n";
    text += &format!("several dtypes meet as in NumPy 2; it computes in {}.\n", dtypes.join(", "));
    if op.is_variadic() {
        text += "It accepts any number of operands, joined from the left. A second operand that is an integer, a tuple or None\n";
        text += "is the axis to fold, as for NumPy's function of the name; `maximum` and `minimum` join it.\n";
    }
    if let Some((f32, f64)) = op.ulp() {
        text += &format!("The error is at most {f32} units in the last place for f32, {f64} for f64.\n");
    }
    let names: Vec<String> = OpId::find(op.name())
        .into_iter()
        .flat_map(names)
        .map(|name| format!("{}.{name}", name.system.name()))
        .collect();
    if !names.is_empty() {
        text += &format!("Elsewhere: {}.\n", names.join(", "));
    }
    text += "\nRaises ValueError for shapes, TypeError for dtypes, ZeroDivisionError for integers divided by 0, MemoryError\n";
    text + "for results above three quarters of the memory.\n"
}
