//! Lists the dtypes that ONNX Runtime has no kernel for on the CPU, for operators that broadcast.
//!
//! Asked of 1.31.1: models of one node, for every dtype that the schema of the operator allows, in opsets 7 to 26. The
//! answers are in `dtypes.txt`, which `python -m conformance.laws.dtypes` writes. Operators of f16 run in f32.

use broadaxe_kernels::DType::{self, BF16, Bool, F64, I8, I16, I32, I64, U8, U16, U32, U64};

use super::{Asked, Does};

/// Dtypes that some operators have no kernel for.
struct Gap {
    operators: &'static [&'static str],
    /// The opsets, these included.
    opsets: (i64, i64),
    /// The input whose dtype counts: the first of these that the node has.
    inputs: &'static [usize],
    dtypes: &'static [DType],
}

const NEWEST: i64 = i64::MAX;

const fn gap(
    operators: &'static [&'static str],
    opsets: (i64, i64),
    inputs: &'static [usize],
    dtypes: &'static [DType],
) -> Gap {
    Gap { operators, opsets, inputs, dtypes }
}

/// Operators that compute floats, but not bf16.
const WITHOUT_BF16: &[&str] = &[
    "Add",
    "Div",
    "Equal",
    "Expand",
    "Gemm",
    "Greater",
    "GreaterOrEqual",
    "Less",
    "LessOrEqual",
    "Max",
    "Mean",
    "Min",
    "Mod",
    "Mul",
    "PRelu",
    "Pow",
    "RMSNormalization",
    "Sub",
    "Sum",
];
/// What `PRelu` has no kernel for; in opsets 16 to 18 ONNX Runtime computes it by other operators.
const SLOPES: &[DType] = &[F64, I32, I64, U32];

static GAPS: &[Gap] = &[
    gap(WITHOUT_BF16, (13, NEWEST), &[0], &[BF16]),
    gap(&["Mean"], (7, NEWEST), &[0], &[F64]),
    gap(&["Max", "Min"], (7, 7), &[0], &[F64]),
    gap(&["Max", "Min"], (12, NEWEST), &[0], &[I16, U16]),
    gap(&["Clip"], (11, 11), &[0], &[F64]),
    gap(&["Clip"], (12, NEWEST), &[1, 2], &[I16, U16, BF16]),
    gap(&["Conv", "ConvTranspose", "InstanceNormalization"], (7, 21), &[0], &[F64]),
    gap(&["Conv", "ConvTranspose", "InstanceNormalization"], (22, NEWEST), &[0], &[F64, BF16]),
    gap(&["BatchNormalization"], (14, NEWEST), &[0], &[BF16]),
    gap(&["GroupNormalization"], (18, NEWEST), &[0], &[BF16]),
    gap(&["BitShift"], (11, NEWEST), &[0], &[U16]),
    gap(&["Gemm"], (9, NEWEST), &[0], &[I32, I64, U32, U64]),
    gap(&["PRelu"], (7, 15), &[0], SLOPES),
    gap(&["PRelu"], (19, NEWEST), &[0], SLOPES),
    gap(&["PRelu"], (9, NEWEST), &[0], &[U64]),
    gap(&["Pow"], (12, NEWEST), &[1], &[I8, I16, U8, U16, U32, U64, BF16]),
    gap(&["Where"], (9, NEWEST), &[1], &[Bool, I16, U16, U64, BF16]),
];

impl Gap {
    /// Returns the dtype of a node that there is no kernel for.
    fn dtype(&self, asked: &Asked<'_>) -> Option<DType> {
        let (node, (first, last)) = (asked.node, self.opsets);
        if !self.operators.contains(&node.op.as_str()) || !(first..=last).contains(&node.version) {
            return None;
        }
        let dtype = asked.dtype_of(self.inputs.iter().find_map(|input| node.input(*input))?)?;
        self.dtypes.contains(&dtype).then_some(dtype)
    }
}

/// Finds nodes of a dtype that there is no kernel for.
pub(super) fn missing(asked: &Asked<'_>) -> Option<Does> {
    let dtype = GAPS.iter().find_map(|gap| gap.dtype(asked))?;
    Some(Does::Refused(format!("has no kernel for {dtype} in {}", asked.node.op).into()))
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use crate::testing::gravest;

    /// What ONNX Runtime 1.31.1 did with each operator and dtype: `Max 13-26 | i8 i32 | i16`, those that ran and those
    /// that it refused. The dtype of an exponent follows that of the base.
    const ANSWERS: &str = include_str!("dtypes.txt");

    fn opsets(text: &str) -> RangeInclusive<i64> {
        let (first, last) = text.split_once('-').expect(text);
        first.parse().expect(text)..=last.parse().expect(text)
    }

    /// Writes the model that was asked.
    fn asked(operator: &str, opset: i64, dtypes: &str) -> String {
        let (dtype, second) = dtypes.split_once(',').unwrap_or((dtypes, dtypes));
        let float = dtype.contains('f');
        let x = format!("opset {opset}; x:{dtype}(2,2)");
        let lists = format!("opset {opset}; x:{dtype}(2,2,2); s:{dtype}(2); b:{dtype}(2)");
        match operator {
            "Where" => format!("{x}; c:bool(2,2); y:{dtype}(2,2); z=Where(c,x,y)"),
            "Clip" => format!("{x}; l:{dtype}(); h:{dtype}(); z=Clip(x,l,h)"),
            "Expand" => format!("{x}; s=const:i64(2)=2; z=Expand(x,s)"),
            "Mod" => format!("{x}; y:{dtype}(2,2); z=Mod(x,y) fmod={}", i64::from(float)),
            "BitShift" => format!("{x}; y:{dtype}(2,2); z=BitShift(x,y) direction=LEFT"),
            "Gemm" => format!("{x}; y:{dtype}(2,2); c:{dtype}(2,2); z=Gemm(x,y,c)"),
            "InstanceNormalization" => format!("{lists}; z={operator}(x,s,b)"),
            "GroupNormalization" => format!("{lists}; z={operator}(x,s,b) num_groups=2"),
            "BatchNormalization" => format!("{lists}; m:{dtype}(2); v:{dtype}(2); z={operator}(x,s,b,m,v)"),
            "Conv" | "ConvTranspose" => format!("{lists}; w:{dtype}(2,2,1); z={operator}(x,w,b)"),
            "LayerNormalization" => format!("{x}; s:{dtype}(2); b:{dtype}(2); z={operator}(x,s,b)"),
            "RMSNormalization" => format!("{x}; s:{dtype}(2); z={operator}(x,s)"),
            _ => format!("{x}; y:{second}(2,2); z={operator}(x,y)"),
        }
    }

    #[test]
    fn dtypes_without_kernels_are_refused() {
        let (mut count, mut wrong) = (0, Vec::new());
        for line in ANSWERS.lines().filter(|line| !line.starts_with('#')) {
            let [head, ran, refused] = line.split('|').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let (operator, range) = head.trim().split_once(' ').expect(line);
            let of = |want: &'static str, dtypes: &str| {
                dtypes.split_whitespace().map(|dtype| (want, dtype.to_owned())).collect::<Vec<_>>()
            };
            for (want, dtype) in of("same", ran).into_iter().chain(of("refused", refused)) {
                for opset in opsets(range) {
                    let text = asked(operator, opset, &dtype);
                    let found = gravest(&text, "onnx");
                    count += 1;
                    if found != want {
                        wrong.push(format!("{text}: {found}, not {want}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
        assert_eq!(count, 5_273);
    }

    #[test]
    fn dtypes_are_those_of_computed_values() {
        for (text, want) in [
            ("x(2); y=Cast(x) to=16; z=Cast(x) to=16; a=Add(y,z); b=Cast(a) to=1", "refused"),
            ("x(2); y=Cast(x) to=5; z=Cast(x) to=5; a=Max(y,z); b=Cast(a) to=1", "refused"),
            ("x(2); y=Cast(x) to=6; z=Cast(x) to=6; a=Max(y,z); b=Cast(a) to=1", "same"),
            ("x:i16(2); y=Clip(x)", "same"),
            ("opset 6; x:f64(2); y:f64(2); z=Max(x,y)", "same"),
            ("x:i16(2); h:i16(); y=Clip(x,_,h)", "refused"),
        ] {
            assert_eq!(gravest(text, "onnx"), want, "{text}");
        }
    }
}
