//! Checks that no loop of the table reads or writes outside its operands, which guard pages surround.

use broadaxe_kernels::{DType, HasKernels, Input, Isa, Kernel, Nest, OPS, Output, cast, copy, probe::call_loop};

#[path = "../../src/run/fences.rs"]
mod fences;

use fences::Fenced;

/// Calls every loop of a kernel, and its guard, with rows of operands and result that end at a guard page, or begin at
/// one. Returns the number of loops.
fn call_all(kernel: &Kernel, isa: Isa, inputs: &[Fenced; 3], output: &mut Fenced, n: usize, at_end: bool) -> usize {
    let (dtypes, out_size) = (kernel.inputs(), kernel.output().size());
    let mut called = 0;
    for constants in 0..1_u8 << dtypes.len() {
        let is_constant = |k: usize| constants & 1 << k != 0;
        let strides = |k: usize| vec![0, 0, if is_constant(k) { 0 } else { dtypes[k].size() as isize }];
        let nest = Nest {
            dims: vec![1, 1, n],
            output: vec![0, 0, out_size as isize],
            inputs: (0..dtypes.len()).map(strides).collect(),
        };
        let operand = |k: usize| inputs[k].input(if is_constant(k) { 1 } else { n } * dtypes[k].size(), at_end, 0);
        let operands: Vec<Input> = (0..dtypes.len()).map(operand).collect();
        let output = output.output(n * out_size, at_end);
        for streams in [false, true] {
            let rejected = call_loop(kernel, isa, streams, &nest, &operands, &output);
            assert_ne!(rejected, Some(true), "no element is rejected");
            called += usize::from(rejected.is_some());
        }
    }
    called
}

#[test]
fn no_loop_leaves_its_operands() {
    let (inputs, mut output) = (std::array::from_fn(|_| Fenced::new()), Fenced::new());
    let kernels = OPS.iter().flat_map(|op| op.dtypes().filter_map(|dtype| op.kernel(dtype)));
    let casts = DType::ALL.into_iter().flat_map(|from| DType::ALL.map(|to| cast(from, to)));
    let mut called = 0;
    for kernel in kernels.chain(casts).chain(DType::ALL.map(copy)) {
        for isa in Isa::available() {
            for n in 0..=130 {
                for at_end in [false, true] {
                    called += call_all(kernel, isa, &inputs, &mut output, n, at_end);
                }
            }
        }
    }
    // Every kernel has a loop without constants.
    let kernels = OPS.iter().map(|op| op.dtypes().count()).sum::<usize>() + DType::ALL.len() * (DType::ALL.len() + 1);
    assert!(called > kernels * Isa::available().len() * 131 * 2, "{called} calls");
}
