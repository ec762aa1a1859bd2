//! Shapes of attention and rotary embeddings.

use super::{
    Size,
    call::{Call, Made, because},
    row::{SAME, ShapeRow, Type, row},
    slice::like,
    tensor::Tensor,
};

pub(crate) static ATTENTION_ROWS: &[ShapeRow] = &[
    row("Attention", attention, &[Type::Same(0), Type::Same(1), Type::Same(2), Type::Same(0)]),
    row("RotaryEmbedding", like, SAME),
    row("LinearAttention", linear, &[Type::Same(0), Type::Same(3)]),
];

/// The queries, keys or values: (batch, heads, length, width).
type Heads = [Size; 4];

/// Reads an operand of rank 4, or of rank 3 with heads packed into the last axis.
fn heads(call: &Call<'_>, k: usize, count: &str) -> Result<(Heads, bool), super::call::Stop> {
    match call.dims(k)? {
        [batch, heads, length, width] => Ok(([batch.clone(), heads.clone(), length.clone(), width.clone()], false)),
        [batch, length, packed] => {
            let Some(heads) = call.int(count).filter(|&heads| heads > 0).map(Size::known) else {
                return because(format!("Attention: operands of rank 3 need {count}"));
            };
            let width = call.or_open(packed.floor(&heads));
            Ok(([batch.clone(), heads, length.clone(), width], true))
        }
        dims => because(format!("Attention: operand {k} has rank {}, but needs 3 or 4", dims.len())),
    }
}

fn attention(call: &Call<'_>) -> Made {
    let (q, packed) = heads(call, 0, "q_num_heads")?;
    let (k, v) = (heads(call, 1, "kv_num_heads")?.0, heads(call, 2, "kv_num_heads")?.0);
    let [batch, count, length, _] = q;
    let total = |k: usize, own: &Size| match (call.has(k), call.dims(k)) {
        (false, _) => own.clone(),
        (true, Ok([_, _, past, _])) => call.or_open(past.plus(own)),
        (true, _) => call.open(),
    };
    let y = if packed {
        vec![batch.clone(), length.clone(), call.or_open(count.times(&v[3]))]
    } else {
        vec![batch.clone(), count.clone(), length.clone(), v[3].clone()]
    };
    let (keys, values) = (total(4, &k[2]), total(5, &v[2]));
    let [key_batch, key_heads, _, key_width] = k;
    let [value_batch, value_heads, _, value_width] = v;
    Ok(vec![
        Tensor::of(y),
        Tensor::of(vec![key_batch, key_heads, keys.clone(), key_width]),
        Tensor::of(vec![value_batch, value_heads, values, value_width]),
        Tensor::of(vec![batch, count, length, keys]),
    ])
}

/// Infers linear attention: heads are packed, and the state is (batch, heads, key width, value width).
fn linear(call: &Call<'_>) -> Made {
    let (q, v) = (call.ranked::<3>(0)?, call.ranked::<3>(2)?);
    let [queries, keys] = ["q_num_heads", "kv_num_heads"].map(|name| call.int(name).filter(|&heads| heads > 0));
    let (Some(queries), Some(keys)) = (queries.map(Size::known), keys.map(Size::known)) else {
        return because("LinearAttention has no numbers of heads");
    };
    let (width, value) = (q[2].floor(&queries), v[2].floor(&keys));
    let out = value.as_ref().and_then(|value| queries.times(value));
    let y = vec![q[0].clone(), q[1].clone(), call.or_open(out)];
    let state = vec![q[0].clone(), keys, call.or_open(width), call.or_open(value)];
    Ok(vec![Tensor::of(y), Tensor::of(state)])
}
