//! Compares rules on the same shapes: what each means, and an element on which each two meanings differ.

mod sizes;
mod said;
mod open;

use crate::json::{Json, json};
use broadaxe_shape::{Comparison, Difference, Error, ErrorKind, Outcome, Read, Shape, SymbolicShape, compare};

pub use self::{
    open::OpenCompared,
    said::{Fact, Said},
};
use crate::{drawing::Drawing, order::Order, reading::sum, record, words::steps};

/// What all rules say to the same shapes.
#[derive(Debug)]
pub enum Compared {
    /// The dims are known.
    Known(KnownCompared),
    /// Some are not.
    Open(OpenCompared),
}

/// What all rules say to shapes of known dims.
#[derive(Debug)]
pub struct KnownCompared {
    comparison: Comparison,
    meanings: Vec<Vec<usize>>,
    differences: Vec<Difference>,
    said: Said,
}

/// Asks every rule that needs no target, and finds one element for each two meanings.
///
/// # Errors
/// When an array of one of the shapes could not exist.
///
/// ```
/// use broadaxe_draw::compared;
/// let json = compared(&["2".parse()?, "2,2".parse()?])?.json();
/// assert!(json.to_string().contains(r#""differences":[{"element":[0,1],"#));
/// # Ok::<(), broadaxe_shape::Error>(())
/// ```
pub fn compared(shapes: &[SymbolicShape]) -> Result<Compared, Error> {
    let known: Option<Vec<Shape>> = shapes.iter().map(SymbolicShape::known).collect();
    let Some(known) = known else { return Ok(Compared::Open(OpenCompared::new(shapes))) };
    for shape in &known {
        broadaxe_shape::elements(shape)?;
    }
    Ok(Compared::Known(KnownCompared::new(&known)))
}

impl Compared {
    /// Returns the answer as `broadaxe compare --json` prints it.
    pub fn json(&self) -> Json {
        match self {
            Self::Known(known) => known.json(),
            Self::Open(open) => open.json(),
        }
    }

    /// Returns whether no rule accepts the shapes.
    pub fn is_refused(&self) -> bool {
        matches!(self.said().fact, Fact::Rejected { .. })
    }

    /// Returns the comparison on known sizes: that of the shapes, or that of the sizes for which rules differ.
    pub fn known(&self) -> Option<&KnownCompared> {
        match self {
            Self::Known(known) => Some(known),
            Self::Open(open) => open.example(),
        }
    }

    /// Returns how far the rules agree.
    pub fn said(&self) -> &Said {
        match self {
            Self::Known(known) => &known.said,
            Self::Open(open) => open.said(),
        }
    }

    /// Draws what there is to see: for each meaning the alignment, traced at the first element on which it differs from the first
    /// meaning; where no rule accepts the shapes, why NumPy's does not.
    pub fn drawings(&self) -> Vec<Drawing> {
        match self {
            Self::Known(known) => known.drawings(),
            Self::Open(open) => open.drawings(),
        }
    }
}

impl KnownCompared {
    fn new(shapes: &[Shape]) -> Self {
        Self::of(compare(&shapes.iter().map(Shape::dims).collect::<Vec<_>>()))
    }

    fn of(comparison: Comparison) -> Self {
        let meanings = comparison.meanings();
        let differences = differences(&comparison, &meanings);
        let said = said(&comparison, &meanings);
        Self { comparison, meanings, differences, said }
    }

    /// Returns how far the rules agree.
    pub(crate) fn said(&self) -> &Said {
        &self.said
    }

    /// Returns the shapes.
    pub fn shapes(&self) -> &[Shape] {
        self.comparison.shapes()
    }

    /// Returns what every rule says.
    pub fn comparison(&self) -> &Comparison {
        &self.comparison
    }

    /// Returns the outcomes that are alignments, grouped by what they mean.
    pub fn meanings(&self) -> &[Vec<usize>] {
        &self.meanings
    }

    /// Returns the meaning of an outcome, counted from 0; none where the rule rejects the shapes.
    pub fn meaning(&self, outcome: usize) -> Option<usize> {
        self.meanings.iter().position(|group| group.contains(&outcome))
    }

    /// Returns one element for each two meanings.
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }

    /// Returns the rule that represents a meaning.
    pub fn speaker(&self, meaning: usize) -> usize {
        speaker(&self.comparison, &self.meanings[meaning])
    }

    fn json(&self) -> Json {
        let rules = self.comparison.outcomes().iter().enumerate();
        json!({
            "shapes": self.shapes().iter().map(Shape::dims).collect::<Vec<_>>(),
            "rules": rules.map(|(k, outcome)| describe(outcome, self.meaning(k))).collect::<Vec<_>>(),
            "differences": self.differences.iter().map(|found| difference(&self.comparison, found)).collect::<Vec<_>>(),
        })
    }

    /// Draws a meaning; it is traced at the element on which it first differs from another one.
    pub fn drawing(&self, meaning: usize) -> Option<Drawing> {
        let speaker = self.speaker(meaning);
        let outcome = &self.comparison.outcomes()[speaker];
        let (rule, alignment) = (outcome.rule(), outcome.alignment()?);
        let drawing = Drawing::new(rule, alignment, Order::ROW_MAJOR);
        let traced = self.differences.iter().find_map(|found| {
            let reads = match speaker {
                k if k == found.left() => found.left_reads(),
                k if k == found.right() => found.right_reads(),
                _ => None,
            };
            Some(drawing.clone().traced(alignment, found.element()?, reads?, Order::ROW_MAJOR))
        });
        Some(traced.unwrap_or(drawing))
    }

    /// Draws both sides of a difference, traced at its element.
    pub fn sides(&self, found: &Difference) -> Vec<Drawing> {
        let side = |k: usize, reads: Option<&[Read]>| {
            let outcome = &self.comparison.outcomes()[k];
            let alignment = outcome.alignment()?;
            let drawing = Drawing::new(outcome.rule(), alignment, Order::ROW_MAJOR);
            Some(match (found.element(), reads) {
                (Some(element), Some(reads)) => drawing.traced(alignment, element, reads, Order::ROW_MAJOR),
                _ => drawing,
            })
        };
        let sides = [side(found.left(), found.left_reads()), side(found.right(), found.right_reads())];
        sides.into_iter().flatten().collect()
    }

    fn drawings(&self) -> Vec<Drawing> {
        if self.meanings.is_empty() {
            let dims: Vec<&[usize]> = self.shapes().iter().map(Shape::dims).collect();
            return Drawing::failed(&broadaxe_shape::Rule::numpy(), &dims, Order::ROW_MAJOR).into_iter().collect();
        }
        (0..self.meanings.len()).filter_map(|meaning| self.drawing(meaning)).collect()
    }
}

/// Says how far the rules agree.
fn said(comparison: &Comparison, meanings: &[Vec<usize>]) -> Said {
    let outcomes = comparison.outcomes();
    let accepting: usize = meanings.iter().map(Vec::len).sum();
    let fact = match meanings {
        [] => Fact::Rejected { is_undecided: false },
        [group] if accepting == 1 => Fact::Only { rule: outcomes[group[0]].rule().to_string(), rejected: None },
        [_] => Fact::Same { rejected: None },
        _ => Fact::Differ { meanings: meanings.len(), is_least: false, sizes: None },
    };
    let result = match meanings {
        [group] => outcomes[group[0]].alignment().map(|alignment| alignment.shape().to_string()),
        _ => None,
    };
    let numpy = outcomes.iter().find(|outcome| outcome.rule().name() == "numpy");
    let numpy_rejects = numpy.is_some_and(|outcome| outcome.alignment().is_none());
    Said { rules: outcomes.len(), accepting, numpy_rejects, result, fact }
}

/// Finds one element for each two meanings.
fn differences(comparison: &Comparison, meanings: &[Vec<usize>]) -> Vec<Difference> {
    let speakers: Vec<usize> = meanings.iter().map(|group| speaker(comparison, group)).collect();
    // The library compares all rules; two rules of one meaning each are enough.
    let between = |found: &Difference| speakers.contains(&found.left()) && speakers.contains(&found.right());
    comparison.differences().into_iter().filter(between).collect()
}

/// Chooses the rule that represents a group of one meaning: the first that needs no parameter for it.
fn speaker(comparison: &Comparison, group: &[usize]) -> usize {
    let bare = |k: &&usize| {
        let params = comparison.outcomes()[**k].rule().params();
        params.axis.is_none() && params.mode.is_none()
    };
    // `none` accepts only what all accept: any other name says more.
    let known = |k: &&usize| comparison.outcomes()[**k].rule().name() != "none";
    let best = group.iter().filter(bare).find(known).or_else(|| group.iter().find(bare));
    best.or(group.first()).copied().unwrap_or(0)
}

/// Summarises why a rule rejects shapes: `no: axis 1 is 3 and 4`.
pub fn reason(error: &Error) -> String {
    match (error.kind(), error.axis(), error.sizes()) {
        (ErrorKind::Mismatch | ErrorKind::Direction, Some(axis), Some((one, other))) => {
            format!("no: axis {axis} is {one} and {other}")
        }
        (kind, ..) => format!("no: {}", kind.name()),
    }
}

fn describe(outcome: &Outcome, meaning: Option<usize>) -> Json {
    match outcome.result() {
        Ok(alignment) => {
            let (strides, periods): (Vec<_>, Vec<_>) =
                (0..alignment.operands().len()).map(|k| steps(alignment, k)).unzip();
            let mut value = json!({
                "rule": outcome.rule().to_string(),
                "meaning": meaning.map(|group| group + 1),
                "shape": alignment.shape().dims(),
                "strides": strides,
            });
            if alignment.is_tiled() {
                value["periods"] = json!(periods);
            }
            value
        }
        Err(error) => {
            let mut value = record::error(error);
            value["rule"] = json!(outcome.rule().to_string());
            value
        }
    }
}

fn difference(comparison: &Comparison, found: &Difference) -> Json {
    let side = |k: usize, reads: Option<&[Read]>| {
        let reads = reads.map(|reads| {
            let each = reads.iter().map(|read| json!({ "index": read.index(), "value": read.position() }));
            (each.collect::<Vec<_>>(), sum(reads).to_string().parse::<u64>().ok())
        });
        let (reads, sum) = reads.unzip();
        json!({ "rule": comparison.outcomes()[k].rule().to_string(), "reads": reads, "sum": sum.flatten() })
    };
    json!({
        "element": found.element(),
        "left": side(found.left(), found.left_reads()),
        "right": side(found.right(), found.right_reads()),
    })
}
