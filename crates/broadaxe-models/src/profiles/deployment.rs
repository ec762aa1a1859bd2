//! Groups targets by where people run models on them.

/// Says where people run models on a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deployment {
    /// Phones and other small devices with a GPU or an accelerator.
    Phone,
    /// Servers and desktops.
    Server,
    /// Browsers.
    Browser,
    /// Microcontrollers.
    Microcontroller,
    /// The framework that a model is trained in.
    Framework,
    /// No runtime: a specification, or a limit that several runtimes have.
    Constraint,
}

impl Deployment {
    /// Returns the name: `Phone`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Phone => "Phone",
            Self::Server => "Server",
            Self::Browser => "Browser",
            Self::Microcontroller => "Microcontroller",
            Self::Framework => "Framework",
            Self::Constraint => "Constraints",
        }
    }
}
