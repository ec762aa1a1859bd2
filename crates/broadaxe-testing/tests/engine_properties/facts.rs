//! Checks the facts in rows of the operator table.

use std::collections::HashMap;

use broadaxe_kernels::{DType, Family, HasKernels, Isa, OPS, Op, find};
use broadaxe_testing::{
    oracle::{Outcome, Ty, Value, edge_values, from_bytes, output, to_bytes},
    random::Random,
};

use crate::drive::{ask, operand, run_columns, single, ty};

fn level() -> Isa {
    *Isa::available().last().expect("every CPU has one")
}

/// Returns all pairs of edges of a dtype that an operator does not reject, as two columns.
fn pairs(op: &Op, dtype: DType) -> [Vec<u8>; 2] {
    let mut edges = edge_values(ty(dtype));
    let mut random = Random::new(9);
    edges.extend((0..20).map(|_| random.value(ty(dtype))));
    let guarded = op.kernel(dtype).is_some_and(|kernel| kernel.guard().is_some());
    let answered = |&(a, b): &(Value, Value)| !guarded || ask(op, dtype, &[a, b]) != Outcome::Refused;
    let all = edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))).filter(answered);
    let (left, right): (Vec<_>, Vec<_>) = all.unzip();
    [to_bytes(ty(dtype), &left), to_bytes(ty(dtype), &right)]
}

/// Says which elements differ, two zeros and two NaN being the same.
fn differing(of: Ty, a: &[u8], b: &[u8]) -> Vec<usize> {
    let same = |pair: &(Value, Value)| match *pair {
        (Value::Float(x), Value::Float(y)) => x == y || (x.is_nan() && y.is_nan()),
        (x, y) => x == y,
    };
    let both = from_bytes(of, a).into_iter().zip(from_bytes(of, b));
    both.enumerate().filter(|(_, pair)| !same(pair)).map(|(i, _)| i).collect()
}

#[test]
fn exchanged_operands_give_the_same() {
    let mut faults = Vec::new();
    for op in OPS {
        let Some(name) = op.reversed() else { continue };
        let other =
            find(name).unwrap_or_else(|| panic!("{} is reversed by {name}, which is not in the table", op.name()));
        assert_eq!(other.reversed(), Some(op.name()), "{name} is reversed by {} again", op.name());
        assert_eq!((op.arity(), other.arity()), (2, 2), "{}", op.name());
        for dtype in op.dtypes() {
            let Some(kernel) = other.kernel(dtype) else {
                faults.push(format!("{} {dtype}: {name} has no kernel for it", op.name()));
                continue;
            };
            let [left, right] = pairs(op, dtype);
            let run =
                |kernel, columns: &[Vec<u8>]| run_columns(level(), &single(kernel), columns).expect("not refused");
            let forth = run(op.kernel(dtype).expect("its own"), &[left.clone(), right.clone()]);
            let back = run(kernel, &[right, left]);
            for at in differing(ty(kernel.output()), &forth, &back) {
                faults.push(format!("{} {dtype}: pair {at}", op.name()));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults: {:?}", faults.len(), &faults[..faults.len().min(20)]);
}

/// Operators that do commute say so: nothing is gained by hiding it.
#[test]
fn operators_that_commute_say_so() {
    for op in OPS.iter().filter(|op| op.arity() == 2 && !op.is_commutative()) {
        let commutes = op.dtypes().all(|dtype| {
            let [left, right] = pairs(op, dtype);
            let kernel = op.kernel(dtype).expect("its own");
            let run = |columns: &[Vec<u8>]| run_columns(level(), &single(kernel), columns);
            match (run(&[left.clone(), right.clone()]), run(&[right, left])) {
                (Ok(forth), Ok(back)) => differing(ty(kernel.output()), &forth, &back).is_empty(),
                _ => false,
            }
        });
        assert!(!commutes, "{} gives the same with its operands exchanged for every pair of edges", op.name());
    }
}

#[test]
fn identities_leave_the_other_operand() {
    let mut count = 0;
    for op in OPS {
        let Some(identity) = op.identity() else { continue };
        for dtype in op.dtypes() {
            let of = ty(dtype);
            let value = match of {
                Ty::Bool => Value::Bool(identity != 0.0),
                _ if of.is_float() => Value::Float(identity),
                _ => Value::Int(identity as i128),
            };
            let edges = edge_values(of);
            let left = to_bytes(of, &edges);
            let right = to_bytes(of, &vec![value; edges.len()]);
            let kernel = op.kernel(dtype).expect("its own");
            let got = run_columns(level(), &single(kernel), &[left.clone(), right]).expect("not refused");
            assert_eq!(differing(of, &got, &left), [0; 0], "{} {dtype} with {identity}", op.name());
            count += 1;
        }
    }
    assert!(count > 50, "only {count} identities were tried");
}

#[test]
fn names_and_meanings() {
    let mut rows: HashMap<&str, usize> = HashMap::new();
    for (at, op) in OPS.iter().enumerate() {
        assert_eq!(rows.insert(op.name(), at), None, "two rows are called {}", op.name());
        assert!(find(op.name()).is_some_and(|found| std::ptr::eq(found, op)), "{} is found", op.name());
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(!op.name().is_empty() && op.name().chars().all(plain), "{}", op.name());
        assert!(!op.meaning().trim().is_empty(), "{} has no meaning", op.name());
        let named =
            |letter: char| op.meaning().split(|c: char| !c.is_alphanumeric()).any(|word| word == letter.to_string());
        for letter in "abc".chars().take(op.arity()) {
            // An exponent is a word of its own only behind a space: e^a.
            assert!(
                named(letter) || op.meaning().contains(letter),
                "{}: '{}' leaves out {letter}",
                op.name(),
                op.meaning()
            );
        }
        assert!((1..=3).contains(&op.arity()) && (!op.is_variadic() || op.arity() == 2), "{}", op.name());
        assert!(op.dtypes().next().is_some(), "{} has no kernel", op.name());
    }
    assert!(find("no_such").is_none() && find("").is_none());
}

/// A row that accepts one dtype of a family accepts all of it.
#[test]
fn families_are_whole() {
    for op in OPS {
        for family in [Family::Signed, Family::Unsigned, Family::Float] {
            let of_family = |dtype: &DType| dtype.family() == family;
            let taken = op.dtypes().filter(of_family).count();
            let all = DType::ALL.iter().copied().filter(of_family).count();
            assert!(taken == 0 || taken == all, "{}: {taken} of {all} dtypes of {family:?}", op.name());
        }
    }
}

#[test]
fn kernels_are_asked_by_their_own_dtype() {
    for op in OPS {
        for dtype in op.dtypes() {
            let kernel = op.kernel(dtype).expect("its own");
            assert_eq!(kernel.inputs().len(), op.arity(), "{} {dtype}", op.name());
            assert_eq!(kernel.inputs().last(), Some(&dtype), "{} {dtype}", op.name());
            assert_eq!(op.output(dtype), Some(kernel.output()), "{} {dtype}", op.name());
            assert_eq!(ty(kernel.output()), output(op.name(), ty(dtype)), "{} {dtype}", op.name());
            let first = operand(op, 0, dtype);
            assert!(first == dtype || (op.name() == "where" && first == DType::Bool), "{} {dtype}", op.name());
        }
        let inexact = op.ulp().is_some_and(|(f32, f64)| f32 > 0.0 && f64 > 0.0 && f32 <= 4.0 && f64 <= 4.0);
        assert!(op.ulp().is_none() || inexact, "{}: {:?}", op.name(), op.ulp());
    }
}
