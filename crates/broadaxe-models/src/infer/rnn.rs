//! Shapes of recurrent layers.

use super::{
    Size,
    call::{Call, Made},
    row::{SAME, ShapeRow, row},
    tensor::Tensor,
};

pub(crate) static RNN_ROWS: &[ShapeRow] =
    &[row("RNN", layers, SAME), row("GRU", layers, SAME), row("LSTM", layers, SAME)];

/// Infers a layer: all steps (length, directions, batch, hidden), then the last states (directions, batch, hidden).
///
/// With `layout` 1 the batch comes first.
fn layers(call: &Call<'_>) -> Made {
    let [first, second, _] = call.ranked::<3>(0)?;
    let directions = Size::known(if call.text("direction") == Some("bidirectional") { 2 } else { 1 });
    let hidden = match (call.int("hidden_size"), call.dims(2)) {
        (Some(hidden), _) => Size::known(hidden),
        // The recurrent weights are (directions, gates * hidden, hidden).
        (None, Ok([_, _, hidden])) => hidden.clone(),
        _ => call.open(),
    };
    let batch_first = call.flag("layout");
    let (length, batch) = if batch_first { (second, first) } else { (first, second) };
    let (all, last) = if batch_first {
        ([batch, length, &directions, &hidden], [batch, &directions, &hidden])
    } else {
        ([length, &directions, batch, &hidden], [&directions, batch, &hidden])
    };
    let last = Tensor::of(last.map(Clone::clone).to_vec());
    Ok(vec![Tensor::of(all.map(Clone::clone).to_vec()), last.clone(), last])
}
