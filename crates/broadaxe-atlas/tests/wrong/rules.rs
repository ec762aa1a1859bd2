//! Wrong rules.

use broadaxe_atlas::Case;

use super::calls::{Call, Elements, both, flat, into_first, merged};

/// A wrong rule.
pub(crate) struct Mutant {
    pub(crate) name: &'static str,
    /// The families and the rules that it is a mistake about; no families are all that broadcast two operands.
    families: &'static [&'static str],
    rules: &'static [&'static str],
    mistake: fn(&Call) -> Option<Elements>,
}

impl Mutant {
    /// Returns the mistake where a case is of a rule that it is about.
    pub(crate) fn of(&self, case: &Case) -> Option<fn(&Call) -> Option<Elements>> {
        let family = case.id.subject.family().name;
        let is_about = self.families.contains(&family) && self.rules.contains(&case.rule.name());
        is_about.then_some(self.mistake)
    }
}

const TWO: &[&str] = &["add", "sub"];
const NUMPY: &[&str] = &["numpy"];

const fn numpy(name: &'static str, mistake: fn(&Call) -> Option<Elements>) -> Mutant {
    Mutant { name, families: TWO, rules: NUMPY, mistake }
}

const fn of(
    name: &'static str,
    families: &'static [&'static str],
    rules: &'static [&'static str],
    mistake: fn(&Call) -> Option<Elements>,
) -> Mutant {
    Mutant { name, families, rules, mistake }
}

/// The list.
pub(crate) static MUTANTS: &[Mutant] = &[
    numpy("aligns to the left", |call| call.placed(|_, i| i, both)),
    numpy("does not broadcast where both have equally many elements", |call| {
        let count = |shape: &[usize]| shape.iter().product::<usize>();
        if count(call.a()) != count(call.b()) {
            return call.right();
        }
        let all: Vec<usize> = (0..count(call.a())).collect();
        Some((call.a().to_vec(), vec![all.clone(), all]))
    }),
    numpy("keeps the first axis as the batch, and aligns the others to the right", |call| {
        call.placed(
            |k, i| if i == 0 && call.shapes[k].len() > 1 { 0 } else { i + call.rank() - call.shapes[k].len() },
            both,
        )
    }),
    numpy("tiles an operand whose size divides the other", |call| {
        call.to_the_right(|extents, _| {
            let most = extents.iter().copied().max()?;
            both(extents, 0).or_else(|| extents.iter().all(|&extent| extent > 0 && most % extent == 0).then_some(most))
        })
    }),
    numpy("stretches only the second operand", |call| call.to_the_right(into_first)),
    numpy("stretches only the first operand", |call| {
        call.to_the_right(|extents, _| {
            extents.iter().all(|&extent| extent == extents[1] || extent == 1).then(|| extents[1])
        })
    }),
    numpy("stretches either operand, but not both", |call| {
        let right = call.right()?;
        [&call.shapes[0], &call.shapes[1]].iter().any(|shape| **shape == right.0).then_some(right)
    }),
    numpy("gives the larger extent, also where one is 0", |call| {
        call.to_the_right(|extents, _| {
            let fits = both(extents, 0).is_some();
            fits.then(|| extents.iter().copied().max()).flatten()
        })
    }),
    numpy("rejects shapes without elements", |call| call.right().filter(|(shape, _)| !shape.contains(&0))),
    numpy("rejects ranks above 4", |call| call.right().filter(|(shape, _)| shape.len() <= 4)),
    numpy("drops the first axes above rank 4", |call| {
        let right = call.right()?;
        let cut = |dims: &[usize]| {
            [vec![1; 4_usize.saturating_sub(dims.len())], dims[dims.len().saturating_sub(4)..].to_vec()].concat()
        };
        if right.0.len() <= 4 {
            return Some(right);
        }
        let (_, elements) = merged(&[cut(call.a()), cut(call.b())], both)?;
        let count = right.0.iter().product::<usize>();
        Some((right.0, elements.iter().map(|own| own.iter().copied().cycle().take(count).collect()).collect()))
    }),
    numpy("ignores the axes beyond the fifth from the right", |call| {
        let (shape, elements) = call.right()?;
        let far = shape.len().saturating_sub(5);
        let inner: usize = shape[far..].iter().product();
        let wrap = |own: &Vec<usize>| (0..own.len()).map(|i| own[i % inner.max(1)]).collect();
        let elements = if far == 0 { elements } else { elements.iter().map(wrap).collect() };
        Some((shape, elements))
    }),
    numpy("places constants by their rank: 1 channels, 2 batch and channels, 3 batch, width and channels", |call| {
        if !call.constants[1] || call.rank() > 4 || call.b().len() > 3 {
            return call.right();
        }
        let places: &[usize] = [&[][..], &[3], &[0, 3], &[0, 2, 3]][call.b().len()];
        let whole = |dims: &[usize], places: &[usize]| {
            let mut all = vec![1; 4];
            places.iter().zip(dims).for_each(|(&place, &dim)| all[place] = dim);
            all
        };
        let a = whole(call.a(), &[0, 1, 2, 3][4 - call.a().len()..]);
        let (shape, elements) = merged(&[a, whole(call.b(), places)], both)?;
        Some((shape[4 - call.rank()..].to_vec(), elements))
    }),
    numpy("clamps an index that is too large instead of rejecting the shapes", |call| {
        let rank = call.rank();
        let whole = |dims: &[usize]| [vec![1; rank - dims.len()], dims.to_vec()].concat();
        let all = [whole(call.a()), whole(call.b())];
        if call.right().is_some() || all.iter().any(|dims| dims.contains(&0)) {
            return call.right();
        }
        let shape: Vec<usize> = (0..rank).map(|axis| all[0][axis].max(all[1][axis])).collect();
        let at = |dims: &[usize]| {
            let clamp = |index: Vec<usize>| index.iter().zip(dims).map(|(&i, &dim)| i.min(dim - 1)).collect::<Vec<_>>();
            crate::support::indices(&shape).map(|index| flat(dims, &clamp(index))).collect()
        };
        let elements = vec![at(&all[0]), at(&all[1])];
        Some((shape, elements))
    }),
    numpy("gives rank 1 where both operands have rank 0", |call| {
        let (shape, elements) = call.right()?;
        Some((if shape.is_empty() { vec![1] } else { shape }, elements))
    }),
    of("swaps the operands where the second is larger", &["sub"], NUMPY, |call| {
        let (shape, mut elements) = call.right()?;
        if call.b().len() > call.a().len() {
            elements.swap(0, 1);
        }
        Some((shape, elements))
    }),
    numpy("stretches leading axes only", |call| {
        let right = call.right()?;
        let rank = call.rank();
        let whole = |dims: &[usize]| [vec![1; rank - dims.len()], dims.to_vec()].concat();
        let (a, b) = (whole(call.a()), whole(call.b()));
        let last = |own: &[usize]| (0..rank).rposition(|axis| own[axis] == 1 && right.0[axis] != 1);
        let first = |own: &[usize]| (0..rank).position(|axis| own[axis] != 1);
        let leads = |own: &[usize]| last(own) < first(own) || last(own).is_none();
        (leads(&a) && leads(&b)).then_some(right)
    }),
    numpy("stretches at most one axis of an operand", |call| {
        let right = call.right()?;
        let few =
            |shape: &[usize]| shape.iter().rev().zip(right.0.iter().rev()).filter(|(own, all)| own != all).count() <= 1;
        (few(call.a()) && few(call.b())).then_some(right)
    }),
    numpy("broadcasts scalars only", |call| {
        let right = call.right()?;
        let one = |shape: &[usize]| shape.iter().all(|&dim| dim == 1);
        (call.a() == call.b() || one(call.a()) || one(call.b())).then_some(right)
    }),
    numpy("gives the result the shape of the first operand", |call| {
        let (shape, elements) = call.right()?;
        let count = call.a().iter().product::<usize>();
        if count > shape.iter().product() {
            return Some((shape, elements));
        }
        Some((call.a().to_vec(), elements.iter().map(|own| own[..count].to_vec()).collect()))
    }),
    numpy("reads a column of the second operand as a row where it is square", |call| {
        let (shape, mut elements) = call.right()?;
        if let (&[rows, columns], &[own, 1]) = (call.a(), call.b())
            && rows == columns
            && own == rows
        {
            elements[1] = (0..rows * columns).map(|i| i % columns).collect();
        }
        Some((shape, elements))
    }),
    numpy("merges neighbouring axes that only the first operand has whole", |call| {
        let (shape, mut elements) = call.right()?;
        if let (&[_, _, inner], &[1, middle, last]) = (call.a(), call.b())
            && middle != 1
            && (last != inner || last == 1)
        {
            elements[1] = (0..elements[0].len()).map(|i| i % middle).collect();
        }
        Some((shape, elements))
    }),
    numpy("reads the first of each 8 packed channels for all of them", |call| {
        let (shape, mut elements) = call.right()?;
        let packed = shape.len() >= 2 && shape[0] % 8 == 0 && shape[0] > 0;
        if packed && call.b().first() == Some(&shape[0]) && call.b().len() == shape.len() {
            let inner: usize = call.b()[1..].iter().product();
            elements[1].iter_mut().for_each(|at| *at -= *at / inner.max(1) % 8 * inner);
        }
        Some((shape, elements))
    }),
    numpy("computes the remainder of a long row from its first element", |call| {
        let (shape, mut elements) = call.right()?;
        let row = shape.last().copied().unwrap_or(1);
        if row > 32 {
            let tail = row / 8 * 8;
            let wrap = |own: &Vec<usize>| {
                (0..own.len()).map(|i| if i % row >= tail { own[i - i % row] } else { own[i] }).collect()
            };
            elements = elements.iter().map(wrap).collect();
        }
        Some((shape, elements))
    }),
    of("aligns ncnn's operands to the right", &["add"], &["ncnn"], |call| call.to_the_right(both)),
    of("places a vector on ncnn's fastest axis, always", &["add"], &["ncnn"], |call| {
        let fast = |k: usize| call.shapes[k].len() == 1;
        if call.right().is_none()
            && call.shapes.iter().any(|shape| shape.is_empty() || shape.len() > 4 || shape.contains(&0))
        {
            return None;
        }
        call.placed(|k, i| if fast(k) { call.rank() - 1 } else { i }, both)
    }),
    of("removes trailing 1s before it aligns to the right (PDPD)", &["add"], &["pdpd"], |call| {
        let kept = call.b().iter().rposition(|&dim| dim != 1).map_or(0, |last| last + 1);
        let start = if call.axis == -1 { call.a().len().checked_sub(kept)? } else { call.axis as usize };
        if start + kept > call.a().len() {
            return None;
        }
        let mut b = vec![1; call.a().len()];
        b[start..start + kept].copy_from_slice(&call.b()[..kept]);
        merged(&[call.a().to_vec(), b], into_first)
    }),
    of("ignores the axis (PDPD, Paddle)", &["add"], &["pdpd", "paddle"], |call| {
        call.to_the_right(if call.axis == -1 { both } else { into_first })
    }),
    of("stretches only Paddle's second operand", &["add"], &["paddle"], |call| {
        call.right().filter(|(shape, _)| shape == call.a())
    }),
    of("lets PReLU's slope stretch the data", &["prelu"], &["unidirectional", "openvino-prelu"], |call| {
        call.right().or_else(|| call.to_the_right(both))
    }),
    of("places ONNX's slope of one axis on the channels", &["prelu"], &["unidirectional"], |call| {
        match (call.a(), call.b()) {
            (data, &[slope]) if data.len() > 1 && data[1] == slope => {
                let mut whole = vec![1; data.len()];
                whole[1] = slope;
                merged(&[data.to_vec(), whole], into_first)
            }
            _ => call.right(),
        }
    }),
    of("aligns OpenVINO's slope of one axis to the right", &["prelu"], &["openvino-prelu"], |call| {
        if call.b().len() > call.a().len() {
            return None;
        }
        call.to_the_right(into_first)
    }),
    of("expands to exactly the target (ONNX)", &["expand"], &["bidirectional"], |call| {
        call.right().filter(|(shape, _)| *shape == call.shapes[1])
    }),
    of("aligns an explicit broadcast to the right", &["expand"], &["explicit"], |call| {
        if call.a().len() > call.b().len() {
            return None;
        }
        call.right()?;
        call.to_the_right(|extents, _| (extents[0] == 1 || extents[0] == extents[1]).then(|| extents[1]))
    }),
    of("does not stretch the condition", &["select"], &["numpy"], |call| {
        call.right().filter(|(shape, _)| *shape == call.shapes[0])
    }),
    of("does not let the condition stretch the others", &["select"], &["numpy"], |call| {
        let others = [call.shapes[1].clone(), call.shapes[2].clone()];
        let rank = others.iter().map(Vec::len).max()?;
        let right = call.right()?;
        (right.0.len() == rank
            && right.0.iter().enumerate().all(|(axis, &dim)| {
                dim == 1
                    || others.iter().any(|own| (axis + own.len()).checked_sub(rank).is_some_and(|at| own[at] == dim))
            }))
        .then_some(right)
    }),
    of("accepts a C of one axis on the rows (Gemm)", &["gemm"], &["gemm-c"], |call| match (call.a(), call.b()) {
        (&[rows, _], &[own]) if own == rows => merged(&[call.a().to_vec(), vec![own, 1]], into_first),
        _ => call.right(),
    }),
    of("accepts shapes that differ in 1s only (none)", &["add"], &["none"], |call| call.to_the_right(both)),
    of("accepts operands of different ranks (TOSA)", &["add"], &["tosa"], |call| call.to_the_right(both)),
    of("stretches 1s inside (ONNX before opset 7)", &["add"], &["onnx-legacy"], |call| {
        if call.b().len() > call.a().len() {
            return None;
        }
        call.to_the_right(into_first)
    }),
    of("stretches ggml's second operand from 1 only", &["add"], &["ggml"], |call| {
        if call.rank() > 4 {
            return None;
        }
        call.to_the_right(into_first)
    }),
    of("adds the third operand without broadcasting it", &["sum"], NUMPY, |call| {
        call.right().filter(|(shape, _)| *shape == call.shapes[2] || call.shapes[2].is_empty())
    }),
];
