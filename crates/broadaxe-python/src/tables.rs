//! Exposes the engine's tables, from which Python makes its names, documentation and stubs.

use broadaxe::{
    DType, OPS, RULES, Reduction, System,
    frameworks::{self as systems, Attr, Attribute, Attributes, Row, Values, Wiring},
};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};

use crate::{
    builder::attribute,
    number::numpy_name,
    operator::{self, Operator},
};

/// Returns every operator, in the order of the table.
#[pyfunction]
pub(crate) fn operators() -> Vec<Operator> {
    OPS.iter().map(|op| operator::of(op, op.name())).collect()
}

/// Returns operators by names that are not their own: what also folds axes by its own name, such as `max`, only joins by another.
#[pyfunction]
pub(crate) fn joining() -> Vec<(&'static str, Operator)> {
    let joins = |(alias, name): (&'static str, &str)| {
        let op = OPS.iter().find(|op| op.name() == name && op.is_variadic())?;
        Some((alias, operator::of(op, alias)))
    };
    aliases().into_iter().filter_map(joins).collect()
}

/// Returns the other names of operators, each with the operator's own.
#[pyfunction]
pub(crate) fn aliases() -> Vec<(&'static str, &'static str)> {
    let of_numpy = systems::operators(System::Numpy).filter_map(|row| {
        let op = row.choices().next()?.arithmetic.operator()?;
        Some((row.name(), op.name()))
    });
    let known = |name: &str| OPS.iter().any(|op| op.name() == name);
    let mut names: Vec<(&str, &str)> =
        broadaxe::expr::aliases().chain(of_numpy).filter(|(alias, _)| !known(alias)).collect();
    names.sort_unstable();
    names.dedup_by_key(|(alias, _)| *alias);
    names
}

/// Returns how many bytes a result may take by default; `None` where the machine does not say how much memory it has.
#[pyfunction]
pub(crate) fn memory_budget() -> Option<u64> {
    broadaxe::default_budget()
}

/// Returns the names of the reductions.
#[pyfunction]
pub(crate) fn reductions() -> Vec<&'static str> {
    Reduction::EVERY.into_iter().map(Reduction::name).collect()
}

/// Returns the dtypes: the short name, and NumPy's.
#[pyfunction]
pub(crate) fn dtypes() -> Vec<(&'static str, String)> {
    DType::ALL.into_iter().map(|dtype| (dtype.name(), numpy_name(dtype))).collect()
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

/// Returns the names of rules and their aliases.
#[pyfunction]
pub(crate) fn rule_names() -> Vec<&'static str> {
    RULES.iter().flat_map(|def| std::iter::once(def.name).chain(def.aliases.iter().copied())).collect()
}

/// The ranks that target names list; larger ones are taken too.
const RANKS: std::ops::RangeInclusive<usize> = 1..=8;

/// Returns the names of the targets with their aliases and versions; one with a number is listed with each of the usual ones.
#[pyfunction]
pub(crate) fn target_names() -> Vec<String> {
    let all = |profile: &&'static broadaxe_models::Profile| {
        if let Some(name) = profile.name.strip_suffix('N') {
            return RANKS.map(|rank| format!("{name}{rank}")).collect::<Vec<_>>();
        }
        let versions = profile.versions.iter().map(|version| format!("{}@{version}", profile.name));
        let names = profile.aliases.iter().map(|&alias| alias.to_owned());
        std::iter::once(profile.name.to_owned()).chain(names).chain(versions).collect()
    };
    broadaxe_models::PROFILES.iter().flat_map(all).collect()
}

/// A framework's operator: framework, name, the fewest and the most operands (0 for any number), attributes,
/// documentation.
type Entry = (&'static str, &'static str, (usize, usize), Vec<(&'static str, &'static str, &'static str)>, String);

/// Returns every operator of every framework, each once, in its newest version.
#[pyfunction]
pub(crate) fn frameworks() -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for system in System::CALLED {
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
    let mut text = format!("Compute {} of {}: {}.\n", row.name(), system.name(), row.formula());
    text += &format!("\nShapes: {}.\nDtypes: {}.\n", shapes(row), dtypes.join(", "));
    for attr in row.all_attributes() {
        let default =
            if attr.default.is_empty() { String::from("required") } else { format!("{} if absent", attr.default) };
        text += &format!("{}: {}, {default}.\n", attr.name, accepts(attr));
    }
    text += "Raises ValueError for shapes and attributes, TypeError for dtypes, ZeroDivisionError for integers divided by 0.\n";
    (system.name(), row.name(), (least, if most == usize::MAX { 0 } else { most }), attributes, text)
}

/// Returns the rule of a call of a framework's operator: its name, its text form, and the attributes that it is read from.
#[pyfunction]
#[pyo3(signature = (system, name, attributes, /))]
pub(crate) fn rule_of(
    system: &str,
    name: &str,
    attributes: &Bound<'_, PyDict>,
) -> PyResult<(&'static str, String, Vec<&'static str>)> {
    let mut given = Vec::with_capacity(attributes.len());
    for (key, value) in attributes.iter() {
        given.push((key.extract::<String>()?, attribute(&value)?));
    }
    let given: Vec<(&str, Attribute)> = given.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
    let unknown = || PyValueError::new_err(format!("unknown element-wise operator {name}"));
    let system = System::CALLED.into_iter().find(|known| known.name() == system).ok_or_else(unknown)?;
    let opset = given.int("opset").or(system.newest_opset()).unwrap_or(0);
    let row = systems::find(system, name, opset).ok_or_else(unknown)?;
    let rule = row.rule_by().rule(&given).map_err(PyValueError::new_err)?;
    let mut reads: Vec<&str> = row.rule_by().attributes().iter().map(|attr| attr.name).collect();
    // The count of numbers is that of the whole list, not of a block.
    if let Wiring::Held { count, .. } = row.wiring() {
        reads.push(count);
    }
    Ok((rule.name(), rule.to_string(), reads))
}

fn shapes(row: &Row) -> String {
    if let Wiring::Held { reads, .. } = row.wiring() {
        return format!("the first operand's; each other operand is {}", reads.describe());
    }
    match row.rule_by().describe() {
        None => String::from("the operand's"),
        Some(rule) => format!("by the rule {rule}"),
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
        Values::Floats => "list[float] | tuple[float, ...]",
        Values::DType => "int | str",
    }
}

fn accepts(attr: Attr) -> String {
    match attr.values {
        Values::Words(words) => format!("one of {}", words.join(", ")),
        Values::Int => String::from("a whole number"),
        Values::Flag => String::from("a flag"),
        Values::Float => String::from("a number"),
        Values::Ints => String::from("whole numbers"),
        Values::Floats => String::from("numbers"),
        Values::DType => String::from("the name of a dtype"),
    }
}

/// Sets the number of threads; 0 resets it. Returns what it was before, as numexpr does.
#[pyfunction]
pub(crate) fn set_num_threads(py: Python<'_>, threads: usize) -> PyResult<usize> {
    let before = num_threads()?;
    broadaxe::set_num_threads(threads);
    py.import("broadaxe")?.setattr("nthreads", num_threads()?)?;
    Ok(before)
}

/// Returns the number of threads that large work is shared among.
#[pyfunction]
pub(crate) fn num_threads() -> PyResult<usize> {
    broadaxe::num_threads().map_err(|error| crate::error::raised(&error))
}
