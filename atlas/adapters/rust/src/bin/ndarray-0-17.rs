//! Answers with ndarray 0.17.

use ndarray_0_17 as ndarray;

#[path = "../engine/ndarray.rs"]
mod engine;

fn main() {
    atlas_adapters::serve("ndarray", atlas_adapters::version("ndarray", "0.17."), engine::answer);
}
