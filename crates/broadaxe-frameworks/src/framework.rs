//! Lists the frameworks whose operators are known.

/// A framework whose operators are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum System {
    /// NumPy.
    Numpy,
    /// ONNX.
    Onnx,
    /// OpenVINO.
    Openvino,
    /// ncnn.
    Ncnn,
    /// pnnx, the converter in front of ncnn: the operators of torch and its expressions.
    Pnnx,
    /// PaddlePaddle.
    Paddle,
    /// TFLite, the format of LiteRT.
    Tflite,
}

impl System {
    /// Lists every framework.
    pub const ALL: [Self; 7] =
        [Self::Numpy, Self::Onnx, Self::Openvino, Self::Ncnn, Self::Pnnx, Self::Paddle, Self::Tflite];

    /// Lists the frameworks whose operators expressions call by name; NumPy's are ours.
    pub const CALLED: [Self; 4] = [Self::Onnx, Self::Openvino, Self::Ncnn, Self::Paddle];

    /// Returns the name by which expressions call the framework: `onnx`, `openvino`, ...
    pub fn name(self) -> &'static str {
        match self {
            Self::Numpy => "numpy",
            Self::Onnx => "onnx",
            Self::Openvino => "openvino",
            Self::Ncnn => "ncnn",
            Self::Pnnx => "pnnx",
            Self::Paddle => "paddle",
            Self::Tflite => "tflite",
        }
    }

    /// Returns the newest opset that is known; `None` for frameworks without opsets.
    pub fn newest_opset(self) -> Option<i64> {
        match self {
            Self::Onnx => Some(28),
            Self::Openvino => Some(17),
            Self::Numpy | Self::Ncnn | Self::Pnnx | Self::Paddle | Self::Tflite => None,
        }
    }
}
