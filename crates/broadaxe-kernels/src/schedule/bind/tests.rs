use crate::{
    DType, Input, Isa, Level, Nest, Output, Program, Schedule, Scoped, Slot, Step, find, nest::AccessPattern,
    schedule::Body, table::HasKernels,
};

fn operator(name: &str, dtype: DType) -> Program {
    let kernel = find(name).and_then(|op| op.kernel(dtype)).expect("in the table");
    let args: Vec<Slot> = (0..kernel.inputs().len()).map(Slot::Input).collect();
    Program::new(kernel.inputs().to_vec(), vec![Step::new(kernel, args)]).expect("dtypes fit")
}

/// Strided elements of 64 bits are computed in place, and so are strided results.
#[test]
fn elements_apart_are_computed_where_they_lie() {
    // Not a whole number of groups, also in rows of a third, and enough for two threads.
    let (n, size) = (300_021, 8);
    // The loops, and the strides in elements of two operands and the result; whether they are computed in place.
    let cases: [(Vec<usize>, [Vec<isize>; 3], bool); 5] = [
        (vec![n], [vec![3], vec![-2], vec![1]], true),
        (vec![n], [vec![2], vec![2], vec![-5]], true),
        (vec![3, n / 3], [vec![8 * (n / 3) as isize, 8], vec![0, 2], vec![(n / 3) as isize, 1]], true),
        (vec![n], [vec![2], vec![1], vec![1]], true),
        (vec![n], [vec![9], vec![2], vec![1]], false),
    ];
    for (dims, strides, is_single) in cases {
        let reach = |own: &[isize]| dims.iter().zip(own).map(|(&dim, &by)| (dim as isize - 1) * by).sum::<isize>();
        let bytes = strides.each_ref().map(|own| size * (reach(own).unsigned_abs() + 1));
        let start = strides.each_ref().map(|own| if reach(own) < 0 { size * reach(own).unsigned_abs() } else { 0 });
        let fill =
            |seed: usize, bytes: usize| -> Vec<u8> { (0..bytes).map(|at| (at * seed + at / 251) as u8).collect() };
        let (a, b) = (fill(7, bytes[0]), fill(11, bytes[1]));
        let scaled = |own: &Vec<isize>| own.iter().map(|by| by * size as isize).collect();
        let inputs = vec![scaled(&strides[0]), scaled(&strides[1])];
        let nest = Nest { dims: dims.clone(), output: scaled(&strides[2]), inputs };
        let number = |from: &[u8], at: usize| u64::from_le_bytes(from[at..at + 8].try_into().expect("eight bytes"));
        for (isa, threads) in Isa::available().into_iter().flat_map(|isa| [(isa, 1), (isa, 2)]) {
            let schedule = Schedule::at(isa, &operator("sub", DType::I64), &nest).expect("sound");
            let found = matches!(schedule.body, Body::Strided(_));
            let gathers = matches!(isa.level(), Level::Avx2 | Level::Avx512);
            assert_eq!(found, is_single && gathers, "{nest:?}");
            assert!(!found || schedule.operands.iter().all(|own| own.access != AccessPattern::Irregular));
            let mut result = vec![0; bytes[2]];
            let inputs = [Input::new(&a, start[0]), Input::new(&b, start[1])];
            schedule.run(&inputs, Output::new(&mut result, start[2]), &Scoped(threads), None).expect("sound");
            let inner = dims[dims.len() - 1];
            for at in 0..n {
                let index = if dims.len() == 1 { vec![at] } else { vec![at / inner, at % inner] };
                let place = |k: usize| {
                    let by: isize = index.iter().zip(&strides[k]).map(|(&i, &by)| i as isize * by).sum();
                    start[k].wrapping_add_signed(by * size as isize)
                };
                let want = number(&a, place(0)).wrapping_sub(number(&b, place(1)));
                assert_eq!(number(&result, place(2)), want, "{at} of {nest:?} at {:?} by {threads}", isa.level());
            }
        }
    }
}
