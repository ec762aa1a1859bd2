//! Answers with candle 0.8.

use candle_0_8 as candle_core;

#[path = "../engine/candle.rs"]
mod engine;

fn main() -> std::io::Result<()> {
    broadaxe_atlas::serve("candle", atlas_adapters::version("candle-core", "0.8."), engine::answer)
}
