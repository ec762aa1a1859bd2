//! Parses tokens to a list of steps, each after the steps it uses.
//!
//! Precedence is Python's, lowest first: comparisons, `|`, `^`, `&`, shifts, `+ -`, `* / // %`, unary `- + ~`, `**`.
//! Chains of one level are loops; only parentheses, calls and the right side of `**` go deeper, at most [`DEPTH`]
//! times. The list is flat, so nothing that reads it needs recursion either.

use std::collections::HashMap;

use broadaxe_frameworks::System;
use broadaxe_kernels::Reduction;

use super::{
    lex::{Lexer, Token, short},
    names,
};
use crate::{
    error::{Error, ErrorKind},
    frameworks::{self, Attribute},
    promote::Literal,
    stop,
};

/// How deep parentheses, calls and exponents may nest.
pub(super) const DEPTH: usize = 64;
/// The longest text, in bytes.
pub(super) const LENGTH: usize = 1 << 20;

/// One step of an expression; operands are positions in the list of steps.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) position: usize,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Number(Literal),
    /// An array, by its position in the list of names.
    Name(usize),
    Unary(&'static str, usize),
    Binary(&'static str, usize, usize),
    Call(Box<CallStep>),
}

/// A call by name; `system` is the framework before the dot.
#[derive(Debug)]
pub(super) struct CallStep {
    pub(super) system: Option<System>,
    pub(super) name: String,
    pub(super) arguments: Vec<usize>,
    /// Attributes by name; one given without a name has the empty one.
    pub(super) attributes: Vec<(String, Attribute)>,
}

/// What a text parses to.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) steps: Vec<Step>,
    pub(super) root: usize,
    pub(super) names: Vec<String>,
}

/// Parses a whole text.
pub(super) fn parse(text: &str) -> Result<Parsed, Error> {
    if text.len() > LENGTH {
        let message = format!("the expression has {} bytes; at most {LENGTH} are read", text.len());
        return Err(Error::new(ErrorKind::Syntax, message).at(LENGTH));
    }
    let mut lexer = Lexer::new(text);
    let (position, token) = lexer.next()?;
    let mut parser =
        Parser { text, lexer, position, token, depth: 0, steps: Vec::new(), names: Vec::new(), index: HashMap::new() };
    let root = parser.binary(0)?;
    if parser.token != Token::End {
        return Err(parser.stray());
    }
    Ok(Parsed { steps: parser.steps, root, names: parser.names })
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    position: usize,
    token: Token<'a>,
    depth: usize,
    steps: Vec<Step>,
    names: Vec<String>,
    index: HashMap<&'a str, usize>,
}

/// Binary operators by level; the exponent is not among them.
const LEVELS: [&[&str]; 7] =
    [&["==", "!=", "<", "<=", ">", ">="], &["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "//", "%"]];

impl<'a> Parser<'a> {
    fn advance(&mut self) -> Result<(usize, Token<'a>), Error> {
        let (position, token) = self.lexer.next()?;
        Ok((std::mem::replace(&mut self.position, position), std::mem::replace(&mut self.token, token)))
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.token, Token::Sign(found) if found == sign)
    }

    fn take(&mut self, sign: &str) -> Result<bool, Error> {
        let found = self.is(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn push(&mut self, position: usize, kind: Kind) -> usize {
        stop::checkpoint();
        stop::push(&mut self.steps, Step { position, kind });
        self.steps.len() - 1
    }

    fn fail(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Syntax, message).at(self.position)
    }

    fn deeper(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > DEPTH {
            let message = format!("the expression nests deeper than {DEPTH} levels; give parts of it their own names");
            return Err(self.fail(message));
        }
        Ok(())
    }

    /// Makes the error of a word in place of an operator or the end.
    fn stray(&self) -> Error {
        match &self.token {
            Token::Sign("=") => self.fail("an expression assigns nothing; to compare, write =="),
            Token::Sign("[") => {
                self.fail("indexing is not part of an expression; bind the part as an array of its own")
            }
            Token::Sign(".") => self.fail("attributes and methods but .real and .imag are not part of an expression"),
            Token::Sign(",") => {
                self.fail("an expression has one result; a comma is allowed only between operands of a call")
            }
            Token::Sign(")" | "]") => self.fail(format!("{} closes nothing", self.token.describe())),
            Token::Sign("(") => self.fail("only operators can be called; write * for a product"),
            Token::Name(name) => match keyword(name) {
                Some(hint) => self.fail(hint),
                None => self.fail(format!("an operator is missing before {}", self.token.describe())),
            },
            Token::Text(_) => self.fail(TEXT),
            token => self.fail(format!("an operator is missing before {}", token.describe())),
        }
    }

    fn operator(&self, level: usize) -> Option<(usize, &'static str)> {
        let Token::Sign(sign) = self.token else { return None };
        (level..LEVELS.len()).find(|at| LEVELS[*at].contains(&sign)).map(|at| (at, sign))
    }

    /// Parses operands joined by binary operators of this level or a tighter one.
    fn binary(&mut self, level: usize) -> Result<usize, Error> {
        let mut left = self.unary()?;
        while let Some((at, sign)) = self.operator(level) {
            let (position, _) = self.advance()?;
            let right = self.binary(at + 1)?;
            left = self.push(position, Kind::Binary(sign, left, right));
            if at == 0 && self.operator(0).is_some_and(|(next, _)| next == 0) {
                return Err(self.fail(
                    "a chain of comparisons cannot work element by element; write (a < b) & (b < c) for a < b < c",
                ));
            }
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<usize, Error> {
        let mut signs = Vec::new();
        while let Token::Sign(sign @ ("-" | "+" | "~")) = self.token {
            let (position, _) = self.advance()?;
            stop::push(&mut signs, (position, sign));
        }
        let mut step = self.power()?;
        for (position, sign) in signs.into_iter().rev() {
            step = self.push(position, Kind::Unary(sign, step));
        }
        Ok(step)
    }

    fn power(&mut self) -> Result<usize, Error> {
        let base = self.operand()?;
        if !self.is("**") {
            return Ok(base);
        }
        let (position, _) = self.advance()?;
        self.deeper()?;
        let exponent = self.unary()?;
        self.depth -= 1;
        Ok(self.push(position, Kind::Binary("**", base, exponent)))
    }

    /// Parses an operand with the parts that are taken of it: `(a - 1).real`.
    fn operand(&mut self) -> Result<usize, Error> {
        let mut step = self.primary()?;
        while self.part_ahead().is_some() {
            self.advance()?;
            let (position, token) = self.advance()?;
            let Token::Name(name) = token else { break };
            let call = CallStep { system: None, name: name.to_string(), arguments: vec![step], attributes: Vec::new() };
            step = self.push(position, Kind::Call(Box::new(call)));
        }
        Ok(step)
    }

    /// Returns the part of a number behind the dot that comes next: `real` or `imag`, and no call of that name.
    fn part_ahead(&self) -> Option<&'a str> {
        if !self.is(".") {
            return None;
        }
        let mut lexer = self.lexer.clone();
        let Ok((_, Token::Name(name @ ("real" | "imag")))) = lexer.next() else { return None };
        (!matches!(lexer.next(), Ok((_, Token::Sign("("))))).then_some(name)
    }

    fn primary(&mut self) -> Result<usize, Error> {
        match self.token.clone() {
            Token::Number(literal) => {
                let (position, _) = self.advance()?;
                Ok(self.push(position, Kind::Number(literal)))
            }
            Token::Name(name) => match keyword(name) {
                Some(hint) => Err(self.fail(hint)),
                None => self.named(name),
            },
            Token::Sign("(") => {
                let (open, _) = self.advance()?;
                self.deeper()?;
                let inner = self.binary(0)?;
                self.depth -= 1;
                if self.is(",") {
                    return Err(self.fail("a list of numbers is allowed only after a keyword: axes=(0, 2)"));
                }
                self.close(open)?;
                Ok(inner)
            }
            Token::Text(_) => Err(self.fail(TEXT)),
            Token::Sign("[") => Err(self.fail("a list is allowed only after a keyword: axes=[0, 2]")),
            Token::End if self.is_blank() => Err(self.fail("the expression is empty")),
            token => Err(self.fail(format!("an operand is missing before {}", token.describe()))),
        }
    }

    fn is_blank(&self) -> bool {
        matches!(Lexer::new(self.text).next(), Ok((_, Token::End)))
    }

    fn close(&mut self, open: usize) -> Result<(), Error> {
        if self.take(")")? {
            return Ok(());
        }
        Err(match self.token {
            Token::End => self.fail(format!("the parenthesis opened at byte {open} is never closed")),
            _ => self.stray(),
        })
    }

    /// Parses a name: an array, or a call when a parenthesis or a dot follows.
    fn named(&mut self, first: &'a str) -> Result<usize, Error> {
        let (position, _) = self.advance()?;
        if self.is("(") {
            return self.call(position, None, first);
        }
        if self.part_ahead().is_none() && self.take(".")? {
            let Token::Name(name) = self.token else {
                return Err(self.fail(format!("the name of an operator is missing after '{}.'", short(first))));
            };
            let system = match first {
                "np" | "numpy" => None,
                other => Some(
                    System::CALLED
                        .into_iter()
                        .find(|system| system.name() == other)
                        .ok_or_else(|| unknown_system(other, name).at(position))?,
                ),
            };
            self.advance()?;
            if !self.is("(") {
                let message =
                    format!("an operator is called with its operands: {}.{}(a, b)", short(first), short(name));
                return Err(self.fail(message));
            }
            return self.call(position, system, name);
        }
        let names = &mut self.names;
        let index = *self.index.entry(first).or_insert_with(|| {
            names.push(first.to_string());
            names.len() - 1
        });
        Ok(self.push(position, Kind::Name(index)))
    }

    fn call(&mut self, position: usize, system: Option<System>, name: &str) -> Result<usize, Error> {
        match system {
            None => names::check(name),
            Some(system) => frameworks::check(system, name),
        }
        .map_err(|error| error.at(position))?;
        let (open, _) = self.advance()?;
        self.deeper()?;
        let mut call = CallStep { system, name: name.to_string(), arguments: Vec::new(), attributes: Vec::new() };
        let folds = system.is_none() && Reduction::from_name(name).is_some();
        while !self.is(")") {
            // As in Python, no axis is every axis.
            if !(folds && self.no_axis(&call)?) {
                self.argument(&mut call)?;
            }
            if !self.take(",")? {
                break;
            }
        }
        self.close(open)?;
        if let (true, [first, second]) = (folds, &call.arguments[..]) {
            self.reject_axis(name, *first, *second)?;
        }
        self.depth -= 1;
        Ok(self.push(position, Kind::Call(Box::new(call))))
    }

    /// Reads `axis=None`, or `None` as the second operand.
    fn no_axis(&mut self, call: &CallStep) -> Result<bool, Error> {
        let named = self.keyword_ahead() == Some("axis");
        let mut ahead = self.lexer.clone();
        let value = if named { ahead.next().and_then(|_| ahead.next())?.1 } else { self.token.clone() };
        let given =
            if named { call.attributes.iter().any(|(key, _)| key == "axis") } else { call.arguments.len() != 1 };
        if value != Token::Name("None") || given {
            return Ok(false);
        }
        let words = if named { 3 } else { 1 };
        for _ in 0..words {
            self.advance()?;
        }
        Ok(true)
    }

    /// Rejects a number written out as the second operand of a reduction, which NumPy and numexpr read as the axis.
    fn reject_axis(&self, name: &str, first: usize, second: usize) -> Result<(), Error> {
        let (mut at, mut negative) = (second, false);
        while let Kind::Unary(sign @ ("-" | "+"), operand) = self.steps[at].kind {
            (at, negative) = (operand, negative ^ (sign == "-"));
        }
        let axis = match self.steps[at].kind {
            Kind::Number(Literal::Int(value)) => value,
            Kind::Number(Literal::Bool(value)) => i128::from(value),
            _ => return Ok(()),
        };
        let operand = match self.steps[first].kind {
            Kind::Name(index) => short(&self.names[index]),
            _ => "x".to_string(),
        };
        let error = two_meanings(name, &operand, if negative { -axis } else { axis });
        Err(error.at(self.steps[second].position))
    }

    fn argument(&mut self, call: &mut CallStep) -> Result<(), Error> {
        let start = self.position;
        if matches!(self.token, Token::Text(_) | Token::Sign("[")) {
            let value = self.attribute("")?;
            if call.attributes.iter().any(|(key, _)| key.is_empty()) {
                let message = "a second value without a name; write it as keyword=value";
                return Err(Error::new(ErrorKind::Syntax, message).at(start));
            }
            call.attributes.push((String::new(), value));
            return Ok(());
        }
        let Some(key) = self.keyword_ahead() else {
            if call.attributes.iter().any(|(key, _)| !key.is_empty()) {
                return Err(self.fail("operands come before keywords"));
            }
            let step = self.binary(0)?;
            call.arguments.push(step);
            return Ok(());
        };
        self.advance()?;
        self.advance()?;
        let value = self.attribute(key)?;
        if call.attributes.iter().any(|(known, _)| known == key) {
            return Err(Error::new(ErrorKind::Syntax, format!("{} is given twice", short(key))).at(start));
        }
        call.attributes.push((key.to_string(), value));
        Ok(())
    }

    /// Returns the name before `=`, if that is what comes next.
    fn keyword_ahead(&self) -> Option<&'a str> {
        let Token::Name(key) = self.token else { return None };
        matches!(self.lexer.clone().next(), Ok((_, Token::Sign("=")))).then_some(key)
    }

    /// Parses the value of an attribute: a number, a text, `True`, `False`, or a list of numbers.
    fn attribute(&mut self, key: &str) -> Result<Attribute, Error> {
        let close = match self.token {
            Token::Sign("[") => "]",
            Token::Sign("(") => ")",
            Token::Text(text) => {
                self.advance()?;
                return Ok(Attribute::Text(text.to_string()));
            }
            _ => {
                return Ok(match self.number(key)? {
                    (_, Literal::Bool(value)) => Attribute::Bool(value),
                    (position, Literal::Int(value)) => Attribute::Int(small(position, value)?),
                    (_, Literal::Float(value)) => Attribute::Float(value),
                });
            }
        };
        self.advance()?;
        let (mut ints, mut floats) = (Vec::new(), Vec::new());
        while !self.is(close) {
            let (position, literal) = self.number(key)?;
            match literal {
                Literal::Int(value) => ints.push(small(position, value)?),
                Literal::Float(_) => {}
                Literal::Bool(_) => {
                    return Err(Error::new(ErrorKind::Syntax, "a list holds numbers only").at(position));
                }
            }
            floats.push(literal.to_f64());
            if !self.take(",")? {
                break;
            }
        }
        if !self.take(close)? {
            return Err(self.fail(format!("the list is not closed; '{close}' is missing")));
        }
        Ok(if ints.len() == floats.len() { Attribute::Ints(ints) } else { Attribute::Floats(floats) })
    }

    fn number(&mut self, key: &str) -> Result<(usize, Literal), Error> {
        let position = self.position;
        let mut negative = false;
        while let Token::Sign(sign @ ("-" | "+")) = self.token {
            negative ^= sign == "-";
            self.advance()?;
        }
        let Token::Number(literal) = self.token else {
            let what = if key.is_empty() { "the list".to_string() } else { short(key) };
            let found = self.token.describe();
            return Err(self.fail(format!(
                "{what} must be a number, a text in quotes, True, False or a list, written out; not {found}"
            )));
        };
        self.advance()?;
        let signed = match literal {
            Literal::Int(value) if negative => Literal::Int(-value),
            Literal::Float(value) if negative => Literal::Float(-value),
            other => other,
        };
        Ok((position, signed))
    }
}

fn small(position: usize, value: i128) -> Result<i64, Error> {
    i64::try_from(value)
        .map_err(|_| Error::new(ErrorKind::Syntax, format!("{value} is larger than an attribute holds")).at(position))
}

/// What is said of texts among operands.
const TEXT: &str =
    "quoted text is allowed only after a keyword, rule=\"pdpd\"; elements are numbers, so compare texts before";

/// Explains a word of Python that cannot be a name here.
fn keyword(name: &str) -> Option<&'static str> {
    Some(match name {
        "not" => "'not' cannot work element by element; write ~",
        "and" => "'and' cannot work element by element; write & with each comparison in parentheses",
        "or" => "'or' cannot work element by element; write | with each comparison in parentheses",
        "if" | "else" => "a choice is written where(condition, value, otherwise)",
        "in" | "is" => "'in' and 'is' have no element-wise meaning; compare with ==",
        "lambda" | "for" | "def" | "import" | "return" | "yield" | "await" => {
            "an expression holds operators, calls, names and numbers; statements have no meaning here"
        }
        "None" => "None has no dtype; leave the argument out",
        _ => return None,
    })
}

/// Makes the error of `first.name`, where `first` is not a framework: often an attribute of an array.
fn unknown_system(first: &str, name: &str) -> Error {
    let names: Vec<&str> = System::CALLED.iter().map(|system| system.name()).collect();
    let (first, name, names) = (short(first), short(name), names.join(", "));
    let text = match name.as_str() {
        "T" | "mT" | "transpose" | "swapaxes" | "permute" => {
            format!("'{first}.{name}' has no meaning here: expressions do not transpose; transpose the array before")
        }
        _ => format!(
            "'{first}.{name}' has no meaning here: '{first}' is not a framework, and arrays have no attributes but .real and .imag; the frameworks are {names}"
        ),
    };
    Error::new(ErrorKind::Name, text)
}

/// Makes the error of a number written out as the second operand: an axis in NumPy and numexpr, an element-wise operand here.
fn two_meanings(name: &str, operand: &str, number: i128) -> Error {
    let joined = match name {
        "sum" => format!(", or {operand} + {number} to add"),
        "prod" => format!(", or {operand} * {number} to multiply"),
        "mean" => format!(", or ({operand} + {number}) / 2 to average element by element"),
        "max" => format!(", or maximum({operand}, {number}) for the larger of both"),
        "min" => format!(", or minimum({operand}, {number}) for the smaller of both"),
        _ => String::new(),
    };
    let message = format!(
        "{name}({operand}, {number}) has two meanings; write {name}({operand}, axis={number}) to fold axis {number}{joined}"
    );
    Error::new(ErrorKind::Syntax, message)
}

#[cfg(test)]
mod tests;
