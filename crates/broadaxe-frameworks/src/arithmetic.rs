//! Chooses the operators that compute a framework's operator, by dtype and attributes.

use broadaxe_op::{DType, OpId, id};

use crate::attribute::Attributes;

/// What an operator computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arithmetic {
    /// The first operand, unchanged.
    Copy,
    /// One operator. With more operands than its arity, it is applied from the left; for bool, see [`on_bool`].
    Op(OpId),
    /// Operators in turn, each applied to the result before it and to the next operand, if it is binary.
    Steps(&'static [OpId]),
    /// A formula of several operators, which the engine builds.
    Recipe(Recipe),
}

/// Formulas of several operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Recipe {
    /// A power whose operands may have two dtypes.
    Power,
    /// `erf`, of integers through f64.
    Erf,
    /// Stretches to a shape.
    Broadcast,
    /// Converts to the dtype that an attribute names.
    Cast,
    /// Converts to the dtype of the second operand.
    CastLike,
    /// Finds infinities of the given signs.
    IsInf,
    /// Clips between bounds that are operands or attributes and may be left out.
    Clip,
    /// Clips between two attributes.
    Clamp,
    /// Quantizes to levels and back.
    FakeQuantize,
    /// Rounds halves away from zero.
    RoundHalfAway,
    /// `where(x < 0, alpha * expm1(x), x)`.
    Elu,
    /// `relu(x) + min(0, alpha * expm1(x / alpha))`.
    Celu,
    /// `gamma * where(x < 0, alpha * expm1(x), x)`.
    Selu,
    /// `clamp(alpha * x + beta, 0, 1)`.
    HardSigmoid,
    /// `clamp(x + 3, 0, 6) / 6`.
    HSigmoid,
    /// `x / (1 + abs(x))`.
    Softsign,
    /// `x * tanh(softplus(x))`.
    Mish,
    /// `x * sigmoid(alpha * x)`.
    Swish,
    /// `where(x > alpha, x, 0)`.
    ThresholdedRelu,
    /// `where(x < -lambd, x + bias, where(x > lambd, x - bias, 0))`.
    Shrink,
    /// `prelu` with one slope, an attribute.
    LeakyRelu,
    /// `relu`, or `prelu` with one slope, an attribute, that is not 0.
    ReluSlope,
    /// `where(x < 0, alpha * expm1(x / alpha), x)`.
    CeluBranch,
    /// `lambda * where(x < 0, alpha * expm1(x), x)`.
    SeluLambda,
    /// `x * clamp(alpha * x + beta, 0, 1)`.
    HardSwish,
    /// `log(exp(x) + 1)`.
    LogExp,
    /// `relu(x) + log(exp(-abs(x)) + 1)`.
    Bnll,
    /// `where(x > threshold, 1, 0)`.
    Threshold,
    /// `x * scale`, with an attribute.
    Scaled,
    /// `x * scale + bias`, with operands.
    ScaleBias,
    /// A sum of operands, each times its coefficient.
    WeightedSum,
    /// `exp`, or a power of another base, of `shift + x * scale`.
    ExpOf,
    /// `log`, perhaps to another base, of `shift + x * scale`.
    LogOf,
    /// `pow(shift + x * scale, power)`.
    PowerOf,
    /// `round(x / scale) + zero_point`, before it is limited to the dtype of the result.
    QuantizeLinear,
    /// `(x - zero_point) * scale`.
    DequantizeLinear,
    /// The operator without its fused activation, and then `clamp` to the bounds of the activation.
    Fused,
}

impl Recipe {
    // Long: one line per formula.
    /// Returns the formula, for people.
    pub fn formula(self) -> &'static str {
        match self {
            Self::Power => "pow, on integers pow_trunc",
            Self::Erf => "erf, on integers in f64",
            Self::Broadcast => "broadcast",
            Self::Cast | Self::CastLike => "cast",
            Self::IsInf => "isinf, or equal to one infinity",
            Self::Clip | Self::Clamp => "clamp",
            Self::FakeQuantize => {
                "low <= x <= high: round((x - low) / (high - low) * (levels - 1)), scaled to the output's range"
            }
            Self::RoundHalfAway => "round, halves away from zero",
            Self::Elu => "where(x < 0, alpha * expm1(x), x)",
            Self::Celu => "relu(x) + min(0, alpha * expm1(x / alpha))",
            Self::Selu => "gamma * where(x < 0, alpha * expm1(x), x)",
            Self::HardSigmoid => "clamp(alpha * x + beta, 0, 1)",
            Self::HSigmoid => "clamp(x + 3, 0, 6) / 6",
            Self::Softsign => "x / (1 + abs(x))",
            Self::Mish => "x * tanh(softplus(x))",
            Self::Swish => "x * sigmoid(alpha * x)",
            Self::ThresholdedRelu => "where(x > alpha, x, 0)",
            Self::Shrink => "where(x < -lambd, x + bias, where(x > lambd, x - bias, 0)), on integers in f64",
            Self::LeakyRelu => "prelu",
            Self::ReluSlope => "prelu, with a slope of 0 relu",
            Self::CeluBranch => "where(x < 0, alpha * expm1(x / alpha), x)",
            Self::SeluLambda => "lambda * where(x < 0, alpha * expm1(x), x)",
            Self::HardSwish => "x * clamp(alpha * x + beta, 0, 1)",
            Self::LogExp => "log(exp(x) + 1)",
            Self::Bnll => "relu(x) + log(exp(-abs(x)) + 1)",
            Self::Threshold => "where(x > threshold, 1, 0)",
            Self::Scaled => "x * scale",
            Self::ScaleBias => "x * scale + bias",
            Self::WeightedSum => "add, with coeffs of each operand times its coefficient",
            Self::ExpOf => "exp(shift + x * scale), with a base pow(base, shift + x * scale)",
            Self::LogOf => "log(shift + x * scale), with a base log(shift + x * scale) / log(base)",
            Self::PowerOf => "pow(shift + x * scale, power)",
            Self::QuantizeLinear => "round(x / scale) + zero_point",
            Self::DequantizeLinear => "(x - zero_point) * scale",
            Self::Fused => "the operator, then clamp to the bounds of the activation",
        }
    }

    /// Lists the operators that compute it alone, for some dtypes or attributes; the first is that of floats.
    pub fn operators(self) -> &'static [OpId] {
        match self {
            Self::Power => const { &[id("pow"), id("pow_trunc")] },
            Self::Erf => const { &[id("erf")] },
            Self::IsInf => const { &[id("isinf")] },
            Self::Clip | Self::Clamp => const { &[id("clamp")] },
            Self::Swish => const { &[id("silu")] },
            Self::LeakyRelu => const { &[id("prelu")] },
            Self::ReluSlope => const { &[id("relu"), id("prelu")] },
            Self::ScaleBias => const { &[id("mul")] },
            Self::WeightedSum => const { &[id("add")] },
            Self::ExpOf => const { &[id("exp")] },
            Self::LogOf => const { &[id("log")] },
            Self::PowerOf => const { &[id("pow")] },
            _ => &[],
        }
    }
}

impl Arithmetic {
    /// Returns the operator that first combines the broadcast operands, if it is in the table.
    pub fn operator(self) -> Option<OpId> {
        match self {
            Self::Copy => None,
            Self::Op(op) => Some(op),
            Self::Steps(ops) => ops.first().copied(),
            Self::Recipe(recipe) => recipe.operators().first().copied(),
        }
    }

    /// Says whether the result is bool for every dtype of the operands.
    pub fn is_truth(self) -> bool {
        let truth = |op: OpId| op.op().dtypes().all(|dtype| op.op().output(dtype) == Some(DType::Bool));
        match self {
            Self::Copy => false,
            Self::Op(op) => truth(op),
            Self::Steps(ops) => ops.last().is_some_and(|op| truth(*op)),
            Self::Recipe(recipe) => recipe == Recipe::IsInf,
        }
    }
}

/// Returns what an operator is on bool, where it is an operator of its own: sums and products become or and and.
pub fn on_bool(op: OpId) -> OpId {
    match op.name() {
        "add" | "sum" | "max" | "fmax" | "bitwise_or" => const { id("logical_or") },
        "mul" | "min" | "fmin" | "bitwise_and" => const { id("logical_and") },
        "bitwise_xor" => const { id("logical_xor") },
        "bitwise_not" => const { id("logical_not") },
        _ => op,
    }
}

/// One thing that an operator may compute, and when it does.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The conditions, which all hold.
    pub when: &'static [When],
    /// Whether its two operands change places.
    pub swapped: bool,
    /// The dtype to which operands are converted first.
    pub cast: Option<DType>,
    /// What it computes.
    pub arithmetic: Arithmetic,
}

/// A condition on dtype or attributes.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// The operands are floats.
    Floats,
    /// The operands are integers.
    Integers,
    /// The operands are of another dtype than this.
    Not(DType),
    /// A flag has a value; `absent` is what its absence means.
    Flag {
        /// The attribute.
        name: &'static str,
        /// The value.
        value: bool,
        /// What its absence means.
        absent: bool,
    },
    /// A number has a value; its absence means 0.
    Number(&'static str, i64),
    /// A text is this word.
    Word {
        /// The attribute.
        name: &'static str,
        /// The word.
        word: &'static str,
        /// Whether its absence means this word too.
        absent: bool,
    },
}

impl When {
    /// Says whether the condition holds; conditions on dtypes hold for floats where the dtype is not known.
    pub fn holds(&self, dtype: Option<DType>, attributes: &dyn Attributes) -> bool {
        match self {
            Self::Floats | Self::Integers | Self::Not(_) => self.allows(dtype.unwrap_or(DType::F32)),
            Self::Flag { name, value, absent } => attributes.flag(name, *absent) == *value,
            Self::Number(name, value) => {
                attributes.get(name).is_none() && *value == 0 || attributes.int(name) == Some(*value)
            }
            Self::Word { name, word, absent } => match attributes.text(name) {
                Some(text) => text == *word,
                None => *absent,
            },
        }
    }

    /// Says whether a dtype fulfils the condition; those on attributes allow every dtype.
    pub fn allows(&self, dtype: DType) -> bool {
        match self {
            Self::Floats => dtype.is_float(),
            Self::Integers => !dtype.is_float(),
            Self::Not(other) => dtype != *other,
            Self::Flag { .. } | Self::Number(..) | Self::Word { .. } => true,
        }
    }

    /// Writes the attribute as a call gives it: `fmod=1`; nothing for a condition on dtypes.
    pub fn setting(&self) -> Option<String> {
        match self {
            Self::Floats | Self::Integers | Self::Not(_) => None,
            Self::Flag { name, value, .. } => Some(format!("{name}={}", u8::from(*value))),
            Self::Number(name, value) => Some(format!("{name}={value}")),
            Self::Word { name, word, .. } => Some(format!("{name}=\"{word}\"")),
        }
    }

    /// Says whether a call without the attribute fulfils the condition.
    fn is_default(&self) -> bool {
        match self {
            Self::Floats | Self::Integers | Self::Not(_) => true,
            Self::Flag { value, absent, .. } => value == absent,
            Self::Number(..) => false,
            Self::Word { absent, .. } => *absent,
        }
    }
}

/// What a row computes: always the same, or one of several.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Computes {
    /// Always this.
    Always(Arithmetic),
    /// The first on floats, the second on integers and bool.
    ByKind(OpId, OpId),
    /// The first choice that holds.
    OneOf(&'static [Choice]),
}

/// Computes one operator.
pub(crate) const fn op(name: &str) -> Computes {
    Computes::Always(Arithmetic::Op(id(name)))
}

/// Computes one operator on floats and another on integers.
pub(crate) const fn by_kind(floats: &str, integers: &str) -> Computes {
    Computes::ByKind(id(floats), id(integers))
}

/// Computes a formula.
pub(crate) const fn recipe(recipe: Recipe) -> Computes {
    Computes::Always(Arithmetic::Recipe(recipe))
}

/// Makes a choice of one operator.
pub(crate) const fn choice(when: &'static [When], name: &str) -> Choice {
    Choice { when, swapped: false, cast: None, arithmetic: Arithmetic::Op(id(name)) }
}

/// Makes a choice of anything.
pub(crate) const fn choose(when: &'static [When], arithmetic: Arithmetic) -> Choice {
    Choice { when, swapped: false, cast: None, arithmetic }
}

impl Choice {
    pub(crate) const fn swapped(mut self) -> Self {
        self.swapped = true;
        self
    }

    pub(crate) const fn cast(mut self, dtype: DType) -> Self {
        self.cast = Some(dtype);
        self
    }

    /// Writes the attributes that ask for it, where they are not the defaults: `fmod=1`; empty for the default.
    pub fn settings(&self) -> String {
        let words: Vec<String> = self.when.iter().filter(|when| !when.is_default()).filter_map(When::setting).collect();
        words.join(", ")
    }
}

impl Computes {
    pub(crate) fn choices(self) -> impl Iterator<Item = Choice> {
        const FLOATS: &[When] = &[When::Floats];
        const INTEGERS: &[When] = &[When::Integers];
        let (pair, list): ([Option<Choice>; 2], &'static [Choice]) = match self {
            Self::Always(arithmetic) => ([Some(choose(&[], arithmetic)), None], &[]),
            Self::ByKind(floats, integers) => {
                ([Some(choose(FLOATS, Arithmetic::Op(floats))), Some(choose(INTEGERS, Arithmetic::Op(integers)))], &[])
            }
            Self::OneOf(list) => ([None, None], list),
        };
        pair.into_iter().flatten().chain(list.iter().copied())
    }

    /// Describes what is computed, for people.
    pub(crate) fn describe(self) -> String {
        let text = |arithmetic: Arithmetic| match arithmetic {
            Arithmetic::Copy => "the operand".to_string(),
            Arithmetic::Op(op) => op.name().to_string(),
            Arithmetic::Steps(ops) => ops.iter().map(|op| op.name()).collect::<Vec<_>>().join(", then "),
            Arithmetic::Recipe(recipe) => recipe.formula().to_string(),
        };
        match self {
            Self::Always(arithmetic) => text(arithmetic),
            Self::ByKind(floats, integers) => format!("{}, on integers {}", floats.name(), integers.name()),
            Self::OneOf(list) => {
                let mut parts: Vec<String> = Vec::new();
                for choice in list {
                    let dtypes = choice.when.iter().find_map(|when| match when {
                        When::Integers => Some("on integers ".to_string()),
                        When::Not(dtype) => Some(format!("on other dtypes than {dtype} ")),
                        _ => None,
                    });
                    let settings = choice.settings();
                    let by = if settings.is_empty() { String::new() } else { format!(" by {settings}") };
                    parts.push(format!("{}{}{by}", dtypes.unwrap_or_default(), text(choice.arithmetic)));
                }
                parts.join(", ")
            }
        }
    }
}
