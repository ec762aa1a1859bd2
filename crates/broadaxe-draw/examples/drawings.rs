//! Writes the drawings of several broadcasts as SVG files into a folder.

use std::{env, fs, path::PathBuf};

use broadaxe_draw::{Drawing, Open, Order, svg};
use broadaxe_shape::{Rule, SymbolicShape, compare};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = PathBuf::from(env::args().nth(1).ok_or("usage: drawings FOLDER")?);
    fs::create_dir_all(&out)?;
    let row = Order::ROW_MAJOR;
    let numpy = Rule::numpy();
    let known = numpy.align(&[&[2, 3, 4], &[3, 1]])?;
    fs::write(out.join("known.svg"), svg(&[Drawing::new(&numpy, &known, row)]))?;
    let failed = Drawing::failed(&numpy, &[&[2, 3], &[4]], row).ok_or("the shapes broadcast")?;
    fs::write(out.join("failed.svg"), svg(&[failed]))?;
    let shapes: [SymbolicShape; 2] = ["n,4".parse()?, "3,4".parse()?];
    let inferred = numpy.infer(&shapes)?;
    let open = Open { rule: &numpy, shapes: &shapes, inferred: &inferred };
    fs::write(out.join("open.svg"), svg(&[open.drawing("numpy", row)]))?;
    let comparison = compare(&[&[3, 3], &[3]]);
    let found = &comparison.differences()[0];
    let side = |k: usize, reads: Option<&[broadaxe_shape::Read]>| {
        let outcome = &comparison.outcomes()[k];
        let alignment = outcome.alignment()?;
        Some(Drawing::new(outcome.rule(), alignment, row).traced(alignment, found.element()?, reads?, row))
    };
    let sides: Vec<Drawing> = [side(found.left(), found.left_reads()), side(found.right(), found.right_reads())]
        .into_iter()
        .flatten()
        .collect();
    fs::write(out.join("compared.svg"), svg(&sides))?;
    Ok(())
}
