//! Derives an operator's rule from its attributes.

use broadaxe_shape::{Params, Rule};

use crate::attribute::{Attr, Attributes, Values, attr};

/// Says where an operator's rule comes from.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum RuleBy {
    /// No second operand, or none that broadcasts.
    Alone,
    /// Always this rule. A rule that stretches to a target leaves it empty.
    Fixed(fn() -> Rule),
    /// `broadcast` and `axis` of ONNX before opset 7.
    Legacy,
    /// `broadcast` of ONNX's `Gemm` before opset 7.
    LegacyTerm,
    /// `auto_broadcast` and `axis` of OpenVINO.
    Auto,
    /// `auto_broadcast` and `axis` of OpenVINO's `Select`.
    AutoSelect,
    /// `auto_broadcast` of OpenVINO's `FakeQuantize`.
    AutoQuantize,
    /// `axis` of ONNX's `QuantizeLinear` and `DequantizeLinear`.
    Lists,
    /// `mode` and `axes_mapping` of OpenVINO's `Broadcast`; the target is left empty.
    Stretch,
    /// `axis` of Paddle.
    Paddle,
    /// `mode` and `data_format` of Paddle's `prelu`.
    PaddleSlope,
}

/// The largest rank that `axes_mapping` names axes of.
const MAPPED: usize = broadaxe_shape::MAX_RANK;

impl RuleBy {
    /// Lists the attributes that it reads.
    pub fn attributes(self) -> &'static [Attr] {
        match self {
            Self::Legacy => const { &[attr("broadcast", Values::Flag, "0"), attr("axis", Values::Int, "suffix")] },
            Self::LegacyTerm => const { &[attr("broadcast", Values::Flag, "0")] },
            Self::Auto => {
                const {
                    &[
                        attr("auto_broadcast", Values::Words(&["numpy", "none", "explicit", "pdpd"]), "numpy"),
                        attr("axis", Values::Int, "-1"),
                        attr("auto_broadcast_axis", Values::Int, "-1"),
                    ]
                }
            }
            Self::AutoSelect => {
                const {
                    &[
                        attr("auto_broadcast", Values::Words(&["numpy", "none", "explicit", "pdpd"]), "numpy"),
                        attr("axis", Values::Int, "-1"),
                    ]
                }
            }
            Self::AutoQuantize => const { &[attr("auto_broadcast", Values::Words(&["numpy", "none"]), "numpy")] },
            Self::Lists => const { &[attr("axis", Values::Int, "1")] },
            Self::Paddle => const { &[attr("axis", Values::Int, "-1")] },
            Self::PaddleSlope => {
                const {
                    &[
                        attr("mode", Values::Words(&["all", "channel", "element"]), "all"),
                        attr("data_format", Values::Words(&["NCHW", "NHWC"]), "NCHW"),
                    ]
                }
            }
            Self::Alone | Self::Fixed(_) | Self::Stretch => &[],
        }
    }

    /// Returns the rule that these attributes ask for.
    ///
    /// # Errors
    /// A sentence that names the attribute that is not understood.
    pub fn rule(self, attributes: &dyn Attributes) -> Result<Rule, String> {
        let axis = || attributes.int("axis").or(attributes.int("auto_broadcast_axis"));
        Ok(match self {
            Self::Alone => Rule::numpy(),
            Self::Fixed(rule) => rule(),
            Self::Legacy if attributes.flag("broadcast", false) => Rule::onnx_legacy(attributes.int("axis")),
            Self::LegacyTerm if attributes.flag("broadcast", false) => Rule::unidirectional(),
            Self::Legacy | Self::LegacyTerm => Rule::none(),
            Self::Auto => match mode(attributes)? {
                Mode::Numpy => Rule::numpy(),
                Mode::None => Rule::none(),
                Mode::Pdpd => Rule::pdpd(axis().unwrap_or(attributes.absent_axis())),
            },
            Self::AutoSelect => {
                let select = match mode(attributes)? {
                    Mode::Numpy => Rule::openvino_select("numpy", None),
                    Mode::None => Rule::openvino_select("none", None),
                    Mode::Pdpd => Rule::openvino_select("pdpd", Some(axis().unwrap_or(attributes.absent_axis()))),
                };
                select.map_err(|error| error.to_string())?
            }
            Self::AutoQuantize => match mode(attributes)? {
                Mode::None => Rule::none(),
                Mode::Numpy | Mode::Pdpd => Rule::openvino_fake_quantize(),
            },
            Self::Lists => Rule::axis_lists(attributes.int("axis").unwrap_or(1), true),
            Self::Stretch => stretch(attributes)?,
            Self::Paddle => Rule::paddle(axis().unwrap_or(-1)),
            Self::PaddleSlope => slope(attributes)?,
        })
    }

    /// Describes the rule, or where it comes from, for people; nothing where nothing broadcasts.
    pub fn describe(self) -> Option<&'static str> {
        Some(match self {
            Self::Alone => return None,
            Self::Fixed(rule) => rule().name(),
            Self::Legacy => "none, or onnx-legacy by broadcast=1",
            Self::LegacyTerm => "none, or unidirectional by broadcast=1",
            Self::Auto => "none, numpy or pdpd by auto_broadcast",
            Self::AutoSelect => "openvino-select by auto_broadcast",
            Self::AutoQuantize => "none or openvino-fake-quantize by auto_broadcast",
            Self::Lists => "axis-lists",
            Self::Stretch => "broadcast-to, bidirectional or explicit by mode",
            Self::Paddle => "paddle",
            Self::PaddleSlope => "unidirectional, or pdpd by mode",
        })
    }
}

/// What `auto_broadcast` says.
enum Mode {
    Numpy,
    None,
    Pdpd,
}

/// Reads `auto_broadcast`; OpenVINO ignores case.
fn mode(attributes: &dyn Attributes) -> Result<Mode, String> {
    let Some(text) = attributes.text("auto_broadcast") else { return Ok(Mode::Numpy) };
    match text.to_ascii_lowercase().as_str() {
        "numpy" => Ok(Mode::Numpy),
        "none" | "explicit" => Ok(Mode::None),
        "pdpd" => Ok(Mode::Pdpd),
        _ => Err(format!("auto_broadcast=\"{text}\" must be numpy, none or pdpd")),
    }
}

fn stretch(attributes: &dyn Attributes) -> Result<Rule, String> {
    match attributes.text("mode").as_deref().unwrap_or("numpy") {
        "numpy" => Ok(Rule::broadcast_to([])),
        "bidirectional" => Ok(Rule::bidirectional([])),
        "explicit" => {
            let axes = attributes.ints("axes_mapping");
            let axes = axes.ok_or("mode=\"explicit\" needs axes_mapping as a constant, one target axis per axis")?;
            if axes.len() > MAPPED {
                return Err(format!("axes_mapping has {} entries; a shape has at most {MAPPED} axes", axes.len()));
            }
            let params = Params { axes: Some(axes), target: Some([].into()), ..Params::default() };
            Rule::new("explicit", params).map_err(|error| error.to_string())
        }
        other => Err(format!("mode=\"{other}\" must be numpy, bidirectional or explicit")),
    }
}

/// The slope is one number, one per channel, or one per element of an entry of the batch.
fn slope(attributes: &dyn Attributes) -> Result<Rule, String> {
    let last = attributes.text("data_format").is_some_and(|format| format == "NHWC");
    match attributes.text("mode").as_deref().unwrap_or("all") {
        "channel" if last => Ok(Rule::pdpd(-1)),
        "channel" => Ok(Rule::pdpd(1)),
        "all" | "element" => Ok(Rule::unidirectional()),
        other => Err(format!("mode=\"{other}\" must be all, channel or element")),
    }
}
