//! Compares operators over arrays of ndarray and over slices with the oracle, on random layouts.
#![allow(clippy::print_stdout)]

use broadaxe::{
    Array, Bool, Element, Error, ErrorKind, OPS, Op, Options, Rule, View, ViewMut, apply, apply_into, apply_into_with,
    bf16, f16, ops,
};
use broadaxe_testing::{
    oracle::{Outcome, Ty, Value, from_bytes, output, to_bytes},
    random::Random,
    strided::{Layout, eval_strided},
};
use ndarray::{
    ArcArray, Array0, Array1, Array2, ArrayD, ArrayRef2, ArrayView, ArrayView2, ArrayViewD, ArrayViewMut,
    ArrayViewMut1, ArrayViewMutD, Axis, CowArray, Dimension, Ix0, Ix1, Ix2, Ix3, IxDyn, Slice, array, s,
};

fn ty<A: Element>() -> Ty {
    Ty::from_name(A::DTYPE.name()).unwrap_or_else(|| panic!("the oracle knows no {}", A::DTYPE))
}

fn typed<A: Element>(values: &[Value]) -> Vec<A> {
    let array = Array::from_bytes(A::DTYPE, [values.len()], &to_bytes(ty::<A>(), values)).expect("as many bytes");
    array.as_slice::<A>().expect("of its dtype").to_vec()
}

fn valued<A: Element>(elements: impl IntoIterator<Item = A>) -> Vec<Value> {
    let elements: Vec<A> = elements.into_iter().collect();
    from_bytes(ty::<A>(), Array::from_vec([elements.len()], elements).expect("as many").as_bytes())
}

/// How a view is cut from a larger array: the order of its axes in memory, and where each begins and how it steps.
struct Cut {
    parent: Vec<usize>,
    order: Vec<usize>,
    slices: Vec<Slice>,
}

impl Cut {
    /// Draws a cut of this shape; with `repeats`, some axes have one element, to be stretched.
    fn new(random: &mut Random, shape: &[usize], repeats: bool) -> Self {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
        let (mut parent, mut slices) = (vec![0; shape.len()], Vec::new());
        for (axis, &dim) in shape.iter().enumerate() {
            let dim = if repeats && dim > 1 && random.once_in(6) { 1 } else { dim };
            let (start, step) = (random.below(3), 1 + random.below(3));
            let end = start + dim.saturating_sub(1) * step + usize::from(dim > 0);
            let place = order.iter().position(|&own| own == axis).expect("a permutation");
            parent[place] = end + random.below(3);
            let step = if random.once_in(3) { -(step as isize) } else { step as isize };
            slices.push(Slice::new(start as isize, Some(end as isize), step));
        }
        Self { parent, order, slices }
    }

    /// Returns where each axis of the view is in memory order.
    fn places(&self) -> Vec<usize> {
        (0..self.order.len())
            .map(|axis| self.order.iter().position(|&own| own == axis).expect("a permutation"))
            .collect()
    }

    fn count(&self) -> usize {
        self.parent.iter().product()
    }

    fn view<'a, A>(&self, elements: &'a [A]) -> ArrayViewD<'a, A> {
        let parent = ArrayView::from_shape(self.parent.clone(), elements).expect("as many");
        let mut view = parent.permuted_axes(self.places());
        for (axis, &slice) in self.slices.iter().enumerate() {
            view.slice_axis_inplace(Axis(axis), slice);
        }
        view
    }

    fn view_mut<'a, A>(&self, elements: &'a mut [A]) -> ArrayViewMutD<'a, A> {
        let parent = ArrayViewMut::from_shape(self.parent.clone(), elements).expect("as many");
        let mut view = parent.permuted_axes(self.places());
        for (axis, &slice) in self.slices.iter().enumerate() {
            view.slice_axis_inplace(Axis(axis), slice);
        }
        view
    }
}

/// Borrows through a type with a fixed number of axes, where there is one.
fn borrowed<A: Element>(view: ArrayViewD<'_, A>) -> Result<View<'_>, Error> {
    fn fixed<A: Element, D: Dimension>(view: ArrayViewD<'_, A>) -> Result<View<'_>, Error> {
        View::try_from(view.into_dimensionality::<D>().expect("of its rank"))
    }
    match view.ndim() {
        0 => fixed::<A, Ix0>(view),
        1 => fixed::<A, Ix1>(view),
        2 => fixed::<A, Ix2>(view),
        3 => fixed::<A, Ix3>(view),
        _ => View::try_from(view),
    }
}

/// What an operator is asked, and what the oracle answers.
struct Question<A> {
    op: &'static Op,
    result: Vec<usize>,
    buffers: Vec<Vec<A>>,
    wanted: Vec<Outcome>,
}

impl<A: Element> Question<A> {
    fn new(op: &'static Op, result: Vec<usize>, buffers: Vec<Vec<A>>, operands: &[Vec<Value>]) -> Self {
        let layout = Layout::contiguous(&result);
        let operands: Vec<(&[Value], &Layout)> = operands.iter().map(|values| (&values[..], &layout)).collect();
        let wanted = eval_strided(op.name(), ty::<A>(), &operands);
        Self { op, result, buffers, wanted }
    }

    /// Compares an answer with the oracle's.
    fn judge(&self, name: &str, answer: Result<Vec<Value>, Error>) -> Result<(), String> {
        let named = || format!("{} of {} {:?}, {name}", self.op.name(), A::DTYPE, self.result);
        let refused = self.wanted.contains(&Outcome::Refused);
        match answer {
            Err(error) if refused && error.kind() == ErrorKind::Value => Ok(()),
            Err(error) => Err(format!("{}: {error}", named())),
            Ok(_) if refused => Err(format!("{}: no refusal", named())),
            Ok(got) => {
                let to = output(self.op.name(), ty::<A>());
                let wrong = self.wanted.iter().zip(&got).position(|(want, &got)| !want.accepts(to, got));
                match wrong {
                    Some(at) => Err(format!("{}: {at} is {:?}, want {:?}", named(), got[at], self.wanted[at])),
                    None if got.len() != self.wanted.len() => Err(format!("{}: {} elements", named(), got.len())),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Draws an operator of this dtype; the operands of `where` are of two.
fn operator<A: Element>(random: &mut Random) -> (&'static Op, usize) {
    let own = |op: &&Op| op.name() != "where" && op.dtypes().any(|dtype| dtype == A::DTYPE);
    let own: Vec<&'static Op> = OPS.iter().filter(own).collect();
    let op = *random.one_of(&own);
    (op, if op.is_variadic() { 1 + random.below(4) } else { op.arity() })
}

/// Draws elements for a buffer.
fn drawn<A: Element>(random: &mut Random, count: usize) -> Vec<A> {
    typed(&(0..count).map(|_| random.value(ty::<A>())).collect::<Vec<_>>())
}

/// Runs `work` with an output cut from a larger buffer, and checks that no element outside it changed.
fn written<B: Element>(
    cut: &Cut,
    work: impl FnOnce(ArrayViewMutD<'_, B>) -> Result<(), Error>,
) -> Result<Vec<Value>, Error> {
    let before = Array::from_bytes(B::DTYPE, [cut.count()], &vec![1; cut.count() * B::DTYPE.size()]).expect("fits");
    let mut after = before.as_slice::<B>().expect("of its dtype").to_vec();
    work(cut.view_mut(&mut after))?;
    let got = valued::<B>(cut.view(&after).iter().copied());
    // What is left when the result is marked again is what was there.
    if let Some(&one) = before.as_slice::<B>().and_then(<[B]>::first) {
        cut.view_mut(&mut after).fill(one);
    }
    assert_eq!(valued(after), valued(before.as_slice::<B>().expect("of its dtype").to_vec()), "outside the output");
    Ok(got)
}

/// Asks one question through arrays of ndarray.
fn arrays<A: Element, B: Element>(random: &mut Random, (op, count): (&'static Op, usize)) -> Result<(), String> {
    let (shapes, result) = random.broadcastable(count, 4, 6);
    let cuts: Vec<Cut> = shapes.iter().map(|shape| Cut::new(random, shape, true)).collect();
    let buffers: Vec<Vec<A>> = cuts.iter().map(|cut| drawn(random, cut.count())).collect();
    let cut: Vec<ArrayViewD<'_, A>> = cuts.iter().zip(&buffers).map(|(cut, buffer)| cut.view(buffer)).collect();
    let views: Vec<ArrayViewD<'_, A>> =
        cut.iter().zip(&shapes).map(|(view, shape)| view.broadcast(&shape[..]).expect("axes of 1 repeat")).collect();
    let spread = |view: &ArrayViewD<'_, A>| valued(view.broadcast(&result[..]).expect("broadcasts").iter().copied());
    let operands: Vec<Vec<Value>> = views.iter().map(spread).collect();
    let question = Question::<A>::new(op, result, buffers.clone(), &operands);
    let lent: Result<Vec<View<'_>>, Error> = views.into_iter().map(borrowed).collect();
    let lent = lent.map_err(|error| error.to_string())?;
    let new = apply(op, &Rule::numpy(), &lent).and_then(|array| {
        let view = ArrayViewD::<B>::try_from(&array)?;
        assert_eq!(view.shape(), question.result);
        Ok(valued(view.iter().copied()))
    });
    question.judge("in an array", new)?;
    let out = Cut::new(random, &question.result, false);
    let into = written::<B>(&out, |view| apply_into(op, &Rule::numpy(), &lent, ViewMut::try_from(view)?));
    question.judge("in a view", into)
}

/// Says whether two lists have equal elements; a NaN equals a NaN.
fn equal(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x == y || format!("{x:?}") == format!("{y:?}"))
}

/// Asks one question through slices.
fn slices<A: Element, B: Element>(random: &mut Random, (op, count): (&'static Op, usize)) -> Result<(), String> {
    let (shapes, result) = random.broadcastable(count, 4, 6);
    let layouts: Vec<Layout> = shapes.iter().map(|shape| random.layout(shape)).collect();
    let buffers: Vec<Vec<A>> = layouts.iter().map(|layout| drawn(random, layout.length())).collect();
    let spread =
        |(layout, buffer): (&Layout, &Vec<A>)| valued(layout.broadcast_to(&result).addresses().map(|at| buffer[at]));
    let operands: Vec<Vec<Value>> = layouts.iter().zip(&buffers).map(spread).collect();
    let question = Question::<A>::new(op, result, buffers, &operands);
    let out = random.layout(&question.result);
    let mut buffer: Vec<B> = drawn(random, out.length());
    let before = valued(buffer.clone());
    let options = Options { threads: Some(1 + random.below(3)), ..Options::default() };
    let done = layouts.iter().zip(&question.buffers).map(|(l, b)| View::from_slice(b, &l.shape, &l.strides, l.offset));
    let done = done.collect::<Result<Vec<_>, _>>().and_then(|views| {
        let out = ViewMut::from_slice(&mut buffer, &out.shape, &out.strides, out.offset)?;
        apply_into_with(op, &options, &views, out)
    });
    let shares = out.shape.iter().zip(&out.strides).any(|(&dim, &stride)| dim > 1 && stride == 0);
    if shares && !out.shape.contains(&0) {
        return match done {
            Err(error) if error.kind() == ErrorKind::Layout && equal(&valued(buffer), &before) => Ok(()),
            done => Err(format!("{} into {out:?}, whose elements share memory: {done:?}", op.name())),
        };
    }
    let mut after = valued(buffer);
    let got: Vec<Value> = out.addresses().map(|at| after[at]).collect();
    out.addresses().for_each(|at| after[at] = before[at]);
    assert!(equal(&after, &before) || done.is_err(), "{} wrote outside {out:?}", op.name());
    question.judge("in slices", done.map(|()| got))
}

/// Asks one question about an operator and this number of operands.
type Ask = fn(&mut Random, (&'static Op, usize)) -> Result<(), String>;

/// Asks questions of one dtype, with the function for the dtype of the result: that of the operands, `Bool`, `u8` or `i32`.
fn asked<A: Element>(random: &mut Random, count: usize, [own, bool, byte, int]: [Ask; 4]) -> Vec<String> {
    let mut faults = Vec::new();
    for _ in 0..count {
        let (op, operands) = operator::<A>(random);
        let ask = match output(op.name(), ty::<A>()) {
            to if to == ty::<A>() => own,
            Ty::Bool => bool,
            Ty::U8 => byte,
            Ty::I32 => int,
            other => panic!("{} gives {}", op.name(), other.name()),
        };
        faults.extend(ask(random, (op, operands)).err());
    }
    faults
}

fn asked_of_slices<A: Element>(random: &mut Random, count: usize) -> Vec<String> {
    asked::<A>(random, count, [slices::<A, A>, slices::<A, Bool>, slices::<A, u8>, slices::<A, i32>])
}

fn asked_of_arrays<A: Element>(random: &mut Random, count: usize) -> Vec<String> {
    asked::<A>(random, count, [arrays::<A, A>, arrays::<A, Bool>, arrays::<A, u8>, arrays::<A, i32>])
}

/// Asks this number of questions of one dtype, and returns the faults.
type AskMany = fn(&mut Random, usize) -> Vec<String>;

#[test]
fn random_layouts_of_every_dtype() {
    let mut random = Random::new(20_261_125);
    // The conversions depend on the size of an element only, so arrays of ndarray have one dtype of each size.
    let every: [(AskMany, usize); 17] = [
        (asked_of_arrays::<u8>, 200),
        (asked_of_arrays::<f16>, 200),
        (asked_of_arrays::<f32>, 200),
        (asked_of_arrays::<i64>, 200),
        (asked_of_slices::<Bool>, 60),
        (asked_of_slices::<i8>, 60),
        (asked_of_slices::<i16>, 60),
        (asked_of_slices::<i32>, 60),
        (asked_of_slices::<i64>, 60),
        (asked_of_slices::<u8>, 60),
        (asked_of_slices::<u16>, 60),
        (asked_of_slices::<u32>, 60),
        (asked_of_slices::<u64>, 60),
        (asked_of_slices::<f16>, 60),
        (asked_of_slices::<bf16>, 60),
        (asked_of_slices::<f32>, 60),
        (asked_of_slices::<f64>, 60),
    ];
    let faults: Vec<String> = every.iter().flat_map(|(ask, count)| ask(&mut random, *count)).collect();
    println!("{} questions", every.iter().map(|(_, count)| count).sum::<usize>());
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// Everything that holds elements is borrowed where it is.
#[test]
fn every_kind_of_array_is_borrowed() -> Result<(), Error> {
    let a = array![[1_i32, 2, 3], [4, 5, 6]];
    let (shared, cow): (ArcArray<i32, Ix2>, CowArray<'_, i32, Ix2>) = (a.to_shared(), a.view().into());
    let by_reference: &ArrayRef2<i32> = &a;
    let views = [
        View::try_from(&a)?,
        View::try_from(a.view())?,
        View::try_from(&shared)?,
        View::try_from(&cow)?,
        View::try_from(by_reference)?,
        View::try_from(&a.clone().into_dyn())?.clone().transposed().transposed(),
    ]
    .map(|view| (view.shape().to_vec(), view.strides().to_vec(), Array::from_view(&view)));
    for (shape, strides, copy) in views {
        assert_eq!((shape, strides), (vec![2, 3], vec![12, 4]));
        assert_eq!(copy?.as_slice::<i32>(), Some(&[1, 2, 3, 4, 5, 6][..]));
    }
    let mut out = Array2::<i32>::zeros((2, 3));
    apply_into(ops::NEG, &Rule::numpy(), &[View::try_from(&a)?], ViewMut::try_from(&mut out)?)?;
    assert_eq!(out, -&a);
    apply_into(ops::NEG, &Rule::numpy(), &[View::try_from(&out.clone())?], ViewMut::try_from(&mut *out)?)?;
    assert_eq!(out, a);
    let (left, right) = out.multi_slice_mut((s![.., 0], s![.., 1..;-1]));
    apply_into(ops::ADD, &Rule::numpy(), &[View::try_from(&right)?], ViewMut::try_from(left)?)
        .expect_err("one operand");
    Ok(())
}

/// Strides of axes without a step, empty arrays and single numbers.
#[test]
fn unusual_arrays_are_borrowed() -> Result<(), Error> {
    let number = Array0::from_elem((), 2.5_f64);
    let empty = Array2::<f64>::zeros((0, 3));
    let row = Array1::from(vec![1.0_f64, 2.0, 3.0]);
    let repeated = row.broadcast((2, 3)).expect("repeats");
    assert_eq!(View::try_from(repeated)?.strides(), [0, 8]);
    assert_eq!(View::try_from(&empty)?.shape(), [0, 3]);
    let one = row.slice(s![1..2;-1]);
    assert_eq!(View::try_from(one)?.strides(), [0]);
    let sum = apply(ops::ADD, &Rule::numpy(), &[View::try_from(&number)?, View::try_from(row.slice(s![..;-2]))?])?;
    assert_eq!(sum.as_slice::<f64>(), Some(&[5.5, 3.5][..]));
    let none = apply(ops::ADD, &Rule::numpy(), &[View::try_from(&empty)?, View::try_from(&row)?])?;
    assert_eq!(ArrayView2::<f64>::try_from(&none)?.shape(), [0, 3]);
    let deep = ArrayD::<u8>::zeros(IxDyn(&[1; 70]));
    assert_eq!(View::try_from(&deep).map_err(|error| error.kind()).err(), Some(ErrorKind::Shape));
    Ok(())
}

/// What cannot be viewed is an error, in words.
#[test]
fn refusals_of_conversions() -> Result<(), Error> {
    let mut a = Array::from_vec([2, 2], vec![1_i32, 2, 3, 4])?;
    let text = |error: Error| (error.kind(), error.to_string());
    assert_eq!(
        ArrayView2::<f32>::try_from(&a).map_err(text),
        Err((ErrorKind::DType, "an array of i32 (2, 2) cannot be viewed as f32; ask for elements of i32".into()))
    );
    assert_eq!(
        ArrayViewMut1::<i32>::try_from(&mut a).map_err(text),
        Err((
            ErrorKind::Argument,
            "an array of i32 (2, 2) cannot be viewed with 1 axes; use an ArrayViewD or a rank of 2".into()
        ))
    );
    ArrayViewMutD::<i32>::try_from(&mut a)?.fill(7);
    assert_eq!(a.as_slice::<i32>(), Some(&[7; 4][..]));
    let mut small = Array1::<i32>::zeros(3);
    let error = apply_into(ops::NEG, &Rule::numpy(), &[a.view()], ViewMut::try_from(&mut small)?).expect_err("refused");
    assert_eq!(error.to_string(), "the output is i32 (3,) and the result i32 (2, 2); they must be equal");
    Ok(())
}
