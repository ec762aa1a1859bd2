//! Writes text in XML and HTML, in ASCII only: a fragment then reads the same in a page of any encoding.

use crate::words::escaped;

/// Escapes a text for the content and the attributes of elements. Control characters are written as [`escaped`] does.
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escaped(text).chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            // XML cannot hold them, not even as references.
            '\u{fffe}' | '\u{ffff}' => out += "\\u",
            c if c.is_ascii() => out.push(c),
            c => out += &format!("&#{};", u32::from(c)),
        }
    }
    out
}

/// Hashes texts to a short id (FNV-1a), which is the same for the same texts in every build.
pub(crate) fn id<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in texts.into_iter().flat_map(|text| text.bytes().chain([0])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("bx{:08x}", (hash >> 32) as u32 ^ hash as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        let cases = [
            ("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;"),
            ("\u{1b}[31m\u{202e}", "\\u{1b}[31m\\u{202e}"),
            ("1\u{2192}4", "1&#8594;4"),
            ("\u{ffff}", "\\u"),
        ];
        for (text, want) in cases {
            assert_eq!(markup(text), want, "{text:?}");
        }
    }
}
