//! Answers with candle 0.11.

use candle_0_11 as candle_core;

#[path = "../engine/candle.rs"]
mod engine;

fn main() -> std::io::Result<()> {
    broadaxe_atlas::serve("candle", atlas_adapters::version("candle-core", "0.11."), engine::answer)
}
