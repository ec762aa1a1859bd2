//! The Python package `broadaxe`: the engine over NumPy's memory.
//!
//! Python sees one extension module, `broadaxe._broadaxe`. Calls of operators, expressions, frameworks' operators and reductions on
//! plain arrays are handled here in one step ([`operator`], [`path`]), because their overhead matters. The Python files of the package
//! read arrays of other libraries, and decide what a [`spelling`] with a mask or a cast means when it is called first. They build a
//! [`builder`], a graph over borrowed arrays, whose plan answers later calls of that spelling. The Python files contain no tables: names, dtypes, documentation and frameworks come from the engine ([`tables`]).

// Objects of Python are passed as its interpreter passes them.
#![allow(clippy::needless_pass_by_value)]
// The texts put together here are short, and read best as they will be read.
#![allow(clippy::format_push_string)]

mod error;
mod once;
mod array;
mod order;
mod rule;
mod number;
mod watch;
mod facts;
mod path;
mod steps;
mod builder;
mod spelling;
mod compiled;
mod function;
mod reduction;
mod operator;
mod told;
mod shapes;
mod models;
mod tables;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _broadaxe {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use super::builder::{Expression, GraphBuilder, Value};
    #[pymodule_export]
    use super::operator::Operator;
    #[pymodule_export]
    use super::told::Told;
    #[pymodule_export]
    use super::{
        array::{is_plain, set_bfloat16},
        models::{ask_model, ask_rules, targets},
        shapes::{broadcast_shapes, command_line, place, unbroadcast},
        tables::{
            aliases, dtypes, frameworks, joining, memory_budget, num_threads, operators, reductions, rule_names,
            rule_of, rules, set_num_threads, target_names,
        },
    };
    #[pymodule_export]
    use super::{
        compiled::{Compiled, at_once},
        function::FrameworkOperator,
        reduction::Folds,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // NumPy's functions are found and the loader's lock is taken now: a fork meanwhile would leave a child that waits for them.
        super::array::is_plain(module.as_any());
        super::array::reserve::prepare()?;
        broadaxe_kernels::Isa::available();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
