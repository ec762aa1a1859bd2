//! Computes the hashes. The module of the page computes them too, in a browser.

use broadaxe_kernels::{
    DType, Failure, HasKernels, Input, Isa, Kernel, Nest, OPS, Output, Program, Serial, Slot, Step, cast, run_at,
};
use broadaxe_testing::{
    oracle::{Ty, Value, edge_values, to_bytes},
    random::Random,
};

pub(crate) const HEAD: &str = "# operator dtype";

/// Holds where elements are: the extents, and for the first, the last and every other operand the step along each axis.
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    dims: &'static [usize],
    first: &'static [isize],
    last: &'static [isize],
    /// The bytes in front of every operand and of the result.
    shift: usize,
}

const fn layout(
    name: &'static str,
    dims: &'static [usize],
    first: &'static [isize],
    last: &'static [isize],
    shift: usize,
) -> Layout {
    Layout { name, dims, first, last, shift }
}

/// The element at which the first of a reversed operand is.
const LAST: usize = 256;

pub(crate) static LAYOUTS: &[Layout] = &[
    layout("dense", &[257], &[1], &[1], 0),
    layout("misaligned", &[67], &[1], &[1], 1),
    layout("one-left", &[131], &[0], &[1], 0),
    layout("one-right", &[131], &[1], &[0], 0),
    layout("row", &[7, 37], &[37, 1], &[0, 1], 0),
    layout("column", &[7, 37], &[37, 1], &[1, 0], 0),
    layout("outer", &[11, 23], &[1, 0], &[0, 1], 0),
    layout("spread", &[128], &[2], &[3], 0),
    layout("reversed", &[257], &[-1], &[1], 0),
    layout("transposed", &[16, 16], &[1, 16], &[16, 1], 0),
    layout("narrow", &[85, 3], &[3, 1], &[0, 1], 0),
];

/// An operand holds this many elements, enough for every layout.
const ELEMENTS: usize = 400;

/// The elements of operand `k`: edges, then random numbers. An operator that rejects numbers gets small ones.
fn elements(dtype: DType, k: usize, small: bool) -> Vec<u8> {
    let ty = Ty::from_name(dtype.name()).unwrap();
    let mut random = Random::new(1 + k as u64);
    let mut values: Vec<Value> = if small { Vec::new() } else { edge_values(ty) };
    // Edges of the operands meet each other in every combination of a few.
    let turn = values.len().min(7 * k);
    values.rotate_left(turn);
    values.truncate(ELEMENTS);
    while values.len() < ELEMENTS {
        let value = if small && k > 0 { to_number(ty, 1 + random.below(5)) } else { random.value(ty) };
        values.push(value);
    }
    to_bytes(ty, &values)
}

fn to_number(ty: Ty, number: usize) -> Value {
    match ty {
        Ty::Bool => Value::Bool(true),
        _ if ty.is_float() => Value::Float(number as f64),
        _ => Value::Int(number as i128),
    }
}

/// Runs one kernel over one layout and returns the hash of the result.
fn hash_of(isa: Isa, kernel: &'static Kernel, layout: &Layout) -> Result<u64, Failure> {
    let slots: Vec<Slot> = (0..kernel.inputs().len()).map(Slot::Input).collect();
    let program = Program::new(kernel.inputs().to_vec(), vec![Step::new(kernel, slots)]).unwrap();
    let sizes: Vec<usize> = kernel.inputs().iter().map(|dtype| dtype.size()).collect();
    let last = sizes.len() - 1;
    let steps = |k: usize| if k > 0 && k == last { layout.last } else { layout.first };
    let columns: Vec<Vec<u8>> = kernel
        .inputs()
        .iter()
        .enumerate()
        .map(|(k, &dtype)| {
            let elements = elements(dtype, k, kernel.guard().is_some());
            [&vec![0x5a; layout.shift], &elements[..]].concat()
        })
        .collect();
    let start = |k: usize| layout.shift + if steps(k)[0] < 0 { LAST * sizes[k] } else { 0 };
    let inputs: Vec<Input> = columns.iter().enumerate().map(|(k, bytes)| Input::new(bytes, start(k))).collect();
    let size = kernel.output().size();
    let mut dense: Vec<isize> = layout
        .dims
        .iter()
        .rev()
        .scan(size as isize, |step, &dim| {
            let own = *step;
            *step *= dim as isize;
            Some(own)
        })
        .collect();
    dense.reverse();
    let strides = |k: usize| steps(k).iter().map(|step| step * sizes[k] as isize).collect();
    let nest = Nest { dims: layout.dims.to_vec(), output: dense, inputs: (0..sizes.len()).map(strides).collect() };
    let mut out = vec![0; layout.shift + layout.dims.iter().product::<usize>() * size];
    run_at(isa, &program, &nest, &inputs, Output::new(&mut out, layout.shift), &Serial, None)?;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for element in out[layout.shift..].chunks_mut(size) {
        if cfg!(target_endian = "big") {
            element.reverse();
        }
        for &byte in &*element {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    Ok(hash)
}

/// Lists every kernel with its name: those of operators, and the casts.
pub(crate) fn kernels() -> Vec<(String, &'static Kernel)> {
    let mut all = Vec::new();
    for op in OPS {
        all.extend(op.dtypes().filter_map(|dtype| Some((format!("{} {dtype}", op.name()), op.kernel(dtype)?))));
    }
    for from in DType::ALL {
        all.extend(DType::ALL.map(|to| (format!("to-{to} {from}"), cast(from, to))));
    }
    all
}

/// Computes the hashes of a kernel on an instruction set.
pub(crate) fn line(isa: Isa, name: &str, kernel: &'static Kernel) -> String {
    let hash = |layout| match hash_of(isa, kernel, layout) {
        Ok(hash) => format!("{hash:016x}"),
        Err(failure) => format!("{failure:?}").replace(' ', ""),
    };
    format!("{name} {}", LAYOUTS.iter().map(hash).collect::<Vec<_>>().join(" "))
}
