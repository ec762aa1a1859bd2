//! Reads one line of a case file, word by word.

use std::collections::HashSet;

use super::{
    AlignCase, Aligned, ArithmeticCase, CaseFile, Cases, Error, ErrorKind, Rewrite, RewriteCase, RuleText,
    SymbolicCase, SymbolicDim, SymbolicShape, WantedText,
};

/// Reads a file; `ids` gathers the ids, which must differ.
pub(super) fn read(name: String, text: &str, ids: &mut HashSet<String>) -> Result<CaseFile, Error> {
    let mut cases: Option<Cases> = None;
    let mut last = 0;
    let fail = |line: usize, message: String| Error { kind: ErrorKind::Line, file: name.clone(), line, message };
    for (index, line) in text.lines().enumerate() {
        last = index;
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let done = match (&mut cases, line.strip_prefix("kind ")) {
            (None, Some(kind)) => kind_of(kind).map(|none| cases = Some(none)),
            (None, None) => Err("a case before the line 'kind'".into()),
            (Some(_), Some(_)) => Err("a second line 'kind'".into()),
            (Some(cases), None) => push(cases, line, ids),
        };
        done.map_err(|message| fail(index + 1, message))?;
    }
    let cases = cases.ok_or_else(|| fail(last + 1, "no line 'kind' before the end".into()))?;
    if cases.is_empty() {
        return Err(fail(last + 1, "the file has no cases".into()));
    }
    Ok(CaseFile { name, cases })
}

fn kind_of(kind: &str) -> Result<Cases, String> {
    match kind {
        "align" => Ok(Cases::Align(Vec::new())),
        "symbolic" => Ok(Cases::Symbolic(Vec::new())),
        "rewrite" => Ok(Cases::Rewrite(Vec::new())),
        "arithmetic" => Ok(Cases::Arithmetic(Vec::new())),
        _ => Err(format!("'{kind}' is no kind of cases")),
    }
}

fn push(cases: &mut Cases, line: &str, ids: &mut HashSet<String>) -> Result<(), String> {
    let mut halves = line.split(" -> ");
    let (Some(ask), Some(answer), None) = (halves.next(), halves.next(), halves.next()) else {
        return Err("' -> ' must be in a case once".into());
    };
    let mut words = Words { ask: ask.split_whitespace().collect(), answer: answer.split_whitespace().collect() };
    words.ask.reverse();
    words.answer.reverse();
    let id = words.asked("an id")?.to_owned();
    if !ids.insert(id.clone()) {
        return Err(format!("the id {id} comes twice"));
    }
    match cases {
        Cases::Align(list) => list.push(align(id, &mut words)?),
        Cases::Symbolic(list) => list.push(symbolic(id, &mut words)?),
        Cases::Rewrite(list) => list.push(rewrite(id, &mut words)?),
        Cases::Arithmetic(list) => list.push(arithmetic(id, &mut words)?),
    }
    match words.answer.pop().or(words.ask.pop()) {
        Some(word) => Err(format!("'{word}' is one word too many")),
        None => Ok(()),
    }
}

/// The words still to be read, the next one last.
struct Words<'a> {
    ask: Vec<&'a str>,
    answer: Vec<&'a str>,
}

impl<'a> Words<'a> {
    fn asked(&mut self, what: &str) -> Result<&'a str, String> {
        self.ask.pop().ok_or_else(|| format!("{what} is missing"))
    }

    fn answered(&mut self, what: &str) -> Result<&'a str, String> {
        self.answer.pop().ok_or_else(|| format!("{what} is missing"))
    }

    fn is_error(&mut self) -> bool {
        let error = self.answer.last() == Some(&"error");
        if error {
            self.answer.pop();
        }
        error
    }

    /// Reads shapes as long as words begin with a bracket.
    fn shapes(&mut self) -> Result<Vec<Vec<usize>>, String> {
        take_while(&mut self.ask, '(').map(shape).collect()
    }

    /// Reads a rule and its parameters; those it does not know are given to `other`.
    fn rule(&mut self, mut other: impl FnMut(&str, &str) -> Result<bool, String>) -> Result<RuleText, String> {
        let mut rule = RuleText { name: self.asked("a rule")?.to_owned(), ..RuleText::default() };
        while let Some(&word) = self.ask.last() {
            let Some((key, value)) = word.split_once('=') else { break };
            let twice = |there: bool| if there { Err(format!("'{word}' comes twice")) } else { Ok(()) };
            if other(key, value)? {
                self.ask.pop();
                continue;
            }
            match key {
                "axis" => {
                    twice(rule.axis.is_some())?;
                    rule.axis = Some(number(value)?);
                }
                "axes" => {
                    twice(rule.axes.is_some())?;
                    rule.axes = Some(numbers(value, ['[', ']'])?);
                }
                "target" => {
                    twice(rule.target.is_some())?;
                    rule.target = Some(numbers(value, ['(', ')'])?);
                }
                "mode" => {
                    twice(rule.mode.is_some())?;
                    rule.mode = Some(value.to_owned());
                }
                _ => return Err(format!("'{word}' is no parameter")),
            }
            self.ask.pop();
        }
        Ok(rule)
    }
}

fn take_while<'a>(words: &mut Vec<&'a str>, first: char) -> impl Iterator<Item = &'a str> {
    std::iter::from_fn(move || words.pop_if(|word| word.starts_with(first)))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("'{text}' is no whole number"))
}

fn inside(word: &str, [open, close]: [char; 2]) -> Result<&str, String> {
    let inner = word.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    inner.ok_or_else(|| format!("'{word}' is no {}", if open == '(' { "shape" } else { "list" }))
}

fn numbers<T: std::str::FromStr>(word: &str, brackets: [char; 2]) -> Result<Vec<T>, String> {
    let inner = inside(word, brackets)?;
    if inner.is_empty() { Ok(Vec::new()) } else { inner.split(',').map(number).collect() }
}

fn shape(word: &str) -> Result<Vec<usize>, String> {
    numbers(word, ['(', ')'])
}

fn align(id: String, words: &mut Words<'_>) -> Result<AlignCase, String> {
    let rule = words.rule(|_, _| Ok(false))?;
    let shapes = words.shapes()?;
    if words.is_error() {
        return Ok(AlignCase { id, rule, shapes, want: None });
    }
    let result = shape(words.answered("the result's shape")?)?;
    let split = take_while(&mut words.answer, '(').map(shape).next().transpose()?;
    let strides: Vec<Vec<isize>> =
        take_while(&mut words.answer, '[').map(|word| numbers(word, ['[', ']'])).collect::<Result<_, _>>()?;
    if strides.len() != shapes.len() {
        return Err(format!("{} strides for {} operands", strides.len(), shapes.len()));
    }
    let rank = split.as_ref().unwrap_or(&result).len();
    if let Some(list) = strides.iter().find(|list| list.len() != rank) {
        return Err(format!("{} strides for a result of rank {rank}", list.len()));
    }
    Ok(AlignCase { id, rule, shapes, want: Some(Aligned { shape: result, split, strides }) })
}

fn symbolic(id: String, words: &mut Words<'_>) -> Result<SymbolicCase, String> {
    let (mut dims, mut target) = (None, None);
    let rule = words.rule(|key, value| {
        match key {
            "dims" if ["onnx", "openvino"].contains(&value) => dims = Some(value.to_owned()),
            "target" => target = Some(symbolic_shape(value)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let dims = dims.ok_or("no dims=FRAMEWORK")?;
    let shapes = take_while(&mut words.ask, '(').map(symbolic_shape).collect::<Result<_, _>>()?;
    let want = if words.is_error() { None } else { Some(symbolic_shape(words.answered("the result's shape")?)?) };
    Ok(SymbolicCase { id, dims, rule, target, shapes, want })
}

fn symbolic_shape(word: &str) -> Result<SymbolicShape, String> {
    match inside(word, ['(', ')'])? {
        "..." => Ok(None),
        "" => Ok(Some(Vec::new())),
        inner => Ok(Some(inner.split(',').map(symbolic_dim).collect::<Result<_, _>>()?)),
    }
}

fn symbolic_dim(text: &str) -> Result<SymbolicDim, String> {
    let fail = || format!("'{text}' is no dim");
    let is_name = |name: &str| name.starts_with(|c: char| c.is_ascii_alphabetic());
    let (name, range) = match text.split_once(':') {
        Some((name, range)) if is_name(name) => (Some(name.to_owned()), range),
        Some(_) => return Err(fail()),
        None if is_name(text) => (Some(text.to_owned()), "?"),
        None => (None, text),
    };
    let bound = |text: &str| text.parse::<u64>().map_err(|_| fail());
    let (low, high) = match range.split_once("..") {
        None if range == "?" => (0, None),
        None => (bound(range)?, Some(bound(range)?)),
        Some((low, "")) => (bound(low)?, None),
        Some((low, high)) => (bound(low)?, Some(bound(high)?)),
    };
    if high.is_some_and(|high| high < low) {
        return Err(fail());
    }
    Ok(SymbolicDim { name, low, high })
}

fn rewrite(id: String, words: &mut Words<'_>) -> Result<RewriteCase, String> {
    let from = words.rule(|_, _| Ok(false))?;
    keyword("to", words.asked("'to'")?)?;
    let to = words.asked("a rule")?.to_owned();
    let shapes = words.shapes()?;
    let how = match words.answered("how to rewrite")? {
        "direct" => Rewrite::Direct,
        "swap" => Rewrite::Swap,
        "expand" => Rewrite::Expand,
        "reshape" => Rewrite::Reshape(take_while(&mut words.answer, '(').map(shape).collect::<Result<_, _>>()?),
        how => return Err(format!("'{how}' is no way to rewrite")),
    };
    keyword("gives", words.answered("'gives'")?)?;
    let result = shape(words.answered("the result's shape")?)?;
    Ok(RewriteCase { id, from, to, shapes, how, result })
}

fn keyword(want: &str, word: &str) -> Result<(), String> {
    if word == want { Ok(()) } else { Err(format!("expected '{want}', not '{word}'")) }
}

fn arithmetic(id: String, words: &mut Words<'_>) -> Result<ArithmeticCase, String> {
    let (op, dtype) = (words.asked("an operator")?.to_owned(), words.asked("a dtype")?.to_owned());
    let args: Vec<String> = std::iter::from_fn(|| words.ask.pop()).map(str::to_owned).collect();
    let want = match words.answered("a value")? {
        "error" => WantedText::Refused,
        "unsupported" => WantedText::Unsupported,
        value => match value.strip_prefix('~') {
            Some("") => return Err("an empty value".into()),
            Some(near) => WantedText::Near(near.to_owned()),
            None => WantedText::Exact(value.to_owned()),
        },
    };
    Ok(ArithmeticCase { id, op, dtype, args, want })
}
