//! Compares with `numpy.txt`, which NumPy wrote: a heading line `name column...`, then a line per row.

use super::*;

const TABLE: &str = include_str!("numpy.txt");

fn dtype(name: &str) -> DType {
    DType::from_name(name).unwrap_or_else(|| panic!("{name}"))
}

/// Returns the rows below the heading of this name, as row name, column name and cell.
fn cells(heading: &str) -> Vec<(&'static str, &'static str, &'static str)> {
    let headings = ["promote", "weak", "typing", "atan2"];
    let mut cells = Vec::new();
    let mut columns: Option<Vec<&str>> = None;
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&'static str> = line.split_whitespace().collect();
        let is_heading = headings.contains(&words[0]) && (words[1] == "bool" || words[1] == "True");
        match &columns {
            _ if is_heading => columns = (words[0] == heading).then(|| words[1..].to_vec()),
            Some(columns) => cells.extend(columns.iter().zip(&words[1..]).map(|(c, cell)| (words[0], *c, *cell))),
            None => {}
        }
    }
    assert!(!cells.is_empty(), "{heading}");
    cells
}

#[test]
fn dtypes_join_as_in_numpy() {
    let cells = cells("promote");
    assert_eq!(cells.len(), 13 * 13);
    let wrong: Vec<_> = cells.iter().filter(|(a, b, want)| promote(dtype(a), dtype(b)) != dtype(want)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn numbers_are_weak_as_in_numpy() {
    let number = |text: &str| match text {
        "True" => Literal::Bool(true),
        "1" => Literal::Int(1),
        _ => Literal::Float(1.5),
    };
    let cells = cells("weak");
    assert_eq!(cells.len(), 13 * 3);
    let wrong: Vec<_> = cells.iter().filter(|(a, b, want)| number(b).promoted_with(dtype(a)) != dtype(want)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn operators_choose_dtypes_as_in_numpy() {
    let mut wrong = Vec::new();
    for (name, operand, want) in cells("typing") {
        let promotion = broadaxe_op::find(name).expect("in the table").promotion();
        let got = super::dtype(promotion, &[Typed::Strong(dtype(operand)); 2]);
        let got = match promotion {
            Promotion::Compare | Promotion::Class => got.map(|_| DType::Bool),
            _ => got,
        };
        if got.map_or("-", DType::name) != want {
            wrong.push((name, operand, want, got));
        }
    }
    for (a, b, want) in cells("atan2") {
        let got = super::dtype(Promotion::Float, &[Typed::Strong(dtype(a)), Typed::Strong(dtype(b))]);
        if got != Some(dtype(want)) {
            wrong.push((a, b, want, got));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn numbers_alone_and_beside_arrays() {
    use Literal::{Bool, Float, Int};
    use Typed::{Strong, Weak};
    let cases: &[(Promotion, &[Typed], Option<DType>)] = &[
        (Promotion::Common, &[Weak(Int(1)), Weak(Int(2))], Some(DType::I64)),
        (Promotion::Common, &[Weak(Bool(true)), Weak(Float(2.0))], Some(DType::F64)),
        (Promotion::Common, &[], None),
        (Promotion::Common, &[Strong(DType::U8), Weak(Int(300))], Some(DType::U8)),
        (Promotion::Divided, &[Strong(DType::U8), Weak(Int(300))], Some(DType::F64)),
        (Promotion::Float, &[Strong(DType::I8), Weak(Int(1))], Some(DType::F16)),
        (Promotion::Float, &[Strong(DType::I8), Weak(Float(1.5))], Some(DType::F64)),
        (Promotion::Float, &[Weak(Int(2))], Some(DType::F64)),
        (Promotion::Float, &[Weak(Bool(true))], Some(DType::F16)),
        (Promotion::Float, &[Strong(DType::Bool), Weak(Int(1))], Some(DType::F64)),
        (Promotion::Float, &[Strong(DType::I8), Strong(DType::U8)], Some(DType::F16)),
        (Promotion::Choose, &[Strong(DType::F64), Strong(DType::I8), Weak(Int(0))], Some(DType::I8)),
        (Promotion::Bits, &[Strong(DType::I8), Weak(Float(1.0))], None),
        (Promotion::NotBool, &[Strong(DType::Bool), Weak(Int(1))], Some(DType::I64)),
    ];
    let wrong: Vec<_> =
        cases.iter().filter(|(promotion, operands, want)| super::dtype(*promotion, operands) != *want).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}
