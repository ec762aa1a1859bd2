//! Answers with tract 0.23.

use tract_0_23 as tract_onnx;

#[path = "../engine/tract.rs"]
mod engine;

fn main() -> std::io::Result<()> {
    broadaxe_atlas::serve("tract", atlas_adapters::version("tract-onnx", "0.23."), engine::answer)
}
