//! Writes the input of the generator: the pages, the files that they show, and the configuration with the navigation.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    path::Path,
};

use super::{
    llms, markdown,
    path::{self, files},
    rules::{self, GeneratedPage},
};

/// The address of the files of the repository.
const REPOSITORY: &str = "https://github.com/broadaxe/broadaxe";

/// The interactive page in the site.
pub(super) const INTERACTIVE: &str = "page.html";

const CONFIGURATION: &str = "docs/site/mkdocs.yml";
/// The index of the three folders, as GitHub shows it; the site starts with another page.
const INDEX: &str = "docs/README.md";
/// What the site says in one sentence, in its configuration.
const DESCRIPTION: &str = "site_description: ";

/// Writes the input of the generator into `input`, and returns the number of pages and the text of `llms.txt`.
pub(super) fn write(root: &Path, input: &Path, interactive: &[u8]) -> Result<(usize, String), String> {
    let mut generated = rules::pages(root)?;
    generated.push(interactive_page());
    let mut input = Input { root, folder: &input.join("pages"), pages: BTreeMap::new(), copies: RefCell::default() };
    for name in files(&root.join("docs"))? {
        let repository = format!("docs/{name}");
        if repository == INDEX {
            continue;
        }
        if path::ending(&name) == "md" {
            let text = read(&root.join(&repository))?;
            input.pages.insert(repository, text);
        } else if repository != CONFIGURATION {
            input.copies.borrow_mut().insert(repository);
        }
    }
    let written = input.pages.keys().cloned().collect::<Vec<_>>();
    input.pages.extend(generated.iter().map(|page| (page.path.clone(), page.text.clone())));
    for (name, text) in &input.pages {
        input.save(&place(name), input.page(name, text)?.as_bytes())?;
    }
    for name in input.copies.borrow().iter() {
        input.save(&place(name), &fs::read(root.join(name)).map_err(|e| format!("{name}: {e}"))?)?;
    }
    input.save(INTERACTIVE, interactive)?;
    let configuration = navigation(&read(&root.join(CONFIGURATION))?, &written, &generated, &input)?;
    let summary = configuration.lines().find_map(|line| line.strip_prefix(DESCRIPTION)).unwrap_or_default();
    let llms = llms::text(&configuration, &input.pages, summary);
    input.save("llms.txt", llms.as_bytes())?;
    let file = input.folder.with_file_name("mkdocs.yml");
    fs::write(&file, configuration).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok((input.pages.len(), llms))
}

/// Holds what the pages are written from.
struct Input<'a> {
    root: &'a Path,
    /// The folder that is written.
    folder: &'a Path,
    /// The text of each page, by its path in the repository.
    pages: BTreeMap<String, String>,
    /// The files of the repository that the site needs.
    copies: RefCell<BTreeSet<String>>,
}

impl Input<'_> {
    /// Returns the text of a page for the generator.
    fn page(&self, name: &str, text: &str) -> Result<String, String> {
        let text = self.linked(name, name, text)?;
        Ok(markdown::lists(&markdown::transcripts(&self.filled(name, &text)?)))
    }

    /// Rewrites the links of `text`, which is in the file `source` of the repository and becomes a part of the page `name`.
    fn linked(&self, name: &str, source: &str, text: &str) -> Result<String, String> {
        let target = &mut |target: &str, image: bool| self.target(name, source, target, image);
        markdown::links(text, target).map_err(|why| format!("{source}:{why}"))
    }

    /// Replaces lines such as `<!-- README: Install -->` by that section of the README, and lines such as
    /// `<!-- drawing: pdpd axis=1; 2,3,4; 3 -->` by the drawing of these shapes under this rule.
    fn filled(&self, name: &str, text: &str) -> Result<String, String> {
        let mut out = String::with_capacity(text.len());
        for line in text.lines() {
            let marked = line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->")?.split_once(": "));
            match marked {
                Some(("README", title)) => {
                    let readme = read(&self.root.join("README.md"))?;
                    let section = markdown::section(&readme, title)
                        .ok_or_else(|| format!("{name}: README.md has no heading '{title}'; correct the name"))?;
                    out += &self.linked(name, "README.md", &self.titled(section))?;
                }
                Some(("drawing", what)) => {
                    out += &rules::drawn(what).map_err(|why| format!("{name}: {what}: {why}"))?;
                }

                _ => {
                    out += line;
                    out.push('\n');
                }
            }
        }
        Ok(out)
    }

    /// Replaces links to pages whose text is a path by links whose text is the title of the page.
    fn titled(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("[docs/") {
            out += before;
            let link = after.split_once(".md](").filter(|(label, _)| !label.contains(']'));
            let page = link.and_then(|(_, link)| Some((link, self.pages.get(link.split([')', '#']).next()?)?)));
            if let Some((link, page)) = page {
                let _ = write!(out, "[{}](", markdown::title(page));
                rest = link;
            } else {
                out += "[docs/";
                rest = after;
            }
        }
        out + rest
    }

    /// Returns where a link leads from the page `name`; it is in the file `source` of the repository.
    fn target(&self, name: &str, source: &str, link: &str, image: bool) -> Result<String, String> {
        if path::has_scheme(link) || link.starts_with('#') {
            return Ok(link.to_owned());
        }
        let (file, anchor) =
            link.split_once('#').map_or((link, String::new()), |(file, anchor)| (file, format!("#{anchor}")));
        let mut found = path::resolve(source, file.trim_end_matches('/'));
        let index = format!("{found}/README.md");
        if self.pages.contains_key(&index) {
            found = index;
        }
        let on_disk = self.root.join(&found);
        if self.pages.contains_key(&found) || self.copies.borrow().contains(&found) {
            Ok(path::relative(&place(name), &place(&found)) + &anchor)
        } else if !on_disk.exists() {
            Err(format!("{link} leads to no file; correct the link"))
        } else if image {
            let link = path::relative(&place(name), &place(&found));
            self.copies.borrow_mut().insert(found);
            Ok(link)
        } else {
            Ok(format!("{REPOSITORY}/{}/main/{found}{anchor}", if on_disk.is_dir() { "tree" } else { "blob" }))
        }
    }

    fn save(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let file = self.folder.join(name);
        let folder = file.parent().unwrap_or(self.folder);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&file, bytes))
            .map_err(|e| format!("{}: {e}", file.display()))
    }
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))
}

/// Returns where a file of the repository is among the pages.
fn place(name: &str) -> String {
    match name.strip_prefix("docs/") {
        Some("site/index.md") => "index.md".to_owned(),
        Some(inner) => inner.to_owned(),
        None => format!("files/{name}"),
    }
}

fn interactive_page() -> GeneratedPage {
    let text = format!(
        "---\nhide:\n  - navigation\n  - toc\n---\n\n# Try it\n\nThe page runs Broadaxe in your browser. No file leaves your machine. \
         <a href=\"{INTERACTIVE}\">Open it in a window of its own.</a>\n\n\
         <iframe class=\"interactive\" src=\"{INTERACTIVE}\" title=\"Broadaxe in the browser\"></iframe>\n"
    );
    GeneratedPage { path: "docs/interactive.md".to_owned(), title: "Try it".to_owned(), text }
}

/// Replaces lines such as `- generated: targets` by the pages of that folder that no other line of the navigation names.
fn navigation(
    text: &str,
    written: &[String],
    generated: &[GeneratedPage],
    input: &Input<'_>,
) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let Some((indent, folder)) = line.split_once("- generated: ") else {
            out += line;
            out.push('\n');
            continue;
        };
        let inside = |name: &&String| path::folder(name) == format!("docs/{folder}") && !name.ends_with("/README.md");
        let is_named = |name: &str| text.lines().any(|line| line.ends_with(&format!(": {}", place(name))));
        let mut entries: Vec<(String, String)> = Vec::new();
        for name in written.iter().filter(inside).filter(|name| !is_named(name)) {
            entries.push((markdown::title(&input.pages[name]), place(name)));
        }
        entries.extend(
            generated
                .iter()
                .filter(|page| inside(&&page.path) && !page.path.ends_with("/index.md"))
                .map(|page| (page.title.clone(), place(&page.path))),
        );
        if entries.is_empty() {
            return Err(format!("{CONFIGURATION}: docs/{folder} has no pages; remove the line 'generated: {folder}'"));
        }
        for (title, name) in entries {
            let title = serde_json::to_string(&title).map_err(|e| e.to_string())?;
            let _ = writeln!(out, "{indent}- {title}: {name}");
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, collections::BTreeMap, path::Path};

    use super::{GeneratedPage, Input, navigation, place};

    fn input() -> Input<'static> {
        let pages = ["docs/a.md", "docs/site/index.md", "docs/t/README.md", "docs/t/b.md", "docs/rules/index.md"];
        let pages: BTreeMap<_, _> =
            pages.iter().map(|name| ((*name).to_owned(), format!("<!-- x -->\n# The `{name}`\n"))).collect();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let copies = RefCell::new(["docs/images/x.png".to_owned()].into());
        Input { root, folder: root, pages, copies }
    }

    #[test]
    fn links_lead_to_pages_or_to_the_repository() {
        let input = input();
        let blob = "https://github.com/broadaxe/broadaxe/blob/main/";
        let cases = [
            ("docs/a.md", "t/b.md#c", false, Ok("t/b.md#c".to_owned())),
            ("docs/t/b.md", "../a.md", false, Ok("../a.md".to_owned())),
            ("docs/site/index.md", "../rules/index.md", false, Ok("rules/index.md".to_owned())),
            ("docs/a.md", "t", false, Ok("t/README.md".to_owned())),
            ("docs/a.md", "images/x.png", true, Ok("images/x.png".to_owned())),
            ("docs/a.md", "#b", false, Ok("#b".to_owned())),
            ("docs/a.md", "https://example.org/", false, Ok("https://example.org/".to_owned())),
            ("docs/a.md", "../README.md#install", false, Ok(format!("{blob}README.md#install"))),
            ("docs/a.md", "../xtask/", false, Ok("https://github.com/broadaxe/broadaxe/tree/main/xtask".to_owned())),
            ("docs/t/b.md", "../../docs/site/logo.svg", true, Ok("../site/logo.svg".to_owned())),
            ("docs/t/b.md", "../../bench/record/ranks.svg", true, Ok("../files/bench/record/ranks.svg".to_owned())),
            ("docs/a.md", "no.md", false, Err("no.md leads to no file; correct the link".to_owned())),
        ];
        for (page, link, image, want) in cases {
            assert_eq!(input.target(page, page, link, image), want, "{link} on {page}");
        }
        assert_eq!(input.target("docs/site/index.md", "README.md", "docs/a.md", false).as_deref(), Ok("a.md"));
        assert!(input.copies.borrow().contains("bench/record/ranks.svg"));
    }

    #[test]
    fn the_navigation_is_filled_in() {
        let written = ["docs/a.md", "docs/t/README.md", "docs/t/b.md"].map(str::to_owned);
        let page = |name: &str| GeneratedPage {
            path: format!("docs/rules/{name}.md"),
            title: name.to_owned(),
            text: String::new(),
        };
        let generated = [page("index"), page("numpy")];
        let got = navigation(
            "nav:\n  - T:\n    - generated: t\n  - R:\n    - generated: rules\n",
            &written[..3],
            &generated,
            &input(),
        );
        let want = "nav:\n  - T:\n    - \"The docs/t/b.md\": t/b.md\n  - R:\n    - \"numpy\": rules/numpy.md\n";
        assert_eq!(got.as_deref(), Ok(want));
        assert!(navigation("- generated: none", &written, &generated, &input()).is_err());
    }

    #[test]
    fn marked_lines_are_filled_in() {
        let got = input().filled("docs/site/index.md", "a\n<!-- README: Install -->\nb").unwrap();
        assert!(got.starts_with("a\n") && got.ends_with("b\n") && got.contains("pip install broadaxe"), "{got}");
        assert_eq!(
            input().titled("[docs/t/b.md](docs/t/b.md#c) and docs/a.md"),
            "[The docs/t/b.md](docs/t/b.md#c) and docs/a.md"
        );
        assert_eq!(
            input().titled("[docs/b.md](docs/t/b.md), [docs/x.md](docs/x.md), [docs/] [b.md](docs/a.md)"),
            "[The docs/t/b.md](docs/t/b.md), [docs/x.md](docs/x.md), [docs/] [b.md](docs/a.md)"
        );
        let got = input().filled("docs/a.md", "<!-- drawing: pdpd axis=0; 2,3; 2 -->\n<!-- other: a -->").unwrap();
        assert!(got.starts_with("<div class=\"drawing\">\n<svg ") && got.ends_with("<!-- other: a -->\n"), "{got}");
        for wrong in ["README: No", "drawing: no; 2", "drawing: numpy; x", "drawing: numpy; 2; 3"] {
            assert!(input().filled("docs/a.md", &format!("<!-- {wrong} -->")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn places() {
        assert_eq!(place("docs/t/README.md"), "t/README.md");
        assert_eq!(place("bench/a.svg"), "files/bench/a.svg");
    }
}
