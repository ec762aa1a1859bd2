//! Computes the tables, and checks them.

use std::f64::consts::FRAC_2_SQRT_PI;

use super::{super::double_double::Double, Areas, BEYOND, FILE, FROM_ZERO, LIFT, LIFTED, TABLE_STEPS};

/// The part of 2 / sqrt(pi) beyond one f64.
const FRAC_2_SQRT_PI_REST: f64 = 1.533545961316588e-17;

const ZERO: Double = Double { high: 0.0, low: 0.0 };
const ONE: Double = Double { high: 1.0, low: 0.0 };

/// Computes the power series of the integral of e^(-a t - w t^2) over t from 0 to 1, for a below 1.
fn mean(a: f64, w: f64) -> Double {
    let (mut before, mut term, mut sum) = (ZERO, ONE, ONE);
    let mut n = 1;
    while term.high.abs() > 1e-34 || before.high.abs() > 1e-34 {
        // The n-th derivative of such a function follows from the two before it.
        let next = term.times_f64(-a).plus(before.times_f64(-2.0 * w)).over(n as f64);
        (before, term) = (term, next);
        sum = sum.plus(term.over(n as f64 + 1.0));
        n += 1;
    }
    sum
}

/// Computes e^-x for 0 <= x < 1 / 256.
fn power(x: f64) -> Double {
    let (mut term, mut sum) = (ONE, ONE);
    let mut n = 1;
    while n < 16 {
        term = term.times_f64(-x).over(n as f64);
        sum = sum.plus(term);
        n += 1;
    }
    sum
}

/// Computes the heights of `top` e^(-c t^2) at multiples of 1 / 64, those from `LIFTED` on multiplied by `LIFT`.
fn heights(rows: usize, top: Double, c: f64) -> Vec<Double> {
    let mut heights = vec![top; rows];
    // Each height is the one before it times a factor, and each factor the one before it times another.
    let (mut factor, ratio) = (power(c / (TABLE_STEPS * TABLE_STEPS)), power(2.0 * c / (TABLE_STEPS * TABLE_STEPS)));
    let mut k = 1;
    while k < rows {
        heights[k] = heights[k - 1].times(factor);
        factor = factor.times(ratio);
        if k as f64 == LIFTED * TABLE_STEPS {
            heights[k] = heights[k].times_f64(LIFT);
        }
        k += 1;
    }
    heights
}

/// Computes the area between two neighbouring multiples of 1 / 64, given the height of the curve at the first one, the k-th.
fn step(height: Double, c: f64, k: usize) -> Double {
    height
        .times(mean(2.0 * c * k as f64 / (TABLE_STEPS * TABLE_STEPS), c / (TABLE_STEPS * TABLE_STEPS)))
        .times_f64(1.0 / TABLE_STEPS)
}

fn from_zero() -> [Vec<Double>; 2] {
    let heights = heights(512, Double { high: FRAC_2_SQRT_PI, low: FRAC_2_SQRT_PI_REST }, 1.0);
    let mut areas = vec![ZERO; 512];
    let mut k = 1;
    while k < 512 {
        areas[k] = areas[k - 1].plus(step(heights[k - 1], 1.0, k - 1));
        k += 1;
    }
    [areas, heights]
}

fn beyond() -> [Vec<Double>; 2] {
    let heights = heights(2560, Double { high: 0.398_942_280_401_432_7, low: -2.492_327_202_277_73e-17 }, 0.5);
    let mut areas = vec![ZERO; 2560];
    // Beyond the last row the area is roughly the height divided by its position; errors there grow less than areas, by
    // e^-40.
    areas[2559] = heights[2559].over(2559.0 / TABLE_STEPS);
    let mut k = 2559;
    while k > 0 {
        let known = if k as f64 == LIFTED * TABLE_STEPS { areas[k].times_f64(1.0 / LIFT) } else { areas[k] };
        k -= 1;
        areas[k] = known.plus(step(heights[k], 0.5, k));
    }
    [areas, heights]
}

#[test]
fn the_file_has_the_tables() {
    let parts = |table: &Vec<Double>| {
        let (high, low) = (table.iter().map(|own| own.high), table.iter().map(|own| own.low));
        high.chain(low).flat_map(f64::to_le_bytes).collect::<Vec<u8>>()
    };
    let want: Vec<u8> = [from_zero(), beyond()].iter().flatten().flat_map(parts).collect();
    if std::env::var_os("BROADAXE_WRITE").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/math/bell_areas.bin");
        return std::fs::write(file, want).expect("it can be written");
    }
    assert!(FILE == want, "bell_areas.bin is not current; run this test with BROADAXE_WRITE=1");
}

/// The areas of all rows add up to that of a whole curve, which the heights determine only by their first one.
#[test]
fn all_areas_together_are_the_whole() {
    assert_eq!(BEYOND.area[0], 0.5);
    assert!(BEYOND.area_rest[0].abs() < 1e-27, "{:e}", BEYOND.area_rest[0]);
    assert_eq!(FROM_ZERO.area[511], 1.0);
    assert!(FROM_ZERO.area_rest[511].abs() < 1e-27, "{:e}", FROM_ZERO.area_rest[511]);
}

#[test]
fn heights_are_those_of_the_curves() {
    let near = |found: f64, want: f64| (found / want - 1.0).abs() < 1e-13;
    for row in 0..512 {
        let x = row as f64 / TABLE_STEPS;
        assert!(near(FROM_ZERO.height[row], FROM_ZERO.height[0] * pxfm::f_exp(-x * x)), "{x}");
    }
    for row in 0..2048 {
        let x = row as f64 / TABLE_STEPS;
        assert!(near(BEYOND.height[row], BEYOND.height[0] * pxfm::f_exp(-0.5 * x * x)), "{x}");
    }
    let first = (LIFTED * TABLE_STEPS) as usize;
    assert!(near(BEYOND.height[first], BEYOND.height[0] * pxfm::f_exp(-512.0) * LIFT));
}

#[test]
fn rests_are_less_than_half_a_last_place() {
    fn check<const N: usize>(areas: &Areas<N>) {
        let parts = [(&areas.area, &areas.area_rest), (&areas.height, &areas.height_rest)];
        for (all, rests) in parts {
            for (row, (&whole, &rest)) in all.iter().zip(rests).enumerate() {
                assert_eq!(whole + rest, whole, "{row}");
                assert!(rest != 0.0 || row < 2, "{row}");
            }
        }
    }
    check(FROM_ZERO);
    check(BEYOND);
}
