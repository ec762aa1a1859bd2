//! The layout of a broadcast: a row per operand, a column per axis of the result.

use broadaxe_shape::{Alignment, Read, Rule};

use crate::{
    order::Order,
    reading,
    words::{columns, escaped, join, letter, quoted},
};

/// Shows how the operands of a broadcast are aligned.
///
/// Every renderer reads this layout: [`Drawing::text`], [`crate::svg`], [`crate::Sheet`] and [`crate::markdown()`]. Texts in it are
/// plain: a renderer escapes what its form needs.
///
/// ```
/// use broadaxe_draw::{Drawing, Order};
/// use broadaxe_shape::Rule;
/// let rule = Rule::numpy();
/// let alignment = rule.align(&[&[2, 3], &[2, 1]])?;
/// let drawing = Drawing::new(&rule, &alignment, Order::ROW_MAJOR);
/// assert_eq!(drawing.text(true), "  axis    0     1\n  a       2     3\n  b       2  1->3\n  result  2     3\n");
/// # Ok::<(), broadaxe_shape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The question: `(2, 3) + (3,) under numpy`.
    pub title: String,
    /// The axes of the result, as they are counted in the order of the rule.
    pub axes: Vec<usize>,
    /// The operands.
    pub rows: Vec<Row>,
    /// The sizes of the result, one per column; absent where the shapes do not broadcast.
    pub result: Option<Vec<String>>,
    /// The columns on which sizes clash.
    pub clashes: Vec<usize>,
    /// The element that is traced to its sources.
    pub trace: Option<Trace>,
    /// Sentences about the drawing: what would fit, or the conditions under which it holds.
    pub notes: Vec<String>,
}

/// Shows one operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name: `a`, or that of a tensor.
    pub name: String,
    /// Its shape: `(2, 3)`.
    pub shape: String,
    /// One cell per column.
    pub cells: Vec<Cell>,
    /// What repeats, as a sentence without its subject; empty where that is not known.
    pub repeats: String,
}

/// Shows what an operand has on one axis of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// No axis of its own; it repeats this often, if more than once.
    Missing(Option<String>),
    /// An axis of the size of the result.
    Size(String),
    /// An axis that is stretched.
    Stretched {
        /// Its size.
        from: String,
        /// The size that it is stretched to.
        to: String,
        /// The condition under which it is stretched, if there is one.
        when: Option<String>,
    },
}

/// Traces an element of the result to the elements that it is computed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Its index, one number per column.
    pub element: Vec<usize>,
    /// The index that is read of each operand, one entry per column; none where the operand has no such axis.
    pub reads: Vec<Vec<Option<usize>>>,
    /// What is computed: `a(1,) + b(0, 1) = 1 + 1 = 2`.
    pub sentence: String,
}

/// The parts of a layout, before they are put in columns.
pub(crate) struct Layout<'a> {
    pub(crate) title: String,
    pub(crate) rank: usize,
    pub(crate) order: Order,
    pub(crate) operands: Vec<Operand<'a>>,
    /// The size of the result on an axis; none where sizes clash or it is not known.
    pub(crate) result: Vec<Option<String>>,
    /// Whether operand `k` is stretched along an axis that it feeds, and the condition for it.
    pub(crate) stretched: &'a dyn Fn(usize, usize) -> Option<Option<String>>,
}

/// An operand of a layout.
pub(crate) struct Operand<'a> {
    pub(crate) name: String,
    pub(crate) shape: String,
    pub(crate) sizes: Vec<String>,
    /// The axes of the result that its axes feed.
    pub(crate) axes: &'a [usize],
    pub(crate) repeats: String,
}

impl Layout<'_> {
    pub(crate) fn drawing(self) -> Drawing {
        let columns: Vec<usize> = self.order.list(&(0..self.rank).collect::<Vec<_>>());
        let cell = |k: usize, axis: usize| {
            let (operand, result) = (&self.operands[k], self.result.get(axis).and_then(Clone::clone));
            match operand.axes.iter().position(|&fed| fed == axis) {
                None => Cell::Missing(result.filter(|size| size != "1")),
                Some(at) => match ((self.stretched)(k, axis), result) {
                    (Some(when), Some(to)) => Cell::Stretched { from: operand.sizes[at].clone(), to, when },
                    _ => Cell::Size(operand.sizes[at].clone()),
                },
            }
        };
        let rows = self.operands.iter().enumerate().map(|(k, operand)| Row {
            name: operand.name.clone(),
            shape: operand.shape.clone(),
            cells: columns.iter().map(|&axis| cell(k, axis)).collect(),
            repeats: operand.repeats.clone(),
        });
        let result: Option<Vec<String>> =
            columns.iter().map(|&axis| self.result.get(axis).cloned().flatten()).collect();
        Drawing {
            title: self.title.clone(),
            axes: (0..self.rank).collect(),
            rows: rows.collect(),
            result,
            clashes: Vec::new(),
            trace: None,
            notes: Vec::new(),
        }
    }
}

impl Drawing {
    /// Draws operands of known shapes that broadcast.
    pub fn new(rule: &Rule, alignment: &Alignment, order: Order) -> Self {
        let shape = alignment.shape();
        let operands = alignment.operands();
        let stretched = |k: usize, axis: usize| {
            let at = operands[k].axes().iter().position(|&fed| fed == axis)?;
            (operands[k].shape()[at] != shape[axis]).then_some(None)
        };
        let rank = shape.len();
        let operand = |k: usize| Operand {
            name: letter(k),
            shape: order.shape(operands[k].shape()),
            sizes: operands[k].shape().iter().map(ToString::to_string).collect(),
            axes: operands[k].axes(),
            repeats: repeats(alignment, k, order),
        };
        Layout {
            title: question(operands.iter().map(|operand| order.shape(operand.shape())), rule),
            rank,
            order,
            operands: (0..operands.len()).map(operand).collect(),
            result: shape.iter().map(|size| Some(size.to_string())).collect(),
            stretched: &stretched,
        }
        .drawing()
    }

    pub(crate) fn empty(title: String) -> Self {
        let (axes, rows, clashes, notes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { title, axes, rows, result: None, clashes, trace: None, notes }
    }

    /// Draws operands by the axes of the result that they feed. A size is a number or the name of one; `result` has one per axis.
    ///
    /// Operands of 1, and of other sizes than the result, are stretched.
    pub fn placed(title: String, operands: &[(String, Vec<String>, Vec<usize>)], result: &[String]) -> Self {
        let stretched = |k: usize, axis: usize| {
            let (_, dims, axes) = &operands[k];
            let at = axes.iter().position(|&fed| fed == axis)?;
            (dims[at] != result[axis] && dims[at].parse::<usize>().is_ok()).then_some(None)
        };
        let operands = operands.iter().map(|(name, sizes, axes)| Operand {
            name: quoted(name),
            shape: Order::ROW_MAJOR.shape(sizes),
            sizes: sizes.clone(),
            axes,
            repeats: String::new(),
        });
        Layout {
            title,
            rank: result.len(),
            order: Order::ROW_MAJOR,
            operands: operands.collect(),
            result: result.iter().cloned().map(Some).collect(),
            stretched: &stretched,
        }
        .drawing()
    }

    /// Adds the trace of an element of the result. `reads` are the elements that the operands give to it.
    #[must_use]
    pub fn traced(mut self, alignment: &Alignment, element: &[usize], reads: &[Read], order: Order) -> Self {
        let index = |k: usize, axis: usize| {
            let at = alignment.operands().get(k)?.axes().iter().position(|&fed| fed == axis)?;
            reads.get(k)?.index().get(at).copied()
        };
        let columns = order.list(&(0..alignment.shape().len()).collect::<Vec<_>>());
        let indices = (0..self.rows.len()).map(|k| columns.iter().map(|&axis| index(k, axis)).collect()).collect();
        let sentence = reading::sentence(reads);
        self.trace = Some(Trace { element: order.list(element), reads: indices, sentence });
        self
    }

    /// Adds the trace of an element, from the axes that the operands feed and the index that is read of each.
    #[must_use]
    pub fn reading(mut self, element: &[usize], axes: &[Vec<usize>], reads: &[Vec<usize>]) -> Self {
        let index = |k: usize, axis: usize| {
            let at = axes.get(k)?.iter().position(|&fed| fed == axis)?;
            reads.get(k)?.get(at).copied()
        };
        let indices = (0..self.rows.len()).map(|k| (0..element.len()).map(|axis| index(k, axis)).collect()).collect();
        let read = |(row, read): (&Row, &Vec<usize>)| format!("{}[{}]", row.name, join(read, ", "));
        let sentence = join(&self.rows.iter().zip(reads).map(read).collect::<Vec<_>>(), ", ");
        self.trace = Some(Trace { element: element.to_vec(), reads: indices, sentence });
        self
    }

    /// Removes the sentences, for documents that say the same elsewhere. The element that is traced stays marked.
    #[must_use]
    pub fn without_sentences(mut self) -> Self {
        self.notes.clear();
        self.trace.iter_mut().for_each(|trace| trace.sentence.clear());
        self
    }

    /// Renders the drawing as lines of text, in ASCII or with arrows.
    pub fn text(&self, ascii: bool) -> String {
        let arrow = if ascii { "->" } else { "→" };
        let mut rows = vec![line("axis", self.axes.iter().map(ToString::to_string))];
        rows.extend(self.rows.iter().map(|row| line(&row.name, row.cells.iter().map(|cell| cell.text(arrow)))));
        if let Some(result) = &self.result {
            rows.push(line("result", result.iter().cloned()));
        }
        if !self.clashes.is_empty() {
            let mark = |at: usize| if self.clashes.contains(&at) { "^".to_owned() } else { String::new() };
            rows.push(line("", (0..self.axes.len()).map(mark)));
        }
        columns(&rows).lines().map(|line| escaped(line) + "\n").collect()
    }

    /// Says in sentences what the drawing shows, for those who do not see it.
    pub fn alternative(&self) -> String {
        let mut said = vec![format!("{}.", self.title)];
        for row in &self.rows {
            let cells = row.cells.iter().zip(&self.axes);
            let cells: Vec<String> = cells.map(|(cell, axis)| format!("axis {axis}: {}", cell.words())).collect();
            let cells = if cells.is_empty() { "one element".to_owned() } else { join(&cells, ", ") };
            said.push(format!("{} {}: {cells}.", row.name, row.shape));
        }
        for &at in &self.clashes {
            said.push(format!("The sizes on axis {} do not fit.", self.axes[at]));
        }
        said.extend(
            self.trace.iter().filter(|trace| !trace.sentence.is_empty()).map(|trace| format!("{}.", trace.sentence)),
        );
        said.extend(self.notes.iter().map(|note| format!("{note}.")));
        join(&said, " ")
    }
}

impl Cell {
    /// Writes the cell of a table: `3`, `1->4`, or `.` where the operand has no axis.
    pub(crate) fn text(&self, arrow: &str) -> String {
        match self {
            Self::Missing(None) => ".".to_owned(),
            Self::Missing(Some(to)) => format!(".{arrow}{to}"),
            Self::Size(size) => size.clone(),
            Self::Stretched { from, to, .. } => format!("{from}{arrow}{to}"),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Missing(None) => "none".to_owned(),
            Self::Missing(Some(to)) => format!("none, repeated {to} times"),
            Self::Size(size) => size.clone(),
            Self::Stretched { from, to, when: None } => format!("{from}, stretched to {to}"),
            Self::Stretched { from, to, when: Some(when) } => format!("{from}, stretched to {to} if {when}"),
        }
    }
}

/// Writes shapes under a rule: `(2, 3) + (3,) under numpy`.
pub(crate) fn question(shapes: impl Iterator<Item = String>, rule: &impl std::fmt::Display) -> String {
    format!("{} under {rule}", shapes.collect::<Vec<_>>().join(" + "))
}

fn line(name: &str, cells: impl Iterator<Item = String>) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(cells).collect()
}

/// Lists the result axes along which operand `k` repeats, and how often.
pub fn repeated(alignment: &Alignment, k: usize) -> Vec<(usize, usize)> {
    let operand = &alignment.operands()[k];
    let own = |axis| operand.axes().iter().position(|&at| at == axis).map_or(1, |i| operand.shape()[i]);
    let sizes = alignment.shape().iter().enumerate();
    let times = |size: usize, own: usize| size.checked_div(own).unwrap_or(size);
    sizes.filter(|&(axis, &size)| size != own(axis)).map(|(axis, &size)| (axis, times(size, own(axis)))).collect()
}

/// Says along which axes operand `k` repeats.
fn repeats(alignment: &Alignment, k: usize, order: Order) -> String {
    let rank = alignment.shape().len();
    let along = repeated(alignment, k).into_iter();
    let along = along.map(|(axis, times)| format!("{times} times along axis {}", order.axes(&[axis], rank)[0]));
    repeats_along(&along.collect::<Vec<_>>())
}

/// Writes what repeats as a sentence without its subject.
pub(crate) fn repeats_along(along: &[String]) -> String {
    match along {
        [] => "does not repeat".to_owned(),
        along => format!("is repeated {}", join(along, " and ")),
    }
}
