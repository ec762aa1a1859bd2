//! `broadaxe atlas show`: shows a case, with a drawing.

use std::fmt::Write as _;

use broadaxe_atlas::{Case, Expected, Id};
use broadaxe_draw::{Address, Order, ShapedError, shaped};
use broadaxe_shape::SymbolicShape;

use crate::{
    answer::{Answer, tuple},
    args::ShowArgs,
    error::Error,
    terminal::{prose, wrap},
};

/// How many elements of a result are explained.
const SHOWN_ELEMENTS: usize = 6;

/// Shows a case.
///
/// # Errors
/// When there is no such case.
pub(super) fn run(args: &ShowArgs) -> Result<Answer, Error> {
    // A question is a case and what its operands are.
    let id = args.id.split(':').next().unwrap_or_default();
    let id: Id = id.parse().map_err(|error: broadaxe_atlas::Error| Error::usage(error.to_string()))?;
    let case = Case::new(id).map_err(|error| Error::usage(error.to_string()))?;
    let subject = case.id.subject;
    let mut text = format!("{}\n\n", case.id);
    let shapes = case.operands.iter().map(|shape| tuple(shape)).collect::<Vec<_>>().join(" ");
    let theme = case.id.theme.to_string();
    let sizes = if theme.is_empty() { String::new() } else { format!(", sizes {theme}") };
    text += &wrap(
        "",
        &format!("{} ({}), rule {}", subject.family().name, subject.family().computes, case.rule),
        2,
        prose(),
    );
    text += &wrap("", &format!("pattern {}{sizes}: {shapes}", case.id.pattern), 2, prose());
    text += &wrap("", &format!("source: {}", case.rule.def().source), 2, prose());
    text += "\n";
    let symbolic: Vec<SymbolicShape> =
        case.operands.iter().map(|shape| SymbolicShape::from(shape.as_slice())).collect();
    match shaped(&case.rule, &symbolic, Order { reversed: false }) {
        Ok(drawn) => text += &drawn.drawing().text(false),
        Err(error) => {
            let ShapedError { message, .. } = *error;
            text += &wrap("", &message, 2, prose());
        }
    }
    text += &elements(&case);
    let address = Address { shapes: symbolic, rule: Some(case.rule.clone()) };
    let _ = writeln!(text, "\nIn the page: #{address}");
    Ok(Answer::new(text, case.json()))
}

/// Says where the first elements of the result come from.
fn elements(case: &Case) -> String {
    let Expected::Result { elements, .. } = &case.expected else { return String::new() };
    let few = elements.first().map_or(0, Vec::len).min(SHOWN_ELEMENTS);
    let mut text = String::from("\n");
    for at in 0..few {
        let named = |(k, own): (usize, &Vec<usize>)| format!("{}[{}]", char::from(b'a' + k as u8), own[at]);
        let from = elements.iter().enumerate().map(named).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "element {at} comes from {from}");
    }
    text
}
