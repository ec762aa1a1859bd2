//! Checks folds and searches against the simplest loops that follow the same tree.

use broadaxe_kernels::{
    Bool, Buffer, DType, Domain, Element, Executor, Failure, HasKernels, Input, Isa, Program, Reduce, Reduction,
    Scoped, Serial, Slot, Step, find, tile,
};

/// Folds one sequence as the module documentation of `fold.rs` describes, in the simplest way.
fn naive<T: Copy>(elements: &[T], lanes: usize, join: fn(T, T) -> T) -> T {
    let block = |elements: &[T]| {
        let mut row: Vec<Option<T>> = vec![None; lanes];
        for (i, &x) in elements.iter().enumerate() {
            let lane = &mut row[i % lanes];
            *lane = Some(lane.map_or(x, |before| join(before, x)));
        }
        while row.len() > 1 {
            let later = row.split_off(row.len() / 2);
            for (a, b) in row.iter_mut().zip(later) {
                *a = match (*a, b) {
                    (Some(a), Some(b)) => Some(join(a, b)),
                    (a, b) => a.or(b),
                };
            }
        }
        row[0].expect("a block has an element")
    };
    // Groups of blocks, one for each set bit of their number, the largest group first.
    fn group<T: Copy>(parts: &[T], join: fn(T, T) -> T) -> T {
        if let [one] = parts {
            return *one;
        }
        let whole = parts.len().is_power_of_two();
        let half = if whole { parts.len() / 2 } else { 1 << parts.len().ilog2() };
        join(group(&parts[..half], join), group(&parts[half..], join))
    }
    group(&elements.chunks(16 * lanes).map(block).collect::<Vec<_>>(), join)
}

/// Generates floats of very different sizes, so that any other order of additions gives other bits.
fn numbers(count: usize, mut seed: u64) -> Vec<f64> {
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed >> 33
    };
    (0..count).map(|_| (next() as f64 / 1e9 - 1.0) * f64::from(1 << (next() % 20))).collect()
}

struct Case {
    shape: Vec<usize>,
    axes: Vec<usize>,
    /// In elements.
    strides: Vec<isize>,
    offset: usize,
    len: usize,
}

fn dense(shape: &[usize], axes: &[usize]) -> Case {
    let mut strides = vec![0; shape.len()];
    let mut len = 1;
    for axis in (0..shape.len()).rev() {
        strides[axis] = len as isize;
        len *= shape[axis];
    }
    Case { shape: shape.to_vec(), axes: axes.to_vec(), strides, offset: 0, len }
}

impl Case {
    fn flipped(mut self, axis: usize) -> Self {
        self.offset += (self.shape[axis] - 1) * self.strides[axis].unsigned_abs();
        self.strides[axis] = -self.strides[axis];
        self
    }

    /// The same shape, its axes in the reverse order in memory.
    fn turned(mut self) -> Self {
        let mut step = 1;
        for axis in 0..self.shape.len() {
            self.strides[axis] = step;
            step *= self.shape[axis] as isize;
        }
        self
    }

    fn repeated(mut self, axis: usize) -> Self {
        self.strides[axis] = 0;
        self
    }

    fn cases() -> Vec<Self> {
        let mut cases = Vec::new();
        let shapes: &[(&[usize], &[usize])] = &[
            (&[1], &[0]),
            (&[31], &[0]),
            (&[33], &[0]),
            (&[513], &[0]),
            (&[5000], &[0]),
            (&[600_000], &[0]),
            (&[700, 3], &[0]),
            (&[3, 700], &[0]),
            (&[3, 700], &[1]),
            (&[700, 3], &[1]),
            (&[300_000, 3], &[0]),
            (&[5, 1300], &[1]),
            (&[1300, 40], &[0]),
            (&[64, 64], &[1]),
            (&[3, 50, 7], &[1]),
            (&[3, 50, 700], &[0, 2]),
            (&[5, 70, 9], &[0, 2]),
            (&[6, 5, 4, 3], &[1, 3]),
            (&[6, 5, 4, 3], &[0, 1, 2, 3]),
            (&[40, 1, 50], &[]),
        ];
        for (shape, axes) in shapes {
            cases.push(dense(shape, axes));
            cases.push(dense(shape, axes).turned());
            cases.push(dense(shape, axes).flipped(0));
            cases.push(dense(shape, axes).turned().flipped(shape.len() - 1));
            cases.push(dense(shape, axes).repeated(shape.len() - 1));
        }
        cases
    }

    /// Lists the offsets of the elements of each result.
    fn sequences(&self) -> Vec<Vec<usize>> {
        let mut index = vec![0; self.shape.len()];
        let mut found: Vec<Vec<usize>> = Vec::new();
        for _ in 0..self.shape.iter().product() {
            let mut result = 0;
            for axis in (0..self.shape.len()).filter(|axis| !self.axes.contains(axis)) {
                result = result * self.shape[axis] + index[axis];
            }
            let at = index.iter().zip(&self.strides).map(|(&i, &stride)| i as isize * stride).sum::<isize>();
            found.resize(found.len().max(result + 1), Vec::new());
            found[result].push((self.offset as isize + at) as usize);
            for axis in (0..self.shape.len()).rev() {
                index[axis] += 1;
                if index[axis] < self.shape[axis] {
                    break;
                }
                index[axis] = 0;
            }
        }
        found
    }

    fn domain(&self, size: usize, inputs: usize) -> Domain {
        let strides: Vec<isize> = self.strides.iter().map(|stride| stride * size as isize).collect();
        Domain::new(&self.shape, &self.axes, &vec![strides; inputs])
    }
}

/// Folds at a level, on `threads` threads.
fn fold<T: Element, O: Element + Copy>(
    case: &Case,
    reduction: Reduction,
    program: Option<&Program>,
    elements: &[T],
    (isa, threads): (Isa, usize),
) -> Result<Vec<O>, Failure> {
    let domain = case.domain(size_of::<T>(), 1);
    let operand = program.map_or(T::DTYPE, Program::output);
    let reduce = Reduce { reduction, operand, program, domain: &domain };
    let kept: usize =
        (0..case.shape.len()).filter(|axis| !case.axes.contains(axis)).map(|axis| case.shape[axis]).product();
    let mut out = Buffer::zeroed(kept * size_of::<O>()).expect("small");
    let inputs = [Input::new(tile::bytes(elements), case.offset * size_of::<T>())];
    let executor: &dyn Executor = if threads == 1 { &Serial } else { &Scoped(threads) };
    reduce.run_at(isa, &inputs, out.bytes_mut(), executor, None)?;
    Ok(tile::elements::<O>(out.bytes()).expect("aligned").to_vec())
}

fn ways() -> Vec<(Isa, usize)> {
    let best = Isa::available().len() - 1;
    let isas = Isa::available().into_iter().map(|isa| (isa, 1));
    isas.chain([2, 3, 7].map(|threads| (Isa::available()[best], threads))).collect()
}

#[test]
fn sums_follow_the_tree_to_the_last_bit() {
    let negate = find("neg").and_then(|op| op.kernel(DType::F32)).expect("neg");
    let negate = Program::new(vec![DType::F32], vec![Step::new(negate, [Slot::Input(0)])]).expect("sound");
    for case in Case::cases() {
        let wide = numbers(case.len, 7);
        let narrow: Vec<f32> = wide.iter().map(|&x| x as f32).collect();
        let sequences = case.sequences();
        let want: Vec<u32> = sequences
            .iter()
            .map(|at| naive(&at.iter().map(|&i| narrow[i]).collect::<Vec<_>>(), 32, |a, b| a + b).to_bits())
            .collect();
        let want_wide: Vec<u64> = sequences
            .iter()
            .map(|at| naive(&at.iter().map(|&i| wide[i]).collect::<Vec<_>>(), 16, |a, b| a + b).to_bits())
            .collect();
        for way in ways() {
            let what = format!("{:?} folded along {:?}, strides {:?}, {way:?}", case.shape, case.axes, case.strides);
            let got: Vec<f32> = fold(&case, Reduction::Sum, None, &narrow, way).expect("folds");
            assert_eq!(got.into_iter().map(f32::to_bits).collect::<Vec<_>>(), want, "{what}");
            let got: Vec<f64> = fold(&case, Reduction::Sum, None, &wide, way).expect("folds");
            assert_eq!(got.into_iter().map(f64::to_bits).collect::<Vec<_>>(), want_wide, "{what}");
            let got: Vec<f32> = fold(&case, Reduction::Sum, Some(&negate), &narrow, way).expect("folds");
            assert_eq!(got.into_iter().map(|x| (-x).to_bits()).collect::<Vec<_>>(), want, "{what}, negated");
        }
    }
}

#[test]
fn searches_find_the_first() {
    for case in Case::cases() {
        // Few different values, so that many are equal; and an occasional NaN.
        let nan = |i: usize| case.len > 2000 && i % 4001 == 1700;
        let elements: Vec<f32> = numbers(case.len, 3)
            .iter()
            .enumerate()
            .map(|(i, x)| if nan(i) { f32::NAN } else { (x % 5.0).trunc() as f32 })
            .collect();
        let sequences = case.sequences();
        for (reduction, less) in
            [(Reduction::ArgMax, (|a, b| a < b) as fn(f32, f32) -> bool), (Reduction::ArgMin, |a, b| a > b)]
        {
            let first = |at: &Vec<usize>| {
                let mut best = 0;
                for (i, &place) in at.iter().enumerate().skip(1) {
                    let (old, new) = (elements[at[best]], elements[place]);
                    if !old.is_nan() && (new.is_nan() || less(old, new)) {
                        best = i;
                    }
                }
                best as i64
            };
            let want: Vec<i64> = sequences.iter().map(first).collect();
            for way in ways() {
                let got: Vec<i64> = fold(&case, reduction, None, &elements, way).expect("folds");
                assert_eq!(got, want, "{reduction:?} of {:?} along {:?}, {:?}", case.shape, case.axes, case.strides);
            }
        }
    }
}

#[test]
fn truths_are_bytes() {
    let mut elements = vec![Bool(0); 100_000];
    elements[77_777] = Bool(0x80);
    for way in ways() {
        let truths = |shape: &[usize], axes: &[usize], reduction| {
            let got: Vec<Bool> = fold(&dense(shape, axes), reduction, None, &elements, way).expect("folds");
            got.iter().map(|x| x.0).collect::<Vec<_>>()
        };
        assert_eq!(truths(&[100_000], &[0], Reduction::Any), [1]);
        assert_eq!(truths(&[100_000], &[0], Reduction::All), [0]);
        let mut rows = vec![0; 100];
        rows[77] = 1;
        assert_eq!(truths(&[100, 1000], &[1], Reduction::Any), rows);
        let counted: Vec<i64> = fold(&dense(&[100_000], &[0]), Reduction::Sum, None, &elements, way).expect("folds");
        assert_eq!(counted, [1]);
    }
}

#[test]
fn refusals_name_the_first_element() {
    let divide = find("div_floor").and_then(|op| op.kernel(DType::I32)).expect("div_floor");
    let program = Program::new(vec![DType::I32], vec![Step::new(divide, [Slot::Input(0), Slot::Input(0)])]);
    let program = program.expect("sound");
    for (shape, axes, zero, want) in [
        (&[300_000_usize][..], &[0_usize][..], 250_001_usize, 250_001_u64),
        (&[500, 600], &[1], 123_456, 123_456),
        (&[500, 600], &[0], 123_456, (123_456 % 600) * 500 + 123_456 / 600),
    ] {
        let mut elements = vec![1_i32; shape.iter().product()];
        elements[zero] = 0;
        for way in ways() {
            let got: Result<Vec<i64>, _> = fold(&dense(shape, axes), Reduction::Sum, Some(&program), &elements, way);
            assert_eq!(got, Err(Failure::Rejected { step: 0, what: "a zero divisor", element: want }), "{shape:?}");
        }
    }
}

#[test]
fn unsound_calls_are_refused() {
    let elements = [1_f32; 6];
    let domain = Domain::new(&[2, 3], &[1], &[vec![12, 4]]);
    let reduce = |operand| Reduce { reduction: Reduction::Max, operand, program: None, domain: &domain };
    let run = |operand, bytes: &[u8], offset, out: usize| {
        let mut out = vec![0; out];
        reduce(operand).run(&[Input::new(bytes, offset)], &mut out, &Serial, None)
    };
    let bytes = tile::bytes(&elements);
    assert_eq!(run(DType::F32, bytes, 0, 8), Ok(()));
    for (operand, bytes, offset, out) in [
        (DType::F16, bytes, 0, 8),
        (DType::F32, bytes, 4, 8),
        (DType::F32, &bytes[..20], 0, 8),
        (DType::F32, bytes, 0, 4),
    ] {
        let failure = run(operand, bytes, offset, out).expect_err("unsound");
        assert!(matches!(failure, Failure::Layout(_)), "{failure:?}");
    }
}

#[test]
fn a_stop_is_heard() {
    let elements = vec![1_f32; 1 << 20];
    let domain = Domain::new(&[1 << 20], &[0], &[vec![4]]);
    let reduce = Reduce { reduction: Reduction::Sum, operand: DType::F32, program: None, domain: &domain };
    let mut out = [0; 4];
    let stop = |done: u64, total: u64| done < total / 4;
    let inputs = [Input::new(tile::bytes(&elements), 0)];
    assert_eq!(reduce.run(&inputs, &mut out, &Serial, Some(&stop)), Err(Failure::Interrupted));
    assert_eq!(reduce.run(&inputs, &mut out, &Serial, Some(&|_, _| true)), Ok(()));
    assert_eq!(f32::from_ne_bytes(out), 1_048_576.0);
}
