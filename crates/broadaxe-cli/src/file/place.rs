//! Names an array: a file, or a member of one.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use broadaxe_models::format::FORMATS;

/// Names an array: `a.npy`, `weights.npz:bias`, `model.safetensors:layer.0.weight`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    path: PathBuf,
    key: Option<String>,
}

impl Place {
    /// Reads `FILE` or `FILE:KEY`.
    ///
    /// The key begins after the first `.npz:` or `.safetensors:`, or the like of a model file, so that paths may hold colons and
    /// so may keys. `.npy:` counts too, so that the error can say that there are no keys.
    pub fn new(text: &str) -> Self {
        let lower = text.to_ascii_lowercase();
        let models = FORMATS.iter().flat_map(|format| format.extensions).copied();
        let split = ["npz", "safetensors", "npy", "gz"]
            .into_iter()
            .chain(models)
            .filter_map(|extension| {
                let mark = format!(".{extension}:");
                lower.find(&mark).map(|at| at + mark.len() - 1)
            })
            .min()
            .filter(|_| !Path::new(text).exists());
        match split {
            Some(at) => Self { path: text[..at].into(), key: Some(text[at + 1..].to_owned()) },
            None => Self { path: text.into(), key: None },
        }
    }

    /// Names a file without a key.
    pub fn file(path: &Path) -> Self {
        Self { path: path.to_owned(), key: None }
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the name in the file, where one is given.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.key.as_ref().map_or(Ok(()), |key| write!(f, ":{key}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn splits_at_the_extension() {
        let cases = [
            ("a.npy", "a.npy", None),
            ("a.npz:b", "a.npz", Some("b")),
            ("a.NPZ:b:c", "a.NPZ", Some("b:c")),
            ("c:\\x.npz", "c:\\x.npz", None),
            ("m.safetensors:x.npz:y", "m.safetensors", Some("x.npz:y")),
            ("a.npz:", "a.npz", Some("")),
            ("a:b", "a:b", None),
            ("net.onnx:slope", "net.onnx", Some("slope")),
            ("d/net.onnx.gz:a.npz:b", "d/net.onnx.gz", Some("a.npz:b")),
            ("net.tflite", "net.tflite", None),
        ];
        for (text, path, key) in cases {
            let place = Place::new(text);
            assert_eq!((place.path().to_str(), place.key()), (Some(path), key), "{text}");
            assert_eq!(place.to_string(), text);
        }
    }
}
