//! Parses tokens to a list of steps, each after the steps it uses.
//!
//! Precedence is Python's, lowest first: comparisons, `|`, `^`, `&`, shifts, `+ -`, `* / // %`, unary `- + ~`, `**`.
//! Parentheses, calls and the right side of `**` nest at most [`DEPTH`] times. What is open is a list, not recursion, and
//! so are the steps, so depth costs no stack here nor where they are read.

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
pub(super) const DEPTH: usize = 10_000;
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
    let mut parser = Parser {
        text,
        lexer,
        position,
        token,
        depth: 0,
        open: Vec::new(),
        steps: Vec::new(),
        names: Vec::new(),
        index: HashMap::new(),
    };
    let root = parser.expression()?;
    Ok(Parsed { steps: parser.steps, root, names: parser.names })
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    position: usize,
    token: Token<'a>,
    depth: usize,
    /// What is begun and not ended, the innermost last.
    open: Vec<Open>,
    steps: Vec<Step>,
    names: Vec<String>,
    index: HashMap<&'a str, usize>,
}

/// A part of the text that waits for its last operand, or for more of them; operands are positions in the list of steps.
enum Open {
    Unary(usize, &'static str),
    /// Its position, level, sign and left operand.
    Binary(usize, usize, &'static str, usize),
    Power(usize, usize),
    /// A parenthesis, by its position.
    Group(usize),
    Call(Box<OpenCall>),
}

/// A call up to some argument.
struct OpenCall {
    position: usize,
    /// The position of its parenthesis.
    open: usize,
    /// Whether it folds axes if it has one operand.
    folds: bool,
    step: CallStep,
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

    /// Returns the binary operator that comes next, and its level.
    fn operator(&self) -> Option<(usize, &'static str)> {
        let Token::Sign(sign) = self.token else { return None };
        (0..LEVELS.len()).find(|at| LEVELS[*at].contains(&sign)).map(|at| (at, sign))
    }

    /// Parses a whole text; what is begun and not ended waits in [`Parser::open`].
    fn expression(&mut self) -> Result<usize, Error> {
        loop {
            let Some(mut step) = self.operand()? else { continue };
            loop {
                step = self.parts(step)?;
                if self.is("**") {
                    let (position, _) = self.advance()?;
                    self.deeper()?;
                    self.begin(Open::Power(position, step));
                    break;
                }
                step = self.join(step)?;
                if let Some((level, sign)) = self.operator() {
                    let (position, _) = self.advance()?;
                    self.begin(Open::Binary(position, level, sign, step));
                    break;
                }
                match self.open.pop() {
                    None if self.token == Token::End => return Ok(step),
                    None => return Err(self.stray()),
                    Some(Open::Group(open)) => {
                        if self.is(",") {
                            return Err(self.fail("a list of numbers is allowed only after a keyword: axes=(0, 2)"));
                        }
                        self.close(open)?;
                        self.depth -= 1;
                    }
                    Some(Open::Call(mut call)) => {
                        call.step.arguments.push(step);
                        let more = self.take(",")?;
                        match self.arguments(call, more)? {
                            Some(done) => step = done,
                            None => break,
                        }
                    }
                    Some(Open::Unary(..) | Open::Binary(..) | Open::Power(..)) => {}
                }
            }
        }
    }

    /// Ends the operators that bind tighter than what comes next; chains of one level are joined from the left.
    fn join(&mut self, mut step: usize) -> Result<usize, Error> {
        let next = self.operator().map(|(level, _)| level);
        loop {
            match self.open.last() {
                Some(&Open::Unary(position, sign)) => step = self.push(position, Kind::Unary(sign, step)),
                Some(&Open::Power(position, base)) => {
                    self.depth -= 1;
                    step = self.push(position, Kind::Binary("**", base, step));
                }
                Some(&Open::Binary(position, level, sign, left)) if next.is_none_or(|next| next <= level) => {
                    step = self.push(position, Kind::Binary(sign, left, step));
                    if level == 0 && next == Some(0) {
                        return Err(self.fail(
                            "a chain of comparisons cannot work element by element; write (a < b) & (b < c) for a < b < c",
                        ));
                    }
                }
                _ => return Ok(step),
            }
            self.open.pop();
        }
    }

    fn begin(&mut self, open: Open) {
        stop::push(&mut self.open, open);
    }

    /// Parses the parts that are taken of an operand: `(a - 1).real`.
    fn parts(&mut self, mut step: usize) -> Result<usize, Error> {
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

    /// Parses an operand; `None` if what comes next only begins one: a sign, a parenthesis, a call.
    fn operand(&mut self) -> Result<Option<usize>, Error> {
        match self.token.clone() {
            Token::Number(literal) => {
                let (position, _) = self.advance()?;
                Ok(Some(self.push(position, Kind::Number(literal))))
            }
            Token::Name(name) => match keyword(name) {
                Some(hint) => Err(self.fail(hint)),
                None => self.named(name),
            },
            Token::Sign(sign @ ("-" | "+" | "~")) => {
                let (position, _) = self.advance()?;
                self.begin(Open::Unary(position, sign));
                Ok(None)
            }
            Token::Sign("(") => {
                let (open, _) = self.advance()?;
                self.deeper()?;
                self.begin(Open::Group(open));
                Ok(None)
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
    fn named(&mut self, first: &'a str) -> Result<Option<usize>, Error> {
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
        Ok(Some(self.push(position, Kind::Name(index))))
    }

    fn call(&mut self, position: usize, system: Option<System>, name: &str) -> Result<Option<usize>, Error> {
        match system {
            None => names::check(name),
            Some(system) => frameworks::check(system, name),
        }
        .map_err(|error| error.at(position))?;
        let (open, _) = self.advance()?;
        self.deeper()?;
        let step = CallStep { system, name: name.to_string(), arguments: Vec::new(), attributes: Vec::new() };
        let folds = system.is_none() && Reduction::from_name(name).is_some();
        self.arguments(Box::new(OpenCall { position, open, folds, step }), true)
    }

    /// Reads attributes up to the next operand of a call, for which `None` is returned, or to its end.
    fn arguments(&mut self, mut call: Box<OpenCall>, mut more: bool) -> Result<Option<usize>, Error> {
        while more && !self.is(")") {
            // As in Python, no axis is every axis.
            let is_read = call.folds && self.no_axis(&call.step)? || self.keyword(&mut call.step)?;
            if !is_read {
                self.begin(Open::Call(call));
                return Ok(None);
            }
            more = self.take(",")?;
        }
        self.close(call.open)?;
        self.depth -= 1;
        if let (true, [first, second]) = (call.folds, &call.step.arguments[..]) {
            self.reject_axis(&call.step.name, *first, *second)?;
        }
        Ok(Some(self.push(call.position, Kind::Call(Box::new(call.step)))))
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

    /// Reads an attribute, if that is what comes next.
    fn keyword(&mut self, call: &mut CallStep) -> Result<bool, Error> {
        let start = self.position;
        let key = self.keyword_ahead();
        if key.is_some() {
            self.advance()?;
            self.advance()?;
        } else if !matches!(self.token, Token::Text(_) | Token::Sign("[")) {
            if call.attributes.iter().any(|(key, _)| !key.is_empty()) {
                return Err(self.fail("operands come before keywords"));
            }
            return Ok(false);
        }
        let value = self.attribute(key.unwrap_or_default())?;
        if call.attributes.iter().any(|(known, _)| known == key.unwrap_or_default()) {
            let message = match key {
                None => "a second value without a name; write it as keyword=value".to_string(),
                Some(key) => format!("{} is given twice", short(key)),
            };
            return Err(Error::new(ErrorKind::Syntax, message).at(start));
        }
        call.attributes.push((key.unwrap_or_default().to_string(), value));
        Ok(true)
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
