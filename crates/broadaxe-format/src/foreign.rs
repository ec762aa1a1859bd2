//! Names the files of other programs that are given as models, and says how to get a model that can be read.

use std::path::Path;

use crate::{
    error::{Error, ErrorKind},
    source::Source,
};

/// What a file or folder is, and what to do.
const FOREIGN: &[(&[&str], &str)] = &[
    (&["pt", "pth", "pt2", "ckpt"], "a PyTorch file; export the model with torch.onnx.export"),
    (
        &["h5", "hdf5", "keras"],
        "a Keras file; convert the model with tf2onnx, or to .tflite with tf.lite.TFLiteConverter",
    ),
    (&["pb"], "a TensorFlow file; convert the model with tf2onnx, or to .tflite with tf.lite.TFLiteConverter"),
    (
        &["mlmodel", "mlpackage", "mlmodelc"],
        "a Core ML model; check the model that it was converted from, with --for coreml",
    ),
    (&["mnn"], "an MNN model; check the model that it was converted from, with --for mnn"),
    (&["engine", "plan"], "a TensorRT engine; check the model that it was built from, with --for tensorrt"),
    (&["ort"], "an ONNX Runtime file; check the .onnx file that it was made from"),
    (
        &["safetensors", "npz", "npy"],
        "a file of arrays, which 'broadaxe ls' lists; export the model with its graph, for example to .onnx",
    ),
    (&["bin"], "a file of weights; give the .xml or .param file of the model"),
    (&["pdiparams"], "a file of weights; give the .json or .pdmodel file of the model"),
];

/// Says what a file is that cannot be read as a model, and how to get one that can; nothing for names that say nothing.
pub fn foreign(path: &Path) -> Option<String> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let (_, text) = FOREIGN.iter().find(|(extensions, _)| extensions.contains(&extension.as_str()))?;
    Some(format!("this is {text}"))
}

/// Makes the error of a source that is of no format; `known` are the names of the formats.
pub(crate) fn unreadable(source: &Source, known: &[&str]) -> Error {
    let path = source.path();
    let text = if source.is_empty() {
        if path.is_some() { "the file is empty".to_owned() } else { "the model is empty: it has no bytes".to_owned() }
    } else {
        path.and_then(foreign).unwrap_or_else(|| format!("not a model file Broadaxe can read ({})", known.join(", ")))
    };
    Error::new(ErrorKind::Format, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FORMATS, read};

    #[test]
    fn other_files_are_named() {
        let cases: [(&str, &[u8], &str); 10] = [
            ("net.pt", b"PK\x03\x04", "this is a PyTorch file; export the model with torch.onnx.export"),
            ("NET.PTH", b"\x80\x02", "this is a PyTorch file"),
            ("a.h5", b"\x89HDF", "this is a Keras file"),
            ("a.pb", b"text", "this is a TensorFlow file"),
            ("a.safetensors", b"\x10\0\0\0\0\0\0\0{}", "this is a file of arrays"),
            ("a.bin", b"\0\0", "this is a file of weights; give the .xml or .param file"),
            ("a.onnx", b"", "the file is empty"),
            ("a.pt", b"", "the file is empty"),
            ("a.txt", b"text", "not a model file Broadaxe can read (onnx, openvino, ncnn, pnnx, paddle, tflite)"),
            ("a", b"text", "not a model file"),
        ];
        for (name, bytes, want) in cases {
            let error = read(&Source::memory(bytes, Some(name.into()))).unwrap_err().to_string();
            assert!(error.contains(want), "{name}: {error}");
        }
        let error = read(&Source::memory(*b"", None)).unwrap_err().to_string();
        assert!(error.contains("no bytes"), "{error}");
        // A model is read whatever its name is.
        let ncnn = b"7767517\n1 1\nInput data 0 1 data\n";
        assert!(read(&Source::memory(*ncnn, Some("net.pt".into()))).is_ok());
        for format in FORMATS {
            assert!(
                format.extensions.iter().all(|extension| foreign(&Path::new("a").with_extension(extension)).is_none())
            );
        }
    }
}
