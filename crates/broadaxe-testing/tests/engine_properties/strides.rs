//! Programs over large operands that lie in any way, and results too: every element is that of the same operands side by side.
//!
//! Operands are as large as what is fetched ahead of its use. Where caches are small, results are written past them as well.

use broadaxe_kernels::{
    DType, HasKernels, Input, Isa, Nest, Output, Program, Scoped, Serial,
    Slot::{self, Input as I, Step as S},
    Step, find, run_at,
};
use broadaxe_testing::{
    oracle::{Value, to_bytes},
    random::Random,
    strided::Layout,
};

use crate::drive::ty;
use DType::{BF16, Bool, F16, F32, F64, I16, I32, I64, U8, U16};

/// The dtypes of a program's inputs, and its steps: an operator, the dtype it is for, and its operands.
type Described = (&'static [DType], &'static [(&'static str, DType, &'static [Slot])]);

#[rustfmt::skip]
static PROGRAMS: &[Described] = &[
    (&[F32; 2], &[("add", F32, &[I(0), I(1)])]),
    (&[I64; 2], &[("sub", I64, &[I(0), I(1)])]),
    (&[F16; 2], &[("mul", F16, &[I(0), I(1)])]),
    (&[BF16; 2], &[("max", BF16, &[I(0), I(1)])]),
    (&[F64; 2], &[("less", F64, &[I(0), I(1)])]),
    (&[Bool, U8, U8], &[("where", U8, &[I(0), I(1), I(2)])]),
    (&[Bool, F32, F32], &[("where", F32, &[I(0), I(1), I(2)])]),
    (&[Bool, I64, I64], &[("where", I64, &[I(0), I(1), I(2)])]),
    (&[I32; 2], &[("div_trunc", I32, &[I(0), I(1)])]),
    (&[I16; 2], &[("equal", I16, &[I(0), I(1)])]),
    (&[F64], &[("neg", F64, &[I(0)])]),
    (&[F32], &[("tanh", F32, &[I(0)])]),
    (&[U16; 2], &[("bitwise_xor", U16, &[I(0), I(1)])]),
    (&[F32; 4], &[("sub", F32, &[I(0), I(1)]), ("mul", F32, &[S(0), I(2)]), ("add", F32, &[S(1), I(3)])]),
    (&[F32; 3], &[("mul", F32, &[I(0), I(1)]), ("add", F32, &[S(0), I(2)])]),
    (&[F16; 3], &[("mul", F16, &[I(0), I(1)]), ("add", F16, &[S(0), I(2)]), ("relu", F16, &[S(1)])]),
    (&[BF16; 3], &[("sub", BF16, &[I(0), I(1)]), ("mul", BF16, &[S(0), I(2)])]),
    (&[F32; 3], &[("less", F32, &[I(0), I(1)]), ("where", F32, &[S(0), I(2), I(1)])]),
    (&[F64; 3], &[("sub", F64, &[I(0), I(1)]), ("exp", F64, &[S(0)]), ("mul", F64, &[S(1), I(2)])]),
    (&[I32; 3], &[("add", I32, &[I(0), I(1)]), ("max", I32, &[S(0), I(2)]), ("mul", I32, &[S(1), S(0)])]),
];

/// The programs that are drawn, and about how many elements each is run over.
const ROUNDS: usize = 80;
const ELEMENTS: usize = 300_000;

/// The elements that are computed side by side at a time.
const PIECE: usize = 1000;

fn program(&(inputs, steps): &Described) -> Program {
    let step = |&(name, dtype, args): &(&str, DType, &[Slot])| {
        Step::new(find(name).and_then(|op| op.kernel(dtype)).expect("in the table"), args)
    };
    Program::new(inputs.to_vec(), steps.iter().map(step).collect()).expect("dtypes fit")
}

/// An operand in memory.
#[derive(Debug)]
struct Placed {
    size: usize,
    layout: Layout,
}

impl Placed {
    /// Draws a layout; elements of a result lie at a place each.
    fn draw(random: &mut Random, dtype: DType, dims: &[usize], is_result: bool) -> Self {
        let mut layout = random.layout(dims);
        while is_result && layout.strides.contains(&0) {
            layout = random.layout(dims);
        }
        Self { size: dtype.size(), layout }
    }

    fn strides(&self) -> Vec<isize> {
        self.layout.strides.iter().map(|stride| stride * self.size as isize).collect()
    }

    /// Returns the bytes of the elements in the order of the loops.
    fn in_order(&self, bytes: &[u8]) -> Vec<u8> {
        let mut places = vec![self.layout.offset];
        for (&dim, &stride) in self.layout.shape.iter().zip(&self.layout.strides) {
            let along = |at: usize| (0..dim as isize).map(move |i| at.wrapping_add_signed(i * stride));
            places = places.into_iter().flat_map(along).collect();
        }
        places.into_iter().flat_map(|at| &bytes[at * self.size..][..self.size]).copied().collect()
    }
}

/// Draws some loops, one of them long.
fn dims(random: &mut Random) -> Vec<usize> {
    let mut dims: Vec<usize> =
        (0..random.below(4)).map(|_| *random.one_of(&[2, 3, 5, 8, 16, 31, 64, 100, 333])).collect();
    let others = dims.iter().product::<usize>().min(ELEMENTS);
    let at = random.below(dims.len() + 1);
    dims.insert(at, (ELEMENTS + random.below(ELEMENTS)) / others);
    while dims.iter().product::<usize>() > 2 * ELEMENTS {
        let longest = dims.iter_mut().max().expect("one at least");
        *longest = longest.div_ceil(2);
    }
    dims
}

/// Draws elements, no zeros among the integers: as divisors they would be rejected.
fn elements(random: &mut Random, dtype: DType, count: usize) -> Vec<u8> {
    let drawn = (0..2000).map(|_| random.value(ty(dtype))).filter(|&value| value != Value::Int(0));
    let pool: Vec<Value> = drawn.collect();
    let values: Vec<Value> = (0..count).map(|_| *random.one_of(&pool)).collect();
    to_bytes(ty(dtype), &values)
}

/// Runs a program over operands side by side, a few elements at a time.
fn side_by_side(program: &Program, operands: &[Vec<u8>], count: usize) -> Vec<u8> {
    let size = program.output().size();
    let mut result = vec![0; count * size];
    for from in (0..count).step_by(PIECE) {
        let stride = |dtype: &DType| vec![dtype.size() as isize];
        let inputs = program.inputs().iter().map(stride).collect();
        let nest = Nest { dims: vec![PIECE.min(count - from)], output: vec![size as isize], inputs };
        let sized = operands.iter().zip(program.inputs());
        let inputs: Vec<Input> = sized.map(|(bytes, dtype)| Input::new(bytes, from * dtype.size())).collect();
        let isa = Isa::available()[0];
        run_at(isa, program, &nest, &inputs, Output::new(&mut result, from * size), &Serial, None).expect("sound");
    }
    result
}

#[test]
fn any_layout_gives_what_elements_side_by_side_give() {
    let mut random = Random::new(77);
    for round in 0..ROUNDS {
        let described = &PROGRAMS[round % PROGRAMS.len()];
        let (program, dims) = (program(described), dims(&mut random));
        let result = Placed::draw(&mut random, program.output(), &dims, true);
        let draw = |&dtype| Placed::draw(&mut random, dtype, &dims, false);
        let placed: Vec<Placed> = program.inputs().iter().map(draw).collect();
        let fill = |(own, &dtype): (&Placed, &DType)| elements(&mut random, dtype, own.layout.length());
        let bytes: Vec<Vec<u8>> = placed.iter().zip(program.inputs()).map(fill).collect();
        let operands: Vec<Vec<u8>> = placed.iter().zip(&bytes).map(|(own, bytes)| own.in_order(bytes)).collect();
        let want = side_by_side(&program, &operands, dims.iter().product());
        let inputs = placed.iter().map(Placed::strides).collect();
        let nest = Nest { dims, output: result.strides(), inputs };
        for (isa, threads) in Isa::available().into_iter().flat_map(|isa| [(isa, 1), (isa, 3)]) {
            let begin = |own: &Placed| own.layout.offset * own.size;
            let inputs: Vec<Input> =
                placed.iter().zip(&bytes).map(|(own, bytes)| Input::new(bytes, begin(own))).collect();
            let mut out = vec![0xee; result.layout.length() * result.size];
            let output = Output::new(&mut out, begin(&result));
            run_at(isa, &program, &nest, &inputs, output, &Scoped(threads), None).expect("sound");
            let same = result.in_order(&out) == want;
            assert!(same, "{:?} over {nest:?} at {:?} by {threads}", described.1, isa.level());
        }
    }
}
