use super::*;
use crate::testing::model;

/// Returns the classes of a model, each with its nodes' numbers, and the reasons of those that are left.
fn sorted(text: &str) -> (Vec<Vec<u32>>, Vec<String>) {
    let (model, shapes) = model(text);
    let found = classes(&model, &shapes).unwrap();
    let numbers = |class: &NodeClass| class.nodes.iter().map(|id| id.0).collect();
    (found.classes.iter().map(numbers).collect(), found.left.into_iter().map(|(_, reason)| reason).collect())
}

/// Makes the question about the first class of a model.
fn question(text: &str) -> Question {
    let (model, shapes) = model(text);
    classes(&model, &shapes).unwrap().classes[0].question(&model, 0).unwrap()
}

#[test]
fn nodes_of_one_class() {
    type Case<'a> = (&'a str, &'a [&'a [u32]]);
    let cases: [Case<'_>; 10] = [
        ("x(2,3); c=const(3); a=Add(x,c); b=Add(a,c)", &[&[0, 1]]),
        // Elements of constants do not matter, their shapes do.
        ("x(2,3); c=const(3); d=const(3)=7; e=const(1,3); a=Add(x,c); b=Add(a,d); y=Add(b,e)", &[&[0, 1], &[2]]),
        ("x(2,3); y(2,3); c=const(2,3); a=Add(x,y); b=Add(a,c)", &[&[0], &[1]]),
        ("x(2,3); y(2,3); a=Add(x,y); b=Sub(a,y)", &[&[0], &[1]]),
        // A tensor and itself are another question than two tensors.
        ("x(2,3); y(2,3); a=Add(x,x); b=Add(a,y)", &[&[0], &[1]]),
        ("x(2,3); y(3); a=Add(x,y); b=Add(y,a)", &[&[0], &[1]]),
        // Bounds decide what a node means.
        ("x(2,3); l=const()=1; h=const()=2; a=Clip(x,l); b=Clip(a,l); y=Clip(b,h)", &[&[0, 1], &[2]]),
        ("x(1,3); s=const:i64(2)=4; a=Expand(x,s)", &[&[0]]),
        // What is computed of constants is a constant.
        ("x(2,3); c=const(3); d=Neg(c); a=Add(x,c); b=Add(a,d)", &[&[1, 2]]),
        ("x(2,3); a=Relu(x); b=Transpose(a)", &[]),
    ];
    for (text, want) in cases {
        let (found, left) = sorted(text);
        assert_eq!(found, want, "{text}");
        assert!(left.is_empty(), "{text}: {left:?}");
    }
}

#[test]
fn nodes_that_are_not_asked_about() {
    let cases = [
        (
            "x(n,3); c=const(3); a=Add(x,c)",
            "the shape of x is open; the input x has no fixed shape: --input-shape x:SHAPE",
        ),
        ("x(2,3); l(1); a=Clip(x,l)", "l decides what the node means, and is computed"),
        ("x:bf16(2,3); y:bf16(3); a=Add(x,y)", "x has elements of bf16, which are not asked about"),
    ];
    for (text, want) in cases {
        let (found, left) = sorted(text);
        assert!(found.is_empty() && left.len() == 1 && left[0].starts_with(want), "{text}: {found:?} {left:?}");
    }
    let (ncnn, shapes) = model("ncnn; x(2,3); y(3); a=BinaryOp(x,y)");
    assert_eq!(classes(&ncnn, &shapes).unwrap_err().kind(), ErrorKind::Argument);
    let (large, shapes) = model("x(9000,9000); y(9000); a=Add(x,y)");
    let error = classes(&large, &shapes).unwrap().classes[0].question(&large, 0).unwrap_err();
    assert!(error.contains("more than are asked about"), "{error}");
}

/// Quantised tensors are not asked about: the numbers would have another meaning.
#[test]
fn quantised_tensors() {
    let (mut model, shapes) = model("x(2,3); y(3); a=Add(x,y)");
    let scales = format::graph::Quantization { scales: vec![0.5], zero_points: vec![0], axis: 0 };
    model.values[0].quantization = Some(scales.into());
    let left = classes(&model, &shapes).unwrap().left;
    assert_eq!(left[0].1, "x is quantised, and quantised arithmetic is not asked about");
}

/// A question depends on the class alone: not on the names in the file, nor on what constants hold.
#[test]
fn questions_of_equal_nodes_are_equal() {
    let (one, two) = (question("x(2,3); c=const(3); a=Add(x,c)"), question("y(2,3); k=const(3)=7; b=Add(y,k)"));
    assert_eq!((&one.model, &one.inputs, one.wanted()), (&two.model, &two.inputs, two.wanted()));
    assert_ne!(
        one.inputs[0].as_ref().unwrap().data,
        question("x(2,3); c=const(3); a=Sub(x,c)").inputs[0].as_ref().unwrap().data
    );
    let names: Vec<&str> = one.feeds().iter().map(|feed| feed.name.as_str()).collect();
    assert_eq!(names, ["operand0"]);
    let read = format::read(&source::Source::memory(one.model.clone().unwrap(), None)).unwrap();
    let shapes = infer(&read, &[]).unwrap();
    assert_eq!(classes(&read, &shapes).unwrap().classes[0].key, {
        let (model, shapes) = model("x(2,3); c=const(3); a=Add(x,c)");
        classes(&model, &shapes).unwrap().classes[0].key.clone()
    });
}

#[test]
fn answers_are_compared() {
    let question = question("x(2,2); c=const(2); a=Add(x,c)");
    let wanted = question.wanted().to_vec();
    assert_eq!(question.judge(&[2, 2], &wanted), Outcome::same());
    let near: Vec<f64> = wanted.iter().map(|value| value + 5e-5).collect();
    assert_eq!(question.judge(&[2, 2], &near), Outcome::same());
    let mut wrong = wanted.clone();
    wrong[2] += 0.25;
    let found = question.judge(&[2, 2], &wrong);
    assert_eq!((found.verdict.as_str(), found.reason.as_str()), ("differs", "it differs in 1 of 4 elements"));
    let example = found.counterexample.unwrap();
    assert_eq!((example.element, example.reads), (vec![1, 0], vec![vec![1, 0], vec![0]]));
    assert_eq!((example.here, example.there), (Some(wanted[2]), Some(wanted[2] + 0.25)));
    let sum: f64 = example.numbers.iter().flatten().sum();
    assert!((sum - wanted[2]).abs() < 1e-6, "{sum}");
    let found = question.judge(&[4], &wanted);
    assert_eq!(found.reason, "its result has the shape (4,), not (2, 2)");
    let mut none = wanted.clone();
    none[0] = f64::NAN;
    assert_eq!(question.judge(&[2, 2], &none).verdict, "differs");
}

/// Small results are asked for several times, with other numbers.
#[test]
fn draws() {
    let texts = [("x(2,2); y(2); a=Add(x,y)", 8), ("x(4,4); y(4); a=Add(x,y)", 4), ("x(9,9); y(9); a=Add(x,y)", 1)];
    for (text, want) in texts {
        let (model, shapes) = model(text);
        let class = &classes(&model, &shapes).unwrap().classes[0];
        let all: Vec<Question> = (0..3).map(|draw| class.question(&model, draw).unwrap()).collect();
        assert_eq!(all[0].draws(), want, "{text}");
        assert!(all[0].wanted() != all[1].wanted() && all[1].wanted() != all[2].wanted(), "{text}");
        assert_eq!(all[1].wanted(), class.question(&model, 1).unwrap().wanted());
    }
}

/// Swapping any two elements of an operand's numbers would show.
#[test]
fn numbers_tell_elements_apart() {
    let texts = [
        "x(3,4); y(4); a=Add(x,y)",
        "x(3,4); y(4); a=Pow(x,y)",
        "x(3,4); y(4); a=PRelu(x,y)",
        "x(3,4); y(4); a=Div(x,y)",
        "x:i32(3,4); y:i32(4); a=Mul(x,y)",
    ];
    for text in texts {
        let wanted = question(text).wanted().to_vec();
        assert!(wanted.iter().all(|value| value.is_finite()), "{text}: {wanted:?}");
        let mut sorted = wanted.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        assert!(sorted.len() > 9, "{text}: {wanted:?}");
    }
    // Where the result is true or false, both occur.
    let wanted = question("x(8,4); y(4); a=Equal(x,y)").wanted().to_vec();
    assert!(wanted.contains(&0.0) && wanted.contains(&1.0), "{wanted:?}");
}

/// Normalisations and products are computed as their definitions say, here with loops over all indices.
#[test]
fn layers() {
    let values = |question: &Question, k: usize| {
        let tensor = question.inputs[k].as_ref().unwrap();
        numbers::values(tensor.dtype, &tensor.data)
    };
    let close = |found: &[f64], want: &[f64]| {
        assert_eq!(found.len(), want.len());
        assert!(found.iter().zip(want).all(|(found, want)| (found - want).abs() < 1e-9), "{found:?} {want:?}");
    };
    let dequantised = question("x:i8(2,3,2); s=const(3); z=const:i8(3); a=DequantizeLinear(x,s,z) axis=1");
    let (x, s, z) = (values(&dequantised, 0), values(&dequantised, 1), values(&dequantised, 2));
    let want: Vec<f64> = (0..12).map(|at| (x[at] - z[at / 2 % 3]) * s[at / 2 % 3]).collect();
    close(dequantised.wanted(), &want);
    let norm = question("x(2,3,4); s=const(4); b=const(3,1); a=LayerNormalization(x,s,b) axis=1");
    let (x, s, b) = (values(&norm, 0), values(&norm, 1), values(&norm, 2));
    let mut want = Vec::new();
    for row in x.chunks(12) {
        let mean = row.iter().sum::<f64>() / 12.0;
        let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 12.0;
        want.extend((0..12).map(|at| (row[at] - mean) / (variance + 1e-5).sqrt() * s[at % 4] + b[at / 4]));
    }
    close(norm.wanted(), &want);
    let gemm = question("x(3,2); w=const(3,4); c=const(4); a=Gemm(x,w,c) transA=1");
    let (x, w, c) = (values(&gemm, 0), values(&gemm, 1), values(&gemm, 2));
    let entry = |row: usize, column: usize| (0..3).map(|k| x[k * 2 + row] * w[k * 4 + column]).sum::<f64>() + c[column];
    let want: Vec<f64> = (0..8).map(|at| entry(at / 4, at % 4)).collect();
    close(gemm.wanted(), &want);
    let cases = [("l=const()=-2; a=Clip(x,l)", -2.0, 9.0), ("l=const(1)=-2; h=const()=3; a=Clip(x,l,h)", -2.0, 3.0)];
    for (text, low, high) in cases {
        let clip = question(&format!("x(9,9); {text}"));
        let want: Vec<f64> = values(&clip, 0).iter().map(|value| value.max(low).min(high)).collect();
        close(clip.wanted(), &want);
        assert!(want.contains(&low));
    }
    let found = gemm.judge(&[2, 4], &[1e9; 8]).counterexample.unwrap();
    let product: f64 = want[0] - c[0];
    assert_eq!(found.numbers[0], Some(product));
}

#[test]
fn laws_agree_or_not() {
    let law = |verdict: &str| LawVerdict { verdict: verdict.to_owned(), reason: String::new() };
    let differs = Outcome { verdict: "differs".to_owned(), ..Outcome::same() };
    let cases = [
        ("same", Outcome::same(), true),
        ("same", differs.clone(), false),
        ("differs", Outcome::same(), false),
        ("refused", Outcome::refused("it says no"), true),
        ("unsupported", Outcome::refused("it says no"), true),
        ("refused", differs.clone(), false),
        ("unknown", differs, true),
        ("guarded", Outcome::same(), true),
        ("same", Outcome::unknown("it does not answer"), true),
    ];
    for (verdict, outcome, want) in cases {
        assert_eq!(law(verdict).agrees(&outcome), want, "{verdict}, {outcome:?}");
    }
    let norm = question("x(2,3,4); s=const(4); a=LayerNormalization(x,s) axis=1");
    let says = norm.law("openvino".parse().unwrap()).unwrap();
    assert_eq!(says.verdict, "refused");
}
