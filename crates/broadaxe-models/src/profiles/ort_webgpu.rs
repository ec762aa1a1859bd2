//! ONNX Runtime with its execution provider for WebGPU, asked on `SwiftShader`, Vulkan on the CPU.
//!
//! Not asked: other adapters, and float16.

use broadaxe_kernels::{OpId, id};
use broadaxe_shape::{Rule, Shape, SymbolicShape};

use super::{Asked, Does, Evidence, Law, PLAIN, Profile, Route, Way, opset6::is_old};
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

pub(super) static ORT_WEBGPU: Profile = Profile {
    name: "ort-webgpu",
    summary: "ONNX Runtime with WebGPU (asked on SwiftShader)",
    aliases: &["onnxruntime-webgpu"],
    route: Route::new(&["onnx"], Evidence::run_here("ONNX Runtime")),
    laws: &[
        Law { kinds: &[], way: Way::Ask(old), text: NO_KERNEL, evidence: KERNELS },
        Law { kinds: &[Kind::Slope], way: Way::Unsupported, text: NO_KERNEL, evidence: KERNELS },
        Law { kinds: &[Kind::Binary, Kind::Many], way: Way::Ask(absent), text: NO_KERNEL, evidence: KERNELS },
        Law {
            kinds: &[Kind::Binary],
            way: Way::Ask(invalid_dimension),
            text: "stops with \"Invalid dimension\" where it reads a repeated operand in fours that its last axis is no \
                   multiple of",
            evidence: WEBGPU_RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            way: Way::Ask(power),
            text: "cannot compile the shader of Pow that computes in fours and reads an operand with a last axis of 1",
            evidence: WEBGPU_ASKED,
        },
        Law {
            kinds: &[Kind::Binary],
            way: Way::Ask(kernels),
            text: "aligns shapes to the right and stretches every operand",
            evidence: WEBGPU_RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            way: Way::Ask(listed),
            text: "aligns shapes to the right and stretches every operand",
            evidence: WEBGPU_SOURCE,
        },
        Law {
            kinds: &[Kind::Select],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: WEBGPU_RUN,
        },
        Law { kinds: &[Kind::Stretch], way: Way::Own, text: "repeats the tensor", evidence: WEBGPU_RUN },
        Law {
            kinds: &[Kind::Unary],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: Evidence::documented("ONNX operator schemas"),
        },
    ],
    ..PLAIN
};

fn old(asked: &Asked<'_>) -> Option<Does> {
    let asked_kinds = matches!(asked.meaning.kind, Kind::Binary | Kind::Slope);
    (is_old(asked) && asked_kinds)
        .then(|| Does::Unsupported(format!("{NO_KERNEL} (opset 7 and later have one)").into()))
}

/// Finds operators without a kernel.
fn absent(asked: &Asked<'_>) -> Option<Does> {
    let op = asked.operator();
    let many = asked.meaning.kind == Kind::Many && MANY_WITHOUT_KERNEL.iter().any(|known| op == Some(*known));
    (many || op.is_some_and(|op| WITHOUT_KERNEL.contains(&op))).then(|| Does::Unsupported(NO_KERNEL.into()))
}

/// Finds the operands of which its fast path makes a shape with a dim of -1.
///
/// Ranks differ by 2 or more; the lower one is 2 or more, and its operand has the trailing dims of the other; the axis before those is 1; its
/// last dim is no multiple of 4, and its number of elements is.
fn invalid_dimension(asked: &Asked<'_>) -> Option<Does> {
    if asked.operator() == Some(id("pow")) {
        return None;
    }
    let [a, b] = asked.operands else { return None };
    let (low, high) = if a.rank()? < b.rank()? { (a, b) } else { (b, a) };
    let (own, rank) = (low.rank()?, high.rank()?);
    if own < 2 || rank < own + 2 {
        return None;
    }
    let text = "stops with \"Invalid dimension\": ranks differ by 2 or more, and it reads the operand of the lower rank in fours";
    let (Some(low), Some(high)) = (low.known(), high.known()) else {
        let may = "may stop with \"Invalid dimension\" where ranks differ by 2 or more, and the sizes are not known";
        return could_stop(low, high).then(|| Does::Unknown(may.into()));
    };
    stops(&low, &high).then(|| Does::Refused(text.into()))
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
fn power(asked: &Asked<'_>) -> Option<Does> {
    if asked.operator() != Some(id("pow")) {
        return None;
    }
    let [a, b] = asked.operands else { return None };
    let text = "cannot compile the shader of Pow that computes in fours and reads an operand with a last axis of 1";
    let known = a.known().zip(b.known());
    let Some((a, b)) = known else {
        let last = |shape: &SymbolicShape| shape.dims().and_then(|dims| dims.last().map(broadaxe_shape::Dim::size));
        let alike = matches!((last(a), last(b)), (Some(Some(x)), Some(Some(y))) if x == y);
        return (!alike).then(|| Does::Unknown(format!("{text}, and the sizes are not known").into()));
    };
    let last = |shape: &Shape| shape.last().copied().unwrap_or(1);
    let number = |shape: &Shape| shape.len() <= 1 && last(shape) == 1;
    let stretched = last(&a).min(last(&b)) == 1 && last(&a).max(last(&b)) % VECTOR == 0;
    (stretched && !number(&a) && !number(&b)).then(|| Does::Refused(text.into()))
}

fn kernels(asked: &Asked<'_>) -> Option<Does> {
    asked.operator().is_some_and(|op| KERNEL_OPERATORS.contains(&op)).then(|| Does::Rule(Rule::numpy()))
}

fn listed(asked: &Asked<'_>) -> Option<Does> {
    asked.operator().is_some_and(|op| LISTED_OPERATORS.contains(&op)).then(|| Does::Rule(Rule::numpy()))
}
