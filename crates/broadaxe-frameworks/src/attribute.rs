//! Attributes of operators: their rows in a table, and their values in a file or a call.

use std::fmt;

/// Describes an attribute: its name, its values, and its default.
#[derive(Clone, Copy, Debug)]
pub struct Attr {
    /// The name.
    pub name: &'static str,
    /// The key in a file that numbers its attributes, as ncnn's; empty where it is the name.
    pub key: &'static str,
    /// The values that it accepts.
    pub values: Values,
    /// What its absence means, written as a value; empty if it must be given.
    pub default: &'static str,
}

/// Describes an attribute.
pub(crate) const fn attr(name: &'static str, values: Values, default: &'static str) -> Attr {
    Attr { name, key: "", values, default }
}

/// Describes an attribute that files write under another key.
pub(crate) const fn keyed(name: &'static str, key: &'static str, values: Values, default: &'static str) -> Attr {
    Attr { name, key, values, default }
}

/// The values that an attribute accepts.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// A whole number.
    Int,
    /// `True`, `False`, 1 or 0.
    Flag,
    /// A number.
    Float,
    /// One of these texts.
    Words(&'static [&'static str]),
    /// A list of whole numbers.
    Ints,
    /// A list of numbers.
    Floats,
    /// The name of a dtype, or the framework's number for it.
    DType,
}

impl Values {
    /// Says what a value should be, where it is not.
    pub fn wanted(self, value: &Attribute) -> Option<String> {
        match (self, value) {
            (Self::Int, Attribute::Int(_))
            | (Self::Flag, Attribute::Bool(_) | Attribute::Int(0 | 1))
            | (Self::Float, Attribute::Int(_) | Attribute::Float(_))
            | (Self::Ints, Attribute::Ints(_))
            | (Self::Floats, Attribute::Ints(_) | Attribute::Floats(_))
            | (Self::DType, Attribute::Int(_) | Attribute::Text(_)) => None,
            (Self::Words(words), Attribute::Text(text)) if words.contains(&text.as_str()) => None,
            (Self::Words(words), _) => Some(format!("one of \"{}\"", words.join("\", \""))),
            (Self::Int, _) => Some("a whole number".to_string()),
            (Self::Flag, _) => Some("True or False".to_string()),
            (Self::Float, _) => Some("a number".to_string()),
            (Self::Ints, _) => Some("a list of whole numbers".to_string()),
            (Self::Floats, _) => Some("a list of numbers".to_string()),
            (Self::DType, _) => Some("the name of a dtype".to_string()),
        }
    }
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// `True` or `False`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a point.
    Float(f64),
    /// A text.
    Text(String),
    /// A list of whole numbers.
    Ints(Vec<i64>),
    /// A list of numbers, of which one or more have a point.
    Floats(Vec<f64>),
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(value) => write!(f, "\"{value}\""),
            Self::Ints(values) => write!(f, "{values:?}"),
            Self::Floats(values) => write!(f, "{values:?}"),
        }
    }
}

/// Attributes of one call or one node of a file, by name.
pub trait Attributes {
    /// Returns the value of an attribute that is given.
    fn get(&self, name: &str) -> Option<Attribute>;

    /// Returns the default axis of PDPD: -1 in OpenVINO's specification.
    fn absent_axis(&self) -> i64 {
        -1
    }

    /// Returns a whole number, if given.
    fn int(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Some(Attribute::Int(value)) => Some(value),
            Some(Attribute::Bool(value)) => Some(i64::from(value)),
            _ => None,
        }
    }

    /// Returns a flag, or its default.
    fn flag(&self, name: &str, default: bool) -> bool {
        match self.get(name) {
            Some(Attribute::Bool(value)) => value,
            Some(Attribute::Int(value)) => value != 0,
            _ => default,
        }
    }

    /// Returns a number, if given.
    fn float(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            Some(Attribute::Float(value)) => Some(value),
            Some(Attribute::Int(value)) => Some(value as f64),
            _ => None,
        }
    }

    /// Returns a text, if given.
    fn text(&self, name: &str) -> Option<String> {
        match self.get(name) {
            Some(Attribute::Text(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns a list of whole numbers, if given.
    fn ints(&self, name: &str) -> Option<Vec<i64>> {
        match self.get(name) {
            Some(Attribute::Ints(values)) => Some(values),
            _ => None,
        }
    }

    /// Returns a list of numbers, if given.
    fn floats(&self, name: &str) -> Option<Vec<f64>> {
        match self.get(name) {
            Some(Attribute::Ints(values)) => Some(values.into_iter().map(|value| value as f64).collect()),
            Some(Attribute::Floats(values)) => Some(values),
            _ => None,
        }
    }
}
