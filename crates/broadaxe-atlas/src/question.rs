//! What an engine is asked: a case with numbers, from whose results the elements can be told.
//!
//! Operands hold whole numbers that f32 holds exactly. They are chosen so that every choice of one element from each
//! operand has another result.

use broadaxe_shape::Rule;
use serde_json::{Map, Value, json};

use crate::{
    case::{Case, Expected, Id, parameters},
    subject::Subject,
};

/// Holds one question about a case.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    case: &'a Case,
    kinds: &'static str,
    round: Round,
}

/// Which bit of the condition's numbers decides, where an operator chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    Only,
    Bit(u32),
}

/// An operand of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// Its shape.
    pub shape: Vec<usize>,
    /// Whether it is a constant of the model.
    pub constant: bool,
    /// Its elements, row-major.
    pub values: Vec<i64>,
}

impl Operand {
    /// Returns the elements as f32, which holds them exactly.
    pub fn floats(&self) -> Vec<f32> {
        self.values.iter().map(|&value| value as f32).collect()
    }
}

/// An array: the result that is expected, or that a program gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The shape.
    pub shape: Vec<usize>,
    /// The elements, row-major.
    pub values: Vec<f64>,
}

impl<'a> Question<'a> {
    /// Lists the questions about a case: one for each choice of constants, and for `select` one for each bit of the condition's numbers.
    pub fn all(case: &'a Case) -> Vec<Self> {
        let bits =
            case.operands[0].iter().product::<usize>().saturating_sub(1).checked_ilog2().map_or(1, |bit| bit + 1);
        let family = case.id.subject.family();
        let rounds: Vec<Round> = match family.name {
            "select" if matches!(case.expected, Expected::Result { .. }) => (0..bits).map(Round::Bit).collect(),
            "select" => vec![Round::Bit(0)],
            _ => vec![Round::Only],
        };
        let all = family.kinds.iter().flat_map(|&kinds| rounds.iter().map(move |&round| (kinds, round)));
        all.map(|(kinds, round)| Question { case, kinds, round }).collect()
    }

    /// Finds a question about a case by the end of its id: `ic`, or `iii.0`.
    pub fn named(case: &'a Case, kinds: &str) -> Option<Self> {
        let end = |question: &Self| match question.round {
            Round::Only => question.kinds.to_owned(),
            Round::Bit(bit) => format!("{}.{bit}", question.kinds),
        };
        Self::all(case).into_iter().find(|question| end(question) == kinds)
    }

    /// Returns the name of the family of operators: `add`, `prelu`.
    pub fn family(&self) -> &'static str {
        self.case.id.subject.family().name
    }

    /// Returns the rule with its parameters.
    pub fn rule(&self) -> &Rule {
        &self.case.rule
    }

    /// Returns the target shape of an `expand`, and nothing for other families.
    pub fn target(&self) -> &[usize] {
        self.case.rule.params().target.as_deref().unwrap_or_default()
    }

    /// Returns the case.
    pub fn case(&self) -> &'a Case {
        self.case
    }

    /// Returns which operands are constants: a letter for each, `i` or `c`.
    pub fn kinds(&self) -> &'static str {
        self.kinds
    }

    /// Returns the name: the id of the case and the kinds, `add-numpy-r3-0312:ic`.
    pub fn id(&self) -> String {
        match self.round {
            Round::Only => format!("{}:{}", self.case.id, self.kinds),
            Round::Bit(bit) => format!("{}:{}.{bit}", self.case.id, self.kinds),
        }
    }

    /// Returns the operands with their elements.
    pub fn operands(&self) -> Vec<Operand> {
        let shapes = match self.family() {
            "gemm" => {
                let product = &self.case.operands[0];
                vec![vec![product[0], 1], vec![1, product[1]], self.case.operands[1].clone()]
            }
            _ => self.case.operands.clone(),
        };
        let operand = |(k, (shape, kind)): (usize, (Vec<usize>, char))| {
            let values = (0..shape.iter().product()).map(|i| self.value(k, i)).collect();
            Operand { shape, constant: kind == 'c', values }
        };
        shapes.into_iter().zip(self.kinds.chars()).enumerate().map(operand).collect()
    }

    /// Returns element `i` of operand `k`.
    fn value(&self, k: usize, i: usize) -> i64 {
        let sizes: Vec<i64> =
            self.case.operands.iter().map(|shape| shape.iter().product::<usize>().max(1) as i64).collect();
        let i = i as i64;
        match (self.family(), k) {
            ("prelu", 0) => -(i + 1),
            ("prelu", _) => 1 + (sizes[0] + 1) * i,
            ("select", 0) => match self.round {
                Round::Bit(bit) => i >> bit & 1,
                Round::Only => 0,
            },
            ("select", 1) => 1 + i,
            ("select", _) => -1 - i,
            ("gemm", 0 | 1) => 0,
            ("gemm", _) => i,
            _ => i * sizes[..k].iter().product::<i64>(),
        }
    }

    /// Returns the result of the operator for one element from each operand.
    fn result(&self, elements: &[usize]) -> i64 {
        let value = |k: usize| self.value(k, elements[k]);
        match self.family() {
            "sub" => value(0) - value(1),
            "prelu" => value(0) * value(1),
            "select" => {
                if value(0) != 0 {
                    value(1)
                } else {
                    value(2)
                }
            }
            // The product is 0, so the result is that of C.
            "gemm" => self.value(2, elements[1]),
            _ => (0..elements.len()).map(value).sum(),
        }
    }

    /// Returns the result, or nothing where the rule rejects the shapes.
    pub fn expected(&self) -> Option<Array> {
        let Expected::Result { shape, elements } = &self.case.expected else { return None };
        let count = shape.iter().product();
        let at = |i: usize| elements.iter().map(|own| own[i]).collect::<Vec<_>>();
        let values = (0..count).map(|i| self.result(&at(i)) as f64).collect();
        Some(Array { shape: shape.clone(), values })
    }

    /// Finds elements of the operands from which the operator makes this value.
    fn elements(&self, value: f64) -> Option<Vec<usize>> {
        const MOST: usize = 1 << 20;
        let sizes: Vec<usize> = self.case.operands.iter().map(|shape| shape.iter().product()).collect();
        let count =
            sizes.iter().try_fold(1_usize, |count, &size| count.checked_mul(size)).filter(|&count| count <= MOST)?;
        (0..count).find_map(|mut at| {
            let mut elements = vec![0; sizes.len()];
            for (element, size) in elements.iter_mut().zip(&sizes).rev() {
                *element = at % size;
                at /= size;
            }
            (self.result(&elements) as f64 == value).then_some(elements)
        })
    }

    /// Returns the question as a line of the protocol.
    pub fn json(&self) -> Value {
        let mut line = Map::new();
        line.insert("id".into(), json!(self.id()));
        line.insert("op".into(), json!(self.family()));
        line.extend(parameters(&self.case.rule));
        line.insert("dtype".into(), json!("f32"));
        let operand = |one: Operand| json!({"shape": one.shape, "constant": one.constant, "values": one.values});
        line.insert("operands".into(), self.operands().into_iter().map(operand).collect());
        if let Expected::Result { shape, .. } = &self.case.expected {
            line.insert("shape".into(), json!(shape));
        }
        Value::Object(line)
    }

    /// Lists the other rules of the family under which an answer is right.
    ///
    /// ```
    /// use broadaxe_atlas::{Answer, Array, Case, Question};
    /// let case = Case::new("add-numpy-r2-0034".parse()?)?;
    /// let question = &Question::all(&case)[0];
    /// // (2, 2) and (2,): b is read along the first axis.
    /// let answer = Answer::Result(Array { shape: vec![2, 2], values: vec![0.0, 1.0, 6.0, 7.0] });
    /// let rules = question.rules_of(&answer);
    /// assert!(rules.iter().any(|rule| rule.label() == "ncnn"));
    /// # Ok::<(), broadaxe_atlas::Error>(())
    /// ```
    pub fn rules_of(&self, answer: &Answer) -> Vec<&'static Subject> {
        let (own, id) = (self.case.id.subject, self.id());
        let kinds = id.rsplit(':').next().unwrap_or_default();
        let is_other = |subject: &&Subject| {
            let is_alike = std::ptr::eq(subject.family(), own.family()) && subject.has_target() == own.has_target();
            is_alike && subject.label() != own.label() && subject.has_ranks(&self.case.id.pattern.ranks())
        };
        let is_right = |subject: &&'static Subject| {
            let case = Case::new(Id { subject, ..self.case.id.clone() });
            let question = case.as_ref().ok().and_then(|case| Question::named(case, kinds));
            question.is_some_and(|question| question.judge(answer) == Verdict::Right)
        };
        Subject::all().iter().filter(is_other).filter(is_right).collect()
    }

    /// Judges an answer.
    pub fn judge(&self, answer: &Answer) -> Verdict {
        let got = match answer {
            Answer::Skipped(why) => return Verdict::Skipped(why.clone()),
            Answer::Crashed(why) => return Verdict::Wrong(Failure::Crashed(why.clone())),
            Answer::Rejected(why) if self.expected().is_some() => {
                return Verdict::Wrong(Failure::Rejected(why.clone()));
            }
            Answer::Rejected(_) => return Verdict::Right,
            Answer::Result(got) => got,
        };
        let Some(want) = self.expected() else { return Verdict::Wrong(Failure::Accepted(got.shape.clone())) };
        if got.shape != want.shape {
            return Verdict::Wrong(Failure::Shape { got: got.shape.clone(), want: want.shape });
        }
        if got.values.len() != want.values.len() {
            let counts = [got.values.len(), want.values.len()];
            return Verdict::Wrong(Failure::Crashed(format!(
                "the answer has {} elements, and its shape {}",
                counts[0], counts[1]
            )));
        }
        let differ = |(got, want): (&f64, &f64)| got != want;
        match got.values.iter().zip(&want.values).position(differ) {
            None => Verdict::Right,
            Some(at) => {
                let from = |value| self.elements(value);
                let (got, want) = (got.values[at], want.values[at]);
                Verdict::Wrong(Failure::Value { at, got, want, from: from(got), wanted: from(want) })
            }
        }
    }
}

/// What a program answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A result.
    Result(Array),
    /// The engine rejects the shapes, with this message.
    Rejected(String),
    /// The engine was not asked, for this reason.
    Skipped(String),
    /// The program ended, did not answer in time, or wrote something that is no answer.
    Crashed(String),
}

/// What an answer is worth.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The result is that of the rule, or both reject the shapes.
    Right,
    /// The engine was not asked.
    Skipped(String),
    /// The answer is another one than the rule gives.
    Wrong(Failure),
}

/// How an answer differs from that of the rule.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// An element of the result is another one. `from` and `wanted` are elements of the operands that give the two values, where such exist.
    Value {
        /// The number of the element, row-major.
        at: usize,
        /// The value of the answer.
        got: f64,
        /// The value under the rule.
        want: f64,
        /// The elements that give the value of the answer.
        from: Option<Vec<usize>>,
        /// The elements that give the value under the rule.
        wanted: Option<Vec<usize>>,
    },
    /// The result has another shape.
    Shape {
        /// The shape of the answer.
        got: Vec<usize>,
        /// The shape under the rule.
        want: Vec<usize>,
    },
    /// The engine accepts shapes that the rule rejects; its result has this shape.
    Accepted(Vec<usize>),
    /// The engine rejects shapes that the rule accepts.
    Rejected(String),
    /// The program gave no answer.
    Crashed(String),
}

impl Failure {
    /// Returns the name of this kind of failure: `value`, `shape`, `accepted`, `rejected`, `crash`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Value { .. } => "value",
            Self::Shape { .. } => "shape",
            Self::Accepted(_) => "accepted",
            Self::Rejected(_) => "rejected",
            Self::Crashed(_) => "crash",
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |elements: &Option<Vec<usize>>| {
            let named = |(k, at): (usize, &usize)| format!("{}[{at}]", char::from(b'a' + k as u8));
            elements.as_ref().map_or("no elements of the operands".into(), |all| {
                all.iter().enumerate().map(named).collect::<Vec<_>>().join(" and ")
            })
        };
        match self {
            Self::Value { at, got, want, from, wanted } if from == wanted => {
                write!(f, "element {at} of the result is {got}, and {want} under the rule")
            }
            Self::Value { at, from, wanted, .. } => {
                write!(
                    f,
                    "element {at} of the result comes from {}, and from {} under the rule",
                    list(from),
                    list(wanted)
                )
            }
            Self::Shape { got, want } => write!(f, "the result has the shape {got:?}, and {want:?} under the rule"),
            Self::Accepted(shape) => {
                write!(f, "accepts shapes that the rule rejects; its result has the shape {shape:?}")
            }
            Self::Rejected(why) => write!(f, "rejects shapes that the rule accepts: {why}"),
            Self::Crashed(why) => f.write_str(why),
        }
    }
}

impl Answer {
    /// Reads the answer to a question from a line of the protocol.
    pub fn read(line: &str, id: &str) -> Self {
        let wrong = |why: &str| Self::Crashed(format!("a line that is no answer: {why}"));
        let Ok(Value::Object(line)) = serde_json::from_str(line) else { return wrong("it is not an object of JSON") };
        match line.get("id").and_then(Value::as_str) {
            Some(own) if own == id => (),
            Some(own) => return wrong(&format!("it has the id {own:?}, and the question {id:?}")),
            None => return wrong("it has no id"),
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let Some(why) = line.get("skip") {
            return Self::Skipped(text(why));
        }
        if let Some(why) = line.get("reject") {
            return Self::Rejected(text(why));
        }
        let dims = |value: &Value| {
            value.as_array()?.iter().map(|dim| dim.as_u64().map(|dim| dim as usize)).collect::<Option<Vec<_>>>()
        };
        // A value that is not a finite number is null in JSON, and never right.
        let numbers =
            |value: &Value| Some(value.as_array()?.iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect());
        match (line.get("shape").and_then(dims), line.get("values").and_then(numbers)) {
            (Some(shape), Some(values)) => Self::Result(Array { shape, values }),
            (None, _) => wrong("it has neither 'shape', a list of dims, nor 'reject' or 'skip'"),
            (_, None) => wrong("it has no 'values', a list of numbers"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Theme;

    fn case(family: &str, rule: &str, pattern: &str) -> Case {
        let (subject, pattern) = (Subject::named(family, rule).unwrap(), pattern.parse().unwrap());
        Case::new(Id { subject, pattern, theme: Theme::Small }).unwrap()
    }

    #[test]
    fn every_choice_of_elements_has_another_result() {
        let table = [
            ("add", "numpy", "ab,b"),
            ("sub", "numpy", "ab,ab"),
            ("sum", "numpy", "ab,b,a1"),
            ("prelu", "unidirectional", "ab,b"),
            ("gemm", "gemm-c", "ab,a1"),
        ];
        for (family, rule, pattern) in table {
            let case = case(family, rule, pattern);
            let question = &Question::all(&case)[0];
            let sizes: Vec<usize> = case.operands.iter().map(|shape| shape.iter().product()).collect();
            let mut seen = std::collections::BTreeMap::new();
            for mut at in 0..sizes.iter().product::<usize>() {
                let mut elements = vec![0; sizes.len()];
                for (element, size) in elements.iter_mut().zip(&sizes) {
                    *element = at % size;
                    at /= size;
                }
                let code = if family == "gemm" { elements[1..].to_vec() } else { elements.clone() };
                let value = question.result(&elements);
                assert_eq!(seen.entry(value).or_insert(code.clone()), &code, "{family} {:?}", case.operands);
            }
        }
    }

    #[test]
    fn select_asks_for_each_bit_of_the_condition() {
        let case = case("select", "numpy", "ab,b,1");
        let ids: Vec<_> =
            Question::all(&case).iter().map(|question| question.id().split_once(':').unwrap().1.to_owned()).collect();
        assert_eq!(ids, ["iii.0", "iii.1", "iii.2", "iic.0", "iic.1", "iic.2"]);
    }

    #[test]
    fn judges() {
        let case = case("add", "numpy", "aa,a");
        let question = &Question::all(&case)[1];
        let said = |text: &str| match question.judge(&Answer::read(&text.replace("ID", &question.id()), &question.id()))
        {
            Verdict::Wrong(failure) => failure.to_string(),
            other => format!("{other:?}"),
        };
        let table = [
            (r#"{"id":"ID","shape":[2,2],"values":[0,5,2,7]}"#, "Right"),
            (
                r#"{"id":"ID","shape":[2,2],"values":[0,1,6,7]}"#,
                "element 1 of the result comes from a[1] and b[0], and from a[1] and b[1] under the rule",
            ),
            (
                r#"{"id":"ID","shape":[2,2],"values":[0,99,6,7]}"#,
                "element 1 of the result comes from no elements of the operands, and from a[1] and b[1] under the rule",
            ),
            (
                r#"{"id":"ID","shape":[4],"values":[0,5,2,7]}"#,
                "the result has the shape [4], and [2, 2] under the rule",
            ),
            (r#"{"id":"ID","shape":[2,2],"values":[0]}"#, "the answer has 1 elements, and its shape 4"),
            (r#"{"id":"ID","reject":"no"}"#, "rejects shapes that the rule accepts: no"),
            (r#"{"id":"ID","skip":"no constants"}"#, "Skipped(\"no constants\")"),
            (
                r#"{"id":"another"}"#,
                "a line that is no answer: it has the id \"another\", and the question \"add-numpy-r2-0034:ic\"",
            ),
            ("hello", "a line that is no answer: it is not an object of JSON"),
        ];
        for (answer, want) in table {
            assert_eq!(said(answer), want, "{answer}");
        }
    }
}
