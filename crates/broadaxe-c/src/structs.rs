//! The structures that functions read and write.
//!
//! Each starts with its size. A later version may add fields at the end; it treats a smaller structure as one without them.

#![forbid(unsafe_code)]

use std::{
    ffi::c_char,
    mem::{offset_of, size_of},
};

/// The version of the interface. It changes when a program has to be compiled again.
pub const BX_ABI_VERSION: u32 = 1;
/// The largest rank of operands and results.
pub const BX_MAX_RANK: usize = 64;
/// The largest number of operands, and of targets.
pub const BX_MAX_COUNT: usize = 1024;

/// The rule has the parameter axis; in `bx_rule`: the field axis is set.
pub const BX_HAS_AXIS: u32 = 1;
/// The rule needs the parameter axes; in `bx_rule`: the field axes is set.
pub const BX_HAS_AXES: u32 = 2;
/// The rule needs the parameter target; in `bx_rule`: the field target is set.
pub const BX_HAS_TARGET: u32 = 4;
/// The rule has the parameter mode. Only in `bx_rule_info`.
pub const BX_HAS_MODE: u32 = 8;
/// The parameter axis has a default. Only in `bx_rule_info`.
pub const BX_HAS_DEFAULT_AXIS: u32 = 16;

const _: () = assert!(BX_MAX_RANK == broadaxe_shape::MAX_RANK);

/// A rule with its parameters.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BxRule {
    /// The size of this structure.
    pub struct_size: usize,
    /// Which parameters are set: `BX_HAS_AXIS`, `BX_HAS_AXES` and `BX_HAS_TARGET`.
    pub parameters: u32,
    /// The result axis of the smaller operand's first axis; only with `BX_HAS_AXIS`.
    pub axis: i64,
    /// The name of the rule, or another name for it.
    pub name: *const c_char,
    /// The name of a mode; null for the default.
    pub mode: *const c_char,
    /// The result axis of each axis of the operand; only with `BX_HAS_AXES`.
    pub axes: *const i64,
    /// The number of axes.
    pub axes_count: usize,
    /// The shape to broadcast to, slowest axis first; only with `BX_HAS_TARGET`.
    pub target: *const usize,
    /// The rank of the target.
    pub target_rank: usize,
}

/// What is known about a rule. The texts are static.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BxRuleInfo {
    /// The size of this structure.
    pub struct_size: usize,
    /// The parameters of the rule: a combination of `BX_HAS_AXIS` and the other flags.
    pub parameters: u32,
    /// The name.
    pub name: *const c_char,
    /// What the rule does, in one line.
    pub summary: *const c_char,
    /// Where the rule is defined.
    pub source: *const c_char,
    /// The smallest number of operands.
    pub min_operands: usize,
    /// The largest number of operands; `SIZE_MAX` where the rule has no limit.
    pub max_operands: usize,
    /// The default of the parameter axis, with `BX_HAS_DEFAULT_AXIS`.
    pub default_axis: i64,
}

/// The buffers for an alignment. The buffers for feeds and strides have one row of `capacity` entries per operand.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BxAlignment {
    /// The size of this structure.
    pub struct_size: usize,
    /// The number of axes that fit in dims and in each row of feeds and strides.
    pub capacity: usize,
    /// Written: the rank of the result, also with `BX_ERROR_BUFFER`.
    pub rank: usize,
    /// Written, unless null: the dims of the result, slowest axis first.
    pub dims: *mut usize,
    /// Written, unless null: the axis of the operand that feeds each result axis; -1 where none does.
    pub feeds: *mut i32,
    /// Written, unless null: the operand's stride along each result axis; 0 where it repeats.
    pub strides: *mut isize,
    /// Read: the bytes per element of each operand, for strides in bytes. Null: strides are in elements.
    pub item_sizes: *const usize,
    /// Read: the strides of each operand over its own axes, in any unit. Null, or null for one operand: contiguous.
    pub own_strides: *const *const isize,
}

/// The findings of a check.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BxReport {
    /// The size of this structure.
    pub struct_size: usize,
    /// Written, unless null: the findings as JSON, as `broadaxe check --json` prints them, and a 0.
    pub json: *mut c_char,
    /// The number of bytes that fit in json.
    pub capacity: usize,
    /// Written: the number of bytes of the JSON with its 0, also with `BX_ERROR_BUFFER`.
    pub needed: usize,
    /// Written: the number of findings that need attention. 0: the model means the same on all targets, as far as is known.
    pub findings: usize,
}

/// The answer to a request.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BxAnswer {
    /// The size of this structure.
    pub struct_size: usize,
    /// Written: the answer as JSON, and a 0. It stays until the next request on this thread.
    pub json: *const c_char,
    /// Written: the number of bytes of the JSON without its 0.
    pub length: usize,
    /// Written: 1 where the command would end with exit code 1, such as for findings; else 0.
    pub fails: usize,
}

/// Where a call failed. Numbers that do not apply are -1.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BxError {
    /// The size of this structure.
    pub struct_size: usize,
    /// The status; `BX_OK` where no call on this thread has failed.
    pub status: i32,
    /// The operand, counted from 0.
    pub operand: isize,
    /// The axis of the result.
    pub axis: isize,
    /// The two dims that do not match.
    pub sizes: [isize; 2],
}

// No structure has room behind its last field, so a new field always makes it larger.
const _: () = {
    let pointer = size_of::<usize>();
    assert!(size_of::<BxRule>() == offset_of!(BxRule, target_rank) + pointer);
    assert!(size_of::<BxRuleInfo>() == offset_of!(BxRuleInfo, default_axis) + size_of::<i64>());
    assert!(size_of::<BxAlignment>() == offset_of!(BxAlignment, own_strides) + pointer);
    assert!(size_of::<BxReport>() == offset_of!(BxReport, findings) + pointer);
    assert!(size_of::<BxAnswer>() == offset_of!(BxAnswer, fails) + pointer);
    assert!(size_of::<BxError>() == offset_of!(BxError, sizes) + 2 * pointer);
};
