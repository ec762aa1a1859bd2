//! Answers with ndarray 0.16.

use ndarray_0_16 as ndarray;

#[path = "../engine/ndarray.rs"]
mod engine;

fn main() {
    atlas_adapters::serve("ndarray", atlas_adapters::version("ndarray", "0.16."), engine::answer);
}
