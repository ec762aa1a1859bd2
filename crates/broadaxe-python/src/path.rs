//! The fast path of a call: reads operands, finds the call planned for their layouts, and runs it.
//!
//! Operators, expressions, frameworks' operators and reductions differ in how they plan only. What is planned is kept by
//! [`broadaxe::call::cached`].

use std::sync::Arc;

use broadaxe::{
    Call, DType, Error, Graph, Input, Node, Rule,
    call::{Function, Key, Layout, cached},
    frameworks::Arg,
    promote::Literal,
};
use broadaxe_kernels::Progress;
use pyo3::{Borrowed, exceptions::PyValueError, prelude::*};
use smallvec::SmallVec;

use crate::{
    array::{self, Lent, Strided},
    error::{Answer, raised},
    number, order,
    watch::{self, Discarded},
};

/// The number of operands that are read without an allocation.
const INLINE: usize = 4;

/// Objects of a call, which its caller keeps alive.
pub(crate) type Objects<'a, 'py> = SmallVec<[Borrowed<'a, 'py, PyAny>; INLINE]>;

/// The operands of a call that have a layout: arrays, and numbers that are read as elements.
///
/// The first few lie in place; where there are more, all are in lists.
pub(crate) struct Operands<'a, 'py> {
    count: usize,
    layouts: [Layout<'a>; INLINE],
    inputs: [Input<'a>; INLINE],
    /// The arrays; `None` for a number.
    arrays: [Option<&'a Bound<'py, PyAny>>; INLINE],
    many: Many<'a, 'py>,
}

/// As [`Operands`], for any number of them.
type Many<'a, 'py> = (Vec<Layout<'a>>, Vec<Input<'a>>, Vec<Option<&'a Bound<'py, PyAny>>>);

impl<'a, 'py> Operands<'a, 'py> {
    #[inline]
    pub(crate) fn new() -> Self {
        let nothing = Layout { dtype: DType::Bool, shape: &[], strides: &[] };
        Self {
            count: 0,
            layouts: [nothing; INLINE],
            inputs: [Input::new(&[], 0); INLINE],
            arrays: [None; INLINE],
            many: (Vec::new(), Vec::new(), Vec::new()),
        }
    }

    /// Adds an array.
    #[inline]
    pub(crate) fn push(&mut self, object: &'a Bound<'py, PyAny>, array: &Strided<'a>) {
        self.add(array.layout(), array.input(), Some(object));
    }

    /// Adds an element, which is read as an array of rank 0.
    #[inline]
    pub(crate) fn push_element(&mut self, dtype: DType, bytes: &'a [u8; 8]) {
        self.add(Layout { dtype, shape: &[], strides: &[] }, Input::new(bytes, 0), None);
    }

    /// Adds a number, whose element is [set](Self::set_element) later.
    #[inline]
    pub(crate) fn push_number(&mut self) {
        self.add(Layout { dtype: DType::Bool, shape: &[], strides: &[] }, Input::new(&[], 0), None);
    }

    #[inline]
    fn add(&mut self, layout: Layout<'a>, input: Input<'a>, array: Option<&'a Bound<'py, PyAny>>) {
        if self.count >= INLINE {
            return self.add_to_many(layout, input, array);
        }
        (self.layouts[self.count], self.inputs[self.count], self.arrays[self.count]) = (layout, input, array);
        self.count += 1;
    }

    #[cold]
    fn add_to_many(&mut self, layout: Layout<'a>, input: Input<'a>, array: Option<&'a Bound<'py, PyAny>>) {
        if self.count == INLINE {
            self.many = (self.layouts.to_vec(), self.inputs.to_vec(), self.arrays.to_vec());
        }
        self.many.0.push(layout);
        self.many.1.push(input);
        self.many.2.push(array);
        self.count += 1;
    }

    /// Makes the number that was added in this place, one of the first few, an element.
    #[inline]
    pub(crate) fn set_element(&mut self, place: usize, dtype: DType, bytes: &'a [u8; 8]) {
        self.layouts[place] = Layout { dtype, shape: &[], strides: &[] };
        self.inputs[place] = Input::new(bytes, 0);
    }

    #[inline]
    pub(crate) fn layouts(&self) -> &[Layout<'a>] {
        self.layouts.get(..self.count).unwrap_or(&self.many.0)
    }

    #[inline]
    fn inputs(&self) -> &[Input<'a>] {
        self.inputs.get(..self.count).unwrap_or(&self.many.1)
    }

    fn arrays(&self) -> &[Option<&'a Bound<'py, PyAny>>] {
        self.arrays.get(..self.count).unwrap_or(&self.many.2)
    }

    /// Looks at the arrays again; `None` where one is not a plain array any more.
    fn look_again(&self) -> Option<Self> {
        let mut again = Self::new();
        for ((layout, input), array) in self.layouts().iter().zip(self.inputs()).zip(self.arrays()) {
            match array {
                Some(object) => again.push(object, &array::look(object)?),
                None => again.add(*layout, *input, None),
            }
        }
        Some(again)
    }
}

/// An array that a result is written to.
#[derive(Clone, Copy)]
pub(crate) struct Out<'a, 'py> {
    pub(crate) object: &'a Bound<'py, PyAny>,
    pub(crate) array: Strided<'a>,
}

/// Why there is no call.
pub(crate) enum Stop {
    /// The quick path does not do this, such as a cast of the result to the dtype of `out`.
    Unfit,
    Engine(Error),
    Raised(Box<PyErr>),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl From<PyErr> for Stop {
    fn from(error: PyErr) -> Self {
        Self::Raised(Box::new(error))
    }
}

/// A request: a function over operands, and the destination of its result.
pub(crate) struct Question<'q, 'a, 'py> {
    pub(crate) function: Function,
    /// `None` where the function has only one.
    pub(crate) rule: Option<&'q Rule>,
    /// Whatever else the plan depends on.
    pub(crate) words: &'q [usize],
    pub(crate) operands: &'q Operands<'a, 'py>,
    pub(crate) out: Option<Out<'a, 'py>>,
}

impl<'a, 'py> Question<'_, 'a, 'py> {
    /// Runs the call that was planned for this question, planned now if need be; `None` where the quick path does not do this.
    ///
    /// `plan` makes the call, whose result has strides that `place` chooses.
    pub(crate) fn answer(
        &self,
        py: Python<'py>,
        plan: impl FnOnce(&[Layout<'_>], Place<'_>) -> Result<Call, Stop>,
    ) -> Answer<Option<Bound<'py, PyAny>>> {
        let out = self.out.map(|out| out.array.layout());
        let key = self.key(self.operands, out);
        let plan = || {
            let call = plan(self.operands.layouts(), Place(out))?;
            let fits = |out: Layout<'_>| out.shape == call.shape() && out.dtype == call.dtype();
            if out.is_none_or(fits) { Ok(call) } else { Err(Stop::Unfit) }
        };
        match cached(&key, plan, |call| self.run(py, call)) {
            Ok(answer) => answer.map(Some),
            Err(Stop::Unfit) => Ok(None),
            Err(Stop::Engine(error)) => Err(Box::new(raised(&error))),
            Err(Stop::Raised(error)) => Err(error),
        }
    }

    fn key<'k>(&'k self, operands: &'k Operands<'_, '_>, out: Option<Layout<'k>>) -> Key<'k> {
        Key { function: self.function, rule: self.rule, words: self.words, operands: operands.layouts(), out }
    }

    fn run(&self, py: Python<'py>, call: &Arc<Call>) -> Answer<Bound<'py, PyAny>> {
        if call.nanos() < watch::RELEASE_GIL_NANOS {
            return run(py, call, self.operands, self.out).map_err(Box::new);
        }
        let arrays = self.operands.arrays().iter().copied().flatten();
        let _held = array::held(arrays.chain(self.out.map(|out| out.object)));
        // Holding may run code of Python's, which may change an array. What is looked at now stays.
        let (operands, out) = self.look_again(call)?;
        run(py, call, &operands, out).map_err(Box::new)
    }

    /// Looks at all arrays again, and checks that the call is still theirs.
    fn look_again(&self, call: &Arc<Call>) -> Answer<(Operands<'a, 'py>, Option<Out<'a, 'py>>)> {
        let changed =
            || Box::new(PyValueError::new_err("an array was changed by other code while a call began to use it"));
        let operands = self.operands.look_again().ok_or_else(changed)?;
        let out = match self.out.map(|out| look_out(out.object)) {
            Some(out) => Some(out.map_err(Box::new)?.ok_or_else(changed)?),
            None => None,
        };
        let key = self.key(&operands, out.map(|out| out.array.layout()));
        let is_same = cached(&key, || Err(()), |found| Arc::ptr_eq(found, call)) == Ok(true);
        if is_same { Ok((operands, out)) } else { Err(changed()) }
    }
}

/// Runs a call over operands, which are held during long runs.
///
/// # Errors
/// What comes of the work; `MemoryError` for a new result beyond the budget.
pub(crate) fn run<'py>(
    py: Python<'py>,
    call: &Call,
    operands: &Operands<'_, 'py>,
    out: Option<Out<'_, 'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    let work = |target: &Strided<'_>| {
        if call.nanos() < watch::RELEASE_GIL_NANOS {
            return call.run(operands.inputs(), target.output(), None).map_err(|error| raised(&error));
        }
        let (inputs, output) = (operands.inputs(), Lent::new(target.output()));
        let work = |progress: Option<Progress<'_>>| call.run(inputs, output.take(), progress);
        watch::run(py, call.nanos(), work)?.map_err(|error| raised(&error))
    };
    if let Some(out) = out {
        work(&out.array)?;
        return Ok(out.object.clone());
    }
    call.check_budget().map_err(|error| raised(&error))?;
    let strides = if call.is_row_major() { None } else { Some(call.strides()) };
    let made = array::allocate(py, call.dtype(), call.shape(), strides)?;
    work(&Strided::new_one(&made, call.dtype(), call.shape(), call.strides()))?;
    array::scalar(made, call.shape().len())
}

/// Kinds of functions that are numbered here, for [`Function::numbered`].
pub(crate) const EXPRESSION: u8 = 0;
pub(crate) const FRAMEWORK: u8 = 1;
pub(crate) const REDUCTION: u8 = 2;

/// Chooses the strides of a result: those of the array that it is written to, or in the order of the operands.
pub(crate) struct Place<'a>(Option<Layout<'a>>);

impl Place<'_> {
    pub(crate) fn strides(&self, dtype: DType, shape: &[usize], operands: &[Vec<isize>]) -> Vec<isize> {
        match self.0 {
            // Another shape or dtype is found when the call is made.
            Some(out) if out.shape == shape && out.dtype == dtype => out.strides.to_vec(),
            _ => order::alike(dtype.size(), shape, operands),
        }
    }
}

/// The words of numbers among operands.
pub(crate) type Words = SmallVec<[usize; 12]>;

/// Writes a number as words.
pub(crate) fn note(words: &mut Words, literal: Literal) {
    match literal {
        Literal::Bool(value) => words.extend([1, usize::from(value)]),
        Literal::Int(value) => words.extend([2, value as usize, (value >> 64) as usize]),
        Literal::Float(value) => words.extend([3, value.to_bits() as usize]),
    }
}

/// A function over plain arrays and numbers that is lowered to a graph.
pub(crate) struct Lowered<'q> {
    pub(crate) function: Function,
    pub(crate) rule: Option<&'q Rule>,
    /// Whatever else the graph depends on; numbers among the operands are added.
    pub(crate) words: Words,
    /// Whether planning may take long, so that signals should end it.
    pub(crate) is_long: bool,
    /// Whether a new result is row-major, in whatever order the operands are.
    pub(crate) is_row_major: bool,
    /// Makes an exception of the engine's error.
    pub(crate) explain: &'q dyn Fn(&Error) -> PyErr,
}

impl Lowered<'_> {
    /// Answers a call; `None` where an operand is neither a plain array, a scalar nor a number, or `out` does not fit the result.
    pub(crate) fn answer<'a, 'py>(
        &mut self,
        py: Python<'py>,
        objects: &'a [Borrowed<'_, 'py, PyAny>],
        out: Option<Out<'a, 'py>>,
        lower: impl Send + FnOnce(&mut Graph, &[Arg]) -> Result<Node, Stop>,
    ) -> Answer<Option<Bound<'py, PyAny>>> {
        let mut scalars = SmallVec::<[[u8; 8]; INLINE]>::from_elem([0; 8], objects.len());
        let mut operands = Operands::new();
        let Some(literals) = self.read(objects, &mut operands, &mut scalars)? else { return Ok(None) };
        self.answer_read(py, &operands, &literals, out, lower)
    }

    /// As [`Lowered::answer`], of plain arrays that were looked at.
    pub(crate) fn answer_arrays<'py>(
        mut self,
        py: Python<'py>,
        operands: &Operands<'_, 'py>,
        out: Option<Out<'_, 'py>>,
        lower: impl Send + FnOnce(&mut Graph, &[Arg]) -> Result<Node, Stop>,
    ) -> Answer<Option<Bound<'py, PyAny>>> {
        let count = operands.arrays().len();
        self.words.extend(std::iter::repeat_n(0, count));
        self.answer_read(py, operands, &Literals::from_elem(None, count), out, lower)
    }

    fn answer_read<'a, 'py>(
        &self,
        py: Python<'py>,
        operands: &Operands<'a, 'py>,
        literals: &[Option<Literal>],
        out: Option<Out<'a, 'py>>,
        lower: impl Send + FnOnce(&mut Graph, &[Arg]) -> Result<Node, Stop>,
    ) -> Answer<Option<Bound<'py, PyAny>>> {
        let Self { function, rule, words, is_long, is_row_major, explain } = self;
        let question = Question { function: *function, rule: *rule, words, operands, out };
        question.answer(py, |layouts, place| {
            let plan = || {
                let (mut long, mut short) = (Discarded(is_long.then(Graph::new)), Graph::new());
                let graph = long.0.as_mut().unwrap_or(&mut short);
                let mut nodes = graph.inputs_of(layouts)?.into_iter();
                let arg = |literal: &Option<Literal>| match *literal {
                    None => nodes.next().map(Arg::Node),
                    Some(literal) => Some(Arg::Weak(literal)),
                };
                let args: Vec<Arg> = literals.iter().filter_map(arg).collect();
                let root = lower(graph, &args)?;
                let place = |dtype, shape: &[usize], operands: &[Vec<isize>]| {
                    place.strides(dtype, shape, if *is_row_major { &[] } else { operands })
                };
                Ok(Call::of(graph, root, layouts, place)?)
            };
            let planned = if *is_long { watch::stoppable(py, plan)? } else { plan() };
            planned.map_err(|stop| match stop {
                Stop::Engine(error) => Stop::Raised(Box::new(explain(&error))),
                stop => stop,
            })
        })
    }

    /// Reads operands, of which numbers are returned and become words; `None` where one is neither a plain array, a scalar nor a number.
    fn read<'a, 'py>(
        &mut self,
        objects: &'a [Borrowed<'_, 'py, PyAny>],
        operands: &mut Operands<'a, 'py>,
        scalars: &'a mut [[u8; 8]],
    ) -> Answer<Option<Literals>> {
        let mut literals = Literals::new();
        for (object, scalar) in objects.iter().zip(scalars) {
            if let Some(array) = array::look(object) {
                operands.push(object, &array);
                self.words.push(0);
                literals.push(None);
            } else if let Some((dtype, element)) = array::element_of(object) {
                *scalar = element;
                operands.push_element(dtype, scalar);
                self.words.push(0);
                literals.push(None);
            } else if let Some(literal) = number::read(object).map_err(Box::new)? {
                note(&mut self.words, literal);
                literals.push(Some(literal));
            } else {
                return Ok(None);
            }
        }
        Ok(Some(literals))
    }
}

/// The numbers among operands; `None` for an array.
type Literals = SmallVec<[Option<Literal>; INLINE]>;

/// Looks at the array that a result is to be written to; `None` where it is not a plain one.
///
/// # Errors
/// `ValueError` for one that is read-only.
pub(crate) fn look_out<'a, 'py>(object: &'a Bound<'py, PyAny>) -> PyResult<Option<Out<'a, 'py>>> {
    let Some(array) = array::look(object) else { return Ok(None) };
    if !array.is_writeable {
        return Err(PyValueError::new_err("output array is read-only"));
    }
    Ok(Some(Out { object, array }))
}
