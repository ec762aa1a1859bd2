//! Checks the site that was built: every link leads to a file and an anchor of the site, and no page loads anything from another host.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use super::path::{self, files};

/// Holds what the check of a page needs.
#[derive(Debug, Default, PartialEq)]
struct Page {
    /// What the page's links can name after `#`.
    anchors: BTreeSet<String>,
    links: Vec<Link>,
}

#[derive(Debug, PartialEq)]
struct Link {
    target: String,
    /// Whether the browser loads the target with the page.
    loads: bool,
}

/// Says what is wrong with the links of the site, one finding each; pages in `skip` are only targets.
///
/// Returns how many links it checked.
pub(super) fn check(site: &Path, skip: &[&str]) -> Result<usize, String> {
    let names: BTreeSet<String> = files(site)?.into_iter().collect();
    let mut pages = BTreeMap::new();
    for name in names.iter().filter(|name| path::ending(name) == "html" && !skip.contains(&name.as_str())) {
        let text = fs::read_to_string(site.join(name)).map_err(|e| format!("{name}: {e}"))?;
        pages.insert(name.clone(), read(&text));
    }
    let mut found = Vec::new();
    for (name, page) in &pages {
        let wrong = |link: &Link| Some(format!("{name}: {}", problem(name, link, &names, &pages)?));
        found.extend(page.links.iter().filter_map(wrong));
    }
    found.dedup();
    if found.is_empty() { Ok(pages.values().map(|page| page.links.len()).sum()) } else { Err(found.join("\n")) }
}

fn problem(page: &str, link: &Link, names: &BTreeSet<String>, pages: &BTreeMap<String, Page>) -> Option<String> {
    let Link { target, loads } = link;
    if path::has_scheme(target) {
        let outside = *loads && !target.starts_with("data:");
        return outside.then(|| format!("loads {target} from another host; copy it to the site"));
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = file.split('?').next().unwrap_or_default();
    let mut name = if file.is_empty() { page.to_owned() } else { path::resolve(page, &decoded(file)) };
    if name.is_empty() || name.ends_with('/') {
        name += "index.html";
    }
    if !names.contains(&name) {
        return Some(format!("{target} leads to no file"));
    }
    // The theme's own scripts read anchors that start with two underscores.
    let known = |page: &Page| page.anchors.contains(&decoded(anchor));
    let leads = anchor.is_empty() || anchor.starts_with("__") || pages.get(&name).is_none_or(known);
    (!leads).then(|| format!("{target} leads to no anchor of {name}"))
}

/// Reads the anchors and links of a page; scripts and styles are skipped.
fn read(text: &str) -> Page {
    let mut page = Page::default();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('<') {
        rest = after;
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        if name.is_empty() {
            continue;
        }
        let (attributes, after) = attributes(&rest[name.len()..]);
        rest = after;
        for (key, value) in attributes {
            match key {
                "id" | "name" => {
                    page.anchors.insert(value);
                }
                "href" | "src" | "data" | "poster" if !(name == "meta" || value.starts_with("javascript:")) => {
                    let loads = !matches!(name.as_str(), "a" | "area");
                    page.links.push(Link { target: value, loads });
                }
                _ => {}
            }
        }
        if matches!(name.as_str(), "script" | "style") {
            let end = rest.find(&format!("</{name}")).unwrap_or(rest.len());
            rest = &rest[end..];
        }
    }
    page
}

/// Reads the attributes of a tag, and returns what follows the tag.
fn attributes(mut rest: &str) -> (Vec<(&str, String)>, &str) {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        let end = rest.find(|c: char| c.is_whitespace() || "=>/".contains(c)).unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        if let Some(value) = after.strip_prefix('=') {
            let quoted =
                value.strip_prefix('"').map(|v| (v, '"')).or_else(|| value.strip_prefix('\'').map(|v| (v, '\'')));
            let (value, after) = match quoted {
                Some((value, quote)) => value.split_once(quote).unwrap_or((value, "")),
                None => value.split_at(value.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(value.len())),
            };
            found.push((key, unescaped(value)));
            rest = after;
        } else if let Some(after) = after.strip_prefix('>') {
            return (found, after);
        } else if after.is_empty() {
            return (found, "");
        } else {
            rest = after;
        }
    }
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

/// Replaces the escapes of an address, such as `%20`.
fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
        if let (b'%', Some(byte)) = (first, code) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{Page, decoded, problem, read};

    #[test]
    fn tags_are_read() {
        let cases = [
            ("<p id=a><a href='b.html#c'>d</a>", "a", "b.html#c"),
            ("<a name=\"x\" href=\"y?a=1&amp;b=2\">", "x", "y?a=1&b=2"),
            ("<img alt src=i.svg><script src=s.js>let a = '<a href=\"no\">';</script>", "", "i.svg! s.js!"),
            ("<!-- <a href=no> --><link rel=x href=c.css>", "", "c.css!"),
            ("<a href=\"javascript:void(0)\">1 < 2</a><a/><a href=", "", ""),
        ];
        for (text, anchors, links) in cases {
            let page = read(text);
            let got: Vec<_> =
                page.links.iter().map(|link| format!("{}{}", link.target, if link.loads { "!" } else { "" })).collect();
            assert_eq!(page.anchors.into_iter().collect::<Vec<_>>().join(" "), anchors, "{text}");
            assert_eq!(got.join(" "), links, "{text}");
        }
    }

    #[test]
    fn links_lead_somewhere() {
        let names = ["index.html", "a/b.html", "a/c d.svg"].map(str::to_owned);
        let pages: BTreeMap<String, Page> = [
            ("index.html".to_owned(), read("<h1 id=top>")),
            ("a/b.html".to_owned(), read("<h1 id=one><h2 id=zw%C3%B6lf><h2 id=drei>")),
        ]
        .into();
        let cases = [
            ("<a href=../index.html#top>", None),
            ("<a href=../#top>", None),
            ("<a href=#one>", None),
            ("<a href=#>", None),
            ("<a href=#__search>", None),
            ("<img src='c%20d.svg'>", None),
            ("<img src='data:image/png;base64,'>", None),
            ("<a href=https://example.org/>", None),
            ("<a href=mailto:a@example.org>", None),
            (
                "<script src=https://example.org/a.js>",
                Some("loads https://example.org/a.js from another host; copy it to the site"),
            ),
            ("<img src=//example.org/a.png>", Some("loads //example.org/a.png from another host; copy it to the site")),
            ("<a href=c.html>", Some("c.html leads to no file")),
            ("<a href=../../index.html>", Some("../../index.html leads to no file")),
            ("<a href=../index.html#no>", Some("../index.html#no leads to no anchor of index.html")),
        ];
        for (text, want) in cases {
            let link = &read(text).links[0];
            let got = problem("a/b.html", link, &BTreeSet::from(names.clone()), &pages);
            assert_eq!(got.as_deref(), want, "{text}");
        }
    }

    #[test]
    fn addresses_are_decoded() {
        for (text, want) in [("a%20b", "a b"), ("100%", "100%"), ("%zz", "%zz"), ("%C3%B6", "ö"), ("", "")] {
            assert_eq!(decoded(text), want);
        }
    }
}
