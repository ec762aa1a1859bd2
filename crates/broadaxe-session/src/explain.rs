//! Explains how shapes broadcast, or what a kind of finding means.

pub mod code;
pub mod known;
pub mod open;
pub mod node;

use std::path::Path;

use broadaxe_models::{
    Target,
    code::{Code, find as find_code},
    format,
};
use broadaxe_shape::{RULES, Rule, Shape, SymbolicShape};
use serde_json::Value;

use self::{
    known::KnownBroadcast,
    node::{NodeBroadcast, NodeExplained, explained},
    open::OpenBroadcast,
};
use crate::{
    error::Error,
    find::find,
    model::{Open, load},
    request::{ExplainRequest, RuleRequest},
    rule::{Rejection, shapes_by},
};

/// An explanation.
#[derive(Debug)]
pub enum Explained {
    /// Of a kind of finding.
    Code(&'static Code),
    /// Of shapes.
    Shapes(Broadcast),
    /// Of a node of a model.
    Node(NodeExplained, Broadcast),
}

/// How shapes broadcast.
#[derive(Debug)]
pub enum Broadcast {
    /// All dims are known.
    Known(Box<KnownBroadcast>),
    /// Some are not, so neither are the loops.
    Open(Box<OpenBroadcast>),
}

/// Explains shapes, a node of a model, or a kind of finding.
///
/// ```
/// use broadaxe_session::{explain::explain, request::ExplainRequest, stream};
/// let shapes = ["8,1,6", "7,1"].map(str::to_owned).to_vec();
/// let found = explain(&ExplainRequest { shapes, ..ExplainRequest::default() }, &stream::open).unwrap();
/// assert_eq!(found.record()["shape"].to_string(), "[8,7,6]");
/// ```
///
/// # Errors
/// When the shapes do not broadcast, or no address could reach the result; with a node, when the model cannot be read, has no such
/// node, or the node does not broadcast or has open sizes.
pub fn explain(request: &ExplainRequest, open: Open<'_>) -> Result<Explained, Box<Rejection>> {
    let Some(name) = &request.node else {
        if let [word] = request.shapes.as_slice() {
            if let Some(code) = find_code(word) {
                return Ok(Explained::Code(code));
            }
            if code::is_code(word) {
                return Err(code::unknown(word).into());
            }
            named(word)?;
        }
        let rule = request.rule.rule()?;
        let shapes = shapes_by(&request.shapes, |text| shape(text, open))?;
        return Ok(Explained::Shapes(broadcast(rule, shapes, None, &request.dtypes)?));
    };
    let [path] = request.shapes.as_slice() else {
        return Err(Error::usage("with --node give one model file and no shapes").into());
    };
    if request.rule != RuleRequest::default() {
        return Err(Error::usage("with --node the rule is that of the node; give none").into());
    }
    let loaded = load(Path::new(path), &request.input_shapes, open)?;
    let NodeBroadcast { node, rule, shapes, target } = explained(&loaded, find(&loaded.model, name)?)?;
    Ok(Explained::Node(node, broadcast(rule, shapes, target, &request.dtypes)?))
}

/// Broadcasts shapes; `target` is the shape that a rule with one broadcasts to, where a dim of it is open.
fn broadcast(
    rule: Rule,
    shapes: Vec<SymbolicShape>,
    target: Option<SymbolicShape>,
    dtypes: &[String],
) -> Result<Broadcast, Box<Rejection>> {
    let dtypes = known::dtypes(dtypes, shapes.len())?;
    let known: Option<Vec<Shape>> = shapes.iter().map(SymbolicShape::known).collect();
    match known.filter(|_| target.is_none()) {
        Some(known) => Ok(Broadcast::Known(Box::new(KnownBroadcast::new(rule, &known, dtypes)?))),
        None => Ok(Broadcast::Open(Box::new(OpenBroadcast::new(rule, shapes, target)?))),
    }
}

/// Refuses a word that is meant as a rule or a target. A dim may have any name, but a shape of that one dim shows nothing.
fn named(word: &str) -> Result<(), Error> {
    if RULES.iter().any(|def| def.name == word || def.aliases.contains(&word)) {
        let text = format!("'{word}' is a rule; 'broadaxe rules {word}' says what it does");
        return Err(Error::usage(format!("{text}, and 'explain --rule {word} SHAPE...' draws shapes under it")));
    }
    if word.parse::<Target>().is_ok() {
        return Err(Error::usage(format!("'{word}' is a target; 'broadaxe targets {word}' says what it does")));
    }
    Ok(())
}

/// Reads a shape; a file in its place is a model whose node is not said.
fn shape(text: &str, open: Open<'_>) -> Result<SymbolicShape, Error> {
    let path = Path::new(text);
    let is_model = format::FORMATS.iter().any(|format| has_extension(text, format.extensions));
    let foreign = format::foreign(path);
    if path.is_file() {
        let source = open(path)?;
        if format::detect(&source)?.is_none() {
            return Err(Error::from(format::unreadable(&source)).of(path));
        }
    } else if let Some(foreign) = foreign {
        return Err(Error::usage(foreign).of(path));
    } else if !is_model {
        return Ok(text.parse()?);
    }
    let text = format!(
        "'{text}' is a model file; --node NAME explains one of its nodes, and 'broadaxe list {text}' lists them"
    );
    Err(Error::usage(text))
}

fn has_extension(text: &str, extensions: &[&str]) -> bool {
    let own = Path::new(text).extension().and_then(|extension| extension.to_str());
    own.is_some_and(|own| extensions.iter().any(|extension| extension.eq_ignore_ascii_case(own)))
}

impl Explained {
    /// Returns what is printed as JSON.
    pub fn record(&self) -> Value {
        match self {
            Self::Code(code) => code::record(code),
            Self::Shapes(broadcast) => broadcast.record(),
            Self::Node(node, broadcast) => {
                let mut json = broadcast.record();
                json["node"] = node.record();
                json
            }
        }
    }
}

impl Broadcast {
    fn record(&self) -> Value {
        match self {
            Self::Known(known) => known.record(),
            Self::Open(open) => open.record(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::explain;
    use crate::{
        error::Error,
        request::{ExplainRequest, RuleRequest},
    };

    /// Shapes, dtypes, whether a node is named, the rule, and a part of the error.
    type Case = (&'static [&'static str], &'static [&'static str], bool, &'static str, &'static str);

    #[test]
    fn requests_that_have_no_answer() {
        let none = || Err(Error::usage("no file is read"));
        let cases: [Case; 12] = [
            (&[], &[], false, "numpy", "no shapes are given"),
            (&[], &[], false, "nump", "unknown rule 'nump'; did you mean 'numpy'? (rules: none, numpy, "),
            (&["pdpd"], &[], false, "numpy", "'pdpd' is a rule; 'broadaxe rules pdpd' says what it does"),
            (&["litert-gpu"], &[], false, "numpy", "'litert-gpu' is a target; 'broadaxe targets litert-gpu'"),
            (&["2,-1"], &[], false, "numpy", "'-1' is negative"),
            (&["2", "3"], &[], false, "numpy", "axis 0 is 2 in a and 3 in b"),
            (&["2"], &["f8"], false, "numpy", "unknown dtype 'f8'"),
            (&["2"], &["f16", "f32"], false, "numpy", "--dtype names 2 dtypes and there are 1 operands"),
            (&["bx999"], &[], false, "numpy", "no finding has the code 'bx999'"),
            (&["no/such.onnx"], &[], false, "numpy", "--node NAME explains one of its nodes"),
            (&["2", "3"], &[], true, "numpy", "give one model file"),
            (&["no/such.onnx"], &[], true, "pdpd", "the rule is that of the node"),
        ];
        for (shapes, dtypes, has_node, rule, want) in cases {
            let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
            let request = ExplainRequest {
                rule: RuleRequest { rule: rule.to_owned(), ..RuleRequest::default() },
                dtypes: texts(dtypes),
                node: has_node.then(|| "Add".to_owned()),
                shapes: texts(shapes),
                ..ExplainRequest::default()
            };
            let error = explain(&request, &|_| none()).expect_err("no answer").error;
            assert!(error.to_string().contains(want), "{shapes:?} {dtypes:?}: {error}");
        }
    }

    #[test]
    fn answers_have_the_parts_that_are_asked_for() {
        let cases = [("2,3", "loops"), ("n,3", "guards"), ("BX101", "page")];
        for (text, part) in cases {
            let request = ExplainRequest { shapes: vec![text.to_owned()], ..ExplainRequest::default() };
            let found = explain(&request, &|_| Err(Error::usage("no file is read"))).expect("an answer");
            assert!(found.record().get(part).is_some(), "{text}: {}", found.record());
        }
    }
}
