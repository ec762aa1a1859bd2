//! Rejects XML that exceeds a limit, before a tree is built.
//!
//! The scan reads the bytes once, tells tags from text, comments and quoted values, and stops at the first limit that is
//! exceeded. The parser checks whether the XML is valid.

use super::XML_LIMITS;
use crate::error::{Error, ErrorKind};

/// Rejects XML with a document type, with namespaces, or above the limits on depth, attributes and elements.
///
/// # Errors
/// [`ErrorKind::Limit`] above a limit, [`ErrorKind::Format`] for what a model never has; with the line as place.
pub(super) fn scan(text: &str) -> Result<(), Error> {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut elements) = (0, 0_usize, 0_usize);
    while let Some(open) = find(bytes, at, b"<") {
        let rest = &bytes[open..];
        let fail = |error: Error| error.at(format!("line {}", line(bytes, open)));
        if let Some(end) = skipped(rest) {
            let Some(close) = find(bytes, open + end.0, end.1) else { return Ok(()) };
            at = close + end.1.len();
            continue;
        }
        if rest.starts_with(b"<!") {
            let message = "a document type is not supported; remove <!DOCTYPE ...> with its entities";
            return Err(fail(Error::format(message)));
        }
        let tag = Tag::of(rest).map_err(fail)?;
        at = open + tag.len;
        if tag.closes {
            depth = depth.saturating_sub(1);
            continue;
        }
        elements += 1;
        depth += usize::from(!tag.empty);
        for (what, count, most) in
            [("elements inside each other", depth, XML_LIMITS.depth), ("elements", elements, XML_LIMITS.elements)]
        {
            if count > most {
                return Err(fail(Error::new(ErrorKind::Limit, format!("there are more than {most} {what}"))));
            }
        }
    }
    Ok(())
}

/// Returns the start length and the end mark of a comment, a character section or an instruction.
fn skipped(rest: &[u8]) -> Option<(usize, &'static [u8])> {
    let table: [(&[u8], &'static [u8]); 3] = [(b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")];
    table.iter().find(|(open, _)| rest.starts_with(open)).map(|(open, close)| (open.len(), *close))
}

/// A tag: its length, whether it ends an element, and whether it is an empty element.
struct Tag {
    len: usize,
    closes: bool,
    empty: bool,
}

impl Tag {
    fn of(rest: &[u8]) -> Result<Self, Error> {
        let (mut quote, mut attributes, mut before) = (None, 0, b'<');
        for (at, &byte) in rest.iter().enumerate().skip(1) {
            match (quote, byte) {
                (Some(open), _) if byte == open => quote = None,
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => attributes += 1,
                (None, b'>') => return Ok(Self { len: at + 1, closes: rest[1] == b'/', empty: before == b'/' }),
                (None, b'x') if rest[at..].starts_with(b"xmlns") && before.is_ascii_whitespace() => {
                    return Err(Error::format("a namespace is not supported; remove xmlns"));
                }
                _ => {}
            }
            if attributes > XML_LIMITS.attributes {
                let message = format!("an element has more than {} attributes", XML_LIMITS.attributes);
                return Err(Error::new(ErrorKind::Limit, message));
            }
            before = byte;
        }
        Ok(Self { len: rest.len(), closes: false, empty: true })
    }
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(what.len()).position(|window| window == what).map(|at| from + at)
}

/// Counts lines from 1.
pub(super) fn line(bytes: &[u8], at: usize) -> usize {
    bytes[..at.min(bytes.len())].split(|&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_found() {
        let nested = |depth: usize| "<a>".repeat(depth) + &"</a>".repeat(depth);
        let many = |count: usize| {
            let list: Vec<_> = (0..count).map(|k| format!("a{k}=\"1\"")).collect();
            format!("<a {}/>", list.join(" "))
        };
        let cases = [
            (nested(XML_LIMITS.depth), ""),
            (nested(XML_LIMITS.depth + 1), "line 1: there are more than 256 elements inside each other"),
            (nested(200_000), "line 1: there are more than 256 elements inside each other"),
            (many(XML_LIMITS.attributes), ""),
            (many(100_000), "line 1: an element has more than 1024 attributes"),
            ("\n<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>".to_string(), "line 2: a document type is not supported"),
            ("<a\nxmlns:b='c'/>".to_string(), "line 1: a namespace is not supported"),
            ("<a b=\"<>'\" c='=\"='/><!-- <<< --><![CDATA[ <a> ]]><?x < ?>".to_string(), ""),
            ("<a b=\"".to_string(), ""),
            ("<!-- ".to_string(), ""),
            ("<".to_string(), ""),
        ];
        for (text, want) in cases {
            let got = scan(&text).err().map(|error| error.to_string()).unwrap_or_default();
            let head: String = text.chars().take(60).collect();
            assert!(if want.is_empty() { got.is_empty() } else { got.starts_with(want) }, "{head}: {got}");
        }
    }
}
