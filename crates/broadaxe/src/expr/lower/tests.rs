//! Arrays in these texts are named after their dtype and have the shape (2, 3); those with a `_` have the shape (3,).

use broadaxe_shape::Shape;

use super::*;
use crate::{expr::Expr, graph::Origin};

mod frameworks;
mod values;

/// Binds a name by what it says: `f32` and `f32_`, or `x2_3_4` for f32 of that shape.
fn bind(graph: &mut Graph, name: &str) -> Node {
    if let Some(dims) = name.strip_prefix('x') {
        let dims: Vec<usize> = dims.split('_').filter(|dim| !dim.is_empty()).map(|dim| dim.parse().unwrap()).collect();
        return graph.input(DType::F32, &dims).unwrap();
    }
    let dtype = DType::from_name(name.trim_end_matches('_')).unwrap_or_else(|| panic!("{name}"));
    graph.input(dtype, if name.ends_with('_') { &[3] } else { &[2, 3] }).unwrap()
}

/// Lowers a text and writes the graph below its root, with the root's dtype and shape.
fn lowered(text: &str, rule: &Rule) -> Result<String, Error> {
    let expr = Expr::parse(text)?;
    let mut graph = Graph::new();
    let nodes: Vec<Node> = expr.names().iter().map(|name| bind(&mut graph, name)).collect();
    let names: Vec<(&str, Node)> = expr.names().iter().map(String::as_str).zip(nodes).collect();
    let root = expr.lower(&mut graph, &names, rule)?;
    let mut tree = String::new();
    write(&graph, &names, root, &mut tree);
    Ok(format!("{tree} {} {}", graph.dtype(root), Shape::new(graph.shape(root))))
}

fn write(graph: &Graph, names: &[(&str, Node)], node: Node, out: &mut String) {
    match &graph.made(node).origin {
        Origin::Input(index) => out.push_str(names[*index].0),
        Origin::Constant(scalar) => out.push_str(&scalar.to_string()),
        Origin::Fold(folded) => {
            out.push_str(folded.reduction.name());
            out.push('(');
            write(graph, names, folded.arg, out);
            out.push_str("; ");
            out.push_str(&Shape::from(folded.axes.clone()).to_string());
            out.push(')');
        }
        Origin::Kernel(applied) => {
            let cast = applied.name == "cast";
            out.push_str(if cast { graph.dtype(node).name() } else { applied.name });
            out.push('(');
            for (index, arg) in applied.args.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write(graph, names, *arg, out);
            }
            out.push(')');
        }
    }
}

/// Reports the cases whose answer is not the one wanted; an error counts as its sentence and position.
fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, want)| {
            let got = match lowered(text, &Rule::numpy()) {
                Ok(got) => got,
                Err(error) => format!("{}: {error}", error.position().map_or(-1, |at| at as i64)),
            };
            let right = match want.strip_prefix("error ") {
                Some(part) => {
                    got.split_once(": ").is_some_and(|(at, _)| at.parse::<i64>().is_ok()) && got.contains(part)
                }
                None => got == *want,
            };
            (!right).then(|| format!("{text}\n  want {want}\n  got  {got}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn operators_compute_in_numpys_dtypes() {
    check(&[
        ("f32 + f32_", "add(f32, f32_) f32 (2, 3)"),
        ("i8 + u8", "add(i16(i8), i16(u8)) i16 (2, 3)"),
        ("i64 * u64", "mul(f64(i64), f64(u64)) f64 (2, 3)"),
        ("bf16 - f16", "sub(f32(bf16), f32(f16)) f32 (2, 3)"),
        ("i8 / i8", "div(f64(i8), f64(i8)) f64 (2, 3)"),
        ("f16 / i8", "div(f16, f16(i8)) f16 (2, 3)"),
        ("i8 // i8", "div_floor(i8, i8) i8 (2, 3)"),
        ("bool // bool", "div_floor(i8(bool), i8(bool)) i8 (2, 3)"),
        ("f32 % 2", "mod_floor(f32, 2) f32 (2, 3)"),
        ("i32 ** 3", "pow(i32, 3) i32 (2, 3)"),
        ("i32 ** 2", "square(i32) i32 (2, 3)"),
        ("bool ** 2", "square(i8(bool)) i8 (2, 3)"),
        ("2 ** i8", "pow(2, i8) i8 (2, 3)"),
        ("bool + bool", "logical_or(bool, bool) bool (2, 3)"),
        ("bool * bool", "logical_and(bool, bool) bool (2, 3)"),
        ("bool - bool", "error 5: sub of bool and bool is refused, as in NumPy; write ^"),
        ("-bool", "error 0: neg of bool is refused, as in NumPy; write ~"),
        ("+i8", "i8 i8 (2, 3)"),
        ("bool & bool", "logical_and(bool, bool) bool (2, 3)"),
        ("bool & i16", "bitwise_and(i16(bool), i16) i16 (2, 3)"),
        ("~bool", "logical_not(bool) bool (2, 3)"),
        ("~i8", "bitwise_not(i8) i8 (2, 3)"),
        ("f32 & f32", "error 4: bitwise_and of f32 and f32 is refused, as in NumPy; it accepts bool and integers"),
        ("i8 << f32", "error 3: shift_left of i8 and f32 is refused"),
        ("bool << bool", "shift_left(i8(bool), i8(bool)) i8 (2, 3)"),
        ("(f32 > 0) & (f32_ <= 1)", "logical_and(greater(f32, 0), less_equal(f32_, 1)) bool (2, 3)"),
        ("bool == bool", "equal(bool, bool) bool (2, 3)"),
        ("i32 < f32", "less(f64(i32), f64(f32)) bool (2, 3)"),
        ("sqrt(i8)", "sqrt(f16(i8)) f16 (2, 3)"),
        ("sqrt(u16)", "sqrt(f32(u16)) f32 (2, 3)"),
        ("exp(i32)", "exp(f64(i32)) f64 (2, 3)"),
        ("arctan2(i8, u8)", "atan2(f16(i8), f16(u8)) f16 (2, 3)"),
        ("floor(i8)", "i8 i8 (2, 3)"),
        ("rint(i8)", "rint(f16(i8)) f16 (2, 3)"),
        ("fabs(i8)", "fabs(f16(i8)) f16 (2, 3)"),
        ("+i8 + copy(f32)", "add(f32(i8), f32) f32 (2, 3)"),
        ("+bool", "error 0: positive of bool is refused, as in NumPy; cast it to i8"),
        ("conj(bool)", "i8(bool) i8 (2, 3)"),
        ("real(f32).imag", "imag(f32) f32 (2, 3)"),
        ("-(f32 + 1).real ** 2", "neg(square(add(f32, 1))) f32 (2, 3)"),
        ("f32.imag", "imag(f32) f32 (2, 3)"),
        ("2 .real + i8", "add(2, i64(i8)) i64 (2, 3)"),
        ("signbit(u16)", "signbit(f32(u16)) bool (2, 3)"),
        ("bitwise_count(bool)", "bitwise_count(i8(bool)) u8 (2, 3)"),
        ("frexp_exponent(i64)", "frexp_exponent(f64(i64)) i32 (2, 3)"),
        ("float_power(i8, f16)", "float_power(f64(i8), f64(f16)) f64 (2, 3)"),
        ("gcd(i8, u8)", "gcd(i16(i8), i16(u8)) i16 (2, 3)"),
        (
            "gcd(bool, bool)",
            "error 0: gcd of bool and bool is refused, as in NumPy; it accepts integers; cast bool to i8",
        ),
        ("lcm(f32, i8)", "error 0: lcm of f32 and i8 is refused"),
        ("ldexp(f32, i8)", "ldexp(f32, f32(i8)) f32 (2, 3)"),
        ("ldexp(i8, i64)", "ldexp(f16(i8), f16(i64)) f16 (2, 3)"),
        ("ldexp(bf16, i32)", "bf16(ldexp(f32(bf16), f32(i32))) bf16 (2, 3)"),
        ("ldexp(bf16, u32)", "ldexp(f32(bf16), f32(u32)) f32 (2, 3)"),
        ("ldexp(2, i8)", "ldexp(2, f16(i8)) f16 (2, 3)"),
        ("ldexp(f32, f32)", "error 0: ldexp of f32 and f32 is refused, as in NumPy; its second operand is an integer"),
        ("ldexp(f32, u64)", "error 0: ldexp of f32 and u64 is refused"),
        ("abs(bool)", "bool bool (2, 3)"),
        ("isnan(i8)", "not_equal(i8, i8) bool (2, 3)"),
        ("isfinite(bool)", "equal(bool, bool) bool (2, 3)"),
        ("reciprocal(i8)", "div_trunc(1, i8) i8 (2, 3)"),
        ("reciprocal(bool)", "div_trunc(1, i8(bool)) i8 (2, 3)"),
        ("logical_and(f32, i8)", "logical_and(bool(f32), bool(i8)) bool (2, 3)"),
        ("where(i8, f32, i8)", "where(bool(i8), f32, f32(i8)) f32 (2, 3)"),
        ("where(bool, 1, 2.5)", "where(bool, 1, 2.5) f64 (2, 3)"),
        ("clip(i8, 0, 5)", "clamp(i8, 0, 5) i8 (2, 3)"),
        ("clip(i8, -129, 300)", "clamp(i8, -128, 127) i8 (2, 3)"),
        ("clip(u8, -5, 2**70)", "clamp(u8, 0, 255) u8 (2, 3)"),
        ("clip(i8, 200, 300)", "error 0: 200 is out of bounds for i8"),
        ("clip(i8, -300, -200)", "error 0: -200 is out of bounds for i8"),
        ("clip(bool, bool, True)", "logical_and(logical_or(bool, bool), true) bool (2, 3)"),
        ("clip(u8, i8, f16)", "clamp(f16(u8), f16(i8), f16) f16 (2, 3)"),
        ("heaviside(i8, 1)", "heaviside(f16(i8), 1) f16 (2, 3)"),
        ("heaviside(i32, f32)", "heaviside(f64(i32), f64(f32)) f64 (2, 3)"),
        ("round(bool)", "round(f16(bool)) f16 (2, 3)"),
        ("trunc(bool)", "bool bool (2, 3)"),
        ("maximum(bool, bool)", "logical_or(bool, bool) bool (2, 3)"),
        ("max(i8, i16, 3)", "max(max(i16(i8), i16), 3) i16 (2, 3)"),
        ("sum(f32, f32_, f16)", "sum(sum(f32, f32_), f32(f16)) f32 (2, 3)"),
        ("mean(i8, i8)", "mean(sum(f64(i8), f64(i8)), 2) f64 (2, 3)"),
        ("cast(f32, \"f16\")", "f16(f32) f16 (2, 3)"),
        ("cast(i8, dtype='bool')", "bool(i8) bool (2, 3)"),
        ("broadcast_to(f32_, [4, 3])", "broadcast(f32_) f32 (4, 3)"),
        ("broadcast(f32_, rule=\"explicit\", axes=[0], target=(3, 5))", "broadcast(f32_) f32 (3, 5)"),
    ]);
}

#[test]
fn numbers_are_weak_and_fold() {
    check(&[
        ("2 * 3 + i8", "add(6, i8) i8 (2, 3)"),
        ("1 / 3 * f32", "mul(0.33333334, f32) f32 (2, 3)"),
        ("i8 + 1.5", "add(f64(i8), 1.5) f64 (2, 3)"),
        ("bool + 1", "add(i64(bool), 1) i64 (2, 3)"),
        ("i8 + True", "add(i8, 1) i8 (2, 3)"),
        ("f16 + 1e-3", "add(f16, 0.0010004044) f16 (2, 3)"),
        ("bf16 * 2", "mul(bf16, 2) bf16 (2, 3)"),
        ("bf16 * 2.0", "mul(f32(bf16), 2) f32 (2, 3)"),
        ("-128 + i8", "add(-128, i8) i8 (2, 3)"),
        ("i8 / 300", "div(f64(i8), 300) f64 (2, 3)"),
        ("arctan2(i8, 300)", "atan2(f16(i8), 300) f16 (2, 3)"),
        ("u8 + 300", "error 3: 300 is out of bounds for u8, which holds 0 to 255"),
        ("u8 & -1", "error 3: -1 is out of bounds for u8"),
        ("1 + 2", "3 i64 ()"),
        ("2 ** 63", "9223372036854775808 u64 ()"),
        ("2 ** 64", "error 0: 18446744073709551616 is out of bounds for u64"),
        ("1 / 0 + f32", "error 2: 1 / 0: division by zero"),
        ("True & False", "false bool ()"),
        ("1 < 2", "true bool ()"),
        ("sqrt(4) * f32", "mul(sqrt(4), f64(f32)) f64 (2, 3)"),
        ("add(1, 2)", "add(1, 2) i64 ()"),
    ]);
}

#[test]
fn comparisons_are_exact() {
    check(&[
        ("u8 < 300", "less_equal(u8, 255) bool (2, 3)"),
        ("u8 >= 300", "greater(u8, 255) bool (2, 3)"),
        ("u8 == -1", "less(u8, 0) bool (2, 3)"),
        ("u8 != -1", "greater_equal(u8, 0) bool (2, 3)"),
        ("300 < i8", "greater(i8, 127) bool (2, 3)"),
        ("-300 < i8", "greater_equal(i8, -128) bool (2, 3)"),
        ("i64 < 2**63", "less_equal(i64, 9223372036854775807) bool (2, 3)"),
        ("f32 < 2**100", "less(f32, 1267650600000000000000000000000) bool (2, 3)"),
        ("i32 < u64", "logical_or(less(u64(i32), u64), less(i32, 0)) bool (2, 3)"),
        ("u64 < i32", "logical_and(less(u64, u64(i32)), greater_equal(i32, 0)) bool (2, 3)"),
        ("u64 == i8", "logical_and(equal(u64, u64(i8)), greater_equal(i8, 0)) bool (2, 3)"),
        ("i8 != u64", "logical_or(not_equal(u64(i8), u64), less(i8, 0)) bool (2, 3)"),
        ("less(i8, u64, rule=\"none\")", "error 0: less of i8 and u64 has no common dtype under the rule none"),
    ]);
}

#[test]
fn calls_take_rules_and_explain() {
    check(&[
        ("add(x2_3_4, x3, rule=\"pdpd\", axis=1)", "add(x2_3_4, x3) f32 (2, 3, 4)"),
        ("add(x2_3_4, x3, rule=\"pdpd axis=1\")", "add(x2_3_4, x3) f32 (2, 3, 4)"),
        ("sub(x2_3_4, x3, axis=1)", "error 0: the rule numpy has no parameter axis"),
        ("sub(x2_3_4, x3)", "error 0: "),
        ("1 + f32 * x2_4", "error 8: "),
        ("add(f32, 1, rule=\"none\")", "add(f32, 1) f32 (2, 3)"),
        ("sub(1, f32, rule=\"pdpd\")", "sub(1, f32) f32 (2, 3)"),
        ("add(f32, f32, axes=[0, 1.5])", "error 0: axes must be a list of whole numbers, not [0.0, 1.5]"),
        ("add(f32, f32, rule=\"numpyy\")", "error 0: unknown rule 'numpyy'"),
        ("add(f32, f32, rule=3)", "error 0: rule must be a text in quotes, not 3"),
        (
            "add(f32, f32, aixs=3)",
            "error 0: add has no keyword 'aixs'; its keywords: rule, axis, axes, target, mode; did you mean 'axes' or 'axis'?",
        ),
        ("add(f32, f32, [1])", "error 0: add has no value such as [1] among its operands"),
        ("add(f32)", "error 0: add needs 2 operands (a + b), not 1"),
        ("add(f32, f32, f32)", "error 0: add needs 2 operands (a + b), not 3; sum accepts any number"),
        ("max()", "error 0: max needs 2 or more operands (the larger of a and b; NaN propagates), not 0"),
        ("cast(f32)", "error 0: cast needs one dtype: cast(x, \"f16\")"),
        ("cast(f32, 'f12')", "error 0: unknown dtype 'f12'; the dtypes are bool, i8"),
        ("broadcast_to(f32_, [-1, 3])", "error 0: shape must be dims of 0 or more, not [-1, 3]"),
        ("erf(bool)", "erf(f16(bool)) f16 (2, 3)"),
        ("pow_trunc(f32, f32)", "error 0: pow_trunc does not accept f32; it accepts i8"),
    ]);
    let error = {
        let mut graph = Graph::new();
        let a = graph.input(DType::F32, &[]).unwrap();
        Expr::parse("alpha + a").unwrap().lower(&mut graph, &[("alpha1", a), ("b", a)], &Rule::numpy()).unwrap_err()
    };
    assert_eq!(error.to_string(), "no array named 'alpha'; did you mean 'alpha1'?");
    assert_eq!((error.kind(), error.position()), (ErrorKind::Name, Some(0)));
}

#[test]
fn the_rule_of_the_expression_reaches_every_operator() {
    let rule = Rule::pdpd(1);
    assert_eq!(lowered("x2_3_4 + x3", &rule).unwrap(), "add(x2_3_4, x3) f32 (2, 3, 4)");
    assert_eq!(lowered("2 * x2_3_4 + -x3", &rule).unwrap(), "add(mul(2, x2_3_4), neg(x3)) f32 (2, 3, 4)");
    assert_eq!(lowered("add(x2_3_4, x2, axis=0)", &rule).unwrap(), "add(x2_3_4, x2) f32 (2, 3, 4)");
    assert_eq!(lowered("add(x2_3_4, x4, rule='numpy')", &rule).unwrap(), "add(x2_3_4, x4) f32 (2, 3, 4)");
    let error = lowered("x2_3_4 + x4", &rule).unwrap_err();
    assert_eq!((error.kind(), error.position()), (ErrorKind::Shape, Some(7)));
}

#[test]
fn long_chains_lower() {
    let text = vec!["a"; 10_000].join("+");
    let mut graph = Graph::new();
    let a = graph.input(DType::F32, &[4]).unwrap();
    let root = Expr::parse(&text).unwrap().lower(&mut graph, &[("a", a)], &Rule::numpy()).unwrap();
    assert_eq!(graph.shape(root), [4]);
}
