//! The domain of classical learning.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_LEARNING: &str = "\
ai.onnx.ml.Binarizer@1 | [n=2,4] | threshold=0.5 | [2,4] | [n,4]
ai.onnx.ml.Binarizer@1 | [4] |  | [4]
ai.onnx.ml.Binarizer@1 | [0,4] |  | [0,4]
ai.onnx.ml.Binarizer@1 | f64[2,4] |  | f64[2,4]
ai.onnx.ml.Imputer@1 | [n=2,4] | imputed_value_floats=[0.5] replaced_value_float=1.5 | [2,4] | [n,4]
ai.onnx.ml.Imputer@1 | [2,4] | imputed_value_floats=[0.5,0.5,1.5,2.5] replaced_value_float=1.5 | [2,4]
ai.onnx.ml.Imputer@1 | i64[2,4] | imputed_value_int64s=[1] replaced_value_int64=0 | i64[2,4]
ai.onnx.ml.Imputer@1 | [0,4] | imputed_value_floats=[0.5] | [0,4]
ai.onnx.ml.LabelEncoder@2 | i64[n=2,4] | keys_int64s=[0,1] values_floats=[0.5,1.5] | [2,4] | ?[n,4]
ai.onnx.ml.LabelEncoder@2 | i64[] | keys_int64s=[0,1] values_floats=[0.5,1.5] | [] | ?[]
ai.onnx.ml.LabelEncoder@2 | string[2] | keys_strings=[a,b] values_int64s=[1,2] | i64[2] | ?[2]
ai.onnx.ml.LabelEncoder@2 | i64[0] | keys_int64s=[0,1] values_strings=[a,b] | string[0] | ?[0]
ai.onnx.ml.Normalizer@1 | [n=2,4] |  | [2,4] | [n,4]
ai.onnx.ml.Normalizer@1 | i64[2,4] | norm=L2 | [2,4]
ai.onnx.ml.Normalizer@1 | [4] | norm=L1 | [4]
ai.onnx.ml.Normalizer@1 | f64[2,4] |  | [2,4]
ai.onnx.ml.Scaler@1 | [n=2,4] | offset=[0.5] scale=[2.0] | [2,4] | [n,4]
ai.onnx.ml.Scaler@1 | i64[2,4] | offset=[0.5,0.5,0.5,0.5] scale=[2.0,2.0,2.0,2.0] | [2,4]
ai.onnx.ml.Scaler@1 | f64[3] | offset=[0.5] scale=[2.0] | [3]
ai.onnx.ml.Scaler@1 | [0,4] | offset=[0.5] scale=[2.0] | [0,4]
";
