//! Writes the JSON schema of the settings, for editors: of `broadaxe.toml`, and of the table `tool.broadaxe` of `pyproject.toml`.
//!
//! It is made of the types that read the settings. The form is that of `SchemaStore`: draft 7, with an identifier.

use std::borrow::Cow;

use broadaxe_models::profiles::PROFILES;
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde_json::{Value, json};

/// Where `SchemaStore` serves the schema.
const ID: &str = "https://json.schemastore.org/broadaxe.json";

/// The name of a target: editors propose those without a version.
pub(super) struct TargetName;

/// The shapes of inputs, as a table or a list.
pub(super) struct InputShapes;

impl JsonSchema for TargetName {
    fn schema_name() -> Cow<'static, str> {
        "Target".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = PROFILES.iter().map(|profile| profile.name).filter(|name| !name.contains('<')).collect();
        json_schema!({
            "description": "A target, such as ncnn, or litert-gpu@2.1.3, or rank<=4; `broadaxe targets` explains each",
            "anyOf": [{ "enum": names }, { "type": "string" }],
        })
    }
}

impl JsonSchema for InputShapes {
    fn schema_name() -> Cow<'static, str> {
        "InputShapes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                {
                    "description": "The shape of each input: [1, 3, \"h\", \"w\"], or \"1,3,h,w\"",
                    "type": "object",
                    "additionalProperties": {
                        "anyOf": [
                            { "type": "string" },
                            { "type": "array", "items": { "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }] } },
                        ],
                    },
                },
                {
                    "description": "Shapes as on the command line: \"image:1,3,h,w\"",
                    "type": "array",
                    "items": { "type": "string", "pattern": ".:" },
                },
            ],
        })
    }
}

/// Removes the defaults: an absent key leaves the choice to the command line, which no value says.
fn without_defaults(mut part: Value) -> Value {
    match &mut part {
        Value::Object(members) => {
            members.retain(|key, value| {
                key != "default" || !(value.is_null() || value.as_array().is_some_and(Vec::is_empty))
            });
            members.values_mut().for_each(|value| *value = without_defaults(value.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_defaults(item.take())),
        _ => {}
    }
    part
}

/// Returns the schema of the settings.
pub(super) fn schema<T: JsonSchema>() -> Value {
    let schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<T>();
    let Value::Object(made) = schema.to_value() else { return Value::Null };
    let mut whole = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "$id": ID });
    let parts = made.into_iter().filter(|(key, _)| key != "$schema" && key != "title");
    let parts = parts.map(|(key, part)| (key, without_defaults(part)));
    let title = ("title".to_owned(), json!("Broadaxe"));
    if let Value::Object(whole) = &mut whole {
        whole.extend(std::iter::once(title).chain(parts));
    }
    whole
}
