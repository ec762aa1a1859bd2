//! Answers with tract 0.21.

use tract_0_21 as tract_onnx;

#[path = "../engine/tract.rs"]
mod engine;

fn main() {
    atlas_adapters::serve("tract", atlas_adapters::version("tract-onnx", "0.21."), engine::answer);
}
