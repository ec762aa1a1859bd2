//! Strided copies and chains between guard pages: nothing beyond their elements is touched.

use super::{
    fences::Fenced,
    raw::{chain_fenced, strided_copy_fenced},
    *,
};
use crate::{
    nest::reach,
    pack::{Axis, CopyPlan},
};

/// Lists the bytes to each element that the axes reach, the last axis fastest.
fn places(axes: &[Axis]) -> Vec<isize> {
    let Some((&Axis { count, stride }, inner)) = axes.split_first() else { return vec![0] };
    let inner = places(inner);
    (0..count as isize).flat_map(|i| inner.iter().map(move |place| place + stride * i)).collect()
}

#[test]
fn packers_move_every_element_and_touch_nothing_else() {
    let (fences, mut random) = ((Fenced::new(), Fenced::new()), Random(6));
    let mut done = 0;
    for round in 0..20_000 {
        let (size, packs) = (1 << random.below(4), round % 4 != 0);
        let most = [3, 9, 20, 70][random.below(4)];
        let dims: Vec<usize> = (0..random.below(5)).map(|_| 1 + random.below(most)).collect();
        let (strides, _) = random.strides(&dims, size, !packs);
        let dense = dims.iter().product::<usize>() * size;
        let (low, high) = reach(&dims, &strides, size).expect("small");
        let (strided, start) = ((high - low) as usize, (-low) as usize);
        if dense > 4096 || strided > 4096 {
            continue;
        }
        done += 1;
        let axes: Vec<Axis> = dims.iter().zip(&strides).map(|(&count, &stride)| Axis { count, stride }).collect();
        let way = if packs { CopyPlan::pack(size, &axes) } else { CopyPlan::unpack(size, &axes) };
        let way = CopyPlan { ahead: round % 3 != 0, ..way };
        let (lens, offsets) = if packs { ([strided, dense], [start, 0]) } else { ([dense, strided], [0, start]) };
        for (isa, at_end) in Isa::available().into_iter().flat_map(|isa| [(isa, false), (isa, true)]) {
            let [from, to] = strided_copy_fenced(isa, &way, (&fences.0, &fences.1), lens, offsets, at_end);
            let mut want = vec![0xee; to.len()];
            for (i, place) in places(&axes).into_iter().enumerate() {
                let place = (start as isize + place) as usize;
                let (read, written) = if packs { (place, i * size) } else { (i * size, place) };
                want[written..written + size].copy_from_slice(&from[read..read + size]);
            }
            assert!(to == want, "{size} bytes along {axes:?} by {way:?} at {:?}", isa.level());
        }
    }
    assert!(done > 5000, "only {done} rounds were small enough");
}

#[test]
fn small_blocks_are_put_in_order_at_every_level() {
    let fences = (Fenced::new(), Fenced::new());
    let mut done = 0;
    // Two dims of a block and how many blocks there are, whether they follow one another, and whether each has its elements once.
    let blocks = [(2, 2), (2, 3), (3, 2), (3, 4), (4, 3), (5, 3), (3, 5), (5, 7), (7, 7), (6, 8)];
    for (size, (rows, columns)) in [1, 2, 4, 8].into_iter().flat_map(|size| blocks.map(|block| (size, block))) {
        let own = rows * columns * size;
        for (count, apart, sign) in
            [(1, 0, 1), (2, 0, 1), (9, 0, -1), (43, 0, 1), (64, 0, -1), (43, 2 * size, 1), (64, size, -1)]
        {
            let step = (own + apart) as isize;
            let (strided, dense) = (count * (own + apart) - apart, count * own);
            if strided > 4096 || dense > 4096 {
                continue;
            }
            let column = (rows * size) as isize;
            let axes = [(count, step), (rows, size as isize * sign), (columns, column)];
            let axes = axes.map(|(count, stride)| Axis { count, stride });
            let start = if sign < 0 { (rows - 1) * size } else { 0 };
            let way = CopyPlan::pack(size, &axes);
            done += usize::from(way.permutation.together > 0);
            for (isa, at_end) in Isa::available().into_iter().flat_map(|isa| [(isa, false), (isa, true)]) {
                let lens = [strided, dense];
                let [from, to] = strided_copy_fenced(isa, &way, (&fences.0, &fences.1), lens, [start, 0], at_end);
                let want = places(&axes).into_iter().flat_map(|place| {
                    let place = (start as isize + place) as usize;
                    from[place..place + size].iter().copied()
                });
                assert!(want.eq(to.iter().copied()), "{size} bytes along {axes:?} by {way:?} at {:?}", isa.level());
            }
        }
    }
    assert!(done > 50, "only {done} blocks were put in order in vectors");
}

#[test]
fn squares_are_transposed_at_every_level() {
    let fences = (Fenced::new(), Fenced::new());
    // Less than a square of a lane, whole squares of each width and what is left of them; the bytes between two columns; directions.
    let counts = [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65];
    let shapes: Vec<_> = counts.iter().flat_map(|&rows| counts.map(|columns| (rows, columns))).collect();
    for (size, &(rows, columns)) in
        [1, 2, 4, 8].into_iter().flat_map(|size| shapes.iter().map(move |shape| (size, shape)))
    {
        for (apart, down, right) in [(0, 1, 1), (size, 1, -1), (3, -1, 1), (1, -1, -1)] {
            let step = rows * size + apart;
            let (strided, dense) = (step * (columns - 1) + rows * size, rows * columns * size);
            if strided > 4096 || dense > 4096 {
                continue;
            }
            let axes = [(rows, size as isize * down), (columns, step as isize * right)];
            let axes = axes.map(|(count, stride)| Axis { count, stride });
            let start = places(&axes).into_iter().min().map_or(0, isize::unsigned_abs);
            for (isa, at_end) in Isa::available().into_iter().flat_map(|isa| [(isa, false), (isa, true)]) {
                let way = CopyPlan::pack(size, &axes);
                let [from, to] =
                    strided_copy_fenced(isa, &way, (&fences.0, &fences.1), [strided, dense], [start, 0], at_end);
                let want = places(&axes).into_iter().flat_map(|place| {
                    let place = (start as isize + place) as usize;
                    from[place..place + size].iter().copied()
                });
                assert!(want.eq(to.iter().copied()), "{size} bytes along {axes:?} at {:?}", isa.level());
            }
        }
    }
}

#[test]
fn packers_that_look_ahead_move_every_element() {
    let fences = (Fenced::new(), Fenced::new());
    for (size, apart) in [1, 2, 4, 8].into_iter().flat_map(|size| [-1, 2, 3, 4].map(|apart| (size, apart))) {
        for (rows, n) in [(1, 255), (1, 256), (1, 257), (1, 700), (2, 256), (2, 300)] {
            let row = (n - 1) * isize::unsigned_abs(apart) + 1;
            let (strided, dense) = (rows * row * size, rows * n * size);
            if strided > 4096 || dense > 4096 {
                continue;
            }
            let along = apart * size as isize;
            let axes = [Axis { count: rows, stride: (row * size) as isize }, Axis { count: n, stride: along }];
            let way = CopyPlan { ahead: true, ..CopyPlan::pack(size, &axes) };
            let start = if apart < 0 { (row - 1) * size } else { 0 };
            for (isa, at_end) in Isa::available().into_iter().flat_map(|isa| [(isa, false), (isa, true)]) {
                let lens = [strided, dense];
                let [from, to] = strided_copy_fenced(isa, &way, (&fences.0, &fences.1), lens, [start, 0], at_end);
                for (i, place) in places(&axes).into_iter().enumerate() {
                    let place = (start as isize + place) as usize;
                    let about = format!("element {i} of {rows} x {n}, {size} bytes {apart} apart at {:?}", isa.level());
                    assert_eq!(to[i * size..][..size], from[place..][..size], "{about}");
                }
            }
        }
    }
}

/// Chains read whole vectors of strided operands.
#[test]
fn no_chain_leaves_its_operands() {
    let fences = (Fenced::new(), Fenced::new());
    for apart in (-8..=8_isize).filter(|&apart| apart != 0) {
        let most = 1023 / apart.unsigned_abs() + 1;
        for n in (1..most).step_by(5).chain([32, 64, 127, 128, most]).filter(|&n| n <= most) {
            let first = if apart < 0 { (n as isize - 1) * -apart } else { 0 };
            let want: Vec<f32> = (0..n as isize).map(|i| (first + i * apart) as f32).collect();
            for (isa, at_end) in Isa::available().into_iter().flat_map(|isa| [(isa, false), (isa, true)]) {
                let got = chain_fenced(isa, (&fences.0, &fences.1), (n, apart), at_end);
                assert!(got.is_none_or(|got| got == want), "{n} elements {apart} apart at {:?}", isa.level());
            }
        }
    }
}

#[test]
fn no_packer_leaves_its_operands() {
    let (input, mut output) = (Fenced::new(), Fenced::new());
    for dtype in DType::ALL {
        let (program, size) = (single(copy(dtype)), dtype.size());
        for (rows, columns) in (0..12).flat_map(|rows| (0..12).map(move |columns| (rows, columns))) {
            for at_end in [false, true] {
                let len = rows * columns * size;
                let (down, right) = ((columns * size) as isize, size as isize);
                let last = len.saturating_sub(size);
                // Forwards to transposed, and backwards to forwards.
                let transposed = ((rows * size) as isize, size as isize);
                for (strides, offset, (across, along)) in
                    [([down, right], 0, (transposed.1, transposed.0)), ([-down, -right], last, (down, right))]
                {
                    let nest =
                        Nest { dims: vec![rows, columns], output: vec![across, along], inputs: vec![strides.to_vec()] };
                    let from = input.input(len, at_end, offset);
                    let result = run(&program, &nest, &[from], output.output(len, at_end), &Serial, None);
                    assert_eq!(result, Ok(()), "{dtype} {rows} x {columns}");
                }
            }
        }
    }
}
