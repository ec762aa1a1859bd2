//! The record of an operator, and the constructors of the table's rows.

use crate::{
    dtype::{DType, Family},
    names::{OpId, id},
};

/// The dtype in which an operator computes, from operands of several dtypes, as in NumPy 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promotion {
    /// In the common dtype.
    Common,
    /// In the common dtype; bool is rejected, as NumPy does for `-`.
    NotBool,
    /// In the common dtype; bool counts as i8.
    Number,
    /// In the common dtype if that is a float, else in f64: true division.
    Divided,
    /// In floats; integers become the float of their width.
    Float,
    /// In the common dtype, which must be bool or an integer.
    Bits,
    /// In the common dtype, which must be bool (as i8) or an integer.
    Shift,
    /// In the common dtype, which must be an integer.
    Integer,
    /// In f64, for operands of every dtype.
    Widest,
    /// In the float of the first operand, as `Float`; the second is an integer and is ignored.
    Exponent,
    /// In bool; everything that is not zero is true.
    Truth,
    /// In the common dtype, giving bool.
    Compare,
    /// Rounds floats; integers and bool stay unchanged.
    Rounded,
    /// Tests the class of a float; integers and bool are always finite.
    Class,
    /// In the common dtype of all operands but the first, which is a condition.
    Choose,
}

/// A set of dtypes.
#[derive(Clone, Copy)]
pub(crate) struct Dtypes(u16);

impl Dtypes {
    /// Truth values.
    pub(crate) const TRUTHS: Self = Self(1 << DType::Bool as u16);
    /// Integers, signed or not.
    pub(crate) const INTEGERS: Self = Self::of(&[Family::Signed, Family::Unsigned]);
    /// Floats.
    pub(crate) const FLOATS: Self = Self::of(&[Family::Float]);
    /// Integers and floats.
    pub(crate) const NUMBERS: Self = Self(Self::INTEGERS.0 | Self::FLOATS.0);
    /// Truth values and integers.
    pub(crate) const BITS: Self = Self(Self::TRUTHS.0 | Self::INTEGERS.0);
    /// Every dtype.
    pub(crate) const ALL: Self = Self(Self::TRUTHS.0 | Self::NUMBERS.0);

    /// Returns the dtypes of these families.
    const fn of(families: &[Family]) -> Self {
        let (mut set, mut at) = (0, 0);
        while at < DType::ALL.len() {
            let mut family = 0;
            while family < families.len() {
                if DType::ALL[at].family() as u8 == families[family] as u8 {
                    set |= 1 << at;
                }
                family += 1;
            }
            at += 1;
        }
        Self(set)
    }

    fn has(self, dtype: DType) -> bool {
        self.0 >> dtype as u16 & 1 != 0
    }
}

/// An operator: its name, its meaning and facts about it.
pub struct Op {
    name: &'static str,
    meaning: &'static str,
    arity: usize,
    dtypes: Dtypes,
    output: Option<DType>,
    commutative: bool,
    variadic: bool,
    identity: Option<f64>,
    reversed: Option<&'static str>,
    ulp: Option<(f64, f64)>,
    average: bool,
    promotion: Promotion,
    id: OpId,
}

impl Op {
    /// Returns the operator's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the operator's identity.
    #[inline]
    pub fn id(&self) -> OpId {
        self.id
    }

    /// Returns the formula, in the operands `a`, `b` and `c`.
    pub fn meaning(&self) -> &'static str {
        self.meaning
    }

    /// Counts the operands, 1 to 3; a variadic operator has 2 and accepts any number.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// Says whether the operator accepts any number of operands from one on, folded from the left.
    pub fn is_variadic(&self) -> bool {
        self.variadic
    }

    /// Says whether the folded operands are divided by their number.
    pub fn is_average(&self) -> bool {
        self.average
    }

    /// Says whether the operator computes in this dtype; for `where`, that of the two choices.
    pub fn accepts(&self, dtype: DType) -> bool {
        self.dtypes.has(dtype)
    }

    /// Returns the dtype of the result for this dtype of the operands.
    pub fn output(&self, dtype: DType) -> Option<DType> {
        self.accepts(dtype).then(|| self.output.unwrap_or(dtype))
    }

    /// Lists the dtypes that the operator computes in.
    pub fn dtypes(&self) -> impl Iterator<Item = DType> + '_ {
        DType::ALL.into_iter().filter(|&dtype| self.accepts(dtype))
    }

    /// Says whether the two operands may be exchanged.
    pub fn is_commutative(&self) -> bool {
        self.commutative
    }

    /// Returns the second operand that leaves the first unchanged.
    pub fn identity(&self) -> Option<f64> {
        self.identity
    }

    /// Returns the name of the operator that computes the same with exchanged operands.
    pub fn reversed(&self) -> Option<&'static str> {
        if self.commutative { Some(self.name) } else { self.reversed }
    }

    /// Returns the largest error in units in the last place for f32 and for f64, unless the result is exact.
    pub fn ulp(&self) -> Option<(f64, f64)> {
        self.ulp
    }

    /// Returns the rule by which operands of several dtypes select the computing dtype.
    pub fn promotion(&self) -> Promotion {
        self.promotion
    }

    pub(crate) const fn commutative(mut self) -> Self {
        self.commutative = true;
        self
    }

    pub(crate) const fn variadic(mut self) -> Self {
        self.variadic = true;
        self
    }

    pub(crate) const fn average(mut self) -> Self {
        self.average = true;
        self
    }

    pub(crate) const fn with_identity(mut self, value: f64) -> Self {
        self.identity = Some(value);
        self
    }

    pub(crate) const fn with_reversed(mut self, name: &'static str) -> Self {
        self.reversed = Some(name);
        self
    }

    /// Sets the dtype of the result, for operands of every dtype.
    pub(crate) const fn giving(mut self, dtype: DType) -> Self {
        self.output = Some(dtype);
        self
    }

    pub(crate) const fn within(mut self, f32: f64, f64: f64) -> Self {
        self.ulp = Some((f32, f64));
        self
    }
}

/// Begins a row.
const fn row(name: &'static str, promotion: Promotion, meaning: &'static str, arity: usize, dtypes: Dtypes) -> Op {
    Op {
        name,
        meaning,
        arity,
        dtypes,
        output: match promotion {
            Promotion::Compare | Promotion::Class | Promotion::Truth => Some(DType::Bool),
            _ => None,
        },
        commutative: false,
        variadic: false,
        identity: None,
        reversed: None,
        ulp: None,
        average: false,
        promotion,
        id: id(name),
    }
}

/// Begins the row of an operator of one operand.
pub(crate) const fn unary(name: &'static str, promotion: Promotion, meaning: &'static str, dtypes: Dtypes) -> Op {
    row(name, promotion, meaning, 1, dtypes)
}

/// Begins the row of an operator of two operands.
pub(crate) const fn binary(name: &'static str, promotion: Promotion, meaning: &'static str, dtypes: Dtypes) -> Op {
    row(name, promotion, meaning, 2, dtypes)
}

/// Begins the row of an operator of three operands.
pub(crate) const fn ternary(name: &'static str, promotion: Promotion, meaning: &'static str, dtypes: Dtypes) -> Op {
    row(name, promotion, meaning, 3, dtypes)
}
