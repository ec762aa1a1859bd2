//! Tests loops large enough for several threads.

use broadaxe_kernels::{DType, Failure, HasKernels, Input, Isa, Kernel, Nest, Op, Output, Scoped, find, run_at};
use broadaxe_testing::{
    oracle::{self, Value, from_bytes, to_bytes},
    random::Random,
};

use crate::drive::{operand, single, ty};

/// An operator over loops, with the strides of its result and operands in elements.
struct Large {
    op: &'static str,
    dtype: DType,
    dims: &'static [usize],
    output: &'static [isize],
    inputs: &'static [&'static [isize]],
}

#[rustfmt::skip]
static CASES: &[Large] = &[
    Large { op: "add", dtype: DType::F32, dims: &[1500, 1001], output: &[1001, 1], inputs: &[&[1001, 1], &[0, 1]] },
    Large { op: "sub", dtype: DType::F32, dims: &[1500, 1001], output: &[1001, 1], inputs: &[&[1, 1500], &[1, 0]] },
    Large { op: "exp", dtype: DType::F32, dims: &[1_500_001], output: &[1], inputs: &[&[-1]] },
    Large { op: "less", dtype: DType::U8, dims: &[300, 7, 3001], output: &[7, 1, 2100], inputs: &[&[21_007, 3001, 1], &[0, 3001, 1]] },
    Large { op: "where", dtype: DType::I64, dims: &[1000, 999], output: &[1, 1000], inputs: &[&[0, 1], &[999, 1], &[0, 0]] },
    Large { op: "div_floor", dtype: DType::I16, dims: &[2, 3, 700, 501], output: &[1_052_100, 350_700, 501, 1], inputs: &[&[1, 2, 6, 4200], &[0, 0, 1, 0]] },
    Large { op: "mul", dtype: DType::F16, dims: &[1_700_003, 2], output: &[2, 1], inputs: &[&[1, 0], &[2, 1]] },
    Large { op: "hypot", dtype: DType::F64, dims: &[500_000, 3], output: &[3, 1], inputs: &[&[3, 1], &[0, 1]] },
];

/// A case with its operands in memory.
struct Filled {
    case: &'static Large,
    kernel: &'static Kernel,
    values: Vec<Vec<Value>>,
    bytes: Vec<Vec<u8>>,
}

impl Large {
    fn row(&self) -> &'static Op {
        find(self.op).expect("in the table")
    }

    /// Returns the elements that strides reach before the first of all indices, and in all.
    fn reach(&self, strides: &[isize]) -> (usize, usize) {
        let spans = || self.dims.iter().zip(strides).map(|(&dim, &stride)| (dim as isize - 1) * stride);
        let before = spans().filter(|&span| span < 0).sum::<isize>().unsigned_abs();
        (before, spans().map(isize::unsigned_abs).sum::<usize>() + 1)
    }

    fn fill(&'static self, random: &mut Random) -> Filled {
        let row = self.row();
        let of = |k: usize| ty(operand(row, k, self.dtype));
        let fill = |(k, strides): (usize, &&[isize])| -> Vec<Value> {
            // A zero divisor would be rejected.
            let drawn = (0..2000).map(|_| random.value(of(k))).filter(|&value| value != Value::Int(0));
            let pool: Vec<Value> = drawn.collect();
            (0..self.reach(strides).1).map(|_| *random.one_of(&pool)).collect()
        };
        let values: Vec<_> = self.inputs.iter().enumerate().map(fill).collect();
        let bytes = values.iter().enumerate().map(|(k, list)| to_bytes(of(k), list)).collect();
        Filled { case: self, kernel: row.kernel(self.dtype).expect("has a kernel"), values, bytes }
    }
}

impl Filled {
    fn run(&self, isa: Isa, threads: usize) -> Vec<u8> {
        let scaled = |strides: &[isize], size: usize| strides.iter().map(|stride| stride * size as isize).collect();
        let size = self.kernel.output().size();
        let sized =
            || self.case.inputs.iter().zip(self.kernel.inputs()).map(|(strides, dtype)| (strides, dtype.size()));
        let nest = Nest {
            dims: self.case.dims.to_vec(),
            output: scaled(self.case.output, size),
            inputs: sized().map(|(strides, size)| scaled(strides, size)).collect(),
        };
        let offsets = sized().map(|(strides, size)| self.case.reach(strides).0 * size);
        let inputs: Vec<Input> = self.bytes.iter().zip(offsets).map(|(b, offset)| Input::new(b, offset)).collect();
        let mut out = vec![0; self.case.reach(self.case.output).1 * size];
        let output = Output::new(&mut out, 0);
        let result = run_at(isa, &single(self.kernel), &nest, &inputs, output, &Scoped(threads), None);
        assert_eq!(result, Ok(()), "{}", self.case.op);
        out
    }

    /// Holds some elements of a result against the oracle.
    fn sample(&self, result: &[u8], random: &mut Random) {
        let Large { op, dtype, dims, output, inputs } = *self.case;
        let (to, size) = (oracle::output(op, ty(dtype)), self.kernel.output().size());
        for _ in 0..300 {
            let index: Vec<usize> = dims.iter().map(|&dim| random.below(dim)).collect();
            let at = |strides: &[isize]| -> usize {
                let sum: isize = index.iter().zip(strides).map(|(&i, &stride)| i as isize * stride).sum();
                self.case.reach(strides).0.wrapping_add_signed(sum)
            };
            let args: Vec<Value> = self.values.iter().zip(inputs).map(|(list, strides)| list[at(strides)]).collect();
            let want = oracle::eval(op, ty(dtype), &args);
            let got = from_bytes(to, &result[at(output) * size..][..size])[0];
            assert!(want.accepts(to, got), "{op} {dtype} of {args:?} at {index:?}: {got:?}, want {want:?}");
        }
    }
}

#[test]
fn threads_and_levels_do_not_matter() {
    let mut random = Random::new(12);
    for case in CASES {
        let filled = case.fill(&mut random);
        let base = filled.run(Isa::available()[0], 1);
        for isa in Isa::available() {
            for threads in [1, 2, 3, 7] {
                let same = filled.run(isa, threads) == base;
                assert!(same, "{} {} at {:?} with {threads} threads", case.op, case.dtype, isa.level());
            }
        }
        filled.sample(&base, &mut random);
    }
}

/// More elements than 32 bits count, in the loops, in the bytes and in the place of a refusal.
#[test]
#[ignore = "needs 5 GiB of memory"]
fn beyond_four_billion_elements() {
    let side = 65_537;
    let row: Vec<u8> = (0..side).map(|i| (i % 251) as u8).collect();
    let mut column: Vec<u8> = (0..side).map(|i| (i % 255) as u8 + 1).collect();
    let strides = vec![side as isize, 1];
    let nest = Nest { dims: vec![side, side], output: strides, inputs: vec![vec![0, 1], vec![1, 0]] };
    let mut out = vec![0; side * side];
    let isa = *Isa::available().last().expect("every CPU has one");
    let run = |name: &str, column: &[u8], out: &mut [u8]| {
        let kernel = find(name).and_then(|op| op.kernel(DType::U8)).expect("in the table");
        let inputs = [Input::new(&row, 0), Input::new(column, 0)];
        run_at(isa, &single(kernel), &nest, &inputs, Output::new(out, 0), &Scoped(2), None)
    };
    assert_eq!(run("add", &column, &mut out), Ok(()));
    for (got, &left) in out.chunks(side).zip(&column) {
        let want: Vec<u8> = row.iter().map(|right| right.wrapping_add(left)).collect();
        assert!(got == want, "the row of {left}");
    }
    column[side - 1] = 0;
    let element = (side as u64 - 1) * side as u64;
    assert!(element > 1 << 32, "{element}");
    let want = Err(Failure::Rejected { step: 0, what: "a zero divisor", element });
    assert_eq!(run("div_trunc", &column, &mut out), want);
}
