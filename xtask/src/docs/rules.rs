//! Writes one page for each broadcast rule, from its row in `RULES`, the documentation of its module, and `cases/`.

use std::{fmt::Write, fs, path::Path};

use broadaxe_draw::{Drawing, Order, svg};
use broadaxe_shape::{AxisParam, RULES, Rule, RuleDef, Shape};
use broadaxe_testing::cases::AlignCase;

use super::cases::{self, parameters, tuple};

/// Holds a page that is generated.
pub(super) struct GeneratedPage {
    /// Where the page would be in the repository, such as `docs/rules/numpy.md`.
    pub path: String,
    pub title: String,
    pub text: String,
}

/// The shapes that the page of all rules compares.
const COMPARED: &[[&[usize]; 2]] = &[
    [&[2, 3, 4], &[2, 3, 4]],
    [&[2, 3, 4], &[4]],
    [&[2, 3, 4], &[2]],
    [&[2, 3, 4], &[2, 3]],
    [&[2, 3, 4], &[1, 3, 1]],
    [&[3, 3], &[3]],
    [&[1, 3], &[2, 1]],
];

/// Writes the page of all rules, and that of each.
pub(super) fn pages(root: &Path) -> Result<Vec<GeneratedPage>, String> {
    let cases = cases::read(root)?;
    let mut pages =
        vec![GeneratedPage { path: "docs/rules/index.md".to_owned(), title: "All rules".to_owned(), text: overview() }];
    for def in RULES {
        let file = format!("crates/broadaxe-shape/src/rule/{}.rs", def.name.replace('-', "_"));
        let source = fs::read_to_string(root.join(&file)).map_err(|e| format!("{file}: {e}"))?;
        let text = page(def, &module_docs(&source), &file, &cases::of(def, &cases));
        pages.push(GeneratedPage { path: format!("docs/rules/{}.md", def.name), title: def.name.to_owned(), text });
    }
    Ok(pages)
}

/// Draws what a text such as `pdpd axis=1; 2,3,4; 3` names: a rule, then shapes that it accepts.
pub(super) fn drawn(text: &str) -> Result<String, String> {
    let mut parts = text.split(';').map(str::trim);
    let rule: Rule = parts.next().unwrap_or_default().parse().map_err(|e: broadaxe_shape::Error| e.to_string())?;
    let shapes: Result<Vec<Shape>, _> = parts.map(str::parse).collect();
    let shapes = shapes.map_err(|e| e.to_string())?;
    let shapes: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
    rule.align(&shapes).map_err(|e| e.to_string())?;
    Ok(drawing(&rule, &shapes))
}

/// Draws how a rule aligns shapes, or why it rejects them, as an element that has no empty line.
fn drawing(rule: &Rule, shapes: &[&[usize]]) -> String {
    let drawing = match rule.align(shapes) {
        Ok(alignment) => Drawing::new(rule, &alignment, Order::ROW_MAJOR),
        Err(error) => match Drawing::failed(rule, shapes, Order::ROW_MAJOR) {
            Some(drawing) => drawing,
            None => return format!("```text\n{error}\n```\n"),
        },
    };
    format!("<div class=\"drawing\">\n{}</div>\n", svg(&[drawing]))
}

/// Returns the documentation at the top of a module as Markdown; links to items become code.
fn module_docs(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let text = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n");
    text.replace("[`", "`").replace("`]", "`")
}

fn page(def: &RuleDef, about: &str, file: &str, all: &[&AlignCase]) -> String {
    let (accepted, rejected): (Vec<_>, Vec<_>) = all.iter().partition(|case| case.want.is_some());
    let mut text = format!("# `{}`\n\n*{}.*\n\n{}\n", def.name, capital(def.summary), facts(def, file));
    let examples = cases::drawn(&accepted, 2);
    if !examples.is_empty() {
        text += "## How axes align\n\n";
    }
    for case in &examples {
        text += &example(case);
    }
    let _ = write!(text, "## The rule\n\n{about}\n\n");
    if let Some(case) = examples.first() {
        text += &usage(def, case);
    }
    let parts = [
        ("Accepted shapes", &accepted, cases::accepted as fn(&[&AlignCase]) -> String),
        ("Rejected shapes", &rejected, cases::rejected),
    ];
    for (title, cases, table) in parts {
        let chosen = cases::select(cases);
        if !chosen.is_empty() {
            let _ = write!(text, "## {title}\n\n{} of {} cases.", chosen.len(), cases.len());
            if title == "Accepted shapes" {
                text += " The strides are those of contiguous operands over the result, in elements; a stride of 0 repeats the operand.";
            }
            let _ = write!(text, "\n\n{}\n", table(&chosen));
        }
    }
    text + "[The case files](../../cases/README.md) have all cases of all rules in plain text.\n"
}

fn facts(def: &RuleDef, file: &str) -> String {
    let names = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let mut rows = vec![("source", def.source.to_owned())];
    if !def.aliases.is_empty() {
        rows.push(("other names", names(def.aliases)));
    }
    let operands = match def.operands {
        (least, usize::MAX) => format!("{least} or more"),
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least} to {most}"),
    };
    rows.push(("operands", operands));
    let mut given = Vec::new();
    match def.axis {
        AxisParam::Default(axis) => given.push(format!("`axis`, by default {axis}")),
        AxisParam::None => {}
        _ => given.push("`axis`, optional".to_owned()),
    }
    if def.axes {
        given.push("`axes`".to_owned());
    }
    if def.target {
        given.push("`target`".to_owned());
    }
    if !def.modes.is_empty() {
        let modes: Vec<String> = def.modes.iter().map(|mode| format!("`{mode}`")).collect();
        given.push(format!("`mode`: {}", modes.join(", ")));
    }
    if !given.is_empty() {
        rows.push(("parameters", given.join("; ")));
    }
    let name = file.rsplit('/').next().unwrap_or(file);
    rows.push(("code", format!("[`{name}`](../../{file})")));
    rows.iter()
        .fold("| | |\n|---|---|\n".to_owned(), |text, (name, value)| text + &format!("| **{name}** | {value} |\n"))
}

fn example(case: &AlignCase) -> String {
    let Ok(rule) = case.rule.rule() else { return String::new() };
    let shapes: Vec<&[usize]> = case.shapes.iter().map(Vec::as_slice).collect();
    let operands: Vec<String> = shapes.iter().map(|shape| format!("`{}`", tuple(shape))).collect();
    format!("{} under `{rule}`:\n\n{}\n", operands.join(", "), drawing(&rule, &shapes))
}

/// Writes how to align the shapes of a case with the command, from Python and from Rust.
fn usage(def: &RuleDef, case: &AlignCase) -> String {
    let quoted = |word: String| if word.contains('(') { format!("'{word}'") } else { word };
    let joined = |shape: &Vec<usize>| match shape.len() {
        0 => "()".to_owned(),
        _ => shape.iter().map(usize::to_string).collect::<Vec<_>>().join(","),
    };
    let mut command = vec!["broadaxe shape --rule".to_owned(), def.name.to_owned()];
    command.extend(parameters(&case.rule).map(|(name, value)| format!("--{name}={}", quoted(value))));
    if def.name == "ncnn" {
        command.push("--row-major".to_owned());
    }
    command.extend(case.shapes.iter().map(|shape| quoted(joined(shape))));
    let mut text = format!("## Use it\n\n```sh\n{}\n```\n\n", command.join(" "));
    if !def.axes && !def.target && def.modes.is_empty() {
        let shapes = case.shapes.iter().map(|shape| tuple(shape)).collect::<Vec<_>>().join(", ");
        let axis = case.rule.axis.map_or_else(String::new, |axis| format!(", axis={axis}"));
        let _ = write!(text, "```python\nbx.broadcast_shapes({shapes}, rule=\"{}\"{axis})\n```\n\n", def.name);
    }
    let rule: Vec<String> = parameters(&case.rule).map(|(name, value)| format!(" {name}={value}")).collect();
    let shapes: Vec<String> = case.shapes.iter().map(|shape| format!("&{shape:?}")).collect();
    let _ = write!(
        text,
        "```rust\nlet rule: broadaxe::Rule = \"{}{}\".parse()?;\nlet alignment = rule.align(&[{}])?;\n```\n\n",
        def.name,
        rule.concat(),
        shapes.join(", ")
    );
    text
}

fn overview() -> String {
    let mut text = "# Rules\n\nA *rule* is a function from the shapes of operands to an *alignment*: the shape of the result, and the axis of the \
                    result that each axis of each operand feeds. [The glossary](../reference/glossary.md) explains these terms. All shapes are in \
                    row-major order, slowest axis first, for every framework.\n\n| rule | what it does, and its source |\n|---|---|\n"
        .to_owned();
    for def in RULES {
        let _ = writeln!(text, "| [`{0}`]({0}.md) | {1}<br><small>{2}</small> |", def.name, def.summary, def.source);
    }
    text += "\n## The same shapes under every rule\n\nFor two operands a and b: the axes of the result that b feeds, or – if the rule rejects the \
             shapes. Results are silently wrong where two rules accept the same shapes and align them differently. `broadaxe compare` prints \
             this for shapes of your own.\n\n";
    text += &compared();
    text
}

/// Writes what each rule of two operands does with the shapes of `COMPARED`.
fn compared() -> String {
    let heads: Vec<String> = COMPARED.iter().map(|[a, b]| format!("`{}`<br>`{}`", tuple(a), tuple(b))).collect();
    let mut text = format!("| rule | {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len() + 1));
    for def in RULES {
        let axes: &[Option<i64>] = if def.axis == AxisParam::None { &[None] } else { &[None, Some(0), Some(1)] };
        for axis in axes {
            let name = format!("{}{}", def.name, axis.map_or_else(String::new, |axis| format!(" axis={axis}")));
            let Ok(rule) = name.parse::<Rule>() else { continue };
            if !(def.operands.0..=def.operands.1).contains(&2) {
                continue;
            }
            let cells: Vec<String> = COMPARED.iter().map(|shapes| fed(&rule, shapes)).collect();
            let _ = writeln!(text, "| [`{name}`]({}.md) | {} |", def.name, cells.join(" | "));
        }
    }
    text
}

fn fed(rule: &Rule, shapes: &[&[usize]; 2]) -> String {
    let Ok(alignment) = rule.align(shapes) else { return "–".to_owned() };
    let axes: Vec<String> = alignment.operands()[1].axes().iter().map(usize::to_string).collect();
    axes.join(", ")
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use broadaxe_shape::{RULES, Rule};

    use super::{compared, drawing, facts, module_docs};

    #[test]
    fn drawings() {
        let cases: &[(&str, &[&[usize]], &str)] = &[
            ("pdpd axis=1", &[&[2, 3, 4, 15], &[3, 1]], "<title id=\"bx"),
            ("bidirectional target=3", &[&[2, 1]], "stretched to 3"),
            ("numpy", &[&[2], &[3]], "The sizes on axis 0 do not fit."),
        ];
        for (rule, shapes, want) in cases {
            let got = drawing(&rule.parse::<Rule>().unwrap(), shapes);
            assert!(
                got.starts_with("<div class=\"drawing\">\n<svg ") && got.ends_with("</svg>\n</div>\n"),
                "{rule}: {got}"
            );
            assert!(got.contains(want) && !got.contains("\n\n"), "{rule}: {got}");
        }
        let rejected = drawing(&"none".parse::<Rule>().unwrap(), &[&[2], &[2, 2]]);
        assert!(rejected.starts_with("```text\nbroadcast of a (2,) with b (2, 2) under none"), "{rejected}");
    }

    #[test]
    fn documentation_of_modules() {
        let source = "//! The rule: see [`Shape`].\n//!\n//! - one\n//!   two\n\nuse core::fmt;\n//! no\n";
        assert_eq!(module_docs(source), "The rule: see `Shape`.\n\n- one\n  two");
    }

    #[test]
    fn every_rule_has_facts() {
        for def in RULES {
            let text = facts(def, "a.rs");
            assert!(text.contains(def.source) && text.lines().all(|line| line.ends_with('|')), "{text}");
        }
        let of = |name: &str| facts(RULES.iter().find(|def| def.name == name).unwrap(), "a.rs");
        assert!(of("pdpd").contains("| **parameters** | `axis`, by default -1 |"));
        assert!(of("openvino-select").contains("`axis`, optional; `mode`: `numpy`, `none`, `pdpd`"));
        assert!(of("numpy").contains("| **operands** | 1 or more |"));
    }

    #[test]
    fn rules_are_compared() {
        let text = compared();
        for row in [
            "| [`numpy`](numpy.md) | 0, 1, 2 | 2 | – |",
            "| [`ncnn`](ncnn.md) | 0, 1, 2 | 2 | 0 |",
            "| [`pdpd axis=1`](pdpd.md) |",
        ] {
            assert!(text.contains(row), "{row}\n{text}");
        }
        assert!(!text.contains("gemm-c axis"), "{text}");
    }
}
