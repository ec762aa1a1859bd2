//! A row of a framework's table: the operands, the rule and the arithmetic of one operator.

use broadaxe_op::{DType, OpId};

use crate::{
    arithmetic::{Arithmetic, Choice, Computes, Recipe, When},
    attribute::{Attr, Attribute, Attributes},
    framework::System,
    kind::{Kind, Wiring},
    rule::RuleBy,
};

use DType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

pub(crate) const BOOL: &[DType] = &[Bool];
pub(crate) const FLOATS: &[DType] = &[F16, BF16, F32, F64];
pub(crate) const INTEGERS: &[DType] = &[I8, I16, I32, I64, U8, U16, U32, U64];
pub(crate) const BITS: &[DType] = &[Bool, I8, I16, I32, I64, U8, U16, U32, U64];
pub(crate) const NUMBERS: &[DType] = &[I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64];
pub(crate) const ANY: &[DType] = &DType::ALL;

/// Describes an operator of a framework, from one opset on.
#[derive(Debug)]
pub struct Row {
    system: System,
    name: &'static str,
    since: i64,
    operands: &'static str,
    dtypes: &'static [DType],
    second: &'static [DType],
    attributes: &'static [Attr],
    kind: Kind,
    wiring: Wiring,
    rule: RuleBy,
    computes: Computes,
}

/// Starts a row. A letter per operand: `T` the row's dtypes, all equal; `S` the second dtypes; `B` bool; `X` anything.
/// `?` after a letter: may be left out; `*` at the end: any number.
pub(crate) const fn row(
    system: System,
    name: &'static str,
    since: i64,
    operands: &'static str,
    dtypes: &'static [DType],
    rule: RuleBy,
    computes: Computes,
) -> Row {
    let kind = Kind::of(operands, &rule);
    let wiring = Wiring::Inputs;
    Row { system, name, since, operands, dtypes, second: &[], attributes: &[], kind, wiring, rule, computes }
}

impl Row {
    pub(crate) const fn with(mut self, attributes: &'static [Attr]) -> Self {
        self.attributes = attributes;
        self
    }

    pub(crate) const fn second_of(mut self, dtypes: &'static [DType]) -> Self {
        self.second = dtypes;
        self
    }

    pub(crate) const fn of_kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    pub(crate) const fn by(mut self, rule: RuleBy) -> Self {
        self.rule = rule;
        self
    }

    pub(crate) const fn wired(mut self, wiring: Wiring) -> Self {
        self.wiring = wiring;
        self
    }

    /// Returns the framework.
    pub fn system(&self) -> System {
        self.system
    }

    /// Returns the name, as the framework spells it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the first opset this row holds for; 0 in frameworks without opsets.
    pub fn since(&self) -> i64 {
        self.since
    }

    /// Returns the dtypes of the operands that share one.
    pub fn dtypes(&self) -> &'static [DType] {
        self.dtypes
    }

    /// Returns how its operands broadcast with each other.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns where its operands come from.
    pub fn wiring(&self) -> Wiring {
        self.wiring
    }

    /// Returns its own attributes; those of its broadcast come from its rule.
    pub fn attributes(&self) -> &'static [Attr] {
        self.attributes
    }

    /// Lists all its attributes, those of its broadcast included.
    pub fn all_attributes(&self) -> impl Iterator<Item = Attr> {
        self.attributes.iter().chain(self.rule.attributes()).copied()
    }

    /// Returns one of its attributes by name.
    pub fn attribute(&self, name: &str) -> Option<Attr> {
        self.all_attributes().find(|attr| attr.name == name)
    }

    /// Returns the least and the greatest number of operands.
    pub fn operands(&self) -> (usize, usize) {
        let letters = self.operands.bytes().filter(u8::is_ascii_alphabetic).count();
        let optional = self.operands.bytes().filter(|byte| *byte == b'?').count();
        (letters - optional, if self.operands.ends_with('*') { usize::MAX } else { letters })
    }

    /// Says which dtypes an operand may have.
    pub fn operand(&self, operand: usize) -> OperandType {
        let mut letters = self.operands.bytes().filter(u8::is_ascii_alphabetic);
        match letters.nth(operand) {
            Some(b'B') => OperandType::Bool,
            Some(b'S') => OperandType::OneOf(self.second),
            Some(b'X') => OperandType::Any,
            _ => OperandType::Shared(self.dtypes),
        }
    }

    /// Returns how the rule follows from the attributes.
    pub fn rule_by(&self) -> RuleBy {
        self.rule
    }

    /// Says whether one of several operands may broadcast.
    pub fn broadcasts(&self) -> bool {
        !matches!(self.rule, RuleBy::Alone)
    }

    /// Lists what it may compute, by dtype and attributes; the first that holds counts.
    pub fn choices(&self) -> impl Iterator<Item = Choice> {
        self.computes.choices()
    }

    /// Says what it computes on operands of this dtype, with these attributes.
    ///
    /// # Errors
    /// A sentence when it is not defined for them: an unknown `op_type`, floats where `fmod=1` is needed.
    pub fn arithmetic(&self, dtype: DType, attributes: &dyn Attributes) -> Result<Choice, String> {
        let mut choices = self.choices();
        let found = choices.find(|choice| choice.when.iter().all(|when| when.holds(Some(dtype), attributes)));
        found.ok_or_else(|| self.undefined(dtype, attributes))
    }

    /// Returns our operator that it applies to the operands that broadcast, where the attributes alone decide it; on
    /// floats, where floats and integers differ.
    pub fn operator(&self, attributes: &dyn Attributes) -> Option<OpId> {
        let holds = |choice: &Choice| choice.when.iter().all(|when| when.holds(None, attributes));
        match self.choices().find(holds)?.arithmetic {
            // The row lists the operator without an activation last.
            Arithmetic::Recipe(Recipe::Fused) => self.choices().last()?.arithmetic.operator(),
            other => other.operator(),
        }
    }

    /// Says whether its result is bool, for all operands.
    pub fn is_truth(&self) -> bool {
        let truth = |choice: Choice| choice.arithmetic.is_truth();
        self.choices().all(truth)
    }

    /// Checks the values of the attributes that are given: their type, and the words and flags that are allowed.
    ///
    /// # Errors
    /// A sentence that names the attribute, its value and the values that it accepts.
    pub fn check_attributes(&self, attributes: &dyn Attributes) -> Result<(), String> {
        for attr in self.all_attributes() {
            let Some(value) = attributes.get(attr.name) else { continue };
            if let Some(wanted) = attr.values.wanted(&value) {
                return Err(format!("{}={value} should be {wanted}", attr.name));
            }
        }
        Ok(())
    }

    /// Checks that it computes something with these attributes, on operands of some dtype.
    ///
    /// # Errors
    /// A sentence that says what would define it: `op_type=0 to op_type=18`.
    pub fn check_choice(&self, attributes: &dyn Attributes) -> Result<(), String> {
        let is_set = |when: &When| when.setting().is_none() || when.holds(None, attributes);
        let defined = self.choices().any(|choice| choice.when.iter().all(is_set));
        if defined { Ok(()) } else { Err(self.undefined(self.dtypes[0], attributes)) }
    }

    /// Describes what it computes, for people.
    pub fn formula(&self) -> String {
        self.computes.describe()
    }

    /// Says what would define the arithmetic of a call that no choice holds for.
    fn undefined(&self, dtype: DType, attributes: &dyn Attributes) -> String {
        let mut wanted: Vec<String> = Vec::new();
        for choice in self.choices().filter(|choice| choice.when.iter().all(|when| when.allows(dtype))) {
            let words: Vec<String> = choice.when.iter().filter_map(When::setting).collect();
            if !words.is_empty() {
                wanted.push(words.join(" and "));
            }
        }
        let set = |attr: &Attr| Some(format!("{}={}", attr.name, attributes.get(attr.name)?));
        let given: Vec<String> = self.attributes.iter().filter_map(set).collect();
        let given = if given.is_empty() { String::new() } else { format!(" with {}", given.join(", ")) };
        match wanted.as_slice() {
            [] => format!("it is not defined for {dtype}{given}"),
            [one] => format!("it is not defined for {dtype}{given}; it needs {one}"),
            [first, .., last] => format!("it is not defined for {dtype}{given}; use {first} to {last}"),
        }
    }
}

/// Says which dtypes an operand may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandType {
    /// One of these, and the same as all other operands of this kind.
    Shared(&'static [DType]),
    /// One of these.
    OneOf(&'static [DType]),
    /// bool.
    Bool,
    /// Any dtype.
    Any,
}

/// Attributes that are given as a list.
impl Attributes for Vec<(&str, Attribute)> {
    fn get(&self, name: &str) -> Option<Attribute> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }
}
