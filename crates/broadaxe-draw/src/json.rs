//! Writes JSON. This crate is the part of the page that loads first, in which serde would be a fifth of all code.

use std::{
    collections::BTreeMap,
    fmt::{self, Write},
    ops::{Index, IndexMut},
};

/// A value of JSON. Members of objects keep their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Json {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Number(i128),
    /// A text.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

/// Makes a value of JSON: `json!({ "shape": [2, 3] })`, with expressions as values.
macro_rules! json {
    ({ $($name:literal : $value:expr),* $(,)? }) => {
        $crate::json::Json::Object(vec![$(($name.to_owned(), $crate::json::ToJson::to_json(&$value))),*])
    };
    ($value:expr) => { $crate::json::ToJson::to_json(&$value) };
}
pub(crate) use json;

impl Json {
    /// Returns the text, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Adds or replaces a member. A value that is not an object becomes one.
    pub fn insert(&mut self, name: &str, value: impl ToJson) {
        self[name] = value.to_json();
    }
}

const NULL: Json = Json::Null;

impl Index<&str> for Json {
    type Output = Json;

    /// Returns a member; null where there is none.
    fn index(&self, name: &str) -> &Json {
        let Self::Object(members) = self else { return &NULL };
        members.iter().find(|(known, _)| known == name).map_or(&NULL, |(_, value)| value)
    }
}

impl IndexMut<&str> for Json {
    /// Returns a member, which is added if it is missing.
    fn index_mut(&mut self, name: &str) -> &mut Json {
        if !matches!(self, Self::Object(_)) {
            *self = Self::Object(Vec::new());
        }
        let Self::Object(members) = self else { unreachable!("it was made an object") };
        let at = members.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            members.push((name.to_owned(), Self::Null));
            members.len() - 1
        });
        &mut members[at].1
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Text(text) => quoted(text, f),
            Self::List(items) => {
                f.write_str("[")?;
                for (k, item) in items.iter().enumerate() {
                    f.write_str(if k > 0 { "," } else { "" })?;
                    item.fmt(f)?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (k, (name, value)) in members.iter().enumerate() {
                    f.write_str(if k > 0 { "," } else { "" })?;
                    quoted(name, f)?;
                    f.write_str(":")?;
                    value.fmt(f)?;
                }
                f.write_str("}")
            }
        }
    }
}

fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if u32::from(c) < 0x20 => write!(f, "\\u{:04x}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_str("\"")
}

/// Is written as JSON.
pub trait ToJson {
    /// Returns the value as JSON.
    fn to_json(&self) -> Json;
}

impl ToJson for Json {
    fn to_json(&self) -> Json {
        self.clone()
    }
}

impl ToJson for bool {
    fn to_json(&self) -> Json {
        Json::Bool(*self)
    }
}

impl ToJson for str {
    fn to_json(&self) -> Json {
        Json::Text(self.to_owned())
    }
}

impl ToJson for String {
    fn to_json(&self) -> Json {
        Json::Text(self.clone())
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl ToJson for $number {
            fn to_json(&self) -> Json {
                Json::Number(*self as i128)
            }
        })*
    };
}
numbers!(usize isize u64 i64 i128 u128);

impl<T: ToJson + ?Sized> ToJson for &T {
    fn to_json(&self) -> Json {
        (**self).to_json()
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self) -> Json {
        self.as_ref().map_or(Json::Null, ToJson::to_json)
    }
}

impl<T: ToJson> ToJson for [T] {
    fn to_json(&self) -> Json {
        self.iter().map(ToJson::to_json).collect()
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> Json {
        self.as_slice().to_json()
    }
}

impl<T: ToJson, const N: usize> ToJson for [T; N] {
    fn to_json(&self) -> Json {
        self.as_slice().to_json()
    }
}

impl<T: ToJson> ToJson for BTreeMap<String, T> {
    fn to_json(&self) -> Json {
        Json::Object(self.iter().map(|(name, value)| (name.clone(), value.to_json())).collect())
    }
}

impl FromIterator<Json> for Json {
    fn from_iter<I: IntoIterator<Item = Json>>(items: I) -> Self {
        Self::List(items.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_text() {
        let mut value = json!({ "a": [1_usize, 2], "b": "x\"\\\n\u{1}é", "c": None::<bool>, "d": true });
        value["e"]["f"] = json!(-1_i64);
        value.insert("d", false);
        let want = r#"{"a":[1,2],"b":"x\"\\\n\u0001é","c":null,"d":false,"e":{"f":-1}}"#;
        assert_eq!(value.to_string(), want);
        assert_eq!((&value["b"]["z"], value["d"].as_str()), (&Json::Null, None));
    }
}
