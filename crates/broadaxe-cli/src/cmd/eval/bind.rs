//! Binds the names of an expression: `NAME=FILE` and `NAME=NUMBER`.

use crate::{
    answer::join,
    error::{Error, ErrorKind},
    file::Place,
};

/// A name and meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) name: String,
    pub(super) value: Value,
}

/// A number, as it was written, or an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Number(String),
    File(Place),
}

/// Reads `NAME=FILE` and `NAME=NUMBER`; a file whose name is a number is written `./1`.
///
/// # Errors
/// When a name is invalid or repeated.
pub(super) fn read(bindings: &[String]) -> Result<Vec<Given>, Error> {
    let mut given: Vec<Given> = Vec::new();
    for text in bindings {
        let (name, value) =
            text.split_once('=').filter(|(name, value)| is_name(name) && !value.is_empty()).ok_or_else(|| {
                Error::usage(format!("'{text}' should be NAME=FILE or NAME=NUMBER, such as a=a.npy or k=0.5"))
            })?;
        if given.iter().any(|one| one.name == name) {
            return Err(Error::usage(format!("the name '{name}' is given twice")));
        }
        let value = if is_number(value) { Value::Number(value.to_owned()) } else { Value::File(Place::new(value)) };
        given.push(Given { name: name.to_owned(), value });
    }
    Ok(given)
}

fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Says whether a text is a number as an expression writes it: `-3`, `0.5`, `1e-3`, `True`.
fn is_number(text: &str) -> bool {
    let bare = text.strip_prefix(['-', '+']).unwrap_or(text);
    let starts = bare.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    matches!(text, "True" | "False") || (starts && bare.parse::<f64>().is_ok())
}

/// Compares what is given with what the expression names.
///
/// # Errors
/// When a name is missing, or one is given that is not used.
pub(super) fn check(given: &[Given], names: &[String]) -> Result<(), Error> {
    let quoted = |names: &[&str]| if names.is_empty() { "nothing".to_owned() } else { join(names, ", ") };
    let there: Vec<&str> = given.iter().map(|one| one.name.as_str()).collect();
    let used: Vec<&str> = names.iter().map(String::as_str).collect();
    if let Some(missing) = used.iter().find(|name| !there.contains(name)) {
        let text =
            format!("'{missing}' has no value (given: {}); add {missing}=FILE or {missing}=NUMBER", quoted(&there));
        return Err(Error::new(ErrorKind::Expression, text));
    }
    if let Some(unused) = there.iter().find(|name| !used.contains(name)) {
        let text = format!("'{unused}' is given, and the expression does not name it; it names {}", quoted(&used));
        return Err(Error::new(ErrorKind::Expression, text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_files() {
        for text in ["1", "-3", "0.5", "1e-3", "+2", ".5", "True"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["./1", "1.npy", "inf", "nan", "", "-", "-a", "true"] {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn bindings() {
        let words = |list: &[&str]| read(&list.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        let given = words(&["a=x=y.npy", "_b2=3"]).unwrap();
        assert_eq!(given[0].value, Value::File(Place::new("x=y.npy")));
        assert_eq!(given[1], Given { name: "_b2".to_owned(), value: Value::Number("3".to_owned()) });
        for (list, want) in [
            (&["a"][..], "should be"),
            (&["=x"], "should be"),
            (&["a="], "should be"),
            (&["2a=x"], "should be"),
            (&["a=1", "a=2"], "twice"),
        ] {
            let error = words(list).unwrap_err().to_string();
            assert!(error.contains(want), "{list:?}: {error}");
        }
        let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let missing = check(&given, &names(&["a", "c"])).unwrap_err().to_string();
        assert!(missing.contains("'c' has no value (given: a, _b2)"), "{missing}");
        let unused = check(&given, &names(&["a"])).unwrap_err().to_string();
        assert!(unused.contains("'_b2' is given") && unused.contains("it names a"), "{unused}");
    }
}
