//! Describes changes to a model, independently of its format.

mod lower;
mod names;
mod splice;

use std::{
    fmt,
    io::{self, Write},
};

use crate::{
    error::{Error, ErrorKind},
    graph::{Attribute, Model, NodeId, Use, Uses, ValueId},
    source::Source,
};

pub use crate::source::Piece;

pub(crate) use self::{
    lower::{Constants, Lowered, Place, Primitive, ShapeOp, With, each_of, lower},
    names::Names,
    splice::Splice,
};

/// One change. All changes of a list apply together; ids refer to the model before the changes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edit {
    /// Gives a constant another shape of as many elements, for all its uses.
    ReshapeConstant {
        /// The constant.
        value: ValueId,
        /// The new shape.
        shape: Vec<usize>,
    },
    /// Gives some uses a copy of a constant in another shape.
    CopyConstant {
        /// The constant.
        value: ValueId,
        /// The shape of the copy.
        shape: Vec<usize>,
        /// Who reads the copy.
        uses: Vec<Use>,
    },
    /// Inserts a reshape before an input.
    Reshape {
        /// The input.
        at: Use,
        /// The new shape; -1 once for the extent that follows from the others, 0 for the extent of the same axis.
        shape: Vec<i64>,
    },
    /// Inserts axes of extent 1 before an input.
    Unsqueeze {
        /// The input.
        at: Use,
        /// The new axes, ascending, counted in the result.
        axes: Vec<i64>,
    },
    /// Broadcasts an input to a shape.
    Expand {
        /// The input.
        at: Use,
        /// The shape to broadcast to.
        shape: Vec<i64>,
    },
    /// Exchanges the two inputs of a node, and sets the operator that then computes the same.
    Swap {
        /// The node.
        node: NodeId,
        /// The operator for exchanged inputs: the same for a commutative one.
        op: String,
    },
    /// Sets an attribute, or removes it.
    Attribute {
        /// The node.
        node: NodeId,
        /// The attribute's name.
        name: String,
        /// What it becomes.
        value: Option<Scalar>,
    },
    /// Sets the version of the standard domain.
    Opset(i64),
    /// Replaces a node by others; outputs keep their names.
    Replace {
        /// The node.
        node: NodeId,
        /// The new nodes, in order.
        with: Vec<NewNode>,
    },
    /// Reshapes the result of a node for all its readers.
    ReshapeResult {
        /// The node.
        node: NodeId,
        /// The shape; 0 and -1 as in [`Edit::Reshape`].
        shape: Vec<i64>,
    },
}

impl Edit {
    /// Lists the nodes that the change affects; `uses` are those of the model ([`Model::uses`]).
    pub fn nodes(&self, uses: &Uses) -> Vec<NodeId> {
        match self {
            Self::ReshapeConstant { value, .. } => uses.of(*value).iter().map(|at| at.node).collect(),
            Self::CopyConstant { uses, .. } => uses.iter().map(|at| at.node).collect(),
            Self::Reshape { at, .. } | Self::Unsqueeze { at, .. } | Self::Expand { at, .. } => vec![at.node],
            Self::Swap { node, .. }
            | Self::Attribute { node, .. }
            | Self::Replace { node, .. }
            | Self::ReshapeResult { node, .. } => vec![*node],
            Self::Opset(_) => vec![],
        }
    }
}

/// Returns the bytes of an element with this value, little-endian as in every format.
pub(crate) fn number_bytes(dtype: broadaxe_op::DType, value: f64) -> Vec<u8> {
    let mut bytes = broadaxe_op::Scalar::from_f64(dtype, value).bytes()[..dtype.size()].to_vec();
    if cfg!(target_endian = "big") {
        bytes.reverse();
    }
    bytes
}

/// Makes the error of an impossible change.
pub(crate) fn rejected(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Edit, message)
}

/// Writes whole numbers as a list.
pub(crate) fn list<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// Makes changes one after the other, each with its place in the list, and collects the errors.
///
/// # Errors
/// The first error, which lists all changes that failed.
pub(crate) fn each<'a, T: 'a>(
    edits: impl IntoIterator<Item = (usize, &'a T)>,
    mut make: impl FnMut(usize, &'a T) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut first, mut failed) = (None, Vec::new());
    for (at, edit) in edits {
        if let Err(error) = make(at, edit) {
            failed.push((at, error.message().to_string()));
            first.get_or_insert(error);
        }
    }
    first.map_or(Ok(()), |error| Err(error.of_edits(failed)))
}

/// The value of an attribute that a change sets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Scalar {
    /// A whole number.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list of whole numbers.
    Ints(Vec<i64>),
    /// A list of floating-point numbers.
    Floats(Vec<f64>),
}

impl From<Scalar> for Attribute {
    fn from(value: Scalar) -> Self {
        match value {
            Scalar::Int(value) => Self::Int(value),
            Scalar::Float(value) => Self::Float(value),
            Scalar::Text(value) => Self::Text(value),
            Scalar::Ints(values) => Self::Ints(values),
            Scalar::Floats(values) => Self::Floats(values),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Text(value) => f.write_str(value),
            Self::Ints(values) => write!(f, "{values:?}"),
            Self::Floats(values) => write!(f, "{values:?}"),
        }
    }
}

/// A node that a change adds.
#[derive(Clone, Debug, PartialEq)]
pub struct NewNode {
    /// The operator, in the names of the model's format.
    pub op: String,
    /// The inputs.
    pub inputs: Vec<Wire>,
    /// The output.
    pub output: Wire,
    /// Attributes.
    pub attributes: Vec<(String, Scalar)>,
}

/// An input or output of a new node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Wire {
    /// A value of the model.
    Old(ValueId),
    /// A value between new nodes; the format makes its name unique in the file.
    New(String),
    /// A new constant of 64-bit integers, such as a shape.
    Ints(Vec<i64>),
    /// A new constant with one element, of the dtype of the node's first input.
    Number(f64),
}

/// A changed model: the files to write.
#[derive(Clone, Debug)]
pub struct Written {
    /// The files, the model first. Each other file has the model's name and another extension: `bin` for `xml`.
    pub files: Vec<File>,
}

/// A file to write, as pieces: bytes that are kept of a file of the model, which are not copied, and new ones.
#[derive(Clone, Debug)]
pub struct File {
    /// The extension, empty for the model itself.
    pub extension: &'static str,
    /// The bytes, in order; those that are kept are of [`File::source`].
    pub pieces: Vec<Piece>,
}

/// The most bytes of the model that are in memory at once while they are copied.
const CHUNK: u64 = 1 << 20;

impl File {
    /// Returns the source that bytes are kept of: the model's file, or for a second file its weights, where it has some.
    pub fn source<'a>(&self, model: &'a Model) -> Option<&'a Source> {
        if self.extension.is_empty() { Some(&model.source) } else { model.weights.as_ref() }
    }

    /// Lists the pieces with positions in the file that was opened. They differ from [`File::pieces`] where the model was changed
    /// before without being written, as by an upgrade before a fix. A host can so put the file together without reading what is kept.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] where the model's file ends before a piece does.
    ///
    /// ```
    /// use broadaxe_format::{Source, edit::Piece, read, write};
    /// let text = b"7767517\n1 1\nInput in 0 1 x 0=4\n";
    /// let model = read(&Source::memory(text.to_vec(), None))?;
    /// let pieces = write(&model, &[])?.files[0].original_pieces(&model)?;
    /// assert_eq!(pieces, [Piece::Kept { at: 0, len: text.len() as u64 }]);
    /// # Ok::<(), broadaxe_format::Error>(())
    /// ```
    pub fn original_pieces(&self, model: &Model) -> Result<Vec<Piece>, Error> {
        match self.source(model) {
            Some(source) => source.original(&self.pieces),
            None => Ok(self.pieces.clone()),
        }
    }

    /// Writes the bytes of the file: those copied from the model, and the new ones.
    ///
    /// # Errors
    /// Those of reading the model and of writing, and [`io::ErrorKind::Other`] when the model has no weights to copy from.
    ///
    /// ```
    /// use broadaxe_format::{Source, read, write};
    /// let text = b"7767517\n1 1\nInput in 0 1 x 0=4\n";
    /// let model = read(&Source::memory(text.to_vec(), None))?;
    /// let mut bytes = Vec::new();
    /// write(&model, &[])?.files[0].write(&model, &mut bytes)?;
    /// assert_eq!(bytes, text);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(&self, model: &Model, to: &mut dyn Write) -> io::Result<()> {
        let source = self.source(model);
        for piece in &self.pieces {
            match piece {
                Piece::New(bytes) => to.write_all(bytes)?,
                Piece::Kept { at, len } => {
                    let source =
                        source.ok_or_else(|| io::Error::other("the model has no file of weights to copy from"))?;
                    let (mut at, end) = (*at, at + len);
                    while at < end {
                        let bytes = source.read(at, (end - at).min(CHUNK) as usize).map_err(io::Error::other)?;
                        to.write_all(&bytes)?;
                        at += bytes.len() as u64;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tables;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_is_tried() {
        let mut tried = Vec::new();
        let error = each([(4, &1), (5, &2), (7, &3)], |at, number| {
            tried.push((at, *number));
            if number % 2 == 1 { Err(rejected(format!("{number} is odd"))) } else { Ok(()) }
        });
        assert_eq!(tried, [(4, 1), (5, 2), (7, 3)]);
        let error = error.unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::Edit, "1 is odd".to_owned()));
        assert_eq!(error.edits(), [(4, "1 is odd".to_owned()), (7, "3 is odd".to_owned())]);
        assert!(each([(0, &2)], |_, _| Ok(())).is_ok());
    }

    #[test]
    fn scalars_as_texts_and_attributes() {
        let cases = [
            (Scalar::Int(-1), "-1", "Int(-1)"),
            (Scalar::Float(0.5), "0.5", "Float(0.5)"),
            (Scalar::Text("a b".into()), "a b", "Text(\"a b\")"),
            (Scalar::Ints(vec![1, -2]), "[1, -2]", "Ints([1, -2])"),
            (Scalar::Floats(vec![1.0]), "[1.0]", "Floats([1.0])"),
        ];
        for (scalar, text, attribute) in cases {
            assert_eq!((scalar.to_string(), format!("{:?}", Attribute::from(scalar))), (text.into(), attribute.into()));
        }
    }
}
