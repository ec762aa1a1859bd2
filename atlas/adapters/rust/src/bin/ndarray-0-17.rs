//! Answers with ndarray 0.17.

use ndarray_0_17 as ndarray;

#[path = "../engine/ndarray.rs"]
mod engine;

fn main() -> std::io::Result<()> {
    broadaxe_atlas::serve("ndarray", atlas_adapters::version("ndarray", "0.17."), engine::answer)
}
