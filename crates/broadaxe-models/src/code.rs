//! Names the kinds of findings: a stable code and a name, how severe a finding is, and a page about it.
//!
//! Codes are public: configurations, baselines and reports name them. A code is never given to another kind of finding.

/// A kind of finding.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The code: `BX101`.
    pub id: &'static str,
    /// The name: `wrong-axis`.
    pub name: &'static str,
    /// How severe such a finding is.
    pub severity: Severity,
    /// How often `fix` finds a change that removes such a finding.
    pub fixable: Fixable,
    /// What is wrong, in one sentence without a period.
    pub meaning: &'static str,
    /// What it means, why it matters, an example, how to fix it, and how it is known: Markdown.
    pub page: &'static str,
}

/// How severe a finding is; the most severe is the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The model does not work on the target, or differs there.
    Error,
    /// The model may not work there.
    Warning,
    /// Nothing is known to be wrong.
    Note,
}

/// How often findings of a kind can be fixed. Each finding says whether it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixable {
    /// A change is found for nearly all of them.
    Often,
    /// A change is found for some of them.
    Sometimes,
    /// No change to the model is known.
    Never,
}

impl Severity {
    /// Returns the word for reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl Fixable {
    /// Returns the word for reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Often => "often",
            Self::Sometimes => "sometimes",
            Self::Never => "never",
        }
    }
}

impl Code {
    /// Says whether a finding of this kind is about the model itself, whatever the target is.
    pub fn is_of_model(&self) -> bool {
        self.id.starts_with("BX0")
    }
}

/// Finds a kind of finding by its code or name, in whatever case.
///
/// ```
/// use broadaxe_models::code::find;
/// assert_eq!(find("bx101"), find("wrong-axis"));
/// assert_eq!(find("BX999"), None);
/// ```
pub fn find(text: &str) -> Option<&'static Code> {
    CODES.iter().find(|code| code.id.eq_ignore_ascii_case(text) || code.name.eq_ignore_ascii_case(text)).copied()
}

/// Every kind of finding, in the order of the codes.
pub static CODES: [&Code; 20] = [
    &INVALID_NODE,
    &INVALID_BROADCAST,
    &INVALID_SHAPE,
    &DEFAULT_AXIS,
    &WRONG_AXIS,
    &WRONG_SHAPE,
    &WRONG_ELEMENT,
    &PAST_THE_END,
    &DROPPED_OPERAND,
    &UNUSABLE_RESULT,
    &WRONG_VALUE,
    &SHAPES_REJECTED,
    &RANK_REJECTED,
    &NODE_REJECTED,
    &UNSUPPORTED_OPERATOR,
    &DEPENDS_ON_SIZE,
    &UNKNOWN_SHAPE,
    &UNKNOWN_BEHAVIOR,
    &UNREADABLE_NODE,
    &CONTRADICTED_LAW,
];

pub(crate) static INVALID_NODE: Code = Code {
    id: "BX001",
    name: "invalid-node",
    severity: Severity::Error,
    fixable: Fixable::Sometimes,
    meaning: "The node breaks the rules of the model's own format",
    page: include_str!("code/BX001.md"),
};
pub(crate) static INVALID_BROADCAST: Code = Code {
    id: "BX002",
    name: "invalid-broadcast",
    severity: Severity::Error,
    fixable: Fixable::Sometimes,
    meaning: "The operands do not broadcast by the model's own rule",
    page: include_str!("code/BX002.md"),
};
pub(crate) static INVALID_SHAPE: Code = Code {
    id: "BX003",
    name: "invalid-shape",
    severity: Severity::Error,
    fixable: Fixable::Never,
    meaning: "The file records a shape that the result cannot have",
    page: include_str!("code/BX003.md"),
};
pub(crate) static DEFAULT_AXIS: Code = Code {
    id: "BX004",
    name: "default-axis",
    severity: Severity::Note,
    fixable: Fixable::Never,
    meaning: "The scale or slope runs along one axis, and another that may be meant has the same size",
    page: include_str!("code/BX004.md"),
};
pub(crate) static WRONG_AXIS: Code = Code {
    id: "BX101",
    name: "wrong-axis",
    severity: Severity::Error,
    fixable: Fixable::Often,
    meaning: "The target aligns an operand with other axes and gives a wrong result",
    page: include_str!("code/BX101.md"),
};
pub(crate) static WRONG_SHAPE: Code = Code {
    id: "BX102",
    name: "wrong-shape",
    severity: Severity::Error,
    fixable: Fixable::Often,
    meaning: "The target gives a result of another shape",
    page: include_str!("code/BX102.md"),
};
pub(crate) static WRONG_ELEMENT: Code = Code {
    id: "BX103",
    name: "wrong-element",
    severity: Severity::Error,
    fixable: Fixable::Often,
    meaning: "The target reads other elements of an operand and gives a wrong result",
    page: include_str!("code/BX103.md"),
};
pub(crate) static PAST_THE_END: Code = Code {
    id: "BX104",
    name: "past-the-end",
    severity: Severity::Error,
    fixable: Fixable::Often,
    meaning: "The target reads memory past the end of an operand",
    page: include_str!("code/BX104.md"),
};
pub(crate) static DROPPED_OPERAND: Code = Code {
    id: "BX105",
    name: "dropped-operand",
    severity: Severity::Error,
    fixable: Fixable::Often,
    meaning: "The target leaves operands out of the result",
    page: include_str!("code/BX105.md"),
};
pub(crate) static UNUSABLE_RESULT: Code = Code {
    id: "BX106",
    name: "unusable-result",
    severity: Severity::Error,
    fixable: Fixable::Sometimes,
    meaning: "The target gives a meaningless result",
    page: include_str!("code/BX106.md"),
};
pub(crate) static WRONG_VALUE: Code = Code {
    id: "BX107",
    name: "wrong-value",
    severity: Severity::Error,
    fixable: Fixable::Never,
    meaning: "An installed engine computed other values",
    page: include_str!("code/BX107.md"),
};
pub(crate) static SHAPES_REJECTED: Code = Code {
    id: "BX201",
    name: "shapes-rejected",
    severity: Severity::Error,
    fixable: Fixable::Often,
    meaning: "The target's rule does not broadcast these shapes",
    page: include_str!("code/BX201.md"),
};
pub(crate) static RANK_REJECTED: Code = Code {
    id: "BX202",
    name: "rank-rejected",
    severity: Severity::Error,
    fixable: Fixable::Often,
    meaning: "The target does not accept operands of these ranks",
    page: include_str!("code/BX202.md"),
};
pub(crate) static NODE_REJECTED: Code = Code {
    id: "BX203",
    name: "node-rejected",
    severity: Severity::Error,
    fixable: Fixable::Sometimes,
    meaning: "The target has the operator and refuses the node",
    page: include_str!("code/BX203.md"),
};
pub(crate) static UNSUPPORTED_OPERATOR: Code = Code {
    id: "BX301",
    name: "unsupported-operator",
    severity: Severity::Warning,
    fixable: Fixable::Sometimes,
    meaning: "The target does not support the operator",
    page: include_str!("code/BX301.md"),
};
pub(crate) static DEPENDS_ON_SIZE: Code = Code {
    id: "BX401",
    name: "depends-on-size",
    severity: Severity::Warning,
    fixable: Fixable::Often,
    meaning: "The target computes the same only for some sizes of open dims",
    page: include_str!("code/BX401.md"),
};
pub(crate) static UNKNOWN_SHAPE: Code = Code {
    id: "BX501",
    name: "unknown-shape",
    severity: Severity::Note,
    fixable: Fixable::Never,
    meaning: "A shape that decides the verdict is unknown",
    page: include_str!("code/BX501.md"),
};
pub(crate) static UNKNOWN_BEHAVIOR: Code = Code {
    id: "BX502",
    name: "unknown-behavior",
    severity: Severity::Note,
    fixable: Fixable::Never,
    meaning: "What the target does with the node is unknown",
    page: include_str!("code/BX502.md"),
};
pub(crate) static UNREADABLE_NODE: Code = Code {
    id: "BX503",
    name: "unreadable-node",
    severity: Severity::Note,
    fixable: Fixable::Never,
    meaning: "What the node means in its own format is unknown",
    page: include_str!("code/BX503.md"),
};
pub(crate) static CONTRADICTED_LAW: Code = Code {
    id: "BX601",
    name: "contradicted-law",
    severity: Severity::Note,
    fixable: Fixable::Never,
    meaning: "An installed engine computes the same, although a law says otherwise",
    page: include_str!("code/BX601.md"),
};

#[cfg(test)]
mod tests;
