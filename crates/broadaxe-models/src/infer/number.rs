//! Computes with followed elements: shapes as values, and scales that depend on them.
//!
//! An element is a size, a fraction of sizes, or a float that is no short fraction. Integers are exact or unknown, never
//! wrapped; floats of 32 bits are rounded as they would be.

use super::Size;

/// An element of a tensor that is followed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Number {
    /// A whole number.
    Whole(Size),
    /// A fraction that is not whole, or not for all sizes.
    Fraction(Size, Size),
    /// A float.
    Float(f64),
}

/// What is done with two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    /// Division: of integers rounded towards zero, of floats exact.
    Div,
    /// Division rounded down.
    DivFloor,
    /// The remainder with the sign of the divisor.
    Mod,
    Min,
    Max,
    Pow,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    Xor,
}

/// What is done with one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Same,
    Neg,
    Abs,
    Floor,
    Ceil,
    Round,
    Not,
    Sqrt,
    Sign,
    /// Not below 0.
    Relu,
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self::Whole(Size::known(number))
    }
}

impl Number {
    /// Makes an element of a float: a fraction, if it is a short one.
    pub(crate) fn float(value: f64) -> Self {
        if value.fract() == 0.0 && value.abs() < 9e15 {
            return Self::from(value as i64);
        }
        let scaled = value * 1_048_576.0;
        if scaled.fract() == 0.0 && scaled.abs() < 9e15 {
            let fraction = Self::fraction(Size::known(scaled as i64), Size::known(1_048_576));
            return fraction.unwrap_or(Self::Float(value));
        }
        Self::Float(value)
    }

    fn fraction(over: Size, under: Size) -> Option<Self> {
        if under.is(0) {
            return None;
        }
        if let Some(whole) = over.over(&under) {
            return Some(Self::Whole(whole));
        }
        let (mut over, mut under) = (over, under);
        if under.number().is_some_and(|number| number < 0) {
            (over, under) = (Size::known(0).minus(&over)?, Size::known(0).minus(&under)?);
        }
        // Halves are all that floats bring in; other common factors of numbers are rare and harmless.
        while let (Some(x), Some(y)) = (over.over(&Size::known(2)), under.over(&Size::known(2))) {
            (over, under) = (x, y);
        }
        Some(Self::Fraction(over, under))
    }

    /// Returns the size, if it is whole.
    pub(crate) fn size(&self) -> Option<&Size> {
        if let Self::Whole(size) = self { Some(size) } else { None }
    }

    /// Returns the number, if it is one without sizes in it.
    pub(crate) fn value(&self) -> Option<f64> {
        match self {
            Self::Whole(size) => size.number().map(|number| number as f64),
            Self::Fraction(over, under) => Some(over.number()? as f64 / under.number()? as f64),
            Self::Float(value) => Some(*value),
        }
    }

    fn parts(&self) -> Option<(Size, Size)> {
        match self {
            Self::Whole(size) => Some((size.clone(), Size::known(1))),
            Self::Fraction(over, under) => Some((over.clone(), under.clone())),
            Self::Float(_) => None,
        }
    }

    /// Computes with two elements; `floats` says whether they are floats, and of how many bits.
    pub(crate) fn binary(op: Binary, x: &Self, y: &Self, floats: Option<u32>) -> Option<Self> {
        if floats.is_some() && (matches!(x, Self::Float(_)) || matches!(y, Self::Float(_))) {
            let value = of_floats(op, x.value()?, y.value()?)?;
            return Some(Self::float(if floats == Some(32) { f64::from(value as f32) } else { value }));
        }
        if let (Self::Whole(x), Self::Whole(y)) = (x, y) {
            return of_sizes(op, x, y, floats.is_some());
        }
        let ((a, b), (c, d)) = (x.parts()?, y.parts()?);
        match op {
            Binary::Add => Self::fraction(a.times(&d)?.plus(&c.times(&b)?)?, b.times(&d)?),
            Binary::Sub => Self::fraction(a.times(&d)?.minus(&c.times(&b)?)?, b.times(&d)?),
            Binary::Mul => Self::fraction(a.times(&c)?, b.times(&d)?),
            Binary::Div => Self::fraction(a.times(&d)?, b.times(&c)?),
            _ => of_floats(op, x.value()?, y.value()?).map(Self::float),
        }
    }

    /// Computes with one element.
    pub(crate) fn unary(&self, op: Unary) -> Option<Self> {
        match (op, self) {
            (Unary::Same, _) | (Unary::Floor | Unary::Ceil | Unary::Round, Self::Whole(_)) => Some(self.clone()),
            (Unary::Not, Self::Whole(size)) => size.equal(&Size::known(0)).map(|zero| Self::from(i64::from(zero))),
            (Unary::Neg, Self::Whole(size)) => Size::known(0).minus(size).map(Self::Whole),
            (Unary::Abs, Self::Whole(size)) if size.low().is_some_and(|low| low >= 0) => Some(self.clone()),
            (Unary::Sign, Self::Whole(size)) if size.low().is_some_and(|low| low > 0) => Some(Self::from(1)),
            (Unary::Relu, Self::Whole(size)) => size.max(&Size::known(0)).map(Self::Whole),
            (Unary::Floor, Self::Fraction(over, under)) => over.floor(under).map(Self::Whole),
            (Unary::Ceil, Self::Fraction(over, under)) => over.ceil(under).map(Self::Whole),
            (_, _) => {
                let value = self.value()?;
                Some(Self::float(match op {
                    Unary::Neg => -value,
                    Unary::Abs => value.abs(),
                    Unary::Relu => value.max(0.0),
                    Unary::Floor => value.floor(),
                    Unary::Ceil => value.ceil(),
                    Unary::Round => value.round_ties_even(),
                    Unary::Sqrt => value.sqrt(),
                    Unary::Sign => f64::from(i8::from(value > 0.0) - i8::from(value < 0.0)),
                    Unary::Same | Unary::Not => return None,
                }))
            }
        }
    }

    /// Makes an integer of it, rounded towards zero.
    pub(crate) fn whole(&self) -> Option<Self> {
        match self {
            Self::Whole(_) => Some(self.clone()),
            Self::Fraction(over, under) if over.low()? >= 0 && under.low()? >= 0 => over.floor(under).map(Self::Whole),
            _ => {
                let value = self.value()?.trunc();
                (value.abs() < 9e15).then(|| Self::from(value as i64))
            }
        }
    }

    /// Makes a truth value of it.
    pub(crate) fn truth(&self) -> Option<Self> {
        match self {
            Self::Whole(size) => size.equal(&Size::known(0)).map(|zero| Self::from(i64::from(!zero))),
            _ => self.value().map(|value| Self::from(i64::from(value != 0.0))),
        }
    }
}

fn of_sizes(op: Binary, x: &Size, y: &Size, floats: bool) -> Option<Number> {
    let truth = |value: bool| Some(Number::from(i64::from(value)));
    let is_true = |size: &Size| size.equal(&Size::known(0)).map(|zero| !zero);
    let positive = |size: &Size| size.low().is_some_and(|low| low >= 0);
    match op {
        Binary::Add => x.plus(y).map(Number::Whole),
        Binary::Sub => x.minus(y).map(Number::Whole),
        Binary::Mul => x.times(y).map(Number::Whole),
        Binary::Min => x.min(y).map(Number::Whole),
        Binary::Max => x.max(y).map(Number::Whole),
        Binary::Div if floats => Number::fraction(x.clone(), y.clone()),
        Binary::Div => match (x.number(), y.number()) {
            (Some(x), Some(y)) => x.checked_div(y).map(Number::from),
            _ if positive(x) && positive(y) => x.floor(y).map(Number::Whole),
            _ => x.over(y).map(Number::Whole),
        },
        Binary::DivFloor => x.floor(y).map(Number::Whole),
        Binary::Mod => x.minus(&x.floor(y)?.times(y)?).map(Number::Whole),
        Binary::Pow => {
            let exponent = u32::try_from(y.number()?).ok()?;
            match (x.number(), exponent) {
                (Some(x), _) => x.checked_pow(exponent).map(Number::from),
                (None, 0) => Some(Number::from(1)),
                (None, 1) => Some(Number::Whole(x.clone())),
                (None, 2) => x.times(x).map(Number::Whole),
                (None, _) => None,
            }
        }
        Binary::Equal => truth(x.equal(y)?),
        Binary::NotEqual => truth(!x.equal(y)?),
        Binary::Less => truth(x.less(y)?),
        Binary::LessEqual => truth(!y.less(x)?),
        Binary::Greater => truth(y.less(x)?),
        Binary::GreaterEqual => truth(!x.less(y)?),
        Binary::And => truth(is_true(x)? && is_true(y)?),
        Binary::Or => truth(is_true(x)? || is_true(y)?),
        Binary::Xor => truth(is_true(x)? != is_true(y)?),
    }
}

fn of_floats(op: Binary, x: f64, y: f64) -> Option<f64> {
    let truth = |value: bool| f64::from(u8::from(value));
    Some(match op {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x * y,
        Binary::Div => x / y,
        Binary::DivFloor => (x / y).floor(),
        Binary::Mod => x - (x / y).floor() * y,
        Binary::Min => x.min(y),
        Binary::Max => x.max(y),
        Binary::Pow => x.powf(y),
        Binary::Equal => truth(x == y),
        Binary::NotEqual => truth(x != y),
        Binary::Less => truth(x < y),
        Binary::LessEqual => truth(x <= y),
        Binary::Greater => truth(x > y),
        Binary::GreaterEqual => truth(x >= y),
        Binary::And | Binary::Or | Binary::Xor => return None,
    })
}

#[cfg(test)]
mod tests {
    use broadaxe_shape::symbolic::Dim;

    use super::*;

    fn n(number: i64) -> Number {
        Number::from(number)
    }

    fn h() -> Number {
        Number::Whole(Size::of(&Dim::named("h"), &mut 0))
    }

    #[test]
    fn arithmetic() {
        let half = Number::binary(Binary::Div, &h(), &n(2), Some(32)).unwrap();
        // what is computed, whether in floats, what comes out
        type Case = (Binary, Number, Number, Option<u32>, Option<Number>);
        let cases: [Case; 13] = [
            (Binary::Div, n(-7), n(2), None, Some(n(-3))),
            (Binary::Div, n(7), n(0), None, None),
            (Binary::Div, n(7), n(2), Some(32), Some(Number::float(3.5))),
            (Binary::Div, n(0), n(0), Some(32), None),
            (Binary::Mod, n(-7), n(3), None, Some(n(2))),
            (Binary::Mul, half.clone(), n(4), Some(32), Number::binary(Binary::Mul, &h(), &n(2), None)),
            (Binary::Mul, h(), Number::float(0.1), Some(32), None),
            (Binary::Equal, h(), n(-1), None, Some(n(0))),
            (Binary::Equal, h(), n(1), None, None),
            (Binary::Greater, h(), n(-1), None, Some(n(1))),
            (Binary::Add, n(i64::MAX), n(1), None, None),
            (Binary::Pow, n(2), n(10), None, Some(n(1024))),
            (Binary::Pow, n(2), n(64), None, None),
        ];
        for (op, x, y, floats, want) in cases {
            assert_eq!(Number::binary(op, &x, &y, floats), want, "{op:?} of {x:?} and {y:?}");
        }
        assert_eq!(format!("{:?}", half.unary(Unary::Floor)), "Some(Whole(h//2))");
        assert_eq!(format!("{:?}", half.unary(Unary::Ceil)), "Some(Whole((h + 1)//2))");
        assert_eq!(format!("{:?}", half.whole()), "Some(Whole(h//2))");
        assert_eq!(Number::float(2.5).unary(Unary::Round), Some(n(2)));
        assert_eq!(Number::float(-0.7).whole(), Some(n(0)));
        assert_eq!(Number::float(1e300).whole(), None);
        assert_eq!(h().truth(), None);
    }
}
