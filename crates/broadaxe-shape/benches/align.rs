//! Measures one call of `Rule::align`, in nanoseconds: `cargo bench -p broadaxe-shape`.
#![allow(clippy::print_stdout, reason = "the figures are what the program is for")]

use std::{hint::black_box, time::Instant};

use broadaxe_shape::Rule;

/// The calls of one run, and the runs of which the fastest counts.
const CALLS: u32 = 20_000;
const RUNS: u32 = 25;

fn main() {
    let rows: &[(Rule, &[&[usize]])] = &[
        (Rule::numpy(), &[&[3, 1], &[4]]),
        (Rule::numpy(), &[&[8, 1, 6, 1], &[7, 1, 5]]),
        (Rule::numpy(), &[&[2, 3, 4, 5, 6, 7, 8, 9], &[2, 3, 4, 5, 6, 7, 8, 9]]),
        (Rule::numpy(), &[&[2, 3, 4, 5], &[5], &[4, 1], &[3, 1, 1]]),
        (Rule::pdpd(1), &[&[2, 3, 4, 5], &[3, 4]]),
        (Rule::ncnn(), &[&[3, 4, 5], &[3]]),
        (Rule::broadcast_to([1, 16, 5, 5]), &[&[16, 1, 1]]),
        (Rule::explicit([1, 2], [1, 50, 50, 16]), &[&[50, 50]]),
        (Rule::numpy(), &[&[2, 3, 4], &[2, 3]]),
        (Rule::pdpd(2), &[&[2, 3, 4], &[3, 4]]),
    ];
    for (rule, shapes) in rows {
        let ends = if rule.align(shapes).is_ok() { "aligned" } else { "refused" };
        let run = || {
            let start = Instant::now();
            for _ in 0..CALLS {
                drop(black_box(black_box(rule).align(black_box(shapes))));
            }
            start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
        };
        let least = (0..RUNS).map(|_| run()).fold(f64::INFINITY, f64::min);
        println!("{least:7.1} ns  {ends}  {rule}  {shapes:?}");
    }
}
