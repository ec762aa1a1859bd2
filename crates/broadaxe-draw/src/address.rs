//! Writes shapes and a rule as the address of the page, and reads them: `2,3,4+3,4&rule=pdpd&axis=1`.

use std::{fmt, str::FromStr};

use broadaxe_shape::{Error, Params, Rule, SymbolicShape};

/// How many shapes an address has at most.
const MOST_SHAPES: usize = 64;

/// Shapes, and a rule if one is chosen: a state of the page.
///
/// Dims are separated by commas and shapes by `+` or blanks; a plus sign in a dim is written as `%2B`. The parameters of the rule follow,
/// as on the command line. Addresses that were valid once stay valid.
///
/// ```
/// use broadaxe_draw::Address;
/// let address: Address = "#n,4+3,4&rule=pdpd&axis=1".parse()?;
/// assert_eq!(address.shapes[0].to_string(), "(n, 4)");
/// assert_eq!(address.rule.as_ref().unwrap().to_string(), "pdpd axis=1");
/// assert_eq!(address.to_string(), "n,4+3,4&rule=pdpd&axis=1");
/// # Ok::<(), broadaxe_draw::AddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// The shapes of the operands, row-major.
    pub shapes: Vec<SymbolicShape>,
    /// The rule that is chosen, if one is.
    pub rule: Option<Rule>,
}

/// Says why a text is not an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError(String);

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AddressError {}

impl From<Error> for AddressError {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

impl FromStr for Address {
    type Err = AddressError;

    /// # Errors
    /// When a shape, a rule or a parameter is not one.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let text = text.strip_prefix('#').unwrap_or(text);
        let (_, rest) = text.split_once('&').unwrap_or((text, ""));
        let shapes = operands(text);
        if shapes.len() > MOST_SHAPES {
            return Err(wrong(format!("{} shapes are given; the page reads up to {MOST_SHAPES}", shapes.len())));
        }
        let shapes = shapes.iter().map(|shape| Ok(decoded(shape)?.parse()?)).collect::<Result<_, AddressError>>()?;
        let (mut name, mut params) = (None, Vec::new());
        for part in rest.split('&').filter(|part| !part.is_empty()) {
            let Some((key, value)) = part.split_once('=') else {
                return Err(wrong(format!("'{part}' has no value; write it as rule=numpy or axis=1")));
            };
            let value = decoded(value)?;
            match key {
                "rule" => name = Some(value),
                "axis" | "axes" | "target" | "mode" => params.push(format!(" {key}={value}")),
                // A later version may add parts that do not change what is asked.
                _ => {}
            }
        }
        let rule = match name {
            Some(name) => Some(format!("{name}{}", params.concat()).parse()?),
            None if params.is_empty() => None,
            None => return Err(wrong(format!("{} needs a rule, such as rule=pdpd", params.concat().trim()))),
        };
        Ok(Self { shapes, rule })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, shape) in self.shapes.iter().enumerate() {
            f.write_str(if k > 0 { "+" } else { "" })?;
            f.write_str(&encoded(&bare(shape)))?;
        }
        let Some(rule) = &self.rule else { return Ok(()) };
        write!(f, "&rule={}", rule.name())?;
        let Params { axis, axes, target, mode, .. } = rule.params();
        if let Some(axis) = axis {
            write!(f, "&axis={axis}")?;
        }
        if let Some(mode) = mode {
            write!(f, "&mode={}", mode.name())?;
        }
        if let Some(axes) = axes {
            let list: Vec<String> = axes.iter().map(ToString::to_string).collect();
            write!(f, "&axes={}", if list.is_empty() { "()".to_owned() } else { list.join(",") })?;
        }
        if let Some(target) = target {
            write!(f, "&target={}", bare(&SymbolicShape::from(target)))?;
        }
        Ok(())
    }
}

/// Divides an address into the texts of its operands, which may not be shapes.
///
/// A plus sign or a blank ends an operand. Blanks at a comma, at a colon, at a plus sign and in brackets end none.
///
/// ```
/// use broadaxe_draw::address::operands;
/// assert_eq!(operands("#n, 4 (3, 4)+foo bar&rule=numpy"), ["n,4", "(3,4)", "foo", "bar"]);
/// ```
pub fn operands(address: &str) -> Vec<String> {
    let text = address.strip_prefix('#').unwrap_or(address);
    let text = text.split('&').next().unwrap_or_default().replace("%20", " ").replace("%2C", ",").replace("%2c", ",");
    let (mut operands, mut depth, mut blank) = (vec![String::new()], 0_usize, false);
    for c in text.chars() {
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        let last = operands.last().and_then(|operand| operand.chars().last());
        let joins = depth > 0 || ",:+".contains(c) || last.is_none_or(|last| ",:".contains(last));
        if c == '+' || blank && !joins {
            operands.push(String::new());
        }
        blank = false;
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '+' => depth = 0,
            _ => {}
        }
        if let Some(operand) = operands.last_mut().filter(|_| c != '+') {
            operand.push(c);
        }
    }
    operands
}

/// Writes a shape without its brackets: `2,3`, or `()` for a scalar.
pub fn bare(shape: &SymbolicShape) -> String {
    match shape.dims() {
        Some([]) => "()".to_owned(),
        Some(dims) => dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        None => "...".to_owned(),
    }
}

fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"_.,?()*-/<=>".contains(&byte) {
            out.push(char::from(byte));
        } else if byte != b' ' {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

fn decoded(text: &str) -> Result<String, AddressError> {
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::with_capacity(text.len()), 0);
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            out.push(byte);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).map_err(|_| wrong(format!("'{text}' is not UTF-8")))
}

fn wrong(message: String) -> AddressError {
    AddressError(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Addresses that people may have linked to. A line may be added, and none may change.
    const OLD: [(&str, &str); 12] = [
        ("2,3,4+3,1", "2,3,4+3,1"),
        ("#2,3,4+3,1", "2,3,4+3,1"),
        ("n,4+3,4&rule=pdpd&axis=1", "n,4+3,4&rule=pdpd&axis=1"),
        ("()+2", "()+2"),
        ("2,3 3", "2,3+3"),
        ("2%2C3+3", "2,3+3"),
        ("n%2B1,4+4", "n%2B1,4+4"),
        ("3&rule=broadcast-to&target=2,3", "3&rule=broadcast-to&target=2,3"),
        ("3&rule=explicit&axes=1&target=2,3", "3&rule=explicit&axes=1&target=2,3"),
        ("2+2+2&rule=openvino-select&mode=pdpd", "2+2+2&rule=openvino-select&mode=pdpd"),
        ("2,3+3&rule=onnx", "2,3+3&rule=numpy"),
        ("2,3+3&rule=numpy&later=1", "2,3+3&rule=numpy"),
    ];

    #[test]
    fn old_addresses_work() {
        for (text, want) in OLD {
            let address: Address = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            let written = address.to_string();
            assert!(written.starts_with(want), "{text}: {written}");
            assert_eq!(written.parse(), Ok(address), "{text}");
        }
    }

    #[test]
    fn blanks_separate_operands_wherever_they_are_written() {
        // address, and its operands; what the command reads is given as arguments, which blanks separate
        let cases: [(&str, &[&str]); 10] = [
            ("foo bar", &["foo", "bar"]),
            ("foo%20bar", &["foo", "bar"]),
            ("foo+bar", &["foo", "bar"]),
            (" foo  +  bar ", &["foo", "bar"]),
            ("2, 3 3", &["2,3", "3"]),
            ("(2, 3) (3,)", &["(2,3)", "(3,)"]),
            ("( 2 , 3 )", &["(2,3)"]),
            ("broadcast(n, m), n: 2..9 4", &["broadcast(n,m),n:2..9", "4"]),
            ("n%2B1 4&rule=numpy", &["n%2B1", "4"]),
            ("2++3 ", &["2", "", "3"]),
        ];
        for (text, want) in cases {
            assert_eq!(operands(text), want, "{text}");
            assert_eq!(operands(&format!("#{text}")), want, "#{text}");
            if let Ok(address) = text.parse::<Address>() {
                assert_eq!(address.shapes.len(), want.len(), "{text}");
                assert_eq!(operands(&address.to_string()).len(), want.len(), "{text}");
            }
        }
        // An argument of the command or a field with a blank is no name of one operand.
        assert!("foo bar".parse::<SymbolicShape>().is_err());
        let answer = crate::ask::ask("foo bar");
        assert_eq!(answer["operands"].to_string(), r#"["foo","bar"]"#);
        assert_eq!(answer["shapes"].to_string(), r#"["(foo,)","(bar,)"]"#);
        assert_eq!(crate::ask::ask("2,,3 4")["operands"].to_string(), r#"["2,,3","4"]"#);
    }

    #[test]
    fn wrong_addresses() {
        for text in ["2,,3", "2&axis=1", "2&rule", "2&rule=nump", "2&rule=numpy&axis=1", "%FF", "2+-1"] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
