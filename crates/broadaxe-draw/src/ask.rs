//! Answers a state of the page: what every rule says to the shapes, and what the chosen rule does.

use crate::json::{Json, json};
use broadaxe_shape::{AxisParam, ErrorKind, RULES, Rule, RuleDef, Shape};

use crate::{
    address::{Address, operands},
    compared::{Compared, KnownCompared, OpenCompared, compared, reason},
    drawing::Drawing,
    markdown::markdown,
    order::Order,
    shaped::shaped,
    snippets::{positions, snippets},
    svg::svg_wide,
    words::tuple,
};

/// How many elements a result may have whose sources are listed.
const LISTED: usize = 512;

/// Answers the state that an address names: `{"address": ..., "compare": ..., "meanings": ..., ...}`, or `{"error": sentence}`.
///
/// `operands` are the texts of the operands, of which a page shows one in a field each, also where one is no shape.
/// `compare` is what `broadaxe compare --json` prints, and `chosen.json` what `broadaxe shape --json` prints.
pub fn ask(address: &str) -> Json {
    let operands = operands(address);
    let address: Address = match address.parse() {
        Ok(address) => address,
        Err(error) => return json!({ "operands": operands, "error": error.to_string() }),
    };
    let compared = match compared(&address.shapes) {
        Ok(compared) => compared,
        Err(error) => {
            return json!({ "address": address.to_string(), "operands": operands, "error": error.to_string() });
        }
    };
    let shapes: Vec<String> = address.shapes.iter().map(ToString::to_string).collect();
    let (meanings, rejects) = match &compared {
        Compared::Known(known) => (known_meanings(known), known_rejects(known)),
        Compared::Open(open) => (open_meanings(open), open_rejects(open)),
    };
    let differences = compared.known().map_or_else(Vec::new, differences);
    let chosen = chosen(&address);
    let copy = copies(&address, &shapes, &chosen, &differences);
    json!({
        "address": address.to_string(),
        "operands": operands,
        "shapes": shapes,
        "compare": compared.json(),
        "heading": compared.said().heading(),
        "note": compared.said().note(),
        "kind": compared.said().kind(),
        "is_open": matches!(compared, Compared::Open(_)),
        "meanings": meanings,
        "rejects": rejects,
        "differences": differences,
        "chosen": chosen,
        "copy": copy,
    })
}

/// Lists the rules, with the parameters of each.
pub fn rules() -> Json {
    let rule = |def: &RuleDef| {
        let axis = match def.axis {
            AxisParam::None => Json::Null,
            AxisParam::Default(axis) => json!(axis),
            _ => json!(""),
        };
        let modes: Vec<&str> = def.modes.iter().map(|mode| mode.name()).collect();
        json!({
            "name": def.name,
            "title": def.title,
            "aliases": def.aliases,
            "summary": def.summary,
            "source": def.source,
            "operands": [def.operands.0, def.operands.1.min(64)],
            "axis": axis,
            "modes": modes,
            "target": def.target,
            "axes": def.axes,
        })
    };
    RULES.iter().copied().map(rule).collect()
}

/// Returns a drawing in all its forms.
pub fn drawn(drawings: &[Drawing]) -> Json {
    let texts: Vec<String> = drawings.iter().map(|drawing| drawing.text(false)).collect();
    let said: Vec<String> = drawings.iter().map(Drawing::alternative).collect();
    let tables: Vec<String> = drawings.iter().map(markdown).collect();
    json!({ "svg": svg_wide(drawings), "text": texts.join("\n"), "alternative": said.join(" "), "markdown": tables.join("\n") })
}

/// Writes what can be copied: the drawing and the differences as Markdown, and code.
fn copies(address: &Address, shapes: &[String], chosen: &Json, differences: &[Json]) -> Json {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let rule = address.rule.clone().unwrap_or_else(Rule::numpy);
    let mut markdown = text(&chosen["drawing"]["markdown"]);
    if markdown.is_empty() {
        markdown = format!("{} under `{rule}`: rejected\n", shapes.join(" with "));
    }
    for found in differences {
        markdown += &format!("\n{}:\n", text(&found["title"]));
        for side in ["left", "right"] {
            markdown += &format!("- `{}`: {}\n", text(&found[side]["rule"]), text(&found[side]["sentence"]));
        }
    }
    let mut copies = json!({ "markdown": markdown });
    let known: Option<Vec<Shape>> = address.shapes.iter().map(broadaxe_shape::SymbolicShape::known).collect();
    if let Some(known) = known {
        let code = snippets(&rule, &known);
        copies.insert("command", code.command);
        copies.insert("pytest", code.pytest);
        copies.insert("rust", code.rust);
        copies.insert("cpp", code.cpp);
    }
    copies
}

fn chosen(address: &Address) -> Json {
    let rule = address.rule.clone().unwrap_or_else(Rule::numpy);
    // The order of ncnn is that of its own files; addresses are row-major under every rule.
    let order = Order::ROW_MAJOR;
    let mut chosen = json!({ "rule": rule.to_string(), "is_default": address.rule.is_none() });
    match shaped(&rule, &address.shapes, order) {
        Ok(shaped) => {
            chosen["json"] = shaped.json();
            chosen["drawing"] = drawn(std::slice::from_ref(shaped.drawing()));
            chosen["elements"] = elements(&rule, address);
        }
        Err(error) => {
            chosen["json"] = error.json();
            chosen.insert("error", error.message.clone());
            chosen["drawing"] = error.drawing.map_or(Json::Null, |drawing| drawn(&[drawing]));
        }
    }
    chosen
}

/// Lists where each element of the result comes from, if there are few: for each operand the position in it, row-major.
fn elements(rule: &Rule, address: &Address) -> Json {
    let known: Option<Vec<Shape>> = address.shapes.iter().map(broadaxe_shape::SymbolicShape::known).collect();
    let Some(known) = known else { return Json::Null };
    let dims: Vec<&[usize]> = known.iter().map(Shape::dims).collect();
    let Ok(alignment) = rule.align(&dims) else { return Json::Null };
    let count: usize = alignment.shape().iter().product();
    if count == 0 || count > LISTED {
        return Json::Null;
    }
    let sources: Vec<Vec<u64>> =
        (0..count).map(|at| positions(&alignment, at).iter().map(|&position| position as u64).collect()).collect();
    json!({ "shape": alignment.shape().dims(), "operands": dims, "sources": sources })
}

fn known_meanings(known: &KnownCompared) -> Vec<Json> {
    let outcomes = known.comparison().outcomes();
    let meaning = |(k, group): (usize, &Vec<usize>)| {
        let rules: Vec<Json> = group.iter().map(|&at| named(outcomes[at].rule())).collect();
        let result = outcomes[group[0]].alignment().map(|alignment| tuple(alignment.shape()));
        let drawing = known.drawing(k).map(|drawing| drawn(&[drawing]));
        json!({ "number": k + 1, "rules": rules, "result": result, "drawing": drawing })
    };
    known.meanings().iter().enumerate().map(meaning).collect()
}

fn known_rejects(known: &KnownCompared) -> Vec<Json> {
    let dims: Vec<&[usize]> = known.shapes().iter().map(Shape::dims).collect();
    let outcomes = known.comparison().outcomes().iter();
    let rejected = outcomes.filter_map(|outcome| Some((outcome.rule(), outcome.result().err()?)));
    rejected
        .map(|(rule, error)| {
            let drawing = Drawing::failed(rule, &dims, Order::ROW_MAJOR).map(|drawing| drawn(&[drawing]));
            reject(rule, error, drawing)
        })
        .collect()
}

fn reject(rule: &Rule, error: &broadaxe_shape::Error, drawing: Option<Json>) -> Json {
    let mut value = named(rule);
    value.insert("reason", reason(error));
    value.insert("message", error.to_string());
    value["drawing"] = drawing.unwrap_or(Json::Null);
    value.insert("is_undecided", error.kind() == ErrorKind::Undecided);
    value
}

fn open_meanings(open: &OpenCompared) -> Vec<Json> {
    let count = open.outcomes().filter_map(|(.., meaning)| meaning).max().map_or(0, |most| most + 1);
    let meaning = |k: usize| {
        let of = || open.outcomes().filter(move |(.., meaning)| *meaning == Some(k));
        let rules: Vec<Json> = of()
            .map(|(rule, inferred, _)| {
                let mut value = named(rule);
                value.insert("guards", inferred.map(crate::open::guards).unwrap_or_default());
                value
            })
            .collect();
        let result = open.result(k);
        let drawing = open.drawing(k).map(|drawing| drawn(&[drawing]));
        json!({ "number": k + 1, "rules": rules, "result": result, "drawing": drawing })
    };
    (0..count).map(meaning).collect()
}

fn open_rejects(open: &OpenCompared) -> Vec<Json> {
    open.outcomes().filter_map(|(rule, result, _)| Some(reject(rule, result.err()?, None))).collect()
}

fn named(rule: &Rule) -> Json {
    json!({ "rule": rule.to_string(), "name": rule.name(), "title": rule.def().title, "summary": rule.def().summary, "source": rule.def().source })
}

fn differences(known: &KnownCompared) -> Vec<Json> {
    let outcomes = known.comparison().outcomes();
    let difference = |found: &broadaxe_shape::Difference| {
        let side = |k: usize, reads: Option<&[broadaxe_shape::Read]>| {
            let outcome = &outcomes[k];
            let sentence = match (reads, outcome.alignment()) {
                (Some(reads), _) => crate::reading::sentence(reads),
                (None, Some(alignment)) => format!("the result is {}", alignment.shape()),
                (None, None) => "rejected".to_owned(),
            };
            json!({ "rule": outcome.rule().to_string(), "sentence": sentence })
        };
        let (left, right) = (side(found.left(), found.left_reads()), side(found.right(), found.right_reads()));
        let names = [&left, &right].map(|side| side["rule"].as_str().unwrap_or_default().to_owned());
        let at = found.element().map_or_else(|| "without elements".to_owned(), |at| format!("element {}", tuple(at)));
        let title = format!("{} and {}, {at}", names[0], names[1]);
        json!({ "title": title, "element": found.element(), "left": left, "right": right, "drawing": drawn(&known.sides(found)) })
    };
    known.differences().iter().map(difference).collect()
}
