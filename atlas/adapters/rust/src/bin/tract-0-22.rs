//! Answers with tract 0.22.

use tract_0_22 as tract_onnx;

#[path = "../engine/tract.rs"]
mod engine;

fn main() {
    atlas_adapters::serve("tract", atlas_adapters::version("tract-onnx", "0.22."), engine::answer);
}
