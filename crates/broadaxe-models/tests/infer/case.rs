//! Reads the tables of cases, and compares what is inferred with them.
//!
//! A case is a line: operator, operands, attributes, the results that the engine has, and what is inferred where that
//! differs. `Split@13:3` is the operator `Split` of opset 13 with three results. An operand is `f16[n=2,3]` (f32 without a
//! type), whose first extent has the name n and is 2 where the engine is asked, `[?=2]` with an extent that is not known,
//! `[*2,3]` of unknown rank, `{1,2}` and `f32(0.5)` for constants, `i64[2]=4,5` for a list that is known to the engine
//! only, and `_` where it is left out. The engine's results are shapes, or `refused`.
//!
//! With names, the last column is what is inferred for the names; with numbers in their place, the inferred result must
//! be the engine's, and so must the sizes that the names make for these numbers.

use broadaxe_models::infer::{Known, Origin};

use crate::expression::evaluate;

/// One line of a table.
pub(crate) struct Case<'a> {
    pub(crate) op: &'a str,
    pub(crate) version: Option<i64>,
    pub(crate) outputs: usize,
    pub(crate) operands: Vec<Operand<'a>>,
    pub(crate) attributes: Vec<(&'a str, &'a str)>,
    engine: &'a str,
    ours: Option<&'a str>,
}

/// An operand of a case.
pub(crate) struct Operand<'a> {
    /// The type of its elements, `seq` for a sequence; empty for f32, or i64 where it is constant.
    pub(crate) element: &'a str,
    pub(crate) what: What<'a>,
}

/// What is said of an operand.
pub(crate) enum What<'a> {
    Omitted,
    /// The extents, each with its size where it has a name; and whether the rank is known.
    Shape(Vec<(&'a str, i64)>, bool),
    /// The elements: rows of a matrix, a list, or a number.
    Matrix(Vec<Vec<&'a str>>),
    List(Vec<&'a str>),
    Number(&'a str),
}

impl<'a> Case<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut columns = line.split(" | ").map(str::trim);
        let (name, operands, attributes, engine) = (columns.next()?, columns.next()?, columns.next()?, columns.next()?);
        let ours = columns.next();
        let (name, outputs) = name.split_once(':').map_or((name, Some(1)), |(name, count)| (name, count.parse().ok()));
        let (op, version) = name.split_once('@').map_or((name, None), |(op, version)| (op, version.parse().ok()));
        let operands = operands.split_whitespace().map(Operand::parse).collect::<Option<_>>()?;
        let attributes = attributes.split_whitespace().map(|word| word.split_once('=')).collect::<Option<_>>()?;
        columns.next().is_none().then_some(Self { op, version, outputs: outputs?, operands, attributes, engine, ours })
    }

    /// Lists the sizes of names.
    fn sizes(&self) -> Vec<(String, i64)> {
        let shapes = self.operands.iter().filter_map(|operand| match &operand.what {
            What::Shape(dims, _) => Some(dims),
            _ => None,
        });
        shapes.flatten().map(|(name, size)| ((*name).to_owned(), *size)).collect()
    }

    /// Says whether something is not told but to the engine.
    fn is_open(&self) -> bool {
        self.operands.iter().any(|operand| match &operand.what {
            What::Shape(dims, ranked) => !ranked || dims.iter().any(|(name, size)| name.parse() != Ok(*size)),
            _ => false,
        })
    }

    /// Compares what is inferred for names and for numbers; an error says what is inferred.
    fn compare(&self, infer: &dyn Fn(&Self, bool) -> Vec<Known>) -> Result<(), String> {
        let (named, known) = (shown(&infer(self, true)), shown(&infer(self, false)));
        let want = self.ours.unwrap_or(self.engine);
        if named != want {
            return Err(named);
        }
        let (exact, open) = (is_exact(&named), self.is_open());
        if self.engine == "refused" {
            return if open && is_shape(&known) { Err(format!("{known} for numbers")) } else { Ok(()) };
        }
        if open && exact && !self.engine.contains('?') && known != self.engine {
            return Err(format!("{known} for numbers"));
        }
        if !agrees(&known, self.engine, &[]) || !agrees(&named, self.engine, &self.sizes()) {
            return Err(format!("{known} for numbers, {named} for names"));
        }
        Ok(())
    }
}

impl<'a> Operand<'a> {
    /// Reads an operand.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let at = text.find(['[', '{', '(', '_'])?;
        let (element, rest) = text.split_at(at);
        let list = |text: &'a str| text.split(',').filter(|part| !part.is_empty()).collect::<Vec<_>>();
        let what = if let Some(inner) = rest.strip_prefix('[') {
            let inner = &inner[..inner.find(']')?];
            let dim = |part: &'a str| {
                let (name, size) = part.split_once('=').unwrap_or((part, part));
                Some((name, size.parse().ok()?))
            };
            let ranked = !inner.starts_with('*');
            let dims = list(inner.trim_start_matches('*')).into_iter().map(dim).collect::<Option<_>>()?;
            What::Shape(dims, ranked)
        } else if let Some(inner) = rest.strip_prefix('{') {
            let inner = inner.strip_suffix('}')?;
            if inner.contains(';') {
                What::Matrix(inner.split(';').map(list).collect())
            } else {
                What::List(list(inner))
            }
        } else if let Some(inner) = rest.strip_prefix('(') {
            What::Number(inner.strip_suffix(')')?)
        } else {
            What::Omitted
        };
        Some(Self { element, what })
    }
}

/// Writes results: `f16[2,3]; [4]`, or why they are not known.
fn shown(results: &[Known]) -> String {
    let one = |known: &Known| match (&known.origin, known.shape.dims()) {
        (Origin::Unknown(why), _) => format!("unknown: {}", why.strip_suffix(" (x)").unwrap_or(why)),
        (_, None) => "unknown".to_owned(),
        (_, Some(dims)) => {
            let element = known.element.as_ref().map_or_else(|| "?".to_owned(), ToString::to_string);
            let dims: Vec<String> = dims.iter().map(ToString::to_string).collect();
            format!("{}[{}]", if element == "f32" { "" } else { &element }, dims.join(","))
        }
    };
    let all: Vec<String> = results.iter().map(one).collect();
    if all.iter().all(|text| text.starts_with("unknown") && *text == all[0]) { all[0].clone() } else { all.join("; ") }
}

fn is_shape(text: &str) -> bool {
    !text.starts_with("unknown")
}

/// Says whether results have no extent that is left open.
fn is_exact(text: &str) -> bool {
    is_shape(text)
        && !text.contains('?')
        && !text.contains("..")
        && !text.contains("count(")
        && !text.contains("unknown")
}

/// Splits at commas outside parentheses.
fn dims(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < text.len() {
        parts.push(&text[start..]);
    }
    parts
}

/// Says whether what is inferred allows what the engine has.
fn agrees(ours: &str, engine: &str, sizes: &[(String, i64)]) -> bool {
    if !is_shape(ours) {
        return true;
    }
    let (ours, engine): (Vec<&str>, Vec<&str>) = (ours.split("; ").collect(), engine.split("; ").collect());
    ours.len() == engine.len() && ours.iter().zip(engine).all(|(ours, engine)| one_agrees(ours, engine, sizes))
}

fn one_agrees(ours: &str, engine: &str, sizes: &[(String, i64)]) -> bool {
    let parts = |text: &str| text.strip_suffix(']')?.split_once('[').map(|(a, b)| (a.to_owned(), b.to_owned()));
    let (Some((element, ours)), Some((type_, engine))) = (parts(ours), parts(engine)) else {
        return ours == engine || !is_shape(ours);
    };
    let (ours, engine) = (dims(&ours), dims(&engine));
    let size =
        |ours: &str, engine: &str| engine == "?" || evaluate(ours, sizes).is_none_or(|size| engine.parse() == Ok(size));
    (element == type_ || element == "?")
        && ours.len() == engine.len()
        && ours.iter().zip(engine).all(|(ours, engine)| size(ours, engine))
}

/// Checks every case of a table, and reports all that fail.
pub(crate) fn check(name: &str, table: &str, infer: &dyn Fn(&Case, bool) -> Vec<Known>) {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for line in table.lines() {
        let case = Case::parse(line).unwrap_or_else(|| panic!("{name}: not a case: {line}"));
        count += 1;
        if let Err(got) = case.compare(infer) {
            wrong.push(format!("{name} || {line}\n{got}"));
        }
    }
    assert!(wrong.is_empty() && count > 0, "{} of {count} cases fail\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn lines() {
    let case = Case::parse("Split@13:2 | [n=2,?=6] {1,2} i64(-1) _ | axis=1 | [2,3]; [2,3] | [n,3]; [n,3]").unwrap();
    assert_eq!((case.op, case.version, case.outputs, case.operands.len()), ("Split", Some(13), 2, 4));
    assert!(case.is_open() && matches!(case.operands[3].what, What::Omitted));
    assert!(agrees("[n,3]; [n,?]", case.engine, &case.sizes()));
    assert!(!agrees("[n,3]; [3,n]", case.engine, &case.sizes()));
    assert!(!agrees("[2,3]; i64[2,3]", case.engine, &[]) && !agrees("[2,3]", case.engine, &[]));
    assert!(Case::parse("Split | [2] | axis").is_none());
}
