//! Runs Broadaxe's kernels as an operator of candle: compares the results with candle's own, bit for bit, and times both.
//!
//! `cargo run --release`, in this folder. `RAYON_NUM_THREADS` sets the number of threads of both.

#![forbid(unsafe_code)]

use std::{
    env, error,
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

use broadaxe::{Element, OpId, Options, View, apply_to_vec, ops};
use candle_core::{CpuStorage, CustomOp2, DType, Device, Error, Layout, Result, Shape, Tensor};

/// An operator of Broadaxe over two tensors of one dtype, whose shapes broadcast as in NumPy.
struct Broadcast {
    op: OpId,
    name: &'static str,
    options: Options<'static>,
}

impl Broadcast {
    fn run<T: Element>(&self, operands: [(&[T], &Layout); 2]) -> Result<(Vec<T>, Shape)> {
        let dims = operands.map(|(_, layout)| layout.dims());
        let alignment = self.options.rule.align(&dims).map_err(Error::wrap)?;
        let [a, b] = operands.map(|(elements, layout)| view(elements, layout));
        let result = apply_to_vec(self.op, &self.options, &[a?, b?]).map_err(Error::wrap)?;
        Ok((result, Shape::from(alignment.shape().dims())))
    }
}

/// Borrows a tensor's elements. Candle's strides and offsets are in elements too.
fn view<'a, T: Element>(elements: &'a [T], layout: &Layout) -> Result<View<'a>> {
    let strides: Vec<isize> = layout.stride().iter().map(|&stride| stride as isize).collect();
    View::from_slice(elements, layout.dims(), &strides, layout.start_offset()).map_err(Error::wrap)
}

impl CustomOp2 for Broadcast {
    fn name(&self) -> &'static str {
        self.name
    }

    fn cpu_fwd(&self, a: &CpuStorage, at: &Layout, b: &CpuStorage, bt: &Layout) -> Result<(CpuStorage, Shape)> {
        macro_rules! dispatch {
            ($($dtype:ident),+) => {
                match (a, b) {
                    $((CpuStorage::$dtype(a), CpuStorage::$dtype(b)) => {
                        let (result, shape) = self.run([(&a[..], at), (&b[..], bt)])?;
                        Ok((CpuStorage::$dtype(result), shape))
                    })+
                    _ => Err(Error::Msg(format!("{}: operands must have one dtype that Broadaxe supports", self.name))),
                }
            };
        }
        dispatch!(U8, U32, I16, I32, I64, BF16, F16, F32, F64)
    }
}

/// Which operator of candle is compared.
#[derive(Clone, Copy)]
enum Which {
    Add,
    Mul,
}

/// One comparison: an operator and two operands, of which the first may be transposed.
struct Case {
    which: Which,
    shapes: [&'static [usize]; 2],
    dtype: DType,
    is_transposed: bool,
}

const fn case(which: Which, shapes: [&'static [usize]; 2], dtype: DType) -> Case {
    Case { which, shapes, dtype, is_transposed: false }
}

const CASES: [Case; 8] = [
    case(Which::Add, [&[1, 64, 1024], &[1, 64, 1]], DType::F32),
    case(Which::Add, [&[1, 1, 126, 126], &[1, 128, 1, 1]], DType::F32),
    case(Which::Mul, [&[32, 64, 56, 56], &[64, 1, 1]], DType::F32),
    case(Which::Add, [&[4096, 4096], &[4096]], DType::F32),
    case(Which::Add, [&[4096, 4096], &[4096, 1]], DType::F32),
    Case { which: Which::Add, shapes: [&[2048, 2048], &[2048]], dtype: DType::F32, is_transposed: true },
    case(Which::Add, [&[1, 1, 126, 126], &[1, 128, 1, 1]], DType::F16),
    case(Which::Mul, [&[32, 64, 56, 56], &[64, 1, 1]], DType::BF16),
];

/// How long each case is timed, alternately; the smallest reading of each counts.
const TIME: Duration = Duration::from_secs(3);
/// The fewest readings of each.
const MIN_ROUNDS: usize = 15;

impl Case {
    fn operands(&self) -> Result<[Tensor; 2]> {
        let [a, b] = self.shapes.map(|shape| -> Result<Tensor> {
            let count = shape.iter().product::<usize>();
            let numbers: Vec<f32> = (0..count).map(|i| ((i * 7919) % 1009) as f32 / 64.0 - 7.0).collect();
            Tensor::from_vec(numbers, shape, &Device::Cpu)?.to_dtype(self.dtype)
        });
        let a = a?;
        Ok([if self.is_transposed { a.t()? } else { a }, b?])
    }

    /// Compares and times; returns the microseconds of candle and of Broadaxe.
    fn run(&self, options: &Options<'static>) -> Result<[f64; 2]> {
        let [a, b] = self.operands()?;
        let (op, name) = match self.which {
            Which::Add => (ops::ADD, "broadaxe-add"),
            Which::Mul => (ops::MUL, "broadaxe-mul"),
        };
        let own = Broadcast { op, name, options: options.clone() };
        let candle = || match self.which {
            Which::Add => a.broadcast_add(&b),
            Which::Mul => a.broadcast_mul(&b),
        };
        let broadaxe = || a.apply_op2_no_bwd(&b, &own);
        let (want, got) = (candle()?, broadaxe()?);
        assert_eq!((want.dims(), bits(&want)?), (got.dims(), bits(&got)?), "{:?}", self.shapes);
        drop((want, got));
        let mut best = [f64::INFINITY; 2];
        let start = Instant::now();
        for round in 0.. {
            if round >= MIN_ROUNDS && start.elapsed() >= TIME {
                break;
            }
            best[0] = best[0].min(micros(candle)?);
            best[1] = best[1].min(micros(broadaxe)?);
        }
        Ok(best)
    }
}

/// Returns the bits of all elements; f16 and bf16 are exact in f32.
fn bits(tensor: &Tensor) -> Result<Vec<u32>> {
    let numbers = tensor.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?;
    Ok(numbers.into_iter().map(f32::to_bits).collect())
}

fn micros(work: impl Fn() -> Result<Tensor>) -> Result<f64> {
    let start = Instant::now();
    let result = black_box(work()?);
    let elapsed = start.elapsed();
    drop(result);
    Ok(elapsed.as_secs_f64() * 1e6)
}

fn main() -> std::result::Result<(), Box<dyn error::Error>> {
    let threads = match env::var("RAYON_NUM_THREADS") {
        Ok(text) => text.parse()?,
        Err(_) => thread::available_parallelism()?.get(),
    };
    let options = Options { threads: Some(threads), ..Options::default() };
    println!("{threads} threads; minima in microseconds");
    println!("{:<8}{:<40}{:>10}{:>10}{:>8}", "", "", "candle", "broadaxe", "ratio");
    for case in &CASES {
        let [candle, broadaxe] = case.run(&options)?;
        let sign = if matches!(case.which, Which::Add) { "+" } else { "*" };
        let transposed = if case.is_transposed { "ᵀ" } else { "" };
        let text = format!("{:?}{transposed} {sign} {:?}", case.shapes[0], case.shapes[1]);
        println!("{:<8}{text:<40}{candle:>10.1}{broadaxe:>10.1}{:>8.2}", case.dtype.as_str(), candle / broadaxe);
    }
    Ok(())
}
