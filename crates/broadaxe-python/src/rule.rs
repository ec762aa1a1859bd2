//! Rules as Python names them: `rule="pdpd", axis=1`, or the text `"pdpd axis=1"`.

use broadaxe_shape::{Params, Rule};
use pyo3::PyResult;

use crate::error::of_shapes;

/// Makes the rule of a name or a text; an axis given beside a text replaces that of the text.
pub(crate) fn read(text: Option<&str>, axis: Option<i64>) -> PyResult<Rule> {
    let named = match text {
        None | Some("numpy") if axis.is_none() => return Ok(Rule::numpy()),
        None => Rule::new("numpy", Params { axis, ..Params::default() }),
        Some(name) if !name.contains(' ') => Rule::new(name, Params { axis, ..Params::default() }),
        Some(text) => text.parse().and_then(|rule: Rule| match axis {
            Some(_) => Rule::new(rule.name(), Params { axis, ..rule.params().clone() }),
            None => Ok(rule),
        }),
    };
    named.map_err(|error| of_shapes(&error))
}
