//! Shapes of matrix products.

use broadaxe::DType;
use broadaxe_shape::Rule;

use super::{
    Size,
    call::{Call, Made, Stop, because},
    elementwise::united,
    row::{SAME, ShapeRow, Type, row},
    tensor::Tensor,
};

pub(crate) static MATMUL_ROWS: &[ShapeRow] = &[
    row("MatMul", |call| product(call, 0, 1, false, false), SAME),
    row("MatMulInteger", |call| product(call, 0, 1, false, false), &[Type::Is(DType::I32)]),
    row("QLinearMatMul", |call| product(call, 0, 3, false, false), &[Type::Same(7)]),
    row("Gemm", gemm, SAME),
    row("Einsum", einsum, SAME),
    row("Det", det, SAME),
];

/// Infers a product of stacks of matrices; an operand of rank 1 is a row or a column, and its axis is dropped.
pub(crate) fn product(call: &Call<'_>, left: usize, right: usize, flip_left: bool, flip_right: bool) -> Made {
    let (a, b) = (call.least(left, 1)?, call.least(right, 1)?);
    let split = |dims: &[Size], flip: bool, row: bool| -> (Vec<Size>, Option<Size>, Size) {
        match dims {
            [batch @ .., x, y] if flip != row => (batch.to_vec(), Some(x.clone()), y.clone()),
            [batch @ .., x, y] => (batch.to_vec(), Some(y.clone()), x.clone()),
            [.., x] => (Vec::new(), None, x.clone()),
            [] => (Vec::new(), None, Size::known(1)),
        }
    };
    // The free extent of a precedes the inner one, that of b follows it.
    let (one, rows, inner) = split(a, flip_left, true);
    let (two, columns, other) = split(b, flip_right, false);
    call.same(&inner, &other)?;
    let mut dims = united(call, &Rule::numpy(), &[&one, &two])?;
    dims.extend(rows.into_iter().chain(columns));
    Ok(vec![Tensor::of(dims)])
}

pub(crate) fn gemm(call: &Call<'_>) -> Made {
    let ([a, b], [c, d]) = (call.ranked::<2>(0)?, call.ranked::<2>(1)?);
    let (rows, inner) = if call.flag("transA") { (b, a) } else { (a, b) };
    let (other, columns) = if call.flag("transB") { (d, c) } else { (c, d) };
    call.same(inner, other)?;
    Ok(vec![Tensor::of(vec![rows.clone(), columns.clone()])])
}

fn det(call: &Call<'_>) -> Made {
    let dims = call.least(0, 2)?;
    Ok(vec![Tensor::of(dims[..dims.len() - 2].to_vec())])
}

/// The extents that the letters of an equation stand for.
struct Letters {
    sizes: Vec<(u8, Size, usize)>,
    dots: Option<Vec<Size>>,
}

/// Infers an Einstein sum from its equation.
pub(crate) fn einsum(call: &Call<'_>) -> Made {
    let equation: String = call.text("equation").unwrap_or_default().split_whitespace().collect();
    let (operands, result) = match equation.split_once("->") {
        Some((operands, result)) => (operands, Some(result)),
        None => (equation.as_str(), None),
    };
    let mut letters = Letters { sizes: Vec::new(), dots: None };
    let terms: Vec<&str> = operands.split(',').collect();
    if terms.len() != call.inputs() {
        return because(format!("Einsum: the equation has {} operands, the node {}", terms.len(), call.inputs()));
    }
    for (k, term) in terms.iter().enumerate() {
        gather(call, &mut letters, term, call.dims(k)?)?;
    }
    let dots = letters.dots.clone().unwrap_or_default();
    let mut dims = Vec::new();
    let implicit = || {
        let mut once: Vec<u8> = letters.sizes.iter().filter(|row| row.2 == 1).map(|row| row.0).collect();
        once.sort_unstable();
        format!("...{}", String::from_utf8_lossy(&once))
    };
    let result = result.map_or_else(implicit, str::to_string);
    let (before, after) = result.split_once("...").unwrap_or((&result, ""));
    let find = |letter: u8| {
        let row = letters.sizes.iter().find(|row| row.0 == letter);
        row.map_or_else(|| because("Einsum: a letter of the result is in no operand"), |row| Ok(row.1.clone()))
    };
    for letter in before.bytes() {
        dims.push(find(letter)?);
    }
    if result.contains("...") {
        dims.extend(dots);
    }
    for letter in after.bytes() {
        dims.push(find(letter)?);
    }
    Ok(vec![Tensor::of(dims)])
}

/// Adds the extents of an operand to those of the letters.
fn gather(call: &Call<'_>, letters: &mut Letters, term: &str, dims: &[Size]) -> Result<(), Stop> {
    let (before, after) = term.split_once("...").unwrap_or((term, ""));
    let named = before.len() + after.len();
    if dims.len() < named || (dims.len() > named && !term.contains("...")) {
        return because(format!("Einsum: {term} does not fit an operand of rank {}", dims.len()));
    }
    let dotted = &dims[before.len()..dims.len() - after.len()];
    if term.contains("...") {
        letters.dots = Some(match letters.dots.take() {
            Some(known) => united(call, &Rule::numpy(), &[&known, dotted])?,
            None => dotted.to_vec(),
        });
    }
    let sizes = dims[..before.len()].iter().chain(&dims[dims.len() - after.len()..]);
    for (letter, size) in before.bytes().chain(after.bytes()).zip(sizes) {
        match letters.sizes.iter_mut().find(|row| row.0 == letter) {
            Some(row) => {
                // An extent of 1 stretches.
                let merged = if row.1.is(1) {
                    size.clone()
                } else if size.is(1) {
                    row.1.clone()
                } else {
                    call.same(&row.1, size)?
                };
                (row.1, row.2) = (merged, row.2 + 1);
            }
            None => letters.sizes.push((letter, size.clone(), 1)),
        }
    }
    Ok(())
}
