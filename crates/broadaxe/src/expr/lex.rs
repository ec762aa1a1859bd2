//! Splits an expression into tokens: numbers, names, strings and signs, each with its byte position.
//!
//! The spelling is Python's. A word that means something in Python, C or NumPy but nothing here gets an error that
//! says what to write instead.

use crate::{
    error::{Error, ErrorKind},
    promote::Literal,
};

/// One word of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Number(Literal),
    Name(&'a str),
    Text(&'a str),
    Sign(&'static str),
    End,
}

impl Token<'_> {
    /// Says what this word is, for the end of a sentence.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Number(literal) => format!("the number {literal}"),
            Self::Name(name) => format!("'{}'", short(name)),
            Self::Text(text) => format!("the text \"{}\"", short(text)),
            Self::Sign(sign) => format!("'{sign}'"),
            Self::End => "the end".to_string(),
        }
    }
}

/// Returns a text that fits a sentence: the first 40 characters.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_string(),
    }
}

/// Signs, the longest first among those that begin alike.
const SIGNS: &[&str] = &[
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "<", ">", "&", "|", "^", "~", "(", ")",
    "[", "]", ",", "=", ".",
];

/// Returns a text without the blanks, comments and joined lines that it begins with.
fn skip_blank(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        rest = match rest.strip_prefix('#') {
            Some(comment) => &comment[comment.find('\n').unwrap_or(comment.len())..],
            None => match rest.strip_prefix("\\\n").or_else(|| rest.strip_prefix("\\\r\n")) {
                Some(joined) => joined,
                None => return rest,
            },
        };
    }
}

/// Reads words one by one.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    /// Returns the next word and its position.
    pub(super) fn next(&mut self) -> Result<(usize, Token<'a>), Error> {
        let rest = skip_blank(&self.text[self.position..]);
        let start = self.text.len() - rest.len();
        self.position = start;
        let Some(first) = rest.chars().next() else { return Ok((start, Token::End)) };
        let second = rest.as_bytes().get(1);
        let token = if first.is_ascii_digit() || (first == '.' && second.is_some_and(u8::is_ascii_digit)) {
            self.number(rest)?
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            self.position += end;
            match &rest[..end] {
                "True" => Token::Number(Literal::Bool(true)),
                "False" => Token::Number(Literal::Bool(false)),
                name => Token::Name(name),
            }
        } else if first == '"' || first == '\'' {
            self.quoted(rest, first)?
        } else {
            self.sign(rest, first)?
        };
        Ok((start, token))
    }

    fn fail<T>(&self, message: &str) -> Result<T, Error> {
        Err(Error::new(ErrorKind::Syntax, message).at(self.position))
    }

    fn sign(&mut self, rest: &'a str, first: char) -> Result<Token<'a>, Error> {
        let hints = [
            ("&&", "'&&' is not an operator here; write & with each comparison in parentheses"),
            ("||", "'||' is not an operator here; write | with each comparison in parentheses"),
            ("<>", "'<>' is not an operator here; write !="),
            ("===", "'===' is not an operator here; write =="),
            (":=", "an expression assigns nothing; write one expression and bind the names"),
        ];
        if let Some((_, hint)) = hints.iter().find(|(sign, _)| rest.starts_with(sign)) {
            return self.fail(hint);
        }
        if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            self.position += sign.len();
            return Ok(Token::Sign(sign));
        }
        match first {
            '!' => self.fail("'!' is not an operator here; write ~ for not, != for not equal"),
            '@' => self.fail("matrix products are not element-wise; '@' has no meaning here"),
            '\\' => self.fail("a backslash joins two lines only at the end of the first"),
            '\u{d7}' => self.fail("write * for a product"),
            '\u{2212}' | '\u{2013}' => self.fail("this is a typographic dash; write - for minus"),
            '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}' => self.fail("write straight quotes"),
            other => self.fail(&format!("the character {other:?} has no meaning in an expression")),
        }
    }

    fn quoted(&mut self, rest: &'a str, quote: char) -> Result<Token<'a>, Error> {
        let Some(end) = rest[1..].find(quote) else {
            return self.fail("the quote that opens here is never closed");
        };
        let text = &rest[1..=end];
        if text.contains(['\\', '\n']) {
            return self.fail("quoted text must not contain a backslash or a line break");
        }
        self.position += end + 2;
        Ok(Token::Text(text))
    }

    fn number(&mut self, rest: &'a str) -> Result<Token<'a>, Error> {
        let end = number_end(rest);
        let word = &rest[..end];
        let follows = rest[end..].chars().next();
        if matches!(follows, Some('j' | 'J')) {
            return self.fail("complex numbers are not among the dtypes");
        }
        if follows.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            let tail = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
            return self.fail(&format!("'{}' is neither a number nor a name", short(&rest[..tail])));
        }
        match literal(word) {
            Ok(literal) => {
                self.position += end;
                Ok(Token::Number(literal))
            }
            Err(why) => self.fail(&format!("'{}' {why}", short(word))),
        }
    }
}

/// Returns where the number at the start of this text ends.
fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let run = |from: usize, ok: fn(u8) -> bool| {
        from + bytes[from..].iter().take_while(|byte| ok(**byte) || **byte == b'_').count()
    };
    let digit: fn(u8) -> bool = |byte| byte.is_ascii_digit();
    if bytes[0] == b'0' && bytes.get(1).is_some_and(|b| b"xXoObB".contains(b)) {
        return run(2, |byte| byte.is_ascii_hexdigit());
    }
    let mut end = run(0, digit);
    if bytes.get(end) == Some(&b'.') {
        end = run(end + 1, digit);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = run(end + 1 + sign, digit);
        }
    }
    end
}

/// Returns the base that a number is written in.
fn radix(word: &str) -> u32 {
    match word.as_bytes() {
        [b'0', b'x' | b'X', ..] => 16,
        [b'0', b'o' | b'O', ..] => 8,
        [b'0', b'b' | b'B', ..] => 2,
        _ => 10,
    }
}

/// Reads a number as Python does; the error continues the sentence after the word.
fn literal(word: &str) -> Result<Literal, &'static str> {
    let based = radix(word) != 10;
    let torn = |part: &str| part.starts_with('_') || part.ends_with('_');
    if word.contains("__") || word.ends_with('_') || (!based && word.split(['.', 'e', 'E', '+', '-']).any(torn)) {
        return Err("has an underscore that is not between two digits");
    }
    let plain: String = word.chars().filter(|c| *c != '_').collect();
    let radix = radix(&plain);
    if radix != 10 {
        let digits = &plain[2..];
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return Err("is not a whole number of its base");
        }
        return i128::from_str_radix(digits, radix).map(Literal::Int).map_err(|_| "is larger than any dtype holds");
    }
    if plain.contains(['.', 'e', 'E']) {
        return plain.parse().map(Literal::Float).map_err(|_| "is not a number");
    }
    if plain.starts_with('0') && plain.bytes().any(|byte| byte != b'0') {
        return Err("starts with 0; write it without, or as 0o... if it is octal");
    }
    plain.parse().map(Literal::Int).map_err(|_| "is larger than any dtype holds")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Result<Vec<Token<'_>>, Error> {
        let mut lexer = Lexer::new(text);
        let mut words = Vec::new();
        loop {
            match lexer.next()?.1 {
                Token::End => return Ok(words),
                token => words.push(token),
            }
        }
    }

    #[test]
    fn numbers_read_as_in_python() {
        use Literal::{Bool, Float, Int};
        let cases = [
            ("0", Int(0)),
            ("000", Int(0)),
            ("1_000", Int(1000)),
            ("0xFF", Int(255)),
            ("0x_dead_beef", Int(0xdead_beef)),
            ("0o17", Int(15)),
            ("0b1_01", Int(5)),
            ("1.", Float(1.0)),
            (".5", Float(0.5)),
            ("1e3", Float(1000.0)),
            ("1_0.0_1e1_0", Float(10.01e10)),
            ("2.5E-3", Float(0.0025)),
            ("1e999", Float(f64::INFINITY)),
            ("012.5", Float(12.5)),
            ("18446744073709551615", Int(18_446_744_073_709_551_615)),
            ("True", Bool(true)),
            ("False", Bool(false)),
        ];
        for (text, want) in cases {
            assert_eq!(words(text).unwrap(), [Token::Number(want)], "{text}");
        }
    }

    #[test]
    fn words_that_mean_nothing_say_what_to_write() {
        let cases = [
            ("1__0", 0, "underscore"),
            ("1_", 0, "underscore"),
            ("1._5", 0, "underscore"),
            ("1_.5", 0, "underscore"),
            ("012", 0, "starts with 0"),
            ("0x", 0, "whole number of its base"),
            ("0b12", 0, "whole number of its base"),
            ("3j", 0, "complex"),
            ("a + 12ab", 4, "'12ab' is neither a number nor a name"),
            ("999999999999999999999999999999999999999999999", 0, "larger than any dtype"),
            ("a && b", 2, "write &"),
            ("a || b", 2, "write |"),
            ("a <> b", 2, "write !="),
            ("!a", 0, "write ~"),
            ("a @ b", 2, "matrix"),
            ("a $ b", 2, "'$'"),
            ("\"abc", 0, "never closed"),
            ("'a\\n'", 0, "backslash"),
            ("a \u{2212} b", 2, "write -"),
            ("a \\ + b", 2, "backslash"),
        ];
        for (text, position, part) in cases {
            let error = words(text).unwrap_err();
            assert_eq!(error.position(), Some(position), "{text}: {error}");
            assert!(error.to_string().contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn comments_and_joined_lines_are_blank() {
        let plain = words("a + b").unwrap();
        for text in ["a + b # sum('", "# c\na + b", "a + # x\n# y\n b", "a + \\\n b", "a + \\\r\n b#", "a + b\n#\n"] {
            assert_eq!(words(text).unwrap(), plain, "{text:?}");
        }
        assert!(words("# only\n #").unwrap().is_empty());
        assert_eq!(words("add(a, '#')").unwrap()[4], Token::Text("#"));
    }

    #[test]
    fn signs_are_as_long_as_they_can_be() {
        let text = "a**b//c<<d>=e!=f=g'h'x.y";
        let signs: Vec<_> = words(text)
            .unwrap()
            .into_iter()
            .filter_map(|token| if let Token::Sign(sign) = token { Some(sign) } else { None })
            .collect();
        assert_eq!(signs, ["**", "//", "<<", ">=", "!=", "=", "."]);
    }
}
