//! Checks that loops with special code for a level, dtype or constant give the same results as the others.

use half::{bf16, f16};

use broadaxe_kernels::{
    DType, HasKernels, Input, Isa, Kernel, Level, Nest, OPS, Output, Program, Serial, Slot, Step, cast, find, run_at,
};

/// Runs one kernel over rows of `n` elements; an operand of one element is constant.
fn run(isa: Isa, kernel: &'static Kernel, operands: &[&[u8]], n: usize) -> Vec<u8> {
    let dtypes = kernel.inputs();
    let args: Vec<Slot> = (0..dtypes.len()).map(Slot::Input).collect();
    let program =
        Program::new(dtypes.to_vec(), vec![Step::new(kernel, args)]).expect("a kernel accepts its own dtypes");
    let stride =
        |(bytes, dtype): (&&[u8], &DType)| vec![if bytes.len() == dtype.size() { 0 } else { dtype.size() as isize }];
    let size = kernel.output().size();
    let inputs = operands.iter().zip(dtypes).map(stride).collect();
    let nest = Nest { dims: vec![n], output: vec![size as isize], inputs };
    let mut out = vec![0; n * size];
    let inputs: Vec<Input> = operands.iter().map(|bytes| Input::new(bytes, 0)).collect();
    run_at(isa, &program, &nest, &inputs, Output::new(&mut out, 0), &Serial, None).expect("nothing is rejected");
    out
}

/// Runs at every level, completely and in short pieces, and compares with the lowest level.
fn compare(what: &str, kernel: &'static Kernel, operands: &[&[u8]], n: usize) {
    let least = Isa::of(Level::Baseline).expect("every CPU has it");
    let want = run(least, kernel, operands, n);
    for isa in Isa::available() {
        let got = run(isa, kernel, operands, n);
        let first = got.iter().zip(&want).position(|(x, y)| x != y);
        if let Some(element) = first.map(|byte| byte / kernel.output().size()) {
            let bytes = |of: &[u8]| of.chunks(kernel.output().size()).nth(element).map(<[u8]>::to_vec);
            panic!("{what} at {:?}: element {element} is {:x?}, not {:x?}", isa.level(), bytes(&got), bytes(&want));
        }
        for n in [1, 7, 16, 127, 129, 300] {
            let short = |(bytes, dtype): (&&[u8], &DType)| bytes[..bytes.len().min(n * dtype.size())].to_vec();
            let pieces: Vec<Vec<u8>> = operands.iter().zip(kernel.inputs()).map(short).collect();
            let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            let got = run(isa, kernel, &pieces, n);
            assert!(got[..] == want[..got.len()], "{n} of {what} at {:?}", isa.level());
        }
    }
}

#[test]
fn halves_are_the_same_at_every_level() {
    let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_ne_bytes).collect();
    // An odd factor permutes the numbers.
    let mixed: Vec<u8> = (0..=u16::MAX).flat_map(|x| x.wrapping_mul(0x6a4d).to_ne_bytes()).collect();
    for dtype in [DType::F16, DType::BF16] {
        for op in OPS.iter().filter(|op| op.arity() < 3) {
            let Some(kernel) = op.kernel(dtype) else { continue };
            let what = format!("{} of {}", op.name(), dtype.name());
            if op.arity() == 1 {
                compare(&what, kernel, &[&all], 1 << 16);
                continue;
            }
            compare(&what, kernel, &[&all, &mixed], 1 << 16);
            for constant in [0x3c01_u16, 0x0003, 0x7bff, 0x7c00, 0xfe01, 0x8000] {
                compare(&what, kernel, &[&all, &constant.to_ne_bytes()], 1 << 16);
                compare(&what, kernel, &[&constant.to_ne_bytes(), &all], 1 << 16);
            }
        }
        compare("a cast to f32", cast(dtype, DType::F32), &[&all], 1 << 16);
        // All values that an f16 distinguishes, and the bits below that decide its rounding.
        let below = [0_u32, 1, 0x0fff, 0x1000, 0x1001, 0x1fff, 0x7fff, 0x8000];
        let floats: Vec<u8> =
            (0..1_u32 << 19).flat_map(|x| (x << 13 | below[x as usize % 8] & 0x1fff).to_ne_bytes()).collect();
        compare("a cast from f32", cast(DType::F32, dtype), &[&floats], 1 << 19);
    }
}

/// Returns the highest bits of zeros, infinities, NaN, ones and other numbers of all floats, as elements of `size` bytes.
fn of_all_kinds(size: usize) -> Vec<Vec<u8>> {
    let kinds = [0_u64, 0x7ff0, 0x7f80, 0x7c00, 0x7ff8, 0x7fc0, 0x7e00, 0x3ff0, 0x3f80, 0x3c00, 0x0010, 0x4111];
    let numbers = kinds.into_iter().flat_map(|high| [high << 48, (high | 0x8000) << 48]);
    let others = (1..12_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    numbers.chain(others).map(|bits| (bits >> (64 - 8 * size)).to_le_bytes()[..size].to_vec()).collect()
}

#[test]
fn a_constant_is_as_good_as_its_copies() {
    for op in OPS.iter().filter(|op| op.arity() == 2) {
        let kernels = op.dtypes().filter_map(|dtype| op.kernel(dtype));
        for kernel in kernels.filter(|kernel| kernel.guard().is_none()) {
            let numbers = of_all_kinds(kernel.inputs()[0].size());
            let (dense, n) = (numbers.concat(), numbers.len());
            for constant in &numbers {
                let copies = constant.repeat(n);
                for isa in Isa::available() {
                    let what = || format!("{} of {:?} with {constant:x?}", op.name(), kernel.inputs());
                    let [first, second] = [&copies, constant].map(|own| run(isa, kernel, &[own, &dense], n));
                    assert!(first == second, "{} first at {:?}", what(), isa.level());
                    let [first, second] = [&copies, constant].map(|own| run(isa, kernel, &[&dense, own], n));
                    assert!(first == second, "{} second at {:?}", what(), isa.level());
                }
            }
        }
    }
}

/// Returns the result of a division in wide integers.
fn wide(name: &str, a: i128, b: i128) -> i128 {
    let floor = a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0);
    match name {
        "div_trunc" => a / b,
        "div_floor" => floor,
        "mod_floor" => a - floor * b,
        "fmod" => a % b,
        _ => {
            let rest = a - floor * b;
            let (double, divisor) = (2 * rest.abs(), b.abs());
            if double > divisor || (double == divisor && floor % 2 != 0) { rest - b } else { rest }
        }
    }
}

#[test]
fn constant_and_dense_divisors_give_the_quotient() {
    let integers = [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];
    for dtype in integers {
        let (size, signed) = (dtype.size(), dtype.name().starts_with('i'));
        let bits = 8 * size;
        let (low, high) = if signed { (-(1_i128 << (bits - 1)), 1 << (bits - 1)) } else { (0, 1_i128 << bits) };
        let mut numbers: Vec<i128> = (0..bits).flat_map(|bit| (-2..3).map(move |k| (1 << bit) + k)).collect();
        numbers.extend([high - 1, (high - 1) / 3 * 3, (high - 1) / 7 * 7 - 1, (high - 1) / 10 * 10]);
        numbers.extend(numbers.clone().iter().map(|x| -x));
        numbers.push(low);
        numbers.retain(|x| (low..high).contains(x));
        let bytes = |x: i128| x.to_le_bytes()[..size].to_vec();
        let dense: Vec<u8> = numbers.iter().flat_map(|&x| bytes(x)).collect();
        for name in ["div_trunc", "div_floor", "mod_floor", "fmod", "remainder_ieee"] {
            let kernel = find(name).and_then(|op| op.kernel(dtype)).expect("in the table");
            for &b in numbers.iter().filter(|&&b| b != 0) {
                let want: Vec<u8> = numbers.iter().flat_map(|&a| bytes(wide(name, a, b))).collect();
                let repeated: Vec<u8> = numbers.iter().flat_map(|_| bytes(b)).collect();
                for isa in Isa::available() {
                    for divisor in [&bytes(b), &repeated] {
                        let got = run(isa, kernel, &[&dense, divisor], numbers.len());
                        assert!(got == want, "{name} of {} by {b} at {:?}", dtype.name(), isa.level());
                    }
                }
            }
        }
    }
}

#[test]
fn a_constant_divisor_of_zero_is_refused() {
    let kernel = find("div_floor").and_then(|op| op.kernel(DType::I32)).expect("in the table");
    let program = Program::new(vec![DType::I32; 2], vec![Step::new(kernel, [Slot::Input(0), Slot::Input(1)])]);
    let program = program.expect("a kernel accepts its own dtypes");
    let nest = Nest { dims: vec![3, 4], output: vec![16, 4], inputs: vec![vec![16, 4], vec![4, 0]] };
    let (numbers, divisors) = ([1_u8; 48], [1_i32, 0, 2].map(i32::to_ne_bytes).concat());
    for isa in Isa::available() {
        let (inputs, mut out) = ([Input::new(&numbers, 0), Input::new(&divisors, 0)], [0; 48]);
        let result = run_at(isa, &program, &nest, &inputs, Output::new(&mut out, 0), &Serial, None);
        let rejected = broadaxe_kernels::Failure::Rejected { step: 0, what: "a zero divisor", element: 4 };
        assert_eq!(result, Err(rejected));
    }
}

/// Returns f64 of every exponent, both signs and all kinds, which as f32 also have every exponent.
fn of_all_exponents() -> Vec<f64> {
    let mut numbers = vec![0.0, -0.0, 1.0, -1.0, 3.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, 5e-324];
    numbers.extend((0..60_000_u64).map(|i| {
        let (sign, bits) = (i << 63, i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12);
        // Half of them where the cubes of f32 are finite.
        let exponent = if i % 4 < 2 { i / 4 % 2046 } else { 1023 - 60 + i / 4 % 110 };
        f64::from_bits(sign | exponent << 52 | bits)
    }));
    numbers
}

/// Returns the largest power of 2 that is at most |x|.
fn power_of_2_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits())
}

/// A float: its dtype, a number as bytes, bytes as a number, half its precision around 1, and the smallest subnormal
/// number.
type Float = (DType, fn(f64) -> Vec<u8>, fn(&[u8]) -> f64, f64, f64);

/// Returns every float.
fn floats() -> [Float; 4] {
    let two_to = |n: i32| f64::from(n).exp2();
    [
        (
            DType::F16,
            |x| f16::from_f64(x).to_ne_bytes().to_vec(),
            |x| f16::from_ne_bytes([x[0], x[1]]).to_f64(),
            two_to(-11),
            two_to(-24),
        ),
        (
            DType::BF16,
            |x| bf16::from_f64(x).to_ne_bytes().to_vec(),
            |x| bf16::from_ne_bytes([x[0], x[1]]).to_f64(),
            two_to(-8),
            two_to(-133),
        ),
        (
            DType::F32,
            |x| (x as f32).to_ne_bytes().to_vec(),
            |x| f32::from_ne_bytes([x[0], x[1], x[2], x[3]]).into(),
            two_to(-24),
            two_to(-149),
        ),
        // The reference is itself rounded, so it may have the same error again.
        (
            DType::F64,
            |x| x.to_ne_bytes().to_vec(),
            |x| f64::from_ne_bytes(x.try_into().expect("eight bytes")),
            two_to(-52),
            two_to(-1074),
        ),
    ]
}

#[test]
fn simple_powers_are_the_same_whichever_way_they_are_asked_for() {
    let numbers = of_all_exponents();
    let n = numbers.len();
    for (dtype, encode, decode, half, least) in floats() {
        let kernel = find("pow").and_then(|op| op.kernel(dtype)).expect("in the table");
        let dense: Vec<u8> = numbers.iter().flat_map(|&x| encode(x)).collect();
        for exponent in [2.0, 3.0, 0.5, -0.5, -1.0, 1.0] {
            let constant = encode(exponent);
            let repeated = constant.repeat(n);
            // One of a kind, also among others.
            let other = |i: usize| if i % 3 == 1 { exponent } else { [0.75, -2.0, 5.0][i % 3] };
            let mixed: Vec<u8> = (0..n).flat_map(|i| encode(other(i))).collect();
            let what = format!("a power of {} with the exponent {exponent}", dtype.name());
            compare(&what, kernel, &[&dense, &constant], n);
            compare(&what, kernel, &[&dense, &repeated], n);
            compare(&what, kernel, &[&dense, &mixed], n);
            let isa = Isa::of(Level::Baseline).expect("every CPU has it");
            let got = run(isa, kernel, &[&dense, &constant], n);
            assert!(got == run(isa, kernel, &[&dense, &repeated], n), "{what}, repeated");
            let among = run(isa, kernel, &[&dense, &mixed], n);
            let size = dtype.size();
            for (i, (got, among)) in got.chunks(size).zip(among.chunks(size)).enumerate() {
                assert!(i % 3 != 1 || got == among, "{what}, among others");
                let (x, got) = (decode(&dense[i * size..][..size]), decode(got));
                let wide = x.powf(exponent);
                let near = decode(&encode(wide));
                let same = got == near || got.is_nan() && near.is_nan();
                // One more rounding, and a unit if the result is subnormal.
                let bound = half * 1.001 * power_of_2_below(wide) + least;
                assert!(same || (got - wide).abs() <= bound, "{what}: {x:e} gives {got:e}, not {near:e}");
                assert!(got != 0.0 || got.is_sign_negative() == wide.is_sign_negative(), "{what}: {x:e}");
            }
        }
    }
}

#[test]
fn powers_of_integers_are_the_same_whichever_way_they_are_asked_for() {
    let numbers: Vec<i64> =
        (0..700).map(|i: i64| (i - 350).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> (i % 60)).collect();
    let n = numbers.len();
    for (dtype, size) in [
        (DType::I8, 1),
        (DType::U8, 1),
        (DType::I16, 2),
        (DType::U16, 2),
        (DType::I32, 4),
        (DType::U32, 4),
        (DType::I64, 8),
        (DType::U64, 8),
    ] {
        let encode = |x: i64| {
            let bytes = x.to_ne_bytes();
            if cfg!(target_endian = "big") { bytes[8 - size..].to_vec() } else { bytes[..size].to_vec() }
        };
        let dense: Vec<u8> = numbers.iter().flat_map(|&x| encode(x)).collect();
        for (name, exponent) in [0, 1, 2, 3, 7, 10, 127]
            .map(|exponent| ("pow", exponent))
            .into_iter()
            .chain([("pow_trunc", 3), ("pow_trunc", 0)])
        {
            let kernel = find(name).and_then(|op| op.kernel(dtype)).expect("in the table");
            let constant = encode(exponent);
            let what = format!("{name} of {} with {exponent}", dtype.name());
            compare(&what, kernel, &[&dense, &constant], n);
            compare(&what, kernel, &[&dense, &constant.repeat(n)], n);
            let expected: Vec<u8> = numbers
                .iter()
                .flat_map(|&x| encode((0..exponent).fold(1, |power: i64, _| power.wrapping_mul(x))))
                .collect();
            for isa in Isa::available() {
                assert!(run(isa, kernel, &[&dense, &constant], n) == expected, "{what} at {:?}", isa.level());
                assert!(
                    run(isa, kernel, &[&dense, &constant.repeat(n)], n) == expected,
                    "{what} at {:?}, repeated",
                    isa.level()
                );
            }
        }
    }
}
