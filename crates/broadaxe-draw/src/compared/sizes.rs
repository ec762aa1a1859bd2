//! Lists sizes of open dims: one choice for each way in which rules can tell them apart.
//!
//! Rules compare sizes with each other, with 0, with 1 and with the dims that are known, and they do nothing else with a size that is not
//! known. Two choices with the same answers to all comparisons are therefore accepted by the same rules and read alike, and one of them is
//! enough. Sizes that equal no known number are interchangeable where the same dims allow them, so that they are drawn in order.

use std::collections::{BTreeMap, BTreeSet};

use broadaxe_shape::{Dim, Shape, SymbolicShape, elements};

use crate::words::letter;

/// How many names may be open for [`MOST`] choices to be listed: more have too many choices to list them all.
const NAMES: usize = 5;
/// How many choices are listed at most.
const MOST: usize = 2_000;
/// How many are listed for more names.
const FEW: usize = 64;

/// Sizes of open dims, by name; a dim without a name is called by its place, `b[0]`.
pub(super) type Sizes = BTreeMap<String, usize>;

/// Choices of sizes, and the shapes that they make.
pub(super) struct Choices {
    /// The sizes and the shapes, those without zeros first.
    pub(super) all: Vec<(Sizes, Vec<Shape>)>,
    /// Whether no further choice exists that rules can tell from these.
    pub(super) are_complete: bool,
}

/// A size that is not known: its name and the limits of it.
struct OpenName {
    name: String,
    low: usize,
    high: usize,
}

/// Lists the choices for these shapes; none where a rank is not known.
pub(super) fn choices(shapes: &[SymbolicShape]) -> Option<Choices> {
    let open = open(shapes)?;
    let dims = || shapes.iter().filter_map(SymbolicShape::dims).flatten();
    let mut listed = Listed {
        open: &open,
        points: dims().filter_map(Dim::size).chain([0, 1]).collect(),
        cells: open.iter().flat_map(|one| [one.low, one.high.saturating_add(1)]).chain([0]).collect(),
        chosen: Vec::new(),
        all: Vec::new(),
        is_full: false,
    };
    // The limits of a broadcast bound no name, and are numbers that its size is compared with.
    for dim in dims().filter(|dim| dim.names().len() > 1) {
        listed.cells.extend([dim.low(), dim.high().unwrap_or(usize::MAX).saturating_add(1)]);
    }
    // A name whose dims contradict each other has no sizes.
    if open.iter().all(|one| one.low <= one.high) {
        listed.choose();
    }
    let mut all: Vec<(Sizes, Vec<Shape>)> = Vec::new();
    for sizes in listed.all {
        let sizes: Sizes = open.iter().map(|one| one.name.clone()).zip(sizes).collect();
        if let Some(shapes) = bound(shapes, &sizes).filter(|shapes| shapes.iter().all(|one| elements(one).is_ok())) {
            all.push((sizes, shapes));
        }
    }
    all.sort_by_key(|(sizes, _)| sizes.values().any(|&size| size == 0));
    Some(Choices { all, are_complete: !listed.is_full })
}

struct Listed<'a> {
    open: &'a [OpenName],
    /// Numbers with which a size is compared.
    points: BTreeSet<usize>,
    /// Where the limits of the dims divide the numbers: within two neighbours, each dim has all numbers or none.
    cells: BTreeSet<usize>,
    chosen: Vec<usize>,
    all: Vec<Vec<usize>>,
    is_full: bool,
}

impl Listed<'_> {
    /// Chooses the next size in all ways, and those after it.
    fn choose(&mut self) {
        if self.all.len() == if self.open.len() > NAMES { FEW } else { MOST } {
            self.is_full = true;
            return;
        }
        let Some(open) = self.open.get(self.chosen.len()) else {
            self.all.push(self.chosen.clone());
            return;
        };
        let mut sizes = self.fresh();
        sizes.extend(self.points.iter().rev());
        for size in sizes.into_iter().filter(|size| (open.low..=open.high).contains(size)) {
            self.chosen.push(size);
            self.choose();
            self.chosen.pop();
        }
    }

    /// Lists for each cell the sizes that are chosen already and are no points, and the next one after them.
    fn fresh(&self) -> Vec<usize> {
        let starts: Vec<usize> = self.cells.iter().copied().collect();
        let ends = starts.iter().skip(1).copied().chain([usize::MAX]);
        let mut sizes = Vec::new();
        for (&start, end) in starts.iter().zip(ends) {
            for size in (start..end).filter(|size| !self.points.contains(size)) {
                sizes.push(size);
                if !self.chosen.contains(&size) {
                    break;
                }
            }
        }
        sizes
    }
}

/// Lists the open sizes, those of one name once; none where a rank is not known.
fn open(shapes: &[SymbolicShape]) -> Option<Vec<OpenName>> {
    let mut open: Vec<OpenName> = Vec::new();
    for (k, shape) in shapes.iter().enumerate() {
        for (i, dim) in shape.dims()?.iter().enumerate() {
            let names = dim.names();
            let (low, high) =
                if names.len() > 1 { (0, usize::MAX) } else { (dim.low(), dim.high().unwrap_or(usize::MAX)) };
            for name in places(dim, k, i) {
                match open.iter_mut().find(|known| known.name == name) {
                    Some(known) => (known.low, known.high) = (known.low.max(low), known.high.min(high)),
                    None => open.push(OpenName { name, low, high }),
                }
            }
        }
    }
    Some(open)
}

/// Names the sizes that decide a dim: its names, or its place where it is open and has none.
fn places(dim: &Dim, operand: usize, axis: usize) -> Vec<String> {
    match dim.names().as_slice() {
        [] if dim.size().is_some() => Vec::new(),
        [] => vec![format!("{}[{axis}]", letter(operand))],
        names => names.iter().map(ToString::to_string).collect(),
    }
}

/// Puts sizes in the place of open dims; none where the sizes contradict a dim.
fn bound(shapes: &[SymbolicShape], sizes: &Sizes) -> Option<Vec<Shape>> {
    let size = |dim: &Dim, k: usize, i: usize| {
        let places = places(dim, k, i);
        if places.is_empty() {
            return dim.size();
        }
        let mut merged = 1;
        for place in places {
            let size = *sizes.get(&place)?;
            if merged != 1 && size != 1 && merged != size {
                return None;
            }
            merged = if size == 1 { merged } else { size };
        }
        dim.allows(merged).then_some(merged)
    };
    let shape = |(k, shape): (usize, &SymbolicShape)| {
        let dims = shape.dims()?.iter().enumerate();
        dims.map(|(i, dim)| size(dim, k, i)).collect::<Option<Vec<usize>>>().map(Shape::from)
    };
    shapes.iter().enumerate().map(shape).collect()
}
