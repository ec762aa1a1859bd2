//! `broadaxe diff`: compares what the element-wise nodes of two models mean.

use broadaxe_models::report::node_name;
use broadaxe_session::{
    diff::{Differences, Nodes, Pair, models},
    request::DiffRequest,
};
use serde_json::Value;

use super::Open;
use crate::{
    answer::{Answer, Json},
    error::{Error, escaped, quoted},
    terminal,
};

/// Compares two models; fails where they differ.
///
/// # Errors
/// When a model cannot be read, or a shape is malformed.
pub(super) fn run(request: &DiffRequest, (all, json): (bool, bool), open: Open<'_>) -> Result<Answer, Error> {
    let read = models(request, open)?;
    let sides = read.each_ref().map(Nodes::new);
    let found = Differences::new(&sides);
    // Models may have many nodes, so only one form is made.
    let mut answer = Answer::judged(String::new(), Value::Null, !found.is_equal());
    if json {
        answer.json = Json::written(&found.record());
    } else {
        answer.text = show(&found, all);
    }
    Ok(answer)
}

fn show(found: &Differences<'_>, all: bool) -> String {
    let names = found.names.each_ref().map(|name| escaped(name));
    let mut text = String::new();
    for ((ids, name), nodes) in found.only.iter().zip(&names).zip(found.sides) {
        for &id in ids {
            let node = nodes.model().node(id);
            let (name_of_node, op) = (quoted(&node_name(nodes.model(), id)), quoted(&node.op));
            text += &format!("only in {name}: {name_of_node} ({op}), {}\n", quoted(&node.place));
        }
    }
    text.extend(found.changed.iter().map(|pair| show_pair(found.sides, pair, "")));
    let rewritten = found.rewritten.iter().filter(|_| all);
    text.extend(rewritten.map(|pair| show_pair(found.sides, pair, ", written differently, means the same")));
    if !text.is_empty() {
        text += "\n";
    }
    let (equal, rewritten, changed) = (found.equal, found.rewritten.len(), found.changed.len());
    let [only_a, only_b] = found.only.each_ref().map(Vec::len);
    let [a, b] = names;
    let same = format!("{equal} equal, {rewritten} written differently with the same meaning, {changed} changed");
    text += &format!("{same}, {only_a} only in {a}, {only_b} only in {b}\n");
    terminal::fitted(&text, terminal::columns())
}

fn show_pair(sides: &[Nodes<'_>; 2], pair: &Pair, says: &str) -> String {
    let [a, b] = [0, 1].map(|k| sides[k].model().node(pair.ids[k]));
    let places =
        if a.place == b.place { quoted(&a.place) } else { format!("{} and {}", quoted(&a.place), quoted(&b.place)) };
    let name = node_name(sides[0].model(), pair.ids[0]);
    let mut text = format!("{} ({}), {places}{says}:\n", quoted(&name), quoted(&a.op));
    for change in &pair.changes {
        let which = change.which.as_ref().map_or_else(String::new, |which| format!(" {which}"));
        let [a, b] = change.values.each_ref().map(|value| quoted(&value.to_string()));
        text += &format!("  {}{which}: {a} -> {b}\n", change.what);
    }
    if let Some(why) = &pair.unproven {
        text += &format!("  cannot be compared further: {}\n", quoted(why));
    }
    text
}
