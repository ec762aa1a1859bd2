//! Runs every rule over dims of another type, merges them as `Stretch` says, and compares with `Rule::align`.

use broadaxe_shape::{AxisParam, Error, ErrorKind, Extents, Params, Placement, RULES, Rule, RuleDef, Shape, Stretch};

/// A runtime's dim: a number, or the name of one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Dim {
    Size(u32),
    Name(char),
}
use Dim::{Name, Size};

struct Operands<'a>(Vec<&'a [Dim]>);

impl Extents for Operands<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn rank(&self, k: usize) -> usize {
        self.0[k].len()
    }
    fn is(&self, k: usize, axis: usize, extent: usize) -> Result<bool, Error> {
        match self.0[k][axis] {
            Size(size) => Ok(size as usize == extent),
            Name(name) => Err(Error::undecided(format!("is {name} {extent}?"))),
        }
    }
    fn same(&self, (k, i): (usize, usize), (l, j): (usize, usize)) -> Result<bool, Error> {
        match (self.0[k][i], self.0[l][j]) {
            (x, y) if x == y => Ok(true),
            (Size(_), Size(_)) => Ok(false),
            (x, y) => Err(Error::undecided(format!("is {x:?} {y:?}?"))),
        }
    }
    fn show(&self, k: usize) -> String {
        format!("{:?}", self.0[k])
    }
}

/// All shapes of up to `rank` axes with these dims.
fn shapes<T: Copy>(rank: usize, dims: &[T]) -> Vec<Vec<T>> {
    let mut all: Vec<Vec<T>> = vec![vec![]];
    let mut last = all.clone();
    for _ in 0..rank {
        last = last.iter().flat_map(|shape| dims.iter().map(|&dim| [&shape[..], &[dim]].concat())).collect();
        all.extend_from_slice(&last);
    }
    all
}

/// Every choice of parameters but the target, for results of up to three axes; some suit no shape.
fn params(def: &RuleDef) -> Vec<Params> {
    let axes: Vec<Option<i64>> = match def.axis {
        AxisParam::None => vec![None],
        _ => (-2..=3).map(Some).chain([None]).collect(),
    };
    let lists = shapes(2, &[0, 1, 2]).into_iter().map(Some);
    let lists: Vec<Option<Vec<i64>>> = if def.axes { lists.collect() } else { vec![None] };
    let modes = def.modes.iter().copied().map(Some).chain(def.modes.is_empty().then_some(None));
    let mut all = Vec::new();
    for mode in modes {
        for &axis in &axes {
            all.extend(lists.iter().map(|list| Params { axis, axes: list.clone(), target: None, mode }));
        }
    }
    all
}

/// Calls `ask` with every rule and all operands, the target last under a rule that has one.
fn calls<T: Copy>(def: &RuleDef, all: &[Vec<T>], mut ask: impl FnMut(&Params, &[&[T]])) {
    let count = def.operands.0.max(if def.target { 1 } else { 2 }) + usize::from(def.target);
    for params in params(def) {
        for first in all {
            for second in all {
                // More operands than two repeat the second, so that the limits of FakeQuantize and Clip take part.
                let mut operands = vec![&second[..]; count];
                operands[0] = first;
                ask(&params, &operands);
            }
        }
    }
}

fn rule(def: &RuleDef, params: &Params, target: Option<Shape>) -> Rule {
    Rule::new(def.name, Params { target, ..params.clone() }).unwrap()
}

/// Merges sizes as the documentation of `Stretch` says.
fn merge(placement: &Placement, operands: &[&[usize]]) -> Option<Vec<usize>> {
    let tiles = matches!(placement.stretch(), Stretch::Tile(_));
    let is_empty = tiles && operands.iter().all(|dims| dims.contains(&0));
    let axis = |axis| {
        let own = |k: usize| Some((k, placement.axes(k).iter().position(|&at| at == axis)?));
        let fed: Vec<(usize, usize)> = (0..placement.count()).filter_map(own).collect();
        assert!(placement.feeding(axis).eq(fed.iter().copied()), "{placement:?}");
        let fed: Vec<(usize, usize)> = fed.into_iter().map(|(k, own)| (k, operands[k][own])).collect();
        let extents = || fed.iter().map(|&(_, extent)| extent);
        let (extent, may_stretch) = match placement.stretch() {
            Stretch::All => (extents().find(|&extent| extent != 1).unwrap_or(1), true),
            Stretch::Into(into) => (fed.iter().find(|(k, _)| *k == into)?.1, true),
            Stretch::Tile(into) => (fed.iter().find(|(k, _)| *k == into).map_or(1, |(_, extent)| *extent), true),
            Stretch::Never => (extents().next()?, false),
        };
        let fits = |own| own == extent || may_stretch && own == 1 || tiles && own != 0 && extent % own == 0;
        (is_empty || extents().all(fits)).then_some(extent)
    };
    (0..placement.rank()).map(axis).collect()
}

/// Over sizes in another type, place and merge say what align says: 85 shapes a side, all parameters.
#[test]
fn sizes_as_align() {
    let all = shapes(3, &[0, 1, 2, 3]);
    for def in RULES {
        let (mut accepted, mut refused) = (0, 0);
        calls(def, &all, |params, operands| {
            let (target, data) = if def.target { operands.split_last().unwrap() } else { (&&[][..], operands) };
            let rule = rule(def, params, def.target.then(|| Shape::from(*target)));
            let dims: Vec<Vec<Dim>> =
                operands.iter().map(|shape| shape.iter().map(|&n| Size(n as u32)).collect()).collect();
            let placed = rule.place(&Operands(dims.iter().map(Vec::as_slice).collect()));
            let merged = placed.as_ref().ok().and_then(|placement| merge(placement, operands));
            let want = rule.align(data);
            assert_eq!(merged.as_deref(), want.as_ref().ok().map(|x| x.shape().dims()), "{operands:?} under {rule}");
            match (placed, want) {
                (Ok(placement), Ok(alignment)) => {
                    accepted += 1;
                    assert_eq!(placement.count(), operands.len());
                    for (k, operand) in alignment.operands().iter().enumerate() {
                        assert_eq!(placement.axes(k), operand.axes(), "{operands:?} under {rule}");
                    }
                }
                (Err(error), want) => {
                    refused += 1;
                    // Everything but the shapes is said alike.
                    let want = want.unwrap_err();
                    let facts = |e: &Error| (e.kind(), e.operand(), e.axis(), e.sizes(), e.rule());
                    assert_eq!(facts(&error), facts(&want), "{operands:?} under {rule}");
                }
                (Ok(_), Err(error)) => {
                    refused += 1;
                    let merging = [ErrorKind::Mismatch, ErrorKind::Direction];
                    assert!(merging.contains(&error.kind()), "{operands:?} under {rule}: {error}");
                }
            }
        });
        assert!(accepted > 0 && refused > 0, "{}: {accepted}, {refused}", def.name);
    }
}

/// A placement over names is that of every choice of sizes for them, and only rules that compare sizes ask.
#[test]
fn names_as_every_size() {
    let all = shapes(3, &[Size(1), Size(2), Name('n'), Name('m')]);
    for def in RULES {
        let (mut decided, mut open) = (0, 0);
        calls(def, &all, |params, operands| {
            let rule = rule(def, params, def.target.then(Shape::default));
            let placed = match rule.place(&Operands(operands.to_vec())) {
                Err(error) if error.kind() == ErrorKind::Undecided => {
                    open += 1;
                    return;
                }
                placed => placed.map_err(|error| error.kind()),
            };
            decided += 1;
            for (n, m) in [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 3)] {
                let size = |dim: &Dim| match *dim {
                    Size(size) => size as usize,
                    Name(name) => [n, m][usize::from(name == 'm')],
                };
                let sizes: Vec<Vec<usize>> = operands.iter().map(|shape| shape.iter().map(size).collect()).collect();
                let sizes: Vec<&[usize]> = sizes.iter().map(Vec::as_slice).collect();
                let want = rule.place(&sizes.as_slice()).map_err(|error| error.kind());
                if let (Ok(placed), Ok(want)) = (&placed, &want) {
                    // Where onnx-legacy finds the same names in the same places, a run and one element mean the same.
                    let alike = merge(placed, &sizes).is_some() && merge(placed, &sizes) == merge(want, &sizes);
                    assert!(placed == want || def.name == "onnx-legacy" && alike, "{operands:?} under {rule}");
                } else {
                    assert_eq!(placed, want, "{operands:?} under {rule}");
                }
            }
        });
        let asks = ["axis-lists", "onnx-legacy", "paddle", "ncnn", "openvino-prelu"].contains(&def.name);
        assert!(decided > 0 && (open > 0) == asks, "{}: {decided}, {open}", def.name);
    }
}

#[test]
fn refuses_what_no_rule_takes() {
    let (none, long): (&[&[usize]], &[&[usize]]) = (&[], &[&[1; 65], &[1]]);
    // rule, operands, class of the error
    let cases = [
        (Rule::numpy(), none, ErrorKind::Operands),
        (Rule::broadcast_to([2]), none, ErrorKind::Operands),
        (Rule::pdpd(0), &[&[1]], ErrorKind::Operands),
        (Rule::numpy(), long, ErrorKind::Rank),
        (Rule::explicit([0], [2]), long, ErrorKind::Rank),
    ];
    for (rule, operands, kind) in cases {
        let error = rule.place(&operands).unwrap_err();
        assert_eq!((error.kind(), error.rule()), (kind, Some(rule.name())), "{error}");
    }
}

/// The target of a call is its last operand; the sentence shows dims as their own type does.
#[test]
fn errors_show_the_dims() {
    let (a, target): (&[Dim], &[Dim]) = (&[Name('n'), Size(3)], &[Size(3)]);
    let error = Rule::broadcast_to([7]).place(&Operands(vec![a, target])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "broadcast of a [Name('n'), Size(3)] to target [Size(3)] under broadcast-to: a has rank 2 and target only 1; the \
         rank of a must not be above that of target"
    );
}
