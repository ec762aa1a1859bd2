//! Answers with burn 0.18.

use burn_ndarray_0_18 as burn_ndarray;
use burn_tensor_0_18 as burn_tensor;

#[path = "../engine/burn.rs"]
mod engine;

fn main() {
    atlas_adapters::serve("burn (ndarray)", atlas_adapters::version("burn-ndarray", "0.18."), engine::answer);
}
