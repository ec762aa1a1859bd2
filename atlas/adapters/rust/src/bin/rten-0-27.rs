//! Answers with RTen 0.27.

use rten_0_27 as rten;
use rten_tensor_0_27 as rten_tensor;

#[path = "../engine/rten.rs"]
mod engine;

fn main() -> std::io::Result<()> {
    broadaxe_atlas::serve("RTen", atlas_adapters::version("rten", "0.27."), engine::answer)
}
