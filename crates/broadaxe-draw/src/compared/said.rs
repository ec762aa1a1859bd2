//! Says how far rules agree: one value, from which the heading and the sentence of an answer are written.

use super::sizes::Sizes;

/// How far the rules agree on the same shapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// How many rules were asked.
    pub rules: usize,
    /// How many of them accept the shapes, for some sizes at least.
    pub accepting: usize,
    /// Whether NumPy's rule rejects the shapes for all sizes.
    pub numpy_rejects: bool,
    /// The result, where all rules that accept the shapes give it.
    pub result: Option<String>,
    /// What the rules mean.
    pub fact: Fact,
}

/// What the rules that accept shapes mean.
///
/// A meaning says what is read for each choice of sizes. A rule has it if it reads that for all sizes that it accepts; so two rules of
/// one meaning read the same for all sizes that both accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// No rule accepts the shapes.
    Rejected {
        /// Whether a rule cannot decide.
        is_undecided: bool,
    },
    /// One rule accepts the shapes.
    Only {
        /// The rule.
        rule: String,
        /// Sizes that it rejects, if there are any.
        rejected: Option<Sizes>,
    },
    /// The rules accept the same sizes, and mean the same.
    Same {
        /// Sizes that they reject, if there are any.
        rejected: Option<Sizes>,
    },
    /// The rules mean the same, and do not accept the same sizes.
    SameWhereAccepted {
        /// Sizes that all of them accept, if there are any.
        accepted: Option<Sizes>,
        /// Sizes that some of them accept and some reject.
        disputed: Sizes,
        /// How many of them reject these.
        rejecting: usize,
    },
    /// Two rules differ.
    Differ {
        /// How many meanings there are.
        meanings: usize,
        /// Whether there may be more.
        is_least: bool,
        /// Sizes for which two rules differ, where some are open.
        sizes: Option<Sizes>,
    },
    /// No two rules differ for the sizes that were tried, and there are others.
    Tried {
        /// How many choices of sizes were tried.
        choices: usize,
    },
    /// The rank of an operand is not known.
    Ranks,
}

impl Said {
    /// Returns the heading of the answer: one or two sentences.
    pub fn heading(&self) -> String {
        let Self { rules, accepting, .. } = self;
        let numpy = if self.numpy_rejects { "NumPy rejects these shapes. " } else { "" };
        let result = self.result.as_ref().map_or_else(String::new, |result| format!(" The result is {result}."));
        let these = self.accepting_rules();
        let reject =
            |count: &usize| format!("{count} of {accepting} {}", if *count == 1 { "rejects" } else { "reject" });
        match &self.fact {
            Fact::Rejected { is_undecided: false } => "No rule accepts these shapes.".to_owned(),
            Fact::Rejected { is_undecided: true } => "No rule is known to accept these shapes.".to_owned(),
            Fact::Only { rule, rejected: None } => format!("Only {rule} accepts these shapes.{result}"),
            Fact::Only { rule, rejected: Some(sizes) } => {
                format!("Only {rule} accepts these shapes, and rejects them for {}.{result}", listed(sizes))
            }
            Fact::Same { rejected: None } => format!("{numpy}{these} mean the same.{result}"),
            Fact::Same { rejected: Some(sizes) } => {
                format!("{numpy}{these} mean the same, and reject the same sizes, such as {}.{result}", listed(sizes))
            }
            Fact::SameWhereAccepted { accepted: Some(all), disputed, rejecting } => format!(
                "{numpy}{these} mean the same for {}; for {}, {}.{result}",
                listed(all),
                listed(disputed),
                reject(rejecting)
            ),
            Fact::SameWhereAccepted { accepted: None, disputed, rejecting } => format!(
                "{numpy}{these} accept different sizes; for {}, {}.{result}",
                listed(disputed),
                reject(rejecting)
            ),
            Fact::Differ { meanings, is_least, .. } => {
                let who = if self.numpy_rejects { "Other rules give them" } else { "These shapes have" };
                let count = if *is_least { "at least " } else { "" }.to_owned() + &number(*meanings);
                format!("{numpy}{who} {count} meanings. Which one you get depends on the framework.")
            }
            Fact::Tried { .. } => {
                format!("{numpy}No difference was found between the {accepting} rules that accept these shapes.")
            }
            Fact::Ranks => format!("{accepting} of {rules} rules accept these shapes for some ranks."),
        }
    }

    /// Names the rules that accept the shapes, at the beginning of a sentence.
    fn accepting_rules(&self) -> String {
        let accepting = self.accepting;
        match (self.numpy_rejects, accepting == self.rules) {
            (true, _) => format!("The {accepting} rules that accept them"),
            (_, true) => format!("All {accepting} rules"),
            _ => format!("All {accepting} rules that accept these shapes"),
        }
    }

    /// Returns what the heading leaves open, in a sentence.
    pub fn note(&self) -> Option<String> {
        match &self.fact {
            Fact::SameWhereAccepted { .. } => {
                Some("For all sizes that two of these rules accept, both mean the same.".to_owned())
            }
            Fact::Differ { sizes: Some(sizes), .. } => Some(format!("With {} they differ.", listed(sizes))),
            Fact::Tried { choices } => Some(format!("{choices} choices of sizes were tried, and there are others.")),
            Fact::Ranks => Some("Give every operand a rank to compare what the rules mean.".to_owned()),
            _ => None,
        }
    }

    /// Returns the kind of the answer, by which a page colours it: `none`, `same`, `differ` or `open`.
    pub fn kind(&self) -> &'static str {
        match &self.fact {
            Fact::Rejected { .. } => "none",
            Fact::Differ { .. } => "differ",
            Fact::Same { .. } | Fact::SameWhereAccepted { .. } | Fact::Tried { .. } if self.numpy_rejects => "differ",
            Fact::Only { rejected: None, .. } | Fact::Same { rejected: None } => "same",
            _ => "open",
        }
    }
}

/// Writes sizes: `m = 2, n = 3`.
fn listed(sizes: &Sizes) -> String {
    sizes.iter().map(|(name, size)| format!("{name} = {size}")).collect::<Vec<_>>().join(", ")
}

fn number(count: usize) -> String {
    const WORDS: [&str; 10] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    WORDS.get(count).map_or_else(|| count.to_string(), |&word| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(n: usize) -> Sizes {
        Sizes::from([("m".to_owned(), 2), ("n".to_owned(), n)])
    }

    // Long: a table.
    fn facts() -> [(Fact, &'static str, &'static str, &'static str); 12] {
        let same = |rejected| Fact::Same { rejected };
        let only = |rejected| Fact::Only { rule: "ggml".to_owned(), rejected };
        let accepted = |accepted, rejecting| Fact::SameWhereAccepted { accepted, disputed: sizes(1), rejecting };
        let differ = |sizes, is_least| Fact::Differ { meanings: 2, is_least, sizes };
        let both = "For all sizes that two of these rules accept, both mean the same.";
        [
            (Fact::Rejected { is_undecided: false }, "No rule accepts these shapes.", "", "none"),
            (Fact::Rejected { is_undecided: true }, "No rule is known to accept these shapes.", "", "none"),
            (only(None), "Only ggml accepts these shapes. The result is (4,).", "", "same"),
            (
                only(Some(sizes(0))),
                "Only ggml accepts these shapes, and rejects them for m = 2, n = 0. The result is (4,).",
                "",
                "open",
            ),
            (same(None), "All 9 rules that accept these shapes mean the same. The result is (4,).", "", "same"),
            (
                same(Some(sizes(0))),
                "All 9 rules that accept these shapes mean the same, and reject the same sizes, such as m = 2, n = 0. The result is (4,).",
                "",
                "open",
            ),
            (
                accepted(Some(sizes(2)), 6),
                "All 9 rules that accept these shapes mean the same for m = 2, n = 2; for m = 2, n = 1, 6 of 9 reject. The result is (4,).",
                both,
                "open",
            ),
            (
                accepted(None, 1),
                "All 9 rules that accept these shapes accept different sizes; for m = 2, n = 1, 1 of 9 rejects. The result is (4,).",
                both,
                "open",
            ),
            (
                differ(None, false),
                "These shapes have two meanings. Which one you get depends on the framework.",
                "",
                "differ",
            ),
            (
                differ(Some(sizes(2)), true),
                "These shapes have at least two meanings. Which one you get depends on the framework.",
                "With m = 2, n = 2 they differ.",
                "differ",
            ),
            (
                Fact::Tried { choices: 2000 },
                "No difference was found between the 9 rules that accept these shapes.",
                "2000 choices of sizes were tried, and there are others.",
                "open",
            ),
            (
                Fact::Ranks,
                "9 of 11 rules accept these shapes for some ranks.",
                "Give every operand a rank to compare what the rules mean.",
                "open",
            ),
        ]
    }

    fn said(fact: Fact) -> Said {
        Said { rules: 11, accepting: 9, numpy_rejects: false, result: Some("(4,)".to_owned()), fact }
    }

    #[test]
    fn every_fact_has_its_words() {
        for (fact, heading, note, kind) in facts() {
            let said = said(fact);
            let note = Some(note.to_owned()).filter(|note| !note.is_empty());
            assert_eq!((said.heading(), said.note(), said.kind()), (heading.to_owned(), note, kind), "{said:?}");
        }
    }

    #[test]
    fn numpy_is_named_where_it_rejects() {
        let cases = [
            (
                Fact::Same { rejected: None },
                "NumPy rejects these shapes. The 9 rules that accept them mean the same. The result is (4,).",
            ),
            (
                Fact::Differ { meanings: 3, is_least: false, sizes: None },
                "NumPy rejects these shapes. Other rules give them three meanings. Which one you get depends on the framework.",
            ),
        ];
        for (fact, want) in cases {
            let said = Said { numpy_rejects: true, ..said(fact) };
            assert_eq!((said.heading(), said.kind()), (want.to_owned(), "differ"));
        }
    }
}
