//! Links from the text in a terminal to pages: OSC 8, where the terminal is known to support it.

use std::{
    env,
    io::IsTerminal,
    sync::atomic::{AtomicBool, Ordering},
};

use broadaxe_models::code::Code;

const CODES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/reference/codes.md");

/// Whether links are written. Only the command looks: text that a program gets has none.
static ARE_SHOWN: AtomicBool = AtomicBool::new(false);

/// Looks whether standard output is a terminal that supports links and shows colours. `FORCE_HYPERLINK` says so of others, and with 0 of
/// none, as to other programs.
pub(crate) fn look() {
    let out = std::io::stdout();
    let has_colours = anstream::AutoStream::choice(&out) != anstream::ColorChoice::Never;
    let is_shown = has_colours && is_supported(out.is_terminal(), |name| env::var(name).ok());
    ARE_SHOWN.store(is_shown, Ordering::Relaxed);
}

/// Judges a terminal by the variables that terminals set.
fn is_supported(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
    if let Some(forced) = variable("FORCE_HYPERLINK").filter(|value| !value.is_empty()) {
        return forced != "0";
    }
    let is = |name: &str, values: &[&str]| variable(name).is_some_and(|value| values.contains(&value.as_str()));
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let vte = variable("VTE_VERSION").and_then(|version| version.parse::<u32>().ok());
    is_terminal
        && !is("TERM", &["dumb"])
        && (is("TERM_PROGRAM", &["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio"])
            || is("TERM", &["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour"])
            || is_set("WT_SESSION")
            || is_set("KONSOLE_VERSION")
            || vte.is_some_and(|version| version >= 5000))
}

/// Returns the page about a kind of finding.
pub(crate) fn page(code: &Code) -> String {
    format!("{CODES}#{}-{}", code.id.to_lowercase(), code.name)
}

/// Writes a text that leads to an address, or the text alone.
pub(crate) fn linked(text: &str, address: &str) -> String {
    if address.is_empty() || !ARE_SHOWN.load(Ordering::Relaxed) { text.to_owned() } else { escape(text, address) }
}

fn escape(text: &str, address: &str) -> String {
    format!("\u{1b}]8;;{address}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals() {
        type Case = (&'static [(&'static str, &'static str)], bool, bool);
        let cases: [Case; 9] = [
            (&[("TERM", "xterm-256color")], true, false),
            (&[("TERM", "xterm-kitty")], true, true),
            (&[("TERM", "xterm-kitty")], false, false),
            (&[("TERM", "xterm-kitty"), ("FORCE_HYPERLINK", "0")], true, false),
            (&[("FORCE_HYPERLINK", "1")], false, true),
            (&[("VTE_VERSION", "6003")], true, true),
            (&[("VTE_VERSION", "4601")], true, false),
            (&[("TERM_PROGRAM", "vscode"), ("TERM", "dumb")], true, false),
            (&[("WT_SESSION", "1")], true, true),
        ];
        for (variables, is_terminal, want) in cases {
            let value =
                |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(is_supported(is_terminal, value), want, "{variables:?}");
        }
    }

    #[test]
    fn plain_text_has_no_links() {
        let text = escape("BX101", "https://example.org/#bx101");
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), "BX101");
        assert_eq!(linked("BX101", "https://example.org/"), "BX101", "only the command looks at the terminal");
    }
}
