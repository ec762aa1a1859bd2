//! Says how a model comes to a runtime: which formats the runtime or its converter reads.

use super::{Evidence, EvidenceKind, Profile, Target};

const BY_DEFINITION: Evidence = Evidence { kind: EvidenceKind::Definition, source: "rules have no converters" };

/// Describes how models come to a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The formats that the runtime or its converter reads; all where the target is a rule and no runtime.
    pub reads: Option<&'static [&'static str]>,
    /// How that is known, and which program reads them.
    pub evidence: Evidence,
}

/// A program that brings ONNX models to a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Converter {
    /// Its name.
    pub name: &'static str,
    /// The version that was tested.
    pub version: &'static str,
    /// What to know of it, in one clause.
    pub note: &'static str,
}

/// Says whether a model in some format comes to a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The runtime or its converter reads the format.
    Read,
    /// Verdicts assume what the sentence says.
    Assumed(String),
    /// Nothing can be said about the model, as the sentence says.
    Unreached(String),
}

impl Route {
    /// The route of a rule, which is given the shapes of any model.
    pub(super) const RULE: Self = Self { reads: None, evidence: BY_DEFINITION };

    /// Makes the route of a runtime that a program brings models to.
    pub(super) const fn new(reads: &'static [&'static str], evidence: Evidence) -> Self {
        Self { reads: Some(reads), evidence }
    }
}

impl Target {
    /// Says whether a model in this format comes to the target.
    ///
    /// Converters from most formats keep the shapes, so that a model that no converter reads is judged as if one did. Those from TFLite move
    /// axes, as its channels come last, and what they make of a node is not known.
    pub fn reach(&self, format: &str) -> Reach {
        let route = self.profile().route;
        let name = title(format);
        match route.reads {
            None => Reach::Read,
            Some(reads) if reads.contains(&format) => Reach::Read,
            Some(_) if format == "onnx" && self.via().is_some() => {
                let Profile { name, converters, .. } = self.profile();
                let (own, others): (Vec<&Converter>, Vec<&Converter>) =
                    converters.iter().partition(|one| Some(one.name) == self.via());
                let own =
                    own.first().map_or_else(String::new, |one| format!("{} {}, {}", one.name, one.version, one.note));
                let others: Vec<String> = others.iter().map(|one| format!("{name}/{}", one.name)).collect();
                Reach::Assumed(format!("assumes {own}; another route: {}", others.join(", ")))
            }
            Some(_) if self.is_unreached(format) => {
                Reach::Unreached(format!("no tested converter reads {name} for {self}"))
            }
            Some(_) => {
                Reach::Assumed(format!("assumes a converter that keeps all shapes; none from {name} was tested"))
            }
        }
    }

    /// Says whether nothing can be said about models in this format.
    pub(super) fn is_unreached(&self, format: &str) -> bool {
        format == "tflite" && self.profile().route.reads.is_some_and(|reads| !reads.contains(&format))
    }

    /// Lists the targets of a check that names none: the runtimes that models in this format are most often meant for.
    pub fn usual(format: &str) -> Vec<Self> {
        let names: &[&str] = match format {
            "tflite" => &["litert", "litert-gpu"],
            _ => &["onnx", "openvino", "ncnn"],
        };
        names.iter().filter_map(|name| name.parse().ok()).collect()
    }
}

/// Names a format for people.
pub(super) fn title(format: &str) -> &str {
    match format {
        "onnx" => "ONNX",
        "openvino" => "OpenVINO IR",
        "paddle" => "Paddle",
        "tflite" => "TFLite",
        _ => format,
    }
}
