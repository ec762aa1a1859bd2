//! Reads the case files, strictly: a line that is not understood is an error with file and line.
//!
//! `cases/README.md` gives the format.

mod line;

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use broadaxe_shape::{Params, Rule, Shape};

/// Says where a case file is not readable, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    file: String,
    line: usize,
    message: String,
}

/// Classes of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file or the folder cannot be read.
    Read,
    /// A line is not of the format.
    Line,
}

impl Error {
    /// Returns the class of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ErrorKind::Read => write!(f, "{}: {}", self.file, self.message),
            ErrorKind::Line => write!(f, "{}:{}: {}", self.file, self.line, self.message),
        }
    }
}

impl std::error::Error for Error {}

/// Holds one case file.
#[derive(Clone, Debug)]
pub struct CaseFile {
    /// The file's name, such as `seeds.case`.
    pub name: String,
    /// Its cases, all of one kind.
    pub cases: Cases,
}

/// The cases of one file.
#[derive(Clone, Debug)]
pub enum Cases {
    /// Shapes and how they align.
    Align(Vec<AlignCase>),
    /// Shapes with ranges or symbols.
    Symbolic(Vec<SymbolicCase>),
    /// One rule said in another's words.
    Rewrite(Vec<RewriteCase>),
    /// Elements.
    Arithmetic(Vec<ArithmeticCase>),
}

impl Cases {
    /// Counts the cases.
    pub fn len(&self) -> usize {
        match self {
            Self::Align(list) => list.len(),
            Self::Symbolic(list) => list.len(),
            Self::Rewrite(list) => list.len(),
            Self::Arithmetic(list) => list.len(),
        }
    }

    /// Says whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Names a rule and its parameters, as a case writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleText {
    /// The rule's name.
    pub name: String,
    /// The parameter `axis`.
    pub axis: Option<i64>,
    /// The parameter `axes`.
    pub axes: Option<Vec<i64>>,
    /// The parameter `target`; it may hold negative numbers, which every rule rejects.
    pub target: Option<Vec<i64>>,
    /// The parameter `mode`.
    pub mode: Option<String>,
}

impl RuleText {
    /// Makes the rule.
    ///
    /// # Errors
    /// With a sentence, when there is no such rule or a parameter is not one of its own.
    pub fn rule(&self) -> Result<Rule, String> {
        let target = match &self.target {
            Some(dims) => {
                let dims: Result<Vec<usize>, _> = dims.iter().map(|&d| usize::try_from(d)).collect();
                Some(Shape::new(dims.map_err(|_| format!("a target of {dims:?} is negative", dims = self.target))?))
            }
            None => None,
        };
        let mode = self.mode.as_deref().map(str::parse).transpose();
        let rule = mode.and_then(|mode| {
            let params = Params { axis: self.axis, axes: self.axes.clone(), target, mode };
            Rule::new(&self.name, params)
        });
        rule.map_err(|e| e.to_string())
    }
}

/// A case of alignment.
#[derive(Clone, Debug)]
pub struct AlignCase {
    /// The case's name.
    pub id: String,
    /// The rule.
    pub rule: RuleText,
    /// The operands' shapes.
    pub shapes: Vec<Vec<usize>>,
    /// The result's shape and each operand's strides; `None` when the rule rejects.
    pub want: Option<Aligned>,
}

/// What an alignment is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aligned {
    /// The result's shape.
    pub shape: Vec<usize>,
    /// The result's shape with the axes split along which an operand is tiled; `None` when none is.
    pub split: Option<Vec<usize>>,
    /// Each operand's strides over the result, split if it is, in elements.
    pub strides: Vec<Vec<isize>>,
}

/// A dim that is known, a range, or a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicDim {
    /// The symbol, if it has one.
    pub name: Option<String>,
    /// The least extent.
    pub low: u64,
    /// The greatest extent; `None` when there is no limit.
    pub high: Option<u64>,
}

/// A shape with such dims; `None` when not even the rank is known.
pub type SymbolicShape = Option<Vec<SymbolicDim>>;

/// A case of alignment with unknown dims.
#[derive(Clone, Debug)]
pub struct SymbolicCase {
    /// The case's name.
    pub id: String,
    /// Whose notion of unknown dims it is: `onnx` or `openvino`.
    pub dims: String,
    /// The rule, its parameter `target` aside.
    pub rule: RuleText,
    /// The parameter `target`.
    pub target: Option<SymbolicShape>,
    /// The operands' shapes.
    pub shapes: Vec<SymbolicShape>,
    /// The result's shape; `None` when the rule rejects.
    pub want: Option<SymbolicShape>,
}

/// A case of one rule said in another's words.
#[derive(Clone, Debug)]
pub struct RewriteCase {
    /// The case's name.
    pub id: String,
    /// The rule as it was.
    pub from: RuleText,
    /// The name of the rule as it shall be.
    pub to: String,
    /// The operands' shapes.
    pub shapes: Vec<Vec<usize>>,
    /// What to do.
    pub how: Rewrite,
    /// The result's shape.
    pub result: Vec<usize>,
}

/// How a rewrite is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// By reshaping the operands to these shapes.
    Reshape(Vec<Vec<usize>>),
    /// By nothing.
    Direct,
    /// By exchanging the operands.
    Swap,
    /// By expanding the first operand.
    Expand,
}

/// A case of element arithmetic; the elements are as they are written.
#[derive(Clone, Debug)]
pub struct ArithmeticCase {
    /// The case's name.
    pub id: String,
    /// The operator.
    pub op: String,
    /// The operands' dtype.
    pub dtype: String,
    /// The operands.
    pub args: Vec<String>,
    /// The answer.
    pub want: WantedText,
}

/// What an operator is to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedText {
    /// This element.
    Exact(String),
    /// This element, within the operator's stated error.
    Near(String),
    /// A refusal of these elements.
    Refused,
    /// A refusal of the dtype.
    Unsupported,
}

/// Returns the folder of the case files of this checkout.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

/// Reads every case file of a folder, in the order of their names.
///
/// # Errors
/// [`ErrorKind::Read`] when the folder or a file cannot be read or a file other than `README.md` is no case file;
/// [`ErrorKind::Line`] when a line is not of the format, a file has no cases, or an id comes twice.
pub fn read_folder(folder: &Path) -> Result<Vec<CaseFile>, Error> {
    let fail = |file: &Path, message: &dyn fmt::Display| Error {
        kind: ErrorKind::Read,
        file: file.display().to_string(),
        line: 0,
        message: message.to_string(),
    };
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| fail(folder, &e))? {
        let path = entry.map_err(|e| fail(folder, &e))?.path();
        match path.extension().and_then(|x| x.to_str()) {
            Some("case") => names.push(path),
            Some("md") => {}
            _ => return Err(fail(&path, &"is no case file")),
        }
    }
    names.sort();
    let mut ids = std::collections::HashSet::new();
    let mut files = Vec::new();
    for path in names {
        let text = fs::read_to_string(&path).map_err(|e| fail(&path, &e))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.push(line::read(name, &text, &mut ids)?);
    }
    Ok(files)
}

/// Reads one case file from its text.
///
/// # Errors
/// [`ErrorKind::Line`] as [`read_folder`].
pub fn read_text(name: &str, text: &str) -> Result<CaseFile, Error> {
    line::read(name.to_owned(), text, &mut std::collections::HashSet::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_it_does_not_understand() {
        let cases: &[(&str, &str)] = &[
            ("", "f:1: no line 'kind' before the end"),
            ("kind align\n", "f:1: the file has no cases"),
            ("kind odd\n", "f:1: 'odd' is no kind of cases"),
            ("x numpy () -> ()\n", "f:1: a case before the line 'kind'"),
            ("kind align\nx numpy (2) (2)\n", "f:2: ' -> ' must be in a case once"),
            ("kind align\nx numpy (2) (2) -> (2) [1]\n", "f:2: 1 strides for 2 operands"),
            ("kind align\nx numpy (2) (2) -> (2) [1] [1,1]\n", "f:2: 2 strides for a result of rank 1"),
            ("kind align\nx numpy (2 -> error\n", "f:2: '(2' is no shape"),
            ("kind align\nx numpy (2,) -> error\n", "f:2: '' is no whole number"),
            ("kind align\nx numpy size=2 (2) -> error\n", "f:2: 'size=2' is no parameter"),
            ("kind align\nx numpy axis=1 axis=2 (2) -> error\n", "f:2: 'axis=2' comes twice"),
            ("kind align\nx numpy (2) -> error\nx numpy (3) -> error\n", "f:3: the id x comes twice"),
            ("kind align\nx numpy (2) -> error trailing\n", "f:2: 'trailing' is one word too many"),
            ("kind rewrite\nx pdpd numpy (2) -> direct gives (2)\n", "f:2: expected 'to', not 'numpy'"),
            ("kind arithmetic\nx add i8 1 2 -> ~\n", "f:2: an empty value"),
            ("kind symbolic\nx numpy dims=onnx (5..2) -> error\n", "f:2: '5..2' is no dim"),
            ("kind symbolic\nx numpy (5) -> error\n", "f:2: no dims=FRAMEWORK"),
        ];
        for (text, want) in cases {
            let got = read_text("f", text).map(|f| f.cases.len()).map_err(|e| e.to_string());
            assert_eq!(got, Err((*want).to_owned()), "{text:?}");
        }
    }

    #[test]
    fn reads_every_kind() {
        let text = "# note\nkind align\n\nx explicit axes=[0] target=(2,-1) (2) -> (2,3) [1,0]  # why\n";
        let Cases::Align(list) = read_text("f", text).unwrap().cases else { panic!("another kind") };
        assert_eq!(list[0].rule.target, Some(vec![2, -1]));
        assert_eq!(list[0].want, Some(Aligned { shape: vec![2, 3], split: None, strides: vec![vec![1, 0]] }));

        let text = "kind symbolic\nx numpy dims=openvino (A:2..,?) (...) (N) -> (1..5)\n";
        let Cases::Symbolic(list) = read_text("f", text).unwrap().cases else { panic!("another kind") };
        let dim = |name: Option<&str>, low, high| SymbolicDim { name: name.map(str::to_owned), low, high };
        let shapes =
            [Some(vec![dim(Some("A"), 2, None), dim(None, 0, None)]), None, Some(vec![dim(Some("N"), 0, None)])];
        assert_eq!(list[0].shapes, shapes);
        assert_eq!(list[0].want, Some(Some(vec![dim(None, 1, Some(5))])));

        let text = "kind rewrite\nx pdpd axis=0 to numpy (2) () -> reshape (2) (1) gives (2)\n";
        let Cases::Rewrite(list) = read_text("f", text).unwrap().cases else { panic!("another kind") };
        assert_eq!(list[0].how, Rewrite::Reshape(vec![vec![2], vec![1]]));

        let text = "kind arithmetic\nx pow f32 2 0.5 -> ~1.4142135\ny div_trunc i8 1 0 -> error\n";
        let Cases::Arithmetic(list) = read_text("f", text).unwrap().cases else { panic!("another kind") };
        assert_eq!(list[0].want, WantedText::Near("1.4142135".into()));
        assert_eq!(list[1].want, WantedText::Refused);
    }
}
