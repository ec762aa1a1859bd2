//! The alignment: what every rule answers, and the placement it is made of.
//!
//! A rule decides three things: a *placement* (which result axis each operand axis feeds), a *stretch policy* (which
//! operands may repeat along an axis where they have extent 1) and a few validity limits. The files under `rule/` return
//! a [`Placement`]; the merge of the extents is done here, once, for all of them.

use alloc::{format, string::String, vec, vec::Vec};

use crate::{
    error::{Error, ErrorKind},
    shape::{MAX_RANK, Shape, contiguous_strides, elements},
};

/// Says how operands fit together: the result's shape and, per operand, which of its axes feeds which result axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alignment {
    shape: Shape,
    operands: Vec<Placed>,
}

/// One operand of an [`Alignment`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    dims: Shape,
    axes: Vec<usize>,
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

    /// Returns operand `k`'s strides over the result, in elements, as if it were contiguous and row-major.
    ///
    /// A stride is 0 where the result axis is not fed by the operand, or where the operand or the result has extent 1.
    ///
    /// # Panics
    /// When there is no operand `k`.
    pub fn strides(&self, k: usize) -> Vec<isize> {
        self.strides_from(k, &contiguous_strides(&self.operands[k].dims))
    }

    /// Returns operand `k`'s strides over the result when its own strides are `own` (any unit, any sign).
    ///
    /// # Panics
    /// When there is no operand `k`, or `own` has not one entry per axis of it.
    pub fn strides_from(&self, k: usize, own: &[isize]) -> Vec<isize> {
        let operand = &self.operands[k];
        assert_eq!(own.len(), operand.dims.len(), "one stride per axis");
        let mut strides = vec![0; self.shape.len()];
        for (axis, &at) in operand.axes.iter().enumerate() {
            if operand.dims[axis] != 1 && self.shape[at] != 1 {
                strides[at] = own[axis];
            }
        }
        strides
    }

    /// Says whether operand `k` has the result's shape already, axis by axis.
    ///
    /// # Panics
    /// When there is no operand `k`.
    pub fn is_identity(&self, k: usize) -> bool {
        self.operands[k].dims == self.shape
    }
}

/// Who may repeat along an axis where it has extent 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    /// Every operand.
    All,
    /// Every operand but this one, whose extents are the result's.
    Into(usize),
    /// None: extents are equal.
    Never,
}

/// Where each operand's axes go, before extents are merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The rank of the result.
    pub rank: usize,
    /// Per operand (the target last, under a rule that takes one) the result axis of each of its axes, strictly increasing.
    pub axes: Vec<Vec<usize>>,
    /// Who may stretch.
    pub stretch: Stretch,
}

/// Answers the questions a placement may ask about the operands; implemented for known and for symbolic dims.
///
/// Under a rule that takes a target, the target is the last operand.
pub trait Extents {
    /// Counts the operands, the target included.
    fn count(&self) -> usize;
    /// Returns the rank of operand `k`.
    fn rank(&self, k: usize) -> usize;
    /// Says whether axis `axis` of operand `k` has this extent.
    ///
    /// # Errors
    /// [`ErrorKind::Undecided`] when the dim is not known well enough.
    fn is(&self, k: usize, axis: usize, extent: usize) -> Result<bool, Error>;
    /// Says whether two axes, each an operand and an axis of it, have the same extent.
    ///
    /// # Errors
    /// [`ErrorKind::Undecided`] when the dims are not known well enough.
    fn same(&self, one: (usize, usize), other: (usize, usize)) -> Result<bool, Error>;
    /// Writes operand `k`'s shape for an error.
    fn show(&self, k: usize) -> String;
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
        format!("{}", Shape::from(self[k]))
    }
}

/// Names operand `k` in a sentence: `a`, `b`, ..., `z`, `operand 26`.
pub(crate) fn letter(k: usize) -> String {
    match u8::try_from(k) {
        Ok(k) if k < 26 => String::from(char::from(b'a' + k)),
        _ => format!("operand {k}"),
    }
}

/// Begins an error's sentence: `broadcast of a (3, 1) with b (4,) under numpy`.
pub(crate) fn sentence(rule: &str, extents: &(impl Extents + ?Sized), target: bool) -> String {
    let count = extents.count();
    let mut text = String::from("broadcast of ");
    for k in 0..count {
        let to_target = target && k + 1 == count;
        text += if k == 0 {
            ""
        } else if to_target {
            " to "
        } else {
            " with "
        };
        text += &if to_target { String::from("target") } else { letter(k) };
        text += " ";
        text += &extents.show(k);
    }
    text + " under " + rule
}

/// Merges the extents that a placement brings together on each axis.
///
/// `target` says that the last operand is the target: it takes part in the merge and is left out of the alignment.
///
/// # Errors
/// [`ErrorKind::Mismatch`] and [`ErrorKind::Direction`] with axis, operand and both sizes, for the leftmost axis at fault;
/// [`ErrorKind::Overflow`] when the result cannot be counted; [`ErrorKind::Rank`] above [`MAX_RANK`].
pub(crate) fn merge(
    rule: &'static str,
    shapes: &[&[usize]],
    placement: &Placement,
    target: bool,
) -> Result<Alignment, Error> {
    if placement.rank > MAX_RANK {
        let text = format!("the result would have rank {}, above the largest, {MAX_RANK}", placement.rank);
        return Err(Error::new(ErrorKind::Rank, text).under(rule));
    }
    let mut fed: Vec<Vec<Fed>> = vec![Vec::new(); placement.rank];
    for (operand, axes) in placement.axes.iter().enumerate() {
        for (i, &axis) in axes.iter().enumerate() {
            fed[axis].push(Fed { operand, extent: shapes[operand][i] });
        }
    }
    let merged = fed
        .iter()
        .enumerate()
        .map(|(axis, fed)| merge_axis(fed, placement.stretch).map_err(|clash| clash.error(rule, shapes, target, axis)));
    let dims = merged.collect::<Result<Vec<usize>, Error>>()?;
    elements(&dims).map_err(|e| e.under(rule))?;
    let operands = shapes.len() - usize::from(target);
    let placed = (0..operands).map(|k| Placed { dims: shapes[k].into(), axes: placement.axes[k].clone() });
    Ok(Alignment { operands: placed.collect(), shape: dims.into() })
}

/// One operand on one axis of the result.
#[derive(Clone, Copy)]
struct Fed {
    operand: usize,
    extent: usize,
}

/// Two operands whose extents do not go together on one axis.
struct Clash {
    kind: ErrorKind,
    /// The operand whose extent the result has so far.
    base: Fed,
    other: Fed,
    stretch: Stretch,
}

/// Returns the extent of the result on an axis that these operands feed.
fn merge_axis(fed: &[Fed], stretch: Stretch) -> Result<usize, Clash> {
    let mut base = match stretch {
        Stretch::Into(k) => fed.iter().copied().find(|fed| fed.operand == k).unwrap_or(Fed { operand: k, extent: 1 }),
        Stretch::All | Stretch::Never => fed.first().copied().unwrap_or(Fed { operand: 0, extent: 1 }),
    };
    for &other in fed.iter().filter(|fed| fed.extent != 1 || stretch == Stretch::Never) {
        if other.extent == base.extent {
            continue;
        }
        if stretch == Stretch::All && base.extent == 1 {
            base = other;
            continue;
        }
        let one_way = matches!(stretch, Stretch::Into(_)) && base.extent == 1;
        let kind = if one_way { ErrorKind::Direction } else { ErrorKind::Mismatch };
        return Err(Clash { kind, base, other, stretch });
    }
    Ok(base.extent)
}

impl Clash {
    fn error(&self, rule: &'static str, shapes: &[&[usize]], target: bool, axis: usize) -> Error {
        let name = |k: usize| if target && k + 1 == shapes.len() { String::from("target") } else { letter(k) };
        let (a, b, x, y) = (name(self.base.operand), name(self.other.operand), self.base.extent, self.other.extent);
        let hint = match self.stretch {
            Stretch::All => String::from("they must be equal or 1"),
            Stretch::Never => String::from("they must be equal"),
            Stretch::Into(_) if x == 1 => format!("{a} may not stretch, so {b} must be 1 there"),
            Stretch::Into(_) => format!("{b} must be {x} or 1 there"),
        };
        let text = format!("{}: axis {axis} is {x} in {a} and {y} in {b}; {hint}", sentence(rule, &shapes, target));
        Error::new(self.kind, text).under(rule).operand_at(self.other.operand).axis_at(axis).sized(x, y)
    }
}
