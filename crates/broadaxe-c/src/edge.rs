//! The exported functions.
//!
//! A function checks and copies what its pointers refer to, calls the safe modules, and writes the results when nothing can
//! fail any more.

mod memory;

use std::{
    any::Any,
    ffi::c_char,
    fmt::Display,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    ptr,
};

use broadaxe_shape::{Alignment, Params, Rule, Shape};

use self::memory::{Structure, array, bytes, null, structure, text, write};
use crate::{
    last, models,
    rules::{self, Layout},
    status::{
        self, BX_ERROR_BUFFER, BX_ERROR_INDEX, BX_ERROR_INTERNAL, BX_ERROR_PARAMETER, BX_ERROR_RANK, BX_OK, Failure,
    },
    structs::{
        BX_ABI_VERSION, BX_HAS_AXES, BX_HAS_AXIS, BX_HAS_DEFAULT_AXIS, BX_HAS_MODE, BX_HAS_TARGET, BX_MAX_COUNT,
        BX_MAX_RANK, BxAlignment, BxAnswer, BxError, BxReport, BxRule, BxRuleInfo,
    },
};

// SAFETY: repr(C), the size first, then pointers and numbers.
unsafe impl Structure for BxRule {}
// SAFETY: repr(C), the size first, then pointers and numbers.
unsafe impl Structure for BxRuleInfo {}
// SAFETY: repr(C), the size first, then pointers and numbers.
unsafe impl Structure for BxAlignment {}
// SAFETY: repr(C), the size first, then pointers and numbers.
unsafe impl Structure for BxReport {}
// SAFETY: repr(C), the size first, then pointers and numbers.
unsafe impl Structure for BxAnswer {}
// SAFETY: repr(C), the size first, then numbers.
unsafe impl Structure for BxError {}

/// Runs the body of a function, and returns its status; a panic is a status, too.
fn guard(body: impl FnOnce() -> Result<(), Failure>) -> i32 {
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return BX_OK,
        Ok(Err(failure)) => failure,
        Err(panic) => Failure::new(BX_ERROR_INTERNAL, panic_text(panic)),
    };
    let status = failure.status();
    last::set(failure);
    status
}

/// Reads the text of a panic. What it carries is not dropped, since that may panic again.
fn panic_text(panic: Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    mem::forget(panic);
    format!("bug in Broadaxe: {}", text.unwrap_or_default())
}

fn check_count(count: usize, what: impl Display) -> Result<(), Failure> {
    let text = || format!("{count} {what} are more than {BX_MAX_COUNT}");
    if count > BX_MAX_COUNT { Err(Failure::new(BX_ERROR_INDEX, text())) } else { Ok(()) }
}

fn check_rank(rank: usize, what: impl Display) -> Result<(), Failure> {
    let text = || format!("{what} has rank {rank}; the largest rank is {BX_MAX_RANK}");
    if rank > BX_MAX_RANK { Err(Failure::new(BX_ERROR_RANK, text())) } else { Ok(()) }
}

/// Returns the version of the interface that the library implements: `BX_ABI_VERSION` of its header.
#[unsafe(no_mangle)]
pub extern "C" fn bx_abi_version() -> u32 {
    BX_ABI_VERSION
}

/// Returns the version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn bx_version() -> *const c_char {
    rules::version().as_ptr()
}

/// Describes a status in a few words. The text is static; it is "unknown status" for other numbers.
#[unsafe(no_mangle)]
pub extern "C" fn bx_strerror(status: i32) -> *const c_char {
    status::describe(status).as_ptr()
}

/// Writes a sentence about the last failure on this thread; it names the operand, the axis and the sizes.
///
/// Returns the number of bytes of the whole sentence with its 0. A smaller buffer gets the start of it. `buffer` may be null.
///
/// # Safety
/// `buffer` is null or has `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bx_last_error(buffer: *mut c_char, capacity: usize) -> usize {
    let text = catch_unwind(|| last::read(ToString::to_string)).ok().flatten().unwrap_or_default();
    let text = text.replace('\0', "\u{fffd}");
    if let Some(most) = capacity.checked_sub(1) {
        let end = text.floor_char_boundary(most);
        // SAFETY: the buffer is null or has `capacity` bytes, and `end` and the 0 are at most as many.
        unsafe { write(buffer.cast(), &[&text.as_bytes()[..end], b"\0"].concat()) };
    }
    text.len() + 1
}

/// Writes where the last failure on this thread was.
///
/// # Safety
/// `out` is null or points to a structure that starts with its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bx_error_info(out: *mut BxError) -> i32 {
    guard(|| {
        // SAFETY: the caller promises a structure that starts with its size.
        let struct_size = unsafe { structure(out, "out") }?.struct_size;
        let number = |value: Option<usize>| value.and_then(|value| isize::try_from(value).ok()).unwrap_or(-1);
        let none = BxError { struct_size, operand: -1, axis: -1, sizes: [-1; 2], status: BX_OK };
        let of = |failure: &Failure| match failure {
            Failure::Shape(error) => {
                let sizes = [error.sizes().map(|sizes| sizes.0), error.sizes().map(|sizes| sizes.1)].map(number);
                let (operand, axis) = (number(error.operand()), number(error.axis()));
                BxError { struct_size, operand, axis, sizes, status: failure.status() }
            }
            _ => BxError { status: failure.status(), ..none },
        };
        let error = last::read(of).unwrap_or(none);
        // SAFETY: `out` points to a structure of at least this size, which was checked above.
        unsafe { write(out, &[error]) };
        Ok(())
    })
}

/// Returns the number of rules.
#[unsafe(no_mangle)]
pub extern "C" fn bx_rule_count() -> usize {
    broadaxe_shape::RULES.len()
}

/// Describes the rule with this index. The order of rules may change with the version of the library; names do not.
///
/// # Safety
/// `out` is null or points to a structure that starts with its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bx_rule_describe(index: usize, out: *mut BxRuleInfo) -> i32 {
    guard(|| {
        // SAFETY: the caller promises a structure that starts with its size.
        let struct_size = unsafe { structure(out, "out") }?.struct_size;
        let (texts, rule) = rules::describe(index)?;
        let (has_axis, default) = rules::axis(rule);
        let flag = |has: bool, flag: u32| if has { flag } else { 0 };
        let info = BxRuleInfo {
            struct_size,
            name: texts.name.as_ptr(),
            summary: texts.summary.as_ptr(),
            source: texts.source.as_ptr(),
            min_operands: rule.operands.0,
            max_operands: rule.operands.1,
            default_axis: default.unwrap_or(0),
            parameters: flag(has_axis, BX_HAS_AXIS)
                | flag(rule.axes, BX_HAS_AXES)
                | flag(rule.target, BX_HAS_TARGET)
                | flag(!rule.modes.is_empty(), BX_HAS_MODE)
                | flag(default.is_some(), BX_HAS_DEFAULT_AXIS),
        };
        // SAFETY: `out` points to a structure of at least this size, which was checked above.
        unsafe { write(out, &[info]) };
        Ok(())
    })
}

/// Writes the index of the rule with this name, or with this other name.
///
/// # Safety
/// `name` is null or a string; `index` is null or points to a `size_t`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bx_rule_find(name: *const c_char, index: *mut usize) -> i32 {
    guard(|| {
        // SAFETY: the caller promises a string or null.
        let found = rules::find(unsafe { text(name, "name") }?)?;
        if index.is_null() {
            return Err(null("index"));
        }
        // SAFETY: `index` points to a size_t, as the caller promises.
        unsafe { write(index, &[found]) };
        Ok(())
    })
}

/// Writes the shape of the result of a broadcast.
///
/// `dims[k]` has `ranks[k]` dims, slowest axis first. The rank of the result is written to `rank`, and its dims to `out`, which
/// has room for `capacity` dims; `out` may be null. If it has too little room, only the rank is written, and the status is
/// `BX_ERROR_BUFFER`.
///
/// # Safety
/// `rule`, its fields, `dims` and `ranks` point to what they describe, or are null; so do `out` and `rank`, to writable memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bx_broadcast_shape(
    rule: *const BxRule,
    dims: *const *const usize,
    ranks: *const usize,
    count: usize,
    out: *mut usize,
    capacity: usize,
    rank: *mut usize,
) -> i32 {
    guard(|| {
        // SAFETY: the caller promises a rule and `count` shapes, or null.
        let aligned = unsafe { aligned(rule, dims, ranks, count) }?;
        let shape = aligned.shape().dims();
        if rank.is_null() {
            return Err(null("rank"));
        }
        // SAFETY: `rank` points to a size_t, as the caller promises.
        unsafe { write(rank, &[shape.len()]) };
        if !out.is_null() {
            check_room(shape.len(), capacity)?;
        }
        // SAFETY: `out` is null or has room for `capacity` dims, which are enough.
        unsafe { write(out, shape) };
        Ok(())
    })
}

/// Aligns operands: writes the shape of the result and, for each operand, the axes that feed it and strides.
///
/// The operands are given as in `bx_broadcast_shape`. With `BX_ERROR_BUFFER`, only the rank is written. With another error, nothing
/// is. If strides are asked for and an operand is tiled (rule `ggml`), the error is `BX_ERROR_PARAMETER`.
///
/// # Safety
/// `rule`, its fields, `dims`, `ranks` and `out` point to what they describe, or are null. The buffers in `out` are null or have
/// `capacity` entries (`dims`), or `count` times as many (`feeds`, `strides`); `item_sizes` and `own_strides` are null or have
/// `count` entries, and `own_strides[k]` is null or has `ranks[k]`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bx_align(
    rule: *const BxRule,
    dims: *const *const usize,
    ranks: *const usize,
    count: usize,
    out: *mut BxAlignment,
) -> i32 {
    guard(|| {
        // SAFETY: the caller promises a structure that starts with its size.
        let buffers = unsafe { structure(out, "out") }?;
        // SAFETY: the caller promises a rule and `count` shapes, or null.
        let aligned = unsafe { aligned(rule, dims, ranks, count) }?;
        let rank = aligned.shape().len();
        let mut rows = Vec::with_capacity(count);
        for k in 0..count {
            // SAFETY: `k` is an operand, and the caller promises what the fields of `out` describe.
            let layout = unsafe { layout(&buffers, k, aligned.operands()[k].shape().len()) };
            let strides = if buffers.strides.is_null() { Vec::new() } else { rules::strides(&aligned, k, &layout)? };
            let feeds = if buffers.feeds.is_null() { Vec::new() } else { rules::feeds(&aligned, k) };
            rows.push((feeds, strides));
        }
        // SAFETY: `out` points to a structure with this field, as was checked above.
        unsafe { write(&raw mut (*out).rank, &[rank]) };
        if !(buffers.dims.is_null() && buffers.feeds.is_null() && buffers.strides.is_null()) {
            check_room(rank, buffers.capacity)?;
        }
        let row = |k: usize| k * buffers.capacity;
        // SAFETY: each buffer is null or has `capacity` entries, or as many for each operand, and `rank` is at most that.
        unsafe {
            write(buffers.dims, aligned.shape().dims());
            for (k, (feeds, strides)) in rows.iter().enumerate() {
                write(at(buffers.feeds, row(k)), feeds);
                write(at(buffers.strides, row(k)), strides);
            }
        }
        Ok(())
    })
}

/// Returns the name of the target with this index; null behind the last. The text is static.
#[unsafe(no_mangle)]
pub extern "C" fn bx_target_name(index: usize) -> *const c_char {
    let name = catch_unwind(|| models::targets().get(index)).ok().flatten();
    name.map_or(ptr::null(), |name| name.as_ptr())
}

/// Checks what a model file means on other runtimes.
///
/// `targets` has the names of the runtimes, such as "openvino" or "rank<=4". The number of findings is written to `out`, and the
/// findings to its buffer. With `BX_ERROR_BUFFER`, only the numbers are written.
///
/// # Safety
/// `path` is null or a string; `targets` is null or has `target_count` strings; `out` is null or points to a structure that
/// starts with its size, and whose buffer is null or has `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bx_check_file(
    path: *const c_char,
    targets: *const *const c_char,
    target_count: usize,
    out: *mut BxReport,
) -> i32 {
    guard(|| {
        // SAFETY: the caller promises a structure that starts with its size.
        let buffer: BxReport = unsafe { structure(out, "out") }?;
        // SAFETY: the caller promises a string or null.
        let path = path_of(unsafe { bytes(path, "path") }?)?;
        check_count(target_count, "targets")?;
        if target_count == 0 {
            return Err(Failure::new(BX_ERROR_INDEX, "no target; bx_target_name lists them"));
        }
        // SAFETY: the caller promises `target_count` pointers or null.
        let targets = unsafe { array(targets, target_count, "targets") }?;
        let name = |(k, &target): (usize, &*const c_char)| {
            // SAFETY: the caller promises a string or null.
            unsafe { text(target, format_args!("targets[{k}]")) }
        };
        let names = targets.iter().enumerate().map(name).collect::<Result<Vec<_>, _>>()?;
        let report = models::check(path, &names)?;
        let needed = report.json.len() + 1;
        // SAFETY: `out` points to a structure with these fields, as was checked above.
        unsafe {
            write(&raw mut (*out).needed, &[needed]);
            write(&raw mut (*out).findings, &[report.findings]);
        }
        if !buffer.json.is_null() {
            check_room(needed, buffer.capacity)?;
        }
        // SAFETY: the buffer is null or has `capacity` bytes, which are enough.
        unsafe { write(buffer.json.cast(), &[report.json.as_bytes(), b"\0"].concat()) };
        Ok(())
    })
}

/// Answers a request in JSON with what the command prints with `--json`.
///
/// A request names itself: `{"request": "check", "models": ["a.onnx"], "targets": ["ncnn"]}`. The others are fix, upgrade, extract,
/// census, sizes, list and diff, and about rules compare, shape and explain; their fields are those of the structures of
/// `broadaxe_session::request`. A check or a fix with `ask` starts engines in processes of their own. With `BX_ERROR_REQUEST`, the answer is `{"error": {"kind": ..., "message": ...}}`, and `fails` is 1.
///
/// # Safety
/// `request` is null or a string; `out` is null or points to a structure that starts with its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bx_request(request: *const c_char, out: *mut BxAnswer) -> i32 {
    guard(|| {
        // SAFETY: the caller promises a structure that starts with its size.
        let struct_size = unsafe { structure(out, "out") }?.struct_size;
        // SAFETY: the caller promises a string or null.
        let request = unsafe { text(request, "request") }?;
        let (answer, failure) = models::request(request);
        let kept = last::keep(answer.json);
        let answer = BxAnswer { struct_size, json: kept.0, length: kept.1, fails: usize::from(answer.fails) };
        // SAFETY: `out` points to a structure of at least this size, which was checked above.
        unsafe { write(out, &[answer]) };
        failure.map_or(Ok(()), |text| Err(Failure::new(status::BX_ERROR_REQUEST, text)))
    })
}

/// Converts a path: any bytes on Unix, UTF-8 elsewhere.
#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Result<&Path, Failure> {
    use std::os::unix::ffi::OsStrExt;
    Ok(Path::new(std::ffi::OsStr::from_bytes(bytes)))
}

/// Converts a path: any bytes on Unix, UTF-8 elsewhere.
#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Result<&Path, Failure> {
    let text = str::from_utf8(bytes);
    text.map(Path::new).map_err(|error| Failure::new(status::BX_ERROR_TEXT, format!("path is not UTF-8: {error}")))
}

fn check_room(needed: usize, capacity: usize) -> Result<(), Failure> {
    let text = || format!("the buffer has room for {capacity} entries, and {needed} are needed");
    if capacity < needed { Err(Failure::new(BX_ERROR_BUFFER, text())) } else { Ok(()) }
}

/// Moves a pointer by this many values, unless it is null.
///
/// # Safety
/// `pointer` is null or points to an array with more than `by` values, or with as many.
unsafe fn at<T>(pointer: *mut T, by: usize) -> *mut T {
    if pointer.is_null() {
        return pointer;
    }
    // SAFETY: the caller promises an array of this length.
    unsafe { pointer.add(by) }
}

/// Reads the rule and the shapes, and aligns them.
///
/// # Safety
/// `rule`, its fields, `dims` and `ranks` point to what they describe, or are null.
unsafe fn aligned(
    rule: *const BxRule,
    dims: *const *const usize,
    ranks: *const usize,
    count: usize,
) -> Result<Alignment, Failure> {
    // SAFETY: the caller promises a rule or null.
    let rule = unsafe { rule_of(rule) }?;
    check_count(count, "operands")?;
    // SAFETY: the caller promises `count` entries in both, or null.
    let (dims, ranks) = unsafe { (array(dims, count, "dims")?, array(ranks, count, "ranks")?) };
    let mut shapes = Vec::with_capacity(count);
    for (k, (&dims, &rank)) in dims.iter().zip(ranks).enumerate() {
        check_rank(rank, format_args!("operand {k}"))?;
        // SAFETY: the caller promises `rank` dims or null, and `rank` was checked.
        shapes.push(unsafe { array(dims, rank, format_args!("dims[{k}]")) }?);
    }
    Ok(rule.align(&shapes)?)
}

/// Reads a rule.
///
/// # Safety
/// `rule` is null or points to a structure whose fields point to what they describe, or are null.
unsafe fn rule_of(rule: *const BxRule) -> Result<Rule, Failure> {
    // SAFETY: the caller promises a structure that starts with its size.
    let rule = unsafe { structure(rule, "rule") }?;
    // SAFETY: the caller promises a string or null.
    let name = unsafe { text(rule.name, "the name of the rule") }?;
    let has = |flag: u32| rule.parameters & flag != 0;
    let wrong = |what: &str| Err(Failure::new(BX_ERROR_PARAMETER, format!("the rule {name}: {what}")));
    if rule.parameters & !(BX_HAS_AXIS | BX_HAS_AXES | BX_HAS_TARGET) != 0 {
        return wrong("parameters has unknown flags");
    }
    // A parameter without its flag would be ignored, and the result would be silently wrong.
    if !has(BX_HAS_AXIS) && rule.axis != 0 {
        return wrong("axis is set; add BX_HAS_AXIS to parameters");
    }
    if !has(BX_HAS_AXES) && (!rule.axes.is_null() || rule.axes_count != 0) {
        return wrong("axes is set; add BX_HAS_AXES to parameters");
    }
    if !has(BX_HAS_TARGET) && (!rule.target.is_null() || rule.target_rank != 0) {
        return wrong("target is set; add BX_HAS_TARGET to parameters");
    }
    check_rank(rule.axes_count, "axes")?;
    check_rank(rule.target_rank, "target")?;
    // SAFETY: the caller promises what the fields describe, and both counts were checked.
    let (axes, target) =
        unsafe { (array(rule.axes, rule.axes_count, "axes")?, array(rule.target, rule.target_rank, "target")?) };
    let mode = (!rule.mode.is_null()).then(|| {
        // SAFETY: the caller promises a string.
        unsafe { text(rule.mode, "mode") }
    });
    let params = Params {
        axis: has(BX_HAS_AXIS).then_some(rule.axis),
        axes: has(BX_HAS_AXES).then(|| axes.to_vec()),
        target: has(BX_HAS_TARGET).then(|| Shape::from(target)),
        mode: mode.transpose()?.map(str::parse).transpose()?,
    };
    Ok(Rule::new(name, params)?)
}

/// Reads the layout of an operand.
///
/// # Safety
/// The fields of `buffers` are null or have an entry for operand `k`, whose rank is `rank`.
unsafe fn layout(buffers: &BxAlignment, k: usize, rank: usize) -> Layout {
    // SAFETY: the caller promises an entry for this operand in both, and `rank` strides.
    unsafe {
        let own = if buffers.own_strides.is_null() { ptr::null() } else { *buffers.own_strides.add(k) };
        match array(own, rank, "own_strides") {
            Ok(own) if !own.is_empty() => Layout::Strided(own.to_vec()),
            _ if buffers.item_sizes.is_null() => Layout::Contiguous(1),
            _ => Layout::Contiguous(*buffers.item_sizes.add(k)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A panic becomes a status, and its text is that of the last error.
    #[test]
    fn panics_stop_at_the_edge() {
        assert_eq!(guard(|| panic!("at {}", "home")), BX_ERROR_INTERNAL);
        assert_eq!(last::read(ToString::to_string).as_deref(), Some("bug in Broadaxe: at home"));
        assert_eq!(guard(|| Ok(())), BX_OK);
    }
}
