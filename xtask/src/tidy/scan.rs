//! Reads a Rust file as tokens and comments, so that no check mistakes a text for code.
//!
//! This is a lexer and no parser: it knows where strings, comments and lifetimes end, which braces match, which items
//! are compiled for tests only, and where functions begin and end. That is all the checks need, and it reads the whole
//! repository in a few milliseconds.

/// Tells the sorts of [`Token`] apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Word,
    /// A string, a character or a number.
    Literal,
    /// A lifetime or a label.
    Lifetime,
    /// One character, or `::`.
    Mark,
}

/// Holds one token and the line it begins on.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) kind: Kind,
    pub(crate) line: usize,
    /// Whether the token is compiled for tests only.
    pub(crate) test: bool,
}

impl Token {
    /// Says whether this is the name, keyword or mark `text`, and not a string that reads so.
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Mark) && self.text == text
    }
}

/// Holds one comment with its opening marks, and the line it begins on.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    pub(crate) text: String,
    pub(crate) line: usize,
}

impl Comment {
    /// Returns the sentence, without the marks that open it.
    pub(crate) fn said(&self) -> &str {
        self.text.trim_start_matches(['/', '*', '!']).trim()
    }

    /// Says whether this is documentation.
    pub(crate) fn is_doc(&self) -> bool {
        ["///", "//!", "/**", "/*!"].iter().any(|mark| self.text.starts_with(mark))
    }
}

/// Holds a function: where its signature begins, and where it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The index of its token `fn`.
    pub(crate) at: usize,
    pub(crate) line: usize,
    pub(crate) last: usize,
}

/// Holds one Rust file.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) lines: usize,
    pub(crate) tokens: Vec<Token>,
    pub(crate) comments: Vec<Comment>,
}

impl Source {
    /// Reads a file's text.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let mut source =
            Self { path: path.to_owned(), lines: text.lines().count(), tokens: Vec::new(), comments: Vec::new() };
        let (mut rest, mut line) = (text, 1);
        while let Some(first) = rest.chars().next() {
            let (piece, kind) = if first.is_whitespace() {
                (first.len_utf8(), None)
            } else if let Some(length) = comment(rest) {
                source.comments.push(Comment { text: rest[..length].to_owned(), line });
                (length, None)
            } else {
                let (length, kind) = token(rest);
                (length, Some(kind))
            };
            let (text, after) = rest.split_at(piece);
            if let Some(kind) = kind {
                source.tokens.push(Token { text: text.to_owned(), kind, line, test: false });
            }
            line += newlines(text);
            rest = after;
        }
        source.mark_tests();
        source
    }

    /// Says whether token `i` and those after it read like `words`.
    pub(crate) fn reads(&self, i: usize, words: &[&str]) -> bool {
        self.tokens.len() >= i + words.len() && self.tokens[i..].iter().zip(words).all(|(token, word)| token.is(word))
    }

    /// Returns the index of the bracket that closes the one at `open`, or of the last token.
    pub(crate) fn close(&self, open: usize) -> usize {
        let mut depth = 0;
        for (i, token) in self.tokens.iter().enumerate().skip(open).filter(|(_, token)| token.kind == Kind::Mark) {
            match token.text.as_str() {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return i;
            }
        }
        self.tokens.len() - 1
    }

    /// Returns the index of the first `{` or `;` outside parentheses, from token `i` on.
    fn body(&self, mut i: usize) -> Option<usize> {
        while i < self.tokens.len() {
            match &self.tokens[i] {
                token if token.is("{") || token.is(";") => return Some(i),
                token if token.is("(") || token.is("[") => i = self.close(i),
                _ => {}
            }
            i += 1;
        }
        None
    }

    /// Lists the functions that have a body, in the order they are written.
    pub(crate) fn functions(&self) -> Vec<Function> {
        let named = (0..self.tokens.len().saturating_sub(1))
            .filter(|&i| self.tokens[i].is("fn") && self.tokens[i + 1].kind == Kind::Word);
        let whole = named.filter_map(|at| {
            let open = self.body(at).filter(|&i| self.tokens[i].is("{"))?;
            let (line, last) = (self.tokens[at].line, self.tokens[self.close(open)].line);
            Some(Function { name: self.tokens[at + 1].text.clone(), at, line, last })
        });
        whole.collect()
    }

    /// Returns the line on which the statement or item that holds token `i` may begin: that of the token before it.
    pub(crate) fn statement(&self, i: usize) -> usize {
        let before = self.tokens[..i].iter().rfind(|token| token.is(";") || token.is("{") || token.is("}"));
        before.map_or(1, |token| token.line)
    }

    /// Lists the comments that begin on one of these lines.
    pub(crate) fn comments_in(&self, first: usize, last: usize) -> impl Iterator<Item = &Comment> {
        self.comments.iter().filter(move |comment| (first..=last).contains(&comment.line))
    }

    fn mark_tests(&mut self) {
        let parts: Vec<&str> = self.path.split('/').collect();
        let folder = parts.iter().any(|part| ["tests", "benches", "examples"].contains(part));
        if folder || self.path.ends_with("/tests.rs") {
            self.tokens.iter_mut().for_each(|token| token.test = true);
        }
        for i in 0..self.tokens.len() {
            let inner = self.reads(i, &["#", "!", "["]);
            if !inner && !self.reads(i, &["#", "["]) {
                continue;
            }
            let (open, has) = (i + 1 + usize::from(inner), |range: &[Token], word| range.iter().any(|t| t.is(word)));
            let shut = self.close(open);
            let attribute = &self.tokens[open..=shut];
            let alone = attribute.len() == 3 && attribute[1].is("test");
            if !(alone || has(attribute, "cfg") && has(attribute, "test") && !has(attribute, "not")) {
                continue;
            }
            let end = match self.body(shut + 1) {
                _ if inner => self.tokens.len() - 1,
                Some(end) => self.close(end),
                None => self.tokens.len() - 1,
            };
            self.tokens[i..=end].iter_mut().for_each(|token| token.test = true);
        }
    }
}

fn newlines(text: &str) -> usize {
    text.matches('\n').count()
}

/// Returns the length of the comment at the beginning of `rest`, if there is one.
fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if !rest.starts_with("/*") {
        return None;
    }
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let step = &rest[at..];
        if step.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if step.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
        } else {
            at += step.chars().next().map_or(1, char::len_utf8);
        }
        if depth == 0 {
            return Some(at);
        }
    }
    Some(rest.len())
}

/// Returns the length and the sort of the token at the beginning of `rest`, which is no space and no comment.
fn token(rest: &str) -> (usize, Kind) {
    if let Some(length) = string(rest) {
        return (length, Kind::Literal);
    }
    let quote = rest.strip_prefix('b').unwrap_or(rest);
    if quote.starts_with('\'') {
        return character(rest, quote);
    }
    let word = |from: &str| from.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(from.len());
    if let Some(raw) = rest.strip_prefix("r#") {
        return (2 + word(raw), Kind::Word);
    }
    if rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return (word(rest), Kind::Word);
    }
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        let whole = word(rest);
        let tail = rest[whole..].strip_prefix('.').filter(|tail| tail.starts_with(|c: char| c.is_ascii_digit()));
        return (whole + tail.map_or(0, |tail| 1 + word(tail)), Kind::Literal);
    }
    (if rest.starts_with("::") { 2 } else { rest.chars().next().map_or(1, char::len_utf8) }, Kind::Mark)
}

/// Returns the length of the string literal at the beginning of `rest`, raw or not, if there is one.
fn string(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "r", "b", "c"].into_iter().find(|p| {
        let after = rest.strip_prefix(p).unwrap_or("");
        after.starts_with('"') || p.ends_with('r') && after.trim_start_matches('#').starts_with('"')
    });
    let prefix = prefix.unwrap_or("");
    let after = &rest[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = after.len() - after.trim_start_matches('#').len();
        let end = format!("\"{}", &after[..hashes]);
        let open = prefix.len() + hashes + 1;
        return Some(rest[open..].find(&end).map_or(rest.len(), |at| open + at + end.len()));
    }
    if !after.starts_with('"') {
        return None;
    }
    let mut escaped = false;
    let close = after.char_indices().skip(1).find(|&(_, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    Some(close.map_or(rest.len(), |(at, _)| prefix.len() + at + 1))
}

/// Tells a character from a lifetime; `quote` is `rest` from its quote on.
fn character(rest: &str, quote: &str) -> (usize, Kind) {
    let before = rest.len() - quote.len();
    let mut chars = quote.char_indices().skip(1);
    let (first, second) = (chars.next(), chars.next());
    match (first, second) {
        (Some((_, '\\')), Some((at, escaped))) => {
            let from = at + escaped.len_utf8();
            let end = quote[from..].find('\'').map_or(quote.len(), |close| from + close + 1);
            (before + end, Kind::Literal)
        }
        (_, Some((at, '\''))) => (before + at + 1, Kind::Literal),
        _ => {
            let name = &quote[1..];
            let length = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
            (before + 1 + length, Kind::Lifetime)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        let cases: &[(&str, &[&str])] = &[
            ("a::b(c)", &["a", "::", "b", "(", "c", ")"]),
            ("x // y\nz", &["x", "z"]),
            ("x /* y /* nested */ still */ z", &["x", "z"]),
            (r#"f("a // b", 'c', '\'')"#, &["f", "(", "\"a // b\"", ",", "'c'", ",", r"'\''", ")"]),
            (r#"b"\"" r"\" 'x"#, &[r#"b"\"""#, r#"r"\""#, "'x"]),
            ("r##\"a\"# b\"## c", &["r##\"a\"# b\"##", "c"]),
            ("r#fn b'x' '{'", &["r#fn", "b'x'", "'{'"]),
            ("1.5 1..2 0x_ff", &["1.5", "1", ".", ".", "2", "0x_ff"]),
            (r"'\u{1F600}' 'é' &'a T", &[r"'\u{1F600}'", "'é'", "&", "'a", "T"]),
            ("\"open", &["\"open"]),
            ("/* open", &[]),
        ];
        for (text, want) in cases {
            let source = Source::new("x.rs", text);
            let got: Vec<&str> = source.tokens.iter().map(|token| token.text.as_str()).collect();
            assert_eq!(got, *want, "{text}");
        }
    }

    #[test]
    fn lines_are_counted_through_strings_and_comments() {
        let source = Source::new("x.rs", "/* 1\n2 */ \"a\nb\" // three\nlast");
        assert_eq!(source.tokens.iter().map(|t| t.line).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(source.comments.iter().map(|c| c.line).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(source.comments[1].said(), "three");
    }

    #[test]
    fn functions_have_bodies() {
        let text = "trait T { fn a(&self); }\nfn b<F: Fn([u8; 2])>(f: F)\n{\n  fn c() {}\n}\ntype D = fn(u8);";
        let got: Vec<_> = Source::new("x.rs", text).functions().into_iter().map(|f| (f.name, f.line, f.last)).collect();
        assert_eq!(got, [("b".to_owned(), 2, 5), ("c".to_owned(), 4, 4)]);
    }

    #[test]
    fn code_for_tests_is_known() {
        let cases = [
            ("x.rs", "mark; #[cfg(test)] mod tests { hit }", true),
            ("x.rs", "#[cfg(all(test, unix))]\nuse a::{hit, c}; mark", true),
            ("x.rs", "#[test] #[ignore = \"slow\"] fn f() -> [u8; 2] { hit }", true),
            ("x.rs", "#![cfg(test)] mark; hit", true),
            ("a/tests/x.rs", "hit", true),
            ("x.rs", "#[cfg(not(test))] fn f() { hit }", false),
            ("x.rs", "#[cfg(test)] fn f() {} hit", false),
            ("x.rs", "#[test_case] fn f() { hit }", false),
        ];
        for (path, text, want) in cases {
            let source = Source::new(path, text);
            let hit = source.tokens.iter().find(|token| token.is("hit")).map(|token| token.test);
            assert_eq!(hit, Some(want), "{path}: {text}");
        }
    }
}
