//! `broadaxe rules`: lists the rules.

use broadaxe_session::rule::unknown;
use broadaxe_shape::{AxisParam, RULES, RuleDef};
use serde_json::{Value, json};

use crate::{
    answer::{Answer, table},
    args::RulesArgs,
    error::Error,
    terminal,
};

/// Lists every rule with its parameters, or some with their sources.
///
/// # Errors
/// When a name is not that of a rule.
pub fn run(args: &RulesArgs) -> Result<Answer, Error> {
    let find = |name: &str| RULES.iter().copied().find(|def| def.name == name || def.aliases.contains(&name));
    let named: Vec<&RuleDef> = args
        .names
        .iter()
        .flat_map(|names| names.split(','))
        .map(|name| find(name).ok_or_else(|| unknown(name)))
        .collect::<Result<_, Error>>()?;
    let shown = if named.is_empty() { RULES.to_vec() } else { named.clone() };
    let rows = shown.iter().map(|def| {
        let names = [&[def.name][..], def.aliases].concat().join(", ");
        vec![names, operands(def) + &parameters(def), def.summary.to_owned()]
    });
    let mut text = table(&["rule", "operands", "what it does"], true, rows);
    text += "\nThe names after the first are aliases.\n";
    text += if named.is_empty() { "'broadaxe rules NAME' prints the source of a rule.\n" } else { "" };
    for def in named {
        text += &terminal::wrap("", &format!("{}: {}", def.name, def.source), 2, terminal::prose());
    }
    Ok(Answer::new(text, json!({ "rules": shown.iter().map(|def| describe(def)).collect::<Vec<_>>() })))
}

fn operands(def: &RuleDef) -> String {
    match def.operands {
        (1, 1) => "1 shape".to_owned(),
        (least, usize::MAX) => format!("{least} or more shapes"),
        (least, most) if least == most => format!("{least} shapes"),
        (least, most) => format!("{least} to {most} shapes"),
    }
}

fn parameters(def: &RuleDef) -> String {
    let axis = match def.axis {
        AxisParam::Default(axis) => Some(format!("--axis N ({axis})")),
        AxisParam::Optional => Some("--axis N".to_owned()),
        _ => None,
    };
    let axes = def.axes.then(|| "--axes LIST".to_owned());
    let target = def.target.then(|| "--target SHAPE".to_owned());
    let mode = (!def.modes.is_empty()).then(|| format!("--mode {}", modes(def).join("|")));
    [axis, axes, target, mode].into_iter().flatten().fold(String::new(), |text, one| text + "\n" + &one)
}

fn modes(def: &RuleDef) -> Vec<&'static str> {
    def.modes.iter().map(|mode| mode.name()).collect()
}

fn describe(def: &RuleDef) -> Value {
    let (least, most) = def.operands;
    json!({
        "name": def.name,
        "aliases": def.aliases,
        "summary": def.summary,
        "source": def.source,
        "operands": { "least": least, "most": (most != usize::MAX).then_some(most) },
        "axis": def.axis != AxisParam::None,
        "default_axis": match def.axis { AxisParam::Default(axis) => Some(axis), _ => None },
        "axes": def.axes,
        "target": def.target,
        "modes": modes(def),
    })
}
