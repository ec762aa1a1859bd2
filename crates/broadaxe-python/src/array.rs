//! Borrows and makes arrays of NumPy. The only module of this crate with unsafe code.
//!
//! NumPy's C interface is asked for as little as a call needs. Elements are never referred to, only addressed: another thread of
//! Python may write them while they are read. What is borrowed of an array lives as long as the reference to it, and the shape
//! of an array is read before Python's lock is given up.

// Said for the module of a test, which has this file from another folder.
#[path = "array/reserve.rs"]
pub(crate) mod reserve;

use std::{
    ffi::{c_int, c_long, c_void},
    slice,
    sync::atomic::{AtomicI32, Ordering},
};

use broadaxe::{DType, Input, Output, call::Layout};
use numpy::{
    PyArrayDescr, PyArrayDescrMethods,
    npyffi::{self, NpyTypes, PY_ARRAY_API, PyArrayObject},
};
use pyo3::{
    ffi,
    prelude::*,
    types::{PyBool, PyFloat, PyInt, PyList, PyTuple, PyWeakrefReference},
};

/// NumPy's number for the bfloat16 of `ml_dtypes`; below 0 as long as that is not imported.
static BFLOAT16: AtomicI32 = AtomicI32::new(-1);

/// NumPy's numbers for its own dtypes, where ours has one for it.
const NUMBERS: [(c_int, DType); 14] = [
    (0, DType::Bool),
    (1, DType::I8),
    (2, DType::U8),
    (3, DType::I16),
    (4, DType::U16),
    (5, DType::I32),
    (6, DType::U32),
    (7, C_LONG.0),
    (8, C_LONG.1),
    (9, DType::I64),
    (10, DType::U64),
    (11, DType::F32),
    (12, DType::F64),
    (23, DType::F16),
];

/// What C's `long` is on this machine, signed and unsigned.
const C_LONG: (DType, DType) =
    if size_of::<c_long>() == 8 { (DType::I64, DType::U64) } else { (DType::I32, DType::U32) };

/// Tells which of NumPy's dtypes is bfloat16.
#[pyfunction]
pub(crate) fn set_bfloat16(dtype: &Bound<'_, PyArrayDescr>) {
    BFLOAT16.store(dtype.num(), Ordering::Relaxed);
}

fn dtype_of(number: c_int) -> Option<DType> {
    const TABLE: [Option<DType>; 24] = {
        let mut table = [None; 24];
        let mut i = 0;
        while i < NUMBERS.len() {
            table[NUMBERS[i].0 as usize] = Some(NUMBERS[i].1);
            i += 1;
        }
        table
    };
    match usize::try_from(number) {
        Ok(at) if at < TABLE.len() => TABLE[at],
        Ok(_) if number == BFLOAT16.load(Ordering::Relaxed) => Some(DType::BF16),
        _ => None,
    }
}

/// Returns NumPy's number for a dtype; that of C's `long` where there are two, as NumPy has it.
fn number_of(dtype: DType) -> c_int {
    match NUMBERS.iter().find(|(_, known)| *known == dtype) {
        _ if dtype == C_LONG.0 => 7,
        _ if dtype == C_LONG.1 => 8,
        Some((number, _)) => *number,
        None => BFLOAT16.load(Ordering::Relaxed),
    }
}

/// Reads what NumPy accepts as a dtype; `None` where that is none of ours.
pub(crate) fn dtype(object: &Bound<'_, PyAny>) -> Option<DType> {
    dtype_of(PyArrayDescr::new(object.py(), object).ok()?.num())
}

/// Where the elements of an array lie.
#[derive(Clone, Copy)]
pub(crate) struct Strided<'a> {
    pub(crate) dtype: DType,
    pub(crate) shape: &'a [usize],
    pub(crate) strides: &'a [isize],
    data: *mut u8,
    pub(crate) is_writeable: bool,
}

/// Looks at an object; `None` where it is no plain array of a dtype of ours, in the order of bytes of this machine.
#[inline]
pub(crate) fn look<'a>(object: &'a Bound<'_, PyAny>) -> Option<Strided<'a>> {
    let py = object.py();
    // SAFETY: the object is alive and the lock is held, as `py` proves.
    if unsafe { npyffi::PyArray_CheckExact(py, object.as_ptr()) } == 0 {
        return None;
    }
    // SAFETY: the object is an array, whose fields NumPy publishes; its descriptor lives as long as it.
    let (fields, descr) = unsafe {
        let fields = &(*object.as_ptr().cast::<PyArrayObject>()).fields;
        (fields, &(*fields.descr).fields)
    };
    let foreign = if cfg!(target_endian = "little") { b'>' } else { b'<' };
    if descr.byteorder as u8 == foreign {
        return None;
    }
    let rank = fields.nd as usize;
    let (shape, strides): (&[usize], &[isize]) = if rank == 0 {
        (&[], &[])
    } else {
        // SAFETY: an array of rank `nd` has as many dims and strides; dims are 0 or more, so that they read the same unsigned.
        unsafe {
            (slice::from_raw_parts(fields.dimensions.cast(), rank), slice::from_raw_parts(fields.strides.cast(), rank))
        }
    };
    let is_writeable = fields.flags & npyffi::NPY_ARRAY_WRITEABLE != 0;
    Some(Strided { dtype: dtype_of(descr.type_num)?, shape, strides, data: fields.data.cast(), is_writeable })
}

/// Says whether an object is an array that can be borrowed directly.
#[pyfunction]
pub(crate) fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    look(object).is_some()
}

/// The most lists inside each other that are read here.
const MOST_LISTS: usize = 8;

/// Makes an array of a scalar of NumPy's, or of lists of numbers; `None` for other objects, and where the array is not a plain one.
pub(crate) fn adopt<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let (py, none) = (object.py(), std::ptr::null_mut());
    // SAFETY: the object is alive and the lock is held, as `py` proves; NumPy makes an array of it, or raises.
    let made = unsafe {
        if is_scalar(object) {
            PY_ARRAY_API.PyArray_FromScalar(py, object.as_ptr(), none)
        } else if is_listed(object, MOST_LISTS) {
            PY_ARRAY_API.PyArray_FromAny(py, object.as_ptr(), none, 0, 0, 0, std::ptr::null_mut())
        } else {
            return None;
        }
    };
    // SAFETY: NumPy hands over the reference. What it raises, such as that lists differ in length, is raised again by the package.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, made) }.ok()?;
    look(&made).is_some().then_some(made)
}

/// Reads the element of a scalar of NumPy's; `None` for other objects, and for dtypes that are none of ours.
#[inline]
pub(crate) fn element_of(object: &Bound<'_, PyAny>) -> Option<(DType, [u8; 8])> {
    if !is_scalar(object) {
        return None;
    }
    let py = object.py();
    // SAFETY: the object is a scalar. NumPy hands over the reference to the descriptor, and writes as many bytes as its dtype has: at most
    // 8, as all of ours.
    unsafe {
        let descr = Bound::from_owned_ptr_or_opt(py, PY_ARRAY_API.PyArray_DescrFromScalar(py, object.as_ptr()).cast())?;
        let dtype = dtype_of(descr.cast_into_unchecked::<PyArrayDescr>().num())?;
        let mut bytes = [0; 8];
        PY_ARRAY_API.PyArray_ScalarAsCtype(py, object.as_ptr(), bytes.as_mut_ptr().cast());
        Some((dtype, bytes))
    }
}

/// Says whether an object is a scalar of NumPy's own, of no class that Python code derived from one.
fn is_scalar(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the object is alive and the lock is held, as its `py` proves.
    unsafe {
        let generic = npyffi::get_type_object(object.py(), NpyTypes::PyGenericArrType_Type);
        ffi::PyObject_TypeCheck(object.as_ptr(), generic) != 0
            && ffi::PyType_GetFlags(object.get_type_ptr()) & ffi::Py_TPFLAGS_HEAPTYPE == 0
    }
}

/// Says whether an object is a list or a tuple of numbers, or of such lists.
fn is_listed(object: &Bound<'_, PyAny>, depth: usize) -> bool {
    let number = |one: &Bound<'_, PyAny>| {
        one.is_exact_instance_of::<PyFloat>()
            || one.is_exact_instance_of::<PyInt>()
            || one.is_exact_instance_of::<PyBool>()
    };
    let listed = |one: Bound<'_, PyAny>| number(&one) || depth > 0 && is_listed(&one, depth - 1);
    if let Ok(list) = object.cast_exact::<PyList>() {
        return list.iter().all(listed);
    }
    object.cast_exact::<PyTuple>().is_ok_and(|tuple| tuple.iter().all(listed))
}

impl<'a> Strided<'a> {
    /// Looks at an array that [`allocate`] made so.
    pub(crate) fn new_one(
        array: &'a Bound<'_, PyAny>,
        dtype: DType,
        shape: &'a [usize],
        strides: &'a [isize],
    ) -> Strided<'a> {
        // SAFETY: `allocate` makes arrays only, and its caller hands over what it asked for.
        let data = unsafe { (*array.as_ptr().cast::<PyArrayObject>()).fields.data };
        Self { dtype, shape, strides, data: data.cast(), is_writeable: true }
    }

    /// Returns the layout of the array.
    #[inline]
    pub(crate) fn layout(&self) -> Layout<'a> {
        Layout { dtype: self.dtype, shape: self.shape, strides: self.strides }
    }

    /// Returns the address of the first byte that elements reach, how many bytes there are, and where element 0 begins.
    fn reach(&self) -> (*mut u8, usize, usize) {
        let (mut low, mut high) = (0_isize, self.dtype.size() as isize);
        for (&dim, &stride) in self.shape.iter().zip(self.strides) {
            if dim == 0 {
                return (self.data, 0, 0);
            }
            // NumPy holds memory for every element, so that no address is beyond what a pointer can be.
            let span = stride.wrapping_mul(dim as isize - 1);
            if span < 0 { low = low.wrapping_add(span) } else { high = high.wrapping_add(span) }
        }
        (self.data.wrapping_offset(low), high.wrapping_sub(low).max(0) as usize, low.unsigned_abs())
    }

    /// Lends the elements to be read.
    pub(crate) fn input(&self) -> Input<'a> {
        let (base, len, offset) = self.reach();
        // SAFETY: NumPy keeps the memory of an array as long as the array, which is borrowed for `'a`.
        unsafe { Input::from_raw(base, len, offset) }
    }

    /// Lends the elements to be written; the caller asked whether they may be.
    pub(crate) fn output(&self) -> Output<'a> {
        debug_assert!(self.is_writeable);
        let (base, len, offset) = self.reach();
        // SAFETY: as for `input`. Inputs may share the memory. Only threads of Python that race with this one write it too, as they
        // would with NumPy; elements are only addressed, never referred to.
        unsafe { Output::from_raw(base, len, offset) }
    }
}

/// The most arrays whose memory one array is a view of; NumPy makes views of the array that owns the memory.
const DEEPEST: usize = 64;

/// Keeps the memory of arrays, and of those that they are views of, where it is: NumPy resizes no array that has weak references.
///
/// Making a weak reference may run code of Python's (a finalizer, by way of the garbage collector), so that arrays are looked at
/// after this. Only the bases of arrays are followed, which NumPy keeps itself; other objects are not asked for theirs.
pub(crate) fn held<'a, 'py: 'a>(
    arrays: impl IntoIterator<Item = &'a Bound<'py, PyAny>>,
) -> Vec<Bound<'py, PyWeakrefReference>> {
    let mut held = Vec::new();
    for array in arrays {
        let mut next = Some(array.clone());
        for _ in 0..DEEPEST {
            let Some(array) = next.filter(is_array) else { break };
            held.extend(PyWeakrefReference::new(&array));
            // SAFETY: the object is an array, as `is_array` found; its base is null or an object that it keeps alive.
            next = unsafe {
                let base = (*array.as_ptr().cast::<PyArrayObject>()).fields.base;
                Bound::from_borrowed_ptr_or_opt(array.py(), base)
            };
        }
    }
    held
}

/// Says whether an object is an array of NumPy's, be it of a class derived from `ndarray`.
fn is_array(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the object is alive and the lock is held, as its `py` proves.
    unsafe { npyffi::PyArray_Check(object.py(), object.as_ptr()) != 0 }
}

/// What is lent to work that another thread may do.
pub(crate) struct Lent<T>(T);

// SAFETY: an output is an address and its bounds; where it is used from makes no difference, and one thread has it at a time.
unsafe impl Send for Lent<Output<'_>> {}

impl<T> Lent<T> {
    /// Lends something.
    pub(crate) fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns it where it is used.
    pub(crate) fn take(self) -> T {
        self.0
    }
}

/// Makes an uninitialised array with these strides; NumPy owns its memory.
///
/// # Errors
/// `MemoryError` where there is none; `TypeError` for bfloat16 without `ml_dtypes`.
pub(crate) fn allocate<'py>(
    py: Python<'py>,
    dtype: DType,
    shape: &[usize],
    strides: Option<&[isize]>,
) -> PyResult<Bound<'py, PyAny>> {
    if number_of(dtype) < 0 {
        // The first use of bfloat16; this finds its number, or says what to install.
        py.import("broadaxe._arrays")?.call_method0("bfloat16")?;
    }
    let number = number_of(dtype);
    let dims: *mut isize = shape.as_ptr().cast_mut().cast();
    let steps: *mut isize = strides.map_or(std::ptr::null_mut(), |strides| strides.as_ptr().cast_mut());
    // SAFETY: the lock is held. NumPy steals the reference to the descriptor, reads as many dims and strides as the rank says and
    // writes neither. The strides are those of an order of the axes, so that the elements fill the memory that NumPy asks for.
    unsafe {
        let descr = PY_ARRAY_API.PyArray_DescrFromType(py, number);
        let class = npyffi::get_type_object(py, NpyTypes::PyArray_Type);
        let (none, rank) = (std::ptr::null_mut::<c_void>(), shape.len() as c_int);
        let array = PY_ARRAY_API.PyArray_NewFromDescr(py, class, descr, rank, dims, steps, none, 0, none.cast());
        Bound::from_owned_ptr_or_err(py, array)
    }
}

/// Makes a scalar of an array of rank 0; returns any other unchanged.
pub(crate) fn scalar(array: Bound<'_, PyAny>, rank: usize) -> PyResult<Bound<'_, PyAny>> {
    if rank != 0 {
        return Ok(array);
    }
    let py = array.py();
    // SAFETY: the object is an array, as its maker `allocate` proves; NumPy steals the reference and returns another.
    unsafe { Bound::from_owned_ptr_or_err(py, PY_ARRAY_API.PyArray_Return(py, array.into_ptr().cast())) }
}
