//! Evaluates sizes as they are printed (`(h + 1)//2`), without the code that makes them.

/// Evaluates an expression for these sizes of names; nothing for sizes that are open.
pub(crate) fn evaluate(text: &str, sizes: &[(String, i64)]) -> Option<i64> {
    let mut reader = Reader { rest: text, sizes };
    let value = reader.sum()?;
    (reader.rest.is_empty() || reader.rest.starts_with(':')).then_some(value)
}

struct Reader<'a> {
    rest: &'a str,
    sizes: &'a [(String, i64)],
}

impl<'a> Reader<'a> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn sum(&mut self) -> Option<i64> {
        let mut value = if self.eat("-") { -self.product()? } else { self.product()? };
        loop {
            if self.eat(" + ") {
                value += self.product()?;
            } else if self.eat(" - ") {
                value -= self.product()?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.atom()?;
        loop {
            if self.eat("*") {
                value *= self.atom()?;
            } else if self.eat("//") {
                value = value.div_euclid(self.atom()?);
            } else {
                return Some(value);
            }
        }
    }

    fn atom(&mut self) -> Option<i64> {
        if self.eat("(") {
            let value = self.sum()?;
            return self.eat(")").then_some(value);
        }
        let word = self.word();
        if let Ok(number) = word.parse() {
            return Some(number);
        }
        if !self.eat("(") {
            return self.sizes.iter().find(|(name, _)| name == word).map(|(_, size)| *size);
        }
        let mut values = vec![self.sum()?];
        while self.eat(", ") {
            values.push(self.sum()?);
        }
        self.eat(")").then_some(())?;
        match word {
            "min" => values.into_iter().min(),
            "max" => values.into_iter().max(),
            "broadcast" => Some(values.into_iter().find(|&size| size != 1).unwrap_or(1)),
            _ => None,
        }
    }
}

#[test]
fn sizes() {
    let sizes = [("h".to_owned(), 7), ("n".to_owned(), 1), ("seq_2".to_owned(), 5)];
    let cases = [
        ("h", Some(7)),
        ("-h + 9", Some(2)),
        ("(h + 1)//2 - 1", Some(3)),
        ("2*h*(h - 3)//4", Some(14)),
        ("(-h)//2", Some(-4)),
        ("max(h - 9, 0)", Some(0)),
        ("min(h, seq_2)", Some(5)),
        ("broadcast(n, h)", Some(7)),
        ("?", None),
        ("count(y)", None),
        ("h +", None),
    ];
    for (text, want) in cases {
        assert_eq!(evaluate(text, &sizes), want, "{text}");
    }
}
