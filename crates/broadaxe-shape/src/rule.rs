//! The rules: their type, their list, and their methods.

mod mode;
mod text;

#[cfg(test)]
mod table;

mod none;
mod numpy;
mod pdpd;
mod unidirectional;

mod axis_lists;
mod bidirectional;
mod broadcast_to;
mod explicit;
mod gemm_c;
mod ggml;
mod ncnn;
mod onnx_clip;
mod onnx_legacy;
mod openvino_fake_quantize;
mod openvino_prelu;
mod openvino_select;
mod paddle;
mod tosa;

use alloc::{format, vec::Vec};
use core::fmt;

pub use self::{mode::Mode, ncnn::Reversed};
use crate::{
    align::{self, Alignment, Extents, Known, Placement, RuleCall},
    error::{Data, Error, ErrorKind},
    shape::{MAX_RANK, Shape, elements, too_many_axes},
};

/// Every rule there is. A rule is added by its file and its line here.
pub static RULES: &[&RuleDef] = &[
    &none::NONE,
    &numpy::NUMPY,
    &unidirectional::UNIDIRECTIONAL,
    &onnx_legacy::ONNX_LEGACY,
    &onnx_clip::ONNX_CLIP,
    &pdpd::PDPD,
    &paddle::PADDLE,
    &ncnn::NCNN,
    &bidirectional::BIDIRECTIONAL,
    &broadcast_to::BROADCAST_TO,
    &explicit::EXPLICIT,
    &openvino_select::OPENVINO_SELECT,
    &openvino_prelu::OPENVINO_PRELU,
    &openvino_fake_quantize::OPENVINO_FAKE_QUANTIZE,
    &gemm_c::GEMM_C,
    &axis_lists::AXIS_LISTS,
    &tosa::TOSA,
    &ggml::GGML,
];

/// Describes a rule: its name, its parameters, and where it puts the axes.
pub struct RuleDef {
    /// The name in commands, JSON and errors: `pdpd`.
    pub name: &'static str,
    /// The frameworks and operators that follow the rule, by the names that people know: `OpenVINO PReLU`.
    pub title: &'static str,
    /// Other names that mean the same rule.
    pub aliases: &'static [&'static str],
    /// What the rule does, in one line.
    pub summary: &'static str,
    /// Where the rule is written down.
    pub source: &'static str,
    /// The least and the greatest number of operands.
    pub operands: (usize, usize),
    /// What the rule does with the parameter `axis`.
    pub axis: AxisParam,
    /// Whether the rule has the parameter `axes`.
    pub axes: bool,
    /// Whether the rule has the parameter `target`.
    pub target: bool,
    /// Whether the operands behind the first are lists for it, which only some operators have; [`compare`](crate::compare())
    /// leaves the rule out.
    pub lists: bool,
    /// The values of the parameter `mode`, the default first; empty when there is no such parameter.
    pub modes: &'static [Mode],
    pub(crate) place: fn(&Call<'_>) -> Result<Placement, Error>,
}

impl RuleDef {
    /// Starts a rule without a name and without parameters.
    const fn new(place: fn(&Call<'_>) -> Result<Placement, Error>) -> Self {
        let (name, title, aliases, summary, source): (_, _, &[_], _, _) = ("", "", &[], "", "");
        let (operands, axis, modes) = ((1, usize::MAX), AxisParam::None, &[]);
        Self {
            name,
            title,
            aliases,
            summary,
            source,
            operands,
            axis,
            axes: false,
            target: false,
            lists: false,
            modes,
            place,
        }
    }
}

impl fmt::Debug for RuleDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleDef").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What a rule does with the parameter `axis`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AxisParam {
    /// It has no such parameter.
    None,
    /// It has the parameter, with this default.
    Default(i64),
    /// It has the parameter, and its absence has a meaning of its own.
    Optional,
}

/// Holds the parameters of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Params {
    /// Where the smaller operand's first axis goes.
    pub axis: Option<i64>,
    /// Where each axis of the operand goes.
    pub axes: Option<Vec<i64>>,
    /// The shape to broadcast to.
    pub target: Option<Shape>,
    /// One of the rule's modes.
    pub mode: Option<Mode>,
}

/// The arguments of a rule's `place`: the operands (the target last, if the rule has one) and the parameters.
pub(crate) struct Call<'a> {
    pub(crate) def: &'static RuleDef,
    pub(crate) extents: &'a dyn Extents,
    pub(crate) params: &'a Params,
}

impl Call<'_> {
    /// Returns the axis given, or the rule's default.
    pub(crate) fn axis(&self) -> i64 {
        match (self.params.axis, self.def.axis) {
            (Some(axis), _) | (None, AxisParam::Default(axis)) => axis,
            (None, _) => -1,
        }
    }

    /// Returns the mode given, or the rule's default.
    pub(crate) fn mode(&self) -> Mode {
        self.params.mode.or(self.def.modes.first().copied()).unwrap_or(Mode::Numpy)
    }

    /// Makes an error about this call; `write` continues the sentence after the shapes.
    pub(crate) fn fail(
        &self,
        kind: ErrorKind,
        write: impl Fn(&RuleCall, &mut fmt::Formatter<'_>) -> fmt::Result + Data,
    ) -> Error {
        RuleCall::new(self.def.name, self.extents, self.def.target).fail(kind, write)
    }
}

/// A broadcast rule with its parameters.
///
/// Displays as one line of text, `pdpd axis=1` or `explicit axes=1,2 target=1,50,50,16`, and parses from it. Defaults
/// are filled in, so that equal rules compare equal.
///
/// ```
/// use broadaxe_shape::Rule;
/// let rule = Rule::pdpd(1);
/// let alignment = rule.align(&[&[2, 3, 4, 5], &[3, 4]])?;
/// assert_eq!(alignment.shape().dims(), [2, 3, 4, 5]);
/// assert_eq!(alignment.strides(1), [0, 4, 1, 0]);
/// # Ok::<(), broadaxe_shape::Error>(())
/// ```
#[derive(Clone)]
pub struct Rule {
    def: &'static RuleDef,
    params: Params,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule").field("name", &self.def.name).field("params", &self.params).finish()
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.def.name == other.def.name && self.params == other.params
    }
}

impl Eq for Rule {}

impl Rule {
    /// Makes the rule of this name (or alias) with these parameters.
    ///
    /// # Errors
    /// [`ErrorKind::Parameter`] when there is no such rule, or a parameter is missing, superfluous or not a mode of it.
    pub fn new(name: &str, params: Params) -> Result<Self, Error> {
        let def =
            RULES.iter().copied().find(|def| def.name == name || def.aliases.contains(&name)).ok_or_else(|| {
                let names: Vec<_> = RULES.iter().map(|def| def.name).collect();
                Error::new(ErrorKind::Parameter, format!("unknown rule '{name}'; the rules are {}", names.join(", ")))
            })?;
        let wrong =
            |what: &str| Err(Error::new(ErrorKind::Parameter, format!("the rule {} {what}", def.name)).under(def.name));
        match (&params, def) {
            (Params { axis: Some(_), .. }, RuleDef { axis: AxisParam::None, .. }) => wrong("has no parameter axis"),
            (Params { axes: Some(_), .. }, RuleDef { axes: false, .. }) => wrong("has no parameter axes"),
            (Params { axes: None, .. }, RuleDef { axes: true, .. }) => {
                wrong("needs axes, one result axis per axis of the operand")
            }
            (Params { target: Some(_), .. }, RuleDef { target: false, .. }) => wrong("has no parameter target"),
            (Params { target: None, .. }, RuleDef { target: true, .. }) => wrong("needs a target shape"),
            (Params { mode: Some(mode), .. }, _) if !def.modes.contains(mode) => {
                if def.modes.is_empty() {
                    wrong("has no parameter mode")
                } else {
                    wrong(&format!("has no mode '{mode}'; its modes are {}", mode::list(def.modes)))
                }
            }
            _ => Ok(Self::of(def, params)),
        }
    }

    /// Makes a rule of parameters that are known to suit it, and fills in the defaults, so that equal rules compare equal.
    fn of(def: &'static RuleDef, mut params: Params) -> Self {
        if let (None, AxisParam::Default(axis)) = (params.axis, def.axis) {
            params.axis = Some(axis);
        }
        params.mode = params.mode.or(def.modes.first().copied());
        Self { def, params }
    }

    /// Makes the rule that accepts identical shapes only.
    pub fn none() -> Self {
        Self::of(&none::NONE, Params::default())
    }

    /// Makes the NumPy rule: right-aligned, every operand may stretch.
    pub fn numpy() -> Self {
        Self::of(&numpy::NUMPY, Params::default())
    }

    /// Makes ONNX's unidirectional rule: right-aligned, the first operand may not stretch.
    pub fn unidirectional() -> Self {
        Self::of(&unidirectional::UNIDIRECTIONAL, Params::default())
    }

    /// Makes the rule of ONNX before opset 7; without an axis the second operand's shape is a suffix of the first's.
    pub fn onnx_legacy(axis: Option<i64>) -> Self {
        Self::of(&onnx_legacy::ONNX_LEGACY, Params { axis, ..Params::default() })
    }

    /// Makes OpenVINO's PDPD rule with this axis; -1 aligns to the right.
    pub fn pdpd(axis: i64) -> Self {
        Self::of(&pdpd::PDPD, Params { axis: Some(axis), ..Params::default() })
    }

    /// Makes Paddle's own rule with this axis; -1 aligns to the right.
    pub fn paddle(axis: i64) -> Self {
        Self::of(&paddle::PADDLE, Params { axis: Some(axis), ..Params::default() })
    }

    /// Makes the rule of ncnn's `BinaryOp`, over shapes in row-major order (slowest axis first).
    pub fn ncnn() -> Self {
        Self::of(&ncnn::NCNN, Params::default())
    }

    /// Makes the rule that merges one operand with a target shape (ONNX `Expand`); the result may exceed the target.
    pub fn bidirectional(target: impl Into<Shape>) -> Self {
        Self::of(&bidirectional::BIDIRECTIONAL, Params { target: Some(target.into()), ..Params::default() })
    }

    /// Makes the rule that stretches one operand to exactly this shape (`numpy.broadcast_to`).
    pub fn broadcast_to(target: impl Into<Shape>) -> Self {
        Self::of(&broadcast_to::BROADCAST_TO, Params { target: Some(target.into()), ..Params::default() })
    }

    /// Makes the rule that puts axis `i` of one operand at axis `axes[i]` of a target shape.
    pub fn explicit(axes: impl Into<Vec<i64>>, target: impl Into<Shape>) -> Self {
        let (axes, target) = (Some(axes.into()), Some(target.into()));
        Self::of(&explicit::EXPLICIT, Params { axes, target, ..Params::default() })
    }

    /// Makes the rule of OpenVINO's `Select`, whose operands are condition, then, else.
    ///
    /// # Errors
    /// [`ErrorKind::Parameter`] for a mode other than `numpy`, `none`, `pdpd` and `each`.
    pub fn openvino_select(mode: &str, axis: Option<i64>) -> Result<Self, Error> {
        Self::new(
            openvino_select::OPENVINO_SELECT.name,
            Params { mode: Some(mode.parse()?), axis, ..Params::default() },
        )
    }

    /// Makes the rule of OpenVINO's `PReLU`, whose operands are data and slope.
    pub fn openvino_prelu() -> Self {
        Self::of(&openvino_prelu::OPENVINO_PRELU, Params::default())
    }

    /// Makes the rule of OpenVINO's `FakeQuantize`, whose operands are the data and four limits.
    pub fn openvino_fake_quantize() -> Self {
        Self::of(&openvino_fake_quantize::OPENVINO_FAKE_QUANTIZE, Params::default())
    }

    /// Makes the rule of ONNX `Clip`, whose operands are data and two scalar bounds.
    pub fn onnx_clip() -> Self {
        Self::of(&onnx_clip::ONNX_CLIP, Params::default())
    }

    /// Makes the rule of ONNX `Gemm`'s C, whose operands are the product, (M, N), and C.
    pub fn gemm_c() -> Self {
        Self::of(&gemm_c::GEMM_C, Params::default())
    }

    /// Makes the rule of lists along an axis of the first operand; `repeats` says whether lists of one element repeat.
    pub fn axis_lists(axis: i64, repeats: bool) -> Self {
        let mode = Some(if repeats { Mode::Numpy } else { Mode::None });
        Self::of(&axis_lists::AXIS_LISTS, Params { axis: Some(axis), mode, ..Params::default() })
    }

    /// Makes the rule of lists along an axis of the first operand, of which each repeats alone if it has one element.
    pub fn axis_lists_each(axis: i64) -> Self {
        Self::of(&axis_lists::AXIS_LISTS, Params { axis: Some(axis), mode: Some(Mode::Each), ..Params::default() })
    }

    /// Makes TOSA's rule: equal ranks, and every operand may stretch.
    pub fn tosa() -> Self {
        Self::of(&tosa::TOSA, Params::default())
    }

    /// Makes ggml's rule: the second operand is tiled to the shape of the first.
    pub fn ggml() -> Self {
        Self::of(&ggml::GGML, Params::default())
    }

    /// Returns the rule's name.
    pub fn name(&self) -> &'static str {
        self.def.name
    }

    /// Returns the rule's description.
    pub fn def(&self) -> &'static RuleDef {
        self.def
    }

    /// Returns the rule's parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Aligns operands of these shapes.
    ///
    /// Up to rank 8 and four operands, this allocates nothing where it succeeds.
    ///
    /// # Errors
    /// When the shapes do not broadcast under this rule; the error names operand, axis, both sizes and the rule.
    pub fn align(&self, shapes: &[&[usize]]) -> Result<Alignment, Error> {
        self.check_count(shapes.len())?;
        let known = Known { shapes, target: self.params.target.as_deref() };
        for shape in known.iter() {
            elements(shape).map_err(|e| e.under(self.def.name))?;
        }
        let placement = (self.def.place)(&Call { def: self.def, extents: &known, params: &self.params })?;
        align::merge(self.def.name, &known, placement)
    }

    /// Says which result axis each operand axis feeds, for dims of any type.
    ///
    /// This runs the rule over dims that implement [`Extents`]: a runtime's own, known or symbolic. What the rule leaves to
    /// the caller is the merge of the extents on each result axis, by [`Placement::feeding`] and
    /// [`Stretch`](crate::Stretch). Under a rule with a target, the last operand of `extents` is the target, and the one
    /// in [`Rule::params`] is not read.
    ///
    /// # Errors
    /// When the number of operands, a rank or a parameter does not suit the rule, and [`ErrorKind::Undecided`] when the
    /// placement depends on a dim that `extents` does not know. Extents that do not go together are not noticed.
    ///
    /// ```
    /// use broadaxe_shape::{Error, Extents, Rule, Stretch};
    ///
    /// /// A dim is a number or a name.
    /// #[derive(Clone, Copy, PartialEq, Debug)]
    /// enum Dim {
    ///     Size(usize),
    ///     Name(&'static str),
    /// }
    /// use Dim::{Name, Size};
    ///
    /// struct Operands<'a>(&'a [&'a [Dim]]);
    ///
    /// impl Extents for Operands<'_> {
    ///     fn count(&self) -> usize {
    ///         self.0.len()
    ///     }
    ///     fn rank(&self, k: usize) -> usize {
    ///         self.0[k].len()
    ///     }
    ///     fn is(&self, k: usize, axis: usize, extent: usize) -> Result<bool, Error> {
    ///         match self.0[k][axis] {
    ///             Size(size) => Ok(size == extent),
    ///             Name(name) => Err(Error::undecided(format!("the size of {name} is not known"))),
    ///         }
    ///     }
    ///     fn same(&self, one: (usize, usize), other: (usize, usize)) -> Result<bool, Error> {
    ///         match (self.0[one.0][one.1], self.0[other.0][other.1]) {
    ///             (x, y) if x == y => Ok(true),
    ///             (Size(_), Size(_)) => Ok(false),
    ///             (x, y) => Err(Error::undecided(format!("it is not known whether {x:?} is {y:?}"))),
    ///         }
    ///     }
    ///     fn show(&self, k: usize) -> String {
    ///         format!("{:?}", self.0[k])
    ///     }
    /// }
    ///
    /// let image: &[Dim] = &[Name("batch"), Size(16), Name("h"), Name("w")];
    /// let bias: &[Dim] = &[Size(16)];
    /// let placement = Rule::pdpd(1).place(&Operands(&[image, bias]))?;
    /// assert_eq!(placement.rank(), 4);
    /// assert_eq!(placement.axes(1), [1]);
    /// assert_eq!(placement.stretch(), Stretch::Into(0));
    ///
    /// // ncnn compares the bias with the slowest axis first: here the answer depends on `batch`.
    /// let error = Rule::ncnn().place(&Operands(&[image, bias])).unwrap_err();
    /// assert_eq!(error.to_string(), "it is not known whether Size(16) is Name(\"batch\")");
    /// # Ok::<(), broadaxe_shape::Error>(())
    /// ```
    pub fn place(&self, extents: &dyn Extents) -> Result<Placement, Error> {
        let (def, count) = (self.def, extents.count());
        self.check_count(count.saturating_sub(usize::from(def.target)))?;
        match (0..count).map(|k| extents.rank(k)).find(|&rank| rank > MAX_RANK) {
            Some(rank) => Err(too_many_axes(rank).under(def.name)),
            None => (def.place)(&Call { def, extents, params: &self.params }),
        }
    }

    /// Checks the number of operands, without the target.
    pub(crate) fn check_count(&self, given: usize) -> Result<(), Error> {
        let (name, (least, most)) = (self.def.name, self.def.operands);
        if (least..=most).contains(&given) {
            return Ok(());
        }
        let write = move |f: &mut fmt::Formatter<'_>| {
            write!(f, "the rule {name} needs ")?;
            match (least, most) {
                _ if least == most => write!(f, "{least}")?,
                (_, usize::MAX) => write!(f, "at least {least}")?,
                _ => write!(f, "{least} to {most}")?,
            }
            write!(f, " operand{}, not {given}", if most == 1 { "" } else { "s" })
        };
        Err(Error::later(ErrorKind::Operands, write).under(name))
    }
}
