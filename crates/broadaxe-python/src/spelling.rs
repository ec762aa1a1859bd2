//! Brings the spellings of a call to one form: plain arrays and numbers, a mask, an output, and words for all that is said besides.
//!
//! The words are a part of what a plan is kept for. The first call of a spelling is answered by the package, which decides what it
//! means; the plan that it builds then answers the later ones, whatever their elements.

use broadaxe::{DType, Graph, Node, Rule, frameworks::Arg};
use pyo3::{
    Borrowed,
    prelude::*,
    types::{PyBool, PyDict, PyString, PyTuple},
};
use smallvec::SmallVec;

use crate::{
    array,
    builder::GraphBuilder,
    error::caught_small,
    number,
    once::Word,
    path::{Lowered, Objects, Out, Stop, Words},
};

/// Operands that are plain arrays and numbers.
pub(crate) type Plain<'py> = SmallVec<[Bound<'py, PyAny>; 4]>;

/// Makes plain arrays of scalars of NumPy's and of lists; `None` where an operand is none of these, nor an array, nor a number.
pub(crate) fn plain<'a, 'py: 'a>(objects: impl IntoIterator<Item = Borrowed<'a, 'py, PyAny>>) -> Option<Plain<'py>> {
    let one = |object: Borrowed<'a, 'py, PyAny>| {
        if array::is_plain(&object) || matches!(number::read(&object), Ok(Some(_))) {
            return Some(object.to_owned());
        }
        array::adopt(&object)
    };
    objects.into_iter().map(one).collect()
}

const CASTINGS: [&str; 5] = ["same_kind", "no", "equiv", "safe", "unsafe"];
const ORDERS: [&str; 3] = ["K", "C", "F"];

/// Begins the words of a call that says more than its operands; no words of operands begin with it.
const SAID: usize = usize::MAX;

/// What a call says besides its operands.
#[derive(Default)]
pub(crate) struct Said<'py> {
    /// A plain array of bools.
    pub(crate) mask: Option<Bound<'py, PyAny>>,
    /// A plain array.
    pub(crate) out: Option<Bound<'py, PyAny>>,
    pub(crate) dtype: Option<DType>,
    /// Places in [`CASTINGS`] and [`ORDERS`].
    casting: u8,
    order: u8,
}

/// The keywords that every spelling is read from.
pub(crate) struct Names {
    pub(crate) out: Word,
    pub(crate) axis: Word,
    mask: Word,
    dtype: Word,
    casting: Word,
    order: Word,
    subok: Word,
}

pub(crate) static NAMES: Names = Names {
    out: Word::new("out"),
    axis: Word::new("axis"),
    mask: Word::new("where"),
    dtype: Word::new("dtype"),
    casting: Word::new("casting"),
    order: Word::new("order"),
    subok: Word::new("subok"),
};

impl<'py> Said<'py> {
    /// Reads a keyword of an operator; `None` where it is another one, or its value is for the package to judge.
    pub(crate) fn read(&mut self, key: &Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> Option<()> {
        let py = key.py();
        if key.is(NAMES.casting.get(py)) || key.is(NAMES.order.get(py)) {
            return self.read_result(key, value);
        }
        if key.is(NAMES.subok.get(py)) {
            return value.is_exact_instance_of::<PyBool>().then_some(());
        }
        self.read_fold(key, value)
    }

    /// Reads a keyword that operators and reductions have.
    pub(crate) fn read_fold(&mut self, key: &Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> Option<()> {
        let py = key.py();
        if key.is(NAMES.out.get(py)) {
            return match value.cast_exact::<PyTuple>() {
                Ok(one) if one.len() == 1 => self.read_out(&one.get_item(0).ok()?),
                _ => self.read_out(value),
            };
        } else if key.is(NAMES.mask.get(py)) {
            if !value.is_exact_instance_of::<PyBool>() {
                self.mask = Some(mask(value)?);
            } else if !value.is_truthy().ok()? {
                return None;
            }
        } else if key.is(NAMES.dtype.get(py)) {
            self.dtype = if value.is_none() { None } else { Some(array::dtype(value)?) };
        } else {
            return None;
        }
        Some(())
    }

    /// Reads a keyword about the result only: its output, order or casting.
    pub(crate) fn read_result(&mut self, key: &Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> Option<()> {
        let py = key.py();
        if key.is(NAMES.out.get(py)) {
            return self.read_out(value);
        } else if key.is(NAMES.casting.get(py)) {
            return self.read_casting(value);
        }
        key.is(NAMES.order.get(py)).then(|| self.read_order(value))?
    }

    pub(crate) fn read_casting(&mut self, value: &Bound<'py, PyAny>) -> Option<()> {
        self.casting = choice(value, &CASTINGS)?;
        Some(())
    }

    pub(crate) fn read_order(&mut self, value: &Bound<'py, PyAny>) -> Option<()> {
        self.order = if value.is_none() { 0 } else { choice(value, &ORDERS)? };
        Some(())
    }

    /// Reads an output; `None` where there was one, or it is not a plain array.
    pub(crate) fn read_out(&mut self, value: &Bound<'py, PyAny>) -> Option<()> {
        if value.is_none() {
            return Some(());
        }
        let is_first = self.out.is_none() && array::is_plain(value);
        self.out = Some(value.clone());
        is_first.then_some(())
    }

    /// Returns what is said of the result as keywords.
    pub(crate) fn names(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let given = PyDict::new(py);
        given.set_item(NAMES.out.get(py), &self.out)?;
        given.set_item(NAMES.order.get(py), ORDERS[usize::from(self.order)])?;
        given.set_item(NAMES.casting.get(py), CASTINGS[usize::from(self.casting)])?;
        Ok(given)
    }

    /// Says whether the call says no more than its output.
    pub(crate) fn is_plain(&self) -> bool {
        self.mask.is_none() && self.dtype.is_none() && (self.casting, self.order) == (0, 0)
    }

    /// Says whether elements of the output are read, those that the mask leaves.
    pub(crate) fn reads_out(&self) -> bool {
        self.mask.is_some() && self.out.is_some()
    }

    /// Writes what is said as words; none where it is no more than the output.
    pub(crate) fn write(&self, words: &mut Words) {
        if self.is_plain() {
            return;
        }
        let dtype = self.dtype.map_or(0, |dtype| 1 + dtype as usize);
        words.extend([SAID, dtype, self.casting.into(), self.order.into(), usize::from(self.mask.is_some())]);
    }

    /// Lists the operands with what is read as operands are: the mask, and the output where it `reads_out`.
    pub(crate) fn objects<'a>(&'a self, operands: &'a [Bound<'py, PyAny>], reads_out: bool) -> Objects<'a, 'py> {
        let out = self.out.iter().filter(|_| reads_out);
        operands.iter().chain(&self.mask).chain(out).map(Bound::as_borrowed).collect()
    }
}

/// Reads a mask; `None` where it is not an array or a list of bools.
fn mask<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let made = if array::is_plain(value) { value.clone() } else { array::adopt(value)? };
    let is_mask = array::look(&made)?.dtype == DType::Bool;
    is_mask.then_some(made)
}

/// Finds a word in a list.
fn choice(value: &Bound<'_, PyAny>, words: &[&str]) -> Option<u8> {
    let word = value.cast_exact::<PyString>().ok()?.to_str().ok()?;
    words.iter().position(|&known| known == word)?.try_into().ok()
}

impl Lowered<'_> {
    /// As [`Lowered::answer`], of what plain arrays can be made of too; where `lower` does not do it, `package` answers the call, and the
    /// plan of its builder is kept.
    ///
    /// `package` is given the operands, each an object of its own, and a builder, of which the arrays among them are the first inputs.
    /// Where `reads_out`, the last operand is the output itself. `None` where a class or the package has to judge an operand.
    pub(crate) fn spelled<'py>(
        &mut self,
        py: Python<'py>,
        objects: &[Borrowed<'_, 'py, PyAny>],
        (out, reads_out): (Option<Out<'_, 'py>>, bool),
        lower: impl Copy + Send + FnOnce(&mut Graph, &[Arg]) -> Result<Node, Stop>,
        package: impl FnOnce(Vec<Bound<'py, PyAny>>, Bound<'py, GraphBuilder>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let said = self.words.len();
        if let Some(answer) = caught_small(|| self.answer(py, objects, out, lower)).map_err(|error| *error)? {
            return Ok(Some(answer));
        }
        let Some(operands) = plain(objects.iter().copied()) else { return Ok(None) };
        let plain: Objects<'_, 'py> = operands.iter().map(Bound::as_borrowed).collect();
        if plain.iter().zip(objects).any(|(plain, object)| !plain.is(object)) {
            self.words.truncate(said);
            if let Some(answer) = caught_small(|| self.answer(py, &plain, out, lower)).map_err(|error| *error)? {
                return Ok(Some(answer));
            }
        }
        self.record(py, &operands, (out.map(|out| out.object), reads_out), package).map(Some)
    }

    /// Lets the package answer a call whose operands were read, and keeps its plan.
    #[cold]
    fn record<'py>(
        &self,
        py: Python<'py>,
        operands: &[Bound<'py, PyAny>],
        (out, reads_out): (Option<&Bound<'py, PyAny>>, bool),
        package: impl FnOnce(Vec<Bound<'py, PyAny>>, Bound<'py, GraphBuilder>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut passed: Vec<Bound<'py, PyAny>> = Vec::with_capacity(operands.len());
        let mut builder = GraphBuilder::under(self.rule.cloned().unwrap_or_else(Rule::numpy));
        for (k, object) in operands.iter().enumerate() {
            let mut object = object.clone();
            if array::is_plain(&object) {
                let is_out = reads_out && k + 1 == operands.len();
                if !is_out && passed.iter().chain(out).any(|known| known.is(&object)) {
                    object = object.call_method0("view")?;
                }
                builder.put(&object)?;
            }
            passed.push(object);
        }
        builder.record(self.function, self.rule.cloned(), self.words.clone());
        let builder = Bound::new(py, builder)?;
        package(passed, builder)
    }
}
