//! Paths inside the repository and the site: relative, with `/`.

use std::{fs, path::Path};

/// Returns the folder of a path, without a slash at its end.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the ending of a file's name, without the dot.
pub(super) fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Says whether a link names a scheme or a host.
pub(super) fn has_scheme(link: &str) -> bool {
    let scheme = link.split_once(':').map_or("", |(scheme, _)| scheme);
    link.starts_with("//")
        || !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// Returns the path that `link` names on `page`; one that leaves the top starts with `..`.
pub(super) fn resolve(page: &str, link: &str) -> String {
    let (base, link) = link.strip_prefix('/').map_or((folder(page), link), |link| ("", link));
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let end = if link.ends_with('/') && !parts.is_empty() { "/" } else { "" };
    parts.join("/") + end
}

/// Returns the link to `path` on `page`.
pub(super) fn relative(page: &str, path: &str) -> String {
    let from: Vec<&str> = folder(page).split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').collect();
    let same = from.iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    "../".repeat(from.len() - same) + &to[same..].join("/")
}

/// Lists the files below a folder, sorted.
pub(super) fn files(folder: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(inner) = folders.pop() {
        let path = folder.join(&inner);
        let say = |e| format!("{}: {e}", path.display());
        for entry in fs::read_dir(&path).map_err(say)? {
            let entry = entry.map_err(say)?;
            let name = entry.file_name().into_string().map_err(|name| format!("{} is not UTF-8", name.display()))?;
            let name = if inner.is_empty() { name } else { format!("{inner}/{name}") };
            if entry.file_type().map_err(say)?.is_dir() { folders.push(name) } else { found.push(name) }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{has_scheme, relative, resolve};

    #[test]
    fn links_are_resolved() {
        let cases = [
            ("docs/a.md", "b.md", "docs/b.md", "b.md"),
            ("docs/a.md", "../b.md", "b.md", "../b.md"),
            ("a.md", "b/c.md", "b/c.md", "b/c.md"),
            ("docs/x/a.md", "../y/b.md", "docs/y/b.md", "../y/b.md"),
            ("docs/x/a.md", "./b.md", "docs/x/b.md", "b.md"),
            ("docs/x/a.md", "../../../b.md", "../b.md", "../../../b.md"),
            ("docs/x/a.md", "/b.md", "b.md", "../../b.md"),
        ];
        for (page, link, path, back) in cases {
            assert_eq!(resolve(page, link), path, "{link} on {page}");
            assert_eq!(relative(page, path), back, "{path} from {page}");
        }
        assert_eq!(resolve("docs/a.md", "x/"), "docs/x/");
        assert_eq!(resolve("a.md", "./"), "");
    }

    #[test]
    fn schemes() {
        for (link, want) in
            [("https://a", true), ("mailto:a@b", true), ("//a/b", true), ("a.md#b:c", false), ("a", false)]
        {
            assert_eq!(has_scheme(link), want, "{link}");
        }
    }
}
