//! Writes the cases of a level as JSON Lines.
#![allow(clippy::print_stdout, reason = "this is the example's output")]

use broadaxe_atlas::{LEVELS, Level};

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let level = LEVELS.iter().find(|(level, _)| *level == name).map_or(Level::Core, |(_, level)| *level);
    let print = |case: broadaxe_atlas::Case| {
        println!("{}", case.json());
        Ok::<_, ()>(())
    };
    level.try_each(print).unwrap_or_default();
}
