//! Expressions: Python-like text over arrays, under any rule.
//!
//! The text is parsed once ([`Expr::parse`]) into a flat list of steps, each after the steps it uses, and lowered
//! ([`Expr::lower`]) onto a graph once shapes and dtypes are known. Nothing recurses, so a chain of 100,000 terms is as
//! safe as one of two.
//!
//! Operators have Python's precedence and NumPy 2's dtypes: numbers in the text are weak, `/` is true division, `&`,
//! `|`, `^` and `~` are logical on bool. Operators are called by our own names, by NumPy's (`arctan2`, `maximum`), and by
//! those of frameworks with their attributes: `openvino.Add(a, b, auto_broadcast="pdpd", axis=1)`.
//!
//! | written | means |
//! |---|---|
//! | `a + b`, `- * / // % **`, `== != < <= > >=`, `& \| ^ ~ << >>` | the operator under the expression's rule |
//! | `add(a, b, rule="pdpd", axis=1)` | an operator under a rule of its own |
//! | `where(c, a, b)`, `clip(x, low, high)`, `sum(a, b, c)` | calls; `sum`, `mean`, `max`, `min` of two arrays or more join them element by element; `sum(a, 0)` is an error, because NumPy reads 0 as the axis |
//! | `sum(x, axis=[0, 1], keepdims=True)`, `argmax(x)` | axes of one array folded, all of them without `axis` or with `axis=None`; [`Reduction`](crate::Reduction) lists how |
//! | `cast(x, "f16")` | another dtype |
//! | `broadcast_to(x, [2, 3])`, `broadcast(x, rule="explicit", axes=[1], target=[2, 3])` | another shape |
//! | `a + b  # note`, a backslash at the end of a line | comments and joined lines, as in Python |
//! | `onnx.PRelu(x, slope)`, `ncnn.BinaryOp(a, b, op_type=1)` | a framework's operator under its own rule |

mod fold;
mod lex;
mod names;
mod parse;

mod keywords;
mod reduce;

mod lower;

use broadaxe_shape::Rule;

use broadaxe_frameworks::System;

use crate::{
    array::Array,
    error::Error,
    eval::{Evaluation, Options},
    frameworks::{Arg, Attribute},
    graph::{Graph, Node},
    operand::Operand,
    promote::Literal,
    view::View,
};

/// One step of an expression; its operands are positions in the list of steps.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprStep<'a> {
    /// A number in the text.
    Number(Literal),
    /// An array, by its position in [`Expr::names`].
    Name(usize),
    /// A sign and the operator that computes it on arrays. On numbers alone it is Python's arithmetic.
    Sign(&'static str, &'static str, Vec<usize>),
    /// A call by name, of the framework before the dot.
    Call(Option<System>, &'a str, &'a [usize], &'a [(String, Attribute)]),
}

/// A parsed expression.
///
/// ```
/// use broadaxe::{DType, Expr, Graph, Rule};
/// let expr = Expr::parse("(a - mean) / sqrt(var + 1e-5)")?;
/// assert_eq!(expr.names(), ["a", "mean", "var"]);
///
/// let mut graph = Graph::new();
/// let a = graph.input(DType::F32, &[8, 3, 4])?;
/// let mean = graph.input(DType::F32, &[3, 1])?;
/// let var = graph.input(DType::F32, &[3, 1])?;
/// let root = expr.lower(&mut graph, &[("a", a), ("mean", mean), ("var", var)], &Rule::numpy())?;
/// assert_eq!((graph.dtype(root), graph.shape(root)), (DType::F32, &[8, 3, 4][..]));
/// # Ok::<(), broadaxe::Error>(())
/// ```
#[derive(Debug)]
pub struct Expr {
    parsed: parse::Parsed,
}

impl Expr {
    /// Parses a text of at most 1 MiB, nested at most 10,000 deep.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] and [`ErrorKind::Name`], with the byte position and what would have worked.
    ///
    /// [`ErrorKind::Syntax`]: crate::ErrorKind::Syntax
    /// [`ErrorKind::Name`]: crate::ErrorKind::Name
    pub fn parse(text: &str) -> Result<Self, Error> {
        Ok(Self { parsed: parse::parse(text)? })
    }

    /// Returns the names of the arrays, in order of first use.
    pub fn names(&self) -> &[String] {
        &self.parsed.names
    }

    /// Lists the steps, each after the steps it uses; the last one is the result. For callers that compute by functions of their own.
    ///
    /// ```
    /// use broadaxe::{Expr, expr::ExprStep};
    /// let expr = Expr::parse("a - b")?;
    /// assert_eq!(expr.steps(), [ExprStep::Name(0), ExprStep::Name(1), ExprStep::Sign("-", "sub", vec![0, 1])]);
    /// # Ok::<(), broadaxe::Error>(())
    /// ```
    pub fn steps(&self) -> Vec<ExprStep<'_>> {
        let steps = self.parsed.steps.iter().map(|step| match &step.kind {
            parse::Kind::Number(literal) => ExprStep::Number(*literal),
            parse::Kind::Name(index) => ExprStep::Name(*index),
            parse::Kind::Unary(sign, operand) => ExprStep::Sign(sign, names::of_unary_sign(sign), vec![*operand]),
            parse::Kind::Binary(sign, left, right) => ExprStep::Sign(sign, names::of_sign(sign), vec![*left, *right]),
            parse::Kind::Call(call) => ExprStep::Call(call.system, &call.name, &call.arguments, &call.attributes),
        });
        steps.collect()
    }

    /// Adds this expression to a graph, its names bound to nodes or to numbers; as [`Expr::lower`] otherwise.
    ///
    /// # Errors
    /// As for [`Expr::lower`].
    pub fn lower_args(&self, graph: &mut Graph, names: &[(&str, Arg)], rule: &Rule) -> Result<Node, Error> {
        lower::lower(&self.parsed, graph, names, rule)
    }

    /// Adds this expression to a graph, its names bound to nodes; operators broadcast under `rule` unless they say otherwise.
    ///
    /// A number has every shape: an operator of one array and numbers never broadcasts.
    ///
    /// # Errors
    /// With the byte position of the operator: a name that is bound to nothing, dtypes and shapes that do not go
    /// together, numbers that a dtype does not hold, attributes that an operator does not take.
    pub fn lower(&self, graph: &mut Graph, names: &[(&str, Node)], rule: &Rule) -> Result<Node, Error> {
        let names: Vec<(&str, Arg)> = names.iter().map(|&(name, node)| (name, Arg::Node(node))).collect();
        self.lower_args(graph, &names, rule)
    }

    /// Plans the evaluation over these arrays: shapes, dtypes and the memory budget are checked, nothing is allocated yet.
    ///
    /// Arrays whose names the expression does not use are left alone.
    ///
    /// # Errors
    /// As for [`Expr::lower`] and [`Evaluation::new`].
    pub fn bind<'a>(&self, arrays: &[(&str, View<'a>)], options: Options<'a>) -> Result<Evaluation<'a>, Error> {
        let used = arrays.iter().filter(|(name, _)| self.uses(name));
        self.bind_owned(used.map(|(name, view)| (*name, view.clone().into())).collect(), options)
    }

    /// As [`Expr::bind`], of arrays that may be given away, whose memory [`Evaluation::run_once`] uses for results.
    ///
    /// ```
    /// use broadaxe::{Array, DType, Expr, Options};
    /// let (a, b) = (Array::zeros(DType::F32, [10_000])?, Array::zeros(DType::F32, [1])?);
    /// let place = a.as_bytes().as_ptr();
    /// let expr = Expr::parse("exp(a) + b")?;
    /// let result = expr.bind_owned(vec![("a", a.into()), ("b", (&b).into())], Options::default())?.run_once()?;
    /// assert_eq!(result.as_bytes().as_ptr(), place);
    /// # Ok::<(), broadaxe::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Expr::bind`].
    pub fn bind_owned<'a>(
        &self,
        arrays: Vec<(&str, Operand<'a>)>,
        options: Options<'a>,
    ) -> Result<Evaluation<'a>, Error> {
        let mut graph = Graph::new();
        let (mut nodes, mut operands) = (Vec::new(), Vec::new());
        for (name, operand) in arrays.into_iter().filter(|(name, _)| self.uses(name)) {
            nodes.push((name, graph.input(operand.dtype(), operand.shape())?));
            operands.push(operand);
        }
        let root = self.lower(&mut graph, &nodes, &options.rule)?;
        Evaluation::of(&graph, root, operands, options)
    }

    fn uses(&self, name: &str) -> bool {
        self.names().iter().any(|used| used == name)
    }

    /// Evaluates over these arrays with the default options.
    ///
    /// # Errors
    /// As for [`Expr::bind`] and [`Evaluation::run`].
    ///
    /// ```
    /// use broadaxe::{Array, Expr};
    /// let (a, b) = (Array::from_vec([2, 1], vec![1, 2])?, Array::from_vec([3], vec![10, 20, 30])?);
    /// let sum = Expr::parse("a + b")?.eval(&[("a", a.view()), ("b", b.view())])?;
    /// assert_eq!((sum.shape(), sum.as_slice()), (&[2, 3][..], Some(&[11, 21, 31, 12, 22, 32][..])));
    /// # Ok::<(), broadaxe::Error>(())
    /// ```
    pub fn eval(&self, arrays: &[(&str, View<'_>)]) -> Result<Array, Error> {
        self.bind(arrays, Options::default())?.run()
    }
}

/// Adds an operator to a graph as expressions call it: by its name or one of its [`aliases`], with NumPy's promotion of dtypes.
///
/// ```
/// use broadaxe::{DType, Graph, Rule, expr::operate, frameworks::Arg, promote::Literal};
/// let mut graph = Graph::new();
/// let x = graph.input(DType::I8, &[3])?;
/// let half = operate(&mut graph, "divide", &[Arg::Node(x), Arg::Weak(Literal::Int(2))], &Rule::numpy())?;
/// assert_eq!((graph.dtype(half), graph.shape(half)), (DType::F64, &[3][..]));
/// # Ok::<(), broadaxe::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Name`](crate::ErrorKind::Name) where there is no such operator; as for [`Expr::lower`] otherwise.
pub fn operate(graph: &mut Graph, name: &str, args: &[Arg], rule: &Rule) -> Result<Node, Error> {
    lower::operate(graph, name, args, rule)
}

/// Lists the aliases that expressions accept, each with its operator.
pub fn aliases() -> impl Iterator<Item = (&'static str, &'static str)> {
    names::ALIASES.iter().copied()
}
