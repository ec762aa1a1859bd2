//! Runs a rule over the dims of a runtime: numbers, and names for sizes that are known later.
#![allow(clippy::print_stdout, reason = "the shapes are what the program is for")]

use std::fmt;

use broadaxe_shape::{Error, Extents, Rule, Stretch};

/// A dim of the runtime.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Dim {
    Size(usize),
    Name(&'static str),
}
use Dim::{Name, Size};

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size(size) => write!(f, "{size}"),
            Name(name) => f.write_str(name),
        }
    }
}

/// The operands of one node.
struct Operands<'a>(&'a [&'a [Dim]]);

impl Extents for Operands<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn rank(&self, k: usize) -> usize {
        self.0[k].len()
    }
    fn is(&self, k: usize, axis: usize, extent: usize) -> Result<bool, Error> {
        match self.0[k][axis] {
            Size(size) => Ok(size == extent),
            Name(name) => Err(Error::undecided(format!("the rule must know whether {name} is {extent}"))),
        }
    }
    fn same(&self, (k, i): (usize, usize), (l, j): (usize, usize)) -> Result<bool, Error> {
        match (self.0[k][i], self.0[l][j]) {
            (x, y) if x == y => Ok(true),
            (Size(_), Size(_)) => Ok(false),
            (x, y) => Err(Error::undecided(format!("the rule must know whether {x} equals {y}"))),
        }
    }
    fn show(&self, k: usize) -> String {
        let dims: Vec<String> = self.0[k].iter().map(Dim::to_string).collect();
        format!("({})", dims.join(", "))
    }
}

/// Returns the shape of the result.
fn infer(rule: &Rule, shapes: &[&[Dim]]) -> Result<Vec<Dim>, String> {
    let placement = rule.place(&Operands(shapes)).map_err(|error| error.to_string())?;
    let merged = (0..placement.rank()).map(|axis| {
        let fed: Vec<(usize, Dim)> = placement.feeding(axis).map(|(k, own)| (k, shapes[k][own])).collect();
        merge(&fed, placement.stretch()).map_err(|error| format!("axis {axis} under {rule}: {error}"))
    });
    merged.collect()
}

/// Merges the dims that feed one axis of the result, each with its operand.
fn merge(fed: &[(usize, Dim)], stretch: Stretch) -> Result<Dim, String> {
    // The operand whose dim is the result's: the fixed one, else the first whose dim is not 1.
    let base = match stretch {
        Stretch::Into(into) | Stretch::Tile(into) => fed.iter().find(|(k, _)| *k == into),
        Stretch::All => fed.iter().find(|(_, dim)| *dim != Size(1)),
        Stretch::Never => None,
    };
    let Some(&(_, base)) = base.or(fed.first()) else { return Ok(Size(1)) };
    for &(_, dim) in fed {
        match (base, dim) {
            (x, y) if x == y => {}
            (_, Size(1)) if stretch != Stretch::Never => {}
            (Size(x), Size(y)) if matches!(stretch, Stretch::Tile(_)) && x % y == 0 => {}
            (Size(x), Size(y)) => return Err(format!("{x} and {y} do not broadcast")),
            // A runtime would now emit a check that runs when the size is known.
            (x, y) => return Err(format!("{x} and {y} must be compared at run time")),
        }
    }
    Ok(base)
}

fn main() {
    let image: &[Dim] = &[Name("batch"), Size(16), Name("height"), Name("width")];
    let bias: &[Dim] = &[Size(16)];
    for rule in [Rule::numpy(), Rule::pdpd(1), Rule::ncnn()] {
        match infer(&rule, &[image, bias]) {
            Ok(dims) => println!("{rule}: {}", Operands(&[&dims]).show(0)),
            Err(error) => println!("{rule}: {error}"),
        }
    }
}

/// A rule, its operands, and the result or the error.
#[cfg(test)]
type Case<'a> = (Rule, [&'a [Dim]; 2], Result<&'a [Dim], &'a str>);

#[test]
fn shapes() {
    let (image, bias): (&[Dim], &[Dim]) = (&[Name("n"), Size(16), Name("w")], &[Size(16)]);
    let (row, column): (&[Dim], &[Dim]) = (&[Size(1), Name("w")], &[Size(16), Size(1)]);
    let cases: [Case<'_>; 7] = [
        (Rule::pdpd(1), [image, bias], Ok(image)),
        (Rule::numpy(), [image, bias], Err("axis 2 under numpy: w and 16 must be compared at run time")),
        (Rule::ncnn(), [image, bias], Err("the rule must know whether 16 equals n")),
        (Rule::numpy(), [row, column], Ok(&[Size(16), Name("w")])),
        (
            Rule::unidirectional(),
            [column, row],
            Err("axis 1 under unidirectional: 1 and w must be compared at run time"),
        ),
        (Rule::numpy(), [bias, &[Size(3)]], Err("axis 0 under numpy: 16 and 3 do not broadcast")),
        (
            Rule::none(),
            [image, bias],
            Err(
                "broadcast of a (n, 16, w) with b (16) under none: a has rank 3 and b has rank 1; the shapes must be identical",
            ),
        ),
    ];
    for (rule, shapes, want) in cases {
        assert_eq!(infer(&rule, &shapes), want.map(<[Dim]>::to_vec).map_err(str::to_owned), "{shapes:?} under {rule}");
    }
}
