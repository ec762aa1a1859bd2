//! Reads and writes a rule as one line of text: its name, then its parameters as `key=value`.
//!
//! `pdpd axis=1`, `explicit axes=1,2 target=1,50,50,16`, `openvino-select mode=numpy`. An empty list is `()`. What
//! [`Rule`] displays parses back to an equal rule.

use alloc::{format, vec::Vec};
use core::{fmt, str::FromStr};

use super::{Params, Rule};
use crate::{
    error::{Error, ErrorKind},
    shape::list,
};

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let Params { axis, axes, target, mode } = self.params();
        if let Some(mode) = mode {
            write!(f, " mode={mode}")?;
        }
        if let Some(axis) = axis {
            write!(f, " axis={axis}")?;
        }
        if let Some(axes) = axes {
            write!(f, " axes={}", list(axes))?;
        }
        if let Some(target) = target {
            write!(f, " target={}", list(target))?;
        }
        Ok(())
    }
}

impl FromStr for Rule {
    type Err = Error;

    /// Reads what [`Rule`] displays; the parameters may stand in any order.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut words = text.split_whitespace();
        let name = words.next().ok_or_else(|| {
            Error::new(ErrorKind::Parameter, "an empty text is not a rule; write a name such as numpy")
        })?;
        let mut params = Params::default();
        for word in words {
            let again = match word.split_once('=') {
                Some(("axis", value)) => params.axis.replace(axis(value)?).is_some(),
                Some(("axes", value)) => params.axes.replace(axes(value)?).is_some(),
                Some(("target", value)) => params.target.replace(value.parse()?).is_some(),
                Some(("mode", value)) => params.mode.replace(value.parse()?).is_some(),
                _ => {
                    let text = format!("unknown parameter '{word}'; write axis=1, axes=0,2, target=2,3 or mode=numpy");
                    return Err(Error::new(ErrorKind::Parameter, text));
                }
            };
            if again {
                return Err(Error::new(ErrorKind::Parameter, format!("'{word}' repeats a parameter")));
            }
        }
        Self::new(name, params)
    }
}

fn axis(value: &str) -> Result<i64, Error> {
    let wrong =
        || Error::new(ErrorKind::Parameter, format!("'{value}' is not an axis; write a whole number, such as 1 or -1"));
    value.trim().parse().map_err(|_| wrong())
}

fn axes(value: &str) -> Result<Vec<i64>, Error> {
    if value == "()" { Ok(Vec::new()) } else { value.split(',').map(axis).collect() }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use crate::{ErrorKind, Params, Rule};

    #[test]
    fn reads_what_it_writes() {
        let cases = [
            (Rule::none(), "none"),
            (Rule::numpy(), "numpy"),
            (Rule::pdpd(1), "pdpd axis=1"),
            (Rule::new("pdpd", Params::default()).unwrap(), "pdpd axis=-1"),
            (Rule::onnx_legacy(None), "onnx-legacy"),
            (Rule::onnx_legacy(Some(0)), "onnx-legacy axis=0"),
            (Rule::bidirectional([]), "bidirectional target=()"),
            (Rule::broadcast_to([3]), "broadcast-to target=3"),
            (Rule::explicit([1, 2], [1, 50, 50, 16]), "explicit axes=1,2 target=1,50,50,16"),
            (Rule::explicit([], [2]), "explicit axes=() target=2"),
            (Rule::openvino_select("numpy", None).unwrap(), "openvino-select mode=numpy"),
            (Rule::openvino_select("pdpd", Some(0)).unwrap(), "openvino-select mode=pdpd axis=0"),
        ];
        for (rule, text) in cases {
            assert_eq!(rule.to_string(), text);
            assert_eq!(text.parse(), Ok(rule));
        }
        assert_eq!("openvino-select".parse(), Rule::openvino_select("numpy", None));
        assert_eq!("onnx-unidirectional".parse(), Ok(Rule::unidirectional()));
    }

    #[test]
    fn refuses() {
        for text in [
            "",
            "nump",
            "pdpd axis",
            "pdpd axis=",
            "pdpd axis=x",
            "pdpd axis=1 axis=1",
            "numpy axis=1",
            "numpy mode=none",
            "explicit axes=1",
            "explicit target=2",
            "broadcast-to",
            "pdpd target=2",
            "explicit axes=1,,2 target=2,3,4",
            "openvino-select mode=bidirectional",
            "numpy 3",
        ] {
            assert_eq!(text.parse::<Rule>().map_err(|e| e.kind()), Err(ErrorKind::Parameter), "{text}");
        }
        assert_eq!("broadcast-to target=2,-1".parse::<Rule>().map_err(|e| e.kind()), Err(ErrorKind::Parse));
    }
}
