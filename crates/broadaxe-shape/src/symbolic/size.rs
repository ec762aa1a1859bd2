//! Symbolic sizes: expressions in a normal form.
//!
//! A size is a sum of products of whole numbers and *atoms*: names of dims, quotients rounded down, greatest and least of
//! sizes. Sums are sorted and products multiplied out, so that equal expressions have equal texts. An expression whose
//! text would be long is not kept: every operation may return nothing.
//!
//! An atom whose text begins with `?` is a dim without a name. It equals itself only, which is all that
//! inference needs, and is not shown to users.

use alloc::{
    format,
    string::{String, ToString},
    sync::Arc,
    vec,
    vec::Vec,
};
use core::{
    cmp::Ordering,
    fmt::{self, Write},
    hash::{Hash, Hasher},
};

use super::interval::Interval;

/// The longest text of a size.
const LONGEST: usize = 160;
/// The most terms of a sum.
const TERMS: usize = 24;

/// A whole number that may depend on the sizes of dims: `n`, `2*n + 1`, `(h + 1)//2`, `max(n, m)`.
///
/// Each name has an interval, from which the interval of an expression follows. Operations return nothing where a number
/// overflows or the expression grows too long.
///
/// ```
/// use broadaxe_shape::{Dim, symbolic::Size};
/// let height = Size::of(&Dim::named("h"), &mut 0);
/// let half = height.ceil(&Size::known(2)).expect("a short expression");
/// assert_eq!((half.to_string(), half.low()), ("(h + 1)//2".to_string(), Some(0)));
/// assert_eq!(half.dim().to_string(), "(h + 1)//2");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Size {
    /// The products, the highest degree first.
    terms: Vec<Product>,
    constant: i64,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Product {
    /// Sorted; a square is listed twice.
    factors: Vec<Atom>,
    by: i64,
}

/// A size with a text of its own; two with one text are equal.
#[derive(Clone)]
pub(crate) struct Atom(Arc<Described>);

struct Described {
    text: String,
    kind: Kind,
    low: Option<i64>,
    high: Option<i64>,
}

#[derive(Clone)]
enum Kind {
    /// A dim that is not known.
    Name,
    /// The broadcast of several sizes.
    Broadcast(Vec<Atom>),
    /// A quotient, rounded down.
    Quotient(Size, Size),
    /// The greatest or the least of some sizes.
    Extreme(bool, Vec<Size>),
    /// A sum, as a dim holds it; never a factor.
    Sum(Size),
}

impl Atom {
    fn new(text: String, kind: Kind, (low, high): (Option<i64>, Option<i64>)) -> Self {
        Self(Arc::new(Described { text, kind, low, high }))
    }

    /// Makes a name for a dim with this interval.
    pub(crate) fn named(text: String, interval: Interval) -> Self {
        Self::new(text, Kind::Name, bounds(interval))
    }

    /// Makes the broadcast of several sizes.
    pub(crate) fn broadcast(text: String, parts: Vec<Self>, interval: Interval) -> Self {
        Self::new(text, Kind::Broadcast(parts), bounds(interval))
    }

    /// Returns the parts of a dim that is this name or broadcast; nothing for what is computed from other sizes.
    pub(crate) fn parts(&self) -> Option<Vec<Self>> {
        match &self.0.kind {
            Kind::Name => Some(vec![self.clone()]),
            Kind::Broadcast(parts) => Some(parts.clone()),
            Kind::Quotient(..) | Kind::Extreme(..) | Kind::Sum(_) => None,
        }
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> &str {
        &self.0.text
    }

    /// Returns the size that it is.
    pub(crate) fn size(&self) -> Size {
        match &self.0.kind {
            Kind::Sum(size) => size.clone(),
            _ => Size::atom(self.clone()),
        }
    }

    pub(crate) fn is_private(&self) -> bool {
        self.0.text.contains('?')
    }
}

impl fmt::Debug for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.text(), f)
    }
}

impl PartialEq for Atom {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.text == other.0.text
    }
}

impl Eq for Atom {}

impl PartialOrd for Atom {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Atom {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.text.cmp(&other.0.text)
    }
}

impl Hash for Atom {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.text.hash(state);
    }
}

/// Returns the ends of an interval.
fn bounds(interval: Interval) -> (Option<i64>, Option<i64>) {
    // No end is no number, also where a usize has fewer bits than an i64.
    let high = (interval.high != usize::MAX).then(|| i64::try_from(interval.high).ok()).flatten();
    (Some(i64::try_from(interval.low).unwrap_or(i64::MAX)), high)
}

/// Orders products: a higher degree first, then by the names.
fn order(x: &[Atom], y: &[Atom]) -> Ordering {
    y.len().cmp(&x.len()).then_with(|| x.cmp(y))
}

impl Size {
    /// Makes a number.
    pub fn known(size: i64) -> Self {
        Self { terms: Vec::new(), constant: size }
    }

    pub(super) fn atom(atom: Atom) -> Self {
        Self { terms: vec![Product { factors: vec![atom], by: 1 }], constant: 0 }
    }

    /// Returns the number, if it is one.
    pub fn number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Returns the number as an extent, if it is one.
    pub fn extent(&self) -> Option<usize> {
        self.number().and_then(|size| usize::try_from(size).ok())
    }

    /// Says whether it is this number.
    pub fn is(&self, size: i64) -> bool {
        self.number() == Some(size)
    }

    /// Returns the single atom that it is.
    pub(super) fn single(&self) -> Option<&Atom> {
        match (self.terms.as_slice(), self.constant) {
            ([Product { factors, by: 1 }], 0) if factors.len() == 1 => factors.first(),
            _ => None,
        }
    }

    fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.terms.iter().flat_map(|term| &term.factors)
    }

    /// Says whether it depends on a dim without a name.
    pub fn private(&self) -> bool {
        self.atoms().any(Atom::is_private)
    }

    /// Returns it as the one part of a dim.
    pub(super) fn part(&self) -> Atom {
        self.single()
            .cloned()
            .unwrap_or_else(|| Atom::new(self.to_string(), Kind::Sum(self.clone()), (self.low(), self.high())))
    }

    /// Returns the extents that it may have; all, where no extent is within its bounds.
    pub(super) fn interval(&self) -> Interval {
        let low = self.low().and_then(|low| usize::try_from(low).ok()).unwrap_or(0);
        let high = self.high().and_then(|high| usize::try_from(high).ok()).unwrap_or(usize::MAX);
        if low <= high { Interval { low, high } } else { Interval::ANY }
    }

    /// Returns a number that it is not below, if one is known.
    pub fn low(&self) -> Option<i64> {
        self.bound(false)
    }

    /// Returns a number that it is not above, if one is known.
    pub fn high(&self) -> Option<i64> {
        self.bound(true)
    }

    fn bound(&self, high: bool) -> Option<i64> {
        self.terms.iter().try_fold(self.constant, |sum, term| {
            let of = |atom: &Atom| if high == (term.by > 0) { atom.0.high } else { atom.0.low };
            // Products are bounded where no factor is negative; else only a single factor is.
            if term.factors.len() > 1 && term.factors.iter().any(|atom| atom.0.low.is_none_or(|low| low < 0)) {
                return None;
            }
            let product = term.factors.iter().try_fold(1i64, |product, atom| product.checked_mul(of(atom)?))?;
            sum.checked_add(product.checked_mul(term.by)?)
        })
    }

    /// Adds.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        if let (Some(x), Some(y)) = (self.number(), other.number()) {
            return x.checked_add(y).map(Self::known);
        }
        let terms = self.terms.iter().chain(&other.terms).cloned().collect();
        Self::sum(terms, self.constant.checked_add(other.constant)?)
    }

    /// Adds a number.
    pub fn more(&self, number: i64) -> Option<Self> {
        self.plus(&Self::known(number))
    }

    /// Subtracts.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.times_number(-1)?)
    }

    /// Multiplies.
    pub fn times(&self, other: &Self) -> Option<Self> {
        if let Some(number) = other.number() {
            return self.times_number(number);
        }
        if let Some(number) = self.number() {
            return other.times_number(number);
        }
        let mut terms = Vec::new();
        for x in self.all() {
            for y in other.all() {
                let mut factors: Vec<Atom> = x.factors.iter().chain(&y.factors).cloned().collect();
                factors.sort();
                terms.push(Product { factors, by: x.by.checked_mul(y.by)? });
            }
        }
        Self::sum(terms, 0)
    }

    fn times_number(&self, number: i64) -> Option<Self> {
        let scale = |term: &Product| Some(Product { factors: term.factors.clone(), by: term.by.checked_mul(number)? });
        let terms = if number == 0 { Vec::new() } else { self.terms.iter().map(scale).collect::<Option<_>>()? };
        Some(Self { terms, constant: self.constant.checked_mul(number)? })
    }

    /// Lists the terms, the constant as one without factors.
    fn all(&self) -> Vec<Product> {
        let constant = (self.constant != 0).then(|| Product { factors: Vec::new(), by: self.constant });
        self.terms.iter().cloned().chain(constant).collect()
    }

    /// Sorts and gathers terms, unless there are too many or the text is too long.
    fn sum(mut terms: Vec<Product>, mut constant: i64) -> Option<Self> {
        terms.sort_by(|x, y| order(&x.factors, &y.factors));
        let mut gathered: Vec<Product> = Vec::with_capacity(terms.len());
        for term in terms {
            match gathered.last_mut() {
                _ if term.factors.is_empty() => constant = constant.checked_add(term.by)?,
                Some(last) if last.factors == term.factors => last.by = last.by.checked_add(term.by)?,
                _ => gathered.push(term),
            }
        }
        gathered.retain(|term| term.by != 0);
        let length: usize = gathered.iter().flat_map(|term| &term.factors).map(|atom| atom.0.text.len() + 3).sum();
        (gathered.len() <= TERMS && length <= LONGEST).then_some(Self { terms: gathered, constant })
    }

    /// Divides, if that leaves nothing over.
    pub fn over(&self, other: &Self) -> Option<Self> {
        if let Some(number) = other.number() {
            let divides = |by: i64| number != 0 && by.checked_rem(number) == Some(0);
            let fits = divides(self.constant) && self.terms.iter().all(|term| divides(term.by));
            return if fits { self.divided(number) } else { None };
        }
        let mut rest = self.clone();
        let mut quotient: Vec<Product> = Vec::new();
        let divisor = other.terms.first()?;
        while !rest.is(0) {
            let leading = rest.terms.first()?;
            let by = leading.by.checked_rem(divisor.by).filter(|&rest| rest == 0).map(|_| leading.by / divisor.by)?;
            let term = Product { factors: without(&leading.factors, &divisor.factors)?, by };
            let part = Self::sum(vec![term.clone()], 0)?;
            rest = rest.minus(&part.times(other)?)?;
            quotient.push(term);
            if quotient.len() > TERMS {
                return None;
            }
        }
        Self::sum(quotient, 0)
    }

    fn divided(&self, number: i64) -> Option<Self> {
        let terms = self
            .terms
            .iter()
            .map(|term| Some(Product { factors: term.factors.clone(), by: term.by.checked_div(number)? }));
        Some(Self { terms: terms.collect::<Option<_>>()?, constant: self.constant.checked_div(number)? })
    }

    /// Divides and rounds down; nothing when divided by zero.
    pub fn floor(&self, other: &Self) -> Option<Self> {
        if let Some(exact) = self.over(other) {
            return Some(exact);
        }
        match other.number() {
            Some(0) => None,
            Some(number) if number < 0 => self.times_number(-1)?.floor(&Self::known(number.checked_neg()?)),
            Some(number) => self.floor_number(number),
            None => Self::quotient(self.clone(), other.clone()),
        }
    }

    /// Returns the parts of the only term, where that is a quotient by a number: what is divided, and the divisor.
    fn only_quotient(&self) -> Option<(&Self, i64)> {
        let [Product { factors, by: 1 }] = self.terms.as_slice() else { return None };
        let [atom] = factors.as_slice() else { return None };
        let Kind::Quotient(over, under) = &atom.0.kind else { return None };
        under.number().map(|inner| (over, inner))
    }

    /// Divides by a positive number and rounds down: what it divides comes out, quotients of quotients become one.
    fn floor_number(&self, number: i64) -> Option<Self> {
        let (out, rest): (Vec<Product>, Vec<Product>) =
            self.terms.iter().cloned().partition(|term| term.by % number == 0);
        let out = Self { terms: out, constant: self.constant.checked_sub(self.constant.rem_euclid(number))? };
        let out = out.divided(number)?;
        let (mut rest, mut number) = (Self { terms: rest, constant: self.constant.rem_euclid(number) }, number);
        if rest.terms.is_empty() {
            return Some(out);
        }
        if let Some((over, inner)) = rest.only_quotient() {
            let over = over.plus(&Self::known(inner.checked_mul(rest.constant)?))?;
            return over.floor(&Self::known(inner.checked_mul(number)?))?.plus(&out);
        }
        let common = rest.terms.iter().fold(number, |common, term| gcd(common, term.by));
        if common > 1 {
            rest.terms.iter_mut().for_each(|term| term.by /= common);
            rest.constant = rest.constant.div_euclid(common);
            number /= common;
        }
        Self::quotient(rest, Self::known(number))?.plus(&out)
    }

    fn quotient(over: Self, under: Self) -> Option<Self> {
        if under.is(1) {
            return Some(over);
        }
        let (low, high) = match (over.low(), under.low()) {
            (Some(least), Some(divisor)) if least >= 0 && divisor >= 0 => {
                let low = under.high().filter(|&high| high > 0).map_or(0, |high| least / high);
                (Some(low), if divisor > 0 { over.high().map(|high| high / divisor) } else { None })
            }
            (Some(least), _) => {
                (under.number().filter(|&number| number > 0).map(|number| least.div_euclid(number)), None)
            }
            _ => (None, None),
        };
        let text = format!("{}//{}", over.grouped(), under.grouped());
        Self::described(text, Kind::Quotient(over, under), low, high)
    }

    fn described(text: String, kind: Kind, low: Option<i64>, high: Option<i64>) -> Option<Self> {
        (text.len() <= LONGEST).then(|| Self::atom(Atom::new(text, kind, (low, high))))
    }

    /// Divides by a positive number or a size and rounds up.
    pub fn ceil(&self, other: &Self) -> Option<Self> {
        self.over(other).or_else(|| self.plus(other)?.more(-1)?.floor(other))
    }

    /// Returns the greater of the two.
    pub fn max(&self, other: &Self) -> Option<Self> {
        self.extreme(other, true)
    }

    /// Returns the lesser of the two.
    pub fn min(&self, other: &Self) -> Option<Self> {
        self.extreme(other, false)
    }

    fn extreme(&self, other: &Self, greatest: bool) -> Option<Self> {
        let mut parts: Vec<Self> = Vec::new();
        for part in self.parts(greatest).into_iter().chain(other.parts(greatest)) {
            // Says whether x can be left out, given y.
            let idle = |x: &Self, y: &Self| if greatest { x.at_most(y) } else { y.at_most(x) };
            if parts.iter().any(|known| idle(&part, known)) {
                continue;
            }
            parts.retain(|known| !idle(known, &part));
            parts.push(part);
        }
        if let [part] = parts.as_slice() {
            return Some(part.clone());
        }
        let mut texts: Vec<(String, Self)> = parts.into_iter().map(|part| (part.to_string(), part)).collect();
        texts.sort_by(|x, y| x.0.cmp(&y.0));
        let (texts, parts): (Vec<String>, Vec<Self>) = texts.into_iter().unzip();
        let every = |of: fn(&Self) -> Option<i64>| parts.iter().map(of).collect::<Option<Vec<i64>>>();
        let some = |of: fn(&Self) -> Option<i64>| parts.iter().filter_map(of).collect::<Vec<i64>>();
        let (low, high) = if greatest {
            (some(Self::low).into_iter().max(), every(Self::high).and_then(|all| all.into_iter().max()))
        } else {
            (every(Self::low).and_then(|all| all.into_iter().min()), some(Self::high).into_iter().min())
        };
        let text = format!("{}({})", if greatest { "max" } else { "min" }, texts.join(", "));
        Self::described(text, Kind::Extreme(greatest, parts), low, high)
    }

    /// Says whether it is never above the other.
    fn at_most(&self, other: &Self) -> bool {
        let plain = |x: &Self, y: &Self| y.minus(x).and_then(|over| over.low()).is_some_and(|low| low >= 0);
        let within = |x: &Self| other.parts(true).iter().any(|part| plain(x, part)) || plain(x, other);
        let (all, one) = (self.parts(true), self.parts(false));
        all.iter().all(within) || one.iter().any(within)
    }

    /// Lists the sizes of which it is the greatest or the least; itself, if it is no such.
    pub fn parts(&self, greatest: bool) -> Vec<Self> {
        match self.single().map(|atom| &atom.0.kind) {
            Some(Kind::Extreme(of, parts)) if *of == greatest => parts.clone(),
            _ => vec![self.clone()],
        }
    }

    /// Says whether the two are equal, unless that depends.
    pub fn equal(&self, other: &Self) -> Option<bool> {
        if self == other {
            return Some(true);
        }
        let difference = self.minus(other)?;
        let apart = difference.low().is_some_and(|low| low > 0) || difference.high().is_some_and(|high| high < 0);
        if apart || difference.number().is_some_and(|number| number != 0) { Some(false) } else { None }
    }

    /// Says whether it is below the other, unless that depends.
    pub fn less(&self, other: &Self) -> Option<bool> {
        let difference = self.minus(other)?;
        match (difference.low(), difference.high()) {
            (_, Some(high)) if high < 0 => Some(true),
            (Some(low), _) if low >= 0 => Some(false),
            _ => None,
        }
    }

    /// Writes it in brackets where a product or a quotient needs them.
    fn grouped(&self) -> String {
        let plain = self.number().is_some_and(|number| number >= 0)
            || self.single().is_some_and(|atom| !matches!(atom.0.kind, Kind::Quotient(..)));
        if plain { self.to_string() } else { format!("({self})") }
    }
}

/// Removes factors from a product, if it has them all.
fn without(factors: &[Atom], less: &[Atom]) -> Option<Vec<Atom>> {
    let mut left = factors.to_vec();
    for atom in less {
        let at = left.iter().position(|known| known == atom)?;
        left.remove(at);
    }
    Some(left)
}

fn gcd(x: i64, y: i64) -> i64 {
    let (mut x, mut y) = (x.unsigned_abs(), y.unsigned_abs());
    while y != 0 {
        (x, y) = (y, x % y);
    }
    i64::try_from(x).unwrap_or(1)
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for term in self.all() {
            let sign = match (text.is_empty(), term.by < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text.push_str(sign);
            let number = term.by.unsigned_abs();
            let mut pieces = Vec::new();
            if number != 1 || term.factors.is_empty() {
                pieces.push(number.to_string());
            }
            let alone = pieces.is_empty() && term.factors.len() == 1;
            for Atom(atom) in &term.factors {
                let bare = alone || !matches!(atom.kind, Kind::Quotient(..));
                pieces.push(if bare { atom.text.clone() } else { format!("({})", atom.text) });
            }
            write!(text, "{}", pieces.join("*"))?;
        }
        f.write_str(if text.is_empty() { "0" } else { &text })
    }
}

impl fmt::Debug for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests;
