//! Runs single kernels and operators over elements given as bytes.

use broadaxe_kernels::{
    DType, Failure, HasKernels, Input, Isa, Kernel, Nest, Op, Output, Program, Serial, Slot, Step, run_at,
};
use broadaxe_testing::oracle::{Outcome, Ty, Value, eval, to_bytes};

/// Returns the oracle's name for a dtype.
pub(crate) fn ty(dtype: DType) -> Ty {
    Ty::from_name(dtype.name()).unwrap_or_else(|| panic!("the oracle knows no {dtype}"))
}

/// Returns the dtype of operand `k` of an operator: the first of `where` is a bool.
pub(crate) fn operand(op: &Op, k: usize, dtype: DType) -> DType {
    op.kernel(dtype).and_then(|kernel| kernel.inputs().get(k).copied()).unwrap_or(dtype)
}

/// Asks the oracle; of three operands it panics where it does not know the operator.
pub(crate) fn ask(op: &Op, dtype: DType, args: &[Value]) -> Outcome {
    // The kernel of an average is the sum.
    let name = if op.is_average() { "add" } else { op.name() };
    let known = args.len() < 3 || ["where", "clamp"].contains(&name);
    if known { eval(name, ty(dtype), args) } else { Outcome::Unsupported }
}

/// An operand of one loop: elements from a byte on, or the one there repeated.
#[derive(Clone, Copy)]
pub(crate) struct Operand<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) offset: usize,
    pub(crate) repeats: bool,
}

impl<'a> Operand<'a> {
    pub(crate) fn dense(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0, repeats: false }
    }
}

/// Makes a program of one kernel.
pub(crate) fn single(kernel: &'static Kernel) -> Program {
    let args: Vec<Slot> = (0..kernel.inputs().len()).map(Slot::Input).collect();
    Program::new(kernel.inputs().to_vec(), vec![Step::new(kernel, args)]).expect("a kernel accepts its own dtypes")
}

/// Runs a program over one loop.
pub(crate) fn run_loop(
    isa: Isa,
    program: &Program,
    count: usize,
    operands: &[Operand],
    out: &mut [u8],
) -> Result<(), Failure> {
    let step = |(operand, dtype): (&Operand, &DType)| vec![if operand.repeats { 0 } else { dtype.size() as isize }];
    let nest = Nest {
        dims: vec![count],
        output: vec![program.output().size() as isize],
        inputs: operands.iter().zip(program.inputs()).map(step).collect(),
    };
    let inputs: Vec<Input> = operands.iter().map(|operand| Input::new(operand.bytes, operand.offset)).collect();
    run_at(isa, program, &nest, &inputs, Output::new(out, 0), &Serial, None)
}

/// Runs a program over one loop of dense columns, each as long as the others.
pub(crate) fn run_columns(isa: Isa, program: &Program, columns: &[Vec<u8>]) -> Result<Vec<u8>, Failure> {
    let count = columns[0].len() / program.inputs()[0].size();
    let operands: Vec<Operand> = columns.iter().map(|column| Operand::dense(column)).collect();
    let mut out = vec![0xaa; count * program.output().size()];
    run_loop(isa, program, count, &operands, &mut out)?;
    Ok(out)
}

/// Writes operand `k` of these tuples as bytes.
pub(crate) fn column(op: &Op, k: usize, dtype: DType, tuples: &[Vec<Value>]) -> Vec<u8> {
    to_bytes(ty(operand(op, k, dtype)), &tuples.iter().map(|tuple| tuple[k]).collect::<Vec<_>>())
}

/// Shows the first few faults of each kind, a kind being the text before ` of `.
pub(crate) fn report(faults: &[String]) -> String {
    let mut shown: Vec<&str> = Vec::new();
    let kind = |fault: &str| fault.split(" of ").next().unwrap_or_default().to_owned();
    for fault in faults {
        if shown.iter().filter(|other| kind(other) == kind(fault)).count() < 4 {
            shown.push(fault);
        }
    }
    format!("{} faults\n{}", faults.len(), shown.join("\n"))
}

/// Returns the bit patterns of NaN of a float dtype, besides the canonical one: with a payload, negative, signalling.
pub(crate) fn other_nans(dtype: DType) -> Vec<Vec<u8>> {
    match dtype {
        DType::F16 => [0x7e01_u16, 0xfe00, 0x7c01].iter().map(|bits| bits.to_ne_bytes().to_vec()).collect(),
        DType::BF16 => [0x7fc1_u16, 0xffc0, 0x7f81].iter().map(|bits| bits.to_ne_bytes().to_vec()).collect(),
        DType::F32 => [0x7fc0_0001_u32, 0xffc0_0000, 0x7f80_0001].iter().map(|b| b.to_ne_bytes().to_vec()).collect(),
        DType::F64 => [0x7ff8_0000_0000_0001_u64, 0xfff8 << 48, (0x7ff0 << 48) | 1]
            .iter()
            .map(|bits| bits.to_ne_bytes().to_vec())
            .collect(),
        _ => Vec::new(),
    }
}
