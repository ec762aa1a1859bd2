//! Checks operands that are transposed relative to the result, from small to larger than a unit, against a loop over
//! indices.

use broadaxe_kernels::{DType, HasKernels, Input, Isa, Nest, Output, Program, Scoped, Slot, Step, find, run_at};

/// Returns the strides of an array with these axes, the fastest last, and `between` elements between two rows.
fn strides(dims: &[usize], order: &[usize], (size, between): (usize, usize)) -> Vec<isize> {
    let (mut strides, mut step) = (vec![0; dims.len()], size);
    for &axis in order.iter().rev() {
        strides[axis] = step as isize;
        step = step * dims[axis] + if step == size { between } else { 0 };
    }
    strides
}

/// Lists the bytes to each element, the last axis fastest.
fn places(dims: &[usize], strides: &[isize]) -> Vec<isize> {
    dims.iter().zip(strides).fold(vec![0], |outer, (&dim, &stride)| {
        outer.iter().flat_map(|place| (0..dim as isize).map(move |i| place + stride * i)).collect()
    })
}

/// Describes a second operand.
struct Case<'a> {
    about: &'static str,
    dims: &'a [usize],
    /// The axes of the second operand in memory order, the fastest last.
    order: &'a [usize],
    /// The elements between its rows.
    between: usize,
    /// The axes that it walks backwards.
    backwards: &'a [usize],
}

/// Compares the largest of zeros and an operand with that operand, for elements of every size.
fn check(&Case { about, dims, order, between, backwards }: &Case) {
    for dtype in [DType::U8, DType::U16, DType::F16, DType::I32, DType::F64] {
        let size = dtype.size();
        let program = {
            let kernel = find("max").and_then(|op| op.kernel(dtype)).expect("in the table");
            Program::new(vec![dtype; 2], vec![Step::new(kernel, vec![Slot::Input(0), Slot::Input(1)])])
                .expect("a kernel accepts its own dtypes")
        };
        let dense = strides(dims, &(0..dims.len()).collect::<Vec<_>>(), (size, 0));
        let (mut turned, mut start) = (strides(dims, order, (size, between * size)), 0);
        let end = places(dims, &turned).into_iter().max().unwrap_or(0) as usize + size;
        for &axis in backwards {
            start += turned[axis].unsigned_abs() * (dims[axis] - 1);
            turned[axis] = -turned[axis];
        }
        // The smallest of all is 0, so the result is the second operand.
        let total = dims.iter().product::<usize>() * size;
        let bytes: Vec<u8> = (0..end).map(|i| ((i * 37 + i / 251) % 60) as u8).collect();
        let zeros = vec![0; total];
        let want: Vec<u8> = places(dims, &turned)
            .into_iter()
            .map(|place| start.wrapping_add_signed(place))
            .flat_map(|place| bytes[place..place + size].iter().copied())
            .collect();
        let nest = Nest { dims: dims.to_vec(), output: dense.clone(), inputs: vec![dense, turned] };
        for (isa, threads) in Isa::available().into_iter().flat_map(|isa| [(isa, 1), (isa, 3)]) {
            let mut out = vec![1; total];
            let inputs = [Input::new(&zeros, 0), Input::new(&bytes, start)];
            let output = Output::new(&mut out, 0);
            run_at(isa, &program, &nest, &inputs, output, &Scoped(threads), None).expect("nothing is rejected");
            assert!(out == want, "{about}: {dtype} at {:?} by {threads}", isa.level());
        }
    }
}

#[test]
fn transposed_operands_are_read_in_their_own_order() {
    #[rustfmt::skip]
    let cases = [
        Case { about: "less than a square", dims: &[3, 5], order: &[1, 0], between: 0, backwards: &[] },
        Case { about: "some squares", dims: &[30, 33], order: &[1, 0], between: 0, backwards: &[] },
        Case { about: "some squares, backwards", dims: &[30, 33], order: &[1, 0], between: 1, backwards: &[0, 1] },
        Case { about: "odd", dims: &[131, 257], order: &[1, 0], between: 0, backwards: &[] },
        Case { about: "rows backwards", dims: &[131, 257], order: &[1, 0], between: 3, backwards: &[0] },
        Case { about: "columns backwards", dims: &[257, 131], order: &[1, 0], between: 0, backwards: &[1] },
        Case { about: "columns a power of two apart", dims: &[512, 300], order: &[1, 0], between: 0, backwards: &[] },
        Case { about: "few rows", dims: &[20, 700], order: &[1, 0], between: 2000, backwards: &[] },
        Case { about: "few columns", dims: &[700, 20], order: &[1, 0], between: 0, backwards: &[] },
        Case { about: "the last two", dims: &[3, 70, 150], order: &[0, 2, 1], between: 0, backwards: &[] },
        Case { about: "three axes", dims: &[40, 30, 50], order: &[2, 1, 0], between: 0, backwards: &[1] },
    ];
    cases.iter().for_each(check);
}

#[test]
fn short_rows_are_read_backwards() {
    for (rows, row, between) in [1, 2, 3, 7, 40].into_iter().flat_map(|rows| {
        (1..=20)
            .chain([31, 32, 33, 63, 64, 65, 129, 255, 256, 257])
            .flat_map(move |row| [(rows, row, 0), (rows, row, 3)])
    }) {
        check(&Case { about: "short rows", dims: &[rows, row], order: &[0, 1], between, backwards: &[1] });
    }
}
