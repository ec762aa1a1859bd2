//! ONNX Runtime with its execution provider for WebGPU, asked on `SwiftShader`, Vulkan on the CPU.
//!
//! Not asked: other adapters, and float16.

use broadaxe_kernels::{OpId, id};
use broadaxe_shape::{Shape, SymbolicShape};

use super::{Asked, Evidence, Law, PLAIN, Profile, Route, Way, When};
use crate::meaning::Kind;

const WEBGPU_RUN: Evidence =
    Evidence::run_here("ONNX Runtime WebGPU 1.27.0; SwiftShader, recorded answers, and those of 1.25.0");
const WEBGPU_ASKED: Evidence = Evidence::run_here("ONNX Runtime WebGPU 1.27.0; SwiftShader; conformance, asked");
const KERNELS: Evidence = Evidence::run_here(
    "ONNX Runtime WebGPU 1.27.0; SwiftShader, recorded answers with session.disable_cpu_ep_fallback",
);
const WEBGPU_SOURCE: Evidence =
    Evidence::documented("ONNX Runtime, core/providers/webgpu/math/binary_elementwise_ops.cc");

/// The operators of two operands that were asked.
const KERNEL_OPERATORS: &[OpId] =
    &[id("add"), id("sub"), id("mul"), id("div"), id("pow"), id("equal"), id("less"), id("greater"), id("logical_and")];

/// The operators that its source lists too.
const LISTED_OPERATORS: &[OpId] = &[id("greater_equal"), id("less_equal")];

/// Operators without a kernel, and those of several operands.
const WITHOUT_KERNEL: &[OpId] = &[id("logical_or"), id("logical_xor"), id("fmod"), id("mod_floor")];
const MANY_WITHOUT_KERNEL: &[OpId] = &[id("max"), id("min"), id("sum"), id("mean")];

/// How many elements its kernels read at once.
const VECTOR: usize = 4;

const NO_KERNEL: &str = "has no kernel for it: ONNX Runtime computes the node on the CPU, or refuses the model where \
     session.disable_cpu_ep_fallback is set";
const NO_OLD_KERNEL: &str = "has no kernel for it before opset 7: ONNX Runtime computes the node on the CPU, or refuses the \
     model where session.disable_cpu_ep_fallback is set";

pub(super) static ORT_WEBGPU: Profile = Profile {
    name: "ort-webgpu",
    summary: "ONNX Runtime with WebGPU (asked on SwiftShader)",
    aliases: &["onnxruntime-webgpu"],
    route: Route::new(&["onnx"], Evidence::run_here("ONNX Runtime")),
    laws: &[
        Law {
            kinds: &[Kind::Binary, Kind::Slope],
            when: &[When::Opset6],
            way: Way::Unsupported,
            text: NO_OLD_KERNEL,
            evidence: KERNELS,
        },
        Law { kinds: &[Kind::Slope], when: &[], way: Way::Unsupported, text: NO_KERNEL, evidence: KERNELS },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[When::Operator(WITHOUT_KERNEL)],
            way: Way::Unsupported,
            text: NO_KERNEL,
            evidence: KERNELS,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[When::Operator(MANY_WITHOUT_KERNEL)],
            way: Way::Unsupported,
            text: NO_KERNEL,
            evidence: KERNELS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Not(&When::Operator(&[id("pow")])), When::Holds(invalid_dimension)],
            way: Way::Refused,
            text: "stops with \"Invalid dimension\" where it reads a repeated operand in fours that its last axis is no \
                   multiple of",
            evidence: WEBGPU_RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(&[id("pow")]), When::Holds(power)],
            way: Way::Refused,
            text: "cannot compile the shader of Pow that computes in fours and reads an operand with a last axis of 1",
            evidence: WEBGPU_ASKED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(KERNEL_OPERATORS)],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: WEBGPU_RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(LISTED_OPERATORS)],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: WEBGPU_SOURCE,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: WEBGPU_RUN,
        },
        Law { kinds: &[Kind::Stretch], when: &[], way: Way::Own, text: "repeats the tensor", evidence: WEBGPU_RUN },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: Evidence::documented("ONNX operator schemas"),
        },
    ],
    ..PLAIN
};

/// Finds the operands of which its fast path makes a shape with a dim of -1.
///
/// Ranks differ by 2 or more; the lower one is 2 or more, and its operand has the trailing dims of the other; the axis before those is 1; its
/// last dim is no multiple of 4, and its number of elements is.
fn invalid_dimension(asked: &Asked<'_>) -> Option<bool> {
    let [a, b] = asked.operands else { return Some(false) };
    let (low, high) = if a.rank()? < b.rank()? { (a, b) } else { (b, a) };
    if low.rank()? < 2 || high.rank()? < low.rank()? + 2 || !could_stop(low, high) {
        return Some(false);
    }
    Some(stops(&low.known()?, &high.known()?))
}

fn stops(low: &Shape, high: &Shape) -> bool {
    let lead = high.len() - low.len();
    let last = low.last().copied().unwrap_or(1);
    high[lead..] == low[..] && high[lead - 1] == 1 && last % VECTOR != 0 && low.iter().product::<usize>() % VECTOR == 0
}

/// Says whether some sizes of open dims make the runtime stop.
fn could_stop(low: &SymbolicShape, high: &SymbolicShape) -> bool {
    let (Some(low), Some(high)) = (low.dims(), high.dims()) else { return true };
    let lead = high.len() - low.len();
    let may = |x: Option<usize>, y: Option<usize>| x.is_none() || y.is_none() || x == y;
    low.iter().zip(&high[lead..]).all(|(x, y)| may(x.size(), y.size()))
        && may(high[lead - 1].size(), Some(1))
        && low.last().is_none_or(|last| last.size().is_none_or(|size| size % VECTOR != 0))
}

/// Finds powers with a last axis that is a multiple of 4 in the result and 1 in an operand, which is no single number.
fn power(asked: &Asked<'_>) -> Option<bool> {
    let [a, b] = asked.operands else { return Some(false) };
    let last = |shape: &SymbolicShape| shape.dims().and_then(|dims| dims.last().map(broadaxe_shape::Dim::size));
    if matches!((last(a), last(b)), (Some(Some(x)), Some(Some(y))) if x == y) {
        return Some(false);
    }
    let (a, b) = a.known().zip(b.known())?;
    let last = |shape: &Shape| shape.last().copied().unwrap_or(1);
    let number = |shape: &Shape| shape.len() <= 1 && last(shape) == 1;
    let stretched = last(&a).min(last(&b)) == 1 && last(&a).max(last(&b)) % VECTOR == 0;
    Some(stretched && !number(&a) && !number(&b))
}
