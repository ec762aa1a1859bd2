//! Upgrades operands from before opset 7: `broadcast` and `axis`, and slopes along the channels.

use broadaxe_shape::symbolic::{Dim, SymbolicShape};

use super::{Case, Turn};
use crate::{
    copied::Copied,
    fix::{Form, Want},
    graph::Use,
};

/// Brings the second operand to where `axis` put it.
pub(super) fn broadcast(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    let node = case.model.node(case.id);
    let stretched = case.int("broadcast")?.unwrap_or(0) != 0;
    let axis = case.int("axis")?;
    let (a, b) = (case.shape(0), case.shape(1));
    if stretched {
        if let (Some(a), Some(b)) = (a.dims(), b.dims()) {
            let after = trailing(a, b, axis)?;
            turn.insert(case, b.len(), after);
        } else if axis.is_some() {
            return Err(format!("axis counts from the first operand, and the rank of {} is not known", case.unknown()));
        }
    } else if let Some((a, b)) = differ(&a, &b) {
        return Err(format!("shapes {a} and {b} differ, and the attribute broadcast is not 1; set it"));
    }
    for name in ["broadcast", "axis"] {
        if node.attribute(name).is_some() {
            turn.set(case.id, name, None);
        }
    }
    Ok(())
}

/// Counts the axes of `a` after those that `b` covers; none for one element, which fits anywhere.
fn trailing(a: &[Dim], b: &[Dim], axis: Option<i64>) -> Result<usize, String> {
    let one = b.iter().all(|dim| dim.size() == Some(1));
    let Some(last) = a.len().checked_sub(b.len()) else {
        return Err(format!("the second operand has rank {}, more than {} of the first", b.len(), a.len()));
    };
    if one {
        return Ok(0);
    }
    let start = match axis {
        None => last,
        Some(axis) => usize::try_from(axis).ok().filter(|&axis| axis <= last).ok_or_else(|| {
            format!("the second operand does not fit at axis {axis}; axis must be 0 to {last}, or absent for {last}")
        })?,
    };
    for (k, own) in b.iter().enumerate() {
        let other = &a[start + k];
        let fits = own.size().zip(other.size()).is_none_or(|(own, other)| own == other || own == 1);
        if !fits {
            return Err(format!("axis {} is {other} in the first operand and {own} in the second", start + k));
        }
    }
    Ok(last - start)
}

/// Brings a slope per channel to axis 1.
pub(super) fn slope(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    let (x, slope) = (case.shape(0), case.shape(1));
    let Some(slope) = slope.dims() else { return Err("the rank of the slope is not known".to_string()) };
    if slope.iter().all(|dim| dim.size() == Some(1)) {
        let fits = x.rank().is_none_or(|rank| slope.len() <= rank);
        if !fits {
            turn.wants.push(Want {
                at: Use { node: case.id, input: 1 },
                form: Form::Dims(vec![]),
                copied: Copied::default(),
            });
        }
        return Ok(());
    }
    let Some(x) = x.dims() else { return Err("the slope runs along axis 1 of x, whose rank is not known".to_string()) };
    // Only the axis with the channels may be longer than 1.
    let long: Vec<usize> = (0..slope.len()).filter(|&axis| slope[axis].size() != Some(1)).collect();
    let &[long] = &long[..] else {
        return Err("a slope has one element, or one per channel, and runs along one axis".to_string());
    };
    let channel = usize::from(x.len() > 1);
    let fits = x.get(channel).is_some_and(|dim| dim.size().zip(slope[long].size()).is_none_or(|(x, own)| x == own));
    if !fits {
        let text = format!("a slope of {} elements is neither one nor one per channel", slope[long]);
        return Err(text);
    }
    let after = x.len() - 1 - channel;
    let behind = slope.len() - 1 - long;
    if behind <= after && long <= channel {
        turn.insert(case, slope.len(), after - behind);
        Ok(())
    } else {
        Err(format!("a slope per channel has one axis, not {}", slope.len()))
    }
}

/// Removes `broadcast` of Gemm, whose third operand is aligned at the last axis.
pub(super) fn gemm(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    let stretched = case.int("broadcast")?.unwrap_or(0) != 0;
    if !stretched && case.shape(2).rank().is_some_and(|rank| rank != 2) {
        return Err(format!("C is {}, and the attribute broadcast is not 1; set it", case.shape(2)));
    }
    if case.model.node(case.id).attribute("broadcast").is_some() {
        turn.set(case.id, "broadcast", None);
    }
    Ok(())
}

/// Returns the shapes if they are certainly not the same.
fn differ<'a>(a: &'a SymbolicShape, b: &'a SymbolicShape) -> Option<(&'a SymbolicShape, &'a SymbolicShape)> {
    let (x, y) = (a.dims()?, b.dims()?);
    let apart = |(x, y): (&Dim, &Dim)| x.size().zip(y.size()).is_some_and(|(x, y)| x != y);
    (x.len() != y.len() || x.iter().zip(y).any(apart)).then_some((a, b))
}

impl Turn {
    /// Appends axes of 1 to the second operand, which has this rank.
    fn insert(&mut self, case: &Case<'_>, rank: usize, count: usize) {
        if count > 0 {
            let form = Form::Axes((rank..rank + count).collect());
            self.wants.push(Want { at: Use { node: case.id, input: 1 }, form, copied: Copied::default() });
        }
    }
}

impl Case<'_> {
    /// Returns the shape of an input; of unknown rank if it is left out.
    pub(super) fn shape(&self, input: usize) -> SymbolicShape {
        let value = self.model.node(self.id).input(input);
        let known = value.and_then(|value| self.shapes.of.get(value.0 as usize));
        known.map_or_else(SymbolicShape::unknown_rank, |known| known.shape.clone())
    }

    /// Returns a whole number from an attribute, if the node has it.
    pub(super) fn int(&self, name: &str) -> Result<Option<i64>, String> {
        let attribute = self.model.node(self.id).attribute(name);
        attribute.map(|value| value.int().ok_or_else(|| format!("the attribute {name} is no whole number"))).transpose()
    }

    /// Names the first of the two operands whose rank is not known.
    fn unknown(&self) -> String {
        let node = self.model.node(self.id);
        let open = (0..2).find(|&k| self.shape(k).rank().is_none()).and_then(|k| node.input(k));
        open.map_or_else(|| "an operand".to_string(), |value| self.model.value(value).name.clone())
    }
}
