//! Answers with RTen 0.23.

use rten_0_23 as rten;
use rten_tensor_0_23 as rten_tensor;

#[path = "../engine/rten.rs"]
mod engine;

fn main() -> std::io::Result<()> {
    broadaxe_atlas::serve("RTen", atlas_adapters::version("rten", "0.23."), engine::answer)
}
