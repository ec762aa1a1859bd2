//! Rules: describes them, and aligns shapes with strides in any unit.

#![forbid(unsafe_code)]

use std::{
    ffi::{CStr, CString},
    sync::OnceLock,
};

use broadaxe_shape::{Alignment, AxisParam, RULES, RuleDef, contiguous_strides};

use crate::status::{BX_ERROR_INDEX, BX_ERROR_OVERFLOW, BX_ERROR_PARAMETER, Failure};

/// The texts of a rule as C strings.
pub(crate) struct RuleTexts {
    pub(crate) name: CString,
    pub(crate) summary: CString,
    pub(crate) source: CString,
}

/// Returns the texts of all rules, in the order of [`RULES`].
pub(crate) fn texts() -> &'static [RuleTexts] {
    static TEXTS: OnceLock<Vec<RuleTexts>> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let text = |text: &str| CString::new(text).unwrap_or_default();
        let of = |rule: &&'static RuleDef| RuleTexts {
            name: text(rule.name),
            summary: text(rule.summary),
            source: text(rule.source),
        };
        RULES.iter().map(of).collect()
    })
}

/// Finds a rule by its name or one of its aliases.
pub(crate) fn find(name: &str) -> Result<usize, Failure> {
    let named = |rule: &&'static RuleDef| rule.name == name || rule.aliases.contains(&name);
    RULES.iter().position(named).ok_or_else(|| {
        let names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
        Failure::new(BX_ERROR_PARAMETER, format!("unknown rule '{name}'; the rules are {}", names.join(", ")))
    })
}

/// Describes the rule with this index: its texts, its limits on operands, whether `axis` exists, and its default.
pub(crate) fn describe(index: usize) -> Result<(&'static RuleTexts, &'static RuleDef), Failure> {
    let (Some(texts), Some(rule)) = (texts().get(index), RULES.get(index)) else {
        let text = format!("rule {index} does not exist; the number of rules is {}", RULES.len());
        return Err(Failure::new(BX_ERROR_INDEX, text));
    };
    Ok((texts, rule))
}

/// Returns whether a rule has the parameter `axis`, and its default, if it has one.
pub(crate) fn axis(rule: &RuleDef) -> (bool, Option<i64>) {
    match rule.axis {
        AxisParam::None => (false, None),
        AxisParam::Default(axis) => (true, Some(axis)),
        _ => (true, None),
    }
}

/// The layout of an operand in memory.
pub(crate) enum Layout {
    /// Contiguous and row-major, with elements of this size.
    Contiguous(usize),
    /// These strides, one per axis.
    Strided(Vec<isize>),
}

/// Returns the axis of operand `k` that feeds each result axis; -1 where none does.
pub(crate) fn feeds(alignment: &Alignment, k: usize) -> Vec<i32> {
    let mut feeds = vec![-1; alignment.shape().len()];
    for (axis, &at) in alignment.operands()[k].axes().iter().enumerate() {
        feeds[at] = axis as i32;
    }
    feeds
}

/// Returns the strides of operand `k` over the result; an alignment that tiles has none.
pub(crate) fn strides(alignment: &Alignment, k: usize, layout: &Layout) -> Result<Vec<isize>, Failure> {
    if alignment.is_tiled() {
        let text = format!(
            "the result {} has no strides: an operand is tiled; ask for the shape {} instead, in which its axes are split",
            alignment.shape(),
            alignment.loop_shape()
        );
        return Err(Failure::new(BX_ERROR_PARAMETER, text));
    }
    let size = match layout {
        Layout::Strided(own) => return Ok(alignment.strides_from(k, own)),
        Layout::Contiguous(size) => *size,
    };
    let dims = alignment.operands()[k].shape().dims();
    let overflow = || {
        let shape = broadaxe_shape::Shape::from(dims);
        let text = format!("operand {k}: {shape} with elements of {size} bytes is more than an address can count");
        Failure::new(BX_ERROR_OVERFLOW, text)
    };
    let unit = isize::try_from(size).map_err(|_| overflow())?;
    let own = contiguous_strides(dims).into_iter().map(|stride| stride.checked_mul(unit).ok_or_else(overflow));
    Ok(alignment.strides_from(k, &own.collect::<Result<Vec<_>, _>>()?))
}

/// Returns the version of the library.
pub(crate) fn version() -> &'static CStr {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    CStr::from_bytes_with_nul(VERSION.as_bytes()).unwrap_or_default()
}
