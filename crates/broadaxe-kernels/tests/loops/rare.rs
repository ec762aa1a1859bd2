//! Checks loops that compute most elements by a fast path and rare ones by another, wherever the rare ones are.

use broadaxe_kernels::{
    DType, Element, Failure, HasKernels, Input, Isa, Nest, Output, Program, Serial, Slot, Step, find, math, run_at,
    tile::bytes,
};

/// Runs an operator of one operand over dense elements; returns bytes.
fn ask<T: Element>(isa: Isa, name: &str, dtype: DType, x: &[T]) -> Vec<u8> {
    let kernel = find(name).and_then(|op| op.kernel(dtype)).expect("in the table");
    let program = Program::new(vec![dtype], vec![Step::new(kernel, [Slot::Input(0)])]).expect("one step");
    let size = size_of::<T>() as isize;
    let nest = Nest { dims: vec![x.len()], output: vec![size], inputs: vec![vec![size]] };
    let mut out = vec![0; size_of_val(x)];
    run_at(isa, &program, &nest, &[Input::new(bytes(x), 0)], Output::new(&mut out, 0), &Serial, None).expect("it runs");
    out
}

/// Makes small numbers with rare ones among them: none, one at a position, or every third.
fn mixture(count: usize, kind: usize) -> Vec<f64> {
    let rare = [4.1e5, -1e300, f64::INFINITY, 1e22, f64::NEG_INFINITY, -400_000.000_000_1];
    let is_rare = |i: usize| match kind {
        0 => false,
        1 => i == count / 2,
        2 => i + 1 == count,
        _ => i.is_multiple_of(3),
    };
    let small = |i: usize| if i % 7 == 5 { f64::NAN } else { i as f64 * 0.37 - 50.0 };
    (0..count).map(|i| if is_rare(i) { rare[i % rare.len()] } else { small(i) }).collect()
}

#[test]
fn rare_elements_are_found_anywhere() {
    type Case = (&'static str, fn(f64) -> f64, fn(f32) -> f32);
    let cases: [Case; 3] =
        [("sin", math::sin64, math::sin32), ("cos", math::cos64, math::cos32), ("tan", math::tan64, math::tan32)];
    for isa in Isa::available() {
        for count in [1, 3, 8, 511, 512, 513, 1500] {
            for kind in 0..4 {
                let x = mixture(count, kind);
                let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
                for (name, wide_form, narrow_form) in cases {
                    let wide: Vec<f64> = x.iter().map(|&x| wide_form(x)).collect();
                    let place = format!("{name}, {count} elements, kind {kind}, {:?}", isa.level());
                    assert!(ask(isa, name, DType::F64, &x) == bytes(&wide), "f64 {place}");
                    let narrow_result: Vec<f32> = narrow.iter().map(|&x| narrow_form(x)).collect();
                    assert!(ask(isa, name, DType::F32, &narrow) == bytes(&narrow_result), "f32 {place}");
                }
            }
        }
    }
}

/// Divides by each divisor, or by the only one.
fn divide<T: Element>(isa: Isa, name: &str, a: &[T], b: &[T]) -> Result<Vec<u8>, Failure> {
    let kernel = find(name).and_then(|op| op.kernel(T::DTYPE)).expect("in the table");
    let program =
        Program::new(vec![T::DTYPE; 2], vec![Step::new(kernel, [Slot::Input(0), Slot::Input(1)])]).expect("one step");
    let size = size_of::<T>() as isize;
    let inputs = vec![vec![size], vec![if b.len() == 1 { 0 } else { size }]];
    let nest = Nest { dims: vec![a.len()], output: vec![size], inputs };
    let mut out = vec![0; size_of_val(a)];
    let operands = [Input::new(bytes(a), 0), Input::new(bytes(b), 0)];
    let done = run_at(isa, &program, &nest, &operands, Output::new(&mut out, 0), &Serial, None);
    done.map(|()| out)
}

#[test]
fn integers_far_from_zero_are_found_anywhere() {
    type Case = (&'static str, fn(i128, i128) -> i128);
    let floor = |a: i128, b: i128| a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0);
    let cases: [Case; 5] = [
        ("div_trunc", |a, b| a / b),
        ("fmod", |a, b| a % b),
        ("div_floor", floor),
        ("mod_floor", |a, b| a - (a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0)) * b),
        ("remainder_ieee", |a, b| {
            let rest = a.rem_euclid(b.abs());
            let quotient = (a - rest) / b.abs();
            let up = 2 * rest > b.abs() || (2 * rest == b.abs() && quotient & 1 == 1);
            if up { rest - b.abs() } else { rest }
        }),
    ];
    // Around the bound from which floats do not divide exactly, on both sides, and the ends.
    let edge = 1_i64 << 50;
    let far = [edge, -edge, i64::MAX, i64::MIN, edge + 12_345, -3 * edge];
    let small = |i: usize| (i as i64).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> (14 + i % 49);
    let most = [edge - 1, 1 - edge];
    for isa in Isa::available() {
        for (count, kind) in
            [1, 3, 127, 128, 129, 700].into_iter().flat_map(|count| [(count, 0), (count, 1), (count, 2), (count, 3)])
        {
            let mixed = |i: usize, shift: usize| match kind {
                1 if i == count / 2 => far[shift % far.len()],
                2 if i + 1 == count => far[(shift + 2) % far.len()],
                3 if i.is_multiple_of(3) => far[(i + shift) % far.len()],
                _ if i % 11 == 7 => most[i & 1],
                _ => small(i + shift),
            };
            let a: Vec<i64> = (0..count).map(|i| mixed(i, 0)).collect();
            let b: Vec<i64> = (0..count)
                .map(|i| if kind == 1 { small(i + 9) } else { mixed(i, 4) })
                .map(|b| if b == 0 { 7 } else { b })
                .collect();
            for (name, of) in cases {
                let place = format!("{name}, {count} elements, kind {kind}, {:?}", isa.level());
                for b in [&b[..], &[1000], &[-7], &[edge - 1], &[edge], &[i64::MIN]] {
                    let pair = |i: usize| (i128::from(a[i]), i128::from(b[i % b.len()]));
                    let expected: Vec<i64> = (0..count).map(|i| of(pair(i).0, pair(i).1) as i64).collect();
                    assert!(
                        divide(isa, name, &a, b).expect("no zero") == bytes(&expected),
                        "i64 {place}, {:?}",
                        b.first()
                    );
                    let (x, y): (Vec<u64>, Vec<u64>) =
                        (a.iter().map(|x| x.unsigned_abs()).collect(), b.iter().map(|x| x.unsigned_abs()).collect());
                    let expected: Vec<u64> =
                        (0..count).map(|i| of(x[i].into(), y[i % y.len()].into()) as u64).collect();
                    assert!(
                        divide(isa, name, &x, &y).expect("no zero") == bytes(&expected),
                        "u64 {place}, {:?}",
                        y.first()
                    );
                }
                let mut zero = b.clone();
                zero[count - 1] = 0;
                let rejected = |element: usize| {
                    Err(Failure::Rejected { step: 0, what: "a zero divisor", element: element as u64 })
                };
                assert_eq!(divide(isa, name, &a, &zero), rejected(count - 1), "{place}");
                assert_eq!(divide(isa, name, &a, &[0]), rejected(0), "{place}");
            }
        }
    }
}
