//! Shapes of poolings and their inverse.

use broadaxe::DType;

use super::{
    Size,
    call::{Call, Made, Stop, because},
    row::{SAME, ShapeRow, Type, row},
    tensor::Tensor,
    window::{Padding, Rounding, checked, padding, windows},
};

pub(crate) static POOL_ROWS: &[ShapeRow] = &[
    row("AveragePool", pooled, SAME),
    row("LpPool", pooled, SAME),
    row("MaxPool", pooled, &[Type::Same(0), Type::Is(DType::I64)]),
    row("GlobalAveragePool", global, SAME),
    row("GlobalLpPool", global, SAME),
    row("GlobalMaxPool", global, SAME),
    row("MaxUnpool", unpooled, SAME),
    row("MaxRoiPool", |call| regions(call, &call.ints("pooled_shape").unwrap_or_default()), SAME),
    row(
        "RoiAlign",
        |call| regions(call, &["output_height", "output_width"].map(|side| call.int(side).unwrap_or(1))),
        SAME,
    ),
];

/// Infers a pooling; all its outputs have one shape.
pub(crate) fn pooled(call: &Call<'_>) -> Made {
    let dims = call.least(0, 2)?;
    let rest = &dims[2..];
    let windows = windows(call, rest.len(), None)?;
    let rounding = match call.text("rounding_type") {
        Some("ceil") => Rounding::Ceil,
        Some("ceil_torch") => Rounding::Within,
        _ if call.flag("ceil_mode") => Rounding::Within,
        _ => Rounding::Floor,
    };
    let mut out = dims[..2].to_vec();
    for (axis, (extent, window)) in rest.iter().zip(&windows).enumerate() {
        out.push(checked(call, window.positions(extent, padding(call), rounding), axis + 2)?);
    }
    let tensor = Tensor::of(out);
    Ok(vec![tensor.clone(), tensor])
}

fn global(call: &Call<'_>) -> Made {
    let dims = call.least(0, 2)?;
    let ones = vec![Size::known(1); dims.len() - 2];
    Ok(vec![Tensor::of([&dims[..2], &ones].concat())])
}

fn unpooled(call: &Call<'_>) -> Made {
    let dims = call.least(0, 2)?;
    if call.has(2) {
        let sizes = call.sizes(2).unwrap_or_else(|| vec![None; dims.len()]);
        return Ok(vec![Tensor::of(sizes.into_iter().map(|size| call.or_open(size)).collect())]);
    }
    let windows = windows(call, dims.len() - 2, None)?;
    let mut out = dims[..2].to_vec();
    for (extent, window) in dims[2..].iter().zip(&windows) {
        let pads = if padding(call) == Padding::Given { window.begin.checked_add(window.end) } else { Some(0) };
        let size = || extent.more(-1)?.times(&Size::known(window.stride))?.plus(&window.kernel)?.more(-pads?);
        out.push(call.or_open(size()));
    }
    Ok(vec![Tensor::of(out)])
}

/// Infers the pooling of regions: one image per region.
pub(crate) fn regions(call: &Call<'_>, shape: &[i64]) -> Made {
    let [_, channels, _, _] = call.ranked::<4>(0)?;
    let [height, width] = shape else { return because(format!("{}: its result has no two sides", call.node.op)) };
    let count = call.dims(1)?.first().ok_or(Stop::Input(1))?;
    Ok(vec![Tensor::of(vec![count.clone(), channels.clone(), Size::known(*height), Size::known(*width)])])
}
