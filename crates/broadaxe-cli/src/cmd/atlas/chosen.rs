//! Which subjects the options `--family` and `--rule` choose.

use broadaxe_atlas::{FAMILIES, Subject};

use crate::{args::CasesArgs, error::Error};

/// The subjects that are asked about.
pub(super) struct Chosen(Vec<&'static Subject>);

impl Chosen {
    /// Reads the options.
    ///
    /// # Errors
    /// When there is no such family or rule, or none with both.
    pub(super) fn new(families: &[String], rules: &[String]) -> Result<Self, Error> {
        if let Some(family) = families.iter().find(|name| !FAMILIES.iter().any(|family| family.name == **name)) {
            let all = FAMILIES.iter().map(|family| family.name).collect::<Vec<_>>().join(", ");
            return Err(Error::usage(format!("--family: unknown family '{family}'; the families are {all}")));
        }
        let of_family =
            |subject: &&Subject| families.is_empty() || families.iter().any(|name| name == subject.family().name);
        let all: Vec<&'static Subject> = Subject::all().iter().filter(of_family).collect();
        if let Some(rule) = rules.iter().find(|rule| !all.iter().any(|subject| subject.label() == **rule)) {
            let mut labels: Vec<&str> = all.iter().map(|subject| subject.label()).collect();
            labels.sort_unstable();
            labels.dedup();
            return Err(Error::usage(format!("--rule: no cases of '{rule}'; the rules are {}", labels.join(", "))));
        }
        let of_rule = |subject: &&'static Subject| rules.is_empty() || rules.iter().any(|rule| rule == subject.label());
        Ok(Self(all.into_iter().filter(of_rule).collect()))
    }

    /// Reads the options that choose cases of a level.
    ///
    /// # Errors
    /// As for [`Chosen::new`].
    pub(super) fn of(args: &CasesArgs) -> Result<Self, Error> {
        Self::new(&args.family, &args.rule)
    }

    pub(super) fn subjects(&self) -> impl Iterator<Item = &'static Subject> + '_ {
        self.0.iter().copied()
    }

    pub(super) fn has(&self, subject: &Subject) -> bool {
        self.0.iter().any(|one| std::ptr::eq(*one, subject))
    }
}
