//! Compares the rules with every case of symbolic dims.
#![allow(clippy::print_stdout)]

use broadaxe_shape::{Dim, SymbolicShape};
use broadaxe_testing::cases::{self, Cases, SymbolicCase, SymbolicDim, folder, read_folder};

fn dim(dim: &SymbolicDim) -> Dim {
    let size = |n: u64| usize::try_from(n).unwrap_or_else(|_| panic!("{n} is no size"));
    let named = dim.name.as_deref().map_or_else(Dim::unknown, Dim::named);
    named.within(size(dim.low), dim.high.map(size)).unwrap_or_else(|e| panic!("{e}"))
}

fn shape(text: &cases::SymbolicShape) -> SymbolicShape {
    let dims = text.as_ref().map(|dims| dims.iter().map(dim).collect::<Vec<_>>());
    dims.map_or_else(SymbolicShape::unknown_rank, SymbolicShape::new)
}

fn ask(case: &SymbolicCase) -> Result<SymbolicShape, String> {
    let mut text = case.rule.clone();
    // A rule with a target needs a known one to be made; `infer_to` replaces it.
    text.target = case.target.as_ref().map(|target| vec![1; target.as_ref().map_or(0, Vec::len)]);
    let rule = text.rule().unwrap_or_else(|message| panic!("{}: {message}", case.id));
    let shapes: Vec<SymbolicShape> = case.shapes.iter().map(shape).collect();
    let got = match &case.target {
        Some(target) => rule.infer_to(&shapes, &shape(target)),
        None => rule.infer(&shapes),
    };
    got.map(|inferred| inferred.shape().clone()).map_err(|error| error.to_string())
}

/// Says whether two dims are the same; a dim that is known needs no name.
fn same(got: &Dim, want: &Dim) -> bool {
    let bounds = |d: &Dim| (d.low(), d.high());
    bounds(got) == bounds(want) && (got.size().is_some() || got.name() == want.name())
}

fn fault(case: &SymbolicCase) -> Option<String> {
    let (got, want) = (ask(case), case.want.as_ref().map(shape));
    let right = match (&got, &want) {
        (Err(_), None) => true,
        (Ok(got), Some(want)) => match (got.dims(), want.dims()) {
            (Some(got), Some(want)) => got.len() == want.len() && got.iter().zip(want).all(|(g, w)| same(g, w)),
            (got, want) => got == want,
        },
        _ => false,
    };
    let want = want.map_or("error".to_owned(), |shape| shape.to_string());
    (!right).then(|| format!("{}: {} of {:?}\n  want {want}\n  got  {got:?}", case.id, case.rule.name, case.shapes))
}

#[test]
fn every_symbolic_case_holds() {
    let (mut faults, mut count) = (Vec::new(), 0);
    for file in read_folder(&folder()).unwrap_or_else(|e| panic!("{e}")) {
        let Cases::Symbolic(list) = &file.cases else { continue };
        let before = faults.len();
        faults.extend(list.iter().filter_map(fault));
        println!("{}: {} cases, {} faults", file.name, list.len(), faults.len() - before);
        count += list.len();
    }
    assert!(count > 400, "only {count} cases were read");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
