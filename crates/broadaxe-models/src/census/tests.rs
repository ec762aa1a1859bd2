use super::*;
use crate::testing::{self, Sample};

#[test]
fn patterns() {
    use Pattern::{Apart, Bias, Both, Channel, Prefix, Same, Scalar};
    struct Case {
        operands: (&'static str, &'static str),
        pattern: Pattern,
        merged: usize,
        blow_up: Option<f64>,
    }
    let case = |a, b, pattern, merged, blow_up| Case { operands: (a, b), pattern, merged, blow_up };
    let cases = [
        case("(2,3,4)", "(2,3,4)", Same, 1, Some(1.0)),
        case("(2,3)", "(1,2,3)", Same, 1, Some(1.0)),
        case("(2,3,4)", "()", Scalar, 1, Some(1.0)),
        case("(2,3,4)", "(1,1)", Scalar, 1, Some(1.0)),
        case("(2,3,4)", "(4)", Bias, 2, Some(1.0)),
        case("(2,3,4)", "(3,4)", Bias, 2, Some(1.0)),
        case("(2,3,4)", "(2,1,1)", Prefix, 2, Some(1.0)),
        case("(1,3,4,4)", "(3,1,1)", Prefix, 2, Some(1.0)),
        case("(2,3,4,4)", "(1,3,1,1)", Channel, 3, Some(1.0)),
        case("(8,12,9,9)", "(8,1,1,9)", Apart, 3, Some(1.0)),
        case("(4,1)", "(1,5)", Both, 2, Some(4.0)),
        case("(2,1,4)", "(3,1)", Both, 3, Some(3.0)),
        case("(1,1)", "(1)", Same, 0, Some(1.0)),
        case("(n,3,h,w)", "(3,1,1)", Channel, 3, None),
        case("(n,s,768)", "(768)", Bias, 2, None),
        case("(n,s)", "(n,s)", Same, 1, None),
    ];
    for Case { operands: (a, b), pattern, merged, blow_up } in cases {
        let mut sample = Sample::new(14);
        let inputs = [sample.input("a", a), sample.input("b", b)];
        sample.node("Add", &inputs, &[], "...");
        let census = census(&sample.model, &sample.shapes);
        let entry = &census.entries[0];
        assert_eq!((entry.pattern, entry.merged, entry.blow_up), (pattern, Some(merged), blow_up), "{a} {b}");
    }
}

#[test]
fn sums() {
    let mut sample = Sample::new(14);
    let (x, b) = (sample.input("x", "(2,3,4)"), sample.constant("b", &[4]));
    let y = sample.node("Add", &[x, b], &[], "(2,3,4)");
    let z = sample.node("Add", &[y, b], &[], "(2,3,4)");
    let relu = sample.node("Relu", &[z], &[], "(2,3,4)");
    let open = sample.input("open", "...");
    let odd = sample.node("Mul", &[relu, open], &[], "...");
    sample.node("MatMul", &[odd, odd], &[], "...");
    let census = census(&sample.model, &sample.shapes);
    let rows: Vec<_> =
        census.rows().into_iter().map(|row| (row.op, row.pattern.name(), row.nodes, row.merged, row.bytes)).collect();
    let want = [
        ("Add".to_string(), "bias", 2, Some(2), 2 * (24 + 4 + 24) * 4),
        ("Mul".to_string(), "unknown", 1, None, 0),
        ("Relu".to_string(), "unary", 1, Some(1), 2 * 24 * 4),
    ];
    assert_eq!(rows, want);
    assert_eq!((census.nodes, census.entries.len()), (5, 4));
    assert_eq!(census.loops(), [(Some(1), 1), (Some(2), 2), (None, 1)]);
}

#[test]
fn shapes_that_do_not_broadcast_are_said() {
    let mut sample = Sample::new(14);
    let inputs = [sample.input("a", "(2,3)"), sample.input("b", "(4)")];
    sample.node("Add", &inputs, &[], "...");
    let census = census(&sample.model, &sample.shapes);
    assert_eq!(census.entries[0].pattern, Pattern::Unknown);
    assert!(census.entries[0].reason.contains("axis 1"), "{}", census.entries[0].reason);
}

/// Writes what is counted of the last broadcasting node of a model: pattern, rank, loops, growth and bytes.
fn counted(text: &str) -> String {
    let (model, shapes) = testing::model(text);
    let census = census(&model, &shapes);
    let entry = census.entries.last().expect(text);
    let number = |number: Option<usize>| number.map_or("?".to_string(), |number| number.to_string());
    let growth = entry.blow_up.map_or("?".to_string(), |growth| format!("{growth:.2}"));
    let bytes = number(entry.bytes.map(|bytes| bytes as usize));
    format!("{}; {} axes; {} loops; x{growth}; {bytes} B", entry.pattern, number(entry.rank), number(entry.merged))
}

/// Patterns and loops by the definitions of the module: axes of 1 left out, neighbours that all operands walk alike merged.
///
/// The rows of `Add` were computed by NumPy's `broadcast_shapes`, the others by hand: a bool, u8 and f16 have 1, 1 and 2
/// bytes, and `Gemm` reads its product once more to add C.
const COUNTS: &[(&str, &str)] = &[
    ("x(2,3,4); c=const(2,3,4); y=Add(x,c)", "same; 3 axes; 1 loops; x1.00; 288 B"),
    ("x(2,3,4); c=const(4); y=Add(x,c)", "bias; 3 axes; 2 loops; x1.00; 208 B"),
    ("x(2,3,4); c=const(3,4); y=Add(x,c)", "bias; 3 axes; 2 loops; x1.00; 240 B"),
    ("x(2,3,4); c=const(3,1); y=Add(x,c)", "channel; 3 axes; 3 loops; x1.00; 204 B"),
    ("x(2,3,4); c=const(2,1,1); y=Add(x,c)", "prefix; 3 axes; 2 loops; x1.00; 200 B"),
    ("x(2,3,4); c=const(1,1,1); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 196 B"),
    ("x(2,3,4); c=const(); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 196 B"),
    ("x(2,3,4); c=const(1); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 196 B"),
    ("x(2,3,4); c=const(2,2,3,4); y=Add(x,c)", "bias; 4 axes; 2 loops; x1.00; 480 B"),
    ("x(1,3,4); c=const(2,3,4); y=Add(x,c)", "bias; 3 axes; 2 loops; x1.00; 240 B"),
    ("x(1,3,4); c=const(4); y=Add(x,c)", "bias; 3 axes; 2 loops; x1.00; 112 B"),
    ("x(1,3,4); c=const(3,4); y=Add(x,c)", "same; 3 axes; 1 loops; x1.00; 144 B"),
    ("x(1,3,4); c=const(3,1); y=Add(x,c)", "prefix; 3 axes; 2 loops; x1.00; 108 B"),
    ("x(1,3,4); c=const(2,1,1); y=Add(x,c)", "both stretch; 3 axes; 2 loops; x2.00; 152 B"),
    ("x(1,3,4); c=const(1,1,1); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 100 B"),
    ("x(1,3,4); c=const(); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 100 B"),
    ("x(1,3,4); c=const(1); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 100 B"),
    ("x(1,3,4); c=const(3,1,1); y=Add(x,c)", "both stretch; 3 axes; 2 loops; x3.00; 204 B"),
    ("x(1,3,4); c=const(2,2,3,4); y=Add(x,c)", "bias; 4 axes; 2 loops; x1.00; 432 B"),
    ("x(2,3,4,5); c=const(1,1,1); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 964 B"),
    ("x(2,3,4,5); c=const(); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 964 B"),
    ("x(2,3,4,5); c=const(1); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 964 B"),
    ("x(2,3,4,5); c=const(2,3,4,5); y=Add(x,c)", "same; 4 axes; 1 loops; x1.00; 1440 B"),
    ("x(2,3,4,5); c=const(3,1,1); y=Add(x,c)", "channel; 4 axes; 3 loops; x1.00; 972 B"),
    ("x(2,3,4,5); c=const(2,1,4,1); y=Add(x,c)", "apart; 4 axes; 4 loops; x1.00; 992 B"),
    ("x(2,3,4,5); c=const(1,3,4,5); y=Add(x,c)", "bias; 4 axes; 2 loops; x1.00; 1200 B"),
    ("x(2,3,4,5); c=const(2,3,1,5); y=Add(x,c)", "apart; 4 axes; 3 loops; x1.00; 1080 B"),
    ("x(2,3,4,5); c=const(1,5); y=Add(x,c)", "bias; 4 axes; 2 loops; x1.00; 980 B"),
    ("x(8); c=const(3,1); y=Add(x,c)", "both stretch; 2 axes; 2 loops; x3.00; 140 B"),
    ("x(8); c=const(2,1,1); y=Add(x,c)", "both stretch; 3 axes; 2 loops; x2.00; 104 B"),
    ("x(8); c=const(1,1,1); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 68 B"),
    ("x(8); c=const(); y=Add(x,c)", "scalar; 1 axes; 1 loops; x1.00; 68 B"),
    ("x(8); c=const(1); y=Add(x,c)", "scalar; 1 axes; 1 loops; x1.00; 68 B"),
    ("x(8); c=const(3,1,1); y=Add(x,c)", "both stretch; 3 axes; 2 loops; x3.00; 140 B"),
    ("x(8); c=const(2,1,4,1); y=Add(x,c)", "both stretch; 4 axes; 2 loops; x8.00; 320 B"),
    ("x(8); c=const(8); y=Add(x,c)", "same; 1 axes; 1 loops; x1.00; 96 B"),
    ("x(8); c=const(3,3,1,4,1); y=Add(x,c)", "both stretch; 5 axes; 2 loops; x8.00; 1328 B"),
    ("x(1,1); c=const(2,3,4); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 196 B"),
    ("x(1,1); c=const(4); y=Add(x,c)", "scalar; 2 axes; 1 loops; x1.00; 36 B"),
    ("x(1,1); c=const(3,4); y=Add(x,c)", "scalar; 2 axes; 1 loops; x1.00; 100 B"),
    ("x(1,1); c=const(3,1); y=Add(x,c)", "scalar; 2 axes; 1 loops; x1.00; 28 B"),
    ("x(1,1); c=const(2,1,1); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 20 B"),
    ("x(1,1); c=const(1,1,1); y=Add(x,c)", "same; 3 axes; 0 loops; x1.00; 12 B"),
    ("x(1,1); c=const(); y=Add(x,c)", "same; 2 axes; 0 loops; x1.00; 12 B"),
    ("x(1,1); c=const(1); y=Add(x,c)", "same; 2 axes; 0 loops; x1.00; 12 B"),
    ("x(1,1); c=const(2,3,4,5); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 964 B"),
    ("x(1,1); c=const(3,1,1); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 28 B"),
    ("x(1,1); c=const(2,1,4,1); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 68 B"),
    ("x(1,1); c=const(1,3,4,5); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 484 B"),
    ("x(1,1); c=const(2,3,1,5); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 244 B"),
    ("x(1,1); c=const(1,5); y=Add(x,c)", "scalar; 2 axes; 1 loops; x1.00; 44 B"),
    ("x(1,1); c=const(8); y=Add(x,c)", "scalar; 2 axes; 1 loops; x1.00; 68 B"),
    ("x(1,1); c=const(3,3,1,4,1); y=Add(x,c)", "scalar; 5 axes; 1 loops; x1.00; 292 B"),
    ("x(1,1); c=const(2,2,3,4); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 388 B"),
    ("x(4,1); c=const(4); y=Add(x,c)", "both stretch; 2 axes; 2 loops; x4.00; 96 B"),
    ("x(4,1); c=const(2,1,1); y=Add(x,c)", "both stretch; 3 axes; 2 loops; x2.00; 56 B"),
    ("x(4,1); c=const(1,1,1); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 36 B"),
    ("x(4,1); c=const(); y=Add(x,c)", "scalar; 2 axes; 1 loops; x1.00; 36 B"),
    ("x(4,1); c=const(1); y=Add(x,c)", "scalar; 2 axes; 1 loops; x1.00; 36 B"),
    ("x(4,1); c=const(2,3,4,5); y=Add(x,c)", "channel; 4 axes; 3 loops; x1.00; 976 B"),
    ("x(4,1); c=const(3,1,1); y=Add(x,c)", "both stretch; 3 axes; 2 loops; x3.00; 76 B"),
    ("x(4,1); c=const(2,1,4,1); y=Add(x,c)", "bias; 4 axes; 2 loops; x1.00; 80 B"),
    ("x(4,1); c=const(1,3,4,5); y=Add(x,c)", "channel; 4 axes; 3 loops; x1.00; 496 B"),
    ("x(4,1); c=const(2,3,1,5); y=Add(x,c)", "both stretch; 4 axes; 3 loops; x4.00; 616 B"),
    ("x(4,1); c=const(1,5); y=Add(x,c)", "both stretch; 2 axes; 2 loops; x4.00; 116 B"),
    ("x(4,1); c=const(8); y=Add(x,c)", "both stretch; 2 axes; 2 loops; x4.00; 176 B"),
    ("x(4,1); c=const(3,3,1,4,1); y=Add(x,c)", "bias; 5 axes; 2 loops; x1.00; 304 B"),
    ("x(2,1,4); c=const(2,3,4); y=Add(x,c)", "apart; 3 axes; 3 loops; x1.00; 224 B"),
    ("x(2,1,4); c=const(4); y=Add(x,c)", "bias; 3 axes; 2 loops; x1.00; 80 B"),
    ("x(2,1,4); c=const(3,4); y=Add(x,c)", "both stretch; 3 axes; 3 loops; x2.00; 176 B"),
    ("x(2,1,4); c=const(3,1); y=Add(x,c)", "both stretch; 3 axes; 3 loops; x3.00; 140 B"),
    ("x(2,1,4); c=const(2,1,1); y=Add(x,c)", "prefix; 3 axes; 2 loops; x1.00; 72 B"),
    ("x(2,1,4); c=const(1,1,1); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 68 B"),
    ("x(2,1,4); c=const(); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 68 B"),
    ("x(2,1,4); c=const(1); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 68 B"),
    ("x(2,1,4); c=const(2,1,4,1); y=Add(x,c)", "both stretch; 4 axes; 4 loops; x8.00; 320 B"),
    ("x(2,1,4); c=const(3,3,1,4,1); y=Add(x,c)", "both stretch; 5 axes; 4 loops; x8.00; 1328 B"),
    ("x(2,1,4); c=const(2,2,3,4); y=Add(x,c)", "apart; 4 axes; 4 loops; x1.00; 416 B"),
    ("x(3,1,5,1); c=const(4); y=Add(x,c)", "both stretch; 4 axes; 2 loops; x4.00; 316 B"),
    ("x(3,1,5,1); c=const(2,1,1); y=Add(x,c)", "both stretch; 4 axes; 3 loops; x2.00; 188 B"),
    ("x(3,1,5,1); c=const(1,1,1); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 124 B"),
    ("x(3,1,5,1); c=const(); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 124 B"),
    ("x(3,1,5,1); c=const(1); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 124 B"),
    ("x(3,1,5,1); c=const(3,1,1); y=Add(x,c)", "both stretch; 4 axes; 3 loops; x3.00; 252 B"),
    ("x(3,1,5,1); c=const(1,5); y=Add(x,c)", "both stretch; 4 axes; 2 loops; x5.00; 380 B"),
    ("x(3,1,5,1); c=const(8); y=Add(x,c)", "both stretch; 4 axes; 2 loops; x8.00; 572 B"),
    ("x(); c=const(2,3,4); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 196 B"),
    ("x(); c=const(4); y=Add(x,c)", "scalar; 1 axes; 1 loops; x1.00; 36 B"),
    ("x(); c=const(3,4); y=Add(x,c)", "scalar; 2 axes; 1 loops; x1.00; 100 B"),
    ("x(); c=const(3,1); y=Add(x,c)", "scalar; 2 axes; 1 loops; x1.00; 28 B"),
    ("x(); c=const(2,1,1); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 20 B"),
    ("x(); c=const(1,1,1); y=Add(x,c)", "same; 3 axes; 0 loops; x1.00; 12 B"),
    ("x(); c=const(); y=Add(x,c)", "same; 0 axes; 0 loops; x1.00; 12 B"),
    ("x(); c=const(1); y=Add(x,c)", "same; 1 axes; 0 loops; x1.00; 12 B"),
    ("x(); c=const(2,3,4,5); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 964 B"),
    ("x(); c=const(3,1,1); y=Add(x,c)", "scalar; 3 axes; 1 loops; x1.00; 28 B"),
    ("x(); c=const(2,1,4,1); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 68 B"),
    ("x(); c=const(1,3,4,5); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 484 B"),
    ("x(); c=const(2,3,1,5); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 244 B"),
    ("x(); c=const(1,5); y=Add(x,c)", "scalar; 2 axes; 1 loops; x1.00; 44 B"),
    ("x(); c=const(8); y=Add(x,c)", "scalar; 1 axes; 1 loops; x1.00; 68 B"),
    ("x(); c=const(3,3,1,4,1); y=Add(x,c)", "scalar; 5 axes; 1 loops; x1.00; 292 B"),
    ("x(); c=const(2,2,3,4); y=Add(x,c)", "scalar; 4 axes; 1 loops; x1.00; 388 B"),
    ("x(2,3,4); y=Relu(x)", "unary; 3 axes; 1 loops; x1.00; 192 B"),
    ("x(2,3); y=Neg(x)", "unary; 2 axes; 1 loops; x1.00; 48 B"),
    ("x:i64(2,3); c:i64(3); y=Add(x,c)", "bias; 2 axes; 2 loops; x1.00; 120 B"),
    ("x:f16(2,3); c:f16(3); y=Mul(x,c)", "bias; 2 axes; 2 loops; x1.00; 30 B"),
    ("x:bool(2,3); c:bool(3); y=And(x,c)", "bias; 2 axes; 2 loops; x1.00; 15 B"),
    ("x:u8(3,5); y=Abs(x)", "unary; 2 axes; 1 loops; x1.00; 30 B"),
    ("x:bool(3,3); y=Not(x)", "unary; 2 axes; 1 loops; x1.00; 18 B"),
    ("x(2,3); c(3); y=Less(x,c)", "bias; 2 axes; 2 loops; x1.00; 42 B"),
    ("q:bool(2,1); a(3); b(2,3); y=Where(q,a,b)", "prefix; 2 axes; 2 loops; x1.00; 62 B"),
    ("q:bool(2,3); a(2,3); b(2,3); y=Where(q,a,b)", "same; 2 axes; 1 loops; x1.00; 78 B"),
    ("q:bool(4,1,1); a(2,1); b(3); y=Where(q,a,b)", "both stretch; 3 axes; 3 loops; x6.00; 120 B"),
    ("x(2,3,4,5); s=const(3,1,1); y=PRelu(x,s)", "channel; 4 axes; 3 loops; x1.00; 972 B"),
    ("x(2,3,4,5); s=const(5); y=PRelu(x,s)", "bias; 4 axes; 2 loops; x1.00; 980 B"),
    ("x(2,3,4,5); s=const(1); y=PRelu(x,s)", "scalar; 4 axes; 1 loops; x1.00; 964 B"),
    ("x(3,1); t=const:i64(3)=2,3,4; y=Expand(x,t)", "channel; 3 axes; 3 loops; x8.00; 108 B"),
    ("x(4); t=const:i64(2)=3,4; y=Expand(x,t)", "bias; 2 axes; 2 loops; x3.00; 64 B"),
    ("x(2,3); t=const:i64(2)=2,3; y=Expand(x,t)", "same; 2 axes; 1 loops; x1.00; 48 B"),
    ("x(3,5); w(5,4); c=const(4); y=Gemm(x,w,c)", "bias; 2 axes; 2 loops; x1.00; 112 B"),
    ("x(3,5); w(5,4); c=const(3,1); y=Gemm(x,w,c)", "prefix; 2 axes; 2 loops; x1.00; 108 B"),
    ("x(2,3); a=const(); b=const(); y=Clip(x,a,b)", "scalar; 2 axes; 1 loops; x1.00; 56 B"),
    ("x(2,3,4); s=const(4); b=const(4); y=LayerNormalization(x,s,b)", "bias; 3 axes; 2 loops; x1.00; 224 B"),
    ("x(2,3,4); s=const(4); y=LayerNormalization(x,s)", "bias; 3 axes; 2 loops; x1.00; 208 B"),
    ("a(2,3); b(3); c(2,1); y=Sum(a,b,c)", "prefix; 2 axes; 2 loops; x1.00; 68 B"),
    ("a(2,3); b(2,3); c(2,3); y=Max(a,b,c)", "same; 2 axes; 1 loops; x1.00; 96 B"),
    ("a(2,1); b(3); c(); y=Max(a,b,c)", "both stretch; 2 axes; 2 loops; x2.00; 48 B"),
    ("x(n,3,h,w); c=const(3,1,1); y=Mul(x,c)", "channel; 4 axes; 3 loops; x?; ? B"),
    ("x(n,s); c=const(); y=Mul(x,c)", "scalar; 2 axes; 1 loops; x?; ? B"),
    ("x(n,1); c(1,s); y=Mul(x,c)", "both stretch; 2 axes; 2 loops; x?; ? B"),
    ("x(n,s); c(s); y=Mul(x,c)", "bias; 2 axes; 2 loops; x?; ? B"),
    ("x(n,s); c(n,1); y=Mul(x,c)", "prefix; 2 axes; 2 loops; x?; ? B"),
    ("x(0,3); c(3); y=Mul(x,c)", "bias; 2 axes; 2 loops; x0.00; 12 B"),
    ("x(2,0); c(1); y=Mul(x,c)", "scalar; 2 axes; 1 loops; x0.00; 4 B"),
    ("opset 6; x(2,3,4); c=const(3); y=Mul(x,c) broadcast=1 axis=1", "channel; 3 axes; 3 loops; x1.00; 204 B"),
    ("opset 6; x(2,3,4); c=const(2,3); y=Mul(x,c) broadcast=1 axis=0", "prefix; 3 axes; 2 loops; x1.00; 216 B"),
    ("ir; x(2,3,4); c=const(3); y=Add(x,c) auto_broadcast=pdpd axis=1", "channel; 3 axes; 3 loops; x1.00; 204 B"),
    ("ir; x(2,3,4); s=const(3); y=PReLU(x,s)", "channel; 3 axes; 3 loops; x1.00; 204 B"),
    ("ncnn; x(3,4,4); c(3); y=BinaryOp(x,c) 0=0", "prefix; 3 axes; 2 loops; x1.00; 396 B"),
    ("ncnn; x(3,4,4); c(4,4); y=BinaryOp(x,c) 0=0", "unknown; ? axes; ? loops; x?; ? B"),
    ("paddle; x(2,3,4); c(3); y=elementwise_add(x,c) axis=1", "channel; 3 axes; 3 loops; x1.00; 204 B"),
    ("paddle; x(2,3,4); c(2,3); y=elementwise_add(x,c) axis=0", "prefix; 3 axes; 2 loops; x1.00; 216 B"),
];

#[test]
fn counts() {
    for (text, want) in COUNTS {
        assert_eq!(counted(text), *want, "{text}");
    }
}
