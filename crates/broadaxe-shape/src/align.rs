//! The alignment that a rule returns, and the placement that it is computed from.
//!
//! A rule decides three things: a *placement* (which result axis each operand axis feeds), a *stretch policy* (which
//! operands may repeat along an axis where they have extent 1) and a few validity limits. The files under `rule/` return
//! a [`Placement`]; the merge of the extents is done here, once, for all of them.

use alloc::{
    string::{String, ToString},
    vec,
    vec::Vec,
};
use core::{fmt, mem};

use crate::{
    axes::Axes,
    error::{Data, Error, ErrorKind},
    few::{Empty, PerAxis, PerOperand},
    shape::{MAX_RANK, Shape, contiguous_strides, elements},
};

/// Says how operands fit together: the result's shape and, per operand, which of its axes feeds which result axis.
///
/// Up to rank 8 and four operands, an alignment needs no memory of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Alignment {
    shape: Shape,
    operands: PerOperand<Placed>,
}

/// One operand of an [`Alignment`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Placed {
    dims: Shape,
    axes: Axes,
}

impl Empty for Placed {
    const EMPTY: Self = Self { dims: Shape(PerAxis::EMPTY), axes: Axes::EMPTY };
}

impl Placed {
    /// Returns the operand's own shape.
    pub fn shape(&self) -> &Shape {
        &self.dims
    }

    /// Returns, for every axis of the operand, the result axis that it feeds; strictly increasing.
    pub fn axes(&self) -> &[usize] {
        &self.axes
    }
}

impl Alignment {
    /// Returns the shape of the result.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the operands in the order they were given.
    pub fn operands(&self) -> &[Placed] {
        &self.operands
    }

    /// Says whether an operand is tiled: read again from its start along an axis on which it has more than one element.
    ///
    /// Only the rule `ggml` tiles. Under every other rule [`Alignment::loop_shape`] is the result's shape.
    pub fn is_tiled(&self) -> bool {
        (0..self.shape.len()).any(|axis| self.tile(axis).is_some())
    }

    /// Returns the shape over which every operand has strides: the result's, in which each axis of extent `n` along which an
    /// operand of extent `d` is tiled is split in two, of extents `n / d` and `d`.
    ///
    /// Row-major elements of the result are row-major elements of this shape.
    ///
    /// ```
    /// use broadaxe_shape::Rule;
    /// let alignment = Rule::ggml().align(&[&[5, 6], &[2]])?;
    /// assert_eq!((alignment.shape().dims(), alignment.loop_shape().dims()), (&[5, 6][..], &[5, 3, 2][..]));
    /// assert_eq!((alignment.strides(0), alignment.strides(1)), (vec![6, 2, 1], vec![0, 0, 1]));
    /// # Ok::<(), broadaxe_shape::Error>(())
    /// ```
    pub fn loop_shape(&self) -> Shape {
        let mut dims = PerAxis::default();
        for (axis, &extent) in self.shape.iter().enumerate() {
            match self.tile(axis) {
                Some(tile) => {
                    dims.push(extent / tile);
                    dims.push(tile);
                }
                None => dims.push(extent),
            }
        }
        Shape(dims)
    }

    /// Splits strides over the result into strides over [`Alignment::loop_shape`].
    ///
    /// # Panics
    /// When there is not one stride per axis of the result.
    pub fn split(&self, strides: &[isize]) -> Vec<isize> {
        assert_eq!(strides.len(), self.shape.len(), "one stride per axis");
        let split = |(axis, &stride): (usize, &isize)| match self.tile(axis) {
            Some(tile) => [Some(stride.wrapping_mul(tile as isize)), Some(stride)],
            None => [None, Some(stride)],
        };
        strides.iter().enumerate().flat_map(split).flatten().collect()
    }

    /// Returns, for every axis of the result, the stride and the period of operand `k`: index `i` of the axis reads
    /// `stride * (i % period)` elements into the row-major operand.
    ///
    /// # Panics
    /// When there is no operand `k`.
    pub fn steps(&self, k: usize) -> Vec<(isize, usize)> {
        let operand = &self.operands[k];
        let mut steps = vec![(0, 1); self.shape.len()];
        let own = contiguous_strides(&operand.dims);
        for ((&at, &dim), stride) in operand.axes.iter().zip(operand.dims.iter()).zip(own) {
            if dim != 1 && self.shape[at] != 1 {
                steps[at] = (stride, dim);
            }
        }
        steps
    }

    /// Returns the extent of the operand that is tiled along an axis of the result.
    fn tile(&self, axis: usize) -> Option<usize> {
        let extent = self.shape[axis];
        self.operands.iter().find_map(|operand| {
            let dim = operand.dims[position(&operand.axes, axis)?];
            (1 < dim && dim < extent).then_some(dim)
        })
    }

    /// Returns operand `k`'s strides over [`Alignment::loop_shape`], in elements, as if it were contiguous and row-major.
    ///
    /// A stride is 0 where the result axis is not fed by the operand, or where the operand or the result has extent 1.
    ///
    /// # Panics
    /// When there is no operand `k`.
    pub fn strides(&self, k: usize) -> Vec<isize> {
        self.strides_from(k, &contiguous_strides(&self.operands[k].dims))
    }

    /// Returns operand `k`'s strides over [`Alignment::loop_shape`] when its own strides are `own` (any unit, any sign).
    ///
    /// # Panics
    /// When there is no operand `k`, or `own` does not have one entry per axis of it.
    pub fn strides_from(&self, k: usize, own: &[isize]) -> Vec<isize> {
        let operand = &self.operands[k];
        assert_eq!(own.len(), operand.dims.len(), "one stride per axis");
        let mut strides = vec![0; self.shape.len()];
        for (axis, &at) in operand.axes.iter().enumerate() {
            if operand.dims[axis] != 1 && self.shape[at] != 1 {
                strides[at] = own[axis];
            }
        }
        if !self.is_tiled() {
            return strides;
        }
        let mut split = self.split(&strides);
        let mut next = 0;
        for axis in 0..self.shape.len() {
            let tile = self.tile(axis);
            next += 1 + usize::from(tile.is_some());
            let own = position(&operand.axes, axis).map(|i| operand.dims[i]);
            if tile.is_some() && own == tile {
                split[next - 2] = 0;
            }
        }
        split
    }

    /// Says whether operand `k` has the result's shape already, axis by axis.
    ///
    /// # Panics
    /// When there is no operand `k`.
    pub fn is_identity(&self, k: usize) -> bool {
        self.operands[k].dims == self.shape
    }
}

/// Says which operands may repeat along an axis on which they have extent 1.
///
/// This enum is exhaustive on purpose: code that merges extents must treat every variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stretch {
    /// Every operand may: extents are equal or 1, and the result has the one that is not 1.
    All,
    /// Every operand but this one may: its extents are the result's.
    Into(usize),
    /// Every operand but this one is tiled: its extents are the result's, and multiples of the others'. An operand without elements
    /// goes with one without elements, whatever their extents.
    Tile(usize),
    /// No operand may: extents are equal.
    Never,
}

impl Stretch {
    /// Returns the operand whose extents are the result's, if there is one.
    pub(crate) fn into(self) -> Option<usize> {
        match self {
            Self::Into(k) | Self::Tile(k) => Some(k),
            Self::All | Self::Never => None,
        }
    }
}

/// Says where each operand's axes go, before extents are merged.
///
/// Under a rule with a target, the target is the last operand here. Up to rank 8 and four operands, a placement needs no
/// memory of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    pub(crate) rank: usize,
    pub(crate) axes: PerOperand<Axes>,
    pub(crate) stretch: Stretch,
}

impl Placement {
    /// Returns the rank of the result.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns which operands may repeat.
    pub fn stretch(&self) -> Stretch {
        self.stretch
    }

    /// Returns the number of operands, the target included.
    pub fn count(&self) -> usize {
        self.axes.len()
    }

    /// Returns, for every axis of operand `k`, the result axis that it feeds; strictly increasing.
    ///
    /// # Panics
    /// When there is no operand `k`.
    pub fn axes(&self, k: usize) -> &[usize] {
        &self.axes[k]
    }

    /// Returns the operands that feed a result axis, in order, each with the axis of its own that does.
    ///
    /// ```
    /// use broadaxe_shape::Rule;
    /// let shapes: &[&[usize]] = &[&[2, 3, 4], &[4]];
    /// let placement = Rule::numpy().place(&shapes)?;
    /// assert_eq!(placement.feeding(0).collect::<Vec<_>>(), [(0, 0)]);
    /// assert_eq!(placement.feeding(2).collect::<Vec<_>>(), [(0, 2), (1, 0)]);
    /// # Ok::<(), broadaxe_shape::Error>(())
    /// ```
    pub fn feeding(&self, axis: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
        self.axes.iter().enumerate().filter_map(move |(k, axes)| Some((k, position(axes, axis)?)))
    }
}

/// Finds an axis in a list that increases; most lists are runs.
fn position(axes: &[usize], axis: usize) -> Option<usize> {
    let i = axis.checked_sub(*axes.first()?)?;
    if axes.get(i) == Some(&axis) { Some(i) } else { axes.binary_search(&axis).ok() }
}

/// Answers the questions that a rule asks about the operands, for [`Rule::place`](crate::Rule::place).
///
/// Implement this for your own dims, known or symbolic, to place them under a rule. A rule asks for ranks and, rarely,
/// whether a dim has a given extent or two dims are equal. Under a rule with a target, the target is the last operand.
pub trait Extents {
    /// Counts the operands, the target included.
    fn count(&self) -> usize;
    /// Returns the rank of operand `k`.
    fn rank(&self, k: usize) -> usize;
    /// Says whether axis `axis` of operand `k` has this extent.
    ///
    /// # Errors
    /// [`Error::undecided`] when the dim is not known well enough.
    fn is(&self, k: usize, axis: usize, extent: usize) -> Result<bool, Error>;
    /// Says whether two axes, each an operand and an axis of it, have the same extent.
    ///
    /// # Errors
    /// [`Error::undecided`] when the dims are not known well enough.
    fn same(&self, one: (usize, usize), other: (usize, usize)) -> Result<bool, Error>;
    /// Writes operand `k`'s shape for an error.
    fn show(&self, k: usize) -> String;
    /// Returns operand `k`'s dims where all of them are known, so that an error can keep them and write them later.
    ///
    /// An error calls [`Extents::show`] at once where this returns nothing, as it does by default.
    fn dims(&self, k: usize) -> Option<&[usize]> {
        let _ = k;
        None
    }
}

impl Extents for &[&[usize]] {
    fn count(&self) -> usize {
        self.len()
    }
    fn rank(&self, k: usize) -> usize {
        self[k].len()
    }
    fn is(&self, k: usize, axis: usize, extent: usize) -> Result<bool, Error> {
        Ok(self[k][axis] == extent)
    }
    fn same(&self, (k, i): (usize, usize), (l, j): (usize, usize)) -> Result<bool, Error> {
        Ok(self[k][i] == self[l][j])
    }
    fn show(&self, k: usize) -> String {
        Shape::from(self[k]).to_string()
    }
    fn dims(&self, k: usize) -> Option<&[usize]> {
        Some(self[k])
    }
}

/// The shapes of a call of [`Rule::align`](crate::Rule::align), and the target of a rule that has one.
pub(crate) struct Known<'a> {
    pub(crate) shapes: &'a [&'a [usize]],
    pub(crate) target: Option<&'a [usize]>,
}

impl<'a> Known<'a> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'a [usize]> {
        self.shapes.iter().copied().chain(self.target)
    }

    fn of(&self, k: usize) -> &'a [usize] {
        match self.target {
            Some(target) if k == self.shapes.len() => target,
            _ => self.shapes[k],
        }
    }
}

impl Extents for Known<'_> {
    fn count(&self) -> usize {
        self.shapes.len() + usize::from(self.target.is_some())
    }
    fn rank(&self, k: usize) -> usize {
        self.of(k).len()
    }
    fn is(&self, k: usize, axis: usize, extent: usize) -> Result<bool, Error> {
        Ok(self.of(k)[axis] == extent)
    }
    fn same(&self, (k, i): (usize, usize), (l, j): (usize, usize)) -> Result<bool, Error> {
        Ok(self.of(k)[i] == self.of(l)[j])
    }
    fn show(&self, k: usize) -> String {
        Shape::from(self.of(k)).to_string()
    }
    fn dims(&self, k: usize) -> Option<&[usize]> {
        Some(self.of(k))
    }
}

/// Names operand `k` in a sentence: `a`, `b`, ..., `z`, `operand 26`.
pub(crate) fn letter(k: usize) -> String {
    Name::Operand(k).to_string()
}

/// The name of an operand in a sentence.
#[derive(Clone, Copy)]
pub(crate) enum Name {
    Operand(usize),
    Target,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Target => f.write_str("target"),
            Self::Operand(k) => match u8::try_from(k) {
                Ok(k) if k < 26 => write!(f, "{}", char::from(b'a' + k)),
                _ => write!(f, "operand {k}"),
            },
        }
    }
}

/// How many operands an error lists; of more it gives the number.
const LISTED: usize = 8;

/// A call of a rule as its errors keep it.
#[derive(Clone)]
pub(crate) struct RuleCall {
    rule: &'static str,
    /// The first operands, without the target.
    operands: PerOperand<Shown>,
    target: Option<Shown>,
    /// How many operands there are, the target among them.
    count: usize,
}

/// An operand's shape as an error keeps it.
#[derive(Clone)]
enum Shown {
    Known(Shape),
    Text(String),
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(shape) => shape.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Empty for Shown {
    const EMPTY: Self = Self::Known(Shape(PerAxis::EMPTY));
}

impl RuleCall {
    /// Keeps a call; `target` says that the last operand is the target.
    pub(crate) fn new(rule: &'static str, extents: &(impl Extents + ?Sized), target: bool) -> Self {
        let shown = |k| extents.dims(k).map_or_else(|| Shown::Text(extents.show(k)), |dims| Shown::Known(dims.into()));
        let count = extents.count();
        let placed = count - usize::from(target);
        let operands = (0..placed.min(LISTED)).map(shown).collect();
        Self { rule, operands, target: target.then(|| shown(placed)), count }
    }

    /// Names operand `k`.
    pub(crate) fn name(&self, k: usize) -> Name {
        if self.target.is_some() && k + 1 == self.count { Name::Target } else { Name::Operand(k) }
    }

    /// Makes an error about the call; `write` continues the sentence after the shapes.
    pub(crate) fn fail(
        self,
        kind: ErrorKind,
        write: impl Fn(&Self, &mut fmt::Formatter<'_>) -> fmt::Result + Data,
    ) -> Error {
        let rule = self.rule;
        let sentence = move |f: &mut fmt::Formatter<'_>| {
            write!(f, "{self}: ")?;
            write(&self, f)
        };
        Error::later(kind, sentence).under(rule)
    }
}

/// Begins an error's sentence: `broadcast of a (3, 1) with b (4,) under numpy`.
impl fmt::Display for RuleCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broadcast of ")?;
        for (k, shown) in self.operands.iter().enumerate() {
            write!(f, "{}{} {shown}", if k == 0 { "" } else { " with " }, Name::Operand(k))?;
        }
        let left = self.count - self.operands.len() - usize::from(self.target.is_some());
        if left > 0 {
            write!(f, " and {left} more")?;
        }
        if let Some(target) = &self.target {
            write!(f, "{}{} {target}", if self.operands.is_empty() { "" } else { " to " }, Name::Target)?;
        }
        write!(f, " under {}", self.rule)
    }
}

/// Begins an error's sentence, as [`RuleCall`] displays.
pub(crate) fn sentence(rule: &'static str, extents: &(impl Extents + ?Sized), target: bool) -> String {
    RuleCall::new(rule, extents, target).to_string()
}

/// Merges the extents that a placement brings together on each axis.
///
/// The target is merged too, and left out of the alignment.
///
/// # Errors
/// [`ErrorKind::Mismatch`] and [`ErrorKind::Direction`] with axis, operand and both sizes, for the leftmost axis at fault;
/// [`ErrorKind::Overflow`] when the result cannot be counted; [`ErrorKind::Rank`] above [`MAX_RANK`].
pub(crate) fn merge(rule: &'static str, known: &Known<'_>, mut placement: Placement) -> Result<Alignment, Error> {
    let Placement { rank, stretch, .. } = placement;
    if rank > MAX_RANK {
        let text = move |f: &mut fmt::Formatter<'_>| {
            write!(f, "the result would have rank {rank}, above the largest, {MAX_RANK}")
        };
        return Err(Error::later(ErrorKind::Rank, text).under(rule));
    }
    let mut dims = PerAxis::default();
    let is_empty = matches!(stretch, Stretch::Tile(_)) && known.iter().all(|dims| dims.contains(&0));
    for axis in 0..rank {
        let all = placement.feeding(axis).filter(|&(operand, _)| !is_empty || stretch.into() == Some(operand));
        let fed = all.map(|(operand, own)| Fed { operand, extent: known.of(operand)[own] });
        let extent = merge_axis(fed, stretch)
            .map_err(|clash| clash.error(RuleCall::new(rule, known, known.target.is_some()), axis))?;
        dims.push(extent);
    }
    elements(&dims).map_err(|e| e.under(rule))?;
    let mut alignment = Alignment { operands: PerOperand::EMPTY, shape: Shape(dims) };
    for (&dims, axes) in known.shapes.iter().zip(placement.axes.iter_mut()) {
        alignment.operands.push(Placed { dims: dims.into(), axes: mem::replace(axes, Axes::EMPTY) });
    }
    Ok(alignment)
}

/// One operand on one axis of the result.
#[derive(Clone, Copy)]
struct Fed {
    operand: usize,
    extent: usize,
}

/// Two operands whose extents do not go together on one axis.
#[derive(Clone, Copy)]
struct Clash {
    kind: ErrorKind,
    /// The operand whose extent the result has so far.
    base: Fed,
    other: Fed,
    stretch: Stretch,
}

/// Returns the extent of the result on an axis that these operands feed.
fn merge_axis(mut fed: impl Iterator<Item = Fed> + Clone, stretch: Stretch) -> Result<usize, Clash> {
    let all = fed.clone();
    let mut base = match stretch.into() {
        Some(k) => fed.find(|fed| fed.operand == k).unwrap_or(Fed { operand: k, extent: 1 }),
        None => fed.next().unwrap_or(Fed { operand: 0, extent: 1 }),
    };
    for other in all.filter(|fed| fed.extent != 1 || stretch == Stretch::Never) {
        if other.extent == base.extent {
            continue;
        }
        if stretch == Stretch::All && base.extent == 1 {
            base = other;
            continue;
        }
        if matches!(stretch, Stretch::Tile(_)) && base.extent.checked_rem(other.extent) == Some(0) {
            continue;
        }
        let one_way = stretch.into().is_some() && base.extent == 1;
        let kind = if one_way { ErrorKind::Direction } else { ErrorKind::Mismatch };
        return Err(Clash { kind, base, other, stretch });
    }
    Ok(base.extent)
}

impl Clash {
    fn error(self, asked: RuleCall, axis: usize) -> Error {
        let (base, other) = (self.base, self.other);
        asked
            .fail(self.kind, move |asked, f| self.write(asked, axis, f))
            .operand_at(other.operand)
            .axis_at(axis)
            .sized(base.extent, other.extent)
    }

    fn write(&self, asked: &RuleCall, axis: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = (self.base.extent, self.other.extent);
        let (a, b) = (asked.name(self.base.operand), asked.name(self.other.operand));
        write!(f, "axis {axis} is {x} in {a} and {y} in {b}; ")?;
        match self.stretch {
            Stretch::All => f.write_str("they must be equal or 1"),
            Stretch::Never => f.write_str("they must be equal"),
            Stretch::Into(_) | Stretch::Tile(_) if x == 1 => write!(f, "{a} may not stretch, so {b} must be 1 there"),
            Stretch::Into(_) => write!(f, "{b} must be {x} or 1 there"),
            Stretch::Tile(_) => write!(f, "{x} must be a multiple of the size of {b} there"),
        }
    }
}
