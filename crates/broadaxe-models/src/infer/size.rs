//! Sizes that are not known yet, as expressions with one way of being written.
//!
//! A size is a sum of products of whole numbers and *atoms*: names of dims, quotients rounded down, greatest and least of
//! sizes. Sums are sorted and products multiplied out, so that equal expressions have equal texts, and a text can be the
//! name of a dim. What cannot be said in a short text is no size: every operation may return nothing.
//!
//! An atom whose text begins with `?` stands for a dim that nobody named. It is equal to itself, which is all that
//! inference needs, and has no name outside.

use std::{
    cmp::Ordering,
    fmt::{self, Write},
    hash::{Hash, Hasher},
    rc::Rc,
};

use broadaxe_shape::symbolic::Dim;

/// The longest text of a size.
const LONGEST: usize = 160;
/// The most terms of a sum.
const TERMS: usize = 24;

/// A whole number that may depend on the sizes of inputs.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Size {
    /// The products, the highest degree first.
    terms: Vec<Term>,
    constant: i64,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Term {
    /// Sorted; a square stands twice.
    factors: Vec<Atom>,
    by: i64,
}

#[derive(Clone)]
struct Atom(Rc<Described>);

struct Described {
    text: String,
    kind: Kind,
    low: Option<i64>,
    high: Option<i64>,
}

#[derive(Clone)]
enum Kind {
    /// A dim that is not known.
    Dim(Dim),
    /// A quotient, rounded down.
    Quotient(Size, Size),
    /// The greatest or the least of some sizes.
    Extreme(bool, Vec<Size>),
}

impl PartialEq for Atom {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.0.text == other.0.text
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

/// Orders products: a higher degree first, then by the names.
fn order(x: &[Atom], y: &[Atom]) -> Ordering {
    y.len().cmp(&x.len()).then_with(|| x.cmp(y))
}

impl Size {
    /// Makes a number.
    pub(crate) fn known(size: i64) -> Self {
        Self { terms: Vec::new(), constant: size }
    }

    /// Makes the size of a dim; one without a name gets the private name with this number.
    pub(crate) fn of(dim: &Dim, number: &mut u32) -> Self {
        if let Some(size) = dim.size().and_then(|size| i64::try_from(size).ok()) {
            return Self::known(size);
        }
        let text = match dim.names() {
            [] => String::new(),
            [name] => name.clone(),
            names => format!("broadcast({})", names.join(", ")),
        };
        let text = if text.is_empty() || text.starts_with('?') {
            *number += 1;
            format!("?{number}")
        } else {
            text
        };
        let low = i64::try_from(dim.low()).unwrap_or(i64::MAX);
        let high = dim.high().and_then(|high| i64::try_from(high).ok());
        Self::atom(Atom(Rc::new(Described { text, kind: Kind::Dim(dim.clone()), low: Some(low), high })))
    }

    fn atom(atom: Atom) -> Self {
        Self { terms: vec![Term { factors: vec![atom], by: 1 }], constant: 0 }
    }

    /// Returns the number, if it is one.
    pub(crate) fn number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Returns the number as an extent, if it is one.
    pub(crate) fn extent(&self) -> Option<usize> {
        self.number().and_then(|size| usize::try_from(size).ok())
    }

    /// Says whether it is this number.
    pub(crate) fn is(&self, size: i64) -> bool {
        self.number() == Some(size)
    }

    /// Returns the single atom that it is.
    fn single(&self) -> Option<&Atom> {
        match (self.terms.as_slice(), self.constant) {
            ([Term { factors, by: 1 }], 0) if factors.len() == 1 => factors.first(),
            _ => None,
        }
    }

    fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.terms.iter().flat_map(|term| &term.factors)
    }

    /// Says whether it speaks of a dim without a name.
    pub(crate) fn private(&self) -> bool {
        self.atoms().any(|atom| atom.0.text.contains('?'))
    }

    /// Returns the dim as it is named outside: of a private size only the interval.
    pub(crate) fn dim(&self) -> Dim {
        match self.plain() {
            Some(dim) => dim,
            None if self.private() => self.bounded(Dim::unknown()),
            None => Dim::named(&self.to_string()),
        }
    }

    /// Returns the dim for rules: private names are names, and an expression goes with what is known of its sizes.
    pub(crate) fn inner(&self) -> Dim {
        let telling = |size: &Self| size.high().is_some() || size.low().is_some_and(|low| low > 1);
        match self.plain() {
            Some(dim) => dim,
            None if telling(self) => self.bounded(Dim::named(&self.to_string())),
            None => Dim::named(&self.to_string()),
        }
    }

    /// Returns the dim of a number or of a name.
    fn plain(&self) -> Option<Dim> {
        if let Some(size) = self.number() {
            return Some(usize::try_from(size).map_or_else(|_| Dim::unknown(), Dim::known));
        }
        match &self.single()?.0.kind {
            Kind::Dim(dim) if !self.private() => Some(dim.clone()),
            _ => None,
        }
    }

    fn bounded(&self, dim: Dim) -> Dim {
        let low = self.low().and_then(|low| usize::try_from(low).ok()).unwrap_or(0);
        let high = self.high().and_then(|high| usize::try_from(high).ok());
        dim.clone().within(low, high).unwrap_or(dim)
    }

    /// Returns a number that it is not below, if one is known.
    pub(crate) fn low(&self) -> Option<i64> {
        self.bound(false)
    }

    /// Returns a number that it is not above, if one is known.
    pub(crate) fn high(&self) -> Option<i64> {
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
    pub(crate) fn plus(&self, other: &Self) -> Option<Self> {
        if let (Some(x), Some(y)) = (self.number(), other.number()) {
            return x.checked_add(y).map(Self::known);
        }
        let terms = self.terms.iter().chain(&other.terms).cloned().collect();
        Self::sum(terms, self.constant.checked_add(other.constant)?)
    }

    /// Adds a number.
    pub(crate) fn more(&self, number: i64) -> Option<Self> {
        self.plus(&Self::known(number))
    }

    /// Subtracts.
    pub(crate) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.times_number(-1)?)
    }

    /// Multiplies.
    pub(crate) fn times(&self, other: &Self) -> Option<Self> {
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
                terms.push(Term { factors, by: x.by.checked_mul(y.by)? });
            }
        }
        Self::sum(terms, 0)
    }

    fn times_number(&self, number: i64) -> Option<Self> {
        let scale = |term: &Term| Some(Term { factors: term.factors.clone(), by: term.by.checked_mul(number)? });
        let terms = if number == 0 { Vec::new() } else { self.terms.iter().map(scale).collect::<Option<_>>()? };
        Some(Self { terms, constant: self.constant.checked_mul(number)? })
    }

    /// Lists the terms, the constant as one without factors.
    fn all(&self) -> Vec<Term> {
        let constant = (self.constant != 0).then(|| Term { factors: Vec::new(), by: self.constant });
        self.terms.iter().cloned().chain(constant).collect()
    }

    /// Sorts and gathers terms, unless there are too many or the text is too long.
    fn sum(mut terms: Vec<Term>, mut constant: i64) -> Option<Self> {
        terms.sort_by(|x, y| order(&x.factors, &y.factors));
        let mut gathered: Vec<Term> = Vec::with_capacity(terms.len());
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
    pub(crate) fn over(&self, other: &Self) -> Option<Self> {
        if let Some(number) = other.number() {
            let divides = |by: i64| number != 0 && by.checked_rem(number) == Some(0);
            let fits = divides(self.constant) && self.terms.iter().all(|term| divides(term.by));
            return if fits { self.divided(number) } else { None };
        }
        let mut rest = self.clone();
        let mut quotient: Vec<Term> = Vec::new();
        let divisor = other.terms.first()?;
        while !rest.is(0) {
            let leading = rest.terms.first()?;
            let by = leading.by.checked_rem(divisor.by).filter(|&rest| rest == 0).map(|_| leading.by / divisor.by)?;
            let term = Term { factors: without(&leading.factors, &divisor.factors)?, by };
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
            .map(|term| Some(Term { factors: term.factors.clone(), by: term.by.checked_div(number)? }));
        Some(Self { terms: terms.collect::<Option<_>>()?, constant: self.constant.checked_div(number)? })
    }

    /// Divides and rounds down; nothing when divided by zero.
    pub(crate) fn floor(&self, other: &Self) -> Option<Self> {
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

    /// Divides by a positive number and rounds down: what it divides comes out, quotients of quotients become one.
    fn floor_number(&self, number: i64) -> Option<Self> {
        let (out, rest): (Vec<Term>, Vec<Term>) = self.terms.iter().cloned().partition(|term| term.by % number == 0);
        let out = Self { terms: out, constant: self.constant.checked_sub(self.constant.rem_euclid(number))? };
        let out = out.divided(number)?;
        let (mut rest, mut number) = (Self { terms: rest, constant: self.constant.rem_euclid(number) }, number);
        if rest.terms.is_empty() {
            return Some(out);
        }
        if let [Term { factors, by: 1 }] = rest.terms.as_slice()
            && let [atom] = factors.as_slice()
            && let Kind::Quotient(over, under) = &atom.0.kind
            && let Some(inner) = under.number()
        {
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
        (text.len() <= LONGEST).then(|| Self::atom(Atom(Rc::new(Described { text, kind, low, high }))))
    }

    /// Divides by a positive number or a size and rounds up.
    pub(crate) fn ceil(&self, other: &Self) -> Option<Self> {
        self.over(other).or_else(|| self.plus(other)?.more(-1)?.floor(other))
    }

    /// Returns the greater of the two.
    pub(crate) fn max(&self, other: &Self) -> Option<Self> {
        self.extreme(other, true)
    }

    /// Returns the lesser of the two.
    pub(crate) fn min(&self, other: &Self) -> Option<Self> {
        self.extreme(other, false)
    }

    fn extreme(&self, other: &Self, greatest: bool) -> Option<Self> {
        let mut parts: Vec<Self> = Vec::new();
        for part in self.parts(greatest).into_iter().chain(other.parts(greatest)) {
            // Says whether x can be left out beside y.
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
    pub(crate) fn parts(&self, greatest: bool) -> Vec<Self> {
        match self.single().map(|atom| &atom.0.kind) {
            Some(Kind::Extreme(of, parts)) if *of == greatest => parts.clone(),
            _ => vec![self.clone()],
        }
    }

    /// Says whether the two are equal, unless that depends.
    pub(crate) fn equal(&self, other: &Self) -> Option<bool> {
        if self == other {
            return Some(true);
        }
        let difference = self.minus(other)?;
        let apart = difference.low().is_some_and(|low| low > 0) || difference.high().is_some_and(|high| high < 0);
        if apart || difference.number().is_some_and(|number| number != 0) { Some(false) } else { None }
    }

    /// Says whether it is below the other, unless that depends.
    pub(crate) fn less(&self, other: &Self) -> Option<bool> {
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

/// Takes factors out of a product, if it has them all.
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
