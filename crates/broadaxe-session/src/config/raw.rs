//! The settings as the file has them, with their places.

use std::{fmt, marker::PhantomData};

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use toml::Spanned;

use super::{place::Document, schema};
use crate::{error::Error, request::FailOn};

/// Settings of `broadaxe check` and `broadaxe fix`: what they check for, and the findings that do not count.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawSettings {
    /// The targets to check for, as in `--for`.
    #[serde(default, rename = "for", deserialize_with = "names")]
    #[schemars(with = "Vec<schema::TargetName>")]
    targets: Option<Vec<Spanned<String>>>,
    /// The shapes of inputs that the model leaves open, as in `--input-shape`.
    #[serde(default, deserialize_with = "shapes")]
    #[schemars(with = "schema::InputShapes")]
    input_shapes: Option<Vec<Spanned<String>>>,
    /// The verdicts that end with exit code 1, as in `--fail-on`; an empty list for none.
    #[serde(default, deserialize_with = "names")]
    #[schemars(with = "Vec<FailOn>")]
    fail_on: Option<Vec<Spanned<String>>>,
    /// The file with the known findings, relative to this file.
    #[schemars(with = "String")]
    pub(super) baseline: Option<String>,
    /// Other settings for some models. The last entry that matches wins.
    #[serde(default, deserialize_with = "tables_of_models")]
    pub(super) models: Vec<RawModels>,
    /// Findings that do not count.
    #[serde(default, deserialize_with = "tables_of_ignores")]
    #[schemars(with = "Vec<RawIgnore>")]
    pub(super) ignore: Vec<Spanned<RawIgnore>>,
}

/// Other settings for the models that match a path.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(rename = "Models")]
pub(super) struct RawModels {
    /// A pattern of model files, relative to this file: `*` matches within one name, and `**` any directories.
    #[schemars(with = "String")]
    pub(super) path: Spanned<String>,
    /// The targets to check for, as in `--for`.
    #[serde(default, rename = "for", deserialize_with = "names")]
    #[schemars(with = "Vec<schema::TargetName>")]
    targets: Option<Vec<Spanned<String>>>,
    /// The shapes of inputs that the model leaves open, as in `--input-shape`.
    #[serde(default, deserialize_with = "shapes")]
    #[schemars(with = "schema::InputShapes")]
    input_shapes: Option<Vec<Spanned<String>>>,
    /// The verdicts that end with exit code 1, as in `--fail-on`; an empty list for none.
    #[serde(default, deserialize_with = "names")]
    #[schemars(with = "Vec<FailOn>")]
    fail_on: Option<Vec<Spanned<String>>>,
}

/// Findings that do not count: those that match all keys. It needs a reason and at least one other key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Ignore", extend("required" = ["reason"], "minProperties" = 2))]
pub(super) struct RawIgnore {
    /// Why such findings do not count.
    #[schemars(with = "String")]
    pub(super) reason: Option<Spanned<String>>,
    /// The code of the finding, or its beginning.
    #[schemars(with = "String", regex(pattern = "^BX[0-9]*$"))]
    pub(super) code: Option<Spanned<String>>,
    /// The operator of the node.
    #[schemars(with = "String")]
    pub(super) op: Option<Spanned<String>>,
    /// The name of the node, or a pattern in which `*` matches any characters.
    #[schemars(with = "String")]
    pub(super) node: Option<Spanned<String>>,
    /// The file of the model, or a pattern of paths.
    #[schemars(with = "String")]
    pub(super) model: Option<Spanned<String>>,
    /// The target, in all its versions unless the name has one.
    #[schemars(with = "schema::TargetName")]
    pub(super) target: Option<Spanned<String>>,
    /// The verdict.
    #[schemars(with = "FailOn")]
    pub(super) verdict: Option<Spanned<String>>,
}

/// The settings that the top level and `[[models]]` have in common.
#[derive(Debug)]
pub(super) struct RawChoice<'a> {
    pub(super) targets: Option<&'a [Spanned<String>]>,
    pub(super) input_shapes: Option<&'a [Spanned<String>]>,
    pub(super) fail_on: Option<&'a [Spanned<String>]>,
}

/// What of `pyproject.toml` is read.
#[derive(Debug, Deserialize)]
struct Project {
    tool: Option<Tools>,
}

#[derive(Debug, Deserialize)]
struct Tools {
    broadaxe: Option<RawSettings>,
}

impl RawSettings {
    /// Reads a configuration file.
    pub(super) fn read(document: &Document) -> Result<Self, Error> {
        let wrong = |error: toml::de::Error| document.toml_error(&error);
        if !document.is_shared() {
            return toml::from_str(&document.text).map_err(wrong);
        }
        let project: Project = toml::from_str(&document.text).map_err(wrong)?;
        let missing = || Error::usage("the file has no table [tool.broadaxe]").of(&document.path);
        project.tool.and_then(|tool| tool.broadaxe).ok_or_else(missing)
    }

    pub(super) fn choice(&self) -> RawChoice<'_> {
        let Self { targets, input_shapes, fail_on, .. } = self;
        RawChoice { targets: targets.as_deref(), input_shapes: input_shapes.as_deref(), fail_on: fail_on.as_deref() }
    }
}

impl RawModels {
    pub(super) fn choice(&self) -> RawChoice<'_> {
        let Self { targets, input_shapes, fail_on, .. } = self;
        RawChoice { targets: targets.as_deref(), input_shapes: input_shapes.as_deref(), fail_on: fail_on.as_deref() }
    }
}

/// Reads a list, and says what it should be where it is none.
struct ListOf<T>(&'static str, PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListOf<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(items)
    }
}

fn names<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<Spanned<String>>>, D::Error> {
    from.deserialize_seq(ListOf("a list of names, such as [\"openvino\", \"ncnn\"]", PhantomData)).map(Some)
}

fn tables_of_models<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<RawModels>, D::Error> {
    from.deserialize_seq(ListOf("tables, each begun with [[models]]", PhantomData))
}

fn tables_of_ignores<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Spanned<RawIgnore>>, D::Error> {
    from.deserialize_seq(ListOf("tables, each begun with [[ignore]]", PhantomData))
}

fn shapes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<Spanned<String>>>, D::Error> {
    from.deserialize_any(Shapes).map(Some)
}

/// Reads the shapes of inputs: `{ image = [1, 3, 224, 224] }` or `["image:1,3,224,224"]`.
struct Shapes;

impl<'de> Visitor<'de> for Shapes {
    type Value = Vec<Spanned<String>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table such as { image = [1, 3, 224, 224] }, or a list such as [\"image:1,3,224,224\"]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some((name, shape)) = table.next_entry::<String, Spanned<Dims>>()? {
            let span = shape.span();
            items.push(Spanned::new(span, format!("{name}:{}", shape.into_inner().0)));
        }
        Ok(items)
    }
}

/// A shape: `[1, 3, "n"]` or `"1,3,n"`.
struct Dims(String);

impl<'de> Deserialize<'de> for Dims {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(DimsVisitor)
    }
}

struct DimsVisitor;

impl<'de> Visitor<'de> for DimsVisitor {
    type Value = Dims;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a shape such as [1, 3, 224, 224] or \"1,3,224,224\"")
    }

    fn visit_str<E>(self, text: &str) -> Result<Dims, E> {
        Ok(Dims(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Dims, A::Error> {
        let mut dims = Vec::new();
        while let Some(OneDim(dim)) = list.next_element()? {
            dims.push(dim);
        }
        Ok(Dims(if dims.is_empty() { "()".to_owned() } else { dims.join(",") }))
    }
}

/// A dim: a size, or a text for one that is open.
struct OneDim(String);

impl<'de> Deserialize<'de> for OneDim {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(OneDimVisitor)
    }
}

struct OneDimVisitor;

impl Visitor<'_> for OneDimVisitor {
    type Value = OneDim;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a size, or a text such as \"batch\"")
    }

    fn visit_i64<E>(self, size: i64) -> Result<OneDim, E> {
        Ok(OneDim(size.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<OneDim, E> {
        Ok(OneDim(text.to_owned()))
    }
}
