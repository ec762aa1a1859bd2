//! Answers with burn 0.21.

use burn_ndarray_0_21 as burn_ndarray;
use burn_tensor_0_21 as burn_tensor;

#[path = "../engine/burn.rs"]
mod engine;

fn main() -> std::io::Result<()> {
    broadaxe_atlas::serve("burn (ndarray)", atlas_adapters::version("burn-ndarray", "0.21."), engine::answer)
}
