//! The engine's tables, for Python to make its names, its documentation and its stubs of.

use broadaxe::{
    DType, OPS, Op, RULES, Reduction, System,
    frameworks::{self as systems, Attr, Row, Values},
};
use broadaxe_kernels::Family;
use pyo3::prelude::*;

use crate::operator::{self, Operator};

/// Returns every operator, in the order of the table.
#[pyfunction]
pub(crate) fn operators() -> Vec<Operator> {
    OPS.iter().filter_map(|op| operator::of(op.name())).collect()
}

/// Returns the other names of operators, each with the operator's own.
#[pyfunction]
pub(crate) fn aliases() -> Vec<(&'static str, &'static str)> {
    let abroad = OPS.iter().flat_map(|op| {
        op.abroad().iter().filter(|(system, _)| *system == System::Numpy).map(|&(_, name)| (name, op.name()))
    });
    let known = |name: &str| OPS.iter().any(|op| op.name() == name);
    let mut names: Vec<(&str, &str)> =
        broadaxe::expr::aliases().chain(abroad).filter(|(alias, _)| !known(alias)).collect();
    names.sort_unstable();
    names.dedup_by_key(|(alias, _)| *alias);
    // Other operators than those whose kernels they share: on integers they give floats.
    names.retain(|(alias, _)| !matches!(*alias, "fabs" | "rint"));
    names
}

/// Returns the names of the reductions.
#[pyfunction]
pub(crate) fn reductions() -> Vec<&'static str> {
    Reduction::EVERY.into_iter().map(Reduction::name).collect()
}

/// Returns the dtypes: the short name, and NumPy's.
#[pyfunction]
pub(crate) fn dtypes() -> Vec<(&'static str, String)> {
    DType::ALL.into_iter().map(|dtype| (dtype.name(), of_numpy(dtype))).collect()
}

/// Returns NumPy's name of a dtype.
fn of_numpy(dtype: DType) -> String {
    let bits = 8 * dtype.size();
    match dtype.family() {
        Family::Bool => String::from("bool"),
        Family::Signed => format!("int{bits}"),
        Family::Unsigned => format!("uint{bits}"),
        Family::Float if dtype == DType::BF16 => String::from("bfloat16"),
        Family::Float => format!("float{bits}"),
    }
}

/// Returns the rules: name, what they do, parameters.
#[pyfunction]
pub(crate) fn rules() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    let parameters = |def: &broadaxe_shape::RuleDef| {
        let axis = (def.axis != broadaxe_shape::AxisParam::None).then_some("axis");
        let (axes, target) = (def.axes.then_some("axes"), def.target.then_some("target"));
        let mode = (!def.modes.is_empty()).then_some("mode");
        [axis, axes, target, mode].into_iter().flatten().collect()
    };
    RULES.iter().map(|def| (def.name, def.summary, parameters(def))).collect()
}

/// A framework's operator: framework, name, the fewest and the most operands (0 for any number), attributes, documentation.
type Entry = (&'static str, &'static str, (usize, usize), Vec<(&'static str, &'static str, &'static str)>, String);

/// Returns every operator of every framework, each once, as it is in the newest opset.
#[pyfunction]
pub(crate) fn frameworks() -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for system in System::ALL {
        let newest =
            |name: &str| systems::operators(system).filter(|row| row.name() == name).max_by_key(|row| row.since());
        for row in systems::operators(system) {
            let listed = entries.iter().any(|(of, name, ..)| *of == system.name() && *name == row.name());
            if let (false, Some(row)) = (listed, newest(row.name())) {
                entries.push(entry(system, row));
            }
        }
    }
    entries
}

fn entry(system: System, row: &Row) -> Entry {
    let (least, most) = row.operands();
    let attributes = row.all_attributes().map(|attr| (attr.name, kind(attr), attr.default)).collect();
    let dtypes: Vec<&str> = row.dtypes().iter().map(|dtype| dtype.name()).collect();
    let mut text = format!("Compute {} of {}: {}.\n", row.name(), system.name(), row.operator());
    text += &format!("\nShapes: {}.\nDtypes: {}.\n", shapes(row), dtypes.join(", "));
    for attr in row.all_attributes() {
        let default =
            if attr.default.is_empty() { String::from("required") } else { format!("{} if absent", attr.default) };
        text += &format!("{}: {}, {default}.\n", attr.name, takes(attr));
    }
    text += "Raises ValueError for shapes and attributes, TypeError for dtypes, ZeroDivisionError for integers divided by 0.\n";
    (system.name(), row.name(), (least, if most == usize::MAX { 0 } else { most }), attributes, text)
}

fn shapes(row: &Row) -> String {
    match row.rule() {
        "-" => String::from("the operand's"),
        rule => format!("by the rule {rule}"),
    }
}

/// Returns the type of an attribute, as Python writes it.
fn kind(attr: Attr) -> &'static str {
    match attr.values {
        Values::Int => "int",
        Values::Flag => "bool | int",
        Values::Float => "float",
        Values::Words(_) => "str",
        Values::Ints => "list[int] | tuple[int, ...]",
        Values::DType => "int | str",
    }
}

fn takes(attr: Attr) -> String {
    match attr.values {
        Values::Words(words) => format!("one of {}", words.join(", ")),
        Values::Int => String::from("a whole number"),
        Values::Flag => String::from("a flag"),
        Values::Float => String::from("a number"),
        Values::Ints => String::from("whole numbers"),
        Values::DType => String::from("the name of a dtype"),
    }
}

/// Returns the letter that NumPy has for a dtype; E for bfloat16, as `ml_dtypes` has it.
fn letter(dtype: DType) -> char {
    match dtype {
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
        DType::BF16 => 'E',
        DType::F32 => 'f',
        DType::F64 => 'd',
    }
}

/// Returns the dtypes of operands and result of an operator, as NumPy writes them: `ff->f`.
pub(crate) fn types(op: &Op) -> Vec<String> {
    let one = |dtype| {
        let kernel = op.kernel(dtype)?;
        let operands: String = kernel.inputs().iter().map(|&input| letter(input)).collect();
        Some(format!("{operands}->{}", letter(kernel.output())))
    };
    DType::ALL.into_iter().filter_map(one).collect()
}

/// Writes the documentation of an operator.
pub(crate) fn documentation(op: &Op) -> String {
    let operands = &["a", "b", "c"][..op.arity()];
    let first = op.meaning();
    let dtypes: Vec<&str> = op.dtypes().map(DType::name).collect();
    let mut text = format!("{}({}, /, out=None, *, where=True, ", op.name(), operands.join(", "));
    text += "casting=\"same_kind\", dtype=None, rule=\"numpy\", axis=None)\n\n";
    text += &format!("Compute {first}, element by element.\n\n");
    text +=
        "The shapes broadcast under `rule`, with its `axis` where it takes one; see `broadaxe.rules`. Operands of\n";
    text += &format!("several dtypes meet as in NumPy 2; it computes in {}.\n", dtypes.join(", "));
    if op.is_variadic() {
        text += "It takes any number of operands, joined from the left.\n";
    }
    if let Some((f32, f64)) = op.ulp() {
        text += &format!("The error is at most {f32} units in the last place for f32, {f64} for f64.\n");
    }
    let abroad: Vec<String> = op.abroad().iter().map(|(system, name)| format!("{}.{name}", system.name())).collect();
    if !abroad.is_empty() {
        text += &format!("Elsewhere: {}.\n", abroad.join(", "));
    }
    text += "\nRaises ValueError for shapes, TypeError for dtypes, ZeroDivisionError for integers divided by 0, MemoryError\n";
    text + "for results above three quarters of the memory.\n"
}

/// Sets the number of threads; 0 takes that back. Returns what it was before, as numexpr does.
#[pyfunction]
pub(crate) fn set_num_threads(threads: usize) -> PyResult<usize> {
    let before = num_threads()?;
    broadaxe::set_num_threads(threads);
    Ok(before)
}

/// Returns the number of threads that large work is shared among.
#[pyfunction]
pub(crate) fn num_threads() -> PyResult<usize> {
    broadaxe::num_threads().map_err(|error| crate::error::raised(&error))
}
