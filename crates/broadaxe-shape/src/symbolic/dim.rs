//! Symbolic dims and shapes, and their text form.
//!
//! A dim is a set of possible sizes (an interval) with, perhaps, an expression: a name, or what is computed from names. Two
//! dims whose expressions have one text have one size. A dim with several expressions is the broadcast of them: the size
//! among them that is not 1.

use alloc::{format, string::ToString, sync::Arc, vec, vec::Vec};
use core::{fmt, str::FromStr};

use super::{
    interval::{Interval, interval},
    size::{Atom, Size},
};
use crate::{
    error::{Error, ErrorKind},
    shape::{Shape, no_dim},
};

/// A dim that may not be known yet: a size, an interval of sizes, an expression, or the broadcast of expressions.
///
/// Written `3`, `2..9` (both ends included), `2..`, `..9`, `?` (or `-1`), `n`, `n:2..9`, `broadcast(n, m)` and
/// `broadcast(n, m):2..9`. A name is any text without blanks, `,` `:` `(` `)` `[` `]` and `..` that is not a number.
///
/// ```
/// use broadaxe_shape::Dim;
/// let dim: Dim = "n:2..9".parse()?;
/// assert_eq!((dim.name(), dim.low(), dim.high()), (Some("n"), 2, Some(9)));
/// assert_eq!(dim.to_string(), "n:2..9");
/// # Ok::<(), broadaxe_shape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dim {
    parts: Vec<Atom>,
    interval: Interval,
}

impl Dim {
    /// Makes a dim of this size.
    pub fn known(size: usize) -> Self {
        Self::of(Vec::new(), Interval::one(size))
    }

    /// Makes a dim of which nothing is known.
    pub fn unknown() -> Self {
        Self::of(Vec::new(), Interval::ANY)
    }

    /// Makes a dim of this name; an empty name is none.
    pub fn named(name: &str) -> Self {
        let parts = if name.is_empty() { vec![] } else { vec![Atom::named(name.to_string(), Interval::ANY)] };
        Self::of(parts, Interval::ANY)
    }

    /// Makes a dim whose size is from `low` to `high`, both included; without `high` it has no upper end.
    ///
    /// # Errors
    /// [`ErrorKind::Parse`] when `high` is below `low`.
    pub fn range(low: usize, high: Option<usize>) -> Result<Self, Error> {
        Self::unknown().within(low, high)
    }

    /// Keeps of this dim's sizes those from `low` to `high`, both included.
    ///
    /// # Errors
    /// [`ErrorKind::Parse`] when none is left.
    pub fn within(mut self, low: usize, high: Option<usize>) -> Result<Self, Error> {
        let limits = Interval { low, high: high.unwrap_or(usize::MAX) };
        self.interval =
            (limits.low <= limits.high).then_some(limits).and_then(|l| self.interval.meet(l)).ok_or_else(|| {
                Error::new(ErrorKind::Parse, format!("no size of {self} is in {limits}; the low end comes first"))
            })?;
        Ok(self)
    }

    pub(crate) fn of(parts: Vec<Atom>, interval: Interval) -> Self {
        let parts = if interval.single().is_some() && parts.len() != 1 { Vec::new() } else { parts };
        Self { parts, interval }
    }

    /// Returns the size, where it is known.
    pub fn size(&self) -> Option<usize> {
        self.interval.single()
    }

    /// Returns the name, or the text of the expression, where there is exactly one.
    pub fn name(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [part] => Some(part.text()),
            _ => None,
        }
    }

    /// Returns the names: none, one, or those of which this dim is the broadcast.
    pub fn names(&self) -> Vec<&str> {
        self.parts.iter().map(Atom::text).collect()
    }

    /// Returns the expressions: none, one, or those of which this dim is the broadcast.
    pub fn sizes(&self) -> Vec<Size> {
        self.parts.iter().map(Atom::size).collect()
    }

    pub(crate) fn parts(&self) -> &[Atom] {
        &self.parts
    }

    /// Returns the least size.
    pub fn low(&self) -> usize {
        self.interval.low
    }

    /// Returns the greatest size, where there is one.
    pub fn high(&self) -> Option<usize> {
        (self.interval.high != usize::MAX).then_some(self.interval.high)
    }

    /// Says whether the dim may have this size, as far as its interval tells.
    pub fn allows(&self, size: usize) -> bool {
        self.interval.has(size)
    }

    pub(crate) fn interval(&self) -> Interval {
        self.interval
    }
}

/// Sizes come from dims, and dims from sizes.
impl Size {
    /// Makes the size of a dim; one without a name gets a private name with the next number.
    pub fn of(dim: &Dim, number: &mut u32) -> Self {
        if let Some(size) = dim.size().and_then(|size| i64::try_from(size).ok()) {
            return Self::known(size);
        }
        Self::atom(match dim.parts.as_slice() {
            [part] if !part.text().starts_with('?') => Atom::named(part.text().to_string(), dim.interval),
            [] | [_] => {
                *number += 1;
                Atom::named(format!("?{number}"), dim.interval)
            }
            parts => Atom::broadcast(format!("broadcast({})", dim.names().join(", ")), parts.to_vec(), dim.interval),
        })
    }

    /// Returns the dim to show: of a private size only the interval.
    pub fn dim(&self) -> Dim {
        match self.plain() {
            Some(dim) => dim,
            None if self.private() => Dim::of(Vec::new(), self.interval()),
            None => Dim::of(vec![self.part()], Interval::ANY),
        }
    }

    /// Returns the dim to give rules: private names are names, and an expression has its interval.
    pub fn inner(&self) -> Dim {
        let telling = || self.high().is_some() || self.low().is_some_and(|low| low > 1);
        self.plain()
            .unwrap_or_else(|| Dim::of(vec![self.part()], if telling() { self.interval() } else { Interval::ANY }))
    }

    /// Returns the dim of a number, a name or a broadcast.
    fn plain(&self) -> Option<Dim> {
        if let Some(size) = self.number() {
            return Some(usize::try_from(size).map_or_else(|_| Dim::unknown(), Dim::known));
        }
        let parts = self.single().filter(|atom| !atom.is_private())?.parts()?;
        Some(Dim::of(parts, self.interval()))
    }
}

impl From<usize> for Dim {
    fn from(size: usize) -> Self {
        Self::known(size)
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts.as_slice() {
            [] => return write!(f, "{}", self.interval),
            [part] => f.write_str(part.text())?,
            _ => write!(f, "broadcast({})", self.names().join(", "))?,
        }
        match (self.interval, self.interval.single()) {
            (Interval::ANY, _) => Ok(()),
            (_, Some(size)) => write!(f, ":{size}..{size}"),
            (interval, None) => write!(f, ":{interval}"),
        }
    }
}

impl FromStr for Dim {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let wrong = || {
            let hint = "write a size (3), an interval (2..9), a name (n or n:2..9), broadcast(n, m) or ?";
            Error::new(ErrorKind::Parse, format!("'{text}' {}; {hint}", no_dim(text)))
        };
        let (head, limits) = match text.split_once(':') {
            Some((head, limits)) => (head.trim(), Some(interval(limits.trim()).ok_or_else(wrong)?)),
            None => (text, None),
        };
        if let (Some(interval), None) = (interval(head), limits) {
            return Ok(Self::of(Vec::new(), interval));
        }
        let list = head.strip_prefix("broadcast(").and_then(|t| t.strip_suffix(')'));
        let mut parts: Vec<Atom> = Vec::new();
        for name in list.map_or_else(|| vec![head], |list| list.split(',').map(str::trim).collect()) {
            if !is_name(name) {
                return Err(wrong());
            }
            if !parts.iter().any(|known| known.text() == name) {
                parts.push(Atom::named(name.to_string(), Interval::ANY));
            }
        }
        Ok(Self::of(parts, limits.unwrap_or(Interval::ANY)))
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(|c: char| c.is_whitespace() || ",:()[]?".contains(c))
        && !text.contains("..")
        && text != "*"
        && !text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
}

/// A shape whose dims, or whose rank, may not be known yet.
///
/// Written like a [`Shape`], with a [`Dim`] in place of each size: `n,4`, `(n, 2..9, ?)`, `()`. An unknown rank is
/// written `...` or `*`. Copies share their dims.
///
/// ```
/// use broadaxe_shape::SymbolicShape;
/// let shape: SymbolicShape = "n, 2..9, ?".parse()?;
/// assert_eq!(shape.rank(), Some(3));
/// assert_eq!(shape.to_string(), "(n, 2..9, ?)");
/// # Ok::<(), broadaxe_shape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SymbolicShape {
    dims: Option<Arc<[Dim]>>,
}

impl SymbolicShape {
    /// Makes a shape of these dims.
    pub fn new(dims: impl Into<Vec<Dim>>) -> Self {
        Self { dims: Some(dims.into().into()) }
    }

    /// Makes a shape of unknown rank.
    pub fn unknown_rank() -> Self {
        Self { dims: None }
    }

    /// Returns the dims, where the rank is known.
    pub fn dims(&self) -> Option<&[Dim]> {
        self.dims.as_deref()
    }

    /// Returns the rank, where it is known.
    pub fn rank(&self) -> Option<usize> {
        self.dims().map(<[Dim]>::len)
    }

    /// Returns the shape, where every size is known.
    pub fn known(&self) -> Option<Shape> {
        let sizes: Option<Vec<usize>> = self.dims.as_ref()?.iter().map(Dim::size).collect();
        sizes.map(Shape::from)
    }
}

impl From<&[usize]> for SymbolicShape {
    fn from(dims: &[usize]) -> Self {
        Self::new(dims.iter().copied().map(Dim::known).collect::<Vec<_>>())
    }
}

impl From<&Shape> for SymbolicShape {
    fn from(shape: &Shape) -> Self {
        Self::from(shape.dims())
    }
}

impl fmt::Display for SymbolicShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(dims) = &self.dims else { return f.write_str("(...)") };
        f.write_str("(")?;
        for (i, dim) in dims.iter().enumerate() {
            write!(f, "{}{dim}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str(if dims.len() == 1 { ",)" } else { ")" })
    }
}

impl FromStr for SymbolicShape {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let inner = text.trim();
        let bare = bracketed(inner);
        let list = bare.unwrap_or(inner).trim();
        match (list, bare) {
            ("..." | "*", _) => return Ok(Self::unknown_rank()),
            ("", Some(_)) => return Ok(Self::new(Vec::new())),
            ("", None) => {
                let text = "an empty text is not a shape; rank 0 is written () and an unknown rank ...";
                return Err(Error::new(ErrorKind::Parse, text));
            }
            _ => {}
        }
        let parts = split(list.strip_suffix(',').unwrap_or(list));
        Ok(Self::new(parts.into_iter().map(str::parse).collect::<Result<Vec<Dim>, _>>()?))
    }
}

/// Returns the text inside the brackets that enclose it.
fn bracketed(text: &str) -> Option<&str> {
    let round = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    round.or_else(|| text.strip_prefix('[').and_then(|t| t.strip_suffix(']')))
}

/// Splits at the commas that stand in no brackets.
fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in list.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec::Vec};

    use super::*;

    #[test]
    fn texts() {
        // text, and how it is written again (nothing: it is rejected)
        let cases = [
            ("n,4", Some("(n, 4)")),
            ("(n, 4)", Some("(n, 4)")),
            ("[2..9]", Some("(2..9,)")),
            ("2.., ..5, ?", Some("(2.., 0..5, ?)")),
            ("n:2..9, m:3.., k:2..2", Some("(n:2..9, m:3.., k:2..2)")),
            ("broadcast(n, m), 3", Some("(broadcast(n, m), 3)")),
            ("(broadcast(n, m):1..4,)", Some("(broadcast(n, m):1..4,)")),
            ("broadcast(n,n)", Some("(n,)")),
            ("batch_size/2, unk__0", Some("(batch_size/2, unk__0)")),
            ("()", Some("()")),
            ("[]", Some("()")),
            ("...", Some("(...)")),
            ("(...)", Some("(...)")),
            ("*", Some("(...)")),
            ("4..4", Some("(4,)")),
            ("", None),
            ("3,,4", None),
            ("9..2", None),
            ("-1", None),
            ("2,-2", None),
            ("3x", None),
            ("n:", None),
            ("n:m", None),
            ("broadcast()", None),
            ("f(n)", None),
            ("foo bar", None),
            ("broadcast(n m, k)", None),
            ("99999999999999999999999", None),
            ("2,...", None),
            ("(", None),
        ];
        let mut wrong = Vec::new();
        for (text, want) in cases {
            let got = text.parse::<SymbolicShape>();
            if got.as_ref().ok().map(ToString::to_string).as_deref() != want {
                wrong.push(format!("{text}: {got:?}"));
            }
            if let Ok(shape) = got {
                assert_eq!(shape.to_string().parse(), Ok(shape), "{text} does not come back");
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn refusals_say_why() {
        let cases = [
            ("2,-1", "is negative"),
            ("9223372036854775808", "more than an address"),
            ("3x", "is not a dim"),
            ("n m", "has a blank, which separates operands"),
        ];
        for (text, want) in cases {
            let error = text.parse::<SymbolicShape>().unwrap_err().to_string();
            assert!(error.contains(want), "{text}: {error}");
        }
    }

    #[test]
    fn ends() {
        assert!(Dim::range(3, Some(2)).is_err());
        assert!(Dim::range(2, Some(5)).unwrap().within(6, None).is_err());
        assert_eq!(Dim::named(""), Dim::unknown());
        assert_eq!(Dim::range(2, None).unwrap().high(), None);
    }
}
