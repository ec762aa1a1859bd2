//! Checks loops that compute most elements in one way and rare ones in another, wherever the rare ones stand.

use broadaxe_kernels::{
    DType, Element, Input, Isa, Nest, Output, Program, Serial, Slot, Step, find, math, run_at, tile::bytes,
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

/// Makes small numbers with rare ones among them: none, one at a place, or every third.
fn mixture(count: usize, kind: usize) -> Vec<f64> {
    let rare = [1.7e6, -1e300, f64::INFINITY, 1e22, f64::NEG_INFINITY, -1_600_000.000_000_1];
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
