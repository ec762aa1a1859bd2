//! Operators of frameworks, as functions with the framework's names and attributes.

use std::sync::atomic::{AtomicUsize, Ordering};

use broadaxe::{
    Graph, System,
    call::Function,
    frameworks::{self, Arg, Attribute},
};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyDict, PyDictMethods, PyTuple},
};

use crate::{
    builder::{GraphBuilder, attribute},
    error::raised,
    once::{Global, Word},
    path::{self, FRAMEWORK, Lowered, Objects, Words},
};

// An operator of a framework, such as `broadaxe.onnx.Add`. Without documentation of the class each has its own.
#[pyclass(frozen, module = "broadaxe", name = "FrameworkOperator")]
pub(crate) struct FrameworkOperator {
    system: System,
    name: String,
    documentation: String,
    signature: Py<PyAny>,
    /// Tells its calls from those of others.
    number: usize,
}

#[pymethods]
impl FrameworkOperator {
    #[new]
    #[pyo3(text_signature = None)]
    fn new(system: &str, name: String, documentation: String, signature: Py<PyAny>) -> PyResult<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let found = System::CALLED.into_iter().find(|known| known.name() == system);
        let system = found.ok_or_else(|| PyValueError::new_err(format!("unknown framework '{system}'")))?;
        Ok(Self { system, name, documentation, signature, number: NEXT.fetch_add(1, Ordering::Relaxed) })
    }

    #[pyo3(signature = (*operands, **attributes))]
    fn __call__<'py>(
        &self,
        operands: &Bound<'py, PyTuple>,
        attributes: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(answer) = self.at_once(operands, attributes)? {
            return Ok(answer);
        }
        let attributes = attributes.map_or_else(|| Ok(PyDict::new(operands.py())), PyDictMethods::copy)?;
        self.of_package(operands.clone(), attributes, None)
    }

    #[getter]
    fn __name__(&self) -> &str {
        &self.name
    }

    #[getter]
    fn __qualname__(&self) -> &str {
        &self.name
    }

    #[getter]
    fn __module__(&self) -> String {
        format!("broadaxe.{}", self.system.name())
    }

    #[getter]
    fn __doc__(&self) -> &str {
        &self.documentation
    }

    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.signature.bind(py).clone()
    }

    fn __repr__(&self) -> String {
        format!("<operator '{}' of {}>", self.name, self.system.name())
    }

    fn __reduce__(&self) -> &str {
        &self.name
    }
}

impl FrameworkOperator {
    /// Answers a call on plain arrays and numbers; `None` for any other.
    fn at_once<'py>(
        &self,
        operands: &Bound<'py, PyTuple>,
        given: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = operands.py();
        let Some(Keywords { out, words, attributes }) = Keywords::read(py, given)? else { return Ok(None) };
        let out = match out.as_ref().map(path::look_out).transpose()? {
            Some(None) => return Ok(None),
            out => out.flatten(),
        };
        let objects: Objects<'_, 'py> = operands.iter_borrowed().collect();
        let mut lowered = Lowered {
            function: Function::numbered(FRAMEWORK, self.number),
            rule: None,
            words,
            is_long: false,
            is_row_major: false,
            explain: &raised,
        };
        let lower = |graph: &mut Graph, args: &[Arg]| {
            let attributes: Vec<(&str, Attribute)> =
                attributes.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
            Ok(frameworks::call(graph, self.system, &self.name, args, &attributes)?)
        };
        lowered.spelled(py, &objects, (out, false), lower, |operands, builder| {
            let attributes = given.map_or_else(|| Ok(PyDict::new(py)), PyDictMethods::copy)?;
            self.of_package(PyTuple::new(py, operands)?, attributes, Some(builder))
        })
    }

    /// Lets the package answer a call.
    fn of_package<'py>(
        &self,
        operands: Bound<'py, PyTuple>,
        attributes: Bound<'py, PyDict>,
        builder: Option<Bound<'py, GraphBuilder>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static CALL: Global = Global::new("broadaxe._frameworks", "call");
        let out = attributes.get_item("out")?;
        if out.is_some() {
            attributes.del_item("out")?;
        }
        CALL.get(operands.py())?.call1((self.system.name(), &self.name, operands, attributes, out, builder))
    }
}

/// The keywords of a call.
struct Keywords<'py> {
    out: Option<Bound<'py, PyAny>>,
    attributes: Vec<(String, Attribute)>,
    /// The attributes, as a part of what a plan depends on.
    words: Words,
}

impl<'py> Keywords<'py> {
    /// Reads keywords; `None` where the package has to read one, such as a number of NumPy's.
    fn read(py: Python<'py>, given: Option<&Bound<'py, PyDict>>) -> PyResult<Option<Self>> {
        static OUT: Word = Word::new("out");
        let mut said = Self { out: None, attributes: Vec::new(), words: Words::new() };
        for (key, value) in given.into_iter().flatten().filter(|(_, value)| !value.is_none()) {
            if key.is(OUT.get(py)) {
                said.out = Some(value);
                continue;
            }
            let Ok(value) = attribute(&value) else { return Ok(None) };
            // `lambda_` is the attribute `lambda`, a word that Python keeps for itself.
            let name = key.extract::<String>()?.trim_end_matches('_').to_owned();
            note(&mut said.words, &name, &value);
            said.attributes.push((name, value));
        }
        Ok(Some(said))
    }
}

/// Writes an attribute as words.
fn note(words: &mut Words, name: &str, value: &Attribute) {
    let mut text = |text: &str| {
        words.push(text.len());
        words.extend(text.as_bytes().chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word) as usize
        }));
    };
    text(name);
    match value {
        Attribute::Text(value) => {
            text(value);
            words.push(1);
        }
        Attribute::Int(value) => words.extend([2, *value as usize]),
        Attribute::Float(value) => words.extend([3, value.to_bits() as usize]),
        Attribute::Bool(value) => words.extend([4, usize::from(*value)]),
        Attribute::Floats(values) => {
            words.extend([6, values.len()]);
            words.extend(values.iter().map(|value| value.to_bits() as usize));
        }
        Attribute::Ints(values) => {
            words.extend([5, values.len()]);
            words.extend(values.iter().map(|&value| value as usize));
        }
    }
}
