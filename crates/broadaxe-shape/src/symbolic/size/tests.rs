use alloc::{boxed::Box, format, vec::Vec};

use super::*;
use crate::Dim;

fn name(text: &str) -> Size {
    Size::of(&Dim::named(text), &mut 0)
}

fn n(number: i64) -> Size {
    Size::known(number)
}

#[test]
fn texts() {
    let (h, w, b) = (name("h"), name("w"), name("b"));
    let half = h.more(-1).unwrap().floor(&n(2)).unwrap();
    let cases = [
        (h.plus(&w), "h + w"),
        (w.plus(&h).unwrap().minus(&h), "w"),
        (h.minus(&h), "0"),
        (n(0).minus(&h), "-h"),
        (h.times(&w).unwrap().times(&n(3)), "3*h*w"),
        (h.more(2).unwrap().times(&h.more(-2).unwrap()), "h*h - 4"),
        (Some(half.clone()), "(h + 1)//2 - 1"),
        (half.more(1), "(h + 1)//2"),
        (half.floor(&n(2)), "(h + 3)//4 - 1"),
        (half.more(1).unwrap().more(-1).unwrap().floor(&n(2)).unwrap().more(1), "(h + 3)//4"),
        (half.times(&n(2)), "2*((h + 1)//2) - 2"),
        (h.times(&n(4)).unwrap().more(5).unwrap().floor(&n(2)), "2*h + 2"),
        (h.times(&n(4)).unwrap().more(2).unwrap().floor(&n(8)), "h//2"),
        (h.ceil(&n(2)), "(h + 1)//2"),
        (h.times(&n(6)).unwrap().ceil(&n(2)), "3*h"),
        (h.floor(&w), "h//w"),
        (h.floor(&w.more(1).unwrap()), "h//(w + 1)"),
        (h.floor(&n(2)).unwrap().floor(&w), "(h//2)//w"),
        (b.times(&h.more(1).unwrap()).unwrap().times(&n(12)).unwrap().over(&h.more(1).unwrap()), "12*b"),
        (b.times(&h).unwrap().times(&n(768)).unwrap().over(&h.times(&n(64)).unwrap()), "12*b"),
        (h.max(&w), "max(h, w)"),
        (w.max(&h).unwrap().max(&w), "max(h, w)"),
        (h.max(&h.more(1).unwrap()), "h + 1"),
        (h.max(&n(0)), "h"),
        (h.min(&n(512)).unwrap().min(&n(100)), "min(100, h)"),
        (h.min(&n(0)), "0"),
        (h.more(-1).unwrap().max(&n(0)).unwrap().min(&h), "max(0, h - 1)"),
        (h.min(&n(9)).unwrap().max(&h), "h"),
    ];
    for (got, want) in cases {
        assert_eq!(got.map(|size| size.to_string()).as_deref(), Some(want));
    }
}

#[test]
fn refusals() {
    let h = name("h");
    assert_eq!(h.floor(&n(0)), None);
    assert_eq!(h.over(&n(2)), None);
    assert_eq!(n(i64::MAX).more(1), None);
    assert_eq!(n(i64::MIN).floor(&n(-1)), None);
    let long = name(&"x".repeat(100));
    assert_eq!(long.times(&long), None);
    let mut many = n(0);
    for k in 0..30 {
        match many.plus(&name(&format!("d{k}"))) {
            Some(sum) => many = sum,
            None => return,
        }
    }
    panic!("a sum of 30 names is taken");
}

#[test]
fn comparisons() {
    let (h, w) = (name("h"), name("w"));
    assert_eq!(h.equal(&h), Some(true));
    assert_eq!(h.equal(&n(-1)), Some(false));
    assert_eq!(h.equal(&n(1)), None);
    assert_eq!(h.equal(&h.more(1).unwrap()), Some(false));
    assert_eq!(h.less(&h.more(1).unwrap()), Some(true));
    assert_eq!(h.less(&n(0)), Some(false));
    assert_eq!(h.less(&w), None);
    assert_eq!(h.floor(&n(2)).unwrap().less(&n(0)), Some(false));
}

#[test]
fn dims() {
    let (mut number, any) = (0, Dim::unknown());
    let (x, y) = (Size::of(&any, &mut number), Size::of(&any, &mut number));
    assert_ne!(x, y);
    assert_eq!(x.minus(&x).unwrap().number(), Some(0));
    assert_eq!((x.dim(), x.inner().name().is_some()), (any, true));
    assert_eq!(name("n").more(2).unwrap().dim().to_string(), "n + 2");
    assert_eq!(name("n").more(2).unwrap().inner().to_string(), "n + 2:2..");
    let ranged = Size::of(&"2..9".parse().unwrap(), &mut number);
    assert_eq!(ranged.dim().to_string(), "2..9");
    assert_eq!(ranged.more(1).unwrap().dim().to_string(), "3..10");
}

/// A formula, to be computed step by step where [`Size`] simplifies.
#[derive(Clone, Debug)]
enum Formula {
    Number(i64),
    Name(usize),
    Of(&'static str, Box<Formula>, Box<Formula>),
}

/// The names of the formulas and the extents that they may have.
const NAMES: [(&str, i64, i64); 2] = [("h", 0, 4), ("w", 1, 3)];

impl Formula {
    /// Builds the size; nothing where it grows too long, or divides by a size that is 0.
    fn size(&self) -> Option<Size> {
        let (op, x, y) = match self {
            Self::Number(number) => return Some(n(*number)),
            Self::Name(at) => {
                let (text, low, high) = NAMES[*at];
                return Some(Size::of(&format!("{text}:{low}..{high}").parse().unwrap(), &mut 0));
            }
            Self::Of(op, x, y) => (*op, x.size()?, y.size()?),
        };
        match op {
            "+" => x.plus(&y),
            "-" => x.minus(&y),
            "*" => x.times(&y),
            "floor" => x.floor(&y),
            "ceil" => x.ceil(&y),
            "max" => x.max(&y),
            _ => x.min(&y),
        }
    }

    /// Computes the value for these extents; nothing for a divisor that is not above 0.
    fn value(&self, extents: [i64; 2]) -> Option<i64> {
        let (op, x, y) = match self {
            Self::Number(number) => return Some(*number),
            Self::Name(at) => return Some(extents[*at]),
            Self::Of(op, x, y) => (*op, x.value(extents)?, y.value(extents)?),
        };
        match op {
            "+" => Some(x + y),
            "-" => Some(x - y),
            "*" => Some(x * y),
            "floor" => (y > 0).then(|| x.div_euclid(y)),
            "ceil" => (y > 0).then(|| -(-x).div_euclid(y)),
            "max" => Some(x.max(y)),
            _ => Some(x.min(y)),
        }
    }
}

/// Computes the value of a simplified size.
fn value(size: &Size, extents: [i64; 2]) -> Option<i64> {
    let atom = |Atom(atom): &Atom| match &atom.kind {
        Kind::Name => NAMES.iter().position(|(text, ..)| *text == atom.text).map(|at| extents[at]),
        Kind::Quotient(over, under) => {
            let under = value(under, extents).filter(|&under| under > 0)?;
            Some(value(over, extents)?.div_euclid(under))
        }
        Kind::Extreme(greatest, parts) => {
            let parts: Option<Vec<i64>> = parts.iter().map(|part| value(part, extents)).collect();
            if *greatest { parts?.into_iter().max() } else { parts?.into_iter().min() }
        }
        Kind::Sum(_) | Kind::Broadcast(_) => None,
    };
    let term = |term: &Product| term.factors.iter().try_fold(term.by, |product, factor| Some(product * atom(factor)?));
    size.terms.iter().try_fold(size.constant, |sum, product| Some(sum + term(product)?))
}

/// All formulas of one operator over names and numbers, and those of a second operator over a part of them.
fn formulas() -> Vec<Formula> {
    const OPS: [&str; 7] = ["+", "-", "*", "floor", "ceil", "max", "min"];
    let leaves: Vec<Formula> =
        (0..NAMES.len()).map(Formula::Name).chain([-3, -1, 0, 1, 2, 3, 4].map(Formula::Number)).collect();
    let with = |xs: &[Formula], ys: &[Formula]| -> Vec<Formula> {
        let of = |op, x: &Formula, y: &Formula| Formula::Of(op, Box::new(x.clone()), Box::new(y.clone()));
        xs.iter().flat_map(|x| ys.iter().flat_map(move |y| OPS.map(|op| of(op, x, y)))).collect()
    };
    let one = with(&leaves, &leaves);
    let named: Vec<Formula> =
        one.iter().filter(|one| one.size().is_some_and(|size| size.number().is_none())).cloned().collect();
    let thinned: Vec<Formula> = named.iter().step_by(5).cloned().collect();
    let (two, three) = (with(&named, &leaves), with(&thinned, &thinned));
    [one, two, three].concat()
}

/// Every extent that the names may have.
fn all_extents() -> impl Iterator<Item = [i64; 2]> {
    let [(_, low, high), (_, least, most)] = NAMES;
    (low..=high).flat_map(move |h| (least..=most).map(move |w| [h, w]))
}

#[test]
fn simplified_formulas_keep_their_values_and_bounds() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for formula in formulas() {
        let Some(size) = formula.size() else { continue };
        for extents in all_extents() {
            let Some(want) = formula.value(extents) else { continue };
            checked += 1;
            let got = value(&size, extents);
            let within = size.low().is_none_or(|low| low <= want) && size.high().is_none_or(|high| want <= high);
            if got != Some(want) || !within {
                let bounds = (size.low(), size.high());
                wrong.push(format!("{formula:?} is {size} within {bounds:?}; for {extents:?} {want}, not {got:?}"));
            }
        }
    }
    assert!(wrong.is_empty() && checked > 50_000, "{} of {checked}: {:#?}", wrong.len(), &wrong[..wrong.len().min(9)]);
}

#[test]
fn comparisons_hold_for_every_extent() {
    let sizes: Vec<Size> = formulas().iter().step_by(37).filter_map(Formula::size).collect();
    let (mut decided, mut wrong) = (0, Vec::new());
    for (x, y) in sizes.iter().flat_map(|x| sizes.iter().map(move |y| (x, y))) {
        let answers = [("==", x.equal(y)), ("<", x.less(y))];
        for (sign, answer) in answers {
            let Some(answer) = answer else { continue };
            decided += 1;
            let holds = |a: i64, b: i64| if sign == "==" { a == b } else { a < b };
            let both = |at| Some((value(x, at)?, value(y, at)?));
            if all_extents().filter_map(both).any(|(a, b)| holds(a, b) != answer) {
                wrong.push(format!("{x} {sign} {y} is not always {answer}"));
            }
        }
    }
    assert!(wrong.is_empty() && decided > 1000, "{} of {decided}: {:#?}", wrong.len(), &wrong[..wrong.len().min(9)]);
}

/// A dim without an end has none in a quotient or a sum either, whatever the width of a usize is.
#[test]
fn no_end_is_no_number() {
    assert_eq!(bounds(Interval::ANY), (Some(0), None));
    assert_eq!(bounds(Interval { low: 2, high: 9 }), (Some(2), Some(9)));
}
