//! Runs Broadaxe's kernels over tensors of burn: compares the results with those of the backend burn-flex, bit for bit, and
//! times both.
//!
//! `cargo run --release`, in this folder. `RAYON_NUM_THREADS` sets the number of threads of both.

#![forbid(unsafe_code)]

use std::{
    env, error,
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

use broadaxe::{Error, OpId, Options, View, apply_to_vec, ops};
use burn_backend::{TensorData, ops::FloatTensorOps};
use burn_flex::{Flex, FlexTensor};

/// Applies an operator of Broadaxe to two tensors of f32, whose shapes broadcast as in NumPy.
fn broadcast(op: OpId, options: &Options<'_>, operands: [&FlexTensor; 2]) -> Result<FlexTensor, Error> {
    let [a, b] = operands.map(view);
    let operands = [a?, b?];
    let alignment = options.rule.align(&[operands[0].shape(), operands[1].shape()])?;
    let result: Vec<f32> = apply_to_vec(op, options, &operands)?;
    Ok(FlexTensor::from_data(TensorData::new(result, alignment.shape().dims())))
}

/// Borrows a tensor's elements. Burn's strides and offsets are in elements too.
fn view(tensor: &FlexTensor) -> Result<View<'_>, Error> {
    let layout = tensor.layout();
    View::from_slice(tensor.storage::<f32>(), layout.shape().as_slice(), layout.strides(), layout.start_offset())
}

/// An operator, under its name in Broadaxe and in burn.
struct Which {
    sign: char,
    op: OpId,
    burn: fn(FlexTensor, FlexTensor) -> FlexTensor,
}

const ADD: Which = Which { sign: '+', op: ops::ADD, burn: <Flex as FloatTensorOps<Flex>>::float_add };
const MUL: Which = Which { sign: '*', op: ops::MUL, burn: <Flex as FloatTensorOps<Flex>>::float_mul };

/// One comparison: an operator and two operands of one rank, of which the first may be transposed.
struct Case {
    which: Which,
    shapes: [&'static [usize]; 2],
    is_transposed: bool,
}

const fn case(which: Which, shapes: [&'static [usize]; 2]) -> Case {
    Case { which, shapes, is_transposed: false }
}

const CASES: [Case; 6] = [
    case(ADD, [&[1, 64, 1024], &[1, 64, 1]]),
    case(ADD, [&[1, 1, 126, 126], &[1, 128, 1, 1]]),
    case(MUL, [&[32, 64, 56, 56], &[1, 64, 1, 1]]),
    case(ADD, [&[4096, 4096], &[1, 4096]]),
    case(ADD, [&[4096, 4096], &[4096, 1]]),
    Case { which: ADD, shapes: [&[2048, 2048], &[1, 2048]], is_transposed: true },
];

/// How long each case is timed, alternately; the smallest reading of each counts.
const TIME: Duration = Duration::from_secs(3);
/// The fewest readings of each.
const MIN_ROUNDS: usize = 15;

impl Case {
    fn operands(&self) -> [FlexTensor; 2] {
        let [a, b] = self.shapes.map(|shape| {
            let count = shape.iter().product::<usize>();
            let numbers: Vec<f32> = (0..count).map(|i| ((i * 7919) % 1009) as f32 / 64.0 - 7.0).collect();
            FlexTensor::from_data(TensorData::new(numbers, shape))
        });
        [if self.is_transposed { a.transpose(0, 1) } else { a }, b]
    }

    /// Compares and times; returns the microseconds of burn and of Broadaxe.
    fn run(&self, options: &Options<'_>) -> Result<[f64; 2], Error> {
        let [a, b] = self.operands();
        let burn = || Ok((self.which.burn)(a.clone(), b.clone()));
        let broadaxe = || broadcast(self.which.op, options, [&a, &b]);
        let bits = |tensor: FlexTensor| -> Vec<u32> {
            let tensor = tensor.to_contiguous();
            tensor.storage::<f32>().iter().map(|x| x.to_bits()).collect()
        };
        let (want, got) = (burn()?, broadaxe()?);
        assert_eq!(want.layout().shape(), got.layout().shape());
        assert!(bits(want) == bits(got), "the results for {:?} differ", self.shapes);
        let mut best = [f64::INFINITY; 2];
        let start = Instant::now();
        for round in 0.. {
            if round >= MIN_ROUNDS && start.elapsed() >= TIME {
                break;
            }
            best[0] = best[0].min(micros(burn)?);
            best[1] = best[1].min(micros(broadaxe)?);
        }
        Ok(best)
    }
}

fn micros(work: impl Fn() -> Result<FlexTensor, Error>) -> Result<f64, Error> {
    let start = Instant::now();
    let result = black_box(work()?);
    let elapsed = start.elapsed();
    drop(result);
    Ok(elapsed.as_secs_f64() * 1e6)
}

fn main() -> Result<(), Box<dyn error::Error>> {
    let threads = match env::var("RAYON_NUM_THREADS") {
        Ok(text) => text.parse()?,
        Err(_) => thread::available_parallelism()?.get(),
    };
    let options = Options { threads: Some(threads), ..Options::default() };
    println!("{threads} threads; minima in microseconds");
    println!("{:<40}{:>10}{:>10}{:>8}", "", "burn-flex", "broadaxe", "ratio");
    for case in &CASES {
        let [burn, broadaxe] = case.run(&options)?;
        let transposed = if case.is_transposed { "ᵀ" } else { "" };
        let text = format!("{:?}{transposed} {} {:?}", case.shapes[0], case.which.sign, case.shapes[1]);
        println!("{text:<40}{burn:>10.1}{broadaxe:>10.1}{:>8.2}", burn / broadaxe);
    }
    Ok(())
}
