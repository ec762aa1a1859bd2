//! Answers with ndarray 0.15.

use ndarray_0_15 as ndarray;

#[path = "../engine/ndarray.rs"]
mod engine;

fn main() -> std::io::Result<()> {
    broadaxe_atlas::serve("ndarray", atlas_adapters::version("ndarray", "0.15."), engine::answer)
}
