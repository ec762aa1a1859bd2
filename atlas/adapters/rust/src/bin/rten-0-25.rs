//! Answers with RTen 0.25.

use rten_0_25 as rten;
use rten_tensor_0_25 as rten_tensor;

#[path = "../engine/rten.rs"]
mod engine;

fn main() {
    atlas_adapters::serve("RTen", atlas_adapters::version("rten", "0.25."), engine::answer);
}
