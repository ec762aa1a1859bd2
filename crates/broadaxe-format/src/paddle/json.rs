//! Parses JSON with places: every value knows its bytes, so that a change replaces only these.

use std::ops::Range;

use super::PROGRAM_LIMITS;
use crate::error::{Error, ErrorKind};

/// A value and its place.
#[derive(Debug)]
pub(super) struct Json {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

/// The kinds of values. Numbers stay text, as the file writes them.
#[derive(Debug)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    /// Returns the value of a key of an object.
    pub(super) fn get(&self, key: &str) -> Option<&Json> {
        let Kind::Map(entries) = &self.kind else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns the items of a list; anything else has none.
    pub(super) fn items(&self) -> &[Json] {
        if let Kind::List(items) = &self.kind { items } else { &[] }
    }

    /// Returns the text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }

    /// Returns the whole number, if it is one.
    pub(super) fn int(&self) -> Option<i64> {
        if let Kind::Number(text) = &self.kind { text.parse().ok() } else { None }
    }

    /// Returns the number, if it is one.
    pub(super) fn float(&self) -> Option<f64> {
        if let Kind::Number(text) = &self.kind { text.parse().ok() } else { None }
    }

    /// Returns the value of a required key of an object.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] when it is not there.
    pub(super) fn wanted(&self, key: &str) -> Result<&Json, Error> {
        self.get(key).ok_or_else(|| Error::format(format!("there should be \"{key}\" here")).at(self.place()))
    }

    /// Returns its place, for errors.
    pub(super) fn place(&self) -> String {
        format!("byte {}", self.span.start)
    }
}

/// A list or an object that is not complete.
enum Open {
    List(usize, Vec<Json>),
    Map(usize, Vec<(String, Json)>, String),
}

/// Reads a text.
///
/// # Errors
/// [`ErrorKind::Format`] for invalid JSON and for a repeated key, [`ErrorKind::Limit`] above [`PROGRAM_LIMITS`].
pub(super) fn parse(text: &str) -> Result<Json, Error> {
    let mut reader = JsonReader { text, at: 0 };
    let mut stack: Vec<Open> = Vec::new();
    let mut count = 0_usize;
    loop {
        count += 1;
        reader.space();
        let start = reader.at;
        // An empty list is never on the stack, and counts all the same.
        let depth = stack.len() + usize::from(matches!(reader.byte(), Some(b'{' | b'[')));
        for (what, number, most) in [
            ("values", count, PROGRAM_LIMITS.items),
            ("lists and objects inside each other", depth, PROGRAM_LIMITS.depth),
        ] {
            if number > most {
                let error = Error::new(ErrorKind::Limit, format!("there are more than {most} {what}"));
                return Err(error.at(format!("byte {start}")));
            }
        }
        let kind = match reader.byte() {
            Some(b'{') if !reader.empty(b'}') => {
                let key = reader.key(&[])?;
                stack.push(Open::Map(start, Vec::new(), key));
                continue;
            }
            Some(b'[') if !reader.empty(b']') => {
                stack.push(Open::List(start, Vec::new()));
                continue;
            }
            Some(b'{') => Kind::Map(Vec::new()),
            Some(b'[') => Kind::List(Vec::new()),
            _ => reader.plain()?,
        };
        let done = Json { kind, span: start..reader.at };
        if let Some(whole) = reader.close(&mut stack, done)? {
            return Ok(whole);
        }
    }
}

struct JsonReader<'t> {
    text: &'t str,
    at: usize,
}

impl JsonReader<'_> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self, want: &str) -> Error {
        Error::format(format!("expected {want}; the JSON is incomplete or damaged")).at(format!("byte {}", self.at))
    }

    fn space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips an opening bracket, and the closing one if it follows.
    fn empty(&mut self, close: u8) -> bool {
        self.at += 1;
        self.space();
        let empty = self.byte() == Some(close);
        self.at += usize::from(empty);
        empty
    }

    /// Reads a key and its colon.
    fn key(&mut self, entries: &[(String, Json)]) -> Result<String, Error> {
        self.space();
        let at = self.at;
        let key = self.quoted()?;
        let fail = |error: Error| Err(error.at(format!("byte {at}")));
        if entries.iter().any(|(name, _)| *name == key) {
            return fail(Error::format(format!("the key \"{key}\" occurs here a second time; remove one")));
        }
        if entries.len() >= PROGRAM_LIMITS.keys {
            return fail(Error::new(ErrorKind::Limit, format!("an object has more than {} keys", PROGRAM_LIMITS.keys)));
        }
        self.space();
        if self.byte() != Some(b':') {
            return Err(self.wrong("a colon"));
        }
        self.at += 1;
        Ok(key)
    }

    /// Reads a value that is not a list or an object.
    fn plain(&mut self) -> Result<Kind, Error> {
        let rest = &self.text[self.at..];
        let word = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "+-.".contains(c)).len();
        let word = &rest[..word];
        let kind = match word {
            "" => return self.quoted().map(Kind::Text),
            "null" => Kind::Null,
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            number if is_number(number) => Kind::Number(number.to_string()),
            _ => return Err(self.wrong("a value")),
        };
        self.at += word.len();
        Ok(kind)
    }

    /// Adds a value to the innermost list or object, closes those that end after it, and returns the outermost value.
    fn close(&mut self, stack: &mut Vec<Open>, mut done: Json) -> Result<Option<Json>, Error> {
        loop {
            self.space();
            done = match (stack.pop(), self.byte()) {
                (None, None) => return Ok(Some(done)),
                (Some(Open::List(start, mut items)), Some(end @ (b',' | b']'))) => {
                    self.at += 1;
                    items.push(done);
                    if end == b',' {
                        stack.push(Open::List(start, items));
                        return Ok(None);
                    }
                    Json { kind: Kind::List(items), span: start..self.at }
                }
                (Some(Open::Map(start, mut entries, key)), Some(end @ (b',' | b'}'))) => {
                    self.at += 1;
                    entries.push((key, done));
                    if end == b',' {
                        let key = self.key(&entries)?;
                        stack.push(Open::Map(start, entries, key));
                        return Ok(None);
                    }
                    Json { kind: Kind::Map(entries), span: start..self.at }
                }
                _ => return Err(self.wrong("a comma or the end of a list or an object")),
            };
        }
    }

    fn quoted(&mut self) -> Result<String, Error> {
        if self.byte() != Some(b'"') {
            return Err(self.wrong("a text in quotes"));
        }
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain =
                rest.find(|c: char| c == '"' || c == '\\' || c < ' ').ok_or_else(|| self.wrong("the end of a text"))?;
            text.push_str(&rest[..plain]);
            self.at += plain + 1;
            match rest.as_bytes()[plain] {
                b'"' => return Ok(text),
                b'\\' => text.push(self.escape()?),
                _ => return Err(self.wrong("no control character")),
            }
        }
    }

    /// Reads what follows a backslash.
    fn escape(&mut self) -> Result<char, Error> {
        let letter = self.byte().ok_or_else(|| self.wrong("a letter"))?;
        self.at += 1;
        Ok(match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex()?;
                let pair = (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with("\\u");
                if pair {
                    self.at += 2;
                    let low = self.hex()?;
                    let code = 0x1_0000 + ((high - 0xd800) << 10) + low.wrapping_sub(0xdc00) % 0x400;
                    char::from_u32(code).filter(|_| (0xdc00..0xe000).contains(&low))
                } else {
                    char::from_u32(high)
                }
                .ok_or_else(|| self.wrong("a character"))?
            }
            _ => return Err(self.wrong("a known escape")),
        })
    }

    fn hex(&mut self) -> Result<u32, Error> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let value = value.ok_or_else(|| self.wrong("four hexadecimal digits"))?;
        self.at += 4;
        Ok(value)
    }
}

/// Says whether a word is a number of JSON, which is stricter than [`str::parse`]: no leading 0, and digits around the point.
fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word).as_bytes();
    let digit = |at: usize| digits.get(at).is_some_and(u8::is_ascii_digit);
    let leading = digits.first() == Some(&b'0') && digit(1);
    let point = digits.iter().position(|&byte| byte == b'.').is_none_or(|at| digit(at + 1));
    digit(0) && !leading && point && word.parse::<f64>().is_ok()
}

/// Writes a text in quotes.
pub(super) fn quote(text: &str) -> String {
    let escape = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c < ' ' => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a value without spaces.
    fn show(json: &Json) -> String {
        match &json.kind {
            Kind::Null => "null".to_string(),
            Kind::Bool(value) => value.to_string(),
            Kind::Number(text) => text.clone(),
            Kind::Text(text) => quote(text),
            Kind::List(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(",")),
            Kind::Map(entries) => {
                let entry = |(key, value): &(String, Json)| format!("{}:{}", quote(key), show(value));
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
            }
        }
    }

    #[test]
    fn values() {
        let cases = [
            ("{}", "{}"),
            (" [ ] ", "[]"),
            ("[[],{},[1]]", "[[],{},[1]]"),
            ("{\"a\": 1.50e+3, \"b\": [true, false, null, -7]}", "{\"a\":1.50e+3,\"b\":[true,false,null,-7]}"),
            ("\"a\\n\\u00e9\\ud83d\\ude00\\\\\"", "\"a\\u000aé😀\\\\\""),
        ];
        for (text, want) in cases {
            let json = parse(text).unwrap();
            assert_eq!(show(&json), want);
            assert_eq!(json.span, (text.len() - text.trim_start().len())..text.trim_end().len(), "{text}");
        }
        let json = parse("{\"a\":[10,  {\"b\":2}]}").unwrap();
        let inner = &json.get("a").unwrap().items()[1];
        assert_eq!((inner.span.clone(), inner.get("b").and_then(Json::int)), (11..18, Some(2)));
    }

    #[test]
    fn rejections() {
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        let cases = [
            (String::new(), "byte 0"),
            ("{".to_string(), "byte 1"),
            ("[1,]".to_string(), "byte 3"),
            ("[1 2]".to_string(), "byte 3"),
            ("{\"a\":1,\"a\":2}".to_string(), "byte 7: the key \"a\" occurs here a second time"),
            ("{\"a\" 1}".to_string(), "byte 5: expected a colon"),
            ("\"a".to_string(), "byte 1"),
            ("\"\\x\"".to_string(), "byte 3: expected a known escape"),
            ("\"\\ud83d\\u0041\"".to_string(), "a character"),
            ("nul".to_string(), "byte 0: expected a value"),
            ("1.2.3".to_string(), "byte 0: expected a value"),
            ("nan".to_string(), "byte 0: expected a value"),
            ("1 1".to_string(), "byte 2"),
            ("]".to_string(), "byte 0"),
            (deep(200_000), "there are more than 512 lists and objects inside each other"),
        ];
        for (text, want) in cases {
            let error = parse(&text).unwrap_err().to_string();
            let head: String = text.chars().take(20).collect();
            assert!(error.contains(want), "{head}: {error}");
        }
    }

    #[test]
    fn the_innermost_list_or_object_counts_towards_the_depth() {
        for (innermost, own) in [("", 0), ("1", 0), ("{\"a\":1}", 1), ("[]", 1), ("{}", 1), (" [ ] ", 1)] {
            for (depth, want) in [(511, true), (512, true), (513, false)] {
                let around = depth - own;
                let read = parse(&("[".repeat(around) + innermost + &"]".repeat(around)));
                assert_eq!(read.is_ok(), want, "{depth} deep around {innermost:?}");
                if let Err(error) = read {
                    assert!(error.to_string().contains("there are more than 512 lists"), "{error}");
                }
            }
        }
    }
}
