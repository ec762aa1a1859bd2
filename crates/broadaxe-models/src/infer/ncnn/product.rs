//! Layers of matrix products, attention, recurrence and embeddings.

use super::layer::{n, one, whdc};
use crate::{
    graph::Attribute,
    infer::{
        Size,
        call::{Call, Made, Stop},
        tensor::Tensor,
    },
};

/// Infers a product with a matrix: row by row where the rows are as long as its columns, else of all elements.
pub(crate) fn inner(call: &Call<'_>) -> Made {
    let (dims, outputs) = (call.blob(0)?, call.param("0", 0));
    let Some(inputs) = call.param("2", 0).checked_div(outputs) else { return call.refuse("it has no outputs") };
    if let [rows, columns] = dims {
        match columns.equal(&n(inputs)) {
            Some(true) => return one(vec![rows.clone(), n(outputs)]),
            None => return call.refuse("how long the rows are is not known"),
            Some(false) => {}
        }
    }
    one(vec![n(outputs)])
}

/// Infers the rows of a table, one for each word.
pub(crate) fn embed(call: &Call<'_>) -> Made {
    let [words, ..] = call.whdc(0)?;
    one(vec![words, n(call.param("0", 0))])
}

pub(crate) fn matmul(call: &Call<'_>) -> Made {
    let (a, b) = (call.blob(0)?, call.blob(1)?);
    let ([_, rows, ad, ac], [bw, bh, bd, bc]) = (whdc(a), whdc(b));
    let columns = if call.param("0", 0) == 0 { bw } else { bh };
    let larger = |x: &Size, y: &Size| call.or_open(x.max(y));
    one(match (a.len(), b.len()) {
        (1, 1) => vec![n(1)],
        (2, 2) => vec![rows, columns],
        (1, 2) => vec![columns],
        (2, 1) => vec![rows],
        (1, 3) => vec![bc, columns],
        (1, _) => vec![bc, bd, columns],
        (3, 1) => vec![ac, rows],
        (_, 1) => vec![ac, ad, rows],
        (2 | 3, 2 | 3) => vec![larger(&ac, &bc), rows, columns],
        // Of a blob of rank 3 the channels are depths.
        (x, y) => {
            let ([ad, ac], [bd, bc]) =
                (if x == 3 { [ac, n(1)] } else { [ad, ac] }, if y == 3 { [bc, n(1)] } else { [bd, bc] });
            vec![larger(&ac, &bc), larger(&ad, &bd), rows, columns]
        }
    })
}

/// Infers a product with constants in the place of either matrix.
pub(crate) fn gemm(call: &Call<'_>) -> Made {
    let get = |number: &str| call.param(number, 0);
    let (constant_a, constant_b) = (get("4") == 1, get("5") == 1);
    // A matrix of rank 3 has its rows in c.
    let matrix = |k: usize| -> Result<[Size; 2], Stop> {
        let dims = call.blob(k)?;
        let [w, h, _, c] = whdc(dims);
        Ok([if dims.len() == 3 { c } else { h }, w])
    };
    let rows = if constant_a {
        n(get("7"))
    } else {
        let [rows, columns] = matrix(0)?;
        if get("2") == 0 { rows } else { columns }
    };
    let columns = if constant_b {
        n(get("8"))
    } else {
        let [rows, columns] = matrix(usize::from(!constant_a))?;
        if get("3") == 0 { columns } else { rows }
    };
    let (first, last) = if get("14") == 0 { (rows, columns) } else { (columns, rows) };
    one(if get("11") == 0 { vec![first, last] } else { vec![first, n(1), last] })
}

/// Infers attention with its projections; with a cache, keys and values so far are results too.
pub(crate) fn attention(call: &Call<'_>) -> Made {
    let get = |number: &str| call.param(number, 0);
    let (embed, cached) = (get("0"), get("7") != 0);
    let Some(width) = get("2").checked_div(embed) else { return call.refuse("it has no width") };
    let [_, rows, ..] = call.whdc(0)?;
    let mut made = vec![Tensor::of(vec![rows.clone(), n(width)])];
    if cached {
        // Query, key and value may be one input, or two; a mask and the cache follow.
        let more = usize::from(get("5") != 0) + 2;
        let Some(mine) = call.node.inputs.len().checked_sub(more).filter(|mine| (1..=3).contains(mine)) else {
            return call.refuse(&format!("{} inputs", call.node.inputs.len()));
        };
        let [past, ..] = call.whdc(call.node.inputs.len() - 2)?;
        // What another text says is cached as a whole.
        let keys = if mine == 1 { call.or_open(past.plus(&rows)) } else { past };
        made.extend([vec![n(embed), keys.clone()], vec![n(embed), keys]].map(Tensor::of));
    }
    Ok(made)
}

/// Infers attention of queries, keys and values by heads.
pub(crate) fn scaled(call: &Call<'_>) -> Made {
    let ([ew, rows, _, heads], [_, keys, _, groups], [width, ..]) = (call.whdc(0)?, call.whdc(1)?, call.whdc(2)?);
    let mut made = vec![Tensor::of(vec![heads, rows, width.clone()])];
    if call.param("7", 0) != 0 {
        let first = if call.param("5", 0) == 0 { 3 } else { 4 };
        let [_, past, ..] = call.whdc(first)?;
        let keys = call.or_open(past.plus(&keys));
        made.extend([vec![groups.clone(), keys.clone(), ew], vec![groups, keys, width]].map(Tensor::of));
    }
    Ok(made)
}

/// Infers a recurrent layer: all states, and the last ones where they are asked for.
pub(crate) fn recurrent(call: &Call<'_>) -> Made {
    let [_, steps, ..] = call.whdc(0)?;
    let outputs = call.param("0", 0);
    let directions = if call.param("2", 0) == 2 { 2 } else { 1 };
    let Some(width) = outputs.checked_mul(directions) else { return call.refuse("it is too wide") };
    let hidden = if call.node.op == "LSTM" { call.param("3", outputs) } else { outputs };
    let made = [vec![steps, n(width)], vec![n(directions), n(outputs)], vec![n(directions), n(hidden)]];
    Ok(made.map(Tensor::of).into_iter().take(call.node.outputs.len()).collect())
}

/// Infers `ij,jk->ik`, whose letters are numbers in the file.
pub(crate) fn einsum(call: &Call<'_>) -> Made {
    let letters = match call.node.attribute("0") {
        Some(Attribute::Ints(letters)) => {
            letters.iter().filter_map(|&letter| char::from_u32(u32::try_from(letter).ok()?)).collect()
        }
        Some(Attribute::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let Some((operands, result)) = letters.split_once("->") else {
        return if letters == "ii" { one(vec![n(1)]) } else { call.refuse("the equation is not known") };
    };
    let mut sizes: Vec<(char, Size)> = Vec::new();
    for (k, operand) in operands.split(',').enumerate() {
        let dims = call.blob(k)?;
        if dims.len() != operand.chars().count() {
            return call.refuse(&format!("operand {k} has rank {}, but the equation says {operand}", dims.len()));
        }
        sizes.extend(operand.chars().zip(dims.iter().cloned()));
    }
    let size = |letter| sizes.iter().find(|(known, _)| *known == letter).map(|(_, size)| size.clone());
    match result.chars().map(size).collect::<Option<Vec<_>>>() {
        Some(made) if (1..=4).contains(&made.len()) => one(made),
        _ => call.refuse(&format!("the result {result} is not known")),
    }
}
