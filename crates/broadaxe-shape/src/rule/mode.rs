//! Names the values of a rule's parameter `mode`.

use alloc::{format, string::String, vec::Vec};
use core::{fmt, str::FromStr};

use crate::error::{Error, ErrorKind};

/// A value of the parameter `mode`; [`RuleDef::modes`](super::RuleDef::modes) lists those of a rule.
///
/// Displays as its name and parses from it.
///
/// ```
/// use broadaxe_shape::Mode;
/// assert_eq!("pdpd".parse(), Ok(Mode::Pdpd));
/// assert_eq!(Mode::Pdpd.name(), "pdpd");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// As under the rule `numpy`.
    Numpy,
    /// As under the rule `none`.
    None,
    /// As under the rule `pdpd`.
    Pdpd,
    /// As under the rule `numpy`, for each operand alone.
    Each,
}

const MODES: [Mode; 4] = [Mode::Numpy, Mode::None, Mode::Pdpd, Mode::Each];

impl Mode {
    /// Returns the mode's name: `numpy`, `none`, `pdpd` or `each`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Numpy => "numpy",
            Self::None => "none",
            Self::Pdpd => "pdpd",
            Self::Each => "each",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        MODES.into_iter().find(|mode| mode.name() == text).ok_or_else(|| {
            let message = format!("unknown mode '{text}'; the modes are {}", list(&MODES));
            Error::new(ErrorKind::Parameter, message)
        })
    }
}

/// Lists modes in a sentence: `numpy, none, pdpd, each`.
pub(super) fn list(modes: &[Mode]) -> String {
    modes.iter().map(|mode| mode.name()).collect::<Vec<_>>().join(", ")
}
